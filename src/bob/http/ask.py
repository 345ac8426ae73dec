"""Questions and their answers: at once, as they are made, and later with what was said of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Path, Query, Request
from pydantic import Field
from starlette.responses import Response, StreamingResponse

from bob.answers.values import Answer, DraftEnded, DraftPiece, FeedbackVerdict
from bob.app import Engine
from bob.core.errors import RequestError
from bob.core.principal import Role
from bob.http import paging
from bob.http.authenticate import Authenticator, Caller
from bob.http.event_stream import begun, response, streamed
from bob.http.examples import ANSWER, JUDGED, answered
from bob.http.failures import Body, JsonBytes, now
from bob.http.filter_params import NarrowingAtDay
from bob.http.paging import NOT_CHANGED, Cursor, tagged
from bob.http.streams import Stream, Streams

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
    extractive: bool = Field(False, description="Quote the sources; do not ask the language model.")


class Judgement(Body):
    """How an answer served."""

    verdict: FeedbackVerdict = Field(examples=["helpful"])
    note: str | None = Field(None, max_length=10_000, description="A comment.")


AnswerId = Annotated[int, Path(description="The answer's number.", examples=[12], ge=1, le=999_999_999)]
HowMany = Annotated[int, Query(description="Maximum number of results.", ge=1, le=1000)]


def register(app: FastAPI, auth: Authenticator, streams: Streams) -> None:
    """Add the routes."""
    reader = auth.needs(Role.READER, SCOPE)
    member = auth.needs(Role.MEMBER, SCOPE)
    # Answers are an organization's, and do not know who asked: only who runs it reads them all.
    admin = auth.needs(Role.ADMIN, SCOPE)

    @app.post("/ask", summary="Ask a question", tags=["ask"], responses=answered(ANSWER))
    def ask(request: AskRequest, caller: Caller = reader) -> Response:
        """An answer whose every claim cites its source, as `bob ask --json` prints it. With `found` false the
        sources do not answer, and the audit says what came closest."""
        return JsonBytes(_answer(caller.engine, request).to_json())

    @app.post(
        "/ask/stream",
        summary="Ask, and stream the answer",
        tags=["ask"],
        response_class=StreamingResponse,
        responses=streamed(_STREAM_EXAMPLE),
    )
    def ask_stream(request: AskRequest, caller: Caller = reader) -> Response:
        """Events: `stage` (searching, writing, checking), `draft` (words of the model, unchecked), `claim`
        (checked, with the numbers of its sources), and last `answer` (the whole of `POST /ask`), `error` or
        `stopped`.

        Whoever goes away may come back: `GET /streams/{id}` with `Last-Event-ID`; the id is in the header
        `X-Bob-Stream`.
        """
        engine = caller.engine
        # What is wrong with the question is told before the stream begins.
        _said(request), request.filters()
        return response(streams, begun(streams, caller, lambda stream: _ask(engine, request, stream)))

    @app.get(
        "/answers",
        summary="List the last answers",
        tags=["ask"],
        responses=answered({"answers": [JUDGED], "next": None}),
    )
    def recent(limit: HowMany = 20, after: Cursor = None, caller: Caller = admin) -> Response:
        """Those of all users, newest first, in short, with the feedback on them. `next` asks for more."""
        before = None if after is None else paging.number(after)
        found = caller.engine.give_feedback.recent(limit + 1, before)
        following = paging.written(found[limit - 1].kept.answer_id) if len(found) > limit else None
        return JsonBytes({"answers": [each.to_json() for each in found[:limit]], "next": following})

    @app.get(
        "/answers/{answer_id}",
        summary="Read an answer again",
        tags=["ask"],
        responses=NOT_CHANGED | answered(JUDGED | {"answer": ANSWER}),
    )
    def read(request: Request, answer_id: AnswerId, caller: Caller = admin) -> Response:
        """The answer as it was given, and the feedback on it."""
        one = caller.engine.give_feedback.answer(answer_id)
        return tagged(request, one.to_json() | {"answer": dict(one.kept.answer)})

    @app.post(
        "/answers/{answer_id}/feedback",
        summary="Rate an answer",
        tags=["ask"],
        responses=answered(JUDGED["feedback"][0]),
    )
    def feedback(answer_id: AnswerId, request: Judgement, caller: Caller = member) -> Response:
        """The verdict as it is kept; it takes the place of the same one given before."""
        given = caller.engine.give_feedback.save_feedback(answer_id, request.verdict, request.note, now())
        return JsonBytes(given.to_json())


def _answer(engine: Engine, request: AskRequest) -> Answer:
    asked_at, filters = now(), request.filters()
    answer = engine.ask.answer_question(
        _said(request), filters=filters, today=asked_at.date(), extractive=request.extractive
    )
    return engine.keep_answer.save_answer(answer, filters=filters, asked_at=asked_at)


def _ask(engine: Engine, request: AskRequest, stream: Stream) -> None:
    asked_at, filters = now(), request.filters()
    stream.tell("stage", {"stage": "searching"})
    events = engine.ask.events(
        _said(request), filters=filters, today=asked_at.date(), extractive=request.extractive
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
        kept = engine.keep_answer.save_answer(event.answer, filters=filters, asked_at=asked_at)
        stream.tell("answer", kept.to_json())


def _said(request: AskRequest) -> str:
    if not request.question.strip():
        raise RequestError("question", "question must not be empty")
    return request.question
