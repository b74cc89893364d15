"""From a training checkpoint to the file that plays: ONNX, a card beside it, and the gate it must pass.

``python -m regla.models.export WEIGHTS.safetensors OUT.onnx [--gate DIR] [--int8 DIR]`` needs the ``train`` extra. With a
gate the exported file must see as well as the weights it was made from, on the labelled pictures of DIR.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from regla.models.checkpoint import load_into
from regla.models.classes import CLASSES

__all__ = ["GATE_POINTS", "build", "export_model", "export_onnx", "write_card"]

# The exported file may lose at most this share of mAP50-95 against the checkpoint it was made from (half a point).
GATE_POINTS = 0.005
OPSET = 18
NETWORK = "yolo26n-obb.yaml"


def network_settings(network: str | dict[str, Any]) -> dict[str, Any]:
    """The network's description with its many-finds head only.

    YOLO26 trains a second head that finds each thing once and needs no merging afterwards. In the time there is to train
    here it stays behind the plain head (see the card), and tiles have to be merged anyway.
    """
    from ultralytics.nn.tasks import yaml_model_load

    settings = yaml_model_load(network) if isinstance(network, str) else dict(network)
    return {**settings, "end2end": False}


def build(weights: Path, network: str = NETWORK) -> Any:
    """The network with the weights of a safetensors file, ready to look (torch)."""
    from ultralytics.nn.tasks import OBBModel

    model = OBBModel(network_settings(network), nc=len(CLASSES), verbose=False)
    load_into(model, weights, whole=True)
    return model.float().eval()


def export_onnx(weights: Path, out: Path, head: str = "one2one", network: str = NETWORK) -> Path:
    """Write ``out`` from a safetensors file, see ``export_model``."""
    return export_model(build(weights, network), out, head)


def export_model(model: Any, out: Path, head: str = "one2one") -> Path:
    """Write ``out`` from a network: all anchors of one head, undecided, as (1, anchors, 4 + classes + 1).

    No NMS and no top-k inside: the runtime merges tiles anyway, so it decides once, and a crowded table is not cut off at
    300 finds. ``head`` is ``one2one`` (trained to find each thing once) or ``one2many`` (as in YOLO11, finds each several
    times).
    """
    import torch

    for parameter in model.parameters():
        parameter.requires_grad = False
    last = model.model[-1]
    last.export, last.dynamic, last.format = True, True, "onnx"
    if getattr(last, "one2one_cv2", None) is None:
        head = "one2many"
    last.end2end = head == "one2one"
    model.fuse(verbose=False)

    class Raw(torch.nn.Module):
        """The network up to decoded boxes, anchors first."""

        def __init__(self) -> None:
            super().__init__()
            self.inner = model
            # The end-to-end head would keep its 300 best here.
            last.postprocess = lambda boxes: boxes

        def forward(self, images: torch.Tensor) -> torch.Tensor:
            y = self.inner(images)
            y = y[0] if isinstance(y, tuple | list) else y
            return y if head == "one2one" else y.permute(0, 2, 1)

    out.parent.mkdir(parents=True, exist_ok=True)
    with torch.no_grad():
        torch.onnx.export(
            Raw().eval(),
            (torch.zeros(1, 3, 640, 640),),
            str(out),
            opset_version=OPSET,
            input_names=["images"],
            output_names=["boxes"],
            dynamic_axes={
                "images": {0: "batch", 2: "height", 3: "width"},
                "boxes": {0: "batch", 1: "anchors"},
            },
            dynamo=False,
        )
    return out


def write_card(onnx: Path, kind: str, **facts: Any) -> Path:
    """Write the ``.json`` beside an ONNX file: what it is, its sha256 and whatever else is known about it."""
    card = {"kind": kind, "sha256": hashlib.sha256(onnx.read_bytes()).hexdigest(), **facts}
    path = onnx.with_suffix(".json")
    path.write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path
