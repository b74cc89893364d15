"""The live line: small, complete, and never slowed by a slow client."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st
from regla.rules import Scene
from regla.service.engine import Snapshot, Status
from regla.service.hub import Hub
from regla.service.wire import COLUMNS, Packed, delta, dumps, full, pack

from tests.service.conftest import scene_of


def snapshot(version: int, scene: dict[str, Any], word: str = "settled") -> Snapshot:
    return Snapshot(
        version, 1_790_000_000.0 + version, Scene.parse(scene), Status(word, 1_790_000_000.0, "gold", 0.4)
    )


def test_forty_pieces_fit_in_four_kilobytes() -> None:
    message = dumps(full(pack(snapshot(1, scene_of(40)))))
    assert len(message.encode()) < 4096, len(message)


def test_one_piece_that_moved_is_a_small_message() -> None:
    before, moved = scene_of(40), scene_of(40)
    moved["pieces"][7]["at"] = [500.0, 500.0]
    change = delta(pack(snapshot(1, before)), pack(snapshot(2, moved)))
    assert [row[0] for row in change["pieces"]] == ["unit-7"]
    assert len(dumps(change)) < 300


def apply(state: dict[str, Any], message: dict[str, Any]) -> dict[str, Any]:
    """What the page does with a message."""
    if message["type"] == "scene":
        rows = {}
        for row in message["pieces"]:
            row = list(row)
            if len(row) > 5 and isinstance(row[5], int):
                row[5] = message["bases"][row[5]]
            rows[row[0]] = row
        rest = {k: v for k, v in message.items() if k not in ("type", "pieces", "bases", "v", "t", "status")}
        return {"rows": rows, "rest": rest, "status": message["status"], "v": message["v"]}
    rows = {i: r for i, r in state["rows"].items() if i not in message.get("gone", ())}
    rows |= {row[0]: row for row in message.get("pieces", ())}
    rest = {
        **state["rest"],
        **{k: v for k, v in message.items() if k not in ("type", "pieces", "gone", "v", "t", "status")},
    }
    return {
        "rows": rows,
        "rest": {k: v for k, v in rest.items() if v is not None},
        "status": message.get("status", state["status"]),
        "v": message["v"],
    }


def whole(packed: Packed) -> dict[str, Any]:
    return {"rows": packed.rows, "rest": packed.rest, "status": packed.status, "v": packed.version}


moves = st.lists(
    st.tuples(
        st.sampled_from(["move", "remove", "rename", "terrain", "status"]),
        st.integers(0, 9),
        st.floats(0, 1000).map(lambda v: round(v, 2)),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(moves)
def test_deltas_applied_in_any_stride_give_the_final_state(steps: list[tuple[str, int, float]]) -> None:
    scene, word = scene_of(10), "settled"
    states = [pack(snapshot(1, scene))]
    for n, (what, i, x) in enumerate(steps, 2):
        scene = json.loads(json.dumps(scene))
        pieces = scene["pieces"]
        if what == "move" and i < len(pieces):
            pieces[i]["at"] = [x, x]
        elif what == "remove" and i < len(pieces):
            del pieces[i]
        elif what == "rename" and i < len(pieces):
            pieces[i]["name"] = f"name {x}"
        elif what == "terrain":
            scene["terrain"] = (
                [{"id": "t", "type": "forest", "outline": [[0, 0], [x + 1, 0], [0, 5]]}] if i % 2 else []
            )
        else:
            word = "moving" if i % 2 else "settled"
        states.append(pack(snapshot(n, scene, word)))
    for stride in (1, 3, len(states)):
        state = apply({}, json.loads(dumps(full(states[0]))))
        sent = states[0]
        for nxt in [*states[stride::stride], states[-1]]:
            state = apply(state, json.loads(dumps(delta(sent, nxt))))
            sent = nxt
        assert state == json.loads(json.dumps(whole(states[-1])))


def test_a_slow_client_skips_what_lies_between_and_ends_at_the_final_state() -> None:
    async def play() -> tuple[list[int], list[int]]:
        hub = Hub(pack(snapshot(1, scene_of(5))), asyncio.get_running_loop())
        quick: list[int] = []
        slow: list[int] = []
        gone = asyncio.Event()

        async def to_quick(text: str) -> None:
            quick.append(json.loads(text)["v"])

        async def to_slow(text: str) -> None:
            await asyncio.sleep(0.05)
            slow.append(json.loads(text)["v"])

        tasks = [asyncio.create_task(hub.serve(send, gone)) for send in (to_quick, to_slow)]
        await asyncio.sleep(0.01)
        for version in range(2, 42):
            scene = scene_of(5)
            scene["pieces"][0]["at"] = [float(version), 1.0]
            hub.publish(pack(snapshot(version, scene)))
            await asyncio.sleep(0.004)
        await asyncio.sleep(0.3)
        hub.wake(gone)
        await asyncio.gather(*tasks)
        assert hub.clients == 0
        return quick, slow

    quick, slow = asyncio.run(play())
    assert quick[-1] == slow[-1] == 41
    assert len(quick) > 35 and len(slow) < 20


def test_the_line_over_the_real_door(client: TestClient) -> None:
    with client.websocket_connect("ws://127.0.0.1:8000/api/tables/1/live") as line:
        first = line.receive_json()
        assert (
            first["type"] == "scene" and len(first["pieces"]) == 10 and first["status"]["word"] == "settled"
        )
        client.post(
            "/api/tables/1/edits", json={"do": "correct", "piece": "giant", "changes": {"name": "Gogmagog"}}
        )
        change = line.receive_json()
        row = dict(zip(COLUMNS, change["pieces"][0], strict=False))
        assert (row["id"], row["name"], row["source"]) == ("giant", "Gogmagog", "h")
        assert change["undo"] == [1, 0] and change["v"] > first["v"]
        line.send_text("ping")
        assert line.receive_json()["type"] == "pong"


def test_a_table_that_is_not_there_closes_the_line(client: TestClient) -> None:
    from starlette.websockets import WebSocketDisconnect

    with (
        pytest.raises(WebSocketDisconnect) as closed,
        client.websocket_connect("ws://127.0.0.1:8000/api/tables/nowhere/live") as line,
    ):
        line.receive_json()
    assert closed.value.code == 4404
