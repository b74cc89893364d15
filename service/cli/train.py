"""`regla labels` and `regla train`: teach the detector one's own table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

WORDS = {
    "en": {
        "labels": "{count} things labelled in {name}",
        "written": "Look them over in any YOLO-OBB editor, then: regla train --data {out}",
        "begin": "training; --resume goes on if it is cut off",
        "before": "before",
        "after": "after",
        "held": "on {count} pictures that were kept back: mAP50 {before:.3f} before, {after:.3f} after",
        "use": "Use it with: REGLA_DETECTOR={path} regla …",
    },
    "es": {
        "labels": "{count} cosas etiquetadas en {name}",
        "written": "Revíselas en cualquier editor YOLO-OBB y después: regla train --data {out}",
        "begin": "entrenando; --resume continúa si se interrumpe",
        "before": "antes",
        "after": "después",
        "held": "en {count} imágenes apartadas: mAP50 {before:.3f} antes, {after:.3f} después",
        "use": "Se usa con: REGLA_DETECTOR={path} regla …",
    },
}


def register(app: typer.Typer) -> None:
    app.command("labels", help="Write training labels of photographs, to correct and train with.")(labels)
    app.command("train", help="Teach the detector your own pieces (needs the train extra).")(train)


def labels(
    ctx: typer.Context,
    photos: Annotated[list[Path], typer.Argument(help="Photographs.")],
    out: Annotated[Path, typer.Option(help="Folder for images/ and labels/.")],
    scene: Annotated[
        Path | None,
        typer.Option(help="The scene of the (single) photograph, corrected; needs --calibration."),
    ] = None,
    calibration: Annotated[Path | None, typer.Option(help="The photograph's calibration document.")] = None,
    model: Annotated[Path | None, typer.Option(help="Another ONNX detector than the shipped one.")] = None,
) -> None:
    import cv2
    from regla.models.labels import Labels, write_labels
    from regla.vision.detect import Detector

    words = WORDS[ctx.obj["lang"]]
    if (scene is None) != (calibration is None) or (scene is not None and len(photos) != 1):
        raise typer.BadParameter("a scene goes with one photograph and its calibration", param_hint="--scene")
    detector = Detector.load(model) if scene is None else None
    for kind in ("images", "labels"):
        (out / kind).mkdir(parents=True, exist_ok=True)
    for photo in photos:
        image = cv2.imread(str(photo))
        if image is None:
            raise typer.BadParameter(f"{photo} is not a picture that can be read", param_hint="PHOTOS")
        if detector is None:
            from regla.calibration import Calibration
            from regla.models.from_scene import labels_of_scene
            from regla.rules import Scene

            assert scene is not None and calibration is not None
            found = labels_of_scene(Scene.load(scene), Calibration.load(calibration).view())
        else:
            seen = detector(image)
            found = Labels(seen.class_id, seen.corners_px + 0.5)
        (out / "images" / photo.name).write_bytes(photo.read_bytes())
        write_labels(out / "labels" / f"{photo.stem}.txt", found, (image.shape[1], image.shape[0]))
        typer.echo(words["labels"].format(count=len(found), name=photo.name))
    typer.echo(words["written"].format(out=out))


def train(
    ctx: typer.Context,
    data: Annotated[Path, typer.Option(help="Folder with images/ and labels/ (YOLO-OBB).")],
    out: Annotated[Path, typer.Option(help="Folder for the run and the new model.")] = Path("regla-training"),
    init: Annotated[Path | None, typer.Option(help="Weights to begin with (.safetensors).")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where a run was cut off.")] = False,
    epochs: Annotated[int, typer.Option(min=1, help="Times through all tiles.")] = 12,
    tiles: Annotated[int, typer.Option(min=1, help="Tiles cut from every picture.")] = 8,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    from regla.models.evaluate import evaluate, mean_map, pictures_of, report
    from regla.models.train import adapt, need_training_tools
    from regla.vision.detect import Detector

    words = WORDS[ctx.obj["lang"]]
    need_training_tools()
    Console(stderr=True).print(words["begin"])
    onnx, held = adapt(data, out, init, resume, epochs, tiles)
    pictures = pictures_of([held])
    figures = {}
    for name, path in (("before", None), ("after", onnx)):
        detector = Detector.load(path)
        tallies, _, _ = evaluate(detector, pictures, quiet=as_json)
        map50, map50_95 = mean_map(tallies)
        figures[name] = {"map50": round(map50, 4), "map50_95": round(map50_95, 4), "classes": report(tallies)}
    if as_json:
        typer.echo(json.dumps({"model": str(onnx), "pictures": len(pictures), **figures}, indent=1))
        return
    typer.echo(
        words["held"].format(
            count=len(pictures), before=figures["before"]["map50"], after=figures["after"]["map50"]
        )
    )
    typer.echo(words["use"].format(path=onnx))
