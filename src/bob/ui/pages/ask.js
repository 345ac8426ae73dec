// Ask: a question, and the answer as it is made; below, what was asked before.

import { address, events, get } from "../parts/api.js";
import { drawAnswer } from "../parts/answer.js";
import { counted, empty, fill, h, row } from "../parts/dom.js";
import { choice, paged } from "../parts/lists.js";
import { keep, link } from "../parts/pages.js";
import { moment } from "../parts/times.js";

/** Draw the page; `?q=` asks at once, `?answer=` shows an earlier one. */
export async function draw(main, query, signal) {
  const { projects } = await get("/projects", signal);
  const question = h("textarea", {
    rows: 1,
    "data-search": true,
    "aria-label": "Your question",
    placeholder: "What do your files say about…",
    autocomplete: "off",
    maxlength: 10000,
  });
  const project = choice(
    "Project",
    projects.map((each) => each.project),
    query.get("project"),
    "All projects",
  );
  const shown = h("section", { class: "answer", "aria-live": "polite", "aria-label": "Answer" });
  const goesOn = h("input", { type: "checkbox" });
  const followUp = h("label", { class: "row", hidden: true }, goesOn, "Follow-up to the last question");
  let last = null;
  // Of what is on its way into `shown`, only the last is drawn: whoever asks at once is not overtaken by the list of
  // earlier questions.
  let running = null;
  const next = () => {
    running?.abort();
    const turn = (running = new AbortController());
    signal.addEventListener("abort", () => turn.abort(), { once: true });
    return turn.signal;
  };

  async function ask() {
    const text = question.value.trim();
    if (!text) return question.focus();
    const turn = next();
    keep({ q: text, project: project.value });
    const earlier = goesOn.checked && last ? [...last.earlier, last.question] : [];
    try {
      last = await stream(shown, text, earlier, project.value, turn);
      followUp.hidden = false;
    } catch (problem) {
      if (problem.name !== "AbortError") fill(shown, h("p", { class: "note bad" }, problem.message));
    }
  }

  const form = h(
    "form",
    {
      class: "stack",
      onsubmit: (event) => {
        event.preventDefault();
        ask();
      },
    },
    h("div", { class: "ask" }, question, h("button", { class: "primary" }, "Ask")),
    h(
      "div",
      { class: "row small soft" },
      h("div", {}, project),
      followUp,
      h(
        "span",
        { class: "keys" },
        h("kbd", {}, "/"),
        " write  ",
        h("kbd", {}, "Enter"),
        " ask  ",
        h("kbd", {}, "1"),
        "–",
        h("kbd", {}, "9"),
        " open a source",
      ),
    ),
  );
  question.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  const documents = projects.reduce((sum, each) => sum + each.documents, 0);
  const size =
    documents > 0 && `${counted(documents, "document")} in ${counted(projects.length, "project")}. `;
  main.append(
    h(
      "div",
      { class: "head" },
      h("div", {}, h("h1", {}, "Ask your files"), h("p", {}, size, "What no source says, Bob does not say.")),
    ),
    form,
    h("div", { class: "gap" }),
    shown,
  );
  if (documents === 0) {
    fill(
      shown,
      empty(
        "Nothing is indexed yet",
        "Bob answers from your own files, and shows the line behind each sentence. Name a folder, or drop some files: they stay where they are, and nothing leaves this machine.",
        h("a", { class: "button", href: link("indexing") }, "Index a folder"),
      ),
    );
    return;
  }
  if (query.get("answer")) {
    const kept = await get(`/answers/${encodeURIComponent(query.get("answer"))}`, signal);
    question.value = kept.question;
    last = { earlier: [], ...kept.answer };
    followUp.hidden = false;
    drawAnswer(shown, kept.answer);
  } else if (query.get("q")) {
    question.value = query.get("q");
    await ask();
  } else {
    question.focus();
    await before(shown, next());
  }
}

async function before(shown, signal) {
  const list = h("div", {});
  const asked = new Set();
  const page = async (after) => {
    // Who may not read what others asked has none of it here.
    const got = await get(address("/answers", { limit: 20, cursor: after }), signal).catch((problem) => {
      if (problem.status === 403) return { answers: [], next: null };
      throw problem;
    });
    const fresh = got.answers.filter((each) => !asked.has(each.question) && asked.add(each.question));
    return { rows: fresh.map(earlier), next: got.next };
  };
  await paged(
    list,
    page,
    h(
      "p",
      { class: "soft" },
      "Ask as you would ask a colleague who has read everything: “When is …”, “What did we decide about …”, “Who …”. Each sentence of the answer has a number that opens the file at its line.",
    ),
  );
  signal.throwIfAborted();
  fill(shown, asked.size > 0 && h("h2", {}, "Last questions"), list);
}

const earlier = (each) =>
  row(link("ask", { answer: each.answer_id }), each.question, [
    !each.found && h("span", { class: "tag warn" }, "not found"),
    moment(each.asked_at),
  ]);

/** Draw the answer as it is made, and give the whole of it. */
async function stream(shown, question, earlier, project, signal) {
  const stage = h("span", {}, "searching");
  const claims = h("div", { class: "claims" });
  fill(shown, h("p", { class: "soft" }, h("span", { class: "busy" }), " ", stage), claims);
  let answer = null;
  const body = { question, earlier, projects: project ? [project] : [] };
  for await (const event of events("POST", "/ask/stream", body, signal)) {
    if (event.name === "stage")
      stage.textContent = event.data.stage === "searching" ? "searching" : "writing, and checking each claim";
    if (event.name === "claim") claims.append(h("p", { class: "quote" }, event.data.text));
    if (event.name === "error")
      throw new Error(event.data.detail ?? event.data.title ?? "the question failed");
    if (event.name === "answer") drawAnswer(shown, (answer = event.data));
  }
  return answer;
}
