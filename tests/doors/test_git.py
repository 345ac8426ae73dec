"""`bob index --at`: the commits of a repository, on the command line; and killed at any moment."""

import json
import os
import random
import signal
import time
from contextlib import closing

import pytest
from small_memory import bob_in, engine_over, write_files
from small_repository import SmallRepository

KILLS = int(os.environ.get("KILLS", "2"))
TANK = "# Tank\n\nThe rainwater tank holds five thousand litres.\n"


def test_a_repository_is_indexed_searched_and_removed(tmp_path):
    bob = bob_in(tmp_path / "home")
    with closing(SmallRepository(bob.home / "garden")) as garden:
        first = garden.commit({"docs/tank.md": TANK, "tool.py": "x = 1\n"})
        garden.commit({"docs/tank.md": TANK.replace("five", "six"), "tool.py": "x = 1\n"})
        second = garden.repo.head().decode()
        done = bob("index", "garden", "--at", "master", "--history", "--words-only")
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("garden@master: 2 documents (2 new) in project garden, ")
        assert "1 file is not a document and was passed over: .py 1" in done.stdout
        shown = bob("search", "rainwater tank", "--mode", "words")
        assert shown.stdout.splitlines()[0] == f"1. docs/tank.md:1-3 @ {second[:7]}  Tank"
        assert "six thousand" in shown.stdout and "five thousand" not in shown.stdout
        report = bob.json("index", "garden", "--at", "master", "--words-only")
        assert (report["unchanged"], report["commit"]) == (2, second) and first != second
        assert "2 documents removed" in bob("index", "garden", "--remove").stdout


def test_what_cannot_be_done_is_said(tmp_path):
    bob = bob_in(tmp_path / "home")
    write_files(bob.home / "notes", {"a.md": TANK})
    with closing(SmallRepository(bob.home / "garden.git", bare=True)) as garden:
        garden.commit({"a.md": TANK})
        for arguments, reason in (
            (["notes", "--at", "main"], "not a git repository; name the folder that contains .git"),
            (["notes", "--history"], "require --at BRANCH, for a git repository"),
            (["garden.git", "--at", "next"], "next: no such branch, tag or commit"),
            (["garden.git", "--watch"], "--watch cannot be used with --at"),
        ):
            done = bob("index", *arguments)
            assert done.returncode == 2 and reason in done.stderr, (arguments, done.stderr)
        done = bob("index", "garden.git", "--words-only")
        assert done.stdout.startswith("garden.git@HEAD: 1 document (1 new) in project garden, ")


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A history of so many documents that a run has several commits to the database."""
    chance = random.Random(5)
    words = ["tank", "rain", "pump", "hose", "seed", "bed", "tool", "shed", "path", "stone"]
    with closing(SmallRepository(tmp_path_factory.mktemp("large") / "garden")) as garden:
        files = {}
        for day in range(8):
            for at in range(20):
                if day == 0 or chance.random() < 0.4:
                    body = "\n\n".join(" ".join(chance.choices(words, k=60)) for _ in range(6))
                    files[f"docs/p{at}.md"] = f"# Page {at}\n\n{body}\n"
            garden.commit(files)
        yield garden


def contents(database):
    engine = engine_over(database)
    with engine.database.read() as connection:
        found = connection.execute(
            "SELECT d.path, d.source_date, c.ordinal, c.text, c.locator FROM documents d"
            " JOIN chunks c ON c.org_id = :org AND c.document_id = d.document_id WHERE d.org_id = :org"
            " ORDER BY d.path, c.ordinal"
        ).fetchall()
    engine.close()
    return found


def test_killed_runs_end_where_one_run_ends(large, tmp_path):
    chance = random.Random(7)
    whole, bob = bob_in(tmp_path / "whole"), bob_in(tmp_path / "home")
    command = ("index", large.path, "--at", "master", "--history", "--words-only", "--json")
    assert whole(*command).returncode == 0
    for _ in range(KILLS):
        process = bob.start(*command)
        while process.poll() is None and not bob.database.exists():
            time.sleep(0.01)
        time.sleep(chance.uniform(0.0, 1.5))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    done = bob(*command)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["failures"] == []
    assert contents(bob.database) == contents(whole.database)
