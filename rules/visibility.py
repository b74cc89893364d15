"""Is there any free line from this edge to that outline, and which is the shortest?

Exact up to rounding, by critical lines: grazing is allowed, so the free lines form a closed set, and if there is
one at all there is one through two *events* (ends of the source, corners of the target, corners of what stands
between). The shortest free line is either the shortest of all, or grazes one corner at the best angle, or passes
through two events; all of them are tried. No sampling decides an answer.

The margin is the room of the best line: how far all blockers could grow before the last free line closes, or
would have to shrink to open one. It is found by search, which is enough for an error bar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

from .footprint import Footprint, stack
from .plane import Array, closest, cross, point_segment

__all__ = ["MARGIN_REACH_MM", "Look", "body", "look", "room_mm", "segments_of"]

TOUCH_MM = 1e-6
"""Blockers no farther apart than this are one body; a line that enters less than this deep only grazes."""

MARGIN_REACH_MM = 60.0
"""Blockers farther than this from every line play no part in a margin, and no margin is larger."""

_ON_LINE_MM = 1e-7
"""An end of a segment this near to a line lies on it (rounding of coordinates of some metres)."""

Line = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True)
class Look:
    """What can be seen: the shortest free line (None: there is none) and the blockers near the lines (indices)."""

    line: Line | None
    length_mm: float | None
    between: tuple[int, ...]

    @property
    def free(self) -> bool:
        return self.line is not None


def segments_of(geometry: Any) -> Array:
    """The straight pieces of any geometry's border, (n, 2, 2); a lone point gives one of no length.

    >>> segments_of(shapely.box(0, 0, 1, 1)).shape
    (4, 2, 2)
    """
    out: list[Array] = []
    for part in shapely.get_parts(shapely.GeometryCollection([geometry]), return_index=False):
        stack_ = [part]
        while stack_:
            g = stack_.pop()
            if g.is_empty:
                continue
            if g.geom_type == "Polygon":
                stack_ += [g.exterior, *g.interiors]
            elif g.geom_type == "Point":
                p = shapely.get_coordinates(g)
                out.append(np.concatenate([p, p])[None])
            elif hasattr(g, "geoms"):
                stack_ += list(g.geoms)
            else:
                c = shapely.get_coordinates(g)
                out.append(np.stack([c[:-1], c[1:]], axis=1))
    return np.concatenate(out) if out else np.empty((0, 2, 2))


def body(blockers: Sequence[Any], grow_mm: float = 0.0) -> Any:
    """The union of blockers whose interior cuts lines: touching ones are one body, and its rim only grazes.

    `grow_mm` makes all of them larger (smaller if negative).
    """
    mitre = {"join_style": "mitre", "mitre_limit": 10.0}
    whole = shapely.unary_union(shapely.buffer(np.asarray(blockers, object), grow_mm + TOUCH_MM, **mitre))
    return shapely.buffer(whole, -2 * TOUCH_MM, **mitre)


def look(source: Array, target: Array, blockers: Sequence[Any], *, shortest: bool = True) -> Look:
    """The shortest free line from the segments `source` to the segments `target`, both (n, 2, 2).

    `blockers` are shapely polygons; the target's own ground must not be among them. With `shortest=False` any free
    line will do, which is faster.

    >>> edge = np.array([[[0.0, 0.0], [10.0, 0.0]]])
    >>> far = segments_of(shapely.box(0, 50, 10, 60))
    >>> look(edge, far, []).length_mm
    50.0
    >>> look(edge, far, [shapely.box(-5, 20, 15, 30)]).free
    False
    >>> look(edge, far, [shapely.box(-5, 20, 10, 30)]).line  # grazing its side is allowed
    ((10.0, 0.0), (10.0, 50.0))
    """
    if len(source) == 0 or len(target) == 0:
        return Look(None, None, ())
    hull = shapely.MultiPoint(np.concatenate([source.reshape(-1, 2), target.reshape(-1, 2)])).convex_hull
    near = _meeting(hull, blockers)
    p, q = _closest_pairs(source, target)
    if not near:
        return _best(p, q, (), None)
    rim = shapely.unary_union(
        shapely.buffer(np.array([blockers[i] for i in near], object), TOUCH_MM / 4, join_style="mitre")
    )
    solid = body([blockers[i] for i in near])
    shapely.prepare(solid)
    quick = _best(p, q, near, solid)
    if quick.length_mm is not None and (not shortest or quick.length_mm <= _lengths(p, q).min() + 1e-12):
        return quick
    corners = shapely.get_coordinates(rim)
    corners = np.concatenate([corners, *(shapely.get_coordinates(blockers[i]) for i in near)])
    corners = corners[shapely.dwithin(shapely.points(corners), hull, 1e-3)]
    corners = np.unique(corners, axis=0)
    lines = [(p, q), _through_pairs(source, target, corners)]
    if shortest:
        lines.append(_grazing(source, target, corners))
    p = np.concatenate([line[0] for line in lines])
    q = np.concatenate([line[1] for line in lines])
    return _best(p, q, near, solid)


def _meeting(hull: Any, blockers: Sequence[Any]) -> tuple[int, ...]:
    """Blockers whose interior meets the hull of all candidate lines."""
    if not blockers:
        return ()
    shapely.prepare(hull)
    shapes = np.asarray(blockers, object)
    close = np.flatnonzero(shapely.intersects(hull, shapes))
    cut = shapely.intersects(hull, shapely.buffer(shapes[close], -TOUCH_MM, join_style="mitre"))
    return tuple(int(i) for i in close[cut])


def _lengths(p: Array, q: Array) -> Array:
    return np.hypot(q[:, 0] - p[:, 0], q[:, 1] - p[:, 1])


def _best(p: Array, q: Array, near: tuple[int, ...], solid: Any) -> Look:
    """The shortest of these lines that the solid does not cut."""
    if len(p) == 0:
        return Look(None, None, near)
    lengths = _lengths(p, q)
    if solid is None or solid.is_empty:
        free = np.ones(len(p), bool)
    else:
        free = ~shapely.intersects(solid, shapely.linestrings(np.stack([p, q], axis=1)))
    if not free.any():
        return Look(None, None, near)
    k = int(np.where(free, lengths, np.inf).argmin())
    line = ((float(p[k, 0]), float(p[k, 1])), (float(q[k, 0]), float(q[k, 1])))
    return Look(line, float(lengths[k]), near)


def _closest_pairs(source: Array, target: Array) -> tuple[Array, Array]:
    """The closest points of every source segment with every target segment, and all four end-to-side feet."""
    _, p, q = closest(source[:, None], 0.0, target[None], 0.0, deep=False)
    _, crossing = _crossings(source, target)
    ends_s, ends_t = source.reshape(-1, 2), target.reshape(-1, 2)
    _, on_t = point_segment(ends_s[:, None], target[None, :, 0], target[None, :, 1])
    _, on_s = point_segment(ends_t[:, None], source[None, :, 0], source[None, :, 1])
    from_s = np.broadcast_to(ends_s[:, None], on_t.shape)
    from_t = np.broadcast_to(ends_t[:, None], on_s.shape)
    starts = [p.reshape(-1, 2), from_s.reshape(-1, 2), on_s.reshape(-1, 2), crossing]
    ends = [q.reshape(-1, 2), on_t.reshape(-1, 2), from_t.reshape(-1, 2), crossing]
    return np.concatenate(starts), np.concatenate(ends)


def _crossings(a: Array, b: Array) -> tuple[Array, Array]:
    """Where segments of two sets cross: a line of no length is free if its point is."""
    d, e = a[:, None, 1] - a[:, None, 0], b[None, :, 1] - b[None, :, 0]
    away = b[None, :, 0] - a[:, None, 0]
    det = cross(d, e)
    with np.errstate(divide="ignore", invalid="ignore"):
        t, u = cross(away, e) / det, cross(away, d) / det
    hit = (np.abs(det) > 1e-12) & (t >= 0) & (t <= 1) & (u >= 0) & (u <= 1)
    points = a[:, None, 0] + np.where(hit, t, 0.0)[..., None] * d
    return t[hit], points[hit]


def _through_pairs(source: Array, target: Array, corners: Array) -> tuple[Array, Array]:
    """On every line through two events: from each point of the source to the next points of the target."""
    events = np.unique(np.concatenate([source.reshape(-1, 2), target.reshape(-1, 2), corners]), axis=0)
    i, j = np.triu_indices(len(events), 1)
    origin, way = events[i], events[j] - events[i]
    size = np.hypot(way[:, 0], way[:, 1])
    keep = size > 1e-6
    origin, way = origin[keep], way[keep] / size[keep, None]
    s, t = _along(origin, way, source), _along(origin, way, target)
    low = np.where(t[:, None, :] <= s[:, :, None] + 1e-12, t[:, None, :], -np.inf).max(-1)
    high = np.where(t[:, None, :] >= s[:, :, None] - 1e-12, t[:, None, :], np.inf).min(-1)
    starts, ends = [], []
    for reach in (low, high):
        k, m = np.nonzero(np.isfinite(s) & np.isfinite(reach))
        starts.append(origin[k] + s[k, m][:, None] * way[k])
        ends.append(origin[k] + reach[k, m][:, None] * way[k])
    return np.concatenate(starts), np.concatenate(ends)


def _along(origin: Array, way: Array, segments: Array) -> Array:
    """Where lines meet segments, as lengths along the lines, (L, 3 n); NaN where they do not."""
    a, b = segments[None, :, 0] - origin[:, None], segments[None, :, 1] - origin[:, None]
    u = way[:, None]
    side_a, side_b = cross(u, a), cross(u, b)
    at_a, at_b = (u * a).sum(-1), (u * b).sum(-1)
    on_a, on_b = np.abs(side_a) <= _ON_LINE_MM, np.abs(side_b) <= _ON_LINE_MM
    across = (side_a * side_b < 0) & ~on_a & ~on_b
    with np.errstate(divide="ignore", invalid="ignore"):
        mix = side_a / (side_a - side_b)
        between = at_a + mix * (at_b - at_a)
    return np.concatenate(
        [
            np.where(on_a, at_a, np.nan),
            np.where(on_b, at_b, np.nan),
            np.where(across, between, np.nan),
        ],
        axis=1,
    )


def _grazing(source: Array, target: Array, corners: Array) -> tuple[Array, Array]:
    """Through each corner, for each pair of sides, the shortest line: its length is convex in its direction."""
    if len(corners) == 0:
        return np.empty((0, 2)), np.empty((0, 2))
    v = corners[:, None, None]
    e, t = source[None, :, None], target[None, None, :]
    # directions (of travel, source to target) that hit each segment, as an interval around its middle
    e_low, e_high = _interval(v, e, -1.0)
    t_low, t_high = _interval(v, t, 1.0)
    shape = np.broadcast_shapes(e_low.shape, t_low.shape)
    e_low, e_high = np.broadcast_to(e_low, shape), np.broadcast_to(e_high, shape)
    t_low, t_high = np.broadcast_to(t_low, shape), np.broadcast_to(t_high, shape)
    turn = np.round((e_low - t_low) / (2 * np.pi)) * 2 * np.pi
    t_low, t_high = t_low + turn, t_high + turn
    low, high = np.maximum(e_low, t_low), np.minimum(e_high, t_high)
    ok = low < high
    k = np.nonzero(ok)
    if len(k[0]) == 0:
        return np.empty((0, 2)), np.empty((0, 2))
    at, low, high = corners[k[0]], low[k], high[k]
    side_e, side_t = source[k[1]], target[k[2]]
    for _ in range(60):
        middle = (low + high) / 2
        rising = _slope(at, side_e, middle) + _slope(at, side_t, middle) > 0
        high = np.where(rising, middle, high)
        low = np.where(rising, low, middle)
    angle = (low + high) / 2
    way = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    p = at + _reach(at, way, side_e)[:, None] * way
    q = at + _reach(at, way, side_t)[:, None] * way
    good = np.isfinite(p).all(-1) & np.isfinite(q).all(-1)
    return p[good], q[good]


def _interval(v: Array, segment: Array, sign: float) -> tuple[Array, Array]:
    """The directions in which a line through v hits a segment ahead (+1) or behind (-1) of it."""
    a, b = sign * (segment[..., 0, :] - v), sign * (segment[..., 1, :] - v)
    one, two = np.arctan2(a[..., 1], a[..., 0]), np.arctan2(b[..., 1], b[..., 0])
    span = np.mod(two - one + np.pi, 2 * np.pi) - np.pi
    flat = (np.hypot(a[..., 0], a[..., 1]) < 1e-9) | (np.hypot(b[..., 0], b[..., 1]) < 1e-9)
    span = np.where(flat | (np.abs(np.abs(span) - np.pi) < 1e-9), 0.0, span)
    return np.minimum(one, one + span), np.maximum(one, one + span)


def _slope(v: Array, segment: Array, angle: Array) -> Array:
    """How the distance from v to the line of a segment changes with the direction."""
    d = segment[:, 1] - segment[:, 0]
    n = np.stack([-d[:, 1], d[:, 0]], axis=-1) / np.hypot(d[:, 0], d[:, 1])[:, None]
    h = ((segment[:, 0] - v) * n).sum(-1)
    along = np.cos(angle) * n[:, 0] + np.sin(angle) * n[:, 1]
    turning = -np.sin(angle) * n[:, 0] + np.cos(angle) * n[:, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        grows = -h * turning / (along * along)  # of the signed reach h / along
    ahead = np.sign(h * along)
    out: Array = np.nan_to_num(grows * ahead, nan=0.0, posinf=1e30, neginf=-1e30)
    return out


def _reach(v: Array, way: Array, segment: Array) -> Array:
    d = segment[:, 1] - segment[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = cross(segment[:, 0] - v, d) / cross(way, d)
    out: Array = t
    return out


# --- the room of the best line --------------------------------------------------------------------------------

_GRID = (13, 25)
"""Starts and ends tried first: fine enough to find a gap a tenth as wide as the edges, corners find the others."""
_BEST = 6
_ROUNDS = 16
"""Halvings of the search around the best lines: 1/25 of an outline shrinks to a micrometre."""


def room_mm(
    source: Array,
    target: Array,
    blockers: Sequence[Footprint],
    seeds: Line | None = None,
    reach_mm: float = MARGIN_REACH_MM,
) -> float:
    """The room of the best line: the largest, over all lines, of its signed room to the nearest blocker.

    Never more than `reach_mm`, beyond which no blocker need be given.

    >>> edge = np.array([[[0.0, 0.0], [10.0, 0.0]]])
    >>> far = segments_of(shapely.box(0, 50, 10, 60))
    >>> round(room_mm(edge, far, [Footprint.polygon([(4, 20), (30, 20), (30, 30), (4, 30)])]), 3)
    4.0
    >>> round(room_mm(edge, far, [Footprint.polygon([(-5, 20), (13, 20), (13, 30), (-5, 30)])]), 3)
    -3.0
    """
    if not blockers:
        return reach_mm
    parts = stack(blockers)
    rooms = _Rooms(source, target, parts.core, parts.radius)
    s, t = (
        g.ravel()
        for g in np.meshgrid(np.linspace(0, 1, _GRID[0]), np.linspace(0, 1, _GRID[1]), indexing="ij")
    )
    extra_s, extra_t = rooms.through(parts.core.reshape(-1, 2))
    s, t = np.concatenate([s, extra_s]), np.concatenate([t, extra_t])
    if seeds is not None:
        s = np.append(s, rooms.source.nearest(np.asarray(seeds[0])))
        t = np.append(t, rooms.target.nearest(np.asarray(seeds[1])))
    value = rooms(s, t)
    order = np.argsort(-value)[:_BEST]
    s, t, value = s[order], t[order], value[order]
    step_s, step_t = 1.0 / (_GRID[0] - 1), 1.0 / (_GRID[1] - 1)
    ds, dt = (g.ravel() for g in np.meshgrid([-1.0, -0.4, 0.0, 0.4, 1.0], [-1.0, -0.4, 0.0, 0.4, 1.0]))
    for _ in range(_ROUNDS):
        try_s = np.clip(s[:, None] + step_s * ds, 0.0, 1.0)
        try_t = np.clip(t[:, None] + step_t * dt, 0.0, 1.0)
        tried = rooms(try_s.ravel(), try_t.ravel()).reshape(try_s.shape)
        k = tried.argmax(1)[:, None]
        s, t = np.take_along_axis(try_s, k, 1)[:, 0], np.take_along_axis(try_t, k, 1)[:, 0]
        value = np.take_along_axis(tried, k, 1)[:, 0]
        step_s, step_t = step_s / 2, step_t / 2
    return float(min(value.max(), reach_mm))


class _Way:
    """A chain of segments walked by one number from 0 to 1."""

    def __init__(self, segments: Array) -> None:
        self.a, self.d = segments[:, 0], segments[:, 1] - segments[:, 0]
        sizes = np.hypot(self.d[:, 0], self.d[:, 1])
        total = float(sizes.sum())
        self.ends = np.cumsum(sizes) / total if total > 0 else np.ones(len(sizes))
        self.starts = np.concatenate([[0.0], self.ends[:-1]])

    def __call__(self, u: Array) -> Array:
        k = np.minimum(np.searchsorted(self.ends, u, side="left"), len(self.ends) - 1)
        span = self.ends[k] - self.starts[k]
        f = (u - self.starts[k]) / np.where(span > 0, span, 1.0)
        out: Array = self.a[k] + f[:, None] * self.d[k]
        return out

    def nearest(self, point: Array) -> float:
        d, foot = point_segment(point, self.a, self.a + self.d)
        k = int(d.argmin())
        size = float(np.hypot(*self.d[k]))
        f = float(np.hypot(*(foot[k] - self.a[k]))) / size if size > 0 else 0.0
        return float(self.starts[k] + f * (self.ends[k] - self.starts[k]))


class _Rooms:
    """The signed room of many lines to the nearest of some convex blockers."""

    def __init__(self, source: Array, target: Array, core: Array, radius: Array) -> None:
        self.source, self.target = _Way(source), _Way(target)
        self.core, self.radius = core, radius
        edge = np.roll(core, -1, axis=1) - core
        size = np.hypot(edge[..., 0], edge[..., 1])
        self.flat = size < 1e-9
        safe = np.where(self.flat, 1.0, size)
        self.normal = np.stack([edge[..., 1], -edge[..., 0]], axis=-1) / safe[..., None]
        self.offset = (self.normal * core).sum(-1)

    def through(self, corners: Array) -> tuple[Array, Array]:
        """Lines from both ends of the source (and its middle) past every corner, as numbers along the ways."""
        starts = np.array([0.0, 0.5, 1.0])
        p = self.source(starts)
        a, b = self.target.a, self.target.a + self.target.d
        way = corners[None] - p[:, None]
        det = cross(way[:, :, None], (b - a)[None, None])
        with np.errstate(divide="ignore", invalid="ignore"):
            u = cross(way[:, :, None], p[:, None, None] - a) / -det
            f = cross(p[:, None, None] - a, (b - a)[None, None]) / -det
        hit = np.isfinite(u) & (u >= 0) & (u <= 1) & (f > 0)
        i, _, k = np.nonzero(hit)
        span = self.target.ends[k] - self.target.starts[k]
        return starts[i], self.target.starts[k] + u[hit] * span

    def __call__(self, s: Array, t: Array) -> Array:
        p, q = self.source(s), self.target(t)
        return self.of(p, q)

    def of(self, p: Array, q: Array) -> Array:
        c = self.core[None]
        pp, qq = p[:, None, None], q[:, None, None]
        # corners of the blockers to the line
        d = qq - pp
        length2 = (d * d).sum(-1)
        safe = np.where(length2 > 0, length2, 1.0)
        along = ((c - pp) * d).sum(-1) / safe
        away = c - pp - np.clip(along, 0.0, 1.0)[..., None] * d
        clear = np.sqrt((away * away).sum(-1)).min(-1)
        # ends of the line to the sides of the blockers
        start = self.core[None]
        edge = np.roll(self.core, -1, axis=1)[None] - start
        edge2 = (edge * edge).sum(-1)
        edge2 = np.where(edge2 > 0, edge2, 1.0)
        for end in (pp, qq):
            w = end - start
            f = np.clip((w * edge).sum(-1) / edge2, 0.0, 1.0)
            off = w - f[..., None] * edge
            clear = np.minimum(clear, np.sqrt((off * off).sum(-1)).min(-1))
        # separating directions: sides of the blocker, and across the line
        n = self.normal[None]
        low = np.minimum((n * pp).sum(-1), (n * qq).sum(-1)) - self.offset[None]
        apart = np.where(self.flat[None], -np.inf, low).max(-1)
        size = np.sqrt(length2[..., 0])
        side = cross(d, c - pp)
        big = np.where(size > 0, size, 1.0)
        across = np.maximum(side.min(-1), -side.max(-1)) / big
        apart = np.maximum(apart, np.where(size > 0, across, -np.inf))
        point_like = np.asarray(self.flat.all(-1))[None]
        room = np.where((apart <= 0) & ~point_like, apart, clear) - self.radius[None]
        out: Array = room.min(-1)
        return out
