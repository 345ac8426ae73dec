"""An answer that can be checked: claims, the sources they cite, how old those are, and an audit (SPEC E)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from bob.core.locator import CitedPlace, Locator, locator_to_json
from bob.core.search import FoundChunk

if TYPE_CHECKING:
    from bob.core.decision import Standing

NOT_FOUND = "Not found in sources."

Verdict = Literal["supported", "partly", "contradicted", "unsupported"]
Level = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True)
class Source:
    """A cited place. `quote` is byte-equal to the source at `locator`, and to the chunk's text in
    `quote_range` (characters, end excluded). `decision` is the one that it is part of, if it is."""

    n: int
    chunk: FoundChunk
    locator: Locator
    quote: str
    quote_range: tuple[int, int]
    decision: Standing | None = None

    def to_json(self) -> dict[str, Any]:
        """The source as JSON."""
        dated = self.chunk.source_date
        return (
            self.place.to_json()
            | {
                "chunk_id": self.chunk.chunk_id,
                "project": self.chunk.project,
                "quote": self.quote,
                "quote_range": list(self.quote_range),
                "source_date": None if dated is None else dated.isoformat(),
                "source_date_kind": self.chunk.source_date_kind,
            }
            | ({} if self.decision is None else {"decision": self.decision.to_json()})
        )

    @property
    def place(self) -> CitedPlace:
        """The same without its words, as a chat keeps it."""
        chunk = self.chunk
        return CitedPlace(
            self.n, chunk.document_id, chunk.path, chunk.title, tuple(chunk.heading_path), self.locator
        )


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of the answer with the numbers of the sources that bear it out. After the last item that
    is quoted of a long list, `more` follow at the source."""

    text: str
    verdict: Verdict
    score: float
    citations: tuple[int, ...]
    more: int = 0

    def to_json(self) -> dict[str, Any]:
        """The claim as JSON; `more` only where there are some."""
        claim: dict[str, Any] = {
            "text": self.text,
            "verdict": self.verdict,
            "score": round(self.score, 4),
            "citations": list(self.citations),
        }
        return claim | ({"more": self.more} if self.more else {})


@dataclass(frozen=True, slots=True)
class DateConfidence:
    """How far the sources' dates can be trusted, and whether the answer may be out of date.

    It `matters` to a reader when the question speaks of time, or the answer may be out of date.
    """

    level: Level
    reason: str
    newest: date | None = None
    oldest: date | None = None
    outdated: bool = False
    matters: bool = False

    def to_json(self) -> dict[str, Any]:
        """The confidence as JSON."""
        return {
            "level": self.level,
            "reason": self.reason,
            "newest": self.newest.isoformat() if self.newest else None,
            "oldest": self.oldest.isoformat() if self.oldest else None,
            "outdated": self.outdated,
            "matters": self.matters,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer contract (SPEC E1). With `found` False there are no claims, and the audit says what came
    closest. `answer_id` is None until the answer is kept. `written_by` names the language model whose draft
    was checked, None when the answer is quoted; `notices` are what a reader should know beside the answer;
    `earlier` are the questions that this one goes on from, oldest first."""

    question: str
    found: bool
    text: str
    claims: tuple[Claim, ...]
    sources: tuple[Source, ...]
    date_confidence: DateConfidence
    audit: dict[str, Any] = field(default_factory=dict)
    answer_id: int | None = None
    written_by: str | None = None
    notices: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The answer as `bob ask --json` prints it."""
        return {
            "answer_id": self.answer_id,
            "question": self.question,
            "earlier": list(self.earlier),
            "found": self.found,
            "written_by": self.written_by,
            "notices": list(self.notices),
            "answer": self.text,
            "claims": [claim.to_json() for claim in self.claims],
            "sources": [source.to_json() for source in self.sources],
            "date_confidence": self.date_confidence.to_json(),
            "audit": self.audit,
        }


@dataclass(frozen=True, slots=True)
class DraftPiece:
    """The next words of a draft that is being written. Nothing of it is checked yet."""

    text: str


@dataclass(frozen=True, slots=True)
class DraftEnded:
    """The draft is whole, and is being checked."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The last event of every question: the checked answer, in place of all draft pieces before it."""

    answer: Answer


AnswerEvent = DraftPiece | DraftEnded | Answered


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a chunk: characters `start` to `end` (excluded) of its text."""

    chunk: FoundChunk
    start: int
    end: int

    @property
    def quote(self) -> str:
        """The text at the place, byte-equal to the source at its locator."""
        return self.chunk.text[self.start : self.end]

    @property
    def locator(self) -> Locator:
        """Where the place is in its source."""
        return self.chunk.locator.narrowed(self.chunk.text, self.start, self.end)

    def to_json(self) -> dict[str, Any]:
        """The place as JSON."""
        return {
            "chunk_id": self.chunk.chunk_id,
            "path": self.chunk.path,
            "locator": locator_to_json(self.locator),
            "quote": self.quote,
            "quote_range": [self.start, self.end],
        }


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict on one claim.

    `score` is the probability that the evidence bears the claim out. `support` is the sentence that says it
    best, None when there is no evidence at all. `reason` says in words why the claim is not (wholly)
    supported, None when it is; `against` is the place that contradicts it, where there is one. `signals` are
    the values by which the score came about, for the audit; `decided` says that a finding (a wrong number,
    date, name, denial) settled the verdict whatever the score was.
    """

    verdict: Verdict
    score: float
    support: Span | None = None
    reason: str | None = None
    against: Span | None = None
    signals: dict[str, float] | None = None
    decided: bool = False

    @property
    def holds(self) -> bool:
        """Whether the claim may stand in an answer."""
        return self.verdict == "supported"

    def to_json(self) -> dict[str, Any]:
        """The judgement as JSON."""
        return {
            "verdict": self.verdict,
            "score": round(self.score, 4),
            "reason": self.reason,
            "support": None if self.support is None else self.support.to_json(),
            "against": None if self.against is None else self.against.to_json(),
        } | ({} if self.signals is None else {"signals": {k: round(v, 4) for k, v in self.signals.items()}})


class FeedbackVerdict(StrEnum):
    """How an answer served: it helped, or one of the ways in which it did not."""

    HELPFUL = "helpful"
    WRONG_SOURCE = "wrong-source"
    OUTDATED = "outdated"
    TOO_LONG = "too-long"
    DIDNT_ANSWER = "didnt-answer"


@dataclass(frozen=True, slots=True)
class Feedback:
    """One verdict on one answer, with a note in the person's words."""

    answer_id: int
    verdict: FeedbackVerdict
    note: str | None
    given_at: datetime

    def to_json(self) -> dict[str, Any]:
        """The feedback as JSON."""
        return {
            "answer_id": self.answer_id,
            "verdict": self.verdict.value,
            "note": self.note,
            "given_at": self.given_at.astimezone(UTC).isoformat(timespec="seconds"),
        }
