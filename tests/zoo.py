"""Scenes of every kind, the plain and the strange: every question of a game is asked of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regla.rules import Game, Scene

Doc = dict[str, Any]


def warrior(
    name: str, x: float, y: float, side: str | None = "A", facing: float | None = 90, **more: Any
) -> Doc:
    """A Mage Knight figure, in inches."""
    base = {"shape": "circle", "diameter": 1.5}
    return {"id": name, "side": side, "kind": "model", "at": [x, y], "facing": facing, "base": base, **more}


def unit(
    name: str,
    x: float,
    y: float,
    side: str | None = "A",
    facing: float | None = 90,
    files: int = 1,
    count: int = 1,
    **more: Any,
) -> Doc:
    """A Runewars unit of 60 mm trays."""
    base = {"shape": "rect", "width": 60, "depth": 60}
    at = [x, y]
    return {
        "id": name,
        "side": side,
        "kind": "unit",
        "at": at,
        "facing": facing,
        "base": base,
        "files": files,
        "count": count,
        **more,
    }


def box(name: str, kind: str, x0: float, y0: float, x1: float, y1: float, **more: Any) -> Doc:
    return {"id": name, "type": kind, "outline": [[x0, y0], [x1, y0], [x1, y1], [x0, y1]], **more}


SIGMA = {"at": [0.02, 0.03], "facing": 1.0}
WIDE = {"at": [1.0, 1.5], "facing": 2.0}


def mage_knight(pieces: list[Doc], terrain: list[Doc] | None = None, **params: Any) -> Scene:
    table = {"width": 40, "depth": 40}
    return Scene.parse(
        {
            "game": "mage-knight",
            "unit": "in",
            "table": table,
            "pieces": pieces,
            "terrain": terrain or [],
            "params": params,
        }
    )


def runewars(pieces: list[Doc], terrain: list[Doc] | None = None, **params: Any) -> Scene:
    table = {"width": 1800, "depth": 900}
    return Scene.parse(
        {
            "game": "runewars",
            "unit": "mm",
            "table": table,
            "pieces": pieces,
            "terrain": terrain or [],
            "params": params,
        }
    )


_L_SHAPE = {
    "id": "ell",
    "type": "blocking",
    "outline": [[14, 4], [20, 4], [20, 6], [16, 6], [16, 10], [14, 10]],
}

MAGE_KNIGHT: Mapping[str, Scene] = {
    "apart": mage_knight([warrior("a", 10, 10), warrior("b", 13, 14, "B", 270)]),
    "touching": mage_knight([warrior("a", 10, 10), warrior("b", 10, 11.5, "B", 270), warrior("c", 11.5, 10)]),
    "overlapping": mage_knight([warrior("a", 10, 10), warrior("b", 10.2, 10.1, "B")]),
    "same place": mage_knight([warrior("a", 10, 10), warrior("b", 10, 10, "B")]),
    "off the table": mage_knight([warrior("a", -5, -5), warrior("b", 50, 50, "B")]),
    "no facing": mage_knight([warrior("a", 10, 10, facing=None), warrior("b", 10, 14, "B", None)]),
    "nobody's": mage_knight([warrior("a", 10, 10, None), warrior("b", 10, 12, None)]),
    "soaring and captive": mage_knight(
        [
            warrior("a", 10, 10, traits=["wing", "soaring", "range:8", "faction:x", "bow"]),
            warrior("b", 10, 11.5, "B", traits=["captive:a", "action-tokens:2"]),
            warrior("c", 12, 14, "B", traits=["horseshoe", "magic-immune", "demoralized"]),
        ]
    ),
    "terrain": mage_knight(
        [
            warrior("a", 10, 10, traits=["wave", "sword"]),
            warrior("b", 24, 10, "B"),
            {"id": "o", "kind": "marker", "side": None, "at": [20, 20], "traits": ["objective"]},
        ],
        [
            _L_SHAPE,
            box("wood", "hindering", 9, 8, 13, 12),
            box("hill", "clear", 22, 8, 28, 14, elevated=True, access=[[22, 10]]),
            box("lake", "deep-water", 30, 30, 34, 34),
            box("tower", "hindering", 1, 1, 3, 3, constructed=True, centre=[2, 2]),
        ],
    ),
    "camera": mage_knight(
        [
            warrior("a", 10, 10, sigma=SIGMA),
            warrior("x", 11.7, 15, sigma=SIGMA),
            warrior("b", 13, 20, "B", 270, sigma=SIGMA),
        ],
        [box("rock", "blocking", 8, 14, 10.5, 16)],
    ),
    "odd bases": mage_knight(
        [
            {
                "id": "a",
                "side": "A",
                "at": [10, 10],
                "facing": 30,
                "base": {"shape": "rect", "width": 2, "depth": 4},
            },
            {
                "id": "b",
                "side": "B",
                "at": [14, 12],
                "facing": 0,
                "base": {"shape": "hex", "across_flats": 2},
            },
            {"id": "c", "side": "B", "at": [20, 12], "traits": ["unique"]},
        ]
    ),
}

RUNEWARS: Mapping[str, Scene] = {
    "apart": runewars([unit("a", 600, 300), unit("b", 640, 600, "B", 270, 3, 5)]),
    "touching": runewars([unit("a", 600, 300), unit("b", 600, 360, "B", 270), unit("c", 540, 300)]),
    "corner": runewars([unit("a", 600, 300), unit("b", 660, 360, "B", 270)]),
    "overlapping": runewars([unit("a", 600, 300), unit("b", 620, 310, "B", 200, 2, 3)]),
    "same place": runewars([unit("a", 600, 300), unit("b", 600, 300, "B")]),
    "off the table": runewars([unit("a", -50, -50), unit("b", 1900, 950, "B")]),
    "no facing": runewars([unit("a", 600, 300, facing=None), unit("b", 640, 600, "B")]),
    "nobody's": runewars([unit("a", 600, 300, None), unit("b", 600, 361, None)]),
    "steps": runewars(
        [
            unit("a", 600, 300, files=3, count=8, traits=["last-rank:1,3", "brutal:1", "precise:2"]),
            unit("b", 700, 480, "B", 215, 2, 3),
            {"id": "t", "kind": "token", "side": None, "at": [560, 240]},
        ]
    ),
    "terrain": runewars(
        [
            unit("a", 600, 260, files=2, count=2, traits=["occupies:wood"]),
            unit("b", 600, 350, "B", 270),
            unit("c", 900, 600, "B", 200),
        ],
        [
            box("wood", "forest", 500, 200, 700, 320, traits=["capacity:2"]),
            box("hill", "hill", 1000, 300, 1100, 400, traits=["elevated", "exposed", "capacity:4"]),
            box("rocks", "rocks", 800, 420, 860, 480, traits=["arduous:1"]),
            box("red", "deployment-red", 0, 0, 1800, 200),
        ],
    ),
    "camera": runewars(
        [
            unit("a", 600, 300, sigma=WIDE),
            unit("x", 640, 430, sigma=WIDE),
            unit("b", 600, 600, "B", 270, 2, 3, sigma=WIDE),
        ],
        [box("rocks", "rocks", 500, 420, 570, 480)],
    ),
}

ZOO: Mapping[str, Mapping[str, Scene]] = {"mage-knight": MAGE_KNIGHT, "runewars": RUNEWARS}


def question(game: Game, query: str, scene: Scene) -> Doc:
    """A question with something sensible in every input."""
    pieces = [p.id for p in scene.pieces]
    terrain = [t.id for t in scene.terrain]
    first, second = pieces[0], pieces[min(1, len(pieces) - 1)]
    out: Doc = {"query": query}
    for wanted in game.queries[query].inputs:
        if wanted.name in (
            "contact",
            "previous",
            "to_point",
            "face",
            "at" if query == "bombardment-area" else "",
        ):
            continue
        known: Any = {
            "piece": second if wanted.name in ("to", "target") else first,
            "pieces": pieces[:3],
            "terrain": terrain[0] if terrain else "none",
            "place": second if wanted.name == "to" else first,
            "length": 6 if scene.unit == "in" else 150,
            "angle": 30,
            "number": 2,
            "count": 2,
            "flag": True,
            "choice": wanted.choices[0] if wanted.choices else None,
            "text": {"active": "A", "pivot": "centre", "during": "move"}.get(wanted.name, "x"),
            "point": [12, 16] if scene.unit == "in" else [650, 500],
            "path": [[12, 13], [12, 18]] if scene.unit == "in" else [[650, 400]],
            "json": [[1, 10], [2, 18]],
        }[wanted.kind]
        out[wanted.name] = known
    if "turn" in query:
        out.pop("template", None)
        out["params"] = {"turn": {"angle": 45, "radius": 100}}
    return out
