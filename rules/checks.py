"""Rules that ask for several things at once: each is a `Check`, all of them must hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from .drawing import Drawing
from .messages import Message
from .verdict import Answer, Finding

__all__ = ["Check", "conclude", "set_margin_mm"]


@dataclass(frozen=True)
class Check:
    """One condition: `text` says what was found, `margin_mm` how far it is from flipping.

    `margin_mm` is None for a fact that no measuring error can change (a trait, a side, a count of markers).
    """

    holds: bool
    text: Message
    rules: tuple[str, ...]
    margin_mm: float | None = None
    drawing: Drawing = ()


def conclude(checks: Iterable[Check], finding: Finding) -> Finding:
    """The finding of a rule that wants all checks to hold; `finding` is what to say when they do.

    The first check that fails is the reason. A failed fact settles the answer whatever the measures say; else
    the margin is the least of all margins, which is smooth and negative exactly when a measured check fails.
    """
    checks = list(checks)
    failed = [c for c in checks if not c.holds]
    facts = [c for c in failed if c.margin_mm is None]
    # the text of a fact says what goes against it: one that holds has nothing to tell
    steps = finding.steps + tuple(c.text for c in checks if not c.holds or c.margin_mm is not None)
    margins = [c.margin_mm for c in checks if c.margin_mm is not None]
    drawing = finding.drawing + tuple(s for c in (failed or checks) for s in c.drawing)
    common: dict[str, Any] = {"steps": steps, "drawing": drawing}
    if facts:
        cause = facts[0]
        common |= {"margin_mm": None, "depends": frozenset()}
        return replace(finding, answer=Answer.NO, reason=cause.text, rules=cause.rules, **common)
    common["margin_mm"] = min(margins, default=None)
    if failed:
        cause = min(failed, key=lambda c: c.margin_mm if c.margin_mm is not None else 0.0)
        return replace(finding, answer=Answer.NO, reason=cause.text, rules=cause.rules, **common)
    return replace(finding, answer=Answer.YES, **common)


def set_margin_mm(margins: Iterable[float]) -> float | None:
    """The margin of a set of pieces: how near its nearest member or non-member is to changing sides."""
    sizes = [abs(m) for m in margins]
    return min(sizes, default=None)
