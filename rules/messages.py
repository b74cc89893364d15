"""What Regla says, in English and Spanish.

A rule never builds a sentence: it names one (`msg("range-is", who=…)`), and the catalogue holds it in
every language. Lengths and angles stay numbers until somebody reads them, so one verdict can be read in
either language and in either unit.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .units import from_mm

__all__ = [
    "CATALOGUE",
    "LANGUAGES",
    "Angle",
    "Length",
    "Message",
    "Text",
    "fields_of",
    "msg",
    "number",
    "register",
]

LANGUAGES = ("en", "es")

Text = Mapping[str, str]
"""One sentence in every language: ``{"en": …, "es": …}``."""

CATALOGUE: dict[str, Text] = {}

_DECIMALS = {"in": 2, "mm": 1}


def register(texts: Mapping[str, Text]) -> None:
    """Add sentences to the catalogue; each must be there in every language, with the same fields."""
    for key, text in texts.items():
        if key in CATALOGUE:
            raise ValueError(f"message {key!r} is in the catalogue already")
        missing = [lang for lang in LANGUAGES if not text.get(lang)]
        if missing:
            raise ValueError(f"message {key!r} lacks {', '.join(missing)}")
        if len({frozenset(fields_of(text[lang])) for lang in LANGUAGES}) != 1:
            raise ValueError(f"message {key!r} has other fields in each language")
        CATALOGUE[key] = MappingProxyType(dict(text))


def fields_of(template: str) -> set[str]:
    """The names in braces.

    >>> sorted(fields_of("{who} is {d} away"))
    ['d', 'who']
    """
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def number(value: float, decimals: int, lang: str = "en") -> str:
    """A number as a reader of that language writes it, without a trailing zero.

    >>> number(30.0, 2), number(30.06, 2, "es"), number(-0.001, 2)
    ('30', '30,06', '0')
    """
    text = f"{value:.{decimals}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if text == "-0":
        text = "0"
    return text.replace(".", ",") if lang == "es" else text


@dataclass(frozen=True)
class Length:
    """A length that is written in the reader's unit when it is read."""

    mm: float

    def text(self, lang: str, unit: str) -> str:
        return f"{number(from_mm(self.mm, unit), _DECIMALS.get(unit, 1), lang)} {unit}"


@dataclass(frozen=True)
class Angle:
    deg: float

    def text(self, lang: str, unit: str) -> str:
        return f"{number(self.deg, 1, lang)}°"


@dataclass(frozen=True)
class Message:
    """A sentence of the catalogue with what fills its gaps."""

    key: str
    args: tuple[tuple[str, object], ...] = ()

    def text(self, lang: str = "en", unit: str = "mm") -> str:
        template = CATALOGUE[self.key][lang]
        return template.format(**{name: _write(value, lang, unit) for name, value in self.args})


def msg(key: str, **args: object) -> Message:
    """
    >>> register({"doctest-far": {"en": "{who} is {d} away", "es": "{who} está a {d}"}})
    >>> said = msg("doctest-far", who="Giant", d=Length(254))
    >>> said.text("en", "in"), said.text("es", "mm")
    ('Giant is 10 in away', 'Giant está a 254 mm')
    """
    return Message(key, tuple((name, _freeze(value)) for name, value in args.items()))


def _freeze(value: object) -> object:
    if isinstance(value, list | set | frozenset):
        return tuple(sorted(value) if not isinstance(value, list) else value)
    return value


def _write(value: object, lang: str, unit: str) -> str:
    if isinstance(value, Length | Angle):
        return value.text(lang, unit)
    if isinstance(value, Message):
        return value.text(lang, unit)
    if isinstance(value, float):
        return number(value, 2, lang)
    if isinstance(value, Mapping):
        return str(value.get(lang, value))
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(_write(item, lang, unit) for item in value)
    return str(value)


register(
    {
        "scene-faults": {
            "en": "The scene document has {n} faults:",
            "es": "El documento de escena tiene {n} fallos:",
        },
        "question-faults": {
            "en": "The question cannot be asked ({n} reasons):",
            "es": "No se puede hacer la pregunta ({n} motivos):",
        },
        "plain": {"en": "{text}", "es": "{text}"},
    }
)
