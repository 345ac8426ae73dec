"""What the rules of health look at: facts of documents, links, questions and decisions, judged by nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal

from bob.answers.feedback_rows import FeedbackVerdict
from bob.core.document import SourceDateKind
from bob.documents.formats.authorship import ASSISTANT_KEY, PREPARED_BY


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """A document of the index. `left_out` says what of its file was not read, `headed` whether its text
    begins with a heading of its own, `past` that a newer version of it holds."""

    document_id: int
    path: str
    project: str
    title: str
    source_type: str
    source_date: date | None
    source_date_kind: SourceDateKind | None
    tags: tuple[str, ...]
    extra: Mapping[str, str]
    content_hash: str
    mtime_ns: int
    chunk_count: int
    left_out: tuple[str, ...] = ()
    headed: bool = True
    past: bool = False

    @property
    def is_gap(self) -> bool:
        """Whether it is a note of what is not known yet, which says nothing itself."""
        return self.extra.get("kind") == "gap"

    @property
    def is_own_word(self) -> bool:
        """Whether a person wrote it: neither Bob prepared it, nor an assistant wrote it, nor was it taken
        over from another program."""
        return not (
            self.is_gap
            or self.extra.get(ASSISTANT_KEY) == "assistant"
            or PREPARED_BY in self.extra
            or "import_id" in self.extra
        )


LinkState = Literal["ok", "missing", "no-anchor", "left", "superseded"]
"""Where a link leads: to what is there; nowhere; to no place in a file that is there; to a document that was
there; to a document that says itself that another took its place."""


@dataclass(frozen=True, slots=True)
class LinkFacts:
    """A link in a document. `leads_to` is the path it resolves to; `alike` are the known documents of the
    same file name, and `moved_to` is the only one of them if it is of the same project or indexed folder.
    `line_text` is the line around it, `written` the link in it."""

    source: str
    project: str
    line: int
    line_text: str
    written: str
    state: LinkState
    leads_to: str | None = None
    alike: tuple[str, ...] = ()
    moved_to: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerFacts:
    """A kept answer: the documents that were retrieved for it and those that it cites, with the places."""

    answer_id: int
    asked_at: datetime
    question: str
    found: bool
    filters: Mapping[str, Any]
    retrieved: frozenset[str]
    cited: tuple[Cited, ...]
    verdicts: Mapping[FeedbackVerdict, Feedbacked]

    @property
    def projects(self) -> tuple[str, ...]:
        """The projects that the question was limited to."""
        return tuple(self.filters.get("projects", ()))


@dataclass(frozen=True, slots=True)
class Cited:
    """A place that an answer cites; `locator` is as JSON has it."""

    path: str
    locator: Mapping[str, Any]
    quote: str


@dataclass(frozen=True, slots=True)
class Feedbacked:
    """When a verdict was given, and what was said beside it."""

    given_at: datetime
    note: str | None


@dataclass(frozen=True, slots=True)
class QuestionGroup:
    """Answers to the same question in whatever words, oldest first."""

    answers: tuple[AnswerFacts, ...]

    @property
    def question(self) -> str:
        """The question as it was asked first."""
        return self.answers[0].question


@dataclass(frozen=True, slots=True)
class SupersededFacts:
    """A decision that another took the place of. `current` is the last of the chain, None when no decision is
    linked; `since` is the day of the next one. `whole` when its document is that decision's record."""

    key: str
    title: str
    path: str
    project: str
    whole: bool
    locator: Mapping[str, Any]
    successors: tuple[str, ...] = ()
    current_title: str | None = None
    current_path: str | None = None
    since: date | None = None


@dataclass(frozen=True, slots=True)
class CorrectionFacts:
    """What a user said of a decision that is no longer found."""

    project: str
    key: str
    changes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FailureFacts:
    """A file that could not be read. `changed` when it is not what it was then; `exists` when it is there."""

    path: str
    code: str
    reason: str
    project: str
    changed: bool
    exists: bool


@dataclass(frozen=True, slots=True)
class DuplicateFacts:
    """Documents that hold the same: `similarity` from 0 to 1, and 1 only where every byte is."""

    paths: tuple[str, ...]
    similarity: float
    exact: bool


@dataclass(frozen=True, slots=True)
class PagesFacts:
    """A PDF of which only some pages have text."""

    path: str
    project: str
    with_text: int
    pages: int


@dataclass(frozen=True, slots=True)
class VectorFacts:
    """How far the vectors are those of the present model: chunks without one, and jobs that gave up."""

    stored_model: str | None
    present_model: str
    chunks: int
    pending: int
    failed_jobs: int


@dataclass(frozen=True, slots=True)
class HealthFacts:
    """All that one look at an organization's memory found. `documents` are those whose file is there, as far
    as this machine can tell; `missing` the others. `uses` counts by path the answers that retrieved it."""

    documents: Sequence[DocumentFacts] = ()
    missing: Sequence[DocumentFacts] = ()
    links: Sequence[LinkFacts] = ()
    answers: Sequence[AnswerFacts] = ()
    questions: Sequence[QuestionGroup] = ()
    superseded: Sequence[SupersededFacts] = ()
    corrections: Sequence[CorrectionFacts] = ()
    failures: Sequence[FailureFacts] = ()
    duplicates: Sequence[DuplicateFacts] = ()
    pages: Sequence[PagesFacts] = ()
    vectors: VectorFacts | None = None
    uses: Mapping[str, int] = field(default_factory=dict)
