"""Sub-pixel fits on drawn solids: how near, and whether the error bars are right."""

from __future__ import annotations

import numpy as np
import pytest
from regla.vision.catalogue import catalogue
from regla.vision.found import Found, ellipse95
from regla.vision.group import find_blocks
from regla.vision.proposals import propose
from regla.vision.refine import _owned_up, refine

from tests.calibration import world

from .drawn import Base, Told, block, draw

VIEW = world.overhead()


def spread_out(rng, sizes, **more):
    """One base of each size over the table, none touching."""
    places = [(x, y) for x in np.linspace(250, 1580, 8) for y in np.linspace(220, 1000, 5)]
    rng.shuffle(places)
    out = []
    for (x, y), size in zip(places, sizes, strict=False):
        at = (float(x + rng.uniform(-20, 20)), float(y + rng.uniform(-20, 20)))
        out.append(Base(at, size, float(rng.uniform(0, 360)), **more))
    return out


def measured(bases, game="t9a", seed=0, **picture):
    image = draw(bases, seed=seed, **picture)
    sizes = catalogue(game)
    found = propose(Told(bases, seed=seed)(image), VIEW, sizes)
    return refine(image, VIEW, found, find_blocks(found), sizes)


def errors(bases, found):
    return np.array([np.asarray(f.at_mm) - b.at for b, f in zip(bases, found, strict=True)])


@pytest.mark.parametrize(
    "size, figure, median, p95",
    [
        ((25.0,), False, 0.25, 0.6),
        ((40.0,), True, 0.3, 0.8),
        ((25.0, 25.0), False, 0.25, 0.6),
        ((50.0, 75.0), True, 0.3, 0.8),
        ((20.0, 20.0), True, 0.4, 1.0),
    ],
)
def test_single_bases_are_found_to_a_fraction_of_a_pixel(size, figure, median, p95):
    rng = np.random.default_rng(3)
    bases = spread_out(rng, [size] * 40, figure=figure)
    off = np.hypot(*errors(bases, measured(bases).found).T)
    assert np.median(off) < median
    assert np.percentile(off, 95) < p95


def test_the_fit_is_far_better_than_the_boxes():
    rng = np.random.default_rng(5)
    bases = spread_out(rng, [(32.0,)] * 40)
    image = draw(bases)
    sizes = catalogue("t9a")
    first = propose(Told(bases)(image), VIEW, sizes)
    last = refine(image, VIEW, first, [], sizes).found
    assert np.median(np.hypot(*errors(bases, last).T)) < 0.4 * np.median(np.hypot(*errors(bases, first).T))


def test_error_bars_hold_what_they_promise():
    inside = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        heights = rng.normal(3.5, 0.5, 40).clip(2.2, 5)
        sizes = [[(25.0,), (40.0,), (25.0, 25.0), (25.0, 50.0)][i % 4] for i in range(40)]
        bases = [
            Base(b.at, b.size, b.facing, height=float(h), figure=bool(rng.random() < 0.6))
            for b, h in zip(spread_out(rng, sizes), heights, strict=True)
        ]
        found = measured(bases, seed=seed).found
        inside.append(ellipse95(errors(bases, found), np.array([f.cov_mm2 for f in found])))
    share = np.concatenate(inside).mean()
    assert 0.93 <= share <= 1.0


def test_error_bars_are_not_merely_wide():
    rng = np.random.default_rng(1)
    bases = spread_out(rng, [(40.0,)] * 40)
    found = measured(bases).found
    claimed = np.sqrt([np.trace(f.cov_mm2) / 2 for f in found])
    assert np.median(claimed) < 0.5


def test_turns_of_rectangles():
    rng = np.random.default_rng(2)
    bases = spread_out(rng, [(25.0, 50.0), (40.0, 40.0), (50.0, 50.0)] * 13, figure=True)
    off = []
    for base, found in zip(bases, measured(bases).found, strict=True):
        period = 180 if base.size[0] != base.size[1] else 90
        off.append(abs((found.turn_deg - base.facing + period / 2) % period - period / 2))
    assert np.percentile(off, 95) < 1.5


def test_a_listed_size_is_named_and_another_is_measured():
    rng = np.random.default_rng(4)
    bases = spread_out(rng, [(50.0,), (66.0,), (25.0, 50.0), (57.0, 83.0)] * 5)
    for base, found in zip(bases, measured(bases).found, strict=True):
        wanted = tuple(sorted(base.size))
        assert sorted(found.size_mm) == pytest.approx(wanted, abs=1.5)
        assert found.snapped == (base.size in ((50.0,), (25.0, 50.0)))
        assert (found.size_sigma_mm > 0) == (not found.snapped)


def test_a_block_is_measured_as_one_body():
    bases = block((900, 600), 37.0, 5, 18, figure=True)
    seen = measured(bases)
    (fitted,) = seen.blocks
    assert len(fitted.members) == 18
    assert abs((fitted.turn_deg - 37.0 + 45) % 90 - 45) < 0.3
    assert np.hypot(*errors(bases, seen.found).T).max() < 0.6


def test_height_moves_the_far_rim_but_not_the_answer():
    """A base that is a millimetre higher than usual, out at the table's edge, where that shifts its top by 0.6 mm."""
    for height in (2.5, 3.5, 4.5):
        bases = [Base((x, 150.0), (40.0,), height=height) for x in np.linspace(200, 1600, 12)]
        found = measured(bases).found
        assert np.median(np.hypot(*errors(bases, found).T)) < 0.75


def test_more_pictures_make_it_finer():
    rng = np.random.default_rng(8)
    bases = spread_out(rng, [(25.0,)] * 40)
    sizes = catalogue("t9a")
    noisy = [draw(bases, seed=s, noise=14.0) for s in range(8)]
    first = propose(Told(bases)(noisy[0]), VIEW, sizes)
    one = refine(noisy[0], VIEW, first, [], sizes).found
    many = refine(np.mean(noisy, axis=0, dtype=np.float32), VIEW, first, [], sizes).found

    def rms(found):
        return float(np.sqrt(np.mean(np.square(errors(bases, found)))))

    def claimed(found):
        return float(np.median([np.sqrt(np.trace(f.cov_mm2) / 2) for f in found]))

    assert rms(many) < rms(one)
    assert claimed(many) < claimed(one)


@pytest.mark.parametrize("size, wide", [((50.0, 100.0), False), ((56.0, 100.0), True)])
def test_a_rectangle_of_no_listed_size_owns_up_to_it(size, wide):
    """One side was taken from somewhere else: the middle may be off by half of what the size is off."""
    found = Found("rect-base", "rect", np.zeros(2), 0.01 * np.eye(2), size, 0.5, turn_deg=90.0)
    sigma = np.sqrt(np.diag(_owned_up(found, catalogue("t9a")).cov_mm2))
    assert (sigma[0] > 0.5) == wide and sigma[1] == pytest.approx(0.1)


@pytest.mark.parametrize("frame", [(60, 90, 70), (110, 110, 110)], ids=["of the table's colour", "grey"])
def test_a_tray_does_not_slip_onto_the_inner_border_of_its_frame(frame):
    """One side on the border inside the frame, the other on the shadow: a tray's width apart, and neither is its rim."""
    at = (800.0, 600.0)
    tray = Base(at, (63.5, 63.5), 90.0, "tray", 5.0, frame, frame)
    shadow = Base((at[0] + 4.0, at[1]), (63.5, 63.5), 90.0, "tray", 0.3, (30, 40, 35), (30, 40, 35))
    floor = Base(at, (54.6, 54.6), 90.0, "tray", 5.0, (60, 90, 140), (60, 90, 140))
    image = draw([shadow, tray, floor], sheets=False)
    sizes = catalogue("runewars")
    box = Base((at[0] - 2.0, at[1]), (63.5, 63.5), 90.0, "tray", 5.0)
    found = propose(Told([box], shake_px=0.0)(image), VIEW, sizes)
    (seen,) = refine(image, VIEW, found, [], sizes).found
    assert np.hypot(*(seen.at_mm - at)) < 0.8
