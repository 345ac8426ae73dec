// Work items: list, search by meaning, and create with likely duplicates shown before anything is kept.

import { address, get, post } from "../parts/api.js";
import { counted, empty, fill, h, head } from "../parts/dom.js";
import { choice, filters, paged, shower } from "../parts/lists.js";
import { keep } from "../parts/pages.js";
import { openNewItem, workRow } from "../parts/work_item.js";

/** Draw the page; `?q=` searches, `?category=` narrows. */
export async function draw(main, query, signal) {
  const { categories } = await get("/work/categories", signal);
  const said = h("input", {
    type: "search",
    "data-search": true,
    "aria-label": "Find similar items",
    placeholder: "Find similar items",
    value: query.get("q") ?? "",
  });
  const names = categories.map((each) => each.name);
  const category = choice("Category", names, query.get("category"), "All categories");
  const list = h("section", { "aria-live": "polite" });
  const shown = shower(list, signal, async (turn) => {
    const words = said.value.trim();
    keep({ q: words, category: category.value });
    if (words) await similar(list, words, shown.again, turn);
    else await every(list, { category: category.value, limit: 50 }, shown.again, turn);
  });
  main.append(
    head(
      "Work items",
      "SQL is the source of truth; the semantic index finds similar items.",
      h(
        "button",
        {
          class: "primary",
          type: "button",
          onclick: (event) => openNewItem(categories, event.currentTarget, shown.again),
        },
        "New item",
      ),
    ),
    filters(shown, said, category),
    list,
  );
  await shown.again();
}

async function similar(list, words, again, signal) {
  const { work_item_ids } = await post("/ai/rag-search", { query: words }, signal);
  const asked = work_item_ids.map((each) => get(`/work/items/${each}`, signal).catch(() => null));
  const items = (await Promise.all(asked)).filter(Boolean);
  if (items.length === 0)
    return fill(
      list,
      empty(
        "Nothing similar",
        "No item is similar enough. The query is saved in the list of unanswered ones.",
      ),
    );
  fill(
    list,
    h("p", { class: "count" }, `${counted(items.length, "item")}, most similar first`),
    h(
      "ul",
      { class: "items" },
      items.map((each) => workRow(each, again)),
    ),
  );
}

async function every(list, query, again, signal) {
  const page = async (after) => {
    const got = await get(address("/work/items", { ...query, after }), signal);
    return { rows: got.items.map((each) => workRow(each, again)), next: got.next };
  };
  await paged(
    list,
    page,
    empty(
      "No work items yet",
      "Write down what a team has to do; Bob says whether it was seen before. What another tracker exported comes in with bob work import FILE --from csv, github or jira.",
    ),
  );
}
