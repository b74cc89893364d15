"""What a game's pieces look like to the camera: base sizes to snap to, and how high their tops stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from regla.rules import GAMES
from regla.rules.units import mm_per

__all__ = ["SIZE_SLACK", "Catalogue", "Height", "catalogue"]

SIZE_SLACK: Final = 0.14
"""A measured size this far from a listed one is still that one: half of the step from 20 to 25 mm, and some more."""


@dataclass(frozen=True)
class Height:
    """How far a top stands above the table, and how much that varies from maker to maker (one standard deviation)."""

    mm: float
    sigma_mm: float


FLAT: Final = Height(0.0, 0.3)
CARD: Final = Height(2.0, 0.4)
BASE: Final = Height(3.5, 0.6)
CLICK_BASE: Final = Height(9.2, 0.8)
TRAY: Final = Height(5.0, 0.6)
STAND: Final = Height(6.0, 1.0)
DIE: Final = Height(14.0, 2.0)
CUBE: Final = Height(8.0, 1.0)
BOARD: Final = Height(2.2, 0.4)
"""A folded game board; what lies on it stands that much higher."""

_USUAL: Final = {
    "round-base": BASE,
    "rect-base": BASE,
    "tray": TRAY,
    "hex": FLAT,
    "hex-blocked": FLAT,
    "hex-start": FLAT,
    "token": CARD,
    "standee": STAND,
    "die": DIE,
    "cube": CUBE,
}
_ON_BOARD: Final = frozenset({"underworlds"})
_LONG_SIDES: Final = (100.0, 150.0)
_MORE: Final[Mapping[str, tuple[tuple[float, ...], ...]]] = {
    # Army books print these beside the sheet's own examples (monsters, larger round bases).
    "t9a": ((30.0, 30.0), (100.0, 150.0), (25.0,), (40.0,), (50.0,), (32.0,)),
    "underworlds": ((28.5,), (32.0,)),
    "siege-of-runedar": ((24.0, 14.0),),
}


@dataclass(frozen=True)
class Catalogue:
    """Sizes of one game. `rounds_mm` are diameters, `rects_mm` (width, depth) with the depth the longer."""

    game: str
    rounds_mm: tuple[float, ...]
    rects_mm: tuple[tuple[float, float], ...]
    trays_mm: tuple[tuple[float, float], ...]
    hexes_mm: tuple[float, ...]

    def height(self, cls: str) -> Height:
        usual = CLICK_BASE if self.game == "mage-knight" and cls == "round-base" else _USUAL.get(cls, FLAT)
        if self.game not in _ON_BOARD:
            return usual
        return Height(usual.mm + BOARD.mm, float(np.hypot(usual.sigma_mm, BOARD.sigma_mm)))

    def snap_round(self, diameter_mm: float) -> float | None:
        """The listed diameter that is meant, or None.

        >>> catalogue("underworlds").snap_round(38.6), catalogue("underworlds").snap_round(80)
        (40.0, None)
        """
        return _nearest(diameter_mm, self.rounds_mm)

    def snap_rect(self, width_mm: float, depth_mm: float, tray: bool = False) -> tuple[float, float] | None:
        """The listed rectangle that is meant, the longer side as its depth; None if there is none."""
        low, high = sorted((width_mm, depth_mm))
        best, least = None, SIZE_SLACK
        for width, depth in self.trays_mm if tray else self.rects_mm:
            short, long = sorted((width, depth))
            off = max(abs(low / short - 1), abs(high / long - 1))
            if off < least:
                best, least = (short, long), off
        return best


def _nearest(size: float, listed: tuple[float, ...]) -> float | None:
    if not listed:
        return None
    best = min(listed, key=lambda s: abs(size / s - 1))
    return best if abs(size / best - 1) < SIZE_SLACK else None


def catalogue(game: str, params: Mapping[str, Any] | None = None, unit: str = "mm") -> Catalogue:
    """The sizes of a game; settings of the table that name a size (`base_diameter`, `across_flats`) come first."""
    listed = GAMES[game].bases_mm
    sizes = (*listed, *_MORE.get(game, ()))
    rounds = [s[0] for s in sizes if len(s) == 1]
    rects = [(s[0], s[1]) for s in sizes if len(s) == 2]
    hexes: list[float] = []
    for name, value in (params or {}).items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        length = float(value) * mm_per("in" if unit == "in" else "mm")
        if "diameter" in name:
            rounds.insert(0, length)
        elif "across_flats" in name and "token" not in name:
            hexes.append(length)
    trays = rects if game == "runewars" else [(63.5, 63.5)]
    return Catalogue(
        game,
        tuple(dict.fromkeys(rounds)),
        tuple(dict.fromkeys(rects if game != "runewars" else ())),
        tuple(trays),
        tuple(hexes),
    )
