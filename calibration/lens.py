"""The lens from pictures of a board: nine numbers, their covariance, and the error on pictures held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from .bundle import inverse_of, least_squares, whitener
from .camera import Camera, Floats, Pose
from .charuco import BoardView
from .document import check_kind, dump_readable, read_json, write_whole
from .errors import DocumentError, LensError, TooFewViews
from .guide import missing_views
from .lens_guess import guess_camera
from .messages import phrase, say
from .view import projection_jacobian

LEAST_VIEWS: Final = 5
FOLDS: Final = 5
ODD_VIEW: Final = 3.0
"""A view whose error is this many times the median one is left out: the board was bent or the picture moved."""
MOST_RMS: Final = 3.0 / 1920
"""Beyond this share of the width the pictures are not of one flat board through one lens."""
LENS_VERSION: Final = 1
LENS_KIND: Final = "regla-lens"


@dataclass(frozen=True, eq=False)
class Lens:
    """A calibrated lens. `held_out_px` is the error on views that the calibration had not seen."""

    camera: Camera
    rms_px: float
    held_out_px: float
    views: int
    corners: int
    left_out: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    made: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": LENS_KIND,
            "version": LENS_VERSION,
            "made": self.made,
            "views": self.views,
            "corners": self.corners,
            "rms_px": self.rms_px,
            "held_out_px": self.held_out_px,
            "left_out": list(self.left_out),
            "missing": list(self.missing),
            "camera": self.camera.to_json(),
        }

    def save(self, path: str | Path) -> None:
        write_whole(Path(path), dump_readable(self.to_json()))

    @classmethod
    def from_json(cls, data: Any, name: str = "lens") -> Lens:
        check_kind(data, LENS_KIND, LENS_VERSION, name)
        try:
            return cls(
                camera=Camera.from_json(data["camera"]),
                rms_px=float(data["rms_px"]),
                held_out_px=float(data["held_out_px"]),
                views=int(data["views"]),
                corners=int(data["corners"]),
                left_out=tuple(data.get("left_out", ())),
                missing=tuple(data.get("missing", ())),
                made=str(data["made"]),
            )
        except KeyError as error:
            raise DocumentError(name=name, reason=phrase("reason-field", field=error)) from error
        except (TypeError, ValueError) as error:
            raise DocumentError(name=name, reason=phrase("reason-value", detail=error)) from error

    @classmethod
    def load(cls, path: str | Path) -> Lens:
        return cls.from_json(read_json(path), str(path))


@dataclass(frozen=True, eq=False)
class _Bundle:
    lens: Floats
    poses: tuple[Pose, ...]
    covariance: Floats
    rms_px: float
    per_view_px: Floats


def _start(views: Sequence[BoardView], guess: Camera) -> tuple[Floats, list[Pose]]:
    if len(views) >= 3:
        _, matrix, distortion, rvecs, tvecs = cv2.calibrateCamera(
            [v.xyz_mm.astype(np.float32) for v in views],
            [v.px.astype(np.float32) for v in views],
            guess.size_px,
            guess.matrix.copy(),
            guess.distortion.copy(),
            flags=cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_K3,
        )
        camera = Camera(
            guess.size_px, np.asarray(matrix), np.ravel(np.asarray(distortion, dtype=np.float64))[:5]
        )
        return camera.lens, [
            Pose(np.asarray(r, dtype=np.float64), np.asarray(t, dtype=np.float64))
            for r, t in zip(rvecs, tvecs, strict=True)
        ]
    return guess.lens, [board_pose(v, guess) for v in views]


def board_pose(view: BoardView, camera: Camera) -> Pose:
    """Where the board is, for a given lens."""
    _, rvec, tvec = cv2.solvePnP(
        view.xyz_mm, view.px, camera.matrix, camera.distortion, flags=cv2.SOLVEPNP_IPPE
    )
    rvec, tvec = cv2.solvePnPRefineLM(view.xyz_mm, view.px, camera.matrix, camera.distortion, rvec, tvec)
    return Pose(np.asarray(rvec), np.asarray(tvec))


def _bundle(
    views: Sequence[BoardView], guess: Camera, start: tuple[Floats, Sequence[Pose]] | None = None
) -> _Bundle:
    """All views and the lens at once; the guess is a weak prior that keeps k3 tame when views are few."""
    lens, poses = start if start is not None else _start(views, guess)
    x = np.concatenate([lens, *(np.concatenate([p.rvec, p.tvec]) for p in poses)])
    assert guess.covariance is not None
    leash = whitener(guess.covariance)
    total = sum(len(v.px) for v in views)
    sigma = 0.3

    def model(x: Floats) -> tuple[Floats, Floats]:
        camera = Camera.from_lens(guess.size_px, x[:9])
        residual = np.empty(2 * total + 9)
        jacobian = np.zeros((2 * total + 9, len(x)))
        row = 0
        for k, view in enumerate(views):
            at = 9 + 6 * k
            pixels, theta, _ = projection_jacobian(
                camera, Pose(x[at : at + 3], x[at + 3 : at + 6]), view.xyz_mm
            )
            end = row + 2 * len(view.px)
            residual[row:end] = (pixels - view.px).ravel() / sigma
            jacobian[row:end, :9] = theta[:, :, :9].reshape(-1, 9) / sigma
            jacobian[row:end, at : at + 6] = theta[:, :, 9:].reshape(-1, 6) / sigma
            row = end
        residual[row:] = leash @ (x[:9] - guess.lens)
        jacobian[row:, :9] = leash
        return residual, jacobian

    free = np.ones(len(x), dtype=bool)
    for _ in range(2):  # the noise is measured from the first answer and used in the second
        fit = least_squares(model, x, free)
        x = fit.x
        raw = float(np.square(fit.residual[: 2 * total]).sum()) * sigma**2
        sigma = max(float(np.sqrt(raw / max(2 * total - len(x), 1))), 1e-3)
    residual, jacobian = model(x)
    covariance = inverse_of(jacobian.T @ jacobian)[:9, :9]
    off = np.square(residual[: 2 * total] * sigma).reshape(-1, 2).sum(axis=1)
    ends = np.cumsum([len(v.px) for v in views])[:-1]
    per_view = np.array([np.sqrt(part.mean()) for part in np.split(off, ends)])
    return _Bundle(
        x[:9],
        tuple(Pose(x[9 + 6 * k : 12 + 6 * k], x[12 + 6 * k : 15 + 6 * k]) for k in range(len(views))),
        covariance,
        float(np.sqrt(off.mean())),
        per_view,
    )


def calibrate_lens(views: Sequence[BoardView], size_px: tuple[int, int], *, language: str = "en") -> Lens:
    """The lens from at least five views of a board; the more the picture's corners and tilts are covered, the better.

    The error is root mean square per corner, as OpenCV reports it.
    """
    missing = missing_views(views, size_px)
    if len(views) < LEAST_VIEWS:
        words = ", ".join(say(key, language) for key in missing)
        raise TooFewViews(found=len(views), least=LEAST_VIEWS, missing=words or "–")
    guess = guess_camera(size_px)
    # The guess is only a leash here, not knowledge: five times as long as for a single view.
    assert guess.covariance is not None
    guess = replace(guess, covariance=guess.covariance * 25)
    kept = list(views)
    answer = _bundle(kept, guess)
    limit = max(ODD_VIEW * float(np.median(answer.per_view_px)), 0.3)
    good = answer.per_view_px <= limit
    left_out = tuple(v.name for v, ok in zip(kept, good, strict=True) if not ok)
    if left_out and good.sum() >= LEAST_VIEWS:
        kept = [v for v, ok in zip(kept, good, strict=True) if ok]
        answer = _bundle(kept, guess)
    else:
        left_out = ()
    if answer.rms_px > MOST_RMS * size_px[0]:
        raise LensError(reason=phrase("reason-views-disagree", px=answer.rms_px))
    held_out = _held_out(kept, guess, answer)
    # What the formula cannot say about this lens shows in the held-out error: the covariance owns up to it.
    covariance = answer.covariance * max(1.0, held_out / answer.rms_px) ** 2
    return Lens(
        camera=Camera.from_lens(size_px, answer.lens, covariance),
        rms_px=answer.rms_px,
        held_out_px=held_out,
        views=len(kept),
        corners=sum(len(v.px) for v in kept),
        left_out=left_out,
        missing=tuple(missing),
    )


def _held_out(views: Sequence[BoardView], guess: Camera, full: _Bundle) -> float:
    """Every view predicted by a lens that has not seen it (its pose alone is fitted), rms per corner."""
    folds = min(FOLDS, len(views))
    total, weight = 0.0, 0.0
    for fold in range(folds):
        rest = [k for k in range(len(views)) if k % folds != fold]
        part = _bundle([views[k] for k in rest], guess, (full.lens, [full.poses[k] for k in rest]))
        camera = Camera.from_lens(guess.size_px, part.lens)
        for k in range(fold, len(views), folds):
            pose = board_pose(views[k], camera)
            pixels, _, _ = projection_jacobian(camera, pose, views[k].xyz_mm)
            total += float(np.square(pixels - views[k].px).sum())
            # The pose used up six of the view's numbers: per corner, this many are left to err.
            weight += len(views[k].px) - 3
    return float(np.sqrt(total / max(weight, 1.0)))
