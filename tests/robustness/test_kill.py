"""kill -9 at any moment: nothing that was acknowledged is lost, and the next run makes it whole.

KILLS=25 in the environment raises the number of kills for a run by hand.
"""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import folder_of_many_kinds as many
import pytest
from small_memory import bob_in, engine_over

from bob.models.networks import OnnxEmbedder
from bob.search.query import parse_query

KILLS = int(os.environ.get("KILLS", "3"))
SEED = int(os.environ.get("KILLS_SEED", "11"))
READER = Path(__file__).parent / "read_all_the_time.py"
QUERIES = ["harbour painted", "violin", "the lantern was sold", "how do we describe an engine?"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A folder, and an index of it that was made in one go."""
    place = tmp_path_factory.mktemp("whole")
    bob = bob_in(place / "home")
    # Among the files are encrypted ones.
    assert bob("index", many.make(place / "files"), "--json").returncode == 3
    return Whole(place / "files", bob.database)


@dataclass(frozen=True)
class Whole:
    folder: Path
    database: Path


def results(database):
    engine = engine_over(database, embedder=OnnxEmbedder())
    found = {
        query: many.without_ids(
            hit.to_json() for hit in engine.search.search_chunks(parse_query(query), 10).hits
        )
        for query in QUERIES
    }
    engine.close()
    return found


def reader_of(database):
    return subprocess.Popen(
        [sys.executable, str(READER), str(database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_killed_runs_end_where_one_run_ends(whole, tmp_path):
    """Kills run after run, each at a moment of its own, until one gets to the end; then begins anew."""
    chance = random.Random(SEED)
    expected = many.contents(whole.database)
    assert expected["counts"]["jobs"] == 0 and expected["counts"]["vectors"] == expected["counts"]["chunks"]
    left = KILLS
    while left:
        bob = bob_in(tmp_path / f"left-{left}")
        bob("status")  # makes the database, so that the reader has something to read
        reader = reader_of(bob.database)
        while left and killed(bob, whole.folder, chance):
            left -= 1
            assert many.half_documents(bob.database) == []
        last = bob("index", whole.folder, "--json")
        said, _ = reader.communicate()
        assert last.returncode == 3, last.stderr
        assert reader.returncode == 0 and "half a document" not in said and "Traceback" not in said, said
        assert many.contents(bob.database) == expected
        found = results(bob.database)
        for query, (scores, texts) in results(whole.database).items():
            found_scores, found_texts = found[query]
            assert found_texts == texts and found_scores == pytest.approx(scores, abs=1e-4)


def killed(bob, folder, chance):
    """Starts a run and kills it some commits later, or before the first one; False if it ended before."""
    process = bob.start("index", folder, "--json")
    commits = chance.choice([0, 1, 1, 2, 3])
    seen = _state(bob.database)
    while commits and process.poll() is None:
        now = _state(bob.database)
        commits -= now != seen
        seen = now
        time.sleep(0.005)
    time.sleep(chance.uniform(0.0, 0.5) if chance.random() < 0.7 else 0.0)
    alive = process.poll() is None
    if alive:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return alive


def _state(database):
    """What changes with every commit of a run."""
    return tuple(
        _asked(database, question)
        for question in (
            "SELECT count(*) FROM documents",
            "SELECT count(*) FROM failures",
            "SELECT count(*) FROM vectors",
            "SELECT count(*) FROM vectors WHERE sequence IS NOT NULL",
            "SELECT count(*) FROM jobs WHERE state = 'running'",
        )
    )


def test_no_child_outlives_a_killed_run(tmp_path):
    bob = bob_in(tmp_path / "home")
    process = bob.start("index", many.make(tmp_path / "files", files=24))
    children = []
    while not children and process.poll() is None:
        children = _children_of(process.pid)
    process.kill()
    process.communicate()
    for child in children:
        while _runs(child):
            time.sleep(0.05)


def _children_of(process):
    found = []
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = each.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == process:
            found.append(int(each.parent.name))
    return found


def _runs(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_two_writers_and_a_reader(tmp_path):
    bob = bob_in(tmp_path / "home")
    folders = [many.make(tmp_path / name, seed, 18) for seed, name in enumerate(("first", "second"))]
    bob("status")
    reader = reader_of(bob.database)
    writers = [bob.start("index", folder, "--json") for folder in folders]
    for writer in writers:
        out, err = writer.communicate()
        assert writer.returncode in (0, 3), (out, err)
        assert err == ""
    said, _ = reader.communicate()
    assert reader.returncode == 0 and "half a document" not in said and "Traceback" not in said, said
    together = many.contents(bob.database)
    assert together["counts"]["jobs"] == 0
    assert together["counts"]["vectors"] == together["counts"]["chunks"]
    paths = {row[0] for key in ("documents", "failures") for row in together[key]}
    assert paths == {str(each) for folder in folders for each in folder.rglob("*") if each.is_file()}


def test_two_runs_over_the_same_folder(tmp_path):
    bob = bob_in(tmp_path / "home")
    folder = many.make(tmp_path / "files", 3, 12)
    bob("status")
    for writer in [bob.start("index", folder, "--json") for _ in range(2)]:
        _, err = writer.communicate()
        assert writer.returncode in (0, 3) and err == ""
    alone = bob_in(tmp_path / "alone")
    alone("index", folder)
    assert many.contents(bob.database) == many.contents(alone.database)


INTERRUPTED = (130, -signal.SIGINT)
"""A shell sees 130 for both. `python -m` ends itself by the signal when Ctrl-C came while `exec` was making
code, as in the making of a dataclass, whoever catches it afterwards."""


@pytest.mark.parametrize("at", ["reading", "vectors"])
def test_ctrl_c_says_so_and_the_next_run_goes_on(tmp_path, at):
    bob = bob_in(tmp_path / "home")
    folder = many.make(tmp_path / "files", files=30)
    process = bob.start("index", folder)
    wanted = (
        "SELECT count(*) > 5 FROM documents"
        if at == "reading"
        else "SELECT count(*) FROM jobs WHERE state = 'running'"
    )
    while process.poll() is None and not _asked(bob.database, wanted):
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode in INTERRUPTED, (out, err)
    assert "Interrupted" in out and "Traceback" not in out + err
    assert many.half_documents(bob.database) == []
    assert _asked(bob.database, "SELECT count(*) FROM documents")
    kept = bob.json("status")
    assert kept["jobs"]["running"] == 0 and kept["jobs"]["failed"] == 0
    report = bob.json("index", folder, expect=3)
    assert report["unchanged"] == kept["documents"]
    assert report["vectors_pending"] == 0
    end = many.contents(bob.database)
    assert end["counts"]["jobs"] == 0 and end["counts"]["vectors"] == end["counts"]["chunks"]
    assert len(end["documents"]) + len(end["failures"]) == 30 and many.half_documents(bob.database) == []


def _asked(database, question):
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)) as connection:
            return connection.execute(question).fetchone()[0]
    except sqlite3.OperationalError:
        return 0
