"""The tables themselves: games that could be played, in documents the rules accept. Nothing is rendered here."""

from __future__ import annotations

import json

import numpy as np
import pytest
from regla.models.classes import CLASS_ID
from regla.models.synth.camera import Shot, frame_region, look_down
from regla.models.synth.tables import BUILDERS, GAMES, underworlds
from regla.models.synth.tables.t9a import slots
from regla.models.synth.truth import oriented_box
from regla.models.synth.world import World, circle, hexagon, rectangle
from regla.rules import Scene


@pytest.mark.parametrize("game", BUILDERS)
@pytest.mark.parametrize("sheets", [False, True])
def test_every_table_is_a_scene_the_rules_read(game: str, sheets: bool) -> None:
    for seed in range(3):
        world = BUILDERS[game](np.random.default_rng([seed, 5]), None, sheets)
        document = json.loads(json.dumps(world.scene()))
        scene = Scene.parse(document)
        ids = [piece["id"] for piece in document["pieces"]]
        assert len(ids) == len(set(ids))
        assert len(scene.pieces) == len(ids)
        assert bool(world.markers) == sheets
        assert {thing.class_name for thing in world.things} <= set(CLASS_ID)


@pytest.mark.parametrize("game", GAMES)
def test_the_objects_of_a_piece_lie_where_the_piece_is(game: str) -> None:
    world = BUILDERS[game](np.random.default_rng(8), None, False)
    seen = 0
    for piece in world.pieces:
        outlines = [t.outline_mm for t in world.things if piece["id"] in (t.id, t.unit)]
        if (
            not outlines
            or piece.get("count", 1) != len(outlines)
            or piece.get("files", 1) * len(outlines) == 0
        ):
            continue
        if piece.get("count", 1) % piece.get("files", 1):
            continue  # a short last rank is not symmetrical about `at`
        seen += 1
        assert np.allclose(np.mean([o.mean(axis=0) for o in outlines], axis=0), piece["at"], atol=1.0)
    assert seen > 2


def test_slots_stand_as_the_rules_number_them() -> None:
    places = {(rank, file): at for rank, file, at in slots(np.array([100.0, 50.0]), 90.0, 20, 25, 3, 5)}
    # facing away from the reader: file 1 is on the left, rank 2 nearer to the reader
    assert places[1, 1] == pytest.approx([80, 62.5])
    assert places[1, 3] == pytest.approx([120, 62.5])
    assert places[2, 2] == pytest.approx([100, 37.5])
    assert (2, 3) not in places


def test_a_board_has_38_hexes_and_maps_onto_itself_when_turned() -> None:
    whole = underworlds.template((0, 0))
    assert len(whole) == len(set(whole)) == 38
    for face, (start, blocked) in underworlds.FACES.items():
        for turned in (False, True):
            starts, blocks = underworlds.printed((0, 0), face, turned)
            assert starts <= set(whole)
            assert blocks <= set(whole)
            assert (len(starts), len(blocks)) == (len(start), len(blocked))


@pytest.mark.parametrize("slide", range(-3, 4))
def test_joining_long_edges_completes_seven_less_the_slide(slide: int) -> None:
    joined = set(underworlds.parts((0, 0))) & set(underworlds.parts((-3 + slide, 6)))
    assert len(joined) == 7 - abs(slide)


def test_fighters_stand_in_the_hex_the_scene_names() -> None:
    for seed in range(4):
        world = underworlds.build(np.random.default_rng(seed))
        layout = world.extra["board"]["layout"]
        w, zero = layout["across_flats"], np.array(layout["origin"])
        hexes = np.array([entry["hex"] for entry in world.extra["board"]["hexes"]])
        centres = zero + np.c_[w * (hexes[:, 0] + hexes[:, 1] / 2), w * np.sqrt(3) / 2 * hexes[:, 1]]
        for piece in world.pieces:
            nearest = hexes[np.argmin(np.hypot(*(centres - piece["at"]).T))]
            assert nearest.tolist() == piece["hex"]


def test_runedar_figures_stand_in_the_space_the_scene_names() -> None:
    world = BUILDERS["siege-of-runedar"](np.random.default_rng(3), None, False)
    rooms = world.extra_truth["spaces"]
    for piece in world.pieces:
        if piece["kind"] != "model":
            continue
        outline = np.array(rooms[piece["space"]]["outline"])
        assert np.all(outline.min(axis=0) <= piece["at"])
        assert np.all(piece["at"] <= outline.max(axis=0))
        assert piece["height"] > rooms[piece["space"]]["height"]


def test_rays_undo_the_lens() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        shot = frame_region(rng, (1280, 720), (0, 0, 1800, 900))
        points = np.c_[rng.uniform(0, 1800, 50), rng.uniform(0, 900, 50), rng.uniform(0, 60, 50)]
        seen = points @ shot.rotation().T + shot.tvec
        back = shot.rays(shot.project(points))
        assert np.abs(back - seen[:, :2] / seen[:, 2:]).max() * shot.matrix[0, 0] < 1e-4


@pytest.mark.parametrize("region", [(0, 0, 1828.8, 1219.2), (100, 50, 300, 800), (0, 0, 400, 400)])
def test_the_region_is_framed_whole_and_up_is_away(region: tuple[float, float, float, float]) -> None:
    rng = np.random.default_rng(4)
    x0, y0, x1, y1 = region
    corners = np.array([[x0, y0, 0], [x1, y0, 0], [x1, y1, 0], [x0, y1, 0]])
    for _ in range(10):
        shot = frame_region(rng, (1920, 1080), region, turned=False)
        pixels = shot.project(corners)
        assert pixels.min() > 0
        assert np.all(pixels < (1920, 1080))
        # the table is seen from above, not mirrored: counter-clockwise on the table is clockwise in the picture
        (ax, ay), (bx, by) = pixels[1] - pixels[0], pixels[2] - pixels[1]
        assert ax * by - ay * bx < 0


def test_boxes_follow_the_contract() -> None:
    turned = rectangle((0, 0), 40, 20, 30)
    box = oriented_box(turned, "quad")
    nearest = np.linalg.norm(box[:, None] - turned[None], axis=2).min(axis=1)
    assert nearest.max() < 1e-9
    round_box = oriented_box(circle((5, 5), 10, 40), "round")
    assert round_box.min(axis=0) == pytest.approx([-5, -5])
    assert round_box.max(axis=0) == pytest.approx([15, 15])
    six = oriented_box(hexagon((0, 0), 52), "hex")
    sides = sorted(np.linalg.norm(six - np.roll(six, 1, axis=0), axis=1))
    assert sides[0] == pytest.approx(52)
    assert sides[-1] == pytest.approx(52 * 2 / np.sqrt(3))


def test_room_keeps_things_apart() -> None:
    world = World("t9a", 400.0, 300.0, np.random.default_rng(1))
    spots = [s for s in (world.room(20) for _ in range(40)) if s is not None]
    assert len(spots) > 10
    for i, a in enumerate(spots):
        assert all(np.hypot(*(a - b)) >= 40 for b in spots[:i])
    crowded = World("t9a", 30.0, 30.0, np.random.default_rng(1), taken=[(15, 15, 30)])
    assert crowded.room(5) is None


def test_a_shot_sees_the_point_below_it_at_its_middle() -> None:
    matrix = np.array([[1000.0, 0, 639.5], [0, 1000, 359.5], [0, 0, 1]])
    rvec, tvec = look_down(np.array([300.0, 200.0]), 1000, 0, 0, 0)
    shot = Shot((1280, 720), matrix, np.zeros(5), rvec, tvec)
    right, away = shot.project([[310, 200, 0], [300, 210, 0]])
    assert right == pytest.approx([649.5, 359.5])
    assert away == pytest.approx([639.5, 349.5])
