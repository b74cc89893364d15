// Freeze: measure, ask, seal; then the report.
import { app, base, tell, unit, pieceName } from "./app.js";
import { ApiError, post } from "./api.js";
import { card } from "./card.js";
import { dialog, el, recall, remember, toast } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";

export function openFreeze() {
  if (!app.question || app.rights !== "full") return;
  const known = app.world.players?.length ? app.world.players : recall("players", ["", ""]);
  const one = el("input", { type: "text", maxlength: 60, value: known[0] ?? "", autocomplete: "off" }), two = el("input", { type: "text", maxlength: 60, value: known[1] ?? "", autocomplete: "off" });
  const judge = el("input", { type: "text", maxlength: 80, value: recall("judge", ""), autocomplete: "off" }), note = el("textarea", { rows: 3, maxlength: 2000 });
  const send = el("button", { class: "primary", type: "submit" }, icon("snow", 18), t("freeze-do"));
  const label = (text, control) => el("label", { class: "field" }, el("span", {}, text), control);
  const form = el("form", { method: "dialog" }, el("p", { class: "muted", style: "margin-bottom:14px" }, t("freeze-text")),
    el("div", { class: "two" }, label(t("player", { n: 1 }), one), label(t("player", { n: 2 }), two)), label(t("judge"), judge), label(t("note"), note),
    el("div", { class: "actions" }, el("button", { type: "button", onclick: () => shown.close() }, t("cancel")), send));
  const shown = dialog(t("freeze-title"), form);
  note.focus();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    remember("players", [one.value, two.value]);
    remember("judge", judge.value);
    try {
      const ruling = await post(`${base}/rulings`, { question: app.question, note: note.value, players: [one.value, two.value].filter(Boolean), judge: judge.value });
      shown.close();
      tell("ruled", ruling);
      result(ruling);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      send.disabled = false;
      toast(error.message, true);
    }
  });
}

function result(ruling) {
  const link = (path, text, primary) => el("a", { class: `button ${primary ? "primary" : ""}`, href: `${path}?lang=${document.documentElement.lang}`, target: "_blank", rel: "noopener" }, text);
  const shown = dialog(t("ruled", { id: ruling.id }), card(ruling.verdict, { unit: unit(), names: pieceName, live: false }),
    el("p", { class: "small muted", style: "margin-top:12px;overflow-wrap:anywhere" }, `${t("fingerprint")}: ${ruling.hash}`),
    el("div", { class: "actions" }, link(ruling.bundle, t("bundle")), link(ruling.report_pdf, t("pdf")), link(ruling.report_html, t("report"), true), el("button", { type: "button", onclick: () => shown.close() }, t("close"))));
}
