"""The Siege of Runedar: dwarves and orcs on the named spaces of a fortress.

Start reading in `fortress`, which gives every piece its space; `move`, `fight`, `siege`, `work` and `end` hold the questions.
"""

from __future__ import annotations

from . import end, fight, move, siege, work
from .fortress import doubts, is_camera, plan
from .game import GAME
from .survey import survey

__all__ = ["GAME", "doubts", "end", "fight", "is_camera", "move", "plan", "siege", "survey", "work"]

GAME.survey = survey
