"""`regla print`: the sheets to print, as PDF true to size."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from regla.calibration.lengths import parse_length
from regla.calibration.messages import say
from regla.calibration.sheets import (
    PAPERS_MM,
    charuco_sheet,
    check_sheet,
    marker_sheets,
    tag_sheets,
    write_sheet,
)

Paper = Annotated[str, typer.Option(help="a4 or letter.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Where to write the PDF.")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Print sheets: markers, charuco, tags, check.", no_args_is_help=True)
    group.command("markers", help="Corner sheets for the table, two to a page.")(markers)
    group.command("charuco", help="The board that calibrates the lens.")(charuco)
    group.command("tags", help="Small tags for trays and bases, with an arrow to the front.")(tags)
    group.command("check", help="The 12 in bar that checks a calibration.")(check)
    app.add_typer(group, name="print")


def _paper(paper: str) -> str:
    chosen = paper.lower()
    if chosen not in PAPERS_MM:
        raise typer.BadParameter(f"expected {' or '.join(PAPERS_MM)}, got {paper!r}", param_hint="--paper")
    return chosen


def _write(ctx: typer.Context, kind: str, paper: str, out: Path | None, content: bytes) -> None:
    path = out or Path(f"regla-{kind}-{paper}.pdf")
    write_sheet(path, content)
    lang: str = ctx.obj["lang"]
    typer.echo(say("wrote", lang, path=path))
    typer.echo(say("print-next", lang))


def markers(
    ctx: typer.Context,
    paper: Paper = "a4",
    out: Out = None,
    count: Annotated[
        int, typer.Option(min=1, max=8, help="How many; beyond four they may lie anywhere.")
    ] = 4,
    side: Annotated[str, typer.Option(help="Side of the black square.")] = "100mm",
) -> None:
    side_mm = parse_length(side)
    if not 30 <= side_mm <= 100:
        raise typer.BadParameter(f"expected 30 to 100 mm, got {side_mm:g} mm", param_hint="--side")
    _write(ctx, "markers", _paper(paper), out, marker_sheets(_paper(paper), tuple(range(count)), side_mm))


def charuco(ctx: typer.Context, paper: Paper = "a4", out: Out = None) -> None:
    _write(ctx, "charuco", _paper(paper), out, charuco_sheet(_paper(paper)))


def tags(
    ctx: typer.Context,
    paper: Paper = "a4",
    out: Out = None,
    first: Annotated[int, typer.Option(min=10, max=49, help="First tag number.")] = 10,
    last: Annotated[int, typer.Option(min=10, max=49, help="Last tag number.")] = 49,
    side: Annotated[str, typer.Option(help="Side of the black square.")] = "16mm",
) -> None:
    side_mm = parse_length(side)
    if not 8 <= side_mm <= 60:
        raise typer.BadParameter(f"expected 8 to 60 mm, got {side_mm:g} mm", param_hint="--side")
    if last < first:
        raise typer.BadParameter(f"expected at least {first}, got {last}", param_hint="--last")
    _write(ctx, "tags", _paper(paper), out, tag_sheets(_paper(paper), tuple(range(first, last + 1)), side_mm))


def check(ctx: typer.Context, paper: Paper = "a4", out: Out = None) -> None:
    _write(ctx, "check", _paper(paper), out, check_sheet(_paper(paper)))
