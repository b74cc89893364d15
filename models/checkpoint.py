"""Weights without pickles: reading, keeping and loading state as safetensors.

Training starts from a ``.safetensors`` file (the shipped ``weights/regla-nano.safetensors``, or your own). Ultralytics'
released checkpoints are pickles; the two that training here began with can be turned into safetensors once
(``python -m regla.models.checkpoint yolo26n.pt yolo26n.safetensors``), and only if their sha256 is the one known here.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path
from typing import Any

from regla.vision.weights import ModelFileError

__all__ = ["CheckpointError", "load_into", "save_state"]

# sha256 of pickles looked into before they were trusted (they name torch, ultralytics and collections classes only).
KNOWN = {
    "9b09cc8bf347f0fc8a5f7657480587f25db09b34bf33b0652110fb03a8ad4fef": "yolo26n.pt, Ultralytics, AGPL-3.0",
    "0ebbc80d4a7680d14987a577cd21342b65ecfd94632bd9a8da63ae6417644ee1": "yolo11n.pt, Ultralytics, AGPL-3.0",
}
# Layers of YOLO26: its head with three outputs, its head with four, and where the fine output's layers are put in.
THREE_OUTPUTS, FOUR_OUTPUTS, FINE_FROM = 23, 29, 17


class CheckpointError(ModelFileError):
    """A file that weights cannot be read from."""


def save_state(state: dict[str, Any], out: Path) -> Path:
    """Keep a model's state as half-precision safetensors."""
    import torch
    from safetensors.torch import save_file

    kept = {
        name: (value.half() if value.is_floating_point() else value).detach().cpu().contiguous().clone()
        for name, value in state.items()
        if isinstance(value, torch.Tensor)
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    save_file(kept, str(out))
    return out


def load_into(model: Any, path: Path, whole: bool = False) -> tuple[int, int]:
    """Copy what fits by name and shape from a safetensors file; returns how many of how many tensors fitted.

    With ``whole`` every tensor must fit: a network that is to be used, not trained on.
    """
    if path.suffix != ".safetensors":
        raise CheckpointError(
            f"{path.name}: expected a .safetensors file. A .pt file is a pickle, which could run any code, so it is not "
            "opened; `python -m regla.models.checkpoint` turns the known ones into safetensors.",
            f"{path.name}: se esperaba un archivo .safetensors. Un .pt es un pickle, que podría ejecutar cualquier código, "
            "y no se abre; `python -m regla.models.checkpoint` convierte los conocidos.",
        )
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        stored = load_file(str(path))
    except (OSError, SafetensorError) as error:
        raise CheckpointError(
            f"{path.name} cannot be read: {error}", f"{path.name} no se puede leer: {error}"
        ) from None
    own = model.state_dict()
    stored = _renumbered(stored, own)
    fitting = {
        name: value.to(own[name].dtype)
        for name, value in stored.items()
        if name in own and own[name].shape == value.shape
    }
    if len(fitting) < (len(own) if whole else len(own) // 2):
        raise CheckpointError(
            f"{path.name} belongs to another network: {len(fitting)} of {len(own)} tensors fit.",
            f"{path.name} es de otra red: encajan {len(fitting)} de {len(own)} tensores.",
        )
    model.load_state_dict(fitting, strict=False)
    return len(fitting), len(own)


def _renumbered(stored: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Weights of a network with three outputs, under the names they have in the one with a finer fourth output.

    The fine output's own layers come in between, so every layer after them has a higher number, and each of the head's three
    branches is one further on.
    """
    last, wanted = _last_layer(stored), _last_layer(own)
    if (last, wanted) != (THREE_OUTPUTS, FOUR_OUTPUTS):
        return stored
    out = {}
    for name, value in stored.items():
        parts = name.split(".")
        layer = int(parts[1])
        if layer >= FINE_FROM:
            parts[1] = str(layer + FOUR_OUTPUTS - THREE_OUTPUTS)
        if layer == last and len(parts) > 3 and parts[3].isdigit():
            parts[3] = str(int(parts[3]) + 1)
        out[".".join(parts)] = value
    return out


def _last_layer(state: dict[str, Any]) -> int:
    return max((int(name.split(".")[1]) for name in state if name.startswith("model.")), default=0)


def from_known_pickle(source: Path, out: Path) -> Path:
    """Turn one of the known released checkpoints into safetensors; any other file is refused unopened."""
    sha256 = hashlib.sha256(source.read_bytes()).hexdigest()
    if sha256 not in KNOWN:
        known = ", ".join(KNOWN.values())
        raise CheckpointError(
            f"{source.name} (sha256 {sha256[:16]}…) is none of: {known}",
            f"{source.name} (sha256 {sha256[:16]}…) no es ninguno de: {known}",
        )
    from ultralytics.nn.tasks import load_checkpoint

    return save_state(load_checkpoint(str(source))[0].state_dict(), out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    print(from_known_pickle(given.source, given.out))
