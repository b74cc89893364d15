"""Moves, charges, tackles, pushes and what a fighter's tokens let it do (UW-MOVE, UW-CHG, UW-PUSH, UW-ACT)."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import QuestionError
from ...game import Input
from ...hexes import Hex, neighbours, spoken
from ...messages import Message, msg, register
from ...scene import Piece
from ...verdict import Answer, Finding
from .attack import listed, targets_from
from .battlefield import Battlefield, counted, labels, question
from .inputs import FIGHTER, MOVE, PATH, RANGE

__all__: list[str] = []


def _reach(b: Battlefield, one: Piece, move: int) -> tuple[Hex, ...]:
    """UW-MOVE-1, UW-MOVE-3: where a Move action may end."""
    start = b.hex_of(one)
    flying = one.has("flying")
    found = b.ground.field.walk(start, lambda h: flying or b.empty(h, one), move)
    return tuple(h for h in found if h != start and b.empty(h, one))


def _move_rules(one: Piece) -> tuple[str, ...]:
    return ("UW-MOVE-1", "UW-MOVE-3") if one.has("flying") else ("UW-MOVE-1",)


@question(
    "move-reach",
    {"en": "Where may it move?", "es": "¿Adónde puede mover?"},
    FIGHTER,
    MOVE,
    rules=("UW-MOVE-1", "UW-MOVE-3"),
    phase="move",
)
def move_reach(b: Battlefield) -> Finding:
    """UW-MOVE-1, UW-MOVE-3."""
    one, move = b.fighter(), b.a["move"]
    found = _reach(b, one, move)
    return Finding(
        msg("uw-reach", a=one.label, n=len(found), move=move),
        _move_rules(one),
        value=counted(found),
        kind="count",
        hexes=found,
        drawing=(*b.draw(found), *b.draw_pieces((one,))),
        notes=b.off_notes(one),
    )


def _fault(
    b: Battlefield,
    one: Piece,
    path: tuple[Hex, ...],
    through: bool,
    step: Callable[[Hex, Hex], Message | None],
) -> tuple[Message | None, int]:
    """What is wrong with a way, and at which of its hexes; `through`: blocked and occupied hexes may be passed."""
    before = start = b.hex_of(one)
    if not path:
        return msg("uw-path-none", a=one.label), 0
    if start not in b.ground.field:
        return msg("uw-off-board", who=one.label, hex=spoken(start)), 0
    for i, h in enumerate(path):
        last = i == len(path) - 1
        if h not in neighbours(before):
            return msg("uw-path-gap", a=spoken(before), b=spoken(h)), i
        if h not in b.ground.field:
            return msg("uw-path-off", hex=spoken(h)), i
        if (last or not through) and not b.empty(h, one):
            if h in b.ground.blocked:
                return msg("uw-path-blocked", hex=spoken(h)), i
            return msg(
                "uw-path-full", hex=spoken(h), who=labels([p for p in b.inside(h) if p.id != one.id])
            ), i
        wrong = step(before, h)
        if wrong is not None:
            return wrong, i
        before = h
    if before == start:
        return msg("uw-path-back", a=one.label), len(path) - 1
    return None, len(path)


def _path_finding(
    b: Battlefield, one: Piece, path: tuple[Hex, ...], fault: Message | None, at: int, rules: tuple[str, ...]
) -> Finding:
    walked = path[:at] if fault is not None else path
    ways = (b.hex_of(one), *path)
    lines = [shape for i in range(len(path)) for shape in b.draw_line(ways[i], ways[i + 1], "path")]
    return Finding(
        fault or msg("uw-path", a=one.label, n=len(path)),
        rules,
        Answer.of(fault is None),
        drawing=(
            *b.draw(walked, "path"),
            *(b.draw((path[at],), "blocker") if fault is not None and at < len(path) else ()),
            *lines,
            *b.draw_pieces((one,)),
        ),
        notes=b.off_notes(one),
    )


@question(
    "move-path",
    {"en": "Is that move allowed?", "es": "¿Es legal ese movimiento?"},
    FIGHTER,
    PATH,
    MOVE,
    rules=("UW-MOVE-2", "UW-MOVE-3"),
    phase="move",
)
def move_path(b: Battlefield) -> Finding:
    """UW-MOVE-2, UW-MOVE-3."""
    one, path, move = b.fighter(), b.a["path"], b.a["move"]
    fault, at = _fault(b, one, path, one.has("flying"), lambda *_: None)
    if fault is None and len(path) > move:
        fault, at = msg("uw-path-long", a=one.label, n=len(path), move=move), move
    rules = ("UW-MOVE-2", "UW-MOVE-3") if one.has("flying") else ("UW-MOVE-2",)
    return _path_finding(b, one, path, fault, at, rules)


@question(
    "push-path",
    {"en": "Is that push allowed?", "es": "¿Es legal ese empujón?"},
    FIGHTER,
    PATH,
    Input("count", "count", {"en": "hexes to push, exactly", "es": "hexágonos exactos"}, required=False),
    Input("away_from", "json", {"en": "away from", "es": "alejándolo de"}, required=False),
    Input("toward", "json", {"en": "toward", "es": "hacia"}, required=False),
    rules=("UW-PUSH-1", "UW-DIST-4"),
    phase="move",
)
def push_path(b: Battlefield) -> Finding:
    """UW-PUSH-1, UW-DIST-4. Flying does not help a fighter that is pushed."""
    one, path, count = b.fighter(), b.a["path"], b.a["count"]
    away, toward = _reference(b, "away_from"), _reference(b, "toward")

    def step(before: Hex, h: Hex) -> Message | None:
        if away and not b.ground.farther(away[0], h, than=before):
            return msg("uw-push-away", hex=spoken(h), who=away[1])
        if toward and not b.ground.farther(toward[0], before, than=h):
            return msg("uw-push-toward", hex=spoken(h), who=toward[1])
        return None

    fault, at = _fault(b, one, path, False, step)
    if fault is None and count is not None and len(path) != count:
        fault, at = msg("uw-push-count", a=one.label, n=len(path), count=count), min(count, len(path))
    rules = ("UW-PUSH-1", "UW-DIST-4") if away or toward else ("UW-PUSH-1",)
    return _path_finding(b, one, path, fault, at, rules)


def _reference(b: Battlefield, input_name: str) -> tuple[Hex, str] | None:
    """What a push goes away from or toward: a piece, or a hex."""
    value = b.a[input_name]
    if value is None:
        return None
    if isinstance(value, str):
        piece = b.a.scene.find(value)
        if piece is not None:
            return b.hex_of(piece), piece.label
    elif isinstance(value, list | tuple) and len(value) == 2 and all(type(v) is int for v in value):
        return (value[0], value[1]), spoken((value[0], value[1]))
    known = ", ".join(p.id for p in b.a.scene.pieces) or "-"
    raise QuestionError.of("input-no-such", input_name, ids=[str(value)], known=known)


@question(
    "charge-targets",
    {"en": "Whom may it charge?", "es": "¿A quién puede cargar?"},
    FIGHTER,
    MOVE,
    RANGE,
    rules=("UW-CHG-1",),
    phase="move",
)
def charge_targets(b: Battlefield) -> Finding:
    """UW-CHG-1: a Move action, then an attack from where it ends."""
    one, move, reach = b.fighter(), b.a["move"], b.a["range"]
    token = next((t for t in ("move-token", "charge-token") if one.has(t)), None)
    if token:
        return listed(b, one, (), msg(f"uw-charge-{token}", a=one.label), ("UW-CHG-1",))
    ends = _reach(b, one, move)
    if not ends:
        return listed(b, one, (), msg("uw-charge-stuck", a=one.label), ("UW-CHG-1", *_move_rules(one)))
    hit = {p.id for end in ends for p in targets_from(b, one, end, reach)}
    found = [p for p in b.fighters if p.id in hit]
    reason = msg("uw-charge", a=one.label, move=move, range=reach, who=labels(found))
    zone = [end for end in ends if targets_from(b, one, end, reach)]
    return listed(b, one, found, reason, ("UW-CHG-1", *_move_rules(one), "UW-ATK-1"), zone=zone)


@question(
    "tackle-targets",
    {"en": "Whom may it tackle?", "es": "¿A quién puede placar?"},
    FIGHTER,
    MOVE,
    rules=("UW-TKL-1",),
    phase="move",
)
def tackle_targets(b: Battlefield) -> Finding:
    """UW-TKL-1: a Move action that ends next to an enemy without a Stagger token."""
    one, move = b.fighter(), b.a["move"]
    if one.has("charge-token"):
        return listed(b, one, (), msg("uw-tackle-charged", a=one.label), ("UW-TKL-1", "UW-ACT-1"))
    ends = set(_reach(b, one, move))
    beside = {h: [p for p in b.beside(h) if p.id != one.id and not p.has("staggered")] for h in ends}
    near = {p.id for found in beside.values() for p in found}
    found = b.enemies(one, [p for p in b.fighters if p.id in near])
    hit = {p.id for p in found}
    zone = [h for h in ends if any(p.id in hit for p in beside[h])]
    reason = msg("uw-tackle", a=one.label, move=move, who=labels(found))
    return listed(b, one, found, reason, ("UW-TKL-1", *_move_rules(one)), zone=sorted(zone))


_ACTIONS = ("move", "attack", "charge", "guard", "stun", "tackle")
_FORBIDS = {
    "charge-token": ("move", "charge", "tackle"),
    "move-token": ("charge",),
    "guard": ("guard",),
}
"""What each token keeps a fighter from doing (UW-ACT-1)."""


@question(
    "can-activate",
    {"en": "May it be activated?", "es": "¿Se puede activar?"},
    FIGHTER,
    Input("action", "choice", {"en": "to do", "es": "para"}, False, _ACTIONS),
    rules=("UW-ACT-1",),
    phase="move",
)
def can_activate(b: Battlefield) -> Finding:
    """UW-ACT-1. Positions are not examined."""
    one, action = b.fighter(), b.a["action"]
    fighters = [p for p in b.a.scene.pieces if p.kind == "model"]
    fresh = (
        [p for p in b.friends(one, fighters) if not p.has("charge-token")] if one.has("charge-token") else []
    )
    token = next((t for t, what in _FORBIDS.items() if action in what and one.has(t)), None)
    if fresh:
        reason = msg("uw-act-friends", a=one.label, who=labels(fresh))
    elif token:
        reason = msg(f"uw-act-{token}", a=one.label)
    else:
        reason = msg("uw-act", a=one.label)
    drawing = (*b.draw_pieces((one,)), *b.draw_pieces(fresh, "blocker"))
    return Finding(reason, ("UW-ACT-1",), Answer.of(not fresh and not token), drawing=drawing)


register(
    {
        "uw-reach": {
            "en": "Hexes where {a} may end a Move action of up to {move}: {n}.",
            "es": "Hexágonos donde {a} puede acabar una acción de Movimiento de hasta {move}: {n}.",
        },
        "uw-path": {
            "en": "Each hex of the way of {a} is next to the one before, and free (steps: {n}).",
            "es": "Cada hexágono del camino de {a} es contiguo al anterior y está libre (pasos: {n}).",
        },
        "uw-path-none": {"en": "{a} would not leave its hex.", "es": "{a} no saldría de su hexágono."},
        "uw-path-gap": {"en": "{a} and {b} are not neighbours.", "es": "{a} y {b} no son contiguos."},
        "uw-path-off": {
            "en": "{hex} is not a complete hex of the battlefield.",
            "es": "{hex} no es un hexágono completo del campo de batalla.",
        },
        "uw-path-blocked": {"en": "{hex} is a blocked hex.", "es": "{hex} es un hexágono bloqueado."},
        "uw-path-full": {"en": "{hex} is occupied: {who}.", "es": "{hex} está ocupado: {who}."},
        "uw-path-back": {
            "en": "{a} may not end in the hex where it began.",
            "es": "{a} no puede acabar en el hexágono donde empezó.",
        },
        "uw-path-long": {
            "en": "Hexes that {a} would enter: {n}; its Move is {move}.",
            "es": "Hexágonos que pisaría {a}: {n}; su Movimiento es {move}.",
        },
        "uw-push-away": {
            "en": "The step into {hex} does not lead farther from {who}.",
            "es": "El paso a {hex} no lo aleja de {who}.",
        },
        "uw-push-toward": {
            "en": "The step into {hex} does not lead nearer to {who}.",
            "es": "El paso a {hex} no lo acerca a {who}.",
        },
        "uw-push-count": {
            "en": "The push of {a} is exactly {count} long, not {n}.",
            "es": "El empujón de {a} es exactamente de {count}, no de {n}.",
        },
        "uw-charge": {
            "en": "Enemies that {a} sees within Range {range} after a Move of up to {move}: {who}.",
            "es": "Enemigos que {a} ve con Alcance {range} tras un Movimiento de hasta {move}: {who}.",
        },
        "uw-charge-move-token": {
            "en": "{a} has a Move token and may not charge.",
            "es": "{a} tiene un marcador de Movimiento y no puede cargar.",
        },
        "uw-charge-charge-token": {
            "en": "{a} has a Charge token and may not charge.",
            "es": "{a} tiene un marcador de Carga y no puede cargar.",
        },
        "uw-charge-stuck": {
            "en": "{a} cannot make a Move action, so it cannot charge.",
            "es": "{a} no puede hacer una acción de Movimiento, así que no puede cargar.",
        },
        "uw-tackle": {
            "en": "Enemies without a Stagger token that {a} can end next to with a Move of up to {move}: {who}.",
            "es": "Enemigos sin marcador de Tambalear junto a los que {a} puede acabar con Movimiento {move}: {who}.",
        },
        "uw-tackle-charged": {
            "en": "{a} has a Charge token: no Move action, so no tackle.",
            "es": "{a} tiene un marcador de Carga: ni Movimiento ni, por tanto, placaje.",
        },
        "uw-act": {"en": "Nothing keeps {a} from it.", "es": "Nada se lo impide a {a}."},
        "uw-act-friends": {
            "en": "{a} has a Charge token, and not all its friends have one: {who}.",
            "es": "{a} tiene un marcador de Carga y no todos sus aliados lo tienen: {who}.",
        },
        "uw-act-charge-token": {
            "en": "The Charge token of {a} forbids Move actions and compound actions.",
            "es": "El marcador de Carga de {a} impide las acciones de Movimiento y las superacciones.",
        },
        "uw-act-move-token": {
            "en": "The Move token of {a} forbids a Charge.",
            "es": "El marcador de Movimiento de {a} impide la Carga.",
        },
        "uw-act-guard": {
            "en": "{a} is on Guard already.",
            "es": "{a} ya está en Guardia.",
        },
    }
)  # fmt: skip
