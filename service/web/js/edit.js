// Correct by hand: name, side, base, count, facing, traits; merge, split, remove.
import { app, base, game, on, tell } from "./app.js";
import { attempt, post } from "./api.js";
import { dialog, el, toast } from "./dom.js";
import { num, say, t } from "./i18n.js";

export const edit = (body) => attempt(() => post(`${base}/edits`, body));

export function openEdit(id, focus = "name") {
  const piece = app.world.pieces.get(id), g = game();
  if (!piece || app.rights !== "full") return;
  const sides = [...new Set(["A", "B", ...[...app.world.pieces.values()].map((p) => p.side).filter(Boolean)])].sort();
  const option = (value, text, chosen) => el("option", { value, ...(chosen ? { selected: true } : {}) }, text);
  const name = el("input", { type: "text", value: piece.name ?? "", placeholder: piece.id, maxlength: 80 });
  const side = el("select", {}, option("", t("nobody"), !piece.side), ...sides.map((s) => option(s, t("side-x", { s }), s === piece.side)));
  const kind = el("select", {}, ...["model", "unit", "token", "marker"].map((k) => option(k, t(`kind-${k}`), k === piece.kind)));
  const sizes = [...(g?.bases_mm ?? [])];
  const now = piece.base && (piece.base[0] === "c" ? [piece.base[1]] : piece.base[0] === "r" ? [piece.base[1], piece.base[2]] : null);
  if (now && !sizes.some((s) => String(s) === String(now))) sizes.unshift(now);
  const text = (s) => (s.length === 1 ? t("base-circle", { d: num(s[0], 1) }) : t("base-rect", { w: num(s[0], 1), d: num(s[1], 1) }));
  const baseSize = el("select", {}, option("", piece.base && !now ? t("base-other") : t("base-none"), !now), ...sizes.map((s) => option(JSON.stringify(s), text(s), now && String(s) === String(now))), option("other", t("base-other")));
  const otherW = el("input", { type: "number", min: 1, step: "any", placeholder: t("width") }), otherD = el("input", { type: "number", min: 1, step: "any", placeholder: t("depth") });
  const other = el("div", { class: "two field", hidden: true }, otherW, otherD);
  baseSize.addEventListener("change", () => { other.hidden = baseSize.value !== "other"; });
  const count = el("input", { type: "number", min: 0, max: 2000, step: 1, value: piece.count ?? "" }), files = el("input", { type: "number", min: 1, max: 200, step: 1, value: piece.files ?? "" });
  const many = el("div", { class: "two" }, label(t("count"), count), label(t("files"), files));
  const facing = el("input", { type: "number", step: "any", value: piece.facing ?? "", placeholder: "?" });
  const dial = compass(piece.facing, (deg) => { facing.value = num(deg, 0).replace(",", "."); });
  facing.addEventListener("input", () => dial.set(facing.value === "" ? null : Number(facing.value)));
  const show = () => { many.hidden = kind.value === "model"; };
  kind.addEventListener("change", show);
  show();
  const traits = (g?.traits ?? []).filter((x) => x.on !== "terrain").map((x) => traitField(x, piece.traits));
  const strange = piece.traits.filter((x) => !(g?.traits ?? []).some((y) => y.name === x.split(":")[0]));
  const form = el("form", { method: "dialog" }, label(t("name"), name), el("div", { class: "two" }, label(t("side"), side), label(t("kind"), kind)), label(t("base"), baseSize), other, many,
    el("div", { class: "row field" }, dial.node, el("label", { class: "grow" }, el("span", {}, `${t("facing")} (°)`), facing)),
    traits.length > 0 && el("div", { class: "field" }, el("span", { class: "muted small" }, t("traits")), el("div", { class: "trait-list" }, traits.map((x) => x.node))),
    el("div", { class: "row" }, piece.kind === "unit" && el("button", { type: "button", onclick: () => { shown.close(); edit({ do: "split", piece: id }); } }, t("split")), el("button", { type: "button", onclick: () => { shown.close(); startMerge(id); } }, t("merge")), el("button", { type: "button", onclick: () => { shown.close(); edit({ do: "remove", piece: id }).then(() => tell("unpick")); } }, t("remove"))),
    el("div", { class: "actions" }, el("button", { type: "button", onclick: () => shown.close() }, t("cancel")), el("button", { class: "primary", type: "submit" }, t("save"))));
  const shown = dialog(t("edit-title", { who: piece.label }), form);
  (focus === "facing" ? facing : name).focus();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const changes = {}, put = (key, value, was) => { if (JSON.stringify(value) !== JSON.stringify(was)) changes[key] = value; };
    put("name", name.value.trim() || null, piece.name);
    put("side", side.value || null, piece.side);
    put("kind", kind.value, piece.kind);
    if (baseSize.value === "other" && otherW.value) changes.base = otherD.value ? { shape: "rect", width: Number(otherW.value), depth: Number(otherD.value) } : { shape: "circle", diameter: Number(otherW.value) };
    else if (baseSize.value && baseSize.value !== "other" && (!now || String(JSON.parse(baseSize.value)) !== String(now))) { const s = JSON.parse(baseSize.value); changes.base = s.length === 1 ? { shape: "circle", diameter: s[0] } : { shape: "rect", width: s[0], depth: s[1] }; }
    if (kind.value !== "model") { put("count", count.value === "" ? null : Number(count.value), piece.count); put("files", files.value === "" ? null : Number(files.value), piece.files); }
    put("facing", facing.value === "" ? null : ((Number(facing.value) % 360) + 360) % 360, piece.facing);
    put("traits", [...strange, ...traits.flatMap((x) => x.read())], piece.traits);
    if (Object.keys(changes).length && (await edit({ do: "correct", piece: id, changes })) === undefined) return;
    shown.close();
  });
}

const label = (text, control) => el("label", { class: "field" }, el("span", {}, text), control);

function traitField(trait, have) {
  const found = have.find((x) => x === trait.name || x.startsWith(`${trait.name}:`));
  const box = el("input", { type: "checkbox", checked: Boolean(found) });
  const value = trait.value ? el("input", { type: "text", style: "width:6em;min-height:32px;padding:2px 8px", value: found?.includes(":") ? found.slice(trait.name.length + 1) : "", placeholder: trait.value, "aria-label": `${say(trait.title)}: ${trait.value}` }) : null;
  value?.addEventListener("input", () => { box.checked = value.value !== ""; });
  return { node: el("label", {}, box, el("span", {}, say(trait.title)), value), read: () => (box.checked ? [value?.value ? `${trait.name}:${value.value}` : trait.name] : []) };
}

/** A dial to turn with a finger: up is away from the reader. */
function compass(start, onTurn) {
  const node = el("div", { class: "compass", role: "img", "aria-label": t("facing") });
  const set = (deg) => { node.innerHTML = `<svg viewBox="-50 -50 100 100"><circle r="44"/>${deg === null ? '<text y="10" text-anchor="middle">?</text>' : `<g transform="rotate(${-deg})"><path d="M-20 0H30" /><path class="tip" d="M42 0 24-11v22z"/></g>`}</svg>`; };
  const turn = (event) => {
    const r = node.getBoundingClientRect(), deg = Math.round((Math.atan2(r.top + r.height / 2 - event.clientY, event.clientX - r.left - r.width / 2) * 180) / Math.PI);
    set(deg);
    onTurn((deg + 360) % 360);
  };
  node.addEventListener("pointerdown", (event) => { node.setPointerCapture(event.pointerId); turn(event); });
  node.addEventListener("pointermove", (event) => event.buttons && turn(event));
  set(start);
  return { node, set };
}

function startMerge(id) {
  app.merging = { id, with: new Set() };
  app.override = () => [el("h2", {}, t("merge")), el("p", { class: "muted", style: "margin:8px 0 14px" }, t("merge-hint", { who: app.world.pieces.get(id)?.label ?? id })),
    el("p", {}, [...app.merging.with].map((x) => app.world.pieces.get(x)?.label ?? x).join(", ")),
    el("div", { class: "row" }, el("button", { class: "primary", type: "button", disabled: !app.merging.with.size, onclick: finishMerge }, t("merge-do")), el("button", { type: "button", onclick: endMerge }, t("cancel")))];
  tell("picked");
}

function endMerge() { app.merging = null; app.override = null; tell("picked"); }

async function finishMerge() {
  const { id, with: others } = app.merging;
  endMerge();
  if (await edit({ do: "merge", pieces: [id, ...others] })) toast(t("merge-do"));
}

on("escape", () => app.merging && endMerge());
