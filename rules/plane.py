"""Convex shapes in the plane, many at a time: signed gaps, closest points, sides of lines.

A shape here is a convex *core* (its corners, counter-clockwise) and a *radius* around it, so that a disc is
one point with a radius, a tray four points with none, and both go through the same code. Cores of different
corner counts share one array by repeating their last corner. Every function takes arrays with any leading
dimensions and broadcasts over them.

`gap` is the heart: positive is the clear distance, negative is how far one shape would have to be pushed to
come free. It passes smoothly through touching, which is what an error bar needs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Array",
    "closest",
    "cross",
    "direction",
    "gap",
    "pad",
    "point_segment",
    "rect_corners",
    "rotate",
    "unit_left",
]

Array = NDArray[np.float64]

_FLAT = 1e-18
"""Squared length below which an edge is one point (corners repeated to fill an array)."""


def direction(deg: ArrayLike) -> Array:
    """The unit vector of a facing, exact at the right angles.

    >>> direction([0, 90, 180]).tolist()
    [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]
    """
    turn = np.mod(np.asarray(deg, float), 360.0)
    quarter, rest = np.divmod(turn, 90.0)
    c, s = np.cos(np.radians(rest)), np.sin(np.radians(rest))
    q = quarter.astype(int) % 4
    x = np.choose(q, [c, -s, -c, s]) + 0.0
    y = np.choose(q, [s, c, -s, -c]) + 0.0
    return np.stack([x, y], axis=-1)


def unit_left(forward: ArrayLike) -> Array:
    """The vector a quarter turn to the left.

    >>> unit_left([1.0, 0.0]).tolist()
    [0.0, 1.0]
    """
    f = np.asarray(forward, float)
    return np.stack([0.0 - f[..., 1], f[..., 0]], axis=-1)


def rotate(points: ArrayLike, about: ArrayLike, deg: ArrayLike) -> Array:
    """Points turned counter-clockwise about a centre.

    >>> rotate([[2.0, 1.0]], [1.0, 1.0], 90).tolist()
    [[1.0, 2.0]]
    """
    p, c = np.asarray(points, float), np.asarray(about, float)
    f = direction(deg)
    v = p - c
    cos, sin = f[..., 0], f[..., 1]
    out: Array = c + np.stack([v[..., 0] * cos - v[..., 1] * sin, v[..., 0] * sin + v[..., 1] * cos], axis=-1)
    return out


def rect_corners(at: ArrayLike, facing_deg: ArrayLike, width_mm: ArrayLike, depth_mm: ArrayLike) -> Array:
    """Corners of rectangles, (…, 4, 2), counter-clockwise: front right, front left, rear left, rear right.

    >>> rect_corners([0, 0], 0, 40, 20).tolist()
    [[10.0, -20.0], [10.0, 20.0], [-10.0, 20.0], [-10.0, -20.0]]
    """
    centre = np.asarray(at, float)[..., None, :]
    f = direction(facing_deg)
    left = unit_left(f)
    half_w = (np.asarray(width_mm, float) / 2)[..., None, None]
    half_d = (np.asarray(depth_mm, float) / 2)[..., None, None]
    ahead = np.array([1.0, 1.0, -1.0, -1.0])[:, None]
    aside = np.array([-1.0, 1.0, 1.0, -1.0])[:, None]
    out: Array = centre + ahead * half_d * f[..., None, :] + aside * half_w * left[..., None, :]
    return out


def pad(cores: list[Array]) -> Array:
    """Cores of different corner counts in one array, (N, K, 2), the last corner repeated.

    >>> pad([np.array([[0.0, 0.0]]), np.array([[1.0, 0.0], [2.0, 0.0]])]).tolist()
    [[[0.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [2.0, 0.0]]]
    """
    most = max((len(core) for core in cores), default=1)
    out = np.empty((len(cores), most, 2))
    for i, core in enumerate(cores):
        out[i, : len(core)] = core
        out[i, len(core) :] = core[-1]
    return out


def cross(u: ArrayLike, v: ArrayLike) -> Array:
    """The z part of the cross product: positive when v lies to the left of u.

    >>> float(cross([1, 0], [0, 1]))
    1.0
    """
    a, b = np.asarray(u, float), np.asarray(v, float)
    out: Array = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


def point_segment(p: ArrayLike, a: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
    """Distance of points to segments and the nearest point of each segment.

    >>> d, foot = point_segment([1.0, 2.0], [0.0, 0.0], [4.0, 0.0])
    >>> float(d), foot.tolist()
    (2.0, [1.0, 0.0])
    """
    p, a, b = (np.asarray(v, float) for v in (p, a, b))
    along = b - a
    length2 = (along * along).sum(-1)
    t = ((p - a) * along).sum(-1) / np.where(length2 > 0, length2, 1.0)
    foot = a + np.clip(t, 0.0, 1.0)[..., None] * along
    away = p - foot
    return np.hypot(away[..., 0], away[..., 1]), foot


def _edges(core: Array) -> tuple[Array, Array, Array]:
    """Start and end of every edge and its outward unit normal (zero for an edge of no length)."""
    end = np.roll(core, -1, axis=-2)
    along = end - core
    length2 = (along * along).sum(-1, keepdims=True)
    normal = np.stack([along[..., 1], -along[..., 0]], axis=-1)
    scale = np.where(length2 > _FLAT, 1.0 / np.sqrt(np.where(length2 > _FLAT, length2, 1.0)), 0.0)
    return core, end, normal * scale


def _separation(a: Array, b: Array) -> Array:
    """The widest gap between the shadows of two convex cores along an edge normal of `a`: negative if none."""
    start, _, normal = _edges(a)
    offset = (normal * start).sum(-1)  # (…, Ka)
    lowest = (normal[..., :, None, :] * b[..., None, :, :]).sum(-1).min(-1)  # (…, Ka)
    flat = (normal * normal).sum(-1) < 0.5
    out: Array = np.where(flat, -np.inf, lowest - offset).max(-1)
    return out


def gap(
    core_a: ArrayLike, radius_a: ArrayLike, core_b: ArrayLike, radius_b: ArrayLike, *, deep: bool = True
) -> Array:
    """Signed clear distance between convex shapes: 0 touching, negative the depth of the overlap.

    `core_*` are (…, K, 2), `radius_*` (…); leading dimensions broadcast. With `deep=False` overlapping cores
    give 0 rather than their depth, which is faster where only contact matters.

    >>> square = rect_corners([0, 0], 0, 10, 10)
    >>> float(gap(square, 0.0, rect_corners([12, 0], 0, 10, 10), 0.0))
    2.0
    >>> float(gap(square, 0.0, rect_corners([9, 0], 0, 10, 10), 0.0))
    -1.0
    >>> float(gap([[0.0, 0.0]], 5.0, [[3.0, 4.0]], 1.0))  # two discs
    -1.0
    """
    return closest(core_a, radius_a, core_b, radius_b, deep=deep)[0]


def closest(
    core_a: ArrayLike, radius_a: ArrayLike, core_b: ArrayLike, radius_b: ArrayLike, *, deep: bool = True
) -> tuple[Array, Array, Array]:
    """`gap` and the closest points, on `a` and on `b` (of overlapping shapes: where a corner meets the other).

    >>> d, on_a, on_b = closest([[0.0, 0.0]], 1.0, rect_corners([5, 0], 0, 4, 4), 0.0)
    >>> float(d), on_a.tolist(), on_b.tolist()
    (2.0, [1.0, 0.0], [3.0, 0.0])
    """
    a, b = np.asarray(core_a, float), np.asarray(core_b, float)
    ra, rb = np.asarray(radius_a, float), np.asarray(radius_b, float)
    a0, a1, _ = _edges(a)
    b0, b1, _ = _edges(b)
    # every corner of one against every edge of the other
    d_ab, foot_b = point_segment(a[..., :, None, :], b0[..., None, :, :], b1[..., None, :, :])
    d_ba, foot_a = point_segment(b[..., None, :, :], a0[..., :, None, :], a1[..., :, None, :])
    lead = d_ab.shape[:-2]
    flat_ab, flat_ba = d_ab.reshape(*lead, -1), d_ba.reshape(*lead, -1)
    i, j = flat_ab.argmin(-1)[..., None], flat_ba.argmin(-1)[..., None]
    near_ab = np.take_along_axis(flat_ab, i, -1)[..., 0]
    near_ba = np.take_along_axis(flat_ba, j, -1)[..., 0]
    corners_a = np.broadcast_to(a[..., :, None, :], foot_b.shape)
    corners_b = np.broadcast_to(b[..., None, :, :], foot_a.shape)
    first = (near_ab <= near_ba)[..., None]
    on_a = np.where(first, _pick(corners_a, i), _pick(foot_a, j))
    on_b = np.where(first, _pick(foot_b, i), _pick(corners_b, j))
    clear = np.minimum(near_ab, near_ba)
    if deep or a.shape[-2] > 1 or b.shape[-2] > 1:
        apart = np.maximum(_separation(a, b), _separation(b, a))
        overlapping = (apart <= 0) & np.isfinite(apart)
        clear = np.where(overlapping, apart if deep else 0.0, clear)
    way = on_b - on_a
    length = np.hypot(way[..., 0], way[..., 1])[..., None]
    ahead = np.where(length > 0, way / np.where(length > 0, length, 1.0), 0.0)
    ahead = np.where((clear < 0)[..., None], -ahead, ahead)
    ra_, rb_ = np.broadcast_to(ra, clear.shape)[..., None], np.broadcast_to(rb, clear.shape)[..., None]
    return clear - ra - rb, on_a + ahead * ra_, on_b - ahead * rb_


def _pick(points: Array, index: NDArray[np.intp]) -> Array:
    flat = points.reshape(*points.shape[:-3], -1, 2)
    out: Array = np.take_along_axis(flat, index[..., None], -2)[..., 0, :]
    return out
