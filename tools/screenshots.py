"""Makes the pictures of the pages for README and docs: an example memory, served, in a real browser.

    python tools/screenshots.py

The memory is that of a small ferry (tools/example_memory), indexed anew in a folder of its own; nothing of
yours is read. It writes docs/screenshot.png and docs/screenshots/. Needs Chromium.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
from PIL import Image
from playwright.sync_api import APIRequestContext, Browser, Page, sync_playwright

from bob.app import Engine
from bob.app.settings import load_settings
from bob.http.server import address_of, build_parts, listen, server_of

ROOT = Path(__file__).parents[1]
MEMORY = ROOT / "tools" / "example_memory"
DOCS = ROOT / "docs"
FOLDER = Path(tempfile.gettempdir()) / "example"
"""Paths stand in the pictures, so the folder is the same in each run; it must not be there."""

WIDE = (1280, 800)
PHONE = (390, 780)
COLOURS = 256
"""So few keep text sharp, and files small."""

_CHROMIUM = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars"
)
QUESTION = "When do crossings stop because of the wind?"
TOLD = (
    "We decided that the small boat sails on Christmas Eve until noon.",
    "I prefer answers that name the file first.",
    "The yard of the dock wants a deposit of 4,000 euros by the end of March.",
)
ASKED = (QUESTION, "Who greases the chains of the ramp?")
WORK = (
    ("Card terminal at the north quay loses its connection", "Quays", "HIGH", "IN_PROGRESS"),
    ("Reader of the deck crew does not start in the cold", "Quays", "MEDIUM", "OPEN"),
    ("Timetable on the web shows last winter's times", "Web", "HIGH", "OPEN"),
    ("Order a second wind gauge for the outer mole", "Boats", "MEDIUM", "DONE"),
    ("Return tickets are printed without the date", "Web", "LOW", "OPEN"),
)


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture: `place` is a page's address, `act` what somebody does on it first."""

    name: str
    place: str
    act: Callable[[Page], None] = lambda _: None
    size: tuple[int, int] = WIDE
    scheme: str = "light"
    scale: float = 1.5


def _open_source(page: Page) -> None:
    page.locator(".answer .cite").first.click()
    page.locator("#panel mark").first.wait_for()


def _open_chain(page: Page) -> None:
    page.locator("main .item", has_text="Bookings in PostgreSQL").click()
    page.locator("#panel .chain").wait_for()


def _open_finding(page: Page) -> None:
    page.locator("main .item", has_text="refund-2024").click()
    page.locator("#panel .items").wait_for()


def _open_chat(page: Page) -> None:
    page.locator("main .item").first.click()
    page.locator(".message.assistant").first.wait_for()
    page.locator(".seen .facts").wait_for()


def _write_note(page: Page) -> None:
    page.get_by_label("Title").fill("Bicycles on the small boat")
    page.get_by_label("Decision", exact=True).fill("We will carry twelve bicycles on the small boat.")
    page.locator(".editor + section .item").first.wait_for()
    page.evaluate("scrollTo(0, 0)")


ASK = f"ask?{urlencode({'q': QUESTION})}"
SHOTS = (
    Shot("ask-dark", ASK, _open_source, scheme="dark"),
    Shot("not-found", "ask?q=Who+paints+the+lighthouse%3F"),
    Shot("library", "library?q=bookings"),
    Shot("decisions", "decisions?project=ferry", _open_chain),
    Shot("chat", "chat", _open_chat),
    Shot("memories", "memories"),
    Shot("capture", "capture?kind=decision", _write_note),
    Shot("health", "health", _open_finding),
    Shot("evaluation", "evaluation"),
    Shot("indexing", "indexing"),
    Shot("work", "work"),
    Shot("settings", "settings"),
    Shot("phone", ASK, size=PHONE, scale=2),
)
README = Shot("screenshot", ASK, _open_source, scale=2)


def main() -> None:
    """Fill the memory, serve it, and take the pictures."""
    browser = shutil.which("chromium") or shutil.which("google-chrome") or os.environ.get("CHROMIUM")
    if browser is None:
        sys.exit("Chromium is needed")
    if FOLDER.exists():
        sys.exit(f"{FOLDER} is there already; take it away first")
    shutil.copytree(MEMORY, FOLDER)
    try:
        with _served() as (engine, address), sync_playwright() as playwright:
            opened = playwright.chromium.launch(executable_path=browser, args=_CHROMIUM.split())
            _fill(playwright.request.new_context(base_url=address, timeout=120_000))
            while engine.worker.run_once():
                pass
            (DOCS / "screenshots").mkdir(exist_ok=True)
            for shot in SHOTS:
                _take(opened, address, shot, DOCS / "screenshots" / f"{shot.name}.png")
            _take(opened, address, README, DOCS / "screenshot.png")
            opened.close()
    finally:
        shutil.rmtree(FOLDER)


@contextmanager
def _served() -> Iterator[tuple[Engine, str]]:
    """An empty memory, and the address of a server over it."""
    settings = {
        "BOB_DATABASE": str(FOLDER / "bob.db"),
        "BOB_NOTES__FOLDERS": f'["{FOLDER / "ferry"}"]',
    }
    engine = Engine(load_settings(environment=settings, home=FOLDER, folder=FOLDER).settings)
    build_parts(engine)
    listening = listen("127.0.0.1", 0)
    server = server_of(engine)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield engine, address_of(listening)
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
        engine.close()


def _fill(memory: APIRequestContext) -> None:
    """What people would have done with it for some weeks."""
    ferry, later = FOLDER / "ferry", FOLDER / "later"
    # Looked at and measured before some files came, and after: so there is something to see over time.
    later.mkdir()
    for name in ("runbooks/ramp.md", "runbooks/backups.md"):
        shutil.move(ferry / name, later / Path(name).name)
    _index(memory, ferry, "ferry")
    _measure(memory)
    _ask(memory, "/knowledge-health")
    for path in later.iterdir():
        shutil.move(path, ferry / "runbooks" / path.name)
    _index(memory, ferry, "ferry")
    _index(memory, FOLDER / "house", "house")
    _measure(memory)
    for question in ("Where is the spare key of the cellar?", "Who sells ice cream on board?", QUESTION):
        _ask(memory, "/ask", question=question)
    _measure(memory)
    _ask(memory, "/knowledge-health")
    for texts in (TOLD, ASKED):
        chat = _ask(memory, "/chats", project="ferry")["chat_id"]
        for text in texts:
            _ask(memory, f"/chats/{chat}/messages", text=text)
    for name in ("Quays", "Web", "Boats"):
        _ask(memory, "/work/categories", name=name)
    for title, category, priority, status in WORK:
        _ask(memory, "/work/items", title=title, category=category, priority=priority, status=status)


def _index(memory: APIRequestContext, folder: Path, project: str) -> None:
    run = _ask(memory, "/index", path=str(folder), project=project)["run"]
    memory.get(f"/index/runs/{run}/events")  # ends with the run


def _measure(memory: APIRequestContext) -> None:
    stream = _ask(memory, "/eval/runs", golden=str(FOLDER / "golden.jsonl"))["stream"]
    memory.get(f"/streams/{stream}")


def _ask(memory: APIRequestContext, route: str, /, **body: Any) -> Any:
    answer = memory.post(route, data=body) if body else memory.get(route)
    if not answer.ok:
        sys.exit(f"{route}: {answer.status} {answer.text()}")
    return answer.json()


def _take(browser: Browser, address: str, shot: Shot, path: Path) -> None:
    width, height = shot.size
    context = browser.new_context(
        base_url=address,
        viewport={"width": width, "height": height},
        color_scheme="dark" if shot.scheme == "dark" else "light",
        device_scale_factor=shot.scale,
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
    )
    page = context.new_page()
    page.goto(f"/#/{shot.place}")
    page.wait_for_selector("main h1")
    page.wait_for_selector("main[aria-busy]", state="detached")
    shot.act(page)
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(300)
    _few_colours(Image.open(io.BytesIO(page.screenshot())).convert("RGB")).save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}  {path.stat().st_size // 1000} kB")
    context.close()


def _few_colours(picture: Image.Image) -> Image.Image:
    """The picture in its own most frequent colours, so that surfaces keep theirs exactly."""
    pixels = np.asarray(picture)
    colours, which, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    palette = colours[np.argsort(-counts)[:COLOURS]]
    apart = ((colours[:, None].astype(int) - palette[None].astype(int)) ** 2).sum(axis=2)
    drawn = Image.fromarray(apart.argmin(axis=1)[which].reshape(pixels.shape[:2]).astype(np.uint8), "P")
    drawn.putpalette(palette.tobytes())
    return drawn


if __name__ == "__main__":
    main()
