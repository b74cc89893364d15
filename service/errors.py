"""What the service can refuse, said for people.

ServiceError
├── NotFound        no such table, piece, ruling or picture
├── Refused         understood, but not allowed or not possible now
│   └── TooLarge    an upload over the limit
└── BrokenEvidence  a bundle that does not hold together
"""

from __future__ import annotations

from regla.rules import Message, msg

__all__ = ["BrokenEvidence", "NotFound", "Refused", "ServiceError", "TooLarge"]


class ServiceError(Exception):
    status = 400

    def __init__(self, message: Message) -> None:
        self.message = message
        super().__init__(message.text("en"))

    @classmethod
    def of(cls, key: str, **args: object) -> ServiceError:
        return cls(msg(key, **args))

    def text(self, lang: str = "en") -> str:
        return self.message.text(lang)


class NotFound(ServiceError):
    status = 404


class Refused(ServiceError):
    status = 409


class TooLarge(Refused):
    status = 413


class BrokenEvidence(ServiceError):
    status = 422
