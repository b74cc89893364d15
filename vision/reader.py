"""The reading process: opens a source and lays its newest picture in a shared file.

Run as `python -m regla.vision.reader`, never imported by the rest: OpenCV's `read` can hang for ever in a driver or
a socket, and only a process can be killed. It says what it does in lines of JSON on standard output, and ends when
its standard input closes, so that it never outlives its owner.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

SLOTS: Final = 3
"""One being written, one newest, one that a reader may still be copying."""
HEADER: Final = 64
"""Bytes before each picture; the first eight hold its number, zero while it is being written."""
FOLDER_EVERY_S: Final = 1.0
"""A folder plays like a slow clip."""
CAMERA_SIZE: Final = (1920, 1080)
WHITELIST: Final = "protocol_whitelist;http,https,tcp,tls,udp,rtp,rtsp,rtsps,crypto,httpproxy"


def say(**line: Any) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


class Shelf:
    """The shared file: `SLOTS` pictures of one size. A new size makes a new file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shape: tuple[int, ...] | None = None
        self.made = 0
        self.number = 0
        self.slots: list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []

    def put(self, image: np.ndarray[Any, Any]) -> None:
        if image.shape != self.shape:
            self._make(image.shape)
        self.number += 1
        head, pixels = self.slots[self.number % SLOTS]
        head[0] = 0
        pixels[...] = image
        head[0] = self.number
        say(
            frame=self.number,
            slot=self.number % SLOTS,
            file=f"frames-{self.made}",
            shape=list(image.shape),
            at=time.time(),
        )

    def _make(self, shape: tuple[int, ...]) -> None:
        self.made += 1
        self.shape = shape
        size = int(np.prod(shape))
        path = self.folder / f"frames-{self.made}"
        whole = np.memmap(path, np.uint8, "w+", shape=(SLOTS * (HEADER + size),))
        self.slots = []
        for k in range(SLOTS):
            part = whole[k * (HEADER + size) : (k + 1) * (HEADER + size)]
            self.slots.append((part[:8].view(np.int64), part[HEADER:].reshape(shape)))


def pictures(kind: str, target: str, most_fps: float, loop: bool) -> Iterator[np.ndarray[Any, Any]]:
    """The source's pictures, at the pace at which they are to be seen."""
    if kind in ("picture", "folder"):
        yield from _stills(kind, target, loop)
    elif kind == "clip":
        yield from _clip(target, most_fps, loop)
    else:
        yield from _camera(kind, target, most_fps)


def _stills(kind: str, target: str, loop: bool) -> Iterator[np.ndarray[Any, Any]]:
    from .errors import PictureError
    from .pictures import PICTURES, read_picture

    if kind == "picture":
        yield read_picture(target)
        return
    while True:
        names = sorted(p for p in Path(target).iterdir() if p.suffix.lower() in PICTURES)
        good = 0
        for path in names:
            try:
                image = read_picture(path)
            except PictureError as error:
                say(skipped=path.name, why=error.text("en"))
                continue
            good += 1
            yield image
            time.sleep(FOLDER_EVERY_S)
        if not loop or not good:
            return


def _clip(target: str, most_fps: float, loop: bool) -> Iterator[np.ndarray[Any, Any]]:
    import cv2

    while True:
        capture = cv2.VideoCapture(target)
        if not capture.isOpened():
            return
        fps = capture.get(cv2.CAP_PROP_FPS)
        fps = fps if 0.1 < fps < 1000 else 25.0
        every = max(1, round(fps / most_fps))
        start, count = time.monotonic(), 0
        while capture.grab():
            if count % every == 0:
                time.sleep(max(0.0, start + count / fps - time.monotonic()))
                ok, image = capture.retrieve()
                if ok:
                    yield image
            count += 1
        capture.release()
        if not loop or count == 0:
            return
        time.sleep(max(0.0, start + count / fps - time.monotonic()))


def _camera(kind: str, target: str, most_fps: float) -> Iterator[np.ndarray[Any, Any]]:
    import cv2

    if kind == "camera":
        capture = cv2.VideoCapture(int(target))
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, CAMERA_SIZE[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, CAMERA_SIZE[1])
    else:
        os.environ["OPENCV_FFMPEG_CAPTURE_OPTIONS"] = WHITELIST
        capture = cv2.VideoCapture(target, cv2.CAP_FFMPEG)
    if not capture.isOpened():
        return
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    last = 0.0
    # Every picture is taken off the driver's queue, so that the newest is new; only some are unpacked.
    while capture.grab():
        now = time.monotonic()
        if now - last < 1 / most_fps:
            continue
        last = now
        ok, image = capture.retrieve()
        if ok and image is not None:
            yield image if image.ndim == 3 else cv2.cvtColor(image, cv2.COLOR_GRAY2BGR)


def _end_with_owner() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("kind")
    options.add_argument("--folder", type=Path, required=True)
    options.add_argument("--fps", type=float, default=10.0)
    options.add_argument("--loop", action="store_true")
    given = options.parse_args()
    # The address comes on standard input, not as an argument: a camera's password must not show in the list of processes.
    target = sys.stdin.readline().rstrip("\n")
    threading.Thread(target=_end_with_owner, daemon=True).start()
    from .errors import VisionError

    shelf = Shelf(given.folder)
    try:
        for image in pictures(given.kind, target, given.fps, given.loop):
            shelf.put(image)
    except VisionError as error:
        say(error=error.message.key, values={key: str(value) for key, value in error.message.args})
        return 2
    say(end=shelf.number)
    if given.kind in ("picture", "folder", "clip") and shelf.number:
        threading.Event().wait()  # the last picture stays on the table; the owner ends us
    return 0 if shelf.number else 1


if __name__ == "__main__":
    sys.exit(main())
