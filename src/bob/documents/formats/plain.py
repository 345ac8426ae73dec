"""Plain text: paragraphs between blank lines; what stands on every page, and drawings, are no sentences."""

from __future__ import annotations

import re
from collections import Counter

from bob.core.document import ParsedDocument
from bob.core.protocols import SourceFile
from bob.documents.formats.chat_exports import looks_like_chat, read_chat
from bob.documents.formats.lines import LineBlock, TextLines, found_sections, is_entry_of_contents
from bob.documents.formats.mail.parser import MailParser, looks_like_mailbox
from bob.documents.formats.markdown_lines import FENCE, closed_up
from bob.documents.formats.restructured.parser import (
    looks_restructured,
    parse_restructured,
    written_restructured,
)
from bob.documents.formats.text_tables import write_tables
from bob.text.languages import detect_language

_PAGE_NUMBER = re.compile(r"\S.{0,200}\[Page \d{1,4}\]\s*$")
_BOX = re.compile(r"\+-{2,}|-{2,}>|<-{2,}|-->|\|\s{3,}\|")
_DIGITS = re.compile(r"\d+")
_ENDS_SENTENCE = (".", ":", ";", "!", "?", '."', ".)")


class PlainParser:
    """Takes text of no particular format; a chat that was exported as text (WhatsApp, IRC), the archive of a
    mailing list, and a .txt file that is reStructuredText, is read as that."""

    name = "plain"
    suffixes = frozenset({".txt", ".text", ".log"})

    def parse(self, source: SourceFile) -> ParsedDocument:
        """One section, with line locators.

        Raises:
            UnreadableError: as `SourceFile.read_text` does, and "no-text".
        """
        text = source.read_text()
        if looks_like_chat(text):
            return read_chat(text, source.path)
        if looks_like_mailbox(text):
            return MailParser().parse(source)
        if _may_be_restructured(source) and looks_restructured(text):
            return parse_restructured(text)
        written, blocks = _written(text)
        lines = TextLines(written)
        return ParsedDocument(
            title="",
            source_type="plain",
            sections=found_sections([lines.section(0, len(lines), (), blocks)]),
            language=detect_language(text),
        )

    def written(self, source: SourceFile) -> str:
        """The file without what is printed on every page, with the lines that it has."""
        text = source.read_text()
        if looks_like_chat(text) or looks_like_mailbox(text):
            return text
        if _may_be_restructured(source) and looks_restructured(text):
            return written_restructured(text)
        return _written(text)[0]


def _may_be_restructured(source: SourceFile) -> bool:
    suffixes = [suffix for suffix in source.path.suffixes if suffix.lower() != ".gz"]
    return not suffixes or suffixes[-1].lower() in {".txt", ".text"}


def _written(text: str) -> tuple[str, list[LineBlock]]:
    """A text as it is read, and those of its blocks that are no paragraphs."""
    lines = text.split("\n")
    plain = [line.rstrip(" \t\r") for line in lines]
    furniture = _page_furniture(plain)
    for index in furniture:
        plain[index] = lines[index] = ""
    if furniture:
        lines = closed_up(_joined_pages(lines, furniture))
    blocks: list[LineBlock] = [(first, last, "table") for first, last in write_tables(lines)]
    taken = {line for first, last, _ in blocks for line in range(first, last)}
    drawings = [block for block in _drawings(lines) if block[0] not in taken]
    for first, last in drawings:
        lines[first] = lines[last - 1] = FENCE
        blocks.append((first, last, "code"))
    return "\n".join(lines), sorted(blocks)


def _page_furniture(lines: list[str]) -> list[int]:
    """The lines of headers and footers of pages, of page breaks, and of tables of contents."""
    numbered = {index for index, line in enumerate(lines) if "[Page " in line and _PAGE_NUMBER.match(line)}
    contents = {index for index, line in enumerate(lines) if is_entry_of_contents(line)}
    breaks = [index for index, line in enumerate(lines) if line.startswith("\f") or line.endswith("\f")]
    around = [_next_to(lines, index) for index in breaks]
    repeated = Counter(_same_of_every_page(lines[number]) for numbers in around for number in numbers)
    beside = {
        number
        for numbers in around
        for number in numbers
        if repeated[_same_of_every_page(lines[number])] > 1
        or (numbered.intersection(numbers) and number != numbers[0])
    }
    bare = {index for index in breaks if not lines[index].strip("\f \t")}
    return sorted(numbered | contents | beside | bare)


def _same_of_every_page(line: str) -> str:
    return _DIGITS.sub("0", line.strip("\f "))


def _next_to(lines: list[str], index: int) -> list[int]:
    """The last line with text before a page break, and the first one after it."""
    numbers = (
        range(index - 1, max(index - 10, -1), -1),
        [index],
        range(index + 1, min(index + 10, len(lines))),
    )
    firsts = (next((number for number in side if lines[number].strip("\f \t")), None) for side in numbers)
    return [number for number in firsts if number is not None]


def _joined_pages(lines: list[str], furniture: list[int]) -> list[str | None]:
    """The lines, of which those between two pages are None where a sentence goes on behind them."""
    joined: list[str | None] = [*lines]
    done = -1
    for index in furniture:
        if index <= done:
            continue
        first = last = index
        while first > 0 and not lines[first - 1].strip():
            first -= 1
        while last + 1 < len(lines) and not lines[last + 1].strip():
            last += 1
        done = last
        if first == 0 or last + 1 == len(lines):
            continue
        above, below = lines[first - 1].rstrip(), lines[last + 1].lstrip()
        if not above.endswith(_ENDS_SENTENCE) and below[0].islower():
            joined[first : last + 1] = [None] * (last + 1 - first)
    return joined


def _drawings(lines: list[str]) -> list[tuple[int, int]]:
    """The first line and the one after the last of each drawing, with the empty lines around it."""
    drawings: list[tuple[int, int]] = []
    begin = 0
    for index in range(len(lines) + 1):
        if index < len(lines) and lines[index].strip():
            continue
        block = lines[begin:index]
        drawn = sum(_BOX.search(line) is not None for line in block)
        if len(block) > 2 and 2 * drawn > len(block) and begin > 0 and index < len(lines):
            drawings.append((begin - 1, index + 1))
        begin = index + 1
    # Two drawings that share an empty line are one.
    merged: list[tuple[int, int]] = []
    for first, last in drawings:
        if merged and first < merged[-1][1]:
            merged[-1] = (merged[-1][0], last)
        else:
            merged.append((first, last))
    return merged
