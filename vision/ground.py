"""Table or base? For each pixel around a cluster of bases, which of the two its colour speaks for.

The colours inside the boxes of a cluster and those of the table around it are two histograms; the logarithm of their ratio
is laid out on the table's own axes, turned with the bases, and summed up. What any cell of any lattice looks like is then
four numbers away. On rendered tables with true lattices, 99 of 100 taken cells came out over 0.69 and 99 of 100 vacant ones
under 0.06.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from regla.calibration import TableView

from .found import Floats
from .group import Ints
from .outline import frame

__all__ = ["ALL", "BASED", "SURE_MOST", "Ground", "Looks", "ground_of", "laid_out", "sampled"]

BINS_BITS: Final = 4
"""Colours are counted in 16 steps a channel, smoothed to the next: finer ones leave too few pixels in each."""
SURE_MOST: Final = 3.0
"""What one pixel can say at most, as a logarithm: a sword over the table must not outvote the table."""
FLOOR: Final = 2e-3
SHRINK: Final = 0.85
"""Boxes are a little too large: the middle of each is base for sure."""
RING_MM: Final = (2.5, 20.0)
"""Where the table is looked at, from the boxes outwards: beyond their shadow, and not at the next unit's."""
RING_LEAST_PX: Final = 40
STEP_MM: Final = 1.0
MARGIN_MM: Final = 56.0
MESH_MM: Final = 16.0
STRIP: Final = 0.18
"""Share of a cell that counts as one of its sides."""
ALL, BASED = 0, 1
_WAYS: Final = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])


@dataclass(frozen=True, eq=False)
class Ground:
    """A part of the picture with what each pixel speaks for: over 0 a base, under 0 the table."""

    view: TableView
    height_mm: float
    says: npt.NDArray[np.float32]
    corner_px: Floats

    def without(self, quads_mm: Floats) -> Ground:
        """The same where other bases (N,4,2) have been found: not free for one of these."""
        points = np.column_stack([quads_mm.reshape(-1, 2), np.full(4 * len(quads_mm), self.height_mm)])
        pixels = self.view.to_pixel(points).reshape(-1, 4, 2) - self.corner_px
        says = self.says.copy()
        says[_filled(says.shape, np.nan_to_num(pixels, nan=-1e4)) > 0] = -SURE_MOST
        return Ground(self.view, self.height_mm, says, self.corner_px)

    def turned(self, turn_deg: float, low_mm: Floats, high_mm: Floats) -> Looks:
        """The same on axes turned like the bases; `low_mm` and `high_mm` bound it in the turned frame."""
        axes, eye = frame(turn_deg), self.view.pose.centre_mm
        low, place = laid_out(
            self.view, self.height_mm, turn_deg, low_mm - MARGIN_MM, high_mm + MARGIN_MM, self.corner_px
        )
        flat = sampled(self.says, place, cv2.BORDER_CONSTANT)
        sums = np.stack([cv2.integral(flat), cv2.integral(np.maximum(flat, 0.0))])
        return Looks(
            low, np.asarray(sums, dtype=np.float64), (eye[:2] - axes @ (low_mm + high_mm) / 2) @ axes / eye[2]
        )


@dataclass(frozen=True, eq=False)
class Looks:
    """Sums of what the ground says (integral images), on axes turned like the bases, from `low_mm`."""

    low_mm: Floats
    sums: Floats
    """Of everything, and of only what speaks for a base: (2,R+1,C+1)."""
    lean: Floats
    """Where the camera is from here, along each axis, per mm of height: things lean the other way."""

    def mean(self, middle_mm: Floats, size_mm: Floats, layer: int | Ints = ALL) -> Floats:
        """What rectangles (…,2) around their middles look like on the whole; `BASED`: how much of them looks like a base,
        whatever the rest looks like."""
        _, rows, columns = self.sums.shape
        most, half = np.array([columns - 1, rows - 1]), size_mm / 2
        low, high = (
            np.minimum(np.maximum(np.rint(end / STEP_MM), 0), most).astype(np.intp)
            for end in (middle_mm - half - self.low_mm, middle_mm + half - self.low_mm)
        )
        left, right = low[..., 0], high[..., 0]
        rear, front = (columns * (end[..., 1] + rows * layer) for end in (low, high))
        take = self.sums.ravel().take
        total = take(front + right) - take(rear + right) - take(front + left) + take(rear + left)
        return np.asarray(total / np.maximum((high - low).prod(axis=-1), 1))

    def cells(self, middle_mm: Floats, size_mm: Floats) -> Floats:
        """How much cells (…,2) look like a base: on the whole, and along the side of each that does so least.

        A base fills its cell to all four sides; half a base, or a gap to the next unit, leaves one side to the table.
        """
        strips = middle_mm[..., None, :] + _WAYS * (0.5 - STRIP / 2) * size_mm
        least = self.mean(strips, np.where(_WAYS != 0, STRIP, 1 - STRIP / 2) * size_mm).min(axis=-1)
        return np.asarray((self.mean(middle_mm, 0.94 * size_mm) + least) / 2)


def laid_out(
    view: TableView,
    height_mm: float,
    turn_deg: float,
    low_mm: Floats,
    high_mm: Floats,
    corner_px: Floats | float = 0.0,
) -> tuple[Floats, npt.NDArray[np.float32]]:
    """The pixel (R,C,2), counted from `corner_px`, of each square millimetre of the table between two corners of a turned
    frame, and the first's corner."""
    low = np.floor(low_mm)
    steps = np.ceil((high_mm - low) / MESH_MM).astype(int) + 1
    x, y = (low[k] + MESH_MM * np.arange(steps[k]) for k in (0, 1))
    mesh = np.stack(np.meshgrid(x, y, indexing="xy"), axis=-1).reshape(-1, 2)
    pixels = view.to_pixel(np.column_stack([mesh @ frame(turn_deg).T, np.full(len(mesh), height_mm)]))
    coarse = np.nan_to_num(pixels - corner_px, nan=-1e4).astype(np.float32).reshape(steps[1], steps[0], 2)
    # The lens is smooth: between the knots of the mesh straight lines are good to a hundredth of a pixel. The first square
    # millimetre has its middle half a step beyond the first knot, and the first knot lies half a mesh into what is resized.
    fine = round(MESH_MM / STEP_MM)
    place = cv2.resize(coarse, None, fx=fine, fy=fine, interpolation=cv2.INTER_LINEAR)
    return low, np.asarray(place[fine // 2 : -fine // 2, fine // 2 : -fine // 2], dtype=np.float32)


def sampled(image: npt.NDArray[Any], place_px: npt.NDArray[np.float32], border: int) -> npt.NDArray[Any]:
    """A picture at places (R,C,2)."""
    # The types do not know that one map with columns and rows is enough; an empty second one is not the same as none.
    return np.asarray(cv2.remap(image, place_px, None, cv2.INTER_LINEAR, borderMode=border))  # type: ignore[call-overload]


def ground_of(
    image: npt.NDArray[Any],
    view: TableView,
    height_mm: float,
    own_px: Floats,
    others_px: Floats,
    mm_per_px: float,
) -> Ground | None:
    """Learn the two colours from boxes (N,4,2) in the picture; None where no table is left between boxes."""
    reach = int(np.ceil((MARGIN_MM * 1.5) / mm_per_px))
    low = np.maximum(np.floor(own_px.min(axis=(0, 1))).astype(int) - reach, 0)
    high = np.minimum(np.ceil(own_px.max(axis=(0, 1))).astype(int) + reach, (image.shape[1], image.shape[0]))
    if np.any(high - low < 4):
        return None
    part = image[low[1] : high[1], low[0] : high[0]]
    if part.dtype != np.uint8:
        part = np.clip(part, 0, 255).astype(np.uint8)
    middle = own_px.mean(axis=1, keepdims=True)
    inner = _filled(part.shape, middle + SHRINK * (own_px - middle) - low)
    boxes = _filled(part.shape, own_px - low)
    near, far = (_wide(boxes, r / mm_per_px) for r in RING_MM)
    ring = (far > 0) & (near == 0)
    if len(others_px):
        ring &= _wide(_filled(part.shape, others_px - low), RING_MM[0] / mm_per_px) == 0
    if np.count_nonzero(ring) < RING_LEAST_PX or not inner.any():
        return None
    bits = part >> (8 - BINS_BITS)
    index = bits[..., 0].astype(np.uint16)
    for k in (1, 2):
        index <<= BINS_BITS
        index |= bits[..., k]
    ratio = np.log(_colours(index[inner > 0]) / _colours(index[ring]))
    says = np.clip(ratio, -SURE_MOST, SURE_MOST).astype(np.float32).take(index)
    if len(others_px):
        middle = others_px.mean(axis=1, keepdims=True)
        says[_filled(part.shape, middle + SHRINK * (others_px - middle) - low) > 0] = -SURE_MOST
    return Ground(view, height_mm, says, low.astype(np.float64))


def _filled(shape: tuple[int, ...], quads: Floats) -> npt.NDArray[np.uint8]:
    mask = np.zeros(shape[:2], dtype=np.uint8)
    for quad in np.round(quads * 16).astype(np.int32):
        cv2.fillConvexPoly(mask, quad, 1, cv2.LINE_8, 4)
    return mask


def _wide(mask: npt.NDArray[np.uint8], reach_px: float) -> npt.NDArray[np.uint8]:
    side = 2 * max(1, round(reach_px)) + 1
    return np.asarray(cv2.dilate(mask, np.ones((side, side), dtype=np.uint8)))


def _colours(index: npt.NDArray[np.uint16]) -> Floats:
    """How often each colour is seen, smoothed to its neighbours, none never."""
    bins = 1 << BINS_BITS
    counts = np.bincount(index, minlength=bins**3).reshape(bins, bins, bins)
    soft = np.eye(bins) / 2 + (np.eye(bins, k=1) + np.eye(bins, k=-1)) / 4
    flat = (soft @ np.tensordot(soft, counts, 1) @ soft).ravel()
    flat /= max(flat.sum(), 1e-9)
    return np.asarray((flat + FLOOR / 10) / (1 + FLOOR / 10 * len(flat)))
