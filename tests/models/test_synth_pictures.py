"""Rendered pictures: the truth is where the picture shows it, and the same order gives the same pictures."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from regla.calibration import find_markers
from regla.models.classes import CLASSES
from regla.models.synth import dataset
from regla.models.synth.camera import Shot, look_down
from regla.models.synth.check import MOST_PX, self_check
from regla.models.synth.clip import film, make_clip
from regla.models.synth.dataset import Order, develop, make, photograph, remaining, take
from regla.models.synth.light import make_lighting
from regla.models.synth.mesh import Surface, matrix, quad
from regla.models.synth.parts import make_style, round_base
from regla.models.synth.tables import BUILDERS
from regla.models.synth.truth import LABEL_VISIBLE, describe
from regla.models.synth.world import World, circle, rectangle
from regla.rules import Scene
from regla.service.cli import build
from typer.testing import CliRunner

SMALL_PX = (480, 270)


def test_edges_lie_where_the_truth_says() -> None:
    found = self_check(1, size_px=(960, 540))
    assert found.shapes > 30
    assert found.passed, found
    assert found.shift_median_px < MOST_PX / 2


def test_the_fine_mode_is_no_less_exact() -> None:
    found = self_check(2, fine=True, size_px=(640, 360))
    assert found.passed, found


@pytest.mark.parametrize("game", BUILDERS)
def test_every_game_renders_with_labels_that_fit(game: str) -> None:
    taken = take(Order("", 3, game, size_px=SMALL_PX), 0)
    assert taken.picture.shape == (270, 480, 3)
    assert taken.picture.std() > 5, "an empty picture"
    Scene.parse(json.loads(json.dumps(taken.truth["scene"])))
    assert taken.labels
    for line in taken.labels:
        number, *corners = line.split()
        assert 0 <= int(number) < len(CLASSES)
        values = np.array(corners, float)
        assert values.shape == (8,)
        assert values.min() >= 0
        assert values.max() <= 1
    large = [o for o in taken.truth["objects"] if o["visible"] >= LABEL_VISIBLE]
    assert len(taken.labels) <= len(large)
    for thing in taken.truth["objects"]:
        assert 0 < thing["visible"] <= 1
        assert thing["class"] in CLASSES
        assert len(thing["outline_px"]) >= 3


def test_the_same_order_gives_the_same_picture_whatever_came_before() -> None:
    order = Order("", 11, "mage-knight", size_px=SMALL_PX)
    first = take(order, 4)
    other = take(order, 5)
    again = take(order, 4)
    assert first.jpeg == again.jpeg
    assert json.dumps(first.truth) == json.dumps(again.truth)
    assert first.labels == again.labels
    assert first.jpeg != other.jpeg


def overhead(world: World, size_px: tuple[int, int] = (400, 300)) -> Shot:
    matrix_px = np.array([[500.0, 0, 199.5], [0, 500.0, 149.5], [0, 0, 1]])
    rvec, tvec = look_down(np.array([world.width_mm / 2, world.depth_mm / 2]), 500, 0, 0, 0)
    return Shot(size_px, matrix_px, np.zeros(5), rvec, tvec)


def test_what_lies_over_a_base_takes_from_its_visible_share() -> None:
    world = World("t9a", 400.0, 300.0, np.random.default_rng(0))
    grey, plain = (0.3, 0.3, 0.3), Surface(0.0)
    world.add(quad(), matrix((200, 150, 0), 0, (900, 900, 1)), grey, plain)
    for k, x in enumerate((60.0, 200.0, 340.0)):
        ident = world.ident()
        world.plate((x, 150), 40, 40, 0, 3, (0.6, 0.1, 0.1), plain, ident)
        world.thing("rect-base", f"b{k}", rectangle((x, 150), 40, 40, 0), 3, ident)
    own = world.things[2].ident
    world.plate((340, 150), 20, 20, 0, 10, (0.1, 0.6, 0.1), plain, own)  # its own figure does not count
    world.plate((180, 150), 40, 60, 0, 3.5, grey, plain)  # half of the middle one
    world.thing("round-base", "off", circle((410, 150), 15), 0, world.ident(), shape="round")
    shot = overhead(world)
    lighting = make_lighting(np.random.default_rng(1), None)
    _, frame, pinhole = develop(world, shot, lighting, clean=True)
    describe(world, shot, frame, pinhole)
    shares = {thing.id: thing.visible for thing in world.things}
    assert shares["b0"] == pytest.approx(1, abs=0.03)
    assert shares["b1"] == pytest.approx(0.5, abs=0.03)
    assert shares["b2"] == pytest.approx(1, abs=0.03)
    assert shares["off"] == 0


def test_a_raised_base_shifts_as_a_camera_sees_it() -> None:
    """Base height is second only to the lens: a disc 20 mm up must be drawn 20 mm up."""
    world = World("t9a", 400.0, 300.0, np.random.default_rng(0))
    plain = Surface(0.0, gloss=0.0)
    world.add(quad(), matrix((200, 150, 0), 0, (900, 900, 1)), (0.01, 0.01, 0.01), plain)
    world.dot((330, 150), 15, 20, (0.7, 0.7, 0.7), 5, plain, sides=96)
    shot = overhead(world)
    taken = photograph(world, shot, np.random.default_rng(3), clean=True)
    grey = cv2.cvtColor(taken.picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
    mass = cv2.moments(np.clip(grey - np.median(grey) - 12, 0, None))
    centre = mass["m10"] / mass["m00"], mass["m01"] / mass["m00"]
    assert centre == pytest.approx(tuple(shot.project([[330, 150, 20]])[0]), abs=0.25)
    assert abs(shot.project([[330, 150, 20]])[0][0] - shot.project([[330, 150, 0]])[0][0]) > 4


def test_corner_sheets_are_found_where_the_truth_has_them() -> None:
    taken = take(Order("", 5, "mage-knight", size_px=(960, 540), fine=True, markers=True), 0)
    camera, pose = taken.truth["camera"], taken.truth["pose"]
    found = {str(m.id): m.corners_px for m in find_markers(taken.picture)}
    assert set(found) == {"0", "1", "2", "3"}
    for name, corners in taken.truth["markers"]["corners"].items():
        pixels, _ = cv2.projectPoints(
            np.array(corners),
            np.array(pose["rvec"]),
            np.array(pose["tvec"]),
            np.array(camera["matrix"]),
            np.array(camera["distortion"]),
        )
        assert np.abs(found[name] - pixels.reshape(4, 2)).max() < 0.6


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    order = Order(str(tmp_path), 2, "siege-of-runedar", size_px=(320, 180))
    assert remaining(order, 3) == 3
    assert len(list(make(order, 3, jobs=1))) == 3
    picture = tmp_path / "images" / f"{order.name(1)}.jpg"
    before = picture.read_bytes()
    picture.unlink()
    assert list(make(order, 3, jobs=1)) == [order.name(1)]
    assert picture.read_bytes() == before
    assert list(make(order, 3, jobs=1)) == []
    assert sorted(p.suffix for p in tmp_path.rglob("*.*")) == [".jpg"] * 3 + [".json"] * 3 + [".txt"] * 3


def test_a_clip_moves_one_piece_and_says_so_in_every_frame(tmp_path: Path) -> None:
    frames = list(film("mage-knight", 4, moves=1, fps=2, size_px=(320, 180)))
    numbers = [entry["frame"] for _, entry, _ in frames]
    assert numbers == list(range(len(frames)))
    hands = [entry["hand"] for _, entry, _ in frames]
    assert not hands[0]
    assert not hands[-1]
    assert any(hands)
    first, last = (({p["id"]: p for p in frames[k][1]["scene"]["pieces"]}) for k in (0, -1))
    moved = [name for name in first if first[name]["at"] != last[name]["at"]]
    assert len(moved) == 1
    assert last[moved[0]]["height"] == first[moved[0]]["height"]
    lifted = [
        entry
        for _, entry, _ in frames
        if any(p["height"] > first[p["id"]]["height"] + 5 for p in entry["scene"]["pieces"])
    ]
    assert lifted, "the hand lifts the piece on its way"
    Scene.parse(json.loads(json.dumps(frames[-1][1]["scene"])))
    change = np.abs(frames[0][0].astype(int) - frames[-1][0]).max(axis=2) > 40
    assert 20 < change.sum() < 0.2 * change.size, "only where the piece was and is now"


def test_a_clip_is_written_with_its_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regla.models.synth.clip.STILL_S", 0.5)
    out = tmp_path / "game.mp4"
    count = len(list(make_clip(out, "underworlds", 1, moves=1, fps=2, size_px=(320, 180))))
    truth = json.loads((tmp_path / "game.truth.json").read_text(encoding="utf-8"))
    assert [entry["frame"] for entry in truth["scenes"]] == list(range(count))
    assert truth["camera"]["size"] == [320, 180]
    video = cv2.VideoCapture(str(out))
    assert int(video.get(cv2.CAP_PROP_FRAME_COUNT)) == count
    video.release()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--game", "chess"], "expected one of"),
        (["--size", "12"], "WIDTHxHEIGHT"),
        (["--assets", "nowhere-at-all"], "there is no folder"),
        (["--clip"], "one game"),
    ],
)
def test_bad_orders_are_explained(tmp_path: Path, arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(build(), ["synth", "--out", str(tmp_path), *arguments])
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())


def test_the_command_writes_a_set(tmp_path: Path) -> None:
    arguments = [
        "synth",
        "--out",
        str(tmp_path),
        "--game",
        "free",
        "--count",
        "2",
        "--seed",
        "4",
        "--size",
        "320x180",
        "--jobs",
        "1",
    ]
    result = CliRunner().invoke(build(), arguments)
    assert result.exit_code == 0, result.output
    assert len(list((tmp_path / "images").glob("free-4-*.jpg"))) == 2
    again = CliRunner().invoke(build(), arguments)
    assert "0 new" in " ".join(again.output.split())


def test_sketches_need_no_renderer(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(assets: str | None) -> None:
        raise AssertionError("a sketch is drawn, not rendered")

    monkeypatch.setattr(dataset, "shared_renderer", refuse)
    taken = take(Order("", 3, "runewars", size_px=SMALL_PX, sketch=True), 0)
    assert taken.labels


def test_a_tag_points_to_the_front_and_can_be_read() -> None:
    world = World("t9a", 160.0, 120.0, np.random.default_rng(0))
    world.add(quad(), matrix((80, 60, 0), 0, (900, 900, 1)), (0.3, 0.3, 0.3), Surface(0.0, gloss=0.0))
    style = make_style(world, "foot", 40.0, 4.0, 1)
    style.tagged = True
    thing = round_base(world, (80, 60), 60.0, 30.0, style, "hero", with_figure=False, dressed=False)
    assert thing.tag is not None
    matrix_px = np.array([[500.0, 0, 199.5], [0, 500.0, 149.5], [0, 0, 1]])
    rvec, tvec = look_down(np.array([80.0, 60.0]), 200, 0, 0, 0)
    shot = Shot((400, 300), matrix_px, np.zeros(5), rvec, tvec)
    taken = photograph(world, shot, np.random.default_rng(3), clean=True)
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    corners, numbers, _ = detector.detectMarkers(taken.picture)
    assert numbers is not None
    assert numbers.ravel().tolist() == [thing.tag]
    top_left, top_right, bottom_right, bottom_left = corners[0].reshape(4, 2)
    up_x, up_y = (top_left + top_right - bottom_left - bottom_right) / 2
    assert np.degrees(np.arctan2(-up_y, up_x)) == pytest.approx(
        30, abs=2
    )  # pixel rows run towards the reader
    assert [o["tag"] for o in taken.truth["objects"]] == [thing.tag]
