// Everything the page says, in both languages.
import { recall, remember } from "./dom.js";

const TEXT = {
  // status
  settled: ["settled", "mesa quieta"], moving: ["moving", "en movimiento"], hand: ["hand over the table", "una mano sobre la mesa"],
  waiting: ["waiting for the camera ({s} s)", "esperando a la cámara ({s} s)"], drift: ["camera moved: recalibrate", "la cámara se ha movido: calibre de nuevo"],
  dark: ["picture too dark", "imagen demasiado oscura"], uncalibrated: ["looking for the sheets", "buscando las hojas"],
  "no-table": ["no table in the picture", "no se ve la mesa"], offline: ["no connection", "sin conexión"], connecting: ["connecting…", "conectando…"],
  "grade-gold": ["gold", "oro"], "grade-silver": ["silver", "plata"], "grade-bronze": ["bronze", "bronce"], "grade-unfit": ["unfit", "no apta"],
  document: ["drawn table", "mesa dibujada"],
  // tools
  point: ["Point", "Señalar"], ruler: ["Ruler", "Regla"], whatif: ["What if", "¿Y si…?"], terrain: ["Terrain", "Terreno"], undo: ["Undo", "Deshacer"],
  redo: ["Redo", "Rehacer"], now: ["now", "ahora"], history: ["History", "Historial"], fit: ["Fit", "Encajar"], "zoom-in": ["Zoom in", "Acercar"], "zoom-out": ["Zoom out", "Alejar"],
  "table-view": ["Table", "Mesa"], "camera-view": ["Camera", "Cámara"], setup: ["Set-up", "Ajustes"], "light-dark": ["Light or dark", "Claro u oscuro"], language: ["Español", "English"],
  tables: ["All tables", "Todas las mesas"], keys: ["Keys", "Teclas"], find: ["Find a piece", "Buscar una pieza"], close: ["Close", "Cerrar"], cancel: ["Cancel", "Cancelar"], save: ["Save", "Guardar"],
  // panel
  "from-here": ["from here", "desde aquí"], sees: ["sees", "ve"], "sees-not": ["does not see", "no ve"], edit: ["Correct", "Corregir"], "ask-one": ["Ask about it", "Preguntar"],
  engaged: ["in contact", "en contacto"], "nobody": ["nobody's", "de nadie"], side: ["Side", "Bando"], "side-x": ["side {s}", "bando {s}"], "by-hand": ["set by hand", "fijado a mano"],
  "facing-unknown": ["facing unknown", "orientación desconocida"], "hint-select": ["Tap a piece to see everything about it.", "Toque una pieza para verlo todo sobre ella."],
  "hint-ask": ["Then tap another: that is the question.", "Toque luego otra: esa es la pregunta."], "hint-drag": ["Drag to move the view, pinch or wheel to zoom, double-tap to fit.", "Arrastre para mover la vista, pellizque o use la rueda para acercar, doble toque para encajar."],
  "on-the-table": ["on the table", "en la mesa"], "last-rulings": ["rulings of this table", "fallos de esta mesa"],
  "hint-next": ["Now tap another piece to ask about both.", "Ahora toque otra pieza para preguntar por las dos."],
  bases: ["{n} bases of", "{n} peanas de"],
  // card
  yes: ["YES", "SÍ"], no: ["NO", "NO"], "too-close": ["TOO CLOSE", "DEMASIADO JUSTO"], unknown: ["UNKNOWN", "NO SE SABE"], none: ["MEASURED", "MEDIDO"],
  "by": ["by {d}", "por {d}"], "from-line": ["{d} from the line, ± {b}", "a {d} de la línea, ± {b}"], limit: ["limit {d}", "límite {d}"], why: ["why", "por qué"],
  other: ["Other question", "Otra pregunta"], freeze: ["Freeze", "Congelar"], "on-stream": ["On stream", "En directo"], copy: ["Copy", "Copiar"], copied: ["Copied.", "Copiado."],
  "stale": ["As of the last settled moment: {status}.", "Según el último momento en reposo: {status}."], "set-facing": ["Set which way {who} faces", "Indicar hacia dónde mira {who}"],
  "set-param": ["Set {name}", "Indicar {name}"], "in-the-way": ["In the way: {ids}", "En medio: {ids}"], found: ["Found: {ids}", "Resultado: {ids}"],
  "nothing-found": ["Found: nothing", "Resultado: nada"], asking: ["asking…", "preguntando…"], hexes: ["{n} hexes, drawn on the table", "{n} hexágonos, dibujados en la mesa"],
  // freeze
  "freeze-title": ["Freeze and rule", "Congelar y fallar"], "freeze-text": ["The table is measured from several pictures, the question is asked once more and the ruling is sealed.", "La mesa se mide con varias imágenes, se repite la pregunta y el fallo queda sellado."],
  note: ["Note", "Nota"], player: ["Player {n}", "Jugador {n}"], judge: ["Judge", "Árbitro"], "freeze-do": ["Freeze", "Congelar"], ruled: ["Ruling {id} is stored.", "El fallo {id} está guardado."],
  report: ["Report", "Informe"], pdf: ["PDF", "PDF"], bundle: ["Evidence", "Pruebas"], fingerprint: ["Fingerprint", "Huella"],
  // edit
  "edit-title": ["Correct {who}", "Corregir {who}"], name: ["Name", "Nombre"], kind: ["Kind", "Clase"], "kind-model": ["single base", "una peana"], "kind-unit": ["unit", "unidad"], "kind-token": ["token", "ficha"], "kind-marker": ["marker", "marcador"],
  base: ["Base", "Peana"], "base-circle": ["round {d} mm", "redonda {d} mm"], "base-rect": ["{w} × {d} mm", "{w} × {d} mm"], "base-other": ["other…", "otra…"], "base-none": ["not known", "no se sabe"], count: ["Count", "Cantidad"], files: ["Files", "Columnas"],
  facing: ["Facing", "Orientación"], degrees: ["degrees", "grados"], traits: ["Traits", "Rasgos"], split: ["Split into bases", "Separar en peanas"], merge: ["Merge with…", "Unir con…"], "merge-hint": ["Tap the pieces to merge with {who}, then Merge.", "Toque las piezas que unir con {who} y luego Unir."], "merge-do": ["Merge", "Unir"],
  remove: ["Not a piece", "No es una pieza"], add: ["Add a piece", "Añadir pieza"], "value-of": ["value", "valor"], width: ["Width", "Ancho"], depth: ["Depth", "Fondo"], diameter: ["Diameter", "Diámetro"],
  // tools at work
  "ruler-hint": ["Drag from anything to anything. It snaps to edges and centres; hold still first (or hold Shift) to free it.", "Arrastre de un sitio a otro. Se ajusta a bordes y centros; mantenga pulsado antes de mover (o use Mayús) para dejarla libre."],
  "whatif-hint": ["Drag a piece: its ghost shows what would be.", "Arrastre una pieza: su fantasma muestra qué pasaría."], "terrain-hint": ["Tap the corners of the terrain, then Done. Tap an existing one to change it.", "Toque las esquinas del terreno y luego Hecho. Toque uno existente para cambiarlo."],
  done: ["Done", "Hecho"], "terrain-type": ["Type of terrain", "Tipo de terreno"], "terrain-name": ["Name", "Nombre"], delete: ["Delete", "Borrar"],
  free: ["Free", "Libre"], straight: ["Straight", "Recto"], "wheel-left": ["Wheel left", "Pivote izq."], "wheel-right": ["Wheel right", "Pivote der."], again: ["Start again", "Empezar de nuevo"],
  moved: ["moved {d}", "movido {d}"], "path-used": ["way {d}", "camino {d}"], turned: ["turned {a}°", "girado {a}°"], overlaps: ["overlaps {ids}", "se solapa con {ids}"], "off-table": ["leaves the table", "se sale de la mesa"], "room-ok": ["there is room", "hay sitio"],
  "whatif-title": ["What if {who} stood here?", "¿Y si {who} estuviera aquí?"], "check-move": ["Is that move legal?", "¿Es legal ese movimiento?"],
  "off-tournament": ["{game} forbids this in advance: off in tournament mode.", "{game} lo prohíbe por adelantado: desactivado en modo torneo."],
  "edge-edge": ["edge to edge", "de borde a borde"], "to-go": ["{d} to go", "faltan {d}"], fits: ["back in place", "en su sitio"], "put-back": ["Put it back", "Devolver a su sitio"], "put-back-hint": ["Ghosts show where each piece stood. Move the pieces until they fit.", "Los fantasmas muestran dónde estaba cada pieza. Mueva las piezas hasta que encajen."],
  "no-history": ["Nothing has moved yet.", "Aún no se ha movido nada."], ago: ["{s} s ago", "hace {s} s"], "ago-min": ["{m} min ago", "hace {m} min"],
  // questions
  "choose-question": ["Which question?", "¿Qué pregunta?"], ask: ["Ask", "Preguntar"], optional: ["optional", "opcional"], search: ["Search", "Buscar"], "other-phase": ["Other", "Otras"], yes_: ["yes", "sí"], no_: ["no", "no"], "pick-hex": ["q, r", "q, r"], measure: ["Measure", "Medir"],
  // empty
  "empty-pieces": ["Nothing on the table yet", "Aún no hay nada en la mesa"], "empty-pieces-text": ["Put the pieces on the table and take your hands away.", "Ponga las piezas en la mesa y retire las manos."],
  "empty-sheets": ["Lay the four sheets on the table", "Ponga las cuatro hojas en la mesa"], "empty-sheets-text": ["One at each corner, numbers 0 to 3 as drawn. Missing: {ids}.", "Una en cada esquina, números 0 a 3 como en el dibujo. Faltan: {ids}."], "empty-camera": ["No picture from the camera", "No llega imagen de la cámara"], "empty-camera-text": ["Check its cable or address; it is tried again by itself.", "Revise el cable o la dirección; se reintenta solo."], "print-sheets": ["Print the sheets", "Imprimir las hojas"],
  // set-up
  "setup-title": ["Set up this table", "Preparar esta mesa"], "card-camera": ["Camera", "Cámara"], "card-sheets": ["Sheets", "Hojas"], "card-accuracy": ["Accuracy", "Precisión"], "card-game": ["Game", "Juego"], "card-share": ["Share", "Compartir"],
  "ok": ["done", "hecho"], missing: ["missing", "falta"], "camera-none": ["No camera found on this computer.", "No hay cámara en este ordenador."], "camera-address": ["Address of a camera (rtsp, http)", "Dirección de una cámara (rtsp, http)"], open: ["Open", "Abrir"], "try-sample": ["Try a sample table", "Probar una mesa de ejemplo"], "take-photo": ["Photo of a table", "Foto de una mesa"],
  "photo-text": ["Take or drop one picture with the sheets in view.", "Haga o suelte una foto en la que se vean las hojas."], "choose-photo": ["Take or choose a picture", "Hacer o elegir una foto"], "looking": ["Looking at the picture…", "Mirando la imagen…"],
  "sheets-text": ["Print them at 100 %, lay one at each corner of the table.", "Imprímalas al 100 % y ponga una en cada esquina de la mesa."], "sheets-corner": ["Corner sheets", "Hojas de esquina"], "sheets-tags": ["Tags for trays and bases", "Etiquetas para bandejas y peanas"], "sheets-lens": ["Lens board", "Tablero de lente"], "sheets-check": ["Check bar", "Barra de control"],
  "sheet-missing": ["Not seen: {ids}. Is it covered, bent or out of the picture?", "No se ven: {ids}. ¿Están tapadas, dobladas o fuera de la imagen?"], "sheets-all": ["All four sheets are seen.", "Se ven las cuatro hojas."], "near-left": ["near left", "cerca izquierda"], "near-right": ["near right", "cerca derecha"], "far-right": ["far right", "lejos derecha"], "far-left": ["far left", "lejos izquierda"],
  calibrate: ["Calibrate", "Calibrar"], "means-gold": ["fit for disputes down to 1 mm", "apta para disputas de hasta 1 mm"], "means-silver": ["as good as a careful hand with a tape", "como una mano cuidadosa con cinta métrica"], "means-bronze": ["good for friendly games", "buena para partidas amistosas"], "means-unfit": ["not fit for measuring yet", "aún no sirve para medir"],
  "error-median": ["± {d} mm in the middle of the field, ± {w} mm at worst", "± {d} mm en general, ± {w} mm en el peor punto"], "would-help": ["What would help most", "Lo que más ayudaría"], "check-known": ["Check with a known length", "Comprobar con una longitud conocida"], "check-hint": ["Tap both ends of something you know in the picture.", "Toque en la imagen los dos extremos de algo conocido."], "known-length": ["Its true length (mm)", "Su longitud real (mm)"], "check-result": ["{m} mm measured: {e} mm off, ± {b} mm expected", "{m} mm medidos: {e} mm de error, ± {b} mm esperados"],
  "game-label": ["Game", "Juego"], "mode-label": ["Mode", "Modo"], friendly: ["friendly", "amistoso"], tournament: ["tournament", "torneo"], params: ["Settings of the game", "Ajustes del juego"], "param-unsure": ["default, nobody measured it", "por omisión, sin medir"], "param-needed": ["needed", "necesario"], "measure-it": ["Measure on the table", "Medir en la mesa"], "measure-hint": ["Draw the ruler along the part; its length is taken over.", "Trace la regla sobre la parte; se toma su longitud."], "table-name": ["Name of the table", "Nombre de la mesa"], players: ["Players", "Jugadores"],
  "share-phone": ["On a phone", "En un móvil"], "share-local": ["Only this computer can reach Regla now. Start it with --host 0.0.0.0 to let phones in.", "Ahora solo este ordenador llega a Regla. Inícielo con --host 0.0.0.0 para admitir móviles."], "share-full": ["may change things", "puede cambiar cosas"], "share-read": ["may only look", "solo puede mirar"], "share-overlay": ["Overlay for OBS", "Capa para OBS"],
  "obs-1": ["In OBS add a source: Browser.", "En OBS añada una fuente: Navegador."], "obs-2": ["Paste the address, width 1920, height 1080.", "Pegue la dirección, ancho 1920, alto 1080."], "obs-3": ["Put it above your camera. Nothing else to do.", "Póngala encima de la cámara. Nada más."], "ov-ruling": ["last ruling", "último fallo"], "ov-names": ["unit names", "nombres"], "ov-arcs": ["arcs", "arcos"], "ov-ranges": ["ranges", "alcances"], "ov-scale": ["scale bar", "escala"], "ov-caption": ["caption", "rótulo"], "ov-outlines": ["outlines", "contornos"], "ov-aligned": ["on the camera's picture", "sobre la imagen de la cámara"], theme: ["Theme", "Tema"], units: ["Units", "Unidades"], dark_: ["dark", "oscuro"], light_: ["light", "claro"], "caption-text": ["Caption", "Rótulo"],
  // home
  "home-title": ["A camera over the table, a ruler you can trust, and the rule that decides.", "Una cámara sobre la mesa, una regla de fiar y la regla que decide."], "your-tables": ["Tables", "Mesas"], "no-tables": ["No table is open. Try a sample, take a photo, or connect a camera.", "No hay ninguna mesa abierta. Pruebe un ejemplo, haga una foto o conecte una cámara."], "samples": ["Sample tables", "Mesas de ejemplo"], "connect-camera": ["Connect a camera", "Conectar una cámara"], "recent-rulings": ["Rulings", "Fallos"], pieces: ["{n} pieces", "{n} piezas"], "sample-scene": ["drawn", "dibujada"], "sample-clip": ["clip, as if live", "vídeo, como en vivo"], "sample-picture": ["photograph", "fotografía"],
  "read-only": ["This link may only look.", "Este enlace solo permite mirar."], "need-token": ["Open the link or the QR code under Share on the computer that runs Regla.", "Abra el enlace o el QR de Compartir en el ordenador que ejecuta Regla."],
  // keys
  "key-tab": ["walk the pieces", "recorrer las piezas"], "key-enter": ["select, then ask", "seleccionar y preguntar"], "key-r": ["ruler", "regla"], "key-w": ["what if", "¿y si…?"], "key-t": ["terrain", "terreno"], "key-f": ["freeze", "congelar"], "key-u": ["undo", "deshacer"], "key-find": ["find a piece", "buscar una pieza"], "key-esc": ["let go", "soltar"], "key-keys": ["all keys", "todas las teclas"], "key-o": ["other question", "otra pregunta"], "key-v": ["table or camera", "mesa o cámara"], "key-arrows": ["move the ghost, or the view", "mover el fantasma o la vista"], "key-e": ["correct the selected piece", "corregir la pieza"],
  // words that verdicts name
  front: ["front", "frente"], rear: ["rear", "retaguardia"], "left-flank": ["left flank", "flanco izquierdo"], "right-flank": ["right flank", "flanco derecho"], left: ["left", "izquierda"], right: ["right", "derecha"], all: ["all round", "todo alrededor"], outside: ["outside", "fuera"], "in-range": ["in range", "a alcance"], "out-of-range": ["out of range", "fuera de alcance"], "point-blank": ["point blank", "a quemarropa"], short: ["short range", "alcance corto"], long: ["long range", "alcance largo"], out: ["out of range", "fuera de alcance"], soft: ["soft cover", "cobertura ligera"], hard: ["hard cover", "cobertura pesada"], flank: ["flank", "flanco"],
};

export let lang = recall("lang") ?? (new URLSearchParams(location.search).get("lang") || (navigator.language || "en").slice(0, 2) === "es" && "es" || "en");
if (lang !== "es") lang = "en";

export function setLang(next) {
  lang = next === "es" ? "es" : "en";
  remember("lang", lang);
  translate(document);
}

export function t(key, values = {}) {
  const pair = TEXT[key];
  const text = pair ? pair[lang === "es" ? 1 : 0] : key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** A word that a verdict names (`left-flank`), in the reader's language where we know it. */
export const word = (name) => (TEXT[name] ? t(name) : String(name).replaceAll("-", " "));

/** A text of a game, given in both languages. */
export const say = (text) => (text && typeof text === "object" ? text[lang] ?? text.en : text) ?? "";

export function translate(root) {
  document.documentElement.lang = lang;
  for (const node of root.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const node of root.querySelectorAll("[data-title]")) { node.title = t(node.dataset.title); node.setAttribute("aria-label", t(node.dataset.title)); }
}

/** A number as this language writes it, without trailing zeros. */
export function num(value, digits = 2) {
  let text = Number(value).toFixed(digits);
  if (text.includes(".")) text = text.replace(/\.?0+$/, "");
  if (text === "-0") text = "0";
  return lang === "es" ? text.replace(".", ",") : text;
}

/** A length in mm, written in the game's unit. */
export const length = (mm, unit) => (unit === "in" ? `${num(mm / 25.4, 2)} in` : `${num(mm, 1)} mm`);
