"""The answer card in the terminal: the same lines as in the page, the overlay and the report."""

from __future__ import annotations

from regla.rules import Answer, Scene, Verdict, msg
from regla.rules.messages import register
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

__all__ = ["COLOURS", "ICONS", "card", "lines"]

ICONS = {Answer.YES: "✓", Answer.NO: "✗", Answer.TOO_CLOSE: "≈", Answer.UNKNOWN: "?", None: "•"}
COLOURS = {
    Answer.YES: "#009E73",
    Answer.NO: "#D55E00",
    Answer.TOO_CLOSE: "#E69F00",
    Answer.UNKNOWN: "#8A8A8A",
    None: "#56B4E9",
}
"""Never by colour alone: each answer has its own icon and word. Safe for colour-blind readers."""


def lines(verdict: Verdict, scene: Scene, lang: str) -> list[str]:
    """The card's lines below the headline."""
    out = []
    names = [found.label if (found := scene.find(i)) else i for i in verdict.who]
    where = [str(w) for w in (verdict.band, verdict.arc) if w is not None]
    who = " → ".join(names[:3]) + (" …" if len(names) > 3 else "")
    if who or where:
        out.append("   ".join([*([who] if who else []), *where]))
    measured = verdict.measured(lang)
    if measured:
        out.append(measured)
    out.append(verdict.text(lang))
    if verdict.blockers:
        out.append(msg("card-blockers", ids=list(verdict.blockers)).text(lang))
    if verdict.ids:
        out.append(msg("card-ids", ids=list(verdict.ids)).text(lang))
    if verdict.remedy is not None:
        out.append(verdict.remedy.text(lang, verdict.unit))
    out += [note.text(lang, verdict.unit) for note in verdict.notes]
    out.append(" · ".join(verdict.rules))
    return out


def card(verdict: Verdict, scene: Scene, lang: str) -> RenderableType:
    """A panel for rich."""
    colour = COLOURS[verdict.answer]
    head = Text(f"{ICONS[verdict.answer]}  {verdict.headline(lang)}", style=f"bold {colour}")
    *body, rules = lines(verdict, scene, lang)
    return Panel(
        Group(head, *(Text(line) for line in body), Text(rules, style="dim")),
        border_style=colour,
        width=72,
        padding=(0, 1),
    )


register(
    {
        "card-blockers": {"en": "In the way: {ids}", "es": "En medio: {ids}"},
        "cli-word": {
            "en": "“{got}” is not expected here; inputs are given as --name value",
            "es": "«{got}» no se espera aquí; los datos se dan como --nombre valor",
        },
        "card-ids": {"en": "Found: {ids}", "es": "Resultado: {ids}"},
    }
)
