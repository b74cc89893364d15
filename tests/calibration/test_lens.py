"""The lens from boards: right within what is claimed, and clear about what is missing."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from regla.calibration import Pose, TableView
from regla.calibration.charuco import BoardView, CharucoBoard, Chessboard
from regla.calibration.errors import DocumentError, LensError, TooFewViews
from regla.calibration.guide import LensSession, missing_views
from regla.calibration.lens import Lens, calibrate_lens

from tests.calibration.world import SIZE_PX, camera

BOARD = CharucoBoard()
CORNERS = np.asarray(BOARD.board.getChessboardCorners(), float)


def board_pose(lens, at_px, distance_mm, tilt_rad, spin_rad=0.0):
    """The board with its middle seen at a pixel, so far away, tilted about two axes."""
    rotation = cv2.Rodrigues(np.array([tilt_rad[0], tilt_rad[1], spin_rad]))[0]
    plane = lens.undistort([at_px])[0]
    shift = np.array([plane[0] * distance_mm, plane[1] * distance_mm, distance_mm]) - rotation @ CORNERS.mean(
        axis=0
    )
    return Pose(cv2.Rodrigues(rotation)[0], shift)


def board_views(lens, rng, count=14, noise_px=0.3):
    """Views as a person would take them: all over the picture, near and far, tilted every way."""
    views = []
    while len(views) < count:
        pose = board_pose(
            lens,
            rng.uniform([150, 150], [1770, 930]),
            rng.uniform(250, 500),
            rng.uniform(-0.6, 0.6, 2),
            rng.uniform(-0.3, 0.3),
        )
        px = TableView(lens, pose).to_pixel(CORNERS)
        seen = np.isfinite(px[:, 0]) & (px > 5).all(axis=1) & (px < np.array(SIZE_PX) - 5).all(axis=1)
        if seen.sum() >= 12:
            views.append(
                BoardView(
                    CORNERS[seen], px[seen] + rng.normal(0, noise_px, (seen.sum(), 2)), f"view {len(views)}"
                )
            )
    return views


SMALL_PX = (960, 540)


def small_camera():
    return camera(focal=615.0, size=SMALL_PX)


def draw_board(lens, pose, size_px=SMALL_PX):
    """A picture of the board through the lens."""
    scale = 2.0
    fine = BOARD.board.generateImage((240 * 12, 180 * 12), marginSize=0)
    flat = cv2.resize(fine, (480, 360), interpolation=cv2.INTER_AREA)
    columns, rows = np.meshgrid(np.arange(size_px[0]), np.arange(size_px[1]))
    px = np.column_stack([columns.ravel(), rows.ravel()]).astype(float)
    view = TableView(lens, pose)
    plane = lens.undistort(px)
    rays = np.column_stack([plane, np.ones(len(plane))]) @ pose.rotation
    reach = -view.pose.centre_mm[2] / rays[:, 2]
    spot = (view.pose.centre_mm + rays * reach[:, None])[:, :2] * scale - 0.5
    maps = spot.astype(np.float32).reshape(size_px[1], size_px[0], 2)
    picture = cv2.remap(
        flat, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=200
    )
    return cv2.GaussianBlur(picture, (0, 0), 0.8)


def test_the_claimed_spread_of_the_lens_is_the_true_one():
    """Normalised error of all nine numbers: χ² with nine degrees, averaged over several lenses."""
    rng = np.random.default_rng(7)
    strain = []
    for _ in range(6):
        truth = camera(k1=rng.normal(-0.1, 0.05), k2=rng.normal(0.03, 0.02), focal=rng.uniform(1150, 1300))
        lens = calibrate_lens(board_views(truth, rng, 10), SIZE_PX)
        off = lens.camera.lens - truth.lens
        strain.append(off @ np.linalg.solve(lens.camera.covariance, off))
        assert lens.rms_px == pytest.approx(0.3 * np.sqrt(2), rel=0.15)
        assert lens.rms_px < lens.held_out_px < 1.3 * lens.rms_px
    assert 4 < np.mean(strain) < 15


def test_in_line_with_opencv_on_the_same_corners():
    truth = camera()
    views = board_views(truth, np.random.default_rng(1))
    lens = calibrate_lens(views, SIZE_PX)
    rms, matrix, *_ = cv2.calibrateCamera(
        [v.xyz_mm.astype(np.float32) for v in views],
        [v.px.astype(np.float32) for v in views],
        SIZE_PX,
        None,
        None,
    )
    assert lens.rms_px == pytest.approx(rms, rel=0.01)
    assert lens.camera.matrix[0, 0] == pytest.approx(matrix[0, 0], rel=2e-3)


def test_a_bent_board_is_left_out():
    rng = np.random.default_rng(2)
    views = board_views(camera(), rng, 12)
    bent = views[4].px.copy()
    bent[::2] += rng.normal(0, 6, bent[::2].shape)
    views[4] = BoardView(views[4].xyz_mm, bent, "bent")
    lens = calibrate_lens(views, SIZE_PX)
    assert lens.left_out == ("bent",)
    assert lens.rms_px < 0.6


def test_pictures_of_different_things_are_refused():
    rng = np.random.default_rng(3)
    views = [BoardView(CORNERS[:12], rng.uniform(100, 1000, (12, 2)), str(k)) for k in range(5)]
    with pytest.raises(LensError, match="disagree"):
        calibrate_lens(views, SIZE_PX)


def test_too_few_views_say_which_are_missing():
    with pytest.raises(TooFewViews) as caught:
        calibrate_lens(board_views(camera(), np.random.default_rng(0), 3), SIZE_PX, language="es")
    assert "3 fotos" in caught.value.text("es")
    assert "el tablero" in caught.value.text("es")


@pytest.mark.parametrize("tilt", [(0, 0), (0.3, -0.2)])
def test_the_board_is_found_in_a_picture(tilt):
    lens = small_camera()
    pose = board_pose(lens, (450, 250), 330, tilt)
    found = BOARD.find(draw_board(lens, pose))
    assert found is not None
    assert len(found.px) >= 30
    np.testing.assert_allclose(found.px, TableView(lens, pose).to_pixel(found.xyz_mm), atol=0.25)


def test_part_of_the_board_is_enough_but_a_row_is_not():
    lens = small_camera()
    picture = draw_board(lens, board_pose(lens, (450, 250), 330, (0.2, 0.1)))
    half = picture.copy()
    half[:, 450:] = 128
    assert len(BOARD.find(half).px) < len(BOARD.find(picture).px)
    assert BOARD.find(np.full((1080, 1920), 128, np.uint8)) is None


def test_a_plain_chessboard_is_found():
    squares = np.kron(np.indices((7, 10)).sum(axis=0) % 2, np.ones((60, 60))) * 200 + 30
    picture = cv2.copyMakeBorder(squares.astype(np.uint8), 80, 80, 80, 80, cv2.BORDER_CONSTANT, value=230)
    found = Chessboard(9, 6, 25).find(picture)
    assert found is not None and len(found.px) == 54
    assert Chessboard(7, 5, 25).find(np.full((480, 640), 128, np.uint8)) is None


def test_a_full_set_of_views_misses_nothing_and_an_empty_one_everything():
    assert missing_views([], SIZE_PX)[0] == "guide-top-left"
    assert len(missing_views([], SIZE_PX)) == 10
    rng = np.random.default_rng(0)
    assert missing_views(board_views(camera(), rng, 40), SIZE_PX) == []


def test_live_guidance_takes_still_and_new_views_only():
    lens = small_camera()
    session = LensSession(BOARD, SMALL_PX)
    blank = np.full((540, 960), 128, np.uint8)
    left = draw_board(lens, board_pose(lens, (300, 200), 330, (0.3, 0.2)))
    right = draw_board(lens, board_pose(lens, (650, 300), 330, (-0.3, -0.2)))
    assert session.offer(blank) == "frame-no-board"
    assert session.offer(left) == "frame-moving"  # nothing to compare it with yet
    assert session.offer(left) == "frame-taken"
    assert session.offer(left) == "frame-known"
    assert session.offer(right) == "frame-moving"
    before = session.share
    assert session.offer(right) == "frame-taken"
    assert session.share > before
    assert session.offer(cv2.GaussianBlur(right, (0, 0), 6)) in ("frame-blurred", "frame-no-board")
    assert len(session.views) == 2
    assert "guide-more" in session.missing


def test_a_lens_document_survives_and_bad_ones_are_refused(tmp_path):
    lens = calibrate_lens(board_views(camera(), np.random.default_rng(1), 8), SIZE_PX)
    lens.save(tmp_path / "lens.json")
    back = Lens.load(tmp_path / "lens.json")
    np.testing.assert_allclose(back.camera.lens, lens.camera.lens, rtol=1e-8)
    np.testing.assert_allclose(back.camera.covariance, lens.camera.covariance, rtol=1e-7)
    assert back.held_out_px == pytest.approx(lens.held_out_px)
    data = lens.to_json()
    del data["camera"]
    with pytest.raises(DocumentError, match="camera"):
        Lens.from_json(data)
