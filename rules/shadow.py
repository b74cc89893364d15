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
    frame = _Frame(questions)
    out: Mask = frame.possible.copy()
    few = frame.widest(WIDEST)
    todo = np.flatnonzero(out)
    out[todo] = _search(frame, todo, few, slack_mm)
    if few.shape[1] < frame.points.shape[1]:
        todo = np.flatnonzero(out)
        every = np.broadcast_to(np.arange(frame.points.shape[1]), (len(out), frame.points.shape[1]))
        out[todo] = _search(frame, todo, every, slack_mm)
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
        self.valid = ~np.isnan(self.points[..., 0])

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

    def widest(self, most: int) -> NDArray[np.intp]:
        """The blockers that cover most of the view from the middle of the edge."""
        m = self.points.shape[1]
        if m <= most:
            return np.broadcast_to(np.arange(m), (len(self.low), m))
        x = self.points[..., 0] - ((self.low + self.high) / 2)[:, None, None]
        t = np.maximum(self.points[..., 1], 1e-3)
        angle = np.where(self.valid, x / t, 0.0)
        span = np.where(self.valid, angle, -np.inf).max(-1) - np.where(self.valid, angle, np.inf).min(-1)
        return np.argsort(-np.where(np.isfinite(span), span, -1.0), axis=1)[:, :most]


def _share(f0: Array, f1: Array) -> Array:
    """Where between two points a sign changes, 0 where it does not."""
    crosses = f0 * f1 < 0
    out: Array = np.where(crosses, f0 / np.where(crosses, f0 - f1, 1.0), 0.0)
    return out


def _search(frame: _Frame, todo: NDArray[np.intp], use: NDArray[np.intp], slack_mm: float) -> Mask:
    """Whether any line through two events of the used blockers is free of the used blockers."""
    found = np.zeros(len(todo), bool)
    if len(todo) == 0:
        return found
    points = np.take_along_axis(frame.points[todo], use[todo][:, :, None, None], axis=1)
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
    for first in range(0, n, step):
        rows = slice(first, first + step)
        found[rows] = _lines(
            events[rows],
            of[rows],
            points[rows],
            frame.side[todo][rows],
            low[rows],
            high[rows],
            i,
            j,
            slack_mm,
        )
    return found


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
    lo = np.where(np.isnan(foot), np.inf, foot).min(-1)
    hi = np.where(np.isnan(foot), -np.inf, foot).max(-1)
    slack = slack_mm * np.sqrt(1.0 + a * a)[:, None]
    return np.asarray(((lo + slack < b[:, None]) & (b[:, None] < hi - slack)).any(-1))
