"""Decision records: one decision a record, from its status, its context and its decision section."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from bob.domain.decision import DatedDocument, DecisionStatus, FoundDecision
from bob.extract.patterns import CONTEXT_HEADING, DECISION_HEADING, PARTLY, STATUS_HEADING, STATUSES
from bob.extract.reading import Place, Section

_NUMBERED = re.compile(r"\[?(?:ADR|RFC|PEP)?[-\s#]*0*(\d{1,5})\]?(?:\s*[.:–—-]+\s*|\s+)(?=\S)", re.IGNORECASE)
_FILE_NUMBER = re.compile(r"(?:adr|rfc|pep)?[-_ ]?0*(\d{1,5})[-_. ]", re.IGNORECASE)


def found_records(
    document: DatedDocument, sections: Sequence[Section]
) -> tuple[list[FoundDecision], list[Section]]:
    """The records of a document, and the sections that are part of none."""
    roots = [each.path[:-1] for each in sections if each.path and STATUS_HEADING.fullmatch(each.heading)]
    found: list[FoundDecision] = []
    rest = list(sections)
    for root in dict.fromkeys(roots):
        own = [each for each in rest if each.path[: len(root)] == root]
        record = _record(document, root, own, is_alone=len(set(roots)) == 1)
        if record is not None:
            found.append(record)
            rest = [each for each in rest if each not in own]
    return found, rest


def _record(
    document: DatedDocument, root: tuple[str, ...], sections: Sequence[Section], *, is_alone: bool
) -> FoundDecision | None:
    status = _status(sections)
    statement = _first(sections, DECISION_HEADING)
    if status is None or statement is None:
        return None
    context = _first(sections, CONTEXT_HEADING)
    heading = root[-1] if root else document.title
    numbered = _NUMBERED.match(heading)
    of_file = _FILE_NUMBER.match(PurePosixPath(document.path).name) if is_alone else None
    number = of_file[1] if of_file else numbered[1] if numbered else None
    return FoundDecision(
        key="",
        kind="record",
        number=number,
        title=heading[numbered.end() :] if numbered else heading,
        statement=statement.text,
        context=context.text if context else "",
        status=status,
        stated_date=None,
        confidence=0.95,
        locator=statement.locator,
    )


def _first(sections: Sequence[Section], heading: re.Pattern[str]) -> Place | None:
    chosen = (each for each in sections if heading.fullmatch(each.heading))
    return next((paragraph for each in chosen for paragraph in each.paragraphs()), None)


def _status(sections: Sequence[Section]) -> DecisionStatus | None:
    text = _first(sections, STATUS_HEADING)
    if text is None:
        return None
    found = next((status for status, words in STATUSES if words.search(text.text)), None)
    return "active" if found == "superseded" and PARTLY.search(text.text) else found
