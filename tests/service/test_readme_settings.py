"""The settings in the README are the settings in the code."""

from __future__ import annotations

import os
from pathlib import Path

from regla.service.settings import table

README = Path(__file__).parents[2] / "service" / "README.md"


def test_the_settings_table_is_current() -> None:
    text = README.read_text(encoding="utf-8")
    head, _, rest = text.partition("<!-- settings -->\n")
    _, _, tail = rest.partition("<!-- /settings -->")
    wanted = f"{head}<!-- settings -->\n{table()}\n<!-- /settings -->{tail}"
    if os.environ.get("REGLA_PICTURES"):
        README.write_text(wanted, encoding="utf-8")
    assert wanted == README.read_text(encoding="utf-8"), "write it anew: REGLA_PICTURES=1"
