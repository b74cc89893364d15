"""Runewars: units of square trays that hook into each other, with arc lines at the corners and identity tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import terrain
from ..figures import hue
from ..ground import lay_ground
from ..mesh import Surface, box, matrix
from ..parts import Style, lay_tag, make_style, put_figure
from ..world import DECAL_MM, Thing, World, rectangle
from .tokens import disc_token, square_token

Array = NDArray[Any]

TRAY_MM = 63.5
_GAP_MM = 0.25  # plastic never closes quite
_KINDS = (("foot", 4), ("horse", 2), ("monster", 1), ("engine", 1))
_CARDS = ("forest", "ruins", "hill", "water")


def tray(
    world: World,
    at: Array,
    side_mm: float,
    facing: float,
    style: Style,
    id_: str,
    unit: str,
    figures: int,
    inner: Style | None = None,
) -> Thing:
    """A tray with sockets for its figures, a line at each corner and connectors on each border."""
    rng = world.rng
    ident, h = world.ident(), style.height_mm
    plastic = Surface(0.05, 30, 0.35, 0.45)
    world.add(box(), matrix((*at, 0), facing, (side_mm, side_mm, h)), style.rim, plastic, ident)
    forward = np.array([np.cos(np.radians(facing)), np.sin(np.radians(facing))])
    left = np.array([-forward[1], forward[0]])
    z = h + DECAL_MM
    ink = (
        tuple(np.clip(np.array(style.rim) * 3 + 0.12, 0, 0.8)) if sum(style.rim) < 0.5 else (0.04, 0.04, 0.04)
    )
    corners = rectangle(at, side_mm, side_mm, facing)
    for corner in corners:
        world.line(corner, corner + (at - corner) * 0.2, 1.3, z, ink, ident)
    world.plate(at, side_mm * 0.86, side_mm * 0.86, facing, z, style.top, style.top_surface, ident)
    for direction, turn in (
        (forward, facing),
        (-forward, facing + 180),
        (left, facing + 90),
        (-left, facing - 90),
    ):
        across = np.array([-direction[1], direction[0]])
        for offset in (-0.25, 0.25):  # a tab on one half of each border, a socket on the other
            spot = at + direction * side_mm / 2 + across * side_mm * offset
            if offset > 0:
                world.block(spot + direction * 1.3, 2.6, 7, h * 0.8, turn, style.rim, plastic, ident)
            else:
                world.plate(
                    spot - direction * 1.2, 2.4, 7.4, turn, z + 0.02, (0.02, 0.02, 0.02), plastic, ident
                )
    layout: dict[int, list[tuple[float, float]]] = {
        4: [(0.24, 0.24), (0.24, -0.24), (-0.24, 0.24), (-0.24, -0.24)],
        2: [(0, 0.24), (0, -0.24)],
        1: [(0, 0)],
    }
    for x, y in layout[figures]:
        spot = at + forward * x * side_mm + left * y * side_mm
        radius = side_mm * (0.2 if figures == 4 else 0.22 if figures == 2 else 0.4)
        if rng.random() < 0.05 and figures == 4:  # a casualty: the empty socket
            world.dot(spot, radius, z + 0.05, (0.02, 0.02, 0.02), ident)
            continue
        world.dot(spot, radius, z + 0.05, style.top, ident, style.top_surface, 24)
        put_figure(world, inner or style, spot, facing, ident, h)
    return world.thing("tray", id_, corners, h, ident, facing=facing, unit=unit)


def unit(
    world: World,
    id_: str,
    side: str,
    at: Array,
    facing: float,
    files: int,
    count: int,
    style: Style,
    figures: int,
    number: int,
    colour: tuple[float, float, float],
    tag: int | None = None,
) -> None:
    ranks = -(-count // files)
    forward = np.array([np.cos(np.radians(facing)), np.sin(np.radians(facing))])
    left = np.array([-forward[1], forward[0]])
    rng = world.rng
    for index in range(count):
        rank, file = divmod(index, files)
        spot = (
            at + forward * ((ranks / 2 - rank - 0.5) * TRAY_MM) + left * ((files / 2 - file - 0.5) * TRAY_MM)
        )
        name = f"{id_}/r{rank + 1}f{file + 1}"
        thing = tray(
            world,
            spot + rng.normal(0, 0.08, 2),
            TRAY_MM - _GAP_MM,
            facing + rng.normal(0, 0.1),
            style,
            name,
            id_,
            figures,
        )
        if index == 0:
            # the identity token stands on the tray's rim, clear of the figures
            spot = spot + left * TRAY_MM * 0.4 + forward * TRAY_MM * 0.4 * (0 if figures > 1 else 1)
            world.add(
                box(),
                matrix((*spot, style.height_mm), facing, (9, 9, 2)),
                colour,
                Surface(0.05, 20, 0.3, 0.5),
                thing.ident,
            )
            for k in range(number % 4 + 1):
                world.line(
                    spot + forward * 2.5 + left * (k - 1.2) * 2,
                    spot - forward * 2.5 + left * (k - 1.2) * 2,
                    0.8,
                    style.height_mm + 2 + DECAL_MM,
                    (0.9, 0.9, 0.9),
                    thing.ident,
                )
        if tag is not None and index == 0:
            thing.tag = tag
            lay_tag(
                world,
                tag,
                at + forward * ((ranks / 2 - 0.5) * TRAY_MM) + left * ((files / 2 - 0.5) * TRAY_MM),
                14,
                facing,
                style.height_mm + 0.2,
                thing.ident,
            )
    world.pieces.append(
        {
            "id": id_,
            "side": side,
            "kind": "unit",
            "at": np.round(at, 3).tolist(),
            "facing": round(facing % 360, 3),
            "base": {"shape": "rect", "width": TRAY_MM, "depth": TRAY_MM},
            "files": files,
            "count": count,
            "traits": [],
            "height": round(style.height_mm, 3),
        }
    )


def build(rng: np.random.Generator, assets: str | None = None, sheets: bool = False) -> World:
    """900 x 900 mm, or 1800 x 900 mm."""
    wide = rng.random() < 0.55
    world = World("runewars", 1800.0 if wide else 900.0, 900.0, rng, assets)
    if sheets:
        world.lay_sheets()
    lay_ground(world)
    for k in range(int(rng.integers(1, 5))):
        kind = str(rng.choice(_CARDS))
        size = (rng.uniform(110, 190), rng.uniform(90, 150))
        at = world.room(float(np.hypot(*size)) / 2)
        if at is not None:
            traits = (
                f"capacity:{int(rng.integers(1, 5))}",
                *(("elevated",) if kind == "hill" else ()),
                *(("exposed",) if kind == "water" else ()),
            )
            terrain.place(
                world,
                kind,
                f"{kind}-{k + 1}",
                at,
                size,
                float(rng.uniform(0, 360)),
                kind,
                traits,
                flat_card=bool(rng.random() < 0.6),
            )
    for side, forward in (("A", 90.0), ("B", 270.0)):
        colour = hue(rng, 0.4, 0.95)
        rim: Any = (
            hue(rng, 0.02, 0.35, 0.3) if rng.random() < 0.6 else tuple(np.full(3, rng.uniform(0.02, 0.2)))
        )
        for k in range(int(rng.integers(3, 8 if wide else 6))):
            kind, figures = _KINDS[int(rng.choice(4, p=[0.55, 0.25, 0.12, 0.08]))]
            files = int(rng.integers(1, 4)) if figures > 1 else 1
            ranks = int(rng.integers(1, 4)) if figures > 1 else 1
            count = files * ranks - (int(rng.integers(0, files)) if ranks > 1 else 0)
            radius = float(np.hypot(files, ranks)) * TRAY_MM / 2
            low = 0.0 if side == "A" else world.depth_mm * rng.uniform(0.1, 0.55)
            high = world.depth_mm * rng.uniform(0.45, 0.9) if side == "A" else world.depth_mm
            at = world.room(radius * 0.95, (0, low, world.width_mm, max(high, low + 2 * radius)))
            if at is None:
                continue
            figure_mm = {4: 26.0, 2: 40.0, 1: 60.0}[figures]
            style = make_style(world, kind, figure_mm, float(rng.uniform(4, 6)), 2)
            style.rim = rim
            if kind == "horse":
                style.figure_mm = TRAY_MM * rng.uniform(0.6, 0.75)
            elif kind == "foot":
                style.figure_mm = rng.uniform(27, 38)
            facing = float(forward + rng.normal(0, 25))
            tag = 10 + len(world.pieces) % 40 if rng.random() < 0.08 and figures > 1 else None
            unit(
                world,
                f"{side.lower()}{k + 1}",
                side,
                at,
                facing,
                files,
                count,
                style,
                figures,
                k,
                colour,
                tag,
            )
            for j in range(int(rng.choice([0, 0, 1, 2]))):
                angle = rng.uniform(0, 2 * np.pi)
                spot = at + (radius + 18) * np.array([np.cos(angle), np.sin(angle)])
                if world.free(spot, 12):
                    world.take(spot, 13)
                    if rng.random() < 0.5:
                        disc_token(world, spot, float(rng.uniform(16, 25)), f"{side.lower()}{k + 1}-bane-{j}")
                    else:
                        square_token(
                            world, spot, 20, 20, float(rng.uniform(0, 360)), f"{side.lower()}{k + 1}-bane-{j}"
                        )
    for k in range(int(rng.integers(0, 4))):
        at = world.room(16)
        if at is not None:
            disc_token(world, at, 25.0, f"objective-{k + 1}")
            world.pieces.append(
                {
                    "id": f"objective-{k + 1}",
                    "side": None,
                    "kind": "token",
                    "at": np.round(at, 3).tolist(),
                    "facing": None,
                    "base": {"shape": "circle", "diameter": 25.0},
                    "traits": ["objective"],
                    "height": 2.0,
                }
            )
    return world
