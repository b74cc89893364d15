"""What a live table tells the rest: its state at one moment, a frozen measurement, a ghost of an earlier place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from regla.calibration import Calibration
from regla.rules import Message, Piece, Scene, msg

from .messages import STATUS_KEYS

__all__ = ["Frozen", "Ghost", "Status", "TableState"]

Status = Literal["settled", "moving", "hand", "waiting", "drift", "dark", "uncalibrated", "no-table"]


@dataclass(frozen=True)
class Ghost:
    """A piece where it stood before it was lifted or moved; `gone` while it is not on the table at all."""

    piece: Piece
    left_s: float
    gone: bool


@dataclass(frozen=True, eq=False)
class TableState:
    """One moment of a table. `sequence` grows with every change of anything in here.

    `scene` is the last settled scene (mm): it stays while things move, and `status` says whether it still holds.
    `since_s` is how long the status has lasted, `stale_s` the age of the newest picture, `fault` what a person should do.
    """

    scene: Scene | None
    status: Status
    since_s: float
    stale_s: float
    sequence: int
    size_px: tuple[int, int] | None
    grade: str | None
    ghosts: tuple[Ghost, ...] = ()
    fault: Message | None = None
    frames: int = 0
    """How many pictures the scene was measured from."""
    rate_hz: float = 0.0
    look_ms: float | None = None

    @property
    def trusted(self) -> bool:
        """Whether a verdict on this scene holds now."""
        return self.status == "settled" and self.scene is not None

    def text(self, lang: str = "en") -> str:
        """The status in words, as the page's head line shows it."""
        key = STATUS_KEYS[self.status]
        return msg(key, s=int(self.stale_s)).text(lang) if self.status == "waiting" else msg(key).text(lang)


@dataclass(frozen=True, eq=False)
class Frozen:
    """The table measured from several pictures, with everything that backs it: what a ruling keeps."""

    scene: Scene
    frames: tuple[npt.NDArray[np.uint8], ...]
    calibration: Calibration | None
    at_s: float
    status: Status
    versions: Mapping[str, str] = field(default_factory=dict)
    model_sha256: str | None = None
    facing_sha256: str | None = None
    place_sha256: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
