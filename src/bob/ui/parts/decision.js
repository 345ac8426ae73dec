// A decision in the panel: its words, its chain, what was turned down, and how it is put right.

import { address, get, patch, post } from "./api.js";
import { chain } from "./chain.js";
import { confirm } from "./dialog.js";
import { counted, facts, field, fill, h, quoted, toast } from "./dom.js";
import { choice } from "./lists.js";
import { open, openSource } from "./panel.js";

/** The statuses of a decision, with the colour of each. */
export const STATUSES = {
  active: "good",
  proposed: "accent",
  superseded: "",
  deprecated: "warn",
  rejected: "bad",
};

export const statusChip = ({ status }) => h("span", { class: `tag ${STATUSES[status]}` }, status);

/** Open a decision by its id or number; `again` is called when something changed. */
export async function openDecision(name, from, again) {
  const place = `/decisions/${encodeURIComponent(name)}`;
  let decision, history;
  try {
    [decision, history] = await Promise.all([get(place), get(`${place}/history`)]);
  } catch (problem) {
    return toast(problem.message, "bad");
  }
  const back = () => openDecision(name, from, again);
  const changed = () => {
    again();
    openDecision(name, from, again);
  };
  open(quoted(decision.title), content(decision, history, back, changed, again), from);
}

function content(decision, history, back, changed, again) {
  const at = (locator) => () => openSource({ ...decision, locator }, null, back);
  return h(
    "div",
    { class: "stack" },
    h(
      "div",
      { class: "parts small soft" },
      statusChip(decision),
      decision.number && h("span", {}, decision.name),
      h("span", {}, decision.project),
      decision.date && h("span", {}, decision.date),
      decision.corrected && h("span", { class: "tag accent" }, "corrected by you"),
    ),
    h("blockquote", { class: "quote decided" }, quoted(decision.statement)),
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", class: "primary", onclick: at(decision.locator) }, "Open the source"),
    ),
    chain(history, (id) => openDecision(`id-${id}`, null, again)),
    decision.rejected.length > 0 && rejected(decision.rejected, at),
    decision.context &&
      h("details", {}, h("summary", {}, "Context"), h("pre", { class: "quote" }, decision.context)),
    putRight(decision, changed),
    facts({
      "Found as": FOUND_AS[decision.kind],
      Date: decision.date && `${decision.date} (${DATED[decision.date_kind] ?? decision.date_kind})`,
      "Status in the text": decision.stated_status !== decision.status ? decision.stated_status : null,
      File: h("span", { class: "place" }, decision.path),
    }),
    decision.unresolved_links.map((each) =>
      h("p", { class: "note warn small" }, `It names ${each.target}: ${each.reason}.`),
    ),
  );
}

const FOUND_AS = {
  record: "a decision record",
  marked: "a line marked as decision",
  prose: "a sentence",
};
const DATED = {
  text: "from its text",
  user: "as you said",
  mtime: "last change of the file",
  front_matter: "front matter",
};

function rejected(alternatives, at) {
  return h(
    "section",
    {},
    h("h3", {}, "Turned down"),
    h(
      "ul",
      { class: "items small" },
      alternatives.map((each) =>
        h(
          "li",
          {},
          h(
            "button",
            { type: "button", class: "item", "data-item": true, onclick: at(each.locator) },
            h("span", { class: "title" }, quoted(each.text)),
            h("span", { class: "soft" }, each.reason ? quoted(each.reason) : "no reason given"),
          ),
        ),
      ),
    ),
  );
}

function putRight(decision, changed) {
  const place = `/decisions/id-${decision.id}`;
  const run = async (send, path, body, says) => {
    try {
      const planned = await send(path, { ...body, dry_run: true });
      if (!(await confirm(says, consequences(planned.changed), "Save correction", "Cancel"))) return;
      await send(path, body);
      toast("Correction saved; your files are unchanged");
      changed();
    } catch (problem) {
      toast(problem.message, "bad");
    }
  };
  const button = (text, path, kind = "") =>
    h(
      "button",
      { type: "button", class: kind, onclick: () => run(post, `${place}/${path}`, {}, `${text}?`) },
      text,
    );
  const title = h("input", { value: decision.title });
  const date = h("input", { value: decision.date ?? "", placeholder: "2025-06-30" });
  const status = choice("Status", Object.keys(STATUSES), decision.status, null);
  const others = h("div", {});
  const edited = () => {
    const values = { title: title.value.trim(), date: date.value.trim(), status: status.value };
    const before = { title: decision.title, date: decision.date ?? "", status: decision.status };
    const said = Object.entries(values).filter(([key, value]) => value && value !== before[key]);
    if (said.length > 0) run(patch, place, Object.fromEntries(said), "Correct this decision?");
  };
  const details = h(
    "details",
    { class: "card" },
    h("summary", {}, "Correct decision"),
    h(
      "div",
      { class: "stack" },
      others,
      h(
        "div",
        { class: "row" },
        decision.status !== "rejected" && button("Reject decision", "reject", "danger"),
        decision.corrected && button("Undo correction", "undo"),
      ),
      h(
        "form",
        {
          class: "stack",
          onsubmit: (event) => {
            event.preventDefault();
            edited();
          },
        },
        field("Title", title),
        h("div", { class: "two" }, field("Date", date), field("Status", status)),
        h("div", {}, h("button", {}, "Save")),
      ),
    ),
  );
  // What could have taken its place is only asked for when somebody wants to say so.
  details.addEventListener(
    "toggle",
    async () => {
      const query = { project: decision.project, limit: 500 };
      const { decisions } = await get(address("/decisions", query));
      const rest = decisions.filter((each) => each.id !== decision.id);
      const by = choice(
        "Superseded by",
        rest.map((each) => [each.id, each.number ? `${each.name}: ${each.title}` : each.title]),
        null,
        "Choose a decision",
      );
      by.addEventListener("change", () => {
        if (by.value) run(post, `${place}/supersede`, { by: `id-${by.value}` }, "Mark as superseded?");
        by.value = "";
      });
      fill(others, rest.length > 0 && field("Superseded by", by));
    },
    { once: true },
  );
  return details;
}

function consequences(changes) {
  const told = changes.flatMap(({ before, after }) =>
    ["status", "title", "date"]
      .filter((key) => before[key] !== after[key])
      .map((key) => h("li", {}, `${after.name}: ${key} ${before[key] ?? "none"} → ${after[key] ?? "none"}`)),
  );
  if (told.length === 0) return h("p", {}, "Nothing else changes.");
  return [
    h("p", { class: "soft" }, `${counted(told.length, "change")}. It can be undone.`),
    h("ul", {}, told),
  ];
}
