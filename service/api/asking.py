"""Questions: of a scene that comes with the question, or of a table."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Literal

from fastapi import APIRouter, Response
from pydantic import Field
from regla.rules import QuestionError, Scene, ask

from ..suggest import about, games_json, suggest
from .shared import ERRORS, Body, Lang, ServiceDep, TableDep, example

router = APIRouter(tags=["questions"], responses=ERRORS)

EXAMPLE_SCENE = {
    "game": "mage-knight",
    "unit": "in",
    "table": {"width": 36, "depth": 36},
    "pieces": [
        {"id": "a", "side": "A", "at": [10, 10], "facing": 90, "base": {"shape": "circle", "diameter": 1.5}},
        {"id": "b", "side": "B", "at": [13, 14], "facing": 270, "base": {"shape": "circle", "diameter": 1.5}},
    ],
}


class Question(Body):
    model_config = example(
        {"scene": EXAMPLE_SCENE, "question": {"query": "range", "from": "a", "to": "b", "range": 8}}
    )

    question: dict[str, Any] = Field(
        description="The query's name and its inputs, as SCENE.md and /api/games list them."
    )
    scene: dict[str, Any] | None = Field(None, description="A scene document; or name a table.")
    table: str | None = Field(None, description="Id of a table of this service.")
    mode: Literal["friendly", "tournament"] | None = None
    lang: Literal["en", "es"] | None = None


@router.post("/api/ask", summary="Ask a question of a scene or of a table")
def ask_(body: Question, running: ServiceDep, lang: Lang) -> dict[str, Any]:
    lang = body.lang or lang
    if body.table is not None:
        table = running.tables.get(body.table)
        snapshot = table.engine.snapshot()
        # In a tournament nobody can ask his way around the mode by naming another one.
        verdict = table.ask(body.question, lang, snapshot.scene)
        return {
            **verdict.to_json(lang),
            "table": table.id,
            "v": snapshot.version,
            "status": snapshot.status.word,
        }
    scene = Scene.parse(body.scene or {})
    return ask(scene, body.question, lang=lang, mode=body.mode or "friendly").to_json(lang)


@router.get("/api/games", summary="Every game with its questions, inputs, settings and traits")
def games() -> Response:
    return Response(_games(), media_type="application/json", headers={"Cache-Control": "no-cache"})


@cache
def _games() -> bytes:
    """Packed once: it is the largest thing that a page loads, and it never changes while the service runs."""
    return json.dumps(games_json(), ensure_ascii=False, separators=(",", ":")).encode()


@router.get("/api/tables/{table_id}/suggest", summary="What tapping two pieces can mean, the likeliest first")
def suggestions(table: TableDep, first: str, second: str | None = None) -> list[dict[str, Any]]:
    return suggest(table.scene, first, second)


class Between(Body):
    model_config = example({"first": "archers", "second": "raiders", "used": {"charge": {"advance": 5}}})

    first: str
    second: str
    used: dict[str, dict[str, Any]] = Field(
        {}, description="Inputs that each query had last time: weapon, speed."
    )
    prefer: str | None = Field(None, description="The query that was asked before, if it can be asked again.")


@router.post("/api/tables/{table_id}/between", summary="Two pieces were tapped: ask what a player would mean")
def between(table: TableDep, body: Between, lang: Lang) -> dict[str, Any]:
    """The likeliest question that can be asked, with its verdict; or the likeliest one, with what is missing."""
    snapshot = table.engine.snapshot()
    found = suggest(table.scene, body.first, body.second)
    found.sort(key=lambda s: s["question"]["query"] != body.prefer)
    for one in found:
        filled = {**body.used.get(one["question"]["query"], {}), **one["question"]}
        if any(name not in filled for name in one["missing"]):
            continue
        try:
            verdict = table.ask(filled, lang, snapshot.scene)
        except QuestionError:
            continue
        said = {
            **verdict.to_json(lang),
            "table": table.id,
            "v": snapshot.version,
            "status": snapshot.status.word,
        }
        return {"question": filled, "verdict": said}
    return {"question": found[0]["question"] if found else None, "verdict": None}


@router.get(
    "/api/tables/{table_id}/about/{piece}",
    summary="Everything about one piece: how far, which arc, who is seen",
)
def about_(table: TableDep, piece: str, lang: Lang) -> dict[str, Any]:
    snapshot = table.engine.snapshot()
    scene = table.in_game_unit(snapshot.scene)
    return {
        "piece": piece,
        "v": snapshot.version,
        "unit": scene.unit,
        **about(scene, piece, lang, table.mode),
    }
