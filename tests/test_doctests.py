"""Every example in a docstring runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

ROOMS = ("regla.rules", "regla.calibration", "regla.vision", "regla.models", "regla.service")


def modules() -> list[str]:
    found = []
    for room in ROOMS:
        package = importlib.import_module(room)
        found.append(room)
        found += [m.name for m in pkgutil.walk_packages(package.__path__, room + ".", onerror=lambda _: None)]
    return found


NEEDS_EXTRAS = ("regla.models.train", "regla.models.export")
"""Modules of the `train` extra import torch at their top; nothing else may."""


@pytest.mark.parametrize("name", [m for m in modules() if not m.startswith(NEEDS_EXTRAS)])
def test_examples_of(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
