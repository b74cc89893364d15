"""Where in its box a base really stands: a small network that has seen what figures do to boxes.

    place = PlaceModel.load()
    boxes, sigma = place(frame, boxes, up_px, class_id)

A figure leans over its base, hides a side of it and draws the detector's box after itself. The network looks at each box
once more, turned so that figures lean to the right, and says by how much the base lies, turns and measures otherwise, and how
sure it is of each. Asked box by box it knows what the edges alone do not: which part of all this is the base.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from regla.calibration import TableView
from regla.models.classes import CLASSES

from .boxes import a_few, area_px2, boxes_of, corners_of
from .catalogue import Catalogue
from .facing import crop
from .weights import ModelFile, ModelFileError, Network, shipped

__all__ = [
    "CROP_PX",
    "PLACED_CLASSES",
    "UNIT",
    "VIEW",
    "Asked",
    "PlaceModel",
    "Placed",
    "leaning",
    "moved",
    "moves",
    "place_boxes",
    "steps_mm",
    "up_px",
]

CROP_PX: Final = 64
VIEW: Final = 1.8
"""Side of the crop, and how much wider than the box's longer side it is."""
PLACED_CLASSES: Final = frozenset({"round-base", "rect-base", "tray", "token"})
ROUND_CLASSES: Final = frozenset({"round-base"})
UNIT: Final = 0.1
"""What one of the network's units is: this share of the longer side, this logarithm, this many radians."""
MOVES: Final = 5
"""Two for the middle, along and across the crop; two for the sides; one for the turn."""

MOST_OF_A_BLOCK: Final = 8
"""Bases alike and close together of which the network is asked: they say together where all of them stand."""
RISE_MM: Final = 10.0

Floats = NDArray[np.float64]


def up_px(view: TableView, middle_px: NDArray[np.floating], height_mm: NDArray[np.floating]) -> Floats:
    """Which way, in the picture, what stands at these pixels leans: (N,2), no unit."""
    at = view.places_mm(middle_px, height_mm)
    higher = view.to_pixel(np.column_stack([np.nan_to_num(at), np.asarray(height_mm) + RISE_MM]))
    return np.asarray(np.nan_to_num(higher - middle_px))


def leaning(boxes: NDArray[np.floating], up_px: NDArray[np.floating], is_round: NDArray[np.bool_]) -> Floats:
    """The same boxes (cx, cy, w, h, angle) read so that what stands on them leans along their first side.

    A rectangle can be read in four ways, a quarter turn apart; a round thing in any.
    """
    out = np.array(boxes, dtype=np.float64).reshape(-1, 5)
    up = np.asarray(up_px, dtype=np.float64).reshape(-1, 2)
    way = np.arctan2(up[:, 1], up[:, 0])
    quarters = np.rint((way - out[:, 4]) / (np.pi / 2))
    odd = (quarters % 2 == 1) & ~is_round
    out[odd, 2:4] = out[odd][:, [3, 2]]
    out[:, 4] = np.where(is_round, way, out[:, 4] + quarters * (np.pi / 2))
    return out


def moves(boxes: NDArray[np.floating], true: NDArray[np.floating]) -> Floats:
    """What takes boxes to the true ones, in the network's units (N,5)."""
    long = boxes[:, 2:4].max(axis=1)
    cos, sin = np.cos(boxes[:, 4]), np.sin(boxes[:, 4])
    dx, dy = (true[:, :2] - boxes[:, :2]).T
    turn = (true[:, 4] - boxes[:, 4] + np.pi / 4) % (np.pi / 2) - np.pi / 4
    # A true box may be read the other way round.
    swapped = np.rint((true[:, 4] - boxes[:, 4]) / (np.pi / 2)).astype(int) % 2 == 1
    sides = np.where(swapped[:, None], true[:, [3, 2]], true[:, 2:4])
    out = np.column_stack(
        [(cos * dx + sin * dy) / long, (-sin * dx + cos * dy) / long, np.log(sides / boxes[:, 2:4]), turn]
    )
    return np.asarray(out / UNIT)


def moved(boxes: Floats, by: Floats) -> Floats:
    """Boxes after moves as `moves` gives them.

    >>> box, true = np.array([[5.0, 5, 20, 10, 0.1]]), np.array([[6.0, 4, 22, 9, 0.2]])
    >>> moved(box, moves(box, true)).round(6).tolist()
    [[6.0, 4.0, 22.0, 9.0, 0.2]]
    """
    by = np.asarray(by, dtype=np.float64) * UNIT
    long = boxes[:, 2:4].max(axis=1)
    cos, sin = np.cos(boxes[:, 4]), np.sin(boxes[:, 4])
    x, y = by[:, 0] * long, by[:, 1] * long
    return np.column_stack(
        [
            boxes[:, 0] + cos * x - sin * y,
            boxes[:, 1] + sin * x + cos * y,
            boxes[:, 2:4] * np.exp(by[:, 2:4]),
            boxes[:, 4] + by[:, 4],
        ]
    )


class PlaceModel:
    """The place network; ask it with a picture and boxes."""

    def __init__(self, file: ModelFile) -> None:
        if (
            file.card.get("moves") != MOVES
            or file.card.get("crop_px") != CROP_PX
            or not file.card.get("whole")
        ):
            raise ModelFileError(
                f"{file.path.name}: expected {MOVES} moves, and whether it is one base, from {CROP_PX} px crops",
                f"{file.path.name}: se esperaban {MOVES} movimientos, y si es una sola base, a partir de recortes de {CROP_PX} px",
            )
        # One thread: so small a network gains nothing by a second that waits for it.
        self._network = Network(file, threads=1)
        self.model_sha256 = file.sha256
        honest = file.card.get("sigma_times", {})
        self._times = np.array([float(honest.get(name, 1.0)) for name in CLASSES])
        self._round = np.array([name in ROUND_CLASSES for name in CLASSES])

    @classmethod
    def load(cls, path: Path | None = None) -> PlaceModel:
        """Open the shipped network, or the ONNX file at ``path``; raises ModelFileError if it cannot be trusted."""
        return cls(ModelFile.open(shipped("regla-place") if path is None else Path(path), kind="place"))

    def __call__(
        self,
        image_bgr: NDArray[Any],
        boxes: NDArray[np.floating],
        up_px: NDArray[np.floating],
        class_id: NDArray[np.integer],
    ) -> tuple[Floats, Floats, Floats]:
        """Where the bases really stand: boxes (N,5); sigmas (N,5) along, across (px), of the sides (px) and the turn (rad);
        and how much the boxes as they were look like one base and nothing but (N,), a logarithm.

        ``up_px`` is which way things lean there in the picture.
        """
        class_id = np.asarray(class_id, dtype=np.int64).reshape(-1)
        is_round = self._round[class_id]
        read = leaning(boxes, up_px, is_round)
        said = self.look(crop(image_bgr, read, CROP_PX, (VIEW,)))
        out = moved(read, said[:, :MOVES])
        out[is_round, 2:4] = np.sqrt(out[is_round, 2:4].prod(axis=1))[:, None]
        sigma = np.exp(said[:, MOVES : 2 * MOVES]) * UNIT * self._times[class_id][:, None]
        sigma[:, :2] *= read[:, 2:4].max(axis=1)[:, None]
        sigma[:, 2:4] *= out[:, 2:4]
        return out, sigma, said[:, -1]

    def look(self, crops: NDArray[Any]) -> Floats:
        """What the network says of crops: moves, the logarithms of their sigmas, and how much they look like one base (N,11)."""
        return self._network.each(crops).astype(np.float64).reshape(-1, 2 * MOVES + 1)


@dataclass(frozen=True, eq=False)
class Placed:
    """Boxes of a look where the network puts them: corners (N,4,2), and how well middles (N,2,2), sides (N,) and turns (N,)
    are known, in px² and px and degrees; NaN where it was not asked. `whole`: how much the detector's box was one base (N,)."""

    corners_px: Floats
    cov_px2: Floats
    side_px: Floats
    turn_deg: Floats
    whole: Floats


class Asked:
    """One picture that can be asked about places on its table, (N,4,2) in mm: does one rectangular base stand there, and where?"""

    def __init__(self, model: PlaceModel, image: NDArray[Any], view: TableView, height_mm: float) -> None:
        self._model, self._image, self._view, self._height = model, image, view, height_mm

    def whole(self, quads_mm: Floats) -> Floats:
        """How much each place looks like one base and nothing but (N,), a logarithm."""
        return self.stands(quads_mm)[2]

    def stands(self, quads_mm: Floats) -> tuple[Floats, Floats, Floats]:
        """Where the base of each place really stands: middles (N,2), covariances (N,2,2), and `whole`."""
        flat = quads_mm.reshape(-1, 2)
        pixels = self._view.to_pixel(np.column_stack([flat, np.full(len(flat), self._height)]))
        boxes = boxes_of(np.nan_to_num(pixels).reshape(-1, 4, 2))
        height = np.full(len(boxes), self._height)
        lean = up_px(self._view, boxes[:, :2], height)
        placed, sigma, whole = self._model(
            self._image, boxes, lean, np.full(len(boxes), CLASSES.index("rect-base"))
        )
        at = np.asarray(self._view.places_mm(placed[:, :2], height), dtype=np.float64)
        to_mm = steps_mm(self._view, at, height)
        cov = to_mm @ _turned(placed[:, 4], sigma[:, :2] ** 2) @ to_mm.transpose(0, 2, 1)
        return at, np.asarray(cov), whole


def steps_mm(view: TableView, at_mm: NDArray[np.floating], height_mm: NDArray[np.floating]) -> Floats:
    """What a step of a pixel, to the right and down, is on the table at each place: (N,2,2)."""
    here = np.column_stack([np.nan_to_num(at_mm), height_mm])[:, None]
    pixels = view.to_pixel((here + np.array([[0.0, 0, 0], [1.0, 0, 0], [0.0, 1.0, 0]])).reshape(-1, 3))
    steps = pixels.reshape(-1, 3, 2)
    return np.asarray(np.linalg.pinv(np.nan_to_num(steps[:, 1:] - steps[:, :1]).transpose(0, 2, 1)))


def _turned(angle: Floats, square: Floats) -> Floats:
    """Covariances with these squares along and across these directions."""
    cos, sin = np.cos(angle), np.sin(angle)
    axes = np.stack([np.stack([cos, -sin], axis=1), np.stack([sin, cos], axis=1)], axis=1)
    return np.asarray(np.einsum("nij,nj,nkj->nik", axes, square, axes))


def place_boxes(
    model: PlaceModel, image: NDArray[Any], view: TableView, seen: Any, sizes: Catalogue
) -> Placed:
    """Ask the network about all detections that have a rim."""
    names = [CLASSES[i] for i in seen.class_id]
    corners = np.array(seen.corners_px, dtype=np.float64).reshape(-1, 4, 2)
    n = len(names)
    out = Placed(corners, np.full((n, 2, 2), np.nan), np.full(n, np.nan), np.full(n, np.nan), np.zeros(n))
    rows = np.array([i for i, name in enumerate(names) if name in PLACED_CLASSES], dtype=np.intp)
    if not len(rows):
        return out
    boxes = boxes_of(corners[rows])
    in_ranks = np.array([names[i] == "rect-base" for i in rows])
    ask = ~in_ranks
    ask[in_ranks] = a_few(
        boxes[in_ranks, :2], np.hypot(*boxes[in_ranks, 2:4].T) / 2, area_px2(boxes[in_ranks]), MOST_OF_A_BLOCK
    )
    rows, boxes = rows[ask], boxes[ask]
    height = np.array([sizes.height(names[i]).mm for i in rows])
    placed, sigma, out.whole[rows] = model(
        image, boxes, up_px(view, boxes[:, :2], height), np.asarray(seen.class_id)[rows]
    )
    is_round = np.array([names[i] in ROUND_CLASSES for i in rows])
    level = placed.copy()
    level[is_round, 4] = 0.0
    corners[rows] = corners_of(level)
    out.cov_px2[rows] = _turned(placed[:, 4], sigma[:, :2] ** 2)
    out.side_px[rows] = np.sqrt((sigma[:, 2:4] ** 2).mean(axis=1))
    out.turn_deg[rows] = np.degrees(sigma[:, 4])
    return out
