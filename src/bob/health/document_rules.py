"""Rules about documents: what they lack, how old they are, which are there twice, and which nobody needs."""

from __future__ import annotations

import posixpath
import shlex
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import accumulate

from bob.health.facts import DocumentFacts, HealthFacts
from bob.health.link_rules import is_record, orphans
from bob.health.resolved_links import is_out_of_force
from bob.health.values import Evidence, Finding, Fix, finding_id

_WRITTEN = frozenset({"markdown", "plain", "restructured", "html", "word", "pdf", "powerpoint", "epub"})
"""Types that say when they were written; of tables and code nobody expects it."""

_TITLED = frozenset({"markdown", "restructured", "html", "word"})
_EXPECTED_RETRIEVALS = 3.0
"""So often a document has to be due, were all retrieved equally, before its absence means anything: by chance
alone one in twenty would still be missing (Poisson)."""


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """From when on documents are found wanting; see `app.settings_health.HealthSettings`. `stale_after` gives
    the days for a source type, None for never."""

    stale_after: Callable[[str], int | None]
    minimum_answers: int
    unsorted_projects: frozenset[str]


def document_findings(facts: HealthFacts, limits: DocumentLimits, today: date) -> Iterator[Finding]:
    """The findings of all rules about documents."""
    present = [document for document in facts.documents if not document.past]
    yield from _without_date(present)
    yield from _without_title(present)
    yield from _without_project(present, limits)
    # The record of a decision that another took the place of is to stay as it is.
    replaced = {decision.path for decision in facts.superseded if decision.whole}
    yield from _stale([document for document in present if document.path not in replaced], limits, today)
    yield from _duplicates(facts)
    yield from _never_retrieved(present, facts, limits)


def _without_date(documents: Iterable[DocumentFacts]) -> Iterator[Finding]:
    lacking = [
        document
        for document in documents
        if document.source_type in _WRITTEN and document.source_date_kind in (None, "mtime")
    ]
    fix = Fix("Give them a date: «date: 2025-01-31» in the front matter, or in the file's name.")
    for folder, found in _by_folder(lacking).items():
        yield _of_folder("no-date", folder, found, "only the date of the file", fix)


def _without_title(documents: Iterable[DocumentFacts]) -> Iterator[Finding]:
    lacking = [
        document
        for document in documents
        if document.source_type in _TITLED
        and not document.headed
        and document.title == posixpath.basename(document.path).split(".")[0]
    ]
    fix = Fix("Begin them with a heading («# Title»), or put «title:» into the front matter.")
    for folder, found in _by_folder(lacking).items():
        yield _of_folder("no-title", folder, found, "only the file's name as a title", fix)


def _without_project(documents: Iterable[DocumentFacts], limits: DocumentLimits) -> Iterator[Finding]:
    lacking = [document for document in documents if document.project.casefold() in limits.unsorted_projects]
    for folder, found in _by_folder(lacking).items():
        fix = Fix(
            "Set the project that they belong to, or put «project:» into the front matter of each.",
            f"bob index {shlex.quote(folder[0])} --project NAME",
        )
        yield _of_folder("no-project", folder, found, f"only the project «{found[0].project}»", fix)


def _of_folder(
    rule: str, folder: tuple[str, str], documents: list[DocumentFacts], what: str, fix: Fix
) -> Finding:
    one = len(documents) == 1
    who = posixpath.basename(documents[0].path) if one else f"{len(documents)} documents"
    return Finding(
        finding_id(rule, *folder),
        rule,
        f"{who} in {posixpath.basename(folder[0])} {'has' if one else 'have'} {what}",
        "note",
        folder[1],
        tuple(Evidence(document.title, document.path) for document in documents),
        fix,
        paths=tuple(document.path for document in documents),
        count=len(documents),
    )


def _by_folder(documents: Iterable[DocumentFacts]) -> Mapping[tuple[str, str], list[DocumentFacts]]:
    groups: dict[tuple[str, str], list[DocumentFacts]] = defaultdict(list)
    for document in documents:
        groups[posixpath.dirname(document.path), document.project].append(document)
    return groups


def _stale(documents: Iterable[DocumentFacts], limits: DocumentLimits, today: date) -> Iterator[Finding]:
    for document in documents:
        allowed = limits.stale_after(document.source_type)
        if (
            allowed is None
            or document.source_date is None
            or is_record(document)
            or is_out_of_force(document)
        ):
            continue
        age = (today - document.source_date).days
        if age <= allowed:
            continue
        yield Finding(
            finding_id("stale", document.path),
            "stale",
            f"{document.title} is {_years(age)} old",
            "warning",
            document.project,
            (
                Evidence(
                    f"of {document.source_date}, by its {_DATED_BY[document.source_date_kind or 'mtime']}",
                    document.path,
                ),
            ),
            Fix("Review it: update the text and its date, or set «status: superseded» in it."),
            paths=(document.path,),
        )


_DATED_BY = {
    "front_matter": "front matter",
    "properties": "properties",
    "file_name": "name",
    "git": "last commit",
    "mtime": "last change on the disk",
}


def _years(days: int) -> str:
    return f"{days / 365.25:.1f} years" if days >= 365 else f"{days} days"


def _duplicates(facts: HealthFacts) -> Iterator[Finding]:
    by_path = {document.path: document for document in facts.documents}
    for duplicate in facts.duplicates:
        first = by_path[duplicate.paths[0]]
        rule = "duplicate" if duplicate.exact else "near-duplicate"
        names = " and ".join(posixpath.basename(path) for path in duplicate.paths[:2])
        more = f" and {len(duplicate.paths) - 2} more" if len(duplicate.paths) > 2 else ""
        same = (
            "the same, byte for byte" if duplicate.exact else f"nearly the same ({duplicate.similarity:.0%})"
        )
        yield Finding(
            finding_id(rule, *sorted(duplicate.paths)),
            rule,
            f"{names}{more} hold {same}",
            "warning" if duplicate.exact else "note",
            first.project,
            tuple(Evidence(by_path[path].title, path) for path in duplicate.paths),
            Fix("Keep one and link to it from the other; or leave one out with a line in .bobignore."),
            paths=duplicate.paths,
            count=len(duplicate.paths) - 1,
        )


def _never_retrieved(
    documents: list[DocumentFacts], facts: HealthFacts, limits: DocumentLimits
) -> Iterator[Finding]:
    """Documents that no answer needed, where there were enough answers since each was there. Orphans are told
    as such."""
    if len(facts.answers) < limits.minimum_answers or not documents:
        return
    retrieved_paths = {path for answer in facts.answers for path in answer.retrieved}
    retrieved_paths.update(orphan.path for orphan in orphans(facts))
    question_times = sorted((answer.asked_at.timestamp(), len(answer.retrieved)) for answer in facts.answers)
    moments = [moment for moment, _ in question_times]
    # How many places there were in the answers from each on, and none after the last.
    places = [*reversed([*accumulate(count for _, count in reversed(question_times))]), 0]
    unneeded: dict[str, list[DocumentFacts]] = defaultdict(list)
    for document in documents:
        if document.path in retrieved_paths or document.is_gap:
            continue
        due = places[bisect_left(moments, document.mtime_ns / 1e9)] / len(documents)
        if due >= _EXPECTED_RETRIEVALS:
            unneeded[document.project].append(document)
    for project, found in unneeded.items():
        yield Finding(
            finding_id("never-retrieved", project),
            "never-retrieved",
            f"{len(found)} documents of {project} were needed by none of {len(facts.answers)} answers",
            "note",
            project,
            tuple(Evidence(document.title, document.path) for document in found),
            Fix("Check whether they are worth keeping; leave the others out with .bobignore."),
            paths=tuple(document.path for document in found),
            count=len(found),
        )
