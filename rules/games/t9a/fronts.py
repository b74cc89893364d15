"""Units whose outline was seen but not their front: which fronts they may have, and answers that hold for all of them.

The camera then gives `facing: null` and a `turn`: files, ranks and base are stated as if that were the front. Most rules look
only at the outline. Where one asks for the front all the same, it is tried each way, and the answer stands if all agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ...errors import QuestionError, Unknown
from ...messages import Angle, Length, Message, msg, register
from ...scene import Piece, Rect, Scene
from ...verdict import Finding
from .frames import norm_deg
from .numbers import EPS

__all__ = ["FrontUnknown", "agreed", "differ", "each_front", "fronts_of", "told_axis", "turns_rigidly"]

SQUARE_SHARE = 0.2
"""Bases whose sides differ by less may look out over any of the four: the least oblong one of the game is 50 x 75 mm."""

SAME_SHARE = 0.02
"""A block whose sides differ by less looks the same after a quarter turn."""

MOST_OPEN = 2
"""Fronts that are tried together: those of two units make up to sixteen tables. More are left open."""

T = TypeVar("T")


class FrontUnknown(Unknown):
    """A rule asked for the front of a piece, and it is not known."""

    def __init__(self, piece: Piece) -> None:
        super().__init__(msg("facing-unknown", who=piece.label))
        self.piece_id = piece.id


def told_axis(piece: Piece) -> float | None:
    """Which way an outline lies whose front is not known: `turn` from the camera, or a trait `axis:30` by hand."""
    if piece.facing is not None:
        return None
    if piece.turn is not None:
        return piece.turn
    try:
        return float(piece.trait("axis") or "")
    except ValueError:
        return None


def fronts_of(piece: Piece) -> tuple[Piece, ...]:
    """The piece with each front that its outline allows, the one it is stated for first.

    >>> spears = Piece("s", "unit", facing=None, base=Rect(25, 25), files=5, count=10, extra={"turn": 30.0})
    >>> [(p.facing, p.files, p.count) for p in fronts_of(spears)]
    [(30.0, 5, 10), (210.0, 5, 10), (120.0, 2, 10), (300.0, 2, 10)]
    >>> [p.facing for p in fronts_of(Piece("k", base=Rect(25, 50), extra={"turn": 30.0}))]
    [30.0, 210.0]
    """
    axis = told_axis(piece)
    assert axis is not None
    across = _quarter_turned(piece)
    ways = [(0.0, piece), (180.0, piece)] + ([(90.0, across), (270.0, across)] if across else [])
    return tuple(replace(p, facing=norm_deg(axis + turn)) for turn, p in ways)


def turns_rigidly(piece: Piece) -> bool:
    """A square block of oblong bases: a quarter turn leaves the outline, but no base where it was."""
    width, depth, files, ranks = _measures(piece)
    whole = width * files, depth * ranks
    return not _alike(width, depth, SQUARE_SHARE) and _alike(*whole, SAME_SHARE)


def _quarter_turned(piece: Piece) -> Piece | None:
    """The same outline seen from a side: files become ranks. None where no base may stand so."""
    width, depth, files, ranks = _measures(piece)
    if turns_rigidly(piece):
        return piece
    if not _alike(width, depth, SQUARE_SHARE):
        return None
    base = Rect(piece.base.depth, piece.base.width) if isinstance(piece.base, Rect) else piece.base
    if files * ranks == 1:
        return replace(piece, base=base)
    count = piece.count or 1
    if -(-count // ranks) != files:
        # this way the holes cannot be a last rank: models that were not seen stand there
        count = files * ranks
    traits = tuple(t for t in piece.traits if not t.startswith("rear:"))
    return replace(piece, base=base, files=ranks, count=count, traits=traits)


def _measures(piece: Piece) -> tuple[float, float, int, int]:
    """Width and depth of a base, files and ranks."""
    size = (piece.base.width, piece.base.depth) if isinstance(piece.base, Rect) else (1.0, 1.0)
    count = (piece.count or piece.files or 1) if piece.kind == "unit" else 1
    files = min(piece.files or count, count)
    return (*size, files, -(-count // files))


def _alike(one: float, two: float, share: float) -> bool:
    return abs(one - two) <= share * max(one, two)


# --- answers that hold whichever front it is --------------------------------------------------------------------


def each_front(
    run: Callable[[Scene], T], scene: Scene, agree: Callable[[T, T, Piece], T], most: int = MOST_OPEN
) -> T:
    """What `run` finds; where it asks for a front that is not known, for each possible one, if they `agree`."""
    try:
        return run(scene)
    except FrontUnknown as asked:
        piece = scene.find(asked.piece_id)
        if piece is None or told_axis(piece) is None or most == 0:
            raise
    found: T | None = None
    for one in fronts_of(piece):
        known = replace(scene, pieces=tuple(one if p.id == one.id else p for p in scene.pieces))
        try:
            then = each_front(run, known, agree, most - 1)
        except QuestionError:
            if found is None:
                raise
            raise FrontUnknown(piece) from None  # asked for a model that it would not have
        found = then if found is None else agree(found, then, piece)
    assert found is not None
    return found


def agreed(one: Finding, two: Finding, piece: Piece) -> Finding:
    """What two findings have in common, one for each front of the piece; `FrontUnknown` if that is no answer.

    A yes or no that both give stands, without the details in which they differ; anything else must be the same.
    """
    details = ("value", "limit", "band", "arc", "ids", "blockers", "hexes", "at")
    left_out = [name for name in details if _differs(getattr(one, name), getattr(two, name))]
    if one.answer != two.answer or (one.answer is None and left_out):
        raise FrontUnknown(piece)
    nearer = two if _size(two) < _size(one) else one
    whichever = msg("t9a-any-facing", who=piece.label)
    reason = nearer.reason if _same_words([one.reason], [two.reason]) else whichever
    nothing: dict[str, Any] = dict.fromkeys(left_out)
    return replace(
        nearer,
        reason=reason,
        steps=nearer.steps if _same_words(one.steps, two.steps) else (),
        notes=tuple(dict.fromkeys((*nearer.notes, *([whichever] if reason != whichever else ())))),
        depends=None if one.depends is None or two.depends is None else one.depends | two.depends,
        **nothing,
    )


def _size(found: Finding) -> float:
    return float("inf") if found.margin_mm is None else abs(found.margin_mm)


def _differs(one: Any, two: Any) -> bool:
    if isinstance(one, float) and isinstance(two, float):
        return differ(one, two)
    if isinstance(one, tuple) and isinstance(two, tuple):
        if all(isinstance(x, float) for x in (*one, *two)):
            return any(map(differ, one, two))
        return set(one) != set(two)
    return bool(one != two)


def _same_words(one: Sequence[Message], two: Sequence[Message]) -> bool:
    """Whether sentences differ in their measures at most."""
    return [m.key for m in one] == [m.key for m in two] and all(
        x == y or isinstance(x, Length | Angle | float)
        for a, b in zip(one, two, strict=True)
        for (_, x), (_, y) in zip(a.args, b.args, strict=True)
    )


def differ(one: float | None, two: float | None) -> bool:
    return (one is None) != (two is None) or (one is not None and two is not None and abs(one - two) > EPS)


register(
    {
        "t9a-any-facing": {
            "en": "Which way {who} faces is not known; the answer is the same for every way.",
            "es": "No se sabe hacia dónde mira {who}; la respuesta es la misma en todos los casos.",
        },
    }
)
