// A text that is checked while it is written: what the rules find stands below, and is mended at a press.

import { post } from "./api.js";
import { counted, fill, h, quoted, toast } from "./dom.js";
import { fileName } from "./source.js";

const COLOURS = { error: "bad", warning: "warn" };
const PAUSE = 300;

/**
 * An editor: `element` to show, `text`, `touched` (somebody wrote in it). `take(text, path)` puts a text in,
 * `release()` lets the next one come.
 */
export function lintEditor(signal) {
  const area = h("textarea", {
    class: "editor",
    rows: 20,
    "aria-label": "Text of the note",
    spellcheck: "true",
  });
  const found = h("section", { class: "stack", "aria-live": "polite", "aria-label": "Findings" });
  let name = "note.md";
  let wait = null;
  let turn = null;
  let touched = false;

  const checked = () => ({ text: area.value, name });

  async function check() {
    turn?.abort();
    turn = new AbortController();
    if (!area.value.trim()) return fill(found);
    try {
      const { findings } = await post("/lint", checked(), turn.signal);
      if (!signal.aborted) tell(findings);
    } catch (problem) {
      if (problem.name !== "AbortError") fill(found, h("p", { class: "note bad" }, problem.message));
    }
  }

  function tell(findings) {
    const mendable = findings.some((each) => each.fixable);
    if (findings.length === 0)
      return fill(found, h("p", { class: "small" }, h("span", { class: "tag good" }, "nothing to fix")));
    fill(
      found,
      h(
        "div",
        { class: "line" },
        h("span", { class: "small soft" }, counted(findings.length, "remark")),
        mendable && h("button", { type: "button", onclick: mend }, "Fix findings"),
      ),
      h(
        "ul",
        { class: "items small" },
        findings.map((each) =>
          h(
            "li",
            {},
            h(
              "button",
              { type: "button", class: "item", "data-item": true, onclick: () => goTo(each.line) },
              h(
                "span",
                { class: "line" },
                h(
                  "span",
                  {},
                  h("span", { class: `tag ${COLOURS[each.severity] ?? ""}` }, each.name.replaceAll("-", " ")),
                  " ",
                  quoted(each.message),
                ),
                h("span", { class: "meta" }, `line ${each.line}`),
              ),
              each.remedy && h("span", { class: "soft" }, quoted(each.remedy)),
            ),
          ),
        ),
      ),
    );
  }

  async function mend() {
    try {
      const { text } = await post("/lint/fix", checked());
      area.value = text;
      touched = true;
      check();
    } catch (problem) {
      toast(problem.message, "bad");
    }
  }

  function goTo(line) {
    const lines = area.value.split("\n");
    const from = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    area.focus();
    area.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
  }

  area.addEventListener("input", () => {
    touched = true;
    clearTimeout(wait);
    wait = setTimeout(check, PAUSE);
  });
  return {
    element: h("div", { class: "stack" }, area, found),
    get text() {
      return area.value;
    },
    get touched() {
      return touched;
    },
    take(text, path) {
      area.value = text;
      name = fileName(path);
      check();
    },
    release() {
      touched = false;
    },
  };
}
