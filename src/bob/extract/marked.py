"""Decisions behind a marker: "Decision: ...", "Agreed: ..."."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bob.domain.decision import FoundDecision
from bob.extract.patterns import MARKER, PLACEHOLDER
from bob.extract.reading import Section

_CONFIDENCE = 0.9
_TITLE_LENGTH = 100


def marked_decisions(sections: Iterable[Section]) -> Iterator[FoundDecision]:
    """The marked decisions of sections that are no part of a record."""
    for section in sections:
        for paragraph in section.paragraphs():
            marked = MARKER.fullmatch(paragraph.text)
            if marked is None or PLACEHOLDER.search(marked["text"]):
                continue
            statement = paragraph.part(marked.start("text"), marked.end("text"))
            yield FoundDecision(
                key="",
                kind="marked",
                number=None,
                title=title_of(statement.text),
                statement=statement.text,
                context=" > ".join(section.path),
                status="active",
                stated_date=None,
                confidence=_CONFIDENCE,
                locator=statement.locator,
            )


def title_of(statement: str) -> str:
    """The start of a statement, on one line, cut between words."""
    line = " ".join(statement.split())
    if len(line) <= _TITLE_LENGTH:
        return line
    return line[: _TITLE_LENGTH - 1].rsplit(" ", 1)[0] + "…"
