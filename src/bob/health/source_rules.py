"""Rules about what the index is made of: files that could not be read, and vectors of the present model."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from bob.health.facts import FailureFacts, HealthFacts
from bob.health.values import ALL_PROJECTS, Evidence, Finding, Fix, finding_id

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
    for each in facts.pages:
        if each.with_text < each.pages * _TEXT_SHARE:
            yield Finding(
                finding_id("pdf-without-text", each.path),
                "pdf-without-text",
                f"{posixpath.basename(each.path)} has text on {each.with_text} of {each.pages} pages only",
                "warning",
                each.project,
                (Evidence("the other pages are pictures", each.path),),
                Fix(_SCANNED),
                paths=(each.path,),
            )
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


def _missing_files(facts: HealthFacts) -> Iterator[Finding]:
    """Documents whose file is gone, which the index goes on quoting until it is brought up to date."""
    for each in facts.missing:
        own = finding_id("missing-file", each.path)
        yield Finding(
            own,
            "missing-file",
            f"{posixpath.basename(each.path)} is indexed, and its file is gone",
            "error",
            each.project,
            (Evidence(each.title, each.path),),
            Fix(
                "Take it out of the index, or put the file back.",
                f"bob health fix {own}",
                "retry",
                {"path": each.path},
            ),
            paths=(each.path,),
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
