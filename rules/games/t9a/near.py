"""Keeping away and coming near: spacing, march tests, panic, auras, vanguard, frenzy, placing terrain."""

from __future__ import annotations

from ...drawing import Drawing, Shape, polygon, segment
from ...footprint import between
from ...messages import Length, msg, register
from ...verdict import Answer, Finding
from .arcs import arc_depth, arc_lines
from .blocks import Unit
from .contact import is_engaged
from .numbers import EPS, INCH, SPACING, SPACING_MOVING
from .view import Feature, View, outline, query
from .words import ADVANCE, EXEMPT, FROM, need, opt

__all__ = ["obstacles", "spacing_offenders"]

MARCH_TEST = 8 * INCH
CLAMOUR = 18 * INCH
PANIC = 6 * INCH
VANGUARD = 12 * INCH
VANGUARD_SPECIAL = 6 * INCH
FRENZY = 7 * INCH
FEATURES_APART = 6 * INCH


def obstacles(v: View, unit: Unit, exempt: tuple[str, ...] = ()) -> list[Unit | Feature]:
    """All that a unit keeps its distance from: other units and impassable terrain (T9A-SPC-1)."""
    things: list[Unit | Feature] = [*v.others(unit), *v.impassable]
    return [o for o in things if o.id not in exempt]


def spacing_offenders(gaps: list[float], of: list[Unit | Feature], limit: float, open_: bool) -> list[str]:
    """Who is too near: within `limit` (`open_`: more than it is needed), or nearer than it."""
    slack = EPS if open_ else -EPS
    return [
        o.id for o, g in zip(of, gaps, strict=True) if (g <= limit + slack if open_ else g < limit + slack)
    ]


def near_drawing(v: View, unit: Unit, others: list[Unit | Feature]) -> Drawing:
    out: list[Shape] = [outline(unit.boundary)]
    for o in others:
        _, p, q = unit.footprint.closest(o.footprint)
        out.append(segment(p, q, "measure"))
    return tuple(out)


@query(
    "spacing",
    {"en": "Is the unit spacing kept?", "es": "¿Se guarda el espacio entre unidades?"},
    FROM,
    opt("mode", "choice", "at rest or moving", "en reposo o en movimiento", ("rest", "move")),
    EXEMPT,
    rules=("T9A-SPC-1", "T9A-SPC-2", "T9A-SPC-4"),
    phase="movement",
)
def spacing(v: View) -> Finding:
    ref = v.ref("from")
    unit = v.unit()
    others = obstacles(v, unit, v.named("exempt"))
    gaps = v.gaps(ref.footprint, others)
    moving = v["mode"] == "move"
    limit = SPACING_MOVING if moving else SPACING
    ids = tuple(spacing_offenders(gaps, others, limit, not moving))
    least = min(gaps, default=None)
    nearest = [others[gaps.index(least)]] if least is not None else []
    bad: list[Unit | Feature] = [o for o in others if o.id in ids]
    if least is None:
        reason = msg("t9a-spacing-alone", a=ref.label)
    else:
        key = ("t9a-spacing-move" if moving else "t9a-spacing-rest") + ("-no" if ids else "-yes")
        reason = msg(key, a=ref.label, b=nearest[0].id, d=Length(max(0.0, least)), limit=Length(limit))
    rules = ["T9A-SPC-2" if moving else "T9A-SPC-1"]
    if v["exempt"]:
        rules.append("T9A-SPC-4")
    return Finding(
        reason,
        tuple(rules),
        Answer.of(not ids),
        ids=ids,
        value=None if least is None else max(0.0, least),
        limit=limit,
        margin_mm=None if least is None else least - limit,
        drawing=near_drawing(v, unit, bad or nearest),
    )


@query(
    "march-test",
    {"en": "Does it need a march test?", "es": "¿Necesita un chequeo de marcha?"},
    FROM,
    rules=("T9A-MOV-1", "T9A-MOV-2"),
    phase="movement",
)
def march_test(v: View) -> Finding:
    unit = v.unit()
    enemies = v.enemies(unit)
    gaps = v.gaps(unit.footprint, enemies)
    inside: list[Unit] = []
    musicians: list[Unit] = []
    best: float | None = None
    border: float | None = None
    for e, g in zip(enemies, gaps, strict=True):
        limit = CLAMOUR if e.has("deafening-clamour") else MARCH_TEST
        border = abs(limit - g) if border is None else min(border, abs(limit - g))
        if not e.has("fleeing"):
            best = limit - g if best is None else max(best, limit - g)
            if g <= limit + EPS:
                inside.append(e)
        if g <= limit + EPS and (e.has("musician") or e.has("deafening-clamour")):
            musicians.append(e)
    own = unit.has("musician") or unit.has("deafening-clamour")
    worse = bool(inside) and bool(musicians) and not own
    ids = tuple(e.id for e in inside)
    key = "t9a-march-yes" if inside else "t9a-march-no"
    steps = (msg("t9a-march-musician", b=musicians[0].label),) if worse else ()
    margin = best if border is None or best is None else (min(best, border) if best >= 0 else best)
    return Finding(
        msg(key, a=unit.label, n=len(ids), ids=ids, limit=Length(MARCH_TEST)),
        ("T9A-MOV-1", "T9A-MOV-2"),
        Answer.of(bool(inside)),
        value=-1.0 if worse else 0.0,
        kind="count",
        ids=ids,
        margin_mm=margin,
        steps=steps,
        drawing=near_drawing(v, unit, [*inside]),
    )


@query(
    "panic",
    {"en": "Who must take a panic test?", "es": "¿Quién hace chequeo de pánico?"},
    FROM,
    rules=("T9A-PAN-1",),
    phase="flight",
)
def panic(v: View) -> Finding:
    unit = v.unit()
    able = [
        f
        for f in v.friends(unit)
        if not f.has("fleeing")
        and not is_engaged(v, f)
        and not (unit.has("insignificant") and not f.half_are("insignificant"))
    ]
    return _within(v, unit, able, PANIC, "t9a-panic", ("T9A-PAN-1",))


def _within(
    v: View, unit: Unit, units: list[Unit], limit: float, key: str, rules: tuple[str, ...]
) -> Finding:
    gaps = v.gaps(unit.footprint, units)
    ids = tuple(u.id for u, g in zip(units, gaps, strict=True) if g <= limit + EPS)
    margin = min((abs(limit - g) for g in gaps), default=None)
    return Finding(
        msg(key, a=unit.label, n=len(ids), ids=ids or "–", limit=Length(limit)),
        rules,
        ids=ids,
        limit=limit,
        margin_mm=margin,
        drawing=near_drawing(v, unit, [u for u in units if u.id in ids]),
    )


@query(
    "aura",
    {"en": "Which units are in the aura?", "es": "¿Qué unidades están en el aura?"},
    FROM,
    need("radius", "length", "range of the aura", "alcance del aura"),
    need("who", "choice", "whom it reaches", "a quién alcanza", ("friends", "enemies", "all")),
    rules=("T9A-AURA-1", "T9A-DIST-5"),
    phase="magic",
)
def aura(v: View) -> Finding:
    ref, unit = v.ref("from"), v.unit()
    radius: float = v["radius"]
    rules = ("T9A-AURA-1", "T9A-DIST-5")
    if unit.has("fleeing"):
        return Finding(msg("t9a-aura-flees", a=ref.label), rules, ids=(), depends=frozenset())
    who = v["who"]
    pool = [
        u
        for u in v.others(unit)
        if who == "all" or (v.are_enemies(unit, u) if who == "enemies" else u.side == unit.side)
    ]
    gaps = v.gaps(ref.footprint, pool)
    inside = [u for u, g in zip(pool, gaps, strict=True) if g <= radius + EPS]
    ids = tuple(u.id for u in ([unit] if who != "enemies" else []) + inside)
    drawing: Drawing = tuple(segment(*ref.footprint.closest(u.footprint)[1:], "measure") for u in inside)
    grown = ref.footprint.geometry.buffer(radius)
    return Finding(
        msg("t9a-aura", a=ref.label, n=len(ids), ids=ids or "–", limit=Length(radius)),
        rules,
        ids=ids,
        limit=radius,
        margin_mm=min((abs(radius - g) for g in gaps), default=None),
        drawing=(polygon(grown.exterior.coords, "zone"), *drawing),
    )


@query(
    "vanguard-end",
    {"en": "May the vanguard move end here?", "es": "¿Puede acabar aquí la vanguardia?"},
    FROM,
    rules=("T9A-SPEC-VANGUARD",),
    phase="deploy",
)
def vanguard_end(v: View) -> Finding:
    unit = v.unit()
    enemies = v.enemies(unit)
    gaps = v.gaps(unit.footprint, enemies)
    limits = [VANGUARD_SPECIAL if e.has("scouted") or e.has("vanguarded") else VANGUARD for e in enemies]
    bad = [e for e, g, k in zip(enemies, gaps, limits, strict=True) if g <= k + EPS]
    margin = min((g - k for g, k in zip(gaps, limits, strict=True)), default=None)
    key = "t9a-vanguard-no" if bad else "t9a-vanguard-yes"
    ids = tuple(e.id for e in bad)
    return Finding(
        msg(key, a=unit.label, ids=ids or "–", far=Length(VANGUARD), near=Length(VANGUARD_SPECIAL)),
        ("T9A-SPEC-VANGUARD",),
        Answer.of(not bad),
        ids=ids,
        margin_mm=margin,
        drawing=near_drawing(v, unit, [*bad] or [*enemies]),
    )


@query(
    "frenzy-test",
    {"en": "Does it need a frenzy test?", "es": "¿Necesita un chequeo de frenesí?"},
    FROM,
    ADVANCE,
    rules=("T9A-SPEC-FRENZY", "T9A-ARC-2"),
    phase="charge",
)
def frenzy_test(v: View) -> Finding:
    unit = v.unit()
    rules = ("T9A-SPEC-FRENZY", "T9A-ARC-2")
    if unit.has("fleeing") or unit.has("shaken") or is_engaged(v, unit):
        return Finding(msg("t9a-frenzy-state", a=unit.label), rules, Answer.NO, ids=())
    frame = unit.frame
    limit = v["advance"] + FRENZY
    enemies = v.enemies(unit)
    gaps = v.gaps(unit.footprint, enemies)
    reach = [
        min(limit - g, float("inf") if frame.round else arc_depth(frame, "front", e.footprint))
        for e, g in zip(enemies, gaps, strict=True)
    ]
    ids = tuple(e.id for e, r in zip(enemies, reach, strict=True) if r >= -EPS)
    key = "t9a-frenzy-yes" if ids else "t9a-frenzy-no"
    return Finding(
        msg(key, a=unit.label, ids=ids or "–", limit=Length(limit)),
        rules,
        Answer.of(bool(ids)),
        ids=ids,
        limit=limit,
        margin_mm=(min(abs(r) for r in reach) if ids else max(reach)) if reach else None,
        drawing=(*arc_lines(frame), *near_drawing(v, unit, [e for e in enemies if e.id in ids])),
    )


@query(
    "terrain-placement",
    {"en": "Are the terrain pieces far enough apart?", "es": "¿Hay bastante espacio entre la escenografía?"},
    rules=("T9A-BRD-3",),
    phase="deploy",
)
def terrain_placement(v: View) -> Finding:
    features = list(v.features.values())
    prints = [f.footprint for f in features]
    gaps = between(prints, prints) if prints else None
    bad: dict[str, None] = {}
    lines: list[Shape] = []
    margin: float | None = None
    for i in range(len(features)):
        for j in range(i + 1, len(features)):
            assert gaps is not None
            g = float(gaps[i, j])
            margin = g - FEATURES_APART if margin is None else min(margin, g - FEATURES_APART)
            if g <= FEATURES_APART + EPS:
                bad |= {features[i].id: None, features[j].id: None}
                lines.append(segment(*prints[i].closest(prints[j])[1:], "measure"))
    key = "t9a-features-no" if bad else "t9a-features-yes"
    return Finding(
        msg(key, ids=tuple(bad) or "–", limit=Length(FEATURES_APART)),
        ("T9A-BRD-3",),
        Answer.of(not bad),
        ids=tuple(bad),
        limit=FEATURES_APART,
        margin_mm=margin,
        drawing=tuple(lines),
        depends=frozenset(),
    )


register(
    {
        "t9a-spacing-alone": {
            "en": "Nothing that {a} has to keep away from is on the table.",
            "es": "No hay nada en la mesa de lo que {a} deba apartarse.",
        },
        "t9a-spacing-rest-yes": {
            "en": "{b} is nearest to {a}: {d}, more than {limit}.",
            "es": "{b} es lo más próximo a {a}: {d}, más de {limit}.",
        },
        "t9a-spacing-rest-no": {
            "en": "{b} is {d} from {a}; at rest it must be more than {limit}.",
            "es": "{b} está a {d} de {a}; en reposo tiene que ser más de {limit}.",
        },
        "t9a-spacing-move-yes": {
            "en": "{b} is nearest to {a}: {d}; on the way {limit} is enough.",
            "es": "{b} es lo más próximo a {a}: {d}; en movimiento bastan {limit}.",
        },
        "t9a-spacing-move-no": {
            "en": "{b} is {d} from {a}; on the way it may come no nearer than {limit}.",
            "es": "{b} está a {d} de {a}; en movimiento no puede acercarse a menos de {limit}.",
        },
        "t9a-march-yes": {
            "en": "{a} needs a march test: {ids} within {limit} (18 in with Deafening Clamour); {n} in all.",
            "es": "{a} necesita chequeo de marcha: {ids} a {limit} o menos (18 in con Clamor Ensordecedor); {n} en total.",
        },
        "t9a-march-no": {
            "en": "No enemy that is not fleeing is within {limit} of {a} ({n}{ids}).",
            "es": "Ningún enemigo que no huya está a {limit} o menos de {a} ({n}{ids}).",
        },
        "t9a-march-musician": {
            "en": "{b} has a musician near: -1 Discipline.",
            "es": "{b} tiene un músico cerca: -1 de Disciplina.",
        },
        "t9a-panic": {
            "en": "Friends within {limit} of {a} that must test: {ids} ({n}).",
            "es": "Amigas a {limit} o menos de {a} que hacen chequeo: {ids} ({n}).",
        },
        "t9a-aura": {
            "en": "Within {limit} of {a}: {ids} ({n}).",
            "es": "A {limit} o menos de {a}: {ids} ({n}).",
        },
        "t9a-aura-flees": {
            "en": "{a} is fleeing: it has no aura.",
            "es": "{a} está huyendo: no tiene aura.",
        },
        "t9a-vanguard-yes": {
            "en": "{a} stays more than {far} from enemies ({near} from those that scouted or vanguarded): {ids}.",
            "es": "{a} queda a más de {far} de los enemigos ({near} de los que exploraron o hicieron vanguardia): {ids}.",
        },
        "t9a-vanguard-no": {
            "en": "{a} is too near {ids}: more than {far} is needed, {near} from those that scouted or vanguarded.",
            "es": "{a} está demasiado cerca de {ids}: hacen falta más de {far}, o {near} de los que exploraron o hicieron vanguardia.",
        },
        "t9a-frenzy-state": {
            "en": "{a} is fleeing, shaken or engaged: no frenzy test.",
            "es": "{a} huye, está desorganizada o trabada: no hay chequeo de frenesí.",
        },
        "t9a-frenzy-yes": {
            "en": "In the front arc of {a} and within {limit}: {ids}.",
            "es": "En el arco frontal de {a} y a {limit} o menos: {ids}.",
        },
        "t9a-frenzy-no": {
            "en": "No enemy is in the front arc of {a} and within {limit} ({ids}).",
            "es": "Ningún enemigo está en el arco frontal de {a} y a {limit} o menos ({ids}).",
        },
        "t9a-features-yes": {
            "en": "All terrain is more than {limit} apart ({ids}).",
            "es": "Toda la escenografía está a más de {limit} entre sí ({ids}).",
        },
        "t9a-features-no": {
            "en": "{ids}: more than {limit} from outline to outline is needed.",
            "es": "{ids}: hace falta más de {limit} de contorno a contorno.",
        },
    }
)
