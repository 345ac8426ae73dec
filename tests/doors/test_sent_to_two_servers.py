"""Two servers over one database: what is sent to both with one `Idempotency-Key` is made once, at once, after
a restart, and after one of them was killed."""

import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest
from small_memory import engine_over

from bob.core.principal import Role
from bob.http.idempotency import REPLAYED

MOST = {"BOB_AUTH__REQUESTS_PER_MINUTE": "1000000"}


class Office:
    """A database, and servers that are started over it, each with a cache of its own."""

    def __init__(self, bob, address, folder):
        self._bob = bob
        self._folder = folder
        self._environment = MOST | {"BOB_DATABASE": address}
        self.engine = engine_over(address, cache=str(folder / "cache"))
        key = self.engine.team.api_keys.create("both", "ana", Role.ADMIN, (), None)
        self.headers = {"Authorization": f"Bearer {key.text}"}
        self._running = []

    def start(self, name):
        cache = {"BOB_CACHE": str(self._folder / name)}
        process = self._bob.start("serve", "--port", "0", **self._environment, **cache)
        self._running.append(process)
        line = process.stdout.readline()
        assert line, process.stderr.read()
        return process, line.split()[3].rstrip(",")

    def end(self, process, how=signal.SIGTERM):
        process.send_signal(how)
        process.communicate(timeout=60)
        self._running.remove(process)

    def titles(self):
        """Of the work items that there are, as often as they are there."""
        with self.engine.database.read() as connection:
            rows = connection.execute("SELECT title FROM work_items WHERE org_id = :org").fetchall()
        return sorted(title for (title,) in rows)

    def send(self, client, address, number):
        body, key = {"title": f"Item {number:03}"}, {"Idempotency-Key": f"key {number}"}
        return client.post(f"{address}/work/items", json=body, headers=self.headers | key)

    def close(self):
        for process in list(self._running):
            self.end(process)
        self.engine.close()


@pytest.fixture
def office(bob, database_address, tmp_path):
    made = Office(bob, database_address, tmp_path)
    yield made
    made.close()


@contextmanager
def sending():
    with httpx.Client(timeout=120) as client, ThreadPoolExecutor(8) as threads:
        yield client, threads


def test_what_is_sent_to_both_at_once_is_made_once(office):
    _, first = office.start("first")
    _, second = office.start("second")
    with sending() as (client, threads):
        orders = [(address, number) for number in range(200) for address in (first, second)]
        told = list(threads.map(lambda order: office.send(client, *order), orders))
        assert office.titles() == [f"Item {number:03}" for number in range(200)]
        made = [each for each in told if each.status_code == 201 and REPLAYED not in each.headers]
        assert len(made) == 200 and {each.status_code for each in told} <= {201, 409}
        # Whoever was told to come again gets the same answer everywhere.
        ids = {each.json()["title"]: each.json()["id"] for each in made}
        for address, number in orders[:40]:
            again = office.send(client, address, number)
            assert again.status_code == 201 and again.headers[REPLAYED] == "true"
            assert again.json()["id"] == ids[f"Item {number:03}"]
        other = client.post(
            f"{second}/work/items",
            json={"title": "Another"},
            headers=office.headers | {"Idempotency-Key": "key 1"},
        )
        assert other.status_code == 422
    assert len(office.titles()) == 200


def test_after_a_restart_the_answer_is_the_same(office):
    process, address = office.start("first")
    with sending() as (client, _):
        first = office.send(client, address, 1)
        office.end(process)
        _, address = office.start("other")
        again = office.send(client, address, 1)
        assert again.json() == first.json() and again.headers[REPLAYED] == "true"
    assert office.titles() == ["Item 001"]


def test_what_a_killed_server_had_under_way_is_made_once(office):
    process, address = office.start("first")
    told, enough = {}, threading.Event()
    with sending() as (client, threads):

        def send(number):
            try:
                told[number] = office.send(client, address, number).status_code
            except httpx.TransportError:
                told[number] = None
            if len(told) >= 40:
                enough.set()

        sent = [threads.submit(send, number) for number in range(120)]
        assert enough.wait(120)
        office.end(process, signal.SIGKILL)
        for each in sent:
            each.result()
        acknowledged = {number for number, status in told.items() if status == 201}
        assert acknowledged and len(acknowledged) < 120
        _, address = office.start("second")
        again = {number: office.send(client, address, number) for number in range(120)}
    statuses = {number: each.status_code for number, each in again.items()}
    assert all(statuses[number] == 201 for number in acknowledged)
    titles = office.titles()
    assert titles == [f"Item {number:03}" for number in range(120)], "each once, whatever was answered"
    for number, status in statuses.items():
        # Made, but not answered before the end: that is said, and nothing is made a second time.
        assert status == 201 or "check what was done" in again[number].json()["detail"]
