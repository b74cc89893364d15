"""What may be believed about a lens that nobody has calibrated.

One view of a flat table says little about focal length and less about distortion. So the lens is a prior: the
middle of what webcams and phones are, with sigmas as wide as they differ. The single view narrows what it can, and
the rest stays in the error band, where a player sees it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from .camera import Camera

TYPICAL_FOCAL: Final = 0.78
"""Focal length over picture width: 65° across, between a narrow webcam (50°) and a phone's main camera (75°)."""
FOCAL_SPREAD: Final = 0.22
PIXEL_SPREAD: Final = 0.002
"""Pixels are square to this."""
CENTRE_SPREAD: Final = 0.012
"""The optical axis meets the sensor's middle to this share of its width."""
K_MEAN: Final = (-0.03, 0.01, 0.0)
K_SPREAD: Final = (0.10, 0.08, 0.03)
P_SPREAD: Final = 0.001
"""Radial and tangential distortion of ordinary, non-fisheye lenses."""


def guess_camera(size_px: tuple[int, int], *, fov_deg: float | None = None) -> Camera:
    """A lens of this picture size with honest sigmas; `fov_deg` is the horizontal field of view where it is known.

    >>> guess_camera((1920, 1080)).matrix[0, 0].round(1)
    np.float64(1497.6)
    """
    width, height = size_px
    long_side = max(width, height)
    if fov_deg is None:
        focal, spread = TYPICAL_FOCAL * long_side, FOCAL_SPREAD
    else:
        focal, spread = width / 2 / np.tan(np.radians(fov_deg) / 2), 0.03
    lens = np.array([focal, focal, (width - 1) / 2, (height - 1) / 2, K_MEAN[0], K_MEAN[1], 0, 0, K_MEAN[2]])
    covariance = np.zeros((9, 9))
    covariance[:2, :2] = (focal * spread) ** 2
    covariance[[0, 1], [0, 1]] += (focal * PIXEL_SPREAD) ** 2
    covariance[[2, 3], [2, 3]] = (long_side * CENTRE_SPREAD) ** 2
    covariance[[4, 5, 8], [4, 5, 8]] = np.square(K_SPREAD)
    covariance[[6, 7], [6, 7]] = P_SPREAD**2
    return Camera.from_lens(size_px, lens, covariance)
