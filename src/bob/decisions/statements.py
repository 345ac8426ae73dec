"""Takes the words of a decision, or of its context, out of the sections that state it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bob.decisions.fields import fields_of
from bob.decisions.passages import Paragraph, Place, Section
from bob.text.sentences import sentence_ranges

_LONGEST = 800  # characters: a statement is what is shown of a decision, not the whole of its section
_LABELLED = re.compile(r"[*_]{0,3}[A-Za-z][\w -]{1,25}:[*_]{0,3}\s")
_SHORT = 25  # "The second." alone says nothing
_TITLE_LENGTH = 100
_NO_WORDS = re.compile(r"\W*(?:!\[[^\]]*\]\([^)]*\)\W*)*")


def statement_of(sections: Iterable[Section], *, skip_fields: bool = False) -> Place | None:
    """The first paragraph of the sections, with the list that it introduces; a whole list when they begin so.

    `skip_fields` to pass over lines such as "Status: accepted".
    """
    sections = list(sections)
    for section in sections:
        fields = (
            {each.place.start for each in fields_of(section.lines) if each.place} if skip_fields else set()
        )
        paragraphs = [each for each in section.paragraphs if not _holds(each, fields)]
        if skip_fields:
            paragraphs = [each for each in paragraphs if not _LABELLED.match(each.text)] or paragraphs
        first = next((at for at, each in enumerate(paragraphs) if not _NO_WORDS.fullmatch(each.text)), None)
        if first is not None:
            return _with_list(paragraphs[first:])
    lines = (
        line for section in sections for line in section.lines if line.role in ("table", "code", "quote")
    )
    shown = (line.place.part(0, len(line.text)) for line in lines if not _NO_WORDS.fullmatch(line.text))
    return None if skip_fields else next(shown, None)


def context_of(sections: Iterable[Section]) -> str:
    """The first paragraphs of the sections, as many as fit."""
    taken: list[str] = []
    size = 0
    for text in (each.text for section in sections for each in section.paragraphs):
        if size + len(text) > _LONGEST and taken:
            break
        taken.append(text)
        size += len(text)
    return "\n\n".join(taken)


def title_of(statement: str) -> str:
    """The start of a statement, on one line, cut between words."""
    line = " ".join(statement.split()).strip("*_ ")
    if len(line) <= _TITLE_LENGTH:
        return line
    return line[: _TITLE_LENGTH - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


def _with_list(paragraphs: list[Paragraph]) -> Place:
    first = paragraphs[0]
    end = first.place.end
    if first.is_item or first.text.rstrip("*_ ").endswith(":") or len(first.text) < _SHORT:
        for each in _items_after(paragraphs):
            if each.place.end - first.place.start > _LONGEST:
                break
            end = each.place.end
    return Place(first.place.passage, first.place.start, end)


def _items_after(paragraphs: list[Paragraph]) -> Iterator[Paragraph]:
    for each in paragraphs[1:]:
        if not each.is_item or each.place.passage is not paragraphs[0].place.passage:
            return
        yield each


def _holds(paragraph: Paragraph, starts: set[int]) -> bool:
    return any(paragraph.place.start <= each < paragraph.place.end for each in starts)


_BLANK_LINE = re.compile(r"\n\s*\n")


def sentences(place: Place) -> Iterator[Place]:
    """The sentences of a paragraph, without the white space between them."""
    yield from (place.part(start, end) for start, end in _ranges(place.text))


def sentence_texts(text: str) -> Iterator[str]:
    """The sentences of a text, where their place does not matter."""
    yield from (text[start:end] for start, end in _ranges(text))


def _ranges(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in (*(each.end() for each in _BLANK_LINE.finditer(text)), len(text)):
        yield from (each for each in sentence_ranges(text, start, end) if text[each[0] : each[1]].strip())
        start = end
