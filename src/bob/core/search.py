"""What a search asks and what it finds: conditions and a query, chunks and hits (SPEC D1, D2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import TYPE_CHECKING, Any

from bob.core.document import SourceDateKind, Writer, writer_of
from bob.core.locator import Locator, locator_to_json, locators_to_json

if TYPE_CHECKING:
    from bob.core.decision import Standing


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that all hold; within one tuple any value will do. Empty means no condition.

    `other_than` names projects whose documents do not pass. `after` and `before` compare the source date: on
    or after, and strictly before. `as_of` asks for what held on a day: what is dated later does not pass, and
    past versions pass that had not been replaced by then. Without it only what holds now passes. `decisions`
    are statuses: only documents pass that have a decision of one of them ("any": that have a decision).
    `within` are conditions that hold besides, whatever a query asks for: what whoever asks may see at all.
    """

    projects: tuple[str, ...] = ()
    source_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    path_prefixes: tuple[str, ...] = ()
    after: date | None = None
    before: date | None = None
    other_than: tuple[str, ...] = ()
    as_of: date | None = None
    decisions: tuple[str, ...] = ()
    within: Filters | None = None

    def to_json(self) -> dict[str, Any]:
        """The conditions as JSON; those that are not set are left out."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: _json(value) for name, value in values.items() if value}


def _json(value: date | Filters | tuple[str, ...]) -> Any:
    if isinstance(value, Filters):
        return value.to_json()
    return value.isoformat() if isinstance(value, date) else list(value)


NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True)
class Query:
    """A query after parsing. `text` is what is ranked by: the words and phrases, without the operators.
    Documents that pass one of `but_not` are left out."""

    text: str
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: Filters = NO_FILTERS
    but_not: tuple[Filters, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where chunks stand: their document with its date, and the headings above them."""

    path: str
    title: str
    heading_path: tuple[str, ...]
    source_date: date | None
    source_date_kind: SourceDateKind | None


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk as it is stored, with what is known of its document; one that is `decided` has decisions."""

    chunk_id: int
    document_id: int
    ordinal: int
    path: str
    title: str
    project: str
    source_type: str
    language: str | None
    source_date: date | None
    source_date_kind: SourceDateKind | None
    heading_path: tuple[str, ...]
    context: str
    locator: Locator
    text: str
    content_hash: str
    decided: bool = False

    @property
    def written_by(self) -> Writer | None:
        """Who wrote it, where that makes it no evidence; None for a person's words and other files'."""
        return writer_of(self.context)


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a hit got its score (SPEC D1). Ranks count from 1; None means that the signal did not find it.

    `words` and `vectors` are the shares of the two signals that `score` adds up, as `bob.search.fusion` has
    them for a query and for a question; `rerank` is what a reranker added or took, `exact` what a name or
    version of the query added that the passage has as it is written; `bm25`, `cosine`, `coverage` and
    `rerank_score` are the raw values. `coverage` is the share of a question's words that the passage has,
    None where passages like a query were wanted; `rerank_score` is None where nothing was reranked.
    `duplicates` are the chunks that this hit stands for.
    """

    words: float
    vectors: float
    bm25: float
    cosine: float | None
    words_rank: int | None
    vectors_rank: int | None
    rerank: float = 0.0
    rerank_score: float | None = None
    recency: float = 1.0
    duplicates: tuple[int, ...] = ()
    exact: float = 0.0
    coverage: float | None = None

    def to_json(self) -> dict[str, Any]:
        """The explanation as JSON."""
        return {
            "words": round(self.words, 6),
            "vectors": round(self.vectors, 6),
            "bm25": round(self.bm25, 4),
            "cosine": None if self.cosine is None else round(self.cosine, 4),
            "coverage": None if self.coverage is None else round(self.coverage, 4),
            "words_rank": self.words_rank,
            "vectors_rank": self.vectors_rank,
            "rerank": round(self.rerank, 6),
            "rerank_score": None if self.rerank_score is None else round(self.rerank_score, 4),
            "recency": round(self.recency, 4),
            "exact": round(self.exact, 6),
            "duplicates": list(self.duplicates),
        }


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result; `rank` counts from 1 and `score` lies between 0 and 1. `decisions` are those that
    the passage is part of, the ones that no longer hold first."""

    rank: int
    score: float
    chunk: FoundChunk
    explain: Explanation
    decisions: tuple[Standing, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The hit as JSON, as `bob search --json` prints it."""
        return {
            "rank": self.rank,
            "score": round(self.score, 6),
            "document_id": self.chunk.document_id,
            "chunk_id": self.chunk.chunk_id,
            "path": self.chunk.path,
            "title": self.chunk.title,
            "project": self.chunk.project,
            "source_type": self.chunk.source_type,
            "source_date": None if self.chunk.source_date is None else self.chunk.source_date.isoformat(),
            "heading_path": list(self.chunk.heading_path),
            "locator": locator_to_json(self.chunk.locator),
            "text": self.chunk.text,
            "explain": self.explain.to_json(),
        } | _marks(self)


def _marks(hit: Hit) -> dict[str, Any]:
    """What only some hits have."""
    decision = {"decision": hit.decisions[0].to_json()} if hit.decisions else {}
    return decision | ({"written_by": hit.chunk.written_by} if hit.chunk.written_by else {})


def outlined(hits: Sequence[Hit]) -> list[dict[str, Any]]:
    """The hits as the audit of an answer lists them: where each is and how it was found, without its text."""
    locators = locators_to_json([hit.chunk.locator for hit in hits])
    return [
        {
            "rank": hit.rank,
            "score": round(hit.score, 4),
            "chunk_id": hit.chunk.chunk_id,
            "path": hit.chunk.path,
            "locator": locator,
            "explain": hit.explain.to_json(),
        }
        | ({"decision": hit.decisions[0].to_json()} if hit.decisions else {})
        for hit, locator in zip(hits, locators, strict=True)
    ]
