"""Real photographs as training data: other people's labels turned into our classes, and a split that cannot leak.

``python -m regla.models.real PHOTOS OUT`` reads the folders named in ``SETS`` and writes ``OUT/{train,val}/{images,labels}``.
Pictures that show the same table (copies of one photograph, frames of one film) stay on one side of the split.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from regla.models.classes import CLASSES
from regla.models.labels import Labels, hex_corners, round_corners, write_labels

__all__ = ["RealPicture", "convert", "read_all"]

TOKEN = CLASSES.index("token")
HEX = CLASSES.index("hex")
CUBE = CLASSES.index("cube")
ROUND_BASE = CLASSES.index("round-base")
HAND = CLASSES.index("hand")

# Held back for validation, by photograph: all copies of a board are on one side.
VAL_HEX_BOARDS = frozenset({"board4", "board9", "board12", "board17", "board21"})
# Frames of one film are alike: the last quarter is held back, not a random one.
VAL_MECH_FROM = {"obb": 24, "front": 14}
# One picture in five of the go boards; boards with the same number of stones are taken as the same board.
VAL_TOKEN_SHARE = 5

# Hands drawn round by eye in the pictures above (their labels know stones, hexes and miniatures only).
HANDS_FILE = Path(__file__).with_name("hands.json")


@dataclass(frozen=True)
class RealPicture:
    """One labelled photograph and the side of the split it is on."""

    name: str
    path: Path
    labels: Labels
    split: str


def _rows(path: Path) -> list[list[float]]:
    return [
        [float(v) for v in line.split()]
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]


def _upright(rows: NDArray[np.floating], size_px: tuple[int, int]) -> NDArray[np.floating]:
    """Corners of YOLO boxes ``x y w h`` (shares of the picture)."""
    width, height = size_px
    low = (rows[:, :2] - rows[:, 2:4] / 2) * (width, height)
    high = (rows[:, :2] + rows[:, 2:4] / 2) * (width, height)
    corners = [
        [low[:, 0], low[:, 1]],
        [high[:, 0], low[:, 1]],
        [high[:, 0], high[:, 1]],
        [low[:, 0], high[:, 1]],
    ]
    return np.stack([np.stack(c, axis=1) for c in corners], axis=1)


def _labels(class_ids: list[int], corners: list[NDArray[np.floating]]) -> Labels:
    return Labels(np.array(class_ids, dtype=np.int64), np.array(corners, dtype=np.float64).reshape(-1, 4, 2))


def _read(path: Path) -> NDArray[Any]:
    image = cv2.imread(str(path))
    if image is None:
        raise ValueError(f"{path.name} is not a picture that can be read")
    return image


def _size(path: Path) -> tuple[int, int]:
    image = _read(path)
    return image.shape[1], image.shape[0]


def _tokens(folder: Path) -> Iterator[RealPicture]:
    for path in sorted((folder / "images").glob("*.jpg")):
        rows = np.array(_rows(folder / "labels" / f"{path.stem}.txt")).reshape(-1, 5)
        corners = _upright(rows[:, 1:], _size(path))
        black = int((rows[:, 0] == 0).sum())
        group = black * 1009 + len(rows)
        split = "val" if group % VAL_TOKEN_SHARE == 0 else "train"
        yield RealPicture(f"go_{path.stem}", path, _labels([TOKEN] * len(rows), list(corners)), split)


def _six(points: NDArray[np.floating]) -> NDArray[np.floating] | None:
    """A traced outline as the six corners of a hexagon, or nothing if it is none."""
    hull = cv2.convexHull(points.astype(np.float32))
    around = cv2.arcLength(hull, True)
    for tolerance in np.linspace(0.01, 0.09, 17):
        fit = cv2.approxPolyDP(hull, tolerance * around, True).reshape(-1, 2)
        if len(fit) == 6:
            return fit.astype(np.float64)
        if len(fit) < 6:
            break
    return None


def _board_of(path: Path) -> str:
    match = re.match(r"[A-Za-z]+_?\d+", path.name)
    if match is None:
        raise ValueError(f"{path.name}: no board number at the start of the name")
    return match.group(0)


def _same_photo(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any] | None:
    """The 2×3 map from ``a`` to ``b`` if both are copies of one photograph, turned, mirrored or brightened."""
    height, width = a.shape[:2]
    small_a = cv2.resize(cv2.cvtColor(a, cv2.COLOR_BGR2GRAY), (64, 64), interpolation=cv2.INTER_AREA).astype(
        np.float64
    )
    small_b = cv2.resize(cv2.cvtColor(b, cv2.COLOR_BGR2GRAY), (64, 64), interpolation=cv2.INTER_AREA).astype(
        np.float64
    )
    small_a = (small_a - small_a.mean()) / (small_a.std() + 1e-9)
    small_b = (small_b - small_b.mean()) / (small_b.std() + 1e-9)
    unit = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    best, best_likeness = None, 0.9
    for mirrored in (False, True):
        for quarter in range(4):
            turned = np.rot90(small_a[:, ::-1] if mirrored else small_a, quarter)
            likeness = float((turned * small_b).mean())
            if likeness > best_likeness:
                at = unit.copy()
                if mirrored:
                    at[:, 0] = 1.0 - at[:, 0]
                for _ in range(quarter):
                    at = np.stack([at[:, 1], 1.0 - at[:, 0]], axis=1)
                scale = np.array([width, height], dtype=np.float64)
                best = cv2.getAffineTransform(
                    (unit * scale).astype(np.float32), (at * scale).astype(np.float32)
                )
                best_likeness = likeness
    return best


def _hexboards(folder: Path) -> Iterator[RealPicture]:
    """Hexes and wooden pieces are labelled in different copies of the same photographs: each copy gets both."""
    tiles = sorted((folder / "tiles/images").glob("*.jpg"))
    pieces = sorted((folder / "pieces/images").glob("*.jpg"))
    pixels = {path: _read(path) for path in tiles + pieces}

    def hexes(path: Path) -> list[NDArray[np.floating]]:
        size = np.array([pixels[path].shape[1], pixels[path].shape[0]], dtype=np.float64)
        found = []
        for row in _rows(folder / "tiles/labels" / f"{path.stem}.txt"):
            six = _six(np.array(row[1:]).reshape(-1, 2) * size)
            if six is not None:
                found.append(six)
        return found

    def cubes(path: Path) -> list[NDArray[np.floating]]:
        rows = np.array(_rows(folder / "pieces/labels" / f"{path.stem}.txt")).reshape(-1, 5)
        return list(_upright(rows[:, 1:], (pixels[path].shape[1], pixels[path].shape[0])))

    for own, other, is_tile in ((tiles, pieces, True), (pieces, tiles, False)):
        for path in own:
            found_hex = hexes(path) if is_tile else []
            found_cube = [] if is_tile else cubes(path)
            for twin in other:
                if _board_of(twin) != _board_of(path):
                    continue
                move = _same_photo(pixels[twin], pixels[path])
                if move is None:
                    continue
                carried = cubes(twin) if is_tile else hexes(twin)
                carried = [c @ move[:, :2].T + move[:, 2] for c in carried]
                if is_tile:
                    found_cube = carried
                else:
                    found_hex = carried
                break
            corners = [hex_corners(points) for points in found_hex] + [
                round_corners(points) for points in found_cube
            ]
            labels = _labels([HEX] * len(found_hex) + [CUBE] * len(found_cube), corners)
            split = "val" if _board_of(path) in VAL_HEX_BOARDS else "train"
            # A picture with pieces labelled and hexes not would teach that hexes are background.
            if found_hex:
                yield RealPicture(f"hexboard_{'t' if is_tile else 'p'}_{path.stem}", path, labels, split)


def _mech(folder: Path) -> Iterator[RealPicture]:
    for kind in ("obb", "front"):
        for path in sorted((folder / kind / "images").glob("*.jpg")):
            size = _size(path)
            rows = np.array(_rows(folder / kind / "labels" / f"{path.stem}.txt"))
            if kind == "obb":
                corners = rows[:, 1:9].reshape(-1, 4, 2) * np.array(size, dtype=np.float64)
            else:
                corners = _upright(rows[:, 1:5], size)
            # A miniature seen from straight above hides its base: the box of the figure stands for it.
            labels = _labels([ROUND_BASE] * len(rows), list(corners))
            split = "val" if int(path.stem.rsplit("_", 1)[1]) >= VAL_MECH_FROM[kind] else "train"
            yield RealPicture(f"mech_{kind}_{path.stem}", path, labels, split)


def _with_hands(picture: RealPicture, hands: dict[str, list[list[list[float]]]]) -> RealPicture:
    outlines = hands.get(picture.name)
    if not outlines:
        return picture
    corners = [round_corners(np.array(outline)) for outline in outlines]
    labels = Labels(
        np.concatenate([picture.labels.class_id, np.full(len(corners), HAND)]),
        np.concatenate([picture.labels.corners_px, np.array(corners)]),
    )
    return RealPicture(picture.name, picture.path, labels, picture.split)


SETS = {"round-tokens-labelled": _tokens, "hexboard-labelled": _hexboards, "overhead-mech": _mech}


def read_all(photos: Path) -> list[RealPicture]:
    """Read every set that is there; a missing folder is skipped, an unreadable one is an error."""
    hands = json.loads(HANDS_FILE.read_text(encoding="utf-8")) if HANDS_FILE.exists() else {}
    pictures = []
    for name, reader in SETS.items():
        folder = photos / name
        if folder.is_dir():
            pictures += [_with_hands(picture, hands) for picture in reader(folder)]
    if not pictures:
        raise FileNotFoundError(f"{photos} has none of the folders {', '.join(SETS)}")
    return pictures


def convert(photos: Path, out: Path) -> dict[str, int]:
    """Write pictures (as links' copies) and labels below ``out``; returns how many went to each side."""
    counts: dict[str, int] = {}
    for picture in read_all(photos):
        for kind in ("images", "labels"):
            (out / picture.split / kind).mkdir(parents=True, exist_ok=True)
        (out / picture.split / "images" / f"{picture.name}.jpg").write_bytes(picture.path.read_bytes())
        write_labels(
            out / picture.split / "labels" / f"{picture.name}.txt", picture.labels, _size(picture.path)
        )
        counts[picture.split] = counts.get(picture.split, 0) + 1
    return counts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("photos", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    print(convert(given.photos, given.out))
