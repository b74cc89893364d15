"""Runewars: units of square trays, ruler segments, firing arcs and sight lines from the front edge."""

from __future__ import annotations

from .game import GAME

__all__ = ["GAME"]
