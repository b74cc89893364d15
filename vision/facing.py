"""Which way a base looks: a second, small network on crops turned to the box.

    facing = FacingModel.load()
    angle_rad, confidence = facing(frame, seen.corners_px, seen.class_id)     # NaN: unknown

The network gives a share to each of ``BINS`` directions. A box that can be read two ways spreads its shares and so loses
confidence; under the card's threshold the answer is NaN, "unknown", which is a legal answer everywhere in Regla.
Angles are directions in the picture, ``atan2(dy, dx)`` with y down; the caller turns them into table degrees.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from regla.models.classes import CLASSES
from regla.vision.boxes import boxes_of
from regla.vision.weights import ModelFile, ModelFileError, Network, shipped

__all__ = ["BINS", "CROP_PX", "FACING_CLASSES", "VIEWS", "FacingModel", "crop", "decode"]

# Side of the square crop the network sees.
CROP_PX = 64
# How much wider than the box each view of it is. A figure leans over its base's rim and points with what it holds; and who
# stands in ranks looks where the neighbours look, which the second, wider view shows.
VIEWS = (1.5, 4.0)
# Directions told apart, 10° each; the answer between two is their weighted mean.
BINS = 36
# Half-width of the window round the best direction that counts as "this one".
WINDOW_RAD = np.deg2rad(30.0)
# Classes that have a front at all, and those whose front is one of the box's four sides.
FACING_CLASSES = frozenset({"round-base", "rect-base", "tray", "standee"})
SQUARED_CLASSES = frozenset({"rect-base", "tray"})
DEFAULT_CONFIDENCE = 0.8
# A round base is looked at twice more, turned by so many bins: 95 % of them are then right to a sixth less.
TURNED_STEPS = (13, 24)
# A direction that one of the looks gives nothing may still be the right one.
LEAST_SHARE = 1e-4
# Picture pixels to one crop pixel, at most.
COARSEST_STEP = 1.5
# Pixels, made smaller, around what is cut: they take part in the smoothing.
MARGIN = 8


def crop(
    image_bgr: NDArray[Any],
    boxes: NDArray[np.floating],
    size_px: int = CROP_PX,
    views: tuple[float, ...] = VIEWS,
) -> NDArray[Any]:
    """Cut out boxes (cx, cy, w, h, angle_rad), each turned so that its first side lies level, once per view.

    The views of a box stand side by side: (N, size, size * views, 3).
    """
    boxes = np.array(boxes, dtype=np.float64).reshape(-1, 5)
    crops = np.zeros((len(boxes), size_px, size_px * len(views), 3), dtype=np.uint8)
    # Never degenerate: a box of no size still has a place.
    step = np.maximum(boxes[:, 2:4].max(axis=1)[:, None] * views, 1.0) / size_px
    # From a copy of the picture that is at most half again too fine: interpolation alone would alias.
    levels = np.maximum(np.ceil(np.log2(step / COARSEST_STEP)), 0).astype(int)
    part, corner = _around(np.asarray(image_bgr), boxes[:, :2], step * size_px, 2 ** levels.max(initial=0))
    boxes[:, :2] -= corner
    smaller = [part]
    while len(smaller) <= levels.max(initial=0) and min(smaller[-1].shape[:2]) > 1:
        smaller.append(cv2.pyrDown(smaller[-1]))
    levels = np.minimum(levels, len(smaller) - 1)
    scale = 2.0**-levels
    # From crop pixels to picture pixels, which is what WARP_INVERSE_MAP expects.
    cos, sin = (turn(boxes[:, 4])[:, None] * step * scale for turn in (np.cos, np.sin))
    x, y = ((boxes[:, k, None] + 0.5) * scale - 0.5 for k in (0, 1))
    middle = (size_px - 1) / 2
    matrices = np.stack(
        [
            np.stack([cos, -sin, x - cos * middle + sin * middle], axis=-1),
            np.stack([sin, cos, y - sin * middle - cos * middle], axis=-1),
        ],
        axis=-2,
    )
    for i, k in np.ndindex(levels.shape):
        crops[i, :, k * size_px : (k + 1) * size_px] = cv2.warpAffine(
            smaller[levels[i, k]],
            matrices[i, k],
            (size_px, size_px),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
    return crops


def _around(
    image: NDArray[Any], middles: NDArray[np.float64], sides: NDArray[np.float64], coarse: int
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The part of a picture that crops of these sides are cut from, and its corner: only that is made smaller.

    The corner falls on a pixel of the picture made ``coarse`` times smaller, so that the part's pixels are the picture's own.
    """
    whole = np.array(image.shape[1::-1])
    if not len(middles):
        return image, np.zeros(2, dtype=np.int64)
    reach = sides.max(axis=1)[:, None] * np.sqrt(0.5) + MARGIN * coarse
    low = np.clip(np.floor((middles - reach).min(axis=0) / coarse) * coarse, 0, whole - 1).astype(np.int64)
    low -= low % coarse
    high = np.clip(np.ceil((middles + reach).max(axis=0)), low + 1, whole).astype(np.int64)
    return image[low[1] : high[1], low[0] : high[0]], low


def decode(
    shares: NDArray[np.floating], squared: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Turn shares per direction (N, BINS) into an angle in the crop and how much of the whole speaks for it.

    >>> shares = np.zeros((1, BINS)); shares[0, 9] = 1.0
    >>> angle, confidence = decode(shares, np.array([False]))
    >>> round(float(np.rad2deg(angle[0]))), float(confidence[0])
    (90, 1.0)
    """
    shares = np.asarray(shares, dtype=np.float64).reshape(-1, BINS)
    bins = np.arange(BINS) * (2 * np.pi / BINS)
    # Every candidate direction with the shares inside its window; squared boxes have four candidates only.
    apart = np.abs((bins[:, None] - bins[None, :] + np.pi) % (2 * np.pi) - np.pi)
    window = (apart <= WINDOW_RAD + 1e-9).astype(np.float64)
    mass = shares @ window
    quarter = np.zeros(BINS, dtype=bool)
    quarter[:: BINS // 4] = True
    wide = (apart[:, quarter] < np.pi / 4 - 1e-9) + 0.5 * (np.abs(apart[:, quarter] - np.pi / 4) <= 1e-9)
    mass_squared = np.zeros_like(mass)
    mass_squared[:, quarter] = shares @ wide
    mass = np.where(squared[:, None], mass_squared, mass)
    best = mass.argmax(axis=1)
    near = window[best] * shares
    mean = np.arctan2(near @ np.sin(bins), near @ np.cos(bins))
    angle = np.where(squared, bins[best], mean)
    return angle, np.clip(mass[np.arange(len(best)), best], 0.0, 1.0)


class FacingModel:
    """The facing network; ask it with a picture and boxes."""

    def __init__(self, file: ModelFile) -> None:
        if file.card.get("bins") != BINS or file.card.get("crop_px") != CROP_PX:
            raise ModelFileError(
                f"{file.path.name}: expected {BINS} directions from {CROP_PX} px crops",
                f"{file.path.name}: se esperaban {BINS} direcciones a partir de recortes de {CROP_PX} px",
            )
        # Cards from before there were two views name none.
        self._views = tuple(float(v) for v in file.card.get("views", VIEWS[:1]))
        # One thread: so small a network gains nothing by a second that waits for it.
        self._network = Network(file, threads=1)
        self.model_sha256 = file.sha256
        thresholds = file.card.get("confidence", {})
        self._threshold = np.array([float(thresholds.get(name, DEFAULT_CONFIDENCE)) for name in CLASSES])
        self._known = np.array([name in FACING_CLASSES for name in CLASSES])
        self._squared = np.array([name in SQUARED_CLASSES for name in CLASSES])

    @classmethod
    def load(cls, path: Path | None = None) -> FacingModel:
        """Open the shipped network, or the ONNX file at ``path``; raises ModelFileError if it cannot be trusted."""
        return cls(ModelFile.open(shipped("regla-facing") if path is None else Path(path), kind="facing"))

    def __call__(
        self, image_bgr: NDArray[Any], corners_px: NDArray[np.floating], class_id: NDArray[np.integer]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Direction in the picture (radians, NaN = unknown) and confidence 0–1 for each box."""
        angle, confidence, told = self.guess(image_bgr, corners_px, class_id)
        return np.where(told, angle, np.nan), confidence

    def guess(
        self, image_bgr: NDArray[Any], corners_px: NDArray[np.floating], class_id: NDArray[np.integer]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """The likeliest direction of each box however unsure (NaN: its kind has no front), its confidence, and whether
        that is enough to say so. Guesses are for those who have several of one thing: ranks look one way."""
        class_id = np.asarray(class_id, dtype=np.int64).reshape(-1)
        facing = np.full(len(class_id), np.nan)
        confidence = np.zeros(len(class_id))
        rows = np.nonzero(self._known[class_id])[0]
        if len(rows):
            boxes = boxes_of(np.asarray(corners_px, dtype=np.float64).reshape(-1, 4, 2)[rows])
            squared = self._squared[class_id[rows]]
            angle, sure = decode(self._look(image_bgr, boxes, squared), squared)
            confidence[rows] = sure
            facing[rows] = (angle + boxes[:, 4] + np.pi) % (2 * np.pi) - np.pi
        return facing, confidence, np.isfinite(facing) & (confidence >= self._threshold[class_id])

    def _look(
        self, image_bgr: NDArray[Any], boxes: NDArray[np.floating], squared: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Shares per direction; round things, which have no side to lie along, are looked at turned several ways."""
        free = np.flatnonzero(~squared)
        looks = [boxes]
        for step in TURNED_STEPS:
            turned = boxes[free].copy()
            turned[:, 4] += step * (2 * np.pi / BINS)
            looks.append(turned)
        # All in one run: the network takes full batches only.
        every = self.shares(crop(image_bgr, np.concatenate(looks), views=self._views))
        shares, *again = np.split(every, np.cumsum([len(look) for look in looks])[:-1])
        total = np.log(shares[free] + LEAST_SHARE)
        for step, part in zip(TURNED_STEPS, again, strict=True):
            total += np.log(np.roll(part, step, axis=1) + LEAST_SHARE)
        mean = np.exp(total / (1 + len(TURNED_STEPS)))
        shares[free] = mean / mean.sum(axis=1, keepdims=True)
        return shares

    def shares(self, crops: NDArray[Any]) -> NDArray[np.float64]:
        """The network's shares per direction for crops as ``crop`` gives them."""
        return self._network.each(crops).astype(np.float64).reshape(-1, BINS)
