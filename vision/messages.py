"""Everything that the camera side says to a person, in English and in Spanish."""

from __future__ import annotations

from regla.rules.messages import register

__all__ = ["REGISTERED", "STATUS_KEYS"]

STATUS_KEYS = {
    "settled": "status-settled",
    "moving": "status-moving",
    "hand": "status-hand",
    "waiting": "status-waiting",
    "drift": "status-drift",
    "dark": "status-dark",
    "uncalibrated": "status-uncalibrated",
    "no-table": "status-no-table",
}

register(
    {
        "status-settled": {"en": "settled", "es": "mesa quieta"},
        "status-moving": {"en": "moving", "es": "en movimiento"},
        "status-hand": {"en": "hand over the table", "es": "mano sobre la mesa"},
        "status-waiting": {"en": "waiting for the camera ({s} s)", "es": "esperando a la cámara ({s} s)"},
        "status-drift": {"en": "camera moved: recalibrate", "es": "la cámara se movió: recalibrar"},
        "status-dark": {"en": "picture too dark", "es": "imagen demasiado oscura"},
        "status-uncalibrated": {"en": "not calibrated", "es": "sin calibrar"},
        "status-no-table": {"en": "no table in view", "es": "no se ve la mesa"},
        "see-failed": {"en": "{why}", "es": "{why}"},
        "see-source": {
            "en": "{name} gives no picture: {why}. Check the cable or the address, then try again.",
            "es": "{name} no da imagen: {why}. Compruebe el cable o la dirección e inténtelo de nuevo.",
        },
        "see-address": {
            "en": "{name} is not an address that can be opened. Give a device number (0, 1, …), an rtsp, rtsps, http or "
            "https address, or the path of a picture, a folder or a clip.",
            "es": "{name} no es una dirección que se pueda abrir. Dé un número de cámara (0, 1, …), una dirección rtsp, rtsps, "
            "http o https, o la ruta de una imagen, una carpeta o un vídeo.",
        },
        "see-missing": {
            "en": "{name} is not there. Check the path; a camera is named by its number.",
            "es": "{name} no existe. Compruebe la ruta; una cámara se nombra por su número.",
        },
        "see-lost": {
            "en": "{name} stopped giving pictures. Check that it is plugged in and that no other program uses it; Regla keeps "
            "trying.",
            "es": "{name} ha dejado de dar imágenes. Compruebe que está conectada y que ningún otro programa la usa; Regla "
            "seguirá intentándolo.",
        },
        "see-frozen": {
            "en": "The picture has not changed at all for {s} s: the camera hangs. Unplug it and plug it in again.",
            "es": "La imagen no ha cambiado nada en {s} s: la cámara está colgada. Desenchúfela y vuelva a enchufarla.",
        },
        "see-picture": {"en": "{name} cannot be used: {why}.", "es": "{name} no se puede usar: {why}."},
        "see-unreadable": {
            "en": "{name} is not a picture that can be read: it is damaged or of an unknown kind. Use a JPEG or PNG file.",
            "es": "{name} no es una imagen legible: está dañada o es de un tipo desconocido. Use un archivo JPEG o PNG.",
        },
        "see-too-small": {
            "en": "{name} is only {width} × {height} px; at least {least} px a side are needed. Set the camera to 1280 × 720 "
            "or more.",
            "es": "{name} mide solo {width} × {height} px; hacen falta al menos {least} px por lado. Ponga la cámara a "
            "1280 × 720 o más.",
        },
        "see-too-large": {
            "en": "{name} has {megapixels} megapixels; at most {most} can be handled. Scale it down to 8000 px or less on its "
            "long side.",
            "es": "{name} tiene {megapixels} megapíxeles; se admiten {most} como máximo. Redúzcala a 8000 px o menos en su "
            "lado largo.",
        },
        "see-dark": {
            "en": "The picture is too dark to measure in. Take off the lens cap, switch on a lamp or raise the exposure.",
            "es": "La imagen es demasiado oscura para medir. Quite la tapa, encienda una lámpara o suba la exposición.",
        },
        "see-not-calibrated": {
            "en": "The table is not calibrated and the picture does not show how: {why} Lay the four corner sheets down, or "
            "give a calibration file.",
            "es": "La mesa no está calibrada y la imagen no dice cómo: {why} Ponga las cuatro hojas de las esquinas o indique "
            "un archivo de calibración.",
        },
        "see-wrong-calibration": {
            "en": "The calibration does not fit this picture: {why} Calibrate again with this camera where it stands now.",
            "es": "La calibración no corresponde a esta imagen: {why} Calibre de nuevo con esta cámara donde está ahora.",
        },
        "see-no-table": {
            "en": "No table can be made out in the picture. Point the camera at the whole table and light it.",
            "es": "No se distingue ninguna mesa en la imagen. Apunte la cámara a toda la mesa e ilumínela.",
        },
        "see-correction": {
            "en": "This cannot be set on {name}: {why}.",
            "es": "Esto no se puede cambiar en {name}: {why}.",
        },
        "why-size": {
            "en": "it is for pictures of {want} and this one is {got}.",
            "es": "es para imágenes de {want} y esta es de {got}.",
        },
        "why-sheets": {
            "en": "the corner sheets stand up to {mm} mm from where it says.",
            "es": "las hojas de las esquinas están hasta a {mm} mm de donde dice.",
        },
        "why-no-piece": {"en": "there is no such piece", "es": "no hay tal pieza"},
        "why-field": {"en": "{field} is not something that can be set", "es": "{field} no se puede cambiar"},
        "why-value": {"en": "{value} is no good value for {field}", "es": "{value} no vale para {field}"},
        "why-open": {"en": "it cannot be opened", "es": "no se puede abrir"},
        "see-drift": {"en": "{said}", "es": "{said}"},
        "see-lens": {
            "en": "The camera's lens is only guessed from this picture; the error bars are wider. Calibrate the lens once.",
            "es": "El objetivo de la cámara solo se estima con esta imagen; los márgenes son mayores. Calíbrelo una vez.",
        },
    }
)  # fmt: skip

REGISTERED = True
