"""Room for a charge: forward, at most one wheel, forward, contact on the right facing, align (T9A-CHG-3, 4, 9).

Thousands of ways are tried at once. Each way has a signed clearance, the least distance that the charger keeps
to everything it may not run into; the charge has room if the best way's clearance is not negative.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...plane import Array, direction, pad
from .frames import Frame, turn_between
from .lines import sides
from .numbers import EPS, INCH

__all__ = ["Charge", "Obstacle", "Path", "best_path"]

STEP = INCH / 4
TURN_STEP_DEG = 1.0
COARSE = 4, 5
"""First every fourth distance and every fifth degree: most charges have room, and then this is enough."""

ALIGN_STEPS = 8
"""Poses looked at while the charger aligns."""


@dataclass(frozen=True)
class Obstacle:
    """Convex parts that a charger may touch (friends, impassable terrain) or may not (other enemies)."""

    id: str
    parts: tuple[Array, ...]
    touchable: bool


@dataclass(frozen=True)
class Path:
    """One charge move and how much room it keeps."""

    ahead: float
    wheel_deg: float
    then: float
    align_deg: float
    contact: tuple[float, float]
    end: Frame
    clearance: float
    enemy_clearance: float
    target_turn_deg: float = 0.0

    @property
    def frames(self) -> float:
        return self.ahead + self.then


@dataclass(frozen=True)
class Charge:
    """A charge to be tried: who, whom, which facing, what is in the way, on which board."""

    charger: Frame
    target: Frame
    face: str | None
    obstacles: tuple[Obstacle, ...]
    board: tuple[float, float] | None
    flying: bool = False

    @cached_property
    def grid(self) -> tuple[Array, Array]:
        """Distances ahead and wheel angles of the sheet's grid, and the angle that makes the fronts parallel."""
        far = math.dist(self.charger.at, self.target.at) + self.target.width + self.target.depth
        ahead = np.arange(0.0, far + STEP, STEP)
        turns = list(np.arange(-90.0, 90.0 + TURN_STEP_DEG / 2, TURN_STEP_DEG))
        if self.face is not None and not self.target.round:
            turn = turn_between(self.charger.facing, self.target.normal_deg(self.face) + 180.0)
            if abs(turn) <= 90.0:
                turns.append(turn)
        return ahead, np.unique(turns)


def _poses(c: Charge, ahead: Array, turns: Array) -> tuple[Array, Array]:
    """Centres (A, T, 2) and facings (T,) after going ahead and wheeling."""
    f = c.charger
    u = np.asarray(f.forward)
    left, right = np.asarray(f.corner("front-left")), np.asarray(f.corner("front-right"))
    pivot = np.where(turns[:, None] > 0, left, right)  # (T, 2)
    rel = np.asarray(f.at) - pivot
    d = direction(turns)
    spun = np.stack(
        [rel[:, 0] * d[:, 0] - rel[:, 1] * d[:, 1], rel[:, 0] * d[:, 1] + rel[:, 1] * d[:, 0]], -1
    )
    centre = (pivot + spun)[None] + ahead[:, None, None] * u
    return centre, f.facing + turns


def _box_gap(centre: Array, facing: Array, width: Any, depth: Any, parts: tuple[Array, ...]) -> Array:
    """Signed gap of boxes (N) to the nearest of convex parts, along edge normals (exact in sign)."""
    core, normal, offset = sides(pad(list(parts)))
    u = direction(facing)
    r = np.stack([u[:, 1], -u[:, 0]], -1)
    half_w, half_d = np.asarray(width) / 2, np.asarray(depth) / 2
    rel = core[None] - centre[:, None, None, :]  # (N, P, K, 2)
    x = np.einsum("npkd,nd->npk", rel, r)
    y = np.einsum("npkd,nd->npk", rel, u)
    hw, hd = (np.broadcast_to(h, len(centre))[:, None] for h in (half_w, half_d))
    own = np.maximum(np.maximum(x.min(-1) - hw, -x.max(-1) - hw), np.maximum(y.min(-1) - hd, -y.max(-1) - hd))
    # the box's reach along each normal of the part
    reach = hw[..., None] * np.abs(np.einsum("pkd,nd->npk", normal, r))
    reach = reach + hd[..., None] * np.abs(np.einsum("pkd,nd->npk", normal, u))
    theirs = (np.einsum("nd,pkd->npk", centre, normal) - offset - reach).max(-1)
    return np.asarray(np.maximum(own, theirs).min(-1))


def _corners(centre: Array, facing: Array, width: float, depth: float, front_only: bool = False) -> Array:
    u = direction(facing)
    r = np.stack([u[..., 1], -u[..., 0]], -1)
    signs = ((-1, 1), (1, 1)) if front_only else ((-1, 1), (1, 1), (1, -1), (-1, -1))
    return np.stack([centre + sx * width / 2 * r + sy * depth / 2 * u for sx, sy in signs], axis=-2)


def _on_board(points: Array, board: tuple[float, float] | None) -> Array:
    """How far inside the board the worst of some points is, (…, k, 2) → (…)."""
    if board is None:
        return np.full(points.shape[:-2], np.inf)
    low = points.min((-2, -1))
    high = np.minimum(board[0] - points[..., 0], board[1] - points[..., 1]).min(-1)
    return np.asarray(np.minimum(low, high))


def first_touch(c: Charge, centre: Array, facing: Array) -> tuple[Array, Array, Any]:
    """How far straight on the front meets the target, where, and whether on the facing to be charged."""
    f, t = c.charger, c.target
    u = direction(facing)
    r = np.stack([u[:, 1], -u[:, 0]], -1)
    front = centre + f.depth / 2 * u
    half = f.width / 2
    if t.round:
        rel = np.asarray(t.at) - front
        x, y = (rel * r).sum(-1), (rel * u).sum(-1)
        aside = np.maximum(np.abs(x) - half, 0.0)
        radius = t.width / 2
        ok = (aside <= radius) & (y >= -EPS)
        then = y - np.sqrt(np.maximum(radius**2 - aside**2, 0.0))
        point = front + then[:, None] * u + np.clip(x, -half, half)[:, None] * r
        return then, point, ok & (then >= -EPS)
    ring = np.array(t.corners)  # FL, FR, RR, RL
    rel = ring[None] - front[:, None]
    x, y = np.einsum("nkd,nd->nk", rel, r), np.einsum("nkd,nd->nk", rel, u)
    faces = ("front", "right-flank", "rear", "left-flank")  # edge k runs from corner k to k + 1
    charged = None if c.face is None else faces.index(c.face)
    inf = np.full_like(y, np.inf)
    at_corner = np.where(np.abs(x) <= half + EPS, y, inf)
    x2, y2 = np.roll(x, -1, axis=1), np.roll(y, -1, axis=1)
    crossing = []
    for side in (-half, half):
        with np.errstate(divide="ignore", invalid="ignore"):
            s = (side - x) / (x2 - x)
        crossing.append(np.where((s > 0) & (s < 1), y + s * (y2 - y), inf))
    every = np.concatenate([at_corner, *crossing], axis=1)  # (N, 12)
    then = every.min(1)
    wanted = np.ones(every.shape[1], bool)
    if charged is not None:
        wanted[:] = False
        wanted[[charged, (charged + 1) % 4, 4 + charged, 8 + charged]] = True
    on_face = np.where(wanted[None], every, np.inf)
    k = on_face.argmin(1)
    best = on_face[np.arange(len(k)), k]
    ok = np.isfinite(then) & (best <= then + EPS) & (then >= -EPS)
    # where along the front: the corner's own x, or the end of the front
    at_x = np.where(k < 4, x[np.arange(len(k)), k % 4], np.where(k < 8, -half, half))
    both = on_face <= np.where(np.isfinite(best), best + EPS, -np.inf)[:, None]
    several = both.sum(1) > 1
    if several.any():  # fronts parallel: any point of the common stretch, take its middle
        xs = np.concatenate([x, np.full_like(x, -half), np.full_like(x, half)], axis=1)
        xs = np.clip(xs, -half, half)
        middle = np.where(both, xs, 0.0).sum(1) / np.maximum(both.sum(1), 1)
        at_x = np.where(several, middle, at_x)
    then = np.where(ok, then, 0.0)
    return then, front + then[:, None] * u + np.clip(at_x, -half, half)[:, None] * r, ok


def _clear(c: Charge, centre: Array, facing: Array, depth: Any, width: float) -> tuple[Array, Array]:
    """Clearance of boxes to what may be touched, and to other enemies."""
    soft = np.full(len(centre), np.inf)
    hard = np.full(len(centre), np.inf)
    for o in c.obstacles:
        d = _box_gap(centre, facing, width, depth, o.parts)
        if o.touchable:
            soft = np.minimum(soft, d)
        else:
            hard = np.minimum(hard, d)
    return soft, hard


def _try(c: Charge, ahead: Array, turns: Array, turn_target: bool) -> list[Path]:
    """All ways of a grid that end in contact, with their clearances, the roomiest first."""
    f = c.charger
    centre, facing = _poses(c, ahead, turns)
    na, nt = centre.shape[:2]
    flat, flat_facing = centre.reshape(-1, 2), np.tile(facing, na)
    then, point, ok = first_touch(c, flat, flat_facing)
    if c.face is None or c.target.round:
        align = np.zeros(len(flat))
    else:
        wanted = c.target.normal_deg(c.face) + 180.0
        align = (wanted - flat_facing + 180.0) % 360.0 - 180.0
        align = np.where(np.abs(align) < 1e-9, 0.0, align)
        ok &= np.abs(align) <= 90.0 + 1e-9
    if not ok.any():
        return []
    u = direction(flat_facing)
    touch = flat + then[:, None] * u
    soft = np.full(len(flat), np.inf)
    hard = np.full(len(flat), np.inf)
    if not c.flying:
        way_soft, way_hard, way_board = _way(c, centre, facing, ahead, turns)
        soft, hard = way_soft.reshape(-1), way_hard.reshape(-1)
        soft = np.minimum(soft, way_board.reshape(-1))
    idx = np.flatnonzero(ok & (np.minimum(soft, hard) > -2 * INCH))
    if not c.flying and len(idx):
        mid = flat[idx] + (then[idx] / 2)[:, None] * u[idx]
        s, h = _clear(c, mid, flat_facing[idx], f.depth + then[idx], f.width)
        front = _corners(touch[idx], flat_facing[idx], f.width, f.depth, front_only=True)
        soft[idx] = np.minimum(soft[idx], np.minimum(s, _on_board(front, c.board)))
        hard[idx] = np.minimum(hard[idx], h)
    out: list[Path] = []
    if not len(idx):
        return out
    fractions = np.linspace(0.0, 1.0, ALIGN_STEPS + 1)[1:] if not c.flying else np.array([1.0])
    turned_soft, turned_hard = soft[idx].copy(), hard[idx].copy()
    full: list[tuple[Array, Array, float]] = []
    for k in fractions:
        a = direction(align[idx] * k)
        rel = touch[idx] - point[idx]
        spun = np.stack(
            [rel[:, 0] * a[:, 0] - rel[:, 1] * a[:, 1], rel[:, 0] * a[:, 1] + rel[:, 1] * a[:, 0]], -1
        )
        at = point[idx] + spun
        if turn_target:
            full.append((turned_soft.copy(), turned_hard.copy(), float(k)))
        s, h = _clear(c, at, flat_facing[idx] + align[idx] * k, f.depth, f.width)
        turned_soft, turned_hard = np.minimum(turned_soft, s), np.minimum(turned_hard, h)
    if turn_target:
        return _with_target(c, idx, flat, flat_facing, touch, point, align, then, ahead, turns, nt, full)
    whole = _corners(at, flat_facing[idx] + align[idx], f.width, f.depth)
    turned_soft = np.minimum(turned_soft, _on_board(whole, c.board))
    order = np.argsort(-np.minimum(turned_soft, turned_hard), kind="stable")
    for j in order:
        i = int(idx[j])
        end = Frame((float(at[j][0]), float(at[j][1])), float(flat_facing[i] + align[i]), f.width, f.depth)
        out.append(
            Path(
                float(ahead[i // nt]), float(turns[i % nt]), float(then[i]), float(align[i]),
                (float(point[i][0]), float(point[i][1])), end, float(turned_soft[j]), float(turned_hard[j]),
            )
        )  # fmt: skip
    return out


def _with_target(
    c: Charge, idx: Any, flat: Array, facing: Array, touch: Array, point: Array, align: Array, then: Array,
    ahead: Array, turns: Array, nt: int, steps: list[tuple[Array, Array, float]],
) -> list[Path]:  # fmt: skip
    """T9A-CHG-3: the charger turns as far as it can, the target about the contact point for the rest."""
    f, t = c.charger, c.target
    out: list[Path] = []
    for soft, hard, k in steps:  # before step k the charger has turned the fraction below it
        done = k - 1.0 / ALIGN_STEPS
        rest = -align[idx] * (1.0 - done)
        rel = np.asarray(t.at) - point[idx]
        a = direction(rest)
        spun = np.stack(
            [rel[:, 0] * a[:, 0] - rel[:, 1] * a[:, 1], rel[:, 0] * a[:, 1] + rel[:, 1] * a[:, 0]], -1
        )
        s, h = _clear(c, point[idx] + spun, t.facing + rest, t.depth, t.width)
        whole = _corners(point[idx] + spun, t.facing + rest, t.width, t.depth)
        s = np.minimum(np.minimum(soft, s), _on_board(whole, c.board))
        j = int(np.minimum(s, np.minimum(hard, h)).argmax())
        i = int(idx[j])
        b = direction(align[i] * done)
        r = touch[i] - point[i]
        at = point[i] + np.array([r[0] * b[0] - r[1] * b[1], r[0] * b[1] + r[1] * b[0]])
        end = Frame((float(at[0]), float(at[1])), float(facing[i] + align[i] * done), f.width, f.depth)
        if _on_board(_corners(at[None], np.array([end.facing]), f.width, f.depth), c.board)[0] < -EPS:
            continue
        out.append(
            Path(
                float(ahead[i // nt]), float(turns[i % nt]), float(then[i]), float(align[i] * done),
                (float(point[i][0]), float(point[i][1])), end, float(s[j]), float(np.minimum(hard, h)[j]),
                float(rest[j]),
            )
        )  # fmt: skip
    return sorted(out, key=lambda p: (abs(p.target_turn_deg), -min(p.clearance, p.enemy_clearance)))


def _way(c: Charge, centre: Array, facing: Array, ahead: Array, turns: Array) -> tuple[Array, Array, Array]:
    """Clearances of the way before the last straight stretch: ahead, then the wheel, the worst so far."""
    f = c.charger
    na, nt = centre.shape[:2]
    u = np.asarray(f.forward)
    straight = np.asarray(f.at) + (ahead / 2)[:, None] * u
    head = np.full(na, f.facing)
    go_soft, go_hard = _clear(c, straight, head, f.depth + ahead, f.width)
    front = _corners(np.asarray(f.at) + ahead[:, None] * u, head, f.width, f.depth, front_only=True)
    go_board = np.maximum(_on_board(front, c.board), -1e6)
    soft, hard = (
        d.reshape(na, nt) for d in _clear(c, centre.reshape(-1, 2), np.tile(facing, na), f.depth, f.width)
    )
    # a wheel may not swing through the target either
    body = _box_gap(centre.reshape(-1, 2), np.tile(facing, na), f.width, f.depth, (c.target.ring,)).reshape(
        na, nt
    )
    soft = np.minimum(soft, body)
    fronts = _corners(centre, np.broadcast_to(facing, (na, nt)), f.width, f.depth, front_only=True)
    board = _on_board(fronts, c.board)
    zero = int(np.abs(turns).argmin())
    out = []
    for grid, start in ((soft, go_soft), (hard, go_hard), (board, go_board)):
        run = grid.copy()
        run[:, zero:] = np.minimum.accumulate(grid[:, zero:], axis=1)
        run[:, : zero + 1] = np.minimum.accumulate(grid[:, zero::-1], axis=1)[:, ::-1]
        out.append(np.minimum(run, start[:, None]))
    return out[0], out[1], out[2]


def best_path(c: Charge, *, touch_enemies: bool = False, turn_target: bool = False) -> Path | None:
    """The way with the most room; None where no way at all meets the facing.

    With `touch_enemies` other enemies may be touched, with `turn_target` the target is turned as well.
    """
    paths = all_paths(c, coarse=True, turn_target=turn_target)
    best = _best(paths, touch_enemies)
    if best is None or room_of(best, touch_enemies) <= COARSE_ENOUGH:
        finer = _best(all_paths(c, coarse=False, turn_target=turn_target), touch_enemies)
        if finer is not None and (
            best is None or room_of(finer, touch_enemies) > room_of(best, touch_enemies)
        ):
            best = finer
    return best


COARSE_ENOUGH = 1.0
"""A way found on the coarse grid with this much room needs no finer search."""


def all_paths(c: Charge, *, coarse: bool = False, turn_target: bool = False) -> list[Path]:
    ahead, turns = c.grid
    if coarse:
        parallel = turns[np.abs(turns - np.round(turns)) > 1e-9]
        keep = np.union1d(turns[np.isclose(turns % COARSE[1], 0.0)], parallel)
        ahead, turns = ahead[:: COARSE[0]], np.union1d(keep, [0.0])
    return _try(c, ahead, turns, turn_target)


def room_of(path: Path, touch_enemies: bool = False) -> float:
    """The clearance that decides; other enemies may not even be touched, the rest may."""
    return min(path.clearance, path.enemy_clearance if touch_enemies else path.enemy_clearance - 2 * EPS)


def _best(paths: list[Path], touch_enemies: bool) -> Path | None:
    fits = [p for p in paths if room_of(p, touch_enemies) >= -EPS]
    if fits:
        # among those that fit: the plainest move, few turns and short ways
        roomy = max(room_of(p, touch_enemies) for p in fits)
        good = [p for p in fits if room_of(p, touch_enemies) >= min(roomy, COARSE_ENOUGH)]
        return min(good, key=lambda p: (abs(p.wheel_deg) + abs(p.align_deg), p.ahead + p.then))
    return max(paths, key=lambda p: room_of(p, touch_enemies), default=None)
