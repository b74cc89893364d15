"""Mage Knight: its settings, words and phases."""

from __future__ import annotations

from ...game import Game, Input, Param, Trait
from ...units import MM_PER_IN

__all__ = ["CONTACT", "FROM", "GAME", "ONE_PIECE", "OTHER_TO", "PATH", "SLACK_MM", "SPEED", "TO"]

SLACK_MM = 1e-6 * MM_PER_IN
"""The sheet's numeric slack on every comparison: 1e-6 in."""

GAME = Game(
    id="mage-knight",
    title={"en": "Mage Knight", "es": "Mage Knight"},
    unit="in",
    params=(
        Param("front_arc_deg", "angle", 180, {"en": "front arc", "es": "arco frontal"}, sure=False, least=1, most=360),
        Param("rear_arc_deg", "angle", None, {"en": "rear arc (default: the rest)", "es": "arco trasero (por omisión, el resto)"}, least=0, most=360),
        Param("base_diameter", "length", 1.5, {"en": "diameter of a base", "es": "diámetro de una peana"}, unit="in", sure=False, least=0.01),
        Param("base_diameter_unique", "length", 2.0, {"en": "diameter of a Unique base", "es": "diámetro de una peana Única"}, unit="in", sure=False, least=0.01),
        Param("objective_diameter", "length", 1.5, {"en": "diameter of an objective", "es": "diámetro de un objetivo"}, unit="in", sure=False, least=0.01),
        Param("contact_tol", "length", 0.04, {"en": "gap that still is contact", "es": "hueco que aún es contacto"}, unit="in", least=0),
        Param("place_tol", "length", 0.125, {"en": "tolerance of a placed objective", "es": "tolerancia al colocar un objetivo"}, unit="in", least=0),
        Param("deploy_edges", "json", ("near", "far"), {"en": "edges with a deployment zone", "es": "bordes con zona de despliegue"}),
        Param("soaring_bases_block", "flag", True, {"en": "soaring bases block lines of fire", "es": "las peanas en vuelo alto bloquean"}),
    ),
    traits=(
        Trait("front-arc", {"en": "front arc of this base", "es": "arco frontal de esta peana"}, "deg"),
        Trait("rear-arc", {"en": "rear arc of this base", "es": "arco trasero de esta peana"}, "deg"),
        Trait("boot", {"en": "boot", "es": "bota"}),
        Trait("horseshoe", {"en": "horseshoe", "es": "herradura"}),
        Trait("wave", {"en": "wave", "es": "ola"}),
        Trait("wing", {"en": "wing", "es": "ala"}),
        Trait("soaring", {"en": "soaring", "es": "en vuelo alto"}),
        Trait("sword", {"en": "sword", "es": "espada"}),
        Trait("bow", {"en": "bow", "es": "arco"}),
        Trait("wand", {"en": "wand", "es": "varita mágica"}),
        Trait("faction", {"en": "faction", "es": "facción"}, "name"),
        Trait("range", {"en": "range value", "es": "valor de alcance"}, "N"),
        Trait("action-tokens", {"en": "action markers", "es": "marcadores de acción"}, "N"),
        Trait("captive", {"en": "captive", "es": "cautivo"}, "captor"),
        Trait("demoralized", {"en": "demoralised", "es": "desmoralizado"}),
        Trait("magic-immune", {"en": "immune to magic", "es": "inmune a la magia"}),
        Trait("unique", {"en": "Unique", "es": "Único"}),
        Trait("magespawn", {"en": "Magespawn", "es": "Magespawn"}),
        Trait("objective", {"en": "objective marker", "es": "marcador de objetivo"}),
        Trait("contact", {"en": "the players agree that it touches", "es": "los jugadores acuerdan que toca a"}, "id"),
        Trait("elevated", {"en": "elevated", "es": "elevado"}, on="terrain"),
        Trait("constructed", {"en": "constructed", "es": "construido"}, on="terrain"),
    ),
    terrain_types={
        "clear": {"en": "clear", "es": "despejado"},
        "hindering": {"en": "hindering", "es": "obstaculizado"},
        "concealing": {"en": "concealing", "es": "ocultamiento"},
        "blocking": {"en": "blocking", "es": "bloqueado"},
        "abyss": {"en": "abyss", "es": "abismo"},
        "shallow-water": {"en": "shallow water", "es": "aguas poco profundas"},
        "deep-water": {"en": "deep water", "es": "aguas profundas"},
    },
    phases={
        "measure": {"en": "any time", "es": "en cualquier momento"},
        "setup": {"en": "set-up", "es": "preparación"},
        "move": {"en": "movement", "es": "movimiento"},
        "shoot": {"en": "ranged combat", "es": "combate a distancia"},
        "fight": {"en": "close combat", "es": "cuerpo a cuerpo"},
        "end": {"en": "end phase", "es": "fase final"},
    },
    bases_mm=((38.1,), (50.8,)),
    table_mm=(1016.0, 1016.0),
)  # fmt: skip

FROM = Input("from", "piece", {"en": "from", "es": "desde"})
TO = Input("to", "piece", {"en": "to", "es": "hasta"})
OTHER_TO = Input("to", "piece", {"en": "to", "es": "hasta"}, required=False)
ONE_PIECE = Input("piece", "piece", {"en": "figure", "es": "figura"})
PATH = Input("path", "path", {"en": "path of the centre", "es": "camino del centro"})
SPEED = Input("speed", "length", {"en": "speed", "es": "velocidad"})
CONTACT = Input(
    "contact",
    "json",
    {"en": "pairs that touch by agreement", "es": "parejas en contacto por acuerdo"},
    required=False,
)
"""Players may agree that two figures whose sculpts collide touch: a list of pairs of ids (or one pair)."""
