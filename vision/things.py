"""From measured finds to pieces: units from blocks, single models, tokens, and which way each looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from regla.rules.scene import Rect

from .found import Floats, Found, Thing
from .group import Block, Ranks, ranks_of
from .outline import frame
from .refine import Measured

__all__ = ["make_things", "thing_of_block"]

FRONT_SURE: Final = 0.86
"""How probable one of four fronts must be for the front of a block to count as known."""
ALIKE_POWER: Final = 0.5
"""Bases of one block look alike, so what fools the network on one fools it on all: n of them are worth n to this power."""
GUESS_BOUNDS: Final = (0.25, 0.97)
"""One base is never a worse hint than none, nor ever certain."""
TAG_SURE: Final = 0.999
ODD_COST: Final = 3.5
ODD_MOST: Final = 3
"""A front that leaves gaps in ranks that must be full is less likely by e to this for each gap: one base in thirty at the rim
of a block is not seen. No more than so many gaps count."""
FRONT_DEG: Final = 40.0
"""A seen front farther than this from any side of a rectangle is no front of it."""
SIDE_SIGMAS: Final = 1.96
"""A side that may lie a base farther out must lie within the 95 % band."""
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
    unsure = measured.block_open_mm or [np.zeros((2, 2))] * len(measured.blocks)
    for block, cov, turn_sigma, open_mm in zip(
        measured.blocks, measured.block_cov_mm2, measured.block_turn_sigma_deg, unsure, strict=True
    ):
        things.append(thing_of_block(block, measured.found, cov + _spread(block, open_mm), turn_sigma, game))
        used.update(block.members)
    for i, found in enumerate(measured.found):
        if i not in used and found.cls in _PIECES | _TOKENS:
            things.append(_single(found, game))
    if game in PILE_GAMES:
        things += _piles([f for f in measured.found if f.cls == "cube"])
    return _joined(things) if game == "t9a" else things


def _spread(block: Block, open_mm: Floats) -> Floats:
    """What sides that may lie elsewhere do to the place: rules know no other error bar of a block than that."""
    axes = frame(block.turn_deg)
    sigma = open_mm.max(axis=1) / SIDE_SIGMAS
    return np.asarray(axes @ np.diag(sigma**2) @ axes.T)


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
    """Which of four ways the block looks, in quarter turns from its lattice's forward, and whether that is known.

    Every base whose front was looked at is a hint of its own sureness; an incomplete rank is a hint at the rear.
    """
    hints, tags = np.zeros(4), np.zeros(4)
    count = 0
    for m in members:
        looks, sure = (m.facing_deg, TAG_SURE) if m.tag is not None else (m.guess_deg, m.guess_sure)
        if looks is None:
            continue
        sure = float(np.clip(sure, GUESS_BOUNDS[0], TAG_SURE if m.tag is not None else GUESS_BOUNDS[1]))
        shares = np.full(4, (1 - sure) / 3)
        shares[int((looks - block.turn_deg + 45) % 360 // 90) % 4] = sure
        if m.tag is not None:
            tags += np.log(shares)
        else:
            hints += np.log(shares)
            count += 1
    odd = np.array([ranks_of(block, q).odd for q in range(4)], dtype=float)
    width, depth = block.size_mm
    allowed = np.array([True] * 4)
    if abs(width - depth) > 0.15 * max(width, depth):
        # Oblong bases stand with their short side to the front.
        allowed = np.array([True, False, True, False])
    total = hints * max(count, 1) ** (ALIKE_POWER - 1) + tags
    total -= ODD_COST * np.minimum(odd - odd[allowed].min(), ODD_MOST)
    total = np.where(allowed, total, -np.inf)
    share = np.exp(total - total.max())
    share /= share.sum()
    best = int(share.argmax())
    return best, bool(share[best] >= FRONT_SURE)


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
        return found.facing_deg, found.facing_sigma_deg, base
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
