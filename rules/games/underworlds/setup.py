"""Before the first turn: joining the boards, objectives, deployment, territories and edges (UW-SET, UW-OBJ-1)."""

from __future__ import annotations

from ...errors import Unknown
from ...game import Input
from ...hexes import Hex, spoken
from ...messages import msg, register
from ...verdict import Answer, Finding
from .battlefield import Battlefield, counted, question
from .faces import join
from .inputs import HEX, SIDE

__all__: list[str] = []

SPACING = 2
"""An objective lies farther than this from every other one (UW-OBJ-1)."""


@question(
    "board-setup",
    {"en": "Are the boards joined well?", "es": "¿Están bien unidos los tableros?"},
    rules=("UW-SET-1",),
    phase="setup",
)
def board_setup(b: Battlefield) -> Finding:
    """UW-SET-1."""
    tiles = b.a.scene.board.tiles if b.a.scene.board else ()
    if len(tiles) != 2:
        raise Unknown(msg("uw-two-boards", n=len(tiles)), ("UW-SET-1",))
    joint = join(*tiles)
    n = len(joint.completed)
    reason = msg(f"uw-join-{joint.edges}", n=n, least=joint.least)
    return Finding(
        reason,
        ("UW-SET-1",),
        Answer.of(joint.legal),
        value=float(n),
        kind="count",
        limit=float(joint.least) if joint.edges in ("long", "short") else None,
        hexes=joint.completed,
        drawing=b.draw(joint.completed),
    )


def _objective_fault(b: Battlefield, h: Hex, edge_too: bool) -> str | None:
    """What keeps an objective from that hex (UW-OBJ-1), or None."""
    ground = b.ground
    if h not in ground.field:
        return "uw-obj-off"
    for where, fault in (
        (ground.start, "uw-obj-start"),
        (ground.blocked, "uw-obj-blocked"),
        (ground.lethal, "uw-obj-lethal"),
    ):
        if h in where:
            return fault
    steps = [ground.distance(h, b.hex_of(p)) for p in b.objectives]
    if any(n is not None and n <= SPACING for n in steps):
        return "uw-obj-near"
    return "uw-obj-edge" if ground.field.is_edge(h) and not edge_too else None


def _objective_hexes(b: Battlefield) -> tuple[tuple[Hex, ...], bool]:
    """Where an objective may lie, and whether that is at the edge because there is nowhere else."""
    order = b.ground.field.order
    found = tuple(h for h in order if _objective_fault(b, h, edge_too=False) is None)
    if found:
        return found, False
    return tuple(h for h in order if _objective_fault(b, h, edge_too=True) is None), True


@question(
    "objective-placement",
    {"en": "May an objective lie there?", "es": "¿Puede ir ahí un objetivo?"},
    HEX,
    rules=("UW-OBJ-1",),
    phase="setup",
)
def objective_placement(b: Battlefield) -> Finding:
    """UW-OBJ-1."""
    h = b.a["hex"]
    found, at_edge = _objective_hexes(b)
    fault = None if h in found else _objective_fault(b, h, at_edge)
    key = fault or ("uw-obj-edge-only" if at_edge else "uw-obj")
    drawing = b.draw((h,), "zone" if fault is None else "blocker")
    return Finding(msg(key, hex=spoken(h)), ("UW-OBJ-1",), Answer.of(fault is None), drawing=drawing)


@question(
    "objective-hexes",
    {"en": "Where may an objective lie?", "es": "¿Dónde puede ir un objetivo?"},
    rules=("UW-OBJ-1",),
    phase="setup",
)
def objective_hexes(b: Battlefield) -> Finding:
    """UW-OBJ-1."""
    found, at_edge = _objective_hexes(b)
    key = "uw-obj-hexes-edge" if at_edge and found else "uw-obj-hexes"
    return Finding(
        msg(key, n=len(found)),
        ("UW-OBJ-1",),
        value=counted(found),
        kind="count",
        hexes=found,
        drawing=b.draw(found),
    )


def _deploy_hexes(b: Battlefield, side: str) -> tuple[Hex, ...]:
    ground = b.ground
    return tuple(
        h for h in ground.field.order if h in ground.start and ground.territory.get(h) == side and b.empty(h)
    )


@question(
    "deploy",
    {"en": "May a fighter start there?", "es": "¿Puede empezar ahí un guerrero?"},
    SIDE,
    Input("hex", "hex", {"en": "hex", "es": "hexágono"}, required=False),
    rules=("UW-SET-4",),
    phase="setup",
)
def deploy(b: Battlefield) -> Finding:
    """UW-SET-4. Without a hex: is there any left?"""
    side, h = b.a["side"], b.a["hex"]
    found = _deploy_hexes(b, side)
    if h is None:
        return Finding(
            msg("uw-deploy-hexes", side=side, n=len(found)), ("UW-SET-4",), Answer.of(bool(found)), hexes=found,
            drawing=b.draw(found),
        )  # fmt: skip
    holds = h in found
    if holds:
        key = "uw-deploy"
    elif h not in b.ground.start:
        key = "uw-deploy-start"
    elif b.ground.territory.get(h) != side:
        key = "uw-deploy-territory"
    else:
        key = "uw-deploy-full"
    drawing = b.draw((h,), "zone" if holds else "blocker")
    return Finding(msg(key, hex=spoken(h), side=side), ("UW-SET-4",), Answer.of(holds), drawing=drawing)


@question(
    "deploy-hexes",
    {"en": "Where may fighters start?", "es": "¿Dónde pueden empezar?"},
    SIDE,
    rules=("UW-SET-4",),
    phase="setup",
)
def deploy_hexes(b: Battlefield) -> Finding:
    """UW-SET-4."""
    side = b.a["side"]
    found = _deploy_hexes(b, side)
    return Finding(
        msg("uw-deploy-hexes", side=side, n=len(found)),
        ("UW-SET-4",),
        value=counted(found),
        kind="count",
        hexes=found,
        drawing=b.draw(found),
    )


@question(
    "edge-hex",
    {"en": "Is it an edge hex?", "es": "¿Es un hexágono de borde?"},
    HEX,
    rules=("UW-HEX-3",),
    phase="setup",
)
def edge_hex(b: Battlefield) -> Finding:
    """UW-HEX-3."""
    h = b.a["hex"]
    inside = h in b.ground.field
    holds = b.ground.field.is_edge(h)
    n = len(b.ground.field.neighbours(h))
    key = "uw-edge-off" if not inside else "uw-edge" if holds else "uw-not-edge"
    return Finding(
        msg(key, hex=spoken(h), n=n),
        ("UW-HEX-3",),
        Answer.of(holds),
        drawing=b.draw((h,), "limit" if holds else "zone"),
    )


@question(
    "edge-hexes",
    {"en": "Which hexes are at the edge?", "es": "¿Cuáles son de borde?"},
    rules=("UW-HEX-3",),
    phase="setup",
)
def edge_hexes(b: Battlefield) -> Finding:
    """UW-HEX-3: all of them, the blocked ones included."""
    found = tuple(h for h in b.ground.field.order if b.ground.field.is_edge(h))
    reason = msg("uw-edges", n=len(found))
    return Finding(
        reason, ("UW-HEX-3",), value=counted(found), kind="count", hexes=found, drawing=b.draw(found, "limit")
    )


@question(
    "territory",
    {"en": "Whose territory is it?", "es": "¿De quién es ese territorio?"},
    HEX,
    rules=("UW-SET-2",),
    phase="setup",
)
def territory(b: Battlefield) -> Finding:
    """UW-SET-2."""
    h = b.a["hex"]
    owner = b.ground.territory.get(h, "none")
    inside = h in b.ground.field
    key = "uw-territory-off" if not inside else "uw-territory-none" if owner == "none" else "uw-territory"
    return Finding(msg(key, hex=spoken(h), side=owner), ("UW-SET-2",), band=owner, drawing=b.draw((h,)))


register(
    {
        "uw-two-boards": {
            "en": "Two boards are wanted in board.tiles to see how they are joined; there are {n}.",
            "es": "Hacen falta dos tableros en board.tiles para ver cómo están unidos; hay {n}.",
        },
        "uw-join-long": {
            "en": "Joined along their long edges; hexes completed: {n}, needed: {least}.",
            "es": "Unidos por los lados largos; hexágonos completados: {n}, necesarios: {least}.",
        },
        "uw-join-short": {
            "en": "Joined along their short edges; hexes completed: {n}, needed: {least}.",
            "es": "Unidos por los lados cortos; hexágonos completados: {n}, necesarios: {least}.",
        },
        "uw-join-apart": {
            "en": "The boards do not meet along an edge; hexes completed: {n}.",
            "es": "Los tableros no se unen por un lado; hexágonos completados: {n}.",
        },
        "uw-join-overlap": {
            "en": "The boards lie on top of each other; hexes completed: {n}.",
            "es": "Los tableros se solapan; hexágonos completados: {n}.",
        },
        "uw-obj": {
            "en": "{hex} is not a starting, blocked, lethal or edge hex, and every other objective is over 2 hexes away.",
            "es": "{hex} no es inicial, bloqueado, letal ni de borde, y los demás objetivos están a más de 2 hexágonos.",
        },
        "uw-obj-edge-only": {
            "en": "No other hex is left, so the edge hex {hex} may be used.",
            "es": "No queda otro hexágono, así que se puede usar el de borde {hex}.",
        },
        "uw-obj-off": {
            "en": "{hex} is not a complete hex of the battlefield.",
            "es": "{hex} no es un hexágono completo del campo de batalla.",
        },
        "uw-obj-start": {"en": "{hex} is a starting hex.", "es": "{hex} es un hexágono inicial."},
        "uw-obj-blocked": {"en": "{hex} is a blocked hex.", "es": "{hex} es un hexágono bloqueado."},
        "uw-obj-lethal": {"en": "{hex} is a lethal hex.", "es": "{hex} es un hexágono letal."},
        "uw-obj-edge": {
            "en": "{hex} is an edge hex, and there are other hexes left.",
            "es": "{hex} es un hexágono de borde y quedan otros hexágonos.",
        },
        "uw-obj-near": {
            "en": "{hex} is within 2 hexes of another objective.",
            "es": "{hex} está a 2 hexágonos o menos de otro objetivo.",
        },
        "uw-obj-hexes": {
            "en": "Hexes where an objective may lie: {n}.",
            "es": "Hexágonos donde puede ir un objetivo: {n}.",
        },
        "uw-obj-hexes-edge": {
            "en": "Only edge hexes are left for an objective: {n}.",
            "es": "Para un objetivo solo quedan hexágonos de borde: {n}.",
        },
        "uw-deploy": {
            "en": "{hex} is an empty starting hex in the territory of {side}.",
            "es": "{hex} es un hexágono inicial vacío del territorio de {side}.",
        },
        "uw-deploy-start": {"en": "{hex} is not a starting hex.", "es": "{hex} no es un hexágono inicial."},
        "uw-deploy-territory": {
            "en": "{hex} is not in the territory of {side}.",
            "es": "{hex} no está en el territorio de {side}.",
        },
        "uw-deploy-full": {"en": "{hex} is not empty.", "es": "{hex} no está vacío."},
        "uw-deploy-hexes": {
            "en": "Empty starting hexes in the territory of {side}: {n}.",
            "es": "Hexágonos iniciales vacíos en el territorio de {side}: {n}.",
        },
        "uw-edge": {
            "en": "Neighbours of {hex} on the battlefield: {n}, fewer than six.",
            "es": "Vecinos de {hex} en el campo de batalla: {n}, menos de seis.",
        },
        "uw-not-edge": {
            "en": "{hex} has all six neighbours on the battlefield.",
            "es": "{hex} tiene los seis vecinos en el campo de batalla.",
        },
        "uw-edge-off": {
            "en": "{hex} is not a hex of the battlefield, so it is no edge hex.",
            "es": "{hex} no es del campo de batalla, así que no es de borde.",
        },
        "uw-edges": {
            "en": "Hexes with fewer than six neighbours on the battlefield: {n}.",
            "es": "Hexágonos con menos de seis vecinos en el campo de batalla: {n}.",
        },
        "uw-territory": {"en": "{hex} is territory of {side}.", "es": "{hex} es territorio de {side}."},
        "uw-territory-none": {"en": "{hex} is no one's territory.", "es": "{hex} es territorio de nadie."},
        "uw-territory-off": {
            "en": "{hex} is not a hex of the battlefield: no one's territory.",
            "es": "{hex} no es del campo de batalla: territorio de nadie.",
        },
    }
)  # fmt: skip
