"""From an exported detector to the shipped one: thresholds chosen on one set, figures measured on others, all in its card.

``python -m regla.models.ship FILE.onnx --tune DIR… --set TITLE=DIR …`` needs no torch. The thresholds are those at which
precision and recall together are best on the tuning set, which no figure is measured on.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

from regla.models.card import CARD, WEIGHTS, written
from regla.models.classes import CLASSES
from regla.models.evaluate import (
    GROUP_SCORE,
    GROUPS,
    Look,
    Tally,
    best_scores,
    evaluate,
    mean_map,
    pictures_of,
    report,
)
from regla.vision.detect import Detector

__all__ = ["figures_of", "ship", "thresholds"]

# A class that the tuning set does not show is believed from here on.
UNTUNED = 0.5


def thresholds(detector: Look, folders: list[Path]) -> dict[str, float]:
    """The score of every class from which on it is believed, chosen on labelled pictures."""
    tallies, _, _ = evaluate(detector, pictures_of(folders))
    best = best_scores(tallies)
    return {name: best.get(name, UNTUNED) for name in CLASSES}


def figures_of(detector: Look, folder: Path, scores: dict[str, float]) -> dict[str, Any]:
    """Figures per class, per group and over all on one set of pictures."""
    pictures = pictures_of([folder])
    tallies, groups, _ = evaluate(detector, pictures, scores=scores)
    map50, map50_95 = mean_map(tallies)
    return {
        "pictures": len(pictures),
        "map50": round(map50, 4),
        "map50_95": round(map50_95, 4),
        "all": _overall(tallies, scores),
        "classes": report(tallies, scores),
        "groups": report(groups, dict.fromkeys(GROUPS, GROUP_SCORE)),
    }


def _overall(tallies: dict[str, Tally], scores: dict[str, float]) -> dict[str, float]:
    counted = [(*tally.at(scores[name]), tally.truths) for name, tally in tallies.items() if tally.truths]
    right, claimed, truths = (sum(column) for column in zip(*counted, strict=True))
    return {"precision": round(right / max(claimed, 1), 4), "recall": round(right / max(truths, 1), 4)}


def ship(onnx: Path, tune: list[Path], sets: dict[str, Path], weights: Path | None = None) -> Path:
    """Put a detector in the place of the shipped one, with its card; ``weights`` are its safetensors to train on."""
    detector = Detector.load(onnx)
    card = json.loads(onnx.with_suffix(".json").read_text(encoding="utf-8"))
    card["score"] = thresholds(detector, tune)
    card["figures"] = {title: figures_of(detector, folder, card["score"]) for title, folder in sets.items()}
    out = WEIGHTS / "regla-nano.onnx"
    shutil.copyfile(onnx, out)
    out.with_suffix(".json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    if weights is not None:
        shutil.copyfile(weights, out.with_suffix(".safetensors"))
    CARD.write_text(written(CARD.read_text(encoding="utf-8")), encoding="utf-8")
    return out


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("onnx", type=Path)
    parser.add_argument("--tune", type=Path, nargs="+", required=True)
    parser.add_argument("--set", nargs="+", required=True, metavar="TITLE=DIR", dest="sets")
    parser.add_argument("--weights", type=Path, help="safetensors that the ONNX file was exported from")
    given = parser.parse_args()
    named = {title: Path(folder) for title, _, folder in (entry.rpartition("=") for entry in given.sets)}
    print(ship(given.onnx, given.tune, named, given.weights))
