"""Cover of all pairs: shadows on the facing from points of each front-rank model, all in one array."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...pairs import Words
from ...plane import Array, cross, direction
from .arcs import FLANKS
from .blocks import Model, Unit
from .cover import BANDS, cover_of, defended, holes_in
from .frames import FACES
from .numbers import EPS, SHARE_EPS
from .survey_table import Parts, Table, pair_room, reach_between
from .terrain_at import elevated, overlap_depth
from .view import Feature

__all__ = ["Covers"]

COVER_POINTS = 3
"""Points of a front from which shadows are cast; between them a share changes by less than a hundredth."""

NEAR_HALF = 0.01
"""A share this near to one half is asked for exactly."""


class Covers:
    """The cover that each unit has from each other's front rank."""

    def __init__(self, table: Table, viewers: Any) -> None:
        self.t = table
        self.pairs = table.pairs(viewers, everyone=False)
        self.parts = table.parts(full=True)

    def run(self) -> Words:
        t = self.t
        out = np.full((len(t.units), len(t.units)), None, object)
        if not len(self.pairs):
            return out
        known = np.array([u.faced for u in t.units], bool)
        aim = np.array([u.faced or not self._at_wall(u) for u in t.units], bool)
        fronts = [[m for m in u.models if m.rank == 1] for u in t.units]
        models = [m for f in fronts for m in f]
        owner = np.repeat(np.arange(len(fronts)), [len(f) for f in fronts])
        inside = t.inside(models)
        ends = np.array([m.frame.edge("front") for m in models])
        spot = np.array([m.frame.at if m.frame.round else m.frame.front_middle for m in models])
        first = np.searchsorted(owner, np.arange(len(fronts) + 1))
        one, two = self.pairs.T
        good = known[one] & aim[two]
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
            band[k] = self._exactly(models[int(model[k])], t.units[int(target[k])], FACES[int(face[k])])
        counts = np.zeros((len(one), 3), int)
        np.add.at(counts, (rep, band), 1)
        best = (counts - np.arange(3) * 1e-3).argmax(1)
        out[one, two] = np.where(good, np.array(BANDS, object)[best], "unknown")
        return out

    def _exactly(self, m: Model, target: Unit, face: str) -> int:
        # a front that was not seen makes no other side the one before the shooter
        return BANDS.index(cover_of(self.t.v, m, target, face=None if target.faced else face).band)

    def _at_wall(self, u: Unit) -> bool:
        """Whether a unit may defend a wall: with its front only."""
        walls = self.t.v.of_type("wall")
        return any(overlap_depth(u.footprint, f) >= -self.t.v.touch for f in walls)

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
        hits = reach_between(parts, part, points[:, [0, -1]], facing, row)
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
        room = pair_room(p.reshape(-1, 2), q.reshape(-1, 2), self.parts, flat).reshape(-1, COVER_POINTS)
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


def _spans(p: Array, parts: Parts, k: Any, a: Array, b: Array) -> Array:
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
