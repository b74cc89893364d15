"""What `make demo` runs: the sample pictures are read as a camera would, a ruling is given, and the page opens on the sample clip.

Without a terminal (or with `--quick`) everything happens but the waiting: the page is started, asked, and stopped.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import cv2
from regla.calibration import Camera
from regla.rules import GAMES, Scene, ask
from regla.service.card import card
from regla.service.draw import draw
from regla.vision.photo import Look, look
from rich.console import Console
from rich.progress import track

HERE = Path(__file__).parent
OUT = HERE.parent / "out"
TABLES = HERE / "tables"
CLIP = TABLES / "runewars-play.mp4"
START_S = 60
"""How long the page may take to answer on a busy machine."""


def main() -> int:
    console = Console(highlight=False)
    wait = sys.stdin.isatty() and sys.stdout.isatty() and "--quick" not in sys.argv
    OUT.mkdir(exist_ok=True)
    seen: dict[str, Look] = {}
    for picture in track(
        sorted(TABLES.glob("*.jpg")), "Reading the sample pictures", console=console, transient=True
    ):
        seen[picture.stem] = read(picture)
    for game, result in seen.items():
        console.print(f"  {GAMES[game].title['en']:22} {summary(result.scene)}")
    console.print()
    rule(console, seen["mage-knight"])
    return page(console, wait)


def read(picture: Path) -> Look:
    """One photograph: the camera's lens was calibrated once, the table comes from the four sheets in view."""
    image = cv2.imread(str(picture))
    truth = json.loads(picture.with_suffix(".truth.json").read_text())
    lens = truth["camera"]
    camera = Camera(tuple(lens["size"]), lens["matrix"], lens["distortion"])
    size = truth["scene"]["table"]
    return look(
        image, None, picture.stem, camera=camera, table_mm=(size["width"], size["depth"]), layout="flush"
    )


def summary(scene: Scene) -> str:
    kinds = {"unit": "units", "model": "models", "token": "tokens", "marker": "markers"}
    counts = {kind: sum(p.kind == kind for p in scene.pieces) for kind in kinds}
    out = [f"{n} {kinds[kind]}" for kind, n in counts.items() if n]
    if scene.board and scene.board.hexes:
        out.append(f"{len(scene.board.hexes)} hexes")
    errors = sorted(max(p.sigma.at) for p in scene.pieces if p.sigma)
    if errors:
        out.append(f"± {1.96 * errors[len(errors) // 2]:.1f} mm")
    return ", ".join(out)


def rule(console: Console, seen: Look) -> None:
    """A ruling on what the camera saw: are the two best-seen warriors within 10 in of each other?"""
    scene = seen.scene
    models = sorted((p for p in scene.pieces if p.kind == "model"), key=lambda p: -(p.confidence or 0))[:2]
    if len(models) < 2:
        return
    one, two = models
    console.print(f"Mage Knight, asked of the picture: is {two.label} within 10 in of {one.label}?")
    verdict = ask(scene, {"query": "range", "from": one.id, "to": two.id, "range": 254.0})
    console.print(card(verdict, scene, "en"))
    picture = OUT / "demo.png"
    draw(scene, verdict).save(picture)
    console.print(f"Drawn to {picture.relative_to(HERE.parent)}\n")


def page(console: Console, wait: bool) -> int:
    """Open the page on the sample clip as if it were a live camera."""
    port = free_port()
    url = f"http://127.0.0.1:{port}/"
    words = [
        sys.executable,
        "-m",
        "regla.service",
        "serve",
        "--port",
        str(port),
        "--source",
        str(CLIP),
        "--game",
        "runewars",
    ]
    if wait:
        console.print(f"Opening the page on the sample clip: {url} (Ctrl+C ends)")
        return subprocess.run(words).returncode
    with tempfile.TemporaryDirectory() as data:
        server = subprocess.Popen(
            [*words, "--no-browser", "--data", data],
            stdout=subprocess.DEVNULL,
            env={**os.environ, "NO_COLOR": "1"},
        )
        try:
            told = first_answer(url + "health", server)
            console.print(f"The page on the sample clip answers: {told}")
            console.print("Run `make demo` in a terminal to open it and point at units.")
        finally:
            server.terminate()
            server.wait(20)
    return 0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def first_answer(url: str, server: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return str(answer.read().decode())[:200]
        except OSError:
            time.sleep(0.3)
    raise SystemExit("The page did not start; try .venv/bin/regla serve and read what it says.")


if __name__ == "__main__":
    raise SystemExit(main())
