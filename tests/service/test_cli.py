"""The command line as people use it: a real process, its exit code and its words."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rules.test_scene import a_scene

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "samples" / "scenes" / "mage-knight.json"


def regla(*words: str | Path) -> subprocess.CompletedProcess[str]:
    code = "import sys; from regla.service.cli import main; sys.argv[0] = 'regla'; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
        env={"PATH": "", "LANG": "C.UTF-8", "HOME": "/"},
    )


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(a_scene()))
    return path


def test_ask_prints_the_card(scene: Path) -> None:
    done = regla("ask", scene, "range", "--from", "a", "--to", "b", "--range", "6")
    assert done.returncode == 0, done.stderr
    assert "✓  YES — by 1 in" in done.stdout
    assert "MK-RNG-1" in done.stdout


def test_ask_speaks_spanish(scene: Path) -> None:
    done = regla("--lang", "es", "ask", scene, "range", "--from", "a", "--to", "b", "--range", "6")
    assert "SÍ — por 1 in" in done.stdout


def test_ask_for_machines(scene: Path) -> None:
    done = regla("ask", scene, "range", "--from", "a", "--to", "b", "--param", "front_arc_deg=90", "--json")
    assert json.loads(done.stdout)["value"] == pytest.approx(5)


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_ask_draws(scene: Path, tmp_path: Path, kind: str) -> None:
    picture = tmp_path / f"out.{kind}"
    done = regla("ask", scene, "range", "--from", "a", "--to", "b", "--draw", picture)
    assert done.returncode == 0, done.stderr
    start = picture.read_bytes()[:8]
    assert start == b"\x89PNG\r\n\x1a\n" if kind == "png" else start.startswith(b"<svg")


BAD = [
    (["ask", "no-such.json", "range"], "no-such.json"),
    (["ask", "SCENE", "teleport"], "has no question 'teleport'"),
    (["ask", "SCENE", "range", "--from", "a"], "to: expected, but missing"),
    (["ask", "SCENE", "range", "stray"], "stray"),
    (["ask", "SCENE", "range", "--from", "a", "--to", "b", "--draw", "x.gif"], "*.png"),
    (["ask", "SCENE", "range", "--from", "a", "--to", "b", "--mode", "cheat"], "friendly"),
    (["--lang", "tlh", "games"], "tlh"),
    (["games", "chess"], "expected one of"),
    (["cases", "no-such.json"], "no-such.json"),
    (["fly"], "fly"),
]


@pytest.mark.parametrize(("words", "said"), BAD, ids=[" ".join(words)[:40] for words, _ in BAD])
def test_bad_input_ends_with_two_and_a_sentence(scene: Path, words: list[str], said: str) -> None:
    done = regla(*[str(scene) if word == "SCENE" else word for word in words])
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr + done.stdout


def test_a_broken_scene_lists_its_faults(tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    path.write_text(
        json.dumps(a_scene(pieces=[{"id": "a", "at": [1, 1], "base": {"shape": "circle", "diameter": -3}}]))
    )
    done = regla("ask", path, "range")
    assert done.returncode == 2
    assert "pieces[0].base.diameter: expected over 0, got -3" in done.stderr


CASE = {
    "id": "one",
    "rule": "MK-MEAS-1",
    "scene": a_scene(),
    "ask": {"query": "range", "from": "a", "to": "b"},
    "expect": {"value": 5},
    "why": "3-4-5",
}


def test_cases_pass_and_fail_by_exit_code(tmp_path: Path) -> None:
    good, bad, broken = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "broken.json"
    good.write_text(json.dumps([CASE]))
    bad.write_text(
        json.dumps(
            [
                CASE,
                {**CASE, "id": "two", "expect": {"value": 6}},
                {**CASE, "id": "three", "ask": {"query": "no"}},
            ]
        )
    )
    broken.write_text(json.dumps([{"id": "x"}]))
    done = regla("cases", good)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "1 passed, 0 failed")
    done = regla("cases", good, bad)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "2 passed, 2 failed")
    assert "value: expected 6, got 5" in done.stdout
    done = regla("cases", broken)
    assert done.returncode == 2
    assert "broken.json[0].scene" in done.stderr


def test_schema_and_games_are_json_on_request() -> None:
    assert json.loads(regla("schema").stdout)["title"] == "Regla scene"
    (game,) = json.loads(regla("games", "mage-knight", "--json").stdout)
    assert "range" in [query["name"] for query in game["queries"]]
    assert "mage-knight" in regla("games").stdout
