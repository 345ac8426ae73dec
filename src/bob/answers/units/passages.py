"""Cuts a chunk's text into passages by its line structure: Markdown, reStructuredText, AsciiDoc, plain text.

A passage is a paragraph, one list item, one table row, one block of code. Headings, rules, labels and
directives that show nothing give none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from bob.answers.units.stated_fields import FIELD, are_fields
from bob.answers.units.table_passages import IN_TABLE, rows_at
from bob.answers.units.text_lines import (
    ADMONITION,
    COMMENT_FENCE,
    DOCTEST,
    FOOTNOTE,
    HEADING,
    ITEM,
    MARKUP_LINE,
    RULE,
    TABLE_ROW,
    WORD,
    Lines,
    Passage,
    goes_on,
    is_blank,
)
from bob.text.fields import FENCES, front_matter_end
from bob.text.markup import EMPHASIS, closes_fence, ends_with_colon, may_name_section, opened_fence
from bob.text.sentences import states_before_asking
from bob.text.units import unit_named

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

_WORDS_OF_SENTENCE = 8
"""A heading of so many words says more than what stands below it is about."""
_FIGURE = re.compile(r"\d[\d.-]*\d|#\d")
_LINK_TARGET = re.compile(r"\]\((?:[^()\s]|\([^()\s]*\))*\)")
"""Of a link: it makes a line longer than the others without being read."""

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


def passages(text: str, head: str = "") -> Iterator[Passage]:
    """The passages of a text in order; `head` names the columns of the table with which it begins, and in
    its second line may stand what the first row is of."""
    lines = Lines(text)
    index = _below_front_matter(text)
    literal_from: int | None = None
    while index < len(lines):
        line = lines[index]
        if is_blank(line):
            head = ""
            index += 1
            continue
        if COMMENT_FENCE.match(line):
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


def stating_headings(text: str) -> Iterator[Passage]:
    """The headings of a text that state something: a version with its day, or a whole sentence."""
    lines = Lines(text)
    for index in range(_below_front_matter(text), len(lines)):
        if lines.is_heading(index) and _states_something(lines[index]):
            mark = HEADING.match(lines[index])
            yield lines.passage(index, index, "heading", mark.end() if mark else 0)


def _states_something(heading: str) -> bool:
    """Whether a heading has a figure, or is as long as a sentence and asks or opens nothing."""
    is_long = len(WORD.findall(heading)) >= _WORDS_OF_SENTENCE
    return (is_long and not heading.rstrip().endswith(("?", ":"))) or _FIGURE.search(heading) is not None


def _block(lines: Lines, index: int, head: str) -> tuple[list[Passage], int]:
    """The passages that begin at a line that is not blank, and the line after them."""
    line = lines[index]
    if match := _OBJECT.match(line):
        return [lines.passage(index, index, "term", match.end())], index + 1
    if match := _SAYING_DIRECTIVE.match(line) or FOOTNOTE.match(line):
        last = _paragraph_end(lines, index)
        return [lines.passage(index, last, "prose", match.end())], last + 1
    if line.lstrip().startswith(".."):
        return _directive(lines, index)
    if marks := opened_fence(line):
        return _fenced(lines, index, marks)
    if RULE.match(line) or HEADING.match(line) or MARKUP_LINE.match(line) or index in lines.of_contents:
        return [], index + 1
    if (match := ADMONITION.match(line)) and (match["sets_off"] or lines.is_indented(index + 1)):
        # Its title names what it says.
        title = lines.passage(index, index, "term", match.start("title"))
        named = [replace(title, end=title.start + len(match["title"]))] if match["title"] else []
        return named, index + 1
    if lines.is_heading(index):
        return [], index + 2
    if TABLE_ROW.match(line) or (head and IN_TABLE.match(line)) or lines.opens_table(index):
        return rows_at(lines, index, head)
    if DOCTEST.match(line):
        stop = index
        while stop < len(lines) and lines[stop].strip():
            stop += 1
        return [lines.passage(index, stop - 1, "code")], stop
    return _paragraph(lines, index)


def _directive(lines: Lines, index: int) -> tuple[list[Passage], int]:
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


def _fenced(lines: Lines, index: int, marks: str) -> tuple[list[Passage], int]:
    closing = next((i for i in range(index + 1, len(lines)) if closes_fence(lines[i], marks)), None)
    last = len(lines) - 1 if closing is None else closing - 1
    passages = [lines.passage(index + 1, last, "code")] if last > index else []
    return passages, last + 1 if closing is None else closing + 1


def _paragraph_end(lines: Lines, index: int) -> int:
    """The last line of the paragraph that begins at a line."""
    last = index
    while last + 1 < len(lines) and goes_on(lines[last + 1]) and not lines.opens_table(last + 1):
        if _BROKEN_FIELD.match(lines[last]):
            break
        last += 1
    return last


def _paragraph(lines: Lines, index: int) -> tuple[list[Passage], int]:
    last = _paragraph_end(lines, index)
    if last > index and _BOLD_LINE.fullmatch(lines[index]):
        last = index
    mark = ITEM.match(lines[index])
    skip = mark.end() if mark else 0
    after = last + 1
    body = [lines.bare(i) for i in range(index, after)]
    if not mark and 2 * sum(bool(_CODE_LINE.search(line)) for line in body) > len(body):
        return [lines.passage(index, last, "code")], after
    if not mark and are_fields(body):
        return [lines.passage(i, i, "field") for i in range(index, after)], after
    if not mark and len(body) > 2 and _broken_on_purpose(body):
        return [lines.passage(i, i, "item") for i in range(index, after)], after
    is_name = not mark and _names_list(lines, index, last)
    kind = "item" if mark else "term" if is_name or _is_term(body) else "prose"
    if kind == "term" and WORD.search(body[0]) and lines.is_all_of_section(index, last):
        kind = "field"
    return [lines.passage(index, last, kind, skip)], after


def _names_list(lines: Lines, index: int, last: int) -> bool:
    """Whether a paragraph is a line all in bold that names the list below it; with a colon it opens that."""
    if index != last or not _BOLD_LINE.fullmatch(lines[index]) or ends_with_colon(lines[index]):
        return False
    below = next((lines[after] for after in range(last + 1, len(lines)) if lines[after].strip()), "")
    return bool(ITEM.match(below)) and may_name_section(lines[index].strip(EMPHASIS))


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
