"""Runewars: units of square trays, ruler segments, firing arcs and sight lines from the front edge."""

from __future__ import annotations

from . import fight, fire, measure, move, setup, shift, survey, turn  # noqa: F401  (each registers its questions)
from .game import GAME

__all__ = ["GAME"]
