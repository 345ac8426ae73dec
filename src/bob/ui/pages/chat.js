// Chat: the active project's documents are pinned, other chats and projects inspire when the switch is on; what
// each reply saw stands beside it, with its tokens and its cost.

import { address, events, get, post, remove } from "../parts/api.js";
import { counted, empty, fill, h, head, put, toast } from "../parts/dom.js";
import { keep, link } from "../parts/pages.js";

const LOOPS = {
  project: ["Pinned", "the active project's documents, word for word: the truth"],
  inspiration: ["Inspired by", "other chats and projects: never the truth of this one"],
  memories: ["Remembered", "what you said before and still holds"],
};

/** Draw the page; `?chat=` goes on with one, `?new=1` begins one. */
export async function draw(main, query, signal) {
  const number = query.get("chat");
  if (number) return talk(main, await get(`/chats/${encodeURIComponent(number)}`, signal), signal);
  const [{ chats }, { projects }] = await Promise.all([
    get("/chats?limit=100", signal),
    get("/projects", signal),
  ]);
  const project = h(
    "select",
    { "aria-label": "Project" },
    h("option", { value: "" }, "No project"),
    projects.map((each) => h("option", {}, each.project)),
  );
  if (projects.length === 1) project.value = projects[0].project;
  const begin = h(
    "form",
    {
      class: "row",
      onsubmit: async (event) => {
        event.preventDefault();
        const chat = await post("/chats", { project: project.value || null });
        location.hash = link("chat", { chat: chat.chat_id });
      },
    },
    h("div", {}, project),
    h("button", { class: "primary", "data-search": true }, "New chat"),
  );
  main.append(
    head(
      "Chat",
      "About a project, whose documents stand in every prompt. What matters of what you say is remembered.",
      begin,
    ),
  );
  if (chats.length === 0)
    return main.append(
      empty(
        "No chat yet",
        "Choose a project and begin. Without a language model Bob replies with quotes of your files; with one, it writes, and keeps to the same sources.",
      ),
    );
  main.append(
    h(
      "ul",
      { class: "items" },
      chats.map((each) =>
        h(
          "li",
          {},
          h(
            "a",
            { class: "item", "data-item": true, href: link("chat", { chat: each.chat_id }) },
            h("span", { class: "title" }, each.title || "Nothing said yet"),
            " ",
            each.project && h("span", { class: "tag" }, each.project),
            h("br"),
            h(
              "span",
              { class: "soft small" },
              `${counted(each.messages, "message")}, ${new Date(each.last_message_at).toLocaleString()}`,
            ),
          ),
        ),
      ),
    ),
  );
}

async function talk(main, chat, signal) {
  const said = h(
    "section",
    { class: "said", "aria-label": "Conversation", "aria-live": "polite" },
    chat.messages.map(message),
  );
  const seen = h("aside", { class: "card stack small seen", "aria-label": "What the last reply saw" });
  const text = h("textarea", {
    rows: 2,
    "data-search": true,
    "aria-label": "Your message",
    placeholder: "Say something. Enter sends, Shift+Enter makes a line.",
  });
  const smart = h("input", {
    type: "checkbox",
    role: "switch",
    checked: (await get("/smart-context", signal)).enable_smart_rag,
  });
  const send = h("button", { class: "primary" }, "Send");
  const form = h(
    "form",
    {
      class: "stack composer",
      onsubmit: async (event) => {
        event.preventDefault();
        const words = text.value.trim();
        if (!words) return;
        text.value = "";
        send.disabled = true;
        put(said, message({ role: "user", text: words }));
        try {
          await reply(
            said,
            seen,
            `/chats/${chat.chat_id}/messages/stream`,
            { text: words, smart_context: smart.checked },
            signal,
          );
        } catch (problem) {
          if (problem.name !== "AbortError") put(said, h("p", { class: "note bad" }, problem.message));
          text.value ||= words;
        }
        send.disabled = false;
        text.focus();
      },
    },
    text,
    h(
      "div",
      { class: "row" },
      h("label", { class: "row small grow" }, smart, "Smart Context: look at other chats and projects"),
      send,
    ),
  );
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  before(
    seen,
    await post(
      "/context",
      {
        question: "What is this project about?",
        project: chat.project || null,
        chat_id: chat.chat_id,
        smart_context: smart.checked,
      },
      signal,
    ).catch(() => null),
  );
  main.append(
    head(
      chat.title || "New chat",
      chat.project ? `About ${chat.project}` : "About no project",
      h("button", { type: "button", class: "danger", onclick: () => drop(chat) }, "Delete"),
      h("a", { class: "button", href: link("chat") }, "All chats"),
    ),
    h("div", { class: "chat" }, h("div", { class: "stack" }, said, form), seen),
  );
  keep({ chat: chat.chat_id });
  text.focus();
}

function message(each) {
  const kept = each.role === "user" && each.summary && each.importance > 0;
  return h(
    "article",
    { class: `message ${each.role}`, "data-item": true, tabindex: "-1" },
    h("p", { class: "soft small" }, each.role === "user" ? "You" : "Bob"),
    h("pre", { class: each.role === "user" ? "words" : "words quote" }, each.text),
    kept &&
      h(
        "p",
        { class: "small" },
        h("span", { class: "tag accent" }, "remembered"),
        " ",
        h("span", { class: "soft" }, each.summary),
      ),
  );
}

async function reply(said, seen, path, body, signal) {
  const words = h("pre", { class: "words quote" });
  const card = h(
    "article",
    { class: "message assistant", "data-item": true, tabindex: "-1" },
    h("p", { class: "soft small" }, "Bob ", h("span", { class: "busy" })),
    words,
  );
  said.append(card);
  for await (const event of events("POST", path, body, signal)) {
    if (event.name === "context") receipt(seen, event.data, null);
    if (event.name === "text") words.append(event.data.text);
    if (event.name === "error") throw new Error(event.data.detail ?? "the reply failed");
    if (event.name === "reply") {
      words.textContent = event.data.reply;
      put(
        card,
        event.data.notices.map((each) => h("p", { class: "note warn small" }, each)),
      );
      receipt(seen, event.data.context, event.data);
    }
  }
  card.querySelector(".busy")?.remove();
  card.scrollIntoView({ block: "nearest" });
}

function before(seen, preview) {
  if (preview) receipt(seen, preview.receipt, null);
  else fill(seen, h("h2", {}, "What a reply sees"), h("p", { class: "soft" }, "Shown with the first reply."));
}

function receipt(seen, context, done) {
  const cached = context.segments.filter((each) => each.cached).reduce((sum, each) => sum + each.tokens, 0);
  const share = context.tokens ? Math.round((100 * cached) / context.tokens) : 0;
  const usage = done?.usage;
  fill(
    seen,
    h("h2", {}, "What a reply sees"),
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
      h(
        "dd",
        {},
        done?.cost
          ? `$${Number(done.cost.total ?? done.cost).toFixed(4)}`
          : context.predicted
            ? `about $${Number(context.predicted.cost ?? 0).toFixed(4)}`
            : "none: no language model is asked",
      ),
    ),
    context.left_out.length > 0 &&
      h(
        "p",
        { class: "note warn" },
        `${counted(context.left_out.length, "document")} left out: the budget is full`,
      ),
  );
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
      segment && h("span", { class: "tag" }, `${segment.tokens.toLocaleString()} tokens`),
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

async function drop(chat) {
  const { plan } = await remove(address(`/chats/${chat.chat_id}`, { with_memories: true }));
  const also = h("input", { type: "checkbox" });
  const asked = h(
    "dialog",
    { "aria-labelledby": "drop-title" },
    h(
      "form",
      { method: "dialog", class: "stack" },
      h("h2", { id: "drop-title" }, "Delete this chat for good?"),
      h("p", {}, `${counted(chat.messages.length, "message")} will be gone, word for word.`),
      plan.memories_made_of_it.length > 0 &&
        h(
          "label",
          { class: "row" },
          also,
          `Also forget the ${counted(plan.memories_made_of_it.length, "memory", "memories")} made of it`,
        ),
      h(
        "div",
        { class: "row" },
        h("button", { value: "yes", class: "danger" }, "Delete"),
        h("button", { value: "" }, "Keep it"),
      ),
    ),
  );
  asked.addEventListener("close", async () => {
    asked.remove();
    if (asked.returnValue !== "yes") return;
    await remove(address(`/chats/${chat.chat_id}`, { with_memories: also.checked, yes: true }));
    toast("The chat is deleted");
    location.hash = link("chat");
  });
  document.body.append(asked);
  asked.showModal();
}
