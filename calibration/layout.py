"""Where the sheets lie: measured from their size alone, or fitted to the places they were given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import cv2
import numpy as np

from .bundle import Estimate, Targets, estimate, first_pose
from .camera import Camera, Floats, Pose
from .diagnose import MOVE_TOLERANCE_MM, check_order
from .errors import CalibrationError, Degenerate, MarkerMoved
from .markers import CORNER_IDS, LOCAL, QUIET_MM, Marker
from .messages import phrase
from .polygons import turn_of
from .view import TableView

Spans = Mapping[tuple[int, int], float]
Places = Mapping[int, Floats]

PLACE_SIGMA_MM: Final = 1.0
TURN_SIGMA_DEG: Final = 1.0
"""How well a hand lays a cut sheet flush into a corner."""
SPAN_SIGMA_MM: Final = 1.0
"""How well a tape measures between two sheets."""
START_NOISE_PX: Final = 0.3
"""Only a start is wanted here; the noise is measured when it matters."""
GOOD_FIT: Final = 1.0 / 1920
"""Sheets measured to better than this share of the width need no further start."""


def measure_places(found: Sequence[Marker], lens: Camera, side_mm: float) -> Estimate:
    """Camera and sheets together from nothing but the sheets' size, in some frame of its own."""
    corners_px = np.array([m.corners_px for m in found])
    plane = lens.undistort(corners_px.reshape(-1, 2)).reshape(-1, 4, 2)
    local = np.column_stack([LOCAL * side_mm, np.zeros(4)])
    best: Estimate | None = None
    order = sorted(range(len(found)), key=lambda i: -found[i].side_px)
    good = GOOD_FIT * lens.size_px[0]
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
            trial = estimate(targets, lens, start, noise_px=START_NOISE_PX)
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


def exact_targets(
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


def corner_targets(
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


def free_targets(
    found: Sequence[Marker],
    free: Estimate,
    table_mm: tuple[float, float] | None,
    size_sigma: float,
    spans: Spans | None,
    frame: Places | None = None,
) -> tuple[Targets, Pose, tuple[float, float]]:
    """Sheets anywhere: the table is laid around them, its near side along sheets 0 and 1, or as in an earlier frame."""
    here = {m.id: c[:, :2] for m, c in zip(found, free.corners_mm, strict=True)}
    known = {i: c for i, c in (frame or {}).items() if i in here}
    if known:
        turn, shift = _onto_frame(here, known)
        here = {i: _apply(turn, np.zeros(2), c) for i, c in here.items()}
        size = table_mm or _lay_table(here, None)[1]
    else:
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


def _onto_frame(here: Places, frame: Places) -> tuple[float, Floats]:
    """The turn and shift that lay sheets onto their earlier places; refuses when one of them has moved."""
    ids = sorted(frame)
    seen = np.concatenate([here[i] for i in ids])
    wanted = np.concatenate([np.asarray(frame[i])[:, :2] for i in ids])
    turn, shift = _align(seen, wanted)
    away = np.hypot(*(_apply(turn, shift, seen) - wanted).T).reshape(-1, 4).mean(axis=1)
    worst = int(np.argmax(away))
    # Sheets anywhere are themselves measured to a few parts in a thousand: allow for that.
    reach = float(np.linalg.norm(wanted - wanted.mean(axis=0), axis=1).max())
    if away[worst] > MOVE_TOLERANCE_MM + 0.004 * reach:
        raise MarkerMoved(id=ids[worst], mm=float(away[worst]))
    return turn, shift


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
    if all(i in here for i in CORNER_IDS):
        middle = np.mean([here[i].mean(axis=0) for i in CORNER_IDS], axis=0)
        return size / 2 - middle, (float(size[0]), float(size[1]))
    near_side, far_side = bool({0, 1} & here.keys()), bool({2, 3} & here.keys())
    left, right = bool({0, 3} & here.keys()), bool({1, 2} & here.keys())
    shift = (size - high - low) / 2
    if left != right:
        shift[0] = -low[0] if left else size[0] - high[0]
    if near_side != far_side:
        shift[1] = -low[1] if near_side else size[1] - high[1]
    return shift, (float(size[0]), float(size[1]))
