// The bottom sheet of a phone: three heights, dragged by its grip.
import { app } from "./app.js";
import { $ } from "./dom.js";

const small = matchMedia("(max-width: 860px)");
const HEAD_PX = 56, TOOLS_PX = 66, LEAST_PX = 150;
/** Folded, the sheet leaves the table and the tools free. */
const heights = () => {
  const free = innerHeight - HEAD_PX - TOOLS_PX - (app.stage?.tallPx ?? 0), peek = Math.round(Math.max(LEAST_PX, Math.min(free, innerHeight * 0.5)));
  return { peek, half: Math.max(peek, Math.round(innerHeight * 0.5)), full: Math.round(innerHeight * 0.88) };
};
let at = "peek";

export function sheetTo(name) {
  if (!small.matches) return;
  at = name;
  document.documentElement.style.setProperty("--sheet", `${heights()[name]}px`);
}



export function startSheet() {
  const side = $("#side"), grip = $("#grip");
  let from = null, start = 0, now = 0;
  grip.addEventListener("pointerdown", (event) => { from = event.clientY; start = now = heights()[at]; side.classList.add("dragging"); grip.setPointerCapture(event.pointerId); });
  grip.addEventListener("pointermove", (event) => { if (from === null) return; now = Math.max(60, Math.min(heights().full, start + from - event.clientY)); document.documentElement.style.setProperty("--sheet", `${now}px`); });
  const end = () => {
    if (from === null) return;
    from = null;
    side.classList.remove("dragging");
    const all = Object.entries(heights()), moved = Math.abs(now - start);
    if (moved < 6) return sheetTo({ peek: "half", half: "full", full: "peek" }[at]);
    return sheetTo(all.reduce((a, b) => (Math.abs(b[1] - now) < Math.abs(a[1] - now) ? b : a))[0]);
  };
  grip.addEventListener("pointerup", end);
  grip.addEventListener("pointercancel", end);
  grip.addEventListener("keydown", (event) => { const order = ["peek", "half", "full"], i = order.indexOf(at); if (event.key === "ArrowUp") sheetTo(order[Math.min(2, i + 1)]); if (event.key === "ArrowDown") sheetTo(order[Math.max(0, i - 1)]); });
  addEventListener("resize", () => sheetTo(at));
  app.stage.addEventListener("zoom", () => at === "peek" && app.stage.fitted !== false && sheetTo("peek"));
  sheetTo("peek");
}
