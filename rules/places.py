"""A piece seen near a border has more than one possible place: ask for each, and say whose place decides.

Where a board has hexes or named spaces, error bars in millimetres matter only through the question "which
one?". So a rule is asked once for every combination of possible places; when all agree the doubt does not
matter, and when they do not the answer is too close, naming the pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import islice, product

from .errors import QuestionError, Unknown
from .messages import Message, msg, register
from .scene import Piece, Scene
from .verdict import Answer, Finding

__all__ = ["Doubt", "settle"]

MOST_SCENES = 256
"""Eight pieces between two places each; past this the pieces are moved one at a time."""


@dataclass(frozen=True)
class Doubt:
    """The possible places of one piece, the likeliest first, and what people call them."""

    pieces: tuple[Piece, ...]
    places: tuple[str | Message, ...]


def settle(run: Callable[[Scene], Finding], scene: Scene, doubts: Mapping[str, Doubt]) -> Finding:
    """Ask with every piece at its likeliest place, then at the other possible ones.

    The finding needs no error bar afterwards: its `depends` is empty.
    """
    first = replace(run(scene), depends=frozenset())
    open_ = {i: doubt for i, doubt in doubts.items() if len(doubt.pieces) > 1}
    if not open_:
        return first

    def differs(moved: tuple[Piece, ...]) -> int:
        return _differs(run, scene, first, moved)

    worst = {i: max(differs((piece,)) for piece in doubt.pieces[1:]) for i, doubt in open_.items()}
    joint = _SAME
    if len(open_) > 1 and max(worst.values()) < _OTHERWISE:
        together = islice(product(*(doubt.pieces for doubt in open_.values())), MOST_SCENES)
        joint = max(map(differs, together))
    most = max(joint, *worst.values())
    if most == _SAME:
        return first
    who = [i for i, n in worst.items() if n == most] or sorted(open_)
    named = [open_[i].pieces[0].label for i in who]
    places = list(dict.fromkeys(place for i in who for place in open_[i].places))
    said = msg("place-doubt" if most == _OTHERWISE else "place-doubt-detail", who=named, places=places)
    if most == _DETAIL:
        return replace(first, notes=(*first.notes, said))
    return replace(first, answer=Answer.TOO_CLOSE, reason=said, remedy=msg("place-doubt-remedy", who=named))


_SAME, _DETAIL, _OTHERWISE = 0, 1, 2
"""How another place changes the result: not at all, only what goes with a yes or no (the number, what is in the way),
or the result itself."""


def _differs(run: Callable[[Scene], Finding], scene: Scene, first: Finding, moved: tuple[Piece, ...]) -> int:
    for piece in moved:
        scene = scene.with_piece(piece)
    try:
        other = run(scene)
    except (Unknown, QuestionError):
        return _OTHERWISE
    if other.said() == first.said():
        return _SAME
    like = replace(other, value=first.value, blockers=first.blockers)
    return _DETAIL if first.answer is not None and like.said() == first.said() else _OTHERWISE


register(
    {
        "place-doubt": {
            "en": "{who} stands on a border, between {places}, and the answer depends on which it is.",
            "es": "{who} está en un borde, entre {places}, y la respuesta depende de cuál sea.",
        },
        "place-doubt-detail": {
            "en": "{who} stands on a border, between {places}: the answer holds either way, the details may not.",
            "es": "{who} está en un borde, entre {places}: la respuesta vale en ambos casos, los detalles quizá no.",
        },
        "place-doubt-remedy": {
            "en": "Agree where {who} stands, or push it to the middle of its place.",
            "es": "Acuerden dónde está {who}, o muévanla al centro de su lugar.",
        },
    }
)
