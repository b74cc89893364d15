// Small helpers: elements, SVG, toasts.

const SVG = "http://www.w3.org/2000/svg";

export const $ = (selector, root = document) => root.querySelector(selector);

/** An HTML element: `el("button", {class: "primary", onclick: f}, "Ask")`. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value" && "value" in node) node.value = value;
    else if (name === "checked" || name === "disabled" || name === "hidden" || name === "required") node[name] = Boolean(value);
    else if (name.startsWith("--")) node.style.setProperty(name, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

/** Replace what an element holds; nothing is drawn for false, null and undefined. */
export function swap(host, ...nodes) {
  host.replaceChildren(...nodes.flat(Infinity).filter((n) => n !== null && n !== undefined && n !== false));
}

export function toast(text, bad = false) {
  let box = $("#toasts");
  if (!box) {
    box = el("div", { id: "toasts", role: "status", "aria-live": "polite" });
    document.body.append(box);
  }
  const note = el("div", { class: bad ? "toast bad" : "toast" }, text);
  box.append(note);
  setTimeout(() => note.remove(), bad ? 7000 : 4000);
}

/** Show a dialog and take it away when it closes. Resolves with the dialog's return value. */
export function dialog(title, ...content) {
  const box = el("dialog", { "aria-label": title }, el("div", { class: "body" }, el("h2", {}, title), ...content));
  document.body.append(box);
  box.addEventListener("click", (event) => event.target === box && box.close());
  const done = new Promise((resolve) => box.addEventListener("close", () => { box.remove(); resolve(box.returnValue); }));
  box.showModal();
  return { box, done, close: (value = "") => box.close(value) };
}

export const remember = (key, value) => { try { localStorage.setItem(`regla.${key}`, JSON.stringify(value)); } catch { return; } };
export const recall = (key, otherwise = null) => {
  try { const text = localStorage.getItem(`regla.${key}`); return text === null ? otherwise : JSON.parse(text); } catch { return otherwise; }
};
