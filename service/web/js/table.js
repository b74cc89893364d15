// The table page: puts the parts together.
import { app, base, begin, game, on, pieceName, settled, tell, unit } from "./app.js";
import { attempt, get, post } from "./api.js";
import { $, el, recall, remember, svg, toast } from "./dom.js";
import { lang, num, say, setLang, t, translate } from "./i18n.js";
import { spoken } from "./card.js";
import { edit, openEdit } from "./edit.js";
import { block, place } from "./geometry.js";
import { icon, icons } from "./icons.js";
import { declutter, dot, paintDrawing, paintGround, paintPieces, paintRings, paintTerrain, placeLabels, scaleDots, shapes } from "./paint.js";
import { loadAbout, loadRulings, paintCard, paintPanel } from "./panel.js";
import { ask, askAgain, askBetween } from "./questions.js";
import { startSheet, sheetTo } from "./sheet.js";
import { openSetup } from "./setup.js";
import { paintTime, startTime } from "./timeline.js";
import { cancelTool, startTools, toolKeys } from "./tools.js";
import { openKeys, startKeys } from "./keys.js";

const RINGS_IN = [6, 12, 18, 24].map((v) => v * 25.4);
const EMPTY_PICTURES = {
  sheets: '<rect x="14" y="14" width="172" height="112" rx="6" fill="var(--mat)" stroke="var(--mat-edge)" stroke-width="3"/>' + [[22, 96, 0], [156, 96, 1], [156, 22, 2], [22, 22, 3]].map(([x, y, n]) => `<rect x="${x}" y="${y}" width="22" height="22" fill="#fff" stroke="#14161a"/><rect x="${x + 4}" y="${y + 4}" width="14" height="14" fill="#14161a"/><text x="${x + 11}" y="${y + 15.5}" font-size="11" fill="#fff" text-anchor="middle">${n}</text>`).join(""),
  pieces: '<rect x="14" y="24" width="172" height="98" rx="6" fill="var(--mat)" stroke="var(--mat-edge)" stroke-width="3"/><circle cx="66" cy="78" r="15" fill="var(--side-a)" stroke="#fff" stroke-width="2"/><rect x="110" y="56" width="48" height="30" fill="var(--side-b)" stroke="#fff" stroke-width="2"/><path d="M100 2v26m-9-9 9 10 9-10" stroke="var(--muted)" fill="none" stroke-width="3"/>',
  camera: '<rect x="50" y="30" width="100" height="66" rx="10" fill="var(--faint)" stroke="var(--muted)" stroke-width="3"/><circle cx="100" cy="63" r="20" fill="none" stroke="var(--muted)" stroke-width="4"/><path d="M40 112 160 18" stroke="var(--no)" stroke-width="6" stroke-linecap="round"/>',
};

// --- the head line -----------------------------------------------------------------------------------------

export function statusText() {
  if (!app.up) return t(app.world?.v ? "offline" : "connecting");
  const s = app.world.status;
  if (s.detail && !["settled", "waiting"].includes(s.word)) return s.word === "drift" ? t("drift") : t(s.word);
  return t(s.word, { s: Math.max(0, Math.round(Date.now() / 1000 - (s.since ?? 0))) });
}

function paintStatus() {
  const node = $("#status"), s = app.world?.status ?? {};
  const text = statusText();
  node.dataset.word = app.up ? s.word : "offline";
  if ($(".word", node).textContent !== text) $(".word", node).textContent = text;
  $(".grade", node).textContent = s.grade ? `· ${t(`grade-${s.grade}`)}${s.error_mm ? ` ± ${num(s.error_mm, 1)} mm` : ""}` : app.world?.camera || !app.world?.v ? "" : `· ${t("document")}`;
  $("#table-name").textContent = app.world?.name ? (/^\d+$/.test(app.world.name) ? `${t("table-view")} ${app.world.name}` : app.world.name) : "";
  $("#game-name").textContent = game() ? `· ${say(game().title)}${app.world.mode === "tournament" ? ` · ${t("tournament")}` : ""}` : "";
  document.title = `${$("#table-name").textContent || "Regla"} · Regla`;
  $("#stage").classList.toggle("stale-stage", !settled());
  const detail = app.up && s.detail ? say(s.detail) : "";
  $("#banner").replaceChildren(...(detail ? [el("div", { role: "alert" }, detail, s.word === "drift" && el("button", { class: "primary", style: "margin-left:10px", onclick: () => openSetup("accuracy") }, t("calibrate")))] : []));
}

// --- the picture -------------------------------------------------------------------------------------------

export function paintAll() {
  const { stage, world } = app;
  if (!world?.v) return;
  stage.setExtent(stage.extentOf(world));
  paintGround(stage, world, unit());
  paintTerrain(stage, world);
  paintPicked();
  paintEmpty();
}

function paintPicked() {
  const { stage, world } = app;
  const targets = [app.to, ...(app.merging ? app.merging.with : []), ...(app.verdict?.blockers ?? []), ...(app.verdict?.ids ?? [])].filter(Boolean);
  paintPieces(stage, world, { from: app.merging?.id ?? app.from, to: targets }, unit());
  const piece = world.pieces.get(app.from);
  const rings = app.rings && piece?.at ? ringSteps() : [];
  paintRings(stage, world, piece, rings, unit());
  paintDrawing(stage, "zones", piece && !app.verdict ? app.about?.drawing : [], unit());
  paintDrawing(stage, "drawn", app.verdict?.drawing ?? [], unit());
  paintHandle(piece);
}

function ringSteps() {
  if (unit() === "in") return RINGS_IN;
  const segments = app.world.params?.segments ?? game()?.params.find((p) => p.name === "segments")?.default;
  return Array.isArray(segments) ? segments : [100, 200, 300];
}

/** The tick that turns the selected piece. */
function paintHandle(piece) {
  const { stage, world } = app;
  const layer = stage.layers.tool;
  if (app.tool !== "point" || !piece?.at || piece.kind === "token" || piece.facing === null || app.rights !== "full" || app.merging) { if (app.tool === "point") layer.replaceChildren(); return; }
  const { front } = block(piece, world), at = place(piece, world), away = 26 * stage.mmPerPx(at), k = Math.hypot(front[0] - at[0], front[1] - at[1]) || 1;
  const tip = [front[0] + ((front[0] - at[0]) / k) * away, front[1] + ((front[1] - at[1]) / k) * away];
  layer.replaceChildren(svg("path", { class: "stem", d: stage.path([front, tip], false) }), Object.assign(dot(stage, tip, 9, "handle"), {}));
  layer.lastChild.dataset.handle = "facing";
}

function paintEmpty() {
  const box = $("#empty"), { world } = app, word = world.status.word;
  let kind = null, text = "";
  if (word === "uncalibrated") { kind = "sheets"; text = t("empty-sheets-text", { ids: (app.missing ?? ["0", "1", "2", "3"]).map((m) => t(m)).join(", ") }); }
  else if (word === "waiting" && !world.pieces.size) { kind = "camera"; text = t("empty-camera-text"); }
  else if (!world.pieces.size && word === "settled") { kind = "pieces"; text = t("empty-pieces-text"); }
  box.hidden = !kind;
  if (kind) box.replaceChildren(el("div", {}, Object.assign(svg("svg", { viewBox: "0 0 200 136" }), { innerHTML: EMPTY_PICTURES[kind] }), el("h2", {}, t(`empty-${kind}`)), el("p", { class: "muted" }, text), kind === "sheets" && el("a", { class: "button primary", href: "/api/sheets.pdf", target: "_blank" }, t("print-sheets")), el("button", { onclick: () => openSetup() }, t("setup"))));
}

// --- picking -----------------------------------------------------------------------------------------------

export function select(id) {
  app.from = id;
  app.to = null;
  app.about = null;
  app.verdict = null;
  app.question = null;
  tell("picked");
  if (id) { loadAbout(); sheetTo("half"); }
}

export function pick(id) {
  if (app.merging) {
    if (id && id !== app.merging.id) app.merging.with[app.merging.with.has(id) ? "delete" : "add"](id);
    return tell("picked");
  }
  if (!id) return select(null);
  if (!app.from) return select(id);
  if (app.from === id) return select(null);
  app.to = id;
  tell("picked");
  sheetTo("half");
  return askBetween(app.from, id).catch((error) => toast(error.message, true));
}

on("picked", () => { paintPicked(); paintCard(); paintPanel(); });
on("unpick", () => select(null));
on("asking", () => $("#card-place").setAttribute("aria-busy", "true"));
on("verdict", ({ quiet }) => {
  $("#card-place").removeAttribute("aria-busy");
  paintPicked();
  paintCard();
  paintPanel();
  if (!quiet && app.verdict) { $("#announce").textContent = spoken(app.verdict, pieceName, unit()); $("#side").scrollTo({ top: 0 }); }
});
on("about", () => paintPicked());
on("repaint", () => { paintAll(); paintCard(); paintPanel(); paintStatus(); paintButtons(); });

function paintButtons() {
  if (!app.world) return;
  $("#undo").disabled = !app.world.undo[0] || app.rights !== "full";
  $("#redo").disabled = !app.world.undo[1] || app.rights !== "full";
}

// --- news --------------------------------------------------------------------------------------------------

let askedFor = 0;
on("world", (changed) => {
  const heavy = ["pieces", "terrain", "board", "table", "game", "params"].some((p) => changed.has(p));
  if (app.from && !app.world.pieces.has(app.from)) select(null);
  if (changed.has("board") || changed.has("pieces")) app.world.spaces = null;
  if (changed.has("camera")) switchView(recall(`view.${app.world.camera}`, app.world.camera ? "camera" : "table"));
  if (heavy) { paintAll(); window.usableAt ??= performance.now(); }
  else if (changed.has("status")) paintEmpty();
  paintStatus();
  paintButtons();
  if (app.world.status.word === "uncalibrated") lookForSheets();
  if (settled() && askedFor !== app.world.v) {
    askedFor = app.world.v;
    if (heavy || changed.has("mode")) { askAgain(); loadAbout(); paintTime(); }
  }
  if (changed.has("status") || changed.has("overlay")) paintCard();
  if (changed.has("pieces") || changed.has("game")) paintPanel();
});
on("line", (code) => {
  if (code === 4404) toast(`${t("tables")}?`, true);
  if (!app.up && app.rights === "none") toast(t("need-token"), true);
  paintStatus();
  paintCard();
});
setInterval(() => app.world && paintStatus(), 1000);

let looking = 0;
async function lookForSheets() {
  if (Date.now() - looking < 1500) return;
  looking = Date.now();
  const found = await get(`${base}/calibration`).catch(() => null);
  if (found) { app.missing = found.missing; paintEmpty(); }
  setTimeout(() => app.world.status.word === "uncalibrated" && lookForSheets(), 1600);
}

// --- table or camera ---------------------------------------------------------------------------------------

let picture = null;
export async function switchView(mode) {
  $("#view-switch").hidden = !app.world.camera;
  let view = null;
  if (mode === "camera" && app.world.camera) view = await get(`${base}/view`).catch(() => null);
  const chosen = view ? "camera" : "table";
  app.stage.setMode(chosen, view);
  remember(`view.${app.world.camera}`, mode);
  for (const button of document.querySelectorAll("[data-view]")) button.setAttribute("aria-pressed", String(button.dataset.view === chosen));
  clearTimeout(picture);
  app.stage.layers.picture.replaceChildren();
  if (view) {
    const image = svg("image", { width: view.size[0], height: view.size[1], preserveAspectRatio: "none" });
    app.stage.layers.picture.append(image);
    refresh(image);
  }
  app.stage.setExtent(app.stage.extentOf(app.world), true);
  paintAll();
}

/** Frames on demand: the next is asked for when the last has come, so a slow line gets fewer. */
async function refresh(image) {
  if (!image.isConnected) return;
  try {
    const response = await fetch(`${base}/frame.jpg`, { cache: "no-store" });
    if (response.ok) {
      const url = URL.createObjectURL(await response.blob()), old = image.dataset.url;
      image.setAttribute("href", url);
      image.dataset.url = url;
      if (old) setTimeout(() => URL.revokeObjectURL(old), 1000);
    }
  } catch { paintStatus(); }
  const busy = app.world.status.word !== "settled";
  picture = setTimeout(() => refresh(image), document.hidden ? 2000 : app.world.kind === "still" ? 60000 : busy ? 100 : 250);
}

// --- the buttons -------------------------------------------------------------------------------------------

function startButtons() {
  const stage = app.stage;
  $("#lang-button").addEventListener("click", () => { setLang(lang === "es" ? "en" : "es"); paintLang(); tell("repaint"); paintStatus(); loadAbout(); if (app.question) ask(app.question, true); });
  $("#theme-button").addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).colorScheme === "dark", next = dark ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    remember("theme", next);
    $("#theme-button").replaceChildren(icon(next === "dark" ? "sun" : "moon"));
  });
  $("#theme-button").replaceChildren(icon(getComputedStyle(document.documentElement).colorScheme === "dark" ? "sun" : "moon"));
  $("#setup-button").addEventListener("click", () => openSetup());
  for (const button of document.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => ({ in: () => stage.zoomBy(0.7), out: () => stage.zoomBy(1.43), fit: () => stage.fit() })[button.dataset.zoom]());
  for (const button of document.querySelectorAll("[data-view]")) button.addEventListener("click", () => switchView(button.dataset.view));
  $("#undo").addEventListener("click", undo);
  $("#redo").addEventListener("click", () => attempt(() => post(`${base}/redo`)));
  $("#time-button").addEventListener("click", () => $("#tools").classList.toggle("with-time"));
  stage.addEventListener("zoom", () => { placeLabels(stage); scaleDots(stage); declutter(stage); if (app.world?.v) paintHandle(app.world.pieces.get(app.from)); });
  stage.addEventListener("double-tap", () => stage.fit());
  stage.root.addEventListener("keydown", (event) => {
    const id = event.target.closest?.("[data-piece]")?.dataset.piece;
    if (id && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); app.tool === "whatif" ? tell("ghost-of", id) : pick(id); }
  });
  stage.root.addEventListener("focusin", (event) => { const p = app.world.pieces.get(event.target.closest?.("[data-piece]")?.dataset.piece); if (p && event.target.matches(":focus-visible")) stage.reveal(p, app.world); });
}

export const undo = () => attempt(() => post(`${base}/undo`));

function paintLang() { $("#lang-button").textContent = lang === "es" ? "en" : "es"; }

/** Turning the selected piece by its tick. */
function startTurning() {
  const stage = app.stage;
  let turning = null;
  stage.addEventListener("drag-start", (event) => { if (event.detail.handle === "facing") { turning = app.from; event.preventDefault(); } });
  stage.addEventListener("drag", (event) => {
    const piece = app.world.pieces.get(turning);
    if (!piece) return;
    const deg = (Math.atan2(event.detail.at[1] - piece.at[1], event.detail.at[0] - piece.at[0]) * 180) / Math.PI;
    turning = piece.id;
    app.world.pieces.set(piece.id, { ...piece, facing: (deg + 360) % 360 });
    paintPicked();
  });
  stage.addEventListener("drag-end", () => {
    const piece = app.world.pieces.get(turning);
    turning = null;
    if (piece) edit({ do: "correct", piece: piece.id, changes: { facing: (Math.round(piece.facing * 10) / 10) % 360 } });
  });
  stage.addEventListener("drag-cancel", () => { turning = null; });
}

app.rings = recall("rings", true);
translate(document);
icons();
paintLang();
on("open-setup", openSetup);
begin();
startButtons();
startTurning();
startTools();
startTime();
startSheet();
startKeys({ pick, select, undo, openEdit, openKeys, switchView, toolKeys, cancelTool });
paintStatus();
loadRulings();
document.documentElement.dataset.ready = "yes";
export { shapes };
