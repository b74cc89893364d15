"""Set-up, objectives, bombardment and occupying: MK-SET, MK-OBJ, MK-BOM, MK-TER-0."""

from __future__ import annotations

import math

import numpy as np

from ...checks import Check, conclude, set_margin_mm
from ...drawing import Disc, Drawing, Segment, polygon, segment
from ...errors import QuestionError
from ...footprint import Footprint
from ...game import Asked, Input
from ...messages import Length, msg, register
from ...plane import direction, point_segment
from ...scene import Terrain
from ...units import MM_PER_IN
from ...verdict import Answer, Finding
from .game import FROM, GAME, ONE_PIECE, SLACK_MM
from .world import Point, World, draw_arc, draw_piece

EDGE = Input(
    "edge",
    "choice",
    {"en": "start edge", "es": "borde de salida"},
    choices=("near", "far", "left", "right"),
)
MARKER = Input("marker", "piece", {"en": "marker", "es": "marcador"})
CLEAR_MM = 3 * MM_PER_IN
"""MK-SET-4: terrain keeps this distance from everything."""
PLACEMENTS = 4
"""MK-SET-4: at most so many placements in all."""


def _zone(world: World, edge: str) -> tuple[float, float, float, float]:
    """MK-SET-2: the deployment zone as x0, y0, x1, y1."""
    (x0, y0), (x1, y1) = world.vanguard(edge)
    w, d = world.size
    return {
        "near": (x0, 0.0, x1, y1),
        "far": (x0, y0, x1, d),
        "left": (0.0, y0, x1, y1),
        "right": (x0, y0, w, y1),
    }[edge]


@GAME.query(
    "deployment",
    {"en": "Deployed well?", "es": "¿Bien desplegado?"},
    ONE_PIECE,
    EDGE,
    rules=("MK-SET-2",),
    phase="setup",
)
def deployment(a: Asked) -> Finding:
    """MK-SET-2: the centre in the closed zone, 3 in deep, 8 in from every other edge."""
    world, piece = World(a), a.piece("piece")
    x0, y0, x1, y1 = _zone(world, a["edge"])
    x, y = world.at(piece)
    depth = min(x - x0, y - y0, x1 - x, y1 - y)
    holds = depth >= -SLACK_MM
    key = "mk-deployed" if holds else "mk-not-deployed"
    return Finding(
        msg(key, a=piece.label, d=Length(abs(depth))),
        ("MK-SET-2",),
        Answer.of(holds),
        margin_mm=depth,
        drawing=(polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], "zone"), draw_piece(world, piece)),
        depends=frozenset({piece.id}),
    )


@GAME.query(
    "objective-placement",
    {"en": "Objective placed well?", "es": "¿Objetivo bien colocado?"},
    MARKER,
    EDGE,
    Input("roll", "number", {"en": "result of 2d6 (inches)", "es": "resultado de 2d6 (pulgadas)"}),
    rules=("MK-SET-3",),
    phase="setup",
)
def objective_placement(a: Asked) -> Finding:
    """MK-SET-3: the centre as far from the vanguard as the dice say."""
    world, marker = World(a), a.piece("marker")
    front = world.vanguard(a["edge"])
    distance, foot = point_segment(np.asarray(world.at(marker)), np.asarray(front[0]), np.asarray(front[1]))
    wanted = a["roll"] * MM_PER_IN
    tol: float = a.param("place_tol")
    off = abs(float(distance) - wanted)
    return Finding(
        msg("mk-objective", d=Length(float(distance)), limit=Length(wanted), tol=Length(tol)),
        ("MK-SET-3",),
        Answer.of(off <= tol + SLACK_MM),
        value=float(distance),
        limit=wanted,
        margin_mm=tol - off,
        drawing=(Segment(front[0], front[1], "limit"), segment(world.at(marker), foot.tolist(), "measure")),
        depends=frozenset({marker.id}),
    )


@GAME.query(
    "terrain-placement",
    {"en": "Terrain placed well?", "es": "¿Terreno bien colocado?"},
    Input("terrain", "terrain", {"en": "terrain", "es": "terreno"}),
    rules=("MK-SET-4",),
    phase="setup",
)
def terrain_placement(a: Asked) -> Finding:
    """MK-SET-4: 3 in from everything; constructed pieces may be nearer to each other."""
    world, terrain = World(a), a.terrain("terrain")
    gaps = _clearances(world, terrain)
    least = min(gaps.values())
    offended = tuple(name for name, gap in gaps.items() if gap < CLEAR_MM - SLACK_MM)
    free = [t for t in a.scene.terrain if t.on is None]
    built = sum(t.has("constructed") for t in free)
    placed = len(free) - built + -(-built // 2)
    yes = Finding(
        msg("mk-placed", t=terrain.label, d=Length(max(least, 0.0))),
        ("MK-SET-4",),
        value=max(least, 0.0),
        limit=CLEAR_MM,
        blockers=offended,
        drawing=(polygon(terrain.outline, "piece"),),
        depends=frozenset(p.id for p in a.scene.pieces if p.has("objective")),
    )
    near = msg("mk-placed-near", t=terrain.label, d=Length(max(least, 0.0)), ids=list(offended))
    checks = [
        Check(placed <= PLACEMENTS, msg("mk-placements", n=placed), ("MK-SET-4",)),
        Check(not offended, near if offended else yes.reason, ("MK-SET-4",), least - CLEAR_MM),
    ]
    return conclude(checks, yes)


def _clearances(world: World, terrain: Terrain) -> dict[str, float]:
    """Clear distance from a terrain piece to everything it must stay away from."""
    foot = Footprint.polygon(terrain.outline)
    hill = world.hill_under(terrain)
    out: dict[str, float] = {}
    for other in world.asked.scene.terrain:
        if other.id == terrain.id or (other.has("constructed") and terrain.has("constructed")):
            continue
        if (terrain.on or other.on) and hill is not None and hill == world.hill_under(other):
            continue  # it stands on the other: one placement
        out[other.id] = foot.gap(Footprint.polygon(other.outline))
    for marker in world.asked.scene.pieces:
        if marker.has("objective"):
            out[marker.id] = foot.gap(world.foot(marker))
    w, d = world.size
    x0, y0, x1, y1 = foot.bounds
    out |= {"left-edge": x0, "right-edge": w - x1, "near-edge": y0, "far-edge": d - y1}
    for edge in world.deploy_edges:
        line = Footprint((np.asarray(world.vanguard(edge), float),))
        out[f"vanguard-{edge}"] = foot.gap(line)
    return out


@GAME.query(
    "objective-control",
    {"en": "Who controls it?", "es": "¿Quién lo controla?"},
    MARKER,
    Input("active", "text", {"en": "active player", "es": "jugador activo"}),
    Input(
        "previous", "text", {"en": "state before", "es": "estado anterior"}, required=False, default="neutral"
    ),
    rules=("MK-OBJ-2",),
    phase="end",
)
def objective_control(a: Asked) -> Finding:
    """MK-OBJ-2: eligible figures in contact decide; otherwise it stays as it was."""
    world, marker = World(a), a.piece("marker")
    active, previous = a["active"], a["previous"]
    if previous not in ("neutral", "disputed") and not previous.startswith("controlled-"):
        known = "neutral, disputed, controlled-…"
        raise QuestionError.of("fault-one-of", "previous", limit=known, got=repr(previous))
    touching, margins = [], {}
    for piece in world.warriors:
        barred = world.captive(piece) or piece.has("demoralized") or world.soaring(piece)
        if piece.side is None or barred:
            continue
        margins[piece.id] = world.touch_mm(piece, marker)
        if margins[piece.id] >= -SLACK_MM:
            touching.append(piece)
    sides = {p.side for p in touching}
    band = "disputed" if len(sides) > 1 else f"controlled-{active}" if sides == {active} else previous
    names = [p.label for p in touching]
    key = "mk-control" if touching else "mk-control-none"
    least = set_margin_mm(margins.values())
    near = {i for i, m in margins.items() if least is not None and abs(m) <= least + world.wiggle_mm}
    return Finding(
        msg(key, o=marker.label, ids=names, band=band) if touching else msg(key, o=marker.label, band=band),
        ("MK-OBJ-2", "MK-CON-1"),
        band=band,
        ids=tuple(p.id for p in touching),
        margin_mm=least,
        drawing=(draw_piece(world, marker, "zone"), *(draw_piece(world, p, "contact") for p in touching)),
        depends=frozenset({marker.id, *near}),
    )


@GAME.query(
    "bombardment-place",
    {"en": "May the marker lie there?", "es": "¿Puede ir ahí el marcador?"},
    FROM,
    Input("at", "point", {"en": "marker centre", "es": "centro del marcador"}),
    Input("range", "length", {"en": "range value", "es": "valor de alcance"}),
    rules=("MK-BOM-1",),
    phase="shoot",
)
def bombardment_place(a: Asked) -> Finding:
    """MK-BOM-1: within twice the range and in the front arc; a blocked line is allowed."""
    world, piece = World(a), a.piece("from")
    at: Point = a["at"]
    distance = math.dist(world.at(piece), at)
    reach = 2 * a["range"]
    arc = world.arc(piece, at, ("MK-BOM-1", "MK-ARC-1"))
    length = msg("mk-bomb-range", d=Length(distance), limit=Length(reach))
    front = msg("mk-bomb-arc", a=piece.label, d=Length(arc.front_mm))
    checks = [
        Check(world.tokens(piece) < 2, msg("mk-two-tokens", a=piece.label), ("MK-ACT-1",)),
        Check(distance <= reach + SLACK_MM, length, ("MK-BOM-1",), reach - distance),
        Check(
            arc.front_mm >= -SLACK_MM,
            front,
            ("MK-BOM-1", "MK-ARC-1"),
            arc.front_mm if math.isfinite(arc.front_mm) else None,
        ),
    ]
    drawing: Drawing = (*draw_arc(world, piece, distance), segment(world.at(piece), at, "measure"))
    yes = Finding(
        msg("mk-bomb", d=Length(distance), limit=Length(reach)),
        ("MK-BOM-1",),
        value=distance,
        limit=reach,
        drawing=drawing,
        depends=frozenset({piece.id}),
    )
    return conclude(checks, yes)


@GAME.query(
    "bombardment-drift",
    {"en": "Where does it drift?", "es": "¿Adónde se desvía?"},
    Input("at", "point", {"en": "marker centre", "es": "centro del marcador"}),
    Input("heading", "angle", {"en": "where the arrow points", "es": "adónde apunta la flecha"}),
    Input("turn", "angle", {"en": "printed direction, from the arrow", "es": "dirección impresa, desde la flecha"}, required=False),
    Input("face", "count", {"en": "face of the die", "es": "cara del dado"}, required=False),
    Input("distance", "length", {"en": "printed distance", "es": "distancia impresa"}),
    rules=("MK-BOM-2",),
    phase="shoot",
)  # fmt: skip
def bombardment_drift(a: Asked) -> Finding:
    """MK-BOM-2."""
    if a.given("turn"):
        turn = float(a["turn"])
    elif a.given("face") and 1 <= a["face"] <= 6:
        turn = -60.0 * (a["face"] - 1)
    else:
        raise QuestionError.of("mk-drift-turn", "turn")
    at: Point = a["at"]
    way = direction(a["heading"] + turn) * a["distance"]
    new = (at[0] + float(way[0]), at[1] + float(way[1]))
    return Finding(
        msg("mk-drift", d=Length(a["distance"]), x=Length(new[0]), y=Length(new[1])),
        ("MK-BOM-2",),
        at=new,
        drawing=(Segment(at, new, "path"), Disc(new, 4.0, "note")),
        notes=() if a.given("turn") else (msg("mk-drift-default"),),
        depends=frozenset(),
    )


@GAME.query(
    "bombardment-area",
    {"en": "Who is hit?", "es": "¿A quién alcanza?"},
    Input("at", "point", {"en": "marker centre", "es": "centro del marcador"}, required=False),
    Input("marker", "piece", {"en": "marker", "es": "marcador"}, required=False),
    Input("radius", "length", {"en": "radius", "es": "radio"}),
    Input(
        "from", "piece", {"en": "attacker (never hit)", "es": "atacante (nunca alcanzado)"}, required=False
    ),
    rules=("MK-BOM-3",),
    phase="shoot",
)
def bombardment_area(a: Asked) -> Finding:
    """MK-BOM-3: every warrior whose centre is within the radius, captives excluded."""
    if a.given("at") == a.given("marker"):
        raise QuestionError.of("mk-at-or-marker", "at")
    world = World(a)
    centre: Point = a["at"] if a.given("at") else world.at(a.piece("marker"))
    radius: float = a["radius"]
    hit, margins = [], {}
    for piece in world.warriors:
        if world.captive(piece) or piece.id == a["from"]:
            continue
        margins[piece.id] = radius - math.dist(centre, world.at(piece))
        if margins[piece.id] >= -SLACK_MM:
            hit.append(piece)
    least = set_margin_mm(margins.values())
    near = {i for i, m in margins.items() if least is not None and abs(m) <= least + world.wiggle_mm}
    names = [p.label for p in hit]
    return Finding(
        msg("mk-area", d=Length(radius), ids=names) if hit else msg("mk-area-none", d=Length(radius)),
        ("MK-BOM-3",),
        ids=tuple(p.id for p in hit),
        margin_mm=least,
        drawing=(Disc(centre, radius, "zone"), *(draw_piece(world, p, "contact") for p in hit)),
        depends=frozenset({*near, *([a["marker"]] if a.given("marker") else [])}),
    )


@GAME.query(
    "occupies",
    {"en": "Does it stand in that?", "es": "¿Lo ocupa?"},
    ONE_PIECE,
    Input("terrain", "terrain", {"en": "terrain", "es": "terreno"}),
    rules=("MK-TER-0",),
)
def occupies(a: Asked) -> Finding:
    """MK-TER-0: the centre inside the closed outline; MK-LOF-8: a constructed piece needs a printed centre."""
    world, piece, terrain = World(a), a.piece("piece"), a.terrain("terrain")
    if terrain.has("constructed") and terrain.centre is None:
        reason = msg("mk-no-centre", t=terrain.label)
        return Finding(reason, ("MK-LOF-8",), Answer.NO, depends=frozenset())
    depth = world.depth_mm(terrain, world.at(piece))
    holds = world.occupied(terrain, world.at(piece))
    key = "mk-occupies" if holds else "mk-not-occupies"
    return Finding(
        msg(key, a=piece.label, t=terrain.label, d=Length(abs(depth))),
        ("MK-TER-0",),
        Answer.of(holds),
        margin_mm=depth,
        drawing=(polygon(terrain.outline, "zone"), draw_piece(world, piece)),
        depends=frozenset({piece.id}),
    )


register(
    {
        "mk-deployed": {
            "en": "The centre of {a} is in the deployment zone, {d} from its border.",
            "es": "El centro de {a} está en la zona de despliegue, a {d} de su borde.",
        },
        "mk-not-deployed": {
            "en": "The centre of {a} is {d} outside the deployment zone.",
            "es": "El centro de {a} está {d} fuera de la zona de despliegue.",
        },
        "mk-objective": {
            "en": "The marker's centre is {d} from the vanguard; the dice ask for {limit}, ± {tol}.",
            "es": "El centro del marcador está a {d} de la vanguardia; los dados piden {limit}, ± {tol}.",
        },
        "mk-placed": {
            "en": "{t} keeps at least {d} from everything; 3 inches are asked.",
            "es": "{t} guarda al menos {d} con todo; se piden 3 pulgadas.",
        },
        "mk-placed-near": {
            "en": "{t} is only {d} away, 3 inches are asked: {ids}",
            "es": "{t} está a solo {d}, se piden 3 pulgadas: {ids}",
        },
        "mk-placements": {
            "en": "At most 4 placements are allowed; there are {n}.",
            "es": "Se permiten 4 colocaciones como mucho; hay {n}.",
        },
        "mk-control": {"en": "{ids} touch {o}: {band}.", "es": "{ids} tocan {o}: {band}."},
        "mk-control-none": {
            "en": "Nobody eligible touches {o}: it stays {band}.",
            "es": "Nadie apto toca {o}: sigue {band}.",
        },
        "mk-bomb": {
            "en": "The marker lies {d} away, in the front arc; twice the range is {limit}.",
            "es": "El marcador está a {d}, en el arco frontal; el doble del alcance es {limit}.",
        },
        "mk-bomb-range": {
            "en": "The marker lies {d} away; twice the range is {limit}.",
            "es": "El marcador está a {d}; el doble del alcance es {limit}.",
        },
        "mk-bomb-arc": {
            "en": "The marker is {d} inside the border of the front arc of {a} (negative: outside).",
            "es": "El marcador está {d} dentro del borde del arco frontal de {a} (negativo: fuera).",
        },
        "mk-drift": {"en": "The marker drifts {d}, to ({x}; {y}).", "es": "El marcador se desvía {d}, a ({x}; {y})."},
        "mk-drift-turn": {
            "en": "expected turn (degrees from the arrow) or face (1 to 6)",
            "es": "se esperaba turn (grados desde la flecha) o face (de 1 a 6)",
        },
        "mk-drift-default": {
            "en": "Rests on 60° steps clockwise from the arrow; read the marker.",
            "es": "Se apoya en pasos de 60° en el sentido del reloj desde la flecha; lea el marcador.",
        },
        "mk-at-or-marker": {"en": "expected either at or marker", "es": "se esperaba at o marker, uno de los dos"},
        "mk-area": {"en": "Centres within {d}: {ids}", "es": "Centros a menos de {d}: {ids}"},
        "mk-area-none": {"en": "No centre is within {d}.", "es": "Ningún centro está a menos de {d}."},
        "mk-occupies": {
            "en": "The centre of {a} is inside {t}, {d} from its border.",
            "es": "El centro de {a} está dentro de {t}, a {d} de su borde.",
        },
        "mk-not-occupies": {
            "en": "The centre of {a} is {d} outside {t}.",
            "es": "El centro de {a} está a {d} de {t}, fuera.",
        },
        "mk-no-centre": {
            "en": "{t} has no printed centre and cannot be occupied.",
            "es": "{t} no tiene centro impreso y no se puede ocupar.",
        },
    }
)  # fmt: skip
