"""Worked cases: a scene, a question and what the rule says. See tests/cases/ for the corpora."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .ask import ask
from .errors import Fault, RulesError, SceneError
from .messages import msg, register
from .scene import Scene
from .verdict import Verdict

__all__ = ["Case", "Outcome", "load_cases", "run_case", "run_cases"]

TOLERANCE = {
    "mage-knight": {"in": 0.001, "mm": 0.0254},
    "runewars": {"in": 0.005, "mm": 0.1},
    "t9a": {"in": 0.002, "mm": 0.0508},
}
"""How near a length must be, as each game's sheet says; hexes, spaces and counts are compared exactly."""

ANGLE_TOLERANCE_DEG = 0.002
_SETS = ("ids", "blockers", "hexes")
_EXACT = ("answer", "band", "arc")


@dataclass(frozen=True)
class Case:
    id: str
    rule: str
    scene: Mapping[str, Any]
    ask: Mapping[str, Any]
    expect: Mapping[str, Any]
    why: str = ""


@dataclass(frozen=True)
class Outcome:
    """How one case went: `mismatches` holds (key, expected, got), `error` what kept it from an answer."""

    case: Case
    verdict: Verdict | None
    mismatches: tuple[tuple[str, Any, Any], ...] = ()
    error: str | None = None

    @property
    def passed(self) -> bool:
        return not self.mismatches and self.error is None


def load_cases(path: str | os.PathLike[str]) -> list[Case]:
    """Read a case file; faults are listed with their place."""
    path = Path(path)
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise SceneError([Fault(str(path), msg("fault-file", why=error.strerror or "?"))]) from None
    except ValueError as error:
        raise SceneError([Fault(str(path), msg("fault-json", why=str(error)))]) from None
    entries = data.get("cases") if isinstance(data, Mapping) else data
    if not isinstance(entries, list):
        raise SceneError([Fault(str(path), msg("cases-list"))])
    faults, cases = [], []
    for i, entry in enumerate(entries):
        wanted = {"id": str, "scene": Mapping, "ask": Mapping, "expect": Mapping}
        if not isinstance(entry, Mapping):
            faults.append(Fault(f"{path.name}[{i}]", msg("fault-object", got=type(entry).__name__)))
            continue
        bad = [key for key, kind in wanted.items() if not isinstance(entry.get(key), kind)]
        faults += [Fault(f"{path.name}[{i}].{key}", msg("fault-missing")) for key in bad]
        if not bad:
            known = {k: entry[k] for k in ("id", "rule", "scene", "ask", "expect", "why") if k in entry}
            cases.append(Case(**{"rule": "", **known}))
    if faults:
        raise SceneError(faults)
    return cases


def run_cases(cases: Iterable[Case]) -> list[Outcome]:
    return [run_case(case) for case in cases]


def run_case(case: Case) -> Outcome:
    try:
        verdict = ask(Scene.parse(case.scene), case.ask)
    except RulesError as error:
        return Outcome(case, None, error=str(error))
    found = verdict.to_json("en")
    tolerance = TOLERANCE.get(verdict.game, {}).get(verdict.unit, 0.0)
    mismatches = tuple(
        (key, expected, found.get(key))
        for key, expected in case.expect.items()
        if expected is not None and not _same(key, expected, found, tolerance)
    )
    return Outcome(case, verdict, mismatches)


def _same(key: str, expected: Any, found: Mapping[str, Any], tolerance: float) -> bool:
    got = found.get(key)
    if key in _SETS:
        return got is not None and {_key(x) for x in expected} == {_key(x) for x in got}
    if key in _EXACT or got is None:
        return bool(expected == got)
    if key == "at":
        return math.dist(expected, got) <= tolerance + 1e-9
    if key == "value":
        unit = found.get("unit")
        allowed = ANGLE_TOLERANCE_DEG if unit == "deg" else 0.0 if unit == "count" else tolerance
        return bool(abs(expected - got) <= allowed + 1e-9)
    return bool(expected == got)


def _key(item: Any) -> Any:
    return tuple(item) if isinstance(item, list) else item


register(
    {
        "cases-list": {
            "en": "expected a list of cases, each with id, scene, ask and expect",
            "es": "se esperaba una lista de casos, cada uno con id, scene, ask y expect",
        },
    }
)
