"""Warhammer Underworlds: fighters on the hexes of two joined boards.

Start reading in `battlefield`, which gives every piece its hex; `measure`, `attack`, `move`, `setup` and `state` hold
the questions; `faces` the printed boards.
"""

from __future__ import annotations

from . import attack, measure, move, setup, state
from .battlefield import doubts, ground, lattice
from .faces import FACES, board_hexes, rectangle_mm
from .game import GAME, HEX_TYPES

__all__ = [
    "FACES", "GAME", "HEX_TYPES", "attack", "board_hexes", "doubts", "ground", "lattice", "measure", "move",
    "rectangle_mm", "setup", "state",
]  # fmt: skip
