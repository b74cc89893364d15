"""The figures in CARD.md, written from the cards beside the weights so that they cannot drift apart.

``python -m regla.models.card`` puts the tables of ``weights/*.json`` between the markers of CARD.md.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from regla.models.classes import CLASSES

__all__ = ["CARD", "figures_text", "written"]

CARD = Path(__file__).with_name("CARD.md")
WEIGHTS = Path(__file__).with_name("weights")
BEGIN, END = "<!-- figures: python -m regla.models.card -->", "<!-- end of figures -->"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _detector_table(title: str, figures: dict[str, Any]) -> list[str]:
    lines = [
        f"### {title}",
        "",
        f"{figures['pictures']} pictures, mAP50 {figures['map50']:.3f}, mAP50-95 {figures['map50_95']:.3f}.",
        "",
        "| class | truths | precision | recall | mAP50 | mAP50-95 |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name in (*CLASSES, *figures["groups"]):
        row = figures["classes"].get(name) or figures["groups"].get(name)
        if row is None:
            continue
        shown = f"*{name}*" if name in figures["groups"] else name
        numbers = " | ".join(_number(row[key]) for key in ("precision", "recall", "map50", "map50_95"))
        lines.append(f"| {shown} | {row['truth']} | {numbers} |")
    return [*lines, ""]


def _facing_table(title: str, rows: dict[str, Any]) -> list[str]:
    lines = [
        f"### {title}",
        "",
        "| class | crops | claims to know | right within 15° of those | turned round | right if it always answered |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, row in rows.items():
        numbers = " | ".join(_number(row[key]) for key in ("claimed", "right", "flipped", "right_if_always"))
        lines.append(f"| {name} | {row['crops']} | {numbers} |")
    return [*lines, ""]


def _place_table(title: str, rows: dict[str, Any]) -> list[str]:
    lines = [
        f"### {title}",
        "",
        "| class | crops | middle off before, median / 95 % (px) | after | sigmas too narrow by (68 %, 95 %) "
        "| one base told as one | no base told as none |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, row in rows.items():
        before, after = (" / ".join(f"{v:.2f}" for v in row[key]) for key in ("before_px", "after_px"))
        narrow = ", ".join(f"{sum(row[key][:2]) / 2:.2f}" for key in ("sigmas_p68", "sigmas_p95"))
        told = " | ".join(_number(row[key]) for key in ("whole_told", "fake_told"))
        lines.append(f"| {name} | {row['crops']} | {before} | {after} | {narrow} | {told} |")
    return [*lines, ""]


def figures_text(detector: dict[str, Any], facing: dict[str, Any], place: dict[str, Any]) -> str:
    """The tables of the networks as markdown."""
    lines = [
        f"Detector `regla-nano.onnx`, sha256 `{detector['sha256']}`.  ",
        f"Facing `regla-facing.onnx`, sha256 `{facing['sha256']}`.  ",
        f"Place `regla-place.onnx`, sha256 `{place['sha256']}`.",
        "",
    ]
    for title, figures in detector["figures"].items():
        lines += _detector_table(title, figures)
    for title, rows in facing["figures"].items():
        lines += _facing_table(title, rows)
    for title, rows in place["figures"].items():
        lines += _place_table(title, rows)
    return "\n".join(lines).rstrip() + "\n"


def written(text: str) -> str:
    """CARD.md's text with the tables as they are now."""
    cards = [
        json.loads((WEIGHTS / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("regla-nano", "regla-facing", "regla-place")
    ]
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{figures_text(*cards)}{END}{after}"


if __name__ == "__main__":
    CARD.write_text(written(CARD.read_text(encoding="utf-8")), encoding="utf-8")
