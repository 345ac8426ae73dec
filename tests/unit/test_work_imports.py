"""What other trackers export, made items of: each row that can be, and each that cannot with its line."""

import json
from datetime import UTC, date, datetime

import pytest
from small_memory import open_database
from small_work import NOW, RULES, Team

from bob.core.errors import UsageError
from bob.work.import_items import ImportWorkItems
from bob.work.import_record import known_priority, known_status
from bob.work.items import WorkFilter

CSV = """id,title,description,status,priority,category,assignee,Severity,Cost,Due,Blocked
7,Roof leaks,"Since the storm,
and the rain",todo,high,Repairs,ana,Critical,3.5,2025-02-28,yes

8,Gate squeaks,,closed,,Repairs,,Minor,12,,no
"""


@pytest.fixture
def team(tmp_path):
    database = open_database(tmp_path / "bob.db")
    made = Team(database)
    yield made
    database.close()


def take(team, text, form, **more):
    return ImportWorkItems(team.database, RULES).import_items("ana", text, form, NOW, **more)


def items(team):
    return list(team.items.page(WorkFilter(), limit=1000).items)


def test_nothing_of_a_row_is_lost(team):
    table = "title,Tag,Tag,created\nRoof,x,y,31/12/2024\nGate,x,y,2024-12-31\n"
    report = take(team, table, "csv")
    assert report.errors == ("line 2: created: «31/12/2024» is no date in ISO 8601, such as 2024-12-31",)
    (gate,) = items(team)
    assert gate.fields["Tag"] == "x, y" and gate.created_at.date() == date(2024, 12, 31)


def test_a_table_becomes_items_with_fields_of_guessed_types(team):
    report = take(team, CSV, "csv")
    assert report.to_json() == {
        "added": 2,
        "changed": 0,
        "unchanged": 0,
        "categories": ("Repairs",),
        "fields": ("Severity", "Cost", "Due", "Blocked"),
        "errors": (),
    }
    roof, gate = items(team)
    assert (roof.title, roof.description, roof.status, roof.priority, roof.category.name) == (
        "Roof leaks",
        "Since the storm,\nand the rain",
        "OPEN",
        "HIGH",
        "Repairs",
    )
    assert roof.fields == {"Severity": "Critical", "Cost": "3.5", "Due": "2025-02-28", "Blocked": "true"}
    assert (gate.status, gate.priority, gate.assignee_id) == ("DONE", None, None)
    assert [str(each.field_type) for each in team.items.fields()] == ["text", "number", "date", "boolean"]


def test_the_same_file_again_changes_nothing_and_a_newer_one_what_differs(team):
    take(team, CSV, "csv")
    again = take(team, CSV, "csv")
    assert (again.added, again.changed, again.unchanged, again.errors) == (0, 0, 2, ())
    assert len(team.items.events()) == 2
    newer = take(team, CSV.replace("squeaks,,closed", "is silent,,open"), "csv")
    assert (newer.added, newer.changed, newer.unchanged) == (0, 1, 1)
    assert (items(team)[1].title, items(team)[1].status) == ("Gate is silent", "OPEN")


def test_what_was_changed_here_stays_until_the_export_says_something_new(team):
    take(team, CSV, "csv")
    team.update(1, title="Roof leaks badly", status="IN_PROGRESS", category=None, fields={"Cost": 9})
    before = items(team)
    again = take(team, CSV, "csv")
    assert (again.added, again.changed, again.unchanged) == (0, 0, 2) and items(team) == before
    take(team, CSV.replace(",3.5,", ",4,"), "csv")
    roof = items(team)[0]
    assert (roof.title, roof.status, roof.fields["Cost"]) == ("Roof leaks badly", "IN_PROGRESS", "4")
    take(team, CSV.replace("Roof leaks", "Roof is dry"), "csv")
    assert (items(team)[0].title, items(team)[0].fields["Cost"]) == ("Roof is dry", "3.5")
    take(team, CSV, "csv")
    assert items(team)[0].title == "Roof leaks"


def test_what_an_export_leaves_empty_stays_and_so_does_the_archive(team):
    take(team, CSV, "csv")
    team.update(2, description="Oil it", assignee_id="bea")
    team.items.archive("ana", 1, NOW)
    report = take(team, CSV, "csv")
    assert (report.changed, report.unchanged) == (0, 2)
    assert items(team)[1].description == "Oil it" and items(team)[0].status == "ARCHIVED"


def test_rows_without_an_id_are_known_by_what_they_say(team):
    text = "Title;Status\nRoof leaks;open\nGate squeaks;open\nRoof leaks;open\n"
    assert take(team, text, "csv").added == 2
    assert take(team, text, "csv").unchanged == 2 and len(items(team)) == 2


def test_a_bad_row_is_told_with_its_line_and_the_rest_goes_on(team):
    rows = [
        'id,title,status,priority,Cost,"Notes"',
        '1,One,open,,3,"two',
        'lines"',
        "2,,open,,3,",
        "3,Three,asleep,,3,",
        "4,Four,open,soon,3,",
        "5,Five,open,low,3,,,,",
        "6,Six",
        "1,One again,open,,3,",
        f"7,{'x' * 501},open,,3,",
        "8,Eight,open,,3,",
    ]
    report = take(team, "\n".join(rows), "csv")
    assert report.added == 3 and [each.title for each in items(team)] == ["One", "Six", "Eight"]
    assert [each.partition(":")[0] for each in report.errors] == [
        "line 7",
        "line 4",
        "line 5",
        "line 6",
        "line 9",
        "line 10",
    ]
    assert report.errors[2] == (
        "line 5: status: «asleep» must be one of OPEN, IN_PROGRESS, BLOCKED, DONE, ARCHIVED"
    )


def test_a_field_that_is_there_keeps_its_type(team):
    team.items.define_field("cost", "number")
    report = take(team, "title,Cost\nRoof,much\nGate,3\n", "csv")
    assert report.errors == ("line 2: cost: «much» is not a number; use for example 12 or 3.5",)
    assert report.fields == () and items(team)[0].fields == {"cost": "3"}


def test_a_dry_run_counts_and_keeps_nothing(team):
    report = take(team, CSV, "csv", dry_run=True)
    assert (report.added, report.categories) == (2, ("Repairs",))
    assert items(team) == [] and team.items.categories() == [] and team.items.fields() == []
    assert team.items.events() == [] and team.index() == []


def test_more_rows_than_one_commit_takes(team):
    text = "id,title,Kind\n" + "".join(f"{at},Item {at},a{at % 3}\n" for at in range(450))
    assert take(team, text, "csv", dry_run=True).added == 450 and items(team) == []
    assert take(team, text, "csv").added == 450
    assert len(items(team)) == 450 and take(team, text, "csv").unchanged == 450


def test_two_places_that_number_alike_are_told_apart(team):
    assert take(team, CSV, "csv").added == 2
    assert take(team, CSV, "csv", source="branch office").added == 2


def test_imported_items_reach_the_memory(team):
    take(team, CSV.replace("closed", "archived"), "csv")
    assert team.index() == [("add", "workItem:1")]
    assert team.text(1).endswith("- Severity: Critical\n- Blocked: Yes")


GITHUB = [
    {
        "number": 12,
        "title": "Login fails",
        "body": "On Safari\r\nonly",
        "state": "OPEN",
        "labels": [{"name": "priority: high"}, {"name": "bug"}, {"name": "ios"}],
        "assignees": [{"login": "bea"}],
        "createdAt": "2024-03-01T10:00:00Z",
        "closedAt": None,
    },
    {
        "number": 13,
        "title": "Typo",
        "body": None,
        "state": "CLOSED",
        "labels": [],
        "assignees": [],
        "createdAt": "2024-03-02T10:00:00Z",
        "closedAt": "2024-03-05T23:00:00Z",
    },
]
REST = [
    {
        "number": 12,
        "title": "Login fails",
        "body": "On Safari",
        "state": "closed",
        "html_url": "https://github.com/acme/app/discussions/12",
        "labels": [{"id": 1, "name": "bug"}],
        "assignees": [],
        "created_at": "2024-03-01T10:00:00Z",
        "closed_at": "2024-03-05T10:00:00Z",
    },
    {"number": 14, "title": "A pull request", "state": "open", "pull_request": {"url": "x"}},
    {"title": "No number", "state": "open"},
    "no object",
]


@pytest.mark.parametrize("written", ["0001-01-01T00:00:00+01:00", "0001-01-01", "1969-12-31"])
def test_a_date_before_all_trackers_is_a_bad_row(team, written):
    report = take(team, f"id,title,created\n1,Roof,{written}\n2,Gate,2024-01-31\n", "csv")
    assert report.added == 1 and len(report.errors) == 1
    assert report.errors[0].startswith("line 2: created: ") and "1970 or later" in report.errors[0]
    assert [item.title for item in items(team)] == ["Gate"]


def test_a_date_that_the_calendar_cannot_tell_does_not_hide_the_items(team):
    take(team, "id,title\n1,Roof\n2,Gate\n", "csv")
    with team.database.write() as transaction:
        transaction.update("work_items", {"work_item_id": 1}, {"created_at": -62135600400.0})
        transaction.update("work_items", {"work_item_id": 2}, {"created_at": 1e15})
    assert [item.created_at.year for item in items(team)] == [1970, 9999]


def test_github_as_its_command_line_exports_it(team):
    assert take(team, json.dumps(GITHUB), "github").added == 2
    login, typo = items(team)
    assert (login.title, login.description, login.status, login.priority, login.assignee_id) == (
        "Login fails",
        "On Safari\nonly",
        "OPEN",
        "HIGH",
        "bea",
    )
    assert login.category.name == "bug" and login.fields == {"Labels": "bug, ios"}
    assert login.created_at == datetime(2024, 3, 1, 10, tzinfo=UTC) and login.updated_at == NOW
    assert (typo.status, typo.fields) == ("DONE", {"Closed": "2024-03-05"})
    assert take(team, json.dumps(GITHUB), "github").unchanged == 2


def test_github_as_rest_gives_it(team):
    report = take(team, json.dumps(REST), "github")
    assert report.added == 1 and report.errors == (
        "item 3: number is missing",
        "item 4: it is no JSON object",
    )
    assert items(team)[0].status == "DONE"
    elsewhere = json.dumps(REST[:1]).replace("acme/app", "acme/site")
    assert take(team, elsewhere, "github").added == 1, "numbers begin anew in each repository"


JIRA_CSV = """Summary,Issue key,Issue Type,Status,Status Category,Priority,Assignee,Created,Labels,Labels,\
Custom field (Severity),Description
Login fails,APP-12,Bug,In QA,In Progress,Highest,bea,01/Mar/24 10:00 AM,ios,login,Critical,On Safari
Typo,APP-13,Task,Done,Done,Low,,02/Mar/24 10:00 AM,,,,
Keyless,,Task,Done,Done,Low,,,,,,
Odd,APP-15,Task,Asleep,,Low,,,,,,
"""
JIRA_JSON = {
    "issues": [
        {
            "key": "APP-12",
            "fields": {
                "summary": "Login fails",
                "description": {
                    "type": "doc",
                    "content": [
                        {
                            "type": "paragraph",
                            "content": [{"type": "text", "text": "On "}, {"type": "text", "text": "Safari"}],
                        },
                        {
                            "type": "paragraph",
                            "content": [
                                {"type": "text", "text": "a"},
                                {"type": "hardBreak"},
                                {"type": "text", "text": "b"},
                            ],
                        },
                    ],
                },
                "status": {"name": "In QA", "statusCategory": {"key": "indeterminate", "name": "Being done"}},
                "priority": {"name": "Highest"},
                "issuetype": {"name": "Bug"},
                "assignee": {"displayName": "Bea", "emailAddress": "bea@example.org"},
                "labels": ["ios", "login"],
                "components": [{"name": "Accounts"}],
                "created": "2024-03-01T10:00:00.000+0000",
            },
        },
        {"key": "APP-13"},
        {"fields": {"summary": "x"}},
        {"key": "APP-14", "fields": {"summary": "Plain", "description": "text", "assignee": None}},
    ]
}


def test_jira_as_a_table(team):
    report = take(team, JIRA_CSV, "jira")
    assert report.added == 2
    assert [each.partition(": ")[0] for each in report.errors] == ["line 4", "line 5 (APP-15)"]
    login, typo = items(team)
    assert (login.title, login.status, login.priority, login.category.name, login.assignee_id) == (
        "Login fails",
        "IN_PROGRESS",
        "URGENT",
        "Bug",
        "bea",
    )
    assert login.fields == {"Severity": "Critical", "Labels": "ios, login"}
    assert login.created_at.date() == date(2024, 3, 1) and typo.status == "DONE"


def test_jira_as_a_search_gives_it(team):
    report = take(team, json.dumps(JIRA_JSON), "jira")
    assert report.added == 2 and report.errors == ("item 2: fields is missing", "item 3: key is missing")
    login, plain = items(team)
    assert login.description == "On Safari\na\nb" and login.status == "IN_PROGRESS"
    assert login.assignee_id == "bea@example.org"
    assert login.fields == {"Labels": "ios, login", "Component": "Accounts"}
    assert (plain.description, plain.status) == ("text", "OPEN")
    assert take(team, JIRA_CSV, "jira").changed == 1, "both forms call an item alike"


NO_EXPORTS = [
    ("", "csv", "empty"),
    ("name of it,state\nx,y\n", "csv", "no column title"),
    ('title\n"' + "x" * 200_000, "csv", "line 2"),
    ("no json", "github", "no JSON"),
    ("{}", "github", "no JSON array"),
    ("[" * 100_000, "github", "no JSON"),
    ("Summary,Key\n", "jira", "not an export of Jira"),
    ("", "jira", "not an export of Jira"),
    ('{"items": []}', "jira", "not a search result"),
    ("{", "jira", "no JSON"),
]


@pytest.mark.parametrize(("text", "form", "said"), NO_EXPORTS)
def test_what_is_no_export_is_said(team, text, form, said):
    with pytest.raises(UsageError, match=said):
        take(team, text, form)
    assert items(team) == []


def test_words_of_trackers_are_understood_where_ours_allow_it():
    assert known_status(["Won't do"], ["OPEN", "DONE"]) is None
    assert known_status(["in-progress"], ["OPEN", "DONE"]) is None
    assert known_status(["Resolved"], ["OPEN", "RESOLVED"]) == "RESOLVED"
    assert known_priority(["p1"], ["LOW", "HIGH"]) == "HIGH"
