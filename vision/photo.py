"""Photo mode: one picture in, a scene out, calibrated from the sheets in view when no calibration is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from regla.calibration import Calibration, CalibrationError, Camera, TableView, calibrate_markers
from regla.rules import GAMES, Message, Scene, msg
from regla.rules.scene import Frozen, Table

from .corrections import Corrections
from .drift import _Said, check_fits
from .errors import NoTable, NotCalibrated
from .pictures import check_light, check_size
from .pipeline import Pipeline, Sight
from .track import Tracker

__all__ = ["Look", "look", "scene_of"]


@dataclass(frozen=True, eq=False)
class Look:
    """What a photograph shows: the scene (mm), the calibration it was measured with, the look itself, and what to know."""

    scene: Scene
    calibration: Calibration | TableView
    sight: Sight
    notes: tuple[Message, ...] = ()

    @property
    def view(self) -> TableView:
        return self.calibration if isinstance(self.calibration, TableView) else self.calibration.view()


def look(
    image: npt.NDArray[np.uint8],
    calibration: Calibration | TableView | None = None,
    game: str = "t9a",
    *,
    params: Mapping[str, Any] | None = None,
    pipeline: Pipeline | None = None,
    camera: Camera | None = None,
    table_mm: tuple[float, float] | None = None,
    layout: str = "anywhere",
    name: str = "picture",
) -> Look:
    """See a photograph. Every fault is a `VisionError` that says what to do."""
    check_size(image.shape[1], image.shape[0], name)
    check_light(image)
    notes: list[Message] = []
    if calibration is None:
        calibration = calibrate_picture(image, camera=camera, table_mm=table_mm, layout=layout)
        if calibration.lens_source != "given":
            notes.append(msg("see-lens"))
    elif isinstance(calibration, Calibration):
        check_fits(image, calibration)
    pipeline = pipeline or Pipeline(game, params)
    sight = pipeline.look(image, calibration)
    tracker, corrections = Tracker(), Corrections()
    tracker.update(sight.things, 0.0, corrections)
    scene = scene_of(tracker.pieces(0.0, corrections), sight, pipeline, _size(calibration, game, table_mm))
    if not scene.pieces and not sight.found and not isinstance(calibration, Calibration):
        raise NoTable()
    return Look(scene, calibration, sight, tuple(notes))


def calibrate_picture(
    image: npt.NDArray[np.uint8],
    *,
    camera: Camera | None = None,
    table_mm: tuple[float, float] | None = None,
    layout: str = "anywhere",
    places: Mapping[int, Any] | None = None,
) -> Calibration:
    """From the sheets in view; what calibration says is wrong is passed on in both languages."""
    try:
        return calibrate_markers(image, camera=camera, table_mm=table_mm, layout=layout, places=places)  # type: ignore[arg-type]
    except CalibrationError as error:
        why = _Said({lang: error.message(lang) for lang in ("en", "es")})
        raise NotCalibrated(why=why) from error


def _size(
    calibration: Calibration | TableView, game: str, table_mm: tuple[float, float] | None
) -> tuple[float, float] | None:
    if isinstance(calibration, Calibration):
        return calibration.table_mm
    return table_mm or GAMES[game].table_mm


def scene_of(pieces: Any, sight: Sight, pipeline: Pipeline, table_mm: tuple[float, float] | None) -> Scene:
    return Scene(
        game=pipeline.game,
        unit="mm",
        table=None if table_mm is None else Table(round(float(table_mm[0]), 3), round(float(table_mm[1]), 3)),
        pieces=tuple(pieces),
        terrain=sight.terrain,
        board=sight.board,
        params=Frozen(pipeline.params_mm),
    )
