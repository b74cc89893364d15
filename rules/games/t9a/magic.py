"""Spells: range, types, summoned units (T9A-MAG-1 … 4)."""

from __future__ import annotations

import math

from ...drawing import Drawing, Shape, polygon, segment
from ...errors import QuestionError
from ...footprint import Footprint
from ...messages import Length, Message, msg, register
from ...verdict import Answer, Finding
from .arcs import arc_depth, arc_lines
from .blocks import Unit
from .contact import is_engaged
from .near import obstacles, spacing_offenders
from .numbers import EPS, SPACING
from .sight import can_see, sight_drawing, targets_of
from .view import Ref, View, outline, query
from .words import FROM, TO, need, opt

__all__: list[str] = []

TYPES = (
    "direct", "missile", "damage", "hex", "augment", "universal", "focused", "ground", "caster", "caster-unit",
    "aura",
)  # fmt: skip


def _caster(v: View, name: str) -> Ref:
    """The casting model: named, or the only character of the unit named."""
    ref = v.ref(name)
    if ref.unit is None:
        raise QuestionError.of("t9a-not-a-unit", name, got=ref.label)
    if ref.model is None:
        marked = [m for m in ref.unit.models if "character" in m.words and "character" not in ref.unit.words]
        guests = [m for m in ref.unit.models if m.beside]
        if len(marked) + len(guests) == 1:
            return v.lookup((marked or guests)[0].id, name)
        if len(ref.unit.models) == 1:
            return v.lookup(ref.id, name)
    return ref


def _types(v: View) -> list[str]:
    raw = v["types"]
    raw = [raw] if isinstance(raw, str) else raw
    if not isinstance(raw, list | tuple) or any(t not in TYPES for t in raw):
        raise QuestionError.of("fault-one-of", "types", limit=", ".join(TYPES), got=repr(raw)[:80])
    return list(raw)


@query(
    "spell-target",
    {"en": "Can the spell target it?", "es": "¿Puede el hechizo tenerlo como objetivo?"},
    FROM,
    TO,
    need("spell_range", "length", "range of the spell", "alcance del hechizo"),
    need("types", "json", "types of the spell", "tipos del hechizo"),
    rules=("T9A-MAG-1", "T9A-MAG-2", "T9A-MAG-3", "T9A-MAG-4"),
    phase="magic",
)
def spell_target(v: View) -> Finding:
    caster, to = _caster(v, "from"), v.ref("to")
    mine = caster.unit
    assert mine is not None
    types = _types(v)
    reach: float = v["spell_range"]
    away, p, q = caster.footprint.closest(to.footprint)
    away = 0.0 if to.unit is not None and to.unit.id == mine.id and not to.is_model else max(0.0, away)
    faults: list[tuple[str, Message, float | None]] = []
    margins = [reach - away]
    drawing: Drawing = (segment(p, q, "measure"),)
    own = to.unit is not None and to.unit.id == mine.id
    friend = to.unit is not None and to.unit.side == mine.side
    enemy = to.unit is not None and v.are_enemies(mine, to.unit)

    def need_(holds: bool, rule: str, key: str) -> None:
        if not holds:
            faults.append((rule, msg(key, a=caster.label, b=to.label), None))

    need_(not mine.has("fleeing"), "T9A-MAG-3", "t9a-spell-flees")
    if not {"caster", "caster-unit"} & set(types) and away > reach + EPS:
        text = msg("t9a-spell-far", a=caster.label, b=to.label, d=Length(away), limit=Length(reach))
        faults.append(("T9A-MAG-1", text, reach - away))
    for kind in types:
        match kind:
            case "hex":
                need_(enemy, "T9A-MAG-3", "t9a-spell-enemy")
            case "augment":
                need_(friend, "T9A-MAG-3", "t9a-spell-friend")
            case "universal":
                need_(to.unit is not None, "T9A-MAG-3", "t9a-spell-unit")
            case "damage":
                need_(to.unit is None or not is_engaged(v, to.unit), "T9A-MAG-3", "t9a-spell-engaged")
            case "focused":
                need_(
                    to.is_model or (to.unit is not None and len(to.unit.models) == 1),
                    "T9A-MAG-3",
                    "t9a-spell-model",
                )
            case "ground":
                need_(to.unit is None, "T9A-MAG-4", "t9a-spell-ground")
            case "caster":
                need_(own and (to.model is None or to.id == caster.id), "T9A-MAG-3", "t9a-spell-self")
            case "caster-unit":
                need_(own, "T9A-MAG-3", "t9a-spell-own")
            case "direct":
                frame = caster.frame
                depth = math.inf if frame.round else arc_depth(frame, "front", to.footprint)
                margins.append(depth)
                drawing = (*drawing, *arc_lines(frame))
                if depth < -EPS:
                    text = msg(
                        "t9a-not-in-arc",
                        a=caster.label,
                        b=to.label,
                        arc=msg("t9a-the-front"),
                        d=Length(-depth),
                    )
                    faults.append(("T9A-MAG-2", text, depth))
            case "missile":
                need_(not is_engaged(v, mine), "T9A-MAG-3", "t9a-spell-busy")
                _ = caster.frame
                limit = mine if to.unit is not None else None
                sight = can_see(v, caster.mates, targets_of(v, to), unit=limit)
                margins.append(sight.margin)
                drawing = (*drawing, *sight_drawing(v, sight))
                if not sight.sees:
                    text = msg("t9a-spell-sight", a=caster.label, b=to.label, ids=sight.blockers or "–")
                    faults.append(("T9A-MAG-3", text, sight.margin))
    holds = not faults
    if holds:
        reason = msg("t9a-spell-yes", a=caster.label, b=to.label, d=Length(away), limit=Length(reach))
        margin: float | None = min(margins)
    else:
        reason = faults[0][1]
        sized = [m for _, _, m in faults if m is not None]
        margin = min(sized) if len(sized) == len(faults) else None
    return Finding(
        reason,
        tuple(dict.fromkeys(["T9A-MAG-1", *(r for r, _, _ in faults), "T9A-MAG-3"])),
        Answer.of(holds),
        value=away,
        limit=reach,
        margin_mm=margin if margin is not None and math.isfinite(margin) else None,
        steps=tuple(t for _, t, _ in faults),
        drawing=drawing,
        depends=v.depends(mine, to.unit) | v.ids_of(to.id) if "missile" not in types else None,
    )


@query(
    "summon-placement",
    {"en": "May the summoned unit stand here?", "es": "¿Puede aparecer aquí la unidad invocada?"},
    FROM,
    need("caster", "place", "caster", "lanzador"),
    need("spell_range", "length", "range of the spell", "alcance del hechizo"),
    opt("point", "point", "target point", "punto objetivo"),
    rules=("T9A-MAG-4", "T9A-SPC-5"),
    phase="magic",
)
def summon_placement(v: View) -> Finding:
    unit, caster = v.unit(), _caster(v, "caster")
    reach: float = v["spell_range"]
    far, who = 0.0, unit.models[0]
    for m in unit.models:
        d = max(0.0, caster.footprint.gap(m.frame.footprint))
        if d > far:
            far, who = d, m
    margins = [reach - far]
    over = True
    if v.given("point"):
        over, room = _over(unit, v["point"])
        margins.append(room)
    others = obstacles(v, unit)
    gaps = v.gaps(unit.footprint, others)
    ids = tuple(spacing_offenders(gaps, others, SPACING, True))
    margins += [g - SPACING for g in gaps]
    holds = far <= reach + EPS and over and not ids
    if far > reach + EPS:
        reason = msg("t9a-summon-far", a=who.id, d=Length(far), limit=Length(reach))
    elif not over:
        reason = msg("t9a-summon-point", a=unit.label)
    elif ids:
        reason = msg(
            "t9a-reform-near", a=unit.label, b=ids[0], d=Length(max(0.0, min(gaps))), limit=Length(SPACING)
        )
    else:
        reason = msg("t9a-summon-yes", a=unit.label, d=Length(far), limit=Length(reach))
    lines: list[Shape] = [segment(*caster.footprint.closest(who.frame.footprint)[1:], "measure")]
    return Finding(
        reason,
        ("T9A-MAG-4", "T9A-SPC-5"),
        Answer.of(holds),
        value=far,
        limit=reach,
        ids=ids,
        margin_mm=min(margins),
        drawing=(
            outline(unit.boundary),
            *(polygon(m.frame.ring.tolist(), "piece") for m in unit.models),
            *lines,
        ),
    )


def _over(unit: Unit, point: tuple[float, float]) -> tuple[bool, float]:
    """Whether a base stands over a point, and how deep it is under it."""

    spot = Footprint.disc(point, 0.0)
    room = max(-m.frame.footprint.gap(spot) for m in unit.models)
    return room >= -EPS, room


register(
    {
        "t9a-spell-yes": {
            "en": "{b} is {d} from {a}, within {limit}, and all types of the spell allow it.",
            "es": "{b} está a {d} de {a}, dentro de {limit}, y todos los tipos del hechizo lo permiten.",
        },
        "t9a-spell-far": {
            "en": "{b} is {d} from {a}; the range is {limit}.",
            "es": "{b} está a {d} de {a}; el alcance es {limit}.",
        },
        "t9a-spell-flees": {
            "en": "{a} is fleeing and cannot cast (target {b}).",
            "es": "{a} está huyendo y no puede lanzar hechizos (objetivo {b}).",
        },
        "t9a-spell-enemy": {
            "en": "A hex of {a} needs an enemy; {b} is none.",
            "es": "Una maldición de {a} necesita un enemigo; {b} no lo es.",
        },
        "t9a-spell-friend": {
            "en": "An augment of {a} needs a friend; {b} is none.",
            "es": "Una potenciación de {a} necesita un amigo; {b} no lo es.",
        },
        "t9a-spell-unit": {
            "en": "The spell of {a} needs a unit; {b} is none.",
            "es": "El hechizo de {a} necesita una unidad; {b} no lo es.",
        },
        "t9a-spell-engaged": {
            "en": "{b} is engaged: a damage spell of {a} cannot target it.",
            "es": "{b} está trabada: un hechizo de daño de {a} no puede tenerla como objetivo.",
        },
        "t9a-spell-model": {
            "en": "A focused spell of {a} needs one model; {b} has several.",
            "es": "Un hechizo enfocado de {a} necesita una sola miniatura; {b} tiene varias.",
        },
        "t9a-spell-ground": {
            "en": "The spell of {a} targets a point on the ground; {b} is none.",
            "es": "El hechizo de {a} tiene como objetivo un punto del terreno; {b} no lo es.",
        },
        "t9a-spell-self": {
            "en": "The spell targets only {a} itself, not {b}.",
            "es": "El hechizo solo afecta a {a}, no a {b}.",
        },
        "t9a-spell-own": {
            "en": "The spell targets only the unit of {a}, not {b}.",
            "es": "El hechizo solo afecta a la unidad de {a}, no a {b}.",
        },
        "t9a-spell-busy": {
            "en": "The unit of {a} is engaged: no missile at {b}.",
            "es": "La unidad de {a} está trabada: no puede lanzar un proyectil contra {b}.",
        },
        "t9a-spell-sight": {
            "en": "{a} has no line of sight to {b} ({ids}), which a missile needs.",
            "es": "{a} no tiene línea de visión hasta {b} ({ids}), y un proyectil la necesita.",
        },
        "t9a-summon-yes": {
            "en": "Every model of {a} is within {limit} of the caster ({d} at most) and the unit keeps its distance.",
            "es": "Todas las miniaturas de {a} están a {limit} o menos del lanzador ({d} como mucho) y la unidad guarda las distancias.",
        },
        "t9a-summon-far": {
            "en": "{a} is {d} from the caster; the range is {limit}.",
            "es": "{a} está a {d} del lanzador; el alcance es {limit}.",
        },
        "t9a-summon-point": {
            "en": "No base of {a} stands over the target point.",
            "es": "Ninguna peana de {a} está sobre el punto objetivo.",
        },
    }
)
