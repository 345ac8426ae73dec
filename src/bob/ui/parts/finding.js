// A finding in the panel: what it rests on, what to do, and its fix, shown before it is applied.

import { address, get, post } from "./api.js";
import { confirm } from "./dialog.js";
import { counted, facts, field, h, row, toast } from "./dom.js";
import { paged } from "./lists.js";
import { close, open, openPlace } from "./panel.js";
import { fileName } from "./source.js";

/** Open a finding of a look; `again` is called when something changed. */
export function openFinding(finding, look, from, again) {
  const back = () => openFinding(finding, look, from, again);
  const place = `/knowledge-health/findings/${encodeURIComponent(finding.id)}`;
  const into = h("input", { placeholder: "the usual folder for notes", spellcheck: "false" });
  const writesNote = finding.fix.applicable && finding.rule.endsWith("question");
  const dismiss = async () => {
    try {
      await post(`${place}/dismiss`);
      close();
      toast("Dismissed; it no longer counts in the scores");
      again();
    } catch (problem) {
      toast(problem.message, "bad");
    }
  };
  const fix = () =>
    applyFixes({ ids: [finding.id], ...(into.value.trim() && { into: into.value.trim() }) }, () => {
      close();
      again();
    });
  const rests = h("div", { class: "small" });
  paged(rests, async (after) => {
    const asked = { after, limit: 100, taken_at: look.taken_at };
    const got = after === null ? finding : await get(address(place, asked));
    const known = (after ?? 0) + got.evidence.length;
    return { rows: got.evidence.map((each) => evidence(each, back)), next: got.more_evidence ? known : null };
  });
  open(
    finding.title,
    h(
      "div",
      { class: "stack" },
      h("p", {}, finding.fix.text),
      writesNote && field("Folder for the note", into, "An absolute path, or one such as ~/notes/answers."),
      h(
        "div",
        { class: "row" },
        finding.fix.applicable &&
          h(
            "button",
            { type: "button", class: "primary", onclick: fix },
            writesNote ? "Write a note" : "Fix it",
          ),
        h("button", { type: "button", onclick: dismiss }, "Dismiss"),
      ),
      h("h3", {}, "Details"),
      rests,
      facts({
        Rule: finding.rule.replaceAll("-", " "),
        Project: finding.project,
        Effect: finding.effect.toFixed(1),
        "Needed by": finding.uses > 0 && counted(finding.uses, "answer"),
        "On the command line": finding.fix.command && h("code", {}, finding.fix.command),
      }),
    ),
    from,
  );
}

function evidence(each, back) {
  if (!each.path) return h("li", { class: "plain-row" }, each.text);
  const place = fileName(each.path) + (each.line ? `:${each.line}` : "");
  return row(
    () => openPlace(each, null, back),
    h("span", { class: "quote" }, each.text),
    "",
    h("span", { class: "place" }, place),
  );
}

/** Show what would be done, and do it when it is wanted; `which` are ids or all. */
export async function applyFixes(which, done) {
  try {
    const { outcomes } = await post("/knowledge-health/fix", { ...which, dry_run: true });
    if (outcomes.length === 0) return toast("There is nothing that can be fixed automatically");
    const content = h(
      "ul",
      { class: "plain planned" },
      outcomes.map((each) => h("li", { class: "note" }, each.did)),
    );
    const title = outcomes.length === 1 ? "This would be done" : `${outcomes.length} fixes would be made`;
    if (!(await confirm(title, content, "Apply fixes", "Cancel"))) return;
    const made = (await post("/knowledge-health/fix", which)).outcomes;
    const failed = made.filter((each) => !each.done);
    if (failed.length < made.length) toast(`${counted(made.length - failed.length, "finding")} fixed`);
    for (const each of failed) toast(each.did, "bad");
    done();
  } catch (problem) {
    toast(problem.message, "bad");
  }
}
