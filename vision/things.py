"""From measured finds to pieces: units from blocks, single models, tokens, and which way each looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from regla.rules.scene import Rect

from .found import Floats, Found, Thing
from .group import Block, Ranks, ranks_of
from .refine import Measured

__all__ = ["make_things", "thing_of_block"]

VOTE_SURE: Final = 0.62
"""Share of the votes for one of four fronts from which on the front of a block counts as known."""
REAR_WEIGHT: Final = 1.5
"""An incomplete rank stands at the rear: so many bases' votes is that worth."""
ODD_WEIGHT: Final = 2.0
"""A front that would leave gaps in ranks that must be full is that much less likely, per gap."""
LEAST_VOTES: Final = 0.9
FRONT_DEG: Final = 40.0
"""A seen front farther than this from any side of a rectangle is no front of it."""
ROUND_SIGMA_DEG: Final = 4.0
"""How well the front of a round base is seen, where only the network says so."""
BESIDE_MM: Final = 6.0
PILE_GAMES: Final = frozenset({"siege-of-runedar"})
PILE_MM: Final = 32.0
"""Goods nearer to each other than this lie in one pile: the courtyards they belong to are wider apart."""
_TOKENS: Final = frozenset({"token"})
_PIECES: Final = frozenset({"round-base", "rect-base", "tray", "standee"})


def make_things(measured: Measured, game: str) -> list[Thing]:
    """All pieces that the finds make up; dice are none."""
    things: list[Thing] = []
    used: set[int] = set()
    for block, cov, turn_sigma in zip(
        measured.blocks, measured.block_cov_mm2, measured.block_turn_sigma_deg, strict=True
    ):
        things.append(thing_of_block(block, measured.found, cov, turn_sigma, game))
        used.update(block.members)
    for i, found in enumerate(measured.found):
        if i not in used and found.cls in _PIECES | _TOKENS:
            things.append(_single(found, game))
    if game in PILE_GAMES:
        things += _piles([f for f in measured.found if f.cls == "cube"])
    return _joined(things) if game == "t9a" else things


def thing_of_block(
    block: Block,
    found: Sequence[Found],
    cov: Floats,
    turn_sigma_deg: float,
    game: str,
    quarter: int | None = None,
) -> Thing:
    """A unit. Its front is voted for by its bases; an incomplete rank is its rear."""
    members = tuple(found[i] for i in block.members)
    known = quarter is not None
    if quarter is None:
        quarter, known = _front(block, members)
    ranks = ranks_of(block, quarter)
    tagged = next((m for m in members if m.tag is not None), None)
    width, depth = ranks.size_mm
    base = Rect(round(width, 3), round(depth, 3))
    sigma = float(np.hypot(turn_sigma_deg, 0.05))
    score = float(np.mean([m.score for m in members]))
    confidence = score * (1 - min(0.5, ranks.holes / max(ranks.count, 1)))
    return Thing(
        kind="unit",
        at_mm=block.centres_mm(np.array([ranks.centre]))[0],
        cov_mm2=cov,
        base=base,
        members=members,
        facing_deg=ranks.facing_deg if known else None,
        facing_sigma_deg=sigma,
        turn_deg=ranks.facing_deg,
        files=ranks.files,
        count=ranks.count,
        traits=_traits(ranks, block, game),
        confidence=confidence,
        source="tag" if tagged is not None else "camera",
        tag=None if tagged is None else tagged.tag,
        extra={"unseen": ranks.holes} if ranks.holes else {},
    )


def _traits(ranks: Ranks, block: Block, game: str) -> tuple[str, ...]:
    out = []
    if ranks.rear is not None:
        name = "rear" if game == "t9a" else "last-rank"
        out.append(f"{name}:{','.join(map(str, ranks.rear))}")
    if block.gap_mm > 0 and game == "t9a":
        out.append("skirmisher")
    return tuple(out)


def _front(block: Block, members: Sequence[Found]) -> tuple[int, bool]:
    """Which of four ways the block looks, in quarter turns from its lattice's forward, and whether that is known."""
    votes = np.zeros(4)
    cast = 0.0
    for m in members:
        if m.facing_deg is None:
            continue
        weight = 8.0 if m.tag is not None else m.score
        turn = (m.facing_deg - block.turn_deg + 45) % 360
        votes[int(turn // 90) % 4] += weight
        cast += weight
    width, depth = block.size_mm
    allowed = np.array([True] * 4)
    if abs(width - depth) > 0.15 * max(width, depth):
        # Oblong bases stand with their short side to the front.
        allowed = np.array([True, False, True, False])
    odd = np.array([ranks_of(block, q).odd for q in range(4)], dtype=float)
    rear = np.zeros(4)
    if odd.min() < odd.max():
        # Some fronts would put the gaps into a rank that must be full.
        rear = REAR_WEIGHT * (odd == odd[allowed].min()) / max(1, int(np.sum(odd == odd[allowed].min())))
        votes = votes / (1 + ODD_WEIGHT * (odd - odd[allowed].min()) / max(len(members), 1))
    total = np.where(allowed, votes + rear, 0.0)
    best = int(total.argmax())
    if total.sum() <= 0:
        return (0 if allowed[0] else 1), False
    sure = total[best] / total.sum() >= VOTE_SURE and (
        cast >= LEAST_VOTES or rear[best] >= REAR_WEIGHT - 1e-9
    )
    return best, bool(sure)


def _single(found: Found, game: str) -> Thing:
    facing, sigma, base = _facing(found)
    unit = found.cls == "tray"
    extra: dict[str, Any] = {}
    if found.size_sigma_mm:
        extra["size_sigma"] = round(found.size_sigma_mm, 3)
    return Thing(
        kind="unit" if unit else "token" if found.cls in _TOKENS else "model",
        at_mm=found.at_mm,
        cov_mm2=found.cov_mm2,
        base=base,
        members=(found,),
        facing_deg=facing,
        facing_sigma_deg=sigma,
        turn_deg=found.turn_deg if facing is None else facing,
        files=1 if unit else None,
        count=1 if unit else None,
        confidence=found.score,
        source="tag" if found.tag is not None else "camera",
        tag=found.tag,
        extra=extra,
    )


def _facing(found: Found) -> tuple[float | None, float, Any]:
    """The front of a single base: of a rectangle, the side that the seen front is nearest to."""
    base = found.base
    if not isinstance(base, Rect):
        sigma = (
            found.facing_sigma_deg if found.tag is not None else max(found.facing_sigma_deg, ROUND_SIGMA_DEG)
        )
        return found.facing_deg, sigma, base
    if found.facing_deg is None:
        return None, found.turn_sigma_deg, base
    oblong = abs(base.width - base.depth) > 0.15 * base.depth
    sides = [found.turn_deg + 90 * q for q in range(4)]
    apart = [abs((found.facing_deg - s + 180) % 360 - 180) for s in sides]
    q = int(np.argmin(apart))
    if apart[q] > FRONT_DEG or (oblong and found.snapped and q % 2 == 1):
        return None, found.turn_sigma_deg, base
    if q % 2 == 1:
        base = Rect(base.depth, base.width)
    return sides[q] % 360, found.turn_sigma_deg, base


def _piles(cubes: list[Found]) -> list[Thing]:
    """Loose goods that lie together are one pile, counted."""
    left = list(range(len(cubes)))
    piles = []
    while left:
        pile, queue = [], [left.pop(0)]
        while queue:
            i = queue.pop()
            pile.append(cubes[i])
            near = [j for j in left if np.hypot(*(cubes[j].at_mm - cubes[i].at_mm)) < PILE_MM]
            left = [j for j in left if j not in near]
            queue += near
        at = np.mean([f.at_mm for f in pile], axis=0)
        spread = np.mean([f.cov_mm2 for f in pile], axis=0) / len(pile)
        score = float(np.mean([f.score for f in pile]))
        piles.append(
            Thing(
                "token",
                at,
                spread,
                pile[0].base,
                tuple(pile),
                count=len(pile),
                confidence=score,
                turn_deg=pile[0].turn_deg,
            )
        )
    return piles


def _joined(things: list[Thing]) -> list[Thing]:
    """A single base that stands against a block and turned like it, but of another size, is a character of it."""
    blocks = [t for t in things if t.kind == "unit" and t.count and t.count > 1]
    out = []
    for thing in things:
        if thing.kind == "model" and isinstance(thing.base, Rect):
            owner = next((b for b in blocks if _beside(thing, b)), None)
            if owner is not None:
                thing = replace(thing, extra={**thing.extra, "beside": id(owner)})
        out.append(thing)
    return out


def _beside(thing: Thing, block: Thing) -> bool:
    turned = abs((thing.turn_deg - block.turn_deg + 45) % 90 - 45)
    if turned > 6.0:
        return False
    angle = np.radians(block.turn_deg)
    right, forward = np.array([np.sin(angle), -np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
    way = thing.at_mm - block.at_mm
    width, depth = block.block_mm
    assert isinstance(thing.base, Rect)
    half = (thing.base.width + thing.base.depth) / 4
    x, y = abs(float(way @ right)) - width / 2 - half, abs(float(way @ forward)) - depth / 2 - half
    return max(x, y) < BESIDE_MM and min(x, y) < -0.3 * half
