"""From a change to the memory: what seed 001 asks, and what happens when the memory or a worker fails."""

import logging
import threading

import pytest
from small_work import DictionaryMemory, Team

from bob.storage import jobs
from bob.work.index_items import IndexReport
from bob.work.items import WorkFilter

ORG = "local"


@pytest.fixture
def team(database):
    return Team(database)


def counts(team):
    with team.database.read() as connection:
        return jobs.counts(connection)


def test_creating_changing_and_archiving_reach_the_memory(team, caplog):
    caplog.set_level(logging.INFO, "bob")
    team.create(description="Since the storm")
    assert team.index() == [("add", "workItem:1")] and team.memory.collections == [ORG]
    team.update(1, description="New description")
    assert team.index() == [("update", "workItem:1")]
    team.update(1, status="in progress")
    assert team.index() == []
    assert "New description" in team.text(1) and "Status:\nOPEN" in team.text(1)
    team.items.archive("ana", 1, team.now)
    assert team.index() == [("delete", "workItem:1")] and team.memory.texts == {}
    team.update(1, status="done")
    assert team.index() == [("add", "workItem:1")] and "Status:\nDONE" in team.text(1)
    assert [each.getMessage() for each in caplog.records if "[RAG]" in each.getMessage()] == [
        "[RAG] Created collection: org:local",
        "[RAG] Added resource: workItem:1 to org:local",
        "[RAG] Updated resource: workItem:1 in org:local",
        "[RAG] Deleted resource: workItem:1 from org:local",
        "[RAG] Added resource: workItem:1 to org:local",
    ]
    added = next(each for each in caplog.records if "Added" in each.getMessage())
    assert (added.resource, added.collection) == ("workItem:1", "org:local")


def test_the_collection_is_made_once_also_by_the_next_process(team):
    team.create()
    team.index()
    team.create("Second")
    team.new_worker().index_items()
    assert team.memory.collections == [ORG]


def test_changes_before_the_worker_looks_are_one(team):
    team.create()
    team.update(1, title="Roof is dry")
    team.update(1, status="done")
    assert team.index() == [("add", "workItem:1")]
    assert team.text(1) == "Work Item: Roof is dry\n\nStatus:\nDONE"


def test_secrets_stay_out_of_the_memory(team):
    secret = "ghp_" + "a1B2c3D4e5" * 4
    team.create(f"Token {secret}", description=f"It is {secret}")
    team.index()
    (title, content) = team.memory.texts[ORG, "workItem:1"]
    assert secret not in title + content and content.count("removed]") == 2
    assert secret in team.items.get(1).description, "the truth is as it was written"


def test_a_failure_stops_neither_the_mutation_nor_the_others(team, caplog):
    team.memory.fail = {"workItem:2"}
    for at in range(3):
        team.create(f"Item {at}")
    assert team.worker.index_items() == IndexReport(2, 1, "the memory is out of reach")
    assert team.text(1) and team.text(3) and not team.text(2)
    assert "[RAG] Failed: workItem:2 in org:local: the memory is out of reach" in caplog.text
    assert team.worker.index_items() == IndexReport(0, 0), "not at once"
    for _ in range(2):
        team.seconds += 601
        assert team.worker.index_items().failed == 1
    team.seconds += 10_000
    assert team.worker.index_items() == IndexReport(0, 0), "three tries and no more"
    assert counts(team)["failed"] == 1
    team.memory.fail = set()
    team.update(2, title="A new start")
    assert team.worker.index_items() == IndexReport(1, 0) and counts(team)["failed"] == 0


def test_without_a_collection_nothing_is_lost(team):
    team.memory.fail = {"collection"}
    team.create()
    assert team.worker.index_items().failed == 1 and team.memory.calls == []
    team.memory.fail = set()
    team.seconds += 31
    assert team.worker.index_items() == IndexReport(1, 0) and team.text(1)


def test_limit_is_kept_and_the_oldest_come_first(team):
    for at in range(3):
        team.create(f"Item {at}")
    assert team.worker.index_items(2) == IndexReport(2, 0)
    assert team.memory.calls == [("add", "workItem:1"), ("add", "workItem:2")]
    assert team.worker.index_items(2) == IndexReport(1, 0)


def test_a_change_while_the_memory_works_is_not_lost(team):
    team.create()
    team.create("Second")
    team.memory.after = lambda name: team.update(1, title="Changed") if name == "workItem:1" else None
    assert team.worker.index_items() == IndexReport(2, 0)
    team.memory.after = lambda name: None
    assert "Roof leaks" in team.text(1)
    assert team.index() == [("update", "workItem:1")] and "Changed" in team.text(1)
    assert team.index() == []


def test_archiving_while_the_memory_works_takes_it_out_again(team):
    team.create()
    team.memory.before = lambda name: team.items.archive("ana", 1, team.now)
    team.worker.index_items()
    team.memory.before = lambda name: None
    assert team.index() == [("delete", "workItem:1")] and team.memory.texts == {}


def test_a_slow_worker_does_not_leave_its_older_text(team):
    """The first worker hands over its text after the second has handed over a newer one."""
    team.create()
    fast = DictionaryMemory()
    fast.texts = team.memory.texts

    def overtake(_):
        team.update(1, title="Newer")
        assert team.new_worker(fast).index_items() == IndexReport(), (
            "it is the first one's until its lease ends"
        )
        team.seconds += 121
        assert team.new_worker(fast).index_items() == IndexReport(1, 0)
        assert "Newer" in team.text(1)

    team.memory.before = overtake
    team.worker.index_items()
    assert "Roof leaks" in team.text(1), "that is what has to be put right"
    team.memory.before = lambda _: None
    assert team.new_worker().index_items() == IndexReport(1, 0) and "Newer" in team.text(1)


def test_what_changed_since_it_was_claimed_is_left_to_who_looks_anew(team):
    """The first worker holds two items; the second is archived while it is at the first one."""
    team.create()
    team.create("Second")
    fast = DictionaryMemory()

    def overtake(name):
        if name == "workItem:1":
            team.items.archive("ana", 2, team.now)

    team.memory.after = overtake
    assert team.worker.index_items() == IndexReport(1, 0)
    assert team.new_worker(fast).index_items() == IndexReport(1, 0)
    assert fast.calls == [("delete", "workItem:2")] and team.memory.calls == [("add", "workItem:1")]
    assert counts(team) == {"queued": 0, "running": 0, "failed": 0}


def test_a_change_there_and_back_under_two_workers_ends_right(team):
    """The second worker is the last to hand over, and the first one looks last."""
    team.create()
    fast = DictionaryMemory()
    fast.texts = team.memory.texts

    def there_and_back(_):
        team.update(1, title="There")
        team.seconds += 121
        fast.before = lambda _: team.update(1, title="Roof leaks")
        team.new_worker(fast).index_items()

    team.memory.after = there_and_back
    team.worker.index_items()
    assert "There" in team.text(1)
    team.memory.after = lambda _: None
    team.new_worker().index_items()
    assert "Roof leaks" in team.text(1)


def test_a_failure_of_what_changed_meanwhile_is_no_try(team):
    team.create()
    team.memory.fail = {"collection"}
    for _ in range(2):
        assert team.worker.index_items().failed == 1
        team.seconds += 601
    real = team.memory.create_collection

    def create_collection(org_id):
        team.update(1, title="Changed")
        real(org_id)

    team.memory.create_collection = create_collection
    assert team.worker.index_items().failed == 1
    assert counts(team) == {"queued": 1, "running": 0, "failed": 0}


class Killed(BaseException):
    """What a process that is ended in the middle would meet."""


def test_a_worker_that_dies_loses_nothing(team):
    for at in range(4):
        team.create(f"Item {at}")

    def die(name):
        if name == "workItem:3":
            raise Killed

    team.memory.after = die
    with pytest.raises(Killed):
        team.worker.index_items()
    team.memory.after = lambda _: None
    assert counts(team) == {"queued": 2, "running": 0, "failed": 0}
    assert team.new_worker().index_items() == IndexReport(2, 0)
    assert all(team.text(at) for at in (1, 2, 3, 4))


def test_a_worker_that_vanishes_loses_nothing(team):
    team.create()
    with team.database.write() as connection:
        assert len(jobs.claim(connection, "index-work-item", 10, team.seconds)) == 1
    assert team.worker.index_items() == IndexReport(0, 0)
    team.seconds += jobs.LEASE_SECONDS + 1
    assert team.worker.index_items() == IndexReport(1, 0) and team.text(1)


def test_a_worker_that_is_stopped_gives_back_what_it_holds(team):
    for at in range(3):
        team.create(f"Item {at}")
    assert team.worker.index_items(stopped=lambda: len(team.memory.calls) == 1) == IndexReport(1, 0)
    assert counts(team) == {"queued": 2, "running": 0, "failed": 0}


def test_a_slow_memory_keeps_its_lease(team):
    for at in range(4):
        team.create(f"Item {at}")

    def slow(_):
        team.seconds += jobs.LEASE_SECONDS * 0.6
        assert team.new_worker(DictionaryMemory()).index_items() == IndexReport(0, 0)

    team.memory.before = slow
    assert team.worker.index_items() == IndexReport(4, 0)


def test_no_transaction_is_open_while_the_memory_works(team):
    team.create()
    written = []

    def write(_):
        writer = threading.Thread(target=lambda: written.append(team.create("While it works")))
        writer.start()
        writer.join(20)

    team.memory.before = write
    team.worker.index_items()
    assert [each.work_item_id for each in written] == [2]


def test_several_workers_at_once_do_each_item(team):
    for at in range(12):
        team.create(f"Item {at}")
    reports = []
    workers = [
        threading.Thread(target=lambda: [reports.append(team.new_worker().index_items(2)) for _ in range(4)])
        for _ in range(3)
    ]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert sum(each.done for each in reports) == 12 and sum(each.failed for each in reports) == 0
    assert len(team.memory.calls) == 12, "none twice"
    assert all(team.text(each.work_item_id) for each in team.items.page(WorkFilter()).items)


def test_organizations_have_their_own_collections(team):
    other = Team(team.database.for_organization("other"), "other")
    team.create("Ours")
    other.create("Theirs")
    other.memory = team.memory
    other.worker = other.new_worker()
    other.worker.index_items()
    assert list(team.memory.texts) == [("other", "workItem:1")]
    assert team.worker.index_items() == IndexReport(1, 0)
    assert team.memory.collections == ["other", ORG] and "Ours" in team.text(1)
