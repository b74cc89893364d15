"""`regla schema`: the scene document as a JSON Schema."""

from __future__ import annotations

import json

import typer
from regla.rules import schema


def register(app: typer.Typer) -> None:
    app.command("schema", help="Print the JSON Schema of the scene document.")(run)


def run() -> None:
    typer.echo(json.dumps(schema(), indent=1))
