// The first page: tables, a photograph, a camera, samples, rulings.
import { get } from "./api.js";
import { $, el, remember, swap } from "./dom.js";
import { icon } from "./icons.js";
import { lang, say, setLang, t, translate } from "./i18n.js";
import { cameraBox, photoBox, sampleTiles } from "./open.js";

async function paint() {
  translate(document);
  $("#lang-button").textContent = lang === "es" ? "en" : "es";
  const games = new Map((await get("/api/games").catch(() => [])).map((g) => [g.id, g]));
  const tables = await get("/api/tables").catch(() => null);
  if (tables === null) { swap($("main"), el("h1", {}, t("need-token"))); return; }
  swap($("#tables"), tables.length ? tables.map((x) => el("a", { class: "big", href: `/t/${encodeURIComponent(x.id)}` }, el("b", {}, /^\d+$/.test(x.name) ? `${t("table-view")} ${x.name}` : x.name), el("span", {}, say(games.get(x.game)?.title)), el("span", { class: "muted small" }, el("i", { class: `dot ${x.status}` }), t(x.status, { s: "…" }), " · ", t("pieces", { n: x.pieces })))) : el("p", { class: "muted" }, t("no-tables")));
  swap($("#photo"), await photoBox());
  swap($("#camera"), await cameraBox());
  swap($("#samples"), await sampleTiles(games));
  const rulings = await get("/api/rulings?limit=8").catch(() => []);
  $("#rulings-part").hidden = !rulings.length;
  const tone = { yes: "var(--yes)", no: "var(--no)", "too-close": "var(--close)", unknown: "var(--unknown)" };
  swap($("#rulings"), el("ul", { class: "rulings" }, rulings.map((r) => el("li", {}, el("a", { href: `/api/rulings/${r.id}/report.html?lang=${lang}`, target: "_blank", rel: "noopener", "--tone": tone[r.verdict.answer] ?? "var(--none)" }, el("b", {}, r.verdict.headline), el("div", { class: "small" }, r.verdict.because), el("div", { class: "when" }, `${say(games.get(r.game)?.title)} · ${new Date(r.created).toLocaleString(lang)}`))))));
  document.documentElement.dataset.ready = "yes";
}

$("#lang-button").addEventListener("click", () => { setLang(lang === "es" ? "en" : "es"); paint(); });
$("#theme-button").addEventListener("click", () => {
  const next = getComputedStyle(document.documentElement).colorScheme === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  remember("theme", next);
  swap($("#theme-button"), icon(next === "dark" ? "sun" : "moon"));
});
swap($("#theme-button"), icon(getComputedStyle(document.documentElement).colorScheme === "dark" ? "sun" : "moon"));
paint();
