// Chat: the active project's documents are pinned, other chats and projects inspire when the switch is on.

import { address, get, post } from "../parts/api.js";
import { drawConversation, messagesOf } from "../parts/conversation.js";
import { counted, empty, h, head, row } from "../parts/dom.js";
import { choice, paged } from "../parts/lists.js";
import { link } from "../parts/pages.js";
import { moment } from "../parts/times.js";

/** Draw the page; `?chat=` goes on with one, `?new=1` begins one. */
export async function draw(main, query, signal) {
  const number = query.get("chat");
  if (number)
    return drawConversation(main, await messagesOf(number, null, signal), signal);
  const { projects } = await get("/projects", signal);
  const project = choice(
    "Project",
    projects.map((each) => each.project),
    null,
    "No project",
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
  const list = h("section", {});
  main.append(
    head(
      "Chat",
      "Chat about a project, whose documents are in every prompt. Important statements become memories.",
      begin,
    ),
    list,
  );
  const page = async (after) => {
    const got = await get(address("/chats", { limit: 50, cursor: after }), signal);
    return { rows: got.chats.map(one), next: got.next };
  };
  await paged(
    list,
    page,
    empty(
      "No chats yet",
      "Choose a project and start. Without a language model, replies quote your files; with one, the model writes them from the same sources.",
    ),
  );
}

const one = (chat) =>
  row(
    link("chat", { chat: chat.chat_id }),
    chat.title || "No messages yet",
    moment(chat.last_message_at),
    h(
      "span",
      { class: "parts small soft" },
      chat.project && h("span", { class: "tag" }, chat.project),
      counted(chat.messages, "message"),
    ),
  );
