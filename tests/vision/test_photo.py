"""Photo mode: one picture to a scene; every bad input to a sentence in two languages, and never to a verdict."""

from __future__ import annotations

import numpy as np
import pytest
from regla.calibration import calibrate_markers
from regla.rules import Answer, ask
from regla.vision.errors import (
    NotCalibrated,
    PictureDark,
    PictureTooLarge,
    PictureTooSmall,
    VisionError,
    WrongCalibration,
)
from regla.vision.photo import look
from regla.vision.pipeline import Pipeline

from tests.calibration import world

from .drawn import Base, Told, ToldFacing, block, draw

BASES = [
    *block((600, 500), 90, 5, 18, figure=True),
    *block((1200, 700), 250, 4, 8, (25.0, 50.0), figure=True),
    Base((900, 300), (60.0,), 45.0, figure=True),
    Base((1500, 400), (40.0, 40.0), 130.0, tag=17),
]
VIEW = world.overhead()


@pytest.fixture(scope="module")
def picture():
    return draw(BASES)


@pytest.fixture(scope="module")
def calibration(picture):
    return calibrate_markers(picture, camera=VIEW.camera, places=world.sheets(), table_mm=world.TABLE_MM)


def pipeline(**more):
    facing = ToldFacing(BASES) if more.pop("faces", True) else False
    return Pipeline("t9a", detector=Told(BASES, **more), facing=facing, place=False)


def test_a_table_from_its_sheets(picture, calibration):
    seen = look(picture, calibration, "t9a", pipeline=pipeline())
    pieces = {(p.kind, p.count): p for p in seen.scene.pieces}
    spears, riders = pieces["unit", 18], pieces["unit", 8]
    assert (spears.files, riders.files) == (5, 4)
    assert np.hypot(*np.subtract(spears.at, (600, 500))) < 0.6
    assert np.hypot(*np.subtract(riders.at, (1200, 700))) < 0.6
    assert abs(spears.facing - 90) < 0.6 and abs(riders.facing - 250) < 0.6
    assert all(p.sigma is not None and 0 < max(p.sigma.at) < 1.0 for p in seen.scene.pieces)
    assert seen.scene.table.width == pytest.approx(world.TABLE_MM[0])


def test_a_tag_gives_identity_and_facing(picture, calibration):
    seen = look(picture, calibration, "t9a", pipeline=pipeline(faces=False))
    tagged = seen.scene.piece("tag-17")
    assert tagged.source == "tag"
    assert abs((tagged.facing - 130 + 180) % 360 - 180) < 2


def test_a_verdict_on_what_was_seen(picture, calibration):
    scene = look(picture, calibration, "t9a", pipeline=pipeline()).scene
    units = [p.id for p in scene.pieces if p.kind == "unit"]
    verdict = ask(scene, {"query": "range", "from": units[0], "to": units[1]})
    assert verdict.value is not None and verdict.value_sigma is not None and 0 < verdict.value_sigma < 1.5


def test_without_a_front_in_sight_the_facing_is_unknown_and_the_verdict_too(picture, calibration):
    scene = look(picture, calibration, "t9a", pipeline=pipeline(faces=False)).scene
    rider = next(p for p in scene.pieces if p.count == 8)
    other = next(p for p in scene.pieces if p.count == 18)
    assert rider.facing is None and "turn" in rider.extra
    assert ask(scene, {"query": "arc", "from": rider.id, "to": other.id}).answer is Answer.UNKNOWN


def test_sheets_in_view_are_enough(picture):
    seen = look(picture, None, "t9a", pipeline=pipeline(), table_mm=world.TABLE_MM, layout="corners")
    assert seen.notes and "lens" in seen.notes[0].text("en")
    spears = next(p for p in seen.scene.pieces if p.count == 18)
    # The lens is guessed, so the place is worse than gold, and the error bar says so.
    error = np.hypot(*np.subtract(spears.at, (600, 500)))
    assert error < 4 * max(spears.sigma.at)


def bad_pictures():
    black = np.zeros((1080, 1920, 3), np.uint8)
    grey = np.full((1080, 1920, 3), 128, np.uint8)
    noise = np.random.default_rng(0).integers(0, 255, (720, 1280, 3)).astype(np.uint8)
    huge = np.broadcast_to(np.uint8(9), (10_000, 20_000, 3))
    return {
        "one pixel": (np.full((1, 1, 3), 90, np.uint8), PictureTooSmall),
        "200 megapixels": (huge, PictureTooLarge),
        "black": (black, PictureDark),
        "no table": (grey, NotCalibrated),
        "noise": (noise, NotCalibrated),
    }


@pytest.mark.parametrize("name", bad_pictures())
def test_bad_pictures_get_a_sentence_and_no_scene(name):
    image, error = bad_pictures()[name]
    with pytest.raises(error) as refused:
        look(image, None, "t9a", pipeline=pipeline())
    assert isinstance(refused.value, VisionError)
    assert refused.value.text("en") != refused.value.text("es")


def test_a_calibration_of_another_camera_is_refused(picture, calibration):
    small = np.ascontiguousarray(picture[::2, ::2])
    with pytest.raises(WrongCalibration) as refused:
        look(small, calibration, "t9a", pipeline=pipeline())
    assert "1920 × 1080" in refused.value.text("es")


def test_a_camera_that_was_moved_since_is_refused(calibration):
    elsewhere = world.overhead(tilt_mm=(60.0, -20.0))
    moved = world.draw(elsewhere, world.sheets())
    with pytest.raises(WrongCalibration):
        look(moved, calibration, "t9a", pipeline=pipeline())


def test_an_empty_table_is_a_scene_without_pieces(calibration):
    empty = draw([])
    seen = look(
        empty, calibration, "t9a", pipeline=Pipeline("t9a", detector=Told([]), facing=False, place=False)
    )
    assert seen.scene.pieces == ()


def test_an_unknown_game():
    with pytest.raises(VisionError):
        Pipeline("chess")


def test_a_monster_beside_a_regiment_is_asked_for_its_own_front():
    """Of a regiment only some fronts are looked at; a lone base near it must not be taken for one of the regiment."""
    from regla.vision.found import Found
    from regla.vision.pipeline import FACES_MOST, _worth_asking

    def base(at, size, score):
        return Found("rect-base", "rect", np.array(at, dtype=float), np.eye(2), size, 0.0, score=score)

    ranks = [base((25 * x, 25 * y), (25.0, 25.0), 0.9) for x in range(6) for y in range(5)]
    asked = _worth_asking([*ranks, base((220, 60), (50.0, 100.0), 0.5)])
    assert len(ranks) in asked
    assert FACES_MOST < len(asked) < len(ranks)
