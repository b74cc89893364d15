"""The printed boards: the template of every board, the four faces of this box, and what two joined boards make.

Positions of the faces are facts of the components, looked up as (column, row) with row 0 the far row of the
picture (the sheet, section 2); a reprint may differ, so a scene's own `hexes` always win.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations

from ...hexes import Hex
from ...messages import Text
from ...scene import BoardHex, Tile

__all__ = ["FACES", "ROWS", "Face", "Joint", "board_hexes", "join", "rectangle_mm", "template"]

ROWS = 5
"""Rows of complete hexes; the even ones have eight, the odd ones seven."""

LONG_LEAST, SHORT_LEAST = 4, 2
"""Hexes that joined boards must complete, along long and along short edges (UW-SET-1)."""

Places = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Face:
    """One side of a board: which hexes carry the starting icon, and which the thick white border."""

    title: Text
    start: Places
    blocked: Places


FACES: Mapping[str, Face] = {
    "katophranes-reliquary": Face(
        {"en": "Katophrane's Reliquary", "es": "Sepulcro Katophrane"},
        ((4, 0), (2, 1), (4, 1), (6, 1), (0, 3), (6, 3), (3, 4)),
        (),
    ),
    "shattered-tower": Face(
        {"en": "The Shattered Tower", "es": "Torre Destruida"},
        ((1, 1), (3, 1), (5, 2), (0, 3), (1, 3), (4, 4), (6, 4)),
        ((6, 2), (3, 3), (5, 3)),
    ),
    "soul-refractor": Face(
        {"en": "Soul Refractor", "es": "Refractor del Alma"},
        ((0, 0), (6, 0), (2, 1), (2, 2), (5, 2), (6, 3), (3, 4)),
        ((3, 1), (2, 3), (4, 3)),
    ),
    "cursed-oubliette": Face(
        {"en": "The Cursed Oubliette", "es": "Mazmorra Maldita"},
        ((0, 0), (4, 1), (2, 2), (3, 2), (6, 2), (4, 4), (7, 4)),
        (),
    ),
}


def width(row: int) -> int:
    """Complete hexes in a row."""
    return 8 if row % 2 == 0 else 7


def at(column: int, row: int) -> Hex:
    """A place of the template in axial coordinates; row 0 is the near row."""
    return column - row // 2, row


@cache
def template() -> tuple[Hex, ...]:
    """The complete hexes of one board whose near-left one is (0, 0).

    >>> len(template())
    38
    """
    return tuple(at(column, row) for row in range(ROWS) for column in range(width(row)))


def _halves() -> Iterator[tuple[Hex, str]]:
    """The half hexes at the edges, and which half of each lies on the board."""
    for column in range(7):
        yield at(column, -1), "far"
        yield at(column, ROWS), "near"
    for row in (1, 3):
        yield at(-1, row), "right"
        yield at(7, row), "left"


_OTHER = {"far": "near", "near": "far", "left": "right", "right": "left"}


def shifted(h: Hex, by: Hex) -> Hex:
    return h[0] + by[0], h[1] + by[1]


def _whole(at: tuple[float, float]) -> Hex | None:
    """A place as a hex; None between hexes."""
    q, r = round(at[0]), round(at[1])
    return (q, r) if (q, r) == at else None


@dataclass(frozen=True)
class Joint:
    """How two boards meet: along which edges, on top of each other or apart, and the hexes they complete."""

    edges: str
    """`long`, `short`, `apart` or `overlap`."""
    completed: tuple[Hex, ...]

    @property
    def least(self) -> int:
        return LONG_LEAST if self.edges == "long" else SHORT_LEAST

    @property
    def legal(self) -> bool:
        return self.edges in ("long", "short") and len(self.completed) >= self.least


def join(one: Tile, two: Tile) -> Joint:
    """UW-SET-1. Turning a board by 180° leaves its template as it is, so `rotate` does not matter.

    >>> join(Tile("a", (0, 0)), Tile("b", (0, 6))).completed
    ((1, 5), (2, 5), (3, 5), (4, 5))
    """
    # In half hexes across and rows up, a board is 16 by 6.
    across = abs((2 * two.origin[0] + two.origin[1]) - (2 * one.origin[0] + one.origin[1]))
    up = abs(two.origin[1] - one.origin[1])
    if across < 16 and up < 6:
        return Joint("overlap", ())
    # Measured from the first board, so that only a slide by a part of a hex leaves the halves unmatched.
    step = _whole((two.origin[0] - one.origin[0], two.origin[1] - one.origin[1]))
    base = _whole(one.origin)
    done: list[Hex] = []
    if step is not None and base is not None:
        mine = dict(_halves())
        theirs = {shifted(h, step): half for h, half in _halves()}
        met = [shifted(h, base) for h, half in mine.items() if theirs.get(h) == _OTHER[half]]
        done = sorted(met, key=lambda h: (h[1], h[0]))
    edges = "long" if up == 6 and across < 16 else "short" if across == 16 and up < 6 else "apart"
    return Joint(edges, tuple(done))


@lru_cache(maxsize=256)
def board_hexes(tiles: tuple[Tile, ...]) -> tuple[BoardHex, ...]:
    """The complete hexes of boards as they lie, with what their faces print and whose territory they are
    (UW-HEX-2, UW-SET-2); hexes completed by joining are no one's.

    >>> hexes = board_hexes((Tile("a", (0, 0), "A"), Tile("b", (-3, 6), "B", 180, "shattered-tower")))
    >>> len(hexes), sum(h.start for h in hexes), sorted(h.hex for h in hexes if h.type == "blocked")
    (83, 7, [(-3, 8), (-3, 9), (-1, 9)])
    """
    out: dict[Hex, BoardHex] = {}
    for tile in tiles:
        origin = _whole(tile.origin)
        if origin is None:
            continue  # slid by a part of a hex: not on this lattice
        face = FACES.get(tile.face or "")
        start = {_printed(p, tile.rotate) for p in face.start} if face else set()
        blocked = {_printed(p, tile.rotate) for p in face.blocked} if face else set()
        for h in template():
            place = shifted(h, origin)
            out[place] = BoardHex(place, "blocked" if h in blocked else "normal", tile.side, h in start)
    for one, two in combinations(tiles, 2):
        for place in join(one, two).completed:
            out.setdefault(place, BoardHex(place))
    return tuple(out.values())


def _printed(place: tuple[int, int], rotate: int) -> Hex:
    """From (column, row) of the picture, far row first, to the template as the board lies."""
    column, row = place
    if rotate == 180:
        return at(width(row) - 1 - column, row)
    return at(column, ROWS - 1 - row)


def rectangle_mm(across_flats_mm: float) -> tuple[float, float]:
    """The size of one board.

    >>> tuple(round(side) for side in rectangle_mm(52))
    (416, 270)
    """
    return 8 * across_flats_mm, 6 * 3**0.5 / 2 * across_flats_mm
