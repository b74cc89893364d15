"""Secondary objectives and their markers (T9A-OBJ-1 … 4 and 6)."""

from __future__ import annotations

import math

import shapely

from ...drawing import Disc, Drawing, polygon, segment
from ...errors import QuestionError
from ...footprint import Footprint
from ...messages import Length, msg, register
from ...scene import Piece
from ...verdict import Answer, Finding
from .blocks import Unit
from .deploy import zone_drawing
from .frames import Point
from .numbers import EPS, INCH, SPACING
from .terrain_at import overlap_depth
from .view import View, outlines, query
from .words import DEPLOYMENTS, ZONE_INPUTS, need, opt
from .zones import zone_of

__all__: list[str] = []

HOLD = 6 * INCH
CAP = 3
TARGET_FROM_ZONE = 12 * INCH
DROP = 3 * INCH


def scoring(unit: Unit) -> bool:
    """A model with Scoring in it, not fleeing, Scoring not lost for now."""
    return unit.has("scoring") and not unit.has("fleeing") and not unit.has("no-scoring")


def _sides(v: View) -> list[str]:
    return sorted({u.side for u in v.units.values() if u.side})


@query(
    "objective-control",
    {"en": "Who controls the objective?", "es": "¿Quién controla el objetivo?"},
    need(
        "objective",
        "choice",
        "objective",
        "objetivo",
        ("hold-the-ground", "breakthrough", "secure-target", "king-of-the-hill", "spoils-pickup"),
    ),
    need("side", "text", "side", "bando"),
    opt("deployment", "choice", "deployment type", "tipo de despliegue", DEPLOYMENTS),
    opt("zones", "json", "zone of each side", "zona de cada bando"),
    opt("terrain", "terrain", "terrain feature", "elemento de escenografía"),
    opt("marker", "piece", "marker", "marcador"),
    *ZONE_INPUTS,
    rules=("T9A-OBJ-1", "T9A-OBJ-2", "T9A-OBJ-3", "T9A-OBJ-4", "T9A-OBJ-6"),
    phase="objectives",
)
def objective_control(v: View) -> Finding:
    match v["objective"]:
        case "hold-the-ground":
            return _hold(v)
        case "breakthrough":
            return _breakthrough(v)
        case "secure-target":
            return _secure(v)
        case "king-of-the-hill":
            return _king(v)
    return _pickup(v)


def _missing(name: str, en: str, es: str) -> QuestionError:
    return QuestionError.of("input-missing", name, title={"en": en, "es": es})


def _by_side(v: View, depth: dict[str, float]) -> tuple[list[Unit], int, float | None]:
    """Own counting units, the most that another side has, and the least way that changes the count."""
    mine = [u for u in v.units.values() if u.side == v["side"] and depth.get(u.id, -math.inf) >= 0]
    theirs = [
        sum(1 for u in v.units.values() if u.side == s and depth.get(u.id, -math.inf) >= 0)
        for s in _sides(v)
        if s != v["side"]
    ]
    return mine, max(theirs, default=0), min((abs(d) for d in depth.values()), default=None)


def _signed(holds: bool, margin: float | None) -> float | None:
    return None if margin is None else margin if holds else -margin


def _hold(v: View) -> Finding:
    w, d = v.board
    centre = (w / 2, d / 2)
    depth = _within(v, centre, HOLD)
    mine, most, margin = _by_side(v, depth)
    holds = len(mine) > most
    return Finding(
        msg("t9a-hold", side=v["side"], n=len(mine), k=most, limit=Length(HOLD)),
        ("T9A-OBJ-1",),
        Answer.of(holds),
        value=float(len(mine)),
        kind="count",
        ids=tuple(u.id for u in mine),
        margin_mm=_signed(holds, margin),
        drawing=(Disc(centre, HOLD, "zone"), *outlines(mine)),
    )


def _within(v: View, at: Point, limit: float) -> dict[str, float]:
    """Scoring units and how far inside the distance they are (closed, so never -0 at the limit)."""
    units = [u for u in v.units.values() if scoring(u)]
    gaps = v.gaps(Footprint.disc(at, 0.0), units)
    return {u.id: limit + EPS - g for u, g in zip(units, gaps, strict=True)}


def _breakthrough(v: View) -> Finding:
    zones = v["zones"]
    if not v.given("deployment"):
        raise _missing("deployment", "deployment type", "tipo de despliegue")
    if not isinstance(zones, dict) or v["side"] not in zones or zones[v["side"]] not in ("near", "far"):
        raise _missing("zones", "which zone each side has", "qué zona tiene cada bando")
    own = zone_of(v, zones[v["side"]])
    depth: dict[str, float] = {}
    for u in v.units.values():
        if scoring(u):
            zone = own.opponent() if u.side == v["side"] else own
            area = zone.area
            depth[u.id] = -u.footprint.gap(Footprint.polygon(area.exterior.coords[:-1])) - EPS
    mine, most, margin = _by_side(v, depth)
    count, theirs = min(CAP, len(mine)), min(CAP, most)
    holds = count > theirs
    return Finding(
        msg("t9a-breakthrough", side=v["side"], n=count, k=theirs),
        ("T9A-OBJ-2",),
        Answer.of(holds),
        value=float(count),
        kind="count",
        ids=tuple(u.id for u in mine),
        margin_mm=_signed(holds, margin),
        drawing=(*zone_drawing(own.opponent()), *outlines(mine)),
    )


def _secure(v: View) -> Finding:
    markers = list(v.markers.values())
    places = {m.id: v.a.at(m) for m in markers}
    reach = {m.id: _within(v, places[m.id], HOLD) for m in markers}
    margin = min((abs(d) for r in reach.values() for d in r.values()), default=None)
    counts: dict[str, dict[str, list[Unit]]] = {m.id: {} for m in markers}
    for u in v.units.values():
        near = [m.id for m in markers if reach[m.id].get(u.id, -1.0) >= 0]
        if not near:
            continue
        near.sort(key=lambda i: math.dist(places[i], u.centre))
        if len(near) > 1:
            split = math.dist(places[near[1]], u.centre) - math.dist(places[near[0]], u.centre)
            margin = split if margin is None else min(margin, split)
            if split <= EPS:
                v.note("t9a-secure-random", a=u.label)
                continue
        counts[near[0]].setdefault(u.side or "", []).append(u)

    def controls(side: str) -> list[str]:
        out = []
        for name, sides in counts.items():
            mine = len(sides.get(side, []))
            if mine > max((len(us) for s, us in sides.items() if s != side), default=0):
                out.append(name)
        return out

    own = controls(v["side"])
    most = max((len(controls(s)) for s in _sides(v) if s != v["side"]), default=0)
    holds = len(own) > most
    drawing: Drawing = tuple(Disc(places[m.id], HOLD, "zone") for m in markers)
    return Finding(
        msg("t9a-secure", side=v["side"], n=len(own), k=most, limit=Length(HOLD)),
        ("T9A-OBJ-6",),
        Answer.of(holds),
        value=float(len(own)),
        kind="count",
        ids=tuple(own),
        margin_mm=_signed(holds, margin),
        drawing=(*drawing, *outlines(u for s in counts.values() for us in s.values() for u in us)),
    )


def _king(v: View) -> Finding:
    if not v.given("terrain"):
        raise _missing("terrain", "the opponent's feature", "el elemento del rival")
    feature = v.features[v["terrain"]]
    units = [u for u in v.units.values() if u.side == v["side"] and scoring(u)]
    depth = {u.id: overlap_depth(u.footprint, feature) - EPS for u in units}
    ids = tuple(i for i, d in depth.items() if d > 0)
    best = max(depth.values(), default=None)
    key = "t9a-king-yes" if ids else "t9a-king-no"
    return Finding(
        msg(key, side=v["side"], f=feature.id, ids=ids or "–"),
        ("T9A-OBJ-4", "T9A-CON-5"),
        Answer.of(bool(ids)),
        value=float(len(ids)),
        kind="count",
        ids=ids,
        margin_mm=best,
        drawing=(polygon(feature.terrain.outline, "zone"), *outlines(u for u in units if u.id in ids)),
    )


def _marker(v: View) -> tuple[Piece, Point]:
    if not v.given("marker"):
        raise _missing("marker", "the marker", "el marcador")
    piece = v.scene.piece(v["marker"])
    return piece, v.a.at(piece)


def _pickup(v: View) -> Finding:
    marker, at = _marker(v)
    units = [u for u in v.units.values() if u.side == v["side"] and scoring(u) and not u.has("carrying")]
    gaps = v.gaps(Footprint.disc(at, 0.0), units)
    near = {u.id: v.touch - g for u, g in zip(units, gaps, strict=True)}
    ids = tuple(i for i, d in near.items() if d >= 0)
    if ids and v.camera and max(near.values()) < v.touch:
        v.note("t9a-camera-contact", d=Length(v.touch - max(near.values())))
    key = "t9a-pickup-yes" if ids else "t9a-pickup-no"
    return Finding(
        msg(key, side=v["side"], m=marker.label, ids=ids or "–"),
        ("T9A-OBJ-3", "T9A-CON-5"),
        Answer.of(bool(ids)),
        value=float(len(ids)),
        kind="count",
        ids=ids,
        margin_mm=max(near.values(), default=None),
        drawing=(Disc(at, 3.0, "contact"), *outlines(u for u in units if u.id in ids)),
    )


@query(
    "marker-placement",
    {"en": "May the marker be placed here?", "es": "¿Se puede colocar aquí el marcador?"},
    need("objective", "choice", "objective", "objetivo", ("secure-target", "spoils-drop")),
    need("marker", "piece", "marker", "marcador"),
    opt("deployment", "choice", "deployment type", "tipo de despliegue", DEPLOYMENTS),
    opt("zone", "choice", "zone of the placing player", "zona de quien lo coloca", ("near", "far")),
    opt("unit", "piece", "unit that lost it", "unidad que lo perdió"),
    *ZONE_INPUTS,
    rules=("T9A-OBJ-3", "T9A-OBJ-6"),
    phase="objectives",
)
def marker_placement(v: View) -> Finding:
    return _secure_marker(v) if v["objective"] == "secure-target" else _drop(v)


def _secure_marker(v: View) -> Finding:
    if not v.given("deployment") or not v.given("zone"):
        raise _missing(
            "zone", "deployment and zone of the placing player", "despliegue y zona de quien lo coloca"
        )
    marker, at = _marker(v)
    zone = zone_of(v, v["zone"])
    width, _ = v.board
    from_zone = float(shapely.distance(zone.area, shapely.Point(at)))
    others = [m for m in v.markers.values() if m.id != marker.id]
    apart = min((math.dist(at, v.a.at(m)) for m in others), default=math.inf)
    third = width / 3
    margin = min(from_zone - TARGET_FROM_ZONE, apart - third)
    holds = margin > EPS
    if from_zone - TARGET_FROM_ZONE <= EPS or not others:
        key = "t9a-target-zone-yes" if holds else "t9a-target-zone-no"
        reason = msg(key, m=marker.label, d=Length(from_zone), limit=Length(TARGET_FROM_ZONE))
    else:
        key = "t9a-target-other-yes" if holds else "t9a-target-other-no"
        reason = msg(key, m=marker.label, d=Length(apart), limit=Length(third))
    lines = tuple(segment(at, v.a.at(m), "measure") for m in others)
    return Finding(
        reason,
        ("T9A-OBJ-6",),
        Answer.of(holds),
        value=from_zone,
        limit=TARGET_FROM_ZONE,
        margin_mm=margin,
        drawing=(*zone_drawing(zone), *lines),
        depends=frozenset([marker.id, *(m.id for m in others)]),
    )


def _drop(v: View) -> Finding:
    if not v.given("unit"):
        raise _missing("unit", "the unit that lost it", "la unidad que lo perdió")
    marker, at = _marker(v)
    ref = v.lookup(v["unit"], "unit")
    spot = Footprint.disc(at, 0.0)
    away = max(0.0, ref.footprint.gap(spot))
    rocks = v.gaps(spot, v.impassable)
    near_ok = away <= DROP + EPS
    rock_ok = all(g > SPACING + EPS for g in rocks)
    margin = min([DROP - away, *(g - SPACING for g in rocks)])
    if not near_ok:
        reason = msg("t9a-drop-far", m=marker.label, a=ref.label, d=Length(away), limit=Length(DROP))
    elif not rock_ok:
        reason = msg("t9a-drop-rock", m=marker.label, d=Length(max(0.0, min(rocks))), limit=Length(SPACING))
    else:
        reason = msg("t9a-drop-yes", m=marker.label, a=ref.label, d=Length(away), limit=Length(DROP))
    return Finding(
        reason,
        ("T9A-OBJ-3",),
        Answer.of(near_ok and rock_ok),
        value=away,
        limit=DROP,
        margin_mm=margin,
        drawing=(segment(*ref.footprint.closest(spot)[1:], "measure"),),
        depends=v.depends(ref.unit) | {marker.id},
    )


register(
    {
        "t9a-hold": {
            "en": "Scoring units within {limit} of the centre of the board: {n} of side {side}, {k} of the other.",
            "es": "Unidades que puntúan a {limit} o menos del centro del tablero: {n} del bando {side}, {k} del otro.",
        },
        "t9a-breakthrough": {
            "en": "Scoring units in the enemy zone (3 at most): {n} of side {side}, {k} of the other.",
            "es": "Unidades que puntúan en la zona enemiga (3 como mucho): {n} del bando {side}, {k} del otro.",
        },
        "t9a-secure": {
            "en": "Markers controlled (more scoring units within {limit}): {n} by side {side}, {k} by the other.",
            "es": "Marcadores controlados (más unidades que puntúan a {limit} o menos): {n} del bando {side}, {k} del otro.",
        },
        "t9a-secure-random": {
            "en": "{a} is as near to both markers: choose at random which one it counts for.",
            "es": "{a} está igual de cerca de ambos marcadores: decida al azar para cuál cuenta.",
        },
        "t9a-king-yes": {
            "en": "{ids} of side {side} stand inside {f}: captured.",
            "es": "{ids} del bando {side} están dentro de {f}: capturado.",
        },
        "t9a-king-no": {
            "en": "No scoring unit of side {side} is inside {f} ({ids}); touching is not inside.",
            "es": "Ninguna unidad que puntúa del bando {side} está dentro de {f} ({ids}); tocar no es estar dentro.",
        },
        "t9a-pickup-yes": {
            "en": "{ids} of side {side} touch the centre of {m}.",
            "es": "{ids} del bando {side} tocan el centro de {m}.",
        },
        "t9a-pickup-no": {
            "en": "No scoring unit of side {side} with free hands touches the centre of {m} ({ids}).",
            "es": "Ninguna unidad del bando {side} que puntúe y no lleve marcador toca el centro de {m} ({ids}).",
        },
        "t9a-target-zone-yes": {
            "en": "{m} is {d} from the own zone, more than {limit}.",
            "es": "{m} está a {d} de la zona propia, más de {limit}.",
        },
        "t9a-target-zone-no": {
            "en": "{m} is {d} from the own zone; more than {limit} is needed.",
            "es": "{m} está a {d} de la zona propia; hace falta más de {limit}.",
        },
        "t9a-target-other-yes": {
            "en": "{m} is far enough from the own zone and {d} from the other marker, more than {limit}.",
            "es": "{m} está bastante lejos de la zona propia y a {d} del otro marcador, más de {limit}.",
        },
        "t9a-target-other-no": {
            "en": "{m} is {d} from the other marker; more than {limit} is needed.",
            "es": "{m} está a {d} del otro marcador; hace falta más de {limit}.",
        },
        "t9a-drop-yes": {
            "en": "{m} is {d} from {a}, within {limit}, and clear of impassable terrain.",
            "es": "{m} está a {d} de {a}, dentro de {limit}, y lejos de terreno impasable.",
        },
        "t9a-drop-far": {
            "en": "{m} is {d} from {a}; within {limit} is needed.",
            "es": "{m} está a {d} de {a}; tiene que ser {limit} o menos.",
        },
        "t9a-drop-rock": {
            "en": "{m} is {d} from impassable terrain; more than {limit} is needed.",
            "es": "{m} está a {d} de terreno impasable; hace falta más de {limit}.",
        },
    }
)
