"""What the training side refuses without torch: pickles, foreign weights, missing tools. (Training itself: make evaluate.)"""

from __future__ import annotations

import importlib.util
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from regla.models.checkpoint import KNOWN, CheckpointError, _renumbered, from_known_pickle, load_into
from regla.models.train import Recipe, TrainingError, adapt, need_training_tools


class Bomb:
    """Says so if it is ever unpickled."""

    def __reduce__(self) -> tuple:
        return (Path.touch, (Path("unpickled"),))


def test_a_pickle_is_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bomb = tmp_path / "free-weights.pt"
    bomb.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(CheckpointError, match="none of"):
        from_known_pickle(bomb, tmp_path / "out.safetensors")
    assert not (tmp_path / "unpickled").exists()
    assert all(len(sha256) == 64 for sha256 in KNOWN)


def test_init_must_be_safetensors(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="pickle"):
        load_into(None, tmp_path / "weights.pt")


def test_missing_tools_are_named_in_both_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "torch" else object())
    with pytest.raises(TrainingError, match=r"needs torch.*regla\[train\]") as caught:
        need_training_tools()
    assert "entrenar necesita torch" in caught.value.text("es")
    with pytest.raises(TrainingError):
        adapt(Path("nowhere"), Path("nowhere"))


def test_playing_imports_neither_torch_nor_ultralytics() -> None:
    code = (
        "import sys, regla.vision.detect, regla.vision.facing, regla.models.evaluate, regla.models.train\n"
        "heavy = {'torch', 'ultralytics', 'onnxruntime', 'safetensors'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or None)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_a_recipe_is_all_numbers_that_ultralytics_knows() -> None:
    settings = Recipe(epochs=3, lr=0.002).settings()
    assert settings["epochs"] == 3 and settings["lr0"] == 0.002 and settings["nbs"] == settings["batch"]
    assert settings["mosaic"] == 0.0 and settings["device"] == "cpu"


def test_weights_of_three_outputs_find_their_places_among_four() -> None:
    before = {
        "model.0.conv.weight": "a",
        "model.16.m": "b",
        "model.17.conv": "c",
        "model.23.cv2.0.1.bias": "d",
    }
    four = {"model.29.cv2.3.1.bias": None}
    assert _renumbered(before, four) == {
        "model.0.conv.weight": "a",
        "model.16.m": "b",
        "model.23.conv": "c",
        "model.29.cv2.1.1.bias": "d",
    }
    # Of the same network, or of one that is not known: every name as it is.
    assert _renumbered(before, {"model.23.cv2.0.1.bias": None}) == before
    assert _renumbered(four, four) == four
