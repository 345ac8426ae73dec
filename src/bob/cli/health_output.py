"""Health as people read it: a line a project with its history, then what to fix first."""

from __future__ import annotations

from collections import Counter

from bob.cli.output import Output, counted, shown_path
from bob.health.values import ALL_PROJECTS, SEVERITY_WEIGHTS, Finding, HealthReport, scores_of

_BARS = "▁▂▃▄▅▆▇█"
_STYLES = {"error": "red", "warning": "yellow", "note": "dim"}
_EVIDENCE_SHOWN = 3


def show_report(out: Output, report: HealthReport, limit: int) -> None:
    """Print the scores, the findings by rule, and the queue."""
    if not report.run.projects:
        out.print("Nothing is indexed yet, so there is nothing to look at: bob index FOLDER")
        return
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
    by_rule = Counter(each.rule for each in report.findings)
    out.print()
    out.print(", ".join(f"{rule} {count}" for rule, count in by_rule.most_common()), style="dim")
    out.print()
    for each in report.findings[:limit]:
        _show_short(out, each)
    rest = len(report.findings) - limit
    if rest > 0:
        out.print(f"{counted(rest, 'more finding')}: bob health --limit {len(report.findings)}", style="dim")


def _show_short(out: Output, finding: Finding) -> None:
    out.print(
        (f"{finding.effect:>6.1f}  ", "bold"),
        (finding.title, _STYLES[finding.severity]),
        f"  {finding.finding_id}",
    )
    for each in finding.evidence[:_EVIDENCE_SHOWN]:
        if each.path is not None:
            out.print(f"        {_place(each.path, each.line)}", style="dim")
    if len(finding.evidence) > _EVIDENCE_SHOWN:
        out.print(f"        and {len(finding.evidence) - _EVIDENCE_SHOWN} more", style="dim")
    command = f" ({finding.fix.command})" if finding.fix.command else ""
    out.print(f"        {finding.fix.text}{command}")


def show_finding(out: Output, finding: Finding) -> None:
    """Print all of a finding."""
    out.print((finding.title, _STYLES[finding.severity]))
    out.print(f"{finding.finding_id}  project {_named(finding.project)}", style="dim")
    weight = SEVERITY_WEIGHTS[finding.severity]
    out.print(
        f"effect {finding.effect:.1f}: {finding.severity} ({weight}), "
        f"needed {counted(finding.uses, 'time')}, {counted(finding.count, 'case')}",
        style="dim",
    )
    out.print()
    for each in finding.evidence:
        if each.path is not None:
            out.print((_place(each.path, each.line), "cyan"))
        out.indented(" ".join(each.text.split()), 4 if each.path is not None else 0)
    out.print()
    out.print(finding.fix.text)
    if finding.fix.command:
        out.print(f"    {finding.fix.command}", style="bold")


def _place(path: str, line: int | None) -> str:
    return shown_path(path) + (f":{line}" if line else "")


def _named(project: str) -> str:
    return "all projects" if project == ALL_PROJECTS else project


def _of_score(score: int) -> str:
    return "green" if score >= 90 else "yellow" if score >= 70 else "red"


def _trend(scores: list[int]) -> str:
    """The history as bars, from 0 to 100, oldest first."""
    return "".join(_BARS[min(score * len(_BARS) // 101, len(_BARS) - 1)] for score in scores)
