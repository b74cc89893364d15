"""The 9th Age where a unit's outline was seen and its front was not (`facing: null` with a `turn`)."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from regla.rules import QuestionError, Scene, Verdict, ask
from regla.rules.cases import load_cases
from regla.rules.survey import about, survey

from .t9a_army import army
from .t9a_noise import table, unit

A_TO_B = {"from": "a", "to": "b"}
Doc = dict[str, Any]


def stated_for(piece: Doc, quarter: int) -> Doc:
    """The same block with its front so many quarters on: seen from a flank its files are its ranks."""
    out = copy.deepcopy(piece)
    out["facing"] = (piece["facing"] + 90 * quarter) % 360
    if quarter % 2:
        base = out["base"]
        base["width"], base["depth"] = base["depth"], base["width"]
        if out["kind"] == "unit":
            out["files"] = -(-out["count"] // out["files"])
    return out


def fronts(piece: Doc) -> list[Doc]:
    """All pieces that cover the same ground: only square bases may stand either way."""
    square = piece["base"]["width"] == piece["base"]["depth"]
    return [stated_for(piece, q) for q in (range(4) if square else (0, 2))]


def opened(piece: Doc) -> Doc:
    return {**piece, "facing": None, "turn": piece["facing"]}


def full(piece: Doc) -> bool:
    return piece["kind"] == "model" or piece["count"] % piece["files"] == 0


def ask_of(pieces: list[Doc], question: Doc, terrain: list[Doc] | None = None) -> Verdict:
    return ask(Scene.parse(table(pieces, terrain)), question)


def claims(got: Verdict, true: Verdict) -> bool:
    """Whether all that a verdict says is true: a yes or no may leave out what depends on the front."""
    if got.answer != true.answer:
        return False
    for name in ("value", "band", "arc", "ids", "blockers", "at"):
        mine, theirs = getattr(got, name), getattr(true, name)
        if mine is None and got.answer is not None:
            continue
        if isinstance(mine, tuple) and isinstance(theirs, tuple) and name != "at":
            mine, theirs = set(mine), set(theirs)
        if mine != (pytest.approx(theirs, abs=1e-6) if name in ("value", "at") and theirs else theirs):
            return False
    return True


# --- what only looks at the outline is answered as if the front were known ----------------------------------------

OUTLINE = [
    {"query": "range", **A_TO_B},
    {"query": "range", **A_TO_B, "within": 250},
    {"query": "range", "from": "b", "to": "a", "weapon_range": 600},
    {"query": "line-of-sight", **A_TO_B},
    {"query": "line-of-sight", "from": "a", "to": "c"},
    {"query": "in-arc", **A_TO_B, "arc": "front"},
    {"query": "in-arc", **A_TO_B, "arc": "left-flank"},
    {"query": "engagement", **A_TO_B},
    {"query": "engagement", "from": "b", "to": "a"},
    {"query": "engagement", "from": "b", "to": "c"},
    {"query": "base-contact", **A_TO_B},
    {"query": "spacing", "unit": "b"},
    {"query": "spacing", "unit": "a"},
    {"query": "march-test", "unit": "b"},
    {"query": "aura", "from": "b", "radius": 150, "who": "all"},
    {"query": "panic", "from": "c"},
    {"query": "charge-roll", "from": "b", "to": "a", "advance": 100},
    {"query": "terrain", "unit": "b", "terrain": "wood", "mode": "inside"},
    {"query": "deployment-zone", "from": "b", "deployment": "frontline-clash", "zone": "far"},
]


@pytest.mark.parametrize("question", OUTLINE, ids=lambda q: "-".join(map(str, q.values())))
@pytest.mark.parametrize(
    "block",
    [{}, {"files": 5, "count": 5}, {"files": 1, "count": 1}, {"w": 25.0, "d": 50.0}, {"files": 4, "count": 16}],
    ids=["wide", "line", "single", "cavalry", "square"],
)  # fmt: skip
def test_the_outline_is_enough(question: Doc, block: Doc) -> None:
    a, c = unit("a", "A", (700, 300), 60), unit("c", "B", (980, 700), 250)
    b = unit("b", "B", (850, 480), 33, **block)
    wood = {"id": "wood", "type": "forest", "outline": [[800, 400], [900, 400], [900, 520], [800, 520]]}
    got = ask_of([a, opened(b), c], question, [wood])
    assert got.answer != "unknown"
    for front in fronts(b):
        true = ask_of([a, front, c], question, [wood])
        same = ("answer", "band", "arc", "ids", "blockers")
        assert [getattr(got, k) for k in same] == [getattr(true, k) for k in same]
        assert got.value == pytest.approx(true.value) and got.margin == pytest.approx(true.margin)


@pytest.mark.parametrize(
    "question",
    [
        {"query": "arc", "from": "b", "to": "a"},
        {"query": "in-arc", "from": "b", "to": "a", "arc": "front"},
        {"query": "line-of-sight", "from": "b", "to": "a"},
        {"query": "charge", "from": "b", "to": "a", "advance": 100},
        {"query": "stand-and-shoot", "from": "b", "to": "a", "advance": 100},
        {"query": "wheel", "unit": "b", "angle": 30},
        {"query": "full-ranks", "unit": "b"},
        {"query": "frenzy-test", "unit": "b", "advance": 200},
        {"query": "shooters", "from": "b", "to": "a", "weapon_range": 600},
        {"query": "range", "from": "b#1.1", "to": "a"},
        {"query": "spell-target", "from": "b", "to": "a", "spell_range": 600, "types": ["missile"]},
    ],
    ids=lambda q: q["query"],
)
def test_what_its_own_front_decides_stays_unknown(question: Doc) -> None:
    pieces = [unit("a", "A", (900, 400), 90), opened(unit("b", "B", (900, 600), 90))]
    said = ask_of(pieces, question)
    assert said.answer == "unknown" and "b" in said.because
    assert ask_of([pieces[0], {**pieces[1], "facing": 270}], question).answer != "unknown"


def test_a_single_model_sees_whom_it_charges_with_its_front_only() -> None:
    fled, alone = unit("a", "A", (900, 400), 90, "fleeing"), unit("b", "B", (900, 600), 90, files=1, count=1)
    question = {"query": "charge", "from": "b", "to": "a", "advance": 100}
    assert {ask_of([fled, b], question).answer for b in fronts(alone)} == {"yes", "no"}
    assert ask_of([fled, opened(alone)], question).answer == "unknown"


def test_without_a_turn_it_is_unknown_as_ever() -> None:
    pieces = [unit("a", "A", (900, 400), 90), {**unit("b", "B", (900, 600), 90), "facing": None}]
    for query in ("range", "arc", "engagement"):
        assert ask_of(pieces, {"query": query, **A_TO_B}).answer == "unknown"


def test_touching_is_engaged_and_the_side_is_named_only_if_it_is_known() -> None:
    a, b = unit("a", "A", (900, 400), 90), unit("b", "B", (900, 450), 270)
    question = {"query": "engagement", **A_TO_B}
    assert ask_of([a, b], question).arc == "front"
    said = ask_of([a, opened(b)], question)
    assert said.answer == "yes" and said.arc is None and "b" in said.because
    said = ask_of([opened(a), b], question)
    assert said.answer == "yes" and said.arc == "front"


def test_it_is_located_in_an_arc_if_each_of_its_sides_is() -> None:
    a = unit("a", "A", (900, 400), 90)
    ahead, beside = unit("b", "B", (900, 700), 10), unit("b", "B", (1180, 600), 10)
    assert ask_of([a, opened(ahead)], {"query": "arc", **A_TO_B}).arc == "front"
    arcs = {ask_of([a, b], {"query": "arc", **A_TO_B}).arc for b in fronts(beside)}
    assert len(arcs) == 2 and ask_of([a, opened(beside)], {"query": "arc", **A_TO_B}).answer == "unknown"


# --- an incomplete rank stands where the front says ----------------------------------------------------------------


LANE = [
    {"id": "west", "type": "impassable", "outline": [[600, 380], [895, 380], [895, 520], [600, 520]]},
    {"id": "east", "type": "impassable", "outline": [[905, 380], [1200, 380], [1200, 520], [905, 520]]},
]
"""Between them only a lane of a centimetre is open, along x = 900."""


def three_of_four(x: float, facing: float = 135, name: str = "b") -> Doc:
    """A block of two by two without its right rear model, standing on a corner: to the right if it faces 135."""
    return unit(name, "B", (x, 450), facing, "rear:1", files=2, count=3)


def test_an_incomplete_rank_blocks_sight_only_if_it_does_for_every_front() -> None:
    """The Boundary Rectangle keeps its size (T9A-BR-1); sight goes past the real bases (T9A-LOS-3)."""
    a, c = unit("a", "A", (900, 300), 90, files=1, count=1), unit("c", "B", (900, 700), 270, files=1, count=1)
    look = {"query": "line-of-sight", "from": "a", "to": "c"}
    ways = (135, 315, 45, 225)
    assert [ask_of([a, three_of_four(875, f), c], look, LANE).answer for f in ways] == [
        "yes",
        "no",
        "no",
        "no",
    ]
    for f in ways:
        said = ask_of([a, opened(three_of_four(875, f)), c], look, LANE)
        assert said.answer == "unknown" and "b" in said.because
        assert ask_of([a, opened(three_of_four(900, f)), c], look, LANE).answer == "no"
        assert ask_of([a, opened(three_of_four(800, f)), c], look, LANE).answer == "yes"
        assert (
            ask_of([a, opened({**three_of_four(875, f), "count": 4, "traits": []}), c], look, LANE).answer
            == "no"
        )
        away = {"query": "range", **A_TO_B}
        assert ask_of([a, opened(three_of_four(875, f))], away).value == pytest.approx(
            ask_of([a, three_of_four(875, f)], away).value
        )


# --- all of it ---------------------------------------------------------------------------------------------------

angles = st.floats(0, 360, allow_nan=False)
blocks = st.sampled_from([(25.0, 25.0, 5, 10), (20.0, 20.0, 4, 16), (25.0, 50.0, 5, 5), (50.0, 75.0, 1, 1), (40.0, 40.0, 1, 1)])  # fmt: skip
COMMON = ("range", "arc", "line-of-sight", "engagement")


@settings(max_examples=60, deadline=None)
@given(blocks, angles, angles, angles, st.floats(60, 400), st.floats(-90, 90), st.sampled_from("abx"))
def test_nothing_is_said_that_some_front_would_make_wrong(
    block: Any, f: float, g: float, way: float, far: float, aside: float, who: str
) -> None:
    w, d, files, count = block
    u = (math.cos(math.radians(way)), math.sin(math.radians(way)))
    at = {"a": (900.0, 600.0), "b": (900 + far * u[0], 600 + far * u[1])}
    at["x"] = (900 + far / 2 * u[0] - aside * u[1], 600 + far / 2 * u[1] + aside * u[0])
    sides = {"a": "A", "b": "B", "x": "B"}
    faces = {"a": f, "b": g, "x": f + g}
    pieces = {
        n: unit(n, sides[n], at[n], faces[n], files=files, count=count, w=w, d=d)
        if n == who
        else unit(n, sides[n], at[n], faces[n], files=4, count=8, w=20.0, d=20.0)
        for n in "abx"
    }
    for query in COMMON:
        question = {"query": query, **A_TO_B}
        got = ask_of([opened(p) if n == who else p for n, p in pieces.items()], question)
        trues = [ask_of([*(p for n, p in pieces.items() if n != who), front], question) for front in fronts(pieces[who])]  # fmt: skip
        if got.answer == "unknown":
            assert len({(t.answer, t.arc, t.blockers) for t in trues}) > 1
        else:
            assert all(claims(got, true) for true in trues)
        if query == "range" or (query == "line-of-sight" and who != "a"):
            assert got.answer != "unknown"


CASES = [c for name in ("t9a", "t9a-more") for c in load_cases(Path(__file__).parent.parent / "cases" / f"{name}.json")]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_every_worked_case_with_a_front_not_seen(part: int) -> None:
    """Every question of the game, with each of its pieces opened in turn: unknown, or what the book says."""
    wrong = []
    for case in CASES[part::4]:
        try:
            true = ask(Scene.parse(case.scene), case.ask)
        except QuestionError:
            continue
        for i, piece in enumerate(case.scene["pieces"]):
            if piece.get("facing") is None or piece.get("base", {}).get("shape") != "rect":
                continue
            pieces = list(case.scene["pieces"])
            # stated for another front than the true one: of square bases for a flank
            pieces[i] = opened(fronts(piece)[1] if full(piece) else piece)
            try:
                got = ask(Scene.parse({**case.scene, "pieces": pieces}), case.ask)
            except QuestionError:
                continue  # it names a model that this block would not have
            if got.answer != "unknown" and not claims(got, true):
                wrong.append((case.id, piece["id"], got.answer, true.answer))
    assert not wrong


# --- error bars and surveys ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["range", "engagement", "line-of-sight"])
def test_the_error_of_the_turn_counts_as_that_of_a_facing_does(query: str) -> None:
    sigma = {"sigma": {"at": [0.3, 0.4], "facing": 0.8}}
    a, b = {**unit("a", "A", (900, 400), 90), **sigma}, {**unit("b", "B", (980, 600), 250), **sigma}
    question = {"query": query, **A_TO_B}
    one, two = ask_of([a, b], question), ask_of([a, opened(b)], question)
    assert (one.answer, one.sigma, one.value_sigma) == pytest.approx((two.answer, two.sigma, two.value_sigma))
    still = {**b, "sigma": {"at": [0.3, 0.4], "facing": 0.0}}
    less = ask_of([a, opened(still)], question)
    assert (less.value_sigma or less.sigma or 0) < (two.value_sigma or two.sigma or 0)


@pytest.mark.parametrize(("seed", "sigma"), [(4, None), (7, 0.4)])
def test_the_survey_says_what_asking_says(seed: int, sigma: float | None) -> None:
    document = army(seed=seed, units=12, features=8, sigma=sigma)
    for k in (0, 2, 3, 9):  # whole blocks of square and of oblong bases
        if document["pieces"][k]["base"]["shape"] == "rect" and full(document["pieces"][k]):
            document["pieces"][k] = opened(document["pieces"][k])
    scene = Scene.parse(document)
    found = survey(scene)
    blind = [p["id"] for p in document["pieces"] if p["facing"] is None]
    assert len(blind) >= 3
    said: dict[str, list[Any]] = {"arc": [], "sees": [], "engaged": []}
    for i, one in enumerate(found.viewers):
        for j, two in enumerate(found.ids):
            if one == two or not {one, two} & set(blind):
                continue
            pair = {"from": one, "to": two}
            away = ask(scene, {"query": "range", **pair})
            assert found.distance_mm[i, j] == pytest.approx(away.value, abs=1e-6)
            arc = ask(scene, {"query": "arc", **pair})
            said["arc"].append((found.arc[i, j], arc.arc if arc.answer is None else arc.answer))
            if found.sees[i, j] is not None and sigma is None:
                said["sees"].append((found.sees[i, j], ask(scene, {"query": "line-of-sight", **pair}).answer))
                cover = ask(scene, {"query": "cover", **pair})
                assert found.cover[i, j] == (cover.answer or cover.band)
            said["engaged"].append((found.engaged[i, j], ask(scene, {"query": "engagement", **pair}).answer))
    for words in said.values():
        # the survey's error bars are rougher: it may call a pair too close that the question settles
        assert [p for p in words if p[0] != p[1] and (sigma is None or "too-close" not in p)] == []
    row = about(scene, blind[0]).to_json()["others"]
    assert [o["arc"] for o in row] == [w for w in found.arc[found.viewers.index(blind[0])] if w is not None]


def test_the_survey_of_blocks_with_missing_models() -> None:
    a, c = unit("a", "A", (900, 300), 90, files=1, count=1), unit("c", "B", (900, 700), 270, files=1, count=1)
    found = survey(Scene.parse(table([a, opened(three_of_four(875)), c], LANE)))
    assert found.ids == ("a", "b", "c")
    assert found.sees[0].tolist() == [None, "yes", "unknown"] and found.sees[2, 0] == "unknown"
    assert survey(Scene.parse(table([a, opened(three_of_four(900)), c], LANE))).sees[0, 2] == "no"
    many = [opened(three_of_four(875 + 150 * k, name=f"b{k}")) for k in range(4)]
    found = survey(Scene.parse(table([a, *many, c], LANE)))
    assert found.sees[0, -1] == "unknown" and found.engaged[0, -1] == "no" and found.arc[0, -1] == "front"
    assert found.distance_mm[0, -1] == pytest.approx(375.0)
