"""The table from a rectangle of known size: its own corners, a mat, a sheet of paper, a book."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from .bundle import Edges, Estimate, Targets, estimate, first_pose
from .camera import Camera, Floats
from .document import Calibration
from .errors import Degenerate, DoesNotFit, Mirrored, SidesSwapped
from .lens_guess import guess_camera
from .messages import phrase
from .polygons import crosses, signed_area
from .quality import assess
from .view import TableView

INDEPENDENT_POINTS: Final = 8
"""Neighbouring points of an edge err alike: a whole side counts as this many."""
CLICK_SIGMA_PX: Final = 1.5
"""How well a person clicks a corner on a screen."""
MOST_RESIDUAL: Final = 1.5 / 1920
"""Corners off by more than this share of the picture's width (1.5 px at 1080p) are no noise: something is wrong."""


@dataclass(frozen=True, eq=False)
class SidePoints:
    """Points seen along one side of a rectangle: share of the way between its corners, pixels, and across it."""

    share: Floats
    px: Floats
    normal: Floats


def calibrate_rectangle(
    corners_px: npt.ArrayLike,
    size_mm: tuple[float, float],
    size_px: tuple[int, int],
    *,
    camera: Camera | None = None,
    table_mm: tuple[float, float] | None = None,
    origin_mm: tuple[float, float] = (0.0, 0.0),
    sigma_px: float = CLICK_SIGMA_PX,
    method: str = "rectangle",
    guess: Camera | None = None,
    sides_px: Sequence[SidePoints] | None = None,
) -> Calibration:
    """Calibrate from a rectangle of known size: the table itself, a mat, a sheet of paper, a book.

    Corners in the order near left, near right, far right, far left. `origin_mm` is where its near-left corner lies
    on the table, `table_mm` the table's size (both default to the rectangle being the table). `guess` is a better
    guess at an uncalibrated lens than none at all; it is still graded as one. `sides_px` are points seen along its
    four sides, which say more about the lens than the corners do.
    """
    corners = np.asarray(corners_px, dtype=np.float64).reshape(4, 2)
    lens = camera.resized(size_px) if camera is not None else guess or guess_camera(size_px)
    _refuse_bad_quad(corners)
    answer = _fit_rectangle(corners, size_mm, origin_mm, lens, sigma_px, sides_px)
    if _misfit(answer, lens) > 1.0 and abs(size_mm[0] / size_mm[1] - 1) > 0.02:
        other = _fit_rectangle(corners, (size_mm[1], size_mm[0]), origin_mm, lens, sigma_px)
        if _misfit(other, lens) < 0.5 * _misfit(answer, lens):
            raise SidesSwapped(
                seen=f"{size_mm[1]:.0f} × {size_mm[0]:.0f} mm",
                given=f"{size_mm[0]:.0f} × {size_mm[1]:.0f} mm",
            )
    most_px = max(4 * sigma_px, MOST_RESIDUAL * size_px[0])
    if answer.residual_px > most_px:
        raise DoesNotFit(residual_px=answer.residual_px, most_px=most_px)
    table = table_mm or (origin_mm[0] + size_mm[0], origin_mm[1] + size_mm[1])
    view = TableView(answer.camera, answer.pose, answer.covariance)
    return Calibration(
        camera=answer.camera,
        pose=answer.pose,
        covariance=answer.covariance,
        table_mm=(float(table[0]), float(table[1])),
        noise_px=view.noise_px,
        residual_px=answer.residual_px,
        quality=assess(view, table, lens_guessed=camera is None, places_exact=True),
        method=method,
        lens_source="guessed"
        if camera is None
        else "calibrated"
        if camera.covariance is not None
        else "given",
    )


def _fit_rectangle(
    corners_px: Floats,
    size_mm: tuple[float, float],
    origin_mm: tuple[float, float],
    lens: Camera,
    sigma_px: float,
    sides_px: Sequence[SidePoints] | None = None,
) -> Estimate:
    width, depth = size_mm
    centre = np.array([[origin_mm[0] + width / 2, origin_mm[1] + depth / 2]])
    local = (
        np.array([[-width, -depth, 0], [width, -depth, 0], [width, depth, 0], [-width, depth, 0.0]])[None] / 2
    )
    corners_mm = local[0] + np.append(centre[0], 0.0)
    edges = None
    if sides_px is not None:
        ends = np.roll(corners_mm, -1, axis=0)
        edges = Edges(
            np.concatenate(
                [a + (b - a) * s.share[:, None] for a, b, s in zip(corners_mm, ends, sides_px, strict=True)]
            ),
            np.concatenate([s.px for s in sides_px]),
            np.concatenate([s.normal for s in sides_px]),
            # Neighbouring points of a cloth edge err alike: each side counts as a few independent ones.
            sigma_px * float(np.sqrt(np.mean([len(s.px) for s in sides_px]) / INDEPENDENT_POINTS)),
        )
    targets = Targets(corners_px[None], local, centre, np.zeros(1), edges=edges)
    start = first_pose(local[0] + np.append(centre[0], 0.0), lens.undistort(corners_px))
    return estimate(targets, lens, start, noise_px=sigma_px)


def _misfit(answer: Estimate, lens: Camera) -> float:
    """How much this fit strains the corners and the lens: per-corner residual and lens pull, in sigmas."""
    strain = float(np.square(answer.shifts_px / answer.noise_px).sum())
    if lens.covariance is not None:
        pull = (answer.camera.lens - lens.lens) / np.sqrt(np.diag(lens.covariance))
        strain += float(np.square(pull).sum())
    return strain / 2


def _refuse_bad_quad(corners: Floats) -> None:
    if not np.isfinite(corners).all():
        raise Degenerate(reason=phrase("reason-corner-missing"))
    if crosses(corners):
        raise Degenerate(reason=phrase("reason-crossing"))
    area = signed_area(corners)
    longest = float(np.max(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)))
    thin = np.array([abs(signed_area(np.delete(corners, k, axis=0))) for k in range(4)])
    if longest < 8 or thin.min() < 0.005 * longest**2:
        raise Degenerate(reason=phrase("reason-same-corner"))
    # Counter-clockwise on the table is clockwise by the formula in a picture, whose y runs down.
    if area > 0:
        raise Mirrored()
