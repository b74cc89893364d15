"""The hex kernel: the lattice is what it is whichever way it is turned, and ways go round holes."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from regla.rules.hexes import (
    DIRECTIONS,
    SYMMETRIES,
    Field,
    Hex,
    Lattice,
    Orientation,
    disc,
    distance,
    locate,
    neighbours,
    ring,
    turn,
)
from regla.rules.verdict import BAND95

from tests.rules.boards import SLIDES, end_to_end, joined

hexes = st.tuples(st.integers(-20, 20), st.integers(-20, 20))
symmetries = st.sampled_from(SYMMETRIES)
fields = st.sets(st.sampled_from(disc((0, 0), 4)), min_size=2).map(Field)
lattices = st.builds(
    Lattice,
    st.floats(10, 80),
    st.tuples(st.floats(-900, 900), st.floats(-900, 900)),
    st.sampled_from(("flat", "pointy")),
    st.floats(-180, 180),
)


def test_the_twelve_symmetries_are_twelve_and_keep_neighbours() -> None:
    assert len(set(SYMMETRIES)) == 12
    for by in SYMMETRIES:
        assert {turn(d, by) for d in DIRECTIONS} == set(DIRECTIONS)


@given(hexes, hexes, symmetries)
def test_distance_does_not_change_when_the_lattice_is_turned(
    a: Hex, b: Hex, by: tuple[int, int, int, int]
) -> None:
    assert distance(turn(a, by), turn(b, by)) == distance(a, b) == distance(b, a)


@given(hexes, st.integers(0, 6))
def test_a_ring_is_what_lies_at_that_distance(centre: Hex, radius: int) -> None:
    around = ring(centre, radius)
    assert len(set(around)) == len(around) == (6 * radius or 1)
    assert {distance(centre, h) for h in around} == {radius}
    assert len(disc(centre, radius)) == 3 * radius * (radius + 1) + 1


@given(fields, symmetries)
def test_a_field_turned_has_the_same_ways(field: Field, by: tuple[int, int, int, int]) -> None:
    turned = Field(turn(h, by) for h in field.hexes)
    a, b = field.order[0], field.order[-1]
    assert field.distance(a, b) == turned.distance(turn(a, by), turn(b, by)) == field.distance(b, a)
    assert {turn(h, by) for h in field.hexes if field.is_edge(h)} == {
        h for h in turned.hexes if turned.is_edge(h)
    }


@given(fields)
def test_all_distances_at_once_are_the_distances_one_by_one(field: Field) -> None:
    for i, a in enumerate(field.order):
        steps = field.distances(a)
        assert [None if n < 0 else n for n in field.table[i].tolist()] == [steps.get(b) for b in field.order]


@given(fields, st.integers(0, 5))
def test_a_longer_walk_reaches_no_less_and_paths_are_as_long_as_the_distance(
    field: Field, steps: int
) -> None:
    start = field.order[0]
    assert set(field.walk(start, lambda _: True, steps)) <= set(field.walk(start, lambda _: True, steps + 1))
    for end, n in field.distances(start).items():
        way = field.path(start, end, lambda _: True)
        assert way is not None and len(way) == n
        assert all(b in neighbours(a) and b in field for a, b in zip((start, *way), way, strict=False))


def test_the_notches_of_slid_boards_are_gone_round() -> None:
    field = joined(-3)
    assert field.distance((5, 4), (1, 6)) == 5 and distance((5, 4), (1, 6)) == 4
    longer = sum(
        field.distance(a, b) != distance(a, b) for i, a in enumerate(field.order) for b in field.order[:i]
    )
    assert longer == 162


@pytest.mark.parametrize("field", [*map(joined, (0,)), end_to_end()], ids=["long", "short"])
def test_aligned_boards_have_no_notches(field: Field) -> None:
    assert all(field.distance(a, b) == distance(a, b) for a in field.order[::5] for b in field.order)


def test_joined_boards_have_the_hexes_of_both_and_those_they_complete() -> None:
    assert [len(joined(k)) for k in SLIDES] == [80, 81, 82, 83, 82, 81, 80]
    assert len(end_to_end()) == 78


# --- on the table ---


@given(lattices, hexes, st.floats(0, 0.49), st.floats(0, 2 * math.pi))
def test_a_point_nearer_than_half_a_hex_lies_in_it(
    lattice: Lattice, h: Hex, part: float, angle: float
) -> None:
    x, y = lattice.centre(h)
    far_mm = part * lattice.across_flats_mm
    assert lattice.nearest((x + far_mm * math.cos(angle), y + far_mm * math.sin(angle))) == h


@given(lattices, hexes)
def test_a_hex_is_regular_and_its_neighbours_are_one_width_away(lattice: Lattice, h: Hex) -> None:
    centre, w = lattice.centre(h), lattice.across_flats_mm
    assert all(math.isclose(math.dist(centre, c), w / math.sqrt(3), rel_tol=1e-6) for c in lattice.outline(h))
    assert all(math.isclose(math.dist(centre, lattice.centre(n)), w, rel_tol=1e-6) for n in neighbours(h))


@pytest.mark.parametrize(("orientation", "there"), [("pointy", (1, 0)), ("flat", (0, 1))])
def test_the_axes_lie_as_the_sheet_says(orientation: Orientation, there: Hex) -> None:
    # Pointy hexes make rows along x, flat ones columns along y.
    x, y = Lattice(10, orientation=orientation).centre(there)
    assert (x, y) == ((10, 0) if orientation == "pointy" else (0, 10))


def test_a_turned_lattice_is_turned_about_its_origin() -> None:
    x, y = Lattice(10, (100, 100), rotation_deg=90).centre((1, 0))
    assert math.isclose(x, 100) and math.isclose(y, 110)


@pytest.mark.parametrize(
    ("at", "tie_mm", "sigma_mm", "found"),
    [
        ((140, 147), 6, (0, 0), ((0, 1),)),
        ((150, 147), 6, (0, 0), ((0, 1), (1, 1))),
        ((129, 100), 6, (0, 0), ((1, 0),)),  # 23 and 29 mm: exactly 6 mm apart is not less than 6
        ((128.9, 100), 6, (0, 0), ((1, 0), (0, 0))),
        ((126, 100), 0, (0, 0), ((0, 0), (1, 0))),  # on the border: both, however small the tolerance
        ((130, 100), 0, (2.1, 0), ((1, 0), (0, 0))),  # 4 mm from the border, known to 4.1 mm
        ((130, 100), 0, (2.0, 0), ((1, 0),)),
        ((130, 100), 0, (0, 5), ((1, 0),)),  # an error along the border does not matter
    ],
)
def test_a_point_near_a_border_could_lie_beyond_it(
    at: tuple[float, float], tie_mm: float, sigma_mm: tuple[float, float], found: tuple[Hex, ...]
) -> None:
    lattice = Lattice(52, (100, 100))
    located = locate(lattice, at, tie_mm, sigma_mm)
    assert located.hexes == found
    assert located.sure is (len(found) == 1)


@given(lattices, st.tuples(st.floats(-500, 500), st.floats(-500, 500)), st.floats(0, 10), st.floats(0, 10))
def test_more_doubt_never_leaves_fewer_hexes(
    lattice: Lattice, at: tuple[float, float], tie_mm: float, more_mm: float
) -> None:
    few = set(locate(lattice, at, tie_mm).hexes)
    assert few <= set(locate(lattice, at, tie_mm + more_mm).hexes)
    assert few <= set(locate(lattice, at, tie_mm, (more_mm, more_mm)).hexes)


def test_the_true_hex_is_among_those_found_as_often_as_the_band_says() -> None:
    """Points near a border, seen with noise: the hex they really lie in is missed in at most one of twenty."""
    import numpy as np

    rng = np.random.default_rng(9)
    lattice, sigma_mm = Lattice(52), (1.5, 0.8)
    missed = sure = 0
    trials = 4000
    for x, y in rng.uniform(0, 200, (trials, 2)):
        true = lattice.nearest((x, y))
        dx, dy = rng.normal(0, sigma_mm)
        found = locate(lattice, (x + dx, y + dy), sigma_mm=sigma_mm)
        missed += true not in found.hexes
        sure += found.sure
    assert missed <= 0.01 * trials, "a confident wrong hex in more than one of a hundred"
    assert sure >= 0.75 * trials, "hardly ever sure: the band is too wide to be of use"
    assert BAND95 > 1.95
