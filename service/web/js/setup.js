// Set-up: five cards in any order, each shows whether it is done or what is missing.
import { app, base, game, on, tableId, tell, unit } from "./app.js";
import { attempt, get, patch, post, put } from "./api.js";
import { el, swap, svg, toast } from "./dom.js";
import { icon } from "./icons.js";
import { num, say, t } from "./i18n.js";
import { cameraBox, photoBox, sampleTiles } from "./open.js";
import { field } from "./questions.js";

const CARDS = [["camera", "camera"], ["sheets", "sheet"], ["accuracy", "target"], ["game", "dice"], ["share", "share"]];
let box = null, current = "game", calibration = null, timer = null;

export async function openSetup(card = null) {
  if (box) return;
  current = card ?? (app.world.camera || app.world.status.word === "settled" ? "game" : "camera");
  const nav = el("nav", {}), page = el("div", { class: "page", tabindex: -1 });
  box = el("dialog", { id: "setup", "aria-label": t("setup-title") }, el("div", { class: "body" }, el("h2", {}, t("setup-title")), nav, page), el("button", { class: "icon plain shut", type: "button", "aria-label": t("close"), onclick: () => box.close() }, icon("close")));
  box.addEventListener("close", () => { clearInterval(timer); box.remove(); box = null; });
  box.addEventListener("click", (event) => event.target === box && box.close());
  document.body.append(box);
  box.showModal();
  calibration = await get(`${base}/calibration`).catch(() => null);
  paintNav();
  paintPage();
  timer = setInterval(async () => { if (["sheets", "camera"].includes(current) && app.world.status.word !== "settled") { calibration = await get(`${base}/calibration`).catch(() => calibration); paintNav(); if (current === "sheets") paintPage(); } }, 1500);
}

function done() {
  const still = !app.line || (!app.world.camera && app.world.status.word === "settled");
  return { camera: still || app.world.status.word !== "waiting", sheets: still || Boolean(calibration?.grade), accuracy: still || ["gold", "silver"].includes(calibration?.grade), game: !needed().length, share: true };
}

const needed = () => (game()?.params ?? []).filter((p) => p.default === null && app.world.params?.[p.name] === undefined);

function paintNav() {
  if (!box) return;
  const state = done();
  swap(box.querySelector("nav"), CARDS.map(([name, picture]) => el("button", { type: "button", "aria-current": String(name === current), onclick: () => { current = name; paintNav(); paintPage(); } }, icon(picture), t(`card-${name}`), el("span", { class: `mark ${state[name] ? "ok" : ""}` }, state[name] ? t("ok") : t("missing")))));
}

async function paintPage() {
  const page = box?.querySelector(".page");
  if (!page) return;
  const made = await { camera: cameraPage, sheets: sheetsPage, accuracy: accuracyPage, game: gamePage, share: sharePage }[current]();
  if (box) swap(page, made);
}

// --- camera ------------------------------------------------------------------------------------------------

async function cameraPage() {
  return [app.world.camera && preview(), el("h3", {}, t("connect-camera")), await cameraBox(), el("h3", {}, t("take-photo")), await photoBox(app.world.game), el("h3", {}, t("try-sample")), el("div", { class: "sample-list" }, await sampleTiles(app.games))];
}

/** The newest picture with the sheets that are seen in it. */
function preview(onTap = null, points = []) {
  const size = calibration?.size ?? [1920, 1080];
  const over = svg("svg", { class: "over", viewBox: `0 0 ${size[0]} ${size[1]}` }, (calibration?.markers ?? []).map((m) => [svg("polygon", { class: "found", points: m.corners.map((c) => c.join(",")).join(" ") }), svg("text", { x: m.corners.reduce((s, c) => s + c[0], 0) / 4, y: m.corners.reduce((s, c) => s + c[1], 0) / 4 + size[0] * 0.009, "font-size": size[0] * 0.026, "stroke-width": size[0] * 0.006 }, String(m.id))]), points.map((p) => svg("circle", { class: "dotted", cx: p[0], cy: p[1], r: size[0] * 0.006 })));
  const node = el("div", { class: "preview" }, el("img", { src: `${base}/frame.jpg?${Date.now()}`, alt: "" }), over);
  if (onTap) over.addEventListener("click", (event) => { const r = over.getBoundingClientRect(); onTap([((event.clientX - r.left) / r.width) * size[0], ((event.clientY - r.top) / r.height) * size[1]]); });
  return node;
}

// --- sheets ------------------------------------------------------------------------------------------------

async function sheetsPage() {
  const links = ["corners", "tags", "lens", "check"].map((kind, i) => el("a", { class: `button ${i ? "" : "primary"}`, href: `/api/sheets.pdf?kind=${kind}`, target: "_blank", rel: "noopener" }, t(`sheets-${kind === "corners" ? "corner" : kind}`)));
  const missing = calibration?.missing ?? [];
  return [el("p", {}, t("sheets-text")), el("div", { class: "row" }, links), calibration?.size && preview(),
    calibration?.size && el("p", { role: "status", style: "font-weight:600" }, missing.length ? t("sheet-missing", { ids: missing.map((m) => t(m)).join(", ") }) : `✓ ${t("sheets-all")}`), calibration?.fault && el("p", { class: "muted" }, calibration.fault)];
}

// --- accuracy ----------------------------------------------------------------------------------------------

let ends = [];

async function accuracyPage() {
  const c = calibration;
  const again = el("button", { class: "primary", type: "button", onclick: async () => { const made = await attempt(() => post(`${base}/calibration`, {})); if (made) { calibration = made; paintNav(); paintPage(); } } }, t("calibrate"));
  if (!c?.grade) return [el("p", { class: "muted" }, c?.fault ?? t("means-unfit")), c?.size ? preview() : null, c && again];
  const worst = Math.max(...c.map.flat().filter((v) => v !== null), 1.5);
  const colour = (v) => (v === null ? "transparent" : `color-mix(in oklab, #16c79a ${Math.max(0, 100 - (100 * v) / Math.min(worst, 6))}%, #d55e00)`);
  const heat = el("div", { class: "heat", style: `grid-template-columns:repeat(${c.map[0].length},1fr)`, role: "img", "aria-label": t("card-accuracy") }, [...c.map].reverse().flatMap((row) => row.map((v) => el("i", { style: `background:${colour(v)};aspect-ratio:${c.table_mm[0]}/${c.table_mm[1]}`, title: v === null ? "—" : `± ${num(v, 1)} mm` }))));
  const length = el("input", { type: "number", min: 1, step: "any", value: 304.8 });
  const result = el("p", { role: "status", style: "font-weight:600" });
  const check = async () => { if (ends.length < 2) return; const r = await attempt(() => post(`${base}/calibration/check`, { a_px: ends[0], b_px: ends[1], length_mm: Number(length.value) })); if (r) result.textContent = `${r.within ? "✓" : "✗"} ${t("check-result", { m: num(r.measured_mm, 1), e: num(r.error_mm, 1), b: num(r.band_mm, 1) })}`; };
  const pic = app.world.camera && c.size ? preview((p) => { ends = ends.length === 2 ? [p] : [...ends, p]; paintPage(); }, ends) : null;
  return [el("div", { class: "grade-big" }, el("span", { class: `medal ${c.grade}` }, c.grade[0].toUpperCase()), el("div", {}, el("b", {}, t(`grade-${c.grade}`)), el("div", {}, t(`means-${c.grade}`)), el("div", { class: "muted small" }, t("error-median", { d: num(c.error95_mm.median, 1), w: num(c.error95_mm.worst, 1) })))), heat,
    c.advice.length > 0 && el("div", {}, el("h3", {}, t("would-help")), el("ul", {}, c.advice.map((a) => el("li", {}, a)))), c.size && again,
    pic && el("h3", {}, t("check-known")), pic && el("p", { class: "muted" }, t("check-hint")), pic, pic && el("div", { class: "row" }, el("label", { class: "grow" }, el("span", {}, t("known-length")), length), el("button", { type: "button", disabled: ends.length < 2, style: "align-self:end", onclick: check }, t("check-known"))), result];
}

// --- game --------------------------------------------------------------------------------------------------

async function gamePage() {
  const g = game(), may = app.rights === "full";
  const send = (body) => attempt(() => patch(base, body)).then((ok) => { if (ok) { setTimeout(() => { paintNav(); paintPage(); }, 150); } return ok; });
  const name = el("input", { type: "text", value: app.world.name, maxlength: 60, disabled: !may, onchange: () => name.value && send({ name: name.value }) });
  const choice = el("select", { disabled: !may, onchange: () => send({ game: choice.value, params: {} }) }, [...app.games.values()].map((x) => el("option", { value: x.id, ...(x.id === g?.id ? { selected: true } : {}) }, say(x.title))));
  const mode = el("select", { disabled: !may, onchange: () => send({ mode: mode.value }) }, ["friendly", "tournament"].map((m) => el("option", { value: m, ...(m === app.world.mode ? { selected: true } : {}) }, t(m))));
  const label = (text, control) => el("label", {}, el("span", {}, text), control);
  const k = unit() === "in" ? 25.4 : 1;
  // The world is in mm; people read and write the game's unit.
  const inUnit = (p, v) => (v === undefined || k === 1 ? v : p.kind === "length" ? Math.round((v / k) * 1e4) / 1e4 : p.kind === "lengths" ? v.map((x) => Math.round((x / k) * 1e4) / 1e4) : v);
  const held = Object.fromEntries((g?.params ?? []).map((p) => [p.name, inUnit(p, app.world.params?.[p.name])]).filter(([, v]) => v !== undefined));
  const params = (g?.params ?? []).filter((p) => p.kind !== "json").map((p) => {
    const set = held[p.name], factor = p.unit === "in" ? 25.4 : 1;
    const shown = set ?? (["length"].includes(p.kind) && p.default !== null ? Math.round((p.default * factor * 1000) / k) / 1000 : p.kind === "lengths" ? (p.default ?? []).map((v) => (v * factor) / k).join(", ") : p.default);
    const f = field({ ...p, kind: p.kind === "lengths" ? "text" : p.kind, required: false, default: null }, Array.isArray(shown) ? shown.join(", ") : shown ?? undefined);
    f.control.disabled = !may;
    f.control.addEventListener("change", () => { let value = f.read(); if (p.kind === "lengths") value = String(value ?? "").split(/[,;]/).map(Number).filter((v) => v > 0); if (p.kind === "flag") value = f.control.checked; send({ params: { ...held, [p.name]: value ?? null } }); });
    const note = p.default === null && set === undefined ? t("param-needed") : !p.sure && set === undefined ? t("param-unsure") : "";
    const lay = p.kind === "length" && may ? el("button", { type: "button", onclick: () => { box.close(); tell("tool", "ruler"); toast(t("measure-hint")); app.measuring = (mm) => { send({ params: { ...held, [p.name]: Math.round((mm / k) * 1000) / 1000 } }); openSetup("game"); }; } }, t("measure-it")) : null;
    return el("div", { class: "param" }, el("div", {}, f.node, note && el("span", { class: "flag" }, note)), lay);
  });
  return [label(t("table-name"), name), el("div", { class: "two" }, label(t("game-label"), choice), label(t("mode-label"), mode)), params.length > 0 && el("h3", {}, t("params")), params];
}

// --- share -------------------------------------------------------------------------------------------------

async function sharePage() {
  const share = await get(`/api/share?table=${encodeURIComponent(tableId)}`).catch(() => null);
  if (!share || share.rights !== "full") return [el("p", {}, t("read-only"))];
  const link = (text) => { const input = el("input", { type: "text", readonly: true, value: text, onfocus: () => input.select() }); return el("div", { class: "link" }, input, el("button", { class: "icon", type: "button", "aria-label": t("copy"), onclick: async () => { try { await navigator.clipboard.writeText(input.value); toast(t("copied")); } catch { input.select(); } } }, icon("copy", 18))); };
  const qr = (text) => el("img", { class: "qr", alt: "QR", src: `/api/qr.svg?text=${encodeURIComponent(text)}` });
  const phone = share.reachable ? [el("div", { class: "row", style: "align-items:flex-start;gap:20px" }, qr(share.phone[0]), el("div", { class: "grow" }, el("p", {}, el("b", {}, t("share-full"))), link(share.phone[0]), el("p", { style: "margin-top:10px" }, el("b", {}, t("share-read"))), link(share.watch[0])))] : [el("p", { class: "muted" }, t("share-local"))];
  return [el("h3", {}, t("share-phone")), ...phone, el("h3", {}, t("share-overlay")), ...overlayBuilder(share.overlay[0], link)];
}

function overlayBuilder(address, link) {
  const state = { show: new Set(app.world.overlay?.show ?? ["ruling", "names"]), theme: app.world.overlay?.theme ?? "dark", units: app.world.overlay?.unit ?? unit(), aligned: app.world.camera };
  const caption = el("input", { type: "text", maxlength: 120, value: app.world.overlay?.caption ?? "", onchange: () => attempt(() => put(`${base}/overlay`, { caption: caption.value })) });
  const place = el("div", {}), frame = el("iframe", { title: t("share-overlay"), tabindex: -1 }), wrap = el("div", { class: "overlay-preview" }, frame);
  const paint = () => {
    const url = new URL(address);
    url.searchParams.set("show", [...state.show].join(","));
    url.searchParams.set("units", state.units);
    url.searchParams.set("theme", state.theme);
    if (!state.aligned) url.searchParams.set("aligned", "0");
    swap(place, link(url.toString()));
    const here = new URL(url.pathname + url.search, location.origin);
    here.searchParams.delete("token");
    here.searchParams.set("still", "1");
    frame.src = here.toString();
  };
  const box_ = (key) => { const input = el("input", { type: "checkbox", checked: state.show.has(key), onchange: () => { state.show[input.checked ? "add" : "delete"](key); paint(); } }); return el("label", { class: "check" }, input, el("span", {}, t(`ov-${key}`))); };
  const pick = (key, values) => { const s = el("select", { onchange: () => { state[key] = s.value; paint(); } }, values.map(([v, text]) => el("option", { value: v, ...(v === state[key] ? { selected: true } : {}) }, text))); return s; };
  const aligned = el("input", { type: "checkbox", checked: state.aligned, onchange: () => { state.aligned = aligned.checked; paint(); } });
  const fit = () => { frame.style.transform = `scale(${wrap.clientWidth / 1920})`; };
  new ResizeObserver(fit).observe(wrap);
  paint();
  return [el("ol", { class: "three" }, ["obs-1", "obs-2", "obs-3"].map((k) => el("li", {}, t(k)))), place, el("div", { class: "checks" }, ["ruling", "names", "outlines", "arcs", "ranges", "scale", "caption"].map(box_), el("label", { class: "check" }, aligned, el("span", {}, t("ov-aligned")))), el("div", { class: "two" }, el("label", {}, el("span", {}, t("theme")), pick("theme", [["dark", t("dark_")], ["light", t("light_")]])), el("label", {}, el("span", {}, t("units")), pick("units", [["in", "in"], ["mm", "mm"]]))), el("label", {}, el("span", {}, t("caption-text")), caption), wrap];
}

on("world", (changed) => { if (box && (changed.has("params") || changed.has("game"))) paintNav(); });
