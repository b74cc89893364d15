"""The 9th Age: ranked blocks on rectangular bases."""

from . import arcs, combat, formation, measure, melee, near
from .game import GAME

__all__ = ["GAME", "arcs", "combat", "formation", "measure", "melee", "near"]
