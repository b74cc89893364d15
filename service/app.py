"""The service as one ASGI app."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from regla.calibration import CalibrationError
from regla.rules import RulesError
from regla.rules.errors import QuestionError, SceneError
from regla.vision.errors import VisionError

from . import texts  # noqa: F401  (registers what the service says)
from .api import asking, pictures, rulings, setup, tables
from .api.shared import Service, request_lang
from .errors import ServiceError
from .security import Guard, Tokens
from .settings import Settings
from .sources import engine_for
from .store import Store
from .tables import Tables

__all__ = ["create_app"]

WEB = Path(__file__).parent / "web"
ABOUT = """What is on the table, measured, and which rule decides. The same questions as `regla ask`; see SCENE.md for the documents.

On this computer nothing is asked of you. From another device every request shows a token: `Authorization: Bearer …` or `?token=…`."""


def create_app(settings: Settings, on_ready: Callable[[Service], None] | None = None) -> FastAPI:
    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        store = Store(settings.data / "regla.sqlite")
        running = Service(
            settings, store, Tables(settings, store, asyncio.get_running_loop()), app.state.tokens
        )
        app.state.service = running
        await asyncio.to_thread(_first_tables, running)
        if on_ready is not None:
            on_ready(running)
        try:
            yield
        finally:
            await asyncio.to_thread(running.tables.close)
            store.close()

    app = FastAPI(title="Regla", version=version("regla"), description=ABOUT, lifespan=life, redoc_url=None)
    app.state.tokens = Tokens(settings)
    app.add_middleware(Guard, settings=settings, tokens=app.state.tokens)
    for module in (asking, tables, rulings, pictures, setup):
        app.include_router(module.router)
    _errors(app)
    _pages(app)
    return app


def _first_tables(running: Service) -> None:
    settings = running.settings
    if settings.source is not None:
        path = Path(settings.source)
        source = path.name if path.exists() else settings.source
        remembered, corrections = running.tables.remembered("1", source)
        running.tables.add(
            engine_for(settings.source, settings, settings.game, corrections),
            table_id="1",
            source=source,
            **{**remembered, "mode": settings.mode},
        )
    running.tables.restore()


def _errors(app: FastAPI) -> None:
    def said(request: Request, status: int, error: str, exc: Any) -> JSONResponse:
        lang = request_lang(request)
        faults = [{"place": f.place, "text": f.message.text(lang)} for f in getattr(exc, "faults", ())]
        return JSONResponse({"error": error, "detail": exc.text(lang), "faults": faults}, status)

    @app.exception_handler(ServiceError)
    async def service_error(request: Request, exc: ServiceError) -> JSONResponse:
        return said(request, exc.status, exc.message.key, exc)

    @app.exception_handler(RulesError)
    async def rules_error(request: Request, exc: RulesError) -> JSONResponse:
        kind = (
            "scene"
            if isinstance(exc, SceneError)
            else "question"
            if isinstance(exc, QuestionError)
            else "unknown"
        )
        return said(request, 400, kind, exc)

    @app.exception_handler(CalibrationError)
    async def calibration_error(request: Request, exc: CalibrationError) -> JSONResponse:
        return JSONResponse(
            {"error": exc.key, "detail": exc.message(request_lang(request)), "faults": []}, 422
        )

    @app.exception_handler(VisionError)
    async def vision_error(request: Request, exc: VisionError) -> JSONResponse:
        return JSONResponse({"error": exc.key, "detail": exc.text(request_lang(request)), "faults": []}, 422)

    @app.exception_handler(RequestValidationError)
    async def bad_request(request: Request, exc: RequestValidationError) -> JSONResponse:
        faults = [
            {"place": ".".join(str(p) for p in e["loc"] if p != "body"), "text": str(e["msg"])}
            for e in exc.errors()
        ]
        detail = "; ".join(f"{f['place']}: {f['text']}" for f in faults)
        return JSONResponse({"error": "request", "detail": detail, "faults": faults}, 422)


def _pages(app: FastAPI) -> None:
    def page(name: str) -> FileResponse:
        return FileResponse(WEB / name, media_type="text/html", headers={"Cache-Control": "no-cache"})

    @app.get("/health", tags=["service"], summary="Whether the service is well")
    def health() -> dict[str, Any]:
        running: Service = app.state.service
        return {
            "status": "ok",
            "version": app.version,
            "tables": {t.id: t.engine.snapshot().status.word for t in running.tables},
        }

    @app.get("/", include_in_schema=False)
    def home() -> FileResponse:
        return page("index.html")

    @app.get("/t/{table_id}", include_in_schema=False)
    def table_page(table_id: str) -> FileResponse:
        return page("table.html")

    @app.get("/overlay/{table_id}", include_in_schema=False)
    def overlay_page(table_id: str) -> FileResponse:
        return page("overlay.html")

    @app.get("/favicon.ico", include_in_schema=False)
    def icon() -> FileResponse:
        return FileResponse(WEB / "icon.svg", media_type="image/svg+xml")

    app.mount("/static", StaticFiles(directory=WEB), name="static")
