"""Warhammer Underworlds: two printed hex boards joined and slid, fighters on round bases, tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..figures import hue
from ..ground import lay_ground
from ..mesh import Surface, matrix, polygon, ring_segment
from ..parts import make_style, round_base
from ..textures import LAYER
from ..world import DECAL_MM, World, hexagon
from .tokens import disc_token, hex_token, square_token

Array = NDArray[Any]
Hex = tuple[int, int]

ACROSS_MM = 52.0
PITCH_MM = ACROSS_MM * np.sqrt(3) / 2
BOARD_MM = (8 * ACROSS_MM, 6 * PITCH_MM)
BOARD_THICK_MM = 2.2
# (column, row) with row 0 the far row of the printed picture
FACES: dict[str, tuple[tuple[Hex, ...], tuple[Hex, ...]]] = {
    "katophrane-reliquary": (((4, 0), (2, 1), (4, 1), (6, 1), (0, 3), (6, 3), (3, 4)), ()),
    "shattered-tower": (((1, 1), (3, 1), (5, 2), (0, 3), (1, 3), (4, 4), (6, 4)), ((6, 2), (3, 3), (5, 3))),
    "soul-refractor": (((0, 0), (6, 0), (2, 1), (2, 2), (5, 2), (6, 3), (3, 4)), ((3, 1), (2, 3), (4, 3))),
    "cursed-oubliette": (((0, 0), (4, 1), (2, 2), (3, 2), (6, 2), (4, 4), (7, 4)), ()),
}
NEIGHBOURS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))


def template(origin: Hex) -> list[Hex]:
    """The 38 complete hexes of a board whose near-left one is `origin`."""
    return [(origin[0] + c - r // 2, origin[1] + r) for r in range(5) for c in range(8 - r % 2)]


def parts(origin: Hex) -> list[Hex]:
    """The half hexes along the edges of a board (those that joining can complete)."""
    rim = [(c - r // 2, r) for r in (-1, 5) for c in range(7)] + [
        (c - r // 2, r) for r in (1, 3) for c in (-1, 7)
    ]
    return [(origin[0] + q, origin[1] + r) for q, r in rim]


def centre(zero: Array, h: Hex) -> Array:
    return zero + np.array([ACROSS_MM * (h[0] + h[1] / 2), PITCH_MM * h[1]])


def printed(origin: Hex, face: str, turned: bool) -> tuple[set[Hex], set[Hex]]:
    """Starting and blocked hexes of a face as it lies."""

    def place(spots: tuple[Hex, ...]) -> set[Hex]:
        found = set()
        for column, far_row in spots:
            row = 4 - far_row
            if turned:
                row, column = 4 - row, (7 - row % 2) - column
            found.add((origin[0] + column - row // 2, origin[1] + row))
        return found

    start, blocked = FACES[face]
    return place(start), place(blocked)


def _clip(a: Array, b: Array, low: Array, high: Array) -> tuple[Array, Array] | None:
    """The part of a segment inside a box."""
    t0, t1 = 0.0, 1.0
    d = b - a
    for k in range(2):
        if abs(d[k]) < 1e-9:
            if a[k] < low[k] - 1e-6 or a[k] > high[k] + 1e-6:
                return None
            continue
        near, far = sorted(((low[k] - a[k]) / d[k], (high[k] - a[k]) / d[k]))
        t0, t1 = max(t0, near), min(t1, far)
    return (a + d * t0, a + d * t1) if t1 - t0 > 1e-6 else None


def lay_board(
    world: World, zero: Array, origin: Hex, face: str, turned: bool, ident: int, look: dict[str, Any]
) -> tuple[set[Hex], set[Hex]]:
    """One printed board: art, hex lines, icons of starting hexes, thick outlines of blocked groups."""
    rng = world.rng
    corner = centre(zero, origin) - np.array([ACROSS_MM / 2, PITCH_MM])
    middle = corner + np.array(BOARD_MM) / 2
    art = Surface(0.12, 60, look["gloss"], look["rough"], LAYER[look["art"]], look["tile"], 0.9)
    world.block(middle, BOARD_MM[0], BOARD_MM[1], BOARD_THICK_MM, 0, look["tone"], art, ident)
    z = BOARD_THICK_MM + DECAL_MM
    start, blocked = printed(origin, face, turned)
    drawn: set[tuple[int, int]] = set()
    low, high = corner, corner + np.array(BOARD_MM)
    quarters = [(origin[0] + c - r // 2, origin[1] + r) for r in (-1, 5) for c in (-1, 7)]
    ink = Surface(0.1, 40, look["gloss"], look["rough"])
    for h in template(origin) + parts(origin) + quarters:
        outline = hexagon(centre(zero, h), ACROSS_MM)
        if rng.random() < 0.12:  # painted floor slabs differ
            inner = hexagon(centre(zero, h), ACROSS_MM * 0.94)
            if np.all((inner >= low) & (inner <= high)):
                world.add(
                    polygon(inner),
                    matrix((0, 0, z - 0.02)),
                    tuple(np.clip(np.array(look["tone"]) * rng.uniform(0.6, 1.7), 0, 0.8)),
                    art,
                    ident,
                )
        for k in range(6):
            a, b = outline[k], outline[(k + 1) % 6]
            middle_of = (a + b) / 2
            key = (round(middle_of[0] * 10), round(middle_of[1] * 10))
            if key in drawn:
                continue
            drawn.add(key)
            clipped = _clip(a, b, low, high)
            if clipped is not None:
                world.line(*clipped, look["line"], z, look["ink"], ident, ink)
    white = (0.82, 0.82, 0.8)
    for h in start:
        at = centre(zero, h)
        world.dot(at, look["icon"], z + 0.02, white, ident)
        world.add(
            ring_segment(0.72, 0, 360),
            matrix((*at, z + 0.04), 0, (look["icon"] * 0.8,) * 2 + (1,)),
            look["tone"],
            ink,
            ident,
        )
        stem = np.array([0, look["icon"] * 0.5])
        world.line(
            at - stem,
            at + stem,
            look["icon"] * 0.22,
            z + 0.05,
            look["tone"],
            ident,
        )
    for h in blocked:
        outline = hexagon(centre(zero, h), ACROSS_MM)
        for k in range(6):
            a, b = outline[k], outline[(k + 1) % 6]
            across = (a + b) / 2 - centre(zero, h)
            other = next(
                (n for n in blocked if np.hypot(*(centre(zero, n) - centre(zero, h) - 2 * across)) < 1), None
            )
            if other is None:
                stretch = (b - a) / np.linalg.norm(b - a) * look["thick"] * 0.5
                world.line(a - stretch, b + stretch, look["thick"], z + 0.04, white, ident, ink)
    return start, blocked


def build(rng: np.random.Generator, assets: str | None = None, sheets: bool = False) -> World:
    """Both boards in the middle of a table, 0 to 3 hexes slid, long or short edges joined."""
    long_edges = rng.random() < 0.72
    slide = int(rng.integers(-3, 4)) if long_edges else 0
    second: Hex = (-3 + slide, 6) if long_edges else (8, 0)
    margin = 150.0 if sheets else rng.uniform(70, 180)
    left = max(0, -slide) * ACROSS_MM if long_edges else 0.0
    corner = np.array([margin + left, margin])
    zero = corner + np.array([ACROSS_MM / 2, PITCH_MM])
    size = (
        np.array([BOARD_MM[0] + abs(slide) * ACROSS_MM, BOARD_MM[1] * 2])
        if long_edges
        else np.array([BOARD_MM[0] * 2, BOARD_MM[1]])
    )
    world = World("underworlds", float(size[0] + 2 * margin), float(size[1] + 2 * margin), rng, assets)
    if sheets:
        world.lay_sheets()
    lay_ground(world, board_game=True)
    tight = rng.uniform(0.1, 0.8) * margin
    if sheets:
        tight = margin
    world.focus_mm = (margin - tight, margin - tight, margin + size[0] + tight, margin + size[1] + tight)

    board = world.ident()
    world.board_idents.add(board)
    names = list(FACES)
    types: dict[Hex, dict[str, Any]] = {}
    tiles = []
    bright = rng.random() < 0.3
    for side, origin in (("A", (0, 0)), ("B", second)):
        face, turned = names[int(rng.integers(4))], bool(rng.random() < 0.5)
        tone = np.array(hue(rng, 0.12, 0.45, 0.35)) * (2.0 if bright else 1.0)
        if rng.random() < 0.1:
            ink = (0.02, 0.02, 0.02)
        else:
            ink = tuple(np.clip(tone + rng.uniform(0.08, 0.5), 0, 0.85))
        look = {
            "art": str(
                rng.choice(
                    ["art-0", "art-1", "art-2", "art-3", "cracks", "cobbles", "blotches", "rock023", "tiles"]
                )
            ),
            "tile": rng.uniform(200, 700),
            "tone": tuple(np.clip(tone, 0.02, 0.7)),
            "gloss": rng.uniform(0.05, 0.7),
            "rough": rng.uniform(0.15, 0.8),
            "line": rng.uniform(0.7, 1.8),
            "thick": rng.uniform(2.6, 4.5),
            "ink": ink,
            "icon": rng.uniform(4.5, 8.5),
        }
        start, blocked = lay_board(world, zero, origin, face, turned, board, look)
        for h in template(origin):
            types[h] = {"hex": list(h), "type": "blocked" if h in blocked else "normal", "territory": side}
            if h in start:
                types[h]["start"] = True
        tiles.append(
            {
                "id": face + ("" if side == "A" else "-2"),
                "side": side,
                "origin": list(origin),
                "rotate": 180 if turned else 0,
            }
        )
    for h in set(parts((0, 0))) & set(parts(second)):
        types[h] = {"hex": list(h), "type": "normal", "territory": "none"}
    world.extra["board"] = {
        "orientation": "pointy",
        "hexes": [types[h] for h in sorted(types)],
        "tiles": tiles,
        "layout": {"across_flats": ACROSS_MM, "origin": np.round(zero, 3).tolist()},
    }
    occupants: dict[Hex, set[int]] = {}
    _tokens(world, zero, types, occupants)
    _fighters(world, zero, types, occupants)
    for h, entry in sorted(types.items()):
        kind = "hex-blocked" if entry["type"] == "blocked" else "hex-start" if entry.get("start") else "hex"
        world.thing(
            kind,
            f"{h[0]},{h[1]}",
            hexagon(centre(zero, h), ACROSS_MM),
            BOARD_THICK_MM,
            board,
            shape="hex",
            companions=occupants.get(h, set()),
        )
    for x, y in ((margin + size[0] / 2, margin + size[1] / 2),):
        world.take((x, y), float(np.hypot(*size)) / 2 * 0.72)
    return world


def _tokens(
    world: World, zero: Array, types: dict[Hex, dict[str, Any]], occupants: dict[Hex, set[int]]
) -> None:
    """Five objectives, at least three apart, not on starting, blocked or edge hexes."""
    rng = world.rng
    whole = set(types)
    inner = [
        h
        for h, e in types.items()
        if e["type"] == "normal"
        and not e.get("start")
        and all((h[0] + q, h[1] + r) in whole for q, r in NEIGHBOURS)
    ]
    chosen: list[Hex] = []
    shape_hex = rng.random() < 0.6
    across = rng.uniform(0.55, 0.96) * ACROSS_MM
    colour = hue(rng, 0.3, 0.9)
    for index in rng.permutation(len(inner)):
        h = inner[index]
        if len(chosen) == 5:
            break
        if all(max(abs(h[0] - c[0]), abs(h[1] - c[1]), abs(h[0] + h[1] - c[0] - c[1])) > 2 for c in chosen):
            chosen.append(h)
            at = centre(zero, h) + rng.normal(0, 1.2, 2)
            id_ = f"objective-{len(chosen)}"
            if shape_hex:
                thing = hex_token(
                    world, at, across, float(rng.normal(0, 4)), id_, 2.0, colour, BOARD_THICK_MM
                )
                base: dict[str, Any] = {"shape": "hex", "across_flats": round(across, 3)}
            else:
                thing = disc_token(world, at, across * 0.9, id_, 2.0, colour, BOARD_THICK_MM)
                base = {"shape": "circle", "diameter": round(across * 0.9, 3)}
            if across < 0.75 * ACROSS_MM:
                occupants.setdefault(h, set()).add(thing.ident)
            traits = ["objective", f"value:{len(chosen)}"] + (["face-down"] if rng.random() < 0.2 else [])
            world.pieces.append(
                {
                    "id": id_,
                    "side": None,
                    "kind": "token",
                    "hex": list(h),
                    "at": np.round(at, 3).tolist(),
                    "facing": None,
                    "base": base,
                    "traits": traits,
                    "height": BOARD_THICK_MM + 2.0,
                }
            )


def _fighters(
    world: World, zero: Array, types: dict[Hex, dict[str, Any]], occupants: dict[Hex, set[int]]
) -> None:
    rng = world.rng
    free = [h for h, e in types.items() if e["type"] == "normal"]
    for side, count, diameter in (("A", int(rng.integers(2, 5)), 40.0), ("B", int(rng.integers(4, 8)), 25.0)):
        if rng.random() < 0.25:
            diameter = float(rng.choice([25.0, 28.5, 32.0, 40.0]))
        looks = [
            make_style(
                world,
                "foot" if rng.random() < 0.92 else "monster",
                diameter * 0.85,
                float(rng.uniform(3, 4.5)),
                1,
            )
            for _ in range(3)
        ]
        for k in range(count):
            own = (
                [h for h in free if types[h]["territory"] == side and types[h].get("start")]
                if rng.random() < 0.4
                else free
            )
            own = own or free
            h = own[int(rng.integers(len(own)))]
            free.remove(h)
            at = centre(zero, h) + rng.normal(0, min(2.0, (ACROSS_MM - diameter) / 6), 2)
            style = looks[int(rng.integers(3))]
            lift = BOARD_THICK_MM
            id_ = f"{side.lower()}{k + 1}"
            thing = _standing(world, at, diameter, style, id_, lift)
            occupants.setdefault(h, set()).add(thing.ident)
            traits = (["leader"] if k == 0 else []) + [
                str(t)
                for t in rng.choice(["guard", "staggered", "move-token", "charge-token"], 1)
                if rng.random() < 0.4
            ]
            world.pieces.append(
                {
                    "id": id_,
                    "side": side,
                    "kind": "model",
                    "hex": list(h),
                    "at": np.round(at, 3).tolist(),
                    "facing": round(thing.facing or 0.0, 3),
                    "base": {"shape": "circle", "diameter": diameter},
                    "traits": traits,
                    "height": round(thing.height_mm, 3),
                }
            )
            for trait in traits:
                if trait != "leader":
                    angle = rng.uniform(0, 2 * np.pi)
                    spot = at + (diameter / 2 + 9) * np.array([np.cos(angle), np.sin(angle)])
                    make = disc_token if rng.random() < 0.6 else None
                    if make is not None:
                        token = disc_token(world, spot, 18.0, f"{id_}-{trait}", 2.0, None, BOARD_THICK_MM)
                    else:
                        token = square_token(
                            world,
                            spot,
                            17,
                            17,
                            float(rng.uniform(0, 360)),
                            f"{id_}-{trait}",
                            2.0,
                            None,
                            BOARD_THICK_MM,
                        )
                    occupants.setdefault(h, set()).add(token.ident)


def _standing(world: World, at: Array, diameter: float, style: Any, id_: str, lift_mm: float) -> Any:
    """A round base on the board: built as on the table, counted from the board's top."""
    low = style.height_mm
    style.height_mm = low + lift_mm
    facing = float(world.rng.uniform(0, 360))
    thing = round_base(world, at, diameter, facing, style, id_)
    style.height_mm = low
    return thing
