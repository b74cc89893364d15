"""A whole scene in another unit: its geometry, and those of its settings that are lengths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from regla.rules import GAMES, Scene
from regla.rules.document import scaled
from regla.rules.scene import Frozen
from regla.rules.units import Unit, mm_per

__all__ = ["convert_params", "in_unit"]


def convert_params(game: str, params: Mapping[str, Any], k: float) -> dict[str, Any]:
    """Settings with their lengths times `k`; what is no length stays as it is."""
    known = GAMES.get(game)
    out: dict[str, Any] = {}
    for name, value in params.items():
        param = known.param(name) if known is not None else None
        if param is not None and param.kind == "length" and isinstance(value, int | float):
            value = value * k
        elif param is not None and param.kind == "lengths" and isinstance(value, list | tuple):
            value = [v * k for v in value]
        out[name] = value
    return out


def in_unit(scene: Scene, unit: Unit) -> Scene:
    """
    >>> scene = Scene.parse({"game": "mage-knight", "unit": "mm", "pieces": [{"id": "a", "at": [25.4, 50.8]}]})
    >>> [round(v, 6) for v in in_unit(scene, "in").piece("a").at]
    [1.0, 2.0]
    """
    if scene.unit == unit:
        return scene
    k = mm_per(scene.unit) / mm_per(unit)
    return replace(scaled(scene, k, unit), params=Frozen(convert_params(scene.game, scene.params, k)))
