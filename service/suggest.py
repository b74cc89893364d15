"""Which question did a person mean who tapped one piece and then another? And everything about one piece.

Nothing here knows a game: a game's questions say by their names and inputs what they are about.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import shapely
from regla.rules import GAMES, Game, Piece, Query, QuestionError, Scene, Unknown, ask
from regla.rules import about as rules_about
from regla.rules.footprint import of_piece

__all__ = ["about", "footprint", "game_json", "games_json", "suggest"]

TOUCHING = (
    "engagement",
    "attackers",
    "close-attack",
    "base-contact",
    "contacted-edge",
    "attack-target",
    "combat",
)
"""Bases touch: who fights whom."""
ENEMY_AHEAD = (
    "charge", "shoot", "ranged-attack", "attack-target", "charge-targets", "shooters", "line-of-sight", "range",
)  # fmt: skip
"""An enemy in front: charge it or shoot at it."""
ELSE = ("range", "line-of-sight", "engagement", "arc")
AHEAD_DEG = 60.0
"""Within this of straight ahead a person would say "in front of it"."""
TOUCH_MM = 3.0
PAIR_NAMES = (("from", "to"), ("attacker", "target"), ("piece", "target"), ("unit", "to"))


def footprint(piece: Piece) -> shapely.Geometry | None:
    """The outline of a piece of a scene in mm, for guesses only: answers come from the rules."""
    try:
        return of_piece(piece).geometry
    except Unknown:
        return None if piece.at is None else shapely.Point(piece.at)


def _pair(query: Query) -> tuple[str, str] | None:
    """The names of the two inputs that take the two tapped pieces."""
    kinds = {i.name: i.kind for i in query.inputs}
    for one, two in PAIR_NAMES:
        if kinds.get(one) in ("piece", "place") and kinds.get(two) in ("piece", "place"):
            return one, two
    return None


def _single(query: Query) -> str | None:
    """The name of the input that takes the one tapped piece."""
    for required in (True, False):
        for expected in query.inputs:
            if expected.kind in ("piece", "place") and expected.required is required:
                return expected.name
    return None


def suggest(scene: Scene, one: str, two: str | None) -> list[dict[str, Any]]:
    """The questions that two tapped pieces (or one) can mean, the likeliest first, each with its inputs filled.

    `ready` says that nothing else is needed to ask it.
    """
    game = GAMES[scene.game]
    a, b = scene.find(one), scene.find(two) if two else None
    order = _order(a, b)
    out = []
    for query in game.queries.values():
        filled: dict[str, Any] = {"query": query.name}
        if two is not None:
            pair = _pair(query)
            if pair is None:
                continue
            filled[pair[0]], filled[pair[1]] = one, two
        else:
            single = _single(query)
            if single is None:
                continue
            filled[single] = one
        missing = [i.name for i in query.inputs if i.required and i.name not in filled and i.default is None]
        rank = order.index(query.name) if query.name in order else len(order)
        out.append({"question": filled, "missing": missing, "ready": not missing, "rank": rank})
    return sorted(out, key=lambda s: s["rank"])


def _order(a: Piece | None, b: Piece | None) -> tuple[str, ...]:
    if a is None or b is None:
        return ELSE
    if a.hex is not None and b.hex is not None:
        return ("attack-target", "line-of-sight", "range") if a.side != b.side else ELSE
    first, second = footprint(a), footprint(b)
    if first is not None and second is not None and first.distance(second) <= TOUCH_MM:
        return (*TOUCHING, *ELSE)
    if a.side is not None and b.side is not None and a.side != b.side and _ahead(a, b):
        return (*ENEMY_AHEAD, *ELSE)
    return ELSE


def _ahead(a: Piece, b: Piece) -> bool:
    if a.at is None or b.at is None or a.facing is None:
        return True
    angle = math.degrees(math.atan2(b.at[1] - a.at[1], b.at[0] - a.at[0]))
    return abs((angle - a.facing + 180) % 360 - 180) <= AHEAD_DEG


def about(scene: Scene, piece_id: str, lang: str, mode: Any) -> dict[str, Any]:
    """What a piece's own panel lists of each other piece: how far, in which arc, whether it is seen and engaged.

    A game that surveys its table in one go does so with error bars. The others are asked pair by pair of the table as seen, without
    error bars, which is some twenty times quicker; tapping a line asks the question in full. `drawing` shows the piece's own arcs.
    """
    game = GAMES[scene.game]
    if game.survey is None:
        scene = replace(scene, pieces=tuple(replace(p, sigma=None) for p in scene.pieces))
    found = rules_about(scene, piece_id).to_json()
    rows = sorted(found["others"], key=lambda r: math.inf if r["distance"] is None else r["distance"])
    unit, drawing = scene.unit, []
    if rows:
        first = {"from": piece_id, "to": rows[0]["id"]}
        unit = (_asked(scene, "range", first, lang, mode) or {}).get("unit") or unit
        arcs = _asked(scene, "arc", first, lang, mode) or {}
        drawing = [s for s in arcs.get("drawing", ()) if s["role"] in ("zone", "limit")]
    return {"rows": rows, "unit": scene.unit, "distance_unit": unit, "drawing": drawing}


def _asked(scene: Scene, query: str, inputs: dict[str, Any], lang: str, mode: Any) -> dict[str, Any] | None:
    known = GAMES[scene.game].queries.get(query)
    if known is None or _pair(known) is None:
        return None
    try:
        return ask(scene, {"query": query, **inputs}, lang=lang, mode=mode).to_json(lang)
    except QuestionError:
        return None


def game_json(game: Game) -> dict[str, Any]:
    """A game as data: all that a page needs for its menus and forms, in both languages."""
    return {
        "id": game.id,
        "title": dict(game.title) if isinstance(game.title, Mapping) else game.title,
        "unit": game.unit,
        "table_mm": game.table_mm,
        "bases_mm": [list(b) for b in game.bases_mm],
        "phases": {k: dict(v) for k, v in game.phases.items()},
        "terrain_types": {k: dict(v) for k, v in game.terrain_types.items()},
        "traits": [
            {"name": t.name, "title": dict(t.title), "value": t.value, "on": t.on} for t in game.traits
        ],
        "params": [
            {
                "name": p.name,
                "kind": p.kind,
                "default": p.default,
                "title": dict(p.title),
                "unit": p.unit,
                "sure": p.sure,
                "choices": list(p.choices),
                "least": p.least,
                "most": p.most,
            }
            for p in game.params
        ],
        "queries": [
            {
                "name": q.name,
                "title": dict(q.title),
                "phase": q.phase,
                "rules": list(q.rules),
                "premeasures": q.premeasures,
                "pair": _pair(q),
                "inputs": [
                    {
                        "name": i.name,
                        "kind": i.kind,
                        "title": dict(i.title),
                        "required": i.required,
                        "choices": list(i.choices),
                        "default": i.default,
                    }
                    for i in q.inputs
                ],
            }
            for q in game.queries.values()
        ],
        "forbids": {
            "ruler": any(q.premeasures for q in game.queries.values() if q.name == "range"),
            "what-if": any(q.premeasures for q in game.queries.values()),
        },
    }


def games_json() -> list[dict[str, Any]]:
    return [game_json(game) for game in GAMES.values()]
