"""The fortress as the rules see it: its spaces and steps, who and what is where, and how to draw it (SR-GRAPH)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import shapely

from ...drawing import Disc, Drawing, Polygon, Role, segment
from ...errors import Fault, QuestionError, Unknown
from ...game import Asked, Input
from ...messages import CATALOGUE, Message, Text, msg, register
from ...places import Doubt, settle
from ...scene import BoardSpace, Piece, Scene
from ...spaces import Column, SpaceGraph, locate
from ...verdict import Finding
from .game import GAME, SPACES

__all__ = ["Fortress", "Plan", "called", "doubts", "is_camera", "plan", "question"]

CHAMBER, COURTYARD, RESERVE = "chamber", "courtyard", "reserve"
TUNNEL_TOWER = "tower-tunnel"
WORKSHOPS = {"carpentry": "wood", "tannery": "leather", "foundry": "metal"}
"""Each workshop and what is worked there."""

ENGINES = ("catapult", "siege-tower")
SLOTS = tuple(f"slot-{n}" for n in range(1, 6))
TUNNEL = tuple(f"tunnel-{n}" for n in range(1, 6))
OFF_BOARD = "off-board"
"""Where a piece is that was seen on the table but in none of the outlined spaces."""

FOOT_MM = 12.0
"""Half the foot of a standee, for drawing."""


@dataclass(frozen=True)
class Plan:
    """How the spaces hang together on this table."""

    walls: tuple[str, ...]
    graph: SpaceGraph
    columns: tuple[Column, ...]
    shots: Mapping[str, tuple[str, ...]]
    """What can be shot at from each tower (SR-SHOOT-2, SR-SHOOT-3)."""

    def column(self, space: str) -> Column | None:
        return next((c for c in self.columns if space in c and space != CHAMBER), None)


@lru_cache(maxsize=16)
def plan(walls: tuple[str, ...], ring: bool) -> Plan:
    """SR-GRAPH-1 to SR-GRAPH-3.

    >>> plan(("carpentry", "tannery", "foundry"), True).graph.steps("courtyard", "tower-tunnel")
    3
    """
    edges: list[tuple[str, str]] = [(CHAMBER, COURTYARD), (COURTYARD, walls[0])]
    shots: dict[str, list[str]] = {TUNNEL_TOWER: [COURTYARD]}
    for shop in walls:
        edges += [(CHAMBER, shop), (shop, f"wall-{shop}"), (f"wall-{shop}", f"outside-{shop}")]
    towers = [(TUNNEL_TOWER, walls[:1])]
    towers += [(f"tower-{a}-{b}", (a, b)) for a, b in pairwise(walls)]
    for tower, joined in towers:
        for shop in joined:
            edges.append((tower, f"wall-{shop}"))
            shots.setdefault(tower, []).extend((f"wall-{shop}", f"outside-{shop}"))
    for a, b in pairwise(walls):
        edges.append((f"wall-{a}", f"wall-{b}"))
        if ring:
            edges.append((a, b))
    if ring:
        edges.append((walls[-1], COURTYARD))
    columns = tuple(Column((f"outside-{shop}", f"wall-{shop}", shop, CHAMBER)) for shop in walls)
    return Plan(walls, SpaceGraph.of(edges), columns, {t: tuple(s) for t, s in shots.items()})


def is_camera(scene: Scene) -> bool:
    """Whether a camera says how sure it is of anything; otherwise the scene is exact as it is written."""
    return any(p.sigma is not None or p.confidence is not None for p in scene.pieces)


def called(space: str) -> Message | str:
    """What people call a space."""
    key = f"sr-space-{space}"
    return msg(key) if key in CATALOGUE else space


def off_the_graph(space: str) -> bool:
    """The places beside the fortress."""
    return space in (RESERVE, "supply", OFF_BOARD, *SLOTS, *TUNNEL) or space.startswith("area-")


class Fortress:
    """One question's view of the scene: every piece of it has its space, or none that is known."""

    def __init__(self, a: Asked) -> None:
        self.a = a
        self.scene = a.scene
        self.plan = plan(*_options(a))
        self.graph = self.plan.graph
        self.camera = is_camera(a.scene)

    # --- who and where ---

    def space_of(self, piece: Piece) -> str:
        if piece.space is None:
            raise Unknown(msg("sr-no-space", who=piece.label))
        if piece.space not in self.graph and not off_the_graph(piece.space):
            raise Unknown(msg("sr-odd-space", who=piece.label, space=piece.space, known=[*self.graph.spaces]))
        return piece.space

    def dwarf(self, input_name: str = "unit") -> Piece:
        piece = self.a.piece(input_name)
        if piece.kind == "token" or any(
            piece.has(t) for t in ("orc", "goblin", "troll", "catapult", "siege-tower")
        ):
            raise QuestionError.of("sr-not-dwarf", input_name, who=piece.label)
        return piece

    def place(self, input_name: str) -> tuple[str, Message | str, Piece | None]:
        """The space that an input names, by itself or by a piece in it."""
        value = self.a[input_name]
        if isinstance(value, str):
            if value in self.graph or off_the_graph(value):
                return value, called(value), None
            piece = self.scene.find(value) or next(iter(self.engines(value)), None)
            if piece is not None:
                return self.space_of(piece), piece.label, piece
        known = ", ".join((*self.graph.spaces, *(p.id for p in self.scene.pieces)))
        raise QuestionError.of("input-no-such", input_name, ids=[str(value)], known=known)

    def figures(self, *traits: str, space: str | None = None) -> tuple[Piece, ...]:
        """The standees with one of the traits, on the board; with `space`, in that space."""
        return tuple(self._figures(traits, space))

    def _figures(self, traits: tuple[str, ...], space: str | None) -> Iterator[Piece]:
        for piece in self.scene.pieces:
            if piece.kind in ("token", "marker") or not any(piece.has(t) for t in traits):
                continue
            here = self.space_of(piece)
            if here == space if space is not None else here in self.graph:
                yield piece

    def hurtable(self, space: str) -> tuple[Piece, ...]:
        """The enemies in a space that an attack can hurt (SR-MELEE-1, SR-SHOOT-3)."""
        found = self.figures("orc", "troll", "goblin", space=space)
        return tuple(p for p in found if not p.has("goblin") or p.has("hostile"))

    def engines(self, trait: str | None = None) -> tuple[Piece, ...]:
        kinds = ENGINES if trait is None else tuple(t for t in ENGINES if t == trait)
        return tuple(p for p in self.scene.pieces if any(p.has(t) for t in kinds))

    # --- piles ---

    def pile(self, trait: str, *spaces: str) -> int | None:
        """How many lie there; None where no such pile was seen (not listed is not zero)."""
        found = [p for p in self.scene.pieces if p.kind != "model" and p.has(trait) and p.space in spaces]
        return sum(1 if p.count is None else p.count for p in found) if found else None

    def need(self, trait: str, *spaces: str) -> int:
        seen = self.pile(trait, *spaces)
        if seen is None:
            raise Unknown(msg("sr-pile-unseen", what=thing(trait), space=called(spaces[0])))
        return seen

    def blocks(self) -> int:
        """Sections of the tunnel that are left."""
        return self.need("tunnel-block", *TUNNEL)

    # --- drawing ---

    @cached_property
    def _outlines(self) -> dict[str, list[tuple[tuple[float, float], ...]]]:
        out: dict[str, list[tuple[tuple[float, float], ...]]] = {}
        for entry in outlined(self.scene):
            out.setdefault(entry.space, []).append(entry.outline)
        return out

    def draw(self, spaces: Iterable[str], role: Role = "zone") -> Drawing:
        """The outlines of spaces, where the scene says where they lie."""
        return tuple(Polygon(outline, role) for s in spaces for outline in self._outlines.get(s, ()))

    def draw_pieces(self, pieces: Iterable[Piece], role: Role = "piece") -> Drawing:
        return tuple(Disc(p.at, FOOT_MM, role) for p in pieces if p.at is not None)

    def draw_way(self, spaces: Sequence[str], role: Role = "path") -> Drawing:
        spots = [self._spot(s) for s in spaces]
        return tuple(segment(a, b, role) for a, b in pairwise(spots) if a is not None and b is not None)

    def _spot(self, space: str) -> tuple[float, float] | None:
        outlines = self._outlines.get(space)
        if not outlines:
            return None
        point = shapely.Polygon(outlines[0]).representative_point()
        return float(point.x), float(point.y)

    def odd_notes(self) -> tuple[Message, ...]:
        """Said of every piece whose space this board does not have, and of those seen off the board."""
        notes = []
        for p in self.scene.pieces:
            if p.space == OFF_BOARD and p.kind == "model":
                notes.append(msg("sr-off-board", who=p.label))
            elif p.space is not None and p.space not in self.graph and not off_the_graph(p.space):
                notes.append(msg("sr-odd-space-note", who=p.label, space=p.space))
        return tuple(notes)


def thing(trait: str) -> Message | str:
    key = f"sr-thing-{trait}"
    return msg(key) if key in CATALOGUE else trait


def ids(pieces: Iterable[Piece]) -> tuple[str, ...]:
    return tuple(p.id for p in pieces)


def labels(pieces: Sequence[Piece]) -> object:
    return [p.label for p in pieces] if pieces else msg("sr-nobody")


def names(spaces: Sequence[str]) -> object:
    return [called(s) for s in spaces] if spaces else msg("sr-nowhere")


# --- settings ------------------------------------------------------------------------------------------------


def _options(a: Asked) -> tuple[tuple[str, ...], bool]:
    walls = a.params.get("wall_order", _default("wall_order"))
    right = isinstance(walls, list | tuple) and sorted(map(str, walls)) == sorted(WORKSHOPS)
    if not right or walls[0] != "carpentry":
        raise QuestionError([Fault("params.wall_order", msg("sr-wall-order", got=str(walls)))])
    return tuple(walls), bool(a.params.get("patio_ring", _default("patio_ring")))


def _default(name: str) -> Any:
    param = GAME.param(name)
    assert param is not None
    return param.default


_ELSE: tuple[tuple[str, Any], ...] = (
    ("patio_ring", False),
    ("wall_order", ["carpentry", "foundry", "tannery"]),
)
"""What the settings that are only drawn in the book could be instead."""


def _by_picture(a: Asked, rule: Rule, found: Finding) -> tuple[Message, ...]:
    """Said where the answer rests on a setting that is only drawn in the book, and that nobody gave."""
    notes = []
    for name, other in _ELSE:
        if name in a.params:
            continue
        asked = replace(a, params={**a.params, name: other})
        try:
            same = rule(Fortress(asked)).said() == found.said()
        except (QuestionError, Unknown):
            # The scene names a tower that only the present order of walls has: it has been settled.
            same = True
        if not same:
            notes.append(msg("sr-by-picture", name=name))
    return tuple(notes)


# --- which space a piece stands in ---------------------------------------------------------------------------


def outlined(scene: Scene) -> tuple[BoardSpace, ...]:
    """Where the spaces lie: those of the board, and terrain that a person has drawn with a space's name as type."""
    drawn = tuple(BoardSpace(t.type, t.outline) for t in scene.terrain if t.type in SPACES)
    return (*(scene.board.spaces if scene.board else ()), *drawn)


def doubts(scene: Scene) -> dict[str, Doubt]:
    """For every piece seen at a point, the spaces it can stand in, the likeliest first.

    A space written into the scene holds, unless it comes from a camera that also says how sure it is.
    """
    spaces = outlined(scene)
    out: dict[str, Doubt] = {}
    for piece in scene.pieces if spaces else ():
        settled = piece.space is not None and (piece.sigma is None or piece.source == "hand")
        if piece.at is None or settled:
            continue
        sigma_mm = piece.sigma.at if piece.sigma else (0.0, 0.0)
        found = list(locate(spaces, piece.at, piece.height, sigma_mm).spaces) or [OFF_BOARD]
        if piece.space is not None:
            found = [piece.space, *(s for s in found if s not in (piece.space, OFF_BOARD))]
        out[piece.id] = Doubt(tuple(replace(piece, space=s) for s in found), tuple(called(s) for s in found))
    return out


Rule = Callable[[Fortress], Finding]


def question(
    query: str, title: Text, *inputs: Input, rules: Iterable[str], phase: str
) -> Callable[[Rule], Rule]:
    """Decorator: this function answers that question of a fortress in which every piece has its space."""

    def add(rule: Rule) -> Rule:
        @GAME.query(query, title, *inputs, rules=rules, phase=phase)
        def run(a: Asked) -> Finding:
            doubtful = doubts(a.scene)
            scene = a.scene
            for doubt in doubtful.values():
                scene = scene.with_piece(doubt.pieces[0])
            found = settle(lambda s: rule(Fortress(a.with_scene(s))), scene, doubtful)
            here = a.with_scene(scene)
            notes = (*_by_picture(here, rule, found), *Fortress(here).odd_notes())
            return replace(found, notes=(*found.notes, *notes))

        return rule

    return add


register(
    {
        **{f"sr-space-{space}": title for space, title in SPACES.items()},
        "sr-space-off-board": {"en": "a place off the board", "es": "un lugar fuera del tablero"},
        "sr-thing-gold": {"en": "gold", "es": "oro"},
        "sr-thing-wood": {"en": "wood", "es": "madera"},
        "sr-thing-leather": {"en": "leather", "es": "piel"},
        "sr-thing-metal": {"en": "metal", "es": "metal"},
        "sr-thing-any": {"en": "resources", "es": "recursos"},
        "sr-thing-rubble": {"en": "rubble", "es": "escombros"},
        "sr-thing-tunnel-block": {"en": "tunnel sections", "es": "secciones de túnel"},
        "sr-thing-orc": {"en": "orcs", "es": "orcos"},
        "sr-thing-troll": {"en": "trolls", "es": "troles"},
        "sr-thing-goblin": {"en": "goblins", "es": "goblins"},
        "sr-thing-dwarf": {"en": "dwarves", "es": "enanos"},
        "sr-thing-catapult": {"en": "the catapult", "es": "la catapulta"},
        "sr-thing-siege-tower": {"en": "the siege tower", "es": "la torre de asedio"},
        "sr-thing-troll-pile": {"en": "the troll tokens", "es": "las fichas de trol"},
        "sr-thing-catapult-deck": {"en": "the catapult deck", "es": "el mazo de catapulta"},
        "sr-thing-siege-deck": {"en": "the siege deck", "es": "el mazo de asedio"},
        "sr-nobody": {"en": "nobody", "es": "nadie"},
        "sr-nowhere": {"en": "none", "es": "ninguno"},
        "sr-no-space": {
            "en": "Which space {who} stands in is not known: give it one, or outline the spaces of the board (board.spaces).",
            "es": "No se sabe en qué espacio está {who}: asígnele uno o dibuje los espacios del tablero (board.spaces).",
        },
        "sr-odd-space": {
            "en": "{who} stands in “{space}”, which this board does not have; it has {known}.",
            "es": "{who} está en «{space}», que este tablero no tiene; tiene {known}.",
        },
        "sr-odd-space-note": {
            "en": "{who} stands in “{space}”, which this board does not have: it was left out.",
            "es": "{who} está en «{space}», que este tablero no tiene: no se ha contado.",
        },
        "sr-off-board": {
            "en": "{who} was seen off the board.",
            "es": "{who} se ha visto fuera del tablero.",
        },
        "sr-not-dwarf": {"en": "expected a dwarf; {who} is not one", "es": "se espera un enano; {who} no lo es"},
        "sr-pile-unseen": {
            "en": "The pile has not been seen: {what}, {space}. Show it to the camera or write how many there are.",
            "es": "No se ha visto la pila: {what}, {space}. Muéstrela a la cámara o indique cuántas piezas hay.",
        },
        "sr-wall-order": {
            "en": "expected the three workshops, the carpentry first (its wall touches the tunnel tower); got {got}",
            "es": "se esperan los tres talleres, la carpintería primero (su muro toca la torre del túnel); hay {got}",
        },
        "sr-by-picture": {
            "en": "By picture: this rests on {name}, which the book only draws. Set it for this table.",
            "es": "Según el dibujo: depende de {name}, que el reglamento solo muestra dibujado. Ajústelo para esta mesa.",
        },
    }
)  # fmt: skip
