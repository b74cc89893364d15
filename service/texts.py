"""What the service itself says to people, in both languages."""

from __future__ import annotations

from regla.rules.messages import register

register(
    {
        "no-such-table": {"en": "There is no table {id}; there are: {known}.", "es": "No hay mesa {id}; hay: {known}."},
        "no-such-piece": {"en": "There is no piece {id} on this table.", "es": "No hay ninguna pieza {id} en esta mesa."},
        "no-such-ruling": {"en": "There is no ruling {id}.", "es": "No hay ningún fallo {id}."},
        "no-such-game": {"en": "There is no game {got}; there are: {known}.", "es": "No existe el juego {got}; hay: {known}."},
        "no-such-sample": {"en": "There is no sample {got}; there are: {known}.", "es": "No existe el ejemplo {got}; hay: {known}."},
        "no-picture": {"en": "This table has no picture: it was made from a document.", "es": "Esta mesa no tiene imagen: se hizo a partir de un documento."},
        "too-many-tables": {"en": "There are {most} tables already; close one first.", "es": "Ya hay {most} mesas; cierre una primero."},
        "bad-table-id": {"en": "expected letters, digits, - or _ (at most 40), got {got}", "es": "se esperaban letras, cifras, - o _ (40 como mucho), hay {got}"},
        "table-exists": {"en": "There is a table {id} already.", "es": "Ya hay una mesa {id}."},
        "nothing-to-undo": {"en": "There is nothing to undo.", "es": "No hay nada que deshacer."},
        "nothing-to-redo": {"en": "There is nothing to redo.", "es": "No hay nada que rehacer."},
        "edit-what": {
            "en": "expected do: correct, remove, merge, split or terrain; got {got}",
            "es": "se esperaba do: correct, remove, merge, split o terrain; hay {got}",
        },
        "edit-fields": {"en": "{got} cannot be set by hand; these can: {known}", "es": "{got} no se puede fijar a mano; sí: {known}"},
        "merge-two": {"en": "Choose at least two pieces to merge.", "es": "Elija al menos dos piezas para unirlas."},
        "merge-base": {
            "en": "Pieces can be merged when each stands on the table and the first has a base.",
            "es": "Se pueden unir piezas que estén en la mesa; la primera debe tener peana.",
        },
        "split-unit": {"en": "{who} is not a unit of several bases.", "es": "{who} no es una unidad de varias peanas."},
        "not-settled": {
            "en": "The table is not settled ({word}): wait until nothing moves, then freeze again.",
            "es": "La mesa no está quieta ({word}): espere a que nada se mueva y congele de nuevo.",
        },
        "upload-too-large": {"en": "The picture has over {most} MB.", "es": "La imagen pasa de {most} MB."},
        "upload-no-picture": {"en": "That file is not a picture that can be read.", "es": "Ese archivo no es una imagen que se pueda leer."},
        "source-refused": {
            "en": "{got} is not an address that can be opened from the page: give a device number, or an rtsp, rtsps, http or https address.",
            "es": "{got} no se puede abrir desde la página: indique un número de cámara o una dirección rtsp, rtsps, http o https.",
        },
        "still-only": {"en": "Only a table without a camera takes a whole scene.", "es": "Solo una mesa sin cámara admite una escena completa."},
        "live-only": {"en": "This table has no camera.", "es": "Esta mesa no tiene cámara."},
        "host-unknown": {
            "en": "This service does not answer to the name {host}. Use its address, or add the name to allowed_hosts.",
            "es": "Este servicio no responde al nombre {host}. Use su dirección o añada el nombre a allowed_hosts.",
        },
        "origin-foreign": {
            "en": "Refused: the request comes from a page of another site.",
            "es": "Rechazado: la petición viene de una página de otro sitio.",
        },
        "token-needed": {
            "en": "A token is needed from another device: open the link or the QR code under Share.",
            "es": "Desde otro dispositivo hace falta un código: abra el enlace o el QR de Compartir.",
        },
        "token-read-only": {
            "en": "This link may only look. Changing things needs the full link under Share.",
            "es": "Este enlace solo permite mirar. Para cambiar algo hace falta el enlace completo de Compartir.",
        },
        "forbidden-measuring": {
            "en": "{game} forbids this in advance: it is off in tournament mode.",
            "es": "{game} prohíbe hacerlo por adelantado: desactivado en modo torneo.",
        },
        "table-size-needed": {"en": "Give the width and depth of the table.", "es": "Indique el ancho y el fondo de la mesa."},
        "calibrate-first": {"en": "Calibrate first: there is nothing to check yet.", "es": "Calibre primero: aún no hay nada que comprobar."},
        "qr-too-long": {"en": "A QR code takes at most {most} characters here.", "es": "Un código QR admite aquí {most} caracteres como mucho."},
        "bundle-broken": {"en": "{what} in the bundle is missing or cannot be read.", "es": "{what} falta en el archivo o no se puede leer."},
    }
)  # fmt: skip
