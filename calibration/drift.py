"""Has the camera, or a sheet, moved? A few small patches around the sheets answer in a millisecond or two.

At calibration the patches around every sheet corner, and around some strong features of the table, are remembered.
Each check looks for them close to where they were. Verdicts wait when more than a millimetre has moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import cv2
import numpy as np
import numpy.typing as npt

from .camera import Floats
from .document import Calibration
from .markers import Image, Marker, find_markers, grey
from .messages import say
from .view import projection_jacobian

State = Literal["still", "camera-moved", "sheet-moved", "covered"]

MOST_MM: Final = 1.0
HALF_PX: Final = 10
SEARCH_PX: Final = 6
"""Patches are 21 px wide and looked for up to 6 px away: far enough to see a drift begin, small enough to be quick.
What jumps further is found by looking for the sheets anew."""
SEEN_SCORE: Final = 0.75
"""A patch that resembles its memory less is covered (or gone)."""
FEATURES: Final = 14
LEAST_SEEN: Final = 4
CAMERA_SHARE: Final = 0.5
"""When half of all that is seen has moved, it was the camera; pieces and single sheets move alone."""
RETRY: Final = 15
"""While nothing is seen, sheets are searched anew every this many checks: half a second at 30 frames."""


@dataclass(frozen=True)
class Drift:
    """What a check found: the state, the largest move in mm, the sheets concerned and how many patches were seen."""

    state: State
    moved_mm: float = 0.0
    ids: tuple[int, ...] = ()
    seen: int = 0

    @property
    def suspended(self) -> bool:
        """Whether verdicts must wait."""
        return self.state in ("camera-moved", "sheet-moved")

    def text(self, lang: str = "en") -> str:
        return say(f"drift-{self.state}", lang, mm=self.moved_mm, ids=", ".join(map(str, self.ids)))


class DriftWatch:
    """Remembers a calibrated picture and compares later ones with it."""

    def __init__(self, calibration: Calibration, frame: Image) -> None:
        self.calibration = calibration
        picture = grey(frame)
        view = calibration.view()
        owners: list[int] = []
        spots: list[Floats] = []
        for sheet_id, sheet in calibration.sheets.items():
            for corner in sheet.corners_px:
                owners.append(sheet_id)
                spots.append(corner)
        for feature in self._features(picture, calibration):
            owners.append(-1)
            spots.append(feature)
        reach = HALF_PX + SEARCH_PX + 1
        size = np.array([picture.shape[1], picture.shape[0]])
        self._corner: list[tuple[int, int]] = []
        self._patches: list[npt.NDArray[np.uint8]] = []
        kept: list[int] = []
        for k, spot in enumerate(spots):
            middle = np.round(spot).astype(int)
            if (middle < reach).any() or (middle >= size - reach).any():
                continue
            x, y = int(middle[0]), int(middle[1])
            patch = picture[y - HALF_PX : y + HALF_PX + 1, x - HALF_PX : x + HALF_PX + 1].copy()
            if float(patch.std()) < 4:
                continue  # a plain patch matches anywhere
            kept.append(k)
            self._corner.append((x, y))
            self._patches.append(patch)
        self._owner = np.array([owners[k] for k in kept], dtype=int)
        # Where the patches are before anything moves: the picture itself may already be off by a fraction.
        places = view._hit(np.array(self._corner, dtype=np.float64).reshape(-1, 2), 0.0)
        _, _, point = projection_jacobian(view.camera, view.pose, places)
        self._to_mm = np.linalg.inv(point[:, :, :2]) if len(places) else np.empty((0, 2, 2))
        self._lost_for = 0
        self._last: Drift = (
            self._compare_sheets(find_markers(frame)) if calibration.sheets else Drift("still")
        )

    @staticmethod
    def _features(picture: npt.NDArray[np.uint8], calibration: Calibration) -> list[Floats]:
        small = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        mask = np.full(small.shape, 255, np.uint8)
        for sheet in calibration.sheets.values():
            middle, reach = sheet.corners_px.mean(axis=0) / 2, np.ptp(sheet.corners_px, axis=0).max() / 2
            cv2.circle(mask, (int(middle[0]), int(middle[1])), int(reach), 0, -1)
        found = cv2.goodFeaturesToTrack(small, FEATURES, 0.05, small.shape[1] / 10, mask=mask)
        return [] if found is None else [np.asarray(p, dtype=np.float64).ravel() * 2 for p in found]

    @property
    def last(self) -> Drift:
        return self._last

    def check(self, frame: Image) -> Drift:
        """Compare a frame with the memory."""
        if not self._patches:
            self._last = Drift("covered")
            return self._last
        moves, scores = self._match(frame)
        seen = scores > SEEN_SCORE
        if int(seen.sum()) < LEAST_SEEN:
            self._last = self._search(frame)
            return self._last
        self._lost_for = 0
        vectors = np.einsum("nij,nj->ni", self._to_mm, moves)
        away = np.hypot(vectors[:, 0], vectors[:, 1])
        # A sheet is where the middle of its corners says; one corner may lie under a die.
        sheets = {
            int(i): float(np.hypot(*np.median(vectors[mine], axis=0)))
            for i in np.unique(self._owner[self._owner >= 0])
            if (mine := seen & (self._owner == i)).sum() >= 2
        }
        moved = {i: mm for i, mm in sheets.items() if mm > MOST_MM}
        share = float((away[seen] > MOST_MM).mean())
        count = int(seen.sum())
        if share >= CAMERA_SHARE and len(moved) * 2 >= len(sheets):
            self._last = Drift("camera-moved", float(np.median(away[seen])), tuple(moved), count)
        elif moved:
            self._last = Drift("sheet-moved", max(moved.values()), tuple(moved), count)
        elif sheets or count >= LEAST_SEEN:
            self._last = Drift("still", max(sheets.values(), default=float(np.median(away[seen]))), (), count)
        return self._last

    def _match(self, frame: Image) -> tuple[Floats, Floats]:
        reach = HALF_PX + SEARCH_PX
        side = 2 * SEARCH_PX + 1
        moves = np.zeros((len(self._patches), 2))
        scores = np.zeros(len(self._patches))
        for k, ((x, y), patch) in enumerate(zip(self._corner, self._patches, strict=True)):
            window = frame[y - reach : y + reach + 1, x - reach : x + reach + 1]
            if window.shape[0] != 2 * reach + 1 or window.shape[1] != 2 * reach + 1:
                continue
            if window.ndim == 3:
                window = cv2.cvtColor(window, cv2.COLOR_BGR2GRAY)
            match = cv2.matchTemplate(window, patch, cv2.TM_CCOEFF_NORMED)
            _, score, _, (column, row) = cv2.minMaxLoc(match)
            scores[k] = score
            moves[k] = (
                column
                - SEARCH_PX
                + (_vertex(match[row, column - 1 : column + 2]) if 0 < column < side - 1 else 0.0),
                row - SEARCH_PX + (_vertex(match[row - 1 : row + 2, column]) if 0 < row < side - 1 else 0.0),
            )
        return moves, scores

    def _search(self, frame: Image) -> Drift:
        """Hardly anything is where it was: covered, or moved far? Looking for the sheets tells."""
        self._lost_for += 1
        if self._lost_for % RETRY != 1:
            return self._last if self._last.state != "still" else Drift("covered")
        return self._compare_sheets(find_markers(frame))

    def _compare_sheets(self, found: Sequence[Marker]) -> Drift:
        view = self.calibration.view()
        moved = {}
        known = [m for m in found if m.id in self.calibration.sheets]
        for marker in known:
            sheet = self.calibration.sheets[marker.id]
            before, _ = view.to_table(sheet.corners_px, sigma_px=0.0)
            now, _ = view.to_table(marker.corners_px, sigma_px=0.0)
            moved[marker.id] = float(np.hypot(*np.median(now - before, axis=0)))
        if not known:
            return Drift("covered")
        off = {i: mm for i, mm in moved.items() if mm > MOST_MM}
        if not off:
            return Drift("still", max(moved.values()), (), len(known))
        state: State = "camera-moved" if len(off) * 2 > len(known) or len(known) == 1 else "sheet-moved"
        return Drift(state, max(off.values()), tuple(off), len(known))


def _vertex(three: npt.NDArray[Any]) -> float:
    """Where a parabola through three equally spaced values has its top, from the middle one."""
    left, middle, right = (float(v) for v in np.ravel(three))
    bend = left - 2 * middle + right
    return 0.0 if bend >= 0 else 0.5 * (left - right) / bend
