"""What the camera side costs: ratios in one run, since machines differ."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from regla.calibration import calibrate_markers
from regla.vision.catalogue import catalogue
from regla.vision.change import Watch
from regla.vision.detect import Detector
from regla.vision.facing import FacingModel
from regla.vision.group import find_blocks
from regla.vision.pipeline import Pipeline
from regla.vision.proposals import propose
from regla.vision.refine import refine
from regla.vision.weights import ModelFileError

from tests.calibration import world
from tests.vision.drawn import Base, Told, block, draw

VIEW = world.overhead()
ARMY = [
    *block((400, 300), 90, 6, 24, (20.0, 20.0), figure=True),
    *block((800, 320), 80, 5, 20, (25.0, 25.0), figure=True),
    *block((1300, 300), 100, 5, 10, (25.0, 50.0), figure=True),
    *block((500, 900), 270, 7, 28, (20.0, 20.0), figure=True),
    *block((1000, 920), 260, 4, 8, (40.0, 40.0), figure=True),
    *[
        Base((200 + 180 * k, 600), (40.0,) if k % 2 else (50.0, 75.0), 30.0 * k, figure=True)
        for k in range(9)
    ],
]
"""Two small armies: 99 bases, 14 pieces."""
MOST_RATIO = 1.3
SHORT = 1.03
MOST_CORE = 0.10
MOST_MB = 700
MOST_START_S = 6.0


@pytest.fixture(scope="module")
def picture():
    return draw(ARMY)


@pytest.fixture(scope="module")
def calibration(picture):
    return calibrate_markers(picture, camera=VIEW.camera, places=world.sheets(), table_mm=world.TABLE_MM)


def networks():
    try:
        facing = FacingModel.load()
    except (ModelFileError, FileNotFoundError):
        facing = False
    return Detector.load(), facing


def cpu_s(work, rounds):
    """Processor time of one round, the best of several: other programs on the machine do not count."""
    best = np.inf
    for _ in range(rounds):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def test_a_changed_frame_costs_little_more_than_the_detector(benchmark, picture, calibration):
    """Everything behind the network, with the boxes of a full table, against the network's own time."""
    detector, facing = networks()
    told = Told(ARMY)

    class Both:
        """The network's cost with the drawn table's boxes: a weak network must not make the rest look cheap."""

        model_sha256 = detector.model_sha256

        def __call__(self, image):
            detector(image)
            return told(image)

    pipeline = Pipeline("t9a", detector=Both(), facing=facing)
    pipeline.look(picture, calibration, tags=False)
    benchmark.pedantic(lambda: pipeline.look(picture, calibration, tags=False), rounds=5, warmup_rounds=1)
    both = Both()
    alone = cpu_s(lambda: both(picture), 5)
    whole = cpu_s(lambda: pipeline.look(picture, calibration, tags=False), 5)
    benchmark.extra_info.update(ratio=whole / alone, detector_ms=1e3 * alone, whole_ms=1e3 * whole)
    # 1.29 to 1.30 was measured on the idle machine: the slack is the noise of processor times.
    assert whole / alone <= MOST_RATIO * SHORT


def test_the_fit_alone(benchmark, picture):
    sizes = catalogue("t9a")
    found = propose(Told(ARMY)(picture), VIEW, sizes)
    blocks = find_blocks(found)
    result = benchmark(refine, picture, VIEW, found, blocks, sizes)
    assert len(result.blocks) == 5


def test_a_still_table_uses_a_tenth_of_a_core(benchmark):
    frames = [draw(ARMY, seed=s) for s in range(3)]
    watch = Watch()
    for i, frame in enumerate(frames * 2):
        watch.see(frame, 0.1 * i)
    turn = iter(range(10**9))

    def check():
        i = next(turn)
        # The copy out of the reader's shared memory is part of every check.
        watch.see(np.array(frames[i % 3]), 1 + 0.1 * i)

    benchmark(check)
    share = 10 * cpu_s(check, 30)
    benchmark.extra_info["share_of_a_core"] = share
    assert share <= MOST_CORE


def crowding():
    """How much longer than its own work the processor takes just now: 1 on a quiet machine."""
    wall, own = time.perf_counter(), time.process_time()
    while time.process_time() - own < 0.4:
        sum(range(20_000))
    return max(1.0, (time.perf_counter() - wall) / (time.process_time() - own))


SESSION = """
import resource, sys, time
began = time.monotonic()
from regla.calibration import Calibration
from regla.rules import ask
from regla.vision import LiveTable
table = LiveTable(sys.argv[1], Calibration.load(sys.argv[2]), "t9a")
table.start()
state = table.state()
while state.status != "settled" or state.scene is None:
    state = table.wait(state.sequence, 1.0)
    assert time.monotonic() - began < 120, (state.status, state.fault)
pieces = [p.id for p in state.scene.pieces][:2]
if len(pieces) == 2:
    ask(state.scene, {"query": "range", "from": pieces[0], "to": pieces[1]})
took = time.monotonic() - began
table.stop()
print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def test_start_to_first_verdict_and_memory(benchmark, picture, calibration, tmp_path):
    """A fresh process: import, load the networks, read, settle, measure, ask. The reader's own memory is its own."""
    import cv2

    cv2.imwrite(str(tmp_path / "table.png"), picture)
    calibration.save(tmp_path / "c.json")
    command = [
        sys.executable,
        "-c",
        textwrap.dedent(SESSION),
        str(tmp_path / "table.png"),
        str(tmp_path / "c.json"),
    ]

    def session():
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=dict(os.environ))
        return [float(v) for v in done.stdout.split()]

    crowded = crowding()
    took_s, memory_mb = benchmark.pedantic(session, rounds=1)
    crowded = max(crowded, crowding())
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    benchmark.extra_info.update(
        first_verdict_s=took_s,
        memory_mb=memory_mb,
        crowding=crowded,
        cpu_s=children.ru_utime + children.ru_stime,
    )
    assert memory_mb <= MOST_MB
    assert took_s / crowded <= MOST_START_S
