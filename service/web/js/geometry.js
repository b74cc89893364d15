// Plane geometry for drawing and for the ruler. Millimetres, y away from the reader. Answers come from the service.

const CIRCLE = 48;
const rad = (deg) => (deg * Math.PI) / 180;

export const add = (a, b) => [a[0] + b[0], a[1] + b[1]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1]];
export const dist = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
export const polar = (radius, deg) => [radius * Math.cos(rad(deg)), radius * Math.sin(rad(deg))];

export function circle(centre, radius, n = CIRCLE) {
  return Array.from({ length: n }, (_, i) => add(centre, polar(radius, (360 * i) / n)));
}

// --- hex boards and named spaces ---------------------------------------------------------------------------

const DEFAULT_ACROSS = 52;

function layoutOf(board) {
  const layout = board?.layout ?? {};
  return { across: layout.across_flats ?? DEFAULT_ACROSS, origin: layout.origin ?? [0, 0], turn: layout.rotation ?? 0, pointy: (board?.orientation ?? "pointy") === "pointy" };
}

export function hexCentre(board, [q, r]) {
  const { across, origin, turn, pointy } = layoutOf(board);
  const h = (across * Math.sqrt(3)) / 2;
  const [x, y] = pointy ? [across * (q + r / 2), h * r] : [h * q, across * (r + q / 2)];
  const c = Math.cos(rad(turn)), s = Math.sin(rad(turn));
  return [origin[0] + x * c - y * s, origin[1] + x * s + y * c];
}

export function hexOutline(board, at, shrink = 1) {
  const { across, turn, pointy } = layoutOf(board);
  const centre = hexCentre(board, at);
  return Array.from({ length: 6 }, (_, i) => add(centre, polar((shrink * across) / Math.sqrt(3), (pointy ? 30 : 0) + turn + 60 * i)));
}

export function nearestHex(board, point) {
  let best = null, least = Infinity;
  for (const entry of board?.hexes ?? []) {
    const d = dist(hexCentre(board, entry.hex), point);
    if (d < least) [best, least] = [entry.hex, d];
  }
  return best;
}

/** Named spaces: as the board lays them out, or on a plain grid where nobody has measured them. */
export function spaces(world) {
  const known = world.board?.spaces ?? [];
  if (known.length) return known.map((s) => ({ name: s.space, outline: s.outline }));
  const names = [...new Set([...world.pieces.values()].map((p) => p.space).filter(Boolean))].sort();
  if (!names.length) return [];
  const across = Math.ceil(Math.sqrt(names.length * 1.3)), w = 260, h = 190, gap = 24;
  return names.map((name, i) => {
    const x = (i % across) * (w + gap), y = -Math.floor(i / across) * (h + gap);
    return { name, outline: [[x, y], [x + w, y], [x + w, y + h], [x, y + h]] };
  });
}

export function place(piece, world) {
  if (piece.at) return piece.at;
  if (piece.hex) return hexCentre(world.board, piece.hex);
  if (piece.space) {
    const space = (world.spaces ??= spaces(world)).find((s) => s.name === piece.space);
    if (!space) return null;
    const mates = [...world.pieces.values()].filter((p) => p.space === piece.space).map((p) => p.id);
    const i = mates.indexOf(piece.id), xs = space.outline.map((p) => p[0]), ys = space.outline.map((p) => p[1]);
    const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const columns = Math.ceil(Math.sqrt(mates.length * ((x1 - x0) / (y1 - y0)))) || 1, rows = Math.ceil(mates.length / columns);
    return [x0 + ((x1 - x0) * ((i % columns) + 0.5)) / columns, y1 - 26 - ((y1 - y0 - 30) * (Math.floor(i / columns) + 0.5)) / rows];
  }
  return null;
}

// --- pieces ------------------------------------------------------------------------------------------------

function trait(piece, name) {
  const found = piece.traits.find((t) => t.startsWith(`${name}:`));
  return found ? found.slice(name.length + 1) : null;
}

/** Centres of a block's bases as [aside to the left, ahead] of its middle. */
function slots(piece, width, depth) {
  if (piece.kind !== "unit" || !piece.count) return [[0, 0]];
  const gap = piece.traits.includes("skirmisher") ? 12.5 : 0;
  const files = piece.files || piece.count, ranks = Math.ceil(piece.count / files);
  const named = trait(piece, "rear") ?? trait(piece, "last-rank");
  const rest = piece.count - (ranks - 1) * files;
  const last = named ? named.split(",").map(Number) : Array.from({ length: rest }, (_, i) => i + 1);
  const out = [];
  for (let rank = 1; rank <= ranks; rank++)
    for (const file of rank < ranks ? Array.from({ length: files }, (_, i) => i + 1) : last)
      out.push([((files + 1) / 2 - file) * (width + gap), ((ranks + 1) / 2 - rank) * (depth + gap)]);
  return out;
}

/** The outline of each base of a piece, in mm. */
export function outlines(piece, world) {
  const at = place(piece, world);
  if (!at) return [];
  const [shape, a, b] = piece.base ?? [];
  const turn = rad(piece.facing ?? 0), f = [Math.cos(turn), Math.sin(turn)], left = [-f[1], f[0]];
  const on = (ahead, aside) => [at[0] + ahead * f[0] + aside * left[0], at[1] + ahead * f[1] + aside * left[1]];
  if (shape === "c") return slots(piece, a, a).map(([x, y]) => circle(on(y, x), a / 2));
  if (shape === "h") return [Array.from({ length: 6 }, (_, i) => { const [x, y] = polar(a / Math.sqrt(3), 60 * i); return on(x, y); })];
  if (shape === "p") return [a.map(([x, y]) => on(x, y))];
  if (shape === "r") return slots(piece, a, b).map(([x, y]) => [[1, 1], [1, -1], [-1, -1], [-1, 1]].map(([u, v]) => on(y + (u * b) / 2, x + (v * a) / 2)));
  if (piece.hex) return [circle(at, layoutOf(world.board).across * 0.36)];
  return [circle(at, piece.kind === "token" || piece.kind === "marker" ? 13 : 18)];
}

/** The rectangle (or disc) around a whole piece, as [corners in order: front-left, front-right, rear-right, rear-left]. */
export function block(piece, world) {
  const at = place(piece, world), turn = piece.facing ?? 90, f = polar(1, turn), left = [-f[1], f[0]];
  let ahead = 0, behind = 0, wide = 0;
  for (const p of outlines(piece, world).flat()) {
    const d = sub(p, at), u = d[0] * f[0] + d[1] * f[1], v = Math.abs(d[0] * left[0] + d[1] * left[1]);
    ahead = Math.max(ahead, u); behind = Math.min(behind, u); wide = Math.max(wide, v);
  }
  const on = (u, v) => [at[0] + u * f[0] + v * left[0], at[1] + u * f[1] + v * left[1]];
  return { corners: [on(ahead, wide), on(ahead, -wide), on(behind, -wide), on(behind, wide)], ahead, wide, front: on(ahead, 0) };
}

/** The outlines around a piece as one sees it: a block is one shape, with a step where its last rank is not full. */
export function silhouette(piece, world) {
  const bases = outlines(piece, world);
  if (bases.length < 2 || piece.base?.[0] !== "r" || piece.traits.includes("skirmisher")) return bases;
  const files = piece.files || piece.count, last = piece.count % files;
  if (!last) return [block(piece, world).corners];
  const from = piece.count - last, inOrder = !piece.traits.some((x) => x.startsWith("rear:") || x.startsWith("last-rank:"));
  // Corners of a base: front-left, front-right, rear-right, rear-left.
  const full = [bases[0][0], bases[Math.min(files, bases.length) - 1][1], bases[from - 1][2], bases[from - files]?.[3] ?? bases[0][3]];
  if (!inOrder || from < files) return from < files ? [[bases[0][0], bases.at(-1)[1], bases.at(-1)[2], bases[0][3]]] : [full, ...bases.slice(from)];
  return [[full[0], full[1], full[2], bases[from + last - 1][1], bases[from + last - 1][2], bases[from][3]]];
}

export function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list) => {
    const out = [];
    for (const p of list) {
      while (out.length > 1) {
        const [a, b] = out.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 1e-9) break;
        out.pop();
      }
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

/** An outline grown by a distance, corners rounded: a range ring. */
export function grown(points, by) {
  const h = hull(points), out = [];
  for (let i = 0; i < h.length; i++) {
    const before = h[(i + h.length - 1) % h.length], here = h[i], after = h[(i + 1) % h.length];
    const a = Math.atan2(here[1] - before[1], here[0] - before[0]) - Math.PI / 2;
    let b = Math.atan2(after[1] - here[1], after[0] - here[0]) - Math.PI / 2;
    while (b < a) b += 2 * Math.PI;
    const steps = Math.max(1, Math.ceil((b - a) / 0.14));
    for (let k = 0; k <= steps; k++) { const w = a + ((b - a) * k) / steps; out.push([here[0] + by * Math.cos(w), here[1] + by * Math.sin(w)]); }
  }
  return out;
}

export function inside(point, outline) {
  let odd = false;
  for (let i = 0, j = outline.length - 1; i < outline.length; j = i++) {
    const [xi, yi] = outline[i], [xj, yj] = outline[j];
    if (yi > point[1] !== yj > point[1] && point[0] < ((xj - xi) * (point[1] - yi)) / (yj - yi) + xi) odd = !odd;
  }
  return odd;
}

export function nearestOn(point, outline) {
  let best = null, least = Infinity;
  for (let i = 0; i < outline.length; i++) {
    const a = outline[i], b = outline[(i + 1) % outline.length], ab = sub(b, a), l2 = ab[0] ** 2 + ab[1] ** 2 || 1;
    const k = Math.max(0, Math.min(1, ((point[0] - a[0]) * ab[0] + (point[1] - a[1]) * ab[1]) / l2));
    const p = [a[0] + k * ab[0], a[1] + k * ab[1]], d = dist(p, point);
    if (d < least) [best, least] = [p, d];
  }
  return { point: best, distance: least };
}

/** The closest points of two outlines. */
export function closest(one, two) {
  let best = { distance: Infinity };
  for (const [from, to, flip] of [[one, two, false], [two, one, true]])
    for (const p of from) {
      const found = nearestOn(p, to);
      if (found.distance < best.distance) best = { distance: found.distance, a: flip ? found.point : p, b: flip ? p : found.point };
    }
  return best;
}

export const centroid = (points) => [points.reduce((s, p) => s + p[0], 0) / points.length, points.reduce((s, p) => s + p[1], 0) / points.length];

// --- the camera --------------------------------------------------------------------------------------------

/** Table millimetres to pixels through the lens, and back to the table plane. */
export function projector(view) {
  const R = view.rotation, T = view.translation, K = view.matrix, [k1 = 0, k2 = 0, p1 = 0, p2 = 0, k3 = 0] = view.distortion;
  const distort = (x, y) => {
    const r2 = x * x + y * y, k = 1 + r2 * (k1 + r2 * (k2 + r2 * k3));
    return [x * k + 2 * p1 * x * y + p2 * (r2 + 2 * x * x), y * k + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y];
  };
  return {
    size: view.size,
    toPixel([x, y], z = 0) {
      const c = [0, 1, 2].map((i) => R[i][0] * x + R[i][1] * y + R[i][2] * z + T[i]);
      const [u, v] = distort(c[0] / c[2], c[1] / c[2]);
      return [K[0][0] * u + K[0][1] * v + K[0][2], K[1][1] * v + K[1][2]];
    },
    toTable([u, v], z = 0) {
      const dx = (u - K[0][2]) / K[0][0], dy = (v - K[1][2]) / K[1][1];
      let x = dx, y = dy;
      for (let i = 0; i < 12; i++) { const [ex, ey] = distort(x, y); x += dx - ex; y += dy - ey; }
      // The ray c = s·(x, y, 1) meets the plane: Rᵀ(c − T) has height z.
      const ray = [0, 1, 2].map((i) => R[0][i] * x + R[1][i] * y + R[2][i]), eye = [0, 1, 2].map((i) => -(R[0][i] * T[0] + R[1][i] * T[1] + R[2][i] * T[2]));
      const s = (z - eye[2]) / ray[2];
      return [eye[0] + s * ray[0], eye[1] + s * ray[1]];
    },
  };
}
