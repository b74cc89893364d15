"""The Siege of Runedar: dwarves and orcs on the named spaces of a fortress."""

from __future__ import annotations

from .game import GAME

__all__ = ["GAME"]
