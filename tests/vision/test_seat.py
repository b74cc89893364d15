"""A block stands where its bases say, each by what it is worth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from regla.vision.found import Found, ellipse95
from regla.vision.group import Block
from regla.vision.seat import ALIKE, seated

CELLS = np.array([(x, y) for y in range(4) for x in range(5)])


def lattice(turn_deg=20.0, at=(400.0, 300.0)):
    return Block(tuple(range(len(CELLS))), CELLS, (25.0, 25.0), (25.0, 25.0), turn_deg, np.array(at))


def seen(block, rng, sigmas, common=None):
    shift = np.zeros(2) if common is None else rng.normal(size=2) * common
    return [
        Found(
            "rect-base", "rect", at + shift + rng.normal(0, s, 2), s**2 * np.eye(2), (25.0, 25.0), 0.0,
            box_cov_mm2=s**2 * np.eye(2),
        )
        for at, s in zip(block.centres_mm(block.cells), sigmas, strict=True)
    ]  # fmt: skip


def middle(block):
    return block.centres_mm((block.cells.max(axis=0) + block.cells.min(axis=0)) / 2)


@pytest.mark.parametrize("off_deg", [0.0, 2.0, -3.0])
def test_a_block_goes_to_where_its_bases_are(off_deg):
    true = lattice()
    bases = seen(true, np.random.default_rng(1), np.full(len(CELLS), 1e-3))
    guess = replace(true, at_mm=true.at_mm + np.array([4.0, -3.0]), turn_deg=true.turn_deg + off_deg)
    seat = seated(guess, bases)
    assert seat is not None
    assert np.hypot(*(middle(seat.block) - middle(true))) < 0.15
    assert seat.block.turn_deg == pytest.approx(true.turn_deg, abs=0.15)


def test_who_sees_little_says_little():
    true = lattice()
    rng = np.random.default_rng(2)
    sigmas = np.where(np.arange(len(CELLS)) < 4, 0.2, 6.0)
    errors = []
    for _ in range(60):
        seat = seated(true, seen(true, rng, sigmas))
        assert seat is not None
        errors.append(np.hypot(*(middle(seat.block) - middle(true))))
    # Four good bases alone would be off by about 0.15 mm; the mean of all twenty by more than a millimetre.
    assert np.median(errors) < 0.45


def test_one_that_is_badly_wrong_does_not_draw_the_block():
    true = lattice()
    bases = seen(true, np.random.default_rng(3), np.full(len(CELLS), 0.3))
    bases[7] = replace(bases[7], at_mm=bases[7].at_mm + np.array([12.0, 0.0]))
    seat = seated(true, bases)
    assert seat is not None and np.hypot(*(middle(seat.block) - middle(true))) < 0.3


def test_error_bars_hold_where_bases_err_together():
    true = lattice()
    rng = np.random.default_rng(4)
    inside = []
    for _ in range(300):
        sigma = rng.uniform(0.2, 1.0)
        seat = seated(true, seen(true, rng, np.full(len(CELLS), sigma), common=ALIKE * sigma))
        assert seat is not None
        inside.append(ellipse95(middle(seat.block) - middle(true), seat.cov_mm2)[0])
    assert 0.9 < np.mean(inside) <= 1.0


def test_bases_that_were_not_looked_at_say_nothing():
    true = lattice()
    bases = [replace(f, box_cov_mm2=None) for f in seen(true, np.random.default_rng(5), np.ones(len(CELLS)))]
    assert seated(true, bases) is None
