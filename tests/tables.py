"""Crowded tables for surveys and benchmarks: pieces at random, none overlapping, always the same for a seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from regla.rules import Scene
from regla.rules.footprint import Block


def _outline(rng: np.random.Generator, centre: Any, low: float, high: float) -> Any:
    w, h = rng.uniform(low, high, 2)
    turn = rng.uniform(0, np.pi)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2 @ spin.T + centre


def crowded_mage_knight(n: int, terrain: int, seed: int = 0, sigma: float | None = None) -> Scene:
    """`n` warriors on a 40 in table."""
    rng = np.random.default_rng(seed)
    pieces: list[dict[str, Any]] = []
    places: list[Any] = []
    while len(pieces) < n:
        at = rng.uniform(1, 39, 2)
        if any(np.hypot(*(at - other)) < 1.5 for other in places):
            continue
        places.append(at)
        piece: dict[str, Any] = {
            "id": f"p{len(pieces)}",
            "side": "AB"[len(pieces) % 2],
            "at": at.tolist(),
            "facing": float(rng.uniform(0, 360)),
            "base": {"shape": "circle", "diameter": 1.5},
            "traits": ["range:10"] if len(pieces) % 3 else [],
        }
        if sigma:
            piece["sigma"] = {"at": [sigma / 25.4] * 2, "facing": 1.0}
        pieces.append(piece)
    kinds = ("blocking", "hindering", "clear")
    grounds = [
        {
            "id": f"t{k}",
            "type": kinds[k % 3],
            "outline": _outline(rng, rng.uniform(4, 36, 2), 1, 4).tolist(),
            "elevated": k % 3 == 2,
        }
        for k in range(terrain)
    ]
    return Scene.parse(
        {
            "game": "mage-knight",
            "unit": "in",
            "table": {"width": 40, "depth": 40},
            "params": {"front_arc_deg": 180},
            "pieces": pieces,
            "terrain": grounds,
        }
    )


def crowded_runewars(n: int, terrain: int, seed: int = 0, sigma: float | None = None) -> Scene:
    """`n` units of one to six 40 mm trays; 40 of them and 12 terrain pieces fill the 1800 × 900 mm table.

    Other numbers get a table as much larger or smaller: the crowd is always as dense.
    """
    rng = np.random.default_rng(seed)
    scale = float(np.sqrt(max(n, 4) / 40.0))
    size = np.array([1800.0, 900.0]) * scale
    taken: list[Any] = []
    grounds: list[dict[str, Any]] = []
    while len(grounds) < terrain:
        ring = _outline(rng, rng.uniform([80, 80], np.maximum(size - 80, 100)), 40, 130 * min(scale, 1.0))
        shape = shapely.Polygon(ring)
        if any(shape.distance(other) < 10 for other in taken):
            continue
        taken.append(shape)
        traits = ["exposed"] if len(grounds) % 6 == 5 else []
        grounds.append(
            {"id": f"t{len(grounds)}", "type": "forest", "outline": ring.tolist(), "traits": traits}
        )
    pieces: list[dict[str, Any]] = []
    while len(pieces) < n:
        files = int(rng.integers(1, 4))
        count = int(rng.integers(files, files * 2 + 1))
        facing, at = float(rng.uniform(0, 360)), rng.uniform([60, 60], np.maximum(size - 60, 90))
        shape = Block((at[0], at[1]), facing, 40, 40, files, count).footprint.geometry
        if any(shape.distance(other) < 3 for other in taken):
            continue
        taken.append(shape)
        piece: dict[str, Any] = {
            "id": f"u{len(pieces)}",
            "side": "AB"[len(pieces) % 2],
            "kind": "unit",
            "at": at.tolist(),
            "facing": facing,
            "base": {"shape": "rect", "width": 40, "depth": 40},
            "files": files,
            "count": count,
        }
        if sigma:
            piece["sigma"] = {"at": [sigma, sigma], "facing": 0.4}
        pieces.append(piece)
    table = {"width": float(size[0]), "depth": float(size[1])}
    return Scene.parse(
        {"game": "runewars", "unit": "mm", "table": table, "pieces": pieces, "terrain": grounds}
    )
