"""The inputs that several questions share."""

from __future__ import annotations

from ...game import Input

FROM = Input("from", "piece", {"en": "from", "es": "desde"})
FIGHTER = Input("from", "piece", {"en": "fighter", "es": "guerrero"})
TO = Input("to", "piece", {"en": "to", "es": "hasta"})
MAYBE_TO = Input("to", "piece", {"en": "to", "es": "hasta"}, required=False)
TO_HEX = Input("to_hex", "hex", {"en": "to the hex", "es": "hasta el hexágono"}, required=False)
HEX = Input("hex", "hex", {"en": "hex", "es": "hexágono"})
RANGE = Input("range", "count", {"en": "Range of the attack", "es": "Alcance del ataque"})
MOVE = Input("move", "count", {"en": "Move of the fighter", "es": "Movimiento del guerrero"})
PATH = Input("path", "hexes", {"en": "hexes entered, in order", "es": "hexágonos que pisa, en orden"})
ATTACKER = Input("attacker", "piece", {"en": "attacker", "es": "atacante"})
TARGET = Input("target", "piece", {"en": "target", "es": "blanco"})
KNOCKBACK = Input(
    "knockback", "count", {"en": "Knockback of the attack", "es": "Rechazar del ataque"}, False, (), 0
)
SIDE = Input("side", "text", {"en": "side", "es": "bando"})
