"""Notes that are captured: where they go, what they are called, and that they are found."""

from datetime import date
from pathlib import Path

import pytest
from small_memory import engine_over, write_files

from bob.core.errors import UsageError
from bob.notes.capture import NoteRequest
from bob.search.query import parse_query

DAY = date(2025, 1, 31)


@pytest.fixture
def engine(tmp_path):
    (tmp_path / "notes").mkdir()
    made = engine_over(tmp_path / "bob.db", notes={"folders": [str(tmp_path / "notes")]})
    yield made
    made.close()


def note(engine, kind, title=None, into=None, *, write=True, index=True, tags=(), **values):
    given = values if title is None else values | {"title": title}
    request = NoteRequest(kind, DAY, given, tags, into)
    return engine.knowledge.capture.write_note(request, write=write, index=index)


def paths_found(engine, words):
    return [Path(hit.chunk.path) for hit in engine.search.search_chunks(parse_query(words), 10).hits]


def test_a_note_is_found_at_once_when_its_folder_is_indexed(engine, tmp_path):
    before = note(engine, "meeting", "Before the index")
    assert (before.written, before.indexed) == (True, False)
    engine.index_files.index_folder(tmp_path / "notes", "acme")
    after = note(engine, "meeting", "Quince harvest", tags=("fruit",), background="Late frost.")
    assert after.indexed and paths_found(engine, "quince frost")[0] == after.path
    chunk = engine.search.search_chunks(parse_query("quince tag:fruit"), 1).hits[0].chunk
    assert (chunk.title, chunk.project, chunk.source_date) == ("Quince harvest", "acme", DAY)
    assert "\nproject: acme\n" in after.text, "the note says what its folder says"
    left_out = note(engine, "meeting", "Secret pears", index=False)
    assert not left_out.indexed and left_out.path not in paths_found(engine, "pears")
    engine.index_files.index_folder(tmp_path / "notes")
    assert left_out.path in paths_found(engine, "pears"), "the next run finds it"


def test_a_note_that_cannot_be_indexed_is_written_all_the_same(engine, tmp_path, monkeypatch):
    engine.index_files.index_folder(tmp_path / "notes")

    def fails(_):
        raise UsageError("the folder is being indexed by another process")

    monkeypatch.setattr(engine.knowledge.capture, "_index", fails)
    made = note(engine, "meeting", "Late harvest")
    assert (made.written, made.indexed) == (True, False) and made.path.is_file()


def test_names_are_free_and_nothing_is_overwritten(engine, tmp_path):
    names = [note(engine, "daily").path.relative_to(tmp_path / "notes").as_posix() for _ in range(3)]
    assert names == ["daily/2025-01-31.md", "daily/2025-01-31-2.md", "daily/2025-01-31-3.md"]
    assert note(engine, "meeting", "../../Ação: já?").path.name == "2025-01-31-ação-já.md"
    assert note(engine, "project", "CON").path.name == "con-note.md"


def test_decisions_are_numbered_in_their_folder(engine, tmp_path):
    assert note(engine, "decision", "Rent out", write=False).path.name == "0001-rent-out.md"
    write_files(
        tmp_path / "notes" / "decisions", {"0041-old.md": "x", "9 lives.md": "x", "2025-02-01.md": "x"}
    )
    made = note(engine, "decision", "Rent out")
    assert made.path.name == "0042-rent-out.md" and "# ADR-0042: Rent out\n" in made.text
    assert note(engine, "decision", "Rent out").path.name == "0043-rent-out.md"


def test_what_would_be_written_is_shown_and_not_written(engine, tmp_path):
    shown = note(engine, "trip", "Faro", write=False)
    assert not shown.written and list((tmp_path / "notes").iterdir()) == []
    assert note(engine, "trip", "Faro").text == shown.text == shown.path.read_text("utf-8")


def test_notes_go_where_is_allowed_or_indexed_and_nowhere_else(engine, tmp_path):
    other = tmp_path / "other"
    write_files(other, {"a.md": "# Plum\n\nPlums are blue.\n"})
    with pytest.raises(UsageError, match=r"notes must be below .*notes; add"):
        note(engine, "daily", into=other)
    engine.index_files.index_folder(other)
    made = note(engine, "daily", into=other / "days")
    assert made.path == other / "days" / "2025-01-31.md" and made.indexed
    assert note(engine, "daily", into=tmp_path / "notes" / "here").path.parent.name == "here"
    with pytest.raises(UsageError, match="hidden"):
        note(engine, "daily", into=other / ".git")
    with pytest.raises(UsageError, match="the year of a note"):
        engine.knowledge.capture.write_note(NoteRequest("daily", date(1899, 12, 31)))


def test_without_a_folder_it_is_told_what_to_set(tmp_path):
    engine = engine_over(tmp_path / "bob.db")
    with pytest.raises(UsageError, match=r"set notes\.folders"):
        note(engine, "daily")
    engine.close()


def test_a_template_of_ones_own_cannot_lead_out(tmp_path):
    write_files(tmp_path / "own", {"leak.md": "---\ntemplate: {folder: ../out, file: x}\n---\nx\n"})
    (tmp_path / "notes").mkdir()
    notes = {"folders": [str(tmp_path / "notes")], "templates": str(tmp_path / "own")}
    engine = engine_over(tmp_path / "bob.db", notes=notes)
    with pytest.raises(UsageError, match="notes must be below"):
        note(engine, "leak", "T")
    assert not (tmp_path / "out").exists()
    engine.close()
