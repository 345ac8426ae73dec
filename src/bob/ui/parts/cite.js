// The numbers behind sentences, which open their sources.

import { h } from "./dom.js";
import { openPlace, openSource } from "./panel.js";

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

/** A reply in which each statement that was checked has what the sources say to it behind it. */
export function checked(text, claims) {
  const letters = [...text];
  const parts = [];
  let at = 0;
  let n = 0;
  for (const claim of [...claims].sort((one, other) => one.range[0] - other.range[0])) {
    const [start, end] = claim.range;
    if (start < at) continue;
    const holds = claim.verdict === "supported";
    const passage = holds ? claim.support : (claim.against ?? claim.support);
    parts.push(
      letters.slice(at, start).join(""),
      h("span", { class: `claim ${claim.verdict}`, title: claim.reason }, letters.slice(start, end).join("")),
      " ",
      holds ? numbered(passage, ++n) : verdict(claim, passage),
    );
    at = end;
  }
  return [...parts, letters.slice(at).join("")];
}

const numbered = (passage, n) =>
  h(
    "button",
    {
      class: "cite",
      type: "button",
      "data-source": n,
      "aria-label": `Source ${n}`,
      "aria-pressed": "false",
      onclick: (event) => openPlace(passage, event.currentTarget),
    },
    n,
  );

const VERDICTS = { contradicted: "contradicted", partly: "partly supported", unsupported: "no source" };

function verdict(claim, passage) {
  const kind = `tag ${claim.verdict === "contradicted" ? "bad" : "warn"}`;
  const words = VERDICTS[claim.verdict];
  if (!passage) return h("span", { class: kind, title: claim.reason }, words);
  return h(
    "button",
    {
      class: kind,
      type: "button",
      title: claim.reason,
      onclick: (event) => openPlace(passage, event.currentTarget),
    },
    words,
  );
}
