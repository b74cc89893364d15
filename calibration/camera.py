"""The camera: pinhole plus the five-number lens, and where it stands. Pure numpy, exact both ways."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from .errors import LensMismatch

Floats = npt.NDArray[np.floating[Any]]

LENS_NAMES: Final = ("fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3")
"""The order of the lens numbers in `Camera.covariance`, which is OpenCV's own."""

ASPECT_TOLERANCE: Final = 0.01
"""Two sizes are the same shape when their aspect ratios agree to 1 %: crops differ by far more (4:3 to 16:9 is 33 %)."""


def _readonly(value: Any, shape: tuple[int, ...]) -> Floats:
    array = np.array(value, dtype=np.float64).reshape(shape)
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False)
class Camera:
    """A lens: picture size, 3×3 matrix and distortion k1, k2, p1, p2, k3; `covariance` says how well it is known.

    `covariance` is 9×9 in the order of `LENS_NAMES`; None means that the lens is known exactly (rendered pictures).

    >>> camera = Camera((1920, 1080), [[1300, 0, 960], [0, 1300, 540], [0, 0, 1]], [-0.1, 0.02, 0, 0, 0])
    >>> px = np.array([[100.0, 80.0]])
    >>> np.abs(camera.distort(camera.undistort(px)) - px).max() < 1e-8
    np.True_
    """

    size_px: tuple[int, int]
    matrix: Floats
    distortion: Floats = field(default_factory=lambda: np.zeros(5))
    covariance: Floats | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "size_px", (int(self.size_px[0]), int(self.size_px[1])))
        object.__setattr__(self, "matrix", _readonly(self.matrix, (3, 3)))
        distortion = np.asarray(self.distortion, dtype=np.float64).ravel()
        if len(distortion) > 5:
            raise ValueError(
                f"expected at most five distortion numbers (k1, k2, p1, p2, k3), got {len(distortion)}"
            )
        object.__setattr__(self, "distortion", _readonly(np.pad(distortion, (0, 5 - len(distortion))), (5,)))
        if self.covariance is not None:
            object.__setattr__(self, "covariance", _readonly(self.covariance, (9, 9)))

    @property
    def lens(self) -> Floats:
        """The nine lens numbers as one vector, in the order of `LENS_NAMES`."""
        m = self.matrix
        return np.concatenate([[m[0, 0], m[1, 1], m[0, 2], m[1, 2]], self.distortion])

    @classmethod
    def from_lens(cls, size_px: tuple[int, int], lens: Floats, covariance: Floats | None = None) -> Self:
        fx, fy, cx, cy = lens[:4]
        return cls(size_px, np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]]), lens[4:], covariance)

    def resized(self, size_px: tuple[int, int]) -> Camera:
        """The same lens for a picture of another resolution; another shape means a crop and is refused."""
        if size_px == self.size_px:
            return self
        ratio_x, ratio_y = size_px[0] / self.size_px[0], size_px[1] / self.size_px[1]
        if abs(ratio_x / ratio_y - 1) > ASPECT_TOLERANCE:
            raise LensMismatch(lens="{} × {}".format(*self.size_px), picture="{} × {}".format(*size_px))
        scale = np.array([ratio_x, ratio_y, ratio_x, ratio_y, 1, 1, 1, 1, 1])
        lens = self.lens * scale
        # Pixel centres are whole numbers, so scaling acts about (-0.5, -0.5).
        lens[2:4] += 0.5 * (scale[2:4] - 1)
        covariance = None if self.covariance is None else self.covariance * np.outer(scale, scale)
        return Camera.from_lens(size_px, lens, covariance)

    @cached_property
    def reach(self) -> float:
        """The radius (on the plane at distance one) up to which the lens formula is one-to-one."""
        k1, k2, _, _, k3 = self.distortion
        roots = np.roots([7 * k3, 5 * k2, 3 * k1, 1.0])
        positive = roots[(np.abs(roots.imag) < 1e-9) & (roots.real > 0)].real
        return float(np.sqrt(positive.min())) if len(positive) else np.inf

    def _bend(self, plane: Floats) -> Floats:
        """Lens distortion of points on the plane at distance one."""
        k1, k2, p1, p2, k3 = self.distortion
        x, y = plane[:, 0], plane[:, 1]
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        bent = np.empty((len(plane), 2))
        bent[:, 0] = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
        bent[:, 1] = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
        return bent

    def _bend_slope(self, plane: Floats) -> tuple[Floats, Floats, Floats]:
        """The derivative of `_bend`: of x by x, of either by the other, of y by y."""
        k1, k2, p1, p2, k3 = self.distortion
        x, y = plane[:, 0], plane[:, 1]
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        slope = 2 * (k1 + r2 * (2 * k2 + r2 * 3 * k3))  # d radial / d r2, times two
        return (
            radial + x * x * slope + 2 * p1 * y + 6 * p2 * x,
            x * y * slope + 2 * p1 * x + 2 * p2 * y,
            radial + y * y * slope + 6 * p1 * y + 2 * p2 * x,
        )

    def distort(self, plane: npt.ArrayLike) -> Floats:
        """Points on the plane at distance one ▸ pixels; beyond the lens's reach the answer is nan."""
        plane = np.asarray(plane, dtype=np.float64).reshape(-1, 2)
        pixels = self._bend(plane) * self.matrix[[0, 1], [0, 1]] + self.matrix[:2, 2]
        pixels[np.hypot(plane[:, 0], plane[:, 1]) > self.reach] = np.nan
        return pixels

    def undistort(self, pixels: npt.ArrayLike) -> Floats:
        """Pixels ▸ points on the plane at distance one, by Newton's method; nan where the lens cannot see."""
        pixels = np.asarray(pixels, dtype=np.float64).reshape(-1, 2)
        target = (pixels - self.matrix[:2, 2]) / self.matrix[[0, 1], [0, 1]]
        plane = target.copy()
        if not np.any(self.distortion):
            return plane
        with np.errstate(all="ignore"):
            for _ in range(20):
                miss = self._bend(plane) - target
                xx, xy, yy = self._bend_slope(plane)
                det = xx * yy - xy * xy
                step = np.empty_like(plane)
                step[:, 0] = (yy * miss[:, 0] - xy * miss[:, 1]) / det
                step[:, 1] = (xx * miss[:, 1] - xy * miss[:, 0]) / det
                plane = plane - step
                if not np.nanmax(np.abs(step), initial=0.0) > 1e-13:
                    break
            bent = self._bend(plane)
            lost = ~(np.abs(bent - target).max(axis=1) < 1e-7) | (
                np.hypot(plane[:, 0], plane[:, 1]) > self.reach
            )
        plane[lost] = np.nan
        return plane

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "size": list(self.size_px),
            "matrix": self.matrix.tolist(),
            "distortion": self.distortion.tolist(),
        }
        if self.covariance is not None:
            data["covariance"] = self.covariance.tolist()
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        width, height = data["size"]
        covariance = data.get("covariance")
        return cls(
            (width, height),
            np.asarray(data["matrix"]),
            np.asarray(data["distortion"]),
            None if covariance is None else np.asarray(covariance),
        )


@dataclass(frozen=True, eq=False)
class Pose:
    """Where the camera stands: OpenCV's rvec and tvec, taking table millimetres to camera millimetres."""

    rvec: Floats
    tvec: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "rvec", _readonly(self.rvec, (3,)))
        object.__setattr__(self, "tvec", _readonly(self.tvec, (3,)))

    @cached_property
    def rotation(self) -> Floats:
        """The 3×3 rotation (Rodrigues' formula)."""
        angle = float(np.linalg.norm(self.rvec))
        x, y, z = self.rvec / angle if angle > 1e-12 else self.rvec
        cross: Floats = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=np.float64)
        if angle <= 1e-12:
            return np.asarray(np.eye(3) + cross)
        return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)

    @cached_property
    def centre_mm(self) -> Floats:
        """Where the camera is, in table millimetres."""
        return -self.rotation.T @ self.tvec

    @property
    def tilt_deg(self) -> float:
        """How far the camera looks away from straight down."""
        return float(np.degrees(np.arccos(np.clip(-self.rotation[2, 2], -1, 1))))

    def to_json(self) -> dict[str, Any]:
        return {"rvec": self.rvec.tolist(), "tvec": self.tvec.tolist()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        return cls(np.asarray(data["rvec"]), np.asarray(data["tvec"]))
