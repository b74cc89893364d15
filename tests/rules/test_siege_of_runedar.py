"""Runedar beyond its worked cases: the sheet's own tables, settings, doubtful places, and counting from a camera."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from regla.rules import Answer, QuestionError, Scene, Verdict, ask, survey
from regla.rules.games.siege_of_runedar import GAME, plan

DEFAULT = plan(("carpentry", "tannery", "foundry"), True)

# The distance table of the sheet, row by row.
ORDER = (
    "chamber", "carpentry", "tannery", "foundry", "courtyard", "wall-carpentry", "wall-tannery", "wall-foundry",
    "outside-carpentry", "outside-tannery", "outside-foundry", "tower-tunnel", "tower-carpentry-tannery",
    "tower-tannery-foundry",
)  # fmt: skip
STEPS = """
0 1 1 1 1 2 2 2 3 3 3 3 3 3
1 0 1 2 1 1 2 3 2 3 4 2 2 3
1 1 0 1 2 2 1 2 3 2 3 3 2 2
1 2 1 0 1 3 2 1 4 3 2 4 3 2
1 1 2 1 0 2 3 2 3 4 3 3 3 3
2 1 2 3 2 0 1 2 1 2 3 1 1 2
2 2 1 2 3 1 0 1 2 1 2 2 1 1
2 3 2 1 2 2 1 0 3 2 1 3 2 1
3 2 3 4 3 1 2 3 0 3 4 2 2 3
3 3 2 3 4 2 1 2 3 0 3 3 2 2
3 4 3 2 3 3 2 1 4 3 0 4 3 2
3 2 3 4 3 1 2 3 2 3 4 0 2 3
3 2 2 3 3 1 1 2 2 2 3 2 0 2
3 3 2 2 3 2 1 1 3 2 2 3 2 0
"""


def scene(*pieces: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {"game": "siege-of-runedar", "unit": "mm", "pieces": list(pieces), **rest}


def dwarf(space: str, name: str = "red", **rest: Any) -> dict[str, Any]:
    return {"id": name, "side": "dwarves", "kind": "model", "space": space, "traits": ["dwarf"], **rest}


def enemy(name: str, trait: str, space: str, *more: str, **rest: Any) -> dict[str, Any]:
    return {"id": name, "side": "enemy", "kind": "model", "space": space, "traits": [trait, *more], **rest}


def pile(trait: str, space: str, count: int, **rest: Any) -> dict[str, Any]:
    return {
        "id": f"{trait}@{space}",
        "kind": "token",
        "space": space,
        "count": count,
        "traits": [trait],
        **rest,
    }


def asked(document: dict[str, Any], query: str, **inputs: Any) -> Verdict:
    return ask(Scene.parse(document), {"query": query, **inputs})


# --- the sheet's tables ---


def test_the_distance_table_of_the_sheet() -> None:
    rows = [list(map(int, row.split())) for row in STEPS.strip().splitlines()]
    assert [[DEFAULT.graph.steps(a, b) for b in ORDER] for a in ORDER] == rows
    assert sorted(DEFAULT.graph.spaces) == sorted(ORDER)


def test_the_shooting_table_of_the_sheet() -> None:
    assert {tower: set(spaces) for tower, spaces in DEFAULT.shots.items()} == {
        "tower-tunnel": {"wall-carpentry", "outside-carpentry", "courtyard"},
        "tower-carpentry-tannery": {"wall-carpentry", "outside-carpentry", "wall-tannery", "outside-tannery"},
        "tower-tannery-foundry": {"wall-tannery", "outside-tannery", "wall-foundry", "outside-foundry"},
    }


def test_without_the_ring_only_the_certain_contact_is_left() -> None:
    graph = plan(("carpentry", "tannery", "foundry"), False).graph
    assert graph.adjacent("courtyard", "carpentry")
    assert [graph.steps(a, b) for a, b in (("carpentry", "tannery"), ("foundry", "courtyard"))] == [2, 2]


def test_the_other_order_of_walls_moves_the_towers() -> None:
    other = plan(("carpentry", "foundry", "tannery"), True)
    assert "tower-carpentry-foundry" in other.graph and "tower-carpentry-tannery" not in other.graph
    assert other.graph.adjacent("tannery", "courtyard") and not other.graph.adjacent("foundry", "courtyard")


spaces = st.sampled_from(ORDER)


@given(spaces, spaces, spaces)
def test_steps_are_a_distance(a: str, b: str, c: str) -> None:
    ab, bc, ac = (DEFAULT.graph.steps(*pair) for pair in ((a, b), (b, c), (a, c)))
    assert ab is not None and bc is not None and ac is not None and ac <= ab + bc
    assert ab == DEFAULT.graph.steps(b, a)


@given(spaces, st.integers(0, 4))
def test_what_is_reachable_may_be_moved_to(space: str, steps: int) -> None:
    here = scene(dwarf(space))
    near = asked(here, "reachable", unit="red", steps=steps).ids or ()
    for there in ORDER:
        verdict = asked(here, "move-legal", unit="red", to=there, steps=steps)
        assert (verdict.answer is Answer.YES) == (there in near or there == space)


# --- settings that are only drawn ---


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ({"query": "range", "from": "carpentry", "to": "tannery"}, ["patio_ring", "wall_order"]),
        ({"query": "range", "from": "wall-carpentry", "to": "wall-tannery"}, ["wall_order"]),
        ({"query": "range", "from": "chamber", "to": "courtyard"}, []),
        ({"query": "range", "from": "carpentry", "to": "tower-carpentry-tannery"}, []),
        ({"query": "refill", "unit": "red"}, []),
        (
            {"query": "range", "from": "carpentry", "to": "tannery", "params": {"patio_ring": True}},
            ["wall_order"],
        ),
    ],
)
def test_by_picture_is_said_where_and_only_where_the_answer_rests_on_it(
    question: dict[str, Any], names: list[str]
) -> None:
    verdict = ask(Scene.parse(scene(dwarf("chamber"))), question)
    said = [note.text("en") for note in verdict.notes]
    assert len(said) == len(names)
    assert all(note.startswith("By picture") and name in note for note, name in zip(said, names, strict=True))


@pytest.mark.parametrize(
    "order", [["tannery", "carpentry", "foundry"], ["carpentry"], "carpentry", ["carpentry"] * 3]
)
def test_an_order_of_walls_that_cannot_be_is_refused(order: Any) -> None:
    with pytest.raises(QuestionError, match="wall_order"):
        asked(scene(dwarf("chamber")), "refill", unit="red", params={"wall_order": order})


# --- on a real table ---


def room(space: str, x: float, y: float, height: float = 0.0) -> dict[str, Any]:
    return {
        "space": space,
        "outline": [[x, y], [x + 100, y], [x + 100, y + 100], [x, y + 100]],
        "height": height,
    }


BOARD = {
    "spaces": [
        room("chamber", 200, 200), room("carpentry", 100, 200), room("wall-carpentry", 0, 200, 60),
        room("courtyard", 200, 100), room("tannery", 200, 300), room("reserve", 600, 600),
    ]
}  # fmt: skip


def stood(piece: dict[str, Any], at: tuple[float, float], sigma: float | None = None) -> dict[str, Any]:
    out = {**piece, "at": list(at)}
    out.pop("space", None)
    return out if sigma is None else {**out, "sigma": {"at": [sigma, sigma]}, "source": "camera"}


def test_a_figure_seen_at_a_point_gets_its_space() -> None:
    here = scene(stood(dwarf("?"), (150, 250), 1.0), pile("wood", "carpentry", 4), board=BOARD)
    verdict = asked(here, "work", unit="red", amount=2, needed=2)
    assert (verdict.answer, verdict.value) == (Answer.YES, 2)


def test_a_figure_on_a_border_is_named_when_it_decides_and_only_then() -> None:
    here = scene(stood(dwarf("?"), (197, 250), 1.0), pile("wood", "carpentry", 4), board=BOARD)
    verdict = asked(here, "work", unit="red", amount=2, needed=2)
    assert verdict.answer is Answer.TOO_CLOSE and "red stands on a border" in verdict.because
    assert "carpentry" in verdict.because and "chamber" in verdict.because
    # From the carpentry or from the chamber: it cannot shoot either way.
    assert asked(here, "line-of-sight", **{"from": "red", "to": "wall-carpentry"}).answer is Answer.NO


def test_a_wide_error_reaches_over_a_far_border() -> None:
    for sigma, answer in ((2.0, Answer.NO), (12.0, Answer.TOO_CLOSE)):
        here = scene(stood(dwarf("?"), (180, 250), sigma), board=BOARD)
        assert asked(here, "refill", unit="red").answer is answer


def test_the_level_tells_the_wall_from_the_room_behind_it() -> None:
    board = {"spaces": [room("carpentry", 0, 0), room("wall-carpentry", 0, 0, 60.0)]}
    low, high = (
        scene(stood(enemy("o", "orc", "?"), (50, 50), 1.0) | {"height": h}, board=board) for h in (3.0, 62.0)
    )
    assert asked(low, "orc-steps-to-gold", unit="o").value == 1
    assert asked(high, "orc-steps-to-gold", unit="o").value == 2


def test_spaces_may_be_drawn_as_terrain() -> None:
    drawn = [{"id": "x", "type": "carpentry", "outline": room("", 100, 200)["outline"]}]
    here = scene(stood(dwarf("?"), (150, 250)), pile("wood", "carpentry", 4), terrain=drawn)
    assert asked(here, "work", unit="red", amount=1, needed=1).answer is Answer.YES


def test_an_engine_may_be_called_by_what_it_is() -> None:
    engine = {"id": "machine-7", "kind": "marker", "space": "area-blue", "traits": ["catapult"]}
    here = scene(dwarf("tower-tunnel"), engine)
    assert asked(here, "line-of-sight", **{"from": "red", "to": "catapult"}).answer is Answer.YES
    assert asked(here, "ranged-damage", unit="red", to="machine-7", crossbows=3).value == 1


def test_a_figure_off_the_board_is_said_to_be_off() -> None:
    here = scene(
        stood(enemy("o", "orc", "?"), (900, 900), 1.0), stood(dwarf("?"), (250, 250), 1.0), board=BOARD
    )
    verdict = asked(here, "orc-advance")
    assert verdict.value == 0 and any("off the board" in note.text("en") for note in verdict.notes)
    assert asked(here, "conservation", item="orc").value == 9


def test_a_piece_without_any_place_is_unknown() -> None:
    here = scene(stood(dwarf("?"), (150, 250)))
    verdict = asked(here, "refill", unit="red")
    assert verdict.answer is Answer.UNKNOWN and "board.spaces" in verdict.because
    odd = asked(scene(dwarf("cellar")), "refill", unit="red")
    assert odd.answer is Answer.UNKNOWN and "cellar" in odd.because


def test_reached_spaces_are_drawn_where_they_lie() -> None:
    here = scene(stood(dwarf("?"), (250, 250)), board=BOARD)
    drawing = asked(here, "reachable", unit="red", steps=1).to_json()["drawing"]
    assert sum(s["type"] == "polygon" and s["role"] == "zone" for s in drawing) == 3
    way = asked(here, "range", **{"from": "red", "to": "wall-carpentry"}).to_json()["drawing"]
    assert sum(s["type"] == "segment" and s["role"] == "path" for s in way) == 2


@pytest.mark.parametrize("sigma", [1.0, 6.0])
def test_confident_answers_from_noisy_places_are_right(sigma: float) -> None:
    """Dwarves anywhere in their spaces, seen with noise: at most one confident answer in a hundred is wrong."""
    rng = np.random.default_rng(5)
    rooms = [r for r in BOARD["spaces"] if r["height"] == 0.0]
    confident = wrong = 0
    for _ in range(600):
        home = rooms[rng.integers(len(rooms))]
        x, y = np.array(home["outline"][0]) + rng.uniform(0, 100, 2)
        dx, dy = rng.normal(0, sigma, 2)
        seen_at = stood(dwarf("?"), (x + dx, y + dy), sigma) | {"height": 0.0}
        said = asked(scene(seen_at, board=BOARD), "range", **{"from": "red", "to": "courtyard"})
        true = asked(scene(dwarf(home["space"])), "range", **{"from": "red", "to": "courtyard"})
        if said.answer is not Answer.TOO_CLOSE:
            confident += 1
            wrong += said.value != true.value
    assert confident > 300
    assert wrong <= 0.01 * confident


def test_a_table_measured_in_inches_is_the_same_table() -> None:
    here = scene(
        stood(dwarf("?"), (197, 250), 1.0), stood(enemy("o", "orc", "?"), (150, 250), 1.0), board=BOARD
    )

    def inches(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {k: inches(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [inches(v, key) for v in value]
        return value / 25.4 if key in ("at", "outline", "height") else value

    there = inches(here) | {"unit": "in"}
    for query, inputs in (
        ("engagement", {"unit": "red"}),
        ("orc-steps-to-gold", {"unit": "o"}),
        ("orc-advance", {}),
    ):
        one, two = asked(here, query, **inputs), asked(there, query, **inputs)
        assert (one.answer, one.value, one.ids) == (two.answer, two.value, two.ids)


def test_the_survey_says_what_asking_says() -> None:
    here = Scene.parse(
        scene(
            stood(dwarf("?"), (250, 250), 1.0), dwarf("tower-tunnel", "blue"), stood(enemy("o", "orc", "?"), (199, 250), 1.0),
            enemy("t", "troll", "courtyard"), {"id": "c", "kind": "marker", "space": "area-red", "traits": ["catapult"]},
            board=BOARD,
        )
    )  # fmt: skip
    found = survey(here)
    for one in ("red", "blue"):
        row = {other["id"]: other for other in found.row(one).to_json()["others"]}
        engaged = ask(here, {"query": "engagement", "unit": one})
        for other in row:
            sees = ask(here, {"query": "line-of-sight", "from": one, "to": other}).answer
            assert sees is not None and row[other]["sees"] == sees.value
            steps = ask(here, {"query": "range", "from": one, "to": other})
            assert row[other]["distance"] == steps.value
            assert row[other]["band"] == (None if steps.answer is None else steps.answer.value)
        assert {i for i, other in row.items() if other["engaged"] == "yes"} <= set(engaged.ids or ())
    assert found.row("red").to_json()["others"][1]["engaged"] == "too-close"
    assert found.sees[found.viewers.index("t")].tolist() == [None] * 5


# --- counting from a camera ---

SURE = {"confidence": 0.9}


def seen(*pieces: dict[str, Any]) -> dict[str, Any]:
    return scene(*({**p, **SURE} for p in pieces))


FULL = (
    pile("gold", "chamber", 3), pile("orc", "reserve", 10), pile("troll-pile", "supply", 2),
    pile("catapult-deck", "supply", 2), pile("siege-deck", "supply", 9),
)  # fmt: skip
GOBLINS = (enemy("g1", "goblin", "reserve"), enemy("g2", "goblin", "reserve"))
NO_BLOCKS = pile("tunnel-block", "tunnel-5", 0)


def test_with_everything_in_sight_a_camera_says_what_a_hand_would() -> None:
    assert asked(seen(*FULL), "lost").answer is Answer.NO
    assert asked(seen(*FULL, *GOBLINS, NO_BLOCKS), "won").answer is Answer.YES


@pytest.mark.parametrize("hidden", range(len(FULL)))
def test_a_pile_out_of_sight_leaves_a_doubt_to_a_camera_only(hidden: int) -> None:
    rest = tuple(p for i, p in enumerate(FULL) if i != hidden)
    assert asked(seen(*rest), "lost").answer is Answer.UNKNOWN
    assert asked(seen(*rest, *GOBLINS, NO_BLOCKS), "won").answer is Answer.UNKNOWN
    assert asked(scene(*rest), "lost").answer is Answer.NO


def test_a_loss_that_is_seen_is_a_loss_whatever_is_hidden() -> None:
    assert asked(seen(pile("gold", "chamber", 0)), "lost").ids == ("gold",)
    assert asked(seen(pile("gold", "chamber", 0)), "won").answer is Answer.NO


def test_orcs_behind_a_wall_keep_the_camera_from_calling_the_game_lost() -> None:
    orcs = [enemy(f"o{i}", "orc", "outside-foundry") for i in range(10)]
    empty = pile("orc", "reserve", 0)
    others = [p for p in FULL if p["traits"] != ["orc"]]
    assert asked(seen(*orcs[:8], empty, *others), "lost").answer is Answer.UNKNOWN
    assert asked(scene(*orcs[:8], empty, *others), "lost").ids == ("orcs",)
    assert asked(seen(*orcs, empty, *others), "lost").ids == ("orcs",)
    assert asked(seen(*orcs, pile("orc", "reserve", 1), *others), "lost").answer is Answer.UNKNOWN


def test_a_goblin_that_may_be_hidden_keeps_the_camera_from_calling_the_game_won() -> None:
    assert asked(seen(*FULL, GOBLINS[0], NO_BLOCKS), "won").answer is Answer.UNKNOWN
    assert asked(scene(*FULL, GOBLINS[0], NO_BLOCKS), "won").answer is Answer.YES
    assert asked(seen(*FULL, *GOBLINS, pile("tunnel-block", "tunnel-5", 1)), "won").answer is Answer.NO


@pytest.mark.parametrize(
    ("query", "inputs"),
    [
        ("gold-after", {"arrows": 1}),
        ("siege-card", {"place": {}, "arrow": True}),
        ("work", {"unit": "red", "amount": 1, "needed": 1}),
        ("dig", {"unit": "blue", "amount": 1}),
        ("dig", {"unit": "blue", "amount": 1, "pile": "g"}),
        ("rubble-due", {"difficulty": "easy"}),
        ("tunnel-order", {}),
        ("goblins-defeated", {}),
        ("won", {}),
        ("goblin-satisfied", {"unit": "g"}),
    ],
)
def test_a_pile_that_is_not_listed_is_not_zero(query: str, inputs: dict[str, Any]) -> None:
    here = scene(dwarf("carpentry"), dwarf("courtyard", "blue"), enemy("g", "goblin", "reserve"))
    verdict = asked(here, query, **inputs)
    assert verdict.answer is Answer.UNKNOWN and "not been seen" in verdict.because
    assert "No se ha visto" in verdict.text("es")


def test_goods_out_of_sight_leave_a_doubt_to_a_camera_only() -> None:
    pieces = (
        enemy("g", "goblin", "courtyard"),
        {**pile("wood", "courtyard", 1), "traits": ["wood", "for:g"]},
    )
    needs = {"wood": 1, "metal": 1}
    assert asked(scene(*pieces), "goblin-satisfied", unit="g", needs=needs).value == 1
    assert asked(seen(*pieces), "goblin-satisfied", unit="g", needs=needs).answer is Answer.UNKNOWN
    assert asked(seen(*pieces), "goblin-satisfied", unit="g", needs={"wood": 1}).answer is Answer.YES


def test_setting_up_from_a_camera_waits_for_what_is_hidden_unless_something_is_wrong() -> None:
    right = [
        dwarf("chamber"),
        *(pile(m, s, 10) for s, m in (("carpentry", "wood"), ("tannery", "leather"), ("foundry", "metal"))),
    ]
    assert asked(seen(*right), "setup", players=1, difficulty="easy").answer is Answer.UNKNOWN
    wrong = asked(seen(*right, pile("gold", "chamber", 19)), "setup", players=1, difficulty="easy")
    assert wrong.answer is Answer.NO and "gold" in (wrong.ids or ())


@given(st.lists(st.sampled_from(ORDER), max_size=12), st.integers(0, 20), st.integers(0, 4))
def test_more_arrows_never_leave_more_gold(places: list[str], gold: int, arrows: int) -> None:
    here = scene(*(enemy(f"o{i}", "orc", s) for i, s in enumerate(places)), pile("gold", "chamber", gold))
    now, later = (asked(here, "gold-after", arrows=n).value for n in (arrows, arrows + 1))
    assert now is not None and later is not None and 0 <= later <= now <= gold
    thieves = asked(here, "orc-advance").value
    one = asked(here, "gold-after", arrows=1).value
    assert thieves is not None and one == max(0, gold - thieves)


# --- words ---


def test_this_game_has_no_arcs_and_says_so() -> None:
    verdict = asked(scene(), "arc")
    assert verdict.answer is Answer.UNKNOWN and "no arcs" in verdict.because and "arcos" in verdict.text("es")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({"query": "range", "from": "red", "to": "cellar"}, "to: no such id on the table: cellar"),
        ({"query": "range", "from": "red", "to": [1, 2]}, "to: no such id"),
        ({"query": "reachable", "unit": "o"}, "expected a dwarf; o is not one"),
        ({"query": "orc-advance", "unit": "red"}, "expected an orc; red is not one"),
        ({"query": "goblin-satisfied", "unit": "red", "needs": {}}, "expected a goblin; red is not one"),
        ({"query": "siege-card", "place": {"cellar": 1}}, "place.cellar: expected numbers of orcs"),
        ({"query": "siege-card", "place": {"outside-tannery": -1}}, "place.outside-tannery"),
        ({"query": "siege-card", "place": [1]}, "place: expected numbers of orcs"),
        (
            {"query": "upgrade-complete", "slot": "slot-1", "needs": {"gold": 1}},
            "needs.gold: expected numbers",
        ),
        ({"query": "upgrade-complete", "slot": "slot-9", "needs": {}}, "slot: expected one of slot-1"),
        ({"query": "troll-damage", "circles": 2, "impacts": 1, "crossbows": 1}, "either impacts"),
        ({"query": "troll-damage", "circles": 2, "impacts": 1}, "per_circle: expected how many"),
        ({"query": "dig", "unit": "red", "amount": 1, "pile": "heap"}, "pile: no such id on the table: heap"),
    ],
)
def test_a_question_that_cannot_be_asked_says_why(question: dict[str, Any], said: str) -> None:
    with pytest.raises(QuestionError) as caught:
        ask(Scene.parse(scene(dwarf("courtyard"), enemy("o", "orc", "outside-tannery"))), question)
    assert said in caught.value.text("en") and caught.value.text("es")


def test_every_question_is_asked_in_both_languages_and_grouped() -> None:
    for query in GAME.queries.values():
        assert query.phase in GAME.phases
        assert all(i.title["en"] and i.title["es"] for i in query.inputs)
        assert all(r.startswith("SR-") for r in query.rules)
