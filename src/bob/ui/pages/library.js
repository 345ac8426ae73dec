// Library: what is indexed, by project; a document's record and text; and search with the query syntax.

import { address, get } from "../parts/api.js";
import { counted, empty, fill, h, head } from "../parts/dom.js";
import { keep, link } from "../parts/pages.js";
import { openSource } from "../parts/panel.js";
import { where } from "../parts/source.js";

const KINDS = ["markdown", "pdf", "word", "excel", "powerpoint", "html", "mail", "code", "notebook", "text"];
const PAGE = 50;

/** Draw the page; `?document=` shows one, `?q=` searches. */
export async function draw(main, query, signal) {
  if (query.get("document")) return one(main, query.get("document"), signal);
  const { projects } = await get("/projects", signal);
  const said = h("input", {
    type: "search",
    "data-search": true,
    "aria-label": "Search",
    placeholder: 'Words, "a phrase", -without, type:pdf, after:2024',
    value: query.get("q") ?? "",
  });
  const choose = (label, options, value) =>
    h(
      "select",
      { "aria-label": label },
      h("option", { value: "" }, label),
      options.map((each) => h("option", { selected: each === value }, each)),
    );
  const project = choose(
    "All projects",
    projects.map((each) => each.project),
    query.get("project"),
  );
  const kind = choose("All kinds", KINDS, query.get("type"));
  const order = h(
    "select",
    { "aria-label": "Order" },
    [
      ["path", "By path"],
      ["title", "By title"],
      ["newest", "Newest first"],
      ["oldest", "Oldest first"],
    ].map(([value, text]) => h("option", { value, selected: value === query.get("order") }, text)),
  );
  const list = h("section", { "aria-live": "polite" });
  let turn = null;

  async function show() {
    turn?.abort();
    turn = new AbortController();
    signal.addEventListener("abort", () => turn.abort(), { once: true });
    keep({
      q: said.value.trim(),
      project: project.value,
      type: kind.value,
      order: order.value === "path" ? "" : order.value,
    });
    const narrowed = { projects: project.value, types: kind.value };
    try {
      if (said.value.trim()) await hits(list, { query: said.value.trim(), ...narrowed }, turn.signal);
      else await documents(list, { ...narrowed, order: order.value, limit: PAGE }, turn.signal);
    } catch (problem) {
      if (problem.name !== "AbortError") fill(list, h("p", { class: "note bad" }, problem.message));
    }
  }

  let wait = null;
  said.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(show, 120);
  });
  for (const each of [project, kind, order]) each.addEventListener("change", show);
  main.append(
    head(
      "Library",
      projects.length
        ? projects
            .map((each) => `${each.project}: ${counted(each.documents, "document")}`)
            .slice(0, 6)
            .join(" · ")
        : null,
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
      h("div", {}, project),
      h("div", {}, kind),
      h("div", {}, order),
    ),
    h("div", { style: { height: "1rem" } }),
    list,
  );
  if (projects.length === 0)
    return fill(
      list,
      empty(
        "The library is empty",
        "Index a folder, and its documents are listed here with their dates, kinds and text.",
        h("a", { class: "button", href: link("indexing") }, "Index a folder"),
      ),
    );
  await show();
}

async function hits(list, query, signal) {
  const found = await get(address("/search", { ...query, limit: 30 }), signal);
  if (found.hits.length === 0)
    return fill(
      list,
      empty("Nothing is found", "Fewer or other words help; the query syntax is in the field's hint."),
    );
  fill(
    list,
    h("p", { class: "soft small" }, counted(found.hits.length, "passage")),
    h(
      "ol",
      { class: "items" },
      found.hits.map((hit) =>
        h(
          "li",
          {},
          h(
            "button",
            {
              class: "item",
              type: "button",
              "data-item": true,
              onclick: (event) => openSource(hit, event.currentTarget),
            },
            h("span", { class: "title" }, hit.title || hit.path.split("/").pop()),
            " ",
            h("span", { class: "place" }, where(hit)),
            h("br"),
            h("span", { class: "quote" }, hit.text.length > 260 ? `${hit.text.slice(0, 260)}…` : hit.text),
          ),
        ),
      ),
    ),
  );
}

async function documents(list, query, signal) {
  const rows = h("ul", { class: "items" });
  const more = h("button", { type: "button", hidden: true }, "More");
  let next = null;
  async function add() {
    more.disabled = true;
    const page = await get(address("/documents", { ...query, cursor: next }), signal);
    next = page.next;
    for (const each of page.documents)
      rows.append(
        h(
          "li",
          {},
          h(
            "a",
            { class: "item", "data-item": true, href: link("library", { document: each.document_id }) },
            h("span", { class: "title" }, each.title || each.path.split("/").pop()),
            " ",
            h("span", { class: "tag" }, each.source_type),
            " ",
            each.source_date && h("span", { class: "soft small" }, each.source_date),
            h("br"),
            h("span", { class: "place" }, each.path),
          ),
        ),
      );
    more.hidden = next === null;
    more.disabled = false;
    return page.documents.length;
  }
  more.addEventListener("click", add);
  if ((await add()) === 0)
    return fill(list, empty("No document passes these filters", "Choose another project or kind."));
  fill(list, rows, h("p", { style: { marginBlockStart: "1rem" } }, more));
}

async function one(main, number, signal) {
  const found = await get(address(`/documents/${encodeURIComponent(number)}`, { limit: 100 }), signal);
  const text = h("div", { class: "stack" });
  const more = h("button", { type: "button" }, "More of it");
  let next = null;
  function add(page) {
    for (const chunk of page.content)
      text.append(
        h(
          "section",
          { class: "card" },
          h(
            "div",
            { class: "row small soft" },
            h("span", {}, chunk.heading_path.join(" › ")),
            h(
              "button",
              {
                class: "quiet",
                type: "button",
                "data-item": true,
                onclick: (event) =>
                  openSource(
                    { ...found, locator: chunk.locator, chunk_id: chunk.chunk_id },
                    event.currentTarget,
                  ),
              },
              where({ path: found.path, locator: chunk.locator }),
            ),
          ),
          h("pre", { class: "quote" }, chunk.text),
        ),
      );
    next = page.next;
    more.hidden = next === null;
  }
  more.addEventListener("click", async () =>
    add(await get(address(`/documents/${found.document_id}`, { first: next, limit: 100 }), signal)),
  );
  const facts = {
    Path: found.path,
    Project: found.project,
    Kind: found.source_type,
    Language: found.language,
    Dated: found.source_date && `${found.source_date} (${found.source_date_kind.replace("_", " ")})`,
    Tags: found.tags.join(", "),
    Chunks: found.chunks,
    Size: `${found.size.toLocaleString()} bytes`,
  };
  main.append(
    head(
      found.title || found.path.split("/").pop(),
      null,
      h("a", { class: "button", href: link("library") }, "All documents"),
    ),
    h(
      "dl",
      { class: "facts card small" },
      Object.entries(facts)
        .filter(([, value]) => value !== null && value !== "")
        .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    ),
    h("div", { style: { height: "1rem" } }),
    text,
    more,
  );
  add(found);
}
