"""Every door that SCENE.md names, and what the page does through the others."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from regla.rules import GAMES
from regla.service.sources import samples

from tests.service.conftest import scene_of

DOORS = [
    ("/health", "get"),
    ("/api/ask", "post"),
    ("/api/tables", "get"),
    ("/api/tables/{table_id}/scene", "get"),
    ("/api/photo", "post"),
    ("/api/tables/{table_id}/rulings", "post"),
    ("/api/rulings/{ruling_id}/report.pdf", "get"),
    ("/api/rulings/{ruling_id}/report.html", "get"),
    ("/api/rulings/{ruling_id}/bundle.zip", "get"),
]


def test_every_door_is_in_the_openapi_document(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    assert [door for door in DOORS if door[1] not in paths.get(door[0], {})] == []


def test_every_request_body_has_an_example_and_every_door_a_summary(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    schemas = document["components"]["schemas"]
    lacking = []
    for path, methods in document["paths"].items():
        for method, door in methods.items():
            if not door.get("summary"):
                lacking.append(f"{method} {path}")
            body = (
                door.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            )
            if "$ref" in body and not schemas[body["$ref"].rsplit("/", 1)[1]].get("examples"):
                lacking.append(f"{method} {path} body")
    assert lacking == []


@pytest.mark.parametrize("path", ["/", "/t/1", "/overlay/1", "/health"])
def test_pages_are_there(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_scene_and_a_table_give_the_same_answer(client: TestClient) -> None:
    question = {"query": "range", "from": "archers", "to": "raiders"}
    at_table = client.post("/api/ask", json={"table": "1", "question": question}).json()
    scene = client.get("/api/tables/1/scene").json()
    by_scene = client.post("/api/ask", json={"scene": scene, "question": question}).json()
    assert at_table["unit"] == "in" and by_scene["unit"] == "mm"
    assert at_table["value"] * 25.4 == pytest.approx(by_scene["value"])
    assert at_table["because"] and at_table["rules"] and at_table["drawing"]


def test_the_language_is_the_readers(client: TestClient) -> None:
    body = {"table": "1", "question": {"query": "range", "from": "archers", "to": "raiders"}}
    assert client.post("/api/ask?lang=es", json=body).json()["lang"] == "es"
    assert client.post("/api/ask", json=body, headers={"accept-language": "es-ES"}).json()["lang"] == "es"
    wrong = client.post("/api/ask?lang=es", json={"table": "9", "question": {}})
    assert (wrong.status_code, wrong.json()["error"]) == (404, "no-such-table")
    assert "No hay mesa 9" in wrong.json()["detail"]


@pytest.mark.parametrize(
    ("body", "status", "place"),
    [
        (
            {"scene": {"game": "t9a", "pieces": [{"id": "a"}]}, "question": {"query": "range"}},
            400,
            "pieces[0]",
        ),
        ({"table": "1", "question": {"query": "range", "from": "archers"}}, 400, "to"),
        ({"table": "1", "question": {"query": "range", "from": "archers", "to": "nobody"}}, 400, None),
        ({"table": "1", "question": {"query": "no-such"}}, 400, "query"),
        ({"table": "1", "question": {"query": "range"}, "colour": "red"}, 422, "colour"),
        ({"question": 7}, 422, "question"),
    ],
)
def test_faults_are_listed_with_their_place(
    client: TestClient, body: dict[str, Any], status: int, place: str | None
) -> None:
    answer = client.post("/api/ask", json=body)
    assert answer.status_code == status
    faults = answer.json()["faults"]
    assert place is None or place in [fault["place"] for fault in faults]
    assert answer.json()["detail"]


def test_games_carry_all_that_menus_and_forms_need(client: TestClient) -> None:
    games = {g["id"]: g for g in client.get("/api/games").json()}
    assert set(games) == set(GAMES)
    for game in games.values():
        assert set(game["title"]) == {"en", "es"}
        for query in game["queries"]:
            assert query["title"]["en"] and query["title"]["es"]
            assert all(i["title"]["en"] and i["title"]["es"] for i in query["inputs"])


@pytest.mark.parametrize("sample", [s["id"] for s in samples() if s["kind"] == "scene"])
def test_each_sample_opens_and_can_be_asked(client: TestClient, sample: str) -> None:
    made = client.post("/api/tables", json={"sample": sample})
    assert made.status_code == 201, made.text
    table = made.json()["id"]
    pieces = client.get(f"/api/tables/{table}/scene").json()["pieces"]
    first, second = pieces[0]["id"], pieces[-1]["id"]
    suggestions = client.get(f"/api/tables/{table}/suggest", params={"first": first, "second": second}).json()
    assert suggestions
    ready = next(s for s in suggestions if s["ready"])
    answer = client.post("/api/ask", json={"table": table, "question": ready["question"]})
    assert answer.status_code == 200, answer.text
    about = client.get(f"/api/tables/{table}/about/{first}").json()
    others = {p["id"] for p in pieces if p["kind"] in ("model", "unit")} - {first}
    assert others <= {row["id"] for row in about["rows"]}
    assert client.delete(f"/api/tables/{table}").status_code == 204
    assert client.get(f"/api/tables/{table}").status_code == 404


def test_corrections_are_marked_undone_and_done_again(client: TestClient) -> None:
    def facing() -> float:
        return next(p for p in client.get("/api/tables/1/scene").json()["pieces"] if p["id"] == "archers")[
            "facing"
        ]

    before = facing()
    client.post(
        "/api/tables/1/edits",
        json={"do": "correct", "piece": "archers", "changes": {"facing": 45, "name": "Bows"}},
    )
    piece = next(p for p in client.get("/api/tables/1/scene").json()["pieces"] if p["id"] == "archers")
    assert (piece["facing"], piece["name"], piece["source"], piece["by_hand"]) == (
        45,
        "Bows",
        "hand",
        ["facing", "name"],
    )
    client.post("/api/tables/1/undo")
    assert facing() == before
    client.post("/api/tables/1/redo")
    assert facing() == 45
    client.post("/api/tables/1/undo")
    nothing = client.post("/api/tables/1/undo")
    assert (nothing.status_code, nothing.json()["error"]) == (409, "nothing-to-undo")


@pytest.mark.parametrize(
    "edit",
    [
        {"do": "correct", "piece": "archers", "changes": {"facing": "north"}},
        {"do": "correct", "piece": "archers", "changes": {"weight": 3}},
        {"do": "correct", "piece": "archers", "changes": {"base": {"shape": "circle", "diameter": -3}}},
        {"do": "split", "piece": "giant"},
        {"do": "merge", "pieces": ["giant"]},
        {"do": "remove", "piece": "nobody"},
    ],
)
def test_an_edit_that_cannot_be_changes_nothing(client: TestClient, edit: dict[str, Any]) -> None:
    before = client.get("/api/tables/1/scene").json()
    answer = client.post("/api/tables/1/edits", json=edit)
    assert answer.status_code in (400, 404, 409)
    assert client.get("/api/tables/1/scene").json() == before


def test_split_and_merge_give_the_unit_back(client: TestClient) -> None:
    client.post("/api/tables/1/edits", json={"do": "split", "piece": "knights"})
    singles = [
        p for p in client.get("/api/tables/1/scene").json()["pieces"] if p["id"].startswith("knights-")
    ]
    assert len(singles) == 10
    client.post("/api/tables/1/edits", json={"do": "merge", "pieces": [p["id"] for p in singles]})
    unit = next(p for p in client.get("/api/tables/1/scene").json()["pieces"] if p["id"] == "knights-1")
    assert (unit["kind"], unit["count"], unit["files"]) == ("unit", 10, 5)
    assert unit["at"] == pytest.approx([48.5 * 25.4, 16 * 25.4], abs=0.01)


def test_terrain_is_drawn_and_faults_are_refused(client: TestClient) -> None:
    good = {"id": "pond", "type": "water", "outline": [[0, 0], [200, 0], [100, 150]]}
    assert client.put("/api/tables/1/terrain", json={"terrain": [good]}).status_code == 200
    crossed = {**good, "outline": [[0, 0], [200, 200], [200, 0], [0, 200]]}
    refused = client.put("/api/tables/1/terrain", json={"terrain": [crossed]})
    assert refused.status_code == 400
    assert [t["id"] for t in client.get("/api/tables/1/scene").json()["terrain"]] == ["pond"]


def test_history_tells_where_each_piece_stood(client: TestClient) -> None:
    was = client.get("/api/tables/1/history").json()[-1]["pieces"]["giant"][0]
    client.post(
        "/api/tables/1/edits", json={"do": "correct", "piece": "giant", "changes": {"at": [500, 500]}}
    )
    moments = client.get("/api/tables/1/history").json()
    assert moments[-2]["pieces"]["giant"][0] == was
    assert moments[-1]["pieces"]["giant"][0] == [500, 500]


def test_what_if_asks_of_the_table_as_it_would_be(client: TestClient) -> None:
    question = {"query": "range", "from": "giant", "to": "chariot"}
    now = client.post("/api/ask", json={"table": "1", "question": question}).json()["value"]
    ghost = {"piece": "giant", "at": [13 * 25.4, 30 * 25.4], "question": question}
    would = client.post("/api/tables/1/whatif", json=ghost).json()
    assert would["verdict"]["value"] < now
    assert client.post("/api/ask", json={"table": "1", "question": question}).json()["value"] == now
    onto = client.post("/api/tables/1/whatif", json={"piece": "giant", "at": [36 * 25.4, 14 * 25.4]}).json()
    assert [o["id"] for o in onto["room"]["overlaps"]] == ["spears"]
    assert client.post("/api/tables/1/whatif", json={"piece": "giant", "at": [0, 0]}).json()["room"][
        "off_table"
    ]


def test_what_if_is_refused_in_a_tournament_where_the_game_forbids_it(client: TestClient) -> None:
    forbids = {g["id"]: g["forbids"]["what-if"] for g in client.get("/api/games").json()}
    assert forbids["runewars"] and not forbids["t9a"]
    table = client.post("/api/tables", json={"sample": "runewars", "mode": "tournament"}).json()["id"]
    refused = client.post(f"/api/tables/{table}/whatif", json={"piece": "spearmen", "at": [600, 300]})
    assert (refused.status_code, refused.json()["error"]) == (409, "forbidden-measuring")


def test_settings_of_the_game_are_in_its_unit_and_checked(client: TestClient) -> None:
    table = client.post("/api/tables", json={"sample": "mage-knight"}).json()["id"]
    wrong = client.patch(f"/api/tables/{table}", json={"params": {"no_such": 1, "front_arc_deg": "wide"}})
    assert wrong.status_code == 400 and len(wrong.json()["faults"]) == 2
    assert client.patch(f"/api/tables/{table}", json={"params": {"front_arc_deg": 90}}).status_code == 200
    assert client.get(f"/api/tables/{table}/scene").json()["params"] == {"front_arc_deg": 90}
    assert client.patch(f"/api/tables/{table}", json={"game": "chess"}).status_code == 409


def test_a_script_can_put_a_whole_scene(client: TestClient) -> None:
    assert client.put("/api/tables/1/scene", json=scene_of(12)).status_code == 200
    assert len(client.get("/api/tables/1/scene").json()["pieces"]) == 12
    assert client.put("/api/tables/1/scene", json={"game": "t9a", "pieces": 3}).status_code == 400


def test_the_overlays_state_is_held_by_the_server(client: TestClient) -> None:
    question = {"query": "range", "from": "archers", "to": "raiders"}
    client.put("/api/tables/1/overlay", json={"ruling": question, "caption": "Round 3"})
    held = client.get("/api/tables/1").json()["overlay"]
    assert held["caption"] == "Round 3" and held["ruling"]["question"] == question
    assert held["ruling"]["verdict"]["value"] > 0
    client.put("/api/tables/1/overlay", json={"ruling": None})
    held = client.get("/api/tables/1").json()["overlay"]
    assert held["ruling"] is None and held["caption"] == "Round 3"


def test_what_a_page_may_open(client: TestClient) -> None:
    for source in ("/etc/passwd", "file:///etc/passwd", "gopher://x", "../secret.mp4", "concat:a|b", ""):
        assert client.post("/api/tables", json={"source": source}).status_code in (409, 422), source


def test_sheets_and_codes(client: TestClient) -> None:
    for kind in ("corners", "tags", "lens", "check"):
        sheet = client.get("/api/sheets.pdf", params={"kind": kind})
        assert sheet.content.startswith(b"%PDF"), kind
    assert b"<svg" in client.get("/api/qr.svg", params={"text": "http://127.0.0.1:8000/t/1"}).content
    assert client.get("/api/qr.svg", params={"text": "x" * 2000}).status_code == 409


def test_a_photograph_without_sheets_is_refused_with_what_to_do(client: TestClient) -> None:
    import cv2
    import numpy as np

    grey = np.random.default_rng(3).integers(90, 160, (480, 640, 3), dtype=np.uint8)
    picture = cv2.imencode(".png", grey)[1].tobytes()
    answer = client.post("/api/photo", files={"picture": ("table.png", picture)})
    assert answer.status_code == 422 and len(answer.json()["detail"]) > 30
    nothing = client.post("/api/photo", files={"picture": ("table.png", b"not a picture")})
    assert nothing.status_code == 422 and nothing.json()["detail"]
