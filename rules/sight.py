"""Straight lines and what they cross: bases, outlines, and how far each is from crossing.

All functions take many segments at once. "Crosses" means entering the interior by more than a slack;
touching a corner or running along a side is not crossing, which is how both open-table sheets read it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .footprint import Footprint
from .plane import Array, gap, point_segment

__all__ = ["clearance", "enters", "inside", "outline_clearance"]


def clearance(p: ArrayLike, q: ArrayLike, footprint: Footprint) -> Array:
    """Signed room between segments p → q and a footprint: negative is how far it would have to move aside.

    >>> float(clearance([0, 0], [10, 0], Footprint.disc((5, 4), 3)))
    1.0
    >>> float(clearance([0, 0], [10, 0], Footprint.disc((5, 1), 3)))
    -2.0
    """
    a, b = np.asarray(p, float), np.asarray(q, float)
    if footprint.is_disc:
        return point_segment(footprint.parts[0][0], a, b)[0] - footprint.radius
    core = np.stack([a, b], axis=-2)[..., None, :, :]
    out: Array = gap(core, 0.0, footprint.padded, 0.0).min(-1)
    return out


def inside(points: ArrayLike, ring: ArrayLike, slack_mm: float = 0.0) -> NDArray[np.bool_]:
    """Which points lie in the outline `ring` (k, 2) and deeper than `slack_mm`; negative: that far outside still counts.

    >>> inside([[1, 1], [0, 1], [3, 1]], [[0, 0], [2, 0], [2, 2], [0, 2]], -1e-9).tolist()
    [True, True, False]
    """
    p, a = np.asarray(points, float), np.asarray(ring, float)
    b = np.roll(a, -1, axis=0)
    x, y = p[..., 0, None], p[..., 1, None]
    rises = (a[:, 1] > y) != (b[:, 1] > y)
    run = np.where(b[:, 1] == a[:, 1], 1.0, b[:, 1] - a[:, 1])
    left = x < a[:, 0] + (y - a[:, 1]) / run * (b[:, 0] - a[:, 0])
    within = (rises & left).sum(-1) % 2 == 1
    to_rim = point_segment(p[..., None, :], a, b)[0].min(-1)
    deep: NDArray[np.bool_] = np.where(within, to_rim, -to_rim) > slack_mm
    if slack_mm < 0:
        deep = np.where(within, True, to_rim <= -slack_mm)
    return deep


def enters(p: ArrayLike, q: ArrayLike, ring: ArrayLike, slack_mm: float = 1e-6) -> NDArray[np.bool_]:
    """Which segments enter the interior of a simple outline by more than a slack. Exact: the segment is cut where
    it meets the lines of the outline's sides, and each piece is in or out as a whole.

    >>> square = [[0, 0], [2, 0], [2, 2], [0, 2]]
    >>> enters([[-1, 1], [-1, 0], [-1, 1]], [[3, 1], [3, 0], [1, 3]], square).tolist()
    [True, False, False]
    """
    a0, b0, r = np.asarray(p, float), np.asarray(q, float), np.asarray(ring, float)
    d = (b0 - a0)[..., None, :]
    e = np.roll(r, -1, axis=0) - r
    away = r - a0[..., None, :]
    det = d[..., 0] * e[:, 1] - d[..., 1] * e[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (away[..., 0] * e[:, 1] - away[..., 1] * e[:, 0]) / det
    t = np.clip(np.nan_to_num(t, nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0)
    ends = np.zeros((*t.shape[:-1], 1))
    cuts = np.sort(np.concatenate([ends, t, ends + 1.0], axis=-1), axis=-1)
    middle = (cuts[..., 1:] + cuts[..., :-1]) / 2
    points = a0[..., None, :] + middle[..., None] * d
    return np.asarray(inside(points, r, slack_mm).any(-1))


def outline_clearance(
    p: ArrayLike, q: ArrayLike, outline: Sequence[Sequence[float]], slack_mm: float = 1e-6
) -> tuple[NDArray[np.bool_], Array]:
    """Whether segments enter an outline, and their signed room to it (same sign as the answer).

    >>> cut, room = outline_clearance([[-1, 0.5]], [[5, 0.5]], [[0, 0], [2, 0], [2, 2], [0, 2]])
    >>> bool(cut[0]), float(room[0])
    (True, -0.5)
    """
    cut = enters(p, q, np.asarray(outline, float), slack_mm)
    room = clearance(p, q, Footprint.polygon(outline))
    return cut, np.where(cut, np.minimum(room, 0.0), np.maximum(room, 0.0))
