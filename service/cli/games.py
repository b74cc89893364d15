"""`regla games`: which games there are, and what can be asked of each."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from regla.rules import GAMES, Game, QuestionError
from rich.console import Console
from rich.table import Table


def register(app: typer.Typer) -> None:
    app.command("games", help="List the games, or one game's questions and settings.")(run)


def run(
    ctx: typer.Context,
    game: Annotated[str | None, typer.Argument(help="A game's id.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    lang: str = ctx.obj["lang"]
    if game is not None and game not in GAMES:
        raise QuestionError.of("fault-one-of", "game", limit=", ".join(sorted(GAMES)), got=repr(game))
    chosen = [GAMES[game]] if game else list(GAMES.values())
    if as_json:
        typer.echo(json.dumps([describe(g, lang) for g in chosen], ensure_ascii=False, indent=1))
        return
    console = Console(highlight=False)
    if game is None:
        table = Table("id", "", "?", box=None, pad_edge=False)
        for g in chosen:
            table.add_row(g.id, g.title[lang], str(len(g.queries)))
        console.print(table)
        return
    for g in chosen:
        console.print(g.title[lang], style="bold")
        table = Table(box=None, pad_edge=False, show_header=False)
        for query in g.queries.values():
            takes = " ".join(f"--{i.name}" if i.required else f"[--{i.name}]" for i in query.inputs)
            table.add_row(query.name, query.title[lang], takes.replace("[", r"\["), style=None)
        console.print(table)
        if g.params:
            console.print()
            table = Table(box=None, pad_edge=False, show_header=False)
            for param in g.params:
                default = "–" if param.default is None else f"{param.default}"
                table.add_row(param.name, param.title[lang], default)
            console.print(table)


def describe(game: Game, lang: str) -> dict[str, Any]:
    """A game as plain data: what the page builds its menus and forms from."""
    return {
        "id": game.id,
        "title": game.title[lang],
        "unit": game.unit,
        "phases": {name: title[lang] for name, title in game.phases.items()},
        "queries": [
            {
                "name": q.name,
                "title": q.title[lang],
                "phase": q.phase,
                "rules": list(q.rules),
                "premeasures": q.premeasures,
                "inputs": [
                    {
                        "name": i.name,
                        "kind": i.kind,
                        "title": i.title[lang],
                        "required": i.required,
                        "choices": list(i.choices),
                        "default": i.default,
                    }
                    for i in q.inputs
                ],
            }
            for q in game.queries.values()
        ],
        "params": [
            {
                "name": p.name,
                "kind": p.kind,
                "title": p.title[lang],
                "default": p.default,
                "unit": p.unit,
                "sure": p.sure,
            }
            for p in game.params
        ],
        "traits": [
            {"name": t.name, "title": t.title[lang], "value": t.value, "on": t.on} for t in game.traits
        ],
        "terrain_types": {name: title[lang] for name, title in game.terrain_types.items()},
        "bases_mm": [list(size) for size in game.bases_mm],
        "table_mm": game.table_mm,
    }
