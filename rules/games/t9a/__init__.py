"""The 9th Age: ranked blocks on rectangular bases."""

from . import arcs, formation, measure, melee
from .game import GAME

__all__ = ["GAME", "arcs", "formation", "measure", "melee"]
