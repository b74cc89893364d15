"""Outlines of scene pieces in table millimetres, for comparing what was seen with what is there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from regla.rules import Piece
from regla.rules.scene import Circle, Hex, Polygon, Rect

__all__ = ["Shape", "shape_of"]


@dataclass(frozen=True, eq=False)
class Shape:
    """A core and a radius around it: circles are exact."""

    core: shapely.Geometry
    radius_mm: float = 0.0

    @property
    def area(self) -> shapely.Geometry:
        return self.core.buffer(self.radius_mm, quad_segs=32) if self.radius_mm else self.core

    def iou(self, other: Shape) -> float:
        a, b = self.area, other.area
        union = a.union(b).area
        return float(a.intersection(b).area / union) if union > 0 else 0.0

    def distance(self, other: Shape) -> float:
        return max(0.0, float(self.core.distance(other.core)) - self.radius_mm - other.radius_mm)


def shape_of(piece: Piece, turn_deg: float | None = None) -> Shape | None:
    """The outline of a piece, a unit as its whole block; `turn_deg` where the facing is unknown."""
    if piece.at is None or piece.base is None:
        return None
    base = piece.base
    if isinstance(base, Circle):
        return Shape(shapely.Point(piece.at), base.diameter / 2)
    turn = np.radians(piece.facing if piece.facing is not None else turn_deg or 0.0)
    right, forward = np.array([np.sin(turn), -np.cos(turn)]), np.array([np.cos(turn), np.sin(turn)])
    if isinstance(base, Rect):
        files = piece.files or 1
        ranks = -(-(piece.count or 1) // files) if piece.kind == "unit" else 1
        w, d = base.width * files / 2, base.depth * ranks / 2
        local = np.array([[-w, d], [w, d], [w, -d], [-w, -d]])
        ring = np.array(piece.at) + local[:, :1] * right + local[:, 1:] * forward
    elif isinstance(base, Hex):
        angle = turn + np.radians(30 + 60 * np.arange(6))
        ring = np.array(piece.at) + base.across_flats / 3**0.5 * np.column_stack(
            [np.cos(angle), np.sin(angle)]
        )
    elif isinstance(base, Polygon):
        points = np.array(base.points)
        ring = np.array(piece.at) + points[:, :1] * forward - points[:, 1:] * right
    else:
        return None
    return Shape(shapely.Polygon(ring))
