"""Turn templates: RW-MOVE-7."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ...drawing import segment
from ...errors import QuestionError
from ...game import Asked, Input
from ...messages import Angle, Length, msg, register
from ...plane import rotate
from ...verdict import Finding
from .field import Field, Unit, draw_unit
from .game import GAME, UNIT
from .measure import band_text, place_of
from .move import DURING

TURN = Input("turn", "choice", {"en": "turn", "es": "giro"}, choices=("left", "right"))
CURVE = Input("template", "text", {"en": "turn template", "es": "plantilla de giro"}, required=False)


def _turned(a: Asked, field: Field, unit: Unit) -> tuple[Unit, float, float]:
    """RW-MOVE-7: the unit at the end of a turn template."""
    turn = a.param("turn")
    if isinstance(turn, Mapping) and a.given("template"):
        turn = turn.get(a["template"], turn)
    good = isinstance(turn, Mapping) and all(_number(turn.get(k)) for k in ("angle", "radius"))
    if not good:
        raise QuestionError.of("rw-turn-param", "params.turn", got=repr(turn)[:80])
    angle, radius = float(turn["angle"]), a.mm(float(turn["radius"]))
    right, left = unit.front
    if a["turn"] == "left":
        centre, by = left + radius * unit.block.left, angle
    else:
        centre, by = right - radius * unit.block.left, -angle
    at = rotate(np.asarray(unit.block.at), centre, by)
    facing = float(np.mod(unit.block.facing_deg + by, 360.0))
    return unit.placed((float(at[0]), float(at[1])), facing), facing, radius


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


@GAME.query(
    "turn-pose",
    {"en": "Where does a turn end?", "es": "¿Dónde acaba un giro?"},
    UNIT,
    TURN,
    CURVE,
    DURING,
    rules=("RW-MOVE-7",),
    phase="move",
    premeasures=True,
)
def turn_pose(a: Asked) -> Finding:
    """RW-MOVE-7: the new facing; obstacles are not looked for."""
    field = Field(a)
    unit = field.named("unit")
    end, facing, _ = _turned(a, field, unit)
    return Finding(
        msg("rw-turned", a=unit.label, deg=Angle(facing)),
        ("RW-MOVE-7",),
        value=facing,
        kind="angle",
        at=end.block.at,
        drawing=(draw_unit(unit), draw_unit(end, "path")),
        depends=frozenset({unit.id}),
    )


@GAME.query(
    "turn-range",
    {"en": "How far after a turn?", "es": "¿A qué alcance tras un giro?"},
    UNIT,
    TURN,
    Input("to", "place", {"en": "to", "es": "hasta"}),
    CURVE,
    DURING,
    rules=("RW-MOVE-7", "RW-RANGE-1"),
    phase="move",
    premeasures=True,
)
def turn_range(a: Asked) -> Finding:
    """RW-MOVE-7, RW-RANGE-1: the distance from the end of a turn template."""
    field = Field(a)
    unit = field.named("unit")
    end, _, _ = _turned(a, field, unit)
    place = place_of(field, a["to"], "to")
    signed, p, q = end.outline.closest(place.foot)
    distance = max(signed, 0.0)
    band = field.band(distance)
    return Finding(
        msg("rw-turned-range", a=unit.label, b=place.label, d=Length(distance), band=band_text(band)),
        ("RW-MOVE-7", "RW-RANGE-1"),
        value=distance,
        band=band,
        margin_mm=field.band_margin_mm(distance),
        drawing=(draw_unit(unit), draw_unit(end, "path"), segment(p, q, "measure")),
        depends=place.pieces | {unit.id},
    )


register(
    {
        "rw-turn-param": {
            "en": "expected {{\"angle\": degrees, \"radius\": length}}, got {got}",
            "es": "se esperaba {{\"angle\": grados, \"radius\": longitud}}, hay {got}",
        },
        "rw-turned": {"en": "After the turn {a} faces {deg}; obstacles were not looked for.", "es": "Tras el giro {a} mira a {deg}; no se han buscado obstáculos."},
        "rw-turned-range": {
            "en": "After the turn {a} is {d} from {b}, range {band}; obstacles were not looked for.",
            "es": "Tras el giro {a} queda a {d} de {b}, alcance {band}; no se han buscado obstáculos.",
        },
    }
)  # fmt: skip
