"""What a server of one's own does not do for other web sites, for slow clients, and twice."""

import json
import logging
import re
import socket
import threading
import time

import httpx
import pytest
import uvicorn
from prometheus_client.parser import text_string_to_metric_families
from served_memory import GARDEN, index, served
from served_team import until
from small_memory import engine_over

from bob.core.principal import Role
from bob.documents.uploads import safe_name
from bob.http.app import create_app
from bob.http.authenticate import Sessions
from bob.http.guard import browser_refusal, session_of
from bob.http.logs import JsonFormatter, TextFormatter
from bob.http.server import address_of, build_parts, listen, server_of
from bob.http.slow_clients import patient

QUESTION = {"question": "When is the hedge cut?"}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A server that asks nobody who they are, with one link for a browser."""
    folder = tmp_path_factory.mktemp("safety")
    engine = engine_over(folder / "bob.db", server={"max_request_mb": 1, "request_seconds": 1})
    index(engine, folder, garden=GARDEN)
    sessions = Sessions()
    build_parts(engine)
    listening = listen("127.0.0.1", 0)
    server = server_of(engine, sessions)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started:
        time.sleep(0.005)
    with httpx.Client(base_url=address_of(listening), timeout=30) as client:
        client.engine, client.sessions, client.place = engine, sessions, listening.getsockname()
        yield client
    server.should_exit = True
    thread.join()
    listening.close()
    engine.close()


def browser(site="same-origin", **more):
    return {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"} | more


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        browser("cross-site"),
        browser("same-site"),
        browser("cross-site", **{"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}),
        browser("cross-site", **{"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}),
    ],
    ids=str,
)
@pytest.mark.parametrize("path", ["/documents", "/search?query=hedge", "/openapi.json", "/health", "/"])
def test_other_sites_get_nothing(home, headers, path):
    for method in ("GET", "POST"):
        told = home.request(method, path, headers=headers)
        assert told.status_code == 403 and "hedge" not in told.text
        assert "access-control-allow-origin" not in told.headers


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "text/plain", "Text/Plain; charset=utf-8"]
)
@pytest.mark.parametrize("path", ["/ask", "/index", "/failures/retry", "/session/links", "/memories/forget"])
def test_a_form_is_no_request(home, path, kind):
    told = home.post(path, content=json.dumps(QUESTION), headers={"Content-Type": kind})
    assert (told.status_code, told.headers["content-type"]) == (415, "application/problem+json")


def test_a_page_that_changes_something_shows_that_it_is_ours(home):
    for headers in (browser(), {"Origin": str(home.base_url).rstrip("/")}, browser("none")):
        assert home.post("/ask", json=QUESTION, headers=headers).status_code == 403
        assert home.post("/ask", json=QUESTION, headers=headers | {"X-Bob-Page": "ui"}).status_code == 200
        assert home.get("/documents", headers=headers).status_code == 200
    preflight = home.options("/ask", headers=browser("cross-site") | {"Origin": "https://evil.example"})
    assert preflight.status_code == 403
    followed = browser("cross-site", **{"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"})
    assert home.get("/health", headers=followed).status_code == 200


@pytest.mark.parametrize("cookie", ["", "bob_session_9=x", "bob_session_8080=", "a=b; bob_session_8080=x=y"])
def test_cookies_are_those_of_this_port(cookie):
    headers = [(b"host", b"127.0.0.1:8080"), (b"cookie", cookie.encode())]
    assert session_of(headers) == ("x=y" if "x=y" in cookie else None)
    doubled = [(b"host", b"a:1"), (b"cookie", b"bob_session_1=x; bob_session_1=y")]
    assert session_of(doubled) is None
    assert browser_refusal("POST", [*doubled, (b"origin", b"http://a:1")]) is not None


def test_a_link_makes_one_session_and_a_key_another(home):
    link = f"/?token={home.sessions.new_link()}"
    first = home.get(link)
    cookie = first.headers["set-cookie"]
    assert (first.status_code, first.headers["location"]) == (303, "/")
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "Path=/" in cookie
    assert home.cookies
    assert home.post("/ask", json=QUESTION, headers=browser()).status_code == 200
    assert home.get(link).headers["location"] == "/"
    home.cookies.clear()
    assert home.get(link).status_code == 403 == home.get("/?token=x").status_code
    assert home.post("/ask", json=QUESTION, headers=browser()).status_code == 403


def test_where_keys_are_needed_a_session_is_worth_its_key(tmp_path):
    engine = engine_over(tmp_path / "bob.db")
    index(engine, tmp_path, garden=GARDEN)
    made = engine.team.api_keys.create("test", "ana", Role.READER, ["ask"], None)
    with served(engine) as server, httpx.Client(base_url=server.address, timeout=30) as client:
        assert client.get("/session").status_code == 401
        assert client.post("/session").status_code == 401
        logged_in = client.post("/session", headers={"Authorization": f"Bearer {made.text}"})
        expected = {"user": "ana", "organization": "local", "role": "reader", "scopes": ["ask"]}
        assert logged_in.json() == expected | {"at_home": False}
        assert client.get("/session").json()["user"] == "ana"
        assert client.get("/search?query=hedge").status_code == 200
        assert client.get("/documents").status_code == 403
        assert client.post("/index", json={"path": "/"}).status_code == 403
        assert client.get("/search?query=hedge", headers={"X-Api-Key": "wrong"}).status_code == 401
        assert client.get("/settings").status_code == 403 == client.get("/personas").status_code
        assert client.get("/metrics").status_code == 403
        engine.team.api_keys.revoke(made.key.key_id)
        assert client.get("/search?query=hedge").status_code == 401
        assert client.get("/health").status_code == 200 == client.get("/ready").status_code
    engine.close()


def test_only_the_user_of_this_machine_is_at_home(tmp_path):
    engine = engine_over(tmp_path / "bob.db")
    index(engine, tmp_path, garden=GARDEN)
    key = engine.team.api_keys.create("test", "me", Role.ADMIN, (), None).text
    sessions = Sessions()
    app = create_app(engine, sessions)
    headers = {"Authorization": f"Bearer {key}"}
    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, server_header=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    with httpx.Client(base_url=address_of(listening), timeout=30) as client:
        for method, path, body in (
            ("POST", "/index", {"path": str(tmp_path)}),
            ("POST", "/open", {"document_id": 1}),
            ("POST", "/eval/runs", {"golden": str(tmp_path / "x")}),
            ("GET", "/settings", None),
            ("GET", "/doctor", None),
        ):
            assert client.request(method, path, json=body, headers=headers).status_code == 403, path
        assert "path" not in client.get("/status", headers=headers).json()["database"]
        client.get(f"/?token={sessions.new_link()}")
        assert client.get("/session").json()["at_home"]
        assert client.get("/settings").status_code == 200
        assert client.get("/settings", headers={"X-Forwarded-For": "1.2.3.4"}).status_code == 401
    server.should_exit = True
    thread.join()
    listening.close()
    engine.close()


def test_every_answer_keeps_pages_of_others_away(home):
    for path in ("/health", "/documents", "/nothing", "/v1/models"):
        headers = home.get(path).headers
        policy = dict(each.strip().split(" ", 1) for each in headers["content-security-policy"].split(";"))
        assert policy["default-src"] == "'none'" and policy["script-src"] == "'self'"
        assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cache-control"] in ("no-store", "private, no-cache")
        assert "server" not in headers


def test_requests_have_ids(home):
    assert re.fullmatch("[0-9a-f]{16}", home.get("/health").headers["x-request-id"])
    assert home.get("/health", headers={"X-Request-ID": "mine-1"}).headers["x-request-id"] == "mine-1"
    told = home.get("/documents/999", headers={"X-Request-ID": "mine-2"})
    assert told.json()["request_id"] == "mine-2"
    for odd in ("two words", "x" * 65, "a\tb", "<b>"):
        assert home.get("/health", headers={"X-Request-ID": odd}).headers["x-request-id"] != odd


def requests_in(caplog):
    return [each for each in caplog.records if each.name == "bob.http.request_log"]


def test_the_log_has_no_content(home, caplog):
    with caplog.at_level(logging.INFO, "bob"):
        home.get("/search", params={"query": "privatewords"}, headers={"X-Request-ID": "id-7"})
        home.post("/ask", json={"question": "privatewords?"})
        home.get("/nothing/privatewords")
        # A line is written after its answer is sent: that of the test before may come in this one.
        until(lambda: any(each.status == 404 for each in requests_in(caplog)))
    records = [each for each in requests_in(caplog) if each.route != "/health"]
    assert [(each.route, each.status) for each in records] == [
        ("/search", 200),
        ("/ask", 200),
        ("(none)", 404),
    ]
    lines = [form.format(each) for each in caplog.records for form in (JsonFormatter(), TextFormatter())]
    assert not [each for each in lines if "privatewords" in each]
    first = json.loads(JsonFormatter().format(records[0]))
    assert first["method"] == "GET" and first["seconds"] >= 0 and first["level"] == "info"


def reads_of_documents(home):
    line = 'bob_request_seconds_count{route="/documents/{document_id}"} '
    lines = home.get("/metrics").text.splitlines()
    return sum(float(each.removeprefix(line)) for each in lines if each.startswith(line))


def test_counts_are_by_route_and_hold_no_content(home):
    before = reads_of_documents(home)
    home.get("/documents/1")
    home.get("/documents/2")
    until(lambda: reads_of_documents(home) == before + 2)
    text = home.get("/metrics").text
    line = next(each for each in text.splitlines() if 'route="/documents/{document_id}"' in each)
    assert line.startswith('bob_requests_total{method="GET"') and "bob_jobs_waiting 0" in text
    families = {each.name: each for each in text_string_to_metric_families(text)}
    assert {name: each.type for name, each in families.items()} == {
        "bob_requests": "counter",
        "bob_request_seconds": "histogram",
        **dict.fromkeys(("bob_jobs_waiting", "bob_jobs_running", "bob_jobs_failed"), "gauge"),
        **dict.fromkeys(("bob_streams_running", "bob_index_runs"), "gauge"),
    }
    route = {"route": "/documents/{document_id}"}
    durations = [
        each for each in families["bob_request_seconds"].samples if route.items() <= each.labels.items()
    ]
    buckets = [each.value for each in durations if each.name.endswith("_bucket")]
    assert buckets == sorted(buckets) and buckets[-1] == before + 2
    assert {each.name: each.value for each in durations}["bob_request_seconds_count"] == before + 2


def test_what_is_sent_twice_is_done_once(home):
    key = {"Idempotency-Key": "one"}
    first = home.post("/chats", json={}, headers=key)
    again = home.post("/chats", json={}, headers=key)
    assert first.status_code == again.status_code == 201 and first.json() == again.json()
    assert first.headers["location"] == again.headers["location"]
    assert first.headers["x-request-id"] != again.headers["x-request-id"]
    other = home.post("/chats", json={"project": "garden"}, headers=key)
    assert (other.status_code, other.json()["field"]) == (422, "Idempotency-Key")
    assert home.post("/ask", json=QUESTION, headers=key).status_code == 200
    assert home.post("/chats", json={}, headers={"Idempotency-Key": "two"}).json() != first.json()
    assert home.post("/chats", json={}, headers={"Idempotency-Key": "x" * 256}).status_code == 400
    stream = {"Idempotency-Key": "three"}
    told = [home.post("/ask/stream", json=QUESTION, headers=stream) for _ in range(2)]
    assert told[0].text == told[1].text and told[0].headers["x-bob-stream"] == told[1].headers["x-bob-stream"]


def test_requests_that_are_too_long_or_too_slow_are_refused(home):
    large = home.post("/ask", json={"question": "x" * 2_000_000})
    assert large.status_code == 413 and large.json()["request_id"]
    head = f"POST /ask HTTP/1.1\r\nHost: 127.0.0.1:{home.place[1]}\r\nContent-Type: application/json\r\n"
    with socket.create_connection(home.place, timeout=20) as slow:
        slow.sendall(f"{head}Content-Length: 100\r\n\r\n".encode())
        told = b""
        for _ in range(100):
            slow.sendall(b" ")
            slow.settimeout(0.1)
            try:
                told = slow.recv(4096)
                break
            except TimeoutError:
                continue
        assert told.startswith(b"HTTP/1.1 408 ")
    assert home.get("/health").status_code == 200


def test_headers_that_trickle_end_the_connection():
    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(
        uvicorn.Config(app, http=patient(0.3), log_level="warning", lifespan="off", timeout_keep_alive=60)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    place = listening.getsockname()
    whole = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    try:
        for before in (b"", b"GET / HT", whole, whole + b"GET /"):
            with socket.create_connection(place, timeout=20) as client:
                client.sendall(before)
                if before.startswith(whole):
                    assert client.recv(4096).startswith(b"HTTP/1.1 204")
                    # Between two requests it may wait; within the second one not for ever.
                    client.sendall(b"" if before != whole else b"G")
                assert client.recv(4096) == b"", before
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/documents/../../etc/passwd", 404),
        ("/documents/%2e%2e%2f%2e%2e%2fetc%2fpasswd", 404),
        ("/documents/1/source?path=/etc/passwd", 200),
        ("/documents/1%00", 400),
        ("/documents/-1", 400),
        ("/documents/99999999999999999999", 400),
        ("/ui/../../../etc/passwd", 404),
        ("/ui/%2e%2e/%2e%2e/etc/passwd", 404),
        ("//etc/passwd", 404),
    ],
)
def test_no_path_leads_out(home, path, status):
    with socket.create_connection(home.place, timeout=20) as client:
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{home.place[1]}\r\nConnection: close\r\n\r\n"
        client.sendall(head.encode())
        told = b"".join(iter(lambda: client.recv(65536), b""))
    assert told.startswith(f"HTTP/1.1 {status} ".encode()) and b"root:" not in told


@pytest.mark.parametrize("name", ["con.md", "NUL", "lpt1.txt"])
def test_names_of_devices_are_not_used(name):
    assert safe_name(name).split(".")[0].endswith("_")


def test_nothing_is_shown_to_another_organization_or_user(tmp_path):
    engine = engine_over(tmp_path / "bob.db")
    index(engine, tmp_path, garden=GARDEN)
    other = engine.for_organization("other")
    keys = {
        "ana": engine.team.api_keys.create("a", "ana", Role.MEMBER, (), None).text,
        "ben": engine.team.api_keys.create("b", "ben", Role.MEMBER, (), None).text,
        "eve": other.team.api_keys.create("e", "eve", Role.ADMIN, (), None).text,
    }
    with served(engine) as server, httpx.Client(base_url=server.address, timeout=30) as client:

        def ask(who, method, path, body=None):
            return client.request(method, path, json=body, headers={"X-Api-Key": keys[who]})

        answer = ask("ana", "POST", "/ask", QUESTION).json()
        told = ask("ana", "POST", "/ask/stream", QUESTION)
        chat = ask("ana", "POST", "/chats", {"project": "garden"}).json()["chat_id"]
        ask(
            "ana",
            "POST",
            f"/chats/{chat}/messages",
            {"text": "We decided that our project keeps the shed locked."},
        )
        engine.conversations.remember.process_messages()
        (memory,) = ask("ana", "GET", "/memories").json()["memories"]
        run = ask("ana", "POST", "/index", {"project": "garden"}).json()["run"]
        stream = f"/streams/{told.headers['x-bob-stream']}"
        mine = [stream, f"/chats/{chat}", f"/memories/{memory['memory_id']}"]
        ours = ["/documents/1", "/documents/1/source", f"/index/runs/{run}", f"/index/runs/{run}/events"]
        for path in (*mine, *ours):
            assert ask("ana", "GET", path).status_code == 200, path
            assert ask("eve", "GET", path).status_code == 404, path
            assert ask("ben", "GET", path).status_code == (404 if path in mine else 200), path
        for who in ("ben", "eve"):
            said = {"text": "Hello"}
            assert ask(who, "POST", f"/chats/{chat}/messages", said).status_code == 404
            assert ask(who, "DELETE", f"/chats/{chat}?yes=true").status_code == 404
            assert ask(who, "PATCH", f"/memories/{memory['memory_id']}", {"importance": 1}).status_code == 404
            forgotten = {"memory_ids": [memory["memory_id"]], "yes": True}
            assert ask(who, "POST", "/memories/forget", forgotten).status_code == 404
            assert ask(who, "DELETE", stream).status_code == 404
            assert ask(who, "GET", "/memories").json()["memories"] == []
            assert ask(who, "GET", "/chats/search?query=shed").json()["messages"] == []
        assert ask("eve", "GET", f"/answers/{answer['answer_id']}").status_code == 404
        assert (
            ask("eve", "POST", f"/answers/{answer['answer_id']}/feedback", {"verdict": "helpful"}).status_code
            == 404
        )
        assert ask("ben", "GET", f"/answers/{answer['answer_id']}").status_code == 403
        assert ask("eve", "GET", "/search?query=hedge").json()["hits"] == []
        assert ask("eve", "GET", "/projects").json() == {"projects": []}
        assert ask("eve", "GET", "/index/runs").json() == {"runs": []}
        assert ask("eve", "POST", "/index", {"project": "garden"}).status_code == 404
    engine.close()
