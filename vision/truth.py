"""Truth documents (SCENE.md, *A truth document*): pictures whose scene is known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from regla.calibration import Camera, Pose, TableView
from regla.rules import Scene, SceneError

from .errors import SourceMissing, VisionError

__all__ = ["Truth", "read_truth", "truths"]

SUFFIX: Final = ".truth.json"
PICTURES: Final = (".jpg", ".jpeg", ".png")


@dataclass(frozen=True, eq=False)
class Truth:
    """A picture's truth: the true camera and scene (mm), and the objects that synthetic pictures list beside it."""

    name: str
    picture: Path
    view: TableView
    scene: Scene
    objects: tuple[dict[str, Any], ...]
    markers: dict[int, Any]
    raw: dict[str, Any]


def truths(folder: Path) -> list[Path]:
    """All truth documents below a folder that have their picture, in order."""
    if not folder.is_dir():
        raise SourceMissing(name=str(folder))
    found = sorted(folder.rglob(f"*{SUFFIX}"))
    return [path for path in found if _picture_of(path) is not None]


def _picture_of(path: Path) -> Path | None:
    """Beside the document, or in the folder `images` beside the folder `truth`, as data sets are laid out."""
    stem = path.name.removesuffix(SUFFIX)
    folders: Iterator[Path] = iter((path.parent, path.parent.parent / "images"))
    for folder in folders:
        for suffix in PICTURES:
            if (folder / (stem + suffix)).is_file():
                return folder / (stem + suffix)
    return None


def read_truth(path: Path) -> Truth:
    picture = _picture_of(path)
    if picture is None:
        raise SourceMissing(name=path.name)
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        camera = Camera.from_json(raw["camera"])
        pose = Pose.from_json(raw["pose"])
        scene = Scene.parse(raw["scene"])
        markers = {int(k): v for k, v in raw.get("markers", {}).get("corners", {}).items()}
    except (OSError, KeyError, TypeError, ValueError, SceneError) as error:
        raise VisionError(why=f"{path.name}: {error}") from None
    objects = tuple(raw.get("objects", ()))
    return Truth(
        path.name.removesuffix(SUFFIX), picture, TableView(camera, pose), scene.in_mm(), objects, markers, raw
    )
