"""Mage Knight: round bases, measured from centre to centre."""

from __future__ import annotations

import math

from ...drawing import segment
from ...game import Asked, Game, Input, Param
from ...messages import Length, msg, register
from ...verdict import Answer, Finding

GAME = Game(
    id="mage-knight",
    title={"en": "Mage Knight", "es": "Mage Knight"},
    unit="in",
    params=(
        Param(
            "front_arc_deg",
            "angle",
            180,
            {"en": "front arc", "es": "arco frontal"},
            sure=False,
            least=1,
            most=360,
        ),
        Param("rear_arc_deg", "angle", None, {"en": "rear arc", "es": "arco trasero"}, least=0, most=360),
    ),
    table_mm=(1016.0, 1016.0),
)

FROM = Input("from", "piece", {"en": "from", "es": "desde"})
TO = Input("to", "piece", {"en": "to", "es": "hasta"})

SLACK_MM = 1e-6 * 25.4
"""The sheet's numeric slack on every comparison: 1e-6 in."""


@GAME.query(
    "range",
    {"en": "How far?", "es": "¿A qué distancia?"},
    FROM,
    TO,
    Input("range", "length", {"en": "range of the weapon", "es": "alcance del arma"}, required=False),
    rules=("MK-MEAS-1", "MK-RNG-1", "MK-RNG-2"),
)
def range_(a: Asked) -> Finding:
    """MK-MEAS-1, MK-RNG-1, MK-RNG-2."""
    one, two = a.piece("from"), a.piece("to")
    p, q = a.at(one), a.at(two)
    distance_mm = math.dist(p, q)
    drawing = (segment(p, q, "measure"),)
    if not a.given("range"):
        reason = msg("mk-range", a=one.label, b=two.label, d=Length(distance_mm))
        return Finding(
            reason, ("MK-MEAS-1",), value=distance_mm, drawing=drawing, depends=frozenset({one.id, two.id})
        )
    limit_mm: float = a["range"]
    near_mm = math.ceil(limit_mm / 25.4 / 2 - 1e-6) * 25.4
    holds = distance_mm <= limit_mm + SLACK_MM
    band = "out-of-range" if not holds else "point-blank" if distance_mm <= near_mm + SLACK_MM else "in-range"
    reason = msg("mk-range-limit", a=one.label, b=two.label, d=Length(distance_mm), limit=Length(limit_mm))
    return Finding(
        reason,
        ("MK-MEAS-1", "MK-RNG-1", "MK-RNG-2"),
        Answer.of(holds),
        value=distance_mm,
        limit=limit_mm,
        band=band,
        margin_mm=limit_mm - distance_mm,
        drawing=drawing,
        depends=frozenset({one.id, two.id}),
    )


register(
    {
        "mk-range": {
            "en": "{a} and {b}: {d} from centre to centre.",
            "es": "{a} y {b}: {d} de centro a centro.",
        },
        "mk-range-limit": {
            "en": "{a} and {b}: {d} from centre to centre, the range is {limit}.",
            "es": "{a} y {b}: {d} de centro a centro, el alcance es {limit}.",
        },
    }
)
