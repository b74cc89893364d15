"""Renders the sample pictures and the sample clip again: python samples/render.py [--assets DIR] [NAME…].

Seeds were chosen by looking at many; without the assets folder the tables are the same games with other figures.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from regla.models.synth.camera import Shot, frame_region
from regla.models.synth.clip import make_clip
from regla.models.synth.clutter import scatter
from regla.models.synth.dataset import develop
from regla.models.synth.light import make_lighting
from regla.models.synth.photo import expose
from regla.models.synth.tables import BUILDERS
from regla.models.synth.truth import describe, document
from regla.models.synth.world import World
from rich.progress import track

HERE = Path(__file__).parent
SIZE_PX = (1920, 1080)
QUALITY = 84  # the five pictures and the clip stay under 6 MB together

# name ▸ game, seed of the table, seed of the light
PICTURES = {
    "t9a": ("t9a", 15, 15),
    "mage-knight": ("mage-knight", 16, 16),
    "runewars": ("runewars", 15, 18),
    "underworlds": ("underworlds", 17, 17),
    "siege-of-runedar": ("siege-of-runedar", 16, 16),
}
CLIP = ("runewars", 22)


def compose(
    game: str, seed: int, assets: str | None, size_px: tuple[int, int] = SIZE_PX
) -> tuple[World, Shot]:
    """The table and the camera over it; the corner sheets lie on it, so that it can be calibrated."""
    rng = np.random.default_rng([seed, 1])
    world = BUILDERS[game](rng, assets, True)
    scatter(world, 0.25, 0.0)
    shot = frame_region(
        rng,
        size_px,
        world.focus_mm or (0, 0, world.width_mm, world.depth_mm),
        margin=0.015,
        max_tilt_deg=9,
        turned=False,
        calm=True,
    )
    return world, shot


def render(
    game: str,
    seed: int,
    light: int,
    assets: str | None,
    size_px: tuple[int, int] = SIZE_PX,
    fine: bool = True,
) -> tuple[NDArray[Any], dict[str, Any]]:
    world, shot = compose(game, seed, assets, size_px)
    rng = np.random.default_rng([light, 2])
    picture, frame, pinhole = develop(world, shot, make_lighting(rng, assets, fine, True), fine=fine)
    objects, _ = describe(world, shot, frame, pinhole)
    return expose(picture, rng, True), document(world, shot, objects)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--assets")
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    out = HERE / "tables"
    out.mkdir(exist_ok=True)
    for name in track([n for n in PICTURES if not asked.names or n in asked.names], "pictures"):
        game, seed, light = PICTURES[name]
        picture, truth = render(game, seed, light, asked.assets)
        cv2.imwrite(str(out / f"{name}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        (out / f"{name}.truth.json").write_text(json.dumps(truth, separators=(",", ":")), encoding="utf-8")
    if not asked.names or "clip" in asked.names:
        game, seed = CLIP
        for _ in track(make_clip(out / f"{game}-play.mp4", game, seed, asked.assets), "clip"):
            pass


if __name__ == "__main__":
    main()
