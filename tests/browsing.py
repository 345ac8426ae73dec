"""Chromium on the pages of a server: what goes wrong in a page, or leaves this machine, fails its test."""

import json
import os
import shutil
from contextlib import contextmanager

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
OPTIONS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


@contextmanager
def visiting(browser, address, expected=(), **more):
    """A page of a context of its own. Of console errors, only those with an `expected` word may occur."""
    context = browser.new_context(base_url=address, reduced_motion="reduce", **more)
    page = context.new_page()
    troubles, elsewhere = [], []
    page.on("console", lambda told: troubles.append(told.text) if told.type == "error" else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda asked: None if asked.url.startswith(address) else elsewhere.append(asked.url))
    page.set_default_timeout(90_000)
    try:
        yield page
    finally:
        context.close()
    unexpected = [told for told in troubles if not any(word in told for word in expected)]
    assert (unexpected, elsewhere) == ([], []), (unexpected, elsewhere)


def check_accessible(page, name, width):
    """Axe finds nothing serious, and nothing is wider than the screen."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    grave = [each for each in found if each["impact"] in ("serious", "critical")]
    assert grave == [], (name, json.dumps(grave, indent=1)[:3000])
    assert page.evaluate("document.documentElement.scrollWidth") <= width, name
