"""The library, answers and chats page by page, the same on both engines."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_memory import indexed, record

from bob.answers.answer import Answer, DateConfidence, last_answers, save_answer
from bob.conversations import rows as conversation_rows
from bob.core.conversation import Scope
from bob.core.document import SourceDate
from bob.core.errors import NotFoundError, RequestError
from bob.core.search import NO_FILTERS, Filters
from bob.documents import failure_rows, source_rows
from bob.documents import rows as document_rows
from bob.documents.failure_rows import Failure
from bob.documents.library import Library
from bob.http import params

ORDERS = ("path", "title", "newest", "oldest")
DATES = [None, date(2020, 1, 1), date(2021, 1, 1), date(2020, 1, 1), None, date(2019, 5, 5), date(2021, 1, 1)]


@pytest.fixture
def library(database):
    with database.write() as connection:
        for number, day in enumerate(DATES):
            dated = None if day is None else SourceDate(day, "front_matter")
            title = f"T{number % 3}"
            made = record(f"/n/{9 - number}.md", title=title, source_date=dated, project=f"p{number % 2}")
            document_rows.save(connection, made, indexed("some words", "and more"), "m@1")
        source_rows.remember(connection, "/n", "p0")
        source_rows.remember(connection, "/empty", "p9")
    side = database.for_organization("other")
    with side.write() as connection:
        document_rows.save(connection, record("/o/1.md"), indexed("not ours"), "m@1")
    return Library(database)


def paged(library, order, limit, filters=NO_FILTERS):
    after, found = None, []
    while True:
        page = library.page(filters, order, after, limit)
        assert len(page.documents) <= limit
        found += page.documents
        after = page.following
        if after is None:
            return found


@pytest.mark.parametrize("order", ORDERS)
def test_pages_are_the_whole_list_cut(library, order):
    whole = library.page(NO_FILTERS, order, None, 100).documents
    assert len(whole) == len(DATES)
    for limit in (1, 2, 3, 7):
        assert paged(library, order, limit) == whole
        few = paged(library, order, limit, Filters(projects=("p1",)))
        assert few == [each for each in whole if each.project == "p1"]
    if order in ("newest", "oldest"):
        days = [each.source_date for each in whole if each.source_date is not None]
        assert days == sorted(days, reverse=order == "newest") and whole[5:] == [
            each for each in whole if each.source_date is None
        ]


def test_projects_documents_chunks_and_failures_are_the_organizations(library, database):
    with database.write() as connection:
        failure_rows.record(connection, Failure("/n/x.docx", "encrypted", "needs a password"), 1, 1)
    projects = {each["project"]: each for each in library.projects()}
    assert [*projects] == ["p0", "p1", "p9"]
    assert projects["p0"]["documents"] == 4 and projects["p0"]["chunks"] == 8
    assert (projects["p0"]["newest"], projects["p0"]["folders"]) == ("2021-01-01", ["/n"])
    assert (projects["p9"]["documents"], projects["p9"]["newest"]) == (0, None)
    first = library.page(NO_FILTERS, "path", None, 1).documents[0]
    found = library.chunks(first.document_id, 1, 5)
    assert [(each.ordinal, each.text) for each in found] == [(1, "and more")]
    assert library.chunk(first.document_id, found[0].chunk_id) == found[0]
    assert library.failures()[0]["advice"].startswith("Save a copy")
    for wrong in (lambda: library.document(999), lambda: library.chunk(first.document_id, 999)):
        with pytest.raises(NotFoundError):
            wrong()
    other = Library(database.for_organization("other"))
    assert [each.path for each in other.page(NO_FILTERS, "path", None, 9).documents] == ["/o/1.md"]


def test_answers_and_chats_go_on_after_one(database):
    moment = datetime(2025, 1, 1, tzinfo=UTC)
    for _ in range(4):
        empty = Answer("?", False, "", (), (), DateConfidence("low", ""), {})
        with database.write(1) as connection:
            save_answer(connection, empty, NO_FILTERS, moment)
        with database.write() as connection:
            conversation_rows.start(connection, Scope("local", "me"), None, "", moment)
    with database.read() as connection:
        newest = [each.answer_id for each in last_answers(connection, 9)]
        rest = [each.answer_id for each in last_answers(connection, 9, newest[1])]
    assert newest == sorted(newest, reverse=True) and rest == newest[2:]
    with database.read() as connection:
        listed = conversation_rows.recent(connection, "me", 9)
        second = listed[1]
        after = conversation_rows.recent(connection, "me", 9, before=(second.last_message_at, second.chat_id))
    assert len(listed) == 4 and after == listed[2:]


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.none() | NUMBERS | TEXTS, max_size=5))
def test_a_cursor_gives_back_what_it_was_made_of(values):
    assert params.read_cursor(params.write_cursor(*values), "cursor") == values


@given(st.text())
def test_any_other_text_is_no_cursor_or_a_list(text):
    try:
        found = params.read_cursor(text, "cursor")
    except RequestError as error:
        assert error.field == "cursor"
    else:
        assert isinstance(found, list)
