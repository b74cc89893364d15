"""The command line. Every module of this folder that has a `register` adds its commands."""

from __future__ import annotations

import importlib
import locale
import os
import pkgutil
import sys
from typing import Annotated

import typer
from regla.rules import LANGUAGES

__all__ = ["build", "main"]

BAD_INPUT = 2
"""Exit code for input that cannot be used: what is wrong goes to standard error, never a traceback."""


def _default_lang() -> str:
    asked = os.environ.get("REGLA_LANG") or os.environ.get("LC_ALL") or os.environ.get("LANG") or ""
    code = (asked or (locale.getlocale()[0] or ""))[:2].lower()
    return code if code in LANGUAGES else "en"


def build() -> typer.Typer:
    """The whole command line as one typer app."""
    app = typer.Typer(
        name="regla",
        help="A camera over the table, a ruler you can trust, and the rule that decides.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )

    @app.callback()
    def common(
        ctx: typer.Context,
        lang: Annotated[str, typer.Option(help="Language of the answers: en or es.")] = "",
    ) -> None:
        chosen = lang or _default_lang()
        if chosen not in LANGUAGES:
            raise typer.BadParameter(f"expected one of {', '.join(LANGUAGES)}, got {chosen!r}")
        ctx.obj = {"lang": chosen}

    for found in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        module = importlib.import_module(f"{__name__}.{found.name}")
        register = getattr(module, "register", None)
        if register is not None:
            register(app)
    return app


def _said(error: BaseException, lang: str) -> str | None:
    """What an error says to a person, where it was made for people: ours have `text(lang)`."""
    text = getattr(error, "text", None)
    if callable(text):
        return str(text(lang))
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}"
    return None


def main() -> None:
    """Run the command line; bad input ends with 2 and a sentence."""
    app = build()
    try:
        app()
    except Exception as error:
        lang = _default_lang()
        for i, word in enumerate(sys.argv):
            if word == "--lang" and sys.argv[i + 1 : i + 2] and sys.argv[i + 1] in LANGUAGES:
                lang = sys.argv[i + 1]
        said = _said(error, lang)
        if said is None:
            raise
        sys.stderr.write(f"regla: {said}\n")
        raise SystemExit(BAD_INPUT) from None
