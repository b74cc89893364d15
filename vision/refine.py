"""Refinement: first guesses and blocks in, measured places out, each with its covariance.

Single bases are fitted by their own outline. A block is one rigid solid: only its free sides show, but they are long,
and every base in it says where it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from regla.calibration import TableView

from .catalogue import Catalogue
from .fit import DEPTH, HEIGHT, INNER, LIKELY, PARAMETERS, SUPPOSED, TURN, WIDTH, Bodies, Fitted, fit
from .found import Floats, Found
from .group import Block
from .lattice import UNSEEN, Lattice, read_lattices
from .outline import CORNER_SHARE, SHAPES, frame, unit_outline
from .place import Asked, PlaceModel
from .seat import LEAST_MM, Seat, seated
from .single import sized

__all__ = ["Measured", "refine"]

FITTED: Final = frozenset({"round-base", "rect-base", "tray", "token"})
"""What has a rim worth fitting; hexes get their places from their lattice, dice and cubes from their box."""
BOX_SIGMA_PX: Final = {"round-base": 0.75, "token": 0.6, "rect-base": 1.3, "tray": 1.1}
"""How well a box's middle is known before its edges are looked at, one standard deviation each way: measured on the
shipped network, whose boxes around figures in blocks are the loosest."""
WIDER: Final = {"round-base": 2.0}
"""So many times wider the rim is searched for: a figure that leans draws its box four times as far as others are off."""
SHOWS: Final = {"tray": (0.0, -2.0, -4.0)}
"""Which edge the outline shows, where a class has its own way (see `fit.LIKELY`)."""
INSET: Final = {"tray": (0.14, 0.03)}
"""How far inside its rim a top has another line (see `fit.SUPPOSED`): a tray's frame is four millimetres wide. Were less
supposed, half of the outline would sit on the frame's inner border, and half on the shadow of the other side."""
BLOCK_SIGMA_PX: Final = {"rect-base": 1.2, "tray": 0.9}
"""What all boxes of a block may have in common: figures lean, and draw all boxes the same way."""
SAME_PICTURE: Final = {"round-base": 1.6, "rect-base": 1.3, "tray": 1.3}
SAME_BLOCK: Final = 1.7
"""The second look at a box and the fit of its edges do not err each on its own: measured on rendered tables, so much wider."""
UNLIKE_SHARE: Final = 0.5
"""Of 40 rendered blocks whose boxes, on the whole, do not look like one base each, half were misread (of 556 others 13):
their sides may lie elsewhere by this share of a base."""
FREE_SIZE_PX: Final = 0.7
"""How well half the size of a box is known, one standard deviation."""
SNAP_MM: Final = 1.0
SNAP_SIGMAS: Final = 2.5
MISSEEN_SIGMAS: Final = 1.5
"""A size that is off because one side was seen elsewhere puts the middle off by half of it: so many standard deviations."""
SKIRMISH_GAP_MM: Final = 12.5
"""How far apart skirmishers stand."""
UNSEEN_SCORE: Final = 0.3
"""How sure a base is that only its cell's looks speak for."""
STEP_MM: Final = 2.2
"""Distance of outline points along a block's free sides: about two pixels."""
MOST_POINTS: Final = 240


@dataclass(frozen=True, eq=False)
class Measured:
    """The finds with their measured places (those in blocks stand on the measured lattice), and the blocks themselves."""

    found: list[Found]
    blocks: list[Block]
    block_cov_mm2: list[Floats]
    block_turn_sigma_deg: list[float]
    block_rim: list[float]
    block_open_mm: list[Floats] = field(default_factory=list)
    """How far each side of a block may lie elsewhere, where a base more or less could not be told: (2,2) each."""


def refine(
    image: npt.NDArray[Any],
    view: TableView,
    found: Sequence[Found],
    blocks: Sequence[Block],
    sizes: Catalogue,
    place: PlaceModel | None = None,
) -> Measured:
    """Fit everything at once to the edges of a picture (uint8 or float32, BGR).

    `place` is asked, where there is one, which cells of blocks are bases.
    """
    unsure = [np.zeros((2, 2))] * len(blocks)
    asked = Asked(place, image, view, sizes.height("rect-base").mm) if place and sizes.open else None
    if sizes.open:
        lattices = read_lattices(
            image, view, found, sizes, (0.0, SKIRMISH_GAP_MM), asked.whole if asked is not None else None
        )
        found, blocks = _mended(found, lattices)
        unsure = [
            np.maximum(lattice.open_mm, _unlike_mm(block, found))
            for lattice, block in zip(lattices, blocks, strict=True)
        ]
    seats = [seated(block, found) for block in blocks]
    blocks = [seat.block if seat is not None else block for seat, block in zip(seats, blocks, strict=True)]
    in_block = {i for block in blocks for i in block.members}
    singles = [i for i, f in enumerate(found) if f.cls in FITTED and i not in in_block]
    if not singles and not blocks:
        return Measured(list(found), [], [], [], [])
    told = sized(image, view, found, singles, sizes, asked) if sizes.open else {}
    found = [told[i].found if i in told else f for i, f in enumerate(found)]
    out = list(found)
    bodies = _bodies(found, singles, blocks, seats, view, sizes)
    fitted = fit(image, view, bodies)
    fitted.covariance[:, :2, :2] *= _same_picture(found, singles, seats)[:, None, None]
    ground = _calibration_cov(view, bodies.at_mm + fitted.change[:, :2], bodies.height_mm)
    for k, i in enumerate(singles):
        one = _owned_up(_snapped(_single(found[i], bodies, fitted, ground, k), sizes), sizes)
        out[i] = replace(one, cov_mm2=one.cov_mm2 + told[i].open_mm2) if i in told else one
    moved, covs, turns, rims = [], [], [], []
    for n, block in enumerate(blocks):
        k = len(singles) + n
        turn = block.turn_deg + float(np.degrees(fitted.change[k, TURN]))
        middle = bodies.at_mm[k] + fitted.change[k, :2]
        before = replace(block, at_mm=np.zeros(2), turn_deg=turn)
        start = middle - before.centres_mm(_middle(block)[None])[0]
        block = replace(before, at_mm=start)
        cov = fitted.covariance[k, :2, :2] + ground[k]
        sigma = float(np.degrees(np.sqrt(fitted.covariance[k, TURN, TURN])))
        moved.append(block)
        covs.append(cov)
        turns.append(sigma)
        rims.append(float(fitted.share[k]))
        for i, spot in zip(block.members, block.centres_mm(block.cells), strict=True):
            out[i] = replace(
                found[i], at_mm=spot, cov_mm2=cov + 0.15**2 * np.eye(2), turn_deg=turn % 360, turn_sigma_deg=sigma,
                size_mm=block.size_mm, rim=float(fitted.share[k]),
            )  # fmt: skip
    return Measured(out, moved, covs, turns, rims, unsure)


def _mended(found: Sequence[Found], lattices: Sequence[Lattice]) -> tuple[list[Found], list[Block]]:
    """The finds with those that no box was found for, and without those that stand where another was measured."""
    lost = {i for i, f in enumerate(found) if f.unseen}
    out = list(found)
    blocks = []
    for lattice in lattices:
        block = lattice.block
        members = []
        model = next(out[i] for i in block.members if i != UNSEEN)
        for cell, i in zip(block.cells, block.members, strict=True):
            if i == UNSEEN:
                at = block.centres_mm(cell[None])[0]
                i = len(out)
                out.append(
                    replace(
                        model,
                        at_mm=at,
                        score=UNSEEN_SCORE,
                        unseen=True,
                        facing_deg=None,
                        guess_deg=None,
                        guess_sure=0.0,
                        tag=None,
                        colour=None,
                        corners_px=None,
                    )
                )
            members.append(i)
        blocks.append(replace(block, members=tuple(members)))
    held = {i for b in blocks for i in b.members}
    for i, f in enumerate(found):
        if f.cls == "rect-base" and i not in held and any(_on(b, f) for b in blocks):
            lost.add(i)
    keep = [i for i in range(len(out)) if i not in lost or i in held]
    new = {i: n for n, i in enumerate(keep)}
    return [out[i] for i in keep], [replace(b, members=tuple(new[i] for i in b.members)) for b in blocks]


def _unlike_mm(block: Block, found: Sequence[Found]) -> Floats:
    """How far the sides of a block may lie elsewhere (2,1) because its boxes do not look like one base each."""
    told = [found[i].whole for i in block.members if found[i].box_cov_mm2 is not None]
    if not told or np.mean(told) >= 0:
        return np.zeros((2, 1))
    return UNLIKE_SHARE * np.array(block.size_mm)[:, None]


def _on(block: Block, f: Found) -> bool:
    step = (f.at_mm - block.at_mm) @ frame(block.turn_deg) / np.array(block.pitch_mm)
    cell = np.rint(step).astype(np.int64)
    return bool((block.cells == cell).all(axis=1).any())


def _same_picture(found: Sequence[Found], singles: Sequence[int], seats: Sequence[Seat | None]) -> Floats:
    """By how much covariances are wider where a box was looked at twice and then fitted: both saw the same pixels."""
    alone = [
        SAME_PICTURE.get(found[i].cls, 1.0) if found[i].box_cov_mm2 is not None else 1.0 for i in singles
    ]
    return np.array([*alone, *(1.0 if seat is None else SAME_BLOCK for seat in seats)])


def _middle(block: Block) -> Floats:
    return np.asarray((block.cells.max(axis=0) + block.cells.min(axis=0)) / 2)


def _calibration_cov(view: TableView, at_mm: Floats, height_mm: Floats) -> Floats:
    pixels = view.to_pixel(np.column_stack([at_mm, height_mm]))
    _, cov = view.to_table(pixels, height_mm, sigma_px=0.0)
    return np.asarray(np.nan_to_num(cov))


def _single(found: Found, bodies: Bodies, fitted: Fitted, ground: Floats, k: int) -> Found:
    change = fitted.change[k]
    size, size_sigma = found.size_mm, 0.0
    if not found.snapped:
        grow = change[[WIDTH, DEPTH]]
        size = tuple(max(1.0, s + 2 * g) for s, g in zip(found.size_mm, grow, strict=False))
        size_sigma = float(2 * np.sqrt(fitted.covariance[k, WIDTH, WIDTH]))
    return replace(
        found,
        at_mm=bodies.at_mm[k] + change[:2],
        cov_mm2=fitted.covariance[k, :2, :2] + ground[k],
        size_mm=size,
        size_sigma_mm=size_sigma,
        turn_deg=(found.turn_deg + float(np.degrees(change[TURN]))) % 360,
        turn_sigma_deg=float(np.degrees(np.sqrt(fitted.covariance[k, TURN, TURN]))),
        height_mm=max(0.0, found.height_mm + float(change[HEIGHT])),
        rim=float(fitted.share[k]),
    )


def _snapped(found: Found, sizes: Catalogue) -> Found:
    """A measured size that is a listed one, as near as it was measured, is that one."""
    if found.snapped or found.cls not in ("round-base", "rect-base", "tray"):
        return found
    listed: tuple[float, ...] | None
    if found.shape == "circle":
        one = sizes.snap_round(found.size_mm[0])
        listed = None if one is None else (one,)
    else:
        listed = sizes.snap_rect(found.size_mm[0], found.size_mm[1], tray=found.cls == "tray")
    near = max(SNAP_MM, SNAP_SIGMAS * found.size_sigma_mm)
    if (
        listed is None
        or max(abs(a - b) for a, b in zip(sorted(found.size_mm), sorted(listed), strict=True)) > near
    ):
        return found
    return replace(found, size_mm=listed, snapped=True, size_sigma_mm=0.0)


def _owned_up(found: Found, sizes: Catalogue) -> Found:
    """A rectangle of no listed size is more likely a listed one badly seen: then its middle is off by half as much."""
    if found.snapped or found.cls != "rect-base" or not sizes.rects_mm:
        return found
    size = np.array(found.size_mm)
    listed = np.array([pair for a, b in sizes.rects_mm for pair in ((a, b), (b, a))])
    off = np.abs(listed - size)[int(np.abs(np.log(listed / size)).max(axis=1).argmin())] / 2 / MISSEEN_SIGMAS
    axes = frame(found.turn_deg)
    return replace(found, cov_mm2=found.cov_mm2 + axes @ np.diag(off**2) @ axes.T)


def _bodies(
    found: Sequence[Found],
    singles: list[int],
    blocks: Sequence[Block],
    seats: Sequence[Seat | None],
    view: TableView,
    sizes: Catalogue,
) -> Bodies:
    at, turn, half, height, height_sigma, size_sigma, place_sigma, turn_sigma = [], [], [], [], [], [], [], []
    known: list[Floats | None] = []
    parts: list[tuple[Floats, Floats, Floats]] = []
    for i in singles:
        f = found[i]
        shape = SHAPES.index(f.shape)
        halves = np.array([f.size_mm[0] / 2, f.size_mm[-1] / 2])
        points, normals, pushes = unit_outline(shape)
        parts.append((points * halves, normals, pushes))
        at.append(f.at_mm)
        turn.append(f.turn_deg)
        half.append(halves)
        tall = sizes.height(f.cls)
        height.append(tall.mm)
        height_sigma.append(tall.sigma_mm)
        size_sigma.append(1e-4 if f.snapped else FREE_SIZE_PX * float(view.mm_per_px(f.at_mm[None])[0]))
        place_sigma.append(BOX_SIGMA_PX[f.cls])
        turn_sigma.append(1e-6 if f.shape == "circle" else 3.5)
        known.append(f.box_cov_mm2)
    for block, seat in zip(blocks, seats, strict=True):
        parts.append(_free_sides(block))
        at.append(block.centres_mm(_middle(block)[None])[0])
        turn.append(block.turn_deg)
        half.append(np.array(block.size_mm) / 2)
        tall = sizes.height(found[block.members[0]].cls)
        height.append(tall.mm)
        height_sigma.append(tall.sigma_mm)
        size_sigma.append(0.1)
        count = len(block.members)
        cls = found[block.members[0]].cls
        place_sigma.append(float(np.hypot(BLOCK_SIGMA_PX[cls], BOX_SIGMA_PX[cls] / np.sqrt(count))))
        turn_sigma.append(max(0.3, 2.5 / np.sqrt(count)) if seat is None else seat.turn_sigma_deg)
        known.append(None if seat is None else seat.cov_mm2)
    count = len(at)
    places, heights = np.array(at, dtype=np.float64), np.array(height)
    pixel = view.mm_per_px(places, float(np.median(heights)))
    prior = np.zeros((count, PARAMETERS, PARAMETERS))
    sigma = np.ones((count, PARAMETERS))
    kinds = [found[i].cls for i in (*singles, *(b.members[0] for b in blocks))]
    wider = np.array([WIDER.get(c, 1.0) for c in kinds])
    sigma[:, 0] = sigma[:, 1] = np.array(place_sigma) * pixel * wider
    sigma[:, TURN] = np.radians(turn_sigma)
    sigma[:, WIDTH] = sigma[:, DEPTH] = size_sigma
    sigma[:, HEIGHT] = height_sigma
    prior[:, np.arange(PARAMETERS), np.arange(PARAMETERS)] = sigma**-2
    for k, cov in enumerate(known):
        if cov is not None:
            prior[k, :2, :2] = np.linalg.inv(cov + LEAST_MM**2 * np.eye(2))
            wider[k] = 1.0
    return Bodies(
        places,
        np.radians(turn),
        np.array(half),
        heights,
        np.repeat(np.arange(count), [len(p[0]) for p in parts]),
        np.concatenate([p[0] for p in parts]),
        np.concatenate([p[1] for p in parts]),
        np.concatenate([p[2] for p in parts]),
        prior,
        np.zeros((count, PARAMETERS)),
        np.array([SHOWS.get(c, LIKELY) for c in kinds]),
        np.array([INSET.get(c, SUPPOSED[INNER][1:]) for c in kinds]),
        wider,
    )


def _free_sides(block: Block) -> tuple[Floats, Floats, Floats]:
    """Points, normals and pushes of the sides of bases that have no neighbour, about the block's middle."""
    taken = {tuple(cell) for cell in block.cells.tolist()}
    middle = _middle(block)
    size, pitch = np.array(block.size_mm), np.array(block.pitch_mm)
    points, normals = [], []
    for cell in block.cells:
        for way in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            if (cell[0] + way[0], cell[1] + way[1]) in taken:
                continue
            normal = np.array(way, dtype=np.float64)
            tangent = np.array([-normal[1], normal[0]])
            length = float(np.abs(tangent) @ size)
            count = max(3, round(length / STEP_MM))
            along = (CORNER_SHARE + (1 - 2 * CORNER_SHARE) * (np.arange(count) + 0.5) / count - 0.5) * length
            middle_mm = (cell - middle) * pitch + normal * (np.abs(normal) @ size) / 2
            points.append(middle_mm + tangent * along[:, None])
            normals.append(np.repeat(normal[None], count, axis=0))
    all_points, all_normals = np.concatenate(points), np.concatenate(normals)
    if len(all_points) > MOST_POINTS:
        chosen = np.linspace(0, len(all_points) - 1, MOST_POINTS).astype(int)
        all_points, all_normals = all_points[chosen], all_normals[chosen]
    return all_points, all_normals, np.abs(all_normals)
