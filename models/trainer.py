"""The trainer: ultralytics' oriented-box trainer, taught to use bfloat16 on processors.

Ultralytics switches mixed precision on for graphics cards only. On a processor with AVX512-BF16 or AMX the same autocast
more than halves a training step, and the weights themselves stay float32.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

import torch
from regla.models.checkpoint import load_into, save_state
from regla.models.export import network_settings
from ultralytics.data.build import InfiniteDataLoader
from ultralytics.engine import trainer as engine
from ultralytics.models.yolo.obb import OBBTrainer
from ultralytics.utils.tal import RotatedTaskAlignedAssigner

__all__ = ["PictureAssigner", "ProcessorTrainer"]


class PictureAssigner(RotatedTaskAlignedAssigner):
    """Ultralytics' assigner, picture by picture: the same answer for a sixth of the work.

    It compares every true box with every place of the network, and fills all pictures of a batch up to the fullest one. One
    tile of a ranked army has a hundred boxes, most have ten, and the assigner alone took 0.57 s of a step of 1.35 s.
    """

    def forward(
        self,
        pd_scores: Any,
        pd_bboxes: Any,
        anc_points: Any,
        gt_labels: Any,
        gt_bboxes: Any,
        mask_gt: Any,
        **extra: Any,
    ) -> Any:
        """As the parent's; boxes of a picture stand before the filling."""
        if gt_bboxes.shape[1] == 0:
            return super().forward(pd_scores, pd_bboxes, anc_points, gt_labels, gt_bboxes, mask_gt, **extra)
        parts = []
        for i, count in enumerate(mask_gt.bool().sum(dim=(1, 2)).clamp(min=1).tolist()):
            one = slice(i, i + 1)
            parts.append(
                super().forward(
                    pd_scores[one],
                    pd_bboxes[one],
                    anc_points,
                    gt_labels[one, :count],
                    gt_bboxes[one, :count],
                    mask_gt[one, :count],
                    **{name: value[one] for name, value in extra.items()},
                )
            )
        return tuple(torch.cat(part) for part in zip(*parts, strict=True))

    @classmethod
    def like(cls, other: RotatedTaskAlignedAssigner) -> PictureAssigner:
        """The same settings as another assigner's."""
        return cls(
            topk=other.topk,
            num_classes=other.num_classes,
            alpha=other.alpha,
            beta=other.beta,
            stride=other.stride,
            topk2=other.topk2,
        )


class _Float32Loss:
    """A criterion that sees float32 however the layers before it were computed: box sides of hundreds of pixels do
    not fit bfloat16's eight bits."""

    def __init__(self, criterion: Any) -> None:
        self.criterion = criterion

    def __call__(self, preds: Any, batch: Any) -> Any:
        with torch.autocast("cpu", enabled=False):
            return self.criterion(_to_float32(preds), batch)

    def update(self) -> None:
        """Step the schedule that moves weight between the heads, where the criterion has one."""
        if hasattr(self.criterion, "update"):
            self.criterion.update()


def _to_float32(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.float() if value.dtype == torch.bfloat16 else value
    if isinstance(value, dict):
        return {key: _to_float32(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_to_float32(item) for item in value)
    return value


@contextlib.contextmanager
def _bfloat16(enabled: bool) -> Any:
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled):
        yield


class ProcessorTrainer(OBBTrainer):
    """Oriented-box training on a processor: bfloat16 layers, float32 loss, channels-last memory."""

    model: Any
    bfloat16 = True
    # A safetensors file to begin with, and where to keep the averaged weights after every epoch.
    start_from: Path | None = None
    keep_as: Path | None = None
    # Tiles per epoch, drawn anew each time: a large set is then saved often. None takes all.
    epoch_tiles: int | None = None

    def get_model(self, cfg: Any = None, weights: Any = None, verbose: bool = True) -> Any:
        """Build the network and begin with the weights of ``start_from``."""
        model = super().get_model(network_settings(cfg), weights, verbose)
        if self.start_from is not None and not self.resume:
            fitted, of = load_into(model, self.start_from)
            print(f"began with {fitted} of {of} tensors of {self.start_from.name}")
        return model

    def get_dataloader(
        self, dataset_path: Any, batch_size: int = 16, rank: int = 0, mode: str = "train"
    ) -> Any:
        """As ultralytics' own, with ``epoch_tiles`` random tiles to an epoch."""
        if mode != "train" or self.epoch_tiles is None:
            return super().get_dataloader(dataset_path, batch_size, rank, mode)
        dataset = self.build_dataset(dataset_path, mode, batch_size)
        sampler = torch.utils.data.RandomSampler(dataset, num_samples=min(self.epoch_tiles, len(dataset)))
        return InfiniteDataLoader(
            dataset=dataset,
            batch_size=batch_size,
            sampler=sampler,
            num_workers=0,
            collate_fn=dataset.collate_fn,
        )

    def validate(self) -> tuple[dict[str, float], float]:
        """Ultralytics' validation works on tiles and takes minutes; ours looks at whole pictures, once, at the end."""
        return {}, 0.0

    def final_eval(self) -> None:
        """Nothing: ``last.pt`` stays whole, so that a later run can resume or go on."""

    def save_model(self) -> bool:
        """Save what a resume needs, and the averaged weights alone."""
        saved = bool(super().save_model())
        if self.keep_as is not None:
            save_state(self.ema.ema.state_dict(), self.keep_as)
        return saved

    def _setup_train(self, *args: Any, **kwargs: Any) -> None:
        super()._setup_train(*args, **kwargs)
        if self.device.type != "cpu":
            return
        # Ultralytics takes all processors but one. On an idle machine all are best, on a busy one a single thread is:
        # two that wait for each other came out four times slower than one (OMP_NUM_THREADS decides).
        torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)))
        self.model = self.model.to(memory_format=torch.channels_last)
        model = self.model
        if getattr(model, "criterion", None) is None:
            model.criterion = model.init_criterion()
            model.criterion.assigner = PictureAssigner.like(model.criterion.assigner)
        if not isinstance(model.criterion, _Float32Loss):
            model.criterion = _Float32Loss(model.criterion)
        # The training loop opens `autocast(self.amp, device=...)`, which knows no bfloat16 on processors.
        use = self.bfloat16
        engine.autocast = lambda enabled, device="cuda": _bfloat16(use and device == "cpu")

    def preprocess_batch(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Lay the pictures out channel by channel innermost, as the processor's convolutions like them."""
        batch = super().preprocess_batch(batch)
        batch["img"] = batch["img"].contiguous(memory_format=torch.channels_last)
        return batch
