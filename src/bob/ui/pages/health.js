// Health: scores of the projects, and what to fix first, each finding with what it rests on.

import { address, get } from "../parts/api.js";
import { sparkline } from "../parts/chart.js";
import { counted, empty, fill, h, head, row } from "../parts/dom.js";
import { applyFixes, openFinding } from "../parts/finding.js";
import { choice, paged, shower } from "../parts/lists.js";
import { keep } from "../parts/pages.js";

const SAYS = "What is misleading or missing in your knowledge, most important first.";
const MARKS = { error: "bad", warning: "warn", note: "" };

/** Draw the page; `?project=` and `?rule=` narrow. */
export async function draw(main, query, signal) {
  fill(
    main,
    head("Health", SAYS),
    h("p", { class: "soft", role: "status" }, h("span", { class: "busy" }), " looking at all that is known"),
  );
  const first = await get("/knowledge-health?limit=1", signal);
  main.replaceChildren();
  if (first.documents === 0)
    return main.append(
      head("Health"),
      empty(
        "Nothing to check yet",
        "Once files are indexed, this page lists broken links, duplicates, stale notes and unanswered questions.",
        h("a", { class: "button", href: "#/indexing" }, "Index a folder"),
      ),
    );
  const names = first.projects.map((each) => each.project).filter(Boolean);
  // One project is all there is: then nothing is told of all together.
  const all = first.projects.find((each) => each.project === "") ?? first.projects[0];
  const rules = Object.entries(all?.findings ?? {});
  const project = choice("Project", names, query.get("project"), "All projects");
  const rule = choice(
    "Rule",
    rules.map(([name, count]) => [name, `${worded(name)} (${count})`]),
    query.get("rule"),
    "All rules",
  );
  const list = h("section", { "aria-live": "polite" });
  const scores = h("section", { class: "scores", "aria-label": "Scores" });
  // A look takes seconds in a large memory: one is read page by page and narrowed, until something was done.
  let look = first;
  const changed = async () => {
    look = await get("/knowledge-health?limit=1", signal);
    fill(scores, look.projects.map((each) => score(each, choose)));
    await shown.again();
  };
  const mend = h("button", { type: "button", onclick: () => applyFixes({ all: true }, changed) });
  const shown = shower(list, signal, async (turn) => {
    const narrowed = { project: project.value, rule: rule.value };
    keep(narrowed);
    for (const each of scores.children)
      each.setAttribute("aria-pressed", String(each.dataset.project === narrowed.project));
    await queue(list, narrowed, look, changed, turn);
  });
  const choose = (name) => {
    project.value = name;
    shown.again();
  };
  for (const each of [project, rule]) each.addEventListener("change", shown.again);
  mend.append("Fix all automatically");
  main.append(
    head("Health", SAYS, mend),
    scores,
    h("div", { class: "gap" }),
    h(
      "div",
      { class: "filters" },
      h("h2", { class: "grow" }, "To fix"),
      h("div", {}, project),
      h("div", {}, rule),
    ),
    list,
  );
  fill(scores, first.projects.map((each) => score(each, choose)));
  await shown.again();
}

async function queue(list, narrowed, look, changed, signal) {
  const page = async (cursor) => {
    const asked = { ...narrowed, limit: 50, cursor, taken_at: look.taken_at };
    const got = await get(address("/knowledge-health", asked), signal);
    return { rows: got.findings.map((each) => finding(each, look, changed)), next: got.next };
  };
  await paged(
    list,
    page,
    empty("Nothing to fix", "No finding is left here. New ones come with new files and questions."),
  );
}

function score(each, choose) {
  const grade = each.score >= 85 ? "good" : each.score >= 60 ? "warn" : "bad";
  const name = each.project || "All projects";
  return h(
    "button",
    {
      type: "button",
      class: "card score",
      "data-project": each.project,
      onclick: () => choose(each.project),
    },
    h("span", { class: "small" }, name),
    h(
      "span",
      { class: "line" },
      h("strong", { class: grade }, each.score),
      sparkline(each.history, 0, 100, `Scores of ${name}`),
    ),
    h("span", { class: "small soft" }, counted(each.documents, "document")),
  );
}

const worded = (name) => name.replaceAll("-", " ");

const finding = (each, look, again) =>
  row(
    (from) => openFinding(each, look, from, again),
    each.title,
    [
      each.fix.applicable && h("span", { class: "tag accent" }, "Can be fixed automatically"),
      h(
        "span",
        { title: "Impact: severity, number of cases and use" },
        `impact ${each.effect.toFixed(0)}`,
      ),
    ],
    h(
      "span",
      { class: "parts small soft" },
      h("span", { class: `tag ${MARKS[each.severity]}` }, worded(each.rule)),
      each.project && h("span", {}, each.project),
      each.uses > 0 && h("span", {}, `in ${counted(each.uses, "answer")}`),
    ),
  );
