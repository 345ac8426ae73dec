"""Cuts sections into chunks along their own structure, each byte-equal to the source at its locator."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from bob.core.document import Block, BlockKind, Chunk, Section
from bob.core.locator import Locator, PartLocator
from bob.text.sentences import sentence_ranges
from bob.text.tables import cells_between_bars
from bob.text.tokens import estimate_tokens

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
    spans: list[Span] = []
    begin: int | None = None
    last = start
    for (line_start, line_end), is_blank in _lines(text, start, end):
        if is_blank:
            if begin is not None:
                spans.append((begin, last))
            begin = None
            continue
        begin = line_start if begin is None else begin
        last = line_end
    if begin is not None:
        spans.append((begin, last))
    return spans


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
    """The first line of a table that has words in it: its column names. Below a head that is empty only a
    row that is bold from end to end names columns."""
    is_empty = False
    for (start, end), _ in _lines(text, *whole):
        cells = cells_between_bars(text[start:end])
        is_empty = is_empty or (len(cells) > 1 and not any(cells))
        if _WORD_LIKE.search(text, start, end):
            names = not is_empty or all(cell.startswith("**") and cell.endswith("**") for cell in cells)
            return text[start : min(end, start + _MAX_CONTEXT)].strip() if names else ""
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


_FAN_OUT = 8  # see _located


class StructureChunker:
    """Packs a section's blocks into chunks of `min_tokens` to `max_tokens`.

    A chunk ends at the end of a block once it has `min_tokens`. Only a block above `max_tokens` is cut: a
    table between rows, code between lines, a paragraph between sentences, and any of them between words or
    anywhere when there is nothing better. `estimate` counts the tokens of a text.
    """

    def __init__(
        self,
        min_tokens: int = 200,
        max_tokens: int = 500,
        estimate: Callable[[str], int] = estimate_tokens,
    ) -> None:
        if not 1 <= min_tokens <= max_tokens:
            raise ValueError(f"chunks of {min_tokens} to {max_tokens} tokens are not possible")
        self._min = min_tokens
        self._max = max_tokens
        self._estimate = estimate

    def chunks(self, sections: Sequence[Section]) -> list[Chunk]:
        """All chunks in order, ordinals from 0; the same for the same input, always.

        A section that is nothing but the heading of the sections below it gives none: its words are in their
        heading path.
        """
        chunks: list[Chunk] = []
        for index, section in enumerate(sections):
            following = sections[index + 1] if index + 1 < len(sections) else None
            if not _is_only_heading_of(section, following):
                chunks.extend(self._section_chunks(section, len(chunks)))
        return chunks

    def _section_chunks(self, section: Section, ordinal: int) -> Iterator[Chunk]:
        groups = [
            fitting
            for group in self._packed(self._atoms(section))
            for fitting in self._fitting(section.text, group)
        ]
        spans = [(group[0].start, group[-1].end, group[0].position, group[-1].position) for group in groups]
        locators = _located(section.locator, section.text, spans)
        for index, (group, locator) in enumerate(zip(groups, locators, strict=True)):
            text = section.text[group[0].start : group[-1].end]
            context = section.context or group[0].context
            yield Chunk(
                ordinal=ordinal + index,
                text=text,
                heading_path=section.heading_path,
                locator=locator,
                tokens=group[0].tokens if len(group) == 1 else self._estimate(text),
                context="" if text.startswith(context) else context,
            )

    def _atoms(self, section: Section) -> Iterator[Atom]:
        heading_tokens = 0
        for block in _all_blocks(section):
            # A heading stays with what follows, so what follows must leave room for it.
            room = max(self._max - heading_tokens, self._max // 2)
            atoms = atoms_of(section.text, block, room if heading_tokens else self._max, self._estimate)
            yield from atoms
            is_heading = block.kind == "heading"
            heading_tokens = heading_tokens + sum(atom.tokens for atom in atoms) if is_heading else 0

    def _packed(self, atoms: Iterable[Atom]) -> list[list[Atom]]:
        groups: list[list[Atom]] = []
        current: list[Atom] = []
        size = 0
        for atom in atoms:
            is_new_part = atom.kind == "heading" and size >= self._min // 2 and current[-1].kind != "heading"
            if current and (size + atom.tokens > self._max or is_new_part):
                current = _closed(current, groups)
                size = sum(span.tokens for span in current)
                if size + atom.tokens > self._max:
                    groups.extend([current] if current else [])
                    current, size = [], 0
            current.append(atom)
            size += atom.tokens
            if size >= self._min and atom.kind != "heading":
                groups.append(current)
                current, size = [], 0
        if current:
            self._add_tail(current, size, groups)
        return groups

    def _add_tail(self, tail: list[Atom], size: int, groups: list[list[Atom]]) -> None:
        if groups and size + sum(group.tokens for group in groups[-1]) <= self._max:
            groups[-1].extend(tail)
        else:
            groups.append(tail)

    def _fitting(self, text: str, group: list[Atom]) -> list[list[Atom]]:
        # The tokens of a whole may be more than those of its parts: the white space between them counts too.
        if len(group) == 1 or self._estimate(text[group[0].start : group[-1].end]) <= self._max:
            return [group]
        middle = len(group) // 2
        return self._fitting(text, group[:middle]) + self._fitting(text, group[middle:])


def _closed(current: list[Atom], groups: list[list[Atom]]) -> list[Atom]:
    """Closes a group before its trailing headings, which it returns: they belong to what follows."""
    end = len(current)
    while end and current[end - 1].kind == "heading":
        end -= 1
    if end == 0:
        return current
    groups.append(current[:end])
    return current[end:]


def _is_only_heading_of(section: Section, following: Section | None) -> bool:
    path = section.heading_path
    if following is None or not path:
        return False
    is_heading = bool(section.blocks) and all(block.kind == "heading" for block in section.blocks)
    return is_heading and following.heading_path[: len(path)] == path


def _all_blocks(section: Section) -> Iterator[Block]:
    """The section's blocks, and paragraphs wherever its parser named none."""
    position, end = 0, 0
    for block in section.blocks:
        yield from paragraphs(section.text, end, block.start, position)
        yield block
        position, end = block.position, block.end
    yield from paragraphs(section.text, end, len(section.text), position)


def _located(locator: Locator, text: str, spans: list[tuple[int, int, int, int]]) -> list[Locator]:
    """The locator of each span.

    Narrowing a line locator counts the lines before it, so a long section would cost the square of its
    length: it is narrowed in steps, to an eighth each time.
    """
    if len(spans) <= _FAN_OUT or isinstance(locator, PartLocator):
        return [
            locator.narrowed(text, start, end, first=first, last=last) for start, end, first, last in spans
        ]
    locators: list[Locator] = []
    step = -(-len(spans) // _FAN_OUT)
    for index in range(0, len(spans), step):
        part = spans[index : index + step]
        start, end = part[0][0], part[-1][1]
        shifted = [(a - start, b - start, first, last) for a, b, first, last in part]
        locators.extend(_located(locator.narrowed(text, start, end), text[start:end], shifted))
    return locators
