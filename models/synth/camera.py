"""The camera over the table: where it hangs, its lens, and the bending of a pinhole picture through that lens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from .gl import Pinhole

Array = NDArray[Any]

# The lens map is worked out on this grid and interpolated: its curvature leaves under 0.01 px between the knots.
MAP_STEP_PX = 8
UNBEND_ROUNDS = 40  # the fixed point gains a decimal in two to three rounds at the strongest lens drawn here


@dataclass(frozen=True)
class Shot:
    """A full camera: size, matrix, distortion [k1, k2, p1, p2, k3] and the OpenCV pose of the table before it."""

    size_px: tuple[int, int]
    matrix: Array
    distortion: Array
    rvec: Array
    tvec: Array

    def project(self, xyz_mm: ArrayLike) -> Array:
        """Table millimetres (N, 3) to pixels (N, 2), through the lens."""
        points = np.asarray(xyz_mm, float).reshape(-1, 1, 3)
        pixels, _ = cv2.projectPoints(points, self.rvec, self.tvec, self.matrix, self.distortion)
        return pixels.reshape(-1, 2)

    def rotation(self) -> Array:
        return cv2.Rodrigues(self.rvec)[0]

    def position_mm(self) -> Array:
        return -self.rotation().T @ self.tvec

    def rays(self, pixels: Array) -> Array:
        """Pixels (..., 2) back through the lens, to the plane one unit before the camera.

        OpenCV's own stops after five rounds, which leaves tenths of a pixel in the corners of a strong lens.
        """
        k1, k2, p1, p2, k3 = self.distortion
        bent = (pixels - self.matrix[:2, 2]) / np.diag(self.matrix)[:2]
        straight = bent.copy()
        for _ in range(UNBEND_ROUNDS):
            x, y = straight[..., 0], straight[..., 1]
            r2 = x * x + y * y
            radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
            sideways = np.stack(
                [2 * p1 * x * y + p2 * (r2 + 2 * x * x), p1 * (r2 + 2 * y * y) + 2 * p2 * x * y], axis=-1
            )
            straight = (bent - sideways) / radial[..., None]
        return straight

    def pinhole(self, scale: float = 1.0) -> tuple[Pinhole, NDArray[Any], NDArray[Any]]:
        """A pinhole that sees all the lens sees, `scale` times as fine, and the map from its picture to the lens's."""
        width_px, height_px = self.size_px
        # Knots where cv2.resize expects them when it enlarges MAP_STEP_PX times, one more on each side.
        step = MAP_STEP_PX
        x = (np.arange(-1, -(-width_px // step) + 1) + 0.5) * step - 0.5
        y = (np.arange(-1, -(-height_px // step) + 1) + 0.5) * step - 0.5
        rays = self.rays(np.stack(np.meshgrid(x, y), axis=-1))
        fx, fy = self.matrix[0, 0] * scale, self.matrix[1, 1] * scale
        border = np.array(
            [(i, j) for i in np.linspace(0, width_px - 1, 33) for j in (0, height_px - 1)]
            + [(i, j) for i in (0, width_px - 1) for j in np.linspace(0, height_px - 1, 33)]
        )
        edge = self.rays(border)
        low, high = edge.min(axis=0), edge.max(axis=0)
        margin_px = 4
        cx, cy = margin_px - low[0] * fx, margin_px - low[1] * fy
        size = (
            int(np.ceil(high[0] * fx + cx)) + margin_px + 1,
            int(np.ceil(high[1] * fy + cy)) + margin_px + 1,
        )
        size = ((size[0] + 15) // 16 * 16, (size[1] + 15) // 16 * 16)
        pinhole = Pinhole(size, np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]]), self.rotation(), self.tvec)
        knots = np.stack([rays[..., 0] * fx + cx, rays[..., 1] * fy + cy], axis=-1)
        size_up = (len(x) * step, len(y) * step)
        maps = [
            np.ascontiguousarray(
                cv2.resize(
                    np.ascontiguousarray(knots[..., k], dtype=np.float32),
                    size_up,
                    interpolation=cv2.INTER_LINEAR,
                )[step : step + height_px, step : step + width_px]
            )
            for k in range(2)
        ]
        return pinhole, maps[0], maps[1]


def look_down(
    target_mm: Array, distance_mm: float, tilt_deg: float, tilt_towards_deg: float, roll_deg: float
) -> tuple[Array, Array]:
    """The pose of a camera that hangs above `target_mm`; without tilt and roll, up in the picture is away from the reader."""
    tilt, towards, roll = np.radians([tilt_deg, tilt_towards_deg, roll_deg])
    forward = np.array([np.sin(tilt) * np.cos(towards), np.sin(tilt) * np.sin(towards), -np.cos(tilt)])
    right = np.array([np.cos(roll), np.sin(roll), 0.0])
    right -= forward * (right @ forward)
    right /= np.linalg.norm(right)
    rotation = np.stack([right, np.cross(forward, right), forward])
    position = np.array([*target_mm, 0.0]) - forward * distance_mm
    return cv2.Rodrigues(rotation)[0].ravel(), -rotation @ position


def random_lens(
    rng: np.random.Generator, size_px: tuple[int, int], calm: bool = False
) -> tuple[Array, Array]:
    """A plausible webcam or phone: its matrix and distortion."""
    width_px, height_px = size_px
    field_deg = rng.uniform(52, 76)
    f = width_px / 2 / np.tan(np.radians(field_deg) / 2)
    centre = np.array([(width_px - 1) / 2, (height_px - 1) / 2]) + rng.normal(0, 0.006, 2) * width_px
    k1 = rng.uniform(-0.14, 0.02) if calm else rng.uniform(-0.24, 0.06)
    k2 = -0.3 * k1 * rng.uniform(0, 1.2)
    p1, p2 = rng.normal(0, 0.0006, 2)
    matrix = np.array([[f, 0, centre[0]], [0, f * rng.normal(1, 0.002), centre[1]], [0, 0, 1]])
    corner = float(np.hypot(*(np.array(size_px) * 0.53 / f)))
    while not _unfolded(k1, k2, corner):
        k1, k2 = k1 * 0.8, k2 * 0.8
    return matrix, np.array([k1, k2, p1, p2, 0.0])


def _unfolded(k1: float, k2: float, bent: float) -> bool:
    """Whether the lens moves outwards all the way to the distorted radius `bent`, as real ones do."""
    r = np.linspace(0, 3 * bent, 300)
    slope = 1 + 3 * k1 * r**2 + 5 * k2 * r**4
    steep = int(np.argmax(slope < 0.4)) if np.any(slope < 0.4) else len(r)
    reached = r * (1 + k1 * r**2 + k2 * r**4)
    return bool(reached[:steep].max() >= bent)


def frame_region(
    rng: np.random.Generator,
    size_px: tuple[int, int],
    region_mm: tuple[float, float, float, float],
    *,
    margin: float = 0.04,
    max_tilt_deg: float = 20.0,
    turned: bool = True,
    calm: bool = False,
) -> Shot:
    """A camera hung so that the region (x0, y0, x1, y1) just fits into the picture."""
    matrix, distortion = random_lens(rng, size_px, calm)
    x0, y0, x1, y1 = region_mm
    target = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
    wide = (x1 - x0) >= (y1 - y0)
    roll = 0.0 if wide else 90.0
    if turned:
        roll += (
            float(rng.choice([0, 0, 180]))
            + rng.normal(0, 4)
            + (rng.uniform(-40, 40) if rng.random() < 0.12 else 0)
        )
    else:
        roll += rng.normal(0, 0.6)
    tilt = float(rng.uniform(0, max_tilt_deg) * rng.uniform(0.2, 1))
    towards = float(rng.choice([90, 270]) + rng.normal(0, 25))
    corners = np.array([[x0, y0, 0], [x1, y0, 0], [x1, y1, 0], [x0, y1, 0]], float)
    low, high = 150.0, 8000.0
    shot = None
    for _ in range(18):
        distance = (low + high) / 2
        rvec, tvec = look_down(target, distance, tilt, towards, roll)
        shot = Shot(size_px, matrix, distortion, rvec, tvec)
        seen = shot.project(corners) / np.array(size_px)
        depth = (corners @ shot.rotation().T + tvec)[:, 2]
        fits = (
            depth.min() > 50 and seen.min() > margin and seen.max() < 1 - margin and _in_lens(shot, corners)
        )
        low, high = (low, distance) if fits else (distance, high)
    rvec, tvec = look_down(target, high, tilt, towards, roll)
    return Shot(size_px, matrix, distortion, rvec, tvec)


def _in_lens(shot: Shot, points: Array) -> bool:
    """Whether the points lie where the lens model still grows outwards; beyond, it folds back on itself."""
    seen = points @ shot.rotation().T + shot.tvec
    r2 = (seen[:, :2] ** 2).sum(axis=1) / seen[:, 2] ** 2
    k1, k2 = shot.distortion[:2]
    return bool(np.all(1 + 3 * k1 * r2 + 5 * k2 * r2**2 > 0.15))
