"""Tiles: everything is covered, everything is seen once, nothing is cut at a seam."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from regla.models.labels import Labels, clip_rows
from regla.vision.boxes import boxes_of, corners_of, iou
from regla.vision.detect import OVERLAP_PX, TILE_PX, merge, place, plan_tiles


@given(st.integers(1, 9000), st.integers(1, 9000))
def test_tiles_cover_every_pixel_and_overlap(width: int, height: int) -> None:
    tiles = [t for t in plan_tiles(width, height) if t.scale == 1.0]
    for length, starts, sizes, tile in (
        (width, sorted({t.left for t in tiles}), {t.width for t in tiles}, TILE_PX[0]),
        (height, sorted({t.top for t in tiles}), {t.height for t in tiles}, TILE_PX[1]),
    ):
        assert sizes == {min(length, tile)}
        assert starts[0] == 0
        assert starts[-1] + min(length, tile) == length
        assert all(b - a <= tile - OVERLAP_PX for a, b in pairwise(starts))


def test_the_last_level_sees_the_picture_whole() -> None:
    last = plan_tiles(7000, 3000)[-1]
    assert (last.left, last.top) == (0, 0)
    assert last.width == round(7000 * last.scale) and last.height == round(3000 * last.scale)


@pytest.mark.parametrize("overlap", [1088, 2000])
def test_an_overlap_larger_than_a_tile_is_refused(overlap: int) -> None:
    with pytest.raises(ValueError, match="overlap"):
        plan_tiles(4000, 3000, overlap_px=overlap)


def seen_through_tiles(
    truth: Labels, width: int, height: int, tile_px: tuple[int, int], overlap: int
) -> tuple:
    """What a perfect network would report from every tile, merged."""
    rows = []
    for tile in plan_tiles(width, height, tile_px, overlap):
        scaled = Labels(truth.class_id, truth.corners_px * tile.scale)
        part, index = clip_rows(scaled, (tile.left, tile.top, tile.left + tile.width, tile.top + tile.height))
        score = 0.5 + 0.4 * np.random.default_rng(len(rows)).random(len(index))
        rows.append(place(tile, (width, height), part.class_id, score, boxes_of(part.corners_px)))
    return merge(np.concatenate(rows))


def lattice(width: int, height: int, side: float, angle: float) -> Labels:
    xs = np.arange(side, width - side, side * 1.05)
    ys = np.arange(side, height - side, side * 1.05)
    centres = np.array([(x, y) for x in xs for y in ys])
    boxes = np.column_stack([centres, np.full((len(centres), 2), side * 0.7), np.full(len(centres), angle)])
    return Labels(np.ones(len(boxes), dtype=np.int64), corners_of(boxes))


@pytest.mark.parametrize("angle", [0.0, 0.3, 0.78])
@pytest.mark.parametrize("side", [40.0, 61.0, 120.0])
def test_a_crowd_of_touching_bases_is_seen_once_each(side: float, angle: float) -> None:
    truth = lattice(1200, 900, side, angle)
    seen = seen_through_tiles(truth, 1200, 900, (640, 640), 128)
    assert len(seen) == len(truth)
    shares = iou(boxes_of(truth.corners_px), seen.box_px)
    assert (shares.max(axis=1) > 0.99).all()


def test_a_thing_larger_than_the_overlap_is_seen_once_and_whole() -> None:
    box = np.array([[700.0, 420.0, 520.0, 90.0, 0.2]])
    truth = Labels(np.array([2]), corners_of(box))
    seen = seen_through_tiles(truth, 1500, 1100, (640, 640), 128)
    assert len(seen) == 1
    assert iou(box, seen.box_px)[0, 0] > 0.99
