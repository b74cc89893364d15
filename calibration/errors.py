"""What can go wrong in calibration, as a tree.

CalibrationError
├── PictureError         the picture itself cannot be used
│   ├── PictureTooSmall
│   ├── PictureTooLarge
│   ├── PictureUnreadable
│   ├── PictureBlurred
│   └── PictureMirrored
├── MarkerError          the sheets on the table
│   ├── NoMarkers
│   ├── TooFewMarkers
│   ├── MarkerTwice
│   ├── MarkersSwapped
│   ├── MarkerTurned
│   ├── MarkerMoved
│   └── WrongSize
├── GeometryError        points that cannot be a table
│   ├── Degenerate
│   ├── Mirrored
│   ├── SidesSwapped
│   ├── DoesNotFit
│   └── MatNotFound
├── LensError            the lens pictures
│   ├── TooFewViews
│   ├── BoardNotFound
│   └── LensMismatch
├── LatticeError         hexes
├── BoardError           board templates
├── CheckError           a check that could not be made
└── DocumentError        a calibration document that cannot be read

Every class has its sentence in `messages.py`, in English and in Spanish: what is wrong, then what to do.
"""

from __future__ import annotations

from typing import Any, ClassVar

from .messages import say


class CalibrationError(ValueError):
    """Anything that a person can put right; `text("es")` says it in Spanish."""

    key: ClassVar[str] = "calibration-failed"

    def __init__(self, **values: Any) -> None:
        self.values = values
        super().__init__(say(self.key, "en", **values))

    def text(self, lang: str = "en") -> str:
        return say(self.key, lang, **self.values)

    message = text


class PictureError(CalibrationError):
    key = "picture-unusable"


class PictureTooSmall(PictureError):
    key = "picture-too-small"


class PictureTooLarge(PictureError):
    key = "picture-too-large"


class PictureUnreadable(PictureError):
    key = "picture-unreadable"


class PictureBlurred(PictureError):
    key = "picture-blurred"


class PictureMirrored(PictureError):
    key = "picture-mirrored"


class MarkerError(CalibrationError):
    key = "markers-unusable"


class NoMarkers(MarkerError):
    key = "no-markers"


class TooFewMarkers(MarkerError):
    key = "too-few-markers"


class MarkerTwice(MarkerError):
    key = "marker-twice"


class MarkersSwapped(MarkerError):
    key = "markers-swapped"


class MarkerTurned(MarkerError):
    key = "marker-turned"


class MarkerMoved(MarkerError):
    key = "marker-moved"


class WrongSize(MarkerError):
    key = "wrong-size"


class GeometryError(CalibrationError):
    key = "geometry-unusable"


class Degenerate(GeometryError):
    key = "degenerate"


class Mirrored(GeometryError):
    key = "mirrored"


class SidesSwapped(GeometryError):
    key = "sides-swapped"


class DoesNotFit(GeometryError):
    key = "does-not-fit"


class MatNotFound(GeometryError):
    key = "mat-not-found"


class LensError(CalibrationError):
    key = "lens-unusable"


class TooFewViews(LensError):
    key = "too-few-views"


class BoardNotFound(LensError):
    key = "board-not-found"


class LensMismatch(LensError):
    key = "lens-mismatch"


class LatticeError(CalibrationError):
    key = "lattice-unusable"


class BoardError(CalibrationError):
    key = "board-unusable"


class CheckError(CalibrationError):
    key = "check-unusable"


class DocumentError(CalibrationError):
    key = "document-unusable"
