"""Set-up: sources, sheets to print, calibration with its error map, sharing."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import cv2
import numpy as np
import segno
from fastapi import APIRouter, Request, Response
from pydantic import Field
from regla.calibration import (
    Calibration,
    CalibrationError,
    Check,
    calibrate_markers,
    calibrate_rectangle,
    error_map,
    find_markers,
)
from regla.calibration.messages import say
from regla.calibration.sheets import charuco_sheet, check_sheet, marker_sheets, tag_sheets
from regla.rules import GAMES

from ..errors import NotFound, Refused
from ..live import LiveEngine, encode
from ..security import own_addresses
from ..sources import samples
from ..tables import Table
from .shared import ERRORS, Body, Lang, ServiceDep, TableDep, example

router = APIRouter(tags=["set-up"], responses=ERRORS)

CORNERS = {0: "near-left", 1: "near-right", 2: "far-right", 3: "far-left"}
MAP_STEPS = 13
MAX_QR = 500
THUMBNAIL_S = 4.0


class Calibrate(Body):
    model_config = example({"table_mm": [1828.8, 1219.2]})

    table_mm: tuple[float, float] | None = Field(
        None, description="Width and depth of the table, where they are known."
    )
    layout: Literal["anywhere", "corners"] = "anywhere"
    corners_px: list[tuple[float, float]] | None = Field(
        None,
        min_length=4,
        max_length=4,
        description="The table's corners in the picture, near left first, then counter-clockwise: no sheets needed.",
    )


class KnownLength(Body):
    model_config = example({"a_px": [400, 300], "b_px": [900, 310], "length_mm": 304.8})

    a_px: tuple[float, float]
    b_px: tuple[float, float]
    length_mm: float = Field(gt=0, le=10_000)


@router.get("/api/samples", summary="Tables to try without a camera")
def sample_list() -> list[dict[str, Any]]:
    return [{k: v for k, v in s.items() if k != "path"} for s in samples()]


@router.get("/api/sources", summary="Cameras of this computer")
def sources() -> list[dict[str, Any]]:
    devices = sorted(Path("/sys/class/video4linux").glob("video*"), key=lambda p: int(p.name[5:] or 0))
    out = []
    for device in devices:
        try:
            label = (device / "name").read_text(encoding="utf-8").strip()
        except OSError:
            label = device.name
        out.append({"source": device.name.removeprefix("video"), "name": label})
    return out


@router.get(
    "/api/sources/{device}/thumbnail.jpg",
    response_class=Response,
    summary="What a camera of this computer sees now",
)
def thumbnail(device: int) -> Response:
    from regla.vision.sources import Source

    with Source(str(device), fps=5) as source:
        shot = source.newest(0, timeout_s=THUMBNAIL_S)
    if shot is None:
        raise NotFound.of("no-picture")
    small = cv2.resize(shot.image, (320, round(320 * shot.image.shape[0] / shot.image.shape[1])))
    return Response(encode(small, 70).data, media_type="image/jpeg", headers={"Cache-Control": "no-store"})


@router.get("/api/sheets.pdf", response_class=Response, summary="Sheets to print")
def sheets(
    kind: Literal["corners", "tags", "lens", "check"] = "corners", paper: Literal["a4", "letter"] = "a4"
) -> Response:
    make: dict[str, Callable[[str], bytes]] = {
        "corners": marker_sheets,
        "tags": tag_sheets,
        "lens": charuco_sheet,
        "check": check_sheet,
    }
    return Response(
        make[kind](paper),
        media_type="application/pdf",
        headers={"Content-Disposition": f'inline; filename="regla-{kind}-{paper}.pdf"'},
    )


def _live(table: Table) -> LiveEngine:
    if not isinstance(table.engine, LiveEngine):
        raise Refused.of("live-only")
    return table.engine


@router.get(
    "/api/tables/{table_id}/calibration",
    summary="Grade, error over the table, advice, and which sheets are seen now",
)
def calibration(table: TableDep, lang: Lang) -> dict[str, Any]:
    engine = table.engine
    out: dict[str, Any] = {"markers": [], "missing": [], "grade": None}
    if not isinstance(engine, LiveEngine):
        frozen = engine.freeze(1)
        if frozen.calibration is None:
            return out
        return {**out, **_calibration_json(Calibration.from_json(dict(frozen.calibration)), lang)}
    _, image = engine.table.frame()
    if image is not None:
        try:
            found = find_markers(image)
        except CalibrationError as error:
            found, out["fault"] = [], error.message(lang)
        out["size"] = [int(image.shape[1]), int(image.shape[0])]
        out["markers"] = [{"id": m.id, "corners": np.round(m.corners_px, 1).tolist()} for m in found]
        out["missing"] = [CORNERS[i] for i in CORNERS if i not in {m.id for m in found}]
    if engine.calibration is not None:
        out.update(_calibration_json(engine.calibration, lang))
    else:
        out["fault"] = engine.calibration_fault(lang) or out.get("fault")
    return out


def _calibration_json(found: Calibration, lang: str) -> dict[str, Any]:
    errors = error_map(found.view(), found.table_mm, steps=MAP_STEPS)
    rows = [[None if not math.isfinite(v) else round(float(v), 2) for v in row] for row in errors]
    return {
        "grade": found.grade,
        "error95_mm": {
            "median": found.quality.median_mm,
            "p95": found.quality.p95_mm,
            "worst": found.quality.worst_mm,
        },
        "advice": [_advice(key, lang) for key in found.quality.advice],
        "table_mm": list(found.table_mm),
        "lens": found.lens_source,
        "map": rows,
        "checks": [
            {
                "length_mm": c.length_mm,
                "measured_mm": round(c.measured_mm, 2),
                "sigma_mm": round(c.sigma_mm, 2),
            }
            for c in found.checks
        ],
        "made": found.made,
        "revision": found.revision,
    }


def _advice(key: str, lang: str) -> str:
    """What would improve the set-up; a key may carry an argument after a colon."""
    name, _, rest = key.partition(":")
    try:
        return say(name, lang, which=rest) if rest else say(name, lang)
    except KeyError:
        return key


@router.post("/api/tables/{table_id}/calibration", summary="Calibrate from the newest picture")
def calibrate(table: TableDep, body: Calibrate, running: ServiceDep, lang: Lang) -> dict[str, Any]:
    engine = _live(table)
    _, image = engine.table.frame()
    if image is None:
        raise NotFound.of("no-picture")
    if body.corners_px is not None:
        size = body.table_mm or GAMES[table.scene.game].table_mm
        if size is None:
            raise Refused.of("table-size-needed")
        made = calibrate_rectangle(body.corners_px, size, (int(image.shape[1]), int(image.shape[0])))
    else:
        made = calibrate_markers(image, table_mm=body.table_mm, layout=body.layout)
    engine.set_calibration(made)
    made.save(running.settings.data / f"table-{table.id}.calibration.json")
    table.publish()
    return calibration(table, lang)


@router.post("/api/tables/{table_id}/calibration/check", summary="Measure a known length in the picture")
def check_length(table: TableDep, body: KnownLength, lang: Lang) -> dict[str, Any]:
    engine = _live(table)
    if engine.calibration is None:
        raise Refused.of("calibrate-first")
    xy, covariance = engine.calibration.view().to_table(np.array([body.a_px, body.b_px], dtype=float))
    measured = float(np.linalg.norm(xy[1] - xy[0]))
    along = (xy[1] - xy[0]) / max(measured, 1e-9)
    sigma = math.sqrt(float(along @ (covariance[0] + covariance[1]) @ along))
    check = Check(body.length_mm, measured, sigma)
    engine.set_calibration(engine.calibration.revised(checks=(*engine.calibration.checks, check)[-10:]))
    return {
        "length_mm": body.length_mm,
        "measured_mm": round(measured, 2),
        "error_mm": round(check.error_mm, 2),
        "band_mm": round(1.96 * sigma, 2),
        "within": abs(check.error_mm) <= 1.96 * sigma + 0.5,
    }


@router.get("/api/tables/{table_id}/view", summary="Lens and pose, to draw on the picture")
def view(table: TableDep) -> dict[str, Any]:
    found = table.engine.view()
    if found is None:
        raise NotFound.of("no-picture")
    return dict(found)


@router.get("/api/share", summary="Addresses for phones and for OBS, and what this visitor may do")
def share(request: Request, running: ServiceDep, table: str = "1") -> dict[str, Any]:
    rights = request.scope["state"]["rights"]
    settings, tokens = running.settings, running.tokens
    port = request.url.port or 80
    out: dict[str, Any] = {"rights": rights, "reachable": not settings.loopback_only}
    if rights != "full":
        return out
    if settings.loopback_only:
        bases = [f"http://127.0.0.1:{port}"]
    elif settings.host in ("0.0.0.0", "::"):
        bases = [f"http://{a}:{port}" for a in own_addresses()] or [f"http://127.0.0.1:{port}"]
    else:
        bases = [f"http://{settings.host}:{port}"]
    ident = quote(table, safe="")
    out["phone"] = [f"{base}/t/{ident}?token={tokens.full}" for base in bases]
    out["watch"] = [f"{base}/t/{ident}?token={tokens.read}" for base in bases]
    local = f"http://127.0.0.1:{port}"
    out["overlay"] = [
        f"{base}/overlay/{ident}?token={tokens.read}" for base in dict.fromkeys([local, *bases])
    ]
    return out


@router.get("/api/qr.svg", response_class=Response, summary="A text as a QR code")
def qr(text: str) -> Response:
    if len(text) > MAX_QR:
        raise Refused.of("qr-too-long", most=MAX_QR)
    out = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        out, kind="svg", scale=4, border=2, dark="#111", light="#fff"
    )
    return Response(out.getvalue(), media_type="image/svg+xml")


@router.get("/api/rights", summary="What this visitor may do: full, read or none")
def rights(request: Request) -> dict[str, Any]:
    return {"rights": request.scope["state"]["rights"]}
