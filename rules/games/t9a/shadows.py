"""Shadows on a facing: which stretch of an edge is hidden behind convex parts, as seen from points.

Analytic, not sampled: the shadow of a convex part is convex, so on a straight edge it is one interval.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...plane import Array, cross
from .numbers import EPS

__all__ = ["minus", "shadow_intervals", "union_length"]


def shadow_intervals(p: Array, core: Array, normal: Array, offset: Array, a: Array, b: Array) -> Array:
    """Intervals (N, P, 2) of the edge a → b, in shares of it, hidden from points p (N, 2) by convex parts.

    `core`, `normal`, `offset` as `lines.sides` gives them for parts (P, K, 2). Nothing hidden: low ≥ high.

    >>> from .lines import sides
    >>> wall = sides(np.array([[[0.0, 5.0], [1.0, 5.0], [1.0, 6.0], [0.0, 6.0]]]))
    >>> shadow_intervals(np.array([[0.0, 0.0]]), *wall, np.array([0.0, 10.0]), np.array([4.0, 10.0])).round(6).tolist()
    [[[0.0, 0.5]]]
    """
    outside = np.einsum("nd,pkd->npk", p, normal) - offset  # (N, P, K), flat edges are -inf
    along = b - a
    start = np.einsum("d,pkd->pk", a, normal) - offset
    slope = np.einsum("d,pkd->pk", along, normal)
    faces = outside > EPS
    low = np.zeros(outside.shape[:2])
    high = np.ones(outside.shape[:2])
    low, high = _bound(low, high, np.where(faces, -start, 0.0), np.where(faces, -slope, 0.0))
    away = core[None] - p[:, None, None, :]
    middle = core.mean(1)[None] - p[:, None, :]
    turn = np.arctan2(cross(middle[:, :, None, :], away), (middle[:, :, None, :] * away).sum(-1))
    right = np.take_along_axis(away, turn.argmin(-1)[..., None, None], 2)[:, :, 0]
    left = np.take_along_axis(away, turn.argmax(-1)[..., None, None], 2)[:, :, 0]
    from_p = a - p
    # left of the right tangent, right of the left one
    low, high = _bound(low, high, cross(right, from_p[:, None])[..., None], cross(right, along)[..., None])
    low, high = _bound(low, high, -cross(left, from_p[:, None])[..., None], -cross(left, along)[..., None])
    within = (outside < -EPS) | ~np.isfinite(outside)
    inside = within.all(-1)
    low, high = np.where(inside, 0.0, low), np.where(inside, 1.0, high)
    return np.stack([low, high], axis=-1)


def _bound(low: Array, high: Array, const: Array, slope: Array) -> tuple[Array, Array]:
    """Keep the t with const + slope·t ≥ 0 for all of the last axis."""
    with np.errstate(divide="ignore", invalid="ignore"):
        root = -const / slope
    low = np.maximum(low, np.where(slope > 1e-12, root, -np.inf).max(-1))
    high = np.minimum(high, np.where(slope < -1e-12, root, np.inf).min(-1))
    never = ((np.abs(slope) <= 1e-12) & (const < -1e-12)).any(-1)
    return low, np.where(never, -1.0, high)


def union_length(intervals: Array) -> Any:
    """Length of the union of intervals, (N, P, 2) → (N,)."""
    low, high = np.clip(intervals[..., 0], 0.0, 1.0), np.clip(intervals[..., 1], 0.0, 1.0)
    high = np.maximum(low, high)
    order = np.argsort(low, axis=-1)
    low, high = np.take_along_axis(low, order, -1), np.take_along_axis(high, order, -1)
    if low.shape[-1] == 0:
        return np.zeros(low.shape[0])
    reach = np.maximum.accumulate(high, axis=-1)
    before = np.concatenate([np.full((*reach.shape[:-1], 1), -np.inf), reach[..., :-1]], axis=-1)
    return np.maximum(0.0, reach - np.maximum(low, before)).clip(0.0).sum(-1)


def minus(intervals: Array, holes: list[tuple[float, float]]) -> Array:
    """Intervals (N, P, 2) without some stretches of the edge: (N, P·(holes + 1), 2)."""
    out = intervals
    for a, b in holes:
        left = np.stack([out[..., 0], np.minimum(out[..., 1], a)], axis=-1)
        right = np.stack([np.maximum(out[..., 0], b), out[..., 1]], axis=-1)
        out = np.concatenate([left, right], axis=1)
    return out
