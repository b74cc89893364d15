"""The table from a game mat's edges: found in the picture, fitted through the lens, measured to a fraction of a pixel."""

from __future__ import annotations

from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from .camera import Camera, Floats
from .document import Calibration
from .errors import MatNotFound
from .lens_guess import guess_camera
from .markers import Image, _fit_line, check_picture
from .polygons import signed_area
from .rectangle import SidePoints, calibrate_rectangle

SEARCH_PX: Final = 640
"""The mat is looked for in a picture of this width, then measured in the full one."""
LEAST_SHARE: Final = 0.12
"""A mat covers at least this share of the picture."""
SIDE_SAMPLES: Final = 160
EDGE_WINDOW: Final = 0.008
"""How far from its first guess an edge is looked for, as a share of the picture's width."""
EDGE_SIGMA_PX: Final = 0.7
"""How well a cloth edge follows a straight line, at best."""


def calibrate_mat(
    image: Image,
    size_mm: tuple[float, float],
    *,
    camera: Camera | None = None,
) -> Calibration:
    """Calibrate from a mat of known width and depth whose four edges are all in view; the near one at the bottom."""
    size_px = (int(image.shape[1]), int(image.shape[0]))
    guess = None
    if camera is None:
        guess = _straighten(image, _rough_quad_checked(image), guess_camera(size_px))
    corners, noise_px, sides = find_mat(image, camera if camera is not None else guess)
    return calibrate_rectangle(
        corners,
        size_mm,
        size_px,
        camera=camera,
        sigma_px=max(EDGE_SIGMA_PX, noise_px),
        method="mat",
        guess=guess,
        sides_px=sides,
    )


def find_mat(image: Image, camera: Camera | None = None) -> tuple[Floats, float, list[SidePoints]]:
    """The mat's corners (near left, near right, far right, far left), the noise of its edges in pixels, its sides."""
    rough = _rough_quad_checked(image)
    size_px = (int(image.shape[1]), int(image.shape[0]))
    lens = camera.resized(size_px) if camera is not None else guess_camera(size_px)
    return _refine_quad(image, rough, lens)


def _rough_quad_checked(image: Image) -> Floats:
    check_picture(image)
    return _rough_quad(image)


def _straighten(image: Image, rough: Floats, guess: Camera) -> Camera:
    """Straight edges must come out straight: the k1 under which they do best, as a start for the whole estimate."""
    assert guess.covariance is not None

    def trial(k1: float) -> tuple[float, Camera]:
        lens = guess.lens
        lens[4] = k1
        camera = Camera.from_lens(guess.size_px, lens, guess.covariance)
        try:
            return _refine_quad(image, rough, camera)[1], camera
        except MatNotFound:
            return np.inf, camera

    coarse = [trial(k1) for k1 in np.linspace(-0.35, 0.15, 11)]
    best = min(coarse, key=lambda t: t[0])
    around = float(best[1].distortion[0])
    fine = [best, *(trial(k1) for k1 in around + np.array([-0.03, -0.015, 0.015, 0.03]))]
    noise, camera = min(fine, key=lambda t: t[0])
    if not np.isfinite(noise):
        raise MatNotFound()
    return camera


def _rough_quad(image: Image) -> Floats:
    """The largest four-cornered region that differs from what surrounds it."""
    scale = min(1.0, SEARCH_PX / image.shape[1])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    if small.ndim == 2:
        small = cv2.cvtColor(small, cv2.COLOR_GRAY2BGR)
    smooth = cv2.GaussianBlur(small[..., :3], (0, 0), 2.0)
    best: tuple[float, Floats] | None = None
    for mask in _masks(smooth):
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        for contour in sorted(contours, key=cv2.contourArea, reverse=True)[:3]:
            area = cv2.contourArea(contour)
            if area < LEAST_SHARE * mask.size:
                continue
            hull = cv2.convexHull(contour)
            for tolerance in (0.02, 0.035, 0.05):
                quad = cv2.approxPolyDP(hull, tolerance * cv2.arcLength(hull, True), True)
                if len(quad) == 4:
                    break
            else:
                continue
            corners = np.asarray(quad, dtype=np.float64).reshape(4, 2)
            rim = np.array([small.shape[1], small.shape[0]]) - 1
            if ((corners <= 1) | (corners >= rim - 1)).any(axis=1).sum() >= 2:
                continue  # the frame of the picture itself
            # Filling its own quad well is what tells a mat from a scatter of terrain.
            fill = area / max(abs(signed_area(corners)), 1.0)
            if fill < 0.9:
                continue
            score = area * fill
            if best is None or score > best[0]:
                best = (score, corners)
    if best is None:
        raise MatNotFound()
    return _near_left_first((best[1] + 0.5) / scale - 0.5)


def _masks(smooth: npt.NDArray[Any]) -> list[npt.NDArray[np.uint8]]:
    """Several ways to tell the mat from the floor: by colour against the rim, by brightness, by saturation."""
    lab = cv2.cvtColor(smooth, cv2.COLOR_BGR2LAB).astype(np.float32)
    rim = np.concatenate(
        [
            lab[:6].reshape(-1, 3),
            lab[-6:].reshape(-1, 3),
            lab[:, :6].reshape(-1, 3),
            lab[:, -6:].reshape(-1, 3),
        ]
    )
    away = np.linalg.norm(lab - np.median(rim, axis=0), axis=2)
    planes = [away, lab[..., 0], cv2.cvtColor(smooth, cv2.COLOR_BGR2HSV)[..., 1].astype(np.float32)]
    masks = []
    kernel = np.ones((5, 5), np.uint8)
    for plane in planes:
        low, high = np.percentile(plane, [1, 99])
        scaled = np.clip((plane - low) / max(high - low, 1e-3) * 255, 0, 255).astype(np.uint8)
        _, mask = cv2.threshold(scaled, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
        for version in (mask, cv2.bitwise_not(mask)):
            closed = cv2.morphologyEx(version, cv2.MORPH_CLOSE, kernel, iterations=2)
            masks.append(
                np.asarray(cv2.morphologyEx(closed, cv2.MORPH_OPEN, kernel, iterations=2), dtype=np.uint8)
            )
    return masks


def _near_left_first(corners: Floats) -> Floats:
    """Counter-clockwise on the table, beginning at the bottom left of the picture."""
    if signed_area(corners) > 0:  # y runs down: positive means clockwise as seen
        corners = corners[::-1]
    middle = corners.mean(axis=0)
    low_left = np.argmin((corners[:, 0] - middle[0]) - (corners[:, 1] - middle[1]))
    return np.roll(corners, -int(low_left), axis=0)


def _refine_quad(image: Image, quad: Floats, lens: Camera) -> tuple[Floats, float, list[SidePoints]]:
    """Edges as straight lines behind the lens; sampled between the corners, robust to what hangs over the rim."""
    picture = cv2.GaussianBlur(image if image.ndim == 3 else image[..., None], (0, 0), 1.2)
    channels = picture.astype(np.float32).reshape(*image.shape[:2], -1)[..., :3]
    width = image.shape[1]
    noise: list[float] = []
    sides: list[SidePoints] = []
    for reach in (4 * EDGE_WINDOW * width, EDGE_WINDOW * width):
        corners_plane = lens.undistort(quad)
        lines = []
        noise = []
        sides = []
        for k in range(4):
            a, b = corners_plane[k], corners_plane[(k + 1) % 4]
            share = np.linspace(0.04, 0.96, SIDE_SAMPLES)
            foot = lens.distort(a + (b - a) * share[:, None])
            along = np.gradient(foot, axis=0)
            normal = np.column_stack([along[:, 1], -along[:, 0]])
            normal /= np.linalg.norm(normal, axis=1, keepdims=True)
            offsets = np.linspace(-reach, reach, 81)
            spots = foot[:, None, :] + normal[:, None, :] * offsets[None, :, None]
            profile = cv2.remap(
                channels,
                spots[..., 0].astype(np.float32),
                spots[..., 1].astype(np.float32),
                cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_REPLICATE,
            ).reshape(SIDE_SAMPLES, len(offsets), -1)
            # All samples of a side step the same way: agree on that step first, then place it in each.
            step = np.diff(profile, axis=1)
            common = np.median(step, axis=0)
            peak = int(np.argmax(np.linalg.norm(common, axis=1)))
            direction = common[peak] / max(float(np.linalg.norm(common[peak])), 1e-6)
            climb = np.maximum(step @ direction, 0.0)
            middle = 0.5 * (offsets[1:] + offsets[:-1])
            best = np.argmax(climb, axis=1)
            near = np.abs(np.arange(len(middle))[None, :] - best[:, None]) <= 6
            weight = climb * near
            mass = weight.sum(axis=1)
            place = (weight * middle).sum(axis=1) / np.maximum(mass, 1e-6)
            good = mass > max(6.0, 0.4 * float(np.median(mass)))
            if good.sum() < SIDE_SAMPLES // 4:
                raise MatNotFound()
            points = lens.undistort((foot + normal * place[:, None])[good])
            line = _ransac_line(points)
            lines.append(line)
            off = np.abs(points @ line[:2] + line[2])
            true = off <= 3 * float(np.median(off)) + 1e-9
            sides.append(
                SidePoints(
                    share[good][true], (foot + normal * place[:, None])[good][true], normal[good][true]
                )
            )
            noise.append(
                float(np.median(np.abs(points @ line[:2] + line[2]))) * 1.48 * float(lens.matrix[0, 0])
            )
        array = np.array(lines)
        crossing = np.cross(np.roll(array, 1, axis=0), array)
        if (np.abs(crossing[:, 2]) < 1e-9).any():
            raise MatNotFound()
        moved = lens.distort(crossing[:, :2] / crossing[:, 2:])
        if not np.isfinite(moved).all() or np.abs(moved - quad).max() > 0.1 * width:
            raise MatNotFound()
        quad = moved
    return quad, max(noise), sides


def _ransac_line(points: Floats) -> Floats:
    """A line through most of the points, then least squares on those that agree."""
    rng = np.random.default_rng(0)  # the same picture gives the same answer
    scale = float(np.ptp(points, axis=0).max())
    best = np.zeros(len(points), dtype=bool)
    for i, j in rng.integers(0, len(points), (60, 2)):
        away = points[j] - points[i]
        length = float(np.hypot(*away))
        if length < 0.2 * scale:
            continue
        normal = np.array([-away[1], away[0]]) / length
        agree = np.abs((points - points[i]) @ normal) < 0.003 * scale
        if agree.sum() > best.sum():
            best = agree
    return _fit_line(points[best] if best.sum() >= 8 else points)
