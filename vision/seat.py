"""Where a block stands, as far as its own bases say: each was looked at by itself, and knows its place as well as it does.

A base half under a dragon's wing says little, one at the open end of a rank a lot. Taken together as one rigid block, each by
what it is worth, they place it better than any one of them, but never as well as if they erred each on its own: all
figures of a block lean alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from .found import Floats, Found
from .group import Block

__all__ = ["LEAST_MM", "Seat", "seated"]

LEAST_MM: Final = 0.15
"""No box's middle is known better than this."""
TAIL: Final = 4.0
"""A few say something quite else: errors have long tails."""
ROUNDS: Final = 4
ALIKE: Final = 0.35
"""Which part of its bases' errors a block has in common: their squares count so much, however many there are."""
TURN_LEAST_DEG: Final = 0.15


@dataclass(frozen=True, eq=False)
class Seat:
    """A block where its bases put it, the covariance of its middle and how well its turn is known."""

    block: Block
    cov_mm2: Floats
    turn_sigma_deg: float


def seated(block: Block, found: Sequence[Found]) -> Seat | None:
    """None where no base of it was looked at by itself."""
    told = [(k, found[i]) for k, i in enumerate(block.members) if found[i].box_cov_mm2 is not None]
    if not told:
        return None
    cells = block.cells[[k for k, _ in told]]
    covs = np.array([f.box_cov_mm2 for _, f in told]) + LEAST_MM**2 * np.eye(2)
    worth = np.linalg.inv(covs)
    middle = block.centres_mm((block.cells.max(axis=0) + block.cells.min(axis=0)) / 2)
    lever = block.centres_mm(cells) - middle
    off = np.array([f.at_mm for _, f in told]) - block.centres_mm(cells)
    # How the middle's place and the turn (radians) move each base.
    ways = np.zeros((len(told), 2, 3))
    ways[:, 0, 0] = ways[:, 1, 1] = 1.0
    ways[:, 0, 2], ways[:, 1, 2] = -lever[:, 1], lever[:, 0]
    firm = np.diag([0.0, 0.0, np.radians(3.0) ** -2])
    move = np.zeros(3)
    trust = np.ones(len(told))
    for _ in range(ROUNDS):
        weighed = ways.transpose(0, 2, 1) @ (worth * trust[:, None, None])
        info = (weighed @ ways).sum(axis=0) + firm
        move = np.linalg.solve(info, np.einsum("nij,nj->i", weighed, off))
        left = off - ways @ move
        trust = (TAIL + 2) / (TAIL + np.einsum("ni,nij,nj->n", left, worth, left))
    cov = np.linalg.inv(info)
    common = ALIKE**2 * np.average(covs, axis=0, weights=trust)
    middle = middle + move[:2]
    turn = block.turn_deg + float(np.degrees(move[2]))
    turned = replace(block, turn_deg=turn, at_mm=np.zeros(2))
    start = middle - turned.centres_mm((block.cells.max(axis=0) + block.cells.min(axis=0)) / 2)
    return Seat(
        replace(turned, at_mm=start),
        np.asarray(cov[:2, :2] + common),
        float(np.hypot(np.degrees(np.sqrt(cov[2, 2])), TURN_LEAST_DEG)),
    )
