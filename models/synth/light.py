"""Light: a panorama (an HDR file or a made-up room) becomes a few shadow-casting lights and a soft remainder."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

PANORAMA_PX = (256, 128)
FINE_LIGHTS = 12  # enough for soft shadows; each costs a shadow map and two looks into it for every pixel


@dataclass(frozen=True)
class Light:
    """A far light; `softness_mm` is the half width of its shadows' edges."""

    direction: Array
    colour: Array
    softness_mm: float

    def shadow_matrix(self, bounds_mm: Array) -> tuple[Array, Array]:
        """Table to the light's clip space around the box `bounds_mm` (2x3), and the size of that space in mm."""
        towards = self.direction
        side = np.cross([0.0, 1.0, 0.0] if abs(towards[1]) < 0.9 else [1.0, 0.0, 0.0], towards)
        side /= np.linalg.norm(side)
        rotation = np.stack([side, np.cross(towards, side), -towards])
        corners = np.array(
            [
                [bounds_mm[i, 0], bounds_mm[j, 1], bounds_mm[k, 2]]
                for i in (0, 1)
                for j in (0, 1)
                for k in (0, 1)
            ]
        )
        seen = corners @ rotation.T
        low, high = seen.min(axis=0) - 1.0, seen.max(axis=0) + 1.0
        size = high - low
        matrix = np.eye(4)
        matrix[:3, :3] = rotation * (2 / size)[:, None]
        matrix[:3, 3] = -(high + low) / size
        return matrix, size


@dataclass(frozen=True)
class Lighting:
    lights: tuple[Light, ...]
    harmonics: Array
    environment: Array
    environment_name: str
    environment_gain: tuple[float, float, float]
    exposure: float
    gamma: float
    mirror_blur: float
    background: tuple[float, float, float]
    taps: int  # looks into the shadow map for each pixel and light: half the time of a picture goes there
    samples: int  # edge samples of a pixel
    fine: bool


def _directions(shape: tuple[int, int]) -> tuple[Array, Array]:
    """The direction and the solid angle of each pixel of a panorama whose top row is the zenith."""
    rows, columns = shape
    theta = (np.arange(rows) + 0.5) / rows * np.pi
    phi = ((np.arange(columns) + 0.5) / columns - 0.5) * 2 * np.pi
    t, p = np.meshgrid(theta, phi, indexing="ij")
    direction = np.stack([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)], axis=-1)
    return direction, np.sin(t) * (np.pi / rows) * (2 * np.pi / columns)


@lru_cache(maxsize=64)
def _panorama_file(path: str) -> Array:
    import OpenEXR

    with OpenEXR.File(path) as file:
        pixels = file.channels()["RGB"].pixels.astype(np.float32)
    return np.clip(cv2.resize(pixels, PANORAMA_PX, interpolation=cv2.INTER_AREA), 0, 400).astype(float)


def _made_room(rng: np.random.Generator) -> Array:
    """A ceiling, walls, a few lamps and perhaps a window: enough for light and for reflections."""
    direction, _ = _directions(PANORAMA_PX[::-1])
    z = direction[..., 2]
    tone = rng.uniform(0.6, 1.0, 3) * rng.uniform(0.5, 1.0)
    room = np.where(z[..., None] > 0, tone * (0.35 + 0.4 * z[..., None]), tone * 0.15)
    rows, columns = z.shape
    y, x = np.mgrid[0:rows, 0:columns]
    for _ in range(int(rng.integers(1, 5))):
        lamp = rng.normal([0, 0, 1], [0.55, 0.55, 0.35])
        lamp /= np.linalg.norm(lamp)
        lamp[2] = abs(lamp[2])
        size = rng.uniform(0.03, 0.35)
        warm = np.array([1.0, rng.uniform(0.72, 1.0), rng.uniform(0.45, 1.05)])
        glow = 1 / (1 + np.exp((np.arccos(np.clip(direction @ lamp, -1, 1)) - size) / 0.02))
        room = room + glow[..., None] * warm * rng.uniform(0.5, 1.5) / size**1.7
    if rng.random() < 0.6:
        column, width = int(rng.integers(0, columns)), int(rng.integers(12, 50))
        inside = (
            (np.abs((x - column + columns // 2) % columns - columns // 2) < width // 2)
            & (y > rows * 0.22)
            & (y < rows * 0.48)
        )
        room = room + inside[..., None] * np.array([0.9, 1.0, 1.12]) * rng.uniform(2, 14)
    return room


def _harmonics(panorama: Array) -> Array:
    """Irradiance over pi as the nine numbers the shader adds up."""
    d, weight = _directions(panorama.shape[:2])
    x, y, z = d[..., 0], d[..., 1], d[..., 2]
    bases = [np.ones_like(x), y, z, x, x * y, y * z, 3 * z * z - 1, x * z, x * x - y * y]
    norm = np.array(
        [0.282095, 0.488603, 0.488603, 0.488603, 1.092548, 1.092548, 0.315392, 1.092548, 0.546274]
    )
    cosine = np.array([np.pi] + [2 * np.pi / 3] * 3 + [np.pi / 4] * 5)
    moments = np.array([(panorama * (b * weight)[..., None]).sum(axis=(0, 1)) for b in bases])
    return moments * (norm**2 * cosine / np.pi)[:, None]


def panorama(rng: np.random.Generator, assets: str | None) -> tuple[Array, str]:
    """A room's light, turned any way round."""
    files = sorted((Path(assets) / "hdri").glob("*.exr")) if assets else []
    if files and rng.random() < 0.7:
        file = files[int(rng.integers(len(files)))]
        shift = int(rng.integers(0, 16))
        return np.roll(
            _panorama_file(str(file)), shift * PANORAMA_PX[0] // 16, axis=1
        ), f"{file.stem}@{shift}"
    seed = int(rng.integers(0, 400))
    return _made_room(np.random.default_rng([5, seed])), f"room-{seed}"


def make_lighting(
    rng: np.random.Generator, assets: str | None, fine: bool = False, calm: bool = False
) -> Lighting:
    """Lights drawn from a panorama. `fine` uses many lights for soft true shadows; `calm` leaves out extremes."""
    room, name = panorama(rng, assets)
    direction, solid = _directions(room.shape[:2])
    luminance = room @ np.array([0.3, 0.6, 0.1])
    weight = luminance * solid * np.clip(direction[..., 2], 0, None)
    weight[direction[..., 2] < 0.25] = 0  # lower lights would cast shadows longer than the table
    share = float(rng.uniform(0.45, 0.9))
    count = FINE_LIGHTS if fine else int(rng.choice([1, 2, 3], p=[0.45, 0.35, 0.2]))
    cdf = np.cumsum(weight.ravel())
    picks = np.searchsorted(cdf, (np.arange(count) + rng.uniform(0, 1, count)) / count * cdf[-1])
    gathered = (room * weight[..., None]).sum(
        axis=(0, 1)
    ) / weight.sum()  # the mean colour of what casts shadows
    total = (room * (solid * np.clip(direction[..., 2], 0, None))[..., None]).sum(axis=(0, 1)) / np.pi
    powers = rng.dirichlet(np.full(count, 60.0 if fine else 3.0))
    wide = rng.random() < 0.5
    lights = []
    for index, pick in enumerate(picks):
        towards = direction.reshape(-1, 3)[min(pick, direction.size // 3 - 1)].copy()
        if fine:
            towards += rng.normal(0, 0.05, 3)
        towards /= np.linalg.norm(towards)
        towards[2] = max(towards[2], 0.3)
        towards /= np.linalg.norm(towards)
        hue = room.reshape(-1, 3)[pick] / max(luminance.ravel()[pick], 1e-6)
        hue = 0.5 * hue + 0.5 * gathered / max(gathered @ np.array([0.3, 0.6, 0.1]), 1e-6)
        strength = share * (total @ np.array([0.3, 0.6, 0.1])) * powers[index] / max(towards[2], 0.35)
        softness = 2.5 if fine else float(rng.uniform(6, 22) if wide else rng.uniform(0.8, 5))
        lights.append(Light(towards, hue * strength, softness))
    harmonics = _harmonics(room) * (1 - share)
    up = harmonics[0] + harmonics[2] + harmonics[6] * 2
    level = float(
        (up + sum(light.colour * light.direction[2] for light in lights)) @ np.array([0.3, 0.6, 0.1])
    )
    stops = rng.normal(0.15, 0.18 if calm else 0.5)
    return Lighting(
        tuple(lights),
        harmonics,
        room.astype(np.float32),
        name,
        (0.8, 0.8, 0.8),
        float(1.9 * 2.0 ** np.clip(stops, -1.6, 1.0) / max(level, 1e-9)),
        float(1 / rng.uniform(2.0, 2.4)),
        float(rng.uniform(0.0, 2.0)),
        (rng.uniform(0.02, 0.3), rng.uniform(0.02, 0.3), rng.uniform(0.02, 0.3)),
        2 if fine else 4 if wide else 2,
        4 if calm or fine or rng.random() < 0.5 else 0,
        fine,
    )
