"""Mage Knight: round click bases with centre dot, arc lines and the stat window at the rear."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import terrain
from ..figures import hue
from ..ground import lay_ground
from ..mesh import Surface, disc, frustum, matrix, ring_segment
from ..parts import Style, make_style, put_figure
from ..world import DECAL_MM, INCH_MM, Thing, World, circle
from .tokens import disc_token

Array = NDArray[Any]

BASE_MM, UNIQUE_MM = 1.5 * INCH_MM, 2 * INCH_MM
TABLE_MM = 40 * INCH_MM
_TERRAIN = ("hindering", "blocking", "shallow-water", "abyss", "clear")
_LOOKS = {
    "hindering": "forest",
    "blocking": "impassable",
    "shallow-water": "water",
    "abyss": "field",
    "clear": "hill",
}


def click_base(
    world: World,
    at: Array,
    diameter_mm: float,
    facing: float,
    style: Style,
    id_: str,
    front_arc_deg: float,
    rank: tuple[float, float, float],
) -> Thing:
    """The dial below, the printed cap above: lines to the rim at half the front arc on each side, window behind."""
    rng = world.rng
    ident, r, h = world.ident(), diameter_mm / 2, style.height_mm
    plastic = Surface(0.05, 30, rng.uniform(0.2, 0.9), rng.uniform(0.2, 0.6))
    world.add(
        frustum(1.0, 64),
        matrix((*at, 0), 0, (r * 0.97, r * 0.97, h * 0.45)),
        (0.05, 0.05, 0.055),
        plastic,
        ident,
    )
    world.add(frustum(1.0, 64), matrix((*at, h * 0.45), 0, (r, r, h * 0.55)), style.rim, plastic, ident)
    world.add(disc(64), matrix((*at, h), facing, (r, r, 1)), style.top, plastic, ident)
    z = h + DECAL_MM
    world.add(ring_segment(0.9, 180 + 35, 290), matrix((*at, z), facing, (r, r, 1)), rank, plastic, ident)
    ink = (0.8, 0.8, 0.78) if sum(style.top) < 0.9 else (0.03, 0.03, 0.03)
    for side in (1, -1):
        angle = np.radians(facing + side * front_arc_deg / 2)
        out = np.array([np.cos(angle), np.sin(angle)])
        world.line(at + out * r * 0.3, at + out * r * 0.98, 0.9, z + 0.03, ink, ident)
    world.dot(at, 1.1, z + 0.03, ink, ident)
    forward = np.array([np.cos(np.radians(facing)), np.sin(np.radians(facing))])
    left = np.array([-forward[1], forward[0]])
    # the window shows the dial: a pale box with dark figures, cut by the rim
    window = at - forward * r * 0.74
    world.plate(window, r * 0.34, r * 0.8, facing, z + 0.03, (0.03, 0.03, 0.03), plastic, ident)
    world.plate(window, r * 0.28, r * 0.72, facing, z + 0.06, (0.7, 0.7, 0.66), plastic, ident)
    for k in range(5):
        spot = window + left * (k - 2) * r * 0.14 + forward * rng.uniform(-0.06, 0.06) * r
        colour = hue(rng, 0.0, 0.6) if k == 2 else (0.04, 0.04, 0.04)
        world.plate(spot, r * 0.13, r * 0.07, facing + rng.uniform(-8, 8), z + 0.09, colour, plastic, ident)
    for k in range(int(rng.integers(1, 4))):
        world.dot(
            at + left * r * 0.72 + forward * (k - 1) * r * 0.16,
            r * 0.055,
            z + 0.03,
            (0.7, 0.55, 0.1),
            ident,
            sides=8,
        )
    world.dot(at - left * r * 0.7, r * 0.13, z + 0.03, hue(rng, 0.3, 0.9), ident, sides=12)
    put_figure(world, style, at + forward * rng.normal(0, r * 0.08), facing, ident)
    return world.thing("round-base", id_, circle(at, r), h, ident, facing=facing, shape="round")


def _warrior(
    world: World,
    side: str,
    number: int,
    at: Array,
    facing: float,
    style: Style,
    diameter: float,
    front: float,
    rank: tuple[float, float, float],
) -> None:
    rng = world.rng
    id_ = f"{side.lower()}{number}"
    click_base(world, at, diameter, facing, style, id_, front, rank)
    tokens = int(rng.choice([0, 0, 1, 2]))
    traits = [
        f"front-arc:{front:g}",
        f"rear-arc:{360 - front:g}",
        str(rng.choice(["boot", "horseshoe", "wing"])),
        str(rng.choice(["sword", "bow", "wand"])),
        f"faction:{'elves' if side == 'A' else 'orcs'}",
        f"range:{int(rng.choice([0, 6, 8, 10]))}",
    ]
    if tokens:
        traits.append(f"action-tokens:{tokens}")
    if diameter > BASE_MM + 1:
        traits.append("unique")
    piece: dict[str, Any] = {
        "id": id_,
        "side": side,
        "kind": "model",
        "at": np.round(at, 3).tolist(),
        "facing": round(facing % 360, 3),
        "base": {"shape": "circle", "diameter": diameter},
        "traits": traits,
        "height": round(style.height_mm, 3),
    }
    world.pieces.append(piece)
    for k in range(tokens):
        angle = np.radians(facing + 140 + 40 * k + rng.normal(0, 15))
        spot = at + (diameter / 2 + 9) * np.array([np.cos(angle), np.sin(angle)])
        if world.free(spot, 3):
            disc_token(
                world,
                spot,
                float(rng.choice([9.0, 12.0, 15.0])),
                f"{id_}-action-{k + 1}",
                float(rng.uniform(1.5, 4)),
                hue(rng, 0.3, 0.95),
                printed=False,
            )
            world.take(spot, 6)


def build(rng: np.random.Generator, assets: str | None = None, sheets: bool = False) -> World:
    """The square metre the book asks for (40 in)."""
    world = World("mage-knight", TABLE_MM, TABLE_MM, rng, assets)
    if sheets:
        world.lay_sheets()
    lay_ground(world)
    for k in range(int(rng.integers(1, 5))):
        kind = str(rng.choice(_TERRAIN))
        size = (rng.uniform(90, 220), rng.uniform(80, 150))
        at = world.room(float(np.hypot(*size)) / 2, (76, 76, TABLE_MM - 76, TABLE_MM - 76))
        if at is not None:
            terrain.place(world, _LOOKS[kind], f"{kind}-{k + 1}", at, size, float(rng.uniform(0, 360)), kind)
            if _LOOKS[kind] == "hill":
                world.terrain[-1]["elevated"] = True
    front = float(rng.choice([90, 100, 120, 180]))
    for k in range(3):
        at = np.array([TABLE_MM / 2] * 2) if k == 0 else world.room(25)
        if at is not None and (k > 0 or world.free(at, 20)):
            if k == 0:
                world.take(at, 20)
            id_ = f"objective-{k + 1}"
            disc_token(world, at, BASE_MM, id_)
            world.pieces.append(
                {
                    "id": id_,
                    "side": None,
                    "kind": "marker",
                    "at": np.round(at, 3).tolist(),
                    "facing": None,
                    "base": {"shape": "circle", "diameter": BASE_MM},
                    "traits": ["objective"],
                    "height": 2.0,
                }
            )
    for side, forward in (("A", 90.0), ("B", 270.0)):
        looks = []
        for _ in range(int(rng.integers(2, 5))):
            style = make_style(
                world,
                "foot" if rng.random() < 0.8 else "monster",
                BASE_MM * 0.8,
                float(rng.uniform(8, 10.5)),
                1,
            )
            style.rim = hue(rng, 0.02, 0.5, 0.4)
            style.top = style.rim if rng.random() < 0.6 else hue(rng, 0.05, 0.6, 0.4)
            style.tufts = style.fuzz = 0.0
            looks.append(style)
        number = 0
        last: Array | None = None
        for _ in range(int(rng.integers(4, 11))):
            diameter = UNIQUE_MM if rng.random() < 0.15 else BASE_MM
            near = (0.0, 0.0, TABLE_MM, TABLE_MM * rng.uniform(0.45, 0.9))
            area = near if side == "A" else (0.0, TABLE_MM - near[3], TABLE_MM, TABLE_MM)
            at = None
            if last is not None and rng.random() < 0.35:  # shoulder to shoulder, as formations stand
                angle = rng.uniform(0, 2 * np.pi)
                spot = last + (diameter / 2 + BASE_MM / 2 + 0.1) * np.array([np.cos(angle), np.sin(angle)])
                if world.free(spot, diameter / 2) and spot.min() > 30 and spot.max() < TABLE_MM - 30:
                    at = spot
                    world.take(at, diameter / 2)
            if at is None:
                at = world.room(diameter / 2 + 2, area)
            if at is None:
                continue
            number += 1
            last = at if diameter == BASE_MM else None
            rank = ((0.75, 0.6, 0.1), (0.05, 0.1, 0.5), (0.5, 0.05, 0.05))[int(rng.integers(3))]
            facing = float(forward + rng.normal(0, 40) if rng.random() < 0.8 else rng.uniform(0, 360))
            _warrior(
                world, side, number, at, facing, looks[int(rng.integers(len(looks)))], diameter, front, rank
            )
    return world
