"""The lines of a text without what is markup of its page: comments, shortcodes, components and imports."""

from __future__ import annotations

import re

from bob.text.markup import closes_fence, opened_fence

Span = tuple[int, int]

_LONGEST = 4_000
"""So many characters a tag or a shortcode may take, and what is exported to one."""

_HINT = re.compile(r"<!--|\{[{%]|^[ \t]*</?[A-Za-z>]|^(?:import|export)\s", re.MULTILINE)
_COMMENT = re.compile(r"<!--")
_SHORTCODE = re.compile(r"[ \t]*(?P<marks>\{\{|\{%)")
_CLOSES = {"{{": "}}", "{%": "%}"}

_TAG = re.compile(r"[ \t]*</?(?P<name>[A-Za-z][\w.-]*)(?=[\s/>])")
_IN_TAG = re.compile(r"[<>{}\"']")
_FRAGMENT = re.compile(r"[ \t]*</?>[ \t]*$", re.MULTILINE)

_IMPORT = re.compile(
    r"import\s+(?:[\w*$][\w*$, ]{0,200}?(?:\{[^{}\"']{0,2000}\}\s*)?from\s+|\{[^{}\"']{0,2000}\}\s*from\s+)?"
    r"(?:\"[^\"\n]+\"|'[^'\n]+')[ \t]*;?[ \t]*$",
    re.MULTILINE,
)
_EXPORT = re.compile(r"export\s+(?:const|let|var|default|function|async)\s+\w[^\n]*[=({]", re.MULTILINE)
_END_OF_EXPORT = re.compile(r"^[)}\]]+;?[ \t]*$", re.MULTILINE)


def seen_lines(text: str) -> list[Span]:
    """The range of each line of a text, without markup of its page; an empty one where nothing else is there.

    Code in fences is left as it is.
    """
    spans = _lines(text)
    if _HINT.search(text) is None:
        return spans
    seen: list[Span] = []
    marks = ""
    unseen = 0
    for begin, end in spans:
        span = min(max(begin, unseen), end), end
        line = text[slice(*span)]
        if marks:
            marks = "" if closes_fence(line, marks) else marks
        elif not (marks := opened_fence(line)):
            span, after = _seen(text, *span)
            unseen = max(unseen, after)
        seen.append(span)
    return seen


def _lines(text: str) -> list[Span]:
    spans: list[Span] = []
    start = 0
    for line in text.split("\n"):
        spans.append((start, start + len(line.rstrip("\r"))))
        start += len(line) + 1
    return spans


def _seen(text: str, start: int, end: int) -> tuple[Span, int]:
    """What of a line is read, and where the markup ends that begins in it."""
    while True:
        after = _markup_end(text, start, end)
        if after <= start:
            break
        if after >= end:
            return (start, start), after
        start = after
    comment = _COMMENT.search(text, start, end)
    if comment is not None and "`" not in text[start : comment.start()]:
        after = text.find("-->", comment.end())
        # One that ends in its line is left out where the line is read.
        if after >= end:
            return (start, comment.start()), after + len("-->")
    return (start, end), end


def _markup_end(text: str, start: int, end: int) -> int:
    """Where the markup ends with which a line begins; not behind its beginning where it begins with none."""
    begin = start + len(text[start:end]) - len(text[start:end].lstrip())
    if text.startswith("<!--", begin):
        after = text.find("-->", begin)
        return end if after < 0 else after + len("-->")
    if shortcode := _SHORTCODE.match(text, start, end):
        after = text.find(_CLOSES[shortcode["marks"]], shortcode.end(), start + _LONGEST)
        # One in a line with other words is a part of a sentence.
        is_alone = after >= end or not text[after + 2 : end].strip(" \t}")
        return max(end, after + 2) if after > 0 and is_alone else start
    if _FRAGMENT.match(text, start, end):
        return end
    if (tag := _TAG.match(text, start)) is not None:
        return _tag_end(text, start, end, tag)
    return _module_line_end(text, start)


def _tag_end(text: str, start: int, end: int, tag: re.Match[str]) -> int:
    """The end of a tag that takes several lines, or of a component; others are for those who read lines."""
    depth, quote = 0, ""
    for mark in _IN_TAG.finditer(text, tag.end(), start + _LONGEST):
        found = mark[0]
        if quote:
            quote = "" if found == quote else quote
        elif found == "{":
            depth += 1
        elif found == "}":
            depth -= 1
        elif depth <= 0 and found in "\"'":
            quote = found
        elif depth <= 0:
            is_tag = found == ">" and (mark.end() > end or _is_component(text, tag, mark.start()))
            return mark.end() if is_tag else start
    return start


def _is_component(text: str, tag: re.Match[str], close: int) -> bool:
    """Whether a tag is one of MDX, and no place to fill in ("<Name> is your own")."""
    name, inside = tag["name"], text[tag.end() : close]
    if not name[0].isupper():
        return False
    is_closing = "/" in text[tag.start() : tag.start("name")]
    return is_closing or "=" in inside or inside.rstrip().endswith("/") or f"</{name}>" in text[close:]


def _module_line_end(text: str, start: int) -> int:
    """The end of a line that imports or exports what the page is made of."""
    if taken := _IMPORT.match(text, start):
        return taken.end()
    if (opened := _EXPORT.match(text, start)) is None:
        return start
    line_end = text.find("\n", opened.end())
    line = text[start : line_end if line_end >= 0 else len(text)].rstrip()
    closing = _END_OF_EXPORT.search(text, opened.end(), start + _LONGEST)
    return closing.end() if closing and line.endswith(("{", "[", "(", "=>")) else start + len(line)
