"""Fleeing: which way, how far, through whom (T9A-CHG-10, T9A-PAN-2, T9A-PUR-1, T9A-FLEE-1 … 3)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...drawing import polygon, segment
from ...errors import QuestionError
from ...footprint import Footprint
from ...messages import Angle, Length, Message, msg, register
from ...plane import Array, gap
from ...verdict import Answer, Finding
from .blocks import Unit
from .contact import engaged_with
from .frames import Frame, Point, norm_deg, turn_between
from .near import obstacles
from .numbers import EPS, SPACING, TURN_EPS_DEG
from .view import Feature, View, outline, outlines, query
from .words import COMBAT, EXEMPT, FROM, need, opt

GRID, LEVELS = 41, 6
"""Each look at the way narrows it forty times: 2 m become a millionth of a millimetre in six."""

__all__ = ["clear_from", "edge_distance"]


def _away(start: Point, end: Point) -> float:
    return norm_deg(math.degrees(math.atan2(end[1] - start[1], end[0] - start[0])))


@query(
    "flee-direction",
    {"en": "Which way does it flee?", "es": "¿Hacia dónde huye?"},
    FROM,
    opt("to", "place", "the enemy it flees from", "el enemigo del que huye"),
    need("cause", "choice", "why it flees", "por qué huye", ("charge", "panic", "break")),
    rules=("T9A-CHG-10", "T9A-PAN-2", "T9A-PUR-1"),
    phase="flight",
)
def flee_direction(v: View) -> Finding:
    unit = v.unit()
    cause = v["cause"]
    if cause != "panic" and not v.given("to"):
        title = {"en": "the enemy it flees from", "es": "el enemigo del que huye"}
        raise QuestionError.of("input-missing", "to", title=title)
    if not v.given("to"):
        return _from_nearest(v, unit, "T9A-PAN-2")
    ref, foe = v.ref("to"), v.mover("to")
    if cause == "break":
        m = engaged_with(v, unit, foe)
        if m is None:
            return _from_nearest(v, unit, "T9A-PUR-1")
        if foe.round:
            deg, key = norm_deg(unit.facing + 180.0), "t9a-flee-turn"
        else:
            deg, key = foe.boundary.normal_deg(m.back), "t9a-flee-break"
        return _direction(v, unit, foe, deg, key, "T9A-PUR-1", None)
    rule = "T9A-CHG-10" if cause == "charge" else "T9A-PAN-2"
    return _direction(v, unit, foe, _away(ref.centre, unit.centre), "t9a-flee-away", rule, None)


def _from_nearest(v: View, unit: Unit, rule: str) -> Finding:
    """T9A-PAN-2: away from the nearest enemy, nearest by rectangles, direction by centres (A-27)."""
    foes = v.enemies(unit)
    if not foes:
        return Finding(msg("t9a-flee-random", a=unit.label), (rule,), ids=())
    gaps = v.gaps(unit.footprint, foes)
    order = sorted(range(len(foes)), key=lambda i: gaps[i])
    foe = foes[order[0]]
    margin = gaps[order[1]] - gaps[order[0]] if len(order) > 1 else None
    if margin is not None and margin <= EPS:
        v.note("t9a-flee-tie", a=foe.label, b=foes[order[1]].label)
    return _direction(v, unit, foe, _away(foe.centre, unit.centre), "t9a-flee-nearest", rule, margin)


def _direction(
    v: View, unit: Unit, foe: Unit, deg: float, key: str, rule: str, margin: float | None
) -> Finding:
    after = Frame(unit.centre, deg, unit.boundary.width, unit.boundary.depth, unit.round)
    return Finding(
        msg(key, a=unit.label, b=foe.label, turn=Angle(deg)),
        (rule,),
        value=deg,
        kind="angle",
        ids=(foe.id.partition("#")[0] if foe.id not in v.units else foe.id,),
        margin_mm=margin,
        drawing=(
            outline(unit.boundary),
            segment(foe.centre, unit.centre, "measure"),
            segment(after.at, after.moved(0.0, 150.0).at, "path"),
            outline(after, "path"),
        ),
        depends=v.depends(unit, foe) if key != "t9a-flee-nearest" else None,
    )


def edge_distance(v: View, points: list[Point], ahead: Point, radius: float, turned: bool = False) -> float:
    """How far points can go straight ahead before one of them touches the board edge.

    `turned` says that a pivot brought them here: then touching an edge they do not go to counts as well.
    """
    w, d = v.board
    (ux, uy), best = ahead, math.inf
    for x, y in points:
        for gap_mm, speed in ((x, -ux), (w - x, ux), (y, -uy), (d - y, uy)):
            room = gap_mm - radius
            if speed > 1e-9:
                best = min(best, max(0.0, room / speed))
            elif room < -EPS or (turned and room <= EPS):
                best = 0.0
    return best


def clear_from(frame: Frame, parts: list[Footprint], start: float, limit: float) -> float:
    """The least way ahead, from `start` on, at which a unit is `limit` clear of all parts (convex ones).

    The distance to a convex part is a convex function of the way, so each forbids one interval: closed where
    the unit comes near (exactly the limit is still within it), open where it leaves (T9A-FLEE-2, A-20).
    """
    at = start
    spans = [span for part in parts if (span := too_near(frame, part, start, limit)) is not None]
    for low, high in sorted(spans):
        if low - EPS <= at < high - EPS:
            at = high
    return at


def too_near(frame: Frame, part: Footprint, start: float, limit: float) -> tuple[float, float] | None:
    """The stretch of the way ahead on which a unit is nearer than `limit` to a convex part; None if never."""
    ahead = np.asarray(frame.forward)
    aside = (part.parts[0] - np.asarray(frame.at)) @ np.asarray(frame.right)
    if max(aside.min(), -aside.max()) - part.radius > frame.width / 2 + limit + EPS:
        return None  # beside the way

    def gaps(s: Array) -> Array:
        core = frame.footprint.parts[0] + s[:, None, None] * ahead
        return gap(core, frame.footprint.radius, part.parts[0], part.radius)

    # where the part lies along the way: the nearest point is there
    middle = frame.own(tuple(part.corners.mean(0)))[1]
    size = float(abs(part.corners - part.corners.mean(0)).max()) + part.radius + frame.width + frame.depth
    low, high = middle - 2 * size - limit, middle + 2 * size + limit
    if high < start:
        return None
    a, b = low, high
    for _ in range(LEVELS):
        s = np.linspace(a, b, GRID)
        k = int(gaps(s).argmin())
        a, b = float(s[max(k - 1, 0)]), float(s[min(k + 1, GRID - 1)])
    bottom = (a + b) / 2
    if float(gaps(np.array([bottom]))[0]) > limit + EPS:
        return None
    return _cross(gaps, bottom, low, limit), _cross(gaps, bottom, high, limit)


def _cross(gaps: Callable[[Array], Array], inside: float, outside: float, limit: float) -> float:
    """Where the distance reaches the limit between a point that is too near and one that is not."""
    for _ in range(LEVELS):
        s = np.linspace(inside, outside, GRID)
        near = gaps(s) < limit
        k = int(np.flatnonzero(near)[-1]) if near.any() else 0
        inside, outside = float(s[k]), float(s[min(k + 1, GRID - 1)])
    return outside


def convex_obstacles(things: list[Unit | Feature]) -> list[Footprint]:
    return [Footprint((part,), o.footprint.radius) for o in things for part in o.footprint.parts]


@query(
    "flee",
    {"en": "Where does the flee move end?", "es": "¿Dónde acaba la huida?"},
    FROM,
    opt("facing", "angle", "direction of flight", "dirección de la huida"),
    need("distance", "length", "flee roll", "tirada de huida"),
    EXEMPT,
    COMBAT,
    rules=("T9A-FLEE-1", "T9A-FLEE-2", "T9A-FLEE-3"),
    phase="flight",
)
def flee(v: View) -> Finding:
    unit = v.unit()
    unit.need_front()  # it flees as wide as its front
    deg = v["facing"] if v.given("facing") else unit.facing
    frame = Frame(unit.centre, norm_deg(deg), unit.boundary.width, unit.boundary.depth, unit.round)
    rolled: float = v["distance"]
    others = obstacles(v, unit, v.named("exempt"))
    parts = convex_obstacles(others)
    points = [frame.at] if frame.round else list(frame.corners)
    turned = abs(turn_between(unit.boundary.facing, frame.facing)) > TURN_EPS_DEG and not frame.round
    edge = edge_distance(v, points, frame.forward, frame.width / 2 if frame.round else 0.0, turned)
    wanted = clear_from(frame, parts, rolled, SPACING) if edge > rolled + EPS else rolled
    leaves = edge <= wanted + EPS
    travelled = min(edge, wanted)
    way = frame.swept(0.0, travelled)
    friends = v.friends(unit)
    depth = [-g for g in v.gaps(way, friends)]
    ids = tuple(f.id for f, d in zip(friends, depth, strict=True) if d > EPS)
    steps: list[Message] = [msg("t9a-flee-rolled", d=Length(rolled))]
    if wanted > rolled + EPS:
        steps.append(msg("t9a-flee-longer", d=Length(wanted), limit=Length(SPACING)))
    key = "t9a-flee-off" if leaves else "t9a-flee-stays"
    end = frame.moved(0.0, travelled)
    margins = [edge - wanted, *(d for d in depth)]
    near = [g - SPACING for g in v.gaps(frame.moved(0.0, rolled).footprint, others)]
    margin = min([abs(m) for m in (*margins, *near)], default=None)
    return Finding(
        msg(key, a=unit.label, d=Length(travelled), ids=ids or "–"),
        ("T9A-FLEE-1", "T9A-FLEE-2", "T9A-FLEE-3"),
        Answer.of(not leaves),
        value=travelled,
        ids=ids,
        margin_mm=None if margin is None else -margin if leaves else margin,
        steps=tuple(steps),
        drawing=(
            outline(unit.boundary),
            polygon(way.geometry.exterior.coords if not frame.round else frame.ring.tolist(), "path"),
            segment(frame.at, end.at, "path"),
            outline(end, "path"),
            *outlines((f for f in friends if f.id in ids), "contact"),
        ),
    )


register(
    {
        "t9a-flee-away": {
            "en": "{a} flees straight away from {b}, centre to centre: {turn}.",
            "es": "{a} huye en línea recta de {b}, de centro a centro: {turn}.",
        },
        "t9a-flee-nearest": {
            "en": "{a} flees from the nearest enemy, {b}, centre to centre: {turn}.",
            "es": "{a} huye del enemigo más próximo, {b}, de centro a centro: {turn}.",
        },
        "t9a-flee-break": {
            "en": "{a} flees straight away from the facing of {b} that it fought: {turn}.",
            "es": "{a} huye en línea recta del encaramiento de {b} con el que luchaba: {turn}.",
        },
        "t9a-flee-turn": {
            "en": "{a} turns its back on {b}: {turn}.",
            "es": "{a} da la espalda a {b}: {turn}.",
        },
        "t9a-flee-random": {
            "en": "No enemy is left on the table: {a} flees in a random direction.",
            "es": "No queda ningún enemigo en la mesa: {a} huye en una dirección al azar.",
        },
        "t9a-flee-tie": {
            "en": "{a} and {b} are equally near: choose one at random.",
            "es": "{a} y {b} están igual de cerca: elija una al azar.",
        },
        "t9a-flee-rolled": {"en": "Flee roll: {d}.", "es": "Tirada de huida: {d}."},
        "t9a-flee-longer": {
            "en": "It would end within {limit} of something: lengthened to {d}.",
            "es": "Acabaría a {limit} o menos de algo: se alarga hasta {d}.",
        },
        "t9a-flee-stays": {
            "en": "{a} flees {d} and stays on the board; friends run through: {ids}.",
            "es": "{a} huye {d} y sigue en el tablero; amigas atravesadas: {ids}.",
        },
        "t9a-flee-off": {
            "en": "{a} touches the board edge after {d} and is removed; friends run through: {ids}.",
            "es": "{a} toca el borde del tablero tras {d} y se retira; amigas atravesadas: {ids}.",
        },
    }
)
