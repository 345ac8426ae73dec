// The text of a source around a place, with the passage marked; a page of a PDF as a picture.

import { post } from "./api.js";
import { h, toast } from "./dom.js";

/** The answer of /documents/{id}/source as elements. */
export function sourceText(found) {
  const text = found.kind === "lines" ? lines(found) : part(found);
  const changed =
    found.changed &&
    h(
      "p",
      { class: "note warn small" },
      "The file has changed since it was indexed; the passage may have moved.",
    );
  if (!found.image) return h("div", { class: "stack" }, changed, text);
  return h(
    "div",
    { class: "stack" },
    changed,
    picture(found),
    h("details", {}, h("summary", {}, "The page's text"), text),
  );
}

function lines(found) {
  const { start_line, end_line, start_column, end_column } = found.locator;
  return box(
    found.lines.map((line, index) => {
      const number = found.first_line + index;
      if (number < start_line || number > end_line) return row(number, line);
      const from = number === start_line ? (start_column ?? 0) : 0;
      const to = number === end_line ? (end_column ?? line.length) : line.length;
      return row(number, line, from, to);
    }),
  );
}

function part(found) {
  const { start_char, end_char } = found.locator;
  let at = 0;
  return box(
    found.text.split("\n").map((line) => {
      const from = at;
      at += line.length + 1;
      const inside = end_char > start_char && start_char < from + line.length && end_char > from;
      return inside
        ? row("", line, Math.max(start_char - from, 0), Math.min(end_char - from, line.length))
        : row("", line);
    }),
  );
}

const box = (rows) =>
  h("div", { class: "source-text", tabindex: "0", role: "region", "aria-label": "Text of the source" }, rows);

function row(number, line, from = 0, to = 0) {
  return h(
    "div",
    { class: to > from ? "line here" : "line" },
    h("span", { "aria-hidden": "true" }, number),
    h("span", {}, line.slice(0, from), to > from && h("mark", {}, line.slice(from, to)), line.slice(to)),
  );
}

function picture(found) {
  const image = h("img", {
    src: found.image,
    alt: `Page ${found.locator.page} of ${found.locator.total_pages}; its text is below`,
  });
  return h(
    "div",
    { class: "page-image" },
    image,
    (found.boxes ?? []).map(([left, top, width, height]) =>
      h("span", {
        class: "box",
        style: { left: share(left), top: share(top), width: share(width), height: share(height) },
      }),
    ),
  );
}

const share = (part) => `${part * 100}%`;

/** A button that opens a source in the user's editor. */
export function openInEditor(source) {
  return h(
    "button",
    {
      type: "button",
      onclick: async () => {
        try {
          await post("/open", { document_id: source.document_id, locator: source.locator });
          toast("Opened in your editor");
        } catch (problem) {
          toast(problem.message, "bad");
        }
      },
    },
    "Open in editor",
  );
}

/** A file's name without its folders. */
export const fileName = (path) => path.split("/").pop();

/** What a document is called: its title, or its file's name. */
export const titleOf = ({ title, path }) => title || fileName(path);

/** Where a passage stands, in a few characters: `rules.md:10`, `report.pdf, page 3`. */
export function where({ path, locator }) {
  const name = fileName(path);
  if (locator.start_line)
    return `${name}:${locator.start_line}${locator.end_line > locator.start_line ? `-${locator.end_line}` : ""}`;
  const part = ["page", "slide", "sheet_name", "message", "cell", "section", "chapter", "heading"].find(
    (key) => locator[key],
  );
  return part ? `${name}, ${part.replace("_name", "")} ${locator[part]}` : name;
}
