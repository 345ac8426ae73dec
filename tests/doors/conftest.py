"""The browser that tests of the pages share."""

import pytest
from browsing import CHROMIUM, OPTIONS


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS.split())
        yield opened
        opened.close()
