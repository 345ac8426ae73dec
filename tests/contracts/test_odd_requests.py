"""Requests that are none: a question without columns, a cursor that no page gave, a host that is none."""

import base64
import json

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from served_memory import GARDEN, index, served
from small_memory import engine_over

from bob.api import cursor
from bob.api.guard import refusal
from bob.domain.principal import Role
from bob.domain.sql import SqlLimits
from bob.errors import RequestError

VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
NESTED = VALUES | st.lists(VALUES, max_size=2) | st.dictionaries(st.text(max_size=3), VALUES, max_size=2)


def encoded(values):
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def home(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    path = folder / "bob.db"
    if request.param == "postgresql":
        path = request.getfixturevalue("postgres_server").new_database(folder)
    engine = engine_over(path)
    index(engine, folder, garden=GARDEN)
    key = engine.team.api_keys.create("test", "ana", Role.ADMIN, (), None).text
    headers = {"Authorization": f"Bearer {key}"}
    with served(engine) as made, httpx.Client(base_url=made.address, timeout=120, headers=headers) as client:
        client.post("/ask", json={"question": "When is the hedge cut?"})
        yield client, engine
    engine.close()


def paged_routes(client):
    document = client.get("/openapi.json").json()
    for path, operations in document["paths"].items():
        for each in operations.get("get", {}).get("parameters", []):
            if each["name"] == "cursor" and "{" not in path:
                yield path


HOSTILE = [
    [True],
    [False, 1],
    [1, True],
    [None],
    [[1]],
    [{}],
    [1e308, 1],
    [float("nan"), 1],
    [2**80],
    ["x", 2**80],
]


def test_no_route_takes_a_cursor_that_it_did_not_give(home):
    client, _ = home
    routes = list(paged_routes(client))
    assert len(routes) >= 5
    for path in routes:
        for values in HOSTILE:
            told = client.get(path, params={"cursor": encoded(values), "query": "hedge"})
            assert told.status_code == 400, (path, values, told.status_code, told.text[:200])


@given(st.lists(NESTED, max_size=3))
def test_a_cursor_holds_texts_and_numbers_alone(values):
    try:
        read = cursor.read(encoded(values), "cursor")
    except RequestError:
        return
    assert all(each is None or type(each) in (str, int, float) for each in read)


@pytest.mark.parametrize("sql", ["SELECT FROM work_items", "-- nothing", "/* nothing */", "", ";"])
def test_a_question_without_columns_is_refused(home, sql):
    client, _ = home
    told = client.post("/ai/execute-sql", json={"sql": sql})
    assert told.status_code in (400, 422), (told.status_code, told.text)


@pytest.mark.parametrize("sql", ["SELECT FROM work_items", "-- nothing"])
def test_the_database_alone_refuses_it_as_well(home, sql):
    _, engine = home
    with pytest.raises(RequestError):
        engine.team._sql_reader.answer(sql, SqlLimits())


HOSTS = """[::1]evil [::1]:80evil [::1 ::1 localhost: localhost:0 localhost:99999 localhost:1:2 evil@localhost
localhost/evil localhost?evil localhost#evil localhost\\evil localhost,evil 127.0.0.1.evil.example [localhost]
lo\u0430lhost localhost:\u0661 %6cocalhost"""


@pytest.mark.parametrize("host", [*HOSTS.split(), "", " localhost", "localhost evil", "127.0.0.1\tevil"])
def test_what_is_no_host_of_this_machine_is_refused(host):
    assert refusal([host], []) is not None


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]", "[::1]:65535"])
def test_a_host_of_this_machine_is_served(host):
    assert refusal([host], []) is None
