// The frame: the rail of pages, what is shown, and the keyboard.

import { fill, h, icon, put } from "./parts/dom.js";
import { listen } from "./parts/keys.js";
import { PAGES, place } from "./parts/pages.js";
import { close } from "./parts/panel.js";

const main = document.getElementById("main");
let shown = null;

function rail() {
  const nav = document.getElementById("nav");
  for (const page of PAGES)
    nav.append(
      h(
        "a",
        { href: `#/${page.name}`, "data-page": page.name, title: `${page.title} (g ${page.key})` },
        icon(page.icon),
        h("span", {}, page.title),
      ),
    );
}

async function show() {
  const { name, query } = place();
  const page = PAGES.find((each) => each.name === name);
  if (!page) {
    location.replace("#/ask");
    return;
  }
  for (const each of document.querySelectorAll("#nav a")) {
    if (each.dataset.page === name) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
  document
    .querySelector('#nav a[aria-current="page"]')
    .scrollIntoView({ block: "nearest", inline: "center" });
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
    if (problem.name !== "AbortError" && !turn.signal.aborted) trouble(problem);
  } finally {
    if (!turn.signal.aborted) main.removeAttribute("aria-busy");
  }
}

function trouble(problem) {
  fill(
    main,
    h("h1", {}, "This page could not be drawn"),
    h("p", { class: "note bad" }, problem.message),
    put(h("p", {}), h("button", { type: "button", onclick: show }, "Try again")),
  );
}

rail();
listen(close);
addEventListener("hashchange", () => {
  show();
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
});
await show();
