"""The README's examples run, and say what the README says they say."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.S)
PYTHON = [body for kind, body in BLOCKS if kind == "python"]
CONSOLE = [
    (command.strip(), [line for line in shown.splitlines() if line.strip()])
    for kind, body in BLOCKS
    if kind == "console"
    for command, _, shown in (part.partition("\n") for part in re.split(r"^\$ ", body, flags=re.M)[1:])
    if command.startswith("regla ")
]


def test_there_are_examples() -> None:
    assert PYTHON
    assert CONSOLE


@pytest.mark.parametrize("code", PYTHON)
def test_python(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)


@pytest.mark.parametrize(("command", "shown"), CONSOLE, ids=[command[:60] for command, _ in CONSOLE])
def test_console(command: str, shown: list[str], tmp_path: Path) -> None:
    words = shlex.split(command.split(" #")[0])[1:]
    words = [str(tmp_path / Path(w).name) if w.startswith("out/") else w for w in words]
    run = "import sys; from regla.service.cli import main; sys.argv[0] = 'regla'; main()"
    done = subprocess.run(
        [sys.executable, "-c", run, *words], cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, "LANG": "C.UTF-8", "REGLA_LANG": "en"}, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = re.sub(r"[│╭╮╰╯─\s]+", " ", done.stdout)
    for line in shown:
        assert re.sub(r"[│╭╮╰╯─\s]+", " ", line).strip() in said, f"{line!r} is not in:\n{done.stdout}"


@pytest.mark.parametrize("link", re.findall(r"\]\((?!http)([^)#]+)", TEXT))
def test_what_it_links_to_is_there(link: str) -> None:
    assert (ROOT / link).exists()
