"""The answer to a question: yes, no, too close to call or unknown, and everything that backs it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal

from .drawing import Drawing, to_json
from .messages import Length, Message, msg, number, register
from .units import Unit, from_mm, mm_per

__all__ = ["BAND95", "Answer", "Finding", "Kind", "Verdict"]

BAND95 = 1.959964
"""Standard deviations on each side of a 95 % band."""

Kind = Literal["length", "angle", "count", "share"]
"""What a value measures: a length (mm inside, the scene's unit outside), degrees, a count, a share of one."""


class Answer(StrEnum):
    YES = "yes"
    NO = "no"
    TOO_CLOSE = "too-close"
    UNKNOWN = "unknown"

    @classmethod
    def of(cls, holds: bool) -> Answer:
        return cls.YES if holds else cls.NO


@dataclass(frozen=True)
class Finding:
    """What a rule found on one exact scene; lengths in millimetres. Uncertainty is added by `ask`.

    `margin_mm` is signed: how far the deciding quantity is from flipping the answer, positive where the
    answer is yes (for bands and arcs: the distance to the nearest border, positive). It must change smoothly
    as pieces move a little, also beyond the border, since the error bar is found by moving them.
    `depends` names the pieces whose places can change the result (None: all of them).
    """

    reason: Message
    rules: tuple[str, ...]
    answer: Answer | None = None
    value: float | None = None
    kind: Kind = "length"
    limit: float | None = None
    band: str | int | None = None
    arc: str | None = None
    ids: tuple[str, ...] | None = None
    blockers: tuple[str, ...] | None = None
    hexes: tuple[tuple[int, int], ...] | None = None
    at: tuple[float, float] | None = None
    margin_mm: float | None = None
    sigma_mm: float | None = None
    drawing: Drawing = ()
    steps: tuple[Message, ...] = ()
    notes: tuple[Message, ...] = ()
    remedy: Message | None = None
    depends: frozenset[str] | None = None

    def said(self) -> tuple[object, ...]:
        """All that a reader would call the result, apart from lengths: to see whether it flips."""
        return (
            self.answer,
            self.band,
            self.arc,
            _as_set(self.ids),
            _as_set(self.blockers),
            _as_set(self.hexes),
            self.value if self.kind == "count" else None,
        )


def _as_set(items: Iterable[Any] | None) -> frozenset[Any] | None:
    return None if items is None else frozenset(items)


@dataclass(frozen=True)
class Verdict:
    """What `ask` gives back. `margin` and `sigma` are millimetres, `value` is in `unit`.

    >>> from regla.rules import Scene, ask
    >>> scene = Scene.parse({"game": "mage-knight", "unit": "in", "table": {"width": 40, "depth": 40}, "pieces": [
    ...     {"id": "a", "at": [10, 10], "base": {"shape": "circle", "diameter": 1.5}},
    ...     {"id": "b", "at": [13, 14], "base": {"shape": "circle", "diameter": 1.5}}]})
    >>> verdict = ask(scene, {"query": "range", "from": "a", "to": "b", "range": 5})
    >>> verdict.answer.value, verdict.value, verdict.unit, verdict.band
    ('yes', 5.0, 'in', 'in-range')
    """

    game: str
    query: str
    answer: Answer | None
    unit: Unit
    reason: Message
    rules: tuple[str, ...]
    value: float | None = None
    value_unit: str | None = None
    value_sigma: float | None = None
    limit: float | None = None
    band: str | int | None = None
    arc: str | None = None
    ids: tuple[str, ...] | None = None
    blockers: tuple[str, ...] | None = None
    hexes: tuple[tuple[int, int], ...] | None = None
    at: tuple[float, float] | None = None
    margin: float | None = None
    sigma: float | None = None
    drawing: Drawing = ()
    steps: tuple[Message, ...] = ()
    notes: tuple[Message, ...] = ()
    remedy: Message | None = None
    who: tuple[str, ...] = ()
    lang: str = "en"
    extra: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def because(self) -> str:
        return self.text(self.lang)

    def text(self, lang: str) -> str:
        """Why, in one sentence of that language."""
        return self.reason.text(lang, self.unit)

    def spoken(self, lang: str) -> Verdict:
        return replace(self, lang=lang)

    def headline(self, lang: str | None = None) -> str:
        """The first line of the answer card: the answer, then the margin in words."""
        lang = lang or self.lang
        word = msg(f"answer-{self.answer.value if self.answer else 'none'}").text(lang)
        if self.margin is None or self.answer is None or self.answer is Answer.UNKNOWN:
            return word
        size = Length(abs(self.margin))
        if self.answer is Answer.TOO_CLOSE:
            band = Length(BAND95 * (self.sigma or 0.0))
            return msg("headline-too-close", word=word, d=size, band=band).text(lang, self.unit)
        key = "headline-yes" if self.answer is Answer.YES else "headline-no"
        return msg(key, word=word, d=size).text(lang, self.unit)

    def measured(self, lang: str | None = None) -> str | None:
        """The second line: value, 95 % band and limit; no more digits than the band deserves."""
        if self.value is None:
            return None
        lang = lang or self.lang
        unit = {"deg": "°", "count": "", "share": ""}.get(self.value_unit or "", f" {self.value_unit}")
        decimals = 0 if self.value_unit == "count" else 1 if self.value_unit in ("deg", "mm") else 2
        text = f"{number(self.value, decimals, lang)}{unit}"
        if self.value_sigma:
            text = f"{number(self.value, decimals, lang)} ± {number(BAND95 * self.value_sigma, decimals, lang)}{unit}"
        if self.limit is not None:
            text = msg("measured-limit", text=text, limit=f"{number(self.limit, decimals, lang)}{unit}").text(
                lang
            )
        return text

    def to_json(self, lang: str | None = None) -> dict[str, Any]:
        """Plain data as SCENE.md lists it, in the asked language."""
        lang = lang or self.lang
        k = mm_per(self.unit)
        return {
            "game": self.game,
            "query": self.query,
            "answer": None if self.answer is None else self.answer.value,
            "value": self.value,
            "unit": self.value_unit if self.value is not None else self.unit,
            "value_sigma": self.value_sigma,
            "limit": self.limit,
            "band": self.band,
            "arc": self.arc,
            "ids": None if self.ids is None else list(self.ids),
            "blockers": None if self.blockers is None else list(self.blockers),
            "hexes": None if self.hexes is None else [list(h) for h in self.hexes],
            "at": None if self.at is None else list(self.at),
            "margin": self.margin,
            "sigma": self.sigma,
            "rules": list(self.rules),
            "headline": self.headline(lang),
            "measured": self.measured(lang),
            "because": self.text(lang),
            "steps": [step.text(lang, self.unit) for step in self.steps],
            "notes": [note.text(lang, self.unit) for note in self.notes],
            "remedy": None if self.remedy is None else self.remedy.text(lang, self.unit),
            "who": list(self.who),
            "lang": lang,
            "drawing": to_json(self.drawing, k, lang, self.unit),
        }


_DIGITS = 9
"""Far below any tolerance: 5 in that came out as 4.999999999999999 is written 5."""


def value_out(value: float | None, kind: Kind, unit: Unit) -> tuple[float | None, str | None]:
    """A finding's value and its unit as a verdict shows them."""
    if value is None:
        return None, None
    if kind == "length":
        return round(from_mm(value, unit), _DIGITS), unit
    return round(value, _DIGITS), {"angle": "deg", "count": "count", "share": "share"}[kind]


register(
    {
        "answer-yes": {"en": "YES", "es": "SÍ"},
        "answer-no": {"en": "NO", "es": "NO"},
        "answer-too-close": {"en": "TOO CLOSE", "es": "DEMASIADO JUSTO"},
        "answer-unknown": {"en": "UNKNOWN", "es": "NO SE SABE"},
        "answer-none": {"en": "MEASURED", "es": "MEDIDO"},
        "headline-yes": {"en": "{word} — by {d}", "es": "{word} — por {d}"},
        "headline-no": {"en": "{word} — by {d}", "es": "{word} — por {d}"},
        "headline-too-close": {"en": "{word} — {d} ± {band} from the line", "es": "{word} — a {d} ± {band} de la línea"},
        "measured-limit": {"en": "{text}, limit {limit}", "es": "{text}, límite {limit}"},
    }
)  # fmt: skip
