"""Boards of named spaces: a plan of polygons, kept in a JSON document, placed on the table by its corners or outline."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from shapely import Point, Polygon

from .camera import Floats
from .document import check_kind, dump_readable, read_json, write_whole
from .errors import BoardError, DocumentError
from .messages import phrase, say
from .polygons import signed_area
from .view import TableView

BOARD_KIND: Final = "regla-board"
BOARD_VERSION: Final = 1
BORDER_MM: Final = 5.0
"""Nearer than this to a border both spaces are candidates, and a person is asked."""
MOST_OFF: Final = 0.04
"""Clicked corners may miss a board of known size by this share of it; more is another board, or another order."""


@dataclass(frozen=True, eq=False)
class Space:
    """One named space: its outline on the plan in mm, and how high its floor stands above the table."""

    name: str
    outline_mm: Floats
    height_mm: float = 0.0

    def polygon(self) -> Polygon:
        return Polygon(self.outline_mm)


@dataclass(frozen=True, eq=False)
class BoardTemplate:
    """A plan. `size_known` false means that nobody printed its size: four clicks then stretch it to fit."""

    name: str
    size_mm: tuple[float, float]
    spaces: tuple[Space, ...]
    size_known: bool = True

    @property
    def corners_mm(self) -> Floats:
        """Near left, near right, far right, far left."""
        width, depth = self.size_mm
        return np.array([[0, 0], [width, 0], [width, depth], [0, depth]], dtype=np.float64)

    def faults(self, lang: str = "en") -> list[str]:
        """Everything that is wrong with the plan, not only the first thing."""
        found = []
        seen: set[str] = set()
        for space in self.spaces:
            if space.name in seen:
                found.append(say("fault-space-twice", lang, name=space.name))
            seen.add(space.name)
            if len(space.outline_mm) < 3 or abs(signed_area(space.outline_mm)) < 1.0:
                found.append(say("fault-space-points", lang, name=space.name))
            elif not space.polygon().is_valid:
                found.append(say("fault-space-crosses", lang, name=space.name))
        return found

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": BOARD_KIND,
            "version": BOARD_VERSION,
            "name": self.name,
            "size_mm": list(self.size_mm),
            "size_known": self.size_known,
            "spaces": {
                s.name: {"height_mm": s.height_mm, "outline_mm": s.outline_mm.tolist()} for s in self.spaces
            },
        }

    def save(self, path: str | Path) -> None:
        write_whole(Path(path), dump_readable(self.to_json()))

    @classmethod
    def from_json(cls, data: Any, name: str = "board") -> BoardTemplate:
        check_kind(data, BOARD_KIND, BOARD_VERSION, name)
        try:
            width, depth = data["size_mm"]
            template = cls(
                str(data["name"]),
                (float(width), float(depth)),
                tuple(
                    Space(
                        str(key),
                        np.asarray(s["outline_mm"], dtype=np.float64).reshape(-1, 2),
                        float(s.get("height_mm", 0.0)),
                    )
                    for key, s in data["spaces"].items()
                ),
                bool(data.get("size_known", True)),
            )
        except KeyError as error:
            raise DocumentError(name=name, reason=phrase("reason-field", field=error)) from error
        except (TypeError, ValueError, AttributeError) as error:
            raise DocumentError(name=name, reason=phrase("reason-value", detail=error)) from error
        faults = template.faults()
        if faults:
            raise DocumentError(name=name, reason=phrase("reason-board-faults", faults="; ".join(faults)))
        return template

    @classmethod
    def load(cls, path: str | Path) -> BoardTemplate:
        return cls.from_json(read_json(path), str(path))


def shipped_boards() -> dict[str, Path]:
    """The plans that come with Regla: name ▸ document."""
    return {p.stem: p for p in sorted((Path(__file__).parent / "plans").glob("*.json"))}


@dataclass(frozen=True, eq=False)
class PlacedBoard:
    """A template on the table: p_table = linear · p_plan + shift."""

    template: BoardTemplate
    linear: Floats
    shift_mm: Floats
    off_mm: float = 0.0
    level_mm: float = 0.0
    """How high the board's own floor stands above the table."""

    def to_table(self, plan_mm: npt.ArrayLike) -> Floats:
        return np.asarray(
            np.asarray(plan_mm, dtype=np.float64).reshape(-1, 2) @ self.linear.T + self.shift_mm
        )

    def to_plan(self, table_mm: npt.ArrayLike) -> Floats:
        points = np.asarray(table_mm, dtype=np.float64).reshape(-1, 2) - self.shift_mm
        return np.asarray(np.linalg.solve(self.linear, points.T).T)

    def outlines_mm(self) -> dict[str, Floats]:
        """Every space on the table."""
        return {s.name: self.to_table(s.outline_mm) for s in self.template.spaces}

    def outlines_px(self, view: TableView) -> dict[str, Floats]:
        """Every space in the picture, each at its own height."""
        return {
            s.name: view.to_pixel(
                np.column_stack(
                    [self.to_table(s.outline_mm), np.full(len(s.outline_mm), s.height_mm + self.level_mm)]
                )
            )
            for s in self.template.spaces
        }

    def spaces_at(self, xy_mm: npt.ArrayLike, border_mm: float = BORDER_MM) -> list[tuple[str, float]]:
        """The spaces that hold a place, or come within `border_mm` of it: (name, mm inside its border), best first.

        One entry with more than `border_mm` is certain; two or more entries mean: ask.
        """
        return self._candidates(
            [(s, np.asarray(xy_mm, dtype=np.float64)) for s in self.template.spaces], border_mm
        )

    def spaces_seen(
        self,
        view: TableView,
        px: npt.ArrayLike,
        border_mm: float = BORDER_MM,
        heights_mm: Iterable[float] | None = None,
    ) -> list[tuple[str, float]]:
        """As `spaces_at` for a pixel, which on a raised wall means another place than on the floor behind it.

        `heights_mm` limits the answer to floors at those heights, where it is known on which level a figure stands.
        """
        allowed = None if heights_mm is None else set(heights_mm)
        levels = {s.height_mm for s in self.template.spaces if allowed is None or s.height_mm in allowed}
        spot = np.asarray(px, dtype=np.float64).reshape(1, 2)
        at = {h: view.to_table(spot, h + self.level_mm, sigma_px=0.0)[0][0] for h in levels}
        pairs = [(s, at[s.height_mm]) for s in self.template.spaces if s.height_mm in at]
        heights = {s.name: s.height_mm for s in self.template.spaces}
        # What stands higher hides what lies behind it.
        return sorted(self._candidates(pairs, border_mm), key=lambda f: (f[1] <= 0, -heights[f[0]], -f[1]))

    def _candidates(self, pairs: list[tuple[Space, Floats]], border_mm: float) -> list[tuple[str, float]]:
        found = []
        for space, place in pairs:
            if not np.isfinite(place).all():
                continue
            polygon, point = Polygon(self.to_table(space.outline_mm)), Point(*place)
            inside = polygon.exterior.distance(point) * (1 if polygon.contains(point) else -1)
            if inside > -border_mm:
                found.append((space.name, float(inside)))
        return sorted(found, key=lambda f: -f[1])

    def to_json(self) -> dict[str, Any]:
        return {
            "linear": self.linear.tolist(),
            "shift_mm": self.shift_mm.tolist(),
            "off_mm": self.off_mm,
            "level_mm": self.level_mm,
            "template": self.template.to_json(),
        }

    @classmethod
    def from_json(cls, data: Any, name: str = "placed board") -> PlacedBoard:
        template = BoardTemplate.from_json(data.get("template") if isinstance(data, dict) else data, name)
        try:
            return cls(
                template,
                np.asarray(data["linear"], dtype=np.float64).reshape(2, 2),
                np.asarray(data["shift_mm"], dtype=np.float64).reshape(2),
                float(data.get("off_mm", 0.0)),
                float(data.get("level_mm", 0.0)),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise DocumentError(name=name, reason=phrase("reason-value", detail=error)) from error


def place_by_corners(
    template: BoardTemplate, corners_mm: npt.ArrayLike, *, level_mm: float = 0.0
) -> PlacedBoard:
    """Place a board by its four corners on the table: near left, near right, far right, far left of the *plan*.

    A board of known size is laid rigidly and refused when the corners do not fit it; others are stretched.
    """
    seen = np.asarray(corners_mm, dtype=np.float64).reshape(4, 2)
    plan = template.corners_mm
    if not np.isfinite(seen).all():
        raise BoardError(reason=phrase("reason-corner-missing"))
    from .polygons import crosses

    if crosses(seen):
        raise BoardError(reason=phrase("reason-crossing"))
    if signed_area(seen) <= 0:
        raise BoardError(reason=phrase("reason-board-mirrored"))
    if template.size_known:
        linear, shift = _rigid(plan, seen)
    else:
        design = np.column_stack([plan, np.ones(4)])
        solution = np.linalg.lstsq(design, seen, rcond=None)[0]
        linear, shift = solution[:2].T, solution[2]
    off = float(np.sqrt(np.square(plan @ linear.T + shift - seen).sum(axis=1).mean()))
    if off > MOST_OFF * max(template.size_mm):
        width, depth = template.size_mm
        raise BoardError(reason=phrase("reason-board-size", off_mm=off, width=width, depth=depth))
    return PlacedBoard(template, linear, shift, off, level_mm)


def place_by_clicks(
    template: BoardTemplate, view: TableView, corners_px: npt.ArrayLike, *, height_mm: float = 0.0
) -> PlacedBoard:
    """As `place_by_corners`, from four clicks in the picture at the height of the board's rim."""
    corners, _ = view.to_table(corners_px, height_mm, sigma_px=0.0)
    return replace(place_by_corners(template, corners), level_mm=0.0)


def place_by_outline(
    template: BoardTemplate, outline_mm: npt.ArrayLike, *, facing_deg: float = 90.0, level_mm: float = 0.0
) -> PlacedBoard:
    """Place a rectangular board by its outline on the table, any polygon around it.

    An outline does not tell which side is near: of the ways to lay the board, the one whose far side looks closest to
    `facing_deg` (90: away from the reader) is taken.
    """
    outline = np.asarray(outline_mm, dtype=np.float64).reshape(-1, 2)
    if len(outline) < 3 or abs(signed_area(outline)) < 1.0:
        raise BoardError(reason=phrase("reason-same-corner"))
    box = np.asarray(Polygon(outline).minimum_rotated_rectangle.exterior.coords)[:4]
    if signed_area(box) < 0:
        box = box[::-1]
    choices = []
    trouble: BoardError | None = None
    for k in range(4):
        corners = np.roll(box, k, axis=0)
        away = corners[3] - corners[0]
        off_deg = abs((float(np.degrees(np.arctan2(away[1], away[0]))) - facing_deg + 180) % 360 - 180)
        try:
            choices.append((off_deg, k, place_by_corners(template, corners, level_mm=level_mm)))
        except BoardError as error:
            trouble = error
    if not choices:
        raise trouble or BoardError(reason=phrase("reason-same-corner"))
    return min(choices, key=lambda c: c[:2])[2]


def _rigid(plan: Floats, seen: Floats) -> tuple[Floats, Floats]:
    from .polygons import turn_of

    turn = turn_of(plan - plan.mean(axis=0), seen - seen.mean(axis=0))
    cos, sin = np.cos(turn), np.sin(turn)
    linear = np.array([[cos, -sin], [sin, cos]])
    return linear, seen.mean(axis=0) - linear @ plan.mean(axis=0)
