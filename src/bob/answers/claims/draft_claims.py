"""Cuts a draft answer into the claims that can be checked, each with the sources it cites (SPEC E2).

A claim is a sentence, a part of a compound sentence, a list item's sentence, a table row or a block of code.
Headings, questions, courtesies and the list of sources claim nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from textwrap import dedent
from typing import Any

from bob.answers.claims.draft_blocks import Block, blocks_of, markdown
from bob.text import lexicon
from bob.text.sentences import sentence_ranges
from bob.text.tables import cells_between_bars, shown_cells

_EMPHASIS = re.compile(r"[*_`~]+")
_QUESTION = re.compile(r"\?[\"'”’)\]]*$")
_NON_CLAIMS_WORD = re.compile(r"[^\W_]{2,}|\d")

_REMARKS = r"""
    here they are\b|here(?: is|'s| are)\b(?=.*(?::$|\bi (?:found|know|have)|answer|summary|overview|list|
    steps?|what))|
    below (?:is|are)|the following\b(?=.*:$)|let me|let us|let's|
    i(?:'m| am) (?:not sure|not certain|sorry|unable|afraid|happy)|
    i(?:'ve| have)? (?:do not|don't|did not|didn't|cannot|can't|could not|couldn't|was unable|
    found(?!.*\bthat\b)|checked|looked|searched|hope|will|would|can)\b|i'(?:ll|d) |hope (?:this|that|it)|
    feel free|please (?:let|feel|ask|see below|tell)|do not hesitate|don't hesitate|
    if you (?:have|need|want|would like|'d like)\b.*(?:questions?|more (?:help|details?|information)|let me|
    ask|tell me|i can)|
    (?:based on|according to|from) (?:the|your|these|my) SOURCES[^.]*:$|
    (?:the|your|these) SOURCES(?: provided| given)? (?:do not|don't|does not|doesn't) (?:say|mention|contain|
    include|provide|specify|state|tell|cover|give|answer)|
    as an? (?:ai|assistant)\b|
    last (?:updated|modified|reviewed|edited|changed)\b.{0,3}:|zuletzt (?:aktualisiert|geändert)\b|
    última atualização\b|
    aqui (?:está|estão)|espero que|hier (?:ist|sind)\b.*:$|ich hoffe|voici\b|j'espère|aquí (?:está|están)
"""
_NON_CLAIMS_SOURCES = (
    r"(?:provided |given |available |retrieved )?"
    r"(?:sources?|documents?|notes?|context|information|files|excerpts?)"
)
_BEFORE_REMARK = r"(?:(?:so|and|but|also|unfortunately|however|sorry)(?:,? but)?,?\s+)?"


def _joined(lines: str) -> str:
    return re.sub(r"\n\s*", "", lines)


_COURTESY = re.compile(
    rf"(?:(?i:{lexicon.any_of('no claims')})|"
    rf"(?i:{lexicon.any_of('greetings')})(?:[\s,]+(?i:there|all|everyone|you|again|so much|a lot)(?!\w))*"
    r"(?:[\s,]+[^\W\d_a-z][\w.]*){0,4})\s*[.!:,]*$"
)
"""Perhaps with the names of who is greeted or greets."""
_REMARK = re.compile(
    _BEFORE_REMARK + f"(?:{_joined(_REMARKS).replace('SOURCES', _NON_CLAIMS_SOURCES)})", re.IGNORECASE
)
_INTRODUCES = re.compile(rf"\b(?:{lexicon.any_of('introducing')})\b", re.IGNORECASE)


def claims_nothing(sentence: str, *, listed: bool) -> bool:
    """Whether a sentence states nothing that could be true or false; `listed` when it is a list's item."""
    if _IMAGE.fullmatch(sentence.strip()) or _is_label(sentence.strip()):
        return True
    plain = _EMPHASIS.sub("", sentence).strip()
    if not _NON_CLAIMS_WORD.search(plain) or _QUESTION.search(plain):
        return True
    if _COURTESY.match(plain) or _REMARK.match(plain):
        return True
    return not listed and plain.endswith(":") and bool(_INTRODUCES.search(plain))


_VERBS = """
    accept add allow apply become begin belong block break bring build call cause change check clear
    close come compare compile compute connect contain control convert copy cost count cover create
    decide default define delete deliver depend deploy describe detect differ disable discard drop
    enable encrypt end enforce ensure execute exist expect expire expose fail fall fetch find finish fix
    flush follow force generate get give go grow handle happen help hold ignore import include increase
    index install invoke join keep launch lead leave let link list live load lock log lose make match
    mean measure merge migrate move need occur offer open override own pass pay perform play point
    prefer prevent print produce protect provide publish pull push put raise reach read receive
    recommend record reduce refer refuse reject release rely remain remove rename replace replicate
    report represent require reset resolve respond restart restore retain retry return rotate run save
    say scale search seem sell send serve set share show sit skip sleep sort specify split spend stand
    start stay stop store stream support survive switch sync take target tell terminate test throw track
    travel treat trigger try turn update upgrade use validate verify wait want warn weigh win work wrap
    write
"""
_IRREGULAR = """
    became began broke brought built came chose cost did fell found gave got grew had held hid kept knew
    laid led left lost made meant met paid put ran read rose said sat saw sent set shut sold spent stood
    spoke took taught told thought threw took understood was went were won wrote
"""
_AUXILIARIES = """
    is are was were has have had does do did can could will would may might must shall should cannot
    isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't can't couldn't won't wouldn't
    shouldn't
"""


def _forms(verb: str) -> tuple[str, ...]:
    ending = "es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else "s"
    third = f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else verb + ending
    past = (
        f"{verb[:-1]}ied" if re.search(r"[^aeiou]y$", verb) else verb + ("d" if verb.endswith("e") else "ed")
    )
    doubled = f"{verb}{verb[-1]}ed" if re.search(r"[^aeiou][aeiou][bdgklmnprt]$", verb) else past
    return verb, third, past, doubled


_FINITE = "|".join(
    sorted(
        {form for verb in _VERBS.split() for form in _forms(verb)}
        | {*_IRREGULAR.split(), *_AUXILIARIES.split()},
        key=lambda form: (-len(form), form),
    )
)
_OPENING = re.compile(
    r"(?:the|an?|this|that|these|those|its|their|his|her|our|your|each|every|all|no|some|many|most|both|other|"
    r"another|[A-Z][\w.-]*|[\w-]+s|[`*_\"'“]+\S+)(?=\s)",
)
_SUBJECT_AND_VERB = re.compile(
    r"(?:[^\s,;:]+\s+){1,6}?(?:(?:also|then|now|still|always|never|often|only|usually|therefore|[a-z]+ly)\s+)?"
    rf"(?:{_FINITE})\b(?!-)"
)
_HAS_VERB = re.compile(rf"\S\s+(?:\w+ly\s+)?(?:{_FINITE})\b(?!-)")
_PRONOUN = re.compile(
    r"(?:it|they|he|she|we|you|i|this|that|these|those|which|who|there|one|both|neither|either|so|then|"
    r"vice versa)\b(?!\s+\w+s?\s+(?:is|are|was|were|has|have)\b)",
    re.IGNORECASE,
)
_GOVERNING = re.compile(
    r"^\W*(?:if|when|whenever|while|although|though|because|since|unless|until|once|after|before|whether|both|"
    r"either|neither|not only|as|given|suppose|let)\b|"
    r"\b(?:that|whether|if|when|unless|because|how|why|who)\b",
    re.IGNORECASE,
)
_JOIN = re.compile(
    r",\s+(?:and|but|while|whereas|yet)\s+|;\s+(?:(?:and|but|however|therefore|moreover|meanwhile),?\s+)?"
)

_FEWEST_WORDS = 3


def parts(sentence: str) -> list[tuple[int, int]]:
    """The ranges of a sentence's parts in order: one, or several without the conjunctions between them."""
    parts, begin = [], 0
    for join in _JOIN.finditer(sentence):
        left, right = sentence[begin : join.start()], sentence[join.end() :]
        if join.start() > begin and _stands_alone(left) and _begins_clause(right) and _closed(left):
            parts.append((begin, join.start()))
            begin = join.end()
    return [*parts, (begin, len(sentence))]


def _stands_alone(left: str) -> bool:
    return (
        len(left.split()) >= _FEWEST_WORDS
        and bool(_HAS_VERB.search(left))
        and not _GOVERNING.search(left)
        and not left.rstrip().endswith(":")
    )


def _begins_clause(right: str) -> bool:
    return (
        len(right.split()) >= _FEWEST_WORDS
        and not _PRONOUN.match(right)
        and bool(_OPENING.match(right))
        and bool(_SUBJECT_AND_VERB.match(right))
    )


def _closed(left: str) -> bool:
    """Whether no bracket or quotation is open where the part ends."""
    return (
        left.count("(") == left.count(")")
        and left.count("[") == left.count("]")
        and left.count('"') % 2 == 0
        and left.count("“") == left.count("”")
        and left.count("`") % 2 == 0
    )


WARNING_SIGN = "⚠"
"""Opens the mark that `answers.redaction` puts after a claim; such a mark is no part of any claim's text."""

_IMAGE = re.compile(r"!\[[^\]]{0,500}\]\([^()]{0,500}\)")
_BOLD = re.compile(r"(\*\*|__)(?P<said>[^*_\d]{1,80})\1(?P<after>[.:]?)")
_LONGEST_LABEL, _LONGEST_TITLE = 5, 8
"""Words of a label ("**Fees.**", "On the day itself:"), and of a title in bold."""


def _is_label(sentence: str) -> bool:
    """Whether a sentence is only the name of what follows: a few words without figures or a verb."""
    bold = _BOLD.fullmatch(sentence)
    said = bold["said"] + bold["after"] if bold else sentence
    if not bold and (not said.endswith(":") or any(map(str.isdigit, said))):
        return False
    is_title = bold is not None and said[-1] not in ".!?:"
    words = len(said.split())
    return words <= (_LONGEST_TITLE if is_title else _LONGEST_LABEL) and not _HAS_VERB.search(f"- {said}")


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
    return [
        claim for _, statements in outline(draft) for statement in statements for claim in statement.claims
    ]


def outline(draft: str) -> list[tuple[Block, list[Statement]]]:
    """The blocks of a draft, each with its statements in order."""
    outlined: list[tuple[Block, list[Statement]]] = []
    blocks, environment = blocks_of(draft)
    columns: list[str] = []
    for block, listed in _with_lists_of_sources(draft, blocks):
        if block.kind == "head":
            columns = _cells(_Text(draft, block, environment).masked())
        claims = not listed and block.kind in ("paragraph", "row", "code")
        outlined.append((block, list(_Text(draft, block, environment).statements(columns)) if claims else []))
    return outlined


def _cells(row: str) -> list[str]:
    """The cells of a row of a table without its outer bars, as they are read."""
    return [_read(cell) for cell in cells_between_bars(f"|{row}|")]


def marks_of(draft: str) -> list[tuple[int, int]]:
    """The ranges of all citation marks and warning marks of a draft, in order, wherever they stand."""
    blocks, environment = blocks_of(draft)
    read = [_Text(draft, block, environment) for block in blocks if block.kind not in ("code", "other")]
    return [mark for text in read for mark in text.marks()]


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
        for first, last in sentence_ranges(masked):
            begin = last - len(masked[first:last].lstrip())
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
        if claims_nothing(reading, listed=self.kind == "item"):
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
