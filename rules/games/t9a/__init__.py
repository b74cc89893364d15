"""The 9th Age: ranked blocks on rectangular bases."""

from . import arcs, combat, deploy, formation, measure, melee, near, objectives
from .game import GAME

__all__ = ["GAME", "arcs", "combat", "deploy", "formation", "measure", "melee", "near", "objectives"]
