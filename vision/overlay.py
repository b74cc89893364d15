"""Drawing a scene over the camera's picture: outlines at their true height, a tick for the facing, the id."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from regla.calibration import TableView
from regla.rules import Piece, Scene
from regla.rules.scene import Rect

from .errors import SourceError
from .found import Floats
from .shapes import shape_of

__all__ = ["draw_scene", "save_picture"]

SIDES: Final = {"A": (178, 114, 0), "B": (167, 121, 204)}
"""UX.md's colours of the two sides, as BGR: #0072B2 and #CC79A7."""
NEUTRAL: Final = (255, 255, 255)
CASING: Final = (20, 20, 20)
FAINT: Final = (120, 220, 120)
TICK: Final = 0.6
"""Length of the facing tick beyond the front, in half depths."""


def draw_scene(
    image: npt.NDArray[Any], scene: Scene, view: TableView, *, faint: bool = False
) -> npt.NDArray[np.uint8]:
    """The picture with the scene drawn on it; `faint` is for truth under what was seen."""
    out = np.array(image, dtype=np.uint8)
    width = max(1, round(out.shape[1] / 960))
    for terrain in scene.terrain:
        _line(out, view, np.asarray(terrain.outline), 0.0, FAINT if faint else NEUTRAL, 1, closed=True)
    for piece in scene.pieces:
        shape = shape_of(piece, piece.extra.get("turn"))
        if shape is None or piece.at is None:
            continue
        colour = FAINT if faint else SIDES.get(piece.side or "", NEUTRAL)
        ring = np.asarray(shape.area.exterior.coords)[:-1]
        height = piece.height or 0.0
        if not faint:
            _line(out, view, ring, height, CASING, width + 2, closed=True)
        _line(out, view, ring, height, colour, 1 if faint else width, closed=True)
        if not faint:
            _tick(out, view, piece, height, colour, width)
            _name(out, view, piece, height, colour)
    return out


def _pixels(view: TableView, points: Floats, height: float) -> npt.NDArray[np.int32] | None:
    pixels = view.to_pixel(np.column_stack([points, np.full(len(points), height)]))
    if not np.isfinite(pixels).all() or np.abs(pixels).max() > 1e5:
        return None
    return np.round(pixels * 8).astype(np.int32)


def _line(
    image: Any, view: TableView, points: Floats, height: float, colour: Any, width: int, *, closed: bool
) -> None:
    pixels = _pixels(view, points, height)
    if pixels is not None:
        cv2.polylines(image, [pixels], closed, colour, width, cv2.LINE_AA, 3)


def _tick(image: Any, view: TableView, piece: Piece, height: float, colour: Any, width: int) -> None:
    if piece.facing is None or piece.at is None:
        return
    base = piece.base
    half = 10.0
    if isinstance(base, Rect):
        half = (
            base.depth * -(-(piece.count or 1) // (piece.files or 1)) / 2
            if piece.kind == "unit"
            else base.depth / 2
        )
    elif base is not None:
        half = getattr(base, "diameter", getattr(base, "across_flats", 20.0)) / 2
    turn = np.radians(piece.facing)
    way = np.array([np.cos(turn), np.sin(turn)])
    front = np.asarray(piece.at) + way * half
    line = np.stack([front, front + way * max(6.0, TICK * half)])
    _line(image, view, line, height, CASING, width + 2, closed=False)
    _line(image, view, line, height, colour, width, closed=False)


def _name(image: Any, view: TableView, piece: Piece, height: float, colour: Any) -> None:
    assert piece.at is not None
    pixels = _pixels(view, np.asarray([piece.at]), height)
    if pixels is None:
        return
    x, y = (pixels[0] / 8).astype(int)
    size = image.shape[1] / 3200
    for thick, ink in ((4, CASING), (1, colour)):
        cv2.putText(
            image,
            piece.label,
            (int(x) - 8, int(y) + 4),
            cv2.FONT_HERSHEY_SIMPLEX,
            size,
            ink,
            thick,
            cv2.LINE_AA,
        )


def save_picture(path: Path, image: npt.NDArray[Any]) -> None:
    """Write a picture; what cannot be written is said, not dropped."""
    try:
        good, data = cv2.imencode(path.suffix.lower() or ".png", image)
    except cv2.error:
        good = False
    if not good:
        raise SourceError(name=str(path), why=".png, .jpg")
    path.write_bytes(data.tobytes())
