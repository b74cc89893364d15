// Ruler, what if, terrain.
import { app, base, game, on, tell, unit } from "./app.js";
import { attempt, post, put } from "./api.js";
import { card } from "./card.js";
import { $, dialog, el, svg, toast } from "./dom.js";
import { block, centroid, closest, dist, hull, inside, nearestHex, nearestOn, outlines, place, polar } from "./geometry.js";
import { length, num, say, t } from "./i18n.js";
import { dot, ghost, label, measureLine } from "./paint.js";
import { pick } from "./table.js";
import { pieceName } from "./app.js";
import { paintPanel } from "./panel.js";
import { openForm } from "./questions.js";

const SNAP_PX = 22;
let ruler = null, what = null, drawing = null;

export function setTool(name) {
  const next = app.tool === name && name !== "point" ? "point" : name, reason = forbidden(next);
  if (reason) { toast(reason, true); return; }
  app.tool = next;
  ruler = what = drawing = null;
  app.override = null;
  for (const button of document.querySelectorAll("[data-tool]")) button.setAttribute("aria-pressed", String(button.dataset.tool === next));
  $("#stage").className = `tool-${next}${$("#stage").classList.contains("stale-stage") ? " stale-stage" : ""}`;
  app.stage.layers.tool.replaceChildren();
  if (next !== "point") { toast(t(`${next}-hint`)); if (next === "ruler" || next === "whatif") { app.verdict = null; app.question = null; } }
  tell("picked");
}

/** A tool that the game forbids in a tournament says so. */
function forbidden(tool) {
  const key = { ruler: "ruler", whatif: "what-if" }[tool];
  return key && app.world?.mode === "tournament" && game()?.forbids[key] ? t("off-tournament", { game: say(game().title) }) : null;
}

export function cancelTool() {
  if (app.measuring) app.measuring = null;
  if (app.tool === "point") return false;
  setTool("point");
  return true;
}

// --- ruler -------------------------------------------------------------------------------------------------

/** The nearest edge or centre of a piece, or the point itself. */
function snap(at, free) {
  if (free) return { at };
  const near = SNAP_PX * app.stage.mmPerPx(at);
  let best = { at, d: near };
  for (const piece of app.world.pieces.values()) {
    const centre = place(piece, app.world);
    if (!centre) continue;
    for (const outline of piece.kind === "unit" ? [hull(outlines(piece, app.world).flat())] : outlines(piece, app.world)) {
      const within = inside(at, outline), edge = nearestOn(at, outline), c = dist(at, centre);
      if (c < Math.min(near * 0.6, nearestOn(centre, outline).distance * 0.4) && c < best.d) best = { at: centre, d: c, piece, centre: true };
      else if (within) { if (best.d > 0 && !best.centre) best = { at, d: 0, piece, whole: true, outline }; }
      else if (edge.distance < best.d) best = { at: edge.point, d: edge.distance, piece, outline, whole: true };
    }
  }
  for (const terrain of app.world.terrain ?? []) { const edge = nearestOn(at, terrain.outline); if (edge.distance < best.d && !best.piece) best = { at: edge.point, d: edge.distance }; }
  return best;
}

function paintRuler() {
  if (!ruler?.b) return;
  let a = ruler.a.at, b = ruler.b.at, note = "";
  if (ruler.a.whole && ruler.b.whole && ruler.a.piece !== ruler.b.piece) { const c = closest(ruler.a.outline, ruler.b.outline); [a, b] = [c.a, c.b]; note = t("edge-edge"); }
  else if (ruler.a.whole && ruler.a.piece !== ruler.b.piece) a = nearestOn(b, ruler.a.outline).point;
  else if (ruler.b.whole && ruler.a.piece !== ruler.b.piece) b = nearestOn(a, ruler.b.outline).point;
  const d = dist(a, b), direction = d ? [(b[0] - a[0]) / d, (b[1] - a[1]) / d] : [1, 0];
  const sigma = Math.sqrt([ruler.a.piece, ruler.b.piece].reduce((s, p) => s + (p?.sigma ? (p.sigma[0] * direction[0]) ** 2 + (p.sigma[1] * direction[1]) ** 2 : 0), 0));
  ruler.mm = d;
  const band = sigma ? ` ± ${unit() === "in" ? num((1.96 * sigma) / 25.4, 2) : num(1.96 * sigma, 1)}` : "";
  const text = `${length(d, unit()).replace(/ (in|mm)$/, `${band} $1`)}`;
  app.stage.layers.tool.replaceChildren(measureLine(app.stage, a, b, text));
  const from = ruler.a.piece?.label ?? "•", to = ruler.b.piece?.label ?? "•";
  app.override = () => [el("h2", {}, text), el("p", { class: "muted", style: "margin-top:6px" }, `${from} → ${to}${note ? ` · ${note}` : ""}`), el("p", { class: "muted small", style: "margin-top:6px" }, unit() === "in" ? `${num(d, 1)} mm` : `${num(d / 25.4, 2)} in`), el("p", { class: "muted small", style: "margin-top:12px" }, t("ruler-hint"))];
  paintPanel();
  $("#announce").textContent = text;
}

// --- what if -----------------------------------------------------------------------------------------------

const WAYS = ["free", "straight", "wheel-left", "wheel-right"];

function startWhat(piece) {
  what = { piece, ghost: { ...piece }, way: piece.kind === "unit" && piece.base?.[0] === "r" ? "straight" : "free", steps: [], from: { ...piece }, verdict: null, room: null };
  app.from = piece.id;
  app.override = whatPanel;
  paintWhat();
  tell("picked");
}

function whatPanel() {
  const w = what, ways = w.piece.kind === "unit" && w.piece.base?.[0] === "r" ? WAYS : [];
  const way = [...w.steps, w.open].filter(Boolean).reduce((s, x) => s + x.mm, 0);
  const said = [w.piece.at && t("moved", { d: length(dist(w.piece.at, w.ghost.at), unit()) }), way && t("path-used", { d: length(way, unit()) }), w.piece.facing !== null && Math.abs(turnOf(w)) > 0.5 && t("turned", { a: num(turnOf(w), 0) })].filter(Boolean);
  const overlaps = w.room?.overlaps ?? [], bad = overlaps.length || w.room?.off_table;
  const room = !w.room ? "" : overlaps.length ? `✗ ${t("overlaps", { ids: overlaps.map((o) => pieceName(o.id)).join(", ") })}` : w.room.off_table ? `✗ ${t("off-table")}` : `✓ ${t("room-ok")}`;
  const mover = moveQuery();
  return [
    el("h2", {}, t("whatif-title", { who: w.piece.label })),
    ways.length > 0 && el("div", { class: "row", role: "group", style: "margin:10px 0" }, ways.map((x) => el("button", { type: "button", "aria-pressed": String(w.way === x), onclick: () => { w.way = x; paintPanel(); paintWhat(); } }, t(x)))),
    el("p", { style: "font-weight:600;margin-top:8px" }, said.join(" · ")),
    el("p", { style: `font-weight:650;color:var(--${bad ? "no" : "yes"}-ink)` }, room),
    w.verdict && el("div", { style: "margin-top:12px" }, card(w.verdict, { unit: unit(), names: pieceName, live: true })),
    el("div", { class: "row", style: "margin-top:12px" }, mover && el("button", { class: "primary", type: "button", onclick: () => askMove(mover) }, t("check-move")), el("button", { type: "button", onclick: () => startWhat(app.world.pieces.get(w.piece.id)) }, t("again")), el("button", { type: "button", onclick: () => setTool("point") }, t("done"))),
  ];
}

const turnOf = (w) => ((w.ghost.facing - w.piece.facing + 540) % 360) - 180;

/** The game's own question about a move, found by its inputs. */
function moveQuery() {
  const list = game()?.queries ?? [];
  return list.find((q) => q.name === "move" && q.inputs.some((i) => ["steps", "path"].includes(i.name))) ?? list.find((q) => q.inputs.some((i) => i.name === "path" && i.kind === "hexes")) ?? null;
}

/** Ask about the way that the ghost was dragged. */
function askMove(q) {
  const k = unit() === "in" ? 25.4 : 1, question = { query: q.name };
  for (const input of q.inputs) {
    if (["from", "unit", "piece"].includes(input.name)) question[input.name] = what.piece.id;
    if (input.name === "path" && input.kind === "path") question.path = [[what.ghost.at[0] / k, what.ghost.at[1] / k]];
    if (input.name === "path" && input.kind === "hexes") question.path = what.hexes ?? [];
    if (input.name === "steps") question.steps = [...what.steps, what.open].filter(Boolean).map((s) => (s.wheel !== undefined ? { wheel: Math.round(s.wheel * 10) / 10 } : s.mm >= 0 && s.back ? { backward: round(s.mm / k) } : { forward: round(s.mm / k) }));
  }
  setTool("point");
  openForm(question);
}

const round = (v) => Math.round(v * 1000) / 1000;

let pending = null;
/** Ask for the room and for the standing question, at most one at a time. */
async function askWhat() {
  if (pending) { pending.again = true; return; }
  pending = {};
  const w = what, body = { piece: w.piece.id, facing: w.ghost.facing ?? undefined };
  if (w.ghost.hex) body.hex = w.ghost.hex; else body.at = w.ghost.at;
  const found = await post(`${base}/whatif`, { ...body, ...(w.question ? { question: w.question } : {}) }).catch((error) => { toast(error.message, true); return null; });
  const again = pending.again;
  pending = null;
  if (what !== w) return;
  if (found) { w.room = found.room; w.verdict = found.verdict ?? null; paintPanel(); }
  if (again) askWhat();
}

function paintWhat() {
  if (!what) return;
  const { stage, world } = app, g = { ...what.ghost };
  const nodes = [ghost(stage, g, world, { "data-handle": "ghost", style: "cursor:grab" })];
  if (what.piece.at) {
    const d = stage.path([place(what.piece, world), place(g, world)], false);
    nodes.unshift(svg("g", { class: "drawn" }, svg("path", { class: "casing", d }), svg("path", { class: "line role-path dash", d })));
  }
  if (g.facing !== null && g.at && what.way === "free") {
    const { front } = block(g, world), at = place(g, world), k = dist(front, at) || 1, away = 26 * stage.mmPerPx(at), tip = [front[0] + ((front[0] - at[0]) / k) * away, front[1] + ((front[1] - at[1]) / k) * away];
    const handle = dot(stage, tip, 9, "handle");
    handle.dataset.handle = "ghost-turn";
    nodes.push(svg("path", { class: "stem", d: stage.path([front, tip], false) }), handle);
  }
  stage.layers.tool.replaceChildren(...nodes);
}

/** Move the ghost in the chosen way, from where this drag began. */
function dragWhat(at, from, handle) {
  const w = what, start = w.from;
  if (start.hex) { const hex = nearestHex(app.world.board, at); if (hex) { w.ghost = { ...w.ghost, hex }; if (!w.hexes?.length || String(w.hexes.at(-1)) !== String(hex)) w.hexes = [...(w.hexes ?? []), hex]; } return; }
  if (handle === "ghost-turn") { w.ghost = { ...w.ghost, facing: ((Math.atan2(at[1] - w.ghost.at[1], at[0] - w.ghost.at[0]) * 180) / Math.PI + 360) % 360 }; return; }
  if (w.way === "free") { w.ghost = { ...w.ghost, at: [start.at[0] + at[0] - from[0], start.at[1] + at[1] - from[1]] }; w.open = { mm: dist(start.at, w.ghost.at) }; return; }
  const f = polar(1, start.facing);
  if (w.way === "straight") {
    const along = (at[0] - from[0]) * f[0] + (at[1] - from[1]) * f[1];
    w.ghost = { ...w.ghost, at: [start.at[0] + along * f[0], start.at[1] + along * f[1]] };
    w.open = { mm: Math.abs(along), back: along < 0 };
    return;
  }
  const leftWay = w.way === "wheel-left", { corners } = block(start, app.world), pivot = leftWay ? corners[0] : corners[1], outer = leftWay ? corners[1] : corners[0];
  const angle = (p) => Math.atan2(p[1] - pivot[1], p[0] - pivot[0]);
  let turn = ((angle(at) - angle(from)) * 180) / Math.PI;
  turn = ((turn + 540) % 360) - 180;
  turn = leftWay ? Math.max(0, Math.min(90, turn)) : Math.min(0, Math.max(-90, turn));
  const c = Math.cos((turn * Math.PI) / 180), s = Math.sin((turn * Math.PI) / 180), d = [start.at[0] - pivot[0], start.at[1] - pivot[1]];
  w.ghost = { ...w.ghost, at: [pivot[0] + d[0] * c - d[1] * s, pivot[1] + d[0] * s + d[1] * c], facing: (start.facing + turn + 360) % 360 };
  w.open = { wheel: turn, mm: 2 * dist(pivot, outer) * Math.sin((Math.abs(turn) * Math.PI) / 360) };
}

// --- terrain -----------------------------------------------------------------------------------------------

function paintTerrainTool() {
  const points = drawing?.points ?? [], nodes = [];
  if (points.length > 1) nodes.push(svg("path", { class: "drawing-terrain", d: app.stage.path(points, points.length > 2) }));
  nodes.push(...points.map((p) => dot(app.stage, p, 7, "handle")));
  app.stage.layers.tool.replaceChildren(...nodes);
  app.override = () => [el("h2", {}, t("terrain")), el("p", { class: "muted", style: "margin:8px 0 14px" }, t("terrain-hint")), el("div", { class: "row" }, el("button", { class: "primary", type: "button", disabled: points.length < 3, onclick: () => openTerrain({ id: freshId(), type: Object.keys(game()?.terrain_types ?? {})[0] ?? "terrain", outline: points, traits: [] }, true) }, t("done")), el("button", { type: "button", onclick: () => setTool("point") }, t("cancel")))];
  paintPanel();
}

const freshId = () => { let n = 1; while (app.world.terrain?.some((x) => x.id === `terrain-${n}`)) n++; return `terrain-${n}`; };

function openTerrain(terrain, fresh = false) {
  const types = { ...(game()?.terrain_types ?? {}) };
  if (!types[terrain.type]) types[terrain.type] = terrain.type;
  const type = el("select", {}, ...Object.entries(types).map(([id, title]) => el("option", { value: id, ...(id === terrain.type ? { selected: true } : {}) }, say(title) || id))), name = el("input", { type: "text", maxlength: 60, value: terrain.name ?? "", placeholder: terrain.id });
  const traits = (game()?.traits ?? []).filter((x) => x.on !== "piece").map((x) => { const box = el("input", { type: "checkbox", checked: (terrain.traits ?? []).some((y) => y.split(":")[0] === x.name) }); return { x, box, node: el("label", {}, box, el("span", {}, say(x.title))) }; });
  const send = (list) => attempt(() => put(`${base}/terrain`, { terrain: list })), rest = () => (app.world.terrain ?? []).filter((x) => x.id !== terrain.id);
  const form = el("form", { method: "dialog" }, el("label", { class: "field" }, el("span", {}, t("terrain-type")), type), el("label", { class: "field" }, el("span", {}, t("terrain-name")), name), traits.length > 0 && el("div", { class: "trait-list field" }, traits.map((x) => x.node)),
    el("div", { class: "actions" }, !fresh && el("button", { type: "button", onclick: async () => { shown.close(); await send(rest()); } }, t("delete")), el("button", { type: "button", onclick: () => shown.close() }, t("cancel")), el("button", { class: "primary", type: "submit" }, t("save"))));
  const shown = dialog(t("terrain"), form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const kept = (terrain.traits ?? []).filter((y) => !traits.some((v) => v.x.name === y.split(":")[0]));
    const { name: _, ...plain } = terrain;
    const made = { ...plain, type: type.value, ...(name.value ? { name: name.value } : {}), traits: [...kept, ...traits.filter((x) => x.box.checked).map((x) => (terrain.traits ?? []).find((y) => y.split(":")[0] === x.x.name) ?? x.x.name)], outline: terrain.outline.map((p) => p.map((v) => Math.round(v * 10) / 10)) };
    if (await send([...rest(), made])) { shown.close(); setTool("point"); }
  });
}

// --- all of them -------------------------------------------------------------------------------------------

export function startTools() {
  const stage = app.stage;
  for (const button of document.querySelectorAll("[data-tool]")) button.addEventListener("click", () => setTool(button.dataset.tool));
  on("tool", setTool);
  on("ghost-of", (id) => startWhat(app.world.pieces.get(id)));
  stage.addEventListener("tap", ({ detail }) => {
    if (app.tool === "point") pick(detail.piece);
    else if (app.tool === "whatif" && detail.piece) { if (what && detail.piece !== what.piece.id) { what.question = { query: "range", from: what.piece.id, to: detail.piece }; askWhat(); } else startWhat(app.world.pieces.get(detail.piece)); }
    else if (app.tool === "terrain") {
      const known = detail.terrain && !drawing?.points.length ? app.world.terrain.find((x) => x.id === detail.terrain) : null;
      if (known) return openTerrain(known);
      drawing = { points: [...(drawing?.points ?? []), detail.at] };
      paintTerrainTool();
    }
    return undefined;
  });
  stage.addEventListener("drag-start", (event) => {
    const { at, piece, handle, shift } = event.detail;
    if (app.tool === "ruler") { ruler = { a: snap(at, shift), b: null }; event.preventDefault(); }
    if (app.tool === "whatif" && (handle?.startsWith("ghost") || piece)) {
      if (!handle) { if (piece !== what?.piece.id) startWhat(app.world.pieces.get(piece)); }
      if (what.open) { what.steps.push(what.open); what.open = null; }
      what.from = { ...what.ghost };
      event.preventDefault();
    }
    if (app.tool === "terrain" && false) event.preventDefault();
  });
  stage.addEventListener("drag", ({ detail }) => {
    if (app.tool === "ruler" && ruler) { if (detail.start.free) ruler.a = { at: detail.start.at };
      ruler.b = snap(detail.at, detail.shift || detail.start.free); paintRuler(); }
    if (app.tool === "whatif" && what && detail.start.handle !== "facing") { dragWhat(detail.at, detail.start.at, detail.start.handle); paintWhat(); paintPanel(); askWhat(); }
  });
  stage.addEventListener("drag-end", () => {
    if (app.tool === "ruler" && app.measuring && ruler?.mm) { const done = app.measuring; app.measuring = null; const mm = ruler.mm; setTool("point"); done(mm); }
  });
  stage.addEventListener("drag-cancel", () => { ruler = null; });
  stage.addEventListener("zoom", () => { if (app.tool === "ruler") paintRuler(); if (app.tool === "whatif") paintWhat(); if (app.tool === "terrain" && drawing) app.stage.layers.tool.querySelectorAll("circle").length; });
  on("world", (changed) => { if (changed.has("pieces") && app.tool === "whatif" && what) paintWhat(); });
}

/** Arrow keys move a ghost by a millimetre, with Shift by ten. */
export function toolKeys(event) {
  if (app.tool !== "whatif" || !what?.ghost.at) return false;
  const d = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (!d) return false;
  const k = event.shiftKey ? 10 : 1;
  what.ghost = { ...what.ghost, at: [what.ghost.at[0] + d[0] * k, what.ghost.at[1] + d[1] * k] };
  paintWhat();
  paintPanel();
  askWhat();
  return true;
}

export { centroid, label };
