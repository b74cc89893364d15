"""Fitting known solids to edges: where does each base stand, given what its outline looks like from here?

A base is a low solid. Away from the camera its outline in the picture is the rim of its top; towards the camera the wall
shows, and the strongest edge is usually where the wall meets the table. So each body has, beside its place, turn and
size, two numbers of its own: how much its height differs from the usual one, and where between top rim (0) and foot (1)
the edge lies on the near side. Both have a prior, and both end up in the covariance of the place.

Bodies are rigid sets of outline points: one base, or all free sides of a block of bases.
"""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, eq=False)
class _Tried(Fitted):
    """The same under one supposition, how much speaks for it (B,), and the size of a pixel (B,)."""

    belief: Floats
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
    tried = _settle(image, view, _supposed(bodies))
    agrees, shares = (v.reshape(len(SUPPOSED), -1) for v in (tried.belief, tried.share))
    changes = tried.change.reshape(len(SUPPOSED), -1, PARAMETERS)
    covariances = tried.covariance.reshape(len(SUPPOSED), -1, PARAMETERS, PARAMETERS)
    outset = np.tile(LIKELY, (bodies.count, 1)) if bodies.likely is None else bodies.likely
    belief = agrees + outset.T
    # Where the size itself is asked for, a line inside the rim must not pass for it.
    belief[INNER, bodies.prior[:, WIDTH, WIDTH] < SIZE_KNOWN**-2] -= INNER_AGAINST
    share = np.exp((belief - belief.max(axis=0)) / COOL)
    share /= share.sum(axis=0)
    change = np.einsum("hb,hbi->bi", share, changes)
    apart = changes - change
    covariance = np.einsum("hb,hbij->bij", share, covariances)
    covariance += np.einsum("hb,hbi,hbj->bij", share, apart, apart)
    agreed = agrees.max(axis=0) / np.bincount(bodies.body, minlength=bodies.count)
    change, covariance = _temper(bodies, change, covariance, agreed, tried.mm_per_px[: bodies.count])
    return Fitted(change, covariance, shares[share.argmax(axis=0), np.arange(bodies.count)])


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


def _supposed(bodies: Bodies) -> Bodies:
    """All bodies once for each supposition about which edge shows: those of the first, then those of the second, …"""
    means, priors = [], []
    small = bodies.half_mm.min(axis=1)
    for foot, inset, loose in SUPPOSED:
        mean, prior = bodies.mean.copy(), bodies.prior.copy()
        mean[:, FOOT] = foot
        prior[:, FOOT, FOOT] = FOOT_SIGMA**-2
        if inset > 0 and bodies.inset is not None:
            inside, sure = small * bodies.inset[:, 0], small * bodies.inset[:, 1]
        else:
            inside, sure = small * inset, small * loose
        for part in (WIDTH, DEPTH):
            mean[:, part] += OUTWARD_MM - inside
            sigma2 = 1 / prior[:, part, part] + OUTWARD_SIGMA_MM**2 + sure**2
            prior[:, part, part] = 1 / sigma2
        means.append(mean)
        priors.append(prior)
    times = len(SUPPOSED)
    return Bodies(
        np.tile(bodies.at_mm, (times, 1)),
        np.tile(bodies.turn_rad, times),
        np.tile(bodies.half_mm, (times, 1)),
        np.tile(bodies.height_mm, times),
        np.concatenate([bodies.body + n * bodies.count for n in range(times)]),
        np.tile(bodies.local_mm, (times, 1)),
        np.tile(bodies.local_normals, (times, 1)),
        np.tile(bodies.pushes, (times, 1)),
        np.concatenate(priors),
        np.concatenate(means),
    )


def _settle(image: npt.NDArray[Any], view: TableView, bodies: Bodies) -> _Tried:
    owner = bodies.body
    starts = np.searchsorted(owner, np.arange(bodies.count))
    # Beyond the line inside a top there is more of the top, beyond the others the table.
    outer = np.repeat([inset == 0.0 for _, inset, _ in SUPPOSED], bodies.count // len(SUPPOSED))
    eye = view.pose.centre_mm
    change = bodies.mean
    spread = np.zeros(bodies.count)
    for round_, calm in enumerate((0.0, *CALM_PX)):
        points, normals, levers = _placed(bodies, change)
        height = bodies.height_mm[owner] + change[owner, HEIGHT]
        seen = profiles(image, view, points, normals, height)
        # How the wall shows: offset of the foot in the plane of the top, along the normal, per mm of height.
        lean = np.einsum("mc,mc->m", (eye[:2] - points) / eye[2], normals)
        wall = height * np.maximum(lean, 0.0)
        expected_px = wall * change[owner, FOOT] / seen.mm_per_px
        edges = _Edges(seen, owner, starts, outer)
        if round_ == 0:
            change = change + _vote(edges, normals, levers, expected_px, bodies)
            continue
        offset_px, weight = _pick(edges, expected_px, calm)
        miss = (offset_px - expected_px) * seen.mm_per_px
        # A higher top is seen farther from the camera's foot point; the wall's foot stays where it is.
        rise = -np.minimum(lean, 0.0) - np.maximum(lean, 0.0) * (1 - change[owner, FOOT])
        jacobian = np.stack([*normals.T, levers, *bodies.pushes.T, rise, wall])
        sigma = np.maximum(LEAST_SIGMA_PX, spread[owner] if round_ > 1 else calm / 2) * seen.mm_per_px
        info = weight / sigma**2 / TOGETHER
        normal = np.add.reduceat(jacobian[:, None] * (jacobian * info), starts, axis=2).transpose(2, 0, 1)
        normal += bodies.prior
        pull = np.add.reduceat(jacobian * (info * miss), starts, axis=1).T
        pull += np.einsum("bij,bj->bi", bodies.prior, bodies.mean - change)
        step = np.linalg.solve(normal, pull[:, :, None])[:, :, 0]
        change = change + step
        left_px = (miss - np.einsum("im,mi->m", jacobian, step[owner])) / seen.mm_per_px
        total = np.maximum(np.add.reduceat(weight, starts), 1e-9)
        spread = np.sqrt(np.add.reduceat(weight * np.minimum(left_px**2, calm**2), starts) / total)
    used = (weight > 0.1) & (np.abs(left_px) < 1.0)
    share = np.add.reduceat(used.astype(float), starts)
    share /= np.maximum(np.add.reduceat(seen.inside.astype(float), starts), 1)
    agree = np.exp(-0.5 * (left_px / AGREE_PX) ** 2) * weight
    away = change - bodies.mean
    belief = BELIEF * np.add.reduceat(agree, starts) / TOGETHER
    belief -= 0.5 * np.einsum("bi,bij,bj->b", away, bodies.prior, away)
    scale = np.add.reduceat(seen.mm_per_px, starts) / edges.lengths
    return _Tried(change, np.linalg.inv(normal), share, belief, scale)


class _Edges:
    """Profiles with what each body's own outline makes of them: how strong an edge is here, and where the table begins.

    Samples are named by their place in (M,S) flattened; only those that are asked for are looked at.
    """

    def __init__(
        self,
        seen: Profiles,
        owner: npt.NDArray[np.intp],
        starts: npt.NDArray[np.intp],
        outer: npt.NDArray[np.bool_],
    ) -> None:
        self.seen, self.owner, self.starts, self.outer = seen, owner, starts, outer
        self.lengths = np.diff(np.append(starts, len(owner)))
        self.samples = seen.strength.shape[1]
        strongest = np.add.reduceat(seen.strength.max(axis=1), starts) / self.lengths
        self._level = (0.5 * strongest + FAINT).astype(np.float32)
        self._table, self._loose = self._around()

    def _around(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """The colour (3,B) of the table around each body, and by how much (B,) it may differ."""
        far = self.seen.colours[:, :, -FAR_SAMPLES:].mean(axis=2)
        table = np.add.reduceat(far, self.starts, axis=1) / self.lengths
        spread = np.zeros(len(self.starts))
        for _ in range(2):
            # Robust means, all bodies at once: a neighbour's red base must not colour the table.
            off = np.abs(far - table[:, self.owner]).sum(axis=0)
            spread = np.add.reduceat(off, self.starts) / self.lengths
            weight = 1 / (1 + (off / (spread + 1.0)[self.owner]) ** 2)
            total = np.add.reduceat(weight, self.starts)
            table = np.add.reduceat(far * weight, self.starts, axis=1) / total
            spread = np.add.reduceat(off * weight, self.starts) / total
        return table.astype(np.float32), (HUE_SLACK + spread).astype(np.float32)

    def at(self, sample: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
        """Colour changes (3,K) levelled per body: an edge as strong as its typical strongest counts one half.

        The outline of a solid has the table beyond it; a ring printed on its top, or the seam of a dial, has not, and
        counts for less.
        """
        body = self.owner[sample // self.samples]
        strength = self.seen.strength.take(sample) + self._level[body]
        unit = self.seen.slope.reshape(3, -1).take(sample, axis=1) / strength
        outer = np.flatnonzero(self.outer[body])
        unit[:, outer] *= self._table_beyond(sample[outer], body[outer])
        return np.asarray(unit)

    def _table_beyond(
        self, sample: npt.NDArray[np.intp], body: npt.NDArray[np.intp]
    ) -> npt.NDArray[np.float32]:
        """How much the picture just outside each sample looks like the table around the body: shaded, but of its hue."""
        beyond = sample + np.minimum(BEYOND_SAMPLES, self.samples - 1 - sample % self.samples)
        colour = self.seen.colours.reshape(3, -1).take(beyond, axis=1)
        mat = self._table[:, body]
        level = (colour * mat).sum(axis=0) / ((self._table**2).sum(axis=0) + np.float32(1e-6))[body]
        colour -= np.clip(level, DARKEST, BRIGHTEST) * mat
        return np.asarray(np.exp(-0.5 * (colour**2).sum(axis=0) / self._loose[body] ** 2))


def _vote(edges: _Edges, normals: Floats, levers: Floats, expected_px: Floats, bodies: Bodies) -> Floats:
    """The shift, turn and size of each body under which its outline changes colour most, and everywhere alike.

    This is Daugman's way of finding an iris: arms and eyelids hide parts of the ring, the ring still wins.
    """
    lengths, samples, mm_per_px = edges.lengths, edges.samples, edges.seen.mm_per_px
    stride = np.maximum(1, lengths // VOTE_POINTS)
    within = np.arange(len(normals)) - edges.starts[bodies.body]
    chosen = np.flatnonzero(within % stride[bodies.body] == 0)
    owner = bodies.body[chosen]
    first = np.searchsorted(owner, np.arange(bodies.count))
    worth = (lengths / np.diff(np.append(first, len(chosen))))[:, None]
    unit = edges.at((chosen[:, None] * samples + np.arange(samples)).ravel())
    scale = np.add.reduceat(mm_per_px, edges.starts) / lengths
    size_sigma = 1 / np.sqrt(bodies.prior[:, WIDTH, WIDTH])
    size_px = (size_sigma / scale)[owner] * bodies.pushes[chosen].max(axis=1)
    turn_sigma = 1 / np.sqrt(bodies.prior[:, TURN, TURN])
    turn_px = levers[chosen] / mm_per_px[chosen] * turn_sigma[owner]
    grid = np.arange(-VOTE_REACH_PX, VOTE_REACH_PX + 0.1, VOTE_STEP_PX)
    shifts = np.stack(np.meshgrid(grid, grid, indexing="ij"), axis=-1).reshape(-1, 2)
    along = (normals[chosen] @ shifts.T + expected_px[chosen][:, None] + REACH_PX) / STEP_PX + 0.5
    row = (np.arange(len(chosen)) * samples)[:, None]
    moves = shifts * scale[:, None, None]
    against = np.einsum("bdi,bij,bdj->bd", moves, bodies.prior[:, :2, :2], moves)
    best = np.full(bodies.count, -np.inf)
    outcome = np.zeros((bodies.count, PARAMETERS))
    every = np.arange(bodies.count)
    for turn, size in VOTE_SHAPES:
        index = (along + ((size * size_px + turn * turn_px) / STEP_PX)[:, None]).astype(np.intp)
        index = np.clip(index, 0, samples - 1) + row
        total = np.add.reduceat(unit.take(index, axis=1), first, axis=1)
        against_all = TAIL / 2 * np.log1p((against + size**2 + turn**2) / TAIL)
        score = np.sqrt((total**2).sum(axis=0)) * worth * (BELIEF / TOGETHER) - against_all
        top = score.argmax(axis=1)
        value = score[every, top]
        better = value > best
        best = np.where(better, value, best)
        outcome[better, :2] = moves[every, top][better]
        outcome[better, WIDTH] = outcome[better, DEPTH] = size * size_sigma[better]
        outcome[better, TURN] = turn * turn_sigma[better]
    return outcome


def _common(edges: _Edges, expected_px: Floats) -> npt.NDArray[np.float32]:
    """The colour direction (3,B) in which the outline changes on the whole: from base to table, or from top to rim."""
    places = (expected_px[:, None] + np.array([-0.5, 0.0, 0.5]) + REACH_PX) / STEP_PX
    column = np.clip(np.rint(places).astype(np.intp), 0, edges.samples - 1)
    here = edges.at((np.arange(len(column))[:, None] * edges.samples + column).ravel())
    total = np.add.reduceat(here, 3 * edges.starts, axis=1)
    return np.asarray(total / (np.linalg.norm(total, axis=0) + 1e-9), dtype=np.float32)


def _pick(edges: _Edges, expected_px: Floats, calm_px: float) -> tuple[Floats, Floats]:
    """The edge that each point takes for its own, and how much it counts: near, strong and of the outline's colours."""
    sample, offset_px = edges.seen.peaks()
    row = sample // edges.samples
    away = offset_px - expected_px[row].astype(np.float32)
    alike = (edges.at(sample) * _common(edges, expected_px)[:, edges.owner[row]]).sum(axis=0)
    worth = np.zeros(edges.seen.strength.shape, dtype=np.float32)
    worth.put(sample, np.maximum(alike, 0.0) * np.exp(-0.5 * (away / calm_px) ** 2))
    best = worth.argmax(axis=1)[:, None]
    place = np.zeros_like(worth)
    place.put(sample, offset_px)
    offset, weight = (np.take_along_axis(v, best, axis=1)[:, 0].astype(np.float64) for v in (place, worth))
    weight[~edges.seen.inside | (np.abs(offset) > REACH_PX - 0.5)] = 0.0
    return offset, 2 * weight
