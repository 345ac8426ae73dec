"""No text that Bob is given ever runs in its pages, whatever it came in and wherever it is shown."""

import json
from urllib.parse import quote

import httpx
import pytest
from hostile_markup import NAMES, PAYLOADS, RAW, sentence, write_badly_named, write_documents
from served_memory import served
from small_memory import engine_over

from bob.documents.formats.parser_registry import ParserRegistry

PROJECT = PAYLOADS[14]
SHOWN_AS_IT_STANDS = ("book.ipynb", "mail.eml", "markdown.md", "move.docx", "restructured.rst", "season.pptx")
SHOWN_AS_IT_STANDS += ("hours.xlsx", "recipe.recipe.json", "text.txt")
"""Documents whose format writes no payload in another way; others escape quotes,
drop a character, or set tags between backticks."""

OPENED = ("markdown.md", "raw.html", "mail.eml", "rules.pdf")
"""Opened at their place, too: lines, parts of three kinds, and a page as a picture."""

MADE_OF_MARKUP = r"""() => {
  const ofThePage = (each) => each.closest("head") === null;
  const names = "script, style, link, base, meta, iframe, frame, object, embed, video, audio, template, "
    + "math, marquee, foreignObject, animate, set, source, noscript *, form[action], [srcdoc], [autofocus]";
  const found = [...document.querySelectorAll(names)].filter(ofThePage);
  for (const each of document.querySelectorAll("*")) {
    for (const { name, value } of each.attributes) {
      const leads = ["href", "src", "action", "data"].includes(name);
      const wrong = name.startsWith("on")
        || (leads && /javascript:|data:/i.test(value))
        || (name === "href" && each.localName === "a" && !value.startsWith("#"))
        || (name === "src" && ofThePage(each) && !/^\/(ui|documents)\//.test(value));
      if (wrong) found.push(each);
    }
    if (each.shadowRoot) found.push(each);
  }
  return found.map((each) => each.outerHTML.slice(0, 200));
}"""
"""Elements of the page that no page of Bob's makes: some text has become markup."""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A server over documents of every kind, in a folder whose name is markup as well."""
    folder = tmp_path_factory.mktemp("inert") / NAMES[1]
    paths = write_documents(folder)
    write_badly_named(folder / NAMES[0])
    engine = engine_over(
        folder.parent / NAMES[2] / "bob.db",
        open={"command": ["true", PAYLOADS[37], "{path}"]},
        persona={"folder": str(folder.parent / "personas")},
    )
    engine.index_files.index_folder(folder, PROJECT)
    with served(engine) as made, httpx.Client(base_url=made.address, timeout=60) as client:
        client.engine, client.folder, client.paths = engine, folder, paths
        yield client
    engine.close()


class Visitor:
    """A browser's page that tells of everything that ran, asked or complained."""

    def __init__(self, context, home):
        self.ran, self.troubles, self.elsewhere = [], [], []
        context.expose_function("ran", lambda *given: self.ran.append(given))
        self.page = page = context.new_page()
        page.on("dialog", lambda shown: (self.ran.append(shown.message), shown.dismiss()))
        page.on("console", lambda told: self.troubles.append(told.text) if told.type == "error" else None)
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("request", self._asked)
        page.on("popup", lambda other: self.elsewhere.append(other.url))
        self.address = str(home.base_url).rstrip("/")
        page.set_default_timeout(90_000)

    def _asked(self, asked):
        if not asked.url.startswith(f"{self.address}/"):
            self.elsewhere.append(asked.url)

    def go(self, place):
        """Show a page, and wait until it is drawn."""
        self.page.evaluate("document.getElementById('main')?.append(document.createElement('hr'))")
        self.page.goto(f"/#/{place}")
        self.drawn()
        self.inert(place)

    def drawn(self):
        """Wait for it."""
        for selector in ("main > hr", "main[aria-busy]"):
            self.page.wait_for_selector(selector, state="detached")
        self.page.wait_for_selector("main h1", state="attached")

    def inert(self, place):
        """Nothing in the page as it is now was made of text."""
        assert self.page.evaluate(MADE_OF_MARKUP) == [], place
        assert len(self.page.frames) == 1 and self.page.url.startswith(f"{self.address}/"), place
        assert (self.ran, self.elsewhere) == ([], []), place

    def text(self, selector="main"):
        return spaced(self.page.locator(selector).first.text_content())


def spaced(text):
    return " ".join(text.split())


@pytest.fixture(scope="module")
def only_visitor(browser, home):
    context = browser.new_context(base_url=str(home.base_url), reduced_motion="reduce")
    yield Visitor(context, home)
    context.close()


@pytest.fixture
def visitor(only_visitor):
    """The browser's page, at the beginning; in the end nothing ran in it, and nothing was complained of."""
    made = only_visitor
    made.page.goto("/")
    made.drawn()
    yield made
    # What is slow to run has run by now: two frames, and all that they began.
    made.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    told = (made.ran.copy(), made.elsewhere.copy(), made.troubles.copy())
    for each in (made.ran, made.elsewhere, made.troubles):
        each.clear()
    assert told == ([], [], [])


def test_the_texts_do_run_where_they_become_markup(browser, home):
    """Without this, none of the other tests could fail."""
    context = browser.new_context(base_url=str(home.base_url), bypass_csp=True)
    made = Visitor(context, home)
    made.page.set_content(f"<main>{RAW}</main>")
    made.page.wait_for_timeout(200)
    assert len({number for number, *_ in made.ran}) >= 12
    draw = f"(text) => {{ document.querySelector('main').innerHTML = text; return ({MADE_OF_MARKUP})() }}"
    made.page.set_content("<main></main>")
    each = f"(texts) => texts.map((text) => ({draw})(text).length)"
    assert len([count for count in made.page.evaluate(each, PAYLOADS) if count]) >= 40
    context.close()


def test_every_kind_of_document_is_shown_as_text(visitor, home):
    found = {each["path"]: each for each in home.get("/documents", params={"limit": 500}).json()["documents"]}
    assert {each["parser"] for each in kinds(home)} == set(ParserRegistry(plug_ins=[]).names())
    for name, path in home.paths.items():
        visitor.go(f"library?document={found[str(path)]['document_id']}")
        shown = visitor.text()
        assert PROJECT in shown and str(home.folder) in shown
        if name in SHOWN_AS_IT_STANDS:
            assert [each for each in PAYLOADS if spaced(each) not in shown] == [], name
        else:
            assert "ran(" in shown, name
        if name in OPENED:
            visitor.page.locator("main .passage button").nth(1).click()
            visitor.page.locator("#panel .source-text").wait_for(state="attached")
            assert "ran(" in visitor.text("#panel .source-text"), name
            if name.endswith(".pdf"):
                picture = visitor.page.locator("#panel .page-image img")
                assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 1000
        visitor.inert(name)


def kinds(home):
    """The record of each document of the folder, with its parser."""
    library = home.engine.sources.library
    numbers = [
        each["document_id"] for each in home.get("/documents", params={"limit": 500}).json()["documents"]
    ]
    return [{"parser": library.document(each).parser} for each in numbers]


def test_lists_searches_and_answers_show_text(visitor, home):
    visitor.go("library")
    assert all(spaced(each) in visitor.text() for each in NAMES)
    visitor.go(f"library?q=heron&project={quote(PROJECT)}")
    assert visitor.page.locator("main .item").count() > 10
    visitor.page.locator("main .item").first.click()
    visitor.page.locator("#panel mark").first.wait_for(state="attached")
    visitor.inert("a hit")
    visitor.go("indexing")
    assert "damaged" in visitor.text() and f"{NAMES[0]}.docx" in visitor.text()
    for payload in (PAYLOADS[0], PAYLOADS[14], PAYLOADS[37], PAYLOADS[47], PAYLOADS[61]):
        visitor.go(f"ask?q={quote(sentence(payload))}")
        visitor.page.locator(".answer .cite, .answer h2").first.wait_for()
        assert visitor.page.get_by_label("Your question").input_value() == sentence(payload)
        visitor.page.locator("#audit summary").click()
        visitor.inert(payload)
    assert visitor.page.locator(".answer .cite").count() > 0
    visitor.page.locator(".answer .cite").first.click()
    visitor.page.locator("#panel mark").first.wait_for(state="attached")
    visitor.go("ask")
    assert sentence(PAYLOADS[14]) in visitor.text()


@pytest.mark.parametrize(
    "page", ["ask?answer=", "library?document=", "chat?chat=", "memories?memory=", "", "work?q="]
)
def test_addresses_and_errors_are_text(visitor, page):
    for payload in (PAYLOADS[14], PAYLOADS[37], PAYLOADS[40]):
        visitor.page.goto(f"/#/{page}{quote(payload, safe='')}")
        visitor.drawn()
        visitor.inert(page)
    # What does not exist is told by the server, and the browser says so as well.
    assert all("Failed to load resource" in each for each in visitor.troubles)
    visitor.troubles.clear()


def test_chats_and_memories_show_text(visitor, home):
    said = [
        f"We decided that Ines feeds {each} to the heron."
        for each in (PAYLOADS[14], PAYLOADS[0], PAYLOADS[40])
    ]
    chat = home.post("/chats", json={"project": PROJECT}).json()["chat_id"]
    for text in said:
        assert home.post(f"/chats/{chat}/messages", json={"text": text}).status_code in (200, 201)
    home.engine.conversations.remember.process_messages()
    visitor.go("chat")
    assert spaced(said[0])[:40] in visitor.text()
    visitor.go(f"chat?chat={chat}")
    assert all(each in visitor.text() for each in said)
    visitor.page.get_by_label("Your message").fill(sentence(PAYLOADS[18]))
    visitor.page.get_by_role("switch").check()
    visitor.page.keyboard.press("Enter")
    visitor.page.locator(".message.assistant").nth(len(said)).wait_for()
    visitor.page.locator(".message .busy").wait_for(state="detached")
    for each in visitor.page.locator(".seen details > summary").all():
        each.click()
    visitor.inert("a reply")
    visitor.go("memories")
    assert visitor.page.locator("main .item").count() == len(said)
    visitor.page.locator("main .item").first.click()
    visitor.page.locator("#panel blockquote").first.wait_for()
    assert "ran(" in visitor.text("#panel blockquote")
    visitor.page.get_by_role("button", name="Forget").click()
    assert "ran(" in visitor.page.get_by_role("dialog").inner_text()
    visitor.inert("a memory")


def test_work_items_show_text(visitor, home):
    items = home.engine.team.work_items
    home.post("/work/categories", json={"name": PAYLOADS[37]})
    home.post("/work/fields", json={"name": PAYLOADS[18], "type": "text"})
    for payload in PAYLOADS[:20]:
        made = home.post(
            "/work/items",
            json={
                "title": payload,
                "description": sentence(payload),
                "category": PAYLOADS[37],
                "assignee_id": PAYLOADS[14],
            },
        )
        assert made.status_code == 201, made.text
    number = made.json()["id"]
    changed = home.patch(
        f"/work/items/{number}", json={"title": PAYLOADS[44], "fields": {PAYLOADS[18]: PAYLOADS[15]}}
    )
    assert changed.status_code == 200, changed.text
    assert items.get(number).title == PAYLOADS[44]
    visitor.go("work")
    assert all(spaced(each) in visitor.text() for each in (*PAYLOADS[:19], PAYLOADS[44], PAYLOADS[37]))
    visitor.page.locator("main .item").last.click()
    visitor.page.get_by_text("What happened").wait_for()
    assert PAYLOADS[15] in visitor.text("#panel") and PAYLOADS[18] in visitor.text("#panel")
    visitor.inert("an item")
    visitor.page.get_by_role("button", name="New item").click()
    visitor.page.locator("#panel").get_by_label("Title").fill(PAYLOADS[14])
    visitor.page.locator("#panel").get_by_role("button", name="Create").click()
    visitor.page.locator(".toast").first.wait_for()
    visitor.inert("a new item")


def test_evaluations_and_settings_show_text(visitor, home):
    golden = home.folder / f"{NAMES[1]}.jsonl"
    asked = {
        "id": PAYLOADS[14],
        "question": f"What does {PAYLOADS[37]} eat?",
        "sources": [{"path": "text.txt"}],
    }
    asked["phrases"] = [PAYLOADS[18]]
    golden.write_text(json.dumps(asked) + "\n", "utf-8")
    for name, k in ((PAYLOADS[18], 50), (PAYLOADS[40], 1)):
        begun = home.post("/eval/runs", json={"golden": str(golden), "name": name, "k": k})
        assert begun.status_code == 202, begun.text
        assert "event: run" in home.get(begun.headers["location"]).text
    visitor.go("evaluation")
    assert all(each in visitor.text() for each in (PAYLOADS[18], PAYLOADS[40], golden.name))
    visitor.page.get_by_label("Golden set").fill(PAYLOADS[14])
    visitor.page.get_by_role("button", name="Run", exact=True).click()
    visitor.page.locator(".toast.bad").wait_for()
    visitor.inert("a refused run")
    visitor.troubles.clear()
    visitor.go("settings")
    shown = visitor.text()
    assert NAMES[2] in shown and json.dumps(PAYLOADS[37]) in shown
    visitor.page.get_by_role("button", name="Test all parts").click()
    visitor.page.locator("main .plain .tag").first.wait_for()
    visitor.inert("checks")


def test_the_answers_of_the_server_are_no_pages(visitor, home):
    """Opened by themselves, in a tab: JSON, pictures and plain text, whatever is in them."""
    voice = home.folder.parent / "personas" / "<svg onload=ran(18)>"
    voice.mkdir(parents=True)
    (voice / "voice.md").write_text(RAW, "utf-8")
    stream = home.post("/ask/stream", json={"question": sentence(PAYLOADS[14])}).headers["x-bob-stream"]
    numbers = {each.name: 0 for each in home.paths.values()}
    for each in home.get("/documents", params={"limit": 500}).json()["documents"]:
        numbers[each["path"].rpartition("/")[2]] = each["document_id"]
    named = quote(voice.name, safe="")
    plain = {"application/json", "application/problem+json", "text/plain", "image/png", "text/event-stream"}
    for path in (
        *(
            f"/documents/{numbers[name]}{part}"
            for name in ("raw.html", "rules.pdf")
            for part in ("", "/source")
        ),
        f"/documents/{numbers['rules.pdf']}/pages/1",
        f"/streams/{stream}",
        f"/search?query={quote(PAYLOADS[0])}",
        f"/search?query={quote(PAYLOADS[0])}&limit={quote(PAYLOADS[14])}",
        f"/{quote(PAYLOADS[14])}",
        f"/ui/{quote(PAYLOADS[14])}",
        f"/documents/{quote(PAYLOADS[14])}",
        "/personas",
        f"/personas/{named}",
        "/failures",
        "/work/items",
        "/answers",
        "/status",
        "/metrics",
        "/openapi.json",
        f"/v1/{quote(PAYLOADS[14])}",
        f"/v1/models/{quote(PAYLOADS[14])}",
        f"/?token={quote(PAYLOADS[14])}",
    ):
        told = home.get(path)
        assert told.headers["content-type"].split(";")[0] in plain, path
        assert told.headers["x-content-type-options"] == "nosniff", path
        assert "script-src 'self'" in told.headers["content-security-policy"], path
        assert not [each for each in told.headers.values() if "ran(" in each], path
    for path in (
        f"/documents/{numbers['raw.html']}/source",
        f"/{quote(PAYLOADS[14])}",
        f"/documents/{numbers['rules.pdf']}/pages/1",
    ):
        visitor.page.goto(path)
        assert visitor.page.evaluate("document.contentType") in plain, path
        assert visitor.page.evaluate("document.querySelector('script, svg, iframe')") is None, path
    visitor.troubles.clear()


def test_a_text_turns_nothing_around_but_itself(visitor, home):
    """U+202E makes what follows run from right to left: not what Bob itself writes beside a title."""
    home.post("/work/items", json={"title": "\u202eheron", "priority": "HIGH"})
    visitor.go("work")
    item = visitor.page.locator("main .item", has_text="heron")
    title, beside = (item.locator(each).first.bounding_box() for each in (".title", ".meta"))
    assert title["x"] + title["width"] <= beside["x"] + 1
    name = "\u202efdp.md"
    (home.folder / name).write_text("# \u202eheron\n\nA text about a crane.\n", "utf-8")
    home.engine.index_files.index_folder(home.folder / name)
    visitor.go("library?q=crane")
    title, place = (
        visitor.page.locator("main .item").first.locator(each).bounding_box() for each in (".title", ".place")
    )
    assert title["x"] + title["width"] <= place["x"] + 1
