"""Attacks that count ranks or files: area attacks and flamethrowers (T9A-ATK-AREA, T9A-ATK-FLAME)."""

from __future__ import annotations

import math

from ...drawing import segment
from ...messages import msg, register
from ...verdict import Finding
from .arcs import arc_lines, located
from .blocks import Unit
from .contact import engaged_with
from .frames import FACES
from .view import View, outline, query
from .words import FROM, TO, need, opt

__all__: list[str] = []

FLAME_CAP = 4
FLANKS = ("left-flank", "right-flank", "flank")


def _side_of(v: View) -> tuple[Unit, str, float]:
    """The target, the facing of it that is struck and the margin: engaged on it, or located in its arc."""
    ref, target = v.ref("from"), v.unit("to")
    if v["facing"] is not None:
        return target, v["facing"], math.inf
    attacker = v.unit("from")
    m = engaged_with(v, attacker, target)
    if m is not None:
        return target, m.other, math.inf
    face, margin = located(target.frame, ref.reference)
    return target, face, margin


@query(
    "area-hits",
    {"en": "How many hits of an area attack?", "es": "¿Cuántos impactos de un ataque de área?"},
    FROM,
    TO,
    need("x", "count", "hits for each rank or file (X)", "impactos por fila o columna (X)"),
    need("y", "count", "ranks or files (Y)", "filas o columnas (Y)"),
    opt("facing", "choice", "facing struck, if known", "encaramiento atacado, si se sabe", (*FACES, "flank")),
    rules=("T9A-ATK-AREA", "T9A-ARC-3"),
    phase="shooting",
)
def area_hits(v: View) -> Finding:
    target, face, margin = _side_of(v)
    rows = target.file_sizes() if face in FLANKS else target.rank_sizes()
    best = sorted((min(v["x"], n) for n in rows), reverse=True)[: v["y"]]
    total = min(sum(best), len(target.models))
    key = "t9a-area-files" if face in FLANKS else "t9a-area-ranks"
    return Finding(
        msg(key, b=target.label, rows=rows, n=total, x=v["x"], y=v["y"]),
        ("T9A-ATK-AREA", "T9A-ARC-3"),
        value=float(total),
        kind="count",
        arc=face,
        margin_mm=margin if math.isfinite(margin) else None,
        drawing=(
            *arc_lines(target.boundary),
            outline(target.boundary),
            segment(v.ref("from").centre, target.centre),
        ),
        depends=v.depends(v.unit("from"), target),
    )


@query(
    "flamethrower",
    {"en": "How many D3 of a flamethrower?", "es": "¿Cuántos D3 de un lanzallamas?"},
    FROM,
    TO,
    rules=("T9A-ATK-FLAME", "T9A-ARC-3"),
    phase="shooting",
)
def flamethrower(v: View) -> Finding:
    target, face, margin = _side_of(v)
    rows = target.files if face in FLANKS else target.ranks
    dice = min(FLAME_CAP, rows - 1)
    key = "t9a-flame-files" if face in FLANKS else "t9a-flame-ranks"
    return Finding(
        msg(key, b=target.label, rows=rows, n=dice, cap=FLAME_CAP),
        ("T9A-ATK-FLAME", "T9A-ARC-3"),
        value=float(dice),
        kind="count",
        arc=face,
        margin_mm=margin if math.isfinite(margin) else None,
        drawing=(
            *arc_lines(target.boundary),
            outline(target.boundary),
            segment(v.ref("from").centre, target.centre),
        ),
        depends=v.depends(v.unit("from"), target),
    )


register(
    {
        "t9a-area-ranks": {
            "en": "{b} is struck from front or rear: the best {y} of ranks of {rows}, {x} each at most: {n} hits.",
            "es": "{b} recibe el ataque por el frente o la retaguardia: las mejores {y} de filas de {rows}, {x} cada una como mucho: {n} impactos.",
        },
        "t9a-area-files": {
            "en": "{b} is struck from the flank: the best {y} of files of {rows}, {x} each at most: {n} hits.",
            "es": "{b} recibe el ataque por el flanco: las mejores {y} de columnas de {rows}, {x} cada una como mucho: {n} impactos.",
        },
        "t9a-flame-ranks": {
            "en": "{b} is struck from front or rear: {rows} ranks give {n} D3 (at most {cap}).",
            "es": "{b} recibe el ataque por el frente o la retaguardia: {rows} filas dan {n} D3 (como mucho {cap}).",
        },
        "t9a-flame-files": {
            "en": "{b} is struck from the flank: {rows} files give {n} D3 (at most {cap}).",
            "es": "{b} recibe el ataque por el flanco: {rows} columnas dan {n} D3 (como mucho {cap}).",
        },
    }
)
