"""Cuts a draft answer into the claims that can be checked, each with the sources it cites (SPEC E2).

A claim is a sentence, a part of a compound sentence, a list item's sentence, a table row or a block of code.
Headings, questions, courtesies and the list of sources claim nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, pairwise
from textwrap import dedent
from typing import Any

from bob.answers.claims.clauses import parts
from bob.answers.claims.draft_blocks import Block, blocks_of, lines_of, markdown
from bob.answers.claims.lines_without_claims import lines_without_claims
from bob.answers.claims.no_claims import claims_nothing
from bob.text import lexicon
from bob.text.markup import EMPHASIS, ends_with_colon
from bob.text.negation import denies
from bob.text.sentences import sentence_ranges
from bob.text.tables import cells_between_bars, shown_cells

WARNING_SIGN = "⚠"
"""Opens the mark that `answers.redaction` puts after a claim; such a mark is no part of any claim's text."""

_CITATION = r"\[\^?\d{1,3}(?:\s*[,;–-]\s*\^?\d{1,3})*\](?![(:\w])"
_MARK = re.compile(rf"{_CITATION}|\[{WARNING_SIGN}[^\]\n]{{0,2000}}\]")
_COMMENT = re.compile(r"<!--[^<>]{0,2000}-->")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_LABELLED_LINE = re.compile(r"^\s*\[\^?\d{1,3}\]:")
_SOURCES = re.compile(
    rf"^[\s#*_]*(?:{lexicon.any_of('source headings')})\s*+[*_]*+\s*+:?[\s*_]*+(?=$|\[\^?\d|- )",
    re.IGNORECASE,
)
_ALERT = re.compile(r"^\[![A-Za-z]+\]$")
_TASK_BOX = re.compile(r"\[[ xX]\]\s+")
_WORD = re.compile(r"[^\W_]")
_STARTS_BLOCK = re.compile(
    r"[-+*](?:\s|$)|#{1,6}(?:\s|$)|[>|<=]|\d{1,9}[.)](?:\s|$)|([-*_`~])\1\1|:-|\[[^\]]*\]:"
)
_BLANK_BEFORE_STOP = re.compile(r"\s+(?=[.,;:!?](?:\s|$))")
_GOES_ON = (",", ";", ":", "-", "–", "—", "(", "/", "&", "+")
"""A line that ends so goes on in the next."""
_MARKUP = re.compile(r"[*_`\[\]<>~\\!&]")


@dataclass(frozen=True, slots=True)
class ClaimSpan:
    """What a draft claims at `start` to `end`, the range that goes when the claim is removed.

    `text` is what to check: without citation marks, on one line unless it is code. `citations` are the
    numbers of the sources cited for it. Kinds: prose, item, row, quote, code.
    """

    start: int
    end: int
    text: str
    citations: tuple[int, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, row or block of code of a draft with the claims it makes, none if it claims nothing."""

    start: int
    end: int
    claims: tuple[ClaimSpan, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """A draft in Markdown with its blocks, each with its statements in order."""

    draft: str
    blocks: list[tuple[Block, list[Statement]]]

    @property
    def claims(self) -> list[ClaimSpan]:
        """The claims of the draft, in order; their ranges do not overlap."""
        return [claim for _, each in self.blocks for statement in each for claim in statement.claims]


def claims_of(draft: str, *, is_document: bool = False) -> list[ClaimSpan]:
    """The claims of a draft; see `outline`."""
    return outline(draft, is_document=is_document).claims


def outline(draft: str, *, is_document: bool = False) -> Outline:
    """The draft with its blocks and their statements. What frames the text of somebody's document, a mail or
    minutes, claims nothing; what a language model wrote is all checked."""
    outlined: list[tuple[Block, list[Statement]]] = []
    blocks, environment = blocks_of(draft)
    framing = _framing_lines(draft, blocks) if is_document else frozenset[int]()
    columns: list[str] = []
    opener = ""
    for block, listed in _with_lists_of_sources(draft, blocks):
        if block.kind == "head":
            columns = _cells(_Text(draft, block, environment).masked())
        statements: list[Statement] = []
        if not listed and block.kind in ("paragraph", "row", "code"):
            for part in _parts_without(block, framing):
                text = _Text(draft, part, environment, is_document=is_document)
                if text.kind != "item":
                    opener = _denying_opener(text.masked())
                made = text.statements(columns)
                statements += (_behind(opener, statement) for statement in made) if opener else made
        outlined.append((block, statements))
    return Outline(draft, outlined)


def _denying_opener(text: str) -> str:
    """The sentence that opens a list and denies its items, "Not covered:", without the colon; "" for any
    other text, also where only a sentence before that denies something."""
    read = _read(text)
    if not ends_with_colon(read):
        return ""
    start, end = max(sentence_ranges(read), default=(0, len(read)))
    opener = read[start:end].strip().rstrip(f"{EMPHASIS}:")
    return opener if denies(opener) else ""


def _behind(opener: str, statement: Statement) -> Statement:
    """A statement of an item, which alone would say the opposite, behind what opens its list."""
    claims = (
        replace(claim, text=f"{opener}: {claim.text}") if claim.kind == "item" else claim
        for claim in statement.claims
    )
    return replace(statement, claims=tuple(claims))


def _framing_lines(draft: str, blocks: Sequence[Block]) -> frozenset[int]:
    """The lines of a document that claim nothing."""
    code = {line for block in blocks if block.kind == "code" for line in range(block.first, block.stop)}
    lines = (draft[start:end] for start, end in lines_of(draft))
    return lines_without_claims(
        ["" if number in code else _MARK.sub("", line) for number, line in enumerate(lines)]
    )


def _parts_without(block: Block, lines: Collection[int]) -> Iterator[Block]:
    """A paragraph cut where it has one of these lines; any other block as it is."""
    if block.kind != "paragraph" or not lines:
        yield block
        return
    numbered = enumerate(block.segments, block.first)
    for is_left_out, part in groupby(numbered, lambda segment: segment[0] in lines):
        if not is_left_out:
            yield replace(block, segments=tuple(segment for _, segment in part))


def _cells(row: str) -> list[str]:
    """The cells of a row of a table without its outer bars, as they are read."""
    return [_read(cell) for cell in cells_between_bars(f"|{row}|")]


def marks_of(draft: str) -> list[tuple[int, int]]:
    """The ranges of all citation marks and warning marks of a draft, in order, wherever they stand."""
    blocks, environment = blocks_of(draft)
    read = [_Text(draft, block, environment) for block in blocks if block.kind not in ("code", "other")]
    return [mark for text in read for mark in text.marks()]


def lists_of_sources(draft: str, blocks: Sequence[Block]) -> list[Block]:
    """Those of a draft's blocks in which it lists its sources, headings of such lists included."""
    return [block for block, listed in _with_lists_of_sources(draft, blocks) if listed]


def _with_lists_of_sources(draft: str, blocks: Sequence[Block]) -> Iterator[tuple[Block, bool]]:
    """The blocks, each with whether it belongs to a list of sources."""
    sources_level: int | None = None
    for block in blocks:
        shown = " ".join(draft[start:end] for start, end in block.segments)
        if block.kind == "heading" and (sources_level is None or block.level <= sources_level):
            sources_level = block.level if _SOURCES.match(shown) else None
        elif block.kind == "paragraph" and not block.containers and _SOURCES.match(shown):
            sources_level = 6
        yield block, sources_level is not None


class _Text:
    """A block's text in one string, and where each character of it stands in the draft."""

    def __init__(
        self, draft: str, block: Block, environment: dict[str, Any], *, is_document: bool = False
    ) -> None:
        segments = [(start, end) for start, end in block.segments if not _ALERT.match(draft[start:end])]
        if segments and (box := _TASK_BOX.match(draft, *segments[0])):
            segments[0] = (box.end(), segments[0][1])
        self.block, self.draft, self.environment = block, draft, environment
        self.is_document = is_document
        self.text = "\n".join(draft[start:end] for start, end in segments)
        self._places: list[int] = [
            position for start, end in segments for position in (*range(start, end), end)
        ]
        quoted = any(container.kind == "quote" for container in block.containers)
        listed = any(container.kind == "item" for container in block.containers)
        self.kind = (
            block.kind if block.kind != "paragraph" else "quote" if quoted else "item" if listed else "prose"
        )

    def marks(self) -> Iterator[tuple[int, int]]:
        """The ranges of the marks in the draft."""
        for start, end, _ in _masked(self.text)[1]:
            yield self._at(start), self._end(end)

    def masked(self) -> str:
        """The text with blanks for its marks."""
        return _masked(self.text)[0]

    def statements(self, columns: Sequence[str] = ()) -> Iterator[Statement]:
        """The statements of the block in order; those of a row name the columns of its table."""
        if not self.text.strip():
            return
        if self.kind == "code":
            yield self._one(0, len(self.text), dedent(self.text), ())
            return
        if all(_LABELLED_LINE.match(line) for line in self.text.split("\n")):
            return
        masked, marks = _masked(self.text)
        if self.kind == "row":
            cells = _cells(masked)
            names = columns if len(columns) == len(cells) else [""] * len(cells)
            reading = shown_cells(list(zip(names, cells, strict=True)))
            numbers = tuple(dict.fromkeys(n for _, _, cited in marks for n in cited))
            if any(map(_WORD.search, cells)):
                yield self._one(0, len(self.text), reading, numbers)
            return
        for start, end in self._sentences(masked):
            yield self._statement(masked, marks, start, end)

    def _one(self, start: int, end: int, text: str, citations: tuple[int, ...]) -> Statement:
        claim = ClaimSpan(self._at(start), self._end(end), text, citations, self.kind)
        return Statement(claim.start, claim.end, (claim,))

    def _at(self, position: int) -> int:
        return self._places[position]

    def _end(self, position: int) -> int:
        return self._places[position - 1] + 1

    def _sentences(self, masked: str) -> list[tuple[int, int]]:
        """Sentences with the marks that follow them; cut only where no emphasis, link or code is open."""
        starts = [0]
        begun = {last - len(masked[first:last].lstrip()) for first, last in sentence_ranges(masked)}
        if self.is_document:
            begun.update(_own_lines(masked))
        for begin in sorted(begun):
            if begin > starts[-1] and masked[starts[-1] : begin].strip() and begin < len(masked):
                starts.append(begin)
        starts = [start for start in starts if not start or not _STARTS_BLOCK.match(self.text, start)]
        starts = self._safe(0, len(self.text), starts)
        ends = [*starts[1:], len(self.text)]
        return [
            (start, start + len(self.text[start:end].rstrip()))
            for start, end in zip(starts, ends, strict=True)
            if self.text[start:end].strip()
        ]

    def _safe(self, first: int, last: int, starts: list[int]) -> list[int]:
        """Those of the cuts on whose both sides the Markdown means what it means in the whole."""
        if len(starts) == 1 or not _MARKUP.search(self.text, first, last):
            return starts
        whole = self._shape(first, last)
        bounds = [*starts, last]
        pieces = [self._shape(a, b) for a, b in pairwise(bounds)]
        if list(chain.from_iterable(pieces)) == whole:
            return starts
        return [starts[0]] + [
            start for start in starts[1:] if self._shape(first, start) + self._shape(start, last) == whole
        ]

    def _shape(self, start: int, end: int) -> list[tuple[object, ...]]:
        tokens = markdown().parseInline(self.text[start:end].strip(), self.environment)[0].children or []
        return [
            (token.type, token.markup, tuple(token.attrs.items()), token.content)
            for token in tokens
            if token.type not in ("text", "softbreak", "hardbreak")
        ]

    def _statement(
        self, masked: str, marks: Sequence[tuple[int, int, tuple[int, ...]]], start: int, end: int
    ) -> Statement:
        reading = _read(masked[start:end])
        if claims_nothing(reading, listed=self.kind == "item", is_document=self.is_document):
            return Statement(self._at(start), self._end(end), ())
        ranges = self._parts(masked, start, end)
        cited: list[tuple[int, ...]] = []
        for index, (first, _) in enumerate(ranges):
            stop = ranges[index + 1][0] if index + 1 < len(ranges) else end
            numbers = (n for begin, _, own in marks if first <= begin < stop for n in own)
            cited.append(tuple(dict.fromkeys(numbers)))
        claims = tuple(
            ClaimSpan(
                self._at(first), self._end(last), _read(masked[first:last]), own or cited[-1], self.kind
            )
            for (first, last), own in zip(ranges, cited, strict=True)
        )
        return Statement(self._at(start), self._end(end), claims)

    def _parts(self, masked: str, start: int, end: int) -> list[tuple[int, int]]:
        ranges = [(start + first, start + last) for first, last in parts(masked[start:end].replace("*", " "))]
        if len(ranges) > 1:
            safe = self._safe(start, end, [first for first, _ in ranges])
            if len(safe) != len(ranges):
                return [(start, end)]
        return [(first, first + len(self.text[first:last].rstrip())) for first, last in ranges]


def _own_lines(text: str) -> Iterator[int]:
    """Where lines begin that were not broken for their length: in notes a line says something of its own. The
    first word of such a line would have had room on the line before, as wide as the widest."""
    lines = text.split("\n")
    widest = max(map(len, lines))
    is_small = not any(line[:1].isupper() for line in lines)
    breaks = list(pairwise(lines))
    room = [
        len(line) + 1 + len(following.split()[0]) <= widest for line, following in breaks if following.split()
    ]
    if 2 * sum(room) < len(breaks):
        return
    start = 0
    for line, following in breaks:
        start += len(line) + 1
        if not line.rstrip().endswith(_GOES_ON) and (is_small or not following[:1].islower()):
            yield start


def _masked(text: str) -> tuple[str, list[tuple[int, int, tuple[int, ...]]]]:
    """The text with blanks for citation marks and comments, and the marks: range and numbers."""
    code = TakenRanges(len(text), (span.span() for span in _CODE_SPAN.finditer(text)))
    marks: list[tuple[int, int, tuple[int, ...]]] = []
    masked: list[str] = []
    reached = 0
    for mark in _MARK.finditer(text):
        start, end = mark.span()
        linked = start and text[start - 1] in "]\\!" and not (marks and marks[-1][1] == start)
        if linked or code.meets(start, start + 1):
            continue
        marks.append((start, end, _numbers(mark[0])))
        masked += (text[reached:start], " " * (end - start))
        reached = end
    return _COMMENT.sub(_blank, "".join((*masked, text[reached:]))), marks


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _numbers(mark: str) -> tuple[int, ...]:
    if WARNING_SIGN in mark:
        return ()
    positions: list[int] = []
    for first, last in re.findall(r"(\d+)(?:\s*[–-]\s*\^?(\d+))?", mark):
        positions += range(int(first), int(last or first) + 1) or (int(first), int(last))
    return tuple(positions)


def _read(masked: str) -> str:
    """A claim on one line; where a mark was, no blank stays before the punctuation."""
    return _BLANK_BEFORE_STOP.sub("", " ".join(masked.split()))


class TakenRanges:
    """The characters of a text that some range has. Looking takes as long as the range that is looked at."""

    def __init__(self, length: int, ranges: Iterable[tuple[int, int]] = ()) -> None:
        self._taken = bytearray(length)
        for start, end in ranges:
            self.add(start, end)

    def add(self, start: int, end: int) -> None:
        """Take the range (end excluded)."""
        self._taken[start:end] = b"\1" * (end - start)

    def meets(self, start: int, end: int) -> bool:
        """Whether a character of the range is taken."""
        return self._taken.find(1, start, end) >= 0
