"""`bob work` as people and scripts meet it: the real command over a real file."""

import json

import pytest
from small_memory import bob_in, write_files


@pytest.fixture(scope="module")
def team(tmp_path_factory):
    bob = bob_in(tmp_path_factory.mktemp("work") / "home")
    assert bob("work", "category", "add", "Bug Reports").stdout == "Bug Reports\n"
    made = bob.json(
        "work", "field", "add", "Severity", "--type", "enum", "--option", "Minor", "--option", "Critical"
    )
    assert made == {"id": 1, "name": "Severity", "type": "enum", "options": ["Minor", "Critical"]}
    assert bob("work", "field", "add", "Due", "--type", "date").stdout == "Due  (date)\n"
    added = bob(
        *("work", "add", "App", "is", "slow", "--category", "bug reports", "--priority", "high"),
        *("--description", "5 seconds\nto load", "--assignee", "ana"),
        *("--field", "severity=critical", "--field", "Due=2025-02-28"),
        BOB_USER="bea",
    )
    assert added.returncode == 0, added.stderr
    lines = added.stdout.splitlines()
    assert lines[:5] == [
        "    1  OPEN HIGH  App is slow  (Bug Reports, @ana)",
        "       5 seconds",
        "       to load",
        "       Severity: Critical",
        "       Due: 2025-02-28",
    ]
    assert lines[5].startswith("       by bea, 20")
    return bob


def test_an_item_is_shown_edited_and_archived(team):
    number = team.json("work", "add", "Renew the certificate", "-f", "Due=2025-03-01")["id"]
    edited = team.json("work", "edit", number, "--status", "in progress", "-f", "Due=", "-t", "Renew it")
    assert (edited["title"], edited["status"], edited["fields"]) == ("Renew it", "IN_PROGRESS", {})
    assert team.json("work", "show", number) == edited
    assert team("work", "show", number).stdout.startswith(f"    {number}  IN_PROGRESS  Renew it\n")
    assert team("work", "archive", number).stdout == f"    {number}  ARCHIVED  Renew it\n"
    assert number not in [each["id"] for each in team.json("work", "list")["items"]]
    assert number in [each["id"] for each in team.json("work", "list", "--all")["items"]]
    assert [each["id"] for each in team.json("work", "list", "-s", "archived")["items"]] == [number]
    log = team.json("work", "log", number)
    assert [each["type"] for each in log] == ["CREATED", "UPDATED", "UPDATED"]
    assert log[1]["changes"] == {
        "title": ["Renew the certificate", "Renew it"],
        "status": ["OPEN", "IN_PROGRESS"],
        "field:Due": ["2025-03-01", None],
    }
    assert "         Due: 2025-03-01 → nothing\n" in team("work", "log", number).stdout


def test_lists_are_filtered_and_come_in_pages(tmp_path):
    bob = bob_in(tmp_path / "home")
    assert bob("work", "list").stdout == "No work items.\n"
    assert bob("work", "log").stdout == "No changes yet.\n"
    assert bob("work", "category", "list").stdout.startswith("No categories yet")
    assert bob("work", "field", "list").stdout.startswith("No custom fields yet")
    for title in ("One", "Two", "Three"):
        assert bob("work", "add", title, "-a", "ana" if title == "Two" else "bea").returncode == 0
    assert bob("work", "list", "-n", 2).stdout.splitlines()[-1] == "More items: --after 2"
    page = bob.json("work", "list", "--limit", 2)
    assert ([each["id"] for each in page["items"]], page["next_after"]) == ([1, 2], 2)
    page = bob.json("work", "list", "--limit", 2, "--after", 2)
    assert ([each["id"] for each in page["items"]], page["next_after"]) == ([3], None)
    assert [each["id"] for each in bob.json("work", "list", "-a", "ana")["items"]] == [2]
    assert len(bob.json("work", "log", "--limit", 2)) == 2


def test_categories_and_fields_are_listed_and_renamed(team):
    assert team.json("work", "category", "add", "Chores")["name"] == "Chores"
    assert team("work", "category", "rename", "chores", "Errands").stdout == "Errands\n"
    assert [each["name"] for each in team.json("work", "category", "list")] == ["Bug Reports", "Errands"]
    assert team("work", "category", "list").stdout == "    1  Bug Reports\n    2  Errands\n"
    assert team.json("work", "field", "rename", "Due", "Deadline")["name"] == "Deadline"
    assert team("work", "field", "list").stdout == "Severity  (enum: Minor, Critical)\nDeadline  (date)\n"
    assert team("work", "field", "rename", "Deadline", "Due").returncode == 0


MISTAKES = [
    (["show", "99"], "no work item 99"),
    (["archive", "1", "99"], "no work item 99"),
    (["edit", "1"], "nothing to change"),
    (["edit", "1", "--status", "asleep"], "status: «asleep» must be one of OPEN, IN_PROGRESS"),
    (["edit", "1", "--category", "Bug Report"], "did you mean «Bug Reports»?"),
    (["edit", "1", "--field", "Severity"], "«Severity» is not of the form NAME=VALUE"),
    (["edit", "1", "--field", "Severity=huge"], "Severity: «huge» is none"),
    (["edit", "1", "--field", "Due=", "--field", "Due=2025-01-01"], "Due must not be given twice"),
    (["category", "add", "bug reports"], "«bug reports» already"),
    (["field", "add", "X", "--type", "paint"], "type: «paint» must be one of text, enum"),
    (["import", "nowhere.csv", "--from", "csv"], "nowhere.csv: cannot be read: No such file"),
]


def test_mistakes_are_told_and_change_nothing(team):
    before = team.json("work", "log")
    for arguments, said in MISTAKES:
        done = team("work", *arguments)
        assert done.returncode == 2 and said in done.stderr, (arguments, done.stderr)
        assert "Traceback" not in done.stderr
    assert team.json("work", "log") == before


def test_words_of_the_settings_count(tmp_path):
    bob = bob_in(tmp_path / "home")
    words = {"BOB_WORK__STATUSES": '["TODO", "FINISHED", "ARCHIVED"]'}
    assert bob.json("work", "add", "One", **words)["status"] == "TODO"
    refused = bob("work", "edit", "1", "--status", "done", **words)
    assert refused.returncode == 2 and "TODO, FINISHED, ARCHIVED" in refused.stderr
    for wrong in (
        '["ARCHIVED", "OPEN"]',
        '["OPEN", "DONE"]',
        '["OPEN", "OPEN", "ARCHIVED"]',
        '["open", "ARCHIVED"]',
    ):
        done = bob("work", "list", BOB_WORK__STATUSES=wrong)
        assert done.returncode == 2 and "work.statuses" in done.stderr, wrong


def test_an_export_is_imported_once(tmp_path):
    bob = bob_in(tmp_path / "home")
    write_files(
        bob.home,
        {
            "tasks.csv": "id,title,status,Effort\n1,Roof leaks,todo,3\n2,,todo,2\n",
            "export.json": json.dumps([{"number": 5, "title": "Login fails", "state": "open", "labels": []}]),
            "latin.csv": "title\nMüll\n".encode("latin-1"),
        },
    )
    tried = bob("work", "import", "tasks.csv", "--from", "csv", "--dry-run")
    assert tried.returncode == 3 and tried.stderr == "bob: tasks.csv: line 3: title is empty\n"
    assert tried.stdout.splitlines() == [
        "1 item added, 0 changed, 0 unchanged",
        "New custom fields: Effort",
        "1 row left out",
        "Nothing was imported. To import, omit --dry-run.",
    ]
    assert bob.json("work", "list")["items"] == []
    assert bob.json("work", "import", "tasks.csv", "--from", "csv", expect=3)["added"] == 1
    assert bob.json("work", "import", "tasks.csv", "--from", "csv", expect=3)["unchanged"] == 1
    given = bob("work", "import", "-", "--from", "github", input=(bob.home / "export.json").read_text())
    assert (given.returncode, given.stdout) == (0, "1 item added, 0 changed, 0 unchanged\n")
    assert [each["title"] for each in bob.json("work", "list")["items"]] == ["Roof leaks", "Login fails"]
    for name, form, said in (
        ("latin.csv", "csv", "not UTF-8"),
        ("tasks.csv", "jira", "tasks.csv: not an export"),
    ):
        done = bob("work", "import", name, "--from", form)
        assert done.returncode == 2 and said in done.stderr


def test_organizations_have_their_own_items(tmp_path):
    bob = bob_in(tmp_path / "home")
    assert bob.json("work", "add", "Ours")["id"] == 1
    assert bob.json("work", "list", BOB_ORGANIZATION="acme")["items"] == []
    assert bob.json("work", "add", "Theirs", BOB_ORGANIZATION="acme")["id"] == 1
    assert [each["title"] for each in bob.json("work", "list")["items"]] == ["Ours"]


def test_a_search_that_finds_nothing_exits_as_others_do(bob):
    assert bob("rag-search", "volcano").returncode == 1
    assert bob.json("rag-search", "volcano", expect=1) == {"success": True, "work_item_ids": []}
