"""The table from sheets: the bars of accuracy and honesty, over many noisy pictures of known truth."""

from __future__ import annotations

import numpy as np
import pytest
from regla.calibration import (
    Camera,
    TableView,
    calibrate_found,
    calibrate_markers,
    calibrate_rectangle,
    guess_camera,
    recalibrate,
)
from regla.calibration.markers import square
from regla.calibration.polygons import turn_of
from regla.calibration.quality import CHI2_95, table_grid

from tests.calibration.world import SIZE_PX, TABLE_MM, camera, draw, look, overhead, seen, sheets

GRID = table_grid(TABLE_MM, 9)


def inside(view, px, truth):
    """Errors in mm, and which true places the claimed 95 % ellipses hold."""
    places, covariance = view.to_table(px, sigma_px=0.0)
    off = places - truth
    return np.hypot(off[:, 0], off[:, 1]), np.einsum(
        "ni,nij,nj->n", off, np.linalg.inv(covariance), off
    ) < CHI2_95


def test_the_bar_with_four_corner_sheets():
    """72 × 48 in from 1.5 m at 1080p, 0.5 px noise, a distorted lens known as well as a ChArUco set makes it."""
    rng = np.random.default_rng(11)
    truth = overhead()
    lens_sigma = np.array([2.2, 2.3, 1.9, 1.7, 2.3e-3, 5.1e-3, 2.3e-4, 2.9e-4, 3.7e-3])
    covariance = np.diag(np.square(lens_sigma))
    covariance[4, 5] = covariance[5, 4] = -0.93 * lens_sigma[4] * lens_sigma[5]
    covariance[5, 8] = covariance[8, 5] = -0.98 * lens_sigma[5] * lens_sigma[8]
    covariance[4, 8] = covariance[8, 4] = 0.88 * lens_sigma[4] * lens_sigma[8]
    covariance[0, 1] = covariance[1, 0] = 0.95 * lens_sigma[0] * lens_sigma[1]
    root = np.linalg.cholesky(covariance)
    px = truth.to_pixel(GRID)
    tops = truth.to_pixel(np.column_stack([GRID, np.full(len(GRID), 5.0)]))
    errors, held, parallax = [], [], []
    for _ in range(300):
        known = Camera.from_lens(SIZE_PX, truth.camera.lens + root @ rng.normal(size=9), covariance)
        found = seen(truth, sheets(), rng, 0.5)
        answer = calibrate_found(found, SIZE_PX, camera=known, places=sheets(), table_mm=TABLE_MM)
        off, within = inside(answer.view(), px, GRID)
        errors.append(off)
        held.append(within)
        # What a base's height adds to the error of its foot.
        shift = answer.view().to_table(tops, 5.0)[0] - answer.view().to_table(px)[0]
        parallax.append(np.linalg.norm(shift, axis=1).max())
    assert np.max(parallax) < 0.3
    assert np.sqrt(np.mean(np.square(errors))) <= 0.5
    assert np.percentile(errors, 95) <= 1.0
    assert 0.93 <= np.mean(held) <= 0.98


def test_ellipses_hold_when_the_lens_is_exact():
    rng = np.random.default_rng(5)
    truth = overhead()
    px = truth.to_pixel(GRID)
    held = []
    for _ in range(300):
        found = seen(truth, sheets(), rng, 0.5)
        answer = calibrate_found(found, SIZE_PX, camera=truth.camera, places=sheets(), table_mm=TABLE_MM)
        held.append(inside(answer.view(), px, GRID)[1])
    assert 0.93 <= np.mean(held) <= 0.98


def test_ellipses_hold_without_a_lens_at_all():
    """Lenses drawn from what the guess claims about lenses, one view each: wide bands, and they are true."""
    rng = np.random.default_rng(3)
    guess = guess_camera(SIZE_PX)
    root = np.linalg.cholesky(guess.covariance)
    held, radii, errors = [], [], []
    while len(held) < 120:
        lens = Camera.from_lens(SIZE_PX, guess.lens + root @ rng.normal(size=9))
        height = lens.matrix[0, 0] * 1.2 * TABLE_MM[1] / SIZE_PX[1] * rng.uniform(1.0, 1.15)
        truth = overhead(lens, tilt_mm=rng.normal(0, 120, 2), height_mm=height)
        px = truth.to_pixel(GRID)
        corners = truth.to_pixel(np.concatenate(list(sheets().values())))
        if not np.isfinite(px).all() or not ((corners > 0) & (corners < SIZE_PX)).all():
            continue
        answer = calibrate_found(seen(truth, sheets(), rng, 0.3), SIZE_PX, places=sheets(), table_mm=TABLE_MM)
        off, within = inside(answer.view(), px, GRID)
        held.append(within)
        errors.append(off)
        radii.append(answer.quality.p95_mm)
        assert answer.grade in ("bronze", "unfit")
        assert "advice-lens" in answer.quality.advice
    assert 0.92 <= np.mean(held) <= 0.99
    # And the band is not merely huge: it is of the size of the errors that occur.
    assert np.median(radii) < 4 * np.percentile(errors, 95)


def test_sheets_anywhere_are_measured():
    """Places free: the frame is the sheets' own, and distances in it are right within what is claimed."""
    rng = np.random.default_rng(8)
    truth = overhead()
    loose = {
        0: square(100, (140, 120), 17),
        1: square(100, (1650, 160), 80),
        2: square(100, (1700, 1100), -33),
        3: square(100, (110, 1050), 200),
    }
    ends = truth.to_pixel([[300, 300], [1400, 950]])
    length = float(np.hypot(1100, 650))
    pulls = []
    for _ in range(150):
        answer = calibrate_found(
            seen(truth, loose, rng, 0.5), SIZE_PX, camera=truth.camera, table_mm=TABLE_MM, size_sigma=0.0
        )
        measured, sigma = answer.view().distance(ends[0], ends[1], sigma_px=0.0)
        pulls.append((measured - length) / sigma)
    assert 0.8 < np.std(pulls) < 1.2
    assert abs(np.mean(pulls)) < 0.25
    # The near side runs along sheets 0 and 1, and the far sheets lie beyond.
    places = {i: s.corners_mm.mean(axis=0) for i, s in answer.sheets.items()}
    assert places[1][0] - places[0][0] == pytest.approx(1510, abs=15)
    assert places[3][1] - places[0][1] == pytest.approx(930, abs=15)
    assert answer.table_mm == TABLE_MM


def test_the_table_size_comes_from_the_sheets_when_nobody_gives_it():
    truth = overhead()
    answer = calibrate_found(seen(truth, sheets()), SIZE_PX, camera=truth.camera)
    assert answer.table_mm == pytest.approx(TABLE_MM, abs=0.5)
    assert answer.table_source == "measured"
    np.testing.assert_allclose(answer.view().to_table(truth.to_pixel(GRID))[0], GRID, atol=0.3)


def test_a_tape_between_two_sheets_narrows_the_band():
    rng = np.random.default_rng(4)
    truth = overhead()
    found = seen(truth, sheets(), rng, 0.5)
    far = {(0, 2): float(np.hypot(*(sheets()[2].mean(axis=0) - sheets()[0].mean(axis=0))))}
    plain = calibrate_found(found, SIZE_PX, camera=truth.camera, table_mm=TABLE_MM)
    taped = calibrate_found(found, SIZE_PX, camera=truth.camera, table_mm=TABLE_MM, spans=far)
    assert taped.quality.p95_mm < 0.6 * plain.quality.p95_mm


def test_sheets_laid_into_the_corners_by_hand():
    """Each up to a millimetre or so off, and turned by any quarter: places and distances are within the claimed band."""
    rng = np.random.default_rng(6)
    truth = overhead()
    ends = truth.to_pixel([[300, 300], [1400, 950]])
    px = truth.to_pixel(GRID)
    pulls, held = [], []
    for _ in range(120):
        laid = {
            i: square(100, c.mean(axis=0) + rng.normal(0, 1, 2), 90 * rng.integers(4) + rng.normal(0, 1))
            for i, c in sheets().items()
        }
        answer = calibrate_found(
            seen(truth, laid, rng, 0.3), SIZE_PX, camera=truth.camera, table_mm=TABLE_MM, layout="corners"
        )
        measured, sigma = answer.view().distance(ends[0], ends[1], sigma_px=0.0)
        pulls.append((measured - np.hypot(1100, 650)) / sigma)
        held.append(inside(answer.view(), px, GRID)[1])
    assert 0.92 <= np.mean(held) <= 0.99
    assert 0.6 < np.std(pulls) < 1.2


def test_a_rendered_picture_end_to_end():
    truth = overhead()
    answer = calibrate_markers(draw(truth, sheets()), camera=truth.camera, places=sheets(), table_mm=TABLE_MM)
    off, _ = inside(answer.view(), truth.to_pixel(GRID), GRID)
    assert off.max() < 0.2
    assert answer.grade == "gold"
    assert answer.residual_px < 0.1


@pytest.mark.parametrize("spin", [90, 180, 270])
def test_the_camera_may_hang_any_way_round(spin):
    lens = camera(focal=900)
    truth = TableView(lens, look((914, 600, 1500), (914.4, 609.6, 0), spin))
    answer = calibrate_found(seen(truth, sheets()), SIZE_PX, camera=lens, table_mm=TABLE_MM)
    np.testing.assert_allclose(answer.view().to_table(truth.to_pixel(GRID))[0], GRID, atol=0.5)


@pytest.mark.parametrize("ids", [(0,), (0, 1), (1, 3), (0, 1, 2), (5,)])
def test_fewer_sheets_still_calibrate_and_say_so(ids):
    truth = overhead()
    places = {i: sheets().get(i, square(100, (900, 600))) for i in ids}
    answer = calibrate_found(seen(truth, places), SIZE_PX, camera=truth.camera, table_mm=TABLE_MM)
    full = calibrate_found(seen(truth, sheets()), SIZE_PX, camera=truth.camera, table_mm=TABLE_MM)
    assert answer.quality.p95_mm > full.quality.p95_mm
    length, _ = answer.view().distance(*truth.to_pixel([[800, 600], [1000, 600]]))
    assert length == pytest.approx(200, abs=0.5)


def test_an_extra_sheet_helps():
    rng = np.random.default_rng(2)
    truth = overhead()
    more = {**sheets(), 4: square(100, (900, 600), 30)}
    four = calibrate_found(
        seen(truth, sheets(), rng, 0.3), SIZE_PX, camera=truth.camera, table_mm=TABLE_MM, noise_px=0.3
    )
    five = calibrate_found(
        seen(truth, more, rng, 0.3), SIZE_PX, camera=truth.camera, table_mm=TABLE_MM, noise_px=0.3
    )
    assert five.quality.median_mm < four.quality.median_mm
    assert set(five.sheets) == {0, 1, 2, 3, 4}


def test_one_click_recalibrates_after_the_camera_was_knocked():
    truth = overhead()
    first = calibrate_markers(draw(truth, sheets()), camera=truth.camera, table_mm=TABLE_MM)
    knocked = TableView(truth.camera, look((990, 500, 1480), (930, 600, 0), 3.0))
    again = recalibrate(draw(knocked, sheets(), seed=1), first)
    assert again.revision == 2
    ends = [[300, 300], [1400, 950]]
    length, _ = again.view().distance(*knocked.to_pixel(ends))
    assert length == pytest.approx(np.hypot(1100, 650), abs=1.5)
    np.testing.assert_allclose(
        again.view().to_table(knocked.to_pixel(GRID))[0],
        first.view().to_table(truth.to_pixel(GRID))[0],
        atol=1.0,
    )


@pytest.mark.parametrize("lens_known", [True, False])
def test_a_clicked_rectangle(lens_known):
    rng = np.random.default_rng(9)
    truth = overhead()
    corners = np.array([[0, 0], [1828.8, 0], [1828.8, 1219.2], [0, 1219.2]])
    px = truth.to_pixel(GRID)
    held = []
    for _ in range(60):
        clicks = truth.to_pixel(corners) + rng.normal(0, 1.5, (4, 2))
        answer = calibrate_rectangle(clicks, TABLE_MM, SIZE_PX, camera=truth.camera if lens_known else None)
        held.append(inside(answer.view(), px, GRID)[1])
    assert np.mean(held) >= 0.9
    assert answer.method == "rectangle"
    assert answer.table_mm == TABLE_MM


def test_an_object_of_known_size_is_good_nearby_and_honest_far_away():
    truth = overhead()
    paper = np.array([[700, 500], [997, 500], [997, 710], [700, 710]], float)
    answer = calibrate_rectangle(
        truth.to_pixel(paper) + np.random.default_rng(1).normal(0, 0.5, (4, 2)),
        (297, 210),
        SIZE_PX,
        camera=truth.camera,
        table_mm=TABLE_MM,
        origin_mm=(700, 500),
        sigma_px=0.5,
        method="object",
    )
    length, sigma = answer.view().distance(*truth.to_pixel([[750, 600], [900, 600]]), sigma_px=0.0)
    assert abs(length - 150) < 3 * sigma < 3
    assert answer.grade in ("bronze", "unfit")


def test_turn_of_is_the_angle_between():
    a = np.array([[1, 0], [0, 1], [-1, -1.0]])
    assert turn_of(a, a @ np.array([[0, 1], [-1, 0.0]])) == pytest.approx(np.pi / 2)
