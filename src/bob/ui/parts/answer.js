// An answer: its claims with the numbers of their sources, the sources, and what a reader thinks of it.

import { post } from "./api.js";
import { audit } from "./audit.js";
import { cite } from "./cite.js";
import { fill, h, quoted, row, toast } from "./dom.js";
import { link } from "./pages.js";
import { openSource } from "./panel.js";
import { titleOf, where } from "./source.js";

const VERDICTS = [
  ["helpful", "Helpful"],
  ["wrong_source", "Wrong source"],
  ["outdated", "Outdated"],
  ["too_long", "Too long"],
  ["didnt_answer", "Didn't answer"],
];

/** Draw an answer into `shown`: its claims, the sources behind their numbers, and what became of it. */
export function drawAnswer(shown, answer) {
  const numbered = (n) => cite(answer.sources.find((each) => each.n === n));
  fill(
    shown,
    answer.earlier?.length > 0 && h("p", { class: "soft small" }, "After: ", answer.earlier.join(" ")),
    answer.notices.map((each) => h("p", { class: "note warn" }, each)),
    answer.found
      ? h(
          "div",
          { class: "claims" },
          answer.claims.map((claim) =>
            h(
              "p",
              { class: claim.depth > 0 ? `quote under-${Math.min(claim.depth, 3)}` : "quote" },
              quoted(claim.text),
              " ",
              claim.citations.map(numbered),
              claim.more > 0 && ` … and ${claim.more} more`,
            ),
          ),
        )
      : notFound(answer),
    answer.found && answer.date_confidence.matters && dated(answer.date_confidence),
    answer.found && sources(answer),
    feedback(answer),
    audit(answer),
  );
}

function dated(confidence) {
  const kind = confidence.outdated ? "warn" : confidence.level === "high" ? "good" : "";
  const days = [...new Set([confidence.oldest, confidence.newest].filter(Boolean))];
  return h(
    "p",
    { class: "row small" },
    h(
      "span",
      { class: `tag ${kind}` },
      confidence.outdated ? "may be outdated" : `date confidence ${confidence.level}`,
    ),
    h(
      "span",
      { class: "soft" },
      confidence.reason,
      days.map((day, at) => [at === 0 ? "; " : " to ", h("span", { class: "whole" }, day)]),
    ),
  );
}

const outlived = (decision) => ["superseded", "deprecated", "rejected"].includes(decision?.status);

function sources(answer) {
  return h(
    "div",
    {},
    h("h2", {}, "Sources"),
    h(
      "ol",
      { class: "items sources" },
      answer.sources.map((source) =>
        h(
          "li",
          {},
          h(
            "button",
            {
              class: "item",
              type: "button",
              "data-item": true,
              onclick: (event) => openSource(source, event.currentTarget),
            },
            h("span", { class: "n" }, source.n),
            h(
              "span",
              {},
              titleOf(source),
              outlived(source.decision) && [" ", h("span", { class: "tag warn" }, source.decision.status)],
            ),
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
      "No passage of your files answers this. Try other words or another project, or index the file that should have the answer.",
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
            row(
              (from) => openSource(each, from),
              titleOf(each),
              h("span", { class: "place" }, each.locator ? where(each) : ""),
              h("span", { class: "quote" }, quoted(short(each.quote ?? each.text ?? ""))),
            ),
          ),
        ),
      ),
    h(
      "div",
      { class: "row" },
      h("a", { class: "button", href: link("indexing") }, "Index more"),
      h("a", { class: "button", href: link("library") }, "Open the library"),
    ),
  );
}

const short = (text) => (text.length > 220 ? `${text.slice(0, 220)}…` : text);

function feedback(answer) {
  if (!answer.answer_id) return null;
  const judge = async (button, verdict) => {
    try {
      await post(`/answers/${answer.answer_id}/feedback`, { verdict });
      button.setAttribute("aria-pressed", "true");
      toast("Feedback saved. Health uses it.");
    } catch (problem) {
      toast(problem.message, "bad");
    }
  };
  return h(
    "div",
    { class: "verdicts", role: "group", "aria-label": "How was this answer?" },
    h("span", { class: "soft small" }, "How was this answer?"),
    VERDICTS.map(([verdict, label]) =>
      h(
        "button",
        { type: "button", "aria-pressed": "false", onclick: (event) => judge(event.currentTarget, verdict) },
        label,
      ),
    ),
  );
}
