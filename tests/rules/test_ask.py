"""The door: bad questions say all that is wrong; good ones give a verdict that carries its reasons."""

from __future__ import annotations

from typing import Any

import pytest
from regla.rules import Answer, QuestionError, Scene, ask

from tests.rules.test_scene import a_scene

BAD = [
    ({"query": "teleport"}, "query: Mage Knight has no question 'teleport'; it has"),
    ({}, "query: Mage Knight has no question None"),
    ({"query": ["range"]}, "query: Mage Knight has no question"),
    ({"query": "range", "from": "a"}, "to: expected, but missing"),
    ({"query": "range", "from": "a", "to": "nobody"}, "to: no such id on the table: nobody; there are a, b"),
    ({"query": "range", "from": "a", "to": 7}, "to: expected piece, got 7"),
    ({"query": "range", "from": "a", "to": "b", "range": "far"}, "range: expected length, got 'far'"),
    ({"query": "range", "from": "a", "to": "b", "range": float("nan")}, "range: expected length"),
    ({"query": "range", "from": "a", "to": "b", "colour": "red"}, "colour: is not an input of range; it takes from, to"),
    ({"query": "range", "from": "a", "to": "b", "params": {"gravity": 1}}, "params.gravity: Mage Knight has no such setting"),
    ({"query": "range", "from": "a", "to": "b", "params": {"front_arc_deg": "wide"}}, "params.front_arc_deg: expected angle"),
    ({"query": "range", "from": "a", "to": "b", "params": {"front_arc_deg": 900}}, "params.front_arc_deg: expected at most"),
    ({"query": "range", "from": "a", "to": "b", "params": 3}, "params: expected json"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "said"), BAD, ids=[said[:40] for _, said in BAD])
def test_a_bad_question_says_what_is_wrong(question: dict[str, Any], said: str) -> None:
    with pytest.raises(QuestionError) as caught:
        ask(Scene.parse(a_scene()), question)
    assert said in caught.value.text("en")
    assert caught.value.text("es")


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(QuestionError) as caught:
        ask(Scene.parse(a_scene()), {"query": "range", "from": "x", "params": {"gravity": 1}, "hue": 1})
    assert [fault.place for fault in caught.value.faults] == ["from", "to", "hue", "params.gravity"]


def test_an_unlisted_setting_of_the_table_is_an_error_too() -> None:
    with pytest.raises(QuestionError, match=r"scene\.params\.gravity"):
        ask(Scene.parse(a_scene(params={"gravity": 1})), {"query": "range", "from": "a", "to": "b"})


@pytest.mark.parametrize("name", ["from", "unit", "piece"])
def test_one_piece_has_three_names(name: str) -> None:
    verdict = ask(Scene.parse(a_scene()), {"query": "range", name: "a", "to": "b"})
    assert verdict.value == pytest.approx(5)


def test_language_is_checked() -> None:
    with pytest.raises(QuestionError, match="lang"):
        ask(Scene.parse(a_scene()), {"query": "range", "from": "a", "to": "b"}, lang="de")


def test_a_verdict_as_json_has_what_scene_md_lists() -> None:
    verdict = ask(Scene.parse(a_scene()), {"query": "range", "from": "a", "to": "b", "range": 6})
    data = verdict.to_json("es")
    wanted = [
        "answer",
        "value",
        "unit",
        "band",
        "arc",
        "ids",
        "blockers",
        "margin",
        "sigma",
        "rules",
        "because",
        "drawing",
    ]
    assert set(wanted) <= set(data)
    assert data["answer"] == "yes"
    assert data["unit"] == "in"
    assert data["value"] == pytest.approx(5)
    assert data["margin"] == pytest.approx(25.4)
    assert data["because"] != verdict.to_json("en")["because"]
    assert data["drawing"][0]["type"] == "segment"
    assert data["drawing"][0]["from"] == pytest.approx([10, 10])


@pytest.mark.parametrize(
    ("limit", "sigma", "answer"),
    [
        (5.5, 0.02, Answer.YES),
        (4.5, 0.02, Answer.NO),
        (5.01, 0.02, Answer.TOO_CLOSE),
        (4.99, 0.02, Answer.TOO_CLOSE),
        (5.01, 0.0, Answer.YES),
    ],
)
def test_inside_the_band_it_is_too_close_to_call(limit: float, sigma: float, answer: Answer) -> None:
    document = a_scene()
    for piece in document["pieces"]:
        piece["sigma"] = {"at": [sigma, sigma], "facing": 0}
    verdict = ask(Scene.parse(document), {"query": "range", "from": "a", "to": "b", "range": limit})
    assert verdict.answer is answer
    assert (verdict.remedy is not None) == (answer is Answer.TOO_CLOSE)
    if sigma:
        assert verdict.sigma == pytest.approx(25.4 * sigma * 2**0.5, rel=5e-3)
        assert verdict.value_sigma == pytest.approx(sigma * 2**0.5, rel=5e-3)
