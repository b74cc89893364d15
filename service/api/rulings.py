"""Disputes: freeze, ask, store; then the report and the bundle."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse
from pydantic import Field
from regla.rules import Scene

from ..evidence import bundle, rule
from ..report import Report
from ..store import Stored
from .shared import ERRORS, Body, Lang, Service, ServiceDep, TableDep, example

router = APIRouter(tags=["rulings"], responses=ERRORS)


class NewRuling(Body):
    model_config = example(
        {
            "question": {"query": "range", "from": "archers", "to": "raiders"},
            "note": "Turn 3",
            "players": ["Ana", "Ben"],
        }
    )

    question: dict[str, Any]
    note: str = Field("", max_length=2000)
    players: list[str] | None = Field(None, max_length=8)
    judge: str = Field("", max_length=80)


def ruling_json(stored: Stored) -> dict[str, Any]:
    base = f"/api/rulings/{stored.id}"
    return {
        **stored.document,
        "hash": stored.hash,
        "report_html": f"{base}/report.html",
        "report_pdf": f"{base}/report.pdf",
        "bundle": f"{base}/bundle.zip",
    }


@router.post(
    "/api/tables/{table_id}/rulings",
    status_code=201,
    summary="Freeze the settled table, ask, and store the ruling",
)
def new_ruling(table: TableDep, body: NewRuling, running: ServiceDep, lang: Lang) -> dict[str, Any]:
    """The answer comes only after the ruling is on the disk."""
    stored = rule(
        table,
        running.store,
        body.question,
        frames=running.settings.freeze_frames,
        lang=lang,
        note=body.note,
        players=body.players,
        judge=body.judge,
    )
    return ruling_json(stored)


@router.get("/api/rulings", summary="The newest rulings")
def rulings(
    running: ServiceDep, table: str | None = None, limit: int = 50, before: int | None = None
) -> list[dict[str, Any]]:
    found = running.store.rulings(table, max(1, min(limit, 500)), before)
    keys = ("id", "seq", "table", "table_name", "created", "game", "question", "note", "players", "judge")
    out = []
    for stored in found:
        verdict = stored.document["verdict"]
        said = {k: verdict.get(k) for k in ("answer", "headline", "because", "who")}
        out.append({**{k: stored.document.get(k) for k in keys}, "verdict": said, "hash": stored.hash})
    return out


@router.get("/api/rulings/{ruling_id}", summary="One ruling with its verdict and fingerprint")
def one_ruling(ruling_id: str, running: ServiceDep) -> dict[str, Any]:
    return ruling_json(running.store.ruling(ruling_id))


def _report(ruling_id: str, running: Service, lang: str) -> Report:
    stored = running.store.ruling(ruling_id)
    files = running.store.files(ruling_id)
    return Report(stored, Scene.parse(files["scene.json"][1]), files, lang)


REPORT_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


@router.get(
    "/api/rulings/{ruling_id}/report.html", response_class=HTMLResponse, summary="The report, in one file"
)
def report_html(ruling_id: str, running: ServiceDep, lang: Lang) -> HTMLResponse:
    return HTMLResponse(
        _report(ruling_id, running, lang).html(), headers={"Content-Security-Policy": REPORT_POLICY}
    )


@router.get("/api/rulings/{ruling_id}/report.pdf", response_class=Response, summary="The report to print")
def report_pdf(ruling_id: str, running: ServiceDep, lang: Lang) -> Response:
    return Response(
        _report(ruling_id, running, lang).pdf(),
        media_type="application/pdf",
        headers={"Content-Disposition": f'inline; filename="regla-{ruling_id}.pdf"'},
    )


@router.get(
    "/api/rulings/{ruling_id}/bundle.zip", response_class=Response, summary="Everything, for `regla verify`"
)
def bundle_zip(ruling_id: str, running: ServiceDep, lang: Lang) -> Response:
    stored = running.store.ruling(ruling_id)
    data = bundle(
        stored,
        running.store.files(ruling_id),
        running.store.chain(stored.seq),
        _report(ruling_id, running, lang).html(),
    )
    return Response(
        data,
        media_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="regla-{ruling_id}.zip"'},
    )
