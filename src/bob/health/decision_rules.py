"""Rules about decisions that are superseded or gone, and about what the index is made of."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from bob.health.facts import (
    AnswerFacts,
    Cited,
    DocumentFacts,
    FailureFacts,
    HealthFacts,
    LinkFacts,
    SupersededFacts,
)
from bob.health.link_rules import is_record, says_that_it_is_past
from bob.health.values import ALL_PROJECTS, Evidence, Finding, Fix, finding_id


def decision_findings(facts: HealthFacts) -> Iterator[Finding]:
    """The findings of all rules about decisions."""
    for decision in facts.superseded:
        yield from _still_cited(decision, facts)
    for lost in facts.corrections:
        changes = ", ".join(f"{name}: {value}" for name, value in sorted(lost.changes.items()))
        yield Finding(
            finding_id("lost-correction", lost.project, lost.key),
            "lost-correction",
            "A correction belongs to a decision that no longer exists",
            "warning",
            lost.project,
            (Evidence(f"decision {lost.key}: {changes}"),),
            Fix(
                "Its text has changed or is gone. Correct the present decision, or dismiss this finding.",
                f"bob decisions --project {lost.project}" if lost.project else "bob decisions",
            ),
            about=lost.key,
        )


def _still_cited(decision: SupersededFacts, facts: HealthFacts) -> Iterator[Finding]:
    # A question that was asked again since is judged by its last answer.
    last = [question.answers[-1] for question in facts.questions]
    answers = [(answer, cite) for answer in last for cite in _cites(answer, decision)]
    links = [link for link in facts.links if decision.whole and _rests_on(link, decision, facts)]
    if not answers and not links:
        return
    current = decision.current_title
    instead = f"«{current}» ({posixpath.basename(decision.current_path or '')})" if current else None
    yield Finding(
        finding_id("superseded-decision-cited", decision.path, decision.key),
        "superseded-decision-cited",
        f"Superseded but still cited: {decision.title}",
        "error",
        decision.project,
        (
            *(Evidence(link.line_text, link.source, link.line) for link in links),
            *(
                Evidence(
                    f"answer {answer.answer_id} to «{answer.question}» cites: {cite.quote}",
                    cite.path,
                    cite.locator.get("start_line"),
                )
                for answer, cite in answers
            ),
        ),
        Fix(
            f"Link {instead} instead, which is in force now."
            if instead
            else "Check what is in force now, and link that.",
            f"bob decisions --project {decision.project}",
        ),
        paths=tuple(dict.fromkeys(link.source for link in links)) or (decision.path,),
        about=decision.path,
        uses=len({answer.answer_id for answer, _ in answers}),
        count=len(links) + len(answers),
    )


def _cites(answer: AnswerFacts, decision: SupersededFacts) -> list[Cited]:
    """The places of the decision that an answer cites, if it was given when the decision held no longer."""
    if decision.since is not None and answer.asked_at.date() < decision.since:
        return []
    own = [cite for cite in answer.cited if cite.path == decision.path]
    later = set(decision.successors)
    if any(cite.path in later for cite in answer.cited):
        return []  # it says what holds now, too
    return [cite for cite in own if decision.whole or _overlap(cite, decision)]


def _overlap(cited: Cited, decision: SupersededFacts) -> bool:
    first, last = decision.locator.get("start_line"), decision.locator.get("end_line")
    start, end = cited.locator.get("start_line"), cited.locator.get("end_line")
    if first is None or last is None or start is None or end is None:
        return dict(cited.locator) == dict(decision.locator)
    return bool(start <= last and end >= first)


def _rests_on(link: LinkFacts, decision: SupersededFacts, facts: HealthFacts) -> bool:
    """Whether a document links to the decision's record as to what holds: it is no record of a day itself,
    was not written before the decision was superseded, and does not say that it is past."""
    if link.leads_to != decision.path or link.source == decision.path:
        return False
    if link.source in decision.successors or says_that_it_is_past(link.line_text):
        return False
    source = next(document for document in facts.documents if document.path == link.source)
    if is_record(source) or source.past or any(decision.path == link.source for decision in facts.superseded):
        return False
    dated = source.source_date if source.source_date_kind != "mtime" else None
    return dated is None or decision.since is None or dated >= decision.since


_TEXT_SHARE = 0.5
"""A PDF with text on fewer of its pages is mostly pictures of text."""

_ADVICE = {
    "encrypted": "Save it without a password, or leave it out with a line in .bobignore.",
    "permission": "Let your user read it.",
    "too-large": "Raise ingest.max_file_mb, split the file, or leave it out with a line in .bobignore.",
    "timeout": "Raise ingest.timeout_seconds, split the file, or leave it out with a line in .bobignore.",
    "no-text": "It holds nothing to read: leave it out with a line in .bobignore.",
    "empty": "Write something into it, or delete it.",
    "unsupported": "Save it in a format that is read, or leave it out with a line in .bobignore.",
}
_SCANNED = "Run text recognition over it (OCR, such as ocrmypdf), so that it has text."


def source_findings(facts: HealthFacts) -> Iterator[Finding]:
    """The findings of all rules about what the index is made of."""
    for failure in facts.failures:
        yield _unread(failure)
    scanned = {page.path: page for page in facts.pages if page.with_text < page.pages * _TEXT_SHARE}
    for page in scanned.values():
        yield Finding(
            finding_id("pdf-without-text", page.path),
            "pdf-without-text",
            f"{posixpath.basename(page.path)} has text on {page.with_text} of {page.pages} pages only",
            "warning",
            page.project,
            (Evidence("the other pages are pictures", page.path),),
            Fix(_SCANNED),
            paths=(page.path,),
        )
    for document in facts.documents:
        if document.left_out and not document.past and document.path not in scanned:
            yield _read_in_part(document)
    yield from _missing_files(facts)
    yield from _vectors(facts)


def _unread(failure: FailureFacts) -> Finding:
    name = posixpath.basename(failure.path)
    scanned = failure.code == "no-text" and name.lower().endswith(".pdf")
    rule = "pdf-without-text" if scanned else "unreadable-file"
    own = finding_id(rule, failure.path)
    if not failure.exists:
        fix = Fix("The file is gone: forget it.", f"bob health fix {own}", "retry", {"path": failure.path})
    elif failure.changed:
        fix = Fix("It has changed: read it again.", f"bob health fix {own}", "retry", {"path": failure.path})
    else:
        fix = Fix(_SCANNED if scanned else _ADVICE.get(failure.code, "Save it anew."), "bob retry")
    return Finding(
        own,
        rule,
        f"{name} has no text to read" if scanned else f"{name} could not be read: {failure.reason}",
        "error",
        failure.project,
        (Evidence(failure.reason, failure.path),),
        fix,
    )


def _read_in_part(document: DocumentFacts) -> Finding:
    first, *others = document.left_out
    more = f" (and {len(others)} more)" if others else ""
    return Finding(
        finding_id("read-in-part", document.path),
        "read-in-part",
        f"{posixpath.basename(document.path)} was read in part: {first}{more}",
        "note",
        document.project,
        (Evidence("; ".join(document.left_out), document.path),),
        Fix("Save what is left out in a format that is read, or dismiss this finding."),
        paths=(document.path,),
    )


def _missing_files(facts: HealthFacts) -> Iterator[Finding]:
    """Documents whose file is gone, which the index goes on quoting until it is brought up to date."""
    for link in facts.missing:
        own = finding_id("missing-file", link.path)
        yield Finding(
            own,
            "missing-file",
            f"{posixpath.basename(link.path)} is indexed, and its file is gone",
            "error",
            link.project,
            (Evidence(link.title, link.path),),
            Fix(
                "Take it out of the index, or put the file back.",
                f"bob health fix {own}",
                "retry",
                {"path": link.path},
            ),
            paths=(link.path,),
        )


def _vectors(facts: HealthFacts) -> Iterator[Finding]:
    state = facts.vectors
    if state is None or not state.chunks:
        return
    drifted = state.stored_model is not None and state.stored_model != state.present_model
    if not drifted and not state.pending:
        return
    rule = "embeddings-drift" if drifted else "embeddings-pending"
    own = finding_id(rule, state.present_model)
    what = (
        f"The vectors are of {state.stored_model}, and the model is {state.present_model} now"
        if drifted
        else f"{state.pending:,} of {state.chunks:,} chunks have no vector yet"
    )
    gave_up = f"; {state.failed_jobs} jobs gave up" if state.failed_jobs else ""
    yield Finding(
        own,
        rule,
        what,
        "error" if drifted else "warning",
        ALL_PROJECTS,
        (
            Evidence(
                f"{state.chunks - state.pending:,} of {state.chunks:,} chunks are found by meaning{gave_up}"
            ),
        ),
        Fix("Make the vectors.", f"bob health fix {own}", "vectors"),
        count=max(state.pending, 1),
    )
