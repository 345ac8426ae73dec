"""Questions over HTTP: the same answers as of Python and the command line, and streams that may be gone on
with."""

import asyncio
import json
import socket
import threading

import httpx
import pytest
from judges import JUDGE
from model_server import ModelServer, answer
from served_memory import GARDEN, KITCHEN, events_of, index, served
from small_memory import bob_in, engine_over, write_files

from bob import Bob
from bob.app import Engine
from bob.app.settings import load_settings
from bob.core.errors import NotFoundError, RefusedError
from bob.http.server import address_of, listen, server_of
from bob.http.streams import Streams

QUESTION = "When is the hedge cut?"


@pytest.fixture(scope="module")
def garden(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ask")
    engine = engine_over(folder / "bob.db", server={"max_request_mb": 1})
    index(engine, folder, garden=GARDEN, kitchen=KITCHEN)
    with served(engine) as made, httpx.Client(base_url=made.address, timeout=30) as client:
        yield client
    engine.close()


@pytest.mark.parametrize("field", ["projects", "types", "tags", "languages", "paths"])
def test_half_a_character_in_a_condition_is_refused_by_name(garden, field):
    """JSON can spell it, UTF-8 and every database cannot."""
    content = json.dumps({"query": "hedge", field: ["\ud800"]})
    refused = garden.post("/search", content=content, headers={"content-type": "application/json"})
    assert refused.status_code == 400 and refused.json()["field"] == field
    assert refused.json()["detail"] == f"{field} must not contain the character 0 or half of a surrogate pair"


def settled(answer):
    """An answer without what differs each time."""
    audit = {key: value for key, value in answer["audit"].items() if key != "timings"}
    return {**answer, "answer_id": None, "audit": audit}


def test_python_the_command_line_and_http_give_the_same(tmp_path):
    bob = bob_in(tmp_path / "home")
    notes = write_files(bob.home / "notes", GARDEN | {"soup.md": KITCHEN["soup.md"]})
    bob.json("index", notes)
    said = bob.json("ask", QUESTION), bob.json("search", "blue door"), bob.json("status")
    with Bob(bob.database) as memory:
        python = memory.ask(QUESTION).to_json(), [each.to_json() for each in memory.search("blue door")]
    environment = {"BOB_DATABASE": str(bob.database), **JUDGE}
    settings = load_settings(environment=environment, home=bob.home, folder=bob.home)
    engine = Engine(settings.settings)
    with served(engine) as made, httpx.Client(base_url=made.address, timeout=60) as client:
        asked = client.post("/ask", json={"question": QUESTION}).json()
        found = client.get("/search", params={"query": "blue door"}).json()
        by_body = client.post("/search", json={"query": "blue door"}).json()
        status = client.get("/status").json()
    engine.close()
    assert settled(asked) == settled(said[0]) == settled(python[0]) and asked["found"]
    assert found == by_body == said[1] and found["hits"] == python[1]
    for each in (status, said[2]):
        each["database"].pop("bytes")
    assert status == said[2]


def test_an_answer_is_kept_judged_and_found_again(garden):
    asked = garden.post("/ask", json={"question": QUESTION, "projects": ["garden"]}).json()
    path = f"/answers/{asked['answer_id']}"
    again = garden.get(path)
    assert again.json()["answer"] == asked and again.json()["filters"] == {"projects": ["garden"]}
    given = garden.post(f"{path}/feedback", json={"verdict": "helpful", "note": "yes"})
    assert given.json()["verdict"] == "helpful"
    listed = garden.get("/answers", params={"limit": 1}).json()["answers"]
    assert [each["note"] for each in listed[0]["feedback"]] == ["yes"]
    tag = again.headers["etag"]
    assert garden.get(path, headers={"If-None-Match": tag}).status_code == 200
    changed = garden.get(path).headers["etag"]
    told = garden.get(path, headers={"If-None-Match": f'"other", W/{changed}'})
    assert (told.status_code, told.content) == (304, b"") and changed != tag
    assert garden.get("/answers/99999").status_code == 404
    assert garden.post("/answers/99999/feedback", json={"verdict": "helpful"}).status_code == 404


def test_answers_come_in_pages(garden):
    for _ in range(3):
        garden.post("/ask", json={"question": QUESTION})
    whole = [each["answer_id"] for each in garden.get("/answers?limit=1000").json()["answers"]]
    pages, cursor = [], None
    while True:
        page = garden.get("/answers", params={"limit": 2} | ({"cursor": cursor} if cursor else {})).json()
        pages += [each["answer_id"] for each in page["answers"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert pages == whole == sorted(whole, reverse=True) and len(whole) >= 3


def test_a_question_about_nothing_is_not_found_and_filters_hold(garden):
    nothing = garden.post("/ask", json={"question": QUESTION, "projects": ["kitchen"]}).json()
    assert not nothing["found"] and nothing["answer"] == "Not found in sources."
    hits = garden.get("/search", params={"query": "the", "projects": "kitchen", "limit": 5}).json()["hits"]
    assert {each["project"] for each in hits} == {"kitchen"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "question"),
        ({"question": ""}, "question"),
        ({"question": " \n"}, "question"),
        ({"question": "x" * 10_001}, "question"),
        ({"question": "x", "colour": 1}, "colour"),
        ({"question": "x", "after": "soon"}, "after"),
        ({"question": "x", "projects": "garden"}, "projects"),
    ],
)
@pytest.mark.parametrize("path", ["/ask", "/ask/stream"])
def test_what_is_wrong_with_a_question_is_named(garden, path, body, field):
    told = garden.post(path, json=body)
    assert (told.status_code, told.headers["content-type"]) == (400, "application/problem+json")
    problem = told.json()
    assert problem["field"] == field and problem["request_id"] == told.headers["x-request-id"]


def test_a_stream_ends_with_the_whole_answer_and_may_be_gone_on_with(garden):
    told = garden.post("/ask/stream", json={"question": QUESTION})
    events = list(events_of(told.text))
    assert [number for number, _, _ in events] == list(range(1, len(events) + 1))
    names = [name for _, name, _ in events]
    assert names[0] == "stage" and names[-1] == "answer" and "claim" in names
    whole = events[-1][2]
    assert [data for _, name, data in events if name == "claim"] == whole["claims"]
    assert garden.get(f"/answers/{whole['answer_id']}").json()["answer"] == whole
    path = f"/streams/{told.headers['x-bob-stream']}"
    assert list(events_of(garden.get(path).text)) == events
    assert list(events_of(garden.get(path, headers={"Last-Event-ID": "2"}).text)) == events[2:]
    assert garden.get(path, headers={"Last-Event-ID": "99"}).text == ""
    assert garden.get(path, headers={"Last-Event-ID": "-1"}).json()["field"] == "Last-Event-ID"
    assert garden.get("/streams/unknown").status_code == 404


def test_a_written_answer_shows_its_draft_and_goes_on_without_its_reader(tmp_path):
    upstream = ModelServer()
    upstream.script = [answer("openai", ["The hedge is cut ", "in August [1]."])]
    llm = {"provider": "openai", "model": "small", "base_url": f"{upstream.url}/v1", "api_key": "k"}
    engine = engine_over(tmp_path / "bob.db", llm=llm)
    index(engine, tmp_path, garden=GARDEN)
    with served(engine) as made, httpx.Client(base_url=made.address, timeout=30) as client:
        with client.stream("POST", "/ask/stream", json={"question": QUESTION}) as told:
            stream_id = told.headers["x-bob-stream"]
            # Gone after the first bytes.
            next(told.iter_bytes())
        events = list(events_of(client.get(f"/streams/{stream_id}").text))
    engine.close()
    upstream.close()
    stages = [data["stage"] for _, name, data in events if name == "stage"]
    assert stages == ["searching", "writing", "checking"]
    assert "".join(data["text"] for _, name, data in events if name == "draft").startswith("The hedge is cut")
    assert events[-1][1] == "answer" and events[-1][2]["written_by"] is not None


def test_work_that_fails_or_is_stopped_says_so_and_the_rest_goes_on():
    streams, going = Streams(1), threading.Event()

    def stopped(stream):
        going.wait(10)
        assert stream.stopped

    first = streams.start(("local", "me"), stopped)
    second = streams.start(("local", "me"), lambda _: 1 / 0)
    first.stop()
    going.set()
    told = [read_whole(each) for each in (first, second)]
    assert [name for name, _ in told[0]] == ["stopped"]
    ((name, problem),) = told[1]
    assert name == "error" and json.loads(problem)["status"] == 500
    streams.close()


def read_whole(stream):
    """All events of a stream, read as a server reads them."""

    async def read():
        return [(each.name, each.data) async for each in stream.events() if each is not None]

    return asyncio.run(asyncio.wait_for(read(), 10))


def test_streams_are_their_beginners_alone_and_no_more_wait_than_there_is_room_for():
    streams, going = Streams(1), threading.Event()
    mine = streams.start(("local", "ana"), lambda _: going.wait(10))
    for owner in (("local", "ben"), ("other", "ana")):
        with pytest.raises(NotFoundError):
            streams.find(owner, mine.stream_id)
    assert streams.find(("local", "ana"), mine.stream_id) is mine
    with pytest.raises(RefusedError) as caught:
        for _ in range(100):
            streams.start(("local", "ana"), lambda _: None)
    assert caught.value.status == 429 and caught.value.wait
    going.set()
    streams.close()


def test_a_thousand_streams_that_wait_starve_nobody(tmp_path):
    engine = engine_over(tmp_path / "bob.db")
    going = threading.Event()
    listening = listen("127.0.0.1", 0)
    server = server_of(engine)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    address = address_of(listening)
    blocked = threading.Event()

    def waits(question, **_):
        blocked.set()
        going.wait(60)
        return iter(())

    engine.ask.events = waits
    try:
        with httpx.Client(base_url=address, timeout=30) as client:
            while not server.started:
                going.wait(0.01)
            stream_id = begun(address)
            assert blocked.wait(10)
            readers = [opened(listening, stream_id) for _ in range(1_000)]
            assert all(each.recv(12) == b"HTTP/1.1 200" for each in readers)
            assert client.get("/status").status_code == 200
            assert client.get("/health").json() == {"status": "ok"}
            assert threading.active_count() < 100
            for each in readers:
                each.close()
    finally:
        going.set()
        server.should_exit = True
        thread.join()
        listening.close()
        engine.close()


def begun(address):
    """The id of a stream whose work does not end."""
    with httpx.stream("POST", f"{address}/ask/stream", json={"question": "x"}, timeout=30) as told:
        return told.headers["x-bob-stream"]


def opened(listening, stream_id):
    """A connection that reads the stream and does no more."""
    connection = socket.create_connection(listening.getsockname(), timeout=30)
    host = f"127.0.0.1:{listening.getsockname()[1]}"
    connection.sendall(f"GET /streams/{stream_id} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    return connection
