// What a reply saw: the documents that were pinned, what inspired, what was remembered, with tokens and cost.

import { counted, fill, h } from "./dom.js";
import { link } from "./pages.js";

const LOOPS = {
  project: ["Pinned", "the active project's documents, word for word"],
  inspiration: ["Inspired by", "other chats and projects, as inspiration only"],
  memories: ["Remembered", "valid memories of your other chats"],
};

/** Before anything is said: what the first reply would see. */
export function drawPreview(seen, preview) {
  if (preview) drawReceipt(seen, preview.receipt, null);
  else fill(seen, h("h2", {}, "Prompt of a reply"), h("p", { class: "soft" }, "Shown after the first reply."));
}

/** The receipt of a prompt; `done` is the reply, null while it is written. */
export function drawReceipt(seen, context, done) {
  const cached = context.segments.filter((each) => each.cached).reduce((sum, each) => sum + each.tokens, 0);
  const share = context.tokens ? Math.round((100 * cached) / context.tokens) : 0;
  const usage = done?.usage;
  fill(
    seen,
    h("h2", {}, "Prompt of a reply"),
    Object.keys(LOOPS).map((name) =>
      loop(
        name,
        context.segments.find((each) => each.name === name),
        context,
      ),
    ),
    h(
      "dl",
      { class: "facts" },
      h("dt", {}, "Tokens"),
      h("dd", {}, context.tokens.toLocaleString()),
      h("dt", {}, "Can be cached"),
      h("dd", {}, `${share} %`),
      usage && [h("dt", {}, "Read from cache"), h("dd", {}, (usage.cache_read_tokens ?? 0).toLocaleString())],
      h("dt", {}, "Cost"),
      h("dd", {}, costOf(context, done)),
    ),
    context.left_out.length > 0 &&
      h(
        "p",
        { class: "note warn" },
        `${counted(context.left_out.length, "document")} left out: token budget used up`,
      ),
  );
}

function costOf(context, done) {
  const { dollars } = done?.cost ?? context.predicted ?? {};
  if (dollars) return `${done?.cost ? "" : "about "}$${Number(dollars).toFixed(4)}`;
  return done?.written_by || context.predicted ? "price unknown" : "none: no language model is used";
}

function loop(name, segment, context) {
  const [title, says] = LOOPS[name];
  const off = name === "inspiration" && !context.smart_context;
  return h(
    "section",
    { class: `loop ${name}` },
    h(
      "h3",
      {},
      title,
      " ",
      segment && !off && h("span", { class: "tag" }, `${segment.tokens.toLocaleString()} tokens`),
    ),
    h("p", { class: "soft" }, off ? "Smart Context is off." : says),
    segment &&
      segment.sources.length > 0 &&
      h(
        "details",
        {},
        h("summary", {}, counted(segment.sources.length, "source")),
        h(
          "ul",
          { class: "plain" },
          segment.sources.map((each) =>
            h(
              "li",
              { class: "place" },
              each.memory_id
                ? h("a", { href: link("memories", { memory: each.memory_id }) }, each.source)
                : each.source,
            ),
          ),
        ),
      ),
  );
}
