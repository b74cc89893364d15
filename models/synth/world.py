"""A table in the making: what is placed, what of it the truth must know, and the scene document of the game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .mesh import Instances, Mesh, Surface, box, disc, frustum, matrix, quad

Array = NDArray[Any]
Colour = Sequence[float]

INCH_MM = 25.4
DECAL_MM = 0.05  # how far prints lie above what they are printed on


@dataclass
class Thing:
    """One object the detector should find. `outline_mm` is its top face; `companions` may stand on it unpunished."""

    class_name: str
    id: str
    outline_mm: Array
    height_mm: float
    ident: int
    facing: float | None = None
    unit: str | None = None
    shape: str = "quad"  # round | quad | hex | mask (outline found in the picture, for hands)
    companions: set[int] = field(default_factory=set)
    visible: float = 1.0
    tag: int | None = None  # the number of an ArUco tag stuck on it


def circle(at: ArrayLike, radius_mm: float, count: int = 40) -> Array:
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return np.asarray(at, float)[:2] + radius_mm * np.c_[np.cos(angle), np.sin(angle)]


def rectangle(at: ArrayLike, width_mm: float, depth_mm: float, facing_deg: float) -> Array:
    """Front-left, front-right, rear-right, rear-left; `width_mm` lies across the front."""
    f = np.array([np.cos(np.radians(facing_deg)), np.sin(np.radians(facing_deg))])
    left = np.array([-f[1], f[0]])
    at = np.asarray(at, float)[:2]
    w, d = width_mm / 2, depth_mm / 2
    return np.array(
        [at + f * d + left * w, at + f * d - left * w, at - f * d - left * w, at - f * d + left * w]
    )


def hexagon(at: ArrayLike, across_flats_mm: float, turn_deg: float = 0.0) -> Array:
    """Pointy side up at turn 0."""
    angle = np.radians(turn_deg + 30 + 60 * np.arange(6))
    return np.asarray(at, float)[:2] + across_flats_mm / np.sqrt(3) * np.c_[np.cos(angle), np.sin(angle)]


@dataclass
class World:
    """Everything on and around one table. Lengths in mm, in the frame of the scene document."""

    game: str
    width_mm: float
    depth_mm: float
    rng: np.random.Generator
    assets: str | None = None
    instances: Instances = field(default_factory=Instances)
    things: list[Thing] = field(default_factory=list)
    pieces: list[dict[str, Any]] = field(default_factory=list)
    terrain: list[dict[str, Any]] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)  # further fields of the scene document
    extra_truth: dict[str, Any] = field(default_factory=dict)  # further fields of the truth document
    markers: dict[str, list[list[float]]] = field(default_factory=dict)
    board_idents: set[int] = field(default_factory=set)
    taken: list[tuple[float, float, float]] = field(default_factory=list)  # circles that are occupied
    focus_mm: tuple[float, float, float, float] | None = None
    _next: int = 1

    def ident(self) -> int:
        self._next += 1
        return self._next

    def add(
        self,
        mesh: Mesh,
        placed: Array,
        colour: Colour | None = None,
        surface: Surface | None = None,
        ident: int = 0,
        mix: float = 1.0,
    ) -> None:
        self.instances.add(mesh, placed, colour, surface or Surface(), ident, mix)

    def lay_sheets(self) -> None:
        """The four corner sheets of a calibrated table, cut at their line and laid flush into the corners."""
        from regla.calibration import corner_places
        from regla.calibration.markers import QUIET_MM, SIDE_MM

        from .parts import lay_tag

        for number, corners in corner_places((self.width_mm, self.depth_mm)).items():
            middle = corners.mean(axis=0)
            seen = lay_tag(self, number, middle, SIDE_MM, 90.0, 0.2, quiet=QUIET_MM / SIDE_MM)
            self.markers[str(number)] = np.round(seen, 4).tolist()
            self.take(middle, SIDE_MM * 0.5 + QUIET_MM + 18)

    # -- prints ---------------------------------------------------------------------------------------------

    def line(
        self,
        start: ArrayLike,
        end: ArrayLike,
        width_mm: float,
        z_mm: float,
        colour: Colour,
        ident: int = 0,
        surface: Surface | None = None,
    ) -> None:
        a, b = np.asarray(start, float)[:2], np.asarray(end, float)[:2]
        length = float(np.hypot(*(b - a)))
        turn = float(np.degrees(np.arctan2(b[1] - a[1], b[0] - a[0])))
        self.add(quad(), matrix((*(a + b) / 2, z_mm), turn, (length, width_mm, 1)), colour, surface, ident)

    def dot(
        self,
        at: ArrayLike,
        radius_mm: float,
        z_mm: float,
        colour: Colour,
        ident: int = 0,
        surface: Surface | None = None,
        sides: int = 24,
    ) -> None:
        x, y = np.asarray(at, float)[:2]
        self.add(disc(sides), matrix((x, y, z_mm), 0, (radius_mm, radius_mm, 1)), colour, surface, ident)

    def plate(
        self,
        at: ArrayLike,
        width_mm: float,
        depth_mm: float,
        turn_deg: float,
        z_mm: float,
        colour: Colour,
        surface: Surface | None = None,
        ident: int = 0,
    ) -> None:
        """A flat rectangle; `width_mm` along x before turning."""
        x, y = np.asarray(at, float)[:2]
        self.add(quad(), matrix((x, y, z_mm), turn_deg, (width_mm, depth_mm, 1)), colour, surface, ident)

    def block(
        self,
        at: ArrayLike,
        width_mm: float,
        depth_mm: float,
        height_mm: float,
        turn_deg: float,
        colour: Colour,
        surface: Surface | None = None,
        ident: int = 0,
        z_mm: float = 0.0,
        bevel: float = 0.0,
    ) -> None:
        x, y = np.asarray(at, float)[:2]
        self.add(
            box(bevel),
            matrix((x, y, z_mm), turn_deg, (width_mm, depth_mm, height_mm)),
            colour,
            surface,
            ident,
        )

    def pillar(
        self,
        at: ArrayLike,
        radius_mm: float,
        height_mm: float,
        colour: Colour,
        surface: Surface | None = None,
        ident: int = 0,
        z_mm: float = 0.0,
        top: float = 1.0,
        sides: int = 48,
    ) -> None:
        x, y = np.asarray(at, float)[:2]
        self.add(
            frustum(top, sides, cap=True),
            matrix((x, y, z_mm), 0, (radius_mm, radius_mm, height_mm)),
            colour,
            surface,
            ident,
        )

    # -- truth ----------------------------------------------------------------------------------------------

    def thing(
        self, class_name: str, id_: str, outline_mm: Array, height_mm: float, ident: int, **more: Any
    ) -> Thing:
        thing = Thing(class_name, id_, np.asarray(outline_mm, float), height_mm, ident, **more)
        self.things.append(thing)
        return thing

    def scene(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "game": self.game,
            "unit": "mm",
            "table": {"width": round(self.width_mm, 3), "depth": round(self.depth_mm, 3)},
            "pieces": self.pieces,
            "terrain": self.terrain,
            "params": {},
        }
        document.update(self.extra)
        return document

    # -- room -----------------------------------------------------------------------------------------------

    def free(self, at: ArrayLike, radius_mm: float) -> bool:
        x, y = np.asarray(at, float)[:2]
        return all(np.hypot(x - a, y - b) >= radius_mm + r for a, b, r in self.taken)

    def take(self, at: ArrayLike, radius_mm: float) -> None:
        x, y = np.asarray(at, float)[:2]
        self.taken.append((float(x), float(y), float(radius_mm)))

    def room(
        self, radius_mm: float, area: tuple[float, float, float, float] | None = None, tries: int = 60
    ) -> Array | None:
        """A free place for a circle, within the table or the given area; None where there is none."""
        x0, y0, x1, y1 = area or (0, 0, self.width_mm, self.depth_mm)
        for _ in range(tries):
            at = np.array(
                [
                    self.rng.uniform(min(x0 + radius_mm, (x0 + x1) / 2), max(x1 - radius_mm, (x0 + x1) / 2)),
                    self.rng.uniform(min(y0 + radius_mm, (y0 + y1) / 2), max(y1 - radius_mm, (y0 + y1) / 2)),
                ]
            )
            if self.free(at, radius_mm):
                self.take(at, radius_mm)
                return at
        return None
