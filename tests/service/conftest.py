"""A service to talk to: in this process for the API, as a process of its own for browsers and power cuts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from regla.service.app import create_app
from regla.service.settings import Settings
from regla.service.sources import DEMO

LOCAL = ("127.0.0.1", 50000)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", source=str(DEMO / "t9a.json"))


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8000", client=LOCAL) as found:
        yield found


@contextmanager
def running(
    data: Path, *flags: str, source: str | None = str(DEMO / "t9a.json")
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A real `regla serve` on a free port; gives its address and the process."""
    command = [
        sys.executable,
        "-c",
        "from regla.service.cli import main; main()",
        "serve",
        "--port",
        "0",
        "--no-browser",
    ]
    command += ["--data", str(data), *(["--source", source] if source else []), *flags]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    )
    assert process.stdout is not None
    said = []
    try:
        for line in process.stdout:
            said.append(line)
            if found := re.search(r"Regla is at (http://[^/]+)", line):
                yield found[1], process
                return
        raise AssertionError("".join(said))
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(timeout=15)
        process.stdout.close()


def scene_of(n: int, **more: Any) -> dict[str, Any]:
    """A table with n pieces as a camera would write it."""
    pieces = [
        {
            "id": f"unit-{i}",
            "side": "AB"[i % 2],
            "kind": "unit" if i % 3 else "model",
            "at": [60.0 + 41.37 * i, 90.0 + 27.61 * (i % 17)],
            "facing": (37.3 * i) % 360,
            "base": {"shape": "rect", "width": 25.0, "depth": 25.0 if i % 2 else 50.0},
            "sigma": {"at": [0.31, 0.28], "facing": 0.42},
            "source": "camera",
            "confidence": 0.97,
            **({"files": 5, "count": 15} if i % 3 else {}),
        }
        for i in range(n)
    ]
    return {
        "game": "t9a",
        "unit": "mm",
        "table": {"width": 1828.8, "depth": 1219.2},
        "pieces": pieces,
        **more,
    }
