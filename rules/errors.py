"""What can be wrong with a document or a question, said for people.

RulesError
├── SceneError     the scene document has faults: all of them, each with its place
├── QuestionError  the question cannot be asked of this scene: all reasons at once
└── Unknown        the question is good, but the scene does not say enough to answer it
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .messages import Message, msg

__all__ = ["Fault", "QuestionError", "RulesError", "SceneError", "Unknown"]


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, and where: ``pieces[3].base.diameter: expected over 0, got -3``."""

    place: str
    message: Message

    def text(self, lang: str = "en") -> str:
        said = self.message.text(lang)
        return f"{self.place}: {said}" if self.place else said


class RulesError(Exception):
    """Anything that keeps a question from being answered."""


class _Faulty(RulesError):
    headline = "faults"

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(self.text("en"))

    def text(self, lang: str = "en") -> str:
        lines = [fault.text(lang) for fault in self.faults]
        if len(lines) == 1:
            return lines[0]
        head = msg(self.headline, n=len(lines)).text(lang)
        return "\n".join([head, *(f"  {line}" for line in lines)])


class SceneError(_Faulty):
    """A scene document with faults."""

    headline = "scene-faults"


class QuestionError(_Faulty):
    """A question that this scene or game cannot take."""

    headline = "question-faults"

    @classmethod
    def of(cls, key: str, place: str = "", **args: object) -> QuestionError:
        return cls([Fault(place, msg(key, **args))])


class Unknown(RulesError):
    """Raised by a rule that lacks something on the table; becomes the answer ``unknown``."""

    def __init__(self, reason: Message, rules: tuple[str, ...] = ()) -> None:
        self.reason = reason
        self.rules = rules
        super().__init__(reason.text("en"))
