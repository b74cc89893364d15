"""Sources: only the newest picture, a reader that can die, a stale picture that is known to be stale."""

from __future__ import annotations

import os
import signal
import time

import cv2
import numpy as np
import pytest
from regla.vision.address import Address
from regla.vision.errors import AddressRefused, SourceMissing
from regla.vision.sources import Source

WAIT_S = 20.0


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    writer = cv2.VideoWriter(str(folder / "clip.mp4"), cv2.VideoWriter.fourcc(*"mp4v"), 25, (320, 240))
    for i in range(100):
        writer.write(np.full((240, 320, 3), i * 2, np.uint8))
    writer.release()
    (folder / "many").mkdir()
    for i in range(3):
        cv2.imwrite(str(folder / "many" / f"{i}.png"), np.full((100, 120, 3), 40 * i + 40, np.uint8))
    (folder / "many" / "broken.png").write_bytes(b"no picture")
    cv2.imwrite(str(folder / "one.png"), np.full((100, 120, 3), 99, np.uint8))
    (folder / "broken.png").write_bytes(b"no picture")
    (folder / "empty").mkdir()
    return folder


@pytest.mark.parametrize(
    "text, kind",
    [
        ("0", "camera"),
        ("12", "camera"),
        ("rtsp://cam/1", "stream"),
        ("HTTPS://cam/x", "stream"),
        (3, "camera"),
    ],
)
def test_addresses_that_are_opened(text, kind):
    assert Address.parse(text).kind == kind


@pytest.mark.parametrize(
    "text",
    [
        "ftp://cam/x",
        "file:///etc/passwd",
        "concat://a|b",
        "data://x",
        "rtsp://",
        "http://",
        "99",
        "",
        "rtsp://cam/ -i x",
        "http://[bad",
        "gopher://x",
        "\0",
    ],
)
def test_addresses_that_are_not(text):
    with pytest.raises(AddressRefused) as refused:
        Address.parse(text)
    assert "rtsp" in refused.value.text("en") and "rtsp" in refused.value.text("es")


def test_files(files):
    assert Address.parse(files / "one.png").kind == "picture"
    assert Address.parse(files / "clip.mp4").kind == "clip"
    assert Address.parse(files / "many").kind == "folder"
    with pytest.raises(SourceMissing):
        Address.parse(files / "none.png")


def test_a_password_is_never_shown():
    address = Address.parse("rtsp://admin:hunter2@10.0.0.5:554/live")
    assert "hunter2" not in address.name and "10.0.0.5:554" in address.name


def test_a_picture_stays_and_is_never_stale(files):
    with Source(files / "one.png") as source:
        shot = source.newest(0, WAIT_S)
        assert shot is not None and shot.image.shape == (100, 120, 3) and int(shot.image[0, 0, 0]) == 99
        assert source.newest(shot.number, 0.1) is None
        assert not source.stale and source.fault is None


def test_a_folder_skips_what_is_no_picture(files):
    with Source(files / "many") as source:
        seen = set()
        number = 0
        deadline = time.monotonic() + WAIT_S
        while len(seen) < 3 and time.monotonic() < deadline:
            shot = source.newest(number, 2.0)
            if shot is not None:
                number = shot.number
                seen.add(int(shot.image[0, 0, 0]))
        assert seen == {40, 80, 120}


def test_only_the_newest_picture_of_a_clip_is_kept(files):
    with Source(files / "clip.mp4", fps=25) as source:
        first = source.newest(0, WAIT_S)
        assert first is not None
        time.sleep(0.8)
        later = source.newest(first.number, WAIT_S)
        assert later is not None and later.number > first.number + 5
        assert abs(int(later.image.mean()) - 2 * (later.number - 1)) <= 14


@pytest.mark.parametrize("name", ["broken.png", "empty"])
def test_what_cannot_be_read_is_said_in_both_languages(files, name):
    with Source(files / name) as source:
        assert source.newest(0, WAIT_S) is None
        assert source.stale
        assert source.fault is not None
        assert source.fault.text("en") != source.fault.text("es")


@pytest.mark.parametrize("address", ["61", "http://127.0.0.1:9/none"])
def test_a_camera_that_is_not_there(address):
    with Source(address) as source:
        deadline = time.monotonic() + WAIT_S
        while source.fault is None and time.monotonic() < deadline:
            time.sleep(0.05)
        assert source.fault is not None and source.stale
        assert source.newest(0, 0.0) is None


def test_a_reader_that_dies_is_started_again_and_the_numbers_go_on(files):
    with Source(files / "clip.mp4", fps=25) as source:
        first = source.newest(0, WAIT_S)
        assert first is not None and source._process is not None
        os.kill(source._process.pid, signal.SIGKILL)
        number = source._count
        again = source.newest(number + 1, WAIT_S)
        assert again is not None and again.number > first.number
        assert source.restarts == 1
        assert source.fault is None


def test_a_reader_that_hangs_is_killed(files, monkeypatch):
    monkeypatch.setattr("regla.vision.sources.HANG_S", 0.8)
    with Source(files / "clip.mp4", fps=25) as source:
        assert source.newest(0, WAIT_S) is not None
        process = source._process
        assert process is not None
        os.kill(process.pid, signal.SIGSTOP)
        deadline = time.monotonic() + WAIT_S
        while source.restarts == 0 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert source.restarts == 1 and process.poll() is not None
        assert source.newest(source._count, WAIT_S) is not None


def test_pictures_alike_to_the_bit_come_from_a_camera_that_hangs(files, monkeypatch):
    monkeypatch.setattr("regla.vision.sources.FROZEN_S", {"camera": 0.3})
    source = Source(Address("camera", "0", "camera 0"))
    source._count = 5
    source._same_since = time.monotonic() - 1
    source._quiet_since = time.monotonic()
    assert source.frozen and source.stale
    assert source.fault is not None and "Unplug" in source.fault.text("en")


def test_nothing_is_left_behind(files):
    source = Source(files / "clip.mp4")
    source.start()
    assert source.newest(0, WAIT_S) is not None
    folder, process = source._folder, source._process
    assert folder is not None and process is not None
    source.stop()
    assert not folder.exists() and process.poll() is not None
