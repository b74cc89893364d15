"""Cardboard and wood: flat markers, cubes, nuggets and card figures on stands."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..figures import hue
from ..mesh import Surface, ball, box, matrix, prism, ring_segment
from ..textures import LAYER
from ..world import DECAL_MM, Thing, World, circle, hexagon, rectangle

CARD_MM = 2.0  # the thickness of punched card


def _print(world: World, at: np.ndarray, radius: float, z: float, ident: int, text: bool = True) -> None:
    """A ring, a symbol or a figure on a token's face."""
    rng = world.rng
    ink = hue(rng, 0.0, 1.0, 0.4)
    kind = rng.random()
    if kind < 0.5:
        world.add(
            ring_segment(0.86, 0, 360), matrix((*at, z), 0, (radius * 0.9, radius * 0.9, 1)), ink, None, ident
        )
    turn = rng.uniform(0, 360)
    if kind < 0.35:
        world.dot(at, radius * rng.uniform(0.2, 0.5), z, ink, ident)
    elif kind < 0.8 and text:
        for _ in range(int(rng.integers(2, 5))):
            a, b = rng.uniform(-0.5, 0.5, 2) * radius, rng.uniform(-0.5, 0.5, 2) * radius
            world.line(
                at + a, at + b, radius * rng.uniform(0.1, 0.2), z + rng.uniform(0.01, 0.05), ink, ident
            )
    else:
        world.plate(at, radius, radius, turn, z, ink, None, ident)


def disc_token(
    world: World,
    at: ArrayLike,
    diameter_mm: float,
    id_: str,
    height_mm: float = CARD_MM,
    colour: tuple[float, float, float] | None = None,
    z_mm: float = 0.0,
    printed: bool = True,
) -> Thing:
    at = np.asarray(at, float)[:2]
    rng, ident, r = world.rng, world.ident(), diameter_mm / 2
    face = colour or hue(rng, 0.1, 0.95)
    card = Surface(0.06, 30, rng.uniform(0.05, 0.6), rng.uniform(0.2, 0.8))
    world.pillar(at, r, height_mm, face, card, ident, z_mm, sides=40)
    if printed:
        _print(world, at, r, z_mm + height_mm + DECAL_MM, ident)
    return world.thing("token", id_, circle(at, r), z_mm + height_mm, ident, shape="round")


def square_token(
    world: World,
    at: ArrayLike,
    width_mm: float,
    depth_mm: float,
    turn: float,
    id_: str,
    height_mm: float = CARD_MM,
    colour: tuple[float, float, float] | None = None,
    z_mm: float = 0.0,
) -> Thing:
    at = np.asarray(at, float)[:2]
    rng, ident = world.rng, world.ident()
    face = colour or hue(rng, 0.1, 0.95)
    card = Surface(0.06, 30, rng.uniform(0.05, 0.6), rng.uniform(0.2, 0.8))
    world.block(at, depth_mm, width_mm, height_mm, turn, face, card, ident, z_mm)
    _print(world, at, min(width_mm, depth_mm) / 2 * 0.9, z_mm + height_mm + DECAL_MM, ident)
    return world.thing("token", id_, rectangle(at, width_mm, depth_mm, turn), z_mm + height_mm, ident)


def hex_token(
    world: World,
    at: ArrayLike,
    across_mm: float,
    turn: float,
    id_: str,
    height_mm: float = CARD_MM,
    colour: tuple[float, float, float] | None = None,
    z_mm: float = 0.0,
) -> Thing:
    at = np.asarray(at, float)[:2]
    rng, ident = world.rng, world.ident()
    outline = hexagon(at, across_mm, turn)
    card = Surface(0.1, 30, rng.uniform(0.05, 0.6), 0.5, LAYER[f"art-{int(rng.integers(4))}"], 120, 0.5)
    world.add(prism(outline, height_mm), matrix((0, 0, z_mm)), colour or hue(rng, 0.2, 0.9), card, ident)
    _print(world, at, across_mm / 2, z_mm + height_mm + DECAL_MM, ident)
    return world.thing("token", id_, outline, z_mm + height_mm, ident, shape="hex")


def cube(
    world: World,
    at: ArrayLike,
    side_mm: float,
    id_: str,
    colour: tuple[float, float, float],
    z_mm: float = 0.0,
    shape: str = "cube",
) -> Thing:
    """A wooden piece: a cube, a nugget or a lump of rubble. Its box is that of its seen upper face."""
    at = np.asarray(at, float)[:2]
    rng, ident = world.rng, world.ident()
    turn = float(rng.uniform(0, 360))
    paint = Surface(0.12, 20, 0.2, 0.5)
    if shape == "cube":
        world.block(at, side_mm, side_mm, side_mm, turn, colour, paint, ident, z_mm)
        return world.thing("cube", id_, rectangle(at, side_mm, side_mm, turn), z_mm + side_mm, ident)
    if shape == "log":
        world.block(
            at, side_mm * 1.7, side_mm * 0.7, side_mm * 0.7, turn, colour, paint, ident, z_mm, bevel=0.08
        )
        return world.thing(
            "cube", id_, rectangle(at, side_mm * 0.7, side_mm * 1.7, turn), z_mm + side_mm * 0.4, ident
        )
    height = side_mm * 0.8
    world.add(
        ball(5, 7),
        matrix((*at, z_mm + height * 0.45), turn, (side_mm * 0.58, side_mm * 0.5, height * 0.55)),
        colour,
        Surface(0.35, 15, 0.25, 0.5),
        ident,
    )
    return world.thing("cube", id_, rectangle(at, side_mm, side_mm * 1.16, turn), z_mm + height * 0.45, ident)


def standee(
    world: World,
    at: ArrayLike,
    turn: float,
    id_: str,
    colour: tuple[float, float, float],
    tall_mm: float,
    wide_mm: float,
    z_mm: float = 0.0,
) -> Thing:
    """A card figure in a plastic foot; the outline is the foot's top."""
    at = np.asarray(at, float)[:2]
    rng, ident = world.rng, world.ident()
    foot_w, foot_d, foot_h = 24.0, 14.0, 6.0
    plastic = hue(rng, 0.02, 0.8, 0.4) if rng.random() < 0.7 else (0.7, 0.7, 0.7)
    world.block(at, foot_d, foot_w, foot_h, turn, plastic, Surface(0.03, 20, 0.5, 0.3), ident, z_mm)
    face = Surface(0.1, 30, 0.3, 0.4, LAYER[f"art-{int(rng.integers(4))}"], 70, 0.9)
    lean = rng.normal(0, 3)
    world.add(
        box(),
        matrix((*at, z_mm + foot_h - 3), turn, (1.9, wide_mm, tall_mm * 0.62), lean, turn),
        colour,
        face,
        ident,
    )
    up = np.array(
        [
            np.sin(np.radians(lean)) * np.cos(np.radians(turn)),
            np.sin(np.radians(lean)) * np.sin(np.radians(turn)),
        ]
    )
    world.add(
        box(0.2),
        matrix(
            (*(at + up * tall_mm * 0.6), z_mm + foot_h - 3 + tall_mm * 0.6),
            turn,
            (1.9, wide_mm * 0.7, tall_mm * 0.4),
            lean,
            turn,
        ),
        colour,
        face,
        ident,
    )
    return world.thing("standee", id_, rectangle(at, foot_w, foot_d, turn), z_mm + foot_h, ident, facing=None)
