"""The 9th Age: ranked blocks on rectangular bases."""

from .game import GAME

__all__ = ["GAME"]
