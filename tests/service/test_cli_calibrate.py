"""`regla print` and `regla calibrate` from the terminal, as a person would go through them."""

from __future__ import annotations

import json
import subprocess
import sys

import cv2
import numpy as np
import pytest
from regla.calibration import Calibration
from regla.calibration.hexes import HexLattice
from regla.calibration.lens import Lens
from regla.calibration.markers import square
from regla.calibration.sheets import CHECK_BOX_MM, CHECK_SIDE_MM
from regla.service.cli import build
from typer.testing import CliRunner

from tests.calibration.test_hexes import draw_grid
from tests.calibration.test_lens import board_pose, draw_board, small_camera
from tests.calibration.world import draw, overhead, sheets

VIEW = overhead()


def run(*words):
    return CliRunner().invoke(build(), [str(w) for w in words], catch_exceptions=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A picture of the table with the sheets and the check bar."""
    path = tmp_path_factory.mktemp("table")
    half = CHECK_SIDE_MM / 2
    at = np.array([800.0, 450.0])
    bar = {8: square(CHECK_SIDE_MM, at + half), 9: square(CHECK_SIDE_MM, at + np.array(CHECK_BOX_MM) - half)}
    cv2.imwrite(str(path / "table.png"), draw(VIEW, {**sheets(), **bar}))
    Lens(VIEW.camera, 0.1, 0.1, 12, 400).save(path / "lens.json")
    return path


@pytest.fixture(scope="module")
def calibrated(folder):
    done = run(
        "calibrate",
        "table",
        folder / "table.png",
        "--lens",
        folder / "lens.json",
        "--size",
        "72x48in",
        "--layout",
        "corners",
        "--out",
        folder / "calibration.json",
    )
    assert done.exit_code == 0
    assert "silver" in done.output or "gold" in done.output
    return folder / "calibration.json"


@pytest.mark.parametrize("kind", ["markers", "charuco", "tags", "check"])
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_print_writes_a_pdf(tmp_path, kind, paper):
    out = tmp_path / "sheet.pdf"
    done = run("print", kind, "--paper", paper, "--out", out)
    assert done.exit_code == 0 and "100 %" in done.output
    assert out.read_bytes().startswith(b"%PDF")


def test_check_with_the_printed_bar(folder, calibrated):
    done = run("calibrate", "check", folder / "table.png", "-c", calibrated)
    assert done.exit_code == 0 and "304.8" in done.output
    assert len(Calibration.load(calibrated).checks) >= 1


def test_a_failed_check_exits_with_one_and_costs_the_grade(folder, calibrated, tmp_path):
    copy = tmp_path / "c.json"
    copy.write_bytes(calibrated.read_bytes())
    done = run(
        "calibrate",
        "check",
        folder / "table.png",
        "-c",
        copy,
        "--length",
        "12in",
        "--from",
        "500,500",
        "--to",
        "800,500",
        "--json",
    )
    assert done.exit_code == 1
    assert json.loads(done.output)["passed"] is False
    assert Calibration.load(copy).grade == "unfit"


def test_without_a_lens_the_grade_says_so(folder, tmp_path):
    out = tmp_path / "c.json"
    done = run("--lang", "es", "calibrate", "table", folder / "table.png", "--size", "72x48in", "--out", out)
    assert done.exit_code == 0
    assert "supuesta" in done.output
    assert Calibration.load(out).grade in ("bronze", "unfit")


@pytest.mark.parametrize("extra", [[], ["--object", "1828.8x1219.2mm"]])
def test_clicked_corners(folder, tmp_path, extra):
    corners = VIEW.to_pixel([[0, 0], [1828.8, 0], [1828.8, 1219.2], [0, 1219.2]])
    clicks = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    out = tmp_path / "c.json"
    done = run(
        "calibrate",
        "table",
        folder / "table.png",
        "--corners",
        clicks,
        "--size",
        "72x48in",
        "--lens",
        folder / "lens.json",
        "--out",
        out,
        "--json",
        *extra,
    )
    assert done.exit_code == 0
    assert json.loads(done.output)["table"]["width_mm"] == pytest.approx(1828.8)


def test_show_map_and_diff(calibrated, tmp_path, folder):
    assert "1829" in run("calibrate", "show", calibrated).output
    done = run("calibrate", "map", calibrated, "--out", tmp_path / "map.png")
    assert done.exit_code == 0 and cv2.imread(str(tmp_path / "map.png")) is not None
    assert "differs" in run("calibrate", "diff", calibrated, calibrated).output
    other = tmp_path / "other.json"
    run(
        "calibrate",
        "table",
        folder / "table.png",
        "--places",
        calibrated,
        "--lens",
        folder / "lens.json",
        "--out",
        other,
    )
    assert (
        "made" in run("calibrate", "diff", calibrated, other).output or Calibration.load(other).revision == 1
    )


def test_a_lens_from_pictures(tmp_path):
    rng = np.random.default_rng(3)
    lens = small_camera()
    for k in range(6):
        pose = board_pose(
            lens, rng.uniform([300, 180], [660, 360]), rng.uniform(240, 380), rng.uniform(-0.5, 0.5, 2)
        )
        cv2.imwrite(str(tmp_path / f"{k}.png"), draw_board(lens, pose))
    out = tmp_path / "lens.json"
    done = run("calibrate", "lens", *sorted(tmp_path.glob("*.png")), "--out", out)
    assert done.exit_code == 0 and "px" in done.output
    made = Lens.load(out)
    assert made.rms_px < 0.3
    assert made.camera.matrix[0, 0] == pytest.approx(615, rel=0.02)


def test_a_board_is_placed(calibrated, tmp_path):
    corners = VIEW.to_pixel([[500, 300], [800, 300], [800, 600], [500, 600]])
    clicks = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    out = tmp_path / "board.json"
    done = run("calibrate", "board", "siege-of-runedar", "--corners", clicks, "-c", calibrated, "--out", out)
    assert done.exit_code == 0
    assert json.loads(out.read_text())["template"]["name"] == "siege-of-runedar"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["calibrate", "table", "none.png"], "none.png"),
        (["calibrate", "show", "none.json"], "none.json"),
        (["calibrate", "table", "{table}", "--size", "big"], "big"),
        (["calibrate", "check", "{table}", "-c", "{calibration}", "--length", "12in"], "two points"),
        (["--lang", "es", "calibrate", "show", "{table}"], "no es un documento"),
    ],
)
def test_bad_input_ends_with_two_and_a_sentence(words, says, folder, calibrated):
    words = [w.format(table=folder / "table.png", calibration=calibrated) for w in words]
    done = subprocess.run(
        [sys.executable, "-c", "from regla.service.cli import main; main()", *words],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert says in done.stderr and "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_lens_from_live_pictures(tmp_path):
    """A clip stands in for the camera: every view is held for a second and a half, as a person would."""
    lens = small_camera()
    clip = cv2.VideoWriter(str(tmp_path / "clip.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 10, (960, 540))
    spots = [(300, 170), (640, 180), (320, 370), (650, 360), (480, 270), (420, 230)]
    for k, spot in enumerate(spots):
        tilt = (0.4 * np.cos(k * 1.3), 0.4 * np.sin(k * 1.3))
        picture = cv2.cvtColor(
            draw_board(lens, board_pose(lens, spot, 260 + 15 * k, tilt)), cv2.COLOR_GRAY2BGR
        )
        for _ in range(15):
            clip.write(picture)
    clip.release()
    out = tmp_path / "lens.json"
    done = run("calibrate", "lens", "--source", tmp_path / "clip.avi", "--out", out)
    assert done.exit_code == 0
    made = Lens.load(out)
    assert made.views >= 5 and made.rms_px < 0.3
    assert made.missing  # six views are a start, and it says what else would help


def test_hexes_of_a_printed_grid(calibrated, tmp_path):
    lattice = HexLattice((512.0, 408.0), 52.0, 7.5)
    cv2.imwrite(
        str(tmp_path / "grid.png"), draw_grid(lattice, Calibration.load(calibrated).view(), covered=8)
    )
    words = ["calibrate", "hexes", tmp_path / "grid.png", "-c", calibrated, "--region", "440,360 900,650"]
    done = run(*words, "--across", "52mm", "--json")
    assert done.exit_code == 0
    assert json.loads(done.output)["across_flats_mm"] == pytest.approx(52, abs=0.2)
    assert "punta" in run("--lang", "es", *words).output
