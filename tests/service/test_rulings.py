"""Disputes: what was confirmed survives, what was sealed cannot be changed unseen."""

from __future__ import annotations

import io
import json
import os
import signal
import sqlite3
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from fastapi.testclient import TestClient
from regla.service.cli import build
from regla.service.errors import BrokenEvidence
from regla.service.evidence import verify
from regla.service.store import GENESIS, Store
from typer.testing import CliRunner

from tests.service.conftest import running

QUESTION = {"query": "range", "from": "archers", "to": "raiders", "within": 14}
RULING = {"question": QUESTION, "note": "Turn 3, Ben's charge", "players": ["Ana", "Ben"], "judge": "Iria"}


def ruled(client: TestClient, **more: Any) -> dict[str, Any]:
    answer = client.post("/api/tables/1/rulings", json={**RULING, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


@pytest.fixture
def bundle(client: TestClient, tmp_path: Path) -> Path:
    ruled(client)
    ruling = ruled(client)
    path = tmp_path / "bundle.zip"
    path.write_bytes(client.get(f"/api/rulings/{ruling['id']}/bundle.zip").content)
    return path


def test_a_ruling_keeps_everything_it_rests_on(client: TestClient) -> None:
    ruling = ruled(client)
    assert ruling["verdict"]["answer"] in ("yes", "no", "too-close") and ruling["verdict"]["rules"]
    assert ruling["prev"] == GENESIS and ruling["versions"]["regla"]
    assert ruled(client)["prev"] == ruling["hash"]
    listed = client.get("/api/rulings", params={"table": "1"}).json()
    assert [r["seq"] for r in listed] == [2, 1] and listed[0]["players"] == ["Ana", "Ben"]


@pytest.mark.parametrize("times", range(3))
def test_a_confirmed_ruling_survives_kill_9(tmp_path: Path, times: int) -> None:
    confirmed = []
    with running(tmp_path) as (address, process):
        for i in range(4 + times):
            answer = httpx.post(
                f"{address}/api/tables/1/rulings", json={**RULING, "note": f"{i}"}, timeout=30
            )
            confirmed.append(answer.json())
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=10)
    with running(tmp_path) as (address, _):
        for ruling in confirmed:
            found = httpx.get(f"{address}/api/rulings/{ruling['id']}", timeout=30).json()
            assert found == ruling
        data = httpx.get(f"{address}{confirmed[-1]['bundle']}", timeout=60).content
        after = httpx.post(f"{address}/api/tables/1/rulings", json=RULING, timeout=30).json()
        assert after["prev"] == confirmed[-1]["hash"]
    path = tmp_path / "b.zip"
    path.write_bytes(data)
    assert all(check.ok for check in verify(path, confirmed[-1]["hash"]))


def test_every_commit_waits_for_the_disk(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.sqlite")
    assert store._db.execute("pragma synchronous").fetchone()[0] == 2
    assert store._db.execute("pragma journal_mode").fetchone()[0] == "wal"
    store.close()


def test_the_store_refuses_to_change_or_forget_a_ruling(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.sqlite")
    store.add_ruling("a", "1", "2026-01-01", {"n": 1}, {"scene.json": ("application/json", b"{}")})
    for statement in (
        "update rulings set document = '{}'",
        "delete from rulings",
        "update files set data = ''",
        "delete from files",
    ):
        with pytest.raises(sqlite3.IntegrityError):
            store._db.execute(statement)
    store.close()


def test_the_chain_holds_over_many_threads(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    store = Store(tmp_path / "x.sqlite")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: store.add_ruling(f"r{i}", "1", "2026", {"i": i}, {}), range(40)))
    chain = store.chain()
    assert [link["seq"] for link in chain] == list(range(1, 41))
    assert all(a["hash"] == b["prev"] for a, b in pairwise(chain))
    store.close()


def test_a_good_bundle_is_good(bundle: Path) -> None:
    checks = verify(bundle)
    assert [check.ok for check in checks] == [True] * 4
    outcome = CliRunner().invoke(build(), ["verify", str(bundle)])
    assert outcome.exit_code == 0 and outcome.output.count("✓") == 4


def rewritten(path: Path, name: str, change: Any) -> Path:
    out = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.namelist():
            data = old.read(entry)
            new.writestr(entry, change(data) if entry == name else data)
    path.write_bytes(out.getvalue())
    return path


def move_archers(data: bytes) -> bytes:
    scene = json.loads(data)
    scene["pieces"][1]["at"][1] += 2.0
    return json.dumps(scene).encode()


def flip(data: bytes) -> bytes:
    document = json.loads(data)
    document["verdict"]["answer"] = "yes" if document["verdict"]["answer"] == "no" else "no"
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("name", "change", "fails"),
    [
        ("scene.json", move_archers, {"check-files", "check-verdict"}),
        ("ruling.json", flip, {"check-fingerprint", "check-chain", "check-verdict"}),
        ("chain.json", lambda data: data.replace(b'"seq": 1', b'"seq": 3'), {"check-chain"}),
        ("fingerprint.txt", lambda data: b"f" * 64, {"check-fingerprint"}),
    ],
)
def test_any_change_shows(bundle: Path, name: str, change: Any, fails: set[str]) -> None:
    checks = verify(rewritten(bundle, name, change))
    assert {check.name.key for check in checks if not check.ok} == fails
    assert CliRunner().invoke(build(), ["verify", str(bundle)]).exit_code == 1


def test_another_rulings_fingerprint_does_not_fit(bundle: Path) -> None:
    assert not all(check.ok for check in verify(bundle, "0" * 64))


@pytest.mark.parametrize("data", [b"", b"PK", b"not a zip at all"])
def test_what_is_no_bundle_is_refused_in_words(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "b.zip"
    path.write_bytes(data)
    with pytest.raises(BrokenEvidence):
        verify(path)


def test_a_bundle_that_lacks_a_part_is_refused_in_words(bundle: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.namelist():
            if entry != "scene.json":
                new.writestr(entry, old.read(entry))
    bundle.write_bytes(out.getvalue())
    with pytest.raises(BrokenEvidence, match=r"scene\.json"):
        verify(bundle)


@pytest.mark.parametrize("lang", ["en", "es"])
def test_the_report_stands_alone(client: TestClient, lang: str) -> None:
    ruling = ruled(client, note="<script>alert(1)</script>")
    page = client.get(f"/api/rulings/{ruling['id']}/report.html", params={"lang": lang})
    text = page.text
    assert "http://" not in text.replace("http://www.w3.org/", "") and "<script" not in text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    for wanted in (ruling["hash"], "Ana", "Ben", "Iria", "T9A-DIST", "<svg", "data:image/png"):
        assert wanted in text, wanted
    assert ("Fallo" if lang == "es" else "Ruling") in text
    pdf = client.get(f"/api/rulings/{ruling['id']}/report.pdf", params={"lang": lang})
    assert pdf.headers["content-type"] == "application/pdf" and pdf.content.startswith(b"%PDF")
    assert pdf.content.count(b"/Type /Page\n") + pdf.content.count(b"/Type /Page ") >= 2


def test_a_table_that_moves_cannot_be_frozen(client: TestClient) -> None:
    from dataclasses import replace

    table = client.app.state.service.tables.get("1")  # type: ignore[attr-defined]
    engine = table.engine
    engine._now = replace(engine._now, status=replace(engine._now.status, word="hand"))
    refused = client.post("/api/tables/1/rulings", json=RULING)
    assert (refused.status_code, refused.json()["error"]) == (409, "not-settled")


def test_tables_come_back_after_a_restart(tmp_path: Path) -> None:
    with running(tmp_path, source=None) as (address, _):
        made = httpx.post(
            f"{address}/api/tables", json={"sample": "mage-knight", "name": "Top table"}, timeout=30
        ).json()
        edit = {"do": "correct", "piece": "golem", "changes": {"name": "Clay"}}
        httpx.post(f"{address}/api/tables/{made['id']}/edits", json=edit, timeout=30)
        httpx.put(f"{address}/api/tables/{made['id']}/overlay", json={"caption": "Final"}, timeout=30)
    with running(tmp_path, source=None) as (address, _):
        found = httpx.get(f"{address}/api/tables/{made['id']}", timeout=30).json()
        assert (found["name"], found["overlay"]["caption"]) == ("Top table", "Final")
        scene = httpx.get(f"{address}/api/tables/{made['id']}/scene", timeout=30).json()
        assert "Clay" in [p.get("name") for p in scene["pieces"]]


@pytest.mark.parametrize("part", ["ruling.json", "scene.json"])
def test_a_bundle_with_a_damaged_part_is_said_to_be_one(bundle: Path, part: str) -> None:
    """A byte turned over inside a compressed part: not a broken archive to its directory, but nothing to unpack."""
    data = bytearray(bundle.read_bytes())
    with zipfile.ZipFile(bundle) as archive:
        info = archive.getinfo(part)
    start = info.header_offset + 30 + len(info.filename.encode())
    for at in range(start, start + info.compress_size):
        data[at] ^= 0xFF
    bundle.write_bytes(data)
    with pytest.raises(BrokenEvidence, match=part):
        verify(bundle)


def test_a_locked_part_is_refused_in_words(bundle: Path) -> None:
    data = bytearray(bundle.read_bytes())
    with zipfile.ZipFile(bundle) as archive:
        info = archive.getinfo("ruling.json")
    data[info.header_offset + 6] |= 1
    directory = data.rfind(b"PK\x01\x02", 0, data.rfind(b"ruling.json"))
    data[directory + 8] |= 1
    bundle.write_bytes(data)
    with pytest.raises(BrokenEvidence, match=r"ruling\.json"):
        verify(bundle)
