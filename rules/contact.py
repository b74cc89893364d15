"""Borders in contact: the edges of a block, stepped ones too, and the stretches along which two outlines touch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .footprint import Block
from .plane import Array, cross, gap, point_segment

__all__ = [
    "EDGES",
    "Border",
    "Stretch",
    "block_borders",
    "corner_hits",
    "corners_of",
    "ring_borders",
    "stretches",
]

EDGES = ("front", "left-flank", "rear", "right-flank")
"""The edges of a block in the order of their outward normals: the facing turned by 0, 90, 180, 270 degrees."""


@dataclass(frozen=True)
class Border:
    """A straight piece of an outline, a → b counter-clockwise, with its outward normal and the edge it belongs to."""

    edge: str
    a: Array
    b: Array
    normal: Array

    @property
    def along(self) -> Array:
        """Unit vector a → b."""
        out: Array = np.array([-self.normal[1], self.normal[0]])
        return out

    @property
    def length(self) -> float:
        return float(np.hypot(*(self.b - self.a)))


@dataclass(frozen=True)
class Stretch:
    """A common stretch of two borders."""

    mine: Border
    other: Border
    length: float


def block_borders(block: Block) -> list[Border]:
    """The borders of the ground a block covers; those inside a step belong to the edge they look towards.

    >>> block = Block((0, 0), 90, 10, 10, files=2, count=3)
    >>> [(b.edge, b.length) for b in block_borders(block)]
    [('front', 20.0), ('left-flank', 20.0), ('rear', 10.0), ('rear', 10.0), ('right-flank', 10.0), ('right-flank', 10.0)]
    """
    slots = set(block.slots)
    f, left = block.forward, block.left
    normals = (f, left, -f, -left)
    beside = ((-1, 0), (0, -1), (1, 0), (0, 1))  # the neighbour in front, to the left, behind, to the right
    out: list[Border] = []
    for edge, normal, (dr, df) in zip(EDGES, normals, beside, strict=True):
        open_ = [(r, c) for r, c in block.slots if (r + dr, c + df) not in slots]
        out += [_run(block, edge, normal, run) for run in _runs(open_, by_file=edge in ("front", "rear"))]
    return out


def _runs(slots: list[tuple[int, int]], by_file: bool) -> list[list[tuple[int, int]]]:
    """Neighbouring slots whose open sides form one straight line."""

    def key(slot: tuple[int, int]) -> tuple[int, int]:
        return slot if by_file else (slot[1], slot[0])

    runs: list[list[tuple[int, int]]] = []
    for slot in sorted(slots, key=key):
        line, place = key(slot)
        if runs and key(runs[-1][-1]) == (line, place - 1):
            runs[-1].append(slot)
        else:
            runs.append([slot])
    return runs


def _run(block: Block, edge: str, normal: Array, run: list[tuple[int, int]]) -> Border:
    centres = block.centre(np.array([s[0] for s in run]), np.array([s[1] for s in run]))
    flat = edge in ("front", "rear")
    out = (block.depth_mm if flat else block.width_mm) / 2
    half = (block.width_mm if flat else block.depth_mm) / 2
    along = np.array([-normal[1], normal[0]])
    reach = (centres @ along).min() - half, (centres @ along).max() + half
    base = normal * (float(centres[0] @ normal) + out)
    return Border(edge, base + along * reach[0], base + along * reach[1], normal)


def ring_borders(outline: Iterable[Sequence[float]], edge: str) -> list[Border]:
    """The sides of any outline, all of one edge."""
    ring = np.array([[p[0], p[1]] for p in outline], float)
    area = float((ring[:, 0] * np.roll(ring[:, 1], -1) - ring[:, 1] * np.roll(ring[:, 0], -1)).sum())
    if area < 0:
        ring = ring[::-1].copy()
    out = []
    for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        d = b - a
        size = float(np.hypot(*d))
        if size > 0:
            out.append(Border(edge, a, b, np.array([d[1], -d[0]]) / size))
    return out


def stretches(
    mine: Sequence[Border], others: Sequence[Border], gap_mm: float, angle_deg: float, least_mm: float
) -> list[Stretch]:
    """Pairs of borders that face each other along more than `least_mm`, no farther than `gap_mm`; longest first.

    >>> a = block_borders(Block((0, 0), 90, 10, 10))
    >>> b = block_borders(Block((4, 10), 270, 10, 10))
    >>> [(s.mine.edge, s.other.edge, s.length) for s in stretches(a, b, 1.0, 1.0, 1.0)]
    [('front', 'front', 6.0)]
    """
    facing = -np.cos(np.radians(angle_deg)) + 1e-12
    found = []
    for x in mine:
        for y in others:
            if float(x.normal @ y.normal) > facing:
                continue
            along = x.along
            low = max(float(x.a @ along), float(y.b @ along))
            high = min(float(x.b @ along), float(y.a @ along))
            if high - low <= least_mm:
                continue
            apart = float(gap(np.stack([x.a, x.b]), 0.0, np.stack([y.a, y.b]), 0.0, deep=False))
            if apart <= gap_mm:
                found.append(Stretch(x, y, high - low))
    return sorted(found, key=lambda s: -s.length)


def corners_of(borders: Sequence[Border]) -> list[tuple[Array, Border, Border]]:
    """Convex corners of an outline with the border that ends there and the one that begins there."""
    return [
        (x.b, x, y)
        for x in borders
        for y in borders
        if np.allclose(x.b, y.a, atol=1e-6) and float(cross(x.along, y.along)) > 1e-9
    ]


def corner_hits(
    borders: Sequence[Border], corners: Sequence[tuple[Array, Border, Border]], gap_mm: float, slack_mm: float
) -> list[tuple[Border, Array, float]]:
    """Borders that a corner of another outline touches away from their ends: (border, the corner, the gap)."""
    found = []
    for corner, _, _ in corners:
        for border in borders:
            d, foot = point_segment(corner, border.a, border.b)
            inner = min(np.hypot(*(foot - border.a)), np.hypot(*(foot - border.b))) > slack_mm
            if float(d) <= gap_mm and inner:
                found.append((border, corner, float(d)))
    return sorted(found, key=lambda hit: hit[2])
