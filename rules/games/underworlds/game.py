"""Warhammer Underworlds as data: its settings, its words and what its hexes are called."""

from __future__ import annotations

from ...game import Game, Param, Trait

HEX_TYPES = {
    "normal": {"en": "normal", "es": "normal"},
    "blocked": {"en": "blocked", "es": "bloqueado"},
    "lethal": {"en": "lethal", "es": "letal"},
    "incomplete": {"en": "incomplete", "es": "incompleto"},
}
"""The printed types of a hex (UW-HEX-3)."""

GAME = Game(
    id="underworlds",
    title={"en": "Warhammer Underworlds", "es": "Warhammer Underworlds"},
    unit="mm",
    params=(
        Param(
            "across_flats",
            "length",
            52,
            {"en": "hex, across flats", "es": "hexágono, entre lados opuestos"},
            sure=False,
            least=5,
            most=500,
        ),
        Param(
            "locate_tol",
            "length",
            3,
            {"en": "play of a base in its hex", "es": "holgura de una peana en su hexágono"},
            least=0,
        ),
        Param(
            "objective_token_across_flats",
            "length",
            52,
            {"en": "objective token, across flats", "es": "marcador de objetivo, entre lados opuestos"},
            sure=False,
            least=5,
            most=500,
        ),
        Param(
            "base_diameter_farstriders",
            "length",
            40,
            {"en": "base of the Farstriders", "es": "peana de los Incursores Raudos"},
            sure=False,
            least=5,
            most=200,
        ),
        Param(
            "base_diameter_sepulchral_guard",
            "length",
            25,
            {"en": "base of the Sepulchral Guard", "es": "peana de la Guardia Sepulcral"},
            sure=False,
            least=5,
            most=200,
        ),
        Param(
            "lethal_damage",
            "number",
            0,
            {"en": "damage of a lethal hex", "es": "daño de un hexágono letal"},
            least=0,
        ),
    ),
    traits=(
        Trait("leader", {"en": "leader", "es": "líder"}),
        Trait("flying", {"en": "flying", "es": "volador"}),
        Trait("guard", {"en": "Guard token", "es": "marcador de Guardia"}),
        Trait("staggered", {"en": "Stagger token", "es": "marcador de Tambalear"}),
        Trait("move-token", {"en": "Move token", "es": "marcador de Movimiento"}),
        Trait("charge-token", {"en": "Charge token", "es": "marcador de Carga"}),
        Trait("objective", {"en": "objective token", "es": "marcador de objetivo"}),
        Trait("value", {"en": "number of the objective", "es": "número del objetivo"}, value="1-5"),
        Trait("face-down", {"en": "face down", "es": "boca abajo"}),
    ),
    terrain_types=HEX_TYPES,
    phases={
        "setup": {"en": "Set-up", "es": "Preparación"},
        "measure": {"en": "Measuring", "es": "Medir"},
        "move": {"en": "Moving", "es": "Movimiento"},
        "attack": {"en": "Attacking", "es": "Ataque"},
        "end": {"en": "Objectives and end", "es": "Objetivos y final"},
        "camera": {"en": "What the camera sees", "es": "Lo que ve la cámara"},
    },
    bases_mm=((25.0,), (40.0,)),
    unmentioned_params=frozenset(
        {
            "objective_token_across_flats",
            "base_diameter_farstriders",
            "base_diameter_sepulchral_guard",
            "lethal_damage",
        }
    ),
)
