"""The 9th Age: ranked blocks on rectangular bases."""

from . import arcs, measure
from .game import GAME

__all__ = ["GAME", "arcs", "measure"]
