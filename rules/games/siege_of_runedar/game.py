"""The Siege of Runedar as data: its settings and its words."""

from __future__ import annotations

from ...game import Game, Param, Trait

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
