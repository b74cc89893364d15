"""Charges: who may declare, reach, room, rolls, reactions, failures (T9A-CHG-1 … 8, 12 and 13)."""

from __future__ import annotations

import math

from ...drawing import Arc, Drawing, Shape, segment
from ...messages import Angle, Length, Message, msg, register
from ...verdict import Answer, Finding
from .arcs import arc_lines, located
from .blocks import Unit
from .contact import is_engaged
from .moves import chord
from .numbers import EPS, INCH
from .pursuit import ahead_of
from .room import Charge, Obstacle, Path, best_path, room_of
from .sight import Sight, can_see, sight_drawing, targets_of
from .view import View, outline, query
from .words import ADVANCE, FROM, TO, need, opt

__all__ = ["Room", "charge_room", "charged_face"]

REACH = 12 * INCH
MAX_ROLL = 12
CHAMPION_ROLL = 4
FORBIDDING = ("charging", "fleeing", "shaken", "war-machine", "random-movement")


def charged_face(charger: Unit, target: Unit) -> tuple[str | None, float]:
    """T9A-CHG-5: the facing to be charged and the distance to the dividing line; none of a fleeing target."""
    if target.has("fleeing"):
        return None, math.inf
    frame = charger.frame
    spot = frame.at if frame.round else frame.front_middle
    return located(target.frame, spot)


def host_of(v: View, unit: Unit) -> str | None:
    """The unit that a character charges out of (T9A-CHG-13)."""
    host = unit.id.partition("#")[0]
    if unit.id in v.units:
        return None
    if host in v.units:
        return host
    return next((u.id for u in v.units.values() if any(g.id == unit.id for g in u.joined)), None)


class Room:
    """Whether there is room, by how much, on which way, and what it needed."""

    def __init__(self, holds: bool, path: Path | None, margin: float | None, note: Message | None) -> None:
        self.holds, self.path, self.margin, self.note = holds, path, margin, note


def setup(
    v: View,
    unit: Unit,
    target: Unit,
    *,
    flying: bool,
    ignore: frozenset[str] = frozenset(),
    edge: bool = True,
) -> Charge:
    """The charge with everything in reach that could be in the way."""
    face, _ = charged_face(unit, target)
    host = host_of(v, unit)
    near = math.dist(unit.centre, target.centre) + _radius(unit) + _radius(target)
    found = []
    for other in v.units.values():
        if other.id in (unit.id, target.id, host) or other.id in ignore:
            continue
        if min(math.dist(other.centre, unit.centre), math.dist(other.centre, target.centre)) < near + _radius(
            other
        ):
            found.append(Obstacle(other.id, (other.boundary.ring,), not v.are_enemies(unit, other)))
    ghost = unit.has("ghost-step")
    rocks = [] if ghost else v.impassable
    found += [Obstacle(f.id, f.footprint.parts, True) for f in rocks if f.id not in ignore]
    board = v.board if v.scene.table is not None and edge else None
    return Charge(unit.frame, target.boundary, face, tuple(found), board, flying)


def _radius(u: Unit) -> float:
    return math.hypot(u.boundary.width, u.boundary.depth)


def charge_room(v: View, unit: Unit, target: Unit, *, flying: bool = False) -> Room:
    """T9A-CHG-3, with other enemies touched or the target turned only if nothing else helps."""
    c = setup(v, unit, target, flying=flying)
    path = best_path(c)
    if path is not None and room_of(path) >= -EPS:
        return Room(True, path, max(0.0, room_of(path)), None)
    margin = None if path is None else room_of(path)
    touching = best_path(c, touch_enemies=True) if any(not o.touchable for o in c.obstacles) else None
    if touching is not None and room_of(touching, True) >= -EPS:
        return Room(True, touching, max(0.0, room_of(touching, True)), msg("t9a-charge-second"))
    if c.face is not None and not target.round and not is_engaged(v, target):
        turned = best_path(c, turn_target=True)
        if turned is not None and room_of(turned) >= -EPS:
            note = msg("t9a-charge-turned", b=target.label, turn=Angle(abs(turned.target_turn_deg)))
            return Room(True, turned, max(0.0, room_of(turned)), note)
        blocked = _blocked_path(v, unit, target, flying)
        if blocked is not None:
            return blocked
    return Room(False, path, margin, None)


def _blocked_path(v: View, unit: Unit, target: Unit, flying: bool) -> Room | None:
    """T9A-CHG-3, Blocked Path: straight ahead, if only unengaged enemies, or the board edge, prevent the charge."""
    loose = frozenset(
        e.id for e in v.enemies(unit) if e.id != target.id and not e.has("fleeing") and not is_engaged(v, e)
    )
    causes: list[tuple[frozenset[str], bool]] = [(loose, True)] if loose else []
    if len(loose) >= 2 and v.impassable:
        causes.append((loose | {f.id for f in v.impassable}, True))
    causes.append((frozenset(), False))
    for ignore, edge in causes:
        free = best_path(setup(v, unit, target, flying=flying, ignore=ignore, edge=edge))
        if free is None or room_of(free) < -EPS:
            continue
        straight = _straight(v, unit, target)
        if straight is not None:
            return Room(True, straight, max(0.0, straight.clearance), msg("t9a-charge-blocked-path"))
    return None


def _straight(v: View, unit: Unit, target: Unit) -> Path | None:
    """Straight ahead into contact with nothing in between."""
    c = setup(v, unit, target, flying=False)
    way, _ = ahead_of(unit.frame, list(target.footprint.parts), target.footprint.radius)
    if not math.isfinite(way):
        return None
    swept = unit.frame.swept(0.0, way)
    rooms = []
    for o in c.obstacles:
        thing = v.units[o.id].footprint if o.id in v.units else v.features[o.id].footprint
        rooms.append(swept.gap(thing))
    room = min(rooms, default=math.inf)
    if room < -EPS:
        return None
    end = unit.frame.moved(0.0, way)
    return Path(way, 0.0, 0.0, 0.0, end.front_middle, end, room, room)


@query(
    "charge",
    {"en": "May it charge?", "es": "¿Puede cargar?"},
    FROM,
    TO,
    ADVANCE,
    opt("flying", "flag", "charges flying", "carga volando"),
    rules=("T9A-CHG-1", "T9A-CHG-2", "T9A-CHG-3", "T9A-CHG-4", "T9A-CHG-5", "T9A-CHG-13"),
    phase="charge",
)
def charge(v: View) -> Finding:
    unit, target = v.mover("from"), v.unit("to")
    _ = unit.frame
    away, p, q = unit.footprint.closest(target.footprint)
    away = max(0.0, away)
    limit = v["advance"] + REACH
    face, arc_margin = charged_face(unit, target)
    drawing: list[Shape] = [outline(target.boundary), *arc_lines(target.boundary), segment(p, q, "measure")]
    steps: list[Message] = [msg("t9a-charge-distance", d=Length(away), limit=Length(limit))]
    found = _declare(v, unit, target)
    rule = "T9A-CHG-1"
    margin: float | None = None
    if found is None:
        seen = _front_sees(v, unit, target)
        drawing += sight_drawing(v, seen)
        reach = limit - away
        margin = min(reach, seen.margin)
        if away > limit + EPS:
            rule, margin = "T9A-CHG-2", reach
            found = msg("t9a-charge-far", a=unit.label, b=target.label, d=Length(away), limit=Length(limit))
        elif not seen.sees:
            margin = seen.margin
            found = msg("t9a-charge-sight", a=unit.label, b=target.label, ids=seen.blockers or "–")
    if found is None:
        room = charge_room(v, unit, target, flying=bool(v["flying"]))
        rule = "T9A-CHG-3"
        if room.note is not None:
            v.notes.append(room.note)
        if room.path is not None:
            steps.append(_say_path(room.path))
            drawing += path_drawing(unit, room.path)
        if room.holds:
            margin = margin if room.margin is None else min(margin or 0.0, room.margin)
        else:
            margin = room.margin
            found = msg("t9a-charge-room", a=unit.label, b=target.label)
    if v.camera and margin is not None and face is not None and math.isfinite(arc_margin):
        # which facing is charged is part of the answer
        margin = math.copysign(min(abs(margin), arc_margin), margin)
    holds = found is None
    reason = found or msg("t9a-charge-yes", a=unit.label, b=target.label, d=Length(away), limit=Length(limit))
    return Finding(
        reason,
        tuple(dict.fromkeys((rule, "T9A-CHG-2", "T9A-CHG-5"))),
        Answer.of(holds),
        value=away,
        limit=limit,
        arc=face,
        margin_mm=margin if margin is not None and math.isfinite(margin) else None,
        steps=tuple(steps),
        drawing=tuple(drawing),
    )


def _declare(v: View, unit: Unit, target: Unit) -> Message | None:
    """T9A-CHG-1: states that forbid a charge."""
    if not v.are_enemies(unit, target):
        return msg("t9a-not-enemies", a=unit.label, b=target.label)
    for word in FORBIDDING:
        if unit.has(word):
            return msg(f"t9a-charge-{word}", a=unit.label)
    host = host_of(v, unit)
    if is_engaged(v, v.units[host] if host else unit):
        return msg("t9a-charge-engaged", a=unit.label)
    return None


def _front_sees(v: View, unit: Unit, target: Unit) -> Sight:
    """T9A-CHG-1: at least one front-rank model must see the target unit."""
    host = host_of(v, unit)
    eyes = [m for m in unit.models if m.rank == 1]
    aims = targets_of(v, v.lookup(target.id, "to"))
    return can_see(v, eyes, aims, unit=unit, skip=(host,) if host else ())


def _say_path(path: Path) -> Message:
    return msg(
        "t9a-charge-path",
        ahead=Length(path.ahead),
        turn=Angle(path.wheel_deg),
        then=Length(path.then),
        align=Angle(path.align_deg),
    )


def path_drawing(unit: Unit, path: Path) -> Drawing:
    start = unit.frame
    first = start.moved(0.0, path.ahead)
    pivot = first.corner("front-left" if path.wheel_deg > 0 else "front-right")
    wheeled = first.turned(path.wheel_deg, pivot)
    touched = wheeled.moved(0.0, path.then)
    out: list[Shape] = [segment(start.front_middle, first.front_middle, "path")]
    if abs(path.wheel_deg) > 1e-6:
        edge = first.facing - 90.0 if path.wheel_deg > 0 else first.facing + 90.0
        low, high = sorted((edge, edge + path.wheel_deg))
        out.append(Arc(pivot, first.width, low, high, "path"))
    out.append(segment(wheeled.front_middle, touched.front_middle, "path"))
    out.append(outline(path.end, "path"))
    return tuple(out)


@query(
    "charge-roll",
    {"en": "What must the charge roll be?", "es": "¿Qué tirada de carga hace falta?"},
    FROM,
    TO,
    ADVANCE,
    rules=("T9A-CHG-6", "T9A-CHG-7"),
    phase="charge",
)
def charge_roll(v: View) -> Finding:
    unit, target = v.mover("from"), v.unit("to")
    away, p, q = unit.footprint.closest(target.footprint)
    away = max(0.0, away)
    short = (away - v["advance"]) / INCH
    least = max(2, math.ceil(short - EPS / INCH))
    possible = least <= MAX_ROLL
    champion = unit.has("champion")
    value = 2 if champion and least <= CHAMPION_ROLL else least
    # the border where another total would be needed; above the least and the most there is none
    below = (short - (least - 1)) * INCH if least > 2 else math.inf
    above = (least - short) * INCH
    if champion and value == 2:
        below, above = math.inf, (CHAMPION_ROLL - short) * INCH
    elif champion and least == CHAMPION_ROLL + 1:
        below = (short - CHAMPION_ROLL) * INCH
    margin = min(below, above) if possible else -(short - MAX_ROLL) * INCH
    key = "t9a-roll" if possible else "t9a-roll-impossible"
    steps = (msg("t9a-roll-champion", a=unit.label),) if champion and value == 2 else ()
    return Finding(
        msg(key, a=unit.label, b=target.label, d=Length(away), adv=Length(v["advance"]), n=value),
        ("T9A-CHG-6", "T9A-CHG-7") if champion else ("T9A-CHG-6",),
        Answer.of(possible),
        value=float(value) if possible else None,
        kind="count",
        margin_mm=margin,
        steps=steps,
        drawing=(segment(p, q, "measure"),),
        depends=v.depends(unit, target),
    )


@query(
    "stand-and-shoot",
    {"en": "May it stand and shoot?", "es": "¿Puede aguantar y disparar?"},
    FROM,
    TO,
    ADVANCE,
    rules=("T9A-CHG-8", "T9A-ARC-3"),
    phase="charge",
)
def stand_and_shoot(v: View) -> Finding:
    unit, charger = v.unit("from"), v.mover("to")
    rules = ("T9A-CHG-8", "T9A-ARC-3")
    if unit.has("fleeing") or unit.has("shaken") or is_engaged(v, unit):
        return Finding(msg("t9a-shoot-state", a=unit.label), rules, Answer.NO)
    if unit.has("war-machine"):
        return Finding(msg("t9a-stand-artillery", a=unit.label), rules, Answer.NO)
    away, p, q = unit.footprint.closest(charger.footprint)
    away = max(0.0, away)
    spot = charger.boundary.at if charger.round else charger.frame.front_middle
    face, arc_margin = located(unit.frame, spot)
    advance: float = v["advance"]
    far = away - advance
    inside = arc_margin if face == "front" else -arc_margin
    holds = away > advance + EPS and face == "front"
    if face != "front":
        reason = msg("t9a-stand-arc", a=unit.label, b=charger.label)
    else:
        key = "t9a-stand-yes" if holds else "t9a-stand-near"
        reason = msg(key, a=unit.label, b=charger.label, d=Length(away), limit=Length(advance))
    margin = min(far, inside)
    return Finding(
        reason,
        rules,
        Answer.of(holds),
        value=away,
        limit=advance,
        margin_mm=margin if math.isfinite(margin) else None,
        drawing=(*arc_lines(unit.boundary), outline(unit.boundary), segment(p, q, "measure")),
        depends=v.depends(unit, charger),
    )


@query(
    "failed-charge",
    {"en": "Where does a failed charge end?", "es": "¿Dónde acaba una carga fallida?"},
    FROM,
    TO,
    need("distance", "length", "highest die", "dado más alto"),
    rules=("T9A-CHG-12", "T9A-CHG-13"),
    phase="charge",
)
def failed_charge(v: View) -> Finding:
    unit, target = v.mover("from"), v.ref("to")
    frame = unit.frame
    total: float = v["distance"]
    turn = failed_wheel(frame.width, frame.own(target.centre), frame.depth)
    if frame.round:
        turn = 0.0
    cost = chord(frame.width, turn)
    if cost > total + EPS:
        turn = math.copysign(2 * math.degrees(math.asin(min(1.0, total / (2 * frame.width)))), turn)
        cost = total
    left = max(0.0, total - cost)
    pivot = frame.corner("front-left" if turn > 0 else "front-right")
    wheeled = frame.turned(turn, pivot)
    end = wheeled.moved(0.0, left)
    out: list[Shape] = [
        outline(frame),
        outline(end, "path"),
        segment(wheeled.front_middle, end.front_middle, "path"),
    ]
    if abs(turn) > 1e-6:
        edge = frame.facing - 90.0 if turn > 0 else frame.facing + 90.0
        low, high = sorted((edge, edge + turn))
        out.append(Arc(pivot, frame.width, low, high, "path"))
    return Finding(
        msg("t9a-failed", a=unit.label, turn=Angle(abs(turn)), cost=Length(cost), d=Length(left)),
        ("T9A-CHG-12",),
        value=left,
        at=end.at,
        drawing=tuple(out),
        depends=v.depends(unit, target.unit) | v.ids_of(target.id),
    )


def failed_wheel(width: float, centre: tuple[float, float], depth: float) -> float:
    """T9A-CHG-12: the wheel that points the centre axis at a point, left positive, at most 90 degrees.

    `centre` is the target's centre in the own frame.

    >>> round(failed_wheel(5.0, (10.0, 15.0), 2.0), 2)
    -37.24
    """
    x, y = centre
    if abs(x) <= EPS and y > 0:
        return 0.0
    out, up = abs(x) - width / 2, y - depth / 2
    far = math.hypot(out, up)
    turn = (
        math.degrees(math.acos(max(-1.0, min(1.0, -width / (2 * far)))) - math.atan2(up, out)) if far else 0.0
    )
    turn = max(0.0, min(90.0, turn))
    return -turn if x > 0 else turn


register(
    {
        "t9a-charge-distance": {
            "en": "{d} between the rectangles; Advance Rate + 12 in is {limit}.",
            "es": "{d} entre los rectángulos; la Capacidad de Avance + 12 in es {limit}.",
        },
        "t9a-charge-yes": {
            "en": "{a} may charge {b}: {d} away, {limit} at most, seen, and there is room.",
            "es": "{a} puede cargar contra {b}: a {d}, máximo {limit}, la ve y hay sitio.",
        },
        "t9a-charge-far": {
            "en": "{b} is {d} from {a}; a charge reaches {limit}.",
            "es": "{b} está a {d} de {a}; una carga llega a {limit}.",
        },
        "t9a-charge-sight": {
            "en": "No front-rank model of {a} sees {b} ({ids}).",
            "es": "Ninguna miniatura de la fila frontal de {a} ve a {b} ({ids}).",
        },
        "t9a-charge-room": {
            "en": "There is no room for {a} to reach {b} and align with the facing to be charged.",
            "es": "No hay sitio para que {a} llegue a {b} y se alinee con el encaramiento que debe cargar.",
        },
        "t9a-charge-second": {
            "en": "Contact with a second enemy cannot be avoided: it needs a charge declared on it too.",
            "es": "No se puede evitar el contacto con un segundo enemigo: hay que declararle también una carga.",
        },
        "t9a-charge-turned": {
            "en": "The charger cannot align alone: {b} turns {turn} about the contact point.",
            "es": "La unidad que carga no puede alinearse sola: {b} gira {turn} sobre el punto de contacto.",
        },
        "t9a-charge-blocked-path": {
            "en": "Blocked Path: the charger goes straight ahead and the charged unit aligns by a combat reform.",
            "es": "Paso Bloqueado: la unidad carga de frente y la cargada se alinea con una reorganización en combate.",
        },
        "t9a-charge-charging": {"en": "{a} is charging already.", "es": "{a} ya está cargando."},
        "t9a-charge-fleeing": {"en": "{a} is fleeing.", "es": "{a} está huyendo."},
        "t9a-charge-shaken": {"en": "{a} has shaken models.", "es": "{a} tiene miniaturas desorganizadas."},
        "t9a-charge-engaged": {"en": "{a} is engaged in combat.", "es": "{a} está trabada en combate."},
        "t9a-charge-war-machine": {
            "en": "{a} is a war machine: it never charges.",
            "es": "{a} es una máquina de guerra: nunca carga.",
        },
        "t9a-charge-random-movement": {
            "en": "{a} moves at random: it declares no charges.",
            "es": "{a} tiene movimiento aleatorio: no declara cargas.",
        },
        "t9a-charge-path": {
            "en": "A way: {ahead} ahead, wheel {turn}, {then} ahead, align {align}.",
            "es": "Un camino: {ahead} de frente, pivote de {turn}, {then} de frente, alinear {align}.",
        },
        "t9a-roll": {
            "en": "{a} is {d} from {b}; with Advance {adv} a total of {n} reaches.",
            "es": "{a} está a {d} de {b}; con Avance {adv} basta un total de {n}.",
        },
        "t9a-roll-impossible": {
            "en": "{a} is {d} from {b}; with Advance {adv} it would take {n}, more than two dice give.",
            "es": "{a} está a {d} de {b}; con Avance {adv} haría falta {n}, más de lo que dan dos dados.",
        },
        "t9a-roll-champion": {
            "en": "{a} has a champion: the roll never counts as less than 4.",
            "es": "{a} tiene un campeón: la tirada nunca cuenta como menos de 4.",
        },
        "t9a-stand-artillery": {
            "en": "{a} is artillery: its weapons must be reloaded.",
            "es": "{a} es artillería: hay que recargar sus armas.",
        },
        "t9a-stand-arc": {
            "en": "{b} is not located in the front arc of {a}.",
            "es": "{b} no está situada en el arco frontal de {a}.",
        },
        "t9a-stand-yes": {
            "en": "{b} is in the front arc of {a} and {d} away, more than its Advance of {limit}.",
            "es": "{b} está en el arco frontal de {a} y a {d}, más que su Avance de {limit}.",
        },
        "t9a-stand-near": {
            "en": "{b} is {d} from {a}; it must be farther than its Advance of {limit}.",
            "es": "{b} está a {d} de {a}; tiene que estar más lejos que su Avance de {limit}.",
        },
        "t9a-failed": {
            "en": "{a} wheels {turn} towards the target ({cost}) and goes {d} straight on.",
            "es": "{a} pivota {turn} hacia el objetivo ({cost}) y sigue {d} de frente.",
        },
    }
)
