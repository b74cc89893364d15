"""Oriented boxes: corners and back, overlap, and taking once what was seen twice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from regla.vision.boxes import THIN_RATIO, THIN_SHARE, boxes_of, corners_of, iou, keep_best, thin

sides = st.floats(2, 300)
boxes = st.tuples(st.floats(0, 2000), st.floats(0, 2000), sides, sides, st.floats(-1.5, 1.5))


@given(boxes)
def test_corners_give_the_box_back(box: tuple[float, ...]) -> None:
    assert boxes_of(corners_of(np.array([box])))[0] == pytest.approx(np.array(box), abs=1e-6)


@given(boxes, boxes)
def test_overlap_is_symmetric_and_does_not_care_about_names(
    a: tuple[float, ...], b: tuple[float, ...]
) -> None:
    one, other = np.array([a]), np.array([b])
    quarter = np.array([[b[0], b[1], b[3], b[2], b[4] + np.pi / 2]])
    share = iou(one, other)[0, 0]
    assert 0.0 <= share <= 1.0 + 1e-5
    assert share == pytest.approx(iou(other, one)[0, 0], abs=1e-5)
    assert share == pytest.approx(iou(one, quarter)[0, 0], abs=1e-5)
    assert iou(one, one)[0, 0] == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    ("second", "kept"),
    [
        ((100, 100, 20, 20, 0.0), [0]),  # the same thing again
        ((120, 100, 20, 20, 0.0), [0, 1]),  # a base that touches it
        ((112, 100, 20, 20, 0.0), [0, 1]),  # leans over by two fifths
        ((103, 102, 22, 20, 0.5), [0]),  # badly placed and turned, still the same
    ],
)
def test_doubles_go_and_neighbours_stay(second: tuple[float, ...], kept: list[int]) -> None:
    found = np.array([(100, 100, 20, 20, 0.0), second])
    assert sorted(keep_best(found, np.array([0.9, 0.8]), np.array([1, 1])).tolist()) == kept


def test_a_base_does_not_push_out_its_tray() -> None:
    found = np.array([(100, 100, 40, 40, 0.0), (100, 100, 42, 42, 0.0)])
    alike = np.array([0, 0, 2])
    assert len(keep_best(found, np.array([0.9, 0.8]), np.array([1, 2]), alike=alike)) == 2
    assert keep_best(found, np.array([0.9, 0.8]), np.array([0, 1]), alike=alike).tolist() == [0]


def test_a_whole_find_beats_a_surer_one_that_a_seam_cut() -> None:
    found = np.array([(100, 100, 60, 20, 0.0), (85, 100, 30, 20, 0.0)])
    kept = keep_best(found, np.array([0.5, 0.95]), np.array([2, 2]), cut=np.array([False, True]))
    assert kept.tolist() == [0]
    both_whole = keep_best(found, np.array([0.5, 0.95]), np.array([2, 2]))
    assert sorted(both_whole.tolist()) == [0, 1] or both_whole.tolist() == [1]


@given(st.lists(boxes, min_size=1, max_size=12))
def test_the_best_always_stays_and_what_stays_does_not_overlap(found: list[tuple[float, ...]]) -> None:
    rows = np.array(found)
    score = np.linspace(0.9, 0.1, len(rows))
    kinds = np.zeros(len(rows), dtype=int)
    kept = keep_best(rows, score, kinds)
    assert kept[0] == 0
    shares = iou(rows[kept], rows[kept]) - np.eye(len(kept))
    assert shares.max() <= 0.45 + 1e-9


@given(boxes, st.floats(-1, 1), st.floats(-1, 1), st.floats(0.5, 2), st.floats(0.5, 2), st.floats(-1.5, 1.5))
def test_thinning_only_takes_out_what_merging_would(
    box: tuple[float, ...], dx: float, dy: float, fw: float, fh: float, turn: float
) -> None:
    cx, cy, w, h, angle = box
    step = min(w, h) * THIN_SHARE * 1.5
    twin = (cx + dx * step, cy + dy * step, w * fw**0.5, h * fh**0.5, angle + turn)
    rows = np.array([box, twin])
    if len(thin(rows, np.array([0.9, 0.8]), np.array([0, 0]))) == 1:
        assert iou(rows[:1], rows[1:])[0, 0] > 0.45
    assert THIN_RATIO > 1


def test_nothing_in_nothing_out() -> None:
    none = np.zeros((0, 5))
    assert len(keep_best(none, np.zeros(0), np.zeros(0, dtype=int))) == 0
    assert len(thin(none, np.zeros(0), np.zeros(0, dtype=int))) == 0
    assert iou(none, none).shape == (0, 0)
