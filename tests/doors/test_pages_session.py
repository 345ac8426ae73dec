"""Signing in and out in a real browser, on a server that asks who one is."""

import pytest
from browsing import check_accessible, visiting

from bob.core.principal import Role


def key_of(server, role):
    return server.engine.team.api_keys.create("browser", "ines", role, (), None).text


@pytest.fixture
def visit(browser, by_secrets):
    # A browser writes each 401 and 403 to its console.
    with visiting(browser, by_secrets.address, ("401", "403"), bypass_csp=True) as page:
        yield page


def test_who_is_asked_signs_in_and_out_again(visit, by_secrets):
    visit.goto("/#/library")
    visit.get_by_role("heading", name="Sign in").wait_for()
    check_accessible(visit, "sign in", 1280)
    visit.get_by_label("API key or token").fill("bob_wrong")
    visit.get_by_role("button", name="Sign in").click()
    visit.get_by_role("alert").wait_for()
    visit.get_by_label("API key or token").fill(key_of(by_secrets, Role.ADMIN))
    visit.get_by_role("button", name="Sign in").click()
    visit.get_by_text("2 documents in 1 project").wait_for()
    visit.goto("/#/settings")
    visit.get_by_text("ines").wait_for()
    visit.get_by_role("button", name="Sign out").click()
    visit.get_by_role("heading", name="Sign in").wait_for()
    visit.reload()
    visit.get_by_role("heading", name="Sign in").wait_for()


def test_what_a_key_may_not_see_is_said_and_the_rest_works(visit, by_secrets):
    visit.goto("/")
    visit.get_by_label("API key or token").fill(key_of(by_secrets, Role.READER))
    visit.get_by_role("button", name="Sign in").click()
    visit.get_by_label("Your question").fill("When is the hedge cut?")
    visit.keyboard.press("Enter")
    visit.locator(".answer .cite").first.wait_for()
    for name in ("capture", "health"):
        visit.goto(f"/#/{name}")
        visit.get_by_text("Not allowed").wait_for()
    for name in (
        "ask",
        "chat",
        "library",
        "decisions",
        "memories",
        "evaluation",
        "indexing",
        "work",
        "settings",
    ):
        visit.goto(f"/#/{name}")
        visit.wait_for_selector("main[aria-busy]", state="detached")
        visit.locator("main h1").wait_for()
        assert visit.get_by_text("This page cannot be shown").count() == 0, name
