"""Plain text: paragraphs between blank lines, and sections where an outline format marks them."""

from __future__ import annotations

import re

from bob.core.document import ParsedDocument, Section
from bob.core.protocols import SourceFile
from bob.documents.chat_exports import read_chat
from bob.documents.lines import LineBlock, TextLines, found_sections
from bob.documents.restructured import looks_restructured, parse_restructured
from bob.text.languages import detect_language

# Headings of the outline formats that need no parser of their own: the number of marks is the level.
_HEADINGS = {
    ".org": re.compile(r"(\*+)[ \t]+(?:(?:TODO|DONE)[ \t]+)?(\S.*)"),
    ".adoc": re.compile(r"(=+)[ \t]+(\S.*)"),
    ".asciidoc": re.compile(r"(=+)[ \t]+(\S.*)"),
}


class PlainParser:
    """Takes text of no particular format; a chat that was exported as text (WhatsApp, IRC), and a .txt file
    that is reStructuredText, is read as that."""

    name = "plain"
    suffixes = frozenset({".txt", ".text", ".log", ".org", ".adoc", ".asciidoc", ".tex"})

    def parse(self, source: SourceFile) -> ParsedDocument:
        """One section, or one a heading of an outline, with line locators.

        Raises:
            UnreadableError: as `SourceFile.read_text` does, and "no-text".
        """
        text = source.read_text()
        suffixes = [suffix for suffix in source.path.suffixes if suffix.lower() != ".gz"]
        suffix = suffixes[-1].lower() if suffixes else ""
        chat = read_chat(text, source.path) if suffix in {"", ".txt", ".text", ".log"} else None
        if chat is not None:
            return chat
        if suffix in {"", ".txt", ".text"} and looks_restructured(text):
            return parse_restructured(text)
        lines = TextLines(text)
        heading = _HEADINGS.get(suffix)
        sections = found_sections(
            _outline(lines, heading) if heading is not None else [lines.section(0, len(lines))]
        )
        return ParsedDocument(
            title=next((section.heading_path[0] for section in sections if section.heading_path), ""),
            source_type="plain",
            sections=sections,
            language=detect_language(text),
        )


def _outline(lines: TextLines, heading: re.Pattern[str]) -> list[Section | None]:
    sections: list[Section | None] = []
    path: list[tuple[int, str]] = []
    begin = 0
    for index, line in enumerate(lines.plain):
        match = heading.match(line)
        if match is None:
            continue
        sections.append(_outline_section(lines, begin, index, path))
        level = len(match[1])
        path = [*(heading for heading in path if heading[0] < level), (level, match[2].strip())]
        begin = index
    return [*sections, _outline_section(lines, begin, len(lines), path)]


def _outline_section(lines: TextLines, first: int, last: int, path: list[tuple[int, str]]) -> Section | None:
    heading: list[LineBlock] = [(first, first + 1, "heading")] if path else []
    return lines.section(first, last, [title for _, title in path], heading)
