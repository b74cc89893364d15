"""A table with a camera: `regla.vision.live` behind the same face as a still table."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from regla.calibration import Calibration
from regla.rules import GAMES, Scene
from regla.rules.scene import Table as TableSize

from .engine import Engine, Freeze, Picture, Snapshot, Status
from .errors import Refused
from .settings import Settings

__all__ = ["LiveEngine", "encode", "live_engine", "view_json"]

DEFAULT_GAME = "t9a"


def encode(image: Any, quality: int, version: int = 0) -> Picture:
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not ok:
        raise Refused.of("upload-no-picture")
    height, width = image.shape[:2]
    return Picture(data.tobytes(), "image/jpeg", (int(width), int(height)), version)


def view_json(calibration: Calibration) -> dict[str, Any]:
    """Lens and pose as the page needs them to draw on the picture."""
    camera, pose = calibration.camera, calibration.pose
    return {
        "size": list(camera.size_px),
        "matrix": np.asarray(camera.matrix).tolist(),
        "distortion": np.asarray(camera.distortion).ravel().tolist(),
        "rotation": np.asarray(pose.rotation).tolist(),
        "translation": np.asarray(pose.tvec).ravel().tolist(),
    }


class LiveEngine:
    kind = "live"

    def __init__(self, table: Any, settings: Settings) -> None:
        self._table = table
        self._settings = settings
        self._encoded: tuple[int, int, Picture] | None = None
        self._encoding = threading.Lock()

    @property
    def table(self) -> Any:
        """The vision side, for the set-up page."""
        return self._table

    def start(self) -> None:
        self._table.start()

    def stop(self) -> None:
        self._table.stop()

    @property
    def calibration(self) -> Calibration | None:
        found: Calibration | None = self._table.calibration
        return found

    def calibration_fault(self, lang: str) -> str | None:
        fault = self._table.state().fault
        return None if fault is None else str(fault.text(lang))

    def set_calibration(self, calibration: Calibration) -> None:
        self._table.set_calibration(calibration)

    def corrections(self) -> dict[str, Any]:
        """What hands have set, to be kept over a restart."""
        found: dict[str, Any] = self._table.corrections.to_json()
        return found

    # --- what the table says ------------------------------------------------------------------------------

    def _snapshot(self, state: Any) -> Snapshot:
        calibration = self.calibration
        scene = state.scene
        if scene is None:
            size = None if calibration is None else TableSize(*calibration.table_mm)
            scene = Scene(game=self._table.game, unit="mm", table=size)
        now = time.time()
        fault = state.fault
        status = Status(
            state.status,
            round(now - state.since_s, 1),
            state.grade,
            None if calibration is None else calibration.quality.median_mm,
            None if fault is None else {"en": fault.text("en"), "es": fault.text("es")},
        )
        return Snapshot(state.sequence, now, scene, status, state.look_ms)

    def snapshot(self) -> Snapshot:
        return self._snapshot(self._table.state())

    def wait(self, version: int, timeout_s: float) -> Snapshot:
        return self._snapshot(self._table.wait(version, timeout_s))

    def picture(self, quality: int = 80) -> Picture | None:
        number, image = self._table.frame()
        if image is None:
            return None
        with self._encoding:
            # Many browsers want the same picture: it is packed once.
            if self._encoded is not None and self._encoded[:2] == (number, quality):
                return self._encoded[2]
            picture = encode(image, quality, number)
            self._encoded = (number, quality, picture)
            return picture

    def view(self) -> Mapping[str, Any] | None:
        return None if self.calibration is None else view_json(self.calibration)

    # --- what a hand does ---------------------------------------------------------------------------------

    def edit(self, change: Mapping[str, Any]) -> Snapshot:
        match change["do"]:
            case "correct":
                self._table.correct(change["piece"], **(change.get("changes") or {}))
            case "remove":
                self._table.correct(change["piece"], forget=True)
            case "merge":
                first, *rest = change.get("pieces") or [None]
                if first is None or not rest:
                    raise Refused.of("merge-two")
                self._table.correct(first, merge=rest)
            case "split":
                self._table.correct(change["piece"], split=True)
            case "terrain":
                drawn = Scene.parse({"game": self._table.game, "terrain": change["terrain"]}).terrain
                self._table.set_terrain(drawn)
            case other:
                raise Refused.of("edit-what", got=repr(other))
        return self.snapshot()

    def undo(self) -> Snapshot:
        if not self._table.undo():
            raise Refused.of("nothing-to-undo")
        return self.snapshot()

    def redo(self) -> Snapshot:
        if not self._table.redo():
            raise Refused.of("nothing-to-redo")
        return self.snapshot()

    def undoable(self) -> tuple[int, int]:
        steps: tuple[int, int] = self._table.corrections.steps
        return steps

    def set_game(self, game: str, params: Mapping[str, Any]) -> Snapshot:
        if game not in GAMES:
            raise Refused.of("no-such-game", got=game, known=sorted(GAMES))
        self._table.set_game(game, dict(params))
        return self.snapshot()

    def freeze(self, frames: int) -> Freeze:
        frozen = self._table.freeze(frames)
        if frozen.status != "settled":
            raise Refused.of("not-settled", word=frozen.status)
        pictures = tuple(encode(image, 92) for image in frozen.frames)
        calibration = frozen.calibration
        return Freeze(
            frozen.scene,
            pictures,
            None if calibration is None else calibration.to_json(),
            {
                "detector": frozen.model_sha256,
                "facing": frozen.facing_sha256,
                "place": frozen.place_sha256,
                **frozen.versions,
            },
            None if calibration is None else view_json(calibration),
        )

    def history(self) -> Sequence[Snapshot]:
        past = self._table.history(self._settings.history_minutes * 60)
        return [Snapshot(i, at, scene, Status(since=at)) for i, (at, scene) in enumerate(past, 1)]


def live_engine(
    source: str, settings: Settings, game: str | None, corrections: Mapping[str, Any] | None = None
) -> Callable[[], Engine]:
    """An engine on a camera, a stream, a clip or a picture."""
    from regla.vision.corrections import Corrections
    from regla.vision.live import LiveTable
    from regla.vision.sources import Source

    calibration = _calibration_for(source, settings)
    chosen = game or _game_beside(source) or DEFAULT_GAME
    if chosen not in GAMES:
        raise Refused.of("no-such-game", got=chosen, known=sorted(GAMES))
    pictures = Source(source, fps=settings.picture_fps, loop=settings.loop)

    def make() -> Engine:
        kept = Corrections.from_json(corrections) if corrections else None
        table = LiveTable(pictures, calibration, chosen, corrections=kept, calibrate=calibration is None)
        return LiveEngine(table, settings)

    return make


def _calibration_for(source: str, settings: Settings) -> Calibration | None:
    """The calibration that was given, or the one that lies beside a clip (`NAME.calibration.json`)."""
    if settings.calibration is not None:
        return Calibration.load(settings.calibration)
    path = Path(source)
    beside = path.with_name(path.stem + ".calibration.json")
    return Calibration.load(beside) if "://" not in source and beside.is_file() else None


def _game_beside(source: str) -> str | None:
    from .sources import game_of

    return None if "://" in source or source.isdigit() else game_of(Path(source))
