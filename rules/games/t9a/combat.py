"""What position adds to a combat: rank, flank and rear bonuses, Steadfast (T9A-CR-1 … 4)."""

from __future__ import annotations

from ...drawing import Drawing
from ...messages import msg, register
from ...verdict import Answer, Finding
from .blocks import Unit
from .contact import engaged_with
from .melee import combat_of, edge_line, links_margin
from .numbers import EPS
from .terrain_at import centres_inside
from .view import View, outlines, query
from .words import FROM, need

__all__: list[str] = []

FLANKS = ("left-flank", "right-flank")


def _struck(v: View, unit: Unit, units: list[Unit]) -> list[tuple[Unit, str]]:
    """The enemies that a unit fights and the facing of theirs that it is on."""
    out = []
    for e in units:
        m = engaged_with(v, unit, e)
        if m is not None and not e.round:
            out.append((e, m.other))
    return out


@query(
    "combat-bonus",
    {"en": "Positional combat bonus", "es": "Bonificador de combate por posición"},
    need("side", "text", "side", "bando"),
    rules=("T9A-CR-1", "T9A-CR-2", "T9A-FORM-4"),
    phase="melee",
)
def combat_bonus(v: View) -> Finding:
    fighting = [u for u in v.units.values() if len(combat_of(v, u)) > 1]
    mine = [u for u in fighting if u.side == v["side"]]
    ranks = max((u.rank_bonus for u in mine), default=0)
    flank = rear = 0
    lines: Drawing = ()
    for u in mine:
        for enemy, face in _struck(v, u, fighting):
            full = 1 if u.full_ranks else 0
            if face in FLANKS:
                flank = max(flank, 1 + full)
            elif face == "rear":
                rear = max(rear, 2 + full)
            lines += (edge_line(enemy, face),)
    total = ranks + flank + rear
    return Finding(
        msg("t9a-combat-bonus", side=v["side"], n=total, ranks=ranks, flank=flank, rear=rear),
        ("T9A-CR-1", "T9A-CR-2", "T9A-FORM-4"),
        value=float(total),
        kind="count",
        margin_mm=links_margin(v, [u for u in v.units.values() if u.side == v["side"]]) if v.camera else None,
        drawing=(*outlines(fighting), *lines),
    )


@query(
    "steadfast",
    {"en": "Is it Steadfast?", "es": "¿Es Impasible?"},
    FROM,
    rules=("T9A-CR-3", "T9A-CR-4", "T9A-TER-MAJ"),
    phase="melee",
)
def steadfast(v: View) -> Finding:
    unit = v.unit()
    linked = combat_of(v, unit)
    foes = [u for u in linked if v.are_enemies(unit, u)]
    mine = unit.full_ranks
    most = max((e.full_ranks for e in foes), default=0)
    margin = links_margin(v, [unit]) if v.camera else None
    takers = [
        e
        for e in foes
        if e.full_ranks >= 2 and (m := engaged_with(v, e, unit)) and m.other != "front" and not unit.round
    ]
    inside, depth = centres_inside(v, unit, v.of_type("forest", "water"))
    broken = depth >= -EPS and not unit.most_are("strider") and bool(inside)
    if v.camera and v.of_type("forest", "water") and not unit.most_are("strider"):
        margin = abs(depth) if margin is None else min(margin, abs(depth))
    holds = bool(foes) and mine > most and not takers and not broken
    if not foes:
        reason = msg("t9a-steadfast-alone", a=unit.label)
    elif mine <= most:
        reason = msg("t9a-steadfast-ranks", a=unit.label, n=mine, k=most)
    elif takers:
        reason = msg("t9a-steadfast-flank", a=unit.label, b=takers[0].label, k=takers[0].full_ranks)
    elif broken:
        reason = msg("t9a-steadfast-terrain", a=unit.label, n=len(inside), all=len(unit.models))
    else:
        reason = msg("t9a-steadfast-yes", a=unit.label, n=mine, k=most)
    rules = ("T9A-CR-3", "T9A-CR-4", "T9A-TER-MAJ") if inside else ("T9A-CR-3",)
    return Finding(
        reason,
        rules,
        Answer.of(holds),
        margin_mm=None if margin is None else (margin if holds else -margin),
        drawing=outlines(linked),
    )


register(
    {
        "t9a-combat-bonus": {
            "en": "Side {side}: ranks +{ranks}, flank +{flank}, rear +{rear}: {n}.",
            "es": "Bando {side}: filas +{ranks}, flanco +{flank}, retaguardia +{rear}: {n}.",
        },
        "t9a-steadfast-alone": {
            "en": "{a} is not engaged in combat.",
            "es": "{a} no está trabada en combate.",
        },
        "t9a-steadfast-ranks": {
            "en": "{a} has {n} full ranks, an enemy of the combat has {k}: more are needed.",
            "es": "{a} tiene {n} filas completas y un enemigo del combate {k}: hacen falta más.",
        },
        "t9a-steadfast-flank": {
            "en": "{b} with {k} full ranks is engaged in the flank or rear of {a}.",
            "es": "{b}, con {k} filas completas, está trabada en el flanco o la retaguardia de {a}.",
        },
        "t9a-steadfast-terrain": {
            "en": "{n} of {all} base centres of {a} are in forest or water, more than half.",
            "es": "{n} de {all} centros de peana de {a} están en bosque o agua, más de la mitad.",
        },
        "t9a-steadfast-yes": {
            "en": "{a} has {n} full ranks, more than any enemy of the combat ({k}).",
            "es": "{a} tiene {n} filas completas, más que cualquier enemigo del combate ({k}).",
        },
    }
)
