"""Geometry that must hold whatever the numbers: symmetry, rigid motion, units, monotony; sight against an oracle."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from regla.rules import Scene, ask
from regla.rules.footprint import Block, Footprint, between, convex_parts
from regla.rules.plane import gap, rect_corners, rotate
from regla.rules.shadow import Questions, any_free
from regla.rules.sight import enters, inside
from regla.rules.sweep import slide_limit_mm
from regla.rules.visibility import look, room_mm, segments_of

from tests.zoo import mage_knight, runewars, unit, warrior

at = st.floats(-200, 200).map(lambda v: round(v, 3))
size = st.floats(5, 80).map(lambda v: round(v, 3))
angle = st.floats(0, 360).map(lambda v: round(v, 2))
rects = st.tuples(at, at, angle, size, size)


def rect(r: tuple[float, ...]) -> Footprint:
    return Footprint.rect(r[:2], r[2], r[3], r[4])


# --- the plane ------------------------------------------------------------------------------------------------


@given(rects, rects)
def test_gap_agrees_with_shapely_and_is_symmetric(a: Any, b: Any) -> None:
    one, two = rect(a), rect(b)
    found = one.gap(two)
    assert found == pytest.approx(two.gap(one), abs=1e-9)
    assert max(found, 0.0) == pytest.approx(one.geometry.distance(two.geometry), abs=1e-7)
    if found < -1e-6:  # pushed apart by its depth along the best direction, they just touch
        turns = np.radians(np.arange(0, 360, 1.0))
        shift = -found * np.stack([np.cos(turns), np.sin(turns)], axis=-1)
        apart = gap(one.parts[0], 0.0, two.parts[0] + shift[:, None], 0.0)
        assert apart.max() == pytest.approx(0.0, abs=0.02 * -found + 1e-6)


@given(rects, rects, at, at, angle)
def test_gap_does_not_change_when_the_table_is_turned(
    a: Any, b: Any, x: float, y: float, turn: float
) -> None:
    one, two = rect(a), rect(b)
    moved = [f.turned((3.0, 5.0), turn).moved((x, y)) for f in (one, two)]
    assert moved[0].gap(moved[1]) == pytest.approx(one.gap(two), abs=1e-6)


@given(rects, at, at, size)
def test_a_disc_is_a_point_with_a_radius(a: Any, x: float, y: float, r: float) -> None:
    disc, point = Footprint.disc((x, y), r), Footprint((np.array([[x, y]]),))
    assert disc.gap(rect(a)) == pytest.approx(point.gap(rect(a)) - r, abs=1e-9)


@given(at, at, angle, st.integers(1, 5), st.integers(1, 17))
def test_a_block_covers_its_bases_and_nothing_else(
    x: float, y: float, f: float, files: int, count: int
) -> None:
    files = min(files, count)
    block = Block((x, y), f, 20.0, 25.0, files, count)
    assert block.footprint.geometry.area == pytest.approx(count * 500.0, rel=1e-6)
    assert len(block.slots) == count == len(block.centres)
    assert between([block.footprint], [Footprint((c[None],)) for c in block.centres]).max() < 0


def test_convex_parts_of_a_star_cover_it() -> None:
    spokes = np.where(np.arange(14) % 2, 100.0, 37.0)
    turn = np.arange(14) * 2 * math.pi / 14
    ring = tuple((float(r * math.cos(t)), float(r * math.sin(t))) for r, t in zip(spokes, turn, strict=True))
    parts = convex_parts(ring)
    assert sum(shapely.Polygon(p).area for p in parts) == pytest.approx(shapely.Polygon(ring).area)
    assert all(shapely.Polygon(p).equals(shapely.Polygon(p).convex_hull) for p in parts)


@given(rects, at, at, at, at)
def test_entering_agrees_with_shapely(a: Any, x0: float, y0: float, x1: float, y1: float) -> None:
    ring = rect(a).parts[0]
    line, area = shapely.LineString([(x0, y0), (x1, y1)]), shapely.Polygon(ring)
    depth = line.intersection(area.buffer(-1e-3, join_style="mitre")).length
    outside = not line.intersects(area.buffer(1e-3))
    assume(depth > 1e-3 or outside)
    assert bool(enters((x0, y0), (x1, y1), ring)) == (depth > 1e-3)
    assert bool(inside((x0, y0), ring, 1e-3)) == area.buffer(-1e-3, join_style="mitre").contains(
        shapely.Point(x0, y0)
    )


@given(rects, rects, angle, st.floats(10, 300))
def test_a_slide_ends_in_contact_and_never_in_overlap(a: Any, b: Any, way: float, length: float) -> None:
    one, two = rect(a), rect(b)
    assume(one.gap(two) > 0.01)
    by = length * np.array([math.cos(math.radians(way)), math.sin(math.radians(way))])
    limit = slide_limit_mm(one, by, two)
    ends = [one.moved(by / length * limit * s).gap(two) for s in np.linspace(0, 1, 30)]
    assert min(ends) > -1e-5
    if limit < length - 1e-6:
        assert ends[-1] == pytest.approx(0.0, abs=1e-4)
        assert one.moved(by / length * (limit + 0.01)).gap(two) < 0


# --- sight against a slow oracle ------------------------------------------------------------------------------

blockers = st.lists(
    st.tuples(st.floats(-90, 90), st.floats(30, 160), angle, st.floats(5, 80), st.floats(5, 40)), max_size=5
)


def sampled(edge: Any, target: Any, solid: Any, n: int = 40) -> float | None:
    """The shortest free line among n × n, or None: dense sampling, no cleverness."""
    p = edge[0] + (edge[1] - edge[0]) * np.linspace(0, 1, n)[:, None]
    ring = shapely.get_coordinates(shapely.segmentize(target.exterior, target.exterior.length / (2 * n)))
    lines = shapely.linestrings(
        np.stack(np.broadcast_arrays(p[:, None], ring[None]), axis=2).reshape(-1, 2, 2)
    )
    free = ~shapely.intersects(solid, lines)
    return float(shapely.length(lines)[free].min()) if free.any() else None


@given(blockers, st.floats(-60, 60), st.floats(190, 260), angle)
def test_sight_agrees_with_dense_sampling(found: list[Any], x: float, y: float, turn: float) -> None:
    edge = np.array([[-25.0, 0.0], [25.0, 0.0]])
    target = shapely.Polygon(rect_corners([x, y], turn, 60, 40))
    shapes = [shapely.Polygon(rect_corners(b[:2], b[2], b[3], b[4])) for b in found]
    shapes = [s for s in shapes if not s.intersects(target) and not s.intersects(shapely.LineString(edge))]
    seen = look(edge[None], segments_of(target), shapes)
    solid = shapely.unary_union(shapes) if shapes else shapely.Polygon()
    best = sampled(edge, target, shapely.buffer(solid, -1e-6, join_style="mitre"))
    if best is not None:
        assert seen.free and seen.length_mm is not None and seen.length_mm <= best + 1e-6
        assert best - seen.length_mm < 12.0, "the sampled line cannot be much longer than the shortest"
    if seen.line is not None:  # the line that was found is free, and starts and ends where it must
        line = shapely.LineString(seen.line)
        assert line.intersection(shapely.buffer(solid, -1e-5, join_style="mitre")).length < 1e-6
        assert shapely.distance(shapely.Point(seen.line[0]), shapely.LineString(edge)) < 1e-6
        assert shapely.distance(shapely.Point(seen.line[1]), target) < 1e-6
    else:
        room = room_mm(
            edge[None], segments_of(target), [Footprint.polygon(s.exterior.coords[:-1]) for s in shapes]
        )
        assert room < 1e-3, "no free line, so no line has room"
    ring = np.asarray(shapely.orient_polygons(target).exterior.coords)
    if shapes:
        cores = np.stack([np.asarray(s.exterior.coords)[:-1] for s in shapes])
        many = any_free(
            Questions(
                np.repeat(edge[None], 4, 0), np.stack([ring[:-1], ring[1:]], 1), np.repeat(cores[None], 4, 0)
            )
        )
        assert bool(many.any()) == seen.free


@given(blockers, st.floats(0.3, 0.95))
def test_smaller_blockers_never_block_more(found: list[Any], shrink: float) -> None:
    edge, target = np.array([[[-25.0, 0.0], [25.0, 0.0]]]), segments_of(shapely.box(-30, 200, 30, 240))
    shapes = [shapely.Polygon(rect_corners(b[:2], b[2], b[3], b[4])) for b in found]
    small = [shapely.affinity.scale(s, shrink, shrink) for s in shapes]
    before, after = look(edge, target, shapes), look(edge, target, small)
    assert after.free or not before.free
    if before.length_mm is not None and after.length_mm is not None:
        assert after.length_mm <= before.length_mm + 1e-6


# --- whole questions ------------------------------------------------------------------------------------------


def moved(scene: Scene, turn: float, x: float, y: float) -> Scene:
    """Everything on the table turned and shifted together."""

    def point(p: Any) -> tuple[float, float]:
        q = rotate(np.asarray(p, float), np.array([17.0, 11.0]), turn)
        return float(q[0]) + x, float(q[1]) + y

    pieces = tuple(
        replace(p, at=point(p.at), facing=None if p.facing is None else p.facing + turn) for p in scene.pieces
    )
    terrain = tuple(replace(t, outline=tuple(point(p) for p in t.outline)) for t in scene.terrain)
    return replace(scene, pieces=pieces, terrain=terrain)


def in_mm(scene: Scene) -> Scene:
    return scene.in_mm()


spots = st.tuples(st.floats(3, 37), st.floats(3, 37), angle)


@settings(max_examples=20)
@given(st.lists(spots, min_size=4, max_size=6), angle, st.floats(-3, 3))
def test_mage_knight_does_not_depend_on_the_frame(places: list[Any], turn: float, by: float) -> None:
    pieces = [
        warrior(f"p{k}", round(x, 3), round(y, 3), "AB"[k % 2], f) for k, (x, y, f) in enumerate(places)
    ]
    outline = [[18, 18], [22, 18], [22, 22], [18, 22]]
    scene = mage_knight(
        pieces, [{"id": "rock", "type": "blocking", "outline": outline}], front_arc_deg=150, rear_arc_deg=120
    )
    other, metric = moved(scene, turn, by, -by), in_mm(scene)
    for query in ("range", "arc", "line-of-sight", "engagement"):
        question = {"query": query, "from": "p0", "to": "p1"}
        here = ask(scene, question)
        assume(here.margin is None or abs(here.margin) > 1e-3)
        there, mm = ask(other, question), ask(metric, question)
        for found in (there, mm):
            assert (found.answer, found.arc, found.blockers) == (here.answer, here.arc, here.blockers)
        if here.value is not None and mm.value is not None and there.value is not None:
            assert there.value == pytest.approx(here.value, abs=1e-6)
            assert mm.value == pytest.approx(here.value * 25.4, abs=1e-4)
        back = ask(scene, {"query": query, "from": "p1", "to": "p0"})
        if query != "arc":  # MK-MEAS-1, MK-LOF-1, MK-CON-1 are the same both ways
            assert back.answer == here.answer and back.blockers == here.blockers
        if query == "range" and here.value is not None and here.value > 0.01:
            limits = [
                ask(scene, {**question, "range": r}).answer
                for r in (here.value * 0.5, here.value * 1.01, here.value * 2)
            ]
            assert limits == ["no", "yes", "yes"]


@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(st.floats(200, 900), st.floats(150, 750), angle, st.integers(1, 3), st.integers(1, 5)),
        min_size=3,
        max_size=5,
    ),
    angle,
)
def test_runewars_does_not_depend_on_the_frame(places: list[Any], turn: float) -> None:
    pieces = [
        unit(f"p{k}", round(x, 2), round(y, 2), "AB"[k % 2], f, min(n, c), c)
        for k, (x, y, f, n, c) in enumerate(places)
    ]
    outline = [[500, 400], [560, 420], [540, 480]]
    scene = runewars(pieces, [{"id": "rock", "type": "rocks", "outline": outline}])
    other = moved(scene, turn, 5.0, -7.0)
    for query in ("range", "arc", "line-of-sight", "engagement"):
        question = {"query": query, "from": "p0", "to": "p1"}
        here = ask(scene, question)
        assume(here.margin is None or abs(here.margin) > 0.01)
        there = ask(other, question)
        assert (there.answer, there.arc, there.band) == (here.answer, here.arc, here.band)
        if here.value is not None and there.value is not None:
            assert there.value == pytest.approx(here.value, abs=1e-3)
        if query in ("range", "engagement"):
            back = ask(scene, {"query": query, "from": "p1", "to": "p0"})
            assert (back.answer, back.band) == (here.answer, here.band)
