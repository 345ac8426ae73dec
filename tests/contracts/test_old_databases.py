"""A database of each released schema is brought up to date when it is opened, and keeps what it holds.

`tests/data/databases/` has one dump a schema, made by the version that wrote it.
"""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bob.access.api_key import WrittenKey
from bob.app import Engine
from bob.app.settings import Settings
from bob.core.principal import Role
from bob.storage.database import SCHEMA_HEAD, SqliteDatabase

DUMPS = Path(__file__).parents[1] / "data" / "databases"
RELEASED = sorted(DUMPS.glob("*.sql"))


def restored(path, dump):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(dump.read_text("utf-8"))
    return path


def rows_of(path, columns=None):
    """The rows of each table; of those in `columns` without what a later schema has added to them."""
    with closing(sqlite3.connect(path)) as connection:
        own = columns_of(path) | (columns or {})
        return {
            name: connection.execute(f'SELECT {", ".join(listed)} FROM "{name}"').fetchall()
            for name, listed in own.items()
        }


def columns_of(path):
    with closing(sqlite3.connect(path)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: [f'"{row[1]}"' for row in connection.execute(f'PRAGMA table_info("{name}")')]
            for name in names
        }


def test_there_is_a_dump_of_every_schema_but_the_newest():
    assert [int(path.stem) for path in RELEASED] == list(range(1, int(SCHEMA_HEAD)))


@pytest.mark.parametrize("dump", RELEASED, ids=[path.stem for path in RELEASED])
def test_an_old_database_keeps_its_rows_and_gets_the_new_tables(tmp_path, dump):
    path = restored(tmp_path / "bob.db", dump)
    before, columns = rows_of(path), columns_of(path)
    assert before.pop("alembic_version") == [(dump.stem,)] and len(before["chunks"]) == 9
    SqliteDatabase(path, "local").close()
    after = rows_of(path, columns)
    assert after["alembic_version"] == [(SCHEMA_HEAD,)]
    assert {name: after[name] for name in before} == before


@pytest.mark.parametrize("dump", RELEASED, ids=[path.stem for path in RELEASED])
def test_an_old_database_answers_and_keeps_the_answer(tmp_path, dump):
    path = restored(tmp_path / "bob.db", dump)
    kept = len(rows_of(path).get("answers", []))
    engine = Engine(Settings(database=path))
    now = datetime(2025, 6, 15, tzinfo=UTC)
    answer = engine.ask.answer_question("How much does membership cost?", today=now.date())
    assert answer.found and "40 euros a year" in answer.text and not answer.audit["vectors_pending"]
    assert engine.keep_answer.save_answer(answer, asked_at=now).answer_id == kept + 1
    engine.close()


def test_a_key_of_an_old_database_opens_it_still(tmp_path):
    engine = Engine(Settings(database=restored(tmp_path / "bob.db", DUMPS / "0005.sql")))
    written = WrittenKey.make("local", bytes(range(8)), bytes(range(32)))
    principal = engine.team.authenticate.identify_sender(written.text)
    assert (principal.user_id, principal.role, principal.scopes) == ("me", Role.MEMBER, {"work"})
    engine.close()


@pytest.mark.parametrize("dump", RELEASED, ids=[path.stem for path in RELEASED])
def test_an_old_database_becomes_what_a_new_one_is(tmp_path, dump):
    SqliteDatabase(tmp_path / "new.db", "local").close()
    path = restored(tmp_path / "bob.db", dump)
    SqliteDatabase(path, "local").close()
    assert declared(path) == declared(tmp_path / "new.db")


def declared(path):
    """Columns with types, keys and what they may lack, and the columns of each index."""
    with closing(sqlite3.connect(path)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {name: connection.execute(f'PRAGMA table_info("{name}")').fetchall() for name in names}
        indexes = {
            (name, unique, tuple(row[2] for row in connection.execute(f'PRAGMA index_info("{index}")')))
            for name in names
            for _, index, unique, *_ in connection.execute(f'PRAGMA index_list("{name}")')
        }
    return columns, indexes
