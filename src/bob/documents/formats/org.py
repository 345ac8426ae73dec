"""Org: headings with their states and properties, tables, lists, code; what is commented out is left out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape

from bob.documents.formats import markdown_lines
from bob.documents.formats.markdown_lines import FENCE, IN_TABLE, MarkupParser, WrittenText
from bob.text.dates import read_date
from bob.text.markup import indentation
from bob.text.tables import row_of, rule_below

_HEADING = re.compile(r"(\*+)[ \t]+(\S.*)")
_TAGS = re.compile(r"[ \t]+:([\w@#%:]+):$")
_PRIORITY = re.compile(r"\[#\w{1,2}\][ \t]*")
_COUNTS = re.compile(r"[ \t]*\[(?:\d*/\d*|\d*%)\]$")
_USUAL_STATES = (
    "TODO DONE NEXT WAITING WAIT HOLD SOMEDAY MAYBE STARTED DOING CANCELLED CANCELED PROJECT DELEGATED "
    "IN-PROGRESS INPROGRESS PROG STRT KILL IDEA REVIEW POSTPONED BLOCKED FAILED"
)
_HIDDEN = "COMMENT"
"""The word before the title of a heading that hides all that is below it."""

_KEYWORD = re.compile(r"\s*#\+(\w+)(?:\[[^\]]*\])?:[ \t]*(.*)")
_STATE_KEYWORDS = ("todo", "seq_todo", "typ_todo")
_STATED = ("author", "subtitle", "description", "email", "date")
_BLOCK = re.compile(r"\s*#\+(begin|end)_(\w+)(?:[ \t]+([\w-]+))?", re.IGNORECASE)
_CODE_BLOCKS = ("src", "example")
_HIDDEN_BLOCKS = ("comment", "export")
_SHOWN_EXPORTS = ("html", "ascii", "md", "markdown")
"""Formats of exported blocks that are read: a book's ISBN may stand nowhere else."""

_UNSEEN_MARKUP = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1\s*>|<[/!]?[a-zA-Z][^<>]*>", re.DOTALL)
_ESCAPED = re.compile(r"^([ \t]*),(?=,*(?:\*|#\+))")
"""The comma before a line of a block that would else be a heading or a keyword."""

_COMMENT = re.compile(r"\s*(?:#(?:\s|\+|$)|CLOCK: )")
"""What is only for the writer, and the hours that the program counted."""

_HASHES = re.compile(r"#{2,}[ \t]+")
"""What many write for a comment that is to be seen; in Markdown it would be a heading."""

_DRAWER = re.compile(r"\s*:([\w-]+):\s*$")
_PROPERTY = re.compile(r"\s*:([\w-]+)\+?:[ \t]+(\S.*)")
_OF_THE_PROGRAM = re.compile(
    r"(?:custom_)?id|columns|ordered|visibility|cookie_data|archive_\w+|export_\w+|header-args\S*|noblocking|"
    r"logging|unnumbered|style|last_repeat|word_?count|target_?words?",
    re.IGNORECASE,
)
"""Properties that tell a program something, and a reader nothing."""

_TIME = r"[<\[]\d{4}-\d\d-\d\d[^\]>\n]{0,40}[>\]](?:--[<\[]\d{4}-\d\d-\d\d[^\]>\n]{0,40}[>\]])?"
_PLANNED = re.compile(rf"\s*(CLOSED|DEADLINE|SCHEDULED):[ \t]*({_TIME})")
_PLANNING = re.compile(rf"(?:{_PLANNED.pattern})+\s*$")
_TABLE_RULE = re.compile(r"\s*\|[-+]+\|?\s*$")
_ITEM = re.compile(r"([ \t]*)([-+]|\d{1,3}[.)]|(?<=[ \t])\*)[ \t]+(?:\[@\d+\][ \t]*)?(.*)")
_TERM = re.compile(r"(\S.{0,200}?)[ \t]+::(?:[ \t]+|$)")
_FIXED = re.compile(r"\s*:(?: (.*))?$")
_LINE = re.compile(r"\s*[-=_]{3,}\s*$")

_STAMP = re.compile(
    r"[<\[](\d{4}-\d\d-\d\d)(?: [^\W\d]+\.?)?(?: (\d\d?:\d\d(?:-\d\d?:\d\d)?))?(?: [^\]>\n]{0,30})?[>\]]"
)
_LINK = re.compile(r"\[\[([^\[\]]{1,1000})\](?:\[([^\[\]]{1,1000})\])?\]")
_FOOTNOTE = re.compile(r"[ \t]*\[fn:([^\[\]:\s]*)(?::([^\[\]]{1,1000}))?\]")
_FOOTNOTE_OF_LINES = re.compile(
    r"[ \t]*\[fn:[^\[\]:\s]*:\s*((?:[^\[\]\n]|\n(?!\s*\n)|\[\[[^\[\]\n]*\](?:\[[^\[\]\n]*\])?\]){1,1000})\]"
)
"""A footnote within a paragraph, which may go on in the next lines and have links."""

_PICTURE = re.compile(r"\S+\.(?:png|jpe?g|gif|svg|webp)", re.IGNORECASE)
_SNIPPET = re.compile(r"(?<![=~])@@([\w-]{1,20}):(.{0,300}?)@@")
_CITATION = re.compile(r"[ \t]*\[cite(?:/[\w/-]{1,40})?:[^\[\]]{1,1000}\]")
_TARGET = re.compile(r"<<<?[^<>\n]{1,200}>>>?")
_MARK = re.compile(r"(?<![^\s({'\"-])([*/_=~])(?=\S)((?:(?!\1)[^\n]){1,300})(?<=\S)\1(?![^\s.,:;!?'\")}\[-])")


class OrgParser(MarkupParser):
    """Takes Org files, those of finished tasks too; comments are left out."""

    name = "org"
    suffixes = frozenset({".org", ".org_archive"})

    def read_markup(self, text: str) -> _Outline:
        """A text as Markdown, and what it says of itself."""
        return _Outline(text)


@dataclass(slots=True)
class _Outline(WrittenText):
    """An Org text as Markdown, and what it says of itself."""

    _lines: list[str] = field(default_factory=list)
    _states: set[str] = field(default_factory=set)
    _base: int | None = None
    """Where the items of the list stand that is being read; None outside of one."""

    _hidden: int = 0
    """The level of the heading that hides what is below it, or 0."""

    _state: str = ""
    """That of the heading above, until it is told."""

    def __post_init__(self) -> None:
        source = self.source
        if "[fn:" in source:
            source = _FOOTNOTE_OF_LINES.sub(_footnote_of_lines, source)
        self._lines = [line.rstrip().replace("\r", " ") for line in source.split("\n")]
        keywords = (_KEYWORD.match(line) for line in self._lines if "#+" in line)
        declared = (match[2] for match in keywords if match and match[1].lower() in _STATE_KEYWORDS)
        self._states = {word.partition("(")[0] for line in declared for word in line.split()} | set(
            _USUAL_STATES.split()
        )
        written = [""] * len(self._lines)
        ends = _block_ends(self._lines)
        index = 0
        while index < len(self._lines):
            index = self._write(index, written, ends)
        self.written = "\n".join(written)

    def _write(self, index: int, written: list[str], ends: dict[int, int]) -> int:
        """Write what begins at a line; the line after it."""
        line = self._lines[index]
        if heading := _HEADING.match(line):
            written[index] = self._heading(heading)
            return index + 1
        if self._hidden:
            return index + 1
        if index in ends:
            return self._block(index, ends[index], written)
        if line.lstrip().startswith("|"):
            return self._table(index, written)
        written[index] = self._text_line(index, line)
        return index + 1

    def _heading(self, heading: re.Match[str]) -> str:
        level, title = len(heading[1]), heading[2].rstrip()
        self._base = None
        if self._hidden and level > self._hidden:
            return ""
        self._hidden = 0
        title = _TAGS.sub("", title)
        word, _, rest = title.partition(" ")
        self._state = word if word in self._states and rest.strip() else ""
        title = rest.strip() if self._state else title
        title = _COUNTS.sub("", _PRIORITY.sub("", title, count=1)) or title
        if title.split(" ", 1)[0] == _HIDDEN:
            self._hidden, self._state = level, ""
            return ""
        return f"{'#' * min(level, 6)} {_inline(title)}"

    def _block(self, index: int, end: int, written: list[str]) -> int:
        match = _BLOCK.match(self._lines[index])
        kind = match[2].lower() if match else ""
        self._base = None
        if kind in _HIDDEN_BLOCKS:
            if kind == "export" and match and (match[3] or "").lower() in _SHOWN_EXPORTS:
                written[index + 1 : end] = _shown_export(self._lines[index + 1 : end])
            return end + 1
        if kind in _CODE_BLOCKS:
            written[index] = FENCE + ((match[3] if match and kind == "src" else "") or "")
            written[index + 1 : end] = [_ESCAPED.sub(r"\1", line) for line in self._lines[index + 1 : end]]
            written[end] = FENCE
            return end + 1
        if kind in ("quote", "verse"):
            quoted = (_inline(line.strip()) for line in self._lines[index + 1 : end])
            written[index + 1 : end] = [f"> {line}" if line else "" for line in quoted]
            return end + 1
        return index + 1

    def _table(self, index: int, written: list[str]) -> int:
        stop = index
        self._base = None
        while stop < len(self._lines) and self._lines[stop].lstrip().startswith("|"):
            stop += 1
        has_rule = False
        for row in range(index, stop):
            line = self._lines[row].strip()
            if not _TABLE_RULE.match(line):
                cells = [_inline(cell.strip()) for cell in line.strip("|").split("|")]
                written[row] = row_of(cells)
            elif row > index:
                # Only the first rule stands under a head; another parts the rows below from those above.
                written[row] = IN_TABLE if has_rule else rule_below(line.count("+") + 1)
                has_rule = True
        return stop

    def _text_line(self, index: int, line: str) -> str:
        if not line or _LINE.match(line):
            # Two empty lines end a list; a state has its line where one is to spare.
            following = self._lines[index + 1] if index + 1 < len(self._lines) else ""
            return self._told_state() if not line and following and self._is_below_heading(index) else ""
        if _KEYWORD.match(line) or _COMMENT.match(line) or _BLOCK.match(line):
            return self._keyword(line)
        if _PLANNING.match(line):
            planned = "; ".join(f"{name.lower()}: {_dated(when)}" for name, when in _PLANNED.findall(line))
            state = f"; status: {self._state}" if self._state else ""
            self._state = ""
            return f"{planned[:1].upper()}{planned[1:]}{state}  "
        if drawer := _DRAWER.match(line):
            return self._told_state() if drawer[1].lower() != "end" else ""
        if match := _PROPERTY.match(line):
            is_told = not _OF_THE_PROGRAM.fullmatch(match[1])
            return markdown_lines.field(match[1], _inline(match[2])) if is_told else ""
        if fixed := _FIXED.match(line):
            return f"    {fixed[1]}" if fixed[1] else ""
        return self._item_or_text(line)

    def _is_below_heading(self, index: int) -> bool:
        return index > 0 and _HEADING.match(self._lines[index - 1]) is not None

    def _told_state(self) -> str:
        state, self._state = self._state, ""
        return markdown_lines.field("Status", state)

    def _keyword(self, line: str) -> str:
        match = _KEYWORD.match(line)
        name, value = (match[1].lower(), match[2].strip()) if match else ("", "")
        if name == "title":
            self.title = f"{self.title} {_inline(value)}".strip()
        elif name == "date":
            self.day = self.day or read_date(value)
        elif name == "language":
            self.language = value[:2].lower() or None
        elif name in ("filetags", "keywords"):
            self.tags += [tag for tag in re.split(r"[:,\s]+", value) if tag]
        if name == "caption":
            return _inline(value)
        return markdown_lines.field(name, _inline(value)) if name in _STATED else ""

    def _item_or_text(self, line: str) -> str:
        indent = indentation(line)
        if item := _ITEM.match(line):
            base = self._base
            self._base = indent if base is None or indent < base else base
            mark = "-" if item[2] in "-+*" else item[2]
            text = _TERM.sub(r"\1: ", item[3], count=1) if mark == "-" else item[3]
            return f"{' ' * (indent - self._base)}{mark} {_inline(text.strip())}"
        if self._base is not None and indent > self._base:
            return " " * (indent - self._base) + _inline(line.strip())
        self._base = None
        return _inline(_HASHES.sub("", line.strip()))


def _block_ends(lines: list[str]) -> dict[int, int]:
    """For each line that begins a block, the line that ends it."""
    ends: dict[int, int] = {}
    next_end: dict[str, int] = {}
    for index in reversed(range(len(lines))):
        match = _BLOCK.match(lines[index])
        if match is None:
            continue
        kind = match[2].lower()
        if match[1].lower() == "end":
            next_end[kind] = index
        elif kind in next_end:
            ends[index] = next_end.pop(kind)
    return ends


def _shown_export(lines: list[str]) -> list[str]:
    """The lines of a block for one format without the tags of HTML, each at its place."""
    if not lines:
        return []
    text = _UNSEEN_MARKUP.sub(lambda tag: "\n" * tag[0].count("\n"), "\n".join(lines))
    shown = (" ".join(unescape(line).split()) for line in text.split("\n"))
    return [line if line.strip("#-*+> ") else "" for line in shown]


def _dated(text: str) -> str:
    return _STAMP.sub(lambda match: " ".join(filter(None, (match[1], match[2]))), text)


def _footnote_of_lines(note: re.Match[str]) -> str:
    """A footnote in round brackets, on the lines that it has."""
    ends = "\n" * (note[0].count("\n") - note[1].count("\n"))
    return f"{ends} ({note[1]})"


def _shown_snippet(snippet: re.Match[str]) -> str:
    """What is for one format only, without the tags of HTML."""
    return _UNSEEN_MARKUP.sub("", snippet[2]) if snippet[1].lower() in _SHOWN_EXPORTS else ""


def _words_of_link(link: re.Match[str]) -> str:
    """The words of a link, else its address; a picture alone says nothing."""
    is_picture = not link[2] and _PICTURE.fullmatch(link[1]) is not None
    return "" if is_picture else link[2] or link[1].removeprefix("file:")


def _inline(text: str) -> str:
    """A text without the marks of Org; code has those of Markdown."""
    if text.endswith("\\\\"):
        text = text[:-2].rstrip()
    text = _SNIPPET.sub(_shown_snippet, text) if "@@" in text else text
    text = _LINK.sub(_words_of_link, text)
    text = _FOOTNOTE.sub(lambda match: f" ({match[2].strip(': ')})" if match[2] else "", text).strip()
    text = _TARGET.sub("", _dated(_CITATION.sub("", text)))
    return _MARK.sub(lambda match: f"`{match[2]}`" if match[1] in "=~" else match[2], text)
