"""Where units stand on terrain: touching, inside, completely inside, and how many base centres."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import shapely

from ...footprint import Footprint
from .blocks import Model, Unit
from .frames import Point
from .numbers import EPS
from .view import Feature, View

__all__ = ["centre_depth", "centres_inside", "completely_depth", "elevated", "overlap_depth", "overlaps"]


def centre_depth(p: Point, features: Sequence[Feature]) -> float:
    """How deep a point is inside the nearest of these outlines; negative is how far outside."""
    best = -math.inf
    spot = shapely.Point(p)
    for f in features:
        d = float(shapely.distance(f.polygon.exterior, spot))
        best = max(best, d if shapely.covers(f.polygon, spot) else -d)
    return best


def centres_inside(v: View, unit: Unit, features: Sequence[Feature]) -> tuple[list[Model], float]:
    """T9A-TER-MAJ: the models whose base centre is inside (outline included), and the deciding depth.

    The depth is that of the centre that makes or breaks "more than half": positive where more than half are in.
    """
    models = list(unit.models)
    depths = [centre_depth(m.at, features) for m in models]
    inside = [m for m, d in zip(models, depths, strict=True) if d >= -EPS]
    deciding = sorted(depths, reverse=True)[len(models) // 2]
    return inside, deciding


def elevated(v: View, at: Point) -> bool:
    """T9A-LOS-6: a base centre on a hill, its outline included."""
    x, y = at
    for hill in v.of_type("hill"):
        x0, y0, x1, y1 = hill.footprint.bounds
        if x0 - EPS <= x <= x1 + EPS and y0 - EPS <= y <= y1 + EPS and centre_depth(at, [hill]) >= -EPS:
            return True
    return False


def overlap_depth(footprint: Footprint, feature: Feature) -> float:
    """T9A-CON-5 *inside*: how deep the areas overlap; negative is the gap between them."""
    return -footprint.gap(feature.footprint)


def overlaps(footprint: Footprint, feature: Feature) -> bool:
    """Whether the areas overlap; most do not, and their bounds tell."""
    a, b = footprint.bounds, feature.footprint.bounds
    if a[0] >= b[2] or a[2] <= b[0] or a[1] >= b[3] or a[3] <= b[1]:
        return False
    return overlap_depth(footprint, feature) > EPS


def completely_depth(footprint: Footprint, outline: shapely.Polygon) -> float:
    """T9A-CON-5 *completely inside*: distance to the outline; negative is how far the shape sticks out."""
    geometry = footprint.geometry
    if outline.buffer(EPS).covers(geometry):
        return float(shapely.distance(outline.exterior, geometry.exterior))
    points = np.asarray(geometry.exterior.coords)
    out = shapely.distance(outline, shapely.points(points)).max()
    # no corner is outside: the outline cuts into an edge
    return -float(out) if out > EPS else -float(geometry.difference(outline).area) / max(geometry.length, 1.0)
