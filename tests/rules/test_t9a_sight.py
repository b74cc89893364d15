"""Sight and cover of The 9th Age against slow oracles that only sample, and the whole survey against asking."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from regla.rules import Scene, ask
from regla.rules.games.t9a.survey import survey

from .t9a_army import army

TABLE = {"width": 1828.8, "depth": 1219.2}
REF = 900.0, 300.0


def rect(
    name: str, side: str, at: tuple[float, float], facing: float, w: float, d: float, *traits: str
) -> dict[str, Any]:
    base = {"shape": "rect", "width": w, "depth": d}
    return {
        "id": name,
        "side": side,
        "kind": "model",
        "at": list(at),
        "facing": facing,
        "base": base,
        "traits": list(traits),
    }


def scene(pieces: list[dict[str, Any]], terrain: list[dict[str, Any]] | None = None) -> Scene:
    return Scene.parse(
        {"game": "t9a", "unit": "mm", "table": TABLE, "pieces": pieces, "terrain": terrain or []}
    )


def box(piece: dict[str, Any]) -> shapely.Polygon:
    w, d = piece["base"]["width"], piece["base"]["depth"]
    turn = shapely.affinity.rotate(
        shapely.box(-w / 2, -d / 2, w / 2, d / 2), piece["facing"] - 90, origin=(0, 0)
    )
    return shapely.affinity.translate(turn, *piece["at"])


@st.composite
def tables(draw: st.DrawFn) -> list[dict[str, Any]]:
    """An archer, a target somewhere ahead, and some blocks between."""
    turn = draw(st.floats(-40, 40))
    at = (REF[0] + draw(st.floats(-150, 150)), REF[1] + draw(st.floats(250, 500)))
    pieces = [
        rect("eye", "A", REF, 90.0 + turn, 25.0, 25.0),
        rect("aim", "B", at, draw(st.floats(0, 359)), draw(st.floats(20, 120)), draw(st.floats(20, 60))),
    ]
    for k in range(draw(st.integers(0, 5))):
        spot = (REF[0] + draw(st.floats(-220, 220)), REF[1] + draw(st.floats(60, 230)))
        pieces.append(
            rect(
                f"b{k}", "A", spot, draw(st.floats(0, 359)), draw(st.floats(20, 160)), draw(st.floats(20, 60))
            )
        )
    bodies = [box(p) for p in pieces]
    # bases that overlap the two ends make no sensible table
    keep = [
        p
        for p, b in zip(pieces[2:], bodies[2:], strict=True)
        if b.distance(bodies[0]) > 1 and b.distance(bodies[1]) > 1
    ]
    return pieces[:2] + keep


def sampled(pieces: list[dict[str, Any]], shrink: float) -> bool:
    """Lines from many points of the front to many points of the target, with the blockers shrunk."""
    eye, aim = pieces[0], box(pieces[1])
    f = math.radians(eye["facing"])
    u, r = np.array([math.cos(f), math.sin(f)]), np.array([math.sin(f), -math.cos(f)])
    mid = np.array(eye["at"]) + 12.5 * u
    starts = mid + np.linspace(-12.5, 12.5, 41)[:, None] * r
    ring = aim.exterior
    ends = np.array([ring.interpolate(s, normalized=True).coords[0] for s in np.linspace(0, 1, 400)])
    rel = ends - mid
    ends = ends[(rel @ u >= -1e-6) & (rel @ u >= np.abs(rel @ r) - 12.5 - 1e-6)]
    if not len(ends):
        return False
    walls = shapely.unary_union([box(p).buffer(-shrink, join_style="mitre") for p in pieces[2:]])
    walls = shapely.union(walls, aim.buffer(-0.01))
    shapely.prepare(walls)
    p, q = np.repeat(starts, len(ends), axis=0), np.tile(ends, (len(starts), 1))
    return bool((~shapely.intersects(walls, shapely.linestrings(np.stack([p, q], axis=1)))).any())


@settings(max_examples=50, deadline=None)
@given(tables())
def test_sight_agrees_with_a_dense_sample(pieces: list[dict[str, Any]]) -> None:
    """What the sample sees with blockers as they are is seen; what is seen is sampled once they shrink a little."""
    said = ask(scene(pieces), {"query": "line-of-sight", "from": "eye", "to": "aim"})
    if sampled(pieces, -0.05):
        assert said.answer == "yes"
    if said.answer == "yes":
        assert sampled(pieces, 1.5) or (said.margin is not None and said.margin < 1.0)


@settings(max_examples=30, deadline=None)
@given(tables(), st.floats(0, 6.28), st.floats(-300, 300))
def test_sight_and_cover_do_not_change_when_the_table_is_turned(
    pieces: list[dict[str, Any]], turn: float, shift: float
) -> None:
    c, s = math.cos(turn), math.sin(turn)
    moved = [
        p
        | {
            "at": [c * p["at"][0] - s * p["at"][1] + shift, s * p["at"][0] + c * p["at"][1] - shift],
            "facing": p["facing"] + math.degrees(turn),
        }
        for p in pieces
    ]
    for query in ("line-of-sight", "cover"):
        question = {"query": query, "from": "eye", "to": "aim"}
        here, there = ask(scene(pieces), question), ask(scene(moved), question)
        if here.margin is not None and abs(here.margin) < 0.05:
            continue  # on the line, where rounding may decide
        assert (here.answer, here.band) == (there.answer, there.band)
        assert here.margin == pytest.approx(there.margin, abs=0.2)


@settings(max_examples=30, deadline=None)
@given(tables(), st.floats(0.3, 0.95))
def test_a_smaller_blocker_never_blocks_more(pieces: list[dict[str, Any]], k: float) -> None:
    small = pieces[:2] + [
        p | {"base": {"shape": "rect", "width": p["base"]["width"] * k, "depth": p["base"]["depth"] * k}}
        for p in pieces[2:]
    ]
    question = {"query": "line-of-sight", "from": "eye", "to": "aim"}
    if ask(scene(pieces), question).answer == "yes":
        assert ask(scene(small), question).answer == "yes"
    order = ("none", "soft", "hard")
    question["query"] = "cover"
    before, after = ask(scene(pieces), question), ask(scene(small), question)
    if before.margin is not None and abs(before.margin) > 0.01:
        assert order.index(str(after.band)) <= order.index(str(before.band))


@settings(max_examples=30, deadline=None)
@given(tables())
def test_cover_agrees_with_a_dense_sample(pieces: list[dict[str, Any]]) -> None:
    """Share of the facing hidden, least over the front: by shadows and by very many lines."""
    said = ask(scene(pieces), {"query": "cover", "from": "eye", "to": "aim"})
    arc = ask(scene(pieces), {"query": "arc", "from": "aim", "to": "eye"})
    aim = pieces[1]
    f, (w, d) = math.radians(aim["facing"]), (aim["base"]["width"], aim["base"]["depth"])
    u, r = np.array([math.cos(f), math.sin(f)]), np.array([math.sin(f), -math.cos(f)])
    ends = {
        "front": (-w / 2, d / 2, w / 2, d / 2),
        "rear": (-w / 2, -d / 2, w / 2, -d / 2),
        "left-flank": (-w / 2, -d / 2, -w / 2, d / 2),
        "right-flank": (w / 2, -d / 2, w / 2, d / 2),
    }[str(arc.arc)]
    a, b = (np.array(aim["at"]) + x * r + y * u for x, y in (ends[:2], ends[2:]))
    q = a + np.linspace(0.0005, 0.9995, 1000)[:, None] * (b - a)
    g = math.radians(pieces[0]["facing"])
    eu, er = np.array([math.cos(g), math.sin(g)]), np.array([math.sin(g), -math.cos(g)])
    starts = np.array(pieces[0]["at"]) + 12.5 * eu + np.linspace(-12.5, 12.5, 51)[:, None] * er
    if not pieces[2:]:
        assert said.band == "none"
        return
    walls = shapely.unary_union([box(p) for p in pieces[2:]])
    shapely.prepare(walls)
    lines = shapely.linestrings(np.stack([np.repeat(starts, 1000, axis=0), np.tile(q, (51, 1))], axis=1))
    least = float(shapely.intersects(walls, lines).reshape(51, 1000).mean(1).min())
    if abs(least - 0.5) > 0.01:
        assert said.band == ("hard" if least > 0.5 else "none")


def test_the_survey_says_what_asking_says() -> None:
    document = army(seed=4)
    table = Scene.parse(document)
    found = survey(table)
    sides = {p["id"]: p["side"] for p in document["pieces"]}
    wrong = []
    for i, one in enumerate(found.viewers):
        for j, two in enumerate(found.ids):
            if one == two or (i * 7 + j) % 11:  # every eleventh pair
                continue
            arc = ask(table, {"query": "arc", "from": one, "to": two})
            away = ask(table, {"query": "range", "from": one, "to": two})
            assert found.arc[i, j] == arc.arc
            assert found.distance_mm[i, j] == pytest.approx(away.value, abs=1e-6)
            if sides[one] == sides[two]:
                continue
            sees = ask(table, {"query": "line-of-sight", "from": one, "to": two})
            cover = ask(table, {"query": "cover", "from": one, "to": two})
            if found.sees[i, j] != sees.answer or found.cover[i, j] != cover.band:
                wrong.append((one, two, found.sees[i, j], sees.answer, found.cover[i, j], cover.band))
    assert not wrong
