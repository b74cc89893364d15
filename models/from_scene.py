"""Labels from a table that was put right: a scene, corrected by hand, drawn back into the picture it came from.

The page lets people correct what the camera saw. This turns the corrected scene into labels to train with, so the detector
learns from its mistakes at that very table (``regla labels``, ADAPT.md).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from regla.calibration import TableView
from regla.models.classes import CLASS_ID
from regla.models.labels import Labels, clip_labels, outline_corners
from regla.rules.scene import Circle, Hex, Piece, Polygon, Rect, Scene

__all__ = ["labels_of_scene"]

# How far the top of a base or token stands above the table when the scene does not say.
BASE_HEIGHT_MM = 4.0
TOKEN_HEIGHT_MM = 2.0
ROUND_POINTS = 48
MM_PER_UNIT = {"mm": 1.0, "in": 25.4}


def _shape(base: Circle | Rect | Polygon | Hex) -> NDArray[np.float64]:
    """Outline round (0, 0), front towards +x."""
    if isinstance(base, Circle):
        turn = np.linspace(0, 2 * np.pi, ROUND_POINTS, endpoint=False)
        return np.column_stack([np.cos(turn), np.sin(turn)]) * base.diameter / 2
    if isinstance(base, Rect):
        x, y = base.depth / 2, base.width / 2
        return np.array([[x, -y], [x, y], [-x, y], [-x, -y]])
    if isinstance(base, Hex):
        turn = np.deg2rad(np.arange(30, 390, 60))
        return np.column_stack([np.cos(turn), np.sin(turn)]) * base.across_flats / np.sqrt(3)
    return np.array(base.points, dtype=np.float64)


def _class_of(piece: Piece) -> str | None:
    if piece.kind in ("token", "marker"):
        return "token"
    if isinstance(piece.base, Circle):
        return "round-base"
    if isinstance(piece.base, Rect):
        return "tray" if "tray" in piece.traits else "rect-base"
    return None


def _places(piece: Piece) -> Iterator[tuple[float, float]]:
    """Centres of a piece's bases round its own centre, front towards +x: one, or the files and ranks of a block."""
    if piece.kind != "unit" or not isinstance(piece.base, Rect) or not piece.files or not piece.count:
        yield 0.0, 0.0
        return
    files = min(piece.files, piece.count)
    ranks = -(-piece.count // files)
    for i in range(piece.count):
        rank, file = divmod(i, files)
        in_rank = files if rank < ranks - 1 else piece.count - files * (ranks - 1)
        yield ((ranks - 1) / 2 - rank) * piece.base.depth, (file - (in_rank - 1) / 2) * piece.base.width


def labels_of_scene(scene: Scene, view: TableView) -> Labels:
    """Every base, tray and token of a scene as labels in the picture of ``view``; what lies outside is left out.

    A piece without a place on the table, a base or (where the shape needs one) a facing is left out too.
    """
    unit = MM_PER_UNIT[scene.unit]
    class_ids, corners = [], []
    for piece in scene.pieces:
        name = _class_of(piece)
        if name is None or piece.at is None or piece.base is None:
            continue
        if piece.facing is None and not isinstance(piece.base, Circle):
            continue
        turn = np.deg2rad(piece.facing or 0.0)
        rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        default = TOKEN_HEIGHT_MM if name == "token" else BASE_HEIGHT_MM
        height_mm = default if piece.height is None else piece.height * unit
        shape = _shape(piece.base)
        for place in _places(piece):
            outline = ((shape + place) @ rotation.T + np.array(piece.at)) * unit
            pixels = view.to_pixel(np.column_stack([outline, np.full(len(outline), height_mm)]))
            if np.isfinite(pixels).all():
                class_ids.append(CLASS_ID[name])
                corners.append(outline_corners(np.asarray(pixels) + 0.5, name))
    whole = Labels(np.array(class_ids, dtype=np.int64), np.array(corners, dtype=np.float64).reshape(-1, 4, 2))
    width, height = view.camera.size_px
    return clip_labels(whole, (0.0, 0.0, float(width), float(height)))
