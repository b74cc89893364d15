// The answer card: the answer first, then by how much, who, the numbers, because, the rules.
import { el } from "./dom.js";
import { length, num, t, word } from "./i18n.js";

export const ICONS = { yes: "✓", no: "✗", "too-close": "≈", unknown: "?", none: "•" };

const UNITS = { deg: "°", count: "", share: "" };

/** Two decimals of an inch at most, and never more digits than the band deserves. */
function digits(unit, sigma) {
  if (unit === "count") return 0;
  const most = unit === "in" || unit === "share" ? 2 : 1;
  if (!sigma) return most;
  return Math.max(0, Math.min(most, Math.ceil(-Math.log10(1.96 * sigma)) + 1));
}

export function valueText(verdict) {
  if (verdict.value === null || verdict.value === undefined) return null;
  const unit = verdict.unit, mark = unit in UNITS ? UNITS[unit] : ` ${unit}`, n = digits(unit, verdict.value_sigma);
  const band = verdict.value_sigma ? ` ± ${num(1.96 * verdict.value_sigma, n)}` : "";
  return { text: `${num(verdict.value, n)}${band}${mark}`, limit: verdict.limit !== null && verdict.limit !== undefined ? t("limit", { d: `${num(verdict.limit, n)}${mark}` }) : "" };
}

export function marginText(verdict, unit) {
  if (verdict.margin === null || verdict.margin === undefined || !verdict.answer || verdict.answer === "unknown") return "";
  const size = length(Math.abs(verdict.margin), unit);
  if (verdict.answer === "too-close") return t("from-line", { d: size, b: length(1.96 * (verdict.sigma ?? 0), unit) });
  return t("by", { d: size });
}

const inMm = (verdict) => (verdict.unit === "in" && verdict.value !== null ? `${num(verdict.value * 25.4, 1)} mm` : "");

/** The card as an element. `names(id)` gives a piece's name, `actions` are buttons for its foot. */
export function card(verdict, { unit, names, actions = [], settle = null, stale = null, live = true } = {}) {
  const kind = verdict.answer ?? "none", value = valueText(verdict), margin = marginText(verdict, unit);
  const who = verdict.who.map(names).join(" → "), band = [verdict.band, verdict.arc].filter((w) => w !== null && w !== undefined).map(word).join(" · ");
  const found = [];
  if (verdict.blockers?.length) found.push(t("in-the-way", { ids: verdict.blockers.map(names).join(", ") }));
  if (verdict.ids) found.push(verdict.ids.length ? t("found", { ids: verdict.ids.map(names).join(", ") }) : t("nothing-found"));
  if (verdict.hexes) found.push(t("hexes", { n: verdict.hexes.length }));
  const steps = el("ol", { class: "steps", hidden: true }, verdict.steps.map((s) => el("li", {}, s)));
  const why = el("button", { class: "why plain small", type: "button", "aria-expanded": "false", onclick: () => { steps.hidden = !steps.hidden; why.setAttribute("aria-expanded", String(!steps.hidden)); why.textContent = `${t("why")} ${steps.hidden ? "▸" : "▾"}`; } }, `${t("why")} ▸`);
  return el("article", { class: `card ${kind}${stale ? " stale" : ""}` },
    el("div", { class: "answer" }, el("span", { class: "badge", "aria-hidden": "true" }, ICONS[kind]),
      el("div", { class: "words" }, el("div", { class: "word" }, verdict.answer ? t(verdict.answer) : value ? value.text : t("none")), margin && el("div", { class: "margin" }, margin))),
    (who || band) && el("div", { class: "who" }, el("span", {}, who), el("span", { class: "band" }, band)),
    value && verdict.answer && el("div", { class: "value", title: inMm(verdict) }, value.text, value.limit && el("span", { class: "limit" }, value.limit)),
    el("p", { class: "because" }, verdict.because),
    found.map((line) => el("p", { class: "because" }, line)),
    verdict.remedy && el("p", { class: "remedy" }, verdict.remedy),
    settle && el("div", { class: "settle" }, settle),
    verdict.notes.length > 0 && el("ul", { class: "notes" }, verdict.notes.map((n) => el("li", {}, n))),
    el("p", { class: "stale-word" }, stale ?? ""),
    el("div", { class: "foot" }, el("span", { class: "rules" }, verdict.rules.join(" · ")), live && verdict.steps.length > 0 && why),
    live && steps,
    actions.length > 0 && el("div", { class: "do" }, actions));
}

/** The card in one breath, for screen readers and for copying. */
export function spoken(verdict, names, unit) {
  const value = valueText(verdict);
  return [verdict.answer ? t(verdict.answer) : t("none"), marginText(verdict, unit), verdict.who.map(names).join(" → "), value && [value.text, value.limit].filter(Boolean).join(", "), verdict.because, verdict.rules.join(", ")].filter(Boolean).join(". ");
}
