"""How good a set-up is: the error over the whole table, a grade, and what would improve it most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from .bundle import inverse_of
from .camera import Floats
from .view import TableView

GRADES: Final = ("gold", "silver", "bronze", "unfit")
GRADE_LIMITS_MM: Final = {"gold": 1.0, "silver": 2.5, "bronze": 6.0}
"""95 % error of a place, reached over 95 % of the table. Gold settles disputes down to 1 mm; silver is a tenth of an
inch, what a careful hand with a tape reaches; bronze a quarter of an inch, good for friendly games."""

CHI2_95: Final = -2 * float(np.log(0.05))
"""The 95 % point of χ² with two degrees of freedom: ellipses are scaled by its root."""
HOPELESS_MM: Final = 9999.0
"""Errors are capped here: JSON knows no infinity."""
MAP_STEPS: Final = 25
GRADE_STEPS: Final = 15
SOFT_PX_MM: Final = 1.6
STEEP_DEG: Final = 40.0
"""Beyond these a finer picture, or a camera further overhead, is worth more than anything else."""


@dataclass(frozen=True)
class Quality:
    """The grade with the numbers behind it; `advice` are message keys, the most useful first."""

    grade: str
    median_mm: float
    p95_mm: float
    worst_mm: float
    advice: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "grade": self.grade,
            "error95_mm": {"median": self.median_mm, "p95": self.p95_mm, "worst": self.worst_mm},
            "advice": list(self.advice),
        }


def radius95_mm(covariance: Floats) -> Floats:
    """The long half-axis of the 95 % ellipses of (N,2,2) covariances, in mm."""
    a, b, d = covariance[:, 0, 0], covariance[:, 0, 1], covariance[:, 1, 1]
    largest = (a + d) / 2 + np.sqrt(np.square((a - d) / 2) + b * b)
    return np.sqrt(CHI2_95 * largest)


def table_grid(table_mm: tuple[float, float], steps: int = MAP_STEPS) -> Floats:
    """Places (steps², 2) spread over the table, rim included, row by row from the near side."""
    x, y = np.meshgrid(np.linspace(0, table_mm[0], steps), np.linspace(0, table_mm[1], steps))
    return np.column_stack([x.ravel(), y.ravel()])


def error_map(
    view: TableView,
    table_mm: tuple[float, float],
    *,
    height_mm: float = 0.0,
    sigma_px: float = 0.0,
    steps: int = MAP_STEPS,
) -> Floats:
    """The 95 % error in mm over the table, (steps, steps), row 0 near; nan where the camera does not see it."""
    places = table_grid(table_mm, steps)
    pixels = view.to_pixel(np.column_stack([places, np.full(len(places), height_mm)]))
    seen = np.isfinite(pixels[:, 0]) & (
        (pixels >= -0.5) & (pixels < np.array(view.camera.size_px) - 0.5)
    ).all(axis=1)
    errors = np.full(len(places), np.nan)
    if seen.any():
        _, covariance = view.to_table(pixels[seen], height_mm, sigma_px=sigma_px)
        errors[seen] = radius95_mm(covariance)
    return errors.reshape(steps, steps)


def assess(
    view: TableView,
    table_mm: tuple[float, float],
    *,
    lens_guessed: bool,
    places_exact: bool,
    missing_corners: tuple[int, ...] = (),
) -> Quality:
    """Grade a view from its own error map. A guessed lens never earns more than bronze: nobody has measured it."""
    errors = error_map(view, table_mm, steps=GRADE_STEPS)
    seen = errors[np.isfinite(errors)]
    if not len(seen):
        return Quality("unfit", HOPELESS_MM, HOPELESS_MM, HOPELESS_MM, ("advice-aim",))
    median, p95, worst = (min(float(v), HOPELESS_MM) for v in np.percentile(seen, [50, 95, 100]))
    grade = next((g for g, limit in GRADE_LIMITS_MM.items() if p95 <= limit), "unfit")
    if lens_guessed and grade in ("gold", "silver"):
        grade = "bronze"
    advice: list[str] = []
    if len(seen) < 0.97 * errors.size:
        advice.append("advice-aim")
    if lens_guessed or _lens_share(view, table_mm) > 0.5:
        advice.append("advice-lens")
    advice += [f"advice-sheet-{i}" for i in missing_corners]
    if view.pose.tilt_deg > STEEP_DEG:
        advice.append("advice-overhead")
    if not places_exact:
        advice.append("advice-span")
    if float(np.median(view.mm_per_px(table_grid(table_mm, 5)))) > SOFT_PX_MM:
        advice.append("advice-resolution")
    if grade == "gold":
        advice = [a for a in advice if a == "advice-aim"]
    return Quality(grade, median, p95, worst, tuple(advice))


def _lens_share(view: TableView, table_mm: tuple[float, float]) -> float:
    """Which part of the variance over the table would vanish with a perfectly known lens."""
    if view.covariance is None or not view.covariance[:9, :9].any():
        return 0.0
    full = view.covariance
    lens, cross, pose = full[:9, :9], full[9:, :9], full[9:, 9:]
    given = np.zeros_like(full)
    given[9:, 9:] = pose - cross @ inverse_of(lens) @ cross.T
    sharp = TableView(view.camera, view.pose, given, view.noise_px)
    before, after = (np.nanmean(np.square(error_map(v, table_mm, steps=7))) for v in (view, sharp))
    return float(1 - after / before) if before > 0 else 0.0
