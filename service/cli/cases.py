"""`regla cases`: run worked cases and say which rule came out otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from regla.rules.cases import Outcome, load_cases, run_cases
from rich.console import Console

FAILED = 1


def register(app: typer.Typer) -> None:
    app.command("cases", help="Run case files; exit 1 if any case comes out otherwise.")(run)


def run(
    files: Annotated[list[Path], typer.Argument(help="Case files (JSON, see SCENE.md).")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcomes as JSON.")] = False,
) -> None:
    outcomes = [outcome for file in files for outcome in run_cases(load_cases(file))]
    failed = [outcome for outcome in outcomes if not outcome.passed]
    if as_json:
        report = {
            "passed": len(outcomes) - len(failed),
            "failed": len(failed),
            "failures": [_plain(o) for o in failed],
        }
        typer.echo(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        console = Console(highlight=False, soft_wrap=True)
        for outcome in failed:
            console.print(
                f"[bold]{outcome.case.id}[/] {outcome.case.rule}  {outcome.case.why}", style="default"
            )
            if outcome.error:
                console.print(f"  {outcome.error}", markup=False)
            for key, expected, got in outcome.mismatches:
                console.print(f"  {key}: expected {expected!r}, got {got!r}", markup=False)
            if outcome.verdict is not None:
                console.print(f"  {outcome.verdict.because}", markup=False)
        console.print(f"{len(outcomes) - len(failed)} passed, {len(failed)} failed")
    if failed:
        raise typer.Exit(FAILED)


def _plain(outcome: Outcome) -> dict[str, Any]:
    return {
        "id": outcome.case.id,
        "rule": outcome.case.rule,
        "error": outcome.error,
        "mismatches": [
            {"key": key, "expected": expected, "got": got} for key, expected, got in outcome.mismatches
        ],
    }
