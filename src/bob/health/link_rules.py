"""Rules about links: to nowhere, to what is gone or out of force; and notes that nobody links."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from bob.health.facts import DocumentFacts, HealthFacts, LinkFacts
from bob.health.values import Evidence, Finding, Fix, finding_id

LINKED_SHARE = 1 / 3
"""A note without links is an orphan only where so many of its project's notes have one."""

_RECORDS = frozenset({"daily", "journal", "meeting", "diary", "log", "gap", "highlight"})
"""Kinds of notes that stand for themselves: nobody has to link them, and age does not make them wrong."""

_PAST = re.compile(
    r"\b(?:supersed\w+|replac\w+|obsolete|deprecated|formerly|previous(?:ly)?|earlier|until then|used to"
    r"|no longer|instead of|withdrawn|retired|outdated|histor\w+)\b",
    re.IGNORECASE,
)


def link_findings(facts: HealthFacts) -> Iterator[Finding]:
    """The findings of all rules about links."""
    yield from _broken(facts)
    yield from _left(facts)
    yield from _superseded(facts)
    yield from _orphans(facts)


def is_record(document: DocumentFacts) -> bool:
    """Whether a document tells of a day or a thing, and is neither to be kept current nor to be linked."""
    named = (document.extra.get("kind", ""), document.extra.get("type", ""), *document.tags)
    kinds = {word.casefold() for word in named}
    return document.source_date_kind == "file_name" or bool(kinds & _RECORDS)


def _broken(facts: HealthFacts) -> Iterator[Finding]:
    for (source, written), links in _grouped(facts, "missing", "no-anchor").items():
        first = links[0]
        if first.state == "no-anchor":
            reason = f"no such heading in {posixpath.basename(first.leads_to or '')}"
            fix = Fix("Link an existing heading, or the whole note.")
        elif first.moved_to is not None:
            reason = "there is no such file"
            there = posixpath.relpath(first.moved_to, posixpath.dirname(source))
            fix = Fix(
                f"A file with that name is at {there}; link that.",
                kind="link",
                values={"path": source, "written": written, "leads_to": first.moved_to},
            )
        else:
            reason = "there is no such file"
            some = ", ".join(first.alike[:3])
            if len(first.alike) == 1:
                fix = Fix(f"Link {some} if it is the one that is meant; it belongs to another project.")
            else:
                unknown = "Write the note, link another one, or remove the link."
                fix = Fix(f"Link one of {some}." if some else unknown)
        yield Finding(
            finding_id("broken-link", source, written),
            "broken-link",
            f"Link to «{written}» leads nowhere: {reason}",
            "warning",
            first.project,
            _shown(links),
            _with_applied(fix, "broken-link", source, written),
            paths=(source,),
            about=written,
            count=len(links),
        )


def _with_applied(fix: Fix, rule: str, *subject: str) -> Fix:
    if fix.kind is None:
        return fix
    return Fix(fix.text, f"bob health fix {finding_id(rule, *subject)}", fix.kind, fix.values)


def _left(facts: HealthFacts) -> Iterator[Finding]:
    for (source, leads_to), links in _grouped(facts, "left", by_target=True).items():
        yield Finding(
            finding_id("rests-on-deleted", source, leads_to),
            "rests-on-deleted",
            f"Links to a document that is gone: {posixpath.basename(leads_to)}",
            "warning",
            links[0].project,
            _shown(links),
            Fix("Check whether it is still true without that source; link another, or remove the link."),
            paths=(source,),
            about=leads_to,
            count=len(links),
        )


def _superseded(facts: HealthFacts) -> Iterator[Finding]:
    records = {decision.path for decision in facts.superseded}
    by_path = {document.path: document for document in facts.documents}
    for (source, leads_to), links in _grouped(facts, "superseded", by_target=True).items():
        # A decision's record is judged by the rule of decisions, which knows what took its place.
        if leads_to in records or is_record(by_path[source]):
            continue
        extra = by_path[leads_to].extra
        instead = extra.get("superseded_by") or extra.get("superseded-by")
        current = [link for link in links if not says_that_it_is_past(link.line_text)]
        if not current or (instead and _stem(instead) == _stem(source)):
            continue
        yield Finding(
            finding_id("rests-on-superseded", source, leads_to),
            "rests-on-superseded",
            f"Links to a document that is no longer in force: {posixpath.basename(leads_to)}",
            "warning",
            links[0].project,
            _shown(current),
            Fix(f"Link {instead} instead." if instead else "Check what is in force now, and link that."),
            paths=(source,),
            about=leads_to,
            count=len(current),
        )


def says_that_it_is_past(text: str) -> bool:
    """Whether words around a link show that its writer knows that what it leads to holds no longer."""
    return bool(_PAST.search(text))


def _stem(named: str) -> str:
    """A file's name without folders, ending, and a wiki link's brackets."""
    return posixpath.basename(named.strip("[]\"'")).removesuffix(".md").casefold()


def _orphans(facts: HealthFacts) -> Iterator[Finding]:
    for note in orphans(facts):
        yield Finding(
            finding_id("orphan-note", note.path),
            "orphan-note",
            f"No link leads to or from {posixpath.basename(note.path)}, and no answer needed it",
            "note",
            note.project,
            (Evidence("no link, in or out", note.path, 1),),
            Fix("Link it from where a reader would look for it, or remove it."),
            paths=(note.path,),
        )


def orphans(facts: HealthFacts) -> list[DocumentFacts]:
    """The notes that no link leads to or from, and that no answer needed, where notes are linked at all."""
    notes = [
        document for document in facts.documents if document.source_type == "markdown" and not document.past
    ]
    linked: set[str] = set()
    for link in facts.links:
        if link.leads_to != link.source:
            linked.add(link.source)
            linked.update([link.leads_to] if link.leads_to else [])
    shares = _linked_shares(notes, linked)
    retrieved = {path for answer in facts.answers for path in answer.retrieved}
    return [
        note
        for note in notes
        if note.path not in linked
        and note.path not in retrieved
        and shares[note.project] >= LINKED_SHARE
        and not is_record(note)
        and not _is_start_page(note.path)
    ]


def _is_start_page(path: str) -> bool:
    return posixpath.basename(path).rpartition(".")[0].casefold() in ("readme", "index", "_index", "home")


def _linked_shares(notes: list[DocumentFacts], linked: set[str]) -> Mapping[str, float]:
    every: dict[str, list[bool]] = defaultdict(list)
    for note in notes:
        every[note.project].append(note.path in linked)
    return {project: sum(project_scores) / len(project_scores) for project, project_scores in every.items()}


def _grouped(
    facts: HealthFacts, *states: str, by_target: bool = False
) -> dict[tuple[str, str], list[LinkFacts]]:
    groups: dict[tuple[str, str], list[LinkFacts]] = defaultdict(list)
    for link in facts.links:
        if link.state in states:
            groups[link.source, (link.leads_to or "") if by_target else link.written].append(link)
    return groups


def _shown(links: list[LinkFacts]) -> tuple[Evidence, ...]:
    return tuple(Evidence(link.line_text, link.source, link.line) for link in links)
