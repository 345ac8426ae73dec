// What led to a decision and what came of it, drawn as a chain from the oldest to the newest.

import { h, quoted } from "./dom.js";

const SAYS = {
  supersedes: "replaced by",
  partly_supersedes: "partly superseded by",
  amends: "amended by",
};

/** The chain of a history, or null when it has one link; `show(id)` opens another decision. */
export function chain(history, show) {
  if (history.earlier.length + history.later.length === 0) return null;
  return h(
    "section",
    {},
    h("h3", {}, "How this was answered"),
    h(
      "ol",
      { class: "chain" },
      history.earlier.toReversed().flatMap((each) => before(each, show)),
      node({ ...history, id: null }, null, show),
      history.later.flatMap((each) => after(each, show)),
    ),
  );
}

const before = (branch, show) => [
  branch.earlier.toReversed().flatMap((each) => before(each, show)),
  node(branch, SAYS[branch.link], show),
];

const after = (branch, show) => [
  node(branch, null, show, SAYS[branch.link]),
  branch.later.flatMap((each) => after(each, show)),
];

/** One decision; `onward` says what the following one did to it, `back` what it did to the one before. */
function node(each, onward, show, back) {
  const here = each.id === null;
  const named = [h("strong", {}, quoted(each.title)), h("span", { class: "soft" }, each.date ?? "")];
  return h(
    "li",
    {
      class: here ? "here" : back ? "later" : null,
      "data-status": each.status,
      "aria-current": here ? "true" : null,
    },
    back && h("span", { class: "soft small" }, back),
    here
      ? h("span", { class: "line" }, named)
      : h(
          "button",
          { type: "button", class: "item", onclick: () => show(each.id) },
          h("span", { class: "line" }, named),
        ),
    onward && h("span", { class: "soft small" }, onward),
  );
}
