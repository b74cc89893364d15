"""How far, how near, which range band (T9A-DIST-1 … 5, T9A-SHT-3 and 4)."""

from __future__ import annotations

from ...messages import Length, Message, msg, register
from ...verdict import Answer, Finding
from .numbers import EPS
from .view import Ref, View, closest_line, query
from .words import FROM, TO, opt

__all__ = ["band_of", "distance"]


def distance(one: Ref, two: Ref) -> float:
    """T9A-DIST-1: between the nearest points, 0 where they overlap; 0 to itself (T9A-DIST-2)."""
    if one.id == two.id and one.kind == two.kind:
        return 0.0
    return max(0.0, one.footprint.gap(two.footprint))


def band_of(distance_mm: float, weapon_mm: float) -> str:
    """T9A-SHT-4: more than half of the maximum is long range."""
    if distance_mm > weapon_mm + EPS:
        return "out"
    return "long" if distance_mm > weapon_mm / 2 + EPS else "short"


def band_margin(distance_mm: float, weapon_mm: float) -> float:
    """Distance to the nearest border between bands."""
    return min(abs(distance_mm - weapon_mm), abs(distance_mm - weapon_mm / 2))


@query(
    "range",
    {"en": "How far is it?", "es": "¿A qué distancia está?"},
    FROM,
    TO,
    opt("within", "length", "within this distance?", "¿a esta distancia o menos?"),
    opt("more_than", "length", "more than this distance away?", "¿a más de esta distancia?"),
    opt("weapon_range", "length", "range of the weapon", "alcance del arma"),
    rules=("T9A-DIST-1", "T9A-DIST-2", "T9A-DIST-3", "T9A-DIST-4", "T9A-DIST-5", "T9A-SHT-3", "T9A-SHT-4"),
)
def range_(v: View) -> Finding:
    one, two = v.ref("from"), v.ref("to")
    away, line = closest_line(one.footprint, two.footprint)
    if one.id == two.id and one.kind == two.kind:
        away = 0.0
    basis = "T9A-DIST-5" if one.kind == "model" or two.kind == "model" else "T9A-DIST-4"
    rules = ["T9A-DIST-1", basis]
    answer: Answer | None = None
    margin: float | None = None
    band: str | None = None
    limit: float | None = None
    steps: list[Message] = [msg("t9a-measured", a=one.label, b=two.label, d=Length(away))]
    if v.given("within"):
        limit = v["within"]
        margin = limit - away
        answer = Answer.of(away <= limit + EPS)
        rules.append("T9A-DIST-2")
        steps.append(msg("t9a-within", d=Length(away), limit=Length(limit)))
    if v.given("more_than"):
        limit = v["more_than"]
        more = away - limit
        margin = more if margin is None else min(margin, more)
        beyond = Answer.of(away > limit + EPS)
        answer = beyond if answer in (None, Answer.YES) else answer
        rules.append("T9A-DIST-3")
        steps.append(msg("t9a-more-than", d=Length(away), limit=Length(limit)))
    if v.given("weapon_range"):
        weapon: float = v["weapon_range"]
        band = band_of(away, weapon)
        border = band_margin(away, weapon)
        margin = border if margin is None else min(margin, border, key=abs)
        limit = limit if limit is not None else weapon
        rules += ["T9A-SHT-3", "T9A-SHT-4"]
        steps.append(msg(f"t9a-band-{band}", d=Length(away), limit=Length(weapon), half=Length(weapon / 2)))
    return Finding(
        steps[-1] if len(steps) > 1 else steps[0],
        tuple(rules),
        answer,
        value=away,
        limit=limit,
        band=band,
        margin_mm=margin,
        drawing=(line,),
        steps=tuple(steps),
        depends=v.depends(one.unit, two.unit) | v.ids_of(one.id, two.id),
    )


register(
    {
        "t9a-measured": {
            "en": "{a} to {b}: {d} between the nearest points.",
            "es": "De {a} a {b}: {d} entre los puntos más próximos.",
        },
        "t9a-within": {
            "en": "Nearest points {d} apart; within {limit} includes exactly {limit}.",
            "es": "Puntos más próximos a {d}; a {limit} incluye exactamente {limit}.",
        },
        "t9a-more-than": {
            "en": "Nearest points {d} apart; it must be more than {limit}.",
            "es": "Puntos más próximos a {d}; tiene que ser más de {limit}.",
        },
        "t9a-band-short": {
            "en": "{d} is not more than half ({half}) of the {limit} range: short range.",
            "es": "{d} no pasa de la mitad ({half}) del alcance de {limit}: corto alcance.",
        },
        "t9a-band-long": {
            "en": "{d} is more than half ({half}) of the {limit} range: long range.",
            "es": "{d} pasa de la mitad ({half}) del alcance de {limit}: largo alcance.",
        },
        "t9a-band-out": {
            "en": "{d} is beyond the {limit} range (half of it is {half}).",
            "es": "{d} queda fuera del alcance de {limit} (la mitad es {half}).",
        },
    }
)
