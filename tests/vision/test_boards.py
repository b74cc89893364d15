"""A printed board of which a part is hidden: all its hexes are there, and they are called what the sheet calls them."""

from __future__ import annotations

import numpy as np
import pytest
from regla.rules.games.underworlds import board_hexes
from regla.rules.hexes import Lattice
from regla.rules.scene import Circle, Tile
from regla.vision.boards import lay_boards
from regla.vision.found import Found, Thing

COV = np.eye(2) * 0.25
TILES = (Tile("1", (0, 0), None, 0, "shattered-tower"), Tile("2", (-5, 6), None, 180, "soul-refractor"))
CLASSES = {(True, "normal"): "hex-start", (False, "blocked"): "hex-blocked", (False, "normal"): "hex"}


@pytest.mark.parametrize("rotation", [0.0, 3.0, -12.0])
def test_hexes_under_bases_are_filled_in_and_named(rotation: float) -> None:
    lattice = Lattice(52, (300, 150), "pointy", rotation)
    whole = board_hexes(TILES)
    stands = {(0, 0): "near-left corner", (4, 2): "elsewhere", (-1, 7): "far board"}
    rng = np.random.default_rng(1)
    hidden = {*stands, *(h.hex for h in whole if rng.random() < 0.2)}
    found = [
        Found(
            CLASSES[h.start, h.type],
            "hex",
            np.array(lattice.centre(h.hex)) + rng.normal(0, 0.4, 2),
            COV,
            (52.0,),
            0.2,
        )
        for h in whole
        if h.hex not in hidden
    ]
    things = [
        Thing("model", np.array(lattice.centre(h)) + rng.uniform(-6, 6, 2), COV, Circle(32), ())
        for h in stands
    ]
    placed, board = lay_boards(things, found, "underworlds", {}, None)
    assert board is not None
    assert {(h.hex, h.type, h.start) for h in board.hexes} == {(h.hex, h.type, h.start) for h in whole}
    assert [thing.hex for thing in placed] == list(stands)
    assert [(t.origin, t.rotate, t.face) for t in board.tiles] == [
        (t.origin, t.rotate, t.face) for t in TILES
    ]
    assert (
        board.layout is not None and board.layout.origin is not None and board.layout.across_flats is not None
    )
    seen = Lattice(board.layout.across_flats, board.layout.origin, board.orientation, board.layout.rotation)
    assert all(np.hypot(*np.subtract(seen.centre(h.hex), lattice.centre(h.hex))) < 1.0 for h in whole)


def test_too_few_hexes_leave_the_pieces_where_they_are() -> None:
    things = [Thing("model", np.array([300.0, 150.0]), COV, Circle(32), ())]
    placed, board = lay_boards(things, [], "underworlds", {}, None)
    assert board is None and placed[0].hex is None
