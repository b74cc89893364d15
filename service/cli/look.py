"""`regla look`: what a photograph shows, as a scene with error bars."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from regla.rules import GAMES, QuestionError, Scene
from regla.rules.messages import msg, number
from regla.rules.messages import register as register_texts

if TYPE_CHECKING:
    from regla.vision.photo import Look

ACROSS = 1
"""Decimals of a length in mm: a tenth is what the best set-up deserves."""


def register(app: typer.Typer) -> None:
    app.command("look", help="See a photograph: regla look table.jpg --markers --game t9a")(run)


def run(
    ctx: typer.Context,
    photo: Annotated[Path, typer.Argument(metavar="PHOTO", help="A JPEG or PNG of the table.")],
    calibration: Annotated[
        Path | None, typer.Option("--calibration", "-c", help="The calibration document of this camera.")
    ] = None,
    markers: Annotated[
        bool, typer.Option("--markers", help="Calibrate from the corner sheets in the picture (the default).")
    ] = False,
    lens: Annotated[
        Path | None, typer.Option("--lens", help="A lens or calibration document to use with --markers.")
    ] = None,
    game: Annotated[str, typer.Option("--game", help=f"One of {', '.join(GAMES)}.")] = "t9a",
    table: Annotated[str, typer.Option("--table", help="Size of the table, such as 72x48in.")] = "",
    flush: Annotated[
        bool, typer.Option("--flush", help="The cut sheets lie flush in the table's corners.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the scene as JSON.")] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the scene to this file.")] = None,
    picture: Annotated[
        Path | None,
        typer.Option("--draw", help="Draw what was seen over the picture, to a .png or .jpg file."),
    ] = None,
    lang: Annotated[str, typer.Option(help="Language: en or es.")] = "",
) -> None:
    lang = lang or ctx.obj["lang"]
    check_game(game)
    if calibration is not None and (markers or lens is not None):
        raise QuestionError.of("look-either", "--calibration")
    from regla.vision.photo import look
    from regla.vision.pictures import read_picture

    image = read_picture(photo)
    known = read_calibration(calibration)
    size_mm = read_size(table) or (GAMES[game].table_mm if flush else None)
    looked = look(
        image,
        known,
        game,
        camera=read_camera(lens),
        table_mm=size_mm,
        layout="corners" if flush else "anywhere",
        name=photo.name,
    )
    if out is not None:
        looked.scene.save(out)
    if picture is not None:
        from regla.vision.overlay import draw_scene, save_picture

        save_picture(picture, draw_scene(image, looked.scene, looked.view))
    if as_json:
        typer.echo(json.dumps(looked.scene.to_dict(), ensure_ascii=False, indent=1))
        return
    show(looked, photo.name, lang, [p for p in (out, picture) if p is not None])


def check_game(game: str) -> None:
    if game not in GAMES:
        raise QuestionError.of("fault-one-of", "--game", limit=", ".join(GAMES), got=repr(game))


def read_calibration(path: Path | None) -> Any:
    if path is None:
        return None
    from regla.calibration import Calibration

    return Calibration.load(path)


def read_camera(path: Path | None) -> Any:
    """A lens document, or the lens inside a calibration document."""
    if path is None:
        return None
    from regla.calibration import Calibration
    from regla.calibration.document import read_json
    from regla.calibration.lens import LENS_KIND, Lens

    data = read_json(path)
    if isinstance(data, dict) and data.get("kind") == LENS_KIND:
        return Lens.from_json(data, str(path)).camera
    return Calibration.from_json(data, str(path)).camera


def read_size(text: str) -> tuple[float, float] | None:
    if not text:
        return None
    from regla.calibration.lengths import parse_size

    return parse_size(text)


def show(looked: Look, name: str, lang: str, written: list[Path]) -> None:
    """The terminal's view: a table of pieces, plain when piped."""
    from rich.console import Console

    console = Console(highlight=False)
    console.print(pieces_table(looked.scene, name, lang))
    grade = getattr(looked.calibration, "grade", None)
    line = msg("look-line", n=len(looked.scene.pieces), ms=round(looked.sight.ms), grade=grade or "–").text(
        lang
    )
    console.print(line)
    for note in looked.notes:
        console.print(note.text(lang))
    for path in written:
        console.print(str(path))


def pieces_table(scene: Scene, title: str, lang: str) -> Any:
    from rich.table import Table

    table = Table(title=title, title_justify="left", pad_edge=False)
    for key in ("id", "what", "at", "facing", "sure"):
        table.add_column(
            msg(f"look-{key}").text(lang), justify="right" if key in ("at", "facing", "sure") else "left"
        )
    for piece in scene.pieces:
        table.add_row(*piece_row(piece, lang))
    return table


def piece_row(piece: Any, lang: str) -> tuple[str, str, str, str, str]:
    """A piece in words: `u1`, `5 × 4 of 25 × 25 mm`, `812.4, 310.9 ± 0.6`, `90.2°`, `97 %`."""

    def mm(value: float) -> str:
        return number(value, ACROSS, lang)

    base = piece.base
    shape = "–"
    if base is not None:
        size = getattr(base, "diameter", None) or getattr(base, "across_flats", None)
        shape = f"Ø {mm(size)} mm" if size else f"{mm(base.width)} × {mm(base.depth)} mm"
    if piece.count and piece.count > 1:
        shape = msg("look-block", count=piece.count, files=piece.files or piece.count, base=shape).text(lang)
    hand = "✋ " if piece.source == "hand" else ""
    at = "–" if piece.at is None else f"{mm(piece.at[0])}, {mm(piece.at[1])}"
    if piece.at is not None and piece.sigma is not None:
        at += f" ± {mm(1.96 * max(piece.sigma.at))}"
    if piece.hex is not None:
        at = f"[{piece.hex[0]}, {piece.hex[1]}]  {at}"
    if piece.space is not None:
        at = f"{piece.space}  {at}"
    facing = "?" if piece.facing is None else f"{number(piece.facing, 1, lang)}°"
    sure = "–" if piece.confidence is None else f"{round(100 * piece.confidence)} %"
    return f"{hand}{piece.label}", shape, at, facing, sure


register_texts(
    {
        "look-id": {"en": "piece", "es": "pieza"},
        "look-what": {"en": "base", "es": "peana"},
        "look-at": {"en": "at (mm)", "es": "lugar (mm)"},
        "look-facing": {"en": "facing", "es": "mira a"},
        "look-sure": {"en": "sure", "es": "certeza"},
        "look-block": {"en": "{count} in {files} files, {base}", "es": "{count} en {files} columnas, {base}"},
        "look-line": {
            "en": "{n} pieces in {ms} ms, calibration: {grade}",
            "es": "{n} piezas en {ms} ms, calibración: {grade}",
        },
        "look-either": {
            "en": "give a calibration, or the sheets in the picture, not both",
            "es": "indique una calibración o las hojas de la imagen, no ambas",
        },
    }
)  # fmt: skip
