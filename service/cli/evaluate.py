"""`regla evaluate`: the pipeline measured on pictures whose truth is known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from regla.rules import QuestionError
from regla.rules.messages import msg
from regla.rules.messages import register as register_texts

if TYPE_CHECKING:
    from regla.vision.evaluate import Figures


def register(app: typer.Typer) -> None:
    app.command("evaluate", help="Measure the pipeline on pictures with truth documents: regla evaluate DIR")(
        run
    )


def run(
    ctx: typer.Context,
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Pictures NAME.jpg with NAME.truth.json beside them.")
    ],
    calibration: Annotated[
        str,
        typer.Option(
            "--calibration", help="truth (the true camera) or markers (from the sheets in the picture)."
        ),
    ] = "truth",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    most: Annotated[
        int, typer.Option("--most", min=0, help="Only the first so many pictures; 0 takes all.")
    ] = 0,
    pairs: Annotated[
        int,
        typer.Option(
            "--pairs", min=0, help="Ask about at most so many pairs of pieces a picture; 0 asks about all."
        ),
    ] = 0,
    verdicts: Annotated[bool, typer.Option("--verdicts/--no-verdicts", help="Also compare verdicts.")] = True,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw the errors to a .png or .svg file.")
    ] = None,
    draw: Annotated[
        Path | None, typer.Option("--draw", help="Folder for pictures of what was seen over the truth.")
    ] = None,
    lang: Annotated[str, typer.Option(help="Language: en or es.")] = "",
) -> None:
    lang = lang or ctx.obj["lang"]
    if calibration not in ("truth", "markers"):
        raise QuestionError.of("fault-one-of", "--calibration", limit="truth, markers", got=repr(calibration))
    if plot is not None and plot.suffix.lower() not in (".png", ".svg"):
        raise QuestionError.of("fault-one-of", "--plot", limit="*.png, *.svg", got=str(plot))
    from regla.vision.evaluate import evaluate
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
    ) as bar:
        task = bar.add_task("", total=None)

        def progress(done: int, total: int, name: str) -> None:
            bar.update(task, completed=done, total=total, description=name[:28])

        figures = evaluate(
            folder,
            calibration,  # type: ignore[arg-type]
            most=most or None,
            pairs=pairs or None,
            verdicts=verdicts,
            progress=progress,
            shown=None if draw is None else _drawer(draw),
        )
        count = len(figures.seen) + len(figures.failed)
        bar.update(task, completed=count, total=count, description="")
    if plot is not None:
        from regla.service.draw import Picture
        from regla.vision.plot import plot_svg

        Picture(plot_svg(figures, lang)).save(plot)
    if as_json:
        typer.echo(json.dumps(figures.to_json(), ensure_ascii=False, indent=1))
        return
    _show(figures, lang, plot)


def _drawer(folder: Path) -> Callable[..., None]:
    from regla.vision.overlay import draw_scene, save_picture

    folder.mkdir(parents=True, exist_ok=True)

    def shown(truth: Any, looked: Any, image: Any) -> None:
        picture = draw_scene(image, truth.scene, truth.view, faint=True)
        save_picture(folder / f"{truth.name}.jpg", draw_scene(picture, looked.scene, looked.view))

    return shown


def _show(figures: Figures, lang: str, plot: Path | None) -> None:
    from rich.console import Console
    from rich.table import Table

    data = figures.to_json()
    console = Console(highlight=False)
    console.print(
        msg(
            "evaluate-line", n=data["pictures"], ms=data["ms_per_picture"] or 0, failed=len(data["failed"])
        ).text(lang)
    )
    for name, why in data["failed"].items():
        console.print(f"  {name}: {why}")
    found = Table(title=msg("evaluate-found").text(lang), title_justify="left", pad_edge=False)
    for key in ("kind", "truth", "seen", "precision", "recall"):
        found.add_column(msg(f"evaluate-{key}").text(lang), justify="left" if key == "kind" else "right")
    for kind, row in data["detection"].items():
        if row["truth"] or row["found"]:
            found.add_row(msg(f"evaluate-{kind}").text(lang), *map(_number, row.values()))
    console.print(found)
    errors = Table(title=msg("evaluate-errors").text(lang), title_justify="left", pad_edge=False)
    for key in ("what", "median", "p95", "n"):
        errors.add_column(msg(f"evaluate-{key}").text(lang), justify="left" if key == "what" else "right")
    for key in (
        "centre_mm",
        "base_centre_mm",
        "clear_centre_mm",
        "distance_mm",
        "clear_distance_mm",
        "size_mm",
        "facing_deg",
        "turn_deg",
        "round_facing_deg",
    ):
        row = data[key]
        errors.add_row(
            msg(f"evaluate-{key.replace('_', '-')}").text(lang),
            *(_number(row[k]) for k in ("median", "p95", "n")),
        )
    console.print(errors)
    facing = data["facing_deg"]
    console.print(
        msg(
            "evaluate-shares",
            known=_percent(facing["known"]),
            flipped=_percent(facing["flipped"]),
            coverage=_percent(data["coverage95"]),
            grouping=_percent(data["grouping"]),
        ).text(lang)
    )
    verdicts = data["verdicts"]
    total = sum(verdicts.values())
    if total:
        shares = {key: f"{value} ({100 * value / total:.1f} %)" for key, value in verdicts.items()}
        console.print(msg("evaluate-verdicts", **shares).text(lang))
    if plot is not None:
        console.print(str(plot))


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


register_texts(
    {
        "evaluate-line": {
            "en": "{n} pictures, {ms} ms each, {failed} failed",
            "es": "{n} imágenes, {ms} ms cada una, {failed} fallidas",
        },
        "evaluate-found": {"en": "What was found", "es": "Lo encontrado"},
        "evaluate-errors": {"en": "How far off", "es": "Cuánto se aparta"},
        "evaluate-kind": {"en": "kind", "es": "clase"},
        "evaluate-truth": {"en": "true", "es": "reales"},
        "evaluate-seen": {"en": "seen", "es": "vistas"},
        "evaluate-precision": {"en": "precision", "es": "precisión"},
        "evaluate-recall": {"en": "recall", "es": "cobertura"},
        "evaluate-bases": {"en": "bases", "es": "peanas"},
        "evaluate-trays": {"en": "trays", "es": "bandejas"},
        "evaluate-hexes": {"en": "hexes", "es": "hexágonos"},
        "evaluate-tokens": {"en": "tokens", "es": "fichas"},
        "evaluate-units": {"en": "units", "es": "unidades"},
        "evaluate-what": {"en": "error of", "es": "error de"},
        "evaluate-median": {"en": "median", "es": "mediana"},
        "evaluate-p95": {"en": "95 %", "es": "95 %"},
        "evaluate-n": {"en": "n", "es": "n"},
        "evaluate-centre-mm": {"en": "a piece's centre, mm", "es": "centro de una pieza, mm"},
        "evaluate-clear-centre-mm": {
            "en": "… of a base with half of its rim in sight, mm",
            "es": "… de una peana con medio borde a la vista, mm",
        },
        "evaluate-clear-distance-mm": {
            "en": "… between two such bases, mm",
            "es": "… entre dos de esas peanas, mm",
        },
        "evaluate-base-centre-mm": {"en": "a single base's centre, mm", "es": "centro de una peana, mm"},
        "evaluate-distance-mm": {"en": "a distance up to 24 in, mm", "es": "una distancia de hasta 24 in, mm"},
        "evaluate-size-mm": {"en": "a base's size, mm", "es": "tamaño de una peana, mm"},
        "evaluate-facing-deg": {"en": "a claimed facing, °", "es": "una orientación afirmada, °"},
        "evaluate-turn-deg": {"en": "a rectangle's turn, °", "es": "giro de un rectángulo, °"},
        "evaluate-round-facing-deg": {"en": "a round base's facing, °", "es": "orientación de una peana redonda, °"},
        "evaluate-shares": {
            "en": "facing claimed {known}, of those turned round {flipped}; truth inside the 95 % ellipse {coverage}; blocks counted right {grouping}",
            "es": "orientación afirmada {known}, de ellas del revés {flipped}; verdad dentro de la elipse del 95 % {coverage}; bloques bien contados {grouping}",
        },
        "evaluate-verdicts": {
            "en": "verdicts: right {right}, wrong {wrong}, too close {too_close}, unknown {unknown}",
            "es": "veredictos: acertados {right}, erróneos {wrong}, demasiado justos {too_close}, sin respuesta {unknown}",
        },
    }
)  # fmt: skip
