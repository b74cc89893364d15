"""Who stands where in a Mage Knight scene: bases, levels, sides, contact, arcs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...arcs import off_angle_deg, sector_margin_mm
from ...drawing import Arc, Disc, Drawing, Segment, Shape, polygon
from ...errors import QuestionError
from ...footprint import Footprint, of_piece
from ...game import Asked
from ...messages import register
from ...plane import direction, point_segment
from ...scene import Circle, Piece, Terrain
from ...sight import inside
from ...units import MM_PER_IN
from .game import GAME, SLACK_MM

__all__ = ["ArcOf", "World", "draw_arc", "draw_piece", "near_flipping"]

Point = tuple[float, float]


@dataclass(frozen=True)
class ArcOf:
    """In which arc a point lies (MK-ARC-1, -2) and how far from the nearest border."""

    name: str
    off_deg: float
    margin_mm: float
    """Distance to the nearest border of the arc that the point is in, never negative."""
    front_mm: float
    """Signed: positive inside the front arc."""
    rear_mm: float
    """Signed: positive inside the rear arc."""


@dataclass(frozen=True)
class World:
    """What the rules of Mage Knight need to know about a scene; everything in millimetres."""

    asked: Asked

    # --- pieces ---------------------------------------------------------------------------------------------

    @cached_property
    def warriors(self) -> tuple[Piece, ...]:
        return tuple(p for p in self.asked.scene.pieces if p.kind in ("model", "unit"))

    def others(self, *but: Piece) -> Iterator[Piece]:
        ids = {p.id for p in but}
        return (p for p in self.warriors if p.id not in ids)

    def at(self, piece: Piece) -> Point:
        return self.asked.at(piece)

    def foot(self, piece: Piece) -> Footprint:
        if piece.base is None:
            return Footprint.disc(self.at(piece), self._default_diameter(piece) / 2)
        return of_piece(piece)

    def foot_at(self, piece: Piece, at: Point) -> Footprint:
        here = self.at(piece)
        return self.foot(piece).moved((at[0] - here[0], at[1] - here[1]))

    def radius(self, piece: Piece) -> float:
        """The radius of a round base; of any other, the circle around it."""
        if isinstance(piece.base, Circle):
            return piece.base.diameter / 2
        if piece.base is None:
            return self._default_diameter(piece) / 2
        foot = self.foot(piece)
        return float(np.hypot(*(foot.corners - np.array(self.at(piece))).T).max())

    def _default_diameter(self, piece: Piece) -> float:
        name = "base_diameter"
        if piece.kind in ("marker", "token"):
            name = "objective_diameter"
        elif piece.has("unique"):
            name = "base_diameter_unique"
        diameter: float = self.asked.param(name)
        return diameter

    def tokens(self, piece: Piece) -> int:
        return self.whole(piece, "action-tokens") or 0

    def whole(self, piece: Piece, trait: str) -> int | None:
        """A trait that must be a whole number."""
        text = piece.trait(trait)
        if text is None:
            return None
        if not text.strip().isdigit():
            raise QuestionError.of("mk-trait-number", f"{piece.id}.{trait}", got=repr(text))
        return int(text)

    def degrees(self, piece: Piece, trait: str) -> float | None:
        text = piece.trait(trait)
        if text is None:
            return None
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0 <= value <= 360:
            raise QuestionError.of("mk-trait-degrees", f"{piece.id}.{trait}", got=repr(text))
        return value

    @cached_property
    def wiggle_mm(self) -> float:
        """Farther than any error bar of this scene reaches: what is beyond it need not be asked again."""
        sigmas = [max(p.sigma.at) for p in self.asked.scene.pieces if p.sigma is not None]
        return 10.0 * max(sigmas, default=0.0)

    # --- sides and levels -----------------------------------------------------------------------------------

    def captive(self, piece: Piece) -> bool:
        return piece.has("captive")

    def captor_of(self, piece: Piece) -> Piece | None:
        """The captive that this piece leads, if any (MK-CLO-5)."""
        return next((p for p in self.warriors if p.trait("captive") == piece.id), None)

    def enemies(self, a: Piece, b: Piece) -> bool:
        known = a.side is not None and b.side is not None
        return known and a.side != b.side and not self.captive(a) and not self.captive(b)

    def friends(self, a: Piece, b: Piece) -> bool:
        return a.side is not None and a.side == b.side and not self.captive(a) and not self.captive(b)

    def soaring(self, piece: Piece) -> bool:
        return piece.has("soaring")

    @cached_property
    def hills(self) -> tuple[Terrain, ...]:
        """Elevated pieces that are not themselves standing on one (MK-LOF-5)."""
        return tuple(t for t in self.asked.scene.terrain if t.has("elevated") and t.on is None)

    def hill_under(self, terrain: Terrain) -> str | None:
        """The hill that a terrain piece is or stands on."""
        seen: set[str] = set()
        while terrain.on is not None and terrain.id not in seen:
            seen.add(terrain.id)
            below = self.asked.scene.find_terrain(terrain.on)
            if below is None:
                return terrain.on
            terrain = below
        return terrain.id if terrain.has("elevated") or seen else None

    def on_hills(self, point: Point) -> frozenset[str]:
        """The hills that a point lies on (closed)."""
        return frozenset(t.id for t in self.hills if self.occupied(t, point))

    @staticmethod
    def occupied(terrain: Terrain, point: Point) -> bool:
        """MK-TER-0: the centre is inside the closed outline."""
        return bool(inside(point, terrain.outline, -SLACK_MM))

    @staticmethod
    def depth_mm(terrain: Terrain, point: Point) -> float:
        """How deep a point is inside an outline; negative outside."""
        ring = np.asarray(terrain.outline, float)
        rim = float(point_segment(np.asarray(point), ring, np.roll(ring, -1, axis=0))[0].min())
        return rim if bool(inside(point, ring, -1e-12)) else -rim

    # --- contact --------------------------------------------------------------------------------------------

    @cached_property
    def agreed(self) -> frozenset[frozenset[str]]:
        """Pairs that touch because the players say so: the input `contact` or a trait `contact:<id>`."""
        pairs = {frozenset((p.id, o)) for p in self.asked.scene.pieces if (o := p.trait("contact"))}
        given = self.asked["contact"]
        if given is not None:
            entries = [given] if _is_pair(given) else given
            if not isinstance(entries, list | tuple) or not all(_is_pair(e) for e in entries):
                raise QuestionError.of("mk-contact-pairs", "contact", got=repr(given)[:80])
            pairs |= {frozenset(e) for e in entries}
        return frozenset(pairs)

    def touch_mm(self, a: Piece, b: Piece, at: Point | None = None) -> float:
        """How far the gap is below `contact_tol` (MK-CON-1, -2): touching when it is not negative.

        `at` puts `a` at another place. Infinite where only levels or an agreement decide.
        """
        if at is None and frozenset((a.id, b.id)) in self.agreed:
            return math.inf
        level_a = self.soaring(a)
        level_b = self.soaring(b)
        if level_a != level_b:
            return -math.inf
        foot = self.foot(a) if at is None else self.foot_at(a, at)
        tol: float = self.asked.param("contact_tol")
        return tol - foot.gap(self.foot(b))

    def touching(self, a: Piece, b: Piece, at: Point | None = None) -> bool:
        return self.touch_mm(a, b, at) >= -SLACK_MM

    def enemies_touching(self, piece: Piece, at: Point | None = None) -> tuple[list[Piece], list[float]]:
        """Enemies in contact at the same level, captives excluded, and the margins of all enemies."""
        found, margins = [], []
        for other in self.others(piece):
            if self.enemies(piece, other):
                margin = self.touch_mm(piece, other, at)
                margins.append(margin)
                if margin >= -SLACK_MM:
                    found.append(other)
        return found, margins

    # --- arcs -----------------------------------------------------------------------------------------------

    def front_deg(self, piece: Piece) -> float:
        own = self.degrees(piece, "front-arc")
        angle: float = self.asked.param("front_arc_deg") if own is None else own
        return angle

    def rear_deg(self, piece: Piece) -> float:
        own = self.degrees(piece, "rear-arc")
        if own is not None:
            return own
        given: float | None = self.asked.params.get("rear_arc_deg")
        return 360.0 - self.front_deg(piece) if given is None else given

    def arc(self, piece: Piece, point: Point, rules: tuple[str, ...] = ("MK-ARC-1", "MK-ARC-2")) -> ArcOf:
        facing = self.asked.facing(piece, rules)
        at = self.at(piece)
        off = float(off_angle_deg(at, facing, point))
        front = float(sector_margin_mm(at, facing, self.front_deg(piece), point))
        rear = float(sector_margin_mm(at, facing + 180.0, self.rear_deg(piece), point))
        if math.dist(at, point) <= SLACK_MM:
            return ArcOf("front", 0.0, 0.0, 0.0, -math.inf)
        if front >= -SLACK_MM:
            return ArcOf("front", off, max(front, 0.0), front, rear)
        if rear > SLACK_MM:
            return ArcOf("rear", off, min(rear, abs(front)), front, rear)
        return ArcOf("side", off, min(abs(front), abs(rear)), front, rear)

    # --- table ----------------------------------------------------------------------------------------------

    @property
    def size(self) -> Point:
        table = self.asked.scene.table
        if table is None:
            width, depth = GAME.table_mm or (0.0, 0.0)
            return width, depth
        return table.width, table.depth

    def vanguard(self, edge: str) -> tuple[Point, Point]:
        """The far long side of a deployment zone (MK-SET-2)."""
        w, d = self.size
        near, side = 3 * MM_PER_IN, 8 * MM_PER_IN
        return {
            "near": ((side, near), (w - side, near)),
            "far": ((side, d - near), (w - side, d - near)),
            "left": ((near, side), (near, d - side)),
            "right": ((w - near, side), (w - near, d - side)),
        }[edge]

    @property
    def deploy_edges(self) -> tuple[str, ...]:
        edges = self.asked.param("deploy_edges")
        known = ("near", "far", "left", "right")
        if not isinstance(edges, list | tuple) or any(e not in known for e in edges):
            raise QuestionError.of(
                "fault-one-of", "params.deploy_edges", limit=", ".join(known), got=repr(edges)
            )
        return tuple(edges)


def near_flipping(world: World, piece: Piece, margins: Mapping[str, float]) -> frozenset[str]:
    """The piece itself and those whose margins an error could bring to zero or to the least of them."""
    sizes = {i: abs(m) for i, m in margins.items() if math.isfinite(m)}
    least = min(sizes.values(), default=0.0)
    return frozenset({piece.id, *(i for i, m in sizes.items() if m <= least + world.wiggle_mm)})


def _is_pair(entry: Any) -> bool:
    return isinstance(entry, list | tuple) and len(entry) == 2 and all(isinstance(e, str) for e in entry)


def draw_piece(world: World, piece: Piece, role: str = "piece") -> Shape:
    foot = world.foot(piece)
    if foot.is_disc:
        return Disc((float(foot.parts[0][0, 0]), float(foot.parts[0][0, 1])), foot.radius, role)  # type: ignore[arg-type]
    return polygon(foot.geometry.exterior.coords[:-1], role)  # type: ignore[arg-type]


def draw_arc(world: World, piece: Piece, reach_mm: float) -> Drawing:
    """The two lines of the front arc and the rim between them."""
    if piece.facing is None:
        return ()
    at, half = world.at(piece), world.front_deg(piece) / 2
    rim = Arc(at, reach_mm, piece.facing - half, piece.facing + half, "zone")
    if half >= 180:
        return (rim,)
    lines = [
        Segment(at, _along(at, direction(piece.facing + turn) * reach_mm), "limit") for turn in (-half, half)
    ]
    return (rim, *lines)


def _along(at: Point, by: Sequence[float] | Any) -> Point:
    return at[0] + float(by[0]), at[1] + float(by[1])


register(
    {
        "mk-trait-number": {"en": "expected a whole number, got {got}", "es": "se esperaba un número entero, hay {got}"},
        "mk-trait-degrees": {
            "en": "expected degrees from 0 to 360, got {got}",
            "es": "se esperaban grados de 0 a 360, hay {got}",
        },
        "mk-contact-pairs": {
            "en": "expected pairs of ids, for example [[\"a\", \"b\"]]; got {got}",
            "es": "se esperaban parejas de ids, por ejemplo [[\"a\", \"b\"]]; hay {got}",
        },
    }
)  # fmt: skip
