"""What tests of the faces share: a browser, and a server that asks who one is."""

import pytest
from browsing import CHROMIUM, OPTIONS
from served_memory import GARDEN, index, served
from signed_tokens import AUDIENCE, ISSUER, SECRET
from small_memory import engine_over


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    from playwright.sync_api import sync_playwright

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
