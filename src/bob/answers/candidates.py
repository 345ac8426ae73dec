"""Candidates: the units of found chunks, what each is worth, which are chosen, and how they are cited."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from textwrap import dedent

from bob.answers.units import ITEM_MARK, MOST_CHARACTERS, MOST_LISTED, Unit, leading_items
from bob.core.search import FoundChunk
from bob.text.markup import EMPHASIS

RULES = {"kind.term": -0.5, "kind.head": -0.5, "kind.clauses": -0.5, "decided": 0.1, "open_task": -0.1}
"""What only names what comes next is told with it; what decision records head as decided is rather told than
what was not, and what is than what is to be done."""

WEIGHTS = RULES | {
    "cosine": 0.22,
    "coverage": 0.10,
    "context": 0.21,
    "fit": 0.18,
    "heading": 0.12,
    "found": 0.11,
    "rank": 0.06,
    "without_numbers": -0.14,
    "without_names": -0.14,
    "undated": -0.08,
    "apart": -0.3,
    "opens": -0.04,
    "refers_back": -0.06,
    "asks": -0.3,
    "kind.field": -0.1,
    "kind.code": -0.04,
    "kind.list": 0.02,
    "kind.heading": 0.02,
}
"""How the signals of a unit weigh (`Candidate.signals`), those that speak for it 1 in all: fitted on
questions with the phrase that answers them (listwise logistic regression over the units of ten chunks)."""

READ_WEIGHTS = RULES | {
    "cosine": 0.087,
    "context": 0.049,
    "fit": 0.071,
    "found": 0.235,
    "rank": 0.051,
    "answers": 0.062,
    "nearness": 0.445,
    "without_numbers": -0.034,
    "without_names": -0.082,
    "undated": -0.1,
    "apart": -0.066,
    "opens": -0.043,
    "asks": -0.3,
    "kind.field": -0.1,
    "kind.item": -0.097,
    "kind.list": 0.021,
    "kind.row": 0.016,
    "kind.heading": 0.02,
}
"""How they weigh together with what a reader says, fitted in the same way by `tools/fit_answers.py`. How
much time, fields, headings and questions gain or lose are rules, where the documents have too few to tell."""

PROMISE_WEIGHTS = RULES | {
    "cosine": 0.304,
    "coverage": 0.078,
    "context": 0.249,
    "fit": 0.088,
    "heading": 0.045,
    "found": 0.189,
    "rank": 0.047,
    "without_numbers": -0.064,
    "without_names": -0.089,
    "undated": -0.026,
    "apart": -0.067,
    "opens": -0.075,
    "asks": -0.072,
    "kind.field": 0.019,
    "kind.item": -0.092,
    "kind.list": 0.031,
    "kind.row": 0.021,
    "kind.heading": -0.039,
}
"""How they weigh before any model has read them, to choose which are read: `cosine` is that of the chunk."""

KEEP_WITHIN = 0.75
"""A further unit must score at least this share of the best one."""

MOST_PICKS = 4
"""So many units are taken for their own sake; what they bring along does not count."""

_FAR, _NEAR = -12.0, 24.0
"""The margins between which a reader's score tells more than yes or no."""
_FLATTENED = 2.0
"""What the reader's margins were divided by in its training: they are differences of two logits."""

_LISTED = ("item", "row", "code")
_ONE_FACT = ("number", "time", "person", "place")
"""What is wanted of a question that one item of a list answers (`Question.kind`)."""

MOST_WORDS_OF_FACT = 60
"""An answer to such a question takes no further unit that would make it longer than so many words."""

_BEFORE_LIST = re.compile(rf"\s*\n\s*(?:{ITEM_MARK.pattern})")
_LEADS_ON = re.compile(rf"[^.!?…。][\w\]`]{_BEFORE_LIST.pattern}")
"""A sentence that ends without its stop, before a list."""
_LISTED_BELOW = ("reason", "way")
"""What is often told by a list below a sentence with a stop."""

_TO_CODE = re.compile(r"[^.!?…。]\s*\n\s*(?:```|~~~).*\n\s*")

_OPENS_WITHIN = 2

SAME_FROM = 0.6
"""Two units with this share of words in common (Jaccard) say the same; the better one is enough."""

_BACKWARD = re.compile(
    r"(?:It|This|That|These|Those|They|He|She|Such|Its|Their|Then|However|Therefore|Thus|Hence|Also|Otherwise|"
    r"Instead|Ele|Ela|Isso|Este|Esta|Portanto|Porém|Er|Sie|Dies|Diese[rs]?|Il|Elle|Ce|Cela)\b"
)
_DECISION = re.compile(
    r"(?:decision|decision outcome|proposal|resolution|decisão|entscheidung|décision)\W*$", re.I
)
_SELECTION_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit of a found chunk with its signals, each from 0 to 1.

    `order` is the chunk's place among the hits and `place` the unit's in its chunk, both from 0.
    `coverage` is the share of the question's words that the unit has, `context` the share that it has
    together with its headings and the term that it explains; `fit` says whether it has what the question
    wants, `heading` how far its heading is the question, `found` how well the search found its chunk;
    so does `thread` for a question that follows others, since all of them are searched for. `dated` is
    False where the chunk is of another time than the question asks for.
    `term` stands right before the unit and names what it is about. `cosine` is None for a unit that
    was not embedded: it is only brought along. `margin` is what a reader says of it
    (`bob.core.protocols.Reader`), None where none did. `missing` are the numbers, dates and names of the
    question that do not stand there (`Question.missing`), `times` the dates that do, in the question's words,
    `numbers` and `names` the shares of those that do.
    """

    chunk: FoundChunk
    unit: Unit
    order: int
    place: int
    cosine: float | None
    coverage: float
    context: float
    fit: float
    heading: float = 0.0
    found: float = 0.0
    term: Unit | None = None
    margin: float | None = None
    missing: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    numbers: float = 1.0
    names: float = 1.0
    thread: float = 1.0
    dated: bool = True

    @property
    def start(self) -> int:
        """Where the quote begins: with the term that stands right before the unit, if there is one."""
        return self.unit.start if self.term is None else self.term.start

    @property
    def quote(self) -> str:
        """The unit's text."""
        return self.chunk.text[self.unit.start : self.unit.end]

    @property
    def text(self) -> str:
        """The unit as a person reads it; code stays as it is."""
        if self.unit.items:
            return "; ".join(item.line for item in self.unit.items)
        text = _shifted(self.quote) if self.unit.kind == "code" else self.unit.line
        return after_term(text, self.term)

    @property
    def opens(self) -> bool:
        """Whether the unit introduces what stands after it."""
        if self.unit.kind not in ("prose", "item"):
            return self.unit.kind == "head"
        return self.quote.rstrip(EMPHASIS).endswith((":", "：", ",")) or (
            self.unit.kind == "prose" and _LEADS_ON.match(self.chunk.text, self.unit.end - 2) is not None
        )

    @property
    def nearness(self) -> float:
        """What the reader says, from 0 to 1: far below, where no passage answers, it still tells which is the
        nearest."""
        return 0.0 if self.margin is None else share_between(_FAR, _NEAR, self.margin)

    @property
    def signals(self) -> dict[str, float]:
        """What speaks for the unit and against it, each from 0 to 1, by the names of WEIGHTS."""
        headings = self.chunk.heading_path
        signals = {
            "cosine": max(self.cosine or 0.0, 0.0),
            "coverage": self.coverage,
            "context": self.context,
            "fit": self.fit,
            "heading": self.heading,
            "found": self.found,
            "rank": 1 / (1 + self.order),
            "without_numbers": 1 - self.numbers,
            "without_names": 1 - self.names,
            "undated": float(not self.dated),
            "apart": 1 - self.thread,
            "opens": float(self.opens),
            "refers_back": float(bool(self.place and _BACKWARD.match(self.quote))),
            "asks": float(self.quote.endswith("?")),
            "decided": float(bool(headings and _DECISION.match(headings[-1]))),
            "open_task": float(self.quote.startswith("[ ]")),
            f"kind.{self.unit.kind}": 1.0,
        }
        if self.margin is not None:
            signals["answers"] = 1 / (1 + math.exp(-max(self.margin, -60.0) / _FLATTENED))
            signals["nearness"] = self.nearness
        return signals

    @property
    def score(self) -> float:
        """How well the unit answers, between 0 and 1."""
        if self.cosine is None:
            return 0.0
        return min(max(self._weighed(WEIGHTS if self.margin is None else READ_WEIGHTS), 0.0), 1.0)

    @property
    def promise(self) -> float:
        """How well the unit may answer, by what is known before it is read: `cosine` is that of its chunk."""
        return self._weighed(PROMISE_WEIGHTS)

    def _weighed(self, weights: Mapping[str, float]) -> float:
        return sum(weights.get(name, 0.0) * value for name, value in self.signals.items())


def share_between(least: float, most: float, value: float) -> float:
    """How far a value is on the way from `least`, 0, to `most`, 1; what is beyond counts as that."""
    return (min(max(value, least), most) - least) / (most - least)


def after_term(text: str, term: Unit | None) -> str:
    """A text behind the term that it explains, or the question that it answers."""
    if term is None:
        return text
    return f"{term.line} {text}" if term.line.endswith("?") else f"{term.line.rstrip(':;')}: {text}"


def embedded_best_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that were embedded, the best first."""
    embedded = [candidate for candidate in candidates if candidate.cosine is not None]
    return [embedded[index] for index in best_first(embedded)]


def best_first(
    candidates: Sequence[Candidate], worth: Callable[[Candidate], float] = attrgetter("score")
) -> list[int]:
    """The places of the candidates in this sequence, the best first, by what each is worth."""
    worths = [worth(candidate) for candidate in candidates]
    return sorted(range(len(worths)), key=lambda index: (-worths[index], index))


def chosen(candidates: Sequence[Candidate], limit: int, kind: str = "") -> list[Candidate]:
    """At most `limit` candidates: the best, and others nearly as good that add something.

    A unit brings along what it needs to be understood: one that refers back ("It is …") the one before it,
    an item or a block of code the sentence that introduces it; and a unit that ends with a colon brings
    what it introduces. `kind` is what the question wants (`Question.kind`): a definition that is found is
    enough alone, and a way is told by the list or the code that follows. The result
    is ordered by the best unit of each chunk, and then as in the text.
    """
    ranked = sorted(
        (candidate for candidate in candidates if candidate.cosine is not None),
        key=lambda candidate: (-candidate.score, candidate.order, candidate.unit.start),
    )
    short = [
        candidate
        for candidate in ranked
        if len(candidate.text if candidate.unit.cells else candidate.quote) <= MOST_CHARACTERS
    ] or ranked[:1]
    places = by_place(candidates)
    opened_lists = {
        (candidate.chunk.chunk_id, candidate.place): candidate
        for candidate in candidates
        if candidate.unit.items
    }
    chosen_candidates: list[Candidate] = []
    picked = 0
    least = KEEP_WITHIN * short[0].score if short else 0.0
    for each in short:
        if chosen_candidates and (
            picked >= MOST_PICKS or len(chosen_candidates) >= limit or each.score < least
        ):
            break
        if any(overlap(each, other) or _says_the_same(each, other) for other in chosen_candidates):
            continue
        if each.numbers < short[0].numbers or each.names < short[0].names:
            # "When was PEP 20 created?": another's date must not be told beside it.
            continue
        if kind in _ONE_FACT and each.fit < short[0].fit:
            # "When is the hedge cut?": that it is cut by hand is no date.
            continue
        if each.unit.cells and short[0].unit.cells and each.coverage < short[0].coverage:
            # Each row of a table has all of its columns: "Which colour is the rope?" asks for one row.
            continue
        if chosen_candidates and kind in _ONE_FACT:
            told = (*chosen_candidates, each)
            if sum(len(candidate.text.split()) for candidate in told) > MOST_WORDS_OF_FACT:
                continue
        if each.unit.items and kind in _ONE_FACT and any(_answers_alone(item, each) for item in short):
            continue
        before = [other for other in needed_before(each, places) if other not in chosen_candidates]
        after = [other for other in _needed_after(each, places, kind) if other not in chosen_candidates]
        code = [other.unit.kind for other in (*chosen_candidates, each)].count("code")
        opener = each if each.opens else None
        if opener is None and kind not in _ONE_FACT and each.unit.kind == "item":
            # An item is told with the rest of its list where the sentence that opens it is as good.
            opener = next((other for other in before if other.opens and other.score >= least), None)
        opened = None if opener is None else opened_lists.get((each.chunk.chunk_id, opener.place + 1))
        items = [other for other in chosen_candidates if opened and overlap(opened, other)]
        if items and (kind in _ONE_FACT or any(other.unit.kind not in _LISTED for other in items)):
            opened = None
        room = max(limit - len(chosen_candidates) - 1, 0)
        before = before[-room:] if len(before) <= room and room else []
        after = _cut_off(after, room - len(before))
        if chosen_candidates and ((each.opens and not after and opened is None) or code > 1):
            continue
        if opened is not None:
            # A list that is told at all is told whole, however many sentences an answer may have.
            chosen_candidates = [other for other in chosen_candidates if other not in items]
            chosen_candidates += [*before, *([each] if each is opener else []), *_items(opened)]
        else:
            chosen_candidates += [*before, *_items(each), *after]
        picked += 1
        if kind == "definition" and each.fit == 1.0:
            break
    chosen_candidates += _code_behind(chosen_candidates, candidates)
    first: dict[int, int] = {}
    for index, each in enumerate(chosen_candidates):
        first.setdefault(each.chunk.chunk_id, index)
    return sorted(
        chosen_candidates, key=lambda candidate: (first[candidate.chunk.chunk_id], candidate.unit.start)
    )


def with_rest_of_lists(
    units: Sequence[Candidate], chunk_after: Callable[[FoundChunk], FoundChunk | None]
) -> list[Candidate]:
    """The units that are told, and behind a list that the end of its chunk cuts off, or the sentence that
    opens it, the items with which the next chunk begins."""
    whole: list[Candidate] = []
    for unit in units:
        before = whole[-1] if whole and whole[-1].chunk is unit.chunk else None
        follows = before is not None and (before.opens or before.unit.kind == "item")
        listed = unit.unit.kind == "item" and follows
        whole.append(unit)
        if not (listed or unit.opens) or unit.chunk.text[unit.unit.end :].strip():
            continue
        rest = chunk_after(unit.chunk)
        same = rest is not None and rest.heading_path == unit.chunk.heading_path
        if rest is not None and same and rest.written_by == unit.chunk.written_by:
            so_far = sum(other.chunk is unit.chunk and other.unit.kind == "item" for other in whole)
            items = [replace(unit, chunk=rest, unit=item) for item in leading_items(rest.text)]
            items = [item for item in items if not any(overlap(item, other) for other in units)]
            whole[-1:] = _cut_off([unit, *items], MOST_LISTED - so_far + 1)
    return whole


def _answers_alone(item: Candidate, whole: Candidate) -> bool:
    """Whether an item of a list is at least as good as the whole of it."""
    return not item.unit.items and overlap(item, whole) and item.score >= whole.score


def overlap(one: Candidate, other: Candidate) -> bool:
    """Whether two units have characters in common."""
    return (
        one.chunk.chunk_id == other.chunk.chunk_id
        and one.unit.start < other.unit.end
        and other.unit.start < one.unit.end
    )


def _items(candidate: Candidate) -> list[Candidate]:
    """A whole list item by item, the last of which says how many are left out; any other as it is."""
    items = candidate.unit.items
    if not items:
        return [candidate]
    last = replace(items[-1], more=candidate.unit.more)
    return [replace(candidate, unit=item) for item in (*items[:-1], last)]


def _cut_off(listed: list[Candidate], most: int) -> list[Candidate]:
    """So many of the units that one opens; the last item says how many are left out."""
    units = listed[: max(most, 0)]
    while units and units[-1].unit.kind == "head":
        units.pop()
    more = sum(unit.unit.kind in _LISTED and not unit.unit.follows for unit in listed[len(units) :])
    if units and more and units[-1].unit.kind in _LISTED:
        units[-1] = replace(units[-1], unit=replace(units[-1].unit, more=units[-1].unit.more + more))
    return units


def by_place(candidates: Sequence[Candidate]) -> dict[tuple[int, int], Candidate]:
    """The candidates by chunk and place, without what stands beside them, as whole lists and fields do."""
    return {
        (candidate.chunk.chunk_id, candidate.place): candidate
        for candidate in candidates
        if candidate.unit.kind not in ("list", "clauses", "heading", "field")
    }


def needed_before(unit: Candidate, places: dict[tuple[int, int], Candidate]) -> list[Candidate]:
    """What a unit needs to be understood: the sentence that it refers back to, or that opens its list."""
    before = _neighbours(unit, places, -1)
    if unit.unit.follows and _BACKWARD.match(unit.quote):
        return [candidate for candidate in before if candidate.unit.kind != "term"][:1]
    if unit.unit.kind in (*_LISTED, "list") and not unit.unit.cells:
        for candidate in before:
            if candidate.opens:
                return [candidate]
            if candidate.unit.kind != unit.unit.kind and not candidate.unit.follows:
                break
    return []


def _needed_after(unit: Candidate, places: dict[tuple[int, int], Candidate], kind: str) -> list[Candidate]:
    needed: list[Candidate] = []
    opened = unit.opens or (
        kind in _LISTED_BELOW and _BEFORE_LIST.match(unit.chunk.text, unit.unit.end) is not None
    )
    for neighbour in _neighbours(unit, places, 1):
        if not opened:
            # The sentence that opens a list is often not the one that has the question's words.
            if kind != "way" or len(needed) >= _OPENS_WITHIN or not neighbour.unit.follows:
                return []
            needed.append(neighbour)
            opened = neighbour.opens
            if opened:
                needed = [neighbour]
            continue
        listed = [other for other in needed if other.unit.kind in _LISTED]
        fits = neighbour.unit.kind == (listed[0].unit.kind if listed else neighbour.unit.kind)
        fits = fits and neighbour.unit.kind in ("head", *_LISTED)
        if not fits or len(neighbour.quote) > MOST_CHARACTERS:
            break
        needed.append(neighbour)
        if neighbour.unit.kind == "code":
            break
    if not any(candidate.unit.kind in _LISTED for candidate in needed):
        return []
    # Rows whose cells have names need no head.
    named = any(candidate.unit.cells for candidate in needed)
    return [candidate for candidate in needed if not (named and candidate.unit.kind == "head")]


def _code_behind(units: Sequence[Candidate], candidates: Sequence[Candidate]) -> list[Candidate]:
    """The code that items lead on to ("2. Run"), which no list of items has."""
    code_units = [candidate for candidate in candidates if candidate.unit.kind == "code"]
    return [
        code
        for unit in units
        for code in code_units
        if unit.unit.kind == "item"
        and code.chunk is unit.chunk
        and len(code.quote) <= MOST_CHARACTERS
        and _TO_CODE.fullmatch(unit.chunk.text, unit.unit.end - 1, code.unit.start)
        and not any(overlap(code, other) for other in units)
    ]


def _neighbours(unit: Candidate, places: dict[tuple[int, int], Candidate], step: int) -> Iterator[Candidate]:
    """The units of the same chunk that stand before (-1) or after (1) a unit, the nearest first."""
    position = unit.place + step
    while (unit.chunk.chunk_id, position) in places:
        yield places[unit.chunk.chunk_id, position]
        position += step


def _shifted(code: str) -> str:
    """Code without the indent that all its lines share."""
    return dedent(code).strip("\r\n")


def _says_the_same(one: Candidate, other: Candidate) -> bool:
    ours, theirs = (frozenset(_SELECTION_WORD.findall(candidate.quote.lower())) for candidate in (one, other))
    return len(ours & theirs) >= SAME_FROM * len(ours | theirs)
