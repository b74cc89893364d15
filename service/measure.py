"""Whether a ghost has room where it is held: what it would overlap, and the edge of the table."""

from __future__ import annotations

from typing import Any

import shapely
from regla.rules import Scene

from .suggest import footprint

__all__ = ["room"]


def room(scene: Scene, piece_id: str) -> dict[str, Any]:
    """The pieces that a piece overlaps (with the depth of the overlap), and whether it leaves the table; lengths in mm."""
    own = footprint(scene.piece(piece_id))
    if own is None:
        return {"overlaps": [], "off_table": False}
    overlaps = []
    for other in scene.pieces:
        if other.id == piece_id or other.kind in ("token", "marker"):
            continue
        outline = footprint(other)
        if outline is not None and own.intersects(outline):
            shared = own.intersection(outline)
            if shared.area > 0:
                x0, y0, x1, y1 = shared.bounds
                overlaps.append({"id": other.id, "mm": round(min(x1 - x0, y1 - y0), 2)})
    off = False
    if scene.table is not None:
        off = not shapely.box(0, 0, scene.table.width, scene.table.depth).covers(own)
    return {"overlaps": overlaps, "off_table": off}
