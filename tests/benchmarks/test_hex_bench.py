"""All pairs of hexes of two joined boards, sight and range: under 50 ms, and how much faster than one by one."""

from __future__ import annotations

import time

from pytest_benchmark.fixture import BenchmarkFixture
from regla.rules.hex_sight import sight, sight_table
from regla.rules.hexes import Field

from tests.rules.boards import joined

LIMIT_S = 0.050
BLOCKED = ((3, 2), (2, 1), (4, 1), (1, 8), (0, 8), (2, 7))


def everything(hexes: frozenset[tuple[int, int]]) -> int:
    """A new field each time, so that nothing is remembered."""
    field = Field(hexes)
    return int(sight_table(field, BLOCKED).sum() + (field.table >= 0).sum())


def test_sight_and_range_of_all_pairs_of_two_joined_boards(benchmark: BenchmarkFixture) -> None:
    hexes = joined(3).hexes
    everything(hexes)
    benchmark(everything, hexes)
    assert benchmark.stats["median"] < LIMIT_S


def test_all_at_once_against_one_by_one(benchmark: BenchmarkFixture) -> None:
    field = joined(0)
    benchmark.pedantic(sight_table, (field, BLOCKED), rounds=20)
    start = time.perf_counter()
    one_by_one = [sight(a, b, field, BLOCKED).clear for a in field.order[::8] for b in field.order]
    slow_s = (time.perf_counter() - start) * len(field) ** 2 / len(one_by_one)
    ratio = slow_s / benchmark.stats["median"]
    benchmark.extra_info["times faster than one by one"] = round(ratio)
    assert ratio > 10
