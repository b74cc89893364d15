"""Common to all tests: a test that is skipped for a missing component is a failure in CI."""

from __future__ import annotations

import os
import sys

import pytest
from hypothesis import HealthCheck, settings

# Benchmarks measure and want a quiet machine: they run when they are named (`make bench`), not with the tests.
collect_ignore = [] if any("benchmarks" in word for word in sys.argv) else ["benchmarks"]

settings.register_profile(
    "regla", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("regla")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and nothing may be missing in CI"
