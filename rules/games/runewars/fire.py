"""Firing arc, line of sight and ranged attacks: RW-ARC, RW-LOS, RW-RANGE-3, RW-SHOOT."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import shapely

from ...arcs import front_wedge, wedge_margin_mm
from ...checks import Check, conclude, set_margin_mm
from ...drawing import Drawing, Role, segment
from ...footprint import Footprint
from ...game import Asked
from ...messages import Length, msg, register
from ...plane import Array
from ...verdict import Answer, Finding
from ...visibility import MARGIN_REACH_MM, Look, look, room_mm, segments_of
from .field import Field, Unit, draw_unit, outline_of
from .game import FROM, GAME, SLACK_MM, TO
from .measure import band_text

__all__ = ["Sight"]

SIGHT = ("RW-LOS-1", "RW-LOS-2", "RW-LOS-3")
LEAST_REACH_MM = 8.0
"""A margin is told at least this far, however fine the camera."""

DRAWN_MM = 250.0
"""How far the arc lines are drawn beyond the target."""


@dataclass(frozen=True)
class Sight:
    """All that one unit sees of another (RW-LOS)."""

    field: Field
    viewer: Unit
    target: Unit

    @property
    def around(self) -> bool:
        """An occupant looks from any point of its terrain, without arc limit (RW-ARC-3, RW-LOS-5)."""
        return self.viewer.terrain is not None

    @cached_property
    def half_angle(self) -> float:
        angle: float = self.field.asked.param("arc_half_angle")
        return angle

    def wedge(self, grow_mm: float = 0.0) -> Array:
        right, left = self.viewer.front
        return front_wedge(left, right, self.half_angle, grow_mm)

    @cached_property
    def arc_mm(self) -> float:
        """How deep the target reaches into the firing arc; negative: how far it is outside (RW-ARC-1, -2)."""
        if self.around:
            return math.inf
        foot = self.target.outline
        return float(wedge_margin_mm(self.wedge(), foot.padded, foot.radius).max())

    @property
    def in_arc(self) -> bool:
        return self.arc_mm >= -SLACK_MM

    @cached_property
    def source(self) -> Array:
        """The front edge, or the whole outline of occupied terrain."""
        if self.around:
            return segments_of(self.viewer.outline.geometry)
        right, left = self.viewer.front
        return np.stack([right, left])[None]

    @cached_property
    def seen_part(self) -> Any:
        """The part of the target inside the arc; of a target outside it, the part nearest to it."""
        whole = self.target.outline.geometry
        if self.around:
            return whole
        grow = SLACK_MM if self.in_arc else SLACK_MM - self.arc_mm
        return shapely.intersection(whole, shapely.Polygon(self.wedge(grow)))

    @cached_property
    def blockers(self) -> dict[str, Footprint]:
        """Everything that could cut a line (RW-LOS-2, -4, -5)."""
        mine = self.viewer.terrain
        if mine is not None and mine.has("elevated"):
            return {}
        own = {t.id for t in (self.viewer.terrain, self.target.terrain) if t is not None}
        out = {u.id: u.outline for u in self.field.others(self.viewer, self.target) if u.terrain is None}
        for terrain in self.field.terrain:
            if not terrain.has("exposed") and terrain.id not in own:
                out[terrain.id] = Footprint.polygon(terrain.outline)
        return out

    @cached_property
    def look(self) -> Look:
        names = list(self.blockers)
        if not self.in_arc:
            return Look(None, None, ())
        shapes = [self.blockers[n].geometry for n in names]
        return look(self.source, segments_of(self.seen_part), shapes)

    @cached_property
    def between(self) -> tuple[str, ...]:
        """Obstacles that meet at least one candidate line."""
        names = list(self.blockers)
        return tuple(names[i] for i in self.look.between)

    @cached_property
    def reach_mm(self) -> float:
        """How far from the lines a blocker can matter: with error bars, no farther than those could bring it."""
        if self.field.wiggle_mm == 0.0:
            return MARGIN_REACH_MM
        return min(max(self.field.wiggle_mm, LEAST_REACH_MM), MARGIN_REACH_MM)

    @cached_property
    def near(self) -> dict[str, Footprint]:
        """Blockers near enough to the lines to decide the margin."""
        points = np.concatenate([self.source.reshape(-1, 2), shapely.get_coordinates(self.seen_part)])
        hull = shapely.MultiPoint(points).convex_hull
        names = list(self.blockers)
        shapes = np.array([self.blockers[n].geometry for n in names], object)
        if len(shapes) == 0:
            return {}
        close = shapely.dwithin(shapes, hull, self.reach_mm)
        return {n: self.blockers[n] for n, ok in zip(names, close, strict=True) if ok}

    @cached_property
    def margin_mm(self) -> float:
        """Sheet 5.1: the room of the best line, and the depth in the arc, whichever is less."""
        target = segments_of(self.seen_part)
        if len(target) == 0:
            return self.arc_mm
        line = self.look.line
        room = room_mm(self.source, target, list(self.near.values()), line, self.reach_mm)
        if self.in_arc:  # the search must not contradict the exact answer
            room = max(room, 0.0) if self.look.free else min(room, 0.0)
        return min(room, self.arc_mm) if math.isfinite(self.arc_mm) else room

    @property
    def depends(self) -> frozenset[str]:
        ids = {u.id for u in (self.viewer, self.target) if u.terrain is None}
        return frozenset(ids | {n for n in self.near if self.field.asked.scene.find(n) is not None})

    def drawing(self) -> Drawing:
        shapes: list[Any] = list(draw_arc(self)) if not self.around else []
        if self.look.line is not None:
            shapes.append(segment(*self.look.line, "clear"))
        else:
            _, p, q = Footprint((self.source[0],)).closest(self.target.outline)
            shapes.append(segment(p, q, "blocked"))
            shapes += [outline_of(self.blockers[name], "blocker") for name in self.between]
        return tuple(shapes)


def draw_arc(sight: Sight) -> Drawing:
    wedge = sight.wedge()
    reach = max(float(np.hypot(*(sight.target.outline.corners - wedge[0]).T).max()), DRAWN_MM)
    lines = []
    for corner, far in ((wedge[1], wedge[2]), (wedge[0], wedge[3])):
        way = (far - corner) / np.hypot(*(far - corner))
        lines.append(segment(corner.tolist(), (corner + way * reach).tolist(), "limit"))
    return (segment(wedge[0].tolist(), wedge[1].tolist(), "limit"), *lines)


@GAME.query(
    "arc",
    {"en": "In the firing arc?", "es": "¿En el arco de disparo?"},
    FROM,
    TO,
    rules=("RW-ARC-1", "RW-ARC-2", "RW-ARC-3"),
    phase="shoot",
)
def arc(a: Asked) -> Finding:
    """RW-ARC-1…3: any point of any tray inside the closed arc."""
    field = Field(a)
    sight = Sight(field, field.named("from"), field.named("to", outline=True))
    one, two = sight.viewer, sight.target
    if sight.around:
        reason = msg("rw-arc-all", a=one.label)
        return Finding(reason, ("RW-ARC-3",), Answer.YES, arc="all", depends=frozenset())
    key = "rw-arc-in" if sight.in_arc else "rw-arc-out"
    role: Role = "clear" if sight.in_arc else "blocked"
    return Finding(
        msg(key, a=one.label, b=two.label, d=Length(abs(sight.arc_mm))),
        ("RW-ARC-1", "RW-ARC-2"),
        Answer.of(sight.in_arc),
        arc="front" if sight.in_arc else "outside",
        margin_mm=sight.arc_mm,
        drawing=(*draw_arc(sight), draw_unit(two, role)),
        depends=frozenset(u.id for u in (one, two) if u.terrain is None),
    )


@GAME.query(
    "line-of-sight",
    {"en": "Line of sight?", "es": "¿Línea de visión?"},
    FROM,
    TO,
    rules=(*SIGHT, "RW-LOS-4", "RW-LOS-5", "RW-RANGE-3", "RW-TERR-4"),
    phase="shoot",
)
def line_of_sight(a: Asked) -> Finding:
    """RW-LOS-1…5; value and band of the shortest legal line (RW-RANGE-3)."""
    field = Field(a)
    return _sight_finding(Sight(field, field.named("from"), field.named("to", outline=True)))


def _sight_finding(sight: Sight) -> Finding:
    one, two, field = sight.viewer, sight.target, sight.field
    rules = list(SIGHT)
    if one.terrain is not None:
        rules.append("RW-LOS-5")
    if one.terrain is not None or two.terrain is not None:
        rules.append("RW-TERR-4")
    length = sight.look.length_mm
    if length is not None:
        band = field.band(length)
        reason = msg("rw-sees", a=one.label, b=two.label, d=Length(length), band=band_text(band))
        rules.append("RW-RANGE-3")
        return Finding(
            reason,
            tuple(rules),
            Answer.YES,
            value=length,
            band=band,
            blockers=(),
            margin_mm=sight.margin_mm,
            drawing=sight.drawing(),
            steps=_steps(sight),
            depends=sight.depends,
        )
    if not sight.in_arc:
        reason = msg("rw-arc-out", a=one.label, b=two.label, d=Length(-sight.arc_mm))
        rules = ["RW-LOS-1", "RW-ARC-1"]
    else:
        reason = msg("rw-hidden", a=one.label, b=two.label, ids=_labels(field, sight.between))
    return Finding(
        reason,
        tuple(rules),
        Answer.NO,
        blockers=sight.between,
        margin_mm=sight.margin_mm,
        drawing=sight.drawing(),
        steps=_steps(sight),
        depends=sight.depends,
    )


def _steps(sight: Sight) -> tuple[Any, ...]:
    steps = [] if sight.around else [msg("rw-arc-depth", d=Length(sight.arc_mm))]
    steps.append(msg("rw-room", d=Length(sight.margin_mm), ids=_labels(sight.field, tuple(sight.near))))
    return tuple(steps)


def _labels(field: Field, ids: tuple[str, ...]) -> list[str]:
    scene = field.asked.scene
    found = [scene.find(i) or scene.find_terrain(i) for i in ids]
    return [f.label for f in found if f is not None]


@GAME.query(
    "shoot",
    {"en": "May it shoot?", "es": "¿Puede disparar?"},
    FROM,
    TO,
    rules=("RW-SHOOT-1", "RW-RANGE-3", *SIGHT),
    phase="shoot",
)
def shoot(a: Asked) -> Finding:
    """RW-SHOOT-1: not engaged, an enemy, a legal line no longer than the ruler."""
    field = Field(a)
    one, two = field.named("from"), field.named("to")
    sight = Sight(field, one, two)
    seen = _sight_finding(sight)
    foes, margins = field.engaged_with(one)
    worst = max(margins.values(), default=-math.inf)
    reach = field.segments[-1]
    engaged = msg("rw-shooter-engaged", a=one.label, ids=[f.label for f in foes])
    checks = [
        Check(field.enemies(one, two), msg("rw-not-enemies", a=one.label, b=two.label), ("RW-SHOOT-1",)),
        Check(
            not foes,
            engaged if foes else msg("rw-not-engaged", a=one.label),
            ("RW-SHOOT-1", "RW-ENG-1"),
            -worst if math.isfinite(worst) else None,
        ),
        Check(sight.look.free, seen.reason, seen.rules, seen.margin_mm, seen.drawing),
    ]
    length = sight.look.length_mm
    if length is not None:
        text = msg("rw-line-length", d=Length(length), limit=Length(reach))
        checks.append(Check(length <= reach + SLACK_MM, text, ("RW-SHOOT-1", "RW-RANGE-3"), reach - length))
    yes = Finding(
        msg(
            "rw-may-shoot", a=one.label, b=two.label, d=Length(length or 0.0), band=band_text(seen.band or "")
        ),
        ("RW-SHOOT-1", "RW-RANGE-3", *SIGHT),
        value=length,
        band=seen.band,
        limit=reach,
        steps=seen.steps,
        depends=sight.depends | field.near_flipping(one, margins),
    )
    return conclude(checks, yes)


@GAME.query(
    "friendly-fire",
    {"en": "Who tests morale?", "es": "¿Quién tira moral?"},
    FROM,
    TO,
    rules=("RW-SHOOT-2",),
    phase="shoot",
)
def friendly_fire(a: Asked) -> Finding:
    """RW-SHOOT-2: units of the shooter's side engaged with the target."""
    field = Field(a)
    one, two = field.named("from"), field.named("to")
    friends = [u for u in field.others(one, two) if field.allies(one, u)]
    margins = {u.id: field.engaged_mm(u, two) for u in friends}
    found = [u for u in friends if margins[u.id] >= -SLACK_MM]
    names = [u.label for u in found]
    return Finding(
        msg("rw-friendly", ids=names) if found else msg("rw-friendly-none", b=two.label),
        ("RW-SHOOT-2", "RW-ENG-1"),
        ids=tuple(u.id for u in found),
        margin_mm=set_margin_mm(m for m in margins.values() if math.isfinite(m)),
        drawing=(draw_unit(two), *(draw_unit(u, "contact") for u in found)),
        depends=field.near_flipping(two, margins),
    )


register(
    {
        "rw-arc-all": {
            "en": "{a} is in terrain and has no firing-arc limit.",
            "es": "{a} está en terreno y no tiene límite de arco.",
        },
        "rw-arc-in": {
            "en": "{b} reaches {d} into the firing arc of {a}.",
            "es": "{b} entra {d} en el arco de disparo de {a}.",
        },
        "rw-arc-out": {
            "en": "{b} is {d} outside the firing arc of {a}.",
            "es": "{b} está a {d} del arco de disparo de {a}, fuera.",
        },
        "rw-sees": {
            "en": "A free line runs from the front of {a} to {b}; the shortest is {d}, range {band}.",
            "es": "Hay una línea libre del frente de {a} a {b}; la más corta mide {d}, alcance {band}.",
        },
        "rw-hidden": {
            "en": "Every line from {a} to {b} inside the arc is cut: {ids}.",
            "es": "Todas las líneas de {a} a {b} dentro del arco están cortadas: {ids}.",
        },
        "rw-arc-depth": {
            "en": "Depth of the target in the firing arc: {d}.",
            "es": "Profundidad del objetivo en el arco de disparo: {d}.",
        },
        "rw-room": {
            "en": "Room of the best line: {d} (negative: what stands between would have to move so far). Near it: {ids}",
            "es": "Holgura de la mejor línea: {d} (negativa: lo que hay en medio tendría que moverse eso). Cerca: {ids}",
        },
        "rw-shooter-engaged": {
            "en": "{a} is engaged with {ids} and cannot shoot.",
            "es": "{a} está trabada con {ids} y no puede disparar.",
        },
        "rw-not-engaged": {"en": "{a} is engaged with nobody.", "es": "{a} no está trabada con nadie."},
        "rw-not-enemies": {"en": "{a} and {b} are not enemies.", "es": "{a} y {b} no son enemigas."},
        "rw-line-length": {
            "en": "The shortest free line is {d}, the ruler ends at {limit}.",
            "es": "La línea libre más corta mide {d}, la regla acaba en {limit}.",
        },
        "rw-may-shoot": {
            "en": "{a} may shoot at {b}: a free line of {d}, range {band}.",
            "es": "{a} puede disparar a {b}: línea libre de {d}, alcance {band}.",
        },
        "rw-friendly": {
            "en": "Engaged with the target, they test morale at severity 1: {ids}",
            "es": "Trabadas con el objetivo, tiran moral de severidad 1: {ids}",
        },
        "rw-friendly-none": {
            "en": "No friend of the shooter is engaged with {b}.",
            "es": "Ninguna amiga de la tiradora está trabada con {b}.",
        },
    }
)  # fmt: skip
