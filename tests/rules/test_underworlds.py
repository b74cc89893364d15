"""Underworlds beyond its worked cases: turned boards, units, doubtful places, boards made from tiles, drawing, words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from regla.rules import Answer, QuestionError, Scene, Verdict, ask, survey
from regla.rules.games.underworlds import FACES, GAME, board_hexes
from regla.rules.games.underworlds.faces import join
from regla.rules.hexes import SYMMETRIES, Hex, Lattice, Symmetry, disc, turn
from regla.rules.scene import Tile
from regla.rules.survey import by_asking

from tests.rules.boards import a_fighter, an_arena

ARENA = disc((0, 0), 3)
OFF = (9, 9)


def asked(scene: dict[str, Any], query: str, **inputs: Any) -> Verdict:
    return ask(Scene.parse(scene), {"query": query, **inputs})


# --- the same whichever way the board is turned -----------------------------------------------------------


@st.composite
def battles(draw: st.DrawFn) -> dict[str, Any]:
    """Four fighters and an objective somewhere on a round board with blocked hexes and holes."""
    places = draw(st.permutations(ARENA))
    walls, holes = places[5 : 5 + draw(st.integers(0, 8))], places[20 : 20 + draw(st.integers(0, 6))]
    traits = ["flying", "guard", "staggered", "move-token", "charge-token"]
    pieces = [
        a_fighter(name, at, side, *draw(st.sets(st.sampled_from(traits), max_size=1)))
        for name, at, side in zip(("a", "a2", "b", "b2"), places, ("A", "A", "B", "B"), strict=False)
    ]
    pieces.append({"id": "o", "kind": "token", "hex": list(places[4]), "traits": ["objective", "value:2"]})
    return an_arena(*pieces, blocked=tuple(walls), holes=tuple(holes))


def turned(value: Any, by: Symmetry) -> Any:
    """A scene or a question with every hex in it turned."""
    if isinstance(value, dict):
        return {
            k: list(turn(tuple(v), by)) if k in ("hex", "to_hex") else turned(v, by) for k, v in value.items()
        }
    if isinstance(value, list):
        return [turned(v, by) for v in value]
    return value


QUESTIONS: tuple[dict[str, Any], ...] = (
    {"query": "range", "from": "a", "to": "b", "max": 3},
    {"query": "line-of-sight", "from": "a", "to": "b"},
    {"query": "line-of-sight", "from": "a", "to_hex": [2, -1]},
    {"query": "adjacent", "from": "a", "to": "b"},
    {"query": "engagement", "from": "a"},
    {"query": "visible-hexes", "from": "a"},
    {"query": "attack-target", "from": "a", "to": "b", "range": 3},
    {"query": "attack-targets", "from": "a", "range": 3},
    {"query": "scythe-targets", "from": "a"},
    {"query": "stun-targets", "from": "a"},
    {"query": "tackle-targets", "from": "a", "move": 3},
    {"query": "charge-targets", "from": "a", "move": 3, "range": 1},
    {"query": "support", "attacker": "a", "target": "b", "for": "target"},
    {"query": "trapped", "attacker": "a", "target": "b", "knockback": 1},
    {"query": "drive-back", "attacker": "a", "target": "b", "knockback": 2},
    {"query": "move-reach", "from": "a", "move": 3},
    {"query": "hold", "objective": "o"},
    {"query": "objectives-held", "side": "A"},
    {"query": "objective-hexes"},
    {"query": "edge-hexes"},
    {"query": "legal-state"},
)


@given(battles(), st.sampled_from(QUESTIONS), st.sampled_from(SYMMETRIES))
def test_a_turned_board_gives_the_turned_answer(
    scene: dict[str, Any], question: dict[str, Any], by: Symmetry
) -> None:
    here, there = ask(Scene.parse(scene), question), ask(Scene.parse(turned(scene, by)), turned(question, by))
    assert (here.answer, here.value, here.band) == (there.answer, there.value, there.band)
    assert set(here.ids or ()) == set(there.ids or ())
    assert {turn(h, by) for h in here.hexes or ()} == set(there.hexes or ())
    names = {
        b if b == "off-board" else ",".join(map(str, turn(tuple(map(int, b.split(","))), by)))
        for b in here.blockers or ()
    }
    assert names == set(there.blockers or ())


@given(battles(), st.integers(0, 4))
def test_more_range_and_more_move_never_reach_less(scene: dict[str, Any], n: int) -> None:
    one = Scene.parse(scene)
    for query, more in (("attack-targets", "range"), ("tackle-targets", "move")):
        few = ask(one, {"query": query, "from": "a", more: n}).ids or ()
        assert set(few) <= set(ask(one, {"query": query, "from": "a", more: n + 1}).ids or ())
    near = ask(one, {"query": "move-reach", "from": "a", "move": n}).hexes or ()
    assert set(near) <= set(ask(one, {"query": "move-reach", "from": "a", "move": n + 1}).hexes or ())


@given(battles())
def test_questions_about_one_thing_agree(scene: dict[str, Any]) -> None:
    """Each list is what its yes-or-no question says of every candidate; sight and distance are mutual."""
    one = Scene.parse(scene)
    targets = ask(one, {"query": "attack-targets", "from": "a", "range": 2}).ids or ()
    for other in ("a2", "b", "b2"):
        yes = ask(one, {"query": "attack-target", "from": "a", "to": other, "range": 2}).answer
        assert (yes is Answer.YES) == (other in targets)
        there, back = (
            ask(one, {"query": "line-of-sight", "from": x, "to": y}) for x, y in (("a", other), (other, "a"))
        )
        assert there.answer is back.answer
        assert set(there.blockers or ()) == set(back.blockers or ())
    for h in ask(one, {"query": "visible-hexes", "from": "a"}).hexes or ():
        assert ask(one, {"query": "line-of-sight", "from": "a", "to_hex": list(h)}).answer is Answer.YES
    for h in ask(one, {"query": "move-reach", "from": "a", "move": 1}).hexes or ():
        assert (
            ask(one, {"query": "move-path", "from": "a", "path": [list(h)], "move": 1}).answer is Answer.YES
        )
    driven = ask(one, {"query": "drive-back", "attacker": "a", "target": "b", "knockback": 1})
    held = ask(one, {"query": "trapped", "attacker": "a", "target": "b", "knockback": 1})
    assert (driven.answer is Answer.YES) == (held.answer is Answer.NO)


# --- a board on a real table --------------------------------------------------------------------------------

LATTICE = Lattice(52, (300, 200))
LAYOUT = {"across_flats": 52, "origin": [300, 200]}


def seen(name: str, at: tuple[float, float], side: str = "A", sigma: float | None = None) -> dict[str, Any]:
    piece: dict[str, Any] = {"id": name, "side": side, "kind": "model", "at": list(at)}
    return piece if sigma is None else {**piece, "sigma": {"at": [sigma, sigma]}, "source": "camera"}


def between(a: Hex, b: Hex, part: float) -> tuple[float, float]:
    (ax, ay), (bx, by) = LATTICE.centre(a), LATTICE.centre(b)
    return ax + (bx - ax) * part, ay + (by - ay) * part


def test_a_piece_seen_at_a_point_gets_its_hex() -> None:
    scene = an_arena(
        seen("a", between((0, 0), (1, 0), 0.1)), seen("b", LATTICE.centre((2, 0)), "B"), layout=LAYOUT
    )
    verdict = asked(scene, "range", **{"from": "a", "to": "b"})
    assert (verdict.value, verdict.answer) == (2, None)


def test_a_piece_on_a_border_is_named_when_it_decides() -> None:
    scene = an_arena(
        seen("a", between((0, 0), (1, 0), 0.48)), seen("b", LATTICE.centre((2, 0)), "B"), layout=LAYOUT
    )
    verdict = asked(scene, "range", **{"from": "a", "to": "b", "max": 1})
    assert verdict.answer is Answer.TOO_CLOSE
    assert "a stands on a border" in verdict.because and "(0, 0), (1, 0)" in verdict.because
    assert verdict.remedy is not None and "a" in verdict.remedy.text("es")
    # Within 2 it is in either hex, though the count differs; and the line is clear from both.
    within = asked(scene, "range", **{"from": "a", "to": "b", "max": 2})
    assert within.answer is Answer.YES and "the details may not" in within.notes[0].text("en")
    assert asked(scene, "range", **{"from": "a", "to": "b"}).answer is Answer.TOO_CLOSE
    assert asked(scene, "line-of-sight", **{"from": "a", "to": "b"}).answer is Answer.YES


def test_what_is_hidden_either_way_is_hidden() -> None:
    """From (0, 0) one wall is in the way, from (1, 0) another: no is the answer from both."""
    walls = ((0, 1), (1, 1))
    scene = an_arena(
        seen("a", between((0, 0), (1, 0), 0.48)), a_fighter("b", (0, 3), "B"), layout=LAYOUT, blocked=walls
    )
    exact = [
        asked(an_arena(a_fighter("a", h), a_fighter("b", (0, 3), "B"), blocked=walls), "line-of-sight", **{"from": "a", "to": "b"})
        for h in ((0, 0), (1, 0))
    ]  # fmt: skip
    assert [v.answer for v in exact] == [Answer.NO, Answer.NO] and exact[0].blockers != exact[1].blockers
    assert asked(scene, "line-of-sight", **{"from": "a", "to": "b"}).answer is Answer.NO


def test_two_doubtful_pieces_are_tried_together() -> None:
    """Neither alone lets b be trapped; both together would."""
    holes = ((2, -1),)
    lone = an_arena(
        seen("a", LATTICE.centre((0, 0))), seen("b", LATTICE.centre((1, 0)), "B"),
        seen("c", between((2, 0), (3, -1), 0.48), "B"), seen("d", between((1, 1), (1, 2), 0.48), "B"),
        layout=LAYOUT, holes=holes,
    )  # fmt: skip
    far = an_arena(
        seen("a", LATTICE.centre((0, 0))), seen("b", LATTICE.centre((1, 0)), "B"),
        seen("c", between((3, -1), (2, 0), 0.48), "B"), seen("d", between((1, 2), (1, 1), 0.48), "B"),
        layout=LAYOUT, holes=holes,
    )  # fmt: skip
    for scene in (lone, far):
        verdict = asked(scene, "trapped", attacker="a", target="b")
        assert verdict.answer is Answer.TOO_CLOSE
        assert "c" in verdict.because and "d" in verdict.because


@pytest.mark.parametrize(
    ("part", "sigma", "answer"),
    [
        (0.3, None, Answer.NO),
        (0.3, 1.0, Answer.NO),
        (0.3, 8.0, Answer.TOO_CLOSE),
        (0.46, 0.1, Answer.TOO_CLOSE),
    ],
)
def test_the_error_of_the_camera_widens_the_doubt(part: float, sigma: float | None, answer: Answer) -> None:
    scene = an_arena(
        seen("a", between((0, 0), (1, 0), part), sigma=sigma),
        seen("b", LATTICE.centre((2, 0)), "B"),
        layout=LAYOUT,
    )
    assert asked(scene, "adjacent", **{"from": "a", "to": "b"}).answer is answer


def test_a_hex_from_a_camera_is_doubted_and_one_set_by_hand_is_not() -> None:
    at = list(between((0, 0), (1, 0), 0.49))
    camera = {**a_fighter("a", (0, 0)), "at": at, "sigma": {"at": [2, 2]}, "source": "camera"}
    b = a_fighter("b", (2, 0), "B")
    assert (
        asked(an_arena(camera, b, layout=LAYOUT), "adjacent", **{"from": "a", "to": "b"}).answer
        is Answer.TOO_CLOSE
    )
    hand = {**camera, "source": "hand"}
    assert asked(an_arena(hand, b, layout=LAYOUT), "adjacent", **{"from": "a", "to": "b"}).answer is Answer.NO


def test_nobody_stands_in_a_blocked_or_missing_hex_so_the_other_one_it_is() -> None:
    a, b = seen("a", between((1, 0), (2, 0), 0.52)), a_fighter("b", (0, 0), "B")
    for scene in (
        an_arena(a, b, layout=LAYOUT, blocked=((2, 0),)),
        an_arena(a, b, layout=LAYOUT, holes=((2, 0),)),
    ):
        assert asked(scene, "adjacent", **{"from": "a", "to": "b"}).answer is Answer.YES
        assert asked(scene, "legal-state").answer is Answer.TOO_CLOSE


def test_where_one_fighter_stands_for_sure_a_doubtful_one_does_not() -> None:
    """a is between (0, 0) and (1, 0); with c in (1, 0) it must be in (0, 0)."""
    a, b = seen("a", between((0, 0), (1, 0), 0.5)), a_fighter("b", (2, 0), "B")
    assert (
        asked(an_arena(a, b, layout=LAYOUT), "adjacent", **{"from": "a", "to": "b"}).answer
        is Answer.TOO_CLOSE
    )
    for c in (a_fighter("c", (1, 0), "B"), seen("c", LATTICE.centre((1, 0)), "B", 1.0)):
        assert (
            asked(an_arena(a, b, c, layout=LAYOUT), "adjacent", **{"from": "a", "to": "b"}).answer
            is Answer.NO
        )


def test_a_hex_that_a_person_draws_over_becomes_what_it_is_called() -> None:
    x, y = LATTICE.centre((1, 0))
    scene = an_arena(a_fighter("a", (0, 0)), a_fighter("b", (2, 0), "B"), layout=LAYOUT)
    wall = {
        "id": "w",
        "type": "blocked",
        "outline": [[x - 9, y - 9], [x + 9, y - 9], [x + 9, y + 9], [x - 9, y + 9]],
    }
    assert asked(scene, "line-of-sight", **{"from": "a", "to": "b"}).answer is Answer.YES
    verdict = asked({**scene, "terrain": [wall]}, "line-of-sight", **{"from": "a", "to": "b"})
    assert verdict.blockers == ("1,0",)


def test_without_any_hexes_the_answer_is_unknown_not_no() -> None:
    scene = {"game": "underworlds", "pieces": [a_fighter("a", (0, 0)), a_fighter("b", (1, 0), "B")]}
    verdict = asked(scene, "adjacent", **{"from": "a", "to": "b"})
    assert verdict.answer is Answer.UNKNOWN and "board.hexes" in verdict.because
    assert asked(scene, "arc", **{"from": "a", "to": "b"}).arc == "all"


def test_a_piece_off_the_board_is_said_to_be_off() -> None:
    scene = an_arena(seen("a", LATTICE.centre(OFF)), a_fighter("b", (0, 0), "B"), layout=LAYOUT)
    verdict = asked(scene, "locate", piece="a")
    assert verdict.hexes == (OFF,) and "off the battlefield" in verdict.because
    verdict = asked(scene, "range", **{"from": "a", "to": "b", "max": 50})
    assert (verdict.answer, verdict.value) == (Answer.NO, None)
    assert any("off the battlefield" in note.text("en") for note in verdict.notes)
    assert asked(scene, "legal-state").ids == ("a",)


def test_without_a_place_for_the_board_the_hex_is_unknown_and_the_card_says_what_to_do() -> None:
    scene = an_arena(seen("a", (300, 200)), a_fighter("b", (0, 0), "B"), a_fighter("c", (1, 0), "A"))
    for query, inputs in (("locate", {"piece": "a"}), ("move-reach", {"from": "b", "move": 2})):
        verdict = asked(scene, query, **inputs)
        assert verdict.answer is Answer.UNKNOWN and "board.layout" in verdict.because
    # What does not need the lost fighter is still answered.
    assert asked(scene, "range", **{"from": "b", "to": "c"}).value == 1


def test_the_default_size_of_a_hex_is_said_to_be_a_default() -> None:
    scene = an_arena(seen("a", (300, 200)), layout={"origin": [300, 200]})
    verdict = asked(scene, "locate", piece="a")
    assert verdict.hexes == ((0, 0),) and any("across_flats" in note.text("en") for note in verdict.notes)
    measured = asked(an_arena(seen("a", (300, 200)), layout=LAYOUT), "locate", piece="a")
    assert not measured.notes


@pytest.mark.parametrize("orientation", ["flat", "pointy"])
@pytest.mark.parametrize("rotation", [0, 17.5, 180])
def test_both_kinds_of_hexes_turned_any_way_and_in_inches(orientation: Any, rotation: float) -> None:
    lattice = Lattice(52, (300, 200), orientation, rotation)
    layout = {"across_flats": 52 / 25.4, "origin": [300 / 25.4, 200 / 25.4], "rotation": rotation}
    for h in ((0, 0), (2, -1), (-3, 2), OFF):
        x, y = lattice.centre(h)
        scene = an_arena(seen("a", ((x + 9) / 25.4, (y - 9) / 25.4)), layout=layout, orientation=orientation)
        scene["unit"] = "in"
        assert asked(scene, "locate", piece="a").hexes == (h,)


@given(st.tuples(st.floats(150, 450), st.floats(50, 350)), st.tuples(st.floats(-3, 3), st.floats(-3, 3)))
def test_a_sure_answer_does_not_change_within_the_tolerance(
    at: tuple[float, float], off: tuple[float, float]
) -> None:
    """A base that play or noise shifts by up to 2.1 mm never turns a sure yes into a sure no."""
    k = 2.1 / max(2.1, (off[0] ** 2 + off[1] ** 2) ** 0.5)
    moved = (at[0] + off[0] * k, at[1] + off[1] * k)
    assume((0, 0) not in (LATTICE.nearest(at), LATTICE.nearest(moved)))  # two bases are never in one hex
    b = a_fighter("b", (0, 0), "B")
    here, there = (
        asked(an_arena(seen("a", spot), b, layout=LAYOUT), "engagement", **{"from": "b"})
        for spot in (at, moved)
    )
    assert Answer.TOO_CLOSE in (here.answer, there.answer) or here.answer is there.answer


@pytest.mark.parametrize("sigma", [1.0, 3.0])
def test_confident_answers_from_noisy_places_are_right(sigma: float) -> None:
    """Figures anywhere in their hexes, seen with noise: at most one confident answer in a hundred is wrong."""
    rng = np.random.default_rng(11)
    asks = [
        q
        for q in QUESTIONS
        if q["query"] in ("range", "line-of-sight", "adjacent", "engagement", "move-reach", "trapped")
    ]
    confident = wrong = 0
    for _ in range(150):
        hexes = [ARENA[k] for k in rng.permutation(len(ARENA))[:6]]
        spots = [
            (LATTICE.centre(h)[0] + dx, LATTICE.centre(h)[1] + dy)
            for h, (dx, dy) in zip(hexes, rng.uniform(-18, 18, (6, 2)), strict=True)
        ]
        spots = [at for h, at in zip(hexes, spots, strict=True) if LATTICE.nearest(at) == h]
        hexes = [LATTICE.nearest(at) for at in spots]
        if len(hexes) < 4:
            continue
        walls = tuple(h for h in ARENA[7::11] if h not in hexes)
        names, sides = ("a", "b", "a2", "b2", "a3", "b3"), "ABABAB"
        noise = rng.normal(0, sigma, (len(spots), 2))
        truth = an_arena(
            *(a_fighter(n, h, s) for n, h, s in zip(names, hexes, sides, strict=False)), blocked=walls
        )
        camera = an_arena(
            *(seen(n, (x + dx, y + dy), s, sigma) for n, (x, y), (dx, dy), s in zip(names, spots, noise, sides, strict=False)),
            blocked=walls, layout=LAYOUT,
        )  # fmt: skip
        for question in asks:
            said, true = ask(Scene.parse(camera), question), ask(Scene.parse(truth), question)
            if said.answer in (Answer.TOO_CLOSE, Answer.UNKNOWN):
                continue
            confident += 1
            wrong += (said.answer, set(said.hexes or ()), set(said.ids or ())) != (
                true.answer, set(true.hexes or ()), set(true.ids or ()),
            )  # fmt: skip
    assert confident > 250
    assert wrong <= 0.01 * confident


@given(st.lists(st.tuples(st.floats(150, 450), st.floats(50, 350)), min_size=4, max_size=4), st.floats(0, 4))
def test_the_survey_says_what_asking_says(places: list[tuple[float, float]], sigma: float) -> None:
    named = zip(("a", "a2", "b", "b2"), places, "AABB", strict=True)
    scene = Scene.parse(
        an_arena(
            *(seen(n, at, side, sigma or None) for n, at, side in named),
            layout=LAYOUT,
            blocked=((1, 0), (0, -2)),
        )
    )
    found, slow = survey(scene), by_asking(scene)
    assert found.unit == "count" and found.ids == slow.ids
    off = ~np.eye(4, dtype=bool)
    assert np.array_equal(found.distance_mm[off], slow.distance_mm[off], equal_nan=True)
    for name in ("band", "arc", "sees"):
        assert getattr(found, name)[off].tolist() == getattr(slow, name)[off].tolist()
    # A question about engagement lists all enemies, so it can be in doubt because of a third one.
    for word, said in zip(found.engaged[off].tolist(), slow.engaged[off].tolist(), strict=True):
        assert word == said or said == "too-close"


# --- boards from tiles ----------------------------------------------------------------------------------------


def test_every_face_has_seven_starting_hexes_none_of_them_blocked() -> None:
    for name, face in FACES.items():
        for rotate in (0, 180):
            hexes = board_hexes((Tile("x", (0, 0), "A", rotate, name),))
            assert len(hexes) == 38
            assert sum(h.start for h in hexes) == 7 == len(set(face.start))
            assert sum(h.type == "blocked" for h in hexes) == len(face.blocked)
            assert not any(h.start and h.type == "blocked" for h in hexes)


def test_a_board_turned_by_180_degrees_has_its_hexes_on_the_opposite_side() -> None:
    """The centre of a board is between (3, 2) and (2, 2): what is at h comes to (5, 4) - h."""
    for name in FACES:
        straight, upside = (board_hexes((Tile("x", (0, 0), "A", r, name),)) for r in (0, 180))
        assert {h.hex for h in upside if h.start} == {
            (5 - h.hex[0], 4 - h.hex[1]) for h in straight if h.start
        }


def test_tiles_make_the_battlefield_where_no_hexes_are_listed() -> None:
    tiles = [
        {"id": "a", "side": "A", "origin": [0, 0], "face": "shattered-tower"},
        {"id": "b", "side": "B", "origin": [-3, 6], "rotate": 180, "face": "soul-refractor"},
    ]
    scene = {"game": "underworlds", "board": {"tiles": tiles}, "pieces": []}
    assert asked(scene, "edge-hexes").value == 34
    assert asked(scene, "deploy-hexes", side="B").value == 7
    assert asked(scene, "territory", hex=[0, 5]).band == "none"
    assert asked(scene, "territory", hex=[0, 6]).band == "B"
    assert asked(scene, "board-setup").answer is Answer.YES


@pytest.mark.parametrize("slide", range(-8, 9))
def test_long_edges_complete_seven_less_the_slide(slide: int) -> None:
    joint = join(Tile("a", (0, 0)), Tile("b", (slide - 3, 6)))
    assert len(joint.completed) == max(0, 7 - abs(slide))
    assert joint.legal is (abs(slide) <= 3)
    near = join(Tile("a", (slide - 3, 6)), Tile("b", (0, 0)))
    assert near == joint


@pytest.mark.parametrize(
    ("origin", "edges", "completed", "legal"),
    [
        ((8, 0), "short", 2, True),
        ((-8, 0), "short", 2, True),
        ((7, 2), "short", 1, False),
        ((9, -2), "short", 1, False),
        ((6, 4), "short", 0, False),
        ((-2.5, 6), "long", 0, False),  # slid by half a hex: no halves meet
        ((0, 0), "overlap", 0, False),
        ((2, 1), "overlap", 0, False),
        ((0, 8), "apart", 0, False),
        ((20, 0), "apart", 0, False),
        ((-3, 7), "apart", 0, False),
    ],
)
def test_other_ways_to_lay_the_boards(
    origin: tuple[float, float], edges: str, completed: int, legal: bool
) -> None:
    joint = join(Tile("a", (0, 0)), Tile("b", origin, "B", 180))
    assert (joint.edges, len(joint.completed), joint.legal) == (edges, completed, legal)


# --- what is said and drawn -----------------------------------------------------------------------------------


def test_a_sight_line_is_drawn_with_its_hexes_and_what_blocks_it() -> None:
    scene = an_arena(a_fighter("a", (-1, 0)), a_fighter("b", (3, 0), "B"), blocked=((1, 0),), layout=LAYOUT)
    verdict = asked(scene, "line-of-sight", **{"from": "a", "to": "b"})
    drawing = verdict.to_json()["drawing"]
    line = next(s for s in drawing if s["type"] == "segment")
    assert line == {"type": "segment", "from": [248, 200], "to": [456, 200], "role": "blocked"}
    assert [s["role"] for s in drawing if s["type"] == "polygon"].count("blocker") == 1
    assert verdict.to_json("es")["because"].startswith("La línea de centro a centro")


def test_every_question_is_asked_in_both_languages_and_grouped() -> None:
    for query in GAME.queries.values():
        assert query.phase in GAME.phases
        assert all(i.title["en"] and i.title["es"] for i in query.inputs)
        assert query.rules and all(r.startswith("UW-") for r in query.rules)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({"query": "range", "from": "a"}, "exactly one of to / to_hex"),
        ({"query": "range", "from": "a", "to": "b", "to_hex": [0, 0]}, "exactly one of to / to_hex"),
        ({"query": "move-reach", "from": "o", "move": 2}, "expected a fighter; o is not one"),
        ({"query": "hold", "objective": "a"}, "expected an objective token; a is not one"),
        (
            {"query": "push-path", "from": "a", "path": [[1, 0]], "away_from": "x"},
            "no such id on the table: x",
        ),
        ({"query": "edge-hex", "hex": [1.5, 0]}, "hex: expected hex"),
        ({"query": "can-activate", "from": "a", "action": "sing"}, "expected one of move, attack"),
    ],
)
def test_a_question_that_cannot_be_asked_says_why(question: dict[str, Any], said: str) -> None:
    token = {"id": "o", "kind": "token", "hex": [0, 1], "traits": ["objective"]}
    scene = Scene.parse(an_arena(a_fighter("a", (0, 0)), a_fighter("b", (1, 0), "B"), token))
    with pytest.raises(QuestionError) as caught:
        ask(scene, question)
    assert said in caught.value.text("en") and caught.value.text("es")


def test_a_fighter_without_a_side_or_an_objective_without_a_number_is_unknown() -> None:
    nobody = {"id": "n", "kind": "model", "hex": [1, 0]}
    token = {"id": "o", "kind": "token", "hex": [0, 0], "traits": ["objective"]}
    scene = an_arena(a_fighter("a", (0, 0)), nobody, token)
    assert asked(scene, "engagement", **{"from": "a"}).answer is Answer.UNKNOWN
    assert asked(scene, "objectives-held", side="A").answer is Answer.UNKNOWN
    assert asked(scene, "hold", objective="o").ids == ("a",)
