"""Cuts a draft answer into the claims that can be checked, each with the sources it cites (SPEC E2).

A claim is a sentence, a part of a compound sentence, a list item's sentence, a table row or a block of code.
Headings, questions, courtesies and the list of sources claim nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from textwrap import dedent
from typing import Any

from bob.answers.compound_sentences import parts
from bob.answers.draft_blocks import Block, blocks_of, markdown
from bob.answers.non_claims import claims_nothing
from bob.answers.ranges import TakenRanges
from bob.text.sentences import sentence_ranges

WARNING_SIGN = "⚠"
"""Opens the mark that `answers.redaction` puts after a claim; such a mark is no part of any claim's text."""

_CITATION = r"\[\^?\d{1,3}(?:\s*[,;–-]\s*\^?\d{1,3})*\](?![(:\w])"
_MARK = re.compile(rf"{_CITATION}|\[{WARNING_SIGN}[^\]\n]{{0,2000}}\]")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_LABELLED_LINE = re.compile(r"^\s*\[\^?\d{1,3}\]:")
_SOURCES = re.compile(
    r"^[\s#*_]*(?:sources?(?: used| cited)?|references?|citations?|footnotes?|fontes?|referências|quellen|"
    r"références|fuentes|referencias)\s*+[*_]*+\s*+:?[\s*_]*+(?=$|\[\^?\d|- )",
    re.IGNORECASE,
)
_ALERT = re.compile(r"^\[![A-Za-z]+\]$")
_TASK_BOX = re.compile(r"\[[ xX]\]\s+")
_WORD = re.compile(r"[^\W_]")
_STARTS_BLOCK = re.compile(
    r"[-+*](?:\s|$)|#{1,6}(?:\s|$)|[>|<=]|\d{1,9}[.)](?:\s|$)|([-*_`~])\1\1|:-|\[[^\]]*\]:"
)
_BLANK_BEFORE_STOP = re.compile(r"\s+(?=[.,;:!?](?:\s|$))")
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


def claims_of(draft: str) -> list[ClaimSpan]:
    """The claims of a draft in Markdown, in order; their ranges do not overlap."""
    return [claim for _, said in outline(draft) for statement in said for claim in statement.claims]


def outline(draft: str) -> list[tuple[Block, list[Statement]]]:
    """The blocks of a draft, each with its statements in order."""
    found: list[tuple[Block, list[Statement]]] = []
    blocks, environment = blocks_of(draft)
    for block, listed in _with_lists_of_sources(draft, blocks):
        claims = not listed and block.kind in ("paragraph", "row", "code")
        found.append((block, list(_Text(draft, block, environment).statements()) if claims else []))
    return found


def marks_of(draft: str) -> list[tuple[int, int]]:
    """The ranges of all citation marks and warning marks of a draft, in order, wherever they stand."""
    blocks, environment = blocks_of(draft)
    read = [_Text(draft, block, environment) for block in blocks if block.kind not in ("code", "other")]
    return [each for text in read for each in text.marks()]


def lists_of_sources(draft: str) -> list[Block]:
    """The blocks in which a draft lists its sources, headings of such lists included."""
    blocks, _ = blocks_of(draft)
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

    def __init__(self, draft: str, block: Block, environment: dict[str, Any]) -> None:
        segments = [(start, end) for start, end in block.segments if not _ALERT.match(draft[start:end])]
        if segments and (box := _TASK_BOX.match(draft, *segments[0])):
            segments[0] = (box.end(), segments[0][1])
        self.block, self.draft, self.environment = block, draft, environment
        self.text = "\n".join(draft[start:end] for start, end in segments)
        self._places: list[int] = [at for start, end in segments for at in (*range(start, end), end)]
        quoted = any(each.kind == "quote" for each in block.containers)
        listed = any(each.kind == "item" for each in block.containers)
        self.kind = (
            block.kind if block.kind != "paragraph" else "quote" if quoted else "item" if listed else "prose"
        )

    def marks(self) -> Iterator[tuple[int, int]]:
        """The ranges of the marks in the draft."""
        for start, end, _ in _masked(self.text)[1]:
            yield self._at(start), self._end(end)

    def statements(self) -> Iterator[Statement]:
        """The statements of the block in order."""
        if not self.text.strip():
            return
        if self.kind == "code":
            yield self._one(0, len(self.text), dedent(self.text), ())
            return
        if all(_LABELLED_LINE.match(line) for line in self.text.split("\n")):
            return
        masked, marks = _masked(self.text)
        if self.kind == "row":
            said = _read(masked)
            numbers = tuple(dict.fromkeys(n for _, _, cited in marks for n in cited))
            if _WORD.search(said):
                yield self._one(0, len(self.text), said, numbers)
            return
        for start, end in self._sentences(masked):
            yield self._statement(masked, marks, start, end)

    def _one(self, start: int, end: int, text: str, citations: tuple[int, ...]) -> Statement:
        claim = ClaimSpan(self._at(start), self._end(end), text, citations, self.kind)
        return Statement(claim.start, claim.end, (claim,))

    def _at(self, place: int) -> int:
        return self._places[place]

    def _end(self, place: int) -> int:
        return self._places[place - 1] + 1

    def _sentences(self, masked: str) -> list[tuple[int, int]]:
        """Sentences with the marks that follow them; cut only where no emphasis, link or code is open."""
        starts = [0]
        for first, last in sentence_ranges(masked):
            begin = last - len(masked[first:last].lstrip())
            if begin > starts[-1] and masked[starts[-1] : begin].strip() and begin < len(masked):
                starts.append(begin)
        starts = [at for at in starts if not at or not _STARTS_BLOCK.match(self.text, at)]
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
            at for at in starts[1:] if self._shape(first, at) + self._shape(at, last) == whole
        ]

    def _shape(self, start: int, end: int) -> list[tuple[object, ...]]:
        tokens = markdown().parseInline(self.text[start:end].strip(), self.environment)[0].children or []
        return [
            (each.type, each.markup, tuple(each.attrs.items()), each.content)
            for each in tokens
            if each.type not in ("text", "softbreak", "hardbreak")
        ]

    def _statement(
        self, masked: str, marks: Sequence[tuple[int, int, tuple[int, ...]]], start: int, end: int
    ) -> Statement:
        said = _read(masked[start:end])
        if claims_nothing(said, listed=self.kind == "item"):
            return Statement(self._at(start), self._end(end), ())
        ranges = self._parts(masked, start, end)
        cited: list[tuple[int, ...]] = []
        for at, (first, _) in enumerate(ranges):
            stop = ranges[at + 1][0] if at + 1 < len(ranges) else end
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


def _masked(text: str) -> tuple[str, list[tuple[int, int, tuple[int, ...]]]]:
    """The text with blanks for citation marks, and the marks: range and numbers."""
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
    return "".join((*masked, text[reached:])), marks


def _numbers(mark: str) -> tuple[int, ...]:
    if WARNING_SIGN in mark:
        return ()
    found: list[int] = []
    for first, last in re.findall(r"(\d+)(?:\s*[–-]\s*\^?(\d+))?", mark):
        found += range(int(first), int(last or first) + 1) or (int(first), int(last))
    return tuple(found)


def _read(masked: str) -> str:
    """A claim on one line; where a mark was, no blank stays before the punctuation."""
    return _BLANK_BEFORE_STOP.sub("", " ".join(masked.split()))
