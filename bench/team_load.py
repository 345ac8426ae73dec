"""Searches and new work items of many organizations on PostgreSQL, over real HTTP.

    python bench/team_load.py --items 100000 --organizations 50 [--few 10] [--plans docs/team-plans.md]

Two databases are made with as many items an organization: one with `--organizations`, one with `--few`. Each
is served by its own `bob serve`; blocks of requests go to one and the other in turn, since the machine may be
shared, so that their ratio says what other organizations cost. Rows and resources are inserted directly: some
titles and descriptions are embedded once and combined, which costs a search no less than embedding all.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import measure
import numpy as np
import postgres
import team_plans

from bob.app import Engine
from bob.app.settings import Settings
from bob.core.principal import Role
from bob.search.snapshot import pack
from bob.storage.database import HalfVector
from bob.text.words import postings
from bob.work.item_text import searched_text
from bob.work.items import collection_name, resource_id

NOW = 1_750_000_000.0
CATEGORIES = ("Bug Reports", "Wishes", "Payments", "Questions", "Operations")
STATUSES = ("OPEN", "IN_PROGRESS", "BLOCKED", "DONE")

WHAT = "The mobile app|Login|The export|Checkout|The weekly report|Search|The sync job|A photo|The invoice"
DOES = (
    "is slow|fails|shows nothing|asks twice|runs out of memory|loses a row|has the wrong color|stops half way"
)
WHEN = (
    "on old phones|after the update|for new customers|at night|behind a proxy|with many items|in Portuguese"
)
WHO = "A customer in Lisbon|The night shift|Our largest client|Somebody from support|A colleague"
SAYS = (
    "says that it happens every day|cannot work until then|found a way around it|wants to know when it ends"
)
ASKS = "Have we seen that {} {}?|{} {} {}|Who knows why {} {} {}?"

_BATCH = 1_000


def texts() -> tuple[list[str], list[str]]:
    """Titles and descriptions."""
    titles = [" ".join(each) for each in itertools.product(*(one.split("|") for one in (WHAT, DOES, WHEN)))]
    second = itertools.product(WHO.split("|"), SAYS.split("|"), WHAT.split("|"), DOES.split("|"))
    descriptions = [f"{who} {says}. {what} {does} again." for who, says, what, does in second]
    return titles, descriptions


def questions(chance: random.Random) -> Iterator[str]:
    """Questions without an end, few of them twice."""
    while True:
        words = [chance.choice(one.split("|")).lower() for one in (WHAT, DOES, WHEN)]
        yield chance.choice(ASKS.split("|")).format(*words) + f" Number {chance.randrange(10_000)}."


class Corpus:
    """The texts with their vectors, embedded once."""

    def __init__(self, engine: Engine) -> None:
        titles, descriptions = texts()
        self.titles, self.descriptions = titles, descriptions
        self.model = engine.shipped_model.model_id
        self._title_vectors = engine.shipped_model.embed(self.titles)
        self._description_vectors = engine.shipped_model.embed(self.descriptions)

    def item(self, chance: random.Random) -> tuple[str, str, bytes, bytes]:
        """Title, description, and the vectors of the whole and of the title."""
        first, second = chance.randrange(len(self.titles)), chance.randrange(len(self.descriptions))
        together = self._title_vectors[first] + self._description_vectors[second]
        whole = together / np.linalg.norm(together)
        return self.titles[first], self.descriptions[second], pack(whole), pack(self._title_vectors[first])


@dataclass
class Served:
    """A database with organizations, a key for each, and the address of what serves it."""

    engine: Engine
    keys: list[str]
    address: str = ""
    process: int = 0
    times: dict[tuple[str, int], list[float]] = field(default_factory=dict)


def build(engine: Engine, corpus: Corpus, organizations: int, items: int) -> Served:
    """Fill the database."""
    keys = []
    for number in range(organizations):
        org_id = f"org-{number:03}"
        side = engine.for_organization(org_id)
        made = side.team.api_keys.create("bench", "ana", Role.MEMBER, [], None)
        keys.append(made.text)
        chance = random.Random(number)
        with side.database.write() as connection:
            for table, rows in _few_rows(org_id, items).items():
                connection.insert(table, *rows)
            for start in range(0, items, _BATCH):
                numbers = range(start + 1, min(start + _BATCH, items) + 1)
                for table, rows in _many_rows(org_id, numbers, corpus, chance).items():
                    connection.insert(table, *rows)
    return Served(engine, keys)


def _few_rows(org_id: str, items: int) -> Mapping[str, list[dict[str, Any]]]:
    counted = {"work_item": items, "work_event": items, "resource": items, "collection": 1}
    counted |= {"category": len(CATEGORIES), "custom_field": 1}
    return {
        "users": [{"user_id": "ana", "name": "Ana", "created_at": NOW}],
        "categories": [
            {"category_id": at, "name": name, "created_at": NOW} for at, name in enumerate(CATEGORIES, 1)
        ],
        "custom_fields": [{"field_id": 1, "name": "Platform", "field_type": "text", "options": "[]"}],
        "collections": [{"collection_id": 1, "name": collection_name(org_id), "settings": "{}"}],
        "counters": [{"name": name, "value": value} for name, value in counted.items()],
    }


def _many_rows(
    org_id: str, numbers: Sequence[int], corpus: Corpus, chance: random.Random
) -> Mapping[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {
        each: [] for each in ("work_items", "custom_field_values", "work_item_events", "resources")
    }
    for number in numbers:
        title, description, whole, of_title = corpus.item(chance)
        status, category = chance.choice(STATUSES), chance.randrange(len(CATEGORIES)) + 1
        item = {"work_item_id": number, "title": title, "description": description}
        item |= {"category_id": category, "status": status, "created_by": "ana"}
        item |= {"created_at": NOW - number, "updated_at": NOW - number, "indexed_at": NOW}
        found["work_items"].append(item)
        found["custom_field_values"].append({"work_item_id": number, "field_id": 1, "value": "Web"})
        event = {"event_id": number, "work_item_id": number, "event_type": "CREATED", "actor": "ana"}
        found["work_item_events"].append(event | {"changes": json.dumps({"title": [None, title]}), "at": NOW})
        content = (
            f"Work Item: {title}\n\nDescription:\n{description}\n\nCategory:\n{CATEGORIES[category - 1]}"
            f"\n\nStatus:\n{status}\n\nCustom Fields:\n- Platform: Web"
        )
        resource = {"collection_id": 1, "resource_id": resource_id(number), "title": title}
        resource |= {"content": content, "owner_id": collection_name(org_id), "sequence": number}
        resource |= {"model": corpus.model, "vector": HalfVector(whole), "title_vector": HalfVector(of_title)}
        resource |= {"postings": postings(searched_text(title, content), (title,), None)}
        found["resources"].append(resource)
    return found


@contextmanager
def serving(served: Served, folder: Path) -> Iterator[None]:
    """`bob serve` over it, in a process of its own."""
    environment = os.environ | {
        "BOB_DATABASE": served.engine.settings.database,
        "BOB_CACHE": str(served.engine.settings.cache),
        "BOB_AUTH__REQUESTS_PER_MINUTE": "1000000",
        # What the server looks like to a team that has keys; this one is for nobody.
        "BOB_ORGANIZATION": "org-000",
        "HOME": str(folder),
    }
    command = [*measure.bob_command(), "serve", "--port", "0"]
    with (folder / "serve.log").open("a") as log:
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
        )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        if "listens at" not in first:
            raise SystemExit((folder / "serve.log").read_text()[-2000:])
        served.address, served.process = first.split()[3].rstrip(","), process.pid
        yield
    finally:
        process.terminate()
        process.wait(60)


def ask(served: Served, client: httpx.Client, what: str, key: str, text: str) -> None:
    """One request, whose answer has to be a success."""
    headers = {"Authorization": f"Bearer {key}"}
    if what == "rag-search":
        answer = client.post("/ai/rag-search", json={"query": text, "limit": 5}, headers=headers)
    else:
        answer = client.post("/work/items", json={"title": text, "category": "Wishes"}, headers=headers)
    if answer.status_code not in (200, 201):
        raise SystemExit(f"{what}: {answer.status_code} {answer.text[:500]}")


def block(served: Served, what: str, clients: int, requests: int, seed: int) -> None:
    """Send so many requests from each client, whose organizations and texts are chances."""

    def run(number: int, times: list[float]) -> None:
        chance = random.Random(seed * 100 + number)
        asked = questions(chance)
        with httpx.Client(base_url=served.address, timeout=60) as client:
            client.get("/health")
            for _ in range(requests):
                key, text = chance.choice(served.keys), next(asked)
                with measure.timed(times):
                    ask(served, client, what, key, text)

    every: list[list[float]] = [[] for _ in range(clients)]
    threads = [threading.Thread(target=run, args=(at, every[at])) for at in range(clients)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    served.times.setdefault((what, clients), []).extend(itertools.chain(*every))


def first_searches(served: Served) -> list[float]:
    """The first search of each organization: its index is read from the database."""
    times: list[float] = []
    with httpx.Client(base_url=served.address, timeout=120) as client:
        for key in served.keys:
            with measure.timed(times):
                ask(served, client, "rag-search", key, "the export fails")
    return times


def megabytes(process: int) -> float:
    """The most memory that a running process has held (Linux)."""
    status = Path(f"/proc/{process}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), float("nan"))


def measured(databases: Sequence[Served], chosen: argparse.Namespace) -> None:
    """Send all requests, and show what they took."""
    firsts = [first_searches(each) for each in databases]
    for what in ("rag-search", "create"):
        for clients in (1, chosen.clients):
            for number in range(chosen.blocks):
                for each in databases:
                    block(each, what, clients, max(1, chosen.requests // clients), number)
    rows: list[measure.Row] = []
    many, few = databases
    for what, clients in many.times:
        for each in databases:
            times, baseline = each.times[what, clients], few.times[what, clients]
            found, other = measure.spread(times), measure.spread(baseline)
            ratio = found["median_ms"] / other["median_ms"], found["p95_ms"] / other["p95_ms"]
            rows.append((what, clients, len(each.keys), len(times), *found.values(), *ratio))
    measure.show(
        "A team's requests over HTTP",
        ("what", "clients", "organizations", "times", "median ms", "p95 ms", "median to few", "p95 to few"),
        rows,
        as_json=chosen.json,
        items_an_organization=chosen.items // chosen.organizations,
        first_search_median_ms=1000 * float(np.median(firsts[0])),
        server_megabytes=megabytes(many.process),
        server_megabytes_of_few=megabytes(few.process),
    )


def main() -> None:
    """Build two databases, serve both, and ask."""
    parser = measure.options(__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--organizations", type=int, default=50)
    parser.add_argument("--few", type=int, default=10, help="organizations of the other database")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--requests", type=int, default=48, help="of a block, all clients together")
    parser.add_argument("--plans", type=Path, help="write the plans of the statements into this file")
    chosen = parser.parse_args()
    each = chosen.items // chosen.organizations
    with tempfile.TemporaryDirectory() as name, postgres.server() as server, ExitStack() as stack:
        folder, built = Path(name), []
        began = time.perf_counter()
        corpus = None
        for organizations in (chosen.organizations, chosen.few):
            address = server.new_database(folder / "cache")
            engine = Engine(Settings(database=address, cache=folder / "cache", organization="org-000"))
            corpus = corpus or Corpus(engine)
            built.append(build(engine, corpus, organizations, each))
            server.execute("ANALYZE", url=address)
        if not chosen.json:
            print(f"built in {time.perf_counter() - began:,.0f} s")
        if chosen.plans:
            chosen.plans.write_text(
                team_plans.plans(built[0].engine.for_organization("org-001"), chosen.items)
            )
        for served in built:
            stack.enter_context(serving(served, folder))
        measured(built, chosen)
        for served in built:
            served.engine.close()


if __name__ == "__main__":
    main()
