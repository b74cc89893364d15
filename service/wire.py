"""The live message: a whole scene in a few kilobytes, then only what changed.

Rows are lists, since forty objects with the same forty keys are mostly keys; `COLUMNS` names them once. Lengths are mm to a hundredth,
angles to a tenth of a degree: finer than any camera over a table sees.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from regla.rules import Piece, Scene
from regla.rules.scene import Circle, Hex, Polygon, Rect

from .engine import Snapshot, Status

__all__ = ["COLUMNS", "Packed", "delta", "dumps", "full", "pack", "status_json"]

COLUMNS = (
    "id", "side", "kind", "at", "facing", "base", "files", "count", "sigma", "traits", "name", "source", "hand",
    "hex", "space", "height",
)  # fmt: skip

SOURCES = {"camera": "c", "tag": "t", "hand": "h"}
KINDS = {"model": "m", "unit": "u", "token": "t", "marker": "k"}


@dataclass(frozen=True)
class Packed:
    """A snapshot ready to be compared with another: rows by id, and the parts that seldom change."""

    version: int
    time: float
    rows: dict[str, list[Any]]
    rest: dict[str, Any]
    status: dict[str, Any]
    look_ms: float | None = None


def _r(value: float | None, digits: int = 2) -> float | int | None:
    if value is None:
        return None
    rounded = round(value, digits)
    return int(rounded) if rounded == int(rounded) else rounded


def _base(piece: Piece) -> list[Any] | None:
    match piece.base:
        case Circle(d):
            return ["c", _r(d)]
        case Rect(w, d):
            return ["r", _r(w), _r(d)]
        case Hex(a):
            return ["h", _r(a)]
        case Polygon(points):
            return ["p", [[_r(x), _r(y)] for x, y in points]]
    return None


def _row(piece: Piece) -> list[Any]:
    sigma = None
    if piece.sigma is not None:
        sigma = [_r(piece.sigma.at[0]), _r(piece.sigma.at[1]), _r(piece.sigma.facing)]
    row: list[Any] = [
        piece.id,
        piece.side,
        KINDS[piece.kind],
        None if piece.at is None else [_r(piece.at[0]), _r(piece.at[1])],
        _r(piece.facing, 1),
        _base(piece),
        piece.files,
        piece.count,
        sigma,
        list(piece.traits) or None,
        piece.name,
        SOURCES.get(piece.source or ""),
        list(piece.extra.get("by_hand", ())) or None,
        None if piece.hex is None else list(piece.hex),
        piece.space,
        _r(piece.height, 1),
    ]
    while row[-1] is None:
        row.pop()
    return row


def status_json(status: Status) -> dict[str, Any]:
    out = {
        "word": status.word,
        "since": _r(status.since, 1),
        "grade": status.grade,
        "error_mm": _r(status.error_mm),
        "detail": status.detail,
    }
    return {k: v for k, v in out.items() if v is not None}


def _rest(scene: Scene) -> dict[str, Any]:
    document = replace(scene, pieces=()).to_dict()
    return {k: document[k] for k in ("game", "table", "terrain", "board", "params") if k in document}


def pack(snapshot: Snapshot, **extra: Any) -> Packed:
    """`extra` are parts of the message that are not of the scene: the overlay's state, the table's name."""
    scene = snapshot.scene
    return Packed(
        snapshot.version,
        snapshot.time,
        {p.id: _row(p) for p in scene.pieces},
        {**_rest(scene), **extra},
        status_json(snapshot.status),
        snapshot.look_ms,
    )


def full(packed: Packed) -> dict[str, Any]:
    """The first message of a connection: everything. Base sizes are listed once and named by number."""
    bases: list[Any] = []
    rows = []
    for row in packed.rows.values():
        if len(row) > 5 and row[5] is not None:
            if row[5] not in bases:
                bases.append(row[5])
            row = [*row[:5], bases.index(row[5]), *row[6:]]
        rows.append(row)
    return {
        "type": "scene",
        "v": packed.version,
        "t": round(packed.time, 3),
        "status": packed.status,
        "bases": bases,
        "pieces": rows,
        **packed.rest,
    }


def delta(before: Packed, after: Packed) -> dict[str, Any]:
    """What changed between two snapshots; applied to the first it gives the second."""
    out: dict[str, Any] = {"type": "delta", "v": after.version, "t": round(after.time, 3)}
    changed = [row for i, row in after.rows.items() if before.rows.get(i) != row]
    gone = [i for i in before.rows if i not in after.rows]
    if changed:
        out["pieces"] = changed
    if gone:
        out["gone"] = gone
    for key in {*before.rest, *after.rest}:
        if before.rest.get(key) != after.rest.get(key):
            out[key] = after.rest.get(key)
    if before.status != after.status:
        out["status"] = after.status
    if after.look_ms is not None and (changed or gone):
        out["ms"] = round(after.look_ms)
    return out


def dumps(message: dict[str, Any]) -> str:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))
