"""Working, digging, goblins' wishes and the upgrade board (SR-WORK, SR-DIG, SR-TROLL-2, SR-UPG)."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import Fault, QuestionError, Unknown
from ...game import Input
from ...messages import Message, msg, register
from ...verdict import Answer, Finding
from .fortress import COURTYARD, SLOTS, TUNNEL, WORKSHOPS, Fortress, called, ids, labels, question, thing
from .move import DWARF

__all__ = ["DIFFICULTY", "RUBBLE"]

RESOURCES = tuple(WORKSHOPS.values())
RUBBLE = {"easy": 6, "normal": 8, "hard": 10, "epic": 12}
"""Rubble of one section, by difficulty (SR-DIG-5)."""

AMOUNT = Input("amount", "count", {"en": "amount on the card", "es": "cantidad de la carta"})
DIFFICULTY = Input("difficulty", "choice", {"en": "difficulty", "es": "dificultad"}, True, tuple(RUBBLE))
SLOT = Input("slot", "choice", {"en": "slot", "es": "hueco"}, True, SLOTS)


@question(
    "work",
    {"en": "May it work here, and for how much?", "es": "¿Puede trabajar aquí, y cuánto?"},
    DWARF,
    Input("resource", "choice", {"en": "resource", "es": "recurso"}, False, (*RESOURCES, "any"), "any"),
    AMOUNT,
    Input("needed", "count", {"en": "still needed by cards and goblins", "es": "aún necesarios"}),
    rules=("SR-WORK-1", "SR-WORK-2"),
    phase="work",
)
def work(f: Fortress) -> Finding:
    """SR-WORK-1, SR-WORK-2."""
    dwarf, wanted = f.dwarf(), f.a["resource"]
    shop = f.space_of(dwarf)
    made = WORKSHOPS.get(shop)
    if made is None or wanted not in (made, "any"):
        reason = msg("sr-work-where", a=dwarf.label, what=thing(wanted), space=called(shop))
        return Finding(reason, ("SR-WORK-1",), Answer.NO, value=0.0, kind="count", blockers=())
    orcs = f.figures("orc", space=shop)
    if orcs:
        reason = msg("sr-work-orcs", space=called(shop), who=labels(orcs))
        return Finding(
            reason, ("SR-WORK-1",), Answer.NO, value=0.0, kind="count", blockers=ids(orcs),
            drawing=f.draw_pieces(orcs, "blocker"),
        )  # fmt: skip
    asked = min(f.a["amount"], f.a["needed"])
    there = f.need(made, shop) if asked else 0
    got = min(asked, there)
    reason = msg(
        "sr-work", n=got, what=thing(made), amount=f.a["amount"], there=there, needed=f.a["needed"]
    ) if asked else msg("sr-work-nothing", what=thing(made))  # fmt: skip
    return Finding(
        reason, ("SR-WORK-1", "SR-WORK-2"), Answer.of(got > 0), value=float(got), kind="count", blockers=(),
        drawing=f.draw((shop,)),
    )  # fmt: skip


@question(
    "dig",
    {"en": "May it dig, and how much?", "es": "¿Puede cavar, y cuánto?"},
    DWARF,
    AMOUNT,
    Input("pile", "text", {"en": "pile", "es": "montón"}, False, (), "section"),
    rules=("SR-DIG-1", "SR-DIG-2", "SR-DIG-3"),
    phase="work",
)
def dig(f: Fortress) -> Finding:
    """SR-DIG-1 to SR-DIG-3."""
    dwarf, pile = f.dwarf(), f.a["pile"]
    section = pile == "section"
    if not section and f.scene.find(pile) is None and f.pile(f"rubble-for:{pile}", COURTYARD) is None:
        known = ", ".join(("section", *(p.id for p in f.figures("goblin"))))
        raise QuestionError.of("input-no-such", "pile", ids=[pile], known=known)
    blockers = f.figures("goblin", "troll", space=COURTYARD) if section else ()
    rules = ("SR-DIG-1", "SR-DIG-2") if section else ("SR-DIG-3", "SR-DIG-2")
    fault: Message | None = None
    there = 0
    if f.space_of(dwarf) != COURTYARD:
        fault = msg("sr-dig-where", a=dwarf.label)
    elif blockers:
        fault = msg("sr-dig-blocked", who=labels(blockers))
    else:
        there = f.need("rubble" if section else f"rubble-for:{pile}", COURTYARD)
        fault = None if there else msg("sr-dig-none")
    got = 0 if fault else min(f.a["amount"], there)
    key = "sr-dig-last" if section and got and got == there else "sr-dig"
    return Finding(
        fault or msg(key, n=got, there=there),
        rules,
        Answer.of(fault is None),
        value=float(got),
        kind="count",
        blockers=ids(blockers),
        drawing=(*f.draw((COURTYARD,)), *f.draw_pieces(blockers, "blocker")),
    )


def _needs(f: Fortress, *allowed: str) -> dict[str, int]:
    given = f.a["needs"]
    if not isinstance(given, Mapping):
        raise QuestionError.of("sr-needs", "needs", known=", ".join(allowed))
    bad = [k for k, n in given.items() if k not in allowed or type(n) is not int or n < 0]
    if bad:
        raise QuestionError([Fault(f"needs.{k}", msg("sr-needs", known=", ".join(allowed))) for k in bad])
    return {str(k): n for k, n in given.items()}


def _missing(f: Fortress, needs: Mapping[str, int], have: Mapping[str, int | None]) -> tuple[int, list[str]]:
    """How many pieces are still wanted, and which piles of them were not seen at all."""
    short = {k: max(0, n - (have.get(k) or 0)) for k, n in needs.items() if k != "any"}
    spare = sum((have.get(k) or 0) - min(have.get(k) or 0, needs.get(k, 0)) for k in RESOURCES)
    any_short = max(0, needs.get("any", 0) - spare)
    unseen = [k for k in RESOURCES if have.get(k) is None and (short.get(k) or any_short)]
    return sum(short.values()) + any_short, unseen


def _count(
    f: Fortress, needs: Mapping[str, int], have: Mapping[str, int | None], where: Message | str
) -> int:
    missing, unseen = _missing(f, needs, have)
    if f.camera and unseen:
        # A camera does not see an empty place; a hand-written scene lists what there is.
        raise Unknown(msg("sr-pile-unseen", what=[thing(k) for k in unseen], space=where))
    return missing


@question(
    "goblin-satisfied",
    {"en": "Is the goblin satisfied?", "es": "¿Está satisfecho el goblin?"},
    Input("unit", "piece", {"en": "goblin", "es": "goblin"}),
    Input("needs", "json", {"en": "what it wants", "es": "lo que pide"}, required=False),
    rules=("SR-TROLL-2",),
    phase="work",
)
def goblin_satisfied(f: Fortress) -> Finding:
    """SR-TROLL-2. Without `needs` it wants its own rubble gone."""
    goblin = f.a.piece("unit")
    if not goblin.has("goblin"):
        raise QuestionError.of("sr-not-goblin", "unit", who=goblin.label)
    if f.a["needs"] is None:
        missing = f.need(f"rubble-for:{goblin.id}", COURTYARD)
    else:
        beside = [p for p in f.scene.pieces if p.trait("for") == goblin.id]
        have = {k: _sum([p.count for p in beside if p.has(k)]) for k in RESOURCES}
        missing = _count(f, _needs(f, *RESOURCES, "any"), have, goblin.label)
    key = "sr-goblin" if missing == 0 else "sr-goblin-short"
    return Finding(
        msg(key, a=goblin.label, n=missing),
        ("SR-TROLL-2",),
        Answer.of(missing == 0),
        value=float(missing),
        kind="count",
        drawing=f.draw_pieces((goblin,)),
    )


def _sum(counts: list[int | None]) -> int | None:
    return sum(1 if n is None else n for n in counts) if counts else None


@question(
    "upgrade-complete",
    {"en": "Is the upgrade complete?", "es": "¿Está completa la mejora?"},
    SLOT,
    Input("needs", "json", {"en": "what card and slot ask for", "es": "lo que piden carta y hueco"}),
    rules=("SR-UPG-1", "SR-UPG-3"),
    phase="work",
)
def upgrade_complete(f: Fortress) -> Finding:
    """SR-UPG-1."""
    slot, needs = f.a["slot"], _needs(f, *RESOURCES)
    have = {k: f.pile(k, slot) for k in RESOURCES}
    missing = _count(f, needs, have, called(slot))
    closed = bool(f.pile("catapult-card", slot))
    over = [thing(k) for k in RESOURCES if (have[k] or 0) > needs.get(k, 0)]
    key = "sr-upgrade-closed" if closed else "sr-upgrade" if missing == 0 else "sr-upgrade-short"
    return Finding(
        msg(key, slot=called(slot), n=missing),
        ("SR-UPG-1", *(("SR-UPG-3",) if closed else ())),
        Answer.of(missing == 0 and not closed),
        value=float(missing),
        kind="count",
        notes=(msg("sr-upgrade-over", what=over),) if over else (),
        drawing=f.draw((slot,)),
    )


@question(
    "slot-open",
    {"en": "Is the slot open?", "es": "¿Está libre el hueco?"},
    SLOT,
    rules=("SR-UPG-3",),
    phase="work",
)
def slot_open(f: Fortress) -> Finding:
    """SR-UPG-3."""
    slot = f.a["slot"]
    closed = bool(f.pile("catapult-card", slot))
    reason = msg("sr-slot-closed" if closed else "sr-slot-open", slot=called(slot))
    return Finding(reason, ("SR-UPG-3",), Answer.of(not closed), drawing=f.draw((slot,)))


@question(
    "rubble-due",
    {"en": "How much rubble is due?", "es": "¿Cuántos escombros hay que poner?"},
    DIFFICULTY,
    rules=("SR-DIG-5",),
    phase="work",
)
def rubble_due(f: Fortress) -> Finding:
    """SR-DIG-5. What is seen first settles it: a goblin, rubble, or no section left."""
    full = RUBBLE[f.a["difficulty"]]
    goblins = f.figures("goblin", space=COURTYARD)
    if goblins:
        reason, due = msg("sr-rubble-goblins", who=labels(goblins)), 0
    elif f.pile("rubble", COURTYARD):
        reason, due = msg("sr-rubble-there", n=f.pile("rubble", COURTYARD)), 0
    elif f.pile("tunnel-block", *TUNNEL) == 0:
        reason, due = msg("sr-rubble-done"), 0
    else:
        blocks = f.blocks()
        f.need("rubble", COURTYARD)
        reason, due = msg("sr-rubble", n=full, blocks=blocks), full
    return Finding(reason, ("SR-DIG-5",), value=float(due), kind="count", drawing=f.draw((COURTYARD,)))


@question(
    "tunnel-order",
    {"en": "Were the sections taken in order?", "es": "¿Se han quitado las secciones en orden?"},
    rules=("SR-DIG-4",),
    phase="work",
)
def tunnel_order(f: Fortress) -> Finding:
    """SR-DIG-4: those left are always the last ones."""
    blocks = f.blocks()
    left = [f.pile("tunnel-block", space) or 0 for space in TUNNEL]
    done = len(TUNNEL) - blocks
    holds = left == [0] * done + [1] * blocks
    return Finding(
        msg("sr-tunnel" if holds else "sr-tunnel-wrong", n=done),
        ("SR-DIG-4",),
        Answer.of(holds),
        value=float(done),
        kind="count",
        drawing=f.draw(space for space, n in zip(TUNNEL, left, strict=True) if n),
    )


register(
    {
        "sr-work-where": {
            "en": "{a} is not in the workshop for {what} but in {space}.",
            "es": "{a} no está en el taller de {what}, sino en {space}.",
        },
        "sr-work-orcs": {
            "en": "Orcs stop the work in {space}: {who}.",
            "es": "Los orcos impiden trabajar en {space}: {who}.",
        },
        "sr-work": {
            "en": "{what}: {n} are taken; the card gives {amount}, {there} lie there, {needed} are still needed.",
            "es": "{what}: se cogen {n}; la carta da {amount}, allí hay {there}, hacen falta {needed}.",
        },
        "sr-work-nothing": {
            "en": "Nothing is needed or given, so no {what} is taken: nothing is stored.",
            "es": "No hace falta o no se da nada, así que no se coge {what}: nada se guarda.",
        },
        "sr-dig-where": {
            "en": "{a} is not in the tunnel courtyard.",
            "es": "{a} no está en el patio de la entrada al túnel.",
        },
        "sr-dig-blocked": {
            "en": "Goblins and trolls in the courtyard stop the digging: {who}.",
            "es": "Los goblins y troles del patio impiden cavar: {who}.",
        },
        "sr-dig-none": {"en": "No rubble lies there.", "es": "No hay escombros."},
        "sr-dig": {
            "en": "Rubble removed: {n} of {there}.",
            "es": "Escombros retirados: {n} de {there}.",
        },
        "sr-dig-last": {
            "en": "Rubble removed: {n} of {there}, the last of it. The section is complete, two goblins appear.",
            "es": "Escombros retirados: {n} de {there}, los últimos. La sección está completa, aparecen dos goblins.",
        },
        "sr-needs": {
            "en": "expected numbers of pieces for {known}",
            "es": "se esperan cantidades de piezas de {known}",
        },
        "sr-not-goblin": {"en": "expected a goblin; {who} is not one", "es": "se espera un goblin; {who} no lo es"},
        "sr-goblin": {
            "en": "All that {a} wants is there.",
            "es": "Está todo lo que pide {a}.",
        },
        "sr-goblin-short": {
            "en": "{a} still wants more: {n}.",
            "es": "A {a} aún le falta: {n}.",
        },
        "sr-upgrade": {
            "en": "All that the card needs lies on it ({slot}).",
            "es": "La carta tiene todo lo que pide ({slot}).",
        },
        "sr-upgrade-short": {
            "en": "Pieces that the card still needs ({slot}): {n}.",
            "es": "Piezas que le faltan a la carta ({slot}): {n}.",
        },
        "sr-upgrade-closed": {
            "en": "A catapult card closes {slot}: no upgrade there.",
            "es": "Una carta de catapulta cierra {slot}: no hay mejora.",
        },
        "sr-upgrade-over": {
            "en": "More than needed lies there: {what}.",
            "es": "Hay más de lo necesario: {what}.",
        },
        "sr-slot-open": {"en": "No catapult card lies on {slot}.", "es": "No hay carta de catapulta en {slot}."},
        "sr-slot-closed": {
            "en": "A catapult card closes {slot} for the rest of the game.",
            "es": "Una carta de catapulta cierra {slot} para el resto de la partida.",
        },
        "sr-rubble": {
            "en": "No goblin is in the courtyard; sections left: {blocks}; rubble to put down: {n}.",
            "es": "No hay goblins en el patio; secciones que quedan: {blocks}; escombros que poner: {n}.",
        },
        "sr-rubble-goblins": {
            "en": "None while a goblin is in the courtyard: {who}.",
            "es": "Ninguno mientras haya un goblin en el patio: {who}.",
        },
        "sr-rubble-there": {
            "en": "None while rubble lies there ({n}).",
            "es": "Ninguno mientras queden escombros ({n}).",
        },
        "sr-rubble-done": {"en": "None: no section is left.", "es": "Ninguno: no quedan secciones."},
        "sr-tunnel": {
            "en": "Sections done: {n}, from the tunnel tower on.",
            "es": "Secciones hechas: {n}, desde la torre del túnel.",
        },
        "sr-tunnel-wrong": {
            "en": "Sections gone: {n}, but not the ones nearest the tunnel tower.",
            "es": "Secciones que faltan: {n}, pero no las más cercanas a la torre del túnel.",
        },
    }
)  # fmt: skip
