"""Pictures with their truth, one by one or thousands: seeded, resumable, on all cores."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from .camera import Shot, frame_region
from .clutter import scatter
from .gl import Batch, Frame, Pinhole, shared_renderer
from .light import Lighting, make_lighting
from .photo import contact_shade, encode, expose, through_lens
from .sketch import FINE, sketch
from .tables import BUILDERS
from .truth import describe, document
from .world import World

FINE_SCALE = 1.5  # the fine mode renders this many pixels for one each way, each with its four samples


@dataclass(frozen=True)
class Taken:
    """One finished picture."""

    picture: NDArray[Any]
    jpeg: bytes
    truth: dict[str, Any]
    labels: list[str]


def bounds_mm(world: World, shot: Shot) -> NDArray[Any]:
    """The box around what the camera sees, with room for what throws shadows into it."""
    w, h = shot.size_px
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], float)
    rays = np.c_[(corners - shot.matrix[:2, 2]) / np.diag(shot.matrix)[:2], np.ones(4)] @ shot.rotation()
    eye = shot.position_mm()
    ground = eye + rays * (-eye[2] / np.minimum(rays[:, 2:], -0.05))
    low, high = ground[:, :2].min(axis=0) - 120, ground[:, :2].max(axis=0) + 120
    return np.array([[*low, -40.0], [*high, 260.0]])


def develop(
    world: World,
    shot: Shot,
    lighting: Lighting,
    *,
    fine: bool = False,
    clean: bool = False,
    batch: Batch | None = None,
) -> tuple[NDArray[Any], Frame, Pinhole]:
    """What falls on the sensor, and what the truth is read from."""
    renderer = shared_renderer(world.assets)
    scale = FINE_SCALE if fine else 1.0
    pinhole, map_x, map_y = shot.pinhole(scale)
    frame = renderer.render(
        world.instances.batch() if batch is None else batch, pinhole, lighting, bounds_mm(world, shot)
    )
    picture = frame.picture
    if not clean:
        shade = contact_shade(frame, pinhole)
        picture = (picture * shade[..., None]).astype(np.uint8)
    return through_lens(picture, map_x, map_y, scale), frame, pinhole


def photograph(
    world: World,
    shot: Shot,
    rng: np.random.Generator,
    *,
    fine: bool = False,
    calm: bool = False,
    clean: bool = False,
) -> Taken:
    """Render a world. `fine` is twice as fine with many lights; `clean` leaves out everything a sensor does."""
    calm = calm or fine
    lighting = make_lighting(rng, world.assets, fine, calm)
    if clean or world.board_idents:  # thin printed lines break up without edge samples
        lighting = replace(lighting, samples=4)
    picture, frame, pinhole = develop(world, shot, lighting, fine=fine, clean=clean)
    if lighting.samples == 0:
        picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.45, 0.8))
    if not clean:
        picture = expose(picture, rng, calm)
    objects, labels = describe(world, shot, frame, pinhole)
    return Taken(picture, encode(picture, rng, calm), document(world, shot, objects), labels)


# -- many pictures --------------------------------------------------------------------------------------------

# How often each game comes in a mixed set; the large armies and the free tables carry most of the variety.
MIX = (
    ("t9a", 0.27),
    ("free", 0.23),
    ("runewars", 0.15),
    ("mage-knight", 0.13),
    ("underworlds", 0.12),
    ("siege-of-runedar", 0.10),
)
SIZES_PX = (((1280, 720), 0.75), ((1920, 1080), 0.15), ((1280, 960), 0.1))


@dataclass(frozen=True)
class Order:
    """What to make: the same order gives the same pictures, in whatever order the cores finish them."""

    out: str
    seed: int
    game: str = "mixed"
    assets: str | None = None
    size_px: tuple[int, int] | None = None
    fine: bool = False
    markers: bool = False
    whole: bool = False
    sketch: bool = False

    def name(self, index: int) -> str:
        return f"{'sketch-' if self.sketch else ''}{self.game}-{self.seed}-{index:05d}"


def _weighted(rng: np.random.Generator, choices: tuple[tuple[Any, float], ...]) -> Any:
    return choices[int(rng.choice(len(choices), p=[weight for _, weight in choices]))][0]


def _region(world: World, rng: np.random.Generator, whole: bool) -> tuple[float, float, float, float]:
    """What the camera is pointed at: the whole table or board, or a part of it."""
    x0, y0, x1, y1 = world.focus_mm or (0.0, 0.0, world.width_mm, world.depth_mm)
    if whole or rng.random() < (0.6 if world.focus_mm else 0.35):
        return x0, y0, x1, y1
    share = rng.uniform(0.3, 0.85)
    width, depth = (x1 - x0) * share, (y1 - y0) * share
    anchor = (
        world.things[int(rng.integers(len(world.things)))].outline_mm if world.things else np.empty((0, 2))
    )
    middle = anchor.mean(axis=0) if len(anchor) else np.array([(x0 + x1) / 2, (y0 + y1) / 2])
    cx = float(np.clip(middle[0], x0 + width / 2, x1 - width / 2))
    cy = float(np.clip(middle[1], y0 + depth / 2, y1 - depth / 2))
    return cx - width / 2, cy - depth / 2, cx + width / 2, cy + depth / 2


def take_sketch(order: Order, index: int) -> Taken:
    """Picture number `index` of an order, painted flat (`sketch`) instead of rendered."""
    rng = np.random.default_rng([order.seed, index, 1])
    game = _weighted(rng, MIX) if order.game == "mixed" else order.game
    world = BUILDERS[game](rng, None, order.markers or rng.random() < 0.3)
    region = _region(world, rng, order.whole)
    world.focus_mm = region
    size_px = order.size_px or _weighted(rng, SIZES_PX)
    shot = frame_region(rng, size_px, region, margin=float(rng.uniform(0.0, 0.06)))
    frame, pinhole, map_x, map_y = sketch(world, shot, rng)
    picture = through_lens(frame.picture, map_x, map_y, FINE)
    if rng.random() < 0.7:
        picture = expose(picture, rng)
    objects, labels = describe(world, shot, frame, pinhole)
    return Taken(picture, encode(picture, rng), document(world, shot, objects), labels)


def take(order: Order, index: int) -> Taken:
    """Picture number `index` of an order."""
    if order.sketch:
        return take_sketch(order, index)
    rng = np.random.default_rng([order.seed, index])
    game = _weighted(rng, MIX) if order.game == "mixed" else order.game
    world = BUILDERS[game](rng, order.assets, order.markers or rng.random() < 0.2)
    region = _region(world, rng, order.whole or order.fine)
    if not order.fine:
        world.focus_mm = region
    scatter(world, 0.4 if order.fine else rng.uniform(0.3, 1.5), 0.0 if order.fine else 0.22)
    size_px = order.size_px or ((1920, 1080) if order.fine else _weighted(rng, SIZES_PX))
    tilt = 15.0 if order.fine else 20.0
    shot = frame_region(
        rng,
        size_px,
        region,
        margin=0.03 if order.fine else float(rng.uniform(0.0, 0.06)),
        max_tilt_deg=tilt,
        turned=not order.fine,
        calm=order.fine,
    )
    return photograph(world, shot, rng, fine=order.fine)


def _write(path: Path, data: bytes) -> None:
    """Whole or not at all: a stopped run leaves no half files."""
    part = path.with_name(path.name + ".part")
    part.write_bytes(data)
    part.replace(path)


def save(order: Order, index: int) -> str:
    """Take one picture and write it with its label and truth; the picture comes last, it says that all is there."""
    out, name = Path(order.out), order.name(index)
    taken = take(order, index)
    _write(out / "truth" / f"{name}.truth.json", json.dumps(taken.truth).encode())
    _write(out / "labels" / f"{name}.txt", ("\n".join(taken.labels) + "\n").encode())
    _write(out / "images" / f"{name}.jpg", taken.jpeg)
    return name


def _job(task: tuple[Order, int]) -> str:
    return save(*task)


def make(order: Order, count: int, jobs: int | None = None) -> Iterator[str]:
    """Write the pictures that are not there yet; yields the name of each as it is done."""
    out = Path(order.out)
    for folder in ("images", "labels", "truth"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    todo = [(order, k) for k in range(count) if not (out / "images" / f"{order.name(k)}.jpg").exists()]
    jobs = jobs or os.cpu_count() or 1
    if jobs == 1 or len(todo) < 2:
        for task in todo:
            yield _job(task)
        return
    # An OpenGL context does not survive a fork; a fresh worker now and then gives memory back.
    with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=400) as pool:
        yield from pool.imap_unordered(_job, todo)


def remaining(order: Order, count: int) -> int:
    return sum(not (Path(order.out) / "images" / f"{order.name(k)}.jpg").exists() for k in range(count))


Progress = Callable[[str], None]
