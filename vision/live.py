"""A live table: a source, watched; measured when it settles; its pieces followed.

    table = LiveTable("0", calibration, "t9a")
    table.start()
    state = table.wait(0, timeout_s=5)

All methods may be called from any thread and none waits for a slow reader: a state is an immutable value, and the newest
one simply takes the place of the one before. The work itself is done by one thread of the table's own.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from regla.calibration import Calibration
from regla.rules import Message, Scene
from regla.rules.scene import Frozen as FrozenMap
from regla.rules.scene import Table

from .address import Address
from .change import Activity, Watch
from .corrections import Corrections
from .drift import DriftWatch
from .errors import NotCalibrated, VisionError
from .photo import calibrate_picture
from .pipeline import Pipeline, Sight, versions
from .sources import Source
from .state import Frozen, Status, TableState
from .track import Tracker

__all__ = ["LiveTable"]

CHECK_S: Final = 0.1
"""Ten checks a second: a hand that comes in is seen before it touches anything."""
FRAMES_MOST: Final = 8
"""Pictures averaged for a settled table; noise falls with the root, eight leave a third of it."""
HISTORY_S: Final = 600.0
HAND_AGAIN_S: Final = 0.7
"""While a hand rests on the table, it is looked for again this often."""
DRIFT_EVERY_S: Final = 5.0


@dataclass(frozen=True)
class _Past:
    at_s: float
    scene: Scene


class LiveTable:
    """See the module. `detector` and `facing` may be given to share networks between tables.

    `calibrate`: without a calibration, make one from the corner sheets as soon as they are in view.
    """

    def __init__(
        self,
        source: Source | Address | str | os.PathLike[str] | int,
        calibration: Calibration | None,
        game: str,
        params: Mapping[str, Any] | None = None,
        detector: Any = None,
        facing: Any = None,
        place: Any = None,
        corrections: Corrections | None = None,
        fps: float = 1 / CHECK_S,
        calibrate: bool = False,
    ) -> None:
        named = isinstance(source, Address | str | os.PathLike | int)
        self._source: Source = Source(source, fps=fps) if named else source  # type: ignore[arg-type, assignment]
        self._pipeline = Pipeline(game, params, detector=detector, facing=facing, place=place)
        self._calibration = calibration
        self._calibrate = calibrate
        self._corrections = corrections or Corrections()
        self._tracker = Tracker()
        self._watch = Watch()
        self._drift = DriftWatch()
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._work = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._image: npt.NDArray[np.uint8] | None = None
        self._image_number = 0
        self._sum: npt.NDArray[np.float32] | None = None
        self._summed = 0
        self._sight: Sight | None = None
        self._hand_at = 0.0
        self._drift_at = -DRIFT_EVERY_S
        self._past: deque[_Past] = deque(maxlen=2000)
        self._status_at = time.monotonic()
        self._checks: deque[float] = deque(maxlen=30)
        self._state = TableState(
            None, "waiting", 0.0, 0.0, 1, None, None if calibration is None else calibration.grade
        )

    # -- what others call ----------------------------------------------------------------------------------

    @property
    def source(self) -> Source:
        return self._source

    @property
    def game(self) -> str:
        return self._pipeline.game

    @property
    def calibration(self) -> Calibration | None:
        return self._calibration

    @property
    def corrections(self) -> Corrections:
        return self._corrections

    def start(self) -> None:
        if self._thread is not None:
            return
        self._stop.clear()
        self._source.start()
        self._thread = threading.Thread(target=self._run, name="live table", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._source.stop()
        if self._thread is not None:
            self._thread.join(timeout=10)
            self._thread = None
        with self._changed:
            self._changed.notify_all()

    def state(self) -> TableState:
        """The table as it is now; the ages in it are of this moment."""
        with self._lock:
            return self._aged()

    def wait(self, sequence: int, timeout_s: float) -> TableState:
        """The state as soon as its sequence is over `sequence`, or after `timeout_s` as it is."""
        deadline = time.monotonic() + timeout_s
        with self._changed:
            while self._state.sequence <= sequence and not self._stop.is_set():
                left = deadline - time.monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)
            return self._aged()

    def frame(self) -> tuple[int, npt.NDArray[np.uint8] | None]:
        """The newest picture and its number; the array is not written to any more and may be kept."""
        with self._lock:
            return self._image_number, self._image

    def correct(self, piece_id: str, **changes: Any) -> None:
        """Set by hand: name, side, base, count, files, kind, traits, at, facing, hex, space, merge, split, forget."""
        with self._lock:
            self._corrections.correct(piece_id, **changes)
            self._publish_scene()

    def undo(self) -> bool:
        with self._lock:
            done = self._corrections.undo()
            self._publish_scene()
            return done

    def redo(self) -> bool:
        with self._lock:
            done = self._corrections.redo()
            self._publish_scene()
            return done

    def set_terrain(self, terrain: Iterable[Any]) -> None:
        """Outlines in mm, as scene terrain (objects or plain data), in place of all the earlier ones."""
        with self._lock:
            self._corrections.set_terrain(terrain)
            self._publish_scene()

    def set_game(self, game: str, params: Mapping[str, Any] | None = None) -> None:
        """Another game (everything is measured anew) or other settings of the same one."""
        with self._work, self._lock:
            other = game != self._pipeline.game
            self._pipeline = self._pipeline.of_game(game, params)
            if other:
                self._tracker = Tracker()
                self._sight = None
                self._watch.forget()
            self._publish_scene()

    def set_board(self, placed: Any) -> None:
        """A board of named spaces as it lies on the table (`calibration.boards.PlacedBoard`); None takes it away."""
        with self._work, self._lock:
            self._pipeline.board = placed
            self._watch.forget()

    def set_calibration(self, calibration: Calibration | None) -> None:
        with self._work, self._lock:
            self._calibration = calibration
            self._drift = DriftWatch()
            self._sight = None
            self._watch.forget()
            grade = None if calibration is None else calibration.grade
            self._publish(grade=grade, scene=None if calibration is None else self._state.scene)

    def history(self, seconds: float = HISTORY_S) -> list[tuple[float, Scene]]:
        """Settled scenes of the last seconds, oldest first, with the time of each (seconds since the epoch)."""
        with self._lock:
            since = time.time() - seconds
            return [(past.at_s, past.scene) for past in self._past if past.at_s >= since]

    def freeze(self, frames: int = FRAMES_MOST, timeout_s: float = 5.0) -> Frozen:
        """Measure the table anew from several pictures, with everything that backs it.

        Raises `VisionError` when there is nothing to measure; `status` in the answer says whether the table was settled.
        """
        shots = self._collect(frames, timeout_s)
        with self._lock:
            calibration, status = self._calibration, self._state.status
        if calibration is None:
            raise NotCalibrated(why="")
        mean = np.mean(np.asarray(shots, dtype=np.float32), axis=0)
        with self._work:
            sight = self._pipeline.look(shots[-1], calibration, precise=mean, frames=len(shots))
            with self._lock:
                self._tracker.update(sight.things, time.monotonic(), self._corrections)
                self._sight = sight
                self._publish_scene(frames=len(shots))
                scene = self._state.scene
        assert scene is not None
        hands = sight.hands > 0
        return Frozen(
            scene=scene,
            frames=tuple(shots),
            calibration=calibration,
            at_s=time.time(),
            status="hand" if hands and status == "settled" else status,
            versions=versions(),
            model_sha256=self._pipeline.model_sha256,
            facing_sha256=self._pipeline.facing_sha256,
            place_sha256=self._pipeline.place_sha256,
        )

    # -- the loop ------------------------------------------------------------------------------------------

    def _run(self) -> None:
        number = 0
        while not self._stop.is_set():
            began = time.monotonic()
            shot = self._source.newest(number, timeout_s=0.25)
            if shot is None:
                self._no_picture()
                continue
            number = shot.number
            with self._lock:
                self._image, self._image_number = shot.image, number
                self._checks.append(began)
            try:
                self._step(shot.image)
            except VisionError as error:
                self._publish(status="no-table", fault=error.message)
            self._stop.wait(max(0.0, began + CHECK_S - time.monotonic()))

    def _no_picture(self) -> None:
        if self._source.stale:
            self._publish(status="waiting", fault=self._source.fault)
        elif self._image is not None and not self._source.address.live:
            # A still keeps its last picture: look at it again, so that it settles and is measured.
            self._checks.append(time.monotonic())
            try:
                self._step(self._image)
            except VisionError as error:
                self._publish(status="no-table", fault=error.message)

    def _step(self, image: npt.NDArray[np.uint8]) -> None:
        now = time.monotonic()
        activity = self._watch.see(image, now)
        size = (image.shape[1], image.shape[0])
        if activity.word == "dark":
            self._publish(status="dark", fault=None, size_px=size)
            return
        calibration = self._calibration
        if calibration is None:
            fault = self._calibrate_now(image) if self._calibrate and activity.settled else None
            if self._calibration is None:
                self._publish(status="uncalibrated", fault=fault, size_px=size)
            return
        if self._source.frozen:
            self._publish(status="waiting", fault=self._source.fault, size_px=size)
            return
        fault = self._check_calibration(image, calibration, activity, now)
        if fault is not None:
            self._publish(status="drift", fault=fault, size_px=size)
            return
        if not activity.settled:
            waits: Status = "hand" if activity.word == "hand" else "moving"
            if self._state.status != "hand" or activity.word == "hand" or activity.word == "still":
                self._publish(
                    status=waits if self._state.status != "hand" else "hand", fault=None, size_px=size
                )
            return
        self._settled(image, calibration, activity, now, size)

    def _calibrate_now(self, image: npt.NDArray[np.uint8]) -> Message | None:
        """Try the sheets in view, a few times a minute; what hides them is told to the person."""
        now = time.monotonic()
        if now - self._drift_at < DRIFT_EVERY_S:
            return self._state.fault
        self._drift_at = now
        try:
            self.set_calibration(calibrate_picture(image))
        except VisionError as error:
            return error.message
        return None

    def _settled(
        self,
        image: npt.NDArray[np.uint8],
        calibration: Calibration,
        activity: Activity,
        now: float,
        size: tuple[int, int],
    ) -> None:
        resting = self._sight is not None and self._sight.hands > 0
        if activity.changed or self._sight is None or (resting and now - self._hand_at > HAND_AGAIN_S):
            self._measure(image, calibration, now, size)
        elif resting:
            self._publish(status="hand", size_px=size)
        elif self._summed and self._summed < FRAMES_MOST and self._source.address.kind != "picture":
            self._measure_finer(image, calibration)
        else:
            self._publish(status="settled", fault=None, size_px=size)

    def _measure(
        self, image: npt.NDArray[np.uint8], calibration: Calibration, now: float, size: tuple[int, int]
    ) -> None:
        with self._work:
            sight = self._pipeline.look(image, calibration)
        with self._lock:
            self._sight = sight
            self._watch.measured(image)
            self._hand_at = now
            if sight.hands:
                # What the hand covers would seem to be gone: the last settled scene stands until it leaves.
                self._summed = 0
                self._publish(status="hand", fault=None, size_px=size, look_ms=sight.ms)
                return
            self._sum, self._summed = image.astype(np.float32), 1
            self._tracker.update(sight.things, now, self._corrections)
            self._publish_scene(status="settled", fault=None, size_px=size, frames=1, look_ms=sight.ms)
            self._remember()

    def _measure_finer(self, image: npt.NDArray[np.uint8], calibration: Calibration) -> None:
        """One more picture of the same settled table: the mean of them all is measured at four and at eight."""
        assert self._sum is not None and self._sight is not None
        self._sum += image
        self._summed += 1
        if self._summed not in (FRAMES_MOST // 2, FRAMES_MOST):
            return
        with self._work:
            sight = self._pipeline.refine_again(
                self._sum / np.float32(self._summed), self._sight, calibration, frames=self._summed
            )
        with self._lock:
            self._sight = sight
            self._tracker.update(sight.things, time.monotonic(), self._corrections)
            self._publish_scene(status="settled", fault=None, frames=self._summed)
            self._remember()
            if self._summed >= FRAMES_MOST:
                self._sum = None

    def _check_calibration(
        self, image: npt.NDArray[np.uint8], calibration: Calibration, activity: Activity, now: float
    ) -> Message | None:
        """Whether the calibration is of this camera where it stands; looked at when the table settles, and now and then."""
        due = activity.settled and (activity.changed or now - self._drift_at > DRIFT_EVERY_S)
        if due or self._drift.fault is not None:
            self._drift_at = now
            return self._drift.check(image, calibration)
        return None

    # -- what is published ---------------------------------------------------------------------------------

    def _publish_scene(self, **changes: Any) -> None:
        pieces = self._tracker.pieces(time.monotonic(), self._corrections)
        if self._calibration is None or (self._sight is None and not pieces):
            self._publish(**changes)
            return
        width, depth = self._calibration.table_mm
        scene = Scene(
            game=self._pipeline.game,
            unit="mm",
            table=Table(float(width), float(depth)),
            pieces=pieces,
            terrain=(*self._corrections.edits.terrain, *(self._sight.terrain if self._sight else ())),
            board=None if self._sight is None else self._sight.board,
            params=FrozenMap(self._pipeline.params_mm),
        )
        self._publish(scene=scene, ghosts=self._tracker.ghosts(time.monotonic()), **changes)

    def _publish(self, **changes: Any) -> None:
        with self._changed:
            old = self._state
            new = replace(old, **changes)
            same = all(
                getattr(old, key) == value or getattr(old, key) is value for key, value in changes.items()
            )
            if same:
                return
            if new.status != old.status:
                self._status_at = time.monotonic()
            self._state = replace(new, sequence=old.sequence + 1)
            self._changed.notify_all()

    def _aged(self) -> TableState:
        now = time.monotonic()
        checks = [t for t in self._checks if t > now - 3.0]
        rate = (
            (len(checks) - 1) / (checks[-1] - checks[0])
            if len(checks) > 1 and checks[-1] > checks[0]
            else 0.0
        )
        return replace(
            self._state, since_s=now - self._status_at, stale_s=self._source.stale_s, rate_hz=round(rate, 1)
        )

    def _remember(self) -> None:
        scene = self._state.scene
        if scene is not None and (not self._past or self._past[-1].scene is not scene):
            self._past.append(_Past(time.time(), scene))

    def _collect(self, frames: int, timeout_s: float) -> list[npt.NDArray[np.uint8]]:
        """The next pictures of the source; what there is when it has no more (a still has one)."""
        deadline = time.monotonic() + timeout_s
        shots: list[npt.NDArray[np.uint8]] = []
        number = 0
        still = self._source.address.kind == "picture"
        while len(shots) < (1 if still else max(1, frames)) and time.monotonic() < deadline:
            shot = self._source.newest(number, timeout_s=min(1.0, max(0.0, deadline - time.monotonic())))
            if shot is not None:
                number = shot.number
                if not shots or shot.image.shape == shots[0].shape:
                    shots.append(shot.image)
            elif self._source.stale:
                break
        if self._source.stale or not shots:
            fault = self._source.fault
            error = VisionError(why="" if fault is None else fault)
            raise error
        return shots
