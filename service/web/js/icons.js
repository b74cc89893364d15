// Drawn icons: a phone without the right font must not show boxes.
import { svg } from "./dom.js";

const PATHS = {
  plus: "M12 5v14M5 12h14", minus: "M5 12h14", fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5", undo: "M9 7 4 12l5 5M4 12h10a6 6 0 0 1 6 6v1", redo: "m15 7 5 5-5 5M20 12H10a6 6 0 0 0-6 6v1",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7v5l3.5 2", copy: "M9 9h11v11H9zM5 15H4V4h11v1", snow: "M12 3v18M4.2 7.5l15.6 9M19.8 7.5l-15.6 9M9.5 4.5 12 7l2.5-2.5M9.5 19.5 12 17l2.5 2.5", pen: "m4 20 1-5L16 4l4 4L9 19zM13.5 6.5l4 4",
  close: "m6 6 12 12M18 6 6 18", sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.4 1.4M17.6 17.6 19 19M19 5l-1.4 1.4M6.4 17.6 5 19", moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5",
  live: "M12 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4M7.5 7.5a6.4 6.4 0 0 0 0 9m9-9a6.4 6.4 0 0 1 0 9M4.7 4.7a10.3 10.3 0 0 0 0 14.6m14.6-14.6a10.3 10.3 0 0 1 0 14.6", tap: "M9 11V5a2 2 0 0 1 4 0v5l5 1.5c1 .3 1.6 1.2 1.4 2.3l-.8 4.2A3 3 0 0 1 15.7 20H12a4 4 0 0 1-3-1.4L5 13.5c-.8-1 .6-2.5 1.8-1.6z", two: "M8 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M16 20a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M10.5 10l3 4", move: "M12 3v18M3 12h18M9 6l3-3 3 3M9 18l3 3 3-3M6 9l-3 3 3 3m12-6 3 3-3 3",
  camera: "M4 7h3l2-2h6l2 2h3v12H4zM12 10a3.3 3.3 0 1 0 0 6.6 3.3 3.3 0 0 0 0-6.6", sheet: "M6 3h9l4 4v14H6zM9 11h6v6H9z", target: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8", dice: "M5 5h14v14H5zM9 9h.01M15 15h.01M15 9h.01M9 15h.01M12 12h.01", share: "M7 14a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M17 8.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5M17 20.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5M9.200 10.300l5.600-3.100M9.200 12.700l5.600 4.100", right: "m9 5 7 7-7 7",
};

export const icon = (name, size = 22) => svg("svg", { viewBox: "0 0 24 24", width: size, height: size, fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true" }, svg("path", { d: PATHS[name] }));

/** Put icons into the elements of a page that name one. */
export function icons(root = document) {
  for (const node of root.querySelectorAll("[data-icon]")) if (!node.querySelector("svg")) node.prepend(icon(node.dataset.icon));
}
