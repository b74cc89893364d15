"""A small exact table world: a known camera over known sheets, drawn pixel by pixel through the full lens model."""

from __future__ import annotations

import cv2
import numpy as np
from regla.calibration import Camera, Marker, Pose, TableView
from regla.calibration.markers import corner_places

TABLE_MM = (1828.8, 1219.2)
SIZE_PX = (1920, 1080)


def camera(k1=-0.12, k2=0.04, p1=0.0006, p2=-0.0004, k3=0.0, focal=1230.0, size=SIZE_PX) -> Camera:
    width, height = size
    matrix = [[focal, 0, width / 2 + 7.3], [0, focal * 1.001, height / 2 - 5.1], [0, 0, 1]]
    return Camera(size, matrix, [k1, k2, p1, p2, k3])


def look(eye_mm, target_mm, spin_deg=0.0) -> Pose:
    """A camera at `eye_mm` looking at `target_mm`, the table's far side up in the picture."""
    eye, target = np.asarray(eye_mm, float), np.asarray(target_mm, float)
    forward = target - eye
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, [0, 1.0, 0] if abs(forward[1]) < 0.99 else [0, 0, 1.0])
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    rotation = np.array([right, down, forward])
    c, s = np.cos(np.radians(spin_deg)), np.sin(np.radians(spin_deg))
    rotation = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ rotation
    return Pose(cv2.Rodrigues(rotation)[0], -rotation @ eye)


def overhead(
    lens: Camera | None = None, tilt_mm=(30.0, -60.0), height_mm=1500.0, table_mm=TABLE_MM
) -> TableView:
    """The camera of the issue's bars: 1.5 m above the middle of the table, hung a little askew."""
    middle = np.array([table_mm[0] / 2, table_mm[1] / 2, 0.0])
    eye = middle + np.array([tilt_mm[0], tilt_mm[1], height_mm])
    return TableView(camera() if lens is None else lens, look(eye, middle, 0.6))


def sheets(table_mm=TABLE_MM):
    return dict(corner_places(table_mm))


def seen(view: TableView, places, rng=None, noise_px=0.0) -> list[Marker]:
    """The sheets' corners as the camera sees them, with noise."""
    found = []
    for i, corners in places.items():
        corners = np.asarray(corners, float)
        px = view.to_pixel(corners)
        if rng is not None:
            px = px + rng.normal(0, noise_px, px.shape)
        found.append(Marker(i, px))
    return found


def marker_bits(i: int) -> np.ndarray:
    """The 6×6 cells of a marker, 1 = white, border included."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    return (cv2.aruco.generateImageMarker(dictionary, i, 6) > 127).astype(float)


def draw(
    view: TableView,
    places,
    *,
    quiet=0.15,
    blur_px=0.7,
    noise=2.0,
    seed=0,
    mat=(70, 95, 75),
    super_sample=4,
    texture=True,
    rect_mm=None,
) -> np.ndarray:
    """A BGR picture of sheets (id ▸ corners mm) on a mat."""
    rng = np.random.default_rng(seed)
    width, height = view.camera.size_px
    picture = np.empty((height, width, 3), np.float32)
    picture[:] = mat
    if texture:
        cloth = rng.normal(0, 1, (height // 4 + 1, width // 4 + 1)).astype(np.float32)
        cloth = cv2.resize(
            cv2.GaussianBlur(cloth, (0, 0), 1.5), (width, height), interpolation=cv2.INTER_CUBIC
        )
        picture += 40 * cloth[..., None]
    if rect_mm is not None:
        outside = _coverage(view, _grid_all(view), rect_mm)
        picture = picture * outside[..., None] + np.array([150, 160, 165], np.float32) * (
            1 - outside[..., None]
        )
    for i, corners in places.items():
        _draw_marker(
            picture,
            view,
            marker_bits(int(str(i).split("-")[0])),
            np.asarray(corners, float),
            quiet,
            super_sample,
        )
    picture = cv2.GaussianBlur(picture, (0, 0), blur_px)
    picture += rng.normal(0, noise, picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8)


def _draw_marker(picture, view, bits, corners, quiet, super_sample):
    height, width = picture.shape[:2]
    origin, right, up = corners[3][:2], (corners[2] - corners[3])[:2], (corners[0] - corners[3])[:2]
    rim = np.array([[-quiet, -quiet], [1 + quiet, -quiet], [1 + quiet, 1 + quiet], [-quiet, 1 + quiet]])
    outline = view.to_pixel(origin + rim @ np.array([right, up]))
    x0, y0 = np.maximum(np.floor(outline.min(0)).astype(int) - 2, 0)
    x1, y1 = np.minimum(np.ceil(outline.max(0)).astype(int) + 3, [width, height])
    if x0 >= x1 or y0 >= y1:
        return
    n = super_sample
    xs = x0 + (np.arange((x1 - x0) * n) + 0.5) / n - 0.5
    ys = y0 + (np.arange((y1 - y0) * n) + 0.5) / n - 0.5
    gx, gy = np.meshgrid(xs, ys)
    xy, _ = fast_table(view, np.column_stack([gx.ravel(), gy.ravel()]))
    uv = (xy - origin) @ np.linalg.inv(np.array([right, up]))
    inside = ((uv > -quiet) & (uv < 1 + quiet)).all(axis=1)
    cells = len(bits)
    col = np.floor(uv[:, 0] * cells).astype(int)
    row = cells - 1 - np.floor(uv[:, 1] * cells).astype(int)
    on = (col >= 0) & (col < cells) & (row >= 0) & (row < cells)
    value = np.full(len(uv), 235.0)
    value[on] = np.where(bits[row[on], col[on]] > 0, 235.0, 25.0)
    shape = (y1 - y0, n, x1 - x0, n)
    weight = inside.astype(float).reshape(shape).mean(axis=(1, 3))
    colour = (value * inside).reshape(shape).mean(axis=(1, 3))
    patch = picture[y0:y1, x0:x1]
    patch *= (1 - weight)[..., None]
    patch += colour[..., None]


def fast_table(view, px):
    points = view._hit(px, 0.0)
    return points[:, :2], None


def _grid_all(view):
    width, height = view.camera.size_px
    gx, gy = np.meshgrid(np.arange(width), np.arange(height))
    return np.column_stack([gx.ravel(), gy.ravel()]).astype(float)


def _coverage(view, px, rect_mm):
    """How far each pixel lies outside a rectangle on the table, softened over one pixel (1 outside, 0 inside)."""
    width, height = view.camera.size_px
    xy, _ = fast_table(view, px)
    x0, y0, x1, y1 = rect_mm
    depth = np.minimum.reduce([xy[:, 0] - x0, x1 - xy[:, 0], xy[:, 1] - y0, y1 - xy[:, 1]])
    scale = float(np.median(view.mm_per_px(np.array([[(x0 + x1) / 2, (y0 + y1) / 2]]))))
    return np.clip(0.5 - depth / scale, 0, 1).reshape(height, width).astype(np.float32)
