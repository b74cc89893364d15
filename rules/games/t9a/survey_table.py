"""The units and terrain of a scene as arrays, for the survey."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...plane import Array, direction, pad
from .blocks import Model, Unit
from .frames import Frame
from .lines import sides
from .numbers import EPS
from .sight import ignored_features
from .terrain_at import elevated
from .view import Feature, View

__all__ = ["Parts", "Table", "pair_room", "reach_between"]


@dataclass(frozen=True)
class Parts:
    """Convex parts of all that can be in the way, each with its owner and what it is."""

    core: Array
    normal: Array
    offset: Array
    centre: Array
    radius: Array
    unit: Any  # index of the owning unit, -1 for terrain
    feature: Any  # index of the owning feature, -1 for a unit
    height: Any
    tall: Any
    high: Any  # on a hill
    loose: Any  # skirmishers


class Table:
    """The units of a scene as arrays."""

    def __init__(self, view: View) -> None:
        self.v = view
        self.units: list[Unit] = list(view.units.values())
        self.index = {u.id: i for i, u in enumerate(self.units)}
        self.features: list[Feature] = list(view.features.values())
        self.frames = [u.boundary for u in self.units]
        self.at = np.array([f.at for f in self.frames]).reshape(-1, 2)
        self.reach = np.array([math.hypot(f.width, f.depth) / 2 for f in self.frames])
        self.rings = np.stack([ring_of(f) for f in self.frames]) if self.units else np.empty((0, 4, 2))
        self.height = np.array([u.height for u in self.units], int)
        self.tall = np.array([u.half_are("tall") for u in self.units], bool)
        self.round = np.array([u.round for u in self.units], bool)
        self.mixed = np.array([bool(u.joined) for u in self.units], bool)
        self.hills = view.of_type("hill")

    @cached_property
    def high(self) -> list[list[bool]]:
        """For each unit which of its models are on a hill."""
        if not self.hills:
            return [[False] * len(u.models) for u in self.units]
        low = np.array([f.footprint.bounds for f in self.hills])
        out = []
        for u, ring in zip(self.units, self.rings, strict=True):
            a, b = ring.min(0), ring.max(0)
            near = ((low[:, :2] <= b + 1) & (low[:, 2:] >= a - 1)).all(1).any()
            out.append([bool(near) and elevated(self.v, m.at) for m in u.models])
        return out

    def parts(self, full: bool) -> Parts:
        """What can be in the way; `full` fills the gaps of skirmishers (for cover)."""
        cores: list[Array] = []
        rows: list[tuple[int, int, int, bool, bool, bool]] = []
        for i, u in enumerate(self.units):
            loose = "skirmisher" in u.words
            if loose and not full:
                continue
            high = self.high[i]
            if any(high) != all(high) and not u.joined and not u.gap:
                for ring, h in _runs(u, high):
                    cores.append(ring)
                    rows.append((i, -1, u.height, u.models[0].tall, h, loose))
                continue
            if u.joined or any(high) != all(high):
                for m, h in zip(u.models, high, strict=True):
                    cores.append(ring_of(m.frame) if not m.frame.round else _around(m.frame))
                    rows.append((i, -1, m.height, m.tall, h, loose))
                continue
            shapes = (_around(u.boundary),) if u.round else u.shade if full else u.bases.parts
            cores += list(shapes)
            rows += [(i, -1, u.height, u.models[0].tall, all(high), loose)] * len(shapes)
        kinds = ("hill", "impassable") if not full else ("hill", "impassable", "forest", "wall")
        for k, f in enumerate(self.features):
            if f.type in kinds:
                cores += list(f.footprint.parts)
                rows += [(-1, k, 9, True, True, False)] * len(f.footprint.parts)
        core, normal, offset = sides(pad(cores)) if cores else sides(np.zeros((0, 4, 2)))
        centre = core.mean(1)
        size = np.hypot(*(core - centre[:, None]).transpose(2, 0, 1)).max(-1) if cores else np.zeros(0)
        table = np.array(rows, int).reshape(-1, 6)
        return Parts(
            core, normal, offset, centre, size, table[:, 0], table[:, 1], table[:, 2],
            table[:, 3].astype(bool), table[:, 4].astype(bool), table[:, 5].astype(bool),
        )  # fmt: skip

    def pairs(self, viewers: Any, everyone: bool) -> Any:
        """(viewer, other) of enemies, or of all: only enemies are shot at and charged."""
        found = [
            (i, j)
            for i in viewers
            for j, other in enumerate(self.units)
            if i != j and (everyone or self.v.are_enemies(self.units[i], other))
        ]
        return np.array(found, int).reshape(-1, 2)

    def near(self, parts: Parts, one: Any, two: Any) -> tuple[Any, Any]:
        """(pair, part) for the parts that can lie between the two units of a pair."""
        a, b = self.at[one], self.at[two]
        along = b - a
        length2 = np.maximum((along * along).sum(-1), 1e-9)
        rel = parts.centre[None] - a[:, None]
        t = np.clip((rel * along[:, None]).sum(-1) / length2[:, None], 0.0, 1.0)
        off = rel - t[..., None] * along[:, None]
        wide = np.maximum(self.reach[one], self.reach[two])[:, None] + parts.radius[None]
        close = (off * off).sum(-1) <= wide * wide
        own = parts.unit[None]
        close &= (own != one[:, None]) & (own != two[:, None])
        low = np.minimum(self.rings.min(1)[one], self.rings.min(1)[two])[:, None]
        high = np.maximum(self.rings.max(1)[one], self.rings.max(1)[two])[:, None]
        close &= ((parts.core.max(1)[None] >= low) & (parts.core.min(1)[None] <= high)).all(-1)
        pair, part = np.nonzero(close)
        reaches = reach_between(parts, part, self.rings[one], self.rings[two], pair)
        return pair[reaches], part[reaches]

    def inside(self, models: Sequence[Model]) -> Any:
        """(models, features): which features each model is inside, even partly."""
        out = np.zeros((len(models), len(self.features)), bool)
        if not models or not self.features:
            return out
        place = {f.id: k for k, f in enumerate(self.features)}
        for i, m in enumerate(models):
            for name in ignored_features(self.v, m):
                out[i, place[name]] = True
        return out


def reach_between(parts: Parts, part: Any, first: Array, second: Array, row: Any) -> Any:
    """Which parts can reach into the hull of two shapes (R, k, 2), (R, m, 2); `row` says whose each part is.

    Both are boxed in the frame that looks from one to the other: quick, and it lets few through in vain.
    """
    way = second.mean(1) - first.mean(1)
    u = way / np.maximum(np.hypot(way[:, 0], way[:, 1]), 1e-9)[:, None]
    frame = np.stack([u, np.stack([-u[:, 1], u[:, 0]], -1)], axis=1)  # (R, 2, 2)
    corners = np.concatenate([first, second], axis=1)
    mine = corners @ frame.transpose(0, 2, 1)  # (R, k + m, 2)
    low, high = mine.min(1), mine.max(1)
    theirs = parts.core[part] @ frame.transpose(0, 2, 1)[row]
    return ((theirs.max(1) > low[row] + EPS) & (theirs.min(1) < high[row] - EPS)).all(-1)


ROUND_SIDES = 12
"""Few sides, around the circle: what misses them misses the base. All parts share one array, so sides cost."""


def _around(frame: Frame) -> Array:
    turn = np.arange(ROUND_SIDES) * 360.0 / ROUND_SIDES
    return np.asarray(frame.at) + frame.width / 2 / math.cos(math.pi / ROUND_SIDES) * direction(turn)


def _runs(u: Unit, high: list[bool]) -> list[tuple[Array, bool]]:
    """The bases of a block that stands partly on a hill, joined rank by rank where they are alike."""
    runs: list[tuple[Model, Model, bool]] = []
    for m, h in zip(u.models, high, strict=True):
        if runs and runs[-1][2] == h and (runs[-1][1].rank, runs[-1][1].file) == (m.rank, m.file - 1):
            runs[-1] = (runs[-1][0], m, h)
        else:
            runs.append((m, m, h))
    out = []
    for a, b, h in runs:
        middle = ((a.at[0] + b.at[0]) / 2, (a.at[1] + b.at[1]) / 2)
        width = a.frame.width * (b.file - a.file + 1)
        out.append((ring_of(Frame(middle, a.frame.facing, width, a.frame.depth)), h))
    return out


def ring_of(frame: Frame) -> Array:
    """Four corners, counter-clockwise; of a round base its square (only for reach, never for a measure)."""
    return np.array(frame.corners[::-1])


def pair_room(p: Array, q: Array, parts: Parts, k: Any) -> Array:
    """Signed gaps of segments and one convex part each."""
    normal, offset, core = parts.normal[k], parts.offset[k], parts.core[k]
    start = np.einsum("nd,nkd->nk", p, normal) - offset
    end = np.einsum("nd,nkd->nk", q, normal) - offset
    beside = np.minimum(start, end).max(-1)
    way = q - p
    across = np.stack([-way[:, 1], way[:, 0]], -1) / np.maximum(np.hypot(*way.T), 1e-9)[:, None]
    off = np.einsum("nd,nkd->nk", across, core - p[:, None])
    return np.asarray(np.maximum(beside, np.maximum(off.min(-1), -off.max(-1))))
