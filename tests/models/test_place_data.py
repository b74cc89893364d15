"""What the place network is shown: boxes that are off and come with what puts them right, and boxes that are no base."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from regla.models.classes import CLASS_ID
from regla.models.labels import Labels, outline_corners
from regla.models.place import crops_of_photograph, crops_of_picture, cut_crops, fakes_of_picture, wholes
from regla.vision.boxes import boxes_of, corners_of, iou
from regla.vision.place import CROP_PX, UNIT
from regla.vision.truth import read_truth

TABLES = Path(__file__).parents[2] / "samples" / "tables"


def picture(game):
    truth = read_truth(TABLES / f"{game}.truth.json")
    return truth, cv2.imread(str(truth.picture)), list(truth.objects)


def test_crops_come_with_moves_classes_and_sizes():
    truth, image, things = picture("mage-knight")
    crops, moves, classes, long = crops_of_picture(image, truth.view, things, np.random.default_rng(1), 8)
    assert crops.shape[1:] == (CROP_PX, CROP_PX, 3) and len(crops) == len(moves) == len(classes) == len(long)
    assert set(classes.tolist()) <= {CLASS_ID["round-base"], CLASS_ID["token"]}
    assert max(np.bincount(classes)) <= 8
    # Most are a little off, some far; never so far that the base has left the crop.
    assert 0.005 < np.median(np.abs(moves[:, :2])) * UNIT < 0.1
    assert (np.abs(moves[:, :2]) * UNIT).max() < 0.8


def test_detected_boxes_are_taken_where_there_are_any():
    truth, image, things = picture("t9a")

    class Nothing:
        class_id = np.zeros(0, dtype=np.int64)
        box_px = np.zeros((0, 5))

    crops, *_ = crops_of_picture(image, truth.view, things, np.random.default_rng(1), 8, Nothing())
    assert len(crops) == 0


def test_fakes_are_no_bases(monkeypatch):
    import regla.models.place as place

    truth, image, things = picture("t9a")
    cut = []
    monkeypatch.setattr(
        place, "crop", lambda image, boxes, *a: cut.append(boxes) or np.zeros((len(boxes), 1))
    )
    _, moves, classes, _ = fakes_of_picture(image, truth.view, things, np.random.default_rng(2), 60)
    bases = [o for o in things if o["class"] == "rect-base"]
    true = boxes_of(
        np.array([outline_corners(np.array(o["outline_px"], dtype=np.float64), o["class"]) for o in bases])
    )
    assert len(cut[0]) > 20 and iou(cut[0], true).max() < 0.73
    assert np.isnan(moves).all() and (wholes(moves) == 0).all()
    assert set(classes.tolist()) == {CLASS_ID["rect-base"]}
    none = fakes_of_picture(
        image, truth.view, [o for o in things if o["class"] == "token"], np.random.default_rng(2), 9
    )
    assert len(none[0]) == 0


def test_what_counts_as_one_base():
    moves = np.array(
        [[0, 0, 0, 0, 0], [0.5, 0, 0.5, 0, 3], [4, 0, 0, 0, 0], [0, 0, 3, 0, 0], [2, 0, 0, 0, 0]], dtype=float
    )
    assert np.array_equal(wholes(moves), np.array([1, 1, 0, 0, np.nan], dtype=np.float32), equal_nan=True)


def test_photographs_with_labels_teach_too(tmp_path):
    rng = np.random.default_rng(3)
    image = rng.integers(0, 255, (200, 300, 3), dtype=np.uint8)
    box = np.array([[150.0, 90.0, 40.0, 40.0, 0.0]])
    labels = Labels(np.array([CLASS_ID["token"], CLASS_ID["hand"]]), corners_of(np.repeat(box, 2, axis=0)))
    crops, moves, classes, _ = crops_of_photograph(image, labels, rng, 9)
    assert len(crops) == 1 and classes.tolist() == [CLASS_ID["token"]] and np.isfinite(moves).all()
    for folder in ("images", "labels"):
        (tmp_path / folder).mkdir()
    cv2.imwrite(str(tmp_path / "images" / "a.jpg"), image)
    share = (corners_of(box)[0] / (300, 200)).ravel()
    (tmp_path / "labels" / "a.txt").write_text(
        f"{CLASS_ID['token']} " + " ".join(map(str, share)), encoding="utf-8"
    )
    assert len(cut_crops([tmp_path], passes=3)["crops"]) == 3
