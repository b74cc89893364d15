"""The scene document: JSON in and out, every fault listed with its place."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import shapely
from pydantic import TypeAdapter, ValidationError

from .errors import Fault, SceneError
from .messages import Message, msg, register
from .scene import (
    Base,
    Board,
    BoardHex,
    BoardSpace,
    Circle,
    Frozen,
    Hex,
    Layout,
    Piece,
    Point,
    Polygon,
    Rect,
    Scene,
    Sigma,
    Table,
    Terrain,
    Tile,
)
from .units import Unit, mm_per

MAX_BYTES = 5_000_000
"""A scene of 2,000 pieces is a tenth of this."""

ABSURD_MM = 100_000.0
"""A hundred metres: no coordinate on a table is farther from its corner."""

BASE_MM = (1.0, 1000.0)
"""The smallest token is some millimetres, the largest base of any game a fifth of this."""

TABLE_MM = (100.0, 20_000.0)
"""From a coaster to a row of ten trestle tables."""


@cache
def _adapter() -> TypeAdapter[Scene]:
    return TypeAdapter(Scene)


def schema() -> dict[str, Any]:
    """The document's JSON Schema (2020-12)."""
    return {
        **_adapter().json_schema(),
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Regla scene",
    }


def read(path: Path) -> Scene:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SceneError([Fault("", msg("fault-too-large", size=path.stat().st_size, most=MAX_BYTES))])
        data = path.read_bytes()
    except OSError as error:
        raise SceneError([Fault(str(path), msg("fault-file", why=error.strerror or "?"))]) from None
    return parse(data)


def write(scene: Scene, path: Path) -> None:
    """Write through a neighbour file, so that a crash never leaves half a document."""
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(to_dict(scene), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    part.replace(path)


def parse(document: str | bytes | Mapping[str, Any]) -> Scene:
    raw = _plain(document)
    prepared = _prepare(raw)
    faults: list[Fault] = list(_nan_faults(raw.get("params"), "params"))
    scene: Scene | None = None
    try:
        text = json.dumps(prepared)
        if len(text) > MAX_BYTES:
            raise SceneError([Fault("", msg("fault-too-large", size=len(text), most=MAX_BYTES))])
        scene = _adapter().validate_json(text, strict=True)
    except ValidationError as error:
        faults += [_fault(dict(item)) for item in error.errors(include_url=False)]
    except (TypeError, ValueError, RecursionError) as error:
        raise SceneError([Fault("", msg("fault-json", why=str(error)))]) from None
    faults += _id_faults(raw)
    if scene is not None:
        scene = _normalised(scene)
        faults += _meaning_faults(scene)
    if faults or scene is None:
        raise SceneError(faults)
    return scene


def _plain(document: str | bytes | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(document, str | bytes):
        if len(document) > MAX_BYTES:
            raise SceneError([Fault("", msg("fault-too-large", size=len(document), most=MAX_BYTES))])
        try:
            document = json.loads(document)
        except (ValueError, RecursionError) as error:
            raise SceneError([Fault("", msg("fault-json", why=str(error)))]) from None
    if not isinstance(document, Mapping):
        raise SceneError([Fault("", msg("fault-object", got=type(document).__name__))])
    return document


_PIECE_KEYS = {f.name for f in fields(Piece)} - {"extra"}
_TERRAIN_KEYS = {f.name for f in fields(Terrain)} - {"extra"}
_SCENE_KEYS = {f.name for f in fields(Scene)} - {"extra"}


def _prepare(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Fields that we do not know are kept in `extra`; true flags become traits (SCENE.md, *Fields*)."""
    out: dict[str, Any] = {key: value for key, value in raw.items() if key in _SCENE_KEYS}
    out["extra"] = {key: value for key, value in raw.items() if key not in _SCENE_KEYS}
    if out.get("params") is None:
        out.pop("params", None)
    for key, known in (("pieces", _PIECE_KEYS), ("terrain", _TERRAIN_KEYS)):
        if out.get(key) is None:
            out.pop(key, None)
        elif isinstance(out[key], list | tuple):
            out[key] = [
                _prepare_entry(entry, known) if isinstance(entry, Mapping) else entry for entry in out[key]
            ]
    return out


def _prepare_entry(entry: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    out = {key: value for key, value in entry.items() if key in known}
    extra = {key: value for key, value in entry.items() if key not in known}
    flags = [key for key, value in extra.items() if value is True]
    traits = out.get("traits")
    if traits is None:
        out["traits"] = flags
    elif isinstance(traits, list | tuple):
        out["traits"] = [*traits, *(flag for flag in flags if flag not in traits)]
    out["extra"] = {key: value for key, value in extra.items() if not isinstance(value, bool)}
    if out.get("side") == "none":
        out["side"] = None
    return out


def _normalised(scene: Scene) -> Scene:
    """Free parts frozen, so that a scene is immutable all through."""

    def entry(item: Any) -> Any:
        return replace(item, extra=Frozen(item.extra))

    return replace(
        scene,
        pieces=tuple(entry(p) for p in scene.pieces),
        terrain=tuple(entry(t) for t in scene.terrain),
        params=Frozen(scene.params),
        extra=Frozen(scene.extra),
    )


# --- faults -------------------------------------------------------------------------------------------------

_KEYS = {
    "greater_than": ("fault-over", "gt"),
    "greater_than_equal": ("fault-at-least", "ge"),
    "less_than": ("fault-under", "lt"),
    "less_than_equal": ("fault-at-most", "le"),
    "literal_error": ("fault-one-of", "expected"),
    "too_short": ("fault-more-items", "min_length"),
    "too_long": ("fault-fewer-items", "max_length"),
    "string_too_short": ("fault-longer-text", "min_length"),
    "string_too_long": ("fault-shorter-text", "max_length"),
}
_TAGS = {"circle", "rect", "polygon", "hex"}


def _fault(error: dict[str, Any]) -> Fault:
    kind, given, context = error["type"], error.get("input"), error.get("ctx") or {}
    message: Message
    if kind in ("missing", "missing_argument", "missing_keyword_only_argument"):
        message = msg("fault-missing")
    elif kind in _KEYS:
        key, name = _KEYS[kind]
        message = msg(
            key, limit=_short(context.get(name, context.get("expected_tags", ""))), got=_short(given)
        )
    elif kind == "finite_number":
        message = msg("fault-finite", got=_short(given))
    elif kind.startswith("union_tag"):
        tag = context.get("tag", given.get("shape") if isinstance(given, Mapping) else given)
        message = msg("fault-one-of", limit="'circle', 'rect', 'polygon', 'hex'", got=_short(tag))
    else:
        wanted = kind.removesuffix("_type").removesuffix("_parsing").replace("_", " ")
        message = msg("fault-type", limit=wanted, got=_short(given))
    return Fault(_place(error["loc"]), message)


def _place(loc: tuple[Any, ...]) -> str:
    place = ""
    for before, part in zip((None, *loc), loc, strict=False):
        if before == "base" and part in _TAGS:
            continue
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else str(part)
    return place


def _short(value: object) -> str:
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if isinstance(value, float):
        return f"{value:g}"
    text = repr(value) if isinstance(value, str) and not value.startswith("'") else str(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _id_faults(raw: Mapping[str, Any]) -> Iterator[Fault]:
    seen: dict[str, str] = {}
    for key in ("pieces", "terrain"):
        entries = raw.get(key)
        for i, entry in enumerate(entries if isinstance(entries, list | tuple) else ()):
            name = entry.get("id") if isinstance(entry, Mapping) else None
            if isinstance(name, str) and name:
                place = f"{key}[{i}].id"
                if name in seen:
                    yield Fault(place, msg("fault-twice", id=name, where=seen[name]))
                seen.setdefault(name, place)


def _nan_faults(value: Any, place: str) -> Iterator[Fault]:
    if isinstance(value, float) and not math.isfinite(value):
        yield Fault(place, msg("fault-finite", got=value))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _nan_faults(item, f"{place}.{key}")
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from _nan_faults(item, f"{place}[{i}]")


def _meaning_faults(scene: Scene) -> Iterator[Fault]:
    """What types cannot say: absurd sizes, places that are missing, outlines that cross themselves."""
    from .games import GAMES

    k = mm_per(scene.unit)
    if scene.game not in GAMES:
        yield Fault("game", msg("fault-one-of", limit=", ".join(sorted(GAMES)), got=repr(scene.game)))
    if scene.table is not None:
        for side in ("width", "depth"):
            yield from _size_faults(f"table.{side}", getattr(scene.table, side), TABLE_MM, scene.unit)
    for i, piece in enumerate(scene.pieces):
        place = f"pieces[{i}]"
        if piece.at is None and piece.hex is None and piece.space is None:
            yield Fault(place, msg("fault-no-place"))
        if piece.at is not None:
            yield from _far_faults(f"{place}.at", (piece.at,), k)
        for name, size in _sizes(piece.base):
            yield from _size_faults(f"{place}.base.{name}", size, BASE_MM, scene.unit)
        if isinstance(piece.base, Polygon):
            yield from _outline_faults(f"{place}.base.points", piece.base.points)
        if piece.kind == "unit" and piece.files and piece.count and piece.files > piece.count:
            yield Fault(f"{place}.files", msg("fault-files", count=piece.count, got=piece.files))
    for i, terrain in enumerate(scene.terrain):
        place = f"terrain[{i}]"
        yield from _far_faults(f"{place}.outline", terrain.outline, k)
        yield from _outline_faults(f"{place}.outline", terrain.outline)
    if scene.board is not None:
        places = [entry.hex for entry in scene.board.hexes]
        for i, at in enumerate(places):
            if at in places[:i]:
                yield Fault(f"board.hexes[{i}].hex", msg("fault-twice", id=list(at), where="board.hexes"))
        for i, space in enumerate(scene.board.spaces):
            yield from _outline_faults(f"board.spaces[{i}].outline", space.outline)


def _sizes(base: Base | None) -> Iterator[tuple[str, float]]:
    match base:
        case Circle(diameter):
            yield "diameter", diameter
        case Rect(width, depth):
            yield "width", width
            yield "depth", depth
        case Hex(across):
            yield "across_flats", across


def _size_faults(place: str, size: float, limits_mm: tuple[float, float], unit: str) -> Iterator[Fault]:
    least, most = limits_mm
    if not least <= size * mm_per(unit) <= most:
        yield Fault(place, msg("fault-absurd", least=least, most=most, got=f"{size:g} {unit}"))


def _far_faults(place: str, points: tuple[Point, ...], k: float) -> Iterator[Fault]:
    if any(abs(x * k) > ABSURD_MM or abs(y * k) > ABSURD_MM for x, y in points):
        yield Fault(place, msg("fault-far"))


def _outline_faults(place: str, points: tuple[Point, ...]) -> Iterator[Fault]:
    outline = shapely.Polygon(points)
    if not outline.is_valid:
        yield Fault(place, msg("fault-crosses"))
    elif outline.area == 0:
        yield Fault(place, msg("fault-flat"))


# --- out ----------------------------------------------------------------------------------------------------

_ALWAYS = {"id", "game", "unit", "pieces", "shape", "traits", "kind"}


def to_dict(scene: Scene) -> dict[str, Any]:
    out = _plain_data(scene)
    assert isinstance(out, dict)
    return out


def _absent(item: Any) -> bool:
    # Asked by type: a numpy number, as vision may hand in, compares with () element by element.
    return item is None or (isinstance(item, tuple | Mapping) and not item)


def _plain_data(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        out: dict[str, Any] = {}
        for f in fields(value):
            item = getattr(value, f.name)
            if f.name == "extra":
                out.update(_plain_data(item))
            elif f.name in _ALWAYS or not _absent(item):
                out[f.name] = _plain_data(item)
        return out
    if isinstance(value, Mapping):
        return {key: _plain_data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_data(item) for item in value]
    return value


def scaled(scene: Scene, k: float, unit: Unit) -> Scene:
    """Every length times `k`."""

    def point(p: Point | None) -> Point | None:
        return None if p is None else (p[0] * k, p[1] * k)

    def points(ps: tuple[Point, ...]) -> tuple[Point, ...]:
        return tuple((x * k, y * k) for x, y in ps)

    def base(b: Base | None) -> Base | None:
        match b:
            case Circle(diameter):
                return Circle(diameter * k)
            case Rect(width, depth):
                return Rect(width * k, depth * k)
            case Polygon(outline):
                return Polygon(points(outline))
            case Hex(across):
                return Hex(across * k)
        return None

    def piece(p: Piece) -> Piece:
        sigma = None if p.sigma is None else Sigma((p.sigma.at[0] * k, p.sigma.at[1] * k), p.sigma.facing)
        height = None if p.height is None else p.height * k
        return replace(p, at=point(p.at), base=base(p.base), sigma=sigma, height=height)

    def terrain(t: Terrain) -> Terrain:
        access = None if t.access is None else points(t.access)
        return replace(t, outline=points(t.outline), centre=point(t.centre), access=access)

    def board(b: Board | None) -> Board | None:
        if b is None:
            return None
        layout = b.layout
        if layout is not None:
            across = None if layout.across_flats is None else layout.across_flats * k
            layout = Layout(across, point(layout.origin), layout.rotation)
        spaces = tuple(BoardSpace(s.space, points(s.outline), s.height * k) for s in b.spaces)
        return replace(b, layout=layout, spaces=spaces)

    return replace(
        scene,
        unit=unit,
        table=None if scene.table is None else Table(scene.table.width * k, scene.table.depth * k),
        pieces=tuple(piece(p) for p in scene.pieces),
        terrain=tuple(terrain(t) for t in scene.terrain),
        board=board(scene.board),
    )


__all__ = ["BoardHex", "Tile", "parse", "read", "scaled", "schema", "to_dict", "write"]

register(
    {
        "fault-missing": {"en": "expected, but missing", "es": "falta y es obligatorio"},
        "fault-over": {"en": "expected over {limit}, got {got}", "es": "se esperaba más de {limit}, hay {got}"},
        "fault-at-least": {
            "en": "expected at least {limit}, got {got}",
            "es": "se esperaba al menos {limit}, hay {got}",
        },
        "fault-under": {"en": "expected under {limit}, got {got}", "es": "se esperaba menos de {limit}, hay {got}"},
        "fault-at-most": {
            "en": "expected at most {limit}, got {got}",
            "es": "se esperaba como mucho {limit}, hay {got}",
        },
        "fault-one-of": {"en": "expected one of {limit}; got {got}", "es": "se esperaba uno de {limit}; hay {got}"},
        "fault-more-items": {
            "en": "expected at least {limit} entries, got {got}",
            "es": "se esperaban al menos {limit} elementos, hay {got}",
        },
        "fault-fewer-items": {
            "en": "expected at most {limit} entries, got {got}",
            "es": "se esperaban como mucho {limit} elementos, hay {got}",
        },
        "fault-longer-text": {
            "en": "expected at least {limit} characters, got {got}",
            "es": "se esperaban al menos {limit} caracteres, hay {got}",
        },
        "fault-shorter-text": {
            "en": "expected at most {limit} characters, got {got}",
            "es": "se esperaban como mucho {limit} caracteres, hay {got}",
        },
        "fault-finite": {"en": "expected a finite number, got {got}", "es": "se esperaba un número finito, hay {got}"},
        "fault-type": {"en": "expected a valid {limit}, got {got}", "es": "se esperaba un valor válido ({limit}), hay {got}"},
        "fault-twice": {"en": "the id {id} is used twice (first at {where})", "es": "el id {id} aparece dos veces (antes en {where})"},
        "fault-no-place": {
            "en": "expected a place: at [x, y], hex [q, r] or space",
            "es": "falta el lugar: at [x, y], hex [q, r] o space",
        },
        "fault-absurd": {
            "en": "expected between {least} and {most} mm, got {got}; is the document's unit right?",
            "es": "se esperaba entre {least} y {most} mm, hay {got}; ¿es correcta la unidad del documento?",
        },
        "fault-far": {
            "en": "lies over 100 m from the table's corner; is the document's unit right?",
            "es": "está a más de 100 m de la esquina de la mesa; ¿es correcta la unidad del documento?",
        },
        "fault-crosses": {
            "en": "the outline crosses itself; give its corners in order",
            "es": "el contorno se cruza consigo mismo; dé sus esquinas en orden",
        },
        "fault-flat": {"en": "the outline has no area", "es": "el contorno no tiene superficie"},
        "fault-files": {
            "en": "expected at most the count ({count}), got {got}: the front rank cannot be wider than the unit",
            "es": "se esperaba como mucho la cantidad ({count}), hay {got}: la fila frontal no puede ser más ancha que la unidad",
        },
        "fault-json": {"en": "not a JSON document: {why}", "es": "no es un documento JSON: {why}"},
        "fault-object": {"en": "expected an object, got {got}", "es": "se esperaba un objeto, hay {got}"},
        "fault-file": {"en": "cannot be read: {why}", "es": "no se puede leer: {why}"},
        "fault-too-large": {
            "en": "the document has {size} bytes; at most {most} are read",
            "es": "el documento tiene {size} bytes; se leen como mucho {most}",
        },
    }
)  # fmt: skip
