// Settings: the resources that a chat may draw on, the state of Bob's parts, and every setting in force.

import { get, put as set, remove } from "../parts/api.js";
import { facts, fill, h, head, put, quoted, toast } from "../parts/dom.js";

/** Draw the page. */
export async function draw(main, query, signal) {
  const [who, { enable_smart_rag }, { settings }, status] = await Promise.all([
    get("/session", signal),
    get("/smart-context", signal),
    get("/settings", signal).catch(() => ({ settings: [] })),
    get("/status", signal),
  ]);
  const smart = h("input", { type: "checkbox", role: "switch", id: "smart", checked: enable_smart_rag });
  smart.addEventListener("change", async () => {
    try {
      await set("/smart-context", { enable_smart_rag: smart.checked });
      toast(
        smart.checked ? "Smart Context is on" : "Smart Context is off: other projects are not used",
      );
    } catch (problem) {
      smart.checked = !smart.checked;
      toast(problem.message, "bad");
    }
  });
  const checks = h("section", { "aria-live": "polite" });
  const words = h("input", {
    type: "search",
    "data-search": true,
    "aria-label": "Find a setting",
    placeholder: "Find a setting",
  });
  const rows = settings.map((each) =>
    h(
      "div",
      {},
      h("dt", {}, each.key),
      h(
        "dd",
        {},
        h("code", {}, shown(each.value)),
        changed(each) && [" ", h("span", { class: "tag accent" }, "changed")],
      ),
      h("dd", { class: "small soft" }, quoted(each.description)),
    ),
  );
  words.addEventListener("input", () =>
    rows.forEach((row) => (row.hidden = !row.textContent.toLowerCase().includes(words.value.toLowerCase()))),
  );
  put(
    main,
    head("Settings", "Set in files and in the environment; bob config shows where each comes from."),
    who.signed_in && account(who),
    h(
      "section",
      { class: "card stack" },
      h("h2", {}, "Resources"),
      h("div", { class: "row" }, smart, h("label", { for: "smart" }, h("strong", {}, "Smart Context"))),
      h(
        "p",
        { class: "soft" },
        "On: chats also use other chats and projects, always separate from the active project's documents. Off: a chat uses only its own project.",
      ),
    ),
    h(
      "section",
      { class: "card stack" },
      h(
        "div",
        { class: "line" },
        h("h2", {}, "State"),
        h("button", { type: "button", onclick: () => doctor(checks, signal) }, "Test all parts"),
      ),
      facts({
        Documents: status.documents.toLocaleString(),
        Passages: status.chunks.toLocaleString(),
        Vectors: `${status.vectors.done.toLocaleString()} made, ${status.vectors.pending.toLocaleString()} pending`,
        "Embedding model": status.model.id,
        Database: status.database.path,
        Jobs: `${status.jobs.queued} waiting, ${status.jobs.failed} failed`,
      }),
      checks,
    ),
    h(
      "section",
      { class: "stack" },
      h("h2", {}, "All settings"),
      words,
      h("dl", { class: "settings" }, rows),
    ),
  );
}

function account(who) {
  const leave = async () => {
    await remove("/session");
    dispatchEvent(new Event("signed-out"));
  };
  return h(
    "section",
    { class: "card stack" },
    h(
      "div",
      { class: "line" },
      h("h2", {}, "You"),
      h("button", { type: "button", onclick: leave }, "Sign out"),
    ),
    facts({ User: who.user, Organization: who.organization, Role: who.role }),
  );
}

const shown = (value) => (value === null ? "–" : typeof value === "string" ? value : JSON.stringify(value));
const changed = (each) => JSON.stringify(each.value) !== JSON.stringify(each.default);

async function doctor(checks, signal) {
  fill(checks, h("span", { class: "busy" }));
  const found = await get("/doctor", signal);
  fill(
    checks,
    h(
      "ul",
      { class: "plain" },
      found.checks.map((each) =>
        h(
          "li",
          {},
          h("span", { class: `tag ${each.passed ? "good" : "bad"}` }, each.passed ? "works" : "fails"),
          " ",
          each.name,
          " ",
          h("span", { class: "soft small" }, each.detail),
        ),
      ),
    ),
  );
}
