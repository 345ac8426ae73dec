"""Two real workers, one of them killed again and again, while a team works: the memory ends as the rules say.

The rules are told anew here, in the plainest form, so that a mistake in Bob's own cannot agree with itself.
"""

import os
import random
import signal
import subprocess
import threading
import time
from collections import Counter
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from small_memory import bob_in, engine_over, rows_in

from bob.storage import jobs
from bob.work.items import ARCHIVED, PRIORITIES, STATUSES, WorkFilter

SEED = 5
EVENTS = int(os.environ.get("TEAM_CHANGES") or 200)
"""TEAM_CHANGES=2000 in the environment is a run of some minutes by hand."""

ITEMS, KILLS = 120, 5
NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
WORDS = ("login", "slow", "mobile", "invoice", "crash", "photo", "search", "export", "timeout", "report")
PATIENCE = 240
"""Seconds after which something hangs."""


class Team:
    """What a team does, and what its memory should hold in the end.

    A change of status or priority alone is not indexed, so the memory may have an item as it was at any
    moment since its last change that is: `since` has the texts of all these moments.
    """

    def __init__(self, services, chance):
        self._services = services
        self._chance = chance
        self._names = 0
        self._now = NOON
        self.since = {}
        self.items = {}
        self.did = Counter()
        names = ("Bugs", "Wishes", "Questions")
        self._categories = [services.add_category(name, NOON).category_id for name in names]
        services.define_field("Platform", "enum", ["iOS", "Android"])
        services.define_field("Customer", "text")
        services.define_field("Paying", "boolean")
        services.define_field("Hours", "number")
        self._fields = ["Platform", "Customer", "Paying", "Hours"]

    def act(self):
        """Do one thing of those that teams do."""
        self._now += timedelta(seconds=1)
        kinds = {
            "create": 30 if len(self.since) < ITEMS else 0,
            "title": 12,
            "description": 8,
            "category": 8,
            "enum": 6,
            "text": 6,
            "boolean": 6,
            "number": 8,
            "status": 12,
            "priority": 6,
            "assignee": 6,
            "archive": 4,
            "return": 6,
            "rename category": 0.6,
            "rename field": 0.3,
        }
        kind = self._chance.choices(list(kinds), list(kinds.values()))[0] if self.since else "create"
        if kind == "create":
            self._create()
        elif kind == "rename category":
            category, name = self._chance.choice(self._categories), self._name()
            self._services.rename_category("ana", category, name, self._now)
            items = self._services.page(WorkFilter(archived=True), limit=1000).items
            self._look([each for each in items if each.category and each.category.name == name])
        elif kind == "rename field":
            place, name = self._chance.randrange(3), self._name()
            self._services.rename_field("ana", self._fields[place], name, self._now)
            self._fields[place] = name
            items = self._services.page(WorkFilter(archived=True), limit=1000).items
            self._look([each for each in items if name in each.fields])
        else:
            number = self._chance.choice(list(self.since))
            before = self.items[number]
            item = self._services.update("ana", number, self._change(kind, before.status), self._now)
            returned = before.status == ARCHIVED and item.status != ARCHIVED
            meaningful = kind in ("title", "description", "category", "enum", "text", "boolean")
            if returned or (meaningful and self._plain(item) != self._plain(before)):
                self.since[number] = []
            self._note(item)
        self.did[kind] += 1

    def _create(self):
        given = {"title": self._text(3), "status": self._chance.choice(STATUSES[:-1])}
        if self._chance.random() < 0.7:
            given["category"] = self._chance.choice(self._categories)
        if self._chance.random() < 0.5:
            platform, customer, *_ = self._fields
            given["fields"] = {platform: "iOS", customer: self._text(1)}
        self._note(self._services.create("ana", given, self._now))

    def _change(self, kind, status):
        platform, customer, paying, hours = self._fields
        match kind:
            case "title":
                return {"title": self._text(3)}
            case "description":
                return {"description": self._chance.choice([None, self._text(6)])}
            case "category":
                return {"category": self._chance.choice([None, *self._categories])}
            case "enum":
                return {"fields": {platform: self._chance.choice([None, "iOS", "Android"])}}
            case "text":
                return {"fields": {customer: self._text(1)}}
            case "boolean":
                return {"fields": {paying: self._chance.choice([None, True, False])}}
            case "number":
                return {"fields": {hours: self._chance.randrange(99)}}
            case "status" if status != ARCHIVED:
                return {"status": self._chance.choice(STATUSES[:-1])}
            case "status":
                return {}
            case "priority":
                return {"priority": self._chance.choice([None, *PRIORITIES])}
            case "assignee":
                return {"assignee_id": self._chance.choice([None, "ana", "bo"])}
            case "archive":
                return {"status": ARCHIVED}
            case _:
                return {"status": self._chance.choice(STATUSES[:-1])}

    def _text(self, words):
        return " ".join(self._chance.choices(WORDS, k=words)).capitalize()

    def _name(self):
        self._names += 1
        return f"{self._text(1)} {self._names} of many"

    def _look(self, items):
        """Items of which another name is shown now."""
        for each in items:
            self.since[each.work_item_id] = []
            self._note(each)

    def _note(self, item):
        self.items[item.work_item_id] = item
        texts = self.since.setdefault(item.work_item_id, [])
        if item.status == ARCHIVED:
            texts.clear()
        else:
            texts.append((item.title, self._document(item)))

    def _plain(self, item):
        return self._document(item).split("Status:")[0], self._shown(item)

    def _document(self, item):
        parts = [f"Work Item: {item.title}"]
        if item.description:
            parts.append(f"Description:\n{item.description}")
        if item.category:
            parts.append(f"Category:\n{item.category.name}")
        parts.append(f"Status:\n{item.status}")
        if item.priority:
            parts.append(f"Priority:\n{item.priority}")
        if shown := self._shown(item):
            parts.append("\n".join(["Custom Fields:", *shown]))
        return "\n\n".join(parts)

    def _shown(self, item):
        said = {"true": "Yes", "false": "No"}
        return [f"- {name}: {said.get(v, v)}" for name, v in item.fields.items() if name != "Hours"]


class Workers:
    """`bob worker` twice, as processes over a database."""

    def __init__(self, bob, folder, database, environment):
        self._bob, self._folder, self._database = bob, folder, database
        self._environment = bob.environment | environment
        self._running = []
        self.logs = []

    def start(self):
        log = self._folder / f"worker-{len(self.logs)}.log"
        self.logs.append(log)
        with log.open("w") as written:
            self._running.append(
                subprocess.Popen(
                    self._bob.command("worker"), env=self._environment, stdout=written, stderr=written
                )
            )

    def kill_one_at_work(self):
        """SIGKILL for a worker that holds jobs, at whatever it does; how many it held a moment before."""
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends:
            for process in self._running:
                assert process.poll() is None, self.logs
                held = self._held_by(process)
                if held:
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                    self._running.remove(process)
                    return held
            time.sleep(0.01)
        raise AssertionError("no worker takes jobs")

    def _held_by(self, process):
        with self._database.read() as connection:
            running = rows_in(connection, "jobs", state="running")
        return sum(f":{process.pid}:" in each.worker for each in running)

    def stop(self):
        for process in self._running:
            process.terminate()
        assert [process.wait(60) for process in self._running] == [0] * len(self._running)
        self._running.clear()

    def end(self):
        for process in self._running:
            process.kill()
            process.wait()

    def said(self):
        return "".join(each.read_text() for each in self.logs)


@pytest.fixture
def place(tmp_path, database_address):
    """The engine that writes, the command over the same database, and its environment."""
    cache = tmp_path / "cache"
    engine = engine_over(database_address, cache=str(cache))
    environment = {
        "BOB_DATABASE": database_address,
        "BOB_CACHE": str(cache),
        "BOB_EMBEDDER__THREADS": "1",
    }
    yield engine, bob_in(tmp_path / "home"), environment
    engine.close()


def kept(database):
    """All that the memory has: names with title and text, as many as there are."""
    with database.read() as connection:
        rows = rows_in(connection, "resources")
    return {each.resource_id: (each.title, each.content) for each in rows}, len(rows)


def counts(database):
    with database.read() as connection:
        return jobs.counts(connection)


def test_killed_workers_leave_the_memory_as_the_rules_say(place, tmp_path):
    engine, bob, environment = place
    chance = random.Random(SEED)
    team = Team(engine.team.work_items, chance)
    workers = Workers(bob, tmp_path, engine.database, environment)
    try:
        workers.start()
        workers.start()
        held = []
        for number in range(EVENTS):
            team.act()
            if number % (EVENTS // KILLS) == EVENTS // KILLS // 2:
                held.append(workers.kill_one_at_work())
                workers.start()
        wait_for(lambda: counts(engine.database)["queued"] == counts(engine.database)["running"] == 0)
        workers.stop()
    finally:
        workers.end()
    assert len(held) == KILLS and min(held) > 0
    assert min(team.did[kind] for kind in team.did) > 0 and len(team.did) == 15 and team.did.total() == EVENTS
    assert bob.json("status", **environment)["jobs"] == {
        "queued": 0,
        "running": 0,
        "failed": 0,
        "errors": [],
    }
    found, rows = kept(engine.database)
    assert rows == len(found), "none twice"
    living = {f"workItem:{number}": texts for number, texts in team.since.items() if texts}
    assert found.keys() == living.keys()
    wrong = {name: (found[name], living[name][-1]) for name in living if found[name] not in living[name]}
    assert wrong == {}
    assert 20 < len(living) < len(team.since)
    said = workers.said()
    assert "Traceback" not in said and "[RAG] Failed" not in said
    # What was found is what a search finds.
    number, texts = next((number, texts) for number, texts in team.since.items() if texts)
    assert number in engine.team.rag_search.search_items(texts[-1][0], 50)


def wait_for(done):
    ends = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < ends, "it takes too long"
        time.sleep(0.1)


@contextmanager
def failing_memory():
    """A Hippocampus that is always out of order, and how often it was asked."""
    asked = []

    class Failing(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(self.path)
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(503)
            self.send_header("retry-after", "0")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_):
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Failing)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_failing_memory_makes_dead_jobs_that_retry_runs_again(place):
    engine, bob, environment = place
    for title in ("Roof leaks", "Door squeaks"):
        engine.team.work_items.create("ana", {"title": title}, NOON)
    with failing_memory() as (address, asked):
        broken = environment | {"BOB_HIPPOCAMPUS__URL": address}
        for attempt in range(1, jobs.MOST_TRIES + 1):
            assert "0 jobs done" in bob("worker", "--once", **broken).stdout
            # Two items, and each call is tried three times.
            assert len(asked) == attempt * 2 * 3
            if attempt == 1:
                bob("worker", "--once", **broken)
                assert len(asked) == 2 * 3, "it waits before the next try"
            with engine.database.write() as connection:
                connection.execute("UPDATE jobs SET not_before = 0 WHERE org_id = :org")
        bob("worker", "--once", **broken)
        assert len(asked) == jobs.MOST_TRIES * 2 * 3, "three tries and no more"
    shown = bob.json("status", **environment)["jobs"]
    assert (shown["queued"], shown["running"], shown["failed"]) == (0, 0, 2)
    (error,) = shown["errors"]
    assert "cannot be reached" in error and address not in error
    assert "0 jobs done" in bob("worker", "--once", **environment).stdout, "dead is dead"
    again = bob("retry", **broken)
    assert again.returncode == 3 and "2 jobs left" in again.stderr
    again = bob("retry", **environment)
    assert again.returncode == 0 and "2 jobs again" in again.stdout
    assert counts(engine.database) == {"queued": 0, "running": 0, "failed": 0}
    assert kept(engine.database)[0] == {
        "workItem:1": ("Roof leaks", "Work Item: Roof leaks\n\nStatus:\nOPEN"),
        "workItem:2": ("Door squeaks", "Work Item: Door squeaks\n\nStatus:\nOPEN"),
    }
