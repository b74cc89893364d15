"""The table from sheets: `calibrate_markers` and its rectangles' cousin `calibrate_rectangle`.

The sheets' size is known. Their places may be known exactly (`places`), be the table's corners as laid by hand
(`layout="corners"`), or be anything at all (`layout="anywhere"`): then they are measured along with the camera.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import cv2
import numpy as np
import numpy.typing as npt

from .bundle import Edges, Estimate, Targets, estimate, first_pose
from .camera import Camera, Floats, Pose
from .diagnose import check_order, explain_misfit
from .document import Calibration, Sheet
from .errors import (
    CalibrationError,
    Degenerate,
    DoesNotFit,
    GeometryError,
    MarkerTwice,
    Mirrored,
    PictureBlurred,
    SidesSwapped,
    TooFewMarkers,
)
from .lens_guess import guess_camera
from .markers import (
    BLUR_MOST_PX,
    CORNER_IDS,
    LOCAL,
    QUIET_MM,
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
from .polygons import crosses, signed_area, turn_of
from .quality import assess
from .view import TableView

Layout = Literal["anywhere", "corners"]
Spans = Mapping[tuple[int, int], float]

PLACE_SIGMA_MM: Final = 1.0
TURN_SIGMA_DEG: Final = 1.0
"""How well a hand lays a cut sheet flush into a corner."""
SIZE_SIGMA: Final = 0.001
"""How well a printer keeps its scale once the ruler line has been checked: 0.1 mm in 100."""
SPAN_SIGMA_MM: Final = 1.0
"""How well a tape measures between two sheets."""
MOST_RESIDUAL: Final = 1.5 / 1920
"""Corners off by more than this share of the picture's width (1.5 px at 1080p) are no noise: something is wrong."""
INDEPENDENT_POINTS: Final = 8
CLICK_SIGMA_PX: Final = 1.5
"""How well a person clicks a corner on a screen."""


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
) -> Calibration:
    """Calibrate from a picture in which the sheets lie on the table.

    `camera`: the calibrated lens; None guesses it from this one view and widens the error band accordingly.
    `places`: id ▸ corners (4,2) or (4,3) in mm, exact, in ArUco's order (top left first, clockwise).
    `layout`: without places, "corners" says that cut sheets lie flush in the corners of a table of `table_mm`.
    `spans`: distances between two sheets' centres measured by hand, (id, id) ▸ mm.
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
    return calibrate_found(
        found,
        size_px,
        camera=camera,
        table_mm=table_mm,
        places=places,
        layout=layout,
        side_mm=side_mm,
        size_sigma=size_sigma,
        spans=spans,
    )


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
            targets, start = _exact_targets(found, nominal, lens, side_mm)
        except GeometryError:
            explain_misfit(found, nominal, measure, side_mm, np.inf, most_px)
    elif nominal:
        targets, start = _corner_targets(found, nominal, lens, side_mm, size_sigma)
    else:
        free = measure_places(found, lens, side_mm)
        check_order(found, free.corners_mm)
        targets, start, table_mm_found = _free_targets(found, free, table_mm, size_sigma, spans)
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


def measure_places(found: Sequence[Marker], lens: Camera, side_mm: float) -> Estimate:
    """Camera and sheets together from nothing but the sheets' size, in some frame of its own."""
    corners_px = np.array([m.corners_px for m in found])
    plane = lens.undistort(corners_px.reshape(-1, 2)).reshape(-1, 4, 2)
    local = np.column_stack([LOCAL * side_mm, np.zeros(4)])
    best: Estimate | None = None
    order = sorted(range(len(found)), key=lambda i: -found[i].side_px)
    good = 2 * MOST_RESIDUAL / 3 * lens.size_px[0]
    trouble: CalibrationError | None = None
    for base in order[:3]:
        try:
            pose = first_pose(local, plane[base])
        except CalibrationError as error:
            trouble = error
            continue
        for start in (pose, _level(pose, local)):
            targets = _around(corners_px, start, lens, side_mm)
            if targets is None:
                continue
            trial = estimate(targets, lens, start)
            if best is None or trial.residual_px < best.residual_px:
                best = trial
            if best.residual_px < good:
                return best
    if best is None:
        raise trouble or Degenerate(reason=phrase("reason-no-camera"))
    return best


def _level(pose: Pose, local: Floats) -> Pose:
    """The same distance, looking straight down: a single small square hardly tells its own tilt."""
    inward = pose.rotation @ np.array([1.0, 0, 0])
    angle = float(np.arctan2(-inward[1], inward[0]))
    # Straight down: x stays, y and z turn over; then spin by the seen direction.
    half = angle / 2
    rvec = np.pi * np.array([np.cos(half), -np.sin(half), 0.0])
    return Pose(rvec, pose.tvec)


def _around(corners_px: Floats, start: Pose, lens: Camera, side_mm: float) -> Targets | None:
    """Free targets where a first pose puts them."""
    places, _ = TableView(lens, start).to_table(corners_px.reshape(-1, 2), sigma_px=0.0)
    if not np.isfinite(places).all():
        return None
    places = places.reshape(-1, 4, 2)
    centres = places.mean(axis=1)
    turns = np.array([turn_of(LOCAL, p - c) for p, c in zip(places, centres, strict=True)])
    return Targets(
        corners_px, _turned_squares(turns, side_mm), centres, np.full(len(centres), np.inf), size_sigma=0.0
    )


def _turned_squares(turns_rad: Floats, side_mm: float) -> Floats:
    cos, sin = np.cos(turns_rad), np.sin(turns_rad)
    turn = np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], -2)
    flat = np.einsum("mij,kj->mki", turn, LOCAL * side_mm)
    return np.concatenate([flat, np.zeros((len(turns_rad), 4, 1))], axis=2)


def _moved_pose(pose: Pose, turn_rad: float, shift_mm: Floats) -> Pose:
    """The pose for table coordinates p' = R(turn)·p + shift."""
    cos, sin = np.cos(turn_rad), np.sin(turn_rad)
    spin = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1.0]])
    rotation = pose.rotation @ spin.T
    tvec = pose.tvec - rotation @ np.array([shift_mm[0], shift_mm[1], 0.0])
    return Pose(np.asarray(cv2.Rodrigues(rotation)[0]), tvec)


def _exact_targets(
    found: Sequence[Marker], nominal: Mapping[int, Floats], lens: Camera, side_mm: float
) -> tuple[Targets, Pose]:
    known = [m for m in found if m.id in nominal]
    xyz = np.array([_in_space(nominal[m.id]) for m in known])
    plane = lens.undistort(np.array([m.corners_px for m in known]).reshape(-1, 2))
    start = first_pose(xyz.reshape(-1, 3), plane)
    view = TableView(lens, start)
    local, centre, sigma = [], [], []
    for marker in found:
        if marker.id in nominal:
            corners = _in_space(nominal[marker.id])
            middle = corners[:, :2].mean(axis=0)
            local.append(corners - np.append(middle, 0.0))
            sigma.append(0.0)
        else:
            seen, _ = view.to_table(marker.corners_px, sigma_px=0.0)
            middle = seen.mean(axis=0)
            local.append(_turned_squares(np.array([turn_of(LOCAL, seen - middle)]), side_mm)[0])
            sigma.append(np.inf)
        centre.append(middle)
    return Targets(
        np.array([m.corners_px for m in found]), np.array(local), np.array(centre), np.array(sigma)
    ), start


def _in_space(corners: Floats) -> Floats:
    return corners if corners.shape[1] == 3 else np.column_stack([corners, np.zeros(len(corners))])


def _align(seen: Floats, wanted: Floats) -> tuple[float, Floats]:
    """The turn and shift that lay one set of points onto another."""
    turn = turn_of(seen - seen.mean(axis=0), wanted - wanted.mean(axis=0)) if len(seen) > 1 else 0.0
    cos, sin = np.cos(turn), np.sin(turn)
    return turn, wanted.mean(axis=0) - np.array([[cos, -sin], [sin, cos]]) @ seen.mean(axis=0)


def _apply(turn: float, shift: Floats, points: Floats) -> Floats:
    cos, sin = np.cos(turn), np.sin(turn)
    return np.asarray(points @ np.array([[cos, sin], [-sin, cos]]) + shift)


def _corner_targets(
    found: Sequence[Marker], nominal: Mapping[int, Floats], lens: Camera, side_mm: float, size_sigma: float
) -> tuple[Targets, Pose]:
    """Sheets laid flush by hand: each in its corner, turned by any quarter."""
    free = measure_places(found, lens, side_mm)
    check_order(found, free.corners_mm)
    here = free.corners_mm[:, :, :2]
    index = [k for k, m in enumerate(found) if m.id in nominal]
    wanted = np.array([nominal[found[k].id].mean(axis=0) for k in index])
    if len(index) == 1:
        # One sheet cannot say which way the table lies; its own "up" must.
        turn = turn_of(here[index[0]] - here[index[0]].mean(axis=0), LOCAL)
        shift = wanted[0] - _apply(turn, np.zeros(2), here[index[0]].mean(axis=0)[None])[0]
    else:
        turn, shift = _align(here[index].mean(axis=1), wanted)
    places = np.array([_apply(turn, shift, c) for c in here])
    centre = places.mean(axis=1)
    turns = np.array([turn_of(LOCAL, p - c) for p, c in zip(places, centre, strict=True)])
    sigma = np.full(len(found), np.inf)
    quarter = np.pi / 2
    for k, spot in zip(index, wanted, strict=True):
        centre[k] = spot
        turns[k] = np.round(turns[k] / quarter) * quarter
        sigma[k] = PLACE_SIGMA_MM
    targets = Targets(
        np.array([m.corners_px for m in found]),
        _turned_squares(turns, side_mm),
        centre,
        sigma,
        turn_sigma_rad=float(np.radians(TURN_SIGMA_DEG)),
        size_sigma=size_sigma,
    )
    return targets, _moved_pose(free.pose, turn, shift)


def _free_targets(
    found: Sequence[Marker],
    free: Estimate,
    table_mm: tuple[float, float] | None,
    size_sigma: float,
    spans: Spans | None,
) -> tuple[Targets, Pose, tuple[float, float]]:
    """Sheets anywhere: the table is laid around them, its near side along sheets 0 and 1."""
    here = {m.id: c[:, :2] for m, c in zip(found, free.corners_mm, strict=True)}
    turn = _heading(here, table_mm)
    here = {i: _apply(turn, np.zeros(2), c) for i, c in here.items()}
    shift, size = _lay_table(here, table_mm)
    places = np.array([here[m.id] + shift for m in found])
    centre = places.mean(axis=1)
    index = {m.id: k for k, m in enumerate(found)}
    targets = Targets(
        np.array([m.corners_px for m in found]),
        np.concatenate([places - centre[:, None], np.zeros((len(found), 4, 1))], axis=2),
        centre,
        np.full(len(found), np.inf),
        size_sigma=size_sigma,
        spans=tuple(
            (index[i], index[j], mm, SPAN_SIGMA_MM)
            for (i, j), mm in (spans or {}).items()
            if i in index and j in index
        ),
    )
    return targets, _moved_pose(free.pose, turn, shift), size


def _heading(here: Mapping[int, Floats], table_mm: tuple[float, float] | None) -> float:
    """The turn that brings the table's width along +x, from whichever corner sheets are seen."""
    lie = {(0, 1): 0.0, (3, 2): 0.0, (0, 3): np.pi / 2, (1, 2): np.pi / 2}
    if table_mm is not None:
        across = float(np.arctan2(table_mm[1], table_mm[0]))
        lie |= {(0, 2): across, (1, 3): np.pi - across}
    total = 0j
    for (i, j), wanted in lie.items():
        if i in here and j in here:
            away = here[j].mean(axis=0) - here[i].mean(axis=0)
            total += complex(*away) * np.exp(-1j * wanted)
    if total == 0:
        corners = here[min(here)]
        return turn_of(corners - corners.mean(axis=0), LOCAL)
    return -float(np.angle(total))


def _lay_table(
    here: Mapping[int, Floats], table_mm: tuple[float, float] | None
) -> tuple[Floats, tuple[float, float]]:
    """Where the table's near-left corner lies, as the shift to it, and the table's size."""
    rim = np.array([QUIET_MM, QUIET_MM])
    everything = np.concatenate(list(here.values()))
    low, high = everything.min(axis=0) - rim, everything.max(axis=0) + rim
    if table_mm is None:
        return -low, (float(high[0] - low[0]), float(high[1] - low[1]))
    size = np.asarray(table_mm, dtype=np.float64)
    near_side, far_side = bool({0, 1} & here.keys()), bool({2, 3} & here.keys())
    left, right = bool({0, 3} & here.keys()), bool({1, 2} & here.keys())
    shift = (size - high - low) / 2
    if left != right:
        shift[0] = -low[0] if left else size[0] - high[0]
    if near_side != far_side:
        shift[1] = -low[1] if near_side else size[1] - high[1]
    return shift, (float(size[0]), float(size[1]))


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


def recalibrate(image: Image, calibration: Calibration, **options: Any) -> Calibration:
    """The one click after the camera was moved: the same sheets, in the places that are now known."""
    lens = None if calibration.lens_source == "guessed" else calibration.camera
    again = calibrate_markers(
        image,
        camera=lens,
        table_mm=calibration.table_mm,
        places={i: s.corners_mm for i, s in calibration.sheets.items()},
        side_mm=calibration.side_mm,
        **options,
    )
    return replace(
        again,
        revision=calibration.revision + 1,
        lens_source=calibration.lens_source,
        table_source=calibration.table_source,
    )
