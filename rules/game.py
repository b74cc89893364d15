"""A game as data plus small functions: its parameters, its questions and the function that answers each.

A game module makes one `Game`, and writes each question as a function that takes an `Asked` and returns a
`Finding`. Everything common (aliases, units, checks of the input, unknown facings, error bars, fair play)
is done here once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from .errors import Fault, QuestionError, Unknown
from .messages import Message, Text, msg, register
from .scene import Piece, Scene, Terrain
from .units import to_mm
from .verdict import Finding

__all__ = ["Asked", "Game", "Input", "InputKind", "Param", "Query", "Trait"]

InputKind = Literal[
    "piece",  # id of a piece
    "pieces",  # list of ids of pieces
    "terrain",  # id of a terrain entry
    "place",  # an id, a name that the game knows, or a point [x, y] (converted to mm)
    "length",  # in the scene's unit; converted to mm
    "angle",  # degrees
    "number",
    "count",  # whole number, 0 or more
    "flag",
    "choice",  # one of `choices`
    "text",
    "point",  # [x, y], converted to mm
    "path",  # list of points, converted to mm
    "hex",  # [q, r]
    "hexes",  # list of [q, r]
    "json",  # anything; the game reads it (lengths in it are NOT converted: use Asked.mm)
]


@dataclass(frozen=True)
class Input:
    """One named input of a question. `title` is what the page and `regla games` show."""

    name: str
    kind: InputKind
    title: Text
    required: bool = True
    choices: tuple[str, ...] = ()
    default: Any = None


@dataclass(frozen=True)
class Param:
    """A setting that the rulebook leaves open (SCENE.md, *Parameters*).

    `default` is in `unit` (lengths). `sure` is False where the sheet's confidence in it is low or medium: a verdict that
    rests on such a default says so. `default=None` means that it must be supplied.
    """

    name: str
    kind: Literal["length", "lengths", "angle", "number", "flag", "choice", "json"]
    default: Any
    title: Text
    unit: str = "mm"
    sure: bool = True
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True)
class Trait:
    """A game word that a person can give to a piece or terrain; `value` names what follows the colon."""

    name: str
    title: Text
    value: str | None = None
    on: Literal["piece", "terrain", "both"] = "piece"


@dataclass(frozen=True)
class Query:
    """One question of a game."""

    name: str
    title: Text
    inputs: tuple[Input, ...]
    rules: tuple[str, ...]
    run: Callable[[Asked], Finding]
    phase: str = "measure"
    premeasures: bool = False
    """True where the game forbids asking in advance: refused in tournament mode."""


@dataclass
class Game:
    """A game: what people call it, its unit, its parameters, traits and questions."""

    id: str
    title: Text
    unit: Literal["mm", "in"]
    params: tuple[Param, ...] = ()
    traits: tuple[Trait, ...] = ()
    terrain_types: Mapping[str, Text] = field(default_factory=dict)
    phases: Mapping[str, Text] = field(default_factory=dict)
    queries: dict[str, Query] = field(default_factory=dict)
    bases_mm: tuple[tuple[float, ...], ...] = ()
    """Base sizes the game uses: (diameter,) or (width, depth); the camera snaps to them."""
    table_mm: tuple[float, float] | None = None
    survey: Callable[..., Any] | None = None
    """A vectorised survey: (scene, ids of the viewers or None for all) -> regla.rules.survey.Survey."""
    unmentioned_params: frozenset[str] = frozenset()
    """Parameters of the sheet that only other rooms use (sizes for detection)."""

    def query(
        self,
        name: str,
        title: Text,
        *inputs: Input,
        rules: Iterable[str],
        phase: str = "measure",
        premeasures: bool = False,
    ) -> Callable[[Callable[[Asked], Finding]], Callable[[Asked], Finding]]:
        """Decorator: this function answers that question."""

        def add(run: Callable[[Asked], Finding]) -> Callable[[Asked], Finding]:
            if name in self.queries:
                raise ValueError(f"{self.id} has a query {name!r} already")
            self.queries[name] = Query(name, title, tuple(inputs), tuple(rules), run, phase, premeasures)
            return run

        return add

    def param(self, name: str) -> Param | None:
        return next((p for p in self.params if p.name == name), None)


_ONE_PIECE = ("from", "unit", "piece")


@dataclass(frozen=True)
class Asked:
    """A question as a rule sees it: the scene in millimetres, the inputs checked and converted.

    `a["range"]` is the input `range` (None when it was left out), `a.piece("from")` the piece it names,
    `a.param("contact_tol")` the setting that holds for this question.
    """

    scene: Scene
    game: Game
    query: Query
    values: Mapping[str, Any]
    params: Mapping[str, Any]
    unit: str
    mode: str = "friendly"
    rested_on: list[str] = field(default_factory=list, compare=False)

    def __getitem__(self, name: str) -> Any:
        return self.values.get(name)

    def given(self, name: str) -> bool:
        return self.values.get(name) is not None

    def mm(self, length: float) -> float:
        """A length of the question (in the scene's unit) in millimetres."""
        return to_mm(length, self.unit)

    def piece(self, name: str = "from") -> Piece:
        """The piece that an input names; it has been checked to exist."""
        return self.scene.piece(self.values[name])

    def pieces(self, name: str = "ids") -> tuple[Piece, ...]:
        return tuple(self.scene.piece(i) for i in self.values[name])

    def terrain(self, name: str = "terrain") -> Terrain:
        found = self.scene.find_terrain(self.values[name])
        assert found is not None
        return found

    def facing(self, piece: Piece, rules: tuple[str, ...] = ()) -> float:
        """The facing in degrees; a piece whose facing is not known makes the answer `unknown`."""
        if piece.facing is None:
            raise Unknown(msg("facing-unknown", who=piece.label), rules)
        return piece.facing

    def at(self, piece: Piece) -> tuple[float, float]:
        if piece.at is None:
            raise Unknown(msg("place-unknown", who=piece.label))
        return piece.at

    def param(self, name: str) -> Any:
        """The setting that holds: the question's, else the scene's, else the sheet's default. Lengths in mm."""
        declared = self.game.param(name)
        if declared is None:
            raise KeyError(name)
        if name in self.params:
            return self.params[name]
        if declared.default is None:
            raise Unknown(msg("param-missing", name=name, title=declared.title))
        if not declared.sure and name not in self.rested_on:
            self.rested_on.append(name)
        return _param_mm(declared, declared.default, declared.unit)

    def with_scene(self, scene: Scene) -> Asked:
        return replace(self, scene=scene)


def _param_mm(param: Param, value: Any, unit: str) -> Any:
    if param.kind == "length":
        return to_mm(float(value), unit)
    if param.kind == "lengths":
        return tuple(to_mm(float(v), unit) for v in value)
    return value


# --- from a plain question to an Asked -----------------------------------------------------------------------


def prepare(game: Game, scene: Scene, question: Mapping[str, Any], mode: str) -> Asked:
    """Check a plain question against the game and the scene; every fault is listed at once."""
    faults: list[Fault] = []
    name = question.get("query")
    query = game.queries.get(name) if isinstance(name, str) else None
    if query is None:
        known = ", ".join(sorted(game.queries))
        raise QuestionError.of("question-query", "query", got=repr(name), game=game.title, known=known)
    given = {k: v for k, v in question.items() if k not in ("query", "params") and v is not None}
    _alias(query, given)
    values: dict[str, Any] = {}
    for expected in query.inputs:
        if expected.name not in given:
            if expected.required:
                faults.append(Fault(expected.name, msg("input-missing", title=expected.title)))
            elif expected.default is not None:
                values[expected.name] = expected.default
            continue
        raw = given.pop(expected.name)
        value, fault = _convert(expected, raw, scene)
        if fault is not None:
            faults.append(Fault(expected.name, fault))
        else:
            values[expected.name] = value
    takes = ", ".join(i.name for i in query.inputs) or "-"
    faults += [Fault(key, msg("input-not-taken", query=query.name, takes=takes)) for key in given]
    params = _params(game, scene, question, faults)
    if faults:
        raise QuestionError(faults)
    return Asked(scene.in_mm(), game, query, values, params, scene.unit, mode)


def _alias(query: Query, given: dict[str, Any]) -> None:
    """`from`, `unit` and `piece` mean the same where only one of them is given and one is wanted."""
    wanted = [i.name for i in query.inputs if i.name in _ONE_PIECE]
    offered = [name for name in _ONE_PIECE if name in given]
    if len(wanted) == 1 and len(offered) == 1 and wanted != offered:
        given[wanted[0]] = given.pop(offered[0])


def _params(game: Game, scene: Scene, question: Mapping[str, Any], faults: list[Fault]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    asked = question.get("params") or {}
    if not isinstance(asked, Mapping):
        faults.append(Fault("params", msg("input-kind", kind="json", got=repr(asked))))
        asked = {}
    for place, source in (("scene.params", scene.params), ("params", asked)):
        for name, value in source.items():
            param = game.param(name)
            if param is None:
                known = ", ".join(p.name for p in game.params) or "-"
                faults.append(Fault(f"{place}.{name}", msg("param-unlisted", game=game.title, known=known)))
                continue
            if value is None:
                continue
            fault = _param_fault(param, value)
            if fault is not None:
                faults.append(Fault(f"{place}.{name}", fault))
            else:
                out[name] = _param_mm(param, value, scene.unit)
    return out


def _param_fault(param: Param, value: Any) -> Message | None:
    numeric = param.kind in ("length", "angle", "number")
    if numeric and not _is_number(value):
        return msg("input-kind", kind=param.kind, got=repr(value))
    if param.kind == "lengths" and not (
        isinstance(value, list | tuple) and value and all(_is_number(v) for v in value)
    ):
        return msg("input-kind", kind="lengths", got=repr(value))
    if param.kind == "flag" and not isinstance(value, bool):
        return msg("input-kind", kind="flag", got=repr(value))
    if param.kind == "choice" and value not in param.choices:
        return msg("fault-one-of", limit=", ".join(param.choices), got=repr(value))
    if numeric and param.least is not None and value < param.least:
        return msg("fault-at-least", limit=param.least, got=value)
    if numeric and param.most is not None and value > param.most:
        return msg("fault-at-most", limit=param.most, got=value)
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_point(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(_is_number(v) for v in value)


def _is_hex(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(type(v) is int for v in value)


def _convert(expected: Input, raw: Any, scene: Scene) -> tuple[Any, Message | None]:
    def wrong() -> tuple[None, Message]:
        return None, msg("input-kind", kind=expected.kind, got=repr(raw)[:80])

    def point(p: Any) -> tuple[float, float]:
        return to_mm(float(p[0]), scene.unit), to_mm(float(p[1]), scene.unit)

    def unknown(ids: list[str], known: Iterable[str]) -> tuple[None, Message]:
        return None, msg("input-no-such", ids=ids, known=", ".join(known) or "-")

    match expected.kind:
        case "piece":
            if not isinstance(raw, str):
                return wrong()
            return (raw, None) if scene.find(raw) else unknown([raw], (p.id for p in scene.pieces))
        case "pieces":
            if not isinstance(raw, list | tuple) or not all(isinstance(i, str) for i in raw):
                return wrong()
            lost = [i for i in raw if scene.find(i) is None]
            return unknown(lost, (p.id for p in scene.pieces)) if lost else (tuple(raw), None)
        case "terrain":
            if not isinstance(raw, str):
                return wrong()
            return (raw, None) if scene.find_terrain(raw) else unknown([raw], (t.id for t in scene.terrain))
        case "place":
            if isinstance(raw, str):
                return raw, None
            return (point(raw), None) if _is_point(raw) else wrong()
        case "length":
            return (to_mm(float(raw), scene.unit), None) if _is_number(raw) else wrong()
        case "angle" | "number":
            return (float(raw), None) if _is_number(raw) else wrong()
        case "count":
            return (int(raw), None) if _is_number(raw) and raw == int(raw) and raw >= 0 else wrong()
        case "flag":
            return (raw, None) if isinstance(raw, bool) else wrong()
        case "choice":
            if raw in expected.choices:
                return raw, None
            return None, msg("fault-one-of", limit=", ".join(expected.choices), got=repr(raw))
        case "text":
            return (raw, None) if isinstance(raw, str) else wrong()
        case "point":
            return (point(raw), None) if _is_point(raw) else wrong()
        case "path":
            ok = isinstance(raw, list | tuple) and bool(raw) and all(_is_point(p) for p in raw)
            return (tuple(point(p) for p in raw), None) if ok else wrong()
        case "hex":
            return (cast(Any, tuple(raw)), None) if _is_hex(raw) else wrong()
        case "hexes":
            ok = isinstance(raw, list | tuple) and all(_is_hex(h) for h in raw)
            return (tuple(tuple(h) for h in raw), None) if ok else wrong()
        case "json":
            return raw, None


register(
    {
        "question-query": {
            "en": "{game} has no question {got}; it has {known}",
            "es": "{game} no tiene la pregunta {got}; tiene {known}",
        },
        "input-missing": {"en": "expected, but missing ({title})", "es": "falta y es obligatorio ({title})"},
        "input-not-taken": {
            "en": "is not an input of {query}; it takes {takes}",
            "es": "no es un dato de {query}; admite {takes}",
        },
        "input-kind": {"en": "expected {kind}, got {got}", "es": "se esperaba {kind}, hay {got}"},
        "input-no-such": {
            "en": "no such id on the table: {ids}; there are {known}",
            "es": "no está en la mesa: {ids}; hay {known}",
        },
        "param-unlisted": {
            "en": "{game} has no such setting; it has {known}",
            "es": "{game} no tiene ese ajuste; tiene {known}",
        },
        "param-missing": {
            "en": "The setting {name} is needed and has no default: {title}. Give it in the scene's params or with the question.",
            "es": "Hace falta el ajuste {name}, que no tiene valor por omisión: {title}. Indíquelo en params de la escena o con la pregunta.",
        },
        "facing-unknown": {
            "en": "Which way does {who} face? The answer depends on it: set its facing.",
            "es": "¿Hacia dónde mira {who}? La respuesta depende de ello: indique su orientación.",
        },
        "place-unknown": {
            "en": "Where {who} stands is not known: give it a place on the table.",
            "es": "No se sabe dónde está {who}: indique su lugar en la mesa.",
        },
        "default-used": {
            "en": "Rests on {name} = {value}, a default that nobody measured on this table.",
            "es": "Se apoya en {name} = {value}, un valor por omisión que nadie ha medido en esta mesa.",
        },
        "overlap-flag": {
            "en": "{a} and {b} overlap as given; check their places.",
            "es": "{a} y {b} se solapan tal como están; compruebe sus lugares.",
        },
        "not-in-tournament": {
            "en": "This may not be measured in advance in {game}; it is answered in friendly mode only.",
            "es": "En {game} esto no se puede medir por adelantado; solo se responde en modo amistoso.",
        },
        "too-close-remedy": {
            "en": "Measure it by hand, or freeze the table for a finer measurement.",
            "es": "Mídalo a mano, o congele la mesa para medir con más precisión.",
        },
    }
)  # fmt: skip
