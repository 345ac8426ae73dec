// A chat: what was said, the composer, and the reply as it is written.

import { address, events, get, post, remove } from "./api.js";
import { checked, cited } from "./cite.js";
import { confirm } from "./dialog.js";
import { counted, fill, h, head, put, toast } from "./dom.js";
import { keep, link } from "./pages.js";
import { drawPreview, drawReceipt } from "./receipt.js";
import { moment } from "./times.js";

const SHOWN = 100;

/** A chat with its last messages, or the last before the one with that number. */
export const messagesOf = (number, before, signal) =>
  get(address(`/chats/${encodeURIComponent(number)}`, { last: SHOWN, before }), signal);

/** Draw a chat with its composer, and beside it what the last reply saw. */
export async function drawConversation(main, chat, signal) {
  const said = h(
    "section",
    { class: "said", "aria-label": "Conversation", "aria-live": "polite" },
    chat.messages.map(message),
  );
  keysOfTheLast(said);
  if (chat.earlier) said.prepend(earlier(said, chat.chat_id, chat.earlier, signal));
  const seen = h("aside", { class: "card stack small seen", "aria-label": "Prompt of the last reply" });
  const text = h("textarea", {
    rows: 2,
    "data-search": true,
    "aria-label": "Your message",
    placeholder: "Write a message. Enter sends, Shift+Enter starts a new line.",
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
        // Enter comes here, too, while a reply is being written: one at a time, or they would interleave.
        if (!words || send.disabled) return;
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
      h("label", { class: "row small grow" }, smart, "Smart Context: use other chats and projects"),
      send,
    ),
  );
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  drawPreview(
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
      [chat.project ? `About ${chat.project}` : "About no project", " · ", moment(chat.started_at)],
      h("a", { class: "button", href: link("chat") }, "All chats"),
      h("button", { type: "button", class: "danger quiet", onclick: () => drop(chat) }, "Delete"),
    ),
    h("div", { class: "chat" }, h("div", { class: "stack" }, said, form), seen),
  );
  keep({ chat: chat.chat_id });
  text.focus();
}

/** A button that puts the messages before those that are shown in its place. */
function earlier(said, number, before, signal) {
  const more = h("button", { type: "button", class: "quiet" }, "Earlier messages");
  more.addEventListener("click", async () => {
    more.disabled = true;
    const got = await messagesOf(number, before, signal).finally(() => (more.disabled = false));
    more.replaceWith(...got.messages.map(message));
    if (got.earlier) said.prepend(earlier(said, number, got.earlier, signal));
    keysOfTheLast(said);
  });
  return more;
}

function message(each) {
  const kept = each.role === "user" && each.summary && each.importance > 0;
  return h(
    "article",
    { class: `message ${each.role}`, "data-item": true, tabindex: "-1" },
    h("p", { class: "soft small" }, each.role === "user" ? "You" : "Bob"),
    h(
      "pre",
      { class: each.role === "user" ? "words" : "words quote" },
      each.sources?.length ? cited(each.text, each.sources) : each.text,
    ),
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
    if (event.name === "context") drawReceipt(seen, event.data, null);
    if (event.name === "text") words.append(event.data.text);
    if (event.name === "error") throw new Error(event.data.detail ?? "the reply failed");
    if (event.name === "reply") {
      const { reply: text, sources, checked: claims } = event.data;
      fill(words, claims ? checked(text, claims) : cited(text, sources));
      keysOfTheLast(said);
      put(
        card,
        event.data.notices.map((each) => h("p", { class: "note warn small" }, each)),
      );
      drawReceipt(seen, event.data.context, event.data);
    }
  }
  card.querySelector(".busy")?.remove();
  card.scrollIntoView({ block: "nearest" });
}

/** The keys 1 to 9 open the sources of the last reply that has some. */
function keysOfTheLast(said) {
  const cites = [...said.querySelectorAll("[data-source]")];
  const last = cites.at(-1)?.closest("article");
  for (const each of cites) if (each.closest("article") !== last) each.removeAttribute("data-source");
}

async function drop(chat) {
  const { plan } = await remove(address(`/chats/${chat.chat_id}`, { with_memories: true }));
  const also = h("input", { type: "checkbox" });
  const memories = plan.memories_made_of_it.length;
  const sure = await confirm(
    "Delete this chat permanently?",
    [
      h("p", {}, "All of its messages will be deleted."),
      memories > 0 &&
        h(
          "label",
          { class: "row" },
          also,
          `Also forget the ${counted(memories, "memory", "memories")} made of it`,
        ),
    ],
    "Delete",
  );
  if (!sure) return;
  await remove(address(`/chats/${chat.chat_id}`, { with_memories: also.checked, yes: true }));
  toast("Chat deleted");
  location.hash = link("chat");
}
