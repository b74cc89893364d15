"""What the boxes of a cluster say for a lattice: each base size, turn and gap is a supposition, and they are weighed.

A box speaks for a supposition as far as its middle lies on a cell and its sides are a base's; a box that fits none is a
stray, and no more against one lattice than against another. Numbers only: the picture is not looked at here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from .found import Floats
from .group import Block, Ints, fit_turn
from .outline import frame

__all__ = ["SIDES", "SIDE_MORE", "SIDE_SIGMA", "Cluster", "Supposed", "boxes_worth", "component", "weigh"]

PLACE_SHARE: Final = 0.06
PLACE_MM: Final = 0.6
"""How far a box's middle is off its base's, one standard deviation: a share of the side, and a part of its own."""
SIDE_SIGMA: Final = 0.1
SIDE_MORE: Final = 0.04
"""How far a box's side is off, as a logarithm, and how much too long boxes are on the whole."""
SIDE_TAIL: Final = 3.0
STRAY: Final = 0.05
"""Likelihood of any place and size for a box that is no base of the lattice, beside that of a base on its cell."""
AREA_SHARE: Final = (0.3, 3.0)
TURN_APART_DEG: Final = 4.0
TURNS_MOST: Final = 4
SEEDS: Final = 3
UNSEEN_COST: Final = 2.0
SIDES: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))


@dataclass(frozen=True, eq=False)
class Cluster:
    rows: npt.NDArray[np.intp]
    at_mm: Floats
    quads_mm: Floats
    turn_deg: Floats
    score: Floats


@dataclass(frozen=True, eq=False)
class Supposed:
    """H suppositions: turn, size and gap of each, and where its cell (0, 0) lies in the turned frame."""

    turn_deg: Floats
    size_mm: Floats
    gap_mm: Floats
    start: Floats
    worth: Floats

    @property
    def pitch_mm(self) -> Floats:
        return np.asarray(self.size_mm + self.gap_mm[:, None])


def weigh(
    cluster: Cluster, rects: Sequence[tuple[float, float]], gaps_mm: Sequence[float]
) -> Supposed | None:
    turns = _turns(cluster)
    axes = np.stack([frame(t) for t in turns])
    local = np.einsum("ni,tij->jtn", cluster.at_mm, axes)
    extent = np.ptp(np.einsum("nci,tij->tncj", cluster.quads_mm, axes), axis=2)
    typical = float(np.median(extent[0].prod(axis=1)))
    both = [(a, b) for a, b in rects if AREA_SHARE[0] < a * b / typical < AREA_SHARE[1]]
    both += [(b, a) for a, b in both if a != b]
    if not both:
        return None
    # Suppositions (H) by turn, then by size, then by gap; the sides of a box have nothing to do with the gap.
    sides = _sides_worth(extent[:, None], np.array(both)[:, None]).reshape(-1, len(cluster.rows))
    likely = np.argsort(-(sides + np.log(cluster.score)), axis=1)[:, :SEEDS]
    sides, likely = np.repeat(sides, len(gaps_mm), axis=0), np.repeat(likely, len(gaps_mm), axis=0)
    place = np.repeat(local, len(both) * len(gaps_mm), axis=1)
    gap = np.tile(gaps_mm, len(turns) * len(both))
    size = np.tile(np.repeat(np.array(both).T, len(gaps_mm), axis=1), len(turns))[:, :, None]
    pitch = size + gap[:, None]
    sigma = PLACE_SHARE * size + PLACE_MM
    # Cells are found from the boxes that look most like a base of this size, then moved to where most boxes agree.
    best_worth = np.full(len(gap), -np.inf)
    best_start = np.zeros((len(gap), 2))
    rows = np.arange(len(gap))
    fit = np.exp(sides) * cluster.score
    for seed in range(likely.shape[1]):
        start = place[:, rows, likely[:, seed]][:, :, None]
        for widen in (2.0, 1.0, 1.0):
            miss = _miss(place - start, pitch)
            weight = fit * np.exp(-0.5 * ((miss / (widen * sigma)) ** 2).sum(axis=0)) + 1e-12
            start = start + ((weight * miss).sum(axis=2) / weight.sum(axis=1))[:, :, None]
        worth = _worth(place - start, pitch, sigma, sides, cluster.score).sum(axis=1)
        better = worth > best_worth
        best_worth[better], best_start[better] = worth[better], start[:, better, 0].T
    which = np.repeat(turns, len(both) * len(gaps_mm))
    return Supposed(which, np.ascontiguousarray(size[:, :, 0].T), gap, best_start, best_worth)


def _turns(cluster: Cluster) -> Floats:
    """The turns (up to a quarter) that most boxes share, best first."""
    turns = cluster.turn_deg % 90
    apart = np.abs((turns[:, None] - turns[None] + 45) % 90 - 45)
    support = (cluster.score * np.exp(-0.5 * (apart / 3.0) ** 2)).sum(axis=1)
    chosen: list[float] = []
    for k in np.argsort(-support):
        if all(abs((turns[k] - t + 45) % 90 - 45) > TURN_APART_DEG for t in chosen):
            near = apart[k] < TURN_APART_DEG
            off = (turns[near] - turns[k] + 45) % 90 - 45
            chosen.append(float(turns[k] + np.average(off, weights=cluster.score[near])))
        if len(chosen) == TURNS_MOST:
            break
    return np.array(chosen)


def _sides_worth(extent_mm: Floats, size_mm: Floats) -> Floats:
    """What the sides of boxes (…,2) say for a base of a size, as a logarithm with long tails."""
    off = (np.log(extent_mm) - SIDE_MORE - np.log(size_mm)) / SIDE_SIGMA
    return np.asarray(-SIDE_TAIL / 2 * np.log1p(off**2 / SIDE_TAIL).sum(axis=-1))


def _miss(place: Floats, pitch: Floats) -> Floats:
    """How far places lie off the next cell's middle."""
    step = place / pitch
    return np.asarray((step - np.rint(step)) * pitch)


def _worth(place: Floats, pitch: Floats, sigma: Floats, sides: Floats, score: Floats) -> Floats:
    """What boxes (…,N) at places (2,…,N) of a lattice say for it, against their standing anywhere: a logarithm of
    likelihoods."""
    z = (_miss(place, pitch) / sigma) ** 2
    sharp = pitch.prod(axis=0) / (2 * np.pi * sigma.prod(axis=0))
    ratio = sharp * np.exp(-0.5 * z.sum(axis=0) + sides)
    return np.asarray(score * np.log(STRAY + (1 - STRAY) * ratio))


def component(cluster: Cluster, supposed: Supposed, h: int, linked: bool) -> tuple[float, Block]:
    """The connected bases that say most for a supposition, as a block, and how much they say."""
    size, pitch, gap = supposed.size_mm[h], supposed.pitch_mm[h], float(supposed.gap_mm[h])
    turn = float(supposed.turn_deg[h])
    start = supposed.start[h] @ frame(turn).T
    sigma = PLACE_SHARE * size + PLACE_MM
    kept: Ints | None = None
    for _ in range(2):
        axes = frame(turn)
        place = (cluster.at_mm - start) @ axes
        extent = np.ptp(cluster.quads_mm @ axes, axis=1)
        sides = _sides_worth(extent, size)
        worth = _worth(place.T, pitch[:, None], sigma[:, None], sides, cluster.score)
        cells = np.rint(place / pitch).astype(np.int64)
        kept = _connected(cells, worth, linked)
        if len(kept) > 1:
            turn, start = fit_turn(cluster.at_mm[kept], cells[kept], pitch, turn)
    assert kept is not None
    block = Block(
        tuple(int(i) for i in cluster.rows[kept]),
        cells[kept],
        (float(size[0]), float(size[1])),
        (float(pitch[0]), float(pitch[1])),
        turn,
        start,
        gap,
    )
    return float(worth[kept].sum()), block


def _connected(cells: Ints, worth: Floats, linked: bool) -> npt.NDArray[np.intp]:
    """Boxes that fit, one to a cell; `linked`: only those of the connected cells that say most."""
    owner: dict[tuple[int, int], int] = {}
    for k in np.argsort(-worth):
        if worth[k] > 0:
            owner.setdefault((int(cells[k, 0]), int(cells[k, 1])), int(k))
    if not linked:
        return np.array(sorted(owner.values()), dtype=np.intp)
    best: list[int] = []
    best_worth = 0.0
    left = set(owner)
    while left:
        first = left.pop()
        group, queue = [first], [first]
        while queue:
            x, y = queue.pop()
            for dx, dy in SIDES:
                if (x + dx, y + dy) in left:
                    left.discard((x + dx, y + dy))
                    group.append((x + dx, y + dy))
                    queue.append((x + dx, y + dy))
        total = float(sum(worth[owner[c]] for c in group))
        if total > best_worth:
            best, best_worth = [owner[c] for c in group], total
    return np.array(sorted(best), dtype=np.intp)


def boxes_worth(cluster: Cluster, block: Block, at_mm: Floats) -> float:
    """What all boxes say for a block: one to a cell for it, the others against it, as is a cell without any.

    `at_mm` is where the boxes put it: figures that lean draw all of them the same way.
    """
    axes, pitch, size = frame(block.turn_deg), np.array(block.pitch_mm), np.array(block.size_mm)
    place = (cluster.at_mm - at_mm) @ axes
    sides = _sides_worth(np.ptp(cluster.quads_mm @ axes, axis=1), size)
    sigma = PLACE_SHARE * size + PLACE_MM
    worth = _worth(place.T, pitch[:, None], sigma[:, None], sides, cluster.score)
    stray = cluster.score * float(np.log(STRAY))
    taken = {(x, y) for x, y in block.cells.tolist()}
    gain: dict[tuple[int, int], float] = {}
    for (x, y), w, none in zip(np.rint(place / pitch).astype(np.int64).tolist(), worth, stray, strict=True):
        if (x, y) in taken:
            gain[x, y] = max(gain.get((x, y), 0.0), float(w - none))
    return float(stray.sum()) + sum(gain.values()) - UNSEEN_COST * (len(taken) - len(gain))
