"""How every fighter stands to every other, all at once: for the overlay and for the piece that is pointed at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...game import prepare
from ...hexes import Hex
from ...pairs import Survey, empty
from ...scene import Piece, Scene
from .battlefield import Ground, doubts, ground, marked
from .game import GAME

__all__ = ["survey"]


def survey(scene: Scene, viewers: Sequence[str] | None = None) -> Survey:
    """Distances in hexes (`unit` is `count`), sight and engagement; too-close where a border leaves it open."""
    asked = prepare(GAME, scene, {"query": "legal-state"}, "friendly")
    board = asked.scene.board
    layout = board.layout if board else None
    size_mm = (layout.across_flats if layout else None) or asked.param("across_flats")
    here = marked(asked.scene, size_mm)
    doubtful = doubts(here, size_mm, 2 * asked.param("locate_tol"))
    pieces = [p for p in here.pieces if p.kind == "model"] or list(here.pieces)
    named = tuple(viewers) if viewers is not None else tuple(p.id for p in pieces)
    out = replace(empty(scene, named, pieces), unit="count")
    places = {
        p.id: tuple(d.hex for d in doubtful[p.id].pieces if d.hex is not None)
        if p.id in doubtful
        else (p.hex,)
        if p.hex is not None
        else ()
        for p in here.pieces
    }
    land = ground(here.board)
    for i, viewer in enumerate(named):
        one = here.piece(viewer)
        for j, two in enumerate(pieces):
            if one.id != two.id:
                _fill(out, i, j, one, two, places[one.id], places[two.id], land)
    return out


def _fill(
    out: Survey,
    i: int,
    j: int,
    one: Piece,
    two: Piece,
    here: tuple[Hex, ...],
    there: tuple[Hex, ...],
    land: Ground,
) -> None:
    out.arc[i, j] = "all"
    if not here or not there or not land.field.hexes:
        out.band[i, j] = out.sees[i, j] = out.engaged[i, j] = "unknown"
        return
    pairs = [(a, b) for a in here for b in there]
    steps = [land.distance(a, b) for a, b in pairs]
    counts = [n for n in steps if n is not None]
    if steps[0] is not None:
        out.distance_mm[i, j] = steps[0]
        out.distance_sigma_mm[i, j] = np.ptp(counts) / 2
    out.band[i, j] = "too-close" if len(set(steps)) > 1 else None
    out.sees[i, j] = _word([land.sees(a, b) for a, b in pairs])
    beside = _word([n == 1 for n in steps])
    if one.kind != "model" or two.kind != "model":
        out.engaged[i, j] = "no"
    elif one.side is None or two.side is None:
        out.engaged[i, j] = "no" if beside == "no" else "unknown"
    else:
        out.engaged[i, j] = beside if one.side != two.side else "no"


def _word(holds: list[bool]) -> str:
    return "too-close" if len(set(holds)) > 1 else "yes" if holds[0] else "no"
