"""How many synthetic pictures a minute one process makes; a machine makes that many for each of its cores.

Beside the wall clock the processor's own time is counted, so that a busy machine does not look slow.
"""

from __future__ import annotations

import resource
import time
from typing import Any

import pytest
from regla.models.synth.dataset import Order, take

SIZE_PX = (1280, 720)
MOST_MB = 4096


def pictures(order: Order, count: int) -> None:
    for index in range(count):
        take(order, index)


@pytest.mark.parametrize("game", ["t9a", "underworlds", "mixed"])
def test_training_pictures(benchmark: Any, game: str) -> None:
    order = Order("", 1, game, size_px=SIZE_PX)
    take(order, 0)  # programs, textures and shared meshes are made once a process
    count = 4
    started = time.process_time()
    benchmark.pedantic(pictures, (order, count), rounds=1)
    benchmark.extra_info["pictures_per_cpu_minute"] = round(60 * count / (time.process_time() - started), 1)
    benchmark.extra_info["pictures_per_minute"] = round(60 * count / benchmark.stats.stats.min, 1)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    benchmark.extra_info["peak_mb"] = megabytes
    assert megabytes < MOST_MB


def test_fine_pictures(benchmark: Any) -> None:
    order = Order("", 1, "runewars", size_px=(1920, 1080), fine=True, markers=True)
    take(order, 0)
    benchmark.pedantic(pictures, (order, 1), rounds=1)
    benchmark.extra_info["pictures_per_minute"] = round(60 / benchmark.stats.stats.min, 1)


def test_sketches(benchmark: Any) -> None:
    order = Order("", 1, "mixed", size_px=SIZE_PX, sketch=True)
    take(order, 0)
    benchmark.pedantic(pictures, (order, 6), rounds=1)
    benchmark.extra_info["pictures_per_minute"] = round(60 * 6 / benchmark.stats.stats.min, 1)
