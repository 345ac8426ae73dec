"""Questions and their answers: at once, as they are made, and later with what was said of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from fastapi import Path, Query, Request
from pydantic import Field
from starlette.responses import Response, StreamingResponse
from typing_extensions import TypedDict

from bob.answers import answer as answers
from bob.answers.answer import DraftEnded, DraftPiece, Level, Verdict
from bob.answers.feedback_rows import FeedbackVerdict
from bob.app import Engine
from bob.core.document import Writer
from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.http.authenticate import Caller, needs
from bob.http.failures import Body, JsonBytes, now, today
from bob.http.params import (
    LARGEST_ID,
    NOT_CHANGED,
    Cursor,
    HowMany,
    Narrowing,
    NarrowingAtDay,
    cursor_number,
    tagged,
    write_cursor,
)
from bob.http.shapes import (
    Day,
    DecisionStanding,
    Judgement,
    Locator,
    Moment,
    Nothing,
    Problem,
    Routes,
    Source,
    TextDelta,
    VerifiedClaim,
)
from bob.http.streams import Background, Stream, start_stream, stream_response, streamed
from bob.search.query import parse_query

router = Routes(tags=["ask"])

SCOPE = "ask"

MOST_CHARACTERS = 10_000

"""Of a question: a longer one is a text, not a question."""

_STREAM_EXAMPLE = (
    'id: 1\nevent: stage\ndata: {"stage": "searching"}\n\n'
    'id: 2\nevent: claim\ndata: {"text": "The hedge is cut in August.", "citations": [1]}\n\n'
    'id: 3\nevent: answer\ndata: {"answer_id": 12, "found": true}\n\n'
)


class AskRequest(NarrowingAtDay):
    """A question, and which sources may answer it."""

    question: str = Field(
        min_length=1,
        max_length=MOST_CHARACTERS,
        description="The question.",
        examples=["When is the hedge cut?"],
    )
    earlier: list[Annotated[str, Field(max_length=MOST_CHARACTERS)]] = Field(
        default_factory=list,
        max_length=20,
        description="The questions that this one goes on from, oldest first.",
        examples=[["Who looks after the garden?"]],
    )
    extractive: bool = Field(False, description="Quote the sources; do not ask the language model.")


class NewFeedback(Body):
    """How an answer served."""

    verdict: FeedbackVerdict = Field(examples=["helpful"])
    note: str | None = Field(None, max_length=10_000, description="A comment.")


AnswerId = Annotated[int, Path(description="The answer's number.", examples=[12], ge=1, le=LARGEST_ID)]

_MOST_TEXT_CHARACTERS = 100_000

"""Each of its claims is searched for; a longer text is sent in parts."""


class VerifyRequest(Narrowing):
    """A text, and which sources count."""

    text: str = Field(
        max_length=_MOST_TEXT_CHARACTERS,
        description="Text or Markdown.",
        examples=["The hedge is cut in the last week of August."],
    )


_MOST_QUERY_CHARACTERS = 10_000


class SearchRequest(NarrowingAtDay):
    """What to look for, and where."""

    query: str = Field(
        max_length=_MOST_QUERY_CHARACTERS,
        description='Words, or the syntax of `bob search`: "exact phrase", -without, project:x, type:pdf, '
        "tag:x, lang:pt, path:notes/, after:2024, before:2025-06.",
        examples=["hedge type:markdown"],
    )
    limit: int | None = Field(
        None, ge=1, le=1000, description="Maximum number of results; default: the setting search.limit."
    )
    mode: Literal["hybrid", "words", "vectors"] = Field("hybrid", description="Signals to rank by.")


class Claim(TypedDict):
    """A sentence of an answer, with the numbers of its sources; `more` items follow at the source of a list
    that is too long to be quoted whole. An item stands under the claim before it with one `depth` less."""

    text: str
    verdict: Verdict
    score: float
    citations: list[int]
    more: NotRequired[int]
    depth: NotRequired[int]


class DateConfidence(TypedDict):
    """How old the sources of an answer are."""

    level: Level
    reason: str
    newest: Day | None
    oldest: Day | None
    outdated: bool
    matters: bool


class Answer(TypedDict):
    """An answer whose every claim cites its source; `answer_id` is null when answers are not kept. `audit`
    tells how it came about."""

    answer_id: int | None
    question: str
    earlier: list[str]
    found: bool
    written_by: str | None
    notices: list[str]
    answer: str
    claims: list[Claim]
    sources: list[Source]
    date_confidence: DateConfidence
    audit: dict[str, Any]


class Feedback(TypedDict):
    """What somebody said of an answer."""

    answer_id: int
    verdict: FeedbackVerdict
    note: str | None
    given_at: Moment


class AnswerSummary(TypedDict):
    """An answer in short, and the feedback on it."""

    answer_id: int
    asked_at: Moment
    question: str
    filters: dict[str, Any]
    found: bool
    feedback: list[Feedback]


class AnswersPage(TypedDict):
    """The last answers."""

    answers: list[AnswerSummary]
    next: str | None


class StoredAnswer(AnswerSummary):
    """An answer as it was given, and the feedback on it."""

    answer: Answer


class VerdictCounts(TypedDict):
    """How many claims got each verdict."""

    supported: int
    partly: int
    contradicted: int
    unsupported: int


class VerifiedText(TypedDict):
    """A text's claims, the text with marks behind what does not hold, and the text without that."""

    holds: bool
    counts: VerdictCounts
    claims: list[VerifiedClaim]
    marked: str
    remaining: str


class RecheckedClaim(Judgement):
    """A claim of an answer, its verdict before, and whether its quotes still stand in their sources."""

    text: str
    before: Verdict
    quotes_stand: bool
    gone: list[str]


class RecheckedAnswer(TypedDict):
    """An answer's claims, as its sources support them now."""

    answer_id: int
    question: str
    holds: bool
    counts: VerdictCounts
    claims: list[RecheckedClaim]


class Explanation(TypedDict):
    """How a hit's score came about."""

    words: float
    vectors: float
    bm25: float
    cosine: float | None
    coverage: float | None
    words_rank: int | None
    vectors_rank: int | None
    rerank: float
    rerank_score: float | None
    recency: float
    exact: float
    duplicates: list[int]


class Hit(TypedDict):
    """A passage that fits."""

    rank: int
    score: float
    document_id: int
    chunk_id: int
    path: str
    title: str
    project: str
    source_type: str
    source_date: Day | None
    heading_path: list[str]
    locator: Locator
    text: str
    explain: Explanation
    decision: NotRequired[DecisionStanding]
    written_by: NotRequired[Writer]


class SearchResults(TypedDict):
    """Passages, best first."""

    query: str
    hits: list[Hit]
    notices: list[str]


class Stage(TypedDict):
    """What is done for an answer now."""

    stage: Literal["searching", "writing", "checking"]


class AnswerEvents(TypedDict):
    """What an answer's stream tells, by the event's name."""

    stage: Stage
    draft: TextDelta
    claim: Claim
    answer: Answer
    error: Problem
    stopped: Nothing


Reader = Annotated[Caller, needs(Role.READER, SCOPE)]
Member = Annotated[Caller, needs(Role.MEMBER, SCOPE)]
# Answers are an organization's, and do not know who asked: only who runs it reads them all.
Admin = Annotated[Caller, needs(Role.ADMIN, SCOPE)]


@router.post("/ask", summary="Ask a question", response_model=Answer)
def ask_question(caller: Reader, request: AskRequest) -> Response:
    """An answer whose every claim cites its source, as `bob ask --json` prints it. With `found` false the
    sources do not answer, and the audit says what came closest."""
    return JsonBytes(_answer(caller.engine, request).to_json())


@router.post(
    "/ask/stream",
    summary="Ask, and stream the answer",
    response_class=StreamingResponse,
    responses=streamed("AnswerEvent", _STREAM_EXAMPLE),
)
def stream_answer(caller: Reader, request: AskRequest, streams: Background) -> Response:
    """Events: `stage` (searching, writing, checking), `draft` (words of the model, unchecked), `claim`
    (checked, with the numbers of its sources), and last `answer` (the whole of `POST /ask`), `error` or
    `stopped`.

    Whoever goes away may come back: `GET /streams/{id}` with `Last-Event-ID`; the id is in the header
    `X-Bob-Stream`.
    """
    engine = caller.engine
    # What is wrong with the question is told before the stream begins.
    _question_of(request), request.filters()
    return stream_response(
        streams, start_stream(streams, caller, lambda stream: _ask(engine, request, stream))
    )


@router.get("/answers", summary="List the last answers", response_model=AnswersPage)
def list_answers(caller: Admin, limit: HowMany = 20, after: Cursor = None) -> Response:
    """Those of all users, newest first, in short, with the feedback on them. `next` asks for more."""
    before = None if after is None else cursor_number(after)
    answers = caller.engine.give_feedback.recent(limit + 1, before)
    following = write_cursor(answers[limit - 1].kept.answer_id) if len(answers) > limit else None
    return JsonBytes({"answers": [answer.to_json() for answer in answers[:limit]], "next": following})


@router.get(
    "/answers/{answer_id}", summary="Read an answer again", response_model=StoredAnswer, responses=NOT_CHANGED
)
def read_answer(caller: Admin, request: Request, answer_id: AnswerId) -> Response:
    """The answer as it was given, and the feedback on it."""
    one = caller.engine.give_feedback.answer(answer_id)
    return tagged(request, one.to_json() | {"answer": dict(one.kept.answer)})


@router.post("/answers/{answer_id}/feedback", summary="Rate an answer", response_model=Feedback)
def rate_answer(caller: Member, answer_id: AnswerId, request: NewFeedback) -> Response:
    """The verdict as it is kept; it takes the place of the same one given before."""
    feedback = caller.engine.give_feedback.save_feedback(answer_id, request.verdict, request.note, now())
    return JsonBytes(feedback.to_json())


@router.post("/verify", summary="Check a text against your sources", response_model=VerifiedText)
def verify_text(caller: Reader, request: VerifyRequest) -> Response:
    """Every claim with its verdict, as `bob verify --json` prints it. `marked` is the text with a mark
    behind what does not hold, `remaining` the text without it."""
    verified = caller.engine.verify_text.verify_text(request.text, filters=request.filters(), today=today())
    return JsonBytes(verified.to_json())


@router.post("/answers/{answer_id}/verify", summary="Check an answer again", response_model=RecheckedAnswer)
def recheck_answer(caller: Admin, answer_id: AnswerId) -> Response:
    """Do its sources still say what it says? Those that changed are read anew first."""
    return JsonBytes(caller.engine.verify_answer.verify_answer(answer_id, today=today()).to_json())


@router.get("/search", summary="Search", response_model=SearchResults)
def search_passages(caller: Reader, query: Annotated[SearchRequest, Query()]) -> Response:
    """Passages, best first, each with how its score came about; as `bob search --json` prints them."""
    return _search(query, caller)


@router.post("/search", summary="Search, with the query in the body", response_model=SearchResults)
def search_passages_by_body(caller: Reader, request: SearchRequest) -> Response:
    """As `GET /search`, for what should stand in no address."""
    return _search(request, caller)


def _answer(engine: Engine, request: AskRequest) -> answers.Answer:
    asked_at, filters = now(), request.filters()
    answer = engine.ask.answer_question(
        _question_of(request),
        earlier=request.earlier,
        filters=filters,
        today=asked_at.date(),
        extractive=request.extractive,
    )
    return engine.keep_answer.save_answer(answer, filters=filters, asked_at=asked_at)


def _ask(engine: Engine, request: AskRequest, stream: Stream) -> None:
    asked_at, filters = now(), request.filters()
    stream.tell("stage", {"stage": "searching"})
    events = engine.ask.events(
        _question_of(request),
        earlier=request.earlier,
        filters=filters,
        today=asked_at.date(),
        extractive=request.extractive,
    )
    writing = False
    for event in events:
        if stream.stopped:
            return
        if isinstance(event, DraftPiece):
            if not writing:
                stream.tell("stage", {"stage": "writing"})
                writing = True
            stream.tell("draft", {"text": event.text})
            continue
        if isinstance(event, DraftEnded):
            stream.tell("stage", {"stage": "checking"})
            continue
        for claim in event.answer.claims:
            stream.tell("claim", claim.to_json())
        saved = engine.keep_answer.save_answer(event.answer, filters=filters, asked_at=asked_at)
        stream.tell("answer", saved.to_json())


def _question_of(request: AskRequest) -> str:
    if not request.question.strip():
        raise RequestError("question", "question must not be empty")
    return request.question


def _search(request: SearchRequest, caller: Caller) -> Response:
    result = caller.engine.search.search_chunks(
        parse_query(request.query, request.filters()),
        request.limit or caller.engine.settings.search.limit,
        mode=request.mode,
        today=today(),
    )
    return JsonBytes(result.to_json(request.query))
