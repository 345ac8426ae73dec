// Questions that stand over the page until they are answered.

import { h } from "./dom.js";

/** Ask before something is done that cannot be taken back; whether the answer was `yes`. */
export function confirm(title, content, yes, no = "Keep") {
  const asked = h(
    "dialog",
    { "aria-labelledby": "dialog-title" },
    h(
      "form",
      { method: "dialog", class: "stack" },
      h("h2", { id: "dialog-title" }, title),
      content,
      h(
        "div",
        { class: "row" },
        h("button", { value: "yes", class: "danger" }, yes),
        h("button", { value: "" }, no),
      ),
    ),
  );
  document.body.append(asked);
  asked.showModal();
  return new Promise((done) =>
    asked.addEventListener("close", () => {
      asked.remove();
      done(asked.returnValue === "yes");
    }),
  );
}
