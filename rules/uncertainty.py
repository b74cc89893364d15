"""From an exact finding to an honest one: how far could the pieces really stand from where they were seen?

Each piece with an error bar is moved along x, along y and in facing, both ways, to the ends of its own 95 % band,
and the rule is asked again. The changes of the margin, added in squares, are its standard deviation; the same for
the value. Two things that a slope cannot tell are looked for as well: a result that flips at one of those places
(a figure that steps off a hill), and one that flips when all pieces move at once, in a dozen draws from a fixed
seed. A rule that has a closed form gives its own `sigma_mm`.

A result inside its 95 % band is too close to call. Where the answer is sure but its band (of range) is not,
the answer stands and the band is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from .errors import Unknown
from .messages import msg, register
from .scene import Frozen, Piece, Scene
from .verdict import BAND95, Answer, Finding

__all__ = ["Judged", "judge"]

DRAWS = 12
"""Scenes drawn from the error bars: a flip with a chance of a fifth is seen 14 times out of 15."""

SEED = 20260714
"""Any fixed number: the same scene gets the same verdict."""

Run = Callable[[Scene], Finding]


@dataclass(frozen=True)
class Judged:
    """A finding with its error bars: of the margin (mm) and of the value (mm, degrees or a count)."""

    finding: Finding
    sigma_mm: float | None
    value_sigma: float | None
    too_close: bool


@dataclass(frozen=True)
class _Axis:
    """One thing that is uncertain about one piece: 0 and 1 are x and y, 2 the facing (or the turn of its outline)."""

    piece: str
    what: int
    sigma: float


def judge(run: Run, scene: Scene) -> Judged:
    """Ask on the scene as seen (in mm), then on the scenes around it."""
    finding = run(scene)
    axes = [
        axis
        for piece in scene.pieces
        if finding.depends is None or piece.id in finding.depends
        for axis in _axes(piece)
    ]
    if not axes or finding.answer is Answer.UNKNOWN:
        return Judged(finding, None, None, False)
    around = [(_try(run, scene, [(a, -BAND95)]), _try(run, scene, [(a, BAND95)])) for a in axes]
    sigma = finding.sigma_mm
    if sigma is None:
        sigma = math.hypot(*(_worst(finding, below, above) for below, above in around)) / BAND95
    slopes = [_slope(finding, below, above) / BAND95 for below, above in around]
    value_sigma = math.hypot(*slopes) if finding.value is not None and finding.kind != "count" else None
    others = [side for pair in around for side in pair]
    close = finding.margin_mm is not None and abs(finding.margin_mm) <= BAND95 * sigma
    if not close:
        others += _drawn(run, scene, axes)
        close = any(_flips(finding, other) for other in others)
    if close:
        return Judged(finding, None if finding.margin_mm is None else sigma, value_sigma, True)
    if finding.answer is not None and finding.band is not None:
        others += _steepest(run, scene, axes, slopes)
        finding = _without_doubtful_band(finding, others)
    return Judged(finding, None if finding.margin_mm is None else sigma, value_sigma, False)


def _axes(piece: Piece) -> Iterator[_Axis]:
    if piece.sigma is None:
        return
    if piece.at is not None:
        for what in (0, 1):
            if piece.sigma.at[what] > 0:
                yield _Axis(piece.id, what, piece.sigma.at[what])
    if piece.sigma.facing > 0 and piece.turn is not None:
        yield _Axis(piece.id, 2, piece.sigma.facing)


def _moved(scene: Scene, moves: list[tuple[_Axis, float]]) -> Scene:
    """The scene with things moved by so many standard deviations each."""
    by: dict[str, list[float]] = {}
    for axis, k in moves:
        by.setdefault(axis.piece, [0.0, 0.0, 0.0])[axis.what] += k * axis.sigma
    pieces = []
    for piece in scene.pieces:
        step = by.get(piece.id)
        if step is not None:
            if piece.at is not None:
                piece = replace(piece, at=(piece.at[0] + step[0], piece.at[1] + step[1]))
            if piece.facing is not None:
                piece = replace(piece, facing=piece.facing + step[2])
            elif piece.turn is not None:
                piece = replace(piece, extra=Frozen({**piece.extra, "turn": piece.turn + step[2]}))
        pieces.append(piece)
    return replace(scene, pieces=tuple(pieces))


def _try(run: Run, scene: Scene, moves: list[tuple[_Axis, float]]) -> Finding | None:
    """The finding on a moved scene; None where the rule cannot tell there."""
    try:
        return run(_moved(scene, moves))
    except Unknown:
        return None


def _drawn(run: Run, scene: Scene, axes: list[_Axis]) -> list[Finding | None]:
    draws = np.random.default_rng(SEED).standard_normal((DRAWS, len(axes)))
    return [_try(run, scene, list(zip(axes, map(float, draw), strict=True))) for draw in draws]


def _steepest(run: Run, scene: Scene, axes: list[_Axis], slopes: list[float]) -> list[Finding | None]:
    """Both ends of the 95 % band of the value: all pieces moved together the way that changes it most."""
    size = math.hypot(*slopes)
    if size == 0:
        return []
    ways = [slope / size * BAND95 for slope in slopes]
    return [
        _try(run, scene, [(a, sign * w) for a, w in zip(axes, ways, strict=True)]) for sign in (-1.0, 1.0)
    ]


def _flips(finding: Finding, other: Finding | None) -> bool:
    """Whether a reader would call the other result another one."""
    if other is None:
        return True
    if finding.answer is not None:
        return other.answer != finding.answer or (
            finding.margin_mm is None and other.said() != finding.said()
        )
    return other.said() != finding.said()


def _without_doubtful_band(finding: Finding, others: list[Finding | None]) -> Finding:
    bands = {o.band for o in others if o is not None and o.band is not None} | {finding.band}
    if len(bands) == 1:
        return finding
    named = sorted(str(b) for b in bands)
    return replace(finding, band=None, notes=(*finding.notes, msg("band-too-close", bands=named)))


def _worst(here: Finding, below: Finding | None, above: Finding | None) -> float:
    """The larger change: a kink (another blocker takes over) must not make the band too narrow."""
    if here.margin_mm is None:
        return 0.0
    sides = [o.margin_mm for o in (below, above) if o is not None and o.margin_mm is not None]
    return max((abs(m - here.margin_mm) for m in sides if math.isfinite(m - here.margin_mm)), default=0.0)


def _slope(here: Finding, below: Finding | None, above: Finding | None) -> float:
    """The change of the value, both ways in squares: the same as a slope, and still right at a kink."""
    if here.value is None or below is None or above is None or below.value is None or above.value is None:
        return 0.0
    up, down = above.value - here.value, below.value - here.value
    if here.kind == "angle":
        up, down = math.remainder(up, 360.0), math.remainder(down, 360.0)
    size = math.sqrt((up * up + down * down) / 2)
    return math.copysign(size, up - down) if math.isfinite(size) else 0.0


register(
    {
        "band-too-close": {
            "en": "Which range band it is, is too close to call: {bands}.",
            "es": "Qué banda de alcance es, queda demasiado justo: {bands}.",
        },
    }
)
