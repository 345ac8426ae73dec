// Indexing: name a folder or drop files, watch the run, and see what could not be read and what helps.

import { events, get, post, remove } from "../parts/api.js";
import { counted, empty, fill, h, head, field, put, toast } from "../parts/dom.js";
import { link } from "../parts/pages.js";

/** Draw the page. */
export async function draw(main, query, signal) {
  const [{ projects }, { runs }, unread, who] = await Promise.all([
    get("/projects", signal),
    get("/index/runs", signal),
    get("/failures", signal),
    get("/session", signal),
  ]);
  const watched = h("section", { "aria-live": "polite", "aria-label": "Runs" });
  const failed = h("section", {});
  const partial = h("section", {});

  const listed = h("section", {});
  const list = (found) =>
    fill(
      listed,
      h("h2", {}, "Projects"),
      found.length === 0
        ? empty(
            "No projects yet",
            "A project consists of the folders that you index. Answers and chats can be limited to one.",
          )
        : h(
            "ul",
            { class: "items" },
            found.map((each) =>
              h(
                "li",
                { class: "line" },
                h(
                  "div",
                  {},
                  h("span", { class: "title" }, each.project),
                  " ",
                  h(
                    "span",
                    { class: "soft small" },
                    `${counted(each.documents, "document")}, ${counted(each.chunks, "passage")}`,
                  ),
                  h("br"),
                  h("span", { class: "place" }, each.folders.join(", ")),
                ),
                each.folders.length > 0 &&
                  h(
                    "button",
                    {
                      type: "button",
                      "data-item": true,
                      onclick: () => begin(() => post("/index", { project: each.project })),
                    },
                    "Read again",
                  ),
              ),
            ),
          ),
    );

  const follow = async (run) => {
    await watch(watched, run, signal);
    if (signal.aborted) return;
    const [now, left] = await Promise.all([get("/projects", signal), get("/failures", signal)]);
    list(now.projects);
    troubles(failed, left.failures, follow);
    readInPart(partial, left.read_in_part);
  };
  const begin = async (call) => {
    try {
      follow(await call());
    } catch (problem) {
      toast(problem.message, "bad");
    }
  };

  const path = h("input", {
    "data-search": true,
    name: "path",
    placeholder: "~/notes",
    required: true,
    spellcheck: "false",
    autocomplete: "off",
  });
  const project = h("input", { name: "project", placeholder: "the folder's name", autocomplete: "off" });
  const named = h(
    "form",
    {
      class: "card stack",
      onsubmit: (event) => {
        event.preventDefault();
        begin(() => post("/index", { path: path.value.trim(), project: project.value.trim() || null }));
      },
    },
    h("h2", {}, "A folder of this machine"),
    field("Folder or file", path, "Your files stay where they are and are never changed."),
    field("Project", project),
    h("div", {}, h("button", { class: "primary" }, "Index")),
  );
  main.append(
    head(
      "Indexing",
      "Changed files are read again, deleted files are removed from the index, unchanged files are skipped.",
    ),
    h("div", { class: "two" }, who.at_home && named, dropped(begin)),
    h("div", { class: "gap" }),
    watched,
    failed,
    partial,
  );
  main.append(listed);
  list(projects);
  for (const run of runs.filter((each) => ["running", "waiting"].includes(each.state))) follow(run);
  troubles(failed, unread.failures, follow);
  readInPart(partial, unread.read_in_part);
  if (projects.length === 0 && who.at_home) path.focus();
}

function dropped(begin) {
  const files = h("input", { type: "file", multiple: true, class: "visually-hidden", id: "files" });
  const project = h("input", { placeholder: "uploads", autocomplete: "off" });
  const send = (list) => {
    if (list.length === 0) return;
    const body = new FormData();
    for (const each of list) body.append("files", each, each.name);
    body.append("project", project.value.trim() || "uploads");
    begin(async () => (await post("/files", body)).run);
  };
  files.addEventListener("change", () => send([...files.files]));
  const zone = h(
    "div",
    {
      class: "card stack drop",
      ondragover: (event) => {
        event.preventDefault();
        zone.classList.add("over");
      },
      ondragleave: () => zone.classList.remove("over"),
      ondrop: async (event) => {
        event.preventDefault();
        zone.classList.remove("over");
        send(await within(event.dataTransfer));
      },
    },
    h("h2", {}, "Drop files or a folder"),
    h("p", { class: "soft" }, "Copies are saved in Bob's own folder and indexed."),
    files,
    h("div", {}, h("label", { for: "files", class: "button" }, "Choose files")),
    field("Project", project),
  );
  return zone;
}

// A folder that is dropped comes as a tree of entries.
async function within(transfer) {
  const found = [];
  const walk = async (entry) => {
    if (!entry) return;
    if (entry.isFile) return found.push(await new Promise((done, no) => entry.file(done, no)));
    const reader = entry.createReader();
    for (;;) {
      const part = await new Promise((done, no) => reader.readEntries(done, no));
      if (part.length === 0) return;
      for (const each of part) await walk(each);
    }
  };
  for (const entry of [...transfer.items].map((each) => each.webkitGetAsEntry?.())) await walk(entry);
  return found.length > 0 ? found : [...transfer.files];
}

async function watch(watched, run, signal) {
  const fillBar = h("span");
  const says = h("p", { class: "small soft" }, "waiting");
  const bar = h(
    "div",
    { class: "bar", role: "progressbar", "aria-label": "Progress", "aria-valuemin": 0, "aria-valuemax": 100 },
    fillBar,
  );
  const stop = h(
    "button",
    { type: "button", class: "quiet", onclick: () => remove(`/index/runs/${run.run}`) },
    "Stop",
  );
  const card = h(
    "div",
    { class: "card stack" },
    h(
      "div",
      { class: "line" },
      h("h2", {}, run.folders.map((each) => each.split("/").pop()).join(", ")),
      stop,
    ),
    bar,
    says,
  );
  watched.prepend(card);
  try {
    for await (const event of events(
      "GET",
      `/index/runs/${encodeURIComponent(run.run)}/events`,
      undefined,
      signal,
    )) {
      const { data } = event;
      if (event.name === "progress") {
        const share = data.total ? Math.round((100 * data.done) / data.total) : 100;
        fillBar.style.width = `${share}%`;
        bar.setAttribute("aria-valuenow", share);
        says.textContent =
          data.phase === "files"
            ? `reading: ${data.done.toLocaleString()} of ${data.total.toLocaleString()} files`
            : `embedding: ${data.done.toLocaleString()} of ${data.total.toLocaleString()} passages; words can be searched already`;
      }
      if (event.name === "report")
        fill(
          says,
          `${counted(data.added, "document")} added, ${data.changed} changed, ${data.removed} removed, ${data.unchanged} unchanged`,
          data.failures.length > 0 && ` · ${counted(data.failures.length, "failure")}`,
          data.read_in_part.length > 0 && ` · ${counted(data.read_in_part.length, "file")} read in part`,
        );
      if (event.name === "done") put(says, " · ", h("a", { href: link("ask") }, "ask about it"));
      if (event.name === "stopped") {
        const begun = bar.hasAttribute("aria-valuenow");
        says.textContent = begun
          ? `${says.textContent} · stopped; what was read is kept`
          : "stopped before anything was read";
        return stop.remove();
      }
      if (event.name === "error") throw new Error(data.detail ?? "the run failed");
    }
    fillBar.style.width = "100%";
    bar.setAttribute("aria-valuenow", 100);
  } catch (problem) {
    if (problem.name !== "AbortError")
      fill(says, h("span", { class: "tag bad" }, "failed"), " ", problem.message);
  }
  stop.remove();
}

function troubles(failed, failures, follow) {
  if (failures.length === 0) return fill(failed);
  fill(
    failed,
    h(
      "div",
      { class: "line" },
      h("h2", {}, `${counted(failures.length, "file")} could not be read`),
      h(
        "button",
        { type: "button", onclick: async () => follow(await post("/failures/retry")) },
        "Try again",
      ),
    ),
    h(
      "ul",
      { class: "items" },
      failures.map((each) =>
        h(
          "li",
          { class: "item", tabindex: "0", "data-item": true },
          h("span", { class: "place" }, each.path),
          h("span", { class: "tag warn" }, each.code),
          each.reason,
          each.advice && h("span", { class: "soft" }, each.advice),
        ),
      ),
    ),
  );
}

function readInPart(partial, documents) {
  if (documents.length === 0) return fill(partial);
  fill(
    partial,
    h("h2", {}, `${counted(documents.length, "file")} read in part`),
    h("p", { class: "soft" }, "What is named here is not in the index, and no search or answer finds it."),
    h(
      "ul",
      { class: "items" },
      documents.map((document) =>
        h(
          "li",
          { class: "item", tabindex: "0", "data-item": true },
          h("span", { class: "place" }, document.path),
          h(
            "ul",
            {},
            document.left_out.map((sentence) => h("li", {}, sentence)),
          ),
        ),
      ),
    ),
  );
}
