"""The battlefield as the rules see it: its hexes, who stands where, who sees whom, and how to draw it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from ...drawing import Drawing, Polygon, Role, segment
from ...errors import QuestionError, Unknown
from ...game import Asked, Input
from ...hex_sight import Sight, sight, sight_table
from ...hexes import Field, Hex, Lattice, locate, spoken
from ...messages import Message, Text, msg, register
from ...places import Doubt, settle
from ...scene import Board, Piece, Scene
from ...verdict import Finding
from .faces import board_hexes
from .game import GAME, HEX_TYPES

USUAL_MM = 52.0
"""Across flats of a printed hex, where nobody measured it; for drawing only."""

__all__ = ["Battlefield", "Ground", "doubts", "ground", "lattice", "question"]


@dataclass(frozen=True)
class Ground:
    """What is printed: complete hexes (UW-HEX-2), and what each of them is (UW-HEX-3)."""

    field: Field
    blocked: frozenset[Hex]
    lethal: frozenset[Hex]
    start: frozenset[Hex]
    territory: dict[Hex, str]

    @cached_property
    def _index(self) -> dict[Hex, int]:
        return {h: i for i, h in enumerate(self.field.order)}

    @cached_property
    def _seen(self) -> NDArray[np.bool_]:
        return sight_table(self.field, self.blocked)

    def distance(self, a: Hex, b: Hex) -> int | None:
        """UW-DIST-1, UW-DIST-2: the shortest way inside the battlefield, None where there is none."""
        if a == b:
            return 0
        i, j = self._index.get(a), self._index.get(b)
        if i is None or j is None:
            return None
        steps = int(self.field.table[i, j])
        return None if steps < 0 else steps

    def farther(self, here: Hex, there: Hex, than: Hex) -> bool:
        """Whether `there` is farther from `here` than `than` is; what has no distance is not (UW-DIST-4)."""
        far, near = self.distance(here, there), self.distance(here, than)
        return far is not None and near is not None and far > near

    def sees(self, a: Hex, b: Hex) -> bool:
        i, j = self._index.get(a), self._index.get(b)
        return i is not None and j is not None and bool(self._seen[i, j])

    def seen_from(self, a: Hex) -> tuple[Hex, ...]:
        """UW-LOS: every other hex that a hex sees."""
        i = self._index.get(a)
        if i is None:
            return ()
        return tuple(
            h for h, seen in zip(self.field.order, self._seen[i].tolist(), strict=True) if seen and h != a
        )


@lru_cache(maxsize=64)
def ground(board: Board | None) -> Ground:
    """From the scene's `hexes`; where it lists none, from its `tiles`."""
    hexes = () if board is None else board.hexes or board_hexes(board.tiles)
    real = [h for h in hexes if h.type != "incomplete"]
    return Ground(
        Field(h.hex for h in real),
        frozenset(h.hex for h in real if h.type == "blocked"),
        frozenset(h.hex for h in real if h.type in ("lethal", "hazard")),
        frozenset(h.hex for h in real if h.start),
        {h.hex: h.territory for h in real if h.territory not in (None, "none") and h.territory},
    )


def lattice(scene: Scene, across_flats_mm: float) -> Lattice | None:
    """Where the hexes lie on the table; None where the scene does not say."""
    layout = scene.board.layout if scene.board else None
    if scene.board is None or layout is None or layout.origin is None:
        return None
    size_mm = layout.across_flats or across_flats_mm
    return Lattice(size_mm, layout.origin, scene.board.orientation, layout.rotation)


class Battlefield:
    """One question's view of the scene: every piece of it has its hex, or none that is known."""

    def __init__(self, a: Asked) -> None:
        self.a = a

    @cached_property
    def ground(self) -> Ground:
        found = ground(self.a.scene.board)
        if not found.field.hexes:
            raise Unknown(msg("uw-no-board"), ("UW-HEX-2",))
        return found

    # --- who and where ---

    def hex_of(self, piece: Piece) -> Hex:
        if piece.hex is None:
            raise Unknown(msg("uw-no-hex", who=piece.label), ("UW-HEX-5",))
        return piece.hex

    def place(self, *names: str) -> tuple[Hex, str]:
        """The hex that one of the inputs names, by a piece or directly, and what to call it."""
        given = [n for n in names if self.a.given(n)]
        if len(given) != 1:
            raise QuestionError.of("uw-one-of", " / ".join(names), names=" / ".join(names))
        value = self.a[given[0]]
        if isinstance(value, str):
            piece = self.a.piece(given[0])
            return self.hex_of(piece), piece.label
        return value, spoken(value)

    def fighter(self, input_name: str = "from") -> Piece:
        piece = self.a.piece(input_name)
        if piece.kind != "model":
            raise QuestionError.of("uw-not-fighter", input_name, who=piece.label)
        return piece

    @cached_property
    def fighters(self) -> tuple[Piece, ...]:
        """Every fighter; one whose hex is not known could be anywhere, so nothing that asks for all is known."""
        found = tuple(p for p in self.a.scene.pieces if p.kind == "model")
        for piece in found:
            self.hex_of(piece)
        return found

    @cached_property
    def objectives(self) -> tuple[Piece, ...]:
        found = tuple(p for p in self.a.scene.pieces if p.kind == "token" and p.has("objective"))
        for piece in found:
            self.hex_of(piece)
        return found

    def side(self, piece: Piece) -> str:
        if piece.side is None:
            raise Unknown(msg("uw-no-side", who=piece.label))
        return piece.side

    def enemies(self, of: Piece, among: Iterable[Piece]) -> tuple[Piece, ...]:
        mine = self.side(of)
        return tuple(p for p in among if p.id != of.id and self.side(p) != mine)

    def friends(self, of: Piece, among: Iterable[Piece]) -> tuple[Piece, ...]:
        mine = self.side(of)
        return tuple(p for p in among if p.id != of.id and self.side(p) == mine)

    def beside(self, h: Hex) -> tuple[Piece, ...]:
        """UW-DIST-3: the fighters in the neighbouring hexes."""
        around = set(self.ground.field.neighbours(h)) if h in self.ground.field else set()
        return tuple(p for p in self.fighters if p.hex in around)

    def inside(self, h: Hex) -> tuple[Piece, ...]:
        return tuple(p for p in self.fighters if p.hex == h)

    def empty(self, h: Hex, without: Piece | None = None) -> bool:
        """UW-HEX-3: of the battlefield, not blocked and nobody in it (`without` has left)."""
        return (
            h in self.ground.field
            and h not in self.ground.blocked
            and all(p.hex != h or (without is not None and p.id == without.id) for p in self.fighters)
        )

    def sight(self, a: Hex, b: Hex) -> Sight:
        return sight(a, b, self.ground.field, self.ground.blocked)

    # --- drawing ---

    @cached_property
    def _lattice(self) -> Lattice:
        """Where to draw. A scene without a layout is drawn with hex (0, 0) at the table's corner."""
        size_mm = float(self.a.params.get("across_flats", USUAL_MM))
        board = self.a.scene.board
        layout = board.layout if board else None
        if board is None or layout is None:
            return Lattice(size_mm, orientation=board.orientation if board else "pointy")
        return lattice(self.a.scene, size_mm) or Lattice(
            layout.across_flats or size_mm, (0.0, 0.0), board.orientation, layout.rotation
        )

    def draw(self, hexes: Iterable[Hex], role: Role = "zone") -> Drawing:
        return tuple(Polygon(self._lattice.outline(h), role) for h in hexes)

    def draw_line(self, a: Hex, b: Hex, role: Role) -> Drawing:
        return (segment(self._lattice.centre(a), self._lattice.centre(b), role),)

    def draw_pieces(self, pieces: Iterable[Piece], role: Role = "piece") -> Drawing:
        return self.draw((p.hex for p in pieces if p.hex is not None), role)

    def off_notes(self, *pieces: Piece) -> tuple[Message, ...]:
        """Said of every named piece that does not stand on the battlefield."""
        off = [p for p in pieces if p.hex is not None and p.hex not in self.ground.field]
        return tuple(msg("uw-off-board", who=p.label, hex=spoken(self.hex_of(p))) for p in off)


def labels(pieces: Sequence[Piece]) -> object:
    """Names in a sentence; a word where there are none."""
    return [p.label for p in pieces] if pieces else msg("uw-none")


def ids(pieces: Iterable[Piece]) -> tuple[str, ...]:
    return tuple(p.id for p in pieces)


# --- which hex a piece stands in (UW-HEX-5) ----------------------------------------------------------------


def doubts(scene: Scene, across_flats_mm: float, tie_mm: float, anywhere: bool = False) -> dict[str, Doubt]:
    """For every piece seen at a point, the hexes it can stand in, the nearest first.

    A hex written into the scene holds, unless it comes from a camera that also says how sure it is. Nobody
    stands in an incomplete or blocked hex, so those are left out where there is another (not with `anywhere`).
    """
    where = lattice(scene, across_flats_mm)
    if where is None:
        return {}
    field, blocked = ground(scene.board).field, ground(scene.board).blocked
    found: dict[str, list[Hex]] = {}
    for piece in scene.pieces:
        settled = piece.hex is not None and (piece.sigma is None or piece.source == "hand")
        if piece.at is None or settled or not (piece.kind == "model" or piece.has("objective")):
            continue
        sigma_mm = piece.sigma.at if piece.sigma else (0.0, 0.0)
        hexes = list(locate(where, piece.at, tie_mm, sigma_mm).hexes)
        if piece.hex is not None:
            hexes = [piece.hex, *(h for h in hexes if h != piece.hex)]
        if not anywhere:
            hexes = [h for h in hexes if h in field and h not in blocked] or hexes[:1]
        found[piece.id] = hexes
    if not anywhere:
        _one_each(scene, found)
    return {
        i: Doubt(tuple(replace(scene.piece(i), hex=h) for h in hexes), tuple(spoken(h) for h in hexes))
        for i, hexes in found.items()
    }


def _one_each(scene: Scene, found: dict[str, list[Hex]]) -> None:
    """At most one fighter is in a hex (UW-HEX-4): where one stands for sure, a doubtful one does not."""
    fighters = [p for p in scene.pieces if p.kind == "model"]
    sure = {found[p.id][0] if p.id in found else p.hex for p in fighters if len(found.get(p.id, "1")) == 1}
    for p in fighters:
        if len(found.get(p.id, ())) > 1:
            found[p.id] = [h for h in found[p.id] if h not in sure] or found[p.id]


def marked(scene: Scene, across_flats_mm: float) -> Scene:
    """The scene with the hexes retyped that a person has drawn over: terrain whose type is one of a hex's."""
    where = lattice(scene, across_flats_mm)
    drawn = [t for t in scene.terrain if t.type in HEX_TYPES]
    if where is None or not drawn or scene.board is None:
        return scene
    hexes = {h.hex: h for h in scene.board.hexes or board_hexes(scene.board.tiles)}
    for terrain in drawn:
        outline = shapely.Polygon(terrain.outline)
        for at, h in hexes.items():
            if outline.contains(shapely.Point(where.centre(at))):
                hexes[at] = replace(h, type=terrain.type)
    return replace(scene, board=replace(scene.board, hexes=tuple(hexes.values())))


Rule = Callable[[Battlefield], Finding]


def question(
    query: str, title: Text, *inputs: Input, rules: Iterable[str], phase: str, anywhere: bool = False
) -> Callable[[Rule], Rule]:
    """Decorator: this function answers that question of a battlefield on which every piece has its hex."""

    def add(rule: Rule) -> Rule:
        @GAME.query(query, title, *inputs, rules=rules, phase=phase)
        def run(a: Asked) -> Finding:
            scene, doubtful = a.scene, dict[str, Doubt]()
            layout = scene.board.layout if scene.board else None
            if layout is not None and (scene.terrain or any(p.at is not None for p in scene.pieces)):
                size_mm = layout.across_flats or a.param("across_flats")
                scene = marked(scene, size_mm)
                doubtful = doubts(scene, size_mm, 2 * a.param("locate_tol"), anywhere)
            for doubt in doubtful.values():
                scene = scene.with_piece(doubt.pieces[0])
            return settle(lambda s: rule(Battlefield(a.with_scene(s))), scene, doubtful)

        return rule

    return add


def counted(found: Iterable[Any]) -> float:
    return float(len(tuple(found)))


register(
    {
        "uw-none": {"en": "nobody", "es": "nadie"},
        "uw-no-hex": {
            "en": "Which hex {who} stands in is not known: put it into a hex, or say where the board lies (board.layout).",
            "es": "No se sabe en qué hexágono está {who}: asígnele un hexágono o indique dónde está el tablero (board.layout).",
        },
        "uw-no-board": {
            "en": "The hexes of the battlefield are not known: list them (board.hexes) or lay the boards (board.tiles).",
            "es": "No se conocen los hexágonos del campo de batalla: indíquelos (board.hexes) o coloque los tableros (board.tiles).",
        },
        "uw-no-side": {
            "en": "Whose fighter {who} is is not known: set its side.",
            "es": "No se sabe de quién es {who}: indique su bando.",
        },
        "uw-one-of": {"en": "expected exactly one of {names}", "es": "se espera exactamente uno de {names}"},
        "uw-not-fighter": {"en": "expected a fighter; {who} is not one", "es": "se espera un guerrero; {who} no lo es"},
        "uw-off-board": {
            "en": "{who} is off the battlefield: {hex} is not a complete hex.",
            "es": "{who} está fuera del campo de batalla: {hex} no es un hexágono completo.",
        },
    }
)  # fmt: skip
