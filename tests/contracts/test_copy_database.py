"""A database is copied to the other engine and back, and is the same afterwards."""

import pytest
from small_memory import HashingEmbedder, every_row, indexed, open_database, record

from bob.app.copy_database import CopyDatabase
from bob.core.errors import UsageError
from bob.documents import rows as document_rows
from bob.documents.embed_pending import EmbedPending

ORGANIZATIONS = ("local", "other")


@pytest.fixture
def source(tmp_path):
    database = open_database(tmp_path / "source.db", *ORGANIZATIONS)
    for at, org_id in enumerate(ORGANIZATIONS):
        with database.for_organization(org_id).write() as connection:
            kept = record(f"/{org_id}.md", tags=("a", "ü"))
            texts = [f"{org_id} {n} 語" for n in range(700 if at else 3)]
            document_rows.save(connection, kept, indexed(*texts), "hashing@1")
            document_rows.save(connection, record("/late.md"), indexed("late"), "hashing@1")
        EmbedPending(database.for_organization(org_id), HashingEmbedder()).embed_chunks()
    yield database
    database.close()


@pytest.fixture
def target(postgres_server, tmp_path):
    database = open_database(
        postgres_server.new_database(tmp_path / "cache"), cache_folder=tmp_path / "cache"
    )
    yield database
    database.close()


def _plain(row):
    """By name: in PostgreSQL some columns stand in another order."""
    return {name: int(each) if isinstance(each, bool) else each for name, each in row._asdict().items()}


def rows_of(database):
    found = {}
    for org_id in ORGANIZATIONS:
        with database.for_organization(org_id).read() as connection:
            for table, rows in every_row(connection).items():
                found[org_id, table] = [_plain(each) for each in rows]
    return found


def test_there_and_back_nothing_changes(source, target, tmp_path):
    steps = []
    copied = CopyDatabase(source, target).copy_organizations(
        report=lambda done, total: steps.append((done, total))
    )
    assert rows_of(target) == rows_of(source)
    assert [each.org_id for each in copied] == ["local", "other"] and copied[1].tables["chunks"] == 701
    total = sum(each.rows for each in copied)
    assert steps[-1] == (total, total) and len(steps) > 4
    back = open_database(tmp_path / "back.db")
    CopyDatabase(target, back).copy_organizations()
    assert rows_of(back) == rows_of(source)
    back.close()


def test_a_dry_run_writes_nothing_and_a_second_run_finds_all_there(source, target):
    planned = CopyDatabase(source, target).copy_organizations(dry_run=True)
    assert planned == CopyDatabase(source, None).copy_organizations(dry_run=True)
    assert planned == CopyDatabase(source, target).copy_organizations()
    steps = []
    CopyDatabase(source, target).copy_organizations(report=lambda *step: steps.append(step))
    assert steps == []


def test_rows_that_are_there_are_not_overwritten(source, target):
    with target.write() as connection:
        document_rows.save(connection, record("/mine.md"), indexed("mine"), "hashing@1")
    with pytest.raises(UsageError, match="already has rows of the organization local"):
        CopyDatabase(source, target).copy_organizations()
    assert rows_of(target)["other", "chunks"] == []


def test_a_copy_that_breaks_off_leaves_nothing_of_its_organization(source, target):
    def break_off(done, _total):
        if done > 600:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        CopyDatabase(source, target).copy_organizations(report=break_off)
    assert rows_of(target)["other", "chunks"] == []
    CopyDatabase(source, target).copy_organizations()
    assert rows_of(target) == rows_of(source)
