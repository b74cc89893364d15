"""Boards of named spaces: placed, asked, edited as a document."""

from __future__ import annotations

import json

import numpy as np
import pytest
from regla.calibration.boards import (
    BoardTemplate,
    PlacedBoard,
    Space,
    place_by_clicks,
    place_by_corners,
    place_by_outline,
    shipped_boards,
)
from regla.calibration.errors import BoardError, DocumentError
from shapely import Polygon

from tests.calibration.world import overhead

PLAN = BoardTemplate.load(shipped_boards()["siege-of-runedar"])
SMALL = BoardTemplate(
    "small",
    (200.0, 100.0),
    (
        Space("left", np.array([[0, 0], [100, 0], [100, 100], [0, 100]], float)),
        Space("right", np.array([[100, 0], [200, 0], [200, 100], [100, 100]], float)),
        Space("tower", np.array([[160, 60], [200, 60], [200, 100], [160, 100]], float), 80.0),
    ),
)


def laid(turn_deg, at):
    """The small board's corners, turned and shifted."""
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    return SMALL.corners_mm @ np.array([[c, s], [-s, c]]) + at


def test_the_fortress_has_every_space_of_the_graph():
    names = {s.name for s in PLAN.spaces}
    assert {"chamber", "carpentry", "tannery", "foundry", "courtyard", "tower-tunnel"} <= names
    assert {
        f"{kind}-{shop}" for kind in ("wall", "outside") for shop in ("carpentry", "tannery", "foundry")
    } <= names
    assert {
        "tower-carpentry-tannery",
        "tower-tannery-foundry",
        *(f"tunnel-{k}" for k in range(1, 6)),
    } <= names
    assert len(names) == 19


def test_spaces_of_one_level_do_not_overlap():
    for a in PLAN.spaces:
        for b in PLAN.spaces:
            if a.name < b.name and a.height_mm == b.height_mm:
                assert a.polygon().intersection(b.polygon()).area < 1


@pytest.mark.parametrize("turn", [0, 30, 135, -90])
def test_four_corners_place_a_board(turn):
    placed = place_by_corners(SMALL, laid(turn, [700, 500]))
    np.testing.assert_allclose(placed.to_plan(placed.to_table([[30, 40]])), [[30, 40]])
    assert placed.spaces_at(placed.to_table([[30, 50]])[0])[0] == ("left", pytest.approx(30))
    assert placed.off_mm < 1e-6


def test_near_a_border_both_sides_are_named():
    placed = place_by_corners(SMALL, laid(0, [0, 0]))
    names = placed.spaces_at([103, 30])
    assert [n for n, _ in names] == ["right", "left"]
    assert names[0][1] == pytest.approx(3) and names[1][1] == pytest.approx(-3)
    assert placed.spaces_at([-40, 30]) == []


@pytest.mark.parametrize("facing", [90.0, -90.0])
def test_an_outline_places_a_board_and_the_facing_decides_which_way(facing):
    box = Polygon(laid(8, [600, 400])).segmentize(25)
    placed = place_by_outline(SMALL, np.asarray(box.exterior.coords)[:-1], facing_deg=facing)
    away = placed.to_table([[0, 100]]) - placed.to_table([[0, 0]])
    assert np.sign(away[0, 1]) == np.sign(facing)
    assert placed.off_mm < 1e-6


def test_a_board_of_unknown_size_is_stretched_to_its_clicks():
    corners = np.array([[500, 300], [790, 300], [790, 600], [500, 600]], float)
    placed = place_by_corners(PLAN, corners)
    np.testing.assert_allclose(placed.to_table([[300, 300]]), [[790, 600]], atol=1e-6)


def test_clicks_in_the_picture_with_raised_spaces():
    view = overhead()
    corners = laid(0, [300, 200])
    placed = place_by_clicks(SMALL, view, view.to_pixel(corners))
    on_tower = view.to_pixel([[*placed.to_table([[180, 80]])[0], 80.0]])[0]
    names = placed.spaces_seen(view, on_tower)
    assert names[0][0] == "tower"
    # The same pixel on the table would be another place: both are offered unless the level is known.
    assert {n for n, _ in placed.spaces_seen(view, on_tower, heights_mm=[80.0])} == {"tower"}
    assert "tower" not in {n for n, _ in placed.spaces_seen(view, on_tower, heights_mm=[0.0])}
    outlines = placed.outlines_px(view)
    assert outlines["tower"].shape == (4, 2)


@pytest.mark.parametrize(
    ("corners", "says"),
    [
        (laid(0, [0, 0])[::-1], "wrong way round"),
        (laid(0, [0, 0])[[0, 2, 1, 3]], "cross"),
        (laid(0, [0, 0]) * 1.5, "off a board"),
        (np.roll(laid(0, [0, 0]), 1, axis=0), "off a board"),
        (np.full((4, 2), np.nan), "missing"),
    ],
)
def test_corners_that_do_not_fit_are_refused(corners, says):
    with pytest.raises(BoardError, match=says):
        place_by_corners(SMALL, corners)


def test_a_plan_is_a_document_that_can_be_edited(tmp_path):
    PLAN.save(tmp_path / "plan.json")
    data = json.loads((tmp_path / "plan.json").read_text())
    data["spaces"]["chamber"]["outline_mm"][0] = [100, 100]
    edited = BoardTemplate.from_json(data)
    assert edited.spaces[0].outline_mm[0].tolist() == [100, 100]
    placed = place_by_corners(edited, np.array([[0, 0], [300, 0], [300, 300], [0, 300]], float))
    again = PlacedBoard.from_json(json.loads(json.dumps(placed.to_json())))
    np.testing.assert_allclose(again.to_table([[10, 20]]), placed.to_table([[10, 20]]))


def test_all_faults_of_a_plan_are_listed():
    data = SMALL.to_json()
    data["spaces"]["left"]["outline_mm"] = [[0, 0], [100, 100], [100, 0], [0, 100], [0, 50]]
    data["spaces"]["right"]["outline_mm"] = [[0, 0], [1, 1]]
    with pytest.raises(DocumentError) as caught:
        BoardTemplate.from_json(data)
    assert "left" in str(caught.value) and "right" in str(caught.value)
