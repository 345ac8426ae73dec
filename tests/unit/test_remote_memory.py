"""The client of a Hippocampus service against a real server that misbehaves in every way it can."""

import json
import logging
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bob.core.errors import MemoryServiceError, SettingsError
from bob.work.hippocampus_client import REFUSED, UNREACHABLE, UNUSABLE, RemoteMemory

KEY = "hk-4f9a-secret"
COLLECTION = {"collectionId": "c1", "name": "org:acme"}
INDEXED = {"resourceId": "workItem:8", "status": "indexed"}


class Service:
    """Answers by a script: one entry a request, (status, body, how); the last one for all that follow."""

    def __init__(self, *script):
        self.script = list(script)
        self.requests = []
        self.pauses = []

    def next(self):
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]


@contextmanager
def remote(service, timeout=5.0):
    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            length = int(self.headers.get("Content-Length") or 0)
            content = self.rfile.read(length)
            body = json.loads(content) if content else None
            service.requests.append((self.command, self.path, body, dict(self.headers)))
            status, body, how = service.next()
            if how == "hang":
                service.hanging.wait(10)
                return
            if how == "drop":
                self.close_connection = True
                return
            sent = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in (how if isinstance(how, dict) else {}).items():
                self.send_header(name, value)
            if status != 204:
                self.send_header("Content-Length", str(len(sent) + (50 if how == "cut" else 0)))
            self.end_headers()
            if status != 204:
                self.wfile.write(sent)
            self.close_connection = how == "cut"

        do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815 - the library's names

        def log_message(self, *_):
            pass

    service.hanging = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    memory = RemoteMemory(
        f"http://127.0.0.1:{server.server_port}/v1/", KEY, timeout, 0.2, service.pauses.append
    )
    try:
        yield memory
    finally:
        service.hanging.set()
        memory.close()
        server.shutdown()
        thread.join()
        server.server_close()


def ok(body):
    return (200, body, None)


def test_requests_are_those_of_the_protocol():
    service = Service(ok(COLLECTION), (201, INDEXED, None), ok(INDEXED), (204, {}, None), ok({"results": []}))
    with remote(service) as memory:
        memory.add_resource("acme", "workItem:8", "Slow app", "Five seconds.")
        memory.update_resource("acme", "workItem:8", "Slow app", "Six seconds.")
        memory.delete_resource("acme", "workItem:8")
        assert memory.query("acme", "slow", 3) == []
    sent = [request[:3] for request in service.requests]
    where = {"collectionId": "c1", "ownerId": "org:acme"}
    assert sent == [
        ("POST", "/v1/collection", {"name": "org:acme"}),
        (
            "POST",
            "/v1/resource",
            where | {"title": "Slow app", "content": "Five seconds.", "resourceId": "workItem:8"},
        ),
        ("PUT", "/v1/resource/workItem:8", {"title": "Slow app", "content": "Six seconds."}),
        ("DELETE", "/v1/resource/workItem:8", None),
        ("POST", "/v1/search", where | {"query": "slow", "limit": 3, "minScore": 0.2}),
    ]
    assert all(request[3]["x-api-key"] == KEY for request in service.requests)
    assert service.pauses == []


@pytest.mark.parametrize(
    "answer",
    [
        {"collectionId": "c7"},
        {"_id": "c7", "name": "org:acme"},
        {"id": "c7"},
        {"data": {"collectionId": "c7"}},
        {"success": True, "data": {"_id": "c7"}},
    ],
)
def test_known_forms_of_a_collection_are_read(answer):
    service = Service(ok(answer), ok({"results": []}))
    with remote(service) as memory:
        memory.query("acme", "slow", 3)
    assert service.requests[1][2]["collectionId"] == "c7"


def test_a_collections_number_is_sent_back_as_text():
    service = Service(ok({"id": 7}), ok({"results": []}))
    with remote(service) as memory:
        memory.query("acme", "slow", 3)
    assert service.requests[1][2]["collectionId"] == "7"


@pytest.mark.parametrize(
    "answer",
    [
        {"results": [{"resourceId": "workItem:1", "score": 0.9}, {"resourceId": "workItem:2", "score": 0.4}]},
        {"data": {"results": [{"_id": "workItem:1", "score": 0.9}, {"id": "workItem:2", "score": 0.4}]}},
        {"data": [{"id": "workItem:1", "score": 0.9}, {"id": "workItem:2", "score": 0.4}]},
    ],
)
def test_known_forms_of_results_are_read(answer):
    with remote(Service(ok(COLLECTION), ok(answer))) as memory:
        assert memory.query("acme", "slow", 3) == [("workItem:1", 0.9), ("workItem:2", 0.4)]


def test_a_service_that_takes_no_notice_of_order_floor_and_limit_is_put_right():
    listed = [("a", 0.3), ("b", 0.1), ("c", 1.7), ("a", 0.2), ("d", 0.5), ("e", 0.25)]
    results = [{"resourceId": name, "score": score} for name, score in listed]
    with remote(Service(ok(COLLECTION), ok({"results": results}))) as memory:
        assert memory.query("acme", "slow", 3) == [("c", 1.0), ("d", 0.5), ("a", 0.3)]


@pytest.mark.parametrize(
    "failure",
    [
        (500, b"<h1>oops</h1>", None),
        (503, {"error": "busy"}, None),
        (429, {}, None),
        (200, None, "drop"),
        (200, {"resourceId": "x"}, "cut"),
    ],
)
def test_what_passes_is_tried_twice_more(failure):
    service = Service(ok(COLLECTION), failure, failure, ok(INDEXED))
    with remote(service) as memory:
        memory.add_resource("acme", "workItem:8", "Slow app", "Five seconds.")
    assert len(service.requests) == 4 and service.pauses == [0.5, 1.0]
    assert service.requests[1][:3] == service.requests[2][:3] == service.requests[3][:3]

    service = Service(ok(COLLECTION), failure)
    with remote(service) as memory, pytest.raises(MemoryServiceError) as raised:
        memory.add_resource("acme", "workItem:8", "Slow app", "Five seconds.")
    assert str(raised.value) == UNREACHABLE and len(service.requests) == 4


def test_a_service_that_is_silent_is_given_up():
    service = Service(ok(COLLECTION), (200, {}, "hang"))
    with remote(service, timeout=0.2) as memory, pytest.raises(MemoryServiceError) as raised:
        memory.query("acme", "slow", 3)
    assert str(raised.value) == UNREACHABLE and service.pauses == [0.5, 1.0]


def test_a_service_that_is_not_there_is_told_as_such():
    pauses = []
    memory = RemoteMemory("http://127.0.0.1:1", KEY, 2, 0.2, pauses.append)
    with pytest.raises(MemoryServiceError) as raised:
        memory.create_collection("acme")
    memory.close()
    assert str(raised.value) == UNREACHABLE and pauses == [0.5, 1.0]


@pytest.mark.parametrize("status", [301, 400, 401, 403, 409, 422])
def test_a_refusal_is_not_tried_again(status):
    service = Service(ok(COLLECTION), (status, {"error": "no"}, {"Location": "http://elsewhere.example/"}))
    with remote(service) as memory, pytest.raises(MemoryServiceError) as raised:
        memory.add_resource("acme", "workItem:8", "Slow app", "Five seconds.")
    assert str(raised.value) == REFUSED and len(service.requests) == 2 and service.pauses == []


@pytest.mark.parametrize(("asked", "waited"), [("3", 3.0), ("3600", 10.0), ("-1", 0.5), ("soon", 0.5)])
def test_a_service_may_say_how_long_to_wait(asked, waited):
    service = Service((429, {}, {"Retry-After": asked}), ok(COLLECTION))
    with remote(service) as memory:
        memory.create_collection("acme")
    assert service.pauses == [waited]


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"not json",
        b"[" * 100_000,
        [],
        {},
        "text",
        None,
        {"results": None},
        {"results": {}},
        {"data": None},
        {"results": [1]},
        {"results": [{"score": 0.5}]},
        {"results": [{"resourceId": "", "score": 0.5}]},
        {"results": [{"resourceId": "workItem:1"}]},
        {"results": [{"resourceId": "workItem:1", "score": "0.5"}]},
        {"results": [{"resourceId": "workItem:1", "score": True}]},
        b'{"results": [{"resourceId": "workItem:1", "score": NaN}]}',
        b'{"results": [' + b" " * (5 * 1024 * 1024) + b"]}",
    ],
)
def test_results_that_are_none_are_an_error(answer):
    service = Service(ok(COLLECTION), ok(answer))
    with remote(service) as memory, pytest.raises(MemoryServiceError) as raised:
        memory.query("acme", "slow", 3)
    assert str(raised.value) == UNUSABLE


@pytest.mark.parametrize("answer", [b"<html>", {}, {"collectionId": None}, {"data": []}, {"id": True}])
def test_a_collection_that_is_none_is_an_error_and_is_not_remembered(answer):
    with remote(Service(ok(answer), ok(COLLECTION))) as memory:
        with pytest.raises(MemoryServiceError):
            memory.create_collection("acme")
        memory.create_collection("acme")


def test_a_text_kept_under_another_id_is_an_error():
    service = Service(ok(COLLECTION), ok({"resourceId": "r-17", "status": "indexed"}))
    with remote(service) as memory, pytest.raises(MemoryServiceError) as raised:
        memory.add_resource("acme", "workItem:8", "Slow app", "Five seconds.")
    assert str(raised.value) == UNUSABLE


def test_an_update_of_what_is_not_there_adds_it():
    service = Service(ok(COLLECTION), (404, {"error": "unknown"}, None), ok(INDEXED))
    with remote(service) as memory:
        memory.update_resource("acme", "workItem:8", "Slow app", "Five seconds.")
    assert [request[0] for request in service.requests] == ["POST", "PUT", "POST"]


def test_deleting_what_is_not_there_is_no_error():
    with remote(Service(ok(COLLECTION), (404, {}, None))) as memory:
        memory.delete_resource("acme", "workItem:8")


def test_a_collection_that_the_service_lost_is_made_again_once():
    missing = (404, {"error": "no such collection"}, None)
    service = Service(ok(COLLECTION), missing, ok({"collectionId": "c2"}), ok(INDEXED))
    with remote(service) as memory:
        memory.create_collection("acme")
        memory.add_resource("acme", "workItem:8", "Slow app", "Five seconds.")
    assert service.requests[-1][2]["collectionId"] == "c2"

    service = Service(ok(COLLECTION), missing, ok(COLLECTION), missing)
    with remote(service) as memory:
        memory.create_collection("acme")
        with pytest.raises(MemoryServiceError):
            memory.add_resource("acme", "workItem:8", "Slow app", "Five seconds.")
    assert len(service.requests) == 4


def test_ids_stay_within_their_path():
    service = Service(ok(COLLECTION), (204, {}, None))
    with remote(service) as memory:
        memory.delete_resource("acme", "../collection?x=1#y/é")
    assert service.requests[-1][1] == "/v1/resource/..%2Fcollection%3Fx%3D1%23y%2F%C3%A9"


def test_messages_hold_nothing_of_the_service_and_logs_no_key(caplog):
    caplog.set_level(logging.DEBUG, logger="bob")
    told = []
    echo = {"error": f"bad key {KEY} at http://internal.example"}
    for answer in [(401, echo, None), (500, echo, None), ok(echo), (200, None, "drop")]:
        with remote(Service(ok(COLLECTION), answer)) as memory, pytest.raises(MemoryServiceError) as raised:
            memory.query("acme", "a query of mine", 3)
        told.append(str(raised.value))
    for text in told:
        assert not any(each in text for each in ("401", "500", "http", "127.0.0.1", KEY, "bad key", "JSON"))
    assert "HTTP 401" in caplog.text and "HTTP 500" in caplog.text
    assert KEY not in caplog.text and "***" in caplog.text
    assert "a query of mine" not in caplog.text


def test_a_key_that_no_header_can_hold_is_a_wrong_setting():
    with pytest.raises(SettingsError):
        RemoteMemory("http://127.0.0.1:1", "line\nbreak", 1, 0.2, lambda _: None)
