"""Boards for the hex tests: two joined boards as tables have them, and scenes on them."""

from __future__ import annotations

from typing import Any

from regla.rules.games.underworlds import board_hexes
from regla.rules.hexes import Field, Hex, disc
from regla.rules.scene import Tile

SLIDES = tuple(range(-3, 4))
"""Every legal slide of two boards along their long edges."""


def joined(slide: int = 0, face: str | None = None) -> Field:
    """Two boards along their long edges."""
    return Field(
        h.hex for h in board_hexes((Tile("a", (0, 0), "A", 0, face), Tile("b", (slide - 3, 6), "B", 0, face)))
    )


def end_to_end() -> Field:
    """Two boards along their short edges."""
    return Field(h.hex for h in board_hexes((Tile("a", (0, 0), "A"), Tile("b", (8, 0), "B"))))


def a_fighter(name: str, at: Hex, side: str = "A", *traits: str) -> dict[str, Any]:
    return {"id": name, "side": side, "kind": "model", "hex": list(at), "traits": list(traits)}


def an_arena(
    *pieces: dict[str, Any],
    radius: int = 3,
    blocked: tuple[Hex, ...] = (),
    holes: tuple[Hex, ...] = (),
    **board: Any,
) -> dict[str, Any]:
    """A round battlefield about (0, 0)."""
    hexes = [
        {"hex": list(h), "type": "blocked" if h in blocked else "normal"}
        for h in disc((0, 0), radius)
        if h not in holes
    ]
    return {
        "game": "underworlds",
        "unit": "mm",
        "board": {"orientation": "pointy", "hexes": hexes, **board},
        "pieces": list(pieces),
    }
