"""The Siege of Runedar as data: its settings and its words."""

from __future__ import annotations

from ...game import Game, Param, Trait
from ...messages import Text

SPACES: dict[str, Text] = {
    "chamber": {"en": "the central chamber", "es": "la cámara central"},
    "carpentry": {"en": "the carpentry", "es": "la carpintería"},
    "tannery": {"en": "the tannery", "es": "la peletería"},
    "foundry": {"en": "the foundry", "es": "la fundición"},
    "courtyard": {"en": "the tunnel courtyard", "es": "el patio de la entrada al túnel"},
    "wall-carpentry": {"en": "the carpentry wall", "es": "el muro de la carpintería"},
    "wall-tannery": {"en": "the tannery wall", "es": "el muro de la peletería"},
    "wall-foundry": {"en": "the foundry wall", "es": "el muro de la fundición"},
    "outside-carpentry": {"en": "the ground outside the carpentry", "es": "el exterior de la carpintería"},
    "outside-tannery": {"en": "the ground outside the tannery", "es": "el exterior de la peletería"},
    "outside-foundry": {"en": "the ground outside the foundry", "es": "el exterior de la fundición"},
    "tower-tunnel": {"en": "the tunnel tower", "es": "la torre del túnel"},
    "tower-carpentry-tannery": {
        "en": "the tower between carpentry and tannery",
        "es": "la torre entre carpintería y peletería",
    },
    "tower-tannery-foundry": {
        "en": "the tower between tannery and foundry",
        "es": "la torre entre peletería y fundición",
    },
    "tower-carpentry-foundry": {
        "en": "the tower between carpentry and foundry",
        "es": "la torre entre carpintería y fundición",
    },
    "tower-foundry-tannery": {
        "en": "the tower between foundry and tannery",
        "es": "la torre entre fundición y peletería",
    },
    "reserve": {"en": "the reserve", "es": "la reserva"},
    "supply": {"en": "the supply", "es": "la provisión"},
    **{f"slot-{n}": {"en": f"slot {n}", "es": f"el hueco {n}"} for n in range(1, 6)},
    **{f"tunnel-{n}": {"en": f"tunnel section {n}", "es": f"la sección {n} del túnel"} for n in range(1, 6)},
}
"""What people call the spaces; the two orders of the walls name their towers differently (SR-GRAPH-3)."""

GAME = Game(
    id="siege-of-runedar",
    title={"en": "The Siege of Runedar", "es": "The Siege of Runedar"},
    unit="mm",
    params=(
        Param(
            "patio_ring",
            "flag",
            True,
            {"en": "neighbouring courtyards touch", "es": "los patios vecinos se tocan"},
            sure=False,
        ),
        Param(
            "wall_order",
            "json",
            ["carpentry", "tannery", "foundry"],
            {
                "en": "order of the walls from the tunnel tower",
                "es": "orden de los muros desde la torre del túnel",
            },
            sure=False,
        ),
    ),
    traits=(
        Trait("dwarf", {"en": "dwarf", "es": "enano"}),
        Trait("orc", {"en": "orc", "es": "orco"}),
        Trait("goblin", {"en": "goblin", "es": "goblin"}),
        Trait("hostile", {"en": "its token shows impacts", "es": "su ficha muestra impactos"}),
        Trait("troll", {"en": "troll", "es": "trol"}),
        Trait("catapult", {"en": "catapult", "es": "catapulta"}),
        Trait("siege-tower", {"en": "siege tower", "es": "torre de asedio"}),
        Trait("lying", {"en": "lying (solo)", "es": "tumbada (solitario)"}),
        Trait("standing", {"en": "standing (solo)", "es": "levantada (solitario)"}),
        Trait("gold", {"en": "gold", "es": "oro"}),
        Trait("wood", {"en": "wood", "es": "madera"}),
        Trait("leather", {"en": "leather", "es": "piel"}),
        Trait("metal", {"en": "metal", "es": "metal"}),
        Trait("rubble", {"en": "rubble", "es": "escombros"}),
        Trait(
            "rubble-for", {"en": "rubble beside a goblin", "es": "escombros junto a un goblin"}, value="id"
        ),
        Trait("for", {"en": "goods beside a goblin", "es": "recursos junto a un goblin"}, value="id"),
        Trait("tunnel-block", {"en": "tunnel section", "es": "sección del túnel"}),
        Trait("catapult-card", {"en": "catapult card", "es": "carta de catapulta"}),
        Trait("troll-pile", {"en": "pile of troll tokens", "es": "pila de fichas de trol"}),
        Trait("catapult-deck", {"en": "catapult deck", "es": "mazo de catapulta"}),
        Trait("siege-deck", {"en": "siege deck", "es": "mazo de asedio"}),
    ),
    terrain_types=SPACES,
    phases={
        "setup": {"en": "Set-up", "es": "Preparación"},
        "measure": {"en": "Spaces and steps", "es": "Espacios y pasos"},
        "move": {"en": "Moving", "es": "Mover"},
        "attack": {"en": "Attacking", "es": "Atacar"},
        "work": {"en": "Working and digging", "es": "Trabajar y cavar"},
        "siege": {"en": "The siege", "es": "El asedio"},
        "end": {"en": "Counts and end", "es": "Recuentos y final"},
    },
)
