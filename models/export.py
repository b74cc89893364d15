"""From a training checkpoint to the file that plays: ONNX, a card beside it, and the gate it must pass.

``python -m regla.models.export WEIGHTS.safetensors OUT.onnx [--gate DIR]`` needs the ``train`` extra. With a
gate the exported file must see as well as the weights it was made from, on the labelled pictures of DIR.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

from regla.models.checkpoint import load_into
from regla.models.classes import CLASSES

__all__ = ["GATE_POINTS", "build", "export_model", "export_onnx", "gate", "quantise", "write_card"]

# The exported file may lose at most this share of mAP50-95 against the checkpoint it was made from (half a point).
GATE_POINTS = 0.005
OPSET = 18
# YOLO26n with a fourth, finer output (every 4 px) and heads for oriented boxes: a base in a ranked block is 15 to 25 px wide,
# and an output every 8 px puts two or three of its places on it.
NETWORK = "yolo26n-p2-obb.yaml"


def network_settings(network: str | dict[str, Any]) -> dict[str, Any]:
    """The network's description with its many-finds head only.

    YOLO26 trains a second head that finds each thing once and needs no merging afterwards. In the time there is to train
    here it stays behind the plain head (see the card), and tiles have to be merged anyway.
    """
    from ultralytics.nn.tasks import yaml_model_load

    if isinstance(network, dict):
        return {**network, "end2end": False}
    # Ultralytics has the fine output for upright boxes only: the same network with the other head.
    settings = yaml_model_load(network.replace("-p2-obb", "-p2"))
    if "-p2-obb" in network:
        outputs, repeats, *_ = settings["head"][-1]
        settings["head"] = [*settings["head"][:-1], [outputs, repeats, "OBB26", ["nc", 1]]]
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


def torch_look(weights: Path, network: str = NETWORK) -> Any:
    """The reference: the same looking as in play, with torch in place of the exported file."""
    import numpy as np
    import torch
    from regla.vision.detect import Detector
    from regla.vision.weights import Network

    model = build(weights, network)
    model.model[-1].dynamic = True

    class TorchNetwork(Network):
        """Takes pictures as the runtime's network does."""

        def __init__(self) -> None:
            pass

        def __call__(self, pictures: Any) -> list[Any]:
            with torch.no_grad():
                images = (
                    torch.from_numpy(np.ascontiguousarray(pictures[..., ::-1])).permute(0, 3, 1, 2).float()
                    / 255
                )
                y = model(images)
            y = y[0] if isinstance(y, tuple | list) else y
            return [y.permute(0, 2, 1).numpy()]

    def look_with(detector: Detector) -> Detector:
        detector._network = TorchNetwork()
        return detector

    return look_with


def gate(weights: Path, onnx: Path, folders: list[Path], limit: int | None = None) -> dict[str, float | bool]:
    """Measure the weights in torch and the exported file on the same pictures; it passes within half a point."""
    from regla.models.evaluate import evaluate, mean_map, pictures_of
    from regla.vision.detect import Detector

    pictures = pictures_of(folders)[:limit]
    reference = torch_look(weights)(Detector.load(onnx))
    figures = {}
    for name, look in (("torch", reference), ("exported", Detector.load(onnx))):
        tallies, _, _ = evaluate(look, pictures)
        figures[f"{name}_map50"], figures[f"{name}_map50_95"] = mean_map(tallies)
    lost = figures["torch_map50_95"] - figures["exported_map50_95"]
    return {**figures, "lost": lost, "passes": lost <= GATE_POINTS, "pictures": len(pictures)}


def quantise(onnx: Path, out: Path, pictures: list[Path], side_px: int = 640) -> Path:
    """Write an 8-bit copy, its ranges taken from tiles of the given pictures (onnxruntime's static quantisation)."""
    import cv2
    import numpy as np
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Tiles(CalibrationDataReader):
        """One tile from the middle of every picture."""

        def __init__(self) -> None:
            self.left = list(pictures)

        def get_next(self) -> dict[str, Any] | None:
            if not self.left:
                return None
            image: Any = cv2.imread(str(self.left.pop()))
            tile = np.full((side_px, side_px, 3), 114, dtype=np.uint8)
            part = image[:side_px, :side_px]
            tile[: part.shape[0], : part.shape[1]] = part
            return {
                "images": np.ascontiguousarray(tile[None, :, :, ::-1].transpose(0, 3, 1, 2), dtype=np.float32)
                / 255
            }

    ready = out.with_suffix(".ready.onnx")
    quant_pre_process(str(onnx), str(ready), skip_symbolic_shape=True)
    # The head decides in sub-pixels and logits: eight bits are too few there, so only the convolutions before it change.
    import onnx as onnx_format

    names = [node.name for node in onnx_format.load(str(ready)).graph.node]
    last = max(int(part[1]) for name in names if (part := re.search(r"/model\.(\d+)/", name)))
    nodes = [name for name in names if f"/model.{last}/" in name]
    quantize_static(
        str(ready),
        str(out),
        Tiles(),
        quant_format=QuantFormat.QDQ,
        per_channel=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        op_types_to_quantize=["Conv"],
        nodes_to_exclude=nodes,
    )
    ready.unlink()
    return out


def main(arguments: list[str] | None = None) -> int:
    """The command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("weights", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--gate", type=Path, nargs="+", help="labelled pictures to hold both against")
    parser.add_argument("--limit", type=int, help="use the first N of them only")
    given = parser.parse_args(arguments)
    write_card(export_onnx(given.weights, given.out), "detector", classes=list(CLASSES))
    if not given.gate:
        return 0
    result = gate(given.weights, given.out, given.gate, given.limit)
    print(json.dumps(result, indent=2))
    return 0 if result["passes"] else 1


if __name__ == "__main__":
    sys.exit(main())
