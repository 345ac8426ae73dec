"""Cuts a block that is too long for a chunk at the least bad places, in time linear in its length."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from bob.core.document import Block, BlockKind
from bob.text.sentences import sentence_ranges

Span = tuple[int, int]

_INK = re.compile(r"\S")
_WORD_LIKE = re.compile(r"\w")
_WINDOW_CHARACTERS_PER_TOKEN = 4  # a first try; halved until the estimate agrees
_MAX_CONTEXT = 500  # characters of a table's header row


class Atom(NamedTuple):
    """A piece of a section that is not cut further; `context` is what it needs from its block's start."""

    start: int
    end: int
    kind: BlockKind
    position: int
    tokens: int
    context: str = ""


def atoms_of(text: str, block: Block, room: int, estimate: Callable[[str], int]) -> list[Atom]:
    """The block as pieces of at most `room` tokens: itself when it fits, nothing when it is blank."""
    whole = trimmed(text, block.start, block.end)
    if whole is None:
        return []
    pieces = [(whole, estimate(text[whole[0] : whole[1]]))]
    for cut in _CUTS[block.kind]:
        if all(tokens <= room for _, tokens in pieces):
            break
        pieces = [
            piece
            for span, tokens in pieces
            for piece in (
                [(span, tokens)]
                if tokens <= room
                else [((start, end), estimate(text[start:end])) for start, end in cut(text, *span)]
            )
        ]
    pieces = [
        piece
        for span, tokens in pieces
        for piece in ([(span, tokens)] if tokens <= room else _windows(text, *span, room, estimate))
    ]
    header = _header(text, whole) if block.kind == "table" and len(pieces) > 1 else ""
    return [
        Atom(start, end, block.kind, block.position, tokens, header if start > whole[0] else "")
        for (start, end), tokens in pieces
    ]


def trimmed(text: str, start: int, end: int) -> Span | None:
    """The range without blank lines at either end; None if nothing else is in it.

    White space around the text of a line stays, so that whole lines stay whole.
    """
    first = _INK.search(text, start, end)
    if first is None:
        return None
    begin = max(text.rfind("\n", start, first.start()) + 1, start)
    last = start + len(text[start:end].rstrip())
    stop = text.find("\n", last, end)
    return begin, end if stop < 0 else stop


def paragraphs(text: str, start: int, end: int, position: int = 0) -> Iterator[Block]:
    """The ranges between blank lines."""
    if _INK.search(text, start, end):
        for span in _at_blank_lines(text, start, end):
            yield Block(*span, "paragraph", position)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[Span, bool]]:
    """Each line's range, and whether it is blank."""
    while start <= end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        yield (start, stop), _INK.search(text, start, stop) is None
        start = stop + 1


def _at_lines(text: str, start: int, end: int) -> list[Span]:
    return [span for span, is_blank in _lines(text, start, end) if not is_blank]


def _at_blank_lines(text: str, start: int, end: int) -> list[Span]:
    found: list[Span] = []
    begin: int | None = None
    last = start
    for (line_start, line_end), is_blank in _lines(text, start, end):
        if is_blank:
            if begin is not None:
                found.append((begin, last))
            begin = None
            continue
        begin = line_start if begin is None else begin
        last = line_end
    if begin is not None:
        found.append((begin, last))
    return found


def _at_sentences(text: str, start: int, end: int) -> list[Span]:
    spans = (_stripped(text, first, last) for first, last in sentence_ranges(text, start, end))
    return [span for span in spans if span is not None]


def _windows(
    text: str, start: int, end: int, room: int, estimate: Callable[[str], int]
) -> Iterator[tuple[Span, int]]:
    """Pieces as long as `room` allows, ending between words, or anywhere when a word is too long."""
    widest = room * _WINDOW_CHARACTERS_PER_TOKEN
    width = widest
    while start < end:
        while True:
            stop = _word_end(text, start, min(start + width, end), end)
            tokens = estimate(text[start:stop])
            if tokens <= room or width == 1:
                break
            width = max(width // 2, 1)
        if (span := _stripped(text, start, stop)) is not None:
            yield span, estimate(text[slice(*span)])
        start = stop
        width = min(width * 2, widest)


def _word_end(text: str, start: int, stop: int, end: int) -> int:
    if stop == end:
        return stop
    half = start + (stop - start) // 2
    head = text[half:stop].rsplit(None, 1)
    return half + len(head[0]) if len(head) == 2 else stop


def _stripped(text: str, start: int, stop: int) -> Span | None:
    piece = text[start:stop]
    begin = start + len(piece) - len(piece.lstrip())
    return (begin, start + len(piece.rstrip())) if begin < stop else None


def _header(text: str, whole: Span) -> str:
    """The first line of a table that has words in it: its column names."""
    for (start, end), _ in _lines(text, *whole):
        if _WORD_LIKE.search(text, start, end):
            return text[start : min(end, start + _MAX_CONTEXT)].strip()
    return ""


_CUTS: dict[BlockKind, tuple[Callable[[str, int, int], list[Span]], ...]] = {
    "paragraph": (_at_sentences, _at_lines),
    "heading": (_at_lines,),
    "list": (_at_blank_lines, _at_lines, _at_sentences),
    "quote": (_at_blank_lines, _at_lines, _at_sentences),
    "table": (_at_lines, _at_sentences),
    "code": (_at_blank_lines, _at_lines),
    "front_matter": (_at_blank_lines, _at_lines),
}
