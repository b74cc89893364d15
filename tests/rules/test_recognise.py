"""Boards made out from a part of their hexes."""

from __future__ import annotations

import math
import random

import pytest
from regla.rules.games.underworlds import FACES, board_hexes
from regla.rules.games.underworlds.faces import rectangle_mm
from regla.rules.games.underworlds.recognise import layout_of, recognise
from regla.rules.hexes import SYMMETRIES, Lattice, turn
from regla.rules.scene import BoardHex, Tile

FACE_NAMES = sorted(FACES)


def two_boards(rng: random.Random) -> tuple[Tile, Tile]:
    origin = rng.choice([(k - 3, 6) for k in range(-3, 4)] + [(8, 0)])
    one, two = rng.sample(FACE_NAMES, 2)
    return Tile("1", (0, 0), None, rng.choice((0, 180)), one), Tile(
        "2", origin, None, rng.choice((0, 180)), two
    )


@pytest.mark.parametrize("seed", range(24))
def test_two_boards_with_a_third_of_their_hexes_hidden(seed: int) -> None:
    rng = random.Random(seed)
    tiles = two_boards(rng)
    whole = board_hexes(tiles)
    by = SYMMETRIES[seed % 6]
    shift = (rng.randint(-5, 5), rng.randint(-5, 5))

    def moved(h: BoardHex) -> BoardHex:
        q, r = turn(h.hex, by)
        return BoardHex((q + shift[0], r + shift[1]), h.type, h.territory, h.start)

    hidden = set(rng.sample(range(len(whole)), len(whole) // 3))
    seen = [moved(h) for i, h in enumerate(whole) if i not in hidden]
    found = recognise(seen)
    assert found is not None
    assert {(h.hex, h.type, h.start) for h in found.hexes} == {
        (m.hex, m.type, m.start) for m in map(moved, whole)
    }
    assert math.isclose(found.share, len(seen) / len(whole))
    assert {t.face for t in found.tiles} == {t.face for t in tiles}


def test_a_few_hexes_seen_where_none_are_and_a_few_misread_do_not_mislead() -> None:
    rng = random.Random(3)
    whole = board_hexes(two_boards(rng))
    seen = [h for i, h in enumerate(whole) if i % 4]
    seen[5] = BoardHex(seen[5].hex, "blocked")
    seen += [BoardHex((30, -4)), BoardHex((-11, 9))]
    found = recognise(seen)
    assert found is not None
    assert {(h.hex, h.type, h.start) for h in found.hexes} == {(h.hex, h.type, h.start) for h in whole}


def test_one_board_alone_and_too_little_to_tell() -> None:
    whole = board_hexes((Tile("1", (2, 1), None, 0, "soul-refractor"),))
    found = recognise(whole[::2])
    assert found is not None and [t.origin for t in found.tiles] == [(2, 1)]
    assert recognise(whole[:3]) is None
    assert recognise(()) is None


def test_plain_hexes_keep_what_they_were_seen_as() -> None:
    """A board of another box: no face fits, so the blocked hex stays where it was seen."""
    seen = [
        BoardHex(h.hex, "blocked" if h.hex == (3, 2) else "normal") for h in board_hexes((Tile("1", (0, 0)),))
    ]
    found = recognise(seen)
    assert found is not None and found.tiles[0].face is None
    assert [h.hex for h in found.hexes if h.type == "blocked"] == [(3, 2)]


@pytest.mark.parametrize("rotation", [0.0, 30.0, -95.0, 180.0])
def test_a_boards_outline_tells_where_its_hexes_lie(rotation: float) -> None:
    lattice = Lattice(51.3, (400, 300), "pointy", rotation)
    wide, deep = rectangle_mm(51.3)
    turned = math.radians(rotation)

    def corner(x: float, y: float) -> tuple[float, float]:
        x, y = x - 51.3 / 2, y - math.sqrt(3) / 2 * 51.3
        return 400 + x * math.cos(turned) - y * math.sin(turned), 300 + x * math.sin(turned) + y * math.cos(
            turned
        )

    layout, orientation = layout_of([corner(0, 0), corner(wide, 0), corner(wide, deep), corner(0, deep)])
    assert orientation == "pointy" and layout.origin is not None and layout.across_flats is not None
    found = Lattice(layout.across_flats, layout.origin, orientation, layout.rotation)
    assert all(math.dist(found.centre(h), lattice.centre(h)) < 1e-6 for h in ((0, 0), (7, 0), (-2, 4)))
