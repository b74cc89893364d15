"""Which lattice do loose boxes stand on? All listed base sizes are weighed against all boxes of a cluster at once.

A network draws boxes around figures: one base of a block comes out too wide, its neighbour as two halves, a third not at
all. Box by box that gives another base size each time; together they leave one answer. Each base size, turn and gap is a
supposition, and a box speaks for it as far as its middle lies on a cell and its sides are a base's.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from regla.calibration import TableView
from regla.rules import GAMES

from .catalogue import Catalogue
from .found import Floats, Found
from .ground import SURE_MOST, Ground, Looks, ground_of
from .group import Block, Ints, _fit_turn
from .outline import frame

__all__ = ["UNSEEN", "Lattice", "read_lattices"]

LINK_SHARE: Final = 1.3
"""Boxes whose middles are nearer than this many times their mean long side, and a gap, may be neighbours."""
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
FINAL: Final = 7
CLEAR: Final = 1.5
"""How many suppositions are laid over the picture; one that so much speaks for (a box, as a logarithm) is the only one."""
STRANGE: Final = frozenset({"round-base", "tray", "standee", "token", "die", "cube", "hand"})
NEAR_MM: Final = 120.0
SHIFT_SHARE: Final = 0.45
SHIFT_MM: Final = (3.0, 1.0)
SLIDE_SHARE: Final = 0.15
"""How far, how finely and how readily (one standard deviation, in sides) a lattice is slid over what looks like bases."""
ROUNDS: Final = 3
GROW: Final = 3
WORTH_MM2: Final = 250.0
"""How much picture (mm² of colour that says "base" to e) counts as much as one box that does."""
ABSENT, MIDDLE, PRESENT = -0.6, -0.1, 0.35
"""What a cell looks like that is vacant, in between, and taken: measured on rendered tables, where 99 of 100 vacant cells
are under the first and 99 of 100 taken ones over the last."""
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
UNSEEN_COST: Final = 2.0
RIVAL: Final = 3.0
RIVAL_LEAST_MM: Final = 5.0
"""A block that this much less speaks for may still be the true one; sides nearer than this are the same side."""
FOREIGN_SHARE, FOREIGN_ALIKE, FOREIGN_NEAR = 0.25, 0.08, 0.8
FOREIGN_SIDES: Final = 2.5
FOREIGN_AREA: Final = 2.2
FOREIGN_LEAST: Final = 3
"""Boxes of another unit of the same bases: so far off this lattice (in cells), off alike to so much, and over all cells so
near; boxes of the right size, and so many of them. A bad box of this unit is off in its own way."""
GAP_FILLED: Final = 0.8
"""Between skirmishers lies table: what looks more like a base than this stands close."""
RARE_COST: Final = 3.0
GAP_COST: Final = 2.0
"""Sizes beside the game's own, and blocks with gaps, are that much less likely from the outset (as a logarithm)."""
SIDES: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))


@dataclass(frozen=True, eq=False)
class Lattice:
    """A block, and the cells in it and next to it of which the picture does not tell whether a base stands there.

    Members that no box was found for are `UNSEEN`. `rivals` are other blocks that almost as much speaks for.
    """

    block: Block
    doubt: tuple[tuple[int, int], ...]
    rivals: tuple[Block, ...] = ()

    @property
    def open_mm(self) -> Floats:
        """How far each side of the block's rectangle may really lie elsewhere (2,2): left and right, rear and front."""
        block = self.block
        size, pitch = np.array(block.size_mm), np.array(block.pitch_mm)
        sides = np.stack(
            [block.cells.min(axis=0) * pitch - size / 2, block.cells.max(axis=0) * pitch + size / 2]
        )
        off = np.zeros((2, 2))
        cells = {(x, y) for x, y in block.cells.tolist()}
        for other in (cells | set(self.doubt), cells - set(self.doubt)):
            if other:
                rows = np.array(sorted(other))
                low, high = rows.min(axis=0) * pitch - size / 2, rows.max(axis=0) * pitch + size / 2
                off = np.maximum(off, np.abs(np.stack([low, high]) - sides))
        for rival in self.rivals:
            corners = _cell_quads(rival, rival.cells).reshape(-1, 2)
            local = (corners - block.at_mm) @ frame(block.turn_deg)
            apart = np.abs(np.stack([local.min(axis=0), local.max(axis=0)]) - sides)
            off = np.maximum(off, np.where(apart > RIVAL_LEAST_MM, apart, 0.0))
        return np.asarray(off.T)


@dataclass(frozen=True, eq=False)
class _Cluster:
    rows: npt.NDArray[np.intp]
    at_mm: Floats
    quads_mm: Floats
    turn_deg: Floats
    score: Floats


@dataclass(frozen=True, eq=False)
class _Supposed:
    """H suppositions: turn, size and gap of each, and where its cell (0, 0) lies in the turned frame."""

    turn_deg: Floats
    size_mm: Floats
    gap_mm: Floats
    start: Floats
    worth: Floats

    @property
    def pitch_mm(self) -> Floats:
        return np.asarray(self.size_mm + self.gap_mm[:, None])


def read_lattices(
    image: npt.NDArray[Any],
    view: TableView,
    found: Sequence[Found],
    sizes: Catalogue,
    gaps_mm: Sequence[float] = (0.0,),
) -> list[Lattice]:
    """Blocks of two and more bases among the rectangular finds, and what the picture says of their cells."""
    rows = np.array([i for i, f in enumerate(found) if f.cls == "rect-base" and f.corners_px is not None])
    if len(rows) < 2:
        return []
    at = np.array([found[i].at_mm for i in rows])
    corners = np.array([found[i].corners_px for i in rows], dtype=np.float64)
    height = np.repeat([found[i].height_mm for i in rows], 4)
    quads = np.asarray(view.to_table(corners.reshape(-1, 2), height, sigma_px=0.0)[0], dtype=np.float64)
    quads = quads.reshape(-1, 4, 2)
    turn = np.array([found[i].turn_deg for i in rows])
    score = np.array([found[i].score for i in rows])
    strangers = [f.corners_px for f in found if f.cls in STRANGE and f.corners_px is not None]
    pixel = view.mm_per_px(at, float(height[0]))
    out: list[Lattice] = []
    for group in _clusters(at, quads, max(gaps_mm)):
        if len(group) < 2:
            continue
        rest = np.setdiff1d(np.arange(len(rows)), group)
        near = rest[np.hypot(*(at[rest, None] - at[group]).transpose(2, 0, 1)).min(axis=1) < NEAR_MM]
        others = np.array([*corners[near], *strangers]).reshape(-1, 4, 2)
        scale = float(np.median(pixel[group]))
        ground = ground_of(image, view, float(height[0]), corners[group], others, scale)
        left, first = group, len(out)
        while len(left) > 1:
            cluster = _Cluster(rows[left], at[left], quads[left], turn[left], score[left])
            best = _best(cluster, sizes, gaps_mm, ground)
            if best is None:
                break
            out.append(best)
            if ground is not None:
                ground = ground.without(_cell_quads(best.block, best.block.cells))
            inside = _inside(best.block, at[left])
            taken = set(best.block.members)
            left = np.array(
                [k for k, held in zip(left, inside, strict=True) if not held and rows[k] not in taken],
                dtype=np.intp,
            )
        out[first:] = [_with_strays(lattice, at[left]) for lattice in out[first:]]
    return out


def _with_strays(lattice: Lattice, at_mm: Floats) -> Lattice:
    """Boxes beside a block that belong to none may be bases of it, badly seen: their cells are in doubt."""
    block = lattice.block
    steps = (at_mm - block.at_mm) @ frame(block.turn_deg) / np.array(block.pitch_mm)
    taken = [(x, y) for x, y in block.cells.tolist()]
    near = {(x, y) for x, y in np.rint(steps).astype(np.int64).tolist() if _touches((x, y), taken)}
    return replace(lattice, doubt=tuple({*lattice.doubt, *near}))


def _cell_quads(block: Block, cells: Ints) -> Floats:
    corner = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * np.array(block.size_mm) / 2
    return np.asarray(block.centres_mm(cells)[:, None] + corner @ frame(block.turn_deg).T)


def _inside(block: Block, at_mm: Floats) -> npt.NDArray[np.bool_]:
    """Which places lie on a cell of the block."""
    taken = {tuple(c) for c in block.cells.tolist()}
    steps = (at_mm - block.at_mm) @ frame(block.turn_deg) / np.array(block.pitch_mm)
    return np.array([tuple(c) in taken for c in np.rint(steps).astype(np.int64).tolist()], dtype=bool)


def _clusters(at: Floats, quads: Floats, gap_mm: float) -> list[npt.NDArray[np.intp]]:
    long = np.hypot(*np.ptp(quads, axis=1).T) / 2**0.5
    apart = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
    near = apart < LINK_SHARE * (long[:, None] + long[None]) / 2 + gap_mm
    groups, seen = [], np.zeros(len(at), dtype=bool)
    for n in range(len(at)):
        if seen[n]:
            continue
        group, queue = [], deque([n])
        seen[n] = True
        while queue:
            k = queue.popleft()
            group.append(k)
            new = np.flatnonzero(near[k] & ~seen)
            seen[new] = True
            queue.extend(int(j) for j in new)
        groups.append(np.array(sorted(group), dtype=np.intp))
    return groups


def _turns(cluster: _Cluster) -> Floats:
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


def _best(
    cluster: _Cluster,
    sizes: Catalogue,
    gaps_mm: Sequence[float],
    ground: Ground | None,
) -> Lattice | None:
    usual = {tuple(sorted(size)) for size in GAMES[sizes.game].bases_mm}
    supposed = _weigh(cluster, sizes.rects_mm, gaps_mm)
    if supposed is None:
        return None
    looks: dict[float, Looks] = {}
    weighed: list[tuple[float, Lattice]] = []
    clear = False
    for h in _distinct(supposed):
        worth, block = _component(cluster, supposed, h, ground is None)
        if len(block.cells) < (1 if ground is not None else 2):
            continue
        if ground is None:
            whole = Lattice(block, ())
        else:
            # Turns a degree apart share one layout: a cell's corner is then off by a fifth of a millimetre.
            key = round(block.turn_deg, 0)
            if key not in looks:
                local = cluster.quads_mm.reshape(-1, 2) @ frame(block.turn_deg)
                looks[key] = ground.turned(block.turn_deg, local.min(axis=0), local.max(axis=0))
            seen, whole = _grown(cluster, block, looks[key])
            boxes = _boxes_worth(cluster, whole.block, block.at_mm)
            worth = boxes + seen
            clear = not weighed and not whole.doubt and boxes > CLEAR * float(cluster.score.sum())
        worth -= RARE_COST * (tuple(sorted(block.size_mm)) not in usual) + GAP_COST * (block.gap_mm > 0)
        weighed.append((worth, whole))
        if clear:
            break
    if not weighed:
        return None
    worth, best = max(weighed, key=lambda w: w[0])
    if len(best.block.cells) < 2:
        return None
    rivals = tuple(other.block for w, other in weighed if other is not best and w > worth - RIVAL)
    return _upright(replace(best, rivals=rivals))


def _distinct(supposed: _Supposed) -> list[int]:
    """The best supposition of each size and gap, best first."""
    chosen: dict[tuple[float, ...], int] = {}
    for h in np.argsort(-supposed.worth):
        short, long = sorted(supposed.size_mm[h])
        chosen.setdefault((short, long, float(supposed.gap_mm[h])), int(h))
    return list(chosen.values())[:FINAL]


def _grown(cluster: _Cluster, block: Block, looks: Looks) -> tuple[float, Lattice]:
    """The block with the cells that look taken, laid where its cells look most like bases."""
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
        grid = np.stack(
            np.meshgrid(np.arange(low[0], high[0] + 1), np.arange(low[1], high[1] + 1), indexing="ij"), -1
        ).reshape(-1, 2)
        value = looks.cells(start + grid * pitch, size)
        if block.gap_mm > 0:
            whole_cell, own = looks.mean(start + grid * pitch, pitch), looks.mean(start + grid * pitch, size)
            between = (whole_cell * pitch.prod() - own * size.prod()) / (pitch.prod() - size.prod())
            value = np.where(between > GAP_FILLED, -SURE_MOST, value)
        told = {(x, y): v for (x, y), v in zip(grid.tolist(), value.tolist(), strict=True)}
        told = {c: -SURE_MOST if c in foreign and c not in boxed else v for c, v in told.items()}
        grown = _flood(told, [(x, y) for x, y in cells.tolist()], boxed)
        if not grown or len(grown) > most:
            break
        new = np.array(sorted(grown), dtype=np.int64)
        if np.array_equal(new, cells):
            break
        cells = new
    taken = sorted((x, y) for x, y in cells.tolist())
    doubt = tuple(c for c, v in told.items() if ABSENT < v < PRESENT and (c in taken or _touches(c, taken)))
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
    seen = float(_silhouette(looks, start[None], whole.cells, size, pitch)[0])
    return seen, Lattice(whole, doubt)


def _foreign(cluster: _Cluster, block: Block) -> set[tuple[int, int]]:
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
    for reach, step in ((SHIFT_SHARE, SHIFT_MM[0]), (0.0, SHIFT_MM[1])):
        for axis in (0, 1):
            far = max(reach * float(size[axis]), SHIFT_MM[0])
            shifts = np.zeros((2 * round(far / step) + 1, 2))
            shifts[:, axis] = step * np.arange(-round(far / step), round(far / step) + 1)
            says = _silhouette(looks, start + shifts, cells, size, pitch, SHADE_MM, FIGURE_MM)
            says = says - 0.5 * (((start + shifts - first) / sigma) ** 2).sum(axis=1)
            start = start + shifts[int(says.argmax())]
    return start


def _silhouette(
    looks: Looks,
    starts: Floats,
    cells: Ints,
    size: Floats,
    pitch: Floats,
    halo_mm: float = HALO_MM,
    figure_mm: float = 0.0,
) -> Floats:
    """How well the cells cover what looks like bases, for each start: all of it, and no table.

    What looks like a base beyond a side is no reason for more bases as far as shadows reach, nor, on the side away from
    the camera, as far as figures lean over it.
    """
    taken = {(x, y) for x, y in cells.tolist()}
    free = [(c, way) for c in taken for way in SIDES if (c[0] + way[0], c[1] + way[1]) not in taken]
    total = looks.mean(starts[:, None] + cells * pitch, size).sum(axis=1) * size.prod()
    if free:
        way = np.array([w for _, w in free], dtype=np.float64)
        halo = (halo_mm + figure_mm * np.maximum(0.0, -(way @ looks.lean)))[:, None]
        middle = np.array([c for c, _ in free]) * pitch + way * (size + halo) / 2
        sides = np.where(way != 0, halo, size)
        total = total + (looks.halo(starts[:, None] + middle, sides) * sides.prod(axis=1)).sum(axis=1)
    return np.asarray(total / WORTH_MM2)


def _touches(cell: tuple[int, int], taken: Sequence[tuple[int, int]]) -> bool:
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


def _boxes_worth(cluster: _Cluster, block: Block, at_mm: Floats) -> float:
    """What all boxes say for a block: one to a cell for it, the others against it, as is a cell without any.

    `at_mm` is where the boxes put it: figures that lean draw all of them the same way.
    """
    axes, pitch, size = frame(block.turn_deg), np.array(block.pitch_mm), np.array(block.size_mm)
    place = (cluster.at_mm - at_mm) @ axes
    off = (np.log(np.ptp(cluster.quads_mm @ axes, axis=1)) - SIDE_MORE - np.log(size)) / SIDE_SIGMA
    sides = -SIDE_TAIL / 2 * np.log1p(off**2 / SIDE_TAIL).sum(axis=1)
    sigma = PLACE_SHARE * size + PLACE_MM
    worth = _worth(place[None], np.zeros((1, 2)), pitch[None], sigma[None], sides[None], cluster.score)[0]
    stray = cluster.score * float(np.log(STRAY))
    taken = {(x, y) for x, y in block.cells.tolist()}
    gain: dict[tuple[int, int], float] = {}
    for (x, y), w, none in zip(np.rint(place / pitch).astype(np.int64).tolist(), worth, stray, strict=True):
        if (x, y) in taken:
            gain[x, y] = max(gain.get((x, y), 0.0), float(w - none))
    return float(stray.sum()) + sum(gain.values()) - UNSEEN_COST * (len(taken) - len(gain))


def _upright(lattice: Lattice) -> Lattice:
    """The same with the short side of its bases across: oblong bases stand with it to the front."""
    block = lattice.block
    if block.size_mm[0] <= block.size_mm[1]:
        return lattice
    cells = np.column_stack([-block.cells[:, 1], block.cells[:, 0]])
    turned = Block(
        block.members, cells, block.size_mm[::-1], block.pitch_mm[::-1], block.turn_deg - 90, block.at_mm,
        block.gap_mm,
    )  # fmt: skip
    return Lattice(turned, tuple((-y, x) for x, y in lattice.doubt), lattice.rivals)


def _weigh(
    cluster: _Cluster, rects: Sequence[tuple[float, float]], gaps_mm: Sequence[float]
) -> _Supposed | None:
    turns = _turns(cluster)
    axes = np.stack([frame(t) for t in turns])
    local = np.einsum("ni,tij->tnj", cluster.at_mm, axes)
    extent = np.ptp(np.einsum("nci,tij->tncj", cluster.quads_mm, axes), axis=2)
    typical = float(np.median(extent[0].prod(axis=1)))
    both = [(a, b) for a, b in rects if AREA_SHARE[0] < a * b / typical < AREA_SHARE[1]]
    both += [(b, a) for a, b in both if a != b]
    if not both:
        return None
    grid = [(t, k, g) for t in range(len(turns)) for k in range(len(both)) for g in gaps_mm]
    which = np.array([t for t, _, _ in grid])
    size = np.array([both[k] for _, k, _ in grid])
    gap = np.array([g for _, _, g in grid])
    pitch = size + gap[:, None]
    off = (np.log(extent[which]) - SIDE_MORE - np.log(size)[:, None]) / SIDE_SIGMA
    sides = -SIDE_TAIL / 2 * np.log1p(off**2 / SIDE_TAIL).sum(axis=2)
    place = local[which]
    sigma = PLACE_SHARE * size + PLACE_MM
    # Cells are found from the boxes that look most like a base of this size, then moved to where most boxes agree.
    likely = np.argsort(-(sides + np.log(cluster.score)), axis=1)[:, :SEEDS]
    best_worth = np.full(len(grid), -np.inf)
    best_start = np.zeros((len(grid), 2))
    rows = np.arange(len(grid))
    fit = np.exp(sides) * cluster.score
    for seed in range(likely.shape[1]):
        start = place[rows, likely[:, seed]]
        for widen in (2.0, 1.0, 1.0):
            miss = _miss(place, start, pitch)
            weight = fit * np.exp(-0.5 * ((miss / (widen * sigma)[:, None]) ** 2).sum(axis=2)) + 1e-12
            start = start + (weight[:, :, None] * miss).sum(axis=1) / weight.sum(axis=1)[:, None]
        worth = _worth(place, start, pitch, sigma, sides, cluster.score).sum(axis=1)
        better = worth > best_worth
        best_worth[better], best_start[better] = worth[better], start[better]
    return _Supposed(turns[which], size, gap, best_start, best_worth)


def _miss(place: Floats, start: Floats, pitch: Floats) -> Floats:
    step = (place - start[:, None]) / pitch[:, None]
    return np.asarray((step - np.rint(step)) * pitch[:, None])


def _worth(
    place: Floats, start: Floats, pitch: Floats, sigma: Floats, sides: Floats, score: Floats
) -> Floats:
    """What each box says for each supposition (H,N), against its standing anywhere: a logarithm of likelihoods."""
    z = (_miss(place, start, pitch) / sigma[:, None]) ** 2
    sharp = pitch.prod(axis=1) / (2 * np.pi * sigma.prod(axis=1))
    ratio = sharp[:, None] * np.exp(-0.5 * z.sum(axis=2) + sides)
    return np.asarray(score * np.log(STRAY + (1 - STRAY) * ratio))


def _component(cluster: _Cluster, supposed: _Supposed, h: int, linked: bool) -> tuple[float, Block]:
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
        off = (np.log(extent) - SIDE_MORE - np.log(size)) / SIDE_SIGMA
        sides = -SIDE_TAIL / 2 * np.log1p(off**2 / SIDE_TAIL).sum(axis=1)
        worth = _worth(place[None], np.zeros((1, 2)), pitch[None], sigma[None], sides[None], cluster.score)[0]
        cells = np.rint(place / pitch).astype(np.int64)
        kept = _connected(cells, worth, linked)
        if len(kept) > 1:
            turn, start = _fit_turn(cluster.at_mm[kept], cells[kept], pitch, turn)
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
