"""Does adapting really help? Fourteen pictures of a world the detector has not seen, and figures before and after.

``python -m regla.models.adapt_check [OUT]`` needs the ``train`` and ``synth`` extras and a few minutes. The new world is the
flat sketch of the tables (``synth`` without a renderer) of which only the outlines are left, white on black: further from the
training pictures than anybody's living room. Exits with 1 if the adapted network is not clearly better on others of the kind.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from regla.models.evaluate import evaluate, mean_map, pictures_of, report
from regla.models.train import adapt
from regla.vision.detect import Detector

__all__ = ["check"]

PICTURES = 14
HELD_OUT = 12
# Less than this much more mAP50 would not be worth a player's evening.
CLEARLY = 0.05


def _outline(folder: Path) -> None:
    """Only edges, white on black; the shipped network finds half of what is there."""
    for path in (folder / "images").glob("*.jpg"):
        grey: Any = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
        cv2.imwrite(str(path), cv2.morphologyEx(grey, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)))


def check(out: Path, init: Path | None = None, epochs: int = 12) -> dict[str, Any]:
    """Sketch both sets, adapt on one, measure on the other."""
    from regla.models.synth.dataset import Order, make

    for name, seed, count in (("own", 7001, PICTURES), ("other", 7002, HELD_OUT)):
        if not (out / name).exists():
            list(make(Order(str(out / name), seed=seed, size_px=(1280, 720), sketch=True), count, jobs=1))
            _outline(out / name)
    onnx, _ = adapt(out / "own", out / "run", init, epochs=epochs)
    pictures = pictures_of([out / "other"])
    figures: dict[str, Any] = {"pictures": PICTURES, "measured_on": len(pictures)}
    for name, path in (("before", None), ("after", onnx)):
        tallies, _, _ = evaluate(Detector.load(path), pictures, quiet=True)
        map50, map50_95 = mean_map(tallies)
        figures[name] = {"map50": round(map50, 4), "map50_95": round(map50_95, 4), "classes": report(tallies)}
    figures["better"] = figures["after"]["map50"] - figures["before"]["map50"] >= CLEARLY
    return figures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--init", type=Path)
    parser.add_argument("--epochs", type=int, default=12)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        result = check(given.out or Path(temporary), given.init, given.epochs)
    print(json.dumps(result, indent=1))
    sys.exit(0 if result["better"] else 1)
