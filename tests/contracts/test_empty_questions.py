"""A question in SQL that asks for nothing is refused, on both engines."""

import httpx
import pytest
from served_memory import GARDEN, index, served
from small_memory import engine_over

from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.core.sql import SqlLimits


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
