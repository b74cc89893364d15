"""`regla serve`: the page, the overlay and the API."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser
from pathlib import Path
from typing import Annotated, Any

import typer
import uvicorn
from regla.service.api.shared import Service
from regla.service.app import create_app
from regla.service.settings import Settings, SettingsError, load
from rich.console import Console


def _help(name: str) -> str:
    """A flag says what its setting says: one source."""
    return Settings.model_fields[name].description or ""


def register(app: typer.Typer) -> None:
    app.command("serve", help="Open the page on a camera, a clip, a picture or a scene document.")(run)


def run(
    host: Annotated[str | None, typer.Option(help=_help("host"))] = None,
    port: Annotated[int | None, typer.Option(help=_help("port"))] = None,
    source: Annotated[str | None, typer.Option(help=_help("source"))] = None,
    game: Annotated[str | None, typer.Option(help=_help("game"))] = None,
    mode: Annotated[str | None, typer.Option(help=_help("mode"))] = None,
    calibration: Annotated[Path | None, typer.Option(help=_help("calibration"))] = None,
    data: Annotated[Path | None, typer.Option(help=_help("data"))] = None,
    settings: Annotated[
        Path | None, typer.Option(help="Settings file (TOML); regla.toml here is read by itself.")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
) -> None:
    flags: dict[str, Any] = {
        "host": host,
        "port": port,
        "source": source,
        "game": game,
        "mode": mode,
        "calibration": calibration,
        "data": data,
    }
    try:
        chosen = load(settings, **flags)
    except SettingsError as error:
        sys.stderr.write(f"regla: {error}\n")
        raise typer.Exit(2) from None
    serve(chosen, browser=not no_browser and sys.stdout.isatty())


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        reason = error.strerror or str(error)
        raise OSError(error.errno, f"{reason}. Choose another with --port", f"{host}:{port}") from None
    listening.listen(512)
    return listening


def serve(settings: Settings, *, browser: bool) -> None:
    """Serve until stopped; says where the page is as soon as it can be opened."""
    console = Console(highlight=False)
    with _listen(settings.host, settings.port) as listening:
        port = listening.getsockname()[1]
        shown = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host
        base = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}"

        def ready(service: Service) -> None:
            first = next(iter(service.tables), None)
            page = f"{base}/t/{first.id}" if first is not None else f"{base}/"
            console.print(f"Regla is at {page}", soft_wrap=True)
            if first is not None:
                console.print(f"OBS overlay  {base}/overlay/{first.id}", soft_wrap=True)
            if not settings.loopback_only:
                console.print(
                    f"Other devices: open Share in the page, or add ?token={service.tokens.full}",
                    soft_wrap=True,
                )
            console.print("Ctrl+C stops it; rulings are kept.")
            if browser:
                threading.Timer(0.5, webbrowser.open, [page]).start()

        config = uvicorn.Config(
            create_app(settings, ready),
            log_level="warning",
            access_log=False,
            ws="websockets-sansio",
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=2,
            server_header=False,
        )
        uvicorn.Server(config).run(sockets=[listening])
