"""Tables near the line, for every family of T9A questions: a true scene, and what is asked of it."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable
from typing import Any

SIGMA_MM = 0.6
SIGMA_DEG = 0.25
Question = dict[str, Any]
Made = tuple[dict[str, Any], Question]


def unit(
    name: str, side: str, at: tuple[float, float], facing: float, *traits: str, files: int = 5, count: int = 10,
    w: float = 25.0, d: float = 25.0,
) -> dict[str, Any]:  # fmt: skip
    base = {"shape": "rect", "width": w, "depth": d}
    return {
        "id": name, "side": side, "kind": "unit", "at": list(at), "facing": facing % 360, "base": base,
        "files": files, "count": count, "traits": list(traits),
    }  # fmt: skip


def table(pieces: list[dict[str, Any]], terrain: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    size = {"width": 1828.8, "depth": 1219.2}
    return {"game": "t9a", "unit": "mm", "table": size, "pieces": pieces, "terrain": terrain or []}


def seen(scene: dict[str, Any], rng: random.Random | None) -> dict[str, Any]:
    """What a camera makes of a true scene; without a generator the truth itself, with no error to speak of."""
    out = copy.deepcopy(scene)
    for p in out["pieces"]:
        if rng is None:
            p["sigma"] = {"at": [1e-7, 1e-7], "facing": 0.0}
            continue
        p["at"] = [p["at"][0] + rng.gauss(0, SIGMA_MM), p["at"][1] + rng.gauss(0, SIGMA_MM)]
        p["facing"] = p["facing"] + rng.gauss(0, SIGMA_DEG)
        p["sigma"] = {"at": [SIGMA_MM, SIGMA_MM], "facing": SIGMA_DEG}
    return out


def near(rng: random.Random) -> float:
    """An offset from a limit: often within the error bars, sometimes far."""
    return rng.gauss(0, 1) * rng.choice((1.0, 3.0, 12.0))


def pair(rng: random.Random, low: float = 120, high: float = 400) -> list[dict[str, Any]]:
    turn, far = rng.uniform(0, 360), rng.uniform(low, high)
    c = (900 + rng.uniform(-50, 50), 600 + rng.uniform(-50, 50))
    other = (c[0] + far * math.cos(math.radians(turn)), c[1] + far * math.sin(math.radians(turn)))
    return [unit("a", "A", c, rng.uniform(0, 360)), unit("b", "B", other, rng.uniform(0, 360), count=15)]


def facing_pair(rng: random.Random, gap: float) -> list[dict[str, Any]]:
    """Front to front with a gap, some way sideways, the whole turned somewhere."""
    turn = math.radians(rng.uniform(0, 360))
    u = (math.cos(turn), math.sin(turn))
    side = rng.uniform(-40, 40)
    a = (900.0, 600.0)
    far = 50.0 + gap  # two ranks of 25 mm each: half of both depths
    b = (a[0] + far * u[0] - side * u[1], a[1] + far * u[1] + side * u[0])
    return [
        unit("a", "A", a, math.degrees(turn)),
        unit("b", "B", b, math.degrees(turn) + 180),
    ]


def distance_of(pieces: list[dict[str, Any]]) -> float:
    from regla.rules import Scene, ask

    value = ask(Scene.parse(table(pieces)), {"query": "range", "from": "a", "to": "b"}).value
    assert value is not None
    return value


def _within(rng: random.Random) -> Made:
    ps = pair(rng)
    return table(ps), {
        "query": "range",
        "from": "a",
        "to": "b",
        "within": max(1.0, distance_of(ps) + near(rng)),
    }


def _band(rng: random.Random) -> Made:
    ps = pair(rng)
    weapon = max(10.0, distance_of(ps) * rng.choice((1, 2)) + near(rng))
    return table(ps), {"query": "range", "from": "a", "to": "b", "weapon_range": weapon}


def _arc(rng: random.Random) -> Made:
    ps = pair(rng)
    return table(ps), {"query": "arc", "from": "a", "to": "b"}


def _in_arc(rng: random.Random) -> Made:
    ps = pair(rng)
    return table(ps), {
        "query": "in-arc",
        "from": "a",
        "to": "b",
        "arc": rng.choice(("front", "left-flank", "rear")),
    }


def _between(rng: random.Random) -> dict[str, Any]:
    """A looker, a target ahead and two blocks that leave a lane of some width, or none."""
    lane = near(rng)
    x = 900 + rng.uniform(-40, 40)
    left = unit("l", "A", (x - 62.5 - lane / 2, 500), 90 + rng.uniform(-6, 6))
    right = unit(
        "r",
        "A",
        (x + 62.5 + lane / 2 + rng.uniform(0, 2), 500 + rng.uniform(-20, 20)),
        90 + rng.uniform(-6, 6),
    )
    a = unit("a", "A", (900 + rng.uniform(-20, 20), 330), 90 + rng.uniform(-10, 10), files=3, count=3)
    b = unit("b", "B", (900 + rng.uniform(-40, 40), 700), 270 + rng.uniform(-20, 20), files=4, count=8)
    return table([a, b, left, right])


def _sight(rng: random.Random) -> Made:
    return _between(rng), {"query": "line-of-sight", "from": "a", "to": "b"}


def _rock(rng: random.Random) -> dict[str, Any]:
    a = unit("a", "A", (900, 330), 90, files=1, count=1)
    b = unit("b", "B", (900 + rng.uniform(-30, 30), 700), 270 + rng.uniform(-15, 15))
    edge = b["at"][0] + near(rng)
    rock = [[edge - 200, 640], [edge, 640], [edge, 650], [edge - 200, 650]]
    return table(
        [a, b], [{"id": "rock", "type": rng.choice(("impassable", "ruins", "forest")), "outline": rock}]
    )


def _cover(rng: random.Random) -> Made:
    return _rock(rng), {"query": "cover", "from": "a", "to": "b"}


def _engaged(rng: random.Random) -> Made:
    ps = facing_pair(rng, rng.choice((0.0, 0.0, abs(near(rng)))))
    ps[1]["facing"] += rng.choice((0.0, 0.0, rng.uniform(-5, 5)))
    return table(ps), {"query": "engagement", "from": "a", "to": "b"}


def _touching(rng: random.Random) -> Made:
    ps = facing_pair(rng, 0.0)
    return table(ps), {
        "query": rng.choice(("base-contact", "attackers", "contact-total")),
        "from": "a",
        "to": "b",
    }


def _spacing(rng: random.Random) -> Made:
    return table(facing_pair(rng, max(2.0, 25.4 + near(rng)))), {"query": "spacing", "from": "a"}


def _roll(rng: random.Random) -> Made:
    ps = facing_pair(rng, 25.4 * rng.randint(5, 17) + near(rng))
    return table(ps), {"query": "charge-roll", "from": "a", "to": "b", "advance": 101.6}


def _charge(rng: random.Random) -> Made:
    ps = facing_pair(rng, 120.0)
    advance = distance_of(ps) - 304.8 + near(rng)
    if rng.random() < 0.5:
        advance = 101.6
        ps[1]["facing"] += rng.uniform(-60, 60)
    return table(ps), {"query": "charge", "from": "a", "to": "b", "advance": advance}


def _stand(rng: random.Random) -> Made:
    ps = facing_pair(rng, 101.6 + near(rng))
    return table(ps), {"query": "stand-and-shoot", "from": "a", "to": "b", "advance": 101.6}


def _march(rng: random.Random) -> Made:
    return table(facing_pair(rng, 203.2 + near(rng))), {"query": "march-test", "from": "a"}


def _move(rng: random.Random) -> Made:
    ps = facing_pair(rng, 130.0)
    steps = [{"forward": 130.0 - 25.4 + near(rng)}]
    return table(ps), {"query": "move", "from": "a", "type": "advance", "rate": 150, "steps": steps}


def _reform(rng: random.Random) -> Made:
    ps = facing_pair(rng, 60.0 + near(rng))
    return table(ps), {"query": "reform", "from": "a", "files": 2, "facing": ps[0]["facing"], "march": 100}


def _shooters(rng: random.Random) -> Made:
    ps = pair(rng, 200, 300)
    ps[0]["facing"] = math.degrees(
        math.atan2(ps[1]["at"][1] - ps[0]["at"][1], ps[1]["at"][0] - ps[0]["at"][0])
    )
    return table(ps), {
        "query": "shooters",
        "from": "a",
        "to": "b",
        "weapon_range": distance_of(ps) + 8 + near(rng),
    }


def _flee(rng: random.Random) -> Made:
    ps = [unit("a", "A", (900, 600), rng.uniform(0, 360)), unit("b", "A", (1000, 700), rng.uniform(0, 360))]
    return table(ps), {"query": "flee", "from": "a", "distance": rng.uniform(60, 200)}


def _pursuit(rng: random.Random) -> Made:
    ps = facing_pair(rng, 150 + near(rng))
    return table(ps), {"query": "pursuit", "from": "a", "facing": ps[0]["facing"], "distance": 150}


def _panic(rng: random.Random) -> Made:
    ps = facing_pair(rng, 152.4 + near(rng))
    ps[1]["side"] = "A"
    return table(ps), {"query": "panic", "from": "a"}


def _aura(rng: random.Random) -> Made:
    ps = pair(rng)
    return table(ps), {
        "query": "aura",
        "from": "a",
        "radius": max(1.0, distance_of(ps) + near(rng)),
        "who": "all",
    }


def _zone(rng: random.Random) -> Made:
    turn = rng.uniform(-30, 30)
    reach = 62.5 * abs(math.sin(math.radians(turn))) + 25 * math.cos(math.radians(turn))
    a = unit("a", "A", (900, 304.8 - reach + near(rng)), 90 + turn)
    return table([a]), {
        "query": "deployment-zone",
        "from": "a",
        "deployment": "frontline-clash",
        "zone": "near",
    }


def _hold(rng: random.Random) -> Made:
    a = unit("a", "A", (914.4, 609.6 - 152.4 - 25 + near(rng)), 90, "scoring")
    return table([a]), {"query": "objective-control", "objective": "hold-the-ground", "side": "A"}


def _inside(rng: random.Random) -> Made:
    a = unit("a", "A", (900, 600), 90 + rng.uniform(-20, 20))
    mode = rng.choice(("inside", "touch", "majority-of-centres", "completely"))
    edge = 962.5 + near(rng) if mode in ("inside", "touch") else 900 + near(rng)
    low = 700 if mode == "completely" else edge
    high = 975 + near(rng) if mode == "completely" else 1200
    outline = [[low, 450], [high, 450], [high, 750], [low, 750]]
    wood = {"id": "wood", "type": "forest", "outline": outline}
    return table([a], [wood]), {"query": "terrain", "from": "a", "terrain": "wood", "mode": mode}


def _scout(rng: random.Random) -> Made:
    return table(facing_pair(rng, 457.2 + near(rng))), {"query": "scout-placement", "from": "a"}


def _frenzy(rng: random.Random) -> Made:
    ps = pair(rng)
    return table(ps), {
        "query": "frenzy-test",
        "from": "a",
        "advance": max(1.0, distance_of(ps) - 177.8 + near(rng)),
    }


def _danger(rng: random.Random) -> Made:
    a = unit("a", "A", (900, 600), 90 + rng.uniform(-20, 20), "cavalry", count=5, d=50.0)
    y = 700 + near(rng)
    wood = {"id": "wood", "type": "forest", "outline": [[880, y], [1200, y], [1200, 900], [880, 900]]}
    return table([a], [wood]), {"query": "dangerous-terrain", "from": "a", "type": "march", "forward": 75}


def _spell(rng: random.Random) -> Made:
    ps = pair(rng)
    return table(ps), {
        "query": "spell-target", "from": "a#1.1", "to": "b", "spell_range": max(1.0, distance_of(ps) + near(rng)),
        "types": ["direct", "hex"],
    }  # fmt: skip


FAMILIES: dict[str, Callable[[random.Random], Made]] = {
    "within": _within, "band": _band, "arc": _arc, "in-arc": _in_arc, "sight": _sight, "cover": _cover,
    "engagement": _engaged, "contact": _touching, "spacing": _spacing, "charge-roll": _roll, "charge": _charge,
    "stand-and-shoot": _stand, "march-test": _march, "move": _move, "reform": _reform, "shooters": _shooters,
    "flee": _flee, "pursuit": _pursuit, "panic": _panic, "aura": _aura, "zone": _zone, "objective": _hold,
    "terrain": _inside, "scout": _scout, "frenzy": _frenzy, "danger": _danger, "spell": _spell,
}  # fmt: skip


def same(one: Any, two: Any) -> bool:
    """Whether two verdicts say the same thing."""
    if one.answer is not None and one.margin is not None:
        return bool(one.answer == two.answer)
    return bool(
        one.answer == two.answer
        and one.band == two.band
        and one.arc == two.arc
        and set(one.ids or ()) == set(two.ids or ())
    )
