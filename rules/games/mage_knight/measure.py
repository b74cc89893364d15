"""Distances, arcs and contact: MK-MEAS-1, MK-RNG-1/2 (bands), MK-ARC, MK-CON."""

from __future__ import annotations

import math

from ...checks import set_margin_mm
from ...drawing import Drawing, segment
from ...game import Asked, Input
from ...messages import Angle, Length, msg, register
from ...scene import Piece
from ...units import MM_PER_IN
from ...verdict import Answer, Finding
from .game import CONTACT, FROM, GAME, OTHER_TO, SLACK_MM, TO
from .world import World, draw_arc, draw_piece, near_flipping

ARC_NAMES = {
    "front": {"en": "front", "es": "frontal"},
    "side": {"en": "side", "es": "lateral"},
    "rear": {"en": "rear", "es": "trasero"},
}
MEASURED = ("MK-MEAS-1", "MK-RNG-1", "MK-RNG-2")
ARCS = ("MK-ARC-1", "MK-ARC-2")
CONTACTS = ("MK-CON-1", "MK-CON-2")


def half_range_mm(range_mm: float) -> float:
    """MK-RNG-2: half the range, rounded up to a whole inch."""
    return math.ceil(range_mm / MM_PER_IN / 2 - 1e-6) * MM_PER_IN


@GAME.query(
    "range",
    {"en": "How far?", "es": "¿A qué distancia?"},
    FROM,
    TO,
    Input("range", "length", {"en": "range of the weapon", "es": "alcance del arma"}, required=False),
    rules=MEASURED,
)
def range_(a: Asked) -> Finding:
    """MK-MEAS-1, MK-RNG-1, MK-RNG-2."""
    one, two = a.piece("from"), a.piece("to")
    p, q = a.at(one), a.at(two)
    distance_mm = math.dist(p, q)
    drawing: Drawing = (segment(p, q, "measure"),)
    depends = frozenset({one.id, two.id})
    if not a.given("range"):
        reason = msg("mk-range", a=one.label, b=two.label, d=Length(distance_mm))
        return Finding(reason, ("MK-MEAS-1",), value=distance_mm, drawing=drawing, depends=depends)
    limit_mm: float = a["range"]
    near_mm = half_range_mm(limit_mm)
    holds = distance_mm <= limit_mm + SLACK_MM
    near = holds and distance_mm <= near_mm + SLACK_MM
    band = "point-blank" if near else "in-range" if holds else "out-of-range"
    reason = msg("mk-range-limit", a=one.label, b=two.label, d=Length(distance_mm), limit=Length(limit_mm))
    return Finding(
        reason,
        MEASURED,
        Answer.of(holds),
        value=distance_mm,
        limit=limit_mm,
        band=band,
        margin_mm=limit_mm - distance_mm,
        drawing=drawing,
        steps=(msg("mk-half", d=Length(near_mm), over=Length(distance_mm - near_mm)),),
        depends=depends,
    )


@GAME.query("arc", {"en": "In which arc?", "es": "¿En qué arco?"}, FROM, TO, rules=ARCS)
def arc(a: Asked) -> Finding:
    """MK-ARC-1, MK-ARC-2."""
    world, one, two = World(a), a.piece("from"), a.piece("to")
    point = a.at(two)
    found = world.arc(one, point)
    reason = msg(
        "mk-arc",
        a=one.label,
        b=two.label,
        off=Angle(found.off_deg),
        arc=ARC_NAMES[found.name],
        half=Angle(world.front_deg(one) / 2),
    )
    reach = math.dist(a.at(one), point)
    return Finding(
        reason,
        ("MK-ARC-1",) if found.name == "front" else ARCS,
        arc=found.name,
        margin_mm=found.margin_mm,
        drawing=(*draw_arc(world, one, reach), segment(a.at(one), point, "measure")),
        steps=(msg("mk-arc-border", d=Length(found.margin_mm)),),
        depends=frozenset({one.id, two.id}),
    )


@GAME.query(
    "engagement",
    {"en": "Engaged?", "es": "¿Trabado?"},
    FROM,
    OTHER_TO,
    CONTACT,
    rules=CONTACTS,
    phase="fight",
)
def engagement(a: Asked) -> Finding:
    """MK-CON-1, MK-CON-2: contact between opposing figures at the same level."""
    world, one = World(a), a.piece("from")
    if a.given("to"):
        return _engaged_with(world, one, a.piece("to"))
    found, margins = world.enemies_touching(one)
    enemies = [p.id for p in world.others(one) if world.enemies(one, p)]
    ids = tuple(p.id for p in found)
    key = "mk-engaged" if found else "mk-not-engaged"
    nearest = max((m for m in margins if math.isfinite(m)), default=None)
    return Finding(
        msg(key, a=one.label, ids=[p.label for p in found]) if found else msg(key, a=one.label),
        CONTACTS,
        Answer.of(bool(found)),
        ids=ids,
        margin_mm=_signed(margins, bool(found)),
        drawing=(draw_piece(world, one), *(draw_piece(world, p, "contact") for p in found)),
        steps=() if nearest is None else (msg("mk-gap", d=Length(a.param("contact_tol") - nearest)),),
        depends=near_flipping(world, one, dict(zip(enemies, margins, strict=True))),
    )


def _engaged_with(world: World, one: Piece, two: Piece) -> Finding:
    a = world.asked
    tol: float = a.param("contact_tol")
    gap_mm = world.foot(one).gap(world.foot(two))
    drawing: Drawing = (draw_piece(world, one), draw_piece(world, two, "contact"))
    if not world.enemies(one, two):
        reason = msg("mk-not-enemies", a=one.label, b=two.label)
        return Finding(reason, ("MK-CON-2",), Answer.NO, ids=(), drawing=drawing, depends=frozenset())
    margin = world.touch_mm(one, two)
    holds = margin >= -SLACK_MM
    if not math.isfinite(margin):
        key = "mk-agreed" if holds else "mk-levels"
        reason = msg(key, a=one.label, b=two.label)
    else:
        key = "mk-touch" if holds else "mk-apart"
        reason = msg(key, a=one.label, b=two.label, d=Length(max(gap_mm, 0.0)), tol=Length(tol))
    return Finding(
        reason,
        CONTACTS,
        Answer.of(holds),
        ids=(two.id,) if holds else (),
        margin_mm=margin if math.isfinite(margin) else None,
        drawing=drawing,
        depends=frozenset({one.id, two.id}) if math.isfinite(margin) else frozenset(),
    )


@GAME.query("base-contact", {"en": "What does it touch?", "es": "¿Qué toca?"}, FROM, CONTACT, rules=CONTACTS)
def base_contact(a: Asked) -> Finding:
    """MK-CON-1: pieces of any kind; a soaring figure touches only soaring figures (MK-CON-2, MK-OBJ-2)."""
    world, one = World(a), a.piece("from")
    touched: list[Piece] = []
    margins: dict[str, float] = {}
    for other in a.scene.pieces:
        if other.id != one.id and other.at is not None:
            margin = world.touch_mm(one, other)
            margins[other.id] = margin
            if margin >= -SLACK_MM:
                touched.append(other)
    reason = (
        msg("mk-touches", a=one.label, ids=[p.label for p in touched])
        if touched
        else msg("mk-touches-none", a=one.label)
    )
    return Finding(
        reason,
        CONTACTS,
        ids=tuple(p.id for p in touched),
        margin_mm=set_margin_mm(m for m in margins.values() if math.isfinite(m)),
        drawing=(draw_piece(world, one), *(draw_piece(world, p, "contact") for p in touched)),
        depends=near_flipping(world, one, margins),
    )


def _signed(margins: list[float], holds: bool) -> float | None:
    """The margin of a set of contacts, with the sign of the answer."""
    size = set_margin_mm(m for m in margins if math.isfinite(m))
    return None if size is None else size if holds else -size


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
        "mk-half": {
            "en": "Point blank reaches {d} (half the range, rounded up); the distance is {over} more than that.",
            "es": "A bocajarro llega a {d} (medio alcance, hacia arriba); la distancia lo supera en {over}.",
        },
        "mk-arc": {
            "en": "{b} is {off} off the facing of {a}: in its {arc} arc (the front arc reaches {half} to each side).",
            "es": "{b} está a {off} de la orientación de {a}: en su arco {arc} (el frontal llega a {half} por lado).",
        },
        "mk-arc-border": {
            "en": "The nearest border of that arc is {d} from the centre.",
            "es": "El borde más cercano de ese arco está a {d} del centro.",
        },
        "mk-engaged": {"en": "{a} touches {ids}.", "es": "{a} toca a {ids}."},
        "mk-not-engaged": {"en": "{a} touches no enemy at its level.", "es": "{a} no toca a ningún enemigo a su nivel."},
        "mk-gap": {"en": "The nearest enemy base is {d} away.", "es": "La peana enemiga más cercana está a {d}."},
        "mk-touch": {
            "en": "{a} and {b} touch: the gap is {d}, up to {tol} is contact.",
            "es": "{a} y {b} se tocan: el hueco es {d}, hasta {tol} es contacto.",
        },
        "mk-apart": {
            "en": "{a} and {b} do not touch: the gap is {d}, up to {tol} is contact.",
            "es": "{a} y {b} no se tocan: el hueco es {d}, hasta {tol} es contacto.",
        },
        "mk-not-enemies": {
            "en": "{a} and {b} are not enemies, or one is a captive.",
            "es": "{a} y {b} no son enemigos, o uno está cautivo.",
        },
        "mk-agreed": {
            "en": "The players agree that {a} and {b} touch.",
            "es": "Los jugadores acuerdan que {a} y {b} se tocan.",
        },
        "mk-levels": {
            "en": "Only one of {a} and {b} is soaring: they are never in contact.",
            "es": "Solo uno de {a} y {b} está en vuelo alto: nunca están en contacto.",
        },
        "mk-touches": {"en": "{a} touches {ids}.", "es": "{a} toca {ids}."},
        "mk-touches-none": {"en": "{a} touches nothing.", "es": "{a} no toca nada."},
    }
)  # fmt: skip
