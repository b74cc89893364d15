// Everything by keyboard.
import { app, tell } from "./app.js";
import { dialog, el } from "./dom.js";
import { openFreeze } from "./freeze.js";
import { openMenu } from "./questions.js";
import { t } from "./i18n.js";

const KEYS = [["Tab", "key-tab"], ["Enter", "key-enter"], ["R", "key-r"], ["W", "key-w"], ["T", "key-t"], ["F", "key-f"], ["O", "key-o"], ["E", "key-e"], ["U", "key-u"], ["V", "key-v"], ["/", "key-find"], ["← ↑ → ↓", "key-arrows"], ["Esc", "key-esc"], ["?", "key-keys"]];

export function openKeys() {
  const shown = dialog(t("keys"), el("dl", { class: "keys" }, KEYS.flatMap(([key, text]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, t(text))])), el("div", { class: "actions" }, el("button", { class: "primary", onclick: () => shown.close() }, t("close"))));
}

function openFind(select) {
  const search = el("input", { type: "search", placeholder: t("find"), "aria-label": t("find") }), list = el("div", { class: "menu" });
  const shown = dialog(t("find"), search, list);
  const fits = () => [...app.world.pieces.values()].filter((p) => p.label.toLowerCase().includes(search.value.toLowerCase())).slice(0, 30);
  const take = (piece) => { shown.close(); select(piece.id); app.stage.reveal(piece, app.world); app.stage.layers.pieces.querySelector(`[data-piece="${CSS.escape(piece.id)}"]`)?.focus(); };
  const paint = () => list.replaceChildren(...fits().map((p) => el("button", { type: "button", onclick: () => take(p) }, p.label)));
  search.addEventListener("input", paint);
  search.addEventListener("keydown", (event) => { if (event.key === "Enter" && fits().length) { event.preventDefault(); take(fits()[0]); } });
  paint();
  search.focus();
}

export function startKeys({ select, undo, openEdit, switchView, toolKeys, cancelTool }) {
  addEventListener("keydown", (event) => {
    if (event.target.closest?.("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (toolKeys(event)) { event.preventDefault(); return; }
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const work = {
      r: () => tell("tool", "ruler"), w: () => tell("tool", "whatif"), t: () => tell("tool", "terrain"), f: openFreeze, u: undo, o: openMenu, "?": openKeys, "/": () => openFind(select),
      e: () => app.from && openEdit(app.from), v: () => app.world.camera && switchView(app.stage.mode === "camera" ? "table" : "camera"), "+": () => app.stage.zoomBy(0.7), "-": () => app.stage.zoomBy(1.43), "0": () => app.stage.fit(),
      Escape: () => { tell("escape"); if (!cancelTool()) select(null); },
      ArrowLeft: () => app.stage.panPx(60, 0), ArrowRight: () => app.stage.panPx(-60, 0), ArrowUp: () => app.stage.panPx(0, 60), ArrowDown: () => app.stage.panPx(0, -60),
    }[key];
    if (work) { event.preventDefault(); work(); }
  });
}
