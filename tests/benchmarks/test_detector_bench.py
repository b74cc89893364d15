"""How fast the eyes are: one look at 1080p, the parts of it, and native tiles against one look."""

from __future__ import annotations

import numpy as np
import pytest
from regla.models.classes import CLASSES
from regla.vision.boxes import corners_of, keep_best, thin
from regla.vision.detect import Detector
from regla.vision.facing import FacingModel
from regla.vision.weights import ModelFile, shipped

RNG = np.random.default_rng(0)
FRAME = RNG.integers(0, 255, (1080, 1920, 3), dtype=np.uint8)


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector.load()


def test_one_look_at_1080p(benchmark, detector: Detector) -> None:
    benchmark.pedantic(detector, args=(FRAME,), warmup_rounds=2, rounds=10)


def test_one_look_at_720p(benchmark, detector: Detector) -> None:
    benchmark.pedantic(detector, args=(FRAME[:720, :1280],), warmup_rounds=2, rounds=10)


def test_1080p_in_tiles_of_640(benchmark) -> None:
    tiled = Detector(ModelFile.open(shipped("regla-nano"), "detector"), tile_px=(640, 640), overlap_px=128)
    benchmark.pedantic(tiled, args=(FRAME,), warmup_rounds=1, rounds=5)


def crowd(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ten finds each of a few hundred touching bases, as the network's head gives them."""
    side = 24.0
    places = np.array([(x, y) for x in range(20) for y in range(count // 20)], dtype=float) * side + 100
    boxes = np.repeat(
        np.column_stack([places, np.full((len(places), 2), side), np.zeros(len(places))]), 10, axis=0
    )
    boxes[:, :2] += RNG.normal(0, 1.0, (len(boxes), 2))
    return boxes, RNG.random(len(boxes)), np.ones(len(boxes), dtype=int)


def test_merging_300_bases_found_ten_times(benchmark) -> None:
    boxes, score, kinds = crowd(300)

    def merge() -> int:
        few = thin(boxes, score, kinds)
        return len(keep_best(boxes[few], score[few], kinds[few]))

    assert 290 <= benchmark(merge) <= 310


def test_merging_them_without_thinning_first(benchmark) -> None:
    boxes, score, kinds = crowd(300)
    benchmark.pedantic(keep_best, args=(boxes, score, kinds), rounds=3)


def test_facing_of_100_bases(benchmark) -> None:
    model = FacingModel.load()
    boxes = np.column_stack(
        [RNG.uniform(100, 900, (100, 2)), np.full((100, 2), 40.0), RNG.uniform(-0.7, 0.7, 100)]
    )
    kinds = np.full(100, CLASSES.index("rect-base"))
    benchmark.pedantic(model, args=(FRAME, corners_of(boxes), kinds), warmup_rounds=1, rounds=10)
