"""Clients that send slowly, send less than they said, or never read: each is let go, and nobody waits for it.

They come without any credential to a server that asks for one, except where they have to be answered first.
"""

import asyncio
import socket
import threading
import time

import h11
import httpx
import pytest
from served_app import connected, rest_of, serving
from served_memory import GARDEN, index, served
from signed_tokens import SECRET, by_secret, claims
from small_memory import engine_over
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import RequestResponseCycle
from uvicorn.server import ServerState

from bob.http.guard import Guard
from bob.http.slow_clients import PatientProtocol

HEAD = "Host: 127.0.0.1\r\nContent-Type: application/json\r\n"
LIMIT = 0.5


@pytest.fixture(scope="module")
def impatient():
    """The limits of the server, short enough to be waited for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PatientProtocol, "HEADER_SECONDS", LIMIT)
        patch.setattr(PatientProtocol, "TAKING_SECONDS", LIMIT)
        yield


@pytest.fixture(scope="module")
def home(tmp_path_factory, impatient):
    """A server that asks who one is, and gives a body half a second."""
    folder = tmp_path_factory.mktemp("slow")
    limits = {"max_request_mb": 1, "request_seconds": 1}
    auth = {"jwt_secret": SECRET, "requests_per_minute": 100_000}
    engine = engine_over(folder / "bob.db", server=limits, auth=auth)
    index(engine, folder, garden=GARDEN)
    with served(engine) as made:
        token = by_secret(claims(aud=None, iss=None))
        made.head = f"{HEAD}Authorization: Bearer {token}\r\n"
        with httpx.Client(base_url=made.address, headers={"Authorization": f"Bearer {token}"}) as client:
            made.client = client
            yield made
            assert client.get("/health").json() == {"status": "ok"}, "it serves on"
    engine.close()


def test_what_the_limits_use_of_uvicorn_is_there():
    """If this fails, uvicorn has changed inside, and the limits have to be written for it anew."""
    config = Config(lambda: None, http=PatientProtocol, loop="asyncio", lifespan="off")
    config.load()
    loop = asyncio.new_event_loop()
    protocol = PatientProtocol(config=config, server_state=ServerState(), app_state={}, _loop=loop)
    loop.close()
    used = {"conn", "cycle", "loop", "transport", "on_response_complete", "pause_writing", "resume_writing"}
    assert not {name for name in used if not hasattr(protocol, name)}
    assert protocol.conn.their_state is h11.IDLE and protocol.conn.trailing_data == (b"", False)
    assert "response_complete" in RequestResponseCycle.__init__.__code__.co_names


def ended_while_sending(connection, piece):
    """Send pieces until the server ends the connection; what it said. That it does not is an error."""
    received, began = b"", time.monotonic()
    with connection:
        connection.settimeout(0.05)
        while time.monotonic() - began < 60:
            try:
                connection.sendall(piece)
                block = connection.recv(65536)
            except TimeoutError:
                continue
            except (ConnectionResetError, BrokenPipeError):
                return received
            if not block:
                return received
            received += block
    raise AssertionError(f"still open after {received[:60]!r}")


SLOW_HEADS = {
    "nothing": (b"", b""),
    "the first line": (b"GET /doc", b"u"),
    "a header's name": (b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX", b"x"),
    "a header's value": (b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ", b"x"),
    "header after header": (b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"X: y\r\n"),
    "the start of a second version": (b"PRI * HT", b"T"),
    "the start of TLS": (b"\x16\x03\x01", b"\x00"),
    "the second request": (b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /he", b"a"),
}


@pytest.mark.parametrize("case", SLOW_HEADS)
def test_headers_that_come_slowly_are_not_waited_for(home, case):
    start, piece = SLOW_HEADS[case]
    told = ended_while_sending(connected(home.address, start), piece)
    assert b"hedge" not in told


LENGTH, CHUNKED = "Content-Length: 1000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n"
ANSWERED = {
    "refused for its credential": f"POST /ask HTTP/1.1\r\n{HEAD}",
    "refused for its name": "POST /ask HTTP/1.1\r\nHost: evil.example\r\n",
    "refused for its form": "POST /ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n",
    "refused for its origin": f"POST /ask HTTP/1.1\r\n{HEAD}Origin: https://evil.example\r\n",
    "an open path": f"GET /health HTTP/1.1\r\n{HEAD}",
    "a file of the pages": f"GET /ui/app.js HTTP/1.1\r\n{HEAD}",
    "no such path": f"PUT /nothing HTTP/1.1\r\n{HEAD}",
}
PIECES = {
    "a byte at a time": (LENGTH, b"x"),
    "a chunk at a time": (CHUNKED, b"1\r\nx\r\n"),
    "a chunk that has no end": (CHUNKED + "FFFFFFFF\r\n", b"x"),
    "a chunk's own words": (CHUNKED + "1;", b"x"),
    "trailers without end": (CHUNKED + "0\r\n", b"a: b\r\n"),
    "as much as it can": (CHUNKED, b"10000\r\n" + b"x" * 0x10000 + b"\r\n"),
}


@pytest.mark.parametrize("body", PIECES)
@pytest.mark.parametrize("case", ANSWERED)
def test_a_body_that_comes_after_its_answer_ends(home, case, body):
    """The answer was sent at once: what still comes is not wanted, and holds no connection open."""
    rest, piece = PIECES[body]
    told = ended_while_sending(connected(home.address, (ANSWERED[case] + rest).encode()), piece)
    assert told[:9] in (b"HTTP/1.1 ", b"") and b"hedge" not in told


@pytest.mark.parametrize("body", PIECES)
@pytest.mark.parametrize(
    "path", ["/ask", "/v1/chat/completions", "/files", "/ask/stream", "/work/import", "/session/links"]
)
def test_a_body_that_is_waited_for_has_an_end(home, path, body):
    rest, piece = PIECES[body]
    head = home.head
    if path == "/files":
        head = head.replace("application/json", "multipart/form-data; boundary=b")
        piece = piece if body.startswith("a chunk") else b"-"
    told = ended_while_sending(
        connected(home.address, f"POST {path} HTTP/1.1\r\n{head}{rest}".encode()), piece
    )
    # 408 where it was waited for; a body of the largest size may come first, or be refused as it begins.
    assert told[9:12] in (b"408", b"413", b"400", b"403", b"404", b""), told[:200]


def test_fewer_bytes_than_were_announced_are_no_request(home):
    before = home.engine.conversations.chats.recent("ana", 10)
    whole = b'{"project": "garden"}'
    for ending in ("stay", "half", "close"):
        head = f"POST /chats HTTP/1.1\r\n{home.head}Content-Length: {len(whole) + 1}\r\n\r\n"
        client = connected(home.address, head.encode() + whole)
        if ending == "half":
            client.shutdown(socket.SHUT_WR)
        if ending == "close":
            client.close()
        else:
            assert rest_of(client)[:12] in (b"HTTP/1.1 408", b"HTTP/1.1 400", b"")
    assert home.engine.conversations.chats.recent("ana", 10) == before


MANY = 300


def test_many_at_once_keep_nobody_waiting(home):
    """Three hundred at a time of each kind; others are answered while they are there, and they go."""
    kinds = [
        b"",
        b"GET /health HTTP/1.1\r\nX: ",
        f"POST /ask HTTP/1.1\r\n{HEAD}{LENGTH}x".encode(),
        f"POST /ask HTTP/1.1\r\n{home.head}{LENGTH}x".encode(),
        f"POST /ask HTTP/1.1\r\n{home.head}{CHUNKED}1\r\nx\r\n".encode(),
        f"POST /files HTTP/1.1\r\n{home.head}{LENGTH}".replace(
            "application/json", "multipart/form-data; boundary=b"
        ).encode(),
    ]
    for kind in kinds:
        slow = [connected(home.address, kind) for _ in range(MANY)]
        answers = [home.client.get("/search?query=hedge", timeout=60) for _ in range(3)]
        assert [each.status_code for each in answers] == [200] * 3
        assert home.client.post("/ask", json={"question": "When is the hedge cut?"}, timeout=60).is_success
        assert all(rest_of(each)[:9] in (b"", b"HTTP/1.1 ") for each in slow)


class Large:
    """An application with an answer larger than any system holds for a connection: whole, or in parts."""

    SIZE = 30_000_000

    def __init__(self):
        self.begun = self.ended = 0

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return
        self.begun += 1
        try:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            part = self.SIZE if scope["path"] == "/whole" else 10_000
            body = b"x" * part
            for _ in range(self.SIZE // part):
                await send({"type": "http.response.body", "body": body, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            self.ended += 1


def ends_of(app, count):
    """Wait until so many requests of an application have ended; for ever would be a failure."""
    began = time.monotonic()
    while app.ended < count and time.monotonic() - began < 60:
        time.sleep(0.02)
    return app.ended


@pytest.mark.parametrize("path", ["/whole", "/parts"])
def test_who_does_not_read_is_let_go(monkeypatch, path):
    monkeypatch.setattr(PatientProtocol, "TAKING_SECONDS", 2.0)
    app = Large()
    with serving(Guard(app, 1_000, ())) as address:
        asked = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
        silent = [connected(address, asked, small=True) for _ in range(5)]
        # One reads a byte now and then, which is no reading.
        drop = connected(address, asked, small=True)
        stop = threading.Event()

        def read_drops():
            with drop:
                while not stop.wait(0.05) and _byte_of(drop):
                    pass

        reader = threading.Thread(target=read_drops)
        reader.start()
        # Others read all of it.
        told = httpx.get(f"{address}{path}", timeout=60)
        assert told.content.count(b"x") == app.SIZE
        assert ends_of(app, 7) == app.begun == 7
        stop.set()
        reader.join()
        for each in silent:
            assert len(rest_of(each)) < app.SIZE


def _byte_of(connection):
    try:
        return connection.recv(1)
    except OSError:
        return b""


def test_who_reads_slowly_but_does_is_served(monkeypatch):
    """Longer than the limit in all; in each part of it enough is taken."""
    monkeypatch.setattr(PatientProtocol, "TAKING_SECONDS", 1.0)
    app = Large()
    with (
        serving(Guard(app, 1_000, ())) as address,
        connected(address, b"GET /whole HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n") as client,
    ):
        received = 0
        for _ in range(15):
            time.sleep(0.2)
            received += len(client.recv(2_000_000))
        received += len(rest_of(client))
        assert received > app.SIZE


def test_answers_that_nobody_takes_are_let_go(home):
    """Requests one after the other on one connection, and not one answer read; then streams."""
    one = f"GET /ui/app.js HTTP/1.1\r\n{HEAD}\r\n".encode() * 50
    with connected(home.address, small=True) as client:
        client.settimeout(0.2)
        began = time.monotonic()
        while time.monotonic() - began < 60:
            try:
                client.sendall(one)
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            raise AssertionError("it is still open")
    body = b'{"question": "When is the hedge cut?"}'
    head = f"POST /ask/stream HTTP/1.1\r\n{home.head}Content-Length: {len(body)}\r\n\r\n".encode()
    unread = [connected(home.address, head + body, small=True) for _ in range(20)]
    assert home.client.get("/search?query=hedge", timeout=60).status_code == 200
    for each in unread:
        # A short one is in the system's hands already: it has ended for the server.
        assert b"event: answer" in rest_of(each)
