"""An answer that can be checked: claims, the sources they cite, how old those are, and an audit (SPEC E)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from bob.core.conversation import CitedPlace
from bob.core.hit import FoundChunk
from bob.core.locator import Locator

if TYPE_CHECKING:
    from bob.core.decision_status import Standing

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
    """One statement of the answer with the numbers of the sources that bear it out."""

    text: str
    verdict: Verdict
    score: float
    citations: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """The claim as JSON."""
        return {
            "text": self.text,
            "verdict": self.verdict,
            "score": round(self.score, 4),
            "citations": list(self.citations),
        }


@dataclass(frozen=True, slots=True)
class DateConfidence:
    """How far the sources' dates can be trusted, and whether the answer may be out of date."""

    level: Level
    reason: str
    newest: date | None = None
    oldest: date | None = None
    outdated: bool = False

    def to_json(self) -> dict[str, Any]:
        """The confidence as JSON."""
        return {
            "level": self.level,
            "reason": self.reason,
            "newest": self.newest.isoformat() if self.newest else None,
            "oldest": self.oldest.isoformat() if self.oldest else None,
            "outdated": self.outdated,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer contract (SPEC E1). With `found` False there are no claims, and the audit says what came
    closest. `answer_id` is None until the answer is kept. `written_by` names the language model whose draft
    was checked, None when the answer is quoted; `notices` are what a reader should know beside the answer."""

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

    def to_json(self) -> dict[str, Any]:
        """The answer as `bob ask --json` prints it."""
        return {
            "answer_id": self.answer_id,
            "question": self.question,
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
