"""The door to the rules: one question of one scene, one verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from .errors import QuestionError, Unknown
from .game import Asked, prepare
from .games import GAMES
from .messages import LANGUAGES, msg, register
from .overlap import overlap_notes
from .scene import Scene
from .uncertainty import Judged, judge
from .units import from_mm
from .verdict import Answer, Finding, Verdict, value_out

__all__ = ["Mode", "ask"]

Mode = Literal["friendly", "tournament"]

DECLARED_MOVE = "move"
"""What `during` says while a unit performs the move it has declared: then its game lets templates be used."""


def ask(scene: Scene, question: Mapping[str, Any], *, lang: str = "en", mode: Mode = "friendly") -> Verdict:
    """Answer a question about a scene.

    Raises `QuestionError` when the question cannot be asked (all reasons listed). What the scene does not tell
    gives the answer `unknown`, never an exception.

    >>> scene = Scene.parse({"game": "mage-knight", "unit": "in", "pieces": [
    ...     {"id": "a", "at": [0, 0], "base": {"shape": "circle", "diameter": 1.5}},
    ...     {"id": "b", "at": [6, 8], "base": {"shape": "circle", "diameter": 1.5}}]})
    >>> ask(scene, {"query": "range", "from": "a", "to": "b"}, lang="es").because
    'a y b: 10 in de centro a centro.'
    """
    if lang not in LANGUAGES:
        raise QuestionError.of("fault-one-of", "lang", limit=", ".join(LANGUAGES), got=repr(lang))
    if not isinstance(question, Mapping):
        raise QuestionError.of("fault-object", "question", got=type(question).__name__)
    game = GAMES[scene.game]
    asked = prepare(game, scene, question, mode)
    try:
        if asked.query.premeasures and mode == "tournament" and asked["during"] != DECLARED_MOVE:
            raise Unknown(msg("not-in-tournament", game=game.title), asked.query.rules)
        judged = judge(lambda s: asked.query.run(asked.with_scene(s)), asked.scene)
    except Unknown as unknown:
        finding = Finding(unknown.reason, unknown.rules or asked.query.rules, Answer.UNKNOWN)
        judged = Judged(finding, None, None, False)
    return _verdict(asked, scene, judged, lang)


def _verdict(asked: Asked, scene: Scene, judged: Judged, lang: str) -> Verdict:
    found, unit = judged.finding, scene.unit
    value, value_unit = value_out(found.value, found.kind, unit)
    value_sigma, _ = value_out(judged.value_sigma, found.kind, unit)
    limit, _ = value_out(found.limit, found.kind, unit)
    answer, remedy, reason = found.answer, found.remedy, found.reason
    if judged.too_close and answer is not Answer.UNKNOWN:
        answer = Answer.TOO_CLOSE
        if remedy is not None:  # the game has its own way out of a close call: part of the reason
            reason = msg("too-close-because", reason=reason, remedy=remedy)
        remedy = remedy or msg("too-close-remedy")
    elif answer is not Answer.TOO_CLOSE:
        remedy = None
    return Verdict(
        game=asked.game.id,
        query=asked.query.name,
        answer=answer,
        unit=unit,
        reason=reason,
        rules=found.rules,
        value=value,
        value_unit=value_unit,
        value_sigma=value_sigma,
        limit=limit,
        band=found.band,
        arc=found.arc,
        ids=found.ids,
        blockers=found.blockers,
        hexes=found.hexes,
        at=None if found.at is None else (from_mm(found.at[0], unit), from_mm(found.at[1], unit)),
        margin=found.margin_mm,
        sigma=judged.sigma_mm,
        drawing=found.drawing,
        steps=found.steps,
        notes=(*found.notes, *_overlap_notes(asked, found), *_default_notes(asked)),
        remedy=remedy,
        who=_who(asked),
        lang=lang,
    )


def _overlap_notes(asked: Asked, found: Finding) -> list[Any]:
    if any(note.key == "overlap-flag" for note in found.notes):
        return []  # the game has flagged it already
    return list(overlap_notes(asked.scene, _who(asked)))


def _default_notes(asked: Asked) -> list[Any]:
    notes = []
    for name in asked.rested_on:
        param = asked.game.param(name)
        assert param is not None
        value = f"{param.default} {param.unit}" if param.kind in ("length", "lengths") else param.default
        notes.append(msg("default-used", name=name, value=value))
    return notes


def _who(asked: Asked) -> tuple[str, ...]:
    """The pieces that the question names, in its order: the card's second line."""
    out: list[str] = []
    for expected in asked.query.inputs:
        value = asked.values.get(expected.name)
        named = value if expected.kind == "pieces" and value else (value,)
        out += [v for v in named if isinstance(v, str) and asked.scene.find(v) and v not in out]
    return tuple(out)


register({"too-close-because": {"en": "{reason} {remedy}", "es": "{reason} {remedy}"}})
