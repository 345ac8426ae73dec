// Signing in where the server asks who one is: an API key or a token becomes the session of this browser.

import { signIn } from "./api.js";
import { field, fill, h } from "./dom.js";

/** Draw the form; `done` is called when the server knows who one is. */
export function drawSignIn(main, done) {
  const key = h("input", {
    type: "password",
    required: true,
    autocomplete: "off",
    spellcheck: "false",
    "data-search": true,
  });
  const wrong = h("p", { class: "note bad", hidden: true, role: "alert" });
  const send = h("button", { class: "primary" }, "Sign in");
  const form = h(
    "form",
    {
      class: "card stack sign-in",
      onsubmit: async (event) => {
        event.preventDefault();
        send.disabled = true;
        try {
          await signIn(key.value.trim());
          done();
        } catch (problem) {
          wrong.textContent = problem.message;
          wrong.hidden = false;
          send.disabled = false;
          key.select();
        }
      },
    },
    h("h1", {}, "Sign in"),
    h("p", { class: "soft" }, "This server requires a key or a token."),
    field(
      "API key or token",
      key,
      "The person who runs the server creates one with bob keys create. It is sent once; this browser then has a session of twelve hours.",
    ),
    wrong,
    h("div", {}, send),
  );
  fill(main, form);
  key.focus();
}
