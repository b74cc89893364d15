"""The 9th Age: ranked blocks on rectangular bases."""

from . import arcs, attacks, combat, cover, deploy, formation, magic, measure, melee, flight, movement, near, objectives, pursuit, reform, shooting, sight, terrain
from .game import GAME

__all__ = ["GAME", "arcs", "attacks", "combat", "cover", "deploy", "formation", "magic", "measure", "melee", "flight", "movement", "near", "objectives", "pursuit", "reform", "shooting", "sight", "terrain"]
