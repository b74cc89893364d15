// The stream's overlay. The service holds its state; the address only says how it looks.
import { follow } from "./live.js";
import { Stage } from "./stage.js";
import { card } from "./card.js";
import { $, el, swap } from "./dom.js";
import { lang, num, t } from "./i18n.js";
import { outlines, place } from "./geometry.js";
import { paintDrawing, paintGround, paintPieces, paintRings, paintTerrain } from "./paint.js";

const STALE_MS = 5000;
const query = new URLSearchParams(location.search), token = query.get("token");
const tableId = decodeURIComponent(location.pathname.split("/")[2] ?? "1"), base = `/api/tables/${encodeURIComponent(tableId)}`;
const withToken = (path) => (token ? `${path}${path.includes("?") ? "&" : "?"}token=${encodeURIComponent(token)}` : path);
let games = new Map(), view = null, stage, verdict = null, asked = "", line, about = null;

const shown = () => new Set(query.get("show")?.split(",") ?? line.world.overlay?.show ?? ["ruling", "names"]);
const unit = () => query.get("units") ?? line.world.overlay?.unit ?? games.get(line.world.game)?.unit ?? "mm";
const aligned = () => query.get("aligned") !== "0";
const nameOf = (id) => line.world.pieces.get(id)?.label ?? line.world.terrain?.find((x) => x.id === id)?.name ?? String(id);

function scaleUp() {
  document.documentElement.style.setProperty("--k", Math.max(0.4, Math.min(innerWidth / 1920, innerHeight / 1080)));
}

function paint() {
  const world = line.world;
  if (!world.v) return;
  const show = shown(), picture = aligned();
  document.documentElement.dataset.theme = query.get("theme") ?? world.overlay?.theme ?? "dark";
  for (const name of ["names", "outlines"]) document.body.classList.toggle(name, show.has(name));
  const where = query.get("place") ?? "bottom-right";
  document.body.classList.toggle("place-left", where.includes("left"));
  document.body.classList.toggle("place-top", where.includes("top"));
  $("#picture").hidden = !picture;
  if (picture) {
    stage.setMode(view ? "camera" : "table", view);
    stage.root.classList.toggle("solid", !view);
    stage.whole = stage.extentOf(world);
    fitExactly();
    paintGround(stage, world, unit());
    paintTerrain(stage, world);
    const from = verdict?.who?.[0] ?? world.overlay?.select;
    paintPieces(stage, world, { from, to: [...(verdict?.who?.slice(1) ?? []), ...(verdict?.blockers ?? [])] }, unit());
    const chosen = world.pieces.get(world.overlay?.select ?? from);
    paintRings(stage, world, show.has("ranges") && chosen?.at ? chosen : null, unit() === "in" ? [6, 12, 18, 24].map((v) => v * 25.4) : [100, 200, 300], unit());
    paintDrawing(stage, "zones", show.has("arcs") ? about?.drawing ?? [] : [], about?.unit ?? "mm");
    paintDrawing(stage, "drawn", show.has("ruling") ? verdict?.drawing ?? [] : [], games.get(world.game)?.unit ?? "mm");
  }
  paintWidgets(world, show);
}

/** The picture fills the canvas exactly as a camera source of the same shape does: no margin, no bars on its longer side. */
function fitExactly() {
  const [x, y, w, h] = stage.whole, scale = Math.max(w / innerWidth, h / innerHeight);
  stage.setBox([x + w / 2 - (innerWidth * scale) / 2, y + h / 2 - (innerHeight * scale) / 2, innerWidth * scale, innerHeight * scale]);
}

/** Note when a change was drawn, for the benchmark: version, when it was sent, when it was on the canvas, what the look took. */
function drawn(world) {
  const { v, t: sent, ms } = world;
  requestAnimationFrame(() => (window.drawn ??= []).push([v, sent * 1000, Date.now(), ms ?? 0]));
}

let cardText = "";
function paintWidgets(world, show) {
  const caption = $("#caption");
  caption.hidden = !(show.has("caption") && world.overlay?.caption);
  caption.textContent = world.overlay?.caption ?? "";
  const settled = world.status.word === "settled";
  const text = show.has("ruling") && verdict ? JSON.stringify([verdict, settled, lang]) : "";
  if (text !== cardText) {
    cardText = text;
    swap($("#ruling"), text && card(verdict, { unit: unit(), names: nameOf, live: false, stale: settled ? null : t("stale", { status: t(world.status.word, { s: "" }) }) }));
  }
  const scale = $("#scale");
  scale.hidden = !(show.has("scale") && aligned() && world.table);
  if (!scale.hidden) {
    const step = unit() === "in" ? 6 * 25.4 : 100, middle = [world.table.width / 2, world.table.depth / 2], px = step / stage.mmPerPx(middle);
    swap(scale, unit() === "in" ? "6 in" : "100 mm", el("i", { style: `width:${num(px, 0)}px` }));
  }
}

/** The ruling that was put on stream; asked again of the settled table, so that it is never out of date. */
async function refresh() {
  const ruling = line.world.overlay?.ruling, world = line.world;
  if (!ruling) { verdict = null; asked = ""; return; }
  const key = JSON.stringify([ruling.question, world.v, lang]);
  if (key === asked) return;
  if (!verdict || JSON.stringify(verdict.question) !== JSON.stringify(ruling.question)) verdict = { ...ruling.verdict, question: ruling.question };
  if (world.status.word !== "settled") return;
  asked = key;
  const response = await fetch(withToken(`/api/ask?lang=${lang}`), { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ table: tableId, question: ruling.question }) }).catch(() => null);
  if (response?.ok) { verdict = { ...(await response.json()), question: ruling.question }; paint(); }
}

async function loadView() { view = line.world.camera ? await fetch(withToken(`${base}/view`)).then((r) => (r.ok ? r.json() : null)).catch(() => null) : null; paint(); }
async function loadAbout() {
  const id = line.world.overlay?.select ?? verdict?.who?.[0];
  if (!id || !shown().has("arcs")) { about = null; return; }
  about = await fetch(withToken(`${base}/about/${encodeURIComponent(id)}`)).then((r) => (r.ok ? r.json() : null)).catch(() => null);
  paint();
}

scaleUp();
stage = new Stage($("#picture"));
stage.nameScale = 1.9;
stage.resize = () => undefined;
addEventListener("resize", () => { scaleUp(); paint(); });
fetch(withToken("/api/games")).then((r) => r.json()).then((list) => { games = new Map(list.map((g) => [g.id, g])); paint(); }).catch(() => undefined);
line = follow(tableId, (world, changed) => {
  world.spaces = null;
  refresh();
  paint();
  if (changed.has("pieces")) drawn(world);
  if (changed.has("camera")) loadView();
  if (changed.has("overlay") || changed.has("pieces")) loadAbout();
}, (up) => { if (up) document.documentElement.dataset.ready = "yes"; }, token);
setInterval(() => document.body.classList.toggle("gone", line.age() > STALE_MS), 250);
export { outlines, place };
