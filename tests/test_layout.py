"""The repo itself: the rooms explain themselves, a wheel holds only `regla/`, no machine is named."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("calibration", "vision", "rules", "models", "service", "samples", "tests")


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_says_what_belongs_there(room: str) -> None:
    readme = (ROOT / room / "README.md").read_text(encoding="utf-8")
    assert len(readme) > 300
    for heading in ("What belongs here", "What does not", "Where to start"):
        assert heading in readme, f"{room}/README.md lacks “{heading}”"


def test_a_wheel_holds_only_regla(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)],
        check=True,
        capture_output=True,
        cwd=tmp_path,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names if not name.split("/")[0].endswith(".dist-info")}
    assert tops == {"regla"}
    assert "regla/rules/scene.py" in names
    assert "regla/service/cli/ask.py" in names
    assert any(name.startswith("regla/service/fonts/") for name in names)
    packages = {str(p.parent.relative_to(ROOT)) for p in tracked() if p.name == "__init__.py" and p.parts[len(ROOT.parts)] != "tests"}  # fmt: skip
    for package in packages:
        assert f"regla/{package}/__init__.py" in names, f"{package} is not listed in pyproject's packages"


def test_no_file_names_a_machine_or_a_registry() -> None:
    machine = re.compile(r"(^|[^A-Za-z0-9_./])/(work|farm|root|opt|tmp/[a-z]+)/")
    registry = re.compile(r"(pypi\.org|files\.pythonhosted|registry\.npmjs|deb\.debian\.org|index-url)")
    for path in tracked():
        if path.suffix in {
            ".py",
            ".md",
            ".toml",
            ".txt",
            ".json",
            ".js",
            ".html",
            ".css",
            ".sh",
            "",
        } and path != Path(__file__):
            text = path.read_text(encoding="utf-8", errors="replace")
            assert not machine.search(text), path
            assert not registry.search(text), path


def test_the_runtime_never_imports_torch() -> None:
    code = "import regla.rules, regla.calibration, regla.vision, regla.models, regla.service.cli as c, sys; c.build(); print('torch' in sys.modules, 'ultralytics' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["False", "False"]
