"""Bases that stand in each other: no rule forbids asking, but the reader should know."""

from __future__ import annotations

import math

from .errors import Unknown
from .footprint import Footprint, of_piece
from .messages import Message, msg
from .scene import Piece, Scene

__all__ = ["overlap_notes"]

SURE_MM = 0.5
"""Overlaps shallower than this are rounding of somebody's coordinates, not a wrong place."""

SIGMAS = 2.0
"""An overlap this many standard deviations deep is real."""


def overlap_notes(scene: Scene, named: tuple[str, ...]) -> list[Message]:
    """A note for each base that overlaps one of the named ones (scene in millimetres)."""
    feet = [(p, foot) for p in scene.pieces if p.kind in ("model", "unit") and (foot := _foot(p)) is not None]
    notes, done = [], set()
    for a, foot in feet:
        if a.id not in named:
            continue
        for b, other in feet:
            pair = frozenset((a.id, b.id))
            if a.id == b.id or pair in done or not _boxes_meet(foot, other):
                continue
            done.add(pair)
            if -foot.gap(other) > SURE_MM + SIGMAS * math.hypot(_error_mm(a), _error_mm(b)):
                notes.append(msg("overlap-flag", a=a.label, b=b.label))
    return notes


def _foot(piece: Piece) -> Footprint | None:
    """None where the piece stands on a hex or a space, or in terrain that stands for it, or is not known enough."""
    if piece.at is None or piece.base is None or piece.has("occupies") or piece.has("joined"):
        return None
    try:
        return of_piece(piece)
    except Unknown:
        return None


def _boxes_meet(a: Footprint, b: Footprint) -> bool:
    return (
        a.bounds[0] < b.bounds[2]
        and b.bounds[0] < a.bounds[2]
        and a.bounds[1] < b.bounds[3]
        and b.bounds[1] < a.bounds[3]
    )


def _error_mm(piece: Piece) -> float:
    return 0.0 if piece.sigma is None else max(piece.sigma.at)
