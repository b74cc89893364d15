"""The 9th Age: what a player would notice beyond the worked cases (which tests/rules/test_cases.py runs)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from regla.rules import GAMES, QuestionError, Scene, ask
from regla.rules.cases import load_cases, run_case

CASES = load_cases(Path(__file__).parent.parent / "cases" / "t9a.json")
GAME = GAMES["t9a"]
IN = 25.4

QUERIES = [
    "range",
    "arc",
    "in-arc",
    "line-of-sight",
    "engagement",
    "base-contact",
    "contact-total",
    "attackers",
    "formation-legal",
    "formation",
    "combat",
    "full-ranks",
    "rank-bonus",
    "spacing",
    "charge",
    "charge-roll",
    "stand-and-shoot",
    "failed-charge",
    "march-test",
    "wheel",
    "move",
    "reform",
    "shooters",
    "cover",
    "combat-bonus",
    "steadfast",
    "flee-direction",
    "flee",
    "panic",
    "pursuit",
    "pursuit-end",
    "sweep",
    "summon-placement",
    "spell-target",
    "aura",
    "area-hits",
    "flamethrower",
    "terrain",
    "dangerous-terrain",
    "defend-wall",
    "downhill-charge",
    "deployment-zone",
    "deployment-order",
    "scout-placement",
    "vanguard-end",
    "ambush-arrival",
    "frenzy-test",
    "objective-control",
    "marker-placement",
    "terrain-placement",
]


def unit(
    name: str, side: str, at: tuple[float, float], facing: float | None, *traits: str, **more: Any
) -> dict[str, Any]:
    base = {"shape": "rect", "width": more.pop("w", 1.0), "depth": more.pop("d", 1.0)}
    return {
        "id": name, "side": side, "kind": "unit", "at": list(at), "facing": facing, "base": base,
        "files": 5, "count": 10, "traits": list(traits), **more,
    }  # fmt: skip


def table(*pieces: dict[str, Any], terrain: list[dict[str, Any]] | None = None) -> Scene:
    return Scene.parse(
        {
            "game": "t9a",
            "unit": "in",
            "table": {"width": 72, "depth": 48},
            "pieces": list(pieces),
            "terrain": terrain or [],
        }
    )


def test_every_query_of_the_sheet_is_there() -> None:
    assert set(QUERIES) <= set(GAME.queries)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_every_case_can_be_read_and_drawn(case: Any) -> None:
    """In both languages, with rules that exist, no gap left unfilled, and something to draw."""
    verdict = run_case(case).verdict
    assert verdict is not None
    for lang in ("en", "es"):
        data = verdict.to_json(lang)
        json.dumps(data)
        said = [data["because"], data["headline"], *data["steps"], *data["notes"]]
        assert all(text and "{" not in text for text in said)
    assert verdict.rules and all(re.fullmatch(r"T9A-[A-Z]+-?[A-Z0-9]*", rule) for rule in verdict.rules)
    nothing = verdict.query in (
        "objective-control",
        "terrain-placement",
        "shooters",
        "charge",
        "stand-and-shoot",
    )
    assert verdict.drawing or nothing or verdict.arc == "front" or verdict.value == 0


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_the_unit_of_the_document_changes_nothing(case: Any) -> None:
    """The same table and question in the other unit: the same answer, lengths converted."""
    other = "in" if case.scene["unit"] == "mm" else "mm"
    k = 1 / IN if other == "in" else IN
    scene = Scene.parse(case.scene)
    from regla.rules.document import scaled

    there = scaled(scene, k, other)  # type: ignore[arg-type]
    question = dict(case.ask)
    kinds = {i.name: i.kind for i in GAME.queries[question["query"]].inputs}
    for name, value in case.ask.items():
        if kinds.get(name) == "length":
            question[name] = value * k
        elif isinstance(value, list) and len(value) == 2 and all(isinstance(x, int | float) for x in value):
            question[name] = [x * k for x in value]
        elif name == "steps":
            question[name] = [
                {a: b if a in ("wheel", "pivot") else b * k for a, b in s.items()} for s in value
            ]
    here, after = ask(scene, case.ask), ask(there, question)
    assert (here.answer, here.band, here.arc, here.ids) == (after.answer, after.band, after.arc, after.ids)
    if here.value is not None and after.value is not None:
        scale = k if here.value_unit in ("in", "mm") else 1.0
        assert after.value == pytest.approx(here.value * scale, abs=1e-6)


# --- distances, symmetry ----------------------------------------------------------------------------------------

spots = st.tuples(st.floats(5, 65), st.floats(5, 43))


@settings(max_examples=60, deadline=None)
@given(spots, st.floats(0, 360), spots, st.floats(0, 360), st.floats(0.1, 40), st.floats(0, 10))
def test_ranges_are_symmetric_and_monotonic(
    a: Any, f: float, b: Any, g: float, within: float, more: float
) -> None:
    scene = table(unit("a", "A", a, f), unit("b", "B", b, g))
    one = ask(scene, {"query": "range", "from": "a", "to": "b", "within": within})
    two = ask(scene, {"query": "range", "from": "b", "to": "a", "within": within})
    assert one.value == pytest.approx(two.value, abs=1e-9)
    if one.answer == "yes":
        assert ask(scene, {"query": "range", "from": "a", "to": "b", "within": within + more}).answer == "yes"


@settings(max_examples=40, deadline=None)
@given(spots, st.floats(0, 360), spots, st.floats(0, 360))
def test_located_in_an_arc_means_inside_it(a: Any, f: float, b: Any, g: float) -> None:
    scene = table(unit("a", "A", a, f), unit("b", "B", b, g))
    arc = ask(scene, {"query": "arc", "from": "a", "to": "b"}).arc
    apart = ask(scene, {"query": "range", "from": "a", "to": "b"}).value
    if apart:
        assert ask(scene, {"query": "in-arc", "from": "a", "to": "b", "arc": arc}).answer == "yes"


# --- what a camera sees -----------------------------------------------------------------------------------------


def camera(at: float = 0.003, facing: float = 0.05) -> dict[str, Any]:
    return {"sigma": {"at": [at, at], "facing": facing}}


def test_a_gap_below_a_millimetre_is_contact_and_said() -> None:
    near = table(unit("a", "A", (20, 10), 90, **camera()), unit("b", "B", (20, 12.02), 271.0, **camera()))
    said = ask(near, {"query": "engagement", "from": "a", "to": "b"})
    assert said.answer == "yes" and said.arc == "front"
    assert any("Read as contact" in n.text("en") for n in said.notes)
    exact = table(unit("a", "A", (20, 10), 90), unit("b", "B", (20, 12.02), 270))
    assert ask(exact, {"query": "engagement", "from": "a", "to": "b"}).answer == "no"


def test_nearer_than_unengaged_units_stand_is_pointed_out() -> None:
    scene = table(unit("a", "A", (20, 10), 90, **camera()), unit("b", "B", (20, 12.4), 270, **camera()))
    said = ask(scene, {"query": "engagement", "from": "a", "to": "b"})
    assert said.answer == "no" and any("push them together" in n.text("en") for n in said.notes)


def test_on_the_line_a_camera_does_not_decide() -> None:
    scene = table(unit("a", "A", (20, 10), 90, **camera(0.02)), unit("b", "B", (20, 28), 270, **camera(0.02)))
    assert ask(scene, {"query": "charge", "from": "a", "to": "b", "advance": 4}).answer == "too-close"
    assert ask(scene, {"query": "charge", "from": "a", "to": "b", "advance": 6}).answer == "yes"


@pytest.mark.parametrize(
    ("question", "known"),
    [
        ({"query": "arc", "from": "b", "to": "a"}, False),
        ({"query": "line-of-sight", "from": "b", "to": "a"}, False),
        ({"query": "cover", "from": "a#1.1", "to": "b"}, False),
        ({"query": "charge", "from": "b", "to": "a", "advance": 4}, False),
        ({"query": "full-ranks", "from": "b"}, False),
        ({"query": "wheel", "from": "b", "angle": 30}, False),
        ({"query": "range", "from": "a", "to": "b", "within": 15}, True),
        ({"query": "spacing", "from": "b"}, True),
        ({"query": "base-contact", "from": "a", "to": "b"}, True),
        ({"query": "march-test", "from": "a"}, True),
    ],
)
def test_an_unknown_facing(question: dict[str, Any], known: bool) -> None:
    said = ask(table(unit("a", "A", (20, 10), 90), unit("b", "B", (20, 20), None)), question)
    assert (said.answer == "unknown") is not known
    if not known:
        assert "b" in said.because


# --- blocks and characters --------------------------------------------------------------------------------------


def test_a_large_matching_base_displaces_troops() -> None:
    lord = {
        "id": "lord", "side": "A", "kind": "model", "at": [20.0, 10.0], "facing": 90,
        "base": {"shape": "rect", "width": 2.0, "depth": 2.0}, "traits": ["character", "joined:a"],
    }  # fmt: skip
    wide = unit("a", "A", (20, 10), 90, files=6, count=12)
    scene = table(wide, lord)
    assert ask(scene, {"query": "full-ranks", "from": "a"}).value == 2
    assert ask(scene, {"query": "range", "from": "a", "to": "edge:near"}).value == pytest.approx(9)


def test_a_character_leaves_its_unit_to_charge() -> None:
    host = unit("a", "A", (20, 10), 90, "character@1.1")
    far = ask(
        table(host, unit("b", "B", (30, 27), 270)),
        {"query": "charge", "from": "a#1.1", "to": "b", "advance": 4},
    )
    assert far.value is not None
    from_unit = ask(
        table(host, unit("b", "B", (30, 27), 270)),
        {"query": "charge-roll", "from": "a", "to": "b", "advance": 4},
    )
    assert from_unit.answer is not None and far.value > 15


# --- charges ----------------------------------------------------------------------------------------------------


def test_the_best_charge_is_found_and_a_worse_one_refused() -> None:
    scene = table(unit("a", "A", (20, 10), 90), unit("b", "B", (24, 20), 270))
    best = ask(scene, {"query": "charge-best", "from": "a", "to": "b"})
    assert best.answer == "yes" and best.value == 10 and best.at is not None
    straight = ask(scene, {"query": "charge-move", "from": "a", "to": "b", "steps": [{"forward": 8}]})
    assert straight.answer == "no" and "10" in straight.because


@pytest.mark.parametrize(
    ("steps", "answer", "by_in"),
    [
        ([{"forward": 8}], "yes", None),
        ([{"forward": 7.5}], "no", -0.5),
        ([{"forward": 8.25}], "no", -0.25),
        ([{"sideways": 1}, {"forward": 8}], "no", None),
        ([{"wheel": 10}, {"forward": 3}, {"wheel": -10}], "no", None),
    ],
)
def test_a_proposed_charge_move_is_judged_by_how_much(
    steps: list[dict[str, float]], answer: str, by_in: float | None
) -> None:
    scene = table(unit("a", "A", (20, 10), 90), unit("b", "B", (20, 20), 270))
    said = ask(scene, {"query": "charge-move", "from": "a", "to": "b", "steps": steps})
    assert said.answer == answer
    if by_in is not None:
        assert said.margin == pytest.approx(by_in * IN, abs=0.01)


def test_a_corridor_closes_a_charge_but_not_a_flight() -> None:
    walls = [
        {"id": "w1", "type": "impassable", "outline": [[0, 14], [17.8, 14], [17.8, 17], [0, 17]]},
        {"id": "w2", "type": "impassable", "outline": [[22.2, 14], [72, 14], [72, 17], [22.2, 17]]},
    ]
    scene = table(unit("a", "A", (20, 10), 90, "flying"), unit("b", "B", (20, 24), 270), terrain=walls)
    question = {"query": "charge", "from": "a", "to": "b", "advance": 6}
    assert ask(scene, question).answer == "no"
    assert ask(scene, question | {"flying": True}).answer == "yes"


def test_a_move_says_by_how_much() -> None:
    scene = table(unit("a", "A", (20, 10), 90), unit("b", "B", (20, 20), 270))
    said = ask(
        scene, {"query": "move", "from": "a", "type": "march", "rate": 10, "steps": [{"forward": 7.25}]}
    )
    assert said.answer == "no" and said.margin == pytest.approx(-0.25 * IN, abs=1e-6) and said.ids == ("b",)


# --- questions that cannot be asked -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        {"query": "range", "from": "a", "to": "nobody"},
        {"query": "range", "from": "a#9.9", "to": "b"},
        {"query": "arc", "from": [1, 2], "to": "a"},
        {"query": "move", "from": "a", "type": "march", "rate": 5, "steps": [{"jump": 3}]},
        {"query": "move", "from": "a", "type": "march", "rate": 5, "steps": [{"forward": -3}]},
        {"query": "reform", "from": "a", "files": 99, "facing": 0, "march": 8},
        {"query": "deployment-zone", "from": "a", "deployment": "encircle", "zone": "near"},
        {"query": "spell-target", "from": "a", "to": "b", "spell_range": 9, "types": ["nonsense"]},
        {"query": "spacing", "from": "a", "exempt": ["nobody"]},
        {"query": "wheel", "from": "a"},
    ],
)
def test_bad_questions_are_refused_in_words(question: dict[str, Any]) -> None:
    with pytest.raises(QuestionError) as refused:
        ask(table(unit("a", "A", (20, 10), 90), unit("b", "B", (20, 20), 270)), question)
    assert refused.value.text("es") and refused.value.text("en")


def test_what_the_table_must_know() -> None:
    scene = Scene.parse({"game": "t9a", "unit": "in", "pieces": [unit("a", "A", (20, 10), 90)]})
    said = ask(scene, {"query": "ambush-arrival", "from": "a", "edge": "near"})
    assert said.answer == "unknown" and "width" in said.because
