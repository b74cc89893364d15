"""A move step by step: the poses it goes through, what it sweeps, how near it comes (no rules, only ways)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import QuestionError
from ...footprint import Footprint
from .frames import Frame
from .view import View

__all__ = ["Step", "Way", "chord", "read_steps", "travel"]

WHEEL_STEP_DEG = 0.5
"""A wheel is looked at every so often; the outer corner of a 500 mm front then errs by 0.005 mm."""

KINDS = ("forward", "backward", "sideways", "wheel", "pivot")


@dataclass(frozen=True)
class Step:
    """`forward`, `backward`, `sideways` (own right) in mm, `wheel` or `pivot` in degrees (left positive)."""

    kind: str
    amount: float


def chord(width_mm: float, deg: float) -> float:
    """T9A-MOV-6: what a wheel costs, the straight distance of the outer front corner.

    >>> round(chord(125.0, 60.0), 6)
    125.0
    """
    return 2.0 * width_mm * math.sin(math.radians(abs(deg)) / 2.0)


def read_steps(v: View, raw: Any) -> list[Step]:
    """The steps of a question, lengths converted."""

    def wrong(i: int) -> QuestionError:
        return QuestionError.of("t9a-step", f"steps[{i}]", known=", ".join(KINDS))

    if not isinstance(raw, list | tuple):
        raise QuestionError.of("input-kind", "steps", kind="list of steps", got=repr(raw)[:80])
    steps = []
    for i, item in enumerate(raw):
        if not isinstance(item, dict) or len(item) != 1:
            raise wrong(i)
        ((kind, amount),) = item.items()
        number = isinstance(amount, int | float) and not isinstance(amount, bool) and math.isfinite(amount)
        if kind not in KINDS or not number:
            raise wrong(i)
        if kind in ("forward", "backward") and amount < 0:
            raise wrong(i)
        steps.append(Step(kind, float(amount) if kind in ("wheel", "pivot") else v.a.mm(float(amount))))
    return steps


@dataclass(frozen=True)
class Way:
    """A travelled way: where it ends, what it covers on the way, the poses in between and its cost."""

    start: Frame
    end: Frame
    covered: tuple[Footprint, ...]
    poses: tuple[Frame, ...]
    cost: float


def _wheel(frame: Frame, deg: float) -> list[Frame]:
    pivot = frame.corner("front-left" if deg > 0 else "front-right")
    n = max(1, math.ceil(abs(deg) / WHEEL_STEP_DEG))
    return [frame.turned(deg * k / n, pivot) for k in range(1, n + 1)]


def travel(start: Frame, steps: Sequence[Step]) -> Way:
    """Follow the steps. A pivot is lifted and set down: only where it ends is covered (T9A-MOV-8)."""
    at = start
    covered: list[Footprint] = []
    poses = [start]
    cost = 0.0
    for step in steps:
        match step.kind:
            case "wheel":
                turned = _wheel(at, step.amount)
                covered += [p.footprint for p in turned]
                poses += turned
                cost += chord(at.width, step.amount)
                at = turned[-1]
            case "pivot":
                at = at.turned(step.amount)
                covered.append(at.footprint)
                poses.append(at)
            case _:
                x = step.amount if step.kind == "sideways" else 0.0
                y = {"forward": step.amount, "backward": -step.amount}.get(step.kind, 0.0)
                covered.append(at.swept(x, y))
                at = at.moved(x, y)
                poses.append(at)
                cost += abs(step.amount)
    return Way(start, at, tuple(covered), tuple(poses), cost)


def carried(start: Frame, end: Frame, p: tuple[float, float]) -> tuple[float, float]:
    """Where a point fixed to a rectangle goes when the rectangle goes from start to end."""
    return end.world(*start.own(p))
