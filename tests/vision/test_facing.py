"""Facing: crops turn with the box, shares become directions, and unknown is an answer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from regla.models.classes import CLASSES
from regla.vision.boxes import corners_of
from regla.vision.facing import BINS, CROP_PX, FACING_CLASSES, FacingModel, crop, decode
from regla.vision.weights import ModelFileError, shipped

RECT, ROUND, TOKEN = (CLASSES.index(name) for name in ("rect-base", "round-base", "token"))


@pytest.fixture(scope="module")
def facing() -> FacingModel:
    return FacingModel.load()


@pytest.mark.parametrize("angle", [0.0, 0.4, -0.9, 2.0])
def test_a_crop_shows_the_box_level_and_its_surroundings(angle: float) -> None:
    image = np.zeros((400, 500, 3), np.uint8)
    box = np.array([[240.0, 190.0, 60.0, 60.0, angle]])
    cv2.fillPoly(image, [np.round(corners_of(box)[0]).astype(np.int32)], (255, 255, 255))
    # A red dot beyond the middle of the side that the box's own +x points at.
    ahead = box[0, :2] + 38 * np.array([np.cos(angle), np.sin(angle)])
    cv2.circle(image, tuple(int(v) for v in np.round(ahead)), 4, (0, 0, 255), -1)
    part = crop(image, box, views=(1.5,))[0].astype(int)
    assert part.shape == (CROP_PX, CROP_PX, 3)
    white = part.min(axis=2) > 128
    # The box is two thirds of the crop each way.
    assert white.mean() == pytest.approx((1 / 1.5) ** 2, abs=0.03)
    red = (part[..., 2] > 128) & (part[..., 0] < 100)
    y, x = np.nonzero(red)
    assert x.mean() > 0.85 * CROP_PX and y.mean() == pytest.approx((CROP_PX - 1) / 2, abs=2)


def test_the_wider_view_stands_beside_and_shows_the_neighbours() -> None:
    image = np.zeros((400, 500, 3), np.uint8)
    cv2.circle(image, (240, 190), 15, (255, 255, 255), -1)
    cv2.circle(image, (240 + 45, 190), 15, (0, 0, 255), -1)
    near, wide = np.split(
        crop(image, np.array([[240.0, 190.0, 30.0, 30.0, 0.0]]), views=(1.5, 4.0))[0], 2, axis=1
    )
    red = [(part[..., 2] > 128) & (part[..., 1] < 100) for part in (near, wide)]
    assert red[0].mean() < 0.02 and red[1].mean() > 0.03
    assert (wide.min(axis=2) > 128).mean() == pytest.approx(np.pi / 4 / 16, abs=0.01)


def test_a_large_box_is_averaged_not_sampled() -> None:
    # One pixel in two is white: a crop eight times smaller must be grey all over.
    image = np.zeros((1000, 1000, 3), np.uint8)
    image[:, ::2] = 255
    part = crop(image, np.array([[500.0, 500.0, 340.0, 340.0, 0.0]]), views=(1.5,))[0]
    assert part.astype(float).std() < 12 and 100 < part.mean() < 155


@given(st.floats(-3.1, 3.1))
def test_a_clear_direction_comes_back(angle: float) -> None:
    bins = np.arange(BINS) * 2 * np.pi / BINS
    apart = np.abs((bins - angle + np.pi) % (2 * np.pi) - np.pi)
    shares = np.exp(-((apart / np.deg2rad(8)) ** 2) / 2)
    told, sure = decode((shares / shares.sum())[None], np.array([False]))
    assert abs((told[0] - angle + np.pi) % (2 * np.pi) - np.pi) < np.deg2rad(3)
    assert sure[0] > 0.95


def test_two_ways_to_read_it_is_no_way_to_be_sure() -> None:
    shares = np.zeros((1, BINS))
    shares[0, [0, BINS // 2]] = 0.5
    for squared in (True, False):
        assert decode(shares, np.array([squared]))[1][0] == pytest.approx(0.5)


def test_nothing_known_is_not_sure_and_squares_look_along_a_side() -> None:
    even = np.full((1, BINS), 1 / BINS)
    assert decode(even, np.array([False]))[1][0] < 0.2
    assert decode(even, np.array([True]))[1][0] == pytest.approx(0.25)
    shares = np.zeros((1, BINS))
    shares[0, 2] = 1.0
    assert decode(shares, np.array([True]))[0][0] == 0.0


def test_only_what_has_a_front_gets_a_facing(facing: FacingModel) -> None:
    image = np.random.default_rng(0).integers(0, 255, (300, 300, 3), dtype=np.uint8)
    boxes = np.array([[60.0, 60, 40, 40, 0.1], [150, 150, 40, 40, 0.0], [220, 220, 30, 30, 0.0]])
    angle, sure = facing(image, corners_of(boxes), np.array([RECT, ROUND, TOKEN]))
    assert np.isnan(angle[2]) and sure[2] == 0.0
    assert ((sure[:2] > 0) & (sure[:2] <= 1)).all()
    known = ~np.isnan(angle)
    assert (np.abs(angle[known]) <= np.pi).all()


def test_a_grey_table_has_no_facing(facing: FacingModel) -> None:
    boxes = np.column_stack([np.full((3, 2), 150.0), np.full((3, 2), 40.0), np.array([0.0, 0.2, 0.4])])
    angle, _ = facing(
        np.full((300, 300, 3), 128, np.uint8), corners_of(boxes), np.array([RECT, ROUND, ROUND])
    )
    assert np.isnan(angle).all()


def test_a_guess_is_there_even_where_nothing_is_claimed(facing: FacingModel) -> None:
    image = np.random.default_rng(0).integers(0, 255, (300, 300, 3), dtype=np.uint8)
    corners = corners_of(
        np.array([[60.0, 60, 40, 40, 0.1], [150, 150, 40, 40, 0.0], [220, 220, 30, 30, 0.0]])
    )
    kinds = np.array([RECT, ROUND, TOKEN])
    guess, sure, told = facing.guess(image, corners, kinds)
    claim, _ = facing(image, corners, kinds)
    assert np.isfinite(guess).tolist() == [True, True, False] and sure[2] == 0.0
    assert np.array_equal(np.isfinite(claim), told) and np.array_equal(claim[told], guess[told])


def test_no_boxes_no_answers(facing: FacingModel) -> None:
    angle, sure = facing(np.zeros((50, 50, 3), np.uint8), np.zeros((0, 4, 2)), np.zeros(0, dtype=int))
    assert len(angle) == len(sure) == 0


def test_many_boxes_answer_as_one_does(facing: FacingModel) -> None:
    image = np.random.default_rng(1).integers(0, 255, (400, 400, 3), dtype=np.uint8)
    boxes = np.column_stack(
        [np.random.default_rng(2).uniform(60, 340, (40, 2)), np.full((40, 2), 30.0), np.zeros(40)]
    )
    kinds = np.full(40, RECT)
    _, together = facing(image, corners_of(boxes), kinds)
    _, alone = facing(image, corners_of(boxes[35:36]), kinds[35:36])
    assert together[35] == pytest.approx(alone[0], abs=2e-3)


def test_the_detectors_file_is_not_a_facing_network(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="card of a facing"):
        FacingModel.load(shipped("regla-nano"))
    for suffix in (".onnx", ".json"):
        shutil.copy(shipped("regla-facing").with_suffix(suffix), tmp_path / f"f{suffix}")
    card = json.loads((tmp_path / "f.json").read_text())
    (tmp_path / "f.json").write_text(json.dumps(card | {"bins": 8}))
    with pytest.raises(ModelFileError, match="36 directions"):
        FacingModel.load(tmp_path / "f.onnx")


def test_the_card_has_a_threshold_for_every_class_with_a_front() -> None:
    card = json.loads(shipped("regla-facing").with_suffix(".json").read_text())
    assert set(card["confidence"]) == set(FACING_CLASSES)
    assert all(0.3 <= value <= 1 for value in card["confidence"].values())
