// What the parts of the table page share: the world, what is picked, the question and its verdict.
import { follow } from "./live.js";
import { Stage } from "./stage.js";
import { $ } from "./dom.js";
import { get } from "./api.js";
import { recall, remember } from "./dom.js";

export const tableId = decodeURIComponent(location.pathname.split("/")[2] ?? "1");
export const base = `/api/tables/${encodeURIComponent(tableId)}`;

export const app = {
  stage: null, world: null, line: null, up: false, games: new Map(), rights: "full",
  tool: "point", from: null, to: null, question: null, verdict: null, shownV: 0, about: null, asked: null,
  merging: null, past: null,
};

const listeners = new Map();
export const on = (name, work) => listeners.set(name, [...(listeners.get(name) ?? []), work]);
export const tell = (name, detail) => { for (const work of listeners.get(name) ?? []) work(detail); };

export const game = () => app.games.get(app.world?.game);
export const unit = () => game()?.unit ?? "mm";
export const pieceName = (id) => app.world?.pieces.get(id)?.label ?? app.world?.terrain?.find((x) => x.id === id)?.name ?? String(id);
export const settled = () => app.up && app.world.status.word === "settled";

/** Last used inputs of a question: weapon, speed, range. */
export const lastUsed = (query) => recall(`used.${app.world.game}.${query}`, {});
export const keepUsed = (query, values) => remember(`used.${app.world.game}.${query}`, { ...lastUsed(query), ...values });

export function begin() {
  app.stage = new Stage($("#stage"));
  app.line = follow(tableId, (world, changed) => { app.world = world; tell("world", changed); }, (up, world, code) => { app.up = up; app.world = world; tell("line", code); });
  app.world = app.line.world;
  // The table is drawn as soon as it comes; menus and forms need the games a little later.
  const games = fetch("/api/games").then((r) => (r.ok ? r.json() : [])).then((list) => { app.games = new Map(list.map((g) => [g.id, g])); });
  const rights = get("/api/rights").then((r) => { app.rights = r.rights; });
  Promise.all([games, rights.catch(() => { app.rights = "none"; })]).then(() => tell("repaint"), () => tell("repaint"));
}
