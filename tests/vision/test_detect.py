"""The shipped detector: it sees, it sees the same through tiles, and it refuses files it cannot trust."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from regla.models.classes import CLASSES
from regla.vision.boxes import iou
from regla.vision.detect import Detections, Detector
from regla.vision.weights import ModelFile, ModelFileError, shipped


def board(width: int = 800, height: int = 640, radius: int = 14) -> tuple[np.ndarray, np.ndarray]:
    """Black and white stones on a wooden board, drawn: the picture and the boxes round the stones."""
    rng = np.random.default_rng(3)
    grain = cv2.GaussianBlur(rng.normal(0, 14, (height, width)), (61, 3), 0)
    image = np.clip(np.array([110, 175, 215]) + grain[..., None] * 3, 0, 255).astype(np.uint8)
    boxes = []
    for i, x in enumerate(range(80, width - 60, 3 * radius)):
        cv2.line(image, (x, 60), (x, height - 60), (60, 90, 110), 1, cv2.LINE_AA)
        for j, y in enumerate(range(80, height - 60, 3 * radius)):
            if (i * 7 + j * 3) % 4 == 0:
                continue
            dark = (i + j) % 2 == 0
            shadow = image.copy()
            cv2.circle(shadow, (x + 3, y + 4), radius, (50, 80, 100), -1, cv2.LINE_AA)
            image = cv2.addWeighted(shadow, 0.6, image, 0.4, 0)
            cv2.circle(image, (x, y), radius, (35, 32, 30) if dark else (225, 228, 230), -1, cv2.LINE_AA)
            cv2.circle(
                image, (x - 4, y - 4), 3, (120, 120, 120) if dark else (255, 255, 255), -1, cv2.LINE_AA
            )
            boxes.append((x, y, 2 * radius, 2 * radius, 0.0))
    return cv2.GaussianBlur(image, (3, 3), 0), np.array(boxes, dtype=float)


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector.load(threads=1)


@pytest.fixture(scope="module")
def stones() -> tuple[np.ndarray, np.ndarray]:
    return board()


def found_share(seen: Detections, truth: np.ndarray) -> tuple[float, float]:
    tokens = seen.take(seen.class_id == CLASSES.index("token"))
    if len(tokens) == 0:
        return 0.0, 0.0
    shares = iou(truth, tokens.box_px)
    return float((shares.max(axis=1) > 0.5).mean()), float((shares.max(axis=0) > 0.5).mean())


def test_it_sees_every_stone_once(detector: Detector, stones: tuple[np.ndarray, np.ndarray]) -> None:
    image, truth = stones
    seen = detector(image)
    recall, precision = found_share(seen, truth)
    assert recall > 0.95 and precision > 0.95
    assert (np.diff(seen.score) <= 0).all()
    assert seen.corners_px.shape == (len(seen), 4, 2) and seen.box_px.shape == (len(seen), 5)
    assert set(seen.names) <= set(CLASSES)


def test_centres_are_right_to_a_pixel(detector: Detector, stones: tuple[np.ndarray, np.ndarray]) -> None:
    image, truth = stones
    seen = detector(image)
    gaps = np.linalg.norm(truth[:, None, :2] - seen.box_px[None, :, :2], axis=2).min(axis=1)
    assert np.median(gaps) < 1.5


def test_tiles_see_what_one_look_sees(detector: Detector, stones: tuple[np.ndarray, np.ndarray]) -> None:
    image, truth = stones
    tiled = Detector(
        ModelFile.open(shipped("regla-nano"), "detector"), tile_px=(416, 416), overlap_px=96, threads=1
    )
    recall, precision = found_share(tiled(image), truth)
    assert recall > 0.95 and precision > 0.95
    assert abs(len(tiled(image)) - len(detector(image))) <= 0.05 * len(truth)


def test_the_same_picture_gives_the_same_answer(
    detector: Detector, stones: tuple[np.ndarray, np.ndarray]
) -> None:
    first, second = detector(stones[0]), detector(stones[0])
    assert np.array_equal(first.box_px, second.box_px) and np.array_equal(first.score, second.score)


def test_a_higher_score_finds_no_more(detector: Detector, stones: tuple[np.ndarray, np.ndarray]) -> None:
    assert len(detector(stones[0], 0.6)) <= len(detector(stones[0], 0.3))


@pytest.mark.parametrize("shape", [(1, 1, 3), (33, 20, 3), (64, 700, 3)])
def test_odd_sizes_are_looked_at(detector: Detector, shape: tuple[int, int, int]) -> None:
    seen = detector(np.full(shape, 90, np.uint8))
    assert np.isfinite(seen.box_px).all()


@pytest.mark.parametrize(
    "picture",
    [np.zeros((10, 10), np.uint8), np.zeros((10, 10, 3), np.float32), np.zeros((0, 10, 3), np.uint8)],
)
def test_what_is_no_picture_is_said(detector: Detector, picture: np.ndarray) -> None:
    with pytest.raises(ValueError, match="uint8 BGR"):
        detector(picture)


def copy_of(tmp_path: Path) -> Path:
    for suffix in (".onnx", ".json"):
        shutil.copy(shipped("regla-nano").with_suffix(suffix), tmp_path / f"mine{suffix}")
    return tmp_path / "mine.onnx"


def change_card(path: Path, **changes: object) -> None:
    card = path.with_suffix(".json")
    card.write_text(json.dumps(json.loads(card.read_text()) | changes))


def test_a_copy_elsewhere_loads_and_says_its_sha(tmp_path: Path, detector: Detector) -> None:
    own = Detector.load(copy_of(tmp_path))
    assert own.model_sha256 == detector.model_sha256 and len(own.model_sha256) == 64


def test_the_environment_names_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = copy_of(tmp_path)
    change_card(path, score={"token": 0.99})
    monkeypatch.setenv("REGLA_DETECTOR", str(path))
    assert Detector.load().score_threshold[CLASSES.index("token")] == 0.99
    assert Detector.load(shipped("regla-nano")).score_threshold[CLASSES.index("token")] < 0.99


def flip_a_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (flip_a_byte, "not the file its card describes"),
        (lambda p: p.write_bytes(p.read_bytes()[:-1000]), "not the file its card describes"),
        (lambda p: p.with_suffix(".json").unlink(), r"there is no .*mine\.json"),
        (lambda p: p.unlink(), r"there is no .*mine\.onnx"),
        (lambda p: p.with_suffix(".json").write_text("{"), "not valid JSON"),
        (lambda p: p.with_suffix(".json").write_text("[]"), "card of a detector"),
        (lambda p: change_card(p, kind="facing"), "card of a detector"),
        (lambda p: change_card(p, classes=["dragon"]), "classes are not Regla's"),
        (lambda p: change_card(p, classes=["token"]), "not boxes of 1 classes"),
    ],
)
def test_a_file_that_cannot_be_trusted_is_refused(tmp_path: Path, harm: object, says: str) -> None:
    path = copy_of(tmp_path)
    harm(path)  # type: ignore[operator]
    with pytest.raises(ModelFileError, match=says) as caught:
        Detector.load(path)(np.zeros((64, 64, 3), np.uint8))
    assert caught.value.text("es") != caught.value.text("en")


def test_a_file_that_is_no_network_is_refused_though_its_sha_fits(tmp_path: Path) -> None:
    import hashlib

    path = copy_of(tmp_path)
    path.write_bytes(b"not a network at all")
    change_card(path, sha256=hashlib.sha256(path.read_bytes()).hexdigest())
    with pytest.raises(ModelFileError, match="cannot be read as a network"):
        Detector.load(path)


def test_a_checkpoint_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "best.pt").write_bytes(b"\x80\x04")
    with pytest.raises(ModelFileError, match="not an ONNX file"):
        Detector.load(tmp_path / "best.pt")


def test_a_bad_model_is_a_fault_that_every_look_reports() -> None:
    """The live loop turns a `VisionError` into a status; anything else would end it."""
    from regla.vision.errors import VisionError

    assert issubclass(ModelFileError, VisionError)
    assert ModelFileError("no file", "no hay fichero").text("es") == "no hay fichero"
