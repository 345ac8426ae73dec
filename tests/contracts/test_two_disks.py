"""Two machines index into one database: a run never touches what the other has read, whatever its path is."""

import os
from contextlib import contextmanager
from datetime import UTC, date, datetime

import pytest
from small_memory import engine_over, rows_in, write_files
from small_repository import SmallRepository

from bob.core.errors import NotFoundError, UsageError
from bob.core.search import Query
from bob.documents import failure_rows, source_rows

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
ROSES = "# Roses\n\nThe roses are pruned in February, before the buds open.\n"
TULIPS = "# Tulips\n\nThe tulips are planted in November, six inches deep.\n"
LILIES = "# Lilies\n\nThe lilies are divided every third autumn.\n"


@pytest.fixture
def address(postgres_server, tmp_path):
    made = postgres_server.new_database(tmp_path / "cache")
    yield made
    postgres_server.drop(made)


@pytest.fixture
def machines(address, tmp_path):
    made = [
        engine_over(
            address, disk=name, cache=str(tmp_path / name), server={"uploads": str(tmp_path / "uploads")}
        )
        for name in ("anna", "ben")
    ]
    yield made
    for each in made:
        each.close()


@contextmanager
def on_disk(folder, name):
    """For a while the folder is that of a machine: other machines' are kept aside."""
    aside = folder.with_name(f"{folder.name}-{name}")
    if aside.exists():
        aside.rename(folder)
    folder.mkdir(exist_ok=True)
    yield folder
    folder.rename(aside)


def known(engine):
    """Disk and name of each document."""
    with engine.database.read() as connection:
        rows = rows_in(connection, "documents")
    return sorted((each.disk_id, os.path.basename(each.path)) for each in rows)  # noqa: PTH119


def found(engine, words):
    hits = engine.search.search_chunks(Query(words), 5, today=date(2025, 6, 1)).hits
    return {os.path.basename(each.chunk.path) for each in hits}  # noqa: PTH119


def both_indexed(machines, notes):
    anna, ben = machines
    with on_disk(notes, "anna"):
        anna.index_files.index_folder(
            write_files(notes, {"plan.md": ROSES, "a.md": "# A\n\nThe gate is green.\n"})
        )
    with on_disk(notes, "ben"):
        return ben.index_files.index_folder(write_files(notes, {"plan.md": TULIPS, "b.md": LILIES}))


def test_equal_paths_on_two_machines_are_two_documents(machines, tmp_path):
    anna, ben = machines
    report = both_indexed(machines, tmp_path / "notes")
    assert (report.added, report.changed, report.removed) == (2, 0, 0)
    whole = [("anna", "a.md"), ("anna", "plan.md"), ("ben", "b.md"), ("ben", "plan.md")]
    assert known(anna) == whole
    for engine in machines:
        assert "plan.md" in found(engine, "roses pruned February")
        assert "b.md" in found(engine, "lilies divided autumn")
    with on_disk(tmp_path / "notes", "ben") as notes:
        again = ben.index_files.index_folder(notes)
        assert (again.unchanged, again.added, again.changed, again.removed) == (2, 0, 0, 0)
    assert known(anna) == whole


def test_a_run_removes_what_is_gone_from_its_own_disk_alone(machines, tmp_path):
    anna, ben = machines
    both_indexed(machines, tmp_path / "notes")
    with on_disk(tmp_path / "notes", "ben") as notes:
        (notes / "plan.md").unlink()
        assert ben.index_files.index_folder(notes).removed == 1
    assert known(anna) == [("anna", "a.md"), ("anna", "plan.md"), ("ben", "b.md")]
    assert "plan.md" in found(ben, "roses pruned February")


def test_a_file_that_moves_takes_no_document_of_another_machine_with_it(machines, tmp_path):
    anna, ben = machines
    with on_disk(tmp_path / "notes", "anna") as notes:
        anna.index_files.index_folder(write_files(notes, {"roses.md": ROSES}))
    with on_disk(tmp_path / "notes", "ben") as notes:
        report = ben.index_files.index_folder(write_files(notes, {"moved.md": ROSES}))
        assert (report.added, report.moved) == (1, 0)
    assert known(anna) == [("anna", "roses.md"), ("ben", "moved.md")]


def test_each_machine_has_its_own_projects_and_failures(machines, tmp_path):
    anna, ben = machines
    broken = {"broken.pdf": b"%PDF-1.4 no pages"}
    with on_disk(tmp_path / "notes", "anna") as notes:
        anna.index_files.index_folder(write_files(notes, {"plan.md": ROSES} | broken), "garden")
    with on_disk(tmp_path / "notes", "ben") as notes:
        ben.index_files.index_folder(write_files(notes, {"plan.md": TULIPS}), "kitchen")
    with anna.database.read() as connection:
        folder = str(tmp_path / "notes")
        assert source_rows.every(connection) == [(folder, "garden"), (folder, "kitchen")]
        assert source_rows.project_of(connection, folder, ("anna",)) == "garden"
        assert [each.path for each in failure_rows.every(connection)] == [f"{folder}/broken.pdf"]
        projects = [(each.disk_id, each.project) for each in rows_in(connection, "documents")]
    assert sorted(projects) == [("anna", "garden"), ("ben", "kitchen")]
    with on_disk(tmp_path / "notes", "anna") as notes:
        assert anna.index_files.index_folder(notes).project == "garden"


def test_what_another_machine_indexed_goes_when_its_disk_is_named(machines, tmp_path):
    anna, ben = machines
    both_indexed(machines, tmp_path / "notes")
    remove = ben.knowledge.index_sources.remove
    assert remove(tmp_path / "notes") == 2
    assert known(anna) == [("anna", "a.md"), ("anna", "plan.md")]
    assert remove(tmp_path / "notes") == 0
    assert remove(tmp_path / "notes", disk_id="anna") == 2
    assert known(anna) == []
    with anna.database.read() as connection:
        assert source_rows.every(connection) == []


def test_making_the_index_anew_keeps_what_cannot_be_read_again_here(machines, tmp_path):
    anna, ben = machines
    both_indexed(machines, tmp_path / "notes")
    with on_disk(tmp_path / "notes", "ben") as notes:
        ben.maintain.drop_index()
        assert known(anna) == [("anna", "a.md"), ("anna", "plan.md")]
        assert ben.maintain.folders() == [notes]
        assert ben.index_files.index_folder(notes).added == 2
    assert "plan.md" in found(ben, "roses pruned February")


def test_a_file_of_another_machine_is_not_read_here(machines, tmp_path):
    """At its path there may be a file that nobody meant to show."""
    anna, ben = machines
    both_indexed(machines, tmp_path / "notes")
    with anna.database.read() as connection:
        ids = {each.disk_id: each.document_id for each in rows_in(connection, "documents")}
    with on_disk(tmp_path / "notes", "ben"):
        own = ben.sources.read_source.around(ids["ben"], None, "", 3)
        assert own["lines"]
        with pytest.raises(NotFoundError, match="another machine's disk, anna"):
            ben.sources.read_source.around(ids["anna"], None, "", 3)
        with pytest.raises(NotFoundError, match="another machine's disk, anna"):
            ben.sources.open_source.open_source(ids["anna"], None, dry_run=True)


def test_notes_are_written_into_no_folder_that_only_another_machine_indexed(machines, tmp_path):
    anna, ben = machines
    with on_disk(tmp_path / "notes", "anna") as notes:
        anna.index_files.index_folder(write_files(notes, {"plan.md": ROSES}))
        assert anna.knowledge.edit_notes.save(notes / "new.md", LILIES, None).indexed
    with on_disk(tmp_path / "notes", "ben") as notes:
        with pytest.raises(UsageError):
            ben.knowledge.edit_notes.save(notes / "new.md", TULIPS, None)
        assert ben.knowledge.read_documents.folders() == []
        assert list(notes.iterdir()) == []


def test_status_and_library_say_what_is_elsewhere(machines, tmp_path):
    anna, ben = machines
    both_indexed(machines, tmp_path / "notes")
    assert anna.status.report()["elsewhere"] == [{"disk": "ben", "documents": 2}]
    assert ben.status.report()["elsewhere"] == [{"disk": "anna", "documents": 2}]
    (project,) = anna.sources.library.projects()
    assert project["documents"] == 4 and project["folders"] == [str(tmp_path / "notes")]


def test_health_does_not_miss_the_files_of_another_machine(machines, tmp_path):
    ben = machines[1]
    both_indexed(machines, tmp_path / "notes")
    with on_disk(tmp_path / "notes", "ben") as notes:
        (notes / "b.md").unlink()
        findings = ben.knowledge.check_health.check_health(now=NOON).findings
    gone = [path for each in findings if each.rule == "missing-file" for path in each.paths]
    assert [os.path.basename(path) for path in gone] == ["b.md"]  # noqa: PTH119


def test_an_answer_from_another_machines_file_is_checked_as_it_was_read(machines, tmp_path):
    anna, ben = machines
    with on_disk(tmp_path / "notes", "anna") as notes:
        anna.index_files.index_folder(write_files(notes, {"plan.md": ROSES}))
    answer = ben.ask.answer_question("When are the roses pruned?", today=NOON.date())
    kept = ben.keep_answer.save_answer(answer, asked_at=NOON)
    with on_disk(tmp_path / "notes", "ben") as notes:
        write_files(notes, {"plan.md": "# Private\n\nNobody indexed this.\n"})
        checked = ben.verify_answer.verify_answer(kept.answer_id, today=NOON.date())
    assert checked.claims and all(not each.gone for each in checked.claims)
    assert known(ben) == [("anna", "plan.md")], "a file that only has the same path was not read"


def repository(place, files):
    """A new repository at a path, with one commit."""
    made = SmallRepository(place)
    made.commit(files)
    return made


def test_refs_of_two_repositories_at_one_path_are_kept_apart(machines, tmp_path):
    anna, ben = machines
    place = tmp_path / "work"
    annas = repository(place, {"a.md": ROSES})
    anna.index_git.index_ref(place, "master")
    place.rename(tmp_path / "work-anna")
    repository(place, {"b.md": TULIPS})
    ben.index_git.index_ref(place, "master")
    place.rename(tmp_path / "work-ben")
    assert known(anna) == [("anna", "a.md"), ("ben", "b.md")]
    with on_disk(place, "anna"):
        annas.commit({"c.md": LILIES})
        report = anna.index_git.index_ref(place, "master")
        assert (report.added, report.removed) == (1, 1)
    assert known(anna) == [("anna", "c.md"), ("ben", "b.md")]
    assert anna.index_git.remove(place) == 1
    assert known(anna) == [("ben", "b.md")]


def test_documents_without_a_disk_become_those_of_the_machine_that_has_their_files(machines, tmp_path):
    """As after an older Bob, or when a database file was copied to a server."""
    anna, ben = machines
    with on_disk(tmp_path / "notes", "anna") as notes:
        anna.index_files.index_folder(write_files(notes, {"a.md": ROSES, "b.md": TULIPS}), "garden")
    with anna.database.write() as connection:
        for table in ("documents", "sources"):
            connection.execute(f"UPDATE {table} SET disk_id = '' WHERE org_id = :org")
    with on_disk(tmp_path / "notes", "ben") as notes:
        ben.index_files.index_folder(write_files(notes, {"b.md": TULIPS, "c.md": LILIES}))
    assert known(ben) == [("", "a.md"), ("ben", "b.md"), ("ben", "c.md")]
    with on_disk(tmp_path / "notes", "anna") as notes:
        (notes / "b.md").unlink()
        report = anna.index_files.index_folder(notes)
        assert (report.project, report.unchanged, report.removed) == ("garden", 1, 0)
    assert known(ben) == [("anna", "a.md"), ("ben", "b.md"), ("ben", "c.md")]


def test_refs_without_a_disk_become_those_of_the_machine_that_has_their_commit(machines, tmp_path):
    anna, ben = machines
    place = tmp_path / "work"
    annas = repository(place, {"a.md": ROSES})
    anna.index_git.index_ref(place, "master")
    with anna.database.write() as connection:
        for table in ("documents", "sources", "git_sources"):
            connection.execute(f"UPDATE {table} SET disk_id = '' WHERE org_id = :org")
    place.rename(tmp_path / "work-anna")
    repository(place, {"b.md": TULIPS})
    ben.index_git.index_ref(place, "master")
    place.rename(tmp_path / "work-ben")
    assert known(anna) == [("", "a.md"), ("ben", "b.md")]
    with on_disk(place, "anna"):
        annas.commit({"c.md": LILIES})
        report = anna.index_git.index_ref(place, "master")
        assert (report.added, report.removed) == (1, 1)
    assert known(anna) == [("anna", "c.md"), ("ben", "b.md")]


def test_a_database_file_is_one_machine_wherever_it_goes(tmp_path):
    """A laptop's file on another laptop, with the folders beside it: what is gone from them goes."""
    notes = write_files(tmp_path / "notes", {"a.md": ROSES, "b.md": TULIPS})
    first = engine_over(tmp_path / "bob.db", disk="anna")
    first.index_files.index_folder(notes)
    first.close()
    (notes / "b.md").unlink()
    second = engine_over(tmp_path / "bob.db", disk="ben")
    assert second.index_files.index_folder(notes).removed == 1
    assert known(second) == [("", "a.md")] and second.status.report()["elsewhere"] == []
    second.close()


def test_a_disk_that_cannot_be_named_is_told(tmp_path, address):
    blocked = tmp_path / "uploads"
    blocked.write_text("a file where a folder has to be")
    engine = engine_over(address, cache=str(tmp_path / "cache"), server={"uploads": str(blocked)})
    with pytest.raises(UsageError, match="the name of this disk cannot be saved there"):
        engine.disks.name_uploads()
    engine.close()
