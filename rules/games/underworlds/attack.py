"""Attacks and what follows them: targets, support, trapped, driven back (UW-ATK, UW-SUP, UW-TRAP, UW-DRV)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ...game import Input
from ...hexes import Hex, along, neighbours, spoken
from ...messages import Message, msg, register
from ...scene import Piece
from ...verdict import Answer, Finding
from .battlefield import Battlefield, counted, ids, labels, question
from .inputs import ATTACKER, FIGHTER, KNOCKBACK, RANGE, TARGET, TO

__all__ = ["targets_from"]


def targets_from(b: Battlefield, one: Piece, here: Hex, reach: int) -> tuple[Piece, ...]:
    """UW-ATK-1: the enemies that a fighter could attack if it stood there."""
    near = [p for p in b.fighters if p.id != one.id and _in_reach(b, here, b.hex_of(p), reach)]
    return b.enemies(one, near)


def _in_reach(b: Battlefield, here: Hex, there: Hex, reach: int) -> bool:
    steps = b.ground.distance(here, there)
    return steps is not None and steps <= reach and b.ground.sees(here, there)


@question(
    "attack-target",
    {"en": "May it attack that one?", "es": "¿Puede atacarlo?"},
    FIGHTER,
    TO,
    RANGE,
    rules=("UW-ATK-1",),
    phase="attack",
)
def attack_target(b: Battlefield) -> Finding:
    """UW-ATK-1."""
    one, two, reach = b.fighter(), b.a.piece("to"), b.a["range"]
    here, there = b.hex_of(one), b.hex_of(two)
    steps, seen = b.ground.distance(here, there), b.sight(here, there)
    foe = two.kind == "model" and bool(b.enemies(one, (two,)))
    near = steps is not None and steps <= reach
    holds = foe and near and seen.clear
    if not foe:
        reason = msg("uw-atk-friend", a=one.label, b=two.label)
    elif steps is None or not near:
        reason = msg("uw-atk-far", a=one.label, b=two.label, n="–" if steps is None else steps, range=reach)
    else:
        key = "uw-atk" if holds else "uw-atk-hidden"
        reason = msg(key, a=one.label, b=two.label, n=steps, range=reach)
    return Finding(
        reason,
        ("UW-ATK-1", *(("UW-LOS-2",) if seen.blockers else ()), *(("UW-LOS-4",) if seen.leaves else ())),
        Answer.of(holds),
        drawing=(
            *b.draw(seen.blockers, "blocker"),
            *b.draw_line(here, there, "clear" if seen.clear else "blocked"),
            *b.draw_pieces((one, two)),
        ),
        notes=b.off_notes(one, two),
    )


@question(
    "attack-targets",
    {"en": "Whom may it attack?", "es": "¿A quién puede atacar?"},
    FIGHTER,
    RANGE,
    rules=("UW-ATK-1",),
    phase="attack",
)
def attack_targets(b: Battlefield) -> Finding:
    """UW-ATK-1."""
    one, reach = b.fighter(), b.a["range"]
    found = targets_from(b, one, b.hex_of(one), reach)
    return listed(
        b, one, found, msg("uw-targets", a=one.label, range=reach, who=labels(found)), ("UW-ATK-1",)
    )


def listed(
    b: Battlefield,
    one: Piece,
    found: Iterable[Piece],
    reason: Message,
    rules: tuple[str, ...],
    value: bool = False,
    zone: Iterable[Hex] = (),
) -> Finding:
    """A list of fighters; yes when there are any."""
    found = tuple(found)
    return Finding(
        reason,
        rules,
        Answer.of(bool(found)),
        value=counted(found) if value else None,
        kind="count",
        ids=ids(found),
        drawing=(*b.draw(zone), *b.draw_pieces((one,)), *b.draw_pieces(found, "contact")),
        notes=b.off_notes(one),
    )


@question(
    "scythe-targets",
    {"en": "Whom does Scythe strike?", "es": "¿A quién alcanza Segar?"},
    FIGHTER,
    rules=("UW-SCY-1",),
    phase="attack",
)
def scythe_targets(b: Battlefield) -> Finding:
    """UW-SCY-1. With two targets it is a compound action, which a Charge token forbids."""
    one = b.fighter()
    found = b.enemies(one, b.beside(b.hex_of(one)))
    if len(found) > 1 and one.has("charge-token"):
        reason = msg("uw-scythe-charged", a=one.label, n=len(found))
        return listed(b, one, (), reason, ("UW-SCY-1", "UW-ACT-1"), value=True)
    return listed(b, one, found, msg("uw-scythe", a=one.label, who=labels(found)), ("UW-SCY-1",), value=True)


@question(
    "stun-targets",
    {"en": "Whom may it stun?", "es": "¿A quién puede aturdir?"},
    FIGHTER,
    rules=("UW-STUN-1",),
    phase="attack",
)
def stun_targets(b: Battlefield) -> Finding:
    """UW-STUN-1."""
    one = b.fighter()
    found = [p for p in b.enemies(one, b.beside(b.hex_of(one))) if not p.has("staggered")]
    return listed(b, one, found, msg("uw-stun", a=one.label, who=labels(found)), ("UW-STUN-1",))


@question(
    "support",
    {"en": "How much support?", "es": "¿Cuánto apoyo?"},
    ATTACKER,
    TARGET,
    Input(
        "for",
        "choice",
        {"en": "support of", "es": "apoyo de"},
        False,
        ("attacker", "target"),
        "attacker",
    ),
    rules=("UW-SUP-1",),
    phase="attack",
)
def support(b: Battlefield) -> Finding:
    """UW-SUP-1."""
    attacker, target = b.fighter("attacker"), b.fighter("target")
    whose, at = (attacker, target) if b.a["for"] == "attacker" else (target, attacker)
    found = b.friends(whose, b.beside(b.hex_of(at)))
    level = min(len(found), 2)
    reason = msg(f"uw-support-{level}", a=whose.label, b=at.label, who=labels(found))
    return Finding(
        reason,
        ("UW-SUP-1",),
        value=counted(found),
        kind="count",
        ids=ids(found),
        drawing=(*b.draw_pieces((attacker, target)), *b.draw_pieces(found, "contact")),
        notes=b.off_notes(attacker, target),
    )


def _escapes(b: Battlefield, attacker: Piece, target: Piece) -> tuple[Hex, ...]:
    """The empty hexes next to the target that are farther from the attacker (UW-TRAP-1, UW-DRV-1)."""
    here, there = b.hex_of(attacker), b.hex_of(target)
    return tuple(h for h in neighbours(there) if b.empty(h) and b.ground.farther(here, h, than=there))


def _guarded(target: Piece, knockback: int) -> bool:
    """A fighter on Guard is not driven back, unless by Knockback."""
    return target.has("guard") and not knockback


@question(
    "trapped",
    {"en": "Is the target trapped?", "es": "¿Está atrapado?"},
    ATTACKER,
    TARGET,
    KNOCKBACK,
    rules=("UW-TRAP-1",),
    phase="attack",
)
def trapped(b: Battlefield) -> Finding:
    """UW-TRAP-1."""
    attacker, target = b.fighter("attacker"), b.fighter("target")
    ways = _escapes(b, attacker, target)
    guarded = _guarded(target, b.a["knockback"])
    holds = not ways and not guarded
    key = "uw-trapped" if holds else "uw-trapped-guard" if guarded else "uw-not-trapped"
    reason = msg(key, a=attacker.label, b=target.label, hexes=[spoken(h) for h in ways])
    drawing = (*b.draw(ways), *b.draw_pieces((attacker,)), *b.draw_pieces((target,), "contact"))
    return Finding(
        reason, ("UW-TRAP-1",), Answer.of(holds), drawing=drawing, notes=b.off_notes(attacker, target)
    )


@question(
    "drive-back",
    {"en": "Where may it be driven?", "es": "¿Adónde se le puede presionar?"},
    ATTACKER,
    TARGET,
    KNOCKBACK,
    rules=("UW-DRV-1", "UW-DRV-2"),
    phase="attack",
)
def drive_back(b: Battlefield) -> Finding:
    """UW-DRV-1, UW-DRV-2: one step away, then up to `knockback` more in the same direction."""
    attacker, target, more = b.fighter("attacker"), b.fighter("target"), b.a["knockback"]
    here, there = b.hex_of(attacker), b.hex_of(target)
    guarded = _guarded(target, more)
    found: list[Hex] = []
    for first in () if guarded else _escapes(b, attacker, target):
        found.append(first)
        before = first
        for h in islice(along(first, (first[0] - there[0], first[1] - there[1])), more):
            if not b.empty(h) or not b.ground.farther(here, h, than=before):
                break
            found.append(h)
            before = h
    key = "uw-drive-guard" if guarded else "uw-drive" if found else "uw-drive-none"
    return Finding(
        msg(key, a=attacker.label, b=target.label, hexes=[spoken(h) for h in found]),
        ("UW-DRV-1", *(("UW-DRV-2",) if more else ())),
        Answer.of(bool(found)),
        value=counted(found),
        kind="count",
        hexes=tuple(found),
        drawing=(*b.draw(found), *b.draw_pieces((attacker,)), *b.draw_pieces((target,), "contact")),
        notes=b.off_notes(attacker, target),
    )


register(
    {
        "uw-atk": {
            "en": "{b} is an enemy that {a} sees, at distance {n}; the Range is {range}.",
            "es": "{b} es un enemigo que {a} ve, a distancia {n}; el Alcance es {range}.",
        },
        "uw-atk-friend": {
            "en": "{b} is not an enemy fighter of {a}.",
            "es": "{b} no es un guerrero enemigo de {a}.",
        },
        "uw-atk-far": {
            "en": "{b} is at distance {n} from {a}; the Range is {range}.",
            "es": "{b} está a distancia {n} de {a}; el Alcance es {range}.",
        },
        "uw-atk-hidden": {
            "en": "{b} is within Range ({n} of {range}), but {a} does not see it.",
            "es": "{b} está dentro del Alcance ({n} de {range}), pero {a} no lo ve.",
        },
        "uw-targets": {
            "en": "Enemies that {a} sees within Range {range}: {who}.",
            "es": "Enemigos que {a} ve con Alcance {range}: {who}.",
        },
        "uw-scythe": {"en": "Scythe of {a} strikes {who}.", "es": "Segar de {a} alcanza a {who}."},
        "uw-scythe-charged": {
            "en": "{n} enemies are next to {a}: Scythe would be a compound action, which its Charge token forbids.",
            "es": "Hay {n} enemigos junto a {a}: Segar sería una superacción, y su marcador de Carga la impide.",
        },
        "uw-stun": {
            "en": "Enemies next to {a} without a Stagger token: {who}.",
            "es": "Enemigos junto a {a} sin marcador de Tambalear: {who}.",
        },
        "uw-support-0": {
            "en": "Friends of {a} next to {b}: {who}. No support.",
            "es": "Aliados de {a} junto a {b}: {who}. Sin apoyo.",
        },
        "uw-support-1": {
            "en": "Friends of {a} next to {b}: {who}. Single-support symbols count as successes.",
            "es": "Aliados de {a} junto a {b}: {who}. Los símbolos de apoyo simple son éxitos.",
        },
        "uw-support-2": {
            "en": "Friends of {a} next to {b}: {who}. Single- and double-support symbols count as successes.",
            "es": "Aliados de {a} junto a {b}: {who}. Los símbolos de apoyo simple y doble son éxitos.",
        },
        "uw-trapped": {
            "en": "No empty hex next to {b} is farther from {a}.",
            "es": "Ningún hexágono vacío junto a {b} está más lejos de {a}.",
        },
        "uw-not-trapped": {
            "en": "{b} could be driven away from {a} into {hexes}.",
            "es": "{b} podría ser presionado lejos de {a} a {hexes}.",
        },
        "uw-trapped-guard": {
            "en": "{b} is on Guard and cannot be driven back by {a}, so it cannot be trapped.",
            "es": "{b} está en Guardia y {a} no puede presionarlo, así que no queda atrapado.",
        },
        "uw-drive": {
            "en": "{a} may drive {b} back into {hexes}.",
            "es": "{a} puede presionar a {b} a {hexes}.",
        },
        "uw-drive-none": {
            "en": "No empty hex next to {b} is farther from {a}: it is trapped.",
            "es": "Ningún hexágono vacío junto a {b} está más lejos de {a}: está atrapado.",
        },
        "uw-drive-guard": {
            "en": "{b} is on Guard: {a} may not drive it back without Knockback.",
            "es": "{b} está en Guardia: {a} no puede presionarlo sin Rechazar.",
        },
    }
)  # fmt: skip
