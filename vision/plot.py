"""A plot of the pipeline's errors: what share of all is better than so much."""

from __future__ import annotations

from typing import Final

import numpy as np
from regla.rules.messages import msg, number, register

from .evaluate import Figures

__all__ = ["plot_svg"]

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 860, 460, 60, 50, 230, 50
COLOURS: Final = {
    "centre_mm": "#0072B2",
    "distance_mm": "#D55E00",
    "base_centre_mm": "#009E73",
    "facing_deg": "#CC79A7",
}
MOST: Final = 3.0
"""The plot ends here (mm, or degrees for facings): beyond it an error is simply large."""
BARS: Final = {"centre_mm": (0.5, 1.2), "distance_mm": (None, 1.5)}
"""The product's own limits: median and 95 %."""


def plot_svg(figures: Figures, lang: str = "en") -> str:
    """Cumulative curves of the errors as SVG."""
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(value: float) -> float:
        return LEFT + wide * min(value, MOST) / MOST

    def y(share: float) -> float:
        return TOP + high * (1 - share)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="DejaVu Sans, sans-serif" font-size="14">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="28" font-size="17">{msg("plot-title", n=len(figures.seen)).text(lang)}</text>',
    ]
    for share in (0.0, 0.25, 0.5, 0.75, 0.95, 1.0):
        parts.append(f'<path d="M{LEFT} {y(share):.1f}H{LEFT + wide}" stroke="#ddd"/>')
        parts.append(
            f'<text x="{LEFT - 8}" y="{y(share) + 5:.1f}" text-anchor="end">{round(100 * share)} %</text>'
        )
    for step in np.arange(0, MOST + 0.1, 0.5):
        parts.append(f'<path d="M{x(step):.1f} {TOP}V{TOP + high}" stroke="#eee"/>')
        parts.append(
            f'<text x="{x(step):.1f}" y="{TOP + high + 20}" text-anchor="middle">{number(float(step), 1, lang)}</text>'
        )
    parts.append(
        f'<text x="{LEFT + wide / 2}" y="{HEIGHT - 10}" text-anchor="middle">{msg("plot-axis").text(lang)}</text>'
    )
    for row, (name, colour) in enumerate(COLOURS.items()):
        values = np.sort([v for s in figures.seen for v in getattr(s, name)])
        place = TOP + 20 + 44 * row
        label = msg(f"plot-{name.replace('_', '-')}").text(lang)
        parts.append(f'<path d="M{LEFT + wide + 18} {place - 5}h22" stroke="{colour}" stroke-width="3"/>')
        parts.append(f'<text x="{LEFT + wide + 46}" y="{place}">{label}</text>')
        if not len(values):
            continue
        low, high95 = np.median(values), np.percentile(values, 95)
        said = f"{number(float(low), 2, lang)} / {number(float(high95), 2, lang)}"
        parts.append(f'<text x="{LEFT + wide + 46}" y="{place + 17}" fill="#555">{said}</text>')
        shares = np.linspace(0, 1, min(len(values), 400))
        points = " ".join(
            f"{x(v):.1f},{y(s):.1f}"
            for v, s in zip(np.quantile(values, shares), shares, strict=True)
            if v <= MOST
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        for limit, share in zip(BARS.get(name, ()), (0.5, 0.95), strict=False):
            if limit is not None:
                parts.append(
                    f'<path d="M{x(limit) - 5:.1f} {y(share) - 5:.1f}l10 10m0 -10l-10 10" stroke="{colour}" stroke-width="2"/>'
                )
    parts.append(
        f'<text x="{LEFT + wide + 18}" y="{TOP + 20 + 44 * len(COLOURS)}" fill="#555">{msg("plot-bars").text(lang)}</text>'
    )
    parts.append("</svg>")
    return "\n".join(parts)


register(
    {
        "plot-title": {"en": "Errors on {n} pictures with known truth", "es": "Errores en {n} imágenes de verdad conocida"},
        "plot-axis": {"en": "error at most (mm, or degrees)", "es": "error de hasta (mm o grados)"},
        "plot-centre-mm": {"en": "piece's centre", "es": "centro de pieza"},
        "plot-base-centre-mm": {"en": "single base's centre", "es": "centro de peana"},
        "plot-distance-mm": {"en": "distance to 24 in", "es": "distancia hasta 24 in"},
        "plot-facing-deg": {"en": "facing, degrees", "es": "orientación, grados"},
        "plot-bars": {"en": "× the limits to keep", "es": "× los límites por cumplir"},
    }
)  # fmt: skip
