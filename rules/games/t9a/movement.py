"""Wheels, advance and march moves, sweeping attacks (T9A-MOV-3 … 6 and 8, T9A-SPC-2, T9A-EDGE-1)."""

from __future__ import annotations

import math

import numpy as np

from ...drawing import Arc, Drawing, Shape, polygon, segment
from ...errors import QuestionError
from ...footprint import between
from ...messages import Angle, Length, Message, msg, register
from ...verdict import Answer, Finding
from .blocks import Unit
from .contact import is_engaged
from .frames import Frame
from .moves import Step, Way, carried, chord, read_steps, travel
from .near import obstacles
from .numbers import EPS, SPACING, SPACING_MOVING
from .view import Feature, View, outline, query
from .words import EXEMPT, FROM, need, opt

__all__ = ["front_on_board"]

MAX_WHEEL_DEG = 90.0
STEPS = need("steps", "json", "steps of the move", "pasos del movimiento")


@query(
    "wheel",
    {"en": "What does a wheel cost?", "es": "¿Cuánto cuesta un pivote?"},
    FROM,
    opt("angle", "angle", "angle, left positive", "ángulo, izquierda positivo"),
    opt("distance", "length", "distance to spend", "distancia que se gasta"),
    rules=("T9A-MOV-6",),
    phase="movement",
)
def wheel(v: View) -> Finding:
    unit = v.mover()
    frame = unit.frame
    if v.given("angle") == v.given("distance"):
        raise QuestionError.of("t9a-wheel-input", "angle")
    if v.given("angle"):
        turn: float = v["angle"]
        cost = chord(frame.width, turn)
        if abs(turn) > MAX_WHEEL_DEG + 1e-9:
            reason = msg("t9a-wheel-far", turn=Angle(abs(turn)))
            return Finding(reason, ("T9A-MOV-6",), Answer.NO, value=cost, depends=frozenset())
        reason = msg(
            "t9a-wheel-cost", a=unit.label, turn=Angle(abs(turn)), d=Length(cost), w=Length(frame.width)
        )
        value, kind = cost, "length"
    else:
        spent: float = v["distance"]
        if spent < 0:
            raise QuestionError.of("fault-at-least", "distance", limit=0, got=spent)
        half = min(spent / (2.0 * frame.width), math.sin(math.radians(MAX_WHEEL_DEG / 2)))
        turn = 2.0 * math.degrees(math.asin(half))
        reason = msg(
            "t9a-wheel-angle", a=unit.label, turn=Angle(turn), d=Length(spent), w=Length(frame.width)
        )
        value, kind = turn, "angle"
    return Finding(
        reason,
        ("T9A-MOV-6",),
        value=value,
        kind="angle" if kind == "angle" else "length",
        drawing=wheel_drawing(frame, turn),
        depends=v.depends(unit),
    )


def wheel_drawing(frame: Frame, turn: float) -> Drawing:
    pivot, outer = ("front-left", "front-right") if turn > 0 else ("front-right", "front-left")
    corner = frame.corner(pivot)
    start = frame.facing - 90.0 if turn > 0 else frame.facing + 90.0
    low, high = sorted((start, start + turn))
    after = frame.turned(turn, corner)
    return (
        outline(frame),
        outline(after, "path"),
        Arc(corner, frame.width, low, high, "path"),
        segment(frame.corner(outer), after.corner(outer), "measure"),
    )


def front_on_board(v: View, frame: Frame, whole: bool = False) -> float:
    """How far inside the board the front edge (or all of it) lies; negative is how far it is over the edge."""
    if whole or frame.round:
        return v.on_board(frame)
    w, d = v.board
    ends = frame.edge("front")
    return min(min(x, y, w - x, d - y) for x, y in ends)


@query(
    "move",
    {"en": "Is this move legal?", "es": "¿Es legal este movimiento?"},
    FROM,
    need("type", "choice", "advance or march", "avance o marcha", ("advance", "march")),
    need("rate", "length", "Advance or March Rate", "Capacidad de Avance o Marcha"),
    STEPS,
    opt("flying", "flag", "flying move", "movimiento volando"),
    EXEMPT,
    rules=(
        "T9A-MOV-3",
        "T9A-MOV-4",
        "T9A-MOV-5",
        "T9A-MOV-6",
        "T9A-MOV-8",
        "T9A-SPC-2",
        "T9A-EDGE-1",
        "T9A-SPEC-LIGHT",
        "T9A-SPEC-FLY",
    ),
    phase="movement",
)
def move(v: View) -> Finding:
    unit = v.mover()
    steps = read_steps(v, v["steps"])
    way = travel(unit.frame, steps)
    rate: float = v["rate"]
    tests = [*_kinds(v, unit, steps, way, rate)]
    tests.append(_displaced(unit, way, rate))
    tests += _clear(v, unit, way, bool(v["flying"]))
    tests.append(_edges(v, unit, way))
    failed = [t for t in tests if not t.holds]
    margins = [t.margin for t in (failed or tests) if t.margin is not None]
    margin = min(margins, default=None)
    if any(t.margin is None for t in failed):
        margin = None  # forbidden whatever the distances
    decided = failed[0] if failed else min(tests, key=lambda t: math.inf if t.margin is None else t.margin)
    return Finding(
        decided.text if failed else msg("t9a-move-yes", a=unit.label, d=Length(way.cost), limit=Length(rate)),
        tuple(dict.fromkeys(t.rule for t in (failed or tests))),
        Answer.of(not failed),
        value=way.cost,
        limit=rate,
        margin_mm=margin,
        ids=tuple(dict.fromkeys(i for t in failed for i in t.ids)) or None,
        steps=tuple(t.text for t in tests),
        drawing=_way_drawing(way),
    )


class _Test:
    """One condition of a move: whether it holds, by how much, and the sentence that says so."""

    def __init__(
        self, rule: str, holds: bool, margin: float | None, text: Message, ids: tuple[str, ...] = ()
    ) -> None:
        self.rule, self.holds, self.margin, self.text, self.ids = rule, holds, margin, text, ids


def _kinds(v: View, unit: Unit, steps: list[Step], way: Way, rate: float) -> list[_Test]:
    """T9A-MOV-3, 4, 6, 8 and light troops: which steps may be combined, and the total."""
    light = unit.most_are("light-troops")
    single = len(unit.models) == 1
    march = v["type"] == "march"
    rule = "T9A-SPEC-LIGHT" if light else "T9A-MOV-4" if march else "T9A-MOV-3"
    kinds = {s.kind for s in steps}
    out: list[_Test] = []

    def forbid(rule: str, key: str) -> None:
        out.append(_Test(rule, False, None, msg(key, a=unit.label)))

    if v["flying"] and not all("flying" in m.words for m in unit.models):
        forbid("T9A-SPEC-FLY", "t9a-move-wingless")
    if "pivot" in kinds and not single and not light:
        forbid("T9A-MOV-8", "t9a-move-pivot")
    if "wheel" in kinds and light:
        forbid("T9A-SPEC-LIGHT", "t9a-move-light-wheel")
    if any(s.kind == "wheel" and abs(s.amount) > MAX_WHEEL_DEG + 1e-9 for s in steps):
        forbid("T9A-MOV-6", "t9a-move-wheel-far")
    limit = rate
    if not light:
        ways = {"forward" if k == "wheel" else k for k in kinds} - {"pivot"}
        if march and ways - {"forward"}:
            forbid("T9A-MOV-4", "t9a-move-march-ahead")
        elif len(ways) > 1:
            forbid("T9A-MOV-3", "t9a-move-one-way")
        elif ways and ways <= {"backward", "sideways"}:
            limit = rate / 2
    total = msg("t9a-move-total", d=Length(way.cost), limit=Length(limit))
    out.append(_Test(rule, way.cost <= limit + EPS, limit - way.cost, total))
    return out


def _displaced(unit: Unit, way: Way, rate: float) -> _Test:
    """T9A-MOV-5: no centre farther from its start than the rate."""
    far, who = 0.0, unit.models[0]
    for m in unit.models:
        d = math.dist(m.at, carried(way.start, way.end, m.at))
        if d > far:
            far, who = d, m
    text = msg("t9a-move-displaced", a=who.id, d=Length(far), limit=Length(rate))
    return _Test("T9A-MOV-5", far <= rate + EPS, rate - far, text)


def _clear(v: View, unit: Unit, way: Way, flying: bool) -> list[_Test]:
    """T9A-SPC-2: half an inch on the way, more than an inch at the end; flyers only at the end."""
    exempt = v.named("exempt")
    others: list[Unit | Feature] = obstacles(v, unit)
    if not others:
        return []
    ghost = unit.has("ghost-step")
    start = v.gaps(way.start.footprint, others)
    end = v.gaps(way.end.footprint, others)
    out = []
    if not flying and way.covered:
        nearest = between(list(way.covered), [o.footprint for o in others]).min(axis=0)
        for o, s, g in zip(others, start, (float(x) for x in nearest), strict=True):
            if ghost and isinstance(o, Feature):
                continue
            # what stands nearer than half an inch from the start may only not be run into
            limit = SPACING_MOVING if s >= SPACING_MOVING - EPS and o.id not in exempt else min(0.0, s)
            text = msg("t9a-move-way", b=o.id, d=Length(max(0.0, g)), limit=Length(max(0.0, limit)))
            out.append(_Test("T9A-SPC-2", g >= limit - EPS, g - limit, text, (o.id,)))
    for o, g in zip(others, end, strict=True):
        limit = 0.0 if o.id in exempt else SPACING
        holds = g >= -EPS if o.id in exempt else g > SPACING + EPS
        text = msg("t9a-move-end", b=o.id, d=Length(max(0.0, g)), limit=Length(limit))
        out.append(_Test("T9A-SPC-1", holds, g - limit, text, (o.id,)))
    worst = {t.holds: t for t in sorted(out, key=lambda t: -(t.margin or 0.0))}
    return [t for t in out if not t.holds] or [worst[True]]


def _edges(v: View, unit: Unit, way: Way) -> _Test:
    """T9A-EDGE-1: the front edge on the board all the way, everything at the end; light troops always."""
    light = unit.most_are("light-troops")
    if v.scene.table is None:
        return _Test("T9A-EDGE-1", True, None, msg("t9a-move-no-board"))
    on_way = min(front_on_board(v, p, light) for p in way.poses)
    inside = min(on_way, v.on_board(way.end))
    text = msg("t9a-move-edge" if inside >= -EPS else "t9a-move-over-edge", d=Length(abs(inside)))
    return _Test("T9A-EDGE-1", inside >= -EPS, inside, text)


def _way_drawing(way: Way) -> Drawing:
    out: list[Shape] = [outline(way.start)]
    out += [segment(a.at, b.at, "path") for a, b in zip(way.poses, way.poses[1:], strict=False)]
    out.append(outline(way.end, "path"))
    return tuple(out)


@query(
    "sweep",
    {"en": "Whom does it sweep over?", "es": "¿Sobre quién pasa el ataque de barrido?"},
    FROM,
    STEPS,
    rules=("T9A-SPEC-SWEEP",),
    phase="movement",
)
def sweep(v: View) -> Finding:
    unit = v.mover()
    way = travel(unit.frame, read_steps(v, v["steps"]))
    foes = [e for e in v.enemies(unit) if not is_engaged(v, e)]
    covered = [way.start.footprint, *way.covered]
    depth = -between(covered, [e.footprint for e in foes]).min(axis=0) if foes else np.empty(0)
    ids = tuple(e.id for e, d in zip(foes, depth, strict=True) if d > EPS)
    return Finding(
        msg("t9a-sweep", a=unit.label, n=len(ids), ids=ids or "–"),
        ("T9A-SPEC-SWEEP",),
        ids=ids,
        margin_mm=float(np.abs(depth).min()) if foes else None,
        drawing=(
            *_way_drawing(way),
            *(polygon(e.boundary.ring.tolist(), "contact") for e in foes if e.id in ids),
        ),
    )


register(
    {
        "t9a-step": {
            "en": 'expected one of {known} with a number, distances not below 0, like {{"forward": 3}}',
            "es": 'se esperaba uno de {known} con un número, distancias no negativas, como {{"forward": 3}}',
        },
        "t9a-wheel-input": {
            "en": "give either angle or distance",
            "es": "indique o bien angle o bien distance",
        },
        "t9a-wheel-cost": {
            "en": "A wheel of {turn} moves the outer front corner of {a} ({w} wide) {d} in a straight line.",
            "es": "Un pivote de {turn} lleva la esquina frontal exterior de {a} ({w} de ancho) {d} en línea recta.",
        },
        "t9a-wheel-far": {
            "en": "{turn} is more than a wheel may turn (90°).",
            "es": "{turn} es más de lo que puede girar un pivote (90°).",
        },
        "t9a-wheel-angle": {
            "en": "With {d}, {a} ({w} wide) can wheel {turn}.",
            "es": "Con {d}, {a} ({w} de ancho) puede pivotar {turn}.",
        },
        "t9a-move-yes": {
            "en": "{a} may make this move: {d} of {limit} used.",
            "es": "{a} puede hacer este movimiento: gasta {d} de {limit}.",
        },
        "t9a-move-no-board": {
            "en": "The size of the board is not known; its edges are not judged.",
            "es": "No se conoce el tamaño del tablero; no se juzgan sus bordes.",
        },
        "t9a-move-wingless": {
            "en": "Not every model of {a} flies.",
            "es": "No todas las miniaturas de {a} vuelan.",
        },
        "t9a-move-pivot": {
            "en": "{a} is a block: it wheels or reforms, it does not pivot on the way.",
            "es": "{a} es un bloque: pivota sobre una esquina o se reorganiza, no gira sobre el centro.",
        },
        "t9a-move-light-wheel": {
            "en": "{a} are light troops: they make no wheels.",
            "es": "{a} son tropas ligeras: no pivotan.",
        },
        "t9a-move-wheel-far": {
            "en": "A wheel of {a} turns more than 90°.",
            "es": "Un pivote de {a} gira más de 90°.",
        },
        "t9a-move-march-ahead": {
            "en": "{a} may only march forward.",
            "es": "{a} solo puede marchar hacia delante.",
        },
        "t9a-move-one-way": {
            "en": "{a} may go forward, backward or sideways in one advance, not a mix of them.",
            "es": "{a} puede avanzar hacia delante, atrás o de lado en un avance, sin mezclar.",
        },
        "t9a-move-total": {
            "en": "The way is {d} long; {limit} is allowed.",
            "es": "El camino mide {d}; se permiten {limit}.",
        },
        "t9a-move-displaced": {
            "en": "The centre of {a} ends {d} from where it started; {limit} is allowed.",
            "es": "El centro de {a} acaba a {d} de donde empezó; se permiten {limit}.",
        },
        "t9a-move-way": {
            "en": "On the way it comes within {d} of {b}; no nearer than {limit} is allowed.",
            "es": "Por el camino pasa a {d} de {b}; no puede acercarse a menos de {limit}.",
        },
        "t9a-move-end": {
            "en": "It ends {d} from {b}; more than {limit} is needed.",
            "es": "Acaba a {d} de {b}; hace falta más de {limit}.",
        },
        "t9a-move-edge": {
            "en": "Its front stays on the board, {d} from the edge at the nearest.",
            "es": "Su frente no sale del tablero; lo más cerca, a {d} del borde.",
        },
        "t9a-move-over-edge": {
            "en": "It goes {d} over the edge of the board.",
            "es": "Sale {d} del borde del tablero.",
        },
        "t9a-sweep": {
            "en": "{a} passes over {n} unengaged enemy units: {ids}.",
            "es": "{a} pasa sobre {n} unidades enemigas sin trabar: {ids}.",
        },
    }
)
