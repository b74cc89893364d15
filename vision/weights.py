"""Opening network files: ONNX only, checked against the sha256 written beside them, run by OpenVINO.

A model is two files, ``NAME.onnx`` and its card ``NAME.json``. The card says what the network was trained to see and the
sha256 of the ONNX file. A pickle (``.pt``) is never opened here: it could run any code.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from regla.rules import msg

from .errors import VisionError

__all__ = ["ModelFile", "ModelFileError", "Network", "shipped"]

# A network of ours is under 25 MB; a file of hundreds is some mistake, and hashing it would only waste time.
MAX_FILE_BYTES = 400_000_000
# Compiled copies kept, one per input size: a camera has one size, a folder of photographs a few.
MAX_COMPILED = 4
# Small pictures in one run of a network: enough to keep it busy, few enough to stay in the cache; and the last, where few.
BATCH = 8
SMALL_BATCH = 4


class ModelFileError(VisionError):
    """A model file that cannot be used: missing, changed, or not what its card says. Says so in both languages."""

    def __init__(self, en: str, es: str) -> None:
        ValueError.__init__(self, en)
        self.message = msg("plain", text={"en": en, "es": es})


def shipped(name: str) -> Path:
    """Path of a network that comes with Regla.

    >>> shipped("regla-nano").name
    'regla-nano.onnx'
    """
    import regla.models

    return Path(regla.models.__file__).parent / "weights" / f"{name}.onnx"


@dataclass(frozen=True)
class ModelFile:
    """A checked ONNX file: its bytes, what its card says and its sha256."""

    path: Path
    content: bytes
    card: dict[str, Any]
    sha256: str

    @classmethod
    def open(cls, path: Path, kind: str) -> ModelFile:
        """Read ``path`` and its card; raises ModelFileError, saying what to do, if they do not belong together."""
        path = Path(path)
        if path.suffix != ".onnx":
            raise ModelFileError(
                f"{path.name} is not an ONNX file. Turn trained weights into one with "
                "`python -m regla.models.export`; checkpoints are never opened when playing.",
                f"{path.name} no es un archivo ONNX. Convierta los pesos entrenados con "
                "`python -m regla.models.export`; al jugar nunca se abren puntos de control.",
            )
        card_path = path.with_suffix(".json")
        for needed in (path, card_path):
            if not needed.is_file():
                raise ModelFileError(
                    f"there is no {needed}; a model is a .onnx file and its .json card beside it.",
                    f"no existe {needed}; un modelo es un archivo .onnx con su ficha .json al lado.",
                )
        if path.stat().st_size > MAX_FILE_BYTES:
            size = MAX_FILE_BYTES // 1_000_000
            raise ModelFileError(
                f"{path.name} is larger than {size} MB: no model of Regla's.",
                f"{path.name} pasa de {size} MB: no es un modelo de Regla.",
            )
        try:
            card = json.loads(card_path.read_text(encoding="utf-8"))
        except (ValueError, UnicodeDecodeError) as error:
            raise ModelFileError(
                f"{card_path.name} is not valid JSON: {error}", f"{card_path.name} no es JSON válido: {error}"
            ) from None
        if not isinstance(card, dict) or card.get("kind") != kind:
            got = card.get("kind") if isinstance(card, dict) else type(card).__name__
            raise ModelFileError(
                f"{card_path.name}: expected the card of a {kind} model, got {got!r}",
                f"{card_path.name}: se esperaba la ficha de un modelo {kind}, pero es {got!r}",
            )
        content = path.read_bytes()
        sha256 = hashlib.sha256(content).hexdigest()
        if card.get("sha256") != sha256:
            stated = str(card.get("sha256"))[:16]
            raise ModelFileError(
                f"{path.name} is not the file its card describes (sha256 {sha256[:16]}…, the card says {stated}…). It was "
                "changed or cut short: copy or export it again.",
                f"{path.name} no es el archivo que describe su ficha (sha256 {sha256[:16]}…, la ficha dice {stated}…). Se "
                "cambió o quedó incompleto: cópielo o expórtelo otra vez.",
            )
        return cls(path, content, card, sha256)


class Network:
    """An ONNX network compiled on demand for each input shape, taking pictures as they come (uint8, BGR)."""

    def __init__(self, file: ModelFile, threads: int | None = None) -> None:
        import openvino

        self._threads = threads

        self._core = openvino.Core()
        try:
            self._model = self._core.read_model(file.content, b"")
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[-1]
            raise ModelFileError(
                f"{file.path.name} cannot be read as a network: {reason}",
                f"{file.path.name} no se puede leer como red: {reason}",
            ) from None
        inputs = self._model.inputs
        if len(inputs) != 1 or inputs[0].partial_shape.rank.get_length() != 4:
            raise ModelFileError(
                f"{file.path.name} does not take one picture: not a network of Regla's.",
                f"{file.path.name} no recibe una imagen: no es una red de Regla.",
            )
        self._compiled: OrderedDict[tuple[int, int, int], Any] = OrderedDict()
        self._lock = Lock()

    def _request(self, shape: tuple[int, int, int]) -> Any:
        import openvino
        from openvino.preprocess import ColorFormat, PrePostProcessor

        if shape in self._compiled:
            self._compiled.move_to_end(shape)
            return self._compiled[shape]
        batch, height, width = shape
        model = self._model.clone()
        model.reshape([batch, 3, height, width])
        # Colour order, scale and layout are done inside the network's own first pass over the pixels; colours are swapped as
        # whole planes, which is a tenth of a small network's time less than pixel by pixel.
        steps = PrePostProcessor(model)
        steps.input().tensor().set_element_type(openvino.Type.u8).set_layout(openvino.Layout("NHWC"))
        steps.input().tensor().set_color_format(ColorFormat.BGR)
        first = steps.input().preprocess().convert_layout(openvino.Layout("NCHW"))
        first.convert_color(ColorFormat.RGB).convert_element_type(openvino.Type.f32).scale(255.0)
        steps.input().model().set_layout(openvino.Layout("NCHW"))
        # float32 by name: on processors with bfloat16 OpenVINO would take that, and box sides would lose pixels.
        options: dict[str, Any] = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
        if self._threads is not None:
            options["INFERENCE_NUM_THREADS"] = self._threads
        request = self._core.compile_model(steps.build(), "CPU", options).create_infer_request()
        self._compiled[shape] = request
        while len(self._compiled) > MAX_COMPILED:
            self._compiled.popitem(last=False)
        return request

    def __call__(self, pictures: NDArray[Any]) -> list[NDArray[Any]]:
        """Run on (N, H, W, 3) pictures; gives every output as an array of its own."""
        with self._lock:
            request = self._request(tuple(int(v) for v in pictures.shape[:3]))  # type: ignore[arg-type]
            request.infer([np.ascontiguousarray(pictures)])
            return [np.array(output.data) for output in request.output_tensors]

    def each(self, pictures: NDArray[Any]) -> NDArray[Any]:
        """The first output for any number of small pictures, run in batches of two sizes: one compiled network each."""
        parts = []
        for start in range(0, len(pictures), BATCH):
            part = pictures[start : start + BATCH]
            full = np.zeros(
                (BATCH if len(part) > SMALL_BATCH else SMALL_BATCH, *part.shape[1:]), dtype=np.uint8
            )
            full[: len(part)] = part
            parts.append(self(full)[0][: len(part)])
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.float32)
