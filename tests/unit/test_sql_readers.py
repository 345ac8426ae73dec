"""What holds each reader together, taken one by one."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import psycopg
import pytest
from served_team import until
from small_memory import open_database

from bob.core.errors import RequestError, StoreError
from bob.core.sql import SqlLimits
from bob.work import sql_child
from bob.work.sql_reader_postgres import PostgresReader
from bob.work.sql_reader_sqlite import SqliteReader

LIMITS = SqlLimits(seconds=1)


@pytest.fixture
def server(postgres_server, tmp_path):
    address = postgres_server.new_database(tmp_path)
    database = open_database(address, "local", "other", cache_folder=tmp_path)
    add_users(database)
    yield database, address
    database.close()


def add_users(database):
    for org_id in ("local", "other"):
        with database.for_organization(org_id).write() as connection:
            row = {"user_id": "u", "name": f"user of {org_id}", "created_at": 1.0}
            connection.insert("users", row)


def as_reader(database, address):
    """A connection of the role that questions run as, with a ticket for `local`."""
    reader = PostgresReader(database, address)
    reader.answer("SELECT 1", LIMITS)
    role, password, ticket = reader._entry(LIMITS)
    return psycopg.connect(address, user=role, password=password, autocommit=True), ticket


def names(connection, ticket, org_id="local"):
    connection.execute(
        "SELECT set_config('bob.ticket', %s, false), set_config('bob.org_id', %s, false)", (ticket, org_id)
    )
    return [row[0] for row in connection.execute("SELECT name FROM assistant.users")]


def test_only_a_ticket_of_the_database_opens_its_views(server):
    connection, ticket = as_reader(*server)
    organization, expiry, seal = ticket.split(":")
    with connection:
        assert names(connection, ticket) == ["user of local"]
        assert names(connection, ticket, "other") == []
        forged = [
            "",
            "other",
            "other::",
            f"other:{expiry}:{seal}",
            f"{organization}:{int(expiry) + 1}:{seal}",
            f"{organization}:{expiry}:{seal[:-1]}",
            f"{organization}:{expiry}:{seal[:-1]}{'0' if seal[-1] != '0' else '1'}",
            f"{organization}:{expiry}:",
            f"{organization}:nonsense:{seal}",
            f"other:{ticket}",
        ]
        for each in forged:
            assert names(connection, each, "other") == [] == names(connection, each), each


def test_a_ticket_expires(server):
    database, address = server
    connection, _ = as_reader(database, address)
    with database.read() as own:
        (late,) = own.execute("SELECT sql_ticket(:org, -1)").fetchone()
    with connection:
        assert names(connection, late) == []


def test_a_ticket_of_another_database_is_worth_nothing(server, postgres_server, tmp_path):
    database, address = server
    connection, ticket = as_reader(database, address)
    postgres_server.execute("UPDATE sql_reader SET outer_key = sha256('x')", url=address)
    with connection:
        assert names(connection, ticket) == []


def test_the_role_may_read_one_schema_and_nothing_else(server):
    connection, ticket = as_reader(*server)
    with connection:
        names(connection, ticket)
        memberships = "SELECT count(*) FROM pg_auth_members WHERE member = current_user::regrole"
        assert connection.execute(memberships).fetchone() == (0,)
        readable = connection.execute(
            "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')"
            " AND c.relkind IN ('r', 'v', 'm', 'p', 'f') AND (has_table_privilege(c.oid, 'SELECT')"
            " OR has_any_column_privilege(c.oid, 'SELECT'))"
        )
        assert {row[0].removeprefix("assistant.") for row in readable} == set(sql_child.COPIES)
        writable = connection.execute(
            "SELECT oid::regclass::text FROM pg_class"
            " WHERE has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE')"
        )
        # The server's settings as a view: what SET may change, and for this connection alone.
        assert writable.fetchall() == [("pg_settings",)]
        for refused in (
            "SELECT provide_reader()",
            "SELECT sql_ticket('other', 9)",
            "SELECT * FROM sql_reader",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(refused.replace(" sql_", " public.sql_").replace(" prov", " public.prov"))


def test_running_questions_do_not_show_to_each_other(server):
    database, address = server
    connection, _ = as_reader(database, address)
    slow = PostgresReader(database.for_organization("other"), address)

    def ask():
        with pytest.raises(RequestError):
            slow.answer("SELECT 'private words', pg_sleep(9)", LIMITS)

    asking = threading.Thread(target=ask)
    asking.start()
    seen = set()
    with connection:
        while asking.is_alive():
            seen |= {row[0] for row in connection.execute("SELECT query FROM pg_stat_activity")}
    asking.join()
    assert any("assistant.answer" in each for each in seen)
    assert not [each for each in seen if "private words" in each or "other:" in each]


def test_nothing_stays_behind_after_a_question(server):
    database, address = server
    reader = PostgresReader(database, address)
    connection, _ = as_reader(database, address)
    locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77"
    with connection:
        for _ in range(2):
            found = reader.answer("SELECT pg_try_advisory_lock(77), current_setting('a.b', true)", LIMITS)
            assert found.rows == ((True, None),)
            reader.answer("SELECT set_config('a.b', 'left', false)", LIMITS)
            # The server ends a connection some time after its client has closed it.
            until(lambda: connection.execute(locks).fetchone() == (0,))


def test_who_may_make_no_role_is_told_what_an_administrator_should_run(postgres_server, tmp_path):
    postgres_server.execute("DROP ROLE IF EXISTS plain_owner")
    postgres_server.execute("CREATE ROLE plain_owner LOGIN CREATEDB PASSWORD 'plain'")
    address = postgres_server.empty_database()
    name = address.rpartition("/")[2]
    postgres_server.execute("GRANT plain_owner TO CURRENT_USER WITH SET TRUE")
    postgres_server.execute(f"ALTER DATABASE {name} OWNER TO plain_owner")
    own = address.replace(address.split("//")[1].split("@")[0], "plain_owner:plain")
    database = open_database(own, cache_folder=tmp_path)
    with pytest.raises(StoreError, match="ALTER ROLE plain_owner CREATEROLE"):
        PostgresReader(database, own).answer("SELECT 1", LIMITS)
    postgres_server.execute("ALTER ROLE plain_owner CREATEROLE")
    assert PostgresReader(database, own).answer("SELECT 1 AS a", LIMITS).rows == ((1,),)
    database.close()


def run_child(code, order):
    """The child's program with a line put before its start."""
    program = Path(sql_child.__file__).read_text("utf-8").replace("if __name__", f"{code}\nif __name__")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], input=json.dumps(order), capture_output=True, text=True
    )
    return json.loads(done.stdout)


@pytest.fixture
def order(tmp_path):
    database = open_database(tmp_path / "bob.db", "local", "other")
    add_users(database)
    database.close()
    address = f"{(tmp_path / 'bob.db').as_uri()}?mode=ro"
    return {"database": address, "org_id": "local", "rows": 9, "bytes": 9999, "seconds": 5}


ALLOW_ALL = "_authorize = lambda *_: 0"
FREE_LIMITS = "LIMITS_AFTER_COPYING.clear()"


def test_without_the_authorizer_there_is_still_no_other_row(order):
    for sql in ("SELECT * FROM main.users", "SELECT * FROM users", "SELECT id, name FROM users"):
        assert run_child(ALLOW_ALL, order | {"sql": sql})["rows"] == [["u", "user of local"]]


def test_without_authorizer_and_limits_no_file_can_be_opened(order, tmp_path):
    sql = f"ATTACH '{tmp_path / 'bob.db'}' AS again"
    prepared = "_wanted = lambda *_: {}"
    reply = run_child(f"{ALLOW_ALL}\n{FREE_LIMITS}\n{prepared}", order | {"sql": sql})
    assert "unable to open" in reply["message"]
    held = run_child(
        f"{ALLOW_ALL}\n{FREE_LIMITS}\n{prepared}\n_open_no_file = lambda: None", order | {"sql": sql}
    )
    assert "error" not in held


def test_the_start_of_the_child_is_no_part_of_the_time_of_a_question(tmp_path, monkeypatch):
    slow = tmp_path / "slow.py"
    program = Path(sql_child.__file__).read_text("utf-8")
    slow.write_text(program.replace("if __name__", "time.sleep(1.5)\nif __name__"), "utf-8")
    monkeypatch.setattr("bob.work.sql_reader_sqlite._CHILD", slow)
    reader = SqliteReader(open_database(tmp_path / "bob.db"))
    assert reader.answer("SELECT 1 AS a", SqlLimits(seconds=0.5)).rows == ((1,),)


def test_a_child_that_does_not_start_is_no_fault_of_the_question(tmp_path, monkeypatch):
    (tmp_path / "stuck.py").write_text("import time\ntime.sleep(600)\n", "utf-8")
    monkeypatch.setattr("bob.work.sql_reader_sqlite._CHILD", tmp_path / "stuck.py")
    monkeypatch.setattr("bob.work.sql_reader_sqlite._START_SECONDS", 0.2)
    with pytest.raises(StoreError, match="did not start within"):
        SqliteReader(open_database(tmp_path / "bob.db")).answer("SELECT 1", LIMITS)


def test_a_child_that_dies_is_a_question_too_large(order, tmp_path, monkeypatch):
    monkeypatch.setattr("bob.work.sql_reader_sqlite._CHILD", tmp_path / "not-there.py")
    with pytest.raises(RequestError, match="too large"):
        SqliteReader(open_database(tmp_path / "bob.db")).answer("SELECT 1", LIMITS)


@pytest.mark.parametrize(
    "question", ["SELECT FROM users", "SELECT -- nothing", "SELECT", "SELECT FROM users LIMIT 0"]
)
def test_a_question_without_columns_is_refused_by_each_reader_alone(server, tmp_path, question):
    with pytest.raises(RequestError, match="the SELECT names no column"):
        PostgresReader(*server).answer(question, LIMITS)
    with pytest.raises(RequestError, match="the database cannot answer this"):
        SqliteReader(open_database(tmp_path / "bob.db")).answer(question, LIMITS)


def test_a_function_that_looks_at_no_limit_does_not_keep_who_asked(server):
    """`array_fill` runs to its end on the server; whoever asked does not wait for it."""
    with pytest.raises(RequestError, match="took longer"):
        question = "SELECT array_fill(1, ARRAY[100000000])"
        PostgresReader(*server).answer(question, SqlLimits(seconds=0.1))
