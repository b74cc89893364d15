"""Train the place network: crops of boxes that are a little off, each with what would put it right.

``python -m regla.models.place crops OUT.npz SOURCE…`` cuts crops from pictures with truth documents, ``… fit`` trains on
them and exports ``OUT.onnx``, ``… measure`` says how far boxes are off before and after and how honest the error bars are,
``… own-up`` widens those in the card until they hold.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from regla.calibration import TableView
from regla.models.classes import CLASS_ID, CLASSES
from regla.models.export import write_card
from regla.models.labels import Labels, outline_corners, read_labels
from regla.models.small import as_batch, export_crops, fit_crops
from regla.vision.boxes import boxes_of, iou
from regla.vision.detect import Detections, Detector
from regla.vision.facing import crop
from regla.vision.pictures import read_picture
from regla.vision.place import (
    CROP_PX,
    MOVES,
    PLACED_CLASSES,
    ROUND_CLASSES,
    UNIT,
    VIEW,
    PlaceModel,
    leaning,
    moves,
    up_px,
)
from regla.vision.truth import read_truth, truths
from rich.progress import track

__all__ = [
    "crops_of_photograph",
    "crops_of_picture",
    "cut_crops",
    "fakes_of_picture",
    "fit",
    "measure",
    "own_up",
    "wholes",
]

# How far off detected boxes are: most a little, some, around figures that lean, far. Shares of the longer side, logarithms
# of the sides, and degrees, one standard deviation each; and the share of those that are far off.
NEAR = (0.03, 0.05, 3.0)
FAR = (0.14, 0.2, 8.0)
FAR_SHARE = 0.4
# How much detected boxes are shaken, so that the same ones are not seen alike twice.
SHAKEN = (0.015, 0.02, 1.0)
# A box that shares less than this with a thing was drawn round another one.
LEAST_IOU = 0.25
# Less than this seen of a thing and nobody asks.
MIN_VISIBLE = 0.3
# A box that shares more than this with a base is no fake one.
FAKE_IOU = 0.72
# How much the question whether a box is one base weighs beside how far off it is.
WHOLE_WORTH = 1.0
# Degrees of freedom of the errors the network is told to expect: a few are far off, and must not rule the rest.
TAIL = 4.0

Crops = tuple[NDArray[Any], NDArray[np.float32], NDArray[np.int64], NDArray[np.float32]]


def crops_of_picture(
    image: NDArray[Any],
    view: TableView,
    things: list[dict[str, Any]],
    rng: np.random.Generator,
    most: int,
    seen: Detections | None = None,
) -> Crops:
    """Crops of boxes that are off, the moves that put them right, class numbers, and the boxes' longer sides in px.

    Boxes are those that were ``seen`` (things without one are left out), shaken a little; or off by chance.
    """
    taken: dict[str, int] = {}
    chosen = []
    for index in rng.permutation(len(things)):
        name = things[index]["class"]
        if name in PLACED_CLASSES and things[index]["visible"] >= MIN_VISIBLE and taken.get(name, 0) < most:
            taken[name] = taken.get(name, 0) + 1
            chosen.append(things[index])
    if not chosen:
        return _none()
    names = [thing["class"] for thing in chosen]
    true = boxes_of(
        np.array([outline_corners(np.array(t["outline_px"], dtype=np.float64), t["class"]) for t in chosen])
    )
    if seen is not None:
        drawn, rows = _drawn(true, np.array([CLASS_ID[name] for name in names]), seen)
        true, names, chosen = true[rows], [names[i] for i in rows], [chosen[i] for i in rows]
    heights = np.array([t["height_mm"] for t in chosen])
    return _cut(
        image,
        true,
        np.array([CLASS_ID[name] for name in names], dtype=np.int64),
        None if seen is None else drawn,
        lambda middles: up_px(view, middles, heights),
        rng,
    )


def crops_of_photograph(image: NDArray[Any], labels: Labels, rng: np.random.Generator, most: int) -> Crops:
    """The same from a photograph with boxes drawn by hand: which way things lean is guessed, away from its middle."""
    rows = rng.permutation(
        np.flatnonzero(np.isin(labels.class_id, [CLASS_ID[name] for name in PLACED_CLASSES]))
    )[:most]
    if not len(rows):
        return _none()
    middle = np.array([image.shape[1], image.shape[0]]) / 2
    # Labels count pixels from the picture's corner, boxes from the middle of its first pixel.
    true = boxes_of(labels.corners_px[rows] - 0.5)
    return _cut(image, true, labels.class_id[rows], None, lambda middles: middles - middle, rng)


def _cut(
    image: NDArray[Any],
    true: NDArray[np.floating],
    class_id: NDArray[np.int64],
    drawn: NDArray[np.floating] | None,
    lean: Callable[[NDArray[np.floating]], NDArray[np.floating]],
    rng: np.random.Generator,
) -> Crops:
    is_round = np.isin(class_id, [CLASS_ID[name] for name in ROUND_CLASSES])
    n = len(true)
    if drawn is None:
        far = rng.random(n) < FAR_SHARE
        place, side, turn = (np.where(far, f, c) for f, c in zip(FAR, NEAR, strict=True))
        boxes = true.copy()
    else:
        place, side, turn = (np.full(n, v) for v in SHAKEN)
        boxes = drawn
    boxes[:, :2] += rng.normal(size=(n, 2)) * (place * true[:, 2:4].max(axis=1))[:, None]
    both = rng.normal(size=(n, 2)) * side[:, None]
    both[is_round, 1] = both[is_round, 0]
    boxes[:, 2:4] *= np.exp(both)
    boxes[:, 4] += np.where(is_round, 0.0, np.deg2rad(turn) * rng.normal(size=n))
    boxes = leaning(boxes, lean(boxes[:, :2]), is_round)
    true = true.copy()
    true[is_round, 4] = boxes[is_round, 4]
    return (
        crop(image, boxes, CROP_PX, (VIEW,)),
        moves(boxes, true).astype(np.float32),
        class_id,
        boxes[:, 2:4].max(axis=1).astype(np.float32),
    )


def fakes_of_picture(
    image: NDArray[Any], view: TableView, things: list[dict[str, Any]], rng: np.random.Generator, most: int
) -> Crops:
    """Crops of boxes where no one base is: half of one, two at once, between two, and beside the last of a rank."""
    bases = [o for o in things if o["class"] == "rect-base"]
    if not bases:
        return _none()
    true = boxes_of(
        np.array([outline_corners(np.array(o["outline_px"], dtype=np.float64), o["class"]) for o in bases])
    )
    rows = rng.permutation(len(bases))[:most]
    fakes = np.array([_fake(true, int(i), rng) for i in rows])
    fakes[:, :2] += rng.normal(size=(len(fakes), 2)) * NEAR[0] * fakes[:, 2:4].max(axis=1, keepdims=True)
    fakes[:, 2:4] *= np.exp(rng.normal(size=(len(fakes), 2)) * NEAR[1])
    fakes[:, 4] += np.deg2rad(rng.normal(size=len(fakes)) * NEAR[2])
    # By chance, a true base may lie there after all.
    clear = iou(fakes, true).max(axis=1) < FAKE_IOU
    fakes, rows = fakes[clear], rows[clear]
    if not len(fakes):
        return _none()
    lean = up_px(view, fakes[:, :2], np.array([bases[int(i)]["height_mm"] for i in rows]))
    fakes = leaning(fakes, lean, np.zeros(len(fakes), dtype=bool))
    return (
        crop(image, fakes, CROP_PX, (VIEW,)),
        np.full((len(fakes), MOVES), np.nan, np.float32),
        np.full(len(fakes), CLASS_ID["rect-base"], dtype=np.int64),
        fakes[:, 2:4].max(axis=1).astype(np.float32),
    )


def _fake(true: NDArray[np.floating], i: int, rng: np.random.Generator) -> NDArray[np.floating]:
    """A box near a true one that is no base, as a wrong lattice would lay it."""
    x, y, width, depth, angle = true[i]
    axes = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    size = np.array([width, depth])
    along = int(rng.integers(2)) if abs(np.log(width / depth)) < 0.2 else int(depth > width)
    if rng.random() < 0.3:
        along = 1 - along
    way = axes[along] * size[along] * rng.choice((-1.0, 1.0))
    kind = rng.choice(("half", "double", "between", "beside", "other"))
    middle, new = np.array([x, y]), size.copy()
    if kind == "half":
        middle, new[along] = middle + way / 4, size[along] / 2
    elif kind == "double":
        middle, new[along] = middle + way / 2, size[along] * 2
    elif kind == "between":
        middle = middle + way / 2
    elif kind == "beside":
        middle = middle + way
    else:
        times = rng.choice((0.5, 0.6, 0.67, 0.75, 0.8, 1.25, 1.33, 1.5, 1.67, 2.0))
        new = size * times
        middle = middle + rng.uniform(-0.5, 0.5, 2) @ (axes * np.abs(size - new)[:, None])
    return np.array([*middle, *new, angle])


def wholes(moves_: NDArray[np.floating]) -> NDArray[np.float32]:
    """Whether a box is one base and nothing but: 1 where it is off by little, 0 by much or no base at all, NaN between."""
    off = np.abs(np.asarray(moves_, dtype=np.float64) * UNIT)
    place, side = off[:, :2].max(axis=1), off[:, 2:4].max(axis=1)
    out = np.full(len(off), np.nan, dtype=np.float32)
    out[(place < 0.13) & (side < 0.12)] = 1.0
    out[(place > 0.3) | (side > 0.22) | np.isnan(place)] = 0.0
    return out


def _none() -> Crops:
    empty = np.zeros((0, CROP_PX, CROP_PX, 3), np.uint8)
    return empty, np.zeros((0, MOVES), np.float32), np.zeros(0, np.int64), np.zeros(0, np.float32)


def _drawn(
    true: NDArray[np.floating], class_id: NDArray[np.int64], seen: Detections
) -> tuple[NDArray[np.floating], NDArray[np.intp]]:
    """The detected boxes of true ones, and the rows of those that have one."""
    shared = np.where(class_id[:, None] == seen.class_id[None], iou(true, seen.box_px), 0.0)
    if not shared.size:
        return np.zeros((0, 5)), np.zeros(0, dtype=np.intp)
    rows = np.flatnonzero(shared.max(axis=1) > LEAST_IOU)
    return np.array(seen.box_px[shared[rows].argmax(axis=1)], dtype=np.float64), rows


def photographs(source: Path) -> list[Path]:
    """Pictures with labels but without a truth document."""
    if (source / "truth").is_dir():
        return []
    return [
        p for p in sorted((source / "images").glob("*.jpg")) if (source / "labels" / f"{p.stem}.txt").exists()
    ]


def cut_crops(
    sources: list[Path],
    most: int = 20,
    passes: int = 1,
    seed: int = 0,
    limit: int | None = None,
    detector: Callable[[NDArray[Any]], Detections] | None = None,
    fakes: int = 0,
) -> dict[str, NDArray[Any]]:
    """Cut crops from every picture with a truth document below the sources, each thing ``passes`` times, each time otherwise.

    With a ``detector`` every second pass takes its boxes. ``fakes`` passes more show what is no base.
    """
    rng = np.random.default_rng(seed)
    parts = []
    for path in track([p for source in sources for p in photographs(source)], description="photographs"):
        image = read_picture(path)
        labels = read_labels(path.parent.parent / "labels" / f"{path.stem}.txt", image.shape[1::-1])
        parts += [crops_of_photograph(image, labels, rng, most) for _ in range(passes)]
    for path in track([p for source in sources for p in truths(source)][:limit], description="cutting crops"):
        truth = read_truth(path)
        image = read_picture(truth.picture)
        seen = detector(image) if detector is not None else None
        for k in range(passes):
            boxes = seen if k % 2 == 0 else None
            parts.append(crops_of_picture(image, truth.view, list(truth.objects), rng, most, boxes))
        parts += [fakes_of_picture(image, truth.view, list(truth.objects), rng, most) for _ in range(fakes)]
    if not parts:
        raise FileNotFoundError(f"no pictures with truth documents below {', '.join(map(str, sources))}")
    columns = (np.concatenate(column) for column in zip(*parts, strict=True))
    return dict(zip(("crops", "moves", "classes", "long_px"), columns, strict=True))


def _network(detector: Path | None = None) -> Any:
    """The network; with the safetensors of a ``detector`` its first layers begin as that one's."""
    import torch
    from regla.models.facing import SHARED_CHANNELS, first_layers
    from torch import nn

    def step(before: int, after: int, stride: int) -> list[nn.Module]:
        return [nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.SiLU()]

    # Where in the crop an edge lies is what is asked: no pooling, the last 4×4 places stay apart.
    network = nn.Sequential(
        first_layers(detector),
        *step(SHARED_CHANNELS, 128, 1),
        *step(128, 128, 2),
        nn.Flatten(),
        nn.Linear(128 * (CROP_PX // 16) ** 2, 192),
        nn.SiLU(),
        nn.Linear(192, 2 * MOVES + 1),
    )
    return network.to(memory_format=torch.channels_last)


def _augment(images: Any, targets: Any, generator: Any) -> tuple[Any, Any]:
    """Light, colour, and the mirror that leaves the lean as it is, for a batch (N, 3, H, W) in 0–1."""
    import torch
    from regla.models.facing import relit

    images = relit(images, generator)
    mirror = torch.rand(len(images), generator=generator) < 0.5
    images = torch.where(mirror[:, None, None, None], images.flip(2), images)
    # Across and turn change sign.
    sign = torch.tensor([1.0, -1.0, 1.0, 1.0, -1.0])
    return images, torch.where(mirror[:, None], targets * sign, targets)


def fit(
    stored: dict[str, NDArray[Any]],
    out: Path,
    epochs: int = 4,
    batch: int = 128,
    lr: float = 0.002,
    seed: int = 0,
    start_from: Path | None = None,
    detector: Path | None = None,
) -> Path:
    """Train on crops and write ``out`` (ONNX) and its weights beside it; returns ``out``."""
    import torch
    from safetensors.torch import load_file

    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    network = _network(detector)
    if start_from is not None:
        network.load_state_dict(load_file(str(start_from)))
    crops, targets, classes = stored["crops"], stored["moves"], stored["classes"]
    whole = wholes(targets)
    # The turn of a round thing is none.
    asked = np.ones((len(CLASSES), MOVES), dtype=np.float32)
    asked[[CLASS_ID[name] for name in ROUND_CLASSES], 4] = 0.0

    def loss_of(rows: NDArray[np.int64]) -> Any:
        images, wanted = _augment(as_batch(crops[rows]), torch.from_numpy(targets[rows]), generator)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            said = network(images.contiguous(memory_format=torch.channels_last)).float()
        spread = said[:, MOVES : 2 * MOVES].clamp(-5.0, 3.0)
        off = (wanted.nan_to_num() - said[:, :MOVES]) * torch.exp(-spread)
        worth = spread + (TAIL + 1) / 2 * torch.log1p(off**2 / TAIL)
        counts = torch.from_numpy(asked[classes[rows]]) * ~wanted.isnan()
        is_whole = torch.from_numpy(whole[rows])
        known = ~is_whole.isnan()
        told = torch.nn.functional.binary_cross_entropy_with_logits(said[known, -1], is_whole[known])
        return (worth * counts).sum() / counts.sum() + WHOLE_WORTH * told

    fit_crops(network, classes, loss_of, out, epochs=epochs, batch=batch, lr=lr, seed=seed, warm_share=0.1)
    export_crops(network, (CROP_PX, CROP_PX), out, "moves")
    write_card(
        out, "place", moves=MOVES, whole=True, crop_px=CROP_PX, view=VIEW, classes=sorted(PLACED_CLASSES)
    )
    return out


def measure(model: PlaceModel, stored: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """How far off middles (px) and sides are before and after, per class, and how honest the sigmas are."""
    said = model.look(stored["crops"])
    rows: dict[str, Any] = {}
    for name in sorted(PLACED_CLASSES):
        of_class = stored["classes"] == CLASS_ID[name]
        mine = of_class & ~np.isnan(stored["moves"][:, 0])
        if not mine.any():
            continue
        wanted, got = stored["moves"][mine].astype(np.float64), said[mine]
        left = wanted - got[:, :MOVES]
        px = UNIT * stored["long_px"][mine].astype(np.float64)
        before, after = (np.hypot(v[:, 0], v[:, 1]) * px for v in (wanted, left))
        z = np.abs(left) / np.exp(got[:, MOVES : 2 * MOVES])
        told, is_whole = said[of_class, -1], wholes(stored["moves"][of_class])
        rows[name] = {
            "crops": int(mine.sum()),
            "before_px": _spread(before),
            "after_px": _spread(after),
            "side_log_before": _spread(UNIT * np.abs(wanted[:, 2:4]).ravel()),
            "side_log_after": _spread(UNIT * np.abs(left[:, 2:4]).ravel()),
            "turn_deg_after": _spread(np.degrees(UNIT * np.abs(left[:, 4]))),
            "sigmas_p68": np.percentile(z, 68.3, axis=0).round(2).tolist(),
            "sigmas_p95": (np.percentile(z, 95, axis=0) / 1.96).round(2).tolist(),
            "whole_told": round(float((told[is_whole == 1] > 0).mean()), 4),
            "fake_told": round(float((told[is_whole == 0] < 0).mean()), 4) if (is_whole == 0).any() else None,
        }
    return rows


def own_up(onnx: Path, stored: dict[str, NDArray[Any]]) -> dict[str, float]:
    """Write into the card by how much the error bars must be wider to hold on crops that were not trained on, per class."""
    card = onnx.with_suffix(".json")
    facts = json.loads(card.read_text(encoding="utf-8"))
    facts.pop("sigma_times", None)
    rows = measure(PlaceModel.load(onnx), stored)
    # Of the middle, along and across: as many within one sigma as there should be, and within two.
    times = {
        name: round(float(np.mean([*row["sigmas_p68"][:2], *row["sigmas_p95"][:2]])), 2)
        for name, row in rows.items()
    }
    facts["sigma_times"] = times
    card.write_text(json.dumps(facts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return times


def _spread(values: NDArray[np.floating]) -> list[float]:
    return np.percentile(values, [50, 95]).round(3).tolist()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    cutting = commands.add_parser("crops")
    cutting.add_argument("out", type=Path)
    cutting.add_argument("sources", type=Path, nargs="+")
    cutting.add_argument("--most", type=int, default=20, help="of one class in one picture")
    cutting.add_argument("--passes", type=int, default=1, help="how often each picture is gone through")
    cutting.add_argument(
        "--detected", action="store_true", help="take every second pass's boxes from the detector"
    )
    cutting.add_argument("--fakes", type=int, default=0, help="how many passes more show what is no base")
    cutting.add_argument("--limit", type=int)
    cutting.add_argument("--seed", type=int, default=0)
    fitting = commands.add_parser("fit")
    fitting.add_argument("out", type=Path)
    fitting.add_argument("crops", type=Path, nargs="+")
    fitting.add_argument("--init", type=Path)
    fitting.add_argument(
        "--detector", type=Path, help="safetensors of a detector to take the first layers from"
    )
    fitting.add_argument("--epochs", type=int, default=4)
    fitting.add_argument("--batch", type=int, default=128)
    fitting.add_argument("--lr", type=float, default=0.002)
    for name in ("measure", "own-up"):
        measuring = commands.add_parser(name)
        measuring.add_argument("model", type=Path)
        measuring.add_argument("crops", type=Path)
    given = parser.parse_args()
    if given.command == "crops":
        eyes = Detector.load() if given.detected else None
        cut = cut_crops(given.sources, given.most, given.passes, given.seed, given.limit, eyes, given.fakes)
        np.savez(given.out, **cut)  # type: ignore[arg-type]
        print(len(cut["crops"]), "crops")
    else:
        files = given.crops if isinstance(given.crops, list) else [given.crops]
        parts = [dict(np.load(file, allow_pickle=False)) for file in files]
        loaded = {key: np.concatenate([part.pop(key) for part in parts]) for key in list(parts[0])}
        if given.command == "fit":
            print(
                fit(
                    loaded, given.out, given.epochs, given.batch, given.lr,
                    start_from=given.init, detector=given.detector,
                )
            )  # fmt: skip
        elif given.command == "own-up":
            print(own_up(given.model, loaded))
        else:
            print(json.dumps(measure(PlaceModel.load(given.model), loaded), indent=1))
