"""Two full armies: 24 units, 16 pieces of terrain, 400 models. Cover and sight of all pairs of enemies."""

from __future__ import annotations

import time
from itertools import product
from typing import Any

import numpy as np
import pytest
import shapely
from regla.rules import Scene
from regla.rules.games.t9a.blocks import Model
from regla.rules.games.t9a.survey import _view as view_of
from regla.rules.games.t9a.survey import survey
from regla.rules.games.t9a.survey_cover import Covers
from regla.rules.games.t9a.survey_sight import Sights
from regla.rules.games.t9a.survey_table import Table

from tests.rules.t9a_army import army

LIMIT_S = 0.25
TIMES = 10


def arrays(scene: Scene) -> tuple[Any, Any]:
    """What is measured: sight and cover of all pairs of enemies, from the scene on."""
    table = Table(view_of(scene))
    rows = range(len(table.units))
    sight = Sights(table, rows, everyone=False)
    sight.run()
    return sight.sees, Covers(table, rows).run()


def naive(scene: Scene, pairs: int) -> int:
    """The straightforward loop on the same work: pair by pair, model by model, base by base, in shapely.

    Sight: lines from three points of each model's front to the target's outline, until one is free. Cover: the
    shadow of every base and feature cut out of the facing, from three points of each front-rank model.
    """
    view = view_of(scene)
    units = list(view.units.values())
    bases = {u.id: [shapely.Polygon(m.frame.ring) for m in u.models] for u in units}
    rocks = [f.polygon for f in view.features.values()]
    done = 0
    for one, two in product(units, units):
        if not view.are_enemies(one, two):
            continue
        others = [b for u in units if u.id not in (one.id, two.id) for b in bases[u.id]] + rocks
        target = shapely.Polygon(two.boundary.ring)
        ends = [target.exterior.interpolate(s, normalized=True) for s in np.linspace(0, 1, 17)[:-1]]
        for m in one.models:
            if any(_free(p, q, others) for p in _points(m) for q in ends):
                break
        facing = shapely.LineString(two.boundary.edge("front"))
        for m in one.models:
            if m.rank == 1:
                for p in _points(m):
                    left = facing
                    for b in others:
                        left = left.difference(_shadow(p, b))
        done += 1
        if done >= pairs:
            break
    return done


def _points(m: Model) -> list[tuple[float, float]]:
    (ax, ay), (bx, by) = m.frame.edge("front")
    return [(ax, ay), ((ax + bx) / 2, (ay + by) / 2), (bx, by)]


def _free(p: tuple[float, float], q: Any, others: list[Any]) -> bool:
    line = shapely.LineString([p, (q.x, q.y)])
    return not any(line.crosses(b) for b in others)


def _shadow(p: tuple[float, float], base: Any) -> Any:
    """What a base hides from a point, out to the end of the table."""
    near = np.asarray(base.exterior.coords)
    far = np.asarray(p) + 50.0 * (near - p)
    return shapely.MultiPoint(np.concatenate([near, far])).convex_hull


def best_of(run: Any, times: int = 5) -> float:
    spent = []
    for _ in range(times):
        start = time.process_time()
        run()
        spent.append(time.process_time() - start)
    return min(spent)


def test_sight_and_cover_of_two_armies(benchmark: Any) -> None:
    document = army()
    assert sum(p.get("count", 1) for p in document["pieces"]) == 400
    scene = Scene.parse(document)
    arrays(scene)
    benchmark.pedantic(arrays, args=(scene,), rounds=5, iterations=1)
    ours = best_of(lambda: arrays(scene))
    sample = 4  # pairs: the whole loop takes minutes
    theirs = best_of(lambda: naive(scene, sample), 1) * 288 / sample
    benchmark.extra_info |= {"cpu_s": ours, "naive_cpu_s": theirs, "ratio": theirs / ours}
    assert theirs >= TIMES * ours
    assert ours < LIMIT_S


@pytest.mark.parametrize("units", [6, 12, 24])
def test_whole_survey_grows_with_the_pairs(benchmark: Any, units: int) -> None:
    scene = Scene.parse(army(units=units))
    found = benchmark.pedantic(survey, args=(scene,), rounds=3, iterations=1)
    assert found.cover.shape == (units, units)
