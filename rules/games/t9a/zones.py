"""The deployment zones as areas and as limits on a whole unit (T9A-DEP-1 … 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import shapely

from ...errors import QuestionError
from .blocks import Unit
from .numbers import EPS, INCH
from .view import View

__all__ = ["Zone", "zone_of"]

FRONTLINE = 12 * INCH
COUNTERTHRUST = 8 * INCH
ENCIRCLE_NEAR = 9 * INCH
ENCIRCLE_FAR = 15 * INCH
REFUSED = 9 * INCH
OTHER = {
    "near": "far",
    "far": "near",
    "left": "right",
    "right": "left",
    "attacker": "defender",
    "defender": "attacker",
}


@dataclass(frozen=True)
class Zone:
    """One player's zone on this board."""

    deployment: str
    zone: str
    width: float
    depth: float
    own_short_edge: str | None = None
    role: str | None = None
    diagonal: str | None = None

    def opponent(self) -> Zone:
        edge = OTHER[self.own_short_edge] if self.own_short_edge else None
        role = OTHER[self.role] if self.role else None
        return Zone(self.deployment, OTHER[self.zone], self.width, self.depth, edge, role, self.diagonal)

    def _from_centre(self, y: float) -> float:
        """Distance to the Centre Line on the own side; negative on the other."""
        return self.depth / 2 - y if self.zone == "near" else y - self.depth / 2

    def _from_diagonal(self, x: float, y: float) -> float:
        """Distance to the diagonal, positive on the side of the zone's long edge."""
        w, d = self.width, self.depth
        across = d * x - w * y if self.diagonal == "rising" else w * (d - y) - d * x
        near = across / math.hypot(w, d)
        return near if self.zone == "near" else -near

    def _from_their_edge(self, x: float) -> float:
        """Distance to the opponent's short edge."""
        return self.width - x if self.own_short_edge == "left" else x

    def depth_of(self, unit: Unit) -> float:
        """How far inside the zone the whole unit is (negative: how far its worst part is outside).

        All limits are strict; the board's edges may be touched.
        """
        points = self._points(unit)
        return min(self._limit(points, x, y) for x, y in points)

    @staticmethod
    def _points(unit: Unit) -> list[tuple[float, float]]:
        frame = unit.boundary
        return [(float(x), float(y)) for x, y in (frame.ring if frame.round else frame.corners)]

    def border_of(self, unit: Unit) -> float:
        """How far the unit is from another limit: in Encircle, from reaching or leaving an outer quarter."""
        if self.deployment != "encircle":
            return math.inf
        xs = [x for x, _ in self._points(unit)]
        quarter = self.width / 4
        lines = (quarter, self.width - quarter)
        return min(abs(x - line) for x in (min(xs), max(xs)) for line in lines)

    def _limit(self, points: list[tuple[float, float]], x: float, y: float) -> float:
        c = self._from_centre(y)
        match self.deployment:
            case "frontline-clash" | "marching-columns":
                return c - FRONTLINE
            case "dawn-assault":
                return min(c - FRONTLINE, self._from_their_edge(x) - self.width / 4)
            case "counterthrust":
                return c - COUNTERTHRUST
            case "refused-flank":
                return self._from_diagonal(x, y) - REFUSED
        return c - self._encircle(points)

    def _encircle(self, points: list[tuple[float, float]]) -> float:
        """T9A-DEP-4, judged for the whole unit (A-23)."""
        quarter = self.width / 4
        xs = [x for x, _ in points]
        left, right = max(xs) <= quarter + EPS, min(xs) >= self.width - quarter - EPS
        part = min(xs) <= quarter + EPS or max(xs) >= self.width - quarter - EPS
        if self.role == "attacker":
            return ENCIRCLE_NEAR if left or right else ENCIRCLE_FAR
        return ENCIRCLE_FAR if part else ENCIRCLE_NEAR

    @property
    def area(self) -> shapely.Polygon:
        """The zone as an area of the board."""
        w = self.width
        match self.deployment:
            case "frontline-clash" | "marching-columns":
                return self._strip(0, w, FRONTLINE)
            case "dawn-assault":
                low, high = (0, w * 3 / 4) if self.own_short_edge == "left" else (w / 4, w)
                return self._strip(low, high, FRONTLINE)
            case "counterthrust":
                return self._strip(0, w, COUNTERTHRUST)
            case "refused-flank":
                return self._corner()
        outer, inner = (
            (ENCIRCLE_NEAR, ENCIRCLE_FAR) if self.role == "attacker" else (ENCIRCLE_FAR, ENCIRCLE_NEAR)
        )
        q = w / 4
        strips = [self._strip(0, q, outer), self._strip(q, w - q, inner), self._strip(w - q, w, outer)]
        return shapely.unary_union(strips)

    def _strip(self, low: float, high: float, from_centre: float) -> shapely.Polygon:
        depth = self.depth / 2 - from_centre
        if self.zone == "near":
            return shapely.box(low, 0, high, depth)
        return shapely.box(low, self.depth - depth, high, self.depth)

    def _corner(self) -> shapely.Polygon:
        board = np.array([(0, 0), (self.width, 0), (self.width, self.depth), (0, self.depth)], float)
        keep: list[tuple[float, float]] = []
        for i in range(4):
            (ax, ay), (bx, by) = board[i], board[(i + 1) % 4]
            a, b = self._from_diagonal(ax, ay) - REFUSED, self._from_diagonal(bx, by) - REFUSED
            if a >= 0:
                keep.append((ax, ay))
            if (a >= 0) != (b >= 0):
                t = a / (a - b)
                keep.append((ax + t * (bx - ax), ay + t * (by - ay)))
        return shapely.Polygon(keep)


def zone_of(v: View, zone: str, deployment: str | None = None) -> Zone:
    """The zone that the question names; what its deployment type needs must be given."""
    kind = deployment or v["deployment"]
    need = {"dawn-assault": "own_short_edge", "encircle": "role", "refused-flank": "diagonal"}.get(kind)
    if need is not None and v[need] is None:
        title = {"en": f"needed for {kind}", "es": f"hace falta para {kind}"}
        raise QuestionError.of("input-missing", need, title=title)
    w, d = v.board
    return Zone(kind, zone, w, d, v["own_short_edge"], v["role"], v["diagonal"])
