"""The 9th Age: two armies in ranked blocks, with casualties, characters, monsters, war machines and terrain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import terrain
from ..ground import lay_ground
from ..parts import Style, make_style, put_figure, rect_base, round_base
from ..world import INCH_MM, World
from .tokens import disc_token

Array = NDArray[Any]

# (width, depth, kind of figure, files, most ranks, words of the game)
_TROOPS = (
    (20, 20, "foot", (5, 9), 5, ("standard", "infantry")),
    (25, 25, "foot", (5, 8), 5, ("standard", "infantry")),
    (25, 25, "foot", (5, 6), 4, ("standard", "infantry", "light-troops")),
    (25, 50, "horse", (4, 6), 2, ("standard", "cavalry")),
    (40, 40, "foot", (3, 5), 3, ("large", "infantry")),
    (50, 75, "horse", (2, 3), 2, ("large", "cavalry")),
)
_SINGLES = (
    ("rect", 50, 100, "engine", ("large", "construct")),
    ("rect", 50, 100, "monster", ("gigantic", "beast")),
    ("rect", 100, 150, "monster", ("gigantic", "beast", "flying")),
    ("rect", 50, 50, "monster", ("gigantic", "infantry")),
    ("rect", 40, 40, "foot", ("large", "infantry", "character")),
    ("rect", 25, 25, "foot", ("standard", "infantry", "character")),
    ("round", 60, 60, "engine", ("standard", "construct", "war-machine")),
    ("round", 60, 60, "monster", ("large", "beast")),
)
# How exactly players push bases together: enough to see in a picture, too little to matter on the table.
_JITTER_MM, _JITTER_DEG = 0.12, 0.35
TERRAIN = ("hill", "forest", "field", "ruins", "water", "impassable", "wall")


def slots(
    at: Array, facing_deg: float, width: float, depth: float, files: int, count: int, gap: float = 0.0
) -> list[tuple[int, int, Array]]:
    """(rank, file, centre) of each model: rank 1 in front, file 1 leftmost as the unit sees it."""
    ranks = -(-count // files)
    u = np.array([np.cos(np.radians(facing_deg)), np.sin(np.radians(facing_deg))])
    right = np.array([u[1], -u[0]])
    places = []
    for index in range(count):
        rank, file = divmod(index, files)
        x = (file + 1 - (files + 1) / 2) * (width + gap)
        y = ((ranks + 1) / 2 - (rank + 1)) * (depth + gap)
        places.append((rank + 1, file + 1, at + right * x + u * y))
    return places


def unit(
    world: World,
    id_: str,
    side: str,
    at: Array,
    facing: float,
    width: float,
    depth: float,
    files: int,
    count: int,
    style: Style,
    traits: list[str],
    gap: float = 0.0,
    hero: Style | None = None,
) -> None:
    """A ranked block: one piece of the scene, one object for each base."""
    rng = world.rng
    front = min(files, count) // 2 + 1
    for rank, file, spot in slots(at, facing, width, depth, files, count, gap):
        spot = spot + rng.normal(0, _JITTER_MM, 2)
        special = hero is not None and rank == 1 and file == front
        base = rect_base(
            world,
            spot,
            width,
            depth,
            facing + rng.normal(0, _JITTER_DEG),
            style,
            f"{id_}#{rank}.{file}",
            unit=id_,
            with_figure=not special,
        )
        if special and hero is not None:
            put_figure(world, hero, spot, facing, base.ident, style.height_mm)
    if hero is not None:
        traits = [*traits, f"{rng.choice(['character', 'champion', 'banner'])}@1.{front}"]
    world.pieces.append(
        {
            "id": id_,
            "side": side,
            "kind": "unit",
            "at": np.round(at, 3).tolist(),
            "facing": round(facing % 360, 3),
            "base": {"shape": "rect", "width": width, "depth": depth},
            "files": files,
            "count": count,
            "traits": traits,
            "height": round(style.height_mm, 3),
        }
    )


def single(
    world: World,
    id_: str,
    side: str,
    at: Array,
    facing: float,
    shape: str,
    width: float,
    depth: float,
    style: Style,
    traits: list[str],
) -> None:
    """A piece of one base."""
    piece: dict[str, Any] = {
        "id": id_,
        "side": side,
        "kind": "model",
        "at": np.round(at, 3).tolist(),
        "facing": round(facing % 360, 3),
    }
    if shape == "round":
        round_base(world, at, width, facing, style, id_)
        piece["base"] = {"shape": "circle", "diameter": width}
    else:
        rect_base(world, at, width, depth, facing, style, id_)
        piece["base"] = {"shape": "rect", "width": width, "depth": depth}
    piece["traits"] = traits
    piece["height"] = round(style.height_mm, 3)
    world.pieces.append(piece)


def _army(world: World, side: str, forward: float, units: int) -> None:
    rng = world.rng
    edge = world.depth_mm * rng.uniform(0.05, 0.42)
    for k in range(units):
        width, depth, kind, files_range, most, words = _TROOPS[
            int(rng.choice(len(_TROOPS), p=[0.22, 0.26, 0.1, 0.18, 0.14, 0.1]))
        ]
        lone = rng.random() < 0.3
        facing = forward + (
            rng.normal(0, 14) if rng.random() < 0.6 else rng.uniform(-50, 50) if rng.random() < 0.3 else 0.0
        )
        if lone:
            shape, width, depth, kind, words = _SINGLES[int(rng.integers(len(_SINGLES)))]
            radius = float(np.hypot(width, depth)) / 2
        else:
            files = int(rng.integers(files_range[0], files_range[1] + 1))
            ranks = int(rng.integers(1, most + 1))
            radius = float(np.hypot(files * width, ranks * depth)) / 2
        along = rng.uniform(edge - 150, edge + 180)
        band = (10, max(along - radius - 120, 5), world.width_mm - 10, along + radius + 120)
        if forward == 270:
            band = (band[0], world.depth_mm - band[3], band[2], world.depth_mm - band[1])
        at = world.room(radius * 0.92, (band[0], max(band[1], 0), band[2], min(band[3], world.depth_mm)))
        if at is None:
            continue
        style = make_style(
            world,
            kind,
            min(width, depth) if kind in ("foot", "horse") else max(width, depth) * 0.7,
            world.rng.uniform(2.5, 4.5),
            2,
        )
        if kind == "horse":
            style.figure_mm = depth * rng.uniform(0.75, 0.95)
        id_ = f"{side.lower()}{k + 1}"
        if lone:
            single(world, id_, side, at, facing, shape, width, depth, style, list(words))
            continue
        count = files * ranks - (int(rng.integers(0, files)) if ranks > 1 and rng.random() < 0.6 else 0)
        gap = 12.5 if "light-troops" in words and rng.random() < 0.5 else 0.0
        traits = list(words) + (["skirmisher"] if gap else [])
        hero = make_style(world, kind, width, None, 1) if rng.random() < 0.5 else None
        if hero is not None:
            hero.figure_mm = style.figure_mm * 1.15
        unit(world, id_, side, at, facing, width, depth, files, count, style, traits, gap, hero)


def build(rng: np.random.Generator, assets: str | None = None, sheets: bool = False) -> World:
    """A 72x48 in table, or the 36x48 in one of warbands."""
    warband = rng.random() < 0.25
    world = World("t9a", (36 if warband else 72) * INCH_MM, 48 * INCH_MM, rng, assets)
    if sheets:
        world.lay_sheets()
    lay_ground(world)
    for k in range(int(rng.integers(2, 4 if warband else 7))):
        kind = str(rng.choice(TERRAIN))
        size = (8 * INCH_MM, 1 * INCH_MM) if kind == "wall" else (rng.uniform(6, 9) * INCH_MM, 6 * INCH_MM)
        at = world.room(float(np.hypot(*size)) / 2)
        if at is not None:
            terrain.place(world, kind, f"{kind}-{k + 1}", at, size, float(rng.uniform(0, 360)))
    for side, forward in (("A", 90.0), ("B", 270.0)):
        _army(world, side, forward, int(rng.integers(4, 8) if warband else rng.integers(6, 14)))
    for k in range(int(rng.integers(0, 3))):
        at = world.room(20)
        if at is not None:
            objective(world, at, f"objective-{k + 1}")
    return world


def objective(world: World, at: Array, id_: str) -> None:
    """A flat round marker; only its centre counts."""
    diameter = float(world.rng.choice([25.0, 30.0, 40.0]))
    disc_token(world, at, diameter, id_)
    world.pieces.append(
        {
            "id": id_,
            "side": "-",
            "kind": "marker",
            "at": np.round(at, 3).tolist(),
            "facing": None,
            "base": {"shape": "circle", "diameter": diameter},
            "traits": ["objective"],
            "height": 2.0,
        }
    )
