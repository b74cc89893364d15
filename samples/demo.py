"""What `make demo` runs: Regla's main job on the samples that come with it."""

from __future__ import annotations

from pathlib import Path

from regla.rules import Scene, ask
from regla.service.card import card
from regla.service.draw import draw
from rich.console import Console

HERE = Path(__file__).parent
OUT = HERE.parent / "out"


def main() -> None:
    console = Console(highlight=False)
    scene = Scene.load(HERE / "scenes" / "mage-knight.json")
    question = {"query": "range", "from": "amazon", "to": "troll", "range": 10}
    console.print("Mage Knight: is the troll within 10 in of the Amazon Queen?")
    verdict = ask(scene, question)
    console.print(card(verdict, scene, "en"))
    OUT.mkdir(exist_ok=True)
    picture = OUT / "demo.png"
    draw(scene, verdict).save(picture)
    console.print(
        f"Drawn to {picture.relative_to(HERE.parent)}. Ask your own: .venv/bin/regla ask SCENE.json …"
    )


if __name__ == "__main__":
    main()
