"""How soon the pages are there over a large memory, against a small one in the same run, in a real browser.

    python bench/pages.py TREE [--sizes 100,100000] [--queries 20] [--cache DIR]

TREE is a folder of .rst, .md or .txt files; databases are made of its sentences (`bench/corpus.py`) and kept
in the cache. Each is served on loopback from a process of its own and visited with Chromium, with nothing
kept from before. Its own timeline says when something was first painted, and how long requests were under way
(`server ms`; the rest is the browser's). A page is drawn when its script says so: `main` is not busy any
more. "a line" is an answer of one line: what the browser itself takes on this machine.

Queries are typed into the library's field: the time is from the key to the painted results, embedding
included, with the field's wait for the next key (80 ms), and without it. Needs Chromium and `playwright`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import corpus
import measure

PAGES = {
    "ask": "ask",
    "chat": "chat",
    "library": "library",
    "a document": "library?document=1",
    "indexing": "indexing",
    "decisions": "decisions",
    "memories": "memories",
    "capture": "capture",
    "health": "health",
    "evaluation": "evaluation",
    "work": "work",
    "settings": "settings",
}
WAIT_MS = 80
"""So long the library's field waits for the next key before it asks (`ui/pages/library.js`)."""

OPTIONS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)

# The page's own clock starts with the visit. Two frames: a change is painted before the second one.
WATCH = """
addEventListener("DOMContentLoaded", () => {
  const main = document.getElementById("main");
  if (!main) return;
  const painted = (done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())));
  const look = () => {
    if (window.drawnAt || main.hasAttribute("aria-busy") || !main.querySelector("h1")) return;
    window.drawnAt = performance.now();
  };
  new MutationObserver(look).observe(main, { attributes: true, childList: true, subtree: true });
  addEventListener("input", () => {
    const began = performance.now();
    window.foundAfter = undefined;
    const list = main.querySelector("section[aria-live]");
    const seen = new MutationObserver(() => {
      seen.disconnect();
      painted((at) => (window.foundAfter = at - began));
    });
    seen.observe(list, { childList: true });
  });
});
"""
UNDER_WAY = """
[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .map((each) => [each.requestStart, each.responseEnd])
"""
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"


@dataclass
class Sent:
    """Bytes that requests to one path were answered with, largest and all of one visit."""

    largest: dict[str, int] = field(default_factory=dict)
    now: int = 0

    def add(self, url: str, size: int) -> None:
        """Count one answer."""
        path = "/".join("N" if each.isdigit() else each for each in urlsplit(url).path.split("/"))
        self.largest[path] = max(size, self.largest.get(path, 0))
        self.now += size


@contextmanager
def serving(database: Path, home: Path) -> Iterator[str]:
    """The address of `bob serve` over a database, once it can answer."""
    environment = os.environ | {
        "BOB_DATABASE": str(database),
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
    }
    command = [sys.executable, "-m", "bob.cli.main", "serve", "--port", "0"]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[3].rstrip(",")
    finally:
        process.terminate()
        process.communicate(timeout=60)


class Visits:
    """Visits the pages of one server."""

    def __init__(self, browser: Any, address: str) -> None:
        self._browser = browser
        self._address = address
        self.sent = Sent()

    @contextmanager
    def _fresh(self) -> Iterator[Any]:
        # With nothing kept from before: that is how a page is opened first.
        context = self._browser.new_context(base_url=self._address)
        context.add_init_script(WATCH)
        page = context.new_page()
        page.on("requestfinished", self._count)
        yield page
        context.close()

    def _count(self, request: Any) -> None:
        sizes = request.sizes()
        self.sent.add(request.url, sizes["responseBodySize"])

    def page(self, place: str, repeat: int) -> list[float]:
        """Of a page: first painted, drawn, requests under way, medians in ms; drawn at the soonest; kB."""
        painted: list[float] = []
        drawn: list[float] = []
        waited: list[float] = []
        for _ in range(repeat):
            self.sent.now = 0
            with self._fresh() as page:
                page.goto(f"/#/{place}")
                drawn.append(_value(page, "window.drawnAt"))
                painted.append(_value(page, FIRST_PAINT))
                waited.append(_covered(page.evaluate(UNDER_WAY)))
        return [median(painted), median(drawn), median(waited), min(drawn), self.sent.now / 1000]

    def line(self, repeat: int) -> list[float]:
        """The same of an answer of one line, which is drawn when it is painted."""
        painted: list[float] = []
        waited: list[float] = []
        for _ in range(repeat):
            self.sent.now = 0
            with self._fresh() as page:
                page.goto("/health")
                painted.append(_value(page, FIRST_PAINT))
                waited.append(_covered(page.evaluate(UNDER_WAY)))
        return [median(painted), median(painted), median(waited), min(painted), self.sent.now / 1000]

    def queries(self, texts: list[str]) -> list[float]:
        """Milliseconds from the last key of each query to its painted results; each is typed as a whole."""
        found = []
        with self._fresh() as page:
            page.goto("/#/library")
            _value(page, "window.drawnAt")
            said = page.get_by_label("Search", exact=True)
            said.fill("the first query warms up")
            _value(page, "window.foundAfter")
            for text in texts:
                said.fill(text)
                found.append(_value(page, "window.foundAfter"))
        return found


def _covered(spans: list[list[float]]) -> float:
    """How much time lies in at least one of the spans."""
    total, end = 0.0, 0.0
    for first, last in sorted(spans):
        total += max(0.0, last - max(first, end))
        end = max(end, last)
    return total


def _value(page: Any, expression: str) -> float:
    """What an expression gives in the page, once it gives anything: its policy forbids to wait there."""
    for _ in range(2_000):
        found = page.evaluate(f"{expression} ?? null")
        if found is not None:
            return float(found)
        page.wait_for_timeout(5)
    raise SystemExit(f"{expression}: nothing came in 10 s")


def main() -> None:
    """Measure each size and print the tables."""
    parser = measure.options(__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--sizes", default="100,100000", help="numbers of chunks; the first is the baseline")
    parser.add_argument("--cache", type=Path, default=measure.DEFAULT_CACHE)
    parser.add_argument("--passages", type=int, default=4_000, help="real vectors to begin with")
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=5, help="visits of each page")
    parser.add_argument("--pages", default=",".join(PAGES), help="which pages")
    chosen = parser.parse_args()
    source = corpus.material(chosen.tree, chosen.cache, chosen.passages)
    names = chosen.pages.split(",")
    sizes = [int(each) for each in chosen.sizes.split(",")]
    pages: dict[str, list[list[float]]] = {name: [] for name in ("a line", *names)}
    found: list[list[float]] = []
    largest: list[dict[str, int]] = []
    for size in sizes:
        engine = corpus.database(source, chosen.cache, size)
        corpus.snapshot(engine)
        engine.close()
        visits = _measured(
            chosen.cache / f"chunks-{size}" / "bob.db", source.queries[: chosen.queries], names, chosen.repeat
        )
        for name, row in visits[0].items():
            pages[name].append(row)
        found.append(visits[1])
        largest.append(visits[2])
    _show(sizes, pages, found, largest, as_json=chosen.json)


def _measured(
    database: Path, queries: list[str], names: list[str], repeat: int
) -> tuple[dict[str, list[float]], list[float], dict[str, int]]:
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("there is no Chromium; CHROMIUM names one")
    with (
        tempfile.TemporaryDirectory() as home,
        serving(database, Path(home)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=OPTIONS.split())
        visits = Visits(browser, address)
        visits.page("ask", 1)
        pages = {"a line": visits.line(repeat)}
        pages |= {name: visits.page(PAGES[name], repeat) for name in names}
        found = visits.queries(queries)
        browser.close()
        return pages, found, visits.sent.largest


def _show(
    sizes: list[int],
    pages: dict[str, list[list[float]]],
    found: list[list[float]],
    largest: list[dict[str, int]],
    *,
    as_json: bool,
) -> None:
    times = [f"{what} {size}" for size in sizes for what in ("painted ms", "drawn ms", "server ms")]
    head = ["page", *times, "soonest", "kB", "ratio"]
    rows = [
        [name, *(each for row in of for each in row[:3]), *of[-1][3:], of[-1][1] / of[0][1]]
        for name, of in pages.items()
    ]
    measure.show("pages, medians", head, rows, as_json=as_json)
    results = [
        [size, median(of), measure.share(of, 0.95), median(of) - WAIT_MS, median(of) / median(found[0])]
        for size, of in zip(sizes, found, strict=True)
    ]
    names = ["chunks", "median ms", "p95 ms", "without the wait", "ratio"]
    measure.show("results of a query, painted", names, results, as_json=as_json)
    every = sorted({path for of in largest for path in of}, key=lambda path: -largest[-1].get(path, 0))
    sent = [[path, *(of.get(path, 0) / 1000 for of in largest)] for path in every[:12]]
    measure.show("largest answers, kB", ["path", *map(str, sizes)], sent, as_json=as_json)


if __name__ == "__main__":
    main()
