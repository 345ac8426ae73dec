// The audit of an answer: which passages were looked at, which were used, and which claims were removed and why.

import { counted, h } from "./dom.js";
import { where } from "./source.js";

/** The audit, folded. */
export function audit(answer) {
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
          "div",
          { class: "scroll", tabindex: "0", role: "region", "aria-label": "Retrieved passages" },
          h(
            "table",
            { class: "small" },
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                ["", "Passage", "Score", "By words", "By meaning"].map((each, at) =>
                  h("th", { scope: "col", class: at > 1 ? "number" : null }, each),
                ),
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
                  h("td", { class: "number" }, each.score.toFixed(3)),
                  h("td", { class: "number" }, each.explain.words_rank ?? "–"),
                  h("td", { class: "number" }, each.explain.vectors_rank ?? "–"),
                ),
              ),
            ),
          ),
        ),
      ),
      h(
        "dl",
        { class: "facts small" },
        h("dt", {}, "Written by"),
        h("dd", {}, answer.written_by ?? "quotes of the sources, without a language model"),
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
