"""The scene: what is on the table, as the core of Regla sees it. Immutable; see `document` for JSON.

The limits in the annotations are the document's own validation and its JSON Schema: one definition.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from .units import Unit, mm_per

__all__ = [
    "Base", "Board", "BoardHex", "BoardSpace", "Circle", "Frozen", "Hex", "Layout", "Piece", "Point", "Polygon",
    "Rect", "Scene", "Sigma", "Table", "Terrain", "Tile",
]  # fmt: skip

MAX_PIECES = 2000
"""More bases than the two largest armies of any game have; past this a document is a mistake."""

Number = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Point = tuple[Number, Number]
HexAt = tuple[int, int]
Outline = Annotated[tuple[Point, ...], Field(min_length=3, max_length=2000)]
Traits = Annotated[tuple[Annotated[str, Field(min_length=1, max_length=500)], ...], Field(max_length=100)]


class Frozen(dict[str, Any]):
    """A mapping that cannot be changed, for the free parts of a document (`params`, fields we do not know)."""

    def _refuse(self, *_: object, **__: object) -> Any:
        raise TypeError("a scene is immutable: make a new one")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset((key, repr(value)) for key, value in self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Frozen, (dict(self),))


@dataclass(frozen=True)
class Circle:
    diameter: Positive
    shape: Literal["circle"] = "circle"


@dataclass(frozen=True)
class Rect:
    """`width` across the front, `depth` front to back."""

    width: Positive
    depth: Positive
    shape: Literal["rect"] = "rect"


@dataclass(frozen=True)
class Polygon:
    """`points` around `at`, before rotation (as the piece looks along +x)."""

    points: Outline
    shape: Literal["polygon"] = "polygon"


@dataclass(frozen=True)
class Hex:
    across_flats: Positive
    shape: Literal["hex"] = "hex"


Base = Annotated[Circle | Rect | Polygon | Hex, Field(discriminator="shape")]


@dataclass(frozen=True)
class Sigma:
    """One standard deviation of the place (scene unit) and of the facing (degrees); of an unknown one, of the outline's turn."""

    at: tuple[NotNegative, NotNegative] = (0.0, 0.0)
    facing: NotNegative = 0.0


class _Named:
    """What pieces and terrain share: a name for people, and traits."""

    id: str
    name: str | None
    traits: tuple[str, ...]

    def has(self, trait: str) -> bool:
        """Whether it has a trait, plain or with a value."""
        return any(t == trait or t.startswith(trait + ":") for t in self.traits)

    def trait(self, name: str) -> str | None:
        """The value of a trait `name:value`; None when it does not have it.

        >>> Piece("a", traits=("faction:Rebels", "sword")).trait("faction")
        'Rebels'
        """
        for t in self.traits:
            if t.startswith(name + ":"):
                return t[len(name) + 1 :]
        return None

    @property
    def label(self) -> str:
        return self.name or self.id


@dataclass(frozen=True)
class Piece(_Named):
    id: Name
    kind: Literal["model", "unit", "token", "marker"] = "model"
    side: str | None = None
    at: Point | None = None
    hex: HexAt | None = None
    space: Name | None = None
    facing: Number | None = None
    base: Base | None = None
    files: Annotated[int, Field(ge=1, le=200)] | None = None
    count: Annotated[int, Field(ge=0, le=2000)] | None = None
    traits: Traits = ()
    name: str | None = None
    sigma: Sigma | None = None
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    seen: NotNegative | None = None
    source: Literal["camera", "tag", "hand"] | None = None
    height: NotNegative | None = None
    visible: Annotated[float, Field(ge=0, le=1)] | None = None
    extra: Mapping[str, Any] = field(default_factory=Frozen)

    @property
    def turn(self) -> float | None:
        """Which way its outline lies: its facing, or what the camera says where it could not tell which side is the front.

        >>> Piece("a", facing=90.0).turn, Piece("b", extra={"turn": 30.0}).turn, Piece("c").turn
        (90.0, 30.0, None)
        """
        turn = self.extra.get("turn") if self.facing is None else self.facing
        return float(turn) if isinstance(turn, int | float) and math.isfinite(turn) else None


@dataclass(frozen=True)
class Terrain(_Named):
    id: Name
    type: str
    outline: Outline
    traits: Traits = ()
    on: str | None = None
    centre: Point | None = None
    access: tuple[Point, ...] | None = None
    name: str | None = None
    extra: Mapping[str, Any] = field(default_factory=Frozen)


@dataclass(frozen=True)
class Table:
    width: Positive
    depth: Positive


@dataclass(frozen=True)
class BoardHex:
    hex: HexAt
    type: str = "normal"
    territory: str | None = None
    start: bool = False


@dataclass(frozen=True)
class Tile:
    """Where one printed board lies: `origin` is its near-left complete hex as it lies; not whole where the board is
    slid by a part of a hex."""

    id: Name
    origin: tuple[int | Number, int | Number]
    side: str | None = None
    rotate: Literal[0, 180] = 0
    face: str | None = None


@dataclass(frozen=True)
class Layout:
    """Where the lattice lies on the table: the centre of hex (0, 0) and how far the board is turned."""

    across_flats: Positive | None = None
    origin: Point | None = None
    rotation: Number = 0.0


@dataclass(frozen=True)
class BoardSpace:
    """Where a named space lies on the table, and how high its floor is."""

    space: Name
    outline: Outline
    height: NotNegative = 0.0


@dataclass(frozen=True)
class Board:
    orientation: Literal["flat", "pointy"] = "pointy"
    hexes: Annotated[tuple[BoardHex, ...], Field(max_length=5000)] = ()
    tiles: Annotated[tuple[Tile, ...], Field(max_length=50)] = ()
    layout: Layout | None = None
    spaces: Annotated[tuple[BoardSpace, ...], Field(max_length=500)] = ()


@dataclass(frozen=True)
class Scene:
    """Everything on one table.

    >>> scene = Scene.parse({"game": "mage-knight", "unit": "in", "table": {"width": 40, "depth": 40},
    ...     "pieces": [{"id": "hero", "at": [3, 4], "base": {"shape": "circle", "diameter": 1.5}}]})
    >>> scene.piece("hero").at, scene.in_mm().table
    ((3.0, 4.0), Table(width=1016.0, depth=1016.0))
    """

    game: str
    unit: Unit = "mm"
    table: Table | None = None
    pieces: Annotated[tuple[Piece, ...], Field(max_length=MAX_PIECES)] = ()
    terrain: Annotated[tuple[Terrain, ...], Field(max_length=MAX_PIECES)] = ()
    board: Board | None = None
    params: Mapping[str, Any] = field(default_factory=Frozen)
    extra: Mapping[str, Any] = field(default_factory=Frozen)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Scene:
        """Read a document from a file; every fault of it is listed in the `SceneError`."""
        from .document import read

        return read(Path(path))

    @classmethod
    def parse(cls, document: str | bytes | Mapping[str, Any]) -> Scene:
        """Make a scene from JSON text or from plain data."""
        from .document import parse

        return parse(document)

    def to_dict(self) -> dict[str, Any]:
        """Plain data as in SCENE.md; what was absent stays absent."""
        from .document import to_dict

        return to_dict(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        from .document import write

        write(self, Path(path))

    def find(self, piece_id: str) -> Piece | None:
        return next((piece for piece in self.pieces if piece.id == piece_id), None)

    def piece(self, piece_id: str) -> Piece:
        found = self.find(piece_id)
        if found is None:
            raise KeyError(piece_id)
        return found

    def find_terrain(self, terrain_id: str) -> Terrain | None:
        return next((terrain for terrain in self.terrain if terrain.id == terrain_id), None)

    @property
    def exact(self) -> bool:
        """Whether nothing in the scene carries an error bar."""
        return all(p.sigma is None for p in self.pieces)

    def with_piece(self, changed: Piece) -> Scene:
        """The scene with one piece put in place of the piece of the same id."""
        return replace(self, pieces=tuple(changed if p.id == changed.id else p for p in self.pieces))

    def in_mm(self) -> Scene:
        """The same scene with every length in millimetres (params are converted where they are read)."""
        k = mm_per(self.unit)
        if k == 1.0:
            return self
        from .document import scaled

        return scaled(self, k, "mm")
