"""The report of a ruling: one page that both players accept, then the evidence. HTML in one file, and PDF.

Black and white print stays readable: the answer is a word and an icon, the colour is only an edge.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import segno
from fpdf import FPDF
from fpdf.enums import WrapMode
from regla.rules import GAMES, Scene, Verdict, msg
from regla.rules.drawing import Arc, Disc, Label, Polygon, Segment
from regla.rules.messages import number, register

from .card import COLOURS, ICONS
from .draw import MARGIN, Box, Picture, draw
from .evidence import verdict_of
from .onpicture import on_picture
from .store import Stored

__all__ = ["Report"]

FONTS = Path(__file__).parent / "fonts"
CLOSE_UP_MM = 160.0
"""A close-up shows at least this much of the table: a hand's breadth, enough to know the place again."""


class Report:
    def __init__(
        self, stored: Stored, scene: Scene, files: Mapping[str, tuple[str, bytes]], lang: str
    ) -> None:
        self.stored, self.scene, self.files, self.lang = stored, scene, files, lang
        self.document: Mapping[str, Any] = stored.document

    def _say(self, key: str, **args: object) -> str:
        return msg(key, **args).text(self.lang)

    @cached_property
    def verdict(self) -> Verdict:
        return verdict_of(self.document, self.scene).spoken(self.lang)

    # --- pictures ----------------------------------------------------------------------------------------

    @cached_property
    def picture(self) -> Picture:
        return draw(self.scene, self.verdict, self.lang, with_card=False)

    @cached_property
    def photograph(self) -> Picture | None:
        """The first frame with the drawing on it, where the table has a camera."""
        return self._on_frame(None)

    def _on_frame(self, region_mm: Box | None) -> Picture | None:
        frames = [data for name, (_, data) in sorted(self.files.items()) if name.startswith("frames/")]
        view = self.document.get("view")
        if not frames or not view:
            return None
        return on_picture(frames[0], view, self.scene, self.verdict, self.lang, region_mm)

    @cached_property
    def close_up(self) -> Picture | None:
        box = _deciding_place(self.verdict)
        if box is None:
            return None
        drawn = draw(self.scene, self.verdict, self.lang, region_mm=box, with_card=False)
        return with_scale(drawn, box, self.scene.unit)

    @cached_property
    def close_photograph(self) -> Picture | None:
        """The deciding place in the camera's own picture."""
        box = _deciding_place(self.verdict)
        return None if box is None else self._on_frame(box)

    # --- words -------------------------------------------------------------------------------------------

    @property
    def headline(self) -> str:
        return f"{ICONS[self.verdict.answer]}  {self.verdict.headline(self.lang)}"

    def _names(self, ids: Any) -> str:
        return ", ".join(found.label if (found := self.scene.find(str(i))) else str(i) for i in ids)

    def who(self) -> str:
        names = [found.label if (found := self.scene.find(i)) else i for i in self.verdict.who]
        where = [str(w) for w in (self.verdict.band, self.verdict.arc) if w is not None]
        return "   ".join(part for part in (" → ".join(names), *where) if part)

    def facts(self) -> list[tuple[str, str]]:
        """Time, table, players: what makes the page theirs."""
        d = self.document
        game = GAMES[self.scene.game].title
        rows = [
            (self._say("report-game"), f"{game[self.lang]} · {self._say('mode-' + d['mode'])}"),
            (self._say("report-table"), str(d["table_name"])),
            (self._say("report-time"), d["created"].replace("T", " ")[:19] + " UTC"),
            (self._say("report-players"), " – ".join(d.get("players") or []) or "—"),
        ]
        if d.get("judge"):
            rows.append((self._say("report-judge"), d["judge"]))
        if d.get("note"):
            rows.append((self._say("report-note"), d["note"]))
        return rows

    def numbers(self) -> list[tuple[str, str]]:
        v, lang = self.verdict, self.lang
        rows: list[tuple[str, str]] = [(self._say("report-question"), self._question())]
        if measured := v.measured(lang):
            rows.append((self._say("report-measured"), measured))
        if v.margin is not None:
            band = "" if v.sigma is None else f" ± {number(1.96 * v.sigma, 2, lang)} mm (95 %)"
            rows.append((self._say("report-margin"), f"{number(v.margin, 2, lang)} mm{band}"))
        if v.blockers:
            rows.append((self._say("report-blockers"), self._names(v.blockers)))
        if v.ids:
            rows.append((self._say("report-ids"), self._names(v.ids)))
        grade, error = self.document.get("grade"), self.document.get("error_mm")
        if grade:
            near = "" if error is None else f" (± {number(error, 2, lang)} mm)"
            rows.append((self._say("report-grade"), f"{grade}{near}"))
        frames = sum(name.startswith("frames/") for name in self.files)
        rows.append((self._say("report-frames"), str(frames)))
        return rows

    def _question(self) -> str:
        q = dict(self.document["question"])
        query = GAMES[self.scene.game].queries.get(str(q.pop("query", "")))
        title = query.title[self.lang] if query is not None else ""
        return title + " " + ", ".join(f"{k}: {v}" for k, v in q.items() if k != "params")

    def seal(self) -> list[tuple[str, str]]:
        d = self.document
        model = ", ".join(f"{k} {str(v)[:16]}" for k, v in (d.get("model") or {}).items() if v) or "—"
        return [
            (self._say("report-number"), f"{d['id']} (#{d['seq']})"),
            (self._say("report-fingerprint"), self.stored.hash),
            (self._say("report-before"), d["prev"]),
            (self._say("report-versions"), ", ".join(f"{k} {v}" for k, v in d["versions"].items())),
            (self._say("report-model"), model),
        ]

    def _qr(self, kind: str) -> bytes:
        out = io.BytesIO()
        segno.make(f"regla:{self.stored.hash}", error="m", micro=False).save(
            out, kind=kind, scale=5, border=2
        )
        return out.getvalue()

    # --- HTML --------------------------------------------------------------------------------------------

    def html(self) -> str:
        v, lang = self.verdict, self.lang
        colour = COLOURS[v.answer]

        def rows(pairs: list[tuple[str, str]]) -> str:
            return "".join(f"<tr><th>{escape(a)}</th><td>{escape(b)}</td></tr>" for a, b in pairs)

        def items(lines: list[str]) -> str:
            return "".join(f"<li>{escape(line)}</li>" for line in lines)

        steps = [s.text(lang, v.unit) for s in v.steps]
        notes = [n.text(lang, v.unit) for n in v.notes]
        remedy = "" if v.remedy is None else f"<p>{escape(v.remedy.text(lang, v.unit))}</p>"
        photo = self.photograph
        first = f'<img alt="" src="data:image/png;base64,{_b64(photo.png())}">' if photo else self.picture.svg
        second = (
            f"<figure>{self.picture.svg}<figcaption>{escape(self._say('report-above'))}</figcaption></figure>"
            if photo
            else ""
        )
        close = ""
        if self.close_photograph is not None:
            data = _b64(self.close_photograph.png())
            close = f'<figure><img alt="" src="data:image/png;base64,{data}"></figure>'
        if self.close_up is not None:
            close += f"<figure>{self.close_up.svg}<figcaption>{escape(self._say('report-close'))}</figcaption></figure>"
        return f"""<!doctype html>
<html lang="{lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Regla · {escape(v.headline(lang))}</title><style>{STYLE}</style></head><body>
<header><span class="mark">Regla</span><span>{escape(self._say("report-title"))} {escape(str(self.document["id"]))}</span></header>
<main>
<figure class="first">{first}</figure>
<section class="card" style="border-color:{colour}"><h1>{escape(self.headline)}</h1>
<p class="who">{escape(self.who())}</p>
<p class="value">{escape(v.measured(lang) or "")}</p><p>{escape(v.text(lang))}</p>{remedy}
<p class="rules">{escape(" · ".join(v.rules))}</p></section>
<table>{rows(self.facts())}</table>
<h2>{escape(self._say("report-evidence"))}</h2>
<table>{rows(self.numbers())}</table>
{f"<ol>{items(steps)}</ol>" if steps else ""}{f"<ul>{items(notes)}</ul>" if notes else ""}
{close}{second}
<h2>{escape(self._say("report-seal"))}</h2>
<div class="seal"><img alt="QR" src="data:image/png;base64,{_b64(self._qr("png"))}"><table>{rows(self.seal())}</table></div>
<p class="small">{escape(self._say("report-verify"))}</p>
</main></body></html>
"""

    # --- PDF ---------------------------------------------------------------------------------------------

    def pdf(self) -> bytes:
        page = _Page(self)
        v, lang = self.verdict, self.lang
        page.head_line()
        page.picture((self.photograph or self.picture).png(), most_tall=118)
        page.card()
        page.rows(self.facts())
        page.add_page()
        page.heading(self._say("report-evidence"))
        page.rows(self.numbers())
        page.lines([s.text(lang, v.unit) for s in v.steps], numbered=True)
        page.lines([n.text(lang, v.unit) for n in v.notes])
        tall = 44 if self.photograph is not None else 84
        if self.close_photograph is not None:
            page.picture(self.close_photograph.png(), most_tall=tall)
        if self.close_up is not None:
            page.picture(self.close_up.png(), most_tall=tall, caption=self._say("report-close"))
        if self.photograph is not None:
            page.picture(self.picture.png(), most_tall=tall, caption=self._say("report-above"))
        page.heading(self._say("report-seal"))
        page.seal(self.seal(), self._qr("png"))
        return bytes(page.output())


class _Page(FPDF):
    """A4, DejaVu, one column."""

    def __init__(self, report: Report) -> None:
        super().__init__(format="A4")
        self._report = report
        self.set_margins(18, 16, 18)
        self.set_auto_page_break(True, margin=16)
        self.add_font("DejaVu", "", FONTS / "DejaVuSans.ttf")
        self.add_font("DejaVu", "B", FONTS / "DejaVuSans-Bold.ttf")
        self.set_title(f"Regla {report.document['id']}")
        self.set_lang("es-ES" if report.lang == "es" else "en-GB")
        self.set_creator("Regla")
        self.add_page()

    def footer(self) -> None:
        self.set_y(-12)
        self.set_font("DejaVu", "", 7)
        self.set_text_color(110)
        self.cell(0, 4, f"{self._report.stored.hash[:32]}…   {self.page_no()}", align="C")
        self.set_text_color(0)

    def head_line(self) -> None:
        self.set_font("DejaVu", "B", 13)
        self.cell(40, 8, "Regla")
        self.set_font("DejaVu", "", 9)
        said = f"{self._report._say('report-title')} {self._report.document['id']}"
        self.cell(0, 8, said, align="R", new_x="LMARGIN", new_y="NEXT")
        self.ln(1)

    def heading(self, said: str) -> None:
        if self.get_y() > 218:  # a heading stays with what it heads
            self.add_page()
        self.ln(2)
        self.set_font("DejaVu", "B", 11)
        self.cell(0, 8, said, new_x="LMARGIN", new_y="NEXT")

    def picture(self, png: bytes, most_tall: float, caption: str = "") -> None:
        from PIL import Image

        with Image.open(io.BytesIO(png)) as opened:
            image = opened.convert("RGB")
        wide = self.epw
        tall = wide * image.height / image.width
        if tall > most_tall:
            tall, wide = most_tall, most_tall * image.width / image.height
        if self.get_y() + tall > self.h - 20:
            self.add_page()
        self.image(image, x=self.l_margin + (self.epw - wide) / 2, w=wide, h=tall)
        if caption:
            self.set_font("DejaVu", "", 8)
            self.cell(0, 5, caption, align="C", new_x="LMARGIN", new_y="NEXT")
        self.ln(2)

    def card(self) -> None:
        r = self._report
        top = self.get_y() + 1
        self.set_left_margin(24)
        self.set_y(top + 2)
        self.set_font("DejaVu", "B", 17)
        self.multi_cell(0, 8, r.headline, new_x="LMARGIN", new_y="NEXT")
        for size, bold, said in (
            (10, "", r.who()),
            (11, "B", r.verdict.measured(r.lang) or ""),
            (10, "", r.verdict.text(r.lang)),
            (9, "", "" if r.verdict.remedy is None else r.verdict.remedy.text(r.lang, r.verdict.unit)),
            (8, "", " · ".join(r.verdict.rules)),
        ):
            if said:
                self.set_font("DejaVu", bold, size)
                self.multi_cell(0, size * 0.52, said, align="L", new_x="LMARGIN", new_y="NEXT")
                self.ln(0.8)
        bottom = self.get_y() + 2
        self.set_left_margin(18)
        colour = COLOURS[r.verdict.answer].lstrip("#")
        self.set_fill_color(int(colour[:2], 16), int(colour[2:4], 16), int(colour[4:], 16))
        self.rect(18, top, 2.5, bottom - top, style="F")
        self.set_draw_color(120)
        self.rect(18, top, self.epw, bottom - top)
        self.set_y(bottom + 3)

    def rows(self, pairs: list[tuple[str, str]]) -> None:
        for name, value in pairs:
            self.set_font("DejaVu", "B", 8.5)
            top = self.get_y()
            self.cell(46, 5, name)
            self.set_font("DejaVu", "", 8.5)
            self.multi_cell(0, 5, value, new_x="LMARGIN", new_y="NEXT", align="L", wrapmode=_wrap(value))
            self.set_draw_color(210)
            self.line(18, self.get_y(), 18 + self.epw, self.get_y())
            if self.get_y() < top:
                continue
        self.ln(2)

    def lines(self, said: list[str], numbered: bool = False) -> None:
        self.set_font("DejaVu", "", 8.5)
        for i, line in enumerate(said, 1):
            self.multi_cell(
                0, 4.6, f"{i}. {line}" if numbered else f"· {line}", new_x="LMARGIN", new_y="NEXT"
            )
        if said:
            self.ln(2)

    def seal(self, pairs: list[tuple[str, str]], qr: bytes) -> None:
        top = self.get_y()
        self.image(io.BytesIO(qr), x=18, y=top, w=34)
        self.set_left_margin(56)
        self.set_y(top)
        for name, value in pairs:
            self.set_font("DejaVu", "B", 7.5)
            self.cell(0, 4, name, new_x="LMARGIN", new_y="NEXT")
            self.set_font("DejaVu", "", 7.5)
            self.multi_cell(0, 4, value, new_x="LMARGIN", new_y="NEXT", align="L", wrapmode=_wrap(value))
        self.set_left_margin(18)
        self.set_y(max(self.get_y(), top + 36))
        self.set_font("DejaVu", "", 7.5)
        self.multi_cell(0, 4, self._report._say("report-verify"), new_x="LMARGIN", new_y="NEXT")


def _wrap(said: str) -> WrapMode:
    """A hash has no spaces: it breaks anywhere."""
    return WrapMode.WORD if " " in said else WrapMode.CHAR


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _deciding_place(verdict: Verdict) -> Box | None:
    """Where the length that decided ends (its farther end is mostly known), with room around it."""
    points: list[tuple[float, float]] = []
    for role in ("measure", "contact", "blocked", "blocker", "clear", "limit"):
        for shape in verdict.drawing:
            if getattr(shape, "role", None) != role or isinstance(shape, Label):
                continue
            match shape:
                case Segment(_, b):
                    points.append(b)
                case Polygon(outline):
                    points += outline[:1]
                case Arc(centre) | Disc(centre):
                    points.append(centre)
        if points:
            break
    if not points:
        return None
    x, y = points[0]
    half = CLOSE_UP_MM / 2
    return x - half * 1.5, y - half, x + half * 1.5, y + half


def with_scale(picture: Picture, region_mm: Box, unit: str) -> Picture:
    """The picture with a bar of a known length in its corner."""
    wide_px = 1400.0
    k = wide_px / (
        (region_mm[2] - region_mm[0])
        + 2 * MARGIN * max(region_mm[2] - region_mm[0], region_mm[3] - region_mm[1])
    )
    length, said = (25.4, "1 in") if unit == "in" else (20.0, "20 mm")
    bar = (
        f'<g transform="translate(40 40)"><rect x="-16" y="-14" width="{length * k + 32:.0f}" height="72" fill="#fff" '
        f'fill-opacity="0.9" stroke="#1b1b1b"/><path d="M0 16v16h{length * k:.1f}v-16" fill="none" stroke="#1b1b1b" stroke-width="5"/>'
        f'<text x="{length * k / 2:.0f}" y="20" font-size="26" text-anchor="middle" fill="#1b1b1b">{said}</text></g>'
    )
    return Picture(picture.svg.replace("</svg>", bar + "</svg>"))


STYLE = """
:root{font-family:system-ui,"DejaVu Sans",sans-serif;color:#1b1b1b;background:#fff;line-height:1.45}
body{margin:0 auto;max-width:60rem;padding:1rem}
header{display:flex;justify-content:space-between;border-bottom:2px solid #1b1b1b;padding-bottom:.3rem;margin-bottom:1rem}
.mark{font-weight:800;letter-spacing:.02em}
figure{margin:0 0 1rem}figure svg,figure img{width:100%;height:auto;display:block;border:1px solid #bbb;border-radius:6px}
figcaption{font-size:.85rem;color:#555;padding:.3rem 0}
.card{border:1px solid #999;border-left:10px solid;border-radius:6px;padding:.4rem 1.1rem;margin:0 0 1rem;break-inside:avoid}
.card h1{font-size:1.7rem;margin:.3rem 0}.card p{margin:.25rem 0}.value{font-weight:700;font-size:1.15rem}.rules{color:#555;font-size:.9rem}
table{border-collapse:collapse;width:100%;margin-bottom:1rem;font-size:.95rem}
th{text-align:left;vertical-align:top;width:11rem;padding:.25rem .6rem .25rem 0}td{padding:.25rem 0;overflow-wrap:anywhere}
tr{border-bottom:1px solid #ddd}h2{font-size:1.15rem;margin:1.4rem 0 .5rem}
.seal{display:flex;gap:1rem;align-items:flex-start;flex-wrap:wrap}.seal img{width:9rem;image-rendering:pixelated}.seal table{flex:1;min-width:18rem;font-size:.85rem}
.small{font-size:.85rem;color:#555}
@media print{h2{break-after:avoid}.first svg,.first img{max-height:115mm;width:auto;max-width:100%}}
"""

register(
    {
        "report-title": {"en": "Ruling", "es": "Fallo"},
        "report-game": {"en": "Game", "es": "Juego"},
        "report-table": {"en": "Table", "es": "Mesa"},
        "report-time": {"en": "Time", "es": "Hora"},
        "report-players": {"en": "Players", "es": "Jugadores"},
        "report-judge": {"en": "Judge", "es": "Árbitro"},
        "report-note": {"en": "Note", "es": "Nota"},
        "report-question": {"en": "Question", "es": "Pregunta"},
        "report-measured": {"en": "Measured (95 % band)", "es": "Medido (banda del 95 %)"},
        "report-margin": {"en": "Margin", "es": "Margen"},
        "report-blockers": {"en": "In the way", "es": "En medio"},
        "report-ids": {"en": "Found", "es": "Resultado"},
        "report-grade": {"en": "Calibration", "es": "Calibración"},
        "report-frames": {"en": "Pictures measured", "es": "Imágenes medidas"},
        "report-evidence": {"en": "What it rests on", "es": "En qué se apoya"},
        "report-close": {"en": "Close-up of the place that decided", "es": "Detalle del lugar que decide"},
        "report-above": {"en": "The table redrawn from above", "es": "La mesa dibujada desde arriba"},
        "report-seal": {"en": "Seal", "es": "Sello"},
        "report-number": {"en": "Number", "es": "Número"},
        "report-fingerprint": {"en": "Fingerprint (SHA-256)", "es": "Huella (SHA-256)"},
        "report-before": {"en": "Fingerprint of the ruling before", "es": "Huella del fallo anterior"},
        "report-versions": {"en": "Versions", "es": "Versiones"},
        "report-model": {"en": "Detector", "es": "Detector"},
        "report-verify": {
            "en": "Anybody can check this ruling offline: regla verify BUNDLE --fingerprint FINGERPRINT. Any change to the pictures, the measurements or the verdict changes the fingerprint.",
            "es": "Cualquiera puede comprobar este fallo sin conexión: regla verify ARCHIVO --fingerprint HUELLA. Todo cambio en las imágenes, las medidas o el veredicto cambia la huella.",
        },
        "mode-friendly": {"en": "friendly", "es": "amistoso"},
        "mode-tournament": {"en": "tournament", "es": "torneo"},
    }
)  # fmt: skip
