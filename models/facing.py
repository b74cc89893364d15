"""Train the facing network: crops of bases, trays and standees, each with the direction its front points to.

``python -m regla.models.facing crops OUT.npz SOURCE… `` cuts crops from pictures with truth documents, ``… fit`` trains on
them, exports ``OUT.onnx`` and measures it. Cutting and measuring need no torch.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from regla.models.classes import CLASS_ID, CLASSES
from regla.models.export import write_card
from regla.models.labels import outline_corners
from regla.models.small import as_batch, export_crops, fit_crops
from regla.vision.boxes import boxes_of
from regla.vision.facing import (
    BINS,
    CROP_PX,
    FACING_CLASSES,
    SQUARED_CLASSES,
    VIEWS,
    FacingModel,
    crop,
    decode,
)
from rich.progress import track

__all__ = ["crops_of_picture", "cut_crops", "fit", "measure"]

# What the detector's boxes are off by, so that training sees crops as they will come: share of the size, and degrees.
JITTER_SHARE = 0.05
JITTER_DEG = 4.0
# Side of the crops kept for training, at the same scale: room to turn and move them.
WIDE_PX = 96
# Less than this seen and the front cannot be asked for.
MIN_VISIBLE = 0.5
# Width of the target round the true direction: under it two neighbouring bins cannot be told apart anyway.
TARGET_SIGMA_DEG = 6.0
RIGHT_DEG = 15.0
# What the claims must be worth on the validation crops; the threshold is put where they are.
WANTED_RIGHT = 0.98
# A threshold that rests on fewer crops than this is luck.
MIN_CLAIMS = 20


def front_px(truth: dict[str, Any], thing: dict[str, Any]) -> float:
    """The direction in the picture (radians, y down) in which a thing of a truth document faces."""
    outline = np.array(thing["outline_mm"], dtype=np.float64)
    centre = outline.mean(axis=0)
    heading = np.deg2rad(thing["facing"])
    ahead = centre + 5.0 * np.array([np.cos(heading), np.sin(heading)])
    points = np.array([[*centre, thing["height_mm"]], [*ahead, thing["height_mm"]]])
    camera = truth["camera"]
    pixels, _ = cv2.projectPoints(
        points,
        np.array(truth["pose"]["rvec"], dtype=np.float64),
        np.array(truth["pose"]["tvec"], dtype=np.float64),
        np.array(camera["matrix"], dtype=np.float64),
        np.array(camera["distortion"], dtype=np.float64),
    )
    step = pixels[1, 0] - pixels[0, 0]
    return float(np.arctan2(step[1], step[0]))


def crops_of_picture(
    image: NDArray[Any], truth: dict[str, Any], rng: np.random.Generator, most: int, wide: bool
) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.int64]]:
    """Crops, the front's direction inside each (NaN: it has none to see) and class numbers.

    At most ``most`` of a class: the twentieth spearman of a block teaches nothing. ``wide`` crops have room to be turned and
    moved in training; the others are as the detector would hand them over.
    """
    boxes: list[NDArray[np.float64]] = []
    angles, classes = [], []
    taken: dict[str, int] = {}
    things = truth["objects"]
    for index in rng.permutation(len(things)):
        thing = things[index]
        name = thing["class"]
        if name not in FACING_CLASSES or thing["visible"] < MIN_VISIBLE or taken.get(name, 0) >= most:
            continue
        taken[name] = taken.get(name, 0) + 1
        box = boxes_of(outline_corners(np.array(thing["outline_px"], dtype=np.float64), name)[None])[0]
        if wide:
            box[2:4] *= WIDE_PX / CROP_PX
        else:
            box[:2] += rng.normal(0.0, JITTER_SHARE / 2, 2) * box[2:4]
            box[2:4] *= np.exp(rng.normal(0.0, JITTER_SHARE / 2, 2))
        boxes.append(box)
        angles.append((np.nan if thing["facing"] is None else front_px(truth, thing)) - box[4])
        classes.append(CLASS_ID[name])
    side = WIDE_PX if wide else CROP_PX
    if not boxes:
        return np.zeros((0, side, side * len(VIEWS), 3), np.uint8), np.zeros(0), np.zeros(0, np.int64)
    return crop(image, np.array(boxes), side), np.array(angles), np.array(classes, dtype=np.int64)


def cut_crops(
    sources: list[Path], wide: bool, most: int = 12, seed: int = 0, limit: int | None = None
) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.int64]]:
    """Cut crops from every picture with a truth document below the sources (``images/`` and ``truth/``)."""
    rng = np.random.default_rng(seed)
    truths = [path for source in sources for path in sorted((source / "truth").glob("*.truth.json"))][:limit]
    parts = []
    for path in track(truths, description="cutting crops"):
        name = path.name.removesuffix(".truth.json")
        candidates = [path.parent.parent / "images" / f"{name}{suffix}" for suffix in (".jpg", ".png")]
        image = next((cv2.imread(str(p)) for p in candidates if p.exists()), None)
        if image is not None:
            parts.append(
                crops_of_picture(image, json.loads(path.read_text(encoding="utf-8")), rng, most, wide)
            )
    if not parts:
        raise FileNotFoundError(f"no pictures with truth documents below {', '.join(map(str, sources))}")
    images, angles, classes = zip(*parts, strict=True)
    return np.concatenate(images), np.concatenate(angles), np.concatenate(classes)


# Layers of the detector that the facing network begins with: up to its places every 8 px.
SHARED_LAYERS = 5
SHARED_CHANNELS = 128


def first_layers(detector: Path | None = None) -> Any:
    """The detector's first layers; with the safetensors of one they begin as that one's.

    Those have seen a million bases and figures already: alone, a network of its own learnt four times slower.
    """
    from regla.models.checkpoint import load_into
    from regla.models.export import NETWORK, network_settings
    from torch import nn
    from ultralytics.nn.tasks import OBBModel

    whole = OBBModel(network_settings(NETWORK), nc=len(CLASSES), verbose=False)
    if detector is not None:
        load_into(whole, detector)
    return nn.Sequential(*whole.model[:SHARED_LAYERS])


def _network(detector: Path | None = None) -> Any:
    import torch
    from torch import nn

    def step(before: int, after: int, stride: int) -> list[nn.Module]:
        return [nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.SiLU()]

    class Facing(nn.Module):
        """Every view through the same first layers, then place by place together."""

        def __init__(self) -> None:
            super().__init__()
            self.first = first_layers(detector)
            # Where in the crop a thing lies is what decides: no pooling over the whole crop, the last 4×4 places stay apart.
            self.then = nn.Sequential(
                *step(SHARED_CHANNELS * len(VIEWS), 128, 1),
                *step(128, 128, 2),
                nn.Flatten(),
                nn.Dropout(0.3),
                nn.Linear(128 * (CROP_PX // 16) ** 2, 160),
                nn.SiLU(),
                nn.Linear(160, BINS),
            )

        def forward(self, x: Any) -> Any:
            return self.then(torch.cat([self.first(view) for view in x.split(CROP_PX, dim=3)], dim=1))

    return Facing().to(memory_format=torch.channels_last)


def _turn(images: Any, angles: Any, squared: Any, generator: Any) -> tuple[Any, Any]:
    """Cut CROP_PX squares from wide crops, turned (squared ones by quarters and a little), moved and scaled a little."""
    import torch

    n = len(images)
    free = (torch.rand(n, generator=generator) * 2 - 1) * torch.pi
    quarter = torch.randint(4, (n,), generator=generator) * (torch.pi / 2)
    little = torch.randn(n, generator=generator) * np.deg2rad(JITTER_DEG)
    turn = torch.where(squared, quarter + little, free)
    size = torch.exp(torch.randn(n, generator=generator) * JITTER_SHARE) * (CROP_PX / WIDE_PX)
    # In the units of grid_sample a wide crop reaches from -1 to 1; the same move is less of a wider view.
    move = torch.randn(n, 2, generator=generator) * JITTER_SHARE * (CROP_PX / WIDE_PX)
    cos, sin = torch.cos(turn) * size, torch.sin(turn) * size
    cuts = []
    for view, part in zip(VIEWS, images.split(WIDE_PX, dim=3), strict=True):
        shift = move * (VIEWS[0] / view)
        theta = torch.stack(
            [torch.stack([cos, -sin, shift[:, 0]], 1), torch.stack([sin, cos, shift[:, 1]], 1)], 1
        )
        grid = torch.nn.functional.affine_grid(theta, [n, 3, CROP_PX, CROP_PX], align_corners=False)
        cuts.append(torch.nn.functional.grid_sample(part, grid, padding_mode="border", align_corners=False))
    return torch.cat(cuts, dim=3), angles - turn


def relit(images: Any, generator: Any) -> Any:
    """A batch (N, 3, H, W) in 0–1 in other light, other colours and with noise."""
    import torch

    n = len(images)
    gain = torch.exp(torch.randn(n, 3, 1, 1, generator=generator) * 0.12)
    images = images * gain * torch.exp(torch.randn(n, 1, 1, 1, generator=generator) * 0.3)
    mean = images.mean(dim=(2, 3), keepdim=True)
    images = mean + (images - mean) * torch.exp(torch.randn(n, 1, 1, 1, generator=generator) * 0.25)
    grey = images.mean(dim=1, keepdim=True)
    images = grey + (images - grey) * (0.3 + 1.1 * torch.rand(n, 1, 1, 1, generator=generator))
    noise = torch.rand(n, 1, 1, 1, generator=generator) * 0.05
    return (images + torch.randn(images.shape, generator=generator) * noise).clamp(0, 1)


def _augment(images: Any, angles: Any, generator: Any) -> tuple[Any, Any]:
    """Light, colour and mirror, in torch, for a batch (N, 3, H, W) in 0–1."""
    import torch

    images = relit(images, generator)
    mirror = torch.rand(len(images), generator=generator) < 0.5
    mirrored = torch.cat([view.flip(3) for view in images.split(CROP_PX, dim=3)], dim=3)
    images = torch.where(mirror[:, None, None, None], mirrored, images)
    angles = torch.where(mirror, torch.pi - angles, angles)
    return images, angles


def fit(
    crops: NDArray[Any],
    angles: NDArray[np.float64],
    classes: NDArray[np.int64],
    out: Path,
    epochs: int = 12,
    batch: int = 128,
    lr: float = 0.002,
    seed: int = 0,
    start_from: Path | None = None,
    detector: Path | None = None,
) -> Path:
    """Train on wide crops and write ``out`` (ONNX) and its weights beside it; returns ``out``."""
    import torch
    from safetensors.torch import load_file

    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    network = _network(detector)
    if start_from is not None:
        network.load_state_dict(load_file(str(start_from)))
    bins = torch.arange(BINS) * (2 * torch.pi / BINS)
    width = np.deg2rad(TARGET_SIGMA_DEG)
    squared = np.array([name in SQUARED_CLASSES for name in CLASSES])[classes]

    def loss_of(rows: NDArray[np.int64]) -> Any:
        truth = torch.from_numpy(angles[rows]).float()
        images, truth = _turn(as_batch(crops[rows]), truth, torch.from_numpy(squared[rows]), generator)
        images, truth = _augment(images, truth, generator)
        apart = torch.remainder(truth[:, None] - bins[None] + torch.pi, 2 * torch.pi) - torch.pi
        target = torch.softmax(-(apart.nan_to_num(0.0) ** 2) / (2 * width**2), dim=1)
        # No front to see: every direction alike, so that the answer is unsure.
        target = torch.where(truth.isnan()[:, None], torch.full_like(target, 1 / BINS), target)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = network(images.contiguous(memory_format=torch.channels_last)).float()
        return torch.nn.functional.cross_entropy(logits, target)

    fit_crops(network, classes, loss_of, out, epochs=epochs, batch=batch, lr=lr, seed=seed, warm_share=0.3)
    shares = torch.nn.Sequential(network, torch.nn.Softmax(dim=1))
    export_crops(shares, (CROP_PX, CROP_PX * len(VIEWS)), out, "shares")
    write_card(out, "facing", bins=BINS, crop_px=CROP_PX, views=list(VIEWS), classes=sorted(FACING_CLASSES))
    return out


def measure(
    model: FacingModel,
    crops: NDArray[Any],
    angles: NDArray[np.float64],
    classes: NDArray[np.int64],
    thresholds: dict[str, float] | None = None,
) -> dict[str, Any]:
    """Share claimed, right within 15° and turned round, per class.

    At the given thresholds, or where the claims are worth ``WANTED_RIGHT`` on these very crops (nowhere: it never claims).
    """
    squared = np.array([name in SQUARED_CLASSES for name in CLASSES])[classes]
    angle, sure = decode(model.shares(crops), squared)
    off = np.abs((angle - angles + np.pi) % (2 * np.pi) - np.pi)
    rows: dict[str, Any] = {}
    for name in sorted(FACING_CLASSES):
        mine = (classes == CLASS_ID[name]) & ~np.isnan(angles)
        if not mine.any():
            continue
        right = off[mine] <= np.deg2rad(RIGHT_DEG)
        order = np.argsort(-sure[mine], kind="stable")
        worth = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
        good = np.nonzero(worth >= WANTED_RIGHT)[0]
        # Where claims are nowhere worth that much, none is made.
        fitted = float(np.clip(sure[mine][order][good[-1]], 0.3, 1.0)) if len(good) >= MIN_CLAIMS else 1.0
        threshold = round(fitted + 5e-4, 3) if thresholds is None else thresholds[name]
        told = sure[mine] >= threshold
        rows[name] = {
            "crops": int(mine.sum()),
            "threshold": round(threshold, 3),
            "claimed": round(float(told.mean()), 4),
            "right": round(float(right[told].mean()), 4) if told.any() else None,
            "flipped": round(float((off[mine][told] > np.pi / 2).mean()), 4) if told.any() else None,
            "right_if_always": round(float(right.mean()), 4),
        }
        blank = (classes == CLASS_ID[name]) & np.isnan(angles)
        if blank.any():
            rows[name]["claimed_without_front"] = round(float((sure[blank] >= threshold).mean()), 4)
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    cutting = commands.add_parser("crops")
    cutting.add_argument("out", type=Path)
    cutting.add_argument("sources", type=Path, nargs="+")
    cutting.add_argument("--most", type=int, default=12, help="of one class in one picture")
    cutting.add_argument(
        "--measure", action="store_true", help="as the detector hands them over, not to train with"
    )
    cutting.add_argument("--limit", type=int)
    fitting = commands.add_parser("fit")
    fitting.add_argument("out", type=Path)
    fitting.add_argument("crops", type=Path)
    fitting.add_argument("--init", type=Path)
    fitting.add_argument(
        "--detector", type=Path, help="safetensors of a detector to take the first layers from"
    )
    fitting.add_argument("--epochs", type=int, default=12)
    fitting.add_argument("--batch", type=int, default=64)
    fitting.add_argument("--lr", type=float, default=0.002)
    measuring = commands.add_parser("measure")
    measuring.add_argument("model", type=Path)
    measuring.add_argument("crops", type=Path)
    given = parser.parse_args()
    if given.command == "crops":
        images, directions, kinds = cut_crops(given.sources, not given.measure, given.most, limit=given.limit)
        np.savez(given.out, crops=images, angles=directions, classes=kinds)
        print(len(images), "crops")
    elif given.command == "fit":
        stored = np.load(given.crops, allow_pickle=False)
        print(
            fit(
                stored["crops"],
                stored["angles"],
                stored["classes"],
                given.out,
                given.epochs,
                given.batch,
                given.lr,
                start_from=given.init,
                detector=given.detector,
            )
        )
    else:
        stored = np.load(given.crops, allow_pickle=False)
        print(
            json.dumps(
                measure(FacingModel.load(given.model), stored["crops"], stored["angles"], stored["classes"]),
                indent=2,
            )
        )
