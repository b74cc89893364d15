"""Contact, engagement and who may strike (T9A-CON-1 … 4, T9A-MEL-1 … 5, T9A-CHG-9)."""

from __future__ import annotations

import math

from ...drawing import Drawing, Segment, polygon, segment
from ...messages import Angle, Length, msg, register
from ...verdict import Answer, Finding
from .blocks import Model, Unit
from .contact import Meeting, engaged_with, meeting, model_contacts
from .frames import FACES
from .numbers import SPACING
from .view import Ref, View, outlines, query
from .words import FROM, TO, opt

__all__ = ["attackers_of", "contact_margin"]


def contact_margin(v: View, m: Meeting, lever_mm: float) -> float:
    """How far contact and alignment are from breaking (positive) or from being made (negative).

    The angle counts as the way that it moves the end of the longer rectangle.
    """
    gap = v.touch - m.gap
    turn = math.radians(v.parallel_deg - m.turn_deg) * lever_mm
    return min(gap, turn)


def _lever(one: Unit, two: Unit) -> float:
    return max(one.boundary.width, two.boundary.width, one.boundary.depth, two.boundary.depth) / 2


def _say_assumed(v: View, m: Meeting) -> None:
    if m.assumed and v.camera:
        v.note("t9a-camera-align", d=Length(max(0.0, m.gap)), turn=Angle(m.turn_deg))


def _hint_nearly(v: View, one: Unit, two: Unit, m: Meeting) -> None:
    """Seen closer than unengaged units may stand, but not read as contact: say so."""
    if v.camera and v.touch < m.gap <= SPACING:
        v.note("t9a-nearly", a=one.label, b=two.label, d=Length(m.gap), limit=Length(SPACING))


def edge_line(unit: Unit, side: str) -> Segment:
    return segment(*unit.boundary.edge(side), "contact")


@query(
    "engagement",
    {"en": "Are they engaged in combat?", "es": "¿Están trabadas en combate?"},
    FROM,
    TO,
    rules=("T9A-MEL-1", "T9A-CON-1", "T9A-CON-4"),
    phase="melee",
)
def engagement(v: View) -> Finding:
    one, two = v.unit("from"), v.unit("to")
    for u in (one, two):
        u.need_outline()
    m = meeting(v, one, two)
    enemies = v.are_enemies(one, two)
    holds = enemies and m.touching(v.touch) and m.aligned
    margin = contact_margin(v, m, _lever(one, two)) if enemies else None
    if holds:
        _say_assumed(v, m)
        reason = msg("t9a-engaged", a=one.label, b=two.label, face=msg(f"t9a-face-{m.other}"))
    elif not enemies:
        reason = msg("t9a-not-enemies", a=one.label, b=two.label)
    elif not m.touching(v.touch):
        _hint_nearly(v, one, two, m)
        reason = msg("t9a-apart", a=one.label, b=two.label, d=Length(m.gap))
    else:
        reason = msg("t9a-angled", a=one.label, b=two.label, turn=Angle(m.turn_deg))
    _line, p, q = one.footprint.closest(two.footprint)
    drawing: Drawing = (
        (edge_line(one, m.side), edge_line(two, m.back)) if holds else (segment(p, q, "measure"),)
    )
    return Finding(
        reason,
        ("T9A-MEL-1", "T9A-CON-4" if one.round or two.round else "T9A-CON-1"),
        Answer.of(holds),
        arc=m.other if holds else None,
        margin_mm=margin,
        drawing=(*outlines((one, two)), *drawing),
        depends=v.depends(one, two),
    )


def _need_names(*units: Unit) -> None:
    """Models are named by rank and file, counted from the front."""
    for u in units:
        if u.count > 1:
            u.need_front()


@query(
    "base-contact",
    {"en": "Which models are in base contact?", "es": "¿Qué miniaturas están en contacto?"},
    FROM,
    TO,
    rules=("T9A-CON-1", "T9A-CON-2", "T9A-CON-3", "T9A-CON-4"),
    phase="melee",
)
def base_contact(v: View) -> Finding:
    one, two = v.ref("from"), v.ref("to")
    u, w = v.unit("from"), v.unit("to")
    m = meeting(v, u, w)
    pairs = _chosen(model_contacts(v, u, w), one, two)
    if pairs:
        _need_names(u, w)
    if one.is_model:
        ids = tuple(dict.fromkeys(e.id for _, e in pairs))
        holds = bool(pairs)
    else:
        ids = tuple(dict.fromkeys(s.id for s, _ in pairs))
        holds = bool(pairs) if two.is_model else m.touching(v.touch)
    if holds:
        _say_assumed(v, m)
    else:
        _hint_nearly(v, u, w, m)
    key = "t9a-touch" if holds else "t9a-no-touch"
    models = [x for pair in pairs for x in pair]
    return Finding(
        msg(key, a=one.label, b=two.label, n=len(ids), d=Length(max(0.0, m.gap))),
        ("T9A-CON-1", "T9A-CON-2", "T9A-CON-3", "T9A-CON-4"),
        Answer.of(holds),
        value=float(len(ids)),
        kind="count",
        ids=ids,
        margin_mm=_list_margin(v, m, u, w, holds),
        drawing=_model_drawing(models),
        depends=v.depends(u, w),
    )


def _list_margin(v: View, m: Meeting, one: Unit, two: Unit, holds: bool) -> float:
    """The least way that changes who touches: opening the gap, or sliding a model past a corner."""
    gap = v.touch - m.gap
    if not holds or one.round or two.round or not m.aligned:
        return gap
    f = one.boundary.turned(90.0 * FACES.index(m.side)).forward
    along = (f[1], -f[0])

    def ends(unit: Unit) -> list[float]:
        return sorted(
            {round(c[0] * along[0] + c[1] * along[1], 3) for p in unit.models for c in p.frame.corners}
        )

    mine, theirs = ends(one), ends(two)
    slide = min((abs(s - t) for s in mine for t in theirs), default=math.inf)
    return min(gap, slide) if v.camera else gap


def _chosen(pairs: list[tuple[Model, Model]], one: Ref, two: Ref) -> list[tuple[Model, Model]]:
    mine = {m.id for m in one.mates}
    theirs = {m.id for m in two.mates}
    return [(s, e) for s, e in pairs if s.id in mine and e.id in theirs]


def _model_drawing(models: list[Model]) -> Drawing:
    return tuple(polygon(m.frame.ring.tolist(), "contact") for m in dict.fromkeys(models))


@query(
    "contact-total",
    {"en": "How many models touch an enemy?", "es": "¿Cuántas miniaturas tocan al enemigo?"},
    FROM,
    TO,
    rules=("T9A-CHG-9", "T9A-CON-2", "T9A-CON-3"),
    phase="charge",
)
def contact_total(v: View) -> Finding:
    one, two = v.unit("from"), v.unit("to")
    pairs = model_contacts(v, one, two)
    if pairs:
        _need_names(one, two)
    mine, theirs = {s.id for s, _ in pairs}, {e.id for _, e in pairs}
    m = meeting(v, one, two)
    if pairs:
        _say_assumed(v, m)
    return Finding(
        msg("t9a-contact-total", a=one.label, b=two.label, n=len(mine), k=len(theirs)),
        ("T9A-CHG-9", "T9A-CON-2", "T9A-CON-3"),
        value=float(len(mine) + len(theirs)),
        kind="count",
        ids=tuple(sorted(mine | theirs)),
        margin_mm=_list_margin(v, m, one, two, bool(pairs)) if v.camera else None,
        drawing=_model_drawing([x for pair in pairs for x in pair]),
        depends=v.depends(one, two),
    )


def attackers_of(v: View, one: Unit, two: Unit, extra_ranks: int) -> tuple[list[Model], list[Model]]:
    """Models that strike because they touch, and those that support from behind (T9A-MEL-2 … 5)."""
    m = engaged_with(v, one, two)
    if m is None:
        return [], []
    touching = list(dict.fromkeys(s for s, _ in model_contacts(v, one, two)))
    if m.face != "front" or one.round:
        return touching, []
    busy = {s.id for s in touching}
    for other in v.enemies(one):
        if other.id != two.id and engaged_with(v, one, other):
            busy |= {s.id for s, _ in model_contacts(v, one, other)}
    depth = 1 + extra_ranks + (1 if one.line else 0)
    support = []
    for lead in touching:
        if lead.rank != 1 or lead.beside:
            continue
        for file in range(lead.file, lead.file + lead.span[1]):
            for rank in range(lead.span[0] + 1, depth + 2):
                mate = one.slots.get((rank, file))
                if mate is not None and mate.id not in busy and mate not in support:
                    support.append(mate)
    return touching, support


@query(
    "attackers",
    {"en": "Who can attack?", "es": "¿Quién puede atacar?"},
    FROM,
    TO,
    opt("extra_ranks", "count", "extra ranks that fight (spears)", "filas extra que luchan (lanzas)"),
    rules=("T9A-MEL-2", "T9A-MEL-3", "T9A-MEL-4", "T9A-MEL-5", "T9A-FORM-3"),
    phase="melee",
)
def attackers(v: View) -> Finding:
    one, two = v.unit("from"), v.unit("to")
    for u in (one, two):
        if not u.round:
            _ = u.facing
    touching, support = attackers_of(v, one, two, v["extra_ranks"] or 0)
    m = meeting(v, one, two)
    if touching:
        _say_assumed(v, m)
    else:
        _hint_nearly(v, one, two, m)
    ids = tuple(s.id for s in (*touching, *support))
    rules = ["T9A-MEL-2", "T9A-MEL-3" if m.face == "front" else "T9A-MEL-5"]
    if v["extra_ranks"]:
        rules.append("T9A-MEL-4")
    if one.line:
        rules.append("T9A-FORM-3")
    return Finding(
        msg(
            "t9a-attackers",
            a=one.label,
            b=two.label,
            n=len(touching),
            k=len(support),
            face=msg(f"t9a-face-{m.face}"),
        ),
        tuple(rules),
        value=float(len(ids)),
        kind="count",
        ids=ids,
        margin_mm=_list_margin(v, m, one, two, bool(touching)) if v.camera else None,
        drawing=(
            *_model_drawing(touching),
            *(polygon(s.frame.ring.tolist(), "zone") for s in support),
        ),
        depends=v.depends(one, two),
    )


def combat_of(v: View, unit: Unit) -> list[Unit]:
    """T9A-CR-1: the units linked by engaged pairs of enemies; only itself if it is not engaged."""
    found = [unit]
    for u in found:
        if u.has("fleeing"):
            continue
        for e in v.enemies(u):
            if e not in found and not e.has("fleeing") and engaged_with(v, u, e):
                found.append(e)
    return found


@query(
    "combat",
    {"en": "Which units are in this combat?", "es": "¿Qué unidades están en este combate?"},
    FROM,
    rules=("T9A-CR-1", "T9A-MEL-1"),
    phase="melee",
)
def combat(v: View) -> Finding:
    unit = v.unit()
    linked = combat_of(v, unit)
    ids = tuple(sorted(u.id for u in linked)) if len(linked) > 1 else ()
    links = [
        (one, two, m)
        for i, one in enumerate(linked)
        for two in linked[i + 1 :]
        if (m := engaged_with(v, one, two))
    ]
    for _, _, m in links:
        _say_assumed(v, m)
    key = "t9a-combat" if ids else "t9a-no-combat"
    return Finding(
        msg(key, a=unit.label, n=len(ids), ids=ids),
        ("T9A-CR-1", "T9A-MEL-1"),
        value=float(len(ids)),
        kind="count",
        ids=ids,
        margin_mm=links_margin(v, linked) if v.camera else None,
        drawing=(*outlines(linked), *(edge_line(one, m.side) for one, _, m in links)),
    )


def links_margin(v: View, units: list[Unit]) -> float | None:
    """The nearest that any pair of enemies around these units is to making or breaking an engagement."""
    margins = [
        abs(contact_margin(v, meeting(v, u, e), _lever(u, e)))
        for u in units
        for e in v.enemies(u)
        if not e.has("fleeing")
    ]
    return min(margins, default=None)


register(
    {
        "t9a-face-front": {"en": "front", "es": "frente"},
        "t9a-face-rear": {"en": "rear", "es": "retaguardia"},
        "t9a-face-left-flank": {"en": "left flank", "es": "flanco izquierdo"},
        "t9a-face-right-flank": {"en": "right flank", "es": "flanco derecho"},
        "t9a-camera-align": {
            "en": "Read as contact and aligned: the camera sees a gap of {d} and {turn} between the facings.",
            "es": "Se lee como contacto y alineación: la cámara ve un hueco de {d} y {turn} entre los encaramientos.",
        },
        "t9a-nearly": {
            "en": "{a} and {b} are {d} apart, nearer than the {limit} that unengaged units keep. If they are meant to touch, push them together.",
            "es": "{a} y {b} están a {d}, más cerca de los {limit} que guardan las unidades sin trabar. Si deben tocarse, júntelas.",
        },
        "t9a-engaged": {
            "en": "{a} touches the {face} of {b} and is parallel to it: engaged.",
            "es": "{a} toca a {b} en su {face} y está en paralelo: trabadas.",
        },
        "t9a-not-enemies": {
            "en": "{a} and {b} are not enemies.",
            "es": "{a} y {b} no son enemigos.",
        },
        "t9a-apart": {
            "en": "{a} and {b} are {d} apart: no contact.",
            "es": "{a} y {b} están a {d}: no hay contacto.",
        },
        "t9a-angled": {
            "en": "{a} and {b} touch, but at an angle of {turn}: not aligned, so not engaged.",
            "es": "{a} y {b} se tocan, pero con un ángulo de {turn}: sin alinear, luego no están trabadas.",
        },
        "t9a-touch": {
            "en": "{a} and {b} are in base contact ({d}): {n} models.",
            "es": "{a} y {b} están en contacto ({d}): {n} miniaturas.",
        },
        "t9a-no-touch": {
            "en": "{a} and {b} are not in base contact: their units are {d} apart ({n} models).",
            "es": "{a} y {b} no están en contacto: sus unidades están a {d} ({n} miniaturas).",
        },
        "t9a-contact-total": {
            "en": "{n} models of {a} and {k} of {b} touch an enemy.",
            "es": "{n} miniaturas de {a} y {k} de {b} tocan a un enemigo.",
        },
        "t9a-attackers": {
            "en": "{a} fights {b} on its {face}: {n} models in contact, {k} in support.",
            "es": "{a} lucha con {b} por su {face}: {n} miniaturas en contacto, {k} en apoyo.",
        },
        "t9a-combat": {
            "en": "{n} units are linked by engaged enemies: {ids}. ({a} is one of them.)",
            "es": "{n} unidades unidas por enemigos trabados: {ids}. ({a} es una de ellas.)",
        },
        "t9a-no-combat": {
            "en": "{a} is engaged with nobody ({n} units{ids}).",
            "es": "{a} no está trabada con nadie ({n} unidades{ids}).",
        },
    }
)
