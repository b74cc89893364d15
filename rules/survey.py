"""Everything that holds on a table at once: distances, bands, arcs, sight and engagement of all ordered pairs.

`survey(scene)` is for the live overlay, `about(scene, piece)` for the piece that somebody points at. A game with
a vectorised survey brings its own (`Game.survey`); every other game is asked its common questions pair by pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .ask import ask
from .errors import QuestionError, RulesError
from .games import GAMES
from .pairs import About, Survey, empty
from .scene import Scene

__all__ = ["About", "Survey", "about", "by_asking", "survey"]

COMMON = ("range", "arc", "line-of-sight", "engagement")


def survey(scene: Scene) -> Survey:
    """Ranges and bands, arcs, sight and engagement of every piece towards every other.

    >>> scene = Scene.parse({"game": "mage-knight", "unit": "in", "pieces": [
    ...     {"id": "a", "side": "A", "at": [10, 10], "facing": 90, "base": {"shape": "circle", "diameter": 1.5}},
    ...     {"id": "b", "side": "B", "at": [10, 14], "facing": 90, "base": {"shape": "circle", "diameter": 1.5}}]})
    >>> found = survey(scene)
    >>> found.arc.tolist(), found.sees[0, 1], found.engaged[0, 1]
    ([[None, 'front'], ['rear', None]], 'yes', 'no')
    """
    return _survey(scene, None)


def about(scene: Scene, piece: str) -> About:
    """The same for one piece against all others.

    >>> scene = Scene.parse({"game": "mage-knight", "unit": "in", "pieces": [
    ...     {"id": "a", "side": "A", "at": [10, 10], "base": {"shape": "circle", "diameter": 1.5}},
    ...     {"id": "b", "side": "B", "at": [10, 14], "base": {"shape": "circle", "diameter": 1.5}}]})
    >>> about(scene, "a").to_json()["others"][0]["distance"]
    4.0
    """
    if scene.find(piece) is None:
        known = ", ".join(p.id for p in scene.pieces) or "-"
        raise QuestionError.of("input-no-such", "piece", ids=[piece], known=known)
    return _survey(scene, (piece,)).row(piece)


def _survey(scene: Scene, viewers: Sequence[str] | None) -> Survey:
    vectorised = GAMES[scene.game].survey
    if vectorised is not None:
        found: Survey = vectorised(scene, viewers)
        return found
    return by_asking(scene, viewers)


def by_asking(scene: Scene, viewers: Sequence[str] | None = None) -> Survey:
    """The survey of a game that has no vectorised one: its common questions, pair by pair."""
    pieces = [p for p in scene.pieces if p.kind in ("model", "unit")] or list(scene.pieces)
    viewers = tuple(viewers) if viewers is not None else tuple(p.id for p in pieces)
    out = empty(scene, viewers, pieces)
    has = [q for q in COMMON if q in GAMES[scene.game].queries]
    for i, one in enumerate(viewers):
        for j, two in enumerate(out.ids):
            if one == two:
                continue
            for query in has:
                _fill(out, i, j, query, scene, {"query": query, "from": one, "to": two})
    return out


def _fill(out: Survey, i: int, j: int, query: str, scene: Scene, question: dict[str, Any]) -> None:
    try:
        verdict = ask(scene, question)
    except RulesError:  # this pair cannot be asked that (a token has no arc): no answer
        return
    word = None if verdict.answer is None else verdict.answer.value
    if query == "range":
        if verdict.value is not None:
            k = 1.0 if verdict.value_unit != "in" else 25.4
            out.distance_mm[i, j] = verdict.value * k
            out.distance_sigma_mm[i, j] = (verdict.value_sigma or 0.0) * k
        out.band[i, j] = word if word in ("too-close", "unknown") else verdict.band
    elif query == "arc":
        out.arc[i, j] = word if word in ("too-close", "unknown") else verdict.arc
    elif query == "line-of-sight":
        out.sees[i, j] = word
    else:
        out.engaged[i, j] = word
