"""From boxes in the picture to first shapes in millimetres: what the network saw, laid on the table."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Final

import numpy as np
from regla.calibration import TableView
from regla.models.classes import CLASSES, HEX_CLASSES

from .catalogue import Catalogue
from .found import Floats, Found, Shape
from .place import Placed, steps_mm

__all__ = ["BOX_SIGMA_PX", "propose"]

BOX_SIGMA_PX: Final = 1.0
"""How far the middle of a box is off, one standard deviation each way."""
SIDE_SIGMA_PX: Final = 0.8
"""How far the side of a box is off."""
SIZE_SIGMA: Final = 0.05
HEX_SLACK: Final = 0.06
"""The box of a hexagon is 2/√3 as long as wide, as far as a detector draws it exactly."""
TOKEN_SLACK: Final = 0.035
"""Tokens come in any size; one of a listed size is that one only when it is very near."""
_HEX_TOKENS: Final = frozenset({"underworlds"})
_ROUND: Final = frozenset({"round-base"})
_RECT: Final = frozenset({"rect-base", "tray", "standee", "die", "cube"})


def propose(seen: Any, view: TableView, sizes: Catalogue, placed: Placed | None = None) -> list[Found]:
    """The detections that lie on something flat, as first guesses; hands are left out.

    `placed` are their boxes after a second look, with error bars.
    """
    names = [CLASSES[i] for i in seen.class_id]
    keep = [i for i, name in enumerate(names) if name != "hand"]
    if not keep:
        return []
    corners = np.asarray((placed or seen).corners_px, dtype=np.float64)[keep]
    height = np.array([sizes.height(names[i]).mm for i in keep])
    places, _ = view.to_table(corners.reshape(-1, 2), np.repeat(height, 4), sigma_px=0.0)
    middles, cov = view.to_table(corners.mean(axis=1), height, sigma_px=BOX_SIGMA_PX)
    quads = places.reshape(-1, 4, 2)
    pixel = view.mm_per_px(np.nan_to_num(middles))
    to_mm = steps_mm(view, middles, height)
    found = []
    for k, i in enumerate(keep):
        if np.isfinite(quads[k]).all() and np.isfinite(middles[k]).all():
            told = placed is not None and bool(np.isfinite(placed.side_px[i]))
            side_mm = float(pixel[k]) * (float(placed.side_px[i]) if placed and told else SIDE_SIGMA_PX)
            one = _one(
                names[i], float(seen.score[i]), quads[k], middles[k], cov[k], corners[k], sizes, side_mm
            )
            if placed and told:
                one = _told(one, placed, i, to_mm[k], side_mm)
            found.append(one)
    return found


def _told(found: Found, placed: Placed, i: int, to_mm: Floats, side_mm: float) -> Found:
    """A first guess with the error bars of its second look."""
    cov = to_mm @ placed.cov_px2[i] @ to_mm.T
    return replace(
        found,
        cov_mm2=cov,
        box_cov_mm2=cov,
        size_sigma_mm=max(0.2, side_mm),
        turn_sigma_deg=float(placed.turn_deg[i]),
        whole=float(placed.whole[i]),
    )


def _one(
    cls: str,
    score: float,
    quad: Floats,
    middle: Floats,
    cov: Floats,
    corners_px: Floats,
    sizes: Catalogue,
    side_mm: float,
) -> Found:
    one, two = (quad[1] - quad[0] + quad[2] - quad[3]) / 2, (quad[3] - quad[0] + quad[2] - quad[1]) / 2
    a, b = math.hypot(*one), math.hypot(*two)
    shape: Shape = "rect"
    size: tuple[float, ...] = (min(a, b), max(a, b))
    turn = math.degrees(math.atan2(*(one if a > b else two)[::-1]))
    snapped = False
    at = middle
    if cls in HEX_CLASSES:
        # The box of a hexagon: flats across one way, corners across the other (2/√3 as long).
        shape, size, turn = (
            "hex",
            (min(a, b, (a + b) / (1 + 2 / 3**0.5)),),
            math.degrees(math.atan2(*(one if a < b else two)[::-1])),
        )
    elif cls == "token" and sizes.game in _HEX_TOKENS and abs(max(a, b) / min(a, b) - 2 / 3**0.5) < HEX_SLACK:
        shape, size = "hex", ((a + b) / (1 + 2 / 3**0.5),)
        turn = math.degrees(math.atan2(*(one if a < b else two)[::-1]))
    elif cls in _ROUND or (cls == "token" and abs(a - b) < 0.1 * max(a, b)):
        shape, size = "circle", (float(np.sqrt(a * b)),)
        listed = sizes.snap_round(size[0], side_mm)
        if cls == "token" and listed is not None and abs(size[0] / listed - 1) > TOKEN_SLACK:
            listed = None
        size, snapped = ((listed,), True) if listed else (size, False)
    else:
        meant = sizes.snap_rect(a, b, side_mm, cls == "tray") if cls in ("rect-base", "tray") else None
        size, snapped = (meant, True) if meant else (size, False)
        if not snapped and cls in ("rect-base", "tray") and abs(a - b) < 0.08 * max(a, b):
            size = ((a + b) / 2,) * 2
    height = sizes.height(cls).mm
    return Found(
        cls, shape, at, cov, size, SIZE_SIGMA * max(size), turn % 360, 3.0, None, 0.0, height, score, 0.0, snapped,
        corners_px=corners_px,
    )  # fmt: skip
