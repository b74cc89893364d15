"""Has the camera moved? More than a millimetre must be seen, less must not alarm."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from regla.calibration import TableView, calibrate_markers
from regla.calibration.drift import DriftWatch

from tests.calibration.world import TABLE_MM, draw, look, overhead, sheets

VIEW = overhead()


@cache
def first():
    return draw(VIEW, sheets())


@cache
def known():
    return calibrate_markers(first(), camera=VIEW.camera, places=sheets(), table_mm=TABLE_MM)


def shifted(dx_mm, dy_mm=0.0):
    """The camera and its aim, moved along the table."""
    moved = look((944.4 + dx_mm, 549.6 + dy_mm, 1500), (914.4 + dx_mm, 609.6 + dy_mm, 0), 0.6)
    return draw(TableView(VIEW.camera, moved), sheets(), seed=1, texture=False)


def covered(picture, ids):
    hidden = picture.copy()
    for i in ids:
        x, y = VIEW.to_pixel([sheets()[i].mean(axis=0)])[0].astype(int)
        hidden[y - 90 : y + 90, max(x - 90, 0) : x + 90] = (40, 60, 90)
    return hidden


@pytest.mark.parametrize("seed", range(3))
def test_a_still_camera_is_still(seed):
    watch = DriftWatch(known(), first())
    drift = watch.check(draw(VIEW, sheets(), seed=0, noise=3.0 + seed))
    assert drift.state == "still" and not drift.suspended
    assert drift.moved_mm < 0.3


@pytest.mark.parametrize(
    ("mm", "state"), [(0.4, "still"), (1.5, "camera-moved"), (4.0, "camera-moved"), (30.0, "camera-moved")]
)
def test_a_camera_that_moved_is_noticed(mm, state):
    drift = DriftWatch(known(), first()).check(shifted(mm))
    assert drift.state == state
    assert drift.moved_mm == pytest.approx(mm, abs=0.3 + 0.03 * mm)
    assert drift.suspended == (state != "still")


def test_a_sheet_that_moved_is_named():
    places = {**sheets(), 1: sheets()[1] + [1.6, 0]}
    drift = DriftWatch(known(), first()).check(draw(VIEW, places))
    assert drift.state == "sheet-moved" and drift.ids == (1,)
    assert "1" in drift.text("en") and "hoja 1" in drift.text("es")


def test_covered_sheets_leave_it_to_the_others():
    watch = DriftWatch(known(), first())
    assert watch.check(covered(first(), (0, 1, 2))).state == "still"
    assert watch.check(covered(shifted(3.0), (0, 1))).state == "camera-moved"


def test_table_features_stand_in_when_all_sheets_are_covered():
    watch = DriftWatch(known(), first())
    assert watch.check(covered(first(), sheets())).state == "still"
    moved = np.roll(first(), 3, axis=1)  # three pixels: some 3.5 mm
    assert watch.check(covered(moved, sheets())).state == "camera-moved"


def test_a_dark_picture_says_covered_not_moved():
    drift = DriftWatch(known(), first()).check(np.zeros_like(first()))
    assert drift.state == "covered" and not drift.suspended


def test_an_old_calibration_over_a_moved_camera_is_noticed_at_the_start():
    assert DriftWatch(known(), shifted(5.0)).last.state == "camera-moved"


def test_moved_then_covered_stays_suspended():
    watch = DriftWatch(known(), first())
    assert watch.check(shifted(4.0)).suspended
    assert watch.check(np.zeros_like(first())).state in ("camera-moved", "covered")
