"""The `Host` header is one of the server's own names exactly, or nobody is answered."""

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st
from served_memory import served
from small_memory import engine_over

from bob.http.guard import LOOPBACK, refusal

MALFORMED = [
    *("[::1]evil", "[::1]evil:80", "[::1].evil.example", "[::1", "::1]", "::1", "[[::1]]", "[::1]]", "[]"),
    *("[::1%25lo]", "[::1%lo]", "[v1.x]", "[127.0.0.1]x", "[::1]:", "[::1]:x", "[::1]:-1", "[::1]:+80"),
    *("localhost:", "localhost:0", "localhost:65536", "localhost:999999", "localhost:8 0", "localhost: 80"),
    *(
        "localhost:80:80",
        "localhost:80@evil",
        "localhost:80/",
        "localhost:80?",
        "localhost:80#",
        "localhost:٨",
    ),
    *(
        "localhost/",
        "localhost?x",
        "localhost#x",
        "localhost\\",
        "localhost;",
        "localhost,localhost",
        "localhost.",
    ),
    *(".localhost", "localhost..", "x.localhost", "localhost.evil.example", "evil.example", "user@localhost"),
    *(
        "evil.example@localhost",
        "localhost@evil.example",
        "local host",
        "loc\talhost",
        " localhost",
        "localhost ",
    ),
    *(
        "http://localhost",
        "//localhost",
        "localhost%00",
        "localhost%2eevil",
        "%6cocalhost",
        "ⓛocalhost",
        "ｌocalhost",
    ),
    *(
        "127.0.0.1.evil.example",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "127.0.0.1.",
        "0.0.0.0",
        "*",
        "",
    ),
]
"""None is what a client of this server sends, and some libraries read one of its names out of them."""


@pytest.mark.parametrize("host", MALFORMED)
def test_a_malformed_host_is_refused(host):
    assert refusal([host], []) is not None
    assert refusal([host], [], {"bob.example"}) is not None


@pytest.mark.parametrize("host", ["localhost", "LocalHost:80", "127.0.0.1:65535", "[::1]", "[::1]:8080"])
def test_the_names_of_this_machine_are_served(host):
    assert refusal([host], []) is None
    assert refusal([host, host], []) is not None
    assert refusal([], []) is not None


@given(
    st.sampled_from(["localhost", "127.0.0.1", "[::1]", "bob.example"]),
    st.text(st.characters(max_codepoint=255), max_size=6),
    st.text(st.characters(max_codepoint=255), max_size=6),
)
def test_only_a_port_may_stand_beside_a_name(name, before, after):
    answered = refusal([f"{before}{name}{after}"], [], {"bob.example"}) is None
    port = after[1:]
    plain = not after or (
        after[0] == ":" and port.isascii() and port.isdigit() and 0 < int(port) < 65_536 and len(port) < 6
    )
    assert answered == (not before and plain)


def test_the_server_itself_refuses_them(tmp_path):
    engine = engine_over(tmp_path / "bob.db")
    with served(engine) as server:
        name, _, port = server.address.removeprefix("http://").partition(":")

        def status(host):
            with socket.create_connection((name, int(port)), timeout=30) as client:
                client.sendall(b"GET /documents HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % host)
                return int(client.recv(100).split()[1])

        assert {status(each.encode()) for each in (*LOOPBACK - {"::1"}, "[::1]")} == {200}
        # White space around a value is no part of it (RFC 9110).
        sent = [each for each in MALFORMED if each.strip() == each]
        assert {each: status(each.encode()) for each in sent if status(each.encode()) not in (400, 403)} == {}
    engine.close()
