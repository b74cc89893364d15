"""Loose bases that touch in ranks and files become blocks. Numpy and shapely, no pictures.

A block is a lattice: one base size, one turn, whole numbers for each base. Finding it also mends what single finds get
wrong: each base's place is better known from all its neighbours than from its own outline, and a base that was missed
in the middle of a block shows as a hole.
"""

from __future__ import annotations

import cmath
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

import numpy as np
import numpy.typing as npt
import shapely

from .found import Floats, Found
from .outline import frame, rotations

__all__ = ["Block", "Ranks", "find_blocks", "fit_turn", "linked_groups", "ranks_of", "solid"]

Ints = npt.NDArray[np.int64]

TOUCH_SHARE: Final = 0.22
"""Neighbours' centres lie one base apart, give or take this share of it: pushed together by hand, seen to a pixel."""
TURN_DEG: Final = 14.0
"""Two bases of one block differ less in turn than this, as seen singly; small bases are seen to a few degrees."""
SIZE_SHARE: Final = 0.2
LEAST_MM: Final = 3.5
SOLID: Final = frozenset({"round-base", "rect-base", "tray"})
OVERLAP: Final = 0.4
"""Two bases whose outlines share more of the smaller one than this cannot both be there."""
RING_SHARE: Final = 3 / np.pi
"""A circle is laid on the table with twelve corners: so much of its area is left."""
LISTED_WORTH: Final = 0.15
"""A find of a listed size is that much surer than its score says."""
GROW_SHARE: Final = 0.28
GROW_DEG: Final = 6.0
GROW_AREA: Final = (0.45, 1.7)
"""How far from a lattice cell (in bases), in which turn and in which share of its area a base may have been seen and
still belong to the block that it stands against."""


@dataclass(frozen=True, eq=False)
class Block:
    """Bases on a lattice: `cells` (n,2) are whole steps to the right and forward of the turn `turn_deg` (up to symmetry).

    `members` are indices into the finds, row by row of `cells`. `at_mm` is the place of cell (0, 0).
    """

    members: tuple[int, ...]
    cells: Ints
    size_mm: tuple[float, float]
    pitch_mm: tuple[float, float]
    turn_deg: float
    at_mm: Floats
    gap_mm: float = 0.0

    def centres_mm(self, cells: npt.ArrayLike) -> Floats:
        turn = frame(self.turn_deg)
        return np.asarray(self.at_mm + (np.asarray(cells, dtype=np.float64) * self.pitch_mm) @ turn.T)


def solid(found: Sequence[Found]) -> list[Found]:
    """Only what can stand there together: bases are solid, so of two that overlap one was not there.

    Networks give fragments of a large base, and a base and its figure as two; the surer one stays.
    """
    rows = [i for i, f in enumerate(found) if f.cls in SOLID]
    if len(rows) < 2:
        return list(found)
    worth = np.array([found[i].score + (LISTED_WORTH if found[i].snapped else 0.0) for i in rows])
    # Those whose upright boxes share too little cannot share more: bases in ranks only touch, and are not clipped.
    at = np.array([found[i].at_mm for i in rows])
    half = np.array([(found[i].size_mm[0], found[i].size_mm[-1]) for i in rows]) / 2
    reach = np.einsum("nij,nj->ni", np.abs(rotations(np.radians([found[i].turn_deg for i in rows]))), half)
    both = np.minimum(
        2 * np.minimum(reach[:, None], reach), reach[:, None] + reach - np.abs(at[:, None] - at)
    )
    area = RING_SHARE * np.array([found[i].area_mm2 for i in rows])
    near = np.maximum(both, 0.0).prod(axis=2) > OVERLAP * np.minimum(area[:, None], area)
    one, two = np.nonzero(np.triu(near, 1))
    shapes = {k: shapely.Polygon(_ring(found[rows[k]])) for k in {*one.tolist(), *two.tolist()}}
    clash = [
        (x, y)
        for x, y in zip(one.tolist(), two.tolist(), strict=True)
        if shapes[x].intersection(shapes[y]).area > OVERLAP * min(shapes[x].area, shapes[y].area)
    ]
    rivals: dict[int, list[int]] = {}
    for x, y in clash:
        rivals.setdefault(x, []).append(y)
        rivals.setdefault(y, []).append(x)
    gone: set[int] = set()
    for k in np.argsort(-worth, kind="stable"):
        if int(k) not in gone:
            gone.update(j for j in rivals.get(int(k), ()))
    lost = {rows[k] for k in gone}
    return [f for i, f in enumerate(found) if i not in lost]


def _ring(f: Found) -> Floats:
    if f.shape == "circle":
        angle = np.arange(12) * np.pi / 6
        return np.asarray(f.at_mm + f.size_mm[0] / 2 * np.column_stack([np.cos(angle), np.sin(angle)]))
    turn = frame(f.turn_deg)
    half = np.array([f.size_mm[0], f.size_mm[-1]]) / 2
    return np.asarray(f.at_mm + (np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * half) @ turn.T)


def find_blocks(found: Sequence[Found], gaps_mm: Sequence[float] = (0.0,)) -> list[Block]:
    """All blocks of two or more among rectangular finds; `gaps_mm` are the distances at which bases may stand."""
    blocks: list[Block] = []
    free = {i for i, f in enumerate(found) if f.shape == "rect" and f.cls in ("rect-base", "tray")}
    for gap in gaps_mm:
        new = []
        for group in _touching(found, sorted(free), gap):
            block = _lattice(found, group, gap)
            if block is not None and len(block.members) > 1:
                new.append(block)
                free -= set(block.members)
        blocks += _grown(found, new, free, gap)
    return blocks


def _grown(found: Sequence[Found], blocks: list[Block], free: set[int], gap_mm: float) -> list[Block]:
    """Blocks with what stands on their lattice next to them, though it was seen in another size or turn by itself."""
    out: list[Block] = []
    waiting = sorted(blocks, key=lambda b: -len(b.members))
    while waiting:
        block = waiting.pop(0)
        changed = True
        while changed:
            changed = False
            for other in list(waiting):
                cells = _cells_of(block, np.array([found[i].at_mm for i in other.members]))
                if _same_base(block, other) and cells is not None and _fits(block, cells):
                    waiting.remove(other)
                    block = _refit(found, block, other.members, gap_mm)
                    changed = True
            for i in sorted(free):
                if found[i].cls != found[block.members[0]].cls or not _may_be(block, found[i]):
                    continue
                cells = _cells_of(block, found[i].at_mm[None])
                if cells is not None and _fits(block, cells):
                    free.discard(i)
                    block = _refit(found, block, (i,), gap_mm)
                    changed = True
        out.append(block)
    return out


def _cells_of(block: Block, places: Floats) -> Ints | None:
    """The lattice cells at these places; None when one of them lies between cells."""
    axes = frame(block.turn_deg)
    steps = (places - block.at_mm) @ axes / np.array(block.pitch_mm)
    cells = np.rint(steps).astype(np.int64)
    return cells if float(np.abs(steps - cells).max()) < GROW_SHARE else None


def _fits(block: Block, cells: Ints) -> bool:
    """Whether the cells are free and touch the block."""
    taken = {tuple(c) for c in block.cells.tolist()}
    new = [tuple(c) for c in cells.tolist()]
    if any(c in taken for c in new):
        return False
    return any((c[0] + x, c[1] + y) in taken for c in new for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)))


def _same_base(a: Block, b: Block) -> bool:
    alike = all(
        abs(x / y - 1) < SIZE_SHARE for x, y in zip(sorted(a.size_mm), sorted(b.size_mm), strict=True)
    )
    apart = abs((a.turn_deg - b.turn_deg + 45) % 90 - 45)
    return alike and apart < GROW_DEG


def _may_be(block: Block, f: Found) -> bool:
    """Whether a find, badly measured, can be one more base of the block."""
    share = f.area_mm2 / (block.size_mm[0] * block.size_mm[1])
    return GROW_AREA[0] < share < GROW_AREA[1]


def _refit(found: Sequence[Found], block: Block, more: Sequence[int], gap_mm: float) -> Block:
    members = (*block.members, *more)
    places = np.array([found[i].at_mm for i in members])
    cells = _cells_of(block, places)
    if cells is None:
        axes = frame(block.turn_deg)
        cells = np.rint((places - block.at_mm) @ axes / np.array(block.pitch_mm)).astype(np.int64)
    turn, start = fit_turn(places, cells, np.array(block.pitch_mm), block.turn_deg)
    return Block(members, cells, block.size_mm, block.pitch_mm, turn, start, gap_mm)


def _touching(found: Sequence[Found], free: list[int], gap_mm: float) -> list[list[int]]:
    """Groups of finds linked edge to edge."""
    if len(free) < 2:
        return []
    linked = _neighbours([found[i] for i in free], gap_mm)
    return [[free[k] for k in group] for group in linked_groups(linked) if len(group) > 1]


def linked_groups(linked: npt.NDArray[np.bool_]) -> list[list[int]]:
    """Who hangs together, directly or through others, of a table of links (N,N); everybody is in one group.

    >>> linked_groups(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    [[0, 2], [1]]
    """
    groups, seen = [], np.zeros(len(linked), dtype=bool)
    for n in range(len(linked)):
        if seen[n]:
            continue
        group, queue = [], deque([n])
        seen[n] = True
        while queue:
            k = queue.popleft()
            group.append(k)
            new = np.flatnonzero(linked[k] & ~seen)
            seen[new] = True
            queue.extend(int(j) for j in new)
        groups.append(group)
    return groups


def _neighbours(found: Sequence[Found], gap_mm: float) -> npt.NDArray[np.bool_]:
    """Which finds stand edge to edge (N,N): alike in class, size and turn, one base apart along one of its axes."""
    places = np.array([f.at_mm for f in found])
    sizes = np.array([f.size_mm for f in found])
    kinds = np.array([f.cls for f in found])
    turns = np.array([f.turn_deg for f in found])
    way = places[None] - places[:, None]
    near = np.hypot(way[..., 0], way[..., 1]) < 1.5 * (sizes.max(axis=1) + gap_mm)[:, None]
    one, two = np.nonzero(np.triu(near & (kinds[:, None] == kinds[None]), 1))
    linked = np.zeros((len(found), len(found)), dtype=bool)
    if not len(one):
        return linked
    a, b = sizes[one], sizes[two]
    period = np.where(np.abs(a[:, 0] - a[:, 1]) < 0.15 * a[:, 1], 90.0, 180.0)
    apart = (turns[two] - turns[one] + period / 2) % period - period / 2
    turn = np.radians(turns[one] + apart / 2)
    step = way[one, two]
    x = np.abs(step[:, 0] * np.sin(turn) - step[:, 1] * np.cos(turn))
    y = np.abs(step[:, 0] * np.cos(turn) + step[:, 1] * np.sin(turn))
    side = (a + b) / 2 + gap_mm
    slack = np.maximum(LEAST_MM, TOUCH_SHARE * side)
    beside = (np.abs(x - side[:, 0]) < slack[:, 0]) & (y < slack[:, 1])
    behind = (np.abs(y - side[:, 1]) < slack[:, 1]) & (x < slack[:, 0])
    alike = (np.abs(a / b - 1).max(axis=1) <= SIZE_SHARE) & (np.abs(apart) <= TURN_DEG)
    good = alike & (beside | behind)
    linked[one[good], two[good]] = linked[two[good], one[good]] = True
    return linked


def _lattice(found: Sequence[Found], group: list[int], gap_mm: float) -> Block | None:
    """Whole numbers for each base, then the turn and place that fit all of them best."""
    sizes = np.array([found[i].size_mm for i in group])
    size = _common_size(found, group, sizes)
    pitch = np.array([size[0] + gap_mm, size[1] + gap_mm])
    period = 90.0 if abs(size[0] - size[1]) < 0.15 * size[1] else 180.0
    angles = np.radians([found[i].turn_deg * 360 / period for i in group])
    turn = float(np.degrees(np.arctan2(np.median(np.sin(angles)), np.median(np.cos(angles))))) * period / 360
    places = np.array([found[i].at_mm for i in group])
    cells = _number(places, pitch, turn)
    start = places[0]
    keep = np.ones(len(group), dtype=bool)
    for _ in range(2):
        turn, start = fit_turn(places[keep], cells[keep], pitch, turn)
        axes = frame(turn)
        steps = (places - start) @ axes / pitch
        cells = np.rint(steps).astype(np.int64)
        keep = np.max(np.abs(steps - cells) * pitch, axis=1) < np.maximum(LEAST_MM, 0.3 * pitch.min())
        if keep.sum() < 2:
            return None
    _, first = np.unique(cells, axis=0, return_index=True)
    chosen = [k for k in sorted(first) if keep[k]]
    members = tuple(group[k] for k in chosen)
    return Block(
        members, cells[chosen], (size[0], size[1]), (float(pitch[0]), float(pitch[1])), turn, start, gap_mm
    )


def _common_size(found: Sequence[Found], group: list[int], sizes: Floats) -> tuple[float, float]:
    listed = [found[i].size_mm for i in group if found[i].snapped]
    if listed:
        best = max(set(listed), key=listed.count)
        return best[0], best[1]
    width, depth = np.median(sizes, axis=0)
    return float(width), float(depth)


def _number(places: Floats, pitch: Floats, turn_deg: float) -> Ints:
    """Step from neighbour to neighbour, so that a small error of turn or pitch does not add up across the block."""
    axes = frame(turn_deg)
    local = places @ axes
    cells = np.zeros((len(places), 2), dtype=np.int64)
    done, queue = {0}, deque([0])
    while queue:
        k = queue.popleft()
        steps = (local - local[k]) / pitch
        whole = np.rint(steps).astype(np.int64)
        near = (np.abs(whole).sum(axis=1) == 1) & (np.abs(steps - whole).max(axis=1) < 0.4)
        for j in np.flatnonzero(near):
            if int(j) not in done:
                done.add(int(j))
                cells[j] = cells[k] + whole[j]
                queue.append(int(j))
    for rest in set(range(len(places))) - done:
        cells[rest] = np.rint((local[rest] - local[0]) / pitch).astype(np.int64)
    return cells


def fit_turn(places: Floats, cells: Ints, pitch: Floats, turn_deg: float) -> tuple[float, Floats]:
    """The rigid move that takes the lattice onto the places (Procrustes), robust to a few bad ones."""
    # As complex numbers: a turn is then one factor.
    model = np.ascontiguousarray((cells * pitch) @ frame(turn_deg).T).view(np.complex128)[:, 0]
    seen = np.array(places, dtype=np.float64).view(np.complex128)[:, 0]
    weight = np.ones(len(seen))
    turn, start = 1 + 0j, seen[0]
    for _ in range(3):
        total = weight.sum()
        a, b = (weight @ model) / total, (weight @ seen) / total
        way = complex(np.vdot(weight * (model - a), seen - b))
        turn = way / abs(way) if way else 1 + 0j
        start = b - turn * a
        miss = np.abs(seen - turn * model - start)
        weight = 1 / (1 + (miss / max(0.7, 1.5 * median(miss.tolist()))) ** 2)
    return turn_deg + math.degrees(cmath.phase(turn)), np.array([start.real, start.imag])


@dataclass(frozen=True)
class Ranks:
    """A block as its game counts it, once the front is known: rank 1 in front, file 1 on its own left."""

    files: int
    ranks: int
    count: int
    facing_deg: float
    size_mm: tuple[float, float]
    centre: tuple[float, float]
    """The middle of the full rectangle, in cells of the block's lattice."""
    rear: tuple[int, ...] | None
    """Files of the last rank that are taken, where they are not simply the first ones."""
    holes: int
    odd: int
    """Bases missing in ranks that should be full: a block that really stands so is none."""


def ranks_of(block: Block, quarter: int) -> Ranks:
    """Count the block with its front `quarter` quarter turns (counter-clockwise) from the lattice's forward.

    A hole in the midst of a block is a base that was not seen; what the last rank lacks are casualties.
    """
    forward = [(0, 1), (-1, 0), (0, -1), (1, 0)][quarter % 4]
    right = (forward[1], -forward[0])
    cells = block.cells
    depth = cells @ np.array(forward)
    across = cells @ np.array(right)
    front, back = int(depth.max()), int(depth.min())
    left, end = int(across.min()), int(across.max())
    files, ranks = end - left + 1, front - back + 1
    taken = {(int(front - d), int(a - left)) for d, a in zip(depth, across, strict=True)}
    last = sorted(a + 1 for r, a in taken if r == ranks - 1)
    full = sum((r, a) in taken for r in range(ranks - 1) for a in range(files))
    missing = files * (ranks - 1) - full
    enclosed = sum(
        1
        for r in range(ranks - 1)
        for a in range(files)
        if (r, a) not in taken
        and sum(n in taken for n in ((r - 1, a), (r + 1, a), (r, a - 1), (r, a + 1))) >= 3
    )
    if ranks == 1:
        # One rank: gaps between its ends are bases that were not seen.
        count, rear, holes, odd = files, None, files - len(last), 0
    else:
        count = files * (ranks - 1) + len(last)
        rear = None if last == list(range(1, len(last) + 1)) else tuple(last)
        holes = missing
        odd = missing - enclosed
    size = block.size_mm if quarter % 2 == 0 else (block.size_mm[1], block.size_mm[0])
    middle_depth, middle_across = (front + back) / 2, (left + end) / 2
    centre = (
        middle_depth * forward[0] + middle_across * right[0],
        middle_depth * forward[1] + middle_across * right[1],
    )
    return Ranks(
        files, ranks, count, (block.turn_deg + 90 * quarter) % 360, size, centre, rear, holes, max(0, odd)
    )
