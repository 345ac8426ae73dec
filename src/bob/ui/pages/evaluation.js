// Evaluation: runs of golden sets, how the measures drift from run to run, and which question changed.

import { address, events, get, post } from "../parts/api.js";
import { lineChart } from "../parts/chart.js";
import { counted, empty, field, fill, h, head, toast } from "../parts/dom.js";
import { moment } from "../parts/times.js";

const DRAWN = [
  ["recall", "recall@k"],
  ["ndcg", "nDCG@k"],
  ["citation_precision", "citation precision"],
  ["answered", "answered"],
];

/** Draw the page; `?after=` compares that run with the one before. */
export async function draw(main, query, signal) {
  const [{ runs }, who] = await Promise.all([get("/eval/runs?limit=200", signal), get("/session", signal)]);
  const golden = h("input", {
    required: true,
    placeholder: "~/golden.jsonl",
    "data-search": true,
    spellcheck: "false",
  });
  const progress = h("p", { class: "small soft", "aria-live": "polite" });
  const begin = h(
    "form",
    {
      class: "row",
      onsubmit: (event) => {
        event.preventDefault();
        run(golden.value.trim(), progress, main, query, signal);
      },
    },
    h(
      "div",
      { class: "grow" },
      field("Golden set", golden, "A file with one question per line and its expected sources."),
    ),
    h("button", { class: "primary" }, "Run"),
  );
  main.append(
    head(
      "Evaluation",
      "Run the same questions after each change to see what got better or worse.",
    ),
    who.at_home ? h("div", { class: "card" }, begin, progress) : "",
  );
  const shown = h("section", {});
  main.append(h("div", { class: "gap" }), shown);
  if (runs.length === 0)
    return fill(
      shown,
      empty(
        "No runs yet",
        "Write questions with known sources, and run them after each change of files or settings. bob eval golden suggest drafts some from your documents.",
      ),
    );
  const sets = [...new Set(runs.map((each) => each.golden))];
  fill(
    shown,
    sets.map((set) => ofSet(set, runs.filter((each) => each.golden === set).reverse())),
    h("section", { id: "compared" }),
  );
  const latest = runs.filter((each) => each.golden === runs[0].golden);
  if (latest.length > 1) await compare(latest[1].run_id, latest[0].run_id, signal);
}

function ofSet(set, runs) {
  const labels = runs.map((each) => each.name ?? `run ${each.run_id}`);
  return h(
    "section",
    { class: "card stack" },
    h("h2", {}, set.split("/").pop()),
    lineChart(
      `Drift over ${counted(runs.length, "run")}`,
      labels,
      DRAWN.map(([key, name]) => ({ name, values: runs.map((each) => each.metrics[key] ?? null) })),
    ),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Runs" },
      h(
        "table",
        { class: "small" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Run", "When", ...DRAWN.map(([, name]) => name), ""].map((each) =>
              h(
                "th",
                { scope: "col", class: DRAWN.some(([, name]) => name === each) ? "number" : null },
                each,
              ),
            ),
          ),
        ),
        h(
          "tbody",
          {},
          runs.toReversed().map((each, at, all) =>
            h(
              "tr",
              {},
              h("td", {}, each.name ?? each.run_id),
              h("td", { class: "soft" }, moment(each.started_at)),
              DRAWN.map(([key]) => h("td", { class: "number" }, each.metrics[key]?.toFixed(3) ?? "–")),
              h(
                "td",
                {},
                all[at + 1] &&
                  h(
                    "button",
                    {
                      type: "button",
                      class: "link",
                      "data-item": true,
                      onclick: () => compare(all[at + 1].run_id, each.run_id),
                    },
                    "What changed",
                  ),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

async function compare(before, after, signal) {
  const found = await get(address("/eval/compare", { before, after }), signal);
  const kinds = { regressed: "bad", improved: "good", changed: "warn" };
  const changed = found.drifts.filter((each) => each.kind !== "same");
  fill(
    document.getElementById("compared"),
    h("h2", {}, `From run ${before} to run ${after}`),
    changed.length === 0
      ? h("p", { class: "soft" }, "No question changed.")
      : h(
          "ul",
          { class: "items" },
          changed.map((each) =>
            h(
              "li",
              { class: "item", tabindex: "0", "data-item": true },
              h("span", { class: `tag ${kinds[each.kind] ?? ""}` }, each.kind),
              " ",
              h("span", { class: "title" }, each.question ?? each.question_id),
              h("br"),
              h(
                "span",
                { class: "small soft" },
                Object.entries(each.metrics ?? each.changes ?? {})
                  .map(([name, pair]) => `${name} ${[pair].flat().join(" → ")}`)
                  .join(", "),
              ),
            ),
          ),
        ),
  );
}

async function run(golden, progress, main, query, signal) {
  try {
    const { stream } = await post("/eval/runs", { golden });
    for await (const event of events("GET", `/streams/${encodeURIComponent(stream)}`, undefined, signal)) {
      if (event.name === "progress")
        progress.textContent = `${event.data.done} of ${event.data.total} questions`;
      if (event.name === "error") throw new Error(event.data.detail ?? "the run failed");
      if (event.name === "run") {
        main.replaceChildren();
        await draw(main, query, signal);
      }
    }
  } catch (problem) {
    if (problem.name !== "AbortError") toast(problem.message, "bad");
  }
}
