"""Candidates: the units of found chunks, and what each is worth."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from textwrap import dedent

from bob.answers.units.text_lines import ITEM_MARK
from bob.answers.units.unit import Unit
from bob.core.search import FoundChunk
from bob.text import lexicon
from bob.text.markup import EMPHASIS, asks

RULES = {
    "kind.term": -0.5,
    "kind.head": -0.5,
    "kind.clauses": -0.5,
    "decided": 0.1,
    "open_task": -0.1,
    "without_outcome": -0.25,
}
"""What only names what comes next is told with it; what decision records head as decided is rather told than
what was not, and what is than what is to be done; and what says that a matter was discussed does not answer
whether it was accepted."""

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
    "cosine": 0.041,
    "context": 0.058,
    "fit": 0.059,
    "found": 0.21,
    "rank": 0.038,
    "answers": 0.029,
    "nearness": 0.313,
    "answers_in_context": 0.021,
    "nearness_in_context": 0.23,
    "without_numbers": -0.03,
    "without_names": -0.061,
    "read_alone": 0.047,
    "undated": -0.1,
    "apart": -0.053,
    "opens": -0.052,
    "asks": -0.3,
    "kind.field": -0.1,
    "kind.item": -0.097,
    "kind.list": 0.023,
    "kind.row": 0.02,
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

_FAR, _NEAR = -12.0, 24.0
"""The margins between which a reader's score tells more than yes or no."""
_FLATTENED = 2.0
"""What the reader's margins were divided by in its training: they are differences of two logits."""

BEFORE_LIST = re.compile(rf"\s*\n\s*(?:{ITEM_MARK.pattern})")
_LEADS_ON = re.compile(rf"(?:[^.!?…。][\w\]`]|.…|\.\.){BEFORE_LIST.pattern}")
"""A sentence that ends without its stop, or is left open ("You will need …"), before a list."""
BACKWARD = re.compile(
    rf"(?!It (?:is|was|has been) \w+ed that\b)"
    rf"(?:{lexicon.either(map(str.capitalize, lexicon.words('pointing back')))})\b"
)
"""How a sentence begins that refers to the one before it; "It is estimated that" does not."""
_DECISION = re.compile(rf"(?:{lexicon.any_of('decision headings')})\W*$", re.I)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit of a found chunk with its signals, each from 0 to 1.

    `order` is the chunk's place among the hits and `place` the unit's in its chunk, both from 0.
    `coverage` is the share of the question's words that the unit has, `context` the share that it has
    together with its headings and the term that it explains; `fit` says whether it has what the question
    wants, `heading` how far its heading is the question, `found` how well the search found its chunk;
    so does `thread` for a question that follows others, since all of them are searched for. `dated` is
    False where the chunk is of another time than the question asks for, and `without_outcome` where the
    question asks for what came of a matter, which the unit does not tell.
    `term` stands right before the unit and names what it is about. `cosine` is its own, or that of its chunk
    where a reader read it, and None for a unit that was not judged: it is only brought along. `margin` is
    what a reader says of it (`bob.core.protocols.Reader`), and `margin_in_context` what it says of it among
    what stands around it, None where none did. `missing` are the numbers, dates and names of the
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
    margin_in_context: float | None = None
    missing: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    numbers: float = 1.0
    names: float = 1.0
    thread: float = 1.0
    dated: bool = True
    without_outcome: bool = False

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
        text = _shifted(self.quote) if self.unit.kind == "code" else self.unit.said
        return after_term(text, self.term)

    @property
    def stands_beside(self) -> bool:
        """Whether the unit stands beside the text of its chunk: a field of front matter, or a heading."""
        return self.unit.kind in ("field", "heading")

    @property
    def is_of_mail_head(self) -> bool:
        """Whether the unit is a line of the head of a mail, such as whom it is to."""
        return self.unit.kind == "field" and self.chunk.source_type == "mail"

    @property
    def opens(self) -> bool:
        """Whether the unit introduces what stands after it."""
        if self.unit.kind == "term":
            is_opener = self.quote.rstrip(EMPHASIS).endswith(":") and len(self.quote.split()) > 1
            return is_opener and BEFORE_LIST.match(self.chunk.text, self.unit.end) is not None
        if self.unit.kind not in ("prose", "item"):
            return self.unit.kind == "head"
        return self.quote.rstrip(EMPHASIS).endswith((":", "：", ",")) or (
            self.unit.kind == "prose" and _LEADS_ON.match(self.chunk.text, self.unit.end - 2) is not None
        )

    @property
    def characters_told(self) -> int:
        """How much of the text is told: of a list its items, between which others may stand."""
        if self.unit.items:
            return sum(item.end - item.start for item in self.unit.items)
        return len(self.text if self.unit.cells else self.quote)

    @property
    def asks(self) -> bool:
        """Whether the unit is itself a question."""
        return asks(self.quote)

    @property
    def only_asks(self) -> bool:
        """Whether the unit is a sentence, or all of a section, that asks: it answers nothing."""
        return self.unit.kind in ("prose", "field") and self.asks

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
            "refers_back": float(bool(self.place and BACKWARD.match(self.quote))),
            "asks": float(self.asks),
            "decided": float(bool(headings and _DECISION.match(headings[-1]))),
            "open_task": float(self.quote.startswith("[ ]")),
            "without_outcome": float(self.without_outcome),
            f"kind.{self.unit.kind}": 1.0,
        }
        if self.margin is not None:
            signals["answers"] = _probability(self.margin)
            signals["nearness"] = _nearness(self.margin)
            in_context = self.margin_in_context
            signals["read_alone"] = float(in_context is None)
            if in_context is not None:
                signals["answers_in_context"] = _probability(in_context)
                signals["nearness_in_context"] = _nearness(in_context)
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


def _probability(margin: float) -> float:
    """That a text answers, by what a reader says of it."""
    return 1 / (1 + math.exp(-max(margin, -60.0) / _FLATTENED))


def _nearness(margin: float) -> float:
    """What a reader says, from 0 to 1: far below, where no passage answers, it still tells which is the
    nearest."""
    return share_between(_FAR, _NEAR, margin)


def share_between(least: float, most: float, value: float) -> float:
    """How far a value is on the way from `least`, 0, to `most`, 1; what is beyond counts as that."""
    return (min(max(value, least), most) - least) / (most - least)


def after_term(text: str, term: Unit | None) -> str:
    """A text behind the term that it explains, or the question that it answers."""
    if term is None:
        return text
    return f"{term.line} {text}" if term.line.endswith("?") else f"{term.line.rstrip(':;')}: {text}"


def judged_best_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that were judged, the best first."""
    judged = [candidate for candidate in candidates if candidate.cosine is not None]
    return [judged[index] for index in best_first(judged)]


def best_first(
    candidates: Sequence[Candidate], worth: Callable[[Candidate], float] = attrgetter("score")
) -> list[int]:
    """The places of the candidates in this sequence, the best first, by what each is worth."""
    worths = [worth(candidate) for candidate in candidates]
    return sorted(range(len(worths)), key=lambda index: (-worths[index], index))


def _shifted(code: str) -> str:
    """Code without the indent that all its lines share."""
    return dedent(code).strip("\r\n")
