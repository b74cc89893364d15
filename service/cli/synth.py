"""`regla synth`: pictures of tables that never were, with everything about them known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

GAMES = ("t9a", "mage-knight", "runewars", "underworlds", "siege-of-runedar", "free", "mixed")


def register(app: typer.Typer) -> None:
    app.command("synth", help="Make pictures or clips of synthetic tables, with labels and truth documents.")(
        run
    )


def run(
    out: Annotated[Path, typer.Option(help="Folder to write to; pictures that are there already are kept.")],
    game: Annotated[str, typer.Option(help=f"One of {', '.join(GAMES)}.")] = "mixed",
    count: Annotated[int, typer.Option(min=1, help="How many pictures, or clips with --clip.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same set.")] = 0,
    assets: Annotated[
        Path | None, typer.Option(help="Folder with minis/, terrain/, ground/, hdri/ to use.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, help="Processes; 0 takes all cores.")] = 0,
    size: Annotated[str, typer.Option(help="WIDTHxHEIGHT in pixels; left out, it varies.")] = "",
    fine: Annotated[
        bool, typer.Option("--fine", help="Slower and finer, whole tables: to measure with.")
    ] = False,
    sketch: Annotated[
        bool, typer.Option("--sketch", help="Flat drawings of the same tables, without OpenGL.")
    ] = False,
    markers: Annotated[
        bool, typer.Option("--markers", help="Lay the four corner sheets on every table.")
    ] = False,
    clip: Annotated[
        bool, typer.Option("--clip", help="Clips of a hand moving pieces, truth for each frame.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="First hold a clean picture against its own truth.")
    ] = False,
) -> None:
    if game not in GAMES:
        raise typer.BadParameter(f"expected one of {', '.join(GAMES)}, got {game!r}", param_hint="--game")
    if assets is not None and not assets.is_dir():
        raise typer.BadParameter(f"there is no folder {assets}", param_hint="--assets")
    size_px = _size(size)
    try:
        from regla.models.synth import clip as clips
        from regla.models.synth import dataset
        from regla.models.synth.check import self_check
    except ModuleNotFoundError as error:
        from regla.models.synth.errors import NotInstalled

        raise NotInstalled(error.name or "moderngl") from error
    console = Console(stderr=True)
    if check:
        found = self_check(seed, fine)
        console.print(
            f"self-check: {found.shapes} shapes, shift {found.shift_median_px:.3f} px (95 % under {found.shift_p95_px:.3f}), "
            f"growth under {found.growth_p95_px:.3f} px: {'good' if found.passed else 'BAD'}"
        )
        if not found.passed:
            raise typer.Exit(1)
    source = str(assets) if assets else None
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
    )
    if clip:
        if game == "mixed":
            raise typer.BadParameter("a clip needs one game", param_hint="--game")
        out.mkdir(parents=True, exist_ok=True)
        with bar:
            for k in range(count):
                target = out / f"{game}-{seed + k}.mp4"
                if target.with_name(target.stem + ".truth.json").exists():
                    continue
                task = bar.add_task(target.name, total=None)
                for frame in clips.make_clip(
                    target, game, seed + k, source, size_px=size_px or (1280, 720), fine=fine
                ):
                    bar.update(task, completed=frame + 1)
        return
    order = dataset.Order(str(out), seed, game, source, size_px, fine, markers, sketch=sketch)
    todo = dataset.remaining(order, count)
    with bar:
        task = bar.add_task(f"{game} · seed {seed}", total=count, completed=count - todo)
        for _ in dataset.make(order, count, jobs or None):
            bar.advance(task)
    console.print(f"{count} pictures in {out} ({todo} new)", highlight=False)


def _size(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    width, _, height = text.lower().partition("x")
    if not (
        width.isdigit() and height.isdigit() and 160 <= int(width) <= 7680 and 120 <= int(height) <= 4320
    ):
        raise typer.BadParameter(f"expected WIDTHxHEIGHT such as 1280x720, got {text!r}", param_hint="--size")
    return int(width), int(height)
