"""A hex lattice from the printed grid itself: the lines in a rectified picture, without any detector.

The picture's lines repeat with the lattice, so their autocorrelation has its peaks; folding all lines into one cell
shows where the hexes lie in it; and the lines themselves then settle all four numbers by least squares.
"""

from __future__ import annotations

from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from .camera import Floats
from .errors import LatticeError
from .hexes import OMEGA, HexLattice, Orientation, _named
from .markers import Image, grey
from .messages import phrase
from .view import Region, TableView

CELL: Final = 48
"""Bins across the folded cell."""
LEAST_CONTRAST: Final = 3.0
"""Peaks of the autocorrelation must stand this many deviations above the rest to be a grid at all."""
SAMPLES: Final = 12
"""Points measured along each printed hex side."""


def fit_grid(
    image: Image,
    view: TableView,
    region_mm: Region,
    *,
    across_flats_mm: float | tuple[float, float] = (20.0, 80.0),
    height_mm: float = 0.0,
    orientation: Orientation | None = None,
) -> HexLattice:
    """The lattice printed in a region of the table. `across_flats_mm` is the size, or the range to look in."""
    low, high = (
        across_flats_mm
        if isinstance(across_flats_mm, tuple)
        else (across_flats_mm * 0.92, across_flats_mm * 1.08)
    )
    scale = max(low / 30.0, float(np.median(view.mm_per_px(_middle(region_mm))) * 0.8))
    flat = view.rectify(grey(image), region_mm, scale, height_mm)
    lines = line_strength(flat, high / scale)
    step = _spacing(lines, low / scale, high / scale)
    origin = _phase(lines, step)
    origin, step, rms, count = _settle(lines, origin, step)
    x0, _, _, y1 = region_mm
    # Picture rows run down, the table's y runs away: conjugate, then shift.
    place = complex(x0 + (origin.real + 0.5) * scale, y1 - (origin.imag + 0.5) * scale)
    lattice = _named(place, np.conj(step) * scale, orientation)
    return HexLattice(
        lattice.origin_mm, lattice.across_flats_mm, lattice.angle_deg, lattice.orientation, rms * scale, count
    )


def _middle(region_mm: Region) -> Floats:
    x0, y0, x1, y1 = region_mm
    return np.array([[(x0 + x1) / 2, (y0 + y1) / 2]])


def line_strength(picture: npt.NDArray[Any], across_px: float) -> npt.NDArray[np.float32]:
    """Thin lines, light or dark, evened out so that art and shadows count no more than print."""
    soft = cv2.GaussianBlur(picture.astype(np.float32), (0, 0), 1.0)
    wide = cv2.GaussianBlur(soft, (0, 0), max(3.0, across_px / 12))
    lines = np.abs(soft - wide)
    local = cv2.GaussianBlur(lines, (0, 0), across_px / 2) + 0.5
    even = np.minimum(lines / local, 4.0)
    even[picture == 0] = 0  # beyond the picture there is nothing
    return np.asarray(even, dtype=np.float32)


def _spacing(lines: npt.NDArray[np.float32], low_px: float, high_px: float) -> complex:
    """The step between neighbouring hexes from the autocorrelation: six peaks at 60°, and the next ring behind."""
    height, width = lines.shape
    size = (cv2.getOptimalDFTSize(2 * height), cv2.getOptimalDFTSize(2 * width))
    centred = lines - float(lines.mean())
    spectrum = np.fft.rfft2(centred, s=size)
    match = np.fft.fftshift(np.fft.irfft2(np.abs(spectrum) ** 2, s=size)).astype(np.float32)
    weight = np.fft.rfft2(np.ones_like(centred), s=size)
    overlap = np.fft.fftshift(np.fft.irfft2(np.abs(weight) ** 2, s=size)).astype(np.float32)
    match = match / np.maximum(overlap, 0.05 * height * width)
    match = cv2.GaussianBlur(match, (0, 0), max(0.8, low_px / 25))
    middle = np.array([size[1] // 2, size[0] // 2])
    lengths = np.geomspace(low_px, high_px, max(8, int(np.log(high_px / low_px) / 0.008)))
    angles = np.radians(np.arange(0, 60, 0.75))
    grid_length, grid_angle = np.meshgrid(lengths, angles, indexing="ij")
    steps = grid_length * np.exp(1j * grid_angle)

    def at(factor: complex) -> Floats:
        spots = steps * factor
        return np.asarray(
            cv2.remap(
                match,
                (spots.real + middle[0]).astype(np.float32),
                (spots.imag + middle[1]).astype(np.float32),
                cv2.INTER_LINEAR,
            ),
            dtype=np.float64,
        )

    turns = (1.0 + 0j, OMEGA, OMEGA**2)
    peaks = np.minimum.reduce([at(t) for t in turns])
    second = np.minimum.reduce([at(t * (1 + OMEGA)) for t in turns])
    third = np.minimum.reduce([at(t * 2) for t in turns])
    # Halfway to a neighbour a true lattice has a trough: this is what tells it from one twice as fine.
    troughs = np.mean([at(t * 0.5) for t in turns], axis=0)
    score = peaks + 0.7 * second + 0.7 * third - troughs
    spread = float(np.std(match))
    best = np.unravel_index(int(np.argmax(score)), score.shape)
    if score[best] < LEAST_CONTRAST * spread * 0.5 or peaks[best] < 0.15 * float(match.max()):
        raise LatticeError(reason=phrase("reason-no-grid"))
    return complex(steps[best])


def _fold(lines: npt.NDArray[np.float32], step: complex, reach: float) -> Floats:
    """Mean line strength in one cell of the lattice, (CELL, CELL), from the middle of the picture outwards."""
    height, width = lines.shape
    column, row = np.meshgrid(np.arange(width), np.arange(height))
    centre = complex(width / 2, height / 2)
    z = (column + 1j * row - centre).ravel() / step
    r = z.imag / OMEGA.imag
    q = z.real - r * 0.5
    near = np.abs(z) < reach
    bin_q = (np.floor(q[near] * CELL).astype(int)) % CELL
    bin_r = (np.floor(r[near] * CELL).astype(int)) % CELL
    index = bin_q * CELL + bin_r
    total = np.bincount(index, weights=lines.ravel()[near], minlength=CELL * CELL)
    count = np.bincount(index, minlength=CELL * CELL)
    return np.asarray((total / np.maximum(count, 1)).reshape(CELL, CELL))


def _outline_cell() -> Floats:
    """One cell of an ideal grid: strong where two hexes meet."""
    grid = (np.arange(CELL) + 0.5) / CELL
    q, r = np.meshgrid(grid, grid, indexing="ij")
    z = q + r * OMEGA
    corners = np.array(
        [0, 1, OMEGA, 1 + OMEGA, -1, -OMEGA, 1 - OMEGA, OMEGA - 1, 2, 2 * OMEGA, 1 + 2 * OMEGA, 2 + OMEGA]
    )
    away = np.sort(np.abs(z[..., None] - corners), axis=-1)
    return np.asarray(np.exp(-np.square((away[..., 1] - away[..., 0]) / 0.08)))


def _phase(lines: npt.NDArray[np.float32], step: complex) -> complex:
    """Where a hex's centre lies: the folded cell against an ideal one."""
    folded = _fold(lines, step, 3.0)
    ideal = _outline_cell()
    match = np.fft.ifft2(
        np.fft.fft2(folded - folded.mean()) * np.conj(np.fft.fft2(ideal - ideal.mean()))
    ).real
    q, r = np.unravel_index(int(np.argmax(match)), match.shape)
    height, width = lines.shape
    return complex(width / 2, height / 2) + step * (q / CELL + r / CELL * OMEGA)


def _settle(
    lines: npt.NDArray[np.float32], origin: complex, step: complex
) -> tuple[complex, complex, float, int]:
    """All four numbers from the lines themselves: where is each side of each hex, across its own direction?"""
    height, width = lines.shape
    rms, count = np.inf, 0
    reach_hexes = 2.5
    for _ in range(12):
        span = int(np.ceil(max(height, width) / abs(step))) + 2
        name_q, name_r = np.meshgrid(np.arange(-span, span + 1), np.arange(-span, span + 1))
        names = (name_q + name_r * OMEGA).ravel()
        centres = origin + step * names
        inside = (centres.real > 0) & (centres.real < width) & (centres.imag > 0) & (centres.imag < height)
        middle = complex(width / 2, height / 2)
        names = names[inside & (np.abs(centres - middle) < reach_hexes * abs(step))]
        # Three of the six sides of every hex; the others belong to its neighbours.
        directions = np.array([1.0 + 0j, OMEGA, OMEGA**2])
        along = (np.linspace(-0.38, 0.38, SAMPLES) / np.sqrt(3)) * 1j
        name = names[:, None, None] + directions[None, :, None] * (0.5 + along[None, None, :])
        normal = np.broadcast_to((step / abs(step) * directions)[None, :, None], name.shape)
        spots = origin + step * name
        window = np.linspace(-0.11, 0.11, 23) * abs(step)
        probe = spots[..., None] + normal[..., None] * window
        flat = probe.reshape(-1, len(window))
        profile = cv2.remap(
            lines, flat.real.astype(np.float32), flat.imag.astype(np.float32), cv2.INTER_LINEAR
        ).reshape(*spots.shape, len(window))
        # A side is seen as one: its samples are averaged along it, so a piece on it hides it but does not bend it.
        profile = np.asarray(profile.mean(axis=2), dtype=np.float64)
        peak = profile.max(axis=2)
        contrast = peak - np.median(profile, axis=2)
        weight = np.maximum(profile - (peak - 0.5 * contrast)[..., None], 0.0)
        offset = (weight * window).sum(axis=2) / np.maximum(weight.sum(axis=2), 1e-9)
        good = contrast > max(0.3, 0.5 * float(np.median(contrast)))
        side_name = (names[:, None] + directions[None, :] * 0.5)[good]
        side_normal = np.broadcast_to((step / abs(step) * directions)[None, :], good.shape)[good]
        off = offset[good]
        if len(off) < 12:
            raise LatticeError(reason=phrase("reason-no-grid"))
        for _ in range(3):  # trimmed least squares over origin and step, seen across each side
            design = np.column_stack(
                [
                    side_normal.real,
                    side_normal.imag,
                    (np.conj(side_normal) * side_name).real,
                    (np.conj(side_normal) * side_name * 1j).real,
                ]
            )
            change = np.linalg.lstsq(design, off, rcond=None)[0]
            rest = off - design @ change
            limit = 3 * max(float(np.median(np.abs(rest))), 1e-3) * 1.5
            keep = np.abs(rest) < limit
            if keep.all() or keep.sum() < 12:
                break
            side_name, side_normal, off = side_name[keep], side_normal[keep], off[keep]
        origin += complex(change[0], change[1])
        step += complex(change[2], change[3])
        rms, count = float(np.sqrt(np.mean(np.square(rest)))), len(names)
        if reach_hexes < span:
            reach_hexes *= 1.7
        elif float(np.abs(change).max()) < 1e-3:
            break
    if rms > 0.06 * abs(step):
        raise LatticeError(reason=phrase("reason-no-grid"))
    return origin, step, rms, count
