"""Notes in folders: which are checked, what their links can lead to, and how they are mended."""

import json
from datetime import date
from pathlib import Path

import pytest
from jsonschema import Draft4Validator
from small_memory import write_files

from bob.core.errors import UsageError
from bob.notes.lint import RULES
from bob.notes.lint_notes import LintNotes
from bob.notes.sarif import sarif_log
from bob.notes.surroundings import ScanOptions
from bob.notes.writer import NoteWriter

TODAY = date(2026, 1, 31)
HEAD = "---\ndate: 2025-03-04\n---\n\n"
SCHEMA = Path(__file__).parents[1] / "data" / "sarif" / "sarif-schema-2.1.0.json"


@pytest.fixture
def service(tmp_path):
    return LintNotes(lambda: NoteWriter([tmp_path]), ScanOptions(False, (), 100_000), ("repeated-title",))


def found(service, *paths, **chosen):
    report = service.lint_notes([*paths], service.rules(**chosen), TODAY)
    return sorted((Path(path).name, each.rule.rule_id, each.line) for path, each in report.findings)


def test_folders_are_listed_as_the_index_does_it(service, tmp_path):
    write_files(
        tmp_path,
        {
            ".bobignore": "drafts/\n",
            "a.md": "# A\n\nx\n",
            "drafts/b.md": "# B\n\nx\n",
            ".hidden/c.md": "# C\n\nx\n",
            "d.txt": "no note",
            "e.md": b"\x00\x01binary",
            "empty.md": "",
        },
    )
    report = service.lint_notes([tmp_path], service.rules(), TODAY)
    assert [Path(each.path).name for each in report.files] == ["a.md"]
    assert [Path(path).name for path, _ in report.unreadable] == ["e.md"]
    # What is named is checked, whatever an ignore file says.
    assert found(service, tmp_path / "drafts" / "b.md") == [("b.md", "BOB004", 1)]
    with pytest.raises(UsageError, match="not a Markdown"):
        service.lint_notes([tmp_path / "d.txt"], RULES, TODAY)
    with pytest.raises(UsageError, match="no such file"):
        service.lint_notes([tmp_path / "gone.md"], RULES, TODAY)


def test_links_are_followed(service, tmp_path):
    links = """# Links

[file](sub/b.md), [folder](sub), [picture](p.png), [drafted](drafts/c.md), [[b]], [[Bee Keeping]], [[nobody]],
[anchor](sub/b.md#hives), [html](sub/b.md#top), [gone anchor](sub/b.md#wax), [gone](b.md), [own](#links),
[web](https://example.com/x.md), [ref], `[code](never.md)`

[ref]: sub/gone.md
"""
    write_files(
        tmp_path,
        {
            ".bobignore": "drafts/\n",
            "a.md": HEAD + links,
            "sub/b.md": HEAD + '# Bee keeping\n\n<a id="top"></a>\n\n## Hives\n\nTwo.\n',
            "drafts/c.md": "x",
            "p.png": b"\x89PNG",
        },
    )
    expected = [("a.md", "BOB030", 8), ("a.md", "BOB030", 11), ("a.md", "BOB031", 7), ("a.md", "BOB032", 8)]
    assert found(service, tmp_path) == expected
    # A single file has the same neighbours, found by what stands at the top of its folder; not their titles.
    assert found(service, tmp_path / "a.md") == sorted([*expected, ("a.md", "BOB031", 7)])


def test_a_file_alone_in_no_vault_has_its_folder(service, tmp_path):
    write_files(tmp_path, {"a.md": HEAD + "# A\n\n[[b]] and [[c]]\n", "b.md": "x", "sub/c.md": "x"})
    assert found(service, tmp_path / "a.md") == [("a.md", "BOB031", 7)]


def test_settings_take_rules_out_unless_they_are_asked_for(service, tmp_path):
    write_files(tmp_path, {"a.md": HEAD + "# Same\n\nx\n", "b.md": HEAD + "# Same\n\nx\n"})
    assert found(service, tmp_path) == []
    assert [each[1] for each in found(service, tmp_path, select=["repeated-title"])] == ["BOB021", "BOB021"]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_mending_keeps_line_ends_and_everything_else(service, tmp_path, mark, ending):
    lines = [f"{mark}---", "title: T  # why", "tags:", "aliases: [a]", "---", "", "Text\t ", "end"]
    text = ending.join(lines)
    (tmp_path / "2025-03-04 t.md").write_bytes(text.encode())
    report = service.lint_notes([tmp_path], service.rules(), TODAY)
    (repair,) = service.repairs(report, service.rules(), TODAY)
    lines[2:5] = ["aliases: [a]", "date: 2025-03-04", "---"]
    assert repair.after == ending.join(lines)
    assert "+date: 2025-03-04" in repair.diff("t.md") and "-tags:" in repair.diff("t.md")
    service.apply(repair)
    assert (tmp_path / "2025-03-04 t.md").read_bytes().decode() == repair.after
    with pytest.raises(UsageError, match="changed"):
        service.apply(repair)


def test_nothing_is_changed_outside_the_folders_of_notes(tmp_path):
    write_files(tmp_path, {"in/x": "", "out/2025-03-04.md": "---\ntitle: T\n---\nText\n"})
    service = LintNotes(lambda: NoteWriter([tmp_path / "in"]), ScanOptions(False, (), 10**6), ())
    report = service.lint_notes([tmp_path / "out"], RULES, TODAY)
    with pytest.raises(UsageError, match=r"below .*in; add"):
        service.repairs(report, RULES, TODAY)


def test_sarif_is_what_the_standard_says(service, tmp_path):
    schema = json.loads(SCHEMA.read_text("utf-8"))
    write_files(tmp_path / "in", {rule.rule_id + " é/" + rule.bad.name: rule.bad.text for rule in RULES})
    write_files(tmp_path, {"out/a.md": "x", "in/b.md": b"\x00\x01"})
    report = service.lint_notes([tmp_path / "in", tmp_path / "out"], RULES, TODAY)
    found = [(file.path, file.findings) for file in report.files]
    log = sarif_log(found, report.unreadable, RULES, tmp_path / "in", "1.0")
    Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER).validate(log)
    run = log["runs"][0]
    assert {each["ruleId"] for each in run["results"]} >= {rule.rule_id for rule in RULES} - {"BOB021"}
    for each in run["results"]:
        assert run["tool"]["driver"]["rules"][each["ruleIndex"]]["id"] == each["ruleId"]
    places = [each["locations"][0]["physicalLocation"]["artifactLocation"] for each in run["results"]]
    assert {"uri": "BOB001%20%C3%A9/note.md", "uriBaseId": "%SRCROOT%"} in places
    assert {"uri": (tmp_path / "out" / "a.md").as_uri()} in places
    prints = [each["partialFingerprints"]["finding/v1"] for each in run["results"]]
    assert len(set(prints)) == len(prints)
    assert run["invocations"][0]["executionSuccessful"] is False
    assert sum("fixes" in each for each in run["results"]) == sum(
        each.replacement is not None for _, each in report.findings
    )


def test_the_schema_refuses_what_is_wrong():
    """Else the test above could not fail."""
    schema = json.loads(SCHEMA.read_text("utf-8"))
    log = sarif_log([], [], RULES, Path("/"), "1.0")
    log["runs"][0]["results"] = [{"ruleId": "BOB001"}]
    assert not Draft4Validator(schema).is_valid(log)


@pytest.mark.parametrize(("count", "more"), [(2, ""), (4, ""), (300, " and more")])
def test_of_many_notes_with_one_title_the_first_are_told(tmp_path, count, more):
    service = LintNotes(lambda: NoteWriter([tmp_path]), ScanOptions(False, (), 100_000), ())
    write_files(tmp_path, {f"{number:03}.md": f"{HEAD}# Press\n\nIt runs.\n" for number in range(count)})
    report = service.lint_notes([tmp_path], service.rules(["repeated-title"]), TODAY)
    findings = list(report.findings)
    assert len(findings) == count
    for path, finding in findings:
        others = [f"{number:03}.md" for number in range(count) if Path(path).name != f"{number:03}.md"][:3]
        assert finding.message.endswith(f"also that of {', '.join(others)}{more}.")
