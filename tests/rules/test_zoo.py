"""Every question of both open-table games over the whole zoo: an answer in both languages, or a plain refusal."""

from __future__ import annotations

import json

import pytest
from regla.rules import GAMES, QuestionError, ask

from tests.zoo import ZOO, question

ALL = [
    (game, name, query) for game, scenes in ZOO.items() for name in scenes for query in GAMES[game].queries
]
ANSWERS = {"yes", "no", "too-close", "unknown", None}


@pytest.mark.parametrize(("game", "name", "query"), ALL, ids=["/".join(case) for case in ALL])
def test_every_question_of_the_zoo(game: str, name: str, query: str) -> None:
    scene = ZOO[game][name]
    asked = question(GAMES[game], query, scene)
    try:
        verdict = ask(scene, asked)
    except QuestionError as refused:
        # only an input that this scene cannot fill may be refused, and the refusal names it
        assert all(fault.place for fault in refused.faults), str(refused)
        assert "terrain" in str(refused) or "no such id" in str(refused) or "expected" in str(refused)
        return
    for lang in ("en", "es"):
        plain = verdict.to_json(lang)
        json.dumps(plain, allow_nan=False)
        assert plain["answer"] in ANSWERS
        assert plain["because"] and "{" not in plain["because"]
        assert set(plain["rules"]), "a verdict cites a rule"
    if scene.exact:
        assert verdict.answer is None or verdict.answer.value != "too-close"
