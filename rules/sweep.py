"""Shapes on the move: straight slides, turns, and the first place along a path where a disc fits."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import shapely

from .footprint import Footprint
from .plane import Array, point_segment
from .sight import inside

__all__ = ["first_wholly_inside_mm", "slide_limit_mm", "swept", "turn_arc"]


def first_wholly_inside_mm(path: Array, radius_mm: float, area: Any, slack_mm: float = 1e-6) -> float | None:
    """How far along a path the closed disc first lies wholly in a closed (multi)polygon; None if it never does.

    Exact: on each straight leg, the stretches nearer than the radius to a border are intervals with closed
    forms, and the disc is inside where none covers the centre and the centre is.

    >>> wood = shapely.box(10, 0, 30, 30)
    >>> round(first_wholly_inside_mm(np.array([[0.0, 15.0], [30.0, 15.0]]), 4.0, wood), 4)
    14.0
    >>> first_wholly_inside_mm(np.array([[0.0, 15.0], [30.0, 15.0]]), 12.0, wood) is None
    True
    """
    edges = _rings(area)
    if not edges:
        return None
    a = np.concatenate([ring[:-1] for ring in edges])
    b = np.concatenate([ring[1:] for ring in edges])
    near = max(radius_mm - slack_mm, 0.0)
    travelled = 0.0
    for start, end in pairwise(path):
        leg = float(np.hypot(*(end - start)))
        way = (end - start) / leg if leg > 0 else np.zeros(2)
        low, high = _near_interval(start, way, a, b, near)
        for at in _uncovered(low, high, leg):
            point = start + way * at
            if (
                _in_area(point, edges, slack_mm)
                and float(point_segment(point, a, b)[0].min()) >= near - slack_mm
            ):
                return travelled + at
        travelled += leg
    return None


def _rings(area: Any) -> list[Array]:
    parts = shapely.get_parts(area) if area.geom_type.startswith("Multi") else [area]
    return [
        np.asarray(ring.coords, float)
        for part in parts
        if part.geom_type == "Polygon" and not part.is_empty
        for ring in (part.exterior, *part.interiors)
    ]


def _in_area(point: Array, rings: list[Array], slack_mm: float) -> bool:
    return sum(bool(inside(point, ring[:-1], -slack_mm)) for ring in rings) % 2 == 1


def _near_interval(p: Array, d: Array, a: Array, b: Array, r: float) -> tuple[Array, Array]:
    """For each segment a → b: the open stretch of p + t·d that is nearer to it than r (empty: low > high)."""
    low, high = np.full(len(a), np.inf), np.full(len(a), -np.inf)

    def join(lo: Array, hi: Array, where: Any) -> None:
        np.minimum(low, np.where(where, lo, low), out=low)
        np.maximum(high, np.where(where, hi, high), out=high)

    still = float(d @ d) == 0.0
    if still:
        close = point_segment(p, a, b)[0] < r
        join(np.full(len(a), -np.inf), np.full(len(a), np.inf), close)
        return low, high
    for c in (a, b):  # discs around the ends
        t = (c - p) @ d
        off2 = ((c - p) ** 2).sum(-1) - t * t
        half = np.sqrt(np.maximum(r * r - off2, 0.0))
        join(t - half, t + half, off2 < r * r)
    along = b - a  # the strip between them
    length = np.hypot(along[:, 0], along[:, 1])
    e = along / np.where(length > 0, length, 1.0)[:, None]
    n = np.stack([-e[:, 1], e[:, 0]], axis=-1)
    dn, de = n @ d, e @ d
    pn, pe = ((p - a) * n).sum(-1), ((p - a) * e).sum(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        across = np.stack([(-r - pn) / dn, (r - pn) / dn])
        within = np.stack([(0.0 - pe) / de, (length - pe) / de])
    flat_n, flat_e = np.abs(dn) < 1e-15, np.abs(de) < 1e-15
    lo_n = np.where(flat_n, np.where(np.abs(pn) < r, -np.inf, np.inf), across.min(0))
    hi_n = np.where(flat_n, np.where(np.abs(pn) < r, np.inf, -np.inf), across.max(0))
    on = (pe >= 0) & (pe <= length)
    lo_e = np.where(flat_e, np.where(on, -np.inf, np.inf), within.min(0))
    hi_e = np.where(flat_e, np.where(on, np.inf, -np.inf), within.max(0))
    lo, hi = np.maximum(lo_n, lo_e), np.minimum(hi_n, hi_e)
    join(lo, hi, lo < hi)
    return low, high


def _uncovered(low: Array, high: Array, leg: float) -> list[float]:
    """Where the uncovered stretches of [0, leg] begin, in order, and their middles (a centre may be outside)."""
    spans = sorted((float(lo), float(hi)) for lo, hi in zip(low, high, strict=True) if lo < hi)
    starts, reach = [], 0.0
    for lo, hi in spans:
        if lo > reach:
            starts.append(reach)
        reach = max(reach, hi)
        if reach > leg:
            return starts
    return [*starts, reach]


def swept(footprint: Footprint, by: Array) -> Footprint:
    """Everything a footprint passes over when it slides straight by a vector.

    >>> swept(Footprint.rect((0, 0), 0, 10, 10), np.array([20.0, 0.0])).bounds
    (-5.0, -5.0, 25.0, 5.0)
    """
    parts = []
    for part in footprint.parts:
        both = shapely.MultiPoint(np.concatenate([part, part + by])).convex_hull
        ring = shapely.get_coordinates(shapely.orient_polygons(both) if both.geom_type == "Polygon" else both)
        parts.append(ring[:-1] if both.geom_type == "Polygon" else ring)
    return Footprint(tuple(parts), footprint.radius)


def slide_limit_mm(mover: Footprint, by: Array, obstacle: Footprint, slack_mm: float = 1e-6) -> float:
    """How far a footprint slides along `by` before its interior would meet an obstacle's; its length if it never does.

    Exact for polygons: for each pair of convex parts the time of first overlap is where the last separating
    side gives way (the swept separating axis test).

    >>> box = Footprint.rect((0, 0), 0, 10, 10)
    >>> slide_limit_mm(box, np.array([50.0, 0.0]), Footprint.rect((30, 9.9), 0, 10, 10))
    20.0
    >>> slide_limit_mm(box, np.array([50.0, 0.0]), Footprint.rect((30, 10), 0, 10, 10))
    50.0
    """
    length = float(np.hypot(*by))
    if length == 0.0:
        return 0.0
    limit = length
    for a in mover.parts:
        for b in obstacle.parts:
            limit = min(limit, _first_overlap(a, b, by, length, slack_mm))
    return limit


def _first_overlap(a: Array, b: Array, by: Array, length: float, slack_mm: float) -> float:
    """Distance at which convex `a` sliding by `by` begins to overlap convex `b`; `length` if it does not."""
    way = by / length
    axes = []
    for ring in (a, b):
        e = np.roll(ring, -1, axis=0) - ring
        size = np.hypot(e[:, 0], e[:, 1])
        keep = size > 1e-12
        axes.append(np.stack([e[keep, 1], -e[keep, 0]], axis=-1) / size[keep, None])
    n = np.concatenate(axes)
    speed = n @ way
    a_low, a_high = (a @ n.T).min(0), (a @ n.T).max(0)
    b_low, b_high = (b @ n.T).min(0) + slack_mm, (b @ n.T).max(0) - slack_mm
    # shadows overlap (by more than the slack) while a_high + s·t > b_low and a_low + s·t < b_high
    with np.errstate(divide="ignore", invalid="ignore"):
        t_in = (b_low - a_high) / speed
        t_out = (b_high - a_low) / speed
    still = np.abs(speed) < 1e-15
    apart = still & ((a_high <= b_low) | (a_low >= b_high))
    if apart.any():
        return length
    begins = np.where(still, -np.inf, np.minimum(t_in, t_out))
    decides = int(begins.argmax())
    first = float(begins[decides])
    last = np.where(still, np.inf, np.maximum(t_in, t_out)).min()
    if first >= last or last <= 0.0 or first >= length:
        return length
    # the slack delays the first overlap by a rounding's worth; give the exact contact
    return max(0.0, min(length, first - slack_mm / abs(float(speed[decides]))))


def turn_arc(footprint: Footprint, about: Array, angle_deg: float, steps: int = 64) -> list[Footprint]:
    """The footprint at equal steps of a turn about a point, first and last included."""
    return [footprint.turned(about, angle_deg * k / steps) for k in range(steps + 1)]
