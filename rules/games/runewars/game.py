"""Runewars: its settings, words and phases."""

from __future__ import annotations

from ...game import Game, Input, Param, Trait

__all__ = ["FROM", "GAME", "OTHER_TO", "SLACK_MM", "TO", "UNIT"]

SLACK_MM = 1e-6
"""RW-GEO-2: the numeric slack of every closed comparison."""

GAME = Game(
    id="runewars",
    title={"en": "Runewars", "es": "Runewars"},
    unit="mm",
    params=(
        Param("base.width", "length", 63.5, {"en": "width of a tray", "es": "ancho de una bandeja"}, sure=False, least=1),
        Param("base.depth", "length", 63.5, {"en": "depth of a tray", "es": "fondo de una bandeja"}, sure=False, least=1),
        Param(
            "segments", "lengths", (100, 200, 300, 400, 500),
            {"en": "ends of the ruler's segments", "es": "finales de los segmentos de la regla"}, sure=False,
        ),
        Param(
            "arc_half_angle", "angle", 45,
            {"en": "firing arc, outward from straight ahead", "es": "arco de disparo, hacia fuera del frente"},
            sure=False, least=0, most=89,
        ),
        Param(
            "straight", "lengths", (),
            {"en": "length of the straight templates, speed 1 first", "es": "largo de las plantillas rectas, desde velocidad 1"},
            sure=False,
        ),
        Param("turn", "json", None, {"en": "turn template: its angle and radius", "es": "plantilla de giro: su ángulo y radio"}),
        Param("contact_tol", "length", 1.0, {"en": "gap that still is contact", "es": "hueco que aún es contacto"}, sure=False, least=0),
        Param("align_tol", "length", 2.0, {"en": "slide that still is aligned", "es": "desajuste que aún está alineado"}, least=0),
        Param("angle_tol", "angle", 1.0, {"en": "angle that still is parallel", "es": "ángulo que aún es paralelo"}, least=0, most=45),
        Param("ruler_width", "length", 25.0, {"en": "width of the ruler", "es": "ancho de la regla"}, sure=False, least=0),
        Param("token_margin", "length", 5.0, {"en": "tokens: how much nearer is clear", "es": "fichas: cuánto más cerca es claro"}, least=0),
    ),
    traits=(
        Trait("last-rank", {"en": "files of the incomplete last rank", "es": "columnas de la última fila incompleta"}, "1,3"),
        Trait("occupies", {"en": "stands in this terrain", "es": "ocupa este terreno"}, "terrain"),
        Trait("brutal", {"en": "Brutal", "es": "Brutal"}, "X"),
        Trait("precise", {"en": "Precise", "es": "Preciso"}, "X"),
        Trait("capacity", {"en": "capacity", "es": "Espacio"}, "N", on="terrain"),
        Trait("exposed", {"en": "Exposed", "es": "Expuesto"}, on="terrain"),
        Trait("elevated", {"en": "Elevated", "es": "Elevado"}, on="terrain"),
        Trait("arduous", {"en": "Arduous", "es": "Arduo"}, "X", on="terrain"),
        Trait("deadly", {"en": "Deadly", "es": "Mortífero"}, "X", on="terrain"),
        Trait("cover", {"en": "Cover", "es": "Cobertura"}, "X", on="terrain"),
        Trait("fortified", {"en": "Fortified", "es": "Fortificado"}, "X", on="terrain"),
    ),
    terrain_types={
        "forest": {"en": "forest", "es": "bosque"},
        "rocks": {"en": "rocks", "es": "rocas"},
        "building": {"en": "building", "es": "edificio"},
        "hill": {"en": "hill", "es": "colina"},
        "deployment-red": {"en": "red deployment zone", "es": "zona de despliegue roja"},
        "deployment-blue": {"en": "blue deployment zone", "es": "zona de despliegue azul"},
    },
    phases={
        "measure": {"en": "any time", "es": "en cualquier momento"},
        "setup": {"en": "set-up", "es": "preparación"},
        "move": {"en": "movement", "es": "movimiento"},
        "shoot": {"en": "ranged attack", "es": "ataque a distancia"},
        "fight": {"en": "melee", "es": "cuerpo a cuerpo"},
        "end": {"en": "end of the round", "es": "final de la ronda"},
    },
    bases_mm=((63.5, 63.5),),
    table_mm=(1800.0, 900.0),
)  # fmt: skip

FROM = Input("from", "piece", {"en": "from", "es": "desde"})
TO = Input("to", "piece", {"en": "to", "es": "hasta"})
UNIT = Input("unit", "piece", {"en": "unit", "es": "unidad"})
OTHER_TO = Input("to", "piece", {"en": "to", "es": "hasta"}, required=False)
