// The keyboard: the same on every page. Keys are never taken from somebody who writes.

import { h } from "./dom.js";
import { PAGES } from "./pages.js";

const KEYS = [
  ["/", "to the page's search or question"],
  ["j  k", "to the next and the previous entry"],
  ["Enter", "open it"],
  ["1 to 9", "open that source of the answer"],
  ["Esc", "close the panel, or leave the field"],
  ["?", "this list"],
  ...PAGES.map((page) => [`g ${page.key}`, page.title]),
];

const writes = (target) => target.closest?.("input, textarea, select, [contenteditable]") !== null;

let going = false;

/** Listen. `close` closes the panel, and says whether there was one. */
export function listen(close) {
  document.getElementById("shortcuts").addEventListener("click", help);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape") {
      if (writes(event.target)) event.target.blur();
      else close();
      return;
    }
    if (writes(event.target) || document.querySelector("dialog[open]")) return;
    if (act(event.key)) event.preventDefault();
  });
}

function act(key) {
  if (going) {
    going = false;
    const page = PAGES.find((each) => each.key === key);
    if (page) location.hash = `#/${page.name}`;
    return page !== undefined;
  }
  if (key === "g") return (going = true);
  if (key === "?") return help();
  if (key === "/") return focused(document.querySelector("main [data-search]"));
  if (key === "j" || key === "k") return step(key === "j" ? 1 : -1);
  if (/^[1-9]$/.test(key)) return clicked(document.querySelector(`main [data-source="${key}"]`));
  return false;
}

function focused(element) {
  element?.focus();
  element?.select?.();
  return element !== null;
}

function clicked(element) {
  element?.click();
  return element !== null;
}

function step(by) {
  const items = [...document.querySelectorAll("main [data-item]")];
  if (items.length === 0) return false;
  const at = items.indexOf(document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : items.length - 1) : Math.min(Math.max(at + by, 0), items.length - 1);
  items[next].focus();
  items[next].scrollIntoView({ block: "nearest" });
  return true;
}

function help() {
  const shown = h(
    "dialog",
    { "aria-labelledby": "keys-title", onclose: () => shown.remove() },
    h("h2", { id: "keys-title" }, "Keyboard"),
    h(
      "table",
      {},
      KEYS.map(([key, says]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, says))),
    ),
    h("form", { method: "dialog", class: "row more" }, h("button", { autofocus: true }, "Close")),
  );
  document.body.append(shown);
  shown.showModal();
  return true;
}
