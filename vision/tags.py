"""Printed tags on trays and bases: who a piece is and which way it looks. The tag's "up" points to the front."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from regla.calibration import TableView

from .found import Floats

__all__ = ["TAG_IDS", "Tag", "find_tags"]

TAG_IDS: Final = range(10, 50)
FAMILY: Final = cv2.aruco.DICT_4X4_50


@dataclass(frozen=True, eq=False)
class Tag:
    """A tag in the picture: its number, its middle and the direction of its "up", both on the table."""

    number: int
    at_mm: Floats
    up_deg: float
    sigma_deg: float


@cache
def _detector() -> Any:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    # Tags of 12 mm are 24 px wide in the doubled picture: the usual limit, a share of the picture's width, is larger.
    parameters.minMarkerPerimeterRate = 0.016
    # No correction of wrong cells: with so few pixels a figure's shield must not become tag 17.
    parameters.errorCorrectionRate = 0.0
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(FAMILY), parameters)


def find_tags(image: npt.NDArray[Any], view: TableView, height_mm: float) -> list[Tag]:
    """All tags in a picture, read at twice its size (small ones have too few pixels else), with their place and front."""
    grey = (
        image
        if image.ndim == 2
        else cv2.cvtColor(np.clip(image, 0, 255).astype(np.uint8), cv2.COLOR_BGR2GRAY)
    )
    scale = 2.0 if max(grey.shape) <= 2000 else 1.0
    large = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC) if scale > 1 else grey
    corners, ids, _ = _detector().detectMarkers(large)
    tags = []
    for quad, number in zip(corners, [] if ids is None else ids.ravel(), strict=True):
        if int(number) in TAG_IDS:
            tags.append(_tag(int(number), (quad.reshape(4, 2) + 0.5) / scale - 0.5, view, height_mm))
    return [tag for tag in tags if np.isfinite(tag.at_mm).all()]


def _tag(number: int, corners_px: Floats, view: TableView, height_mm: float) -> Tag:
    places, _ = view.to_table(corners_px, height_mm, sigma_px=0.0)
    up = (places[0] + places[1] - places[2] - places[3]) / 2
    side = max(float(np.hypot(*up)), 1e-6)
    # A corner is seen to about a third of a pixel; four of them turn the tag by that over its side.
    sigma = float(np.degrees(0.35 * view.mm_per_px(places.mean(axis=0))[0] / side))
    return Tag(number, places.mean(axis=0), float(np.degrees(np.arctan2(up[1], up[0]))) % 360, sigma)
