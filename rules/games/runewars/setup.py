"""Terrain, set-up, scoring, tokens and fair play: RW-TERR, RW-PLACE, RW-DEPLOY, RW-AREA, RW-SCORE, RW-PREM, RW-TOKEN."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import shapely

from ...checks import Check, conclude, set_margin_mm
from ...drawing import Segment, polygon, segment
from ...errors import QuestionError, Unknown
from ...footprint import Footprint
from ...game import Asked, Input
from ...messages import Length, msg, register
from ...plane import gap
from ...scene import Terrain
from ...verdict import Answer, Finding
from .field import Field, Unit, draw_unit, footprint_of
from .fight import keyword
from .game import FROM, GAME, SLACK_MM, UNIT
from .move import touched_at

TERRAIN = Input("terrain", "terrain", {"en": "terrain", "es": "terreno"})
MOVING = frozenset({"move", "moves", "moving", "movement", "march", "marching", "shift", "shifting"})
"""Words of `during` while a unit performs its move (RW-PREM-1)."""
NOT_MOVING = frozenset(
    {"before", "after", "not", "no", "other", "another", "enemy", "opponent", "planning", "previous", "next"}
)
"""Words that say it is not this unit that moves, or not now."""


def _performs_move(a: Asked) -> bool:
    """Whether `during` says that the unit performs its move: `move`, `its move`, `march`, `move:<unit id>` …"""
    said = (a["during"] or "").strip().casefold()
    words = set(re.split(r"[\s:_\-']+", said))
    # "during a move" names nobody, even where a unit is called A; "move:A" does
    named = {p.id for p in a.scene.pieces if p.kind in ("unit", "model") and p.id.casefold() in words - {"a"}}
    if said.partition(":")[2].strip():
        named |= {p.id for p in a.scene.pieces if p.id.casefold() == said.partition(":")[2].strip()}
    others = named - {a["unit"]} if a.given("unit") else set()
    return bool(words & MOVING) and not words & NOT_MOVING and not others


@GAME.query(
    "enter-terrain",
    {"en": "May it enter?", "es": "¿Puede entrar?"},
    FROM,
    Input("to", "terrain", {"en": "terrain", "es": "terreno"}),
    rules=("RW-TERR-1",),
    phase="move",
)
def enter_terrain(a: Asked) -> Finding:
    """RW-TERR-1: capacity, nobody in it, and contact (taken to be new)."""
    field = Field(a)
    unit, terrain = field.named("from"), a.terrain("to")
    count = len(unit.block.slots)
    room = keyword(terrain, "capacity") if terrain.trait("capacity") is not None else None
    inside = field.occupant(terrain)
    touch = field.touch_mm(unit.block.footprint, Footprint.polygon(terrain.outline))
    rule = ("RW-TERR-1",)
    holds = touch >= -SLACK_MM
    contact = msg(
        "rw-terrain-touch" if holds else "rw-terrain-apart",
        a=unit.label,
        t=terrain.label,
        d=Length(field.contact_tol - touch),
    )
    checks = [
        Check(room is not None, msg("rw-no-capacity", t=terrain.label), rule),
        Check(
            room is None or count <= room,
            msg("rw-capacity", t=terrain.label, n=count, room=room if room is not None else "–"),
            rule,
        ),
        Check(
            inside is None,
            msg("rw-occupied", t=terrain.label, b="" if inside is None else inside.label),
            rule,
        ),
        Check(holds, contact, ("RW-TERR-1", "RW-GEO-3"), touch),
    ]
    yes = Finding(
        msg("rw-may-enter", a=unit.label, t=terrain.label),
        rule,
        drawing=(draw_unit(unit), polygon(terrain.outline, "contact")),
        depends=frozenset({unit.id}),
    )
    return conclude(checks, yes)


@GAME.query(
    "exit-terrain",
    {"en": "May it leave there?", "es": "¿Puede salir ahí?"},
    UNIT,
    TERRAIN,
    Input("action", "choice", {"en": "action", "es": "acción"}, choices=("march", "shift")),
    rules=("RW-TERR-3",),
    phase="move",
)
def exit_terrain(a: Asked) -> Finding:
    """RW-TERR-3, of the unit in its proposed place: the right edge on the outline, nothing else touched."""
    field, piece, terrain = Field(a), a.piece("unit"), a.terrain("terrain")
    unit = Unit(piece, field.block(piece, a.facing(piece, ("RW-TERR-3",))))
    ground = Footprint.polygon(terrain.outline)
    edges = ("rear",) if a["action"] == "march" else ("front", "left-flank", "right-flank")
    sides = np.stack([np.stack([b.a, b.b]) for b in unit.borders if b.edge in edges])
    touch = field.contact_tol - float(gap(sides[:, None], 0.0, ground.padded, 0.0, deep=False).min())
    overlap = unit.outline.gap(ground)
    others = {
        n: m
        for n, m in touched_at(field, unit).items()
        if n != terrain.id and not _same_ground(field, n, terrain)
    }
    offended = [n for n, m in others.items() if m >= -SLACK_MM]
    worst = max(others.values(), default=-math.inf)
    rule = ("RW-TERR-3",)
    key = "rw-exit-march" if a["action"] == "march" else "rw-exit-shift"
    checks = [
        Check(touch >= -SLACK_MM, msg(key, a=unit.label, t=terrain.label), rule, touch),
        Check(
            overlap >= -SLACK_MM,
            msg("rw-exit-over", a=unit.label, t=terrain.label),
            rule,
            overlap + field.contact_tol if overlap >= -SLACK_MM else overlap,
        ),
        Check(
            not offended,
            msg("rw-reform-blocked", ids=offended) if offended else msg("rw-reform-free", a=unit.label),
            rule,
            -worst if math.isfinite(worst) else None,
        ),
    ]
    yes = Finding(
        msg("rw-may-exit", a=unit.label, t=terrain.label),
        rule,
        blockers=tuple(offended),
        drawing=(polygon(terrain.outline, "zone"), draw_unit(unit, "path")),
        depends=field.near_flipping(unit, {n: m for n, m in others.items() if field.asked.scene.find(n)}),
    )
    return conclude(checks, yes)


def _same_ground(field: Field, name: str, terrain: Terrain) -> bool:
    """Another unit in the same terrain is no obstacle apart from it."""
    other = next((u for u in field.units if u.id == name), None)
    return other is not None and other.terrain is not None and other.terrain.id == terrain.id


@GAME.query(
    "terrain-placement",
    {"en": "Terrain placed well?", "es": "¿Terreno bien colocado?"},
    TERRAIN,
    rules=("RW-PLACE-1", "RW-PLACE-2", "RW-PLACE-3"),
    phase="setup",
)
def terrain_placement(a: Asked) -> Finding:
    """RW-PLACE-1…3: farther than range 2 from the border and other pieces, not touching a deployment zone."""
    field, terrain = Field(a), a.terrain("terrain")
    foot = Footprint.polygon(terrain.outline)
    least = field.segments[1]
    margins = {"table-edge": field.inside_mm(foot) - least}
    for other in a.scene.terrain:
        if other.id != terrain.id:
            zone = other.type.startswith("deployment-")
            margins[other.id] = foot.gap(Footprint.polygon(other.outline)) - (0.0 if zone else least)
    offended = tuple(n for n, m in margins.items() if m <= SLACK_MM)
    worst = min(margins, key=lambda n: margins[n])
    reason = (
        msg("rw-place-bad", t=terrain.label, ids=list(offended), d=Length(least))
        if offended
        else msg("rw-place-good", t=terrain.label, b=worst, d=Length(margins[worst]))
    )
    return Finding(
        reason,
        ("RW-PLACE-1", "RW-PLACE-2", "RW-PLACE-3"),
        Answer.of(not offended),
        ids=offended,
        margin_mm=margins[worst],
        drawing=(polygon(terrain.outline, "piece"),),
        depends=frozenset(),
    )


@GAME.query(
    "deployment",
    {"en": "Deployed well?", "es": "¿Bien desplegada?"},
    UNIT,
    Input("zone", "choice", {"en": "colour of the zone", "es": "color de la zona"}, choices=("red", "blue")),
    rules=("RW-DEPLOY-1", "RW-DEPLOY-2"),
    phase="setup",
)
def deployment(a: Asked) -> Finding:
    """RW-DEPLOY-1, -2: wholly inside one zone, or, too large for all, its rear on the long edge in its zone."""
    field, piece = Field(a), a.piece("unit")
    unit = Unit(piece, field.block(piece, a.facing(piece, ("RW-DEPLOY-1",))))
    zones = [t for t in a.scene.terrain if t.type == f"deployment-{a['zone']}"]
    if not zones:
        raise Unknown(msg("rw-no-zone", zone=a["zone"]), ("RW-DEPLOY-1",))
    drawing = (*(polygon(z.outline, "zone") for z in zones), draw_unit(unit))
    depends = frozenset({piece.id})
    depth = max(_depth_mm(unit.outline, z) for z in zones)
    if depth >= -SLACK_MM or any(_fits(unit, z) for z in zones):
        holds = depth >= -SLACK_MM
        key = "rw-deployed" if holds else "rw-not-deployed"
        reason = msg(key, a=unit.label, d=Length(abs(depth)))
        return Finding(
            reason, ("RW-DEPLOY-1",), Answer.of(holds), margin_mm=depth, drawing=drawing, depends=depends
        )
    touch = max(_rear_mm(field, unit, z) for z in zones)
    holds = touch >= -SLACK_MM
    key = "rw-deployed-rear" if holds else "rw-not-deployed-rear"
    return Finding(
        msg(key, a=unit.label, d=Length(abs(touch))),
        ("RW-DEPLOY-2",),
        Answer.of(holds),
        margin_mm=touch,
        drawing=drawing,
        depends=depends,
    )


def _depth_mm(foot: Footprint, zone: Terrain) -> float:
    """How deep a footprint lies inside a zone; negative: how far its worst point is outside."""
    area = shapely.Polygon(zone.outline)
    points = shapely.points(foot.corners)
    rim = shapely.distance(points, area.exterior)
    signed = np.where(shapely.covers(area, points), rim, -rim)
    depth = float(signed.min())
    if depth >= 0 and not shapely.covers(shapely.buffer(area, SLACK_MM), foot.geometry):
        return -float(shapely.hausdorff_distance(foot.geometry, shapely.intersection(area, foot.geometry)))
    return depth


def _fits(unit: Unit, zone: Terrain) -> bool:
    """Sheet 4.17, fit test: the unit's rectangle against the sides of the zone, either way round."""
    box = shapely.oriented_envelope(shapely.Polygon(zone.outline))
    ring = shapely.get_coordinates(box)
    sides = sorted(float(np.hypot(*(ring[i + 1] - ring[i]))) for i in range(2))
    mine = sorted((unit.block.whole_width_mm, unit.block.whole_depth_mm))
    return mine[0] <= sides[0] + SLACK_MM and mine[1] <= sides[1] + SLACK_MM


def _rear_mm(field: Field, unit: Unit, zone: Terrain) -> float:
    """Contact margin of the rear edge with a long play-area edge inside a zone (RW-DEPLOY-2)."""
    w, d = field.size
    names = ("near", "far") if w >= d else ("left", "right")
    area = shapely.Polygon(zone.outline)
    best = -math.inf
    for name in names:
        edge = shapely.LineString(field.sides[name].parts[0])
        allowed = shapely.intersection(shapely.buffer(area, SLACK_MM), edge)
        if allowed.is_empty or allowed.length <= SLACK_MM:
            continue
        for border in unit.borders:
            if border.edge == "rear":
                rear = shapely.LineString([border.a, border.b])
                best = max(best, field.contact_tol - float(shapely.distance(rear, allowed)))
    return best


@GAME.query(
    "in-play-area",
    {"en": "On the table?", "es": "¿En la zona de juego?"},
    UNIT,
    rules=("RW-AREA-1",),
)
def in_play_area(a: Asked) -> Finding:
    """RW-AREA-1: flush with the border is inside; terrain stands for its occupant (RW-TERR-2)."""
    field, piece = Field(a), a.piece("unit")
    unit = field.unit(piece)
    depth = field.inside_mm(unit.outline)
    holds = depth >= -SLACK_MM
    w, d = field.size
    return Finding(
        msg("rw-inside" if holds else "rw-outside", a=unit.label, d=Length(abs(depth))),
        ("RW-AREA-1",),
        Answer.of(holds),
        margin_mm=depth,
        drawing=(Segment((0.0, 0.0), (w, 0.0), "limit"), Segment((w, 0.0), (w, d), "limit"), draw_unit(unit)),
        depends=frozenset({piece.id}),
    )


@GAME.query(
    "unit-points",
    {"en": "What is it worth?", "es": "¿Cuánto vale?"},
    UNIT,
    Input(
        "table",
        "json",
        {"en": "cost table [[trays, cost], …]", "es": "tabla de costes [[bandejas, coste], …]"},
    ),
    rules=("RW-SCORE-1",),
    phase="end",
)
def unit_points(a: Asked) -> Finding:
    """RW-SCORE-1: the cost of the largest entry not above the trays left."""
    piece, table = a.piece("unit"), a["table"]
    good = isinstance(table, list | tuple) and all(
        isinstance(row, list | tuple) and len(row) == 2 and all(_whole(x) for x in row) for row in table
    )
    if not good:
        raise QuestionError.of("rw-cost-table", "table", got=repr(table)[:80])
    trays = piece.count if piece.count is not None else 1
    value = max(((n, cost) for n, cost in table if n <= trays), default=(0, 0))[1]
    return Finding(
        msg("rw-points", a=piece.label, n=trays, value=value),
        ("RW-SCORE-1",),
        value=value,
        kind="count",
        depends=frozenset(),
    )


def _whole(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


@GAME.query(
    "premeasure",
    {"en": "May this be measured now?", "es": "¿Se puede medir ahora?"},
    Input(
        "tool", "choice", {"en": "tool", "es": "herramienta"}, choices=("range-ruler", "movement-template")
    ),
    Input("unit", "piece", {"en": "unit", "es": "unidad"}, required=False),
    Input("during", "text", {"en": "what is going on", "es": "qué ocurre"}, required=False),
    rules=("RW-PREM-1",),
)
def premeasure(a: Asked) -> Finding:
    """RW-PREM-1: the ruler always; templates only while that unit performs its move."""
    ruler = a["tool"] == "range-ruler"
    moving = _performs_move(a)
    allowed = ruler or moving
    key = "rw-ruler-any-time" if ruler else "rw-template-now" if moving else "rw-template-no"
    return Finding(msg(key), ("RW-PREM-1",), Answer.of(allowed), depends=frozenset())


@GAME.query(
    "token-owner",
    {"en": "Whose token is it?", "es": "¿De quién es la ficha?"},
    Input("token", "piece", {"en": "token", "es": "ficha"}),
    rules=("RW-TOKEN-1",),
)
def token_owner(a: Asked) -> Finding:
    """RW-TOKEN-1: the nearest unit; those hardly farther are all named."""
    field, token = Field(a), a.piece("token")
    a.at(token)
    here = footprint_of(token)
    margin: float = a.param("token_margin")
    distances = {u.id: max(here.gap(u.outline), 0.0) for u in field.units if u.id != token.id}
    if not distances:
        raise Unknown(msg("rw-no-units"), ("RW-TOKEN-1",))
    best = min(distances.values())
    owners = [u for u in field.units if distances.get(u.id, math.inf) <= best + margin + SLACK_MM]
    over = [d - best - margin for i, d in distances.items() if d > best]
    _, p, q = here.closest(next(u for u in owners if distances[u.id] == best).outline)
    return Finding(
        msg("rw-token", a=token.label, ids=[u.label for u in owners], d=Length(best)),
        ("RW-TOKEN-1",),
        ids=tuple(u.id for u in owners),
        margin_mm=set_margin_mm(over),
        drawing=(segment(p, q, "measure"), *(draw_unit(u, "contact") for u in owners)),
        notes=(msg("rw-token-ask"),) if len(owners) > 1 else (),
        depends=frozenset(i for i, d in distances.items() if d <= best + margin + 2 * field.wiggle_mm)
        | {token.id},
    )


register(
    {
        "rw-no-capacity": {"en": "{t} has no capacity: nobody can enter it.", "es": "{t} no tiene Espacio: nadie puede entrar."},
        "rw-capacity": {"en": "{t} holds {room} trays; the unit has {n}.", "es": "{t} admite {room} bandejas; la unidad tiene {n}."},
        "rw-occupied": {"en": "{t} is already occupied: {b}", "es": "{t} ya está ocupado: {b}"},
        "rw-terrain-touch": {"en": "{a} touches {t} (gap {d}).", "es": "{a} toca {t} (hueco {d})."},
        "rw-terrain-apart": {"en": "{a} does not touch {t}: the gap is {d}.", "es": "{a} no toca {t}: el hueco es {d}."},
        "rw-may-enter": {"en": "{a} may enter {t}.", "es": "{a} puede entrar en {t}."},
        "rw-exit-march": {"en": "After a march the rear edge of {a} must touch {t}.", "es": "Tras una marcha, el borde trasero de {a} debe tocar {t}."},
        "rw-exit-shift": {
            "en": "After a shift the front or a side edge of {a} must touch {t}.",
            "es": "Tras un desplazamiento, el borde frontal o uno lateral de {a} debe tocar {t}.",
        },
        "rw-exit-over": {"en": "{a} must not overlap {t}.", "es": "{a} no debe solapar {t}."},
        "rw-may-exit": {"en": "{a} may come out of {t} there.", "es": "{a} puede salir de {t} ahí."},
        "rw-place-bad": {
            "en": "{t} is at range 1–2 ({d}) of, or touches a zone: {ids}",
            "es": "{t} está a alcance 1–2 ({d}), o toca una zona: {ids}",
        },
        "rw-place-good": {
            "en": "{t} is clear; the nearest limit, {b}, is {d} farther off.",
            "es": "{t} está libre; el límite más cercano, {b}, queda {d} más lejos.",
        },
        "rw-no-zone": {
            "en": "The scene has no {zone} deployment zone: add it as terrain.",
            "es": "La escena no tiene zona de despliegue {zone}: añádala como terreno.",
        },
        "rw-deployed": {"en": "{a} lies wholly inside its zone, {d} from the border.", "es": "{a} está entera en su zona, a {d} del borde."},
        "rw-not-deployed": {"en": "{a} sticks {d} out of its zone.", "es": "{a} sobresale {d} de su zona."},
        "rw-deployed-rear": {
            "en": "{a} fits in no zone, and its rear edge touches the long table edge in its zone.",
            "es": "{a} no cabe en ninguna zona, y su borde trasero toca el borde largo de la mesa en su zona.",
        },
        "rw-not-deployed-rear": {
            "en": "{a} fits in no zone, and its rear edge is {d} short of the long table edge in its zone.",
            "es": "{a} no cabe en ninguna zona, y a su borde trasero le faltan {d} para el borde largo de la mesa en su zona.",
        },
        "rw-inside": {"en": "{a} lies in the play area, {d} from its border.", "es": "{a} está en la zona de juego, a {d} del borde."},
        "rw-outside": {"en": "{a} sticks {d} out of the play area.", "es": "{a} sobresale {d} de la zona de juego."},
        "rw-cost-table": {
            "en": "expected [[trays, cost], …], got {got}",
            "es": "se esperaba [[bandejas, coste], …], hay {got}",
        },
        "rw-points": {"en": "{a} has {n} trays: {value} points.", "es": "{a} tiene {n} bandejas: {value} puntos."},
        "rw-ruler-any-time": {"en": "The range ruler may be used at any time.", "es": "La regla de alcance se puede usar en cualquier momento."},
        "rw-template-now": {
            "en": "That unit performs its move: its templates may be used.",
            "es": "Esa unidad realiza su movimiento: sus plantillas se pueden usar.",
        },
        "rw-template-no": {
            "en": "Movement templates may be used only while that unit performs its move.",
            "es": "Las plantillas de movimiento solo se usan mientras esa unidad realiza su movimiento.",
        },
        "rw-no-units": {"en": "There is no unit on the table.", "es": "No hay ninguna unidad en la mesa."},
        "rw-token": {"en": "{a} lies {d} from {ids}.", "es": "{a} está a {d} de {ids}."},
        "rw-token-ask": {
            "en": "Several units are as near: ask the players.",
            "es": "Varias unidades están igual de cerca: pregunte a los jugadores.",
        },
    }
)  # fmt: skip
