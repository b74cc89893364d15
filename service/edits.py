"""What a hand may change about a scene: pure functions from scene to scene.

Every piece that a hand touched says which of its fields were set by hand (`by_hand`), so that the page can show it
and so that a camera's next look does not overrule it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from regla.rules import Piece, Scene
from regla.rules.scene import Circle, Frozen, Hex, Rect

from .errors import NotFound, Refused

__all__ = ["FIELDS", "apply", "correct", "hand_fields", "merge", "remove", "split", "with_terrain"]

FIELDS = frozenset(
    {"name", "side", "kind", "at", "hex", "space", "facing", "base", "files", "count", "traits", "height"}
)
"""What of a piece a hand may set."""


def hand_fields(piece: Piece) -> tuple[str, ...]:
    return tuple(piece.extra.get("by_hand", ()))


def _find(scene: Scene, piece_id: str) -> Piece:
    found = scene.find(piece_id)
    if found is None:
        raise NotFound.of("no-such-piece", id=piece_id)
    return found


def correct(scene: Scene, piece_id: str, changes: Mapping[str, Any]) -> Scene:
    """The scene with fields of one piece set by hand; a new id adds a piece. Lengths in the scene's unit.

    >>> from regla.rules import Scene
    >>> scene = Scene.parse({"game": "mage-knight", "pieces": [{"id": "a", "at": [10, 10], "facing": None}]})
    >>> correct(scene, "a", {"facing": 90, "name": "Archers"}).piece("a").facing
    90.0
    """
    strange = set(changes) - FIELDS
    if strange:
        raise Refused.of("edit-fields", got=sorted(strange), known=sorted(FIELDS))
    document = scene.to_dict()
    pieces = document.setdefault("pieces", [])
    entry = next((p for p in pieces if p["id"] == piece_id), None)
    if entry is None:
        entry = {"id": piece_id, "kind": "model"}
        pieces.append(entry)
    entry.update(changes)
    if entry.get("at") is not None and "at" in changes:
        entry.pop("sigma", None)
    if "facing" in changes and isinstance(entry.get("sigma"), dict):
        entry["sigma"] = {**entry["sigma"], "facing": HAND_FACING_DEG}
    entry["by_hand"] = sorted({*entry.get("by_hand", ()), *changes})
    entry["source"] = "hand"
    return Scene.parse({k: v for k, v in document.items() if v is not None})


HAND_FACING_DEG = 1.5
"""How well a person drags a facing tick on a phone, in degrees (one standard deviation)."""


def remove(scene: Scene, piece_id: str) -> Scene:
    _find(scene, piece_id)
    return replace(scene, pieces=tuple(p for p in scene.pieces if p.id != piece_id))


def merge(scene: Scene, ids: Sequence[str]) -> Scene:
    """Several pieces of one base size become one unit: the first keeps its id, name and side."""
    if len(ids) < 2:
        raise Refused.of("merge-two")
    pieces = [_find(scene, i) for i in dict.fromkeys(ids)]
    first = pieces[0]
    if first.base is None or any(p.at is None for p in pieces):
        raise Refused.of("merge-base")
    width, depth = _size(first)
    facing = first.facing if first.facing is not None else 90.0
    turn = math.radians(facing)
    ahead, left = (math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))
    spots = [(s, p) for p in pieces for s in slots(p)]
    across = [s[0] * left[0] + s[1] * left[1] for s, _ in spots]
    along = [s[0] * ahead[0] + s[1] * ahead[1] for s, _ in spots]
    files = max(1, round((max(across) - min(across)) / width) + 1)
    files = min(files, len(spots))
    ranks = -(-len(spots) // files)
    front = max(along) + depth / 2
    middle_along = front - ranks * depth / 2
    middle_across = (max(across) + min(across)) / 2
    at = (
        ahead[0] * middle_along + left[0] * middle_across,
        ahead[1] * middle_along + left[1] * middle_across,
    )
    unit = replace(
        first,
        kind="unit",
        at=at,
        facing=facing,
        files=files,
        count=len(spots),
        source="hand",
        extra=Frozen({**first.extra, "by_hand": sorted({*hand_fields(first), "files", "count", "kind"})}),
    )
    gone = {p.id for p in pieces[1:]}
    return replace(
        scene.with_piece(unit), pieces=tuple(p for p in scene.with_piece(unit).pieces if p.id not in gone)
    )


def split(scene: Scene, piece_id: str) -> Scene:
    """A unit becomes its single bases."""
    unit = _find(scene, piece_id)
    if unit.kind != "unit" or unit.base is None or unit.at is None:
        raise Refused.of("split-unit", who=unit.label)
    singles = tuple(
        replace(
            unit,
            id=f"{unit.id}-{i + 1}",
            name=None if unit.name is None else f"{unit.name} {i + 1}",
            kind="model",
            at=spot,
            files=None,
            count=None,
            source="hand",
            extra=Frozen({**unit.extra, "by_hand": sorted({*hand_fields(unit), "kind"})}),
        )
        for i, spot in enumerate(slots(unit))
    )
    pieces: list[Piece] = []
    for p in scene.pieces:
        pieces += singles if p.id == piece_id else (p,)
    return Scene.parse(replace(scene, pieces=tuple(pieces)).to_dict())


def _size(piece: Piece) -> tuple[float, float]:
    match piece.base:
        case Circle(diameter):
            return diameter, diameter
        case Rect(width, depth):
            return width, depth
        case Hex(across):
            return across, across
    return 25.0, 25.0


def slots(piece: Piece) -> list[tuple[float, float]]:
    """Where the single bases of a piece stand: front rank first, from its left to its right."""
    if piece.at is None:
        return []
    if piece.kind != "unit" or not piece.count:
        return [piece.at]
    width, depth = _size(piece)
    files = piece.files or piece.count
    ranks = -(-piece.count // files)
    turn = math.radians(piece.facing if piece.facing is not None else 90.0)
    ahead, right = (math.cos(turn), math.sin(turn)), (math.sin(turn), -math.cos(turn))
    out = []
    for i in range(piece.count):
        rank, file = divmod(i, files)
        u = (file - (files - 1) / 2) * width
        v = ((ranks - 1) / 2 - rank) * depth
        out.append((piece.at[0] + right[0] * u + ahead[0] * v, piece.at[1] + right[1] * u + ahead[1] * v))
    return out


def with_terrain(scene: Scene, terrain: Sequence[Mapping[str, Any]]) -> Scene:
    document = scene.to_dict()
    document["terrain"] = [dict(t) for t in terrain]
    return Scene.parse(document)


def apply(scene: Scene, edit: Mapping[str, Any]) -> Scene:
    """One edit as the API takes it: `{"do": "correct", "piece": …, "changes": {…}}` and the like."""
    match edit.get("do"):
        case "correct":
            return correct(scene, edit["piece"], edit.get("changes") or {})
        case "remove":
            return remove(scene, edit["piece"])
        case "merge":
            return merge(scene, edit.get("pieces") or ())
        case "split":
            return split(scene, edit["piece"])
        case "terrain":
            return with_terrain(scene, edit.get("terrain") or ())
        case other:
            raise Refused.of("edit-what", got=repr(other))
