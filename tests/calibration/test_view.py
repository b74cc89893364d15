"""Pixels to millimetres and back, and the covariance between."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from regla.calibration import Camera, Pose, TableView
from regla.calibration.errors import LensMismatch
from regla.calibration.view import projection_jacobian

from tests.calibration.world import SIZE_PX, TABLE_MM, camera, look, overhead

LENSES = [
    camera(0, 0, 0, 0),
    camera(),
    camera(k1=-0.28, k2=0.09, k3=-0.01),
    camera(k1=0.15, k2=-0.08, k3=-0.09, p2=-0.007),
]


def places(rng, count=200):
    return np.column_stack([rng.uniform([0, 0], TABLE_MM, (count, 2)), rng.uniform(0, 60, count)])


@pytest.mark.parametrize("lens", LENSES)
def test_pixels_agree_with_opencv(lens):
    view = overhead(lens)
    xyz = places(np.random.default_rng(0))
    ours = view.to_pixel(xyz)
    theirs = cv2.projectPoints(xyz, view.pose.rvec, view.pose.tvec, lens.matrix, lens.distortion)[0].reshape(
        -1, 2
    )
    reachable = np.isfinite(ours[:, 0])
    assert reachable.mean() > 0.9
    np.testing.assert_allclose(ours[reachable], theirs[reachable], atol=1e-8)


@pytest.mark.parametrize("lens", LENSES)
def test_there_and_back(lens):
    view = overhead(lens)
    xyz = places(np.random.default_rng(1))
    px = view.to_pixel(xyz)
    good = np.isfinite(px[:, 0])
    back, _ = view.to_table(px, xyz[:, 2])
    np.testing.assert_allclose(back[good], xyz[good, :2], atol=1e-6)


@given(
    x=st.floats(0, TABLE_MM[0]),
    y=st.floats(0, TABLE_MM[1]),
    height=st.floats(0, 120),
    k1=st.floats(-0.25, 0.15),
    tilt=st.floats(-500, 500),
)
def test_there_and_back_for_any_camera(x, y, height, k1, tilt):
    view = overhead(camera(k1=k1), tilt_mm=(tilt / 2, tilt))
    px = view.to_pixel([[x, y, height]])
    if np.isfinite(px).all():
        back, covariance = view.to_table(px, height)
        assert np.abs(back - [[x, y]]).max() < 1e-5
        assert np.linalg.eigvalsh(covariance[0]).min() > 0


def test_derivatives_match_finite_differences():
    view = overhead(camera(k3=-0.01))
    xyz = places(np.random.default_rng(2), 20)
    _, theta, point = projection_jacobian(view.camera, view.pose, xyz)
    x = np.concatenate([view.camera.lens, view.pose.rvec, view.pose.tvec])

    def pixels(x, xyz):
        return TableView(Camera.from_lens(SIZE_PX, x[:9]), Pose(x[9:12], x[12:])).to_pixel(xyz)

    for k in range(15):
        step = np.zeros(15)
        step[k] = 1e-6 * max(1, abs(x[k]))
        numeric = (pixels(x + step, xyz) - pixels(x - step, xyz)) / (2 * step[k])
        np.testing.assert_allclose(theta[:, :, k], numeric, rtol=2e-4, atol=2e-3)
    for k in range(3):
        step = np.zeros(3)
        step[k] = 1e-3
        numeric = (pixels(x, xyz + step) - pixels(x, xyz - step)) / 2e-3
        np.testing.assert_allclose(point[:, :, k], numeric, atol=1e-6)


def test_a_base_top_is_where_its_foot_is():
    """The bar: base-top parallax residual under 0.3 mm. Uncorrected it is over 3 mm at the table's corners."""
    view = overhead()
    corners = np.array([[30, 30], [1800, 30], [1800, 1190], [30, 1190]], float)
    top = view.to_pixel(np.column_stack([corners, np.full(4, 5.0)]))
    corrected, _ = view.to_table(top, 5.0)
    naive, _ = view.to_table(top, 0.0)
    assert np.linalg.norm(corrected - corners, axis=1).max() < 1e-6
    assert np.linalg.norm(naive - corners, axis=1).min() > 3.0


def test_heights_may_differ_from_point_to_point():
    view = overhead()
    xyz = np.array([[500, 400, 0], [500, 400, 5], [500, 400, 75.0]])
    back, covariance = view.to_table(view.to_pixel(xyz), xyz[:, 2])
    np.testing.assert_allclose(back, xyz[:, :2], atol=1e-6)
    assert covariance.shape == (3, 2, 2)


def test_an_unsure_height_leans_the_ellipse_outwards():
    view = overhead()
    px = view.to_pixel([[100, 609.6, 5]])
    _, sure = view.to_table(px, 5.0, sigma_px=0.1)
    _, unsure = view.to_table(px, 5.0, sigma_px=0.1, height_sigma_mm=2.0)
    assert unsure[0, 0, 0] > 5 * sure[0, 0, 0]
    assert unsure[0, 1, 1] < 1.5 * sure[0, 1, 1]


def test_beyond_the_lens_and_behind_the_camera_is_nowhere():
    view = overhead(camera(k1=-0.4, k2=0))
    assert np.isnan(view.to_pixel([[9000, 600, 0]])).all()
    assert np.isnan(view.to_pixel([[900, 600, 4000]])).all()
    level = TableView(camera(), look((900, -2000, 300), (900, 600, 300)))
    sky, covariance = level.to_table([[960, 10]])
    assert np.isnan(sky).all() and np.isnan(covariance).all()


def test_no_points_give_no_points():
    view = overhead()
    xy, covariance = view.to_table(np.empty((0, 2)))
    assert xy.shape == (0, 2) and covariance.shape == (0, 2, 2)
    assert view.to_pixel(np.empty((0, 3))).shape == (0, 2)


def test_neighbours_share_their_error():
    """A short distance is known far better than either of its ends: that is what the joint covariance is for."""
    spread = np.zeros((15, 15))
    spread[12, 12] = spread[13, 13] = 4.0  # the camera's place, ± 2 mm
    exact = overhead()
    view = TableView(exact.camera, exact.pose, spread)
    ends = view.to_pixel([[800, 600], [850, 600]])
    _, each = view.to_table(ends, sigma_px=0.0)
    length, sigma = view.distance(ends[0], ends[1], sigma_px=0.0)
    assert length == pytest.approx(50, abs=1e-6)
    assert np.sqrt(each[0, 0, 0]) > 1.9
    assert sigma < 0.1


@pytest.mark.parametrize("height", [0.0, 5.0])
def test_rectified_pixels_are_where_to_pixel_says(height):
    view = overhead(camera(k1=-0.2))
    region, step = (600.0, 400.0, 900.0, 560.0), 2.0
    map_x, map_y = view.rectify_maps(region, step, height)
    assert map_x.shape == (80, 150)
    for column, row in [(0, 0), (149, 0), (149, 79), (70, 33)]:
        place = [[600 + (column + 0.5) * step, 560 - (row + 0.5) * step, height]]
        np.testing.assert_allclose(
            [[map_x[row, column], map_y[row, column]]], view.to_pixel(place), atol=1e-3
        )


def test_rectify_shows_the_far_side_on_top():
    view = overhead()
    image = np.zeros((1080, 1920), np.uint8)
    far_left = view.to_pixel([[620, 540]])[0]
    cv2.circle(image, (round(far_left[0]), round(far_left[1])), 4, 255, -1)
    flat = view.rectify(image, (600, 400, 900, 560), 2.0)
    row, column = np.unravel_index(flat.argmax(), flat.shape)
    assert (row, column) == pytest.approx((9, 9), abs=3)


def test_rectify_shows_nothing_where_the_lens_folds_over():
    view = overhead(camera(k1=-0.45, k2=0.0))
    flat = view.rectify(np.full((1080, 1920), 200, np.uint8), (-9000, -9000, 9000, 9000), 60.0)
    assert flat[150, 150] == 200
    assert flat[0, 0] == 0 and flat[-1, -1] == 0 and flat[150, 0] == 0


def test_a_lens_of_another_model_is_refused():
    assert Camera(SIZE_PX, camera().matrix, [-0.1, 0.02]).distortion.tolist() == [-0.1, 0.02, 0, 0, 0]
    with pytest.raises(ValueError, match="at most five"):
        Camera(SIZE_PX, camera().matrix, np.zeros(8))


def test_maps_are_kept_but_not_for_ever():
    view = overhead()
    first = view.rectify_maps((0, 0, 100, 100), 1.0, 0.0)
    assert view.rectify_maps((0, 0, 100, 100), 1.0, 0.0) is first
    for height in range(20):
        view.rectify_maps((0, 0, 100, 100), 1.0, float(height) + 1)
    assert view.rectify_maps((0, 0, 100, 100), 1.0, 0.0) is not first


def test_a_lens_fits_other_resolutions_but_not_other_shapes():
    lens = Camera((1920, 1080), camera().matrix, camera().distortion, np.diag(np.arange(1.0, 10)))
    half = lens.resized((960, 540))
    px = np.array([[100.0, 200.0], [1800, 1000]])
    np.testing.assert_allclose(half.undistort((px + 0.5) / 2 - 0.5), lens.undistort(px), atol=1e-9)
    assert half.covariance is not None and half.covariance[0, 0] == pytest.approx(0.25)
    with pytest.raises(LensMismatch, match="1440 × 1080"):
        lens.resized((1440, 1080))
