"""How every dwarf stands to everything else, all at once: steps, what it may shoot at, whom it may fight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...errors import Unknown
from ...game import prepare
from ...pairs import Survey, empty
from ...scene import Piece, Scene
from .fight import may_choose
from .fortress import Fortress, doubts
from .game import GAME

__all__ = ["survey"]


def survey(scene: Scene, viewers: Sequence[str] | None = None) -> Survey:
    """Distances in steps (`unit` is `count`); sight and engagement are a dwarf's, nobody else has any."""
    asked = prepare(GAME, scene, {"query": "arc"}, "friendly")
    doubtful = doubts(asked.scene)
    here = asked.scene
    for doubt in doubtful.values():
        here = here.with_piece(doubt.pieces[0])
    fortress = Fortress(asked.with_scene(here))
    pieces = [p for p in here.pieces if p.kind in ("model", "marker")] or list(here.pieces)
    named = tuple(viewers) if viewers is not None else tuple(p.id for p in pieces)
    out = replace(empty(scene, named, pieces), unit="count")
    for i, viewer in enumerate(named):
        one = here.piece(viewer)
        for j, two in enumerate(pieces):
            if one.id == two.id:
                continue
            mine = doubtful[one.id].pieces if one.id in doubtful else (one,)
            theirs = doubtful[two.id].pieces if two.id in doubtful else (two,)
            _fill(out, i, j, fortress, [(a, b) for a in mine for b in theirs])
    return out


def _fill(out: Survey, i: int, j: int, f: Fortress, pairs: list[tuple[Piece, Piece]]) -> None:
    dwarf = pairs[0][0].has("dwarf")
    try:
        spaces = [(f.space_of(a), f.space_of(b)) for a, b in pairs]
        steps = [0 if a == b else f.graph.steps(a, b) for a, b in spaces]
        chosen = [may_choose(f, a, b, two)[0] for (a, b), (_, two) in zip(spaces, pairs, strict=True)]
    except Unknown:
        out.band[i, j] = "unknown"
        out.sees[i, j] = out.engaged[i, j] = "unknown" if dwarf else None
        return
    counts = [n for n in steps if n is not None]
    if steps[0] is not None:
        out.distance_mm[i, j] = steps[0]
        out.distance_sigma_mm[i, j] = np.ptp(counts) / 2
    out.band[i, j] = "too-close" if len(set(steps)) > 1 else None
    if dwarf:
        out.sees[i, j] = _word(chosen)
        two = pairs[0][1]
        hurts = two.has("orc") or two.has("troll") or (two.has("goblin") and two.has("hostile"))
        out.engaged[i, j] = _word([hurts and a == b and a in f.graph for a, b in spaces])


def _word(holds: list[bool]) -> str:
    return "too-close" if len(set(holds)) > 1 else "yes" if holds[0] else "no"
