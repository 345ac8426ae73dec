"""A database that cannot be used is one clear line and exit code 4, whatever is asked."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from small_memory import open_database, write_files

from bob.core.errors import StoreError
from bob.storage.database import SqliteDatabase

COMMANDS = [("search", "x"), ("ask", "x"), ("status",), ("index", "."), ("retry",), ("rebuild", "--yes")]


def harmed(tmp_path, harm):
    path = tmp_path / "harmed.db"
    if harm == "no-database":
        path.write_text("These are words, and no database at all. " * 200, encoding="utf-8")
    elif harm == "folder":
        path.mkdir()
    elif harm == "below-a-file":
        path.write_text("x", encoding="utf-8")
        path = path / "bob.db"
    elif harm == "newer":
        open_database(path).close()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
            connection.commit()
    elif harm == "not-writable":
        path = Path("/proc/bob.db")
    elif harm == "cut":
        open_database(path).close()
        path.write_bytes(path.read_bytes()[:5_000])
    return path


HARMS = ["no-database", "folder", "below-a-file", "newer", "not-writable", "cut"]


@pytest.mark.parametrize("harm", HARMS)
def test_opening_says_what_is_wrong(tmp_path, harm):
    path = harmed(tmp_path, harm)
    with pytest.raises(StoreError) as caught, SqliteDatabase(path, "local").read() as connection:
        connection.execute("SELECT count(*) FROM chunks WHERE org_id = :org")
    assert str(path.parent) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(("harm", "command"), list(zip(HARMS, COMMANDS, strict=True)))
def test_every_command_says_it_in_one_line(tmp_path, bob, harm, command):
    path = harmed(tmp_path, harm)
    write_files(bob.home, {"a.md": "# A\n\nSome words to read.\n"})
    done = bob(*command, "--database", path)
    assert done.returncode == 4, (done.returncode, done.stdout, done.stderr)
    assert done.stderr.startswith("bob: ") and len(done.stderr.splitlines()) == 1


def test_a_newer_database_is_left_as_it_is(tmp_path):
    path = harmed(tmp_path, "newer")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer Bob"):
        SqliteDatabase(path, "local")
    assert path.read_bytes() == before


def test_a_locked_database_is_waited_for(tmp_path):
    database = open_database(tmp_path / "bob.db")
    with closing(
        sqlite3.connect(tmp_path / "bob.db", isolation_level=None, check_same_thread=False)
    ) as holder:
        holder.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(0.5, lambda: holder.execute("COMMIT"))
        timer.start()
        with database.write() as connection:
            connection.execute("INSERT INTO app_config VALUES (:org, 'k', 'v')")
        timer.join()
    database.close()
