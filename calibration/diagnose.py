"""When sheets do not fit: which one, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Final, NoReturn

import numpy as np

from .bundle import Estimate
from .camera import Floats
from .errors import DoesNotFit, MarkerMoved, MarkersSwapped, MarkerTurned, WrongSize
from .markers import CORNER_IDS, Marker
from .polygons import convex, turn_of
from .view import TableView

Measure = Callable[[Sequence[Marker]], Estimate]
"""Measures sheets from their size alone."""

SIZE_TOLERANCE: Final = 0.02
"""A print 2 % off scale ("fit to page" is 3 to 6 %) is refused; less is within the printer's and our own error."""
ONE_SIZE_TOLERANCE: Final = 0.06
"""One sheet against the others; a single sheet's size is seen less well."""
TURN_TOLERANCE_DEG: Final = 15.0
MOVE_TOLERANCE_MM: Final = 3.0


def check_order(found: Sequence[Marker], corners_mm: Floats) -> None:
    """The four corner sheets must run counter-clockwise on the table, and no sheet may be of another size."""
    centres = {m.id: c[:, :2].mean(axis=0) for m, c in zip(found, corners_mm, strict=True)}
    if all(i in centres for i in CORNER_IDS):
        quad = np.array([centres[i] for i in CORNER_IDS])
        if not convex(quad):
            pixels = {m.id: m.centre_px for m in found}
            raise MarkersSwapped(ids=_which_swap(quad, np.array([pixels[i] for i in CORNER_IDS])))


def _which_swap(quad: Floats, pixels: Floats) -> str:
    """The pair whose exchange makes a proper table; of several, the one that puts the near side at the bottom."""
    choices = []
    for i, j in combinations(range(4), 2):
        order = [0, 1, 2, 3]
        order[i], order[j] = j, i
        if convex(quad[order]):
            right = pixels[order[1]] - pixels[order[0]] + pixels[order[2]] - pixels[order[3]]
            choices.append((-float(right[0] / (np.hypot(*right) + 1e-9)), f"{i}, {j}"))
    return min(choices)[1] if choices else ", ".join(map(str, CORNER_IDS))


def _similarity(before: Floats, after: Floats) -> tuple[float, float, float]:
    """Scale, turn and rms rest of laying one set of points onto another."""
    a, b = before - before.mean(axis=0), after - after.mean(axis=0)
    scale = float(np.sqrt(np.square(b).sum() / max(np.square(a).sum(), 1e-12)))
    turn = turn_of(a, b)
    cos, sin = np.cos(turn), np.sin(turn)
    rest = scale * a @ np.array([[cos, sin], [-sin, cos]]) - b
    return scale, turn, float(np.sqrt(np.square(rest).sum(axis=1).mean()))


def explain_misfit(
    found: Sequence[Marker],
    nominal: Mapping[int, Floats],
    measure: Measure,
    side_mm: float,
    residual_px: float,
    most_px: float,
) -> NoReturn:
    """The sheets, measured without regard to where they should lie, against where they should."""
    free = measure(found)
    _one_odd_size(found, free, measure, side_mm, most_px)
    here = {m.id: c[:, :2] for m, c in zip(found, free.corners_mm, strict=True)}
    ids = [i for i in here if i in nominal]
    if len(ids) >= 2:
        seen = np.array([here[i].mean(axis=0) for i in ids])
        wanted = np.array([np.asarray(nominal[i])[:, :2].mean(axis=0) for i in ids])
        spread = float(np.sqrt(np.square(wanted - wanted.mean(axis=0)).sum(axis=1).mean()))
        scale, turn, rest = _similarity(seen, wanted)
        for i, j in combinations(range(len(ids)), 2):
            order = list(range(len(ids)))
            order[i], order[j] = j, i
            _, _, swapped = _similarity(seen[order], wanted)
            if rest > 0.1 * spread and swapped < 0.3 * rest:
                raise MarkersSwapped(ids=f"{ids[i]}, {ids[j]}")
        for i in ids:
            corners = np.asarray(nominal[i])[:, :2]
            own = turn_of(here[i] - here[i].mean(axis=0), corners - corners.mean(axis=0))
            off = float(np.degrees((own - turn + np.pi) % (2 * np.pi) - np.pi))
            if abs(off) > TURN_TOLERANCE_DEG:
                raise MarkerTurned(id=i, degrees=abs(off))
        if rest < 0.02 * spread and abs(scale - 1) > SIZE_TOLERANCE:
            # Too large a measure between sheets means that each sheet is smaller than believed.
            raise WrongSize(id=", ".join(map(str, ids)), found_mm=side_mm * scale, expected_mm=side_mm)
        if len(ids) >= 4:
            _one_moved(ids, seen, wanted, rest)
    raise DoesNotFit(residual_px=residual_px, most_px=most_px)


def _one_odd_size(
    found: Sequence[Marker], free: Estimate, measure: Measure, side_mm: float, most_px: float
) -> None:
    """Each sheet's own size on the plane of the others."""
    if len(found) < 3 or free.residual_px < most_px:
        return
    sides = np.array([_side_seen(free, m) for m in found])
    odd = int(np.argmax(np.abs(sides - np.median(sides))))
    others = measure([m for k, m in enumerate(found) if k != odd])
    side = _side_seen(others, found[odd])
    if others.residual_px < most_px and abs(side / side_mm - 1) > ONE_SIZE_TOLERANCE:
        raise WrongSize(id=found[odd].id, found_mm=side, expected_mm=side_mm)


def _side_seen(answer: Estimate, marker: Marker) -> float:
    corners, _ = TableView(answer.camera, answer.pose).to_table(marker.corners_px, sigma_px=0.0)
    return float(np.mean(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)))


def _one_moved(ids: Sequence[int], seen: Floats, wanted: Floats, rest: float) -> None:
    rests = []
    for k in range(len(ids)):
        keep = [i for i in range(len(ids)) if i != k]
        rests.append(_similarity(seen[keep], wanted[keep])[2])
    odd = int(np.argmin(rests))
    if rests[odd] < 0.5 * rest:
        keep = [i for i in range(len(ids)) if i != odd]
        scale, turn, _ = _similarity(seen[keep], wanted[keep])
        cos, sin = np.cos(turn), np.sin(turn)
        matrix = scale * np.array([[cos, sin], [-sin, cos]])
        place = (seen[odd] - seen[keep].mean(axis=0)) @ matrix + wanted[keep].mean(axis=0)
        away = float(np.hypot(*(place - wanted[odd])))
        if away > MOVE_TOLERANCE_MM:
            raise MarkerMoved(id=ids[odd], mm=away)
