// The stage: an SVG over the table, seen from above or through the camera. Zoom and pan are its viewBox.
import { svg } from "./dom.js";
import { hexOutline, outlines, place, projector, spaces } from "./geometry.js";

const MARGIN = 0.045; // room around the table, as a share of its longer side
const MAX_ZOOM = 14;
const TAP_PX = 9; // a finger that moves less than this taps
const CURVE_STEPS = 14; // a straight line bends in the lens: drawn in this many pieces
const DOUBLE_MS = 320;
const TOP_PX = 64;
const HOLD_MS = 500;

export class Stage extends EventTarget {
  constructor(host) {
    super();
    this.host = host;
    this.mode = "table";
    this.camera = null;
    this.box = [0, 0, 100, 100];
    this.whole = [0, 0, 100, 100];
    this.pointers = new Map();
    this.layers = {};
    this.root = svg("svg", { role: "group" });
    for (const name of ["picture", "ground", "terrain", "zones", "rings", "pieces", "names", "ghosts", "drawn", "tool"]) this.root.append((this.layers[name] = svg("g", { class: name })));
    host.prepend(this.root);
    new ResizeObserver(() => this.resize()).observe(host);
    this.listen();
  }

  // --- where things are on the drawing ---------------------------------------------------------------------

  /** Table mm to drawing units. */
  xy(point, z = 0) {
    return this.mode === "camera" && this.camera ? this.camera.toPixel(point, z) : [point[0], -point[1]];
  }

  /** A straight line or an outline as SVG path data; it bends where the lens bends it. */
  path(points, closed = true, z = 0) {
    if (points.length < 2) return "";
    const bend = this.mode === "camera";
    const out = [];
    const n = closed ? points.length : points.length - 1;
    for (let i = 0; i < n; i++) {
      const a = points[i], b = points[(i + 1) % points.length], steps = bend && points.length < 12 ? CURVE_STEPS : 1;
      for (let k = 0; k < steps; k++) out.push(this.xy([a[0] + ((b[0] - a[0]) * k) / steps, a[1] + ((b[1] - a[1]) * k) / steps], z));
    }
    if (!closed) out.push(this.xy(points.at(-1), z));
    return `M${out.map((p) => `${p[0].toFixed(2)} ${p[1].toFixed(2)}`).join("L")}${closed ? "Z" : ""}`;
  }

  /** A place on the screen to table mm. */
  toTable(clientX, clientY) {
    const [x, y] = this.toDrawing(clientX, clientY);
    return this.mode === "camera" && this.camera ? this.camera.toTable([x, y]) : [x, -y];
  }

  toDrawing(clientX, clientY) {
    const rect = this.host.getBoundingClientRect(), [x, y, w, h] = this.box;
    return [x + ((clientX - rect.left) / rect.width) * w, y + ((clientY - rect.top) / rect.height) * h];
  }

  /** How many drawing units a screen pixel is, and how many mm. */
  get unitsPerPx() { return this.box[2] / Math.max(1, this.host.clientWidth); }
  mmPerPx(at) {
    if (this.mode !== "camera") return this.unitsPerPx;
    const p = this.xy(at), q = this.xy([at[0] + 10, at[1]]);
    return (10 / Math.max(1e-6, Math.hypot(p[0] - q[0], p[1] - q[1]))) * this.unitsPerPx;
  }

  // --- zoom and pan ----------------------------------------------------------------------------------------

  setMode(mode, view = null) {
    this.mode = mode;
    this.camera = view ? projector(view) : null;
    this.root.classList.toggle("camera", mode === "camera");
  }

  /** The extent of the table in drawing units; keeps the zoom unless it is new. */
  setExtent(box, fit = false) {
    const same = box.every((v, i) => Math.abs(v - this.whole[i]) < 0.5);
    this.whole = box;
    if (!same || fit) this.fit();
  }

  extentOf(world) {
    if (this.mode === "camera" && this.camera) return [0, 0, ...this.camera.size];
    const points = [];
    const board = world.board?.hexes?.length, rooms = (world.spaces = spaces(world));
    if (world.table && !board && !rooms.length) points.push([0, 0], [world.table.width, world.table.depth]);
    for (const entry of world.board?.hexes ?? []) points.push(...hexOutline(world.board, entry.hex));
    for (const room of rooms) points.push(...room.outline);
    if (!points.length) for (const piece of world.pieces.values()) points.push(...outlines(piece, world).flat());
    if (!points.length) points.push([0, 0], [1200, 900]);
    const xs = points.map((p) => p[0]), ys = points.map((p) => -p[1]);
    const x0 = Math.min(...xs), x1 = Math.max(...xs), y0 = Math.min(...ys), y1 = Math.max(...ys), pad = MARGIN * Math.max(x1 - x0, y1 - y0);
    return [x0 - pad, y0 - pad, x1 - x0 + 2 * pad, y1 - y0 + 2 * pad];
  }

  fit() {
    const [x, y, w, h] = this.whole, W = this.host.clientWidth || 1, H = this.host.clientHeight || 1;
    // On a desktop the tool bar covers a strip at the bottom: the table is fitted above it.
    const strip = Math.min(64, H * 0.12), scale = Math.max(w / W, h / Math.max(1, H - strip));
    // On a phone the table hangs below the buttons, so that the sheet covers only what is empty.
    const top = H > 1.15 * W ? Math.min(TOP_PX, Math.max(0, (H - strip) / 2 - h / scale / 2)) : (H - strip) / 2 - h / scale / 2;
    this.tallPx = top + h / scale;
    this.setBox([x + w / 2 - (W * scale) / 2, y - top * scale, W * scale, H * scale], true);
  }

  setBox(box, fitted = false) {
    this.box = box;
    this.fitted = fitted;
    this.root.setAttribute("viewBox", box.map((v) => v.toFixed(3)).join(" "));
    this.root.style.setProperty("--u", this.unitsPerPx);
    this.dispatchEvent(new Event("zoom"));
  }

  resize() {
    if (this.fitted !== false) return this.fit();
    const [x, y, w] = this.box, W = this.host.clientWidth || 1, H = this.host.clientHeight || 1;
    this.setBox([x, y, w, (w * H) / W]);
    return undefined;
  }

  zoomAt(clientX, clientY, factor) {
    const [px, py] = this.toDrawing(clientX, clientY), [x, y, w, h] = this.box;
    const widest = Math.max(this.whole[2], (this.whole[3] * w) / h) * 1.6, next = Math.min(widest, Math.max(this.whole[2] / MAX_ZOOM, w * factor)), k = next / w;
    this.setBox([px - (px - x) * k, py - (py - y) * k, w * k, h * k]);
  }

  zoomBy(factor) {
    const r = this.host.getBoundingClientRect();
    this.zoomAt(r.left + r.width / 2, r.top + r.height / 2, factor);
  }

  panPx(dx, dy) {
    const u = this.unitsPerPx;
    this.setBox([this.box[0] - dx * u, this.box[1] - dy * u, this.box[2], this.box[3]]);
  }

  /** Bring a piece into view, for people who walk with the keyboard. */
  reveal(piece, world) {
    const at = place(piece, world);
    if (!at) return;
    const [px, py] = this.xy(at), [x, y, w, h] = this.box;
    if (px < x + w * 0.05 || px > x + w * 0.95 || py < y + h * 0.05 || py > y + h * 0.85) this.setBox([px - w / 2, py - h / 2, w, h]);
  }

  // --- pointers --------------------------------------------------------------------------------------------

  listen() {
    const host = this.host;
    host.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoomAt(event.clientX, event.clientY, Math.exp(event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)));
    }, { passive: false });
    this.root.addEventListener("pointerdown", (event) => this.down(event));
    this.root.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) this.root.addEventListener(name, (event) => this.up(event));
  }

  down(event) {
    if (event.button > 1) return;
    this.root.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    this.moved = 0;
    this.downAt = performance.now();
    if (this.pointers.size === 2) {
      this.held = null;
      this.dispatchEvent(new CustomEvent("drag-cancel"));
      return;
    }
    const id = event.target.closest?.("[data-piece]")?.dataset.piece ?? null;
    const handle = event.target.closest?.("[data-handle]")?.dataset.handle ?? null;
    const detail = { at: this.toTable(event.clientX, event.clientY), px: this.toDrawing(event.clientX, event.clientY), piece: id, handle, terrain: event.target.closest?.("[data-terrain]")?.dataset.terrain ?? null, shift: event.shiftKey, clientX: event.clientX, clientY: event.clientY };
    this.held = { ...detail, pans: this.dispatchEvent(new CustomEvent("drag-start", { detail, cancelable: true })) };
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    const at = this.toTable(event.clientX, event.clientY);
    if (!before) {
      this.dispatchEvent(new CustomEvent("hover", { detail: { at, shift: event.shiftKey } }));
      return;
    }
    const here = [event.clientX, event.clientY];
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const was = Math.hypot(before[0] - other[0], before[1] - other[1]), is = Math.hypot(here[0] - other[0], here[1] - other[1]);
      this.pointers.set(event.pointerId, here);
      this.moved = 99;
      if (is > 8) this.zoomAt((here[0] + other[0]) / 2, (here[1] + other[1]) / 2, was / is);
      this.panPx((here[0] - before[0]) / 2, (here[1] - before[1]) / 2);
      return;
    }
    this.moved += Math.hypot(here[0] - before[0], here[1] - before[1]);
    this.pointers.set(event.pointerId, here);
    if (!this.held || this.moved < TAP_PX) return;
    // A finger that rests before it moves wants no help: the ruler does not snap.
    this.held.free ??= performance.now() - this.downAt > HOLD_MS;
    if (this.held.pans) {
      this.host.classList.add("panning");
      this.panPx(here[0] - before[0], here[1] - before[1]);
    } else this.dispatchEvent(new CustomEvent("drag", { detail: { at, start: this.held, shift: event.shiftKey, px: this.toDrawing(event.clientX, event.clientY) } }));
  }

  up(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    this.host.classList.remove("panning");
    const held = this.held;
    this.held = null;
    if (!held || this.pointers.size) return;
    const detail = { ...held, at: this.toTable(event.clientX, event.clientY), px: this.toDrawing(event.clientX, event.clientY), start: held };
    if (this.moved < TAP_PX && event.type === "pointerup") {
      const now = performance.now();
      const near = this.tapAt && Math.hypot(event.clientX - this.tapAt[0], event.clientY - this.tapAt[1]) < 30;
      const twice = near && now - (this.tapped ?? -1e9) < DOUBLE_MS && !held.piece && !held.handle;
      this.tapped = now;
      this.tapAt = [event.clientX, event.clientY];
      detail.at = held.at;
      this.dispatchEvent(new CustomEvent(twice ? "double-tap" : "tap", { detail }));
    } else if (!held.pans) this.dispatchEvent(new CustomEvent("drag-end", { detail }));
  }
}
