"""The whole table at once: the same rules as the single questions, on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...arcs import off_angle_deg, sector_margin_mm
from ...footprint import Footprint, between
from ...game import prepare
from ...pairs import Errors, Survey, Words, empty, three_way
from ...plane import Array, point_segment
from ...scene import Circle, Piece, Scene
from ...sight import clearance, enters, outline_clearance
from ...units import MM_PER_IN
from ...verdict import BAND95
from .game import GAME, SLACK_MM
from .measure import half_range_mm
from .world import World

__all__ = ["survey"]


def survey(scene: Scene, viewers: Sequence[str] | None = None) -> Survey:
    """Distances centre to centre, bands by the trait range:N, arcs, lines of fire and engagement."""
    in_mm = scene.in_mm()
    pieces = [p for p in in_mm.pieces if p.kind in ("model", "unit") and p.at is not None]
    names = [p.id for p in pieces]
    rows = [names.index(v) for v in (names if viewers is None else viewers) if v in names]
    if viewers is not None and len(rows) < len(viewers):  # a marker looks at nobody
        return empty(scene, viewers, pieces)
    if not pieces:
        return empty(scene, (), ())
    asked = prepare(GAME, scene, {"query": "engagement", "from": names[0]}, "friendly")
    return _Table(World(asked), pieces, np.array(rows, int)).survey(scene)


class _Table:
    """All warriors as arrays; i are the rows (viewers), j the columns."""

    def __init__(self, world: World, pieces: list[Piece], rows: NDArray[np.intp]) -> None:
        self.world, self.pieces, self.rows = world, pieces, rows
        self.errors = Errors.of(pieces)
        self.at = self.errors.at
        self.n = len(pieces)
        self.feet = [world.foot(p) if _has_foot(p) else Footprint.disc(world.at(p), 0.0) for p in pieces]
        self.radius = np.array([world.radius(p) if _has_foot(p) else 0.0 for p in pieces])
        self.round = all(f.is_disc for f in self.feet)
        self.soaring = np.array([world.soaring(p) for p in pieces])
        self.hills = [world.on_hills(world.at(p)) for p in pieces]
        self.high = np.array([bool(h) for h in self.hills])
        self.reach = 12.0 * float(self.errors.sigma_mm.max(initial=0.0)) + 1.0

    def survey(self, scene: Scene) -> Survey:
        rows, at = self.rows, self.at
        way = at[None, :] - at[rows][:, None]
        distance = np.hypot(way[..., 0], way[..., 1])
        safe = np.where(distance > 0, distance, 1.0)
        unit = way / safe[..., None]
        var = ((self.errors.sigma_mm[rows][:, None] * unit) ** 2).sum(-1)
        var = var + ((self.errors.sigma_mm[None] * unit) ** 2).sum(-1)
        sigma = np.sqrt(var)
        band = self._bands(distance, sigma)
        arc = self._arcs(way, distance, unit)
        sees = self._sees()
        engaged = self._engaged(sigma)
        mine = (np.arange(len(rows)), rows)
        for words in (band, arc, sees, engaged):
            words[mine] = None
        distance[mine] = np.nan
        sigma[mine] = np.nan
        names = tuple(p.id for p in self.pieces)
        viewers = tuple(names[i] for i in rows)
        return Survey(scene.game, scene.unit, viewers, names, distance, sigma, band, arc, sees, engaged)

    def _bands(self, distance: Array, sigma: Array) -> Words:
        """MK-RNG-2, for figures whose range is known by their trait."""
        out = np.full(distance.shape, None, object)
        for k, i in enumerate(self.rows):
            text = self.pieces[i].trait("range")
            if text is None or not text.replace(".", "", 1).isdigit():
                continue
            limit = float(text) * MM_PER_IN
            near = half_range_mm(limit)
            d = distance[k]
            words = np.where(d <= limit + SLACK_MM, "in-range", "out-of-range").astype(object)
            words[d <= min(near, limit) + SLACK_MM] = "point-blank"
            border = np.minimum(np.abs(d - limit), np.abs(d - near))
            words[(sigma[k] > 0) & (border <= BAND95 * sigma[k])] = "too-close"
            out[k] = words
        return out

    def _arcs(self, way: Array, distance: Array, unit: Array) -> Words:
        """MK-ARC-1, -2."""
        rows = self.rows
        facing = np.array([np.nan if p.facing is None else p.facing for p in self.pieces])[rows]
        known = ~np.isnan(facing)
        front = np.array([self.world.front_deg(self.pieces[i]) for i in rows])
        rear = np.array([self.world.rear_deg(self.pieces[i]) for i in rows])
        look = np.where(known, facing, 0.0)[:, None]
        zero = np.zeros(2)
        in_front = sector_margin_mm(zero, look, front[:, None], way)
        in_rear = sector_margin_mm(zero, look + 180.0, rear[:, None], way)
        out = np.where(in_rear > SLACK_MM, "rear", "side").astype(object)
        out[in_front >= -SLACK_MM] = "front"
        # the border moves with the viewer's facing, the point with both places
        off = np.radians(off_angle_deg(zero, look, way))
        across = np.stack([-unit[..., 1], unit[..., 0]], axis=-1)
        var = ((self.errors.sigma_mm[rows][:, None] * across) ** 2).sum(-1)
        var = var + ((self.errors.sigma_mm[None] * across) ** 2).sum(-1)
        var = var + (distance * self.errors.turn[rows][:, None]) ** 2
        border = np.minimum(np.abs(in_front), np.abs(in_rear))
        out[(var > 0) & (border <= BAND95 * np.sqrt(var)) & np.isfinite(off)] = "too-close"
        out[~known] = "unknown"
        return out

    def _engaged(self, sigma: Array) -> Words:
        """MK-CON-1, -2: opposing figures in contact at the same level."""
        rows = self.rows
        tol: float = self.world.asked.param("contact_tol")
        if self.round:
            way = self.at[None] - self.at[rows][:, None]
            gaps = np.hypot(way[..., 0], way[..., 1]) - self.radius[rows][:, None] - self.radius[None]
        else:
            gaps = between([self.feet[i] for i in rows], self.feet)
        out = three_way(tol - gaps, sigma, SLACK_MM)
        level = self.soaring[rows][:, None] == self.soaring[None]
        out[~level] = "no"
        for k, i in enumerate(rows):
            for pair in self.world.agreed:
                if self.pieces[i].id in pair:
                    out[k, [p.id in pair and p.id != self.pieces[i].id for p in self.pieces]] = "yes"
        known = {p.side: k for k, p in enumerate(self.pieces)}
        side = np.array([known[p.side] for p in self.pieces])
        free = np.array([p.side is not None and not self.world.captive(p) for p in self.pieces])
        enemies = (side[rows][:, None] != side[None]) & free[rows][:, None] & free[None]
        out[~enemies] = "no"
        return out

    # --- lines of fire ----------------------------------------------------------------------------------------

    def _ends(self) -> Array:
        """MK-LOF-8: where a line to each figure ends."""
        ends = self.at.copy()
        built = [t for t in self.world.asked.scene.terrain if t.has("constructed") and t.centre is not None]
        for terrain in built:
            for j in range(self.n):
                if self.world.occupied(terrain, self.world.at(self.pieces[j])):
                    ends[j] = terrain.centre
        return ends

    def _sees(self) -> Words:
        """MK-LOF-1…6, -8 for all pairs: what each line crosses, and how nearly."""
        rows, n = self.rows, self.n
        ends = self._ends()
        start = np.broadcast_to(self.at[rows][:, None], (len(rows), n, 2)).reshape(-1, 2)
        end = np.broadcast_to(ends[None], (len(rows), n, 2)).reshape(-1, 2)
        i, j = np.repeat(rows, n), np.tile(np.arange(n), len(rows))
        room = np.full(len(i), np.inf)
        sure = np.full(len(i), np.inf)  # room in units of its 95 % band
        elevated = self.high[i].astype(int) + self.high[j].astype(int)
        block = partial(self._block, start=start, end=end, i=i, j=j, room=room, sure=sure)
        self._bases(block, elevated, i, j)
        self._terrain(block, elevated, i, j)
        out = np.where(room < -SLACK_MM, "no", "yes").astype(object)
        out[sure < 1.0] = "too-close"
        out[(room < -SLACK_MM) & self._firmly(sure, room)] = "no"
        doubtful = self._doubtful_levels()
        out[doubtful[i] | doubtful[j]] = "too-close"
        return out.reshape(len(rows), n)

    @staticmethod
    def _firmly(sure: Array, room: Array) -> NDArray[np.bool_]:
        """A line that one thing surely blocks is blocked, however close the others are."""
        return sure <= -1.0

    def _block(
        self,
        which: NDArray[np.bool_],
        rooms: Array,
        t: Array,
        sigma_mm: Array | None,
        *,
        start: Array,
        end: Array,
        i: NDArray[np.intp],
        j: NDArray[np.intp],
        room: Array,
        sure: Array,
    ) -> None:
        """Take one blocker into account: `rooms` of the lines that it can block, `t` where along them it is nearest."""
        k = np.flatnonzero(which)
        np.minimum.at(room, k, rooms)
        if self.errors.exact:
            return
        way = end[k] - start[k]
        across = np.stack([-way[:, 1], way[:, 0]], axis=-1)
        across /= np.where(np.hypot(*way.T) > 0, np.hypot(*way.T), 1.0)[:, None]
        from_i = ((self.errors.sigma_mm[i[k]] * across) ** 2).sum(-1) * (1 - t) ** 2
        from_j = ((self.errors.sigma_mm[j[k]] * across) ** 2).sum(-1) * t**2
        own = 0.0 if sigma_mm is None else ((sigma_mm * across) ** 2).sum(-1)
        band = BAND95 * np.sqrt(from_i + from_j + own)
        with np.errstate(divide="ignore"):
            np.minimum.at(
                sure, k, np.where(band > 0, rooms / np.where(band > 0, band, 1.0), np.sign(rooms) * np.inf)
            )

    def _bases(self, block: partial[None], elevated: Array, i: NDArray[np.intp], j: NDArray[np.intp]) -> None:
        start, end = block.keywords["start"], block.keywords["end"]
        blocks_soaring = self.world.asked.param("soaring_bases_block")
        open_line = ~self.soaring[j] & (i != j)
        for k in range(self.n):
            if self.soaring[k] and not blocks_soaring:
                continue
            which = open_line & (i != k) & (j != k)
            if not self.high[k]:
                which &= elevated == 0
            # only lines whose box comes near the base
            reach = self.radius[k] + self.reach
            c = self.at[k]
            which &= (np.minimum(start[:, 0], end[:, 0]) <= c[0] + reach) & (
                np.maximum(start[:, 0], end[:, 0]) >= c[0] - reach
            )
            which &= (np.minimum(start[:, 1], end[:, 1]) <= c[1] + reach) & (
                np.maximum(start[:, 1], end[:, 1]) >= c[1] - reach
            )
            if not which.any():
                continue
            p, q = start[which], end[which]
            t = _foot(p, q, c)
            if self.feet[k].is_disc:
                rooms = point_segment(c, p, q)[0] - self.radius[k]
            else:
                rooms = clearance(p, q, self.feet[k])
            block(which, rooms, t, self.errors.sigma_mm[k])

    def _terrain(
        self, block: partial[None], elevated: Array, i: NDArray[np.intp], j: NDArray[np.intp]
    ) -> None:
        start, end = block.keywords["start"], block.keywords["end"]
        for terrain in self.world.asked.scene.terrain:
            hill = terrain.has("elevated") and terrain.on is None
            if not hill and terrain.type != "blocking":
                continue
            on = np.array([terrain.id in h for h in self.hills])
            own = on[i] | on[j]
            which = (i != j) & ~own if hill else i != j
            if terrain.type == "blocking":
                root = self.world.hill_under(terrain)
                under = np.array([root in h for h in self.hills])
                counts = (elevated < 2) | under[i] | under[j]
                which = (which | counts) & (i != j) if hill else which & counts
            ring = np.asarray(terrain.outline, float)
            which = self._near(which, start, end, ring)
            if not which.any():
                continue
            p, q = start[which], end[which]
            if self.errors.exact:
                rooms = np.where(enters(p, q, ring, SLACK_MM), -2 * SLACK_MM, 0.0)
            else:
                cut, rooms = outline_clearance(p, q, terrain.outline, SLACK_MM)
                rooms = np.where(cut, np.minimum(rooms, -2 * SLACK_MM), rooms)
            block(which, rooms, _foot(p, q, ring.mean(0)), None)

    def _near(self, which: NDArray[np.bool_], start: Array, end: Array, ring: Array) -> NDArray[np.bool_]:
        """The lines that an outline could cut or come near: by their boxes, then by the sides of its corners."""
        low, high = ring.min(0) - self.reach, ring.max(0) + self.reach
        boxed: NDArray[np.bool_] = (
            which & (np.maximum(start, end) >= low).all(-1) & (np.minimum(start, end) <= high).all(-1)
        )
        k = np.flatnonzero(boxed)
        way = end[k] - start[k]
        side = way[:, :1] * (ring[:, 1] - start[k, 1:]) - way[:, 1:] * (ring[:, 0] - start[k, :1])
        room = self.reach * np.hypot(way[:, 0], way[:, 1])
        boxed[k] = (side.min(-1) <= room) & (side.max(-1) >= -room)
        return boxed

    def _doubtful_levels(self) -> NDArray[np.bool_]:
        """Figures so near to the border of a hill that nobody can say whether they stand on it."""
        out = np.zeros(self.n, bool)
        if self.errors.exact:
            return out
        for hill in self.world.hills:
            ring = np.asarray(hill.outline, float)
            rim = point_segment(self.at[:, None], ring, np.roll(ring, -1, axis=0))[0].min(-1)
            out |= rim <= BAND95 * self.errors.sigma_mm.max(-1)
        return out


def _has_foot(piece: Piece) -> bool:
    return piece.base is None or isinstance(piece.base, Circle) or piece.facing is not None


def _foot(p: Array, q: Array, c: Array) -> Array:
    """Where along the lines a point is nearest, 0 to 1."""
    d = q - p
    length2 = (d * d).sum(-1)
    t: Array = np.clip(((c - p) * d).sum(-1) / np.where(length2 > 0, length2, 1.0), 0.0, 1.0)
    return t


GAME.survey = survey
