"""Indexing the commits of a git repository: what is read, when, and what opens afterwards."""

import os
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from small_memory import engine_over, write_files
from small_repository import LINK, SUBMODULE, SmallRepository, blob_id

from bob.core.errors import UnreadableError, UsageError
from bob.core.place import place_in, repository_of
from bob.core.search import Filters
from bob.documents import project_text
from bob.documents.git import rows as git_rows
from bob.documents.git.repository import GitRepository, open_repository
from bob.documents.read_source import text_at
from bob.search.index import found_chunks
from bob.search.query import documents_matching, parse_query

TANK = "# Tank\n\nThe tank holds rain.\n"
PUMP = "# Pump\n\nThe pump stands at the mill.\n"


@pytest.fixture
def garden(tmp_path):
    made = SmallRepository(tmp_path / "garden")
    yield made
    made.close()


def index(engine, garden, ref="HEAD", **more):
    return engine.index_git.index_ref(garden.path, ref, embed_seconds=0.0, **more)


def counts(report):
    return report.added, report.changed, report.moved, report.removed, report.unchanged


def files(engine, query="", **filters):
    hits = engine.search.search_chunks(parse_query(query, Filters(**filters)), 50).hits
    return sorted({f"{hit.chunk.locator.git_file}@{hit.chunk.locator.git_commit[:7]}" for hit in hits})


def every_chunk(engine, **filters):
    with engine.database.read() as connection:
        ids = documents_matching(connection, Filters(**filters))
        rows = connection.execute("SELECT chunk_id, document_id FROM chunks WHERE org_id = :org").fetchall()
        return list(found_chunks(connection, [row[0] for row in rows if row[1] in ids]).values())


def dates(engine, **filters):
    return {each.locator.git_file: each.source_date.isoformat() for each in every_chunk(engine, **filters)}


@pytest.fixture
def blobs_read(monkeypatch):
    read = []
    monkeypatch.setattr(
        GitRepository, "blob", lambda git, blob: read.append(blob.decode()) or git._read(blob, 3)[1]
    )
    return read


def test_a_passage_opens_at_its_commit_though_the_file_is_gone(engine, garden):
    first = garden.commit({"docs/tank.md": TANK, "docs/pump.md": PUMP})
    assert counts(index(engine, garden)) == (2, 0, 0, 0, 0)
    (hit,) = engine.search.search_chunks(parse_query("tank rain"), 1).hits
    found = hit.chunk
    assert (found.path, found.project) == (f"{garden.path}@HEAD/docs/tank.md", "garden")
    assert (found.source_date, found.source_date_kind) == (date(2020, 1, 2), "git")
    assert (found.locator.git_file, found.locator.git_commit) == ("docs/tank.md", first)
    assert place_in(found.path, found.locator) == f"docs/tank.md:1-3 @ {first[:7]}"
    garden.commit({"docs/pump.md": "# Pump\n\nIt is broken.\n"})
    assert text_at(Path(found.path), found.locator) == found.text == TANK.strip()
    index(engine, garden)
    assert text_at(Path(found.path), found.locator) == found.text
    assert files(engine, "tank rain mill") == []


def test_another_format_keeps_its_locator_and_opens_by_the_commit_of_its_document(engine, garden):
    data = (Path(__file__).parents[1] / "data" / "parts" / "rules.pdf").read_bytes()
    first = garden.commit({"docs/rules.pdf": data})
    index(engine, garden)
    with engine.database.read() as connection:
        rows = connection.execute("SELECT chunk_id FROM chunks WHERE org_id = :org").fetchall()
        found = found_chunks(connection, [row[0] for row in rows])
    garden.commit({})
    extra = {"git_repository": str(garden.path), "git_file": "docs/rules.pdf", "git_commit": first}
    assert found and {each.locator.kind for each in found.values()} == {"page"}
    for each in found.values():
        assert text_at(Path(each.path), each.locator, extra=extra) == each.text


def test_only_what_changed_is_read(engine, garden, blobs_read):
    pages = {f"docs/page{at}.md": f"# Page {at}\n\nWritten {at} times.\n" for at in range(5)}
    garden.commit(pages)
    index(engine, garden)
    blobs_read.clear()
    assert counts(index(engine, garden)) == (0, 0, 0, 0, 5) and blobs_read == []
    changed = pages | {"docs/page3.md": "# Page 3\n\nWritten anew.\n"}
    second = garden.commit(changed)
    assert counts(index(engine, garden)) == (0, 1, 0, 0, 4)
    assert blobs_read == [blob_id(changed["docs/page3.md"])]
    assert files(engine, "anew") == [f"docs/page3.md@{second[:7]}"]
    garden.commit(changed)  # nothing but a commit
    blobs_read.clear()
    assert counts(index(engine, garden)) == (0, 0, 0, 0, 5) and blobs_read == []


def test_a_renamed_file_moves_and_a_deleted_one_leaves(engine, garden):
    garden.commit({"tank.md": TANK, "pump.md": PUMP})
    index(engine, garden)
    before = {each.locator.git_file: each.document_id for each in every_chunk(engine)}
    second = garden.commit({"water/tank.md": TANK})
    assert counts(index(engine, garden)) == (0, 0, 1, 1, 0)
    (moved,) = every_chunk(engine)
    assert moved.document_id == before["tank.md"]
    assert (moved.locator.git_file, moved.locator.git_commit) == ("water/tank.md", second)


def test_the_date_is_that_of_the_commit_that_gave_the_file_its_content(engine, garden):
    base = garden.commit({"a.md": "# A\n\nold\n", "b.md": "# B\n\nold\n"}, day=1)
    side = garden.commit(
        {"a.md": "# A\n\nnew\n", "b.md": "# B\n\nold\n"}, day=3, parents=[base], branch="side"
    )
    main = garden.commit({"a.md": "# A\n\nold\n", "b.md": "# B\n\nnew\n"}, day=5, parents=[base])
    garden.commit({"a.md": "# A\n\nnew\n", "b.md": "# B\n\nnew\n"}, day=9, parents=[main, side])
    index(engine, garden)
    assert files(engine) == sorted([f"a.md@{side[:7]}", f"b.md@{main[:7]}"])
    assert dates(engine) == {"a.md": "2020-01-04", "b.md": "2020-01-06"}
    garden.commit({"a.md": "# A\n\nold\n", "b.md": "# B\n\nnew\n"}, day=12)
    garden.commit({"a.md": "# A\n\nnew\n", "b.md": "# B\n\nnew\n"}, day=15)
    index(engine, garden)
    assert dates(engine) == {"a.md": "2020-01-16", "b.md": "2020-01-06"}


def test_branches_tags_and_ids(engine, garden):
    first = garden.commit({"a.md": "# A\n\nfirst\n"})
    garden.tag("v1", first)
    second = garden.commit({"a.md": "# A\n\nsecond\n"}, branch="feature/tank", parents=[first])
    for ref, commit in (("master", first), ("v1", first), ("feature/tank", second), (second[:9], second)):
        assert index(engine, garden, ref).commit == commit
    assert sorted({each.path for each in every_chunk(engine)}) == [
        f"{garden.path}@{ref}/a.md" for ref in sorted(["feature%2Ftank", "master", "v1", second[:9]])
    ]
    assert repository_of(f"{garden.path}@feature%2Ftank/a.md", "a.md") == garden.path
    for wrong in ("nowhere", "0" * 40, "refs/../x", "v1^{tree}"):
        with pytest.raises((UsageError, UnreadableError)):
            index(engine, garden, wrong)


def test_what_is_no_repository_or_has_no_commit_is_said(engine, garden, tmp_path):
    with pytest.raises(UsageError, match="no commits"):
        index(engine, garden)
    garden.commit({"docs/a.md": TANK})
    write_files(garden.path, {"docs/a.md": TANK})
    with pytest.raises(UsageError, match="not a git repository"):
        engine.index_git.index_ref(garden.path / "docs")


def test_what_is_taken_in(engine, garden):
    everything = {
        "README": "# Garden\n\nread me\n",
        "docs/a.rst": "Title\n=====\n\ntext\n",
        "tool.py": "def water():\n    return 1\n",
        "setup.toml": "[tank]\nlitres = 5\n",
        "photo.png": b"\x89PNG",
        ".github/workflows/README.md": PUMP,
        ".github/.hidden.md": TANK,
        ".obsidian/plugin.md": TANK,
        "node_modules/x/read.md": TANK,
        "drafts/one.md": TANK,
        "drafts/keep.md": PUMP,
        ".bobignore": "drafts/*\n",
        "drafts/.bobignore": "!keep.md\n",
    }
    garden.commit(everything)
    report = index(engine, garden)
    documents = [".github/workflows/README.md", "README", "docs/a.rst", "drafts/keep.md"]
    assert sorted(dates(engine)) == documents
    assert report.skipped == {".py": 1, ".toml": 1, ".png": 1}
    index(engine, garden, include="code")
    assert sorted(dates(engine)) == ["setup.toml", "tool.py"]
    assert counts(index(engine, garden)) == (0, 0, 0, 0, 2)  # remembered
    index(engine, garden, include="all")
    assert sorted(dates(engine)) == [*documents, "setup.toml", "tool.py"]


def test_odd_entries_are_told_or_passed_over(engine, garden):
    lost = "# Lost\n\nIts content is not in this clone.\n"
    garden.commit(
        {
            "link.md": (LINK, "/etc/hostname"),
            "parts": (SUBMODULE, "1" * 40),
            "big.md": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n",
            "binary.md": bytes(range(32)) * 50,
            "empty.md": "",
            b"latin-\xe9.md": TANK,
            b"two\nlines.md": PUMP,
            "old.doc": "old",
            "lost.md": lost,
        }
    )
    garden.object_file(blob_id(lost)).unlink()
    report = index(engine, garden)
    assert sorted(dates(engine)) == ["two\nlines.md"]
    assert report.skipped == {"submodule": 1}
    failed = {Path(each.path).name: each.code for each in report.failures}
    assert failed == {
        "big.md": "lfs",
        "binary.md": "binary",
        "empty.md": "empty",
        "latin-\ufffd.md": "unreadable",
        "old.doc": "unsupported",
        "lost.md": "missing",
    }
    again = index(engine, garden)
    assert {each.path for each in again.failures} == {each.path for each in report.failures}
    garden.commit({"old.doc": "old", "next.md": TANK}, day=9)
    report = index(engine, garden)
    assert [each.code for each in report.failures] == ["unsupported"] and sorted(dates(engine)) == ["next.md"]


def test_huge_files_are_not_loaded(garden, tmp_path, blobs_read):
    engine = engine_over(tmp_path / "small.db", ingest={"max_file_mb": 1})
    huge = "# Huge\n\n" + "word " * 250_000
    garden.commit({"huge.md": huge, "a.md": TANK})
    (failure,) = index(engine, garden).failures
    assert failure.code == "too-large" and blobs_read == [blob_id(TANK)]
    engine.close()


def test_sizes_are_those_of_the_blobs_also_in_packs(garden):
    texts = ["line of text\n" * lines + f"end {lines}\n" for lines in (1, 10, 100, 1_000, 1_001, 1_002)]
    garden.commit({f"{at}.md": text for at, text in enumerate(texts)})
    expected = {blob_id(text).encode(): len(text) for text in texts}
    for packed in (False, True):
        if packed:
            garden.repo.object_store.pack_loose_objects()
            assert not garden.object_file(blob_id(texts[0])).exists()
        with open_repository(garden.path) as git:
            assert git.sizes([*expected, b"0" * 40]) == expected


def test_a_retry_reads_failed_files_again(engine, garden):
    garden.commit({"lost.md": TANK})
    content = garden.object_file(blob_id(TANK)).read_bytes()
    garden.object_file(blob_id(TANK)).unlink()
    assert [each.code for each in index(engine, garden).failures] == ["missing"]
    garden.object_file(blob_id(TANK)).write_bytes(content)
    assert [each.code for each in index(engine, garden).failures] == ["missing"]
    (folder,), tried, _ = engine.maintain.retry()
    assert tried == 1
    report = engine.index_git.again(str(folder))
    assert counts(report) == (1, 0, 0, 0, 0) and report.failures == []


def test_a_rebuild_makes_the_same_index(engine, garden):
    garden.commit({"tank.md": TANK})
    garden.commit({"tank.md": TANK + "Full.\n"})
    index(engine, garden, history=True)
    before = [(each.path, each.text, each.locator) for each in every_chunk(engine, as_of=date(2020, 1, 2))]
    engine.maintain.drop_index()
    assert every_chunk(engine) == []
    assert [str(each) for each in engine.maintain.folders()] == [f"{garden.path}@HEAD"]
    engine.index_git.again(f"{garden.path}@HEAD")
    after = [(each.path, each.text, each.locator) for each in every_chunk(engine, as_of=date(2020, 1, 2))]
    assert before == after and len(before) == 1


def test_files_on_the_disk_and_in_commits_do_not_disturb_each_other(engine, garden):
    garden.commit({"tank.md": TANK})
    write_files(garden.path, {"pump.md": PUMP})
    index(engine, garden)
    assert counts(engine.index_files.index_folder(garden.path, embed_seconds=0.0)) == (1, 0, 0, 0, 0)
    assert counts(engine.index_files.index_folder(garden.path.parent, embed_seconds=0.0))[3] == 0
    assert engine.status.documents() == 2
    git = engine.index_git
    assert engine.index_files.remove(garden.path) == 1 and engine.status.documents() == 1
    assert git.remove(garden.path, "master") == 0 and git.remove(garden.path) == 1
    index(engine, garden)
    assert engine.index_files.remove(garden.path.parent) == 1 and git.roots() == {}


def test_health_does_not_look_for_the_documents_of_commits_on_the_disk(engine, garden):
    """A link to a file of the commit that is no document, too, leads to what the disk does not show."""
    garden.commit(
        {"tank.md": TANK + "\nSee [the valve](valve.py) and [the pump](pump.md).\n", "pump.md": PUMP}
    )
    write_files(garden.path.parent, {"away.md": "# Away\n\nSee [the pump](pump.md).\n"})
    engine.index_files.index_folder(garden.path.parent, embed_seconds=0.0)
    index(engine, garden)
    (garden.path.parent / "away.md").unlink()
    report = engine.knowledge.check_health.check_health(datetime(2026, 5, 4, tzinfo=UTC))
    told = {
        (each.rule, each.paths) for each in report.findings if each.rule in ("missing-file", "broken-link")
    }
    assert told == {("missing-file", (str(garden.path.parent / "away.md"),))}


def test_a_project_is_remembered_and_can_be_changed(engine, garden):
    garden.commit({"docs/tank.md": TANK})
    index(engine, garden, project="water")
    index(engine, garden)
    with engine.database.read() as connection:
        (found,) = project_text.documents_of(connection, "water")
    assert found.name == "docs/tank.md"
    assert index(engine, garden, project="land").project == "land"
    assert files(engine, projects=("water",)) == [] and len(files(engine, projects=("land",))) == 1


def test_a_bare_repository_of_another_owner_with_settings_that_run_commands(engine, tmp_path):
    bare = SmallRepository(tmp_path / "garden.git", bare=True)
    marker = tmp_path / "ran"
    run = f"touch {marker}"
    config = (
        "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
        f"\tfsmonitor = {run}\n\tsshCommand = {run}\n\thooksPath = {tmp_path}\n\tpager = {run}\n"
        f'[filter "evil"]\n\tsmudge = {run}\n\tclean = {run}\n\tprocess = {run}\n'
        f'[diff "evil"]\n\ttextconv = {run}\n'
    )
    (bare.path / "config").write_text(config)
    bare.commit({".gitattributes": "*.md filter=evil diff=evil\n", "tank.md": TANK})
    if os.getuid() == 0:
        for each in (bare.path, *bare.path.rglob("*")):
            os.chown(each, 12345, 12345)
    assert counts(index(engine, bare)) == (1, 0, 0, 0, 0) and not marker.exists()
    bare.close()


def test_a_run_that_ended_early_is_made_good(garden, tmp_path, monkeypatch):
    pages = {f"p{at}.md": f"# Page {at}\n\nfirst {at}\n" for at in range(4)}
    garden.commit(pages)
    engine, whole = engine_over(tmp_path / "a.db"), engine_over(tmp_path / "b.db")
    index(engine, garden, history=True)
    garden.commit({name: text.replace("first", "second") for name, text in pages.items()})
    saved = []

    def dying(connection, source, save=git_rows.save):
        if saved and source.commit_id:
            raise MemoryError("power cut")
        saved.append(source)
        save(connection, source)

    with monkeypatch.context() as patched:
        patched.setattr(git_rows, "save", dying)
        with pytest.raises(MemoryError):
            index(engine, garden)
    (left,) = engine.index_git.roots().values()
    assert (left.commit_id, left.tree_id) == ("", "")
    index(engine, garden)
    index(whole, garden, history=True)
    for filters in ({}, {"as_of": date(2020, 1, 2)}, {"as_of": date(2020, 1, 3)}):
        mine, other = (
            sorted((c.path, c.text) for c in every_chunk(each, **filters)) for each in (engine, whole)
        )
        assert mine == other and len(mine) == 4
    engine.close()
    whole.close()


def test_a_branch_that_was_written_anew(engine, garden):
    base = garden.commit({"a.md": "# A\n\nbase\n"})
    garden.commit({"a.md": "# A\n\nbase\n", "b.md": TANK}, day=3)
    index(engine, garden, "master")
    other = garden.commit({"a.md": "# A\n\nbase\n", "b.md": TANK}, day=8, parents=[base])
    assert counts(index(engine, garden, "master")) == (0, 1, 0, 0, 1)
    assert files(engine, "tank") == [f"b.md@{other[:7]}"] and dates(engine)["b.md"] == "2020-01-09"


def test_a_shallow_clone_ends_where_it_ends(engine, garden):
    first = garden.commit({"a.md": TANK})
    second = garden.commit({"a.md": TANK, "b.md": PUMP})
    garden.object_file(first).unlink()
    index(engine, garden)
    assert files(engine) == sorted([f"a.md@{second[:7]}", f"b.md@{second[:7]}"])


def test_a_partial_clone_is_read_as_far_as_it_goes(engine, garden):
    garden.commit({"a.md": TANK, "b.md": PUMP})
    garden.object_file(blob_id(PUMP)).unlink()
    with (garden.path / ".git" / "config").open("a") as config:
        config.write("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n")
    assert [each.code for each in index(engine, garden).failures] == ["missing"]
    assert list(dates(engine)) == ["a.md"]


def test_a_damaged_repository_is_told(engine, garden):
    first = garden.commit({"a.md": TANK})
    file = garden.object_file(first)
    file.chmod(0o600)
    file.write_bytes(b"not zlib")
    with pytest.raises(UnreadableError, match="damaged"):
        index(engine, garden)
