// The numbers behind sentences, which open their sources.

import { h } from "./dom.js";
import { openSource } from "./panel.js";

/** The number of a source as a button. */
export function cite(source) {
  return h(
    "button",
    {
      class: "cite",
      type: "button",
      "data-source": source.n,
      "aria-label": `Source ${source.n}`,
      "aria-pressed": "false",
      onclick: (event) => openSource(source, event.currentTarget),
    },
    source.n,
  );
}

/** A text in which [1], [2] and so on become the buttons of these sources. */
export function cited(text, sources) {
  return text.split(/(\[\d+\])/).map((part) => {
    const source = /^\[\d+\]$/.test(part) && sources.find((each) => `[${each.n}]` === part);
    return source ? cite(source) : part;
  });
}
