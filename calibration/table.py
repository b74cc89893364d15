"""The table from sheets: `calibrate_markers`.

The sheets' size is known. Their places may be known exactly (`places`), be the table's corners as laid by hand
(`layout="corners"`), or be anything at all (`layout="anywhere"`): then they are measured along with the camera.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from .bundle import Estimate, estimate
from .camera import Camera, Floats
from .diagnose import check_order, explain_misfit
from .document import Calibration, Sheet
from .errors import CalibrationError, GeometryError, MarkerTwice, PictureBlurred, TooFewMarkers
from .layout import Places, Spans, corner_targets, exact_targets, free_targets, measure_places
from .lens_guess import guess_camera
from .markers import (
    BLUR_MOST_PX,
    CORNER_IDS,
    SIDE_MM,
    TABLE_IDS,
    Image,
    Marker,
    check_picture,
    corner_places,
    explain_absence,
    find_markers,
)
from .messages import phrase
from .quality import assess
from .rectangle import MOST_RESIDUAL
from .view import TableView

Layout = Literal["anywhere", "corners"]

SIZE_SIGMA: Final = 0.001
"""How well a printer keeps its scale once the ruler line has been checked: 0.1 mm in 100."""
COVERED_OF: Final = 4
SKEW: Final = 0.03
"""Of so many sheets one may have a corner hidden: its sides, as seen on the others' table, then differ by more than this share."""


def calibrate_markers(
    image: Image,
    *,
    camera: Camera | None = None,
    table_mm: tuple[float, float] | None = None,
    places: Mapping[int, npt.ArrayLike] | None = None,
    layout: Layout = "anywhere",
    side_mm: float = SIDE_MM,
    size_sigma: float = SIZE_SIGMA,
    spans: Spans | None = None,
    frame: Places | None = None,
) -> Calibration:
    """Calibrate from a picture in which the sheets lie on the table.

    `camera`: the calibrated lens; None guesses it from this one view and widens the error band accordingly.
    `places`: id ▸ corners (4,2) or (4,3) in mm, exact, in ArUco's order (top left first, clockwise).
    `layout`: without places, "corners" says that cut sheets lie flush in the corners of a table of `table_mm`.
    `spans`: distances between two sheets' centres measured by hand, (id, id) ▸ mm.
    `frame`: earlier places of sheets that lie anywhere; the table keeps its coordinates, the places are measured anew.
    """
    check_picture(image)
    size_px = (int(image.shape[1]), int(image.shape[0]))
    if camera is not None:
        camera = camera.resized(size_px)
    found = find_markers(image, camera=camera)
    if not found:
        explain_absence(image, TABLE_IDS)
    softest = max(m.blur_px for m in found)
    if softest > BLUR_MOST_PX:
        raise PictureBlurred(width_px=softest, most_px=BLUR_MOST_PX)

    def calibrate(some: Sequence[Marker]) -> Calibration:
        return calibrate_found(
            some,
            size_px,
            camera=camera,
            table_mm=table_mm,
            places=places,
            layout=layout,
            side_mm=side_mm,
            size_sigma=size_sigma,
            spans=spans,
            frame=frame,
        )

    try:
        return calibrate(found)
    except CalibrationError:
        without = _without_covered(found, calibrate) if camera is not None else None
        if without is None:
            raise
        return without


def _without_covered(
    found: Sequence[Marker], calibrate: Callable[[Sequence[Marker]], Calibration]
) -> Calibration | None:
    """The table without the one sheet of which something hides a corner, such as a die that came to lie there.

    A sheet that was moved is still a square and is not left out; one with a corner hidden is none. None where that is not so
    of exactly one sheet.
    """
    if len(found) < COVERED_OF:
        return None
    fitting = []
    for k, odd in enumerate(found):
        try:
            table = calibrate([m for j, m in enumerate(found) if j != k])
        except CalibrationError:
            continue
        places, _ = table.view().to_table(odd.corners_px, sigma_px=0.0)
        if _no_square(np.asarray(places, dtype=np.float64)):
            fitting.append(table)
    return fitting[0] if len(fitting) == 1 else None


def _no_square(corners_mm: Floats) -> bool:
    """Whether four corners, in order, have unequal sides or diagonals."""
    sides = np.hypot(*(np.roll(corners_mm, -1, axis=0) - corners_mm).T)
    diagonals = np.hypot(*(corners_mm[2:] - corners_mm[:2]).T)
    return bool(max(np.ptp(sides) / sides.mean(), np.ptp(diagonals) / diagonals.mean()) > SKEW)


def calibrate_found(
    found: Sequence[Marker],
    size_px: tuple[int, int],
    *,
    camera: Camera | None = None,
    table_mm: tuple[float, float] | None = None,
    places: Mapping[int, npt.ArrayLike] | None = None,
    layout: Layout = "anywhere",
    side_mm: float = SIDE_MM,
    size_sigma: float = SIZE_SIGMA,
    spans: Spans | None = None,
    frame: Places | None = None,
    noise_px: float | None = None,
) -> Calibration:
    """As `calibrate_markers`, from markers already found; `noise_px` fixes the corner noise where it is known."""
    found = sorted(found, key=lambda m: m.id)
    _refuse_twins(found)
    lens = camera if camera is not None else guess_camera(size_px)
    if places is None and layout == "corners":
        if table_mm is None:
            raise GeometryError(reason=phrase("reason-table-size"))
        nominal = dict(corner_places(table_mm, side_mm).items())
    else:
        nominal = {i: np.asarray(p, dtype=np.float64).reshape(4, -1) for i, p in (places or {}).items()}
    known = [m for m in found if m.id in nominal]
    if nominal and not known:
        raise TooFewMarkers(found="–", least=1, missing=", ".join(map(str, nominal)))
    most_px = MOST_RESIDUAL * size_px[0]

    def measure(some: Sequence[Marker]) -> Estimate:
        return measure_places(some, lens, side_mm)

    if places is not None:
        try:
            targets, start = exact_targets(found, nominal, lens, side_mm)
        except GeometryError:
            explain_misfit(found, nominal, measure, side_mm, np.inf, most_px)
    elif nominal:
        targets, start = corner_targets(found, nominal, lens, side_mm, size_sigma)
    else:
        free = measure_places(found, lens, side_mm)
        check_order(found, free.corners_mm)
        targets, start, table_mm_found = free_targets(found, free, table_mm, size_sigma, spans, frame)
    answer = estimate(targets, lens, start, noise_px=noise_px)
    if answer.residual_px > max(most_px, 4 * (noise_px or 0.0)):
        explain_misfit(found, nominal, measure, side_mm, answer.residual_px, most_px)
    table, source = table_mm, "given"
    if table is None:
        source = "measured"
        table = table_mm_found if not nominal else _extent(answer.corners_mm)
    missing = tuple(i for i in CORNER_IDS if i not in {m.id for m in found})
    view = TableView(answer.camera, answer.pose, answer.covariance, answer.noise_px)
    quality = assess(
        view,
        table,
        lens_guessed=camera is None,
        places_exact=bool(nominal) or bool(spans),
        missing_corners=missing,
    )
    return Calibration(
        camera=answer.camera,
        pose=answer.pose,
        covariance=answer.covariance,
        table_mm=(float(table[0]), float(table[1])),
        noise_px=answer.noise_px,
        residual_px=answer.residual_px,
        quality=quality,
        method="markers",
        lens_source="guessed"
        if camera is None
        else "calibrated"
        if camera.covariance is not None
        else "given",
        table_source=source,
        side_mm=side_mm,
        layout="exact" if places is not None else layout,
        sheets={
            m.id: Sheet(c, m.corners_px) for m, c in zip(found, answer.corners_mm[:, :, :2], strict=True)
        },
    )


def _refuse_twins(found: Sequence[Marker]) -> None:
    seen: dict[int, Marker] = {}
    for marker in found:
        if marker.id in seen:
            both = (seen[marker.id].centre_px, marker.centre_px)
            raise MarkerTwice(id=marker.id, places=" · ".join(f"{x:.0f}, {y:.0f} px" for x, y in both))
        seen[marker.id] = marker


def _extent(corners_mm: Floats) -> tuple[float, float]:
    """A table that reaches as far beyond the sheets as it does before them."""
    low, high = corners_mm[:, :, :2].min(axis=(0, 1)), corners_mm[:, :, :2].max(axis=(0, 1))
    size = high + np.maximum(low, 0.0)
    return float(max(size[0], 1.0)), float(max(size[1], 1.0))


def recalibrate(image: Image, calibration: Calibration, **options: Any) -> Calibration:
    """The one click after the camera was moved: the same sheets, the same table, a new pose.

    Places that were given exactly stay exact; places that were measured are measured again, because believing them
    to the micrometre would claim more than anybody knows.
    """
    before = {i: s.corners_mm for i, s in calibration.sheets.items()}
    how: dict[str, Any]
    if calibration.layout == "exact":
        how = {"places": before}
    elif calibration.layout == "corners":
        how = {"layout": "corners"}
    else:
        how = {"frame": before}
    again = calibrate_markers(
        image,
        camera=None if calibration.lens_source == "guessed" else calibration.camera,
        table_mm=calibration.table_mm,
        side_mm=calibration.side_mm,
        **how,
        **options,
    )
    return replace(
        again,
        revision=calibration.revision + 1,
        lens_source=calibration.lens_source,
        table_source=calibration.table_source,
    )
