// Builds elements. Text only ever becomes text nodes: nothing that a document or a message says is markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * h("p", {class: "soft", onclick: f}, "text", child): an element. Values null, undefined and false are left out.
 * @returns {HTMLElement}
 */
export function h(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style") Object.assign(element.style, value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  put(element, ...children);
  return element;
}

/** Add children: elements, texts, lists of them; null and false are left out. */
export function put(element, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** Replace all children. */
export function fill(element, ...children) {
  element.replaceChildren();
  return put(element, ...children);
}

/** A line icon from path data on a 24 by 24 grid. */
export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  const attributes = {
    viewBox: "0 0 24 24",
    fill: "none",
    stroke: "currentColor",
    "stroke-width": "1.8",
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
    "aria-hidden": "true",
  };
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value);
  const drawn = document.createElementNS(SVG, "path");
  drawn.setAttribute("d", path);
  svg.append(drawn);
  return svg;
}

/** An SVG element for charts. */
export function s(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== null && value !== undefined) element.setAttribute(key, String(value));
  put(element, ...children);
  return element;
}

/** The heading of a page, with what may be done on it at its right. */
export function head(title, says, ...actions) {
  return h(
    "div",
    { class: "head" },
    h("div", {}, h("h1", {}, title), says && h("p", {}, says)),
    actions.length > 0 && h("div", { class: "row" }, actions),
  );
}

/** What a page shows when there is nothing yet: what it is for, and the first step. */
export function empty(title, says, ...actions) {
  return h("div", { class: "empty" }, h("h2", {}, title), h("p", {}, says), actions);
}

/**
 * A row of a list: a link when `to` is an address, a button when it is called with what was pressed. `meta` stands
 * at its right, the rest below.
 */
export function row(to, title, meta, ...below) {
  const pressed = typeof to === "function";
  return h(
    "li",
    {},
    h(
      pressed ? "button" : "a",
      {
        class: "item",
        "data-item": true,
        href: pressed ? null : to,
        type: pressed ? "button" : null,
        onclick: pressed ? (event) => to(event.currentTarget) : null,
      },
      h("span", { class: "line" }, h("span", { class: "title" }, title), h("span", { class: "meta" }, meta)),
      below,
    ),
  );
}

/** The words of a source, with `code` between backticks set as code. */
export function quoted(text) {
  return text.split(/`([^`\n]+)`/).map((part, at) => (at % 2 ? h("code", {}, part) : part));
}

/** Names and values side by side; values null, undefined and "" are left out. */
export function facts(values) {
  return h(
    "dl",
    { class: "facts small" },
    Object.entries(values)
      .filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
}

let fields = 0;

/** A labelled control. */
export function field(label, control, hint) {
  control.id ||= `field-${++fields}`;
  const said = hint && h("span", { id: `${control.id}-hint` }, hint);
  if (said) control.setAttribute("aria-describedby", said.id);
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, said);
}

/** A short message at the corner; errors stay longer. */
export function toast(text, kind = "") {
  const shown = h("div", { class: `toast ${kind}` }, text);
  document.getElementById("toasts").append(shown);
  setTimeout(() => shown.remove(), kind === "bad" ? 9000 : 4000);
}

/** "1 document", "2 documents". */
export function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
