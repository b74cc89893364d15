"""How good is what the pipeline sees? Pictures with truth in, the figures of SCENE.md out."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import shapely
from regla.calibration import Calibration, TableView
from regla.models.classes import HEX_CLASSES
from regla.rules import Piece, Scene
from regla.rules.scene import Circle, Rect

from .errors import VisionError
from .found import Floats, Found, ellipse95
from .judge import Judged, judge_scene
from .photo import Look, calibrate_picture, look
from .pictures import read_picture
from .pipeline import Pipeline
from .shapes import Shape, shape_of
from .truth import Truth, read_truth, truths

__all__ = ["Figures", "Seen", "evaluate", "evaluate_one"]

IOU: Final = 0.5
VISIBLE: Final = 0.5
PAIR_MM: Final = 24 * 25.4
FLIP_DEG: Final = 45.0
KINDS: Final = {
    "round-base": "bases",
    "rect-base": "bases",
    "standee": "bases",
    "tray": "trays",
    "hex": "hexes",
    "hex-blocked": "hexes",
    "hex-start": "hexes",
    "token": "tokens",
}
Calibrate = Literal["truth", "markers"]


@dataclass
class Seen:
    """One picture's comparison, in plain numbers that add up over pictures."""

    name: str
    ms: float = 0.0
    truth: dict[str, int] = field(default_factory=dict)
    claimed: dict[str, int] = field(default_factory=dict)
    right: dict[str, int] = field(default_factory=dict)
    hit: dict[str, int] = field(default_factory=dict)
    centre_mm: list[float] = field(default_factory=list)
    base_centre_mm: list[float] = field(default_factory=list)
    inside95: list[bool] = field(default_factory=list)
    clear_centre_mm: list[float] = field(default_factory=list)
    distance_mm: list[float] = field(default_factory=list)
    clear_distance_mm: list[float] = field(default_factory=list)
    size_mm: list[float] = field(default_factory=list)
    facing_deg: list[float] = field(default_factory=list)
    round_facing_deg: list[float] = field(default_factory=list)
    turn_deg: list[float] = field(default_factory=list)
    faced: int = 0
    units: list[bool] = field(default_factory=list)
    verdicts: dict[str, int] = field(default_factory=dict)
    wrong: list[Judged] = field(default_factory=list)


@dataclass
class Figures:
    """Everything `regla evaluate` reports."""

    seen: list[Seen]
    failed: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        all_ = self.seen
        known = sum(len(s.facing_deg) for s in all_)
        faced = sum(s.faced for s in all_)
        facing = _merged(all_, "facing_deg")
        inside = [v for s in all_ for v in s.inside95]
        units = [v for s in all_ for v in s.units]
        verdicts = {
            k: sum(s.verdicts.get(k, 0) for s in all_) for k in ("right", "wrong", "too_close", "unknown")
        }
        return {
            "pictures": len(all_),
            "failed": self.failed,
            "ms_per_picture": round(float(np.mean([s.ms for s in all_])), 1) if all_ else None,
            "detection": {
                kind: self._detection(kind) for kind in ("bases", "trays", "hexes", "tokens", "units")
            },
            "centre_mm": _spread(_merged(all_, "centre_mm")),
            "base_centre_mm": _spread(_merged(all_, "base_centre_mm")),
            "distance_mm": _spread(_merged(all_, "distance_mm")),
            "clear_centre_mm": _spread(_merged(all_, "clear_centre_mm")),
            "clear_distance_mm": _spread(_merged(all_, "clear_distance_mm")),
            "size_mm": _spread(_merged(all_, "size_mm")),
            "facing_deg": {
                **_spread(facing),
                "known": round(known / faced, 4) if faced else None,
                "flipped": round(sum(v > FLIP_DEG for v in facing) / known, 4) if known else None,
            },
            "turn_deg": _spread(_merged(all_, "turn_deg")),
            "round_facing_deg": _spread(_merged(all_, "round_facing_deg")),
            "coverage95": round(float(np.mean(inside)), 4) if inside else None,
            "grouping": round(float(np.mean(units)), 4) if units else None,
            "verdicts": verdicts,
        }

    def _detection(self, kind: str) -> dict[str, Any]:
        truth, found = (
            sum(getattr(s, name).get(kind, 0) for s in self.seen) for name in ("truth", "claimed")
        )
        right, hit = (sum(getattr(s, name).get(kind, 0) for s in self.seen) for name in ("right", "hit"))
        return {
            "truth": truth,
            "found": found,
            "precision": round(right / found, 4) if found else None,
            "recall": round(hit / truth, 4) if truth else None,
        }


def _merged(seen: Iterable[Seen], name: str) -> list[float]:
    return [v for s in seen for v in getattr(s, name)]


def _spread(values: Sequence[float]) -> dict[str, Any]:
    if not values:
        return {"median": None, "p95": None, "n": 0}
    return {
        "median": round(float(np.median(values)), 3),
        "p95": round(float(np.percentile(values, 95)), 3),
        "n": len(values),
    }


def evaluate(
    folder: Path,
    calibrate: Calibrate = "truth",
    *,
    pipeline: Callable[[str], Pipeline] | None = None,
    most: int | None = None,
    pairs: int | None = None,
    verdicts: bool = True,
    progress: Callable[[int, int, str], None] | None = None,
    shown: Callable[[Truth, Look, npt.NDArray[np.uint8]], None] | None = None,
) -> Figures:
    """Measure the pipeline on all pictures of a folder."""
    made: dict[str, Pipeline] = {}
    seen: list[Seen] = []
    failed: dict[str, str] = {}
    paths = truths(folder)[:most]
    for n, path in enumerate(paths):
        if progress is not None:
            progress(n, len(paths), path.name)
        try:
            truth = read_truth(path)
            image = read_picture(truth.picture)
            game = truth.scene.game
            if game not in made:
                shared = next(iter(made.values()), None)
                made[game] = (
                    pipeline(game) if pipeline else shared.of_game(game, None) if shared else Pipeline(game)
                )
            looked = _look(image, truth, made[game], calibrate)
            one = evaluate_one(truth, looked, pairs=pairs, verdicts=verdicts)
        except VisionError as error:
            failed[path.name] = error.text("en")
            continue
        seen.append(one)
        if shown is not None:
            shown(truth, looked, image)
    return Figures(seen, failed)


def _look(image: npt.NDArray[np.uint8], truth: Truth, pipeline: Pipeline, calibrate: Calibrate) -> Look:
    table = truth.scene.table
    size = (table.width, table.depth) if table is not None else None
    calibration: Calibration | TableView | None = truth.view
    began = time.perf_counter()
    if calibrate == "markers":
        calibration = _from_markers(image, truth, size)
    looked = look(image, calibration, truth.scene.game, pipeline=pipeline, table_mm=size, name=truth.name)
    return replace(looked, sight=replace(looked.sight, ms=1e3 * (time.perf_counter() - began)))


def _from_markers(
    image: npt.NDArray[np.uint8], truth: Truth, size: tuple[float, float] | None
) -> Calibration:
    """Calibrated as a person would: the lens was calibrated once, the sheets lie where they lie."""
    places = {i: np.asarray(c, dtype=np.float64) for i, c in truth.markers.items() if i < 10}
    return calibrate_picture(image, camera=truth.view.camera, table_mm=size, places=places or None)


def evaluate_one(truth: Truth, looked: Look, *, pairs: int | None = None, verdicts: bool = True) -> Seen:
    """Compare one picture with its truth."""
    out = Seen(truth.name, looked.sight.ms)
    _compare_objects(out, truth, looked.sight.found)
    clear = _clear(truth)
    matched = _compare_pieces(out, truth, looked.scene, clear)
    good = [(t, s) for t, s in matched if _seen_well(t)]
    _compare_distances(out, good, clear)
    if verdicts:
        for judged in judge_scene(truth.scene, looked.scene, good, pairs, truth.raw.get("spaces")):
            out.verdicts[judged.outcome] = out.verdicts.get(judged.outcome, 0) + 1
            if judged.outcome == "wrong":
                out.wrong.append(judged)
    return out


# -- single bases, trays, hexes, tokens ----------------------------------------------------------------------


def _found_shape(f: Found) -> Shape:
    piece = Piece("f", at=(float(f.at_mm[0]), float(f.at_mm[1])), base=f.base, facing=f.turn_deg)
    shape = shape_of(piece)
    assert shape is not None
    return shape


def _compare_objects(out: Seen, truth: Truth, found: Sequence[Found]) -> None:
    there = [o for o in truth.objects if o["class"] in KINDS]
    here = [f for f in found if f.cls in KINDS]
    pairs = _match(
        [Shape(shapely.Polygon(o["outline_mm"])) for o in there],
        [_found_shape(f) for f in here],
        [KINDS[o["class"]] for o in there],
        [KINDS[f.cls] for f in here],
    )
    hit = {i for i, _ in pairs}
    for i, o in enumerate(there):
        if o.get("visible", 1.0) >= VISIBLE or i in hit:
            _add(out.truth, KINDS[o["class"]])
    for f in here:
        _add(out.claimed, KINDS[f.cls])
    for i, j in pairs:
        kind = KINDS[there[i]["class"]]
        _add(out.right, kind)
        _add(out.hit, kind)
        if there[i].get("visible", 1.0) >= VISIBLE and there[i]["class"] not in HEX_CLASSES:
            centre = np.mean(np.asarray(there[i]["outline_mm"], dtype=np.float64), axis=0)
            out.base_centre_mm.append(float(np.hypot(*(here[j].at_mm - centre))))


def _add(counts: dict[str, int], kind: str) -> None:
    counts[kind] = counts.get(kind, 0) + 1


def _match(
    there: list[Shape], here: list[Shape], kinds_there: list[str], kinds_here: list[str]
) -> list[tuple[int, int]]:
    """Pairs of true and seen things whose outlines share at least half, best first, each once."""
    if not there or not here:
        return []
    boxes = shapely.STRtree([h.area for h in here])
    scored = []
    for i, shape in enumerate(there):
        for j in boxes.query(shape.area):
            if kinds_there[i] == kinds_here[int(j)]:
                share = shape.iou(here[int(j)])
                if share >= IOU:
                    scored.append((share, i, int(j)))
    taken_i: set[int] = set()
    taken_j: set[int] = set()
    pairs = []
    for _, i, j in sorted(scored, reverse=True):
        if i not in taken_i and j not in taken_j:
            taken_i.add(i)
            taken_j.add(j)
            pairs.append((i, j))
    return pairs


# -- pieces --------------------------------------------------------------------------------------------------


def _cov(piece: Piece) -> Floats:
    sigma = piece.sigma.at if piece.sigma is not None else (1e-6, 1e-6)
    xy = float(piece.extra.get("cov_xy", 0.0))
    return np.array([[max(sigma[0], 1e-6) ** 2, xy], [xy, max(sigma[1], 1e-6) ** 2]])


def _clear(truth: Truth) -> set[str]:
    """Bases of whose rims at least half is seen. `visible` does not say so: a piece's own figure may hide all of its rim."""
    shares: dict[str, list[float]] = {}
    for o in truth.objects:
        if "rim" in o and KINDS.get(o["class"]) in ("bases", "trays"):
            shares.setdefault(o.get("unit") or o["id"], []).append(o["rim"])
    return {name for name, seen in shares.items() if np.mean(seen) >= VISIBLE}


def _compare_pieces(
    out: Seen, truth: Truth, scene: Scene, clear: Collection[str] = ()
) -> list[tuple[Piece, Piece]]:
    """Match pieces; a piece of a named pile or without an outline has nothing to compare."""
    there = [p for p in truth.scene.pieces if shape_of(p) is not None]
    here = [p for p in scene.pieces if shape_of(p, p.extra.get("turn")) is not None]
    pairs = _match(
        [_shape(p) for p in there],
        [_shape(p) for p in here],
        [_group(p) for p in there],
        [_group(p) for p in here],
    )
    hit = {i: here[j] for i, j in pairs}
    for p in here:
        if p.kind == "unit":
            _add(out.claimed, "units")
    for i, p in enumerate(there):
        if p.kind == "unit" and (_seen_well(p) or i in hit):
            _add(out.truth, "units")
            if i in hit:
                _add(out.right, "units")
                _add(out.hit, "units")
    for i, s in hit.items():
        t = there[i]
        if not _seen_well(t):
            continue
        assert t.at is not None and s.at is not None
        error = np.array(s.at) - np.array(t.at)
        if t.kind == "unit":
            known = s.facing is not None
            files = (s.files, s.count) == (t.files, t.count)
            out.units.append(files if known else (_block(s), s.count) == (_block(t), t.count))
        if t.kind == "unit" and _block(t) != _block(s):
            continue  # another block than the true one: counted under grouping, its middle means nothing
        out.centre_mm.append(float(np.hypot(*error)))
        if t.id in clear:
            out.clear_centre_mm.append(out.centre_mm[-1])
        out.inside95.append(bool(ellipse95(error, _cov(s))[0]))
        out.size_mm.append(_size_error(t, s))
        _compare_facing(out, t, s)
    return [(there[i], s) for i, s in hit.items()]


def _seen_well(piece: Piece) -> bool:
    return piece.visible is None or piece.visible >= VISIBLE


def _group(piece: Piece) -> str:
    return "token" if piece.kind in ("token", "marker") else "piece"


def _shape(piece: Piece) -> Shape:
    shape = shape_of(piece, piece.extra.get("turn"))
    assert shape is not None
    return shape


def _block(piece: Piece) -> tuple[int, int]:
    """Width and depth of a block in bases, whichever way it looks."""
    files = piece.files or 1
    ranks = -(-(piece.count or 1) // files)
    return (min(files, ranks), max(files, ranks))


def _size_error(t: Piece, s: Piece) -> float:
    if isinstance(t.base, Circle) and isinstance(s.base, Circle):
        return abs(t.base.diameter - s.base.diameter)
    if isinstance(t.base, Rect) and isinstance(s.base, Rect):
        one, two = sorted((t.base.width, t.base.depth)), sorted((s.base.width, s.base.depth))
        return max(abs(a - b) for a, b in zip(one, two, strict=True))
    return float(abs(_shape(t).area.area ** 0.5 - _shape(s).area.area ** 0.5))


def _compare_facing(out: Seen, t: Piece, s: Piece) -> None:
    if t.facing is None or t.kind in ("token", "marker"):
        return
    out.faced += 1
    if s.facing is not None:
        off = abs((s.facing - t.facing + 180) % 360 - 180)
        out.facing_deg.append(off)
        if isinstance(t.base, Circle) and off <= FLIP_DEG:
            out.round_facing_deg.append(off)
    if isinstance(t.base, Rect):
        turn = s.facing if s.facing is not None else s.extra.get("turn")
        if turn is not None:
            out.turn_deg.append(abs((turn - t.facing + 45) % 90 - 45))


def _compare_distances(
    out: Seen, matched: Sequence[tuple[Piece, Piece]], clear: Collection[str] = ()
) -> None:
    good = [(t, s) for t, s in matched if t.kind != "unit" or _block(t) == _block(s)]
    shapes = [(_shape(t), _shape(s)) for t, s in good]
    for a in range(len(shapes)):
        for b in range(a + 1, len(shapes)):
            true = shapes[a][0].distance(shapes[b][0])
            if true <= PAIR_MM:
                out.distance_mm.append(abs(shapes[a][1].distance(shapes[b][1]) - true))
                if good[a][0].id in clear and good[b][0].id in clear:
                    out.clear_distance_mm.append(out.distance_mm[-1])
