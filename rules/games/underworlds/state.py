"""Who holds what, whether the table is in a legal state, and which hex a piece stands in (UW-OBJ, UW-HEX-4, 5)."""

from __future__ import annotations

from ...drawing import Drawing, Polygon, segment
from ...errors import QuestionError, Unknown
from ...game import Asked, Input
from ...hexes import locate as locate_hex
from ...hexes import spoken
from ...messages import Message, msg, register
from ...scene import Piece
from ...verdict import Answer, Finding
from .battlefield import Battlefield, ground, ids, labels, lattice, question
from .game import GAME
from .inputs import SIDE

__all__: list[str] = []


@question(
    "hold",
    {"en": "Who holds the objective?", "es": "¿Quién controla el objetivo?"},
    Input("objective", "piece", {"en": "objective", "es": "objetivo"}),
    rules=("UW-OBJ-2",),
    phase="end",
)
def hold(b: Battlefield) -> Finding:
    """UW-OBJ-2."""
    token = b.a.piece("objective")
    if not token.has("objective"):
        raise QuestionError.of("uw-not-objective", "objective", who=token.label)
    found = b.inside(b.hex_of(token))
    key = "uw-hold" if found else "uw-hold-none"
    return Finding(
        msg(key, who=labels(found), b=token.label),
        ("UW-OBJ-2",),
        Answer.of(bool(found)),
        ids=ids(found),
        drawing=b.draw_pieces((token,), "contact" if found else "zone"),
        notes=b.off_notes(token),
    )


@question(
    "objectives-held",
    {"en": "Which objectives are held?", "es": "¿Qué objetivos controla?"},
    SIDE,
    rules=("UW-OBJ-2", "UW-OBJ-3"),
    phase="end",
)
def objectives_held(b: Battlefield) -> Finding:
    """UW-OBJ-3."""
    side = b.a["side"]
    found = [t for t in b.objectives if any(b.side(p) == side for p in b.inside(b.hex_of(t)))]
    total = sum(_number(t) for t in found)
    key = "uw-held" if found else "uw-held-none"
    return Finding(
        msg(key, side=side, who=labels(found), n=total),
        ("UW-OBJ-2", "UW-OBJ-3"),
        value=float(total),
        kind="count",
        ids=ids(found),
        drawing=b.draw_pieces(found, "contact"),
    )


def _number(token: Piece) -> int:
    value = token.trait("value")
    if value is None or not value.isdigit():
        raise Unknown(msg("uw-no-number", who=token.label), ("UW-OBJ-3",))
    return int(value)


@question(
    "legal-state",
    {"en": "Is the table in order?", "es": "¿Está todo en regla?"},
    rules=("UW-HEX-4",),
    phase="camera",
    anywhere=True,
)
def legal_state(b: Battlefield) -> Finding:
    """UW-HEX-4: every fault is listed, not the first."""
    steps: list[Message] = []
    wrong: dict[str, Piece] = {}

    def blame(message: Message, *pieces: Piece) -> None:
        steps.append(message)
        wrong.update((p.id, p) for p in pieces)

    for p in (*b.fighters, *b.objectives):
        h = b.hex_of(p)
        if h not in b.ground.field:
            blame(msg("uw-off-board", who=p.label, hex=spoken(h)), p)
        elif h in b.ground.blocked:
            blame(msg("uw-state-blocked", who=p.label, hex=spoken(h)), p)
        others = b.inside(h)
        if p.kind == "model" and len(others) > 1 and others[0].id == p.id:
            blame(msg("uw-state-shared", who=labels(others), hex=spoken(h)), *others)
        if p.has("guard") and p.has("staggered"):
            blame(msg("uw-state-tokens", who=p.label), p)
    return Finding(
        steps[0] if len(steps) == 1 else msg("uw-state-wrong" if steps else "uw-state", n=len(steps)),
        ("UW-HEX-4",),
        Answer.of(not steps),
        ids=tuple(wrong),
        steps=tuple(steps),
        drawing=b.draw_pieces(wrong.values(), "blocker"),
    )


@GAME.query(
    "locate",
    {"en": "Which hex is it in?", "es": "¿En qué hexágono está?"},
    Input("piece", "piece", {"en": "piece", "es": "pieza"}),
    rules=("UW-HEX-5",),
    phase="camera",
)
def locate(a: Asked) -> Finding:
    """UW-HEX-5. The hex of the lattice, of the battlefield or not."""
    piece = a.piece("piece")
    nobody = frozenset[str]()
    if piece.at is None:
        if piece.hex is None:
            raise Unknown(msg("uw-no-hex", who=piece.label), ("UW-HEX-5",))
        said = msg("uw-locate-given", who=piece.label, hex=spoken(piece.hex))
        return Finding(said, ("UW-HEX-5",), hexes=(piece.hex,), depends=nobody)
    board = a.scene.board
    known = board.layout.across_flats if board and board.layout and board.layout.origin else None
    where = lattice(a.scene, known or 1.0) if known else None
    if where is None and board and board.layout and board.layout.origin:
        where = lattice(a.scene, a.param("across_flats"))
    if where is None:
        raise Unknown(msg("uw-no-layout", who=piece.label), ("UW-HEX-5",))
    sigma_mm = piece.sigma.at if piece.sigma else (0.0, 0.0)
    found = locate_hex(where, piece.at, 2 * a.param("locate_tol"), sigma_mm)
    field = ground(board).field
    off = tuple(msg("uw-off-board", who=piece.label, hex=spoken(h)) for h in found.hexes if h not in field)
    centres = [where.centre(h) for h in found.hexes]
    drawing: Drawing = (
        *(Polygon(where.outline(h), "zone" if h in field else "limit") for h in found.hexes),
        *(segment(piece.at, c, "measure") for c in centres),
    )
    hexes = [spoken(h) for h in found.hexes]
    if found.sure and found.off(field.hexes):
        said = off[0]
    elif found.sure:
        said = msg("uw-locate", who=piece.label, hex=hexes[0])
    else:
        said = msg("uw-locate-between", who=piece.label, hexes=hexes)
    return Finding(
        said,
        ("UW-HEX-5",),
        None if found.sure else Answer.TOO_CLOSE,
        hexes=found.hexes,
        drawing=drawing,
        notes=off if not found.sure else (),
        remedy=None if found.sure else msg("place-doubt-remedy", who=piece.label),
        depends=nobody,
    )


register(
    {
        "uw-hold": {"en": "{who} stands in the hex of {b}.", "es": "{who} está en el hexágono de {b}."},
        "uw-hold-none": {
            "en": "There is nobody in the hex of {b}.",
            "es": "En el hexágono de {b} no hay nadie.",
        },
        "uw-not-objective": {
            "en": "expected an objective token; {who} is not one",
            "es": "se espera un marcador de objetivo; {who} no lo es",
        },
        "uw-held": {
            "en": "{side} holds {who}: their numbers add up to {n}.",
            "es": "{side} controla {who}: sus números suman {n}.",
        },
        "uw-held-none": {
            "en": "{side} holds no objective.",
            "es": "{side} no controla ningún objetivo.",
        },
        "uw-no-number": {
            "en": "The number of {who} is not known: give it the trait value:N.",
            "es": "No se sabe el número de {who}: asígnele el rasgo value:N.",
        },
        "uw-state": {
            "en": "Every fighter and objective has a hex of its own that it may be in.",
            "es": "Cada guerrero y cada objetivo está en un hexágono permitido.",
        },
        "uw-state-wrong": {"en": "{n} things are not as they may be.", "es": "Hay {n} cosas que no pueden ser."},
        "uw-state-blocked": {
            "en": "{who} is in the blocked hex {hex}.",
            "es": "{who} está en el hexágono bloqueado {hex}.",
        },
        "uw-state-shared": {
            "en": "{who} share the hex {hex}.",
            "es": "{who} comparten el hexágono {hex}.",
        },
        "uw-state-tokens": {
            "en": "{who} has both a Guard and a Stagger token.",
            "es": "{who} tiene a la vez marcador de Guardia y de Tambalear.",
        },
        "uw-no-layout": {
            "en": "Where the hexes lie on the table is not known (board.layout.origin), so the hex of {who} is not either.",
            "es": "No se sabe dónde están los hexágonos en la mesa (board.layout.origin) ni, por tanto, el de {who}.",
        },
        "uw-locate": {"en": "{who} stands in {hex}.", "es": "{who} está en {hex}."},
        "uw-locate-given": {
            "en": "{who} stands in {hex}, as the scene says.",
            "es": "{who} está en {hex}, según la escena.",
        },
        "uw-locate-between": {
            "en": "{who} stands between {hexes}: ask the players which it is.",
            "es": "{who} está entre {hexes}: pregunten a los jugadores cuál es.",
        },
    }
)  # fmt: skip
