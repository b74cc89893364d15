"""Warhammer Underworlds: fighters on the hexes of two joined boards."""

from __future__ import annotations

from .game import GAME

__all__ = ["GAME"]
