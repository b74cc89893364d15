"""`regla watch`: a live table in the terminal: pieces, status, rate."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from regla.rules import GAMES
from regla.rules.messages import msg
from regla.rules.messages import register as register_texts
from regla.service.cli.look import check_game, pieces_table, read_calibration

if TYPE_CHECKING:
    from regla.vision.live import LiveTable
    from regla.vision.state import TableState

REFRESH_S = 0.25
MARKS = {
    "settled": ("●", "green"),
    "moving": ("◌", "yellow"),
    "hand": ("✋", "yellow"),
    "waiting": ("…", "red"),
    "drift": ("⚠", "red"),
    "dark": ("☾", "red"),
    "uncalibrated": ("○", "red"),
    "no-table": ("?", "red"),
}
"""A sign beside the word, so that the state does not hang on a colour."""


def register(app: typer.Typer) -> None:
    app.command("watch", help="Watch a live table: regla watch 0 -c table.json --game t9a")(run)


def run(
    ctx: typer.Context,
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A camera number, an address, a clip, picture or folder.")
    ],
    calibration: Annotated[
        Path | None,
        typer.Option("--calibration", "-c", help="The calibration document; else the sheets in view."),
    ] = None,
    game: Annotated[str, typer.Option("--game", help=f"One of {', '.join(GAMES)}.")] = "t9a",
    seconds: Annotated[
        float, typer.Option("--seconds", min=0, help="Stop after this long; 0 goes on for ever.")
    ] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON for every change.")] = False,
    lang: Annotated[str, typer.Option(help="Language: en or es.")] = "",
) -> None:
    lang = lang or ctx.obj["lang"]
    check_game(game)
    from regla.vision.address import Address
    from regla.vision.live import LiveTable

    table = LiveTable(
        Address.parse(source), read_calibration(calibration), game, calibrate=calibration is None
    )
    table.start()
    try:
        _follow(table, seconds, as_json, lang)
    except KeyboardInterrupt:
        typer.echo("")
    finally:
        table.stop()


def _follow(table: LiveTable, seconds: float, as_json: bool, lang: str) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    until = time.monotonic() + seconds if seconds else float("inf")
    if as_json or not console.is_terminal:
        _lines(table, until, as_json, lang)
        return
    from rich.live import Live

    with Live(console=console, auto_refresh=False) as live:
        state = table.state()
        while time.monotonic() < until:
            live.update(_screen(state, table, lang), refresh=True)
            state = table.wait(state.sequence, REFRESH_S)


def _lines(table: LiveTable, until: float, as_json: bool, lang: str) -> None:
    """Plain text (or JSON) when piped: one line for every change that a reader would care about."""
    sequence, last = 0, ""
    while time.monotonic() < until:
        state = table.wait(sequence, min(1.0, max(0.0, until - time.monotonic())))
        if state.sequence <= sequence:
            continue
        sequence = state.sequence
        line = json.dumps(state_json(state, lang), ensure_ascii=False) if as_json else _line(state, lang)
        if line != last:
            typer.echo(line)
            last = line


def _line(state: TableState, lang: str) -> str:
    count = 0 if state.scene is None else len(state.scene.pieces)
    fault = f" · {state.fault.text(lang)}" if state.fault is not None else ""
    return msg("watch-line", status=state.text(lang), n=count, frames=state.frames).text(lang) + fault


def state_json(state: TableState, lang: str) -> dict[str, Any]:
    return {
        "sequence": state.sequence,
        "status": state.status,
        "text": state.text(lang),
        "fault": None if state.fault is None else state.fault.text(lang),
        "grade": state.grade,
        "frames": state.frames,
        "scene": None if state.scene is None else state.scene.to_dict(),
    }


def _screen(state: TableState, table: LiveTable, lang: str) -> Any:
    from rich.console import Group
    from rich.text import Text

    sign, colour = MARKS[state.status]
    head = Text()
    head.append(f"{sign} {state.text(lang)}", style=f"bold {colour}")
    title = GAMES[table.game].title.get(lang, table.game)
    tail = msg(
        "watch-head", game=title, grade=state.grade or "–", rate=state.rate_hz, frames=state.frames
    ).text(lang)
    head.append(f"  {tail}")
    parts: list[Any] = [head]
    if state.fault is not None:
        parts.append(Text(state.fault.text(lang), style=colour))
    if state.scene is not None:
        parts.append(pieces_table(state.scene, table.source.address.name, lang))
    return Group(*parts)


register_texts(
    {
        "watch-line": {
            "en": "{status} · {n} pieces · from {frames} pictures",
            "es": "{status} · {n} piezas · de {frames} imágenes",
        },
        "watch-head": {
            "en": "{game} · calibration {grade} · {rate} checks a second · measured from {frames} pictures",
            "es": "{game} · calibración {grade} · {rate} miradas por segundo · medido con {frames} imágenes",
        },
    }
)  # fmt: skip
