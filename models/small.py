"""What the two small networks on crops share in training: drawing, stepping, saving, exporting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from regla.models.classes import CLASSES
from rich.progress import track

__all__ = ["as_batch", "export_crops", "fit_crops"]

# No step larger than this, however odd its crops.
GRADIENT_MOST = 5.0


def as_batch(crops: NDArray[Any]) -> Any:
    """Crops (N, H, W, 3), BGR bytes, as a batch (N, 3, H, W), RGB in 0–1."""
    import torch

    return torch.from_numpy(crops[..., ::-1].copy()).permute(0, 3, 1, 2).float() / 255


def fit_crops(
    network: Any,
    classes: NDArray[np.int64],
    loss_of: Callable[[NDArray[np.int64]], Any],
    out: Path,
    *,
    epochs: int,
    batch: int,
    lr: float,
    seed: int,
    warm_share: float,
) -> None:
    """Train on rows drawn so that rare classes count, and save the weights beside ``out`` after every pass.

    ``loss_of`` rows is what they cost; ``warm_share`` of all steps the learning rate rises, then it falls.
    """
    import torch
    from safetensors.torch import save_file

    optimiser = torch.optim.AdamW(network.parameters(), lr=lr, weight_decay=0.01)
    per_pass = len(classes) // batch
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, max_lr=lr, total_steps=max(epochs * per_pass, 2), pct_start=warm_share
    )
    # A block of spearmen must not outvote the heroes.
    weight = (1.0 / np.sqrt(np.bincount(classes, minlength=len(CLASSES)).clip(min=1)))[classes]
    weight /= weight.sum()
    draw = np.random.default_rng(seed)
    for epoch in range(epochs):
        network.train()
        order = draw.choice(len(classes), size=len(classes), p=weight)
        total = 0.0
        for k in track(range(per_pass), description=f"{out.stem} {epoch + 1}/{epochs}"):
            loss = loss_of(order[k * batch : (k + 1) * batch])
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), GRADIENT_MOST)
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
        print(f"epoch {epoch + 1}: loss {total / max(1, per_pass):.3f}", flush=True)
        save_file(
            {k: v.contiguous() for k, v in network.state_dict().items()}, str(out.with_suffix(".safetensors"))
        )


def export_crops(network: Any, size_px: tuple[int, int], out: Path, answer: str) -> None:
    """Write the network for any number of crops of one size (height, width) as ONNX."""
    import torch

    network.eval()
    with torch.no_grad():
        torch.onnx.export(
            network,
            (torch.zeros(1, 3, *size_px),),
            str(out),
            opset_version=18,
            input_names=["crops"],
            output_names=[answer],
            dynamic_axes={"crops": {0: "batch"}, answer: {0: "batch"}},
            dynamo=False,
        )
