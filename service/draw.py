"""A scene and a verdict as a picture from above: SVG, and PNG made from that same SVG.

What a verdict draws comes in roles (`regla.rules.drawing`); this is where the roles get their looks for
files and reports. Lines have a casing so that they show on anything, and nothing is told by colour alone.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

from regla.rules import Piece, Scene, Terrain, Verdict
from regla.rules.drawing import Arc, Disc, Label, Polygon, Segment, Shape
from regla.rules.footprint import Block, of_piece
from regla.rules.hexes import Lattice
from regla.rules.scene import Circle, Hex, Rect
from regla.rules.scene import Polygon as PolygonBase

from .card import COLOURS, ICONS, lines

__all__ = ["Picture", "draw"]

FONTS = Path(__file__).parent / "fonts"
WIDTH_PX = 1400
MARGIN = 0.025
"""Room around the table, as a share of its longer side: rulers and labels that stick out stay visible."""

SIDES = ("#0072B2", "#CC79A7", "#009E73", "#E69F00")
NEUTRAL = "#FFFFFF"
MAT, EDGE, INK, PAPER = "#E9E4D8", "#8A8371", "#1B1B1B", "#FFFFFF"
TERRAIN = {
    "forest": "#7FA66B", "field": "#D9C77E", "hill": "#C9B08A", "water": "#8FB8D6", "shallow-water": "#A9CBE2",
    "deep-water": "#6E9DC4", "ruins": "#B5ADA4", "wall": "#8C8279", "impassable": "#77706A", "blocking": "#77706A",
    "hindering": "#A9C29A", "concealing": "#BFD3B4", "abyss": "#4A4550", "clear": "#DAD3C2",
}  # fmt: skip
HEXES = {"normal": "#DDD6C6", "blocked": "#5E574F", "lethal": "#B5483A", "incomplete": "#F1EDE4"}
ROLE = {
    "measure": "#FFD400", "blocked": "#D55E00", "clear": "#009E73", "zone": "#56B4E9", "blocker": "#D55E00",
    "contact": "#F0E442", "path": "#56B4E9", "limit": "#D55E00", "piece": "#FFD400", "note": "#FFFFFF",
}  # fmt: skip
DASHED = {"limit", "path", "blocked"}

Point = tuple[float, float]
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Picture:
    """An SVG picture; `save` writes it as .svg or as .png."""

    svg: str

    def png(self) -> bytes:
        import resvg_py

        return bytes(
            resvg_py.svg_to_bytes(
                svg_string=self.svg,
                skip_system_fonts=True,
                font_files=[str(f) for f in sorted(FONTS.glob("*.ttf"))],
                font_family="DejaVu Sans",
                sans_serif_family="DejaVu Sans",
            )
        )

    def save(self, path: Path) -> None:
        if path.suffix.lower() == ".svg":
            path.write_text(self.svg, encoding="utf-8")
        else:
            path.write_bytes(self.png())


def draw(
    scene: Scene,
    verdict: Verdict | None = None,
    lang: str = "en",
    *,
    region_mm: Box | None = None,
    with_card: bool = True,
) -> Picture:
    """Draw the table from above, what the verdict decided on, and its card below; or only a region of it."""
    pen = _Pen(scene, region_mm)
    pen.ground()
    for terrain in pen.scene.terrain:
        pen.terrain(terrain)
    pen.hexes()
    pen.spaces()
    for piece in pen.scene.pieces:
        pen.piece(piece)
    if verdict is not None:
        for shape in sorted(verdict.drawing, key=_layer):
            pen.shape(shape, lang, scene.unit)
    for piece in pen.scene.pieces:
        pen.name(piece.label, [p for outline in pen.outlines(piece) for p in outline])
    for terrain in pen.scene.terrain:
        pen.name(terrain.label, terrain.outline, fill="#5B5546")
    return Picture(pen.finish(_card(verdict, scene, lang) if verdict is not None and with_card else None))


def _layer(shape: Shape) -> int:
    """Areas below lines below labels."""
    return {Polygon: 0, Disc: 0, Arc: 0, Segment: 1, Label: 2}[type(shape)]


class _Pen:
    """Collects SVG in table millimetres, y turned down."""

    def __init__(self, scene: Scene, region_mm: Box | None = None) -> None:
        self.scene = scene.in_mm()
        self.out: list[str] = []
        self.lattice = _lattice(self.scene)
        sides = sorted({p.side for p in scene.pieces if p.side not in (None, "-")}, key=str)
        self.colour: dict[str | None, str] = {side: SIDES[i % len(SIDES)] for i, side in enumerate(sides)}
        x0, y0, x1, y1 = region_mm or self._extent()
        pad = MARGIN * max(x1 - x0, y1 - y0)
        self.x0, self.y0, self.x1, self.y1 = x0 - pad, y0 - pad, x1 + pad, y1 + pad
        self.px_per_mm = WIDTH_PX / (self.x1 - self.x0)
        self.line = 2.2 / self.px_per_mm
        self.taken = [_box(o) for piece in self.scene.pieces for o in self.outlines(piece)]

    def _extent(self) -> tuple[float, float, float, float]:
        points: list[Point] = []
        if self.scene.table and not (self.scene.board and self.scene.board.hexes):
            points += [(0.0, 0.0), (self.scene.table.width, self.scene.table.depth)]
        if self.scene.board:
            for entry in self.scene.board.hexes:
                points += self.lattice.outline(entry.hex)
            for space in self.scene.board.spaces:
                points += space.outline
        if not points or not self.scene.table:
            for piece in self.scene.pieces:
                points += [p for outline in self.outlines(piece) for p in outline]
            points += [p for terrain in self.scene.terrain for p in terrain.outline]
        points = points or [(0.0, 0.0), (900.0, 900.0)]
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        return min(xs), min(ys), max(max(xs), min(xs) + 50), max(max(ys), min(ys) + 50)

    # --- where things are -------------------------------------------------------------------------------

    def place(self, piece: Piece) -> Point | None:
        if piece.at is not None:
            return piece.at
        if piece.hex is not None:
            return self.lattice.centre(piece.hex)
        if piece.space is not None and self.scene.board:
            for space in self.scene.board.spaces:
                if space.space == piece.space:
                    xs, ys = zip(*space.outline, strict=True)
                    mates = [p.id for p in self.scene.pieces if p.space == piece.space]
                    step = (max(xs) - min(xs)) / (len(mates) + 1)
                    return min(xs) + step * (mates.index(piece.id) + 1), (min(ys) + max(ys)) / 2
        return None

    def outlines(self, piece: Piece) -> list[list[Point]]:
        """The outline of each base of a piece."""
        at = self.place(piece)
        if at is None:
            return []
        turn_deg = piece.facing or 0.0
        match piece.base:
            case Circle(diameter):
                return [_circle(at, diameter / 2)]
            case Rect(width, depth):
                files, count, gap = 1, 1, 12.5 if piece.has("skirmisher") else 0.0
                if piece.kind == "unit" and piece.count:
                    count, files = piece.count, min(piece.files or piece.count, piece.count)
                named = piece.trait("rear") or piece.trait("last-rank")
                last = tuple(int(n) for n in named.split(",")) if named else None
                block = Block(at, turn_deg, width, depth, files, count, gap, last)
                return [[(float(x), float(y)) for x, y in corners] for corners in block.slot_corners]
            case Hex() | PolygonBase():
                shape = of_piece(replace(piece, at=at, facing=turn_deg)).geometry
                return [[(float(x), float(y)) for x, y in shape.exterior.coords]]
        return [_circle(at, self.lattice.across_flats_mm * 0.36)]

    # --- what they look like ----------------------------------------------------------------------------

    def _xy(self, p: Sequence[float]) -> str:
        return f"{p[0] - self.x0:.2f},{self.y1 - p[1]:.2f}"

    def poly(self, points: Iterable[Sequence[float]], style: str) -> None:
        self.out.append(f'<polygon points="{" ".join(self._xy(p) for p in points)}" {style}/>')

    def text(self, at: Point, said: str, size_px: float, fill: str = INK, halo: str = PAPER) -> None:
        x, y = self._xy(at).split(",")
        size = size_px / self.px_per_mm
        self.out.append(
            f'<text x="{x}" y="{y}" font-size="{size:.2f}" text-anchor="middle" dominant-baseline="central" '
            f'fill="{fill}" stroke="{halo}" stroke-width="{size * 0.22:.2f}" paint-order="stroke" '
            f'stroke-linejoin="round">{escape(said)}</text>'
        )

    def ground(self) -> None:
        if not self.scene.table or (self.scene.board and self.scene.board.hexes):
            return
        w, d = self.scene.table.width, self.scene.table.depth
        self.poly(
            [(0, 0), (w, 0), (w, d), (0, d)], f'fill="{MAT}" stroke="{EDGE}" stroke-width="{self.line}"'
        )
        step = 6 * 25.4
        faint = f'stroke="{EDGE}" stroke-opacity="0.28" stroke-width="{self.line / 2}"'
        for i in range(1, math.ceil(w / step)):
            self.out.append(self._line((i * step, 0), (i * step, d), faint))
        for i in range(1, math.ceil(d / step)):
            self.out.append(self._line((0, i * step), (w, i * step), faint))

    def _line(self, a: Sequence[float], b: Sequence[float], style: str) -> str:
        (x1, y1), (x2, y2) = self._xy(a).split(","), self._xy(b).split(",")
        return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {style}/>'

    def terrain(self, terrain: Terrain) -> None:
        fill = TERRAIN.get(terrain.type, "#C4BCAC")
        self.poly(
            terrain.outline,
            f'fill="{fill}" fill-opacity="0.85" stroke="{INK}" stroke-opacity="0.55" '
            f'stroke-width="{self.line}" stroke-linejoin="round"',
        )

    def hexes(self) -> None:
        if not self.scene.board:
            return
        for entry in self.scene.board.hexes:
            fill = HEXES.get(entry.type, HEXES["normal"])
            self.poly(
                self.lattice.outline(entry.hex), f'fill="{fill}" stroke="{EDGE}" stroke-width="{self.line}"'
            )
            if entry.start:
                self._disc(
                    self.lattice.centre(entry.hex), self.lattice.across_flats_mm * 0.1, f'fill="{PAPER}"'
                )

    def spaces(self) -> None:
        if not self.scene.board:
            return
        for space in self.scene.board.spaces:
            self.poly(space.outline, f'fill="{HEXES["normal"]}" stroke="{EDGE}" stroke-width="{self.line}"')
            xs, ys = zip(*space.outline, strict=True)
            self.text(
                (sum(xs) / len(xs), max(ys) - 14 / self.px_per_mm),
                space.space,
                12,
                "#5B5546",
                HEXES["normal"],
            )

    def piece(self, piece: Piece) -> None:
        fill = self.colour.get(piece.side, NEUTRAL)
        opacity = 0.9 if piece.kind in ("model", "unit") else 0.55
        style = (
            f'fill="{fill}" fill-opacity="{opacity}" stroke="{INK}" stroke-width="{self.line * 0.8:.2f}" '
            f'stroke-linejoin="round"'
        )
        outlines = self.outlines(piece)
        for outline in outlines:
            self.poly(outline, style)
        at = self.place(piece)
        if piece.facing is None or at is None or not outlines or piece.kind in ("token", "marker"):
            return
        turn = math.radians(piece.facing)
        ahead = (math.cos(turn), math.sin(turn))
        reach = max((p[0] - at[0]) * ahead[0] + (p[1] - at[1]) * ahead[1] for o in outlines for p in o)
        base = min(reach, 14.0)
        tip = (at[0] + reach * ahead[0], at[1] + reach * ahead[1])
        wings = [
            (tip[0] - base * 0.9 * math.cos(turn + s * 0.55), tip[1] - base * 0.9 * math.sin(turn + s * 0.55))
            for s in (1, -1)
        ]
        self.poly([tip, *wings], f'fill="{PAPER}" stroke="{INK}" stroke-width="{self.line * 0.5:.2f}"')

    def name(self, said: str, outline: Sequence[Point], fill: str = INK) -> None:
        """Write a name beside its outline, at the first place where it covers nothing."""
        if not outline:
            return
        left, low, right, high = _box(outline)
        tall, wide = 17 / self.px_per_mm, 9.2 * len(said) / self.px_per_mm
        across, up = (left + right) / 2, (low + high) / 2
        places = [
            (across, low - tall * 0.65), (across, high + tall * 0.65), (right + wide * 0.55, up), (left - wide * 0.55, up),
            (across, low - tall * 1.7), (across, high + tall * 1.7),
        ]  # fmt: skip

        def around(at: Point) -> Box:
            return at[0] - wide / 2, at[1] - tall / 2, at[0] + wide / 2, at[1] + tall / 2

        free = [at for at in places if not any(_overlap(around(at), other) for other in self.taken)]
        at = free[0] if free else places[0]
        self.taken.append(around(at))
        self.text(at, said, 15, fill=fill)

    def _disc(self, centre: Point, radius: float, style: str) -> None:
        x, y = self._xy(centre).split(",")
        self.out.append(f'<circle cx="{x}" cy="{y}" r="{radius:.2f}" {style}/>')

    def shape(self, shape: Shape, lang: str, unit: str) -> None:
        if isinstance(shape, Label):
            self.text(shape.at, shape.text.text(lang, unit), 17, fill=INK, halo=PAPER)
            return
        colour = ROLE[shape.role]
        dash = f'stroke-dasharray="{self.line * 5:.2f} {self.line * 3:.2f}"' if shape.role in DASHED else ""
        cased = (
            f'fill="none" stroke="{INK}" stroke-opacity="0.75" stroke-width="{self.line * 2.6:.2f}" stroke-linecap="round"',
            f'fill="none" stroke="{colour}" stroke-width="{self.line * 1.5:.2f}" stroke-linecap="round" {dash}',
        )
        area = f'fill="{colour}" fill-opacity="0.22" stroke="{colour}" stroke-width="{self.line * 1.2:.2f}" {dash}'
        match shape:
            case Segment(a, b):
                for style in cased:
                    self.out.append(self._line(a, b, style))
                if shape.role in ("measure", "contact"):
                    for end in (a, b):
                        self._disc(
                            end,
                            self.line * 2,
                            f'fill="{colour}" stroke="{INK}" stroke-width="{self.line * 0.6:.2f}"',
                        )
            case Polygon(points):
                self.poly(points, area)
            case Disc(centre, radius):
                self._disc(centre, radius, area)
            case Arc(centre, radius, start, end):
                sweep = (end - start) % 360 or 360
                steps = max(2, math.ceil(sweep / 4))
                rim = [
                    (centre[0] + radius * math.cos(math.radians(start + sweep * i / steps)),
                     centre[1] + radius * math.sin(math.radians(start + sweep * i / steps)))
                    for i in range(steps + 1)
                ]  # fmt: skip
                self.poly(rim if sweep == 360 else [centre, *rim], area)

    def finish(self, card: tuple[str, float] | None) -> str:
        tall_px = (self.y1 - self.y0) * self.px_per_mm
        below, below_px = card if card is not None else ("", 0.0)
        total = tall_px + below_px
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH_PX}" height="{total:.0f}" '
            f'viewBox="0 0 {WIDTH_PX} {total:.0f}" font-family="DejaVu Sans, Verdana, sans-serif">'
            f'<rect width="100%" height="100%" fill="#F6F3EC"/>'
            f'<g transform="scale({self.px_per_mm:.6f})">{"".join(self.out)}</g>'
            f'<g transform="translate(0 {tall_px:.0f})">{below}</g></svg>'
        )


def _box(points: Sequence[Point]) -> Box:
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    return min(xs), min(ys), max(xs), max(ys)


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _circle(at: Point, radius: float) -> list[Point]:
    return [
        (at[0] + radius * math.cos(math.tau * i / 48), at[1] + radius * math.sin(math.tau * i / 48))
        for i in range(48)
    ]


def _lattice(scene: Scene) -> Lattice:
    """Where the hexes lie; a board without a layout is drawn from the corner at the usual size."""
    board = scene.board
    layout = board.layout if board else None
    return Lattice(
        layout.across_flats if layout and layout.across_flats else 52.0,
        layout.origin if layout and layout.origin else (0.0, 0.0),
        board.orientation if board else "pointy",
        layout.rotation if layout else 0.0,
    )


def _card(verdict: Verdict, scene: Scene, lang: str) -> tuple[str, float]:
    """The answer card as a strip below the table, and its height in pixels."""
    colour = COLOURS[verdict.answer]
    *body, rules = lines(verdict, scene, lang)
    wrapped = [part for line in body for part in textwrap.wrap(line, 104) or [""]]
    height = 144 + 30 * len(wrapped)
    head = escape(f"{ICONS[verdict.answer]}  {verdict.headline(lang)}")
    out = [
        f'<rect x="24" y="12" width="{WIDTH_PX - 48}" height="{height - 30}" fill="{PAPER}" '
        f'stroke="{colour}" stroke-width="3"/><rect x="24" y="12" width="14" height="{height - 30}" fill="{colour}"/>',
        f'<text x="60" y="60" font-size="32" font-weight="bold" fill="{INK}">{head}</text>',
    ]
    for i, line in enumerate(wrapped):
        out.append(f'<text x="60" y="{100 + 30 * i}" font-size="21" fill="{INK}">{escape(line)}</text>')
    out.append(
        f'<text x="60" y="{100 + 30 * len(wrapped)}" font-size="17" fill="#6B6557">{escape(rules)}</text>'
    )
    return "".join(out), height
