"""Labels: files, boxes of outlines, cutting at a tile's rim, truth documents and corrected scenes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from regla.calibration import Camera, Pose, TableView
from regla.models.classes import CLASSES
from regla.models.from_scene import labels_of_scene
from regla.models.labels import (
    Labels,
    clip_labels,
    hex_corners,
    labels_from_truth,
    read_labels,
    round_corners,
    write_labels,
)
from regla.rules import Scene
from regla.vision.boxes import boxes_of, corners_of


def hexagon(cx: float, cy: float, radius: float, turn: float) -> np.ndarray:
    angle = turn + np.arange(6) * np.pi / 3
    return np.column_stack([cx + radius * np.cos(angle), cy + radius * np.sin(angle)])


def test_a_label_file_reads_back(tmp_path: Path) -> None:
    boxes = np.array([[100.0, 80.0, 40.0, 20.0, 0.4], [300.0, 200.0, 30.0, 30.0, 0.0]])
    labels = Labels(np.array([1, 6]), corners_of(boxes))
    write_labels(tmp_path / "a.txt", labels, (640, 480))
    back = read_labels(tmp_path / "a.txt", (640, 480))
    assert back.class_id.tolist() == [1, 6]
    assert back.corners_px == pytest.approx(labels.corners_px, abs=1e-3)


def test_a_picture_of_nothing_has_an_empty_file(tmp_path: Path) -> None:
    write_labels(tmp_path / "a.txt", Labels(np.zeros(0, dtype=np.int64), np.zeros((0, 4, 2))), (640, 480))
    assert (tmp_path / "a.txt").read_text() == ""
    assert len(read_labels(tmp_path / "a.txt", (640, 480))) == 0


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("0 0.1 0.1 0.2 0.2", r"a\.txt, line 1: expected a class and 4 corners"),
        ("99 0 0 1 0 1 1 0 1", r"no class 99"),
        ("1.5 0 0 1 0 1 1 0 1", r"no class 1\.5"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, says: str) -> None:
    (tmp_path / "a.txt").write_text(line)
    with pytest.raises(ValueError, match=says):
        read_labels(tmp_path / "a.txt", (640, 480))


@given(st.floats(-10, 10), st.floats(5, 200))
def test_a_hexagon_has_one_box_however_it_is_listed(turn: float, radius: float) -> None:
    box = boxes_of(hex_corners(hexagon(500, 400, radius, turn))[None])[0]
    for start in range(6):
        again = boxes_of(hex_corners(np.roll(hexagon(500, 400, radius, turn), start, axis=0))[None])[0]
        if abs(abs(np.rad2deg(box[4])) - 30) > 0.01:
            assert again == pytest.approx(box, abs=1e-6)
    assert abs(np.rad2deg(box[4])) <= 30 + 1e-6
    assert sorted(box[2:4]) == pytest.approx(sorted([radius * 2, radius * np.sqrt(3)]), rel=1e-6)


@given(
    st.floats(-600, 600), st.floats(-600, 600), st.floats(10, 120), st.floats(10, 120), st.floats(-1.5, 1.5)
)
def test_what_a_tile_keeps_lies_inside_it(x: float, y: float, w: float, h: float, turn: float) -> None:
    labels = Labels(np.array([1]), corners_of(np.array([[x, y, w, h, turn]])))
    part = clip_labels(labels, (-200.0, -200.0, 200.0, 200.0))
    if abs(x) < 100 and abs(y) < 100:
        assert part.corners_px[0] == pytest.approx(labels.corners_px[0] + 200, abs=1e-6)
    for corners in part.corners_px:
        centre = corners.mean(axis=0)
        assert (centre >= -1e-6).all() and (centre <= 400 + 1e-6).all()


def test_a_cut_box_keeps_its_direction_and_a_sliver_goes() -> None:
    boxes = np.array([[100.0, 50.0, 60.0, 20.0, 0.0], [100.0, 80.0, 60.0, 20.0, 0.0]])
    boxes[1, 0] = 124.0
    part = clip_labels(Labels(np.array([1, 2]), corners_of(boxes)), (0.0, 0.0, 100.0, 100.0))
    assert part.class_id.tolist() == [1]
    assert boxes_of(part.corners_px)[0] == pytest.approx([85, 50, 30, 20, 0])


def truth() -> dict:
    circle = (np.column_stack([np.cos(np.arange(32) / 5.1), np.sin(np.arange(32) / 5.1)]) * 20 + 100).tolist()
    square = [[300, 100], [340, 100], [340, 140], [300, 140]]
    return {
        "camera": {"size": [640, 480]},
        "objects": [
            {"class": "round-base", "outline_px": circle, "visible": 1.0},
            {"class": "rect-base", "outline_px": square, "visible": 0.3},
            {"class": "hex", "outline_px": hexagon(500, 300, 40, 0.1).tolist(), "visible": 0.9},
            {"class": "token", "outline_px": square, "visible": 0.1},
        ],
    }


def test_a_truth_document_becomes_labels() -> None:
    labels, seen = labels_from_truth(truth())
    assert [CLASSES[i] for i in labels.class_id] == ["round-base", "rect-base", "hex"]
    assert seen.tolist() == [1.0, 0.3, 0.9]
    # OpenCV's pixel (300, 100) is the middle of a pixel; label files count from the picture's corner.
    assert labels.corners_px[1].min(axis=0).tolist() == [300.5, 100.5]
    assert labels.corners_px[0] == pytest.approx(round_corners(labels.corners_px[0]))


def test_a_corrected_scene_becomes_labels_where_its_pieces_are_seen() -> None:
    camera = Camera((1920, 1080), np.array([[1500.0, 0, 960], [0, 1500, 540], [0, 0, 1]]), np.zeros(5))
    # Straight above the middle of a 900 × 600 mm table, 1.5 m up: a millimetre is a pixel on the table's surface.
    pose = Pose(np.array([np.pi, 0.0, 0.0]), np.array([-450.0, 300.0, 1500.0]))
    view = TableView(camera, pose)
    scene = Scene.parse(
        {
            "game": "t9a",
            "unit": "mm",
            "table": {"width": 900, "depth": 600},
            "pieces": [
                {
                    "id": "hero",
                    "at": [450, 300],
                    "facing": 90,
                    "height": 0,
                    "base": {"shape": "circle", "diameter": 40},
                },
                {
                    "id": "spears",
                    "kind": "unit",
                    "at": [200, 300],
                    "facing": 0,
                    "height": 0,
                    "base": {"shape": "rect", "width": 20, "depth": 30},
                    "files": 5,
                    "count": 12,
                },
                {"id": "lost", "at": [9000, 300], "facing": 0, "base": {"shape": "circle", "diameter": 40}},
                {"id": "unknown", "at": [100, 100], "base": {"shape": "rect", "width": 20, "depth": 20}},
            ],
        }
    )
    labels = labels_of_scene(scene, view)
    boxes = boxes_of(labels.corners_px)
    assert [CLASSES[i] for i in labels.class_id] == ["round-base"] + ["rect-base"] * 12
    assert boxes[0] == pytest.approx([960.5, 540.5, 40, 40, 0], abs=0.1)
    # Front to the right: ranks of 5, 5 and 2, each 30 mm deep, the middle of the block at the unit's place.
    assert sorted(set(np.round(boxes[1:, 0]).astype(int))) == [680, 710, 740]
    assert np.sort(boxes[1:, 2:4], axis=1) == pytest.approx(np.array([[20.0, 30.0]] * 12), abs=0.1)
