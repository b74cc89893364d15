"""Terrain under and before a unit (T9A-CON-5, T9A-TER-DANGER, -MAJ, -WALL, -HILL)."""

from __future__ import annotations

import math

import shapely

from ...drawing import Drawing, polygon, segment
from ...messages import Length, Message, msg, register
from ...verdict import Answer, Finding
from .blocks import Model, Unit
from .numbers import EPS, SHARE_EPS
from .terrain_at import centre_depth, centres_inside, completely_depth, overlap_depth
from .view import Feature, View, outline, query
from .words import FROM, TO, need, opt

__all__: list[str] = []

MOVES = ("advance", "march", "charge", "failed-charge", "flee", "pursuit", "overrun")
TERRAIN = need("terrain", "terrain", "terrain feature", "elemento de escenografía")


@query(
    "terrain",
    {"en": "Does it stand in this terrain?", "es": "¿Está en este terreno?"},
    FROM,
    TERRAIN,
    need(
        "mode",
        "choice",
        "touching, inside, completely inside, or most base centres",
        "en contacto, dentro, completamente dentro o mayoría de centros",
        ("touch", "inside", "completely", "majority-of-centres"),
    ),
    rules=("T9A-CON-5", "T9A-TER-MAJ"),
    phase="terrain",
)
def terrain(v: View) -> Finding:
    ref, unit = v.ref("from"), v.unit()
    f = v.features[v["terrain"]]
    drawing: Drawing = (
        polygon(f.terrain.outline, "zone"),
        polygon(ref.footprint.geometry.exterior.coords, "piece"),
    )
    depends = v.depends(unit)
    mode = v["mode"]
    if mode == "majority-of-centres":
        inside, depth = centres_inside(v, unit, [f])
        if inside and unit.count > 1:
            unit.need_front()  # the models are named by rank and file
        holds = 2 * len(inside) > len(unit.models)
        key = "t9a-most-in" if holds else "t9a-most-out"
        return Finding(
            msg(key, a=unit.label, f=f.id, n=len(inside), all=len(unit.models)),
            ("T9A-TER-MAJ",),
            Answer.of(holds),
            value=float(len(inside)),
            kind="count",
            ids=tuple(m.id for m in inside),
            margin_mm=depth,
            drawing=(*drawing, *(polygon(m.frame.ring.tolist(), "contact") for m in inside)),
            depends=depends,
        )
    if mode == "touch":
        margin = v.touch - ref.footprint.gap(f.footprint)
        holds = margin >= 0
        if holds and v.camera and margin < v.touch:
            v.note("t9a-camera-contact", d=Length(v.touch - margin))
    elif mode == "inside":
        margin = overlap_depth(ref.footprint, f)
        holds = margin > EPS
    else:
        margin = completely_depth(ref.footprint, f.polygon)
        holds = margin >= -EPS
    key = f"t9a-{mode}-{'yes' if holds else 'no'}"
    return Finding(
        msg(key, a=ref.label, f=f.id, d=Length(abs(margin))),
        ("T9A-CON-5",),
        Answer.of(holds),
        margin_mm=margin,
        drawing=drawing,
        depends=depends,
    )


def _is_dangerous(f: Feature, m: Model, kind: str, flying: bool) -> bool:
    """The table of section 2.14, column *dangerous*, for one model."""
    riding = "cavalry" in m.words or "construct" in m.words
    match f.type:
        case "forest":
            return riding or flying
        case "ruins":
            return "skirmisher" not in m.words
        case "wall":
            return "construct" in m.words
        case "water":
            return m.height == 0 and "mounted" not in m.words
        case "impassable":
            return kind == "flee"
    return False


def dice_of(m: Model) -> int:
    """One die for Standard, two for Large, three for Gigantic, one more for a chariot."""
    return 1 + m.height + (1 if "chariot" in m.words else 0)


@query(
    "dangerous-terrain",
    {"en": "Who tests for dangerous terrain?", "es": "¿Quién hace chequeo de terreno peligroso?"},
    FROM,
    need("type", "choice", "kind of move", "tipo de movimiento", MOVES),
    need("forward", "length", "straight ahead", "hacia delante"),
    opt("flying", "flag", "flying move", "movimiento volando"),
    rules=("T9A-TER-DANGER", "T9A-FLEE-3"),
    phase="terrain",
)
def dangerous_terrain(v: View) -> Finding:
    unit = v.unit()
    kind, forward, flying = v["type"], v["forward"], bool(v["flying"])
    _ = unit.frame
    testing: dict[str, int] = {}
    border = math.inf
    steps: list[Message] = []
    counts = kind != "advance" and (not unit.has("random-movement") or kind == "charge")
    for m in unit.models if counts else ():
        if "strider" in m.words or "ghost-step" in m.words or unit.has("ghost-step"):
            continue
        start, end = m.frame.footprint, m.frame.moved(0.0, forward).footprint
        way = m.frame.swept(0.0, forward)
        for f in v.features.values():
            if not _is_dangerous(f, m, kind, flying):
                continue
            through = f.type == "impassable"
            if flying:
                gap = min(start.gap(f.footprint), end.gap(f.footprint))
            else:
                gap = way.gap(f.footprint)
            # impassable terrain is passed through (areas overlap), the others need only be touched
            hit = gap < -EPS if through else gap <= EPS
            border = min(border, abs(gap))
            if hit:
                testing[m.id] = testing.get(m.id, 0) + dice_of(m)
        if kind == "flee" and not flying:
            for e in v.enemies(unit):
                gap = way.gap(e.footprint)
                border = min(border, abs(gap))
                if gap < -EPS:
                    testing[m.id] = testing.get(m.id, 0) + dice_of(m)
    if kind == "advance":
        steps.append(msg("t9a-danger-advance"))
    ids, dice = tuple(testing), sum(testing.values())
    shown = [m for m in unit.models if m.id in testing]
    whole = unit.frame.swept(0.0, forward)
    return Finding(
        msg("t9a-danger", a=unit.label, n=len(ids), dice=dice),
        ("T9A-TER-DANGER", "T9A-FLEE-3") if kind == "flee" else ("T9A-TER-DANGER",),
        value=float(dice),
        kind="count",
        ids=ids,
        margin_mm=border if math.isfinite(border) else None,
        steps=tuple(steps),
        drawing=(
            polygon(whole.geometry.exterior.coords, "path"),
            *(polygon(m.frame.ring.tolist(), "contact") for m in shown),
        ),
        depends=v.depends(unit) if kind != "flee" else None,
    )


@query(
    "defend-wall",
    {"en": "Does it defend the wall?", "es": "¿Defiende el muro?"},
    FROM,
    TERRAIN,
    rules=("T9A-TER-WALL",),
    phase="melee",
)
def defend_wall(v: View) -> Finding:
    unit = v.unit()
    f = v.features[v["terrain"]]
    a, b = unit.frame.edge("front")
    front = shapely.LineString([a, b])
    length = float(front.length)
    # growing the outline by the tolerance lengthens what it covers by it at each end: taken off again
    touching = max(0.0, float(front.intersection(f.polygon.buffer(v.touch, join_style="mitre")).length))
    if 0.0 < touching < length - EPS:
        ends = sum(shapely.distance(f.polygon, shapely.Point(p)) > v.touch for p in (a, b))
        touching = max(0.0, touching - ends * v.touch)
    is_wall = f.type == "wall"
    holds = is_wall and touching > length / 2 + SHARE_EPS * length
    gap = float(shapely.distance(front, f.polygon))
    margin = touching - length / 2
    if touching == 0.0:
        margin -= gap
    elif v.camera:
        spare = v.touch - max(
            float(shapely.distance(f.polygon, shapely.line_interpolate_point(front, s, normalized=True)))
            for s in _held_part(front, f.polygon, v.touch)
        )
        margin = min(margin, spare) if margin > 0 else margin
        if spare < v.touch and holds:
            v.note("t9a-camera-contact", d=Length(v.touch - spare))
    if not is_wall:
        reason = msg("t9a-not-a-wall", f=f.id)
    else:
        key = "t9a-wall-yes" if holds else "t9a-wall-no"
        reason = msg(key, a=unit.label, d=Length(touching), all=Length(length), gap=Length(gap))
    return Finding(
        reason,
        ("T9A-TER-WALL",),
        Answer.of(holds),
        value=touching,
        limit=length / 2,
        margin_mm=margin if is_wall else None,
        drawing=(polygon(f.terrain.outline, "zone"), segment(a, b, "contact")),
        depends=v.depends(unit),
    )


def _held_part(front: shapely.LineString, wall: shapely.Polygon, touch: float) -> tuple[float, float]:
    """The two ends (as shares) of the part of a front that touches a wall."""
    held = front.intersection(wall.buffer(touch, join_style="mitre"))
    ends = [front.project(shapely.Point(p), normalized=True) for p in shapely.get_coordinates(held)]
    inset = touch / max(front.length, 1.0)
    low, high = min(ends) + inset, max(ends) - inset
    return (low, high) if low <= high else (0.5 * (low + high),) * 2


@query(
    "downhill-charge",
    {"en": "Does it charge downhill?", "es": "¿Carga colina abajo?"},
    FROM,
    TO,
    rules=("T9A-TER-HILL",),
    phase="charge",
)
def downhill_charge(v: View) -> Finding:
    one, two = v.unit("from"), v.unit("to")
    hills = v.of_type("hill")
    if not hills:
        return Finding(msg("t9a-no-hill"), ("T9A-TER-HILL",), Answer.NO, depends=frozenset())
    up, up_depth = centres_inside(v, one, hills)
    above, _ = centres_inside(v, two, hills)
    off = len(two.models) - len(above)
    # the target needs more than half off the hill: its deciding centre counted from outside
    depths = sorted(-d for d in _depths(two, hills))
    off_depth = depths[::-1][len(two.models) // 2]
    holds = 2 * len(up) > len(one.models) and 2 * off > len(two.models)
    key = "t9a-downhill-yes" if holds else "t9a-downhill-no"
    return Finding(
        msg(key, a=one.label, n=len(up), all=len(one.models), b=two.label, k=off, others=len(two.models)),
        ("T9A-TER-HILL",),
        Answer.of(holds),
        margin_mm=min(up_depth, off_depth),
        drawing=(
            *(polygon(h.terrain.outline, "zone") for h in hills),
            outline(one.boundary),
            outline(two.boundary),
        ),
        depends=v.depends(one, two),
    )


def _depths(unit: Unit, features: list[Feature]) -> list[float]:
    return [centre_depth(m.at, features) for m in unit.models]


register(
    {
        "t9a-touch-yes": {"en": "{a} touches {f} (within {d}).", "es": "{a} toca {f} (con {d} de holgura)."},
        "t9a-touch-no": {"en": "{a} is {d} from touching {f}.", "es": "{a} está a {d} de tocar {f}."},
        "t9a-inside-yes": {"en": "{a} is {d} inside {f}.", "es": "{a} está {d} dentro de {f}."},
        "t9a-inside-no": {
            "en": "{a} is not inside {f} ({d} short); touching is not inside.",
            "es": "{a} no está dentro de {f} (faltan {d}); tocar no es estar dentro.",
        },
        "t9a-completely-yes": {
            "en": "{a} is completely inside {f}, {d} from its outline.",
            "es": "{a} está completamente dentro de {f}, a {d} de su contorno.",
        },
        "t9a-completely-no": {"en": "{a} sticks {d} out of {f}.", "es": "{a} sobresale {d} de {f}."},
        "t9a-most-in": {
            "en": "{n} of {all} base centres of {a} are inside {f}: more than half.",
            "es": "{n} de {all} centros de peana de {a} están dentro de {f}: más de la mitad.",
        },
        "t9a-most-out": {
            "en": "{n} of {all} base centres of {a} are inside {f}: not more than half.",
            "es": "{n} de {all} centros de peana de {a} están dentro de {f}: no más de la mitad.",
        },
        "t9a-danger": {
            "en": "{n} models of {a} touch dangerous terrain on the way: {dice} dice.",
            "es": "{n} miniaturas de {a} tocan terreno peligroso por el camino: {dice} dados.",
        },
        "t9a-danger-advance": {
            "en": "An advance move is never dangerous.",
            "es": "Un movimiento de avance nunca es peligroso.",
        },
        "t9a-not-a-wall": {"en": "{f} is not a wall.", "es": "{f} no es un muro."},
        "t9a-wall-yes": {
            "en": "{d} of the {all} front of {a} touches the wall ({gap} off): more than half.",
            "es": "{d} del frente de {all} de {a} toca el muro (a {gap}): más de la mitad.",
        },
        "t9a-wall-no": {
            "en": "{d} of the {all} front of {a} touches the wall ({gap} off); more than half is needed.",
            "es": "{d} del frente de {all} de {a} toca el muro (a {gap}); hace falta más de la mitad.",
        },
        "t9a-no-hill": {"en": "There is no hill on the table.", "es": "No hay ninguna colina en la mesa."},
        "t9a-downhill-yes": {
            "en": "{n} of {all} of {a} stand on a hill, {k} of {others} of {b} off any: downhill.",
            "es": "{n} de {all} de {a} están en una colina y {k} de {others} de {b} fuera de ella: colina abajo.",
        },
        "t9a-downhill-no": {
            "en": "{n} of {all} of {a} stand on a hill, {k} of {others} of {b} off any; more than half of each is needed.",
            "es": "{n} de {all} de {a} están en una colina y {k} de {others} de {b} fuera de ella; hace falta más de la mitad de ambas.",
        },
    }
)
