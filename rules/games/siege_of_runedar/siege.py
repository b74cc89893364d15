"""What the enemy does: the orcs' march, siege cards, the engines (SR-ORC, SR-ENGINE)."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import Fault, QuestionError, Unknown
from ...game import Input
from ...messages import Message, msg, register
from ...scene import Piece
from ...verdict import Answer, Finding
from .fortress import CHAMBER, RESERVE, Fortress, called, ids, labels, question, thing

__all__ = ["ALL_ORCS", "reserve_orcs"]

ALL_ORCS = 10
"""The figures in the box; the game is lost when the last one comes into play (SR-END-1)."""

ORC = Input("unit", "piece", {"en": "orc", "es": "orco"})
PLAYER = Input("player", "text", {"en": "player", "es": "jugador"})


def reserve_orcs(f: Fortress) -> int | None:
    """Orcs seen in the reserve, as a pile or one by one; None where none were looked for."""
    pile = f.pile("orc", RESERVE)
    single = len(f.figures("orc", space=RESERVE))
    return pile if pile is None and not single else (pile or 0) + single


def _orc(f: Fortress) -> tuple[Piece, str]:
    piece = f.a.piece("unit")
    if not piece.has("orc"):
        raise QuestionError.of("sr-not-orc", "unit", who=piece.label)
    space = f.space_of(piece)
    if space in f.graph and f.plan.column(space) is None:
        raise Unknown(msg("sr-orc-astray", a=piece.label, space=called(space)), ("SR-ORC-1",))
    return piece, space


def _left(f: Fortress, space: str) -> int | None:
    """Arrows until an orc there steals (SR-ORC-3)."""
    column = f.plan.column(space)
    return column.left(space) if column else None


@question(
    "orc-advance",
    {"en": "What do the orcs do on an arrow?", "es": "¿Qué hacen los orcos con una flecha?"},
    Input("unit", "piece", {"en": "orc", "es": "orco"}, required=False),
    rules=("SR-ORC-1", "SR-ORC-2"),
    phase="siege",
)
def orc_advance(f: Fortress) -> Finding:
    """SR-ORC-1, SR-ORC-2. With an orc: where it goes; without: how much gold is stolen, and by whom."""
    if f.a.given("unit"):
        orc, space = _orc(f)
        column = f.plan.column(space)
        after = column.after(space) if column else None
        if after is None:
            return Finding(msg("sr-orc-stays", a=orc.label, space=called(space)), ("SR-ORC-1",), ids=())
        reason = msg("sr-orc-goes", a=orc.label, space=called(after))
        rules = ("SR-ORC-1", "SR-ORC-2") if after == CHAMBER else ("SR-ORC-1",)
        return Finding(reason, rules, ids=(after,), drawing=(*f.draw((after,)), *f.draw_way((space, after))))
    thieves = [p for p in f.figures("orc") if _left(f, f.space_of(p)) == 1]
    return Finding(
        msg("sr-thieves", n=len(thieves), who=labels(thieves)),
        ("SR-ORC-1", "SR-ORC-2"),
        value=float(len(thieves)),
        kind="count",
        ids=ids(thieves),
        notes=_theft_notes(f),
        drawing=f.draw_pieces(thieves, "contact"),
    )


def _theft_notes(f: Fortress) -> tuple[Message, ...]:
    """Orcs seen in the chamber: a theft that has not been carried out yet."""
    waiting = f.figures("orc", space=CHAMBER)
    return (msg("sr-theft-open", who=labels(waiting)),) if waiting else ()


@question(
    "orc-steps-to-gold",
    {"en": "How many arrows until it steals?", "es": "¿Cuántas flechas hasta que robe?"},
    ORC,
    rules=("SR-ORC-3",),
    phase="siege",
)
def orc_steps_to_gold(f: Fortress) -> Finding:
    """SR-ORC-3."""
    orc, space = _orc(f)
    left = _left(f, space)
    key = "sr-orc-stays" if left is None else "sr-arrows-left"
    return Finding(
        msg(key, a=orc.label, n=left, space=called(space)), ("SR-ORC-3",), value=left, kind="count"
    )


@question(
    "gold-after",
    {"en": "How much gold is left after so many arrows?", "es": "¿Cuánto oro queda tras esas flechas?"},
    Input("arrows", "count", {"en": "arrows", "es": "flechas"}),
    rules=("SR-ORC-3",),
    phase="siege",
)
def gold_after(f: Fortress) -> Finding:
    """SR-ORC-3."""
    arrows, gold = f.a["arrows"], f.need("gold", CHAMBER)
    thieves = [
        p for p in f.figures("orc") if (left := _left(f, f.space_of(p))) is not None and left <= arrows
    ]
    after = max(0, gold - len(thieves))
    return Finding(
        msg("sr-gold-after", gold=gold, n=len(thieves), arrows=arrows, left=after),
        ("SR-ORC-3",),
        value=float(after),
        kind="count",
        steps=(msg("sr-thieves", n=len(thieves), who=labels(thieves)),),
        notes=_theft_notes(f),
        drawing=f.draw_pieces(thieves, "contact"),
    )


@question(
    "siege-card",
    {"en": "What does this siege card do?", "es": "¿Qué hace esta carta de asedio?"},
    Input(
        "place",
        "json",
        {"en": "orcs placed, by space", "es": "orcos que entran, por espacio"},
        required=False,
    ),
    Input("arrow", "flag", {"en": "with an arrow", "es": "con flecha"}, False, (), False),
    rules=("SR-ORC-2", "SR-ORC-4", "SR-END-1"),
    phase="siege",
)
def siege_card(f: Fortress) -> Finding:
    """SR-ORC-4, SR-END-1: first the new orcs, and the loss if they are the last; then the arrow."""
    placed = _placed(f)
    new = sum(placed.values())
    board, reserve = len(f.figures("orc")), reserve_orcs(f)
    used_up = reserve is not None and reserve - new <= 0
    if board + new >= ALL_ORCS or used_up:
        gold = f.pile("gold", CHAMBER)
        reason = msg("sr-card-orcs", n=board + new)
        return Finding(
            reason, ("SR-ORC-4", "SR-END-1"), value=gold, kind="count", ids=("orcs",), drawing=f.draw(placed)
        )
    gold = f.need("gold", CHAMBER)
    thieves = 0
    if f.a["arrow"]:
        spaces = [f.space_of(p) for p in f.figures("orc")]
        spaces += [space for space, n in placed.items() for _ in range(n)]
        thieves = sum(_left(f, space) == 1 for space in spaces)
    after = max(0, gold - thieves)
    key = "sr-card-gold" if after == 0 else "sr-card"
    return Finding(
        msg(key, new=new, n=thieves, gold=gold, left=after),
        ("SR-ORC-4", "SR-ORC-2", "SR-END-1"),
        value=float(after),
        kind="count",
        ids=("gold",) if after == 0 else (),
        notes=_theft_notes(f),
        drawing=f.draw(placed),
    )


def _placed(f: Fortress) -> dict[str, int]:
    given = f.a["place"] or {}
    if not isinstance(given, Mapping):
        raise QuestionError.of("sr-card-place", "place", known=_entries(f))
    faults = []
    for space, n in given.items():
        if f.plan.column(str(space)) is None or type(n) is not int or n < 0:
            faults.append(Fault(f"place.{space}", msg("sr-card-place", known=_entries(f))))
    if faults:
        raise QuestionError(faults)
    return {str(space): n for space, n in given.items()}


def _entries(f: Fortress) -> str:
    return ", ".join(c.spaces[0] for c in f.plan.columns)


def _area(player: str) -> str:
    return player if player.startswith("area-") else f"area-{player}"


@question(
    "activate",
    {"en": "Which engines act now?", "es": "¿Qué máquinas se activan ahora?"},
    PLAYER,
    Input("solo", "flag", {"en": "solo game", "es": "modo solitario"}, False, (), False),
    rules=("SR-ENGINE-1", "SR-ENGINE-3"),
    phase="siege",
)
def activate(f: Fortress) -> Finding:
    """SR-ENGINE-1, SR-ENGINE-3."""
    player, solo = f.a["player"], f.a["solo"]
    found = [p for p in f.engines() if f.space_of(p) == _area(player)]
    if solo:
        for p in found:
            if not p.has("lying") and not p.has("standing"):
                raise Unknown(msg("sr-engine-lying", a=p.label), ("SR-ENGINE-3",))
        found = [p for p in found if p.has("standing")]
    return Finding(
        msg("sr-activate", player=player, who=labels(found)),
        ("SR-ENGINE-3",) if solo else ("SR-ENGINE-1",),
        ids=ids(found),
        drawing=(*f.draw((_area(player),)), *f.draw_pieces(found, "contact")),
    )


@question(
    "engine-card",
    {"en": "Does the engine act at once?", "es": "¿Se activa la máquina al instante?"},
    Input("engine", "choice", {"en": "engine", "es": "máquina"}, True, ("catapult", "siege-tower")),
    Input("player", "text", {"en": "player", "es": "jugador"}, required=False),
    rules=("SR-ENGINE-2", "SR-ENGINE-3"),
    phase="siege",
)
def engine_card(f: Fortress) -> Finding:
    """SR-ENGINE-2, SR-ENGINE-3: at once when it stands in any player's area, one's own included."""
    engine = f.a["engine"]
    found = [p for p in f.engines(engine) if f.space_of(p).startswith("area-")]
    key = "sr-engine-acts" if found else "sr-engine-comes"
    drawing = f.draw_pieces(found, "contact")
    return Finding(msg(key, a=thing(engine)), ("SR-ENGINE-2",), Answer.of(bool(found)), drawing=drawing)


register(
    {
        "sr-not-orc": {"en": "expected an orc; {who} is not one", "es": "se espera un orco; {who} no lo es"},
        "sr-orc-astray": {
            "en": "{a} is in {space}, where orcs never stay: settle that first.",
            "es": "{a} está en {space}, donde los orcos no se quedan: resuélvalo antes.",
        },
        "sr-orc-goes": {"en": "On an arrow {a} goes to {space}.", "es": "Con una flecha, {a} avanza hasta {space}."},
        "sr-orc-stays": {"en": "{a} is not in play ({space}).", "es": "{a} no está en juego ({space})."},
        "sr-thieves": {
            "en": "Orcs that enter the central chamber, steal a nugget each and go back to the reserve: {n} ({who}).",
            "es": "Orcos que entran en la cámara central, roban una pepita cada uno y vuelven a la reserva: {n} ({who}).",
        },
        "sr-theft-open": {
            "en": "{who} stands in the central chamber: a theft that was not carried out yet. It is not counted here.",
            "es": "{who} está en la cámara central: un robo aún sin resolver. Aquí no se cuenta.",
        },
        "sr-arrows-left": {
            "en": "{a} steals on arrow number {n} (now: {space}).",
            "es": "{a} roba con la flecha número {n} (ahora: {space}).",
        },
        "sr-gold-after": {
            "en": "Nuggets now: {gold}; stolen after {arrows} arrows: {n}; left: {left}.",
            "es": "Pepitas ahora: {gold}; robadas tras {arrows} flechas: {n}; quedan: {left}.",
        },
        "sr-card": {
            "en": "Orcs coming in: {new}; nuggets stolen: {n}; left: {left} of {gold}.",
            "es": "Orcos que entran: {new}; pepitas robadas: {n}; quedan: {left} de {gold}.",
        },
        "sr-card-gold": {
            "en": "Orcs coming in: {new}; nuggets stolen: {n}; left: {left} of {gold}. The game is lost.",
            "es": "Orcos que entran: {new}; pepitas robadas: {n}; quedan: {left} de {gold}. La partida está perdida.",
        },
        "sr-card-orcs": {
            "en": "With {n} orcs on the board the reserve is used up: the game is lost before any arrow.",
            "es": "Con {n} orcos en juego se agota la reserva: la partida se pierde antes de cualquier flecha.",
        },
        "sr-card-place": {
            "en": "expected numbers of orcs by space, such as {known}",
            "es": "se esperan cantidades de orcos por espacio, como {known}",
        },
        "sr-activate": {
            "en": "Engines that act at the start of the turn of {player}: {who}.",
            "es": "Máquinas que se activan al empezar el turno de {player}: {who}.",
        },
        "sr-engine-lying": {
            "en": "Does {a} lie or stand? The solo game depends on it: give it the trait lying or standing.",
            "es": "¿{a} está tumbada o levantada? En solitario depende de ello: asígnele el rasgo lying o standing.",
        },
        "sr-engine-acts": {
            "en": "In a player's area already: {a}. The card activates it at once.",
            "es": "Ya está en el área de un jugador: {a}. La carta la activa al instante.",
        },
        "sr-engine-comes": {
            "en": "In nobody's area: {a}. The card only brings it in.",
            "es": "No está en el área de nadie: {a}. La carta solo la trae.",
        },
    }
)  # fmt: skip
