"""Is anything moving? A small copy of each picture says so for a few milliseconds of work.

The copy is compared with the one before (motion) and with the one that was last measured (change). Both differences
are cleared of the light's own changes, and places that always flicker (a screen, a leaf's shadow) raise their own bar.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import cv2
import numpy as np
import numpy.typing as npt

from .pictures import is_dark

__all__ = ["Activity", "Watch"]

SMALL_PX: Final = 480
"""Width of the small copy: a base that moves a millimetre at 1080p still changes its rim by a few grey levels."""
SETTLE_S: Final = 0.5
"""How long nothing may move before the table counts as settled: shorter than a hand pauses, longer than a camera's jitter."""
LEAST_STEP: Final = 8.0
"""Grey levels (of 255, mean of 3 × 3) that count as motion at the least. Sensor noise of a good camera is under one, but a video's
own packing pulses by up to seven at every key frame; a base or a hand that moves changes thirty and more."""
CHANGE_TIMES: Final = 0.9
"""Times that bar from which the table looks other than when it was measured: a base moved by a millimetre and a half."""
NOISE_TIMES: Final = 6.0
"""Times the usual (median) difference that still counts as still: one false alarm in hours at ten checks a second."""
FLICKER_TIMES: Final = 5.0
FLICKER_RATE: Final = 0.03
HAND_SHARE: Final = 0.012
"""A hand with its sleeve covers more of the picture than this; the largest base covers a quarter of it."""
LEAST_PIXELS: Final = 3
FLOOD_SHARE: Final = 0.6
"""When this much of the picture changes at once it is the light or the camera, not a hand."""

Word = Literal["still", "moving", "hand", "dark"]


@dataclass(frozen=True)
class Activity:
    """`still_s`: how long nothing has moved. `changed`: whether the table looks other than when it was last measured."""

    word: Word
    still_s: float
    changed: bool
    flood: bool = False

    @property
    def settled(self) -> bool:
        return self.word == "still" and self.still_s >= SETTLE_S


class Watch:
    """Compares pictures as they come; call `measured` after measuring, so that only new changes count."""

    def __init__(self) -> None:
        self._last: npt.NDArray[np.float32] | None = None
        self._measured: npt.NDArray[np.float32] | None = None
        self._flicker: npt.NDArray[np.float32] | None = None
        self._moved_at = 0.0
        self._noise = 1.0

    def see(self, image: npt.NDArray[Any], now_s: float) -> Activity:
        small = self._small(image)
        if self._last is None or self._last.shape != small.shape:
            self._last, self._measured, self._flicker = small, None, np.zeros(small.shape[:2], np.float32)
            self._moved_at = now_s
            return Activity("dark" if is_dark(image) else "moving", 0.0, True)
        if is_dark(image):
            self._last, self._moved_at = small, now_s
            return Activity("dark", 0.0, True)
        step = _difference(small, self._last)
        self._noise = 0.9 * self._noise + 0.1 * min(10.0, float(np.median(step[::3, ::3])))
        moving = self._over(step) >= LEAST_PIXELS
        if moving:
            self._moved_at = now_s
        else:
            assert self._flicker is not None
            self._flicker += FLICKER_RATE * (step - self._flicker)
        self._last = small
        away = None if self._measured is None else _difference(small, self._measured)
        changed = away is None or self._over(away, CHANGE_TIMES) >= LEAST_PIXELS
        word: Word = "moving" if moving else "still"
        flood = False
        if moving and away is not None:
            share, at_border = self._largest(away)
            flood = share > FLOOD_SHARE
            if at_border and HAND_SHARE < share <= FLOOD_SHARE:
                word = "hand"
        return Activity(word, now_s - self._moved_at, changed, flood)

    def measured(self, image: npt.NDArray[Any]) -> None:
        """This picture has been measured: changes count from here."""
        self._measured = self._small(image)

    def forget(self) -> None:
        """Measure again at the next chance, whatever has changed."""
        self._measured = None

    def _bar(self, times: float) -> npt.NDArray[np.float32]:
        assert self._flicker is not None
        return np.asarray(
            np.maximum(max(LEAST_STEP, NOISE_TIMES * self._noise), FLICKER_TIMES * self._flicker) * times,
            dtype=np.float32,
        )

    def _over(self, difference: npt.NDArray[np.float32], times: float = 1.0) -> int:
        return int(np.count_nonzero(difference > self._bar(times)))

    def _largest(self, away: npt.NDArray[np.float32]) -> tuple[float, bool]:
        """Share of the picture that the largest changed patch covers, and whether it comes in over the border."""
        mask = (away > self._bar(2.0)).astype(np.uint8)
        mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8)), dtype=np.uint8)
        count, _, stats, _ = cv2.connectedComponentsWithStats(mask)
        if count < 2:
            return 0.0, False
        x, y, width, height, area = stats[1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))]
        rows, columns = mask.shape
        border = x <= 1 or y <= 1 or x + width >= columns - 1 or y + height >= rows - 1
        return float(area) / mask.size, bool(border)

    @staticmethod
    def _small(image: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        height, width = image.shape[:2]
        size = (SMALL_PX, max(1, round(SMALL_PX * height / width))) if width > SMALL_PX else (width, height)
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        # In colour: a red base on a green mat may be of the very same grey.
        return np.asarray(cv2.blur(small.astype(np.float32), (3, 3)))


def _difference(a: npt.NDArray[np.float32], b: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """How far a differs from b in any colour, without what the light alone does: a lamp that dims everywhere by the same
    is no change."""
    difference = cv2.subtract(a, b)
    drift = np.median(difference[::6, ::6].reshape(-1, a.shape[2]), axis=0)
    one, two, three = cv2.split(np.abs(difference - drift.astype(np.float32)))
    return np.asarray(cv2.max(cv2.max(one, two), three), dtype=np.float32)
