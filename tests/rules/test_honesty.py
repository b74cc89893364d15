"""Error bars that keep their word: simulated noise on scenes near the line, for each family of questions.

A true scene is drawn, a camera sees it with errors, and the verdict on what it saw is held against the truth:
a confident answer is wrong at most once in a hundred, and the 95 % bands hold the truth 95 ± 2 times in a hundred.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from regla.rules import Scene, Verdict, ask

from tests.zoo import box, mage_knight, runewars, unit, warrior

Rng = np.random.Generator
Drawn = tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, Any]]

TRIALS = 150
FEWER = 60  # for questions that take long
PLACE = {"mage-knight": 0.03, "runewars": 0.8}  # standard deviations: inches, mm
TURN_DEG = 0.7
PAIR = {"from": "a", "to": "b"}


def near(rng: Rng, spread: float) -> float:
    """An offset from the line that decides: within four standard deviations of a pair, mostly."""
    return float(rng.uniform(-4, 4) * spread * 1.4)


# --- Mage Knight: two or three figures, inches ------------------------------------------------------------------

S = PLACE["mage-knight"]


def mk_pair(
    rng: Rng, distance: float, bearing: float | None = None, facing: float = 90.0
) -> list[dict[str, Any]]:
    turn = np.radians(rng.uniform(0, 360) if bearing is None else bearing)
    x, y = 20 + distance * np.cos(turn), 20 + distance * np.sin(turn)
    return [
        warrior("a", 20, 20, "A", facing, traits=["sword", "bow", "faction:x"]),
        warrior("b", x, y, "B", 270),
    ]


def mk_range(rng: Rng) -> Drawn:
    return mk_pair(rng, 8 + near(rng, S)), [], {"query": "range", **PAIR, "range": 8}


def mk_arc(rng: Rng) -> Drawn:
    off = near(rng, 1.0)
    return (
        mk_pair(rng, 7, 90 + 45 + off),
        [],
        {"query": "arc", **PAIR, "params": {"front_arc_deg": 90, "rear_arc_deg": 180}},
    )


def mk_sight(rng: Rng) -> Drawn:
    pieces = mk_pair(rng, 10, 90)
    side = rng.choice([-1, 1])
    pieces.append(warrior("c", 20 + side * (0.75 + near(rng, S)), 20 + rng.uniform(2, 8), "B"))
    return pieces, [box("rock", "blocking", 21.5, 24, 23, 26)], {"query": "line-of-sight", **PAIR}


def mk_rock(rng: Rng) -> Drawn:
    edge = 20 + near(rng, S)
    return (
        mk_pair(rng, 10, 90),
        [box("rock", "blocking", edge, 24, edge + 2, 26)],
        {"query": "line-of-sight", **PAIR},
    )


def mk_contact(rng: Rng) -> Drawn:
    return mk_pair(rng, 1.54 + near(rng, S)), [], {"query": "engagement", **PAIR}


def mk_contacts(rng: Rng) -> Drawn:
    pieces = mk_pair(rng, 1.54 + near(rng, S), 90)
    pieces.append(warrior("c", 20, 20 - 1.54 - near(rng, S), "B"))
    return pieces, [], {"query": "engagement", "from": "a"}


def mk_shot(rng: Rng) -> Drawn:
    return (
        mk_pair(rng, 8 + near(rng, S), 90 + rng.uniform(-80, 80)),
        [],
        {"query": "ranged-attack", **PAIR, "range": 8},
    )


def mk_strike(rng: Rng) -> Drawn:
    return mk_pair(rng, 1.54 + near(rng, S), 90 + rng.uniform(-80, 80)), [], {"query": "close-attack", **PAIR}


def mk_defence(rng: Rng) -> Drawn:
    edge = 20 + near(rng, S)
    return (
        mk_pair(rng, 10, 90),
        [box("wood", "hindering", edge, 24, edge + 2, 26)],
        {"query": "defence-modifier", **PAIR},
    )


def mk_modifier(rng: Rng) -> Drawn:
    pieces = mk_pair(rng, 1.5, 90)
    pieces[1]["facing"] = 0.0 + near(rng, 1.0)
    return pieces, [], {"query": "attack-modifier", **PAIR, "kind": "close"}


def mk_move(rng: Rng) -> Drawn:
    pieces = mk_pair(rng, 5, 0)
    pieces.append(warrior("c", 20 + 0.75 + near(rng, S), 24, "B"))
    return pieces, [], {"query": "move", "piece": "a", "path": [[20, 27]], "speed": 8}


def mk_marker(rng: Rng) -> Drawn:
    marker = {"id": "o", "kind": "marker", "side": None, "at": [20, 21.54 + near(rng, S)], "facing": 0, "base": {"shape": "circle", "diameter": 1.5}, "traits": ["objective"]}  # fmt: skip
    return [warrior("a", 20, 20), marker], [], {"query": "objective-control", "marker": "o", "active": "A"}


def mk_deploy(rng: Rng) -> Drawn:
    return [warrior("a", 20, 3 + near(rng, S))], [], {"query": "deployment", "piece": "a", "edge": "near"}


def mk_area(rng: Rng) -> Drawn:
    return mk_pair(rng, 3), [], {"query": "bombardment-area", "at": [20, 23 + near(rng, S)], "radius": 3}


# --- Runewars: trays of 60 mm ---------------------------------------------------------------------------------

R = PLACE["runewars"]


def rw_pair(rng: Rng, gap: float, aside: float = 0.0, turn: float = 270.0) -> list[dict[str, Any]]:
    return [unit("a", 600, 300), unit("b", 600 + aside, 360 + gap, "B", turn, 2, 3)]


def rw_range(rng: Rng) -> Drawn:
    pieces = [
        unit("a", 600, 300, facing=float(rng.uniform(10, 80))),
        unit("b", 600, 560, "B", float(rng.uniform(190, 260))),
    ]
    return pieces, [], {"query": "range", **PAIR, "params": {"segments": [100, 180, 190, 200, 500]}}


def rw_at_range(rng: Rng) -> Drawn:
    return (
        rw_pair(rng, 230 + near(rng, R), rng.uniform(-90, 90)),
        [],
        {"query": "at-range", **PAIR, "term": "beyond", "max": 2},
    )


def rw_arc(rng: Rng) -> Drawn:
    return (
        [unit("a", 600, 300), unit("b", 630 + 120 + 30 + near(rng, 2 * R), 420, "B", 270)],
        [],
        {"query": "arc", **PAIR},
    )


def rw_sight(rng: Rng) -> Drawn:
    """Two blocks side by side before the target: the gap between them is about to close."""
    pieces = [unit("a", 600, 300), unit("b", 600, 600, "B", 270)]
    pieces += [unit("c", 570, 440, files=2, count=2), unit("d", 630 + near(rng, R), 440, "B")]
    pieces[2]["at"][0] -= 30
    return pieces, [], {"query": "line-of-sight", **PAIR}


def rw_shoot(rng: Rng) -> Drawn:
    return [unit("a", 600, 200), unit("b", 600, 760 + near(rng, R), "B", 265)], [], {"query": "shoot", **PAIR}


def rw_contact(rng: Rng) -> Drawn:
    pieces = [unit("a", 600, 300), unit("b", 620, 361 + near(rng, R), "B", 268)]
    return pieces, [], {"query": "engagement", **PAIR}


def rw_align(rng: Rng) -> Drawn:
    pieces = [unit("a", 600, 300), unit("b", 602 + near(rng, R), 361, "B", 270)]
    return pieces, [], {"query": "aligned", **PAIR, "params": {"contact_tol": 6, "angle_tol": 4}}


def rw_move(rng: Rng) -> Drawn:
    pieces = [unit("a", 600, 300), unit("b", 640, 480 + near(rng, R), "B", 268)]
    return (
        pieces,
        [],
        {"query": "move", "unit": "a", "action": "march", "speed": 2, "params": {"straight": [60, 120]}},
    )


def rw_reform(rng: Rng) -> Drawn:
    pieces = [unit("a", 600, 300, files=3, count=3), unit("b", 600, 300 + 90 + 31 + near(rng, R), "B", 265)]
    return pieces, [], {"query": "reform", "unit": "a", "facing": 0}


def rw_deploy(rng: Rng) -> Drawn:
    zone = box("red", "deployment-red", 0, 0, 1800, 300)
    return (
        [unit("a", 600, 270 + near(rng, R), facing=85)],
        [zone],
        {"query": "deployment", "unit": "a", "zone": "red"},
    )


def rw_area(rng: Rng) -> Drawn:
    return [unit("a", 40 + near(rng, R), 300, facing=100)], [], {"query": "in-play-area", "unit": "a"}


def rw_token(rng: Rng) -> Drawn:
    token = {"id": "t", "kind": "token", "side": None, "at": [660, 300 + near(rng, R)]}
    pieces = [unit("a", 600, 300), unit("b", 725 + near(rng, R), 300, "B", 85), token]
    return pieces, [], {"query": "token-owner", "token": "t"}


FAMILIES: list[tuple[str, Callable[[Rng], Drawn]]] = [
    *(("mage-knight", f) for f in (mk_range, mk_arc, mk_sight, mk_rock, mk_contact, mk_contacts, mk_shot, mk_strike, mk_defence, mk_modifier, mk_move, mk_marker, mk_deploy, mk_area)),
    *(("runewars", f) for f in (rw_range, rw_at_range, rw_arc, rw_sight, rw_shoot, rw_contact, rw_align, rw_move, rw_reform, rw_deploy, rw_area, rw_token)),
]  # fmt: skip

SMOOTH = (
    mk_range,
    mk_sight,
    mk_rock,
    mk_contact,
    mk_deploy,
    rw_at_range,
    rw_arc,
    rw_sight,
    rw_contact,
    rw_deploy,
    rw_area,
)
"""Families with one signed margin: the truth must lie inside its band 95 times in a hundred."""


def trial(game: str, draw: Callable[[Rng], Drawn], rng: Rng) -> tuple[Verdict, Verdict]:
    """The verdict on the true scene, and on the scene that a camera would see."""
    pieces, terrain, question = draw(rng)
    make: Callable[..., Scene] = mage_knight if game == "mage-knight" else runewars
    s = PLACE[game]
    seen = []
    for piece in pieces:
        at = [float(v + s * rng.standard_normal()) for v in piece["at"]]
        facing = (
            None if piece.get("facing") is None else float(piece["facing"] + TURN_DEG * rng.standard_normal())
        )
        seen.append({**piece, "at": at, "facing": facing, "sigma": {"at": [s, s], "facing": TURN_DEG}})
    return ask(make(pieces, terrain), question), ask(make(seen, terrain), question)


def outcome(v: Verdict) -> Any:
    if v.answer is not None:
        return v.answer.value
    ids = None if v.ids is None else frozenset(v.ids)
    return v.band, v.arc, ids, v.value if v.value_unit == "count" else None


@pytest.mark.parametrize(("game", "draw"), FAMILIES, ids=[f.__name__ for _, f in FAMILIES])
def test_confident_answers_are_right_and_bands_hold_the_truth(
    game: str, draw: Callable[[Rng], Drawn]
) -> None:
    rng = np.random.default_rng(zlib.crc32(draw.__name__.encode()))
    trials = FEWER if draw in (rw_sight, rw_shoot, rw_move, rw_reform) else TRIALS
    confident = wrong = inside = measured = 0
    for _ in range(trials):
        truth, seen = trial(game, draw, rng)
        if seen.answer != "too-close":
            confident += 1
            wrong += outcome(seen) != outcome(truth)
        if seen.margin is not None and truth.margin is not None and seen.sigma:
            measured += 1
            inside += abs(seen.margin - truth.margin) <= 1.96 * seen.sigma
    assert confident >= trials / 10, "an answer that is always too close is of no use"
    assert wrong <= max(1, 0.01 * trials), f"{wrong} of {confident} confident answers are wrong"
    if draw in SMOOTH:
        # 95 ± 2 in a hundred, and two standard errors for a sample of this size
        assert measured >= trials / 2
        spread = 2 * np.sqrt(0.95 * 0.05 / measured)
        assert 0.93 - spread <= inside / measured <= min(0.97 + spread, 1.0), f"{inside} of {measured}"
