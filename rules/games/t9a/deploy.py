"""Deployment: zones, order, scouts, ambushers (T9A-DEP-1 … 6, T9A-SPEC-SCOUT, T9A-SPEC-AMBUSH)."""

from __future__ import annotations

import itertools
import math

from ...drawing import Drawing, Shape, polygon, segment
from ...errors import QuestionError
from ...messages import Length, Message, msg, register
from ...verdict import Answer, Finding
from .blocks import Unit
from .numbers import EPS, INCH
from .terrain_at import completely_depth
from .view import View, outline, query
from .words import DEPLOYMENTS, FROM, ZONE_INPUTS, need, opt
from .zones import Zone, zone_of

__all__ = ["zone_drawing"]

KEEP_OFF = 20 * INCH
SCOUT_FAR = 18 * INCH
SCOUT_HIDDEN = 12 * INCH
HIDEOUTS = ("field", "forest", "ruins", "water")
RULE = {
    "frontline-clash": "T9A-DEP-1",
    "dawn-assault": "T9A-DEP-2",
    "counterthrust": "T9A-DEP-3",
    "encircle": "T9A-DEP-4",
    "refused-flank": "T9A-DEP-5",
    "marching-columns": "T9A-DEP-6",
}
DEPLOYMENT = need("deployment", "choice", "deployment type", "tipo de despliegue", DEPLOYMENTS)
ZONE = need("zone", "choice", "zone", "zona", ("near", "far"))


def zone_drawing(zone: Zone) -> Drawing:
    return (polygon(zone.area.exterior.coords, "zone"),)


@query(
    "deployment-zone",
    {"en": "Is it inside its deployment zone?", "es": "¿Está dentro de su zona de despliegue?"},
    FROM,
    DEPLOYMENT,
    ZONE,
    *ZONE_INPUTS,
    rules=tuple(RULE.values()),
    phase="deploy",
)
def deployment_zone(v: View) -> Finding:
    unit = v.unit()
    zone = zone_of(v, v["zone"])
    depth, board = zone.depth_of(unit), v.on_board(unit.boundary)
    special = unit.has("scouted") or unit.has("vanguarded")
    foes = v.enemies(unit) if v["deployment"] == "counterthrust" and not special else []
    gaps = v.gaps(unit.footprint, foes)
    bad = [e for e, g in zip(foes, gaps, strict=True) if g <= KEEP_OFF + EPS]
    holds = depth > EPS and board >= -EPS and not bad
    margin = min([depth, board if board < -EPS else math.inf, *(g - KEEP_OFF for g in gaps)])
    if v.camera:
        margin = math.copysign(min(abs(margin), zone.border_of(unit)), margin)
    rule = RULE[v["deployment"]]
    if board < -EPS:
        reason = msg("t9a-off-board", a=unit.label, d=Length(-board))
    elif depth <= EPS:
        reason = msg("t9a-zone-out", a=unit.label, d=Length(max(0.0, -depth)))
    elif bad:
        near = min(gaps)
        reason = msg("t9a-zone-foe", a=unit.label, b=bad[0].label, d=Length(near), limit=Length(KEEP_OFF))
    else:
        reason = msg("t9a-zone-in", a=unit.label, d=Length(depth))
    lines: Drawing = tuple(segment(*unit.footprint.closest(e.footprint)[1:], "measure") for e in bad)
    return Finding(
        reason,
        (rule,),
        Answer.of(holds),
        ids=tuple(e.id for e in bad),
        margin_mm=margin,
        drawing=(*zone_drawing(zone), outline(unit.boundary), *lines),
        depends=v.depends(unit, *foes),
    )


@query(
    "deployment-order",
    {"en": "Is the marching order kept?", "es": "¿Se respeta el orden de marcha?"},
    need("short_edge", "choice", "chosen short edge", "borde corto elegido", ("left", "right")),
    need("sequence", "pieces", "units in the order deployed", "unidades en orden de despliegue"),
    rules=("T9A-DEP-6",),
    phase="deploy",
)
def deployment_order(v: View) -> Finding:
    width, _ = v.board
    units = [v.units[i] for i in v["sequence"] if i in v.units]
    exempt = ("character", "war-machine", "war-platform", "scouted", "scout")
    counted = [u for u in units if not any(w in u.words for w in exempt)]

    def far(u: Unit) -> float:
        return u.centre[0] if v["short_edge"] == "left" else width - u.centre[0]

    steps = [(later, far(later) - far(before)) for before, later in itertools.pairwise(counted)]
    bad = [u.id for u, gain in steps if gain <= EPS]
    key = "t9a-order-no" if bad else "t9a-order-yes"
    return Finding(
        msg(key, ids=bad or "–", edge=v["short_edge"]),
        ("T9A-DEP-6",),
        Answer.of(not bad),
        ids=tuple(bad),
        margin_mm=min((gain for _, gain in steps), default=None),
        drawing=tuple(segment(a.centre, b.centre, "path") for a, b in itertools.pairwise(counted)),
        depends=v.depends(*counted),
    )


@query(
    "scout-placement",
    {"en": "May scouts be placed here?", "es": "¿Se pueden colocar aquí los exploradores?"},
    FROM,
    opt("deployment", "choice", "deployment type", "tipo de despliegue", DEPLOYMENTS),
    opt("zone", "choice", "own zone", "zona propia", ("near", "far")),
    *ZONE_INPUTS,
    rules=("T9A-SPEC-SCOUT",),
    phase="deploy",
)
def scout_placement(v: View) -> Finding:
    unit = v.unit()
    foes = v.enemies(unit)
    gaps = v.gaps(unit.footprint, foes)
    near = min(gaps, default=math.inf)
    steps: list[Message] = []
    ways: list[float] = []
    drawing: list[Shape] = [outline(unit.boundary)]
    if v.given("deployment") and v.given("zone"):
        zone = zone_of(v, v["zone"])
        inside = min(zone.depth_of(unit), max(v.on_board(unit.boundary) + EPS, EPS * 2))
        ways.append(zone.depth_of(unit) if v.on_board(unit.boundary) >= -EPS else inside)
        steps.append(msg("t9a-scout-zone" if ways[-1] > EPS else "t9a-scout-not-zone"))
        drawing += zone_drawing(zone)
    ways.append(near - SCOUT_FAR)
    best_hide = -math.inf
    for f in v.of_type(*HIDEOUTS):
        # the outline may be shared, the distance to enemies is strict: both on one signed scale
        hide = completely_depth(unit.footprint, f.polygon)
        best_hide = max(best_hide, min(hide + 2 * EPS, near - SCOUT_HIDDEN))
        if hide >= -EPS:
            steps.append(msg("t9a-scout-hidden", f=f.id, limit=Length(SCOUT_HIDDEN)))
            drawing.append(polygon(f.terrain.outline, "zone"))
    ways.append(best_hide)
    best = max(ways)
    holds = best > EPS
    if foes:
        k = gaps.index(near)
        drawing.append(segment(*unit.footprint.closest(foes[k].footprint)[1:], "measure"))
        key = "t9a-scout-yes" if holds else "t9a-scout-no"
        reason = msg(key, a=unit.label, b=foes[k].label, d=Length(max(near, 0.0)), limit=Length(SCOUT_FAR))
    else:
        reason = msg("t9a-scout-alone", a=unit.label)
    return Finding(
        reason,
        ("T9A-SPEC-SCOUT",),
        Answer.of(holds),
        value=max(0.0, near) if foes else None,
        margin_mm=best if math.isfinite(best) else None,
        steps=tuple(steps),
        drawing=tuple(drawing),
    )


@query(
    "ambush-arrival",
    {"en": "May ambushers arrive here?", "es": "¿Puede llegar aquí la emboscada?"},
    FROM,
    need("edge", "choice", "board edge", "borde del tablero", ("left", "right", "near", "far")),
    rules=("T9A-SPEC-AMBUSH", "T9A-EDGE-1"),
    phase="deploy",
)
def ambush_arrival(v: View) -> Finding:
    unit = v.unit()
    frame = unit.frame
    w, d = v.board
    if frame.round:
        raise QuestionError.of("t9a-not-a-unit", "from", got=unit.label)

    def off(p: tuple[float, float]) -> float:
        return abs({"left": p[0], "right": w - p[0], "near": p[1], "far": d - p[1]}[v["edge"]])

    rear = max(off(p) for p in frame.edge("rear"))
    board = v.on_board(frame)
    holds = rear <= v.touch and board >= -v.touch
    margin = min(v.touch - rear, v.touch + board)
    if holds and v.camera and rear > EPS:
        v.note("t9a-camera-contact", d=Length(rear))
    if rear > v.touch:
        reason = msg("t9a-ambush-rear", a=unit.label, d=Length(rear))
    elif board < -v.touch:
        reason = msg("t9a-off-board", a=unit.label, d=Length(-board))
    else:
        reason = msg("t9a-ambush-yes", a=unit.label)
    return Finding(
        reason,
        ("T9A-SPEC-AMBUSH", "T9A-EDGE-1"),
        Answer.of(holds),
        margin_mm=margin,
        drawing=(outline(frame), segment(*frame.edge("rear"), "contact")),
        depends=v.depends(unit),
    )


register(
    {
        "t9a-off-board": {
            "en": "{a} sticks out {d} over the edge of the board.",
            "es": "{a} sobresale {d} del borde del tablero.",
        },
        "t9a-zone-in": {
            "en": "{a} is completely inside its zone, {d} from the limit.",
            "es": "{a} está completamente dentro de su zona, a {d} del límite.",
        },
        "t9a-zone-out": {
            "en": "{a} is not completely inside its zone: {d} over the limit (on the limit is outside).",
            "es": "{a} no está completamente dentro de su zona: {d} fuera del límite (sobre el límite es fuera).",
        },
        "t9a-zone-foe": {
            "en": "{a} is {d} from {b}; it must be more than {limit}.",
            "es": "{a} está a {d} de {b}; tiene que ser más de {limit}.",
        },
        "t9a-order-yes": {
            "en": "Each unit's centre is farther from the {edge} edge than the one before ({ids}).",
            "es": "El centro de cada unidad está más lejos del borde {edge} que el de la anterior ({ids}).",
        },
        "t9a-order-no": {
            "en": "{ids}: not farther from the {edge} edge than the unit deployed before.",
            "es": "{ids}: no está más lejos del borde {edge} que la unidad desplegada antes.",
        },
        "t9a-scout-zone": {"en": "Completely in the own zone.", "es": "Completamente en la zona propia."},
        "t9a-scout-not-zone": {
            "en": "Not completely in the own zone.",
            "es": "No está completamente en la zona propia.",
        },
        "t9a-scout-hidden": {
            "en": "Completely inside {f}: more than {limit} from all enemies is enough.",
            "es": "Completamente dentro de {f}: basta estar a más de {limit} de todo enemigo.",
        },
        "t9a-scout-yes": {
            "en": "{a} may be placed here; {b} is nearest, {d} away ({limit} in the open).",
            "es": "{a} puede colocarse aquí; {b} es lo más próximo, a {d} ({limit} en terreno abierto).",
        },
        "t9a-scout-no": {
            "en": "{a} may not be placed here: {b} is {d} away, more than {limit} is needed in the open.",
            "es": "{a} no puede colocarse aquí: {b} está a {d} y en terreno abierto hacen falta más de {limit}.",
        },
        "t9a-scout-alone": {
            "en": "No enemy is on the table for {a}.",
            "es": "No hay enemigos en la mesa para {a}.",
        },
        "t9a-ambush-yes": {
            "en": "The rear edge of {a} lies along the board edge and it is wholly on the board.",
            "es": "El borde trasero de {a} está sobre el borde del tablero y toda ella en el tablero.",
        },
        "t9a-ambush-rear": {
            "en": "A rear corner of {a} is {d} from the board edge.",
            "es": "Una esquina trasera de {a} está a {d} del borde del tablero.",
        },
    }
)
