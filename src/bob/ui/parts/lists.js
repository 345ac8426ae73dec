// Lists: what stands in them is asked for again as somebody types, and comes in pages as somebody scrolls.

import { fill, h } from "./dom.js";

/**
 * A function that runs `show(signal)` and gives up the run before it; what went wrong is drawn into `list`.
 * `typed` is the same, once nobody has typed for a moment.
 */
export function shower(list, signal, show) {
  let turn = null;
  let wait = null;
  const again = async () => {
    clearTimeout(wait);
    turn?.abort();
    const mine = (turn = new AbortController());
    const stop = () => mine.abort();
    signal.addEventListener("abort", stop, { once: true });
    try {
      await show(mine.signal);
    } catch (problem) {
      if (problem.name !== "AbortError" && !mine.signal.aborted)
        fill(list, h("p", { class: "note bad" }, problem.message));
    } finally {
      signal.removeEventListener("abort", stop);
    }
  };
  const typed = () => {
    clearTimeout(wait);
    wait = setTimeout(again, 80);
  };
  return { again, typed };
}

/** A line of controls over a list: a search field that grows, selects and switches beside it. */
export function filters(shown, search, ...others) {
  search.addEventListener("input", shown.typed);
  for (const each of others) each.addEventListener("change", shown.again);
  return h(
    "form",
    {
      class: "filters",
      role: "search",
      onsubmit: (event) => {
        event.preventDefault();
        shown.again();
      },
    },
    h("div", { class: "grow" }, search),
    others.map((each) => (each.matches("select") ? h("div", {}, each) : each)),
  );
}

/** A select whose first choice is none: `options` are values, or [value, text]. */
export function choice(label, options, value, none = label) {
  return h(
    "select",
    { "aria-label": label },
    none !== null && h("option", { value: "" }, none),
    options.map((each) => {
      const [key, text] = [each].flat();
      return h("option", { value: key, selected: String(key) === String(value ?? "") }, text ?? key);
    }),
  );
}

/**
 * Rows in pages. `page(next)` gives {rows, next}: elements, and what asks for the following page, or null. The
 * following page comes when the end of the list comes into sight. Without a row, `none` is shown.
 */
export async function paged(list, page, none) {
  const rows = h("ul", { class: "items" });
  const more = h("button", { type: "button", class: "more", hidden: true }, "More");
  let next = null;
  let asking = false;
  async function add() {
    if (asking) return;
    asking = true;
    more.disabled = true;
    try {
      const got = await page(next);
      rows.append(...got.rows);
      next = got.next;
      more.hidden = next === null;
      if (next === null) watch.disconnect();
    } finally {
      asking = false;
      more.disabled = false;
    }
  }
  const watch = new IntersectionObserver((seen) => {
    if (seen.some((each) => each.isIntersecting) && next !== null && more.isConnected) add();
  });
  more.addEventListener("click", add);
  await add();
  if (rows.childElementCount === 0) return fill(list, none);
  fill(list, rows, more);
  if (next !== null) watch.observe(more);
}
