// Opening a table: a sample, a camera, a photograph. Used by the home page and by set-up.
import { ApiError, attempt, get, post } from "./api.js";
import { el, toast } from "./dom.js";
import { icon } from "./icons.js";
import { say, t } from "./i18n.js";

const go = (id) => { location.href = `/t/${encodeURIComponent(id)}`; };

export async function sampleTiles(games) {
  const list = await get("/api/samples").catch(() => []);
  return list.map((sample) => el("button", { class: "tile big", type: "button", onclick: async () => { const made = await attempt(() => post("/api/tables", { sample: sample.id, name: title(sample, games) })); if (made) go(made.id); } },
    el("b", {}, title(sample, games)), el("span", { class: "muted small" }, t(`sample-${sample.kind}`))));
}

const title = (sample, games) => say(games.get(sample.game)?.title) || sample.id;

export async function cameraBox() {
  const list = await get("/api/sources").catch(() => []), games = await get("/api/games").catch(() => []);
  const game = el("select", {}, games.map((g) => el("option", { value: g.id }, say(g.title))));
  const open = async (source) => { const made = await attempt(() => post("/api/tables", { source, game: game.value })); if (made) go(made.id); };
  const address = el("input", { type: "text", placeholder: "rtsp://…", "aria-label": t("camera-address"), autocomplete: "off", spellcheck: "false" });
  return el("div", {}, el("label", { class: "field" }, el("span", {}, t("game-label")), game),
    list.length ? el("div", { class: "source-list field" }, list.map((s) => el("button", { class: "tile", type: "button", onclick: () => open(s.source) }, el("img", { class: "thumb", alt: "", loading: "lazy", src: `/api/sources/${s.source}/thumbnail.jpg`, onerror: (event) => event.target.remove() }), el("b", {}, s.name), el("span", { class: "muted small" }, `#${s.source}`)))) : el("p", { class: "muted field" }, t("camera-none")),
    el("form", { class: "row", onsubmit: (event) => { event.preventDefault(); if (address.value) open(address.value.trim()); } }, el("label", { class: "grow" }, el("span", {}, t("camera-address")), address), el("button", { type: "submit", style: "align-self:end" }, t("open"))));
}

export async function photoBox(game = null) {
  const games = await get("/api/games").catch(() => []);
  const chosen = el("select", { "aria-label": t("game-label") }, games.map((g) => el("option", { value: g.id, ...(g.id === game ? { selected: true } : {}) }, say(g.title))));
  const file = el("input", { type: "file", accept: "image/*", hidden: true });
  const button = el("button", { class: "primary", type: "button", onclick: () => file.click() }, icon("camera"), t("choose-photo"));
  const box = el("div", { class: "drop" }, el("p", { class: "muted" }, t("photo-text")), el("label", { style: "width:100%;text-align:left" }, el("span", {}, t("game-label")), chosen), button, file);
  const send = async (picture) => {
    if (!picture) return;
    button.disabled = true;
    button.lastChild.textContent = t("looking");
    const form = new FormData();
    form.append("picture", picture);
    form.append("game", chosen.value);
    try { const seen = await post("/api/photo", form); go(seen.table); } catch (error) { if (!(error instanceof ApiError)) throw error; toast(error.message, true); }
    button.disabled = false;
    button.lastChild.textContent = t("choose-photo");
  };
  file.addEventListener("change", () => send(file.files[0]));
  box.addEventListener("dragover", (event) => { event.preventDefault(); box.classList.add("over"); });
  box.addEventListener("dragleave", () => box.classList.remove("over"));
  box.addEventListener("drop", (event) => { event.preventDefault(); box.classList.remove("over"); send(event.dataTransfer.files[0]); });
  return box;
}
