"""A live table: settles, is measured from several pictures, waits for hands, knows when it knows nothing."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import cv2
import numpy as np
import pytest
from regla.calibration import calibrate_markers
from regla.vision.errors import VisionError
from regla.vision.live import LiveTable
from regla.vision.sources import Shot

from tests.calibration import world

from .drawn import Base, Told, ToldFacing, block, draw

VIEW = world.overhead()
UNIT = block((600, 500), 90, 5, 15)
HERO = Base((1200, 600), (40.0,), 0.0)


class Address:
    name, live, kind = "drawn", True, "camera"


class Feed:
    """A source whose pictures the test lays down: the same face as `Source`, without a process behind it."""

    def __init__(self, images):
        self.address = Address()
        self.images = list(images)
        self.number, self.silent, self.fault = 0, False, None
        self.since = time.monotonic()

    def show(self, images):
        self.images = list(images)

    def start(self):
        return None

    def stop(self):
        self.silent = True

    @property
    def frozen(self):
        return False

    @property
    def stale_s(self):
        return time.monotonic() - self.since if self.silent else 0.0

    @property
    def stale(self):
        return self.silent

    def newest(self, after=0, timeout_s=0.0):
        if self.silent:
            time.sleep(min(timeout_s, 0.02))
            return None
        self.number += 1
        self.since = time.monotonic()
        return Shot(self.number, time.time(), self.images[self.number % len(self.images)])


@pytest.fixture(scope="module")
def pictures():
    near = [draw([*UNIT, HERO], seed=s) for s in range(3)]
    far = [draw([*UNIT, replace(HERO, at=(1400, 800))], seed=s) for s in range(3)]
    gone = [draw(UNIT, seed=s) for s in range(3)]
    hand = []
    for image in near:
        with_hand = image.copy()
        cv2.line(with_hand, (0, 600), (700, 560), (140, 160, 210), 140)
        hand.append(with_hand)
    calibration = calibrate_markers(
        near[0], camera=VIEW.camera, places=world.sheets(), table_mm=world.TABLE_MM
    )
    return {"near": near, "far": far, "gone": gone, "hand": hand, "calibration": calibration}


@pytest.fixture
def table(pictures, monkeypatch):
    monkeypatch.setattr("regla.vision.live.CHECK_S", 0.02)
    monkeypatch.setattr("regla.vision.change.SETTLE_S", 0.12)
    detector = Told([*UNIT, HERO])
    facing = ToldFacing([*UNIT, HERO])
    live = LiveTable(Feed(pictures["near"]), pictures["calibration"], "t9a", detector=detector, facing=facing)
    live.start()
    yield live
    live.stop()


def until(live, what, seconds=120.0):
    """Wait for a state; the failing state is in the message."""
    deadline = time.monotonic() + seconds
    state = live.state()
    while not what(state):
        assert time.monotonic() < deadline, f"never came: {state.status} {state.fault} {state.frames}"
        state = live.wait(state.sequence, 0.5)
    return state


def settled(state):
    return state.status == "settled" and state.scene is not None


def test_it_settles_and_is_measured_from_several_pictures(table):
    first = until(table, settled)
    fine = until(table, lambda s: settled(s) and s.frames == 8)
    assert {p.kind for p in fine.scene.pieces} == {"unit", "model"}
    assert first.sequence < fine.sequence
    assert fine.trusted and fine.grade == "gold" and fine.size_px == (1920, 1080)
    unit = next(p for p in fine.scene.pieces if p.kind == "unit")
    assert np.hypot(*np.subtract(unit.at, (600, 500))) < 0.6 and abs(unit.facing - 90) < 0.6


def test_a_still_table_is_not_looked_at_again(table):
    until(table, lambda s: settled(s) and s.frames == 8)
    calls, sequence = table._pipeline.detector.calls, table.state().sequence
    time.sleep(0.6)
    assert table._pipeline.detector.calls == calls
    assert table.state().sequence == sequence


def test_a_move_is_followed_and_leaves_a_ghost(table, pictures):
    before = until(table, lambda s: settled(s) and s.frames == 8)
    hero = next(p for p in before.scene.pieces if p.kind == "model")
    table.correct(hero.id, name="Giant", side="B")
    table._pipeline.detector.bases = [*UNIT, replace(HERO, at=(1400, 800))]
    table.source.show(pictures["far"])
    after = until(
        table, lambda s: settled(s) and s.scene.find(hero.id) and s.scene.piece(hero.id).at[0] > 1390
    )
    piece = after.scene.piece(hero.id)
    assert (piece.name, piece.side) == ("Giant", "B")
    assert after.ghosts[0].piece.at == hero.at
    assert len(table.history(60)) >= 2


def test_a_hand_means_wait_and_the_scene_stays(table, pictures):
    until(table, lambda s: settled(s) and s.frames == 8)
    before = table.state().scene
    table._pipeline.detector.hands = 1
    table.source.show(pictures["hand"])
    state = until(table, lambda s: s.status == "hand")
    assert not state.trusted and state.scene is before
    assert "hand" in state.text("en") and "mano" in state.text("es")
    time.sleep(0.5)
    assert table.state().status == "hand"
    table._pipeline.detector.hands = 0
    table.source.show(pictures["near"])
    assert until(table, settled).scene is not None


def test_lifted_and_put_back(table, pictures):
    before = until(table, lambda s: settled(s) and s.frames == 8)
    hero = next(p for p in before.scene.pieces if p.kind == "model").id
    table._pipeline.detector.bases = UNIT
    table.source.show(pictures["gone"])
    lifted = until(table, lambda s: settled(s) and s.scene.find(hero) is None)
    assert [g.piece.id for g in lifted.ghosts if g.gone] == [hero]
    table._pipeline.detector.bases = [*UNIT, HERO]
    table.source.show(pictures["near"])
    back = until(table, lambda s: settled(s) and s.scene.find(hero) is not None)
    assert not back.ghosts


def test_silence_dark_and_another_camera_are_said(table, pictures):
    until(table, settled)
    table.source.silent = True
    waiting = until(table, lambda s: s.status == "waiting")
    assert not waiting.trusted and waiting.scene is not None
    table.source.silent = False
    until(table, settled)
    table.source.show([np.zeros((1080, 1920, 3), np.uint8)])
    assert not until(table, lambda s: s.status == "dark").trusted
    table.source.show([np.ascontiguousarray(pictures["near"][0][::2, ::2])])
    wrong = until(table, lambda s: s.status == "drift")
    assert "960 × 540" in wrong.fault.text("es")
    table.source.show(pictures["near"])
    assert until(table, settled).fault is None


def test_a_camera_that_is_pushed_suspends_verdicts(table):
    until(table, settled)
    pushed = world.draw(world.overhead(tilt_mm=(34.0, -50.0)), world.sheets())
    table.source.show([pushed])
    assert not until(table, lambda s: s.status == "drift").trusted


def test_without_calibration(pictures, monkeypatch):
    monkeypatch.setattr("regla.vision.live.CHECK_S", 0.02)
    live = LiveTable(Feed(pictures["near"]), None, "t9a", detector=Told([*UNIT, HERO]), facing=False)
    live.start()
    try:
        state = until(live, lambda s: s.status == "uncalibrated")
        assert state.scene is None and live.frame()[1].shape == (1080, 1920, 3)
        with pytest.raises(VisionError):
            live.freeze()
        live.set_calibration(pictures["calibration"])
        assert until(live, settled).grade == "gold"
    finally:
        live.stop()


def test_corrections_undo_terrain_and_game(table):
    state = until(table, lambda s: settled(s) and s.frames == 8)
    unit = next(p for p in state.scene.pieces if p.kind == "unit").id
    table.correct(unit, facing=270, name="Spears")
    assert table.state().scene.piece(unit).facing == 270 and table.state().sequence > state.sequence
    assert table.undo() and table.state().scene.piece(unit).name is None
    assert table.redo() and table.state().scene.piece(unit).name == "Spears"
    table.set_terrain([{"id": "w", "type": "forest", "outline": [[0, 0], [90, 0], [90, 90]]}])
    assert table.state().scene.terrain[0].id == "w"
    table.set_game("mage-knight")
    other = until(table, lambda s: settled(s) and s.scene.game == "mage-knight" and s.scene.pieces)
    assert other.scene.game == table.game


def test_freeze_keeps_everything_that_backs_a_ruling(table):
    until(table, settled)
    frozen = table.freeze(frames=4)
    assert len(frozen.frames) == 4 and frozen.status == "settled"
    assert frozen.calibration is table.calibration and frozen.model_sha256 == "told"
    assert set(frozen.versions) >= {"regla", "numpy", "opencv-python"}
    assert frozen.scene.pieces


def test_many_readers_at_once_never_stop_the_loop(table):
    until(table, settled)
    errors = []

    def read():
        try:
            for _ in range(50):
                state = table.wait(0, 0.01)
                assert state.sequence > 0
                table.frame()
                table.correct("m1", name="x")
                table.undo()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert not errors
    assert until(table, settled).scene is not None
