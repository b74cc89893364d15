"""A second look at boxes: they come back nearer to the truth, and with error bars that hold."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from regla.models.classes import CLASS_ID
from regla.models.labels import outline_corners
from regla.vision.boxes import boxes_of, corners_of
from regla.vision.catalogue import catalogue
from regla.vision.detect import Detections
from regla.vision.pipeline import Pipeline
from regla.vision.place import PLACED_CLASSES, Asked, PlaceModel, leaning, moved, moves, place_boxes, up_px
from regla.vision.proposals import propose
from regla.vision.truth import read_truth
from regla.vision.weights import ModelFileError, shipped

TABLES = Path(__file__).parents[2] / "samples" / "tables"
GAMES = ("t9a", "runewars", "mage-knight", "underworlds")

angles = st.floats(-np.pi, np.pi)
boxes = st.tuples(st.floats(0, 900), st.floats(0, 900), st.floats(8, 90), st.floats(8, 90), angles)


@pytest.fixture(scope="module")
def place() -> PlaceModel:
    return PlaceModel.load()


@given(
    boxes, st.floats(-8, 8), st.floats(-8, 8), st.floats(0.7, 1.4), st.floats(0.7, 1.4), st.floats(-0.6, 0.6)
)
def test_moves_take_a_box_to_the_true_one(box, dx, dy, wider, taller, turn):
    one = np.array([box])
    true = one + np.array([[dx, dy, 0, 0, turn]])
    true[:, 2:4] *= (wider, taller)
    # The true box may be read from any of its sides.
    for quarter in range(4):
        read = true.copy()
        read[:, 4] += quarter * np.pi / 2
        if quarter % 2:
            read[:, 2:4] = read[:, [3, 2]]
        assert np.allclose(moved(one, moves(one, read)), true, atol=1e-6)


@given(boxes, angles, st.booleans())
def test_a_box_is_read_so_that_things_lean_along_its_first_side(box, way, is_round):
    up = np.array([[np.cos(way), np.sin(way)]])
    read = leaning(np.array([box]), up, np.array([is_round]))
    apart = abs((read[0, 4] - way + np.pi) % (2 * np.pi) - np.pi)
    assert apart <= (1e-6 if is_round else np.pi / 4 + 1e-6)
    if not is_round:
        before, after = (corners_of(b)[0] for b in (np.array([box]), read))
        assert np.allclose(
            before[np.lexsort(before.T.round(5))], after[np.lexsort(after.T.round(5))], atol=1e-4
        )


def shaken(truth, seed, shake=0.05):
    """Detections as they might be: the true boxes of what is well seen, each off by chance."""
    rng = np.random.default_rng(seed)
    things = [o for o in truth.objects if o["class"] in PLACED_CLASSES and o["visible"] > 0.6]
    true = boxes_of(
        np.array([outline_corners(np.array(o["outline_px"], dtype=np.float64), o["class"]) for o in things])
    )
    off = true.copy()
    off[:, :2] += rng.normal(size=(len(true), 2)) * shake * true[:, 2:4].max(axis=1, keepdims=True)
    off[:, 2:4] *= np.exp(rng.normal(size=(len(true), 1)) * shake)
    ids = np.array([CLASS_ID[o["class"]] for o in things])
    return true, Detections(ids, np.full(len(true), 0.9), off, corners_of(off))


@pytest.mark.parametrize("game", GAMES)
def test_boxes_that_are_off_come_back_nearer(place, game):
    truth = read_truth(TABLES / f"{game}.truth.json")
    image = cv2.imread(str(truth.picture))
    before, after = [], []
    for seed in range(3):
        true, seen = shaken(truth, seed)
        placed = place_boxes(place, image, truth.view, seen, catalogue(game, {}, "mm"))
        before += np.hypot(*(seen.box_px - true)[:, :2].T).tolist()
        after += np.hypot(*(placed.corners_px.mean(axis=1) - true[:, :2]).T)[
            np.isfinite(placed.side_px)
        ].tolist()
    assert np.median(after) < 0.55 * np.median(before)


def test_error_bars_hold_on_the_sample_tables(place):
    inside = []
    for game in GAMES:
        truth = read_truth(TABLES / f"{game}.truth.json")
        image = cv2.imread(str(truth.picture))
        true, seen = shaken(truth, 5, 0.04)
        placed = place_boxes(place, image, truth.view, seen, catalogue(game, {}, "mm"))
        told = np.isfinite(placed.side_px)
        assert told.any() and (game != "mage-knight" or told.all())
        off = (placed.corners_px.mean(axis=1) - true[:, :2])[told]
        inside += (np.einsum("ni,nij,nj->n", off, np.linalg.inv(placed.cov_px2[told]), off) < 5.99).tolist()
    # Not yet 0.95: what the fit sees too is counted in `refine`, and holds there.
    assert np.mean(inside) > 0.9


def test_what_has_no_rim_is_not_asked(place):
    truth = read_truth(TABLES / "underworlds.truth.json")
    image = cv2.imread(str(truth.picture))
    box = np.array([[300.0, 300.0, 40.0, 35.0, 0.0]])
    seen = Detections(np.array([CLASS_ID["hex"]]), np.array([0.9]), box, corners_of(box))
    placed = place_boxes(place, image, truth.view, seen, catalogue("underworlds", {}, "mm"))
    assert np.array_equal(placed.corners_px, seen.corners_px)
    assert np.isnan(placed.cov_px2).all() and np.isnan(placed.side_px).all()
    none = place_boxes(place, image, truth.view, seen.take(np.zeros(1, bool)), catalogue("t9a", {}, "mm"))
    assert len(none.corners_px) == 0


def test_places_can_be_asked_about_one_by_one_or_not_at_all(place):
    truth = read_truth(TABLES / "t9a.truth.json")
    image = cv2.imread(str(truth.picture))
    bases = [o for o in truth.objects if o["class"] == "rect-base" and o["visible"] > 0.8]
    quads = np.array([o["outline_mm"] for o in bases], dtype=np.float64)
    asked = Asked(place, image, truth.view, float(np.median([o["height_mm"] for o in bases])))
    at, cov, whole = asked.stands(quads)
    assert np.median(np.hypot(*(at - quads.mean(axis=1)).T)) < 0.8
    assert (np.linalg.eigvalsh(cov) > 0).all()
    # Bases look like bases, and more so than the middle quarters of them.
    assert (whole > 0).mean() > 0.85
    halves = quads * 0.5 + quads.mean(axis=1, keepdims=True) * 0.5
    assert np.median(asked.whole(halves)) < np.median(whole)
    assert [len(part) for part in asked.stands(np.zeros((0, 4, 2)))] == [0, 0, 0]


def test_a_first_guess_carries_its_error_bar_in_millimetres(place):
    truth = read_truth(TABLES / "mage-knight.truth.json")
    image = cv2.imread(str(truth.picture))
    sizes = catalogue("mage-knight", {}, "mm")
    _, seen = shaken(truth, 1)
    placed = place_boxes(place, image, truth.view, seen, sizes)
    for one, cov_px in zip(propose(seen, truth.view, sizes, placed), placed.cov_px2, strict=True):
        scale = float(truth.view.mm_per_px(one.at_mm[None], one.height_mm)[0])
        assert one.box_cov_mm2 is not None
        assert np.trace(one.box_cov_mm2) == pytest.approx(np.trace(cov_px) * scale**2, rel=0.1)
    assert all(f.box_cov_mm2 is None for f in propose(seen, truth.view, sizes))


def test_which_way_things_lean_is_away_from_the_camera():
    view = read_truth(TABLES / "t9a.truth.json").view
    eye = view.pose.centre_mm
    at = eye[:2] + np.array([[300.0, 0.0], [-250.0, 200.0]])
    here = view.to_pixel(np.column_stack([at, [4.0, 4.0]]))
    outward = here - view.to_pixel(np.array([[eye[0], eye[1], 4.0]]))
    up = up_px(view, here, np.array([4.0, 4.0]))
    cosine = (up * outward).sum(axis=1) / np.linalg.norm(up, axis=1) / np.linalg.norm(outward, axis=1)
    assert (cosine > 0.95).all()


def test_without_the_network_boxes_are_taken_as_they_are():
    pipeline = Pipeline("mage-knight", place=False)
    assert pipeline.place is False and pipeline.place_sha256 is None
    assert pipeline.of_game("t9a", None).place is False


def test_another_network_is_refused_in_words(tmp_path):
    for suffix in (".onnx", ".json"):
        shutil.copy(shipped("regla-place").with_suffix(suffix), tmp_path / f"place{suffix}")
    card = json.loads((tmp_path / "place.json").read_text(encoding="utf-8"))
    (tmp_path / "place.json").write_text(json.dumps({**card, "moves": 3}), encoding="utf-8")
    with pytest.raises(ModelFileError, match="expected 5 moves"):
        PlaceModel.load(tmp_path / "place.onnx")
