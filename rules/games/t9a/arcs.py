"""The four arcs: where an object is located, and what lies inside an arc (T9A-ARC-1 … 4)."""

from __future__ import annotations

import math

from ...drawing import Drawing, segment
from ...errors import QuestionError
from ...footprint import Footprint, hull_gap
from ...messages import Length, msg, register
from ...plane import direction
from ...verdict import Answer, Finding
from .frames import FACES, Frame, Point
from .numbers import EPS
from .view import Ref, View, outline, query
from .words import FROM, TO, need

__all__ = ["arc_depth", "arc_lines", "inside_arc", "located"]

FLANKS = ("left-flank", "right-flank")
DRAWN_MM = 400.0
"""How far the arc lines are drawn from the corners."""


def located(frame: Frame, p: Point) -> tuple[str, float]:
    """T9A-ARC-3: the arc in which a point is located, and its distance to the nearest dividing line.

    Exactly on a dividing line is the flank. A round base has one arc all around (T9A-ARC-4).
    """
    if frame.round:
        return "front", math.inf
    excess = frame.excess(p)
    most = max(excess.values())
    flank = max(FLANKS, key=lambda f: excess[f])
    face = flank if excess[flank] >= most - EPS else max(FACES, key=lambda f: excess[f])
    second = max(e for f, e in excess.items() if f != face)
    return face, abs(excess[face] - second) / math.sqrt(2)


def arc_depth(frame: Frame, face: str, footprint: Footprint) -> float:
    """How deep an object reaches into a closed arc; negative is how far it is from it (T9A-ARC-2)."""
    wedge = frame.wedge(face)
    return -hull_gap(footprint, wedge)


def inside_arc(frame: Frame, face: str, footprint: Footprint) -> bool:
    if frame.round:
        return face == "front"
    return arc_depth(frame, face, footprint) >= -EPS


def owner(v: View, name: str = "from") -> tuple[Ref, Frame]:
    """Whose arcs are asked: a unit's from its Boundary Rectangle, a model's from its own base."""
    ref = v.ref(name)
    if ref.unit is None:
        raise QuestionError.of("t9a-not-a-unit", name, got=ref.label)
    return ref, ref.frame


def arc_lines(frame: Frame) -> Drawing:
    """The four dividing lines, 45° outwards from the corners."""
    if frame.round:
        return ()
    out = []
    for k, corner in enumerate(frame.corners):
        ahead = direction(frame.facing + 45.0 - 90.0 * k)
        end = (corner[0] + DRAWN_MM * float(ahead[0]), corner[1] + DRAWN_MM * float(ahead[1]))
        out.append(segment(corner, end, "limit"))
    return tuple(out)


@query(
    "arc",
    {"en": "In which arc is it?", "es": "¿En qué arco está?"},
    FROM,
    TO,
    rules=("T9A-ARC-1", "T9A-ARC-3", "T9A-ARC-4"),
)
def arc(v: View) -> Finding:
    ref, frame = owner(v)
    to = v.ref("to")
    p = to.centre if frame.round else to.reference
    face, margin = located(frame, p)
    depends = v.depends(ref.unit, to.unit) | v.ids_of(to.id)
    if frame.round:
        reason = msg("t9a-arc-round", a=ref.label)
        return Finding(reason, ("T9A-ARC-4",), arc="front", depends=depends)
    return Finding(
        msg(f"t9a-arc-{face}", a=ref.label, b=to.label, d=Length(margin)),
        ("T9A-ARC-1", "T9A-ARC-3"),
        arc=face,
        margin_mm=margin,
        drawing=(*arc_lines(frame), outline(frame), segment(frame.at, p, "measure")),
        depends=depends,
    )


@query(
    "in-arc",
    {"en": "Is any part inside an arc?", "es": "¿Hay alguna parte dentro de un arco?"},
    FROM,
    TO,
    need("arc", "choice", "arc", "arco", FACES),
    rules=("T9A-ARC-1", "T9A-ARC-2", "T9A-ARC-4"),
)
def in_arc(v: View) -> Finding:
    ref, frame = owner(v)
    to, face = v.ref("to"), v["arc"]
    depends = v.depends(ref.unit, to.unit) | v.ids_of(to.id)
    if frame.round:
        return Finding(
            msg("t9a-arc-round", a=ref.label), ("T9A-ARC-4",), Answer.of(face == "front"), depends=depends
        )
    depth = arc_depth(frame, face, to.footprint)
    holds = depth >= -EPS
    key = "t9a-in-arc" if holds else "t9a-not-in-arc"
    return Finding(
        msg(key, a=ref.label, b=to.label, arc=msg(f"t9a-the-{face}"), d=Length(abs(depth))),
        ("T9A-ARC-1", "T9A-ARC-2"),
        Answer.of(holds),
        margin_mm=depth,
        drawing=(*arc_lines(frame), outline(frame)),
        depends=depends,
    )


register(
    {
        "t9a-the-front": {"en": "front", "es": "frontal"},
        "t9a-the-left-flank": {"en": "left flank", "es": "del flanco izquierdo"},
        "t9a-the-right-flank": {"en": "right flank", "es": "del flanco derecho"},
        "t9a-the-rear": {"en": "rear", "es": "trasero"},
        "t9a-arc-front": {
            "en": "{b} is located in the front arc of {a}, {d} from the dividing line.",
            "es": "{b} está situado en el arco frontal de {a}, a {d} de la línea divisoria.",
        },
        "t9a-arc-left-flank": {
            "en": "{b} is located in the left flank arc of {a}, {d} from the dividing line (on the line is the flank).",
            "es": "{b} está situado en el arco del flanco izquierdo de {a}, a {d} de la línea divisoria (sobre la línea es flanco).",
        },
        "t9a-arc-right-flank": {
            "en": "{b} is located in the right flank arc of {a}, {d} from the dividing line (on the line is the flank).",
            "es": "{b} está situado en el arco del flanco derecho de {a}, a {d} de la línea divisoria (sobre la línea es flanco).",
        },
        "t9a-arc-rear": {
            "en": "{b} is located in the rear arc of {a}, {d} from the dividing line.",
            "es": "{b} está situado en el arco trasero de {a}, a {d} de la línea divisoria.",
        },
        "t9a-arc-round": {
            "en": "{a} has a round base: one arc all around, its front.",
            "es": "{a} tiene peana redonda: un solo arco alrededor, el frontal.",
        },
        "t9a-in-arc": {
            "en": "{b} reaches {d} into the {arc} arc of {a}; one point is enough.",
            "es": "{b} entra {d} en el arco {arc} de {a}; basta un punto.",
        },
        "t9a-not-in-arc": {
            "en": "{b} is {d} outside the {arc} arc of {a}.",
            "es": "{b} queda a {d} del arco {arc} de {a}.",
        },
    }
)
