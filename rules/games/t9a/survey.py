"""Everything at once on a T9A table: distances, arcs, engagement, sight and cover of all pairs, in arrays.

Sight and cover are settled in stages (`survey_sight`, `survey_cover`); only what is left is looked at exactly.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import Unknown
from ...footprint import between
from ...game import Asked, prepare
from ...pairs import Survey, Words, empty
from ...plane import Array, direction
from ...scene import Piece, Scene
from ...verdict import BAND95
from .arcs import FLANKS
from .blocks import Unit
from .contact import engaged_with
from .frames import FACES, Point
from .fronts import FrontUnknown, each_front, fronts_of, told_axis
from .game import GAME
from .numbers import EPS
from .survey_cover import Covers
from .survey_sight import Sights
from .survey_table import Table
from .view import View

__all__ = ["ArmySurvey", "survey"]

WORDS = ("band", "arc", "sees", "engaged", "cover")


@dataclass(frozen=True)
class ArmySurvey(Survey):
    """A survey with the cover that most of the viewer's front rank meets: none, soft, hard."""

    cover: Words = None  # type: ignore[assignment]

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | {"cover": self.cover.tolist()}


def _view(scene: Scene) -> View:
    """A view of the whole scene, as if a question about it had been asked."""
    asked: Asked = prepare(GAME, scene, {"query": "terrain-placement"}, "friendly")
    return View(asked)


def survey(scene: Scene, viewers: Sequence[str] | None = None) -> ArmySurvey:
    """Distances, arcs, sight, engagement and cover of all ordered pairs of units.

    A unit whose front was not seen looks out over each side that may be its front; what they do not agree on is unknown.
    """
    out = _whichever_front(scene, viewers)
    for k, name in enumerate(out.viewers):
        piece = scene.find(name)
        settled = all((getattr(out, words)[k] != "unknown").all() for words in WORDS)
        if piece is None or told_axis(piece) is None or settled:
            continue
        looks = (_whichever_front(_with(scene, p), (name,)) for p in fronts_of(piece))
        row = functools.reduce(lambda one, two: _common(one, two, piece), looks)
        for words in WORDS:
            mine, found = getattr(out, words)[k], getattr(row, words)[0]
            mine[mine == "unknown"] = found[mine == "unknown"]
    return out


def _with(scene: Scene, piece: Piece) -> Scene:
    return replace(scene, pieces=tuple(piece if p.id == piece.id else p for p in scene.pieces))


def _whichever_front(scene: Scene, viewers: Sequence[str] | None) -> ArmySurvey:
    """The survey, for each front of the units whose bases lie otherwise for each; of too many, without sight and cover."""
    try:
        return each_front(lambda s: _at_once(s, viewers), scene, _common)
    except FrontUnknown as asked:
        piece = scene.find(asked.piece_id)
        if piece is None or told_axis(piece) is None:
            raise
        return _at_once(scene, viewers, looking=False)


def _common(one: ArmySurvey, two: ArmySurvey, piece: Piece) -> ArmySurvey:
    """The words that two surveys share, with another front of one piece."""

    def same(name: str) -> Words:
        a, b = getattr(one, name), getattr(two, name)
        return np.where(a == b, a, "unknown")

    shared: dict[str, Any] = {name: same(name) for name in WORDS}
    return replace(one, **shared)


def _at_once(scene: Scene, viewers: Sequence[str] | None, looking: bool = True) -> ArmySurvey:
    view = _view(scene)
    ids = list(view.units)
    chosen = list(viewers if viewers is not None else ids)
    pieces = [u.piece for u in view.units.values()]
    out = empty(scene, chosen, pieces)
    cover = np.full(out.band.shape, None, object)
    table = Table(view)
    rows = [table.index[i] for i in chosen if i in table.index]
    if rows:
        place = [k for k, i in enumerate(chosen) if i in table.index]
        _fill(view, table, out, rows, place)
        if looking:
            _look(table, out, cover, rows, place)
        else:
            out.sees[place] = cover[place] = "unknown"
    return ArmySurvey(
        out.game,
        out.unit,
        out.viewers,
        out.ids,
        out.distance_mm,
        out.distance_sigma_mm,
        out.band,
        out.arc,
        out.sees,
        out.engaged,
        cover,
    )


def _both(table: Table, rows: list[int]) -> Array:
    """One standard deviation of what lies between two units."""
    sigma = np.array([_spread(u) for u in table.units])
    return np.asarray(np.hypot(sigma[rows][:, None], sigma[None]))


def _fill(view: View, table: Table, out: Survey, rows: list[int], place: list[int]) -> None:
    units = table.units
    prints = [u.footprint for u in units]
    gaps = between([prints[i] for i in rows], prints)
    both = _both(table, rows)
    not_self = np.array(rows)[:, None] != np.arange(len(units))[None]
    out.distance_mm[place] = np.where(not_self, np.maximum(gaps, 0.0), np.nan)
    out.distance_sigma_mm[place] = np.where(not_self, both, np.nan)
    out.arc[place] = _arcs(table, rows, both, not_self)
    near = gaps <= view.touch + 4 * BAND95 * both
    for r, i in enumerate(rows):
        for j in range(len(units)):
            if i == j:
                continue
            word = "no"
            if near[r, j] and view.are_enemies(units[i], units[j]):
                try:
                    word = "yes" if engaged_with(view, units[i], units[j]) else "no"
                except Unknown:
                    word = "unknown"
                if both[r, j] > 0 and abs(view.touch - gaps[r, j]) <= BAND95 * both[r, j]:
                    word = "too-close"
            out.engaged[place[r], j] = word


def _look(table: Table, out: Survey, cover: Words, rows: list[int], place: list[int]) -> None:
    both = _both(table, rows)
    sight = Sights(table, rows, everyone=len(rows) < len(table.units))
    sight.run()
    where = {i: place[r] for r, i in enumerate(rows)}
    words = {1: "yes", -1: "no", -2: "unknown", 0: None}
    for k, (i, j) in enumerate(zip(sight.one, sight.two, strict=True)):
        said = words[int(sight.sees[k])]
        if said in ("yes", "no") and both[rows.index(int(i)), int(j)] > 0:
            room = abs(float(sight.room[k]))
            if room <= BAND95 * float(both[rows.index(int(i)), int(j)]):
                said = "too-close"
        out.sees[where[int(i)], int(j)] = said
    found = Covers(table, rows).run()
    for r, i in enumerate(rows):
        cover[place[r]] = found[i]


def _spread(u: Unit) -> float:
    """One standard deviation of where an edge of a unit is."""
    sigma = u.piece.sigma
    if sigma is None:
        return 0.0
    lever = math.hypot(u.boundary.width, u.boundary.depth) / 2
    return math.hypot(max(sigma.at), math.radians(sigma.facing) * lever)


def _spots(u: Unit) -> list[Point]:
    """T9A-ARC-3: the point by which a unit is located; where its front was not seen, the middle of each side it may be."""
    frame = u.boundary
    if frame.round or u.faced:
        return [frame.at if frame.round else frame.front_middle] * len(FACES)
    sides = ("front", "rear", "left-flank", "right-flank")[: len(fronts_of(u.piece))]
    middles = [frame.middle(side) for side in sides]
    return middles * (len(FACES) // len(middles))


def _arcs(table: Table, rows: list[int], sigma: Array, not_self: Any) -> Words:
    """T9A-ARC-3 for all pairs: the arc of the viewer in which each unit is located."""
    spots = np.array([_spots(u) for u in table.units])
    blind = np.array([not u.faced for u in table.units], bool)
    out, margin = _arcs_to(table, rows, spots[:, 0])
    open_ = np.broadcast_to(blind[rows][:, None], out.shape)
    for k in range(1, len(FACES) if blind.any() else 1):
        other, less = _arcs_to(table, rows, spots[:, k])
        open_, margin = open_ | (out != other), np.minimum(margin, less)
    out = np.where((sigma > 0) & (margin <= BAND95 * sigma), "too-close", out)
    out = np.where(open_, "unknown", out)
    out = np.where(table.round[rows][:, None], "front", out)
    out = np.asarray(out, object)
    out[~not_self] = None
    return out


def _arcs_to(table: Table, rows: list[int], spot: Array) -> tuple[Words, Array]:
    """The arc of each viewer in which each point is, and how far that is from the next arc."""
    frames = table.frames
    u = direction(np.array([frames[i].facing for i in rows]))
    rel = spot[None] - table.at[rows][:, None]
    y = (rel * u[:, None]).sum(-1)
    x = (rel * np.stack([u[:, 1], -u[:, 0]], -1)[:, None]).sum(-1)
    w = np.array([frames[i].width / 2 for i in rows])[:, None]
    d = np.array([frames[i].depth / 2 for i in rows])[:, None]
    excess = np.stack([y - d, -x - w, -y - d, x - w], -1)
    order = np.sort(excess, axis=-1)
    margin = (order[..., -1] - order[..., -2]) / math.sqrt(2)
    names = np.array(FACES, object)
    out = names[excess.argmax(-1)]
    for f in FLANKS:
        k = FACES.index(f)
        out = np.where(excess[..., k] >= order[..., -1] - EPS, f, out)
    return out, margin


GAME.survey = survey
