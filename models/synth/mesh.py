"""Meshes as arrays, the few solids everything is made of, and the instances that place them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]

INSTANCE_FLOATS = 25  # 3x4 matrix, tint, surface, cover, id: the order the vertex shader reads


@dataclass(eq=False)
class Mesh:
    """Triangles with a normal and a colour at each vertex. `shared` ones are made once and stay on the card."""

    positions: Array
    normals: Array
    colours: Array
    faces: NDArray[Any]
    shared: bool = False


@dataclass(frozen=True)
class Surface:
    """How a surface answers light; lengths in mm. `cover` is a layer of the texture library, -1 for none."""

    speckle: float = 0.1
    speckle_mm: float = 40.0
    gloss: float = 0.15
    roughness: float = 0.7
    cover: int = -1
    cover_mm: float = 200.0
    cover_mix: float = 1.0
    painted: float = 0.0

    def floats(self) -> tuple[float, ...]:
        return (
            self.speckle,
            self.speckle_mm,
            self.gloss,
            self.roughness,
            self.cover,
            self.cover_mm,
            self.cover_mix,
            self.painted,
        )


def flat(
    points: ArrayLike, faces: ArrayLike, colour: Sequence[float] = (0.5, 0.5, 0.5), shared: bool = False
) -> Mesh:
    """Facetted: every face has its own three vertices."""
    corners = np.asarray(points, float)[np.asarray(faces)]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    count = len(corners)
    return Mesh(
        corners.reshape(-1, 3),
        np.repeat(normal, 3, axis=0),
        np.tile(np.asarray(colour, float), (count * 3, 1)),
        np.arange(count * 3).reshape(-1, 3),
        shared,
    )


def smooth(
    points: ArrayLike, faces: ArrayLike, colours: ArrayLike | None = None, shared: bool = False
) -> Mesh:
    """Vertex normals are the mean of the faces around them."""
    points, faces = np.asarray(points, float), np.asarray(faces)
    corners = points[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(points)
    for k in range(3):
        np.add.at(normals, faces[:, k], normal)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    if colours is None:
        colours = np.full_like(points, 0.5)
    return Mesh(points, normals, np.asarray(colours, float), faces, shared)


def joined(meshes: Sequence[Mesh]) -> Mesh:
    offsets = np.cumsum([0, *(len(m.positions) for m in meshes)])
    return Mesh(
        np.vstack([m.positions for m in meshes]),
        np.vstack([m.normals for m in meshes]),
        np.vstack([m.colours for m in meshes]),
        np.vstack([m.faces + o for m, o in zip(meshes, offsets[:-1], strict=True)]),
    )


def moved(mesh: Mesh, matrix: Array, colour: Sequence[float] | None = None) -> Mesh:
    """The mesh through a 3x4 matrix, baked."""
    linear = matrix[:, :3]
    normals = mesh.normals @ np.linalg.inv(linear)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    colours = mesh.colours if colour is None else np.tile(np.asarray(colour, float), (len(mesh.positions), 1))
    return Mesh(mesh.positions @ linear.T + matrix[:, 3], normals, colours, mesh.faces)


# -- solids: unit size, standing on z = 0 ---------------------------------------------------------------------


@lru_cache(maxsize=32)
def disc(sides: int = 64) -> Mesh:
    """Radius 1, looking up."""
    angle = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    ring = np.c_[np.cos(angle), np.sin(angle), np.zeros(sides)]
    faces = np.c_[np.full(sides, sides), np.arange(sides), (np.arange(sides) + 1) % sides]
    points = np.vstack([ring, [0, 0, 0]])
    return Mesh(points, np.tile([0.0, 0, 1], (sides + 1, 1)), np.full((sides + 1, 3), 0.5), faces, True)


@lru_cache(maxsize=256)
def ring_segment(inner: float, start_deg: float, sweep_deg: float, sides: int = 48) -> Mesh:
    """A flat ring of outer radius 1 from `start_deg`, counter-clockwise."""
    angle = np.radians(np.linspace(start_deg, start_deg + sweep_deg, sides + 1))
    outer = np.c_[np.cos(angle), np.sin(angle), np.zeros(sides + 1)]
    points = np.vstack([outer, outer * inner])
    k, n = np.arange(sides), sides + 1
    faces = np.vstack([np.c_[k, k + 1, n + k], np.c_[k + 1, n + k + 1, n + k]])
    return Mesh(points, np.tile([0.0, 0, 1], (2 * n, 1)), np.full((2 * n, 3), 0.5), faces, True)


@lru_cache(maxsize=64)
def frustum(top: float = 1.0, sides: int = 64, shaded: bool = True, cap: bool = False) -> Mesh:
    """The wall of a cone: radius 1 below, `top` above, height 1; with or without its lid."""
    angle = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    circle = np.c_[np.cos(angle), np.sin(angle)]
    points = np.vstack([np.c_[circle, np.zeros(sides)], np.c_[circle * top, np.ones(sides)]])
    k = np.arange(sides)
    n = (k + 1) % sides
    faces = np.vstack([np.c_[k, n, sides + k], np.c_[n, sides + n, sides + k]])
    wall = (smooth if shaded else flat)(points, faces)
    if cap:
        lid = moved(disc(sides), matrix(scale=(top, top, 1), at=(0, 0, 1))) if top > 0 else disc(sides)
        wall = joined([wall, lid])
    wall.shared = True
    return wall


@lru_cache(maxsize=1)
def quad() -> Mesh:
    """1 x 1 around the origin, looking up."""
    return Mesh(
        np.array([[-0.5, -0.5, 0], [0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, 0.5, 0]]),
        np.tile([0.0, 0, 1], (4, 1)),
        np.full((4, 3), 0.5),
        np.array([[0, 1, 2], [0, 2, 3]]),
        True,
    )


@lru_cache(maxsize=8)
def box(bevel: float = 0.0) -> Mesh:
    """1 x 1 x 1 on the table; `bevel` shrinks the upper face."""
    b = 0.5 - bevel
    points = [(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0)]
    points += [(-b, -b, 1), (b, -b, 1), (b, b, 1), (-b, b, 1)]
    faces = [(4, 5, 6), (4, 6, 7)]
    for k in range(4):
        n = (k + 1) % 4
        faces += [(k, n, 4 + k), (n, 4 + n, 4 + k)]
    return flat(points, faces, shared=True)


@lru_cache(maxsize=8)
def ball(rings: int = 6, sides: int = 10) -> Mesh:
    """Radius 1 around the origin."""
    theta = np.linspace(0, np.pi, rings + 1)
    phi = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    t, p = np.meshgrid(theta, phi, indexing="ij")
    points = np.c_[(np.sin(t) * np.cos(p)).ravel(), (np.sin(t) * np.sin(p)).ravel(), np.cos(t).ravel()]
    i, j = np.meshgrid(np.arange(rings), np.arange(sides), indexing="ij")
    a, b = (i * sides + j).ravel(), (i * sides + (j + 1) % sides).ravel()
    faces = np.vstack([np.c_[a, a + sides, b], np.c_[b, a + sides, b + sides]])
    return Mesh(points, points.copy(), np.full_like(points, 0.5), faces, True)


def prism(outline: ArrayLike, height: float, inset: float = 0.0) -> Mesh:
    """A convex or star-shaped outline pulled up; `inset` draws the upper outline in, for hills."""
    outline = np.asarray(outline, float)
    centre, count = outline.mean(axis=0), len(outline)
    radius = np.maximum(np.linalg.norm(outline - centre, axis=1, keepdims=True), 1e-9)
    upper = centre + (outline - centre) * np.maximum(1 - inset / radius, 0.1)
    points = np.vstack(
        [np.c_[outline, np.zeros(count)], np.c_[upper, np.full(count, height)], [[*centre, height]]]
    )
    k = np.arange(count)
    n = (k + 1) % count
    wall = flat(points, np.vstack([np.c_[k, n, count + k], np.c_[n, count + n, count + k]]))
    lid = flat(points, np.c_[np.full(count, 2 * count), count + k, count + n])
    return joined([wall, lid])


def polygon(outline: ArrayLike) -> Mesh:
    """A flat star-shaped outline, looking up."""
    outline = np.asarray(outline, float)
    count = len(outline)
    points = np.vstack([np.c_[outline, np.zeros(count)], [[*outline.mean(axis=0), 0]]])
    k = np.arange(count)
    return flat(points, np.c_[np.full(count, count), k, (k + 1) % count])


# -- placing --------------------------------------------------------------------------------------------------


def matrix(
    at: Sequence[float] = (0, 0, 0),
    turn_deg: float = 0.0,
    scale: Sequence[float] | float = 1.0,
    lean_deg: float = 0.0,
    lean_towards_deg: float = 0.0,
) -> Array:
    """Scale, turn about z, lean over, move: a 3x4 matrix."""
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    linear = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) * np.broadcast_to(np.asarray(scale, float), 3)
    if lean_deg:
        towards = np.radians(lean_towards_deg)
        axis = np.array([-np.sin(towards), np.cos(towards), 0])
        k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        lean = np.radians(lean_deg)
        linear = (np.eye(3) + np.sin(lean) * k + (1 - np.cos(lean)) * (k @ k)) @ linear
    return np.hstack([linear, np.asarray(at, float).reshape(3, 1)])


@dataclass
class Instances:
    """A growing list of placed meshes, grouped by mesh."""

    groups: dict[int, tuple[Mesh, list[tuple[float, ...]]]] = field(default_factory=dict)

    def add(
        self,
        mesh: Mesh,
        placed: Array,
        colour: Sequence[float] | None = None,
        surface: Surface = Surface(),
        ident: int = 0,
        mix: float = 1.0,
    ) -> None:
        """`colour` replaces the mesh's own by the share `mix`; without one the mesh keeps its colours."""
        tint = (0.5, 0.5, 0.5, 0.0) if colour is None else (*colour, mix)
        row = (*placed.ravel().tolist(), *tint, *surface.floats(), float(ident))
        self.groups.setdefault(id(mesh), (mesh, []))[1].append(row)

    def batch(self) -> list[tuple[Mesh, NDArray[Any]]]:
        return [(mesh, np.array(rows, np.float32)) for mesh, rows in self.groups.values()]
