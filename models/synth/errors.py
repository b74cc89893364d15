"""What can go wrong when rendering, said to people.

SynthError
├── NoOpenGL       the machine has no OpenGL that works without a screen
└── NotInstalled   the `synth` extra is missing
"""

from __future__ import annotations

DEBIAN_PACKAGES = ("libegl1", "libgl1", "libgl1-mesa-dri")


class SynthError(Exception):
    """Something the user can mend."""

    en = "The synthetic table could not be made: {what}"
    es = "No se ha podido crear la mesa sintética: {what}"

    def __init__(self, what: str = "") -> None:
        self.what = what
        super().__init__(self.text("en"))

    def text(self, lang: str = "en") -> str:
        return (self.es if lang == "es" else self.en).format(
            what=self.what, packages=" ".join(DEBIAN_PACKAGES)
        )


class NoOpenGL(SynthError):
    en = "No OpenGL without a screen here ({what}). On Debian: apt install {packages}"
    es = "Aquí no hay OpenGL sin pantalla ({what}). En Debian: apt install {packages}"


class NotInstalled(SynthError):
    en = "The renderer is not installed ({what} is missing): pip install 'regla[synth]'"
    es = "El motor de dibujo no está instalado (falta {what}): pip install 'regla[synth]'"
