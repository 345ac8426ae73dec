"""An answer that can be checked: claims, the sources they cite, how old those are, and an audit (SPEC E).

Answers are kept, each whole and with an id (SPEC M3).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Literal

from bob.core.document import LAST_CHANGE
from bob.core.errors import StoreError
from bob.core.locator import CitedPlace, Locator, locator_to_json
from bob.core.search import NO_FILTERS, Filters, FoundChunk
from bob.storage.database import Database, Transaction

if TYPE_CHECKING:
    from bob.core.decision import Standing

log = logging.getLogger(__name__)

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
    is quoted of a long list, `more` follow at the source. An item of a list stands under the claim before it
    with one `depth` less."""

    text: str
    verdict: Verdict
    score: float
    citations: tuple[int, ...]
    more: int = 0
    depth: int = 0

    def to_json(self) -> dict[str, Any]:
        """The claim as JSON; `more` and `depth` only where there are some."""
        claim: dict[str, Any] = {
            "text": self.text,
            "verdict": self.verdict,
            "score": round(self.score, 4),
            "citations": list(self.citations),
        }
        counts = {"more": self.more, "depth": self.depth}
        return claim | {name: count for name, count in counts.items() if count}


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


def outlined_claims(claims: Sequence[Claim], sources: Sequence[Source]) -> list[dict[str, Any]]:
    """The claims as the audit of an answer lists them, each with the quotes that it rests on."""
    return [
        claim.to_json()
        | {
            "quotes": [
                {
                    "chunk_id": source.chunk.chunk_id,
                    "quote": source.quote,
                    "quote_range": list(source.quote_range),
                }
                for source in (sources[n - 1] for n in claim.citations)
            ]
        }
        for claim in claims
    ]


def date_confidence(
    sources: Sequence[Source], today: date, outdated_after_days: int, *, speaks_of_time: bool
) -> DateConfidence:
    """High when every source says itself when it was written, low when none does.

    `speaks_of_time` tells whether the question does.
    The last change of a file is no such statement: copying sets it anew, and a commit may touch a word. It
    still counts for what may be outdated, since nothing is younger than its last change.
    """
    dated = {s.chunk.document_id: _dated(s) for s in sources}
    days = [day for day, _ in dated.values() if day is not None]
    if not days:
        return DateConfidence("low", "no source has a date", matters=speaks_of_time)
    newest, oldest = max(days), min(days)
    own = sum(1 for day, kind in dated.values() if day is not None and kind not in LAST_CHANGE)
    total = len({s.chunk.document_id for s in sources})
    age = (today - newest).days
    outdated = age > outdated_after_days
    level: Level
    if own == total:
        level, reason = "high", "every source states its date"
    elif own:
        level = "medium"
        reason = f"{own} of {total} sources state their date; of the others only the last change is known"
    else:
        level, reason = "low", "no source states its date; only the last change of the files is known"
    if outdated:
        reason += f"; the newest is from {newest.isoformat()} and may be outdated"
    matters = outdated or speaks_of_time
    return DateConfidence(level, reason, newest, oldest, outdated, matters)


def _dated(source: Source) -> tuple[date | None, str | None]:
    """A source's date and how it is known. The file of a decision is copied; the day in its text stays."""
    standing = source.decision
    if standing is not None and standing.decision.date_kind in ("text", "user"):
        return standing.decision.date, standing.decision.date_kind
    return source.chunk.source_date, source.chunk.source_date_kind


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


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer as it was given: `answer` is what `bob ask --json` printed, `filters` what it was limited
    to."""

    answer_id: int
    asked_at: datetime
    question: str
    found: bool
    filters: Mapping[str, Any]
    answer: Mapping[str, Any]


def save_answer(transaction: Transaction, answer: Answer, filters: Filters, asked_at: datetime) -> Answer:
    """Keep an answer; it comes back with its id."""
    (answer_id,) = transaction.take_ids("answer", 1)
    kept_answer = replace(answer, answer_id=answer_id)
    transaction.insert(
        "answers",
        {
            "answer_id": answer_id,
            "asked_at": asked_at.timestamp(),
            "question": kept_answer.question,
            "filters": json.dumps(filters.to_json()),
            "found": kept_answer.found,
            "answer": json.dumps(kept_answer.to_json()),
        },
    )
    return kept_answer


def answer_by_id(transaction: Transaction, answer_id: int) -> KeptAnswer | None:
    """The answer with this id, None when there is none."""
    row = transaction.execute(
        f"{_SELECT} WHERE org_id = :org AND answer_id = :answer_id", {"answer_id": answer_id}
    ).fetchone()
    return None if row is None else _kept(row)


def last_answers(transaction: Transaction, limit: int, before: int | None = None) -> list[KeptAnswer]:
    """The last answers, newest first; `before` leaves out those from this id on."""
    earlier = "" if before is None else "AND answer_id < :before"
    rows = transaction.execute(
        f"{_SELECT} WHERE org_id = :org {earlier} ORDER BY answer_id DESC LIMIT :limit",
        {"before": before, "limit": limit},
    )
    return [_kept(row) for row in rows]


_SELECT = "SELECT answer_id, asked_at, question, found, filters, answer FROM answers"


def _kept(row: tuple[Any, ...]) -> KeptAnswer:
    answer_id, asked_at, question, is_found, filters, answer = row
    moment = datetime.fromtimestamp(asked_at, UTC)
    return KeptAnswer(answer_id, moment, question, bool(is_found), json.loads(filters), json.loads(answer))


_WAIT_SECONDS = 1
"""An answer does not wait longer for its id while another process writes."""


class KeepAnswer:
    """Keeps one organization's answers, or none when `keep` is False."""

    def __init__(self, database: Database, *, keep: bool) -> None:
        self._database = database
        self._keep = keep

    def save_answer(self, answer: Answer, *, filters: Filters = NO_FILTERS, asked_at: datetime) -> Answer:
        """The answer with its id. Where it cannot be kept it comes back without one, and a warning is logged:
        an answer is worth more than its record."""
        if not self._keep:
            return answer
        try:
            with self._database.write(_WAIT_SECONDS) as transaction:
                return save_answer(transaction, answer, filters, asked_at)
        except StoreError as error:
            log.warning("this answer was not saved: %s", error)
            return answer
