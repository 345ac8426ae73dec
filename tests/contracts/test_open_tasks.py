"""Chunks with open boxes, on both engines: of one organization, of the present, the newest first."""

from datetime import date

from small_memory import add_rows, indexed, record

from bob.core.document import SourceDate
from bob.documents import rows as document_rows
from bob.notes import task_rows
from bob.search.index import found_chunks

MODEL = "hashing@1"


def save(database, path, *texts, org="local", **values):
    with database.for_organization(org).write() as connection:
        return document_rows.save(connection, record(path, **values), indexed(*texts), MODEL).document_id


def found(database, project=None, limit=10):
    with database.read() as connection:
        numbers = task_rows.chunks_with_boxes(connection, project, limit)
        known = found_chunks(connection, numbers) if numbers else {}
    return [known[number].text for number in numbers]


def test_boxes_are_found_where_they_count(database):
    save(database, "/n/old.md", "- [ ] old", "100% done", "- [x] ticked", project="Água")
    save(database, "/n/new.md", "- [ ] new", source_date=SourceDate(date(2025, 6, 1), "mtime"))
    save(database, "/n/code.py", "# - [ ] code", source_type="code")
    save(database, "/n/other.md", "- [ ] other", org="other")
    past = save(database, "/n/past.md", "- [ ] past")
    with database.write() as connection:
        add_rows(connection, "past_documents", {"document_id": past, "valid_until": "2025-01-01"})
    assert found(database) == ["- [ ] new", "- [ ] old"]
    assert found(database, limit=1) == ["- [ ] new"]
    assert found(database, "NOTES") == ["- [ ] new"] and found(database, "gate") == []
    assert found(database, "Água") == ["- [ ] old"]
