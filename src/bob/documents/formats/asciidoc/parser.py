"""AsciiDoc: headings, attributes, admonitions, tables, lists, code; what is commented out is left out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field

from bob.documents.formats import markdown_lines
from bob.documents.formats.asciidoc.tables import asciidoc_rows, delimited_table, is_table_mark
from bob.documents.formats.markdown_lines import FENCE, MarkupParser, WrittenText
from bob.text.dates import read_date

_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+=+)?$")
_UNDERLINE = re.compile(r"([-=~^+])\1{2,}$")
_ATTRIBUTE = re.compile(r":([\w][\w-]*):(?:[ \t]+(.*))?$")
_UNSET = re.compile(r":(?:![\w-]+|[\w-]+!):")
_AUTHOR = re.compile(r"[^\W\d_][\w.'-]*(?: [\w.'-]+){0,3}(?: *<[^<>\s]+>)?(?:; *|$)")
_REVISION = re.compile(r"(?:v(\d[\w.-]*),?)?[ \t]*([^:]{0,40}\d{4}[^:]{0,20})?(?::[ \t]*(.*))?$")
_COMMENT = re.compile(r"//(?!/)")
_DIRECTIVE = re.compile(r"(?:ifn?def|ifeval|endif|include)::\S*\[[^\n]*\]$")
_BLOCK_MACRO = re.compile(r"[a-z][\w-]*::[^\s\[\]]*\[[^\n]*\]$")
_DELIMITER = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|/{4,}|\+{4,}|--|`{3})(?:[\w+-]*)$")
_STYLE = re.compile(r"\[(?:\[[^\[\]\n]*\]|[^\[\]\n]*)\]$")
_ADMONITION = re.compile(r"\[(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\b")
_TITLE = re.compile(r"\.(?![\s.])(\S.*)$")
_ITEM = re.compile(r"[ \t]*(\*{1,6}|-|\.{1,6}|\d{1,3}\.|[a-z]\.|<(?:\d{1,2}|\.)>)[ \t]+(\S.*)$")
_TERM = re.compile(r"[ \t]*(\S.{0,200}?)(:{2,4}|;;)(?:[ \t]+(\S.*))?$")
_RULE = re.compile(r"(?:'{3,}|<{3,}|-{3}|\*{3}|- - -|\* \* \*)$")

_OF_THE_PROGRAM = re.compile(
    r"toc\w*|icons\w*|experimental|sect\w+|source-\w+|\w*highlight\w*|\w*dir|id(prefix|separator)|doctype|backend|"
    r"linkattrs|xrefstyle|stem|nofooter|noheader|hide-uri-scheme|showtitle|page-\w+|\w+-caption|figure\w*|table\w*|"
    r"compat-mode|data-uri|docinfo\w*|hardbreaks\w*|imagesdir|kroki\S*|plantuml\S*|lang|encoding|numbered|"
    r"partnums|stylesheet|linkcss|tabsize|url-\S+|uri-\S+|\S+-(url|uri|link)|env\w*|attribute-missing|leveloffset|"
    r"outfilesuffix|relfile\w+|pdf-\w+|title-page|allow-uri-read|keywords|description|description-\w+|docs?|fn-\S+"
)
"""Attributes that tell a program something, or stand in the text wherever they matter."""

_INTRINSIC = {"empty": "", "nbsp": " ", "sp": " ", "zwsp": "", "plus": "+", "amp": "&", "lt": "<", "gt": ">",
    "vbar": "|", "asterisk": "*", "apos": "'", "quot": '"', "lsquo": "‘", "rsquo": "’", "ldquo": "“",
    "rdquo": "”", "startsb": "[", "endsb": "]", "backtick": "`", "two-colons": "::", "cpp": "C++",
    "tilde": "~", "caret": "^"}  # fmt: skip
_REFERENCE = re.compile(r"\{([\w][\w-]*)\}")
_REFERRED_LINK = re.compile(r"\{[\w-]+\}[^\s\[\]{}]{0,300}\[([^\[\]]{1,500})\]")
"""A link whose address begins with an attribute of another file."""

_XREF = re.compile(r"<<([^<>,\n]{1,200})(?:,[ \t]*([^<>\n]{1,300}))?>>")
_ANCHOR = re.compile(r"\[\[[^\[\]\n]{1,200}\]\]")
_INDEXED = re.compile(r"\(\(\((?:[^()\n]|\([^()\n]*\)){1,300}\)\)\)|(?<!\()\(\(([^()\n]{1,200})\)\)(?!\))")
"""An entry of the index: with three brackets it shows nothing, with two its words stand in the text."""

_URL = re.compile(
    r"(?:link:|\b)(?<!image:)(?<!icon:)((?:https?|ftp|irc)://[^\s\[\]<>]{1,1000}|mailto:[^\s\[\]]{1,200})\[([^\[\]]{0,500})\]"
)
_MACRO = re.compile(
    r"(?<![\w/])([a-z][\w-]{1,30}):(?![:/\s])([^\s\[\]]{0,300})\[((?:[^\[\]\\]|\\.){0,500})\]"
)
_OF_LINK = re.compile(r"(?:\^|,[ \t]*\w+=[^\]]*)$")
_ROLE = re.compile(r"\[[.#][\w.# -]{1,60}\](?=[#*_`])")
_PASSED = re.compile(r"\+\+\+(.{1,500}?)\+\+\+")
_CODE = re.compile(
    r"(?<![`\w])(?:``?\+(?P<literal>.{1,300}?)\+``?|(?P<ticks>``?)(?!\s|`)(?P<code>[^`]{1,300}?)(?P=ticks))(?![`\w])"
)
_CURVED = re.compile(r"\"`([^`]{1,500})`\"|'`([^`]{1,500})`'")
_DOUBLED = re.compile(r"(\*\*|__|##)(?=\S)((?:(?!\1).){1,300}?)\1")
_MARK = re.compile(r"(?<![\w\\])([*_#+])(?=\S)((?:(?!\1)[^\n]){1,300})(?<=\S)\1(?!\w)")
_LITERAL = re.compile(r"(?<![\w+])\+\+(?=[^\s+])([^\n]{1,300}?)(?<=[^\s+])\+\+(?!\+)")
"""What is taken as it is written; a C++ before it begins none."""

_RAISED = re.compile(r"([\^~])(\S{1,40}?)\1")


class AsciidocParser(MarkupParser):
    """Takes AsciiDoc; comments are left out, and attributes stand for their values."""

    name = "asciidoc"
    suffixes = frozenset({".adoc", ".asciidoc"})

    def read_markup(self, text: str) -> _Text:
        """A text as Markdown, and what it says of itself."""
        return _Text(text)


@dataclass(slots=True)
class _Text(WrittenText):
    """An AsciiDoc text as Markdown, and what it says of itself."""

    _lines: list[str] = field(default_factory=list)
    _written: list[str | None] = field(default_factory=list)
    _attributes: dict[str, str] = field(default_factory=dict)
    _places: dict[str, list[int]] = field(default_factory=dict)
    """The lines at which each mark of a block stands."""

    _marks: list[str] = field(default_factory=list)
    """Those of the items that the text is in, outermost first."""

    _style: str = ""
    """The attributes of the block that comes next."""

    _quotes: str = ""
    """The mark that ends the quotation that is being read."""

    def __post_init__(self) -> None:
        self._lines = [line.rstrip().replace("\r", " ") for line in self.source.split("\n")]
        self._written = [""] * len(self._lines)
        self._places = defaultdict(list)
        for index, line in enumerate(self._lines):
            if _DELIMITER.match(line) or is_table_mark(line):
                self._places[line].append(index)
        index = self._header()
        while index < len(self._lines):
            index = self._block(index)
        self.written = "\n".join(markdown_lines.closed_up(self._written))

    def _header(self) -> int:
        """Read the title, who wrote it and when, and the attributes at the top; the line after them."""
        index = 0
        while index < len(self._lines) and (not self._lines[index] or _COMMENT.match(self._lines[index])):
            index += 1
        title_at = -1
        while index < len(self._lines) and self._lines[index]:
            line = self._lines[index]
            heading = _HEADING.match(line)
            if heading and len(heading[1]) == 1 and title_at < 0:
                title_at = index
                self.title = self._inline(heading[2])
                self._written[index] = f"# {self.title}"
            elif _ATTRIBUTE.match(line) or _UNSET.match(line):
                index = self._attribute(index)
                continue
            elif index == title_at + 1 and title_at >= 0 and _AUTHOR.match(line):
                self._written[index] = self._authors(line)
            elif (
                0 <= title_at < index <= title_at + 2
                and (revision := _REVISION.match(line))
                and line[0] != "/"
            ):
                self._revision(index, revision)
            elif not (_COMMENT.match(line) or _DIRECTIVE.match(line) or self._is_of_title(index)):
                break
            index += 1
        return index

    def _is_of_title(self, index: int) -> bool:
        """Whether a line holds the attributes of the title below it."""
        following = self._lines[index + 1] if index + 1 < len(self._lines) else ""
        return _STYLE.match(self._lines[index]) is not None and following.startswith("= ")

    def _authors(self, line: str) -> str:
        names = [part.partition("<")[0].strip().replace("_", " ") for part in line.split(";")]
        self._attributes["author"] = names[0]
        return markdown_lines.field("Author", ", ".join(filter(None, names)))

    def _revision(self, index: int, match: re.Match[str]) -> None:
        version, day, remark = (part.strip() if part else "" for part in match.groups())
        self._attributes |= {"revnumber": version, "revdate": day}
        self.day = self.day or read_date(day)
        stated = [part for part in (version, day, remark) if part]
        self._written[index] = markdown_lines.field("Version" if version else "Date", ", ".join(stated))

    def _attribute(self, index: int) -> int:
        """Read an attribute, and the lines that go on with it; the line after it."""
        match = _ATTRIBUTE.match(self._lines[index])
        if match is None:
            return index + 1
        name, value = match[1].lower(), match[2] or ""
        first = index
        while value.endswith("\\") and index + 1 < len(self._lines):
            index += 1
            value = f"{value[:-1].rstrip(' +')} {self._lines[index].strip()}"
        value = self._inline(value)
        self._attributes[name] = value
        if name in ("revdate", "date", "docdate"):
            self.day = self.day or read_date(value)
        elif name == "lang":
            self.language = value[:2].lower() or None
        elif name == "keywords":
            self.tags += [tag.strip() for tag in value.split(",") if tag.strip()]
        if not _OF_THE_PROGRAM.fullmatch(name):
            self._written[first] = markdown_lines.field(name.removeprefix("rev"), value)
        return index + 1

    def _block(self, index: int) -> int:
        """Write what begins at a line; the line after it."""
        line = self._lines[index]
        if not line:
            return index + 1
        is_entry = line.startswith("(((") and not self._inline(line)
        if _COMMENT.match(line) or _DIRECTIVE.match(line) or is_entry or line == "+":
            self._written[index] = None if line != "+" else ""
            return index + 1
        if is_table_mark(line):
            return self._table(index)
        if delimiter := _DELIMITER.match(line):
            return self._delimited(index, delimiter[1])
        if _STYLE.match(line):
            self._style += line
            if admonition := _ADMONITION.match(line):
                self._written[index] = f"{admonition[1].capitalize()}:"
            return index + 1
        if _ATTRIBUTE.match(line) or _UNSET.match(line):
            return self._attribute(index)
        if _BLOCK_MACRO.match(line) or _RULE.match(line):
            return index + 1
        written = self._line(index, line)
        self._style = ""
        self._written[index] = f"> {written}" if self._quotes and written else written
        return index + 2 if self._is_underlined(index) else index + 1

    def _line(self, index: int, line: str) -> str:
        before = self._lines[index - 1] if index else ""
        if heading := _HEADING.match(line):
            self._marks.clear()
            return f"{'#' * len(heading[1])} {self._inline(heading[2])}"
        if self._is_underlined(index):
            self._marks.clear()
            level = "=-~^+".index(self._lines[index + 1][0]) + 1
            return f"{'#' * level} {self._inline(line)}"
        if (title := _TITLE.match(line)) and not (before and self._written[index - 1]):
            return self._inline(title[1]).rstrip(":") + (":" if self._opens_list(index + 1) else "")
        if item := _ITEM.match(line):
            return f"{self._nested(item[1], apart=not before)}{self._inline(item[2])}"
        if (term := _TERM.match(line)) and not line.startswith("//"):
            name = self._inline(term[1])
            text = f"{name}{'' if name.endswith('?') else ':'} {self._inline(term[3] or '')}".rstrip()
            return f"{self._nested(term[2], apart=not before)}{text}"
        if not before and line[0] not in " \t":
            self._marks.clear()
        if line[0] in " \t" and not self._marks:
            return f"    {line.strip()}"  # a literal paragraph
        return "  " * len(self._marks) + self._inline(line.strip())

    def _is_underlined(self, index: int) -> bool:
        """Whether a line is a title of the form that is underlined: both lines are about as long."""
        if index + 1 >= len(self._lines) or (index and self._lines[index - 1]):
            return False
        line, under = self._lines[index], self._lines[index + 1]
        return bool(
            _UNDERLINE.match(under)
            and abs(len(line) - len(under)) <= 2
            and line[0].isalnum()
            and len(line) > 2
        )

    def _opens_list(self, index: int) -> bool:
        while index < len(self._lines) and (not self._lines[index] or _STYLE.match(self._lines[index])):
            index += 1
        line = self._lines[index] if index < len(self._lines) else ""
        return _ITEM.match(line) is not None or _TERM.match(line) is not None

    def _nested(self, mark: str, *, apart: bool) -> str:
        """The mark of an item in Markdown, as deep as it is; behind an empty line another list may begin."""
        kind = "<" if mark[0] == "<" else "1." if mark[0].isdigit() else mark
        if kind in self._marks:
            del self._marks[self._marks.index(kind) + 1 :]
        else:
            if apart and (len(kind) == 1 or kind in ("::", "1.")):
                self._marks.clear()
            self._marks.append(kind)
        return "  " * (len(self._marks) - 1) + ("1. " if kind[0] in ".1" else "- ")

    def _closing(self, index: int) -> int:
        """The line that ends the block that begins at a line; the last line, where nothing does."""
        places = self._places[self._lines[index].rstrip() if self._lines[index][0] != "`" else FENCE]
        after = bisect_right(places, index)
        return places[after] if after < len(places) else len(self._lines)

    def _delimited(self, index: int, mark: str) -> int:
        style, self._style = self._style, ""
        if self._quotes == self._lines[index]:
            self._quotes = ""
            return index + 1
        if mark[0] in "/+":
            return self._closing(index) + 1
        if mark[0] in "-.`" and mark != "--":
            end = self._closing(index)
            language = re.match(r"\[(?:source)?,[ \t]*([\w+-]+)", style)
            self._written[index] = FENCE + (language[1] if language else "")
            self._written[index + 1 : end] = self._lines[index + 1 : end]
            if end < len(self._lines):
                self._written[end] = FENCE
            return end + 1
        if mark[0] == "_":
            self._quotes = self._lines[index]
        self._marks.clear()
        return index + 1

    def _table(self, index: int) -> int:
        end = self._closing(index)
        inside = [
            "" if _COMMENT.match(line) or _DIRECTIVE.match(line) else line
            for line in self._lines[index + 1 : end]
        ]
        style, self._style = self._style, ""
        self._marks.clear()
        separator = {",": ",", ":": ":"}.get(self._lines[index][0], "")
        if named := re.search(r"format=\"?(csv|tsv|dsv)", style):
            separator = {"csv": ",", "tsv": "\t", "dsv": ":"}[named[1]]
        table = delimited_table(inside, separator) if separator else asciidoc_rows(inside, style)
        rows = [(index + 1 + line, [self._inline(cell) for cell in cells]) for line, cells in table.rows]
        says_head = re.search(r"%[\w%]*header|opt(?:ion)?s=\"?[^\"\]]*header", style) is not None
        lines = [""] * len(self._lines[index : end + 1])
        has_head = says_head or (table.has_head and "noheader" not in style)
        within = [(line - index, cells) for line, cells in rows]
        markdown_lines.place_rows(lines, 0, len(lines), within, int(has_head))
        self._written[index : end + 1] = lines
        return end + 1

    def _inline(self, text: str) -> str:
        """A text without the marks of AsciiDoc; code has those of Markdown."""
        text = text.removesuffix(" +").rstrip()
        text = _REFERENCE.sub(
            lambda match: self._attributes.get(match[1].lower(), _INTRINSIC.get(match[1], match[0])), text
        )
        text = _REFERRED_LINK.sub(lambda match: _label(match[1]), _ANCHOR.sub("", text))
        if "((" in text:
            text = re.sub(" {2,}", " ", _INDEXED.sub(lambda match: match[1] or "", text))
        text = _XREF.sub(lambda match: match[2] or _words(match[1]), text)
        text = _URL.sub(lambda match: _label(match[2]) or match[1].removeprefix("mailto:"), text)
        text = _MACRO.sub(_macro, text)
        text = _CURVED.sub(lambda match: f'"{match[1]}"' if match[1] else f"'{match[2]}'", text)
        parts = _split_code(_PASSED.sub(r"\1", _ROLE.sub("", text)))
        parts[::2] = [_without_marks(part) for part in parts[::2]]
        return "".join(parts).strip()


def _split_code(text: str) -> list[str]:
    """What stands between code, and code, in turn."""
    parts: list[str] = []
    start = 0
    for match in _CODE.finditer(text):
        parts += [text[start : match.start()], f"`{match['literal'] or match['code'].strip('+')}`"]
        start = match.end()
    return [*parts, text[start:]]


def _without_marks(text: str) -> str:
    return _RAISED.sub(r"\2", _MARK.sub(r"\2", _DOUBLED.sub(r"\2", _LITERAL.sub(r"\1", text))))


def _label(text: str) -> str:
    return _OF_LINK.sub("", text).strip().strip('"')


def _words(anchor: str) -> str:
    return re.sub(r"[_-]+", " ", anchor.rpartition("#")[2] or anchor).strip()


def _macro(match: re.Match[str]) -> str:
    name, target, text = match.groups()
    label = _label(text)
    if name in ("image", "icon", "anchor", "indexterm", "indexterm2", "bibitem"):
        return ""
    if name == "footnote":
        return f" ({label})" if label else ""
    if name == "menu":
        return " > ".join(filter(None, (target, *map(str.strip, label.split(">")))))
    if name in ("kbd", "btn", "pass", "stem", "latexmath", "asciimath"):
        return label
    return label or (_words(target) if name == "xref" else target)
