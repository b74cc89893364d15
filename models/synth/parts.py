"""Bases with their figures, tags, tufts and rims: the pieces all five games are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from .figures import Palette, figure, hue, paint
from .mesh import Mesh, Surface, ball, box, disc, frustum, matrix, quad
from .textures import LAYER
from .world import DECAL_MM, Thing, World, circle, rectangle

Array = NDArray[Any]
Colour = tuple[float, float, float]

GROUND_COLOURS: tuple[Colour, ...] = (
    (0.10, 0.16, 0.04),
    (0.07, 0.10, 0.03),
    (0.20, 0.14, 0.08),
    (0.32, 0.26, 0.16),
    (0.12, 0.08, 0.05),
    (0.26, 0.26, 0.26),
    (0.45, 0.46, 0.48),
    (0.05, 0.05, 0.06),
    (0.30, 0.20, 0.10),
)


FIRST_TAG, LAST_TAG = 10, 49
TAGGED_BASE_MM = 32.0  # smaller bases have no room for a tag that a camera could read


@dataclass
class Style:
    """How the bases of one unit or army look."""

    rim: Colour
    top: Colour
    top_surface: Surface
    palette: Palette
    meshes: tuple[Mesh, ...]
    height_mm: float
    figure_mm: float
    reach_mm: float = 1e9  # how far a figure may stick out from its middle
    tufts: float = 0.0
    fuzz: float = 0.0
    lean_deg: float = 4.0
    tagged: bool = False
    mark: Colour | None = None
    extra: dict[str, Any] = field(default_factory=dict)


def make_style(
    world: World, kind: str, size_mm: float, height_mm: float | None = None, variants: int = 2
) -> Style:
    """A paint job: rims black, brown or coloured, tops flocked, painted or bare."""
    rng = world.rng
    palette = paint(rng)
    rim_kind = rng.random()
    if rim_kind < 0.45:
        rim: Colour = tuple(np.full(3, rng.uniform(0.008, 0.05)))
    elif rim_kind < 0.75:
        rim = GROUND_COLOURS[int(rng.integers(len(GROUND_COLOURS)))]
    else:
        rim = hue(rng, 0.1, 0.8)
    top_kind = rng.random()
    if top_kind < 0.62:
        top = tuple(np.array(GROUND_COLOURS[int(rng.integers(len(GROUND_COLOURS)))]) * rng.uniform(0.7, 1.4))
        surface = Surface(rng.uniform(0.25, 0.9), rng.uniform(14, 50), 0.03, 0.9)
        if rng.random() < 0.4:
            layer = LAYER[
                str(rng.choice(["grass", "ground037", "leaves", "rock023", "sand", "cracks", "cobbles"]))
            ]
            surface = Surface(0.2, 30, 0.05, 0.9, layer, rng.uniform(60, 160))
    elif top_kind < 0.82:
        top = rim
        surface = Surface(0.08, 30, rng.uniform(0.1, 0.8), rng.uniform(0.2, 0.7))
    else:
        top = hue(rng, 0.1, 0.85)
        surface = Surface(0.12, 30, rng.uniform(0.1, 0.6), rng.uniform(0.3, 0.8))
    scale = {"foot": (1.15, 1.6), "horse": (0.9, 1.25), "monster": (0.85, 1.5), "engine": (0.55, 0.8)}[kind]
    figure_mm = size_mm * rng.uniform(*scale)
    if kind == "foot":
        figure_mm = float(np.clip(figure_mm, 22, 65))
    return Style(
        rim,
        top,
        surface,
        palette,
        tuple(figure(rng, kind, palette, world.assets) for _ in range(variants)),
        float(height_mm if height_mm is not None else rng.uniform(2.5, 4.5)),
        float(figure_mm),
        size_mm * {"foot": 0.95, "horse": 1.4, "monster": 0.9, "engine": 0.75}[kind],
        tufts=float(rng.uniform(0, 1) if rng.random() < 0.5 else 0),
        fuzz=float(rng.uniform(0.3, 1) if rng.random() < 0.18 else 0),
        lean_deg=float(rng.uniform(0, 7)),
        tagged=bool(rng.random() < 0.06),
        mark=hue(rng, 0.5, 0.95) if rng.random() < 0.12 else None,
    )


@lru_cache(maxsize=64)
def tag_bits(number: int) -> NDArray[Any]:
    """The 6x6 cells of an ArUco tag of DICT_4X4_50, border included, first row at the tag's top."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    return (cv2.aruco.generateImageMarker(dictionary, number, 6) > 0).astype(np.uint8)


def lay_tag(
    world: World,
    number: int,
    at: ArrayLike,
    side_mm: float,
    up_deg: float,
    z_mm: float,
    ident: int = 0,
    quiet: float = 1 / 6,
) -> Array:
    """A printed tag whose "up" points along `up_deg`; gives its corners (x, y, z), clockwise from the tag's top left."""
    at = np.asarray(at, float)[:2]
    turn = up_deg - 90
    paper = Surface(0.02, 60, 0.1, 0.8)
    world.plate(
        at, side_mm * (1 + 2 * quiet), side_mm * (1 + 2 * quiet), turn, z_mm, (0.78, 0.78, 0.76), paper, ident
    )
    bits = tag_bits(number)
    cell = side_mm / 6
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    right, up = np.array([c, s]), np.array([-s, c])
    ink = (0.012, 0.012, 0.014)
    world.plate(at, side_mm, side_mm, turn, z_mm + 0.04, ink, paper, ident)
    for row in range(6):
        for column in range(6):
            if bits[row, column]:
                centre = at + right * (column - 2.5) * cell + up * (2.5 - row) * cell
                world.plate(
                    centre, cell * 1.001, cell * 1.001, turn, z_mm + 0.08, (0.78, 0.78, 0.76), paper, ident
                )
    half = side_mm / 2
    corners = [
        at - right * half + up * half,
        at + right * half + up * half,
        at + right * half - up * half,
        at - right * half - up * half,
    ]
    return np.array([[*corner, z_mm + 0.04] for corner in corners])


def put_figure(
    world: World,
    style: Style,
    at: ArrayLike,
    facing_deg: float,
    ident: int,
    z_mm: float | None = None,
    size_mm: float | None = None,
) -> None:
    rng = world.rng
    x, y = np.asarray(at, float)[:2]
    mesh = style.meshes[int(rng.integers(len(style.meshes)))]
    reach = float(np.abs(mesh.positions[:, :2]).max())
    size = min(size_mm or style.figure_mm, style.reach_mm / reach)
    turn = facing_deg + rng.normal(0, 7)
    placed = matrix(
        (x, y, style.height_mm if z_mm is None else z_mm),
        turn,
        size * rng.uniform(0.95, 1.05),
        lean_deg=abs(rng.normal(0, style.lean_deg)),
        lean_towards_deg=facing_deg + rng.normal(0, 60),
    )
    world.add(mesh, placed, None, Surface(0.15, 12, 0.15, 0.6, painted=1.0), ident)


def _stick_tag(
    world: World, style: Style, thing: Thing, at: Array, size_mm: float, facing_deg: float
) -> None:
    """A tag behind the figure's feet, its up towards the front; only where it fits."""
    if not style.tagged or size_mm < TAGGED_BASE_MM:
        return
    forward = np.array([np.cos(np.radians(facing_deg)), np.sin(np.radians(facing_deg))])
    thing.tag = FIRST_TAG + thing.ident % (LAST_TAG - FIRST_TAG + 1)
    side_mm = min(16.0, size_mm * 0.34)
    lay_tag(
        world,
        thing.tag,
        at - forward * size_mm * 0.24,
        side_mm,
        facing_deg,
        style.height_mm + 0.2,
        thing.ident,
    )


def _dress(world: World, style: Style, outline: Array, at: Array, ident: int) -> None:
    """Tufts and stones on the top, fuzz of flock over the rim."""
    rng = world.rng
    reach = float(np.abs(outline - at).max())
    blade = Surface(0.5, 8, 0.0, 1.0)
    for _ in range(int(rng.poisson(style.tufts * 2.5 * (reach / 12)))):
        corner = outline[int(rng.integers(len(outline)))]
        spot = at + (corner - at) * rng.uniform(0.3, 0.8)
        size = rng.uniform(1.2, 3.2)
        if rng.random() < 0.7:
            colour = (0.1 * rng.uniform(0.6, 2.2), 0.15 * rng.uniform(0.6, 1.5), 0.04)
        else:
            colour = tuple(np.full(3, rng.uniform(0.08, 0.35)))
        world.add(
            ball(4, 6),
            matrix(
                (*spot, style.height_mm),
                rng.uniform(0, 360),
                (size, size * rng.uniform(0.6, 1), size * rng.uniform(0.5, 1.3)),
            ),
            colour,
            blade,
            ident,
        )
    if style.fuzz > 0:
        ring = np.vstack([outline, outline[:1]])
        steps = np.linspace(0, len(outline), int(26 * style.fuzz * reach / 12), endpoint=False)
        for step in steps:
            if rng.random() < 0.45:
                k = int(step)
                spot = ring[k] + (ring[k + 1] - ring[k]) * (step - k)
                spot = at + (spot - at) * rng.uniform(0.93, 1.03)
                size = rng.uniform(0.6, 1.5)
                tone = tuple(np.array(style.top) * rng.uniform(0.7, 1.3))
                world.add(
                    ball(4, 6),
                    matrix((*spot, style.height_mm - 0.4), 0, (size, size, size * 0.7)),
                    tone,
                    blade,
                    ident,
                )


def round_base(
    world: World,
    at: ArrayLike,
    diameter_mm: float,
    facing_deg: float | None,
    style: Style,
    id_: str,
    *,
    unit: str | None = None,
    with_figure: bool = True,
    dressed: bool = True,
    class_name: str = "round-base",
) -> Thing:
    """A round base; its upper rim is exactly `diameter_mm` wide."""
    at = np.asarray(at, float)[:2]
    ident, r, h = world.ident(), diameter_mm / 2, style.height_mm
    flare = 1 + world.rng.uniform(0, 0.5) / r
    world.add(
        frustum(1 / flare, 64),
        matrix((*at, 0), 0, (r * flare, r * flare, h)),
        style.rim,
        Surface(0.06, 30, 0.3, 0.5),
        ident,
    )
    turn = facing_deg if facing_deg is not None else world.rng.uniform(0, 360)
    lip = r * world.rng.uniform(0.9, 1.0) if world.rng.random() < 0.5 else r
    if lip < r:
        world.add(disc(64), matrix((*at, h), turn, (r, r, 1)), style.rim, Surface(0.06, 30, 0.3, 0.5), ident)
        world.add(
            disc(64), matrix((*at, h + DECAL_MM), turn, (lip, lip, 1)), style.top, style.top_surface, ident
        )
    else:
        world.add(disc(64), matrix((*at, h), turn, (r, r, 1)), style.top, style.top_surface, ident)
    outline = circle(at, r)
    if style.mark is not None and facing_deg is not None:
        front = at + r * 0.86 * np.array([np.cos(np.radians(facing_deg)), np.sin(np.radians(facing_deg))])
        world.dot(front, r * 0.12, h + 2 * DECAL_MM, style.mark, ident)
    if dressed:
        _dress(world, style, outline, at, ident)
    if with_figure:
        put_figure(world, style, at, turn, ident)
    thing = world.thing(class_name, id_, outline, h, ident, facing=facing_deg, unit=unit, shape="round")
    _stick_tag(world, style, thing, at, diameter_mm, turn)
    return thing


def rect_base(
    world: World,
    at: ArrayLike,
    width_mm: float,
    depth_mm: float,
    facing_deg: float,
    style: Style,
    id_: str,
    *,
    unit: str | None = None,
    with_figure: bool = True,
) -> Thing:
    """A square or oblong base; its upper face is exactly width x depth."""
    at = np.asarray(at, float)[:2]
    ident, h = world.ident(), style.height_mm
    rng = world.rng
    world.add(
        box(),
        matrix((*at, 0), facing_deg, (depth_mm, width_mm, h)),
        style.rim,
        Surface(0.06, 30, 0.3, 0.5),
        ident,
    )
    # Bases side by side always show a seam: moulded edges are never sharp.
    lip = rng.uniform(0.02, 0.06) if rng.random() < 0.5 else rng.uniform(0.15, 0.4) / width_mm
    if sum(style.rim) > 0.3:
        seam = tuple(np.array(style.rim) * rng.uniform(0.25, 0.6))
        world.add(
            quad(),
            matrix((*at, h + 0.01), facing_deg, (depth_mm, width_mm, 1)),
            seam,
            style.top_surface,
            ident,
        )
    world.add(
        quad(),
        matrix((*at, h + DECAL_MM), facing_deg, (depth_mm - 2 * lip * width_mm, width_mm * (1 - 2 * lip), 1)),
        tuple(np.array(style.top) * rng.uniform(0.9, 1.1)),
        style.top_surface,
        ident,
    )
    outline = rectangle(at, width_mm, depth_mm, facing_deg)
    if style.mark is not None:
        world.line(
            outline[0] * 0.97 + at * 0.03,
            outline[1] * 0.97 + at * 0.03,
            1.2,
            h + 2 * DECAL_MM,
            style.mark,
            ident,
        )
    _dress(world, style, outline, at, ident)
    if with_figure:
        put_figure(world, style, at, facing_deg, ident)
    thing = world.thing("rect-base", id_, outline, h, ident, facing=facing_deg, unit=unit)
    _stick_tag(world, style, thing, at, min(width_mm, depth_mm), facing_deg)
    return thing
