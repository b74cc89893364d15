"""A few plane facts that calibration needs, without shapely's weight. Points are (N,2) arrays."""

from __future__ import annotations

import numpy as np

from .camera import Floats


def signed_area(points: Floats) -> float:
    """Positive when the points run counter-clockwise (x right, y up).

    >>> signed_area(np.array([[0, 0], [2, 0], [2, 1], [0, 1.0]]))
    2.0
    """
    x, y = points[:, 0], points[:, 1]
    return float(0.5 * (x * np.roll(y, -1) - np.roll(x, -1) * y).sum())


def crosses(quad: Floats) -> bool:
    """Whether the sides of a four-cornered figure cross (a bow tie)."""
    a, b, c, d = quad
    return _meet(a, b, c, d) or _meet(b, c, d, a)


def _meet(a: Floats, b: Floats, c: Floats, d: Floats) -> bool:
    def side(p: Floats, q: Floats, r: Floats) -> float:
        return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def convex(quad: Floats) -> bool:
    """Whether a four-cornered figure is convex, counter-clockwise."""
    return all(signed_area(np.delete(quad, k, axis=0)) > 0 for k in range(len(quad)))


def turn_of(before: Floats, after: Floats) -> float:
    """The rotation in radians, counter-clockwise, that best turns one centred set of points into another."""
    cross = (before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]).sum()
    return float(np.arctan2(cross, (before * after).sum()))
