"""What a person has set by hand, and how it is kept: it wins over the camera, and every step can be undone.

Who a piece is (name, side, traits, base, count) stays with the piece wherever it goes. How it stands (place, facing)
holds until the piece moves: then the camera knows better.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from regla.rules.messages import msg
from regla.rules.scene import Base, Frozen, Piece, Terrain

from .errors import CorrectionError

__all__ = ["FIELDS", "Corrections", "Edits"]

IDENTITY: Final = ("name", "side", "traits", "base", "count", "files", "kind")
POSE: Final = ("at", "facing", "hex", "space")
SHAPE: Final = ("merge", "split", "forget")
"""`merge` an id into this unit, `split` this unit into its bases, `forget` a piece that is none."""
FIELDS: Final = (*IDENTITY, *POSE, *SHAPE)
MOST_STEPS: Final = 200
"""Undo reaches this far back."""

_BASE: TypeAdapter[Any] = TypeAdapter(Base)
_PIECE: TypeAdapter[Piece] = TypeAdapter(Piece)
_TERRAIN: TypeAdapter[tuple[Terrain, ...]] = TypeAdapter(tuple[Terrain, ...])


@dataclass(frozen=True)
class Edits:
    """One state of everything set by hand."""

    pieces: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    terrain: tuple[Terrain, ...] = ()


class Corrections:
    """The store: the present edits and the way back.

    >>> store = Corrections()
    >>> store.correct("p1", name="Knights", side="A", facing=90)
    >>> store.apply(Piece("p1", at=(10, 20), source="camera")).label
    'Knights'
    >>> store.moved("p1")                      # the facing lapses, the name stays
    >>> store.apply(Piece("p1", at=(50, 20))).facing is None, store.edits.pieces["p1"]["name"]
    (True, 'Knights')
    >>> store.undo(), store.edits.pieces
    (True, {})
    """

    def __init__(self, edits: Edits | None = None) -> None:
        self.edits = edits or Edits()
        self._back: list[Edits] = []
        self._forth: list[Edits] = []

    def correct(self, piece_id: str, **changes: Any) -> None:
        """Set fields of a piece; None takes a correction back and lets the camera speak again."""
        checked = {key: _checked(piece_id, key, value) for key, value in changes.items()}
        now = dict(self.edits.pieces.get(piece_id, {}))
        for key, value in checked.items():
            if value is None:
                now.pop(key, None)
            elif key == "merge":
                now["merge"] = tuple(dict.fromkeys((*now.get("merge", ()), *value)))
            else:
                now[key] = value
        if "merge" in checked:
            now.pop("split", None)
        if checked.get("split"):
            now.pop("merge", None)
        pieces = {key: value for key, value in self.edits.pieces.items() if key != piece_id}
        if now:
            pieces[piece_id] = now
        self._step(replace(self.edits, pieces=pieces))

    def set_terrain(self, terrain: Any) -> None:
        """Put outlines drawn by hand in place of all the earlier ones; lengths in mm."""
        try:
            checked = _TERRAIN.validate_python(tuple(terrain))
        except ValidationError as error:
            place = error.errors()[0]
            why = msg("why-value", field=".".join(map(str, place["loc"])), value=place["msg"])
            raise CorrectionError(name="terrain", why=why) from None
        self._step(replace(self.edits, terrain=checked))

    def undo(self) -> bool:
        """Take the last step back; False when there is none."""
        if not self._back:
            return False
        self._forth.append(self.edits)
        self.edits = self._back.pop()
        return True

    def redo(self) -> bool:
        if not self._forth:
            return False
        self._back.append(self.edits)
        self.edits = self._forth.pop()
        return True

    @property
    def steps(self) -> tuple[int, int]:
        """How many steps can be undone, and how many done again."""
        return len(self._back), len(self._forth)

    def _step(self, edits: Edits) -> None:
        self._back = [*self._back, self.edits][-MOST_STEPS:]
        self._forth = []
        self.edits = edits

    def moved(self, piece_id: str) -> None:
        """The piece has moved: how it stood no longer holds, in no step of the way back either."""
        self.edits = _without_pose(self.edits, piece_id)
        self._back = [_without_pose(e, piece_id) for e in self._back]
        self._forth = [_without_pose(e, piece_id) for e in self._forth]

    def holds(self, piece_id: str, key: str) -> Any:
        return self.edits.pieces.get(piece_id, {}).get(key)

    def apply(self, piece: Piece) -> Piece:
        """The piece as the person wants it: what a hand set is exact and says so."""
        edits = self.edits.pieces.get(piece.id)
        if not edits:
            return piece
        changes = {key: value for key, value in edits.items() if key not in SHAPE}
        if not changes:
            return piece
        sigma = piece.sigma
        if sigma is not None and "facing" in changes:
            sigma = replace(sigma, facing=0.0)
        if sigma is not None and "at" in changes:
            sigma = replace(sigma, at=(0.0, 0.0))
        source = "hand" if any(key in changes for key in POSE) else piece.source
        extra = {**piece.extra, "by_hand": sorted(changes)}
        return replace(piece, **changes, sigma=sigma, source=source, extra=Frozen(extra))

    def to_json(self) -> dict[str, Any]:
        """For the table's document."""
        pieces = {
            piece_id: {
                key: _BASE.dump_python(v, mode="json") if key == "base" else v for key, v in edits.items()
            }
            for piece_id, edits in self.edits.pieces.items()
        }
        return {"pieces": pieces, "terrain": _TERRAIN.dump_python(self.edits.terrain, mode="json")}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Corrections:
        store = cls()
        store.set_terrain(data.get("terrain", ()))
        for piece_id, edits in data.get("pieces", {}).items():
            store.correct(piece_id, **edits)
        return cls(store.edits)


def _without_pose(edits: Edits, piece_id: str) -> Edits:
    old = edits.pieces.get(piece_id)
    if not old or not any(key in old for key in POSE):
        return edits
    kept = {key: value for key, value in old.items() if key not in POSE}
    pieces = {key: value for key, value in edits.pieces.items() if key != piece_id}
    if kept:
        pieces[piece_id] = kept
    return replace(edits, pieces=pieces)


def _checked(piece_id: str, key: str, value: Any) -> Any:
    """The value as a scene would hold it; a person is told when it makes no sense."""
    if key not in FIELDS:
        raise CorrectionError(name=piece_id, why=msg("why-field", field=key))
    if value is None:
        return None
    if key == "merge":
        ids = (value,) if isinstance(value, str) else tuple(value)
        if not ids or not all(isinstance(i, str) and i and i != piece_id for i in ids):
            raise CorrectionError(name=piece_id, why=msg("why-value", field=key, value=repr(value)[:80]))
        return ids
    if key in ("split", "forget"):
        return True if value else None
    try:
        if key == "base" and not isinstance(value, Mapping):
            value = _BASE.dump_python(value)
        if key == "facing":
            value = float(value) % 360.0
        raw = {"id": piece_id, key: list(value) if isinstance(value, tuple) else value}
        return getattr(_PIECE.validate_python(raw), key)
    except (ValidationError, TypeError, ValueError):
        raise CorrectionError(
            name=piece_id, why=msg("why-value", field=key, value=repr(value)[:80])
        ) from None
