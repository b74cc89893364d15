"""The printed sheets: true to size to a hundredth of a millimetre, readable by a camera, on both papers."""

from __future__ import annotations

import re
import zlib

import numpy as np
import pytest
from regla.calibration.charuco import CharucoBoard
from regla.calibration.markers import CHECK_IDS, QUIET_MM, TAG_IDS, find_markers
from regla.calibration.sheets import (
    CHECK_MM,
    PAPERS_MM,
    charuco_sheet,
    check_sheet,
    marker_sheets,
    tag_sheets,
)

POINT_MM = 25.4 / 72
DPI = 200
PX_MM = DPI / 25.4


def pages(pdf: bytes):
    """The PDF's own drawing: per page its size in mm and the filled rectangles and polygons, in painting order."""
    boxes = [tuple(float(v) for v in m.split()) for m in re.findall(rb"/MediaBox \[([^\]]+)\]", pdf)]
    streams = [
        zlib.decompress(m)
        for m in re.findall(rb"/FlateDecode.*?stream\r?\n(.*?)\r?\nendstream", pdf, re.S)
        if m[:1] == b"x"
    ]
    drawings = [s.decode("latin-1") for s in streams if b" re" in s]
    for text, box in zip(drawings, boxes * len(drawings), strict=False):
        height = box[3]
        shapes, grey, lines = [], 0.0, []
        for line in text.splitlines():
            if m := re.fullmatch(r"([\d.]+) (?:([\d.]+) ([\d.]+) rg|g)", line.strip()):
                grey = float(m[1])
            if m := re.search(r"(-?[\d.]+) (-?[\d.]+) (-?[\d.]+) (-?[\d.]+) re f", line):
                x, y, w, h = (float(v) for v in m.groups())
                y0, y1 = sorted((height - y, height - y - h))
                shapes.append((grey, x * POINT_MM, y0 * POINT_MM, abs(w) * POINT_MM, (y1 - y0) * POINT_MM))
            if m := re.search(r"(-?[\d.]+) (-?[\d.]+) m (-?[\d.]+) (-?[\d.]+) l S", line):
                lines.append([float(v) * POINT_MM for v in m.groups()])
        yield (box[2] * POINT_MM, box[3] * POINT_MM), shapes, lines


def paint(size_mm, shapes):
    """The page as a scanner at 200 dpi sees its filled rectangles."""
    width, height = (round(v * PX_MM) for v in size_mm)
    fine = 4
    page = np.full((height * fine, width * fine), 255, np.uint8)
    for grey, x, y, w, h in shapes:
        x0, y0, x1, y1 = (round(v * PX_MM * fine) for v in (x, y, x + w, y + h))
        page[max(y0, 0) : y1, max(x0, 0) : x1] = round(grey * 255)
    return page.reshape(height, fine, width, fine).mean(axis=(1, 3)).astype(np.uint8)


def corners_mm(marker):
    return (marker.corners_px + 0.5) / PX_MM


@pytest.mark.parametrize("paper", PAPERS_MM)
def test_corner_sheets(paper):
    seen = {}
    for size, shapes, _ in pages(marker_sheets(paper)):
        assert size == pytest.approx(PAPERS_MM[paper], abs=0.1)
        for marker in find_markers(paint(size, shapes)):
            seen[marker.id] = corners_mm(marker)
        squares = [s for s in shapes if s[0] == 0 and s[3] > 50]
        for _, x, y, w, h in squares:
            assert (w, h) == pytest.approx((100, 100), abs=0.01)
            # The whole white rim is on the paper.
            assert min(x, y, size[0] - x - w, size[1] - y - h) > QUIET_MM
    assert sorted(seen) == [0, 1, 2, 3]
    for corners in seen.values():
        sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
        np.testing.assert_allclose(sides, 100, atol=0.05)
        assert corners[0][1] < corners[3][1]  # upright on the page, as its arrow says


@pytest.mark.parametrize("paper", PAPERS_MM)
def test_the_charuco_board_is_the_one_that_is_looked_for(paper):
    (size, shapes, _), *_ = pages(charuco_sheet(paper))
    assert size == pytest.approx(PAPERS_MM[paper][::-1], abs=0.1)
    found = CharucoBoard().find(paint(size, shapes))
    assert found is not None and len(found.px) == 35
    places = (found.px + 0.5) / PX_MM
    # One shift lays the printed corners onto the board's own, to a twentieth of a millimetre.
    np.testing.assert_allclose(places - places[0], found.xyz_mm[:, :2] - found.xyz_mm[0, :2], atol=0.06)


@pytest.mark.parametrize("paper", PAPERS_MM)
@pytest.mark.parametrize("side", [12.0, 16.0, 20.0])
def test_tags(paper, side):
    seen = {}
    for size, shapes, _ in pages(tag_sheets(paper, side_mm=side)):
        for marker in find_markers(paint(size, shapes), ids=TAG_IDS, enough=99):
            seen[marker.id] = corners_mm(marker)
    assert sorted(seen) == list(TAG_IDS)
    for corners in seen.values():
        assert np.linalg.norm(corners[1] - corners[0]) == pytest.approx(side, abs=0.06)
        assert corners[0][1] < corners[3][1]


@pytest.mark.parametrize("paper", PAPERS_MM)
def test_the_check_bar_is_a_foot_long(paper):
    (size, shapes, _), *_ = pages(check_sheet(paper))
    ends = {m.id: corners_mm(m) for m in find_markers(paint(size, shapes), ids=CHECK_IDS, enough=2)}
    assert np.linalg.norm(ends[8][3] - ends[9][1]) == pytest.approx(CHECK_MM, abs=0.06)


@pytest.mark.parametrize("sheet", [marker_sheets, charuco_sheet, tag_sheets, check_sheet])
@pytest.mark.parametrize("paper", PAPERS_MM)
def test_every_page_has_a_ruler_line(sheet, paper):
    for _, _, lines in pages(sheet(paper)):
        lengths = [np.hypot(x1 - x0, y1 - y0) for x0, y0, x1, y1 in lines]
        assert any(abs(length - 100) < 0.01 for length in lengths)


def test_a_paper_nobody_has_is_refused():
    with pytest.raises(ValueError, match="a4 or letter"):
        marker_sheets("napkin")
    with pytest.raises(ValueError, match="does not fit"):
        charuco_sheet("a4", CharucoBoard(columns=12))
