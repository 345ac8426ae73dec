"""What a reader sees of a reply and of a source, in a real browser, over a small garden and a model."""

import json

import pytest
from browsing import visiting
from model_server import ModelServer, answer
from served_memory import served
from small_memory import engine_over, write_files

LONG = "https://example.org/" + "unbreakable" * 20
NOTES = {
    "hedge.md": "# Hedge\n\nThe hedge is cut in the last week of August, by Ines and two neighbours.\n",
    "pump.md": "# Pump\n\n" + "Filler about nothing in particular stands here.\n\n" * 60
    + f"The pump of the pond is described at {LONG} in full.\n\n"
    + "More filler stands below.\n\n" * 60,
}  # fmt: skip
REPLY = "The hedge is cut in the last week of August [1]. The hedge is cut in the last week of March."


@pytest.fixture(scope="module")
def garden(tmp_path_factory):
    folder = tmp_path_factory.mktemp("garden")
    engine = engine_over(folder / "bob.db")
    engine.index_files.index_folder(write_files(folder / "garden", NOTES), "garden")
    with served(engine) as made:
        yield made
    engine.close()


@pytest.fixture
def written(garden, tmp_path):
    """The same garden, with a language model."""
    model = ModelServer()
    model.script = [answer("openai", [REPLY])]
    llm = {"provider": "openai", "model": "small", "base_url": model.url, "api_key": "none"}
    engine = engine_over(garden.engine.database.path, llm=llm)
    with served(engine) as made:
        yield made
    engine.close()
    model.close()


def new_chat(page):
    page.goto("/#/chat")
    page.get_by_role("button", name="New chat").click()
    said = page.get_by_label("Your message")
    said.wait_for()
    return said


def test_each_statement_of_a_reply_has_its_source_or_what_speaks_against_it(browser, written):
    with visiting(browser, written.address) as page:
        said = new_chat(page)
        said.fill("When is the hedge cut?")
        page.keyboard.press("Enter")
        reply = page.locator(".message.assistant")
        reply.locator(".claim.supported").wait_for()
        assert reply.locator(".words").inner_text().startswith("The hedge is cut in the last week of August")
        wrong = reply.locator(".claim.contradicted")
        assert wrong.inner_text() == "The hedge is cut in the last week of March."
        assert "March" in wrong.get_attribute("title") or "August" in wrong.get_attribute("title")
        reply.get_by_role("button", name="contradicted").click()
        page.locator("#panel mark", has_text="last week of August").wait_for()
        page.keyboard.press("Escape")
        reply.locator(".cite").click()
        page.locator("#panel mark", has_text="last week of August").wait_for()
        assert "price unknown" in page.locator(".seen .facts").inner_text()


def test_enter_sends_nothing_while_a_reply_is_written(browser, garden):
    held = []
    with visiting(browser, garden.address) as page:
        said = new_chat(page)
        page.route("**/messages/stream", lambda route: held.append(route))
        said.fill("When is the hedge cut?")
        page.keyboard.press("Enter")
        said.fill("And by whom?")
        page.keyboard.press("Enter")
        while not held:
            page.wait_for_timeout(10)
        done = {"chat_id": 1, "message_id": 2, "reply": "In August.", "written_by": None, "notices": []}
        seen = {"segments": [], "tokens": 0, "left_out": [], "smart_context": False, "predicted": None}
        done |= {"usage": None, "cost": None, "checked": None, "sources": [], "context": seen}
        held[0].fulfill(
            content_type="text/event-stream", body=f"id: 1\nevent: reply\ndata: {json.dumps(done)}\n\n"
        )
        page.locator(".message.assistant", has_text="In August.").wait_for()
        page.get_by_role("button", name="Send").is_enabled()
        assert len(held) == 1 and said.input_value() == "And by whom?"
        assert page.locator(".message.user").count() == 1


def test_on_a_phone_a_source_is_closed_by_its_button_and_by_back(browser, garden):
    with visiting(browser, garden.address, viewport={"width": 390, "height": 844}) as page:
        page.goto("/#/ask?q=Where+is+the+pump+of+the+pond+described%3F")
        cite = page.locator(".answer .cite").first
        cite.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        words = page.locator(".answer .claims .quote").first.bounding_box()
        assert words["x"] + words["width"] <= 390
        for leave in (lambda: page.get_by_label("Close the panel").click(), page.go_back):
            address = page.url
            cite.click()
            page.locator("#panel mark").first.wait_for()
            close = page.get_by_label("Close the panel").bounding_box()
            assert close["y"] >= 0 and close["y"] + close["height"] <= 844, "it is in sight"
            leave()
            page.locator("#panel").wait_for(state="hidden")
            assert page.url == address and cite.is_visible()


def test_a_hit_of_a_search_has_its_date_and_nothing_undefined(browser, garden):
    with visiting(browser, garden.address) as page:
        page.goto("/#/library?q=hedge")
        page.locator(".item", has_text="Hedge").first.click()
        page.locator("#panel mark, #panel .here").first.wait_for()
        assert "undefined" not in page.locator("#panel").inner_text()


def test_the_projects_are_listed_anew_when_a_run_has_ended(browser, tmp_path):
    engine = engine_over(tmp_path / "bob.db")
    folder = write_files(tmp_path / "orchard", {"plum.md": "# Plum\n\nPlums are ripe in August.\n"})
    with served(engine) as made, visiting(browser, made.address) as page:
        page.goto("/#/indexing")
        page.get_by_text("No projects yet").wait_for()
        page.get_by_label("Folder or file").fill(str(folder))
        page.get_by_role("button", name="Index", exact=True).click()
        page.get_by_role("button", name="Read again").wait_for()
        assert page.get_by_text("No projects yet").count() == 0
        page.goto("/#/library")
        page.locator("main .item", has_text="Plum").first.click()
        card = page.locator(".meta-grid").first
        card.wait_for()
        heading = page.locator("main h1").bounding_box()
        assert abs(card.bounding_box()["x"] - heading["x"]) < 30, "the record stands in the column"
    engine.close()
