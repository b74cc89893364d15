"""Lengths and places as people type them."""

from __future__ import annotations

import re
from typing import Final

from .errors import CalibrationError

MM_PER: Final = {"mm": 1.0, "cm": 10.0, "m": 1000.0, "in": 25.4, '"': 25.4, "ft": 304.8, "'": 304.8}
OBJECTS_MM: Final = {
    "a4": (297.0, 210.0),
    "letter": (279.4, 215.9),
    "card": (85.6, 53.98),
    "a3": (420.0, 297.0),
}
"""Things of known size that are always at hand; width along the near side."""


class LengthError(CalibrationError):
    key = "length-unreadable"


def parse_length(text: str, unit: str = "mm") -> float:
    """A length in mm; a number alone is in `unit`.

    >>> parse_length("12in"), parse_length("304.8 mm"), parse_length("4ft"), parse_length("100")
    (304.8, 304.8, 1219.2, 100.0)
    """
    found = re.fullmatch(r"\s*([0-9]*[.,]?[0-9]+)\s*(mm|cm|m|in|ft|\"|')?\s*", text)
    if not found or not float(found[1].replace(",", ".")) > 0:
        raise LengthError(got=text)
    return round(float(found[1].replace(",", ".")) * MM_PER[found[2] or unit], 6)


def parse_size(text: str) -> tuple[float, float]:
    """A width and a depth in mm, or the name of a thing of known size.

    >>> parse_size("72x48in"), parse_size("6x4 ft"), parse_size("900 × 600"), parse_size("a4")
    ((1828.8, 1219.2), (1828.8, 1219.2), (900.0, 600.0), (297.0, 210.0))
    """
    if text.lower() in OBJECTS_MM:
        return OBJECTS_MM[text.lower()]
    parts = re.split(r"\s*[x×*]\s*", text.strip())
    if len(parts) != 2:
        raise LengthError(got=text)
    unit = re.search(r"(mm|cm|m|in|ft|\"|')\s*$", parts[1])
    return parse_length(parts[0], unit[1] if unit else "mm"), parse_length(parts[1])


def parse_point(text: str) -> tuple[float, float]:
    """A pixel, "x,y".

    >>> parse_point("960, 540.5")
    (960.0, 540.5)
    """
    parts = text.split(",")
    try:
        x, y = (float(p) for p in parts)
    except ValueError:
        raise LengthError(got=text) from None
    return x, y


def parse_points(text: str, count: int) -> list[tuple[float, float]]:
    """Several pixels, "x,y x,y …".

    >>> parse_points("0,0 10,0 10,5 0,5", 4)[2]
    (10.0, 5.0)
    """
    points = [parse_point(p) for p in text.replace(";", " ").split()]
    if len(points) != count:
        raise LengthError(got=text)
    return points
