"""Blocks from bad boxes: what the network missed, made up or drawn wrong is put right by the picture, or owned up to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from regla.vision.catalogue import catalogue
from regla.vision.found import Found
from regla.vision.group import Block
from regla.vision.lattice import UNSEEN, Lattice, _upright, _with_strays, read_lattices
from regla.vision.pipeline import Pipeline
from regla.vision.refine import Measured
from regla.vision.things import make_things

from tests.calibration import world

from .drawn import Base, Told, ToldFacing, block, draw

VIEW = world.overhead()


def seen(bases, told, **more):
    image = draw(bases, sheets=False)
    pipeline = Pipeline("t9a", detector=Told(told, **more), facing=ToldFacing(bases), place=False)
    return pipeline.look(image, VIEW)


def counted(sight):
    return sorted((t.files, t.count) for t in sight.things if t.kind == "unit")


@pytest.mark.parametrize(
    "lost",
    [(0,), (4,), (0, 1, 2, 3, 4), (4, 9, 14, 19), (19,), (7,)],
    ids=["corner", "other corner", "front rank", "file", "last", "inside"],
)
def test_bases_that_were_missed_are_found_on_their_cells(lost):
    bases = block((800.0, 600.0), 70.0, 5, 20, figure=True)
    sight = seen(bases, [b for i, b in enumerate(bases) if i not in lost])
    (unit,) = sight.things
    assert (unit.files, unit.count) == (5, 20)
    assert np.hypot(*(unit.at_mm - (800, 600))) < 1.2
    assert sum(m.unseen for m in unit.members) == len(lost)


def test_casualties_stay_casualties():
    bases = block((800.0, 600.0), 70.0, 5, 17, figure=True)
    assert counted(seen(bases, bases)) == [(5, 17)]


def test_a_box_on_bare_table_is_no_base():
    bases = block((800.0, 600.0), 90.0, 5, 10, figure=True)
    phantom = Base((800.0 + 75.0, 600.0 + 12.5), (25.0, 25.0), 90.0)
    sight = seen(bases, [*bases, phantom])
    assert counted(sight) == [(5, 10)]


def test_boxes_of_the_wrong_size_do_not_make_the_base():
    """A network draws riders too wide and in halves; together the boxes still say 25 by 50."""
    bases = block((800.0, 600.0), 90.0, 5, 10, (25.0, 50.0), figure=True)
    told = [
        replace(b, size=(34.0, 50.0)) if i % 3 == 0 else replace(b, size=(27.0, 38.0)) if i % 3 == 1 else b
        for i, b in enumerate(bases)
    ]
    sight = seen(bases, told)
    assert counted(sight) == [(5, 10)]
    (unit,) = [t for t in sight.things if t.kind == "unit"]
    assert (unit.base.width, unit.base.depth) == (25.0, 50.0)
    assert np.hypot(*(unit.at_mm - (800, 600))) < 1.2


def test_skirmishers_with_bad_boxes_are_one_unit():
    bases = [Base((700 + 37.5 * x, 500 + 37.5 * y), (25.0, 25.0), 90.0) for x in range(5) for y in range(2)]
    told = [replace(b, size=(30.0, 30.0)) if i % 2 else b for i, b in enumerate(bases)]
    assert counted(seen(bases, told)) == [(5, 10)]


def test_two_units_of_other_colours_side_by_side_stay_two():
    left = block((760.0, 600.0), 90.0, 4, 8)
    right = block((760.0 + 104.0, 612.0), 90.0, 4, 8, top=(150, 90, 40))
    assert counted(seen(left + right, left + right)) == [(4, 8), (4, 8)]


def test_skirmishers_do_not_spread_over_the_unit_beside_them():
    loose = [Base((700 + 37.5 * x, 500 + 37.5 * y), (25.0, 25.0), 90.0) for x in range(4) for y in range(3)]
    large = block((700 + 3.5 * 37.5 + 60.0, 540.0), 90.0, 2, 4, (50.0, 75.0))
    assert counted(seen(loose + large, loose + large)) == [(2, 4), (4, 12)]


def test_a_stray_box_beside_a_block_leaves_that_side_open():
    one = lattice(())
    beside, away = np.array([[500.0 + 75.0 + 6.0, 404.0]]), np.array([[700.0, 400.0]])
    assert _with_strays(one, beside).open_mm.tolist() == [[0, 25], [0, 0]]
    assert _with_strays(one, away).open_mm.tolist() == [[0, 0], [0, 0]]


def lattice(doubt, cells=((0, 0), (1, 0), (2, 0)), rivals=()):
    rows = np.array(cells)
    body = Block(tuple(range(len(rows))), rows, (25.0, 25.0), (25.0, 25.0), 90.0, np.array([500.0, 400.0]))
    return Lattice(body, tuple(doubt), rivals)


@pytest.mark.parametrize(
    "doubt, open_mm",
    [
        ((), [[0, 0], [0, 0]]),
        (((3, 0),), [[0, 25], [0, 0]]),
        (((-1, 0),), [[25, 0], [0, 0]]),
        (((1, -1),), [[0, 0], [25, 0]]),
        (((2, 0),), [[0, 25], [0, 0]]),
        (((1, 0),), [[0, 0], [0, 0]]),
    ],
    ids=["none", "one more file", "on the left", "a rank behind", "one file less", "a hole"],
)
def test_a_cell_that_cannot_be_told_leaves_its_side_open(doubt, open_mm):
    assert lattice(doubt).open_mm.tolist() == open_mm


def test_a_rival_block_leaves_its_sides_open():
    other = replace(lattice(()).block, cells=np.array([(0, 0), (1, 0), (2, 0), (3, 0), (4, 0)]))
    assert lattice((), rivals=(other,)).open_mm.tolist() == [[0, 50], [0, 0]]


def test_an_open_side_widens_the_error_bar_along_its_axis():
    one = lattice([(3, 0)])
    found = [
        Found("rect-base", "rect", at, 0.1 * np.eye(2), (25.0, 25.0), 0.0, 90.0, 1.0, 90.0, 5.0, snapped=True)
        for at in one.block.centres_mm(one.block.cells)
    ]
    cov = 0.05 * np.eye(2)
    (thing,) = make_things(Measured(found, [one.block], [cov], [0.2], [0.9], [one.open_mm]), "t9a")
    right, forward = np.sqrt(np.diag(thing.cov_mm2))
    assert 1.96 * right > 25.0 and forward < 0.5


def test_oblong_bases_stand_with_their_short_side_across():
    cells = np.array([(0, 0), (1, 0), (0, 1), (0, 2)])
    lying = Block((0, 1, UNSEEN, 3), cells, (50.0, 25.0), (50.0, 25.0), 20.0, np.array([300.0, 200.0]))
    up = _upright(Lattice(lying, ((1, 1),)))
    assert up.block.size_mm == (25.0, 50.0) and up.block.members == lying.members
    assert np.allclose(up.block.centres_mm(up.block.cells), lying.centres_mm(lying.cells))
    assert np.allclose(up.block.centres_mm([up.doubt[0]]), lying.centres_mm([(1, 1)]))


def test_nothing_to_read_is_no_fault():
    image = np.zeros((1080, 1920, 3), dtype=np.uint8)
    assert read_lattices(image, VIEW, [], catalogue("t9a")) == []


@pytest.mark.parametrize(
    ("base", "box"),
    [
        (Base((800.0, 600.0), (50.0, 100.0), 70.0), ((0.0, 11.0), (52.0, 78.0))),
        (Base((800.0, 600.0), (50.0, 100.0), 20.0), ((12.0, -5.0), (75.0, 90.0))),
        (Base((500.0, 300.0), (100.0, 150.0), 0.0), ((0.0, 0.0), (95.0, 141.0))),
        (Base((500.0, 300.0), (50.0, 50.0), 10.0), ((3.0, 3.0), (44.0, 44.0))),
    ],
    ids=["a tail hides a side", "legs beside it", "chariot", "small"],
)
def test_a_single_base_has_the_size_that_the_picture_shows(base, box):
    """Wings and legs draw a monster's box; its sides are still there, a listed size apart."""
    (right, forward), size = box
    turn = np.radians(base.facing)
    ahead = np.array([np.cos(turn), np.sin(turn)])
    at = np.array(base.at) + forward * ahead + right * np.array([ahead[1], -ahead[0]])
    (one,) = seen([base], [replace(base, at=(float(at[0]), float(at[1])), size=size)]).things
    assert sorted((one.base.width, one.base.depth)) == sorted(base.size)
    assert np.hypot(*(one.at_mm - base.at)) < 1.2
