// The panel at the side: where a source opens at its place.

import { address, get } from "./api.js";
import { fill, h } from "./dom.js";
import { fileName, openInEditor, sourceText, titleOf } from "./source.js";

const panel = () => document.getElementById("panel");
let opener = null;

// An open panel is a step of the browser's history, so that Back closes it, as people do on a phone.
addEventListener("popstate", () => {
  if (!history.state?.panel) shut();
});

/** Close the panel; whether it was open. The focus goes back to what opened it. */
export function close() {
  const was = shut();
  if (was && history.state?.panel) history.back();
  return was;
}

function shut() {
  if (panel().hidden) return false;
  panel().hidden = true;
  document.body.classList.remove("with-panel");
  opener?.setAttribute("aria-pressed", "false");
  opener?.focus();
  opener = null;
  return true;
}

/** Show content under a title; `from` is what was pressed, `back` shows what the panel had before. */
export function open(title, content, from = null, back = null) {
  opener?.setAttribute("aria-pressed", "false");
  opener = from;
  if (from?.matches(".cite")) from.setAttribute("aria-pressed", "true");
  fill(
    panel(),
    h(
      "div",
      { class: "head" },
      back && h("button", { class: "quiet", type: "button", onclick: back, "aria-label": "Back" }, "‹"),
      h("h2", { tabindex: "-1" }, title),
      h("button", { class: "quiet", type: "button", onclick: close, "aria-label": "Close the panel" }, "✕"),
    ),
    content,
  );
  if (panel().hidden) history.pushState({ panel: true }, "");
  panel().hidden = false;
  document.body.classList.add("with-panel");
  panel().querySelector("h2").focus({ preventScroll: true });
}

/** Open a file that is known by its path, at a line, or at a locator with the words that are quoted. */
export async function openPlace({ path, line, locator, quote }, from = null, back = null) {
  const { documents } = await get(address("/documents", { paths: path, limit: 1 }));
  const place = locator ?? { kind: "lines", start_line: line ?? 1, end_line: line ?? 1 };
  if (documents.length > 0) return openSource({ ...documents[0], locator: place, quote }, from, back);
  open(fileName(path), h("p", { class: "note warn" }, `${path} is no longer in the index.`), from, back);
}

/** Open a source of an answer, or a hit of a search, with its passage marked. */
export async function openSource(source, from = null, back = null) {
  const shown = h(
    "div",
    { class: "stack" },
    h("p", { class: "soft" }, h("span", { class: "busy" }), " reading the source"),
  );
  open(titleOf(source), shown, from, back);
  try {
    const found = await get(
      address(`/documents/${source.document_id}/source`, {
        locator: JSON.stringify(source.locator),
        quote: source.quote ?? null,
      }),
    );
    fill(
      shown,
      h("p", { class: "place" }, source.path),
      h(
        "div",
        { class: "row small soft" },
        source.project && h("span", { class: "tag" }, source.project),
        source.source_date,
        source.source_date && source.source_date_kind && ` (${source.source_date_kind.replaceAll("_", " ")})`,
      ),
      sourceText(found),
      h(
        "div",
        { class: "row" },
        openInEditor(source),
        h("a", { class: "button", href: `#/library?document=${source.document_id}` }, "In the library"),
      ),
    );
    shown.querySelector("mark, .here")?.scrollIntoView({ block: "center" });
  } catch (problem) {
    fill(
      shown,
      h("p", { class: "note bad" }, problem.message),
      source.quote && h("blockquote", { class: "quote" }, source.quote),
    );
  }
}
