"""Known outlines as points with normals. Pure numpy.

A piece is a centre, a turn and two half sizes: half the width across the front and half the depth. `turn` is the
direction of the depth axis (the facing, up to the outline's symmetry). Circles and hexes have one size: both halves alike.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Final

import numpy as np

from .found import Floats

__all__ = ["CIRCLE", "CORNER_SHARE", "HEX", "POINTS", "RECT", "SHAPES", "frame", "rotations", "unit_outline"]

CIRCLE, RECT, HEX = 0, 1, 2
SHAPES: Final = ("circle", "rect", "hex")

POINTS: Final = 72
"""Points on each outline: one every pixel on a 25 mm base at 1080p over a full table, 18 a side on a rectangle."""
CORNER_SHARE: Final = 0.06
"""Corners are rounded on real bases: this share of a side at each end is not looked at."""


@cache
def unit_outline(shape: int) -> tuple[Floats, Floats, Floats]:
    """For half sizes of one: points (K,2), normals (K,2), and how far each half size pushes a point outwards (K,2).

    >>> points, normals, pushes = unit_outline(RECT)
    >>> points.shape, np.abs(points).max().round(3), pushes[0].tolist()
    ((72, 2), np.float64(1.0), [0.0, 1.0])
    """
    if shape == CIRCLE:
        angle = (np.arange(POINTS) + 0.5) * 2 * np.pi / POINTS
        normals = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return normals.copy(), normals, np.stack([np.ones(POINTS), np.zeros(POINTS)], axis=1)
    sides = 4 if shape == RECT else 6
    per_side = POINTS // sides
    along = (CORNER_SHARE + (1 - 2 * CORNER_SHARE) * (np.arange(per_side) + 0.5) / per_side) * 2 - 1
    turn = np.arange(sides) * 2 * np.pi / sides + (np.pi / 2 if shape == RECT else 0.0)
    normals = np.repeat(np.stack([np.cos(turn), np.sin(turn)], axis=1), per_side, axis=0).round(12)
    tangent = np.stack([-normals[:, 1], normals[:, 0]], axis=1)
    half_side = 1.0 if shape == RECT else np.tan(np.pi / 6)
    points = normals + tangent * (np.tile(along, sides) * half_side)[:, None]
    pushes = (
        np.abs(normals).round(12) if shape == RECT else np.stack([np.ones(POINTS), np.zeros(POINTS)], axis=1)
    )
    return points, normals, pushes


def rotations(turn_rad: Floats) -> Floats:
    """Matrices taking (right, forward) to table axes: forward is the direction of the turn."""
    cos, sin = np.cos(turn_rad), np.sin(turn_rad)
    return np.stack([np.stack([sin, cos], axis=-1), np.stack([-cos, sin], axis=-1)], axis=-2)


def frame(turn_deg: float) -> Floats:
    """The same for one turn in degrees (2,2), without the cost of arrays of one."""
    turn = math.radians(turn_deg)
    cos, sin = math.cos(turn), math.sin(turn)
    return np.array([[sin, cos], [-cos, sin]])
