"""Markdown: a section a heading, with code, tables, lists and quotes as whole blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import unescape
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bob.core.document import WRITTEN_BY, BlockKind, ParsedDocument, Section
from bob.core.protocols import SourceFile
from bob.documents.formats.authorship import (
    ASSISTANT,
    ASSISTANT_END,
    GATHERED,
    GATHERED_END,
    Authorship,
    authorship_of,
    front_matter_parts,
    is_transcript,
    speaker_of,
)
from bob.documents.formats.front_matter import FrontMatter, read_front_matter
from bob.documents.formats.html_in_markdown import html_blocks, html_headings
from bob.documents.formats.lines import LineBlock, TextLines, first_heading, found_sections
from bob.text.dates import dates_in
from bob.text.languages import detect_language
from bob.text.markup import CLOSE_HEADING
from bob.text.names import versions_in

_KINDS: dict[str, BlockKind] = {
    "paragraph_open": "paragraph",
    "html_block": "paragraph",
    "hr": "paragraph",
    "heading_open": "heading",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "fence": "code",
    "code_block": "code",
    "table_open": "table",
    "blockquote_open": "quote",
}

# Inline markup is parsed for headings only: it is the slow part, and chunks keep the source as it is.
_BLOCKS = MarkdownIt("commonmark").enable("table").disable(["normalize", "inline", "text_join"])
_INLINE = MarkdownIt("commonmark")


_CLOSE_HEADING = re.compile(rf"^ {{0,3}}{CLOSE_HEADING}")
_MARKS_OF_HEADING = re.compile(r" {0,3}(#{1,6})\s")
_OBJECT_SIGN = "\ufffc"
"""What stands for a picture where a text was copied from a page."""

_OPENING = 4_000
"""A title stands within so many characters."""
_HTML_TITLE = re.compile(
    r"(?:(?!^#{1,6}\s|<h1\b|^.*\n(?:=+|-+)[ \t]*$)[\s\S])*+<h1\b[^<>]*>(?P<title>[\s\S]*?)</h1\s*>",
    re.IGNORECASE | re.MULTILINE,
)
_HTML_TAG = re.compile(r"<[^<>]*>")
_ALTERNATIVE = re.compile(r"\balt\s*=\s*([\"'])(.*?)\1", re.DOTALL | re.IGNORECASE)


class MarkdownParser:
    """Takes Markdown (CommonMark and tables) with YAML or TOML front matter."""

    name = "markdown"
    suffixes = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"})

    def parse(self, source: SourceFile) -> ParsedDocument:
        """Sections by heading, with line locators.

        Raises:
            UnreadableError: as `SourceFile.read_text` does, and "no-text".
        """
        return parse_markdown(source.read_text())


_A_PERSONS = Authorship()
_MARKS = (GATHERED, GATHERED_END, ASSISTANT, ASSISTANT_END)


def parse_markdown(text: str) -> ParsedDocument:
    """The sections and the front matter of a Markdown text; see `MarkdownParser.parse`."""
    lines = TextLines(text)
    front = read_front_matter(lines.plain)
    authorship = authorship_of(front, text)
    sections = found_sections(markdown_sections(lines, front, authorship))
    title = _title_in_html(text) or _title_of(sections)
    plain = text
    for mark in _MARKS:
        plain = plain.replace(mark, "")
    return ParsedDocument(
        title=front.title or title,
        source_type="markdown",
        sections=sections,
        source_date=front.source_date,
        language=front.language or detect_language(plain),
        project=front.project,
        tags=front.tags,
        extra=front.extra | authorship.extra(marked=ASSISTANT in text or is_transcript(text)),
    )


def markdown_sections(
    lines: TextLines, front: FrontMatter | None = None, authorship: Authorship = _A_PERSONS
) -> list[Section | None]:
    """One section a heading (None where a part is blank); text before the first has no heading path. Another
    begins where a person's words end and those of Bob or an assistant begin."""
    skipped = front.lines if front is not None else 0
    source = "\n" * skipped + "\n".join(_CLOSE_HEADING.sub(r"\g<0> ", line) for line in lines.plain[skipped:])
    tokens = _BLOCKS.parse(source)
    headings = [index for index in range(len(tokens)) if _is_heading(tokens, index)]
    levels = [level for _, level in sorted(_levels(lines, tokens, headings))]
    has_title = bool(levels) and levels.count(levels[0]) == 1
    cut = _Cutter(lines, skipped, authorship, title_level=levels[0] if has_title else 0)
    speaks = is_transcript(source)
    for index, token in enumerate(tokens):
        if token.level != 0 or token.map is None or token.type not in _KINDS:
            continue
        first, last = token.map
        if token.type == "html_block" and token.content.strip() in _MARKS:
            cut.at_mark(token.content.strip(), first, last)
            continue
        if token.type == "html_block":
            cut.at_html(first, last)
            continue
        if speaks and (speaker := speaker_of(lines.plain[first])):
            cut.at_speaker(speaker, first)
        kind = _KINDS[token.type]
        if _is_heading(tokens, index):
            cut.at_heading(int(token.tag[1:]), _heading_text(tokens[index + 1]), first)
        elif kind == "heading":
            kind = "paragraph"
        cut.blocks.append((first, last, kind))
    cut.cut(len(lines))
    return cut.sections


def _levels(lines: TextLines, tokens: Sequence[Token], headings: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The lines and levels of all headings, those at these tokens and those in blocks of HTML."""
    for index in headings:
        yield (tokens[index].map or [0])[0], int(tokens[index].tag[1:])
    for token in tokens:
        if token.type == "html_block" and token.level == 0 and token.map is not None:
            yield from ((first, level) for first, _, level, _ in html_headings(lines.plain, *token.map))


def _is_heading(tokens: Sequence[Token], index: int) -> bool:
    """Whether a heading begins at a token. A sentence, or several lines, right above a rule are one by
    CommonMark, but not as they are meant."""
    token = tokens[index]
    if token.type != "heading_open" or token.level != 0:
        return False
    is_underlined = token.markup in ("-", "=")
    text = tokens[index + 1].content
    return not (is_underlined and ("\n" in text or text.rstrip().endswith((".", ",", ";"))))


def block_ranges(text: str) -> Iterator[tuple[int, int]]:
    """The lines of each block of a Markdown text, first and after the last: a paragraph, a table, an item of
    a list with all that is below it."""
    for token in _BLOCKS.parse(text):
        is_list = token.type in ("bullet_list_open", "ordered_list_open")
        is_block = token.level == 0 and not is_list
        if token.map is not None and (is_block or (token.level == 1 and token.type == "list_item_open")):
            yield token.map[0], token.map[1]


class _Cutter:
    """Cuts a text into sections, from one heading or mark to the next. `title_level` is the level of the one
    heading that is the title of the whole, or 0."""

    def __init__(self, lines: TextLines, skipped: int, authorship: Authorship, *, title_level: int) -> None:
        self.sections: list[Section | None] = []
        self.blocks: list[LineBlock] = []
        self._lines = lines
        self._authorship = authorship
        self._title_level = title_level
        self._path: list[tuple[int, str]] = []
        self._begin = 0
        self._is_gathered = self._is_assistants = self._assistant_speaks = False
        if skipped and authorship.prepared:
            for first, last, writer in front_matter_parts(lines.plain[:skipped]):
                context = WRITTEN_BY[writer] if writer else ""
                block: LineBlock = (first, last, "front_matter")
                self.sections.append(lines.section(first, last, (), [block], context))
            self._begin = skipped
        elif skipped:
            self.blocks.append((0, skipped, "front_matter"))

    def at_mark(self, mark: str, first: int, last: int) -> None:
        """Begin another section behind a mark."""
        self.cut(first)
        if mark in (GATHERED, GATHERED_END):
            self._is_gathered = mark == GATHERED
        else:
            self._is_assistants = mark == ASSISTANT
        self._begin = last

    def at_speaker(self, speaker: Literal["person", "assistant"], first: int) -> None:
        """Begin another section where somebody else begins to speak."""
        self.cut(first)
        self._assistant_speaks = speaker == "assistant"
        self._begin = first

    def at_html(self, first: int, last: int) -> None:
        """Go on with a block of HTML: its headings are those of the text, each paragraph, item and row is a
        block, and a comment of several lines is left out, but not what stands behind one that never ends."""
        plain = self._lines.plain
        is_closed = plain[last - 1].rstrip().endswith("-->")
        if last - first > 1 and is_closed and plain[first].lstrip().startswith("<!--"):
            self.cut(first)
            self._begin = last
            return
        for start, stop, level, title in html_blocks(plain, first, last):
            if level:
                self.at_heading(level, title, start)
            self.blocks.append((start, stop, "heading" if level else "paragraph"))

    def at_heading(self, level: int, title: str, first: int) -> None:
        """Begin another section with a heading, or go on with one of headings that name a day or a version.

        Such a heading is said of what is below it, and an answer may be nothing else ("which is the latest
        version?"); of any other that has only headings below, the heading path says enough.
        """
        if not (self._path and self._path[-1][0] < level and self._is_dated_heading(first)):
            self.cut(first)
            self._begin = first
        self._is_gathered = False
        self._path = [heading for heading in self._path if heading[0] < level]
        self._path.append((level, title))

    def _is_dated_heading(self, last: int) -> bool:
        """Whether the section up to a line is nothing but headings, the last with a day or a version."""
        level, title = self._path[-1]
        kinds = {kind for *_, kind in self.blocks}
        if self._is_gathered or level == self._title_level or kinds != {"heading"}:
            return False
        headings = {line for start, end, _ in self.blocks for line in range(start, end)}
        if not all(line in headings or self._lines.is_blank(line) for line in range(self._begin, last)):
            return False
        return bool(dates_in(title)) or bool(versions_in(title))

    def cut(self, last: int) -> None:
        """End the section before this line."""
        if not self._is_gathered:
            section = self._lines.section(self._begin, last, _titles(self._path), self.blocks)
            if section is not None:
                is_marked = self._is_assistants or self._assistant_speaks
                section = replace(section, context=self._authorship.context_of(section, marked=is_marked))
            self.sections.append(section)
        self.blocks = []


def _title_in_html(text: str) -> str:
    """The heading in HTML with which a text begins, before any of Markdown: its words, or those for its
    picture."""
    match = _HTML_TITLE.match(text[:_OPENING])
    if match is None:
        return ""
    words = " ".join(unescape(_HTML_TAG.sub(" ", match["title"])).split())
    shown = _ALTERNATIVE.search(match["title"])
    return words or (" ".join(unescape(shown[2]).split()) if shown else "")


def _title_of(sections: Sequence[Section]) -> str:
    """The first heading, unless it is one of several of its level, each of a part: of level two or further
    in, or with the day or version of that part."""
    title = first_heading(sections)
    first = next((section for section in sections if section.heading_path), None)
    marks = _MARKS_OF_HEADING.match(first.text) if first is not None else None
    if marks is None or (marks[1] == "#" and not dates_in(title) and not versions_in(title)):
        return title
    beside = (section.text for section in sections if section.heading_path[:1] not in ((), (title,)))
    return (
        "" if any((own := _MARKS_OF_HEADING.match(text)) and own[1] == marks[1] for text in beside) else title
    )


def _titles(path: list[tuple[int, str]]) -> list[str]:
    return [title for _, title in path if title]


def _heading_text(inline: Token) -> str:
    parsed = _INLINE.parseInline(inline.content)[0].children or []
    parts = [
        " " if child.type.endswith("break") else child.content
        for child in parsed
        if child.type != "html_inline"
    ]
    return " ".join("".join(parts).replace(_OBJECT_SIGN, "").split())
