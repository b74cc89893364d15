"""Ranks and files: legal blocks, full ranks, close and line formation (T9A-FORM-1 … 4)."""

from __future__ import annotations

from ...drawing import Drawing
from ...errors import QuestionError
from ...messages import Length, Message, msg, register
from ...scene import Rect
from ...verdict import Answer, Finding
from .blocks import Unit, make_unit
from .frames import Frame, turn_between
from .numbers import FULL_RANK, LINE_FILES, SKIRMISH_GAP
from .view import View, outline, query
from .words import FROM, need

__all__: list[str] = []


@query(
    "formation-legal",
    {"en": "Is this a legal block?", "es": "¿Es un bloque legal?"},
    need("ids", "pieces", "the single models", "las miniaturas sueltas"),
    rules=("T9A-FORM-1",),
    phase="movement",
)
def formation_legal(v: View) -> Finding:
    pieces = v.a.pieces("ids")
    if not pieces:
        raise QuestionError.of("input-missing", "ids", title={"en": "the models", "es": "las miniaturas"})
    units = [make_unit(p) for p in pieces]
    for u in units:
        _ = u.facing
    worst, why = _disorder(units, v)
    holds = worst <= v.touch
    if holds and v.camera and worst > 0:
        v.note("t9a-camera-contact", d=Length(worst))
    drawing: Drawing = tuple(outline(u.boundary) for u in units)
    return Finding(
        why if why is not None and not holds else msg("t9a-block-legal", n=len(units), d=Length(worst)),
        ("T9A-FORM-1",),
        Answer.of(holds),
        margin_mm=v.touch - worst,
        drawing=drawing,
        depends=v.depends(*units),
    )


def _disorder(units: list[Unit], v: View) -> tuple[float, Message | None]:
    """How far the models are from a perfect block, in mm, and what is wrong."""
    lead = units[0]
    base = lead.piece.base
    if not isinstance(base, Rect) or any(u.piece.base != base for u in units):
        return max(lead.base[:2]), msg("t9a-block-bases")
    for u in units:
        turn = abs(turn_between(lead.facing, u.facing))
        if turn > v.parallel_deg:
            return max(lead.base[:2]), msg("t9a-block-facing", a=u.label, b=lead.label)
    gap = SKIRMISH_GAP if all("skirmisher" in u.words for u in units) else 0.0
    wide, deep = base.width + gap, base.depth + gap
    frame = Frame(lead.centre, lead.facing, base.width, base.depth)
    spots = [(*frame.own(u.centre), u) for u in units]
    top = max(y for _, y, _ in spots)
    worst, why = 0.0, None
    ranks: dict[int, list[tuple[float, Unit]]] = {}
    for x, y, u in spots:
        rank = round((top - y) / deep)
        off = abs(top - y - rank * deep)
        if off > worst:
            worst, why = off, msg("t9a-block-rank", a=u.label, d=Length(off))
        ranks.setdefault(rank, []).append((x, u))
    front = sorted(ranks[0], key=lambda s: s[0])
    files = [front[0][0] + i * wide for i in range(len(front))]
    for (x, u), file in zip(front, files, strict=True):
        if abs(x - file) > worst:
            worst, why = abs(x - file), msg("t9a-block-side", a=u.label, d=Length(abs(x - file)))
    last = max(ranks)
    for rank in range(1, last + 1):
        row = ranks.get(rank, [])
        taken: set[int] = set()
        for x, u in row:
            k = min(range(len(files)), key=lambda i: abs(files[i] - x))
            off = abs(files[k] - x) if k not in taken else wide
            taken.add(k)
            if off > worst:
                worst, why = off, msg("t9a-block-file", a=u.label, d=Length(off))
        if rank < last and len(taken) < len(files) and worst < min(wide, deep):
            worst, why = min(wide, deep), msg("t9a-block-hole", rank=rank + 1)
    return worst, why


def _ranked(v: View) -> Unit:
    """The unit, if it is known which way its ranks run."""
    unit = v.unit()
    _ = unit.frame
    return unit


@query(
    "formation",
    {"en": "Close or line formation?", "es": "¿Formación cerrada o en línea?"},
    FROM,
    rules=("T9A-FORM-3",),
    phase="melee",
)
def formation(v: View) -> Finding:
    u = _ranked(v)
    n = u.rank_sizes()[0]
    return Finding(
        msg("t9a-line" if u.line else "t9a-close", a=u.label, n=n, limit=LINE_FILES),
        ("T9A-FORM-3",),
        band="line" if u.line else "close",
        drawing=(outline(u.boundary),),
        depends=frozenset(),
    )


@query(
    "full-ranks",
    {"en": "How many full ranks?", "es": "¿Cuántas filas completas?"},
    FROM,
    rules=("T9A-FORM-2",),
    phase="melee",
)
def full_ranks(v: View) -> Finding:
    u = _ranked(v)
    return Finding(
        msg("t9a-full-ranks", a=u.label, n=u.full_ranks, ranks=u.rank_sizes(), need=FULL_RANK[u.height]),
        ("T9A-FORM-2",),
        value=float(u.full_ranks),
        kind="count",
        drawing=(outline(u.boundary),),
        notes=(msg("t9a-light-ranks"),) if u.most_are("light-troops") else (),
        depends=frozenset(),
    )


@query(
    "rank-bonus",
    {"en": "Which rank bonus?", "es": "¿Qué bonificador por filas?"},
    FROM,
    rules=("T9A-FORM-2", "T9A-FORM-3", "T9A-FORM-4"),
    phase="melee",
)
def rank_bonus(v: View) -> Finding:
    u = _ranked(v)
    key = "t9a-bonus-line" if u.line else "t9a-bonus"
    return Finding(
        msg(key, a=u.label, n=u.rank_bonus, full=u.full_ranks),
        ("T9A-FORM-2", "T9A-FORM-3", "T9A-FORM-4"),
        value=float(u.rank_bonus),
        kind="count",
        drawing=(outline(u.boundary),),
        depends=frozenset(),
    )


register(
    {
        "t9a-camera-contact": {
            "en": "Read as contact although the camera sees a gap of {d}: bases edge to edge are never exact in a picture.",
            "es": "Se lee como contacto aunque la cámara ve un hueco de {d}: dos peanas juntas nunca salen exactas en una imagen.",
        },
        "t9a-block-legal": {
            "en": "The {n} models form a legal block; the worst stands {d} off its place.",
            "es": "Las {n} miniaturas forman un bloque legal; la peor está a {d} de su sitio.",
        },
        "t9a-block-bases": {
            "en": "A block needs equal rectangular bases.",
            "es": "Un bloque necesita peanas rectangulares iguales.",
        },
        "t9a-block-facing": {
            "en": "{a} and {b} do not face the same way.",
            "es": "{a} y {b} no miran hacia el mismo lado.",
        },
        "t9a-block-rank": {"en": "{a} stands {d} out of its rank.", "es": "{a} está a {d} de su fila."},
        "t9a-block-side": {
            "en": "{a} is {d} from touching its neighbour in the front rank.",
            "es": "{a} está a {d} de tocar a su vecina en la fila frontal.",
        },
        "t9a-block-file": {
            "en": "{a} does not stand squarely behind a model: {d} out of its file.",
            "es": "{a} no está justo detrás de una miniatura: a {d} de su columna.",
        },
        "t9a-block-hole": {
            "en": "Rank {rank} has a hole; only the last rank may be incomplete.",
            "es": "La fila {rank} tiene un hueco; solo la última puede estar incompleta.",
        },
        "t9a-line": {
            "en": "{a} has {n} models in its front rank; {limit} or more is line formation.",
            "es": "{a} tiene {n} miniaturas en la fila frontal; {limit} o más es formación en línea.",
        },
        "t9a-close": {
            "en": "{a} has {n} models in its front rank, fewer than {limit}: close formation.",
            "es": "{a} tiene {n} miniaturas en la fila frontal, menos de {limit}: formación cerrada.",
        },
        "t9a-full-ranks": {
            "en": "{a}: ranks of {ranks}; {need} models make a rank full: {n} full.",
            "es": "{a}: filas de {ranks}; con {need} miniaturas la fila está completa: {n} completas.",
        },
        "t9a-light-ranks": {
            "en": "More than half are light troops: they never have full ranks.",
            "es": "Más de la mitad son tropas ligeras: nunca tienen filas completas.",
        },
        "t9a-bonus": {
            "en": "{a} has {full} full ranks: one less, at most 3, gives +{n}.",
            "es": "{a} tiene {full} filas completas: una menos, como mucho 3, da +{n}.",
        },
        "t9a-bonus-line": {
            "en": "{a} is in line formation ({full} full ranks): no rank bonus (+{n}).",
            "es": "{a} está en formación en línea ({full} filas completas): sin bonificador por filas (+{n}).",
        },
    }
)
