"""What a verdict draws: a few shapes in table units that every front end draws the same way.

A role says what a shape means, never how it looks: the page, the overlay, the report and the PNG each
give it the same colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .messages import Message

__all__ = [
    "ROLES",
    "Arc",
    "Disc",
    "Drawing",
    "Label",
    "Point",
    "Polygon",
    "Role",
    "Segment",
    "Shape",
    "to_json",
]

Point = tuple[float, float]
Role = Literal["measure", "blocked", "clear", "zone", "blocker", "contact", "path", "limit", "piece", "note"]
ROLES: tuple[Role, ...] = (
    "measure", "blocked", "clear", "zone", "blocker", "contact", "path", "limit", "piece", "note",
)  # fmt: skip
"""measure: the length that decided · blocked, clear: a sight line · zone: an area (arc, aura, reach) ·
blocker: what is in the way · contact: where bases touch · path: a way travelled · limit: a line not to
be crossed · piece: a piece that the answer is about · note: anything else."""


@dataclass(frozen=True)
class Segment:
    a: Point
    b: Point
    role: Role = "measure"


@dataclass(frozen=True)
class Polygon:
    points: tuple[Point, ...]
    role: Role = "zone"


@dataclass(frozen=True)
class Arc:
    """A circular arc, counter-clockwise from start to end (degrees from +x)."""

    centre: Point
    radius: float
    start_deg: float
    end_deg: float
    role: Role = "zone"


@dataclass(frozen=True)
class Disc:
    centre: Point
    radius: float
    role: Role = "zone"


@dataclass(frozen=True)
class Label:
    at: Point
    text: Message
    role: Role = "note"


Shape = Segment | Polygon | Arc | Disc | Label
Drawing = tuple[Shape, ...]


def polygon(points: Iterable[Sequence[float]], role: Role = "zone") -> Polygon:
    return Polygon(tuple((float(p[0]), float(p[1])) for p in points), role)


def segment(a: Sequence[float], b: Sequence[float], role: Role = "measure") -> Segment:
    return Segment((float(a[0]), float(a[1])), (float(b[0]), float(b[1])), role)


def to_json(drawing: Drawing, mm_per_unit: float, lang: str, unit: str) -> list[dict[str, Any]]:
    """The drawing as plain data, its lengths in the scene's unit."""

    def at(p: Point) -> list[float]:
        return [round(p[0] / mm_per_unit, 4), round(p[1] / mm_per_unit, 4)]

    out: list[dict[str, Any]] = []
    for shape in drawing:
        match shape:
            case Segment(a, b, role):
                out.append({"type": "segment", "from": at(a), "to": at(b), "role": role})
            case Polygon(points, role):
                out.append({"type": "polygon", "points": [at(p) for p in points], "role": role})
            case Arc(centre, radius, start, end, role):
                out.append(
                    {
                        "type": "arc",
                        "centre": at(centre),
                        "radius": round(radius / mm_per_unit, 4),
                        "start": start,
                        "end": end,
                        "role": role,
                    }
                )
            case Disc(centre, radius, role):
                r = round(radius / mm_per_unit, 4)
                out.append({"type": "disc", "centre": at(centre), "radius": r, "role": role})
            case Label(place, text, role):
                out.append({"type": "label", "at": at(place), "text": text.text(lang, unit), "role": role})
    return out
