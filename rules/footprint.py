"""What a piece covers of the table: discs, oriented rectangles, blocks of bases or trays, polygons.

A `Footprint` is a few convex parts (see `plane`) and the shapely outline of their union. A block with an
incomplete last rank is the rectangle of its full ranks plus one for the files of each run of bases in the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import shapely

from .errors import Unknown
from .messages import msg, register
from .plane import Array, closest, direction, gap, pad, rect_corners, rotate, unit_left
from .scene import Circle, Hex, Piece, Polygon, Rect

__all__ = ["Block", "Footprint", "Parts", "between", "convex_parts", "hull_gap", "of_piece", "stack"]

ROUND_SEGMENTS = 32
"""Sides per quarter of the outline drawn for a disc; only drawing and indexing use it, never a measurement."""

SEAM_MM = 1e-7
"""Far above the rounding of coordinates of some metres, far below any slack of a sheet."""

CONVEX_LIMIT = 64
"""Outlines with more corners than this stay triangles: merging them costs more than it saves."""


@dataclass(frozen=True)
class Footprint:
    """Convex parts, each (k, 2) counter-clockwise, with a radius around each (a disc: one point).

    >>> Footprint.disc((0, 0), 10).gap(Footprint.rect((20, 0), 0, 10, 10))
    5.0
    """

    parts: tuple[Array, ...]
    radius: float = 0.0

    @classmethod
    def disc(cls, at: Sequence[float], radius_mm: float) -> Footprint:
        return cls((np.array([[at[0], at[1]]], float),), float(radius_mm))

    @classmethod
    def rect(cls, at: Sequence[float], facing_deg: float, width_mm: float, depth_mm: float) -> Footprint:
        return cls((rect_corners(np.asarray(at, float), facing_deg, width_mm, depth_mm),))

    @classmethod
    def polygon(cls, outline: Iterable[Sequence[float]]) -> Footprint:
        """Any simple outline; one that is not convex is cut into convex parts."""
        return cls(convex_parts(tuple((float(p[0]), float(p[1])) for p in outline)))

    @property
    def is_disc(self) -> bool:
        return self.radius > 0

    @cached_property
    def corners(self) -> Array:
        """All corners of all parts, (n, 2). A disc has none: its centre stands for it."""
        return np.concatenate(self.parts)

    @cached_property
    def geometry(self) -> Any:
        """The shapely outline (a fine polygon for a disc)."""
        if self.is_disc:
            return shapely.Point(self.parts[0][0]).buffer(self.radius, quad_segs=ROUND_SEGMENTS)
        polygons = [shapely.Polygon(part) for part in self.parts]
        if len(polygons) == 1:
            return polygons[0]
        # parts that share a side must come out as one outline, whatever the rounding of their corners
        grown = shapely.buffer(polygons, SEAM_MM, join_style="mitre")
        return shapely.buffer(shapely.unary_union(grown), -SEAM_MM, join_style="mitre")

    @cached_property
    def bounds(self) -> tuple[float, float, float, float]:
        low, high = self.corners.min(0) - self.radius, self.corners.max(0) + self.radius
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    def gap(self, other: Footprint) -> float:
        """Signed clear distance: 0 touching, negative overlapping."""
        return self.closest(other)[0]

    def closest(self, other: Footprint) -> tuple[float, tuple[float, float], tuple[float, float]]:
        """`gap` and the closest points on this and on the other."""
        d, on_a, on_b = closest(self.padded[:, None], self.radius, other.padded[None, :], other.radius)
        k = np.unravel_index(int(np.argmin(d)), d.shape)
        a, b = on_a[k], on_b[k]
        return float(d[k]), (float(a[0]), float(a[1])), (float(b[0]), float(b[1]))

    def contains(self, points: Array, slack_mm: float = 0.0) -> Any:
        """Which points lie in the closed footprint, grown by a slack."""
        p = np.asarray(points, float)
        d = gap(p[..., None, None, :], 0.0, self.padded, self.radius)
        return d.min(-1) <= slack_mm

    def farthest(self, other: Footprint) -> float:
        """The largest distance from a point of `other`'s corners to this footprint."""
        points = other.corners
        d = gap(points[:, None, None, :], 0.0, self.padded, self.radius).min(-1)
        return float(np.maximum(d, 0.0).max()) + other.radius

    def moved(self, by: Sequence[float] | Array) -> Footprint:
        shift = np.asarray(by, float)
        return Footprint(tuple(part + shift for part in self.parts), self.radius)

    def turned(self, about: Sequence[float] | Array, deg: float) -> Footprint:
        return Footprint(
            tuple(rotate(part, np.asarray(about, float), deg) for part in self.parts), self.radius
        )

    @cached_property
    def padded(self) -> Array:
        return pad(list(self.parts))


@dataclass(frozen=True)
class Block:
    """A block of bases or trays, `files` wide; `last_rank` names the files of an incomplete last rank.

    Ranks and files count from 1; rank 1 is the front, file 1 the leftmost as the unit itself sees it.

    >>> block = Block((0, 0), 90, 20, 20, files=3, count=5)
    >>> block.ranks, block.full_ranks, block.last_files
    (2, 1, (1, 2))
    >>> block.centre(1, 1).tolist()
    [-20.0, 10.0]
    """

    at: tuple[float, float]
    facing_deg: float
    width_mm: float
    depth_mm: float
    files: int = 1
    count: int = 1
    gap_mm: float = 0.0
    last_rank: tuple[int, ...] | None = None

    @property
    def ranks(self) -> int:
        return -(-self.count // self.files)

    @property
    def full_ranks(self) -> int:
        return self.count // self.files

    @property
    def last_files(self) -> tuple[int, ...]:
        """Files that hold a base in the last rank (all of them where it is complete)."""
        left = self.count - (self.ranks - 1) * self.files
        if left == self.files:
            return tuple(range(1, self.files + 1))
        if self.last_rank and len(self.last_rank) == left:
            return tuple(sorted(self.last_rank))
        return tuple(range(1, left + 1))

    @property
    def whole_width_mm(self) -> float:
        return self.files * self.width_mm + (self.files - 1) * self.gap_mm

    @property
    def whole_depth_mm(self) -> float:
        return self.ranks * self.depth_mm + (self.ranks - 1) * self.gap_mm

    @property
    def forward(self) -> Array:
        return direction(self.facing_deg)

    @property
    def left(self) -> Array:
        return unit_left(self.forward)

    @cached_property
    def slots(self) -> tuple[tuple[int, int], ...]:
        """(rank, file) of every base, front to back, left to right."""
        full = [(r, f) for r in range(1, self.ranks) for f in range(1, self.files + 1)]
        return (*full, *((self.ranks, f) for f in self.last_files))

    def centre(self, rank: Any, file: Any) -> Array:
        """Centres of slots; `rank` and `file` may be arrays."""
        r, f = np.asarray(rank, float), np.asarray(file, float)
        ahead = ((self.ranks + 1) / 2 - r) * (self.depth_mm + self.gap_mm)
        aside = ((self.files + 1) / 2 - f) * (self.width_mm + self.gap_mm)
        out: Array = np.asarray(self.at) + ahead[..., None] * self.forward + aside[..., None] * self.left
        return out

    @cached_property
    def centres(self) -> Array:
        """(n, 2), in the order of `slots`."""
        slots = np.array(self.slots, float).reshape(-1, 2)
        return self.centre(slots[:, 0], slots[:, 1])

    @cached_property
    def slot_corners(self) -> Array:
        """(n, 4, 2): front right, front left, rear left, rear right of every base."""
        n = len(self.slots)
        return rect_corners(
            self.centres, np.full(n, self.facing_deg), np.full(n, self.width_mm), np.full(n, self.depth_mm)
        )

    @cached_property
    def rectangle(self) -> Array:
        """Corners of the whole files × ranks rectangle: front right, front left, rear left, rear right."""
        return rect_corners(np.asarray(self.at), self.facing_deg, self.whole_width_mm, self.whole_depth_mm)

    @cached_property
    def footprint(self) -> Footprint:
        """The ground really covered: the hole of an incomplete last rank is empty, and so are gaps."""
        if self.gap_mm > 0:
            return Footprint(tuple(self.slot_corners))
        parts = []
        if self.full_ranks:
            parts.append(self._run(1, self.full_ranks, 1, self.files))
        if self.full_ranks < self.ranks:
            # down to the last rank through all others: parts that overlap have no seam between them
            parts += [self._run(1, self.ranks, lo, hi) for lo, hi in _runs(self.last_files)]
        return Footprint(tuple(parts))

    def _run(self, first_rank: int, last_rank: int, first_file: int, last_file: int) -> Array:
        centre = self.centre((first_rank + last_rank) / 2, (first_file + last_file) / 2)
        width = (last_file - first_file + 1) * self.width_mm
        depth = (last_rank - first_rank + 1) * self.depth_mm
        return rect_corners(centre, self.facing_deg, width, depth)


def _runs(files: tuple[int, ...]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for f in files:
        if runs and runs[-1][1] == f - 1:
            runs[-1] = (runs[-1][0], f)
        else:
            runs.append((f, f))
    return runs


def of_piece(piece: Piece, *, gap_mm: float = 0.0, last_rank: tuple[int, ...] | None = None) -> Footprint:
    """The footprint of a piece of a scene in millimetres.

    A round base needs no facing; any other shape without one (nor a `turn` from the camera) raises `Unknown`.
    """
    if piece.at is None:
        raise Unknown(msg("place-unknown", who=piece.label))
    match piece.base:
        case Circle(diameter):
            return Footprint.disc(piece.at, diameter / 2)
        case None:
            raise Unknown(msg("base-unknown", who=piece.label))
    # The camera may know how an outline lies and not which of its sides is the front: enough for an outline.
    facing = piece.turn
    if facing is None:
        raise Unknown(msg("facing-unknown", who=piece.label))
    match piece.base:
        case Rect(width, depth):
            count = piece.count or 1
            if piece.kind == "unit" and count > 1:
                files = min(piece.files or 1, count)
                return Block(piece.at, facing, width, depth, files, count, gap_mm, last_rank).footprint
            return Footprint.rect(piece.at, facing, width, depth)
        case Polygon(points):
            flat = Footprint.polygon(points)
        case Hex(across):
            spoke = across / np.sqrt(3.0)
            flat = Footprint((spoke * direction(np.arange(6) * 60.0),))
    return flat.turned((0.0, 0.0), facing).moved(piece.at)


@lru_cache(maxsize=512)
def convex_parts(outline: tuple[tuple[float, float], ...]) -> tuple[Array, ...]:
    """A simple outline as convex parts, counter-clockwise; a convex one is its own only part.

    >>> len(convex_parts(((0, 0), (4, 0), (4, 4), (0, 4))))
    1
    >>> len(convex_parts(((0, 0), (4, 0), (4, 2), (2, 2), (2, 4), (0, 4))))  # an L
    2
    """
    ring = np.array(outline, float)
    if len(ring) > 3 and np.array_equal(ring[0], ring[-1]):
        ring = ring[:-1]
    if not shapely.is_ccw(shapely.LinearRing(ring)):
        ring = ring[::-1].copy()
    if _is_convex(ring):
        return (ring,)
    triangles = shapely.get_parts(shapely.constrained_delaunay_triangles(shapely.Polygon(ring)))
    parts = [np.asarray(shapely.orient_polygons(t).exterior.coords)[:-1] for t in triangles]
    if len(ring) <= CONVEX_LIMIT:
        parts = _merged(parts)
    return tuple(parts)


def _is_convex(ring: Array) -> bool:
    edge = np.roll(ring, -1, axis=0) - ring
    after = np.roll(edge, -1, axis=0)
    turn = edge[:, 0] * after[:, 1] - edge[:, 1] * after[:, 0]
    scale = np.hypot(*edge.T) * np.hypot(*after.T)
    return bool((turn >= -1e-12 * scale).all())


def _merged(parts: list[Array]) -> list[Array]:
    """Join neighbours while the union stays convex (Hertel and Mehlhorn)."""
    parts = list(parts)
    again = True
    while again:
        again = False
        for i in range(len(parts)):
            for j in range(i + 1, len(parts)):
                joined = _join(parts[i], parts[j])
                if joined is not None:
                    parts[i] = joined
                    del parts[j]
                    again = True
                    break
            if again:
                break
    return parts


def _join(one: Array, two: Array) -> Array | None:
    """The union of two counter-clockwise convex rings over a common edge, if that is convex."""
    n, m = len(one), len(two)
    for i in range(n):
        for j in range(m):
            if np.array_equal(one[i], two[(j + 1) % m]) and np.array_equal(one[(i + 1) % n], two[j]):
                ring = np.concatenate([np.roll(one, -i - 1, axis=0), np.roll(two, -j - 1, axis=0)[1:-1]])
                return ring if _is_convex(ring) else None
    return None


@dataclass(frozen=True)
class Parts:
    """The parts of many footprints as arrays: cores (P, K, 2), radius (P,) and whose they are, owner (P,)."""

    core: Array
    radius: Array
    owner: Any
    size: int

    def reduce_min(self, values: Array, axis: int) -> Array:
        """The least value over the parts of each footprint, along one axis."""
        values = np.moveaxis(values, axis, 0)
        out = np.full((self.size, *values.shape[1:]), np.inf)
        np.minimum.at(out, self.owner, values)
        return np.moveaxis(out, 0, axis)


def stack(footprints: Sequence[Footprint]) -> Parts:
    cores = [part for f in footprints for part in f.parts]
    counts = [len(f.parts) for f in footprints]
    owner = np.repeat(np.arange(len(footprints)), counts)
    radius = np.repeat([f.radius for f in footprints], counts)
    return Parts(pad(cores) if cores else np.empty((0, 1, 2)), radius.astype(float), owner, len(footprints))


def between(a: Sequence[Footprint], b: Sequence[Footprint]) -> Array:
    """Signed gaps of all pairs, (len(a), len(b)).

    >>> discs = [Footprint.disc((x, 0), 5) for x in (0, 20, 50)]
    >>> between(discs[:1], discs).tolist()
    [[-10.0, 10.0, 40.0]]
    """
    left, right = stack(a), stack(b)
    d = gap(left.core[:, None], left.radius[:, None], right.core[None], right.radius[None])
    return left.reduce_min(right.reduce_min(d, 1), 0)


def hull_gap(footprint: Footprint, outline: Array) -> float:
    """Signed gap between a footprint and one convex outline."""
    d = gap(footprint.padded, footprint.radius, outline, 0.0)
    return float(d.min())


register(
    {
        "base-unknown": {
            "en": "The size of the base of {who} is not known: give it a base.",
            "es": "No se conoce el tamaño de la peana de {who}: indique su base.",
        },
    }
)
