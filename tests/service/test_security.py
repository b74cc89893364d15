"""Who may do what: loopback, tokens, names and origins, uploads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from regla.service.app import create_app
from regla.service.settings import Settings
from regla.service.sources import DEMO
from starlette.websockets import WebSocketDisconnect

FULL, READ = "full-token-of-sixteen", "read-token-of-sixteen"
QUESTION = {"table": "1", "question": {"query": "range", "from": "archers", "to": "raiders"}}
EDIT = {"do": "correct", "piece": "archers", "changes": {"name": "Bows"}}


@pytest.fixture
def phone(tmp_path: Path) -> Iterator[TestClient]:
    """Another device in the same network."""
    settings = Settings(
        data=tmp_path,
        source=str(DEMO / "t9a.json"),
        host="0.0.0.0",
        token=FULL,
        overlay_token=READ,
        max_upload_mb=0.2,
    )
    with TestClient(
        create_app(settings), base_url="http://192.168.1.20:8000", client=("192.168.1.77", 50000)
    ) as found:
        yield found


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize(
    ("token", "read", "ask", "change"),
    [
        (None, 401, 401, 401),
        ("wrong-token-of-sixteen", 401, 401, 401),
        (READ, 200, 200, 403),
        (FULL, 200, 200, 200),
    ],
)
def test_tokens_from_another_device(
    phone: TestClient, token: str | None, read: int, ask: int, change: int
) -> None:
    headers = bearer(token) if token else {}
    assert phone.get("/api/tables/1/scene", headers=headers).status_code == read
    assert phone.post("/api/ask", json=QUESTION, headers=headers).status_code == ask
    assert phone.post("/api/tables/1/edits", json=EDIT, headers=headers).status_code == change


def test_the_live_line_needs_a_token_too(phone: TestClient) -> None:
    with (
        pytest.raises(WebSocketDisconnect),
        phone.websocket_connect("ws://192.168.1.20:8000/api/tables/1/live"),
    ):
        pass
    with phone.websocket_connect(f"ws://192.168.1.20:8000/api/tables/1/live?token={READ}") as line:
        assert line.receive_json()["type"] == "scene"


def test_a_link_with_a_token_becomes_a_cookie_and_leaves_the_address(phone: TestClient) -> None:
    answer = phone.get(f"/t/1?token={FULL}&lang=es", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/t/1?lang=es")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    assert phone.post("/api/tables/1/edits", json=EDIT).status_code == 200


def test_the_page_itself_opens_without_a_token_and_holds_nothing(phone: TestClient) -> None:
    page = phone.get("/t/1")
    assert page.status_code == 200 and "archers" not in page.text.lower()


def test_tokens_are_never_told_to_those_who_may_only_look(phone: TestClient) -> None:
    assert FULL not in phone.get("/api/share", headers=bearer(READ)).text
    assert FULL in phone.get("/api/share", headers=bearer(FULL)).text


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", ""])
def test_another_sites_name_for_this_machine_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/api/tables", headers={"host": host}).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000"])
def test_its_own_names_are_known(client: TestClient, host: str) -> None:
    assert client.get("/api/tables", headers={"host": host}).status_code == 200


def test_a_change_from_another_sites_page_is_refused(client: TestClient) -> None:
    foreign = {"origin": "https://evil.example"}
    assert client.post("/api/tables/1/edits", json=EDIT, headers=foreign).status_code == 403
    assert (
        client.post("/api/tables/1/edits", json=EDIT, headers={"sec-fetch-site": "cross-site"}).status_code
        == 403
    )
    assert (
        client.post("/api/tables/1/edits", json=EDIT, headers={"origin": "http://127.0.0.1:8000"}).status_code
        == 200
    )
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("ws://127.0.0.1:8000/api/tables/1/live", headers=foreign),
    ):
        pass


def test_a_proxy_on_this_machine_does_not_lend_its_rights(client: TestClient) -> None:
    assert client.get("/api/tables", headers={"x-forwarded-for": "203.0.113.9"}).status_code == 401


def test_uploads_have_a_limit(phone: TestClient) -> None:
    large = b"\xff\xd8" + bytes(500_000)
    answer = phone.post("/api/photo", files={"picture": ("big.jpg", large)}, headers=bearer(FULL))
    assert answer.status_code == 413


def test_pages_carry_a_policy_against_foreign_code(client: TestClient) -> None:
    policy = client.get("/t/1").headers["content-security-policy"]
    assert "default-src 'self'" in policy and "object-src 'none'" in policy and "unsafe-eval" not in policy


def test_made_tokens_are_kept_for_their_owner_only(tmp_path: Path) -> None:
    from regla.service.security import Tokens

    first = Tokens(Settings(data=tmp_path))
    again = Tokens(Settings(data=tmp_path))
    assert (first.full, first.read) == (again.full, again.read) and first.full != first.read
    assert (tmp_path / "token").stat().st_mode & 0o077 == 0
