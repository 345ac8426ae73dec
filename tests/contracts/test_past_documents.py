"""What a newer version has replaced is found for the days on which it held, and on no other."""

from datetime import date

import numpy as np
import pytest
from small_memory import HashingEmbedder, indexed, record

from bob.core.document import SourceDate
from bob.core.search import Filters
from bob.documents import past_rows, project_text
from bob.documents import rows as document_rows
from bob.search.index import SearchIndex, mask_of, rank_words
from bob.search.query import chunk_headings, documents_matching
from bob.search.ranking import Bm25, best
from bob.search.snapshot import Recipe
from bob.text.words import query_terms

ORG = "local"
MODEL = HashingEmbedder().model_id


def save(database, path, text, day, until=None, org=ORG, **values):
    dated = SourceDate(day, "git") if day else None
    with database.for_organization(org).write() as connection:
        kept = record(path, source_date=dated, **values)
        saved = document_rows.save(connection, kept, indexed(text), MODEL)
        past_rows.mark(connection, saved.document_id, until)
    return saved.document_id


def matching(database, org=ORG, **conditions):
    with database.for_organization(org).read() as connection:
        return sorted(documents_matching(connection, Filters(**conditions)))


def an_index(database):
    return SearchIndex(database, Recipe("terms-1", MODEL, 64, Bm25(0.9, 0.4, 1.0)))


def found(index, word, allowed=None):
    view = index.view()
    scores, *_ = rank_words(view, query_terms(word, view.languages), mask_of(view, allowed))
    return sorted(int(view.document_ids[row]) for row in best(scores, 100))


@pytest.fixture
def three(database):
    """A document with two past versions, and one that was always as it is."""
    first = save(database, "/g/a.md@1", "apple pear", date(2020, 1, 1), date(2020, 2, 1))
    second = save(database, "/g/a.md@2", "apple plum", date(2020, 2, 1), date(2020, 3, 1), tags=("red",))
    now = save(database, "/g/a.md", "apple fig", date(2020, 3, 1))
    other = save(database, "/g/b.md", "apple kiwi", date(2020, 2, 15), project="other")
    return first, second, now, other


def test_what_passes_on_which_day(database, three):
    first, second, now, other = three
    assert matching(database) == sorted([now, other])
    expected = {
        date(2019, 12, 31): [],
        date(2020, 1, 1): [first],
        date(2020, 1, 31): [first],
        date(2020, 2, 1): [second],
        date(2020, 2, 15): [second, other],
        date(2020, 2, 29): [second, other],
        date(2020, 3, 1): [now, other],
        date(2030, 1, 1): [now, other],
    }
    assert {day: matching(database, as_of=day) for day in expected} == {
        day: sorted(each) for day, each in expected.items()
    }


def test_other_conditions_hold_too(database, three):
    _, second, now, other = three
    day = date(2020, 2, 20)
    assert matching(database, as_of=day, projects=("other",)) == [other]
    assert (
        matching(database, as_of=day, tags=("red",)) == [second] and matching(database, tags=("red",)) == []
    )
    assert matching(database, as_of=day, path_prefixes=("/g/a.md@2",)) == [second]
    assert matching(database, after=date(2020, 1, 1), before=date(2020, 3, 2)) == sorted([now, other])
    undated = save(database, "/g/c.md", "apple lime", None)
    assert undated in matching(database, as_of=day)


def test_a_version_that_was_replaced_on_its_first_day_never_passes(database):
    save(database, "/g/a.md@1", "apple pear", date(2020, 1, 1), date(2020, 1, 1))
    assert [matching(database, as_of=date(2020, 1, day)) for day in (1, 2)] == [[], []]


def test_a_search_sees_what_holds_now_in_base_and_delta(database, three):
    _, _, now, other = three
    index, outside = an_index(database), an_index(database)
    assert found(index, "apple") == sorted([now, other])
    index.compact(force=True)
    assert found(index, "apple") == sorted([now, other]) and found(index, "plum") == []
    later = save(database, "/g/d.md", "apple date", date(2020, 4, 1))
    assert found(index, "apple") == found(outside, "apple") == sorted([now, other, later])
    with database.write() as connection:  # nothing else changes
        past_rows.mark(connection, later, date(2020, 5, 1))
    assert found(index, "apple") == found(outside, "apple") == sorted([now, other])
    with database.write() as connection:
        past_rows.mark(connection, later, None)
    assert found(index, "apple") == sorted([now, other, later])


def test_a_search_of_a_day_sees_that_day(database, three):
    _, second, _, other = three
    index = an_index(database)
    allowed = matching(database, as_of=date(2020, 2, 20))
    assert found(index, "apple", allowed) == sorted([second, other]) and found(index, "plum", allowed) == [
        second
    ]


def test_without_a_past_the_view_has_one_mask(database):
    save(database, "/g/a.md", "apple", date(2020, 1, 1))
    index = an_index(database)
    view = index.view()
    assert view.current is view.alive and index.view() is view
    document_id = save(database, "/g/a.md@1", "apple", date(2020, 1, 1), date(2020, 2, 1))
    assert np.count_nonzero(index.view().current) == 1
    with database.write() as connection:
        document_rows.remove(connection, [document_id])
    assert matching(database, as_of=date(2020, 1, 2)) == matching(database)
    assert index.view().current.tolist() == index.view().alive.tolist()


def test_whole_texts_and_headings_are_of_now(database, three):
    with database.read() as connection:
        texts = [each.text for each in project_text.documents_of(connection, "notes")]
        outline = project_text.outline_of(connection, "notes")
        paths = [each[0] for each in chunk_headings(connection)]
    assert texts == ["apple fig"] and len(outline) == 1 and paths == ["/g/a.md", "/g/b.md"]


def test_the_past_of_another_organization_is_its_own(database, three):
    first, second, now, other = three
    mine = matching(database, as_of=date(2020, 1, 10))
    theirs = save(database, "/g/a.md@1", "apple pear", date(2020, 1, 1), date(2020, 2, 1), org="other")
    assert matching(database, org="other") == []
    assert matching(database, org="other", as_of=date(2020, 1, 10)) == [theirs]
    assert matching(database, as_of=date(2020, 1, 10)) == mine == [first]
    assert {second, now, other}.isdisjoint(mine)
