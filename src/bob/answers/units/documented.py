"""What a comment or a docstring says of parameters, defaults, results and errors, each as a field: the tags
of JSDoc, Javadoc and Doxygen, the fields of Sphinx, and the sections of Google's and NumPy's docstrings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bob.answers.units.comments import Comment, CommentLine
from bob.text.markup import readable

_TAG = re.compile(r"[@\\](?P<tag>[a-z]\w*)(?:\[\w+\])?(?:\s+|$)(?P<rest>.*)")
_OF_SPHINX = re.compile(r":(?P<tag>[a-z]\w*)(?:\s(?P<what>[^:]{1,80}))?:(?:\s+|$)(?P<rest>.*)")
_PARAMETER = re.compile(
    r"(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}\s*)?\[?(?P<name>[\w.$*&-]+)(?:\s*=\s*[^\]]*)?\]?\s*(?:[-–:]\s+)?(?P<text>.*)"
)
_OF_TYPE = re.compile(r"\{([^{}]*)\}")
_PARAMETER_TAGS = (
    *("param", "arg", "argument", "property", "prop", "attr", "key", "keyword", "ivar", "cvar", "var"),
    *("tparam", "typeparam"),
)
_PROSE_TAGS = (
    "brief",
    "summary",
    "description",
    "desc",
    "details",
    "remarks",
    "remark",
    "note",
    "par",
    "doc",
)
_NO_TEXT = (
    *("example", "internal", "private", "public", "protected", "module", "type", "rtype", "vartype"),
    "template",
)

_SECTION = re.compile(r"(?P<name>[A-Z][A-Za-z]*(?: [A-Za-z]+){0,2}):?")
_OF_PARAMETERS = frozenset(
    ["args", "arguments", "parameters", "params", "keyword args", "keyword arguments", "other parameters"]
)
_OF_A_RESULT = frozenset(["returns", "return", "yields", "yield"])
_ENTRY = re.compile(
    r"(?P<name>\*{0,2}[\w.`]+(?:, \*{0,2}[\w.`]+){0,4})(?:\s*\([^()]*\)|\s*\[[^\[\]]*\])?\s*:"
    r"(?:\s+(?P<text>.*)|$)"
)
_RULE = re.compile(r"-{3,}")


@dataclass(frozen=True, slots=True)
class DescribedField:
    """What is said of one thing, from column `begin` of line `first` to column `end` of line `last`;
    `section` says what kind of thing it is, "" for a parameter."""

    first: int
    begin: int
    last: int
    end: int
    line: str
    section: str = ""


def described(comment: Comment) -> tuple[list[CommentLine], list[DescribedField]]:
    """The lines of a comment that are prose, and what it says of parameters and the like."""
    lines = comment.lines
    prose: list[CommentLine] = []
    fields: list[DescribedField] = []
    index = 0
    while index < len(lines):
        tag = _TAG.fullmatch(lines[index].text) or _OF_SPHINX.fullmatch(lines[index].text)
        if tag is not None:
            stop = _end_of_tag(lines, index)
            if tag["tag"] in _PROSE_TAGS or tag["tag"] in _NO_TEXT:
                skipped = len(lines[index].text) - len(tag["rest"])
                rest = replace(lines[index], begin=lines[index].begin + skipped, text=tag["rest"])
                prose += [rest] if tag["rest"] and tag["tag"] in _PROSE_TAGS else []
                index += 1
                continue
            if line := _said_by_tag(tag, lines[index + 1 : stop]):
                fields.append(_field(lines, index, stop, line))
            index = stop
            continue
        stop, entries = _section_at(lines, index) if comment.is_docstring else (index, [])
        if stop > index:
            fields += entries
            index = stop
        else:
            prose.append(lines[index])
            index += 1
    return prose, fields


def _end_of_tag(lines: Sequence[CommentLine], index: int) -> int:
    """The line after what a tag says: it goes on to the next tag or an empty line, and in Sphinx only further
    in."""
    is_sphinx = lines[index].text.startswith(":")
    stop = index + 1
    while stop < len(lines) and lines[stop].number == lines[stop - 1].number + 1:
        line = lines[stop]
        if _TAG.fullmatch(line.text) or _OF_SPHINX.fullmatch(line.text):
            break
        if is_sphinx and line.begin <= lines[index].begin:
            break
        stop += 1
    return stop


def _said_by_tag(tag: re.Match[str], below: Sequence[CommentLine]) -> str:
    text = " ".join((tag["rest"], *(line.text for line in below))).strip()
    groups = tag.groupdict()
    name: str = tag["tag"]
    if groups.get("what"):
        what = groups["what"].split()[-1]
        name = what if name in _PARAMETER_TAGS else f"{name}: {what}"
    elif name in _PARAMETER_TAGS:
        match = _PARAMETER.fullmatch(text)
        name, text = (match["name"], match["text"]) if match else ("", "")
    text = readable(_OF_TYPE.sub(r"\1", text, count=1) if text.startswith("{") else text)
    return f"{name}: {text}" if name and text else ""


def _field(
    lines: Sequence[CommentLine], index: int, stop: int, line: str, section: str = ""
) -> DescribedField:
    first, last = lines[index], lines[stop - 1]
    return DescribedField(first.number, first.begin, last.number, last.end, line, section)


def _section_at(lines: Sequence[CommentLine], index: int) -> tuple[int, list[DescribedField]]:
    """The line after the section of a docstring that begins at a line, and its entries; that line itself
    where none begins."""
    head = lines[index]
    match = _SECTION.fullmatch(head.text)
    body = index + 1
    if match is None or body >= len(lines):
        return index, []
    is_numpy = _RULE.fullmatch(lines[body].text) is not None
    body += is_numpy
    if body >= len(lines) or (
        not is_numpy and (not head.text.endswith(":") or lines[body].begin <= head.begin)
    ):
        return index, []
    column, stop = lines[body].begin, body
    while stop < len(lines) and not _leaves(lines, stop, head.begin, is_numpy=is_numpy):
        stop += 1
    name = match["name"].lower()
    entries = [entry for entry in range(body, stop) if lines[entry].begin <= column]
    if name in _OF_A_RESULT:
        text = readable(" ".join(line.text for line in lines[body:stop]))
        return stop, [_field(lines, body, stop, f"{name}: {text}")] if stop > body else []
    named = [_ENTRY.fullmatch(lines[entry].text) for entry in entries]
    if not is_numpy and not all(named):
        return index, []
    section = "" if name in _OF_PARAMETERS else name
    fields = []
    for entry, following, match in zip(entries, [*entries[1:], stop], named, strict=True):
        below = [line.text for line in lines[entry + 1 : following]]
        if is_numpy:
            called, texts = lines[entry].text.partition(" : ")[0], below
        else:
            called, texts = (match["name"], [match["text"] or "", *below]) if match else ("", [])
        if text := readable(" ".join(texts)):
            fields.append(_field(lines, entry, following, f"{called}: {text}", section))
    return stop, fields


def _leaves(lines: Sequence[CommentLine], index: int, column: int, *, is_numpy: bool) -> bool:
    """Whether a line belongs to a section no more that begins in this column."""
    if not is_numpy:
        return lines[index].begin <= column
    is_next = index + 1 < len(lines) and _RULE.fullmatch(lines[index + 1].text) is not None
    return is_next or lines[index].begin < column
