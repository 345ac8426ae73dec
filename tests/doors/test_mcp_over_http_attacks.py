"""What the server of `bob mcp --http` is sent by who has no token, and by who has one and means no good."""

import json
from datetime import datetime
from itertools import pairwise

import httpx
import pytest
from served_app import connected, rest_of, serving
from small_memory import bob_in, engine_over, write_files

from bob.http.guard import Guard
from bob.mcp.calls import Calls
from bob.mcp.permissions import permissions_of
from bob.mcp.server import PATH, http_app
from bob.mcp.tool import ToolContext

TOKEN, OTHER_TOKEN = "a-token-of-this-test", "another-token-of-this-test"
BOTH = "application/json, text/event-stream"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
SHED = "# Shed\n\nThe key to the tool shed hangs behind the blue door.\n"


class Endpoint:
    """A server of `bob mcp --http` as who has its token speaks to it."""

    def __init__(self, address, token, process=None):
        self.address, self.token, self.process = address, token, process
        self.http = httpx.Client(headers={"accept": BOTH, "authorization": f"Bearer {token}"}, timeout=60)

    def send(self, message=LIST, session=None, method="POST", **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if session is not None:
            named["mcp-session-id"] = session
        body = {"content": message} if isinstance(message, bytes) else {"json": message}
        if isinstance(message, bytes) and "content-type" not in named:
            named["content-type"] = "application/json"
        return self.http.request(
            method, self.address, headers=named, **(body if method in ("POST", "PUT") else {})
        )

    def begin(self):
        """The id of a new session."""
        begun = self.send(INITIALIZE)
        assert begun.status_code == 200, begun.text
        return begun.headers["mcp-session-id"]

    def works(self, session):
        told = self.send(session=session)
        return told.status_code == 200 and '"tools"' in told.text


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    """Two real processes: the same organization's database, and another's; each has its own token."""
    made = []
    for name, token in (("ours", TOKEN), ("theirs", OTHER_TOKEN)):
        bob = bob_in(tmp_path_factory.mktemp(name) / "home")
        bob.environment |= {"BOB_MCP__TOKEN": token, "BOB_ORGANIZATION": name}
        bob.environment |= {"BOB_SERVER__REQUEST_SECONDS": "1", "BOB_SERVER__MAX_REQUEST_MB": "1"}
        if name == "ours":
            assert bob("index", write_files(bob.home / "notes", {"shed.md": SHED})).returncode == 0
        process = bob.start("mcp", "--http", "--port", "0")
        made.append(Endpoint(process.stdout.readline().split()[3].rstrip("."), token, process))
    yield made
    for each in made:
        each.http.close()
        each.process.terminate()
        _, errors = each.process.communicate(timeout=60)
        assert each.process.returncode == 0 and "Traceback" not in errors, errors
        assert TOKEN not in errors and OTHER_TOKEN not in errors


@pytest.fixture
def ours(servers):
    yield servers[0]
    assert servers[0].works(servers[0].begin()), "it serves on"


@pytest.fixture(scope="module")
def session(servers):
    return servers[0].begin()


SITES = [
    *("evil.example", "evil.example:PORT", "127.0.0.1.evil.example:PORT", "localhost.evil.example"),
    *("[::1]evil", "0.0.0.0:PORT", "127.1:PORT", "2130706433:PORT", "user@localhost:PORT", "", "*"),
    *("localhost:PORT, evil.example", "evil.example#localhost", "LOCALHOST.:PORT", "[::ffff:127.0.0.1]:PORT"),
]
ORIGINS = [
    *("https://evil.example", "http://evil.example:PORT", "null", "file://", "http://localhost:1"),
    *("https://127.0.0.1:PORT", "http://localhost:PORT", "http://127.0.0.1:PORT.evil.example"),
    *(
        "http://127.0.0.1",
        "chrome-extension://abcdef",
        "http://127.0.0.1:PORT@evil.example",
        "http://[::1]:PORT",
    ),
]
"""The server was reached as 127.0.0.1:PORT, so its other names are other origins."""


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "OPTIONS"])
def test_a_name_or_origin_of_another_site_is_refused_whoever_asks(ours, session, method):
    """DNS rebinding: the browser reaches this machine by another's name. The token does not help."""
    port = httpx.URL(ours.address).port
    refused = [("host", each) for each in SITES] + [("origin", each) for each in ORIGINS]
    for name, value in refused:
        headers = {name: value.replace("PORT", str(port))}
        for token in (ours.token, "wrong-token-of-this-test"):
            told = ours.send(method=method, session=session, authorization=f"Bearer {token}", **headers)
            assert told.status_code in (400, 403), (name, value)
            assert "tools" not in told.text and "mcp-session-id" not in told.headers
            assert "access-control-allow-origin" not in told.headers
    assert ours.works(session)


@pytest.mark.parametrize("site", ["cross-site", "same-site", "odd"])
@pytest.mark.parametrize("kind", ["application/json", "text/plain", "application/x-www-form-urlencoded"])
def test_a_page_of_another_site_begins_no_session(ours, site, kind):
    headers = {"sec_fetch_site": site, "sec_fetch_mode": "cors", "content_type": kind}
    assert ours.send(INITIALIZE, **headers).status_code == 403
    # A page that is followed here by a link may come in, and has no token.
    followed = {"sec_fetch_site": site, "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    assert (
        httpx.get(ours.address, headers={k.replace("_", "-"): v for k, v in followed.items()}).status_code
        == 401
    )


WRONG = [
    *([], [("Authorization", "")], [("Authorization", "Bearer")]),
    *(
        [("Authorization", TOKEN)],
        [("Authorization", f"Basic {TOKEN}")],
        [("Authorization", f"Token {TOKEN}")],
    ),
    *([("Authorization", f"Bearer {TOKEN[:-1]}")], [("Authorization", f"Bearer {TOKEN}x")]),
    *([("Authorization", f"Bearer {TOKEN.upper()}")], [("Authorization", f"Bearer {TOKEN[::-1]}")]),
    *([("Authorization", f"Bearer {TOKEN}, Bearer {TOKEN}")], [("Authorization", f"Bearer {OTHER_TOKEN}")]),
    [("Authorization", f"Bearer {TOKEN}"), ("Authorization", "Bearer wrong")],
    [("Authorization", "Bearer wrong"), ("Authorization", f"Bearer {TOKEN}")],
    [("Authorization", f"Bearer {TOKEN}"), ("Authorization", f"Bearer {TOKEN}")],
    [("Proxy-Authorization", f"Bearer {TOKEN}")],
    [("X-Api-Key", TOKEN)],
    [("Cookie", f"Authorization=Bearer {TOKEN}; token={TOKEN}")],
    [("Authorization", b"Bearer \xff\xfe\x80")],
    [("Authorization", "Bearer " + "a" * 30_000)],
]


@pytest.mark.parametrize("headers", WRONG, ids=range(len(WRONG)))
def test_each_request_has_to_carry_the_token_whatever_session_it_names(ours, session, headers):
    """A session is no credential: who knows its id has nothing."""
    seen = set()
    for more in ([], [("mcp-session-id", session)], [("mcp-session-id", "0" * 32)]):
        for method, body in (
            ("POST", LIST),
            ("POST", INITIALIZE),
            ("GET", None),
            ("DELETE", None),
            ("PUT", {}),
        ):
            for address in (ours.address, f"{ours.address}?token={TOKEN}", f"{ours.address}/x"):
                told = httpx.request(
                    method, address, json=body, headers=[("Accept", BOTH), *headers, *more], timeout=60
                )
                seen.add((told.status_code, told.headers["www-authenticate"], told.text))
    # It tells neither whether there is such a session, nor whether there is such a path.
    assert len(seen) == 1 and seen.pop()[0] == 401
    assert ours.works(session)


def test_sessions_are_not_guessed_fixed_or_carried_over(servers, session):
    ours, theirs = servers
    ids = {ours.begin() for _ in range(50)}
    assert len(ids) == 50 and all(len(each) == 32 and int(each, 16) for each in ids)
    # Long enough that no two share more than chance gives them, so that none is the next one.
    numbers = sorted(int(each, 16) for each in ids)
    assert min(b - a for a, b in pairwise(numbers)) > 2**64
    near = int(session, 16)
    guesses = [f"{near + 1:032x}", f"{near - 1:032x}", session.upper(), session[:-1], session + "0"]
    guesses += [
        "0" * 32,
        "1",
        "../" + session,
        f"{session}, {session}",
        "null",
        "*",
        "%00",
        "' OR 1=1 --",
        "x" * 9000,
    ]
    assert session.upper() != session
    for guess in guesses:
        for method in ("POST", "GET", "DELETE"):
            assert ours.send(session=guess, method=method).status_code == 404, guess
    # An id of the client's own choice begins nothing, neither does one of another server.
    for chosen in ("f" * 32, "mine", theirs.begin()):
        assert ours.send(INITIALIZE, session=chosen).status_code == 404
        assert not ours.works(chosen)
    # Another organization's server knows none of these, with its own token or with ours.
    for token, status in ((OTHER_TOKEN, 404), (TOKEN, 401)):
        for method in ("POST", "GET", "DELETE"):
            told = theirs.send(session=session, method=method, authorization=f"Bearer {token}")
            assert told.status_code == status and "shed" not in told.text
    for name in ("cookie", "last_event_id"):
        assert ours.send(method="GET", **{name: f"mcp-session-id={session}"}).status_code == 400
    assert ours.works(session)


def test_a_session_that_ended_is_gone(ours):
    session, other = ours.begin(), ours.begin()
    assert ours.send(method="DELETE", session=session).status_code == 200
    for method in ("POST", "GET", "DELETE"):
        assert ours.send(session=session, method=method).status_code == 404
    assert ours.send(INITIALIZE, session=session).status_code == 404
    assert ours.works(other)


def test_a_token_that_was_changed_ends_its_sessions(tmp_path):
    """The only way to take a token back: a server that starts again, with another one."""
    bob = bob_in(tmp_path / "home")
    kept = None
    for token in (TOKEN, OTHER_TOKEN, None):
        environment = {"BOB_MCP__TOKEN": token} if token else {}
        process = bob.start("mcp", "--http", "--port", "0", **environment)
        try:
            address = process.stdout.readline().split()[3].rstrip(".")
            given = token or process.stdout.readline().split()[-1]
            ours = Endpoint(address, given)
            for old in {TOKEN, OTHER_TOKEN} - {given}:
                assert ours.send(session=kept, authorization=f"Bearer {old}").status_code == 401
            if kept is not None:
                assert ours.send(session=kept).status_code == 404
            kept = ours.begin()
            assert ours.works(kept) and len(given) >= 16
            ours.http.close()
        finally:
            process.terminate()
            process.communicate(timeout=60)


@pytest.mark.parametrize(
    ("body", "statuses"),
    [
        (b"", {400}),
        (b"{", {400}),
        (b"null", {400}),
        (b"[]", {400}),
        (b"5", {400}),
        (b'"tools/list"', {400}),
        (b"\xff\xfe\x00", {400}),
        (b"\x1f\x8b\x08", {400}),
        (b"[" * 200_000, {400}),
        (b'{"a":' * 100_000, {400}),
        (json.dumps([LIST, LIST]).encode(), {400}),
        (json.dumps([LIST] * 5_000).encode(), {400}),
        (json.dumps([INITIALIZE]).encode(), {400}),
        (json.dumps({**LIST, "jsonrpc": "1.0"}).encode(), {400}),
        (json.dumps({**LIST, "method": 5}).encode(), {400}),
        (json.dumps({**LIST, "params": [1]}).encode(), {400}),
        (json.dumps({**LIST, "params": "x"}).encode(), {400}),
        (b'{"jsonrpc":"2.0","id":2,"method":"tools/list","id":NaN}', {400, 202}),
        (json.dumps({**LIST, "a": "x" * 1_200_000}).encode(), {413}),
        (b" " * 2_000_000, {413}),
    ],
    ids=lambda each: repr(each[:24]) if isinstance(each, bytes) else "",
)
def test_a_body_that_is_no_message_is_refused(ours, session, body, statuses):
    for named in (session, None):
        told = ours.send(body, session=named)
        assert told.status_code in statuses and "Traceback" not in told.text and "bob/" not in told.text
        assert '"result"' not in told.text


@pytest.mark.parametrize(
    "kind", [None, "", "text/html", "text/plain", "application/xml", "application/jsonx"]
)
def test_what_is_not_sent_as_json_is_refused(ours, session, kind):
    content = {} if kind is None else {"content-type": kind}
    headers = {"accept": BOTH, "authorization": f"Bearer {TOKEN}", "mcp-session-id": session} | content
    told = httpx.post(ours.address, content=json.dumps(LIST).encode(), headers=headers, timeout=60)
    assert told.status_code in (400, 415) and "tools" not in told.text


@pytest.mark.parametrize(
    "accept", ["text/html", "application/json", "text/event-stream;q=0.x", "image/*", "x" * 5_000, ",,;;"]
)
def test_who_cannot_read_the_answer_is_told_so(ours, session, accept):
    told = ours.send(session=session, accept=accept)
    assert told.status_code == 406 and '"tools"' not in told.text


@pytest.mark.parametrize("method", ["PUT", "PATCH", "HEAD", "TRACE", "OPTIONS", "FOO"])
def test_other_methods_do_nothing(ours, session, method):
    assert ours.send(method=method, session=session).status_code == 405
    assert ours.works(session)


def result_of(told):
    """The result or error in the one event of an answer."""
    (line,) = [each[6:] for each in told.text.splitlines() if each.startswith("data: {")]
    answer = json.loads(line)
    return answer.get("result"), answer.get("error")


ODD = [
    *(
        None,
        True,
        5,
        -1,
        1.5,
        10**30,
        1e300,
        [],
        {},
        ["a"],
        {"a": 1},
        [[]],
        "",
        " ",
        "\0",
        "a\0b",
        "x" * 3_000,
    ),
    *("\u202e", "../../etc/passwd", "' OR 1=1 --", "{{7*7}}", "$(id)", "<script>", {"__proto__": {"a": 1}}),
]
WELL = {
    "search": ("query", {}),
    "ask": ("question", {}),
    "fetch": ("id", {}),
    "read_note": ("path", {}),
    "list_projects": ("project", {}),
    "index_status": ("project", {}),
    "recall": ("query", {}),
    "remember": ("text", {}),
    "search limit": ("limit", {"query": "shed"}),
    "search project": ("project", {"query": "shed"}),
    "fetch start": ("start", {"id": "1"}),
    "no_such_tool": ("query", {}),
    "__init__": ("self", {}),
}


@pytest.mark.parametrize("case", WELL)
def test_an_argument_of_an_odd_type_is_answered_and_breaks_nothing(ours, session, case):
    argument, more = WELL[case]
    for value in ODD:
        if case == "remember" and isinstance(value, str) and value.strip("\0 "):
            continue  # a text, which may be remembered
        for number in ("one", 2):
            asked = {"name": case.split()[0], "arguments": more | {argument: value}}
            told = ours.send({**LIST, "id": number, "method": "tools/call", "params": asked}, session=session)
            assert told.status_code == 200, value
            result, error = result_of(told)
            text = json.dumps(result or error)
            assert "internal error" not in text and "Traceback" not in text, (value, text)
            assert "root:" not in text
    for arguments in ([], "x", 5, [{"query": "x"}]):
        asked = {"name": case.split()[0], "arguments": arguments}
        _, error = result_of(ours.send({**LIST, "method": "tools/call", "params": asked}, session=session))
        assert error["code"] == -32602


@pytest.mark.parametrize(
    ("method", "params"),
    [
        *[("tools/call", each) for each in ({}, {"name": 5}, {"name": None}, {"name": ["search"]})],
        *[("resources/read", {"uri": each}) for each in ("file:///etc/passwd", "bob://document/-1", "", 5)],
        *[
            ("resources/read", {"uri": f"bob://document/{each}"})
            for each in ("../1", "1/../2", "x", "9" * 40, "1e3")
        ],
        *[
            ("resources/list", {"cursor": each})
            for each in ("-1", "x", "9" * 40, 5, ["a"], "1; DROP TABLE x")
        ],
        *[
            (each, {})
            for each in ("rpc.discover", "resources/subscribe", "logging/setLevel", "roots/list", "")
        ],
        (
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}},
        ),
        ("sampling/createMessage", {"messages": [], "maxTokens": 1}),
    ],
)
def test_other_calls_are_errors_that_tell_nothing(ours, session, method, params):
    told = ours.send({**LIST, "method": method, "params": params}, session=session)
    result, error = result_of(told)
    assert result is None or result.get("isError"), result
    assert "root:" not in told.text and "Traceback" not in told.text and str(ours.process.pid) != error


def test_a_number_that_is_used_twice_at_once_answers_no_other_session(ours):
    """Numbers of requests are each client's own: two that use the same one get their own answers."""
    first, second = ours.begin(), ours.begin()
    asked = {**LIST, "id": 7, "method": "tools/call"}
    for _ in range(10):
        told = [
            ours.send({**asked, "params": {"name": name, "arguments": {}}}, session=each)
            for each, name in ((first, "list_projects"), (second, "index_status"))
        ]
        found = [result_of(each)[0]["structuredContent"] for each in told]
        assert "projects" in found[0] and "projects" not in found[1]
    # An answer that nobody asked for is taken, and dropped.
    for each in (
        {"jsonrpc": "2.0", "id": 7, "result": {}},
        {"jsonrpc": "2.0", "id": 99, "error": {"code": 1, "message": "x"}},
    ):
        assert ours.send(each, session=first).status_code == 202
    assert ours.works(first) and ours.works(second)


def test_a_body_that_does_not_come_ends(ours, session):
    """The time that a body may take is a setting; one that never ends begins no session."""
    head = f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:1\r\nAuthorization: Bearer {TOKEN}\r\nAccept: {BOTH}\r\n"
    head += "Content-Type: application/json\r\n"
    for text in (
        f"{head}Content-Length: 100\r\n\r\n{{",
        f"{head}Mcp-Session-Id: {session}\r\nContent-Length: 100\r\n\r\n",
        f"{head}Transfer-Encoding: chunked\r\n\r\n1\r\n{{\r\n",
        f"{head}Mcp-Protocol-Version: 2026-07-28\r\nContent-Length: 100\r\n\r\n",
    ):
        assert rest_of(connected(ours.address, text.encode())).startswith(b"HTTP/1.1 408 ")
    endless = f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    with connected(ours.address, endless) as sent:
        sent.sendall((b"10000\r\n" + b" " * 0x10000 + b"\r\n") * 17)
        assert sent.recv(100).startswith(b"HTTP/1.1 413 ")


def calls_of(tmp_path):
    engine = engine_over(tmp_path / "bob.db")
    calls = Calls(ToolContext(engine, permissions_of(engine.settings), lambda: datetime.now().astimezone()))
    return engine, calls


def test_sessions_that_are_never_closed_are_bounded(tmp_path):
    engine, calls = calls_of(tmp_path)
    with serving(Guard(http_app(calls, TOKEN, most_sessions=3), 1_000_000, ())) as address:
        ours = Endpoint(f"{address}{PATH}", TOKEN)
        # Attempts that fail keep no place.
        for _ in range(20):
            assert ours.send().status_code == 400
            assert ours.send(b"{").status_code == 400
            assert ours.send(INITIALIZE, accept="text/html").status_code == 406
            assert ours.send(INITIALIZE, authorization="Bearer wrong").status_code == 401
        opened = [ours.begin() for _ in range(3)]
        for _ in range(20):
            told = ours.send(INITIALIZE)
            assert told.status_code == 503 and "mcp-session-id" not in told.headers
        # Those that are open work on, and one that ends makes room for one.
        assert all(ours.works(each) for each in opened)
        assert ours.send(method="DELETE", session=opened[0]).status_code == 200
        opened[0] = ours.begin()
        assert ours.send(INITIALIZE).status_code == 503
        ours.http.close()
    engine.close()


def test_one_session_has_one_stream_and_many_are_let_go(tmp_path):
    engine, calls = calls_of(tmp_path)
    head = f"GET {PATH} HTTP/1.1\r\nHost: 127.0.0.1:1\r\nAuthorization: Bearer {TOKEN}\r\n"
    with serving(Guard(http_app(calls, TOKEN, most_sessions=200), 1_000_000, ())) as address:
        ours = Endpoint(f"{address}{PATH}", TOKEN)
        sessions = [ours.begin() for _ in range(150)]
        streams = [
            connected(address, f"{head}Accept: text/event-stream\r\nMcp-Session-Id: {each}\r\n\r\n".encode())
            for each in sessions
        ]
        assert all(each.recv(12) == b"HTTP/1.1 200" for each in streams)
        assert ours.send(method="GET", session=sessions[0]).status_code == 409
        assert all(ours.works(each) for each in sessions[:5])
        for each in sessions:
            assert ours.send(method="DELETE", session=each).status_code == 200
        # A stream ends with its session.
        assert {rest_of(each)[-5:] for each in streams} == {b"0\r\n\r\n"}
        ours.http.close()
    engine.close()
