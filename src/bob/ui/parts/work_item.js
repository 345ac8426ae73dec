// A work item in its row and in the panel, and the form for a new one.

import { address, get, patch, post, remove } from "./api.js";
import { facts, field, fill, h, row, toast } from "./dom.js";
import { choice } from "./lists.js";
import { close, open } from "./panel.js";
import { moment } from "./times.js";

/** A row of the list. */
export function workRow(item, again) {
  const done = item.status === "DONE";
  return row(
    (from) => openItem(item, from, again),
    [h("span", { class: "soft number" }, `#${item.id} `), item.title],
    [
      item.assignee_id && h("span", {}, item.assignee_id),
      item.priority && h("span", { class: "tag warn" }, worded(item.priority)),
      item.category && h("span", { class: "tag" }, item.category),
      h("span", { class: `tag ${done ? "good" : ""}` }, worded(item.status)),
    ],
  );
}

const worded = (constant) => constant.toLowerCase().replaceAll("_", " ");

/** An item in the panel, to change or archive. */
async function openItem(item, from, again) {
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
              save(() => remove(`/work/items/${item.id}`), "Archived: no longer found by search"),
          },
          "Archive",
        ),
      ),
      facts({
        Status: worded(item.status),
        Priority: item.priority && worded(item.priority),
        Category: item.category,
        Assignee: item.assignee_id,
        By: item.created_by,
        Changed: item.updated_at && moment(item.updated_at),
        ...item.fields,
      }),
      h("h3", {}, "What happened"),
      h(
        "ul",
        { class: "plain small" },
        events.map((each) =>
          h(
            "li",
            {},
            h("span", { class: "soft" }, `${moment(each.at)}, ${each.actor}: `),
            worded(each.type),
            " ",
            Object.keys(each.changes ?? {}).join(", "),
          ),
        ),
      ),
    ),
    from,
  );
}

/** A form for a new item in the panel; what is like it is shown as one types. */
export function openNewItem(categories, from, again) {
  const title = h("input", { required: true, maxlength: 500 });
  const description = h("textarea", { rows: 5 });
  const category = choice(
    "Category",
    categories.map((each) => [each.id, each.name]),
    null,
    "none",
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
          h("h3", {}, "Find similar items"),
          h(
            "ul",
            { class: "items" },
            items.map((each) => workRow(each, again)),
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
            close();
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
