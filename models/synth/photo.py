"""From the rasteriser's picture to a photograph: contact shade, the lens, and what a camera does to an image."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from .gl import Frame, Pinhole

Picture = NDArray[Any]

SHADE_CAP_MM = 16.0


def contact_shade(frame: Frame, pinhole: Pinhole, strength: float = 1.0) -> NDArray[Any]:
    """Darker where a pixel lies lower than what surrounds it: the height picture under its own blur.

    Heights are cut at `SHADE_CAP_MM`, or tall things would throw rings around themselves.
    """
    rows, columns = frame.depth_mm.shape
    x = (np.arange(columns, dtype=np.float32) - pinhole.matrix[0, 2]) / pinhole.matrix[0, 0]
    y = (np.arange(rows, dtype=np.float32) - pinhole.matrix[1, 2]) / pinhole.matrix[1, 1]
    down = pinhole.rotation[:, 2].astype(np.float32)  # how much height each camera axis gains
    height_mm = (
        frame.depth_mm * (down[0] * x[None, :] + down[1] * y[:, None] + down[2]) + pinhole.position_mm[2]
    )
    small = cv2.resize(height_mm.astype(np.float32), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    small = np.clip(small, 0, SHADE_CAP_MM)
    px_per_mm = pinhole.matrix[0, 0] / 2 / max(float(np.median(frame.depth_mm)), 1.0)
    shade = np.ones_like(small)
    for radius_mm, weight in ((3.5, 0.35), (14.0, 0.45)):
        k = int(np.clip(radius_mm * px_per_mm, 1, 60)) * 2 + 1
        around = cv2.blur(cv2.blur(small, (k, k)), (k, k))
        lower = np.clip((around - small) / radius_mm, 0, 1)
        shade *= 1 - lower * weight * strength
    return cv2.resize(shade, frame.depth_mm.shape[::-1], interpolation=cv2.INTER_LINEAR)


def through_lens(picture: Picture, map_x: NDArray[Any], map_y: NDArray[Any], scale: float) -> Picture:
    """The pinhole picture bent by the lens; a finer picture is first blurred to what one pixel gathers."""
    if scale > 1.2:
        picture = cv2.GaussianBlur(picture, (0, 0), 0.36 * scale)
    # remap rounds positions to 1/32 px; in a picture `scale` times as fine that is less still
    return cv2.remap(picture, map_x, map_y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)


def expose(picture: Picture, rng: np.random.Generator, calm: bool = False) -> Picture:
    """White balance, vignette, blur, sharpening, noise: in the order a camera makes them."""
    size = picture.shape[:2]
    level: Picture = picture.astype(np.float32)
    spread = 0.03 if calm else 0.09
    warm = rng.normal(0, spread)
    gains = np.array([1 - warm + rng.normal(0, 0.02), 1.0, 1 + warm], np.float32)
    level *= gains
    if rng.random() < 0.6:
        y, x = np.mgrid[-1 : 1 : size[0] * 1j, -1 : 1 : size[1] * 1j].astype(np.float32)
        level *= (1 - rng.uniform(0.02, 0.12 if calm else 0.25) * (x * x + y * y))[..., None]
    if not calm and rng.random() < 0.3:
        grey = level.mean(axis=2, keepdims=True)
        level = grey + (level - grey) * rng.uniform(0.45, 1.3)
    if not calm and rng.random() < 0.3:
        level = (level - 127) * rng.uniform(0.7, 1.2) + 127 + rng.normal(0, 10)
    kind = rng.random()
    if not calm and kind < 0.1:  # motion
        length, angle = int(rng.integers(3, 8)), rng.uniform(0, np.pi)
        kernel = np.zeros((length, length), np.float32)
        middle = (length - 1) / 2
        reach = np.array([np.cos(angle), np.sin(angle)]) * middle
        cv2.line(
            kernel,
            tuple(np.round(middle - reach).astype(int).tolist()),
            tuple(np.round(middle + reach).astype(int).tolist()),
            1.0,
        )
        level = cv2.filter2D(level, -1, kernel / kernel.sum())
    elif kind < 0.45:
        level = cv2.GaussianBlur(level, (0, 0), rng.uniform(0.4, 0.7 if calm else 1.3))
    if rng.random() < 0.45:
        soft = cv2.GaussianBlur(level, (0, 0), rng.uniform(0.8, 1.6))
        level += (level - soft) * rng.uniform(0.2, 0.5 if calm else 0.9)
    sigma = rng.uniform(0.5, 2.0) if calm else rng.uniform(0.5, 7.0) * rng.uniform(0.3, 1)
    noise: Picture = np.empty(level.shape, np.float32)
    cv2.setRNGSeed(int(rng.integers(2**31 - 1)))
    cv2.randn(noise, np.zeros(3), np.full(3, sigma))
    if rng.random() < 0.5:
        noise = cv2.GaussianBlur(noise, (0, 0), 0.8) * 1.8
    level += noise * (0.6 + 0.4 * (1 - level / 255))
    return np.clip(level + 0.5, 0, 255).astype(np.uint8)


def encode(picture: Picture, rng: np.random.Generator, calm: bool = False) -> bytes:
    quality = int(rng.integers(88, 96)) if calm else int(rng.integers(55, 96))
    done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert done
    return data.tobytes()
