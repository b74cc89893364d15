"""Reading one picture from a file or from bytes, with its size known before it is unpacked."""

from __future__ import annotations

import io
import os
import warnings
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image as Header
from PIL import UnidentifiedImageError

from .errors import PictureDark, PictureTooLarge, PictureTooSmall, PictureUnreadable, SourceMissing

__all__ = [
    "LEAST_PX",
    "MOST_MEGAPIXELS",
    "check_light",
    "check_size",
    "decode_picture",
    "is_dark",
    "read_picture",
]

Image = npt.NDArray[np.uint8]

LEAST_PX: Final = 64
"""The same as calibration's: a smaller picture cannot show a sheet."""
MOST_MEGAPIXELS: Final = 64.0
"""The largest phone sensors give 50; a decoded picture of this size is 190 MB."""
MOST_BYTES: Final = 256_000_000
"""No file of a picture that may be opened is larger, packed or not."""
DARK_LEVEL: Final = 14.0
"""Mean brightness (of 255) of the brightest tenth under which nothing can be measured: the noise is as strong."""
PICTURES: Final = (".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff")


def check_size(width: int, height: int, name: str) -> None:
    """Refuse a picture that is too small to measure in or too large to hold."""
    if min(width, height) < LEAST_PX:
        raise PictureTooSmall(name=name, width=width, height=height, least=LEAST_PX)
    if width * height > MOST_MEGAPIXELS * 1e6:
        raise PictureTooLarge(name=name, megapixels=round(width * height / 1e6), most=round(MOST_MEGAPIXELS))


def is_dark(image: npt.NDArray[Any]) -> bool:
    """Whether even the brightest tenth of the picture is black."""
    small = image[:: max(1, image.shape[0] // 120), :: max(1, image.shape[1] // 160)]
    level = small if small.ndim == 2 else small.max(axis=2)
    return float(np.percentile(level, 90)) < DARK_LEVEL


def check_light(image: npt.NDArray[Any]) -> None:
    if is_dark(image):
        raise PictureDark()


def decode_picture(data: bytes, name: str = "picture") -> Image:
    """Unpack a picture (BGR, turned upright as its camera says); every fault is a `PictureError`."""
    if len(data) > MOST_BYTES:
        raise PictureTooLarge(name=name, megapixels="?", most=round(MOST_MEGAPIXELS))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of large pictures; the check below refuses them
            with Header.open(io.BytesIO(data)) as header:
                width, height = header.size
    except Header.DecompressionBombError:
        raise PictureTooLarge(name=name, megapixels=">178", most=round(MOST_MEGAPIXELS)) from None
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError):
        raise PictureUnreadable(name=name) from None
    check_size(width, height, name)
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        image = None
    if image is None:
        raise PictureUnreadable(name=name)
    return np.asarray(image, dtype=np.uint8)


def read_picture(path: str | os.PathLike[str]) -> Image:
    """Read a picture from a file."""
    path = Path(path)
    try:
        if path.stat().st_size > MOST_BYTES:
            raise PictureTooLarge(name=path.name, megapixels="?", most=round(MOST_MEGAPIXELS))
        data = path.read_bytes()
    except OSError:
        raise SourceMissing(name=str(path)) from None
    return decode_picture(data, path.name)
