"""Who touches whom: units, models, across gaps, round bases (T9A-CON-1 … 4, T9A-MEL-1).

Pure geometry on units; the questions are in `melee`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .arcs import located
from .blocks import Model, Unit
from .frames import FACES, Frame, turn_between
from .numbers import EPS
from .view import View

__all__ = ["Meeting", "engaged_with", "meeting", "model_contacts", "touching_faces"]


@dataclass(frozen=True)
class Meeting:
    """How two units stand to each other: the gap of their rectangles, the touching sides, the angle between.

    `side` is the touched side of the first, `back` of the second, named as the two are stated; `face` and `other` are the same
    as facings, for which their fronts must be known. `aligned` says whether the two are parallel; a round base needs no alignment.
    """

    units: tuple[Unit, Unit]
    gap: float
    side: str
    back: str
    aligned: bool
    turn_deg: float
    assumed: bool = False
    corner: bool = False
    """Corner to corner: the fronts decided which sides count (A-24)."""

    @property
    def face(self) -> str:
        """The touched facing of the first."""
        self._need_fronts(0)
        return self.side

    @property
    def other(self) -> str:
        """The touched facing of the second."""
        self._need_fronts(1)
        return self.back

    def _need_fronts(self, whose: int) -> None:
        for unit in self.units if self.corner else self.units[whose : whose + 1]:
            unit.need_front()

    def touching(self, touch: float) -> bool:
        return self.gap <= touch


def _off_square(one: Frame, two: Frame) -> float:
    """The angle between the facings of two rectangles, to the nearest quarter: 0 to 45 degrees."""
    turn = abs(turn_between(one.facing, two.facing)) % 90.0
    return min(turn, 90.0 - turn)


def touching_faces(one: Frame, two: Frame) -> list[tuple[float, float, str, str]]:
    """Facing pairs of two (nearly) parallel rectangles that could touch: (gap, overlap along, face, other)."""
    x, y = one.own(two.at)
    quarter = round(turn_between(one.facing, two.facing) / 90.0) % 4
    wide, deep = (two.width, two.depth) if quarter % 2 == 0 else (two.depth, two.width)
    over_x = one.width / 2 + wide / 2 - abs(x)
    over_y = one.depth / 2 + deep / 2 - abs(y)
    out = []
    for face, gap, along in (
        ("front" if y >= 0 else "rear", -over_y, over_x),
        ("right-flank" if x >= 0 else "left-flank", -over_x, over_y),
    ):
        # the other's facing that looks back: its normal is opposite to this one's
        back = (FACES.index(face) + 2 - quarter) % 4
        out.append((gap, along, face, FACES[back]))
    return out


def meeting(v: View, one: Unit, two: Unit) -> Meeting:
    """T9A-CON-1, T9A-MEL-1: gap, touched facings and alignment of two units."""
    gap = one.footprint.gap(two.footprint)
    a, b = one.boundary, two.boundary
    if a.round or b.round:
        face = located(a, b.at)[0]
        other = located(b, a.at)[0]
        return Meeting((one, two), gap, face, other, True, 0.0, EPS < gap <= v.touch)
    turn = _off_square(a, b)
    pairs = touching_faces(a, b)
    reach = max(v.touch, 0.0) + (math.sin(math.radians(turn)) * max(a.width, a.depth, b.width, b.depth))
    near = [p for p in pairs if p[0] <= reach and p[1] >= -reach]
    # corner to corner both pairs qualify: the charger's front decides
    charging = two if "charging" in two.words and "charging" not in one.words else one
    near = near or pairs
    deepest = max(p[0] for p in near)
    candidates = [p for p in near if p[0] >= deepest - reach]

    def rank(p: tuple[float, float, str, str]) -> tuple[bool, bool, float]:
        first, second = (p[2], p[3]) if charging is one else (p[3], p[2])
        return first == "front", second == "front", p[1]

    corner = len(candidates) > 1 and min(abs(p[1]) for p in candidates) <= reach
    best = max(candidates, key=rank if corner else lambda p: p[0])
    assumed = (EPS < gap <= v.touch) or (turn > 0.01 and turn <= v.parallel_deg and gap <= v.touch)
    return Meeting((one, two), gap, best[2], best[3], turn <= v.parallel_deg, turn, assumed, corner)


def engaged_with(v: View, one: Unit, two: Unit) -> Meeting | None:
    """T9A-MEL-1: enemies in base contact and aligned."""
    if not v.are_enemies(one, two):
        return None
    if math.dist(one.centre, two.centre) > _reach(one) + _reach(two) + v.touch:
        return None
    m = meeting(v, one, two)
    return m if m.touching(v.touch) and m.aligned else None


def _reach(u: Unit) -> float:
    b = u.boundary
    return math.hypot(b.width, b.depth) / 2


def is_engaged(v: View, unit: Unit) -> bool:
    """By its word, or because it touches an enemy that it is aligned with."""
    if unit.has("engaged"):
        return True
    return not unit.has("fleeing") and any(
        engaged_with(v, unit, e) for e in v.enemies(unit) if not e.has("fleeing")
    )


@dataclass(frozen=True)
class _Span:
    """A base along the common edge: its interval, and how far its near edge is from the line of contact."""

    model: Model
    low: float
    high: float
    near: float
    far: float


def _spans(unit: Unit, along: tuple[float, float], out: tuple[float, float]) -> list[_Span]:
    spans = []
    for m in unit.models:
        if m.frame.round:
            t = m.at[0] * along[0] + m.at[1] * along[1]
            n = m.at[0] * out[0] + m.at[1] * out[1]
            r = m.frame.width / 2
            spans.append(_Span(m, t - r, t + r, n + r, n - r))
            continue
        ts = [p[0] * along[0] + p[1] * along[1] for p in m.frame.corners]
        ns = [p[0] * out[0] + p[1] * out[1] for p in m.frame.corners]
        spans.append(_Span(m, min(ts), max(ts), max(ns), min(ns)))
    return spans


def _covered(span: _Span, mates: list[_Span], unit: Unit, touch: float) -> bool:
    """Whether a model's edge towards the enemy is wholly covered by bases of its own unit (T9A-CON-3, A-11)."""
    reach = unit.gap + touch
    ahead = [m for m in mates if m is not span and abs(m.far - span.near) <= reach]
    if unit.gap:
        middle = (span.low + span.high) / 2
        return any(m.low - touch <= middle <= m.high + touch for m in ahead)
    at = span.low
    for m in sorted(ahead, key=lambda m: m.low):
        if m.low <= at + touch:
            at = max(at, m.high)
    return at >= span.high - touch


def model_contacts(v: View, one: Unit, two: Unit) -> list[tuple[Model, Model]]:
    """The pairs of models of two units that are in contact (T9A-CON-2, 3, 4)."""
    m = meeting(v, one, two)
    if not m.touching(v.touch):
        return []
    if not m.aligned:
        return [
            (p, q)
            for p in one.models
            for q in two.models
            if p.frame.footprint.gap(q.frame.footprint) <= v.touch
        ]
    a, b = one.boundary, two.boundary
    if a.round and b.round:
        return [(one.models[0], two.models[0])]
    if a.round:
        return [(q, p) for p, q in model_contacts(v, two, one)]
    # the line of contact lies along the touched facing of `one`; `out` looks from it to `two`
    quarter = FACES.index(m.side)
    f = a.turned(90.0 * quarter).forward
    along = (f[1], -f[0])
    mine, theirs = _spans(one, along, f), _spans(two, along, (-f[0], -f[1]))
    slack = EPS if m.turn_deg <= 0.01 else v.touch
    pairs = []
    for s in mine:
        if _covered(s, mine, one, slack):
            continue
        for e in theirs:
            if _covered(e, theirs, two, slack):
                continue
            if _straight_line(s, e, mine, theirs, slack):
                pairs.append((s.model, e.model))
    return pairs


def _straight_line(s: _Span, e: _Span, mine: list[_Span], theirs: list[_Span], slack: float) -> bool:
    """A perpendicular line from one to the other that goes through the inside of no other base."""
    low, high = max(s.low, e.low), min(s.high, e.high)
    if low > high + slack:
        return False
    if low > high:
        low = high = (low + high) / 2
    between = [m for m in mine if m is not s and m.near > s.near + slack]
    between += [m for m in theirs if m is not e and m.near > e.near + slack]
    spots = [low, high]
    spots += [t for m in between for t in (m.low, m.high) if low - slack <= t <= high + slack]
    return any(
        all(not (m.low + slack < t < m.high - slack) for m in between)
        for t in (min(max(t, low), high) for t in spots)
    )
