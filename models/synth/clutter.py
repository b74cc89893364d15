"""What else lies on a table in play: dice, cards, tape measures, drinks, pens, and the players' hands."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .figures import _limb, hue
from .mesh import Mesh, Surface, ball, disc, frustum, joined, matrix, moved, ring_segment
from .textures import LAYER
from .world import World, rectangle

Array = NDArray[Any]

_PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, 1), (-1, 1), (1, -1)],
    5: [(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)],
    6: [(-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)],
}


def die(
    world: World,
    at: ArrayLike,
    id_: str,
    side_mm: float | None = None,
    colour: tuple[float, float, float] | None = None,
) -> None:
    """A six-sided die with pips on top."""
    rng = world.rng
    side = side_mm or float(rng.choice([12, 14, 16, 16]))
    body = colour or hue(rng, 0.05, 0.95, 0.6)
    turn = float(rng.uniform(0, 360))
    ident = world.ident()
    world.block(at, side, side, side, turn, body, Surface(0.03, 20, 0.7, 0.25), ident)
    ink = (0.9, 0.9, 0.88) if sum(body) < 1.2 else (0.02, 0.02, 0.02)
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    at = np.asarray(at, float)[:2]
    for x, y in _PIPS[int(rng.integers(1, 7))]:
        offset = np.array([c * x - s * y, s * x + c * y]) * side * 0.26
        world.dot(at + offset, side * 0.1, side + 0.05, ink, ident, sides=12)
    world.thing("die", id_, rectangle(at, side, side, turn), side, ident)


def card(
    world: World,
    at: ArrayLike,
    turn: float,
    size: tuple[float, float] = (63, 88),
    z: float = 0.0,
    ident: int = 0,
) -> None:
    """A playing card: a border, a picture and a text box."""
    rng = world.rng
    w, d = size
    at = np.asarray(at, float)[:2]
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    paper = Surface(0.03, 60, 0.3, 0.4)
    world.block(at, w, d, 0.4, turn, hue(rng, 0.05, 0.95, 0.5), paper, ident, z)
    up = np.array([-s, c])
    art = Surface(0.1, 40, 0.3, 0.4, LAYER[f"art-{int(rng.integers(4))}"], rng.uniform(50, 150))
    if rng.random() < 0.5:
        world.plate(at, w * 0.9, d * 0.93, turn, z + 0.45, hue(rng, 0.2, 0.9), art, ident)
        return
    world.plate(at + up * d * 0.2, w * 0.88, d * 0.5, turn, z + 0.45, hue(rng, 0.2, 0.9), art, ident)
    world.plate(at - up * d * 0.26, w * 0.88, d * 0.36, turn, z + 0.45, (0.7, 0.66, 0.55), paper, ident)
    for k in range(4):
        world.plate(
            at - up * d * (0.16 + 0.06 * k),
            w * rng.uniform(0.4, 0.78),
            1.2,
            turn,
            z + 0.5,
            (0.08, 0.07, 0.06),
            paper,
            ident,
        )


def tape_measure(world: World, at: ArrayLike, turn: float, length_mm: float) -> None:
    """A steel tape: its case, the blade and the inch marks."""
    rng = world.rng
    at = np.asarray(at, float)[:2]
    along = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
    world.block(at, 60, 28, 55, turn, hue(rng, 0.3, 0.9), Surface(0.05, 30, 0.4, 0.4), bevel=0.06)
    blade = (0.75, 0.62, 0.05) if rng.random() < 0.7 else (0.75, 0.75, 0.72)
    middle = at + along * (30 + length_mm / 2)
    world.block(middle, length_mm, 16, 1.0, turn, blade, Surface(0.03, 40, 0.5, 0.3))
    across = np.array([-along[1], along[0]])
    for k in range(int(length_mm // 25.4)):
        spot = at + along * (30 + k * 25.4)
        world.line(spot - across * 8, spot - across * (0 if k % 2 else -6), 0.9, 1.06, (0.03, 0.03, 0.03))


def drink(world: World, at: ArrayLike) -> None:
    rng = world.rng
    at = np.asarray(at, float)[:2]
    r, h = rng.uniform(30, 44), rng.uniform(60, 120)
    colour = hue(rng, 0.1, 0.95, 0.5)
    shine = Surface(0.03, 80, 0.8, 0.2)
    world.add(frustum(1.0, 48), matrix((*at, 0), 0, (r, r, h)), colour, shine)
    if rng.random() < 0.6:
        world.add(
            disc(48), matrix((*at, h * 0.85), 0, (r, r, 1)), (0.09, 0.04, 0.015), Surface(0.02, 50, 1.0, 0.05)
        )
        world.add(ring_segment(0.9, 0, 360), matrix((*at, h), 0, (r, r, 1)), colour, shine)
        turn = rng.uniform(0, 360)
        grip = at + (r + 10) * np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
        world.block(grip, 24, 9, h * 0.6, turn, colour, shine, z_mm=h * 0.2)
    else:
        world.add(disc(48), matrix((*at, h), 0, (r, r, 1)), (0.55, 0.55, 0.56), Surface(0.03, 50, 0.9, 0.2))
        world.add(ring_segment(0.88, 0, 360), matrix((*at, h + 1.5), 0, (r, r, 1)), (0.6, 0.6, 0.6), shine)


def paper(world: World, at: ArrayLike, turn: float) -> None:
    """A roster, a rulebook or a phone."""
    rng = world.rng
    at = np.asarray(at, float)[:2]
    kind = rng.random()
    if kind < 0.45:
        w, d = (148, 210) if rng.random() < 0.5 else (210, 297)
        world.block(at, w, d, 0.4, turn, (0.78, 0.77, 0.73), Surface(0.02, 100, 0.1, 0.8))
        c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        up = np.array([-s, c])
        for k in range(int(rng.integers(8, 24))):
            world.plate(
                at + up * (d * 0.42 - k * d * 0.036),
                w * rng.uniform(0.3, 0.85),
                d * 0.012,
                turn,
                0.5,
                (0.1, 0.1, 0.1),
            )
    elif kind < 0.75:
        cover = Surface(0.1, 80, 0.5, 0.3, LAYER[f"art-{int(rng.integers(4))}"], 250)
        world.block(at, 170, 240, rng.uniform(5, 20), turn, hue(rng, 0.1, 0.8), cover)
    else:
        world.block(at, 75, 155, 8, turn, (0.02, 0.02, 0.022), Surface(0.01, 80, 1.2, 0.05), bevel=0.02)


def stick(world: World, at: ArrayLike, turn: float) -> None:
    """A pen, a ruler or a range stick."""
    rng = world.rng
    if rng.random() < 0.5:
        world.block(at, 140, 9, 9, turn, hue(rng, 0.05, 0.9), Surface(0.02, 40, 0.6, 0.3), bevel=0.3)
        return
    length = float(rng.choice([152.4, 228.6, 304.8]))
    world.block(at, length, 25, 3, turn, hue(rng, 0.2, 0.95), Surface(0.05, 60, 0.6, 0.2))
    at = np.asarray(at, float)[:2]
    along = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
    across = np.array([-along[1], along[0]])
    for k in range(int(length // 25.4)):
        spot = at + along * (k * 25.4 - length / 2)
        world.line(spot - across * 12, spot + across * 2, 1, 3.05, (0.02, 0.02, 0.02))


def hand_mesh(rng: np.random.Generator, sleeve: bool, length_mm: float, grip: float = 0.5) -> Mesh:
    """A hand whose finger tips point along +x from the origin at the palm; the arm goes back along -x and up."""
    skin = np.array([0.62, 0.38, 0.27]) * rng.uniform(0.25, 1.25)
    cloth = hue(rng, 0.05, 0.8)
    tone = tuple(np.clip(skin, 0, 0.9))
    parts = [moved(ball(8, 12), matrix((0, 0, 0), scale=(46, 41, 15)), tone)]
    for k, y in enumerate((-30, -11, 9, 28)):
        reach = (72, 84, 80, 66)[k] * rng.uniform(0.85, 1.05)
        bend = grip * rng.uniform(0.6, 1.2)
        knuckle, tip = np.array([34.0, y, 3]), np.array([34 + reach * 0.55, y * 1.08, 6])
        end = tip + np.array([reach * 0.5 * np.cos(bend), 0, -reach * 0.5 * np.sin(bend)])
        parts += [
            _limb(knuckle, tip, 9.5, tone, 8),
            _limb(tip, end, 8.5, tone, 8),
            moved(ball(5, 8), matrix(tuple(end), scale=8), tone),
            moved(ball(5, 8), matrix(tuple(tip), scale=9), tone),
        ]
    side = float(rng.choice([-1, 1]))
    thumb = np.array([28.0, 58 * side, -6 - 12 * grip])
    parts += [
        _limb(np.array([-10.0, 28 * side, 0]), thumb, 11, tone, 8),
        _limb(thumb, thumb + np.array([26, -8 * side, -10 * grip]), 9, tone, 8),
    ]
    wrist = np.array([-38.0, 0, 2])
    back = np.array([-length_mm, 0, length_mm * 0.08])
    cuff = np.array([-rng.uniform(60, 120), 0, 10.0]) if sleeve else wrist + (back - wrist) * 0.5
    parts.append(_limb(cuff, wrist, 30, tone, 14))
    parts.append(_limb(back, cuff, rng.uniform(46, 58) if sleeve else 38, cloth if sleeve else tone, 16))
    return joined(parts)


def hand(world: World, tip: ArrayLike, from_deg: float, height_mm: float, id_: str = "hand") -> None:
    """An arm that comes in from `from_deg`, its palm above `tip`."""
    rng = world.rng
    ident = world.ident()
    mesh = hand_mesh(rng, bool(rng.random() < 0.7), 2600.0, rng.uniform(0, 0.9))
    x, y = np.asarray(tip, float)[:2]
    world.add(
        mesh,
        matrix((x, y, height_mm), from_deg + 180, rng.uniform(0.85, 1.1)),
        None,
        Surface(0.12, 40, 0.12, 0.6),
        ident,
    )
    world.thing("hand", id_, np.empty((0, 2)), height_mm, ident, shape="mask")


def scatter(world: World, amount: float = 1.0, hands: float = 0.2) -> None:
    """Clutter in the free places, and now and then a hand."""
    rng = world.rng
    for k in range(int(rng.poisson(2.5 * amount))):
        at = world.room(12)
        if at is not None:
            for j in range(int(rng.integers(1, 6))):
                spot = at + rng.normal(0, 22, 2)
                if j == 0 or world.free(spot, 11):
                    world.take(spot, 10)
                    die(world, spot, f"die-{k}-{j}")
    for maker, mean, radius in (
        ("card", 1.6, 50),
        ("tape", 0.35, 60),
        ("drink", 0.3, 50),
        ("paper", 0.4, 130),
        ("stick", 0.6, 60),
    ):
        for _ in range(int(rng.poisson(mean * amount))):
            at = world.room(radius)
            if at is None:
                continue
            turn = float(rng.uniform(0, 360))
            if maker == "card":
                for j in range(int(rng.integers(1, 4))):
                    card(world, at + rng.normal(0, 6, 2) * j, turn + rng.normal(0, 8) * j, z=j * 0.5)
            elif maker == "tape":
                tape_measure(world, at, turn, rng.uniform(80, 600))
            elif maker == "drink":
                drink(world, at)
            elif maker == "paper":
                paper(world, at, turn)
            else:
                stick(world, at, turn)
    if rng.random() < hands:
        for k in range(int(rng.choice([1, 1, 2]))):
            x0, y0, x1, y1 = world.focus_mm or (0, 0, world.width_mm, world.depth_mm)
            tip = (rng.uniform(x0, x1), rng.uniform(y0, y1))
            side = float(rng.choice([270, 90, 0, 180], p=[0.5, 0.3, 0.1, 0.1]) + rng.normal(0, 25))
            hand(world, tip, side, rng.uniform(18, 140), f"hand-{k}")


__all__ = ["card", "die", "drink", "hand", "hand_mesh", "paper", "scatter", "stick", "tape_measure"]
