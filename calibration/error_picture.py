"""The error map as a picture: the table from above, coloured by its 95 % error, with numbers."""

from __future__ import annotations

from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from .document import Calibration
from .messages import say
from .quality import error_map

WIDTH_PX: Final = 960
MARGIN_PX: Final = 56
DARK: Final = (40, 40, 40)
LIGHT: Final = (250, 250, 250)


def draw_error_map(calibration: Calibration, lang: str = "en", *, height_mm: float = 0.0) -> npt.NDArray[Any]:
    """A BGR picture, far side on top; cividis, which colour-blind readers see as others do."""
    width, depth = calibration.table_mm
    errors = error_map(calibration.view(), calibration.table_mm, height_mm=height_mm, steps=25)[::-1]
    size = (WIDTH_PX, max(120, round(WIDTH_PX * depth / width)))
    seen = np.isfinite(errors)
    top = float(np.nanmax(errors)) if seen.any() else 1.0
    low = float(np.nanmin(errors)) if seen.any() else 0.0
    scaled = np.where(seen, (errors - low) / max(top - low, 1e-6), 0.0)
    smooth = cv2.resize((scaled * 255).astype(np.float32), size, interpolation=cv2.INTER_CUBIC)
    field = cv2.applyColorMap(np.clip(smooth, 0, 255).astype(np.uint8), cv2.COLORMAP_CIVIDIS)
    hidden = cv2.resize((~seen).astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
    field[hidden > 0] = (90, 90, 90)
    picture = np.full((size[1] + 2 * MARGIN_PX, size[0] + 2 * MARGIN_PX, 3), 255, np.uint8)
    picture[MARGIN_PX:-MARGIN_PX, MARGIN_PX:-MARGIN_PX] = field
    scale = size[0] / width
    for number, sheet in calibration.sheets.items():
        outline = sheet.corners_mm[:, :2] * [scale, -scale] + [MARGIN_PX, MARGIN_PX + size[1]]
        cv2.polylines(picture, [np.round(outline).astype(np.int32)], True, LIGHT, 2, cv2.LINE_AA)
        _write(picture, str(number), outline.mean(axis=0), 0.6)
    for row in range(2, 25, 5):
        for column in range(2, 25, 5):
            spot = (MARGIN_PX + (column + 0.5) / 25 * size[0], MARGIN_PX + (row + 0.5) / 25 * size[1])
            value = errors[row, column]
            _write(picture, f"{value:.2f}" if np.isfinite(value) else "-", np.array(spot), 0.55)
    grade = say(f"grade-{calibration.grade}", lang).split(":")[0]
    title = f"{say('map-title', lang)} - {grade} - {width:.0f} x {depth:.0f} mm"
    cv2.putText(picture, title, (MARGIN_PX, 36), cv2.FONT_HERSHEY_SIMPLEX, 0.7, DARK, 2, cv2.LINE_AA)
    return picture


def _write(picture: npt.NDArray[Any], text: str, centre: npt.NDArray[Any], size: float) -> None:
    (wide, tall), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, 1)
    x, y = round(float(centre[0]) - wide / 2), round(float(centre[1]) + tall / 2)
    cv2.rectangle(picture, (x - 5, y - tall - 5), (x + wide + 5, y + 6), DARK, -1)
    cv2.putText(picture, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, LIGHT, 1, cv2.LINE_AA)
