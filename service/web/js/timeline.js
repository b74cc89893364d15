// The last minutes: where each piece stood, and the way back.
import { app, base, on, tell, unit } from "./app.js";
import { get } from "./api.js";
import { $, el, svg } from "./dom.js";
import { dist, place } from "./geometry.js";
import { length, t } from "./i18n.js";
import { ghost, label } from "./paint.js";
import { paintPanel } from "./panel.js";

const MOVED_MM = 3; // less is the noise of a re-measurement

let past = [], shown = null;

export function startTime() {
  const slider = $("#timeline");
  slider.addEventListener("input", () => show(Number(slider.value)));
  on("escape", () => show(past.length - 1));
  on("world", (changed) => changed.has("pieces") && shown && paintGhosts());
  app.stage.addEventListener("zoom", () => shown && paintGhosts());
  paintTime();
}

export async function paintTime() {
  const list = await get(`${base}/history`).catch(() => []);
  // Moments that differ by something a person would notice.
  past = list.filter((moment, i) => i === list.length - 1 || differs(moment, list[i + 1]));
  const slider = $("#timeline");
  slider.max = Math.max(0, past.length - 1);
  if (!shown) slider.value = slider.max;
  slider.disabled = past.length < 2;
  say();
}

const differs = (a, b) => Object.keys({ ...a.pieces, ...b.pieces }).some((id) => { const p = a.pieces[id], q = b.pieces[id]; return !p || !q || (p[0] && q[0] && dist(p[0], q[0]) > MOVED_MM) || Math.abs((p[1] ?? 0) - (q[1] ?? 0)) > 3; });

function say() {
  const moment = shown ?? past.at(-1), seconds = moment ? Math.round(Date.now() / 1000 - moment.t) : 0;
  $("#time-label").textContent = !shown ? t("now") : seconds < 90 ? t("ago", { s: seconds }) : t("ago-min", { m: Math.round(seconds / 60) });
}

function show(i) {
  shown = i >= past.length - 1 ? null : past[i];
  app.override = shown ? panel : null;
  say();
  paintGhosts();
  paintPanel();
  if (!shown) tell("picked");
}

function moves() {
  const out = [];
  for (const [id, [at, facing]] of Object.entries(shown?.pieces ?? {})) {
    const now = app.world.pieces.get(id);
    if (!at) continue;
    const far = now?.at ? dist(now.at, at) : null;
    if (far === null || far > MOVED_MM) out.push({ id, was: { ...(now ?? blank(id)), at, facing: facing ?? now?.facing ?? null }, now, far });
  }
  return out;
}

const blank = (id) => ({ id, label: id, kind: "model", side: null, base: ["c", 32], traits: [], hand: [], files: null, count: null, hex: null, space: null, height: 0 });

function paintGhosts() {
  const { stage, world } = app;
  stage.layers.ghosts.replaceChildren(...(shown ? moves().flatMap(({ was, now, far }) => {
    const nodes = [ghost(stage, was, world)];
    if (now?.at) {
      const d = stage.path([place(now, world), was.at], false), middle = [(now.at[0] + was.at[0]) / 2, (now.at[1] + was.at[1]) / 2];
      nodes.push(svg("g", { class: "drawn" }, svg("path", { class: "casing", d }), svg("path", { class: "line role-path dash", d }), label(stage, middle, t("to-go", { d: length(far, unit()) }), "", -8)));
    }
    return nodes;
  }) : []));
  if (app.override === panel) paintPanel();
}

function panel() {
  const list = moves();
  return [el("h2", {}, t("put-back")), el("p", { class: "muted", style: "margin:8px 0 14px" }, list.length ? t("put-back-hint") : t("fits")),
    el("ul", { class: "others" }, list.map((m) => el("li", {}, el("button", { type: "button", disabled: true }, el("span", { class: "swatch" }), el("span", { class: "name" }, m.was.label), el("span", { class: "dist" }, m.far === null ? "—" : t("to-go", { d: length(m.far, unit()) })))))),
    el("button", { type: "button", onclick: () => { $("#timeline").value = $("#timeline").max; show(past.length - 1); } }, t("now"))];
}
