"""Shifts while engaged, closing in and reforming: RW-SHIFT, RW-CLOSE, RW-REFORM."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ...checks import Check, conclude
from ...errors import QuestionError, Unknown
from ...game import Asked, Input
from ...messages import Angle, Length, msg, register
from ...plane import rotate
from ...verdict import Answer, Finding
from .field import Field, Unit, draw_unit, tray_name
from .game import FROM, GAME, SLACK_MM, TO, UNIT
from .move import DIRECTIONS, DURING, SPEED, March, label_of, march_of, touched_at

OPPOSITE = {"front": "back", "rear": "forward", "left-flank": "right", "right-flank": "left"}
"""RW-SHIFT-2: which way leads straight away from an own edge."""

WAY = Input("direction", "choice", {"en": "direction", "es": "dirección"}, choices=DIRECTIONS)


@GAME.query(
    "shift-legal",
    {"en": "Is this shift legal?", "es": "¿Es legal este desplazamiento?"},
    UNIT,
    WAY,
    SPEED,
    DURING,
    rules=("RW-SHIFT-1", "RW-SHIFT-2", "RW-SHIFT-3"),
    phase="move",
    premeasures=True,
)
def shift_legal(a: Asked) -> Finding:
    """RW-SHIFT-1…3: enemies kept along the same edges, enemies left straight away from the edge they touch."""
    march = march_of(a, "shift")
    field, unit, end = march.field, march.unit, march.end
    if march.cancelled is not None:
        return Finding(march.cancelled, ("RW-SPEED-1",), Answer.NO, depends=frozenset())
    before, margins = field.engaged_with(unit)
    kept, left, bad = [], [], []
    for enemy in before:
        if _same_edges(field, unit, end, enemy):
            kept.append(enemy)
        elif not field.engaged(end, enemy) and march.direction in _ways_off(field, unit, enemy):
            left.append(enemy)
        else:
            bad.append(enemy)
    # an ally merely touched is not collided with; one that stopped the shift is an obstacle (RW-MOVE-5)
    fresh = list(march.collided) if kept else []
    checks = [
        Check(
            not bad,
            msg("rw-shift-lost", ids=[e.label for e in bad]) if bad else msg("rw-shift-none-lost"),
            ("RW-SHIFT-1", "RW-SHIFT-2"),
            _part(march, bad),
        ),
        Check(
            not fresh,
            msg("rw-shift-new", ids=[label_of(field, n) for n in fresh])
            if fresh
            else msg("rw-shift-none-new"),
            ("RW-SHIFT-1",),
            _part(march, fresh),
        ),
    ]
    yes = Finding(
        msg(
            "rw-shift-yes",
            a=unit.label,
            kept=[e.label for e in kept] or ["–"],
            left=[e.label for e in left] or ["–"],
        ),
        ("RW-SHIFT-1", "RW-SHIFT-2", "RW-SHIFT-3"),
        value=len(left),
        kind="count",
        drawing=march.drawing(),
        notes=march.notes(),
        depends=march.depends() | field.near_flipping(unit, margins),
    )
    found = conclude(checks, yes)
    return found if found.answer is Answer.YES else _without_value(found)


def _part(march: March, bad: list[Any]) -> float:
    size = march.margin_mm
    return -size if bad else size


def _without_value(finding: Finding) -> Finding:
    return replace(finding, value=None)


def _same_edges(field: Field, unit: Unit, end: Unit, enemy: Unit) -> bool:
    """RW-SHIFT-1: still in contact along the same own edge and the same enemy edge, by a stretch."""
    mine, other = field.edges(unit, enemy), field.edges(enemy, unit)
    after = {(x, y) for x, y, _ in field.shared(end, enemy)}
    return any((x, y) in after for x in mine for y in other)


def _ways_off(field: Field, unit: Unit, enemy: Unit) -> set[str]:
    return {OPPOSITE[e] for e in field.edges(unit, enemy) if e in OPPOSITE}


@GAME.query(
    "close-in",
    {"en": "May it close in?", "es": "¿Puede reducir la distancia?"},
    FROM,
    TO,
    DURING,
    rules=("RW-CLOSE-1", "RW-CLOSE-2"),
    phase="fight",
    premeasures=True,
)
def close_in(a: Asked) -> Finding:
    """RW-CLOSE-1, -2: a speed-1 shift in one of the four directions that collides with that enemy."""
    field = Field(a)
    one, two = field.named("from"), field.named("to")
    if one.terrain is not None:
        raise Unknown(msg("rw-in-terrain", a=one.label, t=one.terrain.label), ("RW-TERR-3",))
    foes, margins = field.engaged_with(one)
    marches = [March(field, one, "shift", way, 1) for way in DIRECTIONS]
    reached = [field.touch_mm(m.end.outline, two.outline) for m in marches]
    best = int(np.argmax(reached))
    holds = reached[best] >= -SLACK_MM
    rest = [m for i, m in margins.items() if i != two.id and math.isfinite(m)]
    others = [f for f in foes if f.id != two.id]
    length = Length(marches[best].template_mm)
    key = "rw-close-reach" if holds else "rw-close-far"
    reach = msg(key, a=one.label, b=two.label, d=Length(abs(reached[best])), limit=length)
    engaged = msg("rw-close-engaged", a=one.label, ids=[f.label for f in others])
    checks = [
        Check(field.enemies(one, two), msg("rw-not-enemies", a=one.label, b=two.label), ("RW-CLOSE-1",)),
        Check(
            not others,
            engaged if others else msg("rw-not-engaged", a=one.label),
            ("RW-CLOSE-2",),
            -max(rest) if rest else None,
        ),
        Check(holds, reach, ("RW-CLOSE-1",), reached[best]),
    ]
    depends = frozenset().union(*(m.depends() for m in marches)) | {two.id}
    yes = Finding(
        reach,
        ("RW-CLOSE-1", "RW-CLOSE-2"),
        drawing=(*marches[best].drawing(), draw_unit(two, "contact")),
        depends=depends,
    )
    return conclude(checks, yes)


@GAME.query(
    "reform",
    {"en": "May it reform so?", "es": "¿Puede reorganizarse así?"},
    UNIT,
    Input("pivot", "text", {"en": "pivot: centre or a tray", "es": "pivote: centre o una bandeja"}, required=False, default="centre"),
    Input("facing", "angle", {"en": "new facing", "es": "nueva orientación"}),
    rules=("RW-REFORM-1", "RW-REFORM-2"),
    phase="move",
)  # fmt: skip
def reform(a: Asked) -> Finding:
    """RW-REFORM-1, -2: the final position decides, the turning path does not matter."""
    field = Field(a)
    unit = field.named("unit")
    if unit.terrain is not None:
        raise Unknown(msg("rw-in-terrain", a=unit.label, t=unit.terrain.label), ("RW-TERR-3",))
    end = unit.placed(*_pivoted(unit, a["pivot"], a["facing"]))
    foes, _ = field.engaged_with(unit)
    touch = touched_at(field, end)
    enemies = {f.id for f in foes}
    for foe in foes:  # the terrain of an occupant is the occupant (RW-ENG-4)
        if foe.terrain is not None:
            touch.pop(foe.terrain.id, None)
    offended = [
        n for n, m in touch.items() if m >= -SLACK_MM and (n not in enemies or _overlaps(field, end, n))
    ]
    size = min((abs(m) for m in touch.values() if math.isfinite(m)), default=math.inf)
    rules: tuple[str, ...] = ("RW-REFORM-2",) if foes else ("RW-REFORM-1",)
    names = [label_of(field, n) for n in offended]
    checks = []
    if not foes:
        checks.append(Check(a["pivot"] == "centre", msg("rw-reform-pivot"), ("RW-REFORM-1",)))
    lost = [f for f in foes if not _keeps(field, unit, end, f)]
    text = msg("rw-reform-lost", ids=[f.label for f in lost]) if lost else msg("rw-reform-kept")
    if foes:
        checks.append(Check(not lost, text, rules, -size if lost else size))
    worst = max(((m, n) for n, m in touch.items() if n not in enemies), default=(-math.inf, ""))[0]
    free = -worst if not offended or all(n not in enemies for n in offended) else -size
    blocked = msg("rw-reform-blocked", ids=names) if names else msg("rw-reform-free", a=unit.label)
    checks.append(Check(not offended, blocked, rules, free if math.isfinite(free) else None))
    yes = Finding(
        msg("rw-reform-yes", a=unit.label, deg=Angle(a["facing"])),
        rules,
        blockers=tuple(offended),
        drawing=(draw_unit(unit), draw_unit(end, "path")),
        depends=field.near_flipping(unit, {n: m for n, m in touch.items() if field.asked.scene.find(n)})
        | enemies,
    )
    return conclude(checks, yes)


def _pivoted(unit: Unit, pivot: str, facing_deg: float) -> tuple[tuple[float, float], float]:
    block = unit.block
    if pivot == "centre":
        return block.at, facing_deg
    names = {tray_name(*slot): slot for slot in block.slots}
    if pivot not in names:
        known = ", ".join(["centre", *names])
        raise QuestionError.of("fault-one-of", "pivot", limit=known, got=repr(pivot))
    at = rotate(np.asarray(block.at), block.centre(*names[pivot]), facing_deg - block.facing_deg)
    return (float(at[0]), float(at[1])), facing_deg


def _overlaps(field: Field, end: Unit, name: str) -> bool:
    other = next((u for u in field.units if u.id == name), None)
    return other is not None and end.outline.gap(other.outline) < -SLACK_MM


def _keeps(field: Field, unit: Unit, end: Unit, enemy: Unit) -> bool:
    """RW-REFORM-2: still in contact, on the same edge of the enemy."""
    if not field.engaged(end, enemy):
        return False
    before, after = field.edges(enemy, unit), field.edges(enemy, end)
    return bool(before) and before[0] in after


register(
    {
        "rw-shift-yes": {
            "en": "{a} may shift so; it stays in contact with {kept} and disengages from {left}.",
            "es": "{a} puede desplazarse así; sigue en contacto con {kept} y se destraba de {left}.",
        },
        "rw-shift-lost": {
            "en": "Contact neither kept along the same edges nor left straight away from the edge: {ids}",
            "es": "Contacto ni conservado por los mismos bordes ni dejado en dirección opuesta al borde: {ids}",
        },
        "rw-shift-none-lost": {
            "en": "No contact is lost in a way that is not allowed.",
            "es": "Ningún contacto se pierde de un modo no permitido.",
        },
        "rw-shift-none-new": {
            "en": "Nothing new is touched that must not be.",
            "es": "No se toca nada nuevo que no se deba tocar.",
        },
        "rw-shift-new": {
            "en": "A repositioning unit may touch nothing new: {ids}",
            "es": "Una unidad que se reposiciona no puede tocar nada nuevo: {ids}",
        },
        "rw-close-reach": {
            "en": "A speed-1 shift ({limit}) brings {a} into contact with {b} ({d} within the tolerance).",
            "es": "Un desplazamiento de velocidad 1 ({limit}) pone {a} en contacto con {b} ({d} dentro de la tolerancia).",
        },
        "rw-close-far": {
            "en": "No speed-1 shift ({limit}) brings {a} into contact with {b}: {d} is missing.",
            "es": "Ningún desplazamiento de velocidad 1 ({limit}) pone {a} en contacto con {b}: faltan {d}.",
        },
        "rw-close-engaged": {
            "en": "{a} is still engaged with {ids} and may not close in.",
            "es": "{a} sigue trabada con {ids} y no puede reducir la distancia.",
        },
        "rw-reform-yes": {"en": "{a} may reform to face {deg}.", "es": "{a} puede reorganizarse mirando a {deg}."},
        "rw-reform-free": {"en": "{a} would touch nothing it must not.", "es": "{a} no tocaría nada que no deba."},
        "rw-reform-blocked": {"en": "It would touch or overlap {ids}.", "es": "Tocaría o solaparía {ids}."},
        "rw-reform-lost": {
            "en": "It would not stay on the same edge of {ids}.",
            "es": "No seguiría en el mismo borde de {ids}.",
        },
        "rw-reform-kept": {"en": "It stays on the same edge of its enemies.", "es": "Sigue en el mismo borde de sus enemigas."},
        "rw-reform-pivot": {
            "en": "A unit that is not engaged reforms about its centre.",
            "es": "Una unidad no trabada se reorganiza sobre su centro.",
        },
    }
)  # fmt: skip
