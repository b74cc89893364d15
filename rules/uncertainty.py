"""From an exact finding to an honest one: how far could the pieces really stand from where they were seen?

Each piece with an error bar is moved by one standard deviation along x, along y and in facing, both ways, and
the rule is asked again. The changes of the margin, added in squares, are its standard deviation; the same
for the value. It is exact where the rule is smooth and needs no closed form; a rule that has one gives its
own `sigma_mm`. A result with no margin (a set of ids, a count) is too close when two standard deviations of
any one piece change it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from .errors import Unknown
from .scene import Piece, Scene
from .verdict import BAND95, Answer, Finding

__all__ = ["Judged", "judge"]


@dataclass(frozen=True)
class Judged:
    """A finding with its error bars: of the margin (mm) and of the value (mm, degrees or a count)."""

    finding: Finding
    sigma_mm: float | None
    value_sigma: float | None
    too_close: bool


def judge(run: Callable[[Scene], Finding], scene: Scene) -> Judged:
    """Ask on the scene as seen (in mm), then on the scenes around it."""
    finding = run(scene)
    pieces = [
        p for p in scene.pieces if _uncertain(p) and (finding.depends is None or p.id in finding.depends)
    ]
    if not pieces or finding.answer is Answer.UNKNOWN:
        return Judged(finding, None, None, False)
    margin_var = value_var = 0.0
    flips = False
    for piece in pieces:
        for low, high in _moves(piece, 1.0):
            below, above = _try(run, scene, low), _try(run, scene, high)
            if below is None or above is None:
                flips = True
                continue
            margin_var += _worst(finding.margin_mm, below.margin_mm, above.margin_mm) ** 2
            value_var += _central(below.value, above.value) ** 2
        if finding.margin_mm is None:
            flips = flips or _flips(run, scene, piece, finding)
    sigma = finding.sigma_mm if finding.sigma_mm is not None else math.sqrt(margin_var)
    value_sigma = math.sqrt(value_var) if finding.value is not None and finding.kind != "count" else None
    if finding.margin_mm is None:
        return Judged(finding, None, value_sigma, flips)
    return Judged(finding, sigma, value_sigma, abs(finding.margin_mm) <= BAND95 * sigma)


def _uncertain(piece: Piece) -> bool:
    sigma = piece.sigma
    return sigma is not None and (sigma.at[0] > 0 or sigma.at[1] > 0 or sigma.facing > 0)


def _moves(piece: Piece, k: float) -> Iterator[tuple[Piece, Piece]]:
    """The piece moved both ways by `k` standard deviations of each thing that is uncertain about it."""
    assert piece.sigma is not None
    if piece.at is not None:
        x, y = piece.at
        sx, sy = (k * s for s in piece.sigma.at)
        if sx > 0:
            yield replace(piece, at=(x - sx, y)), replace(piece, at=(x + sx, y))
        if sy > 0:
            yield replace(piece, at=(x, y - sy)), replace(piece, at=(x, y + sy))
    turn = k * piece.sigma.facing
    if turn > 0 and piece.facing is not None:
        yield replace(piece, facing=piece.facing - turn), replace(piece, facing=piece.facing + turn)


def _try(run: Callable[[Scene], Finding], scene: Scene, piece: Piece) -> Finding | None:
    try:
        return run(scene.with_piece(piece))
    except Unknown:
        return None


def _flips(run: Callable[[Scene], Finding], scene: Scene, piece: Piece, finding: Finding) -> bool:
    for pair in _moves(piece, BAND95):
        for moved in pair:
            other = _try(run, scene, moved)
            if other is None or other.said() != finding.said():
                return True
    return False


def _worst(here: float | None, below: float | None, above: float | None) -> float:
    """The larger change: a kink (another blocker takes over) must not make the band too narrow."""
    if here is None:
        return 0.0
    changes = [abs(m - here) for m in (below, above) if m is not None and math.isfinite(m - here)]
    return max(changes, default=0.0)


def _central(below: float | None, above: float | None) -> float:
    if below is None or above is None or not math.isfinite(above - below):
        return 0.0
    return (above - below) / 2
