"""The lens targets: our ChArUco board, or any chessboard; and how they are found in a picture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import cv2
import numpy as np

from .camera import Floats
from .markers import Image, check_picture, grey

LEAST_CORNERS: Final = 8
"""Fewer corners of a board fix its pose too loosely to say anything about the lens."""


@dataclass(frozen=True, eq=False)
class BoardView:
    """One picture of a board: corners on it in mm (N,3) and where they are seen (N,2)."""

    xyz_mm: Floats
    px: Floats
    name: str = ""


@dataclass(frozen=True)
class CharucoBoard:
    """The printed board. 8 × 6 squares of 30 mm fit both A4 and Letter; its own marker family keeps it apart from
    the sheets on the table."""

    columns: int = 8
    rows: int = 6
    square_mm: float = 30.0
    marker_mm: float = 22.0
    family: str = "DICT_5X5_100"

    @cached_property
    def board(self) -> Any:
        dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, self.family))
        return cv2.aruco.CharucoBoard((self.columns, self.rows), self.square_mm, self.marker_mm, dictionary)

    @cached_property
    def _detector(self) -> Any:
        return cv2.aruco.CharucoDetector(self.board)

    def find(self, image: Image, name: str = "") -> BoardView | None:
        """The board in a picture, as much of it as is in view; None if that is too little."""
        check_picture(image)
        corners, ids, _, _ = self._detector.detectBoard(grey(image))
        if ids is None or len(ids) < LEAST_CORNERS:
            return None
        places = np.asarray(self.board.getChessboardCorners(), dtype=np.float64)[np.ravel(ids)]
        if np.linalg.svd(places - places.mean(axis=0), compute_uv=False)[1] < self.square_mm:
            return None  # one row of corners: no plane
        return BoardView(places, np.asarray(corners, dtype=np.float64).reshape(-1, 2), name)


@dataclass(frozen=True)
class Chessboard:
    """A plain chessboard, for people who have one already: inner corners across and down."""

    columns: int = 9
    rows: int = 6
    square_mm: float = 25.0

    def find(self, image: Image, name: str = "") -> BoardView | None:
        check_picture(image)
        found, corners = cv2.findChessboardCornersSB(
            grey(image), (self.columns, self.rows), flags=cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_ACCURACY
        )
        if not found:
            return None
        across, down = np.meshgrid(np.arange(self.columns), np.arange(self.rows))
        grid = np.column_stack([across.ravel(), down.ravel(), np.zeros(across.size)]).astype(np.float64)
        places = grid * self.square_mm
        return BoardView(places, np.asarray(corners, dtype=np.float64).reshape(-1, 2), name)


Target = CharucoBoard | Chessboard
