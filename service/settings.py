"""Every setting of the service, once: its type, its default and what it means.

The same fields feed `regla serve --help`, `regla.toml`, the environment (`REGLA_PORT=8080`) and the README's table.
What is given later in this list wins: defaults, file, environment, flags.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

__all__ = ["Settings", "SettingsError", "load", "table"]

LOOPBACK = ("127.0.0.1", "::1", "localhost")


class SettingsError(Exception):
    """A setting that cannot be used, said for people."""


def default_data_dir() -> Path:
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "regla"


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="REGLA_", extra="forbid", frozen=True)

    host: str = Field(
        "127.0.0.1", description="Address to listen on; anything but loopback asks visitors for a token."
    )
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    source: str | None = Field(
        None, description="Camera number, stream address, picture, clip or scene document."
    )
    game: str | None = Field(None, description="The game on the table, for example t9a.")
    mode: Literal["friendly", "tournament"] = Field(
        "friendly", description="Tournament refuses what the game forbids to measure in advance."
    )
    lang: Literal["en", "es"] = Field("en", description="Language of texts that name none.")
    calibration: Path | None = Field(
        None, description="Calibration document of the table; without it the sheets are searched for."
    )
    data: Path = Field(
        default_factory=default_data_dir, description="Folder for rulings, tokens and table settings."
    )
    token: str | None = Field(
        None,
        min_length=16,
        description="Token for changing things from another device; made at the first start when absent.",
    )
    overlay_token: str | None = Field(
        None, min_length=16, description="Token that can only look; for OBS and spectators."
    )
    allowed_hosts: tuple[str, ...] = Field(
        (), description="Names under which browsers may reach this service, besides its own addresses."
    )
    max_upload_mb: float = Field(25, gt=0, le=500, description="Largest picture that is accepted.")
    max_tables: int = Field(16, ge=1, le=200, description="Most tables at once.")
    history_minutes: float = Field(10, gt=0, le=240, description="How far back the timeline reaches.")
    freeze_frames: int = Field(8, ge=1, le=60, description="Pictures that a freeze measures from.")
    picture_fps: float = Field(10, gt=0, le=60, description="Most pictures a second sent to a browser.")
    stale_seconds: float = Field(
        5, gt=0, le=600, description="After this long without news the overlay fades out."
    )
    loop: bool = Field(True, description="Start a clip again when it ends, as if it were a live camera.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        path = _FILE[-1] if _FILE else None
        if path is None:
            return init_settings, env_settings
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=path)

    @property
    def loopback_only(self) -> bool:
        return self.host in LOOPBACK


_FILE: list[Path] = []
"""The file that the next `load` reads: pydantic-settings takes it from the class, we from the caller."""


def load(file: Path | None = None, **flags: Any) -> Settings:
    """The settings that hold: flags that are not None, then the environment, then the file, then defaults.

    >>> load(port=8123).port
    8123
    """
    if file is None and Path("regla.toml").is_file():
        file = Path("regla.toml")
    if file is not None and not file.is_file():
        raise SettingsError(f"{file}: there is no such settings file")
    if file is not None:
        _FILE.append(file)
    try:
        return Settings(**{name: value for name, value in flags.items() if value is not None})
    except ValidationError as error:
        lines = [
            f"{'.'.join(str(p) for p in e['loc'])}: {e['msg']} (got {e['input']!r})" for e in error.errors()
        ]
        raise SettingsError("Settings that cannot be used:\n  " + "\n  ".join(lines)) from None
    except ValueError as error:
        raise SettingsError(f"{file}: {error}") from None
    finally:
        _FILE.clear()


def table() -> str:
    """The settings as a Markdown table, for the README."""
    rows = ["| Setting | Default | What it does |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        default = "" if field.default is None or field.default_factory else str(field.default)
        rows.append(f"| `{name}` | {f'`{default}`' if default else ''} | {field.description} |")
    return "\n".join(rows)
