"""A verdict drawn on the camera's own picture, through the lens: what the page does live, as a file for the report."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from regla.calibration import Camera, Pose, TableView
from regla.rules import Scene, Verdict

from .draw import Box, Picture, Point, _layer, _Pen

__all__ = ["on_picture"]

LINE_PX = 3.0
CLOSE_PX = 1200
SVG = "http://www.w3.org/2000/svg"


class _PicturePen(_Pen):
    """Draws table millimetres at their place in the picture."""

    def __init__(self, scene: Scene, view: TableView) -> None:
        self._view = view
        super().__init__(scene)
        self._size = view.camera.size_px
        self.px_per_mm = 1.0
        self.line = LINE_PX * self._size[0] / 1920

    def _xy(self, p: Sequence[float]) -> str:
        x, y = self._view.to_pixel(np.array([[p[0], p[1], 0.0]]))[0]
        return f"{x:.1f},{y:.1f}" if np.isfinite(x) and np.isfinite(y) else "-999,-999"

    def _disc(self, centre: Point, radius: float, style: str) -> None:
        turns = np.linspace(0, 2 * np.pi, 48, endpoint=False)
        self.poly([(centre[0] + radius * np.cos(t), centre[1] + radius * np.sin(t)) for t in turns], style)

    def text(
        self, at: Point, said: str, size_px: float, fill: str = "#1B1B1B", halo: str = "#FFFFFF"
    ) -> None:
        super().text(at, said, size_px * self._size[0] / 1400, fill, halo)


def on_picture(
    jpeg: bytes,
    view: Mapping[str, Any],
    scene: Scene,
    verdict: Verdict | None,
    lang: str,
    region_mm: Box | None = None,
) -> Picture:
    """The whole picture, or the part of it that shows a region of the table."""

    import cv2

    camera = Camera(tuple(view["size"]), view["matrix"], view["distortion"])
    rvec, _ = cv2.Rodrigues(np.asarray(view["rotation"], dtype=np.float64))
    pen = _PicturePen(
        scene, TableView(camera, Pose(np.asarray(rvec, dtype=np.float64).ravel(), view["translation"]))
    )
    for piece in pen.scene.pieces:
        style = f'fill="none" stroke="{pen.colour.get(piece.side, "#FFFFFF")}" stroke-width="{pen.line:.1f}"'
        for outline in pen.outlines(piece):
            pen.poly(
                outline,
                f'fill="none" stroke="#1B1B1B" stroke-opacity="0.6" stroke-width="{pen.line * 1.9:.1f}"',
            )
            pen.poly(outline, style)
    if verdict is not None:
        for shape in sorted(verdict.drawing, key=_layer):
            pen.shape(shape, lang, scene.unit)
    width, height = camera.size_px
    shown = (0.0, 0.0, float(width), float(height))
    size = (width, height)
    if region_mm is not None:
        x0, y0, x1, y1 = region_mm
        corners = pen._view.to_pixel([[x0, y0, 0], [x1, y0, 0], [x1, y1, 0], [x0, y1, 0]])
        low, high = corners.min(axis=0), corners.max(axis=0)
        if not np.isfinite(corners).all() or (high <= 0).any() or (low >= camera.size_px).any():
            return Picture(f'<svg xmlns="{SVG}" width="8" height="8"/>')
        shown = (float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1]))
        size = (CLOSE_PX, round(CLOSE_PX * shown[3] / shown[2]))
    mark = "image/png" if jpeg[:4] == b"\x89PNG" else "image/jpeg"
    return Picture(
        f'<svg xmlns="{SVG}" width="{size[0]}" height="{size[1]}" viewBox="{" ".join(f"{v:.1f}" for v in shown)}" '
        f'font-family="DejaVu Sans, Verdana, sans-serif">'
        f'<image width="{width}" height="{height}" href="data:{mark};base64,{base64.b64encode(jpeg).decode()}"/>'
        f"{''.join(pen.out)}</svg>"
    )
