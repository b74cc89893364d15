"""Figures: what a perfect, a blind, a doubling and a half-right detector must come out as."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from regla.models.classes import CLASSES
from regla.models.evaluate import GROUP_SCORE, Tally, evaluate, mean_map, pictures_of, report
from regla.models.labels import Labels, write_labels
from regla.models.ship import figures_of
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


def test_in_a_group_each_class_has_its_own_threshold(folder: Path) -> None:
    """Rectangular bases are believed from 0.3 on and round ones from 0.7: a group's one number would get both wrong."""
    seen = found(BOXES, KINDS, np.array([0.4, 0.65, 0.9, 0.75]))
    scores = dict.fromkeys(CLASSES, 0.5) | {"rect-base": 0.3, "round-base": 0.7}
    figures = figures_of(lambda image, low: seen, folder, scores)
    assert (
        figures["classes"]["round-base"]["recall"] == 0.5 and figures["classes"]["rect-base"]["recall"] == 1.0
    )
    assert figures["groups"]["bases"]["recall"] == pytest.approx(2 / 3, abs=1e-3)
    assert figures["all"] == {"precision": 1.0, "recall": 0.75}
    tally = evaluate(lambda image, low: seen, pictures_of([folder]), True, scores)[1]["bases"]
    assert tally.at(GROUP_SCORE) == (2, 2)


def test_of_scores_that_are_as_good_the_lowest_is_taken() -> None:
    tally = Tally()
    tally.add(np.array([0.9, 0.8, 0.4, 0.2]), np.array([[1], [1], [-1], [0]], dtype=np.int8), 2)
    assert tally.best_score() == 0.8
    many = Tally()
    many.add(np.linspace(0.9, 0.3, 1000), np.ones((1000, 1), dtype=np.int8), 1000)
    assert many.best_score() < 0.31
