"""The same tables as a drawing: flat colours, no figures, hardly any light.

A detector that has only seen the rasteriser's world leans on its looks. These pictures keep the geometry and
the truth and throw the looks away: plain bases on plain tables, as paper stand-ins, counters and other
people's renderings show them. They are painted with OpenCV, several a second.
"""

from __future__ import annotations

import zlib
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from .camera import Shot
from .gl import Frame, Pinhole
from .world import Thing, World

Array = NDArray[Any]
Colour = tuple[int, int, int]

FINE = 2.0
"""Painted twice as fine, then gathered: edges as smooth as a sensor sees them."""

SHIFT = 4
"""Fractional bits of the painted coordinates: a sixteenth of a fine pixel."""


def sketch(world: World, shot: Shot, rng: np.random.Generator) -> tuple[Frame, Pinhole, Array, Array]:
    """Paint a world; hands are left out. Gives what `describe` and `through_lens` need."""
    pinhole, map_x, map_y = shot.pinhole(FINE)
    painter = _Painter(world, pinhole, rng)
    world.things = [thing for thing in world.things if thing.shape != "mask"]
    painter.ground()
    painter.terrain()
    painter.boards()
    painter.markers()
    for thing in sorted(world.things, key=lambda t: (not t.class_name.startswith("hex"), t.height_mm)):
        painter.thing(thing)
    depth = np.full(painter.ids.shape, 1000, np.float32)
    return Frame(painter.picture, painter.ids, depth), pinhole, map_x, map_y


class _Painter:
    def __init__(self, world: World, pinhole: Pinhole, rng: np.random.Generator) -> None:
        self.world, self.pinhole, self.rng = world, pinhole, rng
        width_px, height_px = pinhole.size_px
        self.picture = np.zeros((height_px, width_px, 3), np.uint8)
        self.ids = np.zeros((height_px, width_px), np.int32)
        self.base = self._colour()
        self.tops = [self._colour() for _ in range(int(rng.integers(1, 5)))]
        self.outlined = rng.random() < 0.5
        self.mark = int(rng.integers(0, 5))
        self.figures = rng.random() < 0.5
        self.shadow = rng.random() < 0.4
        self.light = rng.normal(0, 1, 2) * 5
        self.hexes_filled = rng.random() < 0.5
        self.hex_tone, self.hex_line = self._colour(), self._colour()

    def _colour(self) -> Colour:
        if self.rng.random() < 0.25:
            grey = int(self.rng.integers(5, 250))
            return grey, grey, grey
        b, g, r = (int(c) for c in self.rng.integers(10, 246, 3))
        return b, g, r

    def _near(self, colour: Colour, by: int) -> Colour:
        b, g, r = (int(np.clip(c + by + self.rng.integers(-6, 7), 0, 255)) for c in colour)
        return b, g, r

    def px(self, xy_mm: Array, z_mm: float) -> Array:
        xyz = np.c_[xy_mm, np.full(len(xy_mm), z_mm)]
        seen = xyz @ self.pinhole.rotation.T + self.pinhole.translation
        flat = seen[:, :2] / np.maximum(seen[:, 2:], 1e-6)
        return flat * np.diag(self.pinhole.matrix)[:2] + self.pinhole.matrix[:2, 2]

    def fill(self, outline_px: Array, colour: Colour, ident: int | None = None) -> None:
        points = (outline_px * 2**SHIFT).round().astype(np.int32)
        cv2.fillPoly(self.picture, [points], colour, cv2.LINE_AA, SHIFT)
        if ident is not None:
            cv2.fillPoly(self.ids, [points], ident, cv2.LINE_8, SHIFT)

    def stroke(self, outline_px: Array, colour: Colour, width_px: float, closed: bool = True) -> None:
        points = (outline_px * 2**SHIFT).round().astype(np.int32)
        cv2.polylines(self.picture, [points], closed, colour, max(1, round(width_px)), cv2.LINE_AA, SHIFT)

    def scale(self, at_mm: Array) -> float:
        """Pixels per millimetre at a place."""
        a, b = self.px(np.array([at_mm, at_mm + np.array([10.0, 0.0])]), 0.0)
        return float(np.hypot(*(b - a))) / 10

    # --- what is painted --------------------------------------------------------------------------------

    def ground(self) -> None:
        rng, world = self.rng, self.world
        self.picture[:] = self._colour()
        far = 400.0
        table = np.array(
            [[0, 0], [world.width_mm, 0], [world.width_mm, world.depth_mm], [0, world.depth_mm]], float
        )
        if rng.random() < 0.3:
            table += np.array([[-far, -far], [far, -far], [far, far], [-far, far]])
        self.fill(self.px(table, 0.0), self.base)
        if rng.random() < 0.35:  # a grid, as mats and drawings have
            step = float(rng.choice([25.4, 50.8, 100.0, 152.4, 304.8]))
            tone = self._near(self.base, int(rng.choice([-40, -20, 20, 40])))
            for lines, length in ((world.width_mm, world.depth_mm), (world.depth_mm, world.width_mm)):
                for t in np.arange(step, lines, step):
                    ends = np.array([[t, 0.0], [t, length]])
                    self.stroke(
                        self.px(ends if lines == world.width_mm else ends[:, ::-1], 0.0),
                        tone,
                        2,
                        closed=False,
                    )
        if rng.random() < 0.5:  # uneven paint
            small = rng.normal(0, rng.uniform(2, 14), (9, 16)).astype(np.float32)
            uneven = cv2.resize(small, self.picture.shape[1::-1], interpolation=cv2.INTER_CUBIC)
            self.picture = np.clip(self.picture + uneven[..., None], 0, 255).astype(np.uint8)

    def terrain(self) -> None:
        for entry in self.world.terrain:
            outline = np.array(entry["outline"], float)
            colour = self._colour()
            self.fill(self.px(outline, 0.0), colour)
            self.stroke(self.px(outline, 0.0), self._near(colour, -40), 2)

    def boards(self) -> None:
        """One plate below the printed hexes, as a board has."""
        hexes = [t.outline_mm for t in self.world.things if t.class_name.startswith("hex")]
        if hexes and self.rng.random() < 0.7:
            box = cv2.boxPoints(cv2.minAreaRect(np.vstack(hexes).astype(np.float32))).astype(float)
            self.fill(self.px(box, 0.0), self._colour())

    def markers(self) -> None:
        words = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
        for name, corners in self.world.markers.items():
            size = 120
            bits = cv2.aruco.generateImageMarker(words, int(name), size)
            xyz = np.array(corners, float)
            middle = xyz[:, :2].mean(axis=0)
            paper = middle + (xyz[:, :2] - middle) * 1.35
            self.fill(self.px(paper, float(xyz[0, 2])), (250, 250, 250))
            target = self.px(xyz[:, :2], float(xyz[0, 2])).astype(np.float32)
            square = np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32) - 0.5
            warp = cv2.getPerspectiveTransform(square, target)
            seen = cv2.warpPerspective(
                bits, warp, self.pinhole.size_px, flags=cv2.INTER_AREA, borderValue=255
            )
            inside = np.zeros(self.ids.shape, np.uint8)
            cv2.fillConvexPoly(inside, target.round().astype(np.int32), 1)
            self.picture[inside > 0] = seen[inside > 0, None]

    def thing(self, thing: Thing) -> None:
        if thing.class_name.startswith("hex"):
            self._hex(thing)
        else:
            self._solid(thing)

    def _hex(self, thing: Thing) -> None:
        top = self.px(thing.outline_mm, thing.height_mm)
        scale = self.scale(thing.outline_mm.mean(axis=0))
        if self.hexes_filled:
            self.fill(top, self._near(self.hex_tone, int(self.rng.integers(-12, 13))), thing.ident)
        else:
            points = (top * 2**SHIFT).round().astype(np.int32)
            cv2.fillPoly(self.ids, [points], thing.ident, cv2.LINE_8, SHIFT)
        self.stroke(top, self.hex_line, max(1.0, 0.9 * scale))
        middle = top.mean(axis=0)
        if thing.class_name == "hex-blocked":
            if self.hexes_filled:
                self.fill(middle + (top - middle) * 0.97, self._near(self.base, -90), thing.ident)
            self.stroke(middle + (top - middle) * 0.94, (245, 245, 245), max(2.0, 3.2 * scale))
        elif thing.class_name == "hex-start":
            cv2.circle(
                self.picture,
                tuple(middle.round().astype(int).tolist()),
                max(2, round(5 * scale)),
                (245, 245, 245),
                -1,
                cv2.LINE_AA,
            )

    def _solid(self, thing: Thing) -> None:
        rng = self.rng
        outline, height = thing.outline_mm, thing.height_mm
        top, foot = self.px(outline, height), self.px(outline, 0.0)
        scale = self.scale(outline.mean(axis=0))
        colour = self._near(self.tops[zlib.crc32((thing.unit or thing.id).encode()) % len(self.tops)], 0)
        if thing.class_name in ("token", "cube", "die"):
            colour = self._colour()
        if self.shadow:
            cast = self.px(outline + self.light * min(height, 30) / 8, 0.0)
            self.fill(
                cv2.convexHull(np.vstack([foot, cast]).astype(np.float32)).reshape(-1, 2).astype(float),
                self._near(self.base, -45),
            )
        hull = cv2.convexHull(np.vstack([top, foot]).astype(np.float32)).reshape(-1, 2).astype(float)
        self.fill(hull, self._near(colour, -55), thing.ident)
        self.fill(top, colour, thing.ident)
        if self.outlined or thing.class_name in ("tray", "die"):
            self.stroke(top, self._near(colour, int(rng.choice([-90, 90]))), max(1.0, 0.7 * scale))
        middle = outline.mean(axis=0)
        reach = float(np.hypot(*(outline - middle).T).max())
        if thing.class_name == "die":
            for _ in range(int(rng.integers(1, 7))):
                at = self.px((middle + rng.normal(0, reach * 0.25, 2))[None], height)[0]
                cv2.circle(
                    self.picture,
                    tuple(at.round().astype(int).tolist()),
                    max(1, round(1.1 * scale)),
                    self._near(colour, -120),
                    -1,
                    cv2.LINE_AA,
                )
        elif thing.class_name == "token":
            at = self.px(middle[None], height)[0]
            size = reach * scale / 16
            cv2.putText(
                self.picture,
                str(rng.integers(1, 10)),
                (int(at[0] - 9 * size), int(at[1] + 9 * size)),
                cv2.FONT_HERSHEY_SIMPLEX,
                size,
                self._near(colour, -110),
                max(1, round(2 * size)),
                cv2.LINE_AA,
            )
        if self.figures and thing.class_name in ("round-base", "rect-base", "tray") and rng.random() < 0.8:
            for _ in range(int(rng.integers(1, 4 if thing.class_name != "tray" else 9))):
                at = self.px((middle + rng.normal(0, reach * 0.3, 2))[None], height + rng.uniform(5, 25))[0]
                axes = tuple((rng.uniform(0.12, 0.35, 2) * reach * scale).astype(int).tolist())
                cv2.ellipse(
                    self.picture,
                    tuple(at.astype(int).tolist()),
                    axes,
                    float(rng.uniform(0, 180)),
                    0,
                    360,
                    self._colour(),
                    -1,
                    cv2.LINE_AA,
                )
        if thing.facing is not None and self.mark:
            self._front(thing, middle, reach, scale, self._near(colour, int(rng.choice([-110, 110]))))

    def _front(self, thing: Thing, middle: Array, reach: float, scale: float, ink: Colour) -> None:
        """A mark that tells the front: arrow, wedge, line, or the two lines of an arc."""
        turn = np.radians(thing.facing or 0.0)
        ahead, left = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
        along = float(((thing.outline_mm - middle) @ ahead).max())
        aside = float(((thing.outline_mm - middle) @ left).max())
        if self.mark == 1:
            wedge = np.array(
                [
                    ahead * along * 0.95,
                    ahead * along * 0.45 + left * aside * 0.4,
                    ahead * along * 0.45 - left * aside * 0.4,
                ]
            )
            self.fill(self.px(middle + wedge, thing.height_mm), ink)
        elif self.mark == 2:
            ends = np.array([np.zeros(2), ahead * along * 0.98])
            self.stroke(self.px(middle + ends, thing.height_mm), ink, max(1.0, 1.5 * scale), closed=False)
        elif self.mark == 3:
            front = np.array(
                [ahead * along * 0.88 + left * aside * 0.9, ahead * along * 0.88 - left * aside * 0.9]
            )
            if thing.shape == "round":
                front *= 0.75
            self.stroke(self.px(middle + front, thing.height_mm), ink, max(1.0, 2.0 * scale), closed=False)
        else:
            open_rad = np.radians(45)
            for side in (-1, 1):
                ray = np.array([np.cos(turn + side * open_rad), np.sin(turn + side * open_rad)]) * reach * 0.9
                self.stroke(
                    self.px(np.array([middle, middle + ray]), thing.height_mm),
                    ink,
                    max(1.0, 1.0 * scale),
                    closed=False,
                )
