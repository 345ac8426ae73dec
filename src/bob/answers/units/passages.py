"""Cuts a chunk's text into passages by its line structure: Markdown, reStructuredText, AsciiDoc, plain text.

A passage is a paragraph, one list item, one table row, one block of code. Headings, rules, labels and
directives that show nothing give none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import pairwise

from bob.answers.units.stated_fields import FIELD, are_fields
from bob.text import lexicon
from bob.text.fields import FENCES, front_matter_end
from bob.text.markup import (
    CLOSE_HEADING,
    EMPHASIS,
    FENCE,
    closes_fence,
    ends_with_colon,
    opened_fence,
    readable,
)
from bob.text.sentences import states_before_asking
from bob.text.table_heads import belongs_to_head
from bob.text.tables import (
    cells_between_bars,
    groups_of,
    is_head,
    is_rule,
    joined_names,
    marked_head,
    named_cells,
)
from bob.text.units import unit_named

WORD = re.compile(r"[^\W\d_]{2,}|\d+")

LEAST_WORDS = 3
"""A passage of fewer words states nothing on its own, unless it is a field ("Rent: 900")."""

_OPENING = re.compile(r"^\s*(```|~~~)(?![`~])")
"""A fence that is no line under a title."""

_HEADING = re.compile(rf"^\s{{0,3}}(?:#{{1,6}}\s|{CLOSE_HEADING})")
_TITLE = re.compile(r"\s{0,3}#\s|[^#\n][^\n]*\n\s*==")
_RULE = re.compile(
    r"^\s*([-=~^\"'`#*+_.:<>|]\s*)\1{2,}\s*$|^(?=.*[|:+=-])[\s|:+=-]+$|^\s*\[[\w,\s=\"-]+\]\s*$|^\s*\+\s*$"
)
_MARKUP_LINE = re.compile(
    r"^\s*(\.\.(\s|$)|:[A-Za-z][\w -]*:(\s|$)|@\w+\s*$|<!--|\[(?!\^)[^\]]+\]:\s|!\[[^\]]*\]\([^)]*\)\s*$|"
    r"!\[\[[^\]]*\]\]\s*$|\{(?:\{[^{}]*\}|%[^{}]*%)\}\s*$|(?:</?[a-z][\w-]*(?:\s[^<>]*)?/?>\s*)+$|%%.*%%\s*$)"
)
_ADMONITION = re.compile(
    r"^\s*(?:(?P<sets_off>(?:>\s*)+\[![\w-]+(?:\|[^\]]*)?\][-+]?|:{3,}\s*(?:\{[^}]*\}|[a-z][\w-]*))|"
    r"(?:===[!+]?(?=\s+\")|(?:!!!|\?\?\?\+?)\s+[A-Za-z][a-z -]*:?(?=\s*(?:\"|$))))\s*\"?(?P<title>.*?)\"?\s*$"
)
"""What opens a note that is set off, and its title: of Obsidian and GitHub, of containers, and of MkDocs,
where the note itself is indented."""
_COMMENT_FENCE = re.compile(r"^\s*%%\s*$")
_FOOTNOTE = re.compile(r"^\s*\[\^[^\]\s]+\]:\s+(?=\S)")
_OF_CONTENTS = re.compile(r"^\s*(?:[-*+]|\d{1,3}\.)\s+\[[^\]]+\]\(#[^)\s]*\)\s*$")
_BULLETS = r"[-*+•●▪■◦‣]|\d{1,3}[.)]"
_CLAUSES = (
    r"\(?[a-z][.)]|\(\d{1,2}\)(?=\s+[^\W\d_A-ZÄÖÜÁÉÍÓÚÂÊÔÃÕÇ])|[*_]{1,2}[a-z]\)[*_]{1,2}|[IVXLC]{1,7} [-–—]"
)
_MONTH = rf"\d{{1,2}}\.\s+(?:{lexicon.either(lexicon.words('months', 'de'))})\b"
ITEM_MARK = re.compile(rf"(?!(?i:{_MONTH}))(?:{_BULLETS}|{_CLAUSES})\s+")
"""What stands before an item of a list."""
ITEM = re.compile(rf"^([\s>]*){ITEM_MARK.pattern}")
CLAUSE = re.compile(rf"\s*(?:{_CLAUSES})\s")
_TABLE_ROW = re.compile(r"^\s*\|.*\|\s*$|^[^\[\]<>$]+ \| .+")
_IN_TABLE = re.compile(r"\s*\||.* \|(?: |$)")
"""A line that is a row where others stand around it."""
_MOST_OF_GROUP = 80
"""A longer line without bars inside a table is a remark."""
_MOST_GROUP_LINES = 3
"""So many lines without bars may stand together inside a table."""
_DOCTEST = re.compile(r"^\s*(>>>|\$) ")
_BROKEN_FIELD = re.compile(FIELD.pattern.removesuffix("$") + r"(?<=  )$")
"""A field that ends with a line break of Markdown: the text below it is not a part of it."""

_OBJECT = re.compile(
    r"^\s*\.\.\s+(?:(?:c|py|js):)?(?:(?:async|abstract|class|static|coroutine)?(?:function|method)|class|data|"
    r"attribute|exception|decorator|(?:cmd)?option|envvar|opcode|describe|type|macro|member|property|var|"
    r"glossary)::[ \t]+(?=\S)"
)
_SAYING_DIRECTIVE = re.compile(
    r"^\s*\.\.\s+(?:(?=(?:versionadded|versionchanged|deprecated|deprecated-removed)::)|"
    r"(?:note|warning|tip|important|hint|caution|attention|danger|error|seealso)::[ \t]*(?=\S))"
)
_CODE_DIRECTIVE = re.compile(r"^\s*\.\.\s+(?:code|code-block|sourcecode|doctest|parsed-literal|testcode)::")
_SILENT_DIRECTIVE = re.compile(
    r"^\s*\.\.(?:\s+(?:index|image|figure|toctree|raw|math|productionlist|testsetup|testcleanup|moduleauthor|"
    r"sectionauthor|module|currentmodule|highlight|include|literalinclude|contents|only|meta)::|\s+[^:\s][^:]*$|\s*$)"
)
_CODE_LINE = re.compile(
    r"[{}]\s*$|(?:\w\(|[=\[\]{}<>\\$]|::|->).*;\s*$|"
    r"^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER)\b.*;\s*$|"
    r"^\s*(?:unsigned|int|char|float|bool|void|struct|var|let|const|using|return)\b[\w\s*&.:]*;\s*$|"
    r"^\s*(?:[$%] \S|>>>|import \w|from \S+ import |def \w|class \w+[(:]|return\b|#include|//|/\*|"
    r"[\w.\[\]'\"]+ \+?= \S|[\w.]+\(.*\)\s*$|git \w|[├└│])|\[(?=[^\]]*+\])[^\]]*? \| [^\]]*\]|\[-[\w=<>-]+\]"
)

_UNDERLINE = re.compile(r"^\s*([-=~^\"'`#*+.:_])\1{2,}\s*$")
_FIGURE = re.compile(r"\d[\d.-]*\d|#\d")
_LINK_TARGET = re.compile(r"\]\((?:[^()\s]|\([^()\s]*\))*\)")
"""Of a link: it makes a line longer than the others without being read."""

_BEGIN_ANEW = (_RULE, _HEADING, _MARKUP_LINE, FENCE, ITEM, _TABLE_ROW, _DOCTEST, _ADMONITION, _FOOTNOTE)
"""How lines begin that go on with no paragraph."""

_BOLD_LINE = re.compile(r"\s*(\*\*|__)(?!\s)[^*_\n]{1,80}\1:?\s*")
"""A line in bold above others of its paragraph is a name of its own: "**Dough**"."""

_FEW_WORDS = 3
_DELIBERATE_SHARE = 0.6
"""Of a paragraph's line breaks, so many must be too early for wrapped text, for its lines to be a list."""

_HARD_BREAK = ("  ", "\\")
"""At the end of a line, in Markdown: the next one is not the same sentence."""
_LINE_ENDS_SENTENCE = re.compile(r"[.!?…][\"”’)\]*_`]*\s*$")
_SENTENCE_A_LINE = 0.6
"""So many lines of a paragraph that has a sentence a line end one."""
_WRAPPED_SHARE = 0.4
_WRAPPED_FROM = 40
"""Lines of so many characters that go on in lower case are wrapped text, where more than this share do."""

TERM_CHARACTERS = 80
_AMOUNT = re.compile(r"[\W\d_]*(?P<unit>[^\W\d_]+)?\.?")
STOPS = (".", "!", "?", "。", ",", ";")
_GO_ON = (".", ",", ";")
"""What no heading ends with."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A range of a text. Kinds: prose, item, row, code, head (of a table), field (`Date: 2017-06-30`, or a
    word that is all that stands under a heading), term (what the next passage defines: a function's
    signature, an option, a glossary entry), or heading (with a figure). `cells` are those of a `Unit` of a
    row."""

    start: int
    end: int
    kind: str
    cells: tuple[tuple[str, str], ...] = ()


def passages(text: str, head: str = "") -> Iterator[Passage]:
    """The passages of a text in order; `head` names the columns of the table with which it begins, and in
    its second line may stand what the first row is of."""
    lines = _Lines(text)
    index = _below_front_matter(text)
    literal_from: int | None = None
    while index < len(lines):
        line = lines[index]
        if _is_blank(line):
            head = ""
            index += 1
            continue
        if _COMMENT_FENCE.match(line):
            index = lines.after_comment(index)
            continue
        if literal_from is not None and lines.indent(index) > literal_from and not opened_fence(line):
            stop = lines.block_end(index, lines.indent(index))
            yield lines.passage(index, stop - 1, "code")
            index, literal_from = stop, None
            continue
        literal_from = None
        passages, index = _block(lines, index, head)
        yield from passages
        if any(passage.kind == "row" for passage in passages):
            head = ""
        if (passages and passages[-1].kind not in ("code", "row")) or line.strip() == "::":
            literal_from = lines.opens_literal(index - 1)


def _below_front_matter(text: str) -> int:
    """The line below a block of front matter; of most texts the first."""
    return front_matter_end(text.split("\n")) if text.startswith(FENCES) else 0


def headings_with_figures(text: str) -> Iterator[Passage]:
    """The headings of a text that state something, such as a version with its day."""
    lines = _Lines(text)
    for index in range(_below_front_matter(text), len(lines)):
        if lines.is_heading(index) and _FIGURE.search(lines[index]):
            mark = _HEADING.match(lines[index])
            yield lines.passage(index, index, "heading", mark.end() if mark else 0)


class _Lines:
    """The lines of a text by number."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._spans: list[tuple[int, int]] = []
        start = 0
        for line in text.split("\n"):
            self._spans.append((start, start + len(line.rstrip("\r"))))
            start += len(line) + 1

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
        return bool(_HEADING.match(self[index])) or self._is_underlined(index)

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
        closing = (after for after in range(index + 1, len(self)) if _COMMENT_FENCE.match(self[after]))
        return next(closing, index) + 1

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
        return Passage(self._spans[first][0] + skip, self._spans[last][1], kind)

    def opens_literal(self, index: int) -> int | None:
        """The indent over which the next block is code: after `::`, and after `:` before four spaces."""
        line = self[index].rstrip()
        if line.endswith("::"):
            return self.indent(index)
        following = next((self[after] for after in range(index + 1, len(self)) if self[after].strip()), "")
        if not line.endswith(":") or ITEM.match(following):
            return None
        return max(self.indent(index) + 3, 3)


def _block(lines: _Lines, index: int, head: str) -> tuple[list[Passage], int]:
    """The passages that begin at a line that is not blank, and the line after them."""
    line = lines[index]
    if match := _OBJECT.match(line):
        return [lines.passage(index, index, "term", match.end())], index + 1
    if match := _SAYING_DIRECTIVE.match(line) or _FOOTNOTE.match(line):
        last = _paragraph_end(lines, index)
        return [lines.passage(index, last, "prose", match.end())], last + 1
    if line.lstrip().startswith(".."):
        return _directive(lines, index)
    if marks := opened_fence(line):
        return _fenced(lines, index, marks)
    if _RULE.match(line) or _HEADING.match(line) or _MARKUP_LINE.match(line) or index in lines.of_contents:
        return [], index + 1
    if (match := _ADMONITION.match(line)) and (match["sets_off"] or lines.is_indented(index + 1)):
        # Its title names what it says.
        title = lines.passage(index, index, "term", match.start("title"))
        named = [replace(title, end=title.start + len(match["title"]))] if match["title"] else []
        return named, index + 1
    if lines.is_heading(index):
        return [], index + 2
    if _TABLE_ROW.match(line) or (head and _IN_TABLE.match(line)):
        return _table(lines, index, head)
    if _DOCTEST.match(line):
        stop = index
        while stop < len(lines) and lines[stop].strip():
            stop += 1
        return [lines.passage(index, stop - 1, "code")], stop
    return _paragraph(lines, index)


@cache
def _contents_names() -> frozenset[str]:
    return frozenset(lexicon.phrases("contents headings"))


def _names_contents(heading: str) -> bool:
    return " ".join(re.findall(r"\w++", heading.lower())) in _contents_names()


def _table(lines: _Lines, index: int, head: str) -> tuple[list[Passage], int]:
    """Rows that stand under one another, each with the names of its columns; `head` is the row that names
    them where it stands before the text, and below it what the first row is of."""
    stop = _table_end(lines, index, is_sure=bool(head))
    rows = [number for number in range(index, stop) if not is_rule(lines[number])]
    cells = [cells_between_bars(lines[row]) for row in rows]
    names, _, of = head.partition("\n")
    columns = cells_between_bars(names) if "|" in names else []
    if columns:
        first, after = _repeated_head(cells, columns)
    else:
        marked = marked_head([lines[number] for number in range(index, stop)])
        first, after = 0, sum(row < index + marked for row in rows)
        # Below a head without words the first of two rows names what stands in the second: | 2-5 | 6-8 | 9 |.
        is_below_rule = index > 0 and is_rule(lines[index - 1])
        lies = is_below_rule and len(cells) == 2 and len(cells[0]) == len(cells[1]) > 2 and all(cells[0])
        after = after or int(lies or is_head(cells[0], cells[1:]))
        columns = joined_names(cells[:after])
    columns = [readable(name) for name in columns]
    width = max(len(columns), *map(len, cells))
    padded = [row + [""] * (width - len(row)) for row in cells]
    groups = [""] * after + groups_of(padded[after:])
    table: list[Passage] = []
    for number, (row, own, group) in enumerate(zip(rows, padded, groups, strict=True)):
        if first <= number < after:
            table.append(lines.passage(row, row, "head"))
        elif number < first or not any(own):
            table.append(lines.passage(row, row, "row"))
        elif len(cells[number]) == 1 and len(own[0]) > _MOST_OF_GROUP:
            table.append(lines.passage(row, row, "prose"))
        else:
            named = named_cells(columns, list(map(readable, own)), readable(group or of)) if columns else ()
            table.append(replace(lines.passage(row, row, "row"), cells=named))
    return table, stop


def _table_end(lines: _Lines, index: int, *, is_sure: bool) -> int:
    """The line after a table. Lines without bars belong to it where rows follow: they name groups of rows."""
    stop = after = index + 1
    while after < len(lines) and after - stop < _MOST_GROUP_LINES:
        line = lines[after]
        is_sure = is_sure or is_rule(line)
        if is_rule(line) or _IN_TABLE.match(line) or (is_sure and "|" in line):
            stop = after + 1
        elif not _goes_on(line):
            break
        after += 1
    return stop


def _repeated_head(cells: Sequence[Sequence[str]], columns: Sequence[str]) -> tuple[int, int]:
    """Where the rows of a head stand among those of its table, from the first to the row after the last."""
    first = next((number for number, row in enumerate(cells) if belongs_to_head(row, columns)), 0)
    after = first
    while after < len(cells) and belongs_to_head(cells[after], columns):
        after += 1
    return first, after


def _directive(lines: _Lines, index: int) -> tuple[list[Passage], int]:
    line = lines[index]
    body = index + 1
    while body < len(lines) and not lines[body].strip():
        body += 1
    stop = body
    if body < len(lines) and lines.indent(body) > lines.indent(index):
        stop = lines.block_end(body, lines.indent(index) + 1)
    if stop > body and _CODE_DIRECTIVE.match(line):
        while body < stop and (not lines[body].strip() or re.match(r"\s+:[\w-]+:", lines[body])):
            body += 1
        return ([lines.passage(body, stop - 1, "code")] if body < stop else []), stop
    return [], stop if stop > body and _SILENT_DIRECTIVE.match(line) else index + 1


def _fenced(lines: _Lines, index: int, marks: str) -> tuple[list[Passage], int]:
    closing = next((i for i in range(index + 1, len(lines)) if closes_fence(lines[i], marks)), None)
    last = len(lines) - 1 if closing is None else closing - 1
    passages = [lines.passage(index + 1, last, "code")] if last > index else []
    return passages, last + 1 if closing is None else closing + 1


def _paragraph_end(lines: _Lines, index: int) -> int:
    """The last line of the paragraph that begins at a line."""
    last = index
    while last + 1 < len(lines) and _goes_on(lines[last + 1]) and not _BROKEN_FIELD.match(lines[last]):
        last += 1
    return last


def _paragraph(lines: _Lines, index: int) -> tuple[list[Passage], int]:
    last = _paragraph_end(lines, index)
    if last > index and _BOLD_LINE.fullmatch(lines[index]):
        last = index
    mark = ITEM.match(lines[index])
    skip = mark.end() if mark else 0
    after = last + 1
    body = [lines[i] for i in range(index, after)]
    if not mark and 2 * sum(bool(_CODE_LINE.search(line)) for line in body) > len(body):
        return [lines.passage(index, last, "code")], after
    if not mark and are_fields(body):
        return [lines.passage(i, i, "field") for i in range(index, after)], after
    if not mark and len(body) > 2 and _broken_on_purpose(body):
        return [lines.passage(i, i, "item") for i in range(index, after)], after
    kind = "item" if mark else "term" if _is_term(body) else "prose"
    if kind == "term" and WORD.search(body[0]) and lines.is_all_of_section(index, last):
        kind = "field"
    return [lines.passage(index, last, kind, skip)], after


def _is_blank(line: str) -> bool:
    """Whether a line has nothing, or but the mark of a quotation."""
    return not line.strip().strip(">").strip()


def _goes_on(line: str) -> bool:
    """Whether a line continues the paragraph before it."""
    return not _is_blank(line) and not any(pattern.match(line) for pattern in _BEGIN_ANEW)


def _is_term(body: list[str]) -> bool:
    """Whether a paragraph is too short to state anything: the name of what follows."""
    joined = " ".join(body).rstrip(EMPHASIS)
    return (
        len(joined) <= TERM_CHARACTERS
        and not _is_amount(joined)
        and not joined.endswith((".", "!", "。", ","))
        and (len(WORD.findall(joined)) < _FEW_WORDS or joined.endswith(("::", ";;", "?")))
        and not (joined.endswith("?") and states_before_asking(joined))
    )


def _is_amount(text: str) -> bool:
    """Whether a text is a number, perhaps with its unit, or has no word at all: it names nothing."""
    amount = _AMOUNT.fullmatch(text.strip())
    if amount is None or not amount["unit"]:
        return amount is not None
    return any(map(str.isdigit, text)) and unit_named(amount["unit"]) is not None


def _is_sentence_by_sentence(body: list[str]) -> bool:
    """Whether a paragraph has each sentence on a line of its own, as is kind to version control."""
    ends = [bool(_LINE_ENDS_SENTENCE.search(line)) and not line.endswith(_HARD_BREAK) for line in body]
    return ends[-1] and sum(ends) >= _SENTENCE_A_LINE * len(ends)


def _broken_on_purpose(body: list[str]) -> bool:
    """Whether lines end where the next word would have fitted: then each line stands for itself."""
    if _is_sentence_by_sentence(body):
        return False
    body = [_LINK_TARGET.sub("]", line) for line in body]
    widest = max(len(line.rstrip()) for line in body)
    early = wrapped = 0
    for line, following in pairwise(body):
        end = line.rstrip()
        if line.endswith(_HARD_BREAK):
            early += 1
            continue
        fitted = len(end) + 1 + len(following.split()[0]) <= widest - 2
        early += fitted and not end.endswith((",", "-"))
        wrapped += len(end) >= _WRAPPED_FROM and end[-1].isalnum() and following.lstrip()[0].islower()
    breaks = len(body) - 1
    if early < _DELIBERATE_SHARE * breaks or wrapped > _WRAPPED_SHARE * breaks:
        return False
    return not any(re.search(r"[a-z]{2}[\])\"'»”’]*[.!?] +[A-Z]", line) for line in body)
