"""Reforms: a new formation about the same centre, and how far its models must walk (T9A-MOV-7)."""

from __future__ import annotations

import math

import numpy as np

from ...drawing import polygon, segment
from ...errors import QuestionError
from ...footprint import Block
from ...messages import Length, msg, register
from ...plane import Array
from ...verdict import Answer, Finding
from .blocks import Unit
from .frames import Frame, Point, norm_deg
from .near import obstacles, spacing_offenders
from .numbers import EPS, SPACING
from .view import View, outline, query
from .words import EXEMPT, FROM, need, opt

__all__ = ["bottleneck"]

FRONT_RANK = ("character", "champion", "war-platform")
"""These stand in the front rank after a reform as well (T9A-FORM-7)."""


def bottleneck(distance: Array, allowed: Array) -> tuple[float, list[int]]:
    """The assignment of rows to columns whose longest distance is least (and that distance).

    >>> bottleneck(np.array([[1.0, 5.0], [2.0, 9.0]]), np.ones((2, 2), bool))
    (5.0, [1, 0])
    """
    sizes = np.unique(distance[allowed])
    low, high = 0, len(sizes) - 1
    best: list[int] | None = None
    while low <= high:
        mid = (low + high) // 2
        found = _matching((distance <= sizes[mid]) & allowed)
        if found is None:
            low = mid + 1
        else:
            best, high = found, mid - 1
    if best is None:
        return math.inf, []
    return float(distance[np.arange(len(best)), best].max()), best


def _matching(can: Array) -> list[int] | None:
    """A perfect matching of rows to columns by augmenting paths, or None."""
    n = len(can)
    choices = [np.flatnonzero(row).tolist() for row in can]
    taken = [-1] * can.shape[1]

    def place(row: int, seen: set[int]) -> bool:
        for col in choices[row]:
            if col not in seen:
                seen.add(col)
                if taken[col] < 0 or place(taken[col], seen):
                    taken[col] = row
                    return True
        return False

    for row in sorted(range(n), key=lambda r: len(choices[r])):
        if not place(row, set()):
            return None
    out = [-1] * n
    for col, row in enumerate(taken):
        if row >= 0:
            out[row] = col
    return out


def _new_block(
    unit: Unit, files: int, facing: float, rear: tuple[int, ...] | None, side: int
) -> tuple[Block, Frame, list[Point]]:
    """The block after the reform, its Boundary Rectangle about the old centre, and where joined characters go.

    `side` is -1 or 1: on which side of the block a mismatched character stands.
    """
    width, depth, _ = unit.base
    count = unit.count
    plain = Block((0.0, 0.0), facing, width, depth, files, count, unit.gap, rear)
    guests = [m for m in unit.models if m.beside]
    w = plain.whole_width_mm + sum(m.frame.width for m in guests)
    d = max([plain.whole_depth_mm, *(m.frame.depth for m in guests)])
    frame = Frame(unit.centre, facing, w, d)
    # one guest stands on the chosen side, a second on the other; fronts level
    left = [m for i, m in enumerate(guests) if (i % 2 == 0) == (side < 0)]
    shift = -w / 2 + sum(m.frame.width for m in left)
    at = frame.world(shift + plain.whole_width_mm / 2, d / 2 - plain.whole_depth_mm / 2)
    spots: list[Point] = []
    for m in guests:
        x = -w / 2 + m.frame.width / 2 if m in left else w / 2 - m.frame.width / 2
        spots.append(frame.world(x, d / 2 - m.frame.depth / 2))
    return Block(at, facing, width, depth, files, count, unit.gap, rear), frame, spots


def _walk(unit: Unit, block: Block, spots: list[Point]) -> tuple[float, list[tuple[Point, Point]]]:
    troops = [m for m in unit.models if not m.beside]
    guests = [m for m in unit.models if m.beside]
    start = np.array([m.at for m in troops])
    end = block.centres[: len(troops)]
    apart = start[:, None] - end[None]
    distance: Array = np.hypot(apart[..., 0], apart[..., 1]).round(9)
    allowed = np.ones_like(distance, bool)
    first = np.array([rank == 1 for rank, _ in block.slots[: len(troops)]])
    leaders = [i for i, m in enumerate(troops) if len(troops) > 1 and any(w in m.words for w in FRONT_RANK)]
    if 0 < len(leaders) <= int(first.sum()):
        allowed[np.ix_(np.array(leaders), np.flatnonzero(~first))] = False
    far, order = bottleneck(distance, allowed)
    pairs = [(m.at, (float(end[j][0]), float(end[j][1]))) for m, j in zip(troops, order, strict=False)]
    for m, spot in zip(guests, spots, strict=True):
        far = max(far, math.dist(m.at, spot))
        pairs.append((m.at, spot))
    return far, pairs


@query(
    "reform",
    {"en": "Is this reform legal?", "es": "¿Es legal esta reorganización?"},
    FROM,
    need("files", "count", "files", "columnas"),
    need("facing", "angle", "new facing", "nuevo encaramiento"),
    need("march", "length", "March Rate", "Capacidad de Marcha"),
    opt("rear", "json", "files of the last rank", "columnas de la última fila"),
    EXEMPT,
    rules=("T9A-MOV-7", "T9A-SPC-1", "T9A-EDGE-1"),
    phase="movement",
)
def reform(v: View) -> Finding:
    unit = v.unit()
    _ = unit.frame
    files = v["files"]
    if not 1 <= files <= unit.count:
        raise QuestionError.of("fault-one-of", "files", limit=f"1 – {unit.count}", got=files)
    rear = _rear(v, unit, files)
    facing = norm_deg(v["facing"])
    tries = []
    for side in (-1, 1) if unit.joined else (1,):
        block, frame, spots = _new_block(unit, files, facing, rear, side)
        far, pairs = _walk(unit, block, spots)
        tries.append((far, block, frame, pairs))
    far, block, frame, pairs = min(tries, key=lambda t: t[0])
    march: float = v["march"]
    others = obstacles(v, unit, v.named("exempt"))
    gaps = v.gaps(frame.footprint, others)
    ids = tuple(spacing_offenders(gaps, others, SPACING, True))
    board = v.on_board(frame) if v.scene.table is not None else math.inf
    holds = far <= march + EPS and not ids and board >= -EPS
    least = min(gaps, default=math.inf)
    if far > march + EPS:
        reason = msg("t9a-reform-far", a=unit.label, d=Length(far), limit=Length(march))
    elif ids:
        reason = msg(
            "t9a-reform-near", a=unit.label, b=ids[0], d=Length(max(0.0, least)), limit=Length(SPACING)
        )
    elif board < -EPS:
        reason = msg("t9a-off-board", a=unit.label, d=Length(-board))
    else:
        reason = msg("t9a-reform-yes", a=unit.label, d=Length(far), limit=Length(march))
    return Finding(
        reason,
        ("T9A-MOV-7", "T9A-SPC-1", "T9A-EDGE-1"),
        Answer.of(holds),
        value=far,
        limit=march,
        ids=ids,
        margin_mm=min(march - far, least - SPACING, board if board < march else math.inf),
        drawing=(
            outline(unit.boundary),
            outline(frame, "path"),
            *(polygon(part.tolist(), "path") for part in block.footprint.parts),
            *(segment(a, b, "measure") for a, b in pairs if math.dist(a, b) >= far - EPS),
        ),
    )


def _rear(v: View, unit: Unit, files: int) -> tuple[int, ...] | None:
    raw = v["rear"]
    if raw is None:
        return None
    left = unit.count % files
    good = isinstance(raw, list | tuple) and all(type(f) is int and 1 <= f <= files for f in raw)
    if not good or len(set(raw)) != len(raw) or len(raw) != (left or files):
        raise QuestionError.of("t9a-reform-rear", "rear", n=left or files, files=files)
    return tuple(raw)


register(
    {
        "t9a-reform-yes": {
            "en": "{a} can reform: no model walks farther than {d} of {limit}.",
            "es": "{a} puede reorganizarse: ninguna miniatura recorre más de {d} de {limit}.",
        },
        "t9a-reform-far": {
            "en": "{a} cannot reform: some model must walk {d}; {limit} is allowed.",
            "es": "{a} no puede reorganizarse: alguna miniatura tendría que recorrer {d}; se permiten {limit}.",
        },
        "t9a-reform-near": {
            "en": "The new formation of {a} would be {d} from {b}; more than {limit} is needed.",
            "es": "La nueva formación de {a} quedaría a {d} de {b}; hace falta más de {limit}.",
        },
        "t9a-reform-rear": {
            "en": "expected {n} different files from 1 to {files} for the last rank",
            "es": "se esperaban {n} columnas distintas de 1 a {files} para la última fila",
        },
    }
)
