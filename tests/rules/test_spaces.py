"""Named spaces: steps, reach and columns of any graph, and which space a point lies in."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from regla.rules.scene import BoardSpace
from regla.rules.spaces import BORDER_MM, Column, SpaceGraph, locate

NAMES = "abcdefgh"
graphs = st.sets(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda e: e[0] != e[1]), min_size=1
).map(SpaceGraph.of)


@given(graphs, st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_steps_are_mutual_and_ways_are_as_long_as_they_say(graph: SpaceGraph, a: str, b: str) -> None:
    steps = graph.steps(a, b)
    assert steps == graph.steps(b, a)
    way = graph.path(a, b)
    assert (way is None) == (steps is None)
    if way is not None:
        assert len(way) == steps
        assert all(graph.adjacent(x, y) for x, y in zip((a, *way), way, strict=False))


@given(graphs, st.sampled_from(NAMES), st.integers(0, 6))
def test_reach_is_what_is_within_the_steps(graph: SpaceGraph, a: str, n: int) -> None:
    near = set(graph.reach(a, n))
    assert near == {b for b in graph.spaces if (s := graph.steps(a, b)) is not None and 0 < s <= n}
    assert near <= set(graph.reach(a, n + 1)) and a not in near


def test_a_space_that_is_not_there_has_no_steps() -> None:
    graph = SpaceGraph.of([("a", "b")])
    assert graph.steps("a", "z") is None and graph.path("z", "a") is None and graph.beside("z") == ()
    assert "a" in graph and "z" not in graph


def test_a_column_is_walked_one_way() -> None:
    column = Column(("a", "b", "c"))
    assert [column.after(s) for s in "abcz"] == ["b", "c", None, None]
    assert [column.left(s) for s in "abcz"] == [2, 1, 0, None]


def square(name: str, x: float, y: float, size: float = 100, height: float = 0) -> BoardSpace:
    return BoardSpace(name, ((x, y), (x + size, y), (x + size, y + size), (x, y + size)), height)


ROOMS = (
    square("left", 0, 0),
    square("right", 100, 0),
    square("far", 100, 100),
    square("loft", 0, 0, 100, 60),
)


@pytest.mark.parametrize(
    ("at", "height_mm", "sigma_mm", "found"),
    [
        ((50, 50), 0, (0, 0), ("left",)),
        ((50, 50), 63, (0, 0), ("loft",)),  # the base is a little above its floor: the nearest level
        (
            (150, 150),
            9,
            (0, 0),
            ("far",),
        ),  # a base 9 mm high on a floor at 3: the ground at 0 is the same level
        ((50, 50), None, (0, 0), ("left", "loft")),  # from above it could be either
        ((94.9, 50), 0, (0, 0), ("left",)),
        ((95.1, 50), 0, (0, 0), ("left", "right")),
        ((105, 50), 0, (0, 0), ("right", "left")),
        ((80, 50), 0, (10.3, 0), ("left", "right")),  # 20 mm from the border, known to 20.2
        ((80, 50), 0, (10.1, 0), ("left",)),
        ((80, 50), 0, (0, 15), ("left",)),  # an error along the border does not matter
        ((98, 97), 0, (0, 0), ("left", "right", "far")),
        ((-3, 50), 0, (0, 0), ("left",)),  # just outside the drawn line, and nothing else near
        ((-30, 50), 0, (0, 0), ()),
    ],
)
def test_the_space_of_a_point(
    at: tuple[float, float], height_mm: float | None, sigma_mm: tuple[float, float], found: tuple[str, ...]
) -> None:
    located = locate(ROOMS, at, height_mm, sigma_mm)
    assert set(located.spaces) == set(found)
    assert located.space == (found[0] if found else None) or height_mm is None
    assert located.sure is (len(found) == 1)


def test_a_board_without_outlines_has_no_place_for_anybody() -> None:
    assert locate((), (0, 0)).spaces == ()
    assert locate((square("only", 0, 0),), (50, 50)).gap_mm == math.inf


@given(st.tuples(st.floats(-20, 220), st.floats(-20, 220)), st.floats(0, 20))
def test_more_doubt_never_leaves_fewer_spaces(at: tuple[float, float], sigma: float) -> None:
    sure = set(locate(ROOMS, at, 0.0, border_mm=0.0).spaces)
    doubtful = set(locate(ROOMS, at, 0.0, (sigma, sigma), BORDER_MM).spaces)
    assert sure <= doubtful
