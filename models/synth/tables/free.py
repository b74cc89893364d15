"""Free tables: whatever people put under a camera. Mixed bases, tile games, draughts, desks full of things."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import terrain
from ..clutter import die
from ..figures import hue
from ..ground import lay_ground
from ..mesh import Surface, ball, matrix, polygon, prism
from ..parts import FIRST_TAG, LAST_TAG, lay_tag, make_style, rect_base, round_base
from ..textures import LAYER
from ..world import DECAL_MM, World, circle, hexagon
from .tokens import cube, disc_token, hex_token, square_token, standee

Array = NDArray[Any]

ROUND_MM = (20, 25, 25, 28.5, 30, 32, 32, 38.1, 40, 40, 50, 60, 80, 100, 130)
RECT_MM = (
    (20, 20),
    (25, 25),
    (25, 25),
    (30, 30),
    (25, 50),
    (40, 40),
    (50, 50),
    (50, 75),
    (50, 100),
    (60, 100),
    (100, 150),
)


def _mixed(world: World) -> None:
    """Bases of every size, some in touch, some tagged, some empty."""
    rng = world.rng
    styles: dict[tuple[str, int], Any] = {}
    number = 0
    for _ in range(int(rng.integers(12, 60))):
        round_ = rng.random() < 0.6
        width, depth = (
            (float(rng.choice(ROUND_MM)),) * 2 if round_ else RECT_MM[int(rng.integers(len(RECT_MM)))]
        )
        radius = width / 2 if round_ else float(np.hypot(width, depth)) / 2
        at = world.room(radius * 1.02)
        if at is None:
            continue
        kind = (
            "foot" if max(width, depth) < 45 else str(rng.choice(["monster", "engine", "monster", "horse"]))
        )
        if not round_ and depth > 1.6 * width:
            kind = "horse" if width < 50 else kind
        key = (kind, int(rng.integers(5)))
        if key not in styles:
            styles[key] = make_style(world, kind, 30.0, None, 1)
        style = styles[key]
        style.figure_mm = {
            "foot": float(np.clip(width * rng.uniform(1.0, 1.5), 22, 60)),
            "horse": depth * 0.85,
            "engine": max(width, depth) * 0.6,
        }.get(kind, max(width, depth) * rng.uniform(0.6, 1.0))
        style.reach_mm = max(width, depth) * 0.85
        number += 1
        facing = float(rng.uniform(0, 360))
        id_, bare = f"m{number}", rng.random() < 0.08
        if round_:
            thing = round_base(world, at, width, facing, style, id_, with_figure=not bare)
            base: dict[str, Any] = {"shape": "circle", "diameter": width}
        else:
            thing = rect_base(world, at, width, depth, facing, style, id_, with_figure=not bare)
            base = {"shape": "rect", "width": width, "depth": depth}
        if bare and thing.tag is None and min(width, depth) >= 25 and rng.random() < 0.5:
            thing.tag = int(rng.integers(FIRST_TAG, LAST_TAG + 1))
            lay_tag(
                world,
                thing.tag,
                at,
                min(16.0, min(width, depth) * 0.5),
                facing,
                style.height_mm + 0.15,
                thing.ident,
            )
        world.pieces.append(
            {
                "id": id_,
                "side": str(rng.choice(["A", "B"])),
                "kind": "model",
                "at": np.round(at, 3).tolist(),
                "facing": round(facing, 3),
                "base": base,
                "traits": [],
                "height": round(style.height_mm, 3),
            }
        )


def _loose(world: World, amount: float) -> None:
    """Tokens, cubes, dice and standees anywhere."""
    rng = world.rng
    for k in range(int(rng.poisson(14 * amount))):
        kind = str(rng.choice(["disc", "disc", "square", "hex", "cube", "die", "standee"]))
        at = world.room(16)
        if at is None:
            continue
        turn = float(rng.uniform(0, 360))
        id_ = f"t{k + 1}"
        if kind == "disc":
            disc_token(world, at, float(rng.uniform(12, 38)), id_, float(rng.choice([1.5, 2, 3, 6])))
        elif kind == "square":
            square_token(world, at, float(rng.uniform(14, 30)), float(rng.uniform(14, 30)), turn, id_)
        elif kind == "hex":
            hex_token(world, at, float(rng.uniform(20, 40)), turn, id_)
        elif kind == "cube":
            cube(
                world,
                at,
                float(rng.uniform(7, 12)),
                id_,
                hue(rng, 0.1, 0.9),
                shape=str(rng.choice(["cube", "log", "lump"])),
            )
        elif kind == "die":
            die(world, at, id_)
        else:
            standee(
                world,
                at,
                turn,
                id_,
                hue(rng, 0.2, 0.8),
                float(rng.uniform(28, 55)),
                float(rng.uniform(20, 34)),
            )


def _hex_island(world: World) -> None:
    """A board of loose printed hex tiles with number discs and wooden pieces, as tile games have."""
    rng = world.rng
    across = float(rng.uniform(50, 95))
    turn = float(rng.choice([0, 30])) + float(rng.normal(0, 3) if rng.random() < 0.5 else rng.uniform(0, 60))
    middle = np.array([world.width_mm, world.depth_mm]) / 2
    rings = int(rng.integers(1, 4))
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    spin = np.array([[c, -s], [s, c]])
    thick = float(rng.uniform(1.5, 3))
    if rng.random() < 0.6:
        frame = hexagon(middle, across * (2 * rings + 1) * 1.12, turn + 30)
        world.add(
            prism(frame, 1.4), matrix(), hue(rng, 0.2, 0.8), Surface(0.1, 60, 0.4, 0.4, LAYER["water"], 300)
        )
    kinds = [
        (
            hue(rng, 0.25, 0.85),
            LAYER[
                str(
                    rng.choice(["grass", "rock023", "sand", "leaves", "blotches", "art-0", "art-2", "cracks"])
                )
            ],
        )
        for _ in range(6)
    ]
    border = hue(rng, 0.3, 0.95, 0.4)
    gap = float(rng.choice([0.0, 0.3, 2.0]))
    for q in range(-rings, rings + 1):
        for r in range(max(-rings, -q - rings), min(rings, -q + rings) + 1):
            at = middle + spin @ np.array([(across + gap) * (q + r / 2), (across + gap) * np.sqrt(3) / 2 * r])
            ident = world.ident()
            colour, layer = kinds[int(rng.integers(6))]
            outline = hexagon(at, across, turn)
            world.add(prism(outline, thick), matrix(), border, Surface(0.06, 30, 0.3, 0.5), ident)
            world.add(
                polygon(hexagon(at, across * rng.uniform(0.86, 0.95), turn)),
                matrix((0, 0, thick + DECAL_MM)),
                colour,
                Surface(0.2, 40, 0.35, 0.4, layer, across * 1.5, 0.9),
                ident,
            )
            hex_thing = world.thing("hex", f"{q},{r}", outline, thick, ident, shape="hex")
            if rng.random() < 0.6:
                chip = disc_token(
                    world,
                    at + rng.normal(0, 3, 2),
                    float(rng.uniform(18, 28)),
                    f"chip {q},{r}",
                    2.0,
                    (0.75, 0.68, 0.5),
                    thick,
                )
                hex_thing.companions.add(chip.ident)
            if rng.random() < 0.3:
                corner = outline[int(rng.integers(6))]
                wood = cube(
                    world,
                    corner,
                    float(rng.uniform(8, 12)),
                    f"wood {q},{r}",
                    hue(rng, 0.2, 0.9),
                    thick,
                    str(rng.choice(["cube", "log"])),
                )
                hex_thing.companions.add(wood.ident)
    world.take(middle, across * (rings + 0.6))


def _draughts(world: World) -> None:
    """A ruled or chequered board with discs or stones."""
    rng = world.rng
    go = rng.random() < 0.4
    cells = int(rng.choice([9, 13, 19])) if go else 8
    cell = float(rng.uniform(20, 26)) if go else float(rng.uniform(28, 50))
    size = cell * cells + (cell if go else 0)
    middle = np.array([world.width_mm, world.depth_mm]) / 2
    wood = Surface(0.1, 80, 0.4, 0.4, LAYER["oak"], 500)
    light, dark = hue(rng, 0.5, 0.95, 0.4), hue(rng, 0.02, 0.4, 0.5)
    world.block(middle, size * 1.08, size * 1.08, 6, 0, (0.55, 0.36, 0.16) if go else dark, wood)
    low = middle - cell * cells / 2
    if not go:
        for i in range(cells):
            for j in range(cells):
                world.plate(
                    low + cell * np.array([i + 0.5, j + 0.5]),
                    cell,
                    cell,
                    0,
                    6 + DECAL_MM,
                    light if (i + j) % 2 else dark,
                    Surface(0.05, 50, 0.4, 0.3),
                )
    else:
        low = middle - cell * (cells - 1) / 2
        for i in range(cells):
            for a, b in (((i, 0), (i, cells - 1)), ((0, i), (cells - 1, i))):
                world.line(
                    low + cell * np.array(a), low + cell * np.array(b), 0.9, 6 + DECAL_MM, (0.05, 0.03, 0.02)
                )
    tones = [(0.02, 0.02, 0.02), (0.82, 0.82, 0.78)] if go else [hue(rng, 0.05, 0.9), hue(rng, 0.3, 0.95)]
    for i in range(cells):
        for j in range(cells):
            if rng.random() < (0.35 if go else 0.3):
                at = low + cell * (np.array([i, j]) + (0.0 if go else 0.5)) + rng.normal(0, cell * 0.04, 2)
                tone = tones[int(rng.integers(2))]
                if go:
                    ident, r = world.ident(), cell * 0.47
                    world.add(
                        ball(8, 24),
                        matrix((*at, 6 + r * 0.35), 0, (r, r, r * 0.42)),
                        tone,
                        Surface(0.03, 20, 0.6, 0.3),
                        ident,
                    )
                    world.thing("token", f"stone {i},{j}", circle(at, r), 6 + r * 0.35, ident, shape="round")
                else:
                    disc_token(world, at, cell * 0.78, f"man {i},{j}", 5.0, tone, 6.0)
    world.take(middle, size * 0.6)


def build(rng: np.random.Generator, assets: str | None = None, sheets: bool = False) -> World:
    kind = str(rng.choice(["mixed", "mixed", "mixed", "island", "draughts", "desk"]))
    side = rng.uniform(700 if sheets else 500, 1250)
    world = World("t9a", side * rng.uniform(1.0, 1.5), side, rng, assets)
    if sheets:
        world.lay_sheets()
    lay_ground(world, board_game=kind in ("island", "draughts", "desk"))
    if kind == "mixed":
        for k in range(int(rng.integers(0, 4))):
            look = str(rng.choice(["hill", "forest", "field", "ruins", "water", "impassable"]))
            at = world.room(130)
            if at is not None:
                terrain.place(
                    world,
                    look,
                    f"{look}-{k + 1}",
                    at,
                    (rng.uniform(120, 220), rng.uniform(100, 160)),
                    float(rng.uniform(0, 360)),
                )
        _mixed(world)
        _loose(world, 0.5)
    elif kind == "island":
        _hex_island(world)
        _loose(world, 0.5)
    elif kind == "draughts":
        _draughts(world)
        _loose(world, 0.3)
    else:
        _loose(world, 1.5)
        _mixed(world)
    return world
