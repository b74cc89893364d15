"""The Siege of Runedar: the box as a fortress from above, card figures on feet, wooden goods, gold and rubble.

The book prints no sizes; the fortress here is a square box of about 300 mm with the walls, towers, workshops and
the trench where its graph of spaces needs them. The outlines of the spaces are part of the truth.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..clutter import card
from ..figures import hue
from ..ground import lay_ground
from ..mesh import Surface
from ..textures import LAYER
from ..world import DECAL_MM, World
from .tokens import cube, disc_token, standee

Array = NDArray[Any]
Box = tuple[float, float, float, float]

SIDE_MM = 300.0
WALL_MM, WALL_HIGH_MM = 30.0, 42.0
TOWER_MM, TOWER_HIGH_MM = 46.0, 62.0
CHAMBER_MM = 96.0
FLOOR_MM = 3.0
TRENCH_MM = 30.0
OUTSIDE_MM = 62.0


def spaces(corner: Array) -> dict[str, tuple[Box, float]]:
    """Each named space as a box (x0, y0, x1, y1) on the table and the height of its floor."""
    x0, y0 = corner
    x1, y1 = corner + SIDE_MM
    m = corner + SIDE_MM / 2
    c = CHAMBER_MM / 2
    inner = (x0 + WALL_MM, y0 + TRENCH_MM, x1 - WALL_MM, y1 - WALL_MM)
    t = TOWER_MM
    return {
        "chamber": ((m[0] - c, m[1] - c, m[0] + c, m[1] + c), FLOOR_MM),
        "carpentry": ((inner[0], m[1] - c, m[0] - c, m[1] + c), FLOOR_MM),
        "tannery": ((m[0] - c, m[1] + c, m[0] + c, inner[3]), FLOOR_MM),
        "foundry": ((m[0] + c, m[1] - c, inner[2], m[1] + c), FLOOR_MM),
        "courtyard": ((m[0] - c, inner[1], m[0] + c, m[1] - c), FLOOR_MM),
        "wall-carpentry": ((x0, y0 + t, x0 + WALL_MM, y1 - t), WALL_HIGH_MM),
        "wall-tannery": ((x0 + t, y1 - WALL_MM, x1 - t, y1), WALL_HIGH_MM),
        "wall-foundry": ((x1 - WALL_MM, y0 + t, x1, y1 - t), WALL_HIGH_MM),
        "outside-carpentry": ((x0 - OUTSIDE_MM, y0 + t, x0 - 4, y1 - t), 0.0),
        "outside-tannery": ((x0 + t, y1 + 4, x1 - t, y1 + OUTSIDE_MM), 0.0),
        "outside-foundry": ((x1 + 4, y0 + t, x1 + OUTSIDE_MM, y1 - t), 0.0),
        "tower-tunnel": ((x0 - 8, y0 - 8, x0 - 8 + t, y0 - 8 + t), TOWER_HIGH_MM),
        "tower-carpentry-tannery": ((x0 - 8, y1 + 8 - t, x0 - 8 + t, y1 + 8), TOWER_HIGH_MM),
        "tower-tannery-foundry": ((x1 + 8 - t, y1 + 8 - t, x1 + 8, y1 + 8), TOWER_HIGH_MM),
        "tunnel": ((x0 + t, y0, x1 - t, y0 + TRENCH_MM), 0.0),
    }


def _walls(world: World, rooms: dict[str, tuple[Box, float]], corner: Array) -> None:
    """Floor, walls with battlements, towers, the trench and low dividers between the courtyards."""
    rng = world.rng
    middle = corner + SIDE_MM / 2
    stone = Surface(
        0.2,
        50,
        0.12,
        0.7,
        LAYER[str(rng.choice(["cobbles", "tiles", "cracks", "rock023"]))],
        rng.uniform(80, 180),
    )
    floor_tone = hue(rng, 0.3, 0.7, 0.3)
    wall_tone = tuple(np.clip(np.array(hue(rng, 0.3, 0.7, 0.15)), 0.05, 0.7))
    world.block(middle, SIDE_MM, SIDE_MM, FLOOR_MM - 0.2, 0, floor_tone, stone)
    for name in ("chamber", "carpentry", "tannery", "foundry", "courtyard"):
        (a, b, c, d), z = rooms[name]
        art = Surface(
            0.15,
            40,
            0.2,
            0.6,
            LAYER[str(rng.choice(["wood", "art-1", "tiles", "cobbles", "art-3", "oak"]))],
            rng.uniform(70, 200),
        )
        world.plate(((a + c) / 2, (b + d) / 2), c - a - 2, d - b - 2, 0, z, hue(rng, 0.25, 0.7, 0.5), art)
    for name in ("wall-carpentry", "wall-tannery", "wall-foundry"):
        (a, b, c, d), z = rooms[name]
        world.block(((a + c) / 2, (b + d) / 2), c - a, d - b, z, 0, wall_tone, stone)
        upright = d - b > c - a
        step = 12.0
        outer = {"wall-carpentry": a + 2, "wall-foundry": c - 2, "wall-tannery": d - 2}[name]
        start, stop = (b, d) if upright else (a, c)
        for at in np.arange(start + step / 2, stop, step):
            spot = np.array([outer, at] if upright else [at, outer])
            world.block(
                spot,
                3 if upright else step * 0.55,
                step * 0.55 if upright else 3,
                7,
                0,
                wall_tone,
                stone,
                z_mm=z,
            )
    for name in ("tower-tunnel", "tower-carpentry-tannery", "tower-tannery-foundry"):
        (a, b, c, d), z = rooms[name]
        spot = np.array([(a + c) / 2, (b + d) / 2])
        world.block(spot, c - a, d - b, z, 0, wall_tone, stone)
        world.plate(
            spot, (c - a) * 0.8, (d - b) * 0.8, 0, z + DECAL_MM, tuple(np.array(floor_tone) * 0.8), stone
        )
        for dx in (-1, 1):
            for dy in (-1, 1):
                world.block(spot + np.array([dx, dy]) * (c - a) * 0.42, 7, 7, 9, 0, wall_tone, stone, z_mm=z)
    (a, b, c, d), _ = rooms["tunnel"]
    world.plate(
        ((a + c) / 2, (b + d) / 2), c - a, d - b - 4, 0, FLOOR_MM + DECAL_MM, (0.05, 0.035, 0.025), stone
    )
    divider = tuple(np.array(wall_tone) * 0.7)
    (a, b, c, d), _ = rooms["chamber"]
    for where, w, h in (((a, (b + d) / 2), 3, 55), ((c, (b + d) / 2), 3, 55), (((a + c) / 2, d), 55, 3)):
        if rng.random() < 0.7:
            world.block(where, w, h, 8, 0, divider, stone, z_mm=FLOOR_MM)


def _spot(world: World, room: tuple[Box, float], radius: float) -> Array | None:
    a, b, c, d = room[0]
    pad = radius + 2
    if c - a < 2 * pad:
        a, c = (a + c) / 2 - pad - 0.5, (a + c) / 2 + pad + 0.5
    if d - b < 2 * pad:
        b, d = (b + d) / 2 - pad - 0.5, (b + d) / 2 + pad + 0.5
    return world.room(radius, (a + 2, b + 2, c - 2, d - 2), 40)


def _pile(
    world: World,
    rooms: dict[str, tuple[Box, float]],
    space: str,
    trait: str,
    count: int,
    side_mm: float,
    colour: tuple[float, float, float],
    shape: str,
) -> None:
    """Loose goods lying together, one object each, one pile of the scene."""
    rng = world.rng
    a, b, c, d = rooms[space][0]
    heart = np.array([rng.uniform(a + 18, c - 18), rng.uniform(b + 18, d - 18)])
    spots = []
    for k in range(count):
        for _ in range(50):
            spread = 9 + 3.0 * np.sqrt(count)
            spot = np.clip(heart + rng.normal(0, spread, 2), (a + 6, b + 6), (c - 6, d - 6))
            if world.free(spot, side_mm * 0.62):
                world.take(spot, side_mm * 0.62)
                tone = tuple(np.clip(np.array(colour) * rng.uniform(0.8, 1.2), 0.01, 0.95))
                thing = cube(world, spot, side_mm, f"{trait}-{k + 1}", tone, rooms[space][1], shape)
                thing.unit = trait
                spots.append(spot)
                break
    at = np.mean(spots, axis=0) if spots else heart
    world.pieces.append(
        {
            "id": trait,
            "side": None,
            "kind": "token",
            "space": space,
            "at": np.round(at, 3).tolist(),
            "facing": None,
            "count": len(spots),
            "traits": [trait],
            "height": round(rooms[space][1], 3),
        }
    )


def build(rng: np.random.Generator, assets: str | None = None, sheets: bool = False) -> World:
    side = rng.uniform(640 if sheets else 560, 760)
    world = World("siege-of-runedar", side, side * rng.uniform(0.85, 1.0), rng, assets)
    if sheets:
        world.lay_sheets()
    lay_ground(world, board_game=True)
    corner = np.array([world.width_mm, world.depth_mm]) / 2 - SIDE_MM / 2 + rng.normal(0, 8, 2)
    rooms = spaces(corner)
    _walls(world, rooms, corner)
    pad = rng.uniform(10, 60) + OUTSIDE_MM
    if not sheets:
        world.focus_mm = (
            corner[0] - pad,
            corner[1] - pad * 0.6,
            corner[0] + SIDE_MM + pad,
            corner[1] + SIDE_MM + pad,
        )
    world.extra_truth = {
        "spaces": {
            n: {"outline": [[b[0], b[1]], [b[2], b[1]], [b[2], b[3]], [b[0], b[3]]], "height": z}
            for n, (b, z) in rooms.items()
        }
    }

    figures = [
        ("dwarf", "dwarves", k, str(rng.choice([n for n in rooms if n != "tunnel"])))
        for k in range(int(rng.integers(1, 5)))
    ]
    columns = ("carpentry", "tannery", "foundry")
    for k in range(int(rng.integers(2, 10))):
        column = str(rng.choice(columns))
        figures.append(
            (
                "orc",
                "enemy",
                k,
                str(rng.choice([f"outside-{column}", f"wall-{column}", column], p=[0.4, 0.35, 0.25])),
            )
        )
    figures += [("goblin", "enemy", k, "courtyard") for k in range(int(rng.integers(0, 3)))]
    figures += [("troll", "enemy", k, "courtyard") for k in range(int(rng.choice([0, 0, 1, 2])))]
    dwarf_tones = [(0.6, 0.05, 0.04), (0.05, 0.15, 0.55), (0.6, 0.5, 0.05), (0.1, 0.4, 0.08)]
    tones = {"orc": hue(rng, 0.2, 0.6), "goblin": hue(rng, 0.3, 0.7), "troll": hue(rng, 0.2, 0.5)}
    tall = {"dwarf": 32.0, "orc": 38.0, "goblin": 28.0, "troll": 52.0}
    for trait, owner, number, space in figures:
        at = _spot(world, rooms[space], 13.5)
        if at is None:
            continue
        turn = float(rng.choice([0, 90, 180, 270]) + rng.normal(0, 25))
        id_ = f"{trait}-{number + 1}"
        thing = standee(
            world,
            at,
            turn,
            id_,
            dwarf_tones[number % 4] if trait == "dwarf" else tones[trait],
            tall[trait],
            tall[trait] * 0.7,
            rooms[space][1],
        )
        traits = [trait] + (["hostile"] if trait == "goblin" and rng.random() < 0.5 else [])
        world.pieces.append(
            {
                "id": id_,
                "side": owner,
                "kind": "model",
                "space": space,
                "at": np.round(at, 3).tolist(),
                "facing": None,
                "base": {"shape": "rect", "width": 24.0, "depth": 14.0},
                "traits": traits,
                "height": round(thing.height_mm, 3),
            }
        )
    wood, leather, metal = (0.35, 0.2, 0.08), (0.25, 0.09, 0.04), (0.3, 0.31, 0.33)
    _pile(world, rooms, "chamber", "gold", int(rng.integers(3, 18)), 7.5, (0.7, 0.48, 0.03), "lump")
    _pile(
        world,
        rooms,
        "carpentry",
        "wood",
        int(rng.integers(1, 11)),
        9.0,
        wood,
        str(rng.choice(["cube", "log"])),
    )
    _pile(world, rooms, "tannery", "leather", int(rng.integers(1, 11)), 8.5, leather, "cube")
    _pile(
        world,
        rooms,
        "foundry",
        "metal",
        int(rng.integers(1, 11)),
        8.5,
        metal,
        str(rng.choice(["cube", "log"])),
    )
    _pile(world, rooms, "courtyard", "rubble", int(rng.integers(0, 11)), 9.0, (0.16, 0.15, 0.14), "lump")
    done = int(rng.integers(0, 5))
    (a, b, c, d), _ = rooms["tunnel"]
    pitch = (c - a) / 5
    for k in range(done, 5):
        spot = np.array([a + pitch * (k + 0.5), (b + d) / 2])
        world.block(
            spot,
            pitch * 0.86,
            20,
            14,
            0,
            (0.35, 0.24, 0.13),
            Surface(0.2, 30, 0.1, 0.7, LAYER["oak"], 120),
            z_mm=FLOOR_MM,
        )
        world.pieces.append(
            {
                "id": f"block-{k + 1}",
                "side": None,
                "kind": "token",
                "space": f"tunnel-{k + 1}",
                "at": np.round(spot, 3).tolist(),
                "facing": None,
                "count": 1,
                "traits": ["tunnel-block"],
                "height": FLOOR_MM + 14,
            }
        )
    world.take(corner + SIDE_MM / 2, SIDE_MM * 0.74)
    for _ in range(int(rng.integers(1, 5))):
        at = world.room(48)
        if at is not None:
            card(world, at, float(rng.choice([0, 90])) + rng.normal(0, 4), (44, 68))
    for k in range(int(rng.integers(0, 3))):
        at = world.room(14)
        if at is not None:
            disc_token(world, at, 22.0, f"troll-token-{k + 1}")
    return world
