"""Movement by templates, charges, shifts: RW-MOVE, RW-SPEED, RW-CHARGE, RW-SHIFT, RW-CLOSE, RW-REFORM."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from ...drawing import Drawing, polygon, segment
from ...errors import Unknown
from ...footprint import Footprint
from ...game import Asked, Input
from ...messages import Length, Message, msg, register
from ...plane import Array
from ...scene import Terrain
from ...sweep import slide_limit_mm
from ...verdict import Answer, Finding
from .field import TEMPLATES, Field, Unit, draw_unit
from .fight import keyword
from .game import GAME, SLACK_MM, UNIT

__all__ = ["DIRECTIONS", "DURING", "SPEED", "March", "label_of", "march_of", "touched_at"]

DIRECTIONS = ("forward", "back", "left", "right")

BEYOND_MM = 60.0
"""How far past its template a move is followed, to tell how nearly something would have stopped it."""

ACTION = Input("action", "choice", {"en": "action", "es": "acción"}, choices=("march", "shift"))
DIRECTION = Input("direction", "choice", {"en": "direction", "es": "dirección"}, required=False, choices=DIRECTIONS, default="forward")  # fmt: skip
TEMPLATE = Input("template", "choice", {"en": "template", "es": "plantilla"}, required=False, choices=("straight",), default="straight")  # fmt: skip
SPEED = Input("speed", "number", {"en": "speed with modifiers", "es": "velocidad con modificadores"})
DURING = Input(
    "during",
    "text",
    {"en": "what is going on (move: its declared move)", "es": "qué ocurre (move: su movimiento declarado)"},
    required=False,
)
"""RW-PREM-1: in tournament mode templates are answered only while the unit performs its declared move."""


@dataclass(frozen=True)
class March:
    """One march or shift along a straight template, until something stops it (RW-MOVE-1…6)."""

    field: Field
    unit: Unit
    action: str
    direction: str
    speed: float

    @cached_property
    def template_mm(self) -> float:
        """RW-SPEED-1: the length of the template; 0 where the move is cancelled."""
        speed = math.floor(self.speed + 1e-9)
        if speed <= 0:
            return 0.0
        given = self.field.asked.params.get("straight")
        side = self.unit.block.depth_mm
        lengths = given if given else [side * n for n in range(1, TEMPLATES + 1)]
        return float(lengths[min(speed, len(lengths)) - 1])

    @cached_property
    def cancelled(self) -> Message | None:
        """Why nothing moves at all; None where it does."""
        if self.template_mm <= 0:
            return msg("rw-speed-none", a=self.unit.label)
        if self.action == "march" and self.direction != "forward":
            return msg("rw-march-forward")
        if self.action == "march":
            foes, _ = self.field.engaged_with(self.unit)
            if foes:
                return msg("rw-march-engaged", a=self.unit.label, ids=[f.label for f in foes])
        return None

    @cached_property
    def way(self) -> Array:
        f, left = self.unit.block.forward, self.unit.block.left
        return {"forward": f, "back": -f, "left": left, "right": -left}[self.direction]

    @cached_property
    def _stop(self) -> tuple[float, frozenset[str]]:
        """How far it goes, and the allies that turned out to be obstacles (RW-MOVE-3, -5)."""
        if self.cancelled is not None:
            return 0.0, frozenset()
        full = self.way * self.template_mm
        mover = self.unit.block.footprint
        limit = min(self.template_mm, self._border_mm(mover))
        allies: dict[str, list[float]] = {}
        for other in self.field.others(self.unit):
            if other.terrain is not None:
                continue
            if self.field.allies(self.unit, other):
                allies[other.id] = [slide_limit_mm(mover, full, tray) for tray in other.tray_footprints()]
            else:
                limit = min(limit, slide_limit_mm(mover, full, other.outline))
        for terrain in self.field.terrain:
            limit = min(limit, slide_limit_mm(mover, full, Footprint.polygon(terrain.outline)))
        obstacles: set[str] = set()
        settled = False
        while not settled:
            settled = True
            for name, starts in allies.items():
                crossed = [s for s in starts if s < limit - SLACK_MM]
                end = mover.moved(self.way * limit)
                ally = next(u for u in self.field.units if u.id == name)
                overlaps = end.gap(ally.outline) < -2 * SLACK_MM
                if crossed and (len(crossed) > 1 or overlaps):
                    limit, settled = min(crossed), False
                    obstacles.add(name)
        stopped_by = {n for n in obstacles if min(allies[n]) <= limit + SLACK_MM}
        return limit, frozenset(stopped_by)

    def _border_mm(self, mover: Footprint) -> float:
        """RW-AREA-1: how far until a corner would leave the play area."""
        w, d = self.field.size
        best = math.inf
        for axis, size in ((0, w), (1, d)):
            speed = float(self.way[axis])
            low, high = mover.bounds[axis], mover.bounds[axis + 2]
            if speed > 1e-12:
                best = min(best, (size - high) / speed)
            elif speed < -1e-12:
                best = min(best, low / -speed)
        return max(best, 0.0)

    @cached_property
    def travelled_mm(self) -> float:
        return self._stop[0]

    @cached_property
    def end(self) -> Unit:
        return self.unit.shifted(self.way * self.travelled_mm)

    @property
    def complete(self) -> bool:
        return self.cancelled is None and self.travelled_mm >= self.template_mm - SLACK_MM

    @cached_property
    def contacts(self) -> dict[str, float]:
        """RW-MOVE-4: obstacles that could be collided with, and the margin of each being newly touched at the end."""
        if self.cancelled is not None:
            return {}
        start = Unit(self.unit.piece, self.unit.block)
        before, after = touched_at(self.field, start), touched_at(self.field, self.end)
        free = {u.id for u in self.field.others(self.unit) if self.field.allies(self.unit, u)} - self._stop[1]
        return {
            n: min(after[n], -before[n]) for n in after if n not in free and self._new(before[n], after[n])
        }

    @staticmethod
    def _new(before: float, after: float) -> bool:
        return after >= -SLACK_MM and before < -SLACK_MM

    @cached_property
    def collided(self) -> tuple[str, ...]:
        return tuple(self.contacts)

    @cached_property
    def enemies_hit(self) -> list[Unit]:
        """Enemy units collided with, those in terrain too (RW-ENG-4)."""
        hit = set(self.collided)
        return [u for u in self.field.others(self.unit) if self.field.enemies(self.unit, u) and u.id in hit]

    @cached_property
    def terrain_hit(self) -> list[Terrain]:
        return [t for t in self.field.terrain if t.id in self.collided]

    @cached_property
    def left_behind(self) -> list[Unit]:
        """Enemies engaged before and not after."""
        before, _ = self.field.engaged_with(self.unit)
        return [e for e in before if not self.field.engaged(self.end, e)]

    @cached_property
    def _free_mm(self) -> dict[str, float]:
        """How far each obstacle would let the unit go, were the template longer."""
        longer = self.template_mm + BEYOND_MM
        mover, full = self.unit.block.footprint, self.way * longer
        out = {"table-edge": min(self._border_mm(mover), longer)}
        for other in self.field.others(self.unit):
            ally = self.field.allies(self.unit, other)
            if other.terrain is None and (not ally or other.id in self._stop[1]):
                out[other.id] = slide_limit_mm(mover, full, other.outline)
        for terrain in self.field.terrain:
            out[terrain.id] = slide_limit_mm(mover, full, Footprint.polygon(terrain.outline))
        return out

    @property
    def margin_mm(self) -> float:
        """How near the end is to another outcome: template and way left, and contacts besides what stopped it."""
        sizes = [abs(min(self._free_mm.values()) - self.template_mm)]
        stopped = {n for n, free in self._free_mm.items() if free <= self.travelled_mm + SLACK_MM}
        touch = touched_at(self.field, self.end)
        sizes += [abs(m) for n, m in touch.items() if n not in stopped and math.isfinite(m)]
        return min(sizes)

    def depends(self) -> frozenset[str]:
        reach = self.template_mm + 2 * self.field.wiggle_mm + self.field.contact_tol
        here = self.unit.block.footprint
        near = {self.unit.id}
        for other in self.field.others(self.unit):
            if other.terrain is None and here.gap(other.outline) <= reach:
                near.add(other.id)
        return frozenset(near)

    def drawing(self) -> Drawing:
        start, end = self.unit.block.at, self.end.block.at
        ghost = polygon(self.end.block.rectangle, "path")
        return (segment(start, end, "path"), draw_unit(self.unit), ghost)

    def notes(self) -> tuple[Message, ...]:
        if self.field.asked.params.get("straight") or self.speed <= 1:
            return ()
        return (msg("rw-straight-default", d=Length(self.unit.block.depth_mm)),)


def touched_at(field: Field, unit: Unit) -> dict[str, float]:
    """Contact margins of a unit with every obstacle: other units, terrain, the border (RW-MOVE-3)."""
    foot = unit.block.footprint if unit.terrain is None else unit.outline
    out: dict[str, float] = {}
    for other in field.others(unit):
        out[other.id] = field.touch_mm(foot, other.outline)
    for terrain in field.terrain:
        out[terrain.id] = field.touch_mm(foot, Footprint.polygon(terrain.outline))
    out["table-edge"] = field.contact_tol - field.inside_mm(foot)
    return out


def march_of(a: Asked, action: str | None = None) -> March:
    field = Field(a)
    unit = field.named("unit")
    if unit.terrain is not None:
        raise Unknown(msg("rw-in-terrain", a=unit.label, t=unit.terrain.label), ("RW-TERR-3",))
    return March(field, unit, action or a["action"], a["direction"], a["speed"])


MOVES = ("RW-MOVE-1", "RW-MOVE-2", "RW-MOVE-3", "RW-MOVE-4", "RW-MOVE-5", "RW-MOVE-6", "RW-SPEED-1")


@GAME.query(
    "move",
    {"en": "How far does it go?", "es": "¿Hasta dónde llega?"},
    UNIT,
    ACTION,
    DIRECTION,
    TEMPLATE,
    SPEED,
    DURING,
    rules=MOVES,
    phase="move",
    premeasures=True,
)
def move(a: Asked) -> Finding:
    """RW-MOVE-1…6, -8, RW-SPEED-1: the way travelled and what it collides with."""
    march = march_of(a)
    if march.cancelled is not None:
        return Finding(
            march.cancelled,
            ("RW-SPEED-1",) if march.template_mm <= 0 else ("RW-MOVE-2", "RW-MOVE-6"),
            Answer.NO,
            value=0.0,
            ids=(),
            margin_mm=_cancel_margin(march),
            drawing=(draw_unit(march.unit),),
            depends=march.depends(),
        )
    names = [label_of(march.field, i) for i in march.collided]
    values = {"a": march.unit.label, "d": Length(march.travelled_mm), "limit": Length(march.template_mm)}
    key = "rw-moves-hits" if names else "rw-moves" if march.complete else "rw-moves-short"
    reason = msg(key, ids=names, **values) if names else msg(key, **values)
    return Finding(
        reason,
        MOVES,
        Answer.of(march.complete),
        value=march.travelled_mm,
        limit=march.template_mm,
        ids=march.collided,
        margin_mm=march.margin_mm if march.complete else -march.margin_mm,
        drawing=march.drawing(),
        notes=march.notes(),
        depends=march.depends(),
    )


def _cancel_margin(march: March) -> float | None:
    """A march cancelled by an enemy in contact is as sure as the contact is."""
    foes, margins = march.field.engaged_with(march.unit)
    if march.action != "march" or not foes or march.template_mm <= 0 or march.direction != "forward":
        return None
    return -max(m for m in margins.values() if math.isfinite(m))


def label_of(field: Field, name: str) -> str:
    scene = field.asked.scene
    found = scene.find(name) or scene.find_terrain(name)
    return found.label if found is not None else name


@GAME.query(
    "panic-tokens",
    {"en": "Panic tokens?", "es": "¿Fichas de Pánico?"},
    UNIT,
    ACTION,
    DIRECTION,
    TEMPLATE,
    SPEED,
    Input("charge", "flag", {"en": "with a charge", "es": "con carga"}, required=False, default=False),
    DURING,
    rules=("RW-CHARGE-1", "RW-CHARGE-2", "RW-SHIFT-2", "RW-TERR-5", "RW-ENG-4"),
    phase="move",
    premeasures=True,
)
def panic_tokens(a: Asked) -> Finding:
    """RW-CHARGE-1, -2, RW-SHIFT-2, RW-TERR-5: all tokens from one march or shift."""
    march = march_of(a)
    rules = ("RW-CHARGE-1", "RW-CHARGE-2", "RW-SHIFT-2", "RW-TERR-5")
    if march.cancelled is not None:
        return Finding(
            march.cancelled,
            rules,
            value=0,
            kind="count",
            margin_mm=_abs(_cancel_margin(march)),
            depends=march.depends(),
        )
    hits = len(march.enemies_hit)
    charge = bool(a["charge"])
    collisions = 0 if charge else hits
    missed = int(charge and hits == 0)
    arduous = sum(keyword(t, "arduous") for t in march.terrain_hit)
    left = len(march.left_behind) if march.action == "shift" else 0
    total = collisions + missed + arduous + left
    steps = (
        msg("rw-panic-hits", n=collisions),
        msg("rw-panic-missed", n=missed),
        msg("rw-panic-arduous", n=arduous),
        msg("rw-panic-left", n=left),
    )
    return Finding(
        msg("rw-panic", a=march.unit.label, n=total),
        rules,
        value=total,
        kind="count",
        margin_mm=march.margin_mm,
        drawing=march.drawing(),
        steps=steps,
        notes=march.notes(),
        depends=march.depends(),
    )


def _abs(margin: float | None) -> float | None:
    return None if margin is None else abs(margin)


register(
    {
        "rw-speed-none": {"en": "The speed of {a} is 0 or less: the move is cancelled.", "es": "La velocidad de {a} es 0 o menos: el movimiento se cancela."},
        "rw-march-forward": {"en": "A march always goes forward.", "es": "Una marcha siempre va hacia delante."},
        "rw-march-engaged": {
            "en": "{a} is engaged with {ids}: its march is cancelled.",
            "es": "{a} está trabada con {ids}: su marcha se cancela.",
        },
        "rw-in-terrain": {
            "en": "{a} is in {t}: place it where it would come out and ask exit-terrain.",
            "es": "{a} está en {t}: colóquela donde saldría y pregunte exit-terrain.",
        },
        "rw-moves": {"en": "{a} goes {d} of {limit} and touches nothing new.", "es": "{a} avanza {d} de {limit} y no toca nada nuevo."},
        "rw-moves-short": {
            "en": "{a} goes only {d} of {limit}: what it already touched is in the way.",
            "es": "{a} avanza solo {d} de {limit}: lo que ya tocaba está en medio.",
        },
        "rw-moves-hits": {"en": "{a} goes {d} of {limit} and collides with {ids}.", "es": "{a} avanza {d} de {limit} y choca con {ids}."},
        "rw-straight-default": {
            "en": "Rests on straight templates of {d} per speed, which nobody measured on this table.",
            "es": "Se apoya en plantillas rectas de {d} por velocidad, que nadie ha medido en esta mesa.",
        },
        "rw-panic": {"en": "{a} receives {n} panic tokens.", "es": "{a} recibe {n} fichas de Pánico."},
        "rw-panic-hits": {"en": "Enemies hit without a charge: {n}.", "es": "Enemigas chocadas sin carga: {n}."},
        "rw-panic-missed": {"en": "Charge that met no enemy: {n}.", "es": "Carga sin enemiga: {n}."},
        "rw-panic-arduous": {"en": "Arduous terrain: {n}.", "es": "Terreno Arduo: {n}."},
        "rw-panic-left": {"en": "Units disengaged from: {n}.", "es": "Unidades de las que se destraba: {n}."},
    }
)  # fmt: skip
