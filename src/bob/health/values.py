"""The health of what is known: findings, each with its evidence and what to do, and scores over time."""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from bob.core.errors import UsageError

Severity = Literal["error", "warning", "note"]
"""As SARIF has them: something is wrong, something misleads, something could be better."""

SEVERITY_WEIGHTS: Mapping[Severity, int] = {"error": 10, "warning": 4, "note": 1}
"""How much one finding of each severity counts in its effect."""

RULES = (
    "broken-link",
    "duplicate",
    "embeddings-drift",
    "embeddings-pending",
    "lost-correction",
    "missing-file",
    "near-duplicate",
    "never-retrieved",
    "no-date",
    "no-project",
    "no-title",
    "orphan-note",
    "outdated-answer",
    "pdf-without-text",
    "read-in-part",
    "repeated-question",
    "rests-on-deleted",
    "rests-on-superseded",
    "stale",
    "superseded-decision-cited",
    "unanswered-question",
    "unreadable-file",
    "wrong-source",
)
"""The names of all rules."""

FixKind = Literal["gap-note", "link", "retry", "vectors"]
"""What Bob can do by itself: write a note from a template, put a link's true target in, read a file again,
make vectors."""

ALL_PROJECTS = ""
"""The project of findings that belong to none alone, and of the health of all projects together."""


EVIDENCE_IN_LISTS = 20
"""A finding may rest on every document that there is; a list of findings has the first."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One place or fact that a finding rests on. `path` is absolute; `line` counts from 1."""

    text: str
    path: str | None = None
    line: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The evidence as JSON."""
        return {"path": self.path, "line": self.line, "text": self.text}


@dataclass(frozen=True, slots=True)
class Fix:
    """What to do: in words, and as a command where there is one.

    `kind` names what `bob health fix` does by itself, None when a person has to; `values` is what it needs
    for it.
    """

    text: str
    command: str | None = None
    kind: FixKind | None = None
    values: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The fix as JSON."""
        return {"text": self.text, "command": self.command, "applicable": self.kind is not None}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about the memory that a person would want to know.

    `finding_id` is the same in every run as long as it is about the same thing. `paths` are the documents
    that it is about; `about` is the link, question, document or decision, where there is one.
    `uses` says how often answers needed the documents (or the question was asked), `count` how many cases it
    gathers. `more_evidence` is how much of its evidence is left out here (`part`).
    """

    finding_id: str
    rule: str
    title: str
    severity: Severity
    project: str
    evidence: tuple[Evidence, ...]
    fix: Fix
    paths: tuple[str, ...] = ()
    about: str = ""
    uses: int = 0
    count: int = 1
    effect: float = 0.0
    more_evidence: int = 0

    def part(self, start: int, most: int) -> Finding:
        """The finding with at most so much of its evidence, from the one numbered `start` (from 0)."""
        end = start + most
        more = max(len(self.evidence) - end, 0)
        return replace(self, evidence=self.evidence[start:end], more_evidence=more)

    def to_json(self) -> dict[str, Any]:
        """The finding as `bob health --json` prints it."""
        return {
            "id": self.finding_id,
            "rule": self.rule,
            "title": self.title,
            "severity": self.severity,
            "project": self.project,
            "about": self.about,
            "effect": round(self.effect, 1),
            "uses": self.uses,
            "count": self.count,
            "evidence": [evidence.to_json() for evidence in self.evidence],
            "more_evidence": self.more_evidence,
            "fix": self.fix.to_json(),
        }


def finding_id(rule: str, *subject: str) -> str:
    """The id of a finding of a rule about this subject, which has nothing in it that changes by itself, such
    as a line number or a count."""
    digest = hashlib.sha256("\x1f".join((rule, *subject)).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{rule}-{digest[:8]}"


@dataclass(frozen=True, slots=True)
class ProjectHealth:
    """A project at one time: `score` from 0 to 100, and how many findings there are of each rule."""

    score: int
    documents: int
    findings: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """The project's health as it is stored and printed."""
        return {"score": self.score, "documents": self.documents, "findings": dict(self.findings)}


@dataclass(frozen=True, slots=True)
class HealthRun:
    """One look at the health of all projects."""

    taken_at: datetime
    projects: Mapping[str, ProjectHealth]

    def to_json(self) -> dict[str, Any]:
        """The run as JSON; the project "" is all of them together."""
        projects = [
            {"project": name, **project_scores.to_json()}
            for name, project_scores in sorted(self.projects.items())
        ]
        return {"taken_at": self.taken_at.isoformat(timespec="seconds"), "projects": projects}


@dataclass(frozen=True, slots=True)
class HealthReport:
    """What a look found: `findings` with the greatest effect first, without those that were dismissed;
    `history` are the runs before this one, oldest first."""

    run: HealthRun
    findings: Sequence[Finding]
    dismissed: Sequence[Finding]
    history: Sequence[HealthRun]
    answers: int
    documents: int

    @property
    def taken_at(self) -> str:
        """The moment of the look, as JSON has it."""
        return self.run.taken_at.isoformat(timespec="seconds")

    def to_json(self) -> dict[str, Any]:
        """The report as `bob health --json` prints it."""
        return {
            "taken_at": self.taken_at,
            "documents": self.documents,
            "answers": self.answers,
            "projects": [
                {"project": name, **health.to_json(), "history": scores_of(self, name)}
                for name, health in sorted(self.run.projects.items())
            ],
            "findings": [finding.to_json() for finding in self.findings],
            "dismissed": [finding.finding_id for finding in self.dismissed],
        }


def page_of(report: HealthReport, after: str | None, limit: int) -> tuple[HealthReport, str | None]:
    """The report with at most `limit` of its findings, each with the first of its evidence, those that follow
    the one with the id `after`; and the last one's id if there are more. One that was fixed meanwhile begins
    the list anew."""
    ids = [finding.finding_id for finding in report.findings]
    start = ids.index(after) + 1 if after in ids else 0
    end = start + limit
    following = ids[end - 1] if len(ids) > end else None
    shown = [finding.part(0, EVIDENCE_IN_LISTS) for finding in report.findings[start:end]]
    return replace(report, findings=shown), following


def scores_of(report: HealthReport, project: str) -> list[int]:
    """A project's scores in the runs before and in this one, oldest first."""
    runs = [*report.history, report.run]
    return [run.projects[project].score for run in runs if project in run.projects]


def narrowed(report: HealthReport, projects: Sequence[str], rules: Sequence[str]) -> HealthReport:
    """The report for these projects and rules only, or all, in letters of any case; scores are those of all
    rules."""
    projects_wanted = {name.casefold() for name in projects}
    rules_wanted = {name.casefold() for name in rules}

    def is_wanted(finding: Finding) -> bool:
        in_project = not projects or finding.project.casefold() in projects_wanted
        return in_project and (not rules or finding.rule in rules_wanted)

    own = {
        name: project_scores
        for name, project_scores in report.run.projects.items()
        if not projects or name.casefold() in projects_wanted
    }
    return replace(
        report,
        run=HealthRun(report.run.taken_at, own),
        findings=[finding for finding in report.findings if is_wanted(finding)],
        dismissed=[finding for finding in report.dismissed if is_wanted(finding)],
    )


def check_names(report: HealthReport, projects: Sequence[str], rules: Sequence[str]) -> None:
    """Refuse names that the report does not know: nothing would be found for them, as if all were well.

    Raises:
        UsageError: no document is of one of the projects, or there is no such rule.
    """
    for kind, names, choices in (("project", projects, report.run.projects), ("rule", rules, RULES)):
        shown = sorted(name for name in choices if name != ALL_PROJECTS)
        for name in names:
            if name.casefold() not in {choice.casefold() for choice in choices}:
                hint = f"use one of {', '.join(shown)}" if shown else "nothing is indexed yet"
                raise UsageError(f"no {kind} «{name}»; {hint}")


_LOSSES: Mapping[Severity, float] = {"error": 1.0, "warning": 0.5, "note": 0.1}
"""What the worst finding about a document takes of its share of the score."""


def by_effect(findings: Iterable[Finding], uses: Mapping[str, int]) -> list[Finding]:
    """The findings, those whose fix helps most first.

    The effect is the severity's weight (10, 4, 1), times 1 + log2(1 + how often answers needed the documents
    or the question was asked), times 1 + log2(the cases that one finding gathers). The logarithms keep one
    popular page, or one folder without dates, from hiding all else.
    """
    weighed = [_weighed(finding, uses) for finding in findings]
    return sorted(
        weighed, key=lambda finding: (-finding.effect, finding.rule, finding.title, finding.finding_id)
    )


def _weighed(finding: Finding, uses: Mapping[str, int]) -> Finding:
    used = finding.uses or sum(uses.get(path, 0) for path in set(finding.paths))
    effect = SEVERITY_WEIGHTS[finding.severity] * _grown(used + 1) * _grown(finding.count)
    return replace(finding, uses=used, effect=effect)


def _grown(number: int) -> float:
    return 1 + math.log2(max(number, 1))


def scores(findings: Sequence[Finding], documents: Mapping[str, int]) -> dict[str, ProjectHealth]:
    """Each project's health; `documents` counts those of each project. Where there are several, or something
    belongs to none, `ALL_PROJECTS` is the health of all together.

    The score is 100 less the share of documents that something is wrong with: a document loses 1, 0.5 or
    0.1 by the worst finding about it. What has no document of the index (a file that could not be read, a
    question without an answer) counts as one more. Never 100 as long as something was found.
    """
    by_rule: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_rule[finding.project].append(finding)
    projects = sorted({*documents, *by_rule} - {ALL_PROJECTS})
    made = {project: _health(by_rule[project], documents.get(project, 0)) for project in projects}
    if len(projects) > 1 or by_rule[ALL_PROJECTS]:
        made[ALL_PROJECTS] = _health(findings, sum(documents.values()))
    return made


def _health(findings: Sequence[Finding], documents: int) -> ProjectHealth:
    worst: dict[str, float] = {}
    for finding in findings:
        for subject in finding.paths or (finding.finding_id,):
            worst[subject] = max(worst.get(subject, 0.0), _LOSSES[finding.severity])
    without = sum(1 for finding in findings if not finding.paths)
    total = max(documents, len(worst) - without) + without
    lost = sum(worst.values()) / total if total else 0.0
    score = min(round(100 * (1 - lost)), 99 if findings else 100)
    return ProjectHealth(
        score, documents, dict(sorted(Counter(finding.rule for finding in findings).items()))
    )
