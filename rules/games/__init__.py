"""The games. One module or package each, exporting `GAME`; this is the list of them all."""

from __future__ import annotations

from ..game import Game
from .mage_knight import GAME as MAGE_KNIGHT
from .runewars import GAME as RUNEWARS
from .siege_of_runedar import GAME as SIEGE_OF_RUNEDAR
from .t9a import GAME as T9A
from .underworlds import GAME as UNDERWORLDS

__all__ = ["GAMES"]

GAMES: dict[str, Game] = {
    game.id: game for game in (MAGE_KNIGHT, RUNEWARS, T9A, UNDERWORLDS, SIEGE_OF_RUNEDAR)
}
