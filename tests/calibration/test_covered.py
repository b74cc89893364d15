"""A die on a corner of a sheet: the other sheets calibrate the table, and a sheet that was moved is still refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from regla.calibration import calibrate_markers, table
from regla.calibration.errors import CalibrationError

from tests.calibration.world import TABLE_MM, draw, overhead, seen, sheets

VIEW = overhead()
GRID = np.stack(np.meshgrid(np.linspace(100, 1700, 6), np.linspace(100, 1100, 5)), axis=-1).reshape(-1, 2)
PICTURE = draw(VIEW, sheets())


def calibrate(monkeypatch, markers):
    monkeypatch.setattr(table, "find_markers", lambda image, camera=None: markers)
    return calibrate_markers(PICTURE, camera=VIEW.camera, places=sheets(), table_mm=TABLE_MM)


def covered(sheet, corner):
    """What a finder sees of four sheets when a die lies on a corner: that corner is drawn out, its neighbours a little."""
    markers = seen(VIEW, sheets(), np.random.default_rng(1), 0.2)
    out = []
    for marker in markers:
        if marker.id == sheet:
            corners = np.array(marker.corners_px, dtype=np.float64)
            away = corners[corner] - corners.mean(axis=0)
            corners[corner] += 0.25 * away
            corners[(corner + 1) % 4] += 0.06 * away
            marker = replace(marker, corners_px=corners)
        out.append(marker)
    return out


@pytest.mark.parametrize(("sheet", "corner"), [(0, 0), (1, 2), (3, 3)])
def test_a_die_on_a_corner_leaves_that_sheet_out(monkeypatch, sheet, corner):
    made = calibrate(monkeypatch, covered(sheet, corner))
    px = VIEW.to_pixel(np.column_stack([GRID, np.zeros(len(GRID))]))
    places, _ = made.view().to_table(px, sigma_px=0.0)
    assert np.hypot(*(places - GRID).T).max() < 3.0
    # And that is what it takes: with all four it does not fit.
    monkeypatch.setattr(table, "_without_covered", lambda *given: None)
    with pytest.raises(CalibrationError):
        calibrate(monkeypatch, covered(sheet, corner))


def test_two_covered_sheets_are_refused(monkeypatch):
    both = [a if a.id == 0 else b for a, b in zip(covered(0, 0), covered(2, 1), strict=True)]
    with pytest.raises(CalibrationError):
        calibrate(monkeypatch, both)


def test_a_sheet_that_was_moved_is_still_refused(monkeypatch):
    moved = {i: np.asarray(c, dtype=np.float64).copy() for i, c in sheets().items()}
    moved[2][:, 0] -= 25.0
    with pytest.raises(CalibrationError):
        calibrate(monkeypatch, seen(VIEW, moved))


def test_a_square_is_one_however_it_lies_and_whatever_its_size():
    square = np.array([[0.0, 0], [100, 0], [100, 100], [0, 100]])
    turn = np.array([[0.8, -0.6], [0.6, 0.8]])
    assert not table._no_square(square @ turn.T * 1.1 + 30)
    for k in range(4):
        hidden = square.copy()
        hidden[k] += (6.0, 3.0)
        assert table._no_square(hidden)
