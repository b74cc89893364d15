"""The measuring itself: on drawn pictures with truth documents, where every figure is known beforehand."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest
from regla.vision.evaluate import evaluate
from regla.vision.pipeline import Pipeline
from regla.vision.plot import plot_svg
from regla.vision.truth import read_truth, truths

from tests.calibration import world

from .drawn import Base, Told, ToldFacing, block, draw

VIEW = world.overhead()
UNIT = block((600, 500), 90, 5, 18)
SINGLES = [
    Base((900, 300), (60.0,), 45.0),
    Base((1300, 800), (40.0, 40.0), 130.0),
    Base((700, 900), (25.0,), 10.0),
]
BASES = [*UNIT, *SINGLES]


def piece(base, id_):
    shape = (
        {"shape": "circle", "diameter": base.size[0]}
        if len(base.size) == 1
        else {"shape": "rect", "width": base.size[0], "depth": base.size[1]}
    )
    at = [float(v) for v in base.at]
    return {
        "id": id_,
        "side": "A",
        "kind": "model",
        "at": at,
        "facing": base.facing,
        "base": shape,
        "visible": 1.0,
    }


def truth():
    unit = {
        "id": "spears", "side": "B", "kind": "unit", "at": [600, 500], "facing": 90, "files": 5, "count": 18,
        "base": {"shape": "rect", "width": 25, "depth": 25}, "visible": 1.0,
    }  # fmt: skip
    objects = [
        {
            "class": b.name, "id": f"b{i}", "outline_mm": b.outline(40).tolist(), "height_mm": b.height, "visible": 1.0,
            "facing": b.facing, "unit": "spears" if i < len(UNIT) else None,
        }
        for i, b in enumerate(BASES)
    ]  # fmt: skip
    return {
        "camera": VIEW.camera.to_json(),
        "pose": VIEW.pose.to_json(),
        "markers": {"family": "DICT_4X4_50", "corners": {str(i): np.asarray(c).tolist() for i, c in world.sheets().items()}},
        "scene": {
            "game": "t9a", "unit": "mm", "table": {"width": world.TABLE_MM[0], "depth": world.TABLE_MM[1]},
            "pieces": [unit, *(piece(b, f"m{i}") for i, b in enumerate(SINGLES))], "terrain": [],
        },
        "objects": objects,
    }  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("truth")
    cv2.imwrite(str(path / "one.png"), draw(BASES))
    (path / "one.truth.json").write_text(json.dumps(truth()))
    cv2.imwrite(str(path / "bad.png"), draw([]))
    (path / "bad.truth.json").write_text('{"camera": 3}')
    (path / "lone.truth.json").write_text("{}")
    return path


def eyes(bases=BASES, **more):
    return lambda game: Pipeline(game, detector=Told(bases, **more), facing=ToldFacing(BASES), place=False)


@pytest.mark.parametrize("calibrate", ["truth", "markers"])
def test_a_good_look_gets_good_figures(folder, calibrate):
    got = evaluate(folder, calibrate, pipeline=eyes()).to_json()
    assert got["pictures"] == 1 and list(got["failed"]) == ["bad.truth.json"]
    assert got["detection"]["bases"] == {"truth": 21, "found": 21, "precision": 1.0, "recall": 1.0}
    assert got["detection"]["units"] == {"truth": 1, "found": 1, "precision": 1.0, "recall": 1.0}
    assert got["centre_mm"]["n"] == 4 and got["centre_mm"]["p95"] < 0.8
    assert got["distance_mm"]["p95"] < 1.0 and got["size_mm"]["p95"] == 0.0
    assert got["facing_deg"]["known"] == 1.0 and got["facing_deg"]["flipped"] == 0.0
    assert got["coverage95"] == 1.0 and got["grouping"] == 1.0
    verdicts = got["verdicts"]
    assert verdicts["wrong"] == 0 and verdicts["right"] > 10


def test_a_rim_behind_a_figure_is_left_out_of_the_clear_figures(folder, tmp_path):
    """`rim` in the truth's objects says how much of a rim is seen, `visible` how much of the whole piece."""
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    known = truth()
    for i, o in enumerate(known["objects"]):
        lone = i - len(UNIT)
        o |= {"rim": 0.3 if lone == 0 else 0.9, **({"id": f"m{lone}"} if lone >= 0 else {})}
    (tmp_path / "one.truth.json").write_text(json.dumps(known))
    got = evaluate(tmp_path, pipeline=eyes(), verdicts=False).to_json()
    assert got["centre_mm"]["n"] == got["clear_centre_mm"]["n"] + 1
    assert 0 < got["clear_distance_mm"]["n"] < got["distance_mm"]["n"]


def test_what_is_missed_and_what_is_made_up_both_count(folder):
    more = [*UNIT, SINGLES[0], Base((1500, 300), (40.0,), 0.0)]
    got = evaluate(folder, pipeline=eyes(more), verdicts=False).to_json()["detection"]["bases"]
    assert (got["truth"], got["found"]) == (21, 20)
    assert got["recall"] == pytest.approx(19 / 21, abs=1e-3) and got["precision"] == pytest.approx(
        19 / 20, abs=1e-3
    )


def test_a_shift_of_the_whole_picture_shows_as_an_error(folder, monkeypatch):
    """Figures must be able to be bad: with the camera believed 5 mm to the side, everything is."""
    from regla.calibration import Pose, TableView

    good = read_truth(folder / "one.truth.json")
    shifted = good.view.pose.tvec + good.view.pose.rotation @ np.array([5.0, 0.0, 0.0])
    wrong = TableView(good.view.camera, Pose(good.view.pose.rvec, shifted))
    monkeypatch.setattr("regla.vision.evaluate.read_truth", lambda path: _with_view(read_truth(path), wrong))
    got = evaluate(folder, pipeline=eyes(), verdicts=False).to_json()
    assert got["centre_mm"]["median"] > 4.0 and got["coverage95"] == 0.0


def _with_view(truth_, view):
    from dataclasses import replace

    return replace(truth_, view=view)


def test_the_plot_says_what_it_shows(folder):
    figures = evaluate(folder, pipeline=eyes(), verdicts=False)
    svg = plot_svg(figures, "es")
    assert svg.startswith("<svg") and "centro de pieza" in svg and "polyline" in svg


def test_documents_without_a_picture_are_left_out(folder):
    assert [p.name for p in truths(folder)] == ["bad.truth.json", "one.truth.json"]
