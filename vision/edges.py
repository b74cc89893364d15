"""Sub-pixel edges across outlines: short profiles of the picture along the normals, for many pieces at once.

The profiles are taken in the picture itself, not in a rectified copy: each outline point and its normal go through the
full lens model, so nothing is interpolated twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from regla.calibration import TableView

from .found import Floats

__all__ = ["REACH_PX", "STEP_PX", "Profiles", "profiles"]

REACH_PX: Final = 6.0
"""How far to each side of the outline an edge is looked for: three times what a good detector is off."""
STEP_PX: Final = 0.5
SOFT_PX: Final = 0.9
"""Width of the edge filter: that of a sharp edge through a webcam's lens."""
ROWS_MOST: Final = 30_000
"""OpenCV's remap takes at most 32,767 rows."""

_OFFSETS: Final = np.arange(-REACH_PX, REACH_PX + STEP_PX / 2, STEP_PX)


def _kernel() -> npt.NDArray[np.float32]:
    """Derivative of a Gaussian, per pixel, as a filter over samples."""
    x = np.arange(-5, 6) * STEP_PX
    bell = np.exp(-(x**2) / (2 * SOFT_PX**2))
    slope = x * bell
    return np.asarray((slope / np.sum(slope * x))[None, :], dtype=np.float32)


_KERNEL: Final = _kernel()


@dataclass(frozen=True, eq=False)
class Profiles:
    """What lies across M outline points, S samples along each normal.

    `colours` (3,M,S) and how they change per pixel, `slope` (3,M,S): its direction in colour tells one edge from another;
    `strength` (M,S) is its length. `mm_per_px` (M,) is how long a pixel is along the normal, `inside` (M,) whether the point
    is in the picture at all. Each colour is a plane of its own: sums over three neighbours would take most of the time.
    """

    colours: npt.NDArray[np.float32]
    slope: npt.NDArray[np.float32]
    strength: npt.NDArray[np.float32]
    mm_per_px: Floats
    inside: npt.NDArray[np.bool_]

    def peaks(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]]:
        """The local maxima of the strength: which samples of (M,S) flattened, and their offsets to a fraction of one."""
        left, mid, right = self.strength[:, :-2], self.strength[:, 1:-1], self.strength[:, 2:]
        row, column = np.nonzero((mid > left) & (mid >= right))
        at = row * self.strength.shape[1] + column + 1
        before, here, after = (self.strength.take(at + k) for k in (-1, 0, 1))
        part = 0.5 * (before - after) / np.minimum(before - 2 * here + after, -1e-9)
        return at, (_OFFSETS[column + 1] + np.clip(part, -0.5, 0.5) * STEP_PX).astype(np.float32)


def profiles(
    image: npt.NDArray[Any], view: TableView, points_mm: Floats, normals: Floats, height_mm: Floats
) -> Profiles:
    """Look across outlines, given as points (M,2), normals (M,2) and heights (M,), in a picture (uint8 or float32, BGR)."""
    ends = np.concatenate([points_mm, points_mm + normals])
    here, there = np.split(view.to_pixel(np.column_stack([ends, np.tile(height_mm, 2)])), 2)
    along = there - here
    scale = np.hypot(along[:, 0], along[:, 1])
    good = np.isfinite(scale) & (scale > 1e-6)
    along[~good], here[~good], scale[~good] = 0.0, -1e4, 1.0
    along /= scale[:, None]
    rows, columns = image.shape[:2]
    inside = good & np.all((here > 1) & (here < (columns - 2, rows - 2)), axis=1)
    x = (here[:, :1] + along[:, :1] * _OFFSETS).astype(np.float32)
    y = (here[:, 1:] + along[:, 1:] * _OFFSETS).astype(np.float32)
    parts = [
        cv2.split(
            cv2.remap(
                image,
                x[i : i + ROWS_MOST],
                y[i : i + ROWS_MOST],
                cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_REPLICATE,
            )
        )
        for i in range(0, len(x), ROWS_MOST)
    ]
    colours = np.concatenate(parts, axis=1).astype(np.float32)
    flat = colours.reshape(-1, len(_OFFSETS))
    slope = cv2.filter2D(flat, cv2.CV_32F, _KERNEL[:, ::-1], borderType=cv2.BORDER_REPLICATE)
    slope = np.asarray(slope, dtype=np.float32).reshape(colours.shape)
    strength = np.sqrt(slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2])
    return Profiles(colours, slope, strength, 1 / scale, inside)
