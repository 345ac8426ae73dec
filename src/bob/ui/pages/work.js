// Work items: list, search by meaning, and create with likely duplicates shown before anything is kept.

import { address, get, patch, post, remove } from "../parts/api.js";
import { counted, empty, fill, h, head, field, toast } from "../parts/dom.js";
import { keep, link } from "../parts/pages.js";
import { open } from "../parts/panel.js";

/** Draw the page; `?q=` searches, `?status=` narrows. */
export async function draw(main, query, signal) {
  const { categories } = await get("/work/categories", signal);
  const said = h("input", {
    type: "search",
    "data-search": true,
    "aria-label": "Have we seen this before?",
    placeholder: "Have we seen this before?",
    value: query.get("q") ?? "",
  });
  const category = h(
    "select",
    { "aria-label": "Category" },
    h("option", { value: "" }, "All categories"),
    categories.map((each) =>
      h("option", { value: each.name, selected: each.name === query.get("category") }, each.name),
    ),
  );
  const list = h("section", { "aria-live": "polite" });
  let turn = null;

  async function show() {
    turn?.abort();
    turn = new AbortController();
    signal.addEventListener("abort", () => turn.abort(), { once: true });
    const words = said.value.trim();
    keep({ q: words, category: category.value });
    try {
      if (words) await similar(list, words, show, turn.signal);
      else await pages(list, { category: category.value, limit: 50 }, show, turn.signal);
    } catch (problem) {
      if (problem.name !== "AbortError") fill(list, h("p", { class: "note bad" }, problem.message));
    }
  }

  let wait = null;
  said.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(show, 200);
  });
  category.addEventListener("change", show);
  main.append(
    head(
      "Work items",
      "The database tells the facts; the memory only says which items are alike.",
      h(
        "button",
        {
          class: "primary",
          type: "button",
          onclick: (event) => create(categories, event.currentTarget, show),
        },
        "New item",
      ),
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
      h("div", {}, category),
    ),
    h("div", { class: "gap" }),
    list,
  );
  await show();
}

async function similar(list, words, again, signal) {
  const { work_item_ids } = await post("/ai/rag-search", { query: words }, signal);
  const items = (
    await Promise.all(work_item_ids.map((each) => get(`/work/items/${each}`, signal).catch(() => null)))
  ).filter(Boolean);
  if (items.length === 0)
    return fill(
      list,
      empty(
        "Nothing like it",
        "No item is near enough in meaning. The question is kept among the unanswered ones.",
      ),
    );
  fill(
    list,
    h("p", { class: "soft small" }, `${counted(items.length, "item")}, the most alike first`),
    h(
      "ul",
      { class: "items" },
      items.map((each) => row(each, again)),
    ),
  );
}

async function pages(list, query, again, signal) {
  const rows = h("ul", { class: "items" });
  const more = h("button", { type: "button" }, "More");
  let next = null;
  async function add() {
    const page = await get(address("/work/items", { ...query, after: next }), signal);
    rows.append(...page.items.map((each) => row(each, again)));
    next = page.next;
    more.hidden = next === null;
    return page.items.length;
  }
  more.addEventListener("click", add);
  if ((await add()) === 0)
    return fill(
      list,
      empty(
        "No work item yet",
        "Create one here, or import what you have: bob work import FILE --from csv, github or jira.",
      ),
    );
  fill(list, rows, h("p", { style: { marginBlockStart: "1rem" } }, more));
}

function row(item, again) {
  return h(
    "li",
    {},
    h(
      "button",
      {
        type: "button",
        class: "item",
        "data-item": true,
        onclick: (event) => one(item, event.currentTarget, again),
      },
      h("span", { class: "soft" }, `#${item.id} `),
      h("span", { class: "title" }, item.title),
      h("br"),
      h(
        "span",
        { class: "row small" },
        h(
          "span",
          { class: `tag ${item.status === "DONE" ? "good" : ""}` },
          item.status.toLowerCase().replaceAll("_", " "),
        ),
        item.category && h("span", { class: "tag" }, item.category),
        item.priority && h("span", { class: "tag warn" }, item.priority.toLowerCase()),
        item.assignee_id && h("span", { class: "soft" }, item.assignee_id),
      ),
    ),
  );
}

async function one(item, from, again) {
  const { events } = await get(address("/work/events", { item: item.id, limit: 50 }));
  const title = h("input", { value: item.title });
  const description = h("textarea", { rows: 6 }, item.description ?? "");
  const save = async (call, says) => {
    try {
      await call();
      toast(says);
      again();
    } catch (problem) {
      toast(problem.message, "bad");
    }
  };
  open(
    `Item ${item.id}`,
    h(
      "div",
      { class: "stack" },
      field("Title", title),
      field("Description", description),
      h(
        "div",
        { class: "row" },
        h(
          "button",
          {
            class: "primary",
            type: "button",
            onclick: () =>
              save(
                () =>
                  patch(`/work/items/${item.id}`, {
                    title: title.value,
                    description: description.value || null,
                  }),
                "Saved",
              ),
          },
          "Save",
        ),
        h(
          "button",
          {
            class: "danger",
            type: "button",
            onclick: () =>
              save(() => remove(`/work/items/${item.id}`), "Archived: kept, and no longer found"),
          },
          "Archive",
        ),
      ),
      h(
        "dl",
        { class: "facts small" },
        [
          ["Status", item.status],
          ["Priority", item.priority],
          ["Category", item.category],
          ["Assignee", item.assignee_id],
          ["By", item.created_by],
          ["Changed", item.updated_at?.slice(0, 16).replace("T", " ")],
          ...Object.entries(item.fields ?? {}),
        ]
          .filter(([, value]) => value !== null && value !== undefined)
          .map(([name, value]) => [h("dt", {}, name), h("dd", {}, String(value))]),
      ),
      h("h3", {}, "What happened"),
      h(
        "ul",
        { class: "plain small" },
        events.map((each) =>
          h(
            "li",
            {},
            h("span", { class: "soft" }, `${each.at.slice(0, 16).replace("T", " ")} ${each.actor} `),
            each.type.toLowerCase(),
            " ",
            Object.keys(each.changes ?? {}).join(", "),
          ),
        ),
      ),
    ),
    from,
  );
}

function create(categories, from, again) {
  const title = h("input", { required: true, maxlength: 500 });
  const description = h("textarea", { rows: 5 });
  const category = h(
    "select",
    {},
    h("option", { value: "" }, "none"),
    categories.map((each) => h("option", { value: each.id }, each.name)),
  );
  const alike = h("section", { "aria-live": "polite" });
  let wait = null;
  const look = () => {
    clearTimeout(wait);
    wait = setTimeout(async () => {
      if (title.value.trim().length < 4) return fill(alike);
      const found = await post("/work/suggestions", {
        title: title.value,
        description: description.value || null,
      }).catch(() => null);
      if (!found) return;
      const items = await Promise.all(
        found.work_item_ids.slice(0, 5).map((each) => get(`/work/items/${each}`)),
      );
      if (found.category_id && !category.value) category.value = found.category_id;
      fill(
        alike,
        items.length > 0 && [
          h("h3", {}, "Have we seen this before?"),
          h(
            "ul",
            { class: "items" },
            items.map((each) => row(each, again)),
          ),
        ],
        found.category && h("p", { class: "soft small" }, `Most items like it are in ${found.category}.`),
      );
    }, 250);
  };
  title.addEventListener("input", look);
  description.addEventListener("input", look);
  const wrong = h("p", { class: "note bad", hidden: true });
  open(
    "New item",
    h(
      "form",
      {
        class: "stack",
        onsubmit: async (event) => {
          event.preventDefault();
          try {
            const made = await post("/work/items", {
              title: title.value,
              description: description.value || null,
              ...(category.value ? { category: Number(category.value) } : {}),
            });
            toast(`Item ${made.id} is made`);
            document.querySelector("#panel button").click();
            again();
          } catch (problem) {
            wrong.hidden = false;
            wrong.textContent = problem.message;
          }
        },
      },
      field("Title", title),
      field("Description", description),
      field("Category", category),
      alike,
      wrong,
      h("div", {}, h("button", { class: "primary" }, "Create")),
    ),
    from,
  );
  title.focus();
}
