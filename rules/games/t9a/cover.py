"""Cover: which share of the target's facing is obscured, softly or hard (T9A-COV-1 … 8)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

from ...drawing import Drawing, Shape, polygon, segment
from ...errors import QuestionError
from ...footprint import Footprint
from ...messages import Length, Message, msg, register
from ...plane import Array, cross, pad
from ...verdict import Finding
from .arcs import located
from .blocks import Model, Unit
from .frames import FACES, Frame
from .lines import segment_room, sides, through
from .numbers import EPS, SHARE_EPS
from .shadows import minus, shadow_intervals, union_length
from .sight import blocks, boundary_target, ignored_features
from .terrain_at import centres_inside, elevated, overlap_depth
from .view import Feature, View, outline, query
from .words import FROM, TO, opt

__all__ = ["Cover", "cover_of", "defended"]

BANDS = ("none", "soft", "hard")
FRONT_SAMPLES = 33
"""Points of the shooter's front that are tried besides the critical ones."""


@dataclass(frozen=True)
class Screen:
    """Something that obscures: convex parts, soft or hard, behind it and/or inside it."""

    id: str
    parts: tuple[Array, ...]
    hard: bool
    behind: bool = True
    inside: bool = False
    feature: Feature | None = None


@dataclass(frozen=True)
class Cover:
    band: str
    hard: float
    total: float
    margin: float
    p: tuple[float, float]
    face: str | None
    screens: tuple[str, ...]


def screens(v: View, eye: Model, target: Unit, *, volley: bool = False) -> list[Screen]:
    """All that can obscure the target from this shooter (T9A-COV-3, 4, 6 and the table of features)."""
    out: list[Screen] = []
    aim = boundary_target(target)
    hills = v.of_type("hill")
    lofty = bool(hills) and (
        elevated(v, eye.at) or 2 * len(centres_inside(v, target, hills)[0]) > len(target.models)
    )
    ends = np.concatenate([eye.frame.ring, target.boundary.ring])
    low, high = ends.min(0), ends.max(0)
    for unit in v.units.values():
        if unit.id in (eye.unit_id, target.id) or _beside(unit.footprint, low, high):
            continue
        groups: list[tuple[tuple[Array, ...], Model]]
        if lofty or unit.joined:
            groups = [((m.frame.ring,), m) for m in unit.models if not lofty or elevated(v, m.at)]
            if unit.gap and not lofty:
                groups = [(unit.shade, unit.models[0])]
        else:
            groups = [(unit.shade, unit.models[0])]
        for shape, m in groups:
            if volley and m.height <= eye.height:
                continue
            if m.height == 0 and 2 in (eye.height, target.height):
                continue
            hard = "skirmisher" not in unit.words and blocks(m, eye, aim)
            out.append(Screen(unit.id, shape, hard))
    inside = ignored_features(v, eye)
    towering = target.half_are("towering")
    for f in v.features.values():
        if f.id in inside or _beside(f.footprint, low, high):
            continue
        parts = f.footprint.parts
        match f.type:
            case "field" if not towering:
                out.append(Screen(f.id, parts, False, False, True, f))
            case "forest":
                out.append(Screen(f.id, parts, False, True, True, f))
            case "hill":
                on_it = overlap_depth(target.footprint, f) > EPS
                out.append(Screen(f.id, parts, not on_it, True, False, f))
            case "impassable":
                out.append(Screen(f.id, parts, True, True, False, f))
            case "ruins" if not towering:
                out.append(Screen(f.id, parts, True, False, True, f))
            case "wall" if not towering and defended(v, target, f):
                out.append(Screen(f.id, parts, True, True, False, f))
    return out


def _beside(footprint: Footprint, low: Array, high: Array) -> bool:
    """Whether something lies wholly outside the box around shooter and target: it hides nothing."""
    x0, y0, x1, y1 = footprint.bounds
    return bool(x1 < low[0] or y1 < low[1] or x0 > high[0] or y0 > high[1])


def defended(v: View, unit: Unit, wall: Feature) -> bool:
    """T9A-TER-WALL: more than half of the front edge touches the wall."""
    if unit.round or unit.piece.facing is None:
        return False
    front = shapely.LineString(unit.boundary.edge("front"))
    touching = front.intersection(wall.polygon.buffer(v.touch, join_style="mitre")).length
    return bool(touching - 2 * v.touch > front.length / 2 + SHARE_EPS * front.length) or bool(
        touching >= front.length - EPS
    )


def holes_in(a: Array, b: Array, feature: Feature, shrink: float) -> list[tuple[float, float]]:
    """The stretches of an edge inside a feature, in shares of it."""
    edge = shapely.LineString([a, b])
    shape = shapely.buffer(feature.polygon, -shrink, join_style="mitre")
    cut = shapely.intersection(edge, shape)
    out = []
    for piece in shapely.get_parts(cut):
        if piece.length > EPS:
            ends = [
                edge.project(shapely.Point(c), normalized=True) for c in (piece.coords[0], piece.coords[-1])
            ]
            out.append((min(ends), max(ends)))
    return out


class _Facing:
    """The shadows of all screens on one facing, as functions of where the shooter looks from."""

    def __init__(self, a: Array, b: Array, found: list[Screen], front: Array) -> None:
        self.a, self.b = a, b
        ends = np.concatenate([front, [a, b]])
        hull = shapely.convex_hull(shapely.multipoints(ends))
        low, high = ends.min(0), ends.max(0)
        self.near = [
            s
            for s in found
            if any(
                bool((p.max(0) >= low).all() and (p.min(0) <= high).all())
                and hull.intersects(shapely.Polygon(p))
                for p in s.parts
            )
        ]
        behind = [(k, p) for k, s in enumerate(self.near) if s.behind for p in s.parts]
        self._owner = np.array([k for k, _ in behind], int)
        self._sides = sides(pad([p for _, p in behind])) if behind else None
        self._inside = [
            holes_in(a, b, s.feature, 2 * EPS) if s.feature is not None else [] for s in self.near
        ]

    def _spans(self, p: Array) -> tuple[Array, Any]:
        """Hidden stretches (N, S, 2) and the screen that hides each (S,)."""
        spans, owners = [np.zeros((len(p), 0, 2))], [np.zeros(0, int)]
        if self._sides is not None:
            shadow = shadow_intervals(p, *self._sides, self.a, self.b)
            cut = {k for k, s in enumerate(self.near) if self._inside[k] and not s.inside}
            plain = ~np.isin(self._owner, list(cut))
            spans.append(shadow[:, plain])
            owners.append(self._owner[plain])
            for k in cut:
                rest = minus(shadow[:, self._owner == k], self._inside[k])
                spans.append(rest)
                owners.append(np.full(rest.shape[1], k))
        for k, s in enumerate(self.near):
            if s.inside and self._inside[k]:
                spans.append(np.broadcast_to(np.array(self._inside[k]), (len(p), len(self._inside[k]), 2)))
                owners.append(np.full(len(self._inside[k]), k))
        return np.concatenate(spans, 1), np.concatenate(owners)

    def shares(self, p: Array) -> tuple[Array, Array]:
        """Hard share and whole share obscured, seen from each p."""
        spans, owner = self._spans(p)
        hard = np.array([s.hard for s in self.near], bool)
        return union_length(spans[:, hard[owner]] if len(hard) else spans), union_length(spans)

    def who(self, p: Array) -> tuple[str, ...]:
        """The screens that hide something from p."""
        spans, owner = self._spans(p)
        seen = (spans[..., 1] - spans[..., 0] > SHARE_EPS).any(0)
        return tuple(dict.fromkeys(self.near[k].id for k in owner[seen]))

    def corners(self) -> Array:
        found = [part for s in self.near for part in s.parts]
        return np.concatenate(found) if found else np.empty((0, 2))


def _front_points(frame: Frame, facing: _Facing | None) -> Array:
    """T9A-COV-8: ends of the front, evenly spread points, and every point where shadow edges meet."""
    if frame.round:
        return frame.ring
    a, b = (np.asarray(x) for x in frame.edge("front"))
    shares = [np.linspace(0.0, 1.0, FRONT_SAMPLES)]
    corners = facing.corners() if facing is not None else np.empty((0, 2))
    if facing is not None and len(corners):
        spots = np.concatenate([corners, [facing.a, facing.b, (facing.a + facing.b) / 2]])
        i, j = np.triu_indices(len(spots), 1) if len(spots) <= 60 else (np.arange(0), np.arange(0))
        one, along = spots[i], spots[j] - spots[i]
        edge = b - a
        det = cross(along, edge)
        with np.errstate(divide="ignore", invalid="ignore"):
            s = cross(one - a, along) / -det
        shares.append(s[np.isfinite(s) & (s > 0) & (s < 1)])
    s = np.unique(np.round(np.concatenate(shares), 9))
    return np.asarray(a + s[:, None] * (b - a))


def _least(values: Array, points: Array, again: int, facing: _Facing, whole: bool) -> tuple[float, Array]:
    """The least share, looked for between the best point and its neighbours as well."""
    k = int(values.argmin())
    best, at = float(values[k]), points[k]
    low, high = points[max(k - 1, 0)], points[min(k + 1, len(points) - 1)]
    for _ in range(again):
        tries = low + np.linspace(0, 1, 9)[:, None] * (high - low)
        got = facing.shares(tries)[1 if whole else 0]
        k = int(got.argmin())
        if float(got[k]) < best:
            best, at = float(got[k]), tries[k]
        low, high = tries[max(k - 1, 0)], tries[min(k + 1, 8)]
    return best, at


def cover_of(v: View, eye: Model, target: Unit, *, volley: bool = False, face: str | None = None) -> Cover:
    """The cover that a unit has from one shooting model, on the facing it is located before or on a given one."""
    found = screens(v, eye, target, volley=volley)
    if target.round:
        return _round_cover(eye, target, found)
    frame = target.frame if face is None else target.boundary
    arc_margin = math.inf
    if face is None:
        spot = eye.frame.at if eye.frame.round else eye.frame.front_middle
        face, arc_margin = located(frame, spot)
    a, b = (np.asarray(x) for x in frame.edge(face))
    length = float(np.hypot(*(b - a)))
    facing = _Facing(a, b, found, eye.frame.ring)
    points = _front_points(eye.frame, facing)
    hard, all_ = facing.shares(points)
    h, at_h = _least(hard, points, 3, facing, False)
    t, at_t = _least(all_, points, 3, facing, True)
    if t <= 0.5 + SHARE_EPS:
        band, p = "none", at_t
        margin = abs(0.5 - t) * length
    elif h <= 0.5 + SHARE_EPS:
        band, p = "soft", at_h
        margin = min(t - 0.5, abs(0.5 - h)) * length
    else:
        band, p = "hard", at_h
        margin = (h - 0.5) * length
    if v.camera and arc_margin < margin:
        # near a dividing line another facing may count: that matters only if its cover differs
        others = [f for f in FACES if f != face]
        excess = frame.excess(eye.frame.front_middle)
        other = max(others, key=lambda f: excess[f])
        if cover_of(v, eye, target, volley=volley, face=other).band != band:
            margin = arc_margin
    return Cover(band, h, t, margin, (float(p[0]), float(p[1])), face, facing.who(p[None]))


def _round_cover(eye: Model, target: Unit, found: list[Screen]) -> Cover:
    """T9A-COV-7: the one nearest point of the circle decides."""
    centre, r = np.asarray(target.centre), target.boundary.width / 2
    points = _front_points(eye.frame, None)
    away = centre - points
    far = np.hypot(*away.T)[:, None]
    ends = centre - away / np.maximum(far, 1e-9) * r
    rooms = {True: np.full(len(points), np.inf), False: np.full(len(points), np.inf)}
    for s in found:
        parts = sides(pad(list(s.parts)))
        room = segment_room(points, ends, *parts).min(-1) if s.behind else np.full(len(points), np.inf)
        if s.feature is not None:
            inner = shapely.buffer(s.feature.polygon, -2 * EPS, join_style="mitre")
            into = shapely.contains_xy(inner, ends)
            rim = shapely.distance(s.feature.polygon.exterior, shapely.points(ends))
            if s.inside:
                room = np.where(into, -rim, np.minimum(room, rim))
            else:
                lines = shapely.linestrings(np.stack([points, ends], axis=1))
                cut = through(inner, s.feature.polygon, lines, ends)
                room = np.where(into & ~cut, rim, room)
        rooms[s.hard] = np.minimum(rooms[s.hard], room)
    both = np.minimum(rooms[True], rooms[False])
    hard, any_ = float(rooms[True].max()), float(both.max())
    if any_ >= -2 * EPS:
        band, margin, k = "none", abs(any_), int(both.argmax())
    elif hard >= -2 * EPS:
        band, margin, k = "soft", min(-any_, abs(hard)), int(rooms[True].argmax())
    else:
        band, margin, k = "hard", -hard, int(rooms[True].argmax())
    margin = margin if math.isfinite(margin) else r
    who = tuple(dict.fromkeys(s.id for s in found))
    return Cover(
        band,
        float(band == "hard"),
        float(band != "none"),
        margin,
        (float(points[k][0]), float(points[k][1])),
        None,
        who,
    )


@query(
    "cover",
    {"en": "Which cover does the target have?", "es": "¿Qué cobertura tiene el objetivo?"},
    FROM,
    TO,
    opt("volley", "flag", "Volley Fire", "Tiro Parabólico"),
    rules=tuple(f"T9A-COV-{n}" for n in range(1, 9)),
    phase="shooting",
)
def cover(v: View) -> Finding:
    ref, target = v.ref("from"), v.unit("to")
    if ref.unit is None:
        raise QuestionError.of("t9a-not-a-unit", "from", got=ref.label)
    _ = ref.frame
    volley = bool(v["volley"])
    # a model named by itself answers for itself, whatever its rank; a unit through its front rank
    eyes = list(ref.mates) if len(ref.mates) == 1 else [m for m in ref.mates if m.rank == 1]
    covers = [cover_of(v, m, target, volley=volley) for m in eyes]
    bands = [c.band for c in covers]
    # a whole unit: the cover that most of its front rank meets, the milder one in a tie
    band = max(BANDS, key=lambda b: (bands.count(b), -BANDS.index(b)))
    best = next(c for c in covers if c.band == band)
    steps: list[Message] = []
    if len(eyes) > 1:
        v.note("t9a-cover-most", n=bands.count(band), all=len(bands))
        steps += [
            msg("t9a-cover-model", a=m.id, band=msg(f"t9a-cover-{c.band}"))
            for m, c in zip(eyes, covers, strict=True)
        ]
    if best.face is None:
        reason = msg("t9a-cover-round", b=target.label, band=msg(f"t9a-cover-{band}"))
    else:
        edge = target.boundary.edge(best.face)
        reason = msg(
            "t9a-cover",
            a=ref.label,
            b=target.label,
            face=msg(f"t9a-face-{best.face}"),
            hard=round(best.hard * 100, 1),
            all=round(best.total * 100, 1),
            band=msg(f"t9a-cover-{band}"),
            d=Length(math.dist(*edge)),
        )
    return Finding(
        reason,
        ("T9A-COV-1", "T9A-COV-2", "T9A-COV-5", "T9A-COV-7" if target.round else "T9A-COV-8"),
        band=band,
        margin_mm=min(c.margin for c in covers if c.band == band) if len(eyes) == 1 else best.margin,
        steps=tuple(steps),
        drawing=_drawing(v, best, target),
    )


def _drawing(v: View, best: Cover, target: Unit) -> Drawing:
    out: list[Shape] = [outline(target.boundary)]
    for i in best.screens:
        if i in v.units:
            out += [polygon(p.tolist(), "blocker") for p in v.units[i].shade]
        else:
            out.append(polygon(v.features[i].terrain.outline, "blocker"))
    if best.face is not None:
        a, b = target.boundary.edge(best.face)
        role = "clear" if best.band == "none" else "blocked"
        out += [segment(a, b, "measure"), segment(best.p, a, role), segment(best.p, b, role)]  # type: ignore[arg-type]
    else:
        out.append(segment(best.p, target.centre, "clear" if best.band == "none" else "blocked"))
    return tuple(out)


register(
    {
        "t9a-cover-none": {"en": "no cover", "es": "sin cobertura"},
        "t9a-cover-soft": {"en": "soft cover (-1)", "es": "cobertura ligera (-1)"},
        "t9a-cover-hard": {"en": "hard cover (-2)", "es": "cobertura pesada (-2)"},
        "t9a-cover": {
            "en": "{all} % of the {face} of {b} ({d}) is obscured from {a}, {hard} % of it hard; more than half is needed: {band}.",
            "es": "El {all} % del encaramiento de {b} ({face}, {d}) queda oculto para {a}, el {hard} % del todo; hace falta más de la mitad: {band}.",
        },
        "t9a-cover-round": {
            "en": "{b} is round: the nearest point of its base decides: {band}.",
            "es": "{b} es redonda: decide el punto más próximo de su peana: {band}.",
        },
        "t9a-cover-most": {
            "en": "Cover is found for each shooting model; this is what {n} of {all} in the front rank meet.",
            "es": "La cobertura se mira para cada miniatura que dispara; esto vale para {n} de {all} de la fila frontal.",
        },
        "t9a-cover-model": {"en": "{a}: {band}", "es": "{a}: {band}"},
    }
)
