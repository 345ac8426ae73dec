"""Every rule of the linter by its own examples, and what the examples do not show."""

from datetime import date

import pytest
from small_memory import write_files

from bob.core.errors import UsageError
from bob.notes.lint import RULES, choose_rules, lint, mended
from bob.notes.lint_notes import LintNotes
from bob.notes.lint_rule import Facts
from bob.notes.surroundings import ScanOptions, found_secrets
from bob.notes.writer import NoteWriter
from bob.text.dates import read_date

TODAY = date(2026, 1, 31)
FACTS = Facts(TODAY, read_date=read_date, find_secrets=found_secrets)
HEAD = "---\ntitle: Press\ndate: 2025-03-04\n---\n"
each_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.rule_id for rule in RULES])


def service_over(folder):
    return LintNotes(lambda: NoteWriter([folder]), ScanOptions(False, (), 10**7), ())


def found_in(folder, example):
    write_files(folder, {**example.beside, example.name: example.text})
    service = service_over(folder)
    report = service.lint_notes([folder], service.rules(), TODAY)
    path = str(folder / example.name)
    return service, report, [each for where, each in report.findings if where == path]


def ids(text, name="note.md", facts=FACTS, **chosen):
    return [each.rule.rule_id for each in lint(text, name, facts, **chosen)]


def test_ids_and_names_are_unique():
    assert len({rule.rule_id for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES) > 25


@each_rule
def test_the_bad_example_breaks_that_rule_alone(rule, tmp_path):
    _, _, found = found_in(tmp_path, rule.bad)
    assert {each.rule.rule_id for each in found} == {rule.rule_id}


@each_rule
def test_the_good_example_breaks_none(rule, tmp_path):
    _, _, found = found_in(tmp_path, rule.good)
    assert [(each.rule.rule_id, each.message) for each in found] == []


@pytest.mark.parametrize("rule", [r for r in RULES if r.fixable], ids=lambda rule: rule.rule_id)
def test_mending_the_bad_example_takes_its_finding_away_and_nothing_else(rule, tmp_path):
    service, report, _ = found_in(tmp_path, rule.bad)
    (repair,) = service.repairs(report, service.rules(), TODAY)
    service.apply(repair)
    assert (tmp_path / rule.bad.name).read_text("utf-8") == repair.after
    again = service.lint_notes([tmp_path], service.rules(), TODAY)
    assert [each for path, each in again.findings if path == repair.path] == []
    assert service.repairs(again, service.rules(), TODAY) == []


def test_what_is_not_called_fixable_brings_no_repair():
    for rule in RULES:
        found = lint(rule.bad.text, rule.bad.name, FACTS)
        assert rule.fixable or all(each.replacement is None for each in found), rule.rule_id


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["BOB003", "BOB004"]),
        ("---\n", ["BOB003", "BOB004"]),
        ("---\nnot: [closed\n---\n# T\n", ["BOB001", "BOB022"]),
        ("---\n\nA rule, a paragraph and a rule.\n\n---\n# T\n\nx\n", ["BOB004"]),
        ("\n---\ntitle: T\ndate: 2025-03-04\n---\n\nText.\n", ["BOB001"]),
        ("+++\ntitle = 'T'\ndate = 2025-03-04\n+++\nText.\n", []),
        ("+++\ntitle = T\n+++\nText.\n", ["BOB001"]),
        ("---\r\ntitle: T\r\ndate: 2025-03-04\r\n---\r\nText.\r\n", []),
        ("---\ntitle: T\ndate: {a: &a [*a]}\n---\nText.\n", ["BOB001"]),
        ("---\ntitle: T\ndate: {a: 2025-03-04}\n---\nText.\n", ["BOB004"]),
        (f"{HEAD}\n# Press\n\n## A\n\n### Oil\n\nx\n\n## B\n\n### Oil\n\nx\n", []),
        (f"{HEAD}\n## Empty\n\n- [ ]\n", ["BOB022"]),
        (f"{HEAD}\n## Code alone\n\n```\nx\n```\n", []),
        (f"{HEAD}\n> ```\n> x\n\nText.\n", ["BOB024"]),
        (f"{HEAD}\n```md\n{{{{place}}}} [dead](gone.md)\n```\n", []),
        (f"{HEAD}\nWrite `{{{{place}}}}` for a place, as in YYYY-MM-DD.\n", ["BOB023"]),
        (f"{HEAD}\nDecision: maybe next year.\n", ["BOB041"]),
        (f"{HEAD}\nIt was maybe the ink.\n", []),
    ],
)
def test_what_is_found(text, expected):
    assert ids(text) == expected


def record(status, decision="We will use soy ink."):
    head = "---\nkind: adr\ndate: 2025-03-04\nproject: p\nowner: Ana\n---\n# Ink\n"
    return f"{head}{status}\n## Decision\n\n{decision}\n"


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("Status: accepted", []),
        ("* **Status:** Accepted", []),
        ("## Status\n\nAccepted on 2025-03-04\n", []),
        ("## Status\n\nPartly superseded\n", []),
        ("## Status\n\nSuperseded by [ADR 12](12.md)\n", []),
        ("## Status\n\nSuperceded by 0012\n", ["BOB043"]),
        ("## Status\n\nObsoleted by the choice of water\n", []),
        ("## Status\n\nSuperseded with water\n", []),
        ("## Status\n\nsuperseded\n", ["BOB044"]),
        ("## Status\n\nQuite good\n", ["BOB043"]),
        ("## Status\n\n", ["BOB022", "BOB042"]),
    ],
)
def test_statuses(status, expected):
    assert sorted(set(ids(record(status)))) == expected


def test_an_unknown_status_is_told_all_that_there_are():
    (finding,) = lint(record("## Status\n\nQuite good\n"), "2025-03-04 ink.md", FACTS)
    assert finding.message.endswith("use one of proposed, accepted, rejected, deprecated, superseded.")


GERMAN = """---
kind: adr
datum: 2025-03-04
project: p
verantwortlich: Ana
status: {}
---
# Tinte

## Entscheidung

Wir nehmen Sojatinte.
"""


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("akzeptiert", []),
        ("ersetzt durch ADR-1", []),
        ("überholt durch die Wahl von Wasser", []),
        ("zastąpiona przez ADR-1", []),
        ("ersetzt", ["BOB044"]),
        ("ganz gut", ["BOB043"]),
    ],
)
def test_words_of_other_languages_are_read_as_the_index_reads_them(status, expected):
    text = GERMAN.format(status)
    assert ids(text, "2025-03-04 tinte.md") == expected
    assert mended(text, "2025-03-04 tinte.md", FACTS) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [("Approved", "Accepted"), ("APPROVED", "ACCEPTED"), ("declined", "rejected"), ("In review", "Proposed")],
)
def test_a_status_is_put_right_in_its_own_letters(before, after):
    text = record(f"## Status\n\n{before} on 2025-03-04\n")
    assert mended(text, "note.md", FACTS) == text.replace(before, after)
    quoted = record("").replace("kind: adr", f'kind: adr\nstatus: "{before}"')
    assert mended(quoted, "note.md", FACTS) == quoted.replace(before, after)


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("Ana orders rollers by Friday", []),
        ("**Ana:** order rollers until 10 March", []),
        ("Order rollers (Ana, 2025-03-10)", []),
        ("@ana order rollers next week", []),
        ("Ana and Rui will order rollers in 2 weeks", []),
        ("[ ] Order rollers — Ana, tomorrow", []),
        ("[x] Order rollers", []),
        ("[ ]", []),
        ("Encomendar rolos", ["BOB052", "BOB053"]),
        ("Order rollers by Friday", ["BOB052"]),
        ("[ ] Ana to order rollers", ["BOB053"]),
    ],
)
def test_actions(action, expected):
    head = "---\nkind: meeting\ndate: 2025-03-04\nproject: p\nattendees: [Ana]\n---\n# Press\n\nx\n"
    assert ids(f"{head}\n## Next steps\n\n- {action}\n  - a detail\n") == expected


@pytest.mark.parametrize("heading", ["Decision", "Decision Outcome", "2. Choice", "Conclusion", "Decisão"])
def test_a_decision_stands_below_many_a_heading(heading):
    text = record("Status: accepted", "Soy ink.").replace("## Decision", f"## {heading}")
    assert ids(text) == [] and "BOB041" in ids(text.replace("Soy", "Maybe soy"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tags:\n# Do not publish.\nsep: x\n", "# Do not publish.\nsep: x\n"),
        ("tags:\n  - ''\n  - ~\n\nsep: x\n", "\nsep: x\n"),
        ("tags: # what it is about\n", None),
        ("tags:\n  # what it is about\n  - ''\n", None),
        ('sep: ","\nmark: "-"\nquoted: "null"\ntilde: "~"\n', None),
        ("empty: ''\nsep: x\n", "sep: x\n"),
        ("text: |\n\nsep: x\n", "\nsep: x\n"),
        ("a: &none\nb: *none\n", None),
    ],
)
def test_what_is_taken_out_as_empty_is_the_empty_key_and_nothing_else(before, after):
    text = "---\ntitle: Press\ndate: 2025-03-04\n{}---\n\nIt runs.\n".format
    assert mended(text(before), "note.md", FACTS) == text(before if after is None else after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('tags = [\n  "ink",\n]\n', None),
        ("tags = [\n]\n", None),
        ('text = """\ntags = []\n"""\n', None),
        ('sep = ","\n', None),
        ("tags = [] # soon\n", None),
        ("tags = []\nsep = 'x'\n", "sep = 'x'\n"),
        ("updated = '4 March 2025' # as told\n", "updated = 2025-03-04 # as told\n"),
    ],
)
def test_front_matter_in_toml_stays_valid(before, after):
    text = "+++\ntitle = 'Press'\ndate = 2025-03-04\n{}+++\n\nIt runs.\n".format
    assert mended(text(before), "note.md", FACTS) == text(before if after is None else after)


def test_a_secret_is_pointed_at_and_not_repeated():
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7d\nx9Lk\n-----END RSA PRIVATE KEY-----"
    text = f"{HEAD}\n# Press\n\nUse ghp_{'a1B2' * 9} there.\n\n{key}\n\nAfter it.\n"
    first, second = lint(text, "note.md", FACTS)
    assert {first.rule.rule_id, second.rule.rule_id} == {"BOB060"}
    assert (first.line, first.column, first.end_column) == (8, 5, 45)
    assert (second.line, second.end_line) == (10, 13)
    assert "ghp_" not in first.message and "MII" not in second.message


def test_a_place_is_counted_in_characters():
    text = "---\ntitle: \U0001f5a8 Préss\ndate: 3/4/2025\n---\n\nx\n"
    (found,) = lint(text, "note.md", FACTS)
    assert (found.line, found.column, found.end_line, found.end_column) == (3, 7, 3, 15)


def test_comments_take_rules_out():
    section = "## Costs\n\n"
    text = f"{HEAD}\n{section}"
    assert ids(text) == ["BOB022"]
    assert ids(text + "<!-- bob-lint-disable BOB022 -->\n") == []
    assert ids(text + "<!-- bob-lint-disable empty-section, BOB004 -->\n") == []
    assert ids(text + "<!-- bob-lint-disable -->\n") == []
    assert ids(text + "<!-- bob-lint-disable BOB004 -->\n") == ["BOB022"]
    assert ids(text + "`<!-- bob-lint-disable -->`\n") == []  # the section has text, now
    assert ids(f"{text}## Time\n\n```\n<!-- bob-lint-disable -->\n```\n") == ["BOB022"]
    assert ids(f"{HEAD}\n<!-- bob-lint-disable-next-line BOB022 -->\n{section}## Time\n") == ["BOB022"]
    assert ids(f"{HEAD}\n## Costs <!-- bob-lint-disable-line BOB022 -->\n\n## Time\n") == ["BOB022"]


def test_a_comment_that_does_not_end_is_text():
    section = f"{HEAD}\n## Costs\n\n<!-- what they are -->\n"
    assert ids(section) == ["BOB022"]
    assert ids(section + "<!-- and why\n") == []
    # Many thousands of them are read through once, and not once for each.
    assert ids("<!-- bob-lint-disable " * 20_000) == ids("<!-- bob-lint-disable")
    assert ids("<!-- bob-lint-disable -->\n" * 5_000) == []


def test_rules_are_chosen_by_id_or_name():
    chosen = choose_rules(["bob022", "dead-link"], ["BOB030"])
    assert [rule.rule_id for rule in chosen] == ["BOB022"]
    assert choose_rules() == RULES
    with pytest.raises(UsageError, match="BOB999: unknown rule"):
        choose_rules([], ["BOB999"])
