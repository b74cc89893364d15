"""Lengths. Inside `rules` every length is in millimetres; documents may use inches."""

from __future__ import annotations

from typing import Literal

__all__ = ["MM_PER_IN", "Unit", "from_mm", "mm_per", "to_mm"]

Unit = Literal["mm", "in"]
MM_PER_IN = 25.4


def mm_per(unit: str) -> float:
    """How many millimetres one unit is.

    >>> mm_per("in")
    25.4
    """
    return MM_PER_IN if unit == "in" else 1.0


def to_mm(length: float, unit: str) -> float:
    return length * mm_per(unit)


def from_mm(length_mm: float, unit: str) -> float:
    """
    >>> from_mm(50.8, "in")
    2.0
    """
    return length_mm / mm_per(unit)
