// A document of the library: its record, and its text passage by passage.

import { address, get } from "./api.js";
import { h, head } from "./dom.js";
import { link } from "./pages.js";
import { openSource } from "./panel.js";
import { titleOf, where } from "./source.js";

const DATES = { mtime: "last change of the file", front_matter: "front matter" };
const SET_AS_CODE = new Set(["code", "notebook", "excel", "csv", "json"]);

/** Draw the document with this number. */
export async function drawDocument(main, number, signal) {
  const found = await get(address(`/documents/${encodeURIComponent(number)}`, { limit: 100 }), signal);
  const text = h("div", { class: "stack" });
  const more = h("button", { type: "button", class: "more" }, "More details");
  let next = null;
  function add(page) {
    text.append(...page.content.map((chunk) => passage(found, chunk)));
    next = page.next;
    more.hidden = next === null;
  }
  more.addEventListener("click", async () =>
    add(await get(address(`/documents/${found.document_id}`, { first: next, limit: 100 }), signal)),
  );
  main.append(
    head(
      titleOf(found),
      h("span", { class: "place" }, found.path),
      h("a", { class: "button", href: link("library") }, "All documents"),
    ),
    record(found),
    h("div", { class: "gap" }),
    text,
    more,
  );
  add(found);
}

function record(found) {
  const kind = found.source_date_kind;
  const values = {
    Project: found.project,
    Kind: found.source_type,
    Dated: found.source_date && `${found.source_date} (${DATES[kind] ?? kind.replaceAll("_", " ")})`,
    Language: found.language,
    Tags: found.tags.join(", "),
    Passages: found.chunks.toLocaleString(),
    Size: bytes(found.size),
  };
  return h(
    "dl",
    { class: "meta-grid card small" },
    Object.entries(values)
      .filter(([, value]) => value)
      .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

const bytes = (size) =>
  size < 10_000 ? `${size.toLocaleString()} bytes` : `${Math.round(size / 1000).toLocaleString()} kB`;

function passage(found, chunk) {
  const place = { ...found, locator: chunk.locator, chunk_id: chunk.chunk_id };
  return h(
    "section",
    { class: "passage" },
    h(
      "div",
      { class: "line small" },
      h("span", { class: "soft" }, chunk.heading_path.join(" › ")),
      h(
        "button",
        {
          class: "quiet place",
          type: "button",
          "data-item": true,
          onclick: (event) => openSource(place, event.currentTarget),
        },
        where(place),
      ),
    ),
    h("pre", { class: SET_AS_CODE.has(found.source_type) ? "" : "quote" }, chunk.text),
  );
}
