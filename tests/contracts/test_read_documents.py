"""Which documents may be seen, on either engine: a query never widens the conditions that hold besides."""

from dataclasses import replace

import pytest
from small_memory import indexed, record

from bob.core.errors import NotFoundError
from bob.core.search import NO_FILTERS, Filters
from bob.documents import failure_rows, source_rows
from bob.documents import rows as document_rows
from bob.documents.disks import LocalDisks
from bob.documents.failure_rows import Failure
from bob.documents.left_out_rows import ReadInPart
from bob.documents.read_documents import PAGE, ReadDocuments
from bob.search.query import documents_matching

MODEL = "hashing@1"
FOLDERS = {"/a": "garden", "/b": "Office"}


@pytest.fixture
def reader(database):
    for org_id in ("local", "other"):
        with database.for_organization(org_id).write() as connection:
            for folder, project in FOLDERS.items():
                source_rows.remember(connection, folder, project)
                for name in ("one", "two"):
                    left_out = ("page 2 has no text",) if name == "two" else ()
                    made = record(f"{folder}/{name}.md", project=project, tags=(name,), left_out=left_out)
                    document_rows.save(connection, made, indexed(f"{name} of {folder}", "more"), MODEL)
                failure = Failure(f"{folder}/bad.pdf", "encrypted", "it is encrypted")
                failure_rows.record(connection, failure, 1, 1)
    return ReadDocuments(database, MODEL, LocalDisks())


def test_conditions_within_hold_besides_all_others(reader, database):
    def paths(filters):
        with database.read() as connection:
            ids = documents_matching(connection, filters)
        return {each.path for each in reader.page(NO_FILTERS)[0] if each.document_id in ids}

    garden = Filters(projects=("GARDEN",))
    assert paths(garden) == {"/a/one.md", "/a/two.md"}
    for asked in (
        Filters(projects=("office",)),
        Filters(path_prefixes=("/b",)),
        Filters(projects=("garden", "office"), path_prefixes=("/b", "b/one.md")),
    ):
        assert paths(asked) - paths(garden)
        assert paths(replace(asked, within=garden)) <= paths(garden)
    assert paths(Filters(tags=("one",), within=Filters(tags=("two",)))) == set()
    office = Filters(projects=("office",), within=NO_FILTERS)
    assert paths(Filters(tags=("one",), within=office)) == {"/b/one.md"}
    told = Filters(tags=("one",), within=garden).to_json()
    assert told == {"tags": ["one"], "within": {"projects": ["GARDEN"]}}
    assert Filters(within=garden) != NO_FILTERS


def test_what_may_not_be_seen_is_as_what_is_not_there(reader):
    allowed = Filters(path_prefixes=("/a",))
    heads, more = reader.page(allowed)
    assert [each.path for each in heads] == ["/a/one.md", "/a/two.md"] and not more
    every = {each.path: each.document_id for each in reader.page(NO_FILTERS)[0]}
    whole = reader.read(every["/a/one.md"], allowed, 0, 100)
    assert (whole.text, whole.characters, whole.next_start) == ("one of /a\n\nmore", 15, None)
    part = reader.read(every["/a/one.md"], allowed, 4, 5)
    assert (part.text, part.next_start) == ("of /a", 9)
    assert reader.read(every["/a/one.md"], allowed, 99, 5).text == ""
    for number in (every["/b/one.md"], 99, 0):
        with pytest.raises(NotFoundError, match=f"no document {number};"):
            reader.read(number, allowed, 0, 10)
    assert reader.at("/a/one.md", allowed).title == "one"
    assert reader.at("/a", allowed) is None and reader.at("/b/one.md", allowed) is None


def test_counts_are_of_what_may_be_seen(reader):
    seen = reader.visible(Filters(projects=("office",)))
    assert [(each.project, each.documents) for each in seen.projects] == [("Office", 2)]
    assert (seen.documents, seen.chunks, [each.path for each in seen.failures]) == (2, 4, ["/b/bad.pdf"])
    assert [each.path for each in reader.visible(Filters(path_prefixes=("/a",))).failures] == ["/a/bad.pdf"]
    assert len(reader.visible(NO_FILTERS).failures) == 2
    assert seen.read_in_part == (ReadInPart("/b/two.md", ("page 2 has no text",)),)
    assert [each.path for each in reader.visible(NO_FILTERS).read_in_part] == ["/a/two.md", "/b/two.md"]
    assert reader.visible(Filters(tags=("one",))).read_in_part == ()


def test_many_documents_come_in_pages(reader, database):
    with database.write() as connection:
        for number in range(PAGE):
            document_rows.save(connection, record(f"/a/{number}.md"), indexed("text"), MODEL)
    first, more = reader.page(NO_FILTERS)
    assert len(first) == PAGE and more
    second, more = reader.page(NO_FILTERS, first[-1].document_id)
    assert len(second) == 4 and not more
