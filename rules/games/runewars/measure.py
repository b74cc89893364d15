"""Ranges: RW-RANGE-1…7, RW-TERR-4."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...drawing import segment
from ...errors import QuestionError
from ...footprint import Footprint
from ...game import Asked, Input
from ...messages import Length, msg, register
from ...plane import Array, gap
from ...verdict import Answer, Finding
from .field import Field, footprint_of
from .game import GAME, SLACK_MM

__all__ = ["Place", "band_text", "place_of"]

PLACE_FROM = Input(
    "from", "place", {"en": "from (unit, terrain, table-edge)", "es": "desde (unidad, terreno, table-edge)"}
)
PLACE_TO = Input(
    "to", "place", {"en": "to (unit, terrain, table-edge)", "es": "hasta (unidad, terreno, table-edge)"}
)

SAMPLE_MM = 0.5
"""Sheet 4.1: where the origin is not convex, the farthest point is looked for at steps of this length."""


@dataclass(frozen=True)
class Place:
    """Something that can be measured to: a unit, terrain, a border, a token or a point."""

    label: str
    foot: Footprint
    pieces: frozenset[str] = frozenset()
    convex: bool = True


def place_of(field: Field, name: Any, where: str) -> Place:
    """What `from` or `to` means: an id, `table-edge`, `table-edge:near|far|left|right` or a point."""
    if not isinstance(name, str):
        return Place("", Footprint((np.array([name], float),)))
    if name == "table-edge":
        parts = tuple(side.parts[0] for side in field.sides.values())
        return Place(name, Footprint(parts), convex=False)
    if name.startswith("table-edge:"):
        side = name.split(":", 1)[1]
        if side not in field.sides:
            known = ", ".join(f"table-edge:{s}" for s in field.sides)
            raise QuestionError.of("fault-one-of", where, limit=known, got=repr(name))
        return Place(name, field.sides[side])
    scene = field.asked.scene
    piece = scene.find(name)
    if piece is not None:
        if piece.kind in ("token", "marker"):
            return Place(piece.label, footprint_of(piece), frozenset({piece.id}))
        unit = field.unit(piece, outline=True)
        convex = len(unit.outline.parts) == 1
        ids = frozenset() if unit.terrain is not None else frozenset({piece.id})
        return Place(piece.label, unit.outline, ids, convex)
    terrain = scene.find_terrain(name)
    if terrain is None:
        known = ", ".join([*(p.id for p in scene.pieces), *(t.id for t in scene.terrain), "table-edge"])
        raise QuestionError.of("input-no-such", where, ids=[name], known=known)
    if terrain.type.startswith("deployment-"):  # RW-RANGE-4: to its border, from either side
        ring = np.asarray(terrain.outline, float)
        ends = np.roll(ring, -1, axis=0)
        return Place(
            terrain.label,
            Footprint(tuple(np.stack([a, b]) for a, b in zip(ring, ends, strict=True))),
            convex=False,
        )
    foot = Footprint.polygon(terrain.outline)
    return Place(terrain.label, foot, convex=len(foot.parts) == 1)


def band_text(band: int | str) -> Any:
    return {"en": "beyond 5", "es": "más allá de 5"} if band == "beyond-5" else str(band)


@GAME.query(
    "range",
    {"en": "How far?", "es": "¿A qué alcance?"},
    PLACE_FROM,
    PLACE_TO,
    rules=("RW-RANGE-1", "RW-RANGE-2", "RW-RANGE-4", "RW-TERR-4"),
)
def range_(a: Asked) -> Finding:
    """RW-RANGE-1, -2, -4: the closest points, and the ruler segment they fall in."""
    field = Field(a)
    one, two = place_of(field, a["from"], "from"), place_of(field, a["to"], "to")
    signed, p, q = one.foot.closest(two.foot)
    distance = max(signed, 0.0)
    band = field.band(distance)
    return Finding(
        msg("rw-range", a=one.label, b=two.label, d=Length(distance), band=band_text(band)),
        ("RW-RANGE-1", "RW-RANGE-2"),
        value=distance,
        band=band,
        margin_mm=field.band_margin_mm(distance),
        drawing=(segment(p, q, "measure"),),
        steps=(msg("rw-band-margin", d=Length(field.band_margin_mm(distance))),),
        depends=one.pieces | two.pieces,
    )


@GAME.query(
    "at-range",
    {"en": "At, within or beyond?", "es": "¿A, dentro de o más allá?"},
    PLACE_FROM,
    PLACE_TO,
    Input("term", "choice", {"en": "word of the effect", "es": "palabra del efecto"}, choices=("at", "within", "beyond")),
    Input("min", "count", {"en": "nearest segment", "es": "segmento más cercano"}, required=False),
    Input("max", "count", {"en": "farthest segment", "es": "segmento más lejano"}, required=False),
    rules=("RW-RANGE-5", "RW-RANGE-6", "RW-RANGE-7"),
)  # fmt: skip
def at_range(a: Asked) -> Finding:
    """RW-RANGE-5…7: the worded terms, by the nearest and farthest point of the unit."""
    field = Field(a)
    low, high = a["min"], a["max"]
    if low is None and high is None:
        raise QuestionError.of("input-missing", "max", title={"en": "segment", "es": "segmento"})
    low, high = (high if low is None else low), (low if high is None else high)
    if not 1 <= low <= high <= 5:
        raise QuestionError.of("rw-segment-order", "min", got=f"{low}–{high}")
    one, two = place_of(field, a["from"], "from"), place_of(field, a["to"], "to")
    signed, p, q = one.foot.closest(two.foot)
    near = max(signed, 0.0)
    far, far_at = farthest(one, two.foot)
    ends = (0.0, *field.segments)
    inner, outer = ends[low - 1], ends[high]
    above = near - inner if low > 1 else math.inf  # must be strictly positive for "within"
    reaches = far - inner if low > 1 else math.inf
    term = a["term"]
    if term == "at":
        margin = min(outer - near, reaches)
        holds = near <= outer + SLACK_MM and (low == 1 or far > inner + SLACK_MM)
        rules: tuple[str, ...] = ("RW-RANGE-5",)
    elif term == "within":
        margin = min(outer - far, above)
        holds = far <= outer + SLACK_MM and (low == 1 or near > inner + SLACK_MM)
        rules = ("RW-RANGE-6",)
    else:
        margin = near - outer
        holds = near > outer + SLACK_MM
        rules = ("RW-RANGE-7",)
    said = str(high) if low == high or term == "beyond" else f"{low}–{high}"
    return Finding(
        msg(
            f"rw-{term}" if holds else f"rw-not-{term}",
            b=two.label,
            a=one.label,
            n=said,
            near=Length(near),
            far=Length(far),
        ),
        rules,
        Answer.of(holds),
        margin_mm=margin,
        drawing=(segment(p, q, "measure"), segment(far_at[0], far_at[1], "note")),
        steps=(msg("rw-lines", inner=Length(inner), outer=Length(outer)),),
        depends=one.pieces | two.pieces,
    )


def farthest(origin: Place, foot: Footprint) -> tuple[float, tuple[Any, Any]]:
    """The largest distance from a place over all points of a footprint, and where."""
    points = foot.corners if origin.convex else _sampled(foot)
    d = gap(points[:, None, None, :], 0.0, origin.foot.padded, origin.foot.radius).min(-1)
    k = int(d.argmax())
    best = Footprint((points[k][None],))
    _, on_origin, on_foot = origin.foot.closest(best)
    return max(float(d[k]), 0.0) + foot.radius, (on_origin, on_foot)


def _sampled(foot: Footprint) -> Array:
    out = [foot.corners]
    for part in foot.parts:
        ends = np.roll(part, -1, axis=0)
        for a, b in zip(part, ends, strict=True):
            steps = max(math.ceil(float(np.hypot(*(b - a))) / SAMPLE_MM), 1)
            out.append(a + (b - a) * (np.arange(1, steps) / steps)[:, None])
    return np.concatenate(out)


register(
    {
        "rw-range": {
            "en": "{a} to {b}: {d} between the closest points, range {band}.",
            "es": "De {a} a {b}: {d} entre los puntos más cercanos, alcance {band}.",
        },
        "rw-band-margin": {
            "en": "The nearest line of the ruler is {d} away.",
            "es": "La línea más cercana de la regla queda a {d}.",
        },
        "rw-segment-order": {
            "en": "expected segments from 1 to 5, the nearest first; got {got}",
            "es": "se esperaban segmentos de 1 a 5, primero el cercano; hay {got}",
        },
        "rw-lines": {"en": "The lines that decide: {inner} and {outer}.", "es": "Las líneas que deciden: {inner} y {outer}."},
        "rw-at": {
            "en": "{b} covers {near} to {far} from {a}: part of it is at range {n}.",
            "es": "{b} cubre de {near} a {far} desde {a}: una parte está a alcance {n}.",
        },
        "rw-not-at": {
            "en": "{b} covers {near} to {far} from {a}: no part is at range {n}.",
            "es": "{b} cubre de {near} a {far} desde {a}: ninguna parte está a alcance {n}.",
        },
        "rw-within": {
            "en": "{b} covers {near} to {far} from {a}: all of it is within range {n}.",
            "es": "{b} cubre de {near} a {far} desde {a}: toda está dentro de alcance {n}.",
        },
        "rw-not-within": {
            "en": "{b} covers {near} to {far} from {a}: not all of it is within range {n}.",
            "es": "{b} cubre de {near} a {far} desde {a}: no toda está dentro de alcance {n}.",
        },
        "rw-beyond": {
            "en": "{b} covers {near} to {far} from {a}: all of it is beyond range {n}.",
            "es": "{b} cubre de {near} a {far} desde {a}: toda está más allá de alcance {n}.",
        },
        "rw-not-beyond": {
            "en": "{b} covers {near} to {far} from {a}: part of it is in range {n} or nearer.",
            "es": "{b} cubre de {near} a {far} desde {a}: una parte está en alcance {n} o más cerca.",
        },
    }
)  # fmt: skip
