"""What a table runs on. A still table is a document; a live one is `regla.vision.live` (see `live.py`).

An engine gives snapshots with rising versions and wakes those who wait for the next one. Everything it gives is
immutable, so that any thread may keep it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from regla.rules import GAMES, Scene
from regla.rules.scene import Frozen

from .edits import apply
from .errors import Refused
from .units import in_unit

__all__ = ["Engine", "Freeze", "Picture", "Snapshot", "Status", "StillEngine"]

SETTLED = "settled"


@dataclass(frozen=True)
class Status:
    """The status word of the page: settled, moving, hand, waiting, drift, dark, uncalibrated, no-table.

    `since` is when it began (seconds since 1970), `grade` and `error_mm` are the calibration's, `detail` says in each
    language what a person should do.
    """

    word: str = SETTLED
    since: float = 0.0
    grade: str | None = None
    error_mm: float | None = None
    detail: Mapping[str, str] | None = None

    @property
    def settled(self) -> bool:
        return self.word == SETTLED


@dataclass(frozen=True)
class Snapshot:
    """What is on the table at one moment; lengths in mm."""

    version: int
    time: float
    scene: Scene
    status: Status
    look_ms: float | None = None
    """How long the look behind it took, where there is a camera."""


@dataclass(frozen=True)
class Picture:
    """A picture as JPEG or PNG; `size_px` is width, height."""

    data: bytes
    media: str
    size_px: tuple[int, int]
    version: int = 0


@dataclass(frozen=True)
class Freeze:
    """A table measured from several frames, with all that is needed to measure it again."""

    scene: Scene
    frames: tuple[Picture, ...] = ()
    calibration: Mapping[str, Any] | None = None
    model: Mapping[str, Any] = field(default_factory=dict)
    view: Mapping[str, Any] | None = None
    """Lens and pose, where there is a picture: to draw the verdict on it."""


class Engine(Protocol):
    kind: str

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def snapshot(self) -> Snapshot: ...
    def wait(self, version: int, timeout_s: float) -> Snapshot: ...
    def picture(self, quality: int = 80) -> Picture | None: ...
    def view(self) -> Mapping[str, Any] | None: ...
    def edit(self, change: Mapping[str, Any]) -> Snapshot: ...
    def undo(self) -> Snapshot: ...
    def redo(self) -> Snapshot: ...
    def undoable(self) -> tuple[int, int]: ...
    def set_game(self, game: str, params: Mapping[str, Any]) -> Snapshot:
        """Lengths in mm."""
        ...

    def freeze(self, frames: int) -> Freeze: ...
    def history(self) -> Sequence[Snapshot]: ...


class StillEngine:
    """A table that stands still until a hand changes it: a scene document, or one photograph."""

    kind = "still"

    def __init__(
        self,
        scene: Scene,
        *,
        picture: Picture | None = None,
        view: Mapping[str, Any] | None = None,
        calibration: Mapping[str, Any] | None = None,
        model: Mapping[str, Any] | None = None,
        status: Status | None = None,
        history_s: float = 600.0,
    ) -> None:
        self._news = threading.Condition()
        self._picture, self._view, self._calibration = picture, view, calibration
        self._model = dict(model or {})
        self._history_s = history_s
        now = time.time()
        self._now = Snapshot(1, now, in_unit(scene, "mm"), status or Status(since=now))
        self._done: list[Scene] = []
        self._undone: list[Scene] = []
        self._past: deque[Snapshot] = deque([self._now], maxlen=600)

    def start(self) -> None:
        """A document needs no starting."""

    def stop(self) -> None:
        with self._news:
            self._news.notify_all()

    def snapshot(self) -> Snapshot:
        return self._now

    def wait(self, version: int, timeout_s: float) -> Snapshot:
        with self._news:
            self._news.wait_for(lambda: self._now.version > version, timeout_s)
            return self._now

    def picture(self, quality: int = 80) -> Picture | None:
        return self._picture

    def view(self) -> Mapping[str, Any] | None:
        return self._view

    def _put(self, scene: Scene) -> Snapshot:
        with self._news:
            now = time.time()
            self._now = replace(self._now, version=self._now.version + 1, time=now, scene=scene)
            self._past.append(self._now)
            while len(self._past) > 1 and now - self._past[0].time > self._history_s:
                self._past.popleft()
            self._news.notify_all()
            return self._now

    def edit(self, change: Mapping[str, Any]) -> Snapshot:
        with self._news:
            before = self._now.scene
            after = apply(before, change)
            self._done.append(before)
            self._undone.clear()
            return self._put(after)

    def undo(self) -> Snapshot:
        with self._news:
            if not self._done:
                raise Refused.of("nothing-to-undo")
            self._undone.append(self._now.scene)
            return self._put(self._done.pop())

    def redo(self) -> Snapshot:
        with self._news:
            if not self._undone:
                raise Refused.of("nothing-to-redo")
            self._done.append(self._now.scene)
            return self._put(self._undone.pop())

    def undoable(self) -> tuple[int, int]:
        return len(self._done), len(self._undone)

    def replace_scene(self, scene: Scene) -> Snapshot:
        """A whole new document, as a sensor or a script sends it; a hand can undo it."""
        with self._news:
            self._done.append(self._now.scene)
            self._undone.clear()
            return self._put(in_unit(scene, "mm"))

    def set_game(self, game: str, params: Mapping[str, Any]) -> Snapshot:
        if game not in GAMES:
            raise Refused.of("no-such-game", got=game, known=sorted(GAMES))
        with self._news:
            return self._put(replace(self._now.scene, game=game, params=Frozen(params)))

    def freeze(self, frames: int) -> Freeze:
        pictures = () if self._picture is None else (self._picture,)
        return Freeze(self._now.scene, pictures, self._calibration, self._model, self._view)

    def history(self) -> Sequence[Snapshot]:
        with self._news:
            return tuple(self._past)
