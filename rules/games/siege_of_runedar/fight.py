"""Melee, shooting, trolls and mercenaries (SR-MELEE, SR-SHOOT, SR-TROLL-1, SR-MERC)."""

from __future__ import annotations

from ...errors import QuestionError
from ...game import Input
from ...messages import Message, msg, register
from ...scene import Piece
from ...verdict import Answer, Finding
from .fortress import COURTYARD, TUNNEL_TOWER, WORKSHOPS, Fortress, called, ids, labels, names, question
from .move import DWARF

__all__ = ["may_choose"]

IMPACTS_PER_ORC = 2
"""Two impacts are one damage, one damage is one orc (SR-MELEE-2)."""

CROSSBOWS = Input("crossbows", "count", {"en": "crossbows rolled", "es": "ballestas sacadas"})


def _engine(piece: Piece | None) -> bool:
    return piece is not None and (piece.has("catapult") or piece.has("siege-tower"))


def _in_play(f: Fortress, engine: Piece) -> bool:
    """SR-SHOOT-4: in some player's area."""
    return f.space_of(engine).startswith("area-")


def may_choose(f: Fortress, tower: str, space: str, target: Piece | None) -> tuple[bool, str]:
    """Whether a dwarf there may shoot at that space or engine, and the rule that says so."""
    if tower not in f.plan.shots:
        return False, "SR-SHOOT-1"
    if target is not None and _engine(target):
        return _in_play(f, target), "SR-SHOOT-4"
    if space == COURTYARD:
        return tower == TUNNEL_TOWER, "SR-SHOOT-3"
    return space in f.plan.shots[tower], "SR-SHOOT-2"


def _why(rule: str, holds: bool, dwarf: Piece, target: Message | str) -> Message:
    if rule == "SR-SHOOT-1":
        return msg("sr-shoot-no-tower", a=dwarf.label)
    key = {"SR-SHOOT-2": "wall", "SR-SHOOT-3": "courtyard", "SR-SHOOT-4": "engine"}[rule]
    return msg(f"sr-shoot-{key}" if holds else f"sr-shoot-no-{key}", a=dwarf.label, b=target)


@question(
    "line-of-sight",
    {"en": "May it shoot there?", "es": "¿Puede disparar allí?"},
    Input("from", "piece", {"en": "dwarf", "es": "enano"}),
    Input("to", "place", {"en": "at", "es": "a"}),
    rules=("SR-SHOOT-1", "SR-SHOOT-2", "SR-SHOOT-3", "SR-SHOOT-4"),
    phase="attack",
)
def line_of_sight(f: Fortress) -> Finding:
    """SR-SHOOT-1 to SR-SHOOT-4."""
    dwarf = f.dwarf("from")
    tower = f.space_of(dwarf)
    space, called_it, target = f.place("to")
    holds, rule = may_choose(f, tower, space, target)
    rules = ("SR-SHOOT-1",) if rule == "SR-SHOOT-1" else ("SR-SHOOT-1", rule)
    drawing = (
        *f.draw((space,), "zone" if holds else "blocker"),
        *f.draw_way((tower, space), "clear" if holds else "blocked"),
    )
    return Finding(_why(rule, holds, dwarf, called_it), rules, Answer.of(holds), drawing=drawing)


@question(
    "shoot-targets",
    {"en": "What can it shoot at?", "es": "¿A qué puede disparar?"},
    DWARF,
    rules=("SR-SHOOT-1", "SR-SHOOT-2", "SR-SHOOT-3", "SR-SHOOT-4", "SR-SHOOT-5"),
    phase="attack",
)
def shoot_targets(f: Fortress) -> Finding:
    """SR-SHOOT-1 to SR-SHOOT-5: the choosable spaces that hold something shooting can hurt, and engines in play."""
    dwarf = f.dwarf()
    tower = f.space_of(dwarf)
    if tower not in f.plan.shots:
        return Finding(_why("SR-SHOOT-1", False, dwarf, ""), ("SR-SHOOT-1",), ids=())
    spaces = [s for s in f.plan.shots[tower] if f.hurtable(s)]
    engines = [p for p in f.engines() if _in_play(f, p)]
    found = [*(called(s) for s in spaces), *(p.label for p in engines)]
    return Finding(
        msg("sr-targets", a=dwarf.label, found=found or names(())),
        ("SR-SHOOT-2", "SR-SHOOT-3", "SR-SHOOT-4", "SR-SHOOT-5"),
        ids=(*spaces, *ids(engines)),
        drawing=(*f.draw(spaces), *f.draw_pieces((dwarf,)), *f.draw_pieces(engines, "contact")),
    )


@question(
    "ranged-damage",
    {"en": "How many does it shoot?", "es": "¿Cuántos abate disparando?"},
    DWARF,
    Input("to", "place", {"en": "at", "es": "a"}),
    CROSSBOWS,
    rules=("SR-SHOOT-5",),
    phase="attack",
)
def ranged_damage(f: Fortress) -> Finding:
    """SR-SHOOT-5: a crossbow is a damage; an orc or an engine falls to one."""
    dwarf, crossbows = f.dwarf(), f.a["crossbows"]
    space, called_it, target = f.place("to")
    holds, rule = may_choose(f, f.space_of(dwarf), space, target)
    if not holds:
        return Finding(_why(rule, False, dwarf, called_it), ("SR-SHOOT-1", rule), value=0.0, kind="count")
    there = 1 if _engine(target) else len(f.figures("orc", space=space))
    removed = min(there, crossbows)
    reason = msg("sr-shot", b=called_it, n=removed, there=there, crossbows=crossbows)
    return Finding(
        reason, (rule, "SR-SHOOT-5"), value=float(removed), kind="count", drawing=f.draw((space,), "contact")
    )


@question(
    "engagement",
    {"en": "Can it fight hand to hand?", "es": "¿Puede atacar cuerpo a cuerpo?"},
    DWARF,
    rules=("SR-MELEE-1",),
    phase="attack",
)
def engagement(f: Fortress) -> Finding:
    """SR-MELEE-1. Goblins that only want goods are listed, but cannot be fought."""
    dwarf = f.dwarf()
    space = f.space_of(dwarf)
    found = f.figures("orc", "troll", "goblin", space=space) if space in f.graph else ()
    holds = space in f.graph and bool(f.hurtable(space))
    key = "sr-melee" if holds else "sr-melee-goods" if found else "sr-no-melee"
    return Finding(
        msg(key, a=dwarf.label, who=labels(found), space=called(space)),
        ("SR-MELEE-1",),
        Answer.of(holds),
        ids=ids(found),
        drawing=(*f.draw((space,)), *f.draw_pieces((dwarf,)), *f.draw_pieces(found, "contact")),
    )


@question(
    "melee-damage",
    {"en": "How many orcs fall?", "es": "¿Cuántos orcos caen?"},
    DWARF,
    Input("impacts", "count", {"en": "impacts rolled", "es": "impactos sacados"}),
    rules=("SR-MELEE-2",),
    phase="attack",
)
def melee_damage(f: Fortress) -> Finding:
    """SR-MELEE-2."""
    dwarf, impacts = f.dwarf(), f.a["impacts"]
    space = f.space_of(dwarf)
    there = len(f.figures("orc", space=space)) if space in f.graph else 0
    removed = min(there, impacts // IMPACTS_PER_ORC)
    reason = msg("sr-felled", n=removed, there=there, impacts=impacts, space=called(space))
    return Finding(
        reason, ("SR-MELEE-2",), value=float(removed), kind="count", drawing=f.draw((space,), "contact")
    )


@question(
    "troll-damage",
    {"en": "How many circles are covered?", "es": "¿Cuántos círculos se cubren?"},
    Input("circles", "count", {"en": "circles on the token", "es": "círculos de la ficha"}),
    Input("covered", "count", {"en": "circles covered already", "es": "círculos ya cubiertos"}, False, (), 0),
    Input("per_circle", "count", {"en": "impacts per circle", "es": "impactos por círculo"}, required=False),
    Input("impacts", "count", {"en": "impacts rolled", "es": "impactos sacados"}, required=False),
    Input("crossbows", "count", {"en": "crossbows rolled", "es": "ballestas sacadas"}, required=False),
    rules=("SR-TROLL-1",),
    phase="attack",
)
def troll_damage(f: Fortress) -> Finding:
    """SR-TROLL-1."""
    a = f.a
    if a.given("impacts") == a.given("crossbows"):
        raise QuestionError.of("sr-impacts-or", "impacts / crossbows")
    left = max(0, a["circles"] - a["covered"])
    if a.given("crossbows"):
        damage = a["crossbows"]
    elif not a["per_circle"]:
        raise QuestionError.of("sr-per-circle", "per_circle")
    else:
        damage = a["impacts"] // a["per_circle"]
    dealt = min(left, damage)
    reason = msg("sr-circles-all" if dealt == left else "sr-circles", n=dealt, left=left)
    return Finding(reason, ("SR-TROLL-1",), value=float(dealt), kind="count")


_EFFECTS = ("orcs-in-workshops", "troll", "goblin", "no-catapult-card", "cancel-siege-card")


@question(
    "mercenary",
    {"en": "Whom does the mercenary beat?", "es": "¿A quién derrota el mercenario?"},
    Input("effect", "choice", {"en": "card", "es": "carta"}, True, _EFFECTS),
    rules=("SR-MERC-1",),
    phase="attack",
)
def mercenary(f: Fortress) -> Finding:
    """SR-MERC-1."""
    effect = f.a["effect"]
    found: tuple[Piece, ...] = ()
    if effect == "orcs-in-workshops":
        found = tuple(p for shop in WORKSHOPS for p in f.figures("orc", space=shop))
    elif effect in ("troll", "goblin"):
        found = f.figures(effect, space=COURTYARD)
    key = "sr-merc-one" if effect in ("troll", "goblin") and len(found) > 1 else "sr-merc"
    return Finding(
        msg(key, who=labels(found)), ("SR-MERC-1",), ids=ids(found), drawing=f.draw_pieces(found, "contact")
    )


register(
    {
        "sr-shoot-no-tower": {
            "en": "Only from a tower can one shoot; {a} is not on one.",
            "es": "Solo se dispara desde una torre; {a} no está en ninguna.",
        },
        "sr-shoot-wall": {
            "en": "From its tower {a} may choose {b}: an adjacent wall, or the ground outside one.",
            "es": "Desde su torre, {a} puede elegir {b}: un muro adyacente o sus afueras.",
        },
        "sr-shoot-no-wall": {
            "en": "From its tower {a} may not choose {b}: only an adjacent wall or the ground outside one.",
            "es": "Desde su torre, {a} no puede elegir {b}: solo un muro adyacente o sus afueras.",
        },
        "sr-shoot-courtyard": {
            "en": "{a} is on the tunnel tower, from which {b} can be chosen.",
            "es": "{a} está en la torre del túnel, desde la que se puede elegir {b}.",
        },
        "sr-shoot-no-courtyard": {
            "en": "Only from the tunnel tower may one choose {b}; {a} is not on it.",
            "es": "Solo desde la torre del túnel se puede elegir {b}; {a} no está en ella.",
        },
        "sr-shoot-engine": {
            "en": "{b} stands in a player's area: {a} may shoot it from any tower.",
            "es": "{b} está en el área de un jugador: {a} puede dispararle desde cualquier torre.",
        },
        "sr-shoot-no-engine": {
            "en": "{b} is not in a player's area, so {a} cannot choose it.",
            "es": "{b} no está en el área de ningún jugador, así que {a} no puede elegirla.",
        },
        "sr-targets": {"en": "{a} can shoot at: {found}.", "es": "{a} puede disparar a: {found}."},
        "sr-shot": {
            "en": "Crossbows at {b}: {crossbows}; there to be hit: {there}; removed: {n}.",
            "es": "Ballestas contra {b}: {crossbows}; blancos allí: {there}; eliminados: {n}.",
        },
        "sr-melee": {
            "en": "Enemies in the space of {a} ({space}): {who}.",
            "es": "Enemigos en el espacio de {a} ({space}): {who}.",
        },
        "sr-melee-goods": {
            "en": "In the space of {a} ({space}) there are only goblins that cannot be fought: {who}.",
            "es": "En el espacio de {a} ({space}) solo hay goblins a los que no se puede atacar: {who}.",
        },
        "sr-no-melee": {
            "en": "No enemy stands in the space of {a} ({space}).",
            "es": "No hay enemigos en el espacio de {a} ({space}).",
        },
        "sr-felled": {
            "en": "Impacts: {impacts}, two for each orc; orcs there ({space}): {there}; beaten: {n}.",
            "es": "Impactos: {impacts}, dos por orco; orcos allí ({space}): {there}; derrotados: {n}.",
        },
        "sr-circles": {
            "en": "Circles covered: {n} of {left} open.",
            "es": "Círculos cubiertos: {n} de {left} abiertos.",
        },
        "sr-circles-all": {
            "en": "Every open circle is covered ({left}): the figure goes back to the reserve.",
            "es": "Se cubre todo círculo abierto ({left}): la figura vuelve a la reserva.",
        },
        "sr-impacts-or": {
            "en": "expected either impacts (hand to hand) or crossbows (shooting)",
            "es": "se esperan impactos (cuerpo a cuerpo) o ballestas (a distancia), no ambos",
        },
        "sr-per-circle": {
            "en": "expected how many impacts each circle asks for, 1 or more",
            "es": "se espera cuántos impactos pide cada círculo, 1 o más",
        },
        "sr-merc": {"en": "The card removes: {who}.", "es": "La carta elimina a: {who}."},
        "sr-merc-one": {"en": "The card removes one of: {who}.", "es": "La carta elimina a uno de: {who}."},
    }
)  # fmt: skip
