"""`bob health`: what is wrong with what you know, and what to do first."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bob.cli import options
from bob.cli.output import Output, counted, print_json, print_line, shown_path
from bob.core.errors import UsageError

if TYPE_CHECKING:
    from bob.health.values import Finding, HealthReport

_BARS = "▁▂▃▄▅▆▇█"
_STYLES = {"error": "red", "warning": "yellow", "note": "dim"}
_EVIDENCE_SHOWN = 3


def show_report(out: Output, report: HealthReport, limit: int) -> None:
    """Print the scores, the findings by rule, and the queue."""
    if not report.run.projects:
        out.print("Nothing is indexed yet. Index a folder first: bob index FOLDER")
        return
    from bob.health.values import scores_of

    width = max(len(_named(name)) for name in report.run.projects)
    for name, project in sorted(report.run.projects.items()):
        found = sum(project.findings.values())
        out.print(
            (f"{project.score:>3}  ", _of_score(project.score)),
            (f"{_named(name):<{width}}  ", "bold"),
            f"{_trend(scores_of(report, name))}  ",
            f"{counted(project.documents, 'document')}, {counted(found, 'finding')}",
        )
    if not report.findings:
        out.print()
        hidden = f" ({len(report.dismissed)} dismissed)" if report.dismissed else ""
        out.print(f"There is nothing to fix{hidden}.")
        return
    by_rule = Counter(finding.rule for finding in report.findings)
    out.print()
    out.print(", ".join(f"{rule} {count}" for rule, count in by_rule.most_common()), style="dim")
    out.print()
    for finding in report.findings[:limit]:
        _show_short(out, finding)
    rest = len(report.findings) - limit
    if rest > 0:
        out.print(f"{counted(rest, 'more finding')}: bob health --limit {len(report.findings)}", style="dim")


def _show_short(out: Output, finding: Finding) -> None:
    out.print(
        (f"{finding.effect:>6.1f}  ", "bold"),
        (finding.title, _STYLES[finding.severity]),
        f"  {finding.finding_id}",
    )
    for evidence in finding.evidence[:_EVIDENCE_SHOWN]:
        if evidence.path is not None:
            out.print(f"        {_place(evidence.path, evidence.line)}", style="dim")
    if len(finding.evidence) > _EVIDENCE_SHOWN:
        out.print(f"        and {len(finding.evidence) - _EVIDENCE_SHOWN} more", style="dim")
    command = f" ({finding.fix.command})" if finding.fix.command else ""
    out.print(f"        {finding.fix.text}{command}")


def show_finding(out: Output, finding: Finding) -> None:
    """Print all of a finding."""
    from bob.health.values import SEVERITY_WEIGHTS

    out.print((finding.title, _STYLES[finding.severity]))
    out.print(f"{finding.finding_id}  project {_named(finding.project)}", style="dim")
    weight = SEVERITY_WEIGHTS[finding.severity]
    out.print(
        f"impact {finding.effect:.1f}: {finding.severity} ({weight}), "
        f"needed {counted(finding.uses, 'time')}, {counted(finding.count, 'case')}",
        style="dim",
    )
    out.print()
    for evidence in finding.evidence:
        if evidence.path is not None:
            out.print((_place(evidence.path, evidence.line), "cyan"))
        out.indented(" ".join(evidence.text.split()), 4 if evidence.path is not None else 0)
    out.print()
    out.print(finding.fix.text)
    if finding.fix.command:
        out.print(f"    {finding.fix.command}", style="bold")


def _place(path: str, line: int | None) -> str:
    return shown_path(path) + (f":{line}" if line else "")


def _named(project: str) -> str:
    from bob.health.values import ALL_PROJECTS

    return "all projects" if project == ALL_PROJECTS else project


def _of_score(score: int) -> str:
    return "green" if score >= 90 else "yellow" if score >= 70 else "red"


def _trend(scores: list[int]) -> str:
    """The history as bars, from 0 to 100, oldest first."""
    return "".join(_BARS[min(score * len(_BARS) // 101, len(_BARS) - 1)] for score in scores)


health_app = typer.Typer()

_HELP = """Show what is wrong with your knowledge: broken links, unanswered questions, outdated notes.

Every project has a score from 0 to 100, followed by what to fix first. The impact of a finding is its
severity (error 10, warning 4, note 1), times 1 + log2(1 + how often answers needed its documents), times
1 + log2(number of cases).

Examples:

    bob health

    bob health --project garden --rule broken-link

    bob health --fail-under 80

    bob health show broken-link-3f2a9c01

    bob health fix --all --dry-run
"""

_SHOW_HELP = """Show the details of a finding, and how to fix it.

Examples:

    bob health show broken-link-3f2a9c01
"""

_FIX_HELP = """Fix findings that can be fixed automatically.

It writes a note for an unanswered question, links the only file that a broken link can mean, reads files
again that have changed since they could not be read, removes what is gone, and makes missing vectors.

Examples:

    bob health fix unanswered-question-3f2a9c01 --into ~/notes/gaps

    bob health fix --all --dry-run
"""

_DISMISS_HELP = """Hide findings, and leave them out of the scores.

Examples:

    bob health dismiss orphan-note-3f2a9c01

    bob health dismiss orphan-note-3f2a9c01 --undo
"""

Findings = Annotated[list[str], typer.Argument(metavar="ID...", help="Ids, as bob health lists them.")]
Into = Annotated[Path | None, typer.Option("--into", metavar="FOLDER", help="Folder for new notes.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(health_app, name="health")
    health_app.callback(invoke_without_command=True, help=_HELP)(health)
    health_app.command("show", help=_SHOW_HELP)(show)
    health_app.command("fix", help=_FIX_HELP)(fix)
    health_app.command("dismiss", help=_DISMISS_HELP)(dismiss)


def health(
    context: typer.Context,
    projects: options.Projects = None,
    rules: Annotated[
        list[str] | None,
        typer.Option("--rule", metavar="RULE", help="Only findings of this rule (repeatable)."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Maximum number of findings.")] = 20,
    fail_under: Annotated[
        int | None,
        typer.Option(
            "--fail-under", min=0, max=100, metavar="SCORE", help="Exit code 1 if a score is lower."
        ),
    ] = None,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Look at the health of what is known."""
    if options.is_for_command(context):
        return
    from bob.health.values import check_names, narrowed

    report = options.engine(config, database).knowledge.check_health.check_health(options.now())
    check_names(report, projects or (), rules or ())
    report = narrowed(report, projects or (), rules or ())
    if as_json:
        print_json(report.to_json())
    else:
        show_report(Output(), report, limit)
    _fail_under(report, fail_under)


def show(
    finding: Annotated[str, typer.Argument(metavar="ID", help="Id, as bob health lists it.")],
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Show one finding in full."""
    from bob.health.check import finding_of

    found = finding_of(
        options.engine(config, database).knowledge.check_health.check_health(options.now()), finding
    )
    if as_json:
        print_json(found.to_json())
    else:
        show_finding(Output(), found)


def fix(
    findings: Annotated[
        list[str] | None, typer.Argument(metavar="[ID...]", help="Ids, as bob health lists them.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="All findings that can be fixed automatically.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    into: Into = None,
    as_json: options.Json = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Apply fixes."""
    if bool(findings) == every:
        raise UsageError("no findings named; give their ids, or use --all")
    service = options.engine(config, database).knowledge.fix_health
    outcomes = service.fix_findings(None if every else findings, options.now(), write=not dry_run, into=into)
    out = Output()
    if as_json:
        print_json([outcome.to_json() for outcome in outcomes])
    for each in () if as_json else outcomes:
        failed = not each.done and not dry_run
        out.print((f"{each.finding.finding_id}  ", "bold"), (each.did, "red" if failed else ""))
    if not outcomes and not as_json:
        out.print("There is nothing that can be fixed automatically.")
    if any(not outcome.done for outcome in outcomes) and not dry_run:
        raise typer.Exit(3)


def dismiss(
    findings: Findings,
    undo: Annotated[bool, typer.Option("--undo", help="Show them again.")] = False,
    config: options.Config = None,
    database: options.Db = None,
) -> None:
    """Dismiss findings, or take that back."""
    service = options.engine(config, database).knowledge.check_health
    if undo:
        service.restore(findings)
    else:
        service.dismiss(findings, options.now())
    for finding in findings:
        print_line(f"{'Shown again' if undo else 'Dismissed'}: {finding}")


def _fail_under(report: HealthReport, score: int | None) -> None:
    if score is None:
        return
    if any(project.score < score for project in report.run.projects.values()):
        raise typer.Exit(1)
