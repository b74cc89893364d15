"""Hex lattices from found hexes and from the printed grid, one board or two."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from regla.calibration.errors import LatticeError
from regla.calibration.hex_grid import fit_grid
from regla.calibration.hexes import HexLattice, board_hexes, fit_boards, fit_lattice, round_axial

from tests.calibration.world import overhead

BOARD = board_hexes([(r, -(r // 2), 8 if r % 2 == 0 else 7) for r in range(5)])


def found(lattice, rng, noise_mm=0.8, keep=0.7, false=0):
    centres = lattice.centre_mm(BOARD) + rng.normal(0, noise_mm, (len(BOARD), 2))
    centres = centres[rng.random(len(BOARD)) < keep]
    low, high = centres.min(axis=0), centres.max(axis=0)
    return np.vstack([centres, rng.uniform(low, high, (false, 2))])


def same_lattice(a, b, tolerance_mm):
    """Every centre of one is a centre of the other, over a board's extent."""
    centres = a.centre_mm(BOARD)
    return np.abs(b.centre_mm(b.nearest(centres)) - centres).max() < tolerance_mm


def test_the_axial_map_is_the_rule_sheet_s():
    pointy, flat = HexLattice((0, 0), 52.0), HexLattice((0, 0), 52.0, orientation="flat")
    q, r = 3, -2
    half = np.sqrt(3) / 2
    np.testing.assert_allclose(pointy.centre_mm([[q, r]])[0], [52 * (q + r / 2), half * 52 * r])
    np.testing.assert_allclose(flat.centre_mm([[q, r]])[0], [half * 52 * q, 52 * (r + q / 2)])


@given(
    x=st.floats(-300, 300),
    y=st.floats(-300, 300),
    angle=st.floats(-30, 30),
    size=st.floats(20, 60),
    orientation=st.sampled_from(["pointy", "flat"]),
)
def test_a_place_belongs_to_its_nearest_hex(x, y, angle, size, orientation):
    lattice = HexLattice((7.0, -3.0), size, angle, orientation)
    own = lattice.nearest([[x, y]])[0]
    around = own + np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, -1], [-1, 1]])
    away = np.linalg.norm(lattice.centre_mm(around) - [x, y], axis=1)
    assert away[0] <= away.min() + 1e-9


def test_corners_are_a_regular_hexagon_with_the_right_width():
    lattice = HexLattice((100, 100), 52.0, 11.0)
    corners = lattice.corners_mm([[2, 1]])[0]
    centre = lattice.centre_mm([[2, 1]])[0]
    np.testing.assert_allclose(np.linalg.norm(corners - centre, axis=1), 52 / np.sqrt(3))
    middle = (corners + np.roll(corners, 1, axis=0)) / 2
    np.testing.assert_allclose(np.linalg.norm(middle - centre, axis=1), 26)


@pytest.mark.parametrize("angle", [0.0, 7.5, -22.0, 29.0])
@pytest.mark.parametrize("known", [52.0, None])
@pytest.mark.parametrize("orientation", ["pointy", "flat"])
def test_missing_and_false_hexes_do_not_matter(angle, known, orientation):
    rng = np.random.default_rng(4)
    truth = HexLattice((312.0, 208.0), 52.0, angle, orientation)
    lattice = fit_lattice(found(truth, rng, false=4), across_flats_mm=known)
    assert lattice.across_flats_mm == pytest.approx(52, abs=0.4)
    assert same_lattice(truth, lattice, 1.5)


def test_the_asked_orientation_is_kept():
    truth = HexLattice((300, 200), 52.0, 5.0)
    centres = truth.centre_mm(BOARD)
    assert fit_lattice(centres, orientation="pointy").angle_deg == pytest.approx(5.0, abs=1e-6)
    flat = fit_lattice(centres, orientation="flat")
    assert flat.orientation == "flat" and flat.angle_deg == pytest.approx(-25.0, abs=1e-6)
    assert same_lattice(truth, flat, 1e-6)


@pytest.mark.parametrize(
    ("slide", "gap_mm", "turn_deg"), [(0, 2.5, 0.3), (2, 3.0, 0.5), (-3, 1.5, -0.6), (1, 4.0, 0.0)]
)
def test_two_joined_boards_are_told_apart_and_named_together(slide, gap_mm, turn_deg):
    rng = np.random.default_rng(slide + 10)
    first = HexLattice((312.0, 208.0), 52.0, 7.5)
    away = np.array([-np.sin(np.radians(7.5)), np.cos(np.radians(7.5))])
    origin = first.centre_mm([[-3 + slide, 6]])[0] + away * gap_mm
    second = HexLattice((float(origin[0]), float(origin[1])), 52.0, 7.5 + turn_deg)
    centres = np.vstack([first.centre_mm(BOARD), second.centre_mm(BOARD)]) + rng.normal(0, 0.4, (76, 2))
    board, keep = np.repeat([0, 1], 38), rng.random(76) < 0.8
    answer = fit_boards(centres[keep], across_flats_mm=52)
    assert len(answer.boards) == 2
    assert answer.aligned
    swapped = answer.member[0] == 1
    np.testing.assert_array_equal(answer.member, 1 - board[keep] if swapped else board[keep])
    # One system of names: relative to any hex of the first board, every hex is where the rules say.
    truth = np.vstack([BOARD, BOARD + np.array([-3 + slide, 6])])[keep]
    turns = [np.array([[1, 0], [0, 1]])]
    for _ in range(5):
        turns.append(turns[-1] @ np.array([[0, 1], [-1, 1]]))
    offset = truth - truth[0]
    named = answer.hexes - answer.hexes[0]
    assert any((offset @ t == named).all() for t in turns)


def test_a_slide_by_half_a_hex_is_reported():
    rng = np.random.default_rng(1)
    first = HexLattice((312.0, 208.0), 52.0)
    origin = first.centre_mm([[-2.5, 6]])[0]
    second = HexLattice((float(origin[0]), float(origin[1])), 52.0)
    centres = np.vstack([first.centre_mm(BOARD), second.centre_mm(BOARD)]) + rng.normal(0, 0.4, (76, 2))
    answer = fit_boards(centres, across_flats_mm=52)
    assert len(answer.boards) == 2 and not answer.aligned
    assert answer.slide == pytest.approx(0.5, abs=0.05)


def test_one_board_stays_one():
    rng = np.random.default_rng(3)
    for _ in range(20):
        truth = HexLattice((312.0, 208.0), 52.0, rng.uniform(-30, 30))
        assert len(fit_boards(found(truth, rng, keep=0.9), across_flats_mm=52).boards) == 1


@pytest.mark.parametrize("count", [0, 3])
def test_too_few_hexes_are_refused(count):
    with pytest.raises(LatticeError, match="at least 4"):
        fit_lattice(np.arange(2.0 * count).reshape(-1, 2))


def test_points_that_are_no_lattice_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(LatticeError):
        fit_lattice(rng.uniform(0, 1000, (6, 2)), across_flats_mm=52)


def draw_grid(lattice, view, covered=0, seed=0):
    rng = np.random.default_rng(seed)
    picture = cv2.GaussianBlur(rng.integers(40, 150, (1080, 1920, 3)).astype(np.uint8), (0, 0), 3)
    for polygon in lattice.corners_px(view, BOARD):
        cv2.polylines(picture, [np.round(polygon * 16).astype(int)], True, (200, 200, 200), 2, cv2.LINE_AA, 4)
    centres = lattice.centre_mm(BOARD)
    for spot in centres[rng.permutation(len(centres))[:covered]]:
        x, y = view.to_pixel([spot])[0]
        cv2.circle(picture, (round(x), round(y)), 18, (20, 20, 60), -1)
    return picture


@pytest.mark.parametrize("angle", [0.0, 7.5, -19.0])
@pytest.mark.parametrize("across", [52.0, (30.0, 80.0)])
def test_the_printed_grid_alone_gives_the_lattice(angle, across):
    view = overhead()
    truth = HexLattice((512.0, 408.0), 52.0, angle)
    places = truth.centre_mm(BOARD)
    region = (*(places.min(axis=0) - 50), *(places.max(axis=0) + 50))
    lattice = fit_grid(draw_grid(truth, view, covered=12), view, region, across_flats_mm=across)
    assert lattice.across_flats_mm == pytest.approx(52, abs=0.1)
    assert same_lattice(truth, lattice, 0.7)


def test_a_picture_without_a_grid_is_refused():
    noise = cv2.GaussianBlur(
        np.random.default_rng(0).integers(0, 255, (1080, 1920)).astype(np.uint8), (0, 0), 3
    )
    with pytest.raises(LatticeError):
        fit_grid(noise, overhead(), (500, 400, 900, 700), across_flats_mm=52)


def test_a_lattice_survives_its_document():
    lattice = HexLattice((1.5, 2.5), 52.0, 3.0, "flat", 0.4, 38)
    assert HexLattice.from_json(lattice.to_json()) == lattice


def test_rounding_agrees_with_whole_hexes():
    whole = np.array([[3, -5], [0, 0], [-7, 2]])
    np.testing.assert_array_equal(round_axial(whole.astype(float)), whole)
