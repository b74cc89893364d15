"""Oriented boxes as arrays: corners, overlap, merging. Pure numpy and shapely, no pictures.

A box is ``(cx, cy, w, h, angle_rad)`` in pixels; the angle turns +x towards +y, clockwise as seen in a picture (y points
down). A box has no front: it is the same box after half a turn, a square one after a quarter.
"""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import NDArray

__all__ = ["a_few", "area_px2", "boxes_of", "corners_of", "iou", "keep_best", "overlap_px2", "thin"]

Floats = NDArray[np.floating]

# Two finds of one class that share this much are one thing seen twice. Bases that touch share nothing, tokens that
# lean on each other up to a third.
SAME_CLASS_IOU = 0.45
# Two names for one outline: only the better one stays. Higher than above, as a base may fill its tray almost fully.
ANY_CLASS_IOU = 0.80
# A find cut by the seam of a tile, and lying this far inside another of its class, is a piece of that other one.
FRAGMENT_SHARE = 0.70
# Boxes whose middles are farther apart than this share of the longest side are never one thing: half of each would have to
# lie in the other. Clipping the neighbours in ranks, which only touch, took longer than all other pairs together.
DOUBLE_WITHIN = 0.75
# Coordinates are rounded to this before clipping. Without a grid, two boxes that almost coincide can come out as sharing
# nothing at all (rounding errors of the clipper), and both would stay.
GRID_PX = 1e-6


def corners_of(boxes: Floats) -> Floats:
    """Give the four corners, in order round the box, as (N, 4, 2).

    >>> corners_of(np.array([[10.0, 20.0, 4.0, 2.0, 0.0]])).tolist()
    [[[8.0, 19.0], [12.0, 19.0], [12.0, 21.0], [8.0, 21.0]]]
    """
    boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 5)
    cos, sin = np.cos(boxes[:, 4]), np.sin(boxes[:, 4])
    along = np.stack([cos, sin], axis=1) * boxes[:, 2:3] / 2
    across = np.stack([-sin, cos], axis=1) * boxes[:, 3:4] / 2
    centre = boxes[:, :2]
    return np.stack(
        [centre - along - across, centre + along - across, centre + along + across, centre - along + across],
        axis=1,
    )


def boxes_of(corners: Floats) -> Floats:
    """Give the box whose sides follow the corners' mean edges, the angle within a quarter turn of +x.

    >>> boxes_of(np.array([[[8.0, 19.0], [12.0, 19.0], [12.0, 21.0], [8.0, 21.0]]])).tolist()
    [[10.0, 20.0, 4.0, 2.0, 0.0]]
    """
    c = np.asarray(corners, dtype=np.float64).reshape(-1, 4, 2)
    along = (c[:, 1] - c[:, 0] + c[:, 2] - c[:, 3]) / 2
    across = (c[:, 3] - c[:, 0] + c[:, 2] - c[:, 1]) / 2
    angle = np.arctan2(along[:, 1], along[:, 0])
    angle = (angle + np.pi / 2) % np.pi - np.pi / 2
    size = np.stack([np.linalg.norm(along, axis=1), np.linalg.norm(across, axis=1)], axis=1)
    return np.concatenate([c.mean(axis=1), size, angle[:, None]], axis=1)


def area_px2(boxes: Floats) -> Floats:
    """Width times height of each box."""
    boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 5)
    return boxes[:, 2] * boxes[:, 3]


def _near_pairs(a: Floats, b: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Index pairs whose upright bounding boxes meet: the only ones worth clipping."""
    corners_a, corners_b = corners_of(a), corners_of(b)
    low_a, high_a = corners_a.min(axis=1)[:, None], corners_a.max(axis=1)[:, None]
    low_b, high_b = corners_b.min(axis=1)[None], corners_b.max(axis=1)[None]
    rows, columns = np.nonzero(((low_a < high_b) & (low_b < high_a)).all(axis=2))
    return rows, columns


def overlap_px2(a: Floats, b: Floats, within: float = np.inf) -> Floats:
    """Shared area of every box of ``a`` with every box of ``b``, as (len(a), len(b)).

    Pairs whose middles are farther apart than ``within`` times the longest side of either are left at 0.

    >>> overlap_px2(np.array([[0.0, 0, 2, 2, 0]]), np.array([[1.0, 0, 2, 2, 0], [9.0, 0, 2, 2, 0]])).tolist()
    [[2.0, 0.0]]
    """
    a = np.asarray(a, dtype=np.float64).reshape(-1, 5)
    b = np.asarray(b, dtype=np.float64).reshape(-1, 5)
    shared = np.zeros((len(a), len(b)))
    rows, columns = _near_pairs(a, b)
    if np.isfinite(within):
        apart = np.hypot(*(a[rows, :2] - b[columns, :2]).T)
        close = apart < within * np.maximum(a[rows, 2:4].max(axis=1), b[columns, 2:4].max(axis=1))
        rows, columns = rows[close], columns[close]
    if len(rows):
        shapes_a = shapely.polygons(corners_of(a))
        shapes_b = shapely.polygons(corners_of(b))
        shared[rows, columns] = shapely.area(
            shapely.intersection(shapes_a[rows], shapes_b[columns], grid_size=GRID_PX)
        )
    return shared


def iou(a: Floats, b: Floats) -> Floats:
    """Intersection over union of every pair of boxes, as (len(a), len(b)).

    >>> iou(np.array([[0.0, 0, 2, 2, 0]]), np.array([[0.0, 0, 2, 2, np.pi / 2]])).round(6).tolist()
    [[1.0]]
    """
    shared = overlap_px2(a, b)
    total = area_px2(a)[:, None] + area_px2(b)[None, :] - shared
    return np.divide(shared, total, out=np.zeros_like(shared), where=total > 0)


# Finds of one class this near to each other, in shares of the smaller one's shorter side, within this ratio of size and,
# if they are long, of nearly one direction, overlap by more than SAME_CLASS_IOU for sure.
THIN_SHARE = 0.2
THIN_RATIO = 1.3
LONG_RATIO = 1.3
THIN_TURN_RAD = np.deg2rad(12.0)


def thin(boxes: Floats, score: Floats, class_id: NDArray[np.integer]) -> NDArray[np.intp]:
    """Leave out finds that lie almost exactly under a better one of their class; indices, best first.

    The network's head marks each thing a dozen times. This takes out most of them by their centres alone, so that the
    exact overlap in ``keep_best`` is computed for a few hundred boxes and not for thousands.

    >>> boxes = np.array([[50.0, 50, 20, 20, 0], [51.0, 50, 20, 20, 0], [58.0, 50, 20, 20, 0]])
    >>> thin(boxes, np.array([0.7, 0.9, 0.8]), np.array([0, 0, 0])).tolist()
    [1, 2]
    """
    boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 5)
    order = np.argsort(-np.asarray(score), kind="stable")
    boxes, kinds = boxes[order], np.asarray(class_id)[order]
    short, long = boxes[:, 2:4].min(axis=1), boxes[:, 2:4].max(axis=1)
    alive = np.ones(len(boxes), dtype=bool)
    for i in range(len(boxes)):
        if not alive[i]:
            continue
        rest = np.nonzero(alive[i + 1 :])[0] + i + 1
        gap = np.hypot(boxes[rest, 0] - boxes[i, 0], boxes[rest, 1] - boxes[i, 1])
        near = (kinds[rest] == kinds[i]) & (gap < THIN_SHARE * np.minimum(short[rest], short[i]))
        sized = (np.maximum(short[rest], short[i]) < THIN_RATIO * np.minimum(short[rest], short[i])) & (
            np.maximum(long[rest], long[i]) < THIN_RATIO * np.minimum(long[rest], long[i])
        )
        turn = np.abs((boxes[rest, 4] - boxes[i, 4] + np.pi / 2) % np.pi - np.pi / 2)
        stout = (long[rest] < LONG_RATIO * short[rest]) & (long[i] < LONG_RATIO * short[i])
        alive[rest[near & sized & (stout | (turn < THIN_TURN_RAD))]] = False
    return order[alive]


# Things whose areas differ by less (as a logarithm: by a third) may be of one block, and nearer than so many half diagonals.
ALIKE_LOG_AREA = 0.3
BLOCK_REACH = 5.0


def a_few(places: Floats, reach: Floats, areas: Floats, most: int) -> NDArray[np.bool_]:
    """Which of many to ask, best first: of those alike in size and close together only so many.

    >>> row = np.column_stack([np.arange(8) * 20.0, np.zeros(8)])
    >>> a_few(row, np.full(8, 14.0), np.full(8, 400.0), 3).tolist()
    [True, True, True, False, True, True, True, False]
    """
    places, areas = np.asarray(places), np.asarray(areas)
    alike = np.abs(np.log(areas[:, None] / areas[None])) < ALIKE_LOG_AREA
    near = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1)) < BLOCK_REACH * reach[:, None]
    near &= alike
    taken = np.zeros(len(places), dtype=bool)
    for n in range(len(places)):
        taken[n] = np.count_nonzero(near[n] & taken) < most
    return taken


def keep_best(
    boxes: Floats,
    score: Floats,
    class_id: NDArray[np.integer],
    cut: NDArray[np.bool_] | None = None,
    alike: NDArray[np.integer] | None = None,
) -> NDArray[np.intp]:
    """Say which finds stay when things seen twice are taken once: indices, best first.

    ``cut`` marks finds that a tile's inner seam cut short: a whole one always wins over them, whatever the scores.
    ``alike[class]`` puts classes that can be mistaken for each other in one group; two finds of different groups
    (a base on its tray) never push each other out.

    >>> two = np.array([[50.0, 50, 20, 20, 0], [51.0, 50, 20, 20, 0]])
    >>> keep_best(two, np.array([0.7, 0.9]), np.array([0, 0])).tolist()
    [1]
    """
    boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 5)
    n = len(boxes)
    if n == 0:
        return np.zeros(0, dtype=np.intp)
    is_cut = np.zeros(n, dtype=bool) if cut is None else np.asarray(cut, dtype=bool)
    group = class_id if alike is None else np.asarray(alike)[class_id]
    order = np.lexsort((-np.asarray(score), is_cut))
    shared = overlap_px2(boxes, boxes, DOUBLE_WITHIN)
    size = area_px2(boxes)
    union = size[:, None] + size[None, :] - shared
    ratio = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    same = class_id[:, None] == class_id[None, :]
    doubles = (same & (ratio > SAME_CLASS_IOU)) | (
        (group[:, None] == group[None, :]) & (ratio > ANY_CLASS_IOU)
    )
    inside = np.divide(shared, size[None, :], out=np.zeros_like(shared), where=size[None, :] > 0)
    doubles |= same & is_cut[None, :] & (inside > FRAGMENT_SHARE) & (size[:, None] >= size[None, :])
    alive = np.ones(n, dtype=bool)
    kept = []
    for i in order:
        if alive[i]:
            kept.append(i)
            alive &= ~doubles[i]
    return np.array(kept, dtype=np.intp)
