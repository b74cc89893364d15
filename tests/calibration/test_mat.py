"""The table from a mat's edges."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest
from regla.calibration import errors as e
from regla.calibration.mat import calibrate_mat, find_mat
from regla.calibration.quality import CHI2_95, table_grid

from tests.calibration.world import TABLE_MM, draw, overhead

VIEW = overhead()
CORNERS = VIEW.to_pixel([[0, 0], [TABLE_MM[0], 0], list(TABLE_MM), [0, TABLE_MM[1]]])
GRID = table_grid(TABLE_MM, 9)


@cache
def picture():
    return draw(VIEW, {}, rect_mm=(0, 0, *TABLE_MM), mat=(40, 45, 60))


def test_edges_are_found_to_a_fraction_of_a_pixel():
    corners, noise_px, _ = find_mat(picture(), VIEW.camera)
    np.testing.assert_allclose(corners, CORNERS, atol=0.3)
    assert noise_px < 0.5


@pytest.mark.parametrize("lens_known", [True, False])
def test_a_mat_calibrates_the_table(lens_known):
    answer = calibrate_mat(picture(), TABLE_MM, camera=VIEW.camera if lens_known else None)
    places, covariance = answer.view().to_table(VIEW.to_pixel(GRID), sigma_px=0.0)
    off = places - GRID
    assert np.hypot(*off.T).max() < (0.5 if lens_known else 3.0)
    held = np.einsum("ni,nij,nj->n", off, np.linalg.inv(covariance), off) < CHI2_95
    assert held.mean() > 0.9
    assert answer.method == "mat"
    assert answer.grade in (("gold", "silver") if lens_known else ("bronze", "unfit"))


def test_things_that_hang_over_the_edge_do_not_bend_it():
    busy = picture().copy()
    for x in (500, 900, 1300):
        y = int(VIEW.to_pixel([[x, 0]])[0, 1])
        cv2.circle(busy, (x, y), 45, (30, 30, 160), -1)
    corners, _, _ = find_mat(busy, VIEW.camera)
    np.testing.assert_allclose(corners, CORNERS, atol=0.6)


def test_exchanged_sides_are_refused():
    with pytest.raises(e.SidesSwapped):
        calibrate_mat(picture(), TABLE_MM[::-1], camera=VIEW.camera)


def test_half_a_mat_is_refused():
    with pytest.raises(e.MatNotFound):
        calibrate_mat(picture()[:, :900], TABLE_MM, camera=None)
