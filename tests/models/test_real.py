"""Other people's labels become ours, and pictures of one table never stand on both sides."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from regla.models.classes import CLASSES
from regla.models.labels import read_labels
from regla.models.real import convert, read_all


def scene(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return cv2.resize(
        rng.integers(0, 255, (16, 16, 3), dtype=np.uint8), (320, 320), interpolation=cv2.INTER_CUBIC
    )


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    root = tmp_path / "photos"
    go = root / "round-tokens-labelled"
    hexes = root / "hexboard-labelled"
    for folder in (go, hexes / "tiles", hexes / "pieces"):
        for kind in ("images", "labels"):
            (folder / kind).mkdir(parents=True)
    for i in range(12):
        cv2.imwrite(str(go / f"images/b{i}.jpg"), scene(i))
        (go / f"labels/b{i}.txt").write_text("\n".join(["0 0.5 0.5 0.1 0.2"] + ["1 0.5 0.5 0.1 0.2"] * i))
    corners = " ".join(
        f"{0.5 + 0.2 * np.cos(a):.5f} {0.5 + 0.2 * np.sin(a):.5f}" for a in np.arange(6) * np.pi / 3
    )
    for board in ("board1", "board4"):
        picture = scene(int(board[-1]) + 50)
        cv2.imwrite(str(hexes / f"tiles/images/{board}_jpg.rf.aa.jpg"), picture)
        (hexes / f"tiles/labels/{board}_jpg.rf.aa.txt").write_text(f"0 {corners}")
        # The copy with the pieces is the same photograph, mirrored and brightened.
        cv2.imwrite(
            str(hexes / f"pieces/images/{board}_png.rf.bb.jpg"), cv2.add(picture[:, ::-1], np.full(4, 12.0))
        )
        (hexes / f"pieces/labels/{board}_png.rf.bb.txt").write_text("5 0.2 0.3 0.1 0.1")
    return root


def test_both_copies_of_a_board_get_hexes_and_pieces(photos: Path) -> None:
    boards = {p.name: p for p in read_all(photos) if p.name.startswith("hexboard")}
    assert len(boards) == 4
    for name, picture in boards.items():
        kinds = [CLASSES[i] for i in picture.labels.class_id]
        assert kinds == ["hex", "cube"], name
        cube = picture.labels.corners_px[1].mean(axis=0)
        # Labelled at (0.2, 0.3) in the mirrored copy, so at (0.8, 0.3) in the other.
        assert cube == pytest.approx(
            (0.8 * 320, 0.3 * 320) if "_t_" in name else (0.2 * 320, 0.3 * 320), abs=2
        )
    assert {p.split for p in boards.values() if "board4" in p.name} == {"val"}
    assert {p.split for p in boards.values() if "board1" in p.name} == {"train"}


def test_stones_are_tokens_and_like_boards_stay_together(photos: Path, tmp_path: Path) -> None:
    counts = convert(photos, tmp_path / "out")
    assert counts["train"] > counts["val"] > 0
    label = next((tmp_path / "out/train/labels").glob("go_*.txt"))
    labels = read_labels(label, (320, 320))
    assert set(labels.class_id) == {CLASSES.index("token")}
    assert labels.corners_px[0].max(axis=0) - labels.corners_px[0].min(axis=0) == pytest.approx(
        [32, 64], abs=0.1
    )
    again = {p.name: p.split for p in read_all(photos)}
    assert again == {p.name: p.split for p in read_all(photos)}


def test_a_folder_without_photographs_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="round-tokens-labelled"):
        read_all(tmp_path)
