"""Cuts sections into chunks along their own structure, each byte-equal to the source at its locator."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from bob.core.document import Block, BlockKind, Chunk, Section
from bob.core.locator import Locator, PartLocator
from bob.text.sentences import sentence_ranges
from bob.text.tables import (
    MOST_OF_HEAD,
    cell_ranges,
    cells_between_bars,
    cells_of,
    is_head,
    is_rule,
    joined_names,
    marked_head,
    row_of,
)
from bob.text.tokens import estimate_tokens

Span = tuple[int, int]

_INK = re.compile(r"\S")
_ITEM_START = re.compile(r"^(?P<before>[ \t>]*)(?:[-*+•]|\d{1,4}[.)]|[a-z][.)])[ \t]", re.MULTILINE)
_NEARLY_ALIKE = 1  # blanks: "9." may stand above "10."
_TAB = 4
_WINDOW_CHARACTERS_PER_TOKEN = 4  # a first try; halved until the estimate agrees
_HEADER_SEARCH = 200  # lines: so many of a table say whether its first row names the columns
_MAX_CAPTION = 500  # characters of a table's first line that names no columns
_MAX_ROW_NAME = 80  # characters of a row's first cell that say what its other cells are of


class Atom(NamedTuple):
    """A piece of a section that is not cut further; `context` is what it needs from its table's start.

    A part of a row has the names of its own columns there, so it is a chunk of its own.
    """

    start: int
    end: int
    kind: BlockKind
    position: int
    tokens: int
    context: str = ""
    is_part_of_row: bool = False


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
    return [Atom(start, end, block.kind, block.position, tokens) for (start, end), tokens in pieces]


def table_atoms(
    text: str, block: Block, room: int, estimate: Callable[[str], int], header: str, delimiter: str
) -> Iterator[Atom]:
    """A table, or some rows of one, in pieces of at most `room` tokens: itself, rows, or parts of a long row.

    `header` has the names of its columns, and `delimiter` stands between its cells.
    """
    whole = trimmed(text, block.start, block.end)
    if whole is None:
        return
    tokens = estimate(text[slice(*whole)])
    if tokens <= room:
        yield Atom(*whole, "table", block.position, tokens, header)
        return
    # A quoted cell may have line ends; its row is a block.
    for start, end in _at_lines(text, *whole) if delimiter == "|" else [whole]:
        tokens = estimate(text[start:end])
        if tokens <= room:
            yield Atom(start, end, "table", block.position, tokens, header)
            continue
        has_names = delimiter in header and header != text[start:end]
        names = cells_of(header, delimiter) if has_names else []
        cells = [(start + first, start + last) for first, last in cell_ranges(text[start:end], delimiter)]
        of = " ".join(text[slice(*cells[0])].split())
        for first, last, span in _parts_of_row(text, (start, end), cells, room, estimate):
            above = names[first:last]
            context = row_of(above, delimiter) if any(above) else ""
            if context and first > 0 and len(of) <= _MAX_ROW_NAME:
                context += "\n" + row_of([of], delimiter)
            tokens = estimate(text[slice(*span)])
            yield Atom(*span, "table", block.position, tokens, context, is_part_of_row=True)


def _parts_of_row(
    text: str, row: Span, cells: Sequence[Span], room: int, estimate: Callable[[str], int]
) -> Iterator[tuple[int, int, Span]]:
    """A long row cut between its cells, and a cell that is too long between sentences or words: the number of
    the first cell in each part and of the one after the last, and its range. No part begins with an empty
    cell, which could not be told from the end of a row."""
    filled = [number for number, (start, end) in enumerate(cells) if not number or text[start:end].strip()]
    starts = [row[0], *(cells[number][0] for number in filled[1:]), row[1]]
    filled.append(len(cells))
    begin, size = 0, 0
    for index in range(len(filled) - 1):
        start, end = starts[index], starts[index + 1]
        tokens = estimate(text[start:end])
        if size + tokens > room:
            yield from _fitting_cells(text, filled, starts, (begin, index), room, estimate)
            begin, size = index, 0
        if tokens > room:
            last = cells[filled[index]][1]
            spans = list(_parts_of_cell(text, (start, last), room, estimate))
            if spans and estimate(text[spans[-1][0] : end]) <= room:
                last = end
                spans[-1] = _stripped(text, spans[-1][0], end) or spans[-1]
            spans += [span for span, _ in _windows(text, last, end, room, estimate)]
            yield from ((filled[index], filled[index + 1], span) for span in spans)
            begin, tokens = index + 1, 0
        size += tokens
    yield from _fitting_cells(text, filled, starts, (begin, len(filled) - 1), room, estimate)


def _fitting_cells(
    text: str,
    filled: Sequence[int],
    starts: Sequence[int],
    part: Span,
    room: int,
    estimate: Callable[[str], int],
) -> Iterator[tuple[int, int, Span]]:
    """Cells that fit by their sum: their tokens together may be a few more."""
    first, after = part
    span = _stripped(text, starts[first], starts[after])
    if span is not None and after - first > 1 and estimate(text[slice(*span)]) > room:
        middle = (first + after) // 2
        yield from _fitting_cells(text, filled, starts, (first, middle), room, estimate)
        yield from _fitting_cells(text, filled, starts, (middle, after), room, estimate)
    elif span is not None:
        yield filled[first], filled[after], span


def _parts_of_cell(text: str, cell: Span, room: int, estimate: Callable[[str], int]) -> Iterator[Span]:
    begin, reached = -1, cell[0]
    for start, end in _at_sentences(text, *cell):
        if begin >= 0 and estimate(text[begin:end]) > room:
            yield begin, reached
            begin = -1
        if estimate(text[start:end]) > room:
            yield from (span for span, _ in _windows(text, start, end, room, estimate))
        else:
            begin = start if begin < 0 else begin
        reached = end
    if begin >= 0:
        yield begin, reached


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


def _at_outer_items(text: str, start: int, end: int) -> list[Span]:
    """Before each item of a list that is indented least; all of it where none begins an item."""
    marks = list(_ITEM_START.finditer(text, start, end))
    least = min((_indent(match) for match in marks), default=0)
    cuts = [match.start() for match in marks if _indent(match) <= least + _NEARLY_ALIKE]
    return _between(text, start, cuts, end)


def _at_items(text: str, start: int, end: int) -> list[Span]:
    return _between(text, start, [match.start() for match in _ITEM_START.finditer(text, start, end)], end)


def _indent(match: re.Match[str]) -> int:
    return len(match["before"].expandtabs(_TAB))


def _between(text: str, start: int, cuts: Sequence[int], end: int) -> list[Span]:
    """The range cut at these places, without blank lines at the ends of its parts."""
    places = [start, *(cut for cut in cuts if cut > start), end]
    spans = (trimmed(text, first, last) for first, last in pairwise(places))
    return [span for span in spans if span is not None]


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


def _table_end(text: str, blocks: Sequence[Block], number: int) -> int:
    """Where a table ends whose rows may be blocks of their own, with no more than a line end between them."""
    end = blocks[number].end
    for block in islice(blocks, number + 1, None):
        if block.kind != "table" or text[end : block.start] != "\n":
            break
        end = block.end
    return end


def _header(text: str, whole: Span, delimiter: str) -> str:
    """The names of a table's columns as a row: those above its rule, or its first row if it reads like names.
    Below a head that is empty only a row that is bold from end to end names columns."""
    if delimiter != "|":
        return ""
    lines = [text[start:end] for (start, end), _ in islice(_lines(text, *whole), _HEADER_SEARCH)]
    table = lines[next((number for number, line in enumerate(lines) if "|" in line), 0) :]
    rows = [cells_between_bars(line) for line in table if not is_rule(line)]
    marked = sum(not is_rule(line) for line in table[: marked_head(table)])
    names = joined_names(rows[:marked])
    if marked and not any(names):
        bold = all(cell.startswith("**") and cell.endswith("**") for cell in rows[marked])
        names = rows[marked] if bold else []
    elif rows and not marked and is_head(rows[0], rows[1:]):
        names = rows[0]
    if any(names):
        header = row_of(names)
        return header if len(header) <= MOST_OF_HEAD else ""
    caption = next((line.strip() for line in lines if line.strip() and not is_rule(line)), "")
    return "" if "|" in caption else caption[:_MAX_CAPTION]


_CUTS: dict[BlockKind, tuple[Callable[[str, int, int], list[Span]], ...]] = {
    "paragraph": (_at_sentences, _at_lines),
    "heading": (_at_lines,),
    "list": (_at_outer_items, _at_items, _at_blank_lines, _at_lines, _at_sentences),
    "quote": (_at_blank_lines, _at_lines, _at_sentences),
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
            own = group[0].context
            context = own if group[0].is_part_of_row else section.context or own
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
        header, table = section.context, (-1, -1)
        blocks = list(_all_blocks(section))
        for number, block in enumerate(blocks):
            # A heading stays with what follows, so what follows must leave room for it.
            room = max(self._max - heading_tokens, self._max // 2) if heading_tokens else self._max
            if block.kind == "table":
                if block.start >= table[1]:
                    table = (block.start, _table_end(section.text, blocks, number))
                    header = section.context or _header(section.text, table, section.delimiter)
                atoms = list(
                    table_atoms(section.text, block, room, self._estimate, header, section.delimiter)
                )
                if atoms and not section.context and atoms[0].start <= table[0]:
                    atoms[0] = atoms[0]._replace(context="")
            else:
                atoms = atoms_of(section.text, block, room, self._estimate)
            yield from atoms
            is_heading = block.kind == "heading"
            heading_tokens = heading_tokens + sum(atom.tokens for atom in atoms) if is_heading else 0

    def _packed(self, atoms: Iterable[Atom]) -> list[list[Atom]]:
        groups: list[list[Atom]] = []
        current: list[Atom] = []
        size = 0
        for atom in atoms:
            if atom.is_part_of_row or (current and current[-1].is_part_of_row):
                groups.extend([current] if current else [])
                current, size = [], 0
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
        is_whole = groups and not groups[-1][-1].is_part_of_row and not tail[0].is_part_of_row
        if is_whole and size + sum(group.tokens for group in groups[-1]) <= self._max:
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
