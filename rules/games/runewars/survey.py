"""The whole table at once: ranges, arcs, sight and engagement of all pairs, on arrays.

Sight is settled for most pairs by a handful of lines tested together: one free line is enough for yes, and one
convex blocker across both outer lines is enough for no. Only what is left is looked at line by critical line.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from ...arcs import FAR_MM
from ...errors import RulesError
from ...footprint import Footprint, stack
from ...game import prepare
from ...pairs import Errors, Survey, Words, empty, three_way
from ...plane import Array, closest, cross, direction, gap, unit_left
from ...scene import Piece, Scene
from ...shadow import Questions, any_free
from ...verdict import BAND95
from ...visibility import TOUCH_MM, look, segments_of
from .field import Field, Unit
from .game import GAME, SLACK_MM

__all__ = ["survey"]

Index = NDArray[np.intp]
Mask = NDArray[np.bool_]


def survey(scene: Scene, viewers: Sequence[str] | None = None) -> Survey:
    """Ranges between closest points, bands, firing arcs, sight and engagement of all ordered pairs of units."""
    in_mm = scene.in_mm()
    pieces = [p for p in in_mm.pieces if p.kind in ("model", "unit") and p.at is not None]
    names = [p.id for p in pieces]
    if not pieces or (viewers is not None and any(v not in names for v in viewers)):
        return empty(scene, viewers or (), pieces)
    asked = prepare(GAME, scene, {"query": "engagement", "from": names[0]}, "friendly")
    field = Field(asked)
    units = [_known(field, p) for p in pieces]
    kept = [k for k, u in enumerate(units) if u is not None]
    chosen = names if viewers is None else list(viewers)
    out = empty(scene, chosen, pieces)
    for words in (out.band, out.arc, out.sees, out.engaged):
        words[:] = "unknown"
    rows = np.array([kept.index(names.index(v)) for v in chosen if names.index(v) in kept], int)
    if len(rows):
        table = _Table(field, [u for u in units if u is not None], rows)
        i = np.array([k for k, v in enumerate(chosen) if names.index(v) in kept], int)
        at = np.ix_(i, np.array(kept, int))
        out.distance_mm[at], out.distance_sigma_mm[at] = table.distance, table.sigma
        out.band[at], out.arc[at], sees, out.engaged[at] = table.words()
        dim = [p for p, u in zip(pieces, units, strict=True) if u is None]
        out.sees[at] = _doubted(sees, table, dim)
    for k, v in enumerate(chosen):  # nobody looks at itself
        j = names.index(v)
        out.distance_mm[k, j] = out.distance_sigma_mm[k, j] = np.nan
        for words in (out.band, out.arc, out.sees, out.engaged):
            words[k, j] = None
    return out


def _known(field: Field, piece: Piece) -> Unit | None:
    """None for a unit whose facing is not known: it stands somewhere, but nobody can say where its sides are."""
    try:
        return field.unit(piece)
    except RulesError:
        return None


def _doubted(sees: Words, table: _Table, dim: Sequence[Piece]) -> Words:
    """A unit whose facing is not known may stand in the way: no line near it is called free."""
    if not dim:
        return sees
    shapes = np.array([foot.geometry for foot in table.feet], object)
    ground = shapely.convex_hull(shapely.union(shapes[table.rows][:, None], shapes[None, :]))
    at = shapely.points([table.field.asked.at(p) for p in dim])
    reach = np.array([table.field.reach_mm(p) for p in dim])
    near = (shapely.distance(ground[..., None], at) <= reach).any(-1)
    above = [
        u.terrain is not None and u.terrain.has("elevated") for u in table.units
    ]  # RW-LOS-5: looks over all
    near &= ~np.array(above)[table.rows][:, None]
    sees[near & (sees != "no")] = "unknown"
    return sees


class _Table:
    """All units as arrays; rows are the viewers, columns all units."""

    def __init__(self, field: Field, units: list[Unit], rows: Index) -> None:
        self.field, self.units, self.rows = field, units, rows
        self.n = len(units)
        self.errors = Errors.of([u.piece for u in units])
        still = np.array([u.terrain is not None for u in units])
        self.errors.sigma_mm[still] = 0.0  # terrain stands for the unit, and does not move
        self.errors.turn[still] = 0.0
        self.inside = still
        self.feet = [u.outline for u in units]
        self.parts = stack(self.feet)
        self.distance, self.sigma = self._distances()

    @cached_property
    def tol(self) -> float:
        return self.field.contact_tol

    def words(self) -> tuple[Words, Words, Words, Words]:
        arc_mm, arc_sigma = self._arcs()
        arc = np.where(arc_mm >= -SLACK_MM, "front", "outside").astype(object)
        arc[(arc_sigma > 0) & (np.abs(arc_mm) <= BAND95 * arc_sigma)] = "too-close"
        arc[self.inside[self.rows]] = "all"
        return self._bands(), arc, _Sights(self, arc_mm, arc_sigma).words(), self._engaged()

    # --- distances --------------------------------------------------------------------------------------------

    def _distances(self) -> tuple[Array, Array]:
        """Gaps of the nearest parts, with the error along the line between the closest points."""
        mine = np.isin(self.parts.owner, self.rows)
        core, owner = self.parts.core, self.parts.owner
        d, on_a, on_b = closest(core[mine][:, None], 0.0, core[None], 0.0)
        a, b = np.meshgrid(owner[mine], owner, indexing="ij")
        way = on_b - on_a
        size = np.hypot(way[..., 0], way[..., 1])
        unit = np.where(size[..., None] > 0, way / np.where(size > 0, size, 1.0)[..., None], [1.0, 0.0])
        var = self.errors.along(a, on_a, unit) + self.errors.along(b, on_b, unit)
        key = np.searchsorted(self.rows, a) if _sorted(self.rows) else _lookup(self.rows, a)
        flat = key * self.n + b
        order = np.lexsort((d.ravel(), flat.ravel()))
        first = np.unique(flat.ravel()[order], return_index=True)[1]
        best = order[first]
        shape = (len(self.rows), self.n)
        self.signed = d.ravel()[best].reshape(shape)
        sigma = np.sqrt(var.ravel()[best]).reshape(shape)
        return np.maximum(self.signed, 0.0), sigma

    def _bands(self) -> Words:
        """RW-RANGE-1."""
        ends = np.array(self.field.segments)
        index = np.searchsorted(ends + SLACK_MM, self.distance)
        names = np.array([1, 2, 3, 4, 5, "beyond-5"], object)
        out: Words = names[index]
        border = np.abs(self.distance[..., None] - ends).min(-1)
        out[(self.sigma > 0) & (border <= BAND95 * self.sigma)] = "too-close"
        return out

    def _engaged(self) -> Words:
        """RW-ENG-1, -2, -4."""
        out = three_way(self.tol - self.signed, self.sigma, SLACK_MM)
        sides = {u.piece.side: k for k, u in enumerate(self.units)}
        side = np.array([-1 if u.piece.side is None else sides[u.piece.side] for u in self.units])
        enemies = (
            (side[self.rows][:, None] != side[None]) & (side[self.rows] >= 0)[:, None] & (side >= 0)[None]
        )
        out[~enemies] = "no"
        return out

    # --- arcs -------------------------------------------------------------------------------------------------

    @cached_property
    def fronts(self) -> Array:
        """Front edges of the viewers, (R, 2, 2): left and right end."""
        return np.stack([np.stack([self.units[i].front[1], self.units[i].front[0]]) for i in self.rows])

    def wedges(self, grow_mm: float = 0.0) -> Array:
        """Firing arcs of the viewers, (R, 4, 2)."""
        half = np.radians(self.field.asked.param("arc_half_angle"))
        f = direction(np.array([self.units[i].block.facing_deg for i in self.rows]))
        left = unit_left(f)
        aside = grow_mm * (1 - np.sin(half)) / np.cos(half)
        fl = self.fronts[:, 0] - grow_mm * f + aside * left
        fr = self.fronts[:, 1] - grow_mm * f - aside * left
        out_l, out_r = np.cos(half) * f + np.sin(half) * left, np.cos(half) * f - np.sin(half) * left
        return np.stack([fl, fr, fr + FAR_MM * out_r, fl + FAR_MM * out_l], axis=1)

    def _arcs(self) -> tuple[Array, Array]:
        """How deep each unit reaches into each arc, and the error of that (RW-ARC-1, -2)."""
        owner, core = self.parts.owner, self.parts.core
        depth = -gap(self.wedges()[:, None], 0.0, core[None], 0.0)
        best = np.full((len(self.rows), self.n), -np.inf)
        for k in range(len(owner)):  # parts of a unit: the deepest counts
            np.maximum(best[:, owner[k]], depth[:, k], out=best[:, owner[k]])
        if self.errors.exact:
            return best, np.zeros_like(best)
        # the arc line turns with the viewer about its centre, the target moves and turns itself
        away = self.errors.at[None] - self.errors.at[self.rows][:, None]
        far = np.hypot(away[..., 0], away[..., 1])
        reach = np.array([float(np.hypot(*(f.corners - f.corners.mean(0)).T).max()) for f in self.feet])
        place = (self.errors.sigma_mm**2).max(-1)
        var = place[self.rows][:, None] + place[None]
        var = (
            var + (far * self.errors.turn[self.rows][:, None]) ** 2 + ((reach * self.errors.turn) ** 2)[None]
        )
        return best, np.sqrt(var)


def _sorted(rows: Index) -> bool:
    return bool((np.diff(rows) > 0).all())


def _lookup(rows: Index, owner: Index) -> Index:
    place = {int(r): k for k, r in enumerate(rows)}
    out: Index = np.array([place[int(o)] for o in owner.ravel()], np.intp).reshape(owner.shape)
    return out


class _Sights:
    """RW-LOS-1…5 for all pairs of a table."""

    def __init__(self, table: _Table, arc_mm: Array, arc_sigma: Array) -> None:
        self.table, self.arc_mm, self.arc_sigma = table, arc_mm, arc_sigma
        self.field = table.field
        self._collect()

    def _collect(self) -> None:
        """All blockers (RW-LOS-2, -4): units on the table, terrain that is not Exposed, as convex parts."""
        table = self.table
        found: list[tuple[Footprint, int, int]] = [
            (unit.outline, k, -1) for k, unit in enumerate(table.units) if unit.terrain is None
        ]
        # whose own terrain a blocker is: it never blocks the occupant, nor the line to it
        owner = {u.terrain.id: k for k, u in enumerate(table.units) if u.terrain is not None}
        found += [
            (Footprint.polygon(terrain.outline), -1, owner.get(terrain.id, -1))
            for terrain in self.field.terrain
            if not terrain.has("exposed")
        ]
        whole = [f.geometry for f, _, _ in found]
        self.wholes = np.array(whole, object)
        shapes: list[Any] = []
        of: list[int] = []
        seamed: list[bool] = []
        for k, (foot, unit_index, _) in enumerate(found):
            # terrain cut into parts has seams between them, which only its whole outline closes
            cut_up = unit_index < 0 and len(foot.parts) > 1
            parts = [whole[k]] if cut_up else [shapely.Polygon(part) for part in foot.parts]
            shapes += parts
            of += [k] * len(parts)
            seamed += [cut_up] * len(parts)
        self.shapes, self.blocker_of = np.array(shapes, object), np.array(of, int)
        self.convex = ~np.array(seamed, bool)
        self.unit_of = np.array([u for _, u, _ in found], int)[self.blocker_of] if found else np.empty(0, int)
        self.host_of = np.array([h for _, _, h in found], int)[self.blocker_of] if found else np.empty(0, int)
        self.elevated = np.array(
            [u.terrain is not None and u.terrain.has("elevated") for u in table.units], bool
        )

    def words(self) -> Words:
        table = self.table
        out = np.full(self.arc_mm.shape, "no", object)
        everywhere = table.inside[table.rows][:, None] & np.ones(table.n, bool)[None]
        band = BAND95 * self.arc_sigma
        may = everywhere | (self.arc_mm >= np.where(band > 0, -band, -SLACK_MM))
        may[np.arange(len(table.rows)), table.rows] = False
        surely = everywhere | (self.arc_mm >= np.where(band > 0, band, -SLACK_MM))
        if table.errors.exact:
            k = np.nonzero(may)
            out[k] = np.where(self.seen(k, 0.0), "yes", "no")
            return out
        grow = self._band_mm()
        k = np.nonzero(may)
        loose = self.seen(k, -grow)
        out[k] = np.where(loose, "too-close", "no")
        firm = np.zeros_like(may)
        firm[k] = loose
        k = np.nonzero(firm & surely)
        out[k] = np.where(self.seen(k, grow), "yes", "too-close")
        return out

    def _band_mm(self) -> float:
        """How much the blockers grow or shrink for a sure answer: the band of two pieces and a turning block."""
        errors = self.table.errors
        arms = [float(np.hypot(*(f.corners - f.corners.mean(0)).T).max()) for f in self.table.feet]
        own = np.hypot(errors.sigma_mm.max(-1), np.array(arms) * errors.turn)
        return float(BAND95 * np.sqrt(2.0) * own.max(initial=0.0))

    # --- one pass: with blockers as they stand, grown or shrunk -------------------------------------------------

    def seen(self, pairs: tuple[Index, ...], grow_mm: float) -> Mask:
        """Which of these (row, column) pairs have a free line, all blockers grown by so much."""
        r, j = pairs
        i = self.table.rows[r]
        result: Mask = self.elevated[i].copy()
        if len(r) == 0:
            return result
        if len(self.shapes) == 0:
            return np.ones(len(r), bool)
        shapes = shapely.buffer(self.shapes, grow_mm, join_style="mitre") if grow_mm else self.shapes
        solid = shapely.buffer(shapes, -TOUCH_MM, join_style="mitre")
        tree = shapely.STRtree(solid)
        targets = self._targets(r, j)
        for probes in (_OUTER, _INNER):  # most pairs are settled by the outer lines and the shortest
            left = np.flatnonzero(~result)
            start, end, at = self._probes(r[left], targets[left], probes)
            free, cuts = self._test(tree, start, end, i[left][at], j[left][at])
            result[left[at[free]]] = True
            if probes is _OUTER:
                walled = np.zeros(len(r), bool)
                walled[left] = self._walled(j[left], at, cuts)
                result |= walled  # for now: settled
        result &= ~walled
        left = np.flatnonzero(~result & ~walled)
        if len(left):
            result[left] = self._closely(i[left], j[left], r[left], targets[left], shapes, tree)
        return result

    def _targets(self, r: Index, j: Index) -> Any:
        """The part of each target inside the arc of its viewer."""
        whole = np.array([f.geometry for f in self.table.feet], object)[j]
        need = ~self.table.inside[self.table.rows[r]]
        wedges = shapely.polygons(self.table.wedges(SLACK_MM if self.table.errors.exact else 0.0))
        shapely.prepare(wedges)
        cut = need & ~shapely.contains_properly(wedges[r], whole)
        whole[cut] = shapely.intersection(whole[cut], wedges[r[cut]])
        lost = shapely.is_empty(whole)  # inside only by its error bar: the nearest corner stands for it
        for k in np.flatnonzero(lost):
            near = shapely.shortest_line(self.table.feet[j[k]].geometry, wedges[r[k]])
            whole[k] = shapely.Point(shapely.get_coordinates(near)[0])
        return whole

    def _probes(self, r: Index, targets: Any, names: tuple[str, ...]) -> tuple[Array, Array, Index]:
        """A few lines per pair: starts, ends, and which pair each belongs to (in blocks, one per name)."""
        coords, owner = shapely.get_coordinates(targets, return_index=True)
        left, right = self.table.fronts[r, 0], self.table.fronts[r, 1]
        f = right - left
        ahead = np.stack([-f[:, 1], f[:, 0]], axis=-1)  # f points right, so a left turn looks ahead

        def extreme(origin: Array, sign: float) -> Array:
            way = coords - origin[owner]
            u, v = (way * f[owner]).sum(-1), (way * ahead[owner]).sum(-1)
            angle = np.arctan2(v, sign * u)  # least: farthest to that side
            order = np.lexsort((np.hypot(way[:, 0], way[:, 1]), angle, owner))
            first = np.searchsorted(owner[order], np.arange(len(r)))
            out: Array = coords[order[first]]
            return out

        points = {
            "left": left,
            "right": right,
            "middle": (left + right) / 2,
            "far-left": extreme(left, -1.0),
            "far-right": extreme(right, 1.0),
        }
        if "nearest" in names:
            line = shapely.shortest_line(shapely.linestrings(self.table.fronts)[r], targets)
            near = shapely.get_coordinates(line).reshape(-1, 2, 2)
        else:
            points["centre"] = shapely.get_coordinates(shapely.centroid(targets))
        starts, ends = [], []
        for name in names:
            if name == "nearest":
                starts.append(near[:, 0])
                ends.append(near[:, 1])
            else:
                a, b = name.split(">")
                starts.append(points[a])
                ends.append(points[b])
        at = np.tile(np.arange(len(r)), len(names))
        start, end = np.concatenate(starts), np.concatenate(ends)
        keep = ~self.table.inside[self.table.rows[r]][
            at
        ]  # occupants look from all around: not by these lines
        self.kind = np.repeat(np.arange(len(names)), len(r))[keep]
        return start[keep], end[keep], at[keep]

    def _test(
        self, tree: Any, start: Array, end: Array, i: Index, j: Index
    ) -> tuple[Mask, tuple[Index, Index]]:
        """Which lines nothing cuts, and (line, blocker) for all cuts."""
        lines = shapely.linestrings(np.stack([start, end], axis=1))
        line, blocker = tree.query(lines, predicate="intersects")
        counts = self._counts(i[line], j[line], blocker)
        line, blocker = line[counts], blocker[counts]
        free = np.ones(len(lines), bool)
        free[line] = False
        free &= ~self._seams(lines, i, j)
        return free, (line, blocker)

    def _counts(self, i: Index, j: Index, blocker: Index) -> Mask:
        """A unit does not block its own lines, nor the terrain that it stands in (RW-LOS-2, -5)."""
        unit, host = self.unit_of[blocker], self.host_of[blocker]
        other: Mask = (unit != i) & (unit != j) & ((host < 0) | ((host != i) & (host != j)))
        return other

    @cached_property
    def _seam_lines(self) -> tuple[Any, Index]:
        """RW-LOS-3: common borders of blockers that touch, and who they are (indices of a part of each)."""
        tree = shapely.STRtree(self.wholes)
        a, b = tree.query(self.wholes, predicate="dwithin", distance=TOUCH_MM)
        a, b = a[a < b], b[a < b]
        first = np.searchsorted(self.blocker_of, np.arange(len(self.wholes)))
        seams, pairs = [], []
        for k, m in zip(a, b, strict=True):
            grown = shapely.buffer(self.wholes[[k, m]], TOUCH_MM, join_style="mitre")
            common = shapely.intersection(grown[0], grown[1])
            if shapely.length(common) > 1e-3:
                seams.append(common)
                pairs.append((first[k], first[m]))
        return np.array(seams, object), np.array(pairs, int).reshape(-1, 2)

    def _seams(self, lines: Any, i: Index, j: Index) -> Mask:
        """Lines that run along the common border of two touching blockers."""
        cut = np.zeros(len(lines), bool)
        seams, pairs = self._seam_lines
        if len(seams) == 0:
            return cut
        line, seam = shapely.STRtree(seams).query(lines, predicate="intersects")
        if len(line) == 0:
            return cut
        along = shapely.length(shapely.intersection(lines[line], seams[seam])) > 1e-2
        counts = self._counts(i[line], j[line], pairs[seam, 0]) & self._counts(
            i[line], j[line], pairs[seam, 1]
        )
        cut[line[along & counts]] = True
        return cut

    def _walled(self, j: Index, at: Index, cuts: tuple[Index, Index]) -> Mask:
        """Pairs that one convex blocker shuts off: it cuts both outer lines, so it cuts every line between them."""
        line, blocker = cuts
        out = np.zeros(len(j), bool)
        size = len(self.shapes)
        key, kind = at[line] * size + blocker, self.kind[line]
        both = np.intersect1d(key[kind == 0], key[kind == 1])
        pair, what = both // size, both % size
        feet = self.table.feet
        simple = np.array([len(f.parts) == 1 for f in feet], bool)[j[pair]]
        apart = shapely.distance(self.shapes[what], np.array([f.geometry for f in feet], object)[j[pair]]) > 0
        out[pair[self.convex[what] & simple & apart]] = True
        return out

    # --- what the probes left open --------------------------------------------------------------------------------

    def _closely(self, i: Index, j: Index, r: Index, targets: Any, shapes: Any, tree: Any) -> Mask:
        """Exact answers: by shadows for edges past convex blockers, by critical lines for the few others."""
        points = [shapely.get_coordinates(targets), self.table.fronts[r].reshape(-1, 2)]
        owner = np.concatenate(
            [shapely.get_coordinates(targets, return_index=True)[1], np.repeat(np.arange(len(r)), 2)]
        )
        order = np.argsort(owner, kind="stable")
        hulls = shapely.convex_hull(shapely.multipoints(np.concatenate(points)[order], indices=owner[order]))
        pair, blocker = tree.query(hulls, predicate="intersects")
        counts = self._counts(i[pair], j[pair], blocker)
        pair, blocker = pair[counts], blocker[counts]
        slow = self.table.inside[i] | (shapely.get_type_id(targets) != shapely.GeometryType.POLYGON)
        slow[pair[~self.convex[blocker]]] = True
        _, touching = self._seam_lines
        for a, b in touching:
            one, two = (
                self.blocker_of[blocker] == self.blocker_of[a],
                self.blocker_of[blocker] == self.blocker_of[b],
            )
            slow[np.intersect1d(pair[one], pair[two])] = True
        result = np.zeros(len(i), bool)
        for k in np.flatnonzero(slow):
            result[k] = self._exactly(int(i[k]), int(j[k]), int(r[k]), targets[k], shapes)
        quick = np.flatnonzero(~slow)
        if len(quick):
            result[quick] = self._by_shadows(r[quick], targets[quick], quick, pair, blocker, shapes)
        return result

    def _by_shadows(
        self, r: Index, targets: Any, which: Index, pair: Index, blocker: Index, shapes: Any
    ) -> Mask:
        place = np.full(int(max(which.max(initial=0), pair.max(initial=0))) + 1, -1)
        place[which] = np.arange(len(which))
        mine = place[pair] >= 0
        pair, blocker = place[pair[mine]], blocker[mine]
        order = np.argsort(pair, kind="stable")
        pair, blocker = pair[order], blocker[order]
        slot = np.arange(len(pair)) - np.searchsorted(pair, pair)
        coords, of = shapely.get_coordinates(shapely.get_exterior_ring(shapes), return_index=True)
        first = np.searchsorted(of, np.arange(len(shapes)))
        corner = np.arange(len(of)) - first[of]
        rings = np.full((len(shapes), int(corner.max(initial=0)) + 1, 2), np.nan)
        rings[of, corner] = coords
        last = np.bincount(of, minlength=len(shapes)) - 1
        rings[np.arange(len(shapes))[last > 0], last[last > 0]] = (
            np.nan
        )  # rings are closed: drop the repeated corner
        rings = rings[:, :-1] if rings.shape[1] > 1 else rings
        blockers = np.full((len(r), int(slot.max(initial=0)) + 1, *rings.shape[1:]), np.nan)
        blockers[pair, slot] = rings[blocker]
        sides = shapely.get_coordinates(
            shapely.get_exterior_ring(shapely.orient_polygons(targets)), return_index=True
        )
        a, b = sides[0][:-1], sides[0][1:]
        same = (sides[1][:-1] == sides[1][1:]) & (np.hypot(*(b - a).T) > 1e-6)
        a, b, owner = a[same], b[same], sides[1][:-1][same]
        edge = self.table.fronts[r][owner]
        faces = (cross((b - a)[:, None], edge - a[:, None]) < 0).any(-1)  # sides that look towards the edge
        a, b, owner, edge = a[faces], b[faces], owner[faces], edge[faces]
        free = any_free(Questions(edge, np.stack([a, b], axis=1), blockers[owner]), TOUCH_MM)
        out = np.zeros(len(r), bool)
        out[owner[free]] = True
        return out

    def _exactly(self, i: int, j: int, r: int, target: Any, shapes: Any) -> bool:
        """The exact look at one pair (critical lines)."""
        if self.table.inside[i]:
            source = segments_of(self.table.feet[i].geometry)
        else:
            source = self.table.fronts[r][None]
        every = np.arange(len(shapes))
        counts = self._counts(np.full(len(every), i), np.full(len(every), j), every)
        points = np.concatenate([source.reshape(-1, 2), shapely.get_coordinates(target)])
        hull = shapely.MultiPoint(points).convex_hull
        near = counts & shapely.intersects(shapes, hull)
        return look(source, segments_of(target), list(shapes[near]), shortest=False).free


_OUTER = ("left>far-left", "right>far-right", "nearest")
_INNER = ("left>far-right", "right>far-left", "middle>centre", "middle>far-left", "middle>far-right")
"""Lines tried before anything exact; the first two are the outer ones, which walls must cut."""

GAME.survey = survey
