"""The picture of a table: every kind of piece and every primitive is drawn, and drawn where it is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import cv2
import numpy as np
import pytest
from regla.rules import Answer, Scene, Verdict, msg
from regla.rules.drawing import ROLES, Arc, Disc, Label, Polygon, Segment
from regla.service.draw import draw

ROOT = Path(__file__).parents[2]


def a_table(**changes: object) -> Scene:
    return Scene.parse(
        {"game": "t9a", "unit": "mm", "table": {"width": 1000, "depth": 500}, "pieces": [], **changes}
    )


def pixels(scene: Scene, verdict: Verdict | None = None) -> np.ndarray:
    data = np.frombuffer(draw(scene, verdict).png(), np.uint8)
    return cv2.imdecode(data, cv2.IMREAD_COLOR)


def test_a_piece_is_drawn_where_it_stands() -> None:
    piece = {"id": "a", "side": "A", "at": [250, 125], "base": {"shape": "circle", "diameter": 60}}
    picture = pixels(a_table(pieces=[piece]))
    scale = 1400 / 1050
    x, y = round((250 + 25) * scale), round((525 - 125) * scale)
    blue = np.array([0xB2, 0x72, 0x00])
    assert np.abs(picture[y, x].astype(int) - blue).max() < 30
    assert np.abs(picture[y, x + round(40 * scale)].astype(int) - blue).max() > 60


def test_a_block_has_a_base_for_every_model() -> None:
    block = {"id": "b", "kind": "unit", "at": [500, 250], "facing": 90, "files": 5, "count": 13,
             "base": {"shape": "rect", "width": 20, "depth": 20}, "traits": ["rear:1,3,5"]}  # fmt: skip
    svg = draw(a_table(pieces=[block])).svg
    assert len(re.findall(r'<polygon points="[^"]*" fill="#FFFFFF" fill-opacity', svg)) == 13


def test_every_primitive_in_every_role_can_be_drawn() -> None:
    shapes = [
        shape
        for role in ROLES
        for shape in (
            Segment((0, 0), (100, 100), role),
            Polygon(((0, 0), (9, 0), (9, 9)), role),
            Arc((50, 50), 20, 350, 20, role),
            Disc((50, 50), 9, role),
            Label((5, 5), msg("plain", text="<&>"), role),
        )
    ]
    verdict = Verdict(
        "t9a", "range", Answer.NO, "mm", msg("plain", text="so"), ("T9A-X",), drawing=tuple(shapes)
    )
    picture = draw(a_table(), verdict)
    assert "&lt;&amp;&gt;" in picture.svg
    assert picture.png().startswith(b"\x89PNG")
    assert json.dumps(verdict.to_json())


@pytest.mark.parametrize("path", sorted((ROOT / "samples" / "scenes").glob("*.json")), ids=lambda p: p.stem)
def test_the_sample_scenes_can_be_drawn(path: Path) -> None:
    assert pixels(Scene.load(path)).shape[1] == 1400
