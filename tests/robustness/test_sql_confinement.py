"""Nothing that is asked in SQL shows a row of another organization or changes one, with both walls, and with
either alone (SPEC K6)."""

import base64
import json
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import psycopg
import pytest
from small_memory import add_rows, engine_over, every_row, open_database
from sql_attacks import ATTACKS, ENDLESS, for_engine

from bob.core.errors import RequestError
from bob.core.sql import SqlLimits
from bob.work.execute_sql import ExecuteSql
from bob.work.sql_child import COPIES
from bob.work.sql_guard import guarded

MARKER = "zq7"
FORMS = [
    MARKER,
    MARKER[::-1],
    MARKER.encode().hex(),
    base64.b64encode(f"{MARKER}theirs".encode()).decode()[:8].lower(),
]
LIMITS = SqlLimits(rows=50, bytes=100_000, seconds=0.3)


def fill(database, org_id, mark, items):
    """Rows in every view, and in tables that no view shows, each with the mark where it may be shown."""
    hidden = f"{MARKER}hidden"
    rows = {
        "users": [{"user_id": f"{mark}-u{n}", "name": f"{mark} user {n}"} for n in range(2)],
        "categories": [{"category_id": n, "name": f"{mark} category {n}"} for n in range(2)],
        "work_items": [
            {
                "work_item_id": n,
                "title": f"{mark} title {n}",
                "description": f"{mark} text {n}",
                "category_id": n % 2,
                "status": f"{mark}",
                "assignee_id": f"{mark}-u1",
                "created_by": f"{mark}-u0",
                "updated_at": 1.7e9,
                "external_id": f"{hidden}-{n}",
            }
            for n in range(items)
        ],
        "custom_fields": [
            {"field_id": 1, "name": f"{mark} field", "field_type": "enum", "options": [hidden]}
        ],
        "custom_field_values": [
            {"work_item_id": n, "field_id": 1, "value": f"{mark} value"} for n in range(items)
        ],
        "work_item_events": [
            {
                "event_id": n,
                "work_item_id": n,
                "event_type": f"{mark}",
                "changes": {"title": [hidden, hidden]},
                "actor": f"{mark}-u0",
                "at": 1.7e9,
            }
            for n in range(items)
        ],
        "api_keys": [
            {
                "key_id": "k",
                "name": hidden,
                "secret_hash": hidden,
                "user_id": hidden,
                "role": "admin",
                "scopes": [],
            }
        ],
        "rag_searches": [{"search_id": 1, "user_id": "u", "query": hidden, "work_item_ids": [], "at": 1.0}],
    }
    with database.for_organization(org_id).write() as connection:
        for table, values in rows.items():
            common = (
                {"created_at": 1.7e9}
                if any(each.name == "created_at" for each in connection.tables()[table])
                else {}
            )
            add_rows(connection, table, *(common | each for each in values))


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def team(request, tmp_path_factory):
    """An engine of the organization that asks, in a database that it shares with another one."""
    folder = tmp_path_factory.mktemp("team")
    address = str(folder / "bob.db")
    if request.param == "postgresql":
        address = request.getfixturevalue("postgres_server").new_database(folder / "cache")
    database = open_database(address, "local", "other", cache_folder=folder / "cache")
    fill(database, "local", "mine", 7)
    fill(database, "other", f"{MARKER}theirs", 40)
    database.close()
    engine = engine_over(address, cache=str(folder / "cache"))
    yield engine
    engine.close()


@pytest.fixture
def reader(team):
    return team.team._sql_reader


ROLES = r"pg_roles WHERE rolname !~ '^(bob_reader_[0-9a-f]{12}|plain_owner)$'"
"""A server has one list of roles for all databases: those that tests beside this one make are left out."""


def everything(engine):
    """All rows of both organizations, and on a server what else may have been made or changed."""
    found = []
    for org_id in ("local", "other"):
        with engine.database.for_organization(org_id).read() as connection:
            found.append(every_row(connection))
            if engine.settings.on_server:
                for catalog in ("pg_class", "pg_proc", ROLES, "pg_namespace", "pg_largeobject_metadata"):
                    found.append(
                        connection.execute(f"SELECT oid, :org FROM {catalog} ORDER BY oid").fetchall()
                    )
    return found


def told(answer, attacks):
    """What is told for each attack: rows or the reason why there are none. Any other error is a failure."""

    def one(sql):
        try:
            found = answer(sql)
        except RequestError as error:
            return str(error)
        return json.dumps([found.columns, found.rows])

    with ThreadPoolExecutor(2) as threads:
        return dict(zip(attacks, threads.map(one, attacks), strict=True))


def leaks(answers):
    # What an attack says itself may come back to it.
    return {
        sql[:300]: text[:300]
        for sql, text in answers.items()
        for form in FORMS
        if form in text.lower().replace(sql.lower(), "") and form not in sql.lower()
    }


def test_both_walls_together_hold(team, reader):
    service = ExecuteSql(reader, LIMITS, time.perf_counter)
    service.execute_query("SELECT 1")
    before = everything(team)
    answers = told(service.execute_query, ATTACKS + ENDLESS)
    assert len(answers) > 300
    assert leaks(answers) == {}
    assert len([each for each in answers.values() if "mine title" in each]) > 5
    assert everything(team) == before


def test_the_database_holds_alone(team, reader):
    reader.answer("SELECT 1", LIMITS)
    before = everything(team)
    attacks = for_engine("postgresql" if team.settings.on_server else "sqlite", ATTACKS + ENDLESS)
    assert len(attacks) > 250
    answers = told(lambda sql: reader.answer(sql, LIMITS), attacks)
    assert leaks(answers) == {}
    assert len([each for each in answers.values() if "mine title" in each]) > 5
    assert everything(team) == before


def test_the_guard_holds_alone(team, reader):
    """What the guard lets pass does no harm even to the owner of the database, who may do everything."""
    connect = owner_of_postgresql if team.settings.on_server else owner_of_sqlite
    before = everything(team)
    with connect(team) as run:
        check_guard(run, reader.dialect, whole_table(team))
    assert everything(team) == before


def check_guard(run, dialect, whole_table):
    answers, passed = {}, 0
    for sql in ATTACKS:
        try:
            answers[sql] = json.dumps(run(guarded(sql, dialect, 50)), default=str)
            passed += 1
        except (RequestError, sqlite3.Error, psycopg.Error) as error:
            answers[sql] = str(error)
    assert 0 < passed < 60
    assert leaks(answers) == {}
    # The same connection without the guard: here an attack does get through.
    assert leaks({"-": json.dumps(run(f"SELECT * FROM {whole_table}"), default=str)})


def whole_table(team):
    return "public.work_items" if team.settings.on_server else "main.work_items"


@contextmanager
def owner_of_sqlite(team):
    connection = sqlite3.connect(team.database.path, isolation_level=None)
    for name, (origin, columns, _) in COPIES.items():
        chosen = ", ".join(f"{text} AS {column}" for column, text in columns.items())
        origin = origin.replace("source.", "main.")
        connection.execute(
            f"CREATE TEMP VIEW {name} AS SELECT {chosen} FROM {origin} WHERE t.org_id = 'local'"
        )

    def run(sql):
        until = time.monotonic() + LIMITS.seconds
        connection.set_progress_handler(lambda: time.monotonic() > until, 10_000)
        return connection.execute(sql).fetchall()

    with closing(connection):
        yield run


@contextmanager
def owner_of_postgresql(team):
    connection = psycopg.connect(team.settings.database, autocommit=True)
    connection.execute("SELECT provide_reader()")
    connection.execute("SELECT set_config('bob.ticket', sql_ticket('local', 600), false)")
    connection.execute("SET search_path = assistant")
    connection.execute("SET statement_timeout = '300ms'")

    def run(sql):
        # Row-level security is for the other organization where a statement leaves the views.
        own = "public." not in sql
        connection.execute(f"SET bob.org_id = '{'local' if own else 'other'}'")
        found = connection.execute(sql)
        return found.fetchall() if found.description else []

    with connection:
        yield run
