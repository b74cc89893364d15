"""Named spaces: a graph of places one step apart, columns to march along, and where each lies on the table.

Nothing here knows a game: a game names its spaces and says which touch.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import shapely

from .scene import BoardSpace
from .verdict import BAND95

__all__ = ["BORDER_MM", "Column", "Located", "SpaceGraph", "locate"]

BORDER_MM = 5.0
"""A foot nearer than this to a border could as well be meant to stand beyond it; the players are asked."""

LEVEL_MM = 15.0
"""Floors that differ by less than this are one level: bases are a few millimetres thick, walls a few centimetres high."""


@dataclass(frozen=True)
class SpaceGraph:
    """Spaces and the pairs of them that are one step apart, both ways.

    >>> house = SpaceGraph.of([("hall", "kitchen"), ("hall", "stairs"), ("stairs", "attic")])
    >>> house.steps("kitchen", "attic"), house.reach("hall", 1), house.path("kitchen", "attic")
    (3, ('kitchen', 'stairs'), ('hall', 'stairs', 'attic'))
    """

    edges: frozenset[frozenset[str]]

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> SpaceGraph:
        return cls(frozenset(frozenset(pair) for pair in pairs))

    @cached_property
    def _beside(self) -> Mapping[str, tuple[str, ...]]:
        beside: dict[str, set[str]] = {}
        for edge in self.edges:
            a, b = sorted(edge)
            beside.setdefault(a, set()).add(b)
            beside.setdefault(b, set()).add(a)
        return {space: tuple(sorted(others)) for space, others in sorted(beside.items())}

    @property
    def spaces(self) -> tuple[str, ...]:
        return tuple(self._beside)

    def __contains__(self, space: object) -> bool:
        return space in self._beside

    def beside(self, space: str) -> tuple[str, ...]:
        """The spaces one step away."""
        return self._beside.get(space, ())

    def adjacent(self, a: str, b: str) -> bool:
        return b in self.beside(a)

    def distances(self, start: str) -> dict[str, int]:
        """Steps from a space to every space that can be reached."""
        if start not in self:
            return {}
        found = {start: 0}
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for space in self.beside(here):
                if space not in found:
                    found[space] = found[here] + 1
                    queue.append(space)
        return found

    def steps(self, a: str, b: str) -> int | None:
        """Steps of the shortest way; None where there is none."""
        return self.distances(a).get(b)

    def reach(self, start: str, steps: int) -> tuple[str, ...]:
        """The other spaces within so many steps, in the order of their names."""
        return tuple(s for s, n in sorted(self.distances(start).items()) if 0 < n <= steps)

    def path(self, a: str, b: str) -> tuple[str, ...] | None:
        """One shortest way, the start left out; None where there is none."""
        found = self.distances(a)
        if b not in found:
            return None
        back = [b]
        while back[-1] != a:
            here = back[-1]
            back.append(next(s for s in self.beside(here) if found[s] == found[here] - 1))
        return tuple(reversed(back[:-1]))


@dataclass(frozen=True)
class Column:
    """A way that is only ever walked forward, one space at a time.

    >>> stairs = Column(("cellar", "hall", "attic"))
    >>> stairs.after("cellar"), stairs.after("attic"), stairs.left("cellar")
    ('hall', None, 2)
    """

    spaces: tuple[str, ...]

    def __contains__(self, space: object) -> bool:
        return space in self.spaces

    def after(self, space: str) -> str | None:
        """The next space; None at the end and off the column."""
        i = self.spaces.index(space) + 1 if space in self.spaces else len(self.spaces)
        return self.spaces[i] if i < len(self.spaces) else None

    def left(self, space: str) -> int | None:
        """Steps to the end; None off the column."""
        return len(self.spaces) - 1 - self.spaces.index(space) if space in self.spaces else None


@dataclass(frozen=True)
class Located:
    """The space that a point lies in, then those which it could as well lie in; none when it is off the board."""

    spaces: tuple[str, ...]
    gap_mm: float
    """How far the nearest other space is; infinite where there is none."""

    @property
    def sure(self) -> bool:
        return len(self.spaces) == 1

    @property
    def space(self) -> str | None:
        return self.spaces[0] if self.spaces else None


def locate(
    spaces: Sequence[BoardSpace],
    at_mm: tuple[float, float],
    height_mm: float | None = None,
    sigma_mm: tuple[float, float] = (0.0, 0.0),
    border_mm: float = BORDER_MM,
) -> Located:
    """The space whose outline holds the point, and every other whose border is within `border_mm` or within the
    95 % band of the point. Where `height_mm` is known (of the visible top of the base) only the spaces whose floors are
    about as high as the nearest one count: from above the same point can be on a wall and in the room behind it.

    >>> rooms = [BoardSpace("left", ((0, 0), (100, 0), (100, 100), (0, 100))),
    ...          BoardSpace("right", ((100, 0), (200, 0), (200, 100), (100, 100)))]
    >>> locate(rooms, (50, 50)).spaces, locate(rooms, (97, 50)).spaces, locate(rooms, (300, 50)).spaces
    (('left',), ('left', 'right'), ())
    """
    if height_mm is not None and spaces:
        off_mm = min(abs(s.height - height_mm) for s in spaces) + LEVEL_MM
        spaces = [s for s in spaces if abs(s.height - height_mm) <= off_mm]
    point = shapely.Point(at_mm)
    near: list[tuple[float, str]] = []
    for space in spaces:
        outline = shapely.Polygon(space.outline)
        away_mm = float(outline.distance(point))
        if away_mm <= max(border_mm, _band_mm(outline, at_mm, away_mm, sigma_mm)):
            near.append((away_mm, space.space))
    near.sort(key=lambda item: item[0])
    names = tuple(dict.fromkeys(space for _, space in near))
    others = (
        [float(shapely.Polygon(s.outline).distance(point)) for s in spaces if s.space != names[0]]
        if names
        else []
    )
    return Located(names, min(others, default=math.inf))


def _band_mm(
    outline: shapely.Polygon, at_mm: tuple[float, float], away_mm: float, sigma_mm: tuple[float, float]
) -> float:
    """Half the 95 % band of the point, in the direction of the outline."""
    if away_mm == 0.0:
        return 0.0
    there = shapely.get_coordinates(shapely.shortest_line(shapely.Point(at_mm), outline))[1]
    n = (there[0] - at_mm[0]) / away_mm, (there[1] - at_mm[1]) / away_mm
    return BAND95 * math.hypot(n[0] * sigma_mm[0], n[1] * sigma_mm[1])
