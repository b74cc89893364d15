"""Who may shoot (T9A-SHT-1 … 6)."""

from __future__ import annotations

import math

from ...drawing import Drawing, Shape, polygon, segment
from ...messages import Message, msg, register
from ...verdict import Finding
from .blocks import Model, Unit
from .contact import is_engaged
from .measure import band_margin, band_of
from .sight import can_see, targets_of
from .view import Ref, View, outline, query
from .words import FROM, TO, need, opt

__all__: list[str] = []

RANKS = 2


def _ranks(v: View, unit: Unit) -> float:
    """T9A-SHT-1 and 6: how many ranks shoot."""
    if "skirmisher" in unit.words:
        return math.inf
    ranks = RANKS + (v["extra_ranks"] or 0)
    if v["volley"] and unit.line and not v["moved"] and not v["stand_and_shoot"]:
        ranks += 1
    return ranks


def _barred(v: View, unit: Unit, target: Unit) -> Message | None:
    """What keeps the whole unit from shooting at the whole target."""
    if unit.has("fleeing") or unit.has("shaken") or is_engaged(v, unit):
        return msg("t9a-shoot-state", a=unit.label)
    if not v.are_enemies(unit, target):
        return msg("t9a-not-enemies", a=unit.label, b=target.label)
    if is_engaged(v, target):
        return msg("t9a-shoot-engaged", b=target.label)
    return None


@query(
    "shooters",
    {"en": "Which models may shoot?", "es": "¿Qué miniaturas pueden disparar?"},
    FROM,
    TO,
    need("weapon_range", "length", "range of the weapon", "alcance del arma"),
    opt("extra_ranks", "count", "extra ranks that shoot", "filas extra que disparan"),
    opt("band", "choice", "only at this range", "solo a este alcance", ("short", "long")),
    opt("volley", "flag", "Volley Fire", "Tiro Parabólico"),
    opt("moved", "flag", "has moved", "se ha movido"),
    opt("stand_and_shoot", "flag", "Stand and Shoot", "Aguantar y Disparar"),
    rules=tuple(f"T9A-SHT-{n}" for n in range(1, 7)),
    phase="shooting",
)
def shooters(v: View) -> Finding:
    ref, to = v.ref("from"), v.ref("to")
    unit, target = v.unit("from"), v.unit("to")
    _ = ref.frame
    rules = ("T9A-SHT-1", "T9A-SHT-2", "T9A-SHT-3", "T9A-SHT-4", "T9A-SHT-6")
    barred = _barred(v, unit, target)
    if barred is not None:
        return Finding(barred, rules, value=0.0, kind="count", ids=())
    aims = targets_of(v, to, models_only=True)
    leaver = {to.unit.id} if to.kind == "model" and to.unit is not None else set()
    ranks = _ranks(v, unit)
    weapon: float = v["weapon_range"]
    volley = bool(v["volley"]) and _anyone_sees(v, ref, to)
    chosen: list[Model] = []
    lines: list[Shape] = []
    margins: list[float] = []
    for m in ref.mates:
        if not m.beside and m.rank > ranks:
            continue
        away = max(0.0, m.frame.footprint.gap(to.footprint))
        band = band_of(away, weapon)
        if band == "out" and v["stand_and_shoot"]:
            band = "long"
        if v["stand_and_shoot"]:
            margins.append(abs(away - weapon / 2) if v["band"] else math.inf)
        else:
            margins.append(band_margin(away, weapon) if v["band"] else abs(weapon - away))
        if band == "out" or (v["band"] and band != v["band"]):
            continue
        up_to = m.height if volley else None
        sight = can_see(v, [m], aims, unit=unit, up_to=up_to, skip=leaver, margin=v.camera)
        if v.camera:
            margins.append(abs(sight.margin))
        if sight.sees:
            chosen.append(m)
            if sight.line is not None:
                lines.append(segment(*sight.line.ends, "clear"))
    ids = tuple(m.id for m in chosen)
    margin = min(margins, default=math.inf)
    drawing: Drawing = (
        outline(target.boundary),
        *(polygon(m.frame.ring.tolist(), "piece") for m in chosen),
        *lines,
    )
    return Finding(
        msg("t9a-shooters", a=ref.label, b=target.label, n=len(ids), all=len(ref.mates)),
        rules,
        value=float(len(ids)),
        kind="count",
        ids=ids,
        margin_mm=margin if v.camera and math.isfinite(margin) else None,
        drawing=drawing,
    )


def _anyone_sees(v: View, ref: Ref, to: Ref) -> bool:
    """T9A-SHT-6: volley fire needs one model of the unit that sees the target."""
    unit = ref.unit
    assert unit is not None
    return can_see(v, unit.models, targets_of(v, to), unit=unit, margin=False).sees


register(
    {
        "t9a-shoot-state": {
            "en": "{a} is fleeing, shaken or engaged: it does not shoot.",
            "es": "{a} huye, está desorganizada o trabada: no dispara.",
        },
        "t9a-shoot-engaged": {
            "en": "{b} is engaged in combat: it cannot be shot at.",
            "es": "{b} está trabada en combate: no se le puede disparar.",
        },
        "t9a-shooters": {
            "en": "{n} of {all} models of {a} are in a rank that shoots, in range, and see a model of {b}.",
            "es": "{n} de {all} miniaturas de {a} están en una fila que dispara, a su alcance, y ven una miniatura de {b}.",
        },
    }
)
