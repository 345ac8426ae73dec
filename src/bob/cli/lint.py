"""`bob lint`: what is wrong with notes, and what of it can be mended."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from bob.cli import options
from bob.cli.options import text_of
from bob.cli.output import Output, counted, print_error, print_json, print_notice, print_text, shown_path
from bob.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bob.notes.lint_notes import LintNotes, LintReport
    from bob.notes.lint_rule import Rule

_STYLES = {"error": "red", "warning": "yellow", "note": "dim"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("lint", help=_HELP)(lint)


_HELP = """Check notes: missing titles and dates, vague decisions, missing owners, broken links, secrets.

Every rule has an id, such as BOB004; docs/reference/lint.md explains each and how to fix it. A comment
<!-- bob-lint-disable BOB004 --> in a note disables one. The exit code is 1 if there is a finding of at
least the severity of --fail-on.

Examples:

    bob lint ~/notes

    bob lint meeting.md --fix --dry-run

    bob lint notes/ --select BOB030 --select BOB031 --json

    bob lint docs/ --sarif > lint.sarif

    git show HEAD:plan.md | bob lint - --name plan.md
"""


def lint(
    paths: Annotated[
        list[str], typer.Argument(help="Files or folders; - reads standard input.", show_default=False)
    ],
    fix: Annotated[bool, typer.Option("--fix", help="Fix findings that can be fixed automatically.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what --fix would change.")] = False,
    select: Annotated[
        list[str] | None, typer.Option("--select", metavar="RULE", help="Only this rule (repeatable).")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="RULE", help="Skip this rule (repeatable).")
    ] = None,
    fail_on: Annotated[
        Literal["note", "warning", "error"],
        typer.Option("--fail-on", help="Lowest severity with exit code 1."),
    ] = "warning",
    name: Annotated[str, typer.Option("--name", help="File name for standard input.")] = "note.md",
    as_json: options.Json = False,
    as_sarif: Annotated[bool, typer.Option("--sarif", help="Print SARIF 2.1.0.")] = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Check notes."""
    _check_options(paths, fix, dry_run, as_json and as_sarif)
    service = options.engine(config, database).knowledge.lint_notes
    rules = service.rules(select or (), ignore or ())
    report = _checked(service, paths, name, rules)
    if fix and dry_run:
        for repair in service.repairs(report, rules, options.today()):
            print_text(repair.diff(shown_path(repair.path)), end="")
    else:
        if fix:
            report = _mend(service, report, paths, rules)
        _show(report, rules, as_json, as_sarif)
    for path, reason in report.unreadable:
        print_error(f"{shown_path(path)}: {reason}")
    if any(_grave(finding.rule.severity, fail_on) for _, finding in report.findings):
        raise typer.Exit(1)
    if report.unreadable:
        raise typer.Exit(3)


def _check_options(paths: Sequence[str], fix: bool, dry_run: bool, two_forms: bool) -> None:
    if "-" in paths and (fix or len(paths) > 1):
        raise UsageError("- (standard input) cannot be combined with other paths or --fix")
    if dry_run and not fix:
        raise UsageError("--dry-run requires --fix")
    if two_forms:
        raise UsageError("--json and --sarif cannot be combined")


def _checked(service: LintNotes, paths: Sequence[str], name: str, rules: Sequence[Rule]) -> LintReport:
    if list(paths) == ["-"]:
        return service.run_text(text_of("-"), name, rules, options.today())
    return service.lint_notes([Path(path) for path in paths], rules, options.today())


def _mend(service: LintNotes, report: LintReport, paths: Sequence[str], rules: Sequence[Rule]) -> LintReport:
    repairs = service.repairs(report, rules, options.today())
    for repair in repairs:
        service.apply(repair)
        print_notice(f"mended {shown_path(repair.path)}")
    return service.lint_notes([Path(path) for path in paths], rules, options.today()) if repairs else report


def _grave(severity: str, least: str) -> bool:
    from bob.notes.lint_rule import SEVERITIES

    return SEVERITIES.index(severity) >= SEVERITIES.index(least)


def _show(report: LintReport, rules: Sequence[Rule], as_json: bool, as_sarif: bool) -> None:
    if as_sarif:
        from importlib.metadata import version

        from bob.notes.sarif import sarif_log

        by_path = [(file.path, file.findings) for file in report.files]
        print_json(sarif_log(by_path, report.unreadable, rules, Path.cwd(), version("boring-organizer-bot")))
        return
    if as_json:
        print_json(report.to_json())
        return
    out = Output()
    count = fixable = 0
    for path, file_finding in report.findings:
        count, fixable = count + 1, fixable + (file_finding.replacement is not None)
        out.print(
            f"{shown_path(path)}:{file_finding.line}:{file_finding.column}: ",
            (file_finding.rule.severity, _STYLES[file_finding.rule.severity]),
            f" {file_finding.rule.rule_id} {file_finding.message}",
        )
    hint = f"; {fixable} fixable with --fix" if fixable else ""
    out.print(f"{counted(count, 'finding')} in {counted(len(report.files), 'note')}{hint}.")
