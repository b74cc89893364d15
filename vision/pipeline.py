"""The pipeline: a picture and a calibration in, everything on the table out.

    pipeline = Pipeline("t9a")
    sight = pipeline.look(image, calibration)

`Pipeline.look` is one look at one picture; who is who from look to look is the tracker's business, and `look` in this
module does both for a single photograph.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from regla.calibration import Calibration, TableView
from regla.models.classes import CLASS_ID, CLASSES
from regla.rules import GAMES
from regla.rules.scene import Board, Terrain
from regla.rules.units import mm_per

from .boards import lay_boards
from .boxes import a_few
from .catalogue import Catalogue, catalogue
from .errors import VisionError
from .facing import FacingModel
from .found import Found, Thing
from .group import Block, find_blocks, solid
from .orient import straighten
from .place import PlaceModel, place_boxes
from .proposals import propose
from .refine import refine
from .tags import Tag, find_tags
from .things import make_things
from .weights import ModelFileError

__all__ = ["Pipeline", "Sight", "versions"]

HAND_SCORE: Final = 0.4
"""A hand is believed a little sooner than a base: waiting for nothing costs less than a wrong verdict."""
FACES_MOST: Final = 4
"""Bases of one block whose front is looked at: enough for a vote, and a horde costs no more than a regiment."""
SHARP: Final = 0.98
SHARP_DEG: Final = 3.0
BLURRED_DEG: Final = 8.0
"""How far off the front of a round base is, one standard deviation, where the network is that sure and where it is less:
measured on 650 and 35 bases of rendered tables."""
FACED: Final = ("round-base", "rect-base", "tray")
FACELESS: Final = frozenset({"underworlds", "siege-of-runedar"})
"""Games in which no rule asks which way a piece looks: it is not looked for, and not claimed."""
OFF_TABLE_MM: Final = 60.0
"""Finds farther outside the table than this are not on it (dice in the tray beside it, feet)."""


@dataclass(frozen=True, eq=False)
class Sight:
    """One look: the things, the loose finds behind them, and how long it took."""

    things: tuple[Thing, ...]
    found: tuple[Found, ...]
    blocks: tuple[Block, ...]
    hands: int
    ms: float
    detect_ms: float
    frames: int = 1
    tags: tuple[Tag, ...] = ()
    board: Board | None = None
    terrain: tuple[Terrain, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@cache
def versions() -> dict[str, str]:
    """What a measurement was made with, for the record."""
    out = {}
    for name in ("regla", "numpy", "opencv-python", "openvino", "shapely"):
        try:
            out[name] = version(name)
        except PackageNotFoundError:
            out[name] = "?"
    return out


class Pipeline:
    """One game's way of seeing. The networks are loaded at the first look, or given to be shared."""

    def __init__(
        self,
        game: str,
        params: Mapping[str, Any] | None = None,
        *,
        unit: str = "mm",
        detector: Any = None,
        facing: Any = None,
        place: Any = None,
        board: Any = None,
    ) -> None:
        if game not in GAMES:
            known = ", ".join(GAMES)
            raise VisionError(why=f"{game!r} ∉ {known}")
        self.game = game
        self.unit = unit
        self.params = dict(params or {})
        self.board = board
        self.sizes: Catalogue = catalogue(game, self.params, unit)
        self._detector = detector
        self._facing = facing
        self._place = place

    def of_game(self, game: str, params: Mapping[str, Any] | None) -> Pipeline:
        """The same eyes for another game or other settings."""
        board = self.board if game == self.game else None
        return Pipeline(
            game,
            params,
            unit=self.unit,
            detector=self._detector,
            facing=self._facing,
            place=self._place,
            board=board,
        )

    @property
    def params_mm(self) -> dict[str, Any]:
        """The settings as a scene in mm holds them."""
        k = mm_per("in" if self.unit == "in" else "mm")
        out: dict[str, Any] = {}
        for name, value in self.params.items():
            param = GAMES[self.game].param(name)
            if param is not None and param.kind == "length":
                value = value * k
            elif param is not None and param.kind == "lengths":
                value = [v * k for v in value]
            out[name] = value
        return out

    @property
    def detector(self) -> Any:
        if self._detector is None:
            from .detect import Detector

            self._detector = Detector.load()
        return self._detector

    @property
    def facing(self) -> Any:
        """The facing network; False where none is installed: then a front is known from tags and ranks only."""
        if self._facing is None:
            self._facing = _loaded(FacingModel)
        return self._facing

    @property
    def place(self) -> Any:
        """The place network; False where none is installed: then boxes are taken as the detector draws them."""
        if self._place is None:
            self._place = _loaded(PlaceModel)
        return self._place

    @property
    def model_sha256(self) -> str | None:
        return getattr(self.detector, "model_sha256", None)

    @property
    def facing_sha256(self) -> str | None:
        return getattr(self.facing, "model_sha256", None) if self.facing else None

    @property
    def place_sha256(self) -> str | None:
        return getattr(self.place, "model_sha256", None) if self.place else None

    def look(
        self,
        image: npt.NDArray[np.uint8],
        calibration: Calibration | TableView,
        *,
        precise: npt.NDArray[np.float32] | None = None,
        frames: int = 1,
        tags: bool = True,
    ) -> Sight:
        """See everything in one picture. `precise` is the mean of several pictures, for the edges."""
        began = time.perf_counter()
        seen = self.detector(image)
        detected = time.perf_counter()
        hands = int(np.sum((seen.class_id == CLASS_ID["hand"]) & (seen.score >= HAND_SCORE)))
        view = _view(calibration)
        placed = place_boxes(self.place, image, view, seen, self.sizes) if self.place else None
        first = _on_table(propose(seen, view, self.sizes, placed), calibration)
        found = solid(straighten(image, view, first))
        marks = find_tags(image, view, self._tag_height()) if tags else []
        found = self._see_fronts(image, view, found, marks)
        sight = Sight((), tuple(found), (), hands, 0.0, 1e3 * (detected - began), frames, tuple(marks))
        sight = self._measure(image if precise is None else precise, view, sight)
        return replace(sight, ms=1e3 * (time.perf_counter() - began))

    def refine_again(
        self, image: npt.NDArray[np.float32], sight: Sight, calibration: Calibration | TableView, frames: int
    ) -> Sight:
        """Measure what was seen anew in a better picture of the same table; nothing new is looked for."""
        began = time.perf_counter()
        again = self._measure(image, _view(calibration), replace(sight, frames=frames))
        return replace(again, ms=1e3 * (time.perf_counter() - began), detect_ms=0.0)

    def _measure(self, image: npt.NDArray[Any], view: TableView, sight: Sight) -> Sight:
        # Where bases of many sizes stand in ranks, the picture says which blocks there are: `refine` reads them.
        blocks = [] if self.sizes.open else find_blocks(sight.found)
        measured = refine(image, view, sight.found, blocks, self.sizes, self.place or None)
        things = make_things(measured, self.game)
        things, board = lay_boards(things, measured.found, self.game, self.params_mm, self.board)
        return replace(
            sight,
            things=tuple(things),
            found=tuple(measured.found),
            blocks=tuple(measured.blocks),
            board=board,
        )

    def _tag_height(self) -> float:
        return self.sizes.height("tray" if self.game == "runewars" else "rect-base").mm

    def _see_fronts(
        self, image: npt.NDArray[np.uint8], view: TableView, found: Sequence[Found], tags: Sequence[Tag]
    ) -> list[Found]:
        """Colours, tags and fronts of the finds."""
        out = [
            replace(f, colour=_colour(image, f))
            if f.cls in ("round-base", "rect-base", "tray", "token")
            else f
            for f in found
        ]
        ask = [] if self.game in FACELESS else _worth_asking(out)
        if ask and self.facing:
            corners = np.array([out[i].corners_px for i in ask])
            classes = np.array([CLASSES.index(out[i].cls) for i in ask])
            angle, sure, told = self.facing.guess(image, corners, classes)
            middles = corners.mean(axis=1)
            heights = np.array([out[i].height_mm for i in ask])
            here, _ = view.to_table(middles, heights, sigma_px=0.0)
            there, _ = view.to_table(
                middles + 4 * np.column_stack([np.cos(angle), np.sin(angle)]), heights, sigma_px=0.0
            )
            way = there - here
            for n in np.flatnonzero(np.isfinite(way).all(axis=1)):
                turn = float(np.degrees(np.arctan2(way[n, 1], way[n, 0]))) % 360
                seen = replace(out[ask[n]], guess_deg=turn, guess_sure=float(sure[n]))
                if told[n]:
                    sigma = SHARP_DEG if sure[n] >= SHARP else BLURRED_DEG
                    seen = replace(seen, facing_deg=turn, facing_sigma_deg=sigma)
                out[ask[n]] = seen
        for tag in tags:
            owner = min(
                (
                    i
                    for i, f in enumerate(out)
                    if np.hypot(*(f.at_mm - tag.at_mm)) < max(12.0, 0.7 * f.reach_mm)
                ),
                key=lambda i: float(np.hypot(*(out[i].at_mm - tag.at_mm))) / out[i].reach_mm,
                default=None,
            )
            if owner is not None:
                out[owner] = replace(
                    out[owner], tag=tag.number, facing_deg=tag.up_deg, facing_sigma_deg=tag.sigma_deg
                )
        return out


def _loaded(network: type[FacingModel] | type[PlaceModel]) -> Any:
    try:
        return network.load()
    except (ModelFileError, FileNotFoundError):
        return False


def _view(calibration: Calibration | TableView) -> TableView:
    return calibration if isinstance(calibration, TableView) else calibration.view()


def _on_table(found: list[Found], calibration: Calibration | TableView) -> list[Found]:
    if isinstance(calibration, TableView):
        return found
    width, depth = calibration.table_mm
    low, high = np.array([-OFF_TABLE_MM] * 2), np.array([width, depth]) + OFF_TABLE_MM
    return [f for f in found if np.all(f.at_mm > low) and np.all(f.at_mm < high)]


def _colour(image: npt.NDArray[Any], found: Found) -> tuple[float, float, float] | None:
    """The mean colour of the middle of a find: enough to tell a red unit from a blue one."""
    if found.corners_px is None:
        return None
    low = np.floor(found.corners_px.min(axis=0)).astype(int)
    high = np.ceil(found.corners_px.max(axis=0)).astype(int)
    inset = (high - low) // 5
    x0, y0 = np.maximum(low + inset, 0)
    x1, y1 = high - inset
    patch = image[y0 : y1 + 1, x0 : x1 + 1]
    if patch.size == 0:
        return None
    mean = cv2.mean(patch)
    return (float(mean[0]), float(mean[1]), float(mean[2]))


def _worth_asking(found: Sequence[Found]) -> list[int]:
    """Whose front to look at: everything with one, but of many alike and close together only some."""
    rows = sorted((i for i, f in enumerate(found) if f.cls in FACED), key=lambda i: -found[i].score)
    chosen: list[int] = []
    for cls in FACED:
        of_class = [i for i in rows if found[i].cls == cls]
        if cls != "rect-base" or len(of_class) <= FACES_MOST:
            chosen += of_class
            continue
        places = np.array([found[i].at_mm for i in of_class])
        reach = np.array([found[i].reach_mm for i in of_class])
        areas = np.array([found[i].area_mm2 for i in of_class])
        few = a_few(places, reach, areas, FACES_MOST)
        chosen += [i for i, yes in zip(of_class, few, strict=True) if yes]
    return sorted(chosen)
