"""From what a person chose (a sample, a document, a camera) to an engine."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from regla.rules import GAMES, Scene
from regla.rules.scene import Frozen

from .engine import Engine, StillEngine
from .errors import NotFound, Refused
from .settings import Settings

__all__ = ["clip_samples", "engine_for", "game_of", "open_engine", "samples"]

DEMO = Path(__file__).parent / "demo"
"""Scenes that ship with the service: the page can be tried with no camera and no download."""
SAMPLES = Path(__file__).parent.parent / "samples"
"""Pictures and clips of the source tree; absent in an installed package."""

CLIPS = (".mp4", ".webm", ".mkv", ".mov")
PICTURES = (".jpg", ".jpeg", ".png", ".webp")


class Choice(Protocol):
    scene: dict[str, Any] | None
    sample: str | None
    source: str | None
    game: str | None


def samples() -> list[dict[str, Any]]:
    """What can be tried at once: drawn scenes for each game, then clips and photographs."""
    out: list[dict[str, Any]] = [
        {"id": path.stem, "kind": "scene", "game": path.stem, "path": path}
        for path in sorted(DEMO.glob("*.json"))
        if path.stem in GAMES
    ]
    for path in sorted(SAMPLES.rglob("*")) if SAMPLES.is_dir() else ():
        kind = "clip" if path.suffix in CLIPS else "picture" if path.suffix in PICTURES else None
        if kind is None or not path.with_name(path.stem + ".truth.json").is_file():
            continue
        name = str(path.relative_to(SAMPLES).with_suffix("")).replace(os.sep, "-")
        out.append({"id": name, "kind": kind, "game": game_of(path), "path": path})
    return out


def game_of(path: Path) -> str | None:
    """The game that a sample's truth document names; a clip has one scene per frame."""
    try:
        truth = json.loads(path.with_name(path.stem + ".truth.json").read_text(encoding="utf-8"))
        scene = truth.get("scene") or truth["scenes"][0]["scene"]
        return str(scene["game"])
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return None


def clip_samples() -> list[dict[str, Any]]:
    return [s for s in samples() if s["kind"] == "clip"]


def open_engine(choice: Choice, settings: Settings) -> tuple[Callable[[], Engine], str]:
    """How to make the engine that a request asks for, and what its source is called."""
    if choice.scene is not None:
        scene = _with_game(Scene.parse(choice.scene), choice.game)
        return lambda: StillEngine(scene, history_s=settings.history_minutes * 60), "document"
    if choice.sample is not None:
        known = {s["id"]: s for s in samples()}
        if choice.sample not in known:
            raise NotFound.of("no-such-sample", got=choice.sample, known=sorted(known))
        sample = known[choice.sample]
        name = f"sample:{sample['id']}"
        return engine_for(str(sample["path"]), settings, choice.game or sample["game"]), name
    source = (choice.source or "").strip()
    if not source.isdigit() and "://" not in source:
        raise Refused.of("source-refused", got=repr(source)[:80])
    return engine_for(source, settings, choice.game), source


def _with_game(scene: Scene, game: str | None) -> Scene:
    return scene if game is None or game == scene.game else replace(scene, game=game, params=Frozen({}))


def engine_for(
    source: str, settings: Settings, game: str | None, corrections: Mapping[str, Any] | None = None
) -> Callable[[], Engine]:
    """An engine for a path or an address; a path comes from the command line or from the samples, never from a request."""
    path = Path(source)
    if path.suffix == ".json" and "://" not in source:
        scene = _with_game(Scene.load(path), game)
        return lambda: StillEngine(scene, history_s=settings.history_minutes * 60)
    from .live import live_engine

    return live_engine(source, settings, game, corrections)
