"""Printed boards: the hex lattice under Underworlds pieces, the named spaces of the Runedar fortress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from regla.calibration.errors import LatticeError
from regla.calibration.hexes import HexBoards, fit_boards
from regla.models.classes import HEX_CLASSES
from regla.rules.games.underworlds import recognise
from regla.rules.hexes import SYMMETRIES
from regla.rules.scene import Board, BoardHex, BoardSpace, Layout, Tile

from .found import Found, Thing

__all__ = ["lay_boards"]

_TYPES: Final = {"hex": "normal", "hex-blocked": "blocked", "hex-start": "normal"}
GOODS: Final = {
    "chamber": "gold",
    "carpentry": "wood",
    "tannery": "leather",
    "foundry": "metal",
    "courtyard": "rubble",
}
"""What lies in each space of the fortress, as long as nobody says otherwise."""
HEX_GAMES: Final = frozenset({"underworlds"})
STRAIGHT: Final = SYMMETRIES[0]


def lay_boards(
    things: Sequence[Thing], found: Sequence[Found], game: str, params_mm: Mapping[str, Any], placed: Any
) -> tuple[list[Thing], Board | None]:
    """Give pieces their hex or space; without a board in view they keep their place in mm only."""
    if game in HEX_GAMES:
        return _hexes(things, found, params_mm)
    if placed is not None:
        return _spaces(things, placed)
    return list(things), None


def _hexes(
    things: Sequence[Thing], found: Sequence[Found], params_mm: Mapping[str, Any]
) -> tuple[list[Thing], Board | None]:
    seen = [f for f in found if f.cls in HEX_CLASSES]
    size = params_mm.get("across_flats")
    try:
        boards = fit_boards(
            np.array([f.at_mm for f in seen]).reshape(-1, 2), across_flats_mm=size if size else None
        )
    except LatticeError:
        return list(things), None
    lattice = boards.boards[0]
    names = _shift_to_zero(boards)
    hexes: dict[tuple[int, int], BoardHex] = {}
    for f, member, axial in zip(seen, boards.member, names, strict=True):
        if member < 0:
            continue
        at = (int(axial[0]), int(axial[1]))
        kind = _TYPES[f.cls]
        old = hexes.get(at)
        if old is None or f.cls != "hex":
            hexes[at] = BoardHex(at, kind, None, f.cls == "hex-start")
    # A base hides its own hex: the printed template tells which hexes are there all the same.
    # It also tells which is the near-left hex, seen or not, and with that what all of them are called.
    known = recognise(hexes.values())
    tiles: tuple[Tile, ...] = ()
    if known is not None:
        hexes = {h.hex: h for h in known.hexes}
        if known.turned == STRAIGHT:
            q, r = (int(x) for x in known.tiles[0].origin)
            names = names - np.array([q, r])
            hexes = {(a - q, b - r): replace(h, hex=(a - q, b - r)) for (a, b), h in hexes.items()}
            tiles = tuple(replace(t, origin=(t.origin[0] - q, t.origin[1] - r)) for t in known.tiles)
    zero = names[boards.member >= 0][0] - boards.hexes[boards.member >= 0][0]
    origin = lattice.centre_mm(-zero)[0]
    board = Board(
        orientation=lattice.orientation,
        hexes=tuple(hexes[k] for k in sorted(hexes)),
        tiles=tiles,
        layout=Layout(
            round(float(lattice.across_flats_mm), 3),
            (round(float(origin[0]), 3), round(float(origin[1]), 3)),
            round(float(lattice.angle_deg), 4),
        ),
    )
    out = []
    for thing in things:
        if thing.kind in ("model", "token"):
            axial = lattice.nearest(thing.at_mm[None])[0] + zero
            here = (int(axial[0]), int(axial[1]))
            thing = replace(thing, hex=here, extra={**thing.extra, "hex_doubt": _doubt(thing, lattice)})
        out.append(thing)
    return out, board


def _shift_to_zero(boards: HexBoards) -> np.ndarray:
    """Names so that the near-left hex is (0, 0), as the sheet counts them."""
    good = boards.member >= 0
    hexes = boards.hexes
    low_row = hexes[good][:, 1].min()
    row = hexes[good & (hexes[:, 1] == low_row)]
    corner = row[row[:, 0].argmin()]
    return np.asarray(hexes - corner)


def _doubt(thing: Thing, lattice: Any) -> float:
    """How much farther the second nearest hex centre is than the nearest, in mm."""
    near = lattice.nearest(thing.at_mm[None])[0]
    around = np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [1, -1], [-1, 1]]) + near
    away = np.sort(np.hypot(*(lattice.centre_mm(around) - thing.at_mm).T))
    return round(float(away[1] - away[0]), 2)


def _spaces(things: Sequence[Thing], placed: Any) -> tuple[list[Thing], Board]:
    out = []
    for thing in things:
        held = placed.spaces_at(thing.at_mm)
        if held:
            goods = GOODS.get(held[0][0]) if thing.members and thing.members[0].cls == "cube" else None
            thing = replace(thing, space=held[0][0], traits=(goods,) if goods else thing.traits)
        out.append(thing)
    spaces = tuple(
        BoardSpace(name, tuple((round(float(x), 2), round(float(y), 2)) for x, y in outline))
        for name, outline in placed.outlines_mm().items()
    )
    return out, Board(spaces=spaces)
