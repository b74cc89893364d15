"""Engagement, edges, flanks, threat, ranks and squaring up: RW-ENG, RW-FLANK, RW-RANK, RW-THREAT, RW-DMG, RW-ALIGN, RW-SQ."""

from __future__ import annotations

import math

import numpy as np

from ...checks import set_margin_mm
from ...contact import corner_hits, corners_of, stretches
from ...drawing import Drawing, Shape, polygon
from ...errors import QuestionError
from ...footprint import Block
from ...game import Asked, Input
from ...messages import Angle, Length, msg, register
from ...plane import Array
from ...scene import Piece, Terrain
from ...verdict import Answer, Finding
from .field import EDGE_NAMES, STRETCH_MM, Field, Unit, draw_unit, tray_name
from .game import FROM, GAME, OTHER_TO, SLACK_MM, TO, UNIT

TURN_OF = {"front": 0.0, "left-flank": 90.0, "rear": 180.0, "right-flank": 270.0}
"""Where an edge looks, from the facing, counter-clockwise."""


def keyword(thing: Piece | Terrain, name: str) -> int:
    """Sheet 2: a keyword with a value that appears several times counts once, with the sum of its values."""
    total = 0
    for trait in thing.traits:
        if trait.startswith(name + ":"):
            text = trait[len(name) + 1 :].strip()
            if not text.isdigit():
                raise QuestionError.of("rw-trait-number", f"{thing.id}.{name}", got=repr(text))
            total += int(text)
    return total


def _pair(one: Unit, two: Unit) -> Drawing:
    return draw_unit(one), draw_unit(two, "contact")


def _ids(*units: Unit) -> frozenset[str]:
    return frozenset(u.id for u in units if u.terrain is None)


@GAME.query(
    "engagement",
    {"en": "Engaged?", "es": "¿Trabada?"},
    FROM,
    OTHER_TO,
    rules=("RW-ENG-1", "RW-ENG-2", "RW-ENG-4"),
    phase="fight",
)
def engagement(a: Asked) -> Finding:
    """RW-ENG-1, -2, -4."""
    field = Field(a)
    one = field.named("from", outline=True)
    if not a.given("to"):
        foes, margins = field.engaged_with(one)
        size = set_margin_mm(m for m in margins.values() if math.isfinite(m))
        names = [f.label for f in foes]
        return Finding(
            msg("rw-engaged", a=one.label, ids=names) if foes else msg("rw-not-engaged", a=one.label),
            ("RW-ENG-1", "RW-ENG-4"),
            Answer.of(bool(foes)),
            ids=tuple(f.id for f in foes),
            margin_mm=None if size is None else size if foes else -size,
            drawing=(draw_unit(one), *(draw_unit(f, "contact") for f in foes)),
            depends=field.near_flipping(one, margins),
        )
    two = field.named("to", outline=True)
    if not field.enemies(one, two):
        reason = msg("rw-allies", a=one.label, b=two.label)
        return Finding(reason, ("RW-ENG-2",), Answer.NO, ids=(), drawing=_pair(one, two), depends=frozenset())
    margin = field.engaged_mm(one, two)
    holds = margin >= -SLACK_MM
    key = "rw-touch" if holds else "rw-apart"
    gap_mm = max(field.contact_tol - margin, 0.0) if math.isfinite(margin) else 0.0
    return Finding(
        msg(key, a=one.label, b=two.label, d=Length(gap_mm), tol=Length(field.contact_tol)),
        ("RW-ENG-1", "RW-GEO-3"),
        Answer.of(holds),
        ids=(two.id,) if holds else (),
        margin_mm=margin if math.isfinite(margin) else None,
        drawing=_pair(one, two),
        depends=_ids(one, two),
    )


@GAME.query(
    "contacted-edge",
    {"en": "Which edge is contacted?", "es": "¿Qué borde está confrontado?"},
    FROM,
    TO,
    rules=("RW-ENG-3", "RW-ENG-4", "RW-ENG-5"),
    phase="fight",
)
def contacted_edge(a: Asked) -> Finding:
    """RW-ENG-3…5: the edge of `from` that `to` touches."""
    field = Field(a)
    one, two = field.named("from"), field.named("to")
    edges = field.edges(one, two)
    margin = field.touch_mm(one.outline, two.outline)
    if not edges:
        reason = msg(
            "rw-apart",
            a=one.label,
            b=two.label,
            d=Length(field.contact_tol - margin),
            tol=Length(field.contact_tol),
        )
        return Finding(
            reason, ("RW-ENG-3",), margin_mm=abs(margin), drawing=_pair(one, two), depends=_ids(one, two)
        )
    common = field.shared(one, two)
    size = abs(margin)
    if len(common) > 1:  # another edge could become the longest
        size = min(size, abs(common[0][2] - common[1][2]) / 2)
    rules = (
        ("RW-ENG-4",) if one.terrain is not None else ("RW-ENG-3",) if common else ("RW-ENG-3", "RW-ENG-5")
    )
    return Finding(
        msg("rw-edge", a=one.label, b=two.label, edge=EDGE_NAMES[edges[0]]),
        rules,
        arc=edges[0],
        margin_mm=size,
        drawing=_pair(one, two),
        steps=tuple(
            msg("rw-stretch", edge=EDGE_NAMES[e], other=EDGE_NAMES[o], d=Length(n)) for e, o, n in common
        ),
        depends=_ids(one, two),
    )


def flanks(field: Field, one: Unit, two: Unit) -> bool:
    """RW-FLANK-1, -2: the front edge of `one` on a side or the rear of `two`."""
    if two.terrain is not None or not field.engaged(one, two):
        return False  # an occupant always shows its front (RW-ENG-4)
    common = field.shared(one, two)
    if common:
        return any(mine == "front" and other != "front" for mine, other, _ in common)
    mine, other = field.edges(one, two), field.edges(two, one)
    return mine == ("front",) and "choice" not in other and any(edge != "front" for edge in other)


def _real(edges: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(e for e in edges if e != "choice")


@GAME.query(
    "flanking",
    {"en": "Does it flank?", "es": "¿Flanquea?"},
    FROM,
    TO,
    rules=("RW-FLANK-1", "RW-FLANK-2"),
    phase="fight",
)
def flanking(a: Asked) -> Finding:
    """RW-FLANK-1, -2: `from` flanks `to`."""
    field = Field(a)
    one, two = field.named("from"), field.named("to")
    holds = flanks(field, one, two)
    margin = field.engaged_mm(one, two)
    mine, other = field.edges(one, two), field.edges(two, one)
    if not mine or not other or not field.enemies(one, two):
        reason = msg("rw-flank-apart", a=one.label, b=two.label)
    else:
        key = "rw-flanks" if holds else "rw-not-flanks"
        reason = msg(key, a=one.label, b=two.label, mine=EDGE_NAMES[mine[0]], other=EDGE_NAMES[other[0]])
    signed = margin if holds else -abs(margin)
    return Finding(
        reason,
        ("RW-FLANK-1",) if holds else ("RW-FLANK-1", "RW-FLANK-2"),
        Answer.of(holds),
        margin_mm=signed if math.isfinite(signed) else None,
        drawing=_pair(one, two),
        depends=_ids(one, two) if math.isfinite(signed) else frozenset(),
    )


def _trays_on(block: Block, edge: str) -> int:
    """RW-THREAT-1: trays that form an edge."""
    if edge in ("front", "rear"):
        return block.files
    file = 1 if edge == "left-flank" else block.files
    return sum(1 for _, f in block.slots if f == file)


@GAME.query(
    "threat",
    {"en": "Threat?", "es": "¿Amenaza?"},
    FROM,
    Input("attack", "choice", {"en": "kind of attack", "es": "tipo de ataque"}, choices=("melee", "ranged")),
    OTHER_TO,
    rules=("RW-THREAT-1", "RW-THREAT-2", "RW-THREAT-3"),
    phase="fight",
)
def threat(a: Asked) -> Finding:
    """RW-THREAT-1…3."""
    field, piece = Field(a), a.piece("from")
    brutal = keyword(piece, "brutal")
    block = field.block(piece, piece.facing or 0.0)
    if a["attack"] == "ranged":
        value = block.files + brutal
        reason = msg("rw-threat-ranged", a=piece.label, n=value, trays=block.files, brutal=brutal)
        return Finding(reason, ("RW-THREAT-2", "RW-THREAT-3"), value=value, kind="count", depends=frozenset())
    if not a.given("to"):
        raise QuestionError.of("input-missing", "to", title=OTHER_TO.title)
    one, two = field.named("from"), field.named("to")
    margin = field.engaged_mm(one, two)
    depends = _ids(one, two)
    if margin < -SLACK_MM:
        reason = msg("rw-threat-apart", a=one.label, b=two.label)
        near = -margin if math.isfinite(margin) else None
        return Finding(reason, ("RW-THREAT-1",), margin_mm=near, drawing=_pair(one, two), depends=depends)
    edges = _real(field.edges(one, two)) or ("front",)
    best = max(edges, key=lambda e: _trays_on(block, e))
    value = _trays_on(block, best) + brutal
    return Finding(
        msg("rw-threat-melee", a=one.label, b=two.label, n=value, edge=EDGE_NAMES[best], brutal=brutal),
        ("RW-THREAT-1", "RW-THREAT-3") if one.terrain is None else ("RW-THREAT-1", "RW-THREAT-3", "RW-ENG-4"),
        value=value,
        kind="count",
        margin_mm=abs(margin) if math.isfinite(margin) else None,
        drawing=_pair(one, two),
        depends=depends,
    )


@GAME.query(
    "rerolls",
    {"en": "Rank rerolls?", "es": "¿Repeticiones por filas?"},
    FROM,
    Input("kind", "choice", {"en": "kind of reroll", "es": "tipo"}, choices=("full", "partial")),
    OTHER_TO,
    rules=("RW-RANK-1", "RW-RANK-2", "RW-RANK-3", "RW-FLANK-3"),
    phase="fight",
)
def rerolls(a: Asked) -> Finding:
    """RW-RANK-1…3; none against a unit that flanks it (RW-FLANK-3)."""
    field, piece = Field(a), a.piece("from")
    block = field.block(piece, piece.facing or 0.0)
    full = block.full_ranks - 1 + keyword(piece, "precise")
    partial = int(block.full_ranks < block.ranks)
    value = full if a["kind"] == "full" else partial
    rules: tuple[str, ...] = ("RW-RANK-1", "RW-RANK-2", "RW-RANK-3")
    if not a.given("to"):
        reason = msg("rw-rerolls", a=piece.label, n=value, ranks=block.ranks)
        return Finding(reason, rules, value=value, kind="count", depends=frozenset())
    one, two = field.named("from"), field.named("to")
    flanked = flanks(field, two, one)
    if flanked:
        value, rules = 0, ("RW-FLANK-3",)
    margin = field.engaged_mm(one, two)
    key = "rw-rerolls-flanked" if flanked else "rw-rerolls"
    reason = (
        msg(key, a=one.label, b=two.label) if flanked else msg(key, a=one.label, n=value, ranks=block.ranks)
    )
    return Finding(
        reason,
        rules,
        value=value,
        kind="count",
        margin_mm=abs(margin) if math.isfinite(margin) else None,
        drawing=_pair(one, two),
        depends=_ids(one, two),
    )


@GAME.query(
    "damageable-trays",
    {"en": "Which trays take damage?", "es": "¿Qué bandejas reciben daño?"},
    UNIT,
    rules=("RW-DMG-1", "RW-DMG-2"),
    phase="fight",
)
def damageable_trays(a: Asked) -> Finding:
    """RW-DMG-1, -2: rear-rank trays whose loss leaves the rest connected."""
    field, piece = Field(a), a.piece("unit")
    block = field.block(piece, piece.facing or 0.0)
    rear = [slot for slot in block.slots if slot[0] == block.ranks]
    good = [slot for slot in rear if _connected({s for s in block.slots if s != slot})]
    trays: tuple[Shape, ...] = ()
    if piece.facing is not None:
        trays = tuple(
            polygon(c, "contact") for s, c in zip(block.slots, block.slot_corners, strict=True) if s in good
        )
    return Finding(
        msg("rw-damageable", a=piece.label, ids=[tray_name(*s) for s in good]),
        ("RW-DMG-1", "RW-DMG-2"),
        ids=tuple(tray_name(*s) for s in good),
        drawing=trays,
        depends=frozenset(),
    )


def _connected(slots: set[tuple[int, int]]) -> bool:
    """Whether trays hang together by whole sides."""
    if not slots:
        return True
    todo, seen = [next(iter(slots))], set()
    while todo:
        slot = todo.pop()
        if slot in seen:
            continue
        seen.add(slot)
        r, f = slot
        todo += [s for s in ((r - 1, f), (r + 1, f), (r, f - 1), (r, f + 1)) if s in slots]
    return len(seen) == len(slots)


def slide_mm(field: Field, one: Unit, two: Unit) -> float | None:
    """RW-ALIGN-1: how far the tray grids of two units are apart along their common edge; None: no common edge."""
    if one.terrain is not None or two.terrain is not None:
        return None
    tol, angle = field.contact_tol + SLACK_MM, field.asked.param("angle_tol")
    found = stretches(one.borders, two.borders, tol, angle, STRETCH_MM)
    if not found:
        return None
    s = found[0]
    side = one.block.width_mm if s.mine.edge in ("front", "rear") else one.block.depth_mm
    along = s.mine.along
    offset = math.fmod(abs(float((s.mine.a - s.other.b) @ along)), side)
    return min(offset, side - offset)


@GAME.query(
    "aligned",
    {"en": "Aligned?", "es": "¿Alineadas?"},
    FROM,
    TO,
    rules=("RW-ALIGN-1",),
    phase="fight",
)
def aligned(a: Asked) -> Finding:
    """RW-ALIGN-1."""
    field = Field(a)
    one, two = field.named("from"), field.named("to")
    tol: float = a.param("align_tol")
    touch = field.engaged_mm(one, two)
    slide = slide_mm(field, one, two) if touch >= -SLACK_MM else None
    if slide is None:
        reason = msg("rw-no-line", a=one.label, b=two.label)
        margin = -abs(touch) if math.isfinite(touch) else None
        return Finding(
            reason,
            ("RW-ALIGN-1",),
            Answer.NO,
            margin_mm=margin,
            drawing=_pair(one, two),
            depends=_ids(one, two),
        )
    holds = slide <= tol + SLACK_MM
    return Finding(
        msg(
            "rw-aligned" if holds else "rw-not-aligned",
            a=one.label,
            b=two.label,
            d=Length(slide),
            tol=Length(tol),
        ),
        ("RW-ALIGN-1",),
        Answer.of(holds),
        value=slide,
        limit=tol,
        margin_mm=min(tol - slide, touch) if holds else tol - slide,
        drawing=_pair(one, two),
        depends=_ids(one, two),
    )


@GAME.query(
    "square-up-due",
    {"en": "Must it square up?", "es": "¿Debe encararse?"},
    UNIT,
    rules=("RW-SQ-4",),
    phase="move",
)
def square_up_due(a: Asked) -> Finding:
    """RW-SQ-4: engaged with exactly one enemy and not aligned with it."""
    field = Field(a)
    one = field.named("unit")
    foes, margins = field.engaged_with(one)
    tol: float = a.param("align_tol")
    touch = set_margin_mm(m for m in margins.values() if math.isfinite(m))
    depends = field.near_flipping(one, margins)
    if len(foes) != 1:
        reason = msg("rw-due-count", a=one.label, n=len(foes))
        margin = None if touch is None else -touch
        return Finding(
            reason, ("RW-SQ-4",), Answer.NO, margin_mm=margin, drawing=(draw_unit(one),), depends=depends
        )
    slide = slide_mm(field, one, foes[0])
    due = slide is None or slide > tol + SLACK_MM
    over = touch if slide is None else slide - tol
    margin = over if not due or touch is None or over is None else min(over, touch)
    return Finding(
        msg("rw-due" if due else "rw-not-due", a=one.label, b=foes[0].label),
        ("RW-SQ-4", "RW-ALIGN-1"),
        Answer.of(due),
        margin_mm=margin,
        drawing=_pair(one, foes[0]),
        depends=depends,
    )


@GAME.query(
    "square-up",
    {"en": "How does it square up?", "es": "¿Cómo se encara?"},
    FROM,
    TO,
    Input(
        "leading",
        "choice",
        {"en": "edge that led the move", "es": "borde que iba delante"},
        required=False,
        choices=tuple(TURN_OF),
        default="front",
    ),
    rules=("RW-SQ-1", "RW-SQ-2", "RW-SQ-3", "RW-SQ-5"),
    phase="move",
)
def square_up(a: Asked) -> Finding:
    """RW-SQ-1…3: to which enemy edge, and with which facing. RW-SQ-6 (other obstacles) is not searched."""
    field = Field(a)
    one, two = field.named("from"), field.named("to")
    touch = field.engaged_mm(one, two)
    note = (msg("rw-square-note"),)
    if touch < -SLACK_MM:
        reason = msg("rw-square-apart", a=one.label, b=two.label)
        margin = touch if math.isfinite(touch) else None
        return Finding(
            reason, ("RW-SQ-1",), Answer.NO, margin_mm=margin, drawing=_pair(one, two), depends=_ids(one, two)
        )
    edge, normal = _square_edge(field, one, two, a["leading"])
    if normal is None:
        reason = msg("rw-square-choice", a=one.label, b=two.label)
        rules: tuple[str, ...] = ("RW-SQ-2",)
        facing = None
    else:
        facing = float(
            np.mod(math.degrees(math.atan2(-normal[1], -normal[0])) - TURN_OF[a["leading"]], 360.0)
        )
        facing = 0.0 if 360.0 - facing < 1e-9 else facing
        reason = msg("rw-square", a=one.label, b=two.label, edge=EDGE_NAMES[edge], deg=Angle(facing))
        rules = ("RW-SQ-1", "RW-SQ-2", "RW-SQ-3")
    return Finding(
        reason,
        rules,
        Answer.YES,
        value=facing,
        kind="angle",
        arc=edge,
        margin_mm=touch,
        drawing=_pair(one, two),
        notes=note,
        depends=_ids(one, two),
    )


def _square_edge(field: Field, one: Unit, two: Unit, leading: str) -> tuple[str, Array | None]:
    """The enemy edge to square up to and its outward normal; `choice` and None for a tie."""
    tol, angle = field.contact_tol + SLACK_MM, field.asked.param("angle_tol")
    found = stretches(one.borders, two.borders, tol, angle, STRETCH_MM)
    found = [s for s in found if s.mine.edge == leading] or found
    if found:
        return found[0].other.edge, found[0].other.normal
    hits = corner_hits(two.borders, corners_of(one.borders), tol, SLACK_MM)
    if hits:  # a corner of the mover met an enemy edge (RW-SQ-1)
        return hits[0][0].edge, hits[0][0].normal
    corner = field.corner_met(two, one)
    if corner is None:
        return "choice", None
    edges, border = field.ruler(one, corner)
    return edges[0], None if border is None else border.normal


register(
    {
        "rw-trait-number": {"en": "expected a whole number, got {got}", "es": "se esperaba un número entero, hay {got}"},
        "rw-engaged": {"en": "{a} is engaged with {ids}.", "es": "{a} está trabada con {ids}."},
        "rw-allies": {
            "en": "{a} and {b} are not enemies: they are not engaged.",
            "es": "{a} y {b} no son enemigas: no están trabadas.",
        },
        "rw-touch": {
            "en": "{a} and {b} touch: the gap is {d}, up to {tol} is contact.",
            "es": "{a} y {b} se tocan: el hueco es {d}, hasta {tol} es contacto.",
        },
        "rw-apart": {
            "en": "{a} and {b} do not touch: the gap is {d}, up to {tol} is contact.",
            "es": "{a} y {b} no se tocan: el hueco es {d}, hasta {tol} es contacto.",
        },
        "rw-edge": {"en": "{b} touches the {edge} of {a}.", "es": "{b} toca el {edge} de {a}."},
        "rw-stretch": {
            "en": "Its {edge} and the other's {other} share {d}.",
            "es": "Su {edge} y el {other} de la otra comparten {d}.",
        },
        "rw-flank-apart": {
            "en": "{a} and {b} are not enemies in contact: nobody flanks.",
            "es": "{a} y {b} no son enemigas en contacto: nadie flanquea.",
        },
        "rw-flanks": {
            "en": "The {mine} of {a} is on the {other} of {b}: it flanks.",
            "es": "El {mine} de {a} está en el {other} de {b}: flanquea.",
        },
        "rw-not-flanks": {
            "en": "The {mine} of {a} is on the {other} of {b}: it does not flank.",
            "es": "El {mine} de {a} está en el {other} de {b}: no flanquea.",
        },
        "rw-threat-ranged": {
            "en": "{a}: threat {n} ({trays} trays in the front rank, Brutal {brutal}).",
            "es": "{a}: Amenaza {n} ({trays} bandejas en la fila frontal, Brutal {brutal}).",
        },
        "rw-threat-melee": {
            "en": "{a} against {b}: threat {n}, by its {edge}, Brutal {brutal} included.",
            "es": "{a} contra {b}: Amenaza {n}, por su {edge}, incluido Brutal {brutal}.",
        },
        "rw-threat-apart": {
            "en": "{a} is not engaged with {b}: it has no threat against it.",
            "es": "{a} no está trabada con {b}: no tiene Amenaza contra ella.",
        },
        "rw-rerolls": {
            "en": "{a} has {ranks} ranks: {n} of these rerolls.",
            "es": "{a} tiene {ranks} filas: {n} de estas repeticiones.",
        },
        "rw-rerolls-flanked": {
            "en": "{b} flanks {a}: no rank rerolls against it.",
            "es": "{b} flanquea a {a}: sin repeticiones por filas contra ella.",
        },
        "rw-damageable": {
            "en": "Trays of {a} that can take damage: {ids}",
            "es": "Bandejas de {a} que pueden recibir daño: {ids}",
        },
        "rw-no-line": {
            "en": "{a} and {b} are not engaged along an edge: not aligned.",
            "es": "{a} y {b} no están trabadas a lo largo de un borde: no alineadas.",
        },
        "rw-aligned": {
            "en": "The trays of {a} and {b} are aligned: {d} apart, up to {tol}.",
            "es": "Las bandejas de {a} y {b} están alineadas: {d} de desajuste, hasta {tol}.",
        },
        "rw-not-aligned": {
            "en": "The trays of {a} and {b} are {d} out of line, up to {tol} is aligned.",
            "es": "Las bandejas de {a} y {b} tienen {d} de desajuste, hasta {tol} es alineado.",
        },
        "rw-due-count": {
            "en": "{a} is engaged with {n} enemies; only with exactly one must it square up.",
            "es": "{a} está trabada con {n} enemigas; solo con exactamente una debe encararse.",
        },
        "rw-due": {
            "en": "{a} is engaged only with {b} and not aligned: it must try to square up.",
            "es": "{a} solo está trabada con {b} y no alineada: debe intentar encararse.",
        },
        "rw-not-due": {"en": "{a} and {b} are already aligned.", "es": "{a} y {b} ya están alineadas."},
        "rw-square": {
            "en": "{a} squares up to the {edge} of {b} and ends facing {deg}; other obstacles were not looked for.",
            "es": "{a} se encara al {edge} de {b} y acaba mirando a {deg}; no se han buscado otros obstáculos.",
        },
        "rw-square-choice": {
            "en": "As many trays of {a} on each side of the ruler: its player chooses the edge of {b}; other obstacles were not looked for.",
            "es": "Tantas bandejas de {a} a cada lado de la regla: su jugador elige el borde de {b}; no se han buscado otros obstáculos.",
        },
        "rw-square-apart": {
            "en": "{a} and {b} are not enemies in contact: nothing to square up to.",
            "es": "{a} y {b} no son enemigas en contacto: nada a lo que encararse.",
        },
        "rw-square-note": {
            "en": "If another obstacle is in the way, RW-SQ-6 decides by hand.",
            "es": "Si hay otro obstáculo en medio, RW-SQ-6 se resuelve a mano.",
        },
    }
)  # fmt: skip
