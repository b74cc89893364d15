"""Oriented-box labels: from outlines to the four corners that training reads, and back.

One label file per picture, YOLO-OBB: ``class x1 y1 x2 y2 x3 y3 x4 y4`` a line, corners as shares of the picture. Pixels
are counted from the picture's corner here, so the middle of the first pixel is at (0.5, 0.5); truth documents and OpenCV
call that point (0, 0).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray
from regla.models.classes import CLASS_ID, CLASSES, HEX_CLASSES

__all__ = [
    "Labels",
    "clip_labels",
    "hex_corners",
    "labels_from_truth",
    "outline_corners",
    "read_labels",
    "round_corners",
    "write_labels",
]

Floats = NDArray[np.floating]

# Less than this of a thing inside a tile teaches nothing but noise.
MIN_VISIBLE_SHARE = 0.25
# Ultralytics drops boxes under two pixels itself; under four nothing can be told apart.
MIN_SIDE_PX = 4.0


@dataclass(frozen=True)
class Labels:
    """What one picture shows: class numbers (N,) and corners in pixels (N, 4, 2)."""

    class_id: NDArray[np.int64]
    corners_px: Floats

    def __len__(self) -> int:
        return len(self.class_id)


def read_labels(path: Path, size_px: tuple[int, int]) -> Labels:
    """Read a YOLO-OBB label file of a picture of ``size_px`` (width, height)."""
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        parts = line.split()
        if len(parts) != 9:
            raise ValueError(
                f"{path.name}, line {number}: expected a class and 4 corners (9 numbers), got {len(parts)}"
            )
        row = [float(part) for part in parts]
        if not 0 <= row[0] < len(CLASSES) or row[0] != int(row[0]):
            raise ValueError(
                f"{path.name}, line {number}: no class {parts[0]}; there are 0 to {len(CLASSES) - 1}"
            )
        rows.append(row)
    table = np.array(rows, dtype=np.float64).reshape(-1, 9)
    corners = table[:, 1:].reshape(-1, 4, 2) * np.array(size_px, dtype=np.float64)
    return Labels(table[:, 0].astype(np.int64), corners)


def write_labels(path: Path, labels: Labels, size_px: tuple[int, int]) -> None:
    """Write a YOLO-OBB label file; an empty one says that the picture shows nothing."""
    shares = np.clip(labels.corners_px / np.array(size_px, dtype=np.float64), 0.0, 1.0)
    lines = [
        f"{int(c)} " + " ".join(f"{v:.6f}" for v in corners.ravel())
        for c, corners in zip(labels.class_id, shares, strict=True)
    ]
    path.write_text("\n".join(lines) + ("\n" if lines else ""), encoding="utf-8")


def _box_along(points: Floats, angle_rad: float) -> Floats:
    """Corners of the smallest box round ``points`` with one side at ``angle_rad``."""
    cos, sin = np.cos(angle_rad), np.sin(angle_rad)
    turn = np.array([[cos, sin], [-sin, cos]])
    turned = points @ turn.T
    low, high = turned.min(axis=0), turned.max(axis=0)
    corners = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    return corners @ turn


def round_corners(points: Floats) -> Floats:
    """Corners of the upright box round an outline: a circle has no direction to follow.

    >>> round_corners(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])).tolist()
    [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
    """
    return _box_along(np.asarray(points, dtype=np.float64), 0.0)


def hex_corners(points: Floats) -> Floats:
    """Corners of the box of a hexagon that has two of its sides, the ones nearest to level.

    A hexagon has three such boxes a sixth of a turn apart; always taking the same one gives the network one right
    answer to learn instead of three. A level side is kept level.
    """
    points = np.asarray(points, dtype=np.float64)
    if len(points) != 6:
        raise ValueError(f"expected the 6 corners of a hexagon, got {len(points)}")
    edges = np.roll(points, -1, axis=0) - points
    # Opposite sides run against each other: their mean direction holds under mild perspective too.
    directions = edges[:3] - edges[3:]
    angles = np.arctan2(directions[:, 1], directions[:, 0])
    angles = (angles + np.pi / 2) % np.pi - np.pi / 2
    return _box_along(points, float(angles[np.argmin(np.abs(angles))]))


def outline_corners(outline: Floats, class_name: str) -> Floats:
    """The box a detector should draw round an outline of a truth document."""
    if class_name == "hand":
        return cv2.boxPoints(cv2.minAreaRect(outline.astype(np.float32))).astype(np.float64)
    if len(outline) == 4:
        along = outline[1] - outline[0] + outline[2] - outline[3]
        return _box_along(outline, float(np.arctan2(along[1], along[0])))
    if len(outline) == 6 or class_name in HEX_CLASSES:
        return hex_corners(outline)
    return round_corners(outline)


def labels_from_truth(document: dict[str, Any]) -> tuple[Labels, Floats]:
    """The labels of a truth document's ``objects`` and how much of each is seen (0–1).

    What is seen to less than a quarter is left out: nobody would be asked to find it. Boxes are cut at the picture's rim.
    """
    things = [thing for thing in document["objects"] if thing["visible"] >= MIN_VISIBLE_SHARE]
    corners = [
        outline_corners(np.array(thing["outline_px"], dtype=np.float64) + 0.5, thing["class"])
        for thing in things
    ]
    whole = Labels(
        np.array([CLASS_ID[thing["class"]] for thing in things], dtype=np.int64),
        np.array(corners, dtype=np.float64).reshape(-1, 4, 2),
    )
    width, height = document["camera"]["size"]
    cut, rows = clip_rows(whole, (0.0, 0.0, float(width), float(height)))
    return cut, np.array([thing["visible"] for thing in things], dtype=np.float64)[rows]


def clip_labels(labels: Labels, region_px: tuple[float, float, float, float]) -> Labels:
    """Keep what a tile ``(left, top, right, bottom)`` shows, in the tile's own pixels, boxes cut at its rim.

    A cut box keeps its direction. What is cut to under a quarter is left out.
    """
    return clip_rows(labels, region_px)[0]


def clip_rows(
    labels: Labels, region_px: tuple[float, float, float, float]
) -> tuple[Labels, NDArray[np.intp]]:
    """As ``clip_labels``, and which rows were kept."""
    left, top, right, bottom = region_px
    corners = np.asarray(labels.corners_px, dtype=np.float64).reshape(-1, 4, 2)
    low, high = corners.min(axis=1), corners.max(axis=1)
    size = shapely.area(shapely.polygons(corners)) if len(corners) else np.zeros(0)
    whole = (low[:, 0] >= left) & (low[:, 1] >= top) & (high[:, 0] <= right) & (high[:, 1] <= bottom)
    away = (high[:, 0] <= left) | (high[:, 1] <= top) | (low[:, 0] >= right) | (low[:, 1] >= bottom)
    frame = shapely.box(left, top, right, bottom)
    origin = np.array([left, top])
    rows, kept = [], []
    for i in np.nonzero(~away & (size > 0))[0]:
        box = corners[i]
        if not whole[i]:
            part = shapely.intersection(shapely.polygons(box), frame)
            if part.area < MIN_VISIBLE_SHARE * size[i]:
                continue
            edge = box[1] - box[0]
            outline = np.array(part.exterior.coords)[:-1]
            box = _box_along(outline, float(np.arctan2(edge[1], edge[0])))
        sides = np.linalg.norm(box[1] - box[0]), np.linalg.norm(box[2] - box[1])
        if min(sides) < MIN_SIDE_PX:
            continue
        rows.append(i)
        kept.append(box - origin)
    index = np.array(rows, dtype=np.intp)
    return Labels(labels.class_id[index], np.array(kept, dtype=np.float64).reshape(-1, 4, 2)), index
