"""What cannot be a table is refused, each with its own reason and what to do next."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from regla.calibration import (
    CalibrationError,
    Marker,
    TableView,
    calibrate_found,
    calibrate_markers,
    calibrate_rectangle,
)
from regla.calibration import errors as e
from regla.calibration.markers import square
from regla.calibration.mat import calibrate_mat

from tests.calibration.world import SIZE_PX, TABLE_MM, camera, draw, look, overhead, seen, sheets

TRUTH = overhead()


@cache
def plain():
    return draw(TRUTH, sheets())


KNOWN = {"camera": TRUTH.camera, "places": sheets(), "table_mm": TABLE_MM}
FREE = {"camera": TRUTH.camera, "table_mm": TABLE_MM}


def swapped(i, j):
    places = sheets()
    places[i], places[j] = places[j], places[i]
    return places


def moved(i, by):
    return {**sheets(), i: sheets()[i] + np.asarray(by, float)}


def smaller(ids, side):
    return {k: square(side if k in ids else 100, c.mean(axis=0)) for k, c in sheets().items()}


def rolling():
    """A rolling shutter over a swinging camera: every row is shifted by another amount."""
    rows, columns = np.mgrid[0:1080, 0:1920].astype(np.float32)
    return cv2.remap(plain(), columns + 14 * np.sin(rows / 140), rows, cv2.INTER_LINEAR)


def motion_blurred():
    return cv2.filter2D(plain(), -1, np.full((1, 25), 1 / 25))


PICTURES = [
    ("no markers", lambda: draw(TRUTH, {}), e.NoMarkers),
    ("black", lambda: np.zeros((1080, 1920, 3), np.uint8), e.NoMarkers),
    ("two alike", lambda: draw(TRUTH, {**sheets(), "1-again": square(100, (900, 600))}), e.MarkerTwice),
    ("mirrored", lambda: np.ascontiguousarray(plain()[:, ::-1]), e.PictureMirrored),
    ("out of focus", lambda: cv2.GaussianBlur(plain(), (0, 0), 5), e.PictureBlurred),
    ("far out of focus", lambda: cv2.GaussianBlur(plain(), (0, 0), 12), e.PictureBlurred),
    ("motion blur", motion_blurred, e.PictureBlurred),
    ("rolling shutter", rolling, e.CalibrationError),
    ("one pixel", lambda: np.zeros((1, 1, 3), np.uint8), e.PictureTooSmall),
    ("no pixels", lambda: np.zeros((0, 0, 3), np.uint8), e.PictureTooSmall),
    ("huge", lambda: np.broadcast_to(np.uint8(0), (9000, 9000, 3)), e.PictureTooLarge),
]


@pytest.mark.parametrize(("picture", "error"), [p[1:] for p in PICTURES], ids=[p[0] for p in PICTURES])
@pytest.mark.parametrize("setup", [KNOWN, FREE], ids=["known", "free"])
def test_pictures_that_cannot_be_used(picture, error, setup):
    image = picture()
    if error is e.CalibrationError and setup is FREE:
        # With places free a skewed picture is another set of places: it shows in the residual or in the grade.
        try:
            answer = calibrate_markers(image, **setup)
        except CalibrationError:
            return
        assert answer.grade in ("bronze", "unfit")
        return
    with pytest.raises(error) as caught:
        calibrate_markers(image, **setup)
    assert caught.value.text("en") != caught.value.text("es")


LAYOUTS = [
    ("swapped neighbours", swapped(0, 1), e.MarkersSwapped, "0, 1"),
    ("swapped across", swapped(0, 2), e.MarkersSwapped, "0, 2"),
    ("swapped far side", swapped(2, 3), e.MarkersSwapped, "2, 3"),
    ("upside down", {**sheets(), 2: square(100, sheets()[2].mean(axis=0), 180)}, e.MarkerTurned, "Sheet 2"),
    ("a quarter turn", {**sheets(), 0: square(100, sheets()[0].mean(axis=0), 90)}, e.MarkerTurned, "Sheet 0"),
    ("moved", moved(1, (0, 60)), e.MarkerMoved, "Sheet 1"),
    ("printed at 94 %", smaller((0, 1, 2, 3), 94), e.WrongSize, "94"),
    ("one of another size", smaller((3,), 70), e.WrongSize, "Sheet 3 measures (69|70)"),
]


@pytest.mark.parametrize(("places", "error", "names"), [p[1:] for p in LAYOUTS], ids=[p[0] for p in LAYOUTS])
def test_sheets_that_lie_wrongly(places, error, names):
    with pytest.raises(error, match=names):
        calibrate_found(seen(TRUTH, places, np.random.default_rng(0), 0.2), SIZE_PX, **KNOWN)


@pytest.mark.parametrize("pair", [(0, 1), (1, 2), (2, 3), (0, 3), (0, 2), (1, 3)])
def test_swapped_sheets_are_named_even_when_places_are_free(pair):
    with pytest.raises(e.MarkersSwapped, match=f"{pair[0]}, {pair[1]}"):
        calibrate_found(seen(TRUTH, swapped(*pair)), SIZE_PX, **FREE)


def test_small_prints_in_the_corners_are_refused():
    places = {}
    for i, c in sheets().items():
        corner = np.array([0 if i in (0, 3) else TABLE_MM[0], 0 if i in (0, 1) else TABLE_MM[1]])
        places[i] = corner + (c - corner) * 0.9
    with pytest.raises(e.WrongSize, match=r"measures (89|90)\."):
        calibrate_found(
            seen(TRUTH, places), SIZE_PX, camera=TRUTH.camera, table_mm=TABLE_MM, layout="corners"
        )


CORNERS = TRUTH.to_pixel([[0, 0], [1828.8, 0], [1828.8, 1219.2], [0, 1219.2]])
CLICKS = [
    ("in a line", np.array([[100, 100], [400, 100.5], [900, 101], [1500, 100]]), e.Degenerate),
    ("all one", np.full((4, 2), 500.0), e.Degenerate),
    ("two the same", CORNERS[[0, 0, 2, 3]], e.Degenerate),
    ("crossing", CORNERS[[0, 2, 1, 3]], e.Degenerate),
    ("missing", np.where(np.eye(4, 2, dtype=bool), np.nan, CORNERS), e.Degenerate),
    ("mirrored", CORNERS[::-1], e.Mirrored),
    ("width and depth exchanged", np.roll(CORNERS, 1, axis=0), e.SidesSwapped),
    ("not this rectangle", CORNERS + np.array([[0, 0], [-300, 0], [0, 0], [0, 0]]), e.DoesNotFit),
]


@pytest.mark.parametrize(("clicks", "error"), [c[1:] for c in CLICKS], ids=[c[0] for c in CLICKS])
def test_clicks_that_cannot_be_a_table(clicks, error):
    with pytest.raises(error):
        calibrate_rectangle(clicks, TABLE_MM, SIZE_PX, camera=TRUTH.camera)


@given(st.data())
def test_random_corners_are_refused_or_graded_but_never_crash(data):
    """Whatever a detector or a person hands over: a calibration with finite numbers, or a sentence."""
    number = st.floats(-3e5, 3e5) | st.floats(0, 1920)
    ids = data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=5, unique=True))
    corners = st.lists(number, min_size=8, max_size=8).map(lambda v: np.reshape(v, (4, 2)))
    found = [Marker(i, data.draw(corners)) for i in ids]
    how = data.draw(
        st.sampled_from([KNOWN, FREE, {"table_mm": TABLE_MM}, {"table_mm": TABLE_MM, "layout": "corners"}])
    )
    for work in (
        lambda: calibrate_found(found, SIZE_PX, **how),
        lambda: calibrate_rectangle(found[0].corners_px, TABLE_MM, SIZE_PX, camera=how.get("camera")),
    ):
        try:
            answer = work()
        except CalibrationError as error:
            assert error.text("en") and error.text("es")
        else:
            assert np.isfinite(answer.pose.tvec).all() and np.isfinite(answer.quality.p95_mm)
            answer.dumps()


def test_corner_layout_needs_the_size_of_the_table():
    with pytest.raises(e.GeometryError, match="size of the table"):
        calibrate_found(seen(TRUTH, sheets()), SIZE_PX, camera=TRUTH.camera, layout="corners")


def test_sheets_without_a_known_place_are_not_enough():
    with pytest.raises(e.TooFewMarkers):
        calibrate_found(seen(TRUTH, {5: square(100, (900, 600))}), SIZE_PX, **KNOWN)


def test_a_plain_picture_has_no_mat():
    with pytest.raises(e.MatNotFound):
        calibrate_mat(draw(TRUTH, {}), TABLE_MM, camera=TRUTH.camera)


def test_a_level_camera_sees_no_table():
    level = TableView(camera(), look((914, -1500, 40), (914, 600, 0)))
    found = seen(level, sheets())
    try:
        answer = calibrate_found(found, SIZE_PX, camera=level.camera, places=sheets(), table_mm=TABLE_MM)
    except CalibrationError:
        return
    assert "advice-overhead" in answer.quality.advice
