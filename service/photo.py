"""Photo mode: one picture with the sheets in view becomes a table that can be asked."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from regla.calibration import Calibration
from regla.rules import GAMES, Scene
from regla.vision.pictures import decode_picture

from .engine import Picture, Status, StillEngine
from .errors import Refused
from .live import DEFAULT_GAME, encode, view_json
from .settings import Settings

__all__ = ["Seen", "look_at"]

SHOWN_PX = 2400
"""A phone's picture is sent back to the page no larger than this; it was measured in full."""


@dataclass(frozen=True)
class Seen:
    scene: Scene
    calibration: Mapping[str, Any]
    picture: Picture
    view: Mapping[str, Any]
    model: Mapping[str, Any]
    grade: str
    error_mm: float
    settings: Settings

    def engine(self) -> StillEngine:
        return StillEngine(
            self.scene,
            picture=self.picture,
            view=self.view,
            calibration=self.calibration,
            model=self.model,
            status=Status(since=time.time(), grade=self.grade, error_mm=self.error_mm),
            history_s=self.settings.history_minutes * 60,
        )


def look_at(data: bytes, game: str | None, settings: Settings, name: str) -> Seen:
    """Find the sheets, calibrate, and look; every step says for people why it cannot go on."""
    from regla.vision.photo import look
    from regla.vision.pipeline import Pipeline, versions

    chosen = game or settings.game or DEFAULT_GAME
    if chosen not in GAMES:
        raise Refused.of("no-such-game", got=chosen, known=sorted(GAMES))
    image = decode_picture(data, name)
    pipeline = Pipeline(chosen)
    seen = look(image, game=chosen, pipeline=pipeline, name=name)
    calibration = seen.calibration
    assert isinstance(calibration, Calibration)
    shown: Any = image
    view = view_json(calibration)
    longest = max(image.shape[:2])
    if longest > SHOWN_PX:
        k = SHOWN_PX / longest
        shown = cv2.resize(image, None, fx=k, fy=k, interpolation=cv2.INTER_AREA)
        matrix = np.diag([k, k, 1.0]) @ np.asarray(view["matrix"])
        view = {**view, "size": [int(shown.shape[1]), int(shown.shape[0])], "matrix": matrix.tolist()}
    return Seen(
        seen.scene,
        calibration.to_json(),
        encode(shown, 88, 1),
        view,
        {
            "detector": pipeline.model_sha256,
            "facing": pipeline.facing_sha256,
            "place": pipeline.place_sha256,
            **versions(),
        },
        calibration.grade,
        calibration.quality.median_mm,
        settings,
    )
