"""The markup of Markdown and reStructuredText, and a text as a person reads it without."""

from __future__ import annotations

import re
from html import unescape
from html.entities import html5

EMPHASIS = "*_ \t\r\n"
"""What may stand around a text in bold or italics, and white space."""

CLOSE_HEADING = r"#{2,6}(?=[\w§„“\"(*])"
"""The marks of a heading without the blank that CommonMark asks for: "###§3 Prices". One alone is a tag."""

_CODE_SPAN = re.compile(r"(?<![`:])(`+)(?!`)([^`]+?)(?<!`)\1(?![`_])")
_LINK = re.compile(
    _CODE_SPAN.pattern + r"|!?\[\[(?!\s)(?P<page>[^\[\]|]+)(?:\||\]\[)?(?P<alias>(?<=[|\[])[^\[\]]+)?\]\]"
    r"|!\[(?P<shown>[^\]]*)\]\((?:[^()]|\([^()]*\))*\)"
    r"|\[(?P<label>(?:[^\[\]`]|`[^`]+`)+)\]\("
    r"(?:\{\{[^{}]*\}\}[^()\s]*|<[^<>\n]*>|(?:[^()\s]|\([^()\s]*\))*)(?:\s\"[^\"]*\")?\)"
    r"|(?<![\w\])])\[(?P<named>(?:[^\[\]`]|`[^`]+`)+)\]\[[^\[\]]*\](?![\[(])"
)
"""A link or a picture of Markdown, with its address or the name of one, or a link to a page of a wiki or of
Org; code is passed over."""
_TAG = re.compile(
    r"</?(?:(?P<apart>br|p|div|li|ul|ol|hr|center)|b|i|em|strong|span|sub|sup|u|kbd|small)\s?/?>|"
    r"<(?:a|abbr|b|br|div|em|font|h[1-6]|i|img|kbd|li|ol|p|small|span|strong|sub|sup|t[dhr]|table|u|ul)"
    r"\s[\w-]+=[^<>]*>|</(?:a|abbr|font|h[1-6]|t[dhr]|table|tbody|thead)>",
    re.IGNORECASE,
)
"""A tag of HTML that only sets its text off; `<source>` may stand for what a reader has to fill in."""
_ROLE = re.compile(r":(?:[a-z]+:)?([a-z+-]+):`[~!]?([^`<]*?)(?:\s*<([^`>]*)>)?`")
_MARKUP = (
    (re.compile(r"^(versionadded|versionchanged|deprecated(?:-removed)?)::\s*(\S+)"), r"\1 \2:"),
    (re.compile(r"`([^`<]+?)\s*<[^`>]*>`__?"), r"\1"),
    (re.compile(r"`([^`<]+?)`__?(?!\w)"), r"\1"),
    (re.compile(r"<!--(?:[^<>]{0,2000}?)-->"), ""),
    (re.compile(r"\*\*([^\W\d_]+)\*\*"), r"\1"),
    (re.compile(r"(?<![\\\w])\*\*(?=\S)([^*]+?)(?<=[^\s\\])\*\*(?!\w)"), r"\1"),
    (re.compile(r"(?<![\\\w])__(?=\S)([^*_]+?)(?<=[^\s\\])__(?!\w)"), r"\1"),
    (re.compile(r"(?<![\\\w*])\*(?=\S)([^*]+?)(?<=[^\s\\])\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<![\\\w_])_(?=\S)([^_]+?)(?<=[^\s\\])_(?![\w_])"), r"\1"),
    (re.compile(r"==(?=\S)([^=]+?)(?<=\S)=="), r"\1"),
    (re.compile(r"%%[^%]*%%"), ""),
    (re.compile(r"(?<=[^\s\[])\[\^[\w-]+\]"), ""),
    (re.compile(r"(?<=[.!?)])\s+\^[\w-]+$"), ""),
    (re.compile(r"\|([a-z][\w-]*)\|"), r"\1"),
    (re.compile(r"\s*\|\s*"), " | "),
    (re.compile(r"::$"), ":"),
    (re.compile(r"\\([_*`|@#~<>])"), r"\1"),
)
# But for what would open a tag.
_ENTITY = re.compile(
    r"&(?!(?:lt|gt|#0*6[02]|#x0*3[ce]);)(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8}\d{0,2});", re.IGNORECASE
)
_MOST_WORDS_OF_NAME = 12
_QUOTATIONS = ('"', "“", "„", "«", "‘")
_ENDS_OF_SENTENCES = (".", "!", ",", ";", "…")
_NAMED_ROLES = ("pep", "rfc")
_BULLET = re.compile(r"\n\s*>+\s?")


def may_name_section(line: str) -> bool:
    """Whether a line that is all bold can be the name of what follows it: it is short, no sentence and no
    field with its value, unless that is a number with its title.

    >>> may_name_section("Motion 5 (Proposed by Ann)"), may_name_section("TOP 5: Budget:")
    (True, True)
    >>> may_name_section("The hall is closed."), may_name_section("Date: 5 May")
    (False, False)
    """
    if len(line.split()) > _MOST_WORDS_OF_NAME or line.endswith(_ENDS_OF_SENTENCES):
        return False
    if line.startswith(_QUOTATIONS):
        return False
    name, _, shown = line.rstrip(": ").partition(": ")
    return any(map(str.isalpha, line)) and (not shown or any(map(str.isdigit, name)))


def ends_with_colon(text: str) -> bool:
    """Whether a text, emphasis apart, ends with a colon, and so opens what stands below it.

    >>> ends_with_colon("**Not covered:** "), ends_with_colon("At 10:30")
    (True, False)
    """
    return text.rstrip(EMPHASIS).endswith(":")


_STATES_BEFORE = re.compile(r"[^\W\d_]{3}[.!]\s+[^\W\d_]")


def asks(text: str) -> bool:
    """Whether a text, emphasis apart, ends with a question mark, and states nothing before that.

    >>> asks("**Is it open?**"), asks("Why it is open."), asks("It is open. not on Mondays?")
    (True, False, False)
    """
    return text.rstrip(EMPHASIS).endswith("?") and _STATES_BEFORE.search(text) is None


FENCE = re.compile(r"\s*(?P<marks>`{3,}(?=[^`]*$)|~{3,})")


def opened_fence(line: str) -> str:
    """The marks with which a line opens a fence of code, "" where it opens none. Behind backticks no other
    follows: "```npm ci``` is how we install." has its code in the line.

    >>> opened_fence("  ```python"), opened_fence("~~~ `x`"), opened_fence("```npm ci``` installs.")
    ('```', '~~~', '')
    """
    fence = FENCE.match(line)
    return fence["marks"] if fence else ""


def closes_fence(line: str, marks: str) -> bool:
    """Whether a line closes a fence that was opened with these marks: it has as many of them at least, and
    nothing else.

    >>> closes_fence("````", "```"), closes_fence("```python", "```")
    (True, False)
    """
    closing = line.strip()
    return closing.startswith(marks) and not closing.strip(marks[0])


def indentation(line: str) -> int:
    """How many blanks and tabs a line begins with."""
    return len(line) - len(line.lstrip())


def readable(quote: str) -> str:
    """A quote as a person reads it: on one line, without the markup of links and emphasis."""
    quote = _LINK.sub(_label, _ROLE.sub(_role, _BULLET.sub(" ", quote)))
    parts: list[str] = []
    start = 0
    for span in _CODE_SPAN.finditer(quote):
        parts += [quote[start : span.start()], f"`{span[2].strip()}`"]
        start = span.end()
    parts.append(quote[start:])
    parts[::2] = [_plain(_TAG.sub(_blank, part)) for part in parts[::2]]
    return " ".join("".join(parts).split()).strip("| ")


def _label(match: re.Match[str]) -> str:
    labels = (match[name] for name in ("alias", "page", "shown", "label", "named"))
    return next((label for label in labels if label is not None), match[0])


def _blank(match: re.Match[str]) -> str:
    return " " if match["apart"] else ""


def _role(match: re.Match[str]) -> str:
    name, shown, target = match.groups()
    label: str = shown.strip() or target or ""
    return f"{name.upper()} {label}" if name in _NAMED_ROLES else label


def _plain(quote: str) -> str:
    for pattern, replacement in _MARKUP:
        quote = pattern.sub(replacement, quote)
    return _ENTITY.sub(_character, quote)


def _character(entity: re.Match[str]) -> str:
    written = entity[0]
    return unescape(written) if written[1] == "#" else html5.get(written[1:], written)
