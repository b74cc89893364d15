"""Everything calibration says to a person, in English and in Spanish.

A message says what is wrong (or what was found), where, and what to do next. Keys are stable; texts are not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

LANGUAGES: Final = ("en", "es")

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "length-unreadable": (
        "“{got}” cannot be read. Write a length as 12in, 304.8mm or 4ft, a size as 72x48in, a pixel as x,y.",
        "No se entiende «{got}». Escribe una longitud como 12in, 304.8mm o 4ft, un tamaño como 72x48in, un píxel "
        "como x,y.",
    ),
    # -- errors: the picture ------------------------------------------------------------------------------
    "calibration-failed": (
        "The table could not be calibrated: {reason}. Take another picture and try again.",
        "No se pudo calibrar la mesa: {reason}. Toma otra foto e inténtalo de nuevo.",
    ),
    "picture-unusable": (
        "This picture cannot be used: {reason}. Take another one.",
        "Esta imagen no sirve: {reason}. Toma otra.",
    ),
    "picture-too-small": (
        "The picture is only {width} × {height} px; at least {least} px a side are needed. "
        "Set the camera to 1280 × 720 or more.",
        "La imagen mide solo {width} × {height} px; hacen falta al menos {least} px por lado. "
        "Pon la cámara a 1280 × 720 o más.",
    ),
    "picture-too-large": (
        "The picture has {megapixels:.0f} megapixels; at most {most:.0f} can be handled. "
        "Scale it down to 8000 px or less on its long side.",
        "La imagen tiene {megapixels:.0f} megapíxeles; se admiten {most:.0f} como máximo. "
        "Redúcela a 8000 px o menos en su lado largo.",
    ),
    "picture-unreadable": (
        "{name} is not a picture that can be read: {reason}. Use a JPEG or PNG file.",
        "{name} no es una imagen legible: {reason}. Usa un archivo JPEG o PNG.",
    ),
    "picture-blurred": (
        "The picture is blurred or was taken in motion (edges {width_px:.1f} px wide, at most {most_px:.1f}). "
        "Let the camera come to rest, lock its focus, add light, and take it again.",
        "La imagen está borrosa o movida (bordes de {width_px:.1f} px; se admiten {most_px:.1f}). "
        "Deja quieta la cámara, fija el enfoque, añade luz y repite la toma.",
    ),
    "picture-mirrored": (
        "The picture is mirrored: the sheets can only be read when it is flipped back. "
        "Switch off “mirror” or “selfie” mode in the camera's settings.",
        "La imagen está reflejada: las hojas solo se leen al darle la vuelta. "
        "Desactiva el modo «espejo» o «selfi» de la cámara.",
    ),
    # -- errors: the sheets -------------------------------------------------------------------------------
    "markers-unusable": (
        "The sheets on the table cannot be used: {reason}. Lay them flat and in full view.",
        "Las hojas de la mesa no sirven: {reason}. Ponlas planas y a la vista.",
    ),
    "no-markers": (
        "No sheet was found. Print them with “regla print markers”, lay them flat, face up, one near each "
        "corner, with the whole white rim in view and no glare on them.",
        "No se encontró ninguna hoja. Imprímelas con «regla print markers» y ponlas planas, boca arriba, una "
        "cerca de cada esquina, con todo el borde blanco a la vista y sin reflejos.",
    ),
    "too-few-markers": (
        "Only sheet {found} was found; {least} are needed. Missing: {missing}. "
        "Look whether something covers it, whether it lies face down, or whether light glares on it.",
        "Solo se encontró la hoja {found}; hacen falta {least}. Falta: {missing}. "
        "Mira si algo la tapa, si está boca abajo o si tiene un reflejo.",
    ),
    "marker-twice": (
        "Sheet {id} lies on the table twice (at {places}). Take one of the two away.",
        "La hoja {id} está dos veces en la mesa (en {places}). Quita una de las dos.",
    ),
    "markers-swapped": (
        "Sheets {ids} have changed places. Seen from your side of the table the order is 0 near left, "
        "1 near right, 2 far right, 3 far left: swap them.",
        "Las hojas {ids} están cambiadas de sitio. Desde tu lado de la mesa el orden es 0 cerca a la izquierda, "
        "1 cerca a la derecha, 2 lejos a la derecha, 3 lejos a la izquierda: intercámbialas.",
    ),
    "marker-turned": (
        "Sheet {id} is turned by {degrees:.0f}° against the place that was given. "
        "Turn it so that its arrow points away from you, or measure its place again.",
        "La hoja {id} está girada {degrees:.0f}° respecto al sitio indicado. "
        "Gírala para que su flecha apunte lejos de ti, o vuelve a medir su sitio.",
    ),
    "marker-moved": (
        "Sheet {id} lies {mm:.1f} mm away from its place. Put it back, or calibrate with “anywhere” so that "
        "places are measured anew.",
        "La hoja {id} está a {mm:.1f} mm de su sitio. Devuélvela a él, o calibra con «anywhere» para medir "
        "los sitios de nuevo.",
    ),
    "wrong-size": (
        "Sheet {id} measures {found_mm:.1f} mm, not {expected_mm:.1f} mm. Print at 100 % (“actual size”), or "
        "measure the black square and give its side with --side.",
        "La hoja {id} mide {found_mm:.1f} mm, no {expected_mm:.1f} mm. Imprime al 100 % («tamaño real»), o mide "
        "el cuadrado negro e indica su lado con --side.",
    ),
    # -- errors: geometry ---------------------------------------------------------------------------------
    "geometry-unusable": (
        "These points cannot be a table: {reason}. Click the four corners again.",
        "Estos puntos no pueden ser una mesa: {reason}. Marca otra vez las cuatro esquinas.",
    ),
    "degenerate": (
        "The points do not span an area: {reason}. Choose four corners that are far apart, no three in a line.",
        "Los puntos no abarcan un área: {reason}. Elige cuatro esquinas alejadas, sin tres en línea.",
    ),
    "mirrored": (
        "The corners run the wrong way round. Click them in this order: near left, near right, far right, "
        "far left. If you did, the camera mirrors its picture: switch that off.",
        "Las esquinas van en sentido contrario. Márcalas en este orden: cerca izquierda, cerca derecha, lejos "
        "derecha, lejos izquierda. Si ya lo hiciste, la cámara refleja la imagen: desactívalo.",
    ),
    "sides-swapped": (
        "The picture shows {seen}, but {given} was given: width and depth are exchanged. "
        "The width is the side along which you sit.",
        "La imagen muestra {seen}, pero se indicó {given}: ancho y fondo están cambiados. "
        "El ancho es el lado junto al que te sientas.",
    ),
    "does-not-fit": (
        "The points do not fit a flat table of that size ({residual_px:.1f} px off, {most_px:.1f} allowed). "
        "Check the size, lay the sheets flat, keep the camera still (a moving camera skews its picture), "
        "and calibrate the lens.",
        "Los puntos no encajan en una mesa plana de ese tamaño ({residual_px:.1f} px de error, se admiten "
        "{most_px:.1f}). Comprueba el tamaño, aplana las hojas, no muevas la cámara (en movimiento deforma la "
        "imagen) y calibra la lente.",
    ),
    "mat-not-found": (
        "The edges of the mat were not found. Choose a picture in which all four edges are in view and stand "
        "out from what lies below, or click its corners.",
        "No se encontraron los bordes del tapete. Elige una imagen en la que se vean los cuatro y destaquen del "
        "fondo, o marca sus esquinas.",
    ),
    # -- errors: the lens ---------------------------------------------------------------------------------
    "lens-unusable": (
        "The lens could not be calibrated: {reason}. Take new pictures of the ChArUco board.",
        "No se pudo calibrar la lente: {reason}. Toma nuevas fotos del tablero ChArUco.",
    ),
    "too-few-views": (
        "{found} usable pictures of the board, at least {least} are needed. Still missing: {missing}.",
        "{found} fotos útiles del tablero; hacen falta al menos {least}. Todavía faltan: {missing}.",
    ),
    "board-not-found": (
        "The board was not found in {name}. Show at least a quarter of it, sharp and evenly lit.",
        "No se encontró el tablero en {name}. Muestra al menos un cuarto, nítido y con luz uniforme.",
    ),
    "lens-mismatch": (
        "The lens was calibrated at {lens} px, the picture has {picture} px and another shape. "
        "Calibrate the lens in the camera mode that you play with.",
        "La lente se calibró a {lens} px; la imagen tiene {picture} px y otra proporción. "
        "Calibra la lente en el modo de cámara con el que juegas.",
    ),
    # -- errors: hexes, boards, documents -----------------------------------------------------------------
    "lattice-unusable": (
        "No hex grid fits: {reason}. Uncover more of the board, or give the hex size.",
        "Ninguna cuadrícula hexagonal encaja: {reason}. Destapa más tablero o indica el tamaño del hexágono.",
    ),
    "board-unusable": (
        "The board could not be placed: {reason}. Click its four corners again, near left first.",
        "No se pudo colocar el tablero: {reason}. Marca de nuevo sus cuatro esquinas, primero cerca izquierda.",
    ),
    "check-unusable": (
        "The check could not be made: {reason}. Lay the bar flat (“regla print check”), or give two points and "
        "their distance.",
        "No se pudo hacer el control: {reason}. Pon la barra plana («regla print check»), o indica dos puntos y su "
        "distancia.",
    ),
    "document-unusable": (
        "{name} is not a calibration document that can be used: {reason}. Calibrate again, or choose another file.",
        "{name} no es un documento de calibración utilizable: {reason}. Calibra de nuevo o elige otro archivo.",
    ),
    # -- grades and advice --------------------------------------------------------------------------------
    "grade-gold": (
        "gold: fit for disputes down to 1 mm",
        "oro: apto para disputas de hasta 1 mm",
    ),
    "grade-silver": (
        "silver: as good as a careful hand with a tape (2.5 mm)",
        "plata: tan bueno como una mano cuidadosa con cinta (2,5 mm)",
    ),
    "grade-bronze": (
        "bronze: good for friendly games (6 mm)",
        "bronce: bueno para partidas amistosas (6 mm)",
    ),
    "grade-unfit": (
        "not fit for disputes",
        "no apto para disputas",
    ),
    "advice-lens": (
        "Calibrate the lens: “regla print charuco”, then “regla calibrate lens”.",
        "Calibra la lente: «regla print charuco» y después «regla calibrate lens».",
    ),
    "advice-aim": (
        "Part of the table is out of the picture: raise the camera or turn it.",
        "Parte de la mesa queda fuera de la imagen: sube la cámara o gírala.",
    ),
    "advice-sheet-0": (
        "Lay sheet 0 near left, in full view.",
        "Pon la hoja 0 cerca a la izquierda, bien visible.",
    ),
    "advice-sheet-1": (
        "Lay sheet 1 near right, in full view.",
        "Pon la hoja 1 cerca a la derecha, bien visible.",
    ),
    "advice-sheet-2": (
        "Lay sheet 2 far right, in full view.",
        "Pon la hoja 2 lejos a la derecha, bien visible.",
    ),
    "advice-sheet-3": (
        "Lay sheet 3 far left, in full view.",
        "Pon la hoja 3 lejos a la izquierda, bien visible.",
    ),
    "advice-overhead": (
        "Hang the camera more directly above the table: now it looks at a slant.",
        "Cuelga la cámara más encima de la mesa: ahora mira muy inclinada.",
    ),
    "advice-span": (
        "Measure between the centres of two sheets with a tape and give it with --span, or lay the cut sheets flush "
        "into the corners (--layout corners).",
        "Mide con cinta entre los centros de dos hojas e indícalo con --span, o encaja las hojas recortadas en las "
        "esquinas (--layout corners).",
    ),
    "advice-resolution": (
        "Use a finer picture: a higher camera resolution, or a camera that is nearer.",
        "Usa una imagen más fina: más resolución o la cámara más cerca.",
    ),
    # -- guidance for the lens ----------------------------------------------------------------------------
    "guide-top-left": (
        "the board in the top left of the picture",
        "el tablero arriba a la izquierda de la imagen",
    ),
    "guide-top-right": (
        "the board in the top right of the picture",
        "el tablero arriba a la derecha de la imagen",
    ),
    "guide-bottom-left": (
        "the board in the bottom left of the picture",
        "el tablero abajo a la izquierda de la imagen",
    ),
    "guide-bottom-right": (
        "the board in the bottom right of the picture",
        "el tablero abajo a la derecha de la imagen",
    ),
    "guide-tilt-left": ("the board turned to the left", "el tablero girado a la izquierda"),
    "guide-tilt-right": ("the board turned to the right", "el tablero girado a la derecha"),
    "guide-tilt-away": ("the board tilted up", "el tablero inclinado hacia arriba"),
    "guide-tilt-near": ("the board tilted down", "el tablero inclinado hacia abajo"),
    "guide-closer": ("the board close up", "el tablero de cerca"),
    "guide-more": ("a few more views, each different", "algunas vistas más, todas distintas"),
    "frame-taken": ("Taken.", "Tomada."),
    "frame-no-board": ("No board in view.", "No se ve el tablero."),
    "frame-blurred": (
        "Blurred: more light, or wait for the focus.",
        "Borrosa: más luz, o espera al enfoque.",
    ),
    "frame-moving": ("Hold still.", "No te muevas."),
    "frame-known": ("Seen already: move or tilt the board.", "Ya vista: mueve o inclina el tablero."),
    # -- reasons, the second half of a sentence -----------------------------------------------------------
    "reason-in-a-line": ("they lie in a line", "están en línea"),
    "reason-no-camera": ("no camera sees them so", "ninguna cámara los ve así"),
    "reason-corner-missing": ("a corner is missing", "falta una esquina"),
    "reason-crossing": (
        "its sides cross; go around the table corner by corner",
        "sus lados se cruzan; recorre la mesa esquina por esquina",
    ),
    "reason-same-corner": (
        "three corners lie in a line, or two are the same",
        "tres esquinas están en línea o dos son la misma",
    ),
    "reason-table-size": ("the size of the table is missing", "falta el tamaño de la mesa"),
    "reason-views-disagree": (
        "the pictures disagree by {px:.1f} px; the board must be flat and still",
        "las fotos discrepan en {px:.1f} px; el tablero debe estar plano y quieto",
    ),
    "reason-sizes-differ": (
        "the pictures are not all of one size ({sizes} px)",
        "las fotos no son todas del mismo tamaño ({sizes} px)",
    ),
    "reason-field": ("the field {field} is missing", "falta el campo {field}"),
    "reason-not-json": ("it is not JSON ({detail})", "no es JSON ({detail})"),
    "reason-kind": (
        "expected the kind “{wanted}”, got “{got}”",
        "se esperaba el tipo «{wanted}», hay «{got}»",
    ),
    "reason-version": ("expected version {wanted}, got {got}", "se esperaba la versión {wanted}, hay {got}"),
    "reason-value": ("{detail}", "{detail}"),
    "reason-closed": ("it cannot be opened ({detail})", "no se puede abrir ({detail})"),
    "reason-decode": (
        "its content is damaged or of another kind",
        "su contenido está dañado o es de otro tipo",
    ),
    "reason-few-hexes": (
        "only {found} hexes agree on one, at least {least} must",
        "solo {found} hexágonos concuerdan; hacen falta {least}",
    ),
    "reason-no-grid": (
        "no lines repeat like hexes in this part",
        "ninguna línea se repite como hexágonos aquí",
    ),
    "reason-board-size": (
        "the corners are {off_mm:.0f} mm off a board of {width:.0f} × {depth:.0f} mm",
        "las esquinas difieren {off_mm:.0f} mm de un tablero de {width:.0f} × {depth:.0f} mm",
    ),
    "reason-board-mirrored": ("its corners run the wrong way round", "sus esquinas van en sentido contrario"),
    "reason-board-faults": ("{faults}", "{faults}"),
    "reason-no-check": (
        "the check bar (squares 8 and 9) is not in view, and no two points were given",
        "la barra de control (cuadrados 8 y 9) no se ve, y no se indicaron dos puntos",
    ),
    "fault-space-twice": ("the space {name} is there twice", "el espacio {name} está dos veces"),
    "fault-space-points": (
        "the space {name} needs at least three corners and an area",
        "el espacio {name} necesita al menos tres esquinas y un área",
    ),
    "fault-space-crosses": ("the outline of {name} crosses itself", "el contorno de {name} se cruza"),
    # -- the terminal -------------------------------------------------------------------------------------
    "wrote": ("Wrote {path}.", "Escrito {path}."),
    "print-next": (
        "Print it at 100 % (actual size) and lay a ruler on its line: 100 mm.",
        "Imprímelo al 100 % (tamaño real) y pon una regla sobre su línea: 100 mm.",
    ),
    "label-grade": ("grade", "nivel"),
    "label-error": ("95 % error over the table", "error al 95 % en la mesa"),
    "label-error-value": (
        "{median:.2f} mm typical, {p95:.2f} mm at most places",
        "{median:.2f} mm típico, {p95:.2f} mm en casi toda la mesa",
    ),
    "label-table": ("table", "mesa"),
    "label-table-given": ("as given", "según lo indicado"),
    "label-table-measured": ("measured from the sheets", "medida con las hojas"),
    "label-camera": ("camera", "cámara"),
    "label-camera-value": (
        "{height:.0f} mm above the table, {tilt:.0f}° from straight down",
        "a {height:.0f} mm sobre la mesa, {tilt:.0f}° de la vertical",
    ),
    "label-lens": ("lens", "lente"),
    "label-lens-guessed": ("guessed: nobody has calibrated it", "supuesta: nadie la ha calibrado"),
    "label-lens-calibrated": ("calibrated", "calibrada"),
    "label-lens-given": ("given", "indicada"),
    "label-sheets": ("sheets", "hojas"),
    "label-residual": ("corners fit to", "ajuste de las esquinas"),
    "label-views": ("views", "vistas"),
    "label-rms": ("error on these views", "error en estas vistas"),
    "label-held-out": ("error on views held out", "error en vistas reservadas"),
    "label-focal": ("focal length", "distancia focal"),
    "label-missing": ("would still help", "aún ayudaría"),
    "label-left-out": ("left out", "descartadas"),
    "label-made": ("made", "hecha"),
    "label-hexes": (
        "hex {orientation}, {across:.2f} mm across, turned by {angle:.2f}°, {count} hexes, off by {rms:.2f} mm",
        "hexágono {orientation}, {across:.2f} mm entre lados, girado {angle:.2f}°, {count} hexágonos, error {rms:.2f} mm",
    ),
    "hex-pointy": ("point up", "con la punta arriba"),
    "hex-flat": ("flat side up", "con el lado arriba"),
    "lens-looking": ("Looking for the board…", "Buscando el tablero…"),
    "lens-show": ("Show: {what}.", "Muestra: {what}."),
    "lens-source-silent": ("The camera gives no picture.", "La cámara no da imagen."),
    "nothing-changed": ("Nothing differs.", "No hay diferencias."),
    "map-title": ("95 % error in mm", "error al 95 % en mm"),
    # -- drift and checks ---------------------------------------------------------------------------------
    "drift-still": ("The camera has not moved.", "La cámara no se ha movido."),
    "drift-covered": (
        "The sheets are covered; nothing can be said about the camera until one is in view again.",
        "Las hojas están tapadas; no se sabe nada de la cámara hasta que se vea alguna.",
    ),
    "drift-camera-moved": (
        "The camera moved by {mm:.1f} mm: verdicts are suspended. Take the hands off the table and recalibrate.",
        "La cámara se movió {mm:.1f} mm: veredictos en pausa. Retirad las manos de la mesa y recalibrad.",
    ),
    "drift-sheet-moved": (
        "Sheet {ids} moved by {mm:.1f} mm: verdicts are suspended. Put it back, or recalibrate.",
        "La hoja {ids} se movió {mm:.1f} mm: veredictos en pausa. Devuélvela a su sitio o recalibrad.",
    ),
    "check-passed": (
        "{length:.1f} mm measured as {measured:.2f} mm: off by {error:+.2f} mm, within the ± {band:.2f} mm claimed.",
        "{length:.1f} mm medidos como {measured:.2f} mm: error de {error:+.2f} mm, dentro de los ± {band:.2f} mm "
        "declarados.",
    ),
    "check-failed": (
        "{length:.1f} mm measured as {measured:.2f} mm: off by {error:+.2f} mm, more than the ± {band:.2f} mm claimed. "
        "Check that the sheets were printed at 100 %, that they lie flat, and calibrate the lens.",
        "{length:.1f} mm medidos como {measured:.2f} mm: error de {error:+.2f} mm, más que los ± {band:.2f} mm "
        "declarados. Comprueba que las hojas se imprimieron al 100 % y están planas, y calibra la lente.",
    ),
    "advice-check": (
        "The last check did not fit: print at 100 %, lay the sheets flat, calibrate the lens, check again.",
        "El último control no encajó: imprime al 100 %, aplana las hojas, calibra la lente y repite el control.",
    ),
}


@dataclass(frozen=True)
class Phrase:
    """A part of a sentence that is itself in the catalogue, to be said in the language of the whole."""

    key: str
    values: dict[str, Any] = field(default_factory=dict)


def phrase(key: str, **values: Any) -> Phrase:
    return Phrase(key, values)


def say(key: str, language: str = "en", **values: Any) -> str:
    """The message `key` in a language; an unknown language falls back to English.

    >>> say("degenerate", "es", reason=phrase("reason-in-a-line")).split(".")[0]
    'Los puntos no abarcan un área: están en línea'
    """
    english, spanish = MESSAGES[key]
    said = {k: say(v.key, language, **v.values) if isinstance(v, Phrase) else v for k, v in values.items()}
    return (spanish if language == "es" else english).format(**said)
