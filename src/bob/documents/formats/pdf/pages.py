"""Puts the end of a sentence that goes on overleaf to the page on which it begins; knows nothing of PDF."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from bob.documents.formats.pdf.layout import Line, Paragraph, ends_sentence, is_item
from bob.documents.formats.pdf.words import joint_of_word, split_words
from bob.text.sentences import sentence_ranges

_MOST_CARRIED = 1_500  # characters; what goes on for longer is no sentence
_MOST_WITHOUT_STOP = 200
_LEAST_LINE = 40  # characters of a line that was full, and not the last of an address
_MOST_NOTES = 12  # footnotes below a text
_SMALLER = 0.93  # times the size of the text: footnotes are
_LOOK_BACK = 2_000  # characters in which a sentence begins


def words_of_lines(pages: Iterable[Sequence[Line]]) -> frozenset[str]:
    """The words cut by the ends of lines, or of pages, that stand whole elsewhere in the document."""
    lines = [line for page in pages for line in page]
    pairs = ((before.text, line.text) for before, line in pairwise(lines) if before.hyphenated)
    return split_words(pairs, (line.text for line in lines))


def carry_sentences(pages: Sequence[list[Paragraph]], words: Collection[str] = ()) -> None:
    """Moves the end of each sentence that a page's end has cut to where it begins.

    A quote of the whole sentence is one of the page on which it begins. What nothing says to go on stays.
    """
    for page, following in pairwise(pages):
        own = ((at, paragraph) for at, paragraph in enumerate(following) if not paragraph.first.is_running)
        own_start, first = next(own, (0, None))
        position = _unfinished(page, first) if first else None
        if first is None or position is None:
            continue
        text = page[position].text
        cut_word = page[position].last.hyphenated
        before = text[:-1] if cut_word else text
        joint = joint_of_word(before, first.text, words) if cut_word else " "
        length = _length_of_end(before + joint, first.text)
        if not length:
            continue
        page[position] = replace(page[position], text=before + joint + first.text[:length].rstrip())
        rest = first.text[length:].lstrip()
        following[own_start : own_start + 1] = [replace(first, text=rest)] if rest else []


def _unfinished(page: Sequence[Paragraph], first: Paragraph) -> int | None:
    """The paragraph of a page that goes on in the first of the next page."""
    if first.kind != "paragraph" or is_item(first.text):
        return None
    for position in range(len(page) - 1, max(len(page) - 1 - _MOST_NOTES, -1), -1):
        paragraph = page[position]
        if paragraph.first.is_running:
            continue
        if paragraph.kind == "paragraph" and paragraph.last.size >= first.first.size * _SMALLER:
            return position if _goes_on(paragraph, first) else None
    return None


def _goes_on(paragraph: Paragraph, first: Paragraph) -> bool:
    last, line = paragraph.last, first.first
    if ends_sentence(paragraph.text) or last.size * _SMALLER > line.size or last.bold != line.bold:
        return False
    if line.text[:1].islower():
        return True
    if last.hyphenated:
        return line.text[:1].isalnum()
    # With a capital, as all nouns have in German, only behind a line that was full.
    return (
        paragraph.is_full
        and len(last.text) >= _LEAST_LINE
        and last.text.isupper() == line.text.isupper()
        and len(line.text) >= _LEAST_LINE
    )


def _length_of_end(before: str, text: str) -> int:
    """How much of a text belongs to the last sentence of the one before it; 0 where that has no end."""
    before = before[-_LOOK_BACK:]
    joined = before + text[: _MOST_CARRIED + 1]
    for _, end in sentence_ranges(joined):
        if end > len(before):
            length = end - len(before)
            # What ends without a stop is another thing than the rest of a sentence, unless it is short.
            most = _MOST_CARRIED if ends_sentence(joined[:end].rstrip()) else _MOST_WITHOUT_STOP
            return length if length <= most and (most == _MOST_CARRIED or length == len(text)) else 0
    return 0
