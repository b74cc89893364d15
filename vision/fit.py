"""Fitting known solids to edges: where does each base stand, given what its outline looks like from here?

A base is a low solid. Away from the camera its outline in the picture is the rim of its top; towards the camera the wall
shows, and the strongest edge is usually where the wall meets the table. So each body has, beside its place, turn and
size, two numbers of its own: how much its height differs from the usual one, and where between top rim (0) and foot (1)
the edge lies on the near side. Both have a prior, and both end up in the covariance of the place.

Bodies are rigid sets of outline points: one base, or all free sides of a block of bases.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from regla.calibration import TableView

from .edges import REACH_PX, STEP_PX, Profiles, profiles
from .found import Floats

__all__ = ["INNER", "LIKELY", "SUPPOSED", "Bodies", "Fitted", "fit"]

X, Y, TURN, WIDTH, DEPTH, HEIGHT, FOOT = range(7)
PARAMETERS: Final = 7

FOOT_SIGMA: Final = 0.15
"""The near edge is the top rim or the wall's foot; blur draws each this far towards the other."""
SUPPOSED: Final = ((1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.06, 0.03))
"""What the strongest outline may be: the whole solid's, the top's, or the line inside the top where its paint begins. Each
with how much of the wall it takes in, how far inside the rim it lies (share of the half size) and how sure that is."""
FAR_SAMPLES: Final = 4
BEYOND_SAMPLES: Final = 3
"""The table is taken from the outermost two pixels of the profiles; what lies beyond an edge from a pixel and a half."""
HUE_SLACK: Final = 16.0
DARKEST, BRIGHTEST = 0.35, 1.2
"""Grey levels by which shaded table may differ from the table, and how dark a shadow at the foot of a base is."""
LIKELY: Final = (0.0, -1.0, -4.0)
COOL: Final = 2.0
"""How likely each supposition is from the outset (a logarithm), and how little a difference in belief decides: both chosen so
that the weighed answer was nearest to the truth on rendered tables."""
LOOSE_NONE, LOOSE_SLOPE, LOOSE_LEAST, LOOSE_MOST = 2.0, 2.6, 0.1, 1.8
HIDDEN_NONE, HIDDEN_SLOPE = 1.5, 1.4
LEAST_PX: Final = 0.1
INFLATE: Final = 1.2
"""How far fits are off, in standard deviations of the first guess, where the share `agreed` of the outline agrees, and how
much worse first guesses are there; measured with the shipped network on rendered tables. See `_temper`."""
INNER: Final = 2
INNER_AGAINST: Final = 8.0
SIZE_KNOWN: Final = 0.2
"""Half sizes with a prior wider than this (mm) are being measured, not known."""
OUTWARD_MM: Final = 0.15
OUTWARD_SIGMA_MM: Final = 0.3
"""Rims flare a little towards the table and darken it: outlines are found this much too large."""
AGREE_PX: Final = 0.4
BELIEF: Final = 3.0
VOTE_REACH_PX: Final = 4.5
VOTE_STEP_PX: Final = 0.9
"""Where the first look searches, and how finely: boxes are off by a pixel, and now and then by four."""
VOTE_SHAPES: Final = ((0.0, 0.0), (0.0, -1.0), (0.0, 1.0), (-1.2, 0.0), (1.2, 0.0), (-2.4, 0.0), (2.4, 0.0))
"""Turns and sizes that are tried with every shift, in standard deviations of the first guess."""
TAIL: Final = 4.0
"""First guesses have long tails: a guess off by many standard deviations is rare, not impossible."""
VOTE_POINTS: Final = 32
"""The first look takes about this many points of each body: it only has to find the right hill, not its top."""
CALM_PX: Final = (1.4, 0.8)
"""How far from the present outline an edge may lie to count, round by round."""
LEAST_SIGMA_PX: Final = 0.22
"""One edge point is never better than this: paint, flock and rounded rims."""
TOGETHER: Final = 4.0
"""Neighbouring points see the same pixels and the same figure's arm: so many count as one in the error bar."""
FAINT: Final = 6.0
"""Grey levels per pixel at which an edge counts half."""


@dataclass(frozen=True, eq=False)
class Bodies:
    """B rigid bodies with M outline points in all; `body` (M,) says whose each is and must be sorted.

    Points, normals and levers are about the present place; `pushes` (M,2) say how half width and half depth move a point.
    `prior` (B,7,7) is the information (inverse covariance) about place, turn, half sizes, height and foot, around `mean`.
    """

    at_mm: Floats
    turn_rad: Floats
    half_mm: Floats
    height_mm: Floats
    body: npt.NDArray[np.intp]
    local_mm: Floats
    local_normals: Floats
    pushes: Floats
    prior: Floats
    mean: Floats
    likely: Floats | None = None
    """How likely each supposition is from the outset (B,3), as a logarithm; `LIKELY` where nothing is known of the body."""
    inset: Floats | None = None
    """How far inside the rim the inner line lies and how sure that is (B,2), shares of the half size."""
    wider: Floats | None = None
    """How many times wider the place is searched for than it is known (B,): a few first guesses are far off."""

    @property
    def count(self) -> int:
        return len(self.at_mm)


@dataclass(frozen=True, eq=False)
class Fitted:
    """Parameters (B,7) as changes from the start, their covariance (B,7,7), and the share of points that agree (B,)."""

    change: Floats
    covariance: Floats
    share: Floats
    residual_px: Floats
    used: npt.NDArray[np.bool_]
    belief: Floats
    which: npt.NDArray[np.intp]
    mm_per_px: Floats


def _placed(bodies: Bodies, change: Floats) -> tuple[Floats, Floats, Floats]:
    """Points, normals and levers of all bodies after a change."""
    turn = bodies.turn_rad + change[:, TURN]
    cos, sin = np.cos(turn)[bodies.body], np.sin(turn)[bodies.body]
    local = (
        bodies.local_mm
        + bodies.local_normals
        * np.einsum("mi,mi->m", bodies.pushes, change[bodies.body][:, [WIDTH, DEPTH]])[:, None]
    )

    def turned(v: Floats) -> Floats:
        return np.stack([sin * v[:, 0] + cos * v[:, 1], -cos * v[:, 0] + sin * v[:, 1]], axis=1)

    points, normals = turned(local), turned(bodies.local_normals)
    levers = normals[:, 1] * points[:, 0] - normals[:, 0] * points[:, 1]
    return points + (bodies.at_mm + change[:, :2])[bodies.body], normals, levers


def fit(image: npt.NDArray[Any], view: TableView, bodies: Bodies) -> Fitted:
    """Fit all bodies to the edges of a picture, once for each edge that the outline may show, and weigh the answers."""
    tries = [_settle(image, view, _supposed(bodies, *supposed), supposed) for supposed in SUPPOSED]
    outset = np.tile(LIKELY, (bodies.count, 1)) if bodies.likely is None else bodies.likely
    belief = np.stack([t.belief for t in tries]) + outset.T
    # Where the size itself is asked for, a line inside the rim must not pass for it.
    belief[INNER, bodies.prior[:, WIDTH, WIDTH] < SIZE_KNOWN**-2] -= INNER_AGAINST
    share = np.exp((belief - belief.max(axis=0)) / COOL)
    share /= share.sum(axis=0)
    best = share.argmax(axis=0)
    rows = np.arange(bodies.count)
    changes = np.stack([t.change for t in tries])
    change = np.einsum("hb,hbi->bi", share, changes)
    apart = changes - change
    covariance = np.einsum("hb,hbij->bij", share, np.stack([t.covariance for t in tries]))
    covariance += np.einsum("hb,hbi,hbj->bij", share, apart, apart)
    agreed = np.stack([t.belief for t in tries]).max(axis=0) / np.bincount(
        bodies.body, minlength=bodies.count
    )
    scale = tries[0].mm_per_px
    change, covariance = _temper(bodies, change, covariance, agreed, scale)
    return Fitted(
        change,
        covariance,
        np.stack([t.share for t in tries])[best, rows],
        np.stack([t.residual_px for t in tries])[best, rows],
        np.stack([t.used for t in tries])[best[bodies.body], np.arange(len(bodies.body))],
        belief[best, rows],
        best,
        scale,
    )


def _temper(
    bodies: Bodies, change: Floats, covariance: Floats, agreed: Floats, mm_per_px: Floats
) -> tuple[Floats, Floats]:
    """Where little of the outline agrees, the fit may sit on something else: widen it, and lean on the first guess.

    How far fits are off at each degree of agreement was measured on rendered tables.
    """
    prior = np.linalg.inv(bodies.prior[:, :2, :2])
    if bodies.wider is not None:
        prior = prior / (bodies.wider**2)[:, None, None]
    first = np.sqrt(np.trace(prior, axis1=1, axis2=2) / 2)
    loose = first * np.clip(LOOSE_NONE - LOOSE_SLOPE * agreed, LOOSE_LEAST, LOOSE_MOST)
    loose = np.maximum(loose, LEAST_PX * mm_per_px)
    own = INFLATE**2 * covariance[:, :2, :2] + (loose**2)[:, None, None] * np.eye(2)
    # What hides an outline from the fit has hidden it from the network too.
    prior = prior * (np.clip(HIDDEN_NONE - HIDDEN_SLOPE * agreed, 1.0, HIDDEN_NONE) ** 2)[:, None, None]
    gain = prior @ np.linalg.inv(prior + own)
    before = bodies.mean[:, :2]
    place = before + np.einsum("bij,bj->bi", gain, change[:, :2] - before)
    out, cov = change.copy(), covariance.copy()
    out[:, :2] = place
    cov[:, :2, :2] = gain @ own
    turn = np.sqrt(INFLATE**2 * covariance[:, TURN, TURN])
    cov[:, TURN, TURN] = turn**2
    return out, cov


def _supposed(bodies: Bodies, foot: float, inset: float, loose: float) -> Bodies:
    """The bodies under one supposition about which edge shows."""
    mean, prior = bodies.mean.copy(), bodies.prior.copy()
    mean[:, FOOT] = foot
    prior[:, FOOT, FOOT] = FOOT_SIGMA**-2
    small = bodies.half_mm.min(axis=1)
    if inset > 0 and bodies.inset is not None:
        inside, sure = small * bodies.inset[:, 0], small * bodies.inset[:, 1]
    else:
        inside, sure = small * inset, small * loose
    for part in (WIDTH, DEPTH):
        mean[:, part] += OUTWARD_MM - inside
        sigma2 = 1 / prior[:, part, part] + OUTWARD_SIGMA_MM**2 + sure**2
        prior[:, part, part] = 1 / sigma2
    return replace(bodies, mean=mean, prior=prior)


def _settle(
    image: npt.NDArray[Any], view: TableView, bodies: Bodies, supposed: tuple[float, float, float]
) -> Fitted:
    count, owner = bodies.count, bodies.body
    starts = np.searchsorted(owner, np.arange(count))
    change = bodies.mean.copy()
    eye = view.pose.centre_mm
    covariance = np.zeros((count, PARAMETERS, PARAMETERS))
    share, spread = np.zeros(count), np.ones(count)
    used = np.zeros(len(owner), dtype=bool)
    belief = np.zeros(count)
    for round_, calm in enumerate((0.0, *CALM_PX)):
        points, normals, levers = _placed(bodies, change)
        height = bodies.height_mm[owner] + change[owner, HEIGHT]
        seen = profiles(image, view, points, normals, height)
        # How the wall shows: offset of the foot in the plane of the top, along the normal, per mm of height.
        lean = np.einsum("mc,mc->m", (eye[:2] - points) / eye[2], normals)
        wall = height * np.maximum(lean, 0.0)
        expected_px = wall * change[owner, FOOT] / seen.mm_per_px
        unit = _unit_slopes(seen, starts)
        if supposed[1] == 0.0:
            unit = unit * _table_beyond(seen, starts)[:, :, None]
        if round_ == 0:
            change = change + _vote(seen, unit, normals, levers, expected_px, starts, bodies, change)
            continue
        common = _common(seen, unit, expected_px, starts)
        offset_px, weight = _pick(seen, unit, common[owner], expected_px, calm)
        miss = (offset_px - expected_px) * seen.mm_per_px
        jacobian = np.zeros((len(owner), PARAMETERS))
        jacobian[:, X], jacobian[:, Y], jacobian[:, TURN] = normals[:, 0], normals[:, 1], levers
        jacobian[:, WIDTH], jacobian[:, DEPTH] = bodies.pushes[:, 0], bodies.pushes[:, 1]
        # A higher top is seen farther from the camera's foot point; the wall's foot stays where it is.
        far = np.minimum(lean, 0.0)
        near_top = np.maximum(lean, 0.0) * (1 - change[owner, FOOT])
        jacobian[:, HEIGHT] = -(far + near_top)
        jacobian[:, FOOT] = wall
        sigma = np.maximum(LEAST_SIGMA_PX, spread[owner] if round_ > 1 else calm / 2) * seen.mm_per_px
        info = weight / sigma**2 / TOGETHER
        normal = np.add.reduceat(
            jacobian[:, :, None] * (jacobian * info[:, None])[:, None, :], starts, axis=0
        )
        pull = np.add.reduceat(jacobian * (info * miss)[:, None], starts, axis=0)
        normal += bodies.prior
        pull += np.einsum("bij,bj->bi", bodies.prior, bodies.mean - change)
        step = np.linalg.solve(normal, pull[:, :, None])[:, :, 0]
        change = change + step
        left_px = (miss - np.einsum("mi,mi->m", jacobian, step[owner])) / seen.mm_per_px
        total = np.maximum(np.add.reduceat(weight, starts), 1e-9)
        spread = np.sqrt(np.add.reduceat(weight * np.minimum(left_px**2, calm**2), starts) / total)
        used = (weight > 0.1) & (np.abs(left_px) < 1.0)
        points_of = np.maximum(np.add.reduceat(seen.inside.astype(float), starts), 1)
        share = np.add.reduceat(used.astype(float), starts) / points_of
        covariance = np.linalg.inv(normal)
        agree = np.exp(-0.5 * (left_px / AGREE_PX) ** 2) * weight
        away = change - bodies.mean
        belief = BELIEF * np.add.reduceat(agree, starts) / TOGETHER
        belief -= 0.5 * np.einsum("bi,bij,bj->b", away, bodies.prior, away)
    scale = np.add.reduceat(seen.mm_per_px, starts) / np.diff(np.append(starts, len(owner)))
    return Fitted(change, covariance, share, spread, used, belief, np.zeros(count, dtype=np.intp), scale)


def _unit_slopes(seen: Profiles, starts: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
    """Colour changes (M,S,3) levelled per body: an edge as strong as its typical strongest counts one half."""
    strongest = seen.strength.max(axis=1)
    mean = np.add.reduceat(strongest, starts) / np.diff(np.append(starts, len(strongest)))
    level = np.repeat(mean, np.diff(np.append(starts, len(strongest)))) * np.float32(0.5) + np.float32(FAINT)
    return np.asarray(seen.slope / (seen.strength + level[:, None])[:, :, None], dtype=np.float32)


def _table_beyond(seen: Profiles, starts: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
    """How much the picture just outside each sample looks like the table around the body (M,S): shaded, but of its hue.

    The outline of a solid has the table beyond it; a ring printed on its top, or the seam of a dial, has not.
    """
    lengths = np.diff(np.append(starts, len(seen.strength)))
    far = seen.colours[:, -FAR_SAMPLES:].mean(axis=1)
    table = np.add.reduceat(far, starts, axis=0) / lengths[:, None]
    spread = np.zeros(len(starts))
    for _ in range(2):
        # Robust means, all bodies at once: a neighbour's red base must not colour the table.
        off = np.abs(far - np.repeat(table, lengths, axis=0)).sum(axis=1)
        spread = np.add.reduceat(off, starts) / lengths
        weight = 1 / (1 + (off / np.repeat(spread + 1.0, lengths)) ** 2)
        total = np.add.reduceat(weight, starts)
        table = np.add.reduceat(far * weight[:, None], starts, axis=0) / total[:, None]
        spread = np.add.reduceat(off * weight, starts) / total
    mat = np.repeat(table, lengths, axis=0)
    loose = np.repeat(HUE_SLACK + spread, lengths).astype(np.float32)
    beyond = np.empty_like(seen.colours)
    beyond[:, :-BEYOND_SAMPLES] = seen.colours[:, BEYOND_SAMPLES:]
    beyond[:, -BEYOND_SAMPLES:] = seen.colours[:, -1:]
    level = np.einsum("msc,mc->ms", beyond, mat) / (np.einsum("mc,mc->m", mat, mat) + 1e-6)[:, None]
    level = np.clip(level, DARKEST, BRIGHTEST)
    off = np.sqrt(np.square(beyond - level[:, :, None] * mat[:, None, :]).sum(axis=2))
    return np.asarray(np.exp(-0.5 * (off / loose[:, None]) ** 2), dtype=np.float32)


def _at(unit: npt.NDArray[np.float32], offset_px: Floats) -> npt.NDArray[np.float32]:
    """Samples (M,D,3) of the slopes at offsets (M,D)."""
    index = np.clip(np.rint((offset_px + REACH_PX) / STEP_PX).astype(np.intp), 0, unit.shape[1] - 1)
    return np.take_along_axis(unit, index[:, :, None], axis=1)


def _common(
    seen: Profiles, unit: npt.NDArray[np.float32], expected_px: Floats, starts: npt.NDArray[np.intp]
) -> npt.NDArray[np.float32]:
    """The colour direction (B,3) in which the outline changes on the whole: from base to table, or from top to rim."""
    here = _at(unit, expected_px[:, None] + np.array([-0.5, 0.0, 0.5])).sum(axis=1)
    total = np.add.reduceat(here, starts, axis=0)
    return np.asarray(total / (np.linalg.norm(total, axis=1, keepdims=True) + 1e-9), dtype=np.float32)


def _vote(
    seen: Profiles,
    unit: npt.NDArray[np.float32],
    normals: Floats,
    levers: Floats,
    expected_px: Floats,
    starts: npt.NDArray[np.intp],
    bodies: Bodies,
    change: Floats,
) -> Floats:
    """The shift, turn and size of each body under which its outline changes colour most, and everywhere alike.

    This is Daugman's way of finding an iris: arms and eyelids hide parts of the ring, the ring still wins.
    """
    lengths = np.diff(np.append(starts, len(normals)))
    stride = np.maximum(1, lengths // VOTE_POINTS)
    within = np.arange(len(normals)) - np.repeat(starts, lengths)
    chosen = np.flatnonzero(within % np.repeat(stride, lengths) == 0)
    owner = bodies.body[chosen]
    first = np.searchsorted(owner, np.arange(bodies.count))
    worth = (lengths / np.diff(np.append(first, len(chosen))))[:, None]
    scale = np.add.reduceat(seen.mm_per_px, starts) / lengths
    size_sigma = 1 / np.sqrt(bodies.prior[:, WIDTH, WIDTH])
    size_px = (size_sigma / scale)[owner] * bodies.pushes[chosen].max(axis=1)
    grid = np.arange(-VOTE_REACH_PX, VOTE_REACH_PX + 0.1, VOTE_STEP_PX)
    shifts = np.stack(np.meshgrid(grid, grid, indexing="ij"), axis=-1).reshape(-1, 2)
    along = normals[chosen] @ shifts.T + expected_px[chosen][:, None]
    samples = unit.shape[1]
    flat = np.ascontiguousarray(unit).reshape(-1, unit.shape[2])
    row = (chosen * samples)[:, None]
    moves = shifts[None] * scale[:, None, None]
    away = moves + (change - bodies.mean)[:, None, :2]
    against = np.einsum("bdi,bij,bdj->bd", away, bodies.prior[:, :2, :2], away)
    best = np.full(bodies.count, -np.inf)
    outcome = np.zeros((bodies.count, PARAMETERS))
    turn_sigma = 1 / np.sqrt(bodies.prior[:, TURN, TURN])
    lever_px = levers[chosen] / seen.mm_per_px[chosen] * turn_sigma[owner]
    for turn, size in VOTE_SHAPES:
        offset = (along + (size * size_px + turn * lever_px)[:, None] + REACH_PX) / STEP_PX
        index = np.clip((offset + 0.5).astype(np.int32), 0, samples - 1) + row
        total = np.add.reduceat(np.take(flat, index, axis=0), first, axis=0)
        against_all = TAIL / 2 * np.log1p((against + size**2 + turn**2) / TAIL)
        score = np.linalg.norm(total, axis=2) * worth * (BELIEF / TOGETHER) - against_all
        top = score.argmax(axis=1)
        value = score[np.arange(bodies.count), top]
        better = value > best
        best = np.where(better, value, best)
        outcome[better, :2] = moves[np.arange(bodies.count), top][better]
        outcome[better, WIDTH] = outcome[better, DEPTH] = size * size_sigma[better]
        outcome[better, TURN] = turn * turn_sigma[better]
    return outcome


def _pick(
    seen: Profiles,
    unit: npt.NDArray[np.float32],
    common: npt.NDArray[np.float32],
    expected_px: Floats,
    calm_px: float,
) -> tuple[Floats, Floats]:
    """The edge that each point takes for its own, and how much it counts: near, strong and of the outline's colours."""
    away = seen.offset_px - expected_px[:, None].astype(np.float32)
    alike = np.maximum(np.einsum("msc,mc->ms", unit, common), 0.0)
    worth = np.where(seen.peak, alike * np.exp(-0.5 * (away / calm_px) ** 2), 0.0)
    best = worth.argmax(axis=1)
    rows = np.arange(len(best))
    offset = seen.offset_px[rows, best].astype(np.float64)
    weight = 2 * worth[rows, best].astype(np.float64)
    weight[~seen.inside | (np.abs(offset) > REACH_PX - 0.5)] = 0.0
    return offset, weight
