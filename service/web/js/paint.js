// What stands on the table, and what a verdict draws on it.
import { svg } from "./dom.js";
import { centroid, circle, grown, hexCentre, hexOutline, hull, outlines, place, polar, silhouette } from "./geometry.js";
import { length, num, t } from "./i18n.js";

const SIDES = ["var(--side-a)", "var(--side-b)", "var(--side-c)", "var(--side-d)"];
const TERRAIN = {
  forest: "#6f9c5a", field: "#d9c262", hill: "#c7a876", water: "#7fb0d4", ruins: "#a89f94", wall: "#857b71", impassable: "#6c655f", blocking: "#6c655f", hindering: "#9bbb88", concealing: "#b4cda6",
  abyss: "#4a4550", clear: "#d6cfbd", rocks: "#8d857b", building: "#9b8a76", elevated: "#c2a981", "deployment-red": "#d98d86", "deployment-blue": "#8fb4d9", "shallow-water": "#a3c9e2", "deep-water": "#6497c2",
};
const DASHED = new Set(["limit", "path", "blocked"]);
const FOOT = 304.8;

export function sideColours(world) {
  const sides = [...new Set([...world.pieces.values()].map((p) => p.side).filter((s) => s && s !== "none"))].sort();
  return (side) => (sides.includes(side) ? SIDES[sides.indexOf(side) % SIDES.length] : "var(--neutral)");
}

export function paintGround(stage, world, unit) {
  const layer = stage.layers.ground, out = [];
  const plain = stage.mode === "table";
  if (world.table && !world.board?.hexes?.length && !world.spaces?.length) {
    const { width: w, depth: d } = world.table;
    if (plain) {
      out.push(svg("path", { class: "mat", d: stage.path([[0, 0], [w, 0], [w, d], [0, d]]) }));
      const step = unit === "in" ? FOOT / 2 : 100, every = unit === "in" ? 2 : 5;
      let grid = "";
      for (let i = 1; i * step < w - 1; i++) {
        grid += stage.path([[i * step, 0], [i * step, d]], false);
        if (i % every === 0) out.push(label(stage, [i * step, 0], unit === "in" ? `${i * 6}″` : `${i * 100}`, "tick", 14));
      }
      for (let i = 1; i * step < d - 1; i++) {
        grid += stage.path([[0, i * step], [w, i * step]], false);
        if (i % every === 0) out.push(label(stage, [0, i * step], unit === "in" ? `${i * 6}″` : `${i * 100}`, "tick", 4, -16));
      }
      out.push(svg("path", { class: "grid", d: grid }));
    } else out.push(svg("path", { class: "grid", d: stage.path([[0, 0], [w, 0], [w, d], [0, d]]) }));
  }
  for (const entry of world.board?.hexes ?? []) {
    out.push(svg("path", { class: `hexcell ${entry.type ?? "normal"}`, d: stage.path(hexOutline(world.board, entry.hex)) }));
    if (entry.start && plain) out.push(svg("path", { class: "grid", d: stage.path(circle(hexCentre(world.board, entry.hex), 6)) }));
  }
  for (const room of world.spaces ?? []) {
    out.push(svg("path", { class: "space", d: stage.path(room.outline) }));
    const xs = room.outline.map((p) => p[0]), ys = room.outline.map((p) => p[1]);
    out.push(label(stage, [(Math.min(...xs) + Math.max(...xs)) / 2, Math.max(...ys)], room.name.replaceAll("-", " "), "sname", 15));
  }
  layer.replaceChildren(...out);
}

function label(stage, at, text, kind, downPx = 0, rightPx = 0) {
  const [x, y] = stage.xy(at), u = stage.unitsPerPx;
  return svg("text", { class: kind, x: x + rightPx * u, y: y + downPx * u, "data-at": JSON.stringify(at), "data-off": `${rightPx},${downPx}` }, text);
}

/** After a zoom the labels' offsets in pixels are other drawing units. */
export function placeLabels(stage) {
  const u = stage.unitsPerPx;
  for (const node of stage.root.querySelectorAll("text[data-at]")) {
    const [x, y] = stage.xy(JSON.parse(node.dataset.at)), [dx, dy] = node.dataset.off.split(",").map(Number);
    node.setAttribute("x", x + dx * u);
    node.setAttribute("y", y + dy * u);
  }
}

export function paintTerrain(stage, world) {
  const out = [];
  for (const terrain of world.terrain ?? []) {
    out.push(svg("path", { class: "terrain", fill: TERRAIN[terrain.type] ?? "#b9b09f", d: stage.path(terrain.outline), "data-terrain": terrain.id }, svg("title", {}, terrain.name ?? terrain.id)));
    out.push(label(stage, centroid(terrain.outline), terrain.name ?? terrain.id, "tname", 4));
  }
  stage.layers.terrain.replaceChildren(...out);
}

export function describe(piece, unit) {
  const parts = [piece.label];
  if (piece.side) parts.push(t("side-x", { s: piece.side }));
  if (piece.count && piece.kind === "unit") parts.push(`${piece.count}`);
  if (piece.facing === null && piece.base?.[0] === "r") parts.push(t("facing-unknown"));
  return parts.join(", ");
}

export function paintPieces(stage, world, picked, unit) {
  const colour = sideColours(world), focused = document.activeElement?.dataset?.piece;
  const nodes = [], names = [];
  const ordered = [...world.pieces.values()].sort((a, b) => rank(a) - rank(b));
  for (const piece of ordered) {
    const bases = outlines(piece, world);
    if (!bases.length) continue;
    const z = stage.mode === "camera" ? piece.height : 0;
    const all = bases.map((b) => stage.path(b, true, z)).join("");
    const merged = bases.length > 1 ? silhouette(piece, world).map((o) => stage.path(o, true, z)).join("") : all;
    const kind = ["piece", piece.kind, picked.from === piece.id && "selected", picked.to?.includes(piece.id) && "target", picked.faded?.(piece) && "faded"].filter(Boolean).join(" ");
    const node = svg("g", { class: kind, "data-piece": piece.id, tabindex: 0, role: "button", "aria-label": describe(piece, unit), "aria-pressed": picked.from === piece.id ? "true" : "false", "--c": colour(piece.side) },
      svg("path", { class: "case", d: merged }), svg("path", { class: "base", d: all }));
    if (bases.length > 1 && stage.mode === "table") node.append(svg("path", { class: "slots", d: all }));
    node.append(...front(stage, piece, world, bases, z));
    if (piece.hand.length) node.append(handMark(stage, bases.flat()));
    nodes.push(node);
    const low = bases.flat().reduce((a, b) => (stage.xy(b)[1] > stage.xy(a)[1] ? b : a)), at = place(piece, world);
    
    const named = piece.kind === "model" || piece.kind === "unit" || piece.space || picked.from === piece.id || picked.to?.includes(piece.id);
    const pile = piece.kind !== "unit" && piece.count > 1 ? ` ×${piece.count}` : "";
    if (named) names.push(label(stage, [at[0], stage.mode === "table" ? low[1] : at[1]], piece.label + pile, "pname", stage.mode === "table" ? 16 : 5));
    if (named && (picked.from === piece.id || picked.to?.includes(piece.id))) names.at(-1)?.setAttribute("data-first", "yes");
  }
  stage.layers.pieces.replaceChildren(...nodes);
  stage.layers.names.replaceChildren(...names);
  declutter(stage);
  if (focused) stage.layers.pieces.querySelector(`[data-piece="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

const LETTER_PX = 7.6, LINE_PX = 15;

/** Names that would cover another one are left out; the selected piece keeps its own. */
export function declutter(stage) {
  const nodes = [...stage.layers.names.children], u = stage.unitsPerPx * (stage.nameScale ?? 1), taken = [];
  const first = (n) => (n.dataset.first ? 0 : 1);
  for (const node of nodes.sort((a, b) => first(a) - first(b))) {
    const x = Number(node.getAttribute("x")), y = Number(node.getAttribute("y")), w = (node.textContent.length * LETTER_PX * u) / 2, h = (LINE_PX * u) / 2;
    const box = [x - w, y - 2 * h, x + w, y];
    const hidden = taken.some((o) => box[0] < o[2] && o[0] < box[2] && box[1] < o[3] && o[1] < box[3]);
    node.style.display = hidden ? "none" : "";
    if (!hidden) taken.push(box);
  }
}

/** A small hand at the corner of what a hand set. */
function handMark(stage, points) {
  const at = points.reduce((a, b) => (b[0] + b[1] > a[0] + a[1] ? b : a)), [x, y] = stage.xy(at);
  return svg("g", { class: "hand-mark" }, dot(stage, at, 8.5, "hand-dot"), svg("path", { d: "M-1.6-1V-4.6a1 1 0 0 1 2 0v3l2.6.8c.6.2.9.7.8 1.3l-.5 2.2A1.7 1.7 0 0 1 1.700 4H-.2a2 2 0 0 1-1.600-.800L-3.800.600c-.5-.6.3-1.400 1-.900z", transform: `translate(${x} ${y}) scale(${stage.unitsPerPx * 1.15})`, "data-scale": `${x} ${y}` }));
}

const rank = (piece) => ({ marker: 0, token: 1, unit: 2, model: 3 })[piece.kind] ?? 2;

function front(stage, piece, world, bases, z) {
  const at = place(piece, world);
  if (piece.kind === "token" || piece.kind === "marker") return [];
  if (piece.facing === null) {
    if (!piece.base || piece.base[0] === "h") return [];
    const [x, y] = stage.xy(at, z);
    return [svg("text", { class: "unknown", x, y: y + 6 * stage.unitsPerPx, "data-at": JSON.stringify(at), "data-off": "0,6" }, "?")];
  }
  const f = polar(1, piece.facing);
  const reach = Math.max(...bases.flat().map((p) => (p[0] - at[0]) * f[0] + (p[1] - at[1]) * f[1]));
  const size = Math.min(reach * 0.95, 15), tip = [at[0] + reach * f[0], at[1] + reach * f[1]];
  const wings = [1, -1].map((s) => { const d = polar(size, piece.facing + s * 30); return [tip[0] - d[0], tip[1] - d[1]]; });
  return [svg("path", { class: "front", d: stage.path([tip, ...wings], true, z) })];
}

/** Rings of equal distance around the selected piece. */
export function paintRings(stage, world, piece, steps, unit) {
  const out = [];
  if (piece && steps?.length) {
    const bases = outlines(piece, world).flat();
    for (const mm of steps) {
      const ring = grown(bases, mm);
      out.push(svg("path", { class: "ring-case", d: stage.path(ring) }), svg("path", { class: "ring", d: stage.path(ring) }));
      const top = ring.reduce((a, b) => (b[1] > a[1] ? b : a));
      out.push(label(stage, top, unit === "in" ? `${num(mm / 25.4, 1)}″` : `${num(mm, 0)}`, "ring-label", -4));
    }
  }
  const clip = svg("clipPath", { id: "on-table" }), size = world.table;
  if (size) clip.append(svg("path", { d: stage.path([[0, 0], [size.width, 0], [size.width, size.depth], [0, size.depth]]) }));
  stage.layers.rings.replaceChildren(clip, svg("g", size ? { "clip-path": "url(#on-table)" } : {}, out));
}

const arcPoints = (shape) => {
  let sweep = shape.end - shape.start;
  while (sweep <= 0) sweep += 360;
  const n = Math.max(6, Math.ceil(sweep / 6));
  const rim = Array.from({ length: n + 1 }, (_, i) => { const p = polar(shape.radius, shape.start + (sweep * i) / n); return [shape.centre[0] + p[0], shape.centre[1] + p[1]]; });
  return sweep >= 359.99 ? rim.slice(0, -1) : [shape.centre, ...rim];
};

/** A verdict's drawing (its lengths in `unit`) as SVG nodes: areas, then lines with a casing, then labels. */
export function shapes(stage, drawing, unit) {
  const k = unit === "in" ? 25.4 : 1, mm = (p) => [p[0] * k, p[1] * k], areas = [], lines = [], labels = [];
  for (const shape of drawing ?? []) {
    const role = `role-${shape.role}`, dash = DASHED.has(shape.role) ? " dash" : "";
    if (shape.type === "segment") {
      const d = stage.path([mm(shape.from), mm(shape.to)], false);
      lines.push(svg("path", { class: "casing", d }), svg("path", { class: `line ${role}${dash}`, d }));
      if (shape.role === "measure" || shape.role === "contact") for (const end of [shape.from, shape.to]) lines.push(dot(stage, mm(end), 4.5, `cap ${role}`));
    } else if (shape.type === "polygon") areas.push(svg("path", { class: `area ${role}${dash}`, d: stage.path(shape.points.map(mm)) }));
    else if (shape.type === "disc") areas.push(shape.radius * k < 4 ? dot(stage, mm(shape.centre), 5, `cap ${role}`) : svg("path", { class: `area ${role}${dash}`, d: stage.path(circle(mm(shape.centre), shape.radius * k)) }));
    else if (shape.type === "arc") areas.push(svg("path", { class: `area ${role}${dash}`, d: stage.path(arcPoints({ ...shape, centre: mm(shape.centre), radius: shape.radius * k })) }));
    else if (shape.type === "label") labels.push(label(stage, mm(shape.at), shape.text, role, 5));
  }
  return [...areas, ...lines, ...labels];
}

/** A dot of a size in pixels. */
export function dot(stage, at, radiusPx, kind) {
  const [x, y] = stage.xy(at);
  return svg("circle", { class: kind, cx: x, cy: y, r: radiusPx * stage.unitsPerPx, "data-px": radiusPx });
}

export function scaleDots(stage) {
  for (const node of stage.root.querySelectorAll("circle[data-px]")) node.setAttribute("r", node.dataset.px * stage.unitsPerPx);
  for (const node of stage.root.querySelectorAll("[data-scale]")) node.setAttribute("transform", `translate(${node.dataset.scale}) scale(${stage.unitsPerPx * 1.15})`);
}

export function paintDrawing(stage, layer, drawing, unit) {
  stage.layers[layer].replaceChildren(svg("g", { class: "drawn" }, ...shapes(stage, drawing, unit)));
}

/** A line between two points with its length in the middle, as the ruler draws it. */
export function measureLine(stage, a, b, text) {
  const d = stage.path([a, b], false), middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  return svg("g", { class: "drawn" }, svg("path", { class: "casing", d }), svg("path", { class: "line role-measure", d }), dot(stage, a, 5, "cap role-measure"), dot(stage, b, 5, "cap role-measure"), label(stage, middle, text, "", -12));
}

/** A piece where it was or would be. */
export function ghost(stage, piece, world, extra = {}) {
  const d = outlines(piece, world).map((o) => stage.path(o)).join(""), around = stage.path(hull(outlines(piece, world).flat()));
  return svg("g", { "--c": sideColours(world)(piece.side), ...extra }, svg("path", { class: "ghost-case", d: around }), svg("path", { class: "ghost", d }), ...front(stage, piece, world, outlines(piece, world), 0));
}

export { label, length };
