"""reStructuredText: a section a title, with directives, literal blocks and tables as whole blocks.

Docutils builds a full tree at some 100 kB a second; only lines and their roles are needed here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from bob.core.document import BlockKind, ParsedDocument, Section
from bob.core.protocols import SourceFile
from bob.documents.formats.front_matter import FrontMatter, from_values
from bob.documents.formats.lines import LineBlock, TextLines, first_heading, found_sections
from bob.documents.formats.restructured.as_markdown import write_restructured
from bob.text.languages import detect_language
from bob.text.markup import indentation

_MARKUP = re.compile(r"[ \t]*\.\.[ \t]+(?:\|[^|]+\|[ \t]+)?([\w.:+-]+?)::(?:[ \t]|$)")
_LABEL = re.compile(r"\.\. (?:_[^:]*:|index::.*)\s*$")
_COMMENT = re.compile(r"[ \t]*\.\.(?:[ \t]|$)")
_BULLET = re.compile(r"[ \t]*(?:[-*+•‣⁃]|(?:\d+|[A-Za-z#]|[ivxlIVXL]+)[.)]|\(\w{1,4}\))[ \t]")
_GRID_BORDER = re.compile(r"[ \t]*\+[-=]+\+")
_SIMPLE_BORDER = re.compile(r"[ \t]*=+(?:[ \t]+=+)+[ \t]*$")

_CODE_NAMES = (
    "code-block code sourcecode literalinclude parsed-literal productionlist math testcode doctest testsetup "
    "testoutput ipython graphviz kernel-render"
)
# What names the text around it but is nothing to read alone.
_NAMING_NAMES = (
    "index module currentmodule py:module py:currentmodule contents toctree highlight sectionauthor "
    "moduleauthor default-domain"
)
_CODE = frozenset(_CODE_NAMES.split())
_NAMING = frozenset(_NAMING_NAMES.split())
_TABLES = frozenset(["table", "csv-table", "list-table", "flat-table"])
# A directive up to this size stays whole; a longer one (a class with all its methods) is read inside.
_WHOLE_DIRECTIVE = 1500  # characters, about 400 tokens


def is_label(line: str) -> bool:
    """Whether a line is a target or an index entry, which belong to the title below them."""
    return line.startswith("..") and _LABEL.match(line) is not None


def block_lines(
    lines: TextLines, first: int, last: int, tables: Mapping[int, int] = MappingProxyType({})
) -> list[LineBlock]:
    """The blocks of lines `first` to `last` (from 0, end excluded), ascending. `tables` are those that are
    written as Markdown: the line after the last of each, by its first."""
    line_blocks: list[LineBlock] = []
    table_ends = {
        begin: min(end, last)
        for begin, end in (_simple_table_ends(lines, first, last) | dict(tables)).items()
    }
    index = first
    literal_indent: int | None = None  # of a paragraph that ended in "::"
    while index < last:
        if lines.is_blank(index):
            index += 1
            continue
        line = lines.plain[index]
        end, kind = _block_at(lines, line, index, last, table_ends)
        if literal_indent is not None and indentation(line) > literal_indent:
            end, kind = _body_end(lines, index, last, literal_indent), "code"
        line_blocks.append((index, end, kind))
        announces = kind in {"paragraph", "list"} and lines.plain[end - 1].rstrip().endswith("::")
        literal_indent = indentation(line) if announces else None
        index = end
    return line_blocks


def _block_at(
    lines: TextLines, line: str, index: int, last: int, table_ends: dict[int, int]
) -> tuple[int, BlockKind]:
    """Where the block that begins at a line ends, and its kind."""
    if _COMMENT.match(line):
        return _markup(lines, line, index, last)
    if index in table_ends:
        return table_ends[index], "table"
    end = _paragraph_end(lines, index, last)
    if _GRID_BORDER.match(line):
        return end, "table"
    if line.lstrip().startswith(">>>"):
        return end, "code"
    return end, "list" if _BULLET.match(line) else "paragraph"


def _markup(lines: TextLines, line: str, index: int, last: int) -> tuple[int, BlockKind]:
    """The end and kind of a directive, target or comment."""
    match = _MARKUP.match(line)
    name = match[1] if match is not None else ""
    end = _body_end(
        lines, index + 1, last, indentation(line), limit=None if name in _CODE else _WHOLE_DIRECTIVE
    )
    if name in _CODE:
        return end, "code"
    if name in _NAMING or is_label(line):
        return end, "heading"
    if lines.starts[end] - lines.starts[index] > _WHOLE_DIRECTIVE:
        # The first paragraph holds the directive's argument and options; the rest is read line by line.
        return _paragraph_end(lines, index, last), "paragraph"
    return end, "table" if name in _TABLES else "paragraph"


def _body_end(lines: TextLines, index: int, last: int, indent: int, limit: int | None = None) -> int:
    """The line after the lines that are indented deeper, blank ones at the end left out.

    Stops early once more than `limit` characters are passed.
    """
    end = begin = index
    while index < last:
        if lines.is_blank(index):
            index += 1
            continue
        if indentation(lines.plain[index]) <= indent:
            break
        index += 1
        end = index
        if limit is not None and lines.starts[end] - lines.starts[begin] > limit:
            break
    return end


def _paragraph_end(lines: TextLines, index: int, last: int) -> int:
    end = index + 1
    while end < last and not lines.is_blank(end):
        end += 1
    return end


def _simple_table_ends(lines: TextLines, first: int, last: int) -> dict[int, int]:
    """The first line of each simple table, and the line after its last border.

    Rows may have blank lines between them, so a table ends at a border with a blank line below.
    """
    borders = [
        index
        for index in range(first, last)
        if "= " in lines.plain[index] and _SIMPLE_BORDER.match(lines.plain[index])
    ]
    ends: dict[int, int] = {}
    begin: int | None = None
    for border in borders:
        if begin is None:
            begin = border
        elif border + 1 >= last or lines.is_blank(border + 1):
            ends[begin] = border + 1
            begin = None
    return ends


_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1+[ \t]*$")
_MIN_ADORNMENT = 4  # a shorter line is an underline only when the title is as short
_FIELD = re.compile(r":([A-Za-z][\w -]*):[ \t]+(\S.*)")
_DIRECTIVE = re.compile(r"\.\. (?:[\w.+-]+::|_[^:]+:)")
_ROLE = re.compile(r":[\w:.-]+:`([^`<]*?)\s*(?:<[^`>]*>)?`")
_SNIFFED_LINES = 300


class RestructuredParser:
    """Takes reStructuredText, Sphinx's included."""

    name = "restructured"
    suffixes = frozenset({".rst", ".rest", ".rst.txt"})

    def parse(self, source: SourceFile) -> ParsedDocument:
        """Sections by title, with line locators.

        Raises:
            UnreadableError: as `SourceFile.read_text` does, and "no-text".
        """
        return parse_restructured(source.read_text())

    def written(self, source: SourceFile) -> str:
        """The file with its tables and fields as Markdown has them, with the lines that it has."""
        return written_restructured(source.read_text())


def parse_restructured(text: str) -> ParsedDocument:
    """The sections of a reStructuredText and the fields at its top; see `RestructuredParser.parse`."""
    written, tables = _written(text)
    lines = TextLines(written)
    sections = found_sections(_sections(lines, tables))
    fields = _fields(TextLines(text))
    return ParsedDocument(
        title=fields.title or first_heading(sections),
        source_type="restructured",
        sections=sections,
        source_date=fields.source_date,
        language=fields.language or detect_language(text),
        project=fields.project,
        tags=fields.tags,
        extra=fields.extra,
    )


def written_restructured(text: str) -> str:
    """The text that a document of a reStructuredText is made of; see `RestructuredParser.written`."""
    return _written(text)[0]


def _written(text: str) -> tuple[str, dict[int, int]]:
    """The text, and the line after the last of each of its tables, by their first lines."""
    read = TextLines(text)
    code = {
        line
        for first, last, kind in block_lines(read, 0, len(read))
        if kind == "code"
        for line in range(first, last)
    }
    lines = [*read.plain]
    tables = write_restructured(lines, code.__contains__)
    # What is written as it was keeps its carriage return.
    kept = zip(lines, read.plain, read.lines, strict=True)
    written = TextLines("\n".join(source if line == plain else line for line, plain, source in kept))
    inked = (written.inked(first, last) for first, last in tables)
    return written.text, dict(lines for lines in inked if lines is not None)


def looks_restructured(text: str) -> bool:
    """Whether the first lines of a text have directives, or two underlined titles."""
    lines = text[: _SNIFFED_LINES * 80].split("\n")[:_SNIFFED_LINES]
    if any(_DIRECTIVE.match(line) for line in lines):
        return True
    return sum(_title_at(lines, index) is not None for index in range(len(lines))) > 1


def _sections(lines: TextLines, tables: dict[int, int]) -> list[Section | None]:
    sections: list[Section | None] = []
    styles: list[str] = []
    path: list[str] = []
    plain = lines.plain
    begin, title_end, index = 0, 0, 0
    while index < len(plain):
        title = _title_at(plain, index) if index not in tables else None
        if title is None:
            index = tables.get(index, index + 1)
            continue
        text, style, last = title
        first = max(_with_labels(lines, index, title_end), begin)
        sections.append(_section(lines, begin, title_end, first, path, tables))
        if style not in styles:
            # A style that comes first below a deeper one would be an error; it is taken as deeper still.
            styles.append(style)
        level = styles.index(style)
        path = [*path[:level], text]
        begin, title_end, index = first, last, last
    sections.append(_section(lines, begin, title_end, len(plain), path, tables))
    return sections


def _section(
    lines: TextLines, first: int, title_end: int, last: int, path: list[str], tables: dict[int, int]
) -> Section | None:
    blocks: list[LineBlock] = [(first, title_end, "heading")] if title_end > first else []
    blocks += block_lines(lines, max(title_end, first), last, tables)
    return lines.section(first, last, path, blocks)


def _title_at(lines: list[str], index: int) -> tuple[str, str, int] | None:
    """The title whose first line is at `index`: its text, the style of its lines, and the line after it."""
    line = lines[index]
    if (
        not line
        or line.isspace()
        or (index > 0 and lines[index - 1].strip() and not _is_apart(lines[index - 1]))
    ):
        return None
    if (over := _ADORNMENT.match(line)) and index + 2 < len(lines):
        title, under = lines[index + 1].strip(), lines[index + 2].rstrip()
        if title and under == line.rstrip() and len(under) >= min(len(title), _MIN_ADORNMENT):
            return _plain_title(title), over[1] * 2, index + 3
        return None
    if index + 1 >= len(lines) or line[0] in " \t":
        return None
    under_match = _ADORNMENT.match(lines[index + 1])
    if under_match is None or over is not None:
        return None
    length = len(lines[index + 1].rstrip())
    if length < min(len(line.rstrip()), _MIN_ADORNMENT) or line.startswith(".. "):
        return None
    return _plain_title(line.strip()), under_match[1], index + 2


def _is_apart(line: str) -> bool:
    """Whether a title may follow this line without a blank one between."""
    return is_label(line) or _ADORNMENT.match(line) is not None


def _with_labels(lines: TextLines, title: int, floor: int) -> int:
    """The first of the labels right above a title: they name it."""
    first = index = title
    while index > floor and (lines.is_blank(index - 1) or is_label(lines.plain[index - 1])):
        index -= 1
        if not lines.is_blank(index):
            first = index
    return first


def _plain_title(title: str) -> str:
    title = _ROLE.sub(lambda match: match[1].lstrip("~!"), title) if ":`" in title else title
    return title.replace("``", "").replace("\\", "").strip("*`")


def _fields(lines: TextLines) -> FrontMatter:
    """The field list before the first paragraph, such as `:date: 2025-01-31`."""
    values: dict[object, object] = {}
    titled = 0
    for index, line in enumerate(lines.plain):
        title = _title_at(lines.plain, index) if index >= titled else None
        titled = title[2] if title is not None else titled
        if index < titled or not line.strip() or _COMMENT.match(line):
            continue
        if match := _FIELD.match(line):
            values[match[1]] = match[2]
        elif not values or line[0] not in " \t":
            break
    return from_values(values)
