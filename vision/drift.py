"""Whether a calibration still holds for what the camera shows: its size, its sheets, its place."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from regla.calibration import Calibration, CalibrationError, find_markers
from regla.calibration.drift import DriftWatch as Patches
from regla.rules import Message, msg

from .errors import WrongCalibration

__all__ = ["DriftWatch", "check_fits"]

MOST_MM: Final = 4.0
"""Sheets seen farther than this from where the calibration has them: another set-up, not a drift. Calibration itself
tells drifts from 1 mm on; this catches a document of another table, which is off by hand's breadths."""
ASPECT: Final = 0.01


def check_fits(image: npt.NDArray[Any], calibration: Calibration) -> None:
    """Raise `WrongCalibration` when the picture cannot be of this camera in this place."""
    check_same_size(image, calibration)
    away = sheets_off_mm(image, calibration)
    if away is not None and away > MOST_MM:
        raise WrongCalibration(why=msg("why-sheets", mm=round(away)))


def check_same_size(image: npt.NDArray[Any], calibration: Calibration) -> None:
    height, width = image.shape[:2]
    want = calibration.camera.size_px
    if (width, height) != want:
        raise WrongCalibration(why=msg("why-size", want=f"{want[0]} × {want[1]}", got=f"{width} × {height}"))


def sheets_off_mm(image: npt.NDArray[Any], calibration: Calibration) -> float | None:
    """How far the sheets in the picture are from where the calibration says; None when none of them is seen."""
    if not calibration.sheets:
        return None
    try:
        seen = find_markers(image)
    except CalibrationError:
        return None
    view = calibration.view()
    away = []
    for marker in seen:
        sheet = calibration.sheets.get(marker.id)
        if sheet is not None:
            places, _ = view.to_table(marker.corners_px, sigma_px=0.0)
            away.append(float(np.median(np.hypot(*(places - sheet.corners_mm[:, :2]).T))))
    away = [a for a in away if np.isfinite(a)]
    return max(away) if away else None


class _Said(dict[str, str]):
    """A sentence of another package, in both languages; a message's value must be hashable."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))


class DriftWatch:
    """Looks once for the sheets when a calibration is new, then compares small patches, which costs next to nothing."""

    def __init__(self) -> None:
        self._patches: Patches | None = None
        self._for: Calibration | None = None
        self.fault: Message | None = None

    def check(self, image: npt.NDArray[np.uint8], calibration: Calibration) -> Message | None:
        try:
            check_same_size(image, calibration)
            if self._for is not calibration or self._patches is None:
                self._for, self._patches = calibration, None
                check_fits(image, calibration)
                self._patches = Patches(calibration, image)
        except WrongCalibration as wrong:
            self.fault = wrong.message
            return self.fault
        assert self._patches is not None
        found = self._patches.check(image)
        self.fault = (
            msg("see-drift", said=_Said({"en": found.text("en"), "es": found.text("es")}))
            if found.suspended
            else None
        )
        return self.fault
