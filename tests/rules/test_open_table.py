"""Mage Knight and Runewars: what a person would notice beyond the worked cases."""

from __future__ import annotations

import json
from typing import Any

import pytest
from regla.rules import QuestionError, Scene, ask

from tests.zoo import MAGE_KNIGHT, RUNEWARS, box, mage_knight, runewars, unit, warrior

A_TO_B: dict[str, Any] = {"from": "a", "to": "b"}

# --- bad input ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scene", "question", "says"),
    [
        (MAGE_KNIGHT["apart"], {"query": "range", "from": "a", "to": "nobody"}, "there are a, b"),
        (MAGE_KNIGHT["apart"], {"query": "dance", "from": "a"}, "it has arc"),
        (MAGE_KNIGHT["apart"], {"query": "flanking", **A_TO_B}, "has no question 'flanking'"),
        (RUNEWARS["apart"], {"query": "charge", **A_TO_B}, "contacted-edge"),
        (MAGE_KNIGHT["apart"], {"query": "range", **A_TO_B, "speed": 3}, "is not an input of range"),
        (MAGE_KNIGHT["apart"], {"query": "range", **A_TO_B, "params": {"tray": 3}}, "no such setting"),
        (RUNEWARS["apart"], {"query": "range", "from": "a", "to": "table-edge:top"}, "table-edge:near"),
        (RUNEWARS["apart"], {"query": "reform", "unit": "b", "pivot": "r9f9", "facing": 0}, "centre, r1f1"),
        (
            RUNEWARS["apart"],
            {"query": "range", **A_TO_B, "params": {"segments": [5, 4, 3, 2, 1]}},
            "larger than",
        ),
        (MAGE_KNIGHT["apart"], {"query": "engagement", "from": "a", "contact": "b"}, "pairs of ids"),
    ],
)
def test_what_cannot_be_asked_says_what_can(scene: Scene, question: dict[str, Any], says: str) -> None:
    with pytest.raises(QuestionError, match=says):
        ask(scene, question)


@pytest.mark.parametrize(
    ("scene", "question"),
    [
        (MAGE_KNIGHT["no facing"], {"query": "arc", **A_TO_B}),
        (MAGE_KNIGHT["no facing"], {"query": "ranged-attack", **A_TO_B, "range": 9}),
        (MAGE_KNIGHT["no facing"], {"query": "close-attack", **A_TO_B}),
        (MAGE_KNIGHT["no facing"], {"query": "attack-modifier", **A_TO_B, "kind": "close"}),
        (MAGE_KNIGHT["no facing"], {"query": "bombardment-place", "from": "a", "at": [5, 5], "range": 9}),
        (RUNEWARS["no facing"], {"query": "range", **A_TO_B}),
        (RUNEWARS["no facing"], {"query": "line-of-sight", **A_TO_B}),
        (RUNEWARS["no facing"], {"query": "move", "unit": "a", "action": "march", "speed": 2}),
    ],
)
def test_an_unknown_facing_is_unknown_and_says_what_to_do(scene: Scene, question: dict[str, Any]) -> None:
    verdict = ask(scene, question)
    assert verdict.answer == "unknown"
    assert "set its facing" in verdict.text("en") and "indique su orientación" in verdict.text("es")


@pytest.mark.parametrize(
    ("scene", "question"),
    [
        (MAGE_KNIGHT["no facing"], {"query": "range", **A_TO_B, "range": 9}),
        (MAGE_KNIGHT["no facing"], {"query": "line-of-sight", **A_TO_B}),
        (MAGE_KNIGHT["no facing"], {"query": "engagement", "from": "a"}),
        (MAGE_KNIGHT["no facing"], {"query": "move", "piece": "a", "path": [[12, 12]], "speed": 6}),
        (RUNEWARS["no facing"], {"query": "threat", "from": "a", "attack": "ranged"}),
        (RUNEWARS["no facing"], {"query": "rerolls", "from": "a", "kind": "full"}),
        (RUNEWARS["no facing"], {"query": "damageable-trays", "unit": "a"}),
        (RUNEWARS["no facing"], {"query": "unit-points", "unit": "a", "table": [[1, 9]]}),
    ],
)
def test_what_needs_no_facing_is_answered_without(scene: Scene, question: dict[str, Any]) -> None:
    assert ask(scene, question).answer != "unknown"


def test_how_trays_lie_is_enough_to_be_measured_to_and_to_stand_in_the_way() -> None:
    """The camera often knows a unit's rectangle and not its front; only questions about its front are then unknown."""

    def scene(facing: float | None) -> Scene:
        between = {
            "id": "c",
            "at": [200, 300],
            "files": 4,
            "count": 8,
            "side": "B",
            "facing": facing,
            "turn": 90.0,
        }
        units = [
            {"id": "a", "at": [200, 100], "files": 2, "count": 2, "side": "A", "facing": 90},
            between,
            {**between, "id": "b", "at": [200, 520], "files": 2, "count": 4},
        ]
        tray = {"shape": "rect", "width": 63.5, "depth": 63.5}
        return Scene.parse(
            {
                "game": "runewars",
                "unit": "mm",
                "table": {"width": 900, "depth": 900},
                "pieces": [{"kind": "unit", "base": tray, **u} for u in units],
            }
        )

    known, open_ = scene(90.0), scene(None)
    for question in (
        {"query": "range", **A_TO_B},
        {"query": "line-of-sight", **A_TO_B},
        {"query": "engagement", "from": "b"},
        {"query": "engagement", "from": "b", "to": "a"},
    ):
        one, two = ask(known, question), ask(open_, question)
        assert (one.answer, one.value, one.ids) == (two.answer, two.value, two.ids)
    assert ask(open_, {"query": "line-of-sight", **A_TO_B}).answer == "no"
    for question in (
        {"query": "line-of-sight", "from": "b", "to": "a"},
        {"query": "contacted-edge", **A_TO_B},
    ):
        assert ask(open_, question).answer == "unknown"


@pytest.mark.parametrize("scene", [MAGE_KNIGHT["overlapping"], RUNEWARS["overlapping"]])
def test_overlapping_bases_are_answered_and_flagged(scene: Scene) -> None:
    verdict = ask(scene, {"query": "range", **A_TO_B})
    assert verdict.value is not None
    assert any("overlap" in note for note in verdict.to_json("en")["notes"])
    clear = ask(RUNEWARS["touching"], {"query": "range", **A_TO_B})
    assert not any("overlap" in note for note in clear.to_json("en")["notes"])


# --- Mage Knight ----------------------------------------------------------------------------------------------


def test_players_may_agree_on_contact() -> None:
    scene = mage_knight([warrior("a", 10, 10), warrior("b", 10, 11.9, "B", 270)])
    question = {"query": "close-attack", **A_TO_B}
    assert ask(scene, question).answer == "no"
    assert ask(scene, {**question, "contact": [["a", "b"]]}).answer == "yes"
    agreed = mage_knight([warrior("a", 10, 10, traits=["contact:b"]), warrior("b", 10, 11.9, "B", 270)])
    assert ask(agreed, question).answer == "yes"


def test_a_line_too_close_to_call_offers_the_die() -> None:
    sigma = {"at": [0.04, 0.04], "facing": 1}
    scene = mage_knight(
        [
            warrior("a", 10, 10, sigma=sigma),
            warrior("x", 10.78, 15, sigma=sigma),
            warrior("b", 10, 20, "B", sigma=sigma),
        ]
    )
    verdict = ask(scene, {"query": "line-of-sight", **A_TO_B})
    assert verdict.answer == "too-close"
    plain = verdict.to_json("en")
    assert "die" in plain["remedy"] and "4–6" in plain["because"]
    assert "dado" in verdict.to_json("es")["because"]


def test_a_default_that_nobody_measured_is_named() -> None:
    notes = ask(MAGE_KNIGHT["apart"], {"query": "arc", **A_TO_B}).to_json("en")["notes"]
    assert any("front_arc_deg" in note for note in notes)
    measured = ask(MAGE_KNIGHT["apart"], {"query": "arc", **A_TO_B, "params": {"front_arc_deg": 120}})
    assert measured.to_json("en")["notes"] == []
    notes = ask(RUNEWARS["apart"], {"query": "range", **A_TO_B}).to_json("es")["notes"]
    assert any("segments" in note for note in notes)


def test_a_doubtful_band_is_left_out_and_the_answer_stands() -> None:
    sigma = {"at": [0.05, 0.05], "facing": 1}
    scene = mage_knight([warrior("a", 10, 10, sigma=sigma), warrior("b", 10, 14.01, "B", sigma=sigma)])
    verdict = ask(scene, {"query": "range", **A_TO_B, "range": 7})
    assert verdict.answer == "yes" and verdict.band is None
    assert any("point-blank" in note for note in verdict.to_json("en")["notes"])


def test_a_figure_at_the_foot_of_a_hill_is_too_close() -> None:
    """Whether it stands on the hill decides the line, and the camera cannot tell."""
    sigma = {"at": [0.05, 0.05], "facing": 1}
    scene = mage_knight(
        [warrior("a", 10, 10, sigma=sigma), warrior("b", 20.02, 10, "B", sigma=sigma)],
        [box("hill", "clear", 15, 5, 20, 15, elevated=True)],
    )
    assert ask(scene, {"query": "line-of-sight", **A_TO_B}).answer == "too-close"


# --- Runewars: fair play and secrets --------------------------------------------------------------------------

PREVIEWS: list[dict[str, Any]] = [
    {"query": "move", "unit": "a", "action": "march", "speed": 2},
    {"query": "turn-pose", "unit": "a", "turn": "left", "params": {"turn": {"angle": 45, "radius": 90}}},
    {
        "query": "turn-range",
        "unit": "a",
        "turn": "left",
        "to": "b",
        "params": {"turn": {"angle": 45, "radius": 90}},
    },
    {"query": "panic-tokens", "unit": "a", "action": "march", "speed": 2},
    {"query": "shift-legal", "unit": "a", "direction": "left", "speed": 1},
    {"query": "close-in", "from": "a", "to": "b"},
]


@pytest.mark.parametrize("question", PREVIEWS, ids=[q["query"] for q in PREVIEWS])
def test_templates_are_not_pre_measured_in_a_tournament(question: dict[str, Any]) -> None:
    scene = RUNEWARS["apart"]
    refused = ask(scene, question, mode="tournament")
    assert refused.answer == "unknown" and refused.value is None and not refused.ids and not refused.drawing
    assert ask(scene, question).answer != "unknown"
    declared = ask(scene, {**question, "during": "move"}, mode="tournament")
    assert declared.answer != "unknown"


def test_the_ruler_is_always_allowed() -> None:
    for query in ("range", "arc", "line-of-sight", "shoot", "engagement"):
        assert ask(RUNEWARS["apart"], {"query": query, **A_TO_B}, mode="tournament").answer != "unknown"
    assert (
        ask(
            RUNEWARS["apart"],
            {"query": "premeasure", "tool": "movement-template", "unit": "a", "during": "move"},
        ).answer
        == "yes"
    )


def test_what_lies_on_an_order_dial_is_never_read_nor_shown() -> None:
    def scene(order: str) -> Scene:
        dial = {
            "id": "dial",
            "kind": "token",
            "side": "A",
            "at": [560, 330],
            "order": order,
            "traits": [f"order:{order}"],
        }
        return runewars([unit("a", 600, 300), unit("b", 640, 600, "B", 270), dial])

    questions = [
        {"query": "range", **A_TO_B},
        {"query": "line-of-sight", **A_TO_B},
        {"query": "token-owner", "token": "dial"},
    ]
    for question in questions:
        one, two = (ask(scene(order), question).to_json("en") for order in ("sekretmarch", "sekretshoot"))
        assert one == two
        assert "sekret" not in json.dumps(one)
