"""Searches for work items: numbers alone, moved by feedback and age, and logged for what found nothing."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from small_memory import HashingEmbedder, add_rows, rows_in

from bob.core.errors import MemoryServiceError, NotFoundError, RequestError, StoreError
from bob.work.items import collection_name
from bob.work.local_memory import LocalMemory
from bob.work.rag_search import RagSearch
from bob.work.semantic_memory import Hippocampus, QueryVectors

NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
ITEMS = {
    1: ("app slow mobile", "OPEN", 1, 0),
    2: ("app slow desktop", "OPEN", 1, 100),
    3: ("app slow tablet", "ARCHIVED", 1, 0),
    4: ("payment gateway timeout", "DONE", 2, 0),
    5: ("office chairs", "OPEN", None, 0),
}


@pytest.fixture
def memory(database):
    embedder = HashingEmbedder()
    return LocalMemory(lambda org: Hippocampus(database.for_organization(org), embedder), 0.1)


@pytest.fixture
def search(database, memory):
    return filled(database, memory)


def filled(database, memory, half_life_days=None, org_id="local"):
    side = database.for_organization(org_id)
    with side.write() as connection:
        for number, name in ((1, "Performance"), (2, "Payments")):
            category = {"category_id": number, "name": name, "created_at": NOW.timestamp()}
            add_rows(connection, "categories", category)
        for number, (title, status, category, days) in ITEMS.items():
            moment = (NOW - timedelta(days=days)).timestamp()
            item = {"work_item_id": number, "title": title, "status": status, "category_id": category}
            written = {"created_by": "mia", "created_at": moment, "updated_at": moment}
            add_rows(connection, "work_items", item | written)
    for number, (title, *_) in ITEMS.items():
        memory.add_resource(org_id, f"workItem:{number}", title, title)
    memory.add_resource(org_id, "note:7", "app slow", "app slow")
    memory.add_resource(org_id, "workItem:99", "app slow", "app slow of an item that is gone")
    memory.add_resource(org_id, "workItem:0x1", "app slow", "app slow")
    return RagSearch(side, memory, QueryVectors(HashingEmbedder()), half_life_days, lambda: NOW)


def test_items_are_found_as_numbers_and_nothing_else_is(search):
    assert search.search_items("app slow mobile") == [1, 2]
    assert search.search_items("payment timeout") == [4]
    assert search.search_items("unrelated words entirely") == []
    assert search.search_items("app slow", 1) in ([1], [2])


@pytest.mark.parametrize("query", [None, "", "  \n", 7, ["app"], "x" * 2001])
def test_a_query_is_text_of_some_length(search, query):
    with pytest.raises(RequestError) as raised:
        search.search_items(query)
    assert raised.value.field == "query" and "x" * 20 not in str(raised.value)


@pytest.mark.parametrize("limit", [0, 51, -1, "5", 2.0, None, True])
def test_a_limit_is_a_small_number(search, limit):
    with pytest.raises(RequestError) as raised:
        search.search_items("app", limit)
    assert raised.value.field == "limit"


def test_the_ends_of_what_is_allowed_are(search):
    assert search.search_items("app slow " + "x" * 1900, 50) is not None
    assert search.search_items(" app slow mobile ", 1) == [1]


def test_what_helped_moves_up_and_what_did_not_moves_down(search):
    assert search.search_items("app slow mobile") == [1, 2]
    search.feedback("app slow mobile", 1, False, user_id="mia")
    assert search.search_items("app slow mobile") == [2, 1]
    assert search.search_items("payment gateway") == [4]
    # A later verdict of the same user takes its place.
    search.feedback("app slow mobile", 1, True, user_id="mia")
    assert search.search_items("app slow mobile") == [1, 2]
    for user in ("ole", "rea"):
        search.feedback("the app is slow mobile", 2, True, user_id=user)
        search.feedback("app slow mobile", 1, False, user_id=user)
    assert search.search_items("app slow mobile") == [2, 1]


def test_a_verdict_on_another_question_says_nothing(search):
    search.feedback("payment gateway timeout", 1, False)
    assert search.search_items("app slow mobile") == [1, 2]


def test_feedback_needs_an_item_and_a_query(search):
    with pytest.raises(NotFoundError):
        search.feedback("app", 99, True)
    with pytest.raises(RequestError):
        search.feedback(" ", 1, True)


def test_newer_items_come_first_where_that_is_wanted(database, memory):
    search = filled(database, memory, half_life_days=10)
    assert search.search_items("app slow desktop") == [1, 2]
    assert RagSearch(database, memory, QueryVectors(HashingEmbedder()), None, lambda: NOW).search_items(
        "app slow desktop"
    ) == [2, 1]


def test_what_is_asked_often_and_never_answered_is_told(search):
    for query in ("vacation policy form", "Vacation  policy FORM", "form vacation policy", "app slow mobile"):
        search.search_items(query, user_id="mia")
    search.search_items("asked only once here")
    (found,) = search.unanswered()
    assert (found.times, found.query, found.last_at) == (3, "form vacation policy", NOW)
    assert [each.times for each in search.unanswered(1)] == [3, 1]
    # Once it found something, it is answered.
    search._memory.add_resource("local", "workItem:5", "vacation policy form", "vacation policy form")
    assert search.search_items("vacation policy form") == [5]
    assert search.unanswered() == []


def test_searches_are_logged_with_who_asked(search, database):
    search.search_items("app slow mobile", user_id="mia")
    with database.read() as connection:
        (row,) = rows_in(connection, "rag_searches")
    assert (row.user_id, row.query, row.work_item_ids) == ("mia", "app slow mobile", [1, 2])


def test_a_search_that_cannot_be_logged_is_answered(search, caplog, monkeypatch):
    def full(*_):
        raise StoreError("the disk is full")

    monkeypatch.setattr("bob.work.rag_search.search_rows.log_search", full)
    assert search.search_items("app slow mobile") == [1, 2]
    assert "cannot log" in caplog.text


def test_a_search_does_not_wait_for_who_writes(search, database, caplog):
    found = []
    with database.write() as connection:
        connection.execute("DELETE FROM rag_searches WHERE org_id = :org")
        thread = threading.Thread(
            target=lambda: found.append(search.search_items("app slow mobile")), daemon=True
        )
        thread.start()
        thread.join(60)
        assert found == [[1, 2]]
    assert "cannot log" in caplog.text


def test_characters_that_are_none_are_not_looked_for(search):
    assert search.search_items("app \0slow\ud800 mobile") == [1, 2]
    with pytest.raises(RequestError):
        search.search_items("\0\ud800")
    with pytest.raises(NotFoundError):
        search.feedback("app", 2**63, True)


def test_a_memory_that_fails_is_told_as_such(database, memory):
    class Broken:
        def query(self, *_):
            raise MemoryServiceError("away")

    search = filled(database, memory)
    search._memory = Broken()
    with pytest.raises(MemoryServiceError):
        search.search_items("app slow")


def test_a_new_item_gets_its_duplicates_and_a_category(search):
    found = search.duplicates_of("app slow mobile", "app slow mobile again")
    assert found.work_item_ids[0] == 1 and (found.category_id, found.category) == (1, "Performance")
    assert search.duplicates_of("unrelated words entirely").to_json() == {
        "work_item_ids": [],
        "category_id": None,
        "category": None,
    }
    # One item is no majority.
    assert search.duplicates_of("payment gateway timeout", None).category is None
    assert search.duplicates_of("", "  ").work_item_ids == ()
    assert search.duplicates_of("app slow mobile " * 500).work_item_ids[0] == 1


def test_organizations_do_not_meet(search, database, memory):
    other = filled(database, memory, org_id="other")
    for _ in range(2):
        search.search_items("vacation policy form")
    search.feedback("app slow mobile", 1, False)
    assert other.search_items("app slow mobile") == [1, 2]
    assert other.unanswered() == []
    assert collection_name("other") == "org:other"


def test_the_database_says_who_is_archived_even_before_the_memory_knows(search, database):
    with database.write() as connection:
        connection.update("work_items", {"work_item_id": 1}, {"status": "ARCHIVED"})
    assert search.search_items("app slow mobile") == [2]
