"""Inputs that several questions share, with their titles."""

from __future__ import annotations

from ...game import Input, InputKind

__all__ = ["ADVANCE", "COMBAT", "DEPLOYMENTS", "EXEMPT", "FROM", "TO", "ZONE_INPUTS", "opt"]

FROM = Input("from", "place", {"en": "unit or model", "es": "unidad o miniatura"})
TO = Input("to", "place", {"en": "target", "es": "objetivo"})
ADVANCE = Input("advance", "length", {"en": "Advance Rate", "es": "Capacidad de Avance"})
EXEMPT = Input(
    "exempt",
    "json",
    {"en": "units that may stay within 1 in", "es": "unidades que pueden quedarse a menos de 1 in"},
    required=False,
)
COMBAT = Input(
    "combat", "json", {"en": "units of this combat", "es": "unidades de este combate"}, required=False
)
DEPLOYMENTS = (
    "frontline-clash",
    "dawn-assault",
    "counterthrust",
    "encircle",
    "refused-flank",
    "marching-columns",
)


def opt(name: str, kind: InputKind, en: str, es: str, choices: tuple[str, ...] = ()) -> Input:
    """An input that may be left out."""
    return Input(name, kind, {"en": en, "es": es}, required=False, choices=choices)


def need(name: str, kind: InputKind, en: str, es: str, choices: tuple[str, ...] = ()) -> Input:
    return Input(name, kind, {"en": en, "es": es}, choices=choices)


ZONE_INPUTS = (
    opt("own_short_edge", "choice", "own short edge", "borde corto propio", ("left", "right")),
    opt("role", "choice", "attacker or defender", "atacante o defensor", ("attacker", "defender")),
    opt("diagonal", "choice", "diagonal of the board", "diagonal del tablero", ("rising", "falling")),
)
