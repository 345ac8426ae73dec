"""What mending a note may do: nothing to what is well, nothing twice, and never worse than before."""

import os
from collections import Counter
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as some

from bob.notes.lint import RULES, lint, mended
from bob.notes.lint_rule import Facts
from bob.notes.surroundings import found_secrets
from bob.text.dates import read_date

EXAMPLES = int(os.environ.get("BOB_PROPERTY_EXAMPLES", "60"))
PIECES = [
    *("[a]", "  title: T", "{a: 1, tags: []}", "a: |-", "%YAML 1.2", "..."),
    *(
        "---",
        "+++",
        "```",
        "~~~",
        "",
        " ",
        "\r",
        "\t",
        "# T",
        "## Status",
        "## Decision",
        "## Next steps",
        "> ```",
    ),
    *(
        "title: T",
        "title:",
        "date: 2025-03-04",
        "date: 4 March 2025",
        "date: 2025/3/4",
        "date: 3/4/25",
        "date:",
    ),
    *(
        "tags: []",
        "tags:",
        "  - ''",
        "  - a",
        "kind: adr",
        "kind: meeting",
        "status: Approved",
        "status: 'declined'",
    ),
    *(
        "Approved",
        "Superseded by 3",
        "- [ ] x",
        "- Ana: x",
        "a: [b",
        "? x",
        "a: |",
        "  text",
        "- -",
        "<!--",
        "-->",
    ),
    *(
        "<!-- bob-lint-disable -->",
        "<!-- bob-lint-disable-line BOB010 -->",
        "[[x]]",
        "[a](b.md#c)",
        "\u2028",
        "\x85",
    ),
    *(
        "title = 'T'",
        "date = 2025-03-04",
        "tags = []",
        "aliases: {}",
        "é🖨: 1",
        "\ufeff---",
        "password: abc-123-X",
    ),
]
NOTES = some.lists(some.sampled_from(PIECES) | some.text(max_size=12), max_size=14).flatmap(
    lambda lines: some.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(lines))
)
FRONT = NOTES.map(lambda text: f"---\n{text}")
FACTS = some.sampled_from([None, date(2025, 3, 4)]).map(
    lambda named: Facts(date(2026, 1, 31), named, read_date, found_secrets)
)


@settings(max_examples=EXAMPLES, deadline=None)
@given(NOTES | FRONT, FACTS)
def test_findings_lie_within_the_text_and_mending_is_done_once(text, facts):
    found = lint(text, "note.md", facts)
    lines = text.split("\n")
    for each in found:
        assert 1 <= each.line <= each.end_line <= len(lines)
        assert 1 <= each.column <= len(lines[each.line - 1]) + 1
        assert 1 <= each.end_column <= len(lines[each.end_line - 1]) + 1
        assert (each.line, each.column) <= (each.end_line, each.end_column)
    after = mended(text, "note.md", facts)
    assert mended(after, "note.md", facts) == after
    assert not any(each.replacement for each in lint(after, "note.md", facts))
    if not any(each.replacement for each in found):
        assert after == text


@settings(max_examples=EXAMPLES, deadline=None)
@given(NOTES | FRONT, FACTS)
def test_one_repair_takes_its_finding_away_and_brings_none_of_its_rule(text, facts):
    for rule in RULES:
        if not rule.fixable:
            continue
        before = lint(text, "note.md", facts, [rule])
        repairable = [each for each in before if each.replacement]
        if repairable:
            once = repairable[0].replacement
            changed = text[: once.start] + once.text + text[once.end :]
            after = Counter(each.message for each in lint(changed, "note.md", facts, [rule]))
            assert after.total() == len(before) - 1, (rule.rule_id, changed)
