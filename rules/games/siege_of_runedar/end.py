"""Counts: nothing lost from sight, the table set up, the game won or lost (SR-COUNT, SR-SETUP, SR-END).

A hand-written scene is taken as it is. A camera can miss what stands behind a wall, so with a camera's scene
a count only decides when nothing that could change it is missing.
"""

from __future__ import annotations

from ...errors import Unknown
from ...game import Input
from ...messages import Message, msg, register
from ...verdict import Answer, Finding
from .fortress import (
    CHAMBER,
    COURTYARD,
    OFF_BOARD,
    RESERVE,
    SLOTS,
    TUNNEL,
    WORKSHOPS,
    Fortress,
    labels,
    question,
    thing,
)
from .siege import ALL_ORCS, reserve_orcs
from .work import DIFFICULTY, RUBBLE

__all__: list[str] = []

TOTALS = {"wood": 10, "leather": 10, "metal": 10, "orc": ALL_ORCS, "troll": 4, "goblin": 2}
"""Pieces that never leave the game (SR-COUNT-1)."""

START_GOLD = 20
PILES = {"trolls": "troll-pile", "catapult": "catapult-deck", "siege": "siege-deck"}
"""Piles whose last card or token loses the game, by the name of that loss (SR-END-1)."""


def _seen(f: Fortress, item: str) -> int:
    """How many are on the table (SR-COUNT-1)."""
    if item in WORKSHOPS.values():
        return f.pile(item, *WORKSHOPS, *SLOTS, COURTYARD) or 0
    figures = len(f.figures(item)) + sum(len(f.figures(item, space=s)) for s in (RESERVE, OFF_BOARD))
    return figures + (f.pile(item, RESERVE) or 0)


@question(
    "conservation",
    {"en": "Is everything there?", "es": "¿Está todo?"},
    Input("item", "choice", {"en": "what", "es": "qué"}, True, tuple(TOTALS)),
    rules=("SR-COUNT-1",),
    phase="end",
)
def conservation(f: Fortress) -> Finding:
    """SR-COUNT-1."""
    item = f.a["item"]
    seen, total = _seen(f, item), TOTALS[item]
    key = "sr-count" if seen == total else "sr-count-short" if seen < total else "sr-count-over"
    return Finding(
        msg(key, what=thing(item), n=abs(total - seen), total=total),
        ("SR-COUNT-1",),
        Answer.of(seen == total),
        value=float(total - seen),
        kind="count",
    )


@question(
    "setup",
    {"en": "Is the game set up right?", "es": "¿Está bien preparada la partida?"},
    Input("players", "count", {"en": "players", "es": "jugadores"}),
    DIFFICULTY,
    rules=("SR-SETUP-1",),
    phase="setup",
)
def setup(f: Fortress) -> Finding:
    """SR-SETUP-1: everything that is wrong or missing, by name."""
    dwarves = [p for p in f.scene.pieces if p.has("dwarf")]
    here = [p for p in dwarves if f.space_of(p) == CHAMBER]
    piles = {
        "gold": (START_GOLD, f.pile("gold", CHAMBER)),
        **{made: (TOTALS[made], f.pile(made, shop)) for shop, made in WORKSHOPS.items()},
        "rubble": (RUBBLE[f.a["difficulty"]], f.pile("rubble", COURTYARD)),
        "orc": (ALL_ORCS, reserve_orcs(f)),
    }
    wrong = [] if len(here) == len(dwarves) == f.a["players"] else ["dwarf"]
    wrong += [what for what, (due, seen) in piles.items() if seen is not None and seen != due]
    if f.figures("orc") and "orc" not in wrong:
        wrong.append("orc")
    unseen = [what for what, (_, seen) in piles.items() if seen is None]
    for engine in ("catapult", "siege-tower"):
        spaces = [f.space_of(p) for p in f.engines(engine)]
        if not spaces:
            unseen.append(engine)
        elif spaces != [RESERVE]:
            wrong.append(engine)
    blocks = [f.pile("tunnel-block", space) for space in TUNNEL]
    if all(n is None for n in blocks):
        unseen.append("tunnel-block")
    elif blocks != [1] * len(TUNNEL):
        wrong.append("tunnel-block")
    if f.camera and unseen and not wrong:
        raise Unknown(msg("sr-unseen", what=[thing(what) for what in unseen]), ("SR-SETUP-1",))
    found = [*wrong, *(what for what in unseen if what not in wrong)]
    reason = msg("sr-setup-wrong", what=[thing(what) for what in found]) if found else msg("sr-setup")
    return Finding(reason, ("SR-SETUP-1",), Answer.of(not found), ids=tuple(found))


def _orcs_out(f: Fortress) -> bool | None:
    """Whether the last orc is in play; None where hidden figures could change that."""
    board, reserve = len(f.figures("orc")), reserve_orcs(f)
    if not f.camera:
        return board >= ALL_ORCS or reserve == 0
    if board + (reserve or 0) > ALL_ORCS:
        return None
    if board == ALL_ORCS:
        return True
    # Some in the reserve: not the last one. None seen there, but some missing: they may be anywhere.
    return False if reserve else None


def _lost(f: Fortress) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The reasons for a loss, and what would have to be seen to know of others (SR-END-1)."""
    gold = f.pile("gold", CHAMBER)
    orcs = _orcs_out(f)
    piles = {
        "gold": ("gold", gold),
        **{loss: (pile, f.pile(pile, *_anywhere(f))) for loss, pile in PILES.items()},
    }
    lost = [loss for loss, (_, n) in piles.items() if n == 0]
    if orcs:
        lost.insert(1 if "gold" in lost else 0, "orcs")
    unseen = [pile for pile, n in piles.values() if n is None]
    if orcs is None:
        unseen.append("orc")
    return tuple(lost), tuple(unseen) if f.camera else ()


def _anywhere(f: Fortress) -> tuple[str, ...]:
    """A deck lies beside the fortress, wherever the players have room."""
    return tuple({p.space for p in f.scene.pieces if p.space is not None})


@question(
    "lost",
    {"en": "Is the game lost?", "es": "¿Se ha perdido?"},
    rules=("SR-END-1", "SR-COUNT-1"),
    phase="end",
)
def lost(f: Fortress) -> Finding:
    """SR-END-1. In an exact scene a pile that is not listed gives no reason; from a camera it leaves a doubt."""
    reasons, unseen = _lost(f)
    if not reasons and unseen:
        raise Unknown(msg("sr-unseen", what=[thing(what) for what in unseen]), ("SR-END-1", "SR-COUNT-1"))
    said = msg("sr-lost", why=[msg(f"sr-loss-{r}") for r in reasons]) if reasons else msg("sr-not-lost")
    return Finding(said, ("SR-END-1",), Answer.of(bool(reasons)), ids=reasons)


@question(
    "won",
    {"en": "Is the game won?", "es": "¿Se ha ganado?"},
    rules=("SR-END-2", "SR-COUNT-1"),
    phase="end",
)
def won(f: Fortress) -> Finding:
    """SR-END-2. Trolls do not matter."""
    reasons, unseen = _lost(f)
    goblins = f.figures("goblin", space=COURTYARD)
    fault: Message | None = None
    if reasons:
        fault = msg("sr-lost", why=[msg(f"sr-loss-{r}") for r in reasons])
    elif goblins:
        fault = msg("sr-won-goblins", who=labels(goblins))
    elif blocks := f.blocks():
        fault = msg("sr-won-blocks", n=blocks)
    if fault is None and f.camera:
        missing = [*unseen, *(("goblin",) if _seen(f, "goblin") < TOTALS["goblin"] else ())]
        if missing:
            raise Unknown(
                msg("sr-unseen", what=[thing(what) for what in missing]), ("SR-END-2", "SR-COUNT-1")
            )
    gold = f.pile("gold", CHAMBER)
    return Finding(
        fault or msg("sr-won", gold="–" if gold is None else gold), ("SR-END-2",), Answer.of(fault is None)
    )


@question(
    "goblins-defeated",
    {"en": "How many goblins were defeated?", "es": "¿Cuántos goblins se han derrotado?"},
    rules=("SR-END-3",),
    phase="end",
)
def goblins_defeated(f: Fortress) -> Finding:
    """SR-END-3."""
    done = len(TUNNEL) - f.blocks()
    here = len(f.figures("goblin", space=COURTYARD))
    reason = msg("sr-defeated", done=done, here=here, n=2 * done - here)
    return Finding(reason, ("SR-END-3",), value=float(2 * done - here), kind="count")


register(
    {
        "sr-count": {
            "en": "All {total} are there: {what}.",
            "es": "Están los {total}: {what}.",
        },
        "sr-count-short": {
            "en": "Hidden or misread: {n} of {total} ({what}).",
            "es": "Ocultos o mal leídos: {n} de {total} ({what}).",
        },
        "sr-count-over": {
            "en": "Counted beyond the {total} of the box: {n} ({what}).",
            "es": "Contados de más sobre los {total} de la caja: {n} ({what}).",
        },
        "sr-setup": {"en": "Everything is in its starting place.", "es": "Todo está en su lugar inicial."},
        "sr-setup-wrong": {
            "en": "Not as at the start: {what}.",
            "es": "No está como al principio: {what}.",
        },
        "sr-unseen": {
            "en": "Not seen well enough to be sure: {what}. Show them to the camera or write how many there are.",
            "es": "No se ve lo bastante para estar seguro: {what}. Muéstrelo a la cámara o indique cuántos hay.",
        },
        "sr-loss-gold": {"en": "no gold is left", "es": "no queda oro"},
        "sr-loss-orcs": {"en": "the last orc is in play", "es": "el último orco está en juego"},
        "sr-loss-trolls": {"en": "the last troll token is revealed", "es": "se ha revelado la última ficha de trol"},
        "sr-loss-catapult": {"en": "the last catapult card is revealed", "es": "se ha revelado la última carta de catapulta"},
        "sr-loss-siege": {"en": "the last siege card is revealed", "es": "se ha revelado la última carta de asedio"},
        "sr-lost": {"en": "The game is lost: {why}.", "es": "La partida está perdida: {why}."},
        "sr-not-lost": {
            "en": "Nothing that was seen loses the game.",
            "es": "Nada de lo que se ve hace perder la partida.",
        },
        "sr-won": {
            "en": "No section and no goblin is left: won with {gold} nuggets.",
            "es": "No quedan secciones ni goblins: victoria con {gold} pepitas.",
        },
        "sr-won-goblins": {
            "en": "Goblins are still in the courtyard: {who}.",
            "es": "Aún hay goblins en el patio: {who}.",
        },
        "sr-won-blocks": {
            "en": "Sections of the tunnel left: {n}.",
            "es": "Secciones del túnel que quedan: {n}.",
        },
        "sr-defeated": {
            "en": "Sections opened: {done}, two goblins each; still in the courtyard: {here}; defeated: {n}.",
            "es": "Secciones abiertas: {done}, dos goblins cada una; aún en el patio: {here}; derrotados: {n}.",
        },
    }
)  # fmt: skip
