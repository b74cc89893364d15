"""Printable sheets as PDF, true to size on A4 and Letter, drawn as vectors so that no printer resamples them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from fpdf import FPDF
from fpdf.enums import XPos, YPos

from .charuco import CharucoBoard
from .markers import CHECK_IDS, CORNER_IDS, FAMILY, QUIET_MM, SIDE_MM, TAG_IDS

PAPERS_MM: Final = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
MARGIN_MM: Final = 8.0
"""What home printers cannot print at the rim is 4 to 6 mm."""
RULER_MM: Final = 100
CHECK_MM: Final = 304.8
CHECK_BOX_MM: Final = (172.0, float(np.sqrt(CHECK_MM**2 - 172.0**2)))
"""12 in do not fit an A4 page upright, so the bar runs along the diagonal of this box, which fits both papers."""
CHECK_SIDE_MM: Final = 40.0
TAG_RIM_MM: Final = 4.0
TAG_HEAD_MM: Final = 4.5
"""White around a tag (more than one of its cells), and the strip above it with the arrow."""
PLACES: Final = {
    0: "near left · cerca izquierda",
    1: "near right · cerca derecha",
    2: "far right · lejos derecha",
    3: "far left · lejos izquierda",
}
GREY: Final = 110
"""Lines and words that are for people are grey: the camera's threshold passes over them."""


@cache
def _cells(family: str, marker_id: int) -> tuple[tuple[bool, ...], ...]:
    """White cells of a marker, border included, row by row from the top."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, family))
    size = dictionary.markerSize + 2
    image = cv2.aruco.generateImageMarker(dictionary, marker_id, size)
    return tuple(tuple(bool(v > 127) for v in row) for row in np.asarray(image))


class _Page(FPDF):
    def __init__(self, paper: str, landscape: bool = False) -> None:
        if paper not in PAPERS_MM:
            raise ValueError(f"expected the paper {' or '.join(PAPERS_MM)}, got {paper}")
        super().__init__("landscape" if landscape else "portrait", "mm", PAPERS_MM[paper])
        self.set_auto_page_break(False)
        self.set_margin(0)
        self.set_title("Regla")
        # Viewers that honour it open the print dialogue at 100 %.
        self.viewer_preferences = _no_scaling()

    def marker(self, x: float, y: float, side: float, marker_id: int, family: str = FAMILY) -> None:
        """A marker with its top-left corner at x, y. White runs are laid both ways, so no seam shows between cells."""
        cells = _cells(family, marker_id)
        step = side / len(cells)
        self.set_fill_color(0)
        self.rect(x, y, side, side, style="F")
        self.set_fill_color(255)
        for r, row in enumerate(cells):
            for start, length in _runs(row):
                self.rect(x + start * step, y + r * step, length * step, step, style="F")
        for c in range(len(cells)):
            for start, length in _runs([row[c] for row in cells]):
                self.rect(x + c * step, y + start * step, step, length * step, style="F")

    def cut_box(self, x: float, y: float, width: float, height: float) -> None:
        self.set_draw_color(GREY)
        self.set_line_width(0.15)
        self.set_dash_pattern(2, 2)
        self.rect(x, y, width, height)
        self.set_dash_pattern()

    def arrow(self, x: float, y: float, size: float) -> None:
        """A small triangle pointing up, its tip at x, y."""
        self.set_fill_color(GREY)
        self.polygon([(x, y), (x + size * 0.7, y + size), (x - size * 0.7, y + size)], style="F")

    def words(self, x: float, y: float, lines: Sequence[str], size_pt: float = 9.0) -> None:
        self.set_font("helvetica", size=size_pt)
        self.set_text_color(60)
        for k, line in enumerate(lines):
            self.set_xy(x, y + k * size_pt * 0.42)
            self.cell(0, size_pt * 0.42, line, new_x=XPos.LEFT, new_y=YPos.NEXT)

    def ruler(self, x: float, y: float, *, upright: bool = False) -> None:
        """A line of 100 mm with centimetre ticks: put a real ruler on it."""
        self.set_draw_color(0)
        self.set_line_width(0.25)

        def stroke(a: tuple[float, float], b: tuple[float, float]) -> None:
            points = [(x + v, y - u) if upright else (x + u, y + v) for u, v in (a, b)]
            self.line(*points[0], *points[1])

        stroke((0, 0), (RULER_MM, 0))
        for mm in range(RULER_MM + 1):
            tick = 4.0 if mm % 50 == 0 else 2.6 if mm % 10 == 0 else 1.2 if mm % 5 == 0 else 0.0
            if tick:
                stroke((mm, 0), (mm, tick))


def _no_scaling() -> Any:
    from fpdf import ViewerPreferences

    return ViewerPreferences(print_scaling="None")


def _runs(row: Sequence[bool]) -> list[tuple[int, int]]:
    """Stretches of true: (start, length)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.asarray(row, dtype=int), [0]])))
    return [(int(a), int(b - a)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


SCALE_WORDS: Final = (
    "Print at 100 % (actual size). This line must",
    "measure 100 mm: lay a ruler on it.",
    "Imprime al 100 % (tamaño real). Esta línea",
    "debe medir 100 mm: ponle una regla.",
)


CUT_WORDS: Final = (
    "Cut along the dashes, lay it flat and",
    "flush into its corner of the table (or",
    "anywhere near it). Arrow away from you.",
    "",
    "Recorta por los guiones y ponla plana,",
    "encajada en su esquina de la mesa (o",
    "cerca de ella). La flecha, lejos de ti.",
)


def _halves(line: str) -> list[str]:
    """A line broken in two at the blank nearest its middle, for narrow columns."""
    blanks = [k for k, letter in enumerate(line) if letter == " "]
    middle = min(blanks, key=lambda k: abs(k - len(line) / 2))
    return [line[:middle], line[middle + 1 :]]


def marker_sheets(paper: str = "a4", ids: Sequence[int] = CORNER_IDS, side_mm: float = SIDE_MM) -> bytes:
    """Corner sheets, two to a page: cut along the dashed line, lay flush into the table's corners or just near."""
    pdf = _Page(paper)
    box = side_mm + 2 * QUIET_MM
    for first in range(0, len(ids), 2):
        pdf.add_page()
        for k, marker_id in enumerate(ids[first : first + 2]):
            x, y = MARGIN_MM, MARGIN_MM + k * (box + 2)
            pdf.cut_box(x, y, box, box)
            pdf.marker(x + QUIET_MM, y + QUIET_MM, side_mm, marker_id)
            pdf.arrow(x + box / 2, y + 1.2, 2.6)
            place = PLACES.get(marker_id, "anywhere flat on the table · en cualquier sitio plano")
            pdf.words(x + 2, y + box - 4.6, [f"Regla {marker_id} · {place} · {side_mm:g} mm"], 8)
            english, spanish = place.split(" · ")
            pdf.words(
                x + box + 4, y + 4, [f"Sheet {marker_id}: {english}", f"Hoja {marker_id}: {spanish}"], 8.5
            )
        pdf.words(MARGIN_MM + box + 4, MARGIN_MM + 18, CUT_WORDS, 8.5)
        pdf.ruler(MARGIN_MM + box + 8, 264.0, upright=True)
        pdf.words(MARGIN_MM + box + 14, 200.0, [part for line in SCALE_WORDS for part in _halves(line)], 8)
    return bytes(pdf.output())


def charuco_sheet(paper: str = "a4", board: CharucoBoard | None = None) -> bytes:
    """The board for the lens; glue it onto something flat and stiff."""
    board = board or CharucoBoard()
    pdf = _Page(paper, landscape=True)
    pdf.add_page()
    width, height = pdf.w, pdf.h
    board_width, board_height = board.columns * board.square_mm, board.rows * board.square_mm
    left, top = (width - board_width) / 2, MARGIN_MM
    if left < MARGIN_MM or top + board_height > height - 20:
        raise ValueError(f"a board of {board_width:g} × {board_height:g} mm does not fit {paper}")
    markers = {
        tuple(np.round(np.asarray(corners)[:, :2].mean(axis=0) / board.square_mm - 0.5).astype(int)): int(i)
        for corners, i in zip(board.board.getObjPoints(), np.ravel(board.board.getIds()), strict=True)
    }
    rim = (board.square_mm - board.marker_mm) / 2
    for row in range(board.rows):
        for column in range(board.columns):
            x, y = left + column * board.square_mm, top + row * board.square_mm
            if (column, row) in markers:
                pdf.marker(x + rim, y + rim, board.marker_mm, markers[column, row], board.family)
            else:
                pdf.set_fill_color(0)
                pdf.rect(x, y, board.square_mm, board.square_mm, style="F")
    pdf.ruler(left, top + board_height + 6)
    pdf.words(left + RULER_MM + 6, top + board_height + 4, SCALE_WORDS[:2], 8)
    pdf.words(left + RULER_MM + 72, top + board_height + 4, SCALE_WORDS[2:], 8)
    pdf.words(
        left,
        top + board_height + 13,
        [
            f"Regla ChArUco {board.columns} × {board.rows}, {board.square_mm:g} mm · keep it flat: glue it onto a "
            "board or a book · mantenla plana: pégala a un tablero o a un libro"
        ],
        8,
    )
    return bytes(pdf.output())


def tag_sheets(paper: str = "a4", ids: Sequence[int] = TAG_IDS, side_mm: float = 16.0) -> bytes:
    """Tags for trays and bases; the arrow is the piece's front."""
    pdf = _Page(paper)
    box_width, box_height = side_mm + 2 * TAG_RIM_MM, side_mm + 2 * TAG_RIM_MM + TAG_HEAD_MM
    foot = 30.0
    columns = int((pdf.w - 2 * MARGIN_MM) // (box_width + 2))
    rows = int((pdf.h - 2 * MARGIN_MM - foot) // (box_height + 2))
    if columns < 1 or rows < 1:
        raise ValueError(f"a tag of {side_mm:g} mm does not fit {paper}")
    per_page = columns * rows
    for first in range(0, len(ids), per_page):
        pdf.add_page()
        for k, tag in enumerate(ids[first : first + per_page]):
            x = MARGIN_MM + (k % columns) * (box_width + 2)
            y = MARGIN_MM + (k // columns) * (box_height + 2)
            pdf.cut_box(x, y, box_width, box_height)
            pdf.marker(x + TAG_RIM_MM, y + TAG_HEAD_MM + TAG_RIM_MM, side_mm, tag)
            pdf.arrow(x + box_width / 2, y + 0.7, 3.2)
            pdf.words(x + 0.8, y + 1.0, [str(tag)], 7)
        pdf.ruler(MARGIN_MM + 4, pdf.h - MARGIN_MM - 18)
        pdf.words(MARGIN_MM + RULER_MM + 10, pdf.h - MARGIN_MM - 26, SCALE_WORDS, 8)
        pdf.words(
            MARGIN_MM + 4,
            pdf.h - MARGIN_MM - 9,
            [
                f"Regla tags, {side_mm:g} mm. The arrow is the piece's front: glue the tag flat on the tray or base.",
                "La flecha es el frente de la pieza: pega la etiqueta plana sobre la bandeja o la peana.",
            ],
            8,
        )
    return bytes(pdf.output())


def check_sheet(paper: str = "a4") -> bytes:
    """The 12 in check bar: from the outer tip of one marker to the outer tip of the other."""
    pdf = _Page(paper)
    pdf.add_page()
    width, height = CHECK_BOX_MM
    left, top = (pdf.w - width) / 2, (pdf.h - height) / 2
    right, bottom = left + width, top + height
    side = CHECK_SIDE_MM
    pdf.marker(left, bottom - side, side, CHECK_IDS[0])
    pdf.marker(right - side, top, side, CHECK_IDS[1])
    tip_a, tip_b = np.array([left, bottom]), np.array([right, top])
    along = (tip_b - tip_a) / CHECK_MM
    across = np.array([-along[1], along[0]])
    pdf.set_draw_color(GREY)
    pdf.set_line_width(0.2)
    for inch in range(13):
        place = tip_a + along * 25.4 * inch
        if _free(place, left, top, right, bottom, side):
            tick = 3.0 if inch % 3 else 5.0
            pdf.line(*(place - across * tick), *(place + across * tick))
    reach = [
        s
        for s in np.linspace(0, 1, 400)
        if _free(tip_a + (tip_b - tip_a) * s, left, top, right, bottom, side)
    ]
    pdf.line(*(tip_a + (tip_b - tip_a) * reach[0]), *(tip_a + (tip_b - tip_a) * reach[-1]))
    pdf.words(
        left,
        top + 4,
        [
            "12 in check bar · barra de control de 12 in",
            "From the outer tip of one square to the outer",
            "tip of the other: 12 in = 304.8 mm exactly.",
            "Lay it flat on the table, then:",
            "regla calibrate check PICTURE",
            "",
            "De la punta exterior de un cuadrado a la del",
            "otro: 12 in = 304,8 mm exactos.",
            "Ponla plana sobre la mesa y después:",
            "regla calibrate check FOTO",
        ],
        9,
    )
    pdf.ruler(right - RULER_MM, bottom - 24)
    pdf.words(right - RULER_MM + 14, bottom - 18, SCALE_WORDS, 8.5)
    return bytes(pdf.output())


def _free(place: Any, left: float, top: float, right: float, bottom: float, side: float) -> bool:
    """Whether a spot lies clear of both markers and their white rim."""
    x, y = place
    rim = side / 6 + 1
    near_a = x < left + side + rim and y > bottom - side - rim
    near_b = x > right - side - rim and y < top + side + rim
    return not (near_a or near_b)


def write_sheet(path: str | Path, content: bytes) -> None:
    Path(path).write_bytes(content)
