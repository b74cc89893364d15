"""Two full armies on a T9A table, the same every time: for benchmarks and for checks of the whole survey."""

from __future__ import annotations

import random
from typing import Any

MM = 25.4


def army(seed: int = 9, units: int = 24, features: int = 16, sigma: float | None = None) -> dict[str, Any]:
    """A scene of `units` units (about 400 models for 24) and `features` pieces of terrain on 72 x 48 in."""
    rng = random.Random(seed)
    pieces: list[dict[str, Any]] = []
    per_side = units // 2
    for side, facing, row in (("A", 90, (5.0, 13.0)), ("B", 270, (43.0, 35.0))):
        for k in range(per_side):
            x = 5.0 + (k % 6) * 12.3 + rng.uniform(-1.5, 1.5)
            y = (
                row[k // 6 % 2]
                + rng.uniform(-1.5, 1.5)
                + (rng.uniform(0, 7) if k % 5 == 4 else 0) * (1 if side == "A" else -1)
            )
            pieces.append(_unit(f"{side.lower()}{k + 1}", side, (x, y), facing + rng.uniform(-25, 25), k))
    terrain = []
    kinds = ("forest", "hill", "ruins", "field", "water", "impassable", "forest", "wall")
    for k in range(features):  # spread over the whole table, as players set it up
        x, y = 9.0 + (k % 4) * 18.0 + rng.uniform(-4, 4), 6.0 + (k // 4) * 12.0 + rng.uniform(-3, 3)
        w, d = rng.uniform(2.0, 3.5), rng.uniform(1.5, 2.5)
        terrain.append(_feature(f"t{k + 1}", kinds[(k * 3) % len(kinds)], x, y, w, d, k % 4 == 1))
    if sigma is not None:
        for p in pieces:
            p["sigma"] = {"at": [sigma, sigma], "facing": 0.3}
    return {
        "game": "t9a",
        "unit": "mm",
        "table": {"width": 72 * MM, "depth": 48 * MM},
        "pieces": pieces,
        "terrain": terrain,
    }


def _unit(name: str, side: str, at: tuple[float, float], facing: float, k: int) -> dict[str, Any]:
    kinds: list[tuple[float, float, int, int, list[str]]] = [
        (25, 25, 5, 25, []),
        (25, 25, 5, 23, ["standard"]),
        (25, 50, 5, 10, ["cavalry"]),
        (20, 20, 7, 35, []),
        (40, 40, 3, 6, ["large"]),
        (25, 25, 8, 16, []),
        (20, 20, 5, 10, ["skirmisher"]),
        (25, 25, 5, 24, ["rear:1,2,4,5"]),
        (60, 60, 1, 1, ["war-machine"]),
        (50, 75, 1, 1, ["large", "character"]),
        (25, 25, 6, 48, []),
        (100, 150, 1, 1, ["gigantic"]),
    ]
    w, d, files, count, traits = kinds[k % len(kinds)]
    round_ = "war-machine" in traits
    base = {"shape": "circle", "diameter": w} if round_ else {"shape": "rect", "width": w, "depth": d}
    piece: dict[str, Any] = {
        "id": name,
        "side": side,
        "kind": "unit" if count > 1 else "model",
        "at": [at[0] * MM, at[1] * MM],
        "facing": facing % 360,
        "base": base,
        "traits": traits,
    }
    if count > 1:
        piece |= {"files": files, "count": count}
    return piece


def _feature(name: str, kind: str, x: float, y: float, w: float, d: float, bent: bool) -> dict[str, Any]:
    if kind == "wall":
        w, d = 8.0, 1.0
    outline = [(x - w, y - d), (x + w, y - d), (x + w, y + d), (x - w, y + d)]
    if kind == "wall":
        outline = [(x - 4, y), (x + 4, y), (x + 4, y + 1), (x - 4, y + 1)]
    elif bent:  # an L: not convex
        outline = [(x - w, y - d), (x + w, y - d), (x + w, y), (x, y), (x, y + d), (x - w, y + d)]
    return {"id": name, "type": kind, "outline": [[a * MM, b * MM] for a, b in outline]}
