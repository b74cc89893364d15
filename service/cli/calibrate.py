"""`regla calibrate`: lens, table, check, and what a calibration is worth."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import typer
from regla.calibration import (
    Calibration,
    Camera,
    calibrate_markers,
    calibrate_rectangle,
    diff,
)
from regla.calibration.boards import BoardTemplate, place_by_clicks, shipped_boards
from regla.calibration.charuco import BoardView, CharucoBoard, Chessboard, Target
from regla.calibration.checks import check_bar, check_length, describe, passed, with_check
from regla.calibration.document import dump_readable, read_json, write_whole
from regla.calibration.error_picture import draw_error_map
from regla.calibration.errors import CheckError, LensError, PictureUnreadable
from regla.calibration.guide import LensSession
from regla.calibration.hex_grid import fit_grid
from regla.calibration.lengths import LengthError, parse_length, parse_point, parse_points, parse_size
from regla.calibration.lens import LENS_KIND, Lens, calibrate_lens
from regla.calibration.mat import calibrate_mat
from regla.calibration.messages import phrase, say
from rich.console import Console
from rich.progress import Progress, track
from rich.table import Table

NOT_PASSED = 1
"""Exit code of a check that did not fit: for scripts."""

Picture = Annotated[Path, typer.Argument(metavar="PICTURE", help="A JPEG or PNG of the table.")]
Document = Annotated[Path, typer.Option("--calibration", "-c", help="The calibration document.")]
Json = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Calibrate the lens and the table, check and compare.", no_args_is_help=True)
    group.command("lens", help="The lens, from pictures of the ChArUco board or live.")(lens)
    group.command("table", help="The table, from sheets, a mat's edges or four corners.")(table)
    group.command("check", help="Measure a known length: the 12 in bar, or two points.")(check)
    group.command("show", help="What a calibration is worth.")(show)
    group.command("map", help="Draw the error over the table.")(error_map)
    group.command("diff", help="What differs between two calibrations.")(compare)
    group.command("hexes", help="Fit a hex lattice to a printed grid.")(hexes)
    group.command("board", help="Place a board of named spaces by its four corners.")(board)
    app.add_typer(group, name="calibrate")


def read_picture(path: Path) -> Any:
    """A picture, or a sentence about why not."""
    try:
        raw = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError as error:
        why = phrase("reason-closed", detail=error.strerror)
        raise PictureUnreadable(name=str(path), reason=why) from error
    image = cv2.imdecode(raw, cv2.IMREAD_COLOR) if len(raw) else None
    if image is None:
        raise PictureUnreadable(name=str(path), reason=phrase("reason-decode"))
    return image


def read_lens(path: Path | None) -> Camera | None:
    """A lens document, or the lens inside a calibration document."""
    if path is None:
        return None
    data = read_json(path)
    if isinstance(data, dict) and data.get("kind") == LENS_KIND:
        return Lens.from_json(data, str(path)).camera
    return Calibration.from_json(data, str(path)).camera


def _rows(rows: list[tuple[str, str]]) -> Table:
    grid = Table(box=None, show_header=False, pad_edge=False)
    for name, value in rows:
        grid.add_row(name, value)
    return grid


def lens(
    ctx: typer.Context,
    pictures: Annotated[list[Path] | None, typer.Argument(help="Pictures of the board.")] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write the lens.")] = Path("lens.json"),
    source: Annotated[str | None, typer.Option(help="Live instead: a camera number or address.")] = None,
    chessboard: Annotated[
        str | None,
        typer.Option(help="A plain chessboard's inner corners, such as 9x6, in place of our board."),
    ] = None,
    as_json: Json = False,
) -> None:
    lang: str = ctx.obj["lang"]
    target: Target = CharucoBoard()
    if chessboard is not None:
        columns, rows = (round(v) for v in parse_size(chessboard))
        target = Chessboard(columns, rows)
    views: list[BoardView]
    if source is not None:
        views, size_px = _live_views(source, target, lang)
    elif pictures:
        views, size_px = _still_views(pictures, target, lang)
    else:
        raise typer.BadParameter("give pictures, or a camera with --source")
    answer = calibrate_lens(views, size_px, language=lang)
    answer.save(out)
    if as_json:
        typer.echo(json.dumps(answer.to_json(), ensure_ascii=False))
        return
    console = Console(highlight=False)
    rows_ = [
        (say("label-views", lang), f"{answer.views} ({answer.corners})"),
        (say("label-rms", lang), f"{answer.rms_px:.3f} px"),
        (say("label-held-out", lang), f"{answer.held_out_px:.3f} px"),
        (say("label-focal", lang), f"{answer.camera.matrix[0, 0]:.1f} px"),
    ]
    if answer.left_out:
        rows_.append((say("label-left-out", lang), ", ".join(answer.left_out)))
    if answer.missing:
        rows_.append((say("label-missing", lang), "; ".join(say(key, lang) for key in answer.missing)))
    console.print(_rows(rows_))
    console.print(say("wrote", lang, path=out))


def _still_views(paths: list[Path], target: Target, lang: str) -> tuple[list[BoardView], tuple[int, int]]:
    views: list[BoardView] = []
    sizes: set[tuple[int, int]] = set()
    hidden = not sys.stderr.isatty()
    for path in track(paths, say("lens-looking", lang), console=Console(stderr=True), disable=hidden):
        image = read_picture(path)
        view = target.find(image, path.name)
        if view is None:
            typer.echo(say("board-not-found", lang, name=path), err=True)
            continue
        views.append(view)
        sizes.add((int(image.shape[1]), int(image.shape[0])))
    if len(sizes) > 1:
        raise LensError(
            reason=phrase("reason-sizes-differ", sizes=", ".join(f"{w} × {h}" for w, h in sorted(sizes)))
        )
    return views, sizes.pop() if sizes else (1920, 1080)


def _frames(source: str) -> Iterator[Any]:
    from regla.vision.sources import Source

    with Source(source, loop=False) as camera:
        number = 0
        while True:
            shot = camera.newest(after=number, timeout_s=20)
            if shot is None:
                return
            number = shot.number
            yield shot.image
            if camera.ended:
                return


def _live_views(source: str, target: Target, lang: str) -> tuple[list[BoardView], tuple[int, int]]:
    """Take views from a camera until none is missing; Ctrl-C ends early with what there is."""
    session: LensSession | None = None
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task(say("lens-looking", lang), total=100)
        try:
            for image in _frames(source):
                if session is None:
                    session = LensSession(target, (int(image.shape[1]), int(image.shape[0])))
                what = session.offer(image)
                missing = session.missing
                if not missing:
                    break
                words = f"{say(what, lang)} {say('lens-show', lang, what=say(missing[0], lang))}"
                progress.update(task, completed=100 * session.share, description=words)
                time.sleep(0.05)
        except KeyboardInterrupt:
            progress.stop()
    if session is None:
        raise LensError(reason=phrase("lens-source-silent"))
    return session.views, session.size_px


def table(
    ctx: typer.Context,
    picture: Picture,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write.")] = Path("calibration.json"),
    lens_file: Annotated[
        Path | None, typer.Option("--lens", help="The lens document; without it the lens is guessed.")
    ] = None,
    size: Annotated[str | None, typer.Option(help="Size of the table (or mat, or object): 72x48in.")] = None,
    layout: Annotated[str, typer.Option(help="Sheets lie anywhere, or flush in the corners.")] = "anywhere",
    places: Annotated[Path | None, typer.Option(help="A calibration whose sheets have not moved.")] = None,
    side: Annotated[str, typer.Option(help="Side of the printed black squares.")] = "100mm",
    span: Annotated[
        list[str] | None, typer.Option(help="Measured between two sheets' centres: 0,2=1980mm.")
    ] = None,
    mat: Annotated[bool, typer.Option("--mat", help="Use the mat's four edges.")] = False,
    corners: Annotated[
        str | None, typer.Option(help="Four corners in pixels, near left first: 'x,y x,y x,y x,y'.")
    ] = None,
    object_size: Annotated[
        str | None, typer.Option("--object", help="The corners are of this: a4, letter, card or 210x297mm.")
    ] = None,
    as_json: Json = False,
) -> None:
    lang: str = ctx.obj["lang"]
    image = read_picture(picture)
    camera = read_lens(lens_file)
    table_mm = parse_size(size) if size else None
    size_px = (int(image.shape[1]), int(image.shape[0]))
    if layout not in ("anywhere", "corners"):
        raise typer.BadParameter(f"expected anywhere or corners, got {layout!r}", param_hint="--layout")
    if corners is not None:
        rectangle = parse_size(object_size) if object_size else table_mm
        if rectangle is None:
            raise typer.BadParameter("give the size of the rectangle with --size or --object")
        made = calibrate_rectangle(
            parse_points(corners, 4),
            rectangle,
            size_px,
            camera=camera,
            table_mm=table_mm,
            method="object" if object_size else "rectangle",
        )
    elif mat:
        if table_mm is None:
            raise typer.BadParameter("give the size of the mat with --size")
        made = calibrate_mat(image, table_mm, camera=camera)
    else:
        known = None
        if places is not None:
            before = Calibration.load(places)
            known = {i: s.corners_mm for i, s in before.sheets.items()}
            table_mm = table_mm or before.table_mm
        made = calibrate_markers(
            image,
            camera=camera,
            table_mm=table_mm,
            places=known,
            layout="corners" if layout == "corners" else "anywhere",
            side_mm=parse_length(side),
            spans=dict(_span(s) for s in span or ()),
        )
    made.save(out)
    if as_json:
        typer.echo(json.dumps(made.to_json(), ensure_ascii=False))
        return
    _print(made, lang)
    Console(highlight=False).print(say("wrote", lang, path=out))


def _span(text: str) -> tuple[tuple[int, int], float]:
    pair, _, length = text.partition("=")
    i, _, j = pair.partition(",")
    if not (i.strip().isdigit() and j.strip().isdigit()):
        raise LengthError(got=text)
    return (int(i), int(j)), parse_length(length)


def _print(made: Calibration, lang: str) -> None:
    console = Console(highlight=False)
    quality = made.quality
    width, depth = made.table_mm
    value = say("label-error-value", lang, median=quality.median_mm, p95=quality.p95_mm)
    pose = say("label-camera-value", lang, height=made.pose.centre_mm[2], tilt=made.pose.tilt_deg)
    source = say(f"label-table-{made.table_source}", lang)
    rows = [
        (say("label-grade", lang), say(f"grade-{made.grade}", lang)),
        (say("label-error", lang), value),
        (
            say("label-table", lang),
            f"{width:.0f} × {depth:.0f} mm, {width / 25.4:.1f} × {depth / 25.4:.1f} in, {source}",
        ),
        (say("label-camera", lang), pose),
        (say("label-lens", lang), say(f"label-lens-{made.lens_source}", lang)),
        (say("label-sheets", lang), ", ".join(map(str, made.sheets)) or "–"),
        (say("label-residual", lang), f"{made.residual_px:.2f} px"),
    ]
    console.print(_rows(rows))
    for key in quality.advice:
        console.print(f"• {say(key, lang)}")


def check(
    ctx: typer.Context,
    picture: Picture,
    calibration: Document = Path("calibration.json"),
    length: Annotated[str | None, typer.Option(help="A known length other than the bar: 12in.")] = None,
    start: Annotated[str | None, typer.Option("--from", help="One end in pixels: x,y.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="The other end in pixels: x,y.")] = None,
    as_json: Json = False,
) -> None:
    lang: str = ctx.obj["lang"]
    image = read_picture(picture)
    known = Calibration.load(calibration)
    if length is not None and start is not None and end is not None:
        result = check_length(known, parse_point(start), parse_point(end), parse_length(length))
    elif length is None and start is None and end is None:
        result = check_bar(image, known)
    else:
        raise CheckError(reason=phrase("reason-no-check"))
    new = with_check(known, result)
    new.save(calibration)
    if as_json:
        typer.echo(json.dumps({**new.to_json()["checks"][-1], "passed": passed(result), "grade": new.grade}))
    else:
        console = Console(highlight=False)
        console.print(describe(result, lang))
        console.print(say(f"grade-{new.grade}", lang))
    if not passed(result):
        raise typer.Exit(NOT_PASSED)


def show(
    ctx: typer.Context,
    calibration: Annotated[Path, typer.Argument(help="The calibration document.")],
    as_json: Json = False,
) -> None:
    known = Calibration.load(calibration)
    if as_json:
        typer.echo(json.dumps(known.to_json(), ensure_ascii=False))
    else:
        _print(known, ctx.obj["lang"])


def error_map(
    ctx: typer.Context,
    calibration: Annotated[Path, typer.Argument(help="The calibration document.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write the PNG.")] = Path("error-map.png"),
    height: Annotated[float, typer.Option(help="Height above the table in mm.")] = 0.0,
) -> None:
    lang: str = ctx.obj["lang"]
    picture = draw_error_map(Calibration.load(calibration), lang, height_mm=height)
    written, data = cv2.imencode(".png", picture)
    if written:
        out.write_bytes(data.tobytes())
    typer.echo(say("wrote", lang, path=out))


def compare(
    ctx: typer.Context,
    old: Annotated[Path, typer.Argument(help="A calibration document.")],
    new: Annotated[Path, typer.Argument(help="Another.")],
    as_json: Json = False,
) -> None:
    changes = diff(Calibration.load(old), Calibration.load(new))
    if as_json:
        typer.echo(json.dumps({k: list(v) for k, v in changes.items()}, ensure_ascii=False))
        return
    if not changes:
        typer.echo(say("nothing-changed", ctx.obj["lang"]))
        return
    grid = Table("", str(old), str(new), box=None, pad_edge=False)
    for name, (before, after) in changes.items():
        grid.add_row(name, _short(before), _short(after))
    Console(highlight=False).print(grid)


def _short(value: Any) -> str:
    text = dump_readable(value).strip().replace("\n", " ")
    return text if len(text) <= 40 else text[:37] + "…"


def hexes(
    ctx: typer.Context,
    picture: Picture,
    calibration: Document = Path("calibration.json"),
    region: Annotated[str | None, typer.Option(help="Where to look, in mm: 'x0,y0 x1,y1'.")] = None,
    across: Annotated[str | None, typer.Option(help="Size across flats, where known: 52mm.")] = None,
    as_json: Json = False,
) -> None:
    lang: str = ctx.obj["lang"]
    image = read_picture(picture)
    known = Calibration.load(calibration)
    if region is None:
        part = (0.0, 0.0, *known.table_mm)
    else:
        (x0, y0), (x1, y1) = parse_points(region, 2)
        part = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
    size: float | tuple[float, float] = parse_length(across) if across else (20.0, 80.0)
    lattice = fit_grid(image, known.view(), part, across_flats_mm=size)
    if as_json:
        typer.echo(json.dumps(lattice.to_json()))
        return
    typer.echo(
        say(
            "label-hexes",
            lang,
            orientation=phrase(f"hex-{lattice.orientation}"),
            across=lattice.across_flats_mm,
            angle=lattice.angle_deg,
            count=lattice.hexes,
            rms=lattice.rms_mm,
        )
    )


def board(
    ctx: typer.Context,
    plan: Annotated[
        str, typer.Argument(help="A plan that comes with Regla, or a JSON document of your own.")
    ],
    corners: Annotated[str, typer.Option(help="Its corners in pixels, near left first: 'x,y x,y x,y x,y'.")],
    calibration: Document = Path("calibration.json"),
    height: Annotated[float, typer.Option(help="Height of the clicked rim above the table in mm.")] = 0.0,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write.")] = Path("board.json"),
) -> None:
    known = Calibration.load(calibration)
    shipped = shipped_boards()
    template = BoardTemplate.load(shipped.get(plan, Path(plan)))
    placed = place_by_clicks(template, known.view(), parse_points(corners, 4), height_mm=height)
    write_whole(out, dump_readable(placed.to_json()))
    typer.echo(say("wrote", ctx.obj["lang"], path=out))
