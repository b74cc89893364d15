"""Finding the sheets in a picture: ArUco markers, with corners from sub-pixel edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from .camera import Camera, Floats
from .errors import NoMarkers, PictureBlurred, PictureMirrored, PictureTooLarge, PictureTooSmall

Image = npt.NDArray[Any]

FAMILY: Final = "DICT_4X4_50"
CORNER_IDS: Final = (0, 1, 2, 3)
"""Near left, near right, far right, far left."""
TABLE_IDS: Final = tuple(range(8))
"""Sheets that lie on the table: the four corners and up to four more, anywhere."""
CHECK_IDS: Final = (8, 9)
"""The two ends of the 12 in check bar."""
TAG_IDS: Final = tuple(range(10, 50))
SIDE_MM: Final = 100.0
"""Side of the black square on a corner sheet."""
QUIET_MM: Final = 15.0
"""White rim around it up to the cutting line; also how far the square lies from the table's edges when the cut
sheet is laid flush into a corner."""

LEAST_PX: Final = 64
MOST_MEGAPIXELS: Final = 64.0
"""Smaller pictures cannot show a sheet; larger ones need gigabytes for nothing."""
SEARCH_PX: Final = 1100
"""Sheets are looked for in a picture shrunk by a whole number to at most this width (a 100 mm square still has 40 px),
then measured in the full one; four times quicker than searching 1080p."""
THRESHOLD_PX: Final = 33
"""Window of the quick search's only threshold: on 120 rendered tables it found 255 sheets, OpenCV's three windows
247, in a third of the time. The thorough search uses 3, 13, 23 and 33."""
EDGE_SAMPLES: Final = 24
EDGE_SPAN: Final = 0.12
"""Each side is measured at this many points, leaving out this share near its ends, where corners round off."""
BLUR_MOST_PX: Final = 3.2
"""An edge blurred wider than this (one standard deviation) moves with light and dark around it: not measurable."""
STRONG_EDGE: Final = 55
"""Grey levels between the darkest and the lightest: a picture with a printed sheet in it has more."""
LOCAL: Final = np.array([[-0.5, 0.5], [0.5, 0.5], [0.5, -0.5], [-0.5, -0.5]])
"""The corners as ArUco lists them (clockwise from the top left), around the centre, y up, for a side of one."""


@dataclass(frozen=True, eq=False)
class Marker:
    """One marker in the picture; corners clockwise from its own top left. `blur_px` is how soft its edges are."""

    id: int
    corners_px: Floats
    blur_px: float = 0.0

    @property
    def centre_px(self) -> Floats:
        """Where its diagonals cross, which is its true centre in perspective."""
        a, b, c, d = self.corners_px
        (p, q), (r, s) = c - a, d - b
        t = ((b - a)[0] * s - (b - a)[1] * r) / (p * s - q * r)
        return np.asarray(a + t * (c - a))

    @property
    def side_px(self) -> float:
        return float(np.mean(np.linalg.norm(self.corners_px - np.roll(self.corners_px, 1, axis=0), axis=1)))


@cache
def _detector(quick: bool) -> Any:
    parameters = cv2.aruco.DetectorParameters()
    parameters.adaptiveThreshWinSizeMin = THRESHOLD_PX if quick else 3
    parameters.adaptiveThreshWinSizeMax = THRESHOLD_PX
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_NONE
    # Half the default: wood grain and lace must not become sheet 3.
    parameters.errorCorrectionRate = 0.3
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, FAMILY)), parameters)


def check_picture(image: Image) -> None:
    """Refuse what is no picture of a table before spending time on it."""
    height, width = image.shape[:2] if image.ndim >= 2 else (0, 0)
    if min(height, width) < LEAST_PX:
        raise PictureTooSmall(width=width, height=height, least=LEAST_PX)
    if height * width > MOST_MEGAPIXELS * 1e6:
        raise PictureTooLarge(megapixels=height * width / 1e6, most=MOST_MEGAPIXELS)


def grey(image: Image) -> npt.NDArray[np.uint8]:
    if image.dtype != np.uint8:
        image = np.clip(image, 0, 255).astype(np.uint8)
    if image.ndim == 2:
        return image
    code = cv2.COLOR_BGRA2GRAY if image.shape[2] == 4 else cv2.COLOR_BGR2GRAY
    return np.asarray(cv2.cvtColor(image, code), dtype=np.uint8)


def _detect(picture: npt.NDArray[np.uint8], shrink: int) -> list[tuple[int, Floats]]:
    """Markers in a picture shrunk by a whole number, which is the quick way to shrink; corners in the full one."""
    small = picture
    if shrink > 1:
        height, width = picture.shape[0] // shrink, picture.shape[1] // shrink
        whole = picture[: height * shrink, : width * shrink]
        small = np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    corners, ids, _ = _detector(shrink > 1).detectMarkers(small)
    if ids is None:
        return []
    return [
        (int(i), (np.asarray(c, dtype=np.float64).reshape(4, 2) + 0.5) * shrink - 0.5)
        for i, c in zip(np.ravel(ids), corners, strict=True)
    ]


def find_markers(
    image: Image, *, ids: Iterable[int] | None = None, camera: Camera | None = None, enough: int = 4
) -> list[Marker]:
    """All markers with these ids (None: all sheets for the table), sorted by id, twins included.

    The quick search at reduced size is repeated at full size when fewer than `enough` turn up. `camera` lets edges
    be fitted as the curves that the lens makes of straight lines.
    """
    check_picture(image)
    wanted = set(TABLE_IDS if ids is None else ids)
    picture = grey(image)
    shrink = -(-picture.shape[1] // SEARCH_PX)
    found = [hit for hit in _detect(picture, shrink) if hit[0] in wanted]
    if shrink > 1 and len({i for i, _ in found}) < enough:
        found = [hit for hit in _detect(picture, 1) if hit[0] in wanted]
    if not found:
        return []
    corners, blur = refine_corners(picture, np.array([c for _, c in found]), camera)
    markers = [Marker(i, c, float(b)) for (i, _), c, b in zip(found, corners, blur, strict=True)]
    return sorted(markers, key=lambda m: (m.id, *m.corners_px[0]))


def refine_corners(
    picture: npt.NDArray[np.uint8], corners_px: Floats, camera: Camera | None = None
) -> tuple[Floats, Floats]:
    """Corners (M,4,2) from lines fitted to the sub-pixel edges of each side; with the softness of the edges (M,).

    Sides that are no clean dark-to-light step (covered, glaring) keep the detector's corner. Two rounds, because
    the first starts from a search at reduced size and may catch an edge at the rim of its window.
    """
    once, _ = _refine_once(picture, corners_px, camera)
    return _refine_once(picture, once, camera)


def _refine_once(
    picture: npt.NDArray[np.uint8], corners_px: Floats, camera: Camera | None
) -> tuple[Floats, Floats]:
    count = len(corners_px)
    a, b = corners_px, np.roll(corners_px, -1, axis=1)
    along = b - a
    length = np.linalg.norm(along, axis=2, keepdims=True)
    unit = along / np.maximum(length, 1e-9)
    # Corners run clockwise in the picture (y down), so the outside is to the left of the walk.
    outward = np.stack([unit[..., 1], -unit[..., 0]], axis=-1)
    # Within half a border cell on the inside, within the white rim on the outside.
    half = np.clip(length[..., 0] / 12, 2.0, 6.0)
    steps = 25
    share = np.linspace(EDGE_SPAN, 1 - EDGE_SPAN, EDGE_SAMPLES)
    across = np.linspace(-1, 1, steps)
    foot = a[:, :, None, :] + along[:, :, None, :] * share[None, None, :, None]
    offset = half[:, :, None] * across
    spots = foot[:, :, :, None, :] + outward[:, :, None, None, :] * offset[:, :, None, :, None]
    flat = spots.reshape(count * 4 * EDGE_SAMPLES, steps, 2).astype(np.float32)
    profile = cv2.remap(
        picture, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    ).astype(np.float64)
    profile = profile.reshape(count, 4, EDGE_SAMPLES, steps)
    climb = np.maximum(np.diff(profile, axis=3), 0.0)
    middle = 0.5 * (offset[..., 1:] + offset[..., :-1])[:, :, None, :]
    mass = climb.sum(axis=3)
    with np.errstate(all="ignore"):
        # Twice: the second time only near the first answer, so that print dirt far off does not pull.
        centre = (climb * middle).sum(axis=3) / mass
        near = np.abs(middle - centre[..., None]) < 0.6 * half[:, :, None, None]
        climb = climb * near
        centre = (climb * middle).sum(axis=3) / climb.sum(axis=3)
    clear = (mass > 20) & np.isfinite(centre)  # 20 grey levels: anything less is no printed edge
    edge = foot + outward[:, :, None, :] * np.where(clear, centre, 0.0)[..., None]
    lines = np.full((count, 4, 3), np.nan)
    straight = edge if camera is None else camera.undistort(edge.reshape(-1, 2)).reshape(edge.shape)
    for m in range(count):
        for side in range(4):
            lines[m, side] = _fit_line(straight[m, side][clear[m, side]])
    crossing = np.cross(np.roll(lines, 1, axis=1), lines)
    with np.errstate(all="ignore"):
        refined: Floats = crossing[..., :2] / crossing[..., 2:]
    if camera is not None:
        refined = np.asarray(camera.distort(refined.reshape(-1, 2))).reshape(count, 4, 2)
    moved = np.linalg.norm(refined - corners_px, axis=2)
    keep = ~(moved < 2 * half.max(axis=1, keepdims=True))
    refined[keep] = corners_px[keep]
    return refined, _softness(profile, half)


def _softness(profile: Floats, half_px: Floats) -> Floats:
    """How wide the edges of each marker are (one standard deviation, px): contrast over steepest slope of its softest
    side, because motion blurs one direction only."""
    side = profile.mean(axis=2)
    slope = np.diff(side, axis=2).max(axis=2) / (2 * half_px / (side.shape[2] - 1))
    return np.asarray((np.ptp(side, axis=2) / np.maximum(slope, 1e-3) / np.sqrt(2 * np.pi)).max(axis=1))


def _fit_line(points: Floats) -> Floats:
    """A line (a, b, c) with ax + by + c = 0 through points, trimmed twice of what lies far off; nan if too few."""
    for _ in range(3):
        if len(points) < EDGE_SAMPLES // 3:
            return np.full(3, np.nan)
        middle = points.mean(axis=0)
        x, y = (points - middle).T
        angle = 0.5 * np.arctan2(2 * (x * y).sum(), (x * x - y * y).sum())
        normal = np.array([-np.sin(angle), np.cos(angle)])
        off = np.abs((points - middle) @ normal)
        good = off <= 3.0 * np.median(off) + 1e-12
        if good.all():
            break
        points = points[good]
    return np.array([normal[0], normal[1], -float(normal @ middle)])


def sharpness_px(picture: npt.NDArray[np.uint8]) -> float:
    """How wide the sharpest strong edges of a picture are (one standard deviation, px), in its softer direction.

    A step blurred by b and looked at with a Gaussian of s slopes as 1/√(s² + b²): two looks give b. Motion blurs one
    direction only, so both are measured. Zero when the picture has no strong edges to judge by.
    """
    small = picture[:: max(1, picture.shape[0] // 1080), :: max(1, picture.shape[1] // 1920)].astype(
        np.float32
    )
    if float(np.percentile(small, 99.9) - np.percentile(small, 0.1)) < STRONG_EDGE:
        return 0.0
    fine, coarse = 1.0, 4.0
    widths = []
    for axis in ((1, 0), (0, 1)):
        slopes = [
            float(
                np.percentile(np.abs(cv2.Sobel(cv2.GaussianBlur(small, (0, 0), s), cv2.CV_32F, *axis)), 99.9)
            )
            for s in (fine, coarse)
        ]
        ratio = (slopes[0] / max(slopes[1], 1e-6)) ** 2
        widths.append(np.sqrt(max(coarse**2 - ratio * fine**2, 0.0) / (ratio - 1)) if ratio > 1.001 else 99.0)
    return float(min(max(widths), 99.0))


def explain_absence(image: Image, ids: Iterable[int]) -> None:
    """Nothing was found: say why. Always raises."""
    picture = grey(image)
    wanted = set(ids)
    flipped = np.ascontiguousarray(picture[:, ::-1])
    if any(i in wanted for i, _ in _detect(flipped, -(-picture.shape[1] // SEARCH_PX))):
        raise PictureMirrored()
    width = sharpness_px(picture)
    if width > BLUR_MOST_PX:
        raise PictureBlurred(width_px=width, most_px=BLUR_MOST_PX)
    raise NoMarkers()


def square(side_mm: float, centre_mm: npt.ArrayLike = (0.0, 0.0), turn_deg: float = 0.0) -> Floats:
    """Corners (4,2) of a marker on the table in ArUco's order; `turn_deg` counter-clockwise from "up is away".

    >>> square(100, (50, 50)).tolist()
    [[0.0, 100.0], [100.0, 100.0], [100.0, 0.0], [0.0, 0.0]]
    """
    angle = np.radians(turn_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.asarray(LOCAL * side_mm @ turn.T + np.asarray(centre_mm, dtype=np.float64))


def corner_places(
    table_mm: tuple[float, float], side_mm: float = SIDE_MM, inset_mm: float = QUIET_MM
) -> Mapping[int, Floats]:
    """Where the corner sheets lie when each is cut at its line and laid flush into its corner: id ▸ (4,2) mm."""
    width, depth = table_mm
    near, far = inset_mm + side_mm / 2, inset_mm + side_mm / 2
    centres = [(near, near), (width - near, near), (width - near, depth - far), (near, depth - far)]
    return {i: square(side_mm, c) for i, c in zip(CORNER_IDS, centres, strict=True)}
