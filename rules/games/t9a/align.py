"""Charge moves that a player proposes, and the best one: most models in contact (T9A-CHG-4, 9)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ...drawing import Shape, polygon
from ...footprint import between
from ...messages import Angle, Length, Message, msg, register
from ...scene import Piece
from ...verdict import Answer, Finding
from .blocks import Unit, make_unit
from .charge import charged_face, path_drawing, setup
from .contact import model_contacts
from .frames import Frame, turn_between
from .movement import MAX_WHEEL_DEG, front_on_board
from .moves import carried, read_steps, travel
from .numbers import EPS
from .room import Charge, Path, all_paths, first_touch, room_of
from .view import View, outline, query
from .words import FROM, TO, need, opt

__all__ = ["best_charge", "moved_unit"]

OFFSETS = 80
"""Places along the charged facing that are compared; models are some 20 mm wide, the places lie a few apart."""

PLACE_STEP = 0.5


def moved_unit(unit: Unit, end: Frame) -> Unit:
    """The unit carried with its Boundary Rectangle to another place."""
    start = unit.boundary
    turn = turn_between(start.facing, end.facing)

    def put(piece: Piece) -> Piece:
        facing = None if piece.facing is None else piece.facing + turn
        return replace(piece, at=None if piece.at is None else carried(start, end, piece.at), facing=facing)

    return make_unit(put(unit.piece), tuple(put(g) for g in unit.joined), unit.axis)


def contacts_at(v: View, unit: Unit, target: Unit, end: Frame) -> int:
    """How many models of both touch an enemy of the other if the charger stands there (`contact-total`)."""
    pairs = model_contacts(v, moved_unit(unit, end), target)
    return len({s.id for s, _ in pairs}) + len({e.id for _, e in pairs})


def best_charge(v: View, unit: Unit, target: Unit, *, flying: bool = False) -> tuple[int, Path] | None:
    """T9A-CHG-9: among the ways that fit, the one that ends with most models in contact, plainest first."""
    c = setup(v, unit, target, flying=flying)
    fits = [p for p in all_paths(c) if room_of(p) >= -EPS]
    if not fits:
        return None
    along: dict[int, Path] = {}
    for p in fits:
        x = (
            round(target.boundary.own(p.end.at)[0] / PLACE_STEP)
            if _sideways(c)
            else round(target.boundary.own(p.end.at)[1] / PLACE_STEP)
        )
        cost = abs(p.wheel_deg) + abs(p.align_deg)
        if x not in along or cost < abs(along[x].wheel_deg) + abs(along[x].align_deg):
            along[x] = p
    places = sorted(along)
    if len(places) > OFFSETS:
        places = [places[i] for i in np.unique(np.linspace(0, len(places) - 1, OFFSETS).round().astype(int))]
    best: tuple[int, Path] | None = None
    for x in places:
        p = along[x]
        n = contacts_at(v, unit, target, p.end)
        if best is None or (n, -abs(p.wheel_deg) - abs(p.align_deg)) > (
            best[0],
            -abs(best[1].wheel_deg) - abs(best[1].align_deg),
        ):
            best = n, p
    return best


def _sideways(c: Charge) -> bool:
    """Whether the charged facing runs across the target (front or rear) or along it (a flank)."""
    return c.face in ("front", "rear", None)


@query(
    "charge-best",
    {
        "en": "Which charge move brings most models into contact?",
        "es": "¿Qué movimiento de carga pone más miniaturas en contacto?",
    },
    FROM,
    TO,
    opt("flying", "flag", "charges flying", "carga volando"),
    rules=("T9A-CHG-3", "T9A-CHG-4", "T9A-CHG-9"),
    phase="charge",
)
def charge_best(v: View) -> Finding:
    unit, target = v.mover("from"), v.unit("to")
    rules = ("T9A-CHG-3", "T9A-CHG-4", "T9A-CHG-9")
    face, _ = charged_face(unit, target)
    best = best_charge(v, unit, target, flying=bool(v["flying"]))
    if best is None:
        return Finding(msg("t9a-charge-room", a=unit.label, b=target.label), rules, Answer.NO, arc=face)
    n, path = best
    end = moved_unit(unit, path.end)
    pairs = model_contacts(v, end, target)
    ids = tuple(sorted({s.id for s, _ in pairs} | {e.id for _, e in pairs}))
    shapes: list[Shape] = [polygon(m.frame.ring.tolist(), "contact") for pair in pairs for m in pair]
    return Finding(
        msg(
            "t9a-charge-best",
            a=unit.label,
            n=n,
            ahead=Length(path.ahead),
            turn=Angle(path.wheel_deg),
            then=Length(path.then),
            align=Angle(path.align_deg),
        ),
        rules,
        Answer.YES,
        value=float(n),
        kind="count",
        arc=face,
        ids=ids,
        at=path.end.at,
        margin_mm=max(0.0, room_of(path)) if math.isfinite(room_of(path)) else None,
        drawing=(outline(target.boundary), *path_drawing(unit, path), *dict.fromkeys(shapes)),
    )


@query(
    "charge-move",
    {"en": "Is this charge move legal?", "es": "¿Es legal este movimiento de carga?"},
    FROM,
    TO,
    need("steps", "json", "steps of the move", "pasos del movimiento"),
    opt("flying", "flag", "charges flying", "carga volando"),
    rules=("T9A-CHG-4", "T9A-CHG-5", "T9A-CHG-9", "T9A-SPC-3", "T9A-EDGE-1"),
    phase="charge",
)
def charge_move(v: View) -> Finding:
    unit, target = v.mover("from"), v.unit("to")
    steps = read_steps(v, v["steps"])
    way = travel(unit.frame, steps)
    c = setup(v, unit, target, flying=bool(v["flying"]))
    tests: list[tuple[str, float | None, Message]] = []
    kinds = [s.kind for s in steps]
    wheels = [s.amount for s in steps if s.kind == "wheel"]
    plain = (
        set(kinds) <= {"forward", "wheel"}
        and len(wheels) <= 1
        and all(abs(w) <= MAX_WHEEL_DEG for w in wheels)
    )
    if not plain:
        tests.append(("T9A-CHG-4", None, msg("t9a-charge-steps", a=unit.label)))
    if c.obstacles and not c.flying and way.covered:
        things = [
            v.units[o.id].footprint if o.id in v.units else v.features[o.id].footprint for o in c.obstacles
        ]
        nearest = between(list(way.covered), things).min(axis=0)
        for o, g in zip(c.obstacles, nearest, strict=True):
            least = float(g) if o.touchable else float(g) - 2 * EPS
            tests.append(("T9A-SPC-3", least, msg("t9a-charge-through", b=o.id, d=Length(abs(float(g))))))
    if v.scene.table is not None:
        on = min(front_on_board(v, p) for p in way.poses)
        tests.append(("T9A-EDGE-1", on, msg("t9a-move-over-edge", d=Length(abs(on)))))
    touch = _contact_test(v, c, way.end, target, tests)
    total, best = 0, None
    if touch is not None and all(m is None or m >= -EPS for _, m, _ in tests) and plain:
        total = contacts_at(v, unit, target, touch)
        best = best_charge(v, unit, target, flying=c.flying)
        if best is not None and best[0] > total:
            tests.append(("T9A-CHG-9", None, msg("t9a-charge-more", n=total, k=best[0])))
    failed = [t for t in tests if t[1] is None or t[1] < -EPS]
    sized = [m for _, m, _ in (failed or tests) if m is not None]
    margin = None if any(m is None for _, m, _ in failed) else min(sized, default=None)
    shapes: list[Shape] = [outline(way.start), outline(target.boundary), outline(way.end, "path")]
    if touch is not None:
        shapes.append(outline(touch, "contact"))
    return Finding(
        failed[0][2] if failed else msg("t9a-charge-legal", a=unit.label, b=target.label, n=total),
        tuple(dict.fromkeys(r for r, _, _ in failed)) or ("T9A-CHG-4", "T9A-CHG-9"),
        Answer.of(not failed),
        value=float(total) if touch is not None else None,
        kind="count",
        arc=c.face,
        at=touch.at if touch is not None else None,
        margin_mm=margin,
        steps=tuple(t for _, _, t in failed),
        drawing=tuple(shapes),
    )


def _contact_test(
    v: View, c: Charge, end: Frame, target: Unit, tests: list[tuple[str, float | None, Message]]
) -> Frame | None:
    """Whether the move ends in contact with the facing to be charged; where the charger stands once aligned."""
    short = end.footprint.gap(target.footprint)
    reach = v.touch - abs(short)
    key = "t9a-charge-short" if short > 0 else "t9a-charge-deep"
    tests.append(
        ("T9A-CHG-4", reach if abs(short) > v.touch else 0.0, msg(key, b=target.label, d=Length(abs(short))))
    )
    if abs(short) > v.touch:
        return None
    # set back a little, so that a front flush with the facing still meets it ahead
    back = end.moved(0.0, -max(2.0, 2 * v.touch))
    then, point, ok = first_touch(c, np.array([back.at]), np.array([back.facing]))
    if not bool(ok[0]):
        face = msg(f"t9a-face-{c.face}") if c.face else "–"
        tests.append(("T9A-CHG-5", None, msg("t9a-charge-wrong-face", b=target.label, face=face)))
        return None
    touch = back.moved(0.0, float(then[0]))
    if c.face is None or target.round:
        return touch
    align = turn_between(touch.facing, target.frame.normal_deg(c.face) + 180.0)
    aligned = touch.turned(align, (float(point[0][0]), float(point[0][1])))
    for o in c.obstacles:
        thing = v.units[o.id].footprint if o.id in v.units else v.features[o.id].footprint
        gap = aligned.gap(thing)
        tests.append(
            (
                "T9A-CHG-9",
                gap if o.touchable else gap - 2 * EPS,
                msg("t9a-charge-align", b=o.id, d=Length(abs(gap))),
            )
        )
    if v.scene.table is not None:
        on = v.on_board(aligned)
        tests.append(("T9A-EDGE-1", on, msg("t9a-move-over-edge", d=Length(abs(on)))))
    return aligned


register(
    {
        "t9a-charge-best": {
            "en": "{a} brings {n} models of both sides into contact: {ahead} ahead, wheel {turn}, {then} ahead, align {align}.",
            "es": "{a} pone {n} miniaturas de ambos bandos en contacto: {ahead} de frente, pivote de {turn}, {then} de frente, alinear {align}.",
        },
        "t9a-charge-legal": {
            "en": "{a} ends in contact with the right facing of {b} and aligns; {n} models of both sides touch, as many as can.",
            "es": "{a} acaba en contacto con el encaramiento debido de {b} y se alinea; {n} miniaturas de ambos bandos se tocan, todas las posibles.",
        },
        "t9a-charge-steps": {
            "en": "{a} may go straight forward and make one wheel of at most 90°, nothing else.",
            "es": "{a} puede ir de frente y hacer un solo pivote de 90° como mucho, nada más.",
        },
        "t9a-charge-through": {
            "en": "On the way it runs {d} into {b}, or touches an enemy that it may not touch.",
            "es": "Por el camino entra {d} en {b}, o toca a un enemigo que no puede tocar.",
        },
        "t9a-charge-align": {
            "en": "Aligned it would stand {d} in {b}, or touch an enemy that it may not touch.",
            "es": "Al alinearse quedaría {d} dentro de {b}, o tocaría a un enemigo que no puede tocar.",
        },
        "t9a-charge-short": {"en": "It ends {d} short of {b}.", "es": "Acaba a {d} de {b}."},
        "t9a-charge-deep": {"en": "It ends {d} inside {b}.", "es": "Acaba {d} dentro de {b}."},
        "t9a-charge-wrong-face": {
            "en": "It does not meet {b} with its front on the facing to be charged ({face}).",
            "es": "No toca a {b} de frente en el encaramiento que debe cargar ({face}).",
        },
        "t9a-charge-more": {
            "en": "{n} models of both sides would touch, but {k} can: contact must be maximised.",
            "es": "Se tocarían {n} miniaturas de ambos bandos, pero pueden {k}: hay que maximizar el contacto.",
        },
    }
)
