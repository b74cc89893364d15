"""The truth of a picture: how much of each thing is seen, detector labels and the truth document."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ..classes import CLASS_ID
from .camera import Shot
from .gl import Frame, Pinhole
from .world import Thing, World

Array = NDArray[Any]

LABEL_VISIBLE = 0.25  # below this even a person would not be asked to find it
MIN_LABEL_PX = 5.0
RIM_POINTS = 48
RIM_INSIDE_MM = 0.7  # a point of the rim itself may fall on a pixel beside it
RIM_ABOVE_MM = (
    2.0  # what is nearer to the camera than the rim by more than this stands before it; flock does not
)
HAND_MIN_PX = 500  # less of a hand is a finger tip at the border


def _xyz(outline_mm: Array, height_mm: float) -> Array:
    return np.c_[outline_mm, np.full(len(outline_mm), height_mm)]


def _pinhole_px(pinhole: Pinhole, xyz: Array) -> Array:
    seen = xyz @ pinhole.rotation.T + pinhole.translation
    pixels = seen[:, :2] / np.maximum(seen[:, 2:], 1e-6)
    return pixels * np.diag(pinhole.matrix)[:2] + pinhole.matrix[:2, 2]


def visible_share(thing: Thing, frame: Frame, pinhole: Pinhole, shot: Shot) -> float:
    """The share of the top face on which the thing itself, its own figure included, is what the camera sees.

    Another piece leaning over it and the picture's border take from it; its own figure does not.
    """
    outline = _pinhole_px(pinhole, _xyz(thing.outline_mm, thing.height_mm))
    area = abs(float(cv2.contourArea(outline.astype(np.float32))))
    if area < 1:
        return 0.0
    x0, y0 = np.floor(outline.min(axis=0)).astype(int)
    x1, y1 = np.ceil(outline.max(axis=0)).astype(int) + 1
    height_px, width_px = frame.ids.shape
    cx0, cy0, cx1, cy1 = max(x0, 0), max(y0, 0), min(x1, width_px), min(y1, height_px)
    if cx0 >= cx1 or cy0 >= cy1:
        return 0.0
    inside = _inside(outline, (x0, y0, x1, y1))
    cut = inside[cy0 - y0 : cy1 - y0, cx0 - x0 : cx1 - x0]
    ids = frame.ids[cy0:cy1, cx0:cx1]
    own = np.isin(ids, [thing.ident, *thing.companions]) if thing.companions else ids == thing.ident
    share = float((own & cut).sum()) / max(int(inside.sum()), 1)
    # The wide pinhole sees past the picture's border: what the lens cuts off is not seen.
    dense = densified(thing.outline_mm, 24)
    pixels = shot.project(_xyz(dense, thing.height_mm))
    if not np.all((pixels > -0.5) & (pixels < np.array(shot.size_px) - 0.5)):
        clip = _clipped_area(pixels, shot.size_px) / max(
            abs(float(cv2.contourArea(pixels.astype(np.float32)))), 1e-6
        )
        share *= clip
    return min(share, 1.0)


def rim_share(thing: Thing, frame: Frame, pinhole: Pinhole, shot: Shot) -> float:
    """The share of the rim of the top face that the camera sees: nothing stands before it, its own figure neither."""
    middle = thing.outline_mm.mean(axis=0)
    dense = densified(thing.outline_mm, RIM_POINTS)
    inner = dense + (middle - dense) * (
        RIM_INSIDE_MM / np.maximum(np.linalg.norm(dense - middle, axis=1), 1.0)[:, None]
    )
    xyz = _xyz(inner, thing.height_mm)
    away = (xyz @ pinhole.rotation.T + pinhole.translation)[:, 2]
    column, row = np.round(_pinhole_px(pinhole, xyz)).astype(int).T
    height_px, width_px = frame.depth_mm.shape
    there = (column >= 0) & (row >= 0) & (column < width_px) & (row < height_px)
    pixels = shot.project(xyz)
    there &= np.all((pixels > -0.5) & (pixels < np.array(shot.size_px) - 0.5), axis=1)
    seen = np.zeros(len(xyz), bool)
    seen[there] = frame.depth_mm[row[there], column[there]] > away[there] - RIM_ABOVE_MM
    return float(seen.mean())


def _inside(outline: Array, window: tuple[int, int, int, int]) -> NDArray[Any]:
    """Which pixel centres of a window lie in a convex outline; cv2.fillPoly would count the border's pixels too."""
    x0, y0, x1, y1 = window
    corners = outline[:: max(1, len(outline) // 20)]
    x, y = np.arange(x0, x1)[None, :], np.arange(y0, y1)[:, None]
    turn = np.sign(cv2.contourArea(corners.astype(np.float32), oriented=True))
    inside = np.ones((y1 - y0, x1 - x0), bool)
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        inside &= ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) * turn >= 0
    return inside


def _clipped_area(pixels: Array, size_px: tuple[int, int]) -> float:
    w, h = size_px
    frame = np.array([[-0.5, -0.5], [w - 0.5, -0.5], [w - 0.5, h - 0.5], [-0.5, h - 0.5]], np.float32)
    hull = cv2.convexHull(pixels.astype(np.float32))
    area, _ = cv2.intersectConvexConvex(hull, frame)
    return float(area)


def densified(outline: Array, at_least: int) -> Array:
    """The outline with points added along its sides."""
    if len(outline) >= at_least:
        return outline
    per_side = -(-at_least // len(outline))
    t = np.arange(per_side)[:, None] / per_side
    following = np.roll(outline, -1, axis=0)
    return np.vstack([a + (b - a) * t for a, b in zip(outline, following, strict=True)])


def _hand_outline(thing: Thing, frame: Frame, pinhole: Pinhole, shot: Shot) -> Array | None:
    """The hull of the pixels of a hand, through the lens and cut at the picture's border."""
    mask = (frame.ids == thing.ident).astype(np.uint8)
    if int(mask.sum()) < HAND_MIN_PX:
        return None
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    pixels = np.vstack([c.reshape(-1, 2) for c in contours]).astype(float)
    rays = (pixels - pinhole.matrix[:2, 2]) / np.diag(pinhole.matrix)[:2]
    flat = np.c_[rays, np.ones(len(rays))].reshape(-1, 1, 3)
    bent, _ = cv2.projectPoints(flat, np.zeros(3), np.zeros(3), shot.matrix, shot.distortion)
    bent = bent.reshape(-1, 2)
    w, h = shot.size_px
    bent = bent[np.all((bent > -1) & (bent < (w, h)), axis=1)]
    if len(bent) < 30:
        return None
    return cv2.convexHull(bent.astype(np.float32)).reshape(-1, 2).astype(float)


def oriented_box(outline_px: Array, shape: str) -> Array:
    """The four corners of the box a detector should draw around an outline."""
    if shape == "round":
        low, high = outline_px.min(axis=0), outline_px.max(axis=0)
        return np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
    if shape == "mask":
        return cv2.boxPoints(cv2.minAreaRect(outline_px.astype(np.float32))).astype(float)
    count = len(outline_px)
    per_side = count // (6 if shape == "hex" else 4)
    opposite = count // 2
    # The mean direction of two opposite sides: perspective makes them differ a little.
    one = outline_px[per_side % count] - outline_px[0]
    other = outline_px[opposite] - outline_px[(opposite + per_side) % count]
    along = one / np.linalg.norm(one) + other / np.linalg.norm(other)
    along /= np.linalg.norm(along)
    across = np.array([-along[1], along[0]])
    u, v = outline_px @ along, outline_px @ across
    return np.array(
        [
            along * a + across * b
            for a, b in ((u.min(), v.min()), (u.max(), v.min()), (u.max(), v.max()), (u.min(), v.max()))
        ]
    )


def describe(
    world: World, shot: Shot, frame: Frame, pinhole: Pinhole
) -> tuple[list[dict[str, Any]], list[str]]:
    """The `objects` of the truth document and the lines of the label file."""
    objects: list[dict[str, Any]] = []
    labels: list[str] = []
    size = np.array(shot.size_px, float)
    by_id: dict[str, list[float]] = {}
    for thing in world.things:
        if thing.shape == "mask":
            outline_px = _hand_outline(thing, frame, pinhole, shot)
            if outline_px is None:
                continue
            thing.visible = 1.0
        else:
            dense = (
                thing.outline_mm
                if thing.shape == "round"
                else densified(thing.outline_mm, 24 if thing.shape == "hex" else 16)
            )
            outline_px = shot.project(_xyz(dense, thing.height_mm))
            thing.visible = visible_share(thing, frame, pinhole, shot)
        by_id.setdefault(thing.unit or thing.id, []).append(thing.visible)
        if thing.visible <= 0.01:
            continue
        box = oriented_box(outline_px, thing.shape)
        stored = (
            outline_px
            if thing.shape in ("round", "mask")
            else outline_px[:: len(outline_px) // (6 if thing.shape == "hex" else 4)]
        )
        objects.append(
            {
                "class": thing.class_name,
                "id": thing.id,
                "outline_px": np.round(stored, 3).tolist(),
                "outline_mm": np.round(thing.outline_mm, 3).tolist(),
                "height_mm": round(thing.height_mm, 3),
                "visible": round(thing.visible, 3),
                **(
                    {} if thing.shape == "mask" else {"rim": round(rim_share(thing, frame, pinhole, shot), 3)}
                ),
                "facing": None if thing.facing is None else round(thing.facing % 360, 3),
                "unit": thing.unit,
                **({} if thing.tag is None else {"tag": thing.tag}),
            }
        )
        side_px = np.linalg.norm(box[1] - box[0]), np.linalg.norm(box[2] - box[1])
        if thing.visible >= LABEL_VISIBLE and min(side_px) >= MIN_LABEL_PX:
            corners = np.clip((box + 0.5) / size, 0, 1)
            numbers = " ".join(f"{v:.6f}" for v in corners.ravel())
            labels.append(f"{CLASS_ID[thing.class_name]} {numbers}")
    for piece in world.pieces:
        shares = by_id.get(piece["id"])
        if shares is not None:
            piece["visible"] = round(float(np.mean(shares)), 3)
    return objects, labels


def document(world: World, shot: Shot, objects: list[dict[str, Any]]) -> dict[str, Any]:
    """The truth document of a picture (SCENE.md), with the `objects` the detector is trained and measured on."""
    truth: dict[str, Any] = {
        "camera": {
            "size": list(shot.size_px),
            "matrix": shot.matrix.tolist(),
            "distortion": shot.distortion.tolist(),
        },
        "pose": {"rvec": shot.rvec.tolist(), "tvec": shot.tvec.tolist()},
    }
    if world.markers:
        truth["markers"] = {"family": "DICT_4X4_50", "corners": world.markers}
    truth["scene"] = world.scene()
    truth.update(world.extra_truth)
    truth["objects"] = objects
    return truth
