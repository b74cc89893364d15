"""Hexes: axial coordinates, steps, rings, lines, and where a lattice lies on the table.

A hex is `(q, r)`. Nothing here knows a game or an orientation but `Lattice`, which puts hexes on the table:
counting is the same on flat and pointy hexes. `Field` is a set of hexes with holes and notches in it; its
distances go round them. Sight is in `hex_sight`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .verdict import BAND95

__all__ = [
    "DIRECTIONS", "SYMMETRIES", "Field", "Hex", "Lattice", "Located", "Orientation", "Symmetry", "along",
    "disc", "distance", "locate", "name", "neighbours", "ring", "spoken", "turn",
]  # fmt: skip

Hex = tuple[int, int]
Point = tuple[float, float]
Orientation = Literal["flat", "pointy"]

DIRECTIONS: tuple[Hex, ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
"""The six steps, counter-clockwise."""

Symmetry = tuple[int, int, int, int]
"""`(a, b, c, d)` takes `(q, r)` to `(a·q + b·r, c·q + d·r)`."""


def _symmetries() -> tuple[Symmetry, ...]:
    turns: list[Symmetry] = [(1, 0, 0, 1)]
    for _ in range(5):
        a, b, c, d = turns[-1]
        # A sixth of a turn takes (q, r) to (-r, q + r).
        turns.append((-c, -d, a + c, b + d))
    return (*turns, *((c, d, a, b) for a, b, c, d in turns))


SYMMETRIES: tuple[Symmetry, ...] = _symmetries()
"""The twelve ways to lay a hex lattice onto itself: six turns, then the same mirrored."""

TIE_MM = 1e-9
"""Two centres nearer than this are equally far: far below what anything measures, far above rounding."""


def turn(h: Hex, by: Symmetry) -> Hex:
    """
    >>> turn((2, 1), SYMMETRIES[1]), turn((2, 1), SYMMETRIES[6])
    ((-1, 3), (1, 2))
    """
    a, b, c, d = by
    return a * h[0] + b * h[1], c * h[0] + d * h[1]


def name(h: Hex) -> str:
    """How a hex is written where a name is wanted: ``"q,r"``."""
    return f"{h[0]},{h[1]}"


def spoken(h: Hex) -> str:
    """How a hex is written in a sentence, where several follow each other: ``"(q, r)"``."""
    return f"({h[0]}, {h[1]})"


def neighbours(h: Hex) -> tuple[Hex, ...]:
    return tuple((h[0] + dq, h[1] + dr) for dq, dr in DIRECTIONS)


def distance(a: Hex, b: Hex) -> int:
    """Steps on a lattice without holes.

    >>> distance((-1, -1), (1, 1)), distance((0, 0), (3, -3))
    (4, 3)
    """
    dq, dr = b[0] - a[0], b[1] - a[1]
    return max(abs(dq), abs(dr), abs(dq + dr))


def ring(centre: Hex, radius: int) -> tuple[Hex, ...]:
    """The hexes exactly `radius` steps away, counter-clockwise.

    >>> ring((0, 0), 0), len(ring((5, 5), 3))
    (((0, 0),), 18)
    """
    if radius == 0:
        return (centre,)
    q, r = centre[0] + radius, centre[1]
    out: list[Hex] = []
    for k in range(6):
        dq, dr = DIRECTIONS[(k + 2) % 6]
        for _ in range(radius):
            out.append((q, r))
            q, r = q + dq, r + dr
    return tuple(out)


def disc(centre: Hex, radius: int) -> tuple[Hex, ...]:
    """The hexes within `radius` steps, nearest first.

    >>> len(disc((0, 0), 3))
    37
    """
    return tuple(h for n in range(radius + 1) for h in ring(centre, n))


def along(start: Hex, step: Hex) -> Iterator[Hex]:
    """The hexes met when the same step is taken again and again, without end."""
    q, r = start
    while True:
        q, r = q + step[0], r + step[1]
        yield q, r


# --- a field with holes -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Field:
    """A set of hexes: everything else is not there, neither to stand on nor to count through.

    >>> bent = Field([(0, 0), (1, 0), (2, -1), (2, -2)])
    >>> bent.distance((0, 0), (2, -2)), distance((0, 0), (2, -2)), bent.distance((0, 0), (9, 9))
    (3, 2, None)
    """

    hexes: frozenset[Hex]

    def __init__(self, hexes: Iterable[Hex]) -> None:
        object.__setattr__(self, "hexes", frozenset(hexes))

    def __contains__(self, h: object) -> bool:
        return h in self.hexes

    def __len__(self) -> int:
        return len(self.hexes)

    def neighbours(self, h: Hex) -> tuple[Hex, ...]:
        return tuple(n for n in neighbours(h) if n in self.hexes)

    def is_edge(self, h: Hex) -> bool:
        """Whether a hex of the field lacks some of its six neighbours."""
        return h in self.hexes and len(self.neighbours(h)) < 6

    def distances(self, start: Hex) -> dict[Hex, int]:
        """Steps from a hex to every hex that can be reached inside the field."""
        if start not in self.hexes:
            return {}
        return self.walk(start, lambda _: True)

    def distance(self, a: Hex, b: Hex) -> int | None:
        """Steps of the shortest way inside the field; None where there is none."""
        if a == b:
            return 0
        return self.distances(a).get(b)

    def walk(self, start: Hex, enter: Callable[[Hex], bool], steps: int | None = None) -> dict[Hex, int]:
        """Steps to every hex that can be walked to through hexes of the field that may be entered (breadth first).

        >>> hall = Field(disc((0, 0), 1))
        >>> sorted(hall.walk((1, 0), lambda h: h != (0, 0), steps=1))
        [(0, 1), (1, -1), (1, 0)]
        """
        found = {start: 0}
        queue = deque([start] if start in self.hexes else [])
        while queue:
            here = queue.popleft()
            if steps is not None and found[here] >= steps:
                continue
            for h in self.neighbours(here):
                if h not in found and enter(h):
                    found[h] = found[here] + 1
                    queue.append(h)
        return found

    def path(self, start: Hex, end: Hex, enter: Callable[[Hex], bool]) -> tuple[Hex, ...] | None:
        """One shortest way, the start left out; None where there is none."""
        found = self.walk(start, enter)
        if end not in found:
            return None
        back = [end]
        while back[-1] != start:
            here = back[-1]
            back.append(next(h for h in neighbours(here) if found.get(h) == found[here] - 1))
        return tuple(reversed(back[:-1]))

    @cached_property
    def order(self) -> tuple[Hex, ...]:
        """The hexes in the order of the rows of `table` and of `hex_sight.sight_table`."""
        return tuple(sorted(self.hexes, key=lambda h: (h[1], h[0])))

    @cached_property
    def table(self) -> NDArray[np.int64]:
        """All distances at once, rows and columns in `order`; -1 where there is no way."""
        n = len(self.order)
        index = {h: i for i, h in enumerate(self.order)}
        # Column n stands for everything that is not there: never in front.
        beside = np.array([[index.get(m, n) for m in neighbours(h)] for h in self.order]).reshape(n, 6)
        steps = np.full((n, n + 1), -1, dtype=np.int64)
        front = np.eye(n, n + 1, dtype=np.bool_)
        k = 0
        while front.any():
            steps[front] = k
            k += 1
            entered = front[:, beside].any(axis=2) & (steps[:, :n] < 0)
            front = np.pad(entered, ((0, 0), (0, 1)))
        return steps[:, :n]


# --- a lattice on the table ---------------------------------------------------------------------------------

_ROOT3 = math.sqrt(3.0)


@dataclass(frozen=True)
class Lattice:
    """Where the hexes lie: the centre of `(0, 0)`, the width across flats, how the hexes stand and how far the
    whole is turned (degrees, counter-clockwise, about that centre)."""

    across_flats_mm: float
    origin_mm: Point = (0.0, 0.0)
    orientation: Orientation = "pointy"
    rotation_deg: float = 0.0

    @cached_property
    def _axes(self) -> tuple[Point, Point]:
        """The steps `q + 1` and `r + 1` in table millimetres."""
        w = self.across_flats_mm
        q, r = ((w, 0.0), (w / 2, w * _ROOT3 / 2))
        if self.orientation == "flat":
            q, r = ((w * _ROOT3 / 2, w / 2), (0.0, w))
        cos, sin = math.cos(math.radians(self.rotation_deg)), math.sin(math.radians(self.rotation_deg))
        return (q[0] * cos - q[1] * sin, q[0] * sin + q[1] * cos), (
            r[0] * cos - r[1] * sin,
            r[0] * sin + r[1] * cos,
        )

    def point(self, q: float, r: float) -> Point:
        """A place in axial units on the table; whole numbers are centres of hexes."""
        (ax, ay), (bx, by) = self._axes
        return self.origin_mm[0] + q * ax + r * bx, self.origin_mm[1] + q * ay + r * by

    def centre(self, h: Hex) -> Point:
        """
        >>> Lattice(52, (100, 100)).centre((2, 0)), Lattice(52, orientation="flat").centre((0, 2))
        ((204.0, 100.0), (0.0, 104.0))
        """
        return self.point(*h)

    def outline(self, h: Hex) -> tuple[Point, ...]:
        """The six corners."""
        third = 1 / 3
        corners = ((2, -1), (1, 1), (-1, 2), (-2, 1), (-1, -1), (1, -2))
        return tuple(self.point(h[0] + q * third, h[1] + r * third) for q, r in corners)

    def axial(self, at: Point) -> Point:
        """The place of a table point in axial units."""
        (ax, ay), (bx, by) = self._axes
        x, y = at[0] - self.origin_mm[0], at[1] - self.origin_mm[1]
        area = ax * by - ay * bx
        return (x * by - y * bx) / area, (ax * y - ay * x) / area

    def nearest(self, at: Point) -> Hex:
        """The hex that a table point lies in."""
        u, v = self.axial(at)
        q, r, s = round(u), round(v), round(-u - v)
        dq, dr, ds = abs(q - u), abs(r - v), abs(s + u + v)
        if dq > dr and dq > ds:
            q = -r - s
        elif dr > ds:
            r = -q - s
        return q, r


@dataclass(frozen=True)
class Located:
    """The hex that a point lies in, then those which it could as well lie in; how far it is from doubt."""

    hexes: tuple[Hex, ...]
    gap_mm: float
    """How much farther the second nearest centre is than the nearest: twice the way to the border, or nearly."""

    @property
    def sure(self) -> bool:
        return len(self.hexes) == 1

    @property
    def hex(self) -> Hex:
        return self.hexes[0]

    def off(self, field: Collection[Hex]) -> bool:
        """Whether the point is off that field, whichever of its hexes it lies in."""
        return not any(h in field for h in self.hexes)


def locate(
    lattice: Lattice, at_mm: Point, tie_mm: float = 0.0, sigma_mm: tuple[float, float] = (0.0, 0.0)
) -> Located:
    """The hex whose centre is nearest, and every hex whose centre is less than `tie_mm` farther away, or farther
    by no more than the 95 % band of that difference when the point is known to `sigma_mm` only.

    >>> locate(Lattice(52, (100, 100)), (150, 147), tie_mm=6).hexes
    ((0, 1), (1, 1))
    >>> locate(Lattice(52, (100, 100)), (150, 147)).hexes
    ((0, 1),)
    """
    first = lattice.nearest(at_mm)
    reach_mm = max(tie_mm, 2 * BAND95 * max(sigma_mm))
    around = disc(first, 1 + math.ceil(reach_mm / lattice.across_flats_mm))
    away = sorted((math.dist(at_mm, lattice.centre(h)), h) for h in around)
    nearest_mm, first = away[0]
    toward = _unit(at_mm, lattice.centre(first))
    hexes = [first]
    for far_mm, h in away[1:]:
        other = _unit(at_mm, lattice.centre(h))
        band_mm = BAND95 * math.hypot(*((toward[i] - other[i]) * sigma_mm[i] for i in (0, 1)))
        more_mm = far_mm - nearest_mm
        if more_mm <= TIE_MM or more_mm < tie_mm - TIE_MM or more_mm <= band_mm:
            hexes.append(h)
    return Located(tuple(hexes), away[1][0] - nearest_mm)


def _unit(a: Point, b: Point) -> Point:
    d = math.dist(a, b)
    return ((a[0] - b[0]) / d, (a[1] - b[1]) / d) if d > 0 else (0.0, 0.0)
