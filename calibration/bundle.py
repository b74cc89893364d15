"""One estimate of lens, camera pose, sheet places and print scale together, with the covariance of all of it.

Whatever is known beforehand (a ChArUco lens, a place measured by hand, a printer's scale) enters as a prior with
its own sigma; whatever is exact is held. So a well-calibrated lens and "no lens at all" are the same computation,
and the second simply comes out less sure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from .camera import Camera, Floats, Pose
from .errors import Degenerate, Mirrored
from .messages import phrase
from .view import projection_jacobian

NOISE_PRIOR_PX: Final = 0.3
NOISE_PRIOR_COUNT: Final = 2.0
"""Before the residuals speak, a corner is believed to be seen to 0.3 px (what ordinary webcams give); two
observations' worth, so that sixteen corners soon outvote it but three cannot claim perfection."""

GAUGE_SIGMA_MM: Final = 1e-3
"""Free places leave the frame floating; this pins it, a thousand times tighter than anything is measured."""

MAX_STEPS: Final = 60


@dataclass(frozen=True)
class Fit:
    """Where a least-squares search ended: parameters, weighted residuals, their derivative, half the sum of squares."""

    x: Floats
    residual: Floats
    jacobian: Floats
    cost: float


def least_squares(
    model: Callable[[Floats], tuple[Floats, Floats]], start: Floats, free: NDArray[np.bool_]
) -> Fit:
    """Levenberg–Marquardt over the free parameters; small and dense, because our problems are."""
    x = start.copy()
    residual, jacobian = model(x)
    cost = 0.5 * float(residual @ residual)
    damping = 1e-6
    for _ in range(MAX_STEPS):
        part = jacobian[:, free]
        gradient = part.T @ residual
        normal = part.T @ part
        diagonal = np.maximum(np.diag(normal), 1e-12)
        improved = False
        while damping < 1e8:
            step = np.linalg.solve(normal + np.diag(damping * diagonal), -gradient)
            # What the step promises is in units of one standard deviation, squared: a millionth does not matter.
            if -float(gradient @ step) < 1e-6:
                return Fit(x, residual, jacobian, cost)
            trial = x.copy()
            trial[free] += step
            new_residual, new_jacobian = model(trial)
            new_cost = 0.5 * float(new_residual @ new_residual)
            if np.isfinite(new_cost) and new_cost <= cost:
                improved = True
                break
            damping *= 10
        if not improved:
            break
        gain = cost - new_cost
        x, residual, jacobian, cost = trial, new_residual, new_jacobian, new_cost
        damping = max(damping * 0.1, 1e-12)
        if gain < 1e-7 * (1 + cost):
            break
    return Fit(x, residual, jacobian, cost)


@dataclass(frozen=True, eq=False)
class Edges:
    """Points on straight edges of known place: only their distance across the edge is seen. (N,3), (N,2), (N,2)."""

    xyz_mm: Floats
    px: Floats
    normal: Floats
    sigma_px: float


@dataclass(frozen=True, eq=False)
class Targets:
    """What lies on the table: M square (or any four-cornered) things and where they are seen.

    `local_mm` (M,4,3) are corners around `centre_mm` (M,2). Each place is exact (`place_sigma_mm` 0), laid by hand
    (finite) or anywhere (inf); `size_sigma` is how well the common print scale is known, relative. When all lie
    anywhere, the frame is the one in which they, on the whole, have neither moved nor turned.
    """

    corners_px: Floats
    local_mm: Floats
    centre_mm: Floats
    place_sigma_mm: Floats
    turn_sigma_rad: float = np.inf
    size_sigma: float = 0.0
    spans: tuple[tuple[int, int, float, float], ...] = ()
    """Distances between centres measured by hand: (index, index, mm, sigma mm)."""
    edges: Edges | None = None

    def corners_mm(self, x: Floats) -> Floats:
        """Corner places (M,4,3) for a parameter vector."""
        scale, moves = x[15], x[16:].reshape(-1, 3)
        cos, sin = np.cos(moves[:, 2]), np.sin(moves[:, 2])
        turn = np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], -2)
        flat = np.einsum("mij,mkj->mki", turn, self.local_mm[:, :, :2] * scale)
        flat = flat + (self.centre_mm + moves[:, :2])[:, None, :]
        return np.concatenate([flat, self.local_mm[:, :, 2:]], axis=2)


@dataclass(frozen=True, eq=False)
class Estimate:
    """The answer: camera and pose, their joint covariance, how well corners were seen, and where the sheets lie."""

    camera: Camera
    pose: Pose
    covariance: Floats
    noise_px: float
    residual_px: float
    corners_mm: Floats
    scale: float
    scale_sigma: float
    x: Floats = field(repr=False)
    shifts_px: Floats = field(repr=False)


def first_pose(xyz_mm: Floats, plane: Floats) -> Pose:
    """A starting pose from points on the table and their undistorted directions; refuses what cannot be one."""
    if not np.isfinite(plane).all():
        raise Degenerate(reason=phrase("reason-no-camera"))
    spread = np.linalg.svd(xyz_mm[:, :2] - xyz_mm[:, :2].mean(axis=0), compute_uv=False)
    seen = np.linalg.svd(plane - plane.mean(axis=0), compute_uv=False)
    if spread[1] < 1e-3 * spread[0] or seen[1] < 1e-3 * seen[0]:
        raise Degenerate(reason=phrase("reason-in-a-line"))
    flat = float(np.ptp(xyz_mm[:, 2])) < 1e-9
    level = np.array([0.0, 0.0, float(xyz_mm[0, 2])]) if flat else np.zeros(3)
    found, rvecs, tvecs, _ = cv2.solvePnPGeneric(
        np.ascontiguousarray(xyz_mm - level),
        np.ascontiguousarray(plane),
        np.eye(3),
        np.zeros(5),
        flags=cv2.SOLVEPNP_IPPE if flat else cv2.SOLVEPNP_SQPNP,
    )
    if not found:
        raise Degenerate(reason=phrase("reason-no-camera"))
    best = None
    for rvec, tvec in zip(rvecs, tvecs, strict=True):
        if not (np.isfinite(rvec).all() and np.isfinite(tvec).all()):
            continue
        pose = Pose(np.asarray(rvec, dtype=np.float64), np.asarray(tvec, dtype=np.float64))
        pose = Pose(pose.rvec, pose.tvec - pose.rotation @ level)
        ahead = xyz_mm @ pose.rotation.T + pose.tvec
        if (ahead[:, 2] <= 0).any():
            continue
        miss = float(np.square(ahead[:, :2] / ahead[:, 2:] - plane).sum())
        if best is None or miss < best[0]:
            best = (miss, pose)
    if best is None:
        raise Degenerate(reason=phrase("reason-no-camera"))
    if best[1].centre_mm[2] <= float(xyz_mm[:, 2].max()):
        raise Mirrored()
    return best[1]


def start_vector(camera: Camera, pose: Pose, count: int) -> Floats:
    return np.concatenate([camera.lens, pose.rvec, pose.tvec, [1.0], np.zeros(3 * count)])


def whitener(covariance: Floats) -> Floats:
    """W with WᵀW = covariance⁻¹, through the correlation matrix so that pixels and k1 do not share a scale."""
    sigma = np.sqrt(np.diag(covariance))
    root = np.linalg.cholesky(covariance / np.outer(sigma, sigma) + 1e-12 * np.eye(len(sigma)))
    return np.asarray(np.linalg.inv(root) / sigma)


def inverse_of(normal: Floats) -> Floats:
    """The inverse of a normal matrix, scaled to a unit diagonal first; what is not seen at all stays finite.

    Not `pinv`: its eigenvalues cost forty times as long on a busy machine.
    """
    scale = np.sqrt(np.maximum(np.diag(normal), 1e-300))
    unit = normal / np.outer(scale, scale)
    return np.asarray(np.linalg.inv(unit + 1e-13 * np.eye(len(unit))) / np.outer(scale, scale))


def _model(
    targets: Targets, size_px: tuple[int, int], prior: tuple[Floats, Floats] | None, noise_px: float
) -> Callable[[Floats], tuple[Floats, Floats]]:
    count = len(targets.corners_px)
    width = 16 + 3 * count
    loose = targets.place_sigma_mm > 0
    by_hand = np.isfinite(targets.place_sigma_mm) & loose
    fixed: list[Floats] = []  # rows that are linear in x and constant: (jacobian row, offset at x = 0)
    offsets: list[float] = []

    def add(row: Floats, offset: float = 0.0) -> None:
        fixed.append(row)
        offsets.append(offset)

    if prior is not None:
        mean, white = prior
        for line in white:
            row = np.zeros(width)
            row[:9] = line
            add(row, -float(line @ mean))
    if targets.size_sigma > 0:
        row = np.zeros(width)
        row[15] = 1 / targets.size_sigma
        add(row, -1 / targets.size_sigma)
    for m in np.flatnonzero(by_hand):
        for axis in range(2):
            row = np.zeros(width)
            row[16 + 3 * m + axis] = 1 / targets.place_sigma_mm[m]
            add(row)
        if np.isfinite(targets.turn_sigma_rad):
            row = np.zeros(width)
            row[18 + 3 * m] = 1 / targets.turn_sigma_rad
            add(row)
    if loose.all() and not by_hand.any():
        arm = targets.centre_mm - targets.centre_mm.mean(axis=0)
        lever = max(float(np.sqrt(np.square(arm).sum())), 1.0)
        shift_x, shift_y, turn = np.zeros(width), np.zeros(width), np.zeros(width)
        shift_x[16::3] = shift_y[17::3] = 1 / GAUGE_SIGMA_MM / count
        if count > 1:
            turn[16::3], turn[17::3] = -arm[:, 1] / lever, arm[:, 0] / lever
        else:
            turn[18] = 100.0
        for row in (shift_x, shift_y, turn / GAUGE_SIGMA_MM):
            add(row)
    constant_rows = np.array(fixed).reshape(-1, width)
    constant_offset = np.array(offsets)
    seen = targets.corners_px.reshape(-1, 2)

    def model(x: Floats) -> tuple[Floats, Floats]:
        corners = targets.corners_mm(x)
        camera, pose = Camera.from_lens(size_px, x[:9]), Pose(x[9:12], x[12:15])
        pixels, theta, point = projection_jacobian(camera, pose, corners.reshape(-1, 3))
        jacobian = np.zeros((2 * len(seen), width))
        jacobian[:, :15] = theta.reshape(-1, 15)
        if loose.any() or targets.size_sigma > 0:
            arm = corners[:, :, :2] - (targets.centre_mm + x[16:].reshape(-1, 3)[:, :2])[:, None, :]
            by_point = point[:, :, :2].reshape(count, 4, 2, 2)
            jacobian[:, 15] = np.einsum("mkij,mkj->mki", by_point, arm / x[15]).ravel()
            swing = np.stack([-arm[:, :, 1], arm[:, :, 0]], axis=-1)
            turning = np.einsum("mkij,mkj->mki", by_point, swing)
            for m in range(count):
                own = slice(8 * m, 8 * m + 8)
                jacobian[own, 16 + 3 * m : 18 + 3 * m] = by_point[m].reshape(8, 2)
                jacobian[own, 18 + 3 * m] = turning[m].ravel()
        parts = [(pixels - seen).ravel() / noise_px, constant_rows @ x + constant_offset]
        rows_out = [jacobian / noise_px, constant_rows]
        if targets.edges is not None:
            edges = targets.edges
            at, by_theta, _ = projection_jacobian(camera, pose, edges.xyz_mm)
            parts.append(((at - edges.px) * edges.normal).sum(axis=1) / edges.sigma_px)
            rows = np.zeros((len(at), width))
            rows[:, :15] = np.einsum("ni,nij->nj", edges.normal, by_theta) / edges.sigma_px
            rows_out.append(rows)
        for i, j, length_mm, sigma_mm in targets.spans:
            centre = targets.centre_mm + x[16:].reshape(-1, 3)[:, :2]
            away = centre[j] - centre[i]
            far = float(np.hypot(*away))
            row = np.zeros(width)
            row[16 + 3 * j : 18 + 3 * j] = away / far / sigma_mm
            row[16 + 3 * i : 18 + 3 * i] = -away / far / sigma_mm
            parts.append(np.array([(far - length_mm) / sigma_mm]))
            rows_out.append(row[None])
        return np.concatenate(parts), np.concatenate(rows_out)

    return model


def estimate(targets: Targets, camera: Camera, start: Pose, *, noise_px: float | None = None) -> Estimate:
    """The most probable lens, pose and places. `noise_px` fixes the corner noise; None measures it.

    Corners that no camera could see so (clicked at random, say) end in numbers that are none: refused as such.
    """
    try:
        with np.errstate(all="ignore"):
            answer = _estimate(targets, camera, start, noise_px)
    except np.linalg.LinAlgError as error:
        raise Degenerate(reason=phrase("reason-no-camera")) from error
    if not (np.isfinite(answer.x).all() and np.isfinite(answer.covariance).all()):
        raise Degenerate(reason=phrase("reason-no-camera"))
    return answer


def _estimate(targets: Targets, camera: Camera, start: Pose, noise_px: float | None) -> Estimate:
    count = len(targets.corners_px)
    x = start_vector(camera, start, count)
    free = np.zeros(len(x), dtype=bool)
    free[9:15] = True
    prior = None
    if camera.covariance is not None:
        free[:9] = True
        prior = (camera.lens, whitener(camera.covariance))
    free[15] = targets.size_sigma > 0
    free[16:] = np.repeat(targets.place_sigma_mm > 0, 3)
    pixels = 8 * count
    sigma = 0.5 if noise_px is None else noise_px
    degrees = NOISE_PRIOR_COUNT
    fit = least_squares(_model(targets, camera.size_px, prior, sigma), x, free)
    for _ in range(0 if noise_px is not None else 3):
        part = fit.jacobian[:, free]
        spread = inverse_of(part.T @ part)
        rows = part[:pixels]
        used = float(((rows @ spread) * rows).sum())
        left = max(pixels - used, 0.0)
        degrees = NOISE_PRIOR_COUNT + left
        raw = float(np.square(fit.residual[:pixels]).sum()) * sigma**2
        new = float(np.sqrt((NOISE_PRIOR_COUNT * NOISE_PRIOR_PX**2 + raw) / degrees))
        settled = abs(new / sigma - 1) < 0.02
        sigma = new
        fit = least_squares(_model(targets, camera.size_px, prior, sigma), fit.x, free)
        if settled:
            break
    part = fit.jacobian[:, free]
    covariance = np.zeros((len(x), len(x)))
    inflate = 1.0 if noise_px is not None else student_inflation(degrees)
    covariance[np.ix_(free, free)] = inverse_of(part.T @ part) * inflate
    lens_and_pose = covariance[:15, :15]
    shifts = (fit.residual[:pixels] * sigma).reshape(count, 4, 2)
    known = Camera.from_lens(
        camera.size_px, fit.x[:9], None if camera.covariance is None else lens_and_pose[:9, :9]
    )
    return Estimate(
        camera=known,
        pose=Pose(fit.x[9:12], fit.x[12:15]),
        covariance=lens_and_pose,
        noise_px=sigma,
        residual_px=float(np.sqrt(np.square(shifts).mean())),
        corners_mm=targets.corners_mm(fit.x),
        scale=float(fit.x[15]),
        scale_sigma=float(np.sqrt(covariance[15, 15])),
        x=fit.x,
        shifts_px=shifts,
    )


def student_inflation(degrees: float) -> float:
    """How much wider a covariance must be when its noise was itself estimated, so that 95 % stays 95 %.

    The ratio of the 95 % points of 2·F(2, n) and χ²(2), which is in closed form for two dimensions.

    >>> round(student_inflation(26), 3), round(student_inflation(1e6), 3)
    (1.125, 1.0)
    """
    return float(degrees * (0.05 ** (-2 / degrees) - 1) / (-2 * np.log(0.05)))
