"""Figures: what a perfect, a blind, a doubling and a half-right detector must come out as."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from regla.models.classes import CLASSES
from regla.models.evaluate import evaluate, mean_map, pictures_of, report
from regla.models.labels import Labels, write_labels
from regla.vision.boxes import corners_of
from regla.vision.detect import Detections

BOXES = np.array(
    [[60.0, 60, 40, 20, 0.2], [160, 60, 30, 30, 0.0], [100, 150, 40, 40, 0.1], [200, 160, 24, 24, 0.0]]
)
KINDS = np.array([1, 0, 2, 0])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for kind in ("images", "labels"):
        (tmp_path / kind).mkdir()
    cv2.imwrite(str(tmp_path / "images/a.png"), np.zeros((240, 260, 3), np.uint8))
    write_labels(tmp_path / "labels/a.txt", Labels(KINDS, corners_of(BOXES)), (260, 240))
    return tmp_path


def found(boxes: np.ndarray, kinds: np.ndarray, score: np.ndarray) -> Detections:
    moved = boxes.copy()
    moved[:, :2] -= 0.5
    return Detections(kinds, score, moved, corners_of(moved))


def figures(folder: Path, seen: Detections) -> dict:
    tallies, groups, _ = evaluate(lambda image, low: seen, pictures_of([folder]), quiet=True)
    return {"classes": report(tallies), "groups": report(groups), "map": mean_map(tallies)}


def test_a_perfect_detector_scores_one(folder: Path) -> None:
    result = figures(folder, found(BOXES, KINDS, np.full(4, 0.9)))
    assert result["map"] == pytest.approx((1.0, 1.0))
    assert result["classes"]["round-base"] == {
        "truth": 2, "precision": 1.0, "recall": 1.0, "map50": 1.0, "map50_95": 1.0,
    }  # fmt: skip
    assert result["groups"]["bases"]["truth"] == 3


def test_a_blind_detector_scores_nothing(folder: Path) -> None:
    result = figures(folder, found(np.zeros((0, 5)), np.zeros(0, dtype=int), np.zeros(0)))
    assert result["map"] == (0.0, 0.0)
    assert result["classes"]["tray"]["recall"] == 0 and result["classes"]["tray"]["precision"] is None


def test_a_double_costs_precision_and_a_miss_recall(folder: Path) -> None:
    rows = [1, 1, 0, 2]
    result = figures(folder, found(BOXES[rows], KINDS[rows], np.array([0.9, 0.8, 0.9, 0.9])))
    assert result["classes"]["round-base"]["precision"] == 0.5
    assert result["classes"]["round-base"]["recall"] == 0.5


def test_a_wrong_name_is_wrong_but_right_for_the_group(folder: Path) -> None:
    kinds = KINDS.copy()
    kinds[0] = 0
    result = figures(folder, found(BOXES, kinds, np.full(4, 0.9)))
    assert result["classes"]["rect-base"]["recall"] == 0.0
    assert result["groups"]["bases"]["recall"] == 1.0


def test_a_loose_box_counts_at_a_half_and_not_at_the_top(folder: Path) -> None:
    loose = BOXES.copy()
    loose[:, 2:4] *= 1.2
    row = figures(folder, found(loose, KINDS, np.full(4, 0.9)))["classes"]["tray"]
    # IoU is 1/1.44 = 0.69: right at 0.50, 0.55, 0.60, 0.65 and wrong at the other six steps.
    assert row["map50"] == 1.0 and row["map50_95"] == pytest.approx(0.4)


def test_what_is_hardly_seen_may_be_found_or_not(folder: Path) -> None:
    (folder / "truth").mkdir()
    things = [
        {"class": CLASSES[k], "outline_px": (corners - 0.5).tolist(), "visible": 0.4 if i == 2 else 1.0}
        for i, (k, corners) in enumerate(zip(KINDS, corners_of(BOXES), strict=True))
    ]
    document = {"camera": {"size": [260, 240]}, "objects": things}
    (folder / "truth/a.truth.json").write_text(json.dumps(document))
    missed = figures(folder, found(BOXES[[0, 1, 3]], KINDS[[0, 1, 3]], np.full(3, 0.9)))
    hit = figures(folder, found(BOXES, KINDS, np.full(4, 0.9)))
    assert missed["map"] == hit["map"] == pytest.approx((1.0, 1.0))
    assert "tray" not in hit["classes"]


def test_no_pictures_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no labelled pictures"):
        pictures_of([tmp_path])
