"""Steps and moves of the dwarves (SR-MOVE, SR-GRAPH, SR-UPG-2)."""

from __future__ import annotations

from itertools import pairwise

from ...errors import Unknown
from ...game import Input
from ...messages import Message, msg, register
from ...verdict import Answer, Finding
from .fortress import CHAMBER, Fortress, called, names, question

__all__: list[str] = []

CARD_STEPS = 2
"""What one move card gives (SR-MOVE-1)."""

DWARF = Input("unit", "piece", {"en": "dwarf", "es": "enano"})
STEPS = Input("steps", "count", {"en": "steps", "es": "pasos"}, False, (), CARD_STEPS)
PLACE_FROM = Input("from", "place", {"en": "from", "es": "desde"})
PLACE_TO = Input("to", "place", {"en": "to", "es": "hasta"})


@question(
    "range",
    {"en": "How many steps?", "es": "¿A cuántos pasos?"},
    PLACE_FROM,
    PLACE_TO,
    rules=("SR-GRAPH-1", "SR-MOVE-1", "SR-MOVE-2"),
    phase="measure",
)
def range_(f: Fortress) -> Finding:
    """SR-MOVE-1, SR-MOVE-2."""
    here, one, _ = f.place("from")
    there, two, _ = f.place("to")
    steps = f.graph.steps(here, there) if here != there else 0
    way = (here, *(f.graph.path(here, there) or ()))
    reason = msg("sr-no-way" if steps is None else "sr-steps", a=one, b=two, n=steps)
    return Finding(
        reason,
        ("SR-GRAPH-1", "SR-MOVE-1", *(("SR-MOVE-2",) if _crosses(way) else ())),
        value=steps,
        kind="count",
        steps=(msg("sr-way", spaces=[called(s) for s in way]),) if steps else (),
        drawing=(*f.draw(way, "path"), *f.draw_way(way)),
    )


def _crosses(way: tuple[str, ...]) -> bool:
    """Whether the way goes from wall to wall."""
    return any(a.startswith("wall-") and b.startswith("wall-") for a, b in pairwise(way))


@question(
    "arc",
    {"en": "In its arc?", "es": "¿Está en su arco?"},
    Input("from", "place", {"en": "from", "es": "desde"}, required=False),
    Input("to", "place", {"en": "to", "es": "hasta"}, required=False),
    rules=(),
    phase="measure",
)
def arc(_: Fortress) -> Finding:
    raise Unknown(msg("sr-no-arcs"))


@question(
    "adjacent",
    {"en": "Do the spaces touch?", "es": "¿Son adyacentes?"},
    PLACE_FROM,
    PLACE_TO,
    rules=("SR-GRAPH-1", "SR-GRAPH-2", "SR-GRAPH-3"),
    phase="measure",
)
def adjacent(f: Fortress) -> Finding:
    """SR-GRAPH-1 to SR-GRAPH-3."""
    (here, one, _), (there, two, _) = f.place("from"), f.place("to")
    holds = f.graph.adjacent(here, there)
    reason = msg("sr-adjacent" if holds else "sr-not-adjacent", a=one, b=two)
    return Finding(reason, ("SR-GRAPH-1",), Answer.of(holds), drawing=f.draw((here, there)))


@question(
    "reachable",
    {"en": "Where can it go?", "es": "¿Adónde puede ir?"},
    DWARF,
    STEPS,
    rules=("SR-MOVE-1", "SR-MOVE-2", "SR-MOVE-3"),
    phase="move",
)
def reachable(f: Fortress) -> Finding:
    """SR-MOVE-1 to SR-MOVE-3."""
    dwarf, steps = f.dwarf(), f.a["steps"]
    found = f.graph.reach(f.space_of(dwarf), steps)
    reason = msg("sr-reach", a=dwarf.label, n=steps, spaces=names(found))
    return Finding(
        reason,
        ("SR-MOVE-1", "SR-MOVE-2", "SR-MOVE-3"),
        ids=found,
        drawing=(*f.draw(found), *f.draw_pieces((dwarf,))),
    )


@question(
    "move-legal",
    {"en": "May it go there?", "es": "¿Puede ir allí?"},
    DWARF,
    PLACE_TO,
    STEPS,
    Input("magic", "flag", {"en": "magic card", "es": "carta mágica"}, False, (), False),
    rules=("SR-MOVE-1", "SR-MOVE-2", "SR-MOVE-3", "SR-MOVE-4"),
    phase="move",
)
def move_legal(f: Fortress) -> Finding:
    """SR-MOVE-1 to SR-MOVE-4."""
    dwarf, allowed, magic = f.dwarf(), f.a["steps"], f.a["magic"]
    here = f.space_of(dwarf)
    there, two, _ = f.place("to")
    needed = f.graph.steps(here, there)
    rules: tuple[str, ...]
    notes: tuple[Message, ...]
    if magic:
        holds = there in f.graph
        key, rules = ("sr-magic" if holds else "sr-move-off"), ("SR-MOVE-4",)
        notes = (msg("sr-magic-outside", b=two),) if there.startswith("outside-") else ()
    else:
        holds = needed is not None and needed <= allowed
        key = "sr-move-off" if needed is None else "sr-move" if holds else "sr-move-far"
        rules, notes = ("SR-MOVE-1", "SR-MOVE-3"), ()
    way = (here, *(f.graph.path(here, there) or ()))
    return Finding(
        msg(key, a=dwarf.label, b=two, n=needed, steps=allowed),
        (*rules, *(("SR-MOVE-2",) if not magic and _crosses(way) else ())),
        Answer.of(holds),
        value=needed,
        kind="count",
        limit=None if magic else float(allowed),
        steps=(msg("sr-way", spaces=[called(s) for s in way]),) if needed else (),
        notes=notes,
        drawing=(*f.draw(way, "path"), *f.draw_way(way), *f.draw_pieces((dwarf,))),
    )


@question(
    "refill",
    {"en": "May it refill the upgrade board?", "es": "¿Puede rellenar el tablero de mejora?"},
    DWARF,
    rules=("SR-UPG-2",),
    phase="move",
)
def refill(f: Fortress) -> Finding:
    """SR-UPG-2."""
    dwarf = f.dwarf()
    holds = f.space_of(dwarf) == CHAMBER
    reason = msg("sr-refill" if holds else "sr-no-refill", a=dwarf.label)
    return Finding(reason, ("SR-UPG-2",), Answer.of(holds), drawing=f.draw((CHAMBER,)))


register(
    {
        "sr-no-arcs": {
            "en": "This game has no arcs and no facing: only spaces count.",
            "es": "Este juego no tiene arcos ni orientación: solo cuentan los espacios.",
        },
        "sr-steps": {"en": "Steps from {a} to {b}: {n}.", "es": "Pasos entre {a} y {b}: {n}."},
        "sr-no-way": {
            "en": "No way leads from {a} to {b}: one of them is not a space of the fortress.",
            "es": "No hay camino entre {a} y {b}: uno de los dos no es un espacio de la fortaleza.",
        },
        "sr-way": {"en": "Way: {spaces}.", "es": "Camino: {spaces}."},
        "sr-adjacent": {"en": "One step leads from {a} to {b}.", "es": "Hay un solo paso entre {a} y {b}."},
        "sr-not-adjacent": {"en": "No single step leads from {a} to {b}.", "es": "No hay un solo paso entre {a} y {b}."},
        "sr-reach": {
            "en": "Spaces that {a} reaches, steps {n}: {spaces}.",
            "es": "Espacios a los que llega {a}, pasos {n}: {spaces}.",
        },
        "sr-move": {
            "en": "Steps to {b}: {n}; {a} has {steps}, and nobody stands in anybody's way.",
            "es": "Pasos hasta {b}: {n}; {a} tiene {steps}, y ninguna figura cierra el paso.",
        },
        "sr-move-far": {
            "en": "Steps to {b}: {n}; {a} has {steps}.",
            "es": "Pasos hasta {b}: {n}; {a} tiene {steps}.",
        },
        "sr-move-off": {
            "en": "{a} cannot walk to {b}: it is not a space of the fortress.",
            "es": "{a} no puede ir hasta {b}: no es un espacio de la fortaleza.",
        },
        "sr-magic": {
            "en": "A magic card takes {a} anywhere, also to {b}.",
            "es": "Una carta mágica lleva a {a} a cualquier lugar, también hasta {b}.",
        },
        "sr-magic-outside": {
            "en": "Whether {b} counts as in the fortress is not said in the book.",
            "es": "El reglamento no dice si {b} cuenta como parte de la fortaleza.",
        },
        "sr-refill": {
            "en": "{a} is in the central chamber at the end of its turn.",
            "es": "{a} está en la cámara central al final de su turno.",
        },
        "sr-no-refill": {
            "en": "{a} is not in the central chamber at the end of its turn.",
            "es": "{a} no está en la cámara central al final de su turno.",
        },
    }
)  # fmt: skip
