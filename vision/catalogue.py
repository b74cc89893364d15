"""What a game's pieces look like to the camera: base sizes to snap to, and how high their tops stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from regla.rules import GAMES
from regla.rules.units import mm_per

__all__ = ["SIZE_SLACK", "Catalogue", "Height", "catalogue"]

SIZE_SLACK: Final = 0.14
"""A measured size this far from a listed one is still that one: half of the step from 20 to 25 mm, and some more."""


CLOSED_SLACK: Final = 0.2
"""The same where the box holds only these sizes, and nothing else can be meant."""
NEAR_SIGMAS: Final = 3.2
DOUBT_SIGMAS: Final = 1.5
"""Two listed sizes whose distances to the measured one differ by less than this are not told apart."""


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
_OPEN: Final = frozenset({"t9a"})
_ON_BOARD: Final = frozenset({"underworlds"})
_MORE: Final[Mapping[str, tuple[tuple[float, ...], ...]]] = {
    # What is sold beside the sheet's own examples.
    "t9a": (
        *((s, s) for s in (30.0, 60.0, 75.0, 100.0)),
        *((30.0, 60.0), (40.0, 60.0), (60.0, 100.0), (100.0, 150.0)),
        *((d,) for d in (20.0, 25.0, 28.5, 30.0, 32.0, 38.1, 40.0, 50.0, 80.0, 100.0, 130.0)),
    ),
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

    @property
    def open(self) -> bool:
        """Whether other sizes than the listed ones are played with: then a size must be near to be a listed one."""
        return self.game in _OPEN

    @cached_property
    def usual_mm(self) -> frozenset[tuple[float, ...]]:
        """The sizes of the game's own sheet, the shorter side first: others are sold too, but rarer."""
        return frozenset(tuple(sorted(size)) for size in GAMES[self.game].bases_mm)

    @property
    def slack(self) -> float:
        return SIZE_SLACK if self.open else CLOSED_SLACK

    def height(self, cls: str) -> Height:
        usual = CLICK_BASE if self.game == "mage-knight" and cls == "round-base" else _USUAL.get(cls, FLAT)
        if self.game not in _ON_BOARD:
            return usual
        return Height(usual.mm + BOARD.mm, float(np.hypot(usual.sigma_mm, BOARD.sigma_mm)))

    def snap_round(self, diameter_mm: float, sigma_mm: float = 0.0) -> float | None:
        """The listed diameter that is meant, or None when there is none or when several may be meant.

        >>> sizes = catalogue("underworlds")
        >>> sizes.snap_round(38.6), sizes.snap_round(80), sizes.snap_round(30.4, sigma_mm=1.0)
        (40.0, None, None)
        """
        slack = self.slack
        near = _meant(
            [abs(diameter_mm - d) for d in self.rounds_mm],
            [d * slack for d in self.rounds_mm],
            sigma_mm,
            self.open,
        )
        return None if near is None else self.rounds_mm[near]

    def snap_rect(
        self, width_mm: float, depth_mm: float, sigma_mm: float = 0.0, tray: bool = False
    ) -> tuple[float, float] | None:
        """The listed rectangle that is meant, the longer side as its depth; None if there is none or several."""
        low, high = sorted((width_mm, depth_mm))
        listed = [tuple(sorted(size)) for size in (self.trays_mm if tray else self.rects_mm)]
        off = [max(abs(low - a), abs(high - b)) for a, b in listed]
        slack = self.slack
        near = _meant(off, [a * slack for a, _ in listed], sigma_mm, self.open)
        return None if near is None else (listed[near][0], listed[near][1])


def _meant(off_mm: list[float], slack_mm: list[float], sigma_mm: float, open_: bool) -> int | None:
    """The nearest of the listed sizes, if it is near enough and no other is nearly as near."""
    order = sorted(range(len(off_mm)), key=lambda i: off_mm[i])
    most = NEAR_SIGMAS * sigma_mm if sigma_mm and open_ else np.inf
    if not order or off_mm[order[0]] > min(slack_mm[order[0]], most):
        return None
    if len(order) > 1 and off_mm[order[1]] - off_mm[order[0]] < DOUBT_SIGMAS * sigma_mm:
        return None
    return order[0]


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
