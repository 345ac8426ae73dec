"""The pages in a real browser: from an empty memory to a cited line, and what else people do there."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from browsing import check_accessible, visiting
from drawn_pdf import SCAN, drawn_pdf, paragraph
from served_memory import GARDEN, served
from small_memory import engine_over, write_files

PAGES = (
    "ask",
    "chat",
    "library",
    "decisions",
    "memories",
    "capture",
    "health",
    "evaluation",
    "indexing",
    "work",
    "settings",
)
UI = Path(__file__).parents[2] / "src" / "bob" / "ui"


@pytest.fixture
def visit(browser, tmp_path):
    """A page over an empty memory."""
    engine = engine_over(tmp_path / "bob.db", server={"uploads": str(tmp_path / "uploads")})
    with served(engine) as server, visiting(browser, server.address) as page:
        page.engine = engine
        yield page
    engine.close()


def work_off(engine):
    """Do what a worker beside the server would do."""
    while engine.worker.run_once():
        pass


def test_from_nothing_to_the_cited_line(visit, tmp_path):
    folder = write_files(tmp_path / "garden", GARDEN)
    visit.goto("/")
    visit.get_by_role("link", name="Index a folder").click()
    visit.get_by_label("Folder or file").fill(str(folder))
    visit.get_by_role("button", name="Index", exact=True).click()
    visit.get_by_text("2 documents added").wait_for()
    visit.get_by_role("link", name="ask about it").click()
    visit.get_by_label("Your question").fill("When is the hedge cut?")
    visit.keyboard.press("Enter")
    visit.locator(".answer .cite").first.wait_for()
    assert "last week of August" in visit.locator(".answer .claims").inner_text()
    visit.locator("#audit summary").click()
    assert visit.locator("#audit .tag.good").first.inner_text() == "used"
    visit.get_by_label("Your question").blur()
    visit.keyboard.press("1")
    marked = visit.locator("#panel mark").first
    marked.wait_for()
    assert marked.inner_text() == "The hedge is cut in the last week of August, by Ines and two neighbours."
    assert visit.locator("#panel .line.here > span").first.inner_text() == "3"
    visit.keyboard.press("Escape")
    assert visit.locator("#panel").is_hidden()


def test_an_answer_is_not_overtaken_by_the_list_of_earlier_questions(visit, tmp_path):
    visit.engine.index_files.index_folder(write_files(tmp_path / "garden", GARDEN))
    held = []
    visit.route("**/answers*", lambda route: held.append(route))
    visit.goto("/#/ask")
    visit.get_by_label("Your question").fill("When is the hedge cut?")
    while not held:
        visit.wait_for_timeout(10)
    visit.keyboard.press("Enter")
    visit.locator(".answer .cite").first.wait_for()
    held[0].fulfill(json={"answers": [], "next": None})
    visit.wait_for_timeout(200)
    assert visit.locator(".answer .cite").count() > 0


def test_a_follow_up_goes_on_from_the_last_question(visit, tmp_path):
    visit.engine.index_files.index_folder(
        write_files(
            tmp_path / "recipes",
            {
                "bread.md": "# No-knead bread\n\nThe dough keeps in the fridge for 48 hours.\n",
                "soup.md": "# Leek soup\n\nThe soup keeps in the fridge for 3 days.\n",
            },
        )
    )
    visit.goto("/#/ask?q=What+is+leek+soup%3F")
    box = visit.get_by_role("checkbox", name="Follow-up to the last question")
    box.check()
    visit.get_by_label("Your question").fill("And how long does it keep in the fridge?")
    visit.get_by_role("button", name="Ask", exact=True).click()
    visit.get_by_text("After: What is leek soup?").wait_for()
    assert "The soup keeps in the fridge for 3 days." in visit.locator(".answer .claims").inner_text()


def test_files_that_are_dropped_can_be_asked(visit):
    visit.goto("/#/indexing")
    visit.locator("#files").set_input_files(
        [{"name": "shed.md", "mimeType": "text/markdown", "buffer": GARDEN["shed.md"].encode()}]
    )
    visit.get_by_text("1 document added").wait_for()
    visit.goto("/#/ask?q=Where+is+the+key+to+the+tool+shed%3F")
    visit.locator(".answer .cite").first.wait_for()
    assert "behind the blue door" in visit.locator(".answer .claims").inner_text()


def test_a_folder_that_is_dropped_is_read_with_what_lies_below(visit, tmp_path):
    folder = write_files(
        tmp_path / "garden", {"hedge.md": GARDEN["hedge.md"], "below/shed.md": GARDEN["shed.md"]}
    )
    visit.goto("/#/indexing")
    zone = visit.locator(".drop").bounding_box()
    hand = visit.context.new_cdp_session(visit)
    for what in ("dragEnter", "dragOver", "drop"):
        hand.send(
            "Input.dispatchDragEvent",
            {
                "type": what,
                "x": zone["x"] + 20,
                "y": zone["y"] + 20,
                "data": {"items": [], "files": [str(folder)], "dragOperationsMask": 1},
            },
        )
    visit.get_by_text("2 documents added").wait_for()


def test_what_was_left_out_of_a_file_is_shown(visit, tmp_path):
    folder = write_files(tmp_path / "garden", GARDEN)
    drawn_pdf(folder / "plan.pdf", paragraph("The hedge is cut in June."), SCAN)
    visit.goto("/#/indexing")
    visit.get_by_label("Folder or file").fill(str(folder))
    visit.get_by_role("button", name="Index", exact=True).click()
    visit.get_by_text("· 1 file read in part").wait_for()
    visit.get_by_role("heading", name="1 file read in part").wait_for()
    visit.get_by_text("page 2 has no text (scanned?)").wait_for()


def test_a_page_that_is_left_while_it_waits_raises_nothing(visit, tmp_path):
    visit.goto("/#/indexing")
    visit.get_by_label("Folder or file").fill(str(write_files(tmp_path / "garden", GARDEN)))
    held = []
    visit.route("**/failures", lambda route: held.append(route))
    visit.get_by_role("button", name="Index", exact=True).click()
    visit.get_by_text("2 documents added").wait_for()
    while not held:
        visit.wait_for_timeout(10)
    visit.goto("/#/library")
    visit.get_by_text("2 documents in 1 project").wait_for()


def test_what_no_source_says_is_not_said(visit, tmp_path):
    visit.engine.index_files.index_folder(write_files(tmp_path / "garden", GARDEN))
    visit.goto("/#/ask?q=Who+won+the+chess+championship+of+1972%3F")
    visit.get_by_role("heading", name="Not found in sources.").wait_for()
    visit.get_by_text("What came closest does not speak of 1972.").wait_for()


def test_a_chat_shows_what_it_saw_and_a_memory_is_forgotten(visit, tmp_path):
    visit.engine.index_files.index_folder(write_files(tmp_path / "garden", GARDEN))
    visit.goto("/#/chat")
    visit.get_by_role("button", name="New chat").click()
    said = visit.get_by_label("Your message")
    said.wait_for()
    assert visit.locator(".loop.project .tag").inner_text().endswith("tokens")
    smart = visit.get_by_role("switch")
    for text, on in (
        ("We decided that Ana keeps the key of the shed.", False),
        ("When is the hedge cut?", True),
    ):
        smart.set_checked(on)
        said.fill(text)
        replies = visit.locator(".message.assistant").count()
        visit.keyboard.press("Enter")
        visit.locator(".message.assistant").nth(replies).wait_for()
        visit.locator(".message .busy").wait_for(state="detached")
        off = visit.locator(".loop.inspiration").inner_text()
        assert ("Smart Context is off." in off) is not on
    visit.locator(".message.assistant .cite").first.click()
    visit.locator("#panel mark", has_text="last week of August").wait_for()
    assert "Saved." in visit.locator(".message.assistant").first.inner_text()
    visit.reload()
    visit.locator(".message.assistant .cite").first.click()
    visit.locator("#panel .here", has_text="last week of August").wait_for()
    work_off(visit.engine)
    visit.goto("/#/memories")
    visit.get_by_role("button", name="Ana keeps the key").click()
    visit.get_by_role("button", name="Forget").click()
    visit.get_by_role("dialog").get_by_role("button", name="Forget").click()
    visit.get_by_role("heading", name="No memories yet").wait_for()


def test_the_earlier_messages_of_a_long_chat_come_when_asked_for(visit):
    conversations = visit.engine.conversations
    scope = conversations.scope("", visit.engine.settings.user)
    lines = (f"User: What is {number} and one?\nAssistant: It is {number + 1}.\n" for number in range(120))
    taken = conversations.take_transcript.read(scope, "sums", "".join(lines))
    visit.goto(f"/#/chat?chat={taken.chat.chat_id}")
    said = visit.locator(".message")
    said.nth(99).wait_for()
    assert said.count() == 100 and "What is 70 and one?" in said.first.inner_text()
    for shown in (200, 240):
        visit.get_by_role("button", name="Earlier messages").click()
        said.nth(shown - 1).wait_for()
    said.first.get_by_text("What is 0 and one?").wait_for()
    assert said.count() == 240 and visit.get_by_role("button", name="Earlier messages").count() == 0


def test_every_page_is_drawn_whatever_there_is(visit, tmp_path):
    for folder, files in (
        (None, {}),
        ("one", {"note.md": "The plum tree stands by the gate.\n"}),
        ("unread", {"locked.pdf": b"%PDF-1.4 no more", "bytes.md": b"\x00\x01"}),
        ("two", {"note.md": "# Note\n\nDecision: we keep the plum tree.\n"}),
    ):
        if folder:
            visit.engine.index_files.index_folder(write_files(tmp_path / folder, files))
        for page in PAGES:
            visit.goto(f"/#/{page}")
            visit.locator(f"nav a[data-page={page}][aria-current]").wait_for(state="attached")
            visit.locator("main:not([aria-busy]) h1").wait_for()
            assert "cannot be shown" not in visit.locator("main").inner_text(), (folder, page)


def test_all_that_a_finding_rests_on_comes_when_asked_for(visit, tmp_path):
    notes = {f"note-{number}.md": f"Plot {number} has a plum tree.\n" for number in range(130)}
    visit.engine.index_files.index_folder(write_files(tmp_path / "plums", notes))
    seen = []
    visit.on("response", lambda reply: seen.append(reply) if "/knowledge-health" in reply.url else None)
    visit.goto("/#/health?rule=no-date")
    visit.locator("main .item").first.click()
    rests = visit.locator("#panel .items .item")
    rests.nth(19).wait_for()
    while rests.count() < 130:
        shown = rests.count()
        visit.locator("#panel .more").scroll_into_view_if_needed()
        rests.nth(shown).wait_for()
    assert rests.count() == 130
    assert max(len(reply.body()) for reply in seen) < 60_000


def test_a_work_item_is_made_and_its_duplicate_is_shown(visit):
    visit.goto("/#/work")
    for title in ("Payment gateway timeout at checkout", "Checkout: the payment gateway has a timeout"):
        visit.get_by_role("button", name="New item").click()
        visit.locator("#panel").get_by_label("Title").fill(title)
        if title.startswith("Checkout"):
            visit.locator("#panel").get_by_text("Payment gateway timeout at checkout").wait_for()
        visit.get_by_role("button", name="Create").click()
        visit.locator("main .item", has_text=title).wait_for()
        work_off(visit.engine)


def test_two_evaluations_are_drawn_as_a_drift(visit, tmp_path):
    visit.engine.index_files.index_folder(write_files(tmp_path / "garden", GARDEN))
    golden = tmp_path / "golden.jsonl"
    golden.write_text(
        json.dumps({"id": "hedge", "question": "When is the hedge cut?", "sources": [{"path": "hedge.md"}]})
        + "\n"
    )
    for run in (1, 2):
        visit.goto("/#/evaluation")
        visit.get_by_label("Golden set").fill(str(golden))
        visit.get_by_role("button", name="Run", exact=True).click()
        visit.get_by_text(f"Drift over {run} run").wait_for()
    assert visit.locator(".chart circle").count() == 8
    visit.get_by_text("No question changed.").wait_for()


def test_long_lists_come_in_pages_as_one_scrolls(visit, tmp_path):
    engine = visit.engine
    engine.index_files.index_folder(
        write_files(tmp_path / "notes", {f"{n}.md": f"# Note {n}\n\nWords of {n}.\n" for n in range(60)})
    )
    scope = engine.conversations.scope("notes", engine.settings.user)
    for n in range(60):
        engine.conversations.chats.start(scope, datetime(2026, 1, 1, 0, n, tzinfo=UTC))
        engine.conversations.remember.tell(scope, f"The shelf number {n} holds {n + 3} jars of honey.")
    for name in ("library", "chat", "memories"):
        visit.goto(f"/#/{name}")
        visit.wait_for_selector("main[aria-busy]", state="detached")
        rows = visit.locator("main .items > li")
        assert rows.count() == 50, name
        visit.get_by_role("button", name="More").scroll_into_view_if_needed()
        rows.nth(59).wait_for(state="attached")
        assert rows.count() == 60, name
        assert visit.get_by_role("button", name="More").is_hidden()
    assert "number 59" in rows.first.text_content()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_accessible_and_fits_a_narrow_screen(browser, tmp_path, scheme):
    engine = engine_over(tmp_path / "bob.db", notes={"folders": [str(tmp_path / "garden")]})
    engine.index_files.index_folder(write_files(tmp_path / "garden", GARDEN))
    narrow = {"color_scheme": scheme, "viewport": {"width": 360, "height": 740}, "bypass_csp": True}
    with served(engine) as server, visiting(browser, server.address, **narrow) as page:
        for name in (*PAGES, "ask?q=When+is+the+hedge+cut%3F", "library?document=1", "library?q=hedge"):
            page.goto(f"/#/{name}")
            page.wait_for_selector("main[aria-busy]", state="detached")
            page.wait_for_selector("main h1")
            check_accessible(page, name, 360)
        page.get_by_role("button", name="Library").click()
        check_accessible(page, "the menu", 360)
    engine.close()


def test_no_page_makes_markup_of_text():
    """Texts become text nodes: nothing that a file or a message says is ever parsed."""
    for path in UI.rglob("*.js"):
        text = path.read_text("utf-8")
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("):
            assert word not in text, (path, word)
