"""The survey says what the single questions say, for every pair, in both open-table games; other games by asking."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from regla.rules import GAMES, QuestionError, Scene, about, ask, survey

from tests.tables import crowded_mage_knight, crowded_runewars
from tests.zoo import MAGE_KNIGHT, RUNEWARS

SCENES = [
    *MAGE_KNIGHT.values(),
    *RUNEWARS.values(),
    crowded_mage_knight(9, 6, seed=1),
    crowded_runewars(9, 5, seed=2),
]


def said(scene: Scene, query: str, one: str, two: str) -> Any:
    try:
        verdict = ask(scene, {"query": query, "from": one, "to": two})
    except QuestionError:
        return None
    word = None if verdict.answer is None else verdict.answer.value
    if word in ("too-close", "unknown"):
        return word
    return {"range": verdict.band, "arc": verdict.arc}.get(query, word)


@pytest.mark.parametrize("scene", SCENES)
def test_the_survey_says_what_the_questions_say(scene: Scene) -> None:
    found = survey(scene)
    json.dumps(found.to_json(), allow_nan=False)
    words = {"arc": found.arc, "line-of-sight": found.sees, "engagement": found.engaged}
    if scene.game == "runewars":
        words["range"] = found.band
    for i, one in enumerate(found.viewers):
        for j, two in enumerate(found.ids):
            if one == two:
                assert all(w[i, j] is None for w in words.values()) and np.isnan(found.distance_mm[i, j])
                continue
            for query, table in words.items():
                expected, got = said(scene, query, one, two), table[i, j]
                careful = not scene.exact and "too-close" in (got, expected)
                if not careful:  # with error bars both may be careful, never contrary
                    assert got == expected, (query, one, two)
            if found.band[i, j] != "unknown":
                verdict = ask(scene, {"query": "range", "from": one, "to": two})
                assert verdict.value is not None
                k = 25.4 if scene.unit == "in" else 1.0
                assert found.distance_mm[i, j] == pytest.approx(verdict.value * k, abs=1e-6)
                if verdict.value_sigma and verdict.value > 0:  # at a kink each takes its own side
                    wide = found.distance_sigma_mm[i, j] / (verdict.value_sigma * k)
                    assert 0.8 < wide < 1.6


@pytest.mark.parametrize("scene", [crowded_mage_knight(7, 4, seed=3), crowded_runewars(7, 4, seed=4)])
def test_about_one_piece_is_its_row(scene: Scene) -> None:
    whole = survey(scene).to_json()
    name = whole["viewers"][2]
    row = about(scene, name).to_json()
    assert row["piece"] == name and len(row["others"]) == len(whole["ids"]) - 1
    for other in row["others"]:
        j = whole["ids"].index(other["id"])
        for key, column in (("sees", "sees"), ("arc", "arc"), ("engaged", "engaged"), ("band", "band")):
            assert other[key] == whole[column][2][j]
        assert other["distance"] == whole["distance"][2][j]


def test_about_nobody_says_who_there_is() -> None:
    with pytest.raises(QuestionError, match="there are a, b"):
        about(MAGE_KNIGHT["apart"], "z")


def test_an_empty_table_has_an_empty_survey() -> None:
    for game in ("mage-knight", "runewars"):
        scene = Scene.parse({"game": game, "unit": "mm", "pieces": []})
        assert survey(scene).to_json()["distance"] == []


def test_a_game_without_its_own_survey_is_asked_pair_by_pair() -> None:
    games = [g for g in GAMES.values() if g.survey is None]
    for game in games:
        hexes = [{"hex": [q, 0], "type": "normal"} for q in range(4)]
        pieces = [{"id": "a", "side": "A", "hex": [0, 0]}, {"id": "b", "side": "B", "hex": [2, 0]}]
        scene = Scene.parse(
            {
                "game": game.id,
                "unit": "mm",
                "board": {"orientation": "pointy", "hexes": hexes},
                "pieces": pieces,
            }
        )
        found = survey(scene)
        assert found.viewers == ("a", "b")
        json.dumps(found.to_json(), allow_nan=False)


def test_nothing_is_seen_for_sure_past_a_unit_of_unknown_facing() -> None:
    tray = {"shape": "rect", "width": 60, "depth": 60}
    row = [("a", "A", 300, 0), ("dim", "B", 500, None), ("b", "B", 700, 180), ("far", "A", 300, 0)]
    pieces = [
        {"id": i, "side": side, "kind": "unit", "at": [x, 700 if i == "far" else 300], "facing": facing,
         "base": tray, "files": 1, "count": 1}
        for i, side, x, facing in row
    ]  # fmt: skip
    scene = Scene.parse(
        {"game": "runewars", "unit": "mm", "table": {"width": 1800, "depth": 900}, "pieces": pieces}
    )
    found = about(scene, "a").to_json()
    assert ask(scene, {"query": "line-of-sight", "from": "a", "to": "b"}).answer == "unknown"
    sees = survey(scene).sees
    names = [p.id for p in scene.pieces]
    assert sees[names.index("a"), names.index("b")] == "unknown"
    assert json.dumps(found)
