"""Tables: the list, the live door, corrections by hand, terrain, history, what if."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, Literal

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import Field
from regla.rules import GAMES, Fault, Game, QuestionError, Scene, msg
from regla.rules.game import _param_fault
from regla.rules.units import mm_per

from ..edits import with_terrain
from ..engine import Snapshot, StillEngine
from ..errors import NotFound, Refused
from ..measure import room
from ..sources import open_engine
from ..units import convert_params
from ..wire import full, pack
from .shared import ERRORS, Body, Lang, ServiceDep, TableDep, example

router = APIRouter(prefix="/api/tables", tags=["tables"], responses=ERRORS)


class NewTable(Body):
    model_config = example({"sample": "t9a-duel", "name": "Table 1"})

    name: str | None = Field(None, max_length=60)
    id: str | None = Field(None, max_length=40)
    scene: dict[str, Any] | None = Field(None, description="A table without a camera, from a scene document.")
    sample: str | None = Field(None, description="One of /api/samples.")
    source: str | None = Field(None, description="Camera number, or an rtsp, rtsps, http or https address.")
    game: str | None = None
    mode: Literal["friendly", "tournament"] | None = None


class ChangeTable(Body):
    model_config = example({"name": "Top table", "mode": "tournament"})

    name: str | None = Field(None, min_length=1, max_length=60)
    mode: Literal["friendly", "tournament"] | None = None
    players: list[str] | None = Field(None, max_length=8)
    game: str | None = None
    params: dict[str, Any] | None = Field(None, description="Settings of the game, in its unit.")


class Edit(Body):
    model_config = example({"do": "correct", "piece": "archers", "changes": {"facing": 90}})

    do: Literal["correct", "remove", "merge", "split"]
    piece: str | None = Field(None, max_length=200)
    pieces: list[str] | None = Field(None, max_length=400)
    changes: dict[str, Any] | None = Field(
        None, description="name, side, base, count, files, facing, traits, at …; lengths in mm."
    )


class TerrainList(Body):
    model_config = example(
        {"terrain": [{"id": "wood", "type": "forest", "outline": [[0, 0], [200, 0], [100, 150]]}]}
    )

    terrain: list[dict[str, Any]] = Field(max_length=200)


class Ghost(Body):
    model_config = example(
        {
            "piece": "knights",
            "at": [300, 420],
            "facing": 90,
            "question": {"query": "range", "from": "knights", "to": "archers"},
        }
    )

    piece: str
    at: tuple[float, float] | None = Field(None, description="mm")
    hex: tuple[int, int] | None = None
    facing: float | None = None
    question: dict[str, Any] | None = Field(None, description="Asked of the table as it would be.")


class Overlay(Body):
    model_config = example({"caption": "Round 3", "show": ["ruling", "names", "scale"]})

    ruling: dict[str, Any] | None = Field(
        None, description="The question to show; its verdict is kept for reloads."
    )
    caption: str | None = Field(None, max_length=200)
    select: str | None = Field(None, max_length=200)
    show: list[str] | None = Field(None, max_length=20)
    unit: Literal["in", "mm"] | None = None
    theme: str | None = Field(None, max_length=20)
    aligned: bool | None = None


def check_params(game: Game, params: dict[str, Any]) -> None:
    """Every setting that cannot be, at once; as a question with those settings would say it."""
    faults = []
    for name, value in params.items():
        known = game.param(name)
        if known is None:
            listed = ", ".join(p.name for p in game.params) or "-"
            faults.append(Fault(name, msg("param-unlisted", game=game.title, known=listed)))
        elif (fault := _param_fault(known, value)) is not None:
            faults.append(Fault(name, fault))
    if faults:
        raise QuestionError(faults)


def _state(snapshot: Snapshot) -> dict[str, Any]:
    return full(pack(snapshot))


@router.get("", summary="All tables")
def tables(running: ServiceDep) -> list[dict[str, Any]]:
    return [table.about() for table in running.tables]


@router.post("", status_code=201, summary="Open a table: a sample, a scene document or a camera")
def new_table(body: NewTable, running: ServiceDep) -> dict[str, Any]:
    make, source = open_engine(body, running.settings)
    more: dict[str, Any] = {"mode": body.mode} if body.mode else {}
    table = running.tables.add(make, name=body.name, table_id=body.id, source=source, **more)
    return table.about()


@router.get("/{table_id}", summary="One table")
def one_table(table: TableDep) -> dict[str, Any]:
    return {**table.about(), "overlay": table.overlay}


@router.patch("/{table_id}", summary="Name, mode, players, game and its settings")
def change_table(table: TableDep, body: ChangeTable, running: ServiceDep) -> dict[str, Any]:
    changes = {k: v for k, v in body.model_dump(exclude={"game", "params"}).items() if v is not None}
    if body.game is not None or body.params is not None:
        game = body.game or table.scene.game
        known = GAMES.get(game)
        if known is None:
            raise Refused.of("no-such-game", got=game, known=sorted(GAMES))
        if body.params is None:
            params = {k: v for k, v in table.scene.params.items() if known.param(k) is not None}
        else:
            given = {k: v for k, v in body.params.items() if v is not None}
            check_params(known, given)
            params = convert_params(game, given, mm_per(known.unit))
        table.engine.set_game(game, params)
    running.tables.change(table, **changes)
    return table.about()


@router.delete("/{table_id}", status_code=204, summary="Close a table")
def close_table(table: TableDep, running: ServiceDep) -> None:
    running.tables.remove(table.id)


@router.get("/{table_id}/scene", summary="The scene document as it is now, in mm")
def scene(table: TableDep) -> dict[str, Any]:
    return table.scene.to_dict()


@router.put("/{table_id}/scene", summary="Put a whole scene on a table without a camera")
def put_scene(table: TableDep, document: dict[str, Any], running: ServiceDep) -> dict[str, Any]:
    if not isinstance(table.engine, StillEngine) or table.engine.picture() is not None:
        raise Refused.of("still-only")
    snapshot = table.engine.replace_scene(Scene.parse(document))
    running.tables.save(table)
    return _state(snapshot)


@router.post("/{table_id}/edits", summary="Correct by hand: fields of a piece, remove, merge, split")
def edit(table: TableDep, body: Edit, running: ServiceDep) -> dict[str, Any]:
    snapshot = table.engine.edit(body.model_dump(exclude_none=True) | {"changes": body.changes or {}})
    running.tables.save(table)
    return _state(snapshot)


@router.put("/{table_id}/terrain", summary="Draw terrain; lengths in mm")
def terrain(table: TableDep, body: TerrainList, running: ServiceDep) -> dict[str, Any]:
    with_terrain(table.scene, body.terrain)  # every fault is said before anything changes
    snapshot = table.engine.edit({"do": "terrain", "terrain": body.terrain})
    running.tables.save(table)
    return _state(snapshot)


@router.post("/{table_id}/undo", summary="Undo the last change by hand")
def undo(table: TableDep, running: ServiceDep) -> dict[str, Any]:
    snapshot = table.engine.undo()
    running.tables.save(table)
    return _state(snapshot)


@router.post("/{table_id}/redo", summary="Do it again")
def redo(table: TableDep, running: ServiceDep) -> dict[str, Any]:
    snapshot = table.engine.redo()
    running.tables.save(table)
    return _state(snapshot)


@router.get("/{table_id}/history", summary="The last minutes: where each piece stood, oldest first")
def history(table: TableDep) -> list[dict[str, Any]]:
    out = []
    for snapshot in table.engine.history():
        packed = pack(snapshot)
        pieces = {
            i: [row[3] if len(row) > 3 else None, row[4] if len(row) > 4 else None]
            for i, row in packed.rows.items()
        }
        out.append(
            {
                "v": snapshot.version,
                "t": round(snapshot.time, 3),
                "status": snapshot.status.word,
                "pieces": pieces,
            }
        )
    return out


@router.post(
    "/{table_id}/whatif",
    summary="A ghost of a piece somewhere else, and a question of the table as it would be",
)
def whatif(table: TableDep, body: Ghost, lang: Lang) -> dict[str, Any]:
    game = GAMES[table.scene.game]
    if table.mode == "tournament" and any(q.premeasures for q in game.queries.values()):
        raise Refused.of("forbidden-measuring", game=game.title)
    piece = table.scene.find(body.piece)
    if piece is None:
        raise NotFound.of("no-such-piece", id=body.piece)
    moved = replace(
        piece,
        at=body.at if body.at is not None else piece.at,
        hex=body.hex if body.hex is not None else piece.hex,
        facing=body.facing if body.facing is not None else piece.facing,
    )
    would_be = table.scene.with_piece(moved)
    out: dict[str, Any] = {"piece": body.piece, "room": room(would_be, body.piece)}
    if piece.at is not None and moved.at is not None:
        out["moved_mm"] = ((moved.at[0] - piece.at[0]) ** 2 + (moved.at[1] - piece.at[1]) ** 2) ** 0.5
    if body.question is not None:
        out["verdict"] = table.ask(body.question, lang, would_be).to_json(lang)
    return out


@router.put("/{table_id}/overlay", summary="What the stream shows; kept over reloads and restarts")
def overlay(table: TableDep, body: Overlay, running: ServiceDep, lang: Lang) -> dict[str, Any]:
    changes = body.model_dump(exclude_unset=True)
    if changes.get("ruling") is not None:
        verdict = table.ask(changes["ruling"], lang)
        changes["ruling"] = {"question": changes["ruling"], "verdict": verdict.to_json(lang)}
    running.tables.change(table, overlay={**table.overlay, **changes})
    return table.overlay


NO_SUCH_TABLE = 4404
"""Close code: the page stops hurrying to come back."""


@router.websocket("/{table_id}/live")
async def live(socket: WebSocket, table_id: str) -> None:
    """The scene, then what changes. Nothing needs to be sent; a text frame `ping` is answered with `pong`."""
    running = socket.app.state.service
    try:
        table = running.tables.get(table_id)
    except NotFound:
        await socket.accept()
        await socket.close(code=NO_SUCH_TABLE)
        return
    await socket.accept()
    hub = table.hub
    gone = asyncio.Event()

    async def listen() -> None:
        try:
            while True:
                if await socket.receive_text() == "ping":
                    await socket.send_text('{"type":"pong"}')
        except (WebSocketDisconnect, RuntimeError):
            hub.wake(gone)

    listener = asyncio.create_task(listen())
    try:
        await hub.serve(socket.send_text, gone)
        await socket.close(code=1001)
    except (WebSocketDisconnect, RuntimeError):
        gone.set()
    finally:
        listener.cancel()
