"""Ordered pairs of pieces as arrays: what a survey holds, and the error bars of measured points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .plane import Array
from .scene import Piece, Scene
from .units import from_mm
from .verdict import BAND95

__all__ = ["About", "Errors", "Survey", "Words", "empty", "three_way"]

Words = NDArray[np.object_]
"""An array of words (yes, no, too-close, unknown; names of arcs and bands), None where there is no answer."""


@dataclass(frozen=True)
class Survey:
    """One row per viewer, one column per piece: how `viewers[i]` stands to `ids[j]`.

    `distance_mm` is what the game's `range` measures, NaN where it cannot be measured and on the diagonal;
    `distance_sigma_mm` its standard deviation (0: exact). The words are yes, no, too-close, unknown or None.
    """

    game: str
    unit: str
    viewers: tuple[str, ...]
    ids: tuple[str, ...]
    distance_mm: Array
    distance_sigma_mm: Array
    band: Words
    arc: Words
    sees: Words
    engaged: Words

    def row(self, viewer: str) -> About:
        return About(self, self.viewers.index(viewer))

    def to_json(self) -> dict[str, Any]:
        """Plain data: lengths in the scene's unit, None for what has no answer."""
        return {
            "game": self.game,
            "unit": self.unit,
            "viewers": list(self.viewers),
            "ids": list(self.ids),
            "distance": _lengths(self.distance_mm, self.unit),
            "distance_sigma": _lengths(self.distance_sigma_mm, self.unit),
            "band": self.band.tolist(),
            "arc": self.arc.tolist(),
            "sees": self.sees.tolist(),
            "engaged": self.engaged.tolist(),
        }


@dataclass(frozen=True)
class About:
    """One piece against all others: a row of a survey."""

    survey: Survey
    index: int

    @property
    def piece(self) -> str:
        return self.survey.viewers[self.index]

    def to_json(self) -> dict[str, Any]:
        s, i = self.survey, self.index
        distance, sigma = _lengths(s.distance_mm[i], s.unit), _lengths(s.distance_sigma_mm[i], s.unit)
        others = [
            {
                "id": name,
                "distance": distance[j],
                "distance_sigma": sigma[j],
                "band": s.band[i, j],
                "arc": s.arc[i, j],
                "sees": s.sees[i, j],
                "engaged": s.engaged[i, j],
            }
            for j, name in enumerate(s.ids)
            if name != self.piece
        ]
        return {"game": s.game, "unit": s.unit, "piece": self.piece, "others": others}


def empty(scene: Scene, viewers: Sequence[str], pieces: Iterable[Piece]) -> Survey:
    """A survey with nothing filled in."""
    ids = tuple(p.id for p in pieces)
    shape = (len(viewers), len(ids))
    words = [np.full(shape, None, object) for _ in range(4)]
    distance, sigma = np.full(shape, np.nan), np.full(shape, np.nan)
    return Survey(scene.game, scene.unit, tuple(viewers), ids, distance, sigma, *words)


def three_way(margin: Array, sigma: Array, slack_mm: float = 0.0) -> Words:
    """Words for signed margins: yes, no, or too-close inside the 95 % band; None where the margin is NaN.

    >>> three_way(np.array([2.0, -2.0, 0.5, np.nan]), np.array([0.0, 0.5, 1.0, 0.0])).tolist()
    ['yes', 'no', 'too-close', None]
    """
    out = np.where(margin >= -slack_mm, "yes", "no").astype(object)
    out[(sigma > 0) & (np.abs(margin) <= BAND95 * sigma)] = "too-close"
    out[np.isnan(margin)] = None
    return out


def _lengths(values: Array, unit: str) -> Any:
    """Millimetres in the scene's unit, rounded to a thousandth of a millimetre; None for NaN."""
    digits = 5 if unit == "in" else 3
    scaled = np.round(values / (1.0 / from_mm(1.0, unit)), digits).astype(object)
    scaled[np.isnan(values)] = None
    return scaled.tolist()


@dataclass(frozen=True)
class Errors:
    """The error bars of pieces as arrays: of the place (N, 2) and of the facing in radians (N,)."""

    at: Array
    sigma_mm: Array
    turn: Array

    @classmethod
    def of(cls, pieces: Sequence[Piece]) -> Errors:
        at = np.array([p.at or (np.nan, np.nan) for p in pieces], float).reshape(-1, 2)
        place = np.array([p.sigma.at if p.sigma else (0.0, 0.0) for p in pieces], float).reshape(-1, 2)
        turn = np.array([p.sigma.facing if p.sigma else 0.0 for p in pieces], float)
        return cls(at, place, np.radians(turn))

    @property
    def exact(self) -> bool:
        return not (self.sigma_mm.any() or self.turn.any())

    def along(self, index: Any, points: Array, way: Array) -> Array:
        """Variance of points fixed to pieces, along unit vectors: place, and facing by its lever.

        `index` names the piece of each point; `points` and `way` are (…, 2).
        """
        arm = points - self.at[index]
        lever = arm[..., 0] * way[..., 1] - arm[..., 1] * way[..., 0]
        place = ((self.sigma_mm[index] * way) ** 2).sum(-1)
        out: Array = place + (lever * self.turn[index]) ** 2
        return out
