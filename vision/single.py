"""How large is a rectangular base that stands alone? Every listed size is laid over the picture, wherever its box allows.

A monster's wings and legs draw its box: it comes out too short where the tail hides a side, too wide where legs reach over
the table. What is left of the base's own sides still changes colour in one and the same way, from base to table, along
straight lines a listed width and depth apart. The rectangle along which most of that is seen is the base.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from regla.calibration import TableView

from .catalogue import Catalogue
from .found import Floats, Found
from .ground import laid_out, sampled
from .outline import frame
from .place import Asked

__all__ = ["Sized", "sized"]

TURNS_DEG: Final = (0.0, -3.0, 3.0)
"""A box of a listed size has its turn from its own sides; others, drawn around legs, may be turned too."""
REACH_MM: Final = 16.0
MARGIN_MM: Final = 6.0
SIDE_SHARE: Final = (0.62, 1.7)
SIDE_MM: Final = 6.0
"""How far beyond its box a base is looked for, and which listed sides may be a box's: by share, or by so little."""
OFF_PX: Final = 2.0
TAIL: Final = 3.0
"""How far a side of a box lies off the base's, one standard deviation; hidden sides lie anywhere."""
SOFT_MM: Final = 1.2
FAINT: Final = 5.0
CLEAR: Final = 2.0
"""Grey levels a millimetre, and times the stronger slopes of the surroundings, at which an edge counts half."""
WORTH: Final = 0.3
LENGTH_COST: Final = 0.03
"""What a millimetre of a clear side says for a base, as a logarithm, and what one costs that nothing is seen of."""
RARE_COST: Final = 8.0
"""Sizes beside the game's own are that much less likely: the shadow around a base looks like a base of the next size."""
OWN_COST: Final = 14.0
"""And so much less likely is a size that is not sold at all: bases are, now and then, made at home."""
ASKED_MOST: Final = 2
SAID_MOST: Final = 5.0
SAID_WORTH: Final = 3.0
"""How many sizes the network is asked about, how far its answer counts, and how much beside the sides."""
TURN_SIGMA_DEG: Final = 2.5
COOL: Final = 3.0
"""How little a difference in worth decides: neighbouring millimetres are seen together."""
KEPT_SHARE: Final = 0.07
KEPT_MM: Final = 3.0
"""A box that already has the size, and its middle so near, knows its place better than whole millimetres do."""
SMALL_MM: Final = 35.0
"""Boxes of smaller bases than this have their sides in sight, and a size that is known."""


Laid = tuple[float, float, Floats, Floats]
"""What is said for a size, and its turn, middle and sides."""


@dataclass(frozen=True, eq=False)
class _Tried:
    """A box with these sides (mm, in the turned frame), and every size that it may have, laid where most speaks for it."""

    found: Found
    side_mm: Floats
    laid: list[Laid]


@dataclass(frozen=True, eq=False)
class Sized:
    """A find with its listed size, and the covariance of its place that other sizes leave open."""

    found: Found
    open_mm2: Floats


def sized(
    image: npt.NDArray[Any],
    view: TableView,
    found: Sequence[Found],
    rows: Sequence[int],
    sizes: Catalogue,
    asked: Asked | None = None,
) -> dict[int, Sized]:
    """Those finds in `rows` that are large rectangular bases, or of no listed size, as what the picture shows."""
    large = [i for i in rows if _is_large(found[i])]
    if not large:
        return {}
    corners = np.array([found[i].corners_px for i in large], dtype=np.float64).reshape(-1, 2)
    heights = np.repeat([found[i].height_mm for i in large], 4)
    quads = np.asarray(view.places_mm(corners, heights), dtype=np.float64).reshape(-1, 4, 2)
    pixel_mm = view.mm_per_px(np.array([found[i].at_mm for i in large]))
    tried = [
        _try(image, view, found[i], sizes, quad, OFF_PX * float(mm))
        for i, quad, mm in zip(large, quads, pixel_mm, strict=True)
    ]
    if asked is None:
        new = [_kept(one, _chosen(one, [None] * len(one.laid))) for one in tried]
    else:
        new = [_chosen(*looked) for looked in _looked_at(tried, asked)]
    return {i: one for i, one in zip(large, new, strict=True) if one is not None}


def _is_large(f: Found) -> bool:
    if f.cls != "rect-base" or f.shape != "rect" or f.corners_px is None:
        return False
    return not f.snapped or max(f.size_mm) >= SMALL_MM


def _try(
    image: npt.NDArray[Any], view: TableView, f: Found, sizes: Catalogue, quad: Floats, sigma: float
) -> _Tried:
    middle = quad.mean(axis=0)
    side = np.ptp((quad - middle) @ frame(f.turn_deg), axis=0)
    listed = np.array([pair for a, b in sizes.rects_mm for pair in dict.fromkeys(((a, b), (b, a)))])
    share = listed / side
    near = (share > SIDE_SHARE[0]) & (share < SIDE_SHARE[1]) | (np.abs(listed - side) < SIDE_MM)
    listed = listed[near.all(axis=1)]
    if not len(listed) or not np.isfinite(quad).all():
        return _Tried(f, side, [])
    own = (float(side.min()), float(side.max()))
    if not f.snapped:
        listed = np.vstack([listed, side])
    best: dict[tuple[float, float], Laid] = {}
    for turn in TURNS_DEG[:1] if f.snapped else TURNS_DEG:
        axes = frame(f.turn_deg + turn)
        box = np.stack([middle @ axes - side / 2, middle @ axes + side / 2])
        shown = _shown(image, view, f.height_mm, f.turn_deg + turn, box)
        for size in listed:
            worth, at = _laid(shown, size, box, sigma)
            key = (float(size.min()), float(size.max()))
            cost = 0.0 if key in sizes.usual_mm else OWN_COST if key == own else RARE_COST
            worth -= cost + 0.5 * (turn / TURN_SIGMA_DEG) ** 2
            if key not in best or worth > best[key][0]:
                best[key] = (worth, f.turn_deg + turn, at @ axes.T, size)
    return _Tried(f, side, list(best.values()))


def _looked_at(tried: Sequence[_Tried], asked: Asked) -> list[tuple[_Tried, list[Floats]]]:
    """The likeliest sizes where the network puts a base of each, weighed anew by how much they look like one; with covariances."""
    likely = [replace(t, laid=sorted(t.laid, key=lambda laid: -laid[0])[:ASKED_MOST]) for t in tried]
    corner = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) / 2
    quads = [at + (corner * size) @ frame(turn).T for t in likely for _, turn, at, size in t.laid]
    places, covs, whole = asked.stands(np.array(quads).reshape(-1, 4, 2))
    said = iter(zip(places, covs, SAID_WORTH * np.clip(whole, -SAID_MOST, SAID_MOST), strict=True))
    out = []
    for t in likely:
        answers = [next(said) for _ in t.laid]
        laid = [
            (laid[0] + float(a[2]), laid[1], a[0], laid[3]) for laid, a in zip(t.laid, answers, strict=True)
        ]
        out.append((replace(t, laid=laid), [a[1] for a in answers]))
    return out


def _chosen(tried: _Tried, covs: Sequence[Floats | None]) -> Sized | None:
    """The size that most speaks for, and what the others leave open; None where the box itself is the likeliest."""
    if not tried.laid:
        return None
    worths = np.array([laid[0] for laid in tried.laid])
    belief = np.exp((worths - worths.max()) / COOL)
    belief /= belief.sum()
    best = int(worths.argmax())
    _, turn, at, size = tried.laid[best]
    if np.array_equal(np.sort(size), np.sort(tried.side_mm)):
        return None
    apart = np.array([laid[2] for laid in tried.laid]) - at
    if size[0] > size[1]:
        size, turn = size[::-1], turn - 90
    new = replace(
        tried.found,
        at_mm=at,
        size_mm=(float(size[0]), float(size[1])),
        turn_deg=turn % 360,
        snapped=True,
        box_cov_mm2=covs[best],
    )
    return Sized(new, np.einsum("h,hi,hj->ij", belief, apart, apart))


def _kept(tried: _Tried, new: Sized | None) -> Sized | None:
    """A box that already has the size, and its middle so near, knows its place better than whole millimetres do."""
    f, side = tried.found, tried.side_mm
    if new is None or np.hypot(*(new.found.at_mm - f.at_mm)) >= KEPT_MM:
        return new
    if np.abs(np.array(new.found.size_mm) / np.sort(side) - 1).max() >= KEPT_SHARE:
        return new
    turn = f.turn_deg if side[0] <= side[1] else f.turn_deg - 90
    return replace(new, found=replace(new.found, at_mm=f.at_mm, turn_deg=turn % 360))


@dataclass(frozen=True, eq=False)
class _Shown:
    """Sums of how the colour changes across lines of the turned frame, from `low_mm`, a square millimetre a cell.

    `across` (3,R+1,C): changes from left to right, summed up along each column; `along` (3,R,C+1): from rear to front,
    summed up along each row. Each colour is a plane of its own.
    """

    low_mm: Floats
    across: npt.NDArray[np.float32]
    along: npt.NDArray[np.float32]


def _shown(
    image: npt.NDArray[Any], view: TableView, height_mm: float, turn_deg: float, box_mm: Floats
) -> _Shown:
    reach = REACH_MM + MARGIN_MM
    low, place = laid_out(view, height_mm, turn_deg, box_mm[0] - reach, box_mm[1] + reach)
    flat = sampled(image, place, cv2.BORDER_REPLICATE)
    flat = np.array(cv2.split(cv2.GaussianBlur(flat.astype(np.float32), (0, 0), SOFT_MM)))
    return _Shown(low, _summed(flat, 1), _summed(flat, 2))


def _summed(flat: npt.NDArray[np.float32], along: int) -> npt.NDArray[np.float32]:
    """How colours (3,R,C) change across an axis, levelled, and summed up along it from nothing."""
    slope = np.zeros_like(flat)
    if along == 1:
        slope[:, :, 1:] = flat[:, :, 1:] - flat[:, :, :-1]
    else:
        slope[:, 1:] = flat[:, 1:] - flat[:, :-1]
    strength = np.sqrt((slope**2).sum(axis=0))
    slope /= strength + np.float32(FAINT + CLEAR * float(np.percentile(strength[::2, ::2], 95)))
    sums = np.zeros_like(slope, shape=[n + (k == along) for k, n in enumerate(slope.shape)])
    np.cumsum(slope, axis=along, out=sums[:, 1:] if along == 1 else sums[:, :, 1:])
    return sums


def _laid(shown: _Shown, size_mm: Floats, box_mm: Floats, sigma_mm: float) -> tuple[float, Floats]:
    """What is said for a base of one size where most is, and its middle there (turned frame)."""
    width, depth = (round(s) for s in size_mm)
    most = np.array([shown.across.shape[2], shown.along.shape[1]]) - 1 - (width, depth)
    ends = np.stack([box_mm[0], box_mm[1] - size_mm]) - shown.low_mm
    first = np.maximum(np.floor(ends.min(axis=0) - REACH_MM), 1).astype(int)
    last = np.minimum(np.ceil(ends.max(axis=0) + REACH_MM), most).astype(int)
    if np.any(last < first):
        return -np.inf, box_mm.mean(axis=0)
    prior = []
    for k in (0, 1):
        off = np.arange(first[k], last[k] + 1) - ends[:, k, None]
        prior.append(-(TAIL + 1) / 2 * np.log1p((off / sigma_mm) ** 2 / TAIL).sum(axis=0))
    left, right = (slice(first[0] + w, last[0] + w + 1) for w in (0, width))
    rear, front = (slice(first[1] + d, last[1] + d + 1) for d in (0, depth))
    across, along = shown.across, shown.along
    total = across[:, front, right] - across[:, rear, right] - across[:, front, left] + across[:, rear, left]
    total += along[:, front, right] - along[:, front, left] - along[:, rear, right] + along[:, rear, left]
    says = WORTH * np.sqrt((total**2).sum(axis=0)) + prior[0] + prior[1][:, None]
    row, column = np.unravel_index(int(says.argmax()), says.shape)
    middle = shown.low_mm + first + (column, row) + size_mm / 2
    return float(says[row, column]) - LENGTH_COST * 2 * float(size_mm.sum()), middle
