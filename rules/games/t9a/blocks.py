"""Units as the rules see them: a block of bases, who stands where in it, its Boundary Rectangle and its words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from ...errors import Unknown
from ...footprint import Block, Footprint
from ...messages import msg, register
from ...plane import Array
from ...scene import Circle, Piece, Rect
from .frames import Frame, Point, norm_deg, turn_between
from .fronts import FrontUnknown, told_axis, turns_rigidly
from .numbers import EPS, FULL_RANK, HEIGHTS, LINE_FILES, SKIRMISH_GAP

__all__ = ["Model", "Unit", "make_unit"]


@dataclass(frozen=True)
class Words:
    """The traits of a piece with all that they imply (sheet, section 0.4)."""

    given: frozenset[str]

    @classmethod
    def of(cls, piece: Piece) -> Words:
        words = set(piece.traits)
        if "gigantic" in words:
            words.add("towering")
        if words & {"towering", "cavalry"}:
            words.add("tall")
        if words & {"cavalry", "construct"}:
            words.add("mounted")
        if "construct" in words:
            words.add("chariot")
        return cls(frozenset(words))

    def __contains__(self, word: str) -> bool:
        return word in self.given

    @property
    def height(self) -> int:
        return next((i for i, name in enumerate(HEIGHTS) if name in self.given and i), 0)


@dataclass(frozen=True)
class Model:
    """One base: where it stands in its unit, its Height and its words.

    `span` is how many (ranks, files) a large matching base covers; `beside` marks a mismatched character,
    who stands at the side of the block and counts in no rank.
    """

    id: str
    unit_id: str
    rank: int
    file: int
    frame: Frame
    words: Words
    beside: bool = False
    span: tuple[int, int] = (1, 1)

    @property
    def height(self) -> int:
        return self.words.height

    @property
    def tall(self) -> bool:
        return "tall" in self.words

    @property
    def at(self) -> Point:
        return self.frame.at


@dataclass(frozen=True)
class Unit:
    """A unit: its piece, the characters that joined it, and what follows from where they stand.

    The camera may tell which way the outline of a unit lies and not which side is its front. What only looks at the outline
    is then answered; what needs the front asks for it (`facing`, `frame`, `need_front`). `axis` is a direction assumed for the
    outline where not even that is known.
    """

    piece: Piece
    joined: tuple[Piece, ...] = ()
    axis: float | None = None

    @property
    def id(self) -> str:
        return self.piece.id

    @property
    def label(self) -> str:
        return self.piece.label

    @property
    def side(self) -> str | None:
        return self.piece.side

    @property
    def round(self) -> bool:
        return isinstance(self.piece.base, Circle) and self.count == 1

    @property
    def count(self) -> int:
        if self.piece.kind != "unit":
            return 1
        return max(self.piece.count if self.piece.count is not None else self.piece.files or 1, 1)

    @property
    def files(self) -> int:
        return min(self.piece.files or self.count, self.count)

    @property
    def ranks(self) -> int:
        return -(-self.count // self.files)

    @cached_property
    def words(self) -> Words:
        return Words.of(self.piece)

    def has(self, word: str) -> bool:
        """Whether the unit has a word: its own, of one of its models (`musician@1.3`), or of a character in it."""
        if word in self.words or any(t.startswith(word + "@") for t in self.piece.traits):
            return True
        return any(word in p.traits for p in self.joined)

    @property
    def facing(self) -> float:
        """The facing; `FrontUnknown` where the camera could not tell it."""
        if self.piece.facing is None:
            raise FrontUnknown(self.piece)
        return self.piece.facing

    @cached_property
    def faced(self) -> bool:
        """False where the outline was seen, but not which side is the front."""
        return self.round or told_axis(self.piece) is None

    def need_front(self) -> None:
        """Ask for the front of a unit of which only the outline was seen."""
        if not self.faced:
            raise FrontUnknown(self.piece)

    def need_outline(self) -> None:
        """Ask how it lies: a direction that is only assumed is not enough."""
        if self.faced and not self.round:
            _ = self.facing

    @cached_property
    def alike(self) -> bool:
        """Whether its bases stand on the same ground whichever side is the front: no incomplete rank, nobody special."""
        if self.faced:
            return True
        if self.joined or self.count != self.files * self.ranks:
            return False
        return self.count == 1 or not (_marks(self.piece) or turns_rigidly(self.piece))

    @property
    def _axis(self) -> float:
        """The facing, or the direction that the outline was seen or is assumed to lie."""
        if self.piece.facing is not None:
            return self.piece.facing
        lies = told_axis(self.piece)
        if lies is None:
            lies = self.axis
        if lies is None and not self.round:
            raise FrontUnknown(self.piece)
        return lies or 0.0

    @property
    def gap(self) -> float:
        return SKIRMISH_GAP if "skirmisher" in self.words and self.count > 1 else 0.0

    @cached_property
    def base(self) -> tuple[float, float, bool]:
        """Width and depth of one base, and whether it is round."""
        match self.piece.base:
            case Rect(width, depth):
                return width, depth, False
            case Circle(diameter):
                return diameter, diameter, True
        raise Unknown(msg("t9a-base-shape", who=self.label))

    @cached_property
    def block(self) -> Block:
        """The ranks and files of the troops, joined characters apart."""
        if self.piece.at is None:
            raise Unknown(msg("place-unknown", who=self.label))
        width, depth, _ = self.base
        rear = self.piece.trait("rear")
        last: tuple[int, ...] | None = None
        if rear:
            try:
                last = tuple(sorted({int(f) for f in rear.split(",")}))
            except ValueError:
                raise Unknown(msg("t9a-rear", who=self.label, got=rear)) from None
        return Block(self.piece.at, self._axis, width, depth, self.files, self.count, self.gap, last)

    @property
    def models(self) -> tuple[Model, ...]:
        """Every model, front to back and left to right, then the characters beside the block."""
        if not self.alike:
            self.need_front()
        return self._models

    @cached_property
    def _models(self) -> tuple[Model, ...]:
        width, depth, is_round = self.base
        block, words = self.block, self.words
        troops = []
        displaced: set[tuple[int, int]] = set()
        guests = []
        for piece in self.joined:
            guest, slots = _guest(piece, self)
            displaced |= slots
            guests.append(guest)
        marks = _marks(self.piece)
        single = self.count == 1
        for (rank, file), centre in zip(block.slots, block.centres, strict=True):
            if (rank, file) in displaced:
                continue
            at = (float(centre[0]), float(centre[1]))
            name = self.id if single else f"{self.id}#{rank}.{file}"
            frame = Frame(at, self._axis, width, depth, is_round)
            extra = marks.get((rank, file))
            own = Words(words.given | extra) if extra else words
            troops.append(Model(name, self.id, rank, file, frame, own))
        return (*troops, *guests)

    @property
    def by_id(self) -> dict[str, Model]:
        """The models by their names, which tell rank and file."""
        if self.count > 1:
            self.need_front()
        return {m.id: m for m in self.models}

    @property
    def slots(self) -> dict[tuple[int, int], Model]:
        """(rank, file) → the model there; a large base stands in every slot that it covers."""
        if self.count > 1:
            self.need_front()
        return self._slots

    @cached_property
    def _slots(self) -> dict[tuple[int, int], Model]:
        out: dict[tuple[int, int], Model] = {}
        for m in self._models:
            if not m.beside:
                for r in range(m.span[0]):
                    for f in range(m.span[1]):
                        out[m.rank + r, m.file + f] = m
        return out

    @cached_property
    def boundary(self) -> Frame:
        """T9A-BR-1: the smallest rectangle along the facing around all bases, empty slots and all."""
        width, depth, _is_round = self.base
        if self.round:
            assert self.piece.at is not None
            return Frame(self.piece.at, self._axis, width, depth, True)
        block = self.block
        whole = Frame(block.at, self._axis, block.whole_width_mm, block.whole_depth_mm)
        if not self.joined:
            return whole
        points = [whole.own(c) for c in whole.corners]
        for m in self._models:
            if m.beside or m.span != (1, 1):
                points += [whole.own((float(x), float(y))) for x, y in m.frame.ring]
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        centre = whole.world((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)
        return Frame(centre, self._axis, max(xs) - min(xs), max(ys) - min(ys))

    @property
    def frame(self) -> Frame:
        """The Boundary Rectangle with its front: `Unknown` where the front is not known."""
        if not self.round:
            _ = self.facing
        return self.boundary

    @property
    def footprint(self) -> Footprint:
        return self.boundary.footprint

    @property
    def centre(self) -> Point:
        return self.boundary.at

    @cached_property
    def bases(self) -> Footprint:
        """The ground that its bases really cover, in few rectangles."""
        if any(not m.beside for m in self.models if m.span != (1, 1)) or self.base[2]:
            parts = [p for m in self.models for p in m.frame.footprint.parts]
            return Footprint(tuple(parts), self.base[0] / 2 if self.base[2] else 0.0)
        parts = list(self.block.footprint.parts)
        parts += [p for m in self.models if m.beside for p in m.frame.footprint.parts]
        return Footprint(tuple(parts))

    @cached_property
    def shade(self) -> tuple[Array, ...]:
        """What obscures in a unit: its bases, of skirmishers with the gaps between neighbours (T9A-FORM-5)."""
        if not self.gap:
            return (self.boundary.ring,) if self.round else self.bases.parts
        slots = self._slots
        if len(slots) == self.files * self.ranks and not self.joined:
            return (self.boundary.ring,)
        if not self.alike:
            self.need_front()
        out: list[Array] = []
        grow = SKIRMISH_GAP / 2
        for (rank, file), m in slots.items():
            f = m.frame
            # half of each gap goes to each neighbour, so that the parts meet
            left, right = ((rank, file - 1) in slots) * grow, ((rank, file + 1) in slots) * grow
            front, back = ((rank - 1, file) in slots) * grow, ((rank + 1, file) in slots) * grow
            wide = Frame(f.world((right - left) / 2, 0.0), f.facing, f.width + left + right, f.depth)
            deep = Frame(f.world(0.0, (front - back) / 2), f.facing, f.width, f.depth + front + back)
            out += [wide.ring, deep.ring]
            if all(s in slots for s in ((rank + 1, file), (rank, file + 1), (rank + 1, file + 1))):
                square = f.world(f.width / 2 + grow, -f.depth / 2 - grow)
                out.append(Frame(square, f.facing, 2 * grow, 2 * grow).ring)
        return (*out, *(m.frame.ring for m in self.models if m.beside))

    @cached_property
    def height(self) -> int:
        """That of the majority of its models; a tie goes to the troops."""
        if not self.joined:
            return self.words.height
        heights = [m.height for m in self._models]
        best = max(heights.count(h) for h in heights)
        return next(h for h in (self.words.height, 0, 1, 2) if heights.count(h) == best)

    def half_are(self, word: str) -> bool:
        """T9A-BR-3: at least half of the models."""
        if not self.joined:
            return word in self.words
        return 2 * sum(word in m.words for m in self._models) >= len(self._models)

    def most_are(self, word: str) -> bool:
        if not self.joined:
            return word in self.words
        return 2 * sum(word in m.words for m in self._models) > len(self._models)

    # --- ranks ---------------------------------------------------------------------------------------------

    def rank_sizes(self) -> list[int]:
        """Models in each rank; a large matching base counts as those that it displaces."""
        sizes = [0] * self.ranks
        for rank, _ in self.slots:
            if rank <= self.ranks:
                sizes[rank - 1] += 1
        return sizes

    def file_sizes(self) -> list[int]:
        sizes = [0] * self.files
        for _, file in self.slots:
            if file <= self.files:
                sizes[file - 1] += 1
        return sizes

    @property
    def full_ranks(self) -> int:
        """T9A-FORM-2."""
        if self.most_are("light-troops"):
            return 0
        return sum(size >= FULL_RANK[self.height] for size in self.rank_sizes())

    @property
    def line(self) -> bool:
        """T9A-FORM-3."""
        return self.rank_sizes()[0] >= LINE_FILES

    @property
    def rank_bonus(self) -> int:
        """T9A-FORM-4."""
        return 0 if self.line else max(0, min(3, self.full_ranks - 1))

    @property
    def centres(self) -> list[Point]:
        return [m.at for m in self.models]


def _marks(piece: Piece) -> dict[tuple[int, int], frozenset[str]]:
    """`character@1.3` and the like: words of one slot."""
    out: dict[tuple[int, int], frozenset[str]] = {}
    for trait in piece.traits:
        word, at, place = trait.partition("@")
        rank, dot, file = place.partition(".")
        if at and dot and rank.isdigit() and file.isdigit():
            key = int(rank), int(file)
            out[key] = out.get(key, frozenset()) | {word}
    return out


def matches(base: tuple[float, float], troop: tuple[float, float]) -> tuple[int, int] | None:
    """T9A-FORM-7: (ranks, files) that a matching base displaces; None for a mismatched one."""
    across, back = base[0] / troop[0], base[1] / troop[1]
    near = abs(across - round(across)) * troop[0] <= EPS and abs(back - round(back)) * troop[1] <= EPS
    return (round(back), round(across)) if near and round(across) and round(back) else None


def _guest(piece: Piece, unit: Unit) -> tuple[Model, set[tuple[int, int]]]:
    """A joined character: beside the block, or in it where a matching base covers slots."""
    if piece.at is None:
        raise Unknown(msg("place-unknown", who=piece.label))
    match piece.base:
        case Rect(width, depth):
            pass
        case Circle(diameter):
            width = depth = diameter
        case _:
            raise Unknown(msg("t9a-base-shape", who=piece.label))
    facing = piece.facing
    if facing is None:
        facing, quarters = _as_its_unit(piece, unit._axis)
        width, depth = (depth, width) if quarters % 2 else (width, depth)
    frame = Frame(piece.at, facing, width, depth, isinstance(piece.base, Circle))
    words = Words.of(piece)
    span = matches((width, depth), unit.base[:2]) if unit.gap == 0 and not frame.round else None
    if span is not None:
        block = unit.block
        whole = Frame(block.at, unit._axis, block.whole_width_mm, block.whole_depth_mm)
        x, y = whole.own(piece.at)
        left, top = x - width / 2 + whole.width / 2, whole.depth / 2 - (y + depth / 2)
        file, rank = round(left / block.width_mm) + 1, round(top / block.depth_mm) + 1
        inside = file >= 1 and file + span[1] - 1 <= block.files and 1 <= rank <= block.ranks
        if inside:
            slots = {(rank + r, file + f) for r in range(span[0]) for f in range(span[1])}
            return Model(piece.id, unit.id, rank, file, frame, words, False, span), slots
    return Model(piece.id, unit.id, 1, 0, frame, words, True), set()


def _as_its_unit(piece: Piece, axis: float) -> tuple[float, int]:
    """A character faces as its unit does: its facing, and by how many quarters that is not how its outline is stated."""
    lies = told_axis(piece)
    if lies is None:
        return axis, 0
    quarters = round(turn_between(lies, axis) / 90.0)
    return norm_deg(lies + 90.0 * quarters), quarters


@lru_cache(maxsize=4096)
def make_unit(piece: Piece, joined: tuple[Piece, ...] = (), axis: float | None = None) -> Unit:
    """Units are pure functions of their pieces; asked again and again for error bars."""
    return Unit(piece, joined, axis)


register(
    {
        "t9a-base-shape": {
            "en": "{who} needs a rectangular or a round base in The 9th Age: give it one.",
            "es": "{who} necesita una peana rectangular o redonda en The 9th Age: indíquela.",
        },
        "t9a-rear": {
            "en": "The files of {who}'s last rank are not readable: expected rear:2,4, got rear:{got}.",
            "es": "No se entienden las columnas de la última fila de {who}: se esperaba rear:2,4 y hay rear:{got}.",
        },
    }
)
