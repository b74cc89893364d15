"""Loose bases become units: ranks and files, casualties, holes, neighbours that do not belong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from regla.rules.scene import Rect
from regla.vision.found import Found
from regla.vision.group import find_blocks, ranks_of
from regla.vision.refine import Measured
from regla.vision.things import make_things

from .drawn import Base, block


def found(bases, rng, shake_mm=0.8, shake_deg=2.0, faces=True, cls="rect-base"):
    out = []
    for base in bases:
        at = np.array(base.at) + rng.normal(0, shake_mm, 2)
        if len(base.size) == 1:
            out.append(Found("round-base", "circle", at, np.eye(2), base.size, 0.0, snapped=True))
            continue
        size = tuple(sorted(base.size))
        turn = base.facing + rng.normal(0, shake_deg)
        square = size[0] == size[1]
        turn += 90 * rng.integers(4) if square else 180 * rng.integers(2)
        facing = base.facing + rng.normal(0, 6) if faces else None
        out.append(
            Found(
                cls,
                "rect",
                at,
                0.1 * np.eye(2),
                size,
                0.0,
                turn % 360,
                1.0,
                facing,
                5.0,
                guess_deg=facing,
                guess_sure=0.9 if faces else 0.0,
                snapped=True,
                score=0.9,
            )
        )
    return out


def things(bases, rng, game="t9a", gaps=(0.0,), **more):
    seen = found(bases, rng, **more)
    blocks = find_blocks(seen, gaps)
    measured = Measured(
        seen, blocks, [0.05 * np.eye(2)] * len(blocks), [0.2] * len(blocks), [0.9] * len(blocks)
    )
    return make_things(measured, game)


@given(
    files=st.integers(1, 8),
    ranks=st.integers(1, 5),
    lost=st.integers(0, 7),
    facing=st.floats(0, 360),
    size=st.sampled_from([(20.0, 20.0), (25.0, 25.0), (25.0, 50.0), (40.0, 40.0), (50.0, 75.0)]),
    seed=st.integers(0, 10_000),
)
def test_any_block_is_counted_right(files, ranks, lost, facing, size, seed):
    count = files * ranks - min(lost, files - 1 if ranks > 1 else 0)
    if count < 2:
        return
    bases = block((900.0, 600.0), facing, files, count, size)
    (thing,) = things(bases, np.random.default_rng(seed))
    assert (thing.kind, thing.files, thing.count) == ("unit", files, count)
    assert thing.base == Rect(*size)
    assert thing.facing_deg is not None
    assert abs((thing.facing_deg - facing + 180) % 360 - 180) < 8
    assert np.hypot(*(thing.at_mm - (900, 600))) < 1.0 + 3.0 / count**0.5


def test_the_last_rank_is_named_when_it_is_not_filled_from_the_left():
    bases = block((900, 600), 90, 5, 12, rear=(2, 4))
    (thing,) = things(bases, np.random.default_rng(0))
    assert thing.count == 12 and thing.traits == ("rear:2,4",)
    (other,) = things(bases, np.random.default_rng(0), game="runewars")
    assert other.traits == ("last-rank:2,4",)


def test_a_base_that_was_missed_inside_a_block_is_no_casualty():
    bases = block((900, 600), 30, 5, 20)
    del bases[7]
    (thing,) = things(bases, np.random.default_rng(1))
    assert (thing.files, thing.count) == (5, 20)
    assert thing.extra == {"unseen": 1} and thing.confidence < 0.9


def test_the_incomplete_rank_is_the_rear_where_no_front_is_seen():
    bases = block((900, 600), 200, 5, 13)
    (thing,) = things(bases, np.random.default_rng(2), faces=False)
    assert thing.facing_deg is not None
    assert abs((thing.facing_deg - 200 + 180) % 360 - 180) < 5


def test_a_full_block_with_no_front_in_sight_says_so():
    bases = block((900, 600), 200, 5, 20)
    (thing,) = things(bases, np.random.default_rng(3), faces=False)
    assert thing.facing_deg is None and thing.count == 20


def test_a_few_wrong_fronts_are_outvoted():
    rng = np.random.default_rng(4)
    seen = found(block((900, 600), 90, 5, 15), rng)
    for i in (2, 6, 11):
        seen[i] = replace(seen[i], guess_deg=(seen[i].facing_deg + 180) % 360)
    blocks = find_blocks(seen)
    (thing,) = make_things(Measured(seen, blocks, [np.eye(2)], [0.2], [0.9]), "t9a")
    assert abs(thing.facing_deg - 90) < 5


def test_many_unsure_fronts_make_a_sure_one_but_one_does_not():
    """Each base alone is below what a claim needs; nine that agree are not, and nine that disagree are none."""
    rng = np.random.default_rng(4)
    seen = [replace(f, facing_deg=None, guess_sure=0.7) for f in found(block((900, 600), 90, 3, 9), rng)]

    def front(finds):
        (thing,) = make_things(Measured(finds, find_blocks(finds), [np.eye(2)], [0.2], [0.9]), "t9a")
        return thing.facing_deg

    assert abs(front(seen) - 90) < 5
    assert front([seen[0], *(replace(f, guess_deg=None) for f in seen[1:])]) is None
    turned = [replace(f, guess_deg=(f.guess_deg + 90 * (i % 4)) % 360) for i, f in enumerate(seen)]
    assert front(turned) is None


@pytest.mark.parametrize("gap, units", [(0.0, 1), (9.0, 2), (40.0, 2)])
def test_two_units_are_one_only_when_they_touch(gap, units):
    left = block((800, 600), 90, 4, 8)
    right = block((800 + 100 + gap, 600), 90, 4, 8)
    assert len(things(left + right, np.random.default_rng(5))) == units


def test_units_of_other_sizes_or_turns_stay_apart():
    bases = (
        block((800, 600), 90, 4, 8) + block((800, 660), 90, 2, 2, (40.0, 40.0)) + block((915, 600), 60, 4, 4)
    )
    kinds = sorted((t.kind, t.count) for t in things(bases, np.random.default_rng(6)))
    assert kinds == [("unit", 2), ("unit", 4), ("unit", 8)]


def test_skirmishers_stand_apart_and_are_one_unit():
    bases = [Base((700 + 37.5 * x, 500 + 37.5 * y), (25.0, 25.0), 90.0) for x in range(5) for y in range(2)]
    (thing,) = things(bases, np.random.default_rng(7), gaps=(0.0, 12.5))
    assert (thing.files, thing.count) == (5, 10) and "skirmisher" in thing.traits


def test_a_character_of_another_size_beside_a_block_is_told_apart():
    bases = [*block((900, 600), 90, 5, 20), Base((900 + 62.5 + 20, 600 + 30), (40.0, 40.0), 90.0)]
    unit, hero = sorted(things(bases, np.random.default_rng(8)), key=lambda t: t.kind, reverse=True)
    assert unit.count == 20 and hero.kind == "model"
    assert hero.extra["beside"] == id(unit)


def test_round_bases_and_lone_trays():
    bases = [Base((300, 300), (40.0,)), Base((330, 300), (25.0,))]
    assert [t.kind for t in things(bases, np.random.default_rng(9))] == ["model", "model"]
    (tray,) = things(
        [Base((500, 500), (63.5, 63.5), 45.0)], np.random.default_rng(9), game="runewars", cls="tray"
    )
    assert (tray.kind, tray.files, tray.count) == ("unit", 1, 1)


def test_ranks_from_each_side():
    seen = found(block((0, 0), 0, 3, 5), np.random.default_rng(0), 0.01, 0.01)
    (lattice,) = find_blocks(seen)
    shapes = {(r.files, r.ranks, r.odd) for r in (ranks_of(lattice, q) for q in range(4))}
    assert (3, 2, 0) in shapes and len(shapes) > 1
