"""Warhammer Underworlds: fighters on the hexes of two joined boards.

Start reading in `battlefield`, which gives every piece its hex; `measure`, `attack`, `move`, `setup` and `state` hold
the questions; `faces` the printed boards, `recognise` how to make them out from a part of their hexes.
"""

from __future__ import annotations

from . import attack, measure, move, setup, state
from .battlefield import doubts, ground, lattice
from .faces import FACES, board_hexes, rectangle_mm
from .game import GAME, HEX_TYPES
from .recognise import Recognised, layout_of, recognise
from .survey import survey

__all__ = [
    "FACES", "GAME", "HEX_TYPES", "Recognised", "attack", "board_hexes", "doubts", "ground", "lattice", "layout_of",
    "measure", "move", "recognise", "rectangle_mm", "setup", "state", "survey",
]  # fmt: skip

GAME.survey = survey
