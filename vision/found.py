"""What the camera side measures before it is a scene: single things (`Found`), and pieces made of them (`Thing`)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from regla.rules.scene import Base, Circle, Hex, Rect

__all__ = ["Floats", "Found", "Shape", "Thing", "ellipse95"]

Floats = npt.NDArray[np.float64]
Shape = Literal["circle", "rect", "hex"]

CHI2_95 = 5.991464547107979
"""95 % of a two-dimensional normal lies within this squared distance."""


@dataclass(frozen=True, eq=False)
class Found:
    """One base, tray, hex or token, measured in table millimetres.

    `size_mm` is (diameter,), (width, depth) or (across flats,). `turn_deg` is the direction of its depth axis, known only
    up to a quarter turn (square), half a turn (rectangle) or a sixth (hex); `facing_deg` is the front, None if unknown.
    """

    cls: str
    shape: Shape
    at_mm: Floats
    cov_mm2: Floats
    size_mm: tuple[float, ...]
    size_sigma_mm: float
    turn_deg: float = 0.0
    turn_sigma_deg: float = 0.0
    facing_deg: float | None = None
    facing_sigma_deg: float = 0.0
    height_mm: float = 0.0
    score: float = 1.0
    rim: float = 1.0
    """Share of the outline that was seen and agrees with the fit."""
    snapped: bool = False
    tag: int | None = None
    colour: tuple[float, float, float] | None = None
    corners_px: Floats | None = None
    guess_deg: float | None = None
    """The likeliest front, however unsure; `guess_sure` is the share that speaks for it. One of many in a block's vote."""
    guess_sure: float = 0.0
    box_cov_mm2: Floats | None = None
    """How well the middle of its box is known by itself, before any edge is looked at; None: as well as boxes usually are."""
    whole: float = 0.0
    """How much its box looks like one base and nothing but, as a logarithm; 0 where nothing is known."""
    unseen: bool = False
    """No box was found for it: its cell in a block looks taken."""

    @property
    def base(self) -> Base:
        if self.shape == "circle":
            return Circle(round(self.size_mm[0], 3))
        if self.shape == "hex":
            return Hex(round(self.size_mm[0], 3))
        return Rect(round(self.size_mm[0], 3), round(self.size_mm[1], 3))

    @property
    def reach_mm(self) -> float:
        """Radius of the circle around the whole outline."""
        if self.shape == "rect":
            return float(np.hypot(self.size_mm[0], self.size_mm[1])) / 2
        return self.size_mm[0] / (2 if self.shape == "circle" else 3**0.5)

    @property
    def area_mm2(self) -> float:
        if self.shape == "circle":
            return float(np.pi / 4 * self.size_mm[0] ** 2)
        if self.shape == "hex":
            return float(3**0.5 / 2 * self.size_mm[0] ** 2)
        return self.size_mm[0] * self.size_mm[1]

    def moved_to(self, at_mm: Floats, cov_mm2: Floats | None = None) -> Found:
        return replace(self, at_mm=at_mm, cov_mm2=self.cov_mm2 if cov_mm2 is None else cov_mm2)


@dataclass(frozen=True, eq=False)
class Thing:
    """A piece in the making: one base, or a block of them. Lengths in mm."""

    kind: Literal["model", "unit", "token", "marker"]
    at_mm: Floats
    cov_mm2: Floats
    base: Base
    members: tuple[Found, ...]
    facing_deg: float | None = None
    facing_sigma_deg: float = 0.0
    turn_deg: float = 0.0
    files: int | None = None
    count: int | None = None
    traits: tuple[str, ...] = ()
    hex: tuple[int, int] | None = None
    space: str | None = None
    confidence: float = 1.0
    source: Literal["camera", "tag"] = "camera"
    tag: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def height_mm(self) -> float:
        return max((m.height_mm for m in self.members), default=0.0)

    @property
    def rim(self) -> float:
        return float(np.mean([m.rim for m in self.members])) if self.members else 0.0

    @property
    def colour(self) -> Floats | None:
        seen = [m.colour for m in self.members if m.colour is not None]
        return np.mean(np.asarray(seen), axis=0) if seen else None

    @property
    def turn_period_deg(self) -> float:
        """After which turn the block looks the same: what `turn_deg` leaves open."""
        if isinstance(self.base, Circle):
            return 360.0
        if isinstance(self.base, Hex):
            return 60.0
        width, depth = self.block_mm
        return 90.0 if abs(width - depth) < 0.02 * max(width, depth) else 180.0

    @property
    def block_mm(self) -> tuple[float, float]:
        """Width and depth of the whole block."""
        if isinstance(self.base, Rect):
            files = self.files or 1
            ranks = -(-(self.count or 1) // files)
            return self.base.width * files, self.base.depth * ranks
        side = self.base.diameter if isinstance(self.base, Circle) else self.members[0].size_mm[0]
        return side, side


def ellipse95(error_mm: Floats, cov_mm2: Floats) -> npt.NDArray[np.bool_]:
    """Whether each error (N,2) lies inside its own 95 % ellipse."""
    error = np.asarray(error_mm, dtype=np.float64).reshape(-1, 2)
    cov = np.asarray(cov_mm2, dtype=np.float64).reshape(-1, 2, 2)
    return np.asarray(np.einsum("ni,nij,nj->n", error, np.linalg.inv(cov), error) <= CHI2_95)
