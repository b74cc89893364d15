"""The texture library: ground pictures of the assets folder where given, and procedural ones that need nothing.

Every layer tiles, and is brought to a mean of one half so that the colour of an instance decides its tone.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

TEXTURE_PX = 1024
_PHOTOS = ("grass", "ground037", "leaves", "rock023", "sand")
# Order is part of the seed: new layers go to the end.
LAYERS = (
    *_PHOTOS,
    "wood",
    "parquet",
    "oak",
    "cloth",
    "felt",
    "tiles",
    "cobbles",
    "marble",
    "blotches",
    "water",
    "grid",
    "art-0",
    "art-1",
    "art-2",
    "art-3",
    "carpet",
    "cracks",
)
LAYER = {name: index for index, name in enumerate(LAYERS)}


def _noise(rng: np.random.Generator, slope: float, stretch: tuple[float, float] = (1, 1)) -> NDArray[Any]:
    """Tiling noise with a power spectrum of 1/f^slope, mean 0, deviation 1."""
    n = TEXTURE_PX
    fy = np.fft.fftfreq(n)[:, None] * n * stretch[1]
    fx = np.fft.rfftfreq(n)[None, :] * n * stretch[0]
    f = np.hypot(fx, fy)
    f[0, 0] = 1e9
    spectrum = np.fft.rfft2(rng.standard_normal((n, n))) / np.maximum(f, 1.0) ** slope
    field = np.fft.irfft2(spectrum, (n, n))
    return (field - field.mean()) / field.std()


def _grey(value: NDArray[Any], tint: tuple[float, float, float] = (0, 0, 0)) -> NDArray[Any]:
    return np.stack([value * (1 + t) for t in tint], axis=-1)


def _cells(rng: np.random.Generator, count: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """A tiling Voronoi picture: distance to the border and the cell numbers."""
    from scipy.spatial import cKDTree

    points = rng.uniform(0, TEXTURE_PX, (count, 2))
    tree = cKDTree(points, boxsize=TEXTURE_PX)
    y, x = np.mgrid[0:TEXTURE_PX:2, 0:TEXTURE_PX:2] + 0.5
    distance, index = tree.query(np.c_[x.ravel(), y.ravel()], k=2)
    shape = x.shape
    edge = cv2.resize((distance[:, 1] - distance[:, 0]).reshape(shape), (TEXTURE_PX, TEXTURE_PX))
    cell = cv2.resize(
        index[:, 0].reshape(shape).astype(np.float32), (TEXTURE_PX, TEXTURE_PX), interpolation=0
    )
    return edge, cell.astype(int)


def _wood(rng: np.random.Generator, boards: int) -> NDArray[Any]:
    grain = _noise(rng, 1.0, (1, 24)) * 0.06 + _noise(rng, 1.4, (1, 60)) * 0.05
    y = np.arange(TEXTURE_PX)[:, None] * np.ones((1, TEXTURE_PX))
    board = (y * boards // TEXTURE_PX).astype(int)
    tone = rng.normal(0, 0.06, boards)[board]
    seam = (
        np.minimum((y * boards) % TEXTURE_PX, TEXTURE_PX - (y * boards) % TEXTURE_PX) < boards * 1.5
    ) * -0.18
    return _grey(0.5 + grain + tone + (seam if boards > 1 else 0), (0.08, 0.0, -0.1))


def _parquet(rng: np.random.Generator) -> NDArray[Any]:
    grain = _noise(rng, 1.1, (1, 24)) * 0.05
    y, x = np.mgrid[0:TEXTURE_PX, 0:TEXTURE_PX]
    row = y // 64
    column = ((x + (row % 4) * 128) // 512) % 2
    tone = rng.normal(0, 0.07, (TEXTURE_PX // 64, 2))[row, column]
    seam = ((y % 64 < 2) | ((x + (row % 4) * 128) % 512 < 2)) * -0.15
    return _grey(0.5 + grain + tone + seam, (0.12, 0.0, -0.14))


def _cloth(rng: np.random.Generator) -> NDArray[Any]:
    y, x = np.mgrid[0:TEXTURE_PX, 0:TEXTURE_PX]
    weave = np.sin(x * 2 * np.pi / 8) * np.sin(y * 2 * np.pi / 8) * 0.06
    return _grey(0.5 + weave + _noise(rng, 0.2) * 0.04 + _noise(rng, 1.6) * 0.03)


def _tiles(rng: np.random.Generator) -> NDArray[Any]:
    y, x = np.mgrid[0:TEXTURE_PX, 0:TEXTURE_PX]
    row, column = y // 128, ((x + (y // 128 % 2) * 64) % TEXTURE_PX) // 128
    tone = rng.normal(0, 0.08, (8, 8))[row, column]
    seam = ((y % 128 < 5) | ((x + (row % 2) * 64) % 128 < 5)) * -0.2
    return _grey(0.5 + tone + seam + _noise(rng, 1.0) * 0.06)


def _cobbles(rng: np.random.Generator) -> NDArray[Any]:
    edge, cell = _cells(rng, 260)
    tone = rng.normal(0, 0.08, 260)[cell]
    return _grey(0.32 + 0.25 * np.clip(edge / 14, 0, 1) + tone + _noise(rng, 0.8) * 0.04)


def _cracks(rng: np.random.Generator) -> NDArray[Any]:
    edge, cell = _cells(rng, 90)
    tone = rng.normal(0, 0.05, 90)[cell]
    return _grey(0.56 - 0.3 * np.exp(-edge / 3) + tone + _noise(rng, 1.0) * 0.07)


def _art(rng: np.random.Generator) -> NDArray[Any]:
    """A painted board: dim colours in patches, with a few bright lines of decoration."""
    base = np.stack([_noise(rng, 1.7) for _ in range(3)], axis=-1) * rng.uniform(0.02, 0.06) + 0.45
    base += _grey(_noise(rng, 1.2)) * 0.09
    canvas = np.ascontiguousarray(base)
    for _ in range(int(rng.integers(8, 26))):
        colour = (rng.uniform(0.25, 0.65) + rng.normal(0, 0.06, 3)).tolist()
        start = rng.integers(0, TEXTURE_PX, 2)
        if rng.random() < 0.5:
            size = rng.integers(10, 160, 2).tolist()
            cv2.ellipse(
                canvas,
                start.tolist(),
                size,
                float(rng.uniform(0, 180)),
                0,
                360,
                colour,
                int(rng.choice([1, 2, 3, -1])),
            )
        else:
            points = start + np.cumsum(rng.normal(0, 60, (6, 2)), axis=0)
            cv2.polylines(
                canvas, [points.astype(np.int32)], False, colour, int(rng.integers(1, 6)), cv2.LINE_AA
            )
    edge, _ = _cells(rng, 60)
    canvas -= _grey(np.exp(-edge / 4)) * 0.12
    return cv2.GaussianBlur(canvas, (0, 0), 1.0)


def _photo_substitute(rng: np.random.Generator, name: str) -> NDArray[Any]:
    fine, broad = _noise(rng, 0.5) * 0.10, _noise(rng, 1.5) * 0.08
    tint = {"grass": (-0.1, 0.12, -0.35), "leaves": (0.1, 0.02, -0.3), "sand": (0.12, 0.02, -0.2)}.get(
        name, (0.06, 0, -0.1)
    )
    return _grey(0.5 + fine + broad, tint)


def _procedural(name: str, rng: np.random.Generator) -> NDArray[Any]:
    if name in _PHOTOS:
        return _photo_substitute(rng, name)
    if name in ("wood", "oak"):
        return _wood(rng, 1 if name == "oak" else 6)
    makers = {"parquet": _parquet, "cloth": _cloth, "tiles": _tiles, "cobbles": _cobbles, "cracks": _cracks}
    if name in makers:
        return makers[name](rng)
    if name == "felt":
        return _grey(0.5 + _noise(rng, 0.3) * 0.05 + _noise(rng, 1.6) * 0.02)
    if name == "carpet":
        return _grey(0.5 + _noise(rng, 0.6) * 0.09)
    if name == "marble":
        return _grey(0.55 - 0.3 * np.exp(-np.abs(_noise(rng, 1.6)) * 5) + _noise(rng, 1.2) * 0.03)
    if name == "blotches":
        return (
            np.stack([0.5 + _noise(rng, 1.5) * 0.05 for _ in range(3)], axis=-1)
            + _grey(_noise(rng, 0.7)) * 0.05
        )
    if name == "water":
        return _grey(0.5 + _noise(rng, 1.3, (1, 3)) * 0.08, (-0.1, 0, 0.12))
    if name == "grid":
        y, x = np.mgrid[0:TEXTURE_PX, 0:TEXTURE_PX]
        line = ((x % 128 < 3) | (y % 128 < 3)) * 0.25
        return _grey(0.48 + line + _noise(rng, 1.2) * 0.04)
    return _art(rng)


@lru_cache(maxsize=2)
def texture_library(assets: str | None) -> tuple[NDArray[Any], ...]:
    """All layers as RGB pictures, in the order of `LAYERS`."""
    layers = []
    for index, name in enumerate(LAYERS):
        photo = Path(assets) / "ground" / f"{name}.jpg" if assets else None
        if photo is not None and photo.exists():
            picture: Any = np.asarray(cv2.imread(str(photo)), float)[:, :, ::-1] / 255
            picture = cv2.resize(picture, (TEXTURE_PX, TEXTURE_PX), interpolation=cv2.INTER_AREA)
        else:
            picture = _procedural(name, np.random.default_rng([11, index]))
        picture = picture * (0.5 / max(picture.mean(), 1e-3))
        layers.append((np.clip(picture, 0, 1) * 255).astype(np.uint8))
    return tuple(layers)


@lru_cache(maxsize=1)
def noise_texture() -> NDArray[Any]:
    """Slope x, slope y, free, value: the speckle of every surface."""
    rng = np.random.default_rng(3)
    value = _noise(rng, 0.55)
    slope_y, slope_x = np.gradient(cv2.GaussianBlur(value, (0, 0), 1.0))
    channels = [0.5 + slope_x * 0.5, 0.5 + slope_y * 0.5, np.full_like(value, 0.5), 0.5 + value * 0.17]
    return np.ascontiguousarray((np.clip(np.stack(channels, -1), 0, 1) * 255).astype(np.uint8))
