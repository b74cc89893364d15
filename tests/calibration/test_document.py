"""The calibration document, its checks, its messages."""

from __future__ import annotations

import json
import string

import numpy as np
import pytest
import regla.calibration
from regla.calibration import Calibration, CalibrationError, Check, calibrate_found, diff
from regla.calibration import errors as e
from regla.calibration.checks import check_bar, check_length, describe, passed, with_check
from regla.calibration.error_picture import draw_error_map
from regla.calibration.errors import DocumentError
from regla.calibration.lengths import LengthError, parse_length, parse_points, parse_size
from regla.calibration.markers import square
from regla.calibration.messages import MESSAGES, say
from regla.calibration.quality import GRADES, error_map
from regla.calibration.sheets import CHECK_BOX_MM, CHECK_SIDE_MM

from tests.calibration.world import SIZE_PX, TABLE_MM, draw, overhead, seen, sheets

VIEW = overhead()


def made(noise_px=0.3, seed=0, **options):
    rng = np.random.default_rng(seed)
    setup = {"camera": VIEW.camera, "places": sheets(), "table_mm": TABLE_MM, **options}
    return calibrate_found(seen(VIEW, sheets(), rng, noise_px), SIZE_PX, **setup)


@pytest.mark.parametrize(
    "options", [{}, {"camera": None}, {"places": None}], ids=["plain", "guessed", "anywhere"]
)
def test_a_document_survives_saving(tmp_path, options):
    first = made(**options)
    first.save(tmp_path / "c.json")
    back = Calibration.load(tmp_path / "c.json")
    assert not diff(first, back)
    back.save(tmp_path / "d.json")
    assert (tmp_path / "c.json").read_text() == (tmp_path / "d.json").read_text()
    px = VIEW.to_pixel([[300, 200], [1500, 1000]])
    for a, b in zip(first.view().to_table(px), back.view().to_table(px), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_a_person_can_read_and_compare_it():
    first, second = made(), made(seed=1)
    text = first.dumps()
    assert max(len(line) for line in text.splitlines()) < 320
    assert '"grade": "gold"' in text
    changes = diff(first, second)
    assert "pose.tvec" in changes and "table.width_mm" not in changes
    assert first.revised(checks=(Check(1, 1, 1),)).revision == 2


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d.clear(), "kind"),
        (lambda d: d.update(version=99), "version"),
        (lambda d: d.pop("pose"), "pose"),
        (lambda d: d["table"].update(width_mm=-5), "over 0 mm, got -5"),
        (lambda d: d["quality"].update(grade="platinum"), "platinum"),
        (lambda d: d.update(covariance=[[1, 2], [3, 4]]), "reshape"),
        (lambda d: d["markers"].update(sheets=[1]), "items"),
    ],
)
def test_bad_documents_are_refused_with_the_reason(change, says):
    data = made().to_json()
    change(data)
    with pytest.raises(DocumentError, match=says):
        Calibration.from_json(data)


@pytest.mark.parametrize(("content", "says"), [("{", "not JSON"), ("[]", "list"), ("3", "int")])
def test_files_that_are_no_documents(tmp_path, content, says):
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(DocumentError, match=says):
        Calibration.load(path)
    with pytest.raises(DocumentError, match="opened"):
        Calibration.load(tmp_path / "none.json")


def test_the_error_map_grows_away_from_the_sheets():
    near_only = {i: c for i, c in sheets().items() if i in (0, 1)}
    one_sided = calibrate_found(
        seen(VIEW, near_only, np.random.default_rng(0), 0.3),
        SIZE_PX,
        camera=VIEW.camera,
        places=sheets(),
        table_mm=TABLE_MM,
    )
    errors = error_map(one_sided.view(), TABLE_MM, steps=9)
    assert errors.shape == (9, 9)
    assert errors[8].mean() > 2 * errors[0].mean()
    assert set(one_sided.quality.advice) >= {"advice-sheet-2", "advice-sheet-3"} or one_sided.grade == "gold"
    picture = draw_error_map(one_sided)
    assert picture.ndim == 3 and picture.shape[1] > 900


def test_parts_out_of_the_picture_have_no_error_but_advice():
    wide = made(table_mm=(4000.0, 1219.2))
    assert np.isnan(error_map(wide.view(), wide.table_mm)).any()
    assert "advice-aim" in wide.quality.advice


def test_a_length_that_fits_and_one_that_does_not():
    known = made()
    a, b = VIEW.to_pixel([[400, 300], [704.8, 300]])
    good = check_length(known, a, b, 304.8)
    assert passed(good) and abs(good.error_mm) < 1
    assert with_check(known, good).grade == known.grade
    bad = check_length(known, a, b, 300.0)
    assert not passed(bad)
    worse = with_check(known, bad)
    assert worse.grade == "unfit" and worse.quality.advice[0] == "advice-check"
    assert worse.revision == known.revision + 1
    assert describe(bad, "en") != describe(bad, "es")


def test_the_printed_bar_is_measured():
    width, height = CHECK_BOX_MM
    half = CHECK_SIDE_MM / 2
    at = np.array([800.0, 450.0])
    bar = {
        8: square(CHECK_SIDE_MM, at + np.array([half, half])),
        9: square(CHECK_SIDE_MM, at + np.array([width - half, height - half])),
    }
    picture = draw(VIEW, {**sheets(), **bar})
    check = check_bar(picture, made(0.05))
    assert check.length_mm == 304.8
    assert abs(check.error_mm) < 0.4 and passed(check)
    with pytest.raises(e.CheckError):
        check_bar(draw(VIEW, sheets()), made())


def fields(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", MESSAGES)
def test_every_message_is_in_both_languages(key):
    english, spanish = MESSAGES[key]
    assert english and spanish
    assert fields(english) == fields(spanish)
    if len(english) > 25 and key not in ("reason-value", "reason-board-faults"):
        assert english != spanish


def error_classes(base=CalibrationError):
    yield base
    for sub in base.__subclasses__():
        yield from error_classes(sub)


def test_every_error_has_its_own_message_and_says_what_to_do():
    keys = [c.key for c in error_classes()]
    assert len(keys) == len(set(keys))
    for key in keys:
        assert key in MESSAGES
        # What is wrong, then what to do: at least two sentences.
        assert sum(MESSAGES[key][0].count(mark) for mark in ".:") >= 2


def test_every_grade_has_its_meaning():
    for grade in GRADES:
        assert say(f"grade-{grade}", "es")


def test_the_exported_names():
    assert {"Calibration", "Camera", "Pose", "TableView", "calibrate_markers"} <= set(
        regla.calibration.__all__
    )
    for name in regla.calibration.__all__:
        assert hasattr(regla.calibration, name)


@pytest.mark.parametrize("text", ["", "x", "12 parsecs", "-3in", "0", "1e5", "72by48"])
def test_lengths_that_cannot_be_read(text):
    with pytest.raises(LengthError):
        parse_length(text)
    with pytest.raises(LengthError):
        parse_size(text)
    with pytest.raises(LengthError):
        parse_points(text, 4)


def test_the_document_is_plain_json():
    json.loads(made().dumps())
