"""Any question of any table on hexes or spaces: an answer or a fault in words, never a traceback."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from regla.rules import GAMES, QuestionError, Scene, ask, survey
from regla.rules.game import Input
from regla.rules.hexes import disc

PLACES = disc((0, 0), 2)
SPACES = (
    "chamber", "carpentry", "wall-carpentry", "outside-foundry", "courtyard", "tower-tunnel", "tower-tannery-foundry",
    "tower-foundry-tannery", "reserve", "area-red", "slot-1", "tunnel-1", "tunnel-5", "cellar",
)  # fmt: skip
IDS = ("p0", "p1", "p2", "p3")
WORDS = st.sampled_from((*IDS, *SPACES, "A", "red", "section", "catapult", "nobody"))


def a_value(wanted: Input) -> st.SearchStrategy[Any]:
    hexes = st.sampled_from(PLACES).map(list)
    good: dict[str, st.SearchStrategy[Any]] = {
        "piece": st.sampled_from(IDS),
        "place": WORDS,
        "text": WORDS,
        "count": st.integers(0, 4),
        "flag": st.booleans(),
        "choice": st.sampled_from(wanted.choices or ("x",)),
        "hex": hexes,
        "hexes": st.lists(hexes, max_size=4),
        "json": st.one_of(
            WORDS,
            hexes,
            st.dictionaries(st.sampled_from(("wood", "any", "outside-foundry")), st.integers(0, 3)),
        ),
    }
    odd = st.sampled_from((None, -1, 0.5, True, "", [], {}, [1], "p9", float("inf")))
    return st.one_of(good[wanted.kind], good[wanted.kind], good[wanted.kind], good[wanted.kind], odd)


@st.composite
def pieces(draw: st.DrawFn, game: str) -> list[dict[str, Any]]:
    words = [t.name + (":p1" if t.value else "") for t in GAMES[game].traits]
    out = []
    for name in draw(st.permutations(IDS)):
        piece: dict[str, Any] = {
            "id": name,
            "kind": draw(st.sampled_from(("model", "model", "token", "marker"))),
        }
        piece["side"] = draw(st.sampled_from(("A", "B", None)))
        piece["traits"] = draw(st.lists(st.sampled_from(words), max_size=3))
        where = draw(st.sampled_from(("here", "seen", "both")))
        if where != "seen":
            place = {"hex": list(draw(st.sampled_from(PLACES)))} if game == "underworlds" else {}
            piece.update(place or {"space": draw(st.sampled_from(SPACES))})
        if where != "here":
            piece["at"] = [draw(st.floats(-150, 150)), draw(st.floats(-150, 150))]
            if draw(st.booleans()):
                piece["sigma"] = {"at": [draw(st.floats(0, 9)), 1.0]}
        if piece["kind"] != "model" and draw(st.booleans()):
            piece["count"] = draw(st.integers(0, 12))
        out.append(piece)
    return out


@st.composite
def scenes(draw: st.DrawFn, game: str) -> dict[str, Any]:
    scene: dict[str, Any] = {
        "game": game,
        "unit": draw(st.sampled_from(("mm", "in"))),
        "pieces": draw(pieces(game)),
    }
    kinds = st.sampled_from(("normal", "normal", "blocked", "lethal", "incomplete", "odd"))
    board: dict[str, Any] = {"orientation": draw(st.sampled_from(("flat", "pointy")))}
    if draw(st.booleans()):
        board["hexes"] = [{"hex": list(h), "type": draw(kinds), "start": draw(st.booleans())} for h in PLACES]
    if draw(st.booleans()):
        board["layout"] = draw(
            st.sampled_from(({}, {"origin": [0, 0]}, {"origin": [1, 2], "across_flats": 52}))
        )
    if draw(st.booleans()):
        origins = st.tuples(st.integers(-9, 9), st.integers(-7, 7)).map(list)
        board["tiles"] = [
            {"id": i, "origin": draw(origins), "face": "soul-refractor"}
            for i in draw(st.sampled_from(("", "x", "xy", "xyz")))
        ]
    if draw(st.booleans()):
        outline = [[-90, -90], [90, -90], [90, 90], [-90, 90]]
        board["spaces"] = [
            {"space": s, "outline": outline, "height": 20 * i} for i, s in enumerate(SPACES[:3])
        ]
    if draw(st.booleans()):
        scene["board"] = board
    return scene


@pytest.mark.parametrize("game", ["underworlds", "siege-of-runedar"])
@settings(max_examples=200)
@given(data=st.data())
def test_never_a_traceback(game: str, data: st.DataObject) -> None:
    scene = Scene.parse(data.draw(scenes(game)))
    query = data.draw(st.sampled_from(sorted(GAMES[game].queries)))
    question: dict[str, Any] = {"query": query}
    for wanted in GAMES[game].queries[query].inputs:
        if wanted.required or data.draw(st.booleans()):
            question[wanted.name] = data.draw(a_value(wanted))
    try:
        verdict = ask(scene, question)
    except QuestionError as error:
        assert error.text("en") and error.text("es")
        return
    for lang in ("en", "es"):
        said = verdict.to_json(lang)
        assert said["because"] and "{" not in said["because"]
        assert said["headline"]
    assert verdict.rules or query == "arc"


@pytest.mark.parametrize("game", ["underworlds", "siege-of-runedar"])
@settings(max_examples=60)
@given(data=st.data())
def test_a_survey_of_anything(game: str, data: st.DataObject) -> None:
    found = survey(Scene.parse(data.draw(scenes(game))))
    assert found.to_json()["ids"]
