"""The lines of a text as they open its passages: headings, rules, items, rows, markup that is not read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from bob.answers.units.page_markup import seen_lines
from bob.text import lexicon
from bob.text.markup import CLOSE_HEADING, FENCE, ends_with_colon
from bob.text.tables import is_rule

WORD = re.compile(r"[^\W\d_]{2,}|\d+")

LEAST_WORDS = 3
"""A passage of fewer words states nothing on its own, unless it is a field ("Rent: 900")."""

_OPENING = re.compile(r"^\s*(```|~~~)(?![`~])")
"""A fence that is no line under a title."""

HEADING = re.compile(rf"^\s{{0,3}}(?:#{{1,6}}\s|{CLOSE_HEADING})|^\s*<h[1-6](?:\s[^<>]*)?>", re.IGNORECASE)
_TITLE = re.compile(r"\s{0,3}#\s|[^#\n][^\n]*\n\s*==")
RULE = re.compile(
    r"^\s*([-=~^\"'`#*+_.:<>|]\s*)\1{2,}\s*$|^(?=.*[|:+=-])[\s|:+=-]+$|^\s*\[[\w,\s=\"-]+\]\s*$|^\s*\+\s*$"
)
MARKUP_LINE = re.compile(
    r"^\s*(\.\.(\s|$)|:[A-Za-z][\w -]*:(\s|$)|@\w+\s*$|<!--|\[(?!\^)[^\]]+\]:\s|!\[[^\]]*\]\([^)]*\)\s*$|"
    r"!\[\[[^\]]*\]\]\s*$|\{(?:\{[^{}]*\}|%[^{}]*%)\}\s*$|(?:</?[a-z][\w-]*(?:\s[^<>]*)?/?>\s*)+$|%%.*%%\s*$)"
)
ADMONITION = re.compile(
    r"^\s*(?:(?P<sets_off>(?:>\s*)+\[![\w-]+(?:\|[^\]]*)?\][-+]?|:{3,}\s*(?:\{[^}]*\}|[a-z][\w-]*))|"
    r"(?:===[!+]?(?=\s+\")|(?:!!!|\?\?\?\+?)\s+[A-Za-z][a-z -]*:?(?=\s*(?:\"|$))))\s*\"?(?P<title>.*?)\"?\s*$"
)
"""What opens a note that is set off, and its title: of Obsidian and GitHub, of containers, and of MkDocs,
where the note itself is indented."""
COMMENT_FENCE = re.compile(r"^\s*%%\s*$")
FOOTNOTE = re.compile(r"^\s*\[\^[^\]\s]+\]:\s+(?=\S)")
_OF_CONTENTS = re.compile(r"^\s*(?:[-*+]|\d{1,3}\.)\s+\[[^\]]+\]\(#[^)\s]*\)\s*$")
_BULLETS = r"[-*+•●▪■◦‣]|\d{1,3}[.)]"
_ROMAN = r"(?=[ivx]{2,5}[.)])x{0,3}(?:ix|iv|v?i{0,3})[.)]"
_CLAUSES = (
    rf"\(?(?:[a-z][.)]|{_ROMAN})|"
    r"\(\d{1,2}\)(?=\s+[^\W\d_A-ZÄÖÜÁÉÍÓÚÂÊÔÃÕÇ])|[*_]{1,2}[a-z]\)[*_]{1,2}|[IVXLC]{1,7} [-–—]"
)
_MONTH = rf"\d{{1,2}}\.\s+(?:{lexicon.either(lexicon.words('months', 'de'))})\b"
ITEM_MARK = re.compile(rf"(?!(?i:{_MONTH}))(?:(?:{_BULLETS}|{_CLAUSES})\s+|<li(?:\s[^<>]*)?>\s*(?=\S))")
"""What stands before an item of a list."""
ITEM = re.compile(rf"^([\s>]*){ITEM_MARK.pattern}")
CLAUSE = re.compile(rf"\s*(?:{_CLAUSES})\s")
_BLOCK_TAG = re.compile(
    r"\s*<(?:p|div|li|d[ltd]|t[rdh]|blockquote|section|article)(?:\s[^<>]*)?>", re.IGNORECASE
)
"""Of HTML: it begins a paragraph, an item or a cell."""
_TAGS_BEFORE = re.compile(rf"(?:{_BLOCK_TAG.pattern})+\s*", re.IGNORECASE)
_TAGS_BEHIND = re.compile(
    r"(?:</(?:p|div|li|d[ltd]|t[rdh]|h[1-6]|blockquote|section|article|[A-Z][\w.]*)\s*>\s*)+$"
)
_LONGEST_TAGS = 200
TABLE_ROW = re.compile(r"^\s*\|.*\|\s*$|^[^\[\]<>$]+ \| .+")
DOCTEST = re.compile(r"^\s*(>>>|\$) ")

_UNDERLINE = re.compile(r"^\s*([-=~^\"'`#*+.:_])\1{2,}\s*$")
_BEGIN_ANEW = (RULE, HEADING, MARKUP_LINE, FENCE, ITEM, TABLE_ROW, DOCTEST, ADMONITION, FOOTNOTE, _BLOCK_TAG)
"""How lines begin that go on with no paragraph."""

_GO_ON = (".", ",", ";")
"""What no heading ends with."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A range of a text. Kinds: prose, item, row, code, head (of a table), field (`Date: 2017-06-30`, or a
    word that is all that stands under a heading), term (what the next passage defines: a function's
    signature, an option, a glossary entry), or heading (that states something). `cells` are those of a
    `Unit` of a row."""

    start: int
    end: int
    kind: str
    cells: tuple[tuple[str, str], ...] = ()


class Lines:
    """The lines of a text by number."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._spans = seen_lines(text)

    def __len__(self) -> int:
        return len(self._spans)

    def __getitem__(self, index: int) -> str:
        start, end = self._spans[index]
        return self.text[start:end]

    def __iter__(self) -> Iterator[str]:
        return (self[index] for index in range(len(self)))

    def is_heading(self, index: int) -> bool:
        """Whether there is such a line, and it is a heading by its mark or by the rule under it."""
        if not 0 <= index < len(self):
            return False
        return bool(HEADING.match(self[index])) or self._is_underlined(index)

    def _is_underlined(self, index: int) -> bool:
        """Whether a line is a heading by the rule under it: a sentence above a rule is none."""
        line, rule = self[index], self._below(index)
        if not line.strip() or "|" in line or ITEM.match(line):
            return False
        is_rule = _UNDERLINE.match(rule) and not _OPENING.match(rule)
        return bool(is_rule) and not line.rstrip().endswith(_GO_ON)

    def _below(self, index: int) -> str:
        return self[index + 1] if index + 1 < len(self) else ""

    def indent(self, index: int) -> int:
        """How far a line is indented."""
        return len(self[index]) - len(self[index].lstrip())

    def after_comment(self, index: int) -> int:
        """The line after the comment that a line opens."""
        closing = (after for after in range(index + 1, len(self)) if COMMENT_FENCE.match(self[after]))
        return next(closing, index) + 1

    def opens_table(self, index: int) -> bool:
        """Whether a line names the columns of a table: it has bars, and below it a rule has them."""
        if "|" not in self[index]:
            return False
        below = self._below(index)
        return "|" in below and "-" in below and is_rule(below) and not is_rule(self[index])

    def is_indented(self, index: int) -> bool:
        """Whether the next line from `index` on that is not blank is indented."""
        following = (after for after in range(index, len(self)) if self[after].strip())
        return self.indent(next(following, 0)) > 0

    def block_end(self, index: int, indent: int) -> int:
        """The first line from `index` on that is indented less; blank lines at the end do not belong."""
        stop = index
        while stop < len(self) and (not self[stop].strip() or self.indent(stop) >= indent):
            stop += 1
        while stop > index + 1 and not self[stop - 1].strip():
            stop -= 1
        return stop

    @cached_property
    def of_contents(self) -> frozenset[int]:
        """The lines of a table of contents: links into the page that no sentence opens, above all headings
        but the title, or under one that says so."""
        if "](#" not in self.text:
            return frozenset()
        numbers = []
        may_be = True
        opened = False
        for number, line in enumerate(self):
            if _OF_CONTENTS.match(line):
                numbers += [number] if may_be and not opened else []
            elif line.strip():
                opened = ends_with_colon(line)
                if self.is_heading(number):
                    may_be = bool(_TITLE.match(f"{line}\n{self._below(number)}") or _names_contents(line))
        return frozenset(numbers)

    def is_all_of_section(self, first: int, last: int) -> bool:
        """Whether nothing but these lines stands between a heading and the next one, or the end."""
        above = next((number for number in range(first - 1, -1, -1) if self[number].strip()), -1)
        below = next((number for number in range(last + 1, len(self)) if self[number].strip()), None)
        heads = self.is_heading(above) or (above > 0 and self._is_underlined(above - 1))
        return heads and (below is None or self.is_heading(below))

    def passage(self, first: int, last: int, kind: str, skip: int = 0) -> Passage:
        """Lines `first` to `last`, without the first `skip` characters."""
        start, end = self._spans[first][0] + skip, self._spans[last][1]
        return Passage(start, end, kind) if kind == "code" else Passage(*self._within_tags(start, end), kind)

    def bare(self, index: int) -> str:
        """A line without the tags of the block of HTML that it begins or ends."""
        start, end = self._within_tags(*self._spans[index])
        return self.text[start:end]

    def _within_tags(self, start: int, end: int) -> tuple[int, int]:
        if before := _TAGS_BEFORE.match(self.text, start, end):
            start = before.end()
        if behind := _TAGS_BEHIND.search(self.text, max(start, end - _LONGEST_TAGS), end):
            end = behind.start()
        return start, end

    def opens_literal(self, index: int) -> int | None:
        """The indent over which the next block is code: after `::`, and after `:` before four spaces."""
        line = self[index].rstrip()
        if line.endswith("::"):
            return self.indent(index)
        following = next((self[after] for after in range(index + 1, len(self)) if self[after].strip()), "")
        if not line.endswith(":") or ITEM.match(following):
            return None
        return max(self.indent(index) + 3, 3)


@cache
def _contents_names() -> frozenset[str]:
    return frozenset(lexicon.phrases("contents headings"))


def _names_contents(heading: str) -> bool:
    return " ".join(re.findall(r"\w++", heading.lower())) in _contents_names()


def is_blank(line: str) -> bool:
    """Whether a line has nothing, or but the mark of a quotation."""
    return not line.strip().strip(">").strip()


def goes_on(line: str) -> bool:
    """Whether a line continues the paragraph before it."""
    return not is_blank(line) and not any(pattern.match(line) for pattern in _BEGIN_ANEW)
