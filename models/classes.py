"""The classes the detector knows; the index in the list is the id in its labels and its output."""

from __future__ import annotations

CLASSES: tuple[str, ...] = (
    "round-base",
    "rect-base",
    "tray",
    "hex",
    "hex-blocked",
    "hex-start",
    "token",
    "standee",
    "die",
    "cube",
    "hand",
)

CLASS_ID: dict[str, int] = {name: index for index, name in enumerate(CLASSES)}

HEX_CLASSES = frozenset({"hex", "hex-blocked", "hex-start"})
BASE_CLASSES = frozenset({"round-base", "rect-base"})
