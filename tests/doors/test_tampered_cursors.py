"""A cursor that no page gave is refused by every route that takes one, on both engines."""

import base64
import json

import httpx
import pytest
from every_route import described_routes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from served_memory import GARDEN, KITCHEN, index, served
from signed_tokens import AUDIENCE, ISSUER, SECRET, by_secret, claims
from small_memory import engine_over
from small_shop import RECORDS

from bob.http.params import write_cursor


def routes():
    """The routes that take a cursor, as the description of the server lists them."""
    return [
        path
        for path, operations in described_routes()["paths"].items()
        for given_ in operations.get("get", {}).get("parameters", ())
        if given_["name"] == "cursor"
    ]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def client(request, tmp_path_factory):
    """A server with more than one page of each list."""
    folder = tmp_path_factory.mktemp("cursors")
    address = folder / "bob.db"
    if request.param == "postgresql":
        address = request.getfixturevalue("postgres_server").new_database(folder / "cache")
    auth = {"jwt_secret": SECRET, "audience": AUDIENCE, "issuer": ISSUER, "requests_per_minute": 100_000}
    engine = engine_over(address, cache=str(folder / "cache"), auth=auth)
    index(engine, folder, garden=GARDEN, kitchen=KITCHEN, shop=RECORDS)
    token = {"Authorization": f"Bearer {by_secret(claims(role='admin', exp=2**33))}"}
    with served(engine) as server, httpx.Client(base_url=server.address, timeout=60, headers=token) as made:
        for question in ("When is the hedge cut?", "Where is the key?", "who sells shells?"):
            made.post("/ask", json={"question": question}).read()
            made.post("/chats", json={"project": "garden"})
            made.post("/memories", json={"text": f"My project codename answers: {question}"})
        yield made
    engine.close()
    if request.param == "postgresql":
        request.getfixturevalue("postgres_server").drop(address)


def encoded(text):
    return base64.urlsafe_b64encode(text.encode("utf-8", "surrogatepass")).decode().rstrip("=")


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["\0", "a\0b", "\ud800", "2025-01-31", "2025-13-41", "newest", "title", "path"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)

NEVER_GIVEN = [
    *(
        "[true]",
        "[false]",
        "[null]",
        "[]",
        "{}",
        "null",
        "true",
        "1",
        '"x"',
        "[1e3]",
        "[1.0]",
        "[ 1]",
        "[1 ]",
        "[01]",
    ),
    *(
        "[-1]",
        "[1e400]",
        "[NaN]",
        "[Infinity]",
        "[9223372036854775808]",
        '["\\u0000"]',
        '["\\ud800"]',
    ),
    *(
        "[true, true]",
        "[1.5, true]",
        "[true, 1]",
        "[null, true]",
        '["newest", null, true]',
        '["newest", "x", 1]',
    ),
    *(
        '["title", "\\u0000", 1]',
        '["path", "\\ud800", 1]',
        '["\\u0000"]',
        "[[1]]",
        '[{"a": 1}]',
        "[1, 1, 1, 1]",
        "[" * 900,
    ),
]


def refused_or_served(client, path, cursor):
    answer = client.get(path, params={"cursor": cursor})
    assert answer.status_code in (200, 400), (path, cursor, answer.status_code, answer.text)
    return answer


@pytest.mark.parametrize("path", routes())
def test_a_cursor_of_other_types_is_refused(client, path):
    first = client.get(path, params={"limit": 1}).json()
    given_ = first["next"]
    assert given_ is not None, path
    assert refused_or_served(client, path, given_).status_code == 200
    for text in NEVER_GIVEN:
        answer = refused_or_served(client, path, encoded(text))
        assert answer.status_code == 400, (path, text, answer.text)
    # The same values in other words, and with each value of another type.
    values = json.loads(base64.urlsafe_b64decode(given_ + "=" * (-len(given_) % 4)))
    others = [given_ + "=", given_ + "==", f" {given_}", given_ + "A", encoded(json.dumps(values, indent=1))]
    for at, value in enumerate(values):
        for other in (True, False, [], {}, [value], "\0", "\ud800", 1e400):
            others.append(encoded(json.dumps([*values[:at], other, *values[at + 1 :]])))
    for other in others:
        assert refused_or_served(client, path, other).status_code == 400, (path, other)


@pytest.mark.parametrize("path", routes())
def test_no_cursor_is_an_error_of_the_server(client, path):
    @settings(deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(VALUES, max_size=4) | VALUES)
    def tried(values):
        refused_or_served(client, path, encoded(json.dumps(values)))
        if isinstance(values, list):
            refused_or_served(client, path, write_cursor(*values))

    tried()
