"""Many sight questions at once: is there a free line from this edge to that side, past these convex blockers?

Seen along one direction, a blocker covers an interval of the edge's line, and a line is free when its foot lies in
none of the open intervals. As in `visibility`, a free line exists only if one exists through two events; here the
events of thousands of questions are tried together, first against the few widest blockers, which prove most
questions closed, then against all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .plane import Array, cross

__all__ = ["Questions", "any_free"]

Mask = NDArray[np.bool_]

WIDEST = 4
"""Blockers tried first: more than four are hardly ever needed to shut a view."""

CHUNK = 400_000
"""Event pairs looked at together, to stay inside the processor's cache and a modest memory."""


AWAY_MM = 1e12
"""Where a blocker that is not between edge and side is put: no line goes there."""


@dataclass(frozen=True)
class Questions:
    """N questions: from `edge` (N, 2, 2) to `side` (N, 2, 2), past `blockers` (N, M, K, 2), NaN where there is none.

    The blockers are convex, their corners in order; the side is a straight piece of the target's border and
    only lines that reach it from the outside of a counter-clockwise ring are asked for.
    """

    edge: Array
    side: Array
    blockers: Array


def any_free(questions: Questions, slack_mm: float = 1e-6) -> Mask:
    """Which questions have a free line; grazing is free.

    >>> edge = np.array([[[0.0, 0.0], [10.0, 0.0]]])
    >>> side = np.array([[[0.0, 50.0], [10.0, 50.0]]])
    >>> wall = np.array([[[[-5.0, 20.0], [9.0, 20.0], [9.0, 30.0], [-5.0, 30.0]]]])
    >>> any_free(Questions(edge, side, wall)).tolist(), any_free(Questions(edge, side, wall + [2.0, 0.0])).tolist()
    ([True], [False])
    """
    n, m = questions.blockers.shape[:2]
    out: Mask = np.zeros(n, bool)
    todo = np.arange(n)
    for most in (WIDEST, m):  # what the widest shut is shut; the rest is looked at with all of them
        part = Questions(questions.edge[todo], questions.side[todo], questions.blockers[todo])
        if most < m:
            part = Questions(part.edge, part.side, _widest(part, most))
        todo = todo[_search(_Frame(part), slack_mm)]
        if most >= m:
            break
    out[todo] = True
    return out


def _widest(q: Questions, most: int) -> Array:
    """The blockers that cover most of the view from the middle of the edge."""
    eye = q.edge.mean(1)
    ahead = q.side.mean(1) - eye
    v = q.blockers - eye[:, None, None]
    w = ahead[:, None, None]
    depth = np.maximum((v * w).sum(-1), 1e-3 * (w * w).sum(-1))
    slope = cross(w, v) / depth
    missing = np.isnan(slope)
    span = np.where(missing, -np.inf, slope).max(-1) - np.where(missing, np.inf, slope).min(-1)
    order = np.argsort(-np.where(np.isfinite(span), span, -1.0), axis=1)[:, :most]
    out: Array = np.take_along_axis(q.blockers, order[:, :, None, None], axis=1)
    return out


class _Frame:
    """Every question in its own frame: the edge along x at depth 0, looking towards depth > 0."""

    def __init__(self, q: Questions) -> None:
        a, b = q.edge[:, 0], q.edge[:, 1]
        along = (b - a) / np.hypot(*(b - a).T)[:, None]
        ahead = np.stack([-along[:, 1], along[:, 0]], axis=-1)
        middle = q.side.mean(1) - a
        ahead = np.where(((middle * ahead).sum(-1) < 0)[:, None], -ahead, ahead)

        def into(points: Array) -> Array:
            lead = (slice(None), *(None,) * (points.ndim - 2))
            v = points - a[lead]
            return np.stack([(v * along[lead]).sum(-1), (v * ahead[lead]).sum(-1)], axis=-1)

        self.side = into(q.side)
        width = np.hypot(*(b - a).T)
        # only the part of the edge that sees the outside of the side
        s0, s1 = self.side[:, 0], self.side[:, 1]
        d = s1 - s0
        turned = np.sign(cross(along, ahead))  # a mirrored frame turns rings round
        out0 = -turned * cross(d, np.stack([np.zeros_like(width), np.zeros_like(width)], -1) - s0)
        out1 = -turned * cross(d, np.stack([width, np.zeros_like(width)], -1) - s0)
        at = width * _share(out0, out1)
        self.low = np.where((out0 < 0) & (out1 > 0), at, 0.0)
        self.high = np.where((out1 < 0) & (out0 > 0), at, width)
        self.possible = ((out0 > 1e-9) | (out1 > 1e-9)) & (self.side[..., 1].min(-1) > 1e-6)
        self.points = self._clipped(into(q.blockers), d, s0, turned)

    def _clipped(self, ring: Array, d: Array, s0: Array, turned: Array) -> Array:
        """The corners of each blocker between the edge's line and the side's line, (N, M, 3 K + 1, 2), NaN padded."""
        after = np.roll(ring, -1, axis=2)
        # padded corners (NaN) are repeated last corners of shorter rings: close those rings on their first
        missing = np.isnan(after[..., 0])
        after = np.where(missing[..., None], ring[:, :, :1], after)
        dd, ss = d[:, None, None], s0[:, None, None]
        tt = turned[:, None, None]

        def depth(p: Array) -> Array:
            out: Array = p[..., 1]
            return out

        def outside(p: Array) -> Array:
            out: Array = -tt * cross(dd, p - ss)
            return out

        size = np.hypot(d[:, 0], d[:, 1])[:, None, None]
        tiny = 1e-9
        f0, f1 = depth(ring), depth(after)
        g0, g1 = outside(ring) / size, outside(after) / size
        cut_f = ring + _share(f0, f1)[..., None] * (after - ring)
        cut_g = ring + _share(g0, g1)[..., None] * (after - ring)
        keep = (f0 >= -tiny) & (g0 >= -tiny)
        keep_f = (f0 * f1 < 0) & (outside(cut_f) / size >= -tiny)
        keep_g = (g0 * g1 < 0) & (depth(cut_g) >= -tiny)
        # where the two lines meet, if inside the blocker
        slanted = np.abs(d[:, 1]) > 1e-9
        x = s0[:, 0] - s0[:, 1] * d[:, 0] / np.where(slanted, d[:, 1], 1.0)
        corner = np.stack([x, np.zeros_like(x)], axis=-1)[:, None, None]
        inner = cross(after - ring, corner - ring)
        within = ((inner > 0) | np.isnan(inner)).all(-1) | ((inner < 0) | np.isnan(inner)).all(-1)
        keep_c = (within & slanted[:, None] & ~np.isnan(ring[..., 0]).all(-1))[..., None]
        pieces = [
            np.where(keep[..., None], ring, np.nan),
            np.where(keep_f[..., None], cut_f, np.nan),
            np.where(keep_g[..., None], cut_g, np.nan),
            np.where(keep_c[..., None], np.broadcast_to(corner, (*ring.shape[:2], 1, 2)), np.nan),
        ]
        return np.concatenate(pieces, axis=2)


def _share(f0: Array, f1: Array) -> Array:
    """Where between two points a sign changes, 0 where it does not."""
    crosses = f0 * f1 < 0
    out: Array = np.where(crosses, f0 / np.where(crosses, f0 - f1, 1.0), 0.0)
    return out


def _search(frame: _Frame, slack_mm: float) -> Mask:
    """Whether any line through two events is free."""
    found: Mask = np.zeros(len(frame.low), bool)
    todo = np.flatnonzero(frame.possible)
    if len(todo) == 0:
        return found
    points = frame.points[todo]
    n, m, k = points.shape[:3]
    flat = points.reshape(n, m * k, 2)
    owner = np.repeat(np.arange(m), k)
    # valid events first, so that the table of pairs is as small as the fullest question
    valid = ~np.isnan(flat[..., 0])
    order = np.argsort(~valid, axis=1, kind="stable")[:, : max(int(valid.sum(1).max()), 1)]
    events = np.take_along_axis(flat, order[..., None], axis=1)
    of = np.where(np.take_along_axis(valid, order, axis=1), owner[order], -1)
    low, high = frame.low[todo], frame.high[todo]
    ends = np.stack([np.stack([low, np.zeros(n)], -1), np.stack([high, np.zeros(n)], -1)], axis=1)
    events = np.concatenate([ends, frame.side[todo], events], axis=1)
    of = np.concatenate([np.full((n, 4), -1), of], axis=1)
    v = events.shape[1]
    i, j = np.triu_indices(v, 1)
    step = max(1, CHUNK // len(i))
    solid, side = _filled(points), frame.side[todo]
    for first in range(0, n, step):
        k = slice(first, first + step)
        found[todo[k]] = _lines(events[k], of[k], solid[k], side[k], low[k], high[k], i, j, slack_mm)
    return found


def _filled(points: Array) -> Array:
    """Missing corners of a blocker replaced by one that it has; a blocker without any put out of the way."""
    valid = ~np.isnan(points[..., 0])
    first = np.take_along_axis(points, valid.argmax(-1)[..., None, None], axis=2)
    out: Array = np.where(valid[..., None], points, first)
    out[~valid.any(-1)] = (AWAY_MM, 0.0)
    return out


def _lines(
    events: Array,
    of: NDArray[np.intp],
    points: Array,
    side: Array,
    low: Array,
    high: Array,
    i: NDArray[np.intp],
    j: NDArray[np.intp],
    slack_mm: float,
) -> Mask:
    with np.errstate(divide="ignore", invalid="ignore"):
        rise = events[:, j, 1] - events[:, i, 1]
        a = (events[:, j, 0] - events[:, i, 0]) / np.where(np.abs(rise) > 1e-9, rise, np.nan)
        b = events[:, i, 0] - a * events[:, i, 1]
        one = side[:, 0, :1] - a * side[:, 0, 1:] - b
        two = side[:, 1, :1] - a * side[:, 1, 1:] - b
        eps = 1e-7
        good = (b >= low[:, None] - eps) & (b <= high[:, None] + eps)
        good &= (np.minimum(one, two) <= eps) & (np.maximum(one, two) >= -eps)
        # a line along the side meets the target at its corner first: the neighbouring side asks for that
        good &= np.maximum(np.abs(one), np.abs(two)) > eps
    q, c = np.nonzero(good)
    a, b = a[q, c], b[q, c]
    # first the blockers that the two events belong to, then all
    for end in (i, j):
        mine = of[q, end[c]]
        hit = _covered(points, q, np.maximum(mine, 0)[:, None], a, b, slack_mm) & (mine >= 0)
        q, c, a, b = q[~hit], c[~hit], a[~hit], b[~hit]
    every = np.broadcast_to(np.arange(points.shape[1]), (len(q), points.shape[1]))
    free = ~_covered(points, q, every, a, b, slack_mm)
    found = np.zeros(len(events), bool)
    found[q[free]] = True
    return found


def _covered(
    points: Array, q: NDArray[np.intp], which: NDArray[np.intp], a: Array, b: Array, slack_mm: float
) -> Mask:
    """Whether a line of question q runs through the interior of one of the blockers `which` (C, W)."""
    at = points[q[:, None], which]  # (C, W, K, 2)
    foot = at[..., 0] - a[:, None, None] * at[..., 1]
    lo, hi = foot.min(-1), foot.max(-1)
    slack = slack_mm * np.sqrt(1.0 + a * a)[:, None]
    return np.asarray(((lo + slack < b[:, None]) & (b[:, None] < hi - slack)).any(-1))
