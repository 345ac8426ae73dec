"""What tests of the faces share: a browser, and a server that asks who one is."""

from contextlib import suppress

import pytest
from browsing import CHROMIUM, OPTIONS
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import sync_playwright
from served_memory import GARDEN, index, served
from signed_tokens import AUDIENCE, ISSUER, SECRET
from small_memory import engine_over


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Say what the page showed when a test of it failed."""
    report = yield
    page = getattr(item, "funcargs", {}).get("visit")
    if report.when == "call" and report.failed and page is not None:
        with suppress(PlaywrightError):
            report.sections.append((f"the page {page.url}", page.locator("body").inner_text(timeout=5_000)))
    return report


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS.split())
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def by_secrets(tmp_path_factory):
    """A server that takes tokens by a secret, and keys."""
    folder = tmp_path_factory.mktemp("secret")
    auth = {"jwt_secret": SECRET, "audience": AUDIENCE, "issuer": ISSUER}
    engine = engine_over(folder / "bob.db", auth=auth)
    index(engine, folder, garden=GARDEN)
    with served(engine) as made:
        yield made
    engine.close()
