"""Distance, adjacency and sight: what decides everything else in this game (UW-DIST, UW-LOS)."""

from __future__ import annotations

from ...game import Input
from ...hexes import distance, name, spoken
from ...messages import msg, register
from ...verdict import Answer, Finding
from .battlefield import Battlefield, counted, ids, labels, question
from .inputs import FIGHTER, FROM, MAYBE_TO, TO_HEX

__all__: list[str] = []


@question(
    "range",
    {"en": "How many hexes away?", "es": "¿A cuántos hexágonos?"},
    FROM,
    MAYBE_TO,
    TO_HEX,
    Input(
        "max", "count", {"en": "within how many hexes", "es": "a cuántos hexágonos o menos"}, required=False
    ),
    rules=("UW-DIST-1", "UW-DIST-2"),
    phase="measure",
)
def range_(b: Battlefield) -> Finding:
    """UW-DIST-1, UW-DIST-2."""
    one = b.a.piece("from")
    here, (there, two) = b.hex_of(one), b.place("to", "to_hex")
    steps = b.ground.distance(here, there)
    limit = b.a["max"]
    round_it = steps is not None and steps > distance(here, there)
    rules = ("UW-DIST-1", "UW-DIST-2") if round_it or steps is None else ("UW-DIST-1",)
    answer = None if limit is None else Answer.of(steps is not None and steps <= limit)
    way = b.ground.field.path(here, there, lambda _: True) if steps else ()
    if steps is None:
        reason = msg("uw-no-way", a=one.label, b=two)
    elif limit is None:
        reason = msg("uw-range", a=one.label, b=two, n=steps)
    else:
        reason = msg("uw-range-max", a=one.label, b=two, n=steps, max=limit)
    notes = (msg("uw-range-round", n=distance(here, there)),) if round_it else ()
    return Finding(
        reason,
        rules,
        answer,
        value=steps,
        kind="count",
        limit=limit,
        drawing=(*b.draw(way or (), "path"), *b.draw_line(here, there, "measure")),
        notes=(*notes, *b.off_notes(one)),
    )


@question(
    "line-of-sight",
    {"en": "Does it see?", "es": "¿Lo ve?"},
    FROM,
    MAYBE_TO,
    TO_HEX,
    rules=("UW-LOS-1", "UW-LOS-2", "UW-LOS-3", "UW-LOS-4"),
    phase="measure",
)
def line_of_sight(b: Battlefield) -> Finding:
    """UW-LOS-1 to UW-LOS-4."""
    one = b.a.piece("from")
    here, (there, two) = b.hex_of(one), b.place("to", "to_hex")
    seen = b.sight(here, there)
    outside = [h for h in seen.touched if h not in b.ground.field] if seen.leaves else []
    blockers = [*map(name, seen.blockers), *(("off-board",) if seen.leaves else ())]
    rules = ["UW-LOS-1", *(("UW-LOS-2",) if seen.blockers else ()), *(("UW-LOS-4",) if seen.leaves else ())]
    if seen.clear:
        reason = msg("uw-sees", a=one.label, b=two)
    elif seen.blockers and seen.leaves:
        reason = msg("uw-sees-neither", a=one.label, b=two, hexes=[*map(spoken, seen.blockers)])
    elif seen.blockers:
        reason = msg("uw-sees-blocked", a=one.label, b=two, hexes=[*map(spoken, seen.blockers)])
    else:
        reason = msg("uw-sees-leaves", a=one.label, b=two)
    between = [p for p in b.a.scene.pieces if p.hex in seen.touched[1:-1] and p.hex not in (here, there)]
    return Finding(
        reason,
        (*rules, *(("UW-LOS-3",) if between else ())),
        Answer.of(seen.clear),
        blockers=tuple(blockers),
        drawing=(
            *b.draw((h for h in seen.touched if h in b.ground.field and h not in b.ground.blocked), "zone"),
            *b.draw(seen.blockers, "blocker"),
            *b.draw(outside, "limit"),
            *b.draw_line(here, there, "clear" if seen.clear else "blocked"),
        ),
        steps=(
            msg("uw-step-touches", hexes=[spoken(h) for h in seen.touched]),
            *((msg("uw-step-fighters", who=labels(between)),) if between else ()),
        ),
        notes=b.off_notes(one),
    )


@question(
    "arc",
    {"en": "In its arc?", "es": "¿Está en su arco?"},
    FROM,
    MAYBE_TO,
    rules=("UW-LOS-5",),
    phase="measure",
)
def arc(b: Battlefield) -> Finding:
    """UW-LOS-5."""
    one = b.a.piece("from")
    return Finding(msg("uw-arc", a=one.label), ("UW-LOS-5",), Answer.YES, arc="all")


@question(
    "adjacent",
    {"en": "Adjacent?", "es": "¿Adyacente?"},
    FROM,
    MAYBE_TO,
    TO_HEX,
    rules=("UW-DIST-3",),
    phase="measure",
)
def adjacent(b: Battlefield) -> Finding:
    """UW-DIST-3."""
    one = b.a.piece("from")
    here, (there, two) = b.hex_of(one), b.place("to", "to_hex")
    holds = b.ground.distance(here, there) == 1
    reason = msg("uw-adjacent" if holds else "uw-not-adjacent", a=one.label, b=two)
    drawing = (*b.draw((here, there), "piece"), *b.draw_line(here, there, "contact" if holds else "measure"))
    return Finding(reason, ("UW-DIST-3",), Answer.of(holds), drawing=drawing, notes=b.off_notes(one))


@question(
    "engagement",
    {"en": "Next to an enemy?", "es": "¿Junto a un enemigo?"},
    FROM,
    MAYBE_TO,
    rules=("UW-DIST-3",),
    phase="measure",
)
def engagement(b: Battlefield) -> Finding:
    """UW-DIST-3."""
    one = b.a.piece("from")
    beside = b.enemies(one, b.beside(b.hex_of(one))) if one.kind == "model" else ()
    about = b.a.piece("to") if b.a.given("to") else None
    holds = any(p.id == about.id for p in beside) if about else bool(beside)
    if about:
        reason = msg("uw-engaged-with" if holds else "uw-not-engaged-with", a=one.label, b=about.label)
    else:
        reason = msg("uw-engaged" if holds else "uw-not-engaged", a=one.label, who=labels(beside))
    drawing = (*b.draw_pieces((one,)), *b.draw_pieces(beside, "contact"))
    return Finding(
        reason, ("UW-DIST-3",), Answer.of(holds), ids=ids(beside), drawing=drawing, notes=b.off_notes(one)
    )


@question(
    "visible-hexes",
    {"en": "What does it see?", "es": "¿Qué ve?"},
    FIGHTER,
    rules=("UW-LOS-1", "UW-LOS-2", "UW-LOS-4"),
    phase="measure",
)
def visible_hexes(b: Battlefield) -> Finding:
    """UW-LOS."""
    one = b.a.piece("from")
    seen = b.ground.seen_from(b.hex_of(one))
    return Finding(
        msg("uw-visible", a=one.label, n=len(seen)),
        ("UW-LOS-1", "UW-LOS-2", "UW-LOS-4"),
        value=counted(seen),
        kind="count",
        hexes=seen,
        drawing=(*b.draw(seen), *b.draw_pieces((one,))),
        notes=b.off_notes(one),
    )


register(
    {
        "uw-range": {
            "en": "Distance from {a} to {b} in hexes: {n}, by the shortest way, blocked and occupied hexes counted.",
            "es": "Distancia de {a} a {b} en hexágonos: {n}, por el camino más corto, contando los bloqueados y los ocupados.",
        },
        "uw-range-max": {
            "en": "Distance from {a} to {b} in hexes: {n}, by the shortest way; within {max} means {max} or fewer.",
            "es": "Distancia de {a} a {b} en hexágonos: {n}, por el camino más corto; el límite es {max} o menos.",
        },
        "uw-range-round": {
            "en": "Straight across it would be {n}, but incomplete hexes are not hexes: the count goes round.",
            "es": "En línea recta serían {n}, pero los hexágonos incompletos no cuentan: se rodea.",
        },
        "uw-no-way": {
            "en": "There is no way from {a} to {b} through complete hexes, so there is no distance.",
            "es": "No hay camino de {a} a {b} por hexágonos completos, así que no hay distancia.",
        },
        "uw-sees": {
            "en": "The line from centre to centre, {a} to {b}, touches no blocked hex and stays on the battlefield.",
            "es": "La línea de centro a centro, de {a} a {b}, no toca ningún hexágono bloqueado y no sale del campo de batalla.",
        },
        "uw-sees-blocked": {
            "en": "The line from centre to centre, {a} to {b}, touches the blocked hex {hexes}.",
            "es": "La línea de centro a centro, de {a} a {b}, toca el hexágono bloqueado {hexes}.",
        },
        "uw-sees-leaves": {
            "en": "The line from centre to centre, {a} to {b}, leaves the battlefield.",
            "es": "La línea de centro a centro, de {a} a {b}, sale del campo de batalla.",
        },
        "uw-sees-neither": {
            "en": "The line from centre to centre, {a} to {b}, touches the blocked hex {hexes} and leaves the battlefield.",
            "es": "La línea de centro a centro, de {a} a {b}, toca el hexágono bloqueado {hexes} y sale del campo de batalla.",
        },
        "uw-step-touches": {"en": "The line touches {hexes}.", "es": "La línea toca {hexes}."},
        "uw-step-fighters": {
            "en": "{who} in between: fighters and objective tokens never block sight.",
            "es": "{who} en medio: los guerreros y los marcadores de objetivo nunca bloquean la visión.",
        },
        "uw-arc": {
            "en": "Fighters look in every direction: {a} has no arc.",
            "es": "Los guerreros miran en todas las direcciones: {a} no tiene arco.",
        },
        "uw-adjacent": {"en": "{a} and {b} are in neighbouring hexes.", "es": "{a} y {b} están en hexágonos contiguos."},
        "uw-not-adjacent": {
            "en": "{a} and {b} are not in neighbouring hexes.",
            "es": "{a} y {b} no están en hexágonos contiguos.",
        },
        "uw-engaged": {"en": "Enemies next to {a}: {who}.", "es": "Enemigos junto a {a}: {who}."},
        "uw-not-engaged": {"en": "Enemies next to {a}: {who}.", "es": "Enemigos junto a {a}: {who}."},
        "uw-engaged-with": {
            "en": "{b} is an enemy in a hex next to {a}.",
            "es": "{b} es un enemigo en un hexágono contiguo a {a}.",
        },
        "uw-not-engaged-with": {
            "en": "{b} is not an enemy in a hex next to {a}.",
            "es": "{b} no es un enemigo en un hexágono contiguo a {a}.",
        },
        "uw-visible": {
            "en": "Other hexes that {a} sees: {n}.",
            "es": "Otros hexágonos que ve {a}: {n}.",
        },
    }
)  # fmt: skip
