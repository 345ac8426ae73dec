"""However many ask at once, few are served at a time, and each is answered or told when to come again."""

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest
from served_memory import GARDEN, index, served
from small_memory import HashingEmbedder, engine_over

from bob.http.slow_clients import AT_ONCE, EXPENSIVE, MOST_WAITING
from bob.models import networks
from bob.models.networks import RUNS_AT_ONCE, OnnxEmbedder

BODIES = {
    "/ask": {"question": "When is the hedge cut?"},
    "/context": {"project": "garden", "question": "When is the hedge cut?"},
    "/search": {"query": "When is the hedge cut?", "limit": 20},
    "/v1/embeddings": {"model": "bob", "input": ["When is the hedge cut?"] * 4},
    "/verify": {"text": "The hedge is cut in the last week of August."},
}


class Counting(HashingEmbedder):
    """Counts how many embed at once, and holds all of them until `go` is set."""

    def __init__(self):
        super().__init__()
        self.go = threading.Event()
        self.go.set()
        self.lock = threading.Lock()
        self.running = self.most = 0

    def embed(self, texts):
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
        try:
            assert self.go.wait(60)
            return super().embed(texts)
        finally:
            with self.lock:
                self.running -= 1


@pytest.fixture
def home(tmp_path):
    counting = Counting()
    engine = engine_over(tmp_path / "bob.db", embedder=counting)
    index(engine, tmp_path, garden=GARDEN)
    with (
        served(engine) as made,
        httpx.Client(base_url=made.address, timeout=120, limits=httpx.Limits(max_connections=200)) as client,
    ):
        client.embedder = counting
        yield client
    engine.close()


@pytest.mark.parametrize("more", [20, MOST_WAITING + 20])
def test_all_are_answered_or_refused_and_few_are_served_at_once(home, more):
    home.embedder.go.clear()
    count = AT_ONCE + more

    def ask(_):
        return home.post("/v1/embeddings", json=BODIES["/v1/embeddings"])

    with ThreadPoolExecutor(count) as threads:
        asked = [threads.submit(ask, n) for n in range(count)]
        # Those that are refused are refused at once: they come back while all others wait.
        refused = max(count - AT_ONCE - MOST_WAITING, 0)
        finished = threading.Event()
        for future in asked:
            future.add_done_callback(
                lambda _: finished.set() if sum(each.done() for each in asked) >= refused else None
            )
        assert not refused or finished.wait(60)
        # What costs nothing is answered beside them.
        assert home.get("/health").status_code == 200 and home.get("/chats").status_code == 200
        home.embedder.go.set()
        answers = [future.result(120) for future in asked]
    statuses = [each.status_code for each in answers]
    assert statuses.count(429) == refused and statuses.count(200) == count - refused
    for each in answers:
        if each.status_code == 429:
            assert each.headers["retry-after"].isdigit()
            assert "try again later" in each.json()["error"]["message"]
    assert home.embedder.most <= AT_ONCE
    assert ask(0).status_code == 200


def test_every_expensive_request_takes_its_turn(home):
    assert BODIES.keys() == EXPENSIVE
    assert {path: home.post(path, json=body).status_code for path, body in BODIES.items()} == dict.fromkeys(
        EXPENSIVE, 200
    )


def test_a_client_that_goes_away_gives_its_turn_back(home):
    home.embedder.go.clear()
    for _ in range(AT_ONCE):
        with pytest.raises(httpx.ReadTimeout):
            home.post("/v1/embeddings", json=BODIES["/v1/embeddings"], timeout=0.2)
    home.embedder.go.set()
    for path, body in BODIES.items():
        assert home.post(path, json=body).status_code == 200


def test_a_body_that_does_not_come_takes_nobodys_turn(home):
    """More of them than have room: others are served beside them."""
    address = (home.base_url.host, home.base_url.port)
    head = b"POST /v1/embeddings HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % address[1]
    head += b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    with ExitStack() as opened:
        for _ in range(AT_ONCE + MOST_WAITING + 5):
            slow = opened.enter_context(socket.create_connection(address))
            slow.sendall(head)
        for path, body in BODIES.items():
            assert home.post(path, json=body).status_code == 200


def test_a_search_by_its_address_takes_its_turn(home):
    home.embedder.go.clear()
    with ThreadPoolExecutor(AT_ONCE + 10) as threads:
        asked = [threads.submit(home.get, "/search", params={"query": "hedge"}) for _ in range(AT_ONCE + 10)]
        home.embedder.go.set()
        assert {each.result(60).status_code for each in asked} == {200}
    assert home.embedder.most <= AT_ONCE


def test_the_model_runs_few_times_at_once(monkeypatch):
    """The session counts; what it gives is the model's own."""
    lock, running, most = threading.Lock(), [0], [0]
    opened = networks.open_session

    class Session:
        def __init__(self, session):
            self.session = session

        def run(self, *arguments):
            with lock:
                running[0] += 1
                most[0] = max(most[0], running[0])
            try:
                return self.session.run(*arguments)
            finally:
                with lock:
                    running[0] -= 1

    monkeypatch.setattr(networks, "open_session", lambda *given: Session(opened(*given)))
    model = OnnxEmbedder(threads=1)
    with ThreadPoolExecutor(16) as threads:
        rows = list(threads.map(lambda n: model.embed([f"text {n} " * 100]), range(32)))
    assert len(rows) == 32 and 1 <= most[0] <= RUNS_AT_ONCE
