"""Training tiles: square pieces of labelled pictures at about native size, each made a little worse than it was.

``python -m regla.models.cut OUT SOURCE… [--tiles N]`` reads ``SOURCE/images`` and ``SOURCE/labels`` and adds to
``OUT/images`` and ``OUT/labels``. What is already cut is left alone, so the same command catches up with a growing folder.
Every tile follows from the picture's name and the seed.
"""

from __future__ import annotations

import argparse
import json
import zlib
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from regla.models.classes import CLASSES
from regla.models.labels import Labels, clip_labels, labels_from_truth, read_labels, write_labels
from rich.progress import track

__all__ = ["cut_picture", "cut_sources", "degrade", "load_picture"]

TILE_PX = 448
# Cameras hang at other heights and have other lenses than the made pictures: tiles show things this much smaller or larger.
SCALE_RANGE = (0.6, 1.5)
# Share of tiles aimed at a thing rather than anywhere; rare classes are aimed at more often.
AIMED_SHARE = 0.85
# Crowded tiles cost a lot in training (every thing is compared with every anchor) and teach little more.
MAX_LABELS = 110
JPEG_QUALITY = 92


def _gamma(image: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    return np.power(image, np.exp(rng.normal(0.0, 0.3)), dtype=np.float32)


def _white_balance(image: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    return image * np.exp(rng.normal(0.0, 0.12, 3)).astype(np.float32)


def _saturation(image: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    grey = image.mean(axis=2, keepdims=True)
    return grey + (image - grey) * np.float32(rng.uniform(0.2, 1.6))


def _shade(image: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """A lamp from one side, or the shadow of an arm."""
    height, width = image.shape[:2]
    field = cv2.resize(
        rng.uniform(0.5, 1.3, (3, 3)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC
    )
    return image * field[:, :, None]


def _blur(image: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    return cv2.GaussianBlur(image, (0, 0), rng.uniform(0.4, 1.6))


def _noise(image: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    return image + rng.normal(0.0, rng.uniform(0.005, 0.04), image.shape).astype(np.float32)


# Each with how often it happens.
CHANGES = (
    (_gamma, 0.5),
    (_white_balance, 0.5),
    (_saturation, 0.4),
    (_shade, 0.4),
    (_blur, 0.3),
    (_noise, 0.3),
)


def degrade(image_bgr: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Light, colour, focus, noise and compression of a cheap camera in a dim room."""
    image = image_bgr.astype(np.float32) / 255.0
    for change, share in CHANGES:
        if rng.random() < share:
            image = np.clip(change(image, rng), 0.0, 1.0)
    pixels: Any = (image * 255.0).astype(np.uint8)
    if rng.random() < 0.3:
        pixels = cv2.imdecode(
            cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 80))])[1],
            cv2.IMREAD_COLOR,
        )
    return pixels


def load_picture(image_path: Path) -> tuple[NDArray[Any], Labels]:
    """Read a picture of ``…/images`` with its truth document (``…/truth``) or labels (``…/labels``)."""
    image = cv2.imread(str(image_path))
    if image is None:
        raise ValueError(f"{image_path} is not a picture that can be read")
    folder = image_path.parent.parent
    truth = folder / "truth" / f"{image_path.stem}.truth.json"
    if truth.is_file():
        return image, labels_from_truth(json.loads(truth.read_text(encoding="utf-8")))[0]
    return image, read_labels(folder / "labels" / f"{image_path.stem}.txt", (image.shape[1], image.shape[0]))


def _turned(image: NDArray[Any], labels: Labels, quarter: int) -> tuple[NDArray[Any], Labels]:
    """Turn picture and boxes by quarters: a table has no up, and upright boxes stay upright."""
    corners = labels.corners_px
    for _ in range(quarter):
        height = image.shape[0]
        image = np.rot90(image, -1)
        corners = np.stack([height - corners[..., 1], corners[..., 0]], axis=-1)
    return np.ascontiguousarray(image), Labels(labels.class_id, corners)


def cut_picture(
    image: NDArray[Any],
    labels: Labels,
    rng: np.random.Generator,
    tile_px: int = TILE_PX,
    scale_range: tuple[float, float] = SCALE_RANGE,
) -> tuple[NDArray[Any], Labels]:
    """Cut one tile: a random scale, a random place near something, turned by random quarters, degraded."""
    height, width = image.shape[:2]
    scale = float(np.exp(rng.uniform(*np.log(scale_range))))
    span = tile_px / scale
    if len(labels) and rng.random() < AIMED_SHARE:
        counts = np.bincount(labels.class_id, minlength=len(CLASSES))
        # The rarer a class in this picture, the likelier: trays and dice must not drown in rank and file.
        weight = 1.0 / np.sqrt(counts[labels.class_id])
        aim = labels.corners_px[rng.choice(len(labels), p=weight / weight.sum())].mean(axis=0)
        centre = aim + rng.uniform(-0.45, 0.45, 2) * span
    else:
        centre = rng.uniform((0, 0), (width, height))
    left = float(np.clip(centre[0] - span / 2, 0, max(0.0, width - span)))
    top = float(np.clip(centre[1] - span / 2, 0, max(0.0, height - span)))
    right, bottom = min(left + span, width), min(top + span, height)
    part = clip_labels(labels, (left, top, right, bottom))
    pixels = image[int(top) : int(np.ceil(bottom)), int(left) : int(np.ceil(right))]
    out = (max(1, round((right - left) * scale)), max(1, round((bottom - top) * scale)))
    matrix = np.array([[scale, 0, (int(left) - left) * scale], [0, scale, (int(top) - top) * scale]])
    if scale < 0.9:
        tile = cv2.resize(pixels, out, interpolation=cv2.INTER_AREA)
    else:
        tile = cv2.warpAffine(pixels, matrix, out, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    tile, part = _turned(tile, Labels(part.class_id, part.corners_px * scale), int(rng.integers(4)))
    return degrade(tile, rng), part


def cut_sources(
    sources: list[Path],
    out: Path,
    tiles: int,
    seed: int = 0,
    prefix: str = "",
    tile_px: int = TILE_PX,
    scale_range: tuple[float, float] = SCALE_RANGE,
) -> int:
    """Cut ``tiles`` tiles from every picture of every source; returns how many are new."""
    for kind in ("images", "labels"):
        (out / kind).mkdir(parents=True, exist_ok=True)
    pictures = [
        path
        for source in sources
        for path in sorted((source / "images").iterdir())
        if path.suffix in {".jpg", ".png"}
    ]
    added = 0
    for path in track(pictures, description="cutting tiles"):
        label = path.parent.parent / "labels" / f"{path.stem}.txt"
        wanted = [(k, f"{prefix}{path.stem}_{k}") for k in range(tiles)]
        wanted = [(k, name) for k, name in wanted if not (out / "labels" / f"{name}.txt").exists()]
        if not wanted or not label.exists():
            continue
        image, labels = load_picture(path)
        for k, name in wanted:
            rng = np.random.default_rng([seed, k, zlib.crc32(path.stem.encode())])
            for _ in range(4):
                tile, part = cut_picture(image, labels, rng, tile_px, scale_range)
                if len(part) <= MAX_LABELS:
                    break
            else:
                continue
            cv2.imwrite(str(out / "images" / f"{name}.jpg"), tile, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
            write_labels(out / "labels" / f"{name}.txt", part, (tile.shape[1], tile.shape[0]))
            added += 1
    return added


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("sources", type=Path, nargs="+")
    parser.add_argument("--tiles", type=int, default=4, help="tiles per picture")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--prefix", default="", help="put before the tiles' names")
    parser.add_argument("--side", type=int, default=TILE_PX, help="pixels along a tile's side")
    parser.add_argument(
        "--scales", type=float, nargs=2, default=SCALE_RANGE, help="smallest and largest scale"
    )
    given = parser.parse_args()
    low, high = given.scales
    made = cut_sources(
        given.sources, given.out, given.tiles, given.seed, given.prefix, given.side, (low, high)
    )
    print(made, "new tiles")
