"""Pictures that cannot be used are refused with a reason, before they fill the memory."""

from __future__ import annotations

import resource

import cv2
import numpy as np
import pytest
from regla.vision.errors import PictureTooLarge, PictureTooSmall, PictureUnreadable, SourceMissing
from regla.vision.pictures import decode_picture, is_dark, read_picture


def packed(width, height, kind=".png"):
    return cv2.imencode(kind, np.zeros((height, width, 3), np.uint8))[1].tobytes()


@pytest.mark.parametrize(
    "data, error",
    [
        (b"", PictureUnreadable),
        (b"no picture", PictureUnreadable),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 40, PictureUnreadable),
        (packed(1, 1), PictureTooSmall),
        (packed(4000, 20), PictureTooSmall),
    ],
)
def test_refused(data, error):
    with pytest.raises(error) as refused:
        decode_picture(data, "x.png")
    assert "x.png" in refused.value.text("en")
    assert refused.value.text("en") != refused.value.text("es")


def test_two_hundred_megapixels_are_refused_unopened():
    data = packed(20_000, 10_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(PictureTooLarge):
        decode_picture(data)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 50_000  # kilobytes: the pixels alone would be 600,000


def test_a_missing_file(tmp_path):
    with pytest.raises(SourceMissing):
        read_picture(tmp_path / "none.jpg")


def test_dark():
    rng = np.random.default_rng(0)
    assert is_dark(rng.integers(0, 8, (200, 300, 3)).astype(np.uint8))
    night = np.zeros((200, 300, 3), np.uint8)
    night[50:150, 50:250] = 120
    assert not is_dark(night)
