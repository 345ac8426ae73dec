"""Whatever is committed, every passage of every version opens to its text at its commit (SPEC B2)."""

import json
import os
import tempfile
from contextlib import closing, contextmanager
from datetime import date, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from small_memory import engine_over, rows_in
from small_repository import SmallRepository, blob_id

from bob.core.locator import GitLocator, locator_from_json
from bob.core.search import Filters
from bob.documents.read_source import text_at
from bob.search.query import documents_matching

EXAMPLES = int(os.environ.get("GIT_EXAMPLES") or 8)
"""GIT_EXAMPLES=500 in the environment is a run of some minutes by hand."""

UNHURRIED = settings(deadline=None, max_examples=EXAMPLES)
NAMES = ["a.md", "docs/b.md", "docs/deep/c.txt", "d.rst", "e@f/g.md", "docs/b.md@h.md"]
LINES = st.sampled_from(
    ["# Tank", "## Pump", "Rain fills the tank.", "", "- hose", "a\tb", "é😀", "x" * 300, "``` py", "end\r"]
)
TEXTS = st.tuples(st.lists(LINES, min_size=1, max_size=8), st.sampled_from(["\n", "\r\n"])).map(
    lambda each: each[1].join(["words of rain", *each[0]])
)
EDITS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(NAMES), TEXTS),
    st.tuples(st.just("delete"), st.sampled_from(NAMES)),
    st.tuples(st.just("rename"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.tuples(st.just("index")),
)
BRANCHED = st.one_of(EDITS, st.tuples(st.just("branch")), st.tuples(st.just("merge")))


@contextmanager
def garden_and_engines(count):
    with tempfile.TemporaryDirectory() as name:
        garden = SmallRepository(Path(name) / "garden")
        garden.commit({"start.md": "words of rain\n"}, day=0)
        engines = [engine_over(Path(name) / f"{at}.db") for at in range(count)]
        with closing(garden):
            yield garden, engines
        for each in engines:
            each.close()


def edited(files, edit):
    files = dict(files)
    match edit:
        case ("write", name, text):
            files[name] = text
        case ("delete", name):
            files.pop(name, None)
        case ("rename", old, new) if old in files:
            files[new] = files.pop(old)
    return files


def index(engine, garden, **more):
    return engine.index_git.index_ref(garden.path, "master", embed_seconds=0.0, **more)


def contents(engine):
    """Every chunk with its document's path and date, and the day that ended it."""
    with engine.database.read() as connection:
        rows = connection.execute(
            "SELECT d.path, d.source_date, d.extra, p.valid_until, c.ordinal, c.text, c.locator"
            " FROM documents d JOIN chunks c ON c.org_id = :org AND c.document_id = d.document_id"
            " LEFT JOIN past_documents p ON p.org_id = :org AND p.document_id = d.document_id"
            " WHERE d.org_id = :org ORDER BY d.path, c.ordinal"
        )
        return [
            (path, dated, json.loads(extra), until, ordinal, text, json.loads(locator))
            for path, dated, extra, until, ordinal, text, locator in rows
        ]


def open_all(garden, found):
    for path, _, extra, _, _, text, stored in found:
        locator = locator_from_json(stored)
        assert isinstance(locator, GitLocator)
        assert text_at(Path(path), locator) == text
        tree = garden.repo[garden.repo[locator.git_commit.encode()].tree]
        _, blob = tree.lookup_path(garden.repo.__getitem__, locator.git_file.encode())
        assert blob.decode() == extra["git_blob"] and extra["git_commit"] == locator.git_commit
        assert locator.text_in(garden.repo[blob].data.decode()) == text


def blobs_as_of(engine, day):
    with engine.database.read() as connection:
        ids = set(documents_matching(connection, Filters(as_of=day)))
    with engine.database.read() as connection:
        rows = rows_in(connection, "documents")
    return {each.extra["git_file"]: each.extra["git_blob"] for each in rows if each.document_id in ids}


@UNHURRIED
@given(st.lists(EDITS, min_size=1, max_size=8))
def test_a_line_of_commits_is_known_on_every_day(edits):
    with garden_and_engines(2) as (garden, (grown, fresh)):
        states = [{"start.md": "words of rain\n"}]
        for edit in edits:
            if edit == ("index",):
                index(grown, garden, history=True)
                continue
            states.append(edited(states[-1], edit))
            garden.commit(states[-1], day=len(states) - 1)
        index(grown, garden, history=True)
        index(fresh, garden, history=True)
        found = contents(grown)
        assert found == contents(fresh)
        open_all(garden, found)
        for at, files in enumerate(states):
            day = date(2020, 1, 1) + timedelta(days=at)
            assert blobs_as_of(grown, day) == {name: blob_id(text) for name, text in files.items()}
        index(grown, garden, history=False)
        assert blobs_as_of(grown, date(2030, 1, 1)) == {n: blob_id(t) for n, t in states[-1].items()}
        assert {row[3] for row in contents(grown)} <= {None}


@UNHURRIED
@given(st.lists(BRANCHED, min_size=3, max_size=10), st.booleans())
def test_branches_and_merges_leave_what_a_fresh_index_has(edits, history):
    with garden_and_engines(2) as (garden, (grown, fresh)):
        files = {"start.md": "words of rain\n"}
        head = garden.repo.refs[b"refs/heads/master"].decode()
        side = None
        for edit in edits:
            match edit:
                case ("index",):
                    index(grown, garden, history=history)
                case ("branch",):
                    side = (head, files)
                case ("merge",) if side and side[0] != head:
                    files = files | side[1]
                    head = garden.commit(files, parents=[head, side[0]])
                    side = None
                case _:
                    if side and len(edit) > 2:
                        side_files = edited(side[1], edit)
                        commit = garden.commit(side_files, parents=[side[0]], branch="side")
                        side = (commit, side_files)
                    else:
                        files = edited(files, edit)
                        head = garden.commit(files, parents=[head])
        index(grown, garden, history=history)
        index(fresh, garden, history=history)
        found = contents(grown)
        assert found == contents(fresh)
        open_all(garden, found)
        now = {row[2]["git_file"]: row[2]["git_blob"] for row in found if row[3] is None}
        assert now == {name: blob_id(text) for name, text in files.items()}
        for row in found:
            assert_gave_it_its_content(garden, row[2])


def assert_gave_it_its_content(garden, extra):
    """No parent of the commit has the file as it is there."""
    commit = garden.repo[extra["git_commit"].encode()]
    for parent in commit.parents:
        tree = garden.repo[garden.repo[parent].tree]
        try:
            _, blob = tree.lookup_path(garden.repo.__getitem__, extra["git_file"].encode())
        except KeyError:
            continue
        assert blob.decode() != extra["git_blob"]
