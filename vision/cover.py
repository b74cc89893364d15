"""What the picture says of a block: it is slid to where its cells cover most of what looks like bases, and grown or cut.

Networks miss bases and make some up; a cell that looks like a base is one, one that looks like bare table is none, and one
in between is owned up to.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Final

import numpy as np

from .boxworth import SIDE_MORE, SIDE_SIGMA, SIDES, Cluster
from .found import Floats
from .ground import ALL, BASED, SURE_MOST, Looks
from .group import Block, Ints
from .outline import frame

__all__ = ["UNSEEN", "Cells", "grown", "touches"]

Cells = tuple[tuple[int, int], ...]

SHIFT_SHARE: Final = 0.45
SHIFT_MM: Final = (3.0, 1.0)
SLIDE_SHARE: Final = 0.15
"""How far, how finely and how readily (one standard deviation, in sides) a lattice is slid over what looks like bases."""
ROUNDS: Final = 3
GROW: Final = 3
WORTH_MM2: Final = 250.0
"""How much picture (mm² of colour that says "base" to e) counts as much as one box that does."""
ABSENT, MIDDLE, PRESENT = -0.6, -0.1, 0.35
"""What a cell looks like that is vacant, in between, and taken. On rendered tables 99 of 100 taken cells are over 0.69 and 99
of 100 vacant ones under 0.06; the lattice is never quite true, so the last two are lower, and below the first is no doubt."""
LOST: Final = -0.6
"""A box on a cell that looks like bare table is a phantom."""
OWN_SHARE: Final = 0.4
UNSEEN: Final = -1
MOST_SHARE: Final = 1.6
"""A block that would grow to more than this times the area of all boxes has run out over something of its colours."""
HALO_MM: Final = 5.0
"""Shadows and leaning figures make blocks look this much larger: what looks like a base so near is no reason for more."""
SHADE_MM: Final = 1.0
FIGURE_MM: Final = 12.0
"""How far a block is slid is another matter: towards the camera little hides the rim, and on the other side figures, so
tall, lean over the table."""
FOREIGN_SHARE, FOREIGN_ALIKE, FOREIGN_NEAR = 0.25, 0.08, 0.8
FOREIGN_SIDES: Final = 2.5
FOREIGN_AREA: Final = 2.2
FOREIGN_LEAST: Final = 3
"""Boxes of another unit of the same bases: so far off this lattice (in cells), off alike to so much, and over all cells so
near; boxes of the right size, and so many of them. A bad box of this unit is off in its own way."""
GAP_FILLED: Final = 0.8
"""Between skirmishers lies table: what looks more like a base than this stands close."""


def grown(cluster: Cluster, block: Block, looks: Looks) -> tuple[float, Block, Cells]:
    """The block with the cells that look taken, laid where its cells look most like bases, and the cells in doubt.

    The first number is what the picture says for it. Members that no box was found for are `UNSEEN`.
    """
    size, pitch = np.array(block.size_mm), np.array(block.pitch_mm)
    axes = frame(block.turn_deg)
    cells = block.cells
    start = first = block.at_mm @ axes
    boxed = {(int(x), int(y)) for x, y in block.cells}
    foreign = _foreign(cluster, block)
    told = dict[tuple[int, int], float]()
    boxes = float(np.ptp(cluster.quads_mm @ axes, axis=1).prod(axis=1).sum())
    most = MOST_SHARE * boxes / float(size.prod()) + 2
    for _ in range(ROUNDS):
        start = _slid(looks, start, first, cells, size, pitch)
        low, high = cells.min(axis=0) - GROW, cells.max(axis=0) + GROW
        near = [(x, y) for x in range(low[0], high[0] + 1) for y in range(low[1], high[1] + 1)]
        middles = start + np.array(near) * pitch
        value = looks.cells(middles, size)
        if block.gap_mm > 0:
            whole_cell, own = looks.mean(middles, pitch), looks.mean(middles, size)
            between = (whole_cell * pitch.prod() - own * size.prod()) / (pitch.prod() - size.prod())
            value = np.where(between > GAP_FILLED, -SURE_MOST, value)
        told = dict(zip(near, value.tolist(), strict=True))
        told.update((c, -SURE_MOST) for c in foreign if c in told and c not in boxed)
        grown = _flood(told, [(x, y) for x, y in cells.tolist()], boxed)
        if not grown or len(grown) > most:
            break
        new = np.array(sorted(grown), dtype=np.int64)
        if np.array_equal(new, cells):
            break
        cells = new
    taken = sorted((x, y) for x, y in cells.tolist())
    among = set(taken)
    doubt = tuple(c for c, v in told.items() if ABSENT < v < PRESENT and (c in among or touches(c, among)))
    at = start @ axes.T
    places = (cluster.at_mm - at) @ axes / pitch
    mine = np.rint(places).astype(np.int64)
    off = np.abs(places - mine).max(axis=1)
    owner: dict[tuple[int, int], int] = {}
    for k in np.argsort(off):
        if off[k] < OWN_SHARE:
            owner.setdefault((int(mine[k, 0]), int(mine[k, 1])), int(k))
    members = tuple(int(cluster.rows[owner[c]]) if c in owner else UNSEEN for c in taken)
    whole = Block(
        members, np.array(taken, dtype=np.int64), block.size_mm, block.pitch_mm, block.turn_deg, at, block.gap_mm
    )  # fmt: skip
    return float(_Silhouette(looks, whole.cells, size, pitch).says(start)), whole, doubt


def _foreign(cluster: Cluster, block: Block) -> set[tuple[int, int]]:
    """Cells where bases of this size stand, but on another lattice: three and more off this one, all by the same."""
    size, pitch, axes = np.array(block.size_mm), np.array(block.pitch_mm), frame(block.turn_deg)
    steps = (cluster.at_mm - block.at_mm) @ axes / pitch
    off = steps - np.rint(steps)
    side = (np.log(np.ptp(cluster.quads_mm @ axes, axis=1)) - SIDE_MORE - np.log(size)) / SIDE_SIGMA
    other = np.flatnonzero(
        (np.abs(off).max(axis=1) > FOREIGN_SHARE) & (np.abs(side).max(axis=1) < FOREIGN_SIDES)
    )
    apart = np.abs((off[other, None] - off[other] + 0.5) % 1 - 0.5).max(axis=2)
    other = other[(apart < FOREIGN_ALIKE).sum(axis=1) >= FOREIGN_LEAST]
    # What is covered by a box of more than two bases is another kind of base's.
    middles = cluster.quads_mm.mean(axis=1)
    large = np.flatnonzero(np.ptp(cluster.quads_mm @ axes, axis=1).prod(axis=1) > FOREIGN_AREA * size.prod())
    covered = {
        (int(x), int(y))
        for k in large
        for low, high in [
            _bounds((cluster.quads_mm[k] - middles[k]) * 0.8 + middles[k] - block.at_mm, axes, pitch)
        ]
        for x in range(low[0], high[0] + 1)
        for y in range(low[1], high[1] + 1)
    }
    return covered | {
        (int(x), int(y))
        for k in other
        for x in {np.floor(steps[k, 0]), np.ceil(steps[k, 0])}
        for y in {np.floor(steps[k, 1]), np.ceil(steps[k, 1])}
        if np.abs(steps[k] - (x, y)).max() < FOREIGN_NEAR
    }


def _bounds(quad_mm: Floats, axes: Floats, pitch: Floats) -> tuple[Ints, Ints]:
    """The first and last cells whose middles a quad covers."""
    steps = quad_mm @ axes / pitch
    return np.ceil(steps.min(axis=0)).astype(np.int64), np.floor(steps.max(axis=0)).astype(np.int64)


def _slid(looks: Looks, start: Floats, first: Floats, cells: Ints, size: Floats, pitch: Floats) -> Floats:
    """The start moved, along one axis after the other, to where the cells cover most of what looks like bases."""
    sigma = SLIDE_SHARE * size
    silhouette = _Silhouette(looks, cells, size, pitch, SHADE_MM, FIGURE_MM)
    for reach, step in ((SHIFT_SHARE, SHIFT_MM[0]), (0.0, SHIFT_MM[1])):
        for axis in (0, 1):
            steps = round(max(reach * float(size[axis]), SHIFT_MM[0]) / step)
            shifts = np.zeros((2 * steps + 1, 2))
            shifts[:, axis] = step * np.arange(-steps, steps + 1)
            starts = start + shifts
            says = silhouette.says(starts) - 0.5 * (((starts - first) / sigma) ** 2).sum(axis=1)
            start = starts[int(says.argmax())]
    return start


class _Silhouette:
    """How well cells cover what looks like bases: all of it, and no table.

    What looks like a base beyond a side is no reason for more bases as far as shadows reach, nor, on the side away from
    the camera, as far as figures lean over it.
    """

    def __init__(
        self,
        looks: Looks,
        cells: Ints,
        size: Floats,
        pitch: Floats,
        halo_mm: float = HALO_MM,
        figure_mm: float = 0.0,
    ) -> None:
        taken = [(x, y) for x, y in cells.tolist()]
        among = set(taken)
        free = [(*c, *way) for c in taken for way in SIDES if (c[0] + way[0], c[1] + way[1]) not in among]
        # A cell itself is a rectangle that lies no way from it.
        parts = np.array([(*c, 0, 0) for c in taken] + free, dtype=np.float64)
        cell, way = parts[:, :2], parts[:, 2:]
        halo = (halo_mm + figure_mm * np.maximum(0.0, -(way @ looks.lean)))[:, None]
        self._looks = looks
        self._middle = cell * pitch + way * (size + halo) / 2
        self._size = np.where(way != 0, halo, size)
        self._layer = np.where(way.any(axis=1), BASED, ALL)
        self._worth = self._size.prod(axis=1) / WORTH_MM2

    def says(self, start: Floats) -> Floats:
        """For each start (…,2) of the cells."""
        told = self._looks.mean(start[..., None, :] + self._middle, self._size, self._layer)
        return np.asarray(told @ self._worth)


def touches(cell: tuple[int, int], taken: Set[tuple[int, int]]) -> bool:
    return any((cell[0] + x, cell[1] + y) in taken for x, y in SIDES)


def _flood(
    told: dict[tuple[int, int], float], start: list[tuple[int, int]], boxed: set[tuple[int, int]]
) -> set[tuple[int, int]]:
    """The cells that look taken and hang together, from those that boxes were found on: the set with most boxes."""
    left = {c for c in start if told.get(c, 0.0) > LOST}
    best: set[tuple[int, int]] = set()
    while left:
        first = left.pop()
        out, queue = {first}, [first]
        while queue:
            x, y = queue.pop()
            for dx, dy in SIDES:
                cell = (x + dx, y + dy)
                if cell not in out and (cell in left or told.get(cell, -np.inf) > MIDDLE):
                    out.add(cell)
                    queue.append(cell)
        left -= out
        if len(out & boxed) > len(best & boxed):
            best = out
    return best
