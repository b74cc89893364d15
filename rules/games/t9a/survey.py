"""Everything at once on a T9A table: distances, arcs, engagement, sight and cover of all pairs, in arrays.

Sight and cover are settled in stages. Sight: a few lines, then many, then a proof that no line can be free
(all lines between two convex bodies cross a third one if the lines between their corners do); only what is
left is looked at exactly. Cover: shadows on the facing from points of each front-rank model, all in one array.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import Unknown
from ...footprint import between
from ...game import Asked, prepare
from ...plane import Array, cross, direction, pad
from ...scene import Scene
from ...pairs import Survey, Words, empty
from ...verdict import BAND95
from .arcs import FLANKS
from .blocks import Model, Unit
from .contact import engaged_with
from .cover import BANDS, cover_of, defended, holes_in
from .frames import FACES, Frame
from .game import GAME
from .lines import clip_wedge, segment_room, sides
from .numbers import EPS, SHARE_EPS
from .sight import blocks_height, can_see, targets_of
from .terrain_at import elevated, overlap_depth
from .view import Feature, View

__all__ = ["ArmySurvey", "survey"]

COVER_POINTS = 3
"""Points of a front from which shadows are cast; between them a share changes by far less than a hundredth."""

NEAR_HALF = 0.01
"""A share this near to one half is asked for exactly."""


@dataclass(frozen=True)
class ArmySurvey(Survey):
    """A survey with the cover that most of the viewer's front rank meets: none, soft, hard."""

    cover: Words = None  # type: ignore[assignment]

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | {"cover": self.cover.tolist()}


@dataclass(frozen=True)
class _Parts:
    """Convex parts of all that can be in the way, each with its owner and what it is."""

    core: Array
    normal: Array
    offset: Array
    centre: Array
    radius: Array
    unit: Any  # index of the owning unit, -1 for terrain
    feature: Any  # index of the owning feature, -1 for a unit
    height: Any
    tall: Any
    high: Any  # on a hill
    loose: Any  # skirmishers


class _Table:
    """The units of a scene as arrays."""

    def __init__(self, view: View) -> None:
        self.v = view
        self.units: list[Unit] = list(view.units.values())
        self.index = {u.id: i for i, u in enumerate(self.units)}
        self.features: list[Feature] = list(view.features.values())
        self.frames = [u.boundary for u in self.units]
        self.at = np.array([f.at for f in self.frames]).reshape(-1, 2)
        self.reach = np.array([math.hypot(f.width, f.depth) / 2 for f in self.frames])
        self.rings = np.stack([_ring(f) for f in self.frames]) if self.units else np.empty((0, 4, 2))
        self.height = np.array([u.height for u in self.units], int)
        self.tall = np.array([u.half_are("tall") for u in self.units], bool)
        self.round = np.array([u.round for u in self.units], bool)
        self.mixed = np.array([bool(u.joined) for u in self.units], bool)
        self.hills = view.of_type("hill")

    @cached_property
    def high(self) -> list[list[bool]]:
        """For each unit which of its models are on a hill."""
        if not self.hills:
            return [[False] * len(u.models) for u in self.units]
        low = np.array([f.footprint.bounds for f in self.hills])
        out = []
        for u, ring in zip(self.units, self.rings, strict=True):
            a, b = ring.min(0), ring.max(0)
            near = ((low[:, :2] <= b + 1) & (low[:, 2:] >= a - 1)).all(1).any()
            out.append([bool(near) and elevated(self.v, m.at) for m in u.models])
        return out

    def parts(self, full: bool) -> _Parts:
        """What can be in the way; `full` fills the gaps of skirmishers (for cover)."""
        cores: list[Array] = []
        rows: list[tuple[int, int, int, bool, bool, bool]] = []
        for i, u in enumerate(self.units):
            loose = "skirmisher" in u.words
            if loose and not full:
                continue
            high = self.high[i]
            if u.joined or any(high) != all(high):
                for m, h in zip(u.models, high, strict=True):
                    cores.append(_ring(m.frame) if not m.frame.round else m.frame.ring)
                    rows.append((i, -1, m.height, m.tall, h, loose))
                continue
            shapes = (u.boundary.ring,) if u.round else u.shade if full else u.bases.parts
            cores += list(shapes)
            rows += [(i, -1, u.height, u.models[0].tall, all(high), loose)] * len(shapes)
        kinds = ("hill", "impassable") if not full else ("hill", "impassable", "forest", "wall")
        for k, f in enumerate(self.features):
            if f.type in kinds:
                cores += list(f.footprint.parts)
                rows += [(-1, k, 9, True, True, False)] * len(f.footprint.parts)
        core, normal, offset = sides(pad(cores)) if cores else sides(np.zeros((0, 4, 2)))
        centre = core.mean(1)
        size = np.hypot(*(core - centre[:, None]).transpose(2, 0, 1)).max(-1) if cores else np.zeros(0)
        table = np.array(rows, int).reshape(-1, 6)
        return _Parts(
            core, normal, offset, centre, size, table[:, 0], table[:, 1], table[:, 2],
            table[:, 3].astype(bool), table[:, 4].astype(bool), table[:, 5].astype(bool),
        )  # fmt: skip

    def pairs(self, viewers: Any, everyone: bool) -> Any:
        """(viewer, other) of enemies, or of all: only enemies are shot at and charged."""
        found = [
            (i, j)
            for i in viewers
            for j, other in enumerate(self.units)
            if i != j and (everyone or self.v.are_enemies(self.units[i], other))
        ]
        return np.array(found, int).reshape(-1, 2)

    def near(self, parts: _Parts, one: Any, two: Any) -> tuple[Any, Any]:
        """(pair, part) for the parts that can lie between the two units of a pair."""
        a, b = self.at[one], self.at[two]
        along = b - a
        length2 = np.maximum((along * along).sum(-1), 1e-9)
        rel = parts.centre[None] - a[:, None]
        t = np.clip((rel * along[:, None]).sum(-1) / length2[:, None], 0.0, 1.0)
        off = rel - t[..., None] * along[:, None]
        wide = np.maximum(self.reach[one], self.reach[two])[:, None] + parts.radius[None]
        close = (off * off).sum(-1) <= wide * wide
        own = parts.unit[None]
        close &= (own != one[:, None]) & (own != two[:, None])
        low = np.minimum(self.rings.min(1)[one], self.rings.min(1)[two])[:, None]
        high = np.maximum(self.rings.max(1)[one], self.rings.max(1)[two])[:, None]
        close &= ((parts.core.max(1)[None] >= low) & (parts.core.min(1)[None] <= high)).all(-1)
        pair, part = np.nonzero(close)
        reaches = _reach_between(parts, part, self.rings[one], self.rings[two], pair)
        return pair[reaches], part[reaches]

    def inside(self, models: Sequence[Model]) -> Any:
        """(models, features): which features each model is inside, even partly."""
        out = np.zeros((len(models), len(self.features)), bool)
        if not models or not self.features:
            return out
        rings = np.stack([_ring(m.frame) for m in models])
        low, high = rings.min(1), rings.max(1)
        for k, f in enumerate(self.features):
            x0, y0, x1, y1 = f.footprint.bounds
            hit = (low[:, 0] < x1) & (high[:, 0] > x0) & (low[:, 1] < y1) & (high[:, 1] > y0)
            for i in np.flatnonzero(hit):
                out[i, k] = overlap_depth(models[i].frame.footprint, f) > EPS
        return out


def _reach_between(parts: _Parts, part: Any, first: Array, second: Array, row: Any) -> Any:
    """Which parts can reach into the hull of two shapes (R, k, 2), (R, m, 2); `row` says whose each part is.

    Both are boxed in the frame that looks from one to the other: quick, and it lets few through in vain.
    """
    way = second.mean(1) - first.mean(1)
    u = way / np.maximum(np.hypot(way[:, 0], way[:, 1]), 1e-9)[:, None]
    frame = np.stack([u, np.stack([-u[:, 1], u[:, 0]], -1)], axis=1)  # (R, 2, 2)
    corners = np.concatenate([first, second], axis=1)
    mine = corners @ frame.transpose(0, 2, 1)  # (R, k + m, 2)
    low, high = mine.min(1), mine.max(1)
    theirs = parts.core[part] @ frame.transpose(0, 2, 1)[row]
    return ((theirs.max(1) > low[row] + EPS) & (theirs.min(1) < high[row] - EPS)).all(-1)


def _ring(frame: Frame) -> Array:
    """Four corners, counter-clockwise; of a round base its square (only for reach, never for a measure)."""
    return np.array(frame.corners[::-1])


# --- sight ------------------------------------------------------------------------------------------------------


class _Sight:
    """Which units see which: stage by stage, exactly in the end."""

    def __init__(self, table: _Table, viewers: Any, everyone: bool) -> None:
        self.t = table
        self.one, self.two = table.pairs(viewers, everyone).T
        self.parts = table.parts(full=False)
        self.sees = np.zeros(len(self.one), np.int8)  # 1 yes, -1 no, 0 not settled
        self.room = np.full(len(self.one), -np.inf)
        self._front()
        self._pairs()

    def _front(self) -> None:
        """Points on the fronts of up to three front-rank models of each unit, with those models' arcs."""
        t = self.t
        self.facing_ok = np.array([u.round or u.piece.facing is not None for u in t.units], bool)
        self.eyes: list[list[Model]] = []
        self.all_eyes: list[list[Model]] = []
        for u in t.units:
            front = [m for m in u.models if m.rank == 1]
            few = [front[k] for k in sorted({len(front) // 2, 0, len(front) - 1})]
            self.eyes.append(few)
            self.all_eyes.append([*few, *(m for m in front if m not in few)])
        flat = [m for e in self.all_eyes for m in e]
        inside = t.inside(flat)
        most = max((len(e) for e in self.all_eyes), default=1)
        self.eye_inside = np.zeros((len(t.units), most, max(len(t.features), 1)), bool)
        self.eye_high = np.zeros((len(t.units), most), bool)
        k = 0
        for i, e in enumerate(self.all_eyes):
            self.eye_inside[i, : len(e), : len(t.features)] = inside[k : k + len(e)]
            self.eye_high[i, : len(e)] = [bool(t.hills) and elevated(t.v, m.at) for m in e]
            k += len(e)

    def _pairs(self) -> None:
        t, p = self.t, self.parts
        self.pair, self.part = t.near(p, self.one, self.two)
        i, j = self.one[self.pair], self.two[self.pair]
        solid = p.feature[self.part] >= 0
        h, tall = p.height[self.part], p.tall[self.part]
        heights = np.array([m[0].height for m in self.eyes], int) if self.eyes else np.zeros(0, int)
        talls = np.array([m[0].tall for m in self.eyes], bool) if self.eyes else np.zeros(0, bool)
        hm, tm, ht, tt = heights[i], talls[i], t.height[j], t.tall[j]
        high_enough = (h >= hm) & (h >= ht)
        over = (tm & (h == hm) & ~tall) | (tt & (h == ht) & ~tall)
        keep = solid | (high_enough & ~over)
        self.pair, self.part = self.pair[keep], self.part[keep]
        self.start = np.searchsorted(self.pair, np.arange(len(self.one) + 1))

    def run(self) -> None:
        if len(self.one) == 0:
            return
        self.sees[~self.facing_ok[self.one]] = -2
        self._outside()
        self._lines(np.flatnonzero(self.sees == 0), few=True)
        self._proof()
        self._lines(np.flatnonzero(self.sees == 0), few=False)
        for k in np.flatnonzero(self.sees == 0):
            self._exactly(int(k))

    def _outside(self) -> None:
        """Targets with all corners beyond one border of the unit's front arc are not seen."""
        t = self.t
        ends = np.array([f.edge("front") for f in t.frames])
        u = direction(np.array([f.facing for f in t.frames]))
        left = np.stack([-u[:, 1], u[:, 0]], -1)
        i, ring = self.one, t.rings[self.two]
        gone = np.zeros(len(i), bool)
        for point, normal in ((ends[:, 0], -u), (ends[:, 0], left - u), (ends[:, 1], -left - u)):
            off = np.einsum("nkd,nd->nk", ring - point[i][:, None], normal[i])
            gone |= (off > EPS).all(-1)
        gone &= ~t.round[i]
        self.sees[gone & (self.sees == 0)] = -1

    def _lines(self, pairs: Any, few: bool) -> None:
        """Try lines from the fronts to the outline of the target."""
        t = self.t
        if len(pairs) == 0:
            return
        shares = np.array([0.5]) if few else np.array([0.0, 1.0])
        eyes = self.eyes if few else self.all_eyes
        starts, owners, wedges, eye_no = [], [], [], []
        for i in sorted(set(self.one[pairs].tolist())):
            for e, m in enumerate(eyes[i]):
                f = m.frame
                a, b = (np.asarray(x) for x in f.edge("front"))
                if f.round:
                    a = b = np.asarray(f.at)
                u = direction(f.facing)
                for s in shares:
                    starts.append(a + s * (b - a))
                    owners.append(i)
                    wedges.append((a, b, u, f.round))
                    eye_no.append(e)
        point = np.array(starts)
        owner, eye = np.array(owners), np.array(eye_no)
        cut = [0.0] if few else [0.0, 0.5]
        ring, nxt = t.rings, np.roll(t.rings, -1, axis=1)
        # every end belongs to the edge it lies on, which must face the eye: then it is the first point met
        ends = np.concatenate([ring + c * (nxt - ring) for c in ([0.5, *cut] if few else cut)], axis=1)
        edge = (nxt - ring) / np.maximum(np.hypot(*(nxt - ring).transpose(2, 0, 1)), 1e-9)[..., None]
        normal = np.stack([edge[..., 1], -edge[..., 0]], -1)
        normals = np.concatenate([normal] * (ends.shape[1] // 4), axis=1)
        # lines: (pair, start of its viewer, end of its target)
        first = np.searchsorted(owner, np.arange(len(t.units) + 1))
        i, j = self.one[pairs], self.two[pairs]
        count = first[i + 1] - first[i]
        rep = np.repeat(np.arange(len(pairs)), count)
        s = np.concatenate([np.arange(first[a], first[a + 1]) for a in i]) if len(i) else np.zeros(0, int)
        p = point[s]
        q = ends[j[rep]]  # (L, E, 2)
        faces = ((p[:, None] - q) * normals[j[rep]]).sum(-1) > -EPS
        a = np.array([w[0] for w in wedges])[s]
        b = np.array([w[1] for w in wedges])[s]
        u = np.array([w[2] for w in wedges])[s]
        all_around = np.array([w[3] for w in wedges], bool)[s]
        arc = _arc_room(q, a, b, u)
        whole = [f.edge("front") for f in t.frames]
        ua = np.array([w[0] for w in whole])[i[rep]]
        ub = np.array([w[1] for w in whole])[i[rep]]
        uu = direction(np.array([f.facing for f in t.frames]))[i[rep]]
        arc = np.minimum(arc, np.where(t.round[i[rep]][:, None], np.inf, _arc_room(q, ua, ub, uu)))
        arc = np.where(all_around[:, None], np.inf, arc)
        target_round = t.round[j[rep]]
        ok = faces & (arc >= -EPS)
        if target_round.any():
            centre, r = t.at[j[rep]], np.array([f.width / 2 for f in t.frames])[j[rep]]
            away = p - centre
            rim = centre + away / np.maximum(np.hypot(*away.T), 1e-9)[:, None] * r[:, None]
            q = np.where(target_round[:, None, None], rim[:, None], q)
            ok = np.where(target_round[:, None], (np.arange(q.shape[1]) == 0)[None] & (arc >= r[:, None]), ok)
        line, end = np.nonzero(ok)
        pp, qq, of = p[line], q[line, end], pairs[rep[line]]
        room = np.minimum(self._rooms(pp, qq, of, eye[s[line]]), arc[line, end])
        best = np.full(len(self.one), -np.inf)
        np.maximum.at(best, of, room)
        self.room = np.maximum(self.room, best)
        self.sees[np.isfinite(best) & (best > EPS) & (self.sees == 0)] = 1
        self.sees[(best == np.inf) & (self.sees == 0)] = 1

    def _rooms(self, p: Array, q: Array, of: Any, eye: Any) -> Array:
        """The clearance of lines to all that can interrupt them."""
        count = self.start[of + 1] - self.start[of]
        rep = np.repeat(np.arange(len(p)), count)
        if len(rep) == 0:
            return np.full(len(p), np.inf)
        k = (
            np.arange(len(rep))
            - np.repeat(np.cumsum(count) - count, count)
            + np.repeat(self.start[of], count)
        )
        part = self.part[k]
        room = _pair_room(p[rep], q[rep], self.parts, part)
        room = np.where(self._ignored(of[rep], eye[rep], part, q[rep]), np.inf, room)
        out = np.full(len(p), np.inf)
        np.minimum.at(out, rep, room)
        return out

    def _ignored(self, of: Any, eye: Any, part: Any, q: Array) -> Any:
        """Parts that do not count for a line: features the eye is in or the line ends in, low ones for the high."""
        f = self.parts.feature[part]
        solid = f >= 0
        out = np.zeros(len(part), bool)
        if solid.any():
            at = np.flatnonzero(solid)
            into = (
                np.einsum("nd,nkd->nk", q[at], self.parts.normal[part[at]]) - self.parts.offset[part[at]]
            ).max(-1) < -EPS
            out[at] = into | self.eye_inside[self.one[of[at]], eye[at], f[at]]
        if self.t.hills:
            out |= self.eye_high[self.one[of], eye] & ~solid & ~self.parts.high[part]
        return out

    def _proof(self) -> None:
        """No line is free if, piece by piece, all lines between two convex pieces cross one convex part.

        The viewers' rectangle is cut across its width, the visible outline of the target along its edges; a
        piece that one part does not settle is halved and tried again.
        """
        t = self.t
        items: list[tuple[int, Array, Array]] = []
        for k in np.flatnonzero(self.sees == 0):
            i, j = int(self.one[k]), int(self.two[k])
            seen = (
                t.units[j].boundary.ring if t.round[i] else clip_wedge(t.units[j].boundary.ring, t.frames[i])
            )
            if len(seen) == 0:
                self.sees[k] = -1
                continue
            body = t.rings[i]  # rear left, rear right, front right, front left
            for a, b in zip(seen, np.roll(seen, -1, axis=0), strict=True):
                outward = np.array([b[1] - a[1], a[0] - b[0]])
                if ((body - a) @ outward > EPS).any():
                    items.append((int(k), body, np.stack([a, b])))
        if not items:
            return
        usable = self._usable
        pair = np.array([x[0] for x in items])
        body = np.stack([x[1] for x in items])
        edge = np.stack([x[2] for x in items])
        for _ in range(HALVINGS):
            done = self._covered(pair, body, edge, usable)
            pair, body, edge = pair[~done], body[~done], edge[~done]
            if len(pair) == 0 or len(pair) > MOST_PIECES:
                break
            mid = edge.mean(1, keepdims=True)
            left, right = _halves(body)
            pair = np.tile(pair, 4)
            body = np.concatenate([left, left, right, right])
            edge = np.concatenate(
                [np.concatenate([edge[:, :1], mid], 1), np.concatenate([mid, edge[:, 1:]], 1)] * 2
            )
        proven = np.setdiff1d(np.array([x[0] for x in items]), pair)
        self.sees[proven] = -1

    @cached_property
    def _usable(self) -> Any:
        """(pair, part) entries that interrupt every line of the pair: for all its eyes and ends alike."""
        t, p = self.t, self.parts
        i, j = self.one[self.pair], self.two[self.pair]
        f = p.feature[self.part]
        solid = f >= 0
        out = np.ones(len(self.pair), bool)
        if solid.any():
            touched = np.array([[self._meets(u, g) for g in t.features] for u in range(len(t.units))], bool)
            at = np.flatnonzero(solid)
            out[at] = ~(touched[i[at], f[at]] | touched[j[at], f[at]])
        lofty = np.array([any(h) for h in t.high], bool)
        out &= solid | p.high[self.part] | ~(lofty[i] | lofty[j])
        mixed = t.mixed[i] | t.mixed[j]
        if mixed.any():
            classes = [sorted({(m.height, m.tall) for m in u.models}) for u in t.units]
            for k in np.flatnonzero(mixed & ~solid):
                ends = [*classes[j[k]], (int(t.height[j[k]]), bool(t.tall[j[k]]))]
                h, tall = int(p.height[self.part[k]]), bool(p.tall[self.part[k]])
                out[k] = all(blocks_height(h, tall, *m, *e) for m in classes[i[k]] for e in ends)
        return out

    def _meets(self, unit: int, feature: Feature) -> bool:
        low, high = self.t.rings[unit].min(0), self.t.rings[unit].max(0)
        x0, y0, x1, y1 = feature.footprint.bounds
        return bool(low[0] <= x1 and high[0] >= x0 and low[1] <= y1 and high[1] >= y0)

    def _covered(self, pair: Any, body: Array, edge: Array, usable: Any) -> Any:
        """Which pieces are settled: one part crosses all lines between their corners."""
        count = self.start[pair + 1] - self.start[pair]
        rep = np.repeat(np.arange(len(pair)), count)
        k = (
            np.arange(len(rep))
            - np.repeat(np.cumsum(count) - count, count)
            + np.repeat(self.start[pair], count)
        )
        keep = usable[k]
        rep, part = rep[keep], self.part[k[keep]]
        crossing = np.ones(len(rep), bool)
        for c in range(4):
            for e in range(2):
                live = np.flatnonzero(crossing)
                room = _pair_room(body[rep[live], c], edge[rep[live], e], self.parts, part[live])
                crossing[live] = room < -EPS
        done = np.zeros(len(pair), bool)
        done[rep[crossing]] = True
        return done

    def _exactly(self, k: int) -> None:
        t = self.t
        one, two = t.units[int(self.one[k])], t.units[int(self.two[k])]
        try:
            found = can_see(
                t.v,
                sorted(one.models, key=lambda m: m.rank),
                targets_of(t.v, t.v.lookup(two.id, "to")),
                unit=one,
                margin=False,
            )
            self.sees[k] = 1 if found.sees else -1
        except Unknown:
            self.sees[k] = -2


HALVINGS = 2
"""How often the pieces of a proof are halved: a wide blocker needs none, two that overlap a few."""

MOST_PIECES = 6000
"""A proof that needs more pieces than this costs more than the exact look."""


def _halves(body: Array) -> tuple[Array, Array]:
    """Rectangles (N, 4, 2) cut in two across their width."""
    back, front = (body[:, 0] + body[:, 1]) / 2, (body[:, 2] + body[:, 3]) / 2
    left = np.stack([body[:, 0], back, front, body[:, 3]], 1)
    right = np.stack([back, body[:, 1], body[:, 2], front], 1)
    return left, right


def _arc_room(q: Array, a: Array, b: Array, u: Array) -> Array:
    """How deep points (L, E, 2) are inside the front arcs that open from edges a → b looking along u."""
    left = np.stack([-u[:, 1], u[:, 0]], -1)[:, None]
    ahead = ((q - a[:, None]) * u[:, None]).sum(-1)
    beyond_a = ((q - a[:, None]) * left).sum(-1)
    beyond_b = -((q - b[:, None]) * left).sum(-1)
    return np.asarray(np.minimum(ahead, (ahead - np.maximum(beyond_a, beyond_b)) / math.sqrt(2)))


def _pair_room(p: Array, q: Array, parts: _Parts, k: Any) -> Array:
    """Signed gaps of segments and one convex part each."""
    normal, offset, core = parts.normal[k], parts.offset[k], parts.core[k]
    start = np.einsum("nd,nkd->nk", p, normal) - offset
    end = np.einsum("nd,nkd->nk", q, normal) - offset
    beside = np.minimum(start, end).max(-1)
    way = q - p
    across = np.stack([-way[:, 1], way[:, 0]], -1) / np.maximum(np.hypot(*way.T), 1e-9)[:, None]
    off = np.einsum("nd,nkd->nk", across, core - p[:, None])
    return np.asarray(np.maximum(beside, np.maximum(off.min(-1), -off.max(-1))))


# --- cover ------------------------------------------------------------------------------------------------------


class _Covers:
    """The cover that each unit has from each other's front rank."""

    def __init__(self, table: _Table, viewers: Any) -> None:
        self.t = table
        self.pairs = table.pairs(viewers, everyone=False)
        self.parts = table.parts(full=True)

    def run(self) -> Words:
        t = self.t
        out = np.full((len(t.units), len(t.units)), None, object)
        if not len(self.pairs):
            return out
        known = np.array([u.round or u.piece.facing is not None for u in t.units], bool)
        fronts = [[m for m in u.models if m.rank == 1] for u in t.units]
        models = [m for f in fronts for m in f]
        owner = np.repeat(np.arange(len(fronts)), [len(f) for f in fronts])
        inside = t.inside(models)
        ends = np.array([m.frame.edge("front") for m in models])
        spot = np.array([m.frame.at if m.frame.round else m.frame.front_middle for m in models])
        first = np.searchsorted(owner, np.arange(len(fronts) + 1))
        one, two = self.pairs.T
        good = known[one] & known[two]
        rep = np.repeat(np.arange(len(one)), (first[one + 1] - first[one]))
        model = np.concatenate([np.arange(first[i], first[i + 1]) for i in one])
        keep = good[rep]
        rep, model = rep[keep], model[keep]
        target = two[rep]
        face = self._faces(spot[model], target)
        a, b = self._edges(face, target)
        hard, total = self._shares(models, model, rep, one, two, ends, a, b, inside, target, face)
        band = np.where(total <= 0.5 + SHARE_EPS, 0, np.where(hard <= 0.5 + SHARE_EPS, 1, 2))
        doubtful = (np.abs(total - 0.5) < NEAR_HALF) | ((total > 0.5) & (np.abs(hard - 0.5) < NEAR_HALF))
        in_terrain = [t.round[j] and any(self._on(j, f) for f in t.features) for j in range(len(t.units))]
        doubtful |= np.array(in_terrain, bool)[target]
        for k in np.flatnonzero(doubtful):
            band[k] = self._exactly(models[int(model[k])], t.units[int(target[k])])
        counts = np.zeros((len(one), 3), int)
        np.add.at(counts, (rep, band), 1)
        best = (counts - np.arange(3) * 1e-3).argmax(1)
        for k in np.flatnonzero(good):
            out[one[k], two[k]] = BANDS[best[k]]
        return out

    def _exactly(self, m: Model, target: Unit) -> int:
        return BANDS.index(cover_of(self.t.v, m, target).band)

    def _faces(self, spot: Array, target: Any) -> Any:
        """T9A-ARC-3: the facing of the target in whose arc each shooter is located."""
        t = self.t
        u = direction(np.array([f.facing for f in t.frames]))[target]
        rel = spot - t.at[target]
        y, x = (rel * u).sum(-1), (rel * np.stack([u[:, 1], -u[:, 0]], -1)).sum(-1)
        w = np.array([f.width / 2 for f in t.frames])[target]
        d = np.array([f.depth / 2 for f in t.frames])[target]
        excess = np.stack([y - d, -x - w, -y - d, x - w], -1)  # in the order of FACES
        flank = [FACES.index(f) for f in FLANKS]
        tied = excess[:, flank] >= excess.max(-1)[:, None] - EPS
        out = excess.argmax(-1)
        for k, f in enumerate(flank):
            out = np.where(tied[:, k], f, out)
        return out

    def _edges(self, face: Any, target: Any) -> tuple[Array, Array]:
        every = np.array([[f.edge(name) for name in FACES] for f in self.t.frames])  # (U, 4, 2, 2)
        chosen = every[target, face]
        return chosen[:, 0], chosen[:, 1]

    def _shares(
        self, models: list[Model], model: Any, rep: Any, one: Any, two: Any, ends: Array, a: Array, b: Array,
        inside: Any, target: Any, face: Any,
    ) -> tuple[Array, Array]:  # fmt: skip
        """The least hard and whole shares over points of the front."""
        t, parts = self.t, self.parts
        pair, part = t.near(parts, one, two)
        start = np.searchsorted(pair, np.arange(len(one) + 1))
        count = start[rep + 1] - start[rep]
        row = np.repeat(np.arange(len(rep)), count)
        k = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count) + np.repeat(start[rep], count)
        part = part[k]
        hard = self._kind(models, model[row], target[row], part, inside)
        use = hard >= 0
        row, part, hard = row[use], part[use], hard[use]
        points = (
            ends[model][:, 0, None]
            + np.linspace(0, 1, COVER_POINTS)[None, :, None]
            * (ends[model][:, 1] - ends[model][:, 0])[:, None]
        )  # (R, C, 2)
        self._rims(points, models, model, (a + b) / 2)
        facing = np.stack([a, b], axis=1)
        facing[t.round[target]] = t.rings[target[t.round[target]]][:, [0, 2]]
        hits = _reach_between(parts, part, points[:, [0, -1]], facing, row)
        row, part, hard = row[hits], part[hits], hard[hits]
        spans = _spans(points[row], parts, part, a[row], b[row])  # (N, C, 2)
        self._one_point(spans, points, row, part, target)
        spans = self._not_inside(spans, part, target[row], face[row])
        row2 = np.concatenate([row, row]) if spans.shape[0] == 2 * len(row) else row
        hard2 = np.concatenate([hard, hard]) if spans.shape[0] == 2 * len(row) else hard
        extra_row, extra_span, extra_hard = self._standing_in(models, model, target, face, inside)
        spans = np.concatenate([spans, np.repeat(extra_span[:, None], COVER_POINTS, axis=1)])
        row2, hard2 = np.concatenate([row2, extra_row]), np.concatenate([hard2, extra_hard])
        n = len(rep)
        return (
            _union(spans[hard2 == 1], row2[hard2 == 1], n).min(-1),
            _union(spans, row2, n).min(-1),
        )

    def _rims(self, points: Array, models: list[Model], model: Any, aim: Array) -> None:
        """A round shooter looks from its rim: points of it on the side of the target."""
        at = np.flatnonzero(np.array([m.frame.round for m in models], bool)[model])
        if len(at):
            centre = np.array([m.at for m in models])[model[at]]
            radius = np.array([m.frame.width / 2 for m in models])[model[at]]
            way = aim[at] - centre
            turn = np.degrees(np.arctan2(way[:, 1], way[:, 0]))[:, None] + np.linspace(-90, 90, COVER_POINTS)
            points[at] = centre[:, None] + radius[:, None, None] * direction(turn)

    def _one_point(self, spans: Array, points: Array, row: Any, part: Any, target: Any) -> None:
        """T9A-COV-7: of a round target only the nearest point counts: hidden wholly or not at all."""
        t = self.t
        at = np.flatnonzero(t.round[target[row]])
        if not len(at):
            return
        p = points[row[at]]
        centre = t.at[target[row[at]]][:, None]
        radius = np.array([f.width / 2 for f in t.frames])[target[row[at]]][:, None, None]
        away = p - centre
        q = centre + away / np.maximum(np.hypot(away[..., 0], away[..., 1]), 1e-9)[..., None] * radius
        flat = np.repeat(part[at], COVER_POINTS)
        room = _pair_room(p.reshape(-1, 2), q.reshape(-1, 2), self.parts, flat).reshape(-1, COVER_POINTS)
        spans[at, :, 0] = 0.0
        spans[at, :, 1] = room < -2 * EPS

    def _kind(self, models: list[Model], model: Any, target: Any, part: Any, inside: Any) -> Any:
        """1 hard, 0 soft, -1 nothing, for each (shooter, target, part)."""
        t, p = self.t, self.parts
        hm = np.array([m.height for m in models])[model]
        tm = np.array([m.tall for m in models])[model]
        ht, tt = t.height[target], t.tall[target]
        h, tall, f = p.height[part], p.tall[part], p.feature[part]
        over = (tm & (h == hm) & ~tall) | (tt & (h == ht) & ~tall)
        blocking = (h >= hm) & (h >= ht) & ~over & ~p.loose[part]
        out = blocking.astype(int)
        out[(h == 0) & ((hm == 2) | (ht == 2))] = -1
        if t.hills:
            up = np.array([2 * sum(x) > len(x) for x in t.high])[target]
            mine = np.array([bool(elevated(t.v, m.at)) for m in models])[model]
            out[(up | mine) & ~p.high[part]] = -1
        solid = np.flatnonzero(f >= 0)
        if len(solid):
            kinds = [x.type for x in t.features]
            tower = np.array([u.half_are("towering") for u in t.units])
            table = np.full((len(t.units), len(t.features)), -1)
            for j, u in enumerate(t.units):
                for k, feature in enumerate(t.features):
                    match kinds[k]:
                        case "forest":
                            table[j, k] = 0
                        case "impassable":
                            table[j, k] = 1
                        case "hill":
                            table[j, k] = 0 if self._on(j, feature) else 1
                        case "wall":
                            table[j, k] = 1 if not tower[j] and defended(t.v, u, feature) else -1
            out[solid] = table[target[solid], f[solid]]
            out[solid[inside[model[solid], f[solid]]]] = -1
        return out

    def _on(self, j: int, feature: Feature) -> bool:
        ring = self.t.rings[j]
        x0, y0, x1, y1 = feature.footprint.bounds
        low, high = ring.min(0), ring.max(0)
        if low[0] > x1 or high[0] < x0 or low[1] > y1 or high[1] < y0:
            return False
        return overlap_depth(self.t.units[j].footprint, feature) > EPS

    @cached_property
    def _stretches(self) -> dict[tuple[int, int, int], list[tuple[float, float]]]:
        """(target, face, feature) → stretches of that facing inside the feature."""
        out: dict[tuple[int, int, int], list[tuple[float, float]]] = {}
        for j, frame in enumerate(self.t.frames):
            if frame.round:
                continue
            for k, feature in enumerate(self.t.features):
                if not self._on(j, feature):
                    continue
                for f, name in enumerate(FACES):
                    a, b = (np.asarray(x) for x in frame.edge(name))
                    found = holes_in(a, b, feature, 2 * EPS)
                    if found:
                        out[j, f, k] = found
        return out

    def _not_inside(self, spans: Array, part: Any, target: Any, face: Any) -> Array:
        """Behind a feature is not inside it: cut those stretches out (forests protect both)."""
        t = self.t
        only = {k for k, f in enumerate(t.features) if f.type in ("hill", "impassable", "wall")}
        cuts = {key: v for key, v in self._stretches.items() if key[2] in only}
        if not cuts:
            return spans
        low = np.full(len(spans), np.inf)
        high = np.full(len(spans), np.inf)
        feature = self.parts.feature[part]
        for (j, f, k), found in cuts.items():
            at = (target == j) & (face == f) & (feature == k)
            low[at], high[at] = min(x for x, _ in found), max(y for _, y in found)
        left = np.stack([spans[..., 0], np.minimum(spans[..., 1], low[:, None])], -1)
        right = np.stack([np.maximum(spans[..., 0], high[:, None]), spans[..., 1]], -1)
        return np.concatenate([left, right])

    def _standing_in(
        self, models: list[Model], model: Any, target: Any, face: Any, inside: Any
    ) -> tuple[Any, Array, Any]:
        """Stretches of facings that stand inside fields, forests and ruins."""
        t = self.t
        rows, spans, hard = [], [], []
        for (j, f, k), found in self._stretches.items():
            kind = t.features[k].type
            if kind not in ("field", "forest", "ruins"):
                continue
            if kind != "forest" and t.units[j].half_are("towering"):
                continue
            at = np.flatnonzero((target == j) & (face == f) & ~inside[model, k])
            for span in found:
                rows.append(at)
                spans.append(np.tile(span, (len(at), 1)))
                hard.append(np.full(len(at), int(kind == "ruins")))
        if not rows:
            return np.zeros(0, int), np.zeros((0, 2)), np.zeros(0, int)
        return np.concatenate(rows), np.concatenate(spans), np.concatenate(hard)


def _spans(p: Array, parts: _Parts, k: Any, a: Array, b: Array) -> Array:
    """Shadows on edges a → b (N, 2) of one part each, from points p (N, C, 2): intervals (N, C, 2)."""
    normal, offset, core = parts.normal[k], parts.offset[k], parts.core[k]
    outside = np.einsum("ncd,nkd->nck", p, normal) - offset[:, None]
    along = b - a
    start = np.einsum("nd,nkd->nk", a, normal) - offset
    slope = np.einsum("nd,nkd->nk", along, normal)
    with np.errstate(divide="ignore", invalid="ignore"):
        root = -start / slope
    rising, falling = slope > 1e-12, slope < -1e-12
    faces = outside > EPS
    # inside the near edges: start + slope·t ≤ 0
    high = np.where(faces & rising[:, None], root[:, None], np.inf).min(-1)
    low = np.where(faces & falling[:, None], root[:, None], -np.inf).max(-1)
    never = (faces & ~rising[:, None] & ~falling[:, None] & (start > 1e-12)[:, None]).any(-1)
    away = core[:, None] - p[:, :, None]
    middle = core.mean(1)[:, None] - p
    turn = np.arctan2(cross(middle[:, :, None], away), (middle[:, :, None] * away).sum(-1))
    right = np.take_along_axis(away, turn.argmin(-1)[..., None, None], 2)[:, :, 0]
    left = np.take_along_axis(away, turn.argmax(-1)[..., None, None], 2)[:, :, 0]
    from_p = a[:, None] - p
    for vector, sign in ((right, 1.0), (left, -1.0)):
        const, rate = sign * cross(vector, from_p), sign * cross(vector, along[:, None])
        with np.errstate(divide="ignore", invalid="ignore"):
            at = -const / rate
        low = np.maximum(low, np.where(rate > 1e-12, at, -np.inf))
        high = np.minimum(high, np.where(rate < -1e-12, at, np.inf))
        never |= (np.abs(rate) <= 1e-12) & (const < -1e-12)
    within = (outside < -EPS).all(-1)
    low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
    low, high = np.where(within, 0.0, low), np.where(within, 1.0, np.where(never, -1.0, high))
    return np.stack([low, np.maximum(low, high)], -1)


def _union(spans: Array, row: Any, n: int) -> Array:
    """Length of the union of the intervals of each row, (N, C, 2) → (n, C)."""
    out = np.zeros((n, COVER_POINTS))
    if len(row) == 0:
        return out
    order = np.argsort(row, kind="stable")
    spans, row = spans[order], row[order]
    first = np.searchsorted(row, row)
    place = np.arange(len(row)) - first
    used, at = np.unique(row, return_inverse=True)
    low = np.ones((len(used), int(place.max()) + 1, COVER_POINTS))
    high = np.ones_like(low)
    low[at, place], high[at, place] = spans[..., 0], spans[..., 1]
    by = np.argsort(low, axis=1)
    low, high = np.take_along_axis(low, by, 1), np.take_along_axis(high, by, 1)
    reach = np.maximum.accumulate(high, axis=1)
    before = np.concatenate([np.zeros_like(reach[:, :1]), reach[:, :-1]], axis=1)
    out[used] = np.maximum(0.0, reach - np.maximum(low, before)).sum(1)
    return out


# --- all of it --------------------------------------------------------------------------------------------------


def _view(scene: Scene) -> View:
    """A view of the whole scene, as if a question about it had been asked."""
    asked: Asked = prepare(GAME, scene, {"query": "terrain-placement"}, "friendly")
    return View(asked)


def survey(scene: Scene, viewers: Sequence[str] | None = None) -> ArmySurvey:
    """Distances, arcs, sight, engagement and cover of all ordered pairs of units."""
    view = _view(scene)
    ids = list(view.units)
    chosen = [i for i in (viewers if viewers is not None else ids)]
    pieces = [u.piece for u in view.units.values()]
    out = empty(scene, chosen, pieces)
    cover = np.full(out.band.shape, None, object)
    table = _Table(view)
    rows = [table.index[i] for i in chosen if i in table.index]
    if rows:
        _fill(view, table, out, cover, rows, [k for k, i in enumerate(chosen) if i in table.index])
    return ArmySurvey(
        out.game,
        out.unit,
        out.viewers,
        out.ids,
        out.distance_mm,
        out.distance_sigma_mm,
        out.band,
        out.arc,
        out.sees,
        out.engaged,
        cover,
    )


def _fill(view: View, table: _Table, out: Survey, cover: Words, rows: list[int], place: list[int]) -> None:
    units = table.units
    prints = [u.footprint for u in units]
    gaps = between([prints[i] for i in rows], prints)
    sigma = np.array([_spread(u) for u in units])
    both = np.hypot(sigma[rows][:, None], sigma[None])
    not_self = np.array(rows)[:, None] != np.arange(len(units))[None]
    out.distance_mm[place] = np.where(not_self, np.maximum(gaps, 0.0), np.nan)
    out.distance_sigma_mm[place] = np.where(not_self, both, np.nan)
    out.arc[place] = _arcs(table, rows, both, not_self)
    near = gaps <= view.touch + 4 * BAND95 * both
    for r, i in enumerate(rows):
        for j in range(len(units)):
            if i == j:
                continue
            word = "no"
            if near[r, j] and view.are_enemies(units[i], units[j]):
                try:
                    word = "yes" if engaged_with(view, units[i], units[j]) else "no"
                except Unknown:
                    word = "unknown"
                if both[r, j] > 0 and abs(view.touch - gaps[r, j]) <= BAND95 * both[r, j]:
                    word = "too-close"
            out.engaged[place[r], j] = word
    sight = _Sight(table, rows, everyone=len(rows) < len(units))
    sight.run()
    where = {i: place[r] for r, i in enumerate(rows)}
    words = {1: "yes", -1: "no", -2: "unknown", 0: None}
    for k, (i, j) in enumerate(zip(sight.one, sight.two, strict=True)):
        word = words[int(sight.sees[k])]
        if word in ("yes", "no") and both[rows.index(int(i)), int(j)] > 0:
            room = abs(float(sight.room[k]))
            if room <= BAND95 * float(both[rows.index(int(i)), int(j)]):
                word = "too-close"
        out.sees[where[int(i)], int(j)] = word
    found = _Covers(table, rows).run()
    for r, i in enumerate(rows):
        cover[place[r]] = found[i]


def _spread(u: Unit) -> float:
    """One standard deviation of where an edge of a unit is."""
    sigma = u.piece.sigma
    if sigma is None:
        return 0.0
    lever = math.hypot(u.boundary.width, u.boundary.depth) / 2
    return math.hypot(max(sigma.at), math.radians(sigma.facing) * lever)


def _arcs(table: _Table, rows: list[int], sigma: Array, not_self: Any) -> Words:
    """T9A-ARC-3 for all pairs: the arc of the viewer in which each unit is located."""
    frames = table.frames
    spot = np.array([f.at if f.round else f.front_middle for f in frames])
    u = direction(np.array([frames[i].facing for i in rows]))
    rel = spot[None] - table.at[rows][:, None]
    y = (rel * u[:, None]).sum(-1)
    x = (rel * np.stack([u[:, 1], -u[:, 0]], -1)[:, None]).sum(-1)
    w = np.array([frames[i].width / 2 for i in rows])[:, None]
    d = np.array([frames[i].depth / 2 for i in rows])[:, None]
    excess = np.stack([y - d, -x - w, -y - d, x - w], -1)
    order = np.sort(excess, axis=-1)
    margin = (order[..., -1] - order[..., -2]) / math.sqrt(2)
    names = np.array(FACES, object)
    out = names[excess.argmax(-1)]
    for f in FLANKS:
        k = FACES.index(f)
        out = np.where(excess[..., k] >= order[..., -1] - EPS, f, out)
    out = np.where((sigma > 0) & (margin <= BAND95 * sigma), "too-close", out)
    blind = np.array([not x.round and x.piece.facing is None for x in table.units], bool)
    out = np.where(blind[None] | blind[rows][:, None], "unknown", out)
    out = np.where(table.round[rows][:, None], "front", out)
    return np.where(not_self, out, None)


GAME.survey = survey
