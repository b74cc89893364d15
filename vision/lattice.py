"""Which lattice do loose boxes stand on? All listed base sizes are weighed against all boxes of a cluster at once.

A network draws boxes around figures: one base of a block comes out too wide, its neighbour as two halves, a third not at
all. Box by box that gives another base size each time; together they leave one answer. `boxworth` is what the boxes say for
each supposition, `cover` what the picture says of the best of them; here the two are put together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from regla.calibration import TableView

from .boxworth import Cluster, Supposed, boxes_worth, component, weigh
from .catalogue import Catalogue
from .cover import UNSEEN, grown, touches
from .found import Floats, Found
from .ground import Ground, Looks, ground_of
from .group import Block, Ints, linked_groups
from .outline import frame

__all__ = ["UNSEEN", "Ask", "Lattice", "read_lattices"]

LINK_SHARE: Final = 1.3
"""Boxes whose middles are nearer than this many times their mean long side, and a gap, may be neighbours."""
FINAL: Final = 7
CLEAR: Final = 1.5
"""How many suppositions are laid over the picture; one that so much speaks for (a box, as a logarithm) is the only one."""
STRANGE: Final = frozenset({"round-base", "tray", "standee", "token", "die", "cube", "hand"})
NEAR_MM: Final = 120.0
RIVAL: Final = 3.0
RIVAL_LEAST_MM: Final = 5.0
"""A block that this much less speaks for may still be the true one; sides nearer than this are the same side."""
RARE_COST: Final = 3.0
GAP_COST: Final = 2.0
ASKED_MOST: Final = 4
ASKED_CELLS: Final = 8
SAID_MOST: Final = 4.0
SAID_WORTH: Final = 0.6
"""Of how many suppositions, and how many cells of each, the network is asked whether they are one base; how far one cell's
answer counts, and how much beside a box."""
SETTLED: Final = 1.5
"""A cell of which it is said so clearly (as a logarithm) that a base stands there, or none, is in doubt no more."""
"""Sizes beside the game's own, and blocks with gaps, are that much less likely from the outset (as a logarithm)."""


Ask = Callable[[Floats], Floats]


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


def read_lattices(
    image: npt.NDArray[Any],
    view: TableView,
    found: Sequence[Found],
    sizes: Catalogue,
    gaps_mm: Sequence[float] = (0.0,),
    ask: Ask | None = None,
) -> list[Lattice]:
    """Blocks of two and more bases among the rectangular finds, and what the picture says of their cells.

    `ask` says of places (N,4,2) how much each looks like one base and nothing but (a logarithm; nothing known: 0).
    """
    rows = np.array([i for i, f in enumerate(found) if f.cls == "rect-base" and f.corners_px is not None])
    if len(rows) < 2:
        return []
    at = np.array([found[i].at_mm for i in rows])
    corners = np.array([found[i].corners_px for i in rows], dtype=np.float64)
    height = np.repeat([found[i].height_mm for i in rows], 4)
    quads = np.asarray(view.places_mm(corners.reshape(-1, 2), height), dtype=np.float64).reshape(-1, 4, 2)
    turn = np.array([found[i].turn_deg for i in rows])
    score = np.array([found[i].score for i in rows])
    whole = np.array([found[i].whole for i in rows])
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
            cluster = Cluster(rows[left], at[left], quads[left], turn[left], score[left])
            best = _best(cluster, sizes, gaps_mm, ground, ask, float(np.mean(whole[left])))
            if best is None or set(best.block.members) == {UNSEEN}:
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
    taken = {(x, y) for x, y in block.cells.tolist()}
    near = {(x, y) for x, y in np.rint(steps).astype(np.int64).tolist() if touches((x, y), taken)}
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
    return [np.array(sorted(group), dtype=np.intp) for group in linked_groups(near)]


def _best(
    cluster: Cluster,
    sizes: Catalogue,
    gaps_mm: Sequence[float],
    ground: Ground | None,
    ask: Ask | None,
    whole_boxes: float,
) -> Lattice | None:
    supposed = weigh(cluster, sizes.rects_mm, gaps_mm)
    if supposed is None:
        return None
    looks: dict[float, Looks] = {}
    weighed: list[tuple[float, Lattice]] = []
    clear = False
    for h in _distinct(supposed):
        worth, block = component(cluster, supposed, h, ground is None)
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
            seen, covered, doubt = grown(cluster, block, looks[key])
            whole = Lattice(covered, doubt)
            boxes = boxes_worth(cluster, covered, block.at_mm)
            worth = boxes + seen
            clear = not weighed and not whole.doubt and boxes > CLEAR * float(cluster.score.sum())
            # Boxes that are halves of bases lie on a lattice too, and know that they are none.
            clear = clear and (ask is None or whole_boxes > 0)
        worth -= RARE_COST * (tuple(sorted(block.size_mm)) not in sizes.usual_mm) + GAP_COST * (
            block.gap_mm > 0
        )
        weighed.append((worth, whole))
        if clear:
            break
    if not weighed:
        return None
    if ask is not None and len(weighed) > 1:
        weighed = _looked_at(weighed, ask, float(cluster.score.sum()))
    worth, best = max(weighed, key=lambda w: w[0])
    if ask is not None:
        best = _told_apart(best, ask)
    if len(best.block.cells) < 2:
        return None
    rivals = tuple(
        other.block for w, other in weighed if other.block.size_mm != best.block.size_mm and w > worth - RIVAL
    )
    return _upright(replace(best, rivals=rivals))


def _looked_at(weighed: list[tuple[float, Lattice]], ask: Ask, boxes: float) -> list[tuple[float, Lattice]]:
    """The likeliest suppositions, weighed anew by how much their cells look like one base each."""
    likely = sorted(weighed, key=lambda w: -w[0])[:ASKED_MOST]
    chosen = []
    for _, lattice in likely:
        cells = lattice.block.cells
        picked = np.unique(np.linspace(0, len(cells) - 1, ASKED_CELLS).round().astype(int))
        chosen.append(_cell_quads(lattice.block, cells[picked]))
    said = np.clip(ask(np.concatenate(chosen)), -SAID_MOST, SAID_MOST)
    parts = np.split(said, np.cumsum([len(quads) for quads in chosen])[:-1])
    return [
        (worth + SAID_WORTH * boxes * float(np.mean(part)), lattice)
        for (worth, lattice), part in zip(likely, parts, strict=True)
    ]


def _told_apart(lattice: Lattice, ask: Ask) -> Lattice:
    """The lattice with the cells settled that no box was found for, or that the colours leave in doubt."""
    block = lattice.block
    place = {(x, y): i for (x, y), i in zip(block.cells.tolist(), block.members, strict=True)}
    open_ = list(dict.fromkeys([*lattice.doubt, *(c for c, i in place.items() if i == UNSEEN)]))
    if not open_:
        return lattice
    said = dict(zip(open_, ask(_cell_quads(block, np.array(open_))).tolist(), strict=True))
    for cell, worth in said.items():
        if worth > SETTLED:
            place.setdefault(cell, UNSEEN)
        elif worth < -SETTLED and place.get(cell) == UNSEEN:
            del place[cell]
    doubt = tuple(c for c, worth in said.items() if abs(worth) <= SETTLED and c in lattice.doubt)
    if not place:
        return lattice
    cells = sorted(place)
    settled = replace(block, cells=np.array(cells, dtype=np.int64), members=tuple(place[c] for c in cells))
    return replace(lattice, block=settled, doubt=doubt)


def _distinct(supposed: Supposed) -> list[int]:
    """The best supposition of each size and gap, best first."""
    chosen: dict[tuple[float, ...], int] = {}
    for h in np.argsort(-supposed.worth):
        short, long = sorted(supposed.size_mm[h])
        chosen.setdefault((short, long, float(supposed.gap_mm[h])), int(h))
    return list(chosen.values())[:FINAL]


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
