// The live line: a whole scene, then what changes; connects again by itself.

const KINDS = { m: "model", u: "unit", t: "token", k: "marker" };
const SOURCES = { c: "camera", t: "tag", h: "hand" };
const SILENT_MS = 6000; // the service says something every two seconds; three times that is a dead line
const PARTS = ["game", "table", "terrain", "board", "params", "name", "mode", "players", "overlay", "undo", "camera"];

function piece(row, bases) {
  const [id, side, kind, at, facing, base, files, count, sigma, traits, name, source, hand, hex, space, height] = row;
  return {
    id, side: side ?? null, kind: KINDS[kind] ?? "model", at: at ?? null, facing: facing ?? null,
    base: typeof base === "number" ? bases[base] : base ?? null, files: files ?? null, count: count ?? null, sigma: sigma ?? null,
    traits: traits ?? [], name: name ?? null, label: name || id, source: SOURCES[source] ?? null, hand: hand ?? [], hex: hex ?? null,
    space: space ?? null, height: height ?? 0,
  };
}

export function emptyWorld() {
  return { v: 0, t: 0, status: { word: "connecting" }, pieces: new Map(), terrain: [], board: null, table: null, game: null, params: {}, overlay: {}, undo: [0, 0], mode: "friendly", players: [], name: "", camera: false };
}

/** Apply one message to a world; gives back what changed, by name. */
export function apply(world, message) {
  const changed = new Set();
  if (message.type === "scene") {
    world.pieces = new Map(message.pieces.map((row) => [row[0], piece(row, message.bases)]));
    for (const part of PARTS) world[part] = message[part] ?? emptyWorld()[part];
    ["pieces", ...PARTS].forEach((part) => changed.add(part));
  } else if (message.type === "delta") {
    for (const row of message.pieces ?? []) world.pieces.set(row[0], piece(row, []));
    for (const id of message.gone ?? []) world.pieces.delete(id);
    if (message.pieces || message.gone) changed.add("pieces");
    for (const part of PARTS) if (part in message) { world[part] = message[part] ?? emptyWorld()[part]; changed.add(part); }
  } else return changed;
  if (message.status) { world.status = message.status; changed.add("status"); }
  world.v = message.v;
  if (message.ms) world.ms = message.ms;
  world.t = message.t;
  return changed;
}

/** Follow a table. `onChange(world, changed)` after each message, `onLine(up)` when the line comes or goes. */
export function follow(tableId, onChange, onLine, token = null) {
  const world = emptyWorld();
  let socket, timer, heard = Date.now(), opened = 0, wait = 300, ended = false;
  const query = token ? `?token=${encodeURIComponent(token)}` : "";
  const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/tables/${encodeURIComponent(tableId)}/live${query}`;

  function connect() {
    socket = new WebSocket(address);
    opened = Date.now();
    socket.onmessage = (event) => {
      heard = Date.now();
      wait = 300;
      const message = JSON.parse(event.data);
      const changed = apply(world, message);
      if (message.type === "scene") onLine(true, world);
      if (changed.size) onChange(world, changed);
    };
    socket.onclose = (event) => {
      if (ended) return;
      onLine(false, world, event.code);
      if (event.code === 4404) wait = 5000;
      timer = setTimeout(connect, wait);
      wait = Math.min(wait * 1.7, 5000);
    };
  }
  connect();
  const watchdog = setInterval(() => {
    if (socket.readyState === WebSocket.OPEN && Date.now() - Math.max(heard, opened) > SILENT_MS) socket.close();
  }, 1000);
  return { world, age: () => Date.now() - heard, end() { ended = true; clearTimeout(timer); clearInterval(watchdog); socket.close(); } };
}
