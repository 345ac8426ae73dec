"""Decisions, health and capture in a real browser."""

import httpx
import pytest
from browsing import check_accessible, visiting
from served_memory import served
from small_memory import engine_over, write_files
from small_shop import shop_in

NOTES = {
    "gate.md": "---\ndate: 2026-01-05\n---\n# Gate\n\nThe gate is locked at sunset. See [[fence]].\n",
    "fence.md": "---\ndate: 2026-01-06\n---\n# Fence\n\nIt is painted. See [the gate](old/gate.md).\n",
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    """A shop's decisions, two notes of which one has a broken link, and a question without an answer."""
    folder = tmp_path_factory.mktemp("care")
    engine = engine_over(folder / "bob.db", notes={"folders": [str(folder / "notes")]})
    engine.index_files.index_folder(shop_in(folder), "shop")
    engine.index_files.index_folder(write_files(folder / "notes", NOTES), "garden")
    with served(engine) as made:
        httpx.post(f"{made.address}/ask", json={"question": "Who sells sea shells?"}, timeout=60)
        made.notes = folder / "notes"
        yield made
    engine.close()


@pytest.fixture(params=["light", "dark"])
def visit(browser, memory, request):
    with visiting(browser, memory.address, color_scheme=request.param, bypass_csp=True) as page:
        page.scheme = request.param
        yield page


def test_a_decision_is_followed_to_its_source_and_put_right(visit):
    visit.goto("/#/decisions")
    visit.get_by_role("button", name="Orders in MySQL").click()
    panel = visit.locator("#panel")
    panel.get_by_text("replaced by").wait_for()
    assert panel.locator(".chain strong").all_inner_texts() == ["Orders in MySQL", "Orders in PostgreSQL"]
    check_accessible(visit, "a decision", 1280)
    panel.get_by_role("button", name="MongoDB").click()
    panel.locator("mark", has_text="MongoDB").wait_for()
    panel.get_by_role("button", name="Back").click()
    panel.get_by_text("Correct decision").click()
    panel.get_by_role("button", name="Reject decision").click()
    visit.get_by_role("dialog").get_by_role("button", name="Save correction").click()
    panel.locator(".tag", has_text="corrected by you").wait_for()
    visit.locator("main .item", has_text="Orders in MySQL").locator(".tag", has_text="rejected").wait_for()
    panel.get_by_text("Correct decision").click()
    panel.get_by_role("button", name="Undo correction").click()
    visit.get_by_role("dialog").get_by_role("button", name="Save correction").click()
    visit.locator("main .item", has_text="Orders in MySQL").locator(".tag", has_text="superseded").wait_for()
    panel.locator(".tag", has_text="corrected by you").wait_for(state="detached")
    panel.get_by_text("Correct decision").click()
    panel.get_by_label("Superseded by").select_option(label="ADR 9: Nightly reports")
    visit.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert visit.locator("main .item", has_text="Orders in MySQL").count() == 1


def test_decisions_are_narrowed_by_status_and_words(visit):
    visit.goto("/#/decisions?status=superseded")
    visit.locator("main .item").first.wait_for()
    assert visit.locator("main .item .title").all_inner_texts() == ["Orders in MySQL"]
    visit.get_by_label("Find a decision").fill("receipts")
    visit.get_by_text("No decisions found").wait_for()


def test_what_decides_nothing_and_what_an_assistant_wrote_is_marked(browser, tmp_path):
    record = "# 1. A crane\n\n## Status\n\nAccepted\n\n## Context\n\nThe quay is high.\n\n## Decision\n"
    note = "---\nwritten_by: assistant\n---\n# Oar\n\nThe spare oar hangs behind the chapel.\n"
    engine = engine_over(tmp_path / "bob.db")
    files = {"adr/0001-crane.md": record, "oar.md": note}
    engine.index_files.index_folder(write_files(tmp_path / "harbour", files), "harbour")
    with served(engine) as made, visiting(browser, made.address, bypass_csp=True) as page:
        page.goto("/#/decisions")
        page.get_by_text("1 record without a decision").click()
        page.get_by_text("the section for the decision is empty").wait_for()
        check_accessible(page, "a record put aside", 1280)
        page.goto("/#/library?q=spare+oar")
        page.locator("main .item .tag", has_text="written by an assistant").first.wait_for()
        check_accessible(page, "an assistant's passage", 1280)
    engine.close()


def test_a_finding_opens_at_its_place_and_is_fixed_after_a_look(visit, memory):
    (memory.notes / "fence.md").write_text(NOTES["fence.md"])
    memory.engine.index_files.index_folder(memory.notes, "garden")
    visit.goto("/#/health")
    visit.locator(".score", has_text="All projects").wait_for()
    visit.get_by_role("button", name="old/gate.md").click()
    panel = visit.locator("#panel")
    panel.locator(".item", has_text="fence.md:6").click()
    assert panel.locator(".line.here > span").first.inner_text() == "6"
    panel.get_by_role("button", name="Back").click()
    check_accessible(visit, "a finding", 1280)
    panel.get_by_role("button", name="Fix it").click()
    planned = visit.get_by_role("dialog")
    planned.get_by_text("gate.md").wait_for()
    assert "old/gate.md" in (memory.notes / "fence.md").read_text()
    planned.get_by_role("button", name="Apply fixes").click()
    visit.locator("main .item", has_text="old/gate.md").wait_for(state="detached")
    assert "old/gate.md" not in (memory.notes / "fence.md").read_text()


def test_a_finding_is_dismissed(visit, memory):
    visit.goto("/#/health?rule=unanswered-question")
    visit.get_by_role("button", name="Who sells sea shells?").click()
    visit.locator("#panel").get_by_role("button", name="Dismiss").click()
    visit.get_by_role("heading", name="Nothing to fix").wait_for()
    (finding,) = httpx.get(f"{memory.address}/knowledge-health?limit=1", timeout=60).json()["dismissed"]
    httpx.post(f"{memory.address}/knowledge-health/findings/{finding}/restore", timeout=60)


def test_a_note_is_checked_while_it_is_written_and_saved(visit, memory):
    title = f"Paint the gate {visit.scheme}"
    visit.goto("/#/capture?kind=meeting")
    visit.get_by_text("Missing: title").wait_for()
    visit.get_by_label("Title").fill(title)
    place = visit.locator(".saving .place")
    place.get_by_text(".md").wait_for()
    path = place.inner_text()
    remarks = visit.get_by_label("Findings")
    remarks.get_by_text("empty section").first.wait_for()
    check_accessible(visit, "capture", 1280)
    editor = visit.get_by_label("Text of the note")
    editor.fill(f"---\ndate: 4 March 2025\nkind: meeting\n---\n# {title}\n\nGreen was said to last.\n")
    remarks.get_by_role("button", name="Fix findings").click()
    visit.wait_for_function("document.querySelector('.editor').value.includes('2025-03-04')")
    visit.get_by_role("button", name="Save").click()
    visit.get_by_text("Saved and indexed").wait_for()
    assert "date: 2025-03-04" in (memory.notes / path).read_text()
    visit.get_by_role("link", name="find it").click()
    visit.get_by_role("button", name=title).first.wait_for()
