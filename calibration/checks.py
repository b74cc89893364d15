"""A known length, measured: the honest test of a whole set-up."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from .document import Calibration, Check
from .errors import CheckError
from .markers import CHECK_IDS, Image, find_markers
from .messages import phrase, say
from .quality import GRADE_LIMITS_MM, GRADES, Quality
from .sheets import CHECK_MM

BAND: Final = 1.96
PRINT_SLACK_MM: Final = 0.3
"""What paper and printer may add over a foot: 0.1 %."""


def check_length(
    calibration: Calibration,
    a_px: npt.ArrayLike,
    b_px: npt.ArrayLike,
    length_mm: float,
    *,
    height_mm: float = 0.0,
    sigma_px: float | None = None,
) -> Check:
    """Measure between two pixels what is known to be `length_mm` long."""
    measured, sigma = calibration.view().distance(a_px, b_px, height_mm, sigma_px=sigma_px)
    return Check(length_mm, measured, sigma)


def check_bar(image: Image, calibration: Calibration) -> Check:
    """Find the 12 in check bar in a picture and measure it."""
    size_px = (int(image.shape[1]), int(image.shape[0]))
    camera = calibration.camera.resized(size_px)
    found = {m.id: m for m in find_markers(image, ids=CHECK_IDS, camera=camera, enough=2)}
    if len(found) < 2:
        raise CheckError(reason=phrase("reason-no-check"))
    view = calibration.view()
    scale = np.array(calibration.camera.size_px) / np.array(size_px)
    # The bar runs from the near-left tip of square 8 to the far-right tip of square 9 (as printed).
    a, b = found[CHECK_IDS[0]].corners_px[3], found[CHECK_IDS[1]].corners_px[1]
    to_own = [(p + 0.5) * scale - 0.5 for p in (a, b)]
    measured, sigma = view.distance(to_own[0], to_own[1])
    return Check(CHECK_MM, measured, sigma)


def passed(check: Check) -> bool:
    """Whether the error is within what the calibration claims (95 %), and what a print may be off."""
    return abs(check.error_mm) <= band_mm(check)


def band_mm(check: Check) -> float:
    return BAND * check.sigma_mm + PRINT_SLACK_MM * check.length_mm / CHECK_MM


def describe(check: Check, lang: str = "en") -> str:
    return say(
        "check-passed" if passed(check) else "check-failed",
        lang,
        length=check.length_mm,
        measured=check.measured_mm,
        error=check.error_mm,
        band=band_mm(check),
    )


def with_check(calibration: Calibration, check: Check) -> Calibration:
    """The calibration with a check recorded. One that failed costs the grade: what is measured beats what is claimed."""
    quality = calibration.quality
    if not passed(check):
        quality = _demoted(quality, check, calibration.table_mm)
    return calibration.revised(checks=(*calibration.checks, check), quality=quality)


def _demoted(quality: Quality, check: Check, table_mm: tuple[float, float]) -> Quality:
    """The error seen over the check's length, taken as a scale error from the table's middle to its corner."""
    reach = float(np.hypot(*table_mm)) / 2
    error = max(abs(check.error_mm) * reach / check.length_mm, abs(check.error_mm))
    shown = next((g for g, limit in GRADE_LIMITS_MM.items() if error <= limit), "unfit")
    grade = max(quality.grade, shown, key=GRADES.index)
    return replace(
        quality,
        grade=grade,
        p95_mm=max(quality.p95_mm, error),
        worst_mm=max(quality.worst_mm, error),
        advice=("advice-check", *(a for a in quality.advice if a != "advice-check")),
    )
