"""Mage Knight: round bases, measured from centre to centre."""

from __future__ import annotations

from . import fight, fire, measure, move, setup, survey  # noqa: F401  (each registers its questions)
from .game import GAME

__all__ = ["GAME"]
