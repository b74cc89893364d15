"""Sight of all pairs: a few lines, then a proof that none can be free, then many lines, then exactly."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import Unknown
from ...plane import Array, direction
from .blocks import Model
from .lines import clip_wedge
from .numbers import EPS
from .sight import blocks_height, can_see, targets_of
from .survey_table import Table, pair_room
from .terrain_at import elevated
from .view import Feature

__all__ = ["Sights"]


class Sights:
    """Which units see which: stage by stage, exactly in the end."""

    def __init__(self, table: Table, viewers: Any, everyone: bool) -> None:
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
        self.facing_ok = np.array([u.faced for u in t.units], bool)
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
        shares = np.array([0.5]) if few else np.array([0.0, 0.5, 1.0])
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
        cut = [0.0] if few else [0.0, 0.125, 0.25, 0.5, 0.75, 0.875]
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
        room = pair_room(p[rep], q[rep], self.parts, part)
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
        out = (
            ~t.round[p.unit[self.part]] | solid
        )  # the outline of a round base is drawn too large for a proof
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
                room = pair_room(body[rep[live], c], edge[rep[live], e], self.parts, part[live])
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


HALVINGS = 4
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
