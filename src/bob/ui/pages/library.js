// Library: what is indexed, by project, and search with the query syntax.

import { address, get } from "../parts/api.js";
import { drawDocument } from "../parts/document.js";
import { counted, empty, fill, h, head, row } from "../parts/dom.js";
import { choice, filters, paged, shower } from "../parts/lists.js";
import { marked, wordsOf } from "../parts/marked.js";
import { keep, link } from "../parts/pages.js";
import { openSource } from "../parts/panel.js";
import { titleOf, where } from "../parts/source.js";

/** Who wrote a passage that no answer quotes. */
const WRITERS = { bob: "prepared by Bob", assistant: "written by an assistant" };

const KINDS = ["markdown", "pdf", "word", "excel", "powerpoint", "html", "mail", "code", "notebook", "text"];
const ORDERS = [
  ["path", "By path"],
  ["title", "By title"],
  ["newest", "Newest first"],
  ["oldest", "Oldest first"],
];

/** Draw the page; `?document=` shows one, `?q=` searches. */
export async function draw(main, query, signal) {
  if (query.get("document")) return drawDocument(main, query.get("document"), signal);
  const { projects } = await get("/projects", signal);
  const said = h("input", {
    type: "search",
    "data-search": true,
    "aria-label": "Search",
    placeholder: 'Words, "a phrase", -without, type:pdf, after:2024',
    value: query.get("q") ?? "",
  });
  const names = projects.map((each) => each.project);
  const project = choice("Project", names, query.get("project"), "All projects");
  const kind = choice("Kind", KINDS, query.get("type"), "All kinds");
  const order = choice("Order", ORDERS, query.get("order") ?? "path", null);
  const list = h("section", { "aria-live": "polite" });
  const shown = shower(list, signal, async (turn) => {
    const words = said.value.trim();
    keep({
      q: words,
      project: project.value,
      type: kind.value,
      order: order.value === "path" ? "" : order.value,
    });
    const narrowed = { projects: project.value, types: kind.value };
    order.disabled = words !== "";
    if (words) await hits(list, { query: words, ...narrowed }, turn);
    else await documents(list, { ...narrowed, order: order.value, limit: 50 }, projects, turn);
  });
  const total = projects.reduce((sum, each) => sum + each.documents, 0);
  const size = `${counted(total, "document")} in ${counted(projects.length, "project")}`;
  main.append(head("Library", projects.length > 0 && size));
  if (projects.length === 0)
    return main.append(
      empty(
        "The library is empty",
        "Index a folder to see its documents here, with their dates, types and text.",
        h("a", { class: "button", href: link("indexing") }, "Index a folder"),
      ),
    );
  main.append(filters(shown, said, project, kind, order), list);
  await shown.again();
}

async function hits(list, query, signal) {
  const found = await get(address("/search", { ...query, limit: 30 }), signal);
  if (found.hits.length === 0)
    return fill(
      list,
      empty(
        "Nothing found",
        found.notices.length > 0
          ? found.notices.join(" ")
          : "Try fewer or other words; the search also finds similar meanings. Quotation marks and -without make it stricter.",
      ),
    );
  const words = wordsOf(query.query);
  fill(
    list,
    found.notices.map((each) => h("p", { class: "note warn" }, each)),
    h("p", { class: "count" }, `${counted(found.hits.length, "passage")}, best first`),
    h(
      "ol",
      { class: "items" },
      found.hits.map((hit) =>
        row(
          (from) => openSource(hit, from),
          titleOf(hit),
          h(
            "span",
            { class: "place" },
            where(hit),
            hit.written_by && [" ", h("span", { class: "tag warn" }, WRITERS[hit.written_by])],
          ),
          h("span", { class: "quote" }, marked(hit.text, words, 260)),
        ),
      ),
    ),
  );
}

async function documents(list, query, projects, signal) {
  const folders = projects.flatMap((each) => each.folders);
  const page = async (cursor) => {
    const got = await get(address("/documents", { ...query, cursor }), signal);
    return { rows: got.documents.map((each) => one(each, folders)), next: got.next };
  };
  await paged(list, page, empty("No document passes these filters", "Choose another project or kind."));
}

function one(each, folders) {
  const folder = folders.find((folder) => each.path.startsWith(`${folder}/`));
  const shown = folder ? each.path.slice(folder.length + 1) : each.path;
  return row(
    link("library", { document: each.document_id }),
    titleOf(each),
    [h("span", {}, each.source_type), each.source_date && h("span", {}, each.source_date)],
    h("span", { class: "place clip", title: each.path }, `${each.project} › ${shown}`),
  );
}
