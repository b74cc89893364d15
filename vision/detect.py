"""The detector: a frame in, oriented boxes out, at the picture's own resolution.

    detector = Detector.load()              # the shipped network; or Detector.load(Path("mine.onnx"))
    seen = detector(frame)                  # frame: uint8 BGR, any size
    for name, score, corners in zip(seen.names, seen.score, seen.corners_px): ...

Small things are a handful of pixels on a large table, so a frame is never shrunk to the network's training size: it is
looked at in tiles of up to ``TILE_PX`` at native resolution. A 1080p frame is one tile and has no seams at all. A larger
picture is cut into overlapping tiles. Every picture is looked at once more at half size (and a quarter, … until one tile
holds it), where only large things count: an arm across the table, a tray larger than the overlap. Finds of one thing in
several looks become one (``boxes.keep_best``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from regla.models.classes import BASE_CLASSES, CLASSES, HEX_CLASSES
from regla.vision.boxes import corners_of, keep_best, thin
from regla.vision.weights import ModelFile, ModelFileError, Network, shipped

__all__ = ["Detections", "Detector", "Tile", "merge", "place", "plan_tiles"]

# Width and height of the largest tile: a 1080p frame, rounded up to the network's stride, is one.
TILE_PX = (1920, 1088)
# Every thing up to this size lies whole in at least one tile.
OVERLAP_PX = 256
# The network halves its input five times.
STRIDE_PX = 32
# Grey that the training pictures were padded with.
PAD_GREY = 114
# Two tiles' rims are never exact: a box ending this near to a seam was cut by it.
SEAM_PX = 3.0
# Photographs larger than this are shrunk first: no table needs more, and a 100-megapixel file must not fill the memory.
MAX_SIDE_PX = 8192
DEFAULT_SCORE = 0.25
# The environment variable that names one's own detector, for every command and the service alike.
OWN_MODEL = "REGLA_DETECTOR"
# What the score of a find at half size or less is multiplied with, and the pixels that it must measure there: what is
# smaller was seen better at native size.
COARSE_WORTH = 0.9
COARSE_MIN_PX = 64.0


@dataclass(frozen=True)
class Detections:
    """What a frame shows, best first: one row per thing.

    ``box_px`` is (cx, cy, w, h, angle_rad), the angle from +x towards +y (clockwise in the picture), within an eighth of a
    turn of level; ``corners_px`` the same boxes as four corners. Boxes have no front, round bases are always level.
    Pixels as OpenCV counts them: the middle of the first one is (0, 0).
    """

    class_id: NDArray[np.int64]
    score: NDArray[np.float64]
    box_px: NDArray[np.float64]
    corners_px: NDArray[np.floating]

    def __len__(self) -> int:
        return len(self.class_id)

    @property
    def names(self) -> list[str]:
        """Class names, row by row."""
        return [CLASSES[i] for i in self.class_id]

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Detections:
        """The same kind of thing with only some rows."""
        return Detections(self.class_id[rows], self.score[rows], self.box_px[rows], self.corners_px[rows])


@dataclass(frozen=True)
class Tile:
    """A part of a picture at one scale: left, top, width and height in the scaled picture's pixels."""

    scale: float
    left: int
    top: int
    width: int
    height: int


def _starts(length: int, tile: int, overlap: int) -> list[int]:
    """Evenly spread starts so that neighbours share at least ``overlap`` and the last ends at the rim."""
    if length <= tile:
        return [0]
    count = -(-(length - overlap) // (tile - overlap))
    return [round(i * (length - tile) / (count - 1)) for i in range(count)]


def plan_tiles(
    width_px: int, height_px: int, tile_px: tuple[int, int] = TILE_PX, overlap_px: int = OVERLAP_PX
) -> list[Tile]:
    """Cover a picture with tiles: all at native size, then half size, and so on until one tile holds everything.

    >>> plan_tiles(1920, 1080)[0]
    Tile(scale=1.0, left=0, top=0, width=1920, height=1080)
    >>> len(plan_tiles(1920, 1080)), len(plan_tiles(3840, 2160))
    (2, 10)
    """
    tile_width, tile_height = tile_px
    if overlap_px >= min(tile_px):
        raise ValueError(f"expected an overlap under the tile's {min(tile_px)} px, got {overlap_px}")
    tiles = []
    scale = 1.0
    while True:
        width, height = max(1, round(width_px * scale)), max(1, round(height_px * scale))
        for top in _starts(height, tile_height, overlap_px):
            tiles += [
                Tile(scale, left, top, min(tile_width, width), min(tile_height, height))
                for left in _starts(width, tile_width, overlap_px)
            ]
        if scale < 1.0 and width <= tile_width and height <= tile_height:
            return tiles
        scale /= 2


def _alike() -> NDArray[np.int64]:
    """Classes that one outline can be mistaken for each other, as group numbers."""
    groups = []
    for i, name in enumerate(CLASSES):
        if name in HEX_CLASSES:
            groups.append(100)
        elif name in BASE_CLASSES or name in {"token", "standee", "die", "cube"}:
            groups.append(101)
        else:
            groups.append(i)
    return np.array(groups, dtype=np.int64)


ALIKE = _alike()
ROUND_BASE = CLASSES.index("round-base")


def place(
    tile: Tile,
    size_px: tuple[int, int],
    class_id: NDArray[np.int64],
    score: NDArray[np.float64],
    boxes: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Put a tile's finds where they belong in the picture of ``size_px`` (width, height).

    Rows of class, score, cx, cy, w, h, angle (picture pixels) and whether a seam of the tile cut the box.
    """
    inner = (
        tile.left > 0,
        tile.top > 0,
        tile.left + tile.width < round(size_px[0] * tile.scale),
        tile.top + tile.height < round(size_px[1] * tile.scale),
    )
    corners = corners_of(boxes)
    low, high = corners.min(axis=1), corners.max(axis=1)
    cut = (
        (inner[0] & (low[:, 0] < SEAM_PX))
        | (inner[1] & (low[:, 1] < SEAM_PX))
        | (inner[2] & (high[:, 0] > tile.width - SEAM_PX))
        | (inner[3] & (high[:, 1] > tile.height - SEAM_PX))
    )
    placed = boxes.copy()
    placed[:, 0] = (boxes[:, 0] + tile.left) / tile.scale
    placed[:, 1] = (boxes[:, 1] + tile.top) / tile.scale
    placed[:, 2:4] /= tile.scale
    # One name per box: a quarter turn more and the sides swapped is the same box.
    quarter = np.round(placed[:, 4] / (np.pi / 2))
    placed[:, 4] -= quarter * (np.pi / 2)
    swap = quarter.astype(np.int64) % 2 == 1
    placed[swap, 2:4] = placed[swap, 3:1:-1]
    placed[class_id == ROUND_BASE, 4] = 0.0
    # A coarser look is worth less: where a finer one saw the same thing whole, that one is taken.
    coarse = tile.scale < 1.0
    worth = score * (COARSE_WORTH if coarse else 1.0)
    rows = np.concatenate([class_id[:, None], worth[:, None], placed, cut[:, None]], axis=1)
    return rows[boxes[:, 2:4].max(axis=1) >= COARSE_MIN_PX] if coarse else rows


def merge(rows: NDArray[np.float64]) -> Detections:
    """Take every thing once from the rows of all tiles, best first."""
    class_id, score, boxes, cut = rows[:, 0].astype(np.int64), rows[:, 1], rows[:, 2:7], rows[:, 7] > 0
    kept = keep_best(boxes, score, class_id, cut, ALIKE)
    kept = kept[np.argsort(-score[kept], kind="stable")]
    return Detections(class_id[kept], score[kept], boxes[kept], corners_of(boxes[kept]))


class Detector:
    """The network and how to look through it. Calls from several threads wait for each other."""

    def __init__(
        self,
        file: ModelFile,
        tile_px: tuple[int, int] = TILE_PX,
        overlap_px: int = OVERLAP_PX,
        threads: int | None = None,
    ) -> None:
        classes = file.card.get("classes")
        if not isinstance(classes, list) or not set(classes) <= set(CLASSES):
            raise ModelFileError(
                f"{file.path.stem}.json: its classes are not Regla's: {classes!r}",
                f"{file.path.stem}.json: sus clases no son las de Regla: {classes!r}",
            )
        self._class_of = np.array([CLASSES.index(name) for name in classes], dtype=np.int64)
        self._network = Network(file, threads)
        self.model_sha256 = file.sha256
        self.input_px = tile_px
        self.overlap_px = overlap_px
        thresholds = file.card.get("score", {})
        self.score_threshold = np.array([float(thresholds.get(name, DEFAULT_SCORE)) for name in CLASSES])

    @classmethod
    def load(cls, path: Path | None = None, threads: int | None = None) -> Detector:
        """Open the ONNX file at ``path``, or the one REGLA_DETECTOR names, or the shipped one.

        Raises ModelFileError if it cannot be trusted. ``threads`` limits the processors used: on a machine that is busy with other things one is faster than all.
        """
        chosen = path or os.environ.get(OWN_MODEL) or shipped("regla-nano")
        return cls(ModelFile.open(Path(chosen), kind="detector"), threads=threads)

    def __call__(self, image_bgr: NDArray[Any], min_score: float | None = None) -> Detections:
        """Find everything in a uint8 BGR picture. ``min_score`` overrides the card's per-class thresholds."""
        image = np.asarray(image_bgr)
        if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or 0 in image.shape:
            raise ValueError(
                f"expected a uint8 BGR picture (height, width, 3), got {image.dtype} {image.shape}"
            )
        shrink = min(1.0, MAX_SIDE_PX / max(image.shape[:2]))
        if shrink < 1.0:
            image = cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        height, width = image.shape[:2]
        found = [
            part
            for tile, pixels in self._tiles(image, width, height)
            for part in self._look(tile, pixels, (width, height), min_score)
        ]
        seen = merge(np.concatenate(found) if found else np.zeros((0, 8)))
        boxes = seen.box_px.copy()
        boxes[:, :4] /= shrink
        # The network counts from the picture's corner, OpenCV and the camera model from the first pixel's middle.
        boxes[:, :2] -= 0.5
        return Detections(seen.class_id, seen.score, boxes, corners_of(boxes))

    def _tiles(self, image: NDArray[Any], width: int, height: int) -> Iterator[tuple[Tile, NDArray[Any]]]:
        scaled, at = image, 1.0
        for tile in plan_tiles(width, height, self.input_px, self.overlap_px):
            if tile.scale != at:
                size = (max(1, round(width * tile.scale)), max(1, round(height * tile.scale)))
                scaled, at = cv2.resize(image, size, interpolation=cv2.INTER_AREA), tile.scale
            yield tile, scaled[tile.top : tile.top + tile.height, tile.left : tile.left + tile.width]

    def _look(
        self, tile: Tile, pixels: NDArray[Any], size_px: tuple[int, int], min_score: float | None
    ) -> list[NDArray[np.float64]]:
        """Run the network on one tile; rows as ``place`` gives them."""
        height, width = pixels.shape[:2]
        canvas = np.full(
            (1, -(-height // STRIDE_PX) * STRIDE_PX, -(-width // STRIDE_PX) * STRIDE_PX, 3),
            PAD_GREY,
            dtype=np.uint8,
        )
        canvas[0, :height, :width] = pixels
        raw = self._network(canvas)[0]
        if raw.ndim != 3 or raw.shape[2] != len(self._class_of) + 5:
            count = len(self._class_of)
            raise ModelFileError(
                f"the network gives {raw.shape}, not boxes of {count} classes",
                f"la red devuelve {raw.shape}, no cajas de {count} clases",
            )
        classes_end = 4 + len(self._class_of)
        best = raw[0, :, 4:classes_end].argmax(axis=1)
        score = raw[0, np.arange(len(best)), 4 + best]
        class_id = self._class_of[best]
        limit = self.score_threshold[class_id] if min_score is None else min_score
        keep = score >= limit
        rows = raw[0, keep].astype(np.float64)
        class_id, score = class_id[keep], score[keep].astype(np.float64)
        boxes = np.concatenate([rows[:, :4], rows[:, -1:]], axis=1)
        if len(boxes) == 0:
            return []
        few = thin(boxes, score, class_id)
        boxes, score, class_id = boxes[few], score[few], class_id[few]
        return [place(tile, size_px, class_id, score, boxes)]
