"""Change drives work: still, moving, a hand, the light, the dark."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from regla.vision.change import SETTLE_S, Watch

RNG = np.random.default_rng(0)
TABLE = cv2.GaussianBlur(RNG.integers(40, 140, (1080, 1920, 3)).astype(np.uint8), (0, 0), 4)


def shot(dx_px=0.0, light=1.0, hand=None, noise=2.0, gone=False):
    image = TABLE.copy()
    if not gone:
        centre = (round((900 + dx_px) * 16), 500 * 16)
        cv2.circle(image, centre, 12 * 16, (25, 25, 30), -1, cv2.LINE_AA, 4)
    if hand is not None:
        cv2.line(image, (0, 700), (hand, 620), (150, 170, 210), 150)
    return np.clip(image * light + RNG.normal(0, noise, image.shape), 0, 255).astype(np.uint8)


def settled():
    watch = Watch()
    for i in range(10):
        activity = watch.see(shot(), i * 0.1)
    assert activity.settled
    image = shot()
    watch.see(image, 1.0)
    watch.measured(image)
    return watch


def test_a_still_table_settles_and_stays_settled():
    watch = settled()
    for i in range(20):
        activity = watch.see(shot(), 1.1 + i * 0.1)
        assert activity.settled and not activity.changed


@pytest.mark.parametrize("dx_px, changed", [(0.0, False), (1.5, True), (4.0, True), (30.0, True)])
def test_a_base_that_moves_a_millimetre_or_two_is_a_change(dx_px, changed):
    watch = settled()
    assert watch.see(shot(dx_px), 1.2).changed is changed


def test_a_piece_that_is_lifted_is_a_change_also_when_it_is_still_again():
    watch = settled()
    for i in range(12):
        activity = watch.see(shot(gone=True), 1.2 + i * 0.1)
    assert activity.settled and activity.changed


def test_a_hand_says_wait_and_leaves_no_trace():
    watch = settled()
    words = [watch.see(shot(hand=x), 1.2 + i * 0.1).word for i, x in enumerate((300, 600, 850, 600, 300))]
    assert words.count("hand") >= 4
    for i in range(10):
        activity = watch.see(shot(), 2.0 + i * 0.1)
    assert activity.settled and not activity.changed


def test_settling_takes_its_time():
    watch = settled()
    watch.see(shot(40), 2.0)
    assert not watch.see(shot(40), 2.0 + SETTLE_S / 2).settled
    assert watch.see(shot(40), 2.0 + SETTLE_S + 0.05).settled


def test_a_lamp_that_dims_everywhere_is_no_change():
    watch = settled()
    for i in range(12):
        activity = watch.see(shot(light=1 - 0.01 * i), 1.2 + i * 0.1)
    assert activity.settled


def test_dark():
    watch = settled()
    assert watch.see(np.zeros((1080, 1920, 3), np.uint8), 2.0).word == "dark"
