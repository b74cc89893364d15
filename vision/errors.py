"""What can go wrong between the camera and the scene, as a tree.

VisionError
├── SourceError          the camera, stream or file
│   ├── AddressRefused   an address that Regla does not open
│   ├── SourceMissing    no such file, folder or device
│   └── SourceLost       it was there and gives no more pictures
├── PictureError         the picture itself cannot be used
│   ├── PictureUnreadable
│   ├── PictureTooSmall
│   ├── PictureTooLarge
│   └── PictureDark
├── NotCalibrated        no calibration, and none can be made from the picture
├── WrongCalibration     the calibration is of another camera, lens or place
├── NoTable              nothing in the picture looks like the table
└── CorrectionError      a correction by hand that cannot be made

Each carries a `Message`, so the same fault reads in English and in Spanish.
"""

from __future__ import annotations

from typing import ClassVar

from regla.rules.messages import Message, msg

from . import messages as _texts  # registers the sentences

__all__ = [
    "AddressRefused",
    "CorrectionError",
    "NoTable",
    "NotCalibrated",
    "PictureDark",
    "PictureError",
    "PictureTooLarge",
    "PictureTooSmall",
    "PictureUnreadable",
    "SourceError",
    "SourceLost",
    "SourceMissing",
    "VisionError",
    "WrongCalibration",
]

assert _texts.REGISTERED


class VisionError(ValueError):
    """Anything that a person can put right; `message.text("es")` says it in Spanish."""

    key: ClassVar[str] = "see-failed"

    def __init__(self, **values: object) -> None:
        self.message: Message = msg(self.key, **values)
        super().__init__(self.message.text("en"))

    def text(self, lang: str = "en") -> str:
        return self.message.text(lang)


class SourceError(VisionError):
    key = "see-source"


class AddressRefused(SourceError):
    key = "see-address"


class SourceMissing(SourceError):
    key = "see-missing"


class SourceLost(SourceError):
    key = "see-lost"


class PictureError(VisionError):
    key = "see-picture"


class PictureUnreadable(PictureError):
    key = "see-unreadable"


class PictureTooSmall(PictureError):
    key = "see-too-small"


class PictureTooLarge(PictureError):
    key = "see-too-large"


class PictureDark(PictureError):
    key = "see-dark"


class NotCalibrated(VisionError):
    key = "see-not-calibrated"


class WrongCalibration(VisionError):
    key = "see-wrong-calibration"


class NoTable(VisionError):
    key = "see-no-table"


class CorrectionError(VisionError):
    key = "see-correction"
