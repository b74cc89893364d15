"""One typed source for flags, environment and file."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from regla.service.cli import build
from regla.service.settings import Settings, SettingsError, load, table
from typer.testing import CliRunner


def test_flags_win_over_environment_over_file_over_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "regla.toml"
    file.write_text('port = 1111\nlang = "es"\nmax_tables = 3\n')
    monkeypatch.setenv("REGLA_PORT", "2222")
    assert load(file).port == 2222
    found = load(file, port=3333, host=None)
    assert (found.port, found.lang, found.max_tables, found.host) == (3333, "es", 3, "127.0.0.1")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("port = 99999", "port"),
        ('colour = "red"', "colour"),
        ('mode = "chess"', "mode"),
        ("port = ", "regla.toml"),
        ('token = "short"', "token"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "regla.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=says):
        load(file)


def test_serve_says_what_is_wrong_and_ends_with_2(tmp_path: Path) -> None:
    outcome = CliRunner().invoke(build(), ["serve", "--settings", str(tmp_path / "none.toml")])
    assert outcome.exit_code == 2


def test_a_port_in_use_is_said_in_words(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        outcome = CliRunner().invoke(
            build(), ["serve", "--port", str(port), "--data", str(tmp_path), "--no-browser"]
        )
    assert isinstance(outcome.exception, OSError) and "--port" in str(outcome.exception)


def test_every_setting_says_what_it_does() -> None:
    assert all(field.description for field in Settings.model_fields.values())
    assert table().count("\n") == len(Settings.model_fields) + 1
