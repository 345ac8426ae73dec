"""One run of indexing, and what the next one makes of what it left behind."""

import os
import threading
from pathlib import Path

import pytest
from drawn_pdf import SCAN, drawn_pdf, paragraph
from small_memory import HashingEmbedder, engine_over, write_files

from bob.core.errors import ModelError, UsageError
from bob.documents import index_files, ingest_changes
from bob.documents.left_out_rows import ReadInPart
from bob.documents.parse_file import ParseFile
from bob.documents.scan import Scan
from bob.search.query import parse_query
from bob.storage import jobs
from bob.text.words import postings

NOTES = {
    "a.md": "# Harbour\n\nThe harbour master keeps the key.\n\n# Tide\n\nHigh tide is at noon.\n",
    "sub/b.txt": "The lighthouse was painted in May.\n",
    "sub/c.csv": "thing,count\nlantern,4\n",
}


@pytest.fixture
def notes(tmp_path):
    return write_files(tmp_path / "notes", NOTES)


def found(engine, query):
    return {Path(hit.chunk.path).name for hit in engine.search.search_chunks(parse_query(query), 10).hits}


def found_by_words(engine, words):
    result = engine.search.search_chunks(parse_query(words), 10, mode="words")
    return {Path(hit.chunk.path).name for hit in result.hits}


def counts(report):
    return report.added, report.changed, report.moved, report.removed, report.unchanged


def test_what_did_not_change_is_not_read_and_not_embedded(engine, notes):
    assert counts(engine.index_files.index_folder(notes)) == (3, 0, 0, 0, 0)
    embedded = engine.embedder.texts
    report = engine.index_files.index_folder(notes)
    assert counts(report) == (0, 0, 0, 0, 3) and report.chunks_embedded == 0
    assert engine.embedder.texts == embedded


def test_a_file_written_again_with_the_same_content_is_unchanged(engine, notes):
    engine.index_files.index_folder(notes)
    os.utime(notes / "a.md", (1, 1))
    assert counts(engine.index_files.index_folder(notes)) == (0, 0, 0, 0, 3)
    assert counts(engine.index_files.index_folder(notes)) == (0, 0, 0, 0, 3)


def made_by_an_older_reading(engine, postings=None):
    with engine.database.write() as transaction:
        transaction.execute("UPDATE documents SET reading = 0 WHERE org_id = :org")
        if postings is not None:
            transaction.execute(
                "UPDATE chunk_postings SET postings = :old WHERE org_id = :org", {"old": postings}
            )


def test_what_an_older_reading_made_is_read_again(engine, notes):
    engine.index_files.index_folder(notes)
    embedded = engine.embedder.texts
    made_by_an_older_reading(engine)
    (notes / "sub" / "c.csv").write_text("thing,count\nlantern,5\n", encoding="utf-8")
    assert engine.status.report()["read_by_older_version"] == 3
    report = engine.index_files.index_folder(notes)
    assert counts(report) == (0, 1, 0, 0, 0) and report.read_again == 2 and report.chunks_kept == 3
    assert engine.status.report()["read_by_older_version"] == 0
    assert engine.embedder.texts == embedded + 1
    assert counts(engine.index_files.index_folder(notes)) == (0, 0, 0, 0, 3)


def test_what_is_left_out_of_a_document_is_told_until_it_is_whole(engine, notes):
    def told():
        return [(each["path"], *each["left_out"]) for each in engine.status.report()["read_in_part"]]

    plan, text = notes / "plan.pdf", paragraph("The pier is painted in spring.")
    report = engine.index_files.index_folder(drawn_pdf(plan, text, SCAN).parent)
    sentence = "page 2 has no text (scanned?)"
    assert report.read_in_part == [ReadInPart(str(plan), (sentence,))] and not report.failures
    assert told() == [(str(plan), sentence)]
    assert engine.index_files.index_folder(notes).read_in_part == [], "it was not read again"
    moved = plan.rename(notes / "pier.pdf")
    assert engine.index_files.index_folder(notes).moved == 1 and told() == [(str(moved), sentence)]
    drawn_pdf(moved, text, paragraph("The rope is new."))
    assert engine.index_files.index_folder(notes).read_in_part == [] == told()
    drawn_pdf(moved, text, SCAN)
    assert engine.index_files.index_folder(notes).changed == 1 and told()
    moved.unlink()
    assert engine.index_files.index_folder(notes).removed == 1 and not told()


def test_words_that_are_read_otherwise_are_found_and_cost_no_vectors(engine, notes):
    engine.index_files.index_folder(notes)
    embedded, nothing = engine.embedder.texts, postings("", (), "en")
    made_by_an_older_reading(engine, nothing)
    report = engine.index_files.index_folder(notes)
    assert (report.read_again, report.chunks_added, report.chunks_kept) == (3, 4, 0)
    assert engine.embedder.texts == embedded and report.vectors_pending == 0
    assert found(engine, '"lighthouse was"') == {"b.txt"}


def test_what_was_read_stays_where_memory_runs_out(engine, notes, monkeypatch):
    engine.index_files.index_folder(notes)
    (notes / "a.md").write_text("# Harbour\n\nThe harbour is closed.\n", encoding="utf-8")

    def out_of_memory(self, job):
        raise MemoryError

    monkeypatch.setattr(ParseFile, "__call__", out_of_memory)
    report = engine.index_files.index_folder(notes)
    assert [failure.code for failure in report.failures] == ["memory"]
    assert found(engine, '"harbour master"') == {"a.md"}


def test_changed_moved_and_removed_files(engine, notes):
    engine.index_files.index_folder(notes)
    (notes / "a.md").write_text(NOTES["a.md"].replace("noon", "midnight"), encoding="utf-8")
    (notes / "sub" / "b.txt").rename(notes / "moved.txt")
    (notes / "sub" / "c.csv").unlink()
    report = engine.index_files.index_folder(notes)
    assert counts(report) == (0, 1, 1, 1, 0)
    assert (report.chunks_added, report.chunks_kept, report.chunks_embedded) == (2, 1, 1)
    assert found(engine, '"at midnight"') == {"a.md"} and found(engine, '"lighthouse was"') == {"moved.txt"}
    assert found(engine, "type:csv") == set()


def test_a_new_title_or_date_is_found_by_its_words_and_costs_no_vectors(engine, notes):
    engine.index_files.index_folder(notes)
    embedded = engine.embedder.texts
    (notes / "sub" / "b.txt").rename(notes / "sub" / "walrus 2024-03-05.txt")
    report = engine.index_files.index_folder(notes)
    assert counts(report) == (0, 0, 1, 0, 2)
    assert engine.embedder.texts == embedded and report.vectors_pending == 0
    assert found_by_words(engine, "walrus") == {"walrus 2024-03-05.txt"}
    assert found(engine, '"lighthouse was"') == {"walrus 2024-03-05.txt"}


def test_the_same_folder_by_another_way_is_the_same_folder(engine, notes, monkeypatch):
    engine.index_files.index_folder(notes)
    monkeypatch.chdir(notes / "sub")
    assert counts(engine.index_files.index_folder(Path(".."))) == (0, 0, 0, 0, 3)
    monkeypatch.setenv("HOME", str(notes.parent))
    assert counts(engine.index_files.index_folder(Path("~/notes"))) == (0, 0, 0, 0, 3)
    assert counts(engine.index_files.index_folder(notes / "sub" / ".." / "sub")) == (0, 0, 0, 0, 2)
    assert engine.index_files.remove(Path("../../notes")) == 3


@pytest.mark.parametrize("name", ["nowhere", "x" * 5_000, "~nobody-has-this-name/x", "odd\udcff"])
def test_a_root_that_is_none_is_told(engine, tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "\udcff" in name:
        Path(name).mkdir()
    with pytest.raises(UsageError):
        engine.index_files.index_folder(Path(name))


def test_an_interruption_between_two_commits_keeps_what_is_committed(engine, notes, monkeypatch):
    """The snapshot is made after a commit, and can take long enough for someone to lose patience."""
    monkeypatch.setattr(ingest_changes, "_COMMIT_CHUNKS", 1)
    compact = engine.index.compact
    calls = []

    def impatient(**more):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return compact(**more)

    monkeypatch.setattr(engine.index, "compact", impatient)
    report = engine.index_files.index_folder(notes)
    assert report.interrupted and report.added == 2
    assert counts(engine.index_files.index_folder(notes)) == (1, 0, 0, 0, 2)
    assert engine.status.report()["vectors"] == {"done": 4, "pending": 0}


def test_leaving_vectors_for_later_makes_none(engine, notes):
    report = engine.index_files.index_folder(notes, embed_seconds=0.0)
    assert report.vectors_pending == 4 and engine.embedder.texts == 0
    assert found(engine, "lighthouse") == {"b.txt"}
    assert engine.index_files.index_folder(notes).chunks_embedded == 4


def test_a_model_that_fails_leaves_the_words(tmp_path, notes):
    class Broken(HashingEmbedder):
        def embed(self, texts):
            raise ModelError("the server is down")

    engine = engine_over(tmp_path / "bob.db", embedder=Broken())
    report = engine.index_files.index_folder(notes)
    assert (report.vectors_error, report.vectors_pending) == ("the server is down", 4)
    assert engine.status.report()["jobs"]["queued"] == 3
    engine.close()


def test_another_model_embeds_all_anew(tmp_path, notes):
    for model in ("hashing@1", "hashing@2"):
        engine = engine_over(tmp_path / "bob.db", embedder=HashingEmbedder(model))
        report = engine.index_files.index_folder(notes)
        assert report.chunks_embedded == 4 and report.vectors_pending == 0
        assert found(engine, "lighthouse painted") >= {"b.txt"}
        engine.close()


def test_folders_that_cannot_be_listed_are_failures_and_keep_what_they_held(engine, notes, monkeypatch):
    engine.index_files.index_folder(notes)
    listed = index_files.scan

    def refusing(root, **more):
        whole = listed(root, **more)
        kept = [each for each in whole.files if "/sub/" not in each.path]
        return Scan(kept, [(str(notes / "sub"), "the folder cannot be read: Permission denied")])

    monkeypatch.setattr(index_files, "scan", refusing)
    for _ in range(2):
        report = engine.index_files.index_folder(notes)
        assert counts(report) == (0, 0, 0, 0, 1) and len(report.failures) == 1
        (failure,) = engine.status.report()["failures"]
        assert failure["path"] == str(notes / "sub") and "Permission denied" in failure["reason"]
    monkeypatch.undo()
    assert engine.index_files.index_folder(notes).failures == []
    assert engine.status.report()["failures"] == []


def test_the_project_is_the_folders_name_unless_it_is_named(engine, notes):
    assert engine.index_files.index_folder(notes).project == "notes"
    assert engine.index_files.index_folder(notes / "sub").project == "notes"
    assert engine.index_files.index_folder(notes, "acme").project == "acme"
    assert engine.index_files.index_folder(notes).project == "acme"
    assert [each["project"] for each in engine.status.report()["projects"]] == ["acme"]
    assert found(engine, "project:acme lighthouse") >= {"b.txt"} and found(engine, "project:notes x") == set()


def test_vectors_that_were_made_and_never_shown_are_shown_by_the_next_run(engine, notes):
    engine.index_files.index_folder(notes, embed_seconds=0.0)
    with engine.database.write() as connection:
        held = jobs.claim(connection, "embed", 10, 0.0)
    list(engine.embed_pending._embedded(held))  # and here the process died
    with engine.database.write() as connection:
        jobs.release(connection, held)
    assert engine.status.report()["vectors"]["pending"] == 4
    embedded = engine.embedder.texts
    assert engine.index_files.index_folder(notes).vectors_pending == 0
    assert engine.status.report()["jobs"]["queued"] == 0 and engine.embedder.texts == embedded
    assert all(
        hit.explain.cosine is not None for hit in engine.search.search_chunks(parse_query("tide"), 9).hits
    )


def test_a_model_that_cannot_be_loaded_is_told_once(engine):
    class Broken(HashingEmbedder):
        def embed(self, texts):
            raise ModelError("the file is damaged")

    engine.embedder = Broken()
    before = set(threading.enumerate())
    engine.warm_up()  # an error in a thread would fail the test
    for thread in set(threading.enumerate()) - before:
        thread.join()


def test_hidden_files_are_counted_but_not_those_of_tools_or_that_are_ignored(engine, tmp_path):
    files = {
        ".env.example": "PORT=80\n",
        ".lint.yml": "a: 1\n",
        ".gitignore": ".lint.yml\n",
        ".git/x.md": "Text.",
    }
    report = engine.index_files.index_folder(write_files(tmp_path / "hidden", files))
    assert counts(report) == (0, 0, 0, 0, 0)
    assert report.skipped == {"hidden": 1}
