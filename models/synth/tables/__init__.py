"""One module per game: each builds a table that could stand in the middle of a real game."""

from __future__ import annotations

from collections.abc import Callable

from ..world import World
from . import free, mage_knight, runedar, runewars, t9a, underworlds

# (generator, assets folder or None, lay the corner sheets) -> World
BUILDERS: dict[str, Callable[..., World]] = {
    "t9a": t9a.build,
    "mage-knight": mage_knight.build,
    "runewars": runewars.build,
    "underworlds": underworlds.build,
    "siege-of-runedar": runedar.build,
    "free": free.build,
}
GAMES = tuple(name for name in BUILDERS if name != "free")
"""The games of the rules; a free table is none of them."""
