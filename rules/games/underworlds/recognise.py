"""From the hexes a camera made out to the boards that lie there: hexes under figures are filled in.

A base covers its hex, glare hides others. But boards are printed: every board is the same template of 38 hexes
and two of them meet along their edges, so a part of the hexes tells where both boards lie, and the starting and
blocked ones tell which faces are up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ...hexes import SYMMETRIES, Hex, Orientation, Symmetry, turn
from ...scene import BoardHex, Layout, Point, Tile
from .faces import FACES, board_hexes, join, rectangle_mm, template

__all__ = ["Recognised", "layout_of", "recognise"]

CANDIDATES = 24
"""Places of a board that are tried with each other; the true two are always among the first few."""

LEAST_SHARE = 0.4
"""Of the hexes of the boards found, how many must have been seen: fewer could be two other boards."""

_TURNS: tuple[Symmetry, ...] = SYMMETRIES[:3]
"""A template turned by 180° is itself: three turns are all there are."""


@dataclass(frozen=True)
class Recognised:
    """The boards, near-left one first, and all their complete hexes as the camera numbers them.

    `tiles` hold in the numbering of `turned`, which takes a hex of theirs to one of `hexes`.
    """

    tiles: tuple[Tile, ...]
    hexes: tuple[BoardHex, ...]
    turned: Symmetry
    share: float
    """How many of these hexes were seen."""


def recognise(seen: Iterable[BoardHex]) -> Recognised | None:
    """The one or two boards that explain the hexes best; None where too few were seen to be sure.

    >>> whole = board_hexes((Tile("1", (0, 0)), Tile("2", (-4, 6), None, 180, "shattered-tower")))
    >>> found = recognise(whole[::2])
    >>> [(tile.origin, tile.face) for tile in found.tiles], len(found.hexes) == len(whole)
    ([((0, 0), None), ((-4, 6), 'shattered-tower')], True)
    """
    kinds = {h.hex: "start" if h.start else h.type for h in seen if h.type != "incomplete"}
    best: tuple[float, tuple[Hex, ...], Symmetry] | None = None
    for by in _TURNS:
        there = {turn(h, _back(by)) for h in kinds}
        score, origins = _origins(there)
        if best is None or score > best[0]:
            best = (score, origins, by)
    if best is None or not best[1]:
        return None
    _, origins, by = best
    here = {turn(h, _back(by)): kind for h, kind in kinds.items()}
    tiles = tuple(_tile(str(i + 1), origin, here) for i, origin in enumerate(sorted(origins, key=_near_left)))
    whole = board_hexes(tiles)
    faced = {h.hex for tile in tiles if tile.face for h in board_hexes((tile,))}
    share = sum(h.hex in here for h in whole) / len(whole)
    if share < LEAST_SHARE:
        return None
    return Recognised(tiles, tuple(_seen_as(h, h.hex in faced, here, by) for h in whole), by, share)


def _origins(seen: Collection[Hex]) -> tuple[float, tuple[Hex, ...]]:
    """Where one board or two lie, and how well that explains what was seen."""
    votes = Counter((h[0] - t[0], h[1] - t[1]) for h in seen for t in template())
    places = [origin for origin, _ in votes.most_common(CANDIDATES)]
    best: tuple[float, tuple[Hex, ...]] = (-math.inf, ())
    for i, one in enumerate(places):
        tries: list[tuple[Hex, ...]] = [(one,)]
        tries += [(one, two) for two in places[:i] if join(Tile("1", one), Tile("2", two)).legal]
        for origins in tries:
            score = _score(seen, origins)
            if score > best[0]:
                best = (score, origins)
    return best


def _score(seen: Collection[Hex], origins: Sequence[Hex]) -> float:
    """A hex that was seen where none can be weighs more than one that was not seen."""
    whole = {h.hex for h in board_hexes(tuple(Tile(str(i), origin) for i, origin in enumerate(origins)))}
    right = sum(h in whole for h in seen)
    return right - 2.0 * (len(seen) - right) - 0.5 * (len(whole) - right)


def _tile(name: str, origin: Hex, kinds: Mapping[Hex, str]) -> Tile:
    """The board there with the face that the starting and blocked hexes show; no face where two fit alike."""
    scores = sorted(
        ((_face_score(Tile(name, origin, None, rotate, face), kinds), face, rotate) for face in FACES for rotate in (0, 180)),
        reverse=True,
    )  # fmt: skip
    (first, face, rotate), (second, *_) = scores[0], scores[1]
    if first <= 0 or first == second:
        return Tile(name, origin)
    return Tile(name, origin, None, 180 if rotate == 180 else 0, face)


def _face_score(tile: Tile, kinds: Mapping[Hex, str]) -> int:
    score = 0
    for h in board_hexes((tile,)):
        printed = "start" if h.start else h.type
        kind = kinds.get(h.hex, printed if printed == "normal" else None)
        if printed != "normal" or kind != "normal":
            score += 0 if kind is None else 1 if kind == printed else -1
    return score


def _seen_as(h: BoardHex, faced: bool, kinds: Mapping[Hex, str], by: Symmetry) -> BoardHex:
    """The hex in the camera's numbering; where no face says what it is, it is what it was seen as."""
    if faced:
        return BoardHex(turn(h.hex, by), h.type, h.territory, h.start)
    kind = kinds.get(h.hex, "normal")
    return BoardHex(turn(h.hex, by), "normal" if kind == "start" else kind, h.territory, kind == "start")


@cache
def _back(by: Symmetry) -> Symmetry:
    """The symmetry that undoes this one."""
    return next(
        s for s in SYMMETRIES if turn(turn((1, 0), by), s) == (1, 0) and turn(turn((0, 1), by), s) == (0, 1)
    )


def _near_left(origin: Hex) -> tuple[int, int]:
    return origin[1], origin[0]


def layout_of(corners_mm: Sequence[Point]) -> tuple[Layout, Orientation]:
    """Where the hexes lie, from the four corners of one board's outline, counter-clockwise from its near-left one
    along its near long edge.

    >>> layout, orientation = layout_of([(100, 50), (516, 50), (516, 320.2), (100, 320.2)])
    >>> round(layout.across_flats, 2), [round(x, 1) for x in layout.origin], orientation
    (52.0, [126.0, 95.0], 'pointy')
    """
    a, b, c, d = corners_mm
    long_mm = (math.dist(a, b) + math.dist(d, c)) / 2
    short_mm = (math.dist(a, d) + math.dist(b, c)) / 2
    wide, deep = rectangle_mm(1.0)
    # Both sides measure the same hex; each counts by its length, as least squares would have it.
    across_mm = (long_mm * wide + short_mm * deep) / (wide * wide + deep * deep)
    angle = math.atan2(b[1] - a[1] + c[1] - d[1], b[0] - a[0] + c[0] - d[0])
    centre = (sum(p[0] for p in corners_mm) / 4, sum(p[1] for p in corners_mm) / 4)
    # From the middle of the board to the centre of its hex (0, 0): 3.5 hexes left, two rows down.
    x, y = -3.5 * across_mm, -2 * math.sqrt(3) / 2 * across_mm
    origin = (
        centre[0] + x * math.cos(angle) - y * math.sin(angle),
        centre[1] + x * math.sin(angle) + y * math.cos(angle),
    )
    return Layout(across_mm, origin, math.degrees(angle)), "pointy"
