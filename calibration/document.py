"""The calibration document: everything about one set-up, as JSON that a person can read and compare."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from .camera import Camera, Floats, Pose
from .errors import DocumentError
from .markers import FAMILY, SIDE_MM
from .messages import phrase
from .quality import GRADES, Quality
from .view import TableView

VERSION: Final = 1
KIND: Final = "regla-calibration"
DIGITS: Final = 9
"""Significant digits written: a nanometre over a table, and the file stays readable."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """A marker on the table: its four corners in mm on the table and in the picture it was calibrated from."""

    corners_mm: Floats
    corners_px: Floats


@dataclass(frozen=True)
class Check:
    """A known length that was measured: what it is, what came out, and the standard deviation expected."""

    length_mm: float
    measured_mm: float
    sigma_mm: float

    @property
    def error_mm(self) -> float:
        return self.measured_mm - self.length_mm


@dataclass(frozen=True, eq=False)
class Calibration:
    """One camera over one table. `view()` measures with it; `save` and `load` keep it."""

    camera: Camera
    pose: Pose
    covariance: Floats | None
    table_mm: tuple[float, float]
    noise_px: float
    residual_px: float
    quality: Quality
    method: str = "markers"
    lens_source: str = "given"
    table_source: str = "given"
    side_mm: float = SIDE_MM
    layout: str = "exact"
    """How the sheets' places are known: exact, corners (by hand) or anywhere (measured)."""
    sheets: Mapping[int, Sheet] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    made: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    revision: int = 1

    @property
    def grade(self) -> str:
        """gold, silver, bronze or unfit."""
        return self.quality.grade

    @cached_property
    def _view(self) -> TableView:
        return TableView(self.camera, self.pose, self.covariance, self.noise_px)

    def view(self) -> TableView:
        return self._view

    def revised(self, **changes: Any) -> Calibration:
        """The same set-up with something changed, as its next revision."""
        return replace(self, revision=self.revision + 1, **changes)

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "kind": KIND,
            "version": VERSION,
            "revision": self.revision,
            "made": self.made,
            "method": self.method,
            "table": {
                "width_mm": self.table_mm[0],
                "depth_mm": self.table_mm[1],
                "source": self.table_source,
            },
            "quality": self.quality.to_json(),
            "checks": [
                {"length_mm": c.length_mm, "measured_mm": c.measured_mm, "sigma_mm": c.sigma_mm}
                for c in self.checks
            ],
            "camera": {"source": self.lens_source, **self.camera.to_json()},
            "pose": self.pose.to_json(),
            "noise_px": self.noise_px,
            "residual_px": self.residual_px,
            "markers": {
                "family": FAMILY,
                "side_mm": self.side_mm,
                "layout": self.layout,
                "sheets": {
                    str(i): {"corners_mm": s.corners_mm.tolist(), "corners_px": s.corners_px.tolist()}
                    for i, s in sorted(self.sheets.items())
                },
            },
        }
        if self.covariance is not None:
            data["covariance"] = self.covariance.tolist()
        return data

    def dumps(self) -> str:
        return dump_readable(self.to_json())

    def save(self, path: str | Path) -> None:
        write_whole(Path(path), self.dumps())

    @classmethod
    def from_json(cls, data: Any, name: str = "calibration") -> Calibration:
        check_kind(data, KIND, VERSION, name)
        try:
            error = data["quality"]["error95_mm"]
            quality = Quality(
                _one_of(data["quality"]["grade"], GRADES),
                float(error["median"]),
                float(error["p95"]),
                float(error["worst"]),
                tuple(str(a) for a in data["quality"].get("advice", ())),
            )
            covariance = data.get("covariance")
            table = (_length(data["table"]["width_mm"]), _length(data["table"]["depth_mm"]))
            return cls(
                camera=Camera.from_json(data["camera"]),
                pose=Pose.from_json(data["pose"]),
                covariance=None
                if covariance is None
                else np.asarray(covariance, dtype=np.float64).reshape(15, 15),
                table_mm=table,
                noise_px=float(data["noise_px"]),
                residual_px=float(data["residual_px"]),
                quality=quality,
                method=str(data["method"]),
                lens_source=str(data["camera"].get("source", "given")),
                table_source=str(data["table"].get("source", "given")),
                side_mm=_length(data["markers"]["side_mm"]),
                layout=str(data["markers"].get("layout", "exact")),
                sheets={
                    int(i): Sheet(
                        np.asarray(s["corners_mm"], dtype=np.float64).reshape(4, -1),
                        np.asarray(s["corners_px"], dtype=np.float64).reshape(4, 2),
                    )
                    for i, s in data["markers"]["sheets"].items()
                },
                checks=tuple(
                    Check(float(c["length_mm"]), float(c["measured_mm"]), float(c["sigma_mm"]))
                    for c in data.get("checks", ())
                ),
                made=str(data["made"]),
                revision=int(data.get("revision", 1)),
            )
        except KeyError as error_:
            raise DocumentError(name=name, reason=phrase("reason-field", field=error_)) from error_
        except (TypeError, ValueError, AttributeError) as error_:
            raise DocumentError(name=name, reason=phrase("reason-value", detail=error_)) from error_

    @classmethod
    def load(cls, path: str | Path) -> Calibration:
        return cls.from_json(read_json(path), str(path))


def _length(value: Any) -> float:
    number = float(value)
    if not (number > 0 and np.isfinite(number)):
        raise ValueError(f"expected a length over 0 mm, got {value}")
    return number


def _one_of(value: Any, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise ValueError(f"expected one of {', '.join(allowed)}, got {value}")
    return str(value)


def read_json(path: str | Path) -> Any:
    """A JSON file, or a message that says what is the matter with it."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise DocumentError(name=str(path), reason=phrase("reason-closed", detail=error.strerror)) from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise DocumentError(name=str(path), reason=phrase("reason-not-json", detail=error)) from error


def write_whole(path: Path, text: str) -> None:
    """Write beside, then rename: a power cut leaves the old document, never half a new one."""
    beside = path.with_name(path.name + ".part")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def check_kind(data: Any, kind: str, version: int, name: str) -> None:
    if not isinstance(data, dict) or data.get("kind") != kind:
        got = data.get("kind") if isinstance(data, dict) else type(data).__name__
        raise DocumentError(name=name, reason=phrase("reason-kind", wanted=kind, got=got))
    if data.get("version") != version:
        raise DocumentError(
            name=name, reason=phrase("reason-version", wanted=version, got=data.get("version"))
        )


def dump_readable(data: Any) -> str:
    """JSON with one field a line, numbers rounded, and every row of numbers on one line: it diffs well.

    >>> print(dump_readable({"size": [2, 3], "at": [[1.00000000001, 2], [3, 4]]}), end="")
    {
      "size": [2, 3],
      "at": [
        [1, 2],
        [3, 4]
      ]
    }
    """
    return _lines(data, "") + "\n"


def _lines(value: Any, indent: str) -> str:
    deeper = indent + "  "
    if isinstance(value, dict) and value:
        body = (f"{deeper}{json.dumps(k, ensure_ascii=False)}: {_lines(v, deeper)}" for k, v in value.items())
        return "{\n" + ",\n".join(body) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(v, list | dict) for v in value):
        return "[\n" + ",\n".join(deeper + _lines(v, deeper) for v in value) + f"\n{indent}]"
    if isinstance(value, list):
        return "[" + ", ".join(_lines(v, deeper) for v in value) + "]"
    if isinstance(value, float):
        short = float(f"{value:.{DIGITS}g}")
        return json.dumps(int(short) if short.is_integer() and abs(short) < 1e15 else short)
    return json.dumps(value, ensure_ascii=False)


def diff(old: Calibration, new: Calibration) -> dict[str, tuple[Any, Any]]:
    """What differs between two documents: dotted field ▸ (old, new); matrices are compared as wholes."""
    changes: dict[str, tuple[Any, Any]] = {}

    def walk(a: Any, b: Any, path: str) -> None:
        if isinstance(a, dict) and isinstance(b, dict):
            for key in {**a, **b}:
                walk(a.get(key), b.get(key), f"{path}.{key}" if path else key)
        elif _lines(a, "") != _lines(b, ""):
            changes[path] = (a, b)

    walk(old.to_json(), new.to_json(), "")
    return changes
