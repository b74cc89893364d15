"""The worked positions of every game: one test per case, each file named after its game (`…-more` holds our own)."""

from __future__ import annotations

from pathlib import Path

import pytest
from regla.rules import GAMES
from regla.rules.cases import Case, load_cases, run_case

CORPORA = sorted((Path(__file__).parent.parent / "cases").glob("*.json"))
CASES = [pytest.param(case, id=case.id) for path in CORPORA for case in load_cases(path)]


def test_every_game_has_its_cases_and_no_id_is_used_twice() -> None:
    assert {path.stem for path in CORPORA} >= set(GAMES)
    ids = [param.id for param in CASES]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("case", CASES)
def test_case(case: Case) -> None:
    outcome = run_case(case)
    assert outcome.error is None, f"{outcome.error} — {case.why}"
    assert not outcome.mismatches, f"{outcome.mismatches} — {case.why}"
    assert outcome.verdict is not None
    assert all(outcome.verdict.text(lang) for lang in ("en", "es"))
