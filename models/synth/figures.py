"""Figures: procedural ones from a few solids, or those of the assets folder repainted. They look along +x.

A figure is one unit high with its feet at the origin; the table scales it to its base.
"""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .mesh import Mesh, ball, box, flat, frustum, joined, matrix, moved, smooth

Array = NDArray[Any]
Colour = tuple[float, float, float]


def hue(rng: np.random.Generator, low: float = 0.1, high: float = 0.8, colourful: float = 0.7) -> Colour:
    """Any colour; linear light."""
    # Paint and print are mostly dull with a few bright ones; `colourful` moves the balance.
    saturation = 0.92 * rng.uniform(0, 1) ** (1.9 - colourful)
    r, g, b = colorsys.hsv_to_rgb(rng.uniform(), saturation, rng.uniform(low, high))
    return (r**1.8, g**1.8, b**1.8)


@dataclass(frozen=True)
class Palette:
    """A paint scheme."""

    armour: Colour
    cloth: Colour
    skin: Colour
    metal: Colour
    wood: Colour


def paint(rng: np.random.Generator) -> Palette:
    """Painted mostly; now and then grey plastic or a black undercoat."""
    kind = rng.random()
    if kind < 0.12:
        tone = float(rng.choice([0.02, 0.25, 0.4, 0.6])) * rng.uniform(0.8, 1.2)
        grey = (tone, tone * rng.uniform(0.95, 1.0), tone * rng.uniform(0.9, 1.02))
        return Palette(grey, grey, grey, grey, grey)
    skins = [(0.55, 0.33, 0.22), (0.3, 0.16, 0.1), (0.15, 0.3, 0.08), (0.65, 0.6, 0.45), (0.25, 0.35, 0.4)]
    metals = [(0.35, 0.36, 0.38), (0.42, 0.3, 0.1), (0.12, 0.12, 0.13)]
    return Palette(
        hue(rng),
        hue(rng, 0.15, 0.85),
        skins[int(rng.integers(len(skins)))],
        metals[int(rng.integers(len(metals)))],
        (0.2 * rng.uniform(0.5, 1.5), 0.11, 0.05),
    )


def _limb(start: Array, end: Array, radius: float, colour: Colour, sides: int = 6) -> Mesh:
    axis = np.asarray(end, float) - start
    length = float(np.linalg.norm(axis))
    z = axis / max(length, 1e-9)
    x = np.cross([0.0, 1.0, 0.0] if abs(z[1]) < 0.9 else [1.0, 0.0, 0.0], z)
    x /= np.linalg.norm(x)
    linear = np.stack([x * radius, np.cross(z, x) * radius, axis], axis=1)
    return moved(frustum(0.8, sides, cap=True), np.c_[linear, np.asarray(start, float)], colour)


def _ball(at: tuple[float, float, float], size: tuple[float, float, float] | float, colour: Colour) -> Mesh:
    return moved(ball(), matrix(at, scale=size), colour)


def soldier(rng: np.random.Generator, palette: Palette) -> Mesh:
    """A man or monster on two legs with a weapon, leaning forward a little."""
    p = palette
    stride = rng.uniform(0.03, 0.12)
    bulk = rng.uniform(0.85, 1.3)
    parts = [
        _limb(np.array([stride, 0.08, 0]), np.array([0.0, 0.06, 0.45]), 0.07 * bulk, p.cloth),
        _limb(np.array([-stride, -0.08, 0]), np.array([0.0, -0.06, 0.45]), 0.07 * bulk, p.cloth),
        moved(
            frustum(0.85, 8, cap=True), matrix((0.0, 0, 0.4), scale=(0.13 * bulk, 0.19 * bulk, 0.4)), p.armour
        ),
        _ball((0.02, 0.2 * bulk, 0.76), (0.09, 0.09, 0.08), p.armour),
        _ball((0.02, -0.2 * bulk, 0.76), (0.09, 0.09, 0.08), p.armour),
        _ball((0.05, 0, 0.9), (0.085, 0.08, 0.1), p.skin),
    ]
    head = rng.random()
    if head < 0.5:
        parts.append(_ball((0.04, 0, 0.94), (0.1, 0.095, 0.09), p.metal))
        if head < 0.2:
            parts.append(moved(box(), matrix((0.0, 0, 0.98), scale=(0.22, 0.03, 0.1)), p.cloth))
    elif head < 0.75:
        parts.append(_ball((0.01, 0, 0.94), (0.11, 0.1, 0.09), p.cloth))
    if rng.random() < 0.35:
        parts.append(
            moved(
                box(0.1),
                matrix((-0.13, 0, 0.1), scale=(0.05, 0.4, 0.68), lean_deg=8, lean_towards_deg=180),
                p.cloth,
            )
        )
    reach = rng.uniform(0.15, 0.4)
    hand = np.array([reach, -0.22 * bulk, rng.uniform(0.5, 0.8)])
    parts.append(_limb(np.array([0.02, -0.2 * bulk, 0.76]), hand, 0.05 * bulk, p.skin))
    kind = rng.choice(["spear", "sword", "axe", "bow", "staff", "pike"])
    if kind in ("spear", "staff", "pike"):
        tilt = rng.uniform(-0.1, 0.6 if kind != "pike" else 1.0)
        length = rng.uniform(0.9, 1.4)
        direction = np.array([np.sin(tilt), 0, np.cos(tilt)])
        parts.append(_limb(hand - direction * 0.4, hand + direction * (length - 0.4), 0.017, p.wood, 5))
        parts.append(_ball(tuple(hand + direction * (length - 0.4)), (0.05, 0.03, 0.07), p.metal))
    elif kind == "bow":
        parts.append(
            _limb(hand + np.array([0, -0.02, -0.35]), hand + np.array([0.1, 0, 0]), 0.018, p.wood, 5)
        )
        parts.append(_limb(hand + np.array([0.1, 0, 0]), hand + np.array([0, 0.02, 0.35]), 0.018, p.wood, 5))
    else:
        swing = rng.uniform(-0.5, 1.4)
        tip = hand + 0.55 * np.array([np.cos(swing), rng.uniform(-0.5, 0.5), np.sin(swing)])
        parts.append(_limb(hand, tip, 0.03, p.metal, 5))
        if kind == "axe":
            parts.append(_ball(tuple(tip), (0.11, 0.03, 0.1), p.metal))
    off = np.array([rng.uniform(0.1, 0.3), 0.24 * bulk, 0.6])
    parts.append(_limb(np.array([0.02, 0.2 * bulk, 0.76]), off, 0.05 * bulk, p.skin))
    if kind not in ("bow", "pike") and rng.random() < 0.7:
        shield = matrix(tuple(off + np.array([0.05, 0.04, -0.2])), scale=(0.05, 0.32, 0.42))
        parts.append(moved(box(0.1) if rng.random() < 0.5 else frustum(1, 12, cap=True), shield, p.cloth))
    return joined(parts)


def rider(rng: np.random.Generator, palette: Palette) -> Mesh:
    """A horse or beast under a soldier; one unit is the height of the whole."""
    coat = hue(rng, 0.05, 0.5, 0.3)
    parts = [
        _ball((0.0, 0, 0.42), (0.42, 0.15, 0.17), coat),
        _limb(np.array([0.33, 0, 0.48]), np.array([0.52, 0, 0.72]), 0.09, coat, 8),
        _ball((0.62, 0, 0.7), (0.14, 0.065, 0.07), coat),
        _limb(np.array([-0.4, 0, 0.5]), np.array([-0.6, 0, 0.2]), 0.04, (0.05, 0.04, 0.03)),
    ]
    for x in (0.28, -0.3):
        for y in (0.1, -0.1):
            swing = rng.uniform(-0.1, 0.1)
            parts.append(_limb(np.array([x + swing, y, 0]), np.array([x, y, 0.4]), 0.045, coat))
    if rng.random() < 0.6:
        parts.append(moved(box(0.05), matrix((0, 0, 0.3), scale=(0.6, 0.34, 0.24)), palette.cloth))
    parts.append(moved(soldier(rng, palette), matrix((0.0, 0, 0.32), scale=0.68)))
    return joined(parts)


def monster(rng: np.random.Generator, palette: Palette) -> Mesh:
    """A big body with a tail, legs and perhaps wings."""
    skin = hue(rng, 0.1, 0.7)
    length = rng.uniform(0.35, 0.6)
    parts = [
        _ball((0, 0, 0.45), (length, 0.25, 0.26), skin),
        _limb(
            np.array([length * 0.7, 0, 0.5]),
            np.array([length * 1.2, rng.uniform(-0.1, 0.1), 0.85]),
            0.13,
            skin,
            8,
        ),
        _ball((length * 1.3, 0, 0.88), (0.2, 0.12, 0.12), palette.armour),
        _limb(
            np.array([-length * 0.8, 0, 0.4]),
            np.array([-length * 1.7, rng.uniform(-0.3, 0.3), 0.12]),
            0.11,
            skin,
            8,
        ),
    ]
    for x in (length * 0.5, -length * 0.5):
        for y in (0.22, -0.22):
            foot = np.array([x + rng.uniform(-0.1, 0.1), y * 1.2, 0])
            parts += [_limb(foot, np.array([x, y, 0.42]), 0.09, skin)]
    if rng.random() < 0.5:
        span = rng.uniform(0.5, 0.95)
        for side in (1, -1):
            points = [
                (0.15, 0.15 * side, 0.6),
                (0.1, span * side, 0.95),
                (-0.35, span * 0.8 * side, 0.75),
                (-0.4, 0.15 * side, 0.55),
            ]
            parts.append(flat(points, [(0, 1, 2), (0, 2, 3)], palette.cloth))
    if rng.random() < 0.4:
        parts.append(moved(soldier(rng, palette), matrix((0.05, 0, 0.6), scale=0.5)))
    return joined(parts)


def engine(rng: np.random.Generator, palette: Palette) -> Mesh:
    """A war machine: a frame, wheels and a barrel or an arm."""
    wood = palette.wood
    parts = [moved(box(), matrix((-0.1, 0, 0.2), scale=(0.9, 0.35, 0.15)), wood)]
    for x in (0.2, -0.35):
        for y in (0.24, -0.24):
            wheel = np.array([[0.2, 0, 0, x], [0, 0, 0.05, y], [0, 0.2, 0, 0.2]])
            parts.append(moved(frustum(1, 12, cap=True), wheel, wood))
    if rng.random() < 0.5:
        parts.append(_limb(np.array([-0.3, 0, 0.42]), np.array([0.6, 0, 0.55]), 0.12, palette.metal, 10))
    else:
        parts.append(_limb(np.array([0.2, 0, 0.3]), np.array([-0.55, 0, 0.9]), 0.05, wood, 6))
    parts.append(moved(soldier(rng, palette), matrix((-0.35, 0.5, 0), scale=0.75)))
    return joined(parts)


# -- the assets folder ----------------------------------------------------------------------------------------

_PEOPLE = (
    "k_Barbarian",
    "k_Knight",
    "k_Mage",
    "k_Rogue_Hooded",
    "q_Adventurer",
    "q_Farmer",
    "q_King",
    "q_KnightCharacter",
    "q_Spacesuit",
    "q_Swat",
    "q_Worker",
    "q_Insurgent",
    "q_Leela",
    "q_Striker",
)
_STRETCHED = (
    "q_Adventurer",
    "q_Farmer",
    "q_King",
    "q_KnightCharacter",
    "q_Spacesuit",
    "q_Swat",
    "q_Worker",
    "q_Mike",
)
_BEASTS = ("q_Horse", "q_Wolf", "q_Trex", "q_Triceratops", "q_Velociraptor", "q_Spider", "q_Rat")
_VERTEX_CELLS = 34  # vertices are merged on a grid this fine over a figure's height; a base is 20-150 px wide


@lru_cache(maxsize=128)
def load_model(path: str, cells: int = _VERTEX_CELLS) -> Mesh:
    """A GLB or OBJ with its colours at the vertices, thinned, z up, looking along +x, one unit high."""
    import trimesh

    pieces: list[Any] = list(trimesh.load_scene(path).dump())
    points = np.vstack([piece.vertices for piece in pieces])[:, [2, 0, 1]].astype(float)
    offsets = np.cumsum([0, *(len(piece.vertices) for piece in pieces)])
    faces = np.vstack([piece.faces + start for piece, start in zip(pieces, offsets[:-1], strict=True)])
    colours = np.vstack([_vertex_colours(piece) for piece in pieces])
    points[:, 2] -= points[:, 2].min()
    height = points[:, 2].max()
    name = Path(path).stem
    if name in _STRETCHED:
        points = _arms_down(points, height)
    points = points / height
    points[:, :2] -= (points[:, :2].min(axis=0) + points[:, :2].max(axis=0)) / 2 if "terrain" in path else 0
    return _thinned(points, faces, colours**2.0, 1.0 / cells)


def _vertex_colours(piece: Any) -> Array:
    """Colours of a loaded part, whatever way it carries them: a texture, one for all, or one each."""
    colours = np.asarray(piece.visual.to_color().vertex_colors, float)
    return np.broadcast_to(colours[..., :3] / 255, (len(piece.vertices), 3))


def _arms_down(points: Array, height: float) -> Array:
    """Turn stretched-out arms down at the shoulder."""
    points = points.copy()
    for side in (1, -1):
        arm = points[:, 1] * side > 0.105 * height
        pivot = np.array([0.105 * height * side, 0.76 * height])
        angle = -side * np.radians(68)
        rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        high = points[:, 2] > 0.5 * height
        chosen = arm & high
        points[chosen, 1:] = (points[chosen, 1:] - pivot) @ rotation.T + pivot
    return points


def _thinned(points: Array, faces: NDArray[Any], colours: Array, cell: float) -> Mesh:
    keys = np.floor(points / cell).astype(np.int64)
    _, inverse = np.unique(keys, axis=0, return_inverse=True)
    inverse = inverse.ravel()
    count = np.bincount(inverse).astype(float)
    merged = np.stack([np.bincount(inverse, points[:, k]) for k in range(3)], axis=1) / count[:, None]
    tone = np.stack([np.bincount(inverse, colours[:, k]) for k in range(3)], axis=1) / count[:, None]
    faces = inverse[faces]
    proper = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 0] != faces[:, 2])
    faces = faces[proper]
    _, first = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
    return smooth(merged, faces[np.sort(first)], tone)


def repainted(rng: np.random.Generator, mesh: Mesh, palette: Palette) -> Mesh:
    """The model in other colours: groups of like colours take the palette's."""
    if rng.random() < 0.35:
        return Mesh(mesh.positions, mesh.normals, mesh.colours, mesh.faces)
    codes = (mesh.colours * 3.999).astype(int) @ np.array([16, 4, 1])
    choices = np.array([palette.armour, palette.cloth, palette.skin, palette.metal, palette.wood])
    order = rng.integers(0, len(choices), 64)
    fresh = choices[order[np.clip(codes, 0, 63)]]
    return Mesh(mesh.positions, mesh.normals, fresh * 0.75 + mesh.colours * 0.25, mesh.faces)


def figure(rng: np.random.Generator, kind: str, palette: Palette, assets: str | None) -> Mesh:
    """A figure of the kind `foot`, `horse`, `monster` or `engine`."""
    if assets and rng.random() < 0.5:
        names = {"foot": _PEOPLE, "monster": _BEASTS}.get(kind, ())
        if kind == "foot" and rng.random() < 0.12:
            names = _BEASTS
        if names:
            path = Path(assets) / "minis" / f"{names[int(rng.integers(len(names)))]}.glb"
            if path.exists():
                return repainted(rng, load_model(str(path)), palette)
    maker = {"foot": soldier, "horse": rider, "monster": monster, "engine": engine}[kind]
    return maker(rng, palette)
