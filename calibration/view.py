"""`TableView`: pixel and height above the table to millimetres with a covariance, and back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from .camera import Camera, Floats, Pose

Region = tuple[float, float, float, float]
"""A rectangle on the table: x0, y0, x1, y1 in mm."""

DEFAULT_NOISE_PX: Final = 0.25
"""How well one ordinary edge point is seen when nobody has measured it: a quarter of a pixel."""

MAPS_KEPT: Final = 8
"""Rectifying maps kept per view; a live table uses one or two (table level, base tops)."""


def projection_jacobian(camera: Camera, pose: Pose, xyz_mm: Floats) -> tuple[Floats, Floats, Floats]:
    """Pixels (N,2) with their derivative by lens and pose (N,2,15) and by the point (N,2,3).

    The 15 columns are the nine lens numbers, then rvec, then tvec.
    """
    pixels, raw = cv2.projectPoints(
        np.ascontiguousarray(xyz_mm, dtype=np.float64).reshape(-1, 1, 3),
        pose.rvec,
        pose.tvec,
        camera.matrix,
        camera.distortion,
    )
    jacobian = np.asarray(raw, dtype=np.float64)[:, :15].reshape(-1, 2, 15)
    theta = np.concatenate([jacobian[:, :, 6:15], jacobian[:, :, :6]], axis=2)
    # A point moves the picture as the camera's shift does, seen in the camera's axes.
    return np.asarray(pixels, dtype=np.float64).reshape(-1, 2), theta, jacobian[:, :, 3:6] @ pose.rotation


@dataclass(frozen=True, eq=False)
class TableView:
    """A camera over a table.

    `covariance` is 15×15 over the nine lens numbers, rvec and tvec (None: exact). `noise_px` is how well one
    point is seen in this picture; `to_table` adds it unless told another number.

    >>> view = TableView(Camera((1920, 1080), [[1300, 0, 960], [0, 1300, 540], [0, 0, 1]]),
    ...                  Pose([np.pi, 0, 0], [-900, 600, 1500]))
    >>> px = view.to_pixel([[900, 600, 5]])
    >>> px.round(3).tolist()
    [[960.0, 540.0]]
    >>> xy_mm, cov_mm2 = view.to_table(px, height_mm=5)
    >>> xy_mm.round(6).tolist(), cov_mm2.shape
    ([[900.0, 600.0]], (1, 2, 2))
    """

    camera: Camera
    pose: Pose
    covariance: Floats | None = None
    noise_px: float = DEFAULT_NOISE_PX
    _maps: dict[Any, tuple[Any, Any]] = field(default_factory=dict, repr=False)

    def to_pixel(self, xyz_mm: npt.ArrayLike) -> Floats:
        """Table millimetres (N,3), or (N,2) on the table, to pixels (N,2); nan behind the camera or out of its reach."""
        points = np.asarray(xyz_mm, dtype=np.float64)
        points = points.reshape(-1, points.shape[-1] if points.ndim else 3)
        if points.shape[1] == 2:
            points = np.column_stack([points, np.zeros(len(points))])
        seen = points @ self.pose.rotation.T + self.pose.tvec
        with np.errstate(all="ignore"):
            plane = seen[:, :2] / seen[:, 2:]
        plane[seen[:, 2] <= 0] = np.nan
        return self.camera.distort(plane)

    def _hit(self, px: npt.ArrayLike, height_mm: npt.ArrayLike) -> Floats:
        """Where the rays of pixels meet the plane at a height: (N,3); nan where they do not."""
        plane = self.camera.undistort(px)
        rays = np.column_stack([plane, np.ones(len(plane))]) @ self.pose.rotation
        height = np.broadcast_to(np.asarray(height_mm, dtype=np.float64), (len(plane),))
        centre = self.pose.centre_mm
        with np.errstate(all="ignore"):
            reach = (height - centre[2]) / rays[:, 2]
        reach[~(reach > 0)] = np.nan
        points: Floats = np.asarray(centre + rays * reach[:, None])
        points[:, 2] = height
        return points

    def places_mm(self, px: npt.ArrayLike, height_mm: npt.ArrayLike = 0.0) -> Floats:
        """The places (N,2) of `to_table` alone: most of its time goes into the covariance."""
        return self._hit(px, height_mm)[:, :2]

    def to_table(
        self,
        px: npt.ArrayLike,
        height_mm: npt.ArrayLike = 0.0,
        *,
        sigma_px: npt.ArrayLike | None = None,
        height_sigma_mm: npt.ArrayLike = 0.0,
    ) -> tuple[Floats, Floats]:
        """Pixels (N,2) at a height above the table to (N,2) mm and (N,2,2) mm².

        The covariance is that of lens and pose together with the noise of the points themselves: `sigma_px` of
        each (one number or N; None takes `noise_px`; 0 for a place averaged from many points) and of its height.
        """
        points = self._hit(px, height_mm)
        sigma = np.asarray(self.noise_px if sigma_px is None else sigma_px, dtype=np.float64)
        covariance = np.full((len(points), 2, 2), np.nan)
        good = np.isfinite(points[:, 0])
        if good.any():
            theta, point = self._influence(points[good])
            sigma = np.broadcast_to(sigma, (len(points),))[good]
            tall = np.broadcast_to(np.asarray(height_sigma_mm, dtype=np.float64), (len(points),))[good]
            inverse = np.linalg.inv(point[:, :, :2])
            part = inverse @ inverse.transpose(0, 2, 1) * (sigma**2)[:, None, None]
            lean = -(inverse @ point[:, :, 2:])[:, :, 0] * tall[:, None]
            part += lean[:, :, None] * lean[:, None, :]
            if self.covariance is not None:
                part += theta @ self.covariance @ theta.transpose(0, 2, 1)
            covariance[good] = part
        return points[:, :2], covariance

    def _influence(self, points: Floats) -> tuple[Floats, Floats]:
        """How lens and pose move the table point that a fixed pixel means: (N,2,15); and d pixel / d point."""
        _, theta, point = projection_jacobian(self.camera, self.pose, points)
        return -np.linalg.solve(point[:, :, :2], theta), point

    def joint(
        self, px: npt.ArrayLike, height_mm: npt.ArrayLike = 0.0, *, sigma_px: float | None = None
    ) -> tuple[Floats, Floats]:
        """As `to_table`, but with the covariance of all points together: (N,2) and (2N,2N).

        Neighbours share most of the calibration's error, so a distance between them is far better known than
        either place; this is where that knowledge is.
        """
        points = self._hit(px, height_mm)
        theta, point = self._influence(points)
        count = len(points)
        total = np.zeros((2 * count, 2 * count))
        if self.covariance is not None:
            rows = theta.reshape(2 * count, 15)
            total += rows @ self.covariance @ rows.T
        inverse = np.linalg.inv(point[:, :, :2]) * (self.noise_px if sigma_px is None else sigma_px)
        for i, part in enumerate(inverse @ inverse.transpose(0, 2, 1)):
            total[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] += part
        return points[:, :2], total

    def distance(
        self,
        a_px: npt.ArrayLike,
        b_px: npt.ArrayLike,
        height_mm: npt.ArrayLike = 0.0,
        *,
        sigma_px: float | None = None,
    ) -> tuple[float, float]:
        """The distance between two pixels on the table, and its standard deviation, in mm."""
        both = np.vstack([np.reshape(a_px, (1, 2)), np.reshape(b_px, (1, 2))])
        places, covariance = self.joint(both, height_mm, sigma_px=sigma_px)
        away = places[1] - places[0]
        length = float(np.hypot(*away))
        along = np.concatenate([-away, away]) / max(length, 1e-9)
        return length, float(np.sqrt(along @ covariance @ along))

    def mm_per_px(self, xy_mm: npt.ArrayLike, height_mm: float = 0.0) -> Floats:
        """The coarsest size of a pixel on the table at (N,2) places, in mm."""
        places = np.asarray(xy_mm, dtype=np.float64).reshape(-1, 2)
        _, _, point = projection_jacobian(
            self.camera, self.pose, np.column_stack([places, np.full(len(places), height_mm)])
        )
        return np.asarray(1 / np.linalg.svd(point[:, :, :2], compute_uv=False)[:, -1])

    def rectify(
        self,
        image: npt.NDArray[Any],
        region_mm: Region,
        mm_per_px: float = 1.0,
        height_mm: float = 0.0,
        *,
        interpolation: int = cv2.INTER_LINEAR,
    ) -> npt.NDArray[Any]:
        """The region as seen from straight above, through the full lens model; row 0 is the far side.

        Pixel (column, row) of the answer is the place `(x0 + (column + ½)·s, y1 − (row + ½)·s)`, s = `mm_per_px`.
        """
        map_x, map_y = self.rectify_maps(region_mm, mm_per_px, height_mm)
        return cv2.remap(image, map_x, map_y, interpolation, borderMode=cv2.BORDER_CONSTANT, borderValue=0)

    def rectify_maps(self, region_mm: Region, mm_per_px: float, height_mm: float) -> tuple[Any, Any]:
        """The two maps that `rectify` hands to `cv2.remap`; the latest few are kept."""
        key = (tuple(region_mm), mm_per_px, height_mm)
        maps = self._maps.get(key)
        if maps is None:
            maps = self._build_maps(region_mm, mm_per_px, height_mm)
            # Several threads may look through one view: whoever comes second finds the oldest gone already.
            for old in list(self._maps)[: max(0, len(self._maps) + 1 - MAPS_KEPT)]:
                self._maps.pop(old, None)
            self._maps[key] = maps
        return maps

    def _build_maps(self, region_mm: Region, mm_per_px: float, height_mm: float) -> tuple[Any, Any]:
        x0, y0, x1, y1 = region_mm
        size = (max(1, round((x1 - x0) / mm_per_px)), max(1, round((y1 - y0) / mm_per_px)))
        s = mm_per_px
        to_mm = np.array([[s, 0, x0 + s / 2], [0, -s, y1 - s / 2], [0, 0, 1.0]])
        rotation = self.pose.rotation
        to_camera = np.column_stack(
            [rotation[:, 0], rotation[:, 1], rotation[:, 2] * height_mm + self.pose.tvec]
        )
        # OpenCV inverts what it is given, so it gets picture ◂ ray and lays the lens on top, all in C++.
        maps = cv2.initUndistortRectifyMap(
            self.camera.matrix,
            self.camera.distortion,
            np.eye(3),
            np.linalg.inv(to_camera @ to_mm),
            size,
            cv2.CV_32FC1,
        )
        if np.isfinite(self.camera.reach):
            self._blank_beyond_reach(maps, to_camera @ to_mm, size)
        return maps[0], maps[1]

    def _blank_beyond_reach(self, maps: Any, to_camera: Floats, size: tuple[int, int]) -> None:
        """Beyond its reach the lens formula folds back into the picture: show nothing there."""
        column, row = np.meshgrid(np.arange(size[0]), np.arange(size[1]))
        ray = to_camera @ np.stack([column.ravel(), row.ravel(), np.ones(column.size)])
        lost = (np.hypot(ray[0], ray[1]) > self.camera.reach * ray[2]).reshape(size[1], size[0])
        if lost.any():
            maps[0][lost] = -1e4
            maps[1][lost] = -1e4
