"""How well the detector sees: precision, recall and mAP per class on labelled pictures. Needs no torch.

``python -m regla.models.evaluate DIR… [--model FILE.onnx] [--json]``: each DIR has ``images/`` and ``labels/`` or
``truth/``. Every picture is looked at whole, through the same tiles and merging as in play. A thing of which less than half
is seen counts when it is found and is not missed when it is not. Without a DIR a set is rendered first (``synth`` extra) and
kept in ``build/evaluate`` for the next time.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from regla.models.classes import BASE_CLASSES, CLASSES, HEX_CLASSES
from regla.models.cut import load_picture
from regla.models.labels import Labels, labels_from_truth
from regla.vision.boxes import GRID_PX, boxes_of, iou
from regla.vision.detect import Detections, Detector
from rich.progress import track

__all__ = ["Tally", "best_scores", "evaluate", "pictures_of", "report"]

IOU_STEPS = np.arange(0.5, 0.96, 0.05)
# Finds below this never count, in any curve.
LOWEST_SCORE = 0.05
# Where the thresholds of a group's classes are laid on each other.
GROUP_SCORE = 0.5
# Thresholds whose F1 differs by less than this are equally good.
F1_SLACK = 0.002
# Less than this seen: found is fine, missed is fine.
CLEARLY_SEEN = 0.5

# The set that `make evaluate` measures on; no training set uses this seed.
SET_SEED = 606
SET_PER_GAME = 10
GAMES = ("t9a", "mage-knight", "runewars", "underworlds", "siege-of-runedar")

Look = Callable[[NDArray[Any], float], Detections]
GROUPS = {"bases": BASE_CLASSES, "trays": {"tray"}, "hexes": HEX_CLASSES, "tokens": {"token"}}


@dataclass
class Tally:
    """Finds and truths of one class over all pictures, enough to draw every curve."""

    score: list[NDArray[np.floating]] = field(default_factory=list)
    # One row per find, one column per IoU step: 1 right, 0 wrong, -1 does not count.
    hit: list[NDArray[np.int8]] = field(default_factory=list)
    truths: int = 0

    def add(self, score: NDArray[np.floating], hit: NDArray[np.int8], truths: int) -> None:
        """Take in one picture."""
        self.score.append(score)
        self.hit.append(hit)
        self.truths += truths

    def _sorted(self) -> tuple[NDArray[np.floating], NDArray[np.int8]]:
        if not self.score:
            return np.zeros(0), np.zeros((0, len(IOU_STEPS)), dtype=np.int8)
        score, hit = np.concatenate(self.score), np.concatenate(self.hit)
        order = np.argsort(-score, kind="stable")
        return score[order], hit[order]

    def average_precision(self) -> NDArray[np.float64]:
        """Area under the precision-recall curve (precision made falling) at every IoU step."""
        _, hit = self._sorted()
        areas = np.full(len(IOU_STEPS), np.nan)
        if self.truths == 0:
            return areas
        for step in range(len(IOU_STEPS)):
            counted = hit[hit[:, step] >= 0, step]
            right = np.cumsum(counted)
            recall = right / self.truths
            precision = right / np.arange(1, len(right) + 1)
            precision = np.maximum.accumulate(precision[::-1])[::-1]
            areas[step] = float(np.sum(np.diff(recall, prepend=0.0) * precision))
        return areas

    def at(self, min_score: float) -> tuple[int, int]:
        """Right finds and all finds that count, at 0.5 IoU, from a score up."""
        score, hit = self._sorted()
        rows = hit[score >= min_score, 0]
        return int((rows == 1).sum()), int((rows >= 0).sum())

    def best_score(self) -> float:
        """The lowest score from which on precision and recall together (F1) are as good as best.

        Where many scores are as good, the lowest: real tables score lower than rendered ones.
        """
        score, hit = self._sorted()
        counted = hit[:, 0] >= 0
        if self.truths == 0 or not counted.any():
            return 0.25
        right = np.cumsum(hit[counted, 0])
        f1 = 2 * right / (np.arange(1, counted.sum() + 1) + self.truths)
        return float(score[counted][np.flatnonzero(f1 >= f1.max() - F1_SLACK)[-1]])


def pictures_of(folders: Iterable[Path]) -> list[Path]:
    """All pictures with a truth document or labels below the folders, in order of name."""
    found = [
        path
        for folder in folders
        for path in sorted((folder / "images").glob("*"))
        if path.suffix in {".jpg", ".png"}
        and (
            (folder / "labels" / f"{path.stem}.txt").exists()
            or (folder / "truth" / f"{path.stem}.truth.json").exists()
        )
    ]
    if not found:
        raise FileNotFoundError(f"no labelled pictures below {', '.join(str(f) for f in folders)}")
    return found


def _seen_share(path: Path, labels: Labels) -> NDArray[np.floating]:
    truth = path.parent.parent / "truth" / f"{path.stem}.truth.json"
    if not truth.is_file():
        return np.ones(len(labels))
    return labels_from_truth(json.loads(truth.read_text(encoding="utf-8")))[1]


def _hexagons(boxes: NDArray[np.floating]) -> NDArray[Any]:
    """The hexagon that fills each box: corners in the middle of the short ends, flats along the long sides."""
    tall = boxes[:, 3] > boxes[:, 2]
    turned = boxes.copy()
    turned[tall, 2:4] = boxes[tall, 3:1:-1]
    turned[tall, 4] += np.pi / 2
    along = np.stack([np.cos(turned[:, 4]), np.sin(turned[:, 4])], axis=1) * turned[:, 2:3]
    across = np.stack([-np.sin(turned[:, 4]), np.cos(turned[:, 4])], axis=1) * turned[:, 3:4]
    places = ((0.5, 0.0), (0.25, 0.5), (-0.25, 0.5), (-0.5, 0.0), (-0.25, -0.5), (0.25, -0.5))
    corners = np.stack([turned[:, :2] + u * along + v * across for u, v in places], axis=1)
    return shapely.polygons(corners)


def hex_iou(a: NDArray[np.floating], b: NDArray[np.floating]) -> NDArray[np.floating]:
    """Overlap of hexagons given by their boxes: a hexagon has three, a sixth of a turn apart, and they must count alike.

    >>> flat = np.array([[0.0, 0, 20, 17.320508, 0]])
    >>> turned = flat + [0, 0, 0, 0, np.pi / 3]
    >>> hex_iou(flat, turned).round(3).tolist(), bool(iou(flat, turned)[0, 0] < 0.9)
    ([[1.0]], True)
    """
    one, other = _hexagons(a)[:, None], _hexagons(b)[None, :]
    shared = shapely.area(shapely.intersection(one, other, grid_size=GRID_PX))
    return shared / (shapely.area(one) + shapely.area(other) - shared)


def _match(
    found: NDArray[np.floating], truth: NDArray[np.floating], counts: NDArray[np.bool_], hexes: bool
) -> NDArray[np.int8]:
    """Which finds (best first) hit a truth nobody better has, at every IoU step."""
    hit = np.zeros((len(found), len(IOU_STEPS)), dtype=np.int8)
    if len(found) == 0 or len(truth) == 0:
        return hit
    overlap = hex_iou(found, truth) if hexes else iou(found, truth)
    for step, limit in enumerate(IOU_STEPS):
        free = np.ones(len(truth), dtype=bool)
        for row in range(len(found)):
            candidates = np.where(free, overlap[row], -1.0)
            # A truth that counts is preferred to one that does not.
            best = int((candidates + (candidates >= limit) * counts).argmax())
            if candidates[best] >= limit:
                free[best] = False
                hit[row, step] = 1 if counts[best] else -1
    return hit


def evaluate(
    look: Look, pictures: list[Path], quiet: bool = False, scores: dict[str, float] | None = None
) -> tuple[dict[str, Tally], dict[str, Tally], float]:
    """Look at every picture; gives tallies per class, per group of classes, and seconds per look.

    With the thresholds of the classes (``scores``), the finds of a group are scored so that each one's own threshold is at
    ``GROUP_SCORE``: a group has no threshold of its own.
    """
    lift = np.array([GROUP_SCORE - (scores or {}).get(name, GROUP_SCORE) for name in CLASSES])
    tallies = {name: Tally() for name in CLASSES}
    groups = {name: Tally() for name in GROUPS}
    spent = 0.0
    for path in track(pictures, description="looking", disable=quiet):
        image, labels = load_picture(path)
        counts = _seen_share(path, labels) >= CLEARLY_SEEN
        start = time.perf_counter()
        seen = look(image, LOWEST_SCORE)
        spent += time.perf_counter() - start
        found = seen.box_px.copy()
        found[:, :2] += 0.5
        truth = boxes_of(labels.corners_px)
        truth[labels.class_id == CLASSES.index("round-base"), 4] *= 0.0
        lifted = seen.score + lift[seen.class_id]
        for tally, ids, score in [
            *((tallies[name], [i], seen.score) for i, name in enumerate(CLASSES)),
            *(
                (groups[name], [CLASSES.index(c) for c in members], lifted)
                for name, members in GROUPS.items()
            ),
        ]:
            mine, theirs = np.isin(seen.class_id, ids), np.isin(labels.class_id, ids)
            hexes = CLASSES[ids[0]] in HEX_CLASSES
            order = np.flatnonzero(mine)[np.argsort(-score[mine], kind="stable")]
            hit = _match(found[order], truth[theirs], counts[theirs], hexes)
            tally.add(score[order], hit, int(counts[theirs].sum()))
    return tallies, groups, spent / max(len(pictures), 1)


def best_scores(tallies: dict[str, Tally]) -> dict[str, float]:
    """Score thresholds for the card: best F1 per class, kept between 0.15 and 0.75."""
    return {
        name: round(float(np.clip(t.best_score(), 0.15, 0.75)), 3) for name, t in tallies.items() if t.truths
    }


def report(tallies: dict[str, Tally], scores: dict[str, float] | None = None) -> dict[str, dict[str, Any]]:
    """Figures per class that has truths, at the given thresholds (default 0.25)."""
    rows: dict[str, dict[str, Any]] = {}
    for name, tally in tallies.items():
        if tally.truths == 0:
            continue
        right, claimed = tally.at((scores or {}).get(name, 0.25))
        areas = tally.average_precision()
        rows[name] = {
            "truth": tally.truths,
            "precision": round(right / claimed, 4) if claimed else None,
            "recall": round(right / tally.truths, 4),
            "map50": round(float(areas[0]), 4),
            "map50_95": round(float(areas.mean()), 4),
        }
    return rows


def mean_map(tallies: dict[str, Tally]) -> tuple[float, float]:
    """mAP50 and mAP50-95 over the classes that have truths."""
    areas = np.array([t.average_precision() for t in tallies.values() if t.truths])
    return (float(areas[:, 0].mean()), float(areas.mean())) if len(areas) else (float("nan"), float("nan"))


def _rendered() -> Path:
    """A fixed set of 1080p pictures of all five games, made on the first call."""
    from regla.models.synth.dataset import Order, make, remaining

    out = Path("build/evaluate")
    for game in GAMES:
        order = Order(str(out), seed=SET_SEED, game=game, size_px=(1920, 1080))
        if remaining(order, SET_PER_GAME):
            for _ in track(make(order, SET_PER_GAME), description=f"rendering {game}", total=SET_PER_GAME):
                pass
    return out


def main(arguments: list[str] | None = None) -> int:
    """The command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--model", type=Path, help="an ONNX file with its card; the shipped one if left out")
    parser.add_argument("--limit", type=int, help="look at the first N pictures only")
    parser.add_argument("--threads", type=int, help="processors to use; all if left out")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    detector = Detector.load(given.model, given.threads)
    pictures = pictures_of(given.folders or [_rendered()])[: given.limit]
    scores = {name: float(detector.score_threshold[i]) for i, name in enumerate(CLASSES)}
    tallies, groups, seconds = evaluate(detector, pictures, given.json, scores)
    rows = report(tallies, scores)
    kinds = report(groups, dict.fromkeys(GROUPS, GROUP_SCORE))
    map50, map50_95 = mean_map(tallies)
    result = {
        "pictures": len(pictures),
        "ms_per_picture": round(seconds * 1000, 1),
        "map50": round(map50, 4),
        "map50_95": round(map50_95, 4),
        "classes": rows,
        "groups": kinds,
        "best_scores": best_scores(tallies),
        "model_sha256": detector.model_sha256,
    }
    if given.json:
        print(json.dumps(result, indent=2))
        return 0
    print(
        f"{len(pictures)} pictures, {result['ms_per_picture']} ms each, mAP50 {map50:.3f}, mAP50-95 {map50_95:.3f}"
    )
    print(f"{'':14}{'truth':>7}{'prec.':>8}{'recall':>8}{'mAP50':>8}{'50-95':>8}")
    for name, row in {**rows, **kinds}.items():
        precision = float("nan") if row["precision"] is None else row["precision"]
        print(
            f"{name:14}{row['truth']:7}{precision:8.3f}{row['recall']:8.3f}{row['map50']:8.3f}{row['map50_95']:8.3f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
