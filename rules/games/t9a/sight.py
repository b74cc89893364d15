"""Line of sight: who may look where, what interrupts (T9A-LOS-1 … 11)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely

from ...drawing import Drawing, Shape, polygon, segment
from ...errors import QuestionError
from ...footprint import Footprint
from ...messages import Length, msg, register
from ...plane import Array
from ...verdict import Answer, Finding
from .arcs import arc_depth, arc_lines
from .blocks import Model, Unit
from .frames import Frame
from .lines import Eye, Obstacles, Seen, best_room, clip_wedge, glance, look, rough_room, through
from .numbers import CAMERA_GAP, EPS
from .terrain_at import elevated, overlaps
from .view import Ref, View, query
from .words import FROM, TO

__all__ = ["Sight", "Target", "blocks", "can_see", "eyes_of", "models_of", "obstacles_for", "targets_of"]


@dataclass(frozen=True)
class Target:
    """Something to be seen: an outline (a point: one corner) with a Height."""

    id: str
    ring: Array
    height: int = 0
    tall: bool = False
    elevated: bool = False
    unit: Unit | None = None
    whole: bool = False
    """The Boundary Rectangle of a unit, whose models follow in the list."""


@dataclass(frozen=True)
class Sight:
    """The answer for several eyes and targets: a free line or the nearest to it, margin and blockers."""

    sees: bool
    line: Seen | None
    margin: float
    blockers: tuple[str, ...]
    eye: Model | None = None


def blocks(base: Model, eye: Model, target: Target) -> bool:
    """T9A-LOS-3 and 4: is this base high enough to interrupt a line between these two?"""
    return blocks_height(base.height, base.tall, eye.height, eye.tall, target.height, target.tall)


def blocks_height(b: int, b_tall: bool, m: int, m_tall: bool, t: int, t_tall: bool) -> bool:
    """
    >>> blocks_height(0, False, 0, True, 0, False)  # cavalry look over infantry
    False
    >>> blocks_height(1, False, 1, False, 1, False)  # Large among Large
    True
    """
    if b < m or b < t:
        return False
    if m_tall and b == m and not b_tall:
        return False
    return not (t_tall and b == t and not b_tall)


def targets_of(v: View, to: Ref, *, models_only: bool = False) -> list[Target]:
    """T9A-LOS-8, 10: a unit is its Boundary Rectangle or any of its models; a point is Standard."""
    unit = to.unit
    if unit is None:
        return [Target(to.id, np.array([to.centre]))]
    if to.model is not None:
        return [_model_target(v, unit, to.model)]
    out = [] if models_only else [boundary_target(unit)]
    return out + [_model_target(v, unit, m) for m in unit.models]


def boundary_target(unit: Unit) -> Target:
    return Target(unit.id, unit.boundary.ring, unit.height, unit.half_are("tall"), False, unit, True)


def _model_target(v: View, unit: Unit, m: Model) -> Target:
    return Target(m.id, m.frame.ring, m.height, m.tall, elevated(v, m.at), unit)


def ignored_features(v: View, m: Model) -> frozenset[str]:
    """T9A-LOS-2: the features that a model is inside, even partly."""
    if m.id not in v.inside:
        v.inside[m.id] = frozenset(f.id for f in v.features.values() if overlaps(m.frame.footprint, f))
    return v.inside[m.id]


def eyes_of(ref: Ref) -> Sequence[Model]:
    """T9A-LOS-8: a unit sees what any of its models sees."""
    return ref.mates


def _loose(unit: Unit, elevated_only: bool) -> bool:
    """Whether the bases of a unit must be looked at one by one."""
    return bool(unit.joined) or elevated_only


def obstacles_for(
    v: View,
    eye: Model,
    target: Target,
    *,
    skip: Iterable[str] = (),
    up_to: int | None = None,
) -> Obstacles:
    """What can interrupt lines from this model to this target.

    `skip` names units that are ignored besides its own and the target's; `up_to` (volley fire) leaves out
    bases of that Height and lower.
    """
    lofty = elevated(v, eye.at) or target.elevated
    out_of = {eye.unit_id, *skip}
    if target.unit is not None:
        out_of.add(target.unit.id)
    parts: list[Array] = []
    owners: list[str] = []
    for unit in v.units.values():
        if unit.id in out_of or "skirmisher" in unit.words:
            continue
        if not unit.alike and not _between(v, unit, eye, target):
            continue  # its bases lie otherwise for each front it may have, but none can be in the way
        if _loose(unit, lofty):
            for m in unit.models:
                if (up_to is not None and m.height <= up_to) or not blocks(m, eye, target):
                    continue
                if lofty and not elevated(v, m.at):
                    continue
                parts.append(m.frame.ring)
                owners.append(unit.id)
            continue
        first = unit.models[0]
        if (up_to is not None and first.height <= up_to) or not blocks(first, eye, target):
            continue
        rings = [first.frame.ring] if unit.round else unit.bases.parts
        parts += list(rings)
        owners += [unit.id] * len(rings)
    inside = ignored_features(v, eye)
    opaque = [f for f in v.of_type("hill", "impassable") if f.id not in inside]
    return Obstacles(
        tuple(parts),
        tuple(owners),
        tuple(np.array(f.terrain.outline) for f in opaque),
        tuple(f.id for f in opaque),
        CAMERA_GAP if v.camera else EPS,
    )


def _between(v: View, unit: Unit, eye: Model, target: Target) -> bool:
    """Whether the outline of a unit comes near the way from one to the other."""
    host = v.units.get(eye.unit_id)
    ends = [host.boundary.ring if host is not None else eye.frame.ring]
    ends.append(target.unit.boundary.ring if target.unit is not None else target.ring)
    hull = shapely.convex_hull(shapely.multipoints(np.concatenate(ends)))
    return bool(shapely.distance(hull, unit.footprint.geometry) <= CORRIDOR)


def models_of(v: View, ref: Ref, front_rank: bool = False) -> list[Model]:
    """The eyes of a reference, those in front first; with known facing."""
    if ref.unit is None:
        raise QuestionError.of("t9a-not-a-unit", "from", got=ref.label)
    _ = ref.frame
    models = [m for m in ref.mates if not front_rank or m.rank == 1]
    return sorted(models, key=lambda m: m.rank)


def can_see(
    v: View,
    eyes: Sequence[Model],
    targets: Sequence[Target],
    *,
    unit: Unit | None,
    skip: Iterable[str] = (),
    up_to: int | None = None,
    margin: bool = True,
) -> Sight:
    """Whether any of these models sees any of these targets.

    `unit` is the unit whose front arc limits them too (T9A-LOS-9); None for a point on the ground.
    """
    limit = unit.frame if unit is not None and len(unit.models) > 1 else None
    search = _Search(v, limit, tuple(skip), up_to, margin)
    found = _find(search, eyes, targets)
    tried = list(search.tried.values())
    room = _margin(tried, search.arcs, found) if margin else math.nan
    if found:
        return Sight(True, found.seen, room, (), found.model)
    first = tried[0] if tried else None
    blockers = _blockers(tried) if margin else ()
    return Sight(False, first.seen if first else None, room, blockers, first.model if first else None)


def _find(search: _Search, eyes: Sequence[Model], targets: Sequence[Target]) -> _Try | None:
    """The first free line: a few lines of every eye first, then each eye exactly."""
    whole = targets[0]
    first = targets[:1] if whole.whole else targets
    if whole.whole and not search.margin:
        # nobody wants to know what is in the way: give up early where all of them are hopeless
        kinds = {(t.height, t.tall, t.elevated): t for t in targets}.values()
        lookers = {search.kind(m): m for m in eyes}.values()
        around = [replace(t, ring=whole.ring, id=whole.id) for t in kinds]
        if not any(search.hopeful(m, eyes, t, whole) for m in lookers for t in around):
            return None
    for m in eyes:
        for target in first:
            found = search.attempt(m, target, exact=False)
            if found:
                return found
    for m in eyes:
        for target in first if not whole.whole else _worth(search, m, eyes, targets):
            found = search.attempt(m, target, exact=True)
            if found:
                return found
    return None


def _worth(search: _Search, m: Model, eyes: Sequence[Model], targets: Sequence[Target]) -> Iterable[Target]:
    """The Boundary Rectangle, and the models of the unit that can make a difference where it is not seen.

    A line to a model meets the Boundary Rectangle first. So a model needs a look of its own only if it is higher
    or lower than the unit, stands elevated, or if the nearer point may be outside the arc of the looking unit,
    which can only be for eyes behind its front rank. Eyes of one kind are given up together where no line from
    the edges of their unit is free.
    """
    whole, limit = targets[0], search.limit
    if search.hopeful(m, eyes, whole, whole):
        yield whole
        if limit is not None and m.rank > 1 and not _within_arc(whole, limit) and search.might(m, whole):
            yield from (t for t in targets[1:] if search.hopeful(m, eyes, t, whole))
            return
    for t in targets[1:]:
        other = t.elevated or (t.height, t.tall) != (whole.height, whole.tall)
        if other and search.hopeful(m, eyes, t, whole):
            yield t


def _within_arc(target: Target, frame: Frame) -> bool:
    part = clip_wedge(target.ring, frame)
    return len(part) == len(target.ring) and bool(np.allclose(part, target.ring))


@dataclass
class _Try:
    model: Model
    eye: Eye
    target: Target
    part: Array
    obstacles: Obstacles
    seen: Seen


class _Search:
    """Looks of several eyes at several targets; what is in the way is gathered once for eyes of one kind."""

    def __init__(
        self, v: View, limit: Frame | None, skip: tuple[str, ...], up_to: int | None, margin: bool
    ) -> None:
        self.v, self.limit, self.skip, self.up_to, self.margin = v, limit, skip, up_to, margin
        self.arcs = -math.inf
        self.tried: dict[tuple[str, str], _Try] = {}
        self._ways: dict[tuple[object, ...], Obstacles] = {}
        self._eyes: dict[str, tuple[bool, frozenset[str]]] = {}
        self._parts: dict[tuple[str, str], Array] = {}
        self._hopes: dict[tuple[int, str], bool] = {}

    def attempt(self, m: Model, target: Target, exact: bool) -> _Try | None:
        """Look; the first time with a few lines only, then exactly."""
        eye = Eye(m.frame, self.limit)
        key = (m.id, target.id)
        if key not in self._parts:
            self._parts[key] = eye.visible_part(target.ring)
        part = self._parts[key]
        if len(part) == 0:
            self._outside(eye, target, exact)
            return None
        obstacles = self._obstacles(m, target)
        seen = look(eye, target.ring, obstacles, part) if exact else glance(eye, target.ring, obstacles, part)
        if seen is None:
            self._outside(eye, target, exact)
            return None
        attempt = _Try(m, eye, target, part, obstacles, seen)
        self.tried[key] = attempt
        return attempt if seen.sees else None

    def _outside(self, eye: Eye, target: Target, exact: bool) -> None:
        if self.margin and exact and (target.whole or target.unit is None or len(target.unit.models) == 1):
            self.arcs = max(self.arcs, _arc_room(eye, target))

    def might(self, m: Model, whole: Target) -> bool:
        """Whether any line reaches the part of a rectangle that lies in the arcs, wherever it enters it."""
        part = self._parts.get((m.id, whole.id))
        if part is None or len(part) < 3:
            return False
        seen = look(Eye(m.frame, self.limit), part, self._obstacles(m, whole), part)
        return seen is not None and seen.sees

    def hopeful(self, m: Model, eyes: Sequence[Model], target: Target, whole: Target) -> bool:
        """False where no line from any edge of the looking unit to the target's rectangle is free."""
        unit = self.v.units.get(m.unit_id)
        if unit is None or unit.round or len(eyes) < FEW_EYES:
            return True
        if target.id != whole.id and not self.hopeful(
            m, eyes, replace(target, ring=whole.ring, id=whole.id), whole
        ):
            return False
        obstacles = self._obstacles(m, target)
        key = (id(obstacles), target.id)
        if key not in self._hopes:
            frame = unit.boundary
            part = clip_wedge(target.ring, frame) if self.limit is not None else target.ring
            faces = ("front",) if all(e.rank == 1 for e in eyes) else ("front", "left-flank", "right-flank")
            self._hopes[key] = len(part) > 0 and any(
                self._any_line(frame, face, part, obstacles) for face in faces
            )
        return self._hopes[key]

    @staticmethod
    def _any_line(frame: Frame, face: str, part: Array, obstacles: Obstacles) -> bool:
        a, b = (np.asarray(p) for p in frame.edge(face))
        seen = look(Eye(frame, None, (a, b)), part, obstacles, part)
        return seen is not None and seen.sees

    def kind(self, m: Model) -> tuple[object, ...]:
        """What makes two eyes alike for what is in their way."""
        if m.id not in self._eyes:
            self._eyes[m.id] = elevated(self.v, m.at), ignored_features(self.v, m)
        return m.height, m.tall, *self._eyes[m.id]

    def _obstacles(self, m: Model, target: Target) -> Obstacles:
        key = (*self.kind(m), target.height, target.tall, target.elevated)
        if key not in self._ways:
            every = obstacles_for(self.v, m, target, skip=self.skip, up_to=self.up_to)
            ring = self.v.units[m.unit_id].boundary.ring if m.unit_id in self.v.units else m.frame.ring
            aim = target.unit.boundary.ring if target.unit is not None else target.ring
            self._ways[key] = every.near(np.concatenate([ring, aim]), CORRIDOR)
        return self._ways[key]


def _arc_room(eye: Eye, target: Target) -> float:
    """How deep a target reaches into the arcs that limit an eye; negative is how far it is outside."""
    shape = Footprint((target.ring,)) if len(target.ring) > 1 else Footprint.disc(target.ring[0], 0.0)
    rooms = [math.inf if f.round else arc_depth(f, "front", shape) for f in (eye.frame, eye.unit_frame) if f]
    return min(rooms)


def _margin(tried: list[_Try], arcs: float, found: _Try | None) -> float:
    """How far the answer is from flipping: the widest clearance of a legal line, and the depth in the arc."""
    if found is not None:
        f = found
        room = best_room(f.eye, f.target.ring, f.part, f.obstacles, f.seen)
        return max(0.0, min(_arc_room(f.eye, f.target), room))
    # only the few that come nearest to seeing are worth the climb
    rough = sorted(tried, key=lambda t: -rough_room(t.eye, t.target.ring, t.part, t.obstacles))[:NEAREST]
    rooms = [best_room(t.eye, t.target.ring, t.part, t.obstacles, None) for t in rough]
    return max([min(r, 0.0) for r in (*rooms, arcs)])


NEAREST = 2
FEW_EYES = 4
"""Fewer eyes than this are looked through one by one at once."""


def _blockers(tried: list[_Try]) -> tuple[str, ...]:
    """Everything that interrupts some otherwise legal line.

    All lines from a front to the visible part of a convex target fill their convex hull: a base with area in
    it, outside the target, interrupts some line.
    """
    found: dict[str, None] = {}
    for t in tried:
        eye, target, part, obstacles = t.eye, t.target, t.part, t.obstacles
        if obstacles.empty or all(o in found for o in (*obstacles.owners, *obstacles.opaque_ids)):
            continue
        hull = shapely.convex_hull(
            shapely.multipoints(np.concatenate([*map(np.atleast_2d, _front(eye)), part]))
        )
        if len(target.ring) > 2:
            hull = shapely.difference(hull, shapely.Polygon(target.ring))
        left = [i for i, owner in enumerate(obstacles.owners) if owner not in found]
        if left:
            areas = shapely.area(shapely.intersection(hull, obstacles.polygons[left]))
            found |= {obstacles.owners[i]: None for i, area in zip(left, areas, strict=True) if area > EPS}
        p, q = _fan(eye, part)
        for (inner, whole), name in zip(obstacles.hills, obstacles.opaque_ids, strict=True):
            if name not in found:
                lines = shapely.linestrings(np.stack([p, q], axis=1))
                if through(inner, whole, lines, q).any():
                    found[name] = None
    return tuple(found)


def _front(eye: Eye) -> tuple[Array, ...]:
    return (eye.frame.ring,) if eye.frame.round else eye.front


def _fan(eye: Eye, part: Array) -> tuple[Array, Array]:
    """Lines spread over the front and the visible part."""
    a, b = eye.front
    starts = a + np.linspace(0, 1, 5)[:, None] * (b - a)
    nxt = np.roll(part, -1, axis=0)
    ends = np.concatenate([part + t * (nxt - part) for t in np.linspace(0, 1, 9)])
    return np.repeat(starts, len(ends), axis=0), np.tile(ends, (5, 1))


def sight_drawing(v: View, sight: Sight) -> Drawing:
    out: list[Shape] = []
    for i in sight.blockers:
        if i in v.units:
            out += [polygon(p.tolist(), "blocker") for p in v.units[i].bases.parts if len(p) > 1]
        elif i in v.features:
            out.append(polygon(v.features[i].terrain.outline, "blocker"))
    if sight.line is not None:
        out.append(segment(*sight.line.ends, "clear" if sight.sees else "blocked"))
    return tuple(out)


@query(
    "line-of-sight",
    {"en": "Is there line of sight?", "es": "¿Hay línea de visión?"},
    FROM,
    TO,
    rules=tuple(f"T9A-LOS-{n}" for n in range(1, 12)),
    phase="shooting",
)
def line_of_sight(v: View) -> Finding:
    one, two = v.ref("from"), v.ref("to")
    eyes = models_of(v, one)
    unit = one.unit
    limit = unit if two.unit is not None else None
    sight = can_see(v, eyes, targets_of(v, two), unit=limit)
    assert unit is not None
    if sight.sees:
        who = sight.eye.id if sight.eye is not None else one.label
        reason = msg("t9a-los-yes", a=who, b=two.label)
        rules: tuple[str, ...] = ("T9A-LOS-1", "T9A-LOS-3") if two.unit else ("T9A-LOS-1", "T9A-LOS-10")
    elif sight.blockers:
        reason = msg("t9a-los-blocked", a=one.label, b=two.label, ids=sight.blockers)
        rules = tuple(_blocking_rules(v, sight.blockers))
    else:
        reason = msg("t9a-los-arc", a=one.label, b=two.label, d=Length(abs(sight.margin)))
        rules = ("T9A-LOS-1", "T9A-LOS-9") if two.unit else ("T9A-LOS-1",)
    drawing = sight_drawing(v, sight)
    if not sight.sees and not sight.blockers:
        drawing = arc_lines(one.frame)
    return Finding(
        reason,
        rules,
        Answer.of(sight.sees),
        blockers=sight.blockers,
        margin_mm=sight.margin if math.isfinite(sight.margin) else None,
        drawing=drawing,
        depends=_depends(v, one, two),
    )


def _blocking_rules(v: View, ids: Iterable[str]) -> list[str]:
    rules = ["T9A-LOS-1"]
    if any(i in v.features for i in ids):
        rules.append("T9A-LOS-2")
    if any(i in v.units for i in ids):
        rules += ["T9A-LOS-3", "T9A-LOS-11"]
    return rules


def _depends(v: View, one: Ref, two: Ref) -> frozenset[str]:
    """The two and every unit that could come between them."""
    assert one.unit is not None
    points = np.concatenate([one.unit.boundary.ring, two.unit.boundary.ring if two.unit else [two.centre]])
    hull = shapely.convex_hull(shapely.multipoints(points)).buffer(CORRIDOR)
    near = [u for u in v.units.values() if hull.intersects(u.footprint.geometry)]
    return v.depends(one.unit, two.unit, *near) | v.ids_of(two.id)


CORRIDOR = 30.0
"""Units this near to the straight way between two others can come between them within their error bars."""

register(
    {
        "t9a-los-yes": {
            "en": "{a} has a free line to {b}.",
            "es": "{a} tiene una línea libre hasta {b}.",
        },
        "t9a-los-blocked": {
            "en": "Every line from {a} to {b} is interrupted by {ids}.",
            "es": "Todas las líneas de {a} a {b} quedan interrumpidas por {ids}.",
        },
        "t9a-los-arc": {
            "en": "No part of {b} is in the front arc of {a}: {d} outside.",
            "es": "Ninguna parte de {b} está en el arco frontal de {a}: a {d}.",
        },
    }
)
