"""Who stands where in a Runewars scene: units of trays, occupied terrain, borders, contact."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import shapely

from ...contact import Border, block_borders, corner_hits, corners_of, ring_borders, stretches
from ...drawing import Role, Shape, polygon
from ...errors import QuestionError, Unknown
from ...footprint import Block, Footprint, of_piece
from ...game import Asked
from ...messages import msg, register
from ...plane import Array, gap
from ...scene import Piece, Rect, Terrain
from .game import GAME, SLACK_MM

__all__ = ["TEMPLATES", "Field", "Unit", "draw_unit", "outline_of", "tray_name"]

TEMPLATES = 5
"""Sheet 1.1: straight templates exist for speeds 1 to 5 unless the players say otherwise."""

NEAREST = ("token-owner",)
"""Questions for the nearest unit: none is too far off to matter."""

STRETCH_MM = 1.0
"""RW-ENG-3: borders in contact along more than this share a stretch."""

EDGE_NAMES = {
    "front": {"en": "front edge", "es": "borde frontal"},
    "left-flank": {"en": "left side edge", "es": "borde lateral izquierdo"},
    "right-flank": {"en": "right side edge", "es": "borde lateral derecho"},
    "rear": {"en": "rear edge", "es": "borde trasero"},
    "choice": {"en": "edge that the player chooses", "es": "borde que elija el jugador"},
}

Point = tuple[float, float]


def tray_name(rank: int, file: int) -> str:
    return f"r{rank}f{file}"


@dataclass(frozen=True)
class Unit:
    """A unit: its block of trays, or the terrain that it occupies and that stands for it (RW-TERR-2)."""

    piece: Piece
    block: Block
    terrain: Terrain | None = None
    faced: bool = True
    """False where the camera knows how the trays lie but not which side is the front: enough to be measured to, or to stand
    in the way."""

    @property
    def id(self) -> str:
        return self.piece.id

    @property
    def label(self) -> str:
        return self.piece.label

    @cached_property
    def outline(self) -> Footprint:
        """What the unit is measured to: its trays, or the outline of the terrain it occupies (RW-TERR-4)."""
        return self.block.footprint if self.terrain is None else Footprint.polygon(self.terrain.outline)

    @cached_property
    def borders(self) -> list[Border]:
        """RW-UNIT-1; an occupant shows its front edge all around (RW-ENG-4)."""
        if self.terrain is not None:
            return ring_borders(self.terrain.outline, "front")
        self._need_front()
        return block_borders(self.block)

    @cached_property
    def front(self) -> tuple[Array, Array]:
        """The front edge, right and left end."""
        self._need_front()
        return self.block.rectangle[0], self.block.rectangle[1]

    def _need_front(self) -> None:
        if not self.faced:
            raise Unknown(msg("facing-unknown", who=self.label), ("RW-GEO-1",))

    def placed(self, at: Point, facing_deg: float) -> Unit:
        """The same unit somewhere else, on the table."""
        return Unit(self.piece, replace(self.block, at=at, facing_deg=facing_deg))

    def shifted(self, by: Array) -> Unit:
        x, y = self.block.at
        return self.placed((x + float(by[0]), y + float(by[1])), self.block.facing_deg)

    def tray_footprints(self) -> list[Footprint]:
        return [Footprint((corners,)) for corners in self.block.slot_corners]


@dataclass(frozen=True)
class Field:
    """The scene as the rules of Runewars see it."""

    asked: Asked

    # --- units and terrain ------------------------------------------------------------------------------------

    def unit(self, piece: Piece, outline: bool = False) -> Unit:
        """Raises `Unknown` without a facing, unless the unit is in terrain, where it does not matter.

        Where only the `outline` is asked for, how the trays lie (`turn`, from the camera) is enough.
        """
        terrain = self._occupied(piece)
        facing = piece.facing
        if facing is None:
            if terrain is None and outline and piece.turn is not None:
                return Unit(piece, self.block(piece, piece.turn), faced=False)
            if terrain is None:
                raise Unknown(msg("facing-unknown", who=piece.label), ("RW-GEO-1",))
            facing = 0.0
        return Unit(piece, self.block(piece, facing), terrain)

    def block(self, piece: Piece, facing_deg: float) -> Block:
        width, depth = self.tray(piece)
        count = piece.count if piece.count else 1
        files = min(piece.files or 1, count)
        return Block(
            self.asked.at(piece), facing_deg, width, depth, files, count, 0.0, self._last_rank(piece)
        )

    def tray(self, piece: Piece) -> tuple[float, float]:
        if piece.base is None:
            return self.asked.param("base.width"), self.asked.param("base.depth")
        if not isinstance(piece.base, Rect):
            raise Unknown(msg("rw-tray-shape", who=piece.label))
        return piece.base.width, piece.base.depth

    def _last_rank(self, piece: Piece) -> tuple[int, ...] | None:
        text = piece.trait("last-rank")
        if text is None:
            return None
        try:
            files = tuple(int(part) for part in text.split(",") if part.strip())
        except ValueError:
            files = ()
        count, across = piece.count or 1, piece.files or 1
        left = count % across
        good = len(set(files)) == len(files) and all(1 <= f <= across for f in files)
        if not good or (left and len(files) != left):
            raise QuestionError.of(
                "rw-last-rank", f"{piece.id}.last-rank", n=left, files=across, got=repr(text)
            )
        return files

    def _occupied(self, piece: Piece) -> Terrain | None:
        name = piece.trait("occupies")
        if name is None:
            return None
        terrain = self.asked.scene.find_terrain(name)
        if terrain is None:
            known = ", ".join(t.id for t in self.asked.scene.terrain) or "-"
            raise QuestionError.of("input-no-such", f"{piece.id}.occupies", ids=[name], known=known)
        return terrain

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """All units that can matter: one whose facing is unknown may still be too far off, whichever way it faces."""
        found = (p for p in self.asked.scene.pieces if p.kind in ("unit", "model"))
        return tuple(
            self.unit(p, outline=True) for p in found if p.facing is not None or not self._out_of_the_way(p)
        )

    def reach_mm(self, piece: Piece) -> float:
        """The circle around a unit, whichever way it faces."""
        block = self.block(piece, 0.0)
        return 0.5 * math.hypot(block.whole_width_mm, block.whole_depth_mm)

    @cached_property
    def _stage(self) -> Any:
        """All ground that the question can touch: around and between the pieces it names, and where they can go."""
        scene, spots, room = self.asked.scene, [], 0.0
        names = {v for v in self.asked.values.values() if isinstance(v, str)}
        for p in scene.pieces:
            if p.id in names and p.kind in ("unit", "model"):
                reach = self.reach_mm(p)
                spots.append(shapely.Point(self.asked.at(p)).buffer(reach))
                ground = self._occupied(p)
                spots += [] if ground is None else [shapely.Polygon(ground.outline)]
                room = max(room, 2 * reach, *self._templates_mm(p))
        if not spots:
            return None
        hull = shapely.unary_union(spots).convex_hull
        return hull.buffer(room + self.contact_tol + self.wiggle_mm + STRETCH_MM)

    def _templates_mm(self, piece: Piece) -> tuple[float, ...]:
        given: tuple[float, ...] = self.asked.params.get("straight") or ()
        return given or (TEMPLATES * max(self.tray(piece)),)

    def _out_of_the_way(self, piece: Piece) -> bool:
        """Whether a unit of unknown facing is beyond everything that the question can touch."""
        if self._occupied(piece) is not None or self.asked.query.name in NEAREST:
            return False
        stage = self._stage
        if stage is None or piece.id in self.asked.values.values():
            return False
        return bool(stage.distance(shapely.Point(self.asked.at(piece))) > self.reach_mm(piece))

    def others(self, *but: Unit) -> Iterator[Unit]:
        ids = {u.id for u in but}
        return (u for u in self.units if u.id not in ids)

    def named(self, name: str = "from", outline: bool = False) -> Unit:
        return self.unit(self.asked.piece(name), outline)

    @cached_property
    def terrain(self) -> tuple[Terrain, ...]:
        """Terrain proper: deployment zones are no obstacles."""
        return tuple(t for t in self.asked.scene.terrain if not t.type.startswith("deployment-"))

    def occupant(self, terrain: Terrain) -> Unit | None:
        units = (p for p in self.asked.scene.pieces if p.kind in ("unit", "model"))
        return next((self.unit(p) for p in units if p.trait("occupies") == terrain.id), None)

    @staticmethod
    def enemies(a: Unit, b: Unit) -> bool:
        one, two = a.piece.side, b.piece.side
        return one is not None and two is not None and one != two

    @staticmethod
    def allies(a: Unit, b: Unit) -> bool:
        return a.piece.side is not None and a.piece.side == b.piece.side

    @cached_property
    def size(self) -> Point:
        table = self.asked.scene.table
        if table is None:
            assert GAME.table_mm is not None
            return GAME.table_mm
        return table.width, table.depth

    @cached_property
    def sides(self) -> dict[str, Footprint]:
        """The borders of the play area."""
        w, d = self.size
        corner = {
            "near": [(0.0, 0.0), (w, 0.0)],
            "far": [(0.0, d), (w, d)],
            "left": [(0.0, 0.0), (0.0, d)],
            "right": [(w, 0.0), (w, d)],
        }
        return {name: Footprint((np.array(points),)) for name, points in corner.items()}

    def inside_mm(self, foot: Footprint) -> float:
        """How far a footprint is inside the play area; negative: how far it sticks out (RW-AREA-1)."""
        w, d = self.size
        x0, y0, x1, y1 = foot.bounds
        return min(x0, y0, w - x1, d - y1)

    # --- measures ---------------------------------------------------------------------------------------------

    @property
    def contact_tol(self) -> float:
        tol: float = self.asked.param("contact_tol")
        return tol

    @cached_property
    def segments(self) -> tuple[float, ...]:
        ends: tuple[float, ...] = self.asked.param("segments")
        if len(ends) != 5 or any(b <= a for a, b in zip((0.0, *ends), ends, strict=False)):
            raise QuestionError.of("rw-segments", "params.segments", got=list(ends))
        return ends

    def band(self, distance_mm: float) -> int | str:
        """RW-RANGE-1: a dividing line belongs to the nearer segment."""
        for n, end in enumerate(self.segments, 1):
            if distance_mm <= end + SLACK_MM:
                return n
        return "beyond-5"

    def band_margin_mm(self, distance_mm: float) -> float:
        return min(abs(distance_mm - end) for end in self.segments)

    def touch_mm(self, a: Footprint, b: Footprint) -> float:
        """How far the gap is below `contact_tol`: touching when it is not negative (RW-GEO-3)."""
        return self.contact_tol - a.gap(b)

    def engaged_mm(self, a: Unit, b: Unit) -> float:
        """RW-ENG-1, -2, -4: margin of two enemies being engaged; minus infinity for allies."""
        if not self.enemies(a, b):
            return -math.inf
        if a.terrain is not None and b.terrain is not None and a.terrain.id == b.terrain.id:
            return -math.inf
        return self.touch_mm(a.outline, b.outline)

    def engaged(self, a: Unit, b: Unit) -> bool:
        return self.engaged_mm(a, b) >= -SLACK_MM

    def engaged_with(self, unit: Unit) -> tuple[list[Unit], dict[str, float]]:
        """Enemies engaged with a unit, and the margins of all enemies."""
        margins = {o.id: self.engaged_mm(unit, o) for o in self.others(unit) if self.enemies(unit, o)}
        return [o for o in self.others(unit) if margins.get(o.id, -math.inf) >= -SLACK_MM], margins

    @cached_property
    def wiggle_mm(self) -> float:
        """Farther than any error bar of this scene moves a corner: what is beyond it need not be asked again."""
        most = 0.0
        for p in self.asked.scene.pieces:
            if p.sigma is not None:
                reach = (
                    0.5 * math.hypot(*(max(p.files or 1, p.count or 1) * s for s in self.tray(p)))
                    if _flat(p)
                    else 0
                )
                most = max(most, max(p.sigma.at) + math.radians(p.sigma.facing) * reach)
        return 10.0 * most

    def near_flipping(self, unit: Unit, margins: dict[str, float]) -> frozenset[str]:
        sizes = {i: abs(m) for i, m in margins.items() if math.isfinite(m)}
        least = min(sizes.values(), default=0.0)
        return frozenset({unit.id, *(i for i, m in sizes.items() if m <= least + self.wiggle_mm)})

    # --- edges in contact -------------------------------------------------------------------------------------

    def shared(self, x: Unit, y: Unit) -> list[tuple[str, str, float]]:
        """RW-ENG-3: (edge of x, edge of y, common length), longest first."""
        tol, angle = self.contact_tol, self.asked.param("angle_tol")
        found = stretches(x.borders, y.borders, tol + SLACK_MM, angle, STRETCH_MM)
        lengths: dict[tuple[str, str], float] = {}
        for s in found:
            key = (s.mine.edge, s.other.edge)
            lengths[key] = lengths.get(key, 0.0) + s.length
        return sorted(((a, b, n) for (a, b), n in lengths.items()), key=lambda item: -item[2])

    def touching(self, x: Unit, y: Unit) -> bool:
        return self.touch_mm(x.outline, y.outline) >= -SLACK_MM

    def edges(self, x: Unit, y: Unit) -> tuple[str, ...]:
        """The edges of x contacted by y, the main one first (RW-ENG-3, -4, -5); empty: not in contact.

        Where two edges tie for a corner, `choice` comes first and both follow.
        """
        if not self.touching(x, y):
            return ()
        if x.terrain is not None:
            return ("front",)
        common = self.shared(x, y)
        if common:
            return tuple(dict.fromkeys(edge for edge, _, _ in common))
        tol = self.contact_tol + SLACK_MM
        inner = corner_hits(x.borders, corners_of(y.borders), tol, SLACK_MM)
        if inner:
            return tuple(dict.fromkeys(border.edge for border, _, _ in inner))
        corner = self.corner_met(x, y)
        if corner is None:
            return ()
        return self.ruler(y, corner)[0]

    def corner_met(self, x: Unit, y: Unit) -> tuple[Array, Border, Border] | None:
        """The corner of x that touches y."""
        found = [
            (float(gap(c[0][None, None], 0.0, y.outline.padded, 0.0).min()), i, c)
            for i, c in enumerate(corners_of(x.borders))
        ]
        if not found:
            return None
        distance, _, best = min(found, key=lambda item: item[:2])
        return best if distance <= self.contact_tol + SLACK_MM else None

    def ruler(
        self, mover: Unit, corner: tuple[Array, Border, Border]
    ) -> tuple[tuple[str, ...], Border | None]:
        """RW-SQ-2: the ruler laid from a corner over the moving unit; which border it squares up to.

        Gives the edge names (with `choice` first for a tie) and the border, None for a tie.
        """
        point, one, two = corner
        u = one.normal + two.normal
        u = u / np.hypot(*u)
        v = np.array([-u[1], u[0]])
        half = max(self.asked.param("ruler_width") / 2, 0.0)
        counts = {1: 0, -1: 0}
        for tray in mover.block.slot_corners:
            if not _in_strip(tray, point, u, v, half):
                side = float((tray.mean(0) - point) @ v)
                counts[1 if side > 0 else -1] += 1
        sides = {(1 if float(b.normal @ v) > 0 else -1): b for b in (one, two)}
        if counts[1] == counts[-1] or len(sides) < 2:
            return ("choice", one.edge, two.edge), None
        chosen = sides[1 if counts[1] > counts[-1] else -1]
        return (chosen.edge,), chosen


def _flat(piece: Piece) -> bool:
    return piece.base is None or isinstance(piece.base, Rect)


def _in_strip(tray: Array, point: Array, u: Array, v: Array, half_mm: float) -> bool:
    """Whether the interior of a tray meets the strip ahead of a point: the shadows overlap in every direction."""
    ahead, aside = (tray - point) @ u, (tray - point) @ v
    if ahead.max() <= SLACK_MM or aside.min() >= half_mm - SLACK_MM or aside.max() <= -half_mm + SLACK_MM:
        return False
    # the strip as a long rectangle; its sides and the tray's are the only directions that can part them
    reach = float(np.abs(ahead).max()) * 2 + 1000.0
    width = max(half_mm, 1e-9)
    strip = np.stack(
        [point - width * v, point - width * v + reach * u, point + width * v + reach * u, point + width * v]
    )
    return (
        float(gap(tray, 0.0, strip, 0.0)) < -SLACK_MM if half_mm > 0 else _ray_enters(tray, point, u, reach)
    )


def _ray_enters(tray: Array, point: Array, u: Array, reach: float) -> bool:
    from ...sight import enters

    return bool(enters(point, point + reach * u, tray, SLACK_MM))


def draw_unit(unit: Unit, role: Role = "piece") -> Shape:
    return outline_of(unit.outline, role)


def outline_of(foot: Footprint, role: Role) -> Shape:
    """The outline of a footprint; of one in several pieces, the outline around them all."""
    geometry: Any = foot.geometry
    ring = geometry.exterior if geometry.geom_type == "Polygon" else geometry.convex_hull.exterior
    return polygon(list(ring.coords)[:-1], role)


def footprint_of(piece: Piece) -> Footprint:
    """A token or marker: its base, or its centre where it has none."""
    if piece.base is None or (piece.facing is None and not hasattr(piece.base, "diameter")):
        assert piece.at is not None
        return Footprint((np.array([piece.at], float),))
    return of_piece(piece)


register(
    {
        "rw-tray-shape": {
            "en": "{who} does not stand on square trays: give it a base of shape rect.",
            "es": "{who} no está sobre bandejas cuadradas: dele una base de forma rect.",
        },
        "rw-last-rank": {
            "en": "expected {n} different files from 1 to {files}, for example last-rank:1,3; got {got}",
            "es": "se esperaban {n} columnas distintas de 1 a {files}, por ejemplo last-rank:1,3; hay {got}",
        },
        "rw-segments": {
            "en": "expected five lengths, each larger than the one before; got {got}",
            "es": "se esperaban cinco longitudes, cada una mayor que la anterior; hay {got}",
        },
    }
)  # fmt: skip
