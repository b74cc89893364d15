"""What a hand sets wins, stays with the piece or lapses when it moves, and can be undone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from regla.rules import Piece
from regla.rules.scene import Circle, Sigma
from regla.vision.corrections import Corrections
from regla.vision.errors import CorrectionError

SEEN = Piece(
    "m1", at=(10.0, 20.0), facing=30.0, base=Circle(40.0), sigma=Sigma((0.3, 0.3), 4.0), source="camera"
)


def test_a_facing_by_hand_is_exact_and_says_so():
    store = Corrections()
    store.correct("m1", facing=450)
    piece = store.apply(SEEN)
    assert piece.facing == 90 and piece.source == "hand"
    assert piece.sigma == Sigma((0.3, 0.3), 0.0)
    assert piece.extra["by_hand"] == ["facing"]


def test_names_stay_and_places_lapse_when_the_piece_moves():
    store = Corrections()
    store.correct("m1", name="Giant", side="B", traits=["large"], facing=10, at=(1, 2))
    store.moved("m1")
    piece = store.apply(SEEN)
    assert (piece.name, piece.side, piece.traits) == ("Giant", "B", ("large",))
    assert (piece.facing, piece.at, piece.source) == (30.0, (10.0, 20.0), "camera")


def test_undo_does_not_bring_back_a_lapsed_facing():
    store = Corrections()
    store.correct("m1", facing=10)
    store.correct("m1", name="Giant")
    store.moved("m1")
    assert store.undo()
    assert store.apply(SEEN).facing == 30.0


def test_none_lets_the_camera_speak_again():
    store = Corrections()
    store.correct("m1", facing=10)
    store.correct("m1", facing=None)
    assert store.apply(SEEN) == SEEN


def test_terrain_is_a_step_like_any_other():
    store = Corrections()
    wood = {"id": "w", "type": "forest", "outline": [[0, 0], [100, 0], [100, 100]]}
    store.set_terrain([wood])
    assert store.edits.terrain[0].type == "forest"
    assert store.undo() and store.edits.terrain == ()
    assert store.redo() and store.edits.terrain[0].id == "w"


@pytest.mark.parametrize(
    "changes",
    [
        {"colour": "red"},
        {"facing": "north"},
        {"base": {"shape": "circle", "diameter": -3}},
        {"count": -1},
        {"at": [1]},
        {"merge": "m1"},
        {"kind": "dragon"},
        {"facing": float("nan")},
    ],
)
def test_nonsense_is_refused_and_changes_nothing(changes):
    store = Corrections()
    with pytest.raises(CorrectionError) as refused:
        store.correct("m1", **changes)
    assert refused.value.text("es") and "m1" in refused.value.text("en")
    assert store.edits.pieces == {} and not store.undo()


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "c"]),
            st.sampled_from(
                [
                    {"name": "x"},
                    {"facing": 5},
                    {"side": "A"},
                    {"at": (1, 2)},
                    {"name": None},
                    {"traits": ["large"]},
                ]
            ),
        ),
        max_size=12,
    ),
    st.integers(0, 12),
)
def test_undo_and_redo_walk_the_same_way(steps, back):
    store = Corrections()
    states = [store.edits]
    for piece_id, changes in steps:
        store.correct(piece_id, **changes)
        states.append(store.edits)
    back = min(back, len(steps))
    for k in range(back):
        assert store.undo()
        assert store.edits == states[-2 - k]
    for _ in range(back):
        assert store.redo()
    assert store.edits == states[-1] and not store.redo()


def test_the_document_keeps_everything():
    store = Corrections()
    store.correct("u1", name="Spears", side="A", base={"shape": "rect", "width": 20, "depth": 20}, facing=90)
    store.set_terrain([{"id": "w", "type": "forest", "outline": [[0, 0], [100, 0], [100, 100]]}])
    again = Corrections.from_json(store.to_json())
    assert again.edits == store.edits
