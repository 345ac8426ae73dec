// Memories: what is remembered of your chats, to search, put right, pin and forget.

import { address, get, patch, post } from "../parts/api.js";
import { confirm } from "../parts/dialog.js";
import { counted, empty, facts, fill, h, head, row, toast } from "../parts/dom.js";
import { filters, paged, shower } from "../parts/lists.js";
import { keep, link } from "../parts/pages.js";
import { close, open } from "../parts/panel.js";
import { day, moment } from "../parts/times.js";

/** Draw the page; `?memory=` opens one, `?q=` searches. */
export async function draw(main, query, signal) {
  const said = h("input", {
    type: "search",
    "data-search": true,
    "aria-label": "Search memories",
    placeholder: "What did we say about…",
    value: query.get("q") ?? "",
  });
  const past = h("input", { type: "checkbox", checked: query.get("past") === "1" });
  const list = h("section", { "aria-live": "polite" });
  const shown = shower(list, signal, async (turn) => {
    const words = said.value.trim();
    keep({ q: words, past: past.checked ? "1" : "" });
    if (words) await found(list, words, shown.again, turn);
    else await every(list, past.checked, shown.again, turn);
  });
  main.append(
    head(
      "Memories",
      "Facts, preferences and decisions from your chats, without the small talk.",
    ),
    filters(shown, said, h("label", { class: "row small" }, past, "also superseded ones")),
    list,
  );
  await shown.again();
  if (query.get("memory")) await one(Number(query.get("memory")), null, shown.again);
}

async function found(list, words, again, signal) {
  const { memories } = await get(address("/memories/search", { query: words, limit: 50 }), signal);
  if (memories.length === 0)
    return fill(
      list,
      empty("No memories found", "Try other words; the search also finds similar meanings."),
    );
  fill(
    list,
    h(
      "ul",
      { class: "items" },
      memories.map((each) => remembered(each, again)),
    ),
  );
}

async function every(list, past, again, signal) {
  const rows = h("div", {});
  let funnel = null;
  const page = async (after) => {
    const got = await get(
      address("/memories", { all: past, newest: true, limit: 50, cursor: after }),
      signal,
    );
    funnel = got.funnel;
    return { rows: got.memories.map((each) => remembered(each, again)), next: got.next };
  };
  await paged(
    rows,
    page,
    empty(
      "No memories yet",
      "Chat about a project. Important statements become memories, with their messages, and can be deleted permanently.",
      h("a", { class: "button", href: link("chat") }, "Open the chats"),
    ),
  );
  const dropped = funnel.heuristics + funnel.recalled + funnel.judge;
  const said = funnel.kept + dropped + funnel.waiting;
  const waits = funnel.waiting > 0 && `, ${funnel.waiting.toLocaleString()} not analysed yet`;
  fill(
    list,
    said > 0 &&
      h(
        "p",
        { class: "count" },
        `Of ${counted(said, "message")} of yours ${funnel.kept.toLocaleString()} kept, ${dropped.toLocaleString()} dropped as noise or duplicates`,
        waits,
        ".",
      ),
    rows,
  );
}

const remembered = (each, again) =>
  row(
    (from) => one(each.memory_id, from, again),
    h("span", { class: each.valid_until ? "gone" : null }, each.summary),
    [each.times_said > 1 && `said ${each.times_said} times`, h("span", {}, day(each.valid_from))],
    h(
      "span",
      { class: "parts small soft" },
      h("span", { class: "tag" }, each.message_type),
      each.project && h("span", { class: "tag" }, each.project),
      each.pinned && h("span", { class: "tag accent" }, "pinned"),
      each.valid_until && h("span", { class: "tag warn" }, `valid until ${day(each.valid_until)}`),
    ),
  );

async function one(number, from, again) {
  const memory = await get(`/memories/${number}`).catch((problem) => toast(problem.message, "bad"));
  if (!memory) return;
  const summary = h("textarea", { rows: 3, "aria-label": "Memories" }, memory.summary);
  const change = async (what, says) => {
    try {
      await patch(`/memories/${number}`, what);
      toast(says);
      again();
    } catch (problem) {
      toast(problem.message, "bad");
    }
  };
  open(
    "A memory",
    h(
      "div",
      { class: "stack" },
      summary,
      h(
        "div",
        { class: "row" },
        h(
          "button",
          {
            class: "primary",
            type: "button",
            onclick: () => change({ summary: summary.value.trim() }, "Memory saved"),
          },
          "Save",
        ),
        h(
          "button",
          {
            type: "button",
            onclick: () =>
              change(
                { pinned: !memory.pinned },
                memory.pinned ? "Unpinned" : "Pinned: included in every prompt",
              ),
          },
          memory.pinned ? "Unpin" : "Pin",
        ),
        h("button", { class: "danger", type: "button", onclick: () => forget(number, again) }, "Forget"),
      ),
      facts({
        Kind: memory.message_type,
        Project: memory.project || "none",
        Importance: `${memory.importance} of 100`,
        "Valid from": day(memory.valid_from),
        Until: day(memory.valid_until) || "it holds",
        "Superseded by":
          memory.superseded_by &&
          h(
            "a",
            { href: link("memories", { memory: memory.superseded_by }) },
            `memory ${memory.superseded_by}`,
          ),
      }),
      h("h3", {}, "Messages it comes from"),
      memory.messages.map((each) =>
        h(
          "blockquote",
          { class: "note" },
          h("span", { class: "quote" }, each.text),
          h("br"),
          h("span", { class: "soft small" }, moment(each.sent_at)),
        ),
      ),
    ),
    from,
  );
}

async function forget(number, again) {
  const { plan } = await post("/memories/forget", { memory_ids: [number] });
  const messages = plan.messages_that_said_it.length + plan.messages_that_repeat_it.length;
  const rows = plan.other_rows.length;
  const unsure = plan.candidates.length;
  const others = plan.other_memories_of_these_messages.map((each) => each.summary);
  const sure = await confirm(
    "Delete this memory permanently?",
    [
      h(
        "p",
        {},
        `«${plan.memories[0].summary}» will be gone, with its words in ${counted(messages, "message")} and ${counted(rows, "other row")}. Bob then searches its own files for them.`,
      ),
      unsure > 0 &&
        h(
          "p",
          { class: "note" },
          `${counted(unsure, "row")} may be about it too and are kept: bob memories forget ${number} lists them.`,
        ),
      others.length > 0 &&
        h("p", { class: "note warn" }, `The same messages said: ${others.join("; ")}. These are kept.`),
    ],
    "Forget",
  );
  if (!sure) return;
  try {
    const { done } = await post("/memories/forget", { memory_ids: [number], yes: true });
    if (done.gone) toast("Deleted: no trace is left in Bob's files");
    else toast("Deleted, but some words are left: see bob memories forget", "bad");
    close();
    again();
  } catch (problem) {
    toast(problem.message, "bad");
  }
}
