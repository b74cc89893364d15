"""Pursuit: the first thing that the front edge meets, and where the move ends (T9A-PUR-3 and 4)."""

from __future__ import annotations

import math

from ...drawing import Drawing, polygon, segment
from ...messages import Length, msg, register
from ...plane import Array
from ...verdict import Finding
from .blocks import Unit
from .flight import convex_obstacles, edge_distance, too_near
from .frames import Frame, norm_deg
from .near import obstacles
from .numbers import EPS, SPACING
from .view import Feature, View, outline, query
from .words import COMBAT, EXEMPT, FROM, need, opt

__all__ = ["ahead_of", "first_met"]

FACING = need("facing", "angle", "direction of the fled unit", "dirección de la unidad que huyó")
DISTANCE = need("distance", "length", "pursuit roll", "tirada de persecución")
FLED = opt("fled", "json", "enemies that fled from this combat", "enemigos que huyeron de este combate")
ORDER = ("board-edge", "enemy", "obstruction")


def ahead_of(frame: Frame, parts: list[Array], radius: float) -> tuple[float, float]:
    """How far the front edge of a unit can go before it meets an obstacle, and the width of the meeting.

    The obstacle's convex parts are cut to the strip that the front sweeps; infinite where it is beside it.
    The second number is how deep the obstacle reaches into the strip from the side (negative: how far off).
    """
    half, top = frame.width / 2, frame.depth / 2
    best, depth = math.inf, -math.inf
    for part in parts:
        own = [frame.own((float(x), float(y))) for x, y in part]
        xs, ys = [p[0] for p in own], [p[1] - top for p in own]
        if radius:
            x, y = xs[0], ys[0]
            into = half - (abs(x) - radius)
            depth = max(depth, into)
            if into > EPS:
                aside = max(0.0, abs(x) - half)
                rise = math.sqrt(max(0.0, radius * radius - aside * aside))
                if y + rise >= -EPS:
                    best = min(best, max(0.0, y - rise))
            continue
        cut = _clip(list(zip(xs, ys, strict=True)), half)
        into = min(max(xs) + half, half - min(xs))
        if max(ys) >= -EPS:
            depth = max(depth, into)
        if cut and into > EPS and max(y for _, y in cut) >= -EPS:
            best = min(best, max(0.0, min(y for _, y in cut)))
    return best, depth


def _clip(ring: list[tuple[float, float]], half: float) -> list[tuple[float, float]]:
    """A convex ring cut to |x| ≤ half."""
    for sign in (1.0, -1.0):
        out: list[tuple[float, float]] = []
        for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1], strict=True):
            a, b = half - sign * ax, half - sign * bx
            if a >= 0:
                out.append((ax, ay))
            if (a >= 0) != (b >= 0):
                t = a / (a - b)
                out.append((ax + t * (bx - ax), ay + t * (by - ay)))
        ring = out
        if not ring:
            break
    return ring


def _kind(
    v: View, unit: Unit, other: Unit | Feature, combat: tuple[str, ...], fled: tuple[str, ...]
) -> str | None:
    if isinstance(other, Feature):
        return "obstruction"
    if other.id in fled:
        return "obstruction"
    if v.are_enemies(unit, other):
        return "enemy"
    return None if other.id in combat else "obstruction"


def first_met(
    v: View, unit: Unit, frame: Frame, distance: float, combat: tuple[str, ...], fled: tuple[str, ...]
) -> tuple[str, list[str], float, float]:
    """T9A-PUR-3: band, ids, way to it, and the margin of that answer."""
    ends = [frame.at] if frame.round else list(frame.edge("front"))
    edge = edge_distance(v, ends, frame.forward, frame.width / 2 if frame.round else 0.0)
    met: list[tuple[float, int, str]] = [(edge, 0, "")]
    border = [abs(distance - edge)]
    for other in obstacles(v, unit):
        kind = _kind(v, unit, other, combat, fled)
        if kind is None:
            continue
        way, depth = ahead_of(frame, list(other.footprint.parts), other.footprint.radius)
        border.append(abs(depth) if math.isfinite(depth) else math.inf)
        if math.isfinite(way):
            met.append((way, ORDER.index(kind), other.id))
            border.append(abs(distance - way))
    met.sort()
    nearest = met[0][0]
    if nearest > distance + EPS:
        return "none", [], distance, min(border)
    at_once = [m for m in met if m[0] <= nearest + EPS]
    first = min(k for _, k, _ in at_once)
    others = [m[0] for m in met if m[1] != first]
    if others:
        border.append(abs(min(others) - nearest))
    ids = [i for _, k, i in at_once if k == first and i]
    return ORDER[first], ids, nearest, min(border)


def _setup(v: View) -> tuple[Unit, Frame, float, tuple[str, ...], tuple[str, ...]]:
    unit = v.unit()
    _ = unit.frame
    frame = Frame(unit.centre, norm_deg(v["facing"]), unit.boundary.width, unit.boundary.depth, unit.round)
    return unit, frame, v["distance"], v.named("combat"), v.named("fled")


def _drawing(v: View, unit: Unit, frame: Frame, way: float, ids: list[str]) -> Drawing:
    front = frame.edge("front")
    ahead = frame.moved(0.0, way).edge("front")
    things = [v.units[i].boundary.ring.tolist() for i in ids if i in v.units]
    things += [v.features[i].terrain.outline for i in ids if i in v.features]
    return (
        outline(unit.boundary),
        outline(frame, "path"),
        polygon((*front, *ahead[::-1]), "zone"),
        segment(frame.front_middle, frame.moved(0.0, way).front_middle, "path"),
        *(polygon(t, "blocker") for t in things),
    )


@query(
    "pursuit",
    {"en": "What does the pursuit meet first?", "es": "¿Qué encuentra primero la persecución?"},
    FROM,
    FACING,
    DISTANCE,
    COMBAT,
    FLED,
    rules=("T9A-PUR-3",),
    phase="flight",
)
def pursuit(v: View) -> Finding:
    unit, frame, distance, combat, fled = _setup(v)
    band, ids, way, margin = first_met(v, unit, frame, distance, combat, fled)
    return Finding(
        msg(f"t9a-pursuit-{band}", a=unit.label, ids=ids or "–", d=Length(way)),
        ("T9A-PUR-3",),
        value=way,
        band=band,
        ids=tuple(ids),
        margin_mm=margin,
        drawing=_drawing(v, unit, frame, way, ids),
    )


@query(
    "pursuit-end",
    {"en": "Where does the pursuit end?", "es": "¿Dónde acaba la persecución?"},
    FROM,
    FACING,
    DISTANCE,
    COMBAT,
    FLED,
    EXEMPT,
    rules=("T9A-PUR-3", "T9A-PUR-4"),
    phase="flight",
)
def pursuit_end(v: View) -> Finding:
    unit, frame, distance, combat, fled = _setup(v)
    band, ids, way, margin = first_met(v, unit, frame, distance, combat, fled)
    rules = ("T9A-PUR-3", "T9A-PUR-4")
    if band in ("board-edge", "enemy"):
        reason = msg(f"t9a-pursuit-{band}", a=unit.label, ids=ids or "–", d=Length(way))
        return Finding(reason, rules, band=band, ids=tuple(ids), margin_mm=margin)
    parts = convex_obstacles(obstacles(v, unit, v.named("exempt")))
    end = way
    spans = [s for p in parts if (s := too_near(frame, p, 0.0, SPACING)) is not None]
    for low, high in sorted(spans, key=lambda s: -s[1]):
        if low + EPS < end < high - EPS:
            end = low
    end = max(0.0, end)
    return Finding(
        msg("t9a-pursuit-end", a=unit.label, d=Length(end), way=Length(way), limit=Length(SPACING)),
        rules,
        value=end,
        band=band,
        ids=tuple(ids),
        margin_mm=margin,
        drawing=(*_drawing(v, unit, frame, way, ids), outline(frame.moved(0.0, end), "path")),
    )


register(
    {
        "t9a-pursuit-board-edge": {
            "en": "{a} leaves the board after {d} ({ids}).",
            "es": "{a} sale del tablero tras {d} ({ids}).",
        },
        "t9a-pursuit-enemy": {
            "en": "{a} meets {ids} after {d} and charges.",
            "es": "{a} se encuentra con {ids} tras {d} y carga.",
        },
        "t9a-pursuit-obstruction": {
            "en": "{a} is stopped by {ids} after {d}.",
            "es": "{a} se detiene ante {ids} tras {d}.",
        },
        "t9a-pursuit-none": {
            "en": "Nothing is in the way of {a} for {d} ({ids}).",
            "es": "Nada estorba a {a} en {d} ({ids}).",
        },
        "t9a-pursuit-end": {
            "en": "{a} goes {way} and steps back to {d}, where {limit} to everything is kept.",
            "es": "{a} recorre {way} y retrocede hasta {d}, donde guarda {limit} con todo.",
        },
    }
)
