"""`regla look`, `watch` and `evaluate` as a person types them."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest
from regla.calibration import calibrate_markers
from regla.service.cli import build
from regla.vision.pipeline import Pipeline
from typer.testing import CliRunner

from tests.calibration import world

from .drawn import Told, ToldFacing, draw
from .test_evaluate import BASES, truth

VIEW = world.overhead()


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A folder with a photograph, its truth and a calibration."""
    folder = tmp_path_factory.mktemp("desk")
    picture = draw(BASES)
    cv2.imwrite(str(folder / "table.png"), picture)
    (folder / "table.truth.json").write_text(json.dumps(truth()))
    calibrate_markers(picture, camera=VIEW.camera, places=world.sheets(), table_mm=world.TABLE_MM).save(
        folder / "c.json"
    )
    (folder / "broken.jpg").write_bytes(b"no picture")
    cv2.imwrite(str(folder / "black.png"), np.zeros((1080, 1920, 3), np.uint8))
    cv2.imwrite(str(folder / "small.png"), np.ascontiguousarray(picture[::2, ::2]))
    return folder


@pytest.fixture(autouse=True)
def eyes(monkeypatch):
    """The drawn table's own boxes in place of the network: what is tested here is the terminal."""
    monkeypatch.setattr(Pipeline, "detector", property(lambda self: Told(BASES)))
    monkeypatch.setattr(Pipeline, "facing", property(lambda self: ToldFacing(BASES)))


def run(*words):
    return CliRunner().invoke(build(), [str(w) for w in words], catch_exceptions=True)


def test_look_shows_a_table(desk):
    got = run("look", desk / "table.png", "-c", desk / "c.json")
    assert got.exit_code == 0, got.output
    assert "18 in 5 files, 25 × 25 mm" in got.output and "gold" in got.output


def test_look_in_spanish_and_as_json(desk):
    assert "18 en 5 columnas" in run("--lang", "es", "look", desk / "table.png", "-c", desk / "c.json").output
    scene = json.loads(run("look", desk / "table.png", "-c", desk / "c.json", "--json").output)
    assert scene["unit"] == "mm" and len(scene["pieces"]) == 4
    assert all("sigma" in p and "confidence" in p for p in scene["pieces"])


def test_look_calibrates_from_the_sheets_and_writes_what_is_asked(desk, tmp_path):
    got = run(
        "look", desk / "table.png", "--markers", "--flush", "--table", "72x48in", "-o", tmp_path / "s.json",
        "--draw", tmp_path / "d.jpg",
    )  # fmt: skip
    assert got.exit_code == 0, got.output
    assert json.loads((tmp_path / "s.json").read_text())["game"] == "t9a"
    assert cv2.imread(str(tmp_path / "d.jpg")).shape == (1080, 1920, 3)


@pytest.mark.parametrize(
    "words",
    [
        ("look", "broken.jpg"),
        ("look", "black.png"),
        ("look", "none.png"),
        ("look", "small.png", "-c", "c.json"),
        ("look", "table.png", "--game", "chess"),
        ("look", "table.png", "-c", "c.json", "--markers"),
        ("watch", "gopher://x"),
        ("watch", "none.mp4"),
        ("evaluate", "nowhere"),
        ("evaluate", ".", "--calibration", "guess"),
    ],
)
def test_bad_input_raises_what_the_command_line_turns_into_a_sentence(desk, monkeypatch, words):
    monkeypatch.chdir(desk)
    got = run(*words)
    assert got.exception is not None
    said = getattr(got.exception, "text", None) or getattr(got.exception, "message", None)
    assert callable(said), repr(got.exception)
    assert said("en") != said("es")


def test_evaluate_prints_the_figures_and_the_plot(desk, tmp_path):
    got = run("evaluate", desk, "--plot", tmp_path / "plot.png", "--draw", tmp_path / "seen")
    assert got.exit_code == 0, got.output
    assert "truth inside the 95 % ellipse" in " ".join(got.output.split())
    assert (tmp_path / "plot.png").read_bytes()[:4] == b"\x89PNG"
    assert (tmp_path / "seen" / "table.jpg").is_file()


def test_evaluate_as_json_has_every_figure_of_the_document(desk):
    got = json.loads(run("evaluate", desk, "--calibration", "markers", "--json").stdout)
    assert set(got) >= {
        "pictures", "failed", "ms_per_picture", "detection", "centre_mm", "distance_mm", "size_mm", "facing_deg",
        "coverage95", "verdicts",
    }  # fmt: skip
    assert set(got["detection"]) >= {"bases", "trays", "hexes", "tokens"}
    assert set(got["facing_deg"]) == {"median", "p95", "n", "known", "flipped"}


def test_watch_a_still_in_plain_lines(desk):
    got = run("watch", desk / "table.png", "-c", desk / "c.json", "--seconds", "8")
    assert got.exit_code == 0, got.output
    assert "settled · 4 pieces" in got.output


def test_watch_as_json_calibrates_itself(desk):
    lines = run("watch", desk / "table.png", "--seconds", "9", "--json").output.splitlines()
    last = json.loads(lines[-1])
    assert last["status"] == "settled" and len(last["scene"]["pieces"]) == 4
