"""The self-check: draw plain shapes through a strong lens, find their edges in the picture, compare with the truth.

Everything a picture's truth rests on is in the way: rasteriser, lens map, projection, heights. Only what a sensor does
to a picture is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from .camera import Shot, frame_region
from .dataset import photograph
from .mesh import Surface, box, disc, matrix, polygon, quad
from .truth import densified
from .world import World, circle, hexagon, rectangle

Array = NDArray[Any]

MOST_PX = 0.1  # the bar: truth and picture agree to a tenth of a pixel
_DARK, _BRIGHT = (0.01, 0.01, 0.01), (0.5, 0.5, 0.5)
_PLAIN = Surface(0.0, 50.0, 0.0, 1.0)


@dataclass(frozen=True)
class Check:
    """How far shapes in the picture lie from where the truth puts them, in pixels.

    A single edge point is no better than the four samples of a pixel, and a straight side that runs along the pixel grid
    is wrong by the same part everywhere; a shape fitted to all its edge points is better, hence the 95th percentile.
    """

    shapes: int
    shift_median_px: float
    shift_p95_px: float
    growth_p95_px: float
    edge_median_px: float

    @property
    def passed(self) -> bool:
        return max(self.shift_p95_px, self.growth_p95_px, self.edge_median_px) < MOST_PX


def _plain_world(rng: np.random.Generator) -> World:
    """Bright shapes at many heights on a dark table, out to its corners."""
    world = World("t9a", 1200.0, 800.0, rng)
    world.add(quad(), matrix((600, 400, 0), 0, (6000, 6000, 1)), _DARK, _PLAIN)
    for i in range(8):
        for j in range(6):
            at = np.array([75 + i * 150, 65 + j * 134]) + rng.uniform(-20, 20, 2)
            height, ident = float(rng.uniform(0.5, 40)), world.ident()
            turn = float(rng.uniform(0, 360))
            kind = ("round", "quad", "hex")[(i + j) % 3]
            world.add(box(), matrix((*at, 0), turn, (20, 20, height * 0.98)), _DARK, _PLAIN, ident)
            if kind == "round":
                outline = circle(at, 24, 96)
                world.add(disc(256), matrix((*at, height), 0, (24, 24, 1)), _BRIGHT, _PLAIN, ident)
            elif kind == "quad":
                outline = rectangle(at, 44, 40, turn)
                world.add(quad(), matrix((*at, height), turn, (40, 44, 1)), _BRIGHT, _PLAIN, ident)
            else:
                outline = hexagon(at, 46, turn)
                world.add(polygon(outline), matrix((0, 0, height)), _BRIGHT, _PLAIN, ident)
            world.thing("round-base", f"{i},{j}", outline, height, ident, shape=kind)
    return world


def _edge_offsets(picture: Array, outline_px: Array, corners: int) -> tuple[Array, Array]:
    """Signed distance of the picture's edge from each outline point, outwards, and the normals; corners are left out."""
    following, before = np.roll(outline_px, -1, axis=0), np.roll(outline_px, 1, axis=0)
    along = following - before
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    normal = np.c_[along[:, 1], -along[:, 0]]
    outwards = np.sign(((outline_px - outline_px.mean(axis=0)) * normal).sum(axis=1))
    normal *= outwards[:, None]
    keep = np.ones(len(outline_px), bool)
    if corners:
        per_side = len(outline_px) // corners
        place = np.arange(len(outline_px)) % per_side
        keep = (place > per_side * 0.2) & (place < per_side * 0.8)
    steps = np.arange(-3.0, 3.01, 0.25)
    points = (outline_px[keep][:, None] + normal[keep][:, None] * steps[:, None]).astype(np.float32)
    values = cv2.remap(picture.astype(np.float32), points[..., 0], points[..., 1], cv2.INTER_LINEAR)
    inner, outer = values[:, :4].mean(axis=1), values[:, -4:].mean(axis=1)
    middle = ((inner + outer) / 2)[:, None]
    falls = values >= middle
    # the last step that is still bright, and the share of the next one
    last = falls.shape[1] - 1 - np.argmax(falls[:, ::-1], axis=1)
    last = np.clip(last, 0, len(steps) - 2)
    row = np.arange(len(values))
    a, b = values[row, last], values[row, last + 1]
    share = (a - middle[:, 0]) / np.maximum(a - b, 1e-6)
    return steps[last] + share * 0.25, normal[keep]


def self_check(seed: int = 0, fine: bool = False, size_px: tuple[int, int] = (1280, 720)) -> Check:
    """Render a clean picture and measure it against its own truth."""
    rng = np.random.default_rng([seed, 4711])
    world = _plain_world(rng)
    shot: Shot = frame_region(rng, size_px, (0, 0, 1200, 800), margin=0.02)
    taken = photograph(world, shot, rng, fine=fine, clean=True)
    grey = cv2.cvtColor(taken.picture, cv2.COLOR_BGR2GRAY).astype(float)
    edges, shifts, growths = [], [], []
    for thing in world.things:
        corners = {"round": 0, "quad": 4, "hex": 6}[thing.shape]
        dense = densified(thing.outline_mm, 96)
        outline = shot.project(np.c_[dense, np.full(len(dense), thing.height_mm)])
        if outline.min() < 4 or np.any(outline.max(axis=0) > np.array(size_px) - 5) or thing.visible < 0.9:
            continue
        offset, normal = _edge_offsets(grey, outline, corners)
        (dx, dy, growth), *_ = np.linalg.lstsq(np.c_[normal, np.ones(len(normal))], offset, rcond=None)
        edges.append(np.abs(offset))
        shifts.append(float(np.hypot(dx, dy)))
        growths.append(abs(float(growth)))
    return Check(
        len(shifts),
        float(np.median(shifts)),
        float(np.percentile(shifts, 95)),
        float(np.percentile(growths, 95)),
        float(np.median(np.concatenate(edges))),
    )
