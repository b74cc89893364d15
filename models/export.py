"""From a training checkpoint to the file that plays: ONNX, a card beside it, and the gate it must pass.

``python -m regla.models.export CHECKPOINT.pt OUT.onnx [--gate DATA]`` needs the ``train`` extra. Only ever give it a
checkpoint you trained yourself: a ``.pt`` file is a pickle and runs what its maker wrote. Playing reads ONNX only.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

__all__ = ["GATE_POINTS", "export_onnx", "write_card"]

# The exported file may lose at most this share of mAP50-95 against the checkpoint it was made from (half a point).
GATE_POINTS = 0.005
OPSET = 18


def export_onnx(checkpoint: Path, out: Path, head: str = "one2one") -> Path:
    """Write ``out`` from a checkpoint: all anchors of one head, undecided, as (1, anchors, 4 + classes + 1).

    No NMS and no top-k inside: the runtime merges tiles anyway, so it decides once, and a crowded table is not cut off at
    300 finds. ``head`` is ``one2one`` (trained to find each thing once) or ``one2many`` (as in YOLO11, finds each several
    times).
    """
    import torch
    from ultralytics import YOLO

    wrapped = YOLO(str(checkpoint))
    model = wrapped.model.float().eval()
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
