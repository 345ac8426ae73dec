"""From findings to a queue of what to fix first, and to a score for each project."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from bob.health.values import ALL_PROJECTS, SEVERITY_WEIGHTS, Finding, ProjectHealth, Severity

_LOSSES: Mapping[Severity, float] = {"error": 1.0, "warning": 0.5, "note": 0.1}
"""What the worst finding about a document takes of its share of the score."""


def by_effect(findings: Iterable[Finding], uses: Mapping[str, int]) -> list[Finding]:
    """The findings, those whose fix helps most first.

    The effect is the severity's weight (10, 4, 1), times 1 + log2(1 + how often answers needed the documents
    or the question was asked), times 1 + log2(the cases that one finding gathers). The logarithms keep one
    popular page, or one folder without dates, from hiding all else.
    """
    weighed = [_weighed(each, uses) for each in findings]
    return sorted(weighed, key=lambda each: (-each.effect, each.rule, each.title, each.finding_id))


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
    found: dict[str, list[Finding]] = defaultdict(list)
    for each in findings:
        found[each.project].append(each)
    projects = sorted({*documents, *found} - {ALL_PROJECTS})
    made = {project: _health(found[project], documents.get(project, 0)) for project in projects}
    if len(projects) > 1 or found[ALL_PROJECTS]:
        made[ALL_PROJECTS] = _health(findings, sum(documents.values()))
    return made


def _health(findings: Sequence[Finding], documents: int) -> ProjectHealth:
    worst: dict[str, float] = {}
    for each in findings:
        for subject in each.paths or (each.finding_id,):
            worst[subject] = max(worst.get(subject, 0.0), _LOSSES[each.severity])
    without = sum(1 for each in findings if not each.paths)
    total = max(documents, len(worst) - without) + without
    lost = sum(worst.values()) / total if total else 0.0
    score = min(round(100 * (1 - lost)), 99 if findings else 100)
    return ProjectHealth(score, documents, dict(sorted(Counter(each.rule for each in findings).items())))
