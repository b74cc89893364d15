"""Train the detector: from scratch with the recipe the shipped network was made with, or a few minutes on your own pictures.

``regla train --data DIR`` calls ``adapt`` (see ADAPT.md); the stages of the shipped network are in the model card. Both end
in ``RUN/weights/last.safetensors`` (weights only) and a ``RUN/weights/last.pt`` that ``--resume`` goes on from.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from regla.models.classes import CLASSES
from regla.models.cut import cut_sources
from regla.models.export import NETWORK
from regla.vision.weights import ModelFileError

__all__ = ["Recipe", "TrainingError", "adapt", "need_training_tools", "train"]

# Checked before anything else, so that nobody waits for tiles and then hears of a missing package.
TOOLS = ("torch", "ultralytics", "safetensors")
# Every fifth picture of one's own is kept to measure with.
HELD_BACK = 5
# A third of what the network was trained with. Less learns too little from a dozen pictures, more forgets what they do not show.
ADAPT_LR = 0.0005


class TrainingError(ModelFileError):
    """Training that cannot begin, and what to do about it."""


@dataclass(frozen=True)
class Recipe:
    """The numbers of one stage. Tiles are already turned, scaled and degraded when cut, so little is done here."""

    epochs: int = 10
    batch: int = 16
    side_px: int = 448
    lr: float = 0.001
    lr_end_share: float = 0.05
    warmup_epochs: float = 0.3
    seed: int = 0
    network: str = NETWORK
    freeze: int = 0
    # Random tiles to an epoch, so that a large set is saved often; 0 takes all.
    epoch_tiles: int = 0

    def settings(self) -> dict[str, Any]:
        """The same as ultralytics' settings."""
        return {
            "model": self.network,
            "epochs": self.epochs,
            "batch": self.batch,
            # One optimiser step per batch: short runs need steps more than smooth ones.
            "nbs": self.batch,
            "imgsz": self.side_px,
            "optimizer": "AdamW",
            "lr0": self.lr,
            "lrf": self.lr_end_share,
            "cos_lr": True,
            "warmup_epochs": self.warmup_epochs,
            "warmup_bias_lr": 0.0,
            "seed": self.seed,
            "freeze": self.freeze or None,
            # Whole things in a true scale matter more here than variety by cutting and pasting.
            "mosaic": 0.0,
            "translate": 0.0,
            "scale": 0.0,
            "erasing": 0.0,
            "fliplr": 0.5,
            "flipud": 0.5,
            "hsv_h": 0.04,
            "hsv_s": 0.5,
            "hsv_v": 0.35,
            "device": "cpu",
            "amp": False,
            "val": False,
            "plots": False,
            "patience": 0,
            "deterministic": False,
            "pretrained": False,
        }


def need_training_tools() -> None:
    """Raise TrainingError if the ``train`` extra is not installed."""
    missing = [name for name in TOOLS if importlib.util.find_spec(name) is None]
    if missing:
        names = ", ".join(missing)
        raise TrainingError(
            f"training needs {names}, which playing does not. Install them with: pip install 'regla[train]'",
            f"entrenar necesita {names}, que para jugar no hace falta. Se instala con: pip install 'regla[train]'",
        )


def _data_file(folders: list[Path], run: Path) -> Path:
    for folder in folders:
        if not (folder / "images").is_dir() or not (folder / "labels").is_dir():
            raise TrainingError(
                f"{folder}: expected a folder with images/ and labels/ in it",
                f"{folder}: se esperaba una carpeta con images/ y labels/",
            )
    run.mkdir(parents=True, exist_ok=True)
    images = [str((folder / "images").resolve()) for folder in folders]
    path = run / "data.yaml"
    # JSON is YAML: no further package needed to write it.
    path.write_text(
        json.dumps({"train": images, "val": images[:1], "names": dict(enumerate(CLASSES))}, indent=1),
        encoding="utf-8",
    )
    return path


def train(
    folders: list[Path],
    run: Path,
    start_from: Path | None,
    recipe: Recipe,
    resume: bool = False,
    hours: float | None = None,
) -> Path:
    """Run one stage on folders of tiles; returns the safetensors file of the averaged weights."""
    need_training_tools()
    from regla.models.trainer import ProcessorTrainer

    weights = run / "weights"
    settings = recipe.settings() | {
        "data": str(_data_file(folders, run)),
        "project": str(run.parent.resolve()),
        "name": run.name,
        "exist_ok": True,
    }
    if hours is not None:
        settings["time"] = hours
    if resume:
        last = weights / "last.pt"
        if not last.is_file():
            raise TrainingError(
                f"nothing to resume: there is no {last}", f"no hay nada que reanudar: no existe {last}"
            )
        # Our own file, written by the run that was cut off; a checkpoint from anybody else is never opened.
        settings |= {"resume": str(last), "model": str(last)}
    else:
        (run / "recipe.json").write_text(json.dumps(asdict(recipe), indent=2) + "\n", encoding="utf-8")
    trainer: Any = type("StageTrainer", (ProcessorTrainer,), {})
    trainer.start_from = start_from
    trainer.keep_as = weights / "last.safetensors"
    trainer.epoch_tiles = recipe.epoch_tiles or None
    trainer(overrides=settings).train()
    return weights / "last.safetensors"


def _own_pictures(data: Path, run: Path) -> tuple[Path, Path]:
    """Sort one's own pictures into ``RUN/data/{train,val}``, by name, so that adding some never moves the others."""
    for kind in ("images", "labels"):
        if not (data / kind).is_dir():
            raise TrainingError(
                f"{data}: expected {kind}/ in it; `regla labels` writes such a folder",
                f"{data}: se esperaba {kind}/ dentro; `regla labels` escribe una carpeta así",
            )
    pictures = [
        p for p in sorted((data / "images").iterdir()) if p.suffix.lower() in {".jpg", ".jpeg", ".png"}
    ]
    pictures = [p for p in pictures if (data / "labels" / f"{p.stem}.txt").exists()]
    if len(pictures) < 2:
        raise TrainingError(
            f"{data}: found {len(pictures)} labelled pictures; a dozen is a good beginning",
            f"{data}: hay {len(pictures)} imágenes etiquetadas; una docena es un buen comienzo",
        )
    ranked = sorted(pictures, key=lambda p: zlib.crc32(p.stem.encode()))
    held = {p.stem for p in ranked[:: min(HELD_BACK, len(ranked))]}
    for picture in pictures:
        side = run / "data" / ("val" if picture.stem in held else "train")
        for kind, source in (("images", picture), ("labels", data / "labels" / f"{picture.stem}.txt")):
            (side / kind).mkdir(parents=True, exist_ok=True)
            (side / kind / source.name).write_bytes(source.read_bytes())
    return run / "data/train", run / "data/val"


def adapt(
    data: Path,
    run: Path,
    init: Path | None = None,
    resume: bool = False,
    epochs: int = 12,
    tiles: int = 8,
    seed: int = 0,
) -> tuple[Path, Path]:
    """Fine-tune on one's own pictures (``data/images``, ``data/labels``); returns the ONNX file and the held-back folder.

    Begins with ``init`` (safetensors) or the shipped weights. The same seed and pictures give the same tiles.
    """
    need_training_tools()
    from regla.models.export import export_onnx, write_card
    from regla.vision.weights import shipped

    start = init or shipped("regla-nano").with_suffix(".safetensors")
    if not start.is_file():
        raise TrainingError(
            f"there are no weights to begin with at {start}", f"no hay pesos con los que empezar en {start}"
        )
    kept, held = _own_pictures(data, run)
    cut_sources([kept], run / "tiles", tiles, seed)
    recipe = Recipe(epochs=epochs, batch=8, lr=ADAPT_LR, warmup_epochs=1.0, seed=seed)
    state = train([run / "tiles"], run / "stage", start, recipe, resume)
    onnx = export_onnx(state, run / "regla-own.onnx", network=recipe.network)
    write_card(
        onnx,
        "detector",
        classes=list(CLASSES),
        started_from=start.name,
        pictures=len(list(data.glob("images/*"))),
    )
    return onnx, held


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path, help="folder of this stage")
    parser.add_argument("tiles", type=Path, nargs="+", help="folders of tiles (see regla.models.cut)")
    parser.add_argument("--init", type=Path, help="safetensors to begin with")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--hours", type=float, help="stop after this long instead of after --epochs")
    for name, default in asdict(Recipe()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    given = parser.parse_args()
    chosen = Recipe(**{name: getattr(given, name) for name in asdict(Recipe())})
    print(train(given.tiles, given.run, given.init, chosen, given.resume, given.hours))
