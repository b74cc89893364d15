"""A source as the rest sees it: the newest picture, how old it is, and what is wrong if there is none.

    with Source("0") as source:
        shot = source.newest(after=0, timeout_s=2)

The reading is done by another process (`reader`), which is killed and started again when it hangs or ends. Tries
grow farther apart, quietly: a camera that is unplugged overnight costs nothing and comes back by itself.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from regla.rules.messages import Message, msg

from .address import Address
from .reader import HEADER, SLOTS

__all__ = ["Shot", "Source"]

STALE_S: Final = 3.0
"""A live camera that has been silent this long is stale: three times the slowest frame rate in use."""
HANG_S: Final = 8.0
"""Silence after which the reader is killed; a stream may take this long to find its first key frame."""
START_S: Final = 20.0
"""A reader that has not given its first picture after this is killed: some cameras take ten seconds to wake."""
BACK_OFF_S: Final = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
FROZEN_S: Final = {"camera": 10.0, "stream": 30.0}
"""Sensors always tremble, so pictures alike to the bit come from a hung driver; a stream's encoder may repeat some."""
POLL_S: Final = 0.25


@dataclass(frozen=True, eq=False)
class Shot:
    """One picture: its running number, when it was taken (seconds since the epoch), and the pixels (BGR)."""

    number: int
    at_s: float
    image: npt.NDArray[np.uint8]


class Source:
    """A running source. Thread-safe; `newest` gives the last picture only, older ones are dropped."""

    def __init__(
        self, address: Address | str | os.PathLike[str] | int, *, fps: float = 10.0, loop: bool = True
    ) -> None:
        self.address = address if isinstance(address, Address) else Address.parse(address)
        self.fps = fps
        self.loop = loop
        self._change = threading.Condition()
        self._line: dict[str, Any] | None = None
        self._count = 0
        self._files: dict[str, Any] = {}
        self._fault: Message | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: Path | None = None
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._ended = False
        self._quiet_since = time.monotonic()
        self._same_since = time.monotonic()
        self._print: bytes | None = None
        self.restarts = 0

    def __enter__(self) -> Source:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        if self._thread is not None:
            return
        shared = Path("/dev/shm")
        where = shared if shared.is_dir() and os.access(shared, os.W_OK) else None
        self._folder = Path(tempfile.mkdtemp(prefix="regla-", dir=where))
        self._stopped.clear()
        self._thread = threading.Thread(target=self._keep, name=f"source {self.address.name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the reader and clear its files; a picture that was handed out stays good."""
        self._stopped.set()
        self._kill()
        if self._thread is not None:
            self._thread.join(timeout=5)
            self._thread = None
        with self._change:
            self._files.clear()
            self._line = None
            self._change.notify_all()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    @property
    def stale_s(self) -> float:
        """Seconds since the newest picture; 0 for a still or a clip that has ended, which cannot go stale."""
        if self._count and not self.address.live:
            return 0.0
        return time.monotonic() - self._quiet_since

    @property
    def stale(self) -> bool:
        return self.stale_s > STALE_S or self._fault is not None or self.frozen

    @property
    def frozen(self) -> bool:
        most = FROZEN_S.get(self.address.kind)
        return most is not None and self._count > 1 and time.monotonic() - self._same_since > most

    @property
    def ended(self) -> bool:
        """Whether a still, folder or clip has been shown to its end."""
        return self._ended

    @property
    def fault(self) -> Message | None:
        """What is wrong, for a person; None when pictures come."""
        if self._fault is None and self.frozen:
            return msg("see-frozen", s=int(time.monotonic() - self._same_since))
        return self._fault

    def newest(self, after: int = 0, timeout_s: float = 0.0) -> Shot | None:
        """The newest picture if its number is over `after`, waiting up to `timeout_s` for one; else None."""
        deadline = time.monotonic() + timeout_s
        while True:
            with self._change:
                while self._line is None or self._count <= after:
                    left = deadline - time.monotonic()
                    hopeless = self._ended and not self.address.live and self._line is None
                    if left <= 0 or hopeless or self._stopped.is_set():
                        return None
                    self._change.wait(left)
                line, number = self._line, self._count
            image = self._copy(line)
            if image is not None:
                return Shot(number, line["at"], image)
            if time.monotonic() > deadline:
                return None

    # -- the reader ----------------------------------------------------------------------------------------

    def _copy(self, line: dict[str, Any]) -> npt.NDArray[np.uint8] | None:
        """Take the picture off the shelf; None when it was overwritten meanwhile."""
        head, pixels = self._slot(line)
        if head is None or head[0] != line["frame"]:
            return None
        image = np.array(pixels)
        return image if head[0] == line["frame"] else None

    def _slot(self, line: dict[str, Any]) -> tuple[Any, Any]:
        with self._change:
            folder = self._folder
            if folder is None:
                return None, None
            key = f"{self.restarts}/{line['file']}"
            if key not in self._files:
                try:
                    whole = np.memmap(folder / str(line["life"]) / line["file"], np.uint8, "r")
                except (OSError, ValueError):
                    return None, None
                self._files = {key: whole}
            whole = self._files[key]
        size = int(np.prod(line["shape"]))
        part = whole[line["slot"] * (HEADER + size) : (line["slot"] + 1) * (HEADER + size)]
        if len(part) < HEADER + size or not 0 <= line["slot"] < SLOTS:
            return None, None
        return part[:8].view(np.int64), part[HEADER:].reshape(line["shape"])

    def _keep(self) -> None:
        """Run readers one after the other until told to stop."""
        tries = 0
        while not self._stopped.is_set():
            before = self._count
            self._run_reader()
            if self._stopped.is_set() or (self._ended and not self.address.live):
                return
            tries = 0 if self._count > before + 2 else tries + 1
            self.restarts += 1
            wait = BACK_OFF_S[min(tries, len(BACK_OFF_S) - 1)]
            self._stopped.wait(wait)

    def _run_reader(self) -> None:
        assert self._folder is not None
        life = self._folder / str(self.restarts)
        life.mkdir(exist_ok=True)
        command = [
            sys.executable,
            "-m",
            "regla.vision.reader",
            self.address.kind,
            "--folder",
            str(life),
            "--fps",
            str(self.fps),
        ]
        if self.loop:
            command.append("--loop")
        quiet = dict(
            os.environ, OPENCV_LOG_LEVEL="SILENT", OPENCV_FFMPEG_LOGLEVEL="-8", PYTHONWARNINGS="ignore"
        )
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=quiet
        )
        self._process = process
        assert process.stdin is not None and process.stdout is not None
        watch = threading.Thread(target=self._watch, args=(process,), daemon=True)
        try:
            process.stdin.write(self.address.target.encode() + b"\n")
            process.stdin.flush()
            watch.start()
            for raw in process.stdout:
                if self._stopped.is_set():
                    break
                self._heard(json.loads(raw), life.name)
        except (OSError, ValueError):
            self._fault = self._fault or msg("see-lost", name=self.address.name)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
            try:
                process.stdin.close()
            except OSError:
                self._process = None  # it died with words unread: nothing is left to close
            if watch.is_alive():
                watch.join()
            self._process = None
            shutil.rmtree(life, ignore_errors=True)
        if self._ended and not self.address.live:
            return
        if self._fault is None:
            self._fault = msg("see-lost", name=self.address.name)
            with self._change:
                self._change.notify_all()

    def _heard(self, line: dict[str, Any], life: str) -> None:
        with self._change:
            if "frame" in line:
                line["life"] = life
                self._line = line
                self._count += 1
                self._fault = None
                self._quiet_since = time.monotonic()
            elif "error" in line:
                self._fault = msg(line["error"], **line["values"])
                self._ended = not self.address.live
            elif "end" in line:
                self._ended = True
                if not line["end"]:
                    self._fault = msg("see-source", name=self.address.name, why=msg("why-open"))
            self._change.notify_all()
        if "frame" in line and self.address.live:
            self._compare(line)

    def _compare(self, line: dict[str, Any]) -> None:
        head, pixels = self._slot(line)
        if head is None:
            return
        mark = np.ascontiguousarray(pixels[::16, ::16]).tobytes()
        if mark != self._print:
            self._print = mark
            self._same_since = time.monotonic()

    def _watch(self, process: subprocess.Popen[bytes]) -> None:
        """Kill a reader that says nothing for too long."""
        start, before = time.monotonic(), self._count
        while process.poll() is None and not self._stopped.is_set():
            time.sleep(POLL_S)
            if self._ended and not self.address.live:
                return
            silent = time.monotonic() - max(start, self._quiet_since)
            if silent > (START_S if self._count == before else HANG_S):
                self._fault = msg("see-lost", name=self.address.name)
                process.kill()
                return

    def _kill(self) -> None:
        process = self._process
        if process is not None and process.poll() is None:
            process.kill()
