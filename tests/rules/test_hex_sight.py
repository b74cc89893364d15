"""Hex sight against exact rational geometry, worked out the slow way straight from the rule's own words."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from regla.rules.hex_sight import line, sight, sight_table
from regla.rules.hexes import SYMMETRIES, Field, Hex, disc, distance, turn

from tests.rules.boards import SLIDES, end_to_end, joined

DISC = disc((0, 0), 4)
places = st.sampled_from(DISC)
parts = st.sets(st.sampled_from(DISC), max_size=30)

Interval = tuple[Fraction, Fraction]


def stretch(a: Hex, b: Hex, c: Hex) -> Interval | None:
    """The part of the segment from a to b, as [t1, t2] of [0, 1], that lies in the closed hex around c."""
    low, high = Fraction(0), Fraction(1)
    forms = ((2, 1), (1, 2), (1, -1))
    for m, n in forms:
        start = m * (a[0] - c[0]) + n * (a[1] - c[1])
        slope = m * (b[0] - a[0]) + n * (b[1] - a[1])
        if slope == 0:
            if abs(start) > 1:
                return None
            continue
        one, two = sorted((Fraction(-1 - start, slope), Fraction(1 - start, slope)))
        low, high = max(low, one), min(high, two)
    return (low, high) if low <= high else None


def covered(stretches: Collection[Interval]) -> bool:
    """Whether closed stretches leave no gap in [0, 1]."""
    reached = Fraction(0)
    for low, high in sorted(stretches):
        if low > reached:
            return False
        reached = max(reached, high)
    return reached >= 1 and any(low == 0 for low, _ in stretches)


def reference(a: Hex, b: Hex, field: Collection[Hex], blocked: Collection[Hex]) -> tuple[set[Hex], bool]:
    """The blocked hexes touched, and whether the line leaves the field."""
    touched = {h for h in blocked if stretch(a, b, h) is not None}
    return touched, not covered([s for h in field if (s := stretch(a, b, h)) is not None])


@given(places, places, parts, parts)
def test_sight_is_what_exact_geometry_says(a: Hex, b: Hex, holes: set[Hex], walls: set[Hex]) -> None:
    field = set(DISC) - holes
    blocked = walls & field
    seen = sight(a, b, field, blocked)
    assert (set(seen.blockers), seen.leaves) == reference(a, b, field, blocked)
    assert seen.clear == (not seen.blockers and not seen.leaves)


@given(places, places)
def test_a_line_touches_what_exact_geometry_says(a: Hex, b: Hex) -> None:
    around = [h for h in disc(a, distance(a, b) + 2) if stretch(a, b, h) is not None]
    assert sorted(line(a, b)) == sorted(around)
    assert line(a, b)[0] == a and line(a, b)[-1] == b


@given(places, places, parts, parts, st.sampled_from(SYMMETRIES))
def test_sight_is_mutual_and_does_not_mind_how_the_board_is_turned(
    a: Hex, b: Hex, holes: set[Hex], walls: set[Hex], by: tuple[int, int, int, int]
) -> None:
    field = set(DISC) - holes
    seen = sight(a, b, field, walls)
    back = sight(b, a, field, walls)
    turned = sight(turn(a, by), turn(b, by), {turn(h, by) for h in field}, {turn(h, by) for h in walls})
    assert (set(seen.blockers), seen.leaves) == (set(back.blockers), back.leaves)
    assert ({turn(h, by) for h in seen.blockers}, seen.leaves) == (set(turned.blockers), turned.leaves)


@given(places, places, parts, parts)
def test_fewer_walls_never_hide_more(a: Hex, b: Hex, holes: set[Hex], walls: set[Hex]) -> None:
    field = set(DISC) - holes
    if sight(a, b, field, walls).clear:
        assert sight(a, b, field, set(list(walls)[::2])).clear
        assert sight(a, b, DISC, walls).clear


@settings(max_examples=20)
@given(parts, parts)
def test_all_pairs_at_once_are_the_pairs_one_by_one(holes: set[Hex], walls: set[Hex]) -> None:
    field = Field(set(DISC) - holes)
    blocked = walls & field.hexes
    table = sight_table(field, blocked)
    for i, a in enumerate(field.order[::5]):
        for j, b in enumerate(field.order):
            assert table[5 * i, j] == sight(a, b, field, blocked).clear


@pytest.mark.parametrize("field", [joined(k) for k in SLIDES] + [end_to_end()])
def test_every_pair_of_every_way_to_join_the_boards(field: Field) -> None:
    """Every sixth of all pairs of hexes of all legal boards, some of them blocked, against exact geometry."""
    blocked = set(field.order[7::19])
    table = sight_table(field, blocked)
    for i, a in enumerate(field.order):
        for j in range(i + i % 6, len(field.order), 6):
            touched, leaves = reference(a, field.order[j], field.hexes, blocked)
            assert table[i, j] == table[j, i] == (not touched and not leaves)


@pytest.mark.parametrize("slide", SLIDES)
def test_where_the_count_goes_round_a_notch_nobody_sees_across_it(slide: int) -> None:
    field = joined(slide)
    seen = sight_table(field)
    for i, a in enumerate(field.order):
        for j, b in enumerate(field.order):
            if field.table[i, j] != distance(a, b):
                assert not seen[i, j]


def test_the_sheets_own_facts() -> None:
    touched = line((0, 0), (4, 1))
    assert (1, 1) in touched and (3, 0) in touched
    assert stretch((0, 0), (4, 1), (1, 1)) == (Fraction(1, 3), Fraction(1, 3))
    assert stretch((0, 0), (4, 1), (3, 0)) == (Fraction(2, 3), Fraction(2, 3))
    # Between the axes the middle third of each two-hex stretch runs along a side.
    assert stretch((0, 0), (1, 1), (1, 0)) == (Fraction(1, 3), Fraction(2, 3))


def test_neighbours_always_see_each_other_unless_one_is_blocked() -> None:
    field = Field(DISC)
    for h in field.order:
        assert all(sight(h, n, field).clear for n in field.neighbours(h))
    assert sight((0, 0), (1, 0), field, {(1, 0)}).blockers == ((1, 0),)
    assert sight((0, 0), (0, 0), field).clear
