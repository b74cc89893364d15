"""The own frame of a rectangle: forward, right, the four excesses, the four edges (sheet, section 0.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...arcs import FAR_MM
from ...footprint import Footprint
from ...plane import Array, direction

__all__ = ["FACES", "Frame", "Point", "norm_deg", "turn_between"]

Point = tuple[float, float]

ROUND_SIDES = 32
"""Sides of the outline that stands for a round base where lines pass it; distances never use it."""

FACES = ("front", "left-flank", "rear", "right-flank")
"""Counter-clockwise; the outward normal of face k looks along the facing turned left by k quarters."""


def norm_deg(deg: float) -> float:
    """A direction in [0, 360); what is 360 but for rounding is 0.

    >>> norm_deg(-90.0), norm_deg(360.0 - 1e-12)
    (270.0, 0.0)
    """
    out = math.fmod(deg, 360.0)
    out = out + 360.0 if out < 0 else out
    return 0.0 if out > 360.0 - 1e-9 else out


def turn_between(start_deg: float, end_deg: float) -> float:
    """The smaller turn from one direction to another, in (-180, 180].

    >>> turn_between(350, 10), turn_between(0, 270)
    (20.0, -90.0)
    """
    turn = norm_deg(end_deg - start_deg)
    return turn - 360.0 if turn > 180.0 else turn


@dataclass(frozen=True)
class Frame:
    """A rectangle with a front, or a round base (its width and depth are its diameter).

    >>> f = Frame((0, 0), 90, 100, 50)
    >>> f.own((60, 30)), f.corner("front-left")
    ((60.0, 30.0), (-50.0, 25.0))
    """

    at: Point
    facing: float
    width: float
    depth: float
    round: bool = False

    @cached_property
    def forward(self) -> Point:
        f = direction(self.facing)
        return float(f[0]), float(f[1])

    @property
    def right(self) -> Point:
        ux, uy = self.forward
        return uy, -ux

    def own(self, p: Point) -> Point:
        """(x, y) of a point: to the own right, and forward, of the centre."""
        dx, dy = p[0] - self.at[0], p[1] - self.at[1]
        (ux, uy), (rx, ry) = self.forward, self.right
        return dx * rx + dy * ry, dx * ux + dy * uy

    def world(self, x: float, y: float) -> Point:
        (ux, uy), (rx, ry) = self.forward, self.right
        return self.at[0] + x * rx + y * ux, self.at[1] + x * ry + y * uy

    @cached_property
    def corners(self) -> tuple[Point, Point, Point, Point]:
        """Front left, front right, rear right, rear left."""
        w, d = self.width / 2, self.depth / 2
        return self.world(-w, d), self.world(w, d), self.world(w, -d), self.world(-w, -d)

    def corner(self, name: str) -> Point:
        return self.corners[("front-left", "front-right", "rear-right", "rear-left").index(name)]

    @cached_property
    def footprint(self) -> Footprint:
        if self.round:
            return Footprint.disc(self.at, self.width / 2)
        return Footprint.rect(self.at, self.facing, self.width, self.depth)

    @cached_property
    def ring(self) -> Array:
        """Corners counter-clockwise, (4, 2); of a round base a fine polygon."""
        if self.round:
            turn = np.arange(ROUND_SIDES) * 360.0 / ROUND_SIDES
            # half inside, half outside the circle: never off by more than 0.1 mm for a base of 80 mm
            radius = self.width / (1.0 + math.cos(math.pi / ROUND_SIDES))
            return np.asarray(self.at) + radius * direction(turn)
        return np.array(self.corners[::-1])

    @property
    def front_middle(self) -> Point:
        return self.world(0.0, self.depth / 2)

    def middle(self, face: str) -> Point:
        (ax, ay), (bx, by) = self.edge(face)
        return (ax + bx) / 2, (ay + by) / 2

    def edge(self, face: str) -> tuple[Point, Point]:
        """The two ends of a facing, the own left end first as one looks out over it."""
        fl, fr, rr, rl = self.corners
        return {"front": (fl, fr), "left-flank": (rl, fl), "rear": (rr, rl), "right-flank": (fr, rr)}[face]

    def normal_deg(self, face: str) -> float:
        """The direction that a facing looks to."""
        return norm_deg(self.facing + 90.0 * FACES.index(face))

    def excess(self, p: Point) -> dict[str, float]:
        """How far a point is beyond each facing (T9A-ARC-1)."""
        x, y = self.own(p)
        w, d = self.width / 2, self.depth / 2
        return {"front": y - d, "left-flank": -x - w, "rear": -y - d, "right-flank": x - w}

    def wedge(self, face: str) -> Array:
        """The closed arc of a facing as a convex outline, counter-clockwise, its far side far off the table."""
        a, b = (np.asarray(p) for p in self.edge(face))
        out = self.normal_deg(face)
        left, right = direction(out + 45.0), direction(out - 45.0)
        return np.stack([b, b + FAR_MM * right, a + FAR_MM * left, a])

    def moved(self, x: float, y: float) -> Frame:
        """Shifted to the own right and forward."""
        return replace(self, at=self.world(x, y))

    def turned(self, deg: float, about: Point | None = None) -> Frame:
        """Turned counter-clockwise, about the centre or another point."""
        if about is None:
            return replace(self, facing=norm_deg(self.facing + deg))
        f = direction(deg)
        c, s = float(f[0]), float(f[1])
        dx, dy = self.at[0] - about[0], self.at[1] - about[1]
        at = (about[0] + c * dx - s * dy, about[1] + s * dx + c * dy)
        return replace(self, at=at, facing=norm_deg(self.facing + deg))

    def swept(self, x: float, y: float) -> Footprint:
        """What it covers on a straight way along one own axis (one of the two must be 0)."""
        if self.round:
            core = np.array([self.at, self.world(x, y)])
            return Footprint((core if x or y else core[:1],), self.width / 2)
        mid = self.world(x / 2, y / 2)
        return Footprint.rect(mid, self.facing, self.width + abs(x), self.depth + abs(y))

    def gap(self, other: Footprint) -> float:
        return self.footprint.gap(other)
