// The frame: the rail of pages, what is shown, and the keyboard.

import { Problem } from "./parts/api.js";
import { fill, h, icon, put, toast } from "./parts/dom.js";
import { listen } from "./parts/keys.js";
import { PAGES, place } from "./parts/pages.js";
import { close } from "./parts/panel.js";
import { drawSignIn } from "./parts/sign_in.js";

const main = document.getElementById("main");
const nav = document.getElementById("nav");
const menu = document.getElementById("menu");
let shown = null;

function rail() {
  for (const page of PAGES)
    nav.append(
      h(
        "a",
        {
          href: `#/${page.name}`,
          "data-page": page.name,
          class: page.apart && "apart",
          title: `${page.title} (g ${page.key})`,
        },
        icon(page.icon),
        h("span", {}, page.title),
      ),
    );
}

function unfold(open) {
  menu.setAttribute("aria-expanded", String(open));
}

async function show() {
  const { name, query } = place();
  const page = PAGES.find((each) => each.name === name);
  if (!page) {
    location.replace("#/ask");
    return;
  }
  for (const each of nav.children) {
    if (each.dataset.page === name) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
  menu.textContent = page.title;
  unfold(false);
  // What the page before still waits for is of no use any more.
  shown?.abort();
  const turn = (shown = new AbortController());
  close();
  document.title = `${page.title} · Bob`;
  main.setAttribute("aria-busy", "true");
  try {
    const { draw } = await import(`./pages/${name}.js`);
    if (turn.signal.aborted) return;
    main.replaceChildren();
    await draw(main, query, turn.signal);
  } catch (problem) {
    if (problem.name !== "AbortError" && !turn.signal.aborted) trouble(page, problem);
  } finally {
    if (!turn.signal.aborted) main.removeAttribute("aria-busy");
  }
}

function trouble(page, problem) {
  // Whoever is not known is asked who they are, by `refused` below.
  if (problem.status === 401) return;
  if (problem.status === 403)
    return fill(
      main,
      h("h1", {}, page.title),
      h("p", { class: "note warn" }, `Not allowed: ${problem.message}.`),
    );
  fill(
    main,
    h("h1", {}, "This page cannot be shown"),
    h("p", { class: "note bad" }, problem.message),
    put(h("p", {}), h("button", { type: "button", onclick: show }, "Try again")),
  );
}

function refused() {
  if (main.querySelector(".sign-in")) return;
  shown?.abort();
  close();
  main.removeAttribute("aria-busy");
  document.title = "Sign in · Bob";
  drawSignIn(main, show);
}

rail();
listen(close);
menu.addEventListener("click", () => unfold(menu.getAttribute("aria-expanded") !== "true"));
addEventListener("signed-out", refused);
addEventListener("unhandledrejection", (event) => {
  const { reason } = event;
  // What a page still waited for when it was left is no error; what the server refuses at a press is told.
  if (reason?.name !== "AbortError" && !(reason instanceof Problem)) return;
  event.preventDefault();
  if (reason instanceof Problem) toast(reason.message, "bad");
});
addEventListener("hashchange", () => {
  show();
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
});
await show();
