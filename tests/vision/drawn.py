"""Drawn tables for the camera side: solids with a wall, painted through a true camera, and their boxes as a detector gives
them. The boxes are made from the truth (and shaken by a pixel), so that the pipeline is measured apart from the network."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
from regla.calibration import TableView
from regla.models.classes import CLASS_ID
from regla.vision.boxes import boxes_of
from regla.vision.detect import Detections

from tests.calibration import world

FINE = 8


@dataclass(frozen=True)
class Base:
    """A base on the table: round (one size) or rectangular (width, depth)."""

    at: tuple[float, float]
    size: tuple[float, ...]
    facing: float = 90.0
    cls: str = ""
    height: float = 3.5
    top: tuple[int, int, int] = (60, 70, 140)
    wall: tuple[int, int, int] = (25, 25, 30)
    figure: bool = False
    tag: int | None = None

    @property
    def name(self) -> str:
        return self.cls or ("round-base" if len(self.size) == 1 else "rect-base")

    def outline(self, count: int = 96) -> np.ndarray:
        if len(self.size) == 1:
            angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
            return np.array(self.at) + self.size[0] / 2 * np.column_stack([np.cos(angle), np.sin(angle)])
        turn = np.radians(self.facing)
        forward = np.array([np.cos(turn), np.sin(turn)])
        right = np.array([forward[1], -forward[0]])
        w, d = self.size[0] / 2, self.size[1] / 2
        return np.array(
            [self.at + sx * w * right + sy * d * forward for sx, sy in ((-1, 1), (1, 1), (1, -1), (-1, -1))]
        )


def block(at, facing, files, count, size=(25.0, 25.0), rear=None, **more) -> list[Base]:
    """A ranked block; `at` is the middle of its full rectangle, `rear` the files of its last rank."""
    ranks = -(-count // files)
    turn = np.radians(facing)
    forward = np.array([np.cos(turn), np.sin(turn)])
    right = np.array([forward[1], -forward[0]])
    slots = [divmod(i, files) for i in range(files * (ranks - 1))]
    last = rear if rear is not None else range(1, count - files * (ranks - 1) + 1)
    slots += [(ranks - 1, f - 1) for f in last]
    out = []
    for rank, file in slots:
        place = (
            np.array(at)
            + right * (file - (files - 1) / 2) * size[0]
            + forward * ((ranks - 1) / 2 - rank) * size[1]
        )
        out.append(Base((float(place[0]), float(place[1])), size, facing, **more))
    return out


@lru_cache(maxsize=4)
def _mat(seed: int, noise: float, sheets: bool) -> np.ndarray:
    return world.draw(world.overhead(), world.sheets() if sheets else {}, seed=seed, noise=noise)


@dataclass
class Canvas:
    """A part of the picture drawn eight times as fine: OpenCV's own anti-aliasing makes shapes half a pixel too large."""

    image: np.ndarray
    view: TableView
    low: np.ndarray
    high: np.ndarray
    fine: np.ndarray

    @classmethod
    def around(cls, image, view, points, top):
        corners = np.vstack(
            [view.to_pixel(np.column_stack([points, np.full(len(points), z)])) for z in (0.0, top)]
        )
        low = np.maximum(np.floor(corners.min(axis=0)).astype(int) - 4, 0)
        high = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + 5, (image.shape[1], image.shape[0]))
        part = image[low[1] : high[1], low[0] : high[0]]
        return cls(image, view, low, high, part.repeat(FINE, axis=0).repeat(FINE, axis=1).copy())

    def fill(self, points, height, colour):
        pixels = self.view.to_pixel(np.column_stack([points, np.full(len(points), height)]))
        fine = (pixels - self.low + 0.5) * FINE - 0.5
        cv2.fillPoly(self.fine, [np.round(fine * 16).astype(np.int32)], colour, cv2.LINE_8, 4)

    def done(self):
        width, height = self.high - self.low
        small = self.fine.reshape(height, FINE, width, FINE, 3).mean(axis=(1, 3))
        self.image[self.low[1] : self.high[1], self.low[0] : self.high[0]] = np.round(small)


def draw(bases, view: TableView | None = None, *, seed=0, noise=2.0, blur=0.6, sheets=True) -> np.ndarray:
    """A picture of the table with its sheets and these bases; figures are a blob that leans away from the camera."""
    view = view or world.overhead()
    image = _mat(0, 0.0, sheets).copy()
    rng = np.random.default_rng(seed)
    for base in bases:
        ring = base.outline()
        canvas = Canvas.around(image, view, ring, 32.0 if base.figure else base.height)
        for z in np.linspace(0, base.height, 12)[:-1]:
            canvas.fill(ring, z, base.wall)
        canvas.fill(ring, base.height, base.top)
        if base.tag is not None:
            _draw_tag(canvas, base)
        if base.figure:
            for k, z in enumerate(np.linspace(base.height, 32.0, 7)):
                angle = np.linspace(0, 2 * np.pi, 24)
                blob = np.array(base.at) + (6.0 - 0.4 * k) * np.column_stack([np.cos(angle), np.sin(angle)])
                canvas.fill(blob, z, (190 - 8 * k, 120, 60 + 15 * k))
        canvas.done()
    image = cv2.GaussianBlur(image, (0, 0), blur) if blur else image
    return np.clip(image + rng.normal(0, noise, image.shape), 0, 255).astype(np.uint8)


def _draw_tag(canvas, base, side=18.0):
    turn = np.radians(base.facing)
    up = np.array([np.cos(turn), np.sin(turn)])
    right = np.array([up[1], -up[0]])

    def square(centre, size, colour):
        w = size / 2
        corners = np.array(
            [centre + sx * w * right + sy * w * up for sx, sy in ((-1, 1), (1, 1), (1, -1), (-1, -1))]
        )
        canvas.fill(corners, base.height, colour)

    at = np.array(base.at)
    square(at, side * 4 / 3, (240, 240, 240))
    square(at, side, (15, 15, 15))
    bits = world.marker_bits(base.tag)
    cell = side / 6
    for row in range(6):
        for column in range(6):
            if bits[row, column]:
                square(
                    at + right * (column - 2.5) * cell + up * (2.5 - row) * cell, cell * 1.02, (240, 240, 240)
                )


@dataclass
class Told:
    """A detector that is told what is on the table; each box is off by `shake_px` (one standard deviation)."""

    bases: list
    view: TableView = field(default_factory=world.overhead)
    shake_px: float = 0.7
    seed: int = 0
    hands: int = 0
    calls: int = 0
    model_sha256: str = "told"

    def __call__(self, image, min_score=None):
        self.calls += 1
        rng = np.random.default_rng(self.seed)
        corners, classes = [], []
        for base in self.bases:
            ring = base.outline()
            pixels = self.view.to_pixel(np.column_stack([ring, np.full(len(ring), base.height)]))
            if len(base.size) == 1:
                low, high = pixels.min(axis=0), pixels.max(axis=0)
                quad = np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
            else:
                quad = pixels
            corners.append(quad + rng.normal(0, self.shake_px, 2) + rng.normal(0, self.shake_px / 3, (4, 2)))
            classes.append(CLASS_ID[base.name])
        for _ in range(self.hands):
            corners.append(np.array([[0.0, 500], [400, 500], [400, 700], [0, 700]]))
            classes.append(CLASS_ID["hand"])
        quads = np.array(corners, dtype=float).reshape(-1, 4, 2)
        return Detections(
            np.array(classes, dtype=np.int64), np.full(len(classes), 0.9), boxes_of(quads), quads
        )


@dataclass
class ToldFacing:
    """A facing network that is told; `sure` is how sure it says it is, `wrong` the share of pieces it turns round."""

    bases: list
    view: TableView = field(default_factory=world.overhead)
    known: bool = True
    model_sha256: str = "told"

    def guess(self, image, corners_px, class_id):
        middles = np.asarray(corners_px).mean(axis=1)
        at = self.view.to_pixel(np.array([[*b.at, b.height] for b in self.bases]))
        angles = np.full(len(middles), np.nan)
        for n, middle in enumerate(middles):
            base = self.bases[int(np.argmin(np.hypot(*(at - middle).T)))]
            turn = np.radians(base.facing)
            tip = self.view.to_pixel([[base.at[0] + np.cos(turn), base.at[1] + np.sin(turn), base.height]])[0]
            way = tip - self.view.to_pixel([[*base.at, base.height]])[0]
            if self.known:
                angles[n] = np.arctan2(way[1], way[0])
        return angles, np.full(len(middles), 0.95), np.isfinite(angles)
