"""Clips: a table in play. A hand reaches in, takes a piece or pushes a unit, leaves; the truth is written per frame."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from .camera import Shot, frame_region
from .clutter import hand_mesh, scatter
from .dataset import develop
from .gl import Batch
from .light import Lighting, make_lighting
from .mesh import INSTANCE_FLOATS, Surface, matrix
from .photo import expose
from .tables import BUILDERS
from .truth import HAND_MIN_PX, document, visible_share
from .world import World

Array = NDArray[Any]

STILL_S, REACH_S, GRIP_S, CARRY_S, LEAVE_S = 1.4, 1.1, 0.3, 1.6, 1.0
_PALM_BACK_MM = 62.0  # the finger tips lie this far before the palm
_IDENT_COLUMN = INSTANCE_FLOATS - 1


@dataclass(frozen=True)
class Move:
    """One piece on its way: where from, where to, how far it turns, how high it is lifted."""

    piece: str
    idents: frozenset[int]
    start: Array
    end: Array
    turn_deg: float
    lift_mm: float
    from_deg: float
    place: dict[str, Any]


def _ease(t: float) -> float:
    t = float(np.clip(t, 0, 1))
    return t * t * (3 - 2 * t)


def choose_move(world: World, rng: np.random.Generator, done: frozenset[str] = frozenset()) -> Move | None:
    """A piece that can be moved and a free place for it, in the words of its game."""
    movable = [
        p for p in world.pieces if p["kind"] in ("model", "unit") and "at" in p and p["id"] not in done
    ]
    for index in rng.permutation(len(movable)):
        piece = movable[index]
        things = [t for t in world.things if piece["id"] in (t.id, t.unit)]
        if not things:
            continue
        start = np.array(piece["at"], float)
        radius = max(float(np.linalg.norm(t.outline_mm - start, axis=1).max()) for t in things)
        others = [(x, y, r) for x, y, r in world.taken if np.hypot(x - start[0], y - start[1]) > 1.0]
        for _ in range(80):
            end, place = _target(world, rng, piece, start, radius)
            if end is None:
                break
            inside = (
                np.all(end > radius) and end[0] < world.width_mm - radius and end[1] < world.depth_mm - radius
            )
            if inside and (
                "hex" in piece
                or "space" in piece
                or all(np.hypot(end[0] - x, end[1] - y) > radius + r for x, y, r in others)
            ):
                side = 270.0 if end[1] + start[1] < world.depth_mm else 90.0
                turn = 0.0 if "hex" in piece else float(rng.normal(0, 25))
                return Move(
                    piece["id"],
                    frozenset(t.ident for t in things),
                    start,
                    end,
                    turn,
                    0.0 if piece["kind"] == "unit" else 28.0,
                    side + float(rng.normal(0, 12)),
                    place,
                )
    return None


def _target(
    world: World, rng: np.random.Generator, piece: dict[str, Any], start: Array, radius: float
) -> tuple[Array | None, dict[str, Any]]:
    if "hex" in piece:
        board = world.extra["board"]
        occupied = {tuple(p["hex"]) for p in world.pieces if "hex" in p and p["kind"] == "model"}
        q, r = piece["hex"]
        near = [
            h["hex"]
            for h in board["hexes"]
            if h["type"] == "normal"
            and tuple(h["hex"]) not in occupied
            and 1
            <= max(abs(h["hex"][0] - q), abs(h["hex"][1] - r), abs(h["hex"][0] + h["hex"][1] - q - r))
            <= 3
        ]
        if not near:
            return None, {}
        chosen = near[int(rng.integers(len(near)))]
        w, zero = board["layout"]["across_flats"], np.array(board["layout"]["origin"])
        return zero + np.array([w * (chosen[0] + chosen[1] / 2), w * np.sqrt(3) / 2 * chosen[1]]), {
            "hex": list(chosen)
        }
    if "space" in piece:
        rooms = world.extra_truth["spaces"]
        floor = rooms[piece["space"]]["height"]
        same = [
            n
            for n, room in rooms.items()
            if abs(room["height"] - floor) < 1 and n != piece["space"] and n != "tunnel"
        ]
        if not same:
            return None, {}
        name = same[int(rng.integers(len(same)))]
        outline = np.array(rooms[name]["outline"])
        return outline.mean(axis=0) + rng.normal(0, 6, 2), {"space": name}
    angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(70, 260)
    return start + far * np.array([np.cos(angle), np.sin(angle)]), {}


def _step(move: Move, turn_deg: float, at: Array, lift_mm: float) -> Array:
    """4x4: from where the piece stood to where it is now."""
    back = np.vstack([matrix((*-move.start, 0)), [0, 0, 0, 1]])
    return np.vstack([matrix((*at, lift_mm), turn_deg) @ back, [0, 0, 0, 1]])


def _shifted(batch: Batch, move: Move, turn_deg: float, at: Array, lift_mm: float) -> Batch:
    """The batch with the moved piece elsewhere: every part of a piece carries its id."""
    step = _step(move, turn_deg, at, lift_mm)
    shifted: Batch = []
    for mesh, rows in batch:
        chosen = np.isin(rows[:, _IDENT_COLUMN], list(move.idents))
        if chosen.any():
            rows = rows.copy()
            placed = rows[chosen, :12].reshape(-1, 3, 4)
            placed = np.concatenate([placed, np.tile([[[0, 0, 0, 1]]], (len(placed), 1, 1))], axis=1)
            rows[chosen, :12] = (step @ placed)[:, :3].reshape(-1, 12)
        shifted.append((mesh, rows))
    return shifted


def _apply(
    world: World,
    move: Move,
    turn_deg: float,
    at: Array,
    lift_mm: float,
    base: dict[str, Any],
    outlines: dict[int, tuple[Array, float, float | None]],
) -> None:
    """Bring the truth to where the moved piece is now."""
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    for thing in world.things:
        if thing.ident in outlines:
            outline, height, facing = outlines[thing.ident]
            thing.outline_mm = (outline - move.start) @ np.array([[c, s], [-s, c]]) + at
            thing.height_mm = height + lift_mm
            thing.facing = None if facing is None else facing + turn_deg
    piece = next(p for p in world.pieces if p["id"] == move.piece)
    piece["at"] = np.round(at, 3).tolist()
    if base.get("facing") is not None:
        piece["facing"] = round((base["facing"] + turn_deg) % 360, 3)
    piece["height"] = round(base["height"] + lift_mm, 3)


def film(
    game: str,
    seed: int,
    assets: str | None = None,
    *,
    moves: int = 2,
    fps: int = 12,
    size_px: tuple[int, int] = (1280, 720),
    fine: bool = False,
    calm: bool = True,
) -> Iterator[tuple[NDArray[Any], dict[str, Any], dict[str, Any]]]:
    """Frame by frame: the picture, the entry for `scenes`, and the document that all frames share."""
    rng = np.random.default_rng([seed, 99])
    world = BUILDERS[game](rng, assets, True)
    scatter(world, 0.3, 0.0)
    region = world.focus_mm or (0.0, 0.0, world.width_mm, world.depth_mm)
    shot = frame_region(rng, size_px, region, margin=0.02, max_tilt_deg=10, turned=False, calm=True)
    lighting = make_lighting(rng, assets, fine, calm)
    arm = hand_mesh(rng, True, 2600.0, 0.7)
    arm_ident = world.ident()
    skin = Surface(0.12, 40, 0.12, 0.6)
    shared = document(world, shot, [])
    del shared["scene"], shared["objects"]
    stage = _Stage(world, shot, lighting, seed, arm_ident, fine, shared)
    number = 0
    done: frozenset[str] = frozenset()
    for turn in range(moves + 1):
        still = world.instances.batch()
        for _ in range(int(STILL_S * fps)):
            yield stage.frame(still, number)
            number += 1
        move = choose_move(world, rng, done) if turn < moves else None
        if move is None:
            break
        done |= {move.piece}
        piece = next(p for p in world.pieces if p["id"] == move.piece)
        base = copy.deepcopy(piece)
        outlines = {
            t.ident: (t.outline_mm.copy(), t.height_mm, t.facing)
            for t in world.things
            if t.ident in move.idents
        }
        towards = np.radians(move.from_deg)
        out = np.array([np.cos(towards), np.sin(towards)])
        away = move.start + out * (max(world.width_mm, world.depth_mm) * 1.3)
        high = 45.0 + float(base["height"])
        phases = (
            ("reach", REACH_S),
            ("grip", GRIP_S),
            ("carry", CARRY_S),
            ("drop", GRIP_S),
            ("leave", LEAVE_S),
        )
        for phase, seconds in phases:
            count = int(seconds * fps)
            for k in range(count):
                t = _ease((k + 1) / count)
                carried = {"reach": 0.0, "grip": 0.0, "carry": t, "drop": 1.0, "leave": 1.0}[phase]
                at = move.start + (move.end - move.start) * carried
                angle = move.turn_deg * carried
                lift = move.lift_mm * {"grip": t, "carry": 1.0, "drop": 1 - t}.get(phase, 0.0)
                hover = at + out * _PALM_BACK_MM
                if phase == "reach":
                    hover = away + (hover - away) * t
                elif phase == "leave":
                    hover = hover + (move.end + out * max(world.width_mm, world.depth_mm) * 1.3 - hover) * t
                z = high + lift + (60 * (1 - t) if phase == "reach" else 60 * t if phase == "leave" else 0)
                batch = _shifted(still, move, angle, at, lift)
                batch.append((arm, _arm_row(arm_ident, hover, z, move.from_deg, skin)))
                _apply(world, move, angle, at, lift, base, outlines)
                if carried >= 0.5:
                    piece.update(move.place)
                yield stage.frame(batch, number)
                number += 1
        _settle(world, move)


def _arm_row(ident: int, at: Array, z_mm: float, from_deg: float, skin: Surface) -> NDArray[Any]:
    placed = matrix((*at, z_mm), from_deg + 180, 0.95)
    return np.array([[*placed.ravel(), 0.5, 0.5, 0.5, 0.0, *skin.floats(), ident]], np.float32)


def _settle(world: World, move: Move) -> None:
    """Write the move into the world's instances, and the place it took."""
    step = _step(move, move.turn_deg, move.end, 0.0)
    for _, rows in world.instances.groups.values():
        for index, row in enumerate(rows):
            if int(row[_IDENT_COLUMN]) in move.idents:
                placed = np.vstack([np.array(row[:12]).reshape(3, 4), [0, 0, 0, 1]])
                rows[index] = (*(step @ placed)[:3].ravel().tolist(), *row[12:])
    world.taken = [
        (x, y, r) for x, y, r in world.taken if np.hypot(x - move.start[0], y - move.start[1]) > 1.0
    ]
    radius = max(
        float(np.linalg.norm(t.outline_mm - move.end, axis=1).max())
        for t in world.things
        if t.ident in move.idents
    )
    world.take(move.end, radius)


@dataclass(frozen=True)
class _Stage:
    """What stays the same through a clip: the camera, the light, and whose pixels are the hand's."""

    world: World
    shot: Shot
    lighting: Lighting
    seed: int
    arm_ident: int
    fine: bool
    shared: dict[str, Any]

    def frame(self, batch: Batch, number: int) -> tuple[NDArray[Any], dict[str, Any], dict[str, Any]]:
        world = self.world
        picture, frame, pinhole = develop(world, self.shot, self.lighting, fine=self.fine, batch=batch)
        # the same camera in every frame: only its noise differs
        picture = expose(picture, np.random.default_rng([self.seed, 7]), True)
        noise = np.random.default_rng(number).normal(0, 0.7, picture.shape[:2]).astype(np.float32)
        picture = np.clip(picture.astype(np.float32) + noise[..., None], 0, 255).astype(np.uint8)
        shares: dict[str, list[float]] = {}
        for thing in world.things:
            if thing.shape != "mask":
                share = visible_share(thing, frame, pinhole, self.shot)
                shares.setdefault(thing.unit or thing.id, []).append(share)
        for piece in world.pieces:
            if piece["id"] in shares:
                piece["visible"] = round(float(np.mean(shares[piece["id"]])), 2)
        hand = int((frame.ids == self.arm_ident).sum()) >= HAND_MIN_PX
        return picture, {"frame": number, "hand": hand, "scene": copy.deepcopy(world.scene())}, self.shared


def make_clip(out: Path, game: str, seed: int, assets: str | None = None, **options: Any) -> Iterator[int]:
    """Write `out` (.mp4) and its truth document; yields the number of each finished frame."""
    fps = int(options.get("fps", 12))
    writer: cv2.VideoWriter | None = None
    scenes: list[dict[str, Any]] = []
    shared: dict[str, Any] = {}
    for picture, entry, shared in film(game, seed, assets, **options):  # noqa: B007 - the last one is kept
        if writer is None:
            writer = cv2.VideoWriter(str(out), cv2.VideoWriter.fourcc(*"mp4v"), fps, picture.shape[1::-1])
        writer.write(picture)
        scenes.append(entry)
        yield entry["frame"]
    if writer is not None:
        writer.release()
    text = json.dumps({**shared, "fps": fps, "scenes": scenes}, separators=(",", ":"))
    out.with_name(out.stem + ".truth.json").write_text(text, encoding="utf-8")
