"""Do the rules say the same of what was seen as of what is there?"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import shapely
from regla.rules import GAMES, Answer, Piece, QuestionError, Scene, Verdict, ask

__all__ = ["Judged", "judge_scene"]

QUERIES: Final = ("range", "arc", "line-of-sight", "engagement")
SLACK_MM: Final = 0.5
"""A length that is said right to half a millimetre is right, whatever its band."""
SLACK_DEG: Final = 0.5
BAND_SIGMAS: Final = 2.58
"""A length is wrong when the truth lies outside its 99 % band; one in twenty outside the 95 % one is as promised."""

Outcome = Literal["right", "wrong", "too_close", "unknown"]


@dataclass(frozen=True)
class Judged:
    query: str
    a: str
    b: str
    outcome: Outcome
    true: str
    seen: str


def judge_scene(
    truth: Scene,
    seen: Scene,
    matched: Sequence[tuple[Piece, Piece]],
    most_pairs: int | None = None,
    spaces: Mapping[str, Any] | None = None,
) -> Iterator[Judged]:
    """Ask the game's common questions of both scenes for all pairs of matched pieces.

    What a person tells the program (names, sides, traits, terrain, settings, where the printed board lies) is taken from the
    truth; in which hex or space of it a piece stands is what was seen.
    """
    if len(matched) < 2:
        return
    # Hexes are numbered from wherever the eyes began: on the true board a piece's point says which one it is.
    layout = truth.board.layout if truth.board else None
    laid = layout is not None and layout.origin is not None
    told = {t.id: _told(t, s, laid, spaces or {}) for t, s in matched}
    kept = tuple(p for p in truth.pieces if p.id in told)
    true_scene = replace(truth, pieces=kept)
    seen_scene = replace(truth, pieces=tuple(told[p.id] for p in kept))
    pairs = [
        (a.id, b.id) for a in kept for b in kept if a.id != b.id and {a.kind, b.kind} <= {"model", "unit"}
    ]
    if most_pairs is not None and len(pairs) > most_pairs:
        pairs = random.Random(7).sample(pairs, most_pairs)
    game = GAMES[truth.game]
    for name in QUERIES:
        query = game.queries.get(name)
        if query is None:
            continue
        names = [i.name for i in query.inputs]
        one = next((n for n in ("from", "unit", "piece") if n in names), None)
        if one is None or any(i.required and i.name not in (one, "to") for i in query.inputs):
            continue
        asked = set()
        for a, b in pairs:
            question = {"query": name, one: a, **({"to": b} if "to" in names else {})}
            key = tuple(question.values())
            if key in asked:
                continue
            asked.add(key)
            judged = _judge(true_scene, seen_scene, question, a, b)
            if judged is not None:
                yield judged


def _told(true: Piece, seen: Piece, laid: bool, spaces: Mapping[str, Any]) -> Piece:
    space = true.space
    if true.space is not None and spaces and seen.at is not None:
        here = shapely.Point(seen.at)
        held = [name for name, s in spaces.items() if shapely.Polygon(s["outline"]).contains(here)]
        space = true.space if true.space in held else held[0] if held else None
    return replace(
        seen,
        id=true.id,
        name=true.name,
        side=true.side,
        traits=true.traits,
        kind=true.kind,
        hex=None if laid and seen.at is not None else true.hex if seen.hex is None else seen.hex,
        space=space,
    )


def _judge(true_scene: Scene, seen_scene: Scene, question: dict[str, str], a: str, b: str) -> Judged | None:
    try:
        true = ask(true_scene, question)
        seen = ask(seen_scene, question)
    except QuestionError:
        return None
    if true.answer is Answer.UNKNOWN:
        return None
    return Judged(question["query"], a, b, _outcome(true, seen), _said(true), _said(seen))


def _said(v: Verdict) -> str:
    parts = (
        v.answer.value if v.answer else None,
        v.band,
        v.arc,
        None if v.value is None else round(v.value, 2),
    )
    return " ".join(str(p) for p in parts if p is not None)


def _outcome(true: Verdict, seen: Verdict) -> Outcome:
    if seen.answer is Answer.UNKNOWN:
        return "unknown"
    if seen.answer is Answer.TOO_CLOSE:
        return "too_close"
    if true.answer == seen.answer and _left_open(true, seen):
        return "too_close"
    same = (true.answer, true.band, true.arc) == (seen.answer, seen.band, seen.arc)
    if same and true.answer is None and true.band is None and true.arc is None:
        same = _value_fits(true, seen)
        if same and true.ids is not None:
            same = set(true.ids) == set(seen.ids or ())
    return "right" if same else "wrong"


def _left_open(true: Verdict, seen: Verdict) -> bool:
    """A yes or no that leaves out in which band or arc: that lies too near the line between two, or needs a front."""
    return (true.band is not None and seen.band is None) or (
        true.answer is not None and true.arc is not None and seen.arc is None
    )


def _value_fits(true: Verdict, seen: Verdict) -> bool:
    if true.value is None or seen.value is None:
        return true.value == seen.value
    slack = SLACK_DEG if seen.value_unit == "deg" else SLACK_MM if seen.value_unit == "mm" else 1e-9
    return abs(true.value - seen.value) <= max(slack, BAND_SIGMAS * (seen.value_sigma or 0.0))
