// The panel: the answer card, then everything about the selected piece; or what is on the table.
import { app, base, game, on, pieceName, settled, tell, tableId, unit } from "./app.js";
import { attempt, get, put } from "./api.js";
import { card, spoken } from "./card.js";
import { $, el, swap, toast } from "./dom.js";
import { icon } from "./icons.js";
import { length, num, say, t, word } from "./i18n.js";
import { openEdit } from "./edit.js";
import { openFreeze } from "./freeze.js";
import { askBetween, openForm, openMenu } from "./questions.js";
import { sideColours } from "./paint.js";
import { select, statusText } from "./table.js";

// --- the card ----------------------------------------------------------------------------------------------

export function paintCard() {
  const host = $("#card-place");
  if (!app.verdict) return host.replaceChildren();
  const stale = settled() ? null : t("stale", { status: statusText() });
  const onStream = sameQuestion(app.world.overlay?.ruling?.question, app.question);
  const may = app.rights === "full";
  const actions = [
    el("button", { type: "button", onclick: openMenu }, `${t("other")} ▾`),
    may && el("button", { type: "button", onclick: openFreeze, disabled: !settled() }, icon("snow", 18), t("freeze")),
    may && el("button", { type: "button", "aria-pressed": String(onStream), onclick: () => stream(!onStream) }, icon("live", 18), t("on-stream")),
    el("button", { type: "button", class: "icon", title: t("copy"), "aria-label": t("copy"), onclick: copy }, icon("copy", 18)),
  ].filter(Boolean);
  return host.replaceChildren(card(app.verdict, { unit: unit(), names: pieceName, actions, settle: settle(), stale }));
}

const sameQuestion = (a, b) => Boolean(a && b) && JSON.stringify(a) === JSON.stringify(b);

async function stream(show) {
  await attempt(() => put(`${base}/overlay`, { ruling: show ? app.question : null }));
}

async function copy() {
  const text = spoken(app.verdict, pieceName, unit());
  try { await navigator.clipboard.writeText(text); toast(t("copied")); } catch { toast(text); }
}

/** The one tap that settles an unknown answer. */
function settle() {
  if (app.verdict.answer !== "unknown") return null;
  const lost = app.verdict.who.map((id) => app.world.pieces.get(id)).find((p) => p && p.facing === null && p.base);
  if (lost) return el("button", { class: "primary", type: "button", onclick: () => { select(lost.id); openEdit(lost.id, "facing"); } }, t("set-facing", { who: lost.label }));
  const param = game().params.find((p) => p.default === null && app.verdict.because.includes(p.name));
  if (param) return el("button", { class: "primary", type: "button", onclick: () => tell("open-setup", "game") }, t("set-param", { name: say(param.title) }));
  const q = game().queries.find((x) => x.name === app.question.query);
  return q?.inputs.length > 2 ? el("button", { type: "button", onclick: () => openForm(app.question) }, t("edit")) : null;
}

// --- the selected piece ------------------------------------------------------------------------------------

function baseText(piece) {
  const [shape, a, b] = piece.base ?? [];
  if (shape === "c") return `⌀ ${num(a, 0)} mm`;
  if (shape === "r") return `${num(a, 0)} × ${num(b, 0)} mm`;
  if (shape === "h") return `⬡ ${num(a, 0)} mm`;
  return "";
}

function chips(piece) {
  const colour = sideColours(app.world)(piece.side), out = [];
  const many = piece.kind === "unit" && piece.count ? `${t("bases", { n: piece.count })} ` : "";
  out.push(el("span", { class: "chip", "--c": colour }, el("i"), piece.side ? t("side-x", { s: piece.side }) : t("nobody")));
  if (piece.base) out.push(el("span", { class: "chip" }, many + baseText(piece)));
  if (piece.kind === "unit" && piece.files) out.push(el("span", { class: "chip" }, `${t("files")}: ${piece.files}`));
  for (const trait of piece.traits.slice(0, 8)) out.push(el("span", { class: "chip" }, traitTitle(trait)));
  if (piece.facing === null && piece.base && piece.base[0] !== "c") out.push(el("span", { class: "chip" }, `? ${t("facing-unknown")}`));
  if (piece.sigma) out.push(el("span", { class: "chip", title: "95 %" }, `± ${num(1.96 * Math.max(piece.sigma[0], piece.sigma[1]), 1)} mm`));
  if (piece.hand.length) out.push(el("span", { class: "chip" }, icon("tap", 15), t("by-hand")));
  return out;
}

function traitTitle(trait) {
  const [name, ...value] = trait.split(":"), known = game()?.traits.find((x) => x.name === name);
  return known ? say(known.title) + (value.length ? `: ${value.join(":")}` : "") : trait.replaceAll("-", " ");
}

let wanted = 0;

export async function loadAbout() {
  const id = app.from, mine = ++wanted;
  if (!id || !app.world.pieces.has(id)) { app.about = null; return; }
  const found = await get(`${base}/about/${encodeURIComponent(id)}`).catch(() => null);
  if (mine !== wanted || !found) return;
  app.about = found;
  paintPanel();
  tell("about");
}

function row(entry) {
  const piece = app.world.pieces.get(entry.id), colour = sideColours(app.world)(piece?.side);
  const kind = app.about.distance_unit, known = entry.distance !== null && entry.distance !== undefined;
  const mark = { in: "″", mm: " mm", count: "" }[kind] ?? "", far = known ? num(entry.distance, kind === "in" ? 1 : 0) + mark : "";
  const more = [], sees = { yes: ["y", "✓", "sees"], no: ["n", "✗", "sees-not"], "too-close": ["", "≈", "sees"], unknown: ["", "?", "sees"] }[entry.sees];
  if (sees) more.push(el("span", { class: sees[0] }, `${sees[1]} ${t(sees[2])}`));
  if (entry.arc && entry.arc !== "unknown") more.push(el("span", {}, entry.arc === "too-close" ? "≈" : word(entry.arc)));
  if (entry.band !== null && entry.band !== undefined && entry.band !== "unknown") more.push(el("span", {}, word(entry.band)));
  if (entry.engaged === "yes") more.push(el("b", {}, t("engaged")));
  const exact = known && entry.distance_sigma ? `${num(entry.distance, 2)} ± ${num(1.96 * entry.distance_sigma, 2)} ${kind}` : far;
  return el("li", {}, el("button", { type: "button", "--c": colour, title: exact, onclick: () => { app.to = entry.id; tell("picked"); askBetween(app.from, entry.id); } },
    el("span", { class: "swatch" }), el("span", { class: "name" }, piece?.label ?? entry.id), el("span", { class: "dist" }, far), more.length > 0 && el("span", { class: "more" }, more)));
}

export function paintPanel() {
  const host = $("#panel"), piece = app.world?.pieces.get(app.from);
  if (app.override) return swap(host, app.override());
  if (!piece) return swap(host, overview());
  const rows = app.about?.piece === piece.id ? app.about.rows.filter((r) => app.world.pieces.has(r.id)) : null;
  return swap(host,
    el("div", { class: "panel-title" }, el("div", { class: "grow" }, el("h2", {}, piece.label), el("div", { class: "chips" }, chips(piece))), el("button", { class: "icon plain", type: "button", title: t("close"), "aria-label": t("close"), onclick: () => select(null) }, icon("close", 20))),
    el("div", { class: "row", style: "margin-top:12px" }, el("button", { type: "button", onclick: openMenu }, `${t("ask-one")} ▾`), app.rights === "full" && el("button", { type: "button", onclick: () => openEdit(piece.id) }, icon("pen", 18), t("edit"))),
    !app.to && el("p", { class: "muted small", style: "margin-top:10px" }, t("hint-next")),
    el("h3", { class: "section-title", style: "margin-top:16px" }, t("from-here")),
    rows ? el("ul", { class: "others" }, rows.map(row)) : el("p", { class: "muted" }, "…"));
}

function overview() {
  const pieces = [...(app.world?.pieces.values() ?? [])].filter((p) => p.kind === "model" || p.kind === "unit" || app.world.pieces.size < 40);
  const colours = app.world ? sideColours(app.world) : () => "";
  const hints = el("div", { class: "hint" }, ["hint-select", "hint-ask", "hint-drag"].map((k, i) => el("p", {}, icon(["tap", "two", "move"][i]), el("span", {}, t(k)))));
  const list = el("ul", { class: "others" }, pieces.map((p) => el("li", {}, el("button", { type: "button", "--c": colours(p.side), onclick: () => select(p.id) }, el("span", { class: "swatch" }), el("span", { class: "name" }, p.label), el("span", { class: "dist muted" }, p.kind === "unit" && p.count ? `${p.count}` : "")))));
  const out = [hints];
  if (pieces.length) out.push(el("h3", { class: "section-title", style: "margin-top:18px" }, t("on-the-table")), list);
  if (app.rulings?.length) out.push(el("h3", { class: "section-title", style: "margin-top:18px" }, t("last-rulings")), rulingList());
  return out;
}

function rulingList() {
  const tone = { yes: "var(--yes)", no: "var(--no)", "too-close": "var(--close)", unknown: "var(--unknown)" };
  return el("ul", { class: "rulings" }, app.rulings.slice(0, 6).map((r) => el("li", {}, el("a", { href: `/api/rulings/${r.id}/report.html?lang=${document.documentElement.lang}`, target: "_blank", rel: "noopener", "--tone": tone[r.verdict.answer] ?? "var(--none)" }, el("b", {}, r.verdict.headline), el("div", { class: "small" }, (r.verdict.who ?? []).map(pieceName).join(" → ")), el("div", { class: "when" }, new Date(r.created).toLocaleString(document.documentElement.lang))))));
}

export async function loadRulings() {
  app.rulings = await get(`/api/rulings?table=${encodeURIComponent(tableId)}&limit=6`).catch(() => []);
  paintPanel();
}

on("ruled", loadRulings);
export { length };
