// Which question: the one a player would mean, the others one menu away, and forms from the game's own data.
import { app, base, game, keepUsed, lastUsed, pieceName, settled, tell, unit } from "./app.js";
import { ApiError, get, post } from "./api.js";
import { dialog, el, toast } from "./dom.js";
import { lang, say, t } from "./i18n.js";

let asking = 0;

const query = (name) => game()?.queries.find((q) => q.name === name);

/** Two pieces were tapped: ask what a player would mean. */
export async function askBetween(from, to) {
  const mine = ++asking, used = Object.fromEntries((game()?.queries ?? []).map((q) => [q.name, usedFor({ query: q.name })]).filter(([, v]) => Object.keys(v).length));
  tell("asking");
  const found = await post(`${base}/between`, { first: from, second: to, used, prefer: app.question?.query ?? null });
  if (mine !== asking) return undefined;
  if (!found.verdict) return found.question ? openForm(found.question) : toast(t("choose-question"), true);
  app.question = found.question;
  app.verdict = found.verdict;
  return tell("verdict", { quiet: false });
}

/** Inputs that this query had last time, without the pieces. */
function usedFor(question) {
  const used = lastUsed(question.query), out = {};
  for (const input of query(question.query)?.inputs ?? []) if (used[input.name] !== undefined && !["piece", "pieces", "place", "terrain", "path", "hex", "hexes", "point"].includes(input.kind)) out[input.name] = used[input.name];
  return out;
}

/** Ask, and show the answer. `quiet` asks again after a change without a word while it runs. */
export async function ask(question, quiet = false) {
  const mine = ++asking;
  app.question = question;
  if (!quiet) tell("asking");
  try {
    const verdict = await post("/api/ask", { table: app.line ? decodeURIComponent(location.pathname.split("/")[2]) : "1", question, lang });
    if (mine !== asking) return;
    app.verdict = verdict;
    tell("verdict", { quiet });
  } catch (error) {
    if (!(error instanceof ApiError) || mine !== asking) throw error;
    if (quiet) { app.verdict = null; app.question = null; tell("verdict", { quiet }); }
    toast(error.message, true);
    tell("verdict", { quiet: true });
  }
}

export function askAgain() {
  if (app.question && settled()) ask(app.question, true).catch(() => undefined);
}

/** All questions of the game, grouped by its phases; with the picked pieces filled in. */
export async function openMenu() {
  const g = game();
  if (!g) return;
  const from = app.from, to = app.to;
  const suggested = from ? await get(`${base}/suggest?first=${encodeURIComponent(from)}${to ? `&second=${encodeURIComponent(to)}` : ""}`) : [];
  const filled = new Map(suggested.map((s) => [s.question.query, s.question]));
  const groups = new Map(Object.keys(g.phases).map((p) => [p, []]));
  for (const q of g.queries) { if (!groups.has(q.phase)) groups.set(q.phase, []); groups.get(q.phase).push(q); }
  const search = el("input", { type: "search", placeholder: t("search"), "aria-label": t("search") });
  const list = el("div", { class: "menu" });
  const shown = dialog(t("choose-question"), search, list);
  const paint = () => {
    const wanted = search.value.trim().toLowerCase();
    list.replaceChildren(...[...groups].flatMap(([phase, queries]) => {
      const fits = queries.filter((q) => !wanted || say(q.title).toLowerCase().includes(wanted) || q.name.includes(wanted)).sort((a, b) => filled.has(b.name) - filled.has(a.name));
      return fits.length ? [el("h3", {}, say(g.phases[phase]) || t(phase === "measure" ? "measure" : "other-phase")), ...fits.map((q) => el("button", { type: "button", onclick: () => { shown.close(); choose(q, filled.get(q.name)); } }, say(q.title)))] : [];
    }));
  };
  search.addEventListener("input", paint);
  paint();
  search.focus();
}

function choose(q, question) {
  const start = { query: q.name, ...usedFor({ query: q.name }), ...guess(q), ...question };
  const needs = q.inputs.filter((i) => !["from", "to"].includes(i.name));
  if (!needs.length && q.inputs.every((i) => !i.required || start[i.name] !== undefined)) ask(start);
  else openForm(start);
}

/** The picked pieces, where a query has a place for them. */
function guess(q) {
  const out = {}, names = q.inputs.filter((i) => ["piece", "place"].includes(i.kind)).map((i) => i.name);
  const [one, two] = q.pair ?? [names[0], names[1]];
  if (app.from && one) out[one] = app.from;
  if (app.to && two) out[two] = app.to;
  return out;
}

export function openForm(question) {
  const q = query(question.query);
  if (!q) return;
  const fields = q.inputs.map((input) => field(input, question[input.name]));
  const form = el("form", { method: "dialog" }, ...fields.map((f) => f.node), el("div", { class: "actions" }, el("button", { type: "button", onclick: () => shown.close() }, t("cancel")), el("button", { class: "primary", type: "submit" }, t("ask"))));
  const shown = dialog(say(q.title), form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const asked = { query: q.name }, used = {};
    for (const f of fields) {
      const value = f.read();
      if (value !== undefined) { asked[f.input.name] = value; used[f.input.name] = value; }
    }
    keepUsed(q.name, used);
    const [one, two] = q.pair ?? ["from", "to"];
    if (app.world.pieces.has(asked[one])) app.from = asked[one];
    if (app.world.pieces.has(asked[two])) app.to = asked[two];
    shown.close();
    ask(asked);
  });
  fields.find((f) => f.control.value === "")?.control.focus();
}

/** A form control for one input of a question; also used for a game's settings. */
export function field(input, value) {
  const start = value ?? input.default ?? undefined;
  const suffix = input.kind === "length" ? ` (${unit()})` : input.kind === "angle" ? " (°)" : "";
  const caption = `${say(input.title)}${suffix}${input.required === false ? ` · ${t("optional")}` : ""}`;
  const wrap = (control, kind = "field") => ({ input, control, node: el("label", { class: kind }, el("span", {}, caption), control) });
  const empty = input.required === false ? [el("option", { value: "" }, "—")] : [];
  const select = (options) => el("select", { required: input.required }, ...empty, ...options);
  const pieces = () => [...app.world.pieces.values()].map((p) => el("option", { value: p.id, ...(p.id === start ? { selected: true } : {}) }, p.label));
  switch (input.kind) {
    case "piece": case "place": { const c = select(pieces()); return { ...wrap(c), read: () => c.value || undefined }; }
    case "terrain": { const c = select((app.world.terrain ?? []).map((x) => el("option", { value: x.id }, x.name ?? x.id))); if (start) c.value = start; return { ...wrap(c), read: () => c.value || undefined }; }
    case "choice": { const c = select(input.choices.map((x) => el("option", { value: x, ...(x === start ? { selected: true } : {}) }, x.replaceAll("-", " ")))); return { ...wrap(c), read: () => c.value || undefined }; }
    case "flag": { const c = el("input", { type: "checkbox", checked: start === true }); return { input, control: c, node: el("label", { class: "field check" }, c, el("span", {}, say(input.title))), read: () => (c.checked ? true : start === true ? false : undefined) }; }
    case "pieces": { const c = el("select", { multiple: true, size: 5 }, pieces()); const held = new Set(start ?? [app.from, app.to].filter(Boolean)); for (const o of c.options) o.selected = held.has(o.value); return { ...wrap(c), read: () => { const ids = [...c.selectedOptions].map((o) => o.value); return ids.length ? ids : undefined; } }; }
    case "length": case "number": case "angle": case "count": { const c = el("input", { type: "number", step: input.kind === "count" ? 1 : "any", min: input.kind === "count" ? 0 : null, inputmode: "decimal", required: input.required, value: start ?? "" }); return { ...wrap(c), read: () => (c.value === "" ? undefined : Number(c.value)) }; }
    case "text": { const c = el("input", { type: "text", required: input.required, value: start ?? "" }); return { ...wrap(c), read: () => c.value || undefined }; }
    default: {
      const c = el("input", { type: "text", required: input.required, placeholder: { point: "[x, y]", hex: "[q, r]", path: "[[x, y], …]", hexes: "[[q, r], …]" }[input.kind] ?? "JSON", value: start === undefined ? "" : JSON.stringify(start) });
      return { ...wrap(c), read: () => { if (c.value === "") return undefined; try { return JSON.parse(c.value); } catch { return c.value; } } };
    }
  }
}

export { pieceName };
