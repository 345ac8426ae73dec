// Memories: what is remembered of your chats, to search, put right, pin and forget.

import { address, get, patch, post } from "../parts/api.js";
import { counted, empty, fill, h, head, toast } from "../parts/dom.js";
import { keep, link } from "../parts/pages.js";
import { open } from "../parts/panel.js";

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
  let turn = null;

  async function show() {
    turn?.abort();
    turn = new AbortController();
    signal.addEventListener("abort", () => turn.abort(), { once: true });
    const words = said.value.trim();
    keep({ q: words, past: past.checked ? "1" : "" });
    try {
      const found = words
        ? await get(address("/memories/search", { query: words, limit: 50 }), turn.signal)
        : await get(address("/memories", { all: past.checked }), turn.signal);
      rows(list, words ? found.memories : found.memories.reverse(), found.funnel, show);
    } catch (problem) {
      if (problem.name !== "AbortError") fill(list, h("p", { class: "note bad" }, problem.message));
    }
  }

  let wait = null;
  said.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(show, 150);
  });
  past.addEventListener("change", show);
  main.append(
    head(
      "Memories",
      "What Bob keeps of your chats: facts, preferences and decisions, and nothing of the small talk.",
    ),
    h(
      "form",
      {
        class: "row",
        role: "search",
        onsubmit: (event) => {
          event.preventDefault();
          show();
        },
      },
      h("div", { class: "grow" }, said),
      h("label", { class: "row small" }, past, "also what no longer holds"),
    ),
    h("div", { class: "gap" }),
    list,
  );
  await show();
  if (query.get("memory")) one(Number(query.get("memory")), null, show);
}

function rows(list, memories, funnel, again) {
  if (memories.length === 0)
    return fill(
      list,
      empty(
        "Nothing is remembered here",
        "Talk with Bob about a project. What is worth keeping is kept with the words that said it, and can be forgotten for good.",
        h("a", { class: "button", href: link("chat") }, "To the chats"),
      ),
    );
  fill(
    list,
    funnel &&
      h(
        "p",
        { class: "soft small" },
        `Of your messages ${counted(funnel.kept, "one was", "were")} kept; ${(funnel.heuristics + funnel.recalled + funnel.judge).toLocaleString()} dropped as noise or known already, ${funnel.waiting.toLocaleString()} wait.`,
      ),
    h(
      "ul",
      { class: "items" },
      memories.map((each) =>
        h(
          "li",
          {},
          h(
            "button",
            {
              type: "button",
              class: "item",
              "data-item": true,
              onclick: (event) => one(each.memory_id, event.currentTarget, again),
            },
            h("span", { class: each.valid_until ? "title gone" : "title" }, each.summary),
            h("br"),
            h(
              "span",
              { class: "row small soft" },
              h("span", { class: "tag" }, each.message_type),
              each.project && h("span", { class: "tag" }, each.project),
              each.pinned && h("span", { class: "tag accent" }, "pinned"),
              each.valid_until &&
                h("span", { class: "tag warn" }, `held until ${each.valid_until.slice(0, 10)}`),
              each.valid_from.slice(0, 10),
              each.times_said > 1 && `said ${each.times_said} times`,
            ),
          ),
        ),
      ),
    ),
  );
}

async function one(number, from, again) {
  const memory = await get(`/memories/${number}`).catch((problem) => toast(problem.message, "bad"));
  if (!memory) return;
  const summary = h("textarea", { rows: 3, "aria-label": "What is remembered" }, memory.summary);
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
            onclick: () => change({ summary: summary.value.trim() }, "Put right"),
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
                memory.pinned ? "Unpinned" : "Pinned: it stands in every prompt",
              ),
          },
          memory.pinned ? "Unpin" : "Pin",
        ),
        h("button", { class: "danger", type: "button", onclick: () => forget(number, again) }, "Forget"),
      ),
      h(
        "dl",
        { class: "facts small" },
        [
          ["Kind", memory.message_type],
          ["Project", memory.project || "none"],
          ["Importance", memory.importance],
          ["Held from", memory.valid_from.slice(0, 10)],
          ["Until", memory.valid_until?.slice(0, 10) ?? "it holds"],
        ].map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
        memory.superseded_by && [
          h("dt", {}, "Replaced by"),
          h(
            "dd",
            {},
            h(
              "a",
              { href: link("memories", { memory: memory.superseded_by }) },
              `memory ${memory.superseded_by}`,
            ),
          ),
        ],
      ),
      h("h3", {}, "Who said it"),
      memory.messages.map((each) =>
        h(
          "blockquote",
          { class: "note" },
          h("span", { class: "quote" }, each.text),
          h("br"),
          h("span", { class: "soft small" }, new Date(each.sent_at).toLocaleString()),
        ),
      ),
    ),
    from,
  );
}

async function forget(number, again) {
  const { plan } = await post("/memories/forget", { memory_ids: [number] });
  const messages = plan.messages_that_said_it.length + plan.messages_that_repeat_it.length;
  const asked = h(
    "dialog",
    { "aria-labelledby": "forget-title" },
    h(
      "form",
      { method: "dialog", class: "stack" },
      h("h2", { id: "forget-title" }, "Forget this for good?"),
      h(
        "p",
        {},
        `«${plan.memories[0].summary}» will be gone, with its words in ${counted(messages, "message")}. Bob then searches its own files for them.`,
      ),
      plan.other_memories_of_these_messages.length > 0 &&
        h(
          "p",
          { class: "note warn" },
          `The same messages said: ${plan.other_memories_of_these_messages.map((each) => each.summary).join("; ")}. These stay.`,
        ),
      h(
        "div",
        { class: "row" },
        h("button", { value: "yes", class: "danger" }, "Forget"),
        h("button", { value: "" }, "Keep it"),
      ),
    ),
  );
  asked.addEventListener("close", async () => {
    asked.remove();
    if (asked.returnValue !== "yes") return;
    try {
      const { done } = await post("/memories/forget", { memory_ids: [number], yes: true });
      toast(
        done.gone
          ? "Forgotten: no trace is left in Bob's files"
          : "Forgotten, but some words are left: see bob memories forget",
        done.gone ? "" : "bad",
      );
      document.querySelector("#panel button").click();
      again();
    } catch (problem) {
      toast(problem.message, "bad");
    }
  });
  document.body.append(asked);
  asked.showModal();
}
