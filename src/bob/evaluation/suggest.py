"""Drafts golden questions from headings, for a person to look through; a heading's section is the expected
source of its question."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import PurePosixPath
from typing import Any

from bob.documents import source_rows
from bob.search.query import chunk_headings
from bob.storage.database import Database

_NO_PROSE = frozenset({"code", "config", "csv", "excel"})
"""Types whose headings are names of functions, keys and sheets: no person asks by them."""

_EMPTY = re.compile(
    "appendix|changelog|contents|copyright|examples?|index|introduction|license|links|misc|notes|other|overview"
    "|preface|references|see also|summary|table of contents|todo",
    re.IGNORECASE,
)
"""Headings that do not say what stands below them."""

_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*[.)]?|[ivxIVX]+[.)]|[A-Z][.)])\s+")
_HOW_TO = re.compile(r"^how to\s+(.+)$", re.IGNORECASE)
_QUESTION_MARKS = "?？؟"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading with those above it, `path` as a golden set would name its document."""

    path: str
    title: str
    source_type: str
    language: str | None
    headings: tuple[str, ...]


def suggest(headings: Iterable[Heading], limit: int) -> list[dict[str, Any]]:
    """At most `limit` records of a golden set with `confirmed` false, no question twice.

    Documents take turns, so that a few questions come from many documents. The same headings give the same
    questions with the same ids.
    """
    by_document: dict[str, dict[tuple[str, ...], Heading]] = {}
    for heading in headings:
        if heading.headings and heading.source_type not in _NO_PROSE:
            by_document.setdefault(heading.path, {}).setdefault(heading.headings, heading)
    drafts = [_drafts(list(headings_of.values())) for headings_of in by_document.values()]
    records: dict[str, dict[str, Any]] = {}
    for record in chain.from_iterable(zip_longest(*drafts)):
        if len(records) >= limit:
            break
        if record is not None:
            records.setdefault(record["question"].casefold(), record)
    return list(records.values())


def _drafts(document: list[Heading]) -> Iterator[dict[str, Any]]:
    """The questions of one document. Its title, or the one heading above all others, asks for one only where
    no other heading does."""
    tops = {heading.headings[0] for heading in document}
    titles = {_even(heading) for heading in (document[0].title, *(tops if len(tops) == 1 else ()))}
    sections = [heading for heading in document if _even(heading.headings[-1]) not in titles]
    for section in sections or document[:1]:
        heading = _NUMBER.sub("", " ".join(section.headings[-1].split()))
        if len(heading) > 2 and not _EMPTY.fullmatch(heading):
            yield {
                "id": _id(section),
                "question": _question(heading, section, alone=not sections),
                "sources": [{"path": section.path, "locator": {"heading": section.headings[-1]}}],
                "confirmed": False,
            }


def _question(heading: str, of: Heading, *, alone: bool) -> str:
    if heading.endswith(tuple(_QUESTION_MARKS)):
        return heading
    heading = heading.rstrip(".:;!")
    if of.language not in (None, "en"):
        # Its own words, as a question, whatever the language.
        return f"{heading}?"
    how_to = _HOW_TO.match(heading)
    if how_to:
        return f"How do I {_lowered(how_to[1])}?"
    if alone:
        return f"What do we know about {_lowered(heading)}?"
    return f"What does «{of.title or of.path.rpartition('/')[2]}» say about {_lowered(heading)}?"


def _lowered(heading: str) -> str:
    """Without the capital of a first word; names with more of them, such as VPN or GitHub, are kept, and so
    are headings in title case, whose words may be names."""
    first, *others = heading.split(" ")
    if first[1:].lower() != first[1:] or any(other[:1].isupper() for other in others):
        return heading
    return heading[:1].lower() + heading[1:]


def _even(heading: str) -> str:
    return " ".join(heading.split()).casefold()


def _id(heading: Heading) -> str:
    """Readable, and the same as long as the file's name and its headings are."""
    key = "\n".join((heading.path, *heading.headings))
    words = f"{heading.path.rpartition('/')[2].rpartition('.')[0]} {heading.headings[-1]}"
    slug = re.sub(r"\W+", "-", words.lower()).strip("-")[:40].strip("-")
    return f"{slug}-{hashlib.sha256(key.encode()).hexdigest()[:4]}"


class SuggestGolden:
    """Drafts questions about one organization's documents."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def suggest_questions(self, limit: int) -> list[dict[str, Any]]:
        """At most `limit` unconfirmed questions, as records of a golden set."""
        return suggest(self._headings(), limit)

    def _headings(self) -> Iterator[Heading]:
        with self._database.read() as transaction:
            folders = [path for path, _ in source_rows.every(transaction)]
            found = chunk_headings(transaction)
            for path, title, source_type, language, headings in found:
                yield Heading(_short(path, folders), title, source_type, language, headings)


def _short(path: str, folders: Sequence[str]) -> str:
    """The path from the innermost indexed folder on, its name included: it holds on other machines too."""
    holding = [folder for folder in folders if source_rows.within(path, folder)]
    if not holding:
        return path
    return str(PurePosixPath(path).relative_to(PurePosixPath(max(holding, key=len)).parent))
