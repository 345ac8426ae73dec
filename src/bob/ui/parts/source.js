// The text of a source around a place, with the quote marked; a page of a PDF as an image.

import { post } from "./api.js";
import { h, toast } from "./dom.js";

/** The answer of /documents/{id}/source as elements. */
export function sourceText(found) {
  if (found.image) return h("div", { class: "stack" }, pageImage(found), h("details", {}, h("summary", {}, "Its text"), text(found)));
  return text(found);
}

function text(found) {
  const first = found.first_line ?? null;
  const [start, end] = found.quote_range ?? [null, null];
  let at = 0;
  return h("div", { class: "source-text", tabindex: "0", role: "region", "aria-label": "Text of the source" },
    found.text.split("\n").map((line, index) => {
      const from = at;
      at += line.length + 1;
      const marked = start !== null && start < from + line.length && end > from;
      const cut = marked ? [Math.max(start - from, 0), Math.min(end - from, line.length)] : [0, 0];
      return h("div", { class: marked ? "line here" : "line" },
        h("span", { "aria-hidden": "true" }, first === null ? "" : first + index),
        h("span", {}, line.slice(0, cut[0]), marked && h("mark", {}, line.slice(...cut)), line.slice(cut[1])));
    }));
}

function pageImage(found) {
  const image = h("img", { src: found.image, alt: `Page ${found.locator.page} of ${found.locator.total_pages}` });
  const boxes = (found.boxes ?? []).map(([left, top, width, height]) =>
    h("span", { class: "box", style: { left: `${left * 100}%`, top: `${top * 100}%`, width: `${width * 100}%`, height: `${height * 100}%` } }));
  return h("div", { class: "page-image" }, image, boxes);
}

/** A button that opens a source in the user's editor. */
export function openInEditor(source) {
  return h("button", { type: "button", onclick: async () => {
    try {
      await post("/open", { document_id: source.document_id, chunk_id: source.chunk_id });
      toast("Opened in your editor");
    } catch (problem) {
      toast(problem.message, "bad");
    }
  } }, "Open in editor");
}
