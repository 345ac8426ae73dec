// Decisions: a timeline of what was settled, what has taken a decision's place since, and what was turned down.

import { address, get } from "../parts/api.js";
import { STATUSES, openDecision, statusChip } from "../parts/decision.js";
import { counted, empty, h, head, quoted, row } from "../parts/dom.js";
import { choice, filters, paged, shower } from "../parts/lists.js";
import { keep, link } from "../parts/pages.js";
import { inYear } from "../parts/times.js";

/** Draw the page; `?q=`, `?project=` and `?status=` narrow, `?decision=` opens one. */
export async function draw(main, query, signal) {
  const { projects } = await get("/projects", signal);
  const said = h("input", {
    type: "search",
    "data-search": true,
    "aria-label": "Find a decision",
    placeholder: "What was decided about…",
    value: query.get("q") ?? "",
  });
  const names = projects.map((each) => each.project);
  const project = choice("Project", names, query.get("project"), "All projects");
  const status = choice("Status", Object.keys(STATUSES), query.get("status"), "Any status");
  const list = h("section", { class: "timeline", "aria-live": "polite" });
  const shown = shower(list, signal, async (turn) => {
    const narrowed = { query: said.value.trim(), project: project.value, status: status.value };
    keep({ q: narrowed.query, project: narrowed.project, status: narrowed.status });
    await timeline(list, narrowed, shown.again, turn);
  });
  main.append(
    head(
      "Decisions",
      "Found in your records and notes. Your corrections are saved beside them; no file is changed.",
    ),
    filters(shown, said, project, status),
    list,
  );
  await shown.again();
  if (query.get("decision")) await openDecision(query.get("decision"), null, shown.again);
}

async function timeline(list, narrowed, again, signal) {
  const known = new Map();
  let year = null;
  let aside = [];
  const page = async (cursor) => {
    const got = await get(address("/decisions", { ...narrowed, limit: 50, cursor }), signal);
    aside = got.put_aside;
    for (const each of got.decisions) known.set(each.id, each);
    const rows = [];
    for (const each of got.decisions) {
      const its = dayOf(each)?.slice(0, 4) ?? "No date";
      if (its !== year) rows.push(h("li", { class: "year" }, h("h2", {}, its)));
      year = its;
      rows.push(entry(each, known, again));
    }
    return { rows, next: got.next };
  };
  const isNarrowed = Object.values(narrowed).some(Boolean);
  await paged(
    list,
    page,
    isNarrowed
      ? empty("No decisions found", "Try other words, another project or any status.")
      : empty(
          "No decisions yet",
          "Bob finds them in decision records (ADR, RFC), in lines that begin with “Decision:”, and in sentences such as “We decided to …”. Index the folder that has them, or write one.",
          h(
            "div",
            { class: "row" },
            h("a", { class: "button", href: link("indexing") }, "Index a folder"),
            h("a", { class: "button", href: link("capture", { kind: "decision" }) }, "Write a decision"),
          ),
        ),
  );
  if (aside.length > 0) list.append(putAside(aside));
}

/** What looks like a decision record and states no decision, with the reason. */
function putAside(aside) {
  return h(
    "details",
    { class: "aside" },
    h("summary", {}, `${counted(aside.length, "record")} without a decision`),
    h(
      "ul",
      {},
      aside.map((each) => h("li", {}, `${each.title}: ${each.reason}`, " ", h("span", { class: "place" }, each.path))),
    ),
  );
}

/** Its date, unless that is only the day on which the file was last written. */
const dayOf = (each) => (each.date_kind === "mtime" ? null : each.date);

function entry(each, known, again) {
  const later = each.superseded_by.map((id) => known.get(id)?.name ?? "a later one");
  const turned = each.rejected.length;
  const made = row(
    (from) => openDecision(`id-${each.id}`, from, again),
    h("span", { class: each.status === "superseded" ? "soft" : null }, quoted(each.title)),
    [each.number && h("span", {}, each.name), statusChip(each)],
    h(
      "span",
      { class: "parts small soft" },
      dayOf(each)
        ? h("span", {}, inYear(each.date))
        : each.date && h("span", {}, `no date; its file is of ${inYear(each.date)}`),
      h("span", {}, each.project),
      later.length > 0 && h("span", { class: "chained" }, `superseded by ${later.join(", ")}`),
      each.supersedes.length > 0 &&
        h("span", { class: "chained" }, `supersedes ${counted(each.supersedes.length, "earlier one")}`),
      turned > 0 && h("span", {}, `${counted(turned, "alternative")} rejected`),
    ),
  );
  made.dataset.status = each.status;
  return made;
}
