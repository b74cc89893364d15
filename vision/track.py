"""Following pieces in table millimetres: stable ids, ghosts of earlier places, and what a person set once.

A table is only measured when it is settled and no hand is over it, so a track sees whole moves: a piece stands where it
stood, stands elsewhere, is gone, or is back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from regla.rules import Piece
from regla.rules.scene import Circle, Frozen, Rect, Sigma

from .corrections import Corrections
from .found import Floats, Thing
from .group import find_blocks
from .state import Ghost

__all__ = ["Tracker"]

SAME_MM: Final = 1.5
SAME_SIGMAS: Final = 4.0
"""A piece that stands this near to where it stood has not moved (the larger of the two)."""
SAME_DEG: Final = 4.0
NEAR_SHARE: Final = 0.75
"""Two finds nearer than this share of their size can only be one piece."""
MOVE_MOST_MM: Final = 900.0
"""No game moves a piece farther at once; a find farther away is more likely another piece."""
KEEP_S: Final = 900.0
"""How long a piece that was taken off the table is remembered."""
COLOUR_FAR: Final = 60.0
"""Distance in colour (0 to 441) at which two things hardly are the same piece."""
MOST_COST: Final = 2.2
_LETTER: Final = {"unit": "u", "model": "m", "token": "t", "marker": "k"}


@dataclass
class _Track:
    id: str
    thing: Thing
    seen_s: float
    gone_s: float | None = None
    earlier: Piece | None = None
    left_s: float = 0.0
    facing_from: float | None = None
    history: list[Floats] = field(default_factory=list)


class Tracker:
    """The pieces of one table. Not thread-safe: the live table calls it under its lock."""

    def __init__(self) -> None:
        self._tracks: list[_Track] = []
        self._count: dict[str, int] = {}

    def update(self, things: Sequence[Thing], now_s: float, corrections: Corrections) -> None:
        """A settled table: tell which thing is which piece."""
        self._tracks = [t for t in self._tracks if t.gone_s is None or now_s - t.gone_s < KEEP_S]
        left = set(range(len(things)))
        free = list(self._tracks)
        for match in (_by_tag, _in_place, _by_look):
            for track, k in match(free, [(k, things[k]) for k in sorted(left)]):
                self._see(track, things[k], now_s, corrections)
                left.discard(k)
                free = [t for t in free if t is not track]
        for track in free:
            if track.gone_s is None:
                track.gone_s = now_s
        for k in sorted(left):
            self._tracks.append(_Track(self._new_id(things[k]), things[k], now_s))

    def pieces(self, now_s: float, corrections: Corrections) -> tuple[Piece, ...]:
        """The pieces on the table, with what a person set."""
        here = [t for t in self._tracks if t.gone_s is None and not corrections.holds(t.id, "forget")]
        things = {t.id: t.thing for t in here}
        swallowed: set[str] = set()
        out: list[Piece] = []
        for track in here:
            merge = [i for i in corrections.holds(track.id, "merge") or () if i in things]
            if merge:
                swallowed.update(merge)
                things[track.id] = _merged([things[track.id], *(things[i] for i in merge)])
        for track in here:
            if track.id in swallowed:
                continue
            thing = things[track.id]
            if corrections.holds(track.id, "split") and len(thing.members) > 1:
                out += [corrections.apply(p) for p in _split(track.id, thing)]
                continue
            out.append(corrections.apply(_piece(track.id, thing, max(0.0, now_s - track.seen_s))))
        return tuple(_name_joined(out, {t.id: t.thing for t in here}))

    def ghosts(self, now_s: float) -> tuple[Ghost, ...]:
        out = []
        for track in self._tracks:
            if track.gone_s is not None:
                out.append(Ghost(_piece(track.id, track.thing, 0.0), track.gone_s, True))
            elif track.earlier is not None and now_s - track.left_s < KEEP_S:
                out.append(Ghost(track.earlier, track.left_s, False))
        return tuple(out)

    def _new_id(self, thing: Thing) -> str:
        if thing.tag is not None and all(t.id != f"tag-{thing.tag}" for t in self._tracks):
            return f"tag-{thing.tag}"
        letter = _LETTER[thing.kind]
        self._count[letter] = self._count.get(letter, 0) + 1
        return f"{letter}{self._count[letter]}"

    def _see(self, track: _Track, thing: Thing, now_s: float, corrections: Corrections) -> None:
        moved = _has_moved(track.thing, thing)
        if moved:
            track.earlier, track.left_s = _piece(track.id, track.thing, 0.0), now_s
            corrections.moved(track.id)
        elif track.gone_s is not None:
            track.earlier = None  # put back where it stood: nothing to put right
        if not moved and thing.facing_deg is None and track.thing.facing_deg is not None:
            # The same piece in the same place still looks where it looked, though the front cannot be seen now.
            thing = replace(
                thing, facing_deg=track.thing.facing_deg, facing_sigma_deg=track.thing.facing_sigma_deg
            )
        track.thing, track.seen_s, track.gone_s = thing, now_s, None


# -- matching ------------------------------------------------------------------------------------------------


def _alike(a: Thing, b: Thing) -> bool:
    """Whether two things can be the same piece at all: kind and base."""
    unitlike = {"unit", "model"}
    if a.kind != b.kind and not {a.kind, b.kind} <= unitlike:
        return False
    if type(a.base) is not type(b.base):
        return False
    if isinstance(a.base, Circle) and isinstance(b.base, Circle):
        return abs(a.base.diameter / b.base.diameter - 1) < 0.15
    if isinstance(a.base, Rect) and isinstance(b.base, Rect):
        one, two = sorted((a.base.width, a.base.depth)), sorted((b.base.width, b.base.depth))
        return all(abs(x / y - 1) < 0.15 for x, y in zip(one, two, strict=True))
    return True


def _by_tag(tracks: list[_Track], things: list[tuple[int, Thing]]) -> list[tuple[_Track, int]]:
    tagged = {t.thing.tag: t for t in tracks if t.thing.tag is not None}
    return [(tagged.pop(thing.tag), k) for k, thing in things if thing.tag in tagged]


def _in_place(tracks: list[_Track], things: list[tuple[int, Thing]]) -> list[tuple[_Track, int]]:
    pairs = []
    for track in tracks:
        for k, thing in things:
            reach = NEAR_SHARE * min(min(track.thing.block_mm), min(thing.block_mm))
            away = float(np.hypot(*(track.thing.at_mm - thing.at_mm)))
            overlap = away < max(reach, SAME_MM)
            if (
                overlap
                and _alike(track.thing, thing)
                and (track.thing.tag is None or thing.tag in (None, track.thing.tag))
            ):
                # A piece still on the table goes before one that was taken off there long ago.
                pairs.append((away + (50.0 if track.gone_s is not None else 0.0), track, k))
    return _greedy(pairs)


def _by_look(tracks: list[_Track], things: list[tuple[int, Thing]]) -> list[tuple[_Track, int]]:
    pairs = []
    for track in tracks:
        for k, thing in things:
            if not _alike(track.thing, thing) or (track.thing.tag is not None and thing.tag is not None):
                continue
            away = float(np.hypot(*(track.thing.at_mm - thing.at_mm)))
            if away > MOVE_MOST_MM and track.gone_s is None:
                continue
            cost = away / MOVE_MOST_MM
            one, two = track.thing.colour, thing.colour
            if one is not None and two is not None:
                cost += float(np.linalg.norm(one - two)) / COLOUR_FAR
            if (track.thing.count or 1) != (thing.count or 1):
                cost += 0.5 + abs((track.thing.count or 1) - (thing.count or 1)) / max(
                    track.thing.count or 1, thing.count or 1
                )
            if cost < MOST_COST:
                pairs.append((cost, track, k))
    return _greedy(pairs)


def _greedy(pairs: list[tuple[float, _Track, int]]) -> list[tuple[_Track, int]]:
    """Best pairs first; each side once. With the few pieces that move at a time this is the best assignment."""
    out: list[tuple[_Track, int]] = []
    used_tracks: set[int] = set()
    used: set[int] = set()
    for _, track, k in sorted(pairs, key=lambda p: p[0]):
        if id(track) not in used_tracks and k not in used:
            used_tracks.add(id(track))
            used.add(k)
            out.append((track, k))
    return out


def _has_moved(before: Thing, after: Thing) -> bool:
    away = after.at_mm - before.at_mm
    sigma = float(np.sqrt(np.trace(before.cov_mm2 + after.cov_mm2) / 2))
    if float(np.hypot(*away)) > max(SAME_MM, SAME_SIGMAS * sigma):
        return True
    if isinstance(after.base, Circle):
        if before.facing_deg is None or after.facing_deg is None:
            return False
        turned = abs((after.facing_deg - before.facing_deg + 180) % 360 - 180)
        bar = max(SAME_DEG, SAME_SIGMAS * float(np.hypot(before.facing_sigma_deg, after.facing_sigma_deg)))
        return turned > max(bar, 12.0)
    period = after.turn_period_deg
    turned = abs((after.turn_deg - before.turn_deg + period / 2) % period - period / 2)
    sigma_deg = float(np.hypot(before.facing_sigma_deg, after.facing_sigma_deg))
    return turned > max(SAME_DEG, SAME_SIGMAS * sigma_deg)


# -- from things to pieces -----------------------------------------------------------------------------------


def _piece(piece_id: str, thing: Thing, seen_s: float) -> Piece:
    turned = thing.facing_deg is not None or not isinstance(thing.base, Circle)
    sigma = Sigma(
        (round(float(np.sqrt(thing.cov_mm2[0, 0])), 4), round(float(np.sqrt(thing.cov_mm2[1, 1])), 4)),
        round(thing.facing_sigma_deg, 3) if turned else 0.0,
    )
    extra: dict[str, Any] = {**thing.extra, "cov_xy": round(float(thing.cov_mm2[0, 1]), 5)}
    if thing.facing_deg is None and turned:
        extra["turn"] = round(thing.turn_deg % thing.turn_period_deg, 3)
    return Piece(
        id=piece_id,
        kind=thing.kind,
        at=(round(float(thing.at_mm[0]), 3), round(float(thing.at_mm[1]), 3)),
        hex=thing.hex,
        space=thing.space,
        facing=None if thing.facing_deg is None else round(thing.facing_deg % 360, 3),
        base=thing.base,
        files=thing.files,
        count=thing.count,
        traits=thing.traits,
        sigma=sigma,
        confidence=round(min(1.0, max(0.0, thing.confidence)), 3),
        seen=round(seen_s, 1),
        source=thing.source,
        height=round(thing.height_mm, 2),
        visible=round(min(1.0, thing.rim), 3),
        extra=Frozen(extra),
    )


def _split(piece_id: str, thing: Thing) -> list[Piece]:
    """A unit as its single bases."""
    return [
        _piece(
            f"{piece_id}.{n}",
            replace(
                thing,
                kind="model",
                at_mm=m.at_mm,
                cov_mm2=m.cov_mm2,
                base=m.base,
                members=(m,),
                files=None,
                count=None,
                traits=(),
            ),
            0.0,
        )
        for n, m in enumerate(thing.members, 1)
    ]


def _merged(things: list[Thing]) -> Thing:
    """Several things as one unit: on their common lattice where they have one, else the first with all members."""
    from .things import thing_of_block

    members = [m for t in things for m in t.members]
    blocks = find_blocks(members, (0.0, 12.5))
    whole = next((b for b in blocks if len(b.members) == len(members)), None)
    if whole is None:
        return replace(things[0], members=tuple(members), count=len(members))
    facing = next((t.facing_deg for t in things if t.facing_deg is not None), None)
    merged = thing_of_block(whole, members, things[0].cov_mm2, things[0].facing_sigma_deg, "t9a")
    if facing is not None and merged.facing_deg is None:
        turns = [(merged.turn_deg + 90 * q) % 360 for q in range(4)]
        best = min(range(4), key=lambda q: abs((turns[q] - facing + 180) % 360 - 180))
        merged = thing_of_block(
            whole, members, things[0].cov_mm2, things[0].facing_sigma_deg, "t9a", quarter=best
        )
    return merged


def _name_joined(pieces: list[Piece], things: dict[str, Thing]) -> list[Piece]:
    """A character beside a block belongs to it: the block is named by its id, which only the tracker knows."""
    owners = {id(thing): piece_id for piece_id, thing in things.items()}
    out = []
    for piece in pieces:
        beside = things[piece.id].extra.get("beside") if piece.id in things else None
        extra = {k: v for k, v in piece.extra.items() if k != "beside"}
        unit = owners.get(beside) if beside is not None else None
        traits = (*piece.traits, f"joined:{unit}") if unit and not piece.has("joined") else piece.traits
        out.append(replace(piece, traits=traits, extra=Frozen(extra)))
    return out
