"""How a rectangle lies, from the picture itself: the direction that most edges in it and around it share.

Networks draw oriented boxes whose turn is off by many degrees where figures hide the corners; the edges of a base, of its
neighbours in a block and of what is printed on a tray all run along two directions, and say so together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from regla.calibration import TableView

from .found import Found

__all__ = ["straighten"]

TRUST: Final = 0.2
"""Share of all edges that must agree (1: all of them): above it, nine in ten are within five degrees of the truth."""
APART_DEG: Final = 12.0
"""A box whose turn differs by less is believed as it is: it is then the finer of the two."""
SURE: Final = 0.75
"""Boxes with a higher score have their turn right already."""
STRONG: Final = 60.0
"""Edges count by their strength up to this (grey levels per pixel): one bright sword must not outvote four sides."""
SIGMA_DEG: Final = 3.0


def straighten(image: npt.NDArray[Any], view: TableView, found: Sequence[Found]) -> list[Found]:
    """The finds with the turns of rectangles put right where the picture clearly says otherwise."""
    rows = [
        i
        for i, f in enumerate(found)
        if f.cls in ("rect-base", "tray") and f.corners_px is not None and f.score < SURE
    ]
    out = list(found)
    if not rows:
        return out
    if image.dtype != np.uint8:
        image = np.clip(image, 0, 255).astype(np.uint8)
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    grey = cv2.GaussianBlur(grey, (3, 3), 0)
    across, down = cv2.Sobel(grey, cv2.CV_16S, 1, 0), cv2.Sobel(grey, cv2.CV_16S, 0, 1)
    steps = _steps(view, [found[i] for i in rows])
    for i, step in zip(rows, steps, strict=True):
        turn, agree = _common_turn(across, down, found[i], step)
        off = (turn - found[i].turn_deg + 45) % 90 - 45
        if agree >= TRUST and abs(off) > APART_DEG:
            out[i] = replace(found[i], turn_deg=(found[i].turn_deg + off) % 360, turn_sigma_deg=SIGMA_DEG)
    return out


def _steps(view: TableView, found: Sequence[Found]) -> npt.NDArray[np.float64]:
    """Pixels per millimetre along the table's two axes at each find: (N,2,2)."""
    at = np.array([f.at_mm for f in found])
    height = np.array([f.height_mm for f in found])[:, None]
    here = view.to_pixel(np.hstack([at, height]))
    right = view.to_pixel(np.hstack([at + np.array([1.0, 0.0]), height]))
    away = view.to_pixel(np.hstack([at + np.array([0.0, 1.0]), height]))
    return np.stack([right - here, away - here], axis=2)


def _common_turn(
    across: npt.NDArray[Any], down: npt.NDArray[Any], found: Found, step: npt.NDArray[Any]
) -> tuple[float, float]:
    """The turn (up to a quarter) that edges in and around the box share, and what share of them does."""
    assert found.corners_px is not None
    middle = found.corners_px.mean(axis=0)
    reach = float(np.hypot(*(found.corners_px - middle).T).max()) + 2
    low = np.maximum((middle - reach).astype(int), 0)
    high = np.maximum((middle + reach).astype(int) + 1, 0)
    gx = across[low[1] : high[1], low[0] : high[0]].ravel().astype(np.float32) / 4
    gy = down[low[1] : high[1], low[0] : high[0]].ravel().astype(np.float32) / 4
    if not len(gx):
        return found.turn_deg, 0.0
    # Gradients go to the table by the transposed map of places; four times the angle makes quarter turns alike.
    edge = (gx * step[0, 0] + gy * step[1, 0]) + 1j * (gx * step[0, 1] + gy * step[1, 1])
    size = np.abs(edge) + 1e-6
    weight = np.minimum(size, STRONG)
    total = complex(np.sum(weight * (edge / size) ** 4))
    return float(np.degrees(np.angle(total)) / 4), abs(total) / float(weight.sum())
