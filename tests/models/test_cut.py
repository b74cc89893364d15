"""Training tiles: what is cut is labelled where it lies, the same every time, and pixels follow the boxes."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from regla.models.cut import cut_picture, cut_sources, degrade, load_picture
from regla.models.labels import Labels, read_labels, write_labels
from regla.vision.boxes import boxes_of, corners_of


def checkered(width: int = 900, height: int = 700) -> tuple[np.ndarray, Labels]:
    """Bright squares on black, each labelled."""
    image = np.zeros((height, width, 3), np.uint8)
    boxes = []
    for x in range(60, width - 60, 90):
        for y in range(60, height - 60, 90):
            cv2.rectangle(image, (x, y), (x + 29, y + 29), (255, 255, 255), -1)
            boxes.append((x + 15, y + 15, 30, 30, 0.0))
    return image, Labels(np.ones(len(boxes), dtype=np.int64), corners_of(np.array(boxes, dtype=float)))


def test_boxes_stay_on_their_pixels_whatever_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regla.models.cut.CHANGES", ())
    image, labels = checkered()
    for seed in range(12):
        tile, part = cut_picture(image, labels, np.random.default_rng(seed))
        assert max(tile.shape[:2]) <= 448
        grey = tile[..., 0].astype(float) / 255
        for corners in part.corners_px:
            low = np.floor(corners.min(axis=0) + 1.5).astype(int)
            high = np.ceil(corners.max(axis=0) - 1.5).astype(int)
            if (high - low < 4).any():
                continue
            assert grey[low[1] : high[1], low[0] : high[0]].mean() > 0.9
        area = sum(w * h for w, h in boxes_of(part.corners_px)[:, 2:4])
        assert area == pytest.approx(grey.sum(), rel=0.1)


def test_tiles_are_the_same_every_time_and_only_new_ones_are_cut(tmp_path: Path) -> None:
    image, labels = checkered()
    for kind in ("images", "labels"):
        (tmp_path / "set" / kind).mkdir(parents=True)
    cv2.imwrite(str(tmp_path / "set/images/a.png"), image)
    write_labels(tmp_path / "set/labels/a.txt", labels, (900, 700))
    assert cut_sources([tmp_path / "set"], tmp_path / "one", tiles=3) == 3
    assert cut_sources([tmp_path / "set"], tmp_path / "one", tiles=4) == 1
    assert cut_sources([tmp_path / "set"], tmp_path / "two", tiles=4) == 4
    for path in (tmp_path / "one/labels").iterdir():
        assert path.read_text() == (tmp_path / "two/labels" / path.name).read_text()
        other = tmp_path / "two/images" / f"{path.stem}.jpg"
        assert (tmp_path / "one/images" / other.name).read_bytes() == other.read_bytes()
    tile = cv2.imread(str(tmp_path / "one/images/a_0.jpg"))
    assert len(read_labels(tmp_path / "one/labels/a_0.txt", (tile.shape[1], tile.shape[0]))) > 0


def test_an_unreadable_picture_is_named(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images/broken.jpg").write_bytes(b"not a picture")
    with pytest.raises(ValueError, match=r"broken\.jpg is not a picture"):
        load_picture(tmp_path / "images/broken.jpg")


def test_degrading_keeps_a_picture_a_picture() -> None:
    image, _ = checkered(200, 200)
    for seed in range(20):
        worse = degrade(image, np.random.default_rng(seed))
        assert worse.shape == image.shape and worse.dtype == np.uint8
        assert worse.max() > worse.min()
