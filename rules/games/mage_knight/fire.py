"""The line of fire: MK-LOF-1…8, ranged combat MK-RNG-1…6 and its modifiers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...checks import Check, conclude
from ...drawing import Drawing, polygon, segment
from ...errors import QuestionError
from ...game import Asked, Input
from ...messages import Length, Message, msg, register
from ...plane import Array, direction, point_segment
from ...scene import Piece, Terrain
from ...sight import clearance, inside, outline_clearance
from ...verdict import Answer, Finding
from .game import CONTACT, FROM, GAME, SLACK_MM, TO
from .world import Point, World, draw_arc, draw_piece

__all__ = ["FIRE", "Fire", "ranged_checks"]

FIRE = ("MK-LOF-1", "MK-LOF-2", "MK-LOF-3", "MK-LOF-5", "MK-LOF-6", "MK-LOF-8")
SOFT = ("hindering", "concealing")
"""Terrain that hinders fire (MK-LOF-4, MK-TER-3)."""

RIM_STEPS = 361
"""Points of the front rim that are looked at besides those where an outline can come nearest: for the drawing of
a smooth margin only, the answer rests on the others."""


@dataclass(frozen=True)
class Fire:
    """One line of fire, from a figure to a figure or a point (MK-LOF-1, -8)."""

    world: World
    shooter: Piece
    target: Piece | None
    point: Point | None = None

    @cached_property
    def start(self) -> Point:
        return self.world.at(self.shooter)

    @cached_property
    def platform(self) -> Terrain | None:
        """The constructed piece with a printed centre that the target occupies (MK-LOF-8)."""
        if self.target is None:
            return None
        at = self.world.at(self.target)
        for terrain in self.world.asked.scene.terrain:
            built = terrain.has("constructed") and terrain.centre is not None
            if built and self.world.occupied(terrain, at):
                return terrain
        return None

    @cached_property
    def end(self) -> Point:
        if self.target is None:
            assert self.point is not None
            return self.point
        if self.platform is not None and self.platform.centre is not None:
            return self.platform.centre
        return self.world.at(self.target)

    @cached_property
    def length_mm(self) -> float:
        return math.dist(self.start, self.end)

    @cached_property
    def shooter_hills(self) -> frozenset[str]:
        return self.world.on_hills(self.start)

    @cached_property
    def target_hills(self) -> frozenset[str]:
        return self.world.on_hills(self.end if self.target is None else self.world.at(self.target))

    @property
    def elevated(self) -> int:
        """How many of the two stand on elevated terrain."""
        return bool(self.shooter_hills) + bool(self.target_hills)

    def _base_counts(self, piece: Piece) -> bool:
        """Whether the base of a third figure can block (MK-LOF-2, -5, -6)."""
        if self.target is not None and self.world.soaring(self.target):
            return False
        if self.world.soaring(piece) and not self.world.asked.param("soaring_bases_block"):
            return False
        return self.elevated == 0 or bool(self.world.on_hills(self.world.at(piece)))

    def _hides(self, terrain: Terrain) -> bool:
        """Whether a terrain piece can block (MK-LOF-3, -5)."""
        own = self.shooter_hills | self.target_hills
        if terrain.has("elevated") and terrain.on is None and terrain.id not in own:
            return True
        if terrain.type != "blocking":
            return False
        return self.elevated < 2 or self.world.hill_under(terrain) in own

    def _hinders(self, terrain: Terrain) -> bool:
        """Whether a hindering piece can count (MK-LOF-4, MK-LOF-5 d, chosen reading 8)."""
        if terrain.type not in SOFT:
            return False
        if self.elevated == 0:
            return True
        hill = self.world.hill_under(terrain)
        if self.elevated == 2:
            return hill in self.shooter_hills | self.target_hills
        low = self.start if not self.shooter_hills else self.end
        return hill is not None or self.world.occupied(terrain, low)

    @cached_property
    def rooms(self) -> dict[str, float]:
        """Signed room of the line to everything that could block it; negative or zero with a cut: blocks."""
        out: dict[str, float] = {}
        but = (self.shooter,) if self.target is None else (self.shooter, self.target)
        for piece in self.world.others(*but):
            if self._base_counts(piece):
                out[piece.id] = float(clearance(self.start, self.end, self.world.foot(piece)))
        for terrain in self.world.asked.scene.terrain:
            if self._hides(terrain):
                cut, room = outline_clearance(self.start, self.end, terrain.outline, SLACK_MM)
                out[terrain.id] = min(float(room), -2 * SLACK_MM) if bool(cut) else float(room)
        return out

    @cached_property
    def blockers(self) -> tuple[str, ...]:
        return tuple(name for name, room in self.rooms.items() if room < -SLACK_MM)

    @cached_property
    def margin_mm(self) -> float | None:
        """How far the nearest blocker is from touching the line; None where nothing could ever block."""
        return min(self.rooms.values(), default=None)

    def depends(self) -> frozenset[str]:
        """Pieces near enough to the line to matter."""
        least = self.margin_mm or 0.0
        near = {i for i, room in self.rooms.items() if room <= max(least, 0.0) + self.world.wiggle_mm}
        ends = {self.shooter.id} | ({self.target.id} if self.target else set())
        return frozenset(ends | near)

    def drawing(self) -> Drawing:
        shapes: list[Any] = [segment(self.start, self.end, "blocked" if self.blockers else "clear")]
        for name in self.blockers:
            piece = self.world.asked.scene.find(name)
            if piece is not None:
                shapes.append(draw_piece(self.world, piece, "blocker"))
            terrain = self.world.asked.scene.find_terrain(name)
            if terrain is not None:
                shapes.append(polygon(terrain.outline, "blocker"))
        return tuple(shapes)

    def hindering(self) -> tuple[int, tuple[str, ...], Message, float | None]:
        """MK-LOF-4: the bonus, the pieces crossed, the sentence, and how far it is from changing."""
        if self.target is not None and self.world.soaring(self.target):
            return 0, (), msg("mk-hinder-soaring"), None
        soft = [t for t in self.world.asked.scene.terrain if self._hinders(t)]
        rooms = {t.id: outline_clearance(self.start, self.end, t.outline, SLACK_MM) for t in soft}
        crossed = tuple(i for i, (cut, _) in rooms.items() if bool(cut))
        margins = [abs(float(room)) for _, room in rooms.values()]
        if not crossed:
            return 0, (), msg("mk-hinder-none"), min(margins, default=None)
        if len(crossed) == 1:
            wood = next(t for t in soft if t.id == crossed[0])
            if self.world.occupied(wood, self.start):
                out_mm = self._rim_out_mm(wood)
                others = [abs(float(room)) for i, (_, room) in rooms.items() if i != wood.id]
                margin = min([abs(out_mm), abs(self.world.depth_mm(wood, self.start)), *others])
                if out_mm >= -SLACK_MM:
                    return 0, crossed, msg("mk-hinder-edge", wood=wood.label), margin
                return 1, crossed, msg("mk-hinder", ids=list(crossed)), margin
        deepest = max(abs(float(rooms[i][1])) for i in crossed)
        return 1, crossed, msg("mk-hinder", ids=list(crossed)), deepest

    def _rim_out_mm(self, wood: Terrain) -> float:
        """How far the rim of the shooter's front arc is outside a piece; negative: some of it is inside."""
        facing = self.world.asked.facing(self.shooter, ("MK-LOF-4",))
        half = self.world.front_deg(self.shooter) / 2
        ring = np.asarray(wood.outline, float)
        turns = _rim_turns(ring, self.start, facing, half)
        rim = np.array(self.start) + self.world.radius(self.shooter) * direction(facing + turns)
        depth = point_segment(rim[:, None], ring, np.roll(ring, -1, axis=0))[0].min(-1)
        within = inside(rim, ring, 0.0)
        return float(np.where(within, -depth, depth).min())

    def height(self) -> int:
        """MK-LOF-7: 1 when a figure on the ground shoots at one that is elevated or soaring."""
        if self.target is None or self.shooter_hills or self.world.soaring(self.shooter):
            return 0
        return int(bool(self.target_hills) or self.world.soaring(self.target))


def _rim_turns(ring: Array, centre: Point, facing_deg: float, half_deg: float) -> Array:
    """Where the rim of a front arc can be nearest to an outline: its ends, square to a side, towards a corner."""
    side = np.roll(ring, -1, axis=0) - ring
    square = np.degrees(np.arctan2(-side[:, 0], side[:, 1]))
    corner = np.degrees(np.arctan2(*(ring - np.array(centre)).T[::-1]))
    turns = np.concatenate([square, square + 180.0, corner]) - facing_deg
    turns = np.mod(turns + 180.0, 360.0) - 180.0
    return np.concatenate([turns[np.abs(turns) <= half_deg], np.linspace(-half_deg, half_deg, RIM_STEPS)])


def _die(margin_mm: float | None) -> Message | None:
    """The book's remedy for a line that just touches a base (p.20)."""
    return None if margin_mm is None else msg("mk-die")


@GAME.query(
    "line-of-sight",
    {"en": "Line of fire?", "es": "¿Línea de fuego?"},
    FROM,
    Input("to", "piece", {"en": "to", "es": "hasta"}, required=False),
    Input("to_point", "point", {"en": "to this point", "es": "hasta este punto"}, required=False),
    rules=FIRE,
    phase="shoot",
)
def line_of_sight(a: Asked) -> Finding:
    """MK-LOF-1…6, -8: blocking only; arc and range are asked by ranged-attack."""
    if a.given("to") == a.given("to_point"):
        raise QuestionError.of("mk-to-or-point", "to")
    world = World(a)
    target = a.piece("to") if a.given("to") else None
    fire = Fire(world, a.piece("from"), target, a["to_point"])
    return _line_finding(fire)


def _line_finding(fire: Fire) -> Finding:
    names = [_label(fire.world, i) for i in fire.blockers]
    margin = fire.margin_mm
    if fire.blockers:
        reason = msg("mk-line-blocked", a=fire.shooter.label, b=_target(fire), ids=names)
    elif margin is None:
        reason = msg("mk-line-free", a=fire.shooter.label, b=_target(fire))
    else:
        nearest = min(fire.rooms, key=lambda i: fire.rooms[i])
        reason = msg(
            "mk-line-clear",
            a=fire.shooter.label,
            b=_target(fire),
            c=_label(fire.world, nearest),
            d=Length(max(margin, 0.0)),
        )
    steps = [msg("mk-line", d=Length(fire.length_mm))]
    if fire.platform is not None:
        steps.append(msg("mk-line-platform", b=_target(fire), t=fire.platform.label))
    near = sorted(fire.rooms.items(), key=lambda item: item[1])[:4]
    steps += [msg("mk-room", c=_label(fire.world, i), d=Length(room)) for i, room in near]
    return Finding(
        reason,
        _line_rules(fire),
        Answer.of(not fire.blockers),
        blockers=fire.blockers,
        margin_mm=margin,
        drawing=fire.drawing(),
        steps=tuple(steps),
        remedy=_die(margin),
        depends=fire.depends(),
    )


def _line_rules(fire: Fire) -> tuple[str, ...]:
    rules = ["MK-LOF-1", "MK-LOF-2"]
    scene = fire.world.asked.scene
    if any(t.type == "blocking" for t in scene.terrain):
        rules.append("MK-LOF-3")
    if fire.world.hills:
        rules.append("MK-LOF-5")
    if fire.target is not None and fire.world.soaring(fire.target):
        rules.append("MK-LOF-6")
    if fire.platform is not None:
        rules.append("MK-LOF-8")
    return tuple(rules)


def _label(world: World, name: str) -> str:
    scene = world.asked.scene
    found = scene.find(name) or scene.find_terrain(name)
    return found.label if found is not None else name


def _target(fire: Fire) -> Any:
    return fire.target.label if fire.target is not None else msg("mk-the-point")


def ranged_checks(
    world: World, shooter: Piece, target: Piece, range_mm: float, precision: bool
) -> list[Check]:
    """MK-RNG-1, -3, -4, -6 for one shooter."""
    fire = Fire(world, shooter, target)
    checks = [
        Check(
            world.enemies(shooter, target),
            msg("mk-not-a-target", a=shooter.label, b=target.label),
            ("MK-RNG-1", "MK-RNG-3"),
        ),
        Check(world.tokens(shooter) < 2, msg("mk-two-tokens", a=shooter.label), ("MK-ACT-1",)),
        Check(range_mm > 0, msg("mk-no-range", a=shooter.label), ("MK-RNG-1",)),
        Check(world.captor_of(shooter) is None, msg("mk-captor", a=shooter.label), ("MK-CLO-5",)),
    ]
    if shooter.has("wand") and not shooter.has("bow"):
        immune = target.has("magic-immune")
        checks.append(Check(not immune, msg("mk-immune", b=target.label), ("MK-RNG-6",)))
    foes, margins = world.enemies_touching(shooter)
    text = msg("mk-shooter-engaged", a=shooter.label, ids=[p.label for p in foes])
    checks.append(_contact_check(not foes, margins, text, "MK-RNG-3"))
    helpers = [p for p in world.others(shooter, target) if world.friends(shooter, p)]
    if not (precision and (shooter.has("bow") or shooter.has("wand"))):
        touching = [p for p in helpers if world.touching(target, p)]
        text = msg("mk-target-engaged", b=target.label, ids=[p.label for p in touching])
        margins = [world.touch_mm(target, p) for p in helpers]
        checks.append(_contact_check(not touching, margins, text, "MK-RNG-4"))
    over = range_mm - fire.length_mm
    text = msg("mk-range-line", d=Length(fire.length_mm), limit=Length(range_mm))
    checks.append(Check(over >= -SLACK_MM, text, ("MK-RNG-1",), over, (segment(fire.start, fire.end),)))
    arc = world.arc(shooter, fire.end, ("MK-RNG-1", "MK-ARC-1"))
    text = msg("mk-front", a=shooter.label, b=target.label, d=Length(arc.front_mm))
    drawing = draw_arc(world, shooter, fire.length_mm)
    margin = arc.front_mm if math.isfinite(arc.front_mm) else None
    checks.append(Check(arc.front_mm >= -SLACK_MM, text, ("MK-RNG-1", "MK-ARC-1"), margin, drawing))
    line = _line_finding(fire)
    checks.append(Check(not fire.blockers, line.reason, line.rules, fire.margin_mm, line.drawing))
    return checks


def _contact_check(free: bool, margins: list[float], text: Message, rule: str) -> Check:
    """Nobody in contact: positive margin while all stay clear. Agreement and levels are facts."""
    worst = max(margins, default=-math.inf)
    margin = -worst if math.isfinite(worst) else None
    said = text if not free else msg("mk-nobody-touches")
    return Check(free, said, (rule, "MK-CON-1"), margin)


@GAME.query(
    "ranged-attack",
    {"en": "May it shoot?", "es": "¿Puede disparar?"},
    FROM,
    TO,
    Input("range", "length", {"en": "range of the weapon", "es": "alcance del arma"}),
    Input("precision", "flag", {"en": "uses Precision", "es": "usa Precisión"}, required=False),
    CONTACT,
    rules=("MK-RNG-1", "MK-RNG-3", "MK-RNG-4", "MK-RNG-6", *FIRE),
    phase="shoot",
)
def ranged_attack(a: Asked) -> Finding:
    """MK-RNG-1…6 with MK-LOF."""
    world, shooter, target = World(a), a.piece("from"), a.piece("to")
    checks = ranged_checks(world, shooter, target, a["range"], bool(a["precision"]))
    fire = Fire(world, shooter, target)
    yes = Finding(
        msg(
            "mk-may-shoot",
            a=shooter.label,
            b=target.label,
            d=Length(fire.length_mm),
            limit=Length(a["range"]),
        ),
        ("MK-RNG-1", "MK-RNG-3", "MK-RNG-4", *_line_rules(fire)),
        remedy=msg("mk-die"),
        depends=_shot_depends(world, shooter, target, fire),
    )
    return conclude(checks, yes)


def _shot_depends(world: World, shooter: Piece, target: Piece, fire: Fire) -> frozenset[str]:
    """Besides the line, whoever could touch the shooter or the target."""
    near = set(fire.depends())
    for piece in world.others(shooter, target):
        reach = min(
            -world.touch_mm(shooter, piece) if world.enemies(shooter, piece) else math.inf,
            -world.touch_mm(target, piece) if world.friends(shooter, piece) else math.inf,
        )
        if abs(reach) <= world.wiggle_mm:
            near.add(piece.id)
    return frozenset(near)


@GAME.query(
    "defence-modifier",
    {"en": "Defence bonus?", "es": "¿Bono a la defensa?"},
    FROM,
    TO,
    rules=("MK-LOF-4", "MK-LOF-5", "MK-LOF-6", "MK-LOF-7"),
    phase="shoot",
)
def defence_modifier(a: Asked) -> Finding:
    """MK-LOF-4…7: hindering, once, and height."""
    world, shooter, target = World(a), a.piece("from"), a.piece("to")
    fire = Fire(world, shooter, target)
    hinder, crossed, why, margin = fire.hindering()
    height = fire.height()
    total = hinder + height
    steps = [why, msg("mk-height" if height else "mk-no-height")]
    return Finding(
        msg("mk-defence", b=target.label, n=total, hinder=hinder, height=height),
        ("MK-LOF-4", "MK-LOF-5", "MK-LOF-6", "MK-LOF-7"),
        value=total,
        kind="count",
        margin_mm=_with_levels(fire, margin),
        drawing=(
            segment(fire.start, fire.end, "measure"),
            *(polygon(t.outline, "zone") for t in a.scene.terrain if t.id in crossed),
        ),
        steps=tuple(steps),
        remedy=msg("mk-die"),
        depends=frozenset({shooter.id, target.id}),
    )


def _with_levels(fire: Fire, margin: float | None) -> float | None:
    """Whether the two stand on a hill can flip too: the margin counts their distance to its border."""
    sizes = [] if margin is None else [margin]
    ends = [fire.start] if fire.target is None else [fire.start, fire.world.at(fire.target)]
    sizes += [abs(fire.world.depth_mm(hill, end)) for hill in fire.world.hills for end in ends]
    return min(sizes, default=None)


register(
    {
        "mk-die": {
            "en": "Too close for the camera: look along the ruler; if it still cannot be told, roll a die (p.20): 1–3 not allowed, 4–6 allowed.",
            "es": "Demasiado justo para la cámara: mire a lo largo de la regla; si aun así no se sabe, tire un dado (p.20): 1–3 no se permite, 4–6 se permite.",
        },
        "mk-to-or-point": {
            "en": "expected either to or to_point",
            "es": "se esperaba to o to_point, uno de los dos",
        },
        "mk-the-point": {"en": "that point", "es": "ese punto"},
        "mk-line-blocked": {
            "en": "The line of fire from the centre of {a} to {b} crosses {ids}.",
            "es": "La línea de fuego del centro de {a} a {b} cruza {ids}.",
        },
        "mk-line-free": {
            "en": "Nothing stands near the line of fire from {a} to {b}.",
            "es": "No hay nada cerca de la línea de fuego de {a} a {b}.",
        },
        "mk-line-clear": {
            "en": "The line of fire from {a} to {b} is clear; the nearest to it is {c}, {d} away.",
            "es": "La línea de fuego de {a} a {b} está libre; lo más cercano es {c}, a {d}.",
        },
        "mk-line": {"en": "The line is {d} long, centre to centre.", "es": "La línea mide {d}, de centro a centro."},
        "mk-line-platform": {
            "en": "{b} occupies {t}: the line goes to its printed centre.",
            "es": "{b} ocupa {t}: la línea va a su centro impreso.",
        },
        "mk-room": {"en": "{c}: {d} from the line.", "es": "{c}: a {d} de la línea."},
        "mk-not-a-target": {
            "en": "{b} is not an enemy of {a}, or one of them is a captive.",
            "es": "{b} no es enemigo de {a}, o uno de ellos está cautivo.",
        },
        "mk-two-tokens": {
            "en": "{a} has two action markers and cannot act.",
            "es": "{a} tiene dos marcadores de acción y no puede actuar.",
        },
        "mk-no-range": {"en": "{a} has no range.", "es": "{a} no tiene alcance."},
        "mk-captor": {"en": "{a} leads a captive and may only move.", "es": "{a} lleva un cautivo y solo puede mover."},
        "mk-immune": {"en": "{b} is immune to magic.", "es": "{b} es inmune a la magia."},
        "mk-shooter-engaged": {
            "en": "{a} touches {ids} and may not shoot.",
            "es": "{a} toca a {ids} y no puede disparar.",
        },
        "mk-target-engaged": {
            "en": "{b} touches {ids}, a friend of the shooter: only Precision (bow or wand) allows the shot.",
            "es": "{b} toca a {ids}, amigo del tirador: solo con Precisión (arco o varita) se puede disparar.",
        },
        "mk-nobody-touches": {"en": "Nobody in contact forbids it.", "es": "Nadie en contacto lo impide."},
        "mk-range-line": {
            "en": "The line of fire is {d} long, the range is {limit}.",
            "es": "La línea de fuego mide {d}, el alcance es {limit}.",
        },
        "mk-front": {
            "en": "{b} is {d} inside the border of the front arc of {a} (negative: outside).",
            "es": "{b} está {d} dentro del borde del arco frontal de {a} (negativo: fuera).",
        },
        "mk-may-shoot": {
            "en": "{a} may shoot at {b}: {d} of {limit}, in its front arc, nothing in the line.",
            "es": "{a} puede disparar a {b}: {d} de {limit}, en su arco frontal, nada en la línea.",
        },
        "mk-defence": {
            "en": "{b} gets +{n} defence: {hinder} for hindering terrain, {height} for height.",
            "es": "{b} recibe +{n} a la defensa: {hinder} por terreno obstaculizado, {height} por altura.",
        },
        "mk-height": {"en": "The target stands higher.", "es": "El objetivo está más alto."},
        "mk-no-height": {"en": "No advantage of height.", "es": "Sin altura ventajosa."},
        "mk-hinder-soaring": {
            "en": "No terrain modifier against a soaring target.",
            "es": "Sin modificador de terreno contra un objetivo en vuelo alto.",
        },
        "mk-hinder-none": {
            "en": "The line crosses no hindering terrain that counts.",
            "es": "La línea no cruza terreno obstaculizado que cuente.",
        },
        "mk-hinder": {"en": "The line crosses {ids}.", "es": "La línea cruza {ids}."},
        "mk-hinder-edge": {
            "en": "The shooter stands in {wood}, but the whole rim of its front arc is outside.",
            "es": "El tirador está en {wood}, pero todo el borde de su arco frontal queda fuera.",
        },
    }
)  # fmt: skip
