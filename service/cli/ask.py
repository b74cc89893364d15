"""`regla ask`: one question of one scene, in the terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from regla.rules import GAMES, Answer, Game, QuestionError, Scene, ask
from regla.service.card import card
from regla.service.draw import draw
from rich.console import Console

_TEXT_KINDS = {"piece", "terrain", "place", "text", "choice"}


def register(app: typer.Typer) -> None:
    app.command(
        "ask",
        help="Ask a question of a scene: regla ask SCENE.json range --from a --to b",
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    )(run)


def run(
    ctx: typer.Context,
    scene_file: Annotated[Path, typer.Argument(metavar="SCENE", help="The scene document.")],
    query: Annotated[str, typer.Argument(help="The question; `regla games GAME` lists them.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
    picture: Annotated[
        Path | None, typer.Option("--draw", help="Draw scene and verdict to a .png or .svg file.")
    ] = None,
    mode: Annotated[str, typer.Option(help="friendly or tournament.")] = "friendly",
    lang: Annotated[str, typer.Option(help="Language of the answer: en or es.")] = "",
) -> None:
    lang = lang or ctx.obj["lang"]
    if mode not in ("friendly", "tournament"):
        raise QuestionError.of("fault-one-of", "--mode", limit="friendly, tournament", got=repr(mode))
    if picture is not None and picture.suffix.lower() not in (".png", ".svg"):
        raise QuestionError.of("fault-one-of", "--draw", limit="*.png, *.svg", got=str(picture))
    scene = Scene.load(scene_file)
    question = {"query": query, **inputs(ctx.args, GAMES[scene.game], query)}
    verdict = ask(scene, question, lang=lang, mode=mode)  # type: ignore[arg-type]
    if picture is not None:
        draw(scene, verdict, lang=lang).save(picture)
    if as_json:
        typer.echo(json.dumps(verdict.to_json(lang), ensure_ascii=False, indent=1))
        return
    console = Console(highlight=False)
    console.print(card(verdict, scene, lang))
    if picture is not None:
        console.print(str(picture))
    if verdict.answer is Answer.UNKNOWN:
        return


def inputs(words: list[str], game: Game, query: str) -> dict[str, Any]:
    """The question's own inputs from `--name value` pairs; values are JSON where they can be.

    >>> inputs(["--from", "a", "--path", "[[1, 2]]", "--double_time"], GAMES["mage-knight"], "move")
    {'from': 'a', 'path': [[1, 2]], 'double_time': True}
    """
    known = game.queries.get(query)
    kinds = {i.name: i.kind for i in known.inputs} if known else {}
    out: dict[str, Any] = {}
    params: dict[str, Any] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--") or word == "--":
            raise QuestionError.of("cli-word", got=word)
        name, _, value = word[2:].partition("=")
        if not value and not word.endswith("="):
            if not rest or rest[0].startswith("--"):
                out[name] = True
                continue
            value = rest.pop(0)
        if name == "param":
            key, _, setting = value.partition("=")
            params[key] = _value(setting, "json")
            continue
        name = name if name in kinds or "_" in name else name.replace("-", "_")
        out[name] = _value(value, kinds.get(name, "json"))
    if params:
        given = out.get("params")
        out["params"] = {**(given if isinstance(given, Mapping) else {}), **params}
    return out


def _value(text: str, kind: str) -> Any:
    if kind in _TEXT_KINDS and not text.lstrip().startswith("["):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
