// Ask: a question, the answer as it is made, its sources, and the audit of what was used and what was removed.

import { events, get, post } from "../parts/api.js";
import { counted, empty, fill, h, toast } from "../parts/dom.js";
import { keep, link } from "../parts/pages.js";
import { openSource } from "../parts/panel.js";
import { where } from "../parts/source.js";

const VERDICTS = [
  ["helpful", "Helpful"],
  ["wrong_source", "Wrong source"],
  ["outdated", "Outdated"],
  ["too_long", "Too long"],
  ["didnt_answer", "Didn't answer"],
];

/** Draw the page; `?q=` asks at once, `?answer=` shows an earlier one. */
export async function draw(main, query, signal) {
  const projects = (await get("/projects", signal)).projects;
  const question = h("input", {
    type: "search",
    "data-search": true,
    "aria-label": "Your question",
    placeholder: "What do you want to know from your files?",
    autocomplete: "off",
    maxlength: 10000,
  });
  const project = h(
    "select",
    { "aria-label": "Project" },
    h("option", { value: "" }, "All projects"),
    projects.map((each) => h("option", {}, each.project)),
  );
  const shown = h("section", { class: "answer", "aria-live": "polite", "aria-label": "Answer" });
  let running = null;

  async function ask() {
    const text = question.value.trim();
    if (!text) return question.focus();
    running?.abort();
    const turn = (running = new AbortController());
    signal.addEventListener("abort", () => turn.abort(), { once: true });
    keep({ q: text, project: project.value });
    try {
      await stream(shown, text, project.value, turn.signal);
    } catch (problem) {
      if (problem.name !== "AbortError") fill(shown, h("p", { class: "note bad" }, problem.message));
    }
  }

  const form = h(
    "form",
    {
      onsubmit: (event) => {
        event.preventDefault();
        ask();
      },
    },
    h("div", { class: "ask" }, question, h("button", { class: "primary" }, "Ask")),
    h(
      "div",
      { class: "row small soft", style: { marginBlockStart: "0.5rem" } },
      h("div", {}, project),
      h(
        "span",
        {},
        h("kbd", {}, "/"),
        " writes a question, ",
        h("kbd", {}, "1"),
        " to ",
        h("kbd", {}, "9"),
        " open its sources",
      ),
    ),
  );
  const documents = projects.reduce((sum, each) => sum + each.documents, 0);
  main.append(
    h(
      "div",
      { class: "stack" },
      h(
        "div",
        {},
        h("h1", {}, "Ask your files"),
        h(
          "p",
          { class: "soft" },
          documents
            ? `${counted(documents, "document")} in ${counted(projects.length, "project")}. What no source says, Bob does not say.`
            : "What no source says, Bob does not say.",
        ),
      ),
      form,
    ),
  );
  main.append(h("div", { style: { height: "1.25rem" } }), shown);

  project.value = query.get("project") ?? "";
  if (documents === 0) {
    fill(
      shown,
      empty(
        "Nothing is indexed yet",
        "Bob answers from your own files. Name a folder, or drop some files: they stay where they are, and nothing leaves this machine.",
        h("a", { class: "button", href: link("indexing") }, "Index a folder"),
      ),
    );
    return;
  }
  if (query.get("answer")) {
    const kept = await get(`/answers/${encodeURIComponent(query.get("answer"))}`, signal);
    question.value = kept.question;
    whole(shown, kept.answer);
  } else if (query.get("q")) {
    question.value = query.get("q");
    await ask();
  } else {
    question.focus();
    await before(shown, signal);
  }
}

async function before(shown, signal) {
  const { answers } = await get("/answers?limit=8", signal);
  if (answers.length === 0) return;
  fill(
    shown,
    h("h2", {}, "Asked before"),
    h(
      "ul",
      { class: "items" },
      answers.map((each) =>
        h(
          "li",
          {},
          h(
            "a",
            { class: "item", "data-item": true, href: link("ask", { answer: each.answer_id }) },
            h("span", { class: "title" }, each.question),
            " ",
            !each.found && h("span", { class: "tag warn" }, "not found"),
          ),
        ),
      ),
    ),
  );
}

async function stream(shown, question, project, signal) {
  const said = h("p", { class: "soft" }, h("span", { class: "busy" }), " ");
  const stage = h("span", {}, "searching");
  said.append(stage);
  const claims = h("div", { class: "claims" });
  fill(shown, said, claims);
  for await (const event of events(
    "POST",
    "/ask/stream",
    { question, projects: project ? [project] : [] },
    signal,
  )) {
    if (event.name === "stage")
      stage.textContent = event.data.stage === "searching" ? "searching" : "writing, and checking each claim";
    if (event.name === "claim") claims.append(h("p", { class: "quote" }, event.data.text));
    if (event.name === "error")
      throw new Error(event.data.detail ?? event.data.title ?? "the question failed");
    if (event.name === "answer") whole(shown, event.data);
  }
}

function whole(shown, answer) {
  const cite = (n) =>
    h(
      "button",
      {
        class: "cite",
        type: "button",
        "data-source": n,
        "aria-label": `Source ${n}`,
        "aria-pressed": "false",
        onclick: (event) =>
          openSource(
            answer.sources.find((each) => each.n === n),
            event.currentTarget,
          ),
      },
      n,
    );
  fill(
    shown,
    answer.notices.map((each) => h("p", { class: "note warn" }, each)),
    answer.found
      ? h(
          "div",
          { class: "claims" },
          answer.claims.map((claim) =>
            h("p", { class: "quote" }, claim.text, " ", claim.citations.map(cite)),
          ),
        )
      : notFound(answer),
    answer.found && dated(answer.date_confidence),
    answer.found && sources(answer),
    feedback(answer),
    audit(answer),
  );
}

function dated(confidence) {
  const kind = confidence.outdated ? "warn" : confidence.level === "high" ? "good" : "";
  const days = [...new Set([confidence.oldest, confidence.newest].filter(Boolean))].join(" to ");
  return h(
    "p",
    { class: "row small" },
    h(
      "span",
      { class: `tag ${kind}` },
      confidence.outdated ? "may be outdated" : `date confidence ${confidence.level}`,
    ),
    h("span", { class: "soft" }, [confidence.reason, days].filter(Boolean).join("; ")),
  );
}

function sources(answer) {
  return h(
    "div",
    {},
    h("h2", {}, "Sources"),
    h(
      "ol",
      { class: "sources" },
      answer.sources.map((source) =>
        h(
          "li",
          {},
          h(
            "button",
            {
              type: "button",
              "data-item": true,
              onclick: (event) => openSource(source, event.currentTarget),
            },
            h("span", { class: "tag accent" }, source.n),
            h("span", {}, source.title || source.path.split("/").pop()),
            h("span", { class: "place" }, where(source)),
          ),
        ),
      ),
    ),
  );
}

function notFound(answer) {
  const closest = answer.audit.closest ?? [];
  return h(
    "div",
    { class: "card stack" },
    h("h2", {}, "Not found in sources."),
    h(
      "p",
      {},
      "No passage of your files answers this, so Bob says nothing. Try other words, another project, or index the file that should know.",
    ),
    closest.length > 0 &&
      h(
        "div",
        {},
        h("h3", {}, "What came closest"),
        h(
          "ul",
          { class: "items" },
          closest.map((each) =>
            h(
              "li",
              {},
              h(
                "button",
                {
                  class: "item",
                  type: "button",
                  "data-item": true,
                  onclick: (event) => openSource(each, event.currentTarget),
                },
                h("span", { class: "place" }, each.path.split("/").pop()),
                h("br"),
                h("span", { class: "quote" }, short(each.quote ?? each.text ?? "")),
              ),
            ),
          ),
        ),
      ),
    h(
      "div",
      { class: "row" },
      h("a", { class: "button", href: link("indexing") }, "Index more"),
      h("a", { class: "button", href: link("library") }, "See what is indexed"),
    ),
  );
}

const short = (text) => (text.length > 220 ? `${text.slice(0, 220)}…` : text);

function feedback(answer) {
  if (!answer.answer_id) return null;
  const said = h(
    "div",
    { class: "row small", role: "group", "aria-label": "How was this answer?" },
    h("span", { class: "soft" }, "How was this answer?"),
  );
  for (const [verdict, label] of VERDICTS)
    said.append(
      h(
        "button",
        {
          class: "quiet",
          type: "button",
          "aria-pressed": "false",
          onclick: async (event) => {
            const button = event.currentTarget;
            try {
              await post(`/answers/${answer.answer_id}/feedback`, { verdict });
              button.setAttribute("aria-pressed", "true");
              button.classList.add("tag", "good");
              toast("Kept. Health and evaluation use it.");
            } catch (problem) {
              toast(problem.message, "bad");
            }
          },
        },
        label,
      ),
    );
  return said;
}

function audit(answer) {
  const { audit } = answer;
  const used = new Set(audit.used ?? []);
  const removed = audit.removed ?? [];
  const seconds = (value) => `${(value * 1000).toFixed(0)} ms`;
  return h(
    "details",
    { class: "card", id: "audit" },
    h(
      "summary",
      {},
      `Audit: ${counted((audit.retrieved ?? []).length, "passage")} retrieved, ${used.size} used, ${counted(removed.length, "claim")} removed`,
    ),
    h(
      "div",
      { class: "stack" },
      removed.length > 0 &&
        h(
          "div",
          {},
          h("h3", {}, "Removed, and why"),
          removed.map((each) =>
            h(
              "p",
              { class: "note warn" },
              h("span", { class: "quote" }, each.text),
              h("br"),
              h("span", { class: "small" }, each.reason ?? each.verdict),
            ),
          ),
        ),
      h(
        "div",
        {},
        h("h3", {}, "Retrieved"),
        h(
          "table",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              ["", "Passage", "Score", "Words", "Meaning"].map((each) => h("th", { scope: "col" }, each)),
            ),
          ),
          h(
            "tbody",
            {},
            (audit.retrieved ?? []).map((each) =>
              h(
                "tr",
                {},
                h("td", {}, used.has(each.chunk_id) && h("span", { class: "tag good" }, "used")),
                h("td", { class: "place" }, where(each)),
                h("td", {}, each.score.toFixed(3)),
                h("td", {}, each.explain.words_rank ? `${each.explain.words_rank}.` : "–"),
                h("td", {}, each.explain.vectors_rank ? `${each.explain.vectors_rank}.` : "–"),
              ),
            ),
          ),
        ),
      ),
      h(
        "dl",
        { class: "facts small" },
        h("dt", {}, "Written by"),
        h("dd", {}, answer.written_by ?? "quotes of the sources, no language model"),
        h("dt", {}, "Embedding model"),
        h("dd", {}, audit.model ?? "–"),
        Object.entries(audit.timings ?? {}).map(([name, value]) => [
          h("dt", {}, name.replace("_seconds", "")),
          h("dd", {}, seconds(value)),
        ]),
      ),
    ),
  );
}
