"""What the game lies on: mats, boards, wood, cloth, and the room around the table."""

from __future__ import annotations

import numpy as np

from .figures import hue
from .mesh import Surface, matrix, quad
from .parts import GROUND_COLOURS
from .textures import LAYER
from .world import World

# Each look: texture layers that suit it, size of a tile in mm, gloss.
_MATS = (
    (("grass", "ground037", "leaves", "sand", "rock023"), (300, 900), 0.05),
    (("cobbles", "tiles", "cracks", "marble"), (300, 1000), 0.15),
    (("art-0", "art-1", "art-2", "art-3", "blotches"), (500, 1500), 0.25),
    (("felt", "cloth", "carpet"), (80, 300), 0.02),
    (("wood", "oak", "parquet"), (500, 1200), 0.35),
    (("grid", "water"), (400, 1200), 0.2),
)
_WOODS = ((0.30, 0.17, 0.08), (0.45, 0.30, 0.16), (0.16, 0.08, 0.04), (0.55, 0.42, 0.28), (0.6, 0.58, 0.55))


def _look(rng: np.random.Generator, weights: list[float]) -> tuple[tuple[float, float, float], Surface]:
    names, (low, high), gloss = _MATS[int(rng.choice(len(_MATS), p=weights))]
    name = str(rng.choice(names))
    if name in ("wood", "oak", "parquet"):
        colour = np.array(_WOODS[int(rng.integers(len(_WOODS)))]) * rng.uniform(0.6, 1.3)
    elif rng.random() < 0.78:
        colour = np.array(GROUND_COLOURS[int(rng.integers(len(GROUND_COLOURS)))]) * rng.uniform(0.8, 2.2)
    else:
        colour = np.array(hue(rng, 0.15, 0.85))
    shiny = gloss * rng.uniform(0, 2) + (rng.uniform(0.5, 1.5) if rng.random() < 0.12 else 0)
    surface = Surface(
        rng.uniform(0.03, 0.25),
        rng.uniform(60, 400),
        shiny,
        rng.uniform(0.1, 0.9),
        LAYER[name],
        rng.uniform(low, high),
        rng.uniform(0.6, 1.0),
    )
    return tuple(np.clip(colour, 0.01, 0.85)), surface


def lay_ground(world: World, *, board_game: bool = False) -> None:
    """The playing surface at z = 0 and the table or floor beyond it, a little lower."""
    rng = world.rng
    weights = [0.0, 0.04, 0.05, 0.3, 0.56, 0.05] if board_game else [0.34, 0.12, 0.18, 0.14, 0.12, 0.10]
    colour, surface = _look(rng, weights)
    w, d = world.width_mm, world.depth_mm
    middle = (w / 2, d / 2)
    beyond_colour, beyond = _look(rng, [0.02, 0.05, 0.05, 0.25, 0.6, 0.03])
    turn = float(rng.choice([0, 90])) if rng.random() < 0.8 else rng.uniform(0, 180)
    if board_game or rng.random() < 0.25:
        world.add(quad(), matrix((*middle, 0), turn, (w * 4 + 4000, w * 4 + 4000, 1)), colour, surface)
        return
    over = rng.uniform(-0.2, 1) * 40  # a mat may be a little larger than the playing area
    over = max(over, 0.0)
    world.add(quad(), matrix((*middle, 0), 0, (w + 2 * over, d + 2 * over, 1)), colour, surface)
    if rng.random() < 0.35:
        edge = hue(rng, 0.02, 0.6, 0.3)
        for a, b in (((0, 0), (w, 0)), ((w, 0), (w, d)), ((w, d), (0, d)), ((0, d), (0, 0))):
            world.line(a, b, rng.uniform(2, 10), 0.03, edge)
    drop = float(rng.choice([-2.0, -4.0, -30.0, -720.0], p=[0.5, 0.25, 0.15, 0.1]))
    world.add(quad(), matrix((*middle, drop), turn, (12000, 12000, 1)), beyond_colour, beyond)
