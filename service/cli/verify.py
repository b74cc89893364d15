"""`regla verify`: does a bundle hold together, and does its verdict come out the same?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from regla.service import texts  # noqa: F401  (registers what the errors say)
from regla.service.evidence import verify
from rich.console import Console


def register(app: typer.Typer) -> None:
    app.command(
        "verify", help="Check a ruling's bundle offline: hashes, chain, and the verdict computed afresh."
    )(run)


def run(
    ctx: typer.Context,
    bundle: Annotated[Path, typer.Argument(help="The bundle.zip of a ruling.")],
    fingerprint: Annotated[str | None, typer.Option(help="The fingerprint on the printed report.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
) -> None:
    lang = ctx.obj["lang"]
    checks = verify(bundle, fingerprint)
    good = all(check.ok for check in checks)
    if as_json:
        rows = [{"check": c.name.key, "ok": c.ok, "detail": c.detail} for c in checks]
        typer.echo(json.dumps({"ok": good, "checks": rows}, ensure_ascii=False, indent=1))
    else:
        console = Console(highlight=False)
        for check in checks:
            mark = "[green]✓[/]" if check.ok else "[red]✗[/]"
            console.print(f"{mark} {check.name.text(lang)}", end="")
            console.print(f"  {check.detail}" if check.detail else "", markup=False, soft_wrap=True)
    raise typer.Exit(0 if good else 1)
