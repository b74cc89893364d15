"""Movement: MK-MOV-1…8 and terrain on the way, MK-TER-1…6."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import shapely

from ...checks import Check, conclude
from ...drawing import Disc, Drawing, polygon, segment
from ...footprint import Footprint
from ...game import Asked, Input
from ...messages import Length, Message, msg, register
from ...plane import Array, gap
from ...scene import Piece, Terrain
from ...sight import clearance, inside
from ...sweep import first_wholly_inside_mm
from ...units import MM_PER_IN
from ...verdict import Finding
from .game import GAME, ONE_PIECE, PATH, SLACK_MM, SPEED
from .world import Point, World, draw_piece

__all__ = ["Journey", "move_checks"]

WATER = ("shallow-water", "deep-water")
EXACT_MM = 1e-9
"""No slack but that of rounding."""
SAME_STOP_MM = 0.01
"""Two searches that find a stop this near to each other have found the same one."""
DOUBLE = Input("double_time", "flag", {"en": "double time", "es": "tiempo doble"}, required=False)


@dataclass(frozen=True)
class Journey:
    """A figure's way: straight between the way-points of its centre."""

    world: World
    piece: Piece
    path: tuple[Point, ...]
    speed_mm: float
    double_time: bool = False

    @cached_property
    def points(self) -> tuple[Point, ...]:
        return (self.world.at(self.piece), *self.path)

    @property
    def end(self) -> Point:
        return self.points[-1]

    @cached_property
    def legs(self) -> tuple[Array, Array]:
        """Starts and ends of the straight pieces."""
        way = np.asarray(self.points, float)
        return way[:-1], way[1:]

    @cached_property
    def length_mm(self) -> float:
        return sum(math.dist(p, q) for p, q in pairwise(self.points))

    @cached_property
    def radius_mm(self) -> float:
        return self.world.radius(self.piece)

    @cached_property
    def end_foot(self) -> Footprint:
        return self.world.foot_at(self.piece, self.end)

    @cached_property
    def flies(self) -> bool:
        """MK-MOV-7; a captor moves by boot (MK-CLO-5)."""
        wings = self.piece.has("wing") or self.world.soaring(self.piece)
        return wings and self.world.captor_of(self.piece) is None

    def _dry(self, terrain: Terrain) -> bool:
        return not (self.piece.has("wave") and terrain.type in WATER)

    @cached_property
    def hindering(self) -> tuple[Terrain, ...]:
        """Hindering for movement (MK-TER-1, -3)."""
        kinds = ("hindering", "shallow-water")
        return tuple(t for t in self.world.asked.scene.terrain if t.type in kinds and self._dry(t))

    @cached_property
    def walls(self) -> tuple[Terrain, ...]:
        """Blocking for movement (MK-TER-2, -3, -4)."""
        kinds = ("blocking", "deep-water", "abyss")
        return tuple(t for t in self.world.asked.scene.terrain if t.type in kinds and self._dry(t))

    # --- how far --------------------------------------------------------------------------------------------

    @cached_property
    def double_check(self) -> list[Check]:
        """MK-MOV-6."""
        if not self.double_time:
            return []
        slow = any(self.piece.has(kind) for kind in ("wave", "wing")) and not self.piece.has("boot")
        walks = not slow and not self.world.soaring(self.piece)
        foes, margins = self.world.enemies_touching(self.piece)
        worst = max(margins, default=-math.inf)
        who = self.piece.label
        return [
            Check(walks, msg("mk-double-kind", a=who), ("MK-MOV-6",)),
            Check(
                not foes,
                msg("mk-double-engaged", a=who, ids=[p.label for p in foes])
                if foes
                else msg("mk-nobody-touches"),
                ("MK-MOV-6",),
                -worst if math.isfinite(worst) else None,
            ),
        ]

    @cached_property
    def starts_hindered(self) -> tuple[bool, float]:
        """MK-TER-1 (a): whether the base touches hindering terrain at the start, and by how much."""
        if self.flies or not self.hindering:
            return False, math.inf
        tol: float = self.world.asked.param("contact_tol")
        here = self.world.foot(self.piece)
        margin = max(tol - here.gap(Footprint.polygon(t.outline)) for t in self.hindering)
        return margin >= -SLACK_MM, margin

    @cached_property
    def allowed_mm(self) -> float:
        """The effective speed: doubled, then halved and rounded up to a whole inch."""
        doubled = self.double_time and all(c.holds for c in self.double_check)
        speed = self.speed_mm * (2 if doubled else 1)
        if self.starts_hindered[0]:
            return math.ceil(speed / MM_PER_IN / 2 - 1e-6) * MM_PER_IN
        return speed

    @cached_property
    def stop(self) -> tuple[float, Message | None, tuple[str, ...]]:
        """The first forced stop along the path (MK-TER-1 b, MK-TER-5); infinite without one."""
        if self.flies:
            return math.inf, None, ()
        stops = [(math.inf, None, ()), self._stop_in_hindering(), self._stop_at_hill()]
        return min(stops, key=lambda s: s[0])

    def _stop_in_hindering(self) -> tuple[float, Message | None, tuple[str, ...]]:
        if not self.hindering:
            return math.inf, None, ()
        union = shapely.unary_union([shapely.Polygon(t.outline) for t in self.hindering])
        way = np.asarray(self.points, float)
        at = first_wholly_inside_mm(way, self.radius_mm, union, SLACK_MM)
        sharp = first_wholly_inside_mm(way, self.radius_mm, union, EXACT_MM)
        if at is not None and sharp is not None and sharp - at <= SAME_STOP_MM:
            at = sharp  # the slack finds a stop that just fits; it must not move one that fits anyway
        if at is None or at <= SLACK_MM:  # wholly inside at the start: no part stood on clear ground
            return math.inf, None, ()
        return at, msg("mk-stop-hindering", d=Length(at)), ("MK-TER-1",)

    def _stop_at_hill(self) -> tuple[float, Message | None, tuple[str, ...]]:
        hills = self.world.hills
        if not hills:
            return math.inf, None, ()
        crossings = _crossings(self.points, [t.outline for t in hills])
        if not crossings:
            return math.inf, None, ()
        at, enters = crossings[0]
        return at, msg("mk-stop-up" if enters else "mk-stop-down", d=Length(at)), ("MK-TER-5",)

    @cached_property
    def limit_mm(self) -> float:
        return min(self.length_mm, self.allowed_mm, self.stop[0])

    # --- what may matter --------------------------------------------------------------------------------------

    def depends(self) -> frozenset[str]:
        starts, ends = self.legs
        near = {self.piece.id}
        for other in self.world.others(self.piece):
            foot = self.world.foot(other)
            on_way = float(clearance(starts, ends, foot).min()) - self.radius_mm
            if on_way <= 2 * self.world.wiggle_mm + foot.radius:
                near.add(other.id)
        return frozenset(near)

    def drawing(self) -> Drawing:
        way: list[Any] = [segment(p, q, "path") for p, q in pairwise(self.points)]
        here = self.end_foot
        if here.is_disc:
            way.append(Disc(self.end, self.radius_mm, "piece"))
        if self.stop[0] < self.length_mm:
            way.append(Disc(_along(self.points, self.stop[0]), SLACK_MM + 3.0, "limit"))
        return tuple(way)


def _along(points: tuple[Point, ...], at_mm: float) -> Point:
    for p, q in pairwise(points):
        leg = math.dist(p, q)
        if at_mm <= leg and leg > 0:
            t = at_mm / leg
            return p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])
        at_mm -= leg
    return points[-1]


def _crossings(points: tuple[Point, ...], outlines: list[Any]) -> list[tuple[float, bool]]:
    """Where a path comes onto (True) or leaves (False) the union of closed outlines, as lengths along it.

    Leaving at the very start, from the border where the last move had to end, is no crossing.
    """
    cuts: set[float] = {0.0}
    travelled = 0.0
    rings = [np.asarray(o, float) for o in outlines]
    for p, q in pairwise(points):
        leg = math.dist(p, q)
        if leg > 0:
            a, d = np.asarray(p), (np.asarray(q) - np.asarray(p)) / leg
            for ring in rings:
                cuts.update(travelled + t for t in _meets(a, d, leg, ring))
        travelled += leg
        cuts.add(travelled)
    order = sorted(cuts)

    def on(s: float) -> bool:
        at = _along(points, s)
        return any(bool(inside(at, ring, -SLACK_MM)) for ring in rings)

    found: list[tuple[float, bool]] = []
    state = on(0.0)
    for low, high in pairwise(order):
        if high - low > SLACK_MM and on((low + high) / 2) != state:
            state = not state
            if low > SLACK_MM:
                found.append((low, state))
        if not state and on(high):
            state = True
            found.append((high, True))
    return found


def _meets(a: Array, d: Array, leg: float, ring: Array) -> list[float]:
    """Where the segment a + t·d, 0 ≤ t ≤ leg, can meet a ring: its corners' feet and its crossings."""
    end = np.roll(ring, -1, axis=0)
    e = end - ring
    det = d[0] * e[:, 1] - d[1] * e[:, 0]
    away = ring - a
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (away[:, 0] * e[:, 1] - away[:, 1] * e[:, 0]) / det
        u = (away[:, 0] * d[1] - away[:, 1] * d[0]) / det
    hits = t[np.isfinite(t) & (u >= -1e-9) & (u <= 1 + 1e-9)]
    feet = away @ d
    near = np.abs(away[:, 0] * d[1] - away[:, 1] * d[0]) <= SLACK_MM
    both = np.concatenate([hits, feet[near]])
    return [float(x) for x in both if 0.0 <= x <= leg]


def move_checks(journey: Journey) -> list[Check]:
    """MK-MOV-1…4, -6…8, MK-TER-1…6: everything that a move must satisfy."""
    world, piece = journey.world, journey.piece
    over = journey.allowed_mm - journey.length_mm
    limit = msg("mk-move-length", d=Length(journey.length_mm), limit=Length(journey.allowed_mm))
    checks = [
        Check(world.tokens(piece) < 2, msg("mk-two-tokens", a=piece.label), ("MK-ACT-1",)),
        *journey.double_check,
        Check(over >= -SLACK_MM, limit, ("MK-MOV-1",), over),
    ]
    stop_mm, text, rules = journey.stop
    if text is not None:
        left = stop_mm - journey.length_mm
        checks.append(Check(left >= -SLACK_MM, text, rules, left))
    if not journey.flies:
        checks += [*_bases_on_the_way(journey), *_pairs_on_the_way(journey), *_walls_on_the_way(journey)]
        checks += _access(journey)
    return [*checks, *_room_at_the_end(journey)]


def _bases_on_the_way(journey: Journey) -> list[Check]:
    """MK-MOV-2: the line must not cross another base; touching it is allowed."""
    starts, ends = journey.legs
    rooms = [
        (float(clearance(starts, ends, journey.world.foot(k)).min()), k)
        for k in journey.world.others(journey.piece)
    ]
    if not rooms:
        return []
    room, nearest = min(rooms, key=lambda pair: pair[0])
    key = "mk-way-clear" if room >= -SLACK_MM else "mk-way-base"
    crossed = (draw_piece(journey.world, nearest, "blocker"),)
    text = msg(key, b=nearest.label, d=Length(abs(room)))
    return [Check(room >= -SLACK_MM, text, ("MK-MOV-2",), room, crossed)]


def _pairs_on_the_way(journey: Journey) -> list[Check]:
    """MK-MOV-3: not between two figures that touch."""
    starts, ends = journey.legs
    lines = np.stack([starts, ends], axis=-2)
    others = list(journey.world.others(journey.piece))
    checks = []
    for i, a in enumerate(others):
        for b in others[i + 1 :]:
            touch = journey.world.touch_mm(a, b)
            if touch < -journey.world.wiggle_mm - SLACK_MM:
                continue
            between = np.array([journey.world.at(a), journey.world.at(b)])
            room = float(gap(lines, 0.0, between, 0.0).min())
            holds = not (touch >= -SLACK_MM and room <= SLACK_MM)
            margin = max(-touch, room) if holds else min(max(-touch, room), 0.0)
            if room <= journey.world.wiggle_mm + SLACK_MM or not holds:
                text = msg("mk-way-pair", a=a.label, b=b.label)
                checks.append(Check(holds, text, ("MK-MOV-3",), margin))
    return checks


def _walls_on_the_way(journey: Journey) -> list[Check]:
    """MK-TER-2: no part of the base over blocking terrain."""
    starts, ends = journey.legs
    rooms = [
        (float(clearance(starts, ends, Footprint.polygon(t.outline)).min()) - journey.radius_mm, t)
        for t in journey.walls
    ]
    if not rooms:
        return []
    room, wall = min(rooms, key=lambda pair: pair[0])
    key = "mk-wall-clear" if room >= -SLACK_MM else "mk-wall-hit"
    text = msg(key, t=wall.label, d=Length(abs(room)))
    return [Check(room >= -SLACK_MM, text, ("MK-TER-2",), room, (polygon(wall.outline, "blocker"),))]


def _access(journey: Journey) -> list[Check]:
    """MK-TER-6: abrupt elevated terrain is entered and left at its access points."""
    tol: float = journey.world.asked.param("contact_tol")
    checks = []
    for hill in journey.world.hills:
        if hill.access is None:
            continue
        for at, _ in _crossings(journey.points, [hill.outline]):
            crossing = _along(journey.points, at)
            off = min((math.dist(crossing, p) for p in hill.access), default=math.inf)
            text = msg("mk-access", t=hill.label)
            margin = tol - off if math.isfinite(off) else None
            checks.append(Check(off <= tol + SLACK_MM, text, ("MK-TER-6",), margin))
    return checks


def _room_at_the_end(journey: Journey) -> list[Check]:
    """MK-MOV-4, -7, -8 and chosen reading 19: where the base ends."""
    world, piece, foot = journey.world, journey.piece, journey.end_foot
    checks = []
    rooms = [(foot.gap(world.foot(k)), k) for k in world.others(piece)]
    if rooms:
        room, nearest = min(rooms, key=lambda pair: pair[0])
        key = "mk-end-clear" if room >= -SLACK_MM else "mk-end-taken"
        text = msg(key, b=nearest.label, d=Length(abs(room)))
        taken = (draw_piece(world, nearest, "blocker"),)
        checks.append(Check(room >= -SLACK_MM, text, ("MK-MOV-4",), room, taken))
    if journey.flies and not world.soaring(piece):
        for wall in journey.walls:
            room = foot.gap(Footprint.polygon(wall.outline))
            text = msg("mk-lands", t=wall.label)
            checks.append(Check(room >= -SLACK_MM, text, ("MK-MOV-8",), room))
    if world.soaring(piece):
        tol: float = world.asked.param("contact_tol")
        for marker in world.asked.scene.pieces:
            if marker.has("objective") and marker.kind in ("marker", "token"):
                room = foot.gap(world.foot(marker)) - tol
                checks.append(Check(room > SLACK_MM, msg("mk-stand", b=marker.label), ("MK-MOV-8",), room))
    width, depth = world.size
    x0, y0, x1, y1 = foot.bounds
    room = min(x0, y0, width - x1, depth - y1)
    checks.append(Check(room >= -SLACK_MM, msg("mk-off-table", d=Length(abs(room))), ("MK-MOV-1",), room))
    return checks


def _journey(a: Asked) -> Journey:
    return Journey(World(a), a.piece("piece"), a["path"], a["speed"], bool(a["double_time"]))


@GAME.query(
    "move",
    {"en": "May it move so?", "es": "¿Puede mover así?"},
    ONE_PIECE,
    PATH,
    SPEED,
    DOUBLE,
    rules=("MK-MOV-1", "MK-MOV-2", "MK-MOV-3", "MK-MOV-4", "MK-TER-1", "MK-TER-2", "MK-TER-5"),
    phase="move",
)
def move(a: Asked) -> Finding:
    """MK-MOV, MK-TER; a break-away roll is taken to succeed."""
    journey = _journey(a)
    yes = Finding(
        msg(
            "mk-may-move",
            a=journey.piece.label,
            d=Length(journey.length_mm),
            limit=Length(journey.allowed_mm),
        ),
        ("MK-MOV-1", "MK-MOV-2", "MK-MOV-4"),
        value=journey.length_mm,
        limit=journey.allowed_mm,
        drawing=journey.drawing(),
        depends=journey.depends(),
    )
    return conclude(move_checks(journey), yes)


@GAME.query(
    "move-limit",
    {"en": "How far along this path?", "es": "¿Hasta dónde por este camino?"},
    ONE_PIECE,
    PATH,
    SPEED,
    DOUBLE,
    rules=("MK-MOV-1", "MK-MOV-6", "MK-TER-1", "MK-TER-5"),
    phase="move",
)
def move_limit(a: Asked) -> Finding:
    """MK-MOV-1, -6, MK-TER-1, -5: path, speed or forced stop, whichever is least."""
    journey = _journey(a)
    stop_mm, text, _ = journey.stop
    steps = [
        msg("mk-limit-path", d=Length(journey.length_mm)),
        msg("mk-limit-speed", d=Length(journey.allowed_mm)),
        *([text] if text is not None and math.isfinite(stop_mm) else []),
        *(c.text for c in journey.double_check if not c.holds),
    ]
    if journey.starts_hindered[0]:
        steps.append(msg("mk-hindered-start"))
    touch = journey.starts_hindered[1]
    return Finding(
        msg("mk-limit", a=journey.piece.label, d=Length(journey.limit_mm)),
        ("MK-MOV-1", "MK-TER-1", "MK-TER-5"),
        value=journey.limit_mm,
        margin_mm=abs(touch) if math.isfinite(touch) else None,
        drawing=journey.drawing(),
        steps=tuple(steps),
        depends=journey.depends() if a["double_time"] else frozenset({journey.piece.id}),
    )


register(
    {
        "mk-double-kind": {
            "en": "{a} is no boot or horseshoe figure: no double time.",
            "es": "{a} no es figura de bota ni herradura: sin tiempo doble.",
        },
        "mk-double-engaged": {
            "en": "{a} touches {ids}: no double time.",
            "es": "{a} toca a {ids}: sin tiempo doble.",
        },
        "mk-stop-hindering": {
            "en": "The base is wholly in hindering terrain after {d} and must stop there.",
            "es": "La peana está entera en terreno obstaculizado a los {d} y debe parar ahí.",
        },
        "mk-stop-up": {
            "en": "It reaches elevated terrain after {d} and must stop there.",
            "es": "Alcanza terreno elevado a los {d} y debe parar ahí.",
        },
        "mk-stop-down": {
            "en": "It reaches normal ground after {d} and must stop there.",
            "es": "Alcanza el suelo normal a los {d} y debe parar ahí.",
        },
        "mk-move-length": {"en": "The path is {d}, the speed {limit}.", "es": "El camino mide {d}, la velocidad es {limit}."},
        "mk-way-clear": {"en": "The line passes {d} from the base of {b}.", "es": "La línea pasa a {d} de la peana de {b}."},
        "mk-way-base": {"en": "The line crosses the base of {b} by {d}.", "es": "La línea cruza la peana de {b} por {d}."},
        "mk-way-pair": {
            "en": "{a} and {b} touch: no way between them.",
            "es": "{a} y {b} se tocan: no se pasa entre ellos.",
        },
        "mk-wall-clear": {"en": "The base passes {d} from {t}.", "es": "La peana pasa a {d} de {t}."},
        "mk-wall-hit": {
            "en": "The moving base would pass {d} over {t}.",
            "es": "La peana al mover pasaría {d} sobre {t}.",
        },
        "mk-access": {
            "en": "{t} is entered and left only at its access points.",
            "es": "A {t} solo se entra y se sale por sus accesos.",
        },
        "mk-end-clear": {"en": "There is room at the end: {d} to {b}.", "es": "Hay sitio al final: {d} hasta {b}."},
        "mk-end-taken": {
            "en": "No room at the end: the base would overlap {b} by {d}.",
            "es": "Sin sitio al final: la peana solaparía {b} por {d}.",
        },
        "mk-lands": {"en": "It may not come down on {t}.", "es": "No puede posarse sobre {t}."},
        "mk-stand": {
            "en": "A flight stand may not end touching {b}.",
            "es": "Una base de vuelo no puede acabar tocando {b}.",
        },
        "mk-off-table": {
            "en": "The base must end wholly on the battlefield ({d} from its edge).",
            "es": "La peana debe acabar entera en el campo de batalla (a {d} de su borde).",
        },
        "mk-may-move": {
            "en": "{a} may move so: {d} of {limit}, the way is clear and there is room at the end.",
            "es": "{a} puede mover así: {d} de {limit}, el camino está libre y hay sitio al final.",
        },
        "mk-limit": {"en": "{a} may go {d} along this path.", "es": "{a} puede avanzar {d} por este camino."},
        "mk-limit-path": {"en": "Path: {d}.", "es": "Camino: {d}."},
        "mk-limit-speed": {"en": "Effective speed: {d}.", "es": "Velocidad efectiva: {d}."},
        "mk-hindered-start": {
            "en": "The base touches hindering terrain at the start: speed halved, rounded up.",
            "es": "La peana toca terreno obstaculizado al empezar: mitad de velocidad, hacia arriba.",
        },
    }
)  # fmt: skip
