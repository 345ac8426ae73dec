"""Checks a note by the rules: which of them it breaks, where, and the text with what is unmistakable mended.

A comment takes rules out: `<!-- bob-lint-disable BOB022 -->` in the whole note, `bob-lint-disable-line` in
its line, `bob-lint-disable-next-line` in the line below; without ids it takes out all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from bob.core.errors import UsageError
from bob.notes import lint_actions, lint_decisions, lint_metadata, lint_structure
from bob.notes.links import blank_code
from bob.notes.lint_note import Note
from bob.notes.lint_rule import Example, Facts, Finding, Found, Rule

_COMMENT = re.compile(r"<!--\s*bob-lint-disable(?P<scope>-next-line|-line)?(?P<rules>[^<>]*?)-->")
"""Without `<` in it, so that a text full of beginnings is not read to its end for each of them."""
_MAX_ROUNDS = 8
"""Rounds of mending: a repair may bring to light what another hid."""


def _unknown_rule(note: Note, _: Facts) -> Iterator[Found]:
    for comment in _comments(note):
        for word in re.finditer(r"\S+", comment["rules"]):
            if _rule_of(word[0].strip(",")) is None:
                start = comment.start("rules") + word.start()
                yield Found(start, start + len(word[0]), f"Unknown rule {word[0].strip(',')}.")


_UNKNOWN_RULE = Rule(
    "BOB090",
    "unknown-rule",
    "warning",
    "A comment disables an unknown rule.",
    "It disables nothing, although it seems to.",
    "Write the id of the rule as `bob lint` prints it.",
    Example(
        "---\ndate: 2025-03-04\n---\n\n# Press\n\n<!-- bob-lint-disable BOB999 -->\n\nThe press runs.\n",
    ),
    Example(
        "---\ndate: 2025-03-04\n---\n\n# Press\n\n<!-- bob-lint-disable BOB022 -->\n\n## Costs\n",
    ),
    _unknown_rule,
)

RULES: tuple[Rule, ...] = (
    *lint_metadata.RULES,
    *lint_structure.RULES,
    *lint_decisions.RULES,
    *lint_actions.RULES,
    _UNKNOWN_RULE,
)
_BY_WORD = {rule.rule_id.lower(): rule for rule in RULES} | {rule.name: rule for rule in RULES}


def choose_rules(select: Collection[str] = (), ignore: Collection[str] = ()) -> tuple[Rule, ...]:
    """The rules of these ids or names (all if there are none), without the ignored ones.

    Raises:
        UsageError: a word names no rule.
    """
    for word in (*select, *ignore):
        if _rule_of(word) is None:
            raise UsageError(f"{word}: unknown rule; use one of {', '.join(r.rule_id for r in RULES)}")
    chosen = {_rule_of(word) for word in select} or set(RULES)
    return tuple(rule for rule in RULES if rule in chosen - {_rule_of(word) for word in ignore})


def lint(text: str, name: str, facts: Facts, rules: Iterable[Rule] = RULES) -> list[Finding]:
    """What is found in a note, in the order of its lines. `name` is its path with slashes."""
    return _findings(Note(text, name), facts, rules)


def mended(text: str, name: str, facts: Facts, rules: Sequence[Rule] = RULES) -> str:
    """The text with every finding mended that brings its repair; the same again for its own result."""
    for _ in range(_MAX_ROUNDS):
        repairs = [finding.replacement for finding in lint(text, name, facts, rules) if finding.replacement]
        if not repairs:
            break
        reached = len(text)
        for finding in sorted(repairs, key=lambda repair: (repair.start, repair.end), reverse=True):
            if finding.end <= reached:
                text = text[: finding.start] + finding.text + text[finding.end :]
                reached = finding.start
    return text


def _findings(note: Note, facts: Facts, rules: Iterable[Rule]) -> list[Finding]:
    taken_out = _taken_out(note)
    findings: list[Finding] = []
    for rule in rules:
        for problem in rule.check(note, facts):
            line, column = note.position(problem.start)
            end_line, end_column = note.position(max(problem.end, problem.start))
            if not {(rule, None), (rule, line)} & taken_out:
                findings.append(
                    Finding(rule, line, column, end_line, end_column, problem.message, problem.replacement)
                )
    return sorted(findings, key=lambda finding: (finding.line, finding.column, finding.rule.rule_id))


def _taken_out(note: Note) -> set[tuple[Rule, int | None]]:
    """Rules with the line (from 1) where they do not apply, or None for the whole note."""
    ignored: set[tuple[Rule, int | None]] = set()
    for comment in _comments(note):
        words = comment["rules"].replace(",", " ").split()
        rules = [rule for word in words if (rule := _rule_of(word)) is not None] if words else list(RULES)
        line = note.position(comment.start())[0]
        applies_to = {"-line": line, "-next-line": line + 1}.get(comment["scope"])
        ignored.update((rule, applies_to) for rule in rules)
    return ignored


def _comments(note: Note) -> Iterator[re.Match[str]]:
    if "bob-lint-disable" not in note.text:
        return
    # What an example of code says is meant for its readers: as words, comments stay outside of code alone.
    shown = blank_code(_COMMENT.sub(lambda match: re.sub(r"[^\n]", "x", match[0]), note.text))
    yield from (match for match in _COMMENT.finditer(note.text) if shown[match.start()] == "x")


def _rule_of(word: str) -> Rule | None:
    return _BY_WORD.get(word.lower())
