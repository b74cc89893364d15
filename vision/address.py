"""Where pictures come from: which addresses are opened, and what each means."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

from .errors import AddressRefused, SourceMissing
from .pictures import PICTURES

__all__ = ["SCHEMES", "Address", "Kind"]

Kind = Literal["picture", "folder", "clip", "camera", "stream"]

SCHEMES: Final = ("rtsp", "rtsps", "http", "https")
"""What a camera in a house speaks. Others that the decoder knows (file, concat, data, …) would open more than cameras."""
CLIPS: Final = (".mp4", ".mov", ".avi", ".mkv", ".webm", ".m4v")
MOST_DEVICE: Final = 63


@dataclass(frozen=True)
class Address:
    """A checked address.

    >>> Address.parse("0").kind, Address.parse("rtsp://me:secret@cam.local/live").name
    ('camera', 'rtsp://cam.local/live')
    >>> Address.parse("gopher://cam")
    Traceback (most recent call last):
    ...
    regla.vision.errors.AddressRefused: gopher://cam is not an address that can be opened. Give a device number (0, 1, …), \
an rtsp, rtsps, http or https address, or the path of a picture, a folder or a clip.
    """

    kind: Kind
    target: str
    name: str
    """What people see: without the password of a camera."""

    @property
    def live(self) -> bool:
        """Whether it goes on for ever by itself, so that silence means a fault."""
        return self.kind in ("camera", "stream")

    @classmethod
    def parse(cls, text: str | os.PathLike[str] | int) -> Address:
        text = str(text).strip()
        if re.fullmatch(r"\d{1,3}", text):
            if int(text) > MOST_DEVICE:
                raise AddressRefused(name=text)
            return cls("camera", text, f"camera {int(text)}")
        if "://" in text:
            return cls._of_url(text)
        if not text or "\0" in text:
            raise AddressRefused(name=repr(text))
        return cls._of_path(Path(text))

    @classmethod
    def _of_url(cls, text: str) -> Address:
        try:
            parts = urlsplit(text)
            host, port = parts.hostname, parts.port
        except ValueError:
            raise AddressRefused(name=text.split("@")[-1]) from None
        if parts.scheme.lower() not in SCHEMES or not host or any(c.isspace() or ord(c) < 32 for c in text):
            raise AddressRefused(name=f"{parts.scheme}://{host or ''}")
        at = host if port is None else f"{host}:{port}"
        return cls("stream", text, f"{parts.scheme}://{at}{parts.path}")

    @classmethod
    def _of_path(cls, path: Path) -> Address:
        try:
            if path.is_dir():
                return cls("folder", str(path), path.name or str(path))
            if not path.is_file():
                raise SourceMissing(name=str(path))
        except OSError:
            raise SourceMissing(name=str(path)) from None
        if path.suffix.lower() in PICTURES:
            return cls("picture", str(path), path.name)
        if path.suffix.lower() in CLIPS:
            return cls("clip", str(path), path.name)
        raise AddressRefused(name=path.name)
