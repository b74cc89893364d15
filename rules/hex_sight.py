"""Sight between hex centres, in whole numbers only: no line is ever "nearly" through a corner.

In axial units a closed hex around `c` is `|2u+v| ≤ 1, |u+2v| ≤ 1, |u-v| ≤ 1` with `(u, v) = p - c`. A segment
and a hex are convex, so they miss each other exactly when one of four directions separates them: the three
of the hex's sides and the segment's own normal. On all four both are measured in whole numbers (the corners
of a hex are at thirds, so the last is taken three times).
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .hexes import Field, Hex

__all__ = ["Sight", "line", "sight", "sight_table"]

_CORNERS3 = np.array([(2, -1), (1, 1), (-1, 2)], dtype=np.int64)
"""Half of a hex's corners, times three; the others are their negatives."""

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
_Int = TypeVar("_Int", np.int32, np.int64)


def _forms(at: NDArray[_Int]) -> tuple[NDArray[_Int], NDArray[_Int], NDArray[_Int]]:
    q, r = at[..., 0], at[..., 1]
    return 2 * q + r, q + 2 * r, q - r


def _meet(a: Ints, b: Ints, hexes: Ints) -> tuple[Flags, Flags]:
    """Which hexes the segments from a to b touch at all, and which they pass through the inside of."""
    touch = np.ones(np.broadcast_shapes(a.shape[:-1], b.shape[:-1], hexes.shape[:-1]), dtype=np.bool_)
    inside = touch.copy()
    for one, two, mid in zip(_forms(a), _forms(b), _forms(hexes), strict=True):
        low, high = np.minimum(one, two), np.maximum(one, two)
        touch &= (high >= mid - 1) & (low <= mid + 1)
        inside &= (high > mid - 1) & (low < mid + 1)
    along, off = b - a, hexes - a
    side = 3 * np.abs(along[..., 0] * off[..., 1] - along[..., 1] * off[..., 0])
    k = _CORNERS3
    wide = np.abs(along[..., None, 0] * k[:, 1] - along[..., None, 1] * k[:, 0]).max(axis=-1)
    # A segment of no length has no normal: its point lies where the three forms say.
    point = (along == 0).all(axis=-1)
    return touch & (point | (side <= wide)), inside & (point | (side < wide))


def _box(a: Hex, b: Hex) -> Ints:
    """Every hex that a segment between the two could touch."""
    q, r = sorted((a[0], b[0])), sorted((a[1], b[1]))
    grid = np.mgrid[q[0] - 1 : q[1] + 2, r[0] - 1 : r[1] + 2]
    return np.ascontiguousarray(grid.reshape(2, -1).T.astype(np.int64))


def line(a: Hex, b: Hex) -> tuple[Hex, ...]:
    """Every hex that the closed segment between two centres touches, corners and sides included, in order.

    >>> line((0, 0), (2, 0)), line((0, 0), (1, 1))
    (((0, 0), (1, 0), (2, 0)), ((0, 0), (0, 1), (1, 0), (1, 1)))
    """
    box = _box(a, b)
    touched = box[_meet(np.array(a), np.array(b), box)[0]]
    # Along the segment: the scalar product of the two in the plane, times two.
    dq, dr = b[0] - a[0], b[1] - a[1]
    far = (touched[:, 0] - a[0]) * (2 * dq + dr) + (touched[:, 1] - a[1]) * (dq + 2 * dr)
    order = sorted(zip(far.tolist(), touched.tolist(), strict=True))
    return tuple((h[0], h[1]) for _, h in order)


@dataclass(frozen=True)
class Sight:
    """What a sight line meets: the blocking hexes it touches, and whether it leaves the field."""

    touched: tuple[Hex, ...]
    blockers: tuple[Hex, ...]
    leaves: bool

    @property
    def clear(self) -> bool:
        return not self.blockers and not self.leaves


def sight(a: Hex, b: Hex, field: Container[Hex], blocked: Container[Hex] = ()) -> Sight:
    """The sight line between two centres on a field.

    A blocking hex blocks when the line touches it, be it at a corner. The line leaves the field where no closed
    hex of the field covers it: running along the side of one is staying on it.

    >>> from regla.rules.hexes import disc
    >>> board = set(disc((0, 0), 3))
    >>> sight((0, 0), (1, 1), board).clear, sight((0, 0), (1, 1), board, {(1, 0)}).blockers
    (True, ((1, 0),))
    >>> sight((0, 0), (1, 1), board - {(1, 0)}).leaves, sight((0, 0), (1, 1), board - {(1, 0), (0, 1)}).leaves
    (False, True)
    """
    touched = line(a, b)
    _, inside = _meet(np.array(a), np.array(b), np.array(touched))
    within = [h for h, passed in zip(touched, inside.tolist(), strict=True) if passed]
    leaves = any(h not in field for h in within) or any(
        one not in field and two not in field for one, two in _seams(a, b)
    )
    return Sight(touched, tuple(h for h in touched if h in blocked), leaves)


_SEAMS: dict[Hex, tuple[Hex, Hex]] = {
    (1, 1): ((1, 0), (0, 1)),
    (-1, 2): ((0, 1), (-1, 1)),
    (-2, 1): ((-1, 1), (-1, 0)),
    (-1, -1): ((-1, 0), (0, -1)),
    (1, -2): ((0, -1), (1, -1)),
    (2, -1): ((1, -1), (1, 0)),
}
"""The six directions between the axes, and the two hexes whose common side such a line runs along."""


def _seams(a: Hex, b: Hex) -> Iterable[tuple[Hex, Hex]]:
    """The pairs of hexes along whose common side the segment runs: either of them covers that stretch."""
    dq, dr = b[0] - a[0], b[1] - a[1]
    for (uq, ur), (one, two) in _SEAMS.items():
        n = dq // uq
        if n > 0 and (n * uq, n * ur) == (dq, dr):
            for m in range(n):
                q, r = a[0] + m * uq, a[1] + m * ur
                yield (q + one[0], r + one[1]), (q + two[0], r + two[1])


def sight_table(field: Field, blocked: Container[Hex] = ()) -> Flags:
    """Who sees whom, for all pairs of hexes at once; rows and columns in `field.order`."""
    order = field.order
    n = len(order)
    at = np.array(order, dtype=np.int32).reshape(n, 2)
    first, second = np.triu_indices(n)
    pairs = _Segments(at[first], at[second])
    clear = ~pairs.meet([h for h in order if h in blocked], closed=True)
    clear &= ~pairs.meet(_holes(field), closed=False)
    for i in np.flatnonzero(pairs.on_seam & clear).tolist() if _open_seams(field) else ():
        seams = _seams(order[first[i]], order[second[i]])
        clear[i] = all(one in field.hexes or two in field.hexes for one, two in seams)
    table = np.zeros((n, n), dtype=np.bool_)
    table[first, second] = table[second, first] = clear
    return table


class _Segments:
    """Many segments against a few hexes: what the test of `_meet` needs of the segments is worked out once.

    32 bits are plenty: on a table no product of two coordinates comes near a million.
    """

    def __init__(self, a: NDArray[np.int32], b: NDArray[np.int32]) -> None:
        ends = [np.sort(np.stack(pair), axis=0) for pair in zip(_forms(a), _forms(b), strict=True)]
        self._low = [low for low, _ in ends]
        self._high = [high for _, high in ends]
        self._a, self._along = a, b - a
        u, v = self._along[:, 0], self._along[:, 1]
        self._wide = np.max([np.abs(u * y - v * x) for x, y in _CORNERS3.tolist()], axis=0)
        self._point = (u == 0) & (v == 0)
        self.on_seam = ((u == v) | (2 * u == -v) | (u == -2 * v)) & ~self._point

    def meet(self, hexes: list[Hex], closed: bool) -> Flags:
        """Which segments touch any of the hexes (`closed`), or pass through the inside of any."""
        met = np.zeros(len(self._a), dtype=np.bool_)
        for q, r in hexes:
            near = ~met
            for low, high, mid in zip(self._low, self._high, (2 * q + r, q + 2 * r, q - r), strict=True):
                near &= (high >= mid - 1) & (low <= mid + 1) if closed else (high > mid - 1) & (low < mid + 1)
            # Few segments pass near any one hex: only those are tried against their own normal.
            i = np.flatnonzero(near)
            off_q, off_r = q - self._a[i, 0], r - self._a[i, 1]
            side = 3 * np.abs(self._along[i, 0] * off_r - self._along[i, 1] * off_q)
            met[i] = self._point[i] | (side <= self._wide[i] if closed else side < self._wide[i])
        return met


def _open_seams(field: Field) -> bool:
    """Whether two hexes of the field face each other across a side that no hex of the field has."""
    return any(
        (q + u[0], r + u[1]) in field.hexes
        and (q + one[0], r + one[1]) not in field.hexes
        and (q + two[0], r + two[1]) not in field.hexes
        for q, r in field.hexes
        for u, (one, two) in _SEAMS.items()
    )


def _holes(field: Field) -> list[Hex]:
    """The hexes that are not of the field, but that a line between two of its hexes could pass through."""
    if not field.hexes:
        return []
    at = np.array(field.order, dtype=np.int64)
    (q0, r0), (q1, r1) = at.min(axis=0), at.max(axis=0)
    grid = np.mgrid[q0 : q1 + 1, r0 : r1 + 1].reshape(2, -1).T
    keep = np.ones(len(grid), dtype=np.bool_)
    for form, mid in zip(_forms(at), _forms(grid), strict=True):
        keep &= (mid - 1 < form.max()) & (mid + 1 > form.min())
    return [(q, r) for q, r in grid[keep].tolist() if (q, r) not in field.hexes]
