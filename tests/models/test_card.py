"""The card says what the files say, and the weights stay within their size."""

from __future__ import annotations

import hashlib
import json

import pytest
from regla.models.card import CARD, WEIGHTS, written
from regla.models.classes import CLASSES


def test_the_cards_tables_are_those_of_the_weights() -> None:
    text = CARD.read_text(encoding="utf-8")
    assert text == written(text), "run `python -m regla.models.card`"


@pytest.mark.parametrize("name", ["regla-nano", "regla-facing"])
def test_a_card_belongs_to_its_file(name: str) -> None:
    card = json.loads((WEIGHTS / f"{name}.json").read_text(encoding="utf-8"))
    assert card["sha256"] == hashlib.sha256((WEIGHTS / f"{name}.onnx").read_bytes()).hexdigest()


def test_figures_are_possible_numbers() -> None:
    card = json.loads((WEIGHTS / "regla-nano.json").read_text(encoding="utf-8"))
    assert card["classes"] == list(CLASSES)
    titles = " ".join(card["figures"]).lower()
    assert "synthetic" in titles and "real photographs" in titles
    for figures in card["figures"].values():
        for row in figures["classes"].values():
            assert 0 <= row["map50_95"] <= row["map50"] + 1e-9 <= 1 + 1e-9
            assert 0 <= row["recall"] <= 1 and (row["precision"] is None or 0 <= row["precision"] <= 1)


def test_all_weights_together_are_small() -> None:
    assert sum(path.stat().st_size for path in WEIGHTS.iterdir()) <= 25_000_000
