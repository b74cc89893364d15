"""Which pictures of the board are still missing, and a live session that collects them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from .camera import Floats, Pose
from .charuco import BoardView, Target
from .lens_guess import guess_camera
from .markers import BLUR_MOST_PX, Image, grey, sharpness_px

ZONES: Final = (
    ("guide-top-left", (0.0, 0.0)),
    ("guide-top-right", (1.0, 0.0)),
    ("guide-bottom-left", (0.0, 1.0)),
    ("guide-bottom-right", (1.0, 1.0)),
)
ZONE_REACH: Final = 0.22
"""A picture corner is covered when a board corner comes within this share of width and height of it: distortion
grows with the radius, and nothing measured in the middle tells how."""
TILT_DEG: Final = 15.0
"""Views tilted by less do not tell focal length from distance."""
TILTS: Final = (
    ("guide-tilt-left", (-1.0, 0.0)),
    ("guide-tilt-right", (1.0, 0.0)),
    ("guide-tilt-away", (0.0, -1.0)),
    ("guide-tilt-near", (0.0, 1.0)),
)
CLOSE_SHARE: Final = 0.35
"""A board that spans this share of the picture's width is close enough to fill it with corners."""
ENOUGH_VIEWS: Final = 12
NEW_VIEW: Final = 0.06
"""A new view must differ from all before by this share of the width, or it says the same again."""
STILL: Final = 0.004
"""Between two frames a held board moves less than this share of the width; more is motion, and motion blurs."""


def _normal(view: BoardView, size_px: tuple[int, int]) -> Floats:
    """Which way the board faces, as seen by a camera of ordinary focal length."""
    from .lens import board_pose

    pose: Pose = board_pose(view, guess_camera(size_px))
    normal = pose.rotation[:, 2]
    return np.asarray(normal if normal[2] > 0 else -normal)


def missing_views(views: Sequence[BoardView], size_px: tuple[int, int]) -> list[str]:
    """Message keys of what is still missing, the most useful first; empty when the set is complete."""
    size = np.asarray(size_px, dtype=np.float64)
    points = np.concatenate([v.px for v in views]) / size if views else np.empty((0, 2))
    missing = [
        key
        for key, corner in ZONES
        if not (np.abs(points - np.asarray(corner)) <= ZONE_REACH).all(axis=1).any()
    ]
    normals = np.array([_normal(v, size_px) for v in views]).reshape(-1, 3)
    least = np.sin(np.radians(TILT_DEG))
    missing += [key for key, lean in TILTS if not (normals[:, :2] @ np.asarray(lean) > least).any()]
    if not any(float(np.ptp(v.px[:, 0])) > CLOSE_SHARE * size_px[0] for v in views):
        missing.append("guide-closer")
    if len(views) < ENOUGH_VIEWS:
        missing.append("guide-more")
    return missing


@dataclass
class LensSession:
    """Feeds on frames of live video, keeps the useful ones and says what to show next.

    `offer` returns a message key: what happened to this frame. `missing` says what to do next.
    """

    target: Target
    size_px: tuple[int, int]
    views: list[BoardView] = field(default_factory=list)
    _last: BoardView | None = None

    def offer(self, image: Image) -> str:
        view = self.target.find(image, f"frame {len(self.views) + 1}")
        last, self._last = self._last, view
        if view is None:
            return "frame-no-board"
        if sharpness_px(grey(image)) > BLUR_MOST_PX:
            return "frame-blurred"
        if last is None or self._apart(view, last) > STILL:
            return "frame-moving"
        if any(self._apart(view, old) < NEW_VIEW for old in self.views):
            return "frame-known"
        self.views.append(view)
        return "frame-taken"

    @property
    def missing(self) -> list[str]:
        return missing_views(self.views, self.size_px)

    @property
    def share(self) -> float:
        """How much of the set is complete, 0 to 1."""
        whole = len(ZONES) + len(TILTS) + 1 + ENOUGH_VIEWS
        lacking = [key for key in self.missing if key != "guide-more"]
        return 1 - (len(lacking) + max(0, ENOUGH_VIEWS - len(self.views))) / whole

    def _apart(self, a: BoardView, b: BoardView) -> float:
        """The mean move of the corners that two views share, over the width; 1 when they share none."""
        width = 1 << 20
        names_a = np.round(a.xyz_mm[:, 0] * 8) * width + np.round(a.xyz_mm[:, 1] * 8)
        names_b = np.round(b.xyz_mm[:, 0] * 8) * width + np.round(b.xyz_mm[:, 1] * 8)
        _, in_a, in_b = np.intersect1d(names_a, names_b, return_indices=True)
        if not len(in_a):
            return 1.0
        return float(np.linalg.norm(a.px[in_a] - b.px[in_b], axis=1).mean()) / self.size_px[0]
