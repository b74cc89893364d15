"""Arcs: sectors around a point, and the wide arc that opens from a front edge. All borders closed.

Each test has a signed companion in millimetres, positive inside, for the error bars.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .plane import Array, direction, gap, unit_left

__all__ = ["FAR_MM", "front_wedge", "in_sector", "off_angle_deg", "sector_margin_mm", "wedge_margin_mm"]

FAR_MM = 1e5
"""An arc has no far limit; this is farther than any two points of a scene may be apart on a table."""


def off_angle_deg(apex: ArrayLike, facing_deg: ArrayLike, points: ArrayLike) -> Array:
    """How far the direction to each point is off the facing, 0–180 degrees; the apex itself is dead ahead.

    >>> off_angle_deg([0, 0], 90, [[0, 5], [5, 5], [0, -1]]).tolist()
    [0.0, 45.0, 180.0]
    """
    away = np.asarray(points, float) - np.asarray(apex, float)
    f = direction(facing_deg)
    ahead = (away * f).sum(-1)
    aside = (away * unit_left(f)).sum(-1)
    out: Array = np.abs(np.degrees(np.arctan2(aside, ahead)))
    return out


def in_sector(
    apex: ArrayLike, facing_deg: ArrayLike, arc_deg: ArrayLike, points: ArrayLike
) -> NDArray[np.bool_]:
    """Which points lie in the closed sector of `arc_deg` degrees around the facing.

    >>> in_sector([0, 0], 90, 90, [[5, 5], [5, 4.9]]).tolist()
    [True, False]
    """
    inside: NDArray[np.bool_] = sector_margin_mm(apex, facing_deg, arc_deg, points) >= -1e-9
    return inside


def sector_margin_mm(apex: ArrayLike, facing_deg: ArrayLike, arc_deg: ArrayLike, points: ArrayLike) -> Array:
    """Distance of each point to the nearer border line of the sector, positive inside, infinite in a full circle.

    >>> sector_margin_mm([0, 0], 0, 180, [[3.0, 4.0], [-2.0, 0.0]]).round(9).tolist()
    [3.0, -2.0]
    """
    away = np.asarray(points, float) - np.asarray(apex, float)
    far = np.hypot(away[..., 0], away[..., 1])
    half = np.asarray(arc_deg, float) / 2
    short = half - off_angle_deg(apex, facing_deg, points)  # degrees inside the border
    turn = np.radians(np.clip(np.abs(short), 0.0, 90.0))
    out: Array = np.where(half >= 180.0, np.inf, np.sign(short) * far * np.sin(turn))
    return out


def front_wedge(left: ArrayLike, right: ArrayLike, half_angle_deg: float, grow_mm: float = 0.0) -> Array:
    """The arc that opens from the front edge right → left by `half_angle_deg` on both sides, as four corners,
    counter-clockwise: front left, front right and two far ones.

    `grow_mm` moves its three borders outwards (inwards if negative).

    >>> front_wedge([0, 10], [0, -10], 45)[:2].tolist()
    [[0.0, 10.0], [0.0, -10.0]]
    """
    fl, fr = np.asarray(left, float), np.asarray(right, float)
    along = (fl - fr) / np.hypot(*(fl - fr))
    ahead = np.array([along[1], -along[0]])
    half = np.radians(half_angle_deg)
    # moving the slanted border outwards by g and the front line back by g shifts a corner aside by this much
    aside = grow_mm * (1.0 - np.sin(half)) / max(np.cos(half), 1e-9)
    fl = fl - grow_mm * ahead + aside * along
    fr = fr - grow_mm * ahead - aside * along
    out_left = np.cos(half) * ahead + np.sin(half) * along
    out_right = np.cos(half) * ahead - np.sin(half) * along
    return np.stack([fl, fr, fr + FAR_MM * out_right, fl + FAR_MM * out_left])


def wedge_margin_mm(wedge: ArrayLike, cores: ArrayLike, radius: ArrayLike = 0.0) -> Array:
    """How deep convex shapes reach into a wedge (positive), or how far they are from it (negative).

    >>> from .plane import rect_corners
    >>> wedge = front_wedge([0, 10], [0, -10], 45)
    >>> float(wedge_margin_mm(wedge, rect_corners([-15, 0], 0, 20, 20)))
    -5.0
    """
    return -gap(wedge, 0.0, cores, radius)
