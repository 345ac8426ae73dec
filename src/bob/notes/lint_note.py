"""A note as the linter sees it: front matter, headings, code, and what kind of note it is."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, islice
from typing import Any, Literal

import yaml
from markdown_it import MarkdownIt

from bob.core.yaml_depth import check_depth
from bob.notes.links import Link, find_links

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_MAX_LINES = 500  # as the index looks for the end
_CLOSING = {"---": ("---", "..."), "+++": ("+++",)}
_KEY_LINE = re.compile(r"[A-Za-z_][\w -]*:(?:\s|$)|[A-Za-z_][\w-]*\s*=\s")
_NULLS = ("~", "null", "Null", "NULL")
_MORE_THAN_A_VALUE = re.compile(r"[#&*!]")
"""A comment, or a name or type that is given to a value."""
_MOST_MARKS = 20
_PART_OF_KEY = re.compile(r"[A-Za-z_][\w -]*:(?:\s|$)|\s+\S|-\s")


Style = Literal["block", "flow", "toml"]
"""YAML with a line a key, YAML in braces, or TOML."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A key of the front matter (lower case) with its value, and where both stand.

    Attributes:
        line_end: behind the line end of the value's last line.
        has_value: unless nothing was written, or an empty text, an empty list, or a list of these.
        alone: the lines up to `line_end` hold the key and its value and nothing else, such as a comment.
    """

    key: str
    value: Any
    key_start: int
    key_end: int
    value_start: int
    value_end: int
    line_end: int
    has_value: bool = True
    alone: bool = True

    @property
    def text(self) -> str:
        """The value as one trimmed line; "" for lists, mappings and nothing."""
        return " ".join(str(self.value).split()) if isinstance(self.value, str) else ""

    @property
    def words(self) -> list[str]:
        """The value as a list of texts: a list's items, or a text alone."""
        items = self.value if isinstance(self.value, list) else [self.value]
        return [item.strip() for item in items if isinstance(item, str) and item.strip()]


@dataclass(frozen=True, slots=True)
class Problem:
    """Why front matter cannot be read, and where; `insert_at` and `insert` or `remove` would mend it."""

    start: int
    end: int
    message: str
    insert: str = ""
    remove: bool = False


@dataclass(frozen=True, slots=True)
class Front:
    """`lines` that it takes at the top (0: there is none), those of a broken one as well; `add_at` is where
    a further key could be added."""

    lines: int = 0
    entries: tuple[Entry, ...] = ()
    repeated: tuple[Entry, ...] = ()
    problem: Problem | None = None
    style: Style = "block"
    add_at: int = 0
    _known: Mapping[str, Entry] = field(default_factory=dict)

    def get(self, *keys: str) -> Entry | None:
        """The first of the keys that is there."""
        return next((self._known[key] for key in keys if key in self._known), None)

    def text(self, *keys: str) -> str:
        """The text of the first of the keys that has one."""
        return next((self._known[key].text for key in keys if key in self._known), "")


def read_front(text: str, lines: list[str], starts: list[int]) -> Front:
    """The front matter of a text; `lines` without line ends, `starts` where each begins."""
    fence = lines[0].rstrip()
    if fence not in _CLOSING:
        return _indented(text, lines, starts)
    numbered = enumerate(lines[1:_MAX_LINES], 1)
    end = next((index for index, line in numbered if line.rstrip() in _CLOSING[fence]), None)
    if end is None:
        return _unclosed(lines, starts, fence)
    content = text[starts[1] : starts[end]]
    if fence == "+++":
        return _toml(content, starts, end)
    return _yaml(content, starts, end)


def _indented(text: str, lines: list[str], starts: list[int]) -> Front:
    """Front matter that begins too late to be read as such."""
    first = next((index for index, line in enumerate(lines) if line.strip()), 0)
    if first == 0 or lines[first].rstrip() != "---":
        return Front()
    moved = read_front(
        text[starts[first] :], lines[first:], [start - starts[first] for start in starts[first:]]
    )
    if not moved.entries:
        return Front()
    message = "The front matter is not on the first line, so it is read as text."
    return Front(first + moved.lines, problem=Problem(0, starts[first], message, remove=True))


def _unclosed(lines: list[str], starts: list[int], fence: str) -> Front:
    if len(lines) < 2 or not _KEY_LINE.match(lines[1]):
        return Front()
    last = 1
    while last + 1 < len(lines) and _PART_OF_KEY.match(lines[last + 1]):
        last += 1
    # What follows must not look like a key that went wrong: then it is open where the block ends.
    follows = lines[last + 1] if last + 1 < len(lines) else ""
    is_plain = fence == "---" and (not follows.strip() or follows.startswith("#"))
    insert = "---\n" if is_plain and last + 1 < len(lines) and _is_mapping(lines[1 : last + 1]) else ""
    message = f"The front matter is not closed: a line {fence} is missing."
    start = starts[last + 1] if insert else 0
    return Front(last + 1, problem=Problem(start, start if insert else len(lines[0]), message, insert=insert))


def _is_mapping(lines: list[str]) -> bool:
    try:
        content = "\n".join(lines)
        check_depth(content)
        return isinstance(yaml.load(content, Loader=_LOADER), dict)
    except (yaml.YAMLError, ValueError, RecursionError):
        return False


def _yaml(content: str, starts: list[int], end: int) -> Front:
    base = starts[1]
    has_keys = any(_KEY_LINE.match(line) for line in content.splitlines())
    try:
        check_depth(content)
        node = yaml.compose(content, Loader=_LOADER)
        value = yaml.load(content, Loader=_LOADER)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        # A rule, a paragraph and a rule look like front matter but hold no keys.
        return Front(end + 1, problem=_broken(error, starts, end)) if has_keys else Front()
    if node is None:
        return Front(end + 1, add_at=starts[end])
    if not isinstance(node, yaml.MappingNode) or not isinstance(value, dict):
        if not has_keys:
            return Front()
        message = "The front matter has no keys and values."
        return Front(end + 1, problem=Problem(base, starts[end], message))
    entries: list[Entry] = []
    for key, child in node.value:
        name = " ".join(str(key.value).split()).lower() if isinstance(key, yaml.ScalarNode) else ""
        value_start, value_end = child.start_mark.index, child.end_mark.index
        # The end of a block is marked behind the blank lines and comments that follow it.
        last = len(content[: max(_last(child), key.end_mark.index)].rstrip())
        line_end = content.find("\n", last) + 1 or len(content)
        written = content[key.end_mark.index : line_end]
        entries.append(
            Entry(
                name,
                _constructed(child),
                base + key.start_mark.index,
                base + key.end_mark.index,
                base + value_start,
                base + value_end,
                base + line_end,
                _has_value(child),
                not _MORE_THAN_A_VALUE.search(written),
            )
        )
    return _front(entries, end, starts[end], "flow" if node.flow_style else "block")


def _last(node: yaml.Node) -> int:
    """Where a value ends; that of a list or mapping in lines ends with the last thing in it."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return int(node.end_mark.index)


def _has_value(node: yaml.Node) -> bool:
    if isinstance(node, yaml.ScalarNode):
        is_null = not node.style and node.value in _NULLS
        return not is_null and bool(node.value.strip())
    if isinstance(node, yaml.SequenceNode):
        # What refers to itself has more in it than nothing.
        return any(isinstance(child, yaml.CollectionNode) or _has_value(child) for child in node.value)
    return True


def _constructed(node: yaml.Node) -> Any:
    """The value of a node, every scalar a text; what refers to itself is cut."""
    if isinstance(node, yaml.ScalarNode):
        return node.value
    if isinstance(node, yaml.SequenceNode):
        return [item.value if isinstance(item, yaml.ScalarNode) else None for item in node.value]
    return {}


def _broken(error: Exception, starts: list[int], end: int) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = min(mark.line + 1, end - 1) if mark is not None else 1
    problem = getattr(error, "problem", None) or "it is not valid YAML"
    return Problem(starts[line], starts[line + 1] - 1, f"The front matter cannot be read: {problem}.")


def _toml(content: str, starts: list[int], end: int) -> Front:
    try:
        values = tomllib.loads(content.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        message = f"The front matter cannot be read: {error}."
        return Front(end + 1, problem=Problem(starts[1], starts[end], message))
    entries: list[Entry] = []
    own = re.split(r"^\[", content, maxsplit=1, flags=re.MULTILINE)[0]  # without tables
    for match in re.finditer(r"^([\w-]+)([ \t]*=[ \t]*)(.*)$", own, re.MULTILINE):
        if match[1] not in values:
            continue  # a line of a text of several lines
        parsed = values[match[1]]
        plain = [str(part) for part in parsed] if isinstance(parsed, list) else str(parsed)
        base = starts[1]
        value_end = match.start(3) + len(_toml_value(match[3], parsed))
        is_whole = value_end > match.start(3)
        entries.append(
            Entry(
                match[1].lower(),
                plain,
                base + match.start(1),
                base + match.end(1),
                base + match.start(3),
                base + (value_end if is_whole else match.end(3)),
                base + min(match.end() + 1, len(content)),
                parsed not in ("", [], [""]),
                is_whole and not content[value_end : match.end()].strip(),
            )
        )
    # A new key goes to the top: at the end it would belong to the last table.
    return _front(entries, end, starts[1], "toml")


def _toml_value(line_end: str, parsed: Any) -> str:
    """The part of a line that is the value, without a comment; "" for a value that goes on below."""
    ends = [match.start() for match in islice(re.finditer("#|$", line_end), _MOST_MARKS)]
    for end in ends:
        try:
            if tomllib.loads(f"value = {line_end[:end]}")["value"] == parsed:
                return line_end[:end].rstrip()
        except (tomllib.TOMLDecodeError, RecursionError):
            continue
    return ""


def _front(entries: list[Entry], end: int, add_at: int, style: Style) -> Front:
    known: dict[str, Entry] = {}
    repeated: list[Entry] = []
    for entry in entries:
        if entry.key in known and style != "toml":
            repeated.append(entry)
        known[entry.key] = entry  # the last one counts, as in the index
    return Front(end + 1, tuple(entries), tuple(repeated), None, style, add_at, known)


Kind = Literal["meeting", "decision", "project", "trip"]
"""The kinds of which rules ask something; all other notes are alike."""
_KINDS: dict[str, Kind] = {
    **{"meeting": "meeting", "decision": "decision", "project": "project", "trip": "trip"},
    "adr": "decision",
}

_BLOCKS = MarkdownIt("commonmark").disable(["normalize", "inline", "text_join", "reference"])
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_RECORD_NAME = re.compile(
    r"(?:^|/)(?:adr|rfc)[-_ ]?\d+[^/]*$|/(?:adrs?|decisions?)/(?:.*/)?\d+[-_ ][^/]*$", re.IGNORECASE
)
_MEETING_TITLE = re.compile(r"(?:.*\b(?:meeting|stand-?up|retrospective|reunião)\b)", re.IGNORECASE)
_MEETING_PART = re.compile(r"attendees|participants|agenda|present|participantes|pauta", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading with its level and text; lines count from 0, `end_line` is the one after it."""

    level: int
    text: str
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced code block; `closed` unless it runs to the end of what it stands in."""

    line: int
    end_line: int
    closed: bool


class Note:
    """A Markdown text, its name (a path with slashes), and its parts, found when they are asked for."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        raw = text.split("\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in raw)]
        self.lines = [line.rstrip("\r").replace("\r", " ") for line in raw]
        self.newline = "\r\n" if "\r\n" in text else "\n"

    @cached_property
    def front(self) -> Front:
        """The front matter."""
        return read_front(self.text, self.lines, self.starts)

    @cached_property
    def _blocks(self) -> tuple[list[Heading], list[Fence], frozenset[int]]:
        skipped = self.front.lines
        tokens = _BLOCKS.parse("\n" * skipped + "\n".join(self.lines[skipped:]))
        headings: list[Heading] = []
        fences: list[Fence] = []
        code: set[int] = set()
        for index, token in enumerate(tokens):
            if token.map is None:
                continue
            first, last = token.map
            if token.type == "heading_open" and token.level == 0:
                text = re.sub(r"[*_`]", "", tokens[index + 1].content)
                headings.append(Heading(int(token.tag[1:]), " ".join(text.split()), first, last))
            elif token.type in ("fence", "code_block"):
                code.update(range(first, last))
                if token.type == "fence":
                    fences.append(Fence(first, last, self._closes(token.markup, first, last)))
        return headings, fences, frozenset(code)

    def _closes(self, markup: str, first: int, last: int) -> bool:
        line = self.lines[min(last, len(self.lines)) - 1].lstrip(" \t>").rstrip()
        return last - first > 1 and len(line) >= len(markup) and set(line) == set(markup)

    @property
    def headings(self) -> list[Heading]:
        """All headings that stand in no list or quotation."""
        return self._blocks[0]

    @property
    def fences(self) -> list[Fence]:
        """All fenced code blocks."""
        return self._blocks[1]

    @cached_property
    def prose(self) -> list[str]:
        """The lines with front matter, code and comments blanked, each as long as before."""
        code = self._blocks[2]
        hidden = [
            " " * len(line) if index < self.front.lines or index in code else line
            for index, line in enumerate(self.lines)
        ]
        if not any("<!--" in line for line in hidden):
            return hidden
        # Up to the last end alone: a beginning without one is not looked for to the end of the text.
        before, end, rest = "\n".join(hidden).rpartition("-->")
        blanked = _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), before + end)
        return (blanked + rest).split("\n")

    @cached_property
    def links(self) -> list[Link]:
        """All links of the text below the front matter."""
        return [
            find_link
            for find_link in find_links(self.text)
            if find_link.start >= self.starts[self.front.lines]
        ]

    @cached_property
    def title(self) -> str:
        """The title of the front matter, else the first heading of the first level."""
        return self.front.text("title") or next(
            (heading.text for heading in self.headings if heading.level == 1), ""
        )

    @cached_property
    def kind(self) -> Kind | None:
        """What the front matter says (`kind` or `type`), else what name and headings show beyond doubt."""
        kind = self.front.text("kind", "type").lower()
        if kind:
            return _KINDS.get(kind)
        titles = [heading.text.lower() for heading in self.headings]
        if {"status", "decision"} <= set(titles) or _RECORD_NAME.search(self.name):
            return "decision"
        if _MEETING_TITLE.match(self.title) and any(_MEETING_PART.match(title) for title in titles):
            return "meeting"
        return None

    def section(self, heading: Heading) -> range:
        """The lines below a heading, up to the next of its level or a higher one."""
        for each in self.headings:
            if each.line > heading.line and each.level <= heading.level:
                return range(heading.end_line, each.line)
        return range(heading.end_line, len(self.lines))

    def sections(self, title: re.Pattern[str]) -> Iterator[tuple[Heading, range]]:
        """The sections whose heading fits."""
        for heading in self.headings:
            if title.match(heading.text):
                yield heading, self.section(heading)

    def line_range(self, line: int) -> tuple[int, int]:
        """Where a line's text (without white space at its ends) begins and ends."""
        text = self.lines[line]
        start = self.starts[line]
        return start + len(text) - len(text.lstrip()), start + len(text.rstrip())

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both from 1."""
        line = min(bisect_right(self.starts, offset) - 1, len(self.lines) - 1)
        return line + 1, offset - self.starts[line] + 1

    @property
    def top(self) -> tuple[int, int]:
        """What findings point at that concern the note as a whole: its first line of text."""
        line = next((index for index, text in enumerate(self.lines) if text.strip()), 0)
        return self.line_range(line)
