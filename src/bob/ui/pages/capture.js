// Capture: a note from a template, checked while it is written, and saved where it is found at once.

import { get, post, put as save } from "../parts/api.js";
import { empty, field, fill, h, head, toast } from "../parts/dom.js";
import { lintEditor } from "../parts/editor.js";
import { choice } from "../parts/lists.js";
import { keep, link } from "../parts/pages.js";

const LONG =
  /^(context|decision|question|answer|notes|summary|agenda|consequences|reason|body|goal|done|next)/;

/** Draw the page; `?kind=` chooses a template, `?title=` and `?project=` fill its fields. */
export async function draw(main, query, signal) {
  const [{ templates, folders }, { projects }] = await Promise.all([
    get("/templates", signal),
    get("/projects", signal),
  ]);
  const kinds = templates.map((each) => [each.kind, each.kind]);
  const kind = choice("Kind of note", kinds, query.get("kind") ?? templates[0]?.kind, null);
  const about = h("span", { class: "small soft" });
  const fields = h("div", { class: "stack" });
  const place = h("p", { class: "place", "aria-live": "polite" });
  const editor = lintEditor(signal);
  const button = h("button", { type: "button", class: "primary", disabled: true }, "Save");
  const again = h(
    "button",
    { type: "button", class: "link small", hidden: true },
    "Reset to the template",
  );
  let made = null;
  let wait = null;

  const template = () => templates.find((each) => each.kind === kind.value);

  /** What the template makes of the fields; a text that was written on by hand is kept. */
  async function preview() {
    const values = filled(fields);
    const missing = template().needs.filter((name) => !values[name]);
    again.hidden = !editor.touched;
    if (missing.length > 0) {
      made = null;
      button.disabled = true;
      return fill(place, `Missing: ${missing.join(", ")}`);
    }
    if (folders.length === 0 && !values.into) {
      made = null;
      button.disabled = true;
      return fill(
        place,
        "Missing folder for the note: name an indexed one, or set notes.folders in bob.yaml.",
      );
    }
    try {
      made = await post("/notes", { ...request(kind.value, values), dry_run: true }, signal);
      fill(place, made.path);
      if (!editor.touched) editor.take(made.text, made.path);
      button.disabled = false;
    } catch (problem) {
      if (problem.name === "AbortError") return;
      made = null;
      button.disabled = true;
      fill(place, h("span", { class: "wrong" }, problem.message));
    }
  }

  async function choose() {
    keep({ kind: kind.value });
    const whole = await get(`/templates/${encodeURIComponent(kind.value)}`, signal);
    if (whole.kind !== kind.value) return;
    about.textContent = template().about;
    const before = filled(fields);
    const names = whole.fields.filter((name) => name !== "number");
    const drawn = (some) =>
      some.map((name) => fieldOf(name, before[name] ?? query.get(name) ?? "", whole, projects));
    const main = names.filter((name) => name === "title" || isLong(name, whole));
    const folder = h("input", {
      name: "into",
      value: before.into ?? "",
      placeholder: "the usual one",
      spellcheck: "false",
    });
    fill(
      fields,
      drawn(main),
      h(
        "div",
        { class: "short-fields" },
        drawn(names.filter((name) => !main.includes(name))),
        field("Folder", folder),
      ),
    );
    editor.release();
    preview();
  }

  const form = h(
    "form",
    {
      class: "stack",
      onsubmit: (event) => event.preventDefault(),
      oninput: () => {
        clearTimeout(wait);
        wait = setTimeout(preview, 250);
      },
    },
    field("Kind of note", kind),
    about,
    fields,
  );
  kind.addEventListener("change", choose);
  again.addEventListener("click", () => {
    editor.release();
    preview();
  });
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const saved = await save("/notes", { path: made.path, text: editor.text });
      toast(saved.indexed ? "Saved and indexed" : "Saved, but its folder is not indexed");
      fill(
        place,
        "Saved as ",
        saved.path,
        " · ",
        h("a", { href: link("library", { q: filled(fields).title ?? kind.value }) }, "find it"),
        " · ",
        h("a", { href: link("capture", { kind: kind.value, at: Date.now() }) }, "write another"),
      );
    } catch (problem) {
      button.disabled = false;
      toast(problem.message, "bad");
    }
  });
  main.append(
    head("Capture", "Write a note from a template; it is checked while you type."),
  );
  if (templates.length === 0)
    return main.append(empty("No template", "notes.templates names their folder."));
  main.append(
    h(
      "div",
      { class: "capture" },
      h("section", { class: "card", "aria-label": "Fields" }, form),
      h(
        "section",
        { class: "stack", "aria-label": "Note" },
        h("div", { class: "line saving" }, place, h("div", { class: "row" }, again, button)),
        editor.element,
      ),
    ),
  );
  await choose();
  fields.querySelector("input")?.focus();
}

/** Whether a field may have several lines: it has a line of the text for itself, and is none of the front matter. */
const isLong = (name, template) =>
  !(name in template.defaults) && new RegExp(`^[ >]*\\{\\{ *${name} *\\}\\}$`, "m").test(template.body);

function fieldOf(name, value, template, projects) {
  const needed = template.needs.includes(name);
  const worded = name.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());
  const label = needed ? `${worded} (needed)` : worded;
  const shared = {
    name,
    required: needed,
    spellcheck: name === "title" ? "true" : null,
    autocomplete: "off",
  };
  if (isLong(name, template)) return field(label, h("textarea", { ...shared, rows: 2 }, value));
  const usual = [template.defaults[name] ?? ""]
    .flat()
    .join(", ")
    .replace(/\{\{ *(\w+) *\}\}/g, "$1");
  const hint = { date: "2025-06-30", tags: "one, two" }[name] ?? usual;
  const control = h("input", { ...shared, value, placeholder: hint, "data-search": name === "title" });
  if (name !== "project") return field(label, control);
  control.setAttribute("list", "capture-projects");
  const known = projects.map((each) => h("option", { value: each.project }));
  return [field(label, control), h("datalist", { id: "capture-projects" }, known)];
}

/** The values that were given, by field. */
function filled(fields) {
  const said = [...fields.querySelectorAll("[name]")].map((each) => [each.name, each.value.trim()]);
  return Object.fromEntries(said.filter(([, value]) => value));
}

function request(kind, { title, project, date, into, tags, ...fields }) {
  const named = tags?.split(",").map((each) => each.trim());
  return {
    kind,
    fields,
    ...(title && { title }),
    ...(project && { project }),
    ...(date && { date }),
    ...(into && { into }),
    ...(named && { tags: named.filter(Boolean) }),
  };
}
