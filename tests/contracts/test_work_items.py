"""Work items on both engines: the truth, its log, and the job that commits with it."""

import threading

import pytest
from small_memory import add_rows, rows_in
from small_work import NOW, RULES, Team

from bob.core.errors import NotFoundError, RequestError, UsageError
from bob.work import index_rows
from bob.work.index_items import KIND
from bob.work.items import WorkFilter
from bob.work.service import WorkItems

ORG = "local"


@pytest.fixture
def team(database):
    made = Team(database)
    made.items.add_category("Bug Reports", NOW)
    made.items.add_category("Chores", NOW)
    made.items.define_field("Severity", "enum", ["Minor", "Critical"])
    made.items.define_field("Platform", "text")
    made.items.define_field("Cost", "number")
    made.items.define_field("Due", "date")
    return made


def queued(database):
    with database.read() as connection:
        return sorted(each.subject for each in rows_in(connection, "jobs", kind=KIND))


def done(team):
    """Forget the jobs: what is queued afterwards is new."""
    team.worker.index_items()
    assert queued(team.database) == []


def test_an_item_is_kept_as_it_was_given(team):
    made = team.create(
        "  Customer says\napp is slow ",
        description="one\r\ntwo",
        category="bug reports",
        status="in progress",
        priority="high",
        assignee_id="bea",
        fields={"platform": "iOS", "Severity": "critical", "Cost": "3.50", "Due": "2025-02-28"},
    )
    assert team.items.get(made.work_item_id) == made
    assert made.to_json() == {
        "id": 1,
        "title": "Customer says app is slow",
        "description": "one\ntwo",
        "category_id": 1,
        "category": "Bug Reports",
        "status": "IN_PROGRESS",
        "priority": "HIGH",
        "assignee_id": "bea",
        "created_by": "ana",
        "created_at": NOW.isoformat(),
        "updated_at": NOW.isoformat(),
        "fields": {"Severity": "Critical", "Platform": "iOS", "Cost": "3.5", "Due": "2025-02-28"},
    }
    with team.database.read() as connection:
        assert [each.user_id for each in rows_in(connection, "users")] == ["ana", "bea"]


def test_a_bare_item_has_the_first_status_and_nothing_else(team):
    made = team.create()
    assert (made.status, made.priority, made.category, made.description, made.fields) == (
        "OPEN",
        None,
        None,
        None,
        {},
    )


def test_every_change_is_logged_with_before_and_after(team):
    number = team.create(category="Chores", fields={"Platform": "iOS"}).work_item_id
    team.update(number, "bea", title="Roof is dry", category=None, fields={"Platform": "", "Cost": 3})
    team.update(number, "bea", status="OPEN", title="Roof is dry")
    team.items.archive("cleo", number, NOW)
    first, second, third = team.items.events(number)
    assert first.to_json() == {
        "id": 1,
        "work_item_id": 1,
        "type": "CREATED",
        "changes": {
            "title": [None, "Roof leaks"],
            "category": [None, "Chores"],
            "status": [None, "OPEN"],
            "field:Platform": [None, "iOS"],
        },
        "actor": "ana",
        "at": NOW.isoformat(),
    }
    assert (second.actor, second.changes) == (
        "bea",
        {
            "title": ("Roof leaks", "Roof is dry"),
            "category": ("Chores", None),
            "field:Platform": ("iOS", None),
            "field:Cost": (None, "3"),
        },
    )
    assert (third.actor, third.changes) == ("cleo", {"status": ("OPEN", "ARCHIVED")})
    assert team.items.events(number, after=second.event_id) == [third]
    assert team.items.events(limit=1) == [first]


MISTAKES = [
    ({"title": " "}, "title"),
    ({"title": None}, "title"),
    ({"title": 3}, "title"),
    ({"title": "x" * 501}, "title"),
    ({"status": "sleeping"}, "status"),
    ({"priority": "soon"}, "priority"),
    ({"category": "Bug Report"}, "category"),
    ({"category": 9}, "category"),
    ({"category": True}, "category"),
    ({"assignee_id": "x" * 129}, "assignee_id"),
    ({"fields": {"Severty": "Minor"}}, "Severty"),
    ({"fields": {"Severity": "huge"}}, "Severity"),
    ({"fields": {"Cost": "much"}}, "Cost"),
    ({"fields": {"Cost": 1, "cost": 2}}, "Cost"),
    ({"fields": [1]}, "fields"),
    ({"asignee": "ana"}, "asignee"),
]


@pytest.mark.parametrize(("given", "named"), MISTAKES)
def test_a_mistake_is_told_by_the_field_and_changes_nothing(team, given, named):
    number = team.create(fields={"Cost": 1}).work_item_id
    done(team)
    before, events = team.items.get(number), team.items.events()
    for attempt in (
        lambda: team.items.update("ana", number, {"description": "new"} | given, NOW),
        lambda: team.items.create("ana", {"title": "New"} | given, NOW),
    ):
        with pytest.raises(RequestError) as caught:
            attempt()
        assert caught.value.field == named and named.lower() in str(caught.value).lower()
    assert team.items.get(number) == before and team.items.events() == events
    assert len(team.items.page(WorkFilter()).items) == 1 and queued(team.database) == []


def test_a_name_that_is_nearly_right_is_suggested(team):
    with pytest.raises(RequestError, match="did you mean «Bug Reports»"):
        team.create(category="Bug Report")


@pytest.mark.parametrize("number", [7, 0, -1, 2**63, 10**30])
def test_an_item_that_is_not_there(team, number):
    for attempt in (
        lambda: team.items.get(number),
        lambda: team.update(number, title="x"),
        lambda: team.items.archive("ana", number, NOW),
        lambda: team.items.events(number),
    ):
        with pytest.raises(NotFoundError, match=f"no work item {number}$"):
            attempt()


def test_items_are_listed_in_pages_by_what_they_are(team):
    for at in range(5):
        team.create(f"Item {at}", category="Chores" if at % 2 else "Bug Reports", assignee_id="bea")
    team.update(2, status="done", priority="low")
    team.items.archive("ana", 5, NOW)

    def numbers(after=0, limit=50, **wanted):
        page = team.items.page(WorkFilter(**wanted), after, limit)
        return [each.work_item_id for each in page.items], page.next_after

    assert numbers(limit=2) == ([1, 2], 2)
    assert numbers(after=2, limit=2) == ([3, 4], 4)
    assert numbers(after=4, limit=2) == ([5], None)
    assert numbers(limit=5) == ([1, 2, 3, 4, 5], None)
    assert numbers(archived=False) == ([1, 2, 3, 4], None)
    assert numbers(status="archived", archived=False) == ([5], None)
    assert numbers(status="Done") == ([2], None)
    assert numbers(category="chores") == ([2, 4], None)
    assert numbers(priority="low") == ([2], None)
    assert numbers(assignee_id="bea", category="Bug Reports", status="open") == ([1, 3], None)
    assert numbers(assignee_id="nobody") == ([], None)
    for wrong in ({"status": "asleep"}, {"category": "None"}, {"limit": 0}, {"after": -1}):
        with pytest.raises(RequestError):
            numbers(**wrong)


def test_those_come_in_the_order_in_which_they_are_named(team):
    for at in range(3):
        team.create(f"Item {at}")
    assert [each.work_item_id for each in team.items.those([3, 99, 1, 3])] == [3, 1]


def test_names_are_one_whatever_their_case(team):
    for attempt in (
        lambda: team.items.add_category(" bug  reports", NOW),
        lambda: team.items.rename_category("ana", "Chores", "BUG REPORTS", NOW),
        lambda: team.items.define_field("severity", "text"),
        lambda: team.items.rename_field("ana", "Cost", "due", NOW),
        lambda: team.items.add_category(" ", NOW),
        lambda: team.items.define_field("Colour", "paint"),
        lambda: team.items.define_field("Colour", "enum"),
        lambda: team.items.define_field("Colour", "text", ["Red"]),
        lambda: team.items.define_field("Colour", "enum", ["Red", "red"]),
    ):
        with pytest.raises(RequestError):
            attempt()
    for attempt in (
        lambda: team.items.rename_field("ana", "Colour", "Color", NOW),
        lambda: team.items.rename_category("ana", 99, "Color", NOW),
    ):
        with pytest.raises(NotFoundError):
            attempt()
    assert team.items.rename_category("ana", "chores", "CHORES", NOW).name == "CHORES"
    assert [each.name for each in team.items.categories()] == ["Bug Reports", "CHORES"]
    assert [each.name for each in team.items.fields()] == ["Severity", "Platform", "Cost", "Due"]


def test_renaming_a_category_queues_its_items_that_are_not_archived(team):
    for at in range(4):
        team.create(f"Item {at}", category="Chores" if at < 3 else "Bug Reports")
    team.items.archive("ana", 2, NOW)
    done(team)
    assert team.items.rename_category("bea", "Chores", "Errands", NOW).name == "Errands"
    assert queued(team.database) == [1, 3]
    assert team.items.get(2).category.name == "Errands"
    last = team.items.events(2)[-1]
    assert (last.event_type, last.changes) == ("CATEGORY_RENAMED", {"category": ("Chores", "Errands")})
    assert (last.actor, team.items.events(4)[-1].event_type) == ("bea", "CREATED")
    done(team)
    team.items.rename_category("bea", "errands", "Errands", NOW)
    assert queued(team.database) == [], "the same name is no change"
    assert "Category:\nErrands" in team.text(1)


def test_renaming_a_field_queues_its_items_if_the_memory_has_it(team):
    team.create("One", fields={"Platform": "iOS", "Cost": 3})
    team.create("Two", fields={"Cost": 3})
    done(team)
    team.items.rename_field("ana", "Cost", "Price", NOW)
    assert queued(team.database) == []
    team.items.rename_field("ana", "platform", "System", NOW)
    assert queued(team.database) == [1]
    assert team.items.get(1).fields == {"System": "iOS", "Price": "3"}
    assert [each.event_type for each in team.items.events(2)] == ["CREATED", "FIELD_RENAMED"]
    done(team)
    assert team.text(1).endswith("Custom Fields:\n- System: iOS")


def test_many_items_of_a_category_are_queued_in_few_statements(team):
    with team.database.write() as connection:
        add_rows(
            connection,
            "work_items",
            *(
                {"work_item_id": at, "title": "x", "status": "OPEN", "category_id": 1}
                | {"created_by": "ana", "created_at": 1.0, "updated_at": 1.0}
                for at in range(1, 1201)
            ),
        )
    with team.database.write() as connection:
        statements, run = [], connection.execute
        connection.execute = lambda statement, *values: (
            statements.append(statement) or run(statement, *values)
        )
        index_rows.queue_unarchived(connection, range(1, 1201))
    assert len(queued(team.database)) == 1200 and len(statements) <= 5


@pytest.mark.parametrize(
    ("given", "jobs"),
    [
        ({"title": "New"}, [1]),
        ({"description": "New"}, [1]),
        ({"category": "Chores"}, [1]),
        ({"fields": {"Severity": "Minor"}}, [1]),
        ({"fields": {"Platform": "iOS"}}, [1]),
        ({"status": "done"}, []),
        ({"priority": "low"}, []),
        ({"assignee_id": "bea"}, []),
        ({"fields": {"Cost": 3, "Due": "2025-02-28"}}, []),
        ({"fields": {"Platform": "4711"}}, []),
        ({"status": "done", "priority": "low", "title": "New"}, [1]),
        ({"status": "archived"}, [1]),
        ({"title": "Roof leaks"}, []),
        ({}, []),
    ],
)
def test_what_queues_a_job(team, given, jobs):
    team.create()
    assert queued(team.database) == [1]
    done(team)
    team.update(1, **given)
    assert queued(team.database) == jobs


def test_an_archived_item_queues_nothing_until_it_leaves(team):
    team.create(status="archived")
    team.update(1, title="New", description="New")
    assert queued(team.database) == []
    team.update(1, status="open")
    assert queued(team.database) == [1]


def test_the_job_commits_with_the_item_or_not_at_all(team, monkeypatch):
    def broken(*_):
        raise OSError("the disk is gone")

    monkeypatch.setattr(index_rows, "queue_new", broken)
    with pytest.raises(OSError, match="the disk"):
        team.create()
    assert team.items.page(WorkFilter()).items == () and team.items.events() == []


def test_organizations_do_not_see_each_other(team):
    other = Team(team.database.for_organization("other"), "other")
    team.create("Ours", category="Chores")
    with pytest.raises(RequestError, match="none is defined yet"):
        other.create("Theirs", category="Chores")
    assert other.create("Theirs").work_item_id == 1
    assert [each.title for each in other.items.page(WorkFilter()).items] == ["Theirs"]
    assert other.items.categories() == [] and other.items.fields() == []
    assert queued(team.database) == [1] and queued(other.database) == [1]
    other.update(1, title="Changed")
    assert team.items.get(1).title == "Ours"


def test_writers_at_once_lose_nothing(team):
    service = WorkItems(team.database, RULES)
    failed = []

    def write(name):
        try:
            for at in range(5):
                made = service.create(name, {"title": f"{name} {at}", "assignee_id": "shared"}, NOW)
                service.update(name, made.work_item_id, {"priority": "low"}, NOW)
        except UsageError as error:
            failed.append(error)

    writers = [threading.Thread(target=write, args=(name,)) for name in ("ana", "bea", "cleo")]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    assert failed == []
    found = service.page(WorkFilter()).items
    assert [each.work_item_id for each in found] == list(range(1, 16))
    assert len({each.event_id for each in service.events()}) == 30
