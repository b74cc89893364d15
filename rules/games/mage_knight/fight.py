"""Close combat and moving in groups: MK-CLO-1…4, MK-RNG-5, MK-MOV-5, -9, MK-FRM."""

from __future__ import annotations

import math

from ...checks import Check, conclude, set_margin_mm
from ...drawing import segment
from ...errors import QuestionError, Unknown
from ...game import Asked, Input
from ...messages import Length, Message, msg, register
from ...scene import Piece
from ...sight import enters
from ...units import to_mm
from ...verdict import Answer, Finding
from .fire import ranged_checks
from .game import CONTACT, FROM, GAME, ONE_PIECE, PATH, SLACK_MM, SPEED, TO
from .move import Journey, move_checks
from .world import Point, World, draw_arc, draw_piece, near_flipping

CLOSE = ("MK-CLO-1", "MK-CON-1", "MK-CON-2", "MK-ARC-1")
RULER_IN = 28.0
"""The length of the ruler: the farthest that a base could ask for."""
LIMIT = 3
"""MK-MOD-1: the sum of all modifiers lies within ±3."""


def _touch_check(world: World, one: Piece, two: Piece, at: Point | None = None) -> Check:
    margin = world.touch_mm(one, two, at)
    holds = margin >= -SLACK_MM
    if not math.isfinite(margin):
        key = "mk-agreed" if holds else "mk-levels"
        return Check(holds, msg(key, a=one.label, b=two.label), ("MK-CON-1", "MK-CON-2"))
    foot = world.foot(one) if at is None else world.foot_at(one, at)
    gap_mm = max(foot.gap(world.foot(two)), 0.0)
    key = "mk-touch" if holds else "mk-apart"
    tol = Length(world.asked.param("contact_tol"))
    text = msg(key, a=one.label, b=two.label, d=Length(gap_mm), tol=tol)
    return Check(holds, text, ("MK-CON-1", "MK-CON-2"), margin)


def _wall_between(world: World, p: Point, q: Point) -> Check | None:
    """MK-CLO-1: constructed terrain that lies between two bases and that neither of them stands in."""
    for terrain in world.asked.scene.terrain:
        if not terrain.has("constructed") or world.occupied(terrain, p) or world.occupied(terrain, q):
            continue
        if bool(enters(p, q, terrain.outline, SLACK_MM)):
            return Check(False, msg("mk-wall", t=terrain.label), ("MK-CLO-1",), -SLACK_MM)
    return None


def _own_captive(world: World, one: Piece, two: Piece) -> bool:
    return two.trait("captive") == one.id


def close_checks(world: World, one: Piece, two: Piece) -> list[Check]:
    """MK-CLO-1."""
    legal = world.enemies(one, two) or (_own_captive(world, one, two) and not world.captive(one))
    led = world.captor_of(one)
    checks = [
        Check(legal, msg("mk-not-a-target", a=one.label, b=two.label), ("MK-CLO-1",)),
        Check(world.tokens(one) < 2, msg("mk-two-tokens", a=one.label), ("MK-ACT-1",)),
        Check(led is None or led.id == two.id, msg("mk-captor", a=one.label), ("MK-CLO-5",)),
        _touch_check(world, one, two),
    ]
    wall = _wall_between(world, world.at(one), world.at(two))
    if wall is not None:
        checks.append(wall)
    arc = world.arc(one, world.at(two), ("MK-CLO-1", "MK-ARC-1"))
    text = msg("mk-front", a=one.label, b=two.label, d=Length(arc.front_mm))
    margin = arc.front_mm if math.isfinite(arc.front_mm) else None
    drawing = draw_arc(world, one, math.dist(world.at(one), world.at(two)))
    checks.append(Check(arc.front_mm >= -SLACK_MM, text, ("MK-CLO-1", "MK-ARC-1"), margin, drawing))
    return checks


@GAME.query(
    "close-attack",
    {"en": "May it strike?", "es": "¿Puede golpear?"},
    FROM,
    TO,
    CONTACT,
    rules=CLOSE,
    phase="fight",
)
def close_attack(a: Asked) -> Finding:
    world, one, two = World(a), a.piece("from"), a.piece("to")
    yes = Finding(
        msg("mk-may-strike", a=one.label, b=two.label),
        CLOSE,
        drawing=(draw_piece(world, one), draw_piece(world, two, "contact")),
        depends=frozenset({one.id, two.id}),
    )
    return conclude(close_checks(world, one, two), yes)


def _helpers(world: World, one: Piece, two: Piece) -> tuple[list[Piece], list[float]]:
    """MK-CLO-3: friends that gang up, and how near each is to joining or leaving."""
    if not one.has("sword") or _own_captive(world, one, two):
        return [], []
    factions = _factions(world, one)
    found, margins = [], []
    for friend in world.others(one, two):
        if not world.friends(one, friend) or not friend.has("sword") or world.tokens(friend):
            continue
        if not factions & _factions(world, friend):
            continue
        touch = world.touch_mm(friend, two)
        if touch < -world.wiggle_mm - SLACK_MM:
            continue
        arc = world.arc(friend, world.at(two), ("MK-CLO-3", "MK-ARC-1"))
        margin = min(touch, arc.front_mm)
        margins.append(margin)
        if margin >= -SLACK_MM:
            found.append(friend)
    return found, margins


@GAME.query(
    "attack-modifier",
    {"en": "Attack modifier?", "es": "¿Modificador al ataque?"},
    FROM,
    TO,
    Input("kind", "choice", {"en": "kind of attack", "es": "tipo de ataque"}, choices=("close", "ranged")),
    CONTACT,
    rules=("MK-CLO-2", "MK-CLO-3", "MK-RNG-5", "MK-MOD-1"),
    phase="fight",
)
def attack_modifier(a: Asked) -> Finding:
    """MK-CLO-2, -3 and MK-RNG-5; the sum within ±3 (MK-MOD-1)."""
    world, one, two = World(a), a.piece("from"), a.piece("to")
    a.facing(one, ("MK-ARC-1",))
    behind = world.arc(two, world.at(one), ("MK-ARC-2",))
    rear = behind.name == "rear"
    steps: list[Message] = [msg("mk-rear" if rear else "mk-no-rear", a=one.label, b=two.label)]
    margins = [abs(behind.rear_mm)] if math.isfinite(behind.rear_mm) else []
    total = int(rear)
    near = {one.id, two.id}
    if a["kind"] == "close":
        helpers, spans = _helpers(world, one, two)
        total += len(helpers)
        margins += [abs(m) for m in spans if math.isfinite(m)]
        near |= {p.id for p in world.others(one, two) if world.friends(one, p)} if spans else set()
        steps.append(msg("mk-gang", n=len(helpers), ids=[p.label for p in helpers]))
        rules: tuple[str, ...] = ("MK-CLO-2", "MK-CLO-3", "MK-MOD-1")
    else:
        friends = [p for p in world.others(one, two) if world.friends(one, p)]
        spans = [world.touch_mm(two, p) for p in friends]
        margins += [abs(m) for m in spans if math.isfinite(m)]
        near |= {p.id for p, m in zip(friends, spans, strict=True) if abs(m) <= world.wiggle_mm}
        touching = any(m >= -SLACK_MM for m in spans)
        total -= 2 if touching else 0
        steps.append(msg("mk-precise" if touching else "mk-no-precise", b=two.label))
        rules = ("MK-RNG-5", "MK-MOD-1")
    value = max(-LIMIT, min(LIMIT, total))
    return Finding(
        msg("mk-modifier", a=one.label, b=two.label, n=f"{value:+d}" if value else "0"),
        rules,
        value=value,
        kind="count",
        margin_mm=min(margins, default=None),
        drawing=(draw_piece(world, one), draw_piece(world, two, "contact")),
        steps=tuple(steps),
        depends=frozenset(near),
    )


@GAME.query(
    "charge",
    {"en": "May it charge?", "es": "¿Puede embestir?"},
    ONE_PIECE,
    PATH,
    SPEED,
    Input("target", "piece", {"en": "target", "es": "objetivo"}),
    CONTACT,
    rules=("MK-CLO-4", "MK-MOV-1"),
    phase="fight",
)
def charge(a: Asked) -> Finding:
    """MK-CLO-4: a sword figure in contact with no enemy moves and ends in contact with its target."""
    world, one, two = World(a), a.piece("piece"), a.piece("target")
    journey = Journey(world, one, a["path"], a["speed"])
    foes, margins = world.enemies_touching(one)
    worst = max(margins, default=-math.inf)
    start = Check(
        not foes,
        msg("mk-charge-engaged", a=one.label, ids=[p.label for p in foes])
        if foes
        else msg("mk-nobody-touches"),
        ("MK-CLO-4",),
        -worst if math.isfinite(worst) else None,
    )
    checks = [
        Check(one.has("sword"), msg("mk-no-sword", a=one.label), ("MK-CLO-4",)),
        Check(world.enemies(one, two), msg("mk-not-a-target", a=one.label, b=two.label), ("MK-CLO-4",)),
        Check(world.captor_of(one) is None, msg("mk-captor", a=one.label), ("MK-CLO-5",)),
        start,
        *move_checks(journey),
        _touch_check(world, one, two, journey.end),
    ]
    wall = _wall_between(world, journey.end, world.at(two))
    if wall is not None:
        checks.append(wall)
    yes = Finding(
        msg("mk-may-charge", a=one.label, b=two.label, d=Length(journey.length_mm)),
        ("MK-CLO-4", "MK-MOV-1"),
        drawing=journey.drawing(),
        depends=journey.depends() | {two.id},
    )
    return conclude(checks, yes)


@GAME.query(
    "break-away",
    {"en": "Must it break away?", "es": "¿Debe separarse?"},
    ONE_PIECE,
    CONTACT,
    rules=("MK-MOV-5",),
    phase="move",
)
def break_away(a: Asked) -> Finding:
    """MK-MOV-5: touching an enemy, 4+ is needed to move, 2+ for a horseshoe."""
    world, one = World(a), a.piece("piece")
    foes, margins = world.enemies_touching(one)
    enemies = [p.id for p in world.others(one) if world.enemies(one, p)]
    roll = 2 if one.has("horseshoe") else 4
    size = set_margin_mm(m for m in margins if math.isfinite(m))
    reason = (
        msg("mk-breaks", a=one.label, ids=[p.label for p in foes], n=roll)
        if foes
        else msg("mk-not-engaged", a=one.label)
    )
    return Finding(
        reason,
        ("MK-MOV-5", "MK-CON-1"),
        Answer.of(bool(foes)),
        value=roll if foes else None,
        kind="count",
        ids=tuple(p.id for p in foes),
        margin_mm=None if size is None else size if foes else -size,
        drawing=(draw_piece(world, one), *(draw_piece(world, p, "contact") for p in foes)),
        depends=near_flipping(world, one, dict(zip(enemies, margins, strict=True))),
    )


@GAME.query(
    "free-spin",
    {"en": "Who may turn?", "es": "¿Quién puede girar?"},
    ONE_PIECE,
    PATH,
    CONTACT,
    rules=("MK-MOV-9",),
    phase="move",
)
def free_spin(a: Asked) -> Finding:
    """MK-MOV-9: enemies in contact at the end of the path that were not at its start."""
    world, one = World(a), a.piece("piece")
    end: Point = a["path"][-1]
    met, margins = [], {}
    for other in world.others(one):
        if not world.enemies(one, other):
            continue
        before, after = world.touch_mm(one, other), world.touch_mm(one, other, end)
        new = min(after, -before)
        margins[other.id] = new
        if after >= -SLACK_MM and before < -SLACK_MM:
            met.append(other)
    reason = (
        msg("mk-spins", ids=[p.label for p in met], a=one.label) if met else msg("mk-spins-none", a=one.label)
    )
    return Finding(
        reason,
        ("MK-MOV-9", "MK-CON-1"),
        ids=tuple(p.id for p in met),
        margin_mm=set_margin_mm(m for m in margins.values() if math.isfinite(m)),
        drawing=(
            segment(world.at(one), a["path"][0], "path"),
            *(draw_piece(world, p, "contact") for p in met),
        ),
        depends=near_flipping(world, one, margins),
    )


def _factions(world: World, piece: Piece) -> frozenset[str]:
    """The faction symbols a figure counts as (MK-FRM-4: Magespawn are Shyft beside a friendly Shyft)."""
    own = piece.trait("faction")
    found = {own.casefold()} if own else set()
    if piece.has("magespawn"):
        allies = (p for p in world.warriors if p.side == piece.side)
        if any((p.trait("faction") or "").casefold() == "shyft" for p in allies):
            found.add("shyft")
    return frozenset(found)


def _connected_mm(world: World, members: tuple[Piece, ...]) -> float:
    """The widest link that holds the group together: the bottleneck of its best spanning tree (MK-FRM-1)."""
    joined, rest, weakest = [members[0]], list(members[1:]), math.inf
    while rest:
        margin, best = max(
            ((max(world.touch_mm(p, q) for q in joined), p) for p in rest), key=lambda pair: pair[0]
        )
        weakest = min(weakest, margin)
        joined.append(best)
        rest.remove(best)
    return weakest


@GAME.query(
    "formation",
    {"en": "Are they a formation?", "es": "¿Forman una formación?"},
    Input("ids", "pieces", {"en": "members", "es": "miembros"}),
    Input("kind", "choice", {"en": "kind", "es": "tipo"}, choices=("move", "ranged")),
    Input("target", "piece", {"en": "target", "es": "objetivo"}, required=False),
    Input("precision", "flag", {"en": "uses Precision", "es": "usa Precisión"}, required=False),
    CONTACT,
    rules=("MK-FRM-1", "MK-FRM-2", "MK-FRM-3"),
    phase="move",
)
def formation(a: Asked) -> Finding:
    """MK-FRM-1…3."""
    world, members = World(a), a.pieces("ids")
    if a["kind"] == "ranged" and not a.given("target"):
        raise QuestionError.of("input-missing", "target", title={"en": "target", "es": "objetivo"})
    names = [p.label for p in members]
    distinct = len({p.id for p in members})
    rule = ("MK-FRM-1",)
    checks = [
        Check(distinct == len(members) and 3 <= distinct <= 5, msg("mk-frm-size", n=distinct), rule),
        Check(
            len({p.side for p in members}) == 1 and members[0].side is not None if members else False,
            msg("mk-frm-side"),
            rule,
        ),
    ]
    if not all(c.holds for c in checks):
        return conclude(checks, Finding(msg("mk-frm-size", n=distinct), rule))
    soaring = [p.label for p in members if world.soaring(p)]
    captive = [p.label for p in members if world.captive(p)]
    common = frozenset.intersection(*(_factions(world, p) for p in members))
    nameless = [p.label for p in members if not _factions(world, p)]
    if nameless:
        raise Unknown(msg("mk-frm-faction-unknown", ids=nameless), rule)
    tired = [p.label for p in members if world.tokens(p) >= 2]
    link = _connected_mm(world, members)
    checks += [
        Check(bool(common), msg("mk-frm-factions"), ("MK-FRM-1", "MK-FRM-4")),
        Check(not soaring, msg("mk-frm-soaring", ids=soaring), rule),
        Check(not captive, msg("mk-frm-captive", ids=captive), rule),
        Check(not tired, msg("mk-frm-tokens", ids=tired), ("MK-FRM-2", "MK-ACT-1")),
        Check(
            link >= -SLACK_MM,
            msg("mk-frm-chain" if link >= -SLACK_MM else "mk-frm-broken", d=Length(max(-link, 0.0))),
            rule,
            link if math.isfinite(link) else None,
        ),
    ]
    near = {p.id for p in members}
    if a["kind"] == "ranged":
        target = a.piece("target")
        for member in members:
            reach = member.trait("range")
            if reach is None:
                raise Unknown(msg("mk-frm-range", a=member.label), ("MK-FRM-3",))
            checks += ranged_checks(world, member, target, _range_mm(member, reach, a), bool(a["precision"]))
        near = {p.id for p in a.scene.pieces}
    rules = ("MK-FRM-1", "MK-FRM-2") if a["kind"] == "move" else ("MK-FRM-1", "MK-FRM-3")
    yes = Finding(
        msg("mk-frm-yes", ids=names),
        rules,
        drawing=tuple(draw_piece(world, p, "contact") for p in members),
        depends=frozenset(near),
    )
    return conclude(checks, yes)


def _range_mm(piece: Piece, text: str, a: Asked) -> float:
    """The trait `range:N`: a length in the scene's unit, or, in a scene in mm, the inches printed on the base.

    No base prints a range over 28 in (the ruler), and none shoots less than 28 mm: the number tells which it is.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not value >= 0:
        raise QuestionError.of("mk-trait-number", f"{piece.id}.range", got=repr(text))
    return to_mm(value, "in" if value <= RULER_IN else a.unit)


register(
    {
        "mk-wall": {"en": "{t} stands between the bases.", "es": "{t} está entre las peanas."},
        "mk-may-strike": {
            "en": "{a} touches {b} with its front arc and may strike.",
            "es": "{a} toca a {b} con su arco frontal y puede golpear.",
        },
        "mk-rear": {"en": "+1: {a} is in the rear arc of {b}.", "es": "+1: {a} está en el arco trasero de {b}."},
        "mk-no-rear": {"en": "{a} is not in the rear arc of {b}.", "es": "{a} no está en el arco trasero de {b}."},
        "mk-gang": {"en": "+{n} for friends that gang up: {ids}", "es": "+{n} por amigos que atacan en grupo: {ids}"},
        "mk-precise": {
            "en": "−2: {b} touches a friend of the shooter (Precision).",
            "es": "−2: {b} toca a un amigo del tirador (Precisión).",
        },
        "mk-no-precise": {"en": "{b} touches no friend of the shooter.", "es": "{b} no toca a ningún amigo del tirador."},
        "mk-modifier": {"en": "{a} against {b}: {n} to the attack.", "es": "{a} contra {b}: {n} al ataque."},
        "mk-no-sword": {"en": "{a} has no sword and cannot charge.", "es": "{a} no tiene espada y no puede embestir."},
        "mk-charge-engaged": {
            "en": "{a} already touches {ids} and cannot charge.",
            "es": "{a} ya toca a {ids} y no puede embestir.",
        },
        "mk-may-charge": {
            "en": "{a} moves {d} and ends touching {b}.",
            "es": "{a} mueve {d} y termina tocando a {b}.",
        },
        "mk-breaks": {
            "en": "{a} touches {ids}: it needs {n} or more to move away.",
            "es": "{a} toca a {ids}: necesita {n} o más para separarse.",
        },
        "mk-spins": {
            "en": "{ids} may turn its front arc towards {a}.",
            "es": "{ids} puede girar su arco frontal hacia {a}.",
        },
        "mk-spins-none": {"en": "{a} comes into contact with no new enemy.", "es": "{a} no entra en contacto con ningún enemigo nuevo."},
        "mk-frm-size": {
            "en": "A formation has 3 to 5 different figures; there are {n}.",
            "es": "Una formación tiene de 3 a 5 figuras distintas; hay {n}.",
        },
        "mk-frm-side": {"en": "All members must belong to one player.", "es": "Todos los miembros deben ser de un mismo jugador."},
        "mk-frm-factions": {"en": "The members must share a faction symbol.", "es": "Los miembros deben compartir símbolo de facción."},
        "mk-frm-faction-unknown": {
            "en": "Which faction is {ids}? Give the trait faction:NAME.",
            "es": "¿De qué facción es {ids}? Indique el rasgo faction:NOMBRE.",
        },
        "mk-frm-soaring": {"en": "No soaring member: {ids}", "es": "Ningún miembro en vuelo alto: {ids}"},
        "mk-frm-captive": {"en": "No captive member: {ids}", "es": "Ningún miembro cautivo: {ids}"},
        "mk-frm-tokens": {"en": "No member with two action markers: {ids}", "es": "Ningún miembro con dos marcadores de acción: {ids}"},
        "mk-frm-chain": {"en": "All members hang together by touching bases (widest gap {d} over the tolerance).", "es": "Todos los miembros están unidos por contacto (hueco mayor: {d} sobre la tolerancia)."},
        "mk-frm-broken": {
            "en": "The members do not hang together: a gap is {d} too wide.",
            "es": "Los miembros no están unidos: un hueco es {d} demasiado ancho.",
        },
        "mk-frm-range": {
            "en": "What is the range of {a}? Give the trait range:N.",
            "es": "¿Qué alcance tiene {a}? Indique el rasgo range:N.",
        },
        "mk-frm-yes": {"en": "{ids} are a formation.", "es": "{ids} son una formación."},
    }
)  # fmt: skip
