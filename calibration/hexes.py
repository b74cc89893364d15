"""Hex lattices: size, orientation and origin from the centres of the hexes that were found, for one or two boards.

A hex lattice is one line of complex arithmetic: centre(q, r) = o + a·(q + r·ω) with ω = e^{iπ/3}. Its two complex
numbers follow from centres by linear least squares, and everything else (which hex is which, which were false finds,
which board a hex belongs to) is deciding what to feed it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from .camera import Floats
from .errors import LatticeError
from .messages import phrase
from .view import TableView

Orientation = Literal["pointy", "flat"]
Hexes = npt.NDArray[np.int_]

OMEGA: Final = complex(0.5, np.sqrt(3) / 2)
LEAST_HEXES: Final = 4
CATCH: Final = 0.15
"""A found centre within this share of a hex of a lattice point belongs to it; chance alone would catch 8 %."""
SIZE_SLACK: Final = 0.08
"""How far the printed size may be from the one given (paper, print and the box's own tolerance)."""
EMPTY_COST: Final = 0.1
"""An empty place counts this much against a lattice: nine in ten hexes may be covered before it loses."""
SECOND_LEAST: Final = 6
"""Hexes that a second board needs before it is believed."""


@dataclass(frozen=True)
class HexLattice:
    """A lattice on the table. Axial coordinates as in UW-HEX-1, then turned by `angle_deg` about the origin.

    >>> lattice = HexLattice((100.0, 50.0), 52.0)
    >>> lattice.centre_mm([[1, 0], [0, 1]]).round(2).tolist()
    [[152.0, 50.0], [126.0, 95.03]]
    >>> lattice.nearest([[150.0, 55.0]]).tolist()
    [[1, 0]]
    """

    origin_mm: tuple[float, float]
    across_flats_mm: float
    angle_deg: float = 0.0
    orientation: Orientation = "pointy"
    rms_mm: float = 0.0
    hexes: int = 0

    @property
    def step(self) -> complex:
        """The way from (0,0) to (1,0) for a pointy lattice; a flat one is the same, turned by 30°."""
        angle = np.radians(self.angle_deg + (30.0 if self.orientation == "flat" else 0.0))
        return complex(self.across_flats_mm * np.exp(1j * angle))

    def centre_mm(self, hexes: npt.ArrayLike) -> Floats:
        axial = np.asarray(hexes, dtype=np.float64).reshape(-1, 2)
        z = complex(*self.origin_mm) + self.step * (axial[:, 0] + axial[:, 1] * OMEGA)
        return np.column_stack([z.real, z.imag])

    def axial(self, xy_mm: npt.ArrayLike) -> Floats:
        """Places as fractions of hexes, (N,2)."""
        places = np.asarray(xy_mm, dtype=np.float64).reshape(-1, 2)
        z = (places[:, 0] + 1j * places[:, 1] - complex(*self.origin_mm)) / self.step
        r = z.imag / OMEGA.imag
        return np.column_stack([z.real - r * 0.5, r])

    def nearest(self, xy_mm: npt.ArrayLike) -> Hexes:
        """The hex that holds each place."""
        return round_axial(self.axial(xy_mm))

    def corners_mm(self, hexes: npt.ArrayLike) -> Floats:
        """The six corners of each hex, (N,6,2), counter-clockwise."""
        turn = np.exp(1j * np.pi / 3 * (np.arange(6) + 0.5)) * self.step / np.sqrt(3)
        offsets = np.column_stack([turn.real, turn.imag])
        return np.asarray(self.centre_mm(hexes)[:, None, :] + offsets)

    def corners_px(self, view: TableView, hexes: npt.ArrayLike, height_mm: float = 0.0) -> Floats:
        """The six corners of each hex in the picture, (N,6,2)."""
        corners = self.corners_mm(hexes)
        flat = corners.reshape(-1, 2)
        return view.to_pixel(np.column_stack([flat, np.full(len(flat), height_mm)])).reshape(corners.shape)

    def relabelled(self, shift: npt.ArrayLike) -> HexLattice:
        """The same lattice with every hex's name shifted: what was `shift` becomes (0, 0)."""
        x, y = self.centre_mm(shift)[0]
        return replace(self, origin_mm=(float(x), float(y)))

    def to_json(self) -> dict[str, Any]:
        return {
            "origin_mm": list(self.origin_mm),
            "across_flats_mm": self.across_flats_mm,
            "angle_deg": self.angle_deg,
            "orientation": self.orientation,
            "rms_mm": self.rms_mm,
            "hexes": self.hexes,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> HexLattice:
        x, y = data["origin_mm"]
        return cls(
            (float(x), float(y)),
            float(data["across_flats_mm"]),
            float(data.get("angle_deg", 0.0)),
            "flat" if data.get("orientation") == "flat" else "pointy",
            float(data.get("rms_mm", 0.0)),
            int(data.get("hexes", 0)),
        )


@dataclass(frozen=True, eq=False)
class HexBoards:
    """One or two lattices. `member` tells for every found centre its board (−1: none), `hexes` its axial place.

    The second board's hexes are named in the first one's system, so a joined battlefield has one set of names;
    `slide` is how far the second lies from that system, in hexes (under 0.2 is a proper joint).
    """

    boards: tuple[HexLattice, ...]
    member: npt.NDArray[np.int_]
    hexes: Hexes
    slide: float = 0.0

    @property
    def aligned(self) -> bool:
        return self.slide < 0.2


def round_axial(axial: Floats) -> Hexes:
    """Fractional axial coordinates to the hex that holds them (cube rounding)."""
    cube = np.column_stack([axial, -axial.sum(axis=1)])
    whole = np.round(cube)
    off = np.abs(whole - cube)
    worst = off.argmax(axis=1)
    rows = np.arange(len(cube))
    whole[rows, worst] = -(whole.sum(axis=1) - whole[rows, worst])
    return whole[:, :2].astype(int)


def _named(origin: complex, step: complex, orientation: Orientation | None) -> HexLattice:
    """Six turns of 60° are the same lattice: choose the name that lies straightest."""
    angle = float(np.degrees(np.angle(step)))
    pointy = (angle + 30) % 60 - 30
    flat = (angle - 30 + 30) % 60 - 30
    if orientation is None:
        orientation = "pointy" if abs(pointy) <= abs(flat) else "flat"
    turn = pointy if orientation == "pointy" else flat
    return HexLattice((origin.real, origin.imag), abs(step), turn, orientation)


def _solve(
    z: npt.NDArray[np.complex128], hexes: Hexes, weight: Floats | None = None
) -> tuple[complex, complex]:
    """Origin and step by (weighted) linear least squares."""
    design = np.column_stack([np.ones(len(z)), hexes[:, 0] + hexes[:, 1] * OMEGA])
    if weight is not None:
        root = np.sqrt(weight)
        design, z = design * root[:, None], z * root
    origin, step = np.linalg.lstsq(design, z, rcond=None)[0]
    return complex(origin), complex(step)


def _refine(
    z: npt.NDArray[np.complex128], origin: complex, step: complex
) -> tuple[complex, complex, npt.NDArray[np.bool_], Hexes, float]:
    """Alternate between naming hexes and solving, from the middle outwards, until nothing changes."""
    held = np.zeros(len(z), dtype=bool)
    hexes = np.zeros((len(z), 2), dtype=int)
    rms = np.inf
    for turn in range(20):
        relative = (z - origin) / step
        r = relative.imag / OMEGA.imag
        hexes = round_axial(np.column_stack([relative.real - r * 0.5, r]))
        rest = np.abs(relative - (hexes[:, 0] + hexes[:, 1] * OMEGA))
        now = rest < CATCH
        if turn < 4:
            # Near hexes first: a first step that is 3 % wrong misnames what is twenty hexes away.
            now &= np.abs(relative) < 3.0 * 2**turn
        if now.sum() < 2:
            break
        if (now == held).all() and turn > 4:
            break
        held = now
        off = rest[held]
        weight = 1 / (1 + np.square(off / max(float(np.median(off)) * 3, 1e-6)))
        origin, step = _solve(z[held], hexes[held], weight)
    if held.any():
        miss = z[held] - origin - step * (hexes[held, 0] + hexes[held, 1] * OMEGA)
        rms = float(np.sqrt(np.mean(np.abs(miss) ** 2)))
    return origin, step, held, hexes, rms


def _best_lattice(
    z: npt.NDArray[np.complex128], across_flats_mm: float | None, slack: float
) -> tuple[complex, complex, npt.NDArray[np.bool_], Hexes, float] | None:
    """Every hex with its nearest neighbours proposes a lattice; the one that most hexes agree with wins."""
    away = np.abs(z[:, None] - z[None, :])
    np.fill_diagonal(away, np.inf)
    best = None
    best_score = -np.inf
    order = np.argsort(away, axis=1)
    tried: list[tuple[complex, complex]] = []
    for i in range(len(z)):
        for j in order[i, : min(4, len(z) - 1)]:
            step = complex(z[j] - z[i])
            if across_flats_mm is not None and abs(abs(step) / across_flats_mm - 1) > slack + CATCH:
                continue
            # The same proposal, up to 60° turns and lattice shifts, need not be tried twice.
            key = step**6 / abs(step) ** 6 * abs(step)
            if any(abs(key - k) < 0.01 * abs(key) and abs(z[i] - o) < 4 * abs(step) for k, o in tried):
                continue
            tried.append((key, complex(z[i])))
            answer = _refine(z, complex(z[i]), step)
            if across_flats_mm is not None and abs(abs(answer[1]) / across_flats_mm - 1) > slack:
                continue
            # A finer lattice catches as many, but most of its places are empty: those count against it.
            held = z[answer[2]]
            places = float(np.ptp(held.real) * np.ptp(held.imag)) / (OMEGA.imag * abs(answer[1]) ** 2)
            empty = max(places - len(held), 0.0)
            score = len(held) - EMPTY_COST * empty - 2 * answer[4] / abs(answer[1])
            if score > best_score:
                best, best_score = answer, score
        if best is not None and best[2].sum() > 0.9 * len(z) and i > 6:
            break
    return best


def fit_lattice(
    centres_mm: npt.ArrayLike, *, across_flats_mm: float | None = None, orientation: Orientation | None = None
) -> HexLattice:
    """One lattice through found hex centres (N,2), robust to missing, covered and false ones."""
    return fit_boards(
        centres_mm, across_flats_mm=across_flats_mm, orientation=orientation, most_boards=1
    ).boards[0]


def fit_boards(
    centres_mm: npt.ArrayLike,
    *,
    across_flats_mm: float | None = None,
    orientation: Orientation | None = None,
    most_boards: int = 2,
) -> HexBoards:
    """One or two boards through found hex centres (N,2); two joined boards may be slid and slightly turned."""
    centres = np.asarray(centres_mm, dtype=np.float64).reshape(-1, 2)
    if len(centres) < LEAST_HEXES:
        raise LatticeError(reason=phrase("reason-few-hexes", found=len(centres), least=LEAST_HEXES))
    z = centres[:, 0] + 1j * centres[:, 1]
    first = _best_lattice(z, across_flats_mm, SIZE_SLACK)
    if first is None or first[2].sum() < LEAST_HEXES:
        raise LatticeError(
            reason=phrase(
                "reason-few-hexes", found=0 if first is None else int(first[2].sum()), least=LEAST_HEXES
            )
        )
    member = np.where(first[2], 0, -1)
    parts = [(first[0], first[1])]
    if most_boards > 1:
        rest = np.flatnonzero(member < 0)
        second = None
        if len(rest) >= SECOND_LEAST:
            second = _best_lattice(z[rest], abs(first[1]), 0.03)
        if second is not None and second[2].sum() >= SECOND_LEAST:
            member[rest[second[2]]] = 1
            parts.append((second[0], second[1]))
        else:
            split = _split(z, member, first)
            if split is not None:
                member, parts = split
    boards: list[HexLattice] = []
    hexes = np.zeros((len(z), 2), dtype=int)
    slide = 0.0
    for k, (origin, step) in enumerate(parts):
        lattice = _named(origin, step, orientation)
        if boards:
            # The same of the six names as the first board's, so that q and r run the same way.
            turn = float(np.degrees(np.angle(step / boards[0].step)))
            lattice = replace(
                lattice,
                orientation=boards[0].orientation,
                angle_deg=boards[0].angle_deg + (turn + 30) % 60 - 30,
            )
            # Name the second board in the first one's system, at the place where they meet.
            mine, other = centres[member == 1], centres[member == 0]
            near = mine[np.argmin(np.linalg.norm(mine[:, None] - other[None], axis=2).min(axis=1))]
            here = lattice.nearest(near)[0]
            there = boards[0].axial(lattice.centre_mm(here))
            named = round_axial(there)[0]
            lattice = lattice.relabelled(here - named)
            off = (there - named)[0]
            slide = float(abs(off[0] + off[1] * OMEGA))
        mine_mask = member == k
        hexes[mine_mask] = lattice.nearest(centres[mine_mask])
        miss = centres[mine_mask] - lattice.centre_mm(hexes[mine_mask])
        rms = float(np.sqrt(np.square(miss).sum(axis=1).mean()))
        boards.append(replace(lattice, rms_mm=rms, hexes=int(mine_mask.sum())))
    return HexBoards(tuple(boards), member, hexes, slide)


def _split(
    z: npt.NDArray[np.complex128],
    member: npt.NDArray[np.int_],
    first: tuple[complex, complex, npt.NDArray[np.bool_], Hexes, float],
) -> tuple[npt.NDArray[np.int_], list[tuple[complex, complex]]] | None:
    """Two boards that meet almost perfectly look like one, slightly wrong: is a cut along a board edge much better?

    Cuts run along the rows of the lattice or square to them. The split must pay for its four extra numbers.
    """
    origin, step, held, hexes, _ = first
    index = np.flatnonzero(held)
    if len(index) < 2 * SECOND_LEAST:
        return None
    points, names = z[index], hexes[index]
    whole = _squares(points, names)
    best = (np.inf, None)
    for k in range(6):
        direction = np.exp(1j * np.pi / 6 * k)
        along = ((points - origin) / step * np.conj(direction)).real
        levels = np.unique(np.round(along, 1))
        for low, high in itertools.pairwise(levels):
            side = along > (low + high) / 2
            if min(side.sum(), (~side).sum()) < SECOND_LEAST:
                continue
            cost = _squares(points[side], names[side]) + _squares(points[~side], names[~side])
            if cost < best[0]:
                best = (cost, side)
    cost, side = best
    if side is None:
        return None
    count = 2 * len(points)
    floor = 1e-6 * abs(step) ** 2 * count
    gain = count * np.log((whole + floor) / (cost + floor))
    # Four more numbers and a cut chosen among many: ask for far more than their fair price of about 4·log(n).
    if gain < 4 * np.log(count) + 25:
        return None
    new = member.copy()
    new[index[side]] = 1
    if side.sum() > (~side).sum():
        new[index] = 1 - new[index]
    parts = [_solve(z[new == k], hexes[new == k]) for k in (0, 1)]
    return new, parts


def _squares(z: npt.NDArray[np.complex128], hexes: Hexes) -> float:
    origin, step = _solve(z, hexes)
    return float(np.square(np.abs(z - origin - step * (hexes[:, 0] + hexes[:, 1] * OMEGA))).sum())


def board_hexes(rows: Sequence[tuple[int, int, int]]) -> Hexes:
    """Hexes of a board given as rows (r, first q, count)."""
    return np.array([[q, r] for r, first, count in rows for q in range(first, first + count)], dtype=int)
