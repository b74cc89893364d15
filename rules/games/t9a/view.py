"""A question as T9A's rules see it: units, markers, features and the board, and what the question names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import shapely

from ...drawing import Drawing, Segment, Shape, polygon, segment
from ...errors import QuestionError, Unknown
from ...footprint import Footprint, between
from ...game import Asked, Input
from ...messages import Message, Text, msg, register
from ...scene import Circle, Piece, Rect, Scene, Terrain
from ...verdict import Answer, Finding
from .blocks import Model, Unit, make_unit
from .frames import Frame, Point
from .fronts import agreed, differ, each_front, told_axis
from .game import GAME
from .numbers import CAMERA_GAP, CAMERA_TURN_DEG, EPS, TURN_EPS_DEG

__all__ = ["Feature", "Ref", "View", "query"]

ASSUMED_STEP_DEG = 15.0
"""An outline that may lie any way is tried at these directions; the answer stands if all agree."""

NEUTRAL = "-"
EDGES = ("left", "right", "near", "far")


@dataclass(frozen=True)
class Feature:
    """A terrain feature: its outline, cut into convex parts for measuring."""

    terrain: Terrain

    @property
    def id(self) -> str:
        return self.terrain.id

    @property
    def type(self) -> str:
        return self.terrain.type

    @cached_property
    def footprint(self) -> Footprint:
        return Footprint.polygon(self.terrain.outline)

    @cached_property
    def polygon(self) -> Any:
        return shapely.Polygon(self.terrain.outline)

    @cached_property
    def centre(self) -> Point:
        c = self.polygon.centroid
        return c.x, c.y


@dataclass(frozen=True)
class Ref:
    """What `from` or `to` names: a unit, one model, a marker, a feature, a point or a board edge."""

    kind: str
    id: str
    label: str
    footprint: Footprint
    unit: Unit | None = None
    model: Model | None = None
    feature: Feature | None = None
    at: Point | None = None

    @property
    def is_model(self) -> bool:
        """One base: of a unit, or a piece that is a single model."""
        return self.model is not None

    @property
    def frame(self) -> Frame:
        """Own frame of the rectangle that counts; `Unknown` where its front is not known."""
        assert self.unit is not None
        if self.model is None:
            return self.unit.frame
        if not self.model.frame.round:
            _ = self.unit.facing
        return self.model.frame

    @property
    def centre(self) -> Point:
        if self.model is not None:
            return self.model.at
        if self.unit is not None:
            return self.unit.centre
        if self.feature is not None:
            return self.feature.centre
        assert self.at is not None
        return self.at

    @property
    def reference(self) -> Point:
        """T9A-ARC-3: the point by which an object is located in an arc."""
        if self.unit is not None:
            frame = self.model.frame if self.model else self.unit.boundary
            if frame.round:
                return frame.at
            return self.frame.front_middle
        return self.centre

    @property
    def mates(self) -> tuple[Model, ...]:
        """The models that it stands for: all of a unit, or the one."""
        if self.model is not None:
            return (self.model,)
        return self.unit.models if self.unit is not None else ()


@lru_cache(maxsize=1024)
def _feature(terrain: Terrain) -> Feature:
    return Feature(terrain)


class View:
    """The scene of a question (in millimetres) with T9A's eyes.

    `touch` and `parallel_deg` are the tolerances of contact and alignment: the sheet's rounding slack in a
    scene written by hand, more in a scene from a camera (`camera`). What was assumed is collected in `notes`.
    """

    def __init__(self, a: Asked, axes: dict[str, float] | None = None) -> None:
        self.a = a
        self.scene = a.scene
        self.camera = not a.scene.exact
        self.touch = CAMERA_GAP if self.camera else EPS
        self.parallel_deg = CAMERA_TURN_DEG if self.camera else TURN_EPS_DEG
        self.notes: list[Message] = []
        self._axes = axes or {}
        self.inside: dict[str, frozenset[str]] = {}
        """Which features a model is inside, once it has been asked."""

    def __getitem__(self, name: str) -> Any:
        return self.a[name]

    def given(self, name: str) -> bool:
        return self.a.given(name)

    def note(self, key: str, **args: object) -> None:
        said = msg(key, **args)
        if said not in self.notes:
            self.notes.append(said)

    # --- what is on the table ------------------------------------------------------------------------------

    @cached_property
    def units(self) -> dict[str, Unit]:
        guests: dict[str, list[Piece]] = {}
        hosts = []
        ids = {p.id for p in self.scene.pieces}
        for p in self.scene.pieces:
            if _neutral(p):
                continue
            host = p.trait("joined") if p.kind == "model" else None
            if host is not None and host in ids:
                guests.setdefault(host, []).append(p)
            else:
                hosts.append(p)
        return {p.id: make_unit(p, tuple(guests.get(p.id, ())), self._axis(p)) for p in hosts}

    def _axis(self, p: Piece) -> float | None:
        return self._axes.get(p.id) if p.facing is None else None

    @cached_property
    def markers(self) -> dict[str, Piece]:
        return {p.id: p for p in self.scene.pieces if _neutral(p)}

    @cached_property
    def features(self) -> dict[str, Feature]:
        return {t.id: _feature(t) for t in self.scene.terrain}

    def of_type(self, *types: str) -> list[Feature]:
        return [f for f in self.features.values() if f.type in types]

    @cached_property
    def impassable(self) -> list[Feature]:
        return self.of_type("impassable")

    @property
    def board(self) -> tuple[float, float]:
        """Width and depth of the table."""
        if self.scene.table is None:
            raise Unknown(msg("t9a-no-table"))
        return self.scene.table.width, self.scene.table.depth

    def enemies(self, unit: Unit) -> list[Unit]:
        return [u for u in self.units.values() if self.are_enemies(unit, u)]

    def friends(self, unit: Unit) -> list[Unit]:
        """The other units of its side."""
        return [u for u in self.units.values() if u.id != unit.id and u.side == unit.side and u.side]

    def others(self, unit: Unit) -> list[Unit]:
        return [u for u in self.units.values() if u.id != unit.id]

    @staticmethod
    def are_enemies(one: Unit, two: Unit) -> bool:
        return bool(one.side and two.side and one.side != two.side)

    # --- what the question names ---------------------------------------------------------------------------

    def unit(self, name: str = "from") -> Unit:
        """The unit that an input names, directly or through one of its models."""
        ref = self.ref(name)
        if ref.unit is None:
            raise QuestionError.of("t9a-not-a-unit", name, got=ref.label)
        return ref.unit

    def mover(self, name: str = "from") -> Unit:
        """The unit that moves: a model named inside a unit leaves it and is a unit of its own (T9A-CHG-13)."""
        ref = self.ref(name)
        unit = self.unit(name)
        if ref.kind != "model" or ref.model is None or len(unit.models) == 1:
            return unit
        return alone(unit, ref.model)

    def ref(self, name: str) -> Ref:
        return self.lookup(self.a[name], name)

    def lookup(self, what: Any, place: str) -> Ref:
        """A unit, model, marker or terrain id, a point, `table-centre` or `edge:left|right|near|far`."""
        if isinstance(what, tuple):
            return _point(what, "point", "•")
        if not isinstance(what, str):
            raise QuestionError.of("input-kind", place, kind="id", got=repr(what)[:80])
        if what in self.units:
            return _unit_ref(self.units[what])
        if what in self.markers:
            piece = self.markers[what]
            return _point(self.a.at(piece), what, piece.label)
        for unit in self.units.values():
            if any(g.id == what for g in unit.joined):
                return _model_ref(unit, unit.by_id[what])
        host, mark, _ = what.partition("#")
        if mark and host in self.units:
            unit = self.units[host]
            if what in unit.by_id:
                return _model_ref(unit, unit.by_id[what])
            if unit.count == 1 and what == f"{host}#1.1":
                return _model_ref(unit, unit.models[0])
            raise QuestionError.of("input-no-such", place, ids=[what], known=", ".join(unit.by_id))
        if what in self.features:
            f = self.features[what]
            return Ref("terrain", f.id, f.id, f.footprint, feature=f)
        if what == "table-centre":
            w, d = self.board
            return _point((w / 2, d / 2), what, what)
        if what.startswith("edge:") and what[5:] in EDGES:
            return Ref("edge", what, what, self.edge(what[5:]), at=tuple(self.edge(what[5:]).corners.mean(0)))
        known = [*self.units, *self.markers, *self.features, "table-centre", *(f"edge:{e}" for e in EDGES)]
        raise QuestionError.of("input-no-such", place, ids=[what], known=", ".join(known))

    def edge(self, name: str) -> Footprint:
        w, d = self.board
        ends = {
            "left": ((0.0, 0.0), (0.0, d)),
            "right": ((w, 0.0), (w, d)),
            "near": ((0.0, 0.0), (w, 0.0)),
            "far": ((0.0, d), (w, d)),
        }[name]
        return Footprint((np.array(ends, float),))

    def named(self, name: str) -> tuple[str, ...]:
        """A list of ids of units or terrain in the question (`exempt`, `combat`, `fled`)."""
        raw = self.a[name]
        if raw is None:
            return ()
        if isinstance(raw, str):
            raw = [raw]
        if not isinstance(raw, list | tuple) or not all(isinstance(i, str) for i in raw):
            raise QuestionError.of("input-kind", name, kind="ids", got=repr(raw)[:80])
        known = {*self.units, *self.features, *self.markers, *(p.id for p in self.scene.pieces)}
        lost = [i for i in raw if i not in known]
        if lost:
            raise QuestionError.of("input-no-such", name, ids=lost, known=", ".join(sorted(known)))
        return tuple(raw)

    # --- measuring -----------------------------------------------------------------------------------------

    def gaps(self, footprint: Footprint, others: Iterable[Unit | Feature]) -> list[float]:
        """Signed clear distances to units' Boundary Rectangles and to features."""
        targets = [o.footprint for o in others]
        if not targets:
            return []
        return [float(d) for d in between([footprint], targets)[0]]

    def on_board(self, frame: Frame) -> float:
        """How far inside the board a rectangle or round base lies; negative is how far it sticks out."""
        w, d = self.board
        points, r = (np.array([frame.at]), frame.width / 2) if frame.round else (np.array(frame.corners), 0.0)
        low, high = points.min(0) - r, points.max(0) + r
        return float(min(low[0], low[1], w - high[0], d - high[1]))

    # --- answering -----------------------------------------------------------------------------------------

    def depends(self, *units: Unit | None) -> frozenset[str]:
        """The pieces of these units, for the error bars (of a character alone: those of its unit)."""
        ids = {p.id for u in units if u is not None for p in (u.piece, *u.joined)}
        hosts = {i.partition("#")[0] for i in ids}
        return frozenset(i for i in ids | hosts if self.scene.find(i) is not None)

    def ids_of(self, *names: str) -> frozenset[str]:
        return frozenset(n for n in names if self.scene.find(n) is not None)


def alone(unit: Unit, model: Model) -> Unit:
    """A character that leaves its unit, as a unit of one; it keeps the unit's words (its state) and its own."""
    frame = model.frame
    base = Circle(frame.width) if frame.round else Rect(frame.width, frame.depth)
    words = tuple(sorted(w for w in model.words.given | unit.words.given if "@" not in w and ":" not in w))
    facing = None if unit.piece.facing is None else frame.facing
    piece = Piece(model.id, "model", unit.side, frame.at, facing=facing, base=base, traits=words)
    return make_unit(piece, (), unit.axis)


def _neutral(p: Piece) -> bool:
    return p.kind in ("marker", "token") or p.side == NEUTRAL


def _point(at: Point, name: str, label: str) -> Ref:
    return Ref("point", name, label, Footprint.disc(at, 0.0), at=(float(at[0]), float(at[1])))


def _unit_ref(unit: Unit) -> Ref:
    single = unit.piece.kind == "model" and not unit.joined
    return Ref("unit", unit.id, unit.label, unit.footprint, unit, unit.models[0] if single else None)


def _model_ref(unit: Unit, model: Model) -> Ref:
    return Ref("model", model.id, model.id, model.frame.footprint, unit, model)


# --- the questions ----------------------------------------------------------------------------------------------


def query(
    name: str, title: Text, *inputs: Input, rules: Iterable[str], phase: str = "measure"
) -> Callable[[Callable[[View], Finding]], Callable[[View], Finding]]:
    """Register a T9A question: its function gets a `View` and gives a `Finding`."""

    def add(run: Callable[[View], Finding]) -> Callable[[View], Finding]:
        GAME.query(name, title, *inputs, rules=rules, phase=phase)(lambda a: _answer(run, a))
        return run

    return add


def _answer(run: Callable[[View], Finding], a: Asked) -> Finding:
    unknown = [p for p in a.scene.pieces if p.facing is None and not _neutral(p) and not _is_round(p)]
    guessed = [p for p in unknown if told_axis(p) is None]
    if not guessed:
        return _once(run, a, {})
    return _whatever_way(run, a, guessed)


def _whatever_way(run: Callable[[View], Finding], a: Asked, guessed: list[Piece]) -> Finding:
    """Blocks of which nobody knows how they lie: the answer stands if it is the same whichever way they do."""
    first: Finding | None = None
    steps = int(180 / ASSUMED_STEP_DEG)
    for k in range(steps):
        found = _once(run, a, {p.id: k * ASSUMED_STEP_DEG for p in guessed})
        if first is None:
            first = found
            if found.depends is not None and not any(p.id in found.depends for p in guessed):
                return found
            continue
        same = found.answer == first.answer if first.answer is not None else found.said() == first.said()
        other = differ(found.value, first.value)
        if not same or (other and first.answer is None):
            who = ", ".join(p.label for p in guessed)
            raise Unknown(msg("facing-unknown", who=who), found.rules)
        if other:
            first = replace(first, value=None)
        if first.margin_mm is not None and found.margin_mm is not None:
            least = min(abs(first.margin_mm), abs(found.margin_mm))
            first = replace(first, margin_mm=least if first.margin_mm >= 0 else -least)
    assert first is not None
    who = ", ".join(p.label for p in guessed)
    return replace(first, notes=(*first.notes, msg("t9a-any-facing", who=who)))


def _once(run: Callable[[View], Finding], a: Asked, axes: dict[str, float]) -> Finding:
    """The finding with assumed `axes`; where it asks for a front that was not seen, for every front that there may be."""

    def look(scene: Scene) -> Finding:
        view = View(a.with_scene(scene), axes)
        found = run(view)
        return replace(found, notes=(*found.notes, *view.notes)) if view.notes else found

    return each_front(look, a.scene, agreed)


def _is_round(p: Piece) -> bool:
    return isinstance(p.base, Circle)


def closest_line(one: Footprint, two: Footprint, role: Any = "measure") -> tuple[float, Segment]:
    """Distance of two footprints (not below 0) and the line between their nearest points."""
    d, p, q = one.closest(two)
    return max(0.0, d), segment(p, q, role)


def outline(frame: Frame, role: Any = "piece") -> Shape:
    return polygon(frame.ring.tolist(), role)


def outlines(units: Iterable[Unit], role: Any = "piece") -> Drawing:
    return tuple(outline(u.boundary, role) for u in units)


def yes(holds: bool) -> Answer:
    return Answer.of(holds)


register(
    {
        "t9a-no-table": {
            "en": "The size of the table is not known: give its width and depth.",
            "es": "No se conoce el tamaño de la mesa: indique su ancho y su fondo.",
        },
        "t9a-not-a-unit": {
            "en": "expected a unit or a model, got {got}",
            "es": "se esperaba una unidad o una miniatura, hay {got}",
        },
    }
)
