"""Terrain: hills, woods, fields, ruins, water, walls, houses and rocks, with the outline the rules use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .figures import hue, load_model
from .mesh import Mesh, Surface, ball, flat, frustum, joined, matrix, moved, polygon, prism
from .parts import GROUND_COLOURS
from .textures import LAYER
from .world import World, rectangle

Array = NDArray[Any]


def blob(
    rng: np.random.Generator, at: Array, size: tuple[float, float], turn_deg: float, points: int = 18
) -> Array:
    """An irregular round outline."""
    angle = np.linspace(0, 2 * np.pi, points, endpoint=False)
    radius = (
        1
        + 0.12 * np.sin(2 * angle + rng.uniform(0, 6))
        + 0.08 * np.sin(3 * angle + rng.uniform(0, 6))
        + rng.normal(0, 0.03, points)
    )
    local = np.c_[np.cos(angle) * radius * size[0] / 2, np.sin(angle) * radius * size[1] / 2]
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    return at + local @ np.array([[c, s], [-s, c]])


def _model(world: World, names: tuple[str, ...]) -> Mesh | None:
    if not world.assets:
        return None
    path = Path(world.assets) / "terrain" / f"{names[int(world.rng.integers(len(names)))]}.glb"
    return load_model(str(path), 40) if path.exists() else None


def tree(world: World, at: Array, height_mm: float) -> None:
    rng = world.rng
    mesh = None
    if rng.random() < 0.5:
        mesh = _model(
            world,
            (
                "q_nature_CommonTree_1",
                "q_nature_CommonTree_3",
                "q_nature_PineTree_1",
                "q_nature_PineTree_4",
                "q_nature_BirchTree_2",
                "q_nature_CommonTree_Dead_2",
            ),
        )
    if mesh is None:
        leaf = (0.08 * rng.uniform(0.5, 2.5), 0.14 * rng.uniform(0.6, 1.4), 0.03)
        if rng.random() < 0.5:
            crown = [
                moved(frustum(0.05, 9), matrix((0, 0, z), scale=(0.32 - z * 0.2, 0.32 - z * 0.2, 0.4)), leaf)
                for z in (0.2, 0.4, 0.6)
            ]
        else:
            crown = [
                moved(
                    ball(5, 8),
                    matrix(tuple(rng.normal([0, 0, 0.68], [0.12, 0.12, 0.08])), scale=rng.uniform(0.18, 0.3)),
                    leaf,
                )
                for _ in range(5)
            ]
        mesh = joined([moved(frustum(0.7, 7), matrix(scale=(0.05, 0.05, 0.5)), (0.12, 0.07, 0.03)), *crown])
    world.add(mesh, matrix((*at, 0), rng.uniform(0, 360), height_mm), None, Surface(0.5, 15, 0.02, 0.9))


def rock(world: World, at: Array, size_mm: float, z_mm: float = 0.0, ident: int = 0) -> None:
    rng = world.rng
    tone = rng.uniform(0.1, 0.4)
    scale = (size_mm * rng.uniform(0.35, 0.6, 3)).tolist()
    world.add(
        ball(5, 7),
        matrix((*at, z_mm), rng.uniform(0, 360), scale),
        (tone, tone * 0.97, tone * 0.92),
        Surface(0.6, 25, 0.05, 0.9),
        ident,
    )


def _house(world: World, at: Array, turn: float, size: tuple[float, float]) -> None:
    rng = world.rng
    w, d = size
    wall_mm = rng.uniform(50, 90)
    stone = Surface(0.2, 60, 0.05, 0.9, LAYER[str(rng.choice(["tiles", "cobbles", "wood"]))], 120)
    world.block(at, w, d, wall_mm, turn, hue(rng, 0.3, 0.8, 0.2), stone)
    roof = hue(rng, 0.15, 0.6, 0.5)
    points = np.array(
        [[-0.55, -0.55, 0], [0.55, -0.55, 0], [0.55, 0.55, 0], [-0.55, 0.55, 0], [-0.55, 0, 1], [0.55, 0, 1]]
    )
    mesh = flat(points, [(0, 1, 5), (0, 5, 4), (2, 3, 4), (2, 4, 5), (1, 2, 5), (3, 0, 4)])
    world.add(
        mesh,
        matrix((*at, wall_mm), turn, (w, d, rng.uniform(35, 60))),
        roof,
        Surface(0.3, 40, 0.05, 0.9, LAYER["tiles"], 90),
    )


def place(
    world: World,
    kind: str,
    id_: str,
    at: Array,
    size: tuple[float, float],
    turn_deg: float,
    scene_type: str | None = None,
    traits: tuple[str, ...] = (),
    flat_card: bool = False,
) -> Array:
    """One piece of terrain of a kind of the T9A list; gives its outline, and writes it into the scene."""
    rng = world.rng
    ground = tuple(np.array(GROUND_COLOURS[int(rng.integers(len(GROUND_COLOURS)))]) * rng.uniform(0.8, 1.8))
    felt = Surface(
        rng.uniform(0.1, 0.5),
        40,
        0.03,
        0.9,
        LAYER[str(rng.choice(["grass", "ground037", "leaves", "sand", "felt", "rock023"]))],
        rng.uniform(150, 500),
    )
    if kind == "wall":
        outline = rectangle(at, size[0], size[1], turn_deg + 90)
        _walls(world, outline, rng.uniform(20, 40), gaps=False, middle=at, size=size, turn=turn_deg)
    else:
        square = (
            kind in ("field", "ruins")
            or (kind == "impassable" and rng.random() < 0.5)
            or (flat_card and rng.random() < 0.5)
        )
        if square:
            outline = rectangle(at, size[1], size[0], turn_deg)
        else:
            outline = blob(rng, at, size, turn_deg)
        if flat_card:
            art = Surface(0.1, 60, 0.3, 0.5, LAYER[f"art-{int(rng.integers(4))}"], 250)
            world.add(prism(outline, 2.0), matrix(), hue(rng, 0.2, 0.7, 0.5), art)
        elif kind == "hill":
            for level in range(int(rng.integers(1, 4))):
                step = at + (outline - at) * (1 - 0.25 * level)
                world.add(prism(step, 14, rng.uniform(2, 10)), matrix((0, 0, 14.0 * level)), ground, felt)
        elif kind == "water":
            world.add(
                polygon(outline),
                matrix((0, 0, 0.6)),
                (0.03, 0.10, 0.13),
                Surface(0.05, 120, 1.2, 0.05, LAYER["water"], 300),
            )
        else:
            world.add(prism(outline, 1.5), matrix(), ground, felt)
        if kind == "forest":
            for _ in range(int(rng.integers(3, 11))):
                spot = at + (outline[int(rng.integers(len(outline)))] - at) * rng.uniform(0, 0.8)
                tree(world, spot, rng.uniform(60, 150))
        elif kind == "ruins":
            _walls(world, outline, rng.uniform(25, 80), gaps=True)
        elif kind == "field":
            _rows(world, at, size, turn_deg)
        elif kind == "impassable":
            if square and rng.random() < 0.6:
                _house(world, at, turn_deg, (size[0] * 0.75, size[1] * 0.75))
            else:
                for _ in range(int(rng.integers(3, 8))):
                    spot = at + (outline[int(rng.integers(len(outline)))] - at) * rng.uniform(0, 0.75)
                    rock(world, spot, rng.uniform(25, 90))
    world.terrain.append(
        {
            "id": id_,
            "type": scene_type or kind,
            "outline": np.round(outline, 2).tolist(),
            "traits": list(traits),
        }
    )
    world.take(at, float(np.linalg.norm(outline - at, axis=1).max()))
    return outline


def _walls(
    world: World,
    outline: Array,
    height: float,
    gaps: bool,
    middle: Array | None = None,
    size: tuple[float, float] = (0, 0),
    turn: float = 0,
) -> None:
    rng = world.rng
    stone = Surface(0.3, 50, 0.05, 0.9, LAYER[str(rng.choice(["cobbles", "tiles", "rock023"]))], 90)
    tone = hue(rng, 0.25, 0.7, 0.15)
    if not gaps and middle is not None:
        world.block(middle, size[0], size[1], height, turn, tone, stone, bevel=0.02)
        return
    for k in range(len(outline)):
        a, b = outline[k], outline[(k + 1) % len(outline)]
        if rng.random() < 0.35:
            continue
        length, t = float(np.hypot(*(b - a))), float(np.degrees(np.arctan2(*(b - a)[::-1])))
        for part in range(3):
            if rng.random() < 0.8:
                spot = a + (b - a) * (part + 0.5) / 3
                world.block(spot, length / 3, 6, height * rng.uniform(0.3, 1), t, tone, stone)


def _rows(world: World, at: Array, size: tuple[float, float], turn: float) -> None:
    rng = world.rng
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    crop = (0.35 * rng.uniform(0.5, 1.3), 0.28 * rng.uniform(0.5, 1.3), 0.06)
    for k in np.arange(-size[1] / 2 + 8, size[1] / 2 - 6, rng.uniform(9, 16)):
        spot = at + np.array([-s, c]) * k
        world.block(
            spot, size[0] * 0.94, 5, rng.uniform(4, 12), turn, crop, Surface(0.7, 12, 0.0, 1.0), z_mm=1.5
        )
