"""Free lines: is there a straight line from a front edge (or round base) to an outline that nothing interrupts?

Exact up to rounding. If any free line exists, one exists that passes two critical points: corners of what is in
the way, ends of the front, corners of the target (cut to the arc). So those lines are tried, and no others.
Grazing is free, a seam between touching bases is closed (T9A-LOS-11, A-3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import shapely

from ...footprint import Footprint
from ...plane import Array, cross, pad
from .frames import Frame
from .numbers import EPS

__all__ = ["Eye", "Obstacles", "Seen", "best_room", "clip_wedge", "glance", "look", "rough_room", "through"]

MITRE: dict[str, Any] = {"join_style": "mitre", "mitre_limit": 10.0}
SHRINK = 2 * EPS
"""Bases are shrunk by this before lines are tested, so that grazing them is free."""


def clip(ring: Array, a: Array, b: Array) -> Array:
    """The part of a convex ring on the left of the line a → b (closed)."""
    if len(ring) == 0:
        return ring
    side = cross(b - a, ring - a) / math.hypot(*(b - a))
    out = []
    n = len(ring)
    for i in range(n):
        j = (i + 1) % n
        if side[i] >= -EPS:
            out.append(ring[i])
        if n > 1 and (side[i] >= -EPS) != (side[j] >= -EPS):
            t = side[i] / (side[i] - side[j])
            out.append(ring[i] + t * (ring[j] - ring[i]))
    return np.array(out).reshape(-1, 2)


def clip_wedge(ring: Array, frame: Frame) -> Array:
    """A convex ring cut to the closed front arc of a rectangle; a round base has no limit."""
    if frame.round:
        return ring
    wedge = frame.wedge("front")
    # right border, front edge, left border: the arc lies on the left of each
    for i, j in ((0, 1), (3, 0), (2, 3)):
        ring = clip(ring, wedge[i], wedge[j])
    return ring


@dataclass(frozen=True)
class Obstacles:
    """What interrupts lines: convex parts of bases with their owners, and opaque outlines with theirs."""

    parts: tuple[Array, ...]
    owners: tuple[str, ...]
    opaque: tuple[Array, ...] = ()
    opaque_ids: tuple[str, ...] = ()
    seam: float = EPS

    @property
    def empty(self) -> bool:
        return not self.parts and not self.opaque

    @cached_property
    def polygons(self) -> Any:
        """The parts as shapely polygons, in an array."""
        return np.array([shapely.Polygon(p) for p in self.parts], object)

    @cached_property
    def bases(self) -> Any:
        """The union of the bases, seams closed, shrunk by a hair."""
        if not self.parts:
            return None
        grow = max(self.seam, SHRINK) / 2 + EPS
        grown = shapely.buffer(self.polygons, grow, **MITRE)
        closed = shapely.buffer(shapely.unary_union(grown), -grow - SHRINK, **MITRE)
        shapely.prepare(closed)
        return closed

    @cached_property
    def hills(self) -> list[tuple[Any, Any]]:
        """Each opaque outline: shrunk by a hair for crossing, and as it is."""
        out = []
        for ring in self.opaque:
            whole = shapely.Polygon(ring)
            inner = shapely.buffer(whole, -SHRINK, **MITRE)
            shapely.prepare(inner)
            out.append((inner, whole))
        return out

    @cached_property
    def corners(self) -> Array:
        found = [*self.parts, *self.opaque]
        points = np.concatenate(found) if found else np.empty((0, 2))
        return np.unique(np.round(points, 6), axis=0)

    def near(self, points: Array, reach: float = 0.0) -> Obstacles:
        """Only those that can reach into the hull of some points, grown by a reach."""
        if self.empty:
            return self
        low, high = points.min(0) - reach, points.max(0) + reach
        keep: Any = []
        if self.parts:
            core, normal, offset = self._sides
            close = ((core.max(1) >= low) & (core.min(1) <= high)).all(-1)
            beyond = np.einsum("nd,pkd->pkn", points, normal) - offset[..., None]
            keep = np.flatnonzero(close & ~(beyond.min(-1) > reach).any(-1))
        hills = [
            i
            for i, ring in enumerate(self.opaque)
            if (ring.max(0) >= low).all() and (ring.min(0) <= high).all()
        ]
        return Obstacles(
            tuple(self.parts[i] for i in keep),
            tuple(self.owners[i] for i in keep),
            tuple(self.opaque[i] for i in hills),
            tuple(self.opaque_ids[i] for i in hills),
            self.seam,
        )

    def interrupt(self, p: Array, q: Array) -> Any:
        """Which segments are interrupted."""
        out = np.zeros(len(p), bool)
        if self.empty or len(p) == 0:
            return out
        real = np.hypot(*(q - p).T) > EPS
        out |= ~real
        if self.parts:
            out |= (self.part_rooms(p, q) < -SHRINK).any(-1)
        left = np.flatnonzero(~out)
        if len(left) == 0:
            return out & real
        # the few that pass between the bases may still run along a closed seam, or through opaque terrain
        lines = shapely.linestrings(np.stack([p[left], q[left]], axis=1))
        if len(self.parts) > 1 and not self.bases.is_empty:
            out[left] |= shapely.intersects(self.bases, lines)
        for inner, whole in self.hills:
            out[left] |= through(inner, whole, lines, q[left])
        return out & real

    @cached_property
    def _sides(self) -> tuple[Array, Array, Array]:
        """Corners of all parts (P, K, 2), outward normals of their edges and the edges' offsets."""
        return sides(pad(list(self.parts)))

    def part_rooms(self, p: Array, q: Array) -> Array:
        """Signed clearance of each segment to each part, (N, P)."""
        return segment_room(p, q, *self._sides)

    def room(self, p: Array, q: Array) -> Array:
        """Signed clearance of segments: the least distance to what interrupts, or how deep they cut in."""
        best = np.full(len(p), np.inf)
        if len(p) == 0:
            return best
        if self.parts:
            best = segment_room(p, q, *self._sides).min(-1)
        for ring, (inner, whole) in zip(self.opaque, self.hills, strict=True):
            lines = shapely.linestrings(np.stack([p, q], axis=1))
            cut = through(inner, whole, lines, q)
            into = shapely.contains_xy(inner, q)
            d = segment_room(p, q, *sides(pad(list(Footprint.polygon(ring).parts)))).min(-1)
            # a line that ends inside is free until its end comes out on the far side
            free = np.where(into, shapely.distance(whole.exterior, shapely.points(q)), np.maximum(d, 0.0))
            best = np.minimum(best, np.where(cut, np.minimum(d, 0.0), free))
        return best


def sides(core: Array) -> tuple[Array, Array, Array]:
    edge = np.roll(core, -1, axis=-2) - core
    size = np.hypot(edge[..., 0], edge[..., 1])
    flat = size < 1e-9
    normal = np.stack([edge[..., 1], -edge[..., 0]], axis=-1) / np.where(flat, 1.0, size)[..., None]
    offset = np.where(flat, np.inf, (normal * core).sum(-1))
    return core, normal, offset


def segment_room(p: Array, q: Array, core: Array, normal: Array, offset: Array) -> Array:
    """Signed gaps of segments (N) and convex parts (P) along their edge normals: exact where a side meets a
    corner, which is where lines pass bases; a lower bound where a segment's end points at a corner."""
    start = np.einsum("nd,pkd->npk", p, normal) - offset
    end = np.einsum("nd,pkd->npk", q, normal) - offset
    beside = np.minimum(start, end).max(-1)
    way = q - p
    across = np.stack([-way[:, 1], way[:, 0]], axis=-1) / np.maximum(np.hypot(*way.T), 1e-9)[:, None]
    off = np.einsum("nd,pkd->npk", across, core) - (across * p).sum(-1)[:, None, None]
    return np.asarray(np.maximum(beside, np.maximum(off.min(-1), -off.max(-1))))


def through(inner: Any, whole: Any, lines: Any, q: Array) -> Any:
    """T9A-LOS-2: which lines go through an opaque outline; into it, ending inside, is free."""
    crosses = shapely.intersects(inner, lines)
    if not crosses.any():
        return crosses
    into = shapely.contains_xy(inner, q)
    if into.any():
        # an outline that is not convex may be left and entered again
        many = shapely.get_num_geometries(shapely.intersection(inner, lines[into])) > 1
        crosses[into] = many
    return crosses


@dataclass(frozen=True)
class Eye:
    """A model that looks: its base, and the unit whose front arc limits it as well (None: only its own)."""

    frame: Frame
    unit_frame: Frame | None = None
    edge: tuple[Array, Array] | None = None
    """Look from this edge in place of the base's own front."""

    def visible_part(self, ring: Array) -> Array:
        """The target cut to the closed front arcs that limit this eye."""
        out = clip_wedge(ring, self.frame)
        return clip_wedge(out, self.unit_frame) if self.unit_frame is not None and len(out) else out

    @property
    def front(self) -> tuple[Array, Array]:
        if self.edge is not None:
            return self.edge
        if self.frame.round:
            c = np.asarray(self.frame.at)
            return c, c
        a, b = self.frame.edge("front")
        return np.asarray(a), np.asarray(b)


@dataclass(frozen=True)
class Seen:
    """What one eye found: a free line if there is one, else the line that comes nearest to being free."""

    sees: bool
    p: Array
    q: Array

    @property
    def ends(self) -> tuple[tuple[float, float], tuple[float, float]]:
        return (float(self.p[0]), float(self.p[1])), (float(self.q[0]), float(self.q[1]))


def first_hit(p: Array, ahead: Array, ring: Array) -> tuple[Array, Any]:
    """Where rays from p first meet a convex ring, and which of them do."""
    if len(ring) == 1:
        away = ring[0] - p
        along = (away * ahead).sum(-1) / np.maximum((ahead * ahead).sum(-1), 1e-30)
        off = np.abs(cross(ahead, away)) / np.maximum(np.hypot(*ahead.T), 1e-15)
        return np.broadcast_to(ring[0], p.shape), (off <= EPS) & (along >= 0)
    edge = np.roll(ring, -1, axis=0) - ring
    normal = np.stack([edge[:, 1], -edge[:, 0]], axis=-1)
    normal = normal / np.maximum(np.hypot(*normal.T), 1e-12)[:, None]
    out = ((p[:, None] - ring[None]) * normal[None]).sum(-1)  # how far outside each edge
    speed = (ahead[:, None] * normal[None]).sum(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = -out / speed
    scale = np.hypot(*ahead.T)
    enter = np.where(speed < -1e-12 * scale[:, None], t, -np.inf).max(-1)
    leave = np.where(speed > 1e-12 * scale[:, None], t, np.inf).min(-1)
    flat = (np.abs(speed) <= 1e-12 * scale[:, None]) & (out > EPS)
    enter = np.maximum(enter, 0.0)
    slack = EPS / np.maximum(scale, 1e-12)
    ok = (enter <= leave + slack) & ~flat.any(-1)
    return p + np.where(ok, enter, 0.0)[:, None] * ahead, ok


def _inside(points: Array, ring: Array, slack: float = 2 * EPS) -> Any:
    """Which points lie in a convex ring, grown by a slack."""
    if len(ring) < 3:
        d = np.min(np.hypot(*(points[:, None] - ring[None]).transpose(2, 0, 1)), axis=1)
        if len(ring) == 2:
            e = ring[1] - ring[0]
            t = np.clip(((points - ring[0]) @ e) / max(float(e @ e), 1e-12), 0, 1)
            d = np.hypot(*(points - ring[0] - t[:, None] * e).T)
        return d <= slack
    _, normal, offset = sides(ring)
    return (points @ normal.T - offset).max(-1) <= slack


MANY_CORNERS = 12


def _samples(eye: Eye, ring: Array, part: Array) -> tuple[Array, Array]:
    """A few lines to try first: ends and middle of the front to corners and middles of the visible part."""
    a, b = eye.front
    nxt = np.roll(part, -1, axis=0)
    if len(part) > MANY_CORNERS:  # a round outline
        ends = part[:: len(part) // MANY_CORNERS]
    else:
        ends = np.concatenate([part, (part + nxt) / 2, 0.75 * part + 0.25 * nxt, 0.25 * part + 0.75 * nxt])
    if eye.frame.round:
        starts = _rim(eye.frame, ends)
        return starts, ends
    starts = np.stack([a, (a + b) / 2, b])
    p = np.repeat(starts, len(ends), axis=0)
    aim = np.tile(ends, (len(starts), 1))
    q, ok = first_hit(p, aim - p, ring)
    ok &= _inside(q, part)
    return p[ok], q[ok]


def _rim(frame: Frame, ends: Array) -> Array:
    """Points of a round base towards ends."""
    c, r = np.asarray(frame.at), frame.width / 2
    away = ends - c
    size = np.maximum(np.hypot(*away.T), 1e-12)[:, None]
    return np.asarray(c + away / size * np.minimum(r, size))


def glance(eye: Eye, ring: Array, obstacles: Obstacles, part: Array) -> Seen | None:
    """A few lines: a free one if there is one among them, else one of them; None where none is legal."""
    p, q = _samples(eye, ring, part)
    if len(p) == 0:
        return None
    cut = obstacles.interrupt(p, q)
    if cut.all():
        return Seen(False, p[len(p) // 2], q[len(p) // 2])
    free = np.flatnonzero(~cut)
    k = free[int(np.argmin(np.abs(free - len(p) / 2)))]
    return Seen(True, p[k], q[k])


def look(eye: Eye, ring: Array, obstacles: Obstacles, part: Array) -> Seen | None:
    """Does this eye see the target? None when no line is legal at all (outside the arc)."""
    seen = glance(eye, ring, obstacles, part)
    if seen is not None and seen.sees:
        return seen
    if seen is not None and _hidden(eye, part, obstacles):
        return seen
    local = obstacles.near(np.concatenate([eye.frame.ring if eye.frame.round else np.stack(eye.front), part]))
    p, q = _critical(eye, ring, part, local)
    if len(p):
        cut = local.interrupt(p, q)
        if not cut.all():
            k = int(np.flatnonzero(~cut)[0])
            return Seen(True, p[k], q[k])
    if seen is None and len(p):
        return Seen(False, p[0], q[0])
    return seen


def _hidden(eye: Eye, part: Array, obstacles: Obstacles) -> bool:
    """A proof that no line is free: one convex part crosses the lines between all corners, so it crosses all.

    (The points from which a convex part hides a given point are convex, and so are the points that it hides.)
    """
    if not obstacles.parts:
        return False
    starts = eye.frame.ring if eye.frame.round else np.stack(eye.front)
    p, q = np.repeat(starts, len(part), axis=0), np.tile(part, (len(starts), 1))
    return bool((obstacles.part_rooms(p, q) < -SHRINK).all(0).any())


def rough_room(eye: Eye, ring: Array, part: Array, obstacles: Obstacles) -> float:
    """The widest clearance among a few lines."""
    p, q = _samples(eye, ring, part)
    return float(obstacles.room(p, q).max()) if len(p) else -math.inf


def _critical(eye: Eye, ring: Array, part: Array, obstacles: Obstacles) -> tuple[Array, Array]:
    """The lines through two critical points."""
    marks = [part]
    if 1 < len(part) <= MANY_CORNERS:
        marks.append((part + np.roll(part, -1, axis=0)) / 2)
    rim = shapely.LinearRing(part) if len(part) > 2 else None
    for _, whole in obstacles.hills:
        if rim is not None:
            cut = shapely.get_coordinates(shapely.intersection(rim, whole.exterior))
            if len(cut):
                marks.append(cut)
                marks.append(_between(rim, np.concatenate([part, cut])))
    spots = np.concatenate([obstacles.corners, *marks])
    a, b = eye.front
    n = len(obstacles.corners)
    i, j = np.triu_indices(len(spots), 1, len(spots))
    # a line through two points of the target is not critical: one of the two is a corner of what is in the way
    i, j = i[i < n], j[i < n]
    one, two = spots[i], spots[j]
    if eye.frame.round:
        p, ahead = _round_starts(eye.frame, spots, one, two)
    else:
        along = two - one
        edge = b - a
        det = cross(along, edge)
        good = np.abs(det) > 1e-9
        with np.errstate(divide="ignore", invalid="ignore"):
            s = cross(one - a, along) / -det
        width = math.hypot(*edge)
        good &= (s >= -EPS / width) & (s <= 1 + EPS / width)
        start = a + np.clip(s[good], 0.0, 1.0)[:, None] * edge
        aim = np.where(
            (((one[good] - start) ** 2).sum(-1) > ((two[good] - start) ** 2).sum(-1))[:, None],
            one[good],
            two[good],
        )
        p = np.concatenate([start, np.repeat(np.stack([a, b]), len(spots), axis=0)])
        ahead = np.concatenate(
            [aim - start, np.tile(spots, (2, 1)) - np.repeat(np.stack([a, b]), len(spots), axis=0)]
        )
    far = np.hypot(*ahead.T) > EPS
    p, ahead = p[far], ahead[far]
    q, ok = first_hit(p, ahead, ring)
    ok[ok] &= _inside(q[ok], part)
    return p[ok], q[ok]


def _between(rim: Any, cuts: Array) -> Array:
    """Middles of the stretches of an outline between cuts."""
    at = np.sort(shapely.line_locate_point(rim, shapely.points(cuts)))
    middle = (at + np.roll(at, -1)) / 2
    middle[-1] = (at[-1] + at[0] + rim.length) / 2 % rim.length
    return np.asarray(shapely.get_coordinates(shapely.line_interpolate_point(rim, middle)))


def _round_starts(frame: Frame, spots: Array, one: Array, two: Array) -> tuple[Array, Array]:
    """Starts on a round base of the lines through two spots, and of the tangents through one."""
    c, r = np.asarray(frame.at), frame.width / 2
    starts, aims = [], []
    for a, b in ((one, two), (two, one)):
        along = b - a
        size = np.hypot(*along.T)
        ok = size > EPS
        u = along[ok] / size[ok][:, None]
        t = ((c - a[ok]) * u).sum(-1)
        foot = a[ok] + t[:, None] * u
        off = np.hypot(*(foot - c).T)
        hit = off <= r + EPS
        half = np.sqrt(np.maximum(r * r - off[hit] ** 2, 0.0))
        starts.append(foot[hit] + half[:, None] * u[hit])
        aims.append(u[hit])
    away = spots - c
    far = np.hypot(*away.T)
    out = far > r
    turn = np.arccos(np.clip(r / far[out], -1, 1))
    base = np.arctan2(away[out, 1], away[out, 0])
    for sign in (1, -1):
        rim = c + r * np.stack([np.cos(base + sign * turn), np.sin(base + sign * turn)], axis=-1)
        starts.append(rim)
        aims.append(spots[out] - rim)
    return np.concatenate(starts), np.concatenate(aims)


def best_room(eye: Eye, ring: Array, part: Array, obstacles: Obstacles, start: Seen | None) -> float:
    """The widest clearance that a legal line can have: how far the answer of `look` is from flipping.

    Lines are sampled and the best is climbed; where a free line is known the climb starts from it as well.
    """
    if obstacles.empty:
        return math.inf
    p, q = _samples(eye, ring, part)
    if start is not None:
        p, q = np.concatenate([p, start.p[None]]), np.concatenate([q, start.q[None]])
    if len(p) == 0:
        return math.inf
    room = obstacles.room(p, q)
    k = int(room.argmax())
    best, bp, bq = float(room[k]), p[k], q[k]
    a, b = eye.front
    edge = b - a
    size = float(np.hypot(*(part.max(0) - part.min(0)))) / 4
    if eye.frame.round:
        edge = np.zeros(2)
    steps = np.array([(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j], float)
    scale = 0.5
    for _ in range(CLIMB):
        way = bq - bp
        side = np.array([-way[1], way[0]]) / max(float(np.hypot(*way)), 1e-9)
        start_p = bp + steps[:, :1] * scale * edge
        if not eye.frame.round:
            width2 = max(float(edge @ edge), 1e-12)
            s = np.clip(((start_p - a) @ edge) / width2, 0, 1)
            start_p = a + s[:, None] * edge
        aim = bq + steps[:, 1:] * scale * size * side
        hit, ok = first_hit(start_p, aim - start_p, ring)
        ok[ok] &= _inside(hit[ok], part)
        if ok.any():
            room = obstacles.room(start_p[ok], hit[ok])
            k = int(room.argmax())
            if float(room[k]) > best + 1e-9:
                best, bp, bq = float(room[k]), start_p[ok][k], hit[ok][k]
                continue
        scale /= 2
    return best


CLIMB = 24
"""Steps of the climb; each failed one halves the stride, so the last strides are below a hundredth of a millimetre."""
