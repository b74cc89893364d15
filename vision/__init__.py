"""From a camera to a scene that can be trusted. Start reading at `pipeline.py`, then `live.py`.

Names are loaded when they are used: the reading process (`reader`) needs none of them and must start at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .address import Address
    from .corrections import Corrections
    from .detect import Detections, Detector
    from .errors import VisionError
    from .facing import FacingModel
    from .live import LiveTable
    from .photo import Look, look
    from .pictures import decode_picture, read_picture
    from .pipeline import Pipeline, Sight
    from .sources import Shot, Source
    from .state import Frozen, Ghost, TableState

__all__ = [
    "Address",
    "Corrections",
    "Detections",
    "Detector",
    "FacingModel",
    "Frozen",
    "Ghost",
    "LiveTable",
    "Look",
    "Pipeline",
    "Shot",
    "Sight",
    "Source",
    "TableState",
    "VisionError",
    "decode_picture",
    "look",
    "read_picture",
]

_HOMES = {
    "Address": "address",
    "Corrections": "corrections",
    "Detections": "detect",
    "Detector": "detect",
    "FacingModel": "facing",
    "Frozen": "state",
    "Ghost": "state",
    "LiveTable": "live",
    "Look": "photo",
    "Pipeline": "pipeline",
    "Shot": "sources",
    "Sight": "pipeline",
    "Source": "sources",
    "TableState": "state",
    "VisionError": "errors",
    "decode_picture": "pictures",
    "look": "photo",
    "read_picture": "pictures",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
