"""Following pieces: ids that stay, ghosts, what a hand gave, merging and splitting."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from regla.rules.scene import Circle, Rect
from regla.vision.corrections import Corrections
from regla.vision.found import Found, Thing
from regla.vision.track import Tracker

from .test_group import block
from .test_group import things as grouped


def thing(at, diameter=40.0, facing=None, colour=(90, 90, 90), tag=None, sigma=0.3, kind="model"):
    at = np.array(at, dtype=float)
    cov = sigma**2 * np.eye(2)
    found = Found("round-base", "circle", at, cov, (diameter,), 0.0, colour=colour, tag=tag, rim=0.9)
    return Thing(kind, at, cov, Circle(diameter), (found,), facing, 3.0, tag=tag)


class Table:
    """A tracker with its clock and its corrections."""

    def __init__(self):
        self.tracker, self.hand, self.now = Tracker(), Corrections(), 0.0

    def see(self, *seen):
        self.now += 1.0
        self.tracker.update(seen, self.now, self.hand)
        return self.pieces()

    def pieces(self):
        return {p.id: p for p in self.tracker.pieces(self.now, self.hand)}

    def ghosts(self):
        return {g.piece.id: g for g in self.tracker.ghosts(self.now)}


def test_ids_stay_with_pieces_that_stand():
    table = Table()
    first = table.see(thing((100, 100)), thing((300, 100)), thing((500, 100), 25.0))
    again = table.see(thing((500.2, 100.1), 25.0), thing((300.3, 99.8)), thing((99.9, 100)))
    assert set(again) == set(first) and not table.ghosts()
    for key in first:
        assert np.hypot(*np.subtract(first[key].at, again[key].at)) < 1


def test_a_move_keeps_the_id_and_leaves_a_ghost():
    table = Table()
    table.see(thing((100, 100), colour=(200, 40, 40)), thing((300, 100), colour=(40, 40, 200)))
    after = table.see(thing((100, 100), colour=(200, 40, 40)), thing((420, 180), colour=(40, 40, 200)))
    assert set(after) == {"m1", "m2"} and after["m2"].at == (420.0, 180.0)
    ghost = table.ghosts()["m2"]
    assert ghost.piece.at == (300.0, 100.0) and not ghost.gone


def test_two_that_move_at_once_are_told_by_their_looks():
    table = Table()
    red, blue = (30, 30, 200), (200, 60, 30)
    table.see(thing((100, 100), colour=red), thing((200, 100), colour=blue))
    after = table.see(thing((220, 300), colour=red), thing((110, 300), colour=blue))
    assert after["m1"].at == (220.0, 300.0) and after["m2"].at == (110.0, 300.0)


def test_lifted_and_put_back_is_the_same_piece():
    table = Table()
    table.see(thing((100, 100)), thing((300, 100)))
    assert set(table.see(thing((300, 100)))) == {"m2"}
    assert table.ghosts()["m1"].gone
    back = table.see(thing((300, 100)), thing((100.2, 100.1)))
    assert set(back) == {"m1", "m2"} and not table.ghosts()


def test_lifted_and_put_down_elsewhere_keeps_its_ghost():
    table = Table()
    table.see(thing((100, 100)), thing((300, 100)))
    table.see(thing((300, 100)))
    after = table.see(thing((300, 100)), thing((160, 140)))
    assert after["m1"].at == (160.0, 140.0)
    assert table.ghosts()["m1"].piece.at == (100.0, 100.0)


def test_another_size_is_another_piece():
    table = Table()
    table.see(thing((100, 100), 40.0))
    assert set(table.see(thing((100, 100), 60.0))) == {"m2"}


def test_names_go_with_the_piece_and_a_facing_by_hand_until_it_moves():
    table = Table()
    table.see(thing((100, 100)))
    table.hand.correct("m1", name="Troll", side="A", facing=90)
    still = table.see(thing((100.3, 100)))["m1"]
    assert (still.name, still.facing, still.source) == ("Troll", 90.0, "hand")
    moved = table.see(thing((180, 100), facing=10.0))["m1"]
    assert (moved.name, moved.side, moved.facing) == ("Troll", "A", 10.0)


def test_a_front_that_was_seen_once_holds_while_the_piece_stands():
    table = Table()
    table.see(thing((100, 100), facing=45.0))
    assert table.see(thing((100, 100.2)))["m1"].facing == 45.0
    assert table.see(thing((200, 100)))["m1"].facing is None


def test_tags_are_identity_over_any_distance():
    table = Table()
    table.see(thing((100, 100), tag=12), thing((200, 100), tag=13))
    after = table.see(thing((1700, 1100), tag=12), thing((100, 100), tag=13))
    assert after["tag-12"].at == (1700.0, 1100.0) and after["tag-13"].at == (100.0, 100.0)


def test_a_unit_that_loses_models_stays_that_unit():
    table = Table()
    rng = np.random.default_rng(0)
    before = table.see(*grouped(block((900, 600), 90, 5, 20), rng))
    after = table.see(*grouped(block((900, 600 + 0.0), 90, 5, 17), rng))
    assert set(before) == set(after) == {"u1"}
    assert (before["u1"].count, after["u1"].count) == (20, 17)


def test_forget_split_and_merge():
    table = Table()
    rng = np.random.default_rng(1)
    left, right = block((800, 600), 90, 4, 8), block((903, 600), 90, 4, 8)
    table.see(*grouped(left, rng), *grouped(right, rng), thing((100, 100)))
    assert set(table.pieces()) == {"u1", "u2", "m1"}
    table.hand.correct("u1", merge="u2")
    merged = table.pieces()
    assert set(merged) == {"u1", "m1"}
    assert (merged["u1"].files, merged["u1"].count) == (8, 16)
    assert table.hand.undo()
    table.hand.correct("u1", split=True)
    assert sum(p.kind == "model" for p in table.pieces().values()) == 9
    table.hand.correct("m1", forget=True)
    assert "m1" not in table.pieces()


def test_a_character_beside_a_unit_is_joined_to_it_by_id():
    from .drawn import Base

    table = Table()
    bases = [*block((900, 600), 90, 5, 20), Base((900 + 62.5 + 20, 630), (40.0, 40.0), 90.0)]
    pieces = table.see(*grouped(bases, np.random.default_rng(8)))
    assert pieces["m1"].traits == ("joined:u1",)
    assert "beside" not in pieces["m1"].extra


@pytest.mark.parametrize("count", [5, 40])
def test_shuffled_many_times_nobody_is_lost_or_doubled(count):
    rng = np.random.default_rng(count)
    table = Table()
    places = rng.uniform((50, 50), (1780, 1160), (count, 2))
    places = np.array([[100 + 110 * (i % 15), 100 + 150 * (i // 15)] for i in range(count)], dtype=float)
    table.see(*(thing(p) for p in places))
    for _ in range(10):
        places[rng.integers(count)] += rng.uniform(-45, 45, 2)
        seen = [thing(p + rng.normal(0, 0.2, 2)) for p in rng.permutation(places)]
        assert len(table.see(*seen)) == count
    assert set(table.pieces()) == {f"m{i + 1}" for i in range(count)}


def test_pieces_are_good_scene_documents():
    from regla.rules import Scene

    table = Table()
    table.see(
        *grouped(block((900, 600), 90, 5, 18), np.random.default_rng(0)), thing((100, 100), facing=10.0)
    )
    scene = Scene("t9a", "mm", pieces=tuple(table.pieces().values()))
    again = Scene.parse(scene.to_dict())
    assert again.piece("u1").base == Rect(25.0, 25.0) and again.piece("m1").sigma == scene.piece("m1").sigma
    assert replace(again, extra={}).pieces[0].files == 5


def test_an_outline_without_a_front_says_how_it_lies_and_how_sure_that_is():
    base = replace(thing((100, 100)), base=Rect(25.0, 50.0), turn_deg=200.0, facing_sigma_deg=0.7)
    (piece,) = Table().see(base).values()
    assert piece.facing is None and piece.turn == 20.0 and piece.sigma.facing == 0.7
    (round_,) = Table().see(thing((100, 100))).values()
    assert round_.turn is None and round_.sigma.facing == 0.0
