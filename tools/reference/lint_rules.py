"""Every rule of `bob lint` with a bad and a good example."""

from __future__ import annotations

from bob.notes.lint import RULES
from bob.notes.lint_rule import SEVERITIES, Example, Rule
from reference.place import NOTICE

_PROSE = """
`bob lint` applies them all, but those that `--ignore` or the setting `lint.ignore` takes out; `--select`
takes some only. Both know a rule by its id or its name. Ids stay what they are. The bad example of a rule
breaks that rule and no other; the good one breaks none.
""".strip()


def lint_page() -> str:
    """A list of the rules, then each with what it finds, why that matters and how to put it right."""
    rows = ["| rule | name | severity | what | `--fix` |", "| --- | --- | --- | --- | --- |"]
    for rule in RULES:
        anchor = f"#{rule.rule_id.lower()}-{rule.name}"
        mends = "mends it" if rule.fixable else ""
        rows.append(f"| [{rule.rule_id}]({anchor}) | {rule.name} | {rule.severity} | {rule.what} | {mends} |")
    parts = [NOTICE, "# Rules for notes", _PROSE, f"Severities, from the mildest: {', '.join(SEVERITIES)}."]
    parts += ["\n".join(rows), *(_described(rule) for rule in RULES)]
    return "\n\n".join(parts) + "\n"


def _described(rule: Rule) -> str:
    mended = " `bob lint --fix` does it where it is unmistakable." if rule.fixable else ""
    return "\n\n".join(
        [
            f"## {rule.rule_id} {rule.name}",
            f"{rule.what} ({rule.severity})",
            f"{rule.why}",
            f"To put it right: {rule.remedy[:1].lower()}{rule.remedy[1:]}{mended}",
            _shown("Bad", rule.bad),
            _shown("Good", rule.good),
        ]
    )


def _shown(label: str, example: Example) -> str:
    beside = f", beside {' and '.join(f'`{name}`' for name in example.beside)}" if example.beside else ""
    fence = "````" if "```" in example.text else "```"
    return f"{label} (`{example.name}`{beside}):\n\n{fence}markdown\n{example.text}{fence}"
