"""An answer is given whether or not it can be kept."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from datetime import UTC, datetime

import pytest
from small_memory import engine_over, write_files

from bob.core.errors import UsageError
from bob.core.search import Filters
from bob.python import Bob
from bob.storage.database import EVERY_ORGANIZATION

NOW = datetime(2025, 6, 1, 9, 30, tzinfo=UTC)
NOTES = {"keys.md": "# Keys\n\nThe backup keys are rotated every three months by the storage team.\n"}
QUESTION = "How often are the backup keys rotated?"


def asked(engine, tmp_path):
    engine.index_files.index_folder(write_files(tmp_path / "notes", NOTES))
    return engine.ask.answer_question(QUESTION, today=NOW.date())


def test_an_answer_gets_the_next_number(engine, tmp_path):
    answer = asked(engine, tmp_path)
    assert answer.answer_id is None
    first, second = (engine.keep_answer.save_answer(answer, asked_at=NOW) for _ in range(2))
    assert (first.answer_id, second.answer_id) == (1, 2)
    listed = engine.give_feedback.recent(5)
    assert [each.kept.answer_id for each in listed] == [2, 1]
    assert listed[0].kept.answer == second.to_json() and listed[0].kept.asked_at == NOW


def test_answers_are_not_kept_when_the_setting_says_so(tmp_path):
    engine = engine_over(tmp_path / "bob.db", answer={"keep": False})
    answer = asked(engine, tmp_path)
    assert engine.keep_answer.save_answer(answer, asked_at=NOW) is answer
    assert engine.give_feedback.recent(5) == []
    engine.close()


def test_in_a_database_that_cannot_be_written_the_answer_goes_without_a_number(engine, tmp_path, caplog):
    answer = asked(engine, tmp_path)
    # What a read-only file or disk does, also for root: SQLite refuses each write in the same words.
    with engine.database.for_organization(EVERY_ORGANIZATION).read() as connection:
        connection.execute("PRAGMA query_only=ON")
    assert engine.keep_answer.save_answer(answer, asked_at=NOW) is answer
    (warning,) = caplog.messages
    assert warning.startswith("this answer was not saved: ") and "readonly" in warning


def test_while_another_writes_for_long_the_answer_does_not_wait(engine, tmp_path, caplog):
    answer = asked(engine, tmp_path)
    with closing(sqlite3.connect(engine.database.path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        assert engine.keep_answer.save_answer(answer, asked_at=NOW) is answer
        holder.execute("ROLLBACK")
    assert "the database is locked by another program" in caplog.messages[0]
    assert engine.keep_answer.save_answer(answer, asked_at=NOW).answer_id == 1
    # Searches are as patient as before.
    with engine.database.for_organization(EVERY_ORGANIZATION).read() as connection:
        assert connection.execute("PRAGMA busy_timeout").fetchone() == (120_000,)


def test_the_command_says_so_on_standard_error(bob, tmp_path):
    folder = write_files(tmp_path / "notes", NOTES)
    assert bob("index", folder).returncode == 0
    with closing(sqlite3.connect(bob.database, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        done = bob("ask", QUESTION)
        printed = bob("ask", QUESTION, "--json")
        holder.execute("ROLLBACK")
    assert done.returncode == 0 and "every three months" in done.stdout
    assert done.stderr.startswith("bob: this answer was not saved: ") and len(done.stderr.splitlines()) == 1
    assert '"answer_id": null' in printed.stdout and printed.returncode == 0
    assert '"answer_id": 1' in bob("ask", QUESTION, "--json").stdout


def test_keeping_an_answer_imports_nothing_heavy(bob, tmp_path):
    assert bob("index", write_files(tmp_path / "notes", NOTES)).returncode == 0
    code = f"""
import sys
from bob.cli.main import main
sys.argv[1:] = ["ask", {QUESTION!r}, "--json"]
try:
    main()
except SystemExit:
    print([name for name in ("rich",) if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env=bob.environment, capture_output=True, text=True, check=True
    )
    assert '"answer_id": 1' in done.stdout and done.stderr == "[]\n"


def test_the_python_face_keeps_answers_too(tmp_path):
    with Bob(tmp_path / "bob.db") as memory:
        memory.index(write_files(tmp_path / "notes", NOTES))
        answer = memory.ask(QUESTION, filters=Filters(projects=("notes",)))
        assert answer.answer_id == 1
        (listed,) = memory._engine.give_feedback.recent(5)
        with pytest.raises(UsageError, match="'superb' must be one of helpful, wrong-source"):
            memory.feedback(1, "superb")
    assert listed.kept.filters == {"projects": ["notes"]}


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_a_terminal_shows_the_number(bob, tmp_path):
    import pty

    assert bob("index", write_files(tmp_path / "notes", NOTES)).returncode == 0
    ours, theirs = pty.openpty()
    environment = bob.environment | {"TERM": "xterm"}
    with subprocess.Popen(bob.command("ask", QUESTION), cwd=bob.home, env=environment, stdout=theirs):
        os.close(theirs)
        printed = b""
        # Linux says by an error that the other end is closed.
        with suppress(OSError):
            while piece := os.read(ours, 4096):
                printed += piece
        os.close(ours)
    assert "answer 1 · bob feedback 1 helpful" in printed.decode().strip().splitlines()[-1]
    assert "bob feedback" not in bob("ask", QUESTION).stdout
